"""Floats by their bits: sign, exponent and fraction. Exact for subnormal numbers too, which XLA may treat as zeros
elsewhere."""
from __future__ import annotations

import numpy as np

from gnomon.numpy.composite import composite
from gnomon.numpy.elementwise import BITS, REALS, binary, check_shapes, unary
from gnomon.numpy.promote import as_value, to_inexact
from gnomon.numpy.mathematics import same_rank, where_true
from gnomon.ops.arithmetic import Nextafter, absolute, add, clamp, maximum, mul, neg, sub
from gnomon.ops.compare import (bitwise_and, bitwise_or, clz, eq, ge, lt, ne, shift_left, shift_right_arithmetic,
                                shift_right_logical)
from gnomon.ops.convert import bitcast_convert_type, convert_element_type
from gnomon.ops.elementwise import full_scalar as number
from gnomon.types.dtype import finfo, iinfo, is_float, is_signed

__all__ = ["copysign", "frexp", "ldexp", "nextafter", "signbit", "spacing"]

_INT32 = np.dtype("int32")


class Layout:
    """How a float dtype lays out its bits."""

    def __init__(self, dtype):
        info = finfo(dtype)
        self.dtype, self.width, self.fraction = dtype, 8 * dtype.itemsize, int(info.nmant)
        self.integer = np.dtype(f"int{self.width}")
        self.bias = 1 - int(info.minexp)
        self.top = (1 << (self.width - 1 - self.fraction)) - 1      # the exponent field of infinities and NaN


def take_apart(x):
    """(layout, bits, exponent field, fraction field) of floats, as signed integers."""
    layout = Layout(x.type.dtype)
    bits = bitcast_convert_type(x, layout.integer)
    exponent = bitwise_and(shift_right_logical(bits, number(bits, layout.fraction)), number(bits, layout.top))
    return layout, bits, exponent, bitwise_and(bits, number(bits, (1 << layout.fraction) - 1))


def power_of_two(k, layout):
    """2 ** k as a float, exactly; k is an integer from 1 - bias to bias."""
    k = convert_element_type(k, layout.integer)
    return bitcast_convert_type(shift_left(add(k, number(k, layout.bias)), number(k, layout.fraction)), layout.dtype)


def sign_bit(x):
    bits = bitcast_convert_type(x, Layout(x.type.dtype).integer)
    return lt(bits, number(bits, 0))


@unary(kinds=REALS)
def signbit(x, /):
    """Whether x has a negative sign; -0. has one.

    >>> import gnomon.numpy as np
    >>> np.signbit(np.array([-2., -0., 3.]))
    Array([ True,  True, False], dtype=bool)
    """
    if is_float(x.type.dtype):
        return sign_bit(x)
    return lt(x, number(x, 0)) if is_signed(x.type.dtype) else ne(x, x)


@binary(inexact=True, kinds=REALS)
def copysign(x1, x2, /):
    """|x1| with the sign of x2.

    >>> import gnomon.numpy as np
    >>> np.copysign(3., np.array([2., -0.]))
    Array([ 3., -3.], dtype=float32)
    """
    size = absolute(x1)
    return where_true(sign_bit(x2), neg(size), size)


@binary(Nextafter(), inexact=True, kinds=REALS)
def nextafter(x, y, /):
    """The next float after x in the direction of y.

    >>> import gnomon.numpy as np
    >>> np.nextafter(np.array([1.]), 2.)
    Array([1.0000001], dtype=float32)
    """


@unary(inexact=True, kinds=REALS)
def frexp(x, /):
    """The pair of mantissa and exponent: x = mantissa * 2 ** exponent, where the mantissa is from 0.5 up to 1, or 0.

    >>> import gnomon.numpy as np
    >>> np.frexp(np.array([3., 0.]))
    (Array([0.75, 0.  ], dtype=float32), Array([2, 0], dtype=int32))
    """
    layout, bits, exponent, fraction = take_apart(x)
    zero, one = number(bits, 0), number(bits, 1)
    small = eq(exponent, zero)
    # 0, infinities and NaN stay as they are
    apart = bitwise_or(bitwise_and(small, eq(fraction, zero)), eq(exponent, number(bits, layout.top)))
    # of subnormal numbers the first bit moves to its place
    up = sub(clz(fraction), number(bits, layout.width - 1 - layout.fraction))
    moved = bitwise_and(shift_left(fraction, maximum(up, zero)), number(bits, (1 << layout.fraction) - 1))
    field = where_true(small, sub(one, up), exponent)
    sign = bitwise_and(bits, number(bits, int(iinfo(layout.integer).min)))
    rebuilt = bitwise_or(sign, bitwise_or(number(bits, (layout.bias - 1) << layout.fraction), moved))
    by_bits = bitcast_convert_type(where_true(apart, bits, rebuilt), layout.dtype)
    power = where_true(apart, zero, sub(field, number(bits, layout.bias - 1)))
    # a product where that is exact, for its derivative; 2 ** -power itself may not be a normal number
    half = shift_right_arithmetic(neg(power), one)
    product = mul(mul(x, power_of_two(half, layout)), power_of_two(sub(neg(power), half), layout))
    return where_true(bitwise_or(apart, small), by_bits, product), convert_element_type(power, _INT32)


def ldexp(x1, x2, /):
    """x1 * 2 ** x2 for integers x2, without overflow on the way; integers and booleans x1 become floats.

    Errors: TypeError for what is no array (lists included), for complex numbers, for exponents that are no integers and for shapes
    that do not broadcast.

    >>> import gnomon.numpy as np
    >>> np.ldexp(np.array([1., 3.]), 4)
    Array([16., 48.], dtype=float32)
    """
    x1, x2 = as_value(x1, "ldexp", 0), as_value(x2, "ldexp", 1)
    REALS.check("ldexp", x1.type.dtype)
    BITS.check("ldexp: x2", x2.type.dtype)
    check_shapes("ldexp", x1.type, x2.type)
    return _ldexp(to_inexact(x1), x2)


@composite
def _ldexp(x, n):
    """By three factors that are normal numbers."""
    x, n = same_rank(x, n)
    layout = Layout(x.type.dtype)
    n = convert_element_type(n, _INT32)
    for _ in range(3):
        k = clamp(number(n, 1 - layout.bias), n, number(n, layout.bias))
        x, n = mul(x, power_of_two(k, layout)), sub(n, k)
    return x


@unary(inexact=True, kinds=REALS)
def spacing(x, /):
    """The distance from x to the next float away from 0, with the sign of x.

    >>> import gnomon.numpy as np
    >>> np.spacing(np.array([1., -1.]))
    Array([ 1.1920929e-07, -1.1920929e-07], dtype=float32)
    """
    layout, bits, exponent, _ = take_apart(x)
    zero, one = number(bits, 0), number(bits, 1)
    field = sub(exponent, number(bits, layout.fraction))
    normal = shift_left(maximum(field, one), number(bits, layout.fraction))
    subnormal = shift_left(one, sub(maximum(exponent, one), one))
    out = bitcast_convert_type(where_true(ge(field, one), normal, subnormal), layout.dtype)
    magnitude = bitwise_and(bits, number(bits, int(iinfo(layout.integer).max)))
    beyond = number(bits, layout.top << layout.fraction)
    out = where_true(eq(add(magnitude, one), beyond), number(x, np.inf), out)
    out = where_true(bitwise_and(lt(bits, zero), ne(magnitude, zero)), neg(out), out)
    return where_true(ge(magnitude, beyond), number(x, np.nan), out)
