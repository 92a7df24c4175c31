"""Special functions beyond those of lax: exponential, sine, cosine and Fresnel integrals, Dawson's integral and its kin, the gamma
function itself, inverses and logarithms of the normal distribution's, hypergeometric functions.

Most are Chebyshev series, chosen by the size of the argument; `special_tables` has their coefficients.
"""
from __future__ import annotations

import math

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ops import special_tables as tables
from gnomon.ops.arithmetic import absolute, add, div, mul, neg, polynomial, square, sub
from gnomon.ops.compare import gt, lt, select_n
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import exp as exp_of
from gnomon.ops.exponential import function
from gnomon.ops.exponential import log as log_of
from gnomon.ops.longhand import digamma, equals, erfc, exp, floor, lgamma, log, log1p, round_to_even, sin, sqrt, where, written
from gnomon.ops.longhand import erf as erf_longhand
from gnomon.ops.jets import constant, parts, plain, variable, whole
from gnomon.ops.special import Special, bell, chebyshev, erf, iterate, lentz, stirling
from gnomon.ops.special import digamma as digamma_of
from gnomon.ops.trigonometric import cos as cos_of
from gnomon.ops.trigonometric import sin as sin_of
from gnomon.trace.stage import bind
from gnomon.types.dtype import finfo

EULER = float(np.euler_gamma)
ROOT_PI = math.sqrt(math.pi)


def cos(x):
    return x.apply("stablehlo.cosine")


def larger(x, bound):
    return where(x < bound, bound, x)


def smaller(x, bound):
    return where(x > bound, bound, x)


def series(coefficients, y, low, high):
    """The Chebyshev series of a piece from `low` to `high`; y is held between these."""
    y = smaller(larger(y, low), high)
    return chebyshev((y - (low + high) / 2) * (2 / (high - low)), coefficients)


def pieces(y, bounds, coefficients):
    """The series of the piece that y is in: the first one from bounds[0] to bounds[1], and so on."""
    found = series(coefficients[0], y, bounds[0], bounds[1])
    for i in range(1, len(coefficients)):
        found = where(y < bounds[i], found, series(coefficients[i], y, bounds[i], bounds[i + 1]))
    return found


# ---- exponential integrals --------------------------------------------------------------------------------------

def first_integral(x):
    """E1(x) for x >= 0, NaN for others."""
    near, far = smaller(x, 1.0), larger(x, 1.0)
    y = 1.0 / far
    high = exp(-far) * y * pieces(y, (0.0, 1 / 9, 1 / 3, 1.0), (tables.E1_FAR, tables.E1_LARGE, tables.E1_MIDDLE))
    return where(x > 1.0, high, near * series(tables.E1_NEAR, near, 0.0, 1.0) - EULER - log(near))


class Expi(Special):
    """The exponential integral Ei(x): of e^t / t from -inf to x, a principal value for x > 0."""

    derivative = (lambda out, x: div(exp_of(x), x),)

    @written
    def lower(self, x):
        near, far = smaller(larger(x, 0.0), 6.0), smaller(larger(x, 6.0), 1000.0)
        y = 1.0 / far
        low = near * exp(near * 0.5) * series(tables.EI_NEAR, near, 0.0, 6.0) + EULER + log(near)
        root = exp(far * 0.5)       # whose square may be infinite where the product is not
        high = root * y * pieces(y, (0.0, 1 / 25, 1 / 12, 1 / 6), (tables.EI_FAR, tables.EI_LARGE, tables.EI_MIDDLE)) * root
        positive = where(x > 6.0, high, low)
        return where(x < 0.0, -first_integral(larger(-x, 0.0)), where(equals(x, x), positive, x))


class Exp1(Special):
    """The exponential integral E1(x): of e^-t / t from x to inf."""

    derivative = (lambda out, x: neg(div(exp_of(neg(x)), x)),)

    @written
    def lower(self, x):
        return where(equals(x, x), first_integral(x), x)


TERMS = 20      # of a power series at arguments up to 1


