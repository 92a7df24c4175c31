"""Functions that take elements of an array by their places, or put elements there."""
from __future__ import annotations

import math

import numpy as np

from gnomon.base.errors import ConcretizationTypeError
from gnomon.ir.jaxpr import Literal
from gnomon.numpy.axes import integer, one_axis, one_of, plain_values, sequence
from gnomon.numpy.composite import composite
from gnomon.numpy.creation import broadcast, default_int
from gnomon.numpy.index_plan import DEFAULT, INT32, INT64, Options, Wrap, options_of, reader_with, remember
from gnomon.numpy.indexing import HOST_SIZE, SET, host_of, run_read, update
from gnomon.numpy.promote import as_value, promote_dtypes, requested_dtype
from gnomon.ops import listing
from gnomon.ops.arithmetic import add, clamp, div, maximum, mul, rem, sub
from gnomon.ops.compare import ge, lt, ne, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.cumulative import cumsum
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import (FILL_OR_DROP, PROMISE_IN_BOUNDS, Gather, GatherDimensionNumbers, Scatter,
                                 ScatterDimensionNumbers)
from gnomon.ops.shape import Iota, broadcast_in_dim, expand_dims, full, reshape, squeeze
from gnomon.ops.slicing import concatenate
from gnomon.run.array import Array, from_numpy
from gnomon.trace.context import local
from gnomon.trace.stage import NotKnown, Tracer, bind, value_of
from gnomon.trace.value import Value
from gnomon.types.dtype import KeyDtype, is_bool, is_integer, is_key
from gnomon.types.size import check_size
from gnomon.types.value_type import ArrayType

__all__ = ["argwhere", "choose", "compress", "extract", "flatnonzero", "nonzero", "place", "put", "put_along_axis",
           "ravel_multi_index", "take", "take_along_axis", "unravel_index"]

ALL = (None, None, None)            # the form of a full slice
FILL = Options(FILL_OR_DROP)


def refuse_out(name, out):
    if out is not None:
        raise NotImplementedError(f"{name} does not write into an array, so out must be None; use what it returns.")


def refuse_in_place(name, inplace):
    if inplace:
        raise ValueError(f"gnomon.numpy.{name} cannot modify arrays in-place, because arrays are immutable. Pass "
                         "inplace=False to get an updated array.")


def small_host(x):
    """The numbers of a small array for NumPy, or None where a program is recorded or NumPy cannot look at them."""
    if x.__class__ is not Array or local.frame is not None or x.placement is not None:
        return None
    t = x.type
    if t.size > HOST_SIZE or t.sharding is not None or t.memory is not None or t.dtype.__class__ is KeyDtype:
        return None
    return x._host if x._host is not None else host_of(x)


def places(indices, name, position):
    """Integers that name places: a value, or a Python integer."""
    if indices.__class__ is int:
        return indices
    indices = as_value(indices, name, position)
    if not is_integer(indices.type.dtype):
        raise TypeError(f"{name} takes integer indices, got an array of type {indices.type}.")
    return indices


def flat(x):
    return reshape(x, (x.type.size,))


# ---- taking -------------------------------------------------------------------------------------------------------

