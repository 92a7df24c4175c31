"""Special functions: error functions, gamma functions and their relatives, Bessel functions.

What CHLO has is left to the compiler; the rest is written out in longhand. The incomplete gamma and beta functions also
have derivatives in their parameters, as Hurwitz's zeta function has: their series and continued fractions are evaluated on jets.
"""
from __future__ import annotations

import math

from gnomon.base.errors import Refused
from gnomon.base.settings import current
from gnomon.ops import special_tables as tables
from gnomon.ops.arithmetic import NOT_LINEAR, absolute, add, clamp, div, mul, neg, polynomial, sign, square, sub
from gnomon.ops.compare import bitwise_and, eq, lt, select_n
from gnomon.ops.elementwise import Elementwise, full_scalar
from gnomon.ops.exponential import Accuracy, exp, function, log, log1p
from gnomon.ops.jets import Jet, constant, digamma_of, exp_of, exponents, lgamma_of, parts, plain, variable, whole
from gnomon.ops.longhand import Number, equals, floor, rsqrt, where, while_loop, written
from gnomon.ops.longhand import digamma as digamma_longhand
from gnomon.ops.longhand import erf as erf_longhand
from gnomon.ops.longhand import erfc as erfc_longhand
from gnomon.ops.longhand import exp as exp_longhand
from gnomon.ops.longhand import lgamma as lgamma_longhand
from gnomon.ops.longhand import log as log_longhand
from gnomon.ops.longhand import log1p as log1p_longhand
from gnomon.ir.op import field
from gnomon.trace.stage import bind
from gnomon.types.dtype import finfo, is_float


class Special(Elementwise, abstract=True):
    """Base of the special functions, which are for real floats."""

    accepts, accepts_text = staticmethod(is_float), "floats"
    transpose = NOT_LINEAR


# ---- error functions --------------------------------------------------------------------------------------------

TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)
BELL_ENDS = 30.0        # from where on exp(-x x) underflows in every dtype


def bell(x, height):
    """height * exp(-x x), and 0 far out with all its derivatives, where x x may be infinite."""
    x = clamp(full_scalar(x, -BELL_ENDS), x, full_scalar(x, BELL_ENDS))
    return mul(full_scalar(x, height), exp(neg(square(x))))


class Erf(Special):
    """The error function."""

    hlo = "chlo.erf"
    derivative = (lambda out, x: bell(x, TWO_OVER_ROOT_PI),)


class Erfc(Special):
    """1 - erf(x), to full precision where that is near 0."""

    accuracy: Accuracy | None = field(None, show="nondefault")

    derivative = (lambda out, x: bell(x, -TWO_OVER_ROOT_PI),)

    @written
    def lower(self, x):
        return erfc_longhand(x)


class ErfInv(Special):
    """The inverse of the error function: where erf is x."""

    derivative = (lambda out, x: mul(full_scalar(x, 1 / TWO_OVER_ROOT_PI), exp(square(out))),)

    @written
    def lower(self, x):
        y = x.apply("chlo.erf_inv")
        if not current.accurate_erf_inv:
            return y
        # a step of Newton's method; near 1 the miss is taken from erfc, which has more digits there
        size = abs(y)
        miss = where(size < 0.5, erf_longhand(size) - abs(x), (1.0 - abs(x)) - erfc_longhand(size))
        better = size - miss * exp_longhand(size * size) * (1 / TWO_OVER_ROOT_PI)
        return where(abs(x) < 1.0, better * y.apply("stablehlo.sign"), y)


# ---- the gamma function -----------------------------------------------------------------------------------------

class Lgamma(Special):
    """The logarithm of |gamma(x)|."""

    hlo = "chlo.lgamma"
    derivative = (lambda out, x: digamma(x),)


class Digamma(Special):
    """The derivative of lgamma."""

    hlo = "chlo.digamma"
    derivative = (lambda out, x: polygamma(full_scalar(x, 1), x),)


