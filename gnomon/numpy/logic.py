"""Elementwise functions: comparisons, logic, bits, and questions about single numbers."""
from __future__ import annotations

import math

import numpy as np

from gnomon.numpy.elementwise import BITS, BODY, EVERYTHING, REALS, binary, unary
from gnomon.numpy.promote import as_value
from gnomon.numpy.mathematics import is_zero, not_a_number, number, refuse_out, where_true
from gnomon.ops import arithmetic, complex_parts
from gnomon.ops.arithmetic import IsFinite
from gnomon.ops.compare import (And, Eq, Ge, Gt, Le, Lt, Ne, Not, Or, ShiftLeft, ShiftRightArithmetic,
                                ShiftRightLogical, Xor, eq, ge, gt, le, lt, ne, population_count)
from gnomon.ops.compare import bitwise_and as both
from gnomon.ops.compare import bitwise_or as either
from gnomon.ops.compare import bitwise_xor as one_of
from gnomon.ops.convert import convert_element_type
from gnomon.ops.shape import full
from gnomon.types.dtype import is_bool, is_complex, is_float, is_inexact, is_signed, is_unsigned

__all__ = ["bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_right_shift", "equal",
           "greater", "greater_equal", "invert", "iscomplex", "isfinite", "isinf", "isnan", "isneginf", "isposinf",
           "isreal", "left_shift", "less", "less_equal", "logical_not", "not_equal", "right_shift"]

_BOOL, _UINT8 = np.dtype(bool), np.dtype("uint8")


# ---- comparisons ------------------------------------------------------------------------------------------------

@binary(Eq(), kinds=EVERYTHING)
def equal(x1, x2, /):
    """Whether x1 == x2.

    >>> import gnomon.numpy as np
    >>> np.equal(np.arange(3), 1)
    Array([False,  True, False], dtype=bool)
    """


@binary(Ne(), kinds=EVERYTHING)
def not_equal(x1, x2, /):
    """Whether x1 != x2.

    >>> import gnomon.numpy as np
    >>> np.not_equal(np.arange(3), 1)
    Array([ True, False,  True], dtype=bool)
    """


def ordered(op):
    """An op for real numbers; complex ones are compared by their real parts, then by their imaginary parts."""
    return lambda dtype: BODY if is_complex(dtype) else op


def by_parts(compare, strictly, x, y):
    xr, yr = complex_parts.real(x), complex_parts.real(y)
    return where_true(eq(xr, yr), compare(complex_parts.imag(x), complex_parts.imag(y)), strictly(xr, yr))


@binary(ordered(Lt()))
def less(x1, x2, /):
    """Whether x1 < x2; complex numbers are compared by their real parts, then by their imaginary parts.

    >>> import gnomon.numpy as np
    >>> np.less(np.arange(3), 1)
    Array([ True, False, False], dtype=bool)
    """
    return by_parts(lt, lt, x1, x2)


@binary(ordered(Le()))
def less_equal(x1, x2, /):
    """Whether x1 <= x2; complex numbers are compared by their real parts, then by their imaginary parts.

    >>> import gnomon.numpy as np
    >>> np.less_equal(np.arange(3), 1)
    Array([ True,  True, False], dtype=bool)
    """
    return by_parts(le, lt, x1, x2)


@binary(ordered(Gt()))
def greater(x1, x2, /):
    """Whether x1 > x2; complex numbers are compared by their real parts, then by their imaginary parts.

    >>> import gnomon.numpy as np
    >>> np.greater(np.arange(3), 1)
    Array([False, False,  True], dtype=bool)
    """
    return by_parts(gt, gt, x1, x2)


@binary(ordered(Ge()))
def greater_equal(x1, x2, /):
    """Whether x1 >= x2; complex numbers are compared by their real parts, then by their imaginary parts.

    >>> import gnomon.numpy as np
    >>> np.greater_equal(np.arange(3), 1)
    Array([False,  True,  True], dtype=bool)
    """
    return by_parts(ge, gt, x1, x2)