class Expn(Special):
    """The exponential integral E_n(x): of e^(-x t) / t^n from t = 1 to inf, for integers n >= 0, given as floats, and x >= 0."""

    derivative = (Refused("its order is an integer; differentiate with respect to the argument"),
                  lambda out, n, x: neg(lower_order(out, n, x)))

    @written
    def lower(self, n, x):
        domain = (x >= 0.0) & (n >= 0.0) & equals(floor(n), n)
        by_fraction = domain & (x > 1.0) & (n > 1.0) & (x < math.inf)
        far = exp(-x) * lentz(x + n, lambda k: (-(k * (n + k - 1.0)), x + n + 2.0 * k), by_fraction)
        small = smaller(x, 1.0)
        total, power = n.like(0.0), n.like(1.0)
        for k in range(TERMS):
            total = total - where(equals(n, k + 1.0), 0.0, power / where(equals(n, k + 1.0), 1.0, (k + 1.0) - n))
            power = power * small * (-1.0 / (k + 1))
        even = equals(floor(n * 0.5) * 2.0, n)
        logarithm = digamma(n) - log(where(small > 0.0, small, 1.0))
        lead = where(even, -1.0, n.like(1.0)) * exp((n - 1.0) * log(where(small > 0.0, small, 1.0)) - lgamma(n))
        near = total + where(small > 0.0, lead, 0.0) * logarithm
        found = where(x > 1.0, where(x < math.inf, far, 0.0), near)
        found = where(equals(n, 1.0), first_integral(x), where(equals(n, 0.0), exp(-x) / x, found))
        return where(domain, found, where(equals(x, x), n.like(math.nan), x))


def lower_order(out, n, x):
    """E_(n - 1)(x), from E_n(x) where n is 0."""
    least = lt(n, full_scalar(n, 0.5))
    below = div(add(exp_of(neg(x)), out), x)
    return select_n(least, expn(select_n(least, sub(n, full_scalar(n, 1)), full_scalar(n, 1)), x), below)


# ---- Fresnel, sine and cosine integrals -------------------------------------------------------------------------

def turned(f, g, cosine, sine):
    """(f cos + g sin, f sin - g cos)"""
    return f * cosine + g * sine, f * sine - g * cosine


def fresnel_integrals(x):
    """(S, C) of |x|."""
    size = abs(x)
    near, far = smaller(size, 1.5), larger(size, 1.5)
    squared = near * near
    fourth, bound = squared * squared, 1.5 ** 4
    s = squared * near * series(tables.FRESNEL_S, fourth, 0.0, bound)
    c = near * series(tables.FRESNEL_C, fourth, 0.0, bound)
    y, bounds = 1.0 / (far * far), (0.0, 0.16, 1 / 1.5 ** 2)
    f = pieces(y, bounds, (tables.FRESNEL_F_FAR, tables.FRESNEL_F_MIDDLE)) / (far * math.pi)
    g = pieces(y, bounds, (tables.FRESNEL_G_FAR, tables.FRESNEL_G_MIDDLE)) * y / (far * math.pi ** 2)
    # x^2 modulo 4, exactly but for the square of what is left of x after its integer n: 2 n rest has no more digits than x
    whole_part = round_to_even(far)
    rest = far - whole_part
    odd = whole_part - 2.0 * floor(whole_part * 0.5)
    crossing = whole_part * rest
    angle = (odd + 2.0 * (crossing - 2.0 * floor(crossing * 0.5)) + rest * rest) * (math.pi / 2)
    direct, crossed = turned(f, g, cos(angle), sin(angle))
    endless = equals(size, math.inf)
    return (where(size > 1.5, where(endless, 0.5, 0.5 - direct), s), where(size > 1.5, where(endless, 0.5, 0.5 + crossed), c))


def quarter_circle(x):
    """pi x^2 / 2"""
    return mul(full_scalar(x, math.pi / 2), square(x))


