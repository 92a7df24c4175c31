"""Places over eight devices: explicit and automatic meshes under jit, grad, vmap and scan."""
from __future__ import annotations

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P, set_mesh

rng = np.random.default_rng(0)
W, X = rng.normal(size=(16, 32)).astype("f4"), rng.normal(size=(8, 16)).astype("f4")


def loss(w, x):
    return jnp.mean(jnp.tanh(x @ w) ** 2)


@pytest.fixture(params=["auto", "explicit"])
def mesh(request):
    types = (AxisType.Explicit,) * 2 if request.param == "explicit" else (AxisType.Auto,) * 2
    made = G.make_mesh((4, 2), ("x", "y"), axis_types=types)
    with set_mesh(made):
        yield made


def placed(mesh):
    return G.device_put(W, NamedSharding(mesh, P(None, "y"))), G.device_put(X, NamedSharding(mesh, P("x", None)))


def test_axes_are_explicit_where_a_mesh_is_made_and_nothing_said():
    assert G.make_mesh((2, 2), ("x", "y")).axis_types == (AxisType.Explicit,) * 2
    assert Mesh(np.array(G.devices()[:2]), ("x",)).axis_types == (AxisType.Auto,)


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


CUTS = {
    "slice": lambda z: z[2:6], "every other": lambda z: z[::2], "columns": lambda z: z[:, 4:12], "backwards": lambda z: z[::-1, ::-1],
    "pad": lambda z: jnp.pad(z, ((3, 5), (1, 1))), "joined": lambda z: jnp.concatenate([z, z * 2], 1), "joined rows": lambda z: jnp.append(z, z, 0),
    "split": lambda z: tuple(jnp.split(z, 2, 1)), "block": lambda z: G.lax.dynamic_slice(z, (1, 3), (4, 8)), "glu": G.nn.glu,
    "written": lambda z: z.at[2:6].set(1.0), "added": lambda z: z.at[:, 4:12].add(z[:, :8]), "flat": lambda z: z.ravel(),
    "in four": lambda z: z.reshape(8, 4, 4), "sums": lambda z: G.lax.reduce_window(z, 0.0, G.lax.add, (2, 2), (2, 2), "VALID"),
    "largest": lambda z: G.lax.reduce_window(z, -np.inf, G.lax.max, (3, 3), (1, 1), "SAME"), "ordered": lambda z: jnp.argsort(z.reshape(8, 16, 1), 2),
    "full": lambda z: G.lax.full_like(z, 2.0) + z, "largest of all": jnp.argmax,
}


def test_cut_and_joined_where_sharded():
    """Numbers and derivatives are those without sharding, and what is the derivative by z lies as z does."""
    def every(z):
        return {name: f(z) for name, f in CUTS.items()}

    def total(z):
        return sum(jnp.sum(jnp.sin(leaf)) for leaf in G.tree.leaves(every(z)) if leaf.dtype == np.float32)

    with set_mesh(G.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)):
        z = G.device_put(X, P("x", "y"))
        got, slopes = G.jit(every)(z), G.jit(G.grad(total))(z)
        specs = {name: str(G.typeof(leaf)) for name, leaf in got.items() if name != "split"}
        slices = [str(G.typeof(G.grad(lambda z, f=f: jnp.sum(f(z)))(z))) for f in (CUTS["slice"], CUTS["in four"], jnp.transpose)]
        first = G.device_put(X, P(None, "y"))
        wrote = first.at[0].set(1.0), G.grad(lambda z: jnp.sum(z[:4]))(first)
        asked = G.jit(lambda z: z.at[np.array([1, 6])].get(out_sharding=P(None, "y")))(z), z.at[np.array([1, 6])].set(0.0, out_sharding=P("x", None))
        places = [str(G.typeof(leaf)) for leaf in (*wrote, *asked, G.lax.broadcast(z, (4,), out_sharding=P(None, None, None)))]
    want, slope = G.jit(every)(X), G.jit(G.grad(total))(X)
    for a, b in zip(G.tree.leaves(got), G.tree.leaves(want)):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    np.testing.assert_allclose(slopes, slope, rtol=1e-5, atol=1e-6)
    assert str(G.typeof(slopes)) == "float32[8@x,16@y]" and slices == ["float32[8@x,16@y]"] * 3
    assert {specs[name] for name in ("backwards", "written", "added", "largest", "full")} == {"float32[8@x,16@y]"}
    assert [specs[name] for name in ("slice", "columns", "pad", "flat", "in four", "sums", "ordered", "largest of all")] == [
        "float32[4@x,16@y]", "float32[8@x,8@y]", "float32[16@x,18@y]", "float32[128@(x,y)]", "float32[8@x,4@y,4]", "float32[4@x,8@y]",
        "int32[8@x,16@y,1]", "int32[]"]
    assert places == ["float32[8,16@y]", "float32[8,16@y]", "float32[2,16@y]", "float32[8@x,16]", "float32[4,8,16]"]
    np.testing.assert_array_equal(wrote[0], jnp.asarray(X).at[0].set(1.0))
    np.testing.assert_array_equal(asked[0], X[[1, 6]])


