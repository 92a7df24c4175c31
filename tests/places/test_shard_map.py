"""shard_map over eight devices: against a plain computation on the whole arrays, and against JAX's values and programs."""
import functools

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.experimental.shard_map import shard_map as older_shard_map
from gnomon.sharding import AxisType, NamedSharding, PartitionSpec as P

X = np.arange(16, dtype="f4").reshape(8, 2)
W = np.array([3.0, 2.0], "f4")


@pytest.fixture(scope="module")
def mesh():
    return G.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


@pytest.fixture
def on(mesh):
    """shard_map on the mesh: `on(f, in_specs, out_specs, ...)`."""
    return lambda f, i, o, **options: G.shard_map(f, mesh=mesh, in_specs=i, out_specs=o, **options)


def agree(got, want, **tolerance):
    for a, b in zip(G.tree.leaves(got), G.tree.leaves(want), strict=True):
        np.testing.assert_allclose(a, b, **{"rtol": 1e-5, **tolerance})


# ---- values ----------------------------------------------------------------------------------------------------------

COLLECTIVES = {
    "psum": lambda x: lax.psum(x, "x"),
    "both": lambda x: lax.psum(x.sum(), ("x", "y")),
    "twice": lambda x: lax.psum(lax.psum(x, "x"), "x"),
    "pmax": lambda x: lax.pmax(x, "x"),
    "pmin": lambda x: lax.pmin(x, "x"),
    "pmean": lambda x: lax.pmean(x, "x"),
    "all_gather": lambda x: lax.pmax(lax.all_gather(x, "x"), "x"),
    "tiled": lambda x: lax.pmax(lax.all_gather(x, "x", axis=1, tiled=True), "x"),
    "all_gather_invariant": lambda x: lax.all_gather(x, "x", tiled=True, to="invarying"),
    "reduce_scatter": lambda x: lax.psum_scatter(lax.all_gather(x, "x"), "x"),
    "all_to_all": lambda x: lax.all_to_all(lax.all_gather(x, "x"), "x", 0, 1),
    "ppermute": lambda x: lax.ppermute(x, "x", [(0, 1), (3, 0)]),
    "pbroadcast": lambda x: lax.pmax(lax.pbroadcast(x, "x", 2), "x"),
    "index": lambda x: lax.axis_index(("x", "y"))[None],
    "pvary": lambda x: lax.pcast(lax.psum(x, "x"), "x", to="varying"),
}


def everything(x, names=tuple(COLLECTIVES)):
    return {name: COLLECTIVES[name](x) for name in names}


OUT_SPECS = {name: P("x", "y") for name in ("reduce_scatter", "ppermute", "pvary")} | {"index": P(("x", "y")), "both": P()} \
    | {"all_gather": P(None, None, "y"), "all_to_all": P("x", None, "y"), "tiled": P(None, "y")} \
    | {name: P(None, "y") for name in ("psum", "twice", "pmax", "pmin", "pmean", "pbroadcast", "all_gather_invariant")}


def wanted(x):
    parts = x.reshape(4, 2, 2)
    return {
        "psum": parts.sum(0), "both": x.sum(), "twice": 4 * parts.sum(0), "pmax": parts.max(0), "pmin": parts.min(0), "pmean": parts.mean(0),
        "all_gather": parts, "tiled": np.concatenate([np.concatenate([p[:, j:j + 1] for p in parts], 1) for j in (0, 1)], 1),
        "all_gather_invariant": x, "reduce_scatter": (4 * x), "all_to_all": np.concatenate([np.stack([p] * 4, 1) for p in parts]),
        "ppermute": np.concatenate([parts[3], parts[0], 0 * parts[0], 0 * parts[0]]), "pbroadcast": parts[2],
        "index": np.arange(8), "pvary": np.tile(parts.sum(0), (4, 1)),
    }


def test_collectives(on):
    f = on(everything, P("x", "y"), OUT_SPECS)
    want = wanted(X)
    for got in (f(X), G.jit(f)(X)):
        for name in want:
            np.testing.assert_allclose(got[name], want[name], err_msg=name)
    assert got["psum"].sharding.spec == P(None, "y") and got["pvary"].sharding.spec == P("x", "y")


def test_what_is_summed_no_longer_varies(on):
    text = str(G.make_jaxpr(on(lambda x: lax.psum(x, "x") * x, P("x"), P("x")))(X))
    summed = next(line for line in text.splitlines() if "psum_invariant" in line)
    assert "f32[2,2] = psum_invariant" in summed and "{V:x}" not in summed.split("=")[0]
    assert "f32[2,2]{V:x} = pvary" in text and "f32[2,2]{V:x} = mul" in text