def take(a, indices, axis=None, out=None, mode=None, unique_indices=False, indices_are_sorted=False, fill_value=None):
    """The elements (or the slices along an axis) at these places; without an axis, of the flattened array.

    The result has the shape of `a` with that of `indices` in place of the axis. Places below 0 are counted from the
    end. `mode` says what is taken at places out of range: by default ("fill") `fill_value`, or NaN, the smallest signed
    or largest unsigned integer, True; "clip": the nearest, places below 0 counting as 0; "wrap": places modulo the
    size. AxisError for an axis out of bounds, TypeError for indices that are no integers.
    Also NotImplementedError for mode="raise", ValueError for another mode.

    >>> import gnomon.numpy as np
    >>> np.take(np.arange(4.0), np.array([2, -1, 9]))
    Array([ 2.,  3., nan], dtype=float32)
    """
    refuse_out("take", out)
    a = as_value(a, "take", 0)
    indices = places(indices, "take", 1)
    if axis is None:
        a, axis = flat(a), 0
    else:
        axis = one_axis(axis, a.type.ndim, "take")
    host = small_host(a) if mode is None else None
    if host is not None:
        numbers = indices if indices.__class__ is int else small_host(indices)
        if numbers is not None:
            try:
                view = host[(slice(None),) * axis + (numbers,)]
                return from_numpy(view, ArrayType(np.shape(view), a.type.dtype, a.type.weak_type))
            except IndexError:
                pass
    key = (mode, unique_indices, indices_are_sorted)
    try:
        options = _take_options.get(key)
    except TypeError:
        plain_values("take", {"mode": mode, "unique_indices": unique_indices, "indices_are_sorted": indices_are_sorted})
        raise
    if options is None:
        if mode == "raise":
            raise NotImplementedError("take does not support mode='raise', since it cannot raise from a compiled "
                                      "program. Use mode='fill', which makes wrong places visible, or 'clip'.")
        options = options_of("fill" if mode is None else mode, indices_are_sorted, unique_indices, mode != "clip")
        _take_options[key] = options
    if indices.__class__ is int:
        form, given = (ALL,) * axis + (indices,), []
    else:
        form, given = (ALL,) * axis + (indices.type,), [indices]
    plan = reader_with(a.type, form, options, fill_value)
    return plan.read(a, given) if local.frame is not None else run_read(a, given, plan)


_take_options: dict = {}


class Along:
    """How indices pair with an array along all axes but one, as gather and scatter want it."""

    __slots__ = ("squeezed", "sizes", "numbers", "wrap", "shape", "empty")

    def __init__(self, x, i, axis, options):
        rank = x.ndim
        if i.ndim != rank:
            raise ValueError(f"indices and arr must have the same number of dimensions; {i.ndim} vs. {rank}")
        pairs = [(d, n, m) for d, (n, m) in enumerate(zip(x.shape, i.shape)) if d != axis]
        for d, n, m in pairs:
            if n is not m and n != m and n != 1 and m != 1:
                raise ValueError(f"indices of shape {i.shape} do not broadcast to an array of shape {x.shape} along "
                                 f"axis {d}.")
        single = [d for d, n, m in pairs if n == 1 and m != 1]             # of the array: one element for all indices
        whole = [d for d, n, m in pairs if m == 1 and n != 1]              # of the array: one index for all elements
        paired = [d for d, n, m in pairs if d not in single and d not in whole]
        self.squeezed = tuple(single)
        # dimensions once squeezed
        place = {d: k for k, d in enumerate([d for d in range(rank) if d not in single])}
        # dimensions of the indices kept
        kept = [d for d in range(rank) if d not in whole]
        self.shape = (*[i.shape[d] for d in kept], 1)
        self.numbers = GatherDimensionNumbers(tuple(whole), (place[axis],), (place[axis],),
                                              tuple([place[d] for d in paired]),
                                              tuple([kept.index(d) for d in paired]))
        self.sizes = tuple([n if d in whole else 1 for d, n in enumerate(x.shape) if d not in single])
        self.wrap = Wrap(i, x.shape[axis], INT64 if i.dtype.itemsize == 8 else INT32, options)
        result = tuple([m if d == axis or m != 1 else n for d, (n, m) in enumerate(zip(x.shape, i.shape))])
        self.empty = result if 0 in result else None

    def indices(self, i):
        return reshape(self.wrap(i), self.shape)


def along(x, i, axis, options):
    key = (x.type, i.type, axis, options)
    found = _along.get(key)
    if found is None:
        found = Along(x.type, i.type, axis, options)
        remember(_along, key, found)
    return found


_along: dict = {}


