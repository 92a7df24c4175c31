"""Sorting, and searching in what is sorted."""
from __future__ import annotations

import numpy as np

from gnomon.api.control import scan
from gnomon.base.settings import current
from gnomon.numpy.axes import integer, one_axis, one_of
from gnomon.numpy.composite import composite, remembered
from gnomon.numpy.creation import default_int
from gnomon.numpy.index_plan import DEFAULT, Options, reader_with
from gnomon.numpy.promote import as_value, promote_dtypes
from gnomon.numpy.recorded import recorded
from gnomon.numpy.taking import flat, places, small_host, take, take_along_axis
from gnomon.ops import sorting as ops
from gnomon.ops.arithmetic import add, minimum, sub
from gnomon.ops.compare import bitwise_and, bitwise_not, bitwise_or, ge, le, lt, ne, select_n
from gnomon.ops.complex_parts import imag, real
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import PROMISE_IN_BOUNDS
from gnomon.ops.shape import Iota, broadcast_in_dim, full, reduce_sum, reshape
from gnomon.ops.slicing import concatenate, rev, slice_in_dim
from gnomon.run.array import from_numpy
from gnomon.trace.context import local
from gnomon.trace.stage import bind, value_of
from gnomon.types.dtype import canonicalize, complex_dtype, is_complex, is_float, widen
from gnomon.types.size import is_static
from gnomon.types.value_type import ArrayType

__all__ = ["argpartition", "argsort", "digitize", "lexsort", "partition", "searchsorted", "sort", "sort_complex",
           "top_k"]

INT32 = np.dtype("int32")
IN_RANGE = Options(PROMISE_IN_BOUNDS, wrap=False)


def refuse_kind(name, kind, order):
    if kind is not None:
        raise TypeError(f"'kind' argument to {name} is not supported. Use stable=True or stable=False to specify sort "
                        "stability.")
    if order is not None:
        raise TypeError(f"'order' argument to {name} is not supported.")


def with_axis(a, axis, name):
    """The value, and an axis counted from the front; the flattened value where the axis is None."""
    a = as_value(a, name, 0)
    return (flat(a), 0) if axis is None else (a, one_axis(axis, a.type.ndim, name))


# ---- sorting ------------------------------------------------------------------------------------------------------

@remembered
def sort(a, axis=-1, *, kind=None, order=None, stable=True, descending=False):
    """The elements along an axis in ascending order; without an axis, those of the flattened array.

    NaN is largest; complex numbers are ordered by real part, then imaginary part. AxisError for an axis out of bounds.
    Errors: TypeError for what is no array (lists included) and for `kind` and `order`, AxisError for an axis out of bounds.

    >>> import gnomon.numpy as np
    >>> np.sort(np.array([3, 1, 2]))
    Array([1, 2, 3], dtype=int32)
    """
    refuse_kind("sort", kind, order)
    a, axis = with_axis(a, axis, "sort")
    out, = ops.sort([a], axis, bool(stable))
    return rev(out, (axis,)) if descending else out


@remembered
def argsort(a, axis=-1, *, kind=None, order=None, stable=True, descending=False, dtype=None):
    """The places that put the elements along an axis in order (see `sort`); equal elements keep theirs, if `stable`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, TypeError for `kind` and `order`.

    >>> import gnomon.numpy as np
    >>> np.argsort(np.array([3, 1, 2]))
    Array([1, 2, 0], dtype=int32)
    """
    refuse_kind("argsort", kind, order)
    a, axis = with_axis(a, axis, "argsort")
    dtype = default_int() if dtype is None else canonicalize(dtype, current.enable_x64)
    return run_argsort(a, axis, bool(descending), dtype)


@composite(static=("axis", "descending", "dtype"))
def run_argsort(a, axis, descending, dtype):
    if not descending:
        return ops.argsort(a, axis, dtype)
    # backwards twice, so that equal elements keep their order
    order = rev(ops.argsort(rev(a, (axis,)), axis, dtype), (axis,))
    return sub(full(ArrayType((), dtype), a.type.shape[axis] - 1), order)


