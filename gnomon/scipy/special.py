"""gnomon.scipy.special: special functions of real numbers, element by element; integers are computed with as floats."""
from __future__ import annotations

import fractions
import math

import numpy as np

from gnomon import numpy as jnp
from gnomon.api.custom import custom_jvp
from gnomon.base.errors import Refused
from gnomon.nn import normalization
from gnomon.numpy.axes import integer
from gnomon.numpy.creation import default_float, owned
from gnomon.numpy.promote import as_value, to_inexact
from gnomon.ops import special as ops
from gnomon.ops import special_integrals as integrals
from gnomon.ops import special_logarithms as logarithms
from gnomon.ops.exponential import logistic
from gnomon.scipy import complex_special
from gnomon.scipy.floats import elementwise
from gnomon.scipy.harmonics import bessel_jn, lpmn, lpmn_values, sph_harm_y
from gnomon.types.dtype import is_complex

__all__ = ["bernoulli", "bessel_jn", "beta", "betainc", "betaln", "boxcox", "boxcox1p", "comb", "dawsn", "digamma", "entr", "erf", "erfc",
           "erfcinv", "erfcx", "erfinv", "exp1", "expi", "expit", "expn", "factorial", "fresnel", "gamma", "gammainc", "gammaincc",
           "gammaln", "gammasgn", "hyp1f1", "hyp2f1", "i0", "i0e", "i1", "i1e", "kl_div", "log_ndtr", "log_softmax", "loggamma", "logit",
           "logsumexp", "lpmn", "lpmn_values", "multigammaln", "ndtr", "ndtri", "owens_t", "poch", "polygamma", "rel_entr", "sici",
           "softmax", "spence", "sph_harm_y", "wofz", "xlog1py", "xlogy", "zeta"]


# ---- error functions and the normal distribution --------------------------------------------------------------------

@elementwise
def erf(x):
    """The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.

    >>> float(erf(0.5))
    0.5204998...
    """
    return ops.erf(x)


@elementwise
def erfc(x):
    """1 - erf(x), exact where that is near 0.

    >>> float(erfc(3.0))
    2.2090...e-05
    """
    return ops.erfc(x)


@elementwise
def erfinv(x):
    """The inverse of erf, for x between -1 and 1.

    >>> float(erfinv(0.5))
    0.47693...
    """
    size = jnp.abs(x)
    outer = size > 0.5
    far = jnp.sign(x) * integrals.erfcinv(jnp.where(outer, 1 - size, 1))
    return jnp.where(outer, far, ops.erf_inv(jnp.where(outer, 0, x)))


@elementwise(strong=True)
def erfcinv(y):
    """The inverse of erfc, for y between 0 and 2, exact for small y.

    >>> float(erfcinv(1e-20))
    6.601580...
    """
    return integrals.erfcinv(y)


def erfcx(x):
    """exp(x^2) erfc(x), of real or complex x.

    >>> float(erfcx(10.0))
    0.05614...
    """
    x = to_inexact(as_value(x, "erfcx", 0))
    return complex_special.wofz(jnp.conj(-jnp.conj(x) * 1j)) if is_complex(x.type.dtype) else real_erfcx(x)


@elementwise(strong=True)
def real_erfcx(x):
    return integrals.erfcx(x)


def wofz(z):
    """The Faddeeva function exp(-z^2) erfc(-i z), complex; of real or complex z.

    >>> complex(wofz(1j)).real
    0.42758...
    """
    return complex_special.wofz(to_inexact(as_value(z, "wofz", 0)))


@elementwise(strong=True)
def dawsn(x):
    """Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x.

    >>> float(dawsn(1.0))
    0.53807...
    """
    return integrals.dawsn(x)


@elementwise(strong=True)
def ndtr(x):
    """The cumulative function of the normal distribution, exact where it is near 0.

    >>> float(ndtr(0.0))
    0.5
    """
    return integrals.ndtr(x)


@elementwise(strong=True)
def ndtri(p):
    """The inverse of `ndtr`, for p between 0 and 1.

    >>> float(ndtri(0.5))
    0.0
    """
    return integrals.ndtri(p)


def log_ndtr(x, series_order=3):
    """The logarithm of `ndtr`, exact everywhere, whatever `series_order` says.

    >>> float(log_ndtr(-20.0))
    -203.917...
    """
    return real_log_ndtr(x)


@elementwise(strong=True)
def real_log_ndtr(x):
    return integrals.log_ndtr(x)


