"""Sets against NumPy; with a static size under jit."""
import numpy as np
import pytest

import gnomon as G
from gnomon.errors import ConcretizationTypeError
from gnomon.numpy import sets
from gnomon.trace.stage import value_of
from gnomon.types.dtype import bfloat16

RUNS = [lambda f, *args: f(*map(value_of, args)), lambda f, *args: G.jit(f)(*args)]
RNG = np.random.RandomState(0)
X = RNG.randint(0, 6, (4, 3)).astype(np.int32)
F = np.float32([1, np.nan, 2, np.nan, -0.0, 0.0, 2])


def padded(x, size, fill, axis=0):
    x = np.asarray(x)
    x = x.take(range(min(size, x.shape[axis])), axis)
    more = size - x.shape[axis]
    if not more:
        return x
    return np.concatenate([x, np.broadcast_to(fill, x.shape[:axis] + (more,) + x.shape[axis + 1:])], axis)


def check(got, want):
    assert got.shape == np.shape(want)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("x", [X, F, X > 2], ids=["int", "float", "bool"])
def test_unique(x, axis):
    if axis is not None and x.ndim == 1:
        x = np.stack([x, x[::-1], x])
    n = x.size if axis is None else x.shape[axis]
    values, index, inverse, counts = np.unique(np.nan_to_num(x, nan=9) if axis is not None else x, True, True, True,
                                               axis)
    if axis is not None and x.dtype.kind == "f":        # in NumPy no NaN is equal to another there
        values[values == 9] = np.nan
    inverse = inverse.reshape(x.shape if axis is None else n)
    for got, want in zip(sets.unique(x, True, True, True, axis), (values, index, inverse, counts)):
        check(got, want)
    check(sets.unique(x, axis=axis), values)
    k, along = counts.size, 0 if axis is None else axis
    for size, fill, run in ((1, None, RUNS[0]), (n + 2, None, RUNS[1]), (n + 2, 1, RUNS[0]), (k, 1, RUNS[1])):
        row = values.take([0], along) if fill is None else fill
        got = run(lambda x: sets.unique(x, True, True, True, axis, size=size, fill_value=fill), x)
        check(got[0], padded(values, size, row, along))
        check(got[1], padded(index, size, index[0]))
        check(got[2], inverse)
        check(got[3], padded(counts, size, 0))


def test_unique_edges():
    check(sets.unique(F, equal_nan=False), [0, 1, 2, np.nan, np.nan])
    check(G.jit(lambda x: sets.unique(x, equal_nan=False, size=6))(F), [0, 1, 2, np.nan, np.nan, 0])
    check(sets.unique(np.zeros(0, np.float32)), [])
    check(sets.unique(np.zeros(0, np.float32), size=2, fill_value=1.0), [1, 1])
    with pytest.raises(ValueError, match="needs a fill_value"):
        sets.unique(np.zeros(0), size=2)
    assert sets.unique(np.array([1, 1, 2]).astype(bfloat16)).dtype == bfloat16
    check(sets.unique(np.complex64([1 + 1j, 1, 1])), [1, 1 + 1j])
    check(G.jit(lambda x: sets.unique(x, size=3))(np.complex64([1 + 1j, 1, 1])), [1, 1 + 1j, 1])
    check(sets.unique(X, axis=0, size=6, fill_value=np.array([7, 8, 9]))[-1], [7, 8, 9])
    with pytest.raises(ConcretizationTypeError, match=r"unique without size.*\n.*argument x"):
        G.jit(lambda x: sets.unique(x))(X)
    with pytest.raises(ValueError, match="axis 2"):
        sets.unique(X, axis=2)


def test_array_api_forms():
    for run in RUNS:
        got = run(lambda x: tuple(sets.unique_all(x, size=5)), F)
        check(got[0], [0, 1, 2, np.nan, np.nan])
        check(got[3], [2, 1, 2, 1, 1])
    assert sets.unique_all(X)._fields == ("values", "indices", "inverse_indices", "counts")
    check(sets.unique_counts(X).counts, np.unique(X, return_counts=True)[1])
    check(sets.unique_inverse(X).inverse_indices, np.unique(X, return_inverse=True)[1].reshape(X.shape))
    check(sets.unique_values(X), np.unique(X))


PAIRS = [(X, np.int32([9, 1, 3, 1])), (np.int32([3, 1, 2, 1, 3]), np.int32([7, 7])),
         (np.float32([2, 1, 2.5]), np.int32([2, 4])),
         (np.int32([5, 4]), np.zeros(0, np.int32))]


@pytest.mark.parametrize("x, y", PAIRS)
@pytest.mark.parametrize("name", ["union1d", "intersect1d", "setdiff1d", "setxor1d"])
def test_two_sets(name, x, y):
    function = getattr(sets, name)
    want = getattr(np, name)(x, y)
    check(function(x, y), want)
    for size, fill, run in ((1, -1, RUNS[1]), (len(want) + 2, None, RUNS[1]), (len(want) + 2, -1, RUNS[0])):
        first = 0 if name == "setdiff1d" or not len(want) else want[0]
        got = run(lambda x, y: function(x, y, size=size, fill_value=fill), x, y)
        if len(want) or fill is not None or name == "setdiff1d":
            check(got, padded(want, size, first if fill is None else fill))
    with pytest.raises(ConcretizationTypeError, match=f"{name} without size"):
        G.jit(function)(x, y)


@pytest.mark.parametrize("x, y", PAIRS)
def test_places_of_what_is_common(x, y):
    want = np.intersect1d(x, y, return_indices=True)
    for got, w in zip(sets.intersect1d(x, y, return_indices=True), want):
        check(got, w)
    size = len(want[0]) + 2
    for run in RUNS:
        got = run(lambda x, y: sets.intersect1d(x, y, return_indices=True, size=size, fill_value=-1), x, y)
        for g, w, fill in zip(got, want, (-1, x.size, y.size)):
            check(g, padded(w, size, fill))


@pytest.mark.parametrize("x, y", [*PAIRS, (F, F), (np.zeros((0, 2), np.float32), F)])
@pytest.mark.parametrize("invert", [False, True])
def test_isin(x, y, invert):
    for run in RUNS:
        check(run(lambda x, y: sets.isin(x, y, invert=invert), x, y), np.isin(x, y, invert=invert))


def test_differences_of_unique_arrays_keep_their_order():
    x, y = np.int32([3, 1, 2]), np.int32([1])
    check(sets.setdiff1d(x, y, True), [3, 2])
    check(sets.setdiff1d(x, y, True, size=4), [3, 2, 0, 0])
