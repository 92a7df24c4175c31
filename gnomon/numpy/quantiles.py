"""Medians, percentiles and quantiles.

The reduced axes become one, which is sorted; a quantile is read between two places of it. Numbers are float results:
integers and booleans become floats.
"""
from __future__ import annotations

import math

import numpy as np

from gnomon.base.errors import Refused
from gnomon.numpy import ufuncs
from gnomon.numpy.axes import axis_tuple, one_of
from gnomon.numpy.composite import composite, remembered
from gnomon.numpy.promote import as_value, to_inexact
from gnomon.numpy.taking import take_along_axis
from gnomon.ops import arithmetic, cumulative
from gnomon.ops.compare import bitwise_or, eq, lt, ne, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar as number
from gnomon.ops.reductions import reduce_or
from gnomon.ops.shape import broadcast_in_dim, expand_dims, full, moveaxis, reduce_sum, reshape, transpose
from gnomon.ops.slicing import concatenate, slice_in_dim
from gnomon.ops.sorting import sort, sorted_at
from gnomon.trace.stage import value_of
from gnomon.types.dtype import is_complex, is_float

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]

METHODS = ("linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf")
_INT32, _FLOAT32 = np.dtype("int32"), np.dtype("float32")


@remembered
def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The q-th quantiles over axes: one, several, or None for all. NaN where there is one, or of no elements.

    `q` is a number or an array of one dimension of them, from 0 to 1; with an array the result has its dimension in
    front. `method` says what lies between two elements: "linear", "lower", "higher", "midpoint", "nearest", or the
    "inverted_cdf", for which `weights` (of the shape of `a`, or of the one axis) can be given. ValueError for another
    method, TypeError for complex numbers.
    Also TypeError for what is no array (lists included), AxisError for an axis out of bounds, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.quantile(np.array([3., 1., 2., 7.]), 0.5)
    Array(2.5, dtype=float32)
    """
    return quantiles("quantile", a, q, 1, axis, out, overwrite_input, method, keepdims, weights, False)


@remembered
def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The q-th quantiles of what is not NaN, or NaN where all is; the arguments are those of `quantile`.

    Errors: TypeError for what is no array of real numbers (lists included), AxisError for an axis out of bounds, ValueError for a
    repeated one, another method and a `q` of more than one dimension, Refused for `out` and for weights with a method that does not
    take them.

    >>> import gnomon.numpy as np
    >>> np.nanquantile(np.array([3., 1., np.nan]), 0.5)
    Array(2., dtype=float32)
    """
    return quantiles("nanquantile", a, q, 1, axis, out, overwrite_input, method, keepdims, weights, True)


@remembered
def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
               out_sharding=None):
    """The q-th percentiles, q from 0 to 100; the arguments are those of `quantile`.

    Errors: TypeError for what is no array of real numbers (lists included), AxisError for an axis out of bounds, ValueError for a
    repeated one, another method and a `q` of more than one dimension, Refused for `out` and for weights with a method that does not
    take them.

    >>> import gnomon.numpy as np
    >>> np.percentile(np.array([1., 2., 3.]), 75)
    Array(2.5, dtype=float32)
    """
    if out_sharding is not None:
        raise Refused("percentile does not take out_sharding; reshard its result instead.")
    return quantiles("percentile", a, q, 100, axis, out, overwrite_input, method, keepdims, weights, False)


@remembered
def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The q-th percentiles of what is not NaN, q from 0 to 100; the arguments are those of `quantile`.

    Errors: TypeError for what is no array of real numbers (lists included), AxisError for an axis out of bounds, ValueError for a
    repeated one, another method and a `q` of more than one dimension, Refused for `out` and for weights with a method that does not
    take them.

    >>> import gnomon.numpy as np
    >>> np.nanpercentile(np.array([1., np.nan, 3.]), 75)
    Array(2.5, dtype=float32)
    """
    return quantiles("nanpercentile", a, q, 100, axis, out, overwrite_input, method, keepdims, weights, True)


@remembered
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median over axes: one, several, or None for all; of an even number of elements the mean of the two in the
    middle.

    Errors: TypeError for what is no array of real numbers (lists included), AxisError for an axis out of bounds, ValueError for a
    repeated one, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.median(np.array([[3, 1, 2], [4, 8, 6]]), axis=1)
    Array([2., 6.], dtype=float32)
    """
    return quantiles("median", a, 0.5, 1, axis, out, overwrite_input, "midpoint", keepdims, None, False)


