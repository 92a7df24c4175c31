"""pad against NumPy, in every mode."""
import numpy as np
import pytest
from hypothesis import given, strategies as st

import gnomon as G
import gnomon.numpy as jnp
from tests.numpy.against_numpy import numbers, same

pytestmark = pytest.mark.filterwarnings("ignore::gnomon.errors.GnomonWarning")     # NumPy counts in 64 bits

V, M, I = numbers((5,)), numbers((2, 3)), numbers((5,), "int32")


@pytest.mark.parametrize("x, width, options", [
    (V, 2, {}), (M, ((1, 0), (0, 2)), {}), (M, ((1, 2),), {}), (M, 1, {"constant_values": 7}), (V, (1, 2), {"constant_values": (3, 4)}),
    (M, ((1, 0), (0, 1)), {"constant_values": ((1, 2), (3, 4))}), (numbers((0,)), 2, {}), (M, {0: (1, 2)}, {}),
    (V, 2, {"mode": "edge"}), (M, ((1, 2), (0, 3)), {"mode": "edge"}), (V, (3, 7), {"mode": "reflect"}), (V, (9, 6), {"mode": "symmetric"}),
    (V, (12, 7), {"mode": "wrap"}), (M, 4, {"mode": "wrap"}), (M, 1, {"mode": "reflect"}), (V[:1], 3, {"mode": "reflect"}),
    (V[:1], 3, {"mode": "symmetric"}), (V, (3, 2), {"mode": "reflect", "reflect_type": "odd"}),
    (V, (9, 7), {"mode": "reflect", "reflect_type": "odd"}),
    (V, (3, 2), {"mode": "symmetric", "reflect_type": "odd"}), (M, (2, 3), {"mode": "symmetric", "reflect_type": "odd"}),
    (V, (1, 2), {"mode": "linear_ramp"}), (V, (4, 2), {"mode": "linear_ramp", "end_values": (-3, 9)}),
    (M, 2, {"mode": "linear_ramp", "end_values": 5}),
    (V, 2, {"mode": "maximum"}), (M, ((1, 2), (3, 0)), {"mode": "maximum", "stat_length": 2}),
    (V, (3, 2), {"mode": "minimum", "stat_length": (2, 3)}),
    (V, 2, {"mode": "mean"}), (I, (3, 2), {"mode": "mean", "stat_length": 2}), (M, 1, {"mode": "mean"}), (V, 2, {"mode": "median"}),
    (V, 2, {"mode": "median", "stat_length": (2, 3)}), (M, 2, {"mode": "median"}), (V, 0, {"mode": "edge"}),
], ids=str)
def test_against_numpy(x, width, options):
    same("pad", x, width, rtol=1e-6, jit=False, **options)
    np.testing.assert_allclose(G.jit(lambda x: jnp.pad(x, width, **options))(x), jnp.pad(x, width, **options), rtol=1e-6)


@given(st.integers(1, 4), st.integers(0, 9), st.integers(0, 9), st.sampled_from(["reflect", "symmetric", "wrap", "edge"]))
def test_any_width(n, before, behind, mode):
    x = numbers((n,))
    np.testing.assert_array_equal(jnp.pad(x, (before, behind), mode), np.pad(x, (before, behind), mode))


def test_other_dtypes_and_values():
    for dtype in ("bool", "uint8", "bfloat16", "complex64"):
        x = jnp.asarray(numbers((4,), "float32")).astype(dtype)
        for mode in ("constant", "reflect", "edge", "wrap"):
            assert jnp.pad(x, 1, mode).dtype == x.dtype
    np.testing.assert_array_equal(jnp.pad(I, 1, constant_values=2.7)[::6], [2, 2])
    np.testing.assert_array_equal(G.jit(lambda c: jnp.pad(V, 1, constant_values=c)[0])(5.0), 5)
    np.testing.assert_array_equal(jnp.pad(V, 1, "empty")[1:-1], V)
    np.testing.assert_array_equal(jnp.pad(1.5, 3), 1.5)


def test_by_a_function():
    def fill(vector, width, axis, kwargs):
        return vector.at[:width[0]].set(kwargs["value"]).at[vector.shape[0] - width[1]:].set(axis)
    out = jnp.pad(M, 1, fill, value=9.0)
    expected = np.pad(M, 1)
    expected[0], expected[-1], expected[:, 0], expected[:, -1] = 9, 0, 9, 1
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("options", [{}, {"mode": "reflect"}, {"mode": "edge"}, {"mode": "wrap"},
                                     {"mode": "symmetric", "reflect_type": "odd"},
                                     {"mode": "linear_ramp"}, {"mode": "mean"}], ids=str)
def test_gradient(options):
    f = lambda x: jnp.pad(x, (3, 2), **options)
    weights = numbers((10,), seed=1)
    matrix = np.stack([np.asarray(f(row)) for row in np.eye(5, dtype=np.float32)], 1)
    np.testing.assert_allclose(G.grad(lambda x: (f(x) * weights).sum())(V), weights @ matrix, rtol=1e-5)


@pytest.mark.parametrize("call, error, text", [
    (lambda: jnp.pad(V, -1), ValueError, "at least 0"),
    (lambda: jnp.pad(V, 1.5), TypeError, "integers as pad_width"),
    (lambda: jnp.pad(M, (1, 2, 3)), ValueError, "one number, a pair, or a pair for each of the 2 axes"),
    (lambda: jnp.pad(V, 1, "mirror"), G.errors.Refused, "no mode 'mirror'"),
    (lambda: jnp.pad(V, 1, "edge", constant_values=1), ValueError, "takes no constant_values in mode 'edge'"),
    (lambda: jnp.pad(V, 1, "reflect", reflect_type="even_more"), ValueError, "'even' or 'odd'"),
    (lambda: jnp.pad(V[:0], 1, "edge"), ValueError, "axis 0 of an array of type float32"),
    (lambda: jnp.pad(V, 1, "mean", stat_length=0), ValueError, "at least 1"),
    (lambda: jnp.pad([1], 1), TypeError, "pad requires ndarray"),
    (lambda: jnp.pad(V, 1, constant_values=np.arange(3)), ValueError, "constant_values"),
], ids=lambda x: "")
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
