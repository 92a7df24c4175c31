"""bincount, histograms, cov and corrcoef against NumPy."""
import numpy as np
import pytest

import gnomon as G
from gnomon.errors import ConcretizationTypeError
from gnomon.numpy import statistics
from gnomon.trace.stage import value_of

RUNS = [lambda f, *args: f(*map(value_of, args)), lambda f, *args: G.jit(f)(*args)]
RNG = np.random.RandomState(0)
I, W = RNG.randint(0, 7, 20).astype(np.int32), RNG.rand(20).astype(np.float32)
X, Y = RNG.randn(20).astype(np.float32), RNG.randn(20).astype(np.float32)


def close(got, want, rtol=1e-5):
    if isinstance(want, (list, tuple)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            close(g, w, rtol)
    else:
        assert got.shape == np.shape(want)
        np.testing.assert_allclose(got, want, rtol, 1e-6)


def test_bincount():
    close(statistics.bincount(I), np.bincount(I))
    close(statistics.bincount(I, minlength=12), np.bincount(I, minlength=12))
    close(statistics.bincount(I, W), np.bincount(I, W))
    for run in RUNS:
        close(run(lambda i: statistics.bincount(i, length=4), I), np.bincount(I)[:4])
        close(run(lambda i, w: statistics.bincount(i, w, length=9), I, W), np.bincount(I, W, 9))
        close(run(lambda i: statistics.bincount(i, length=3), np.int32([-5, 2, 9])), [1, 0, 1])
    close(statistics.bincount(I > 2), np.bincount(I > 2))
    assert statistics.bincount(I, weights=I).dtype == np.int32
    assert statistics.bincount(np.zeros(0, np.int32)).shape == (0,)
    with pytest.raises(TypeError, match="integer type; got float32"):
        statistics.bincount(X)
    with pytest.raises(ConcretizationTypeError, match="static length"):
        G.jit(lambda x: statistics.bincount(x))(I)
    with pytest.raises(ValueError, match="weights of the shape of x"):
        statistics.bincount(I, W[:3])


EDGES = np.float32([-1, 0, 0.5, 2])


@pytest.mark.parametrize("bins, range", [(5, None), (4, (-1, 1)), (EDGES, None)], ids=["count", "range", "edges"])
@pytest.mark.parametrize("weights", [None, W])
@pytest.mark.parametrize("density", [None, True])
def test_histogram(bins, range, weights, density):
    want = np.histogram(X, bins, range, density, weights)
    for run in RUNS:
        close(run(lambda x: statistics.histogram(x, bins, range, weights, density), X), want)
    close(statistics.histogram_bin_edges(X, bins, range), np.histogram_bin_edges(X, bins, range))
    assert statistics.histogram(I)[0].dtype == np.float32


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("low, high, bins", [(0, 1, 100), (1e4, 1e4 + 1, 400), (-3, 1e-3, 7), (0, np.inf, 3)])
def test_many_elements_lie_between_the_edges(low, high, bins, dtype):
    """Elements at the edges, beside them, outside and NaN; edges that are rounded to fewer (the second, in both dtypes)."""
    edges = statistics.histogram_bin_edges(np.zeros(1, dtype), bins, (low, high))
    assert edges.dtype == dtype
    edges = np.asarray(edges)
    aside = np.maximum(np.abs(np.spacing(edges)), np.finfo(dtype).tiny)      # the compiler takes smaller numbers for 0
    others = np.array([np.nan, np.inf, -np.inf, low - 1, high + 1])
    x = np.resize(np.concatenate([edges, edges - aside, edges + aside, others.astype(dtype)]), statistics.MANY)
    counts = statistics.histogram(x, bins, (low, high))[0]
    wide = edges.astype(float)
    place = np.searchsorted(wide, x.astype(float), "right") - 1
    place[x == wide[-1]] = bins - 1
    wanted = np.bincount(place[(place >= 0) & (place < bins)], minlength=bins)
    np.testing.assert_array_equal(counts, wanted if dtype == "float32" else np.minimum(wanted, 2048))    # half precision counts no further


def test_histogram_edges():
    close(statistics.histogram_bin_edges(np.float32([2, 2]), 4), np.histogram_bin_edges(np.float32([2, 2]), 4))
    close(statistics.histogram(np.zeros(0, np.float32), 3), np.histogram(np.zeros(0), 3))
    close(statistics.histogram(np.float32([1, 2, 4, 8]), np.float32([1, 2, 8])), ([1, 3], [1, 2, 8]))
    with pytest.raises(NotImplementedError, match="'auto'"):
        statistics.histogram(X, "auto")


@pytest.mark.parametrize("bins", [3, [2, 4], EDGES, [EDGES, 3]], ids=["one", "two", "edges", "mixed"])
@pytest.mark.parametrize("density", [None, True])
def test_histogram2d(bins, density):
    for weights in (None, W):
        want = np.histogram2d(X, Y, bins, None, density, weights)
        for run in RUNS[:1] if weights is None else RUNS:
            close(run(lambda x, y: statistics.histogram2d(x, y, bins, None, weights, density), X, Y), want)


def test_histogramdd():
    sample = np.stack([X, Y, W], 1)
    ranges = [(-1, 1), None, (0, 1)]
    want = np.histogramdd(sample, (2, 3, 2), ranges)
    close(statistics.histogramdd(sample, (2, 3, 2), ranges), (want[0], list(want[1])))
    with pytest.raises(ValueError, match="bins for each of 3 dimensions"):
        statistics.histogramdd(sample, (2, 3))


M = RNG.randn(3, 6).astype(np.float32)
FW, AW = np.int32([1, 2, 0, 3, 1, 1]), np.float32([1, 0.5, 2, 1, 1, 3])


@pytest.mark.parametrize("options", [{}, {"ddof": 0}, {"bias": True}, {"fweights": FW}, {"aweights": AW},
                                     {"fweights": FW, "aweights": AW},
                                     {"fweights": FW, "aweights": AW, "ddof": 2}])
def test_cov(options):
    for run in RUNS:
        close(run(lambda m: statistics.cov(m, **options), M), np.cov(M, **options))
        close(run(lambda m: statistics.cov(m.T, rowvar=False, **options), M), np.cov(M, **options))
        close(run(lambda a, b: statistics.cov(a, b, **options), M[0], M[1:]), np.cov(M[0], M[1:], **options))
    close(statistics.cov(M[0], **options), np.cov(M[0], **options))


def test_complex_and_integer_cov():
    z = (M + 1j * M[::-1]).astype(np.complex64)
    close(statistics.cov(z), np.cov(z))
    close(statistics.corrcoef(z), np.corrcoef(z))
    close(statistics.cov(I), np.cov(I))
    for run in RUNS:
        close(run(statistics.corrcoef, M), np.corrcoef(M))
        close(run(statistics.corrcoef, M[0], M[1]), np.corrcoef(M[0], M[1]))
    close(statistics.corrcoef(X), 1.0)
    with pytest.raises(ValueError, match="m has more than 2 dimensions"):
        statistics.cov(np.ones((2, 2, 2)))
    with pytest.raises(TypeError, match="fweights that are integers"):
        statistics.cov(M, fweights=AW)