class Polygamma(Special):
    """The derivative of digamma of order m at x; m is a float that holds an integer."""

    derivative = (Refused("its order is an integer; differentiate with respect to the argument"),
                  lambda out, m, x: polygamma(add(m, full_scalar(m, 1)), x))

    @written
    def lower(self, m, x):
        order = where((m >= 1.0) & (m < math.inf) & equals(floor(m), m), m, 1.0)
        small, factorial = order <= 10.0, order.like(1.0)
        for k in range(2, 11):
            factorial = factorial * where(order >= float(k), float(k), order.like(1.0))
        # half of the logarithm, since a factorial may be infinite where the product is not
        root = where(small, 1.0, exp_longhand(lgamma_longhand(order + 1.0) * 0.5))
        size = root * hurwitz_zeta(order + 1.0, x) * where(small, factorial, root)
        found = where(equals(floor(order * 0.5) * 2.0, order), -size, size)
        return where(equals(order, m), found, where(equals(m, 0.0), digamma_longhand(x), m.like(math.nan)))


class Zeta(Special):
    """The Hurwitz zeta function: the sum of 1 / (q + k) ** s over k = 0, 1, ..."""

    derivative = (lambda out, s, q: bind(ZetaGradS(1), s, q),
                  lambda out, s, q: neg(mul(s, zeta(add(s, full_scalar(s, 1)), q))))

    @written
    def lower(self, s, q):
        return hurwitz_zeta(s, q)


def hurwitz_zeta(s, q):
    """The zeta function of Numbers. Left of 0, where s has to be an integer, the sum over all integers is used, of which the terms that are
    missing are a sum to the right."""
    below = floor(q)
    left = (q < 0.0) & ~equals(below, q) & equals(floor(s), s) & (s > 1.0) & (s < math.inf)
    domain = (s > 1.0) & (left | (q > 0.0))
    power = where(domain, s, 2.0)
    right = euler_maclaurin(power, where(left, q - below, where(domain & (q < math.inf), q, 1.0)))

    def mirrored():
        rest = euler_maclaurin(power, where(left, below + 1.0 - q, 1.0)) - euler_maclaurin(power, where(left, 1.0 - q, 1.0))
        even = equals(floor(power * 0.5) * 2.0, power)
        return where(left, right + where(even, rest, -rest), right).value

    emit, index = q.emit, left.any().convert("int32").value
    found = Number(emit, emit.case(index, [lambda: [right.value], lambda: [mirrored()]], [right.type])[0])
    pole = (equals(below, q) & (q <= 0.0) & (s > 1.0)) | equals(s, 1.0)
    found = where(domain, where(q < math.inf, found, 0.0), where(pole, math.inf, s.like(math.nan)))
    return where(equals(q, q), found, q)


# of the Euler-Maclaurin formula: B_2k / (2k)!
BERNOULLI_OVER_FACTORIAL = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600,
                            -3617 / 10670622842880000, 43867 / 5109094217170944000)
SUMMED = 12                 # terms that are added up before the formula
IN_SINGLE_PRECISION = 6, 4  # terms before, terms of the formula


def euler_maclaurin(s, q):
    """The zeta function of Numbers s > 1 and q > 0."""
    single = q.dtype.itemsize < 8
    before, count = IN_SINGLE_PRECISION if single else (SUMMED, len(BERNOULLI_OVER_FACTORIAL))
    far = q + float(before)
    power = far ** -s
    rest = far ** (1.0 - s) / (s - 1.0) + power * 0.5
    moderate = where(s < 1e4, s, 1e4)       # beyond, the power is 0
    rising, inverse_square = moderate * power / far, 1.0 / (far * far)
    for k, c in enumerate(BERNOULLI_OVER_FACTORIAL[:count], 1):
        rest = rest + rising * c
        rising = rising * (moderate + (2.0 * k - 1.0)) * (moderate + 2.0 * k) * inverse_square
    for k in reversed(range(before)):
        rest = rest + (q + float(k)) ** -s
    return rest