def test_gradients_are_those_of_the_whole_computation(on):
    def loss(w, x):
        return lax.pmean(jnp.sin(x * w).sum(1).mean(), "x")

    def whole(w, x):
        return jnp.sin(x * w).sum(1).mean()
    for options in ({}, {"check_vma": False}):
        f = on(loss, (P(), P("x")), P(), **options)
        agree(G.grad(f, (0, 1))(W, X), G.grad(whole, (0, 1))(W, X), atol=1e-6)
        agree(G.jit(G.hessian(f))(W, X), G.hessian(whole)(W, X), atol=1e-5)
        agree(G.jvp(f, (W, X), (W, X)), G.jvp(whole, (W, X), (W, X)), atol=1e-5)
    # with respect to a value that is closed over, through a checkpoint around and inside, and with the psum of a cotangent
    agree(G.grad(lambda w: on(lambda x: loss(w, x), P("x"), P())(X))(W), G.grad(whole)(W, X), atol=1e-6)
    f = G.checkpoint(on(G.checkpoint(loss), (P(), P("x")), P()))
    agree(G.grad(f)(W, X), G.grad(whole)(W, X), atol=1e-6)


def test_the_transpose_of_each_collective(on):
    weights = {name: np.cos(np.arange(np.size(v))).reshape(np.shape(v)).astype("f4") for name, v in wanted(X).items()}
    linear = [n for n in weights if n not in ("pmax", "pmin", "all_gather", "tiled", "index", "pbroadcast")]

    def weighted(x):
        f = on(lambda x: everything(x, linear), P("x", "y"), {n: OUT_SPECS[n] for n in linear})
        return sum((weights[n] * v).sum() for n, v in f(x).items())
    grad, direction = np.asarray(G.jit(G.grad(weighted))(X)), np.sin(X).astype("f4")
    np.testing.assert_allclose((grad * direction).sum(), sum((weights[n] * wanted(direction)[n]).sum() for n in linear), rtol=1e-5)


def test_gradients_inside(on):
    """A gradient inside is that of one device for a value that varies, and of all for one that they have in common."""
    def each(w, x):
        return G.grad(lambda w: ((w * x) ** 2).sum())(w), G.grad(lambda w: ((w * x) ** 2).sum())(lax.pcast(w, "x", to="varying"))[None]
    common, own = on(each, (P(), P("x")), (P(), P("x")))(W, X)
    want = (2 * W * X ** 2).reshape(4, 2, 2).sum(1)
    agree((common, own), (want.sum(0), want))


def test_control_flow(on):
    """Carries and results come to vary where what they are made of does."""
    def f(x):
        total, steps = lax.scan(lambda c, a: (c + a, c), jnp.zeros(2), x)
        doubled = lax.while_loop(lambda n: n < x.sum(), lambda n: n * 2, 1.0)
        chosen = lax.cond(x.sum() > 20, lambda: 1.0, lambda: 2.0)
        summed = lax.fori_loop(0, 3, lambda i, c: c + x, jnp.zeros((2, 2)))
        return total, steps, doubled[None], chosen[None], summed, G.jit(lambda z: lax.psum(jnp.sin(z), "x"))(x)
    parts = X.reshape(4, 2, 2)
    sums = parts.sum((1, 2))
    want = (parts.sum(1).ravel(), np.stack([0 * parts[:, 0], parts[:, 0]], 1).reshape(8, 2), 2 ** np.ceil(np.log2(sums)),
            np.where(sums > 20, 1.0, 2.0), 3 * X, np.sin(parts).sum(0))
    agree(on(f, P("x"), (P("x"),) * 5 + (P(),))(X), want, atol=1e-5)
    with pytest.raises(ValueError, match=r"its type is float32\[\]\{V:x\}: it varies over the axis 'x'"):
        on(lambda x: lax.cond(x.sum() > 20, lambda: 1.0, lambda: 2.0), P("x"), P())(X)


def test_gradient_of_a_choice_that_devices_make_differently(on):
    """The sum of cotangents over devices stands in each branch, and all devices have to take part in it."""
    def f(w, x):
        return lax.psum(lax.cond(x.sum() > 20, lambda: (w * x).sum(), lambda: (w * w * x).sum() / 2), "x")
    want = sum(p.sum(0) if p.sum() > 20 else W * p.sum(0) for p in X.reshape(4, 2, 2))
    agree(G.grad(on(f, (P(), P("x")), P()))(W, X), want)


