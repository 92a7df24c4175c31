"""Reductions: sums, extremes, means and deviations, positions of extremes, running sums.

Sums and products of float16 and bfloat16 are taken in float32. Results are never weakly typed.
"""
from __future__ import annotations

import builtins
import math

import numpy as np

from gnomon.base.settings import current
from gnomon.ir.jaxpr import Literal
from gnomon.numpy import selection, ufuncs
from gnomon.numpy.axes import axis_tuple, one_axis
from gnomon.numpy.composite import composite, remembered
from gnomon.numpy.elementwise import NO_BOOLEANS, NUMBERS, REALS
from gnomon.numpy.mathematics import HALF, refuse_out
from gnomon.numpy.promote import as_value, convert_keep, promote_inexact, requested_dtype, to_inexact
from gnomon.ops import arithmetic, complex_parts, cumulative, exponential, reductions
from gnomon.ops.compare import eq, ne, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.extremes import extreme_identity
from gnomon.ops.reductions import reduce_and, reduce_max, reduce_min, reduce_or, reduce_prod
from gnomon.ops.shape import broadcast_in_dim, expand_dims, full, reduce_sum, reshape, transpose
from gnomon.ops.slicing import pad_in_dim
from gnomon.trace.stage import value_of
from gnomon.types.dtype import (canonicalize, complex_dtype, inexact_dtype, is_bool, is_complex, is_float, is_inexact,
                                is_integer, is_unsigned, real_dtype)

__all__ = ["all", "amax", "amin", "any", "argmax", "argmin", "average", "count_nonzero", "cumprod", "cumsum",
           "cumulative_prod", "cumulative_sum", "max", "mean", "min", "minmax", "nanargmax", "nanargmin", "nancumprod",
           "nancumsum", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar", "prod", "ptp", "std",
           "sum", "var"]

_BOOL, _INT32, _INT64, _UINT64, _FLOAT32 = map(np.dtype, ("bool", "int32", "int64", "uint64", "float32"))


# ---- what reductions share --------------------------------------------------------------------------------------

def sorted_axes(axis, ndim, name):
    return tuple(sorted(axis_tuple(axis, ndim, name)))


def wide(dtype):
    """The dtype in which numbers are summed: float32 for float16 and bfloat16, int32 for booleans."""
    return _FLOAT32 if dtype in HALF else _INT32 if is_bool(dtype) else dtype


KEPT_IN_SUMS = frozenset([*map(np.dtype, ("float32", "float64", "complex64", "complex128"))])     # neither widened nor promoted


def counting_dtype(dtype, promote_integers=True):
    """The dtype of sums: integers and booleans are summed in the default integer dtype of their kind."""
    if is_bool(dtype) or promote_integers and is_integer(dtype):
        return canonicalize(_UINT64 if is_unsigned(dtype) else _INT64, current.enable_x64)
    return dtype


def strong(x):
    return convert_element_type(x, x.type.dtype)


def check_where(name, where):
    where = as_value(where, f"{name}: where")
    if where.type.dtype != _BOOL:
        raise ValueError(f"{name}: where must be None or a boolean array; got where.dtype={where.type.dtype!r}.")
    return where


def masked(name, a, where, fill):
    """`a` where `where` holds, the scalar `fill` elsewhere."""
    t = a.type
    return selection.where(check_where(name, where), a, value_of(Literal(fill, t.with_shape(()).strong)))


def scalar_initial(name, initial, dtype):
    initial = as_value(initial, f"{name}: initial")
    if initial.type.shape:
        raise ValueError(f"{name}: initial must be a scalar, got an array of shape {initial.type.shape}.")
    return convert_element_type(initial, dtype)


def accumulate(name, op, combine, identity, a, axis, dtype, out, keepdims, initial, where, promote_integers=True):
    """A sum or product: in `dtype`, or the wider dtype that goes with it."""
    refuse_out(name, out)
    if dtype is None and where is None and initial is None and not keepdims and a.type.dtype in KEPT_IN_SUMS:
        return op(strong(a), sorted_axes(axis, a.type.ndim, name))
    NUMBERS.check(name, a.type.dtype)
    dtype = counting_dtype(a.type.dtype, promote_integers) if dtype is None else requested_dtype(dtype)
    if is_bool(dtype):
        a = convert_element_type(a, dtype)
    a = convert_element_type(a, wide(dtype))
    if where is not None:
        a = masked(name, a, where, identity)
    axes = sorted_axes(axis, a.type.ndim, name)
    out = op(a, axes)
    if initial is not None:
        out = combine(scalar_initial(name, initial, a.type.dtype), out)
    if keepdims:
        out = expand_dims(out, axes)
    return convert_element_type(out, dtype)


