"""Functions along axes: softmax and its kin, standardize, one_hot, glu."""
from __future__ import annotations

import math

import numpy as np

from gnomon.base.arguments import flag
from gnomon.base.errors import Refused
from gnomon.numpy.axes import axis_tuple, one_axis
from gnomon.numpy.composite import composite
from gnomon.numpy.creation import as_array, broadcast, default_float, settle
from gnomon.numpy.manipulation import broadcast_shapes
from gnomon.numpy.promote import as_value, promote_inexact, requested_dtype, to_inexact
from gnomon.numpy.reductions import mean as mean_of
from gnomon.numpy.reductions import var as variance_of
from gnomon.numpy.ufuncs import add, multiply, subtract
from gnomon.ops import slicing
from gnomon.ops.arithmetic import absolute, div, is_finite, maximum, mul, sign, square, sub
from gnomon.ops.arithmetic import add as plus
from gnomon.ops.compare import eq, ne, select_n
from gnomon.ops.complex_parts import real
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import exp, log, logistic, rsqrt
from gnomon.ops.reductions import reduce_max
from gnomon.ops.shape import Iota, StopGradient, expand_dims, reduce_sum, squeeze
from gnomon.trace.stage import bind
from gnomon.types.dtype import finfo, is_complex, is_inexact, itemsize_bits
from gnomon.types.size import check_size

__all__ = ["glu", "log_softmax", "logmeanexp", "logsumexp", "one_hot", "softmax", "standardize"]

_stop, _FLOAT32 = StopGradient(), np.dtype("float32")


def prepared(name, x, axis, where=None):
    """The array as floats, its axes as a tuple, the mask as a value that broadcasts to the array."""
    x = to_inexact(as_value(x, name, 0))
    axes = tuple(sorted(axis_tuple(axis, x.type.ndim, name)))
    if where is not None:
        where = as_value(where, name, 2)
        where = where if where.type.dtype == bool else ne(where, full_scalar(where, 0))
        shape = broadcast_shapes(where.type.shape, x.type.shape)
        if shape != x.type.shape:
            raise ValueError(f"{name} takes a mask `where` that broadcasts to the array, got shapes {where.type.shape} and "
                             f"{x.type.shape}.")
        where = expand_dims(where, tuple(range(len(shape) - where.type.ndim)))
    return x, axes, where


def largest(x, axes):
    """The largest element along axes, which stay with size 1. It is only subtracted, so it counts as constant, and a NaN
    may be lost: the element that is NaN stays so."""
    top = reduce_max(real(x) if is_complex(x.type.dtype) else x, axes, nan_matters=False)
    return expand_dims(bind(_stop, top), axes)


def finite_or_zero(x):
    return select_n(is_finite(x), full_scalar(x, 0), x)


def masked(x, where, value):
    return x if where is None else select_n(where, full_scalar(x, value), x)


def sum_of(x, axes):
    return expand_dims(reduce_sum(x, axes), axes)


def total_of(powers, axes):
    """Their sum, in float32 where there are so many that a sum of ones would be infinite: 65505 of float16."""
    t = powers.type
    sizes = [t.shape[axis] for axis in axes]
    narrow = t.dtype.itemsize < 4 and all([isinstance(n, int) for n in sizes]) and math.prod(sizes) > float(finfo(t.dtype).max)
    return sum_of(convert_element_type(powers, _FLOAT32, t.weak_type) if narrow else powers, axes)


def as_type(x, t):
    """x in the dtype of the type t."""
    return x if x.type.dtype == t.dtype else convert_element_type(x, t.dtype, t.weak_type)


def nonzero(x, where):
    """Sums that are divided by: where a mask leaves nothing to add up, 1 instead of 0."""
    return x if where is None else select_n(eq(x, full_scalar(x, 0)), x, full_scalar(x, 1))


# ---- softmax --------------------------------------------------------------------------------------------------------

def softmax(x, axis=-1, where=None):
    """exp(x), scaled so that it adds up to 1 along an axis, several, or all (None).

    where: a mask of the elements that count; the result is 0 for the others. NaN where an element is infinite.

    >>> softmax(np.array([0.0, 0.0], np.float32))
    Array([0.5, 0.5], dtype=float32)
    """
    return _softmax(*prepared("softmax", x, axis, where))


@composite(static=("axes",))
def _softmax(x, axes, where):
    if not x.type.size:
        return x
    x = masked(x, where, -math.inf)
    top = largest(x, axes)
    powers = exp(sub(x, top if where is None else finite_or_zero(top)))
    total = nonzero(total_of(powers, axes), where)
    return as_type(div(as_type(powers, total.type), total), x.type)


def log_softmax(x, axis=-1, where=None):
    """The logarithm of softmax, without underflow.

    where: a mask of the elements that count; the result is -inf for the others.

    >>> log_softmax(np.array([0.0, 0.0], np.float32))
    Array([-0.6931472, -0.6931472], dtype=float32)
    """
    return _log_softmax(*prepared("log_softmax", x, axis, where))


@composite(static=("axes",))
def _log_softmax(x, axes, where):
    if not x.type.size:
        return x
    x = masked(x, where, -math.inf)
    top = largest(x, axes)
    shifted = sub(x, top if where is None else finite_or_zero(top))
    total = nonzero(total_of(exp(shifted), axes), where)
    return masked(sub(shifted, as_type(log(total), shifted.type)), where, -math.inf)


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    """log(sum(b * exp(a))) along axes (None: all), without overflow.

    b: factors that broadcast to `a`. return_sign: the pair (log of the sum's absolute value, its sign); without it the result
    is NaN where the sum is negative. where: a mask of the elements that count. keepdims: the axes stay with size 1.

    >>> logsumexp(np.array([1000.0, 1000.0], np.float32))
    Array(1000.693..., dtype=float32)
    """
    if b is not None:
        a, b = promote_inexact("logsumexp", a, b)
        b = broadcast(b, broadcast_shapes(a.type.shape, b.type.shape), "logsumexp")
        a = broadcast(a, b.type.shape, "logsumexp")
    a, axes, where = prepared("logsumexp", a, axis, where)
    out, signs = _logsumexp(a, b, where, axes, flag(keepdims, "logsumexp", "keepdims"), flag(return_sign, "logsumexp", "return_sign"))
    return (out, signs) if return_sign else out