def take_along_axis(arr, indices, axis=-1, mode=None, fill_value=None, *, wrap_negative_indices=True):
    """The elements at these places along an axis, row by row: `result[..., j, ...] = arr[..., indices[..., j, ...],
    ...]`.

    `indices` has as many dimensions as `arr`; the others are broadcast. Without an axis, both are flattened. `mode` and
    `fill_value` as for `take`. ValueError where ranks or sizes do not fit.
    Also TypeError for what is no array (lists included), AxisError for an axis out of bounds.

    >>> import gnomon.numpy as np
    >>> x = np.array([[3, 1, 2], [4, 6, 5]])
    >>> np.take_along_axis(x, np.array([[1], [0]]), axis=1)
    Array([[1],
           [4]], dtype=int32)
    """
    x = as_value(arr, "take_along_axis", 0)
    i = places(value_of(indices) if indices.__class__ is int else indices, "take_along_axis", 1)
    if axis is None:
        x, i, axis = flat(x), flat(i), 0
    else:
        axis = one_axis(axis, x.type.ndim, "take_along_axis")
    if fill_value is not None:
        plain_values("take_along_axis", {"fill_value": fill_value})
    if mode is None and wrap_negative_indices:
        host, numbers = small_host(x), small_host(i)
        if host is not None and numbers is not None and host.ndim == numbers.ndim:
            try:
                view = np.take_along_axis(host, numbers, axis)
                return from_numpy(view, ArrayType(view.shape, x.type.dtype, x.type.weak_type))
            except (IndexError, ValueError):
                pass
    options = FILL if mode is None and wrap_negative_indices else options_of("fill" if mode is None else mode, False,
                                                                             False,
                                                                             bool(wrap_negative_indices))
    if local.frame is None:
        return run_take_along(x, i, axis, options, fill_value)
    return read_along(x, i, axis, options, fill_value)


def read_along(x, i, axis, options, fill_value):
    plan = along(x, i, axis, options)
    if plan.empty is not None:
        return full(x.type.with_shape(plan.empty), 0)
    op = Gather(plan.numbers, plan.sizes, options.mode, fill_value)
    i = plan.indices(i)
    return bind(op, squeeze(x, plan.squeezed), i)


run_take_along = composite(static=("axis", "options", "fill_value"))(read_along)


def compress(condition, a, axis=None, *, size=None, fill_value=0, out=None):
    """The slices of `a` along an axis (or the elements of the flattened array) where the condition, a vector, is true.

    Without `size` the condition must be concrete, since the shape of the result depends on it. With `size`, as many are
    taken; `fill_value` stands where there are not enough.
    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for a condition that is
    no vector, or that holds where there is nothing, or a negative size, NotImplementedError for `out`.

    >>> import gnomon.numpy as np
    >>> np.compress(np.array([True, False, True]), np.arange(3))
    Array([0, 2], dtype=int32)
    """
    refuse_out("compress", out)
    condition = condition if condition.__class__ in (list, tuple) else as_value(condition, "compress", 0)
    condition = value_of(np.asarray(condition)) if condition.__class__ in (list, tuple) else condition
    return compressed("compress", condition, as_value(a, "compress", 1), axis, size, fill_value)


def compressed(caller, condition, a, axis, size, fill_value):
    if condition.type.ndim != 1:
        raise ValueError(f"{caller} takes a condition of one dimension, got one of type {condition.type}.")
    if axis is None:
        a, axis = flat(a), 0
    else:
        axis = one_axis(axis, a.type.ndim, caller)
    found, = nonzero(condition, size=size, fill_value=None if size is None
                     else max(a.type.shape[axis], condition.type.size))
    count = a.type.shape[axis]
    if size is None and condition.type.size > count and nonzero(condition[:count])[0].type.size < found.type.size:
        raise ValueError(f"{caller}: the condition has {condition.type.size} elements, of which some beyond the first {count} hold, "
                         f"and there are {count} to choose from. Give a condition of {count} elements.")
    return take(a, found, axis, mode=None if size is None else "fill",
                fill_value=None if size is None else number_of(fill_value))


def number_of(fill_value):
    """A fill value as a Python number."""
    return np.asarray(fill_value).item() if not np.isscalar(fill_value) else fill_value


def extract(condition, arr, *, size=None, fill_value=0):
    """The elements of `arr` where the condition, of as many elements, is true, in a vector. `size` and `fill_value` as
    for `compress`.

    Errors: TypeError for what is no array (lists included), ValueError for a negative size, or a condition that holds where there is nothing.

    >>> import gnomon.numpy as np
    >>> x = np.arange(5)
    >>> np.extract(x % 2 == 1, x)
    Array([1, 3], dtype=int32)
    """
    condition = as_value(condition, "extract", 0)
    if is_key(condition.type.dtype):
        raise TypeError(f"extract takes a condition of numbers or booleans, got an array of {condition.type.dtype}.")
    return compressed("extract", flat(condition), as_value(arr, "extract", 1), None, size, fill_value)


