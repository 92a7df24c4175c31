"""Functions of complex numbers at signed zeros, infinities and NaN, as in appendix G of the C standard.

XLA's operations take the parts of a complex number through formulas in which an infinity beside a NaN, or beside a zero, makes NaN, and
where the sign of a zero is lost, by which the two sides of a branch cut are told apart. Each function here is given the operation,
as a function of both parts, asks it where its formula is right (most often within one quadrant, the others being reflections), and
chooses what the parts are elsewhere. Sines and hyperbolic sines are made of those of the parts, XLA's losing the digits of small numbers.
"""
from __future__ import annotations

import math

import numpy as np

from gnomon.ops import longhand
from gnomon.ops.longhand import equals, where
from gnomon.types.dtype import complex_dtype, real_dtype
from gnomon.types.value_type import ArrayType

INF, NAN = math.inf, math.nan


def parts(z):
    """The real and the imaginary part."""
    out = ArrayType(z.type.shape, real_dtype(z.dtype))
    return z.apply("stablehlo.real", out=out), z.apply("stablehlo.imag", out=out)


def joined(a, b):
    """a + ib."""
    return a.apply("stablehlo.complex", b, out=ArrayType(a.type.shape, complex_dtype(a.dtype)))


def limits(function):
    """A function of an operation and a complex Number from one of an operation and both parts, each giving both parts."""
    def whole(direct, z):
        return joined(*function(lambda a, b: parts(direct(joined(a, b))), *parts(z)))
    return whole


def finite(x):
    return abs(x) < INF


def infinite(x):
    return equals(abs(x), INF)


def zero(x):
    return equals(x, 0)


def nan(x):
    return x.compare("NE", x)


def negative(x):
    """Whether the sign is set, that of a zero too."""
    return x.bits_as(np.dtype(f"int{8 * x.dtype.itemsize}")) < 0


def turned(size, x):
    """A number with the sign turned where x is negative."""
    return where(negative(x), -size, size)


# ---- exponentials and logarithms --------------------------------------------------------------------------------

@limits
def exp(direct, a, b):
    return exponential(a, b, direct(a, b), 0.0)


@limits
def exp2(direct, a, b):
    turn, size = b * math.log(2), 2.0 ** a
    return exponential(a, b, (size * longhand.cos(turn), size * longhand.sin(turn)), 0.0)


@limits
def expm1(direct, a, b):
    """(exp(a) - 1) cos(b) - (1 - cos(b)), the last as a square, and exp(a) sin(b)."""
    half = longhand.sin(b * 0.5)
    real = longhand.expm1(a) * longhand.cos(b) - half * half * 2.0
    return exponential(a, b, (real, longhand.exp(a) * longhand.sin(b)), -1.0)


def exponential(a, b, found, lowest):
    """The limits of what was found: real where b is 0, and at the ends of the real line whatever b is."""
    endless = infinite(a) & ~finite(b)
    re = where(endless, where(a > 0, a, lowest), found[0])
    return re, where(zero(b), b, where(endless & (a < 0), 0.0, found[1]))


@limits
def log(direct, a, b):
    """That of 1 + z, too."""
    re, im = direct(a, b)
    return where(infinite(a) | infinite(b), INF, re), im


def log2(direct, z):
    a, b = parts(log(longhand.log, z))
    return joined(a * (1 / math.log(2)), b * (1 / math.log(2)))


# ---- roots and size ---------------------------------------------------------------------------------------------

@limits
def sqrt(direct, a, b):
    re, im = direct(a, abs(b))
    endless, lost = infinite(b), nan(b)
    re = where(endless | lost & equals(a, INF), INF, re)
    return re, turned(where(endless | lost & equals(a, -INF), INF, im), b)


@limits
def rsqrt(direct, a, b):
    re, im = direct(a, abs(b))
    endless = infinite(a) | infinite(b)
    return where(endless, 0.0, re), turned(where(endless, -0.0, im), b)


def modulus(z, found):
    """|z|, given what the operation finds."""
    a, b = parts(z)
    return where(infinite(a) | infinite(b), INF, found)


def sign(z, found):
    """z / |z|, given what the operation finds: where one part is infinite the sign of that, NaN where either is."""
    (a, b), (re, im) = parts(z), parts(found)
    along, across, lost = infinite(a) & finite(b), infinite(b) & finite(a), nan(a) | nan(b)
    re = where(along, 1.0, where(across, 0.0, where(lost, NAN, abs(re))))
    im = where(across, 1.0, where(along, 0.0, where(lost, NAN, abs(im))))
    return joined(turned(re, a), turned(im, b))


# ---- hyperbolic functions and sines -----------------------------------------------------------------------------

@limits
def sinh(direct, a, b):
    return sinh_parts(a, b)


@limits
def sin(direct, a, b):
    """-i sinh(iz)."""
    return sinh_parts(b, a)[::-1]


def sinh_parts(a, b):
    re, im = longhand.sinh(a) * longhand.cos(b), longhand.cosh(a) * longhand.sin(b)
    return where(~finite(b) & (zero(a) | infinite(a)), a, re), where(zero(b), b, im)


@limits
def cosh(direct, a, b):
    return cosh_parts(a, b)


@limits
def cos(direct, a, b):
    """cosh(iz)."""
    return cosh_parts(b, -a)


def cosh_parts(a, b):
    re, im = longhand.cosh(a) * longhand.cos(b), longhand.sinh(a) * longhand.sin(b)
    on_axis = zero(a) & ~finite(b) | zero(b) & ~finite(a)
    return where(~finite(b) & infinite(a), INF, re), where(on_axis, turned(turned(a.like(0.0), a), b), im)


def swapped(function):
    """-i f(iz), of an odd function f whose values at conjugates are conjugate: the parts change places."""
    return lambda direct, a, b: function(lambda b, a: direct(a, b)[::-1], b, a)[::-1]


def tanh_parts(direct, a, b):
    re, im = direct(a, b)
    im = where(zero(b), b, where(infinite(a) & ~finite(b), turned(b.like(0.0), b), im))
    return where(zero(a) & ~finite(b), a, re), im


tanh, tan = limits(tanh_parts), limits(swapped(tanh_parts))


# ---- their inverses ---------------------------------------------------------------------------------------------

def asinh_parts(direct, a, b):
    re, im = direct(abs(a), abs(b))
    return turned(re, a), where(zero(b), b, turned(im, b))


asinh, asin = limits(asinh_parts), limits(swapped(asinh_parts))


@limits
def acos(direct, a, b):
    re, im = direct(a, abs(b))
    return where(zero(a) & nan(b), math.pi / 2, re), turned(im, b)


@limits
def acosh(direct, a, b):
    re, im = direct(a, abs(b))
    return re, turned(where(zero(a) & nan(b), math.pi / 2, im), b)


def atanh_parts(direct, a, b):
    re, im = direct(abs(a), abs(b))
    re, im = where(zero(a), a, turned(re, a)), turned(im, b)
    return re, where(nan(b) | nan(a) & finite(b), NAN, im)


atanh, atan = limits(atanh_parts), limits(swapped(atanh_parts))