class ZetaGradS(Special):
    """The derivative of the Hurwitz zeta function in s, of some order, for s > 1 and q > 0; NaN elsewhere."""

    order: int

    name = "zeta_grad_s"

    @property
    def derivative(self):
        def in_q(out, s, q):
            raised = add(s, full_scalar(s, 1))
            before = bind(ZetaGradS(self.order - 1), raised, q) if self.order > 1 else zeta(raised, q)
            before = before if self.order == 1 else mul(full_scalar(s, self.order), before)
            return neg(add(mul(s, bind(ZetaGradS(self.order), raised, q)), before))
        return lambda out, s, q: bind(ZetaGradS(self.order + 1), s, q), in_q

    @written
    def lower(self, s, q):
        domain = (s > 1.0) & (q > 0.0)
        at = variable(where(domain, s, 2.0), (self.order,), 0)
        finite = domain & (q < math.inf) & (s < math.inf)
        q = where(finite, q, 1.0)
        total = None
        for k in range(SUMMED):
            term = (-at * log_longhand(q + float(k))).exp()
            total = term if total is None else total + term
        far = q + float(SUMMED)
        power = (-at * log_longhand(far)).exp()
        total = total + power * far / (at - 1.0) + power * 0.5
        rising, inverse_square = at * power / far, 1.0 / (far * far)
        for k, c in enumerate(BERNOULLI_OVER_FACTORIAL, 1):
            total = total + rising * c
            rising = rising * (at + (2.0 * k - 1.0)) * (at + 2.0 * k) * inverse_square
        return where(finite, total.derivative(), where(domain, 0.0, s.like(math.nan)))


# ---- incomplete gamma and beta functions ------------------------------------------------------------------------

MOST_STEPS = 10_000


def iterate(step, state, wanted, active):
    """Repeat `state = step(n, state)`, n = 1, 2, ..., until `state[wanted]` holds still wherever `active`; returns it.

    `state` is a list of Numbers or Jets; of Jets all coefficients must hold still."""
    form, first = state, plain(state[0])
    eps = float(finfo(first.dtype).eps)

    def packed(state):
        return [p for x in state for p in parts(x)]

    def unpacked(numbers):
        numbers = iter(numbers)
        return [whole(x, [next(numbers) for _ in parts(x)]) for x in form]

    def condition(n, moving, *_):
        return moving.any() & (n < MOST_STEPS).any()

    def body(n, moving, *numbers):
        old = unpacked(numbers)
        new = step(n, old)
        changed = None
        for i, (a, b) in enumerate(zip(parts(old[wanted]), parts(new[wanted]))):
            differs = abs(b - a) > abs(b) * (2 * eps if i < 2 else 16 * eps)      # higher ones rest on more rounded numbers
            changed = differs if changed is None else changed | differs
        moving = moving & changed
        # what has settled stays: further steps would only add up rounding errors
        return n + 1.0, moving, *[where(moving, b, a) for a, b in zip(numbers, packed(new))]

    carry = while_loop(condition, body, (first.like(1.0), active, *packed(state)))
    return unpacked(carry[2:])[wanted]


def gamma_series(a, x, active):
    """P(a, x) without its weight: the sum of x^k / ((a + 1) ... (a + k))."""
    def step(n, state):
        total, term = state
        term = term * x / (a + n)
        return [total + term, term]

    first = constant(a, 1.0)
    return iterate(step, [first, first], 0, active)


def lentz(first, terms, active):
    """The continued fraction 1 / (first + t1 / (d1 + t2 / (d2 + ...))), (t, d) = terms(n), by Lentz's method."""
    tiny = float(finfo(plain(first).dtype).smallest_normal) ** 0.5

    def guarded(x):
        small = abs(plain(x)) < tiny
        return whole(x, [where(small, tiny, plain(x)), *parts(x)[1:]])

    def step(n, state):
        fraction, c, d = state
        numerator, denominator = terms(n)
        d = guarded(denominator + numerator * d)
        c = guarded(denominator + numerator / c)
        d = 1.0 / d
        return [fraction * (c * d), c, d]

    d = 1.0 / guarded(first)
    return iterate(step, [d, constant(d, 1 / tiny), d], 0, active)