class FresnelS(Special):
    """The Fresnel integral S(x): of sin(pi t^2 / 2) from 0 to x."""

    derivative = (lambda out, x: sin_of(quarter_circle(x)),)

    @written
    def lower(self, x):
        return x.apply("stablehlo.sign") * fresnel_integrals(x)[0]


class FresnelC(Special):
    """The Fresnel integral C(x): of cos(pi t^2 / 2) from 0 to x."""

    derivative = (lambda out, x: cos_of(quarter_circle(x)),)

    @written
    def lower(self, x):
        return x.apply("stablehlo.sign") * fresnel_integrals(x)[1]


def sine_and_cosine_integrals(x):
    """(Si, Ci) of |x|."""
    size = abs(x)
    near, far = smaller(size, 4.0), larger(size, 4.0)
    squared = near * near
    si = near * series(tables.SI_NEAR, squared, 0.0, 16.0)
    ci = squared * series(tables.CI_NEAR, squared, 0.0, 16.0) + EULER + log(near)
    y, bounds = 1.0 / (far * far), (0.0, 1 / 81, 1 / 16)
    f = pieces(y, bounds, (tables.SICI_F_FAR, tables.SICI_F_MIDDLE)) / far
    g = pieces(y, bounds, (tables.SICI_G_FAR, tables.SICI_G_MIDDLE)) * y
    endless = equals(size, math.inf)
    angle = where(endless, 0.0, far)
    direct, crossed = turned(f, g, cos(angle), sin(angle))
    return (where(size > 4.0, where(endless, math.pi / 2, math.pi / 2 - direct), si),
            where(size > 4.0, where(endless, 0.0, crossed), ci))


class SineIntegral(Special):
    """The sine integral Si(x): of sin(t) / t from 0 to x."""

    derivative = (lambda out, x: sin_over(x),)

    @written
    def lower(self, x):
        return x.apply("stablehlo.sign") * sine_and_cosine_integrals(x)[0]


class CosineIntegral(Special):
    """The real part of the cosine integral Ci(x), minus that of cos(t) / t from |x| to inf."""

    derivative = (lambda out, x: div(cos_of(x), x),)

    @written
    def lower(self, x):
        return sine_and_cosine_integrals(x)[1]


def sin_over(x):
    """sin(x) / x, by its power series near 0."""
    near = lt(absolute(x), full_scalar(x, 0.5))
    small, large = select_n(near, full_scalar(x, 0), x), select_n(near, x, full_scalar(x, 1))
    return select_n(near, div(sin_of(large), large), power_series(square(small), [(-1) ** k / math.factorial(2 * k + 1) for k in range(8)]))


def power_series(x, coefficients):
    return polynomial(x, [full_scalar(x, c) for c in coefficients])


# ---- error functions without their exponentials -----------------------------------------------------------------

def exp_of_square(x, factor=1.0):
    """exp(factor x^2), factor a power of 2 or its negative, with x^2 in two parts, since its rounding error would grow.

    The compiler would put the product of two exponentials together again, so the second one is written as a sum."""
    size = smaller(abs(x), 1000.0)
    head = floor(size * 16.0) * 0.0625
    rest = ((size - head) * (size + head) * factor).apply("stablehlo.exponential_minus_one")
    return exp(head * head * factor) * (1.0 + rest)


def scaled_erfc(x):
    """exp(x^2) erfc(x)"""
    size = abs(x)
    positive = chebyshev(1.0 - 7.5 / (size + 3.75), tables.ERFCX) / (1.0 + 2.0 * size)
    return where(x < 0.0, 2.0 * exp_of_square(x) - positive, positive)


# 1 - sqrt(pi) x erfcx(x) = sum of -(-1)^k (2k - 1)!! / (2 x^2)^k, and for Dawson's integral with equal signs
DOUBLE_FACTORIALS = [math.prod(range(1, 2 * k, 2)) / 2 ** k for k in range(18)]


