"""closure_convert, custom_gradient, linear_call, fwd_and_bwd; and that wrappers keep their own state."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon.custom_derivatives import closure_convert, custom_vjp_primal_tree_values, linear_call


def test_closure_convert_hoists_what_moves():
    def outer(x):
        converted, hoisted = closure_convert(lambda y: x * y + jnp.arange(2.0).sum(), 2.0)
        assert len(hoisted) == 1
        return converted(3.0, *hoisted)
    assert float(gnomon.grad(outer)(2.0)) == 3.0 and float(gnomon.jit(outer)(2.0)) == 7.0
    converted, hoisted = closure_convert(lambda y: y * jnp.arange(3.0), 1.0)
    assert hoisted == [] and converted(2.0).tolist() == [0, 2, 4]
    with pytest.raises(TypeError, match="arguments of structure"):
        converted({"a": 1.0})
    with pytest.raises(TypeError, match="was traced for values of type float32"):
        converted(jnp.ones(2))


def test_closure_convert_lets_a_custom_vjp_see_what_is_closed_over():
    def solve(f, x):
        converted, extra = closure_convert(f, x)
        rule = gnomon.custom_vjp(lambda x, *extra: converted(x, *extra))
        rule.defvjp(lambda x, *extra: (converted(x, *extra), (x, extra)),
                    lambda res, ct: (2 * ct * res[1][0], *[3 * ct * res[0] for _ in res[1]]))
        return rule(x, *extra)
    ga, gx = gnomon.grad(lambda a, x: solve(lambda x: a * x, x), (0, 1))(5.0, 7.0)
    assert float(ga) == 21.0 and float(gx) == 10.0


def test_custom_gradient_runs_forward_once_and_keeps_what_it_needs():
    runs = []

    @gnomon.custom_gradient
    def f(x, y):
        runs.append(x)
        s = jnp.sin(x)
        return s * y, lambda ct: (ct * y * 10, ct * s)
    gx, gy = gnomon.grad(f, (0, 1))(1.0, 2.0)
    assert float(gx) == 20.0 and float(gy) == pytest.approx(np.sin(1.0)) and len(runs) == 2     # once to trace it, once forward
    assert float(f(1.0, 2.0)) == pytest.approx(2 * np.sin(1.0))
    assert gnomon.vmap(gnomon.grad(f))(jnp.ones(2), jnp.ones(2)).tolist() == [10, 10]
    with pytest.raises(gnomon.errors.Refused):
        gnomon.custom_gradient(f, remat=True)


@pytest.fixture
def half():
    return lambda r, x: linear_call(lambda r, x: {"out": x / r["by"]}, lambda r, ct: ct["out"] / r["by"], r, x)["out"]


def test_linear_call(half):
    r = {"by": 4.0}
    assert float(half(r, 2.0)) == 0.5 and float(gnomon.grad(half, 1)(r, 2.0)) == 0.25
    assert float(gnomon.jvp(lambda x: half(r, x), (2.0,), (8.0,))[1]) == 2.0
    assert float(gnomon.linear_transpose(lambda x: half(r, x), 1.0)(1.0)[0]) == 0.25
    by = {"by": jnp.array([1.0, 2.0])}
    assert gnomon.vmap(half)(by, jnp.ones(2)).tolist() == [1, 0.5]
    assert gnomon.vmap(gnomon.grad(half, 1))(by, jnp.ones(2)).tolist() == [1, 0.5]
    total = gnomon.grad(lambda x: gnomon.vmap(half, in_axes=(0, None))(by, x).sum())
    assert float(total(1.0)) == 1.5
    with pytest.raises(gnomon.errors.Refused, match="residual arguments"):
        gnomon.grad(lambda by: half({"by": by}, 1.0))(2.0)


def test_linear_call_checks_the_transpose():
    with pytest.raises(TypeError, match="must return values like the linear arguments"):
        linear_call(lambda r, x: x, lambda r, ct: (ct, ct), 1.0, 1.0)


def test_linear_call_may_close_over_values():
    def f(a, x):
        return linear_call(lambda _, x: x * a, lambda _, ct: ct * a * 10, (), x)
    assert float(gnomon.jit(gnomon.grad(f, 1))(2.0, 3.0)) == 20.0


@pytest.mark.parametrize("jitted", [True, False])
def test_fwd_and_bwd(jitted):
    fwd, bwd = gnomon.fwd_and_bwd(lambda x, y: (x * y["a"], y), argnums=(0, 1), has_aux=True, jitted=jitted)
    for k in (2.0, 5.0):
        y, residuals, aux = fwd(k, {"a": 3.0})
        gx, gy = bwd(residuals, 1.0)
        assert float(y) == 3 * k and float(gx) == 3.0 and float(gy["a"]) == k and float(aux["a"]) == 3.0
    assert fwd.__name__ == "fwd(<lambda>)"


def test_backward_functions_of_other_structures_are_not_mixed_up():
    run = gnomon.jit(lambda back, ct: back(ct))
    _, one = gnomon.vjp(lambda d: d["a"] * 2.0, {"a": 1.0})
    _, other = gnomon.vjp(lambda t: t[0] * 2.0, (1.0,))
    assert run(one, 1.0)[0] == {"a": 2.0} and run(other, 1.0)[0] == (2.0,)


def test_custom_vjp_primal_tree_values():
    seen = []

    @gnomon.custom_vjp
    def f(x, y):
        return x["a"] * y

    def fwd(x, y):
        seen.append((x["a"].perturbed, y.perturbed))
        x, y = custom_vjp_primal_tree_values((x, y))
        return f(x, y), (x, y)
    f.defvjp(fwd, lambda res, ct: ({"a": ct * res[1]}, None), symbolic_zeros=True)
    assert float(gnomon.grad(f)({"a": 2.0}, 3.0)["a"]) == 3.0 and seen == [(True, False)]


# ---- wrappers ------------------------------------------------------------------------------------------------------

def test_jit_of_a_function_with_a_rule_keeps_the_rule():
    @gnomon.custom_jvp
    def f(x):
        return x
    f.defjvp(lambda primals, tangents: (f(*primals), 10 * tangents[0]))
    for g in (gnomon.grad(gnomon.jit(f)), gnomon.jit(gnomon.grad(f)), gnomon.grad(gnomon.checkpoint(f)), gnomon.grad(f)):
        assert float(g(1.0)) == 10.0


def test_wrappers_take_names_and_attributes_of_functions_but_no_state_of_objects():
    def f(x):
        """The text."""
        return x
    f.mark = "mine"
    for wrapped, name in ((gnomon.jit(f), "f"), (gnomon.grad(f), "grad(f)"), (gnomon.vmap(f), "vmap(f)"), (gnomon.checkpoint(f), "f"),
                          (gnomon.make_jaxpr(f), "make_jaxpr(f)"), (gnomon.named_call(f), "f")):
        assert wrapped.__name__ == name and wrapped.__doc__ == "The text." and wrapped.mark == "mine" and wrapped.__wrapped__ is f

    class Model:
        def __init__(self):
            self.fun = self.options = "state of its own"

        def __call__(self, x):
            return x + 1
    assert float(gnomon.jit(Model())(1.0)) == 2.0 and float(gnomon.grad(Model())(1.0)) == 1.0
