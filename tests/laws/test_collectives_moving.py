"""Collectives that move data over a named axis of vmap, against NumPy on the whole array and against JAX."""
import numpy as np
import pytest

import gnomon as G
from gnomon import lax
from gnomon.sharding import PartitionSpec as P

X = np.random.default_rng(0).uniform(-2, 2, (4, 4, 2)).astype("f4")
GROUPS = [[0, 2], [3, 1]]

# what a collective does to the whole array, whose first dimension is the named axis
OVER_LANES = {
    "all_gather": (lambda x: lax.all_gather(x, "i"), lambda x: np.stack([x] * 4)),
    "all_gather axis": (lambda x: lax.all_gather(x, "i", axis=-1), lambda x: np.stack([np.moveaxis(x, 0, -1)] * 4)),
    "all_gather tiled": (lambda x: lax.all_gather(x, "i", axis=1, tiled=True), lambda x: np.stack([np.concatenate(x, 1)] * 4)),
    "all_gather groups": (lambda x: lax.all_gather(x, "i", axis_index_groups=GROUPS),
                          lambda x: np.stack([x[[0, 2]], x[[3, 1]], x[[0, 2]], x[[3, 1]]])),
    "psum groups": (lambda x: lax.psum(x, "i", axis_index_groups=GROUPS), lambda x: np.stack([x[0] + x[2], x[1] + x[3]] * 2)),
    "pmax groups": (lambda x: lax.pmax(x, "i", axis_index_groups=GROUPS),
                    lambda x: np.stack([np.maximum(x[0], x[2]), np.maximum(x[1], x[3])] * 2)),
    "pmean groups": (lambda x: lax.pmean(x, "i", axis_index_groups=GROUPS), lambda x: np.stack([x[0] + x[2], x[1] + x[3]] * 2) / 2),
    "psum_scatter": (lambda x: lax.psum_scatter(x, "i"), lambda x: x.sum(0)),
    "psum_scatter tiled": (lambda x: lax.psum_scatter(x, "i", tiled=True), lambda x: x.sum(0)[:, None]),
    "psum_scatter groups": (lambda x: lax.psum_scatter(x, "i", scatter_dimension=1, axis_index_groups=GROUPS),
                            lambda x: np.stack([(x[0] + x[2])[:, 0], (x[3] + x[1])[:, 1], (x[0] + x[2])[:, 1], (x[3] + x[1])[:, 0]])),
    "all_to_all": (lambda x: lax.all_to_all(x, "i", 0, 1), lambda x: x.transpose(1, 2, 0)),
    "all_to_all same": (lambda x: lax.all_to_all(x, "i", 0, 0), lambda x: x.transpose(1, 0, 2)),
    "all_to_all tiled": (lambda x: lax.all_to_all(x, "i", 0, 1, tiled=True), lambda x: x.transpose(1, 0, 2).reshape(4, 1, 8)),
    "all_to_all groups": (lambda x: lax.all_to_all(x, "i", 1, 0, axis_index_groups=GROUPS),
                          lambda x: np.stack([x[[0, 2], :, 0], x[[3, 1], :, 1], x[[0, 2], :, 1], x[[3, 1], :, 0]])),
    "pswapaxes": (lambda x: lax.pswapaxes(x, "i", 0), lambda x: x.transpose(1, 0, 2)),
    "psum_scatter_start": (lambda x: lax.psum_scatter_start(x, "i").done(), lambda x: x.sum(0)),
    "psend": (lambda x: lax.precv(G.jit(lambda x: lax.psend(x, "i", [(0, 3)]))(x), x, "i", [(0, 3)]),
              lambda x: np.stack([0 * x[0], 0 * x[0], 0 * x[0], x[0]])),
    "ppermute": (lambda x: lax.ppermute(x, "i", [(0, 3), (2, 1)]), lambda x: np.stack([0 * x[0], x[2], 0 * x[0], x[0]])),
    "pshuffle": (lambda x: lax.pshuffle(x, "i", [1, 2, 3, 0]), lambda x: x[[1, 2, 3, 0]]),
    "pbroadcast": (lambda x: lax.pbroadcast(x, "i", 2), lambda x: np.stack([x[2]] * 4)),
    "pbroadcast traced": (lambda x: G.jit(lambda x, i: lax.pbroadcast(x, "i", i))(x, np.int32(2)), lambda x: np.stack([x[2]] * 4)),
    "psum place": (lambda x: lax.psum(x, (0, "i")), lambda x: np.stack([x.sum((0, 1))] * 4)),
    "axis_size": (lambda x: x * lax.axis_size("i"), lambda x: x * 4),
}


