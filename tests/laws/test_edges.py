"""Derivatives where formulas go wrong: at 0, at infinity, in ties, where digits cancel."""
import numpy as np
import pytest

import gnomon
from gnomon import lax
from gnomon.base.settings import enable_x64

INF, NAN = np.inf, np.nan
ROOT_PI = np.sqrt(np.pi)

# function, point, first derivative, second derivative (None: not asked)
ONE_OPERAND = [
    ("tanh", 1e-300, 1.0, -2e-300), ("tanh", 0.0, 1.0, 0.0), ("tanh", 800.0, 0.0, 0.0), ("tanh", INF, 0.0, 0.0),
    ("atanh", 1e-300, 1.0, 2e-300), ("atanh", 1e-8, 1.0, 2e-8),
    ("logistic", 40.0, 4.248354255291589e-18, -4.248354255291589e-18),
    ("logistic", -40.0, 4.248354255291589e-18, 4.248354255291589e-18),
    ("logistic", -800.0, 0.0, 0.0), ("logistic", INF, 0.0, 0.0), ("logistic", -INF, 0.0, 0.0),
    ("expm1", -40.0, 4.248354255291589e-18, 4.248354255291589e-18), ("expm1", 0.0, 1.0, 1.0),
    ("log1p", 0.0, 1.0, -1.0), ("log1p", 1e-300, 1.0, -1.0), ("log", INF, 0.0, None), ("log", 0.0, INF, None),
    ("sqrt", 0.0, INF, None), ("sqrt", INF, 0.0, None), ("rsqrt", INF, 0.0, None), ("cbrt", 0.0, INF, None),
    ("cbrt", INF, 0.0, 0.0),
    ("abs", 0.0, 0.0, 0.0), ("abs", -0.0, 0.0, 0.0), ("abs", -2.0, -1.0, 0.0), ("abs", -INF, -1.0, 0.0),
    ("sign", 0.0, 0.0, 0.0), ("square", 0.0, 0.0, 2.0), ("floor", 1.0, 0.0, 0.0),
    ("asin", 1.0, INF, None), ("asin", 0.0, 1.0, 0.0), ("acosh", 1.0, INF, None), ("atan", 1e200, 0.0, 0.0),
    ("erf", 0.0, 2 / ROOT_PI, 0.0), ("erf", 40.0, 0.0, 0.0), ("erf_inv", 0.0, ROOT_PI / 2, 0.0),
    ("digamma", INF, 0.0, 0.0), ("lgamma", 1.0, -0.5772156649015329, np.pi ** 2 / 6),
    ("bessel_i0e", 0.0, 0.0, 0.5), ("bessel_i1e", 0.0, 0.5, 0.0), ("bessel_i1e", 1e-300, 0.5, -1.0),
    ("bessel_i1e", INF, 0.0, 0.0),
    ("atan", INF, 0.0, 0.0), ("atan", -1e200, 0.0, 0.0), ("asinh", 1e200, 1e-200, 0.0), ("asinh", INF, 0.0, 0.0), ("erf", INF, 0.0, 0.0),
    ("erfc", -1e200, 0.0, 0.0), ("digamma", -9.3, 14.977461106631300278, None), ("log2", 2.0 ** -1022, 2.0 ** 1022 / np.log(2), None),
    ("exp2", 0.0, np.log(2), np.log(2) ** 2), ("log2", 1.0, 1 / np.log(2), -1 / np.log(2)),
]


@pytest.mark.parametrize("name, x, first, second", ONE_OPERAND)
def test_one_operand(name, x, first, second):
    f = getattr(lax, name)
    with enable_x64(True):
        np.testing.assert_allclose(float(gnomon.grad(f)(x)), first, rtol=1e-12)
        if second is not None:
            np.testing.assert_allclose(float(gnomon.grad(gnomon.grad(f))(x)), second, rtol=1e-12)


# function, operands, derivatives in each
TWO_OPERANDS = [
    ("pow", (0.0, 0.0), (0.0, 0.0)), ("pow", (0.0, 1.0), (1.0, 0.0)), ("pow", (0.0, 2.0), (0.0, 0.0)),
    ("pow", (0.0, 0.5), (INF, 0.0)),
    ("pow", (23.0, 0.0), (0.0, np.log(23))), ("pow", (-2.0, 3.0), (12.0, NAN)), ("pow", (1.0, INF), (INF, 0.0)),
    ("max", (1.0, 1.0), (0.5, 0.5)), ("min", (1.0, 1.0), (0.5, 0.5)), ("max", (INF, INF), (0.5, 0.5)),
    ("max", (1.0, 2.0), (0.0, 1.0)),
    ("div", (0.0, 2.0), (0.5, 0.0)), ("div", (1.0, INF), (0.0, 0.0)), ("rem", (7.0, 2.0), (1.0, -3.0)),
    ("rem", (-7.0, 2.0), (1.0, 3.0)),
    ("rem", (5.0, INF), (1.0, 0.0)), ("atan2", (0.0, 1.0), (1.0, 0.0)), ("atan2", (0.0, -1.0), (-1.0, 0.0)),
    ("atan2", (1e-200, 1e-200), (5e199, -5e199)), ("atan2", (1e200, 1e200), (5e-201, -5e-201)),
    ("igamma", (1.0, 0.0), (0.0, 1.0)), ("igamma", (2.0, 0.0), (0.0, 0.0)), ("igamma", (2.0, INF), (0.0, 0.0)),
    ("igamma", (1e-200, 1e-200), (np.log(1e-200) + 0.5772156649015329, 1.0)), ("mul", (0.0, 5.0), (5.0, 0.0)),
]