def slope_far_out(x, alternating):
    """The asymptotic series of such a derivative, for |x| > 8."""
    y, eps = div(full_scalar(x, 1), square(x)), float(finfo(x.type.dtype).eps)
    kept = [c for k, c in enumerate(DOUBLE_FACTORIALS) if c > eps * 32 * 64 ** (k - 1)]     # others do not matter, and may not be finite in float16
    signs = [(-1) ** (k + 1) if alternating else 1 for k in range(len(kept))]
    return power_series(y, [0.0, *[s * c for s, c in zip(signs[1:], kept[1:])]])


def erfcx_slope(out, x):
    far = gt(x, full_scalar(x, 8))
    large = select_n(far, full_scalar(x, 9), x)
    near = sub(mul(mul(full_scalar(x, 2), x), out), full_scalar(x, 2 / ROOT_PI))
    return select_n(far, near, mul(full_scalar(x, -2 / ROOT_PI), slope_far_out(large, True)))


def dawson_slope(out, x):
    far = gt(absolute(x), full_scalar(x, 8))
    large = select_n(far, full_scalar(x, 9), x)
    near = sub(full_scalar(x, 1), mul(mul(full_scalar(x, 2), x), out))
    return select_n(far, near, neg(slope_far_out(large, False)))


class Erfcx(Special):
    """exp(x^2) erfc(x)."""

    derivative = (lambda out, x: erfcx_slope(out, x),)

    @written
    def lower(self, x):
        return scaled_erfc(x)


class Dawsn(Special):
    """Dawson's integral: exp(-x^2) times that of exp(t^2) from 0 to x."""

    derivative = (lambda out, x: dawson_slope(out, x),)

    @written
    def lower(self, x):
        size = abs(x)
        near, far = smaller(size, 2.0), larger(size, 2.0)
        y = 1.0 / (far * far)
        twice = where(far < 4.0, series(tables.DAWSON_MIDDLE, far, 2.0, 4.0),
                      pieces(y, (0.0, 1 / 64, 1 / 16), (tables.DAWSON_FAR, tables.DAWSON_LARGE)))
        positive = where(size > 2.0, twice * 0.5 / far, near * series(tables.DAWSON_NEAR, near * near, 0.0, 4.0))
        return x.apply("stablehlo.sign") * positive


def inverse_erfc(y):
    """The x >= 0 with erfc(x) = y, for y up to 1."""
    small = smaller(y, 0.5)
    logarithm = -log(small)
    x = sqrt(larger(logarithm - 0.5 * log(logarithm * math.pi), 0.1))
    for _ in range(3 if y.dtype.itemsize < 8 else 4):       # Newton's method for the logarithm of erfc
        scaled = scaled_erfc(x)
        x = x + (log(scaled) - x * x + logarithm) * scaled * (ROOT_PI / 2)
    x = where(small > 0.0, x, math.inf)
    return where(y > 0.5, (1.0 - larger(y, 0.5)).apply("chlo.erf_inv"), x)


class Erfcinv(Special):
    """The inverse of erfc: where it is y, between 0 and 2."""

    derivative = (lambda out, y: mul(full_scalar(y, -ROOT_PI / 2), exp_of(square(out))),)

    @written
    def lower(self, y):
        upper = y > 1.0
        found = inverse_erfc(where(upper, 2.0 - y, y))
        found = where(upper, -found, found)
        return where((y >= 0.0) & (y <= 2.0), found, y.like(math.nan))


class Ndtri(Special):
    """The inverse of the normal distribution's cumulative function."""

    derivative = (lambda out, p: mul(full_scalar(p, math.sqrt(2 * math.pi)), exp_of(mul(full_scalar(p, 0.5), square(out)))),)

    @written
    def lower(self, p):
        upper = p > 0.5
        found = inverse_erfc(2.0 * where(upper, 1.0 - p, p)) * math.sqrt(2)
        found = where(upper, found, 0.0 - found)
        return where((p >= 0.0) & (p <= 1.0), found, p.like(math.nan))


def normal_tail(x):
    """What of the normal distribution lies beyond x, for x >= 0."""
    return 0.5 * exp_of_square(x, -0.5) * scaled_erfc(x * math.sqrt(0.5))


