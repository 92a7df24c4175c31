"""Sorting and searching against NumPy."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.numpy import sorting
from gnomon.ops.sorting import MANY
from gnomon.trace.stage import value_of
from gnomon.types.dtype import bfloat16

RUNS = [lambda f, *args: f(*map(value_of, args)), lambda f, *args: G.jit(f)(*args)]
RNG = np.random.RandomState(0)
DTYPES = [bool, "int8", "uint8", "int32", "uint32", "float16", bfloat16, "float32"]


def some(dtype, *shape):
    return np.asarray(RNG.randint(0, 9, shape)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_sort(dtype, axis):
    x = some(dtype, 3, 5)
    as_float = x.astype("float64")
    order = np.argsort(as_float, axis, kind="stable")
    backwards = np.argsort(-as_float, axis, kind="stable")
    flat = x.ravel() if axis is None else x
    for run in RUNS:
        np.testing.assert_array_equal(run(lambda x: sorting.sort(x, axis), x),
                                      np.take_along_axis(flat, order, axis or 0))
        np.testing.assert_array_equal(run(lambda x: sorting.argsort(x, axis), x), order)
        np.testing.assert_array_equal(run(lambda x: sorting.argsort(x, axis, descending=True), x), backwards)
        np.testing.assert_array_equal(run(lambda x: sorting.sort(x, axis, descending=True), x),
                                      np.take_along_axis(flat, backwards, axis or 0))
    np.testing.assert_array_equal(np.asarray(sorting.partition(x, 2)).astype(float), np.sort(as_float))


def test_sort_edges():
    x = np.float32([3, np.nan, -np.inf, 2, np.inf, -0.0, 0.0])
    np.testing.assert_array_equal(sorting.sort(x), np.sort(x))
    np.testing.assert_array_equal(sorting.argsort(x), np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(sorting.sort(np.complex64([1 + 2j, 1 + 1j, 0])), [0, 1 + 1j, 1 + 2j])
    assert sorting.sort(np.zeros((0, 3), np.float32), 0).shape == (0, 3)
    assert sorting.sort_complex(np.array([2, 1])).dtype == np.complex64
    with pytest.raises(ValueError, match="axis -1, which is out of bounds for an array of dimension 0"):
        sorting.sort(np.float32(1))
    with pytest.raises(TypeError, match="'kind' argument to sort is not supported"):
        sorting.sort(x, kind="stable")
    with pytest.raises(ValueError, match="kth 20"):
        sorting.partition(x, 20)
    assert sorting.sort(np.float32(1), None).shape == (1,)


def test_gradient_of_sort():
    g = G.grad(lambda x: (sorting.sort(x) * np.float32([1, 2, 3])).sum())(value_of(np.float32([5, 1, 3])))
    np.testing.assert_array_equal(g, [3, 1, 2])


def test_lexsort():
    keys = some("int32", 3, 8) % 3
    for run in RUNS:
        np.testing.assert_array_equal(run(lambda *k: sorting.lexsort(k), *keys), np.lexsort(keys))
        np.testing.assert_array_equal(run(sorting.lexsort, keys), np.lexsort(keys))
    assert sorting.lexsort(np.array([1, 1, 0])).tolist() == 0
    with pytest.raises(TypeError, match="need sequence of keys"):
        sorting.lexsort(())


def test_top_k():
    x = some("float32", 3, 7)
    for run in RUNS:
        values, found = run(lambda x: sorting.top_k(x, 3), x)
        np.testing.assert_array_equal(values, -np.sort(-x)[:, :3])
        np.testing.assert_array_equal(np.take_along_axis(x, np.asarray(found), 1), values)
        values, found = run(lambda x: sorting.top_k(x, 2, axis=0, mode="smallest"), x)
        np.testing.assert_array_equal(values, np.sort(x, 0)[:2])
        np.testing.assert_array_equal(found, np.argsort(x, 0, kind="stable")[:2])
    with pytest.raises(ValueError, match="k between 0 and the size of the axis, 7"):
        sorting.top_k(x, 9)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32", "uint8"])
@pytest.mark.parametrize("shape, k", [((MANY - 1,), 5), ((MANY,), 5), ((MANY + 37,), 5), ((3, 7919), 2), ((MANY,), 16), ((MANY,), 17), ((2, 2 ** 15), 1)])
def test_top_k_of_many_with_ties(dtype, shape, k):
    """From some size on the largest are looked for in blocks; ties stay in order, over blocks and in what is behind the last."""
    for high in (3, 100):
        x = RNG.randint(0, high, shape).astype(jnp.dtype(dtype))
        if x.dtype.kind not in "iu":
            x[..., 3], x[..., -2], x[..., 5000] = np.nan, -np.nan, np.inf
            x[..., 7000:] *= -1
        key = x.astype(float)
        key = np.where(np.isnan(key), np.inf, np.where(key == np.inf, 1e30, key))
        wanted = np.argsort(-key, -1, kind="stable")[..., :k]
        values, found = G.jit(lambda x: lax.top_k(x, k))(x)
        np.testing.assert_array_equal(found, wanted)
        assert np.asarray(values).tobytes() == np.take_along_axis(x, wanted, -1).tobytes()
        if high == 3 and dtype == "float32" and len(shape) == 1:
            slope = G.jit(G.grad(lambda x: lax.top_k(x, k)[0].sum()))(x)
            assert np.flatnonzero(slope).tolist() == sorted(wanted.tolist())


@pytest.mark.parametrize("method", sorting.METHODS)
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("n", [0, 1, 5, 40])
def test_searchsorted(method, side, n):
    for dtype in ("int32", "float32"):
        a = np.sort(RNG.randint(0, 30, n)).astype(dtype)
        v = np.concatenate([RNG.randint(-2, 33, 21), [0, 0, 0]]).astype(dtype).reshape(4, 6)
        if dtype == "float32" and n > 1:
            a[-1], v[0, 0], v[1, 1] = np.nan, np.nan, np.inf
        for run in RUNS:
            np.testing.assert_array_equal(run(lambda a, v: sorting.searchsorted(a, v, side, method=method), a, v),
                                          np.searchsorted(a, v, side))
    assert sorting.searchsorted(value_of(a), 2.5, side).shape == ()


def test_searchsorted_more():
    a = np.int32([3, 1, 2])
    assert sorting.searchsorted(a, 2, sorter=np.argsort(a)).tolist() == 1
    many = np.sort(RNG.rand(100, 30).astype("float32"), 1)
    v = RNG.rand(100).astype("float32")
    got = G.vmap(sorting.searchsorted)(many, v)
    np.testing.assert_array_equal(got, [np.searchsorted(m, w) for m, w in zip(many, v)])
    for bad, text in (((np.ones((1, 1)), 2), "1-dimensional"), ((a, 2, "x"), "takes side 'left' or 'right', got 'x'")):
        with pytest.raises(ValueError, match=text):
            sorting.searchsorted(*bad)
    with pytest.raises(ValueError, match="takes method .*, got 'x'"):
        sorting.searchsorted(a, 1, method="x")


@pytest.mark.parametrize("right", [False, True])
def test_digitize(right):
    x = np.float32([0.2, 6.4, 3.0, 1.6, 4.0, 10.0, -1, 11])
    for bins in (np.float32([0, 1, 2.5, 4, 10]), np.float32([10, 4, 2.5, 1]), np.float32([4])):
        for run in RUNS:
            np.testing.assert_array_equal(run(lambda x, b: sorting.digitize(x, b, right), x, bins),
                                          np.digitize(x, bins, right))
    assert sorting.digitize(x, np.zeros(0, np.float32)).tolist() == [0] * 8
