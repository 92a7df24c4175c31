"""take, put, choose, nonzero and their kin against NumPy."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as gnp
from gnomon.errors import ConcretizationTypeError
from gnomon.numpy import taking
from gnomon.trace.stage import value_of

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4) % 7
RUNS = [lambda f, *args: f(*map(value_of, args)), lambda f, *args: G.jit(f)(*args)]


def same(got, want):
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            same(g, w)
    else:
        assert got.shape == np.shape(want)
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1])
@pytest.mark.parametrize("indices", [0, -1, [1, 0], [[1, -1], [0, 1]]])
def test_take(axis, indices):
    i = np.asarray(indices, np.int32)
    for run in RUNS:
        same(run(lambda x, i: taking.take(x, i, axis), X, i), np.take(X, i, axis))
    if i.ndim == 0:
        same(taking.take(X, indices, axis), np.take(X, indices, axis))


def test_take_out_of_range():
    x, i = np.arange(4, dtype=np.float32), np.array([5, -1, -9], np.int32)
    for run in RUNS:
        same(run(lambda x, i: taking.take(x, i), x, i), [np.nan, 3, np.nan])
        same(run(lambda x, i: taking.take(x, i, mode="fill", fill_value=7), x, i), [7, 3, 7])
        same(run(lambda x, i: taking.take(x, i, mode="clip"), x, i), np.take(x, i, mode="clip"))
        same(run(lambda x, i: taking.take(x, i, mode="wrap"), x, i), np.take(x, i, mode="wrap"))
        same(run(lambda x: taking.take(x, 9), x), np.nan)
    with pytest.raises(NotImplementedError, match="mode='raise'"):
        taking.take(x, i, mode="raise")


def test_take_refuses():
    with pytest.raises(TypeError, match="take requires ndarray or scalar arguments, got <class 'list'> at position 1"):
        taking.take(X, [0, 1])
    with pytest.raises(TypeError, match="take takes integer indices, got an array of type float32"):
        taking.take(X, np.float32(1))
    with pytest.raises(ValueError, match="axis 5"):
        taking.take(X, 0, axis=5)
    with pytest.raises(NotImplementedError, match="out must be None"):
        taking.take(X, 0, out=X)


@pytest.mark.parametrize("shape, axis", [((2, 5, 4), 1), ((2, 3, 1), 2), ((1, 2, 4), 1), ((2, 2, 1), 1),
                                         ((1, 3, 2), -1)])
def test_take_along_axis(shape, axis):
    i = np.arange(int(np.prod(shape))).reshape(shape).astype(np.int32) % X.shape[axis] - 1
    want = np.take_along_axis(X, i, axis)
    for run in RUNS:
        same(run(lambda x, i: taking.take_along_axis(x, i, axis), X, i), want)
    wide = np.repeat(X, 2, 0)[:1] if shape[0] == 2 else X
    same(G.jit(lambda x, i: taking.take_along_axis(x, i, axis))(wide, i), np.take_along_axis(wide, i, axis))
    g = G.grad(lambda x: gnp.sum(taking.take_along_axis(x, i, axis)))(X)
    count = np.zeros_like(X)
    np.add.at(count, tuple(np.take_along_axis(p, i, axis) for p in np.indices(X.shape)), 1)
    same(g, count)


def test_take_along_axis_edges():
    for run in RUNS:
        same(run(lambda x, i: taking.take_along_axis(x, i, None), X, np.array([3, -1])),
             np.take_along_axis(X, np.array([3, -1]), None))
        got = run(lambda x, i: taking.take_along_axis(x, i, 1), np.ones((2, 3), np.float32), np.array([[0], [9]]))
        same(got, [[1], [np.nan]])
        with pytest.raises(ValueError, match="same number of dimensions; 1 vs. 2"):
            run(lambda x, i: taking.take_along_axis(x, i, 1), np.ones((2, 3), np.float32), np.array([0]))
    assert taking.take_along_axis(np.ones((0, 3), np.float32), np.zeros((0, 1), int), 1).shape == (0, 1)


def test_put():
    x, i = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([0, 13, -1], np.int32)
    for run in RUNS:
        same(run(lambda x, i: taking.put(x, i, 9.0, inplace=False), x, i), [[9, 1, 2], [3, 4, 9]])
        same(run(lambda x, i: taking.put(x, i, np.float32([7, 8]), mode="wrap", inplace=False), x, i),
             [[7, 8, 2], [3, 4, 7]])
        same(run(lambda x, i: taking.put(x, i, np.float32([7, 8, 9, 10]), mode="clip", inplace=False), x,
                 np.array([0, 13, 1])),
             [[7, 9, 2], [3, 4, 8]])
    with pytest.raises(ValueError, match="Pass inplace=False"):
        taking.put(x, i, 9.0)


def test_put_along_axis():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for i, v, axis in ((np.array([[1], [0], [-1]]), 9.0, 1), (np.array([[1, 2]] * 3), np.float32([5, 6]), 1),
                       (np.array([[2, 0, 1, 0]]), 7.0, 0), (np.array([[1]]), 3.0, 1), (np.array([2, 3]), 1.0, None)):
        want = x.copy()
        np.put_along_axis(want, np.broadcast_to(i, (3, *i.shape[1:])) if axis == 1 else i, v, axis)
        for run in RUNS:
            same(run(lambda x, i: taking.put_along_axis(x, i, v, axis, inplace=False), x, i.astype(np.int32)), want)


def test_choose():
    which, a, b = np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32), np.array([[4], [5]], np.int32)
    for mode in ("clip", "wrap"):
        for run in RUNS:
            same(run(lambda w, a, b: taking.choose(w, [a, b], mode=mode), which, a, b),
                 np.choose(which, [a, b], mode=mode))
    same(taking.choose(which[:2], [5, np.float32([4, 5])]), [5, 5])
    with pytest.raises(ValueError, match="between 0 and 1"):
        taking.choose(which, [a, b])
    with pytest.raises(ConcretizationTypeError, match="mode='clip'"):
        G.jit(lambda w: taking.choose(w, [a, b]))(which)


def test_compress_and_extract():
    c = np.array([True, False, True])
    same(taking.compress(c, X, axis=1), np.compress(c, X, axis=1))
    same(taking.compress([True, False, True], X[0, 0]), X[0, 0][[0, 2]])
    same(taking.extract(X > 4, X), X[X > 4])
    same(G.jit(lambda c, x: taking.compress(c, x, axis=1, size=2))(c, X), X[:, [0, 2]])
    same(G.jit(lambda c, x: taking.compress(c, x, axis=1, size=3, fill_value=-1))(c, X)[:, 2], np.full((2, 4), -1))
    same(G.jit(lambda x: taking.extract(x > 4, x, size=9, fill_value=-1))(X),
         [*X[X > 4], *[-1] * (9 - (X > 4).sum())][:9])
    with pytest.raises(ConcretizationTypeError, match="static size"):
        G.jit(lambda c, x: taking.compress(c, x))(c, X[0, 0])


def test_place():
    for vals in ([7.0], [7.0, 8.0], list(range(20))):
        want = X.copy()
        np.place(want, X > 3, vals)
        for run in RUNS:
            same(run(lambda x, v: taking.place(x, x > 3, v, inplace=False), X, np.float32(vals)), want)


@pytest.mark.parametrize("x", [X, X[0, 0], X > 4, np.zeros((3, 2), np.int32), np.ones((0, 2), np.float32)],
                         ids=lambda x: str(x.shape))
def test_nonzero(x):
    want = x.nonzero()
    same(taking.nonzero(x), want)
    same(taking.argwhere(x), np.argwhere(x))
    same(taking.flatnonzero(x), np.flatnonzero(x))
    for size in (0, 3, 40):
        for fill in (None, -1, tuple(range(x.ndim))):
            fills = fill if isinstance(fill, tuple) else (fill or 0,) * x.ndim
            padded = [np.concatenate([w[:size], np.full(max(size - len(w), 0), f)]) for w, f in zip(want, fills)]
            for run in RUNS:
                same(run(lambda x: taking.nonzero(x, size=size, fill_value=fill), x), padded)


def test_nonzero_needs_numbers_or_a_size():
    with pytest.raises(ConcretizationTypeError, match=r"nonzero without size needs the numbers.*\n.*argument x"):
        G.jit(lambda x: taking.nonzero(x))(X)
    with pytest.raises(ValueError, match="at least one dimension"):
        taking.nonzero(np.float32(1))
    assert taking.argwhere(np.float32(1)).shape == (1, 0)
    assert gnp.nonzero(X)[0].dtype == np.int32


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 5), (7,)])
def test_unravel_and_ravel(shape):
    total = int(np.prod(shape))
    i = np.arange(total, dtype=np.int32)
    for run in RUNS:
        same(run(lambda i: taking.unravel_index(i, shape), i), np.unravel_index(i, shape))
        same(run(lambda i: taking.unravel_index(i, shape), i - total), np.unravel_index(i, shape))
        for order in "CF":
            index = np.unravel_index(i, shape, order=order)
            same(run(lambda *index: taking.ravel_multi_index(index, shape, mode="clip", order=order),
                     *map(np.int32, index)), i)
    same(taking.unravel_index(np.array([total + 3]), shape), [[n - 1] for n in shape])


def test_ravel_multi_index_modes():
    index = np.array([0, 5], np.int32), np.array([1, -3], np.int32)
    for mode in ("clip", "wrap", ("wrap", "clip")):
        for run in RUNS:
            same(run(lambda a, b: taking.ravel_multi_index((a, b), (3, 4), mode=mode), *index),
                 np.ravel_multi_index(index, (3, 4), mode=mode))
    with pytest.raises(ValueError, match="between 0 and 2"):
        taking.ravel_multi_index(index, (3, 4))
