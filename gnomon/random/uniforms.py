"""Bits, uniform numbers, integers, and what is one comparison away from them."""
from __future__ import annotations

import functools

import numpy as np

from gnomon import lax
from gnomon.base.settings import current
from gnomon.numpy.axes import one_of
from gnomon.ops.random import BITS, random_bits, random_split
from gnomon.random.recording import (as_shape, common_shape, drawn_dtype, float_dtype, float_parameter,
                                     int_dtype, number, one_key, pair, parameter, placed, recorded, to_dtype, where,
                                     with_rank)
from gnomon.types.dtype import finfo, iinfo, is_complex, is_float, is_integer, is_signed, is_unsigned

__all__ = ["bernoulli", "bits", "rademacher", "randint", "uniform"]


# ---- bits ----------------------------------------------------------------------------------------------------------

def bits(key, shape=(), dtype=None, *, out_sharding=None):
    """Unsigned integers, uniform over all values of the dtype.

    Returns an array of `shape` and of `dtype`, an unsigned integer dtype (default: uint32, uint64 with x64). TypeError
    for what is not a key, ValueError for several keys or another dtype.

    >>> from gnomon import random
    >>> random.bits(random.key(0), (2,))
    Array([4070199207, 4202968722], dtype=uint32)
    """
    key, _ = one_key(key, "bits")
    unsigned = BITS[64 if current.enable_x64 else 32]
    dtype = drawn_dtype(unsigned if dtype is None else dtype, "bits", int, is_unsigned, "an unsigned integer")
    return placed(random_bits(key, dtype.itemsize * 8, as_shape(shape, "bits")), out_sharding)


# ---- uniform -------------------------------------------------------------------------------------------------------

def uniform(key, shape=(), dtype=None, minval=0.0, maxval=1.0, *, out_sharding=None):
    """Floats uniform over ``[minval, maxval)``.

    `minval` and `maxval` are numbers or arrays that broadcast to `shape`. Returns an array of `shape` and of `dtype`,
    a float dtype (default: float32, float64 with x64); where the dtype has few numbers between the bounds, rounding
    may give `maxval` itself. TypeError for what is not a key, ValueError for several keys, for a dtype that is not a
    float's, for bounds that do not fit the shape.

    >>> from gnomon import random
    >>> random.uniform(random.key(0), (2,))
    Array([0.947667 , 0.9785799], dtype=float32)
    """
    key, _ = one_key(key, "uniform")
    shape = common_shape(as_shape(shape, "uniform"), "uniform", minval=minval, maxval=maxval)
    dtype = float_dtype(dtype, "uniform")
    minval, maxval = [x if isinstance(x, (int, float)) else parameter(x, "uniform", name)
                      for x, name in ((minval, "minval"), (maxval, "maxval"))]
    return placed(_uniform(key, minval, maxval, shape=shape, dtype=dtype), out_sharding)


@recorded
def _uniform(key, minval, maxval, *, shape, dtype):
    """Random bits as the mantissa of a float in [1, 2), shifted to [0, 1) and stretched."""
    minval, maxval = to_dtype(minval, dtype), to_dtype(maxval, dtype)
    minval, maxval = with_rank(minval, len(shape)), with_rank(maxval, len(shape))
    info = finfo(dtype)
    width = info.bits if info.nmant >= 8 else 8         # the fewest bits that hold the mantissa
    word = BITS[info.bits]
    drawn = to_dtype(random_bits(key, width, shape), word)
    if info.bits == 8:      # the compiler of jaxlib 0.12 writes the bits anew wherever they are used, without end where floats are narrow
        drawn = lax.optimization_barrier(drawn)
    one = np.ones((), dtype).view(word)[()]
    mantissa = lax.shift_right_logical(drawn, number(width - info.nmant, word))
    fraction = lax.bitcast_convert_type(lax.bitwise_or(mantissa, number(one, word)), dtype) - number(1.0, dtype)
    # rounding must not take the result below the lower end
    return lax.max(minval, fraction * (maxval - minval) + minval)


# ---- integers ------------------------------------------------------------------------------------------------------

def randint(key, shape, minval, maxval, dtype=None, *, out_sharding=None):
    """Integers uniform over ``[minval, maxval)``.

    `minval` and `maxval` are integers or integer arrays that broadcast to `shape`; `maxval` may be one more than the
    dtype's largest, so that all its values can be drawn. Where ``maxval <= minval``, the result is `minval`. Returns
    an array of `shape` and of `dtype`, an integer dtype (None: the default). TypeError for what is not a key, or for a dtype or bounds
    that are not integers.

    >>> from gnomon import random
    >>> random.randint(random.key(0), (4,), 0, 10)
    Array([...], dtype=int32)
    """
    key, _ = one_key(key, "randint")
    dtype = int_dtype(dtype, "randint")
    shape = common_shape(as_shape(shape, "randint"), "randint", minval=minval, maxval=maxval)
    # narrow integers are drawn as wider ones, in which the upper end fits
    wide = dtype if dtype.itemsize >= 4 else np.dtype("int32")
    (minval, _), (maxval, beyond) = [bound(x, name, dtype, wide) for x,
                                     name in ((minval, "minval"), (maxval, "maxval"))]
    return placed(to_dtype(_randint(key, minval, maxval, beyond, shape=shape, dtype=wide), dtype), out_sharding)


