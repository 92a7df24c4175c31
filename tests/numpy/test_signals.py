"""Differences, gradients, interpolation, convolution and windows against NumPy."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as gnp
from gnomon.numpy import signals
from gnomon.trace.stage import value_of

RUNS = [lambda f, *args: f(*map(value_of, args)), lambda f, *args: G.jit(f)(*args)]
RNG = np.random.RandomState(0)
F, C = np.float32([1, 2, 4, 8, 3]), RNG.randn(3, 4, 5).astype(np.float32)


def close(got, want, rtol=2e-5):
    if isinstance(want, (list, tuple)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            close(g, w)
    else:
        assert got.shape == np.shape(want)
        np.testing.assert_allclose(got, want, rtol, 1e-5)


@pytest.mark.parametrize("x", [F, C, np.int32([5, 1, 7]), np.array([True, False, False, True])],
                         ids=["f", "c", "i", "b"])
def test_diff(x):
    for n in (0, 1, 2):
        for axis in {-1, 0}:
            close(signals.diff(x, n, axis), np.diff(x, n, axis))
    close(G.jit(signals.diff)(x), np.diff(x))
    close(signals.ediff1d(x), np.diff(x.ravel())) if x.dtype != bool else None


def test_diff_with_ends():
    for run in RUNS:
        close(run(lambda x: signals.diff(x, prepend=0, append=np.float32([9, 9])), F),
              np.diff(F, prepend=0, append=[9, 9]))
        close(run(lambda x: signals.diff(x, prepend=np.float32(1), axis=1), C), np.diff(C, prepend=1, axis=1))
        close(run(lambda x: signals.ediff1d(x, 9, np.float32([1, 2])), C), np.ediff1d(C, 9, [1, 2]))
    assert signals.diff(np.int32([1, 2]), prepend=0).dtype == np.int32
    for bad, text in (((F, -1), "non-negative but got -1"), ((np.float32(1),), "at least one dimensional")):
        with pytest.raises(ValueError, match=text):
            signals.diff(*bad)


@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient(edge_order):
    at = np.float32([0, 1, 3, 4, 7])
    for run in RUNS:
        close(run(lambda f: signals.gradient(f, edge_order=edge_order), F), np.gradient(F, edge_order=edge_order))
        close(run(lambda f: signals.gradient(f, 2.0, edge_order=edge_order), F),
              np.gradient(F, 2.0, edge_order=edge_order))
        close(run(lambda f, at: signals.gradient(f, at, edge_order=edge_order), F, at),
              np.gradient(F, at, edge_order=edge_order))
        close(run(lambda f: signals.gradient(f, edge_order=edge_order), C), np.gradient(C, edge_order=edge_order))
        close(run(lambda f, at: signals.gradient(f, 2.0, at, axis=(1, 2), edge_order=edge_order), C, at),
              np.gradient(C, 2.0, at, axis=(1, 2), edge_order=edge_order))
    assert signals.gradient(np.int32([1, 2, 1, 5])).tolist() == [1, 0, 1.5, 4]
    with pytest.raises(ValueError, match=f"at least {edge_order + 1} elements are required"):
        signals.gradient(F[:1], edge_order=edge_order)


def test_unwrap():
    p = np.float32([0, 3, 7, -3, 9.5])
    for run in RUNS:
        close(run(signals.unwrap, p), np.unwrap(p))
        close(run(lambda p: signals.unwrap(p, 5.0), p), np.unwrap(p, 5.0))
        close(run(lambda p: signals.unwrap(p, axis=0, period=3.0), C * 9), np.unwrap(C * 9, axis=0, period=3))
        for period in (4, 5):
            i = np.int32([0, 3, 7, -3, 2, 4])
            close(run(lambda p: signals.unwrap(p, period=period), i), np.unwrap(i, period=period))


def test_trapezoid():
    for run in RUNS:
        close(run(signals.trapezoid, F), np.trapezoid(F))
        close(run(lambda y: signals.trapezoid(y, dx=2, axis=0), C), np.trapezoid(C, dx=2, axis=0))
        close(run(lambda y, x: signals.trapezoid(y, x), C, F), np.trapezoid(C, F))
        close(run(lambda y, x: signals.trapezoid(y, x, axis=1), C, C * C), np.trapezoid(C, C * C, axis=1), 1e-4)
    assert signals.trapezoid(np.int32([1, 2, 1, 5])).tolist() == 6


def test_interp():
    xp, fp = np.float32([1, 2, 3.5, 5]), np.float32([3, 2, 0, 7])
    x = np.float32([[0, 1, 1.5], [4.9, 5, 9], [2, np.nan, 3.5]])
    for run in RUNS:
        close(run(signals.interp, x, xp, fp), np.interp(x, xp, fp))
        close(run(lambda *a: signals.interp(*a, left=-1, right=9.0), x, xp, fp), np.interp(x, xp, fp, -1, 9))
        close(run(lambda *a: signals.interp(*a, period=4.0), x, xp, fp), np.interp(x, xp, fp, period=4))
        close(run(lambda *a: signals.interp(*a, left="extrapolate", right="extrapolate"), np.float32([0, 9]), xp, fp),
              [4, 7 + 4 * 7 / 1.5])
        close(run(signals.interp, x, xp, fp + 1j * fp), np.interp(x, xp, fp + 1j * fp))
    close(signals.interp(2.5, np.array([1, 2, 3]), np.array([3, 2, 0])), 1.0)
    close(signals.interp(np.float32([0, 9]), xp[:1], fp[:1]), [3, 3])
    close(signals.interp(np.float32([1, 2]), np.float32([1, 1, 2]), np.float32([1, 2, 3])), [2, 3])
    g = G.grad(lambda x: signals.interp(x, xp, fp))(np.float32(2.5))
    close(g, -2 / 1.5)
    with pytest.raises(ValueError, match="one-dimensional arrays of equal size"):
        signals.interp(x, xp, fp[:2])
    with pytest.raises(ValueError, match="'extrapolate'"):
        signals.interp(x, xp, fp, left="x")


@pytest.mark.parametrize("mode", signals.MODES)
@pytest.mark.parametrize("n, m", [(5, 2), (2, 5), (4, 4), (6, 1), (1, 3)])
def test_convolve_and_correlate(mode, n, m):
    a, v = RNG.randn(n).astype(np.float32), RNG.randn(m).astype(np.float32)
    for run in RUNS:
        close(run(lambda a, v: signals.convolve(a, v, mode), a, v), np.convolve(a, v, mode), 1e-4)
        close(run(lambda a, v: signals.correlate(a, v, mode), a, v), np.correlate(a, v, mode), 1e-4)
    close(signals.convolve(a, v + 1j * v, mode), np.convolve(a, v + 1j * v, mode), 1e-4)
    close(signals.correlate(a + 1j, v + 1j * v, mode), np.correlate(a + np.complex64(1j), v + np.complex64(1j) * v,
                                                                    mode), 1e-4)


def test_convolve_refuses():
    assert signals.convolve(np.int32([1, 2]), np.int32([1, 1])).dtype == np.float32
    for bad, text in (((C, F), "1-dimensional"), ((F, F[:0]), "cannot be empty"), ((F, F, "x"), "takes mode .full., .same. or .valid.")):
        with pytest.raises(ValueError, match=text):
            signals.convolve(*bad)


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning", "kaiser"])
@pytest.mark.parametrize("M", [0, 1, 2, 7, 12])
def test_windows(name, M):
    more = (2.5,) if name == "kaiser" else ()
    got = getattr(gnp, name)(M, *more)
    assert got.dtype == np.float32
    close(got, getattr(np, name)(M, *more))
    if more:
        close(G.jit(lambda beta: signals.kaiser(M, beta))(2.5), np.kaiser(M, 2.5))