def test_custom_rules(on):
    @G.custom_vjp
    def f(w, x):
        return lax.psum((w * x).sum(), "x")
    f.defvjp(lambda w, x: (f(w, x), (w, x)), lambda r, ct: (ct * r[1].sum(0), ct * r[0] + 0 * r[1]))

    @G.custom_jvp
    def g(x):
        return jnp.sin(x)
    g.defjvp(lambda p, t: (g(p[0]), jnp.cos(p[0]) * t[0]))
    grads = G.grad(on(lambda w, x: f(w, g(x)), (P(), P("x")), P()), (0, 1))(W, X)
    agree(grads, (np.sin(X).sum(0), W * np.cos(X)), atol=1e-5)


def test_vmap(on):
    f = on(lambda x: lax.psum(x.sum(), "x"), P("x"), P())
    agree(G.vmap(f, in_axes=1)(X), X.sum(0))
    agree(G.vmap(f, in_axes=1, spmd_axis_name="y")(X), X.sum(0))
    agree(G.grad(lambda x: (G.vmap(f, in_axes=1)(x) ** 2).sum())(X), np.tile(2 * X.sum(0), (8, 1)))
    both = on(lambda x: G.vmap(lambda r: lax.psum(r, ("x", "i")), axis_name="i")(x), P("x"), P())
    agree(both(X), np.tile(X.sum(0), (2, 1)))
    outside = G.vmap(lambda x: on(lambda x: lax.psum(x, ("x", "i")), P("x"), P())(x), axis_name="i", in_axes=1)
    agree(outside(X), np.tile(X.reshape(4, 2, 2).sum((0, 2)), (2, 1)))


def test_functions_that_make_values_of_their_own(on):
    """Initial carries, indices, fill values and rules that do not vary meet parts that do."""
    def newton(f, z):
        return lax.fori_loop(0, 20, lambda i, z: z - f(z) / G.grad(f)(z), z)

    def f(x):
        found = [
            lax.reduce(x, 1.0, lambda a, b: a * b + a + b, (0,)), jnp.searchsorted(jnp.arange(4.0), x.ravel()) * 1.0,
            jnp.interp(x, jnp.arange(4.0), jnp.arange(4.0) ** 2), G.grad(lambda x: jnp.linalg.inv(x + jnp.eye(2)).sum())(x),
            lax.custom_root(lambda z: z ** 2 - x.sum(), 1.0, newton, lambda g, y: y / g(1.0)),
            G.jvp(lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x.sum()), (0, 1.0))[1], (x,), (x,))[1],
            G.grad(lambda x: lax.scan(G.checkpoint(lambda c, a: (jnp.sin(c * a) + W, c.sum())), jnp.zeros(2), x)[1].sum())(x),
            G.hessian(lambda r: (jnp.tanh(r) * W).sum())(x[0]), jnp.zeros(4).at[x[:, 0].astype(int)].add(W), jnp.stack([x[0], W]),
            lax.switch(x[0, 0].astype(int) % 2, [lambda: x, lambda: x + W]), lax.map(lambda r: r * 2 + W, x), jnp.quantile(x, jnp.array([0.2, 0.5])),
        ]
        return jnp.concatenate([v.ravel() for v in found])
    parts = X[:4] / 4 + 0.3
    got = G.shard_map(f, mesh=G.make_mesh((2,), ("x",)), in_specs=P("x"), out_specs=P("x"))(parts)
    one = G.jit(f)
    agree(got, np.concatenate([one(parts[:2]), one(parts[2:])]), rtol=1e-4, atol=1e-5)


def test_some_axes(on):
    def f(x):
        return lax.psum(x @ x.T, "x"), lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)]) + lax.axis_index("x")
    wide = np.arange(64, dtype="f4").reshape(8, 8)
    got = on(f, P(None, "x"), (P(), P(None, "x")), axis_names={"x"})(wide)
    agree(got, (wide @ wide.T, np.roll(wide, 2, 1) + np.repeat(np.arange(4), 2)))
    inner = functools.partial(G.shard_map, in_specs=P(None, "y"), out_specs=P(), axis_names={"y"})
    nested = on(lambda x: lax.psum(inner(lambda z: lax.psum(z * x.sum(), "y"))(x), "x"), P("x"), P(), axis_names={"x"})
    parts = X.reshape(4, 2, 2)
    agree(nested(X), sum(p.sum() * p.sum(1, keepdims=True) for p in parts))
    agree(older_shard_map(lambda x: lax.psum(x, "x"), G.make_mesh((4, 2), ("x", "y")), P("x"), P(), auto={"y"})(X), parts.sum(0))