def bound(x, name, dtype, wide):
    """An end of the range as a value of the dtype `wide`, held to what `dtype` has, and whether it is beyond the
    largest number of `wide`."""
    low, high = ends(dtype)
    high += wide != dtype
    if isinstance(x, int):
        return number(min(max(x, low), high), wide), number(wide == dtype and x > high, np.dtype(bool))
    x = parameter(x, "randint", name)
    t = x.type
    if not is_integer(t.dtype):
        if t.dtype != bool and not is_float(t.dtype):
            raise TypeError(f"random.randint takes an integer {name}, got a value of type {t}.")
        x = to_dtype(x, wide)
    first, last = ends(x.type.dtype)
    beyond = x > high if wide == dtype and last > high else number(False, np.dtype(bool))
    if first < low or last > high:
        x = lax.clamp(number(max(low, first), x.type.dtype), x, number(min(high, last), x.type.dtype))
    return to_dtype(x, wide), beyond


@functools.cache
def ends(dtype):
    """The smallest and the largest number of an integer dtype."""
    info = iinfo(dtype)
    return int(info.min), int(info.max)


@recorded
def _randint(key, minval, maxval, beyond, *, shape, dtype):
    """Two words of bits make a number of twice the width, so that its remainder is close to uniform."""
    rank, word = len(shape), BITS[8 * dtype.itemsize]
    minval, maxval, beyond = [with_rank(x, rank) for x in (minval, maxval, beyond)]
    high, low = [random_bits(k, 8 * dtype.itemsize, shape) for k in pair(random_split(key, (2,)))]
    some = lax.gt(maxval, minval)
    span = where(some, to_dtype(maxval - minval, word), 1)
    span = span + to_dtype(lax.bitwise_and(some, beyond), word)
    half = lax.rem(number(1 << 4 * dtype.itemsize, word), span)
    factor = lax.rem(half * half, span)
    offset = lax.rem(lax.rem(high, span) * factor + lax.rem(low, span), span)
    return minval + to_dtype(offset, dtype)


# ---- coins ---------------------------------------------------------------------------------------------------------

def bernoulli(key, p=0.5, shape=None, mode="low", *, out_sharding=None):
    """Booleans that are True with probability `p`.

    `p` is a number or an array. Returns an array of `shape`, to which `p` must broadcast (default: p's shape), of dtype
    bool. `mode="high"` draws twice the bits, so that small probabilities are met precisely. TypeError for what is not a
    key, ValueError for a shape that does not hold `p` or for another mode.

    >>> from gnomon import random
    >>> random.bernoulli(random.key(0), 0.5, (3,))
    Array([False, False, ...], dtype=bool)
    """
    key, _ = one_key(key, "bernoulli")
    one_of(mode, ("low", "high"), "random.bernoulli", "mode")
    p = float_parameter(p, "bernoulli", "p")
    shape = common_shape(shape, "bernoulli", p=p)
    return placed(_bernoulli(key, p, shape=shape, mode=mode), out_sharding)


@recorded
def _bernoulli(key, p, *, shape, mode):
    dtype = p.type.dtype
    if mode == "low":
        return _uniform(key, 0.0, 1.0, shape=shape, dtype=dtype) < p
    coarse, fine = pair(_uniform(key, 0.0, 1.0, shape=(2, *shape), dtype=dtype))
    return fine * number(finfo(dtype).eps, dtype) < p - coarse


def is_signed_number(dtype):
    return is_signed(dtype) or is_float(dtype) or is_complex(dtype)


def rademacher(key, shape=(), dtype=None, *, out_sharding=None):
    """-1 or 1, each with probability 1/2.

    Returns an array of `shape` and of `dtype`, an integer or float dtype (default: int32, int64 with x64). TypeError
    for what is not a key.

    >>> from gnomon import random
    >>> random.rademacher(random.key(0), (3,))
    Array([-1, -1, ...], dtype=int32)
    """
    key, _ = one_key(key, "rademacher")
    dtype = drawn_dtype(dtype, "rademacher", int, is_signed_number, "a signed integer, float or complex")
    return placed(_rademacher(key, shape=as_shape(shape, "rademacher"), dtype=dtype), out_sharding)


@recorded
def _rademacher(key, *, shape, dtype):
    heads = _bernoulli(key, number(0.5, float_dtype(None, "rademacher")), shape=shape, mode="low")
    return number(2, dtype) * to_dtype(heads, dtype) - number(1, dtype)