@recorded
def lexsort(keys, axis=-1, *, batch_size=16):
    """The places that sort by several keys at once: the last key first, the one before it where that is equal, and so
    on.

    Of more than `batch_size` keys that many are compared at a time, which compiles faster; the result is the same.

    TypeError without keys, ValueError where their shapes differ.
    Also AxisError for an axis out of bounds.

    >>> import gnomon.numpy as np
    >>> np.lexsort((np.array([1, 1, 0]), np.array([2, 1, 1])))
    Array([2, 1, 0], dtype=int32)
    """
    if isinstance(keys, (list, tuple)):
        keys = [as_value(k, "lexsort", i) for i, k in enumerate(keys)]
    else:
        keys = as_value(keys, "lexsort", 0)
        if not keys.type.ndim:
            raise TypeError(f"lexsort takes a sequence of keys, the last of which counts most, got an array of type {keys.type}.")
        keys = [reader_with(keys.type, (i,), DEFAULT).read(keys, []) for i in range(keys.type.shape[0])]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if len({k.type.shape for k in keys}) > 1:
        raise ValueError(f"lexsort takes keys of one shape, got {', '.join(str(k.type.shape) for k in keys)}.")
    if not keys[0].type.ndim:
        return full(ArrayType((), default_int()), 0)
    batch_size = integer(batch_size, "lexsort", "batch_size")
    if batch_size < 1:
        raise ValueError(f"lexsort compares at least one key at a time, got batch_size={batch_size}.")
    return run_lexsort(keys, one_axis(axis, keys[0].type.ndim, "lexsort"), default_int(), batch_size)


@composite(static=("axis", "dtype", "batch_size"))
def run_lexsort(keys, axis, dtype, batch_size):
    places = bind(Iota(dtype, keys[0].type.shape, axis, keys[0].type.sharding))
    # the least important keys first: sorts are stable, so each keeps the order of the ones before where its keys are equal
    for i in range(0, len(keys), batch_size):
        batch = keys[i:i + batch_size][::-1]
        if i:
            batch = [take_along_axis(key, places, axis) for key in batch]
        places = ops.sort([*batch, places], axis, True, len(batch))[-1]
    return places


def partition(a, kth, axis=-1):
    """The elements along an axis rearranged so that the one at `kth` is where it is in sorted order, with smaller ones
    before and larger ones behind it. Here they are simply sorted.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds or a `kth` out of bounds,
    NotImplementedError for complex numbers.

    >>> import gnomon.numpy as np
    >>> np.partition(np.array([3, 1, 2]), 1)
    Array([1, 2, 3], dtype=int32)
    """
    a, axis = check_partition(a, kth, axis, "partition")
    return sort(a, axis)


def argpartition(a, kth, axis=-1):
    """The places of what `partition` gives.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds or a `kth` out of bounds,
    NotImplementedError for complex numbers.

    >>> import gnomon.numpy as np
    >>> np.argpartition(np.array([3, 1, 2]), 1)
    Array([1, 2, 0], dtype=int32)
    """
    a, axis = check_partition(a, kth, axis, "argpartition")
    return argsort(a, axis)


def check_partition(a, kth, axis, name):
    a = as_value(a, name, 0)
    axis = one_axis(axis, a.type.ndim, name)
    one_axis(integer(kth, name, "kth"), a.type.shape[axis], name, "kth")
    if is_complex(a.type.dtype):
        raise NotImplementedError(f"{name} does not take complex numbers; use sort or argsort.")
    return a, axis


def sort_complex(a):
    """The elements along the last axis as complex numbers, in ascending order.

    Errors: TypeError for what is no array (lists included), AxisError for arrays without dimensions.

    >>> import gnomon.numpy as np
    >>> np.sort_complex(np.array([2, 1]))
    Array([1.+0.j, 2.+0.j], dtype=complex64)
    """
    a = sort(a)
    if is_complex(a.type.dtype):
        return a
    return convert_element_type(a, canonicalize(complex_dtype(widen(a.type.dtype)) if is_float(a.type.dtype)
                                                else "complex128",
                                                current.enable_x64))