@elementwise(strong=True)
def owens_t(h, a):
    """Owen's T function: the integral of exp(-h^2 (1 + t^2) / 2) / (2 pi (1 + t^2)) from t = 0 to a.

    >>> float(owens_t(1.0, 1.0))
    0.06674...
    """
    return integrals.owens_t(h, a)


# ---- gamma functions ------------------------------------------------------------------------------------------------

@elementwise(strong=True, complex=lambda x: jnp.exp(complex_special.loggamma(x)))
def gamma(x):
    """The gamma function, (x - 1)! for positive integers, of real or complex numbers. NaN at negative integers.

    >>> float(gamma(0.5))
    1.77245...
    """
    return integrals.gamma(x)


@elementwise
def gammaln(x):
    """The logarithm of |gamma(x)|.

    >>> float(gammaln(100.0))
    359.134...
    """
    return integrals.log_gamma(x)


def loggamma(x):
    """The logarithm of the gamma function, real or complex; NaN for negative real x, whose logarithm is complex.

    >>> complex(loggamma(1j)).real
    -0.65092...
    """
    x = to_inexact(as_value(x, "loggamma", 0))
    return complex_special.loggamma(x) if is_complex(x.type.dtype) else real_loggamma(x)


@elementwise
def real_loggamma(x):
    return jnp.where(x < 0, jnp.nan, integrals.log_gamma(jnp.where(x < 0, 1, x)))


@elementwise
def gammasgn(x):
    """The sign of gamma(x): 1 or -1; NaN at negative integers, that of x at 0.

    >>> float(gammasgn(-0.5))
    -1.0
    """
    return sign_of_gamma(x)


def sign_of_gamma(x):
    floor = jnp.floor(x)
    even = jnp.floor(floor / 2) * 2 == floor
    negative = jnp.where(floor == x, jnp.nan, jnp.where(even, 1, -1).astype(x.dtype))
    zero = jnp.where(jnp.signbit(x), -1, 1).astype(x.dtype)
    return jnp.where(x < 0, negative, jnp.where(x == 0, zero, jnp.where(x > 0, 1, jnp.nan).astype(x.dtype)))


@elementwise
def digamma(x):
    """The derivative of gammaln.

    >>> float(digamma(1.0))
    -0.57721...
    """
    return ops.digamma(x)


@elementwise
def polygamma(n, x):
    """The n-th derivative of digamma, for integers n >= 0.

    >>> float(polygamma(1, 1.0))
    1.64493...
    """
    return ops.polygamma(n, x)


def zeta(x, q=None):
    """The Hurwitz zeta function, the sum of 1 / (q + k)^x over k = 0, 1, ...; without q (q = 1) Riemann's. For x > 1.

    >>> float(zeta(2.0, 1.0))
    1.64493...
    """
    return hurwitz_zeta(x, 1 if q is None else q)


@elementwise
def hurwitz_zeta(x, q):
    return ops.zeta(x, q)


@elementwise
def gammainc(a, x):
    """The regularized lower incomplete gamma function: the integral of t^(a - 1) e^-t from 0 to x, divided by gamma(a).

    >>> float(gammainc(1.0, 1.0))
    0.63212...
    """
    return ops.igamma(a, x)


@elementwise
def gammaincc(a, x):
    """The regularized upper incomplete gamma function, 1 - gammainc(a, x), exact where that is near 0.

    >>> float(gammaincc(1.0, 1.0))
    0.36787...
    """
    return ops.igammac(a, x)


def multigammaln(a, d):
    """The logarithm of the multivariate gamma function of dimension d, an integer known while tracing; a > (d - 1) / 2.

    >>> float(multigammaln(2.0, 1))
    0.0
    """
    d = integer(d, "multigammaln", "d")
    a = to_inexact(as_value(a, "multigammaln", 0))
    shifts = np.arange(d) / 2
    return gammaln(a[..., None] - shifts.astype(a.dtype)).sum(-1) + d * (d - 1) / 4 * math.log(math.pi)


@elementwise
def factorial(n):
    return jnp.where(n < 0, 0, integrals.gamma(jnp.where(n < 0, 0, n) + 1))


_factorial = factorial


def factorial(n, exact=False):
    """n!, as a float; 0 for negative n. exact=True is refused.

    >>> float(factorial(5))
    120.0
    """
    if exact:
        raise Refused("factorial has no exact integers; use exact=False, or math.factorial for a number known while tracing.")
    return _factorial(n)