@pytest.mark.parametrize("window, strides", [((3, 3), (1, 1)), ((3, 1), (2, 1))])
def test_slopes_of_overlapping_windows(mesh, window, strides):
    def f(z):
        return jnp.sum(jnp.sin(G.lax.reduce_window(z, -np.inf, G.lax.max, window, strides, "SAME")))
    slopes = G.jit(G.grad(f))
    np.testing.assert_allclose(slopes(G.device_put(X, NamedSharding(mesh, P("x", "y")))), slopes(X), rtol=1e-6)


def test_constraints_on_explicit_axes_assert():
    with set_mesh(G.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)):
        z = G.device_put(X, P("x", "y"))
        assert str(G.typeof(G.jit(lambda z: G.lax.with_sharding_constraint(z, P("x", "y")))(z))) == "float32[8@x,16@y]"
        for wrap in (lambda f: f, G.jit):
            with pytest.raises(G.errors.ShardingTypeError) as caught:
                wrap(lambda z: G.lax.with_sharding_constraint(z, P("x", None)))(z)
            assert str(caught.value) == ("with_sharding_constraint of a value of type float32[8@x,16@y] to P('x', None): over explicit mesh axes it "
                                         "asserts what the type says already. Use gnomon.reshard to change the sharding.")


def test_shardings_given_to_jit(mesh):
    out = G.jit(lambda a: a * 2, out_shardings=NamedSharding(mesh, P("x")))(X)
    assert out.sharding.spec == P("x") and len(out.addressable_shards) == 8
    inside = G.jit(lambda a: a * 2, in_shardings=NamedSharding(mesh, P("x")))(X)
    np.testing.assert_array_equal(inside, X * 2)


def test_what_is_passed_through_is_put_where_asked():
    mesh = G.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    there = NamedSharding(mesh, P("x"))
    for f in (G.jit(lambda a: a, in_shardings=there), G.jit(lambda a: a, out_shardings=there),
              G.jit(lambda a: G.lax.with_sharding_constraint(a, there)), G.jit(lambda a: G.device_put(a, there)),
              G.jit(lambda a: G.lax.with_sharding_constraint(a * 2, there) / 2), G.jit(lambda: jnp.asarray(X), out_shardings=there)):
        out = f(X) if f.__wrapped__.__code__.co_argcount else f()
        assert out.sharding.is_equivalent_to(there, 2), f
        np.testing.assert_array_equal(out, X)
    both = G.jit(lambda a: (a, a * 2), out_shardings=(there, NamedSharding(mesh, P("y"))))(X)
    assert [o.sharding.spec for o in both] == [P("x"), P("y")]
    np.testing.assert_array_equal(both[0] * 2, both[1])
    text = "says that dimension 0 is partitioned 4 times, but the dimension size is 3"
    for asked in ({"in_shardings": there}, {"out_shardings": there}):
        for f in (lambda a: a, lambda a: a * 2):
            with pytest.raises(ValueError, match=text):
                G.jit(f, **asked)(X[:3])


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


