"""softmax and its kin against their formulas in higher precision."""
import numpy as np
import pytest
from hypothesis import given, strategies as st

import gnomon as G
import gnomon.numpy as jnp
from gnomon import nn

pytestmark = pytest.mark.filterwarnings("ignore::gnomon.errors.GnomonWarning")

RNG = np.random.RandomState(0)
X = RNG.randn(3, 4).astype(np.float32)
MASK = np.array([[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]], bool)


def softmax(x, axis=-1, where=True):
    powers = np.exp(x.astype(float)) * where
    total = powers.sum(axis, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def logsumexp(x, axis=None, b=1.0, where=True, keepdims=False):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log((b * np.exp(x.astype(float)) * where).sum(axis, keepdims=keepdims))


@pytest.mark.parametrize("axis", [-1, 0, None, (0, 1)])
def test_softmax(axis):
    np.testing.assert_allclose(nn.softmax(X, axis), softmax(X, axis), rtol=1e-6)
    np.testing.assert_allclose(nn.log_softmax(X, axis), np.log(softmax(X, axis)), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(G.jit(nn.softmax, static_argnums=1)(X, axis), softmax(X, axis), rtol=1e-6)


def test_masked_softmax_and_its_gradient():
    np.testing.assert_allclose(nn.softmax(X, where=MASK), softmax(X, -1, MASK), rtol=1e-6)
    out = np.asarray(nn.log_softmax(X, where=MASK))
    np.testing.assert_allclose(out[MASK], np.log(softmax(X, -1, MASK)[MASK]), rtol=1e-5)
    assert (out[~MASK] == -np.inf).all()
    weights = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    s = softmax(X, -1, MASK)
    slope = s * (weights - (s * weights).sum(-1, keepdims=True))
    np.testing.assert_allclose(G.grad(lambda x: (nn.softmax(x, where=MASK) * weights).sum())(X), slope, rtol=1e-5, atol=1e-6)
    pick = G.grad(lambda x: jnp.where(MASK, nn.log_softmax(x, where=MASK), 0).sum())(X)
    assert np.isfinite(np.asarray(pick)).all()


def test_far_apart_and_infinite():
    np.testing.assert_array_equal(nn.softmax(np.float32([1000, 0, -1000])), [1, 0, 0])
    np.testing.assert_array_equal(nn.log_softmax(np.float32([1000, 0])), [0, -1000])
    np.testing.assert_array_equal(nn.softmax(np.float32([-np.inf, 0])), [0, 1])
    assert np.isnan(np.asarray(nn.softmax(np.float32([np.inf, 0])))).all()
    assert nn.softmax(np.zeros((2, 0), np.float32)).shape == (2, 0)
    assert float(nn.logsumexp(np.float32([-np.inf, -np.inf]))) == -np.inf and float(nn.logsumexp(np.float32([np.inf, 1]))) == np.inf
    assert float(nn.logsumexp(np.zeros(0, np.float32))) == -np.inf
    np.testing.assert_allclose(nn.logsumexp(np.float32([1000, 1000])), 1000 + np.log(2), rtol=1e-6)


@pytest.mark.parametrize("axis, keepdims", [(None, False), (0, True), (-1, False), ((0, 1), True)])
def test_logsumexp(axis, keepdims):
    np.testing.assert_allclose(nn.logsumexp(X, axis, keepdims=keepdims), logsumexp(X, axis, keepdims=keepdims), rtol=1e-6)
    b = np.abs(RNG.randn(3, 4)).astype(np.float32)
    np.testing.assert_allclose(nn.logsumexp(X, axis, b, keepdims), logsumexp(X, axis, b, keepdims=keepdims), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(nn.logsumexp(X, axis, where=MASK, keepdims=keepdims), logsumexp(X, axis, where=MASK, keepdims=keepdims),
                               rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(nn.logmeanexp(X, axis, keepdims=keepdims), np.log(np.exp(X.astype(float)).mean(axis, keepdims=keepdims)),
                               rtol=1e-5, atol=1e-6)
    with np.errstate(all="ignore"):
        expected = logsumexp(X, axis, where=MASK, keepdims=keepdims) - np.log(MASK.sum(axis, keepdims=keepdims))
    np.testing.assert_allclose(nn.logmeanexp(X, axis, MASK, keepdims), expected, rtol=1e-5, atol=1e-6)


def test_signs_of_sums():
    out, sign = nn.logsumexp(np.float32([1, 2]), b=np.float32([1, -1]), return_sign=True)
    np.testing.assert_allclose([out, sign], [np.log(np.e ** 2 - np.e), -1], rtol=1e-6)
    assert np.isnan(float(nn.logsumexp(np.float32([1, 2]), b=np.float32([1, -1]))))
    assert float(nn.logsumexp(np.float32([1, np.inf]), b=np.float32([1, 0]))) == 1
    z = np.complex64([1 + 1j, 2])
    np.testing.assert_allclose(nn.logsumexp(z), np.log(np.exp(z).sum()), rtol=1e-6)
    np.testing.assert_allclose(G.grad(nn.logsumexp)(X), softmax(X, None), rtol=1e-5)
    assert nn.logsumexp(jnp.ones(2, "float16"), b=jnp.ones(2)).dtype == "float32" and nn.logsumexp(jnp.arange(3)).dtype == "float32"


def test_standardize():
    wide = X.astype(float)
    for algorithm in ("fast", "stable"):
        for axis in (-1, 0, None):
            expected = (wide - wide.mean(axis, keepdims=True)) / np.sqrt(wide.var(axis, keepdims=True) + 1e-5)
            np.testing.assert_allclose(nn.standardize(X, axis, algorithm=algorithm), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(nn.standardize(X, mean=1.0, variance=4.0, epsilon=0.0), (X - 1) / 2, rtol=1e-6)
    rows = np.float32([[1, 2, 9], [4, 6, 9]])
    np.testing.assert_allclose(nn.standardize(rows, where=rows < 9, epsilon=0.0)[:, :2], [[-1, 1], [-1, 1]], rtol=1e-5)
    far = X + 1e4
    np.testing.assert_allclose(nn.standardize(far, algorithm="stable"), nn.standardize(X, algorithm="stable"), rtol=0.02, atol=1e-3)
    with pytest.raises(ValueError, match="'fast' or 'stable'"):
        nn.standardize(X, algorithm="exact")


@given(st.lists(st.integers(-1, 5), max_size=5), st.integers(0, 5), st.sampled_from([-1, 0, 1]))
def test_one_hot(classes, count, axis):
    x = np.array(classes, np.int32)
    expected = (x[:, None] == np.arange(count)).astype(np.float32)
    np.testing.assert_array_equal(nn.one_hot(x, count, axis=axis), expected.T if axis == 0 else expected)


def test_one_hot_in_dtypes():
    assert nn.one_hot([0, 1], 3, dtype=bool).tolist() == [[True, False, False], [False, True, False]]
    assert nn.one_hot(jnp.array([200], "uint8"), 300)[0, 200] == 1 and nn.one_hot(jnp.array([1], "int8"), 300).sum() == 1
    assert nn.one_hot(1.0, 3).tolist() == [0, 1, 0] and nn.one_hot(True, 2).tolist() == [0, 1]
    with pytest.raises(G.errors.Refused, match="named axis"):
        nn.one_hot(1, 2, axis="i")
    with pytest.raises(ValueError, match="one_hot got axis 3"):
        nn.one_hot(1, 2, axis=3)


def test_glu():
    np.testing.assert_allclose(nn.glu(X), X[:, :2] / (1 + np.exp(-X[:, 2:])), rtol=1e-6)
    with pytest.raises(ValueError, match="odd size 3"):
        nn.glu(X, 0)


def test_errors():
    with pytest.raises(ValueError, match="softmax got axis 2"):
        nn.softmax(X, 2)
    with pytest.raises(ValueError, match="mask `where`"):
        nn.softmax(X[0], where=MASK)
    with pytest.raises(TypeError, match="softmax requires"):
        nn.softmax([1.0, 2.0])


def test_many_numbers_of_half_precision():
    """A sum of more exponentials than float16 counts to."""
    x = np.random.default_rng(0).uniform(0, 1, 100_000).astype("f2")
    total = np.log(np.exp(x.astype("f8")).sum())
    np.testing.assert_allclose(nn.logsumexp(x), total, 1e-3)
    np.testing.assert_allclose(nn.log_softmax(x), x.astype("f8") - total, 1e-3)
    np.testing.assert_allclose(nn.softmax(x), np.exp(x.astype("f8") - total), atol=1e-7)
    slopes = G.grad(nn.logsumexp)(x)
    assert slopes.dtype == np.float16
    np.testing.assert_allclose(slopes, np.exp(x.astype("f8") - total), atol=1e-7)