def extreme(name, op, combine, largest, a, axis, out, keepdims, initial, where):
    """A maximum or minimum."""
    refuse_out(name, out)
    NUMBERS.check(name, a.type.dtype)
    axes = sorted_axes(axis, a.type.ndim, name)
    if initial is None:
        if where is not None:
            raise ValueError(f"reduction operation {name} does not have an identity, so to use a where mask one has to "
                             "specify 'initial'")
        if builtins.any([a.type.shape[i] == 0 for i in axes]):
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    if where is not None:
        a = masked(name, a, where, extreme_identity(a.type.dtype, largest))
    out = strong(op(a, axes))
    if initial is not None:
        out = combine(scalar_initial(name, initial, a.type.dtype), out)
    return expand_dims(out, axes) if keepdims else out


def truth(name, op, identity, a, axis, out, keepdims, where):
    """Whether all or any elements are true."""
    refuse_out(name, out)
    NUMBERS.check(name, a.type.dtype)
    a = convert_element_type(a, _BOOL)
    if where is not None:
        a = masked(name, a, where, identity)
    axes = sorted_axes(axis, a.type.ndim, name)
    out = op(a, axes)
    return expand_dims(out, axes) if keepdims else out


def number_along(a, axes):
    """How many elements are reduced to one."""
    return math.prod([a.type.shape[i] for i in axes])


# ---- sums, products, extremes, logic ----------------------------------------------------------------------------

SUM, PRODUCT = (reduce_sum, arithmetic.add, 0), (reduce_prod, arithmetic.mul, 1)
MAXIMUM, MINIMUM = (reduce_max, arithmetic.maximum, True), (reduce_min, arithmetic.minimum, False)


@remembered
def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True):
    """The sum over axes: one, several, or None for all.

    Integers and booleans are summed in the default integer dtype, unless `dtype` says another or `promote_integers` is
    False. `keepdims` leaves the axes with size 1; `initial` is a scalar to begin with; `where` says which elements
    count. AxisError for an axis that is not there, TypeError for what is no array or number.
    Also ValueError for a repeated axis, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.sum(np.array([[1, 2], [3, 4]]), axis=0)
    Array([4, 6], dtype=int32)
    """
    a = as_value(a, "sum", 0)
    return accumulate("sum", *SUM, a, axis, dtype, out, keepdims, initial, where, promote_integers)


@remembered
def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True):
    """The product over axes; the arguments are those of `sum`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.prod(np.array([1, 2, 3]))
    Array(6, dtype=int32)
    """
    a = as_value(a, "prod", 0)
    return accumulate("prod", *PRODUCT, a, axis, dtype, out, keepdims, initial, where, promote_integers)