class Ndtr(Special):
    """The normal distribution's cumulative function."""

    derivative = (lambda out, x: bell(mul(x, full_scalar(x, math.sqrt(0.5))), 1 / math.sqrt(2 * math.pi)),)

    @written
    def lower(self, x):
        size = smaller(abs(x), 1e4)
        near = smaller(size, 1.0)
        tail = where(size < 1.0, 0.5 - erf_longhand(near * math.sqrt(0.5)) * 0.5, normal_tail(size))
        return where(x > 0.0, 1.0 - tail, where(equals(x, x), tail, x))


class LogNdtr(Special):
    """The logarithm of the normal distribution's cumulative function."""

    derivative = (lambda out, x: normal_ratio(out, x),)

    @written
    def lower(self, x):
        low, high = smaller(x, 0.0), smaller(larger(x, 0.0), 1e4)
        left = log(scaled_erfc(low * -math.sqrt(0.5)) * 0.5) - low * low * 0.5
        return where(x < 0.0, left, where(equals(x, x), log1p(-normal_tail(high)), x))


def normal_ratio(out, x):
    """The normal density divided by its cumulative function, whose logarithm is `out`."""
    left = lt(x, full_scalar(x, 0))
    low, high = select_n(left, full_scalar(x, 0), x), select_n(left, x, full_scalar(x, 0))
    ratio = div(full_scalar(x, math.sqrt(2 / math.pi)), erfcx(mul(low, full_scalar(x, -math.sqrt(0.5)))))
    log_density = sub(mul(full_scalar(x, -0.5), square(high)), full_scalar(x, 0.5 * math.log(2 * math.pi)))
    return select_n(left, exp_of(sub(log_density, select_n(left, out, full_scalar(x, 0)))), ratio)


NODES = {itemsize: np.polynomial.legendre.leggauss(n) for itemsize, n in ((4, 14), (8, 32))}


class OwensT(Special):
    """Owen's T function: of exp(-h^2 (1 + t^2) / 2) / (2 pi (1 + t^2)) from t = 0 to a."""

    derivative = (
        lambda out, h, a: mul(bell(mul(h, full_scalar(h, math.sqrt(0.5))), -0.5 / math.sqrt(2 * math.pi)),
                              erf(mul(mul(a, h), full_scalar(h, math.sqrt(0.5))))),
        lambda out, h, a: owens_slope(h, a),
    )

    @written
    def lower(self, h, a):
        size, slope = abs(h), abs(a)
        steep = slope > 1.0
        product = where(equals(size, 0.0), 0.0, size * slope)
        # a beyond 1 is turned into 1 / a
        x, t = where(steep, product, size), where(steep, 1.0 / larger(slope, 1.0), slope)
        nodes, weights = NODES[8 if h.dtype.itemsize == 8 else 4]
        total = None
        squared = t * t
        exponent = where(x < math.inf, x * x * squared * -0.5, -math.inf)
        for node, weight in zip((nodes + 1) / 2, weights / 2):
            term = exp(where(squared > 0.0, exponent, 0.0) * float(node ** 2)) * float(weight) / (1.0 + squared * float(node ** 2))
            total = term if total is None else total + term
        integral = total * t * exp(x * x * -0.5) * (0.5 / math.pi)
        above, beyond = (erfc(y * math.sqrt(0.5)) * 0.5 for y in (size, product))
        found = where(steep, 0.5 * (above + beyond) - above * beyond - integral, integral)
        return where(a < 0.0, -found, found)


def owens_slope(h, a):
    weight = add(full_scalar(a, 1), square(a))
    return div(exp_of(mul(mul(full_scalar(h, -0.5), square(h)), weight)), mul(full_scalar(a, 2 * math.pi), weight))


# ---- the gamma function -----------------------------------------------------------------------------------------