@elementwise
def poch(z, m):
    """The rising factorial gamma(z + m) / gamma(z).

    >>> float(poch(2.0, 3.0))
    24.0...
    """
    pole = (z <= 0) & (jnp.floor(z) == z)
    sign = jnp.where(pole, 1, sign_of_gamma(z + m) * sign_of_gamma(z))
    return jnp.where(m == 0, 1, sign * jnp.exp(integrals.log_gamma(z + m) - integrals.log_gamma(z)))


def stirling_rest(x):
    """lgamma(x) minus (x - 1/2) log(x) - x + log(2 pi) / 2, for x >= 8."""
    y = 1 / x
    total = 0
    for c in reversed(ops.STIRLING):
        total = total * (y * y) + c
    return total * y


@elementwise
def betaln(a, b):
    """The logarithm of |beta(a, b)|, exact where a or b is large.

    >>> float(betaln(1.0, 2.0))
    -0.69314...
    """
    return log_beta(a, b)


def log_beta(a, b):
    a, b = jnp.minimum(a, b), jnp.maximum(a, b)
    plain = integrals.log_gamma(a) + integrals.log_gamma(b) - integrals.log_gamma(a + b)
    # what is nearly equal in the large terms is taken off by hand
    large = b >= 8
    s, t = jnp.where(large, a, 1), jnp.where(large, b, 8)
    both = large & (a >= 8)
    ratio = s / t
    moved = stirling_rest(t) - stirling_rest(jnp.where(large & (s > 0), s + t, 9)) - (t + s - 0.5) * jnp.log1p(ratio)
    one_large = integrals.log_gamma(s) + moved - s * jnp.log(t) + s
    u = jnp.where(both, s, 8)
    two_large = (math.log(2 * math.pi) / 2 - 0.5 * jnp.log(t) + (u - 0.5) * jnp.log(ratio) + stirling_rest(u) + moved)
    return jnp.where(both, two_large, jnp.where(large & (a > 0), one_large, plain))


@elementwise
def beta(a, b):
    """The beta function gamma(a) gamma(b) / gamma(a + b).

    >>> float(beta(2.0, 2.0))
    0.16666...
    """
    sign = jnp.where((a > 0) & (b > 0), 1, sign_of_gamma(a) * sign_of_gamma(b) * sign_of_gamma(a + b))
    return sign * jnp.exp(log_beta(a, b))


@elementwise
def betainc(a, b, x):
    """The regularized incomplete beta function: the integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x, divided by beta(a, b).

    >>> float(betainc(2.0, 3.0, 0.5))
    0.687...
    """
    return ops.regularized_incomplete_beta(a, b, x)


@elementwise
def combinations(N, k):
    found = jnp.exp(-log_beta(N - k + 1, k + 1)) / (N + 1)
    inside = (k >= 0) & (k <= N) & (N >= 0)
    return jnp.where(inside, found, 0)


def comb(N, k, *, repetition=False):
    """The number of ways to choose k of N things, with `repetition` any of them several times, as a float; 0 where there are none.

    >>> float(comb(5, 2))
    10.0...
    """
    if not repetition:
        return combinations(N, k)
    N, k = as_value(N, "comb", 0), as_value(k, "comb", 1)
    return jnp.where(k == 0, 1, combinations(N + k - 1, k))


def bernoulli(n):
    """The Bernoulli numbers B_0 to B_n, with B_1 = -1/2; n is an integer known while tracing.

    >>> bernoulli(2).tolist()
    [1.0, -0.5, 0.1666666716337204]
    """
    n = integer(n, "bernoulli", "n")
    if n < 0:
        raise ValueError(f"bernoulli takes n >= 0, got {n}.")
    found = [fractions.Fraction(1)]
    for m in range(1, n + 1):
        odd = m > 1 and m % 2
        found.append(fractions.Fraction(0) if odd else
                     -sum(math.comb(m + 1, k) * b for k, b in enumerate(found) if b) / fractions.Fraction(m + 1))
    return owned(np.array([float(b) for b in found]).astype(default_float()))


# ---- logarithms and entropies ---------------------------------------------------------------------------------------

@elementwise
def xlogy(x, y):
    """x log(y), 0 where x is 0.

    >>> float(xlogy(0.0, 0.0))
    0.0
    """
    return logarithms.xlogy(x, y)


@elementwise
def xlog1py(x, y):
    """x log(1 + y), 0 where x is 0.

    >>> float(xlog1py(0.0, -1.0))
    0.0
    """
    return logarithms.xlog1py(x, y)


