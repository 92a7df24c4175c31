"""Medians and quantiles against NumPy's."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp

pytestmark = pytest.mark.filterwarnings("ignore")

METHODS = ["linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf"]
RANDOM = np.random.RandomState(0)
SHAPES = [((5,), None), ((4,), 0), ((3, 4), None), ((3, 4), 1), ((3, 4, 2), (0, 2)), ((1,), 0)]
MANY = np.array([0.125, 0.5, 0.75], "float32")
NAMES = ("quantile", "nanquantile")


def same(ours, theirs):
    assert ours.shape == np.shape(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape, axis", SHAPES, ids=str)
@pytest.mark.parametrize("holes", [False, True])
def test_against_numpy(shape, axis, holes):
    """All methods, one fraction that is known while tracing and several that are not, in one program."""
    x = RANDOM.normal(size=shape).astype("float32")
    if holes:
        x.flat[0] = np.nan
    cases = [(name, method, keep) for name in NAMES for method in METHODS for keep in (False, True)]

    def all_of_them(x, q):
        return [(getattr(jnp, name)(x, 0.375, axis=axis, method=method, keepdims=keep),
                 getattr(jnp, name)(x, q, axis=axis, method=method, keepdims=keep)) for name, method, keep in cases]
    for (name, method, keep), outs in zip(cases, G.jit(all_of_them)(x, MANY)):
        for q, out in zip((0.375, MANY.astype("float64")), outs):
            same(out, getattr(np, name)(x.astype("float64"), q, axis=axis, method=method, keepdims=keep))


def test_eager():
    x = RANDOM.randint(-9, 9, (3, 5))
    for q in (0, 0.25, 1):
        same(jnp.quantile(x, q), np.quantile(x, q))
        same(jnp.percentile(x, 100 * q, axis=1), np.percentile(x, 100 * q, axis=1))
    same(jnp.nanpercentile(x, np.array([10.0, 90.0]), axis=0), np.percentile(x, [10, 90], axis=0))
    for axis in (None, 0, 1):
        same(jnp.median(x, axis=axis), np.median(x, axis=axis))
        same(jnp.nanmedian(np.where(x > 7, np.nan, x), axis=axis), np.nanmedian(np.where(x > 7, np.nan, x), axis=axis))
    same(jnp.median(np.ones((2, 3)), axis=1, keepdims=True), np.ones((2, 1)))


def test_weights():
    x, w = np.array([3.0, 1.0, 2.0, 7.0]), np.array([1.0, 0.0, 2.0, 1.0])
    for q in (0.0, 0.2, 0.25, 0.5, 0.9, 1.0):
        same(jnp.quantile(x, q, weights=w, method="inverted_cdf"), np.quantile(x, q, weights=w, method="inverted_cdf"))
    rows = np.stack([x, x[::-1]])
    same(jnp.quantile(rows, MANY, axis=1, weights=w, method="inverted_cdf"),
         np.quantile(rows, MANY, axis=1, weights=w, method="inverted_cdf"))


def test_edges():
    empty = jnp.empty((0, 4), "float32")
    for out in (jnp.nanquantile(empty, 0.5, axis=0), jnp.quantile(empty, 0.5, axis=0), jnp.median(empty, axis=0)):
        assert out.shape == (4,) and np.isnan(out).all()
    assert float(jnp.median(np.array([np.inf, np.inf]))) == np.inf
    assert np.isnan(jnp.median(np.array([1.0, np.nan]))) and np.isnan(jnp.nanmedian(np.array([np.nan])))
    assert float(jnp.quantile(np.arange(4.0), 1.5)) == 3.0 and float(jnp.quantile(2.0, 0.5)) == 2.0
    assert jnp.quantile(np.arange(4.0).astype("float16"), 0.3).dtype == np.float16
    np.testing.assert_array_equal(G.grad(jnp.median)(np.array([3.0, 1.0, 2.0, 7.0])), [0.5, 0, 0.5, 0])


def test_errors_name_the_function():
    x = np.arange(4.0)
    for call, kind, words in (
            (lambda: jnp.quantile(x, 0.5, method="cubic"), ValueError, "quantile takes method 'linear'"),
            (lambda: jnp.median(1j * x), TypeError, "median takes real numbers"),
            (lambda: jnp.quantile(x, [0.1]), TypeError, "quantile requires ndarray or scalar arguments"),
            (lambda: jnp.quantile(x, np.ones((1, 1))), ValueError, "an array of one dimension as q"),
            (lambda: jnp.quantile(x, 0.5, weights=x), NotImplementedError, "inverted_cdf"),
            (lambda: jnp.median(x, overwrite_input=True), NotImplementedError, "median takes no out"),
            (lambda: jnp.median(x, axis=1), ValueError, "median got axis 1")):
        with pytest.raises(kind, match=words):
            call()
