"""Comparing whole arrays, showing them, and bits packed in bytes."""
from __future__ import annotations

import numpy as np

from gnomon.numpy.axes import integer, one_axis, one_of
from gnomon.numpy.composite import remembered
from gnomon.numpy.creation import arange, as_array, owned
from gnomon.numpy.manipulation import broadcast_shapes, moveaxis, ravel
from gnomon.numpy.promote import as_value, promote_inexact
from gnomon.numpy.reductions import all as all_of
from gnomon.numpy.selection import where
from gnomon.numpy.ufunc_objects import add, logical_and, logical_or, multiply, subtract
from gnomon.numpy.ufuncs import absolute, equal, isfinite, isnan, less_equal, power
from gnomon.ops import shape as shape_ops
from gnomon.ops import slicing
from gnomon.ops.arithmetic import mul
from gnomon.ops.compare import bitwise_and, ne
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.shape import expand_dims, reduce_sum, reshape
from gnomon.types.dtype import is_bool, is_inexact, is_integer
from gnomon.types.size import check_size

__all__ = ["allclose", "array_equal", "array_equiv", "array_repr", "array_str", "isclose", "packbits", "unpackbits", "vander"]

_UINT8 = np.dtype("uint8")


# ---- comparing ------------------------------------------------------------------------------------------------------

@remembered
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Elementwise, whether |a - b| <= atol + rtol * |b|. Infinities are close to themselves, NaNs only with equal_nan=True.

    Errors: TypeError for what is no array (lists included) and shapes that do not broadcast.

    >>> import gnomon.numpy as jnp
    >>> isclose(jnp.array([1.0, 2.0]), jnp.array([1.0, 2.1]))
    Array([ True, False], dtype=bool)
    """
    a, b = promote_inexact("isclose", a, b)
    near = less_equal(absolute(subtract(a, b)), add(atol, multiply(rtol, absolute(b))))
    out = where(logical_and(isfinite(a), isfinite(b)), near, equal(a, b))
    return logical_or(out, logical_and(isnan(a), isnan(b))) if equal_nan else out


@remembered
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close to each other; see `isclose`.

    Errors: TypeError for what is no array (lists included) and shapes that do not broadcast.

    >>> import gnomon.numpy as jnp
    >>> allclose(jnp.ones(3), 1.0)
    Array(True, dtype=bool)
    """
    return all_of(isclose(a, b, rtol, atol, equal_nan))


@remembered
def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays (or lists) have the same shape and elements. NaNs are equal only with equal_nan=True.

    Errors: TypeError for what holds no numbers, ValueError for ragged lists.

    >>> import gnomon.numpy as jnp
    >>> array_equal(jnp.arange(2), jnp.arange(3))
    Array(False, dtype=bool)
    """
    a, b = as_array(a1, None, "array_equal"), as_array(a2, None, "array_equal")
    if a.type.shape != b.type.shape:
        return as_array(False, None, "array_equal")
    same = equal(a, b)
    if equal_nan and is_inexact(a.type.dtype) and is_inexact(b.type.dtype):
        same = logical_or(same, logical_and(isnan(a), isnan(b)))
    return all_of(same)


def array_equiv(a1, a2):
    """Whether two arrays (or lists) broadcast to each other and are equal then.

    Errors: TypeError for what holds no numbers, ValueError for ragged lists.

    >>> import gnomon.numpy as jnp
    >>> array_equiv(jnp.ones(2), 1.0)
    Array(True, dtype=bool)
    """
    a, b = as_array(a1, None, "array_equiv"), as_array(a2, None, "array_equiv")
    try:
        broadcast_shapes(a.type.shape, b.type.shape)
    except ValueError:
        return as_array(False, None, "array_equiv")
    return all_of(equal(a, b))


# ---- showing --------------------------------------------------------------------------------------------------------

def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The text that stands for an array, with NumPy's options for its numbers.

    Errors: TypeError for a width that is no integer, ValueError for a negative precision, TracerArrayConversionError for traced values.

    >>> import gnomon.numpy as jnp
    >>> array_repr(jnp.array([1.23456]), precision=2)
    'Array([1.23], dtype=float32)'
    """
    max_line_width = None if max_line_width is None else integer(max_line_width, "array_repr", "max_line_width")
    return "A" + np.array_repr(np.asarray(arr), max_line_width, precision, suppress_small)[1:]


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """An array's numbers as text, with NumPy's options.

    Errors: TypeError for a width that is no integer, ValueError for a negative precision, TracerArrayConversionError for traced values.

    >>> import gnomon.numpy as jnp
    >>> array_str(jnp.array([1.23456]), precision=2)
    '[1.23]'
    """
    max_line_width = None if max_line_width is None else integer(max_line_width, "array_str", "max_line_width")
    return np.array_str(np.asarray(a), max_line_width, precision, suppress_small)


