"""Values of elementwise functions against NumPy and SciPy, in double precision, at ordinary numbers and at the ends."""
import numpy as np
import pytest
import scipy.special as sp

import gnomon
from gnomon import lax
from gnomon.base.settings import enable_x64

INF, NAN = np.inf, np.nan
LINE = np.concatenate([np.linspace(-5, 5, 101),
                       [0.0, -0.0, INF, -INF, NAN, 1e-10, -1e-10, 1e-300, 30, -30, 300, -300, 1e5, 1e300]])
HALF_LINE = np.array([0.0, 1e-3, 0.1, 0.5, 1, 1.5, 2, 3, 10, 50, 200, 1e3, INF, NAN, -1])

UNARY = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2, "logistic": sp.expit, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "cbrt": np.cbrt, "square": np.square, "abs": np.abs, "sign": np.sign,
    "floor": np.floor,
    "ceil": np.ceil, "erf": sp.erf, "erfc": sp.erfc, "erf_inv": sp.erfinv, "bessel_i0e": sp.i0e, "bessel_i1e": sp.i1e,
    "one_minus_square": lambda x: (1 - x) * (1 + x)}
BINARY = {
    "igamma": sp.gammainc, "igammac": sp.gammaincc, "atan2": np.arctan2, "pow": np.power, "rem": np.fmod,
    "nextafter": np.nextafter,
    "max": np.maximum, "min": np.minimum, "div": np.divide}


def assert_near(got, want, rtol):
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(np.asarray(got), want, rtol=rtol, atol=1e-300)


@pytest.mark.parametrize("name", UNARY)
def test_function_of_one_number(name):
    with np.errstate(all="ignore"), enable_x64(True):
        assert_near(getattr(lax, name)(LINE), UNARY[name](LINE), 1e-12)


@pytest.mark.parametrize("name", BINARY)
def test_function_of_two_numbers(name):
    x, y = map(np.ravel, np.meshgrid(HALF_LINE, HALF_LINE))
    with np.errstate(all="ignore"), enable_x64(True):
        assert_near(getattr(lax, name)(x, y), BINARY[name](x, y), 1e-9)


@pytest.mark.parametrize("name, reference", [("lgamma", sp.gammaln), ("digamma", sp.psi)])
def test_gamma_function(name, reference):
    x = np.concatenate([np.linspace(-4.9, 5, 57), [1e-5, 30, 1e5, INF, NAN]])
    with enable_x64(True):
        assert_near(getattr(lax, name)(x), reference(x), 1e-11)


def test_polygamma_and_zeta():
    x = np.array([0.1, 0.5, 1, 2, 10, 1e3, INF, NAN])
    with enable_x64(True):
        for m in range(5):
            assert_near(lax.polygamma(np.full(len(x), float(m)), x), sp.polygamma(m, x), 1e-10)
        for s in (1.1, 2.0, 7.5):
            assert_near(lax.zeta(np.full(len(x), s), x), sp.zeta(s, x), 1e-10)


def test_incomplete_beta():
    x = np.array([0.0, 1e-10, 0.01, 0.3, 0.5, 0.9, 1, -0.1, 1.1, NAN])
    a, b, x = map(np.ravel, np.meshgrid(HALF_LINE[1:], HALF_LINE[1:], x))
    inner = ~(np.isinf(a) & np.isinf(b))
    with enable_x64(True):
        assert_near(lax.betainc(a, b, x)[inner], sp.betainc(a, b, x)[inner], 1e-8)


def test_powers_of_two_are_exact():
    for dtype, n in (("float32", 126), ("float64", 1022)):
        k = np.arange(-n, n).astype(dtype)
        with enable_x64(True):
            powers = np.asarray(lax.exp2(k))
            np.testing.assert_array_equal(powers, np.ldexp(np.ones(len(k), dtype), k.astype(int)))
            np.testing.assert_array_equal(np.asarray(lax.log2(powers)), k)


def test_erf_inv_near_one():
    x = 1 - np.logspace(-15, -1, 30)
    with enable_x64(True):
        try:
            gnomon.config.update("accurate_erf_inv", True)
            assert_near(lax.erf_inv(x), sp.erfinv(x), 1e-14)
        finally:
            gnomon.config.update("accurate_erf_inv", False)


def test_integers_as_xla_divides_them():
    x, y = np.array([7, -7, 7, -7, 7], np.int32), np.array([2, 2, -2, -2, 0], np.int32)
    assert np.asarray(lax.div(x, y)).tolist() == [3, -3, -3, 3, -1]
    assert np.asarray(lax.rem(x, y)).tolist() == [1, -1, 1, -1, 7]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_upper_half_of_a_product(dtype):
    info, rng = np.iinfo(dtype), np.random.default_rng(0)
    x, y = rng.integers(info.min, info.max, (2, 500), dtype, endpoint=True)
    x[:4], y[:4] = [info.min, info.max, 0, info.min], [info.min, info.max, 5, info.max]
    with enable_x64(True):
        want = [(int(a) * int(b)) >> info.bits for a, b in zip(x, y)]
        np.testing.assert_array_equal(np.asarray(lax.mulhi(x, y)), np.array(want, dtype))


def test_shifts_over_the_edge():
    x, y = np.int32(-8), np.array([0, 31, 32, 40, -1], np.int32)
    assert np.asarray(lax.shift_left(x, y)).tolist() == [-8, 0, 0, 0, 0]
    assert np.asarray(lax.shift_right_arithmetic(x, y)).tolist() == [-8, -1, -1, -1, -1]
    assert np.asarray(lax.shift_right_logical(x, y)).tolist() == [-8, 1, 0, 0, 0]