@composite(static=("axes", "keepdims", "signed"))
def _logsumexp(a, b, where, axes, keepdims, signed):
    if b is not None:       # no product of 0 and infinity
        a = select_n(ne(b, full_scalar(b, 0)), full_scalar(a, -math.inf), a)
    a = masked(a, where, -math.inf)
    top = finite_or_zero(largest(a, axes))
    shifted = sub(a, convert_element_type(top, a.type.dtype, a.type.weak_type))
    powers = exp(shifted)
    total = total_of(powers if b is None else mul(b, powers), axes)
    size = absolute(total) if signed else total
    out = as_type(log(size), powers.type)
    out = plus(out, convert_element_type(top, out.type.dtype, out.type.weak_type))
    results = (out, as_type(sign(total), powers.type)) if signed else (out, out)
    return tuple([strong(y if keepdims else squeeze(y, axes)) for y in results])


def strong(x):
    return convert_element_type(x, x.type.dtype)


def logmeanexp(x, axis=None, where=None, keepdims=False):
    """log(mean(exp(x))) along axes (None: all), without overflow; of the elements that the mask `where` marks.

    >>> logmeanexp(np.array([1.0, 1.0], np.float32))
    Array(1., dtype=float32)
    """
    x, axes, mask = prepared("logmeanexp", x, axis, where)
    total = logsumexp(x, axes, keepdims=keepdims, where=mask)
    if mask is None:
        count = full_scalar(total, math.prod([x.type.shape[i] for i in axes]))
    else:
        count = reduce_sum(convert_element_type(broadcast(mask, x.type.shape, "logmeanexp"), x.type.dtype), axes)
        count = expand_dims(count, axes) if keepdims else count
    return sub(total, log(count))


# ---- normalisation ----------------------------------------------------------------------------------------------------

def standardize(x, axis=-1, mean=None, variance=None, epsilon=1e-05, where=None, *, algorithm="fast"):
    """(x - mean) / sqrt(variance + epsilon) along an axis, several, or all (None).

    mean, variance: those of the array along the axes unless given. where: a mask of the elements that count for them.
    algorithm: "fast" computes the variance as mean(x ** 2) - mean(x) ** 2, which loses digits where the mean is large;
    "stable" as mean((x - mean) ** 2).

    >>> standardize(np.array([-1.0, 1.0], np.float32), epsilon=0.0)
    Array([-1.,  1.], dtype=float32)
    """
    if algorithm not in ("fast", "stable"):
        raise ValueError(f"standardize takes algorithm 'fast' or 'stable', got {algorithm!r}.")
    x, axes, where = prepared("standardize", x, axis, where)
    if mean is None:
        mean = mean_of(x, axes, keepdims=True, where=where)
    if variance is None:
        if algorithm == "fast":
            second = mean_of(square(absolute(x) if is_complex(x.type.dtype) else x), axes, keepdims=True, where=where)
            m = as_value(mean, "standardize", 2)
            variance = subtract(second, square(absolute(m) if is_complex(m.type.dtype) else m))
            variance = maximum(variance, full_scalar(variance, 0))
        else:
            variance = variance_of(x, axes, keepdims=True, where=where, mean=mean)
    return multiply(subtract(x, mean), rsqrt(to_inexact(as_value(add(variance, epsilon), "standardize", 3))))


def one_hot(x, num_classes, *, dtype=None, axis=-1, out_sharding=None):
    """For each number a vector of `num_classes` elements, 1 at the place that it names and 0 elsewhere (everywhere, if there is
    no such place). The vectors stand along `axis` of the result, by default the last.

    >>> one_hot(np.array([0, 2]), 3)
    Array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    count = check_size(num_classes, "The number of classes given to one_hot")
    dtype = default_float() if dtype is None else requested_dtype(dtype)
    x = as_array(x, None, "one_hot")
    if isinstance(axis, str):
        raise Refused("one_hot does not spread classes over a named axis. Give the number of an axis.")
    axis = one_axis(axis, x.type.ndim + 1, "one_hot")
    shape = [1] * (x.type.ndim + 1)
    shape[axis] = count
    narrow = itemsize_bits(x.type.dtype) < 32           # such dtypes may not be able to count the classes
    counted = (np.dtype("float32") if is_inexact(x.type.dtype) else np.dtype("int32")) if narrow else x.type.dtype
    classes = bind(Iota(counted, tuple(shape), axis))
    x = expand_dims(convert_element_type(x, counted), (axis,))
    return settle(convert_element_type(eq(x, classes), dtype), None, out_sharding)


def glu(x, axis=-1):
    """The first half along an axis times the sigmoid of the second half. ValueError for an odd number of elements.

    >>> glu(np.array([2.0, 0.0], np.float32))
    Array([1.], dtype=float32)
    """
    x = to_inexact(as_value(x, "glu", 0))
    axis = one_axis(axis, x.type.ndim, "glu")
    n = x.type.shape[axis]
    if n % 2:
        raise ValueError(f"glu cuts an axis in two halves, and axis {axis} of an array of type {x.type} has odd size {n}.")
    first, second = slicing.split(x, (n // 2, n // 2), axis)
    return mul(first, logistic(second))