# ---- logic ------------------------------------------------------------------------------------------------------

def truth(x):
    """A value as booleans: whether it is not 0."""
    return x if is_bool(x.type.dtype) else ne(x, number(x, 0))


def on_booleans(op):
    """An op for booleans; numbers become truth values first."""
    return lambda dtype: op if is_bool(dtype) else BODY


@binary(on_booleans(And()))
def logical_and(x1, x2, /):
    """Whether both are true; numbers other than 0 count as true.

    >>> import gnomon.numpy as np
    >>> np.logical_and(np.array([0, 1, 2]), np.array([0, 0, 3]))
    Array([False, False,  True], dtype=bool)
    """
    return both(truth(x1), truth(x2))


@binary(on_booleans(Or()))
def logical_or(x1, x2, /):
    """Whether either is true; numbers other than 0 count as true.

    >>> import gnomon.numpy as np
    >>> np.logical_or(np.array([0, 1, 2]), np.array([0, 0, 3]))
    Array([False,  True,  True], dtype=bool)
    """
    return either(truth(x1), truth(x2))


@binary(on_booleans(Xor()))
def logical_xor(x1, x2, /):
    """Whether just one is true; numbers other than 0 count as true.

    >>> import gnomon.numpy as np
    >>> np.logical_xor(np.array([0, 1, 2]), np.array([0, 0, 3]))
    Array([False,  True, False], dtype=bool)
    """
    return one_of(truth(x1), truth(x2))


@unary(on_booleans(Not()), one_op=True)
def logical_not(x, /):
    """Whether x is false; numbers other than 0 count as true.

    >>> import gnomon.numpy as np
    >>> np.logical_not(np.array([0, 2]))
    Array([ True, False], dtype=bool)
    """
    return is_zero(x)


# ---- bits -------------------------------------------------------------------------------------------------------

@binary(And(), kinds=BITS)
def bitwise_and(x1, x2, /):
    """The bits that are set in both, x1 & x2; for booleans, x1 and x2.

    >>> import gnomon.numpy as np
    >>> np.bitwise_and(np.array([6, 7]), 3)
    Array([2, 3], dtype=int32)
    """


@binary(Or(), kinds=BITS)
def bitwise_or(x1, x2, /):
    """The bits that are set in either, x1 | x2; for booleans, x1 or x2.

    >>> import gnomon.numpy as np
    >>> np.bitwise_or(np.array([6, 7]), 3)
    Array([7, 7], dtype=int32)
    """


@binary(Xor(), kinds=BITS)
def bitwise_xor(x1, x2, /):
    """The bits that are set in just one, x1 ^ x2.

    >>> import gnomon.numpy as np
    >>> np.bitwise_xor(np.array([6, 7]), 3)
    Array([5, 4], dtype=int32)
    """


@unary(Not(), kinds=BITS)
def invert(x, /):
    """The bits that are not set, ~x; for booleans, not x.

    >>> import gnomon.numpy as np
    >>> np.invert(np.array([0, 1]))
    Array([-1, -2], dtype=int32)
    """


bitwise_not = bitwise_invert = invert


@binary(ShiftLeft(), count=True, kinds=BITS)
def left_shift(x, y, /):
    """x * 2 ** y, by moving bits up; those moved out are lost.

    >>> import gnomon.numpy as np
    >>> np.left_shift(np.array([1, 3]), 2)
    Array([ 4, 12], dtype=int32)
    """


@binary(lambda dtype: ShiftRightLogical() if is_unsigned(dtype) else ShiftRightArithmetic(), count=True, kinds=BITS)
def right_shift(x1, x2, /):
    """The largest integer not above x1 / 2 ** x2, by moving bits down.

    >>> import gnomon.numpy as np
    >>> np.right_shift(np.array([5, -5]), 1)
    Array([ 2, -3], dtype=int32)
    """


