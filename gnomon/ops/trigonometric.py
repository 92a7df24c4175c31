"""Trigonometric and hyperbolic functions, and their inverses."""
from __future__ import annotations

import math

import numpy as np

from gnomon.ops import complex_limits, longhand
from gnomon.ops.arithmetic import absolute, add, clamp, div, maximum, mul, neg, one_minus_square, square, sub
from gnomon.ops.compare import gt, select_n
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import Accurate, Function, function, rsqrt
from gnomon.ops.longhand import Number, equals, log1p, polynomial, round_to_even, where, written
from gnomon.ops.extremes import reduce_bits
from gnomon.trace.stage import bind
from gnomon.types.dtype import finfo, is_complex
from gnomon.types.value_type import ArrayType

_BOOL, _INT32 = np.dtype(bool), np.dtype("int32")


def one(x):
    return full_scalar(x, 1)


class Wave(Accurate, abstract=True):
    """Base of sine and cosine. XLA's CPU calls a function for each number. On one CPU device many float32 numbers are
    computed side by side instead, unless some are very large."""

    quarters = 0        # by how many quarter turns it is ahead of the sine

    def plain(self, emit, x):
        t = x.type
        if t.dtype != FLOAT32 or t.size < 2 ** 14 or self.accuracy is not None or not emit.one_cpu:
            return super().plain(emit, x)
        far = reduce_bits(emit, "stablehlo.or", (abs(Number(emit, x)) >= NEAR).value, False, range(len(t.shape)), ArrayType((), _BOOL))
        return emit.case(emit.convert(far, _INT32), [lambda: [self.near(Number(emit, x)).value],
                                     lambda: [emit.elementwise(self.hlo, [x], t)]], [t])[0]

    def near(self, x):
        """Polynomials in float64 of what is left of x after whole quarter turns: right but for the rounding to float32."""
        z = x.convert("float64")
        turns = round_to_even(z * (2 / math.pi))
        rest = where(equals(turns, 0), z, z - turns * QUARTER_TURN - turns * QUARTER_TURN_LOW)      # -0 stays
        square_ = rest * rest
        quarter = turns.convert("int32") + self.quarters
        size = where(equals(quarter & 1, 0), rest * polynomial(SINE, square_), polynomial(COSINE, square_))
        return where(equals(quarter & 2, 0), size, -size).convert("float32")


FLOAT32 = np.dtype("float32")
NEAR = 2.0 ** 20
# pi / 2 in two pieces, the first of so few bits that its product with any number of turns of x < NEAR is exact
QUARTER_TURN, QUARTER_TURN_LOW = 1.5707963267341256, 6.077100506506192e-11
# sin(r) / r and cos(r) in r², for r up to pi / 4, fitted at the nodes of Chebyshev
SINE = 0.9999999999956225, -0.1666666663125562, 0.008333328749512616, -0.0001983919217878876, 2.7172523256475846e-06
COSINE = (0.9999999999999438, -0.49999999999342154, 0.041666666542585634, -0.00138888803256075, 2.4798914604053942e-05,
          -2.717241257246606e-07)


def both_sides(f, power, x):
    """f(x), where f(x) = power(y) f(y) for y = 1 / x: so computed for |x| > 1, where squares of x may be infinite."""
    if is_complex(x.type.dtype):
        return f(x)
    far = gt(absolute(x), one(x))
    inverse = div(one(x), select_n(far, one(x), x))
    return select_n(far, f(select_n(far, x, one(x))), mul(power(inverse), f(inverse)))


class Sin(Wave):
    """The sine of x, in radians."""

    of_complex = staticmethod(complex_limits.sin)
    hlo = "stablehlo.sine"
    derivative = (lambda out, x: cos(x),)


class Cos(Wave):
    """The cosine of x, in radians."""

    of_complex = staticmethod(complex_limits.cos)
    quarters = 1

    hlo = "stablehlo.cosine"
    derivative = (lambda out, x: neg(sin(x)),)


