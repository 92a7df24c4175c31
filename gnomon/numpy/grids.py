"""Numbers at equal distances, grids of them, and what is written with slices: mgrid, ogrid, r_, c_, s_, ix_."""
from __future__ import annotations

import math

import numpy as np

from gnomon.api.vmap import vmap
from gnomon.base.errors import Refused
from gnomon.numpy.axes import function_argument, integer, one_axis, one_of
from gnomon.numpy.composite import remembered
from gnomon.numpy.creation import arange, as_array, as_dtype, default_int, owned, settle
from gnomon.numpy.manipulation import broadcast_shapes, concatenate, stack, swapaxes, transpose
from gnomon.numpy.promote import as_value, promote_dtypes, promote_inexact, requested_dtype
from gnomon.numpy.ufuncs import power
from gnomon.ops import shape as shape_ops
from gnomon.ops.arithmetic import absolute, add, div, floor, mul, round_to_even, sub
from gnomon.ops.compare import lt, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.shape import Iota, broadcast_in_dim, expand_dims
from gnomon.ops.slicing import concatenate as join
from gnomon.ops.slicing import slice_in_dim
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_bool, is_complex, is_inexact, is_integer, real_dtype
from gnomon.types.size import check_shape, check_size
from gnomon.types.value_type import ArrayType

__all__ = ["c_", "fromfunction", "geomspace", "index_exp", "indices", "ix_", "linspace", "logspace", "meshgrid", "mgrid", "ogrid",
           "r_", "s_"]

_FLOAT32 = np.dtype("float32")


# ---- equal distances ------------------------------------------------------------------------------------------------

@remembered
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """`num` numbers from `start` to `stop` (without it if not `endpoint`) at equal distances.

    start, stop: numbers or arrays that broadcast; the numbers stand along `axis` of the result. dtype: that of the arguments,
    as floats; integer dtypes are rounded down. retstep: the pair (numbers, distance) is given. ValueError for num < 0.
    Also TypeError for what is no number or array, AxisError for an axis out of bounds.

    >>> linspace(0, 1, 5)
    Array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    num = check_size(num, "The count of numbers given to linspace")
    start, stop = promote_inexact("linspace", start, stop)
    own = start.type.dtype
    dtype = own if dtype is None else requested_dtype(dtype)
    work = dtype if is_inexact(dtype) and np.dtype(dtype).itemsize >= own.itemsize else own
    if real_dtype(work).itemsize < 4:
        work = _FLOAT32
    out, step = spaced(*(convert_element_type(x, work) for x in (start, stop)), num, endpoint)
    if is_integer(dtype) or is_bool(dtype):
        out = floor(out) if not is_bool(dtype) else out
    out = as_dtype(out, dtype)
    axis = one_axis(axis, out.type.ndim, "linspace")
    out = settle(shape_ops.moveaxis(out, 0, axis), device, None)
    return (out, as_dtype(step, dtype if is_inexact(dtype) else own)) if retstep else out


def spaced(start, stop, num, endpoint):
    """Numbers from start to stop along a new first axis, and their distance."""
    t = start.type
    sizes = broadcast_shapes(t.shape, stop.type.shape)
    start, stop = (expand_dims(x, tuple(range(len(sizes) - x.type.ndim))) for x in (start, stop))
    rank, parts = len(sizes), num - 1 if endpoint else num
    if parts < 1:
        step = shape_ops.full(ArrayType(sizes, t.dtype), math.nan)
        return broadcast_in_dim(start, (num, *sizes), tuple(range(1, rank + 1))), step
    step = div(sub(stop, start), full_scalar(start, parts))
    real = real_dtype(t.dtype)
    fraction = bind(Iota(real, (parts, *[1] * rank), 0))
    fraction = convert_element_type(div(fraction, full_scalar(fraction, parts)), t.dtype)
    first, last = expand_dims(start, (0,)), expand_dims(stop, (0,))
    out = add(mul(first, sub(full_scalar(start, 1), fraction)), mul(last, fraction))
    if endpoint:
        out = join([out, broadcast_in_dim(stop, (1, *sizes), tuple(range(1, rank + 1)))], 0)
    return out, step


@remembered
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """`base` to the powers of `num` numbers from `start` to `stop` at equal distances.

    Errors: TypeError for what is no number or array, ValueError for num < 0, AxisError for an axis out of bounds.

    >>> logspace(0, 2, 3)
    Array([  1.,  10., 100.], dtype=float32)
    """
    start, stop = promote_inexact("logspace", start, stop)
    out = power(base, linspace(start, stop, num, endpoint, axis=axis))
    return as_dtype(out, start.type.dtype if dtype is None else requested_dtype(dtype))


@remembered
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """`num` numbers from `start` to `stop` with equal ratios of neighbours. Complex ones lie on a spiral.

    Errors: TypeError for what is no number or array, ValueError for num < 0, AxisError for an axis out of bounds.

    >>> geomspace(1, 8, 4)
    Array([1., 2., 4., 8.], dtype=float32)
    """
    num = integer(num, "geomspace", "num")
    start, stop = promote_inexact("geomspace", start, stop)
    sizes = broadcast_shapes(start.type.shape, stop.type.shape)
    start, stop = (expand_dims(x, tuple(range(1 + len(sizes) - x.type.ndim))) for x in (start, stop))
    fraction = linspace(full_scalar(start, 0), full_scalar(start, 1), num, endpoint)
    fraction = expand_dims(fraction, tuple(range(1, 1 + len(sizes))))
    out = mul(start, power(div(stop, start), fraction))
    if endpoint and num > 1:        # the last number is exact
        last = broadcast_in_dim(stop, (1, *sizes), tuple(range(1 + len(sizes))))
        out = join([slice_in_dim(out, 0, num - 1, 0), last], 0)
    dtype = start.type.dtype if dtype is None else requested_dtype(dtype)
    if is_integer(dtype) and not is_complex(out.type.dtype):
        whole = round_to_even(out)      # what is an integer but for rounding must not be truncated to the one below
        out = select_n(lt(absolute(sub(out, whole)), mul(absolute(out), full_scalar(out, 1e-5))), out, whole)
    return as_dtype(shape_ops.moveaxis(out, 0, one_axis(axis, out.type.ndim, "geomspace")), dtype)


# ---- grids ----------------------------------------------------------------------------------------------------------

def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinates of the points of a grid, one array for each vector of coordinates along an axis; a tuple.

    indexing: "ij" numbers the axes in the order of the arguments, "xy" swaps the first two. sparse: the other axes have size
    1. Errors: ValueError for arguments of more dimensions and for copy=False.
    Also TypeError for what is no array (lists included), ValueError for another indexing.

    >>> import gnomon.numpy as jnp
    >>> [x.shape for x in meshgrid(jnp.arange(2), jnp.arange(3))]
    [(3, 2), (3, 2)]
    """
    xs = [as_value(x, "meshgrid", i) for i, x in enumerate(xi)]
    if any(x.type.ndim != 1 for x in xs):
        raise ValueError(f"meshgrid takes vectors, got arrays of shapes {', '.join(str(x.type.shape) for x in xs)}.")
    one_of(indexing, ("xy", "ij"), "meshgrid", "indexing")
    if not copy:
        raise ValueError("meshgrid makes new arrays; copy=False is not possible.")
    axes = list(range(len(xs)))
    if indexing == "xy" and len(xs) > 1:
        axes[:2] = 1, 0
    full = [0] * len(xs)
    for x, axis in zip(xs, axes):
        full[axis] = x.type.shape[0]
    if sparse:
        return tuple([expand_dims(x, tuple([i for i in range(len(xs)) if i != axis])) for x, axis in zip(xs, axes)])
    return tuple([broadcast_in_dim(x, tuple(full), (axis,)) for x, axis in zip(xs, axes)])