def gamma_fraction(a, x, active):
    """Q(a, x) without its weight."""
    return a * lentz(x + 1.0 - a, lambda n: (-(n * (n - a)), x + 1.0 + 2.0 * n - a), active)


HALF_LOG_TWO_PI = math.log(2 * math.pi) / 2
# of log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2, in odd powers of 1 / x
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)


def stirling(x):
    """The sum of Stirling's series, for x >= 8."""
    y = 1.0 / x
    squared, total = y * y, None
    for c in reversed(STIRLING):
        total = x.like(c) if total is None else total * squared + c
    return total * y


def stirling_rest(x):
    """log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2, for any x > 0."""
    far = x >= 8.0
    return where(far, stirling(where(far, x, 8.0)), lgamma_of(x) - ((x - 0.5) * log_longhand(x) - x + HALF_LOG_TWO_PI))


def log_of_ratio(ratio, less_one):
    """log(ratio), from ratio - 1 where the ratio is not small."""
    small = ratio < 0.5
    return where(small, log_longhand(where(small, ratio, 1.0)), log1p_longhand(where(small, 0.0, less_one)))


def gamma_weight(a, x):
    """log(w) of the weight w = x^a e^-x / gamma(a + 1), which the series and the fraction share.

    For a large `a` the terms of the formula are large and nearly cancel; in (x - a) / a they are small."""
    direct = a * log_longhand(x) - x - lgamma_of(a + 1.0)
    if isinstance(a, Jet):
        return direct
    large = a >= 8.0
    far = where(large, a, 8.0)
    moved = (x - far) / far
    return where(large, far * (log_of_ratio(x / far, moved) - moved) - stirling(far) - 0.5 * log_longhand(far) - HALF_LOG_TWO_PI, direct)


def beta_weight(a, b, x):
    """log(w) of the weight w = x^a (1 - x)^b / (a beta(a, b)) of the fraction, by the same means."""
    direct = a * log_longhand(x) + b * log1p_longhand(-x) + lgamma_of(a + b) - lgamma_of(a + 1.0) - lgamma_of(b)
    if isinstance(a, Jet):
        return direct
    large = ((a >= 8.0) | (b >= 8.0)) & (a > 1e-6) & (b > 1e-6)
    p, q = where(large, a, 8.0), where(large, b, 8.0)
    moved = q * x - p * (1.0 - x)
    near = (p * log_of_ratio(x * (p + q) / p, moved / p) + q * log_of_ratio((1.0 - x) * (p + q) / q, -(moved / q))
            + 0.5 * log_longhand(q / (p + q) / p))
    return where(large, near + stirling_rest(p + q) - stirling_rest(p) - stirling_rest(q) - HALF_LOG_TWO_PI, direct)


def gamma_regions(a, x):
    """(domain, series, fraction): where the functions are defined, and where each way to compute them is taken."""
    domain = (a > 0.0) & (x >= 0.0)
    finite = domain & (x > 0.0) & (x < math.inf) & (a < math.inf)
    by_fraction = (x > 1.0) & (x > a)
    return domain, finite & ~by_fraction, finite & by_fraction


def upper_of_little(a, x):
    """Q(a, x) for a up to 1/2 and x up to 1: 1 - x^a / gamma(1 + a) (1 + a sum of (-x)^k / (k! (a + k))), k = 1, 2, ..."""
    log_gamma = a * (a - 1.0) * chebyshev((a - 0.75) * 0.8, tables.LOG_GAMMA_NEAR)      # that of 1 + a
    logarithm = a * log_longhand(x) - log_gamma
    total, count = a.like(0.0), 10 if a.dtype.itemsize < 8 else 18
    for k in reversed(range(1, count)):
        total = (1.0 / (a + float(k)) + total) * x * (-1.0 / k)
    return -logarithm.apply("stablehlo.exponential_minus_one") - exp_longhand(logarithm) * a * total


