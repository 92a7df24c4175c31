"""vectorize and its kin, comparisons of whole arrays, bits in bytes."""
import numpy as np
import pytest
from hypothesis import given, strategies as st

import gnomon as G
import gnomon.numpy as jnp
from tests.numpy.against_numpy import numbers, same

pytestmark = pytest.mark.filterwarnings("ignore::gnomon.errors.GnomonWarning")     # NumPy counts in 64 bits

X = numbers((2, 3, 4))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("function", ["sum", "flip", "diag"])
def test_apply_along_axis(axis, function):
    ours = jnp.apply_along_axis(getattr(jnp, function), axis, X)
    np.testing.assert_array_equal(ours, np.apply_along_axis(getattr(np, function), axis, X))
    np.testing.assert_array_equal(G.jit(lambda x: jnp.apply_along_axis(lambda v, k: v * k, axis, x, 2))(X), X * 2)


def test_apply_over_axes():
    np.testing.assert_array_equal(jnp.apply_over_axes(jnp.sum, X, (0, -1)), np.apply_over_axes(np.sum, X, (0, -1)))
    with pytest.raises(ValueError, match="keeps an array's dimensions or drops one"):
        jnp.apply_over_axes(lambda x, axis: x.sum(), X, (0,))


def test_vectorize():
    dot = jnp.vectorize(lambda a, b: (a * b).sum(), signature="(n),(n)->()")
    np.testing.assert_array_equal(dot(X, X[0, 0]), X @ X[0, 0])
    np.testing.assert_array_equal(dot(X[:, :1], X[0]), (X[:, :1] * X[0]).sum(-1))
    np.testing.assert_array_equal(dot(np.ones((5, 1, 4)), np.ones((1, 3, 4))), np.full((5, 3), 4))
    both = jnp.vectorize(lambda m, v: (m @ v, m.T), signature="(n,m),(m)->(n),(m,n)")
    first, second = both(X, X[0, 0])
    assert first.shape == (2, 3) and second.shape == (2, 4, 3)
    scalar = jnp.vectorize(lambda a, b, k=1: a + k * b, excluded={"k", 2})
    np.testing.assert_array_equal(scalar(X, X[0, 0], k=2), X + 2 * X[0, 0])
    np.testing.assert_array_equal(scalar(X, X[0, 0], 3), X + 3 * X[0, 0])
    np.testing.assert_array_equal(jnp.vectorize(lambda a, f: f(a), excluded={1})(X, jnp.sin), jnp.sin(X))
    np.testing.assert_array_equal(jnp.vectorize(lambda n: jnp.arange(3) * n, signature="()->(k)")(np.arange(2)), [[0, 0, 0], [0, 1, 2]])
    assert jnp.vectorize(jnp.tanh).__name__ == "tanh"


@pytest.mark.parametrize("call, error, text", [
    (lambda: jnp.vectorize(jnp.dot, signature="(n),(n)->()")(np.ones(2), np.ones(3)), ValueError, "sizes 2 and 3 for the dimension n"),
    (lambda: jnp.vectorize(jnp.dot, signature="(n),(n)->()")(1.0, np.ones(3)), ValueError, "1 dimensions at least of argument 0"),
    (lambda: jnp.vectorize(jnp.dot, signature="(n),(n)->()")(np.ones(3)), TypeError, "takes 2 arguments"),
    (lambda: jnp.vectorize(lambda x: x, signature="(n)->()")(np.ones(3)), ValueError, "result 0 has shape"),
    (lambda: jnp.vectorize(lambda x: (x, x), signature="(n)->(n)")(np.ones(3)), TypeError, "gives 1 results, but the function returned 2"),
    (lambda: jnp.vectorize(jnp.sin, signature="n->n"), ValueError, "signature such as"),
    (lambda: jnp.vectorize(jnp.sin, excluded={-1}), ValueError, "from 0"),
    (lambda: jnp.vectorize(jnp.sin, excluded={1.5}), TypeError, "numbers and names"),
    (lambda: jnp.vectorize(jnp.add)(np.ones(2), np.ones(3)), ValueError, "do not broadcast"),
], ids=lambda x: "")
def test_errors_of_vectorize(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_close():
    a = np.float32([1, 1, np.inf, np.inf, np.nan, 0, 1e-9, -np.inf])
    b = np.float32([1 + 1e-6, 1.1, np.inf, -np.inf, np.nan, 1e-9, 0, -np.inf])
    for options in ({}, {"equal_nan": True}, {"rtol": 0.2}, {"atol": 0.0}):
        same("isclose", a, b, **options)
        same("allclose", a, b, **options)
    same("isclose", a[:2, None], b[None, :2])
    same("isclose", np.int32([100000, 5]), np.int32([100001, 6]))
    same("isclose", np.complex64([1 + 1j, complex(np.inf, 0)]), np.complex64([1 + 1j, 1]))
    assert bool(jnp.allclose(1.0, 1.0)) and jnp.isclose(True, True).dtype == bool


def test_equal_arrays():
    for a, b in ((X, X), (X, X[0]), (X, X + 1), (np.float32([np.nan]), np.float32([np.nan]))):
        for equal_nan in (False, True):
            assert bool(jnp.array_equal(a, b, equal_nan)) == np.array_equal(a, b, equal_nan)
        assert bool(jnp.array_equiv(a, b)) == np.array_equiv(a, b)
    assert bool(jnp.array_equiv(X, X[:, :1])) == np.array_equiv(X, X[:, :1]) and not bool(jnp.array_equiv(X, np.ones(5)))
    assert bool(jnp.array_equal([1, 2], [1, 2]))


@given(st.lists(st.integers(0, 1), max_size=20), st.sampled_from(["big", "little"]))
def test_packed_bits(bits, order):
    x = np.array(bits, np.int32)
    packed = jnp.packbits(x, bitorder=order)
    np.testing.assert_array_equal(packed, np.packbits(x, bitorder=order))
    np.testing.assert_array_equal(jnp.unpackbits(packed, count=len(bits), bitorder=order), x)


def test_bits_along_axes():
    x = numbers((3, 10), "int32") % 2
    for axis in (None, 0, 1, -1):
        same("packbits", x, axis, jit=False)
        for count in (None, 5, 12, 40, -3):
            same("unpackbits", numbers((2, 3), "uint8"), axis, count, jit=False)
    same("packbits", x == 1, 1)
    for call, error in ((lambda: jnp.packbits(X), TypeError), (lambda: jnp.unpackbits(x), TypeError),
                        (lambda: jnp.packbits(x, bitorder="middle"), ValueError)):
        with pytest.raises(error, match="packbits"):
            call()


def test_vander():
    for x in (np.int32([1, 2, 3]), np.float32([0, 1.5]), np.complex64([1j])):
        for options in ({}, {"N": 2}, {"N": 4, "increasing": True}, {"N": 0}):
            same("vander", x, rtol=1e-6, jit=False, **options)


def test_showing():
    x = jnp.array([1.23456, 1000000.0])
    assert jnp.array_repr(x, precision=3, suppress_small=True) == "A" + np.array_repr(np.asarray(x), precision=3, suppress_small=True)[1:]
    assert jnp.array_str(x, precision=3) == np.array_str(np.asarray(x), precision=3)
    assert jnp.iterable(x) and not jnp.iterable(1)