@pytest.mark.parametrize("name", OVER_LANES)
def test_over_lanes(name):
    collective, whole = OVER_LANES[name]
    over_lanes = G.vmap(collective, axis_name="i")

    def weighted(x, weights):
        return (over_lanes(x) * weights).sum()
    got, want = over_lanes(X), whole(X)
    np.testing.assert_allclose(got, want, rtol=1e-6)
    np.testing.assert_allclose(G.jit(over_lanes)(X), want, rtol=1e-6)
    # an axis beside it, before and behind, and the gradient of a linear map: its transpose
    both = np.stack([X, 2 * X], 2)
    np.testing.assert_allclose(G.vmap(over_lanes, in_axes=2)(both), np.stack([want, whole(2 * X)]), rtol=1e-5)
    inner = G.vmap(G.vmap(collective, in_axes=1), axis_name="i")(both)
    np.testing.assert_allclose(inner, np.stack([want, whole(2 * X)], 1), rtol=1e-5)
    if "pmax" not in name:
        weights = np.random.default_rng(1).normal(size=want.shape).astype("f4")
        grad, direction = np.asarray(G.grad(weighted)(X, weights)), np.random.default_rng(2).normal(size=X.shape).astype("f4")
        np.testing.assert_allclose((grad * direction).sum(), (whole(direction) * weights).sum(), rtol=2e-4, atol=1e-4)


def test_several_axes():
    def f(x):
        return lax.all_gather(x, ("i", "j")), lax.psum_scatter(lax.all_gather(x, ("j", "i")), ("i", "j"))
    gathered, scattered = G.vmap(G.vmap(f, axis_name="j"), axis_name="i")(X[:, :3])
    np.testing.assert_allclose(gathered, np.broadcast_to(X[:, :3].reshape(12, 2), (4, 3, 12, 2)))
    np.testing.assert_allclose(scattered, 12 * X[:, :3].transpose(1, 0, 2).reshape(4, 3, 2), rtol=1e-6)
    with pytest.raises(G.errors.Refused, match="all_to_all with axis_index_groups, or over several axes of which vmap has one, is there"):
        G.vmap(G.vmap(lambda x: lax.all_to_all(x, ("i", "j"), 0, 0), axis_name="j"), axis_name="i")(np.zeros((2, 2, 4), "f4"))


def test_trees_and_numbers():
    got = G.vmap(lambda x: lax.all_gather({"a": x, "b": (x * 2,)}, "i"), axis_name="i")(X[:, 0, 0])
    np.testing.assert_allclose(got["b"][0][1], 2 * X[:, 0, 0])
    assert G.vmap(lambda x: x * 0 + lax.psum(1, "i", axis_index_groups=GROUPS), axis_name="i")(X[:, 0, 0]).tolist() == [2.0] * 4


def test_ragged_all_to_all():
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 3, (4, 4)).astype("i4")                # from row to column
    inputs = np.cumsum(sizes, 1, dtype="i4") - sizes
    outputs = np.cumsum(sizes, 0, dtype="i4") - sizes
    x, out = rng.normal(size=(4, 8, 2)).astype("f4"), rng.normal(size=(4, 9, 2)).astype("f4")

    def by_loop(x, out):
        out = out.copy()
        for i in range(4):
            for j in range(4):
                out[j, outputs[i, j]:outputs[i, j] + sizes[i, j]] = x[i, inputs[i, j]:inputs[i, j] + sizes[i, j]]
        return out

    def send(x, out, *vectors):
        return lax.ragged_all_to_all(x, out, *vectors, axis_name="i")
    over_lanes = G.vmap(send, axis_name="i")
    want, given = by_loop(x, out), (inputs, sizes, outputs, sizes.T)
    np.testing.assert_allclose(over_lanes(x, out, *given), want)
    on_devices = G.shard_map(lambda *args: send(*[a[0] for a in args])[None], mesh=G.make_mesh((4,), ("i",)), in_specs=P("i"), out_specs=P("i"))
    np.testing.assert_allclose(on_devices(x, out, *given), want)
    for f in (over_lanes, on_devices):
        grads = G.grad(lambda x, out: (f(x, out, *given) * want).sum(), (0, 1))(x, out)
        direction = np.cos(x), np.sin(out)
        np.testing.assert_allclose(sum((g * d).sum() for g, d in zip(grads, direction)), (by_loop(*direction) * want).sum(), rtol=1e-4)
    with pytest.raises(ValueError, match=r"ragged_all_to_all needs send_sizes to be 4 integers, one for each position of 'i', got float32\[4\]"):
        over_lanes(x, out, inputs, sizes.astype("f4"), outputs, sizes)