def incomplete_gamma(a, x, upper):
    """P(a, x), or Q(a, x) = 1 - P(a, x) where `upper`; where `a` is a Jet, the highest derivative of that."""
    at = plain(a)
    domain, by_series, by_fraction = gamma_regions(at, x)
    weight = exp_of(gamma_weight(a, x))
    low, high = weight * gamma_series(a, x, by_series), weight * gamma_fraction(a, x, by_fraction)
    low, high = (1.0 - low, high) if upper else (low, 1.0 - high)
    if upper and not isinstance(a, Jet):
        little = by_series & (x <= 1.0) & (at < 0.5)        # where the difference from 1 would lose digits
        low = where(little, upper_of_little(where(little, a, 0.25), where(little, x, 0.5)), low)
    if isinstance(a, Jet):
        return where(by_fraction, high.derivative(), where(by_series, low.derivative(), where(domain, 0.0, at.like(math.nan))))
    # the ends: all of the weight is below x, or none of it
    all_below = equals(x, math.inf) & (at < math.inf) & (at >= 0.0)
    end = where(all_below, 0.0 if upper else 1.0, where(domain, 1.0 if upper else 0.0, at.like(math.nan)))
    end = where(equals(at, 0.0) & (x > 0.0), 0.0 if upper else 1.0, end)
    # the compiler takes max(x, 0) >= 0 for true even where x is NaN
    end = where((equals(at, math.inf) & equals(x, math.inf)) | ~equals(x, x), math.nan, end)
    return where(by_fraction, high, where(by_series, low, end))


def times_log(factor, x):
    """factor * log(x), with 0 * log(0) = 0."""
    zero = full_scalar(x, 0)
    both = bitwise_and(eq(factor, zero), eq(x, zero))
    return mul(factor, log(select_n(both, x, full_scalar(x, 1))))


def gamma_density(a, x):
    """The derivative of P(a, x) in x."""
    at_end = eq(x, full_scalar(x, math.inf))
    x = select_n(at_end, x, full_scalar(x, 1))
    density = exp(sub(sub(times_log(sub(a, full_scalar(a, 1)), x), x), lgamma(a)))
    return select_n(at_end, density, full_scalar(x, 0))


def moved_exponential(slope, orders):
    """By what exp(u) is to be multiplied to give its derivative of these orders; `slope(i)` is that of u of orders i."""
    found: dict = {}

    def of(i):
        if not any(i) or i in found:
            return found.get(i)
        axis = next(d for d, n in enumerate(i) if n)
        unit = tuple([int(d == axis) for d in range(len(i))])
        lower, total = tuple([a - b for a, b in zip(i, unit)]), None
        for j in exponents(lower):
            term, factor = slope(tuple([a + b for a, b in zip(j, unit)])), of(tuple([a - b for a, b in zip(lower, j)]))
            ways = math.prod(map(math.comb, lower, j))
            term = term if factor is None else mul(term, factor)
            term = term if ways == 1 else mul(full_scalar(term, ways), term)
            total = term if total is None else add(total, term)
        found[i] = total
        return total
    return of(tuple(orders))


def digamma_moved(n, x):
    """The n-th derivative of digamma."""
    return polygamma(full_scalar(x, n), x) if n else digamma(x)


class Igamma(Special):
    """The regularised lower incomplete gamma function P(a, x)."""

    derivative = (lambda out, a, x: igamma_grad_a(a, x), lambda out, a, x: gamma_density(a, x))

    @written
    def lower(self, a, x):
        return incomplete_gamma(a, x, upper=False)


class Igammac(Special):
    """The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x), to full precision where it is near 0."""

    derivative = (lambda out, a, x: neg(igamma_grad_a(a, x)), lambda out, a, x: neg(gamma_density(a, x)))

    @written
    def lower(self, a, x):
        return incomplete_gamma(a, x, upper=True)


class IgammaGradA(Special):
    """The derivative of P(a, x) in a, of some order."""

    order: int = field(1, show="nondefault")

    name = "igamma_grad_a"

    @property
    def derivative(self):
        def in_x(out, a, x):
            def slope(i):
                return sub(log(x), digamma(a)) if i == (1,) else neg(digamma_moved(i[0] - 1, a))
            return mul(gamma_density(a, x), moved_exponential(slope, (self.order,)))
        return lambda out, a, x: bind(IgammaGradA(self.order + 1), a, x), in_x

    @written
    def lower(self, a, x):
        return incomplete_gamma(variable(a, (self.order,), 0), x, upper=False)


