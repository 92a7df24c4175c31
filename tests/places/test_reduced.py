"""Values that are still to be summed over a manual axis, and those whose cotangents are: pcast, and what may be done with them."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.errors import ShardingTypeError
from gnomon.sharding import PartitionSpec as P

X = np.arange(8, dtype="f4")
W, ROWS = np.random.default_rng(0).normal(size=(8, 3)).astype("f4"), np.random.default_rng(1).normal(size=(4, 8)).astype("f4")


def cast(lax, x, *to):
    for t in to:
        x = lax.pcast(x, "x", to=t)
    return x


# (m, x) -> value, in_spec, out_spec: the same in Gnomon and in JAX
SAME = {
    "psum": (lambda m, x: m.lax.psum(cast(m.lax, x, "unreduced"), "x"), P("x"), P()),
    "scatter": (lambda m, x: m.lax.psum_scatter(cast(m.lax, x, "varying", "unreduced"), "x", tiled=True), P(), P("x")),
    "reduced": (lambda m, x: cast(m.lax, x, "reduced", "varying"), P(), P("x")),
    "function": (lambda m, x: cast(m.lax, m.numpy.sin(cast(m.lax, x, "reduced")), "varying"), P(), P("x")),
    "beside varying": (lambda m, x: cast(m.lax, x, "reduced") * cast(m.lax, x, "varying"), P(), P("x")),
    "linear": (lambda m, x: m.lax.psum(-cast(m.lax, x, "unreduced").reshape(1, -1).sum(1), "x"), P("x"), P()),
    "product": (lambda m, x: m.lax.psum(cast(m.lax, x, "varying", "unreduced") * cast(m.lax, x, "reduced"), "x"), P(), P()),
}


def total(m, name, mesh, spec):
    f, i, o = SAME[name]
    run = m.shard_map(lambda x: f(m, x), mesh=mesh, in_specs=spec(*i), out_specs=spec(*o))
    return lambda x: (run(x) ** 2).sum()


# what JAX 0.10 does on explicit meshes only, as a plain function
PLAIN = {"function": lambda x: 4 * (jnp.sin(x) ** 2).sum(), "linear": lambda x: x.sum() ** 2, "product": lambda x: (16 * x ** 4).sum()}


@pytest.mark.parametrize("name", PLAIN)
def test_values_and_gradients(name):
    ours = total(G, name, G.make_mesh((4,), ("x",)), P)
    np.testing.assert_allclose(ours(X), PLAIN[name](X), rtol=1e-5)
    np.testing.assert_allclose(G.grad(ours)(X), G.grad(PLAIN[name])(X), rtol=1e-5)


@pytest.mark.peer
@pytest.mark.parametrize("name", sorted({*SAME} - {*PLAIN}))
def test_values_and_gradients_are_those_of_the_peer(peer, name):
    mesh = peer.make_mesh((4,), ("x",), axis_types=(peer.sharding.AxisType.Auto,))
    ours, theirs = total(G, name, G.make_mesh((4,), ("x",)), P), total(peer, name, mesh, peer.sharding.PartitionSpec)
    np.testing.assert_allclose(ours(X), peer.jit(theirs)(X), rtol=1e-6)
    np.testing.assert_allclose(G.grad(ours)(X), peer.jit(peer.grad(theirs))(X), rtol=1e-5)


@pytest.fixture(scope="module")
def on():
    mesh = G.make_mesh((4,), ("x",))
    return lambda f, i, o: G.shard_map(f, mesh=mesh, in_specs=i, out_specs=o)


def gathered(w):
    return lax.all_gather(w, "x", tiled=True, to="reduced")


def scanned(w, x):
    w = gathered(w)
    return lax.scan(lambda c, row: (c + jnp.tanh(row @ w).sum(), None), lax.pcast(jnp.float32(0), "x", to="varying"), x)[0]


LOSSES = {
    "plain": (lambda w, x: (jnp.tanh(x @ gathered(w)) ** 2).sum(), lambda w, x: (jnp.tanh(x @ w) ** 2).sum()),
    "scan": (scanned, lambda w, x: jnp.tanh(x @ w).sum()),
    "jit": (lambda w, x: G.jit(lambda x, w: jnp.sin(x @ w).sum())(x, gathered(w)), lambda w, x: jnp.sin(x @ w).sum()),
    "checkpoint": (lambda w, x: G.checkpoint(lambda x, w: jnp.sin(x @ w).sum())(x, gathered(w)), lambda w, x: jnp.sin(x @ w).sum()),
    "relu": (lambda w, x: G.nn.relu(x @ gathered(w)).mean() * 1.5, lambda w, x: G.nn.relu(x @ w).mean(1).sum() * 1.5),
}


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_by_gathered_parameters(on, name):
    """The cotangents are summed where the parameters are gathered: a reduce_scatter."""
    loss, plain = LOSSES[name]
    whole = on(lambda w, x: lax.psum(loss(w, x), "x"), (P("x"), P("x")), P())
    want = G.grad(plain)(W, ROWS)
    np.testing.assert_allclose(G.grad(whole)(W, ROWS), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(G.jit(G.grad(whole))(W, ROWS), want, rtol=1e-4, atol=1e-5)
    assert "reduce_scatter" in str(G.make_jaxpr(G.grad(whole))(W, ROWS))


def test_types_say_so(on):
    seen = {}

    def f(x, w):
        w = lax.pcast(w, "x", to="reduced")
        u = lax.pcast(x * w, "x", to="unreduced")
        seen.update(w=G.typeof(w), u=G.typeof(u), product=G.typeof(w * 2), sum=G.typeof(u + u), scaled=G.typeof(u * w))
        return lax.psum(u, "x")
    on(f, (P("x"), P()), P())(X, np.float32(2))
    assert {k: str(t) for k, t in seen.items()} == {"w": "float32[]{R:x}", "u": "float32[2]{U:x}", "product": "float32[]{R:x}",
                                                    "sum": "float32[2]{U:x}", "scaled": "float32[2]{U:x}"}
    program = str(G.make_jaxpr(on(f, (P("x"), P()), P()))(X, np.float32(2)))
    assert all(cast in program for cast in ("preduced[axes=('x',)]", "reduced_vary_cast[axes=('x',)]", "vary_unreduced_cast[", "retag["))
    twice = G.grad(G.grad(lambda w: on(f, (P("x"), P()), P())(X, w).sum() ** 3))(np.float32(2))
    np.testing.assert_allclose(twice, 6 * 2 * X.sum() ** 3)


U = lambda x: lax.pcast(x, "x", to="unreduced")     # noqa: E731
ERRORS = [
    (lambda x: lax.psum(jnp.sin(U(x)), "x"), ShardingTypeError, r"sin of float32\[2\]\{U:x\}: a value that is still to be summed over the axis 'x' "
     "goes only into what is linear in it"),
    (lambda x: lax.psum(U(x) * x, "x"), ShardingTypeError, r"mul of float32\[2\]\{U:x\}, float32\[2\]\{V:x\}"),
    (lambda x: lax.psum(U(x) + x, "x"), ShardingTypeError, "add of"), (lambda x: lax.psum(U(x) * U(x), "x"), ShardingTypeError, "mul of"),
    (lambda x: lax.pmax(U(x), "x"), ValueError, r"pmax got a value of type float32\[2\]\{U:x\}, which is still to be summed"),
    (lambda x: lax.all_gather(U(x), "x"), ValueError, "all_gather got a value of type"),
    (lambda x: U(lax.psum(x, "x")), ValueError, "Unsupported pcast from=invarying, to='unreduced'"),
    (lambda x: lax.pcast(x, "x", to="reduced"), ValueError, "Unsupported pcast from=varying, to='reduced'"),
    (lambda x: lax.pcast(U(x), "x", to="varying"), ValueError, "Unsupported pcast from=unreduced, to='varying'"),
    (lambda x: U(x), ValueError, r"its type is float32\[2\]\{U:x\}: it varies over the axis 'x'"),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(on, number):
    f, error, match = ERRORS[number]
    with pytest.raises(error, match=match):
        on(f, P("x"), P())(X)
