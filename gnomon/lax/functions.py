"""Functions of numbers, elementwise: exponentials, logarithms, roots, trigonometry, special functions."""
from __future__ import annotations

from gnomon.lax.operands import AccuracyMode, Tolerance, accurate, binary, made_elsewhere, unary, values
from gnomon.ops import exponential as e
from gnomon.ops import special as s
from gnomon.ops import trigonometric as t
from gnomon.trace.stage import bind

__all__ = [
    "AccuracyMode", "Tolerance", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "bessel_i0e",
    "bessel_i1e", "betainc", "cbrt", "cos", "cosh", "digamma", "erf", "erf_inv", "erfc", "exp", "exp2", "expm1",
    "igamma", "igamma_grad_a", "igammac", "lgamma", "log", "log1p", "log2", "logistic", "polygamma", "pow",
    "random_gamma_grad", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "zeta",
]

# ---- exponentials, logarithms, roots ----------------------------------------------------------------------------

exp = accurate(e.Exp, "e to the power x.", ("float(exp(0.0))", "1.0"))
exp2 = accurate(e.Exp2, "2 to the power x, exact where x is an integer.", ("float(exp2(10.0))", "1024.0"))
expm1 = accurate(e.Expm1, "exp(x) - 1, to full precision where x is near 0.",
                 ("round(float(expm1(1e-6)) * 1e6, 4)", "1.0"))
log = accurate(e.Log, "The natural logarithm.", ("float(log(1.0))", "0.0"))
log1p = accurate(e.Log1p, "log(1 + x), to full precision where x is near 0.",
                 ("round(float(log1p(1e-6)) * 1e6, 4)", "1.0"))
log2 = accurate(e.Log2, "The logarithm with base 2, exact for powers of 2.", ("float(log2(8.0))", "3.0"))
logistic = accurate(e.Logistic, "The logistic function 1 / (1 + exp(-x)).", ("float(logistic(0.0))", "0.5"))
sqrt = accurate(e.Sqrt, "The square root.", ("float(sqrt(9.0))", "3.0"))
rsqrt = accurate(e.Rsqrt, "One over the square root.", ("float(rsqrt(4.0))", "0.5"))
cbrt = accurate(e.Cbrt, "The real cube root.", ("round(float(cbrt(-8.0)), 5)", "-2.0"))


def pow(x, y):
    """x to the power y.

    x holds floats or complex numbers, y has the same dtype or integers (TypeError otherwise); sizes of 1 are repeated
    and scalars go with every shape. The derivative is 0 where y is 0, and in y where x is 0.

    >>> float(pow(2.0, 3)), float(pow(4.0, 0.5))
    (8.0, 2.0)
    """
    return bind(_pow, *values("pow", (x, y)))


_pow = e.Pow()

# ---- trigonometry -----------------------------------------------------------------------------------------------

sin = accurate(t.Sin, "The sine of x, in radians.", ("float(sin(0.0))", "0.0"))
cos = accurate(t.Cos, "The cosine of x, in radians.", ("float(cos(0.0))", "1.0"))
tan = accurate(t.Tan, "The tangent of x, in radians.", ("float(tan(0.0))", "0.0"))
asin = unary(t.Asin, "The inverse sine, in [-pi/2, pi/2].", ("round(float(asin(1.0)), 4)", "1.5708"))
acos = unary(t.Acos, "The inverse cosine, in [0, pi].", ("float(acos(1.0))", "0.0"))
atan = unary(t.Atan, "The inverse tangent, in [-pi/2, pi/2].", ("round(float(atan(1.0)), 4)", "0.7854"))
atan2 = binary(t.Atan2, "The angle of the point whose second coordinate is x and whose first is y, in [-pi, pi].",
               ("round(float(atan2(1.0, -1.0)), 4)", "2.3562"))
sinh = unary(t.Sinh, "The hyperbolic sine.", ("float(sinh(0.0))", "0.0"))
cosh = unary(t.Cosh, "The hyperbolic cosine.", ("float(cosh(0.0))", "1.0"))
tanh = accurate(t.Tanh, "The hyperbolic tangent.", ("float(tanh(0.0))", "0.0"))
asinh = unary(t.Asinh, "The inverse hyperbolic sine.", ("float(asinh(0.0))", "0.0"))
acosh = unary(t.Acosh, "The inverse hyperbolic cosine.", ("float(acosh(1.0))", "0.0"))
atanh = unary(t.Atanh, "The inverse hyperbolic tangent.", ("float(atanh(0.0))", "0.0"))