@remembered
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median over axes of what is not NaN, or NaN where all is; the arguments are those of `median`.

    Errors: TypeError for what is no array of real numbers (lists included), AxisError for an axis out of bounds, ValueError for a
    repeated one, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.nanmedian(np.array([3., np.nan, 1.]))
    Array(2., dtype=float32)
    """
    return quantiles("nanmedian", a, 0.5, 1, axis, out, overwrite_input, "midpoint", keepdims, None, True)


def quantiles(name, a, q, whole, axis, out, overwrite_input, method, keepdims, weights, skip_nan):
    """Checks, and the division of `q` by what stands for all: 1 or 100."""
    if out is not None or overwrite_input:
        raise Refused(f"{name} takes no out and no overwrite_input: arrays are immutable. Use what it returns.")
    one_of(method, METHODS, name, "method")
    a = as_value(a, name, 0)
    if is_complex(a.type.dtype):
        raise TypeError(f"{name} takes real numbers, since complex ones have no order, got an array of {a.type.dtype}.")
    axes = tuple(sorted(axis_tuple(axis, a.type.ndim, name)))
    if weights is not None:
        if method != "inverted_cdf":
            raise Refused(f'{name} takes weights with the method "inverted_cdf" only, got {method!r}.')
        weights = spread_weights(name, as_value(weights, f"{name}: weights"), a.type, axes)
    if isinstance(q, (int, float)):
        fixed, count, q = (min(max(q / whole, 0.0), 1.0) if q == q else math.nan,), (), None
    else:
        fixed, count = known_fractions(q, whole, a.type.dtype)
        q = as_value(q, name, 1) if fixed is None else None
        if q is not None and q.type.ndim > 1:
            raise ValueError(f"{name} takes a number or an array of one dimension as q, got shape {q.type.shape}.")
    return _quantiles(to_inexact(a), q, weights, fixed, count, whole, axes, method, bool(keepdims), skip_nan)


def known_fractions(q, whole, dtype):
    """The fractions that a short NumPy array holds, with the precision of the computation, and its shape; or None where
    they are not known, or not finite."""
    if not isinstance(q, np.ndarray) or q.ndim > 1 or not 0 < q.size <= 8 or q.dtype.kind not in "iuf" or not np.isfinite(q).all():
        return None, ()
    q = q.astype(dtype if is_float(dtype) and dtype.itemsize > 4 else _FLOAT32)
    return tuple(np.clip(q / q.dtype.type(whole), 0, 1).ravel()), q.shape


def spread_weights(name, weights, t, axes):
    """Weights in the shape of the array."""
    if weights.type.shape == t.shape:
        return weights
    if len(axes) != 1 or weights.type.shape != (t.shape[axes[0]],):
        raise ValueError(f"{name}: weights need the shape of the array, {t.shape}, or of the one axis that is reduced, "
                         f"got shape {weights.type.shape}.")
    return broadcast_in_dim(weights, t.shape, axes)


def in_one_axis(x, axes):
    """The axes moved behind the others and joined to one."""
    others = tuple([i for i in range(x.type.ndim) if i not in axes])
    sizes = x.type.shape
    x = transpose(x, others + axes)
    return reshape(x, tuple([sizes[i] for i in others]) + (math.prod([sizes[i] for i in axes]),))


@composite(static=("fixed", "count", "whole", "axes", "method", "keepdims", "skip_nan"))
def _quantiles(a, q, weights, fixed, count, whole, axes, method, keepdims, skip_nan):
    dtype, shape = a.type.dtype, a.type.shape
    x = in_one_axis(convert_element_type(a, dtype), axes)
    *rest, n = x.type.shape
    rest = tuple(rest)
    count = count if q is None else q.type.shape
    if n == 0 or fixed is not None and math.isnan(fixed[0]):
        out = full(x.type.with_shape(rest + (math.prod(count),)), math.nan)
    else:
        lost = ne(x, x)
        known = fixed is not None and not skip_nan and weights is None
        if weights is not None:
            x, weights = sort([x, in_one_axis(weights, axes)], len(rest), num_keys=1)
        elif not known:
            x, = sort([x], len(rest))
        if known:
            out = read_at(x, fixed, n, method)
        else:
            work = dtype if dtype.itemsize > 4 else _FLOAT32
            q = value_of(np.array(fixed, work)) if q is None else fractions(q, whole, work)
            valid = reduce_sum(select_n(lost, number(q, 1), number(q, 0)), (len(rest),)) if skip_nan else full(
                x.type.with_shape(rest).with_dtype(work), n)
            valid = broadcast_in_dim(valid, (*rest, 1), tuple(range(len(rest))))
            q = broadcast_in_dim(q, (*[1] * len(rest), q.type.size), (len(rest),))
            out = read_between(x, q, valid, n, method, weights, lost)
        if not skip_nan:
            bad = expand_dims(reduce_or(lost, (len(rest),)), (len(rest),))
            out = select_n(bad, out, number(out, math.nan))
    out = moveaxis(convert_element_type(out, dtype), len(rest), 0)
    if keepdims:
        rest = tuple([1 if i in axes else size for i, size in enumerate(shape)])
    return reshape(out, count + rest)


def fractions(q, whole, dtype):
    """`q` as fractions between 0 and 1, in one dimension."""
    q = reshape(convert_element_type(q, dtype), (q.type.size,))
    q = arithmetic.div(q, number(q, whole)) if whole != 1 else q
    return arithmetic.clamp(number(q, 0), q, number(q, 1))


def read_at(x, fractions, n, method):
    """The quantiles of rows at fractions that are known: each of one element in their order, or of two."""
    last = x.type.ndim - 1
    wanted = [neighbours(q, n, method) for q in fractions]
    places = sorted({place for low, high, _ in wanted for place in (low, high)})
    found = sorted_at(x, last, places)
    at = {place: slice_in_dim(found, k, k + 1, last) for k, place in enumerate(places)}
    return concatenate([at[low] if low == high else between(at[low], at[high], number(x, share)) for low, high, share in wanted], last)


def neighbours(q, n, method):
    """The two places, from 0 to n - 1, between which the quantile at a fraction is, and the share of the second; or the
    one twice."""
    place = math.ceil(q * n) - 1 if method == "inverted_cdf" else q * (n - 1)
    low = min(max(math.floor(place), 0), n - 1)
    high, share = min(low + 1, n - 1), place - math.floor(place)
    if method == "nearest":
        low, share = round(place), 0
    elif method == "midpoint" and share:
        share = 0.5
    if method in ("lower", "inverted_cdf") or not share:
        return low, low, 0
    if method == "higher":
        return high, high, 0
    return low, high, float(share)


def between(low, high, share):
    """low + share * (high - low), without NaN of two equal infinities."""
    mixed = arithmetic.add(arithmetic.mul(low, arithmetic.sub(number(low, 1), share)), arithmetic.mul(high, share))
    return select_n(bitwise_or(eq(low, high), eq(share, number(share, 0))), mixed, low)


def read_between(x, q, valid, n, method, weights, lost):
    """Quantiles of sorted rows of which the first `valid` elements count; `q` has the last dimension of the result."""
    last = x.type.ndim - 1
    if weights is not None:
        return read_by_weight(x, q, weights, n)
    if method == "inverted_cdf":
        place = ufuncs.subtract(ufuncs.ceil(ufuncs.multiply(q, valid)), 1)
        return take_along_axis(x, places(place, n), last)
    place = ufuncs.multiply(q, ufuncs.maximum(ufuncs.subtract(valid, 1), 0))
    low = ufuncs.floor(place)
    share = ufuncs.subtract(place, low)
    if method == "nearest":
        return take_along_axis(x, places(arithmetic.round_to_even(place), n), last)
    if method == "lower":
        return take_along_axis(x, places(low, n), last)
    high = ufuncs.ceil(place)
    if method == "higher":
        return take_along_axis(x, places(high, n), last)
    if method == "midpoint":
        share = select_n(eq(share, number(share, 0)), number(share, 0.5), share)
    share = convert_element_type(share, x.type.dtype)
    return between(take_along_axis(x, places(low, n), last), take_along_axis(x, places(high, n), last), share)


def places(x, n):
    """Numbers as places from 0 to n - 1."""
    x = convert_element_type(x, _INT32)
    return arithmetic.clamp(number(x, 0), x, number(x, n - 1))


def read_by_weight(x, q, weights, n):
    """The first element of each sorted row at which the weights up to it reach the share `q` of their sum."""
    last = x.type.ndim - 1
    weights = convert_element_type(weights, q.type.dtype)
    reached = cumulative.cumsum(select_n(ne(x, x), weights, number(weights, 0)), last)
    wanted = ufuncs.multiply(q, slice_in_dim(reached, n - 1, n, last))
    reached, wanted = expand_dims(reached, (last + 1,)), expand_dims(wanted, (last,))
    before = bitwise_or(lt(reached, wanted), eq(reached, number(reached, 0)))
    count = reduce_sum(convert_element_type(before, _INT32), (last,))
    return take_along_axis(x, places(count, n), last)