def test_unchecked(on):
    f = on(lambda x: lax.psum(x, "x", axis_index_groups=[[0, 1], [2, 3]]), P("x"), P("x"), check_vma=False)
    parts = X.reshape(4, 2, 2)
    agree(f(X), np.concatenate([parts[0] + parts[1]] * 2 + [parts[2] + parts[3]] * 2))
    assert "{V:" not in str(G.make_jaxpr(f)(X))


def test_keys_callbacks_and_linear_algebra(on):
    def f(keys, x):
        called = G.pure_callback(np.sin, G.ShapeDtypeStruct(x.shape, x.dtype), x)
        return G.random.normal(keys[0], (2,)), called, jnp.linalg.solve(x @ x.T + jnp.eye(2), jnp.ones(2)), jnp.argsort(-x, 0), keys
    keys = G.random.split(G.random.key(0), 4)
    drawn, called, solved, order, back = on(f, P("x"), P("x"))(keys, X)
    agree(drawn, np.concatenate([G.random.normal(k, (2,)) for k in keys]))
    agree(called, np.sin(X))
    agree(solved, np.concatenate([np.linalg.solve(p @ p.T + np.eye(2), np.ones(2)) for p in X.reshape(4, 2, 2)]), rtol=1e-4)
    assert np.asarray(order).tolist() == [[1, 1], [0, 0]] * 4
    assert np.array_equal(G.random.key_data(back), G.random.key_data(keys))


def test_products_and_references(on):
    """What plans its ops from types, and what writes to references made inside."""
    def loss(w, x):
        ref = G.new_ref(x * 2)
        ref[0] = ref[1]
        return lax.pmean((G.nn.log_softmax(x @ w) * G.nn.one_hot(jnp.array([0, 1]), 3)).sum() + jnp.einsum("ij,jk->", ref[...], w), "x")

    def whole(w):
        total = 0
        for x in X.reshape(4, 2, 2):
            total += (G.nn.log_softmax(x @ w) * np.eye(2, 3, dtype="f4")).sum() + 2 * jnp.einsum("ij,jk->", x[[1, 1]], w)
        return total / 4
    w = np.sin(np.arange(6, dtype="f4")).reshape(2, 3)
    f = on(loss, (P(), P("x")), P())
    agree((f(w, X), G.grad(f)(w, X)), (whole(w), G.grad(whole)(w)), rtol=1e-4)
    outside = G.new_ref(jnp.zeros(2))
    with pytest.raises(G.errors.Refused, match="add under shard_map uses a mutable reference from outside; pass its value, and return the new one"):
        def add(x):
            return x + outside[...]
        G.jit(on(add, P("x"), P("x")))(X)


def test_one_device():
    single = G.make_mesh((1,), ("z",))
    f = G.shard_map(lambda x: lax.psum(x.sum() + lax.axis_index("z"), "z"), mesh=single, in_specs=P("z"), out_specs=P())
    agree((f(X), G.jit(f)(X), G.grad(f)(X)), (X.sum(), X.sum(), np.ones_like(X)))


def test_explicit_axes():
    explicit = G.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    x = G.device_put(X, NamedSharding(explicit, P("x")))
    with G.set_mesh(explicit):
        f = G.shard_map(lambda x: (x * 2, lax.psum(x, "x")), out_specs=(P("x"), P()))
        assert [str(t) for t in G.tree.map(G.typeof, G.jit(f)(x))] == ["float32[8@x,2]", "float32[2,2]"]
        agree(f(x), (2 * X, X.reshape(4, 2, 2).sum(0)))
        agree(G.smap(lambda x: x + lax.axis_index("x"), in_axes=0, out_axes=0, axis_name="x")(x), X + np.repeat(np.arange(4), 2)[:, None])
        with pytest.raises(ValueError) as error:
            G.shard_map(lambda x: x, in_specs=P("y"), out_specs=P("y"))(x)
    assert str(error.value) == ("shard_map of <lambda>: in_specs has P('y',) for the argument x of type float32[8@x,2], whose dimension 0 is "
                                "sharded over ('x',). Leave in_specs out, or reshard the argument first.")


