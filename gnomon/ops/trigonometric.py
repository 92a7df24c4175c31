"""Trigonometric and hyperbolic functions, and their inverses."""
from __future__ import annotations

from gnomon.ops.arithmetic import add, div, mul, neg, one_minus_square, square, sub
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import Accurate, Function, function, rsqrt
from gnomon.trace.stage import bind


def one(x):
    return full_scalar(x, 1)


class Sin(Accurate):
    """The sine of x, in radians."""

    hlo = "stablehlo.sine"
    derivative = (lambda out, x: cos(x),)


class Cos(Accurate):
    """The cosine of x, in radians."""

    hlo = "stablehlo.cosine"
    derivative = (lambda out, x: neg(sin(x)),)


class Tan(Accurate):
    """The tangent of x, in radians."""

    hlo = "stablehlo.tan"
    derivative = (lambda out, x: add(one(x), square(out)),)


class Asin(Function):
    """The inverse sine, in [-pi/2, pi/2]."""

    hlo = "chlo.asin"
    derivative = (lambda out, x: rsqrt(one_minus_square(x)),)


class Acos(Function):
    """The inverse cosine, in [0, pi]."""

    hlo = "chlo.acos"
    derivative = (lambda out, x: neg(rsqrt(one_minus_square(x))),)


class Atan(Function):
    """The inverse tangent, in [-pi/2, pi/2]."""

    hlo = "chlo.atan"
    derivative = (lambda out, x: div(one(x), add(one(x), square(x))),)


class Atan2(Function):
    """The angle of the point (y, x), in [-pi, pi]; the first operand is its second coordinate."""

    hlo = "stablehlo.atan2"
    derivative = (lambda out, x, y: div(y, add(square(x), square(y))),
                  lambda out, x, y: neg(div(x, add(square(x), square(y)))))


class Sinh(Function):
    """The hyperbolic sine."""

    hlo = "chlo.sinh"
    derivative = (lambda out, x: cosh(x),)


class Cosh(Function):
    """The hyperbolic cosine."""

    hlo = "chlo.cosh"
    derivative = (lambda out, x: sinh(x),)


class Tanh(Accurate):
    """The hyperbolic tangent."""

    hlo = "stablehlo.tanh"
    derivative = (lambda out, x: one_minus_square(out),)


class Asinh(Function):
    """The inverse hyperbolic sine."""

    hlo = "chlo.asinh"
    derivative = (lambda out, x: rsqrt(add(square(x), one(x))),)


class Acosh(Function):
    """The inverse hyperbolic cosine, not negative."""

    hlo = "chlo.acosh"
    # two roots: one root of the product would be on the other branch left of 0
    derivative = (lambda out, x: mul(rsqrt(sub(x, one(x))), rsqrt(add(x, one(x)))),)


class Atanh(Function):
    """The inverse hyperbolic tangent."""

    hlo = "chlo.atanh"
    derivative = (lambda out, x: div(one(x), one_minus_square(x)),)


sin, cos, tan, asin, acos, atan = map(function, (Sin, Cos, Tan, Asin, Acos, Atan))
sinh, cosh, tanh, asinh, acosh, atanh = map(function, (Sinh, Cosh, Tanh, Asinh, Acosh, Atanh))

_atan2 = Atan2()


def atan2(x, y):
    return bind(_atan2, x, y)
