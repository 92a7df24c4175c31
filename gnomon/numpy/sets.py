"""Arrays as sets: unique elements, membership, union, intersection, differences.

Without a `size` the shape of the result depends on the numbers, so they must be known; NumPy then does the work. With a
static `size` the same is written in ops: what is sorted falls into runs of equal elements, and runs are counted.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon.numpy.axes import one_axis
from gnomon.numpy.composite import composite
from gnomon.numpy.creation import broadcast, default_int
from gnomon.numpy.promote import as_value, promote_dtypes
from gnomon.numpy.sorting import search
from gnomon.numpy.taking import concrete, flat, listed, small_host
from gnomon.ops import listing
from gnomon.ops import sorting as ops
from gnomon.ops.arithmetic import minimum, sub
from gnomon.ops.compare import bitwise_and, bitwise_not, bitwise_xor, eq, gt, lt, ne, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.cumulative import cumsum
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import (PROMISE_IN_BOUNDS, Gather, GatherDimensionNumbers, Scatter, ScatterAdd,
                                 ScatterDimensionNumbers)
from gnomon.ops.reductions import reduce_or
from gnomon.ops.shape import Iota, broadcast_in_dim, expand_dims, full, moveaxis, reshape, squeeze
from gnomon.ops.slicing import concatenate, slice_in_dim
from gnomon.run.array import Array, from_numpy
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_float, is_inexact, is_integer
from gnomon.types.size import check_size
from gnomon.types.value_type import ArrayType

__all__ = ["intersect1d", "isin", "setdiff1d", "setxor1d", "union1d", "unique", "unique_all", "unique_counts",
           "unique_inverse",
           "unique_values"]

INT32, BOOL = np.dtype("int32"), np.dtype(bool)
HOW = "Give a static size, as in {0}(x, size=...)."


# ---- by NumPy -----------------------------------------------------------------------------------------------------

def numbers(x, name):
    """The numbers of a value for NumPy; floats that NumPy does not sort become float32."""
    host = concrete(x, f"{name} without size", HOW.format(name))
    return host.astype(np.float32) if is_float(host.dtype) and host.dtype.kind == "V" else host


def array_of(host, dtype, weak=False):
    return from_numpy(host.astype(dtype), ArrayType(host.shape, dtype, weak))


def of_numpy(name, function, xs, dtype, *options, **more):
    """What a function of NumPy makes of arrays; places become integers of the usual dtype."""
    out = function(*[numbers(x, name) for x in xs], *options, **more)
    if not isinstance(out, tuple):
        return array_of(out, dtype)
    return (array_of(out[0], dtype), *[array_of(o, default_int()) for o in out[1:]])


# ---- in ops -------------------------------------------------------------------------------------------------------

def take_rows(x, places):
    """Rows of `x` at places in range."""
    shape = x.type.shape
    window = tuple(range(1, len(shape)))
    op = Gather(GatherDimensionNumbers(window, (0,), (0,)), (1, *shape[1:]), PROMISE_IN_BOUNDS)
    return bind(op, x, expand_dims(places, (1,)))


def count_to(n, dtype=INT32):
    return bind(Iota(dtype, (n,), 0))


def spread(x, shape):
    """A vector as the first dimension of a shape."""
    return broadcast_in_dim(x, shape, (0,))


def differ(x, y, equal_nan):
    """Where x and y are different; NaN differs from NaN unless `equal_nan`."""
    if not (equal_nan and is_inexact(x.type.dtype)):
        return ne(x, y)
    return bitwise_and(ne(x, y), bitwise_not(bitwise_and(ne(x, x), ne(y, y))))


class Runs(NamedTuple):
    """The runs of equal rows of what is sorted: the sorted rows, the places they came from, for each the number of its
    run; where each run begins, as many as asked for, and how many there are."""

    rows: object
    order: object
    run: object
    starts: object
    count: object


def runs(x, size, equal_nan=True):
    """The Runs of the rows of `x`, of which there is at least one."""
    n, rank = x.type.shape[0], x.type.ndim
    if rank == 1:
        rows, order = ops.sort([x, count_to(n)], 0)
    else:
        columns = reshape(x, (n, x.type.size // n if n else 0))
        width = columns.type.shape[1]
        keys = [squeeze(slice_in_dim(columns, k, k + 1, 1), (1,)) for k in range(width)]
        order = ops.sort([*keys, count_to(n)], 0, True, max(width, 1))[-1]
        rows = take_rows(x, order)
    new = differ(slice_in_dim(rows, 1, n, 0), slice_in_dim(rows, 0, n - 1, 0), equal_nan)
    new = concatenate([full(ArrayType((1,), BOOL), True), reduce_or(new, tuple(range(1, rank))) if rank > 1 else new],
                      0)
    run = sub(cumsum(convert_element_type(new, INT32), 0), full(ArrayType((), INT32), 1))
    return Runs(rows, order, run, *listed(new, size))


def run_lengths(r, size, n):
    """How many rows there are in each run; 0 where there is no run."""
    ends = concatenate([slice_in_dim(r.starts, 1, size, 0), full(ArrayType((1,), INT32), 0)], 0) if size else r.starts
    step, last = count_to(size), sub(r.count, full(ArrayType((), INT32), 1))
    if size < n:            # the last run listed need not be the last there is
        total = bind(_count, full(ArrayType((size,), INT32), 0), expand_dims(r.run, (1,)),
                     full(ArrayType((n,), INT32), 1))
        return total
    ends = select_n(lt(step, last), full(ArrayType((), INT32), n), ends)
    return select_n(lt(step, r.count), full(ArrayType((), INT32), 0), sub(ends, r.starts))


_count = ScatterAdd(ScatterDimensionNumbers((), (0,), (0,)))
_back = Scatter(ScatterDimensionNumbers((), (0,), (0,)), PROMISE_IN_BOUNDS, False, True)


def filled(values, count, fill):
    """The rows that count, and `fill` (a row; None: the first row) in place of the others."""
    shape = values.type.shape
    if not shape[0]:
        return values
    if fill is None:
        fill = slice_in_dim(values, 0, 1, 0)
    fill = broadcast(convert_element_type(fill, values.type.dtype), shape, "fill_value")
    return select_n(spread(lt(count_to(shape[0]), count), shape), fill, values)


@composite(static=("size", "axis", "equal_nan", "dtype"))
def run_unique(x, fill, size, axis, equal_nan, dtype):
    shape = x.type.shape
    x = flat(x) if axis is None else moveaxis(x, axis, 0)
    n = x.type.shape[0]
    r = runs(x, size, equal_nan)
    values = filled(take_rows(r.rows, r.starts), r.count, fill)
    index = take_rows(r.order, r.starts)
    inverse = bind(_back, full(ArrayType((n,), INT32), 0), expand_dims(r.order, (1,)), r.run)
    inverse = reshape(inverse, shape) if axis is None else inverse
    values = values if axis is None else moveaxis(values, 0, axis)
    return [values, *[convert_element_type(v, dtype) for v in (index, inverse, run_lengths(r, size, n))]]


@composite(static=("size",))
def run_values(x, fill, size):
    """The different integers alone."""
    return filled(*listing.unique(flat(x), size), fill)


# ---- unique -------------------------------------------------------------------------------------------------------

def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, size=None,
           fill_value=None, sorted=True):
    """The different elements in ascending order, or the different slices along an axis.

    With return_index, return_inverse and return_counts a tuple with, further, the place of the first of each; for each
    element the place of its like in the result; how many there are of each. Without `size` the numbers must be concrete
    (ConcretizationTypeError). With `size` as many are given; where there are not enough, `fill_value` or the smallest
    element.
    Also TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for a negative size.

    >>> import gnomon.numpy as np
    >>> np.unique(np.array([3, 1, 3]), return_counts=True)
    (Array([1, 3], dtype=int32), Array([1, 2], dtype=int32))
    """
    x = as_value(ar, "unique", 0)
    if axis is not None:
        axis = one_axis(axis, x.type.ndim, "unique")
    if size is not None:
        size = check_size(size, "The size given to unique")
    wanted = (True, return_index, return_inverse, return_counts)
    if size and wanted[1:] == (False,) * 3 and x.type.size and is_integer(x.type.dtype) \
            and (axis is None or x.type.ndim == 1):
        return run_values(x, None if fill_value is None else as_value(fill_value, "unique", 0), size)
    out = unique_parts("unique", x, axis, equal_nan, size, fill_value)
    out = tuple([o for o, w in zip(out, wanted) if w])
    return out[0] if len(out) == 1 else out


def unique_parts(name, x, axis, equal_nan, size, fill_value):
    """The values, the places of the first of each, the inverse and the counts."""
    dtype, shape = x.type.dtype, x.type.shape
    n = x.type.size if axis is None else shape[axis]
    if size is None:
        host = numbers(x, name)
        if axis is not None and equal_nan and host.dtype.kind in "fc" and np.isnan(host).any():
            return cut(unique_parts(name, x, axis, equal_nan, n, None), axis)      # NumPy takes no NaN for equal there
        values, index, inverse, counts = np.unique(host, True, True, True, axis, equal_nan=equal_nan)
        inverse = inverse.reshape(shape if axis is None else (n,))
        return [array_of(values, dtype, x.type.weak_type), *[array_of(o, default_int())
                                                             for o in (index, inverse, counts)]]
    size = check_size(size, f"The size given to {name}")
    fill = None if fill_value is None else as_value(fill_value, name, 0)
    if n == 0:
        if size and fill is None:
            raise ValueError(f"{name} of an array without elements needs a fill_value to give {size} of them.")
        row = shape[:axis] + (size,) + shape[axis + 1:] if axis is not None else (size,)
        values = full(ArrayType(row, dtype), 0) if fill is None else broadcast(convert_element_type(fill, dtype), row,
                                                                               name)
        zeros = full(ArrayType((size,), default_int()), 0)
        return [values, zeros, full(ArrayType(shape if axis is None else (0,), default_int()), 0), zeros]
    return run_unique(x, fill, size, axis, bool(equal_nan), default_int())


def cut(parts, axis):
    """The parts without what fills up."""
    values, index, inverse, counts = [p.host() for p in parts]
    k = int((counts > 0).sum())
    return [array_of(values.take(range(k), axis), values.dtype, parts[0].type.weak_type),
            array_of(index[:k], index.dtype), parts[2],
            array_of(counts[:k], counts.dtype)]


class UniqueAll(NamedTuple):
    """What `unique_all` gives."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """What `unique_counts` gives."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """What `unique_inverse` gives."""

    values: Array
    inverse_indices: Array


def unique_all(x, /, *, size=None, fill_value=None):
    """The different elements, the place of the first of each, the inverse and the counts; each NaN is different. See
    `unique`.

    Errors: TypeError for what is no array (lists included), ValueError for a negative size.

    >>> import gnomon.numpy as np
    >>> np.unique_all(np.array([3, 1, 3])).counts
    Array([1, 2], dtype=int32)
    """
    return UniqueAll(*unique_parts("unique_all", as_value(x, "unique_all", 0), None, False, size, fill_value))


def unique_counts(x, /, *, size=None, fill_value=None):
    """The different elements, and how many there are of each; each NaN is different. See `unique`.

    Errors: TypeError for what is no array (lists included), ValueError for a negative size.

    >>> import gnomon.numpy as np
    >>> np.unique_counts(np.array([3, 1, 3])).values
    Array([1, 3], dtype=int32)
    """
    values, _, _, counts = unique_parts("unique_counts", as_value(x, "unique_counts", 0), None, False, size, fill_value)
    return UniqueCounts(values, counts)


def unique_inverse(x, /, *, size=None, fill_value=None):
    """The different elements, and for each element the place of its like among them; each NaN is different. See
    `unique`.

    Errors: TypeError for what is no array (lists included), ValueError for a negative size.

    >>> import gnomon.numpy as np
    >>> np.unique_inverse(np.array([3, 1, 3])).inverse_indices
    Array([1, 0, 1], dtype=int32)
    """
    values, _, inverse, _ = unique_parts("unique_inverse", as_value(x, "unique_inverse", 0), None, False, size,
                                         fill_value)
    return UniqueInverse(values, inverse)


def unique_values(x, /, *, size=None, fill_value=None):
    """The different elements in ascending order; each NaN is different. See `unique`.

    Errors: TypeError for what is no array (lists included), ValueError for a negative size.

    >>> import gnomon.numpy as np
    >>> np.unique_values(np.array([3, 1, 3]))
    Array([1, 3], dtype=int32)
    """
    return unique_parts("unique_values", as_value(x, "unique_values", 0), None, False, size, fill_value)[0]


# ---- several sets -------------------------------------------------------------------------------------------------

def vectors(name, *xs):
    """The arguments as vectors of one dtype."""
    return [flat(x) for x in promote_dtypes(name, *[as_value(x, name, i) for i, x in enumerate(xs)])]


def fill_row(name, fill_value):
    return None if fill_value is None else as_value(fill_value, name, 0)


def isin(element, test_elements, assume_unique=False, invert=False, *, method="auto"):
    """Whether each element is among the test elements; with `invert`, whether it is not. NaN is in no set.

    `method` and `assume_unique` change nothing in the result.
    Errors: TypeError for what is no array (lists included).

    >>> import gnomon.numpy as np
    >>> np.isin(np.array([1, 2, 3]), np.array([3, 1]))
    Array([ True, False,  True], dtype=bool)
    """
    x, tests = promote_dtypes("isin", as_value(element, "isin", 0), as_value(test_elements, "isin", 1))
    host, others = small_host(x), small_host(tests)
    if host is not None and others is not None and host.dtype.kind in "biuf":
        found = np.isin(host, others, invert=invert)
        return from_numpy(found, ArrayType(found.shape, BOOL))
    return run_isin(x, tests, bool(invert))


@composite(static=("invert",))
def run_isin(x, tests, invert):
    found = among(x, flat(tests))
    return bitwise_not(found) if invert else found


def among(x, tests):
    """Whether each element of `x` is in the vector `tests`."""
    if not tests.type.size or not x.type.size:
        return full(ArrayType(x.type.shape, BOOL), False)
    tests, = ops.sort([tests], 0)
    return eq(flat_rows(tests, nearest(tests, x)), x)


def nearest(ordered, x):
    """The place in a sorted vector of the first element that is not before x, in range."""
    place = search(ordered, x, "left")
    return minimum(place, full_scalar(place, ordered.type.shape[0] - 1))


def flat_rows(x, places):
    """Elements of a vector at places of any shape, in range."""
    return reshape(take_rows(x, flat(places)), places.type.shape)


def union1d(ar1, ar2, *, size=None, fill_value=None):
    """The different elements of both arrays in ascending order. `size` and `fill_value` as for `unique`.

    Errors: TypeError for what is no array (lists included), ValueError for a negative size.

    >>> import gnomon.numpy as np
    >>> np.union1d(np.array([3, 1]), np.array([2, 3]))
    Array([1, 2, 3], dtype=int32)
    """
    x, y = vectors("union1d", ar1, ar2)
    if size is None:
        return of_numpy("union1d", np.union1d, (x, y), x.type.dtype)
    return unique_parts("union1d", concatenate([x, y], 0), None, True, size, fill_value)[0]


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False, *, size=None, fill_value=None):
    """The different elements that both arrays have, in ascending order; with return_indices also the places of the
    first of each in the two arrays. `size` and `fill_value` as for `unique`; places that fill up are the sizes of the
    arrays.

    Errors: TypeError for what is no array (lists included), ValueError for a negative size.

    >>> import gnomon.numpy as np
    >>> np.intersect1d(np.array([3, 1, 2]), np.array([2, 3, 5]))
    Array([2, 3], dtype=int32)
    """
    x, y = vectors("intersect1d", ar1, ar2)
    if size is None:
        return of_numpy("intersect1d", np.intersect1d, (x, y), x.type.dtype, assume_unique, return_indices)
    out = run_intersect(x, y, fill_row("intersect1d", fill_value), check_size(size, "The size given to intersect1d"), default_int())
    return tuple(out) if return_indices else out[0]


@composite(static=("size", "dtype"))
def run_intersect(x, y, fill, size, dtype):
    n, m = x.type.size, y.type.size
    if not n or not m or not size:
        values = full(ArrayType((size,), x.type.dtype), 0)
        return [filled(values, full(ArrayType((), INT32), 0), fill), *[full(ArrayType((size,), dtype), k)
                                                                       for k in (n, m)]]
    r = runs(x, n)
    values = take_rows(r.rows, r.starts)
    others, order = ops.sort([y, count_to(m)], 0)
    place = nearest(others, values)
    common = bitwise_and(lt(count_to(n), r.count), eq(flat_rows(others, place), values))
    found, count = listed(common, size)
    exists = lt(count_to(size), count)
    first = take_rows(r.order, take_rows(r.starts, found)), take_rows(order, take_rows(place, found))
    return [filled(take_rows(values, found), count, fill),
            *[convert_element_type(select_n(exists, full(ArrayType((), INT32), k), i), dtype) for i,
              k in zip(first, (n, m))]]


def setdiff1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    """The different elements of the first array that the second does not have, in ascending order (with assume_unique,
    in the order of the first array). `size` and `fill_value` as for `unique`; by default 0 fills up.

    Errors: TypeError for what is no array (lists included), ValueError for a negative size.

    >>> import gnomon.numpy as np
    >>> np.setdiff1d(np.array([3, 1, 2]), np.array([2, 5]))
    Array([1, 3], dtype=int32)
    """
    x, y = vectors("setdiff1d", ar1, ar2)
    if size is None:
        return of_numpy("setdiff1d", np.setdiff1d, (x, y), x.type.dtype, assume_unique)
    fill = full(ArrayType((), x.type.dtype), 0) if fill_value is None else fill_row("setdiff1d", fill_value)
    return run_setdiff(x, y, fill, check_size(size, "The size given to setdiff1d"), bool(assume_unique))


@composite(static=("size", "assume_unique"))
def run_setdiff(x, y, fill, size, assume_unique):
    n = x.type.size
    if not n or not size:
        return filled(full(ArrayType((size,), x.type.dtype), 0), full(ArrayType((), INT32), 0), fill)
    if assume_unique:
        values, exists = x, full(ArrayType((n,), BOOL), True)
    else:
        r = runs(x, n)
        values, exists = take_rows(r.rows, r.starts), lt(count_to(n), r.count)
    found, count = listed(bitwise_and(exists, bitwise_not(among(values, y))), size)
    return filled(take_rows(values, found), count, fill)


def setxor1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    """The different elements that only one of the arrays has, in ascending order. `size` and `fill_value` as for
    `unique`.

    Errors: TypeError for what is no array (lists included), ValueError for a negative size.

    >>> import gnomon.numpy as np
    >>> np.setxor1d(np.array([3, 1, 2]), np.array([2, 5]))
    Array([1, 3, 5], dtype=int32)
    """
    x, y = vectors("setxor1d", ar1, ar2)
    if size is None:
        return of_numpy("setxor1d", np.setxor1d, (x, y), x.type.dtype, assume_unique)
    return run_setxor(x, y, fill_row("setxor1d", fill_value), check_size(size, "The size given to setxor1d"))


@composite(static=("size",))
def run_setxor(x, y, fill, size):
    n, total = x.type.size, x.type.size + y.type.size
    if not total or not size:
        return filled(full(ArrayType((size,), x.type.dtype), 0), full(ArrayType((), INT32), 0), fill)
    r = runs(concatenate([x, y], 0), total)
    one = full(ArrayType((total,), INT32), 1)
    second = convert_element_type(bitwise_not(lt(r.order, full(ArrayType((), INT32), n))), INT32)
    counts = [bind(_count, full(ArrayType((total,), INT32), 0), expand_dims(r.run, (1,)), v)
              for v in (sub(one, second), second)]
    has = [gt(c, full(ArrayType((), INT32), 0)) for c in counts]
    found, count = listed(bitwise_xor(*has), size)
    return filled(take_rows(r.rows, take_rows(r.starts, found)), count, fill)