def indices(dimensions, dtype=None, sparse=False):
    """The index along each axis, for all elements of an array of these sizes: an array with a first axis for the axes.

    sparse: a tuple with one array for each axis, whose other axes have size 1.
    Errors: ValueError for a negative size, TypeError for one that is no integer.

    >>> indices((2, 2))
    Array([[[0, 0],
            [1, 1]],
    <BLANKLINE>
           [[0, 1],
            [0, 1]]], dtype=int32)
    """
    sizes = check_shape(dimensions, "The dimensions given to indices")
    dtype = default_int() if dtype is None else requested_dtype(dtype)
    counts = [arange(n, dtype=dtype) for n in sizes]
    grid = meshgrid(*counts, sparse=sparse, indexing="ij")
    if sparse:
        return grid
    return stack(grid) if grid else shape_ops.full(ArrayType((0,), dtype), 0)


def fromfunction(function, shape, *, dtype=float, **kwargs):
    """An array whose element (i, j, ...) is function(i, j, ...). The function is mapped with vmap, so it gets scalars.

    Errors: TypeError for what is no function or no shape, ValueError for negative sizes.

    >>> fromfunction(lambda i, j: i + 2 * j, (2, 2), dtype=int)
    Array([[0, 2],
           [1, 3]], dtype=int32)
    """
    sizes = check_shape(shape, "The shape given to fromfunction")
    function = function_argument(function, "fromfunction", "function")
    mapped = lambda *index: function(*index, **kwargs)
    for axis in reversed(range(len(sizes))):
        mapped = vmap(mapped, in_axes=tuple([0 if i == axis else None for i in range(len(sizes))]))
    return mapped(*[arange(n, dtype=requested_dtype(dtype)) for n in sizes])