@elementwise
def entr(x):
    """-x log(x), 0 at 0 and -inf for negative x.

    >>> float(entr(0.5))
    0.34657...
    """
    safe = jnp.where(x < 0, 1, x)
    return jnp.where(x < 0, -jnp.inf, entropy(safe))


@custom_jvp
def entropy(x):
    return -logarithms.xlogy(x, x)


entropy.defjvp(lambda primals, tangents: (entropy(*primals), -(jnp.log(primals[0]) + 1) * tangents[0]))


def entropy_term(p, q):
    """p log(p / q) for p, q > 0."""
    near = jnp.abs(p - q) < q / 2
    difference = jnp.where(near, p - q, 0)
    far = jnp.where(near, 1, p)
    return p * jnp.where(near, jnp.log1p(difference / q), jnp.log(far) - jnp.log(jnp.where(near, 1, q)))


def divergence(p, q):
    """p log(p / q) - p + q for p, q > 0, where p and q are close by the series of log(p / q) in v = (p - q) / (p + q)."""
    difference, mean = p - q, p * 0.5 + q * 0.5
    near = jnp.abs(difference) < mean * 0.2
    v = jnp.where(near, difference * 0.5, 0) / mean
    total = 0
    for k in reversed(range(8)):
        total = total * (v * v) + 1 / (2 * k + 3)
    s, t = jnp.where(near, 1, p), jnp.where(near, 1, q)
    return jnp.where(near, v * difference + 2 * p * (v * v * v) * total, entropy_term(s, t) - s + t)


def limit_at_zero(p, q, zero):
    """p log(p) - p log(q) where p is 0, with the derivatives it has there."""
    p, q = jnp.where(zero, p, 1), jnp.where(zero, q, 1)
    return logarithms.xlogy(p, p) - logarithms.xlogy(p, q)


@elementwise
def rel_entr(p, q):
    """p log(p / q) for p, q > 0; 0 for p = 0 and q >= 0; inf elsewhere.

    >>> float(rel_entr(2.0, 1.0))
    1.38629...
    """
    both = (p > 0) & (q > 0)
    zero = (p == 0) & (q >= 0)
    found = entropy_term(jnp.where(both, p, 1), jnp.where(both, q, 1))
    return jnp.where(both, found, jnp.where(zero, limit_at_zero(p, q, zero), keep_nan(p, q, jnp.inf)))


def keep_nan(p, q, value):
    return jnp.where(jnp.isnan(p) | jnp.isnan(q), jnp.nan, value)


@elementwise
def kl_div(p, q):
    """p log(p / q) - p + q for p, q > 0; q for p = 0 and q >= 0; inf elsewhere.

    >>> float(kl_div(2.0, 1.0))
    0.38629...
    """
    both = (p > 0) & (q > 0)
    zero = (p == 0) & (q >= 0)
    found = divergence(jnp.where(both, p, 1), jnp.where(both, q, 1))
    return jnp.where(both, found, jnp.where(zero, limit_at_zero(p, q, zero) - p + q, keep_nan(p, q, jnp.inf)))


@elementwise(complex=lambda x: 1 / (1 + jnp.exp(-x)))
def expit(x):
    """The logistic function 1 / (1 + exp(-x)), of real or complex numbers.

    >>> float(expit(0.0))
    0.5
    """
    return logistic(x)


@elementwise(complex=lambda x: jnp.log(x / (1 - x)))
def logit(x):
    """log(x / (1 - x)), the inverse of expit, of real or complex numbers.

    >>> float(logit(0.5))
    0.0
    """
    near = jnp.abs(x - 0.5) < 0.2
    inside, outside = jnp.where(near, x, 0.5), jnp.where(near, 0.25, x)
    return jnp.where(near, 2 * jnp.arctanh(2 * inside - 1), jnp.log(outside) - jnp.log1p(-outside))


@elementwise
def boxcox(x, lmbda):
    """(x^lmbda - 1) / lmbda, and log(x) where lmbda is 0, of x > 0.

    >>> float(boxcox(3.0, 1.0))
    2.0...
    """
    return power_over(jnp.log(x), lmbda)


@elementwise
def boxcox1p(x, lmbda):
    """boxcox(1 + x, lmbda), exact where x is near 0.

    >>> float(boxcox1p(0.0, 2.0))
    0.0
    """
    return power_over(jnp.log1p(x), lmbda)