class RandomGammaGrad(Special):
    """How a sample x of the gamma distribution moves with its parameter a when its quantile is held: -(dP / da) / (dP / dx). Or the
    derivative of that in a, of some order."""

    order: int = field(0, show="nondefault")

    name = "random_gamma_grad"

    @property
    def derivative(self):
        def in_x(out, a, x):
            one, n = full_scalar(a, 1), self.order
            held = mul(sub(div(sub(a, one), x), one), out)
            if not n:
                return sub(sub(digamma(a), log(x)), held)
            before = div(mul(full_scalar(a, n), bind(RandomGammaGrad(n - 1), a, x)), x)
            return sub(sub(digamma_moved(n, a), held), before)
        return lambda out, a, x: bind(RandomGammaGrad(self.order + 1), a, x), in_x

    @written
    def lower(self, a, x):
        # the weight is in both derivatives of P and is left out, so nothing underflows
        domain, by_series, by_fraction = gamma_regions(a, x)
        moving = variable(a, (self.order + 1,), 0)
        slope = log_longhand(x) - digamma_of(moving + 1.0)
        low, high = [(x / moving * (slope * way + shifted(way))).derivative((self.order,))
                     for way in (gamma_series(moving, x, by_series), gamma_fraction(moving, x, by_fraction))]
        return where(by_fraction, high, where(by_series, -low, where(domain, 0.0, a.like(math.nan))))


def shifted(jet):
    """The derivative of a jet in its one variable."""
    return Jet(jet.orders, {(n - 1,): x * float(n) for (n,), x in jet.terms.items() if n})


def incomplete_beta(a, b, x):
    """(inside, domain, value): where the value is right, where the function is defined, and I_x(a, b), a Jet if a and b are."""
    p, q = plain(a), plain(b)
    domain = (p > 0.0) & (q > 0.0) & (x >= 0.0) & (x <= 1.0)
    inside = domain & (x > 0.0) & (x < 1.0) & (p < math.inf) & (q < math.inf)
    swapped = x > (p + 1.0) / (p + q + 2.0)     # the fraction converges fast on one side only

    def either(yes, no):
        return whole(no, [where(swapped, u, v) for u, v in zip(parts(yes), parts(no))])

    y = where(swapped, 1.0 - x, x)
    a, b = either(b, a), either(a, b)

    def terms(n):
        """The fraction's terms in pairs: numerators of odd and even number alternate."""
        m = (n / 2.0).apply("stablehlo.floor")
        odd = n - 2.0 * m > 0.5
        odd_term = -((a + m) * (a + b + m) * y) / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        even_term = (b - m) * m * y / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        term = whole(odd_term, [where(odd, u, v) for u, v in zip(parts(odd_term), parts(even_term))])
        return term, constant(term, 1.0)

    fraction = lentz(constant(a, 1.0), terms, inside)
    found = exp_of(beta_weight(a, b, y)) * fraction
    return inside, domain, either(1.0 - found, found)


class RegularizedIncompleteBeta(Special):
    """The regularised incomplete beta function I_x(a, b)."""

    derivative = (lambda out, a, b, x: bind(RegularizedIncompleteBetaGrad(1, 0), a, b, x),
                  lambda out, a, b, x: bind(RegularizedIncompleteBetaGrad(0, 1), a, b, x),
                  lambda out, a, b, x: beta_density(a, b, x))

    @written
    def lower(self, a, b, x):
        inside, _, found = incomplete_beta(a, b, x)
        # the ends: all of the weight is below x, or none of it
        below = (equals(a, 0.0) & (b > 0.0) & (x > 0.0)) | (equals(b, math.inf) & (x > 0.0)) | equals(x, 1.0)
        above = (equals(b, 0.0) & (a > 0.0) & (x < 1.0)) | (equals(a, math.inf) & (x < 1.0)) | equals(x, 0.0)
        known = (a >= 0.0) & (b >= 0.0) & (x >= 0.0) & (x <= 1.0)
        end = where(below & ~above, 1.0, where(above & ~below, 0.0, a.like(math.nan)))
        return where(inside, found, where(known, end, math.nan))