def test_a_decorator_and_the_mesh_in_force(mesh):
    @functools.partial(G.shard_map, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})
    def f(x):
        return x + G.typeof(x).shape[0]
    with G.set_mesh(mesh):
        agree(f(X), X + 2)
        with pytest.raises(ValueError) as error:
            G.shard_map(lambda x: x, out_specs=P("x"))(X)
    assert str(error.value) == ("shard_map of <lambda> needs in_specs: the arguments' types say how they are sharded on Explicit axes only, and "
                                "the axes 'x', 'y' of the mesh Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)) is not one.")


# ---- errors ----------------------------------------------------------------------------------------------------------

def same(x):
    return x


ERRORS = {
    "shard_map of same: in_specs cuts dimension 0 of the argument x of type float32[6,2] over the axis 'x' of size 4 (P('x',)), but 4 does not "
    "evenly divide 6. Pad the argument, or use another spec.": (same, P("x"), P("x"), X[:6]),
    "shard_map of same: in_specs has P('x', None, 'y'), with 3 entries, for the argument x of type float32[8,2], which has 2 dimensions. Give at "
    "most one entry a dimension.": (same, P("x", None, "y"), P(), X),
    "shard_map of same: in_specs has P('z',), but 'z' is not an axis of the mesh Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)); its axes are "
    "('x', 'y').": (same, P("z"), P(), X),
    "shard_map of same: out_specs has P('z',), but 'z' is not an axis of the mesh Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)); its axes are "
    "('x', 'y').": (same, P("x"), P("z"), X),
    "shard_map: out_specs has P() for the output of same, which says that it is the same along the axis 'x', but its type is float32[2,2]{V:x}: "
    "it varies over the axis 'x'. Sum it (lax.psum), name the axis in out_specs, or pass check_vma=False if it is known to be the same.":
        (same, P("x"), P(), X),
    "shard_map: out_specs has P('x',), with 1 entries, for the output of total of type float32[]{V:x}, which has 0 dimensions. Give at most one "
    "entry a dimension, and a result without dimensions one (x[None]).": (lambda x: x.sum(), P("x"), P("x"), X),
    "unbound axis name: z in a call of psum. The named axes in scope are: 'x', 'y'. Name one with vmap's axis_name, or call it under shard_map "
    "on a mesh that has it.": (lambda x: lax.psum(x, "z"), P("x"), P(), X),
    "shard_map in_specs must have the structure of the arguments or be a prefix of it; at the root there is a tuple of 1 in the arguments and a "
    "tuple of 2 in in_specs; give a tuple with 1 entry.": (same, (P("x"), P()), P("x"), X),
    "shard_map in_specs must be PartitionSpecs or a tree of them, but in_specs[0] is of type str: 'x'.": (same, ("x",), P("x"), X),
    "pvary got a value of type float32[2,2]{V:x}, which varies over ['x'] already.": (lambda x: lax.pcast(x, "x", to="varying"), P("x"), P("x"), X),
    "with_sharding_constraint got P('x',) inside a shard_map over 'x', 'y', where each device has its own part along 'x'. Name other axes of the "
    "mesh only, or leave it out.": (lambda x: lax.with_sharding_constraint(
        x, NamedSharding(G.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2), P("x"))), P("x"), P("x"), X),
    "psum with axis_index_groups leaves a value that varies between groups, which types cannot say; use shard_map(check_vma=False), or a mesh "
    "with one axis more": (lambda x: lax.psum(x, "x", axis_index_groups=[[0, 1], [2, 3]]), P("x"), P("x"), X),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(on, message):
    f, in_specs, out_specs, x = ERRORS[message]
    if f is not same and "total" in message:
        f.__name__ = f.__qualname__ = "total"
    with pytest.raises((ValueError, TypeError, NameError, NotImplementedError)) as error:
        on(f, in_specs, out_specs)(x)
    assert str(error.value) == message