def power_over(logarithm, y):
    """(exp(logarithm y) - 1) / y, by its series where the exponent is small."""
    z = logarithm * y
    near = jnp.abs(z) < 0.1
    w, far = jnp.where(near, z, 0), jnp.where(near, 1, z)
    total = 0
    for k in reversed(range(1, 13)):
        total = total * w + 1 / math.factorial(k)
    return jnp.where(near, logarithm * total, jnp.expm1(far) / jnp.where(near, 1, y))


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    """log(sum(b * exp(a))) along axes (None: all), without overflow.

    b: factors that broadcast to `a`. return_sign: the pair (log of the sum's absolute value, its sign); without it the result is NaN where
    the sum is negative. where: a mask of the elements that count. keepdims: the axes stay with size 1.

    >>> float(logsumexp(jnp.array([1000.0, 1000.0])))
    1000.693...
    """
    return normalization.logsumexp(a, axis, b, keepdims, return_sign, where)


def softmax(x, /, *, axis=None):
    """exp(x), scaled so that it adds up to 1 along axes (None: all).

    >>> softmax(jnp.zeros(2)).tolist()
    [0.5, 0.5]
    """
    return normalization.softmax(x, axis)


def log_softmax(x, /, *, axis=None):
    """The logarithm of `softmax`, without underflow.

    >>> log_softmax(jnp.zeros(1)).tolist()
    [0.0]
    """
    return normalization.log_softmax(x, axis)


# ---- integrals ------------------------------------------------------------------------------------------------------

@elementwise(strong=True)
def expi(x):
    """The exponential integral Ei(x): of e^t / t from -inf to x, a principal value for x > 0.

    >>> float(expi(1.0))
    1.89511...
    """
    return integrals.expi(x)


@elementwise(strong=True)
def exp1(x):
    """The exponential integral E1(x): of e^-t / t from x to inf, for x >= 0.

    >>> float(exp1(1.0))
    0.21938...
    """
    return integrals.exp1(x)


@elementwise(strong=True)
def expn(n, x):
    """The exponential integral E_n(x): of e^(-x t) / t^n from t = 1 to inf, for integers n >= 0 and x >= 0.

    >>> float(expn(2, 0.0))
    1.0
    """
    return integrals.expn(n, x)


@elementwise(strong=True)
def fresnel(x):
    """The pair of Fresnel integrals (S, C): of sin(pi t^2 / 2) and cos(pi t^2 / 2) from 0 to x.

    >>> s, c = fresnel(1.0)
    >>> float(s), float(c)
    (0.43825..., 0.77989...)
    """
    return integrals.fresnel_s(x), integrals.fresnel_c(x)


@elementwise(strong=True)
def sici(x):
    """The pair of the sine and cosine integrals (Si, Ci); for negative x the real part of Ci.

    >>> si, ci = sici(1.0)
    >>> float(si), float(ci)
    (0.94608..., 0.33740...)
    """
    return integrals.sine_integral(x), integrals.cosine_integral(x)


@elementwise(strong=True)
def spence(x):
    """Spence's function: the integral of log(t) / (1 - t) from 1 to x; the dilogarithm of 1 - x.

    >>> float(spence(0.0))
    1.64493...
    """
    return integrals.spence(x)


# ---- Bessel and hypergeometric functions ----------------------------------------------------------------------------

@elementwise
def i0e(x):
    """exp(-|x|) I0(x), with the modified Bessel function of order 0.

    >>> float(i0e(0.0))
    1.0
    """
    return ops.bessel_i0e(x)


@elementwise
def i1e(x):
    """exp(-|x|) I1(x), with the modified Bessel function of order 1.

    >>> float(i1e(0.0))
    0.0
    """
    return ops.bessel_i1e(x)


@elementwise
def i0(x):
    """The modified Bessel function of order 0.

    >>> float(i0(1.0))
    1.26606...
    """
    return ops.bessel_i0(x)


@elementwise
def i1(x):
    """The modified Bessel function of order 1.

    >>> float(i1(1.0))
    0.56515...
    """
    return ops.bessel_i1(x)


@elementwise(strong=True)
def hyp1f1(a, b, x):
    """The confluent hypergeometric function 1F1(a; b; x), the sum of (a)_k / (b)_k x^k / k!.

    >>> float(hyp1f1(1.0, 1.0, 1.0))
    2.71828...
    """
    return integrals.hyp1f1(a, b, x)


@elementwise(strong=True)
def hyp2f1(a, b, c, x):
    """The hypergeometric function 2F1(a, b; c; x), the sum of (a)_k (b)_k / (c)_k x^k / k!, for x up to 1.

    >>> float(hyp2f1(1.0, 1.0, 2.0, 0.5))
    1.38629...
    """
    return integrals.hyp2f1(a, b, c, x)