class RegularizedIncompleteBetaGrad(Special):
    """The derivative of I_x(a, b) of some orders in a and b."""

    in_a: int
    in_b: int

    @property
    def derivative(self):
        i, j = self.in_a, self.in_b

        def in_x(out, a, b, x):
            def slope(n):
                shared = digamma_moved(sum(n) - 1, add(a, b))
                if all(n):
                    return shared
                own = sub(shared, digamma_moved(sum(n) - 1, a if n[0] else b))
                if sum(n) > 1:
                    return own
                return add(own, log(x) if n[0] else log1p(neg(x)))
            return mul(beta_density(a, b, x), moved_exponential(slope, (i, j)))
        return (lambda out, a, b, x: bind(RegularizedIncompleteBetaGrad(i + 1, j), a, b, x),
                lambda out, a, b, x: bind(RegularizedIncompleteBetaGrad(i, j + 1), a, b, x), in_x)

    @written
    def lower(self, a, b, x):
        orders = self.in_a, self.in_b
        inside, domain, found = incomplete_beta(variable(a, orders, 0), variable(b, orders, 1), x)
        return where(inside, found.derivative(), where(domain, 0.0, a.like(math.nan)))


def beta_density(a, b, x):
    """The derivative of I_x(a, b) in x."""
    one = full_scalar(x, 1)
    powers = add(times_log(sub(a, one), x), times_log(sub(b, one), sub(one, x)))
    return exp(add(powers, sub(lgamma(add(a, b)), add(lgamma(a), lgamma(b)))))


# ---- Bessel functions -------------------------------------------------------------------------------------------

# Chebyshev coefficients of exp(-x) I0(x) on [0, 8], in x / 4 - 1, and of sqrt(x) exp(-x) I0(x) on [8, inf), in
# 16 / x - 1.
I0E_SMALL = [
    0.33839763720473803, -0.3046826723431984, 0.17162090152220877, -0.09490109704804764, 0.04930528423967071,
    -0.02373741480589947, 0.010546460394594998, -0.004324309995050576, 0.0016394756169413357, -0.0005763755745385824,
    0.00018850288509584165, -5.754195010082104e-05, 1.6448448070728896e-05, -4.4167383584587505e-06,
    1.1173875391201037e-06, -2.670793853940612e-07, 6.046995022541919e-08, -1.300025009986248e-08,
    2.6598237246823866e-09, -5.189795601635263e-10, 9.675809035373237e-11, -1.726826291441556e-11,
    2.95505266312964e-12, -4.856446783111929e-13, 7.676185498604936e-14, -1.1685332877993451e-14,
    1.715391285555133e-15, -2.431279846547955e-16, 3.3307945188222384e-17, -4.4153416464793395e-18]
I0E_LARGE = [
    0.4022452055070544, 0.0033691164782556943, 6.889758346916825e-05, 2.8913705208347567e-06, 2.0489185894690638e-07,
    2.266668990498178e-08, 3.3962320257083865e-09, 4.94060238822497e-10, 1.1889147107846439e-11,
    -3.1499165279632416e-11, -1.3215811840447713e-11, -1.7941785315068062e-12, 7.180124451383666e-13,
    3.8527783827421426e-13, 1.54008621752141e-14, -4.150569347287222e-14, -9.554846698828307e-15,
    3.811680669352621e-15, 1.7725601330565245e-15, -3.425485619677142e-16, -2.827623980516646e-16,
    3.461222867695658e-17, 4.465621420302078e-17, -4.8305044859640105e-18, -7.233180488043844e-18]