# ---- special functions ------------------------------------------------------------------------------------------

erf = unary(s.Erf, "The error function.", ("round(float(erf(1.0)), 4)", "0.8427"))
erfc = accurate(s.Erfc, "1 - erf(x), to full precision where that is near 0.", ("round(float(erfc(1.0)), 4)", "0.1573"))
erf_inv = unary(s.ErfInv, "The inverse of the error function.", ("round(float(erf_inv(0.5)), 4)", "0.4769"))
lgamma = unary(s.Lgamma, "The logarithm of the absolute value of the gamma function.",
               ("round(float(lgamma(5.0)), 4)", "3.1781"))
digamma = unary(s.Digamma, "The derivative of lgamma.", ("round(float(digamma(1.0)), 4)", "-0.5772"))
bessel_i0e = unary(s.BesselI0e, "exp(-|x|) times the modified Bessel function of order 0.",
                   ("float(bessel_i0e(0.0))", "1.0"))
bessel_i1e = unary(s.BesselI1e, "exp(-|x|) times the modified Bessel function of order 1.",
                   ("float(bessel_i1e(0.0))", "0.0"))


_polygamma, _zeta, _igamma, _igammac = s.Polygamma(), s.Zeta(), s.Igamma(), s.Igammac()
_igamma_grad_a, _random_gamma_grad, _beta = s.IgammaGradA(), s.RandomGammaGrad(), s.RegularizedIncompleteBeta()


def polygamma(m, x):
    """The derivative of digamma of order m, a float that holds an integer; its own derivative is in x only.

    m and x are arrays or scalars of floats, of one dtype (TypeError otherwise) and one rank, where sizes of 1 are
    repeated; scalars go with every shape.

    >>> round(float(polygamma(1.0, 1.0)), 4)
    1.6449
    """
    return bind(_polygamma, *values("polygamma", (m, x)))


def zeta(x, q):
    """The Hurwitz zeta function, the sum of (q + k) ** -x over k = 0, 1, ...; its derivative is in q only.

    x and q are arrays or scalars of floats, of one dtype (TypeError otherwise) and one rank, where sizes of 1 are
    repeated; scalars go with every shape.

    >>> round(float(zeta(2.0, 1.0)), 4)
    1.6449
    """
    return bind(_zeta, *values("zeta", (x, q)))


def igamma(a, x):
    """The regularised lower incomplete gamma function, with derivatives in both operands.

    a and x are arrays or scalars of floats, of one dtype (TypeError otherwise) and one rank, where sizes of 1 are
    repeated; scalars go with every shape.

    >>> round(float(igamma(1.0, 1.0)), 4)
    0.6321
    """
    return bind(_igamma, *values("igamma", (a, x)))


def igammac(a, x):
    """The regularised upper incomplete gamma function, 1 - igamma(a, x), with derivatives in both operands.

    a and x are arrays or scalars of floats, of one dtype (TypeError otherwise) and one rank, where sizes of 1 are
    repeated; scalars go with every shape.

    >>> round(float(igammac(1.0, 1.0)), 4)
    0.3679
    """
    return bind(_igammac, *values("igammac", (a, x)))


def igamma_grad_a(a, x):
    """The derivative of igamma(a, x) in a; its own derivative is in x only.

    a and x are arrays or scalars of floats, of one dtype (TypeError otherwise) and one rank, where sizes of 1 are
    repeated; scalars go with every shape.

    >>> round(float(igamma_grad_a(1.0, 1.0)), 4)
    -0.4317
    """
    return bind(_igamma_grad_a, *values("igamma_grad_a", (a, x)))


def random_gamma_grad(a, x):
    """How a sample x of the gamma distribution moves with its parameter a when its quantile is held.

    a and x are arrays or scalars of floats, of one dtype (TypeError otherwise) and one rank, where sizes of 1 are
    repeated; scalars go with every shape.

    >>> round(float(random_gamma_grad(1.0, 1.0)), 4)
    1.1736
    """
    return bind(_random_gamma_grad, *values("random_gamma_grad", (a, x)))


def betainc(a, b, x):
    """The regularised incomplete beta function, with derivatives in all three operands.

    a, b and x are arrays or scalars of floats, of one dtype (TypeError otherwise) and one rank, where sizes of 1 are
    repeated; scalars go with every shape. NaN where x is outside of [0, 1] or a or b is negative.

    >>> round(float(betainc(1.0, 2.0, 0.5)), 4)
    0.75
    """
    return bind(_beta, *values("betainc", (a, b, x)))


__test__ = made_elsewhere(globals())