class Gamma(Special):
    """The gamma function, the factorial of x - 1."""

    derivative = (lambda out, x: mul(out, digamma_of(x)),)

    @written
    def lower(self, x):
        reflected = x < 0.0
        z = abs(x)
        shifted = z < 8.0
        y = smaller(where(shifted, z + 8.0, z), 40.0 if x.dtype.itemsize < 8 else 180.0)       # beyond, the value is infinite
        rising = x.like(1.0)
        for k in range(8):
            rising = rising * (where(shifted, z, 1.0) + float(k))
        root = y ** (y * 0.5 - 0.25)        # in two halves, which overflow later
        value = root * exp(-y) * root * exp(stirling(y)) * math.sqrt(2 * math.pi)
        value = where(shifted, value / rising, value)
        nearest = round_to_even(x)
        sine = sin((x - nearest) * math.pi)
        odd = ~equals(floor(nearest * 0.5) * 2.0, nearest)
        value = where(reflected, math.pi / (where(odd, -sine, sine) * value * z), value)
        pole = (x < 0.0) & equals(nearest, x)
        value = where(equals(x, 0.0), 1.0 / x, where(pole, x.like(math.nan), value))
        return where(equals(x, math.inf), math.inf, value)


class LogGamma(Special):
    """The logarithm of |gamma(x)|, exact near its zeros at 1 and 2 too."""

    derivative = (lambda out, x: digamma_of(x),)

    @written
    def lower(self, x):
        size = abs(x)
        small = size < 0.5
        y = where(small, size + 1.0, size)
        far = larger(y, 8.0)
        large = (far - 0.5) * (log(far) - 1.0) + stirling(far) + (math.log(2 * math.pi) - 1) / 2
        large = where(far < math.inf, large, far)
        near = smaller(y, 3.0)
        found = where(y < 3.0, (near - 1.0) * (near - 2.0) * series(tables.LOG_GAMMA_NEAR, near, 0.5, 3.0),
                      where(y < 8.0, series(tables.LOG_GAMMA_MIDDLE, y, 3.0, 8.0), large))
        # gamma(-x) gamma(x) = -pi / (x sin(pi x)) = -pi gamma(x) / (sin(pi x) gamma(x + 1))
        nearest = round_to_even(x)
        sine = abs(sin((x - nearest) * math.pi))
        negative = x < 0.0
        reflected = math.log(math.pi) - log(where(negative, where(small, sine, size * sine), 1.0)) - found
        found = where(negative, reflected, where(small, found - log(size), found))
        found = where(equals(size, math.inf) | (negative & equals(nearest, x)), math.inf, found)
        return where(equals(x, x), found, x)


class Spence(Special):
    """Spence's function, the dilogarithm of 1 - x: that of log(t) / (1 - t) from 1 to x."""

    derivative = (lambda out, x: log_over(x),)

    @written
    def lower(self, x):
        # into [1/2, 2] by x -> 1 / x and x -> 1 - x
        inverted = x > 2.0
        y = where(inverted, 1.0 / larger(x, 2.0), x)
        low = y < 0.5
        z = where(low, 1.0 - y, y)
        u = -log(z)
        squared, total = u * u, None
        for c in reversed(BERNOULLI_SERIES):
            total = x.like(c) if total is None else total * squared + c
        found = u - squared * 0.25 + u * squared * total
        inside = where(low & (y > 0.0), y, 0.5)
        log_of_rest = where(inside < 0.25, log1p(-inside), log(1.0 - inside))
        found = where(low, math.pi ** 2 / 6 - where(y > 0.0, log(inside) * log_of_rest, 0.0) - found, found)
        logarithm = log(larger(x, 2.0))
        found = where(inverted, logarithm * logarithm * -0.5 - found, found)
        found = where(equals(x, math.inf), -math.inf, found)
        return where(x >= 0.0, found, x.like(math.nan))


# B_2k / (2k + 1)!
BERNOULLI_SERIES = (1 / 36, -1 / 3600, 1 / 211680, -1 / 10886400, 5 / 66 / math.factorial(11), -691 / 2730 / math.factorial(13),
                    7 / 6 / math.factorial(15), -3617 / 510 / math.factorial(17), 43867 / 798 / math.factorial(19))


