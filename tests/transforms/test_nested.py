"""Laws of the nested ops: jit, cond, scan, while, checkpoint, custom rules, under every transform and each other."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.ir.check import check

f32 = np.float32


def scan_fn(reverse=False):
    def f(w, h, xs):
        def body(h, x):
            new = jnp.sin(h @ w + x)
            return new, new * x
        return lax.scan(body, h, xs, reverse=reverse)
    return f


def cond_fn(w, h, xs):
    return lax.cond(h.sum() > 0, lambda w, h, x: (jnp.sin(h @ w), x * 2), lambda w, h, x: (h * 3, jnp.cos(x)), w, h, xs)


def while_fn(w, h, xs):
    def body(c):
        i, h = c
        return i + 1, jnp.sin(h @ w)
    return lax.while_loop(lambda c: c[0] < 3, body, (0, h))[1], xs


def fori_fn(w, h, xs):
    return lax.fori_loop(0, 4, lambda i, h: jnp.sin(h @ w) + i, h), xs * 2


def checkpoint_fn(w, h, xs):
    return G.checkpoint(scan_fn())(w, h, xs)


def jit_fn(w, h, xs):
    return G.jit(scan_fn(True))(w, h, xs)


def cond_in_scan_fn(w, h, xs):
    def body(h, x):
        new = lax.cond(x[0] > 0, lambda: jnp.sin(h @ w), lambda: h * x)
        return new, new + x
    return lax.scan(body, h, xs)


def scan_in_cond_fn(w, h, xs):
    return lax.cond(xs.sum() > -100, lambda: scan_fn()(w, h, xs), lambda: (h, xs))


@G.custom_vjp
def doubled(w, h):
    return jnp.sin(h @ w)


doubled.defvjp(lambda w, h: (jnp.sin(h @ w), (w, h)),
               lambda res, ct: (jnp.outer(res[1], ct * jnp.cos(res[1] @ res[0])), res[0] @ (ct * jnp.cos(res[1] @ res[0]))))


@G.custom_jvp
def own_sin(x):
    return jnp.sin(x)


own_sin.defjvp(lambda primals, tangents: (own_sin(*primals), jnp.cos(primals[0]) * tangents[0]))


def custom_fn(w, h, xs):
    return lax.scan(lambda h, x: (doubled(w, h) + own_sin(x), h * x), h, xs)


FUNCTIONS = {"scan": scan_fn(), "reverse scan": scan_fn(True), "cond": cond_fn, "while": while_fn, "fori": fori_fn,
             "checkpoint": checkpoint_fn, "jit": jit_fn, "cond in scan": cond_in_scan_fn, "scan in cond": scan_in_cond_fn,
             "custom": custom_fn}
FORWARD_ONLY = {"while"}
REVERSE_ONLY = {"custom"}


def inputs(seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=s).astype("f4") for s in ((3, 3), (3,), (5, 3))]


def dot(a, b):
    return sum(float((np.asarray(x, "f8") * np.asarray(y, "f8")).sum()) for x, y in zip(a, b))


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - REVERSE_ONLY))
def test_forward_derivative_equals_differences(name):
    f, args, ts = FUNCTIONS[name], inputs(), inputs(1)
    eps = 1e-2
    outs, out_ts = G.jvp(f, args, ts)
    up = f(*[a + f32(eps) * t for a, t in zip(args, ts)])
    down = f(*[a - f32(eps) * t for a, t in zip(args, ts)])
    for o, got, u, d in zip(outs, out_ts, up, down):
        np.testing.assert_allclose(got, (np.asarray(u, "f8") - np.asarray(d, "f8")) / (2 * eps), rtol=2e-2, atol=2e-2)
        assert o.shape == got.shape
    check(G.make_jaxpr(lambda a, t: G.jvp(f, a, t))(args, ts).jaxpr)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - FORWARD_ONLY))
def test_reverse_derivative_is_the_transpose(name):
    f, args, ts, rng = FUNCTIONS[name], inputs(), inputs(1), np.random.default_rng(2)
    outs, back = G.vjp(f, *args)
    cts = tuple(rng.normal(size=o.shape).astype("f4") for o in outs)
    got = back(cts)
    if name in REVERSE_ONLY:
        eps = 1e-2
        up, down = (f(*[a + f32(s * eps) * t for a, t in zip(args, ts)]) for s in (1, -1))
        out_ts = [(np.asarray(u, "f8") - np.asarray(d, "f8")) / (2 * eps) for u, d in zip(up, down)]
    else:
        _, out_ts = G.jvp(f, args, ts)
    assert dot(got, ts) == pytest.approx(dot(cts, out_ts), rel=2e-2, abs=2e-2)
    program = G.make_jaxpr(lambda a, c: G.vjp(f, *a)[1](c))(args, cts)
    check(program.jaxpr)
    for a, b in zip(got, G.jit(lambda a, c: G.vjp(f, *a)[1](c))(args, cts)):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_vmap_equals_a_loop(name):
    f, n = FUNCTIONS[name], 3
    stacked = [np.stack(x) for x in zip(*[inputs(i) for i in range(n)])]
    for mapped in itertools.product((True, False), repeat=3):
        if not any(mapped):
            continue
        args = [s if m else s[0] for s, m in zip(stacked, mapped)]
        axes = tuple(0 if m else None for m in mapped)
        got = G.vmap(f, axes)(*args)
        rows = [f(*[a[i] if m else a for a, m in zip(args, mapped)]) for i in range(n)]
        for k, o in enumerate(got):
            np.testing.assert_allclose(o, np.stack([r[k] for r in rows]), rtol=1e-4, atol=1e-5)
    check(G.make_jaxpr(G.vmap(f))(*stacked).jaxpr)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - FORWARD_ONLY))
def test_vmap_of_gradients_equals_a_loop(name):
    f, n = FUNCTIONS[name], 3
    g = G.grad(lambda *a: sum(o.sum() for o in f(*a)), (0, 1, 2))
    stacked = [np.stack(x) for x in zip(*[inputs(i) for i in range(n)])]
    got = G.vmap(g, (0, 0, None))(stacked[0], stacked[1], stacked[2][0])
    rows = [g(stacked[0][i], stacked[1][i], stacked[2][0]) for i in range(n)]
    for k, o in enumerate(got):
        np.testing.assert_allclose(o, np.stack([r[k] for r in rows]), rtol=1e-4, atol=1e-4)
    total = G.grad(lambda a, b, c: sum(o.sum() for o in G.vmap(f, (0, 0, None))(a, b, c)), (0, 1, 2))(*stacked[:2], stacked[2][0])
    np.testing.assert_allclose(total[0], np.stack([r[0] for r in rows]), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(total[2], sum(np.asarray(r[2]) for r in rows), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - FORWARD_ONLY - REVERSE_ONLY))
def test_second_derivatives_agree_in_every_order(name):
    f, args, t = FUNCTIONS[name], inputs(), inputs(3)

    def loss(*a):
        return sum((o * o).sum() for o in f(*a))
    g = G.grad(loss, (0, 1, 2))
    forward_over_reverse = G.jvp(g, args, t)[1]
    reverse_over_reverse = G.grad(lambda *a: sum((x * y).sum() for x, y in zip(g(*a), t)), (0, 1, 2))(*args)
    reverse_over_forward = G.grad(lambda *a: G.jvp(loss, a, tuple(t))[1], (0, 1, 2))(*args)
    for a, b, c in zip(forward_over_reverse, reverse_over_reverse, reverse_over_forward):
        scale = np.abs(a).max() + 1e-3
        np.testing.assert_allclose(np.asarray(b) / scale, np.asarray(a) / scale, atol=2e-4)
        np.testing.assert_allclose(np.asarray(c) / scale, np.asarray(a) / scale, atol=2e-4)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_eager_equals_jit(name):
    f, args = FUNCTIONS[name], inputs()
    for a, b in zip(f(*args), G.jit(f)(*args)):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    check(G.make_jaxpr(f)(*args).jaxpr)


def test_a_loop_of_unknown_length_is_refused_in_reverse():
    with pytest.raises(G.errors.Refused, match="number of steps is not known cannot be run backward; use scan"):
        G.grad(lambda x: lax.while_loop(lambda c: c < 10, lambda c: c * 2, x))(1.0)


def test_residuals_that_do_not_change_are_not_stacked():
    def f(w, xs):
        return lax.scan(lambda h, x: (jnp.sin(h @ jnp.exp(w)) + x, None), jnp.zeros(3), xs)[0].sum()
    program = str(G.make_jaxpr(G.grad(f))(np.ones((3, 3), "f4"), np.ones((50, 3), "f4")))
    assert "[50,3,3]" not in program


# ---- weakness ------------------------------------------------------------------------------------------------------

TWO = f32(2)


@pytest.mark.parametrize("moved, like", [
    (lambda: G.grad(lambda x: x * TWO)(1.0), True),
    (lambda: G.grad(lambda x: (x * jnp.ones(2)).sum())(1.0), True),
    (lambda: G.grad(lambda x: x * 2)(TWO), False),
    (lambda: G.jvp(lambda x: x * 2, (1.0,), (TWO,))[1], True),
    (lambda: G.jvp(lambda x: x * 2, (TWO,), (1.0,))[1], False),
    (lambda: G.jvp(lambda x: x + TWO, (1.0,), (1.0,))[1], False),
    (lambda: G.vjp(lambda x: x * TWO, 1.0)[1](TWO)[0], True),
    (lambda: G.linear_transpose(lambda x: x * TWO, 1.0)(TWO)[0], True),
    (lambda: G.jacfwd(lambda x: jnp.stack([x, x]))(1.0), True),
    (lambda: G.jacfwd(lambda x: x * jnp.ones(2))(1.0), False),
    (lambda: G.jacrev(lambda x: x * jnp.ones(2))(1.0), True),
    (lambda: G.hessian(jnp.sin)(1.0), True),
])
def test_derivatives_are_as_weak_as_what_they_belong_to(moved, like):
    assert moved().weak_type is like


@pytest.mark.parametrize("lower, upper", [(0, 3), (np.int8(0), np.int8(3)), (0, np.int32(3)), (np.int32(0), np.int32(3))])
def test_the_index_of_a_loop_of_known_length_is_weak(lower, upper):
    out = lax.fori_loop(lower, upper, lambda i, c: c + i, jnp.uint8(0))
    assert out.dtype == np.uint8 and int(out) == 3


def test_the_index_of_a_loop_of_unknown_length_is_as_weak_as_its_lower_bound():
    seen = []
    G.jit(lambda n: lax.fori_loop(0, n, lambda i, c: seen.append(i.type) or c, 0))(np.int32(3))
    G.jit(lambda n: lax.fori_loop(np.int32(0), n, lambda i, c: seen.append(i.type) or c, 0))(3)
    assert [(t.dtype, t.weak_type) for t in seen] == [(np.int32, True), (np.int32, False)]


# ---- float0: the tangents and cotangents of what cannot move -------------------------------------------------------

def int_gradient(x, i):
    return G.grad(lambda x, i: x * i, (0, 1), allow_int=True)(x, i)


@pytest.mark.parametrize("run, shape", [
    (lambda: int_gradient(2.0, 3)[1], ()),
    (lambda: G.jit(int_gradient)(2.0, 3)[1], ()),
    (lambda: G.vmap(int_gradient, (0, None))(jnp.ones(3), 2)[1], (3,)),
    (lambda: G.vmap(int_gradient, (None, 0))(2.0, jnp.arange(3))[1], (3,)),
    (lambda: lax.scan(lambda c, x: (c, int_gradient(x, 2)), 0, jnp.ones(3))[1][1], (3,)),
    (lambda: G.vmap(lambda x: G.jvp(jnp.argmax, (x,), (x,))[1])(jnp.ones((3, 2))), (3,)),
    (lambda: G.jacfwd(jnp.argmax)(jnp.ones(2)), (2,)),
    (lambda: jnp.zeros_like(np.zeros(4, G.dtypes.float0)), (4,)),
])
def test_float0_leaves_every_transform(run, shape):
    out = run()
    assert out.dtype == G.dtypes.float0 and out.shape == shape
    assert np.asarray(out).dtype == G.dtypes.float0 and np.asarray(out).shape == shape


def test_jacobians_of_integers_are_refused_by_jacrev():
    with pytest.raises(TypeError, match="jacrev requires real- or complex-valued outputs, but argmax returned int32"):
        G.jacrev(jnp.argmax)(jnp.ones(2))
    with pytest.raises(TypeError, match="jacrev requires real-valued outputs .* returned complex64"):
        G.jacrev(lambda x: x * 1j)(1.0)