# ---- bits -----------------------------------------------------------------------------------------------------------

def bit_numbers(bitorder, name):
    return np.arange(7, -1, -1) if one_of(bitorder, ("big", "little"), name, "bitorder") == "big" else np.arange(8)


@remembered
def packbits(a, axis=None, bitorder="big"):
    """Eight elements at a time, along an axis (None: all in one dimension), as the bits of a byte: 1 where they are not 0.

    TypeError for arrays that are neither integers nor booleans.
    Also AxisError for an axis out of bounds, ValueError for another bitorder.

    >>> import gnomon.numpy as jnp
    >>> packbits(jnp.array([0, 0, 0, 0, 0, 1, 0, 1]))
    Array([5], dtype=uint8)
    """
    weights = (1 << bit_numbers(bitorder, "packbits")).astype(np.uint8)
    x = as_value(a, "packbits", 0)
    if not is_bool(x.type.dtype) and not is_integer(x.type.dtype):
        raise TypeError(f"packbits takes integers or booleans, got an array of {x.type.dtype}.")
    if axis is None:
        x, axis = ravel(x), 0
    axis = one_axis(axis, x.type.ndim, "packbits")
    x = moveaxis(x if is_bool(x.type.dtype) else ne(x, full_scalar(x, 0)), axis, -1)
    x = convert_element_type(x, _UINT8)
    *rest, n = x.type.shape
    x = slicing.pad_in_dim(x, full_scalar(x, 0), 0, -n % 8, len(rest))
    x = reshape(x, (*rest, -(-n // 8), 8))
    x = mul(x, expand_dims(owned(weights), tuple(range(len(rest) + 1))))
    return moveaxis(reduce_sum(x, (len(rest) + 1,)), -1, axis)


@remembered
def unpackbits(a, axis=None, count=None, bitorder="big"):
    """The bits of bytes, eight elements for each along an axis (None: all in one dimension).

    count: how many are given, filled up with zeros if there are fewer; a negative one says how many are left out at the end.
    TypeError for arrays that are not uint8.
    Also AxisError for an axis out of bounds, ValueError for another bitorder.

    >>> import gnomon.numpy as jnp
    >>> unpackbits(jnp.array([5], dtype="uint8"))
    Array([0, 0, 0, 0, 0, 1, 0, 1], dtype=uint8)
    """
    weights = (1 << bit_numbers(bitorder, "unpackbits")).astype(np.uint8)
    x = as_value(a, "unpackbits", 0)
    if x.type.dtype != _UINT8:
        raise TypeError(f"unpackbits takes an array of uint8, got one of {x.type.dtype}.")
    if axis is None:
        x, axis = ravel(x), 0
    axis = one_axis(axis, x.type.ndim, "unpackbits")
    x = moveaxis(x, axis, -1)
    *rest, n = x.type.shape
    masks = expand_dims(owned(weights), tuple(range(len(rest) + 1)))
    bits = bitwise_and(expand_dims(x, (len(rest) + 1,)), masks)
    bits = reshape(convert_element_type(ne(bits, full_scalar(bits, 0)), _UINT8), (*rest, n * 8))
    if count is not None:
        count = integer(count, "unpackbits", "count")
        behind = count if count < 0 else count - n * 8
        bits = slicing.pad_in_dim(bits, full_scalar(bits, 0), 0, behind, len(rest))
    return moveaxis(bits, -1, axis)


@remembered
def vander(x, N=None, increasing=False):
    """The Vandermonde matrix of a vector: its powers as columns, N of them, from the highest to the 0th or in order.

    Errors: TypeError for what is no array of numbers (lists included), ValueError for what is no vector and for N < 0.

    >>> import gnomon.numpy as jnp
    >>> vander(jnp.array([1, 2, 3]), 2)
    Array([[1, 1],
           [2, 1],
           [3, 1]], dtype=int32)
    """
    x = as_value(x, "vander", 0)
    if x.type.ndim != 1:
        raise ValueError(f"vander takes a vector, got an array of type {x.type}.")
    count = x.type.shape[0] if N is None else check_size(integer(N, "vander", "N"), "The number of columns given to vander")
    powers = arange(count, dtype=x.type.dtype)
    powers = powers if increasing else slicing.rev(powers, (0,))
    return power(shape_ops.expand_dims(x, (1,)), shape_ops.expand_dims(powers, (0,)))