def choose(a, choices, out=None, mode="raise"):
    """For each place, the element of the choice that the integer there numbers; `a` and the choices are broadcast.

    `mode` says what numbers out of range mean: "raise" (ValueError; the numbers must be concrete), "clip" or "wrap".
    Also TypeError for what is no array of integers, NotImplementedError for `out`.

    >>> import gnomon.numpy as np
    >>> np.choose(np.array([1, 0, 1]), [np.array([1, 2, 3]), 10])
    Array([10,  2, 10], dtype=int32)
    """
    refuse_out("choose", out)
    which = places(value_of(a) if a.__class__ is int else a, "choose", 0)
    choices = sequence(choices, "choose", "choices", "arrays")
    count = len(choices)
    if one_of(mode, ("raise", "clip", "wrap"), "choose", "mode") == "raise":
        numbers = concrete(which, "choose with mode='raise'", "Use mode='clip' or mode='wrap'.")
        if numbers.size and not (0 <= numbers.min() and numbers.max() < count):
            raise ValueError(f"choose got a number that is not between 0 and {count - 1}, the number of the last "
                             "choice.")
        mode = "clip"
    cases = promote_dtypes("choose", *[as_value(c, "choose", 1) for c in choices])
    shape = np.broadcast_shapes(which.type.shape, *[c.type.shape for c in cases])
    return run_choose(which, cases, mode, shape)


@composite(static=("mode", "shape"))
def run_choose(which, cases, mode, shape):
    count = len(cases)
    which = convert_element_type(which, INT32)
    if mode == "clip":
        which = clamp(full_scalar(which, 0), which, full_scalar(which, count - 1))
    else:
        which = modulo(which, count)
    return select_n(broadcast(which, shape, "choose"), *[broadcast(c, shape, "choose") for c in cases])


def modulo(i, n):
    """Integers modulo a positive number."""
    n, zero = full_scalar(i, n), full_scalar(i, 0)
    i = rem(i, n)
    return select_n(lt(i, zero), i, add(i, n))


# ---- putting ------------------------------------------------------------------------------------------------------

def put(a, ind, v, mode=None, *, inplace=True):
    """A copy of `a` with the elements at these places of the flattened array replaced by `v`, which is repeated if it
    is shorter. Pass inplace=False.

    `mode` says what is written at places out of range: nothing by default ("drop"), "clip": at the nearest, "wrap": at
    places modulo the size.
    Errors: TypeError for what is no array (lists included) and for places that are no integers, ValueError for another mode and
    without inplace=False.

    >>> import gnomon.numpy as np
    >>> np.put(np.arange(4), np.array([0, 2]), 9, inplace=False)
    Array([9, 1, 9, 3], dtype=int32)
    """
    refuse_in_place("put", inplace)
    x = as_value(a, "put", 0)
    i = flat(places(value_of(ind) if ind.__class__ is int else ind, "put", 1))
    v = flat(as_value(v, "put", 2))
    n = i.type.size
    if not n or not v.type.size:
        return x
    v = repeated(v, n)
    out = update(flat(x), i, v, SET, DEFAULT if mode is None else options_of(mode, False, False, mode != "clip"))
    return reshape(out, x.type.shape)