def test_memory_spaces():
    host, device = G.memory.Space.Host, G.memory.Space.Device
    kept = G.device_put(X, host)
    assert kept.sharding.memory_kind == "pinned_host" and G.device_put(kept, device).sharding.memory_kind == "device"
    put = G.jit(lambda a: G.device_put(a * 2, host))(X)
    assert put.sharding.memory_kind == "pinned_host" and str(G.typeof(put)) == "float32<host>[8,16]"
    back = G.jit(lambda a: G.device_put(a, device) / 2)(put)
    assert back.sharding.memory_kind == "device"
    np.testing.assert_array_equal(back, X)
    np.testing.assert_array_equal(G.jit(G.grad(lambda a: (G.device_put(G.device_put(a, host), device) ** 2).sum()))(X), 2 * X)


def square_sum(row):
    return G.jit(lambda r: (jnp.sin(r) * r).sum())(row)


@pytest.mark.parametrize("lane, axes", [
    (G.jit(jnp.sin), ("x", None)),
    (G.checkpoint(lambda r: jnp.tanh(r) * 2), ("x", None)),
    (G.grad(square_sum), ("x", None)),
    (lambda r: G.lax.cond(r[0] > 0, lambda b: b * 2, jnp.cos, r), ("x", None)),
    (lambda r: G.lax.while_loop(lambda c: (c < 9).all(), lambda c: c + 1, r), ("x", None)),
    (lambda r: G.lax.scan(lambda c, b: (c + b, c * b), jnp.float32(0), r)[1], ("x", None)),
    (lambda r: jnp.ones((3, 16)) @ G.nn.softmax(r), ("x", None)),
    (lambda r: G.random.normal(G.random.key(3), (2,)) * r[:2], ("x", None)),
], ids=["jit", "checkpoint", "grad", "cond", "while", "scan", "matmul", "random"])
@pytest.mark.parametrize("wrap", [lambda f: f, G.jit], ids=["eager", "jit"])
def test_lanes_stay_where_the_mapped_axis_is_sharded(lane, axes, wrap):
    with set_mesh(G.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,))):
        out = wrap(G.vmap(lane))(G.device_put(X, P("x")))
        assert tuple(G.typeof(out).sharding.spec) == axes
        np.testing.assert_allclose(out, G.vmap(lane)(X), rtol=1e-5, atol=1e-6)


def test_axes_mapped_together_must_be_sharded_alike():
    with set_mesh(G.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,))):
        with pytest.raises(G.errors.ShardingTypeError) as caught:
            G.vmap(lambda a, b: a + b)(G.device_put(X, P("x")), X)
    assert str(caught.value) == ("vmap of <lambda> maps over axis 0 of argument a of type float32[8@x,16] and axis 0 of argument b of type "
                                 "float32[8,16], which are sharded differently. Reshard them alike (gnomon.reshard), or do not map over "
                                 "one of them.")


def test_device_put_takes_a_spec_on_the_mesh_in_force(mesh):
    out = G.device_put({"a": X, "b": W}, P("x"))
    assert out["a"].sharding == out["b"].sharding == NamedSharding(mesh, P("x"))
    assert G.device_put({"a": X, "b": W}, {"a": P("x"), "b": P(None, "y")})["b"].sharding.spec == P(None, "y")
    np.testing.assert_array_equal(out["a"], X)


def test_a_spec_needs_a_mesh():
    with pytest.raises(RuntimeError, match="device_put with a PartitionSpec needs a mesh in force. Use set_mesh, or give a NamedSharding."):
        G.device_put(X, P("x"))


def test_one_mesh_axis_splits_one_dimension_of_a_result():
    with set_mesh(G.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)):
        a, b = G.device_put(X, P("x")), G.device_put(X.T, P(None, "x"))
        with pytest.raises(G.errors.ShardingTypeError) as caught:
            a @ b
        assert str(caught.value) == ("dot_general of float32[8@x,16] and float32[16,8@x] would give a result sharded as P('x', 'x'), in which "
                                     "the mesh axis 'x' splits two dimensions. Reshard an operand (gnomon.reshard).")
        out = jnp.matmul(a, G.reshard(b, P()))
        assert tuple(G.typeof(out).sharding.spec) == ("x", None)