bitwise_left_shift, bitwise_right_shift = left_shift, right_shift


@unary(kinds=BITS)
def bitwise_count(x, /):
    """How many bits of |x| are set, as uint8.

    >>> import gnomon.numpy as np
    >>> np.bitwise_count(np.array([7, -8]))
    Array([3, 1], dtype=uint8)
    """
    dtype = x.type.dtype
    if not is_bool(dtype):
        x = population_count(arithmetic.absolute(x) if is_signed(dtype) else x)
    return convert_element_type(x, _UINT8)


# ---- questions about numbers ------------------------------------------------------------------------------------

def everywhere(x, answer):
    return full(x.type.with_dtype(_BOOL), answer)


@unary(one_op=True)
def isnan(x, /):
    """Whether x is NaN, or a complex number with a part that is.

    >>> import gnomon.numpy as np
    >>> np.isnan(np.array([0., np.nan]))
    Array([False,  True], dtype=bool)
    """
    return not_a_number(x) if is_inexact(x.type.dtype) else everywhere(x, False)


@unary(lambda dtype: IsFinite() if is_float(dtype) else BODY)
def isfinite(x, /):
    """Whether x is neither infinite nor NaN.

    >>> import gnomon.numpy as np
    >>> np.isfinite(np.array([0., np.inf, np.nan]))
    Array([ True, False, False], dtype=bool)
    """
    if not is_complex(x.type.dtype):
        return everywhere(x, True)
    return both(arithmetic.is_finite(complex_parts.real(x)), arithmetic.is_finite(complex_parts.imag(x)))


@unary()
def isinf(x, /):
    """Whether x is infinite, or a complex number with a part that is.

    >>> import gnomon.numpy as np
    >>> np.isinf(np.array([0., -np.inf, np.nan]))
    Array([False,  True, False], dtype=bool)
    """
    if is_complex(x.type.dtype):
        return either(is_infinite(complex_parts.real(x)), is_infinite(complex_parts.imag(x)))
    return is_infinite(x) if is_float(x.type.dtype) else everywhere(x, False)


def is_infinite(x):
    return eq(arithmetic.absolute(x), number(x, math.inf))


def isposinf(x, /, out=None):
    """Whether x is infinite and positive.

    Takes real numbers and booleans. TypeError for anything else.

    >>> import gnomon.numpy as np
    >>> np.isposinf(np.array([np.inf, -np.inf]))
    Array([ True, False], dtype=bool)
    """
    return equals_infinity("isposinf", x, math.inf, out)


def isneginf(x, /, out=None):
    """Whether x is infinite and negative.

    Takes real numbers and booleans. TypeError for anything else.

    >>> import gnomon.numpy as np
    >>> np.isneginf(np.array([np.inf, -np.inf]))
    Array([False,  True], dtype=bool)
    """
    return equals_infinity("isneginf", x, -math.inf, out)


def equals_infinity(name, x, infinity, out):
    refuse_out(name, out)
    x = as_value(x, name, 0)
    REALS.check(name, x.type.dtype)
    return eq(x, number(x, infinity)) if is_float(x.type.dtype) else everywhere(x, False)


@unary()
def iscomplex(x):
    """Whether the imaginary part is not 0.

    >>> import gnomon.numpy as np
    >>> np.iscomplex(np.array([1, 2j]))
    Array([False,  True], dtype=bool)
    """
    return truth(complex_parts.imag(x)) if is_complex(x.type.dtype) else everywhere(x, False)


@unary()
def isreal(x):
    """Whether the imaginary part is 0.

    >>> import gnomon.numpy as np
    >>> np.isreal(np.array([1, 2j]))
    Array([ True, False], dtype=bool)
    """
    return is_zero(complex_parts.imag(x)) if is_complex(x.type.dtype) else everywhere(x, True)
