"""Places over eight devices: explicit and automatic meshes under jit, grad, vmap and scan."""
from __future__ import annotations

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon.sharding import AxisType, NamedSharding, PartitionSpec as P, set_mesh

rng = np.random.default_rng(0)
W, X = rng.normal(size=(16, 32)).astype("f4"), rng.normal(size=(8, 16)).astype("f4")


def loss(w, x):
    return jnp.mean(jnp.tanh(x @ w) ** 2)


@pytest.fixture(params=["auto", "explicit"])
def mesh(request):
    types = (AxisType.Explicit,) * 2 if request.param == "explicit" else None
    made = G.make_mesh((4, 2), ("x", "y"), axis_types=types)
    with set_mesh(made):
        yield made


def placed(mesh):
    return G.device_put(W, NamedSharding(mesh, P(None, "y"))), G.device_put(X, NamedSharding(mesh, P("x", None)))


def test_sharded_equals_unsharded(mesh):
    w, x = placed(mesh)
    np.testing.assert_allclose(G.jit(loss)(w, x), loss(W, X), rtol=1e-6)
    want = G.grad(loss, (0, 1))(W, X)
    for compiled in (G.grad(loss, (0, 1)), G.jit(G.grad(loss, (0, 1)))):
        for got, whole in zip(compiled(w, x), want):
            np.testing.assert_allclose(got, whole, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(G.vmap(lambda r: r * 2)(x), X * 2)
    np.testing.assert_allclose(G.lax.scan(lambda c, r: (c + r.sum(), None), 0.0, x)[0], X.sum(), rtol=1e-4)


def test_explicit_axes_are_part_of_types():
    made = G.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with set_mesh(made):
        w, x = placed(made)
        grads = G.jit(G.grad(loss, (0, 1)))(w, x)
        assert [str(G.typeof(g)) for g in grads] == ["float32[16,32@y]", "float32[8@x,16]"]
        assert str(G.typeof(x.T)) == "float32[16,8@x]" and str(G.typeof(x[:, :3])) == "float32[8@x,3]"
        assert str(G.typeof(x.reshape(8, 4, 4))) == "float32[8@x,4,4]"
        assert str(G.typeof(G.reshard(x, P(None, "x")))) == "float32[8,16@x]"
        with pytest.raises(G.errors.ShardingTypeError, match="cumsum works along dimension 0 .* sharded over 'x'. Reshard"):
            jnp.cumsum(x, 0)
        with pytest.raises(G.errors.ShardingTypeError, match="reshape of float32.8@x,16. to .32, 4. merges or splits a sharded dimension"):
            x.reshape(32, 4)


def test_shardings_given_to_jit(mesh):
    out = G.jit(lambda a: a * 2, out_shardings=NamedSharding(mesh, P("x")))(X)
    assert out.sharding.spec == P("x") and len(out.addressable_shards) == 8
    inside = G.jit(lambda a: a * 2, in_shardings=NamedSharding(mesh, P("x")))(X)
    np.testing.assert_array_equal(inside, X * 2)


def test_computation_follows_data():
    second = G.devices()[1]
    y = G.device_put(X, second)
    assert (y + 1).devices() == {second} and G.jit(lambda a: a + 1)(y).devices() == {second}
    with pytest.raises(ValueError, match="incompatible devices: one argument is on device 1 and another on device 2. Move them"):
        y + G.device_put(X, G.devices()[2])


def test_memory_kinds():
    mesh = G.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,))
    with set_mesh(mesh):
        a = G.device_put(X, NamedSharding(mesh, P("x"), memory_kind="pinned_host"))
        assert str(G.typeof(a)) == "float32<host>[8@x,16]"
        np.testing.assert_array_equal(a, X)