def chebyshev(t, coefficients):
    """The sum of c_n T_n(t) by Clenshaw's recurrence, without the coefficients that are too small to matter."""
    eps = float(finfo(t.dtype).eps)
    kept = [c for c in coefficients if abs(c) > eps / 16]
    ahead, after = t.like(0.0), t.like(0.0)
    for c in reversed(kept[1:]):
        ahead, after = c + 2.0 * t * ahead - after, ahead
    return kept[0] + t * ahead - after


class BesselI0e(Special):
    """exp(-|x|) I0(x), I0 the modified Bessel function of order 0."""

    derivative = (lambda out, x: sub(bessel_i1e(x), mul(sign(x), out)),)

    @written
    def lower(self, x):
        return i0e(x)


def i0e(x):
    size = abs(x)
    near = where(size < 8.0, size, 8.0)
    far = where(size > 8.0, size, 8.0)
    return where(size <= 8.0, chebyshev(near * 0.25 - 1.0, I0E_SMALL),
                 where(size > 8.0, chebyshev(16.0 / far - 1.0, I0E_LARGE) * rsqrt(far), size))


class BesselI1e(Special):
    """exp(-|x|) I1(x), I1 the modified Bessel function of order 1."""

    hlo = "chlo.bessel_i1e"

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        out = bind(self, x)
        ratio = by_argument(out, x, lambda small: exp(neg(absolute(small))))
        return out, mul(t, sub(bessel_i0e(x), add(mul(sign(x), out), ratio)))


def by_argument(out, x, scale=None):
    """out / x for out = I1(x) times a scale: a series near 0, which has derivatives there too."""
    near = lt(absolute(x), full_scalar(x, 0.05))
    small, large = select_n(near, full_scalar(x, 0), x), select_n(near, x, full_scalar(x, 1))
    series = polynomial(square(small), [full_scalar(x, c) for c in (1 / 2, 1 / 16, 1 / 384, 1 / 18432)])
    return select_n(near, div(out, large), series if scale is None else mul(scale(small), series))


class BesselI0(Special):
    """I0(x). Its derivative is not that of exp(|x|) times another function, whose parts cancel near 0."""

    derivative = (lambda out, x: bessel_i1(x),)

    @written
    def lower(self, x):
        return unscaled(i0e(x), x)


class BesselI1(Special):
    """I1(x)."""

    derivative = (lambda out, x: sub(bessel_i0(x), by_argument(finite_or_zero(out), x)),)

    @written
    def lower(self, x):
        return unscaled(x.apply("chlo.bessel_i1e"), x)


def finite_or_zero(x):
    """x, and 0 where it is infinite: so that what is much smaller is not taken off one infinity as another."""
    return select_n(eq(absolute(x), full_scalar(x, math.inf)), x, full_scalar(x, 0))


def unscaled(out, x):
    """exp(|x|) out, in two factors: their product may be infinite where the result is not."""
    root = exp_longhand(abs(x) * 0.5)
    return root * out * root


# ---- functions on values ----------------------------------------------------------------------------------------

erf, erfc, erf_inv = map(function, (Erf, Erfc, ErfInv))
lgamma, digamma = map(function, (Lgamma, Digamma))
bessel_i0e, bessel_i1e, bessel_i0, bessel_i1 = map(function, (BesselI0e, BesselI1e, BesselI0, BesselI1))

_polygamma, _zeta, _igamma, _igammac = Polygamma(), Zeta(), Igamma(), Igammac()
_igamma_grad_a, _random_gamma_grad, _beta = IgammaGradA(), RandomGammaGrad(), RegularizedIncompleteBeta()


def polygamma(m, x):
    return bind(_polygamma, m, x)


def zeta(s, q):
    return bind(_zeta, s, q)


def igamma(a, x):
    return bind(_igamma, a, x)


def igammac(a, x):
    return bind(_igammac, a, x)


def igamma_grad_a(a, x):
    return bind(_igamma_grad_a, a, x)


def random_gamma_grad(a, x):
    return bind(_random_gamma_grad, a, x)


def regularized_incomplete_beta(a, b, x):
    return bind(_beta, a, b, x)