def log_over(x):
    """log(x) / (1 - x), by its power series near 1."""
    h = sub(x, full_scalar(x, 1))
    near = lt(absolute(h), full_scalar(x, 0.05))
    small, far = select_n(near, full_scalar(x, 0), h), select_n(near, x, full_scalar(x, 2))
    return select_n(near, div(log_of(far), sub(full_scalar(x, 1), far)), power_series(small, [-(-1) ** k / (k + 1) for k in range(13)]))


# ---- hypergeometric functions -----------------------------------------------------------------------------------

def ratio_series(ratio, like, active):
    """The sum of 1, r(1), r(1) r(2), ...: each term is the one before times ratio(n)."""
    def step(n, state):
        total, term, last = state
        term = term * ratio(n)
        return [total + term + last * 0.0, term, term]
    first = constant(like, 1.0)
    return iterate(step, [first, first, first], 0, active)


def kummer(a, b, x):
    """1F1(a; b; x) of Numbers; a and b may be Jets."""
    at, bt = plain(a), plain(b)
    negative = x < 0.0
    size = abs(x)
    # by Kummer's transformation the argument is not negative, so the terms have one sign from some place on
    other = b - a
    first = whole(other, [where(negative, p, q) for p, q in zip(parts(other), parts(a))])
    ended = equals(size, math.inf) | ~equals(size, size) | ~equals(at, at) | ~equals(bt, bt)
    total = ratio_series(lambda n: (first + (n - 1.0)) / (b + (n - 1.0)) * (size / n), first, ~ended)
    scale = where(negative, exp(smaller(x, 0.0)), 1.0)
    return total * scale


class Hyp1f1(Special):
    """The confluent hypergeometric function 1F1(a; b; x), Kummer's M: the sum of (a)_k / (b)_k x^k / k!."""

    derivative = (lambda out, a, b, x: bind(Hyp1f1Grad(1, 0), a, b, x), lambda out, a, b, x: bind(Hyp1f1Grad(0, 1), a, b, x),
                  lambda out, a, b, x: mul(div(a, b), hyp1f1(add(a, full_scalar(a, 1)), add(b, full_scalar(b, 1)), x)))

    @written
    def lower(self, a, b, x):
        return where(equals(x, 0.0), 1.0, kummer(a, b, x))


class Hyp1f1Grad(Special):
    """The derivative of 1F1(a; b; x) of some orders in a and b."""

    in_a: int
    in_b: int

    name = "hyp1f1_grad"

    @property
    def derivative(self):
        i, j = self.in_a, self.in_b

        def in_x(out, a, b, x):
            """Leibniz's rule for a / b 1F1(a + 1; b + 1; x)."""
            up, total = (add(a, full_scalar(a, 1)), add(b, full_scalar(b, 1))), None
            for p in range(min(i, 1) + 1):
                for q in range(j + 1):
                    left = bind(Hyp1f1Grad(i - p, j - q), *up, x) if (i - p, j - q) != (0, 0) else hyp1f1(*up, x)
                    factor = full_scalar(a, (-1) ** q * math.factorial(q) * math.comb(i, p) * math.comb(j, q))
                    factor = factor if p else mul(factor, a)
                    for _ in range(q + 1):
                        factor = div(factor, b)
                    total = mul(factor, left) if total is None else add(total, mul(factor, left))
            return total
        return (lambda out, a, b, x: bind(Hyp1f1Grad(i + 1, j), a, b, x), lambda out, a, b, x: bind(Hyp1f1Grad(i, j + 1), a, b, x), in_x)

    @written
    def lower(self, a, b, x):
        orders = self.in_a, self.in_b
        return where(equals(x, 0.0), 0.0, kummer(variable(a, orders, 0), variable(b, orders, 1), x).derivative())


def gauss_series(a, b, c, x, active):
    """2F1(a, b; c; x) by its power series."""
    return ratio_series(lambda n: (a + (n - 1.0)) * (b + (n - 1.0)) / (c + (n - 1.0)) * (x / n), a, active)