def repeated(v, n):
    """A vector repeated until it has `n` elements."""
    m = v.type.size
    if m < n:
        times = -(-n // m)
        v = reshape(broadcast_in_dim(v, (times, m), (1,)), (times * m,))
    return v if v.type.size == n else reader_with(v.type, ((None, n, None),), DEFAULT).read(v, [])


def put_along_axis(arr, indices, values, axis, inplace=True, *, mode=None):
    """A copy of `arr` with the elements at these places along an axis, row by row, replaced by `values`, which are
    broadcast to the indices. Pass inplace=False. Without an axis, `arr` is flattened. `mode` as for `put`.

    Errors: TypeError for what is no array (lists included) and for places that are no integers, AxisError for an axis out of
    bounds, ValueError where dimensions differ in number, for another mode and without inplace=False.

    >>> import gnomon.numpy as np
    >>> np.put_along_axis(np.zeros((2, 2)), np.array([[1], [0]]), 5.0, axis=1, inplace=False)
    Array([[0., 5.],
           [5., 0.]], dtype=float32)
    """
    refuse_in_place("put_along_axis", inplace)
    x = as_value(arr, "put_along_axis", 0)
    i = places(value_of(indices) if indices.__class__ is int else indices, "put_along_axis", 1)
    shape = x.type.shape
    if axis is None:
        x, axis = flat(x), 0
    else:
        axis = one_axis(axis, x.type.ndim, "put_along_axis")
    y = as_value(values, "put_along_axis", 2)
    options = FILL if mode is None else options_of(mode, False, False, mode != "clip")
    return reshape(run_put_along(x, i, y, axis, options), shape)


@composite(static=("axis", "options"))
def run_put_along(x, i, y, axis, options):
    if i.type.ndim != x.type.ndim:
        raise ValueError(f"indices and arr must have the same number of dimensions; {i.type.ndim} vs. {x.type.ndim}")
    shape = tuple([m if d == axis else n for d, (n, m) in enumerate(zip(x.type.shape, i.type.shape))])
    i, y = broadcast(i, shape, "put_along_axis"), broadcast(y, shape, "put_along_axis")
    if 0 in shape:
        return x
    plan = along(x, i, axis, options)
    n = plan.numbers
    numbers = ScatterDimensionNumbers(n.offset_dims, n.collapsed_slice_dims, n.start_index_map, n.operand_batching_dims,
                                      n.start_indices_batching_dims)
    y = convert_element_type(y, x.type.dtype, x.type.weak_type)
    return bind(Scatter(numbers, options.mode), x, plan.indices(i), y)


def place(arr, mask, vals, *, inplace=True):
    """A copy of `arr` with the elements where the mask is true replaced by those of `vals` in turn, again and again.
    Pass inplace=False.

    Errors: TypeError for what is no array (lists included), ValueError for a mask of another size or no values, ValueError without
    inplace=False.

    >>> import gnomon.numpy as np
    >>> np.place(np.arange(5), np.arange(5) > 1, np.array([7, 8]), inplace=False)
    Array([0, 1, 7, 8, 7], dtype=int32)
    """
    refuse_in_place("place", inplace)
    x, mask = as_value(arr, "place", 0), as_value(mask, "place", 1)
    vals = flat(as_value(value_of(np.asarray(vals)) if vals.__class__ in (list, tuple) else vals, "place", 2))
    if mask.type.size != x.type.size:
        raise ValueError(f"place takes a mask of as many elements as arr, got types {mask.type} and {x.type}.")
    if not vals.type.size:
        raise ValueError("place needs at least one value in vals.")
    return run_place(x, mask, vals)


@composite
def run_place(x, mask, vals):
    mask = truth(flat(mask))
    vals = convert_element_type(vals, x.type.dtype, x.type.weak_type)
    rank = sub(cumsum(convert_element_type(mask, INT32), 0), full(ArrayType((), INT32), 1))
    rank = rem(maximum(rank, full_scalar(rank, 0)), full_scalar(rank, vals.type.size))
    new = reader_with(vals.type, (rank.type,), Options(PROMISE_IN_BOUNDS, wrap=False)).read(vals, [rank])
    return reshape(select_n(mask, flat(x), new), x.type.shape)


# ---- where something holds ----------------------------------------------------------------------------------------

def truth(x):
    return x if is_bool(x.type.dtype) else ne(x, full_scalar(x, 0))


def concrete(x, what, advice):
    """The numbers of a value; ConcretizationTypeError where they are not known while tracing."""
    dtype = x.type.dtype
    if x.__class__ is Tracer:
        try:
            x = x.frame.concrete(x.atom)
        except NotKnown as unknown:
            raise ConcretizationTypeError(f"{what} needs the numbers of a traced array of type {x.type}. {advice}\n"
                                          f"{unknown.frame.why_unknown(unknown.var)}") from None
    if x.__class__ is Literal:
        x = x.value
    return x.host() if x.__class__ is Array else np.asarray(x, dtype)


def nonzero(a, *, size=None, fill_value=None):
    """The places of the elements that are not zero: a vector of integers per dimension, in row-major order.

    Without `size` the numbers must be concrete (ConcretizationTypeError), since the shape of the result depends on
    them. With `size`, as many places are given; where there are not enough, `fill_value` (a number, or one per
    dimension) or 0 stands.
    Also TypeError for what is no array (lists included), ValueError for arrays without dimensions and a negative size.

    >>> import gnomon.numpy as np
    >>> np.nonzero(np.array([0, 5, 0, 7]))
    (Array([1, 3], dtype=int32),)
    >>> np.nonzero(np.array([0, 5, 0, 7]), size=3, fill_value=-1)
    (Array([ 1,  3, -1], dtype=int32),)
    """
    a = as_value(a, "nonzero", 0)
    rank = a.type.ndim
    if not rank:
        raise ValueError("nonzero takes arrays of at least one dimension; use atleast_1d first.")
    if size is None:
        numbers = concrete(a, "nonzero without size", "Give a static size: nonzero(x, size=...).")
        t = default_int()
        return tuple([from_numpy(found.astype(t), ArrayType(found.shape, t)) for found in numbers.nonzero()])
    size = check_size(size, "The size given to nonzero")
    fills = fill_value if isinstance(fill_value, (tuple, list)) else (fill_value,) * rank
    if len(fills) != rank:
        raise ValueError(f"nonzero takes one fill_value, or one per dimension of {a.type}, got {len(fills)}.")
    fills = None if all([f is None for f in fills]) else [0 if f is None else f for f in fills]      # where nothing is found are zeros
    return tuple(run_nonzero(a, fills, size, default_int()))


@composite(static=("size", "dtype"))
def run_nonzero(a, fills, size, dtype):
    shape, n = a.type.shape, a.type.size
    found, count = listed(truth(flat(a)), size)
    if fills is None and n:
        return [convert_element_type(i, dtype) for i in split_places(found, shape)]
    fills = [convert_element_type(value_of(f), dtype) for f in fills or [0] * len(shape)]
    if not n or not size:
        return [broadcast_in_dim(f, (size,)) for f in fills]
    missing = ge(bind(Iota(INT32, (size,), 0)), count)
    return [select_n(missing, convert_element_type(i, dtype), broadcast_in_dim(f, (size,)))
            for i, f in zip(split_places(found, shape), fills)]


def listed(mask, size):
    """(the places where a vector of booleans is true, as many as `size`, 0 where there are not enough; how many there
    are)."""
    if not mask.type.size or not size:
        return full(ArrayType((size,), INT32), 0), full(ArrayType((), INT32), 0)
    return listing.nonzero(mask, size)


def split_places(i, shape):
    """Places in a flattened array, all in range, as places per dimension."""
    out = []
    for n in shape[:0:-1]:
        out.append(rem(i, full_scalar(i, n)))
        i = div(i, full_scalar(i, n))
    return [i, *out[::-1]]


def flatnonzero(a, *, size=None, fill_value=None):
    """The places in the flattened array of the elements that are not zero. `size` and `fill_value` as for `nonzero`.

    Errors: TypeError for what is no array (lists included), ValueError for a negative size.

    >>> import gnomon.numpy as np
    >>> np.flatnonzero(np.eye(2))
    Array([0, 3], dtype=int32)
    """
    return nonzero(flat(as_value(a, "flatnonzero", 0)), size=size, fill_value=fill_value)[0]


def argwhere(a, *, size=None, fill_value=None):
    """The places of the elements that are not zero, one row each. `size` and `fill_value` as for `nonzero`.

    Errors: TypeError for what is no array (lists included), ValueError for a negative size.

    >>> import gnomon.numpy as np
    >>> np.argwhere(np.eye(2))
    Array([[0, 0],
           [1, 1]], dtype=int32)
    """
    a = as_value(a, "argwhere", 0)
    if not a.type.ndim:
        found = nonzero(reshape(a, (1,)), size=size, fill_value=fill_value)[0]
        return full(ArrayType((found.type.size, 0), found.type.dtype), 0)
    return concatenate([expand_dims(i, (1,)) for i in nonzero(a, size=size, fill_value=fill_value)], 1)


# ---- places of several dimensions ---------------------------------------------------------------------------------

def unravel_index(indices, shape):
    """Places in a flattened array of this shape as places per dimension. Places below 0 are counted from the end, and
    places out of range are moved to the nearest one.

    Errors: TypeError for places and sizes that are no integers.

    >>> import gnomon.numpy as np
    >>> np.unravel_index(np.array([5, -1]), (3, 4))
    (Array([1, 2], dtype=int32), Array([1, 3], dtype=int32))
    """
    i = places(value_of(indices) if indices.__class__ is int else indices, "unravel_index", 0)
    shape = tuple([integer(n, "unravel_index", "shape") for n in (shape if hasattr(shape, "__iter__") else (shape,))])
    return tuple(run_unravel(i, shape))


@composite(static=("shape",))
def run_unravel(i, shape):
    total = math.prod(shape)
    if not total:
        return [mul(i, full_scalar(i, 0)) for _ in shape]
    if i.type.dtype.kind == "i":
        i = select_n(lt(i, full_scalar(i, 0)), i, add(i, full_scalar(i, total)))
    i = clamp(full_scalar(i, 0), i, full_scalar(i, total - 1))
    return split_places(i, shape) if shape else []


def ravel_multi_index(multi_index, dims, mode="raise", order="C", *, dtype=None):
    """Places per dimension of an array of shape `dims` as places in the flattened array.

    `mode` (one, or one per dimension) says what places out of range mean: "raise" (ValueError; they must be concrete),
    "clip" to the nearest, "wrap" modulo the size, "ignore" (they are in range). `order` "C": the last dimension counts
    fastest; "F": the first.
    Also TypeError for what is no integer.

    >>> import gnomon.numpy as np
    >>> np.ravel_multi_index((np.array([0, 2]), np.array([1, 3])), (3, 4))
    Array([ 1, 11], dtype=int32)
    """
    dims = tuple([integer(n, "ravel_multi_index", "dims") for n in sequence(dims, "ravel_multi_index", "dims", "sizes")])
    if not isinstance(multi_index, (Value, np.ndarray)):
        multi_index = sequence(multi_index, "ravel_multi_index", "multi_index", "arrays of places")
    if len(multi_index) != len(dims):
        raise ValueError(f"ravel_multi_index takes one array per dimension, got {len(multi_index)} for dims {dims}.")
    one_of(order, ("C", "F"), "ravel_multi_index", "order")
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(sequence(mode, "ravel_multi_index", "mode", "modes"))
    if len(modes) != len(dims):
        raise ValueError(f"ravel_multi_index takes one mode, or one for each of the {len(dims)} dimensions, got {len(modes)}.")
    for m in modes:
        one_of(m, ("raise", "clip", "wrap", "ignore"), "ravel_multi_index", "mode")
    index = [places(value_of(i) if i.__class__ is int else i, "ravel_multi_index", 0) for i in multi_index]
    for i, n, m in zip(index, dims, modes):
        if m == "raise":
            numbers = concrete(i, "ravel_multi_index with mode='raise'", "Use mode='clip' or mode='wrap'.")
            if numbers.size and not (0 <= numbers.min() and numbers.max() < n):
                raise ValueError(f"ravel_multi_index got a place that is not between 0 and {n - 1} along a dimension "
                                 f"of size {n}.")
    dtype = default_int() if dtype is None else requested_dtype(dtype)
    shape = np.broadcast_shapes(*[i.type.shape for i in index])
    return run_ravel(index, dims, modes, order, dtype, shape)


@composite(static=("dims", "modes", "order", "dtype", "shape"))
def run_ravel(index, dims, modes, order, dtype, shape):
    total, weight = None, 1
    for k in range(len(dims)) if order == "F" else reversed(range(len(dims))):
        i, n = convert_element_type(index[k], dtype), dims[k]
        if modes[k] == "clip":
            i = clamp(full_scalar(i, 0), i, full_scalar(i, n - 1))
        elif modes[k] == "wrap":
            i = modulo(i, n)
        i = broadcast(mul(i, full_scalar(i, weight)) if weight != 1 else i, shape, "ravel_multi_index")
        total = i if total is None else add(total, i)
        weight *= n
    return full(ArrayType(shape, dtype), 0) if total is None else total