def test_errors_of_the_mesh(on):
    with pytest.raises(ValueError, match="shard_map needs a mesh: pass mesh=, or set one with set_mesh."):
        G.shard_map(same, in_specs=P(), out_specs=P())(X)
    with pytest.raises(ValueError, match="axis_names has 'z', which is not an axis of the mesh"):
        on(same, P(), P(), axis_names={"z"})(X)
    with pytest.raises(ValueError, match="in_specs has P.'y',., but it does not run over the axis 'y'; it runs over .'x'.. Specs name those"):
        on(same, P("y"), P(), axis_names={"x"})(X)
    with pytest.raises(TypeError) as error:
        on(lambda x, y: x + y, P("x"), P("x"))(X, y=X)
    assert str(error.value) == ("shard_map of <lambda> takes arguments by position, since in_specs are for those, got y by name. Pass it by position, "
                                "or bind it with functools.partial.")
    abstract = G.shard_map(lambda x: lax.psum(x, "x"), mesh=G.sharding.AbstractMesh((4, 2), ("x", "y")), in_specs=P("x"), out_specs=P())
    agree(G.jit(abstract)(G.device_put(X, NamedSharding(G.make_mesh((4, 2), ("x", "y")), P("x")))), X.reshape(4, 2, 2).sum(0))
    with pytest.raises(ValueError) as error:
        abstract(X)
    assert str(error.value) == ("shard_map over AbstractMesh('x': 4, 'y': 2, axis_types=(Auto, Auto)), of 8 devices, cannot run where its arguments "
                                "are, on 1. Give it a Mesh, which has devices, or place the arguments on one with device_put.")
    other = G.make_mesh((8,), ("a",))
    with pytest.raises(ValueError, match="shard_map inside another must use the same mesh"):
        on(lambda x: G.shard_map(same, mesh=other, in_specs=P(), out_specs=P())(x), P("x"), P("x"))(X)
    with pytest.raises(ValueError, match="received incompatible devices"):
        on(same, P("x"), P("x"))(G.device_put(X, G.devices()[3]))


# ---- the peer --------------------------------------------------------------------------------------------------------

def programs(m, mesh, P, lax, jnp):
    """Functions whose programs are to be the same here and there."""
    def on(f, i, o, **options):
        return m.shard_map(f, mesh=mesh, in_specs=i, out_specs=o, **options)
    w = jnp.ones(2, "float32")
    return {
        "product": on(lambda x: x * 2, P("x", "y"), P("x", "y")),
        "closed over": on(lambda x: lax.psum(x * w[:1], "x"), P("x", "y"), P(None, "y")),
        "twice": on(lambda x: lax.psum(lax.psum(x.sum(), "x"), "x"), P("x"), P()),
        "pmean": on(lambda x: lax.pmean(x, "x"), P("x"), P()),
        "pmax": on(lambda x: lax.pmax(x, "x"), P("x"), P()),
        "all_gather": on(lambda x: lax.all_gather(x, "x", tiled=True, axis=1), P("x"), P("x")),
        "psum_scatter": on(lambda x: lax.psum_scatter(x, "x", tiled=True), P(None), P("x")),
        "all_to_all": on(lambda x: lax.all_to_all(x, "x", 0, 1, tiled=True), P(None), P("x")),
        "ppermute": on(lambda x: lax.ppermute(x, "x", [(0, 1), (1, 2)]), P("x"), P("x")),
        "axis_index": on(lambda x: x + lax.axis_index("x").astype("float32"), P("x"), P("x")),
        "pcast": on(lambda x: lax.pcast(x, "y", to="varying"), P("x"), P("x", "y")),
        "some axes": on(lambda x: x, P("x"), P("x"), axis_names={"x"}),
        "unchecked": on(lambda x: lax.psum(x, "x"), P("x"), P(), check_vma=False),
    }


def lines(jaxpr):
    """A program's text without its layout and the space behind constants; the peer prints a set in an order of its own."""
    text = " ".join(str(jaxpr).replace(" ;", ";").split()).replace("[ ", "[").replace(" ]", "]")
    return text.replace("frozenset({'y', 'x'})", "frozenset({'x', 'y'})")


@pytest.mark.peer
def test_programs_and_values_are_those_of_the_peer(peer, mesh):
    there = peer.make_mesh((4, 2), ("x", "y"), axis_types=(peer.sharding.AxisType.Auto,) * 2)
    theirs = programs(peer, there, peer.sharding.PartitionSpec, peer.lax, peer.numpy)
    for name, ours in programs(G, mesh, P, lax, jnp).items():
        if peer.__version__.startswith("0.10."):       # JAX 0.12 writes numbers of a region as arrays that it converts there
            assert lines(G.make_jaxpr(ours)(X)) == lines(peer.make_jaxpr(theirs[name])(X)), name
        agree(ours(X), theirs[name](X))

        def loss(f):
            return lambda x: (f(x) ** 2).sum()
        if name != "pmax":
            agree(G.grad(loss(ours))(X), peer.grad(loss(theirs[name]))(X))