@pytest.mark.parametrize("name, at, slopes", TWO_OPERANDS)
def test_two_operands(name, at, slopes):
    with enable_x64(True):
        for i, want in enumerate(slopes):
            np.testing.assert_allclose(float(gnomon.grad(getattr(lax, name), i)(*at)), want, rtol=1e-12)


def test_mixed_second_derivatives_of_pow_agree():
    with enable_x64(True):
        one = float(gnomon.grad(gnomon.grad(lax.pow, 0), 1)(23.0, 0.0))
        other = float(gnomon.grad(gnomon.grad(lax.pow, 1), 0)(23.0, 0.0))
    np.testing.assert_allclose([one, other], 1 / 23)


def test_integer_power_at_zero():
    for compile_ in (lambda f: f, gnomon.jit):
        slope = gnomon.jacfwd(compile_(lambda x, k: lax.pow(x, k)))
        assert [float(slope(0.0, k)) for k in (0, 1, 2)] == [0.0, 1.0, 0.0]


def test_clamp_shares_a_tie():
    f = lambda low, x, high: lax.clamp(low, x, high)     # noqa: E731
    slopes = {(0.0, 0.5, 1.0): (0, 1, 0), (0.0, -1.0, 1.0): (1, 0, 0), (0.0, 2.0, 1.0): (0, 0, 1),
              (0.0, 0.0, 1.0): (0.5, 0.5, 0),
              (0.0, 1.0, 1.0): (0, 0.5, 0.5), (2.0, 0.0, 1.0): (0, 0, 1)}
    for at, want in slopes.items():
        assert tuple(float(gnomon.grad(f, i)(*at)) for i in range(3)) == want


def test_modulus_of_a_complex_number():
    with enable_x64(True):
        z = 1.0 + 0.5j
        np.testing.assert_allclose(complex(gnomon.grad(lax.abs)(z)), np.conj(z) / abs(z))
        assert complex(gnomon.grad(lax.abs)(0j)) == 0


def test_branches_of_complex_functions():
    """Derivatives by differences on both sides of every cut."""
    points = np.array([complex(x, y) for x in (-2.5, -0.5, 0.5, 2.5) for y in (-1.5, -0.5, 0.5, 1.5)])
    with enable_x64(True):
        for name in ("log", "sqrt", "log1p", "asin", "acos", "atan", "asinh", "acosh", "atanh", "tan", "tanh"):
            f, h = getattr(lax, name), 1e-6
            slopes = gnomon.vmap(gnomon.grad(f, holomorphic=True))(points)
            wanted = (np.asarray(f(points + h)) - np.asarray(f(points - h))) / (2 * h)
            np.testing.assert_allclose(np.asarray(slopes), wanted, rtol=1e-7, err_msg=name)


def test_incomplete_beta_moves_with_all_operands():
    with enable_x64(True):
        for at in ((0.5, 2.0, 0.3), (3.0, 0.7, 0.9), (0.01, 1.0, 0.5), (20.0, 30.0, 0.45)):
            for i in range(3):
                h = 1e-5 * at[i]
                low, high = [list(at), list(at)]
                low[i], high[i] = at[i] - h, at[i] + h
                wanted = (float(lax.betainc(*high)) - float(lax.betainc(*low))) / (2 * h)
                np.testing.assert_allclose(float(gnomon.grad(lax.betainc, i)(*at)), wanted, rtol=1e-6)


def test_what_has_no_derivative_says_so():
    assert gnomon.grad(lax.nextafter)(1.0, 2.0) == 1.0
    with pytest.raises(NotImplementedError, match="order is an integer"):
        gnomon.grad(lax.polygamma)(1.0, 2.0)


def test_slope_of_zeta():
    """Of Riemann's function at 2: the sum of -log(k) / k^2."""
    with enable_x64(True):
        np.testing.assert_allclose(float(gnomon.grad(lax.zeta)(2.0, 1.0)), -0.9375482543158438, rtol=1e-13)
        assert np.isnan(float(gnomon.grad(lax.zeta)(2.0, -0.5))) and float(gnomon.grad(lax.zeta)(2.0, INF)) == 0