ERRORS = {
    "unbound axis name: j in a call of all_gather. The named axes in scope are: 'i'. Name one with vmap's axis_name, or call it under "
    "shard_map on a mesh that has it.": lambda x: lax.all_gather(x, "j"),
    "unbound axis name: j in a call of ppermute. The named axes in scope are: 'i'. Name one with vmap's axis_name, or call it under "
    "shard_map on a mesh that has it.": lambda x: lax.ppermute(x, "j", [(0, 1)]),
    "ppermute sources and destinations must be unique and within the axis 'i' of size 4, but the destinations are [1, 1].":
        lambda x: lax.ppermute(x, "i", [(0, 1), (2, 1)]),
    "pshuffle: `perm` does not represent a permutation of the axis 'i': [1, 2, 3]": lambda x: lax.pshuffle(x, "i", [1, 2, 3]),
    "pbroadcast: source 7 is not a position of the axis 'i' of size 4.": lambda x: lax.pbroadcast(x, "i", 7),
    "all_to_all requires the size of the mapped axis axis_name to equal x.shape[split_axis], but they are 4 and 2 respectively.":
        lambda x: lax.all_to_all(x, "i", 1, 0),
    "The size of all_to_all split_axis (2) has to be divisible by the size of the named axis i (4)":
        lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True),
    "reduce_scatter operand scatter dimension size 2 must match shard count 4": lambda x: lax.psum_scatter(x, "i", scatter_dimension=1),
    "tiled reduce_scatter operand scatter dimension size 2 must be divisible by shard_count 4":
        lambda x: lax.psum_scatter(x, "i", scatter_dimension=1, tiled=True),
    "psum: axis_index_groups must hold each index of the axis, 0 to 3, once, got [[0, 1]].":
        lambda x: lax.psum(x, "i", axis_index_groups=[[0, 1]]),
    "psum: the groups of axis_index_groups must have the same size, got [[0, 1, 2], [3]].":
        lambda x: lax.psum(x, "i", axis_index_groups=[[0, 1, 2], [3]]),
    "pcast is for manual axes of shard_map(check_vma=True), and 'i' is none here.": lambda x: lax.pcast(x, "i", to="varying"),
    "all_gather: axis=3 is not a dimension of a value with 3 of them.": lambda x: lax.all_gather(x, "i", axis=3),
    "precv takes what psend gave as its token, got 3.": lambda x: lax.precv(3, x, "i", [(0, 1)]),
    "precv receives over the axis 'i' by ((1, 0),) what psend sent over 'i' by ((0, 1),); they must agree.":
        lambda x: lax.precv(lax.psend(x, "i", [(0, 1)]), x, "i", [(1, 0)]),
    "precv expects float32[4], and psend sent a value of type float32[4,2].": lambda x: lax.precv(lax.psend(x, "i", [(0, 1)]), x[:, 0], "i", [(0, 1)]),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message):
    with pytest.raises((NameError, ValueError, TypeError, NotImplementedError)) as error:
        G.vmap(ERRORS[message], axis_name="i")(X)
    assert str(error.value) == message


@pytest.mark.peer
def test_values_and_gradients_are_those_of_the_peer(peer):
    for name, (collective, _) in OVER_LANES.items():
        if "groups" in name or name in ("pbroadcast", "pbroadcast traced", "ppermute", "psum place", "psend", "psum_scatter_start"):
            continue            # what the peer does not do under vmap

        def of(m, f):
            return lambda x: (m.vmap(f, axis_name="i")(x) ** 2).sum()
        theirs = eval_with(peer, collective)
        np.testing.assert_allclose(G.vmap(collective, axis_name="i")(X), peer.vmap(theirs, axis_name="i")(X), rtol=1e-6, err_msg=name)
        np.testing.assert_allclose(G.grad(of(G, collective))(X), peer.grad(of(peer, theirs))(X), rtol=1e-5, err_msg=name)


def eval_with(peer, collective):
    """The function with the peer's `lax` in place of ours."""
    return type(collective)(collective.__code__, {**collective.__globals__, "lax": peer.lax}, collective.__name__, None, collective.__closure__)