@remembered
def max(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """The largest element over axes: one, several, or None for all; NaN where there is one.

    `keepdims` leaves the axes with size 1; `initial` is a scalar that the result is not below; `where` says which
    elements count, and needs `initial`. ValueError for no elements without `initial`. Complex numbers are ordered by
    real, then imaginary part.
    Also TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is repeated,
    Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.max(np.array([[1, 2], [4, 3]]), axis=1)
    Array([2, 4], dtype=int32)
    """
    return extreme("max", *MAXIMUM, as_value(a, "max", 0), axis, out, keepdims, initial, where)


@remembered
def min(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """The smallest element over axes; the arguments are those of `max`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated and where there are no elements, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.min(np.array([[1, 2], [4, 3]]), axis=1)
    Array([1, 3], dtype=int32)
    """
    return extreme("min", *MINIMUM, as_value(a, "min", 0), axis, out, keepdims, initial, where)


amax, amin = max, min


def minmax(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """The pair of `min` and `max` over axes. `initial` is one scalar for both, or a pair.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for a repeated one or
    where there are no elements, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.minmax(np.array([3, 1, 2]))
    (Array(1, dtype=int32), Array(3, dtype=int32))
    """
    low, high = initial if isinstance(initial, tuple) else (initial, initial)
    return min(a, axis, out, keepdims, low, where), max(a, axis, out, keepdims, high, where)


@remembered
def all(a, axis=None, out=None, keepdims=False, *, where=None):
    """Whether all elements over axes (one, several, or None for all) are true; numbers other than 0 count as true.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.all(np.array([[True, False], [True, True]]), axis=1)
    Array([False,  True], dtype=bool)
    """
    return truth("all", reduce_and, True, as_value(a, "all", 0), axis, out, keepdims, where)


@remembered
def any(a, axis=None, out=None, keepdims=False, *, where=None):
    """Whether any element over axes (one, several, or None for all) is true; numbers other than 0 count as true.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.any(np.array([[True, False], [False, False]]), axis=1)
    Array([ True, False], dtype=bool)
    """
    return truth("any", reduce_or, False, as_value(a, "any", 0), axis, out, keepdims, where)


@remembered
def count_nonzero(a, axis=None, keepdims=False):
    """How many elements over axes (one, several, or None for all) are not 0, as the default integer dtype.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated.

    >>> import gnomon.numpy as np
    >>> np.count_nonzero(np.array([0, 3, 0, 5]))
    Array(2, dtype=int32)
    """
    a = as_value(a, "count_nonzero", 0)
    NUMBERS.check("count_nonzero", a.type.dtype)
    return _count_nonzero(a, sorted_axes(axis, a.type.ndim, "count_nonzero"), bool(keepdims))


@composite(static=("axes", "keepdims"))
def _count_nonzero(a, axes, keepdims):
    return sum(convert_element_type(a, _BOOL), axes, keepdims=keepdims)


@remembered
def ptp(a, axis=None, out=None, keepdims=False):
    """The difference of the largest and the smallest element over axes: one, several, or None for all.

    Errors: TypeError for what is no array (lists included) and for booleans, AxisError for an axis out of bounds, ValueError for a
    repeated one or where there are no elements, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.ptp(np.array([3, 1, 7]))
    Array(6, dtype=int32)
    """
    refuse_out("ptp", out)
    a = as_value(a, "ptp", 0)
    NO_BOOLEANS.check("ptp", a.type.dtype)
    return _ptp(a, sorted_axes(axis, a.type.ndim, "ptp"), bool(keepdims))


@composite(static=("axes", "keepdims"))
def _ptp(a, axes, keepdims):
    return arithmetic.sub(max(a, axes, keepdims=keepdims), min(a, axes, keepdims=keepdims))


# ---- means and deviations ---------------------------------------------------------------------------------------

def float_dtype(dtype):
    """The dtype of means of arrays of `dtype`."""
    return canonicalize(inexact_dtype(dtype), current.enable_x64)


def number_counted(a, axes, where, name):
    """How many elements are reduced to one, as a scalar or an array of the kind of `a`."""
    if where is None:
        return full_scalar(a, number_along(a, axes))
    where = check_where(name, where)
    shape = np.broadcast_shapes(where.type.shape, a.type.shape)
    where = broadcast_in_dim(where, shape, tuple(range(len(shape) - where.type.ndim, len(shape))))
    return reduce_sum(convert_element_type(where, a.type.dtype), axes)


@remembered
def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
    """The mean over axes: one, several, or None for all; NaN of no elements.

    Integers and booleans become floats, unless `dtype` says a dtype. `keepdims` leaves the axes with size 1; `where`
    says which elements count.
    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.mean(np.array([[1, 2], [3, 5]]), axis=1)
    Array([1.5, 4. ], dtype=float32)
    """
    return mean_of("mean", as_value(a, "mean", 0), axis, dtype, out, keepdims, where)


def mean_of(name, a, axis, dtype, out, keepdims, where):
    refuse_out(name, out)
    NUMBERS.check(name, a.type.dtype)
    dtype = float_dtype(a.type.dtype) if dtype is None else requested_dtype(dtype)
    return _mean(a, sorted_axes(axis, a.type.ndim, name), dtype, bool(keepdims), where, name)


@composite(static=("axes", "dtype", "keepdims", "name"))
def _mean(a, axes, dtype, keepdims, where, name):
    a = to_inexact(convert_element_type(a, wide(dtype)))
    total = reduce_sum(a if where is None else masked(name, a, where, 0), axes)
    out = arithmetic.div(total, number_counted(a, axes, where, name))
    return convert_element_type(expand_dims(out, axes) if keepdims else out, dtype)


@remembered
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None):
    """The variance over axes: the mean of |a - mean(a)| ** 2, where the sum is divided by the number of elements less
    `ddof` (also called `correction`); NaN where that is not above 0.

    Integers and booleans become floats, unless `dtype` says a dtype; the variance of complex numbers is real.
    `keepdims` leaves the axes with size 1; `where` says which elements count; `mean` is the mean, with the axes kept,
    if it is known already.
    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.var(np.array([1., 2., 3., 6.]))
    Array(3.5, dtype=float32)
    """
    return deviation("var", as_value(a, "var", 0), axis, dtype, out, ddof, keepdims, where, mean, correction)


@remembered
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None):
    """The standard deviation over axes, the square root of `var`, whose arguments it takes. Its derivative at 0 is 0.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.std(np.array([1., 3.]))
    Array(1., dtype=float32)
    """
    return deviation("std", as_value(a, "std", 0), axis, dtype, out, ddof, keepdims, where, mean, correction)


def deviation(name, a, axis, dtype, out, ddof, keepdims, where, mean, correction):
    refuse_out(name, out)
    NUMBERS.check(name, a.type.dtype)
    if correction is not None:
        if ddof.__class__ is not int or ddof != 0:
            raise ValueError(f"{name} takes ddof or correction, which mean the same, not both.")
        ddof = correction
    if dtype is None:
        dtype = float_dtype(a.type.dtype)
    else:
        dtype = requested_dtype(dtype)
        if not is_inexact(dtype):
            raise ValueError(f"{name} is computed in floating or complex dtypes, got dtype={dtype}.")
        if is_complex(a.type.dtype) and not is_complex(dtype):
            dtype = complex_dtype(dtype)
    fixed, ddof = (ddof, None) if isinstance(ddof, (int, float)) else (None, ddof)
    axes = sorted_axes(axis, a.type.ndim, name)
    return _deviation(a, axes, dtype, bool(keepdims), fixed, ddof, where, mean, name)


@composite(static=("axes", "dtype", "keepdims", "fixed", "name"))
def _deviation(a, axes, dtype, keepdims, fixed, ddof, where, mean, name):
    a = convert_element_type(a, wide(dtype))
    if mean is None:
        mean = _mean.traced(a, axes, a.type.dtype, True, where, name)
    away = ufuncs.subtract(a, convert_keep(as_value(mean, name), a.type.dtype))
    squares = away_squared(away)
    if where is not None:
        squares = masked(name, squares, where, 0)
    total = reduce_sum(squares, axes)
    if fixed is not None and where is None:
        count = number_along(a, axes) - fixed
        out = arithmetic.div(total, full_scalar(total, count if count > 0 else math.nan))
    else:
        less = full_scalar(total, fixed) if fixed is not None else convert_keep(as_value(ddof, name), total.type.dtype)
        count = ufuncs.subtract(number_counted(squares, axes, where, name), less)
        out = ufuncs.divide(total, selection.where(ufuncs.greater(count, 0), count, math.nan))
    if name.endswith("std"):
        flat = eq(out, full_scalar(out, 0))
        root = exponential.sqrt(select_n(flat, out, full_scalar(out, 1)))
        out = select_n(flat, root, full_scalar(out, 0))
    out = expand_dims(out, axes) if keepdims else out
    return convert_element_type(out, real_dtype(dtype))


def away_squared(x):
    """|x| ** 2 as real numbers."""
    if not is_complex(x.type.dtype):
        return arithmetic.square(x)
    return arithmetic.add(arithmetic.square(complex_parts.real(x)), arithmetic.square(complex_parts.imag(x)))


@remembered
def average(a, axis=None, weights=None, returned=False, keepdims=False):
    """The mean over axes, each element counted with its weight; with `returned`, the pair of it and the sum of weights.

    `weights` has the shape of `a`, or of the axes alone. Integers and booleans become floats. ValueError where shapes
    do not fit.
    Also TypeError for what is no array (lists included), AxisError for an axis out of bounds.

    >>> import gnomon.numpy as np
    >>> np.average(np.array([1., 2.]), weights=np.array([3., 1.]))
    Array(1.25, dtype=float32)
    """
    a = as_value(a, "average", 0)
    axes = sorted_axes(axis, a.type.ndim, "average")
    if weights is not None:
        weights = as_value(weights, "average: weights")
        sizes = tuple([a.type.shape[i] for i in axes])
        if weights.type.shape != a.type.shape:
            if axis is None:
                raise TypeError(f"average: weights of shape {weights.type.shape} for an array of shape {a.type.shape} "
                                "need an axis.")
            if weights.type.shape != tuple([a.type.shape[i] for i in order_given(axis, a.type.ndim)]):
                raise ValueError(f"average: weights have shape {weights.type.shape}; for an array of shape "
                                 f"{a.type.shape} along axes {axes} they need the shape of the array or {sizes}.")
            order = order_given(axis, a.type.ndim)
            weights = transpose(weights, tuple(sorted(range(len(order)), key=lambda k: order[k])))
            shape = tuple([n if i in axes else 1 for i, n in enumerate(a.type.shape)])
            weights = broadcast_in_dim(weights, shape, axes)
    return _average(a, weights, axes, bool(returned), bool(keepdims))


def order_given(axis, ndim):
    """Axes in the order in which the user gave them."""
    return [one_axis(i, ndim, "average") for i in (axis if isinstance(axis, (tuple, list)) else (axis,))]


@composite(static=("axes", "returned", "keepdims"))
def _average(a, weights, axes, returned, keepdims):
    if weights is None:
        out = mean(a, axes, keepdims=keepdims)
        total = full(out.type, number_along(a, axes))
    else:
        a, weights = promote_inexact("average", a, weights)
        weights = broadcast_in_dim(weights, a.type.shape, tuple(range(a.type.ndim)))
        total = sum(weights, axes, keepdims=keepdims)
        out = arithmetic.div(sum(arithmetic.mul(a, weights), axes, keepdims=keepdims), total)
    return (out, total) if returned else out


# ---- running sums and products ----------------------------------------------------------------------------------

def running(name, op, a, axis, dtype):
    """A running sum or product along one axis, or of the array in one row."""
    NUMBERS.check(name, a.type.dtype)
    if axis is None:
        a, axis = reshape(a, (a.type.size,)), 0
    axis = one_axis(axis, a.type.ndim, name)
    if is_bool(dtype):
        return convert_element_type(op(convert_element_type(convert_element_type(a, dtype), _INT32), axis), dtype)
    return op(convert_element_type(a, dtype), axis)


def running_dtype(dtype, a, promote_integers=False):
    return counting_dtype(a.type.dtype, promote_integers) if dtype is None else requested_dtype(dtype)


@remembered
def cumsum(a, axis=None, dtype=None, out=None):
    """Running sums along an axis; of all elements in one row if `axis` is None. Booleans are counted as integers.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.cumsum(np.array([1, 2, 3]))
    Array([1, 3, 6], dtype=int32)
    """
    refuse_out("cumsum", out)
    a = as_value(a, "cumsum", 0)
    return running("cumsum", cumulative.cumsum, a, axis, running_dtype(dtype, a))


@remembered
def cumprod(a, axis=None, dtype=None, out=None):
    """Running products along an axis; of all elements in one row if `axis` is None. Booleans are taken as integers.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.cumprod(np.array([1, 2, 3]))
    Array([1, 2, 6], dtype=int32)
    """
    refuse_out("cumprod", out)
    a = as_value(a, "cumprod", 0)
    return running("cumprod", cumulative.cumprod, a, axis, running_dtype(dtype, a))


def with_initial(name, op, identity, x, axis, dtype, include_initial):
    x = as_value(x, name, 0)
    if axis is None and x.type.ndim != 1:
        raise ValueError(f"{name} needs an axis for an array of dimension {x.type.ndim}; it can be left out for one "
                         "dimension only.")
    axis = one_axis(0 if axis is None else axis, x.type.ndim, name)
    out = running(name, op, x, axis, running_dtype(dtype, x, True))
    return pad_in_dim(out, full_scalar(out, identity), 1, 0, axis) if include_initial else out


@remembered
def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running sums along an axis, which may be left out for one dimension. Integers are summed in the default integer
    dtype.

    `include_initial` puts a 0 in front.
    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError where an array of
    several dimensions gets none.

    >>> import gnomon.numpy as np
    >>> np.cumulative_sum(np.array([1, 2, 3]), include_initial=True)
    Array([0, 1, 3, 6], dtype=int32)
    """
    return with_initial("cumulative_sum", cumulative.cumsum, 0, x, axis, dtype, include_initial)


@remembered
def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running products along an axis, which may be left out for one dimension. Integers are taken in the default
    integer dtype.

    `include_initial` puts a 1 in front.
    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError where an array of
    several dimensions gets none.

    >>> import gnomon.numpy as np
    >>> np.cumulative_prod(np.array([1, 2, 3]), include_initial=True)
    Array([1, 1, 2, 6], dtype=int32)
    """
    return with_initial("cumulative_prod", cumulative.cumprod, 1, x, axis, dtype, include_initial)


# ---- where the extremes are -------------------------------------------------------------------------------------

def position(name, op, a, axis, keepdims):
    """Where the first extreme is along an axis, or in the array as one row."""
    t = a.type
    REALS.check(name, t.dtype)
    if axis is None:
        shape, a, axis = (1,) * t.ndim, reshape(a, (t.size,)), 0
    else:
        axis = one_axis(axis, t.ndim, name)
        shape = t.shape[:axis] + (1,) + t.shape[axis + 1:]
    if a.type.shape[axis] == 0:
        raise ValueError(f"attempt to get {name} of an empty sequence")
    out = op(a, axis, canonicalize(_INT64, current.enable_x64))
    return reshape(out, shape) if keepdims else out


@remembered
def argmax(a, axis=None, out=None, keepdims=None):
    """The index of the first largest element along an axis; in the array as one row if `axis` is None. A NaN counts as
    largest.

    `keepdims` leaves the axis (or all axes) with size 1. ValueError for no elements.
    Also TypeError for what is no array of real numbers (lists included), AxisError for an axis out of bounds, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.argmax(np.array([[1, 3, 2], [6, 5, 4]]), axis=1)
    Array([1, 0], dtype=int32)
    """
    refuse_out("argmax", out)
    return position("argmax", reductions.argmax, as_value(a, "argmax", 0), axis, keepdims)


@remembered
def argmin(a, axis=None, out=None, keepdims=None):
    """The index of the first smallest element along an axis; in the array as one row if `axis` is None. A NaN counts
    as smallest.

    `keepdims` leaves the axis (or all axes) with size 1. ValueError for no elements.
    Also TypeError for what is no array of real numbers (lists included), AxisError for an axis out of bounds, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.argmin(np.array([[1, 3, 2], [6, 5, 4]]), axis=1)
    Array([0, 2], dtype=int32)
    """
    refuse_out("argmin", out)
    return position("argmin", reductions.argmin, as_value(a, "argmin", 0), axis, keepdims)


# ---- reductions that leave out NaN ------------------------------------------------------------------------------

def without_nan(a, value):
    """`a` with a scalar in place of NaN."""
    if not is_inexact(a.type.dtype):
        return a
    return select_n(ne(a, a), a, full_scalar(a, value))


@remembered
def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """The sum over axes of what is not NaN; the arguments are those of `sum`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.nansum(np.array([1., np.nan, 2.]))
    Array(3., dtype=float32)
    """
    a = without_nan(as_value(a, "nansum", 0), 0)
    return accumulate("nansum", *SUM, a, axis, dtype, out, keepdims, initial, where)


@remembered
def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """The product over axes of what is not NaN; the arguments are those of `sum`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.nanprod(np.array([2., np.nan, 3.]))
    Array(6., dtype=float32)
    """
    a = without_nan(as_value(a, "nanprod", 0), 1)
    return accumulate("nanprod", *PRODUCT, a, axis, dtype, out, keepdims, initial, where)


@remembered
def nancumsum(a, axis=None, dtype=None, out=None):
    """Running sums in which NaN counts as 0; the arguments are those of `cumsum`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.nancumsum(np.array([1., np.nan, 2.]))
    Array([1., 1., 3.], dtype=float32)
    """
    refuse_out("nancumsum", out)
    a = without_nan(as_value(a, "nancumsum", 0), 0)
    return running("nancumsum", cumulative.cumsum, a, axis, running_dtype(dtype, a))


@remembered
def nancumprod(a, axis=None, dtype=None, out=None):
    """Running products in which NaN counts as 1; the arguments are those of `cumprod`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.nancumprod(np.array([2., np.nan, 3.]))
    Array([2., 2., 6.], dtype=float32)
    """
    refuse_out("nancumprod", out)
    a = without_nan(as_value(a, "nancumprod", 0), 1)
    return running("nancumprod", cumulative.cumprod, a, axis, running_dtype(dtype, a))


def extreme_without_nan(name, kind, a, axis, out, keepdims, initial, where):
    a = as_value(a, name, 0)
    worst = extreme_identity(a.type.dtype, kind[2]) if is_inexact(a.type.dtype) else None
    best = extreme(name, *kind, without_nan(a, worst), axis, out, keepdims, initial, where)
    if worst is None or initial is not None:
        return best
    lost = all(ufuncs.isnan(a), axis, keepdims=keepdims)
    return select_n(lost, best, full_scalar(best, math.nan))


@remembered
def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """The largest element over axes that is not NaN, or NaN where all are; the arguments are those of `max`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated and where there are no elements, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.nanmax(np.array([1., np.nan, 2.]))
    Array(2., dtype=float32)
    """
    return extreme_without_nan("nanmax", MAXIMUM, a, axis, out, keepdims, initial, where)


@remembered
def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """The smallest element over axes that is not NaN, or NaN where all are; the arguments are those of `min`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated and where there are no elements, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.nanmin(np.array([1., np.nan, 2.]))
    Array(1., dtype=float32)
    """
    return extreme_without_nan("nanmin", MINIMUM, a, axis, out, keepdims, initial, where)


def known_where(a, where):
    """Where elements are not NaN, and count."""
    if not is_inexact(a.type.dtype):
        return where
    known = ufuncs.logical_not(ufuncs.isnan(a))
    return known if where is None else ufuncs.bitwise_and(known, check_where("where", where))


@remembered
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
    """The mean over axes of what is not NaN, or NaN where all is; the arguments are those of `mean`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.nanmean(np.array([1., np.nan, 2.]))
    Array(1.5, dtype=float32)
    """
    a = as_value(a, "nanmean", 0)
    return mean_of("nanmean", a, axis, dtype, out, keepdims, known_where(a, where))


@remembered
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None):
    """The variance over axes of what is not NaN; the arguments are those of `var`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.nanvar(np.array([1., np.nan, 3.]))
    Array(1., dtype=float32)
    """
    a = as_value(a, "nanvar", 0)
    return deviation("nanvar", a, axis, dtype, out, ddof, keepdims, known_where(a, where), mean, None)


