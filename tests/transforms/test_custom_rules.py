"""Rules of the user's: what they may close over, defaults, and zeros that are known."""
import functools

import pytest

import gnomon as G
import gnomon.custom_batching
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.custom_derivatives import SymbolicZero


def test_rules_may_close_over_values_of_the_trace_around_them():
    @G.jit
    def both(w, x):
        @G.custom_vjp
        def f(y):
            return y * w
        f.defvjp(lambda y: (y * w, y), lambda res, ct: (10 * ct * w,))

        @G.custom_jvp
        def h(y):
            return 2 * y
        h.defjvp(lambda primals, tangents: (h(*primals), 100 * tangents[0] * w))
        return G.grad(f)(x), G.grad(h)(x), G.jvp(h, (x,), (1.0,))[1], G.vmap(G.grad(f))(jnp.arange(2.0))
    f_ct, h_ct, h_t, rows = both(2.0, 3.0)
    assert (float(f_ct), float(h_ct), float(h_t), rows.tolist()) == (20.0, 200.0, 200.0, [20.0, 20.0])


def closing(w):
    @G.custom_vjp
    def f(y):
        return 2 * y
    f.defvjp(lambda y: (2 * y, None), lambda res, ct: (10 * ct * w,))
    return G.grad(f)(3.0)


def test_rules_may_close_over_mapped_values():
    assert G.vmap(closing)(jnp.arange(3.0)).tolist() == [0.0, 10.0, 20.0]
    assert lax.scan(lambda c, w: (c, closing(w)), 0.0, jnp.arange(3.0))[1].tolist() == [0.0, 10.0, 20.0]


def test_rules_may_not_close_over_what_is_differentiated():
    def direct(w):
        @G.custom_jvp
        def f(y):
            return 2 * y
        f.defjvp(lambda primals, tangents: (f(*primals), tangents[0] * w))
        return f(3.0 * w)
    with pytest.raises(G.errors.Refused) as caught:
        G.grad(direct)(1.0)
    assert str(caught.value) == ("a rule of the function f with a derivative of its own closes over a value of type float32[] that is being "
                                 "differentiated; pass it to the function as an argument instead")
    assert float(G.grad(closing)(1.0)) == 10.0      # differentiated only after the rule did its work

    def beside(w):
        held = {"w": w, "k": 2.0}

        @G.custom_jvp
        def f(y):
            return y
        f.defjvp(lambda primals, tangents: (f(*primals), tangents[0] * held["k"]))
        return f(3.0) * w
    assert float(G.grad(beside)(1.0)) == 3.0        # what is near a rule and not used by it does no harm


def test_arguments_that_are_not_differentiated_may_be_traced():
    @functools.partial(G.custom_jvp, nondiff_argnums=(1,))
    def f(x, n):
        return x * n
    f.defjvp(lambda n, primals, tangents: (f(primals[0], n), 100 * tangents[0] * n))

    @functools.partial(G.custom_vjp, nondiff_argnums=(1,))
    def h(x, n):
        return x * n
    h.defvjp(lambda x, n: (x * n, None), lambda n, res, ct: (10 * ct * n,))
    assert [float(y) for y in G.jit(lambda x, n: (G.grad(f)(x, n), G.grad(h)(x, n)))(1.0, 2.0)] == [200.0, 20.0]
    assert G.vmap(lambda n: G.grad(h)(1.0, n))(jnp.arange(3.0)).tolist() == [0.0, 10.0, 20.0]


def test_defaults_count_as_arguments():
    @G.custom_vjp
    def f(x, y=3.0):
        return x * y
    f.defvjp(lambda x, y: (x * y, (x, y)), lambda res, ct: (10 * ct * res[1], ct * res[0]))
    assert [float(G.grad(f)(2.0)), float(G.grad(f)(2.0, y=4.0)), float(f(2.0))] == [30.0, 40.0, 6.0]


def test_cotangents_that_are_zero_are_said_to_be():
    seen = []

    @G.custom_vjp
    def f(x):
        return x, 2 * x, 3

    def backward(res, cts):
        seen.append([isinstance(ct, SymbolicZero) for ct in cts[:2]])
        return sum(ct for ct in cts[:2] if not isinstance(ct, SymbolicZero)),
    f.defvjp(lambda x: ((x.value, 2 * x.value, 3), None), backward, symbolic_zeros=True)
    assert float(G.grad(lambda x: f(x)[1])(3.0)) == 1.0 and float(G.grad(lambda x: f(x)[0] + f(x)[1])(3.0)) == 2.0
    assert G.grad(lambda x: G.vmap(f)(x)[0].sum())(jnp.arange(2.0)).tolist() == [1.0, 1.0]
    assert seen == [[True, False], [False, True], [False, True]]       # the last for arrays that are not weak


def test_bools_and_ints_among_residuals_steer_the_backward_rule():
    @G.custom_vjp
    def f(x):
        return x
    f.defvjp(lambda x: (x, (x, 3, True)), lambda res, ct: (ct * sum(range(res[1])) if res[2] else ct,))
    assert float(G.jit(G.grad(f))(2.0)) == 3.0


def test_rules_run_after_the_trace_they_close_over_ended():
    @G.jit
    def f(w, x):
        @G.custom_jvp
        def h(y):
            return y * y
        h.defjvp(lambda primals, tangents: (h(*primals), 10 * h(primals[0]) * tangents[0] * w))
        return h(x)
    w = 2.0
    assert float(G.grad(f, 1)(w, 3.0)) == 180.0 and float(G.grad(G.grad(f, 1), 1)(w, 3.0)) == 3600.0


def test_rules_of_custom_vmap_may_close_over_values_of_the_trace_around_them():
    def step(w):
        @G.custom_batching.custom_vmap
        def f(x):
            return x * w
        f.def_vmap(lambda size, in_batched, x: (10 * x * w, True))
        return G.vmap(f)(jnp.arange(3.0))
    assert G.jit(step)(2.0).tolist() == [0.0, 20.0, 40.0] and G.vmap(step)(jnp.arange(2.0)).tolist() == [[0.0] * 3, [0.0, 10.0, 20.0]]
    each = lambda w: G.vmap(G.custom_batching.sequential_vmap(lambda x: x * w))(jnp.arange(3.0))      # noqa: E731
    assert G.jit(each)(2.0).tolist() == [0.0, 2.0, 4.0] and float(G.grad(lambda w: each(w).sum())(2.0)) == 3.0


def test_what_rules_close_over_is_no_leak():
    def f(w, x):
        @G.custom_jvp
        def h(y):
            return y
        h.defjvp(lambda primals, tangents: (h(*primals), tangents[0] * w))
        return h(x) + lax.scan(lambda c, y: (c * w, lax.cond(y > 1, lambda: w, lambda: y)), x, jnp.arange(3.0))[0]
    with G.checking_leaks():
        assert float(G.jit(f)(2.0, 3.0)) == 27.0 and float(G.grad(f, 1)(2.0, 3.0)) == 10.0


def test_tangents_of_outputs_with_none_in_them():
    @G.custom_jvp
    def f(x):
        return {"a": x, "b": None}
    f.defjvp(lambda primals, tangents: (f(*primals), {"a": 3 * tangents[0], "b": None}))
    assert float(G.grad(lambda x: f(x)["a"])(1.0)) == 3.0