class Tan(Accurate):
    """The tangent of x, in radians."""

    of_complex = staticmethod(complex_limits.tan)
    hlo = "stablehlo.tan"
    derivative = (lambda out, x: add(one(x), square(out)),)


class Asin(Function):
    """The inverse sine, in [-pi/2, pi/2]."""

    of_complex = staticmethod(complex_limits.asin)
    hlo = "chlo.asin"
    derivative = (lambda out, x: rsqrt(one_minus_square(x)),)


class Acos(Function):
    """The inverse cosine, in [0, pi]."""

    of_complex = staticmethod(complex_limits.acos)
    hlo = "chlo.acos"
    derivative = (lambda out, x: neg(rsqrt(one_minus_square(x))),)


class Atan(Function):
    """The inverse tangent, in [-pi/2, pi/2]."""

    of_complex = staticmethod(complex_limits.atan)
    hlo = "chlo.atan"
    derivative = (lambda out, x: both_sides(lambda y: div(one(y), add(one(y), square(y))), square, x),)


class Atan2(Function):
    """The angle of the point (y, x), in [-pi, pi]; the first operand is its second coordinate."""

    hlo = "stablehlo.atan2"
    derivative = (lambda out, x, y: over_square(y, x, y), lambda out, x, y: neg(over_square(x, x, y)))


def over_square(z, x, y):
    """z / (x² + y²), with squares that neither overflow nor underflow."""
    if is_complex(x.type.dtype):
        return div(z, add(square(x), square(y)))
    most = float(finfo(x.type.dtype).max)
    z, x, y = [clamp(full_scalar(x, -most), a, full_scalar(x, most)) for a in (z, x, y)]
    size = maximum(absolute(x), absolute(y))
    return div(div(div(z, size), add(square(div(x, size)), square(div(y, size)))), size)


class Sinh(Function):
    """The hyperbolic sine."""

    of_complex = staticmethod(complex_limits.sinh)
    derivative = (lambda out, x: cosh(x),)

    @written
    def plain(self, x):
        return longhand.sinh(x)


class Cosh(Function):
    """The hyperbolic cosine."""

    of_complex = staticmethod(complex_limits.cosh)
    derivative = (lambda out, x: sinh(x),)

    @written
    def plain(self, x):
        return longhand.cosh(x)


class Tanh(Accurate):
    """The hyperbolic tangent."""

    of_complex = staticmethod(complex_limits.tanh)
    hlo = "stablehlo.tanh"
    derivative = (lambda out, x: one_minus_square(out),)


class Asinh(Function):
    """The inverse hyperbolic sine."""

    of_complex = staticmethod(complex_limits.asinh)
    hlo = "chlo.asinh"
    derivative = (lambda out, x: both_sides(lambda y: rsqrt(add(square(y), one(y))), absolute, x),)


class Acosh(Function):
    """The inverse hyperbolic cosine, not negative."""

    of_complex = staticmethod(complex_limits.acosh)
    hlo = "chlo.acosh"
    # two roots: one root of the product would be on the other branch left of 0
    derivative = (lambda out, x: mul(rsqrt(sub(x, one(x))), rsqrt(add(x, one(x)))),)


class Atanh(Function):
    """The inverse hyperbolic tangent."""

    of_complex = staticmethod(complex_limits.atanh)
    derivative = (lambda out, x: div(one(x), one_minus_square(x)),)

    def plain(self, emit, x):
        return emit.chlo("chlo.atanh", [x]) if is_complex(x.type.dtype) else self.written(emit, x)

    @written
    def written(self, x):
        size = abs(x)
        return log1p(size * 2.0 / (1.0 - size)) * 0.5 * x.apply("stablehlo.sign")


sin, cos, tan, asin, acos, atan = map(function, (Sin, Cos, Tan, Asin, Acos, Atan))
sinh, cosh, tanh, asinh, acosh, atanh = map(function, (Sinh, Cosh, Tanh, Asinh, Acosh, Atanh))

_atan2 = Atan2()


def atan2(x, y):
    return bind(_atan2, x, y)