def counted_by(item, name):
    """The numbers that a slice stands for: like arange, or like linspace if its step is a complex number."""
    start, stop, step = item.start, item.stop, item.step
    if stop is None:
        raise ValueError(f"{name} needs slices that say where they stop, got {item}.")
    start = 0 if start is None else start
    if isinstance(step, complex):
        return linspace(start, stop, int(abs(step)))
    return arange(start, stop, step)


class Grid:
    """What `mgrid` and `ogrid` are: indexed with slices, they give coordinates."""

    def __init__(self, name, sparse, doc):
        self.name, self.sparse = name, sparse
        self.__doc__ = doc

    def __getitem__(self, key):
        if isinstance(key, slice):
            return counted_by(key, self.name)
        vectors = promote_dtypes(self.name, *[counted_by(item, self.name) for item in key]) if key else []
        grid = meshgrid(*vectors, sparse=self.sparse, indexing="ij")
        return grid if self.sparse else stack(grid)

    def __repr__(self):
        return f"gnomon.numpy.{self.name}"


mgrid = Grid("mgrid", False, """The coordinates of a grid, in one array: mgrid[0:2, 0:1:3j]. A complex step says how many.""")
ogrid = Grid("ogrid", True, """The coordinates of a grid, one array for each axis, with size 1 along the others.""")


class Concatenator:
    """What `r_` and `c_` are: indexed with arrays, numbers and slices, they put them one behind the other.

    A first item such as "0,2,-1" says along which axis, with at least how many dimensions, and where the new ones go."""

    def __init__(self, name, axis, ndmin, place, doc):
        self.name, self.axis, self.ndmin, self.place = name, axis, ndmin, place
        self.__doc__ = doc

    def __getitem__(self, key):
        items = key if isinstance(key, tuple) else (key,)
        axis, ndmin, place = self.axis, self.ndmin, self.place
        if items and isinstance(items[0], str):
            axis, ndmin, place = self.directive(items[0])
            items = items[1:]
        return concatenate([self.widened(item, ndmin, place) for item in items], axis)

    def directive(self, text):
        try:
            numbers = [int(part) for part in text.split(",")]
        except ValueError:
            raise Refused(f"{self.name} takes text of up to three integers, such as '0,2,-1', got {text!r}; there are no "
                          "matrix objects.") from None
        return (*numbers, *(self.axis, 1, -1)[len(numbers):])

    def widened(self, item, ndmin, place):
        """An item with at least `ndmin` dimensions; new ones come behind place `place` of its own."""
        x = counted_by(item, self.name) if isinstance(item, slice) else as_array(item, None, self.name)
        have = x.type.ndim
        missing = ndmin - have
        if missing <= 0:
            return x
        x = expand_dims(x, tuple(range(missing)))
        if place == -1 or isinstance(item, slice) is False and have == 0:
            return x
        if isinstance(item, slice):
            return swapaxes(x, -1, place)
        first = place + missing + 1 if place < 0 else place
        order = list(range(ndmin))
        return transpose(x, order[:first] + order[missing:] + order[first:missing])

    def __repr__(self):
        return f"gnomon.numpy.{self.name}"


r_ = Concatenator("r_", 0, 1, -1, """Arrays, numbers and slices one behind the other: r_[1, 0:3, x].""")
c_ = Concatenator("c_", -1, 2, 0, """Vectors as the columns of a matrix: c_[x, y].""")


class IndexExpression:
    """Indexed with anything, it gives the index itself: s_[1:3, ::2] is a tuple of slices."""

    def __init__(self, name, always_tuple):
        self.name, self.always_tuple = name, always_tuple

    def __getitem__(self, key):
        return (key,) if self.always_tuple and not isinstance(key, tuple) else key

    def __repr__(self):
        return f"gnomon.numpy.{self.name}"


s_ = IndexExpression("s_", False)
index_exp = IndexExpression("index_exp", True)


def ix_(*args):
    """Indices of a sub-grid: x[ix_(rows, columns)] has these rows and columns. Masks become the places where they are True.

    Errors: TypeError for what is no array (lists included), ValueError for what is no vector.

    >>> import gnomon.numpy as jnp
    >>> [i.shape for i in ix_(jnp.arange(2), jnp.arange(3))]
    [(2, 1), (1, 3)]
    """
    out = []
    for i, arg in enumerate(args):
        x = as_value(arg, "ix_", i)
        if x.type.ndim != 1:
            raise ValueError(f"ix_ takes vectors, got an array of shape {x.type.shape} at position {i}.")
        if is_bool(x.type.dtype):
            x = owned(np.flatnonzero(np.asarray(x)).astype(default_int()))
        out.append(expand_dims(x, tuple([j for j in range(len(args)) if j != i])))
    return tuple(out)