def top_k(a, k, /, *, axis=-1, mode="largest", sorted=True):
    """(values, places) of the `k` largest elements along an axis in descending order; with mode="smallest", of the
    smallest in ascending order. Equal elements come in the order in which they stand. `k` is static; `sorted` may be
    False.

    Errors: TypeError for what is no array of real numbers (lists included), AxisError for an axis out of bounds, ValueError for a
    `k` that is not between 0 and the axis's size and for another mode.

    >>> import gnomon.numpy as np
    >>> np.top_k(np.array([3, 1, 2]), 2)
    (Array([3, 2], dtype=int32), Array([0, 2], dtype=int32))
    """
    a, axis = with_axis(a, axis, "top_k")
    k = integer(k, "top_k", "k")
    one_of(mode, ("largest", "smallest"), "top_k", "mode")
    if not 0 <= k <= a.type.shape[axis]:
        raise ValueError(f"top_k takes k between 0 and the size of the axis, {a.type.shape[axis]}, got {k}.")
    if mode == "largest":
        return tuple(ops.top_k(a, k, axis))
    return tuple(run_smallest(a, k, axis))


@composite(static=("k", "axis"))
def run_smallest(a, k, axis):
    return [slice_in_dim(x, 0, k, axis) for x in ops.sort([a, bind(Iota(INT32, a.type.shape, axis))], axis)]


# ---- searching ----------------------------------------------------------------------------------------------------

METHODS = ("compare_all", "scan", "scan_unrolled", "sort")
FEW = 16            # elements that are all compared rather than searched


def searchsorted(a, v, side="left", sorter=None, *, method="scan"):
    """The places at which the elements of `v` would stand in the sorted vector `a`; side "left": before equal ones,
    "right": behind them.

    `sorter`: places that sort `a`. NaN counts as largest. `method` chooses the algorithm: "scan" and "scan_unrolled"
    search by halves, "compare_all" compares with every element, "sort" sorts both. ValueError where `a` is no vector.
    Also TypeError for what is no array (lists included), ValueError for another side or method.

    >>> import gnomon.numpy as np
    >>> np.searchsorted(np.array([1, 2, 2, 4]), np.array([2, 3]))
    Array([1, 3], dtype=int32)
    """
    a, v = promote_dtypes("searchsorted", as_value(a, "searchsorted", 0), as_value(v, "searchsorted", 1))
    if a.type.ndim != 1:
        raise ValueError("searchsorted takes a vector to search in; a should be 1-dimensional, got shape "
                         f"{a.type.shape}.")
    one_of(side, ("left", "right"), "searchsorted", "side")
    one_of(method, METHODS, "searchsorted", "method")
    if sorter is not None:
        sorter = as_value(places(sorter, "searchsorted", 3), "searchsorted", 3)
        if sorter.type.shape != a.type.shape:
            raise ValueError(f"searchsorted takes a sorter of the shape of a, {a.type.shape}, got {sorter.type.shape}.")
        a = take(a, sorter, mode="clip")
    dtype = default_int()
    if local.frame is None:
        host, wanted = small_host(a), small_host(v)
        if host is not None and wanted is not None and host.dtype.kind in "iuf":
            found = np.asarray(host.searchsorted(wanted, side)).astype(dtype)
            return from_numpy(found, ArrayType(found.shape, dtype))
    return run_search(a, v, side, method, dtype)


@composite(static=("side", "method", "dtype"))
def run_search(a, v, side, method, dtype):
    n = a.type.shape[0]
    if not is_static(n):
        found = search(a, v, side)
    elif n == 0:
        return full(ArrayType(v.type.shape, dtype), 0)
    elif method == "compare_all" or n <= FEW:
        found = search_all(a, v, side)
    elif method == "sort":
        found = reshape(search_by_sorting(a, flat(v), side), v.type.shape)
    else:
        found = search(a, v, side, unroll=method == "scan_unrolled")
    return convert_element_type(found, dtype)