@remembered
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None):
    """The standard deviation over axes of what is not NaN; the arguments are those of `var`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.nanstd(np.array([1., np.nan, 3.]))
    Array(1., dtype=float32)
    """
    a = as_value(a, "nanstd", 0)
    return deviation("nanstd", a, axis, dtype, out, ddof, keepdims, known_where(a, where), mean, None)


def position_without_nan(name, op, worst, a, axis, out, keepdims):
    refuse_out(name, out)
    a = as_value(a, name, 0)
    if not is_float(a.type.dtype):
        return position(name, op, a, axis, keepdims)
    where = position(name, op, without_nan(a, worst), axis, keepdims)
    lost = all(ufuncs.isnan(a), axis, keepdims=bool(keepdims))
    return select_n(lost, where, full_scalar(where, -1))


@remembered
def nanargmax(a, axis=None, out=None, keepdims=None):
    """The index of the first largest element that is not NaN, or -1 where all are; the arguments are those of `argmax`.

    Errors: TypeError for what is no array of real numbers (lists included), AxisError for an axis out of bounds, ValueError where
    there are no elements, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.nanargmax(np.array([1., np.nan, 2.]))
    Array(2, dtype=int32)
    """
    return position_without_nan("nanargmax", reductions.argmax, -math.inf, a, axis, out, keepdims)


@remembered
def nanargmin(a, axis=None, out=None, keepdims=None):
    """The index of the first smallest element that is not NaN, or -1 where all are; the arguments are those of
    `argmin`.

    Errors: TypeError for what is no array of real numbers (lists included), AxisError for an axis out of bounds, ValueError where
    there are no elements, Refused for `out`.

    >>> import gnomon.numpy as np
    >>> np.nanargmin(np.array([1., np.nan, 2.]))
    Array(0, dtype=int32)
    """
    return position_without_nan("nanargmin", reductions.argmin, math.inf, a, axis, out, keepdims)