def gamma_product(above, below, sign=None):
    """gamma(...) ... / (gamma(...) ...) by logarithms, with signs; 0 where a gamma below is infinite."""
    total = above[0].like(0.0)
    sign = above[0].like(1.0)
    for factor, xs in ((1.0, above), (-1.0, below)):
        for x in xs:
            total = total + lgamma(x) * factor
            flips = (x < 0.0) & ~equals(floor(floor(x) * 0.5) * 2.0, floor(x))
            sign = where(flips, -sign, sign)
            if factor < 0:
                sign = where((x <= 0.0) & equals(floor(x), x), 0.0, sign)
    return where(equals(sign, 0.0), 0.0, sign * exp(total))


class Hyp2f1(Special):
    """The hypergeometric function 2F1(a, b; c; x) for x up to 1: the sum of (a)_k (b)_k / (c)_k x^k / k!. NaN beyond."""

    derivative = (*[Refused(f"hyp2f1 has no derivative rule in {p}; differentiate in x") for p in "abc"],
                  lambda out, a, b, c, x: mul(div(mul(a, b), c), hyp2f1(*[add(p, full_scalar(p, 1)) for p in (a, b, c)], x)))

    @written
    def lower(self, a, b, c, x):
        # a negative argument goes to (0, 1) by Pfaff's transformation
        negative = x < 0.0
        y = where(negative, x / (x - 1.0), x)
        second = where(negative, c - b, b)
        finite = (equals(x, x) & (x > -math.inf) & (x < 1.0)) & equals(a + b + c, a + b + c)
        gap = c - a - second
        # near 1 by the transformation to 1 - y, unless its gamma functions have poles
        regular = abs(gap - round_to_even(gap)) > (1e-2 if a.dtype.itemsize < 8 else 1e-4)
        polynomial_in = ((a <= 0.0) & equals(floor(a), a)) | ((second <= 0.0) & equals(floor(second), second))
        turned_round = finite & (y > 0.9) & regular & ~polynomial_in
        direct = gauss_series(a, second, c, where(turned_round, 0.0, where(finite, y, 0.0)), finite & ~turned_round)
        rest = where(turned_round, 1.0 - y, 0.5)
        # (p, q, r) of the two series in 1 - y; r is kept off its poles where they are not used
        safe = where(regular, gap, 0.5)
        one = gamma_product([c, safe], [c - a, c - second]) * gauss_series(a, second, 1.0 - safe, rest, turned_round)
        other = gauss_series(c - a, c - second, 1.0 + safe, rest, turned_round)
        two = gamma_product([c, -safe], [a, second]) * exp(safe * log(rest)) * other
        found = where(turned_round, one + two, direct)
        found = where(negative, found * exp(log1p(where(negative, -x, 0.0)) * -a), found)
        at_one = where(gap > 0.0, gamma_product([c, where(gap > 0.0, gap, 1.0)], [c - a, c - b]), a.like(math.inf))
        found = where(equals(x, 1.0) & ~polynomial_in, at_one, found)
        return where(x <= 1.0, found, x.like(math.nan))


# ---- functions on values ----------------------------------------------------------------------------------------

expi, exp1, fresnel_s, fresnel_c = map(function, (Expi, Exp1, FresnelS, FresnelC))
sine_integral, cosine_integral = map(function, (SineIntegral, CosineIntegral))
erfcx, dawsn, erfcinv = map(function, (Erfcx, Dawsn, Erfcinv))
ndtr, ndtri, log_ndtr = map(function, (Ndtr, Ndtri, LogNdtr))
gamma, log_gamma, spence = map(function, (Gamma, LogGamma, Spence))

_expn, _owens_t, _hyp1f1, _hyp2f1 = Expn(), OwensT(), Hyp1f1(), Hyp2f1()


def expn(n, x):
    return bind(_expn, n, x)


def owens_t(h, a):
    return bind(_owens_t, h, a)


def hyp1f1(a, b, x):
    return bind(_hyp1f1, a, b, x)


def hyp2f1(a, b, c, x):
    return bind(_hyp2f1, a, b, c, x)