def before(x, y):
    """Whether x stands before y in sorted order: NaN is largest."""
    dtype = x.type.dtype
    if is_complex(dtype):
        return bitwise_or(before(real(x), real(y)), bitwise_and(bitwise_not(before(real(y), real(x))),
                                                                before(imag(x), imag(y))))
    less = lt(x, y)
    return bitwise_or(less, bitwise_and(ne(y, y), bitwise_not(ne(x, x)))) if is_float(dtype) else less


def goes_on(a, v, side):
    """Whether v belongs behind an element a."""
    return before(a, v) if side == "left" else bitwise_not(before(v, a))


def search_all(a, v, side):
    rank = v.type.ndim
    wide = (*v.type.shape, a.type.shape[0])
    a = broadcast_in_dim(a, (1,) * rank + a.type.shape, (rank,))
    v = broadcast_in_dim(v, (*v.type.shape, 1), tuple(range(rank)))
    ahead = convert_element_type(goes_on(a, v, side), INT32)
    return reduce_sum(ahead if ahead.type.shape == wide else broadcast_in_dim(ahead, wide, tuple(range(rank + 1))),
                      (rank,))


def search(a, v, side, unroll=False):
    """By halves: steps of 2**k from the front, as long as what is stepped over stands before v."""
    n = a.type.shape[0]
    if is_static(n):
        steps, size = 2 ** np.arange(n.bit_length() - 1, -1, -1, dtype=INT32), full(ArrayType((), INT32), n)
    else:
        steps, size = 2 ** np.arange(30, -1, -1, dtype=INT32), reduce_sum(full(ArrayType((n,), INT32), 1), (0,))
    shape, one = v.type.shape, full(ArrayType((), INT32), 1)
    form = (ArrayType(shape, INT32),)

    def step(found, by):
        further = add(found, by)
        last = reader_with(a.type, form, IN_RANGE).read(a, [sub(minimum(further, size), one)])
        return select_n(bitwise_and(le(further, size), goes_on(last, v, side)), found, further), None
    return scan(step, full(ArrayType(shape, INT32), 0), value_of(steps), unroll=len(steps) if unroll else 1)[0]


def search_by_sorting(a, v, side):
    """By the places of both in one sorted vector."""
    m = v.type.shape[0]
    both = concatenate([v, a] if side == "left" else [a, v], 0)
    rank = ops.argsort(ops.argsort(both, 0), 0)
    rank = slice_in_dim(rank, 0, m, 0) if side == "left" else slice_in_dim(rank, a.type.shape[0], a.type.shape[0] + m,
                                                                           0)
    return sub(rank, ops.argsort(ops.argsort(v, 0), 0))


@remembered
def digitize(x, bins, right=False, *, method=None):
    """The number of the bin in which each element lies. `bins` are the edges, in ascending or descending order; bin i
    is between the edges i - 1 and i, and includes the lower of the two, or with `right` the upper.

    Errors: TypeError for what is no array (lists included), ValueError for bins that are no vector or another method.

    >>> import gnomon.numpy as np
    >>> np.digitize(np.array([0.5, 2.0, 9.0]), np.array([1.0, 2.0, 3.0]))
    Array([0, 2, 3], dtype=int32)
    """
    x, bins = as_value(x, "digitize", 0), as_value(bins, "digitize", 1)
    if bins.type.ndim != 1:
        raise ValueError(f"digitize: bins must be a 1-dimensional array, got one of shape {bins.type.shape}.")
    n = bins.type.shape[0]
    if n == 0:
        return full(ArrayType(x.type.shape, default_int()), 0)
    method = "scan" if method is None else method
    side = "left" if right else "right"
    up, down = [searchsorted(edges, x, side, method=method) for edges in (bins, rev(bins, (0,)))]
    first, last = [reader_with(bins.type, (i,), DEFAULT).read(bins, []) for i in (0, -1)]
    return select_n(ge(last, first), sub(full_scalar(down, n), down), up)
