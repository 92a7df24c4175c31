"""Other shapes and orders of the same elements; joining arrays, cutting them, repeating them."""
from __future__ import annotations

import itertools
import math

import numpy as np

from gnomon.base.errors import Refused, shown
from gnomon.numpy.axes import axis_tuple, integer, one_axis, one_of, resolve_sizes, sequence
from gnomon.numpy.composite import remembered
from gnomon.numpy.creation import as_array, as_dtype, broadcast, owned, settle
from gnomon.numpy.promote import as_value, convert_keep, promote_dtypes, requested_dtype
from gnomon.numpy.recorded import recorded
from gnomon.ops import rolling, slicing
from gnomon.ops import shape as shape_ops
from gnomon.ops.arithmetic import add, mul, neg, rem, sub
from gnomon.ops.compare import ge, le, lt, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.cumulative import cumsum
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import GatherDimensionNumbers, GatherScatterMode, ScatterDimensionNumbers, gather, scatter, scatter_add
from gnomon.ops.place import Reshard
from gnomon.ops.shape import Iota, Reshape, broadcast_in_dim, reduce_sum
from gnomon.ops.slicing import dynamic_slice, slice_in_dim
from gnomon.run.array import Array
from gnomon.run.eager import HOST_SIZE
from gnomon.trace.context import local
from gnomon.trace.stage import Tracer, bind
from gnomon.trace.value import Value
from gnomon.types.dtype import is_integer
from gnomon.types.sharding import NamedSharding, PartitionSpec, abstract_sharding
from gnomon.types.size import broadcast_sizes, check_shape, check_size, is_static, max_size, min_size
from gnomon.types.value_type import ArrayType

__all__ = ["append", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "block", "broadcast_arrays", "broadcast_shapes",
           "broadcast_to", "column_stack", "concat", "concatenate", "delete", "dsplit", "dstack", "expand_dims", "flip", "fliplr",
           "flipud", "hsplit", "hstack", "insert", "matrix_transpose", "moveaxis", "ndim", "permute_dims", "ravel", "repeat", "reshape",
           "resize", "roll", "rollaxis", "rot90", "shape", "size", "split", "squeeze", "stack", "swapaxes", "tile", "transpose",
           "trim_zeros", "unstack", "vsplit", "vstack"]

_SEQUENCES = (list, tuple)


# ---- facts about arrays -------------------------------------------------------------------------------------------

def sized(a, name):
    """Something with a shape: as it is, or as a value."""
    if not isinstance(a, _SEQUENCES) and hasattr(a, "shape"):
        return a
    return as_value(a, name, 0)


def shape(a):
    """The sizes of an array's dimensions.

    Errors: TypeError for what is no array (lists included).

    >>> shape(3.0)
    ()
    """
    return tuple(sized(a, "shape").shape)


def ndim(a):
    """The number of an array's dimensions.

    Errors: TypeError for what is no array (lists included).

    >>> import gnomon.numpy as jnp
    >>> ndim(jnp.ones((2, 3)))
    2
    """
    return len(sized(a, "ndim").shape)


def size(a, axis=None):
    """The number of an array's elements, or of those along an axis or several.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated.

    >>> import gnomon.numpy as jnp
    >>> size(jnp.ones((2, 3))), size(jnp.ones((2, 3)), axis=1)
    (6, 3)
    """
    sizes = sized(a, "size").shape
    return math.prod(sizes if axis is None else [sizes[i] for i in axis_tuple(axis, len(sizes), "size")])


# ---- shape --------------------------------------------------------------------------------------------------------

def reshape(a, shape, order="C", *, copy=None, out_sharding=None):
    """The same elements under another shape; a size of -1 is found out.

    order: "C" reads and writes with the last index running fastest, "F" with the first. TypeError where the numbers of
    elements differ.
    Also ValueError for another order or -1 given twice.

    >>> import gnomon.numpy as jnp
    >>> reshape(jnp.arange(6), (2, -1))
    Array([[0, 1, 2],
           [3, 4, 5]], dtype=int32)
    """
    x = a if isinstance(a, Value) else as_value(a, "reshape", 0)
    t = x.type
    sizes = resolve_sizes(shape, t.size, "reshape")
    if order.__class__ is not str or order not in ("C", "A", "F"):
        one_of(order, ("C", "F", "A"), "reshape", "order")
    if order == "F":
        backwards = reshape(transpose(x), sizes[::-1], out_sharding=out_sharding)
        return transpose(backwards)
    if out_sharding is not None and t.sharding is not None:
        sharding = sharding_for(out_sharding, t.sharding.mesh, len(sizes))
        return bind(Reshape(sizes), bind(Reshard(None), x)) if sharding is None else bind(Reshape(sizes, None, sharding), x)
    out = (shape_ops.copy(x) if copy else x) if t.shape == sizes else bind(Reshape(sizes), x)
    return out if out_sharding is None else settle(out, None, out_sharding)


def sharding_for(asked, mesh, ndim):
    """An `out_sharding` argument as the sharding of a type on a mesh; None where it says that nothing is sharded."""
    if isinstance(asked, NamedSharding):
        asked = asked.spec
    if not isinstance(asked, PartitionSpec):
        raise TypeError(f"out_sharding is a NamedSharding or a PartitionSpec, got {asked!r}.")
    return abstract_sharding(mesh, tuple(asked) + (None,) * (ndim - len(asked)))


def ravel(a, order="C", *, out_sharding=None):
    """All elements in one dimension.

    Errors: TypeError for what is no array (lists included), ValueError for another order, Refused for order="K".

    >>> import gnomon.numpy as jnp
    >>> ravel(jnp.eye(2))
    Array([1., 0., 0., 1.], dtype=float32)
    """
    if order.__class__ is str and order == "K":
        raise Refused("ravel knows no memory order of its elements, so order='K' has no meaning; use 'C' or 'F'.")
    x = a if isinstance(a, Value) else as_value(a, "ravel", 0)
    return reshape(x, (x.type.size,), order, out_sharding=out_sharding)


def transpose(a, axes=None):
    """Dimensions in another order (reversed without `axes`): result dimension i is dimension axes[i].

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError where the axes are not
    each dimension once.

    >>> import gnomon.numpy as jnp
    >>> transpose(jnp.ones((2, 3, 4)), (1, 0, 2)).shape
    (3, 2, 4)
    """
    x = a if isinstance(a, Value) else as_value(a, "transpose", 0)
    n = x.type.ndim
    if axes is None:
        return x if n < 2 else shape_ops.transpose(x, tuple(range(n - 1, -1, -1)))
    axes = axis_tuple(axes, n, "transpose", "axis")
    if len(axes) != n:
        raise ValueError(f"transpose takes one axis for each of the {n} dimensions, got {axes}.")
    return shape_ops.transpose(x, axes)


def permute_dims(a, /, axes):
    """Dimensions in another order; `transpose` under its name in the array API standard.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError where the axes are not
    each dimension once.

    >>> import gnomon.numpy as jnp
    >>> permute_dims(jnp.ones((2, 3)), (1, 0)).shape
    (3, 2)
    """
    return transpose(a, axes)


def matrix_transpose(x, /):
    """The last two dimensions swapped. ValueError for fewer than two.

    Also TypeError for what is no array (lists included).

    >>> import gnomon.numpy as jnp
    >>> matrix_transpose(jnp.ones((5, 2, 3))).shape
    (5, 3, 2)
    """
    x = as_value(x, "matrix_transpose", 0)
    n = x.type.ndim
    if n < 2:
        raise ValueError(f"matrix_transpose takes an array of at least 2 dimensions, got one of type {x.type}.")
    return shape_ops.transpose(x, (*range(n - 2), n - 1, n - 2))


def swapaxes(a, axis1, axis2):
    """Two dimensions swapped.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds.

    >>> import gnomon.numpy as jnp
    >>> swapaxes(jnp.ones((2, 3, 4)), 0, -1).shape
    (4, 3, 2)
    """
    x = a if isinstance(a, Value) else as_value(a, "swapaxes", 0)
    n = x.type.ndim
    i, j = one_axis(axis1, n, "swapaxes", "axis1"), one_axis(axis2, n, "swapaxes", "axis2")
    order = list(range(n))
    order[i], order[j] = j, i
    return shape_ops.transpose(x, tuple(order))


def moveaxis(a, source, destination):
    """Dimensions moved to other places; the rest keep their order.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for repeated axes or
    another number of destinations.

    >>> import gnomon.numpy as jnp
    >>> moveaxis(jnp.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    x = a if isinstance(a, Value) else as_value(a, "moveaxis", 0)
    n = x.type.ndim
    source, destination = axis_tuple(source, n, "moveaxis", "source"), axis_tuple(destination, n, "moveaxis", "destination")
    if len(source) != len(destination):
        raise ValueError(f"moveaxis needs as many destinations as sources, got source {source} and destination {destination}.")
    order = [i for i in range(n) if i not in source]
    for to, axis in sorted(zip(destination, source)):
        order.insert(to, axis)
    return shape_ops.transpose(x, tuple(order))


def rollaxis(a, axis, start=0):
    """One dimension moved in front of dimension `start`. `moveaxis` is easier to follow.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds.

    >>> import gnomon.numpy as jnp
    >>> rollaxis(jnp.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    x = as_value(a, "rollaxis", 0)
    n = x.type.ndim
    start = integer(start, "rollaxis", "start")
    axis, start = one_axis(axis, n, "rollaxis"), one_axis(start + n if start < 0 else start, n + 1, "rollaxis", "start")
    return moveaxis(x, axis, start - (start > axis))


def squeeze(a, axis=None):
    """Without the dimensions of size 1, or those named. ValueError if one of those has another size.

    Also TypeError for what is no array (lists included), AxisError for an axis out of bounds.

    >>> import gnomon.numpy as jnp
    >>> squeeze(jnp.ones((1, 3, 1))).shape, squeeze(jnp.ones((1, 3, 1)), 0).shape
    ((3,), (3, 1))
    """
    x = a if isinstance(a, Value) else as_value(a, "squeeze", 0)
    sizes = x.type.shape
    if axis is None:
        axes = tuple([i for i, n in enumerate(sizes) if n.__class__ is int and n == 1])
    else:
        axes = axis_tuple(axis, len(sizes), "squeeze")
        if any([sizes[i] != 1 for i in axes]):
            raise ValueError(f"squeeze drops axes of size 1, got shape {sizes} and axis {axis}.")
    return shape_ops.squeeze(x, axes)


def expand_dims(a, axis):
    """With new dimensions of size 1, at these places of the result.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated.

    >>> import gnomon.numpy as jnp
    >>> expand_dims(jnp.ones(3), (0, -1)).shape
    (1, 3, 1)
    """
    x = a if isinstance(a, Value) else as_value(a, "expand_dims", 0)
    count = 1 if axis.__class__ is int or not hasattr(axis, "__len__") else len(axis)
    return shape_ops.expand_dims(x, axis_tuple(axis, x.type.ndim + count, "expand_dims"))


def at_least(name, arrays, widen):
    if len(arrays) == 1 and isinstance(arrays[0], _SEQUENCES):
        raise TypeError(f"{name} requires ndarray or scalar arguments, got {type(arrays[0])} at position 0.")
    out = tuple([widen(as_value(x, name, i)) for i, x in enumerate(arrays)])
    return out[0] if len(out) == 1 else out


def to_2d(x):
    n = x.type.ndim
    return x if n >= 2 else shape_ops.expand_dims(x, (0,) if n else (0, 1))


def to_3d(x):
    n = x.type.ndim
    return x if n >= 3 else shape_ops.expand_dims(x, ((0, 1, 2), (0, 2), (2,))[n])


def to_1d(x):
    return x if x.type.ndim else shape_ops.expand_dims(x, (0,))


def atleast_1d(*arys):
    """Arrays with at least one dimension; several arguments give a tuple.

    Errors: TypeError for what is no array (lists included).

    >>> atleast_1d(1.0).shape
    (1,)
    """
    return at_least("atleast_1d", arys, to_1d)


def atleast_2d(*arys):
    """Arrays with at least two dimensions, new ones in front; several arguments give a tuple.

    Errors: TypeError for what is no array (lists included).

    >>> import gnomon.numpy as jnp
    >>> atleast_2d(jnp.ones(3)).shape
    (1, 3)
    """
    return at_least("atleast_2d", arys, to_2d)


def atleast_3d(*arys):
    """Arrays with at least three dimensions: (n,) becomes (1, n, 1) and (m, n) becomes (m, n, 1).

    Errors: TypeError for what is no array (lists included).

    >>> import gnomon.numpy as jnp
    >>> atleast_3d(jnp.ones(3)).shape
    (1, 3, 1)
    """
    return at_least("atleast_3d", arys, to_3d)


def broadcast_to(array, shape, *, out_sharding=None):
    """Repeated along new dimensions in front and dimensions of size 1, up to a shape.

    Errors: TypeError for what is no array (lists included), ValueError where the array does not broadcast to the shape.

    >>> import gnomon.numpy as jnp
    >>> broadcast_to(jnp.arange(2), (3, 2))
    Array([[0, 1],
           [0, 1],
           [0, 1]], dtype=int32)
    """
    x = array if isinstance(array, Value) else as_value(array, "broadcast_to", 0)
    shape = check_shape(shape, "The shape given to broadcast_to")
    if out_sharding is not None and x.type.sharding is not None:
        to = tuple(range(len(shape) - x.type.ndim, len(shape)))
        return bind(shape_ops.BroadcastInDim(shape, to, sharding_for(out_sharding, x.type.sharding.mesh, len(shape))), x)
    out = broadcast(x, shape, "broadcast_to")
    return out if out_sharding is None else settle(out, None, out_sharding)


def broadcast_shapes(*shapes):
    """The shape that arrays of these shapes broadcast to. ValueError where there is none.

    Also TypeError for what is no shape.

    >>> broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    shapes = [check_shape(s, "A shape given to broadcast_shapes") for s in shapes]
    found = broadcast_sizes(shapes)
    if found is None:
        raise ValueError(f"broadcast_shapes got shapes that do not broadcast: {', '.join(map(str, shapes))}.")
    return found


def broadcast_arrays(*args):
    """Arrays repeated to their common shape, as a tuple.

    Errors: TypeError for what is no array (lists included), ValueError for shapes that do not broadcast.

    >>> import gnomon.numpy as jnp
    >>> [x.shape for x in broadcast_arrays(jnp.ones((2, 1)), jnp.ones(3))]
    [(2, 3), (2, 3)]
    """
    xs = [as_value(x, "broadcast_arrays", i) for i, x in enumerate(args)]
    common = broadcast_shapes(*[x.type.shape for x in xs])
    return tuple([broadcast(x, common, "broadcast_arrays") for x in xs])


# ---- joining ------------------------------------------------------------------------------------------------------

def several(name, arrays, dtype):
    """The arrays to join, in one dtype."""
    if isinstance(arrays, (Value, np.ndarray)):
        arrays = unstack(arrays)
    elif not isinstance(arrays, _SEQUENCES):
        arrays = list(arrays) if hasattr(arrays, "__iter__") else [arrays]
    if not arrays:
        raise ValueError(f"{name} needs at least one array, got none.")
    if dtype is not None:
        dtype = requested_dtype(dtype)
        return [as_dtype(as_value(x, name, i), dtype) for i, x in enumerate(arrays)]
    return promote_dtypes(name, *arrays)


def concatenate(arrays, axis=0, dtype=None):
    """Arrays one behind the other along an axis (None: all elements in one dimension), in their common dtype or the one given.

    ValueError for no arrays and for arrays without dimensions; TypeError where shapes differ in other dimensions.
    Also AxisError for an axis out of bounds.

    >>> import gnomon.numpy as jnp
    >>> concatenate([jnp.zeros(1), jnp.ones(2)])
    Array([0., 1., 1.], dtype=float32)
    """
    if axis is not None and isinstance(arrays, (Value, np.ndarray)) and np.ndim(arrays) == 2 and axis in (0, -1):
        return reshape(arrays if dtype is None else as_dtype(as_value(arrays), requested_dtype(dtype)), (-1,))
    xs = several("concatenate", arrays, dtype)
    if axis is None:
        xs, axis = [ravel(x) for x in xs], 0
    return join("concatenate", xs, axis)


def join(name, xs, axis):
    first = xs[0].type
    n = len(first.shape)
    if any([x.type.ndim != n for x in xs]):
        raise TypeError(f"{name} got arrays with different numbers of dimensions: {', '.join(str(x.type.shape) for x in xs)}.")
    if not n:
        raise ValueError(f"{name} got arrays without dimensions, which cannot be concatenated; use stack.")
    axis = one_axis(axis, n, name)
    return xs[0] if len(xs) == 1 else slicing.concatenate(xs, axis)


def concat(arrays, /, *, axis=0):
    """Arrays one behind the other; `concatenate` under its name in the array API standard.

    Errors: TypeError for what are no arrays (lists of numbers included) and where shapes differ in other dimensions,
    ValueError for no arrays, AxisError for an axis out of bounds.

    >>> import gnomon.numpy as jnp
    >>> concat([jnp.zeros(1), jnp.ones(2)])
    Array([0., 1., 1.], dtype=float32)
    """
    return concatenate(arrays, axis)


def stack(arrays, axis=0, out=None, dtype=None):
    """Arrays of one shape beside each other along a new axis. ValueError where shapes differ.

    Also TypeError for what are no arrays (lists of numbers included), AxisError for an axis out of bounds.

    >>> import gnomon.numpy as jnp
    >>> stack([jnp.zeros(2), jnp.ones(2)], axis=1)
    Array([[0., 1.],
           [0., 1.]], dtype=float32)
    """
    if out is not None:
        raise Refused("stack makes a new array; `out` cannot be written to. Leave it out.")
    if isinstance(arrays, (Value, np.ndarray)) and dtype is None:
        x = as_value(arrays, "stack", 0)
        return moveaxis(x, 0, one_axis(axis, x.type.ndim, "stack"))
    xs = several("stack", arrays, dtype)
    sizes = xs[0].type.shape
    if any([x.type.shape != sizes for x in xs]):
        raise ValueError(f"stack needs arrays of one shape, got {', '.join(str(x.type.shape) for x in xs)}.")
    axis = one_axis(axis, len(sizes) + 1, "stack")
    xs = [shape_ops.expand_dims(x, (axis,)) for x in xs]
    return xs[0] if len(xs) == 1 else slicing.concatenate(xs, axis)


def vstack(tup, dtype=None):
    """Arrays below each other: along axis 0, rows first made of arrays with one dimension.

    Errors: TypeError for what are no arrays (lists of numbers included) and for sizes that differ, ValueError for no arrays.

    >>> import gnomon.numpy as jnp
    >>> vstack([jnp.zeros(2), jnp.ones(2)])
    Array([[0., 0.],
           [1., 1.]], dtype=float32)
    """
    return join("vstack", [to_2d(x) for x in several("vstack", tup, dtype)], 0)


def hstack(tup, dtype=None):
    """Arrays behind each other: along axis 1, or 0 for arrays with one dimension.

    Errors: TypeError for what are no arrays (lists of numbers included) and for sizes that differ, ValueError for no arrays.

    >>> import gnomon.numpy as jnp
    >>> hstack([jnp.zeros(2), jnp.ones(1)])
    Array([0., 0., 1.], dtype=float32)
    """
    xs = [to_1d(x) for x in several("hstack", tup, dtype)]
    return join("hstack", xs, 0 if xs[0].type.ndim == 1 else 1)


def dstack(tup, dtype=None):
    """Arrays along a third axis.

    Errors: TypeError for what are no arrays (lists of numbers included) and for sizes that differ, ValueError for no arrays.

    >>> import gnomon.numpy as jnp
    >>> dstack([jnp.zeros(2), jnp.ones(2)]).shape
    (1, 2, 2)
    """
    return join("dstack", [to_3d(x) for x in several("dstack", tup, dtype)], 2)


def column_stack(tup):
    """Arrays with one dimension as the columns of a matrix; arrays with two are put beside them as they are.

    Errors: TypeError for what are no arrays (lists of numbers included) and for sizes that differ, ValueError for no arrays.

    >>> import gnomon.numpy as jnp
    >>> column_stack([jnp.zeros(2), jnp.ones(2)])
    Array([[0., 1.],
           [0., 1.]], dtype=float32)
    """
    xs = [shape_ops.transpose(to_2d(x), (1, 0)) if x.type.ndim < 2 else x for x in several("column_stack", tup, None)]
    return join("column_stack", xs, 1)


def block(arrays):
    """An array put together from nested lists of blocks: innermost lists along the last axis, the next along the one before.

    Errors: TypeError for tuples and where shapes do not fit, ValueError for empty lists and lists that are not equally deep.

    >>> import gnomon.numpy as jnp
    >>> block([[jnp.eye(1), jnp.zeros((1, 1))], [jnp.ones((1, 2))]])
    Array([[1., 0.],
           [1., 1.]], dtype=float32)
    """
    depths, leaves = set(), []
    measure(arrays, 0, depths, leaves)
    if len(depths) != 1:
        raise ValueError(f"block needs all its lists nested equally deep, got depths {sorted(depths)}.")
    (depth,) = depths
    values = promote_dtypes("block", *leaves)
    rank = max([depth, *[x.type.ndim for x in values]])
    return join_nested(arrays, iter([shape_ops.expand_dims(x, tuple(range(rank - x.type.ndim))) for x in values]), rank - depth)


def measure(x, depth, depths, leaves):
    if isinstance(x, tuple):
        raise TypeError("block takes lists of blocks, not tuples.")
    if not isinstance(x, list):
        depths.add(depth)
        leaves.append(x)
        return
    if not x:
        raise ValueError("block takes no empty lists.")
    for inner in x:
        measure(inner, depth + 1, depths, leaves)


def join_nested(x, leaves, axis):
    if not isinstance(x, list):
        return next(leaves)
    return join("block", [join_nested(inner, leaves, axis + 1) for inner in x], axis)


@remembered
def append(arr, values, axis=None):
    """Values behind an array along an axis; without one, all elements of both in one dimension.

    Errors: TypeError for what is no array (lists included), or where shapes differ in other dimensions, AxisError for an axis out
    of bounds.

    >>> import gnomon.numpy as jnp
    >>> append(jnp.zeros(1), 5.0)
    Array([0., 5.], dtype=float32)
    """
    xs = promote_dtypes("append", arr, values)
    return join("append", [ravel(x) for x in xs], 0) if axis is None else join("append", xs, axis)


# ---- cutting ------------------------------------------------------------------------------------------------------

def split(ary, indices_or_sections, axis=0):
    """Cut along an axis, into so many equal parts or at these places; a list of arrays.

    ValueError where the parts would not be equal (`array_split` allows it).
    Also TypeError for what is no array (lists included), AxisError for an axis out of bounds.

    >>> import gnomon.numpy as jnp
    >>> [part.shape for part in split(jnp.ones(6), 3)]
    [(2,), (2,), (2,)]
    """
    return cut("split", ary, indices_or_sections, axis, equal=True)


def array_split(ary, indices_or_sections, axis=0):
    """Like `split`, but parts need not be equal: the first ones are longer by one.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for a number of parts
    below 1.

    >>> import gnomon.numpy as jnp
    >>> [part.shape for part in array_split(jnp.ones(5), 3)]
    [(2,), (2,), (1,)]
    """
    return cut("array_split", ary, indices_or_sections, axis, equal=False)


def vsplit(ary, indices_or_sections):
    """`split` along axis 0.

    Errors: TypeError for what is no array (lists included), AxisError for arrays without dimensions, ValueError where the parts
    would not be equal.

    >>> import gnomon.numpy as jnp
    >>> [part.shape for part in vsplit(jnp.ones((4, 2)), 2)]
    [(2, 2), (2, 2)]
    """
    return cut("vsplit", ary, indices_or_sections, 0)


def hsplit(ary, indices_or_sections):
    """`split` along axis 1, or 0 for an array with one dimension.

    Errors: TypeError for what is no array (lists included), AxisError for arrays without dimensions, ValueError where the parts
    would not be equal.

    >>> import gnomon.numpy as jnp
    >>> [part.shape for part in hsplit(jnp.ones((4, 2)), 2)]
    [(4, 1), (4, 1)]
    """
    x = as_value(ary, "hsplit", 0)
    return cut("hsplit", x, indices_or_sections, 0 if x.type.ndim == 1 else 1)


def dsplit(ary, indices_or_sections):
    """`split` along axis 2.

    Errors: TypeError for what is no array (lists included), AxisError for fewer than three dimensions, ValueError where the parts
    would not be equal.

    >>> import gnomon.numpy as jnp
    >>> [part.shape for part in dsplit(jnp.ones((1, 1, 2)), 2)]
    [(1, 1, 1), (1, 1, 1)]
    """
    return cut("dsplit", ary, indices_or_sections, 2)


def cut(name, ary, where, axis, equal=True):
    x = ary if isinstance(ary, Value) else as_value(ary, name, 0)
    axis = one_axis(axis, x.type.ndim, name)
    n = x.type.shape[axis]
    if where.__class__ is int or not isinstance(where, _SEQUENCES) and np.ndim(where) == 0:
        parts = integer(where, name, "number of sections")
        if parts < 1:
            raise ValueError(f"{name} makes at least 1 section, got {parts}.")
        if n % parts and equal:
            raise ValueError(f"{name} cannot cut an axis of size {n} into {parts} equal parts; array_split makes unequal ones.")
        sizes = (n // parts + 1,) * (n % parts) + (n // parts,) * (parts - n % parts)
    else:
        places = [0, *[integer(i, name, "index") for i in where], n]
        ends = [ends_of(a, b, n) for a, b in zip(places[:-1], places[1:])]
        if any([a[1] != b[0] for a, b in zip(ends[:-1], ends[1:])]) or any([b < a for a, b in ends]):
            return [slice_in_dim(x, a, max(a, b), axis) for a, b in ends]
        sizes = tuple([b - a for a, b in ends])
    return pieces_of(x, sizes, axis) if len(sizes) > 1 else [x]


def ends_of(start, stop, n):
    """Where a slice of a dimension of size `n` begins and ends."""
    if is_static(n):
        return slice(start, stop).indices(n)[:2]
    return tuple([min_size(max_size(n + b, 0) if b < 0 else b, n) for b in (start, stop)])


def pieces_of(x, sizes, axis):
    """The pieces of `x` of these sizes along an axis. Small arrays are cut one by one where they are computed on at once."""
    if local.frame is not None or x.type.size > HOST_SIZE:
        return slicing.split(x, sizes, axis)
    ends = list(itertools.accumulate(sizes))
    return [slice_in_dim(x, end - n, end, axis) for n, end in zip(sizes, ends)]


@recorded
def unstack(x, /, *, axis=0):
    """The parts of an array along an axis, each without it; a tuple of arrays.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for arrays without
    dimensions.

    >>> import gnomon.numpy as jnp
    >>> unstack(jnp.eye(2))
    (Array([1., 0.], dtype=float32), Array([0., 1.], dtype=float32))
    """
    x = as_value(x, "unstack", 0)
    if not x.type.ndim:
        raise ValueError("unstack takes an array of at least 1 dimension, got one of type " f"{x.type}.")
    axis = one_axis(axis, x.type.ndim, "unstack")
    n = x.type.shape[axis]
    parts = pieces_of(x, (1,) * n, axis) if n > 1 else [x] * n
    return tuple([shape_ops.squeeze(part, (axis,)) for part in parts])


# ---- repeating ----------------------------------------------------------------------------------------------------

def tile(A, reps):
    """An array laid beside itself, reps[i] times along dimension i.

    Errors: TypeError for what is no array (lists included), ValueError for negative repetitions.

    >>> import gnomon.numpy as jnp
    >>> tile(jnp.arange(2), (2, 2))
    Array([[0, 1, 0, 1],
           [0, 1, 0, 1]], dtype=int32)
    """
    x = as_value(A, "tile", 0)
    reps = check_shape(reps, "The repetitions given to tile")
    rank = max(len(reps), x.type.ndim)
    reps = (1,) * (rank - len(reps)) + reps
    x = shape_ops.expand_dims(x, tuple(range(rank - x.type.ndim)))
    sizes = x.type.shape
    between, places = [], []
    for n, times in zip(sizes, reps):
        if times.__class__ is not int or times != 1:
            between.append(times)
        places.append(len(between))
        between.append(n)
    x = broadcast_in_dim(x, tuple(between), tuple(places))
    return shape_ops.reshape(x, tuple([n * times for n, times in zip(sizes, reps)]))


def repeat(a, repeats, axis=None, *, total_repeat_length=None, out_sharding=None):
    """Each element several times: `repeats` times, or element i repeats[i] times.

    axis: along it (None: all elements in one dimension). total_repeat_length: the size of the result along the axis, needed
    where `repeats` is traced; a longer result is filled up with the last element, a shorter one cut off.
    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for negative repeats or
    another number of them than the axis has elements.

    >>> import gnomon.numpy as jnp
    >>> repeat(jnp.arange(3), jnp.array([1, 0, 2]))
    Array([0, 2, 2], dtype=int32)
    """
    if out_sharding is not None:
        return settle(repeat(a, repeats, axis, total_repeat_length=total_repeat_length), None, out_sharding)
    x = as_value(a, "repeat", 0)
    if axis is None:
        x, axis = ravel(x), 0
    x = to_1d(x)
    axis = one_axis(axis, x.type.ndim, "repeat")
    n = x.type.shape[axis]
    counts = repeats if not isinstance(repeats, _SEQUENCES) else np.asarray(repeats)
    if not isinstance(counts, Tracer):
        counts = np.asarray(counts)
        if counts.dtype.kind not in "iub":
            raise TypeError(f"repeat takes integer repeats, got {counts.dtype}.")
        if counts.size and counts.min() < 0:
            raise ValueError(f"repeat takes repeats of at least 0, got {counts.min()}.")
        if counts.ndim == 0 and total_repeat_length is None:
            return repeat_equally(x, int(counts), axis)
    elif total_repeat_length is None:
        raise_unknown_repeats(counts)
    rank = counts.ndim
    if total_repeat_length is not None:
        total_repeat_length = check_size(total_repeat_length, "The total_repeat_length given to repeat")
    if not n:
        return shape_ops.full(ArrayType((*x.type.shape[:axis], total_repeat_length or 0, *x.type.shape[axis + 1:]), x.type.dtype), 0)
    if rank > 1 or rank and counts.shape[0] not in (1, n):
        raise ValueError(f"repeat along an axis of size {n} takes one number of repeats or {n}, got shape {tuple(counts.shape)}.")
    if isinstance(counts, Tracer):
        return take_along_axis(x, repeated_places(broadcast(counts, (n,), "repeat"), total_repeat_length), axis)
    places = np.repeat(np.arange(n), np.broadcast_to(counts, (n,)))
    if total_repeat_length is not None:
        last = np.full(max(0, total_repeat_length - len(places)), max(n - 1, 0))
        places = np.concatenate([places, last])[:total_repeat_length]
    return take_along_axis(x, owned(places.astype(np.int32)), axis)


def raise_unknown_repeats(counts):
    try:
        np.asarray(counts)
    except Exception as error:
        raise type(error)(f"{error} In repeat, a traced `repeats` leaves the result's shape open: say it with "
                          "total_repeat_length.") from None
    raise ValueError("repeat needs total_repeat_length where `repeats` is traced.")


def repeat_equally(x, times, axis):
    sizes = x.type.shape
    between = (*sizes[:axis + 1], times, *sizes[axis + 1:])
    wide = broadcast_in_dim(x, between, tuple([i for i in range(len(between)) if i != axis + 1]))
    return shape_ops.reshape(wide, (*sizes[:axis], sizes[axis] * times, *sizes[axis + 1:]))


def repeated_places(counts, total):
    """Which element stands at each of `total` places if element i is repeated counts[i] times."""
    counts = convert_element_type(counts, np.dtype("int32"))
    n = counts.type.shape[0]
    starts = sub(cumsum(counts, 0), counts)
    marks = shape_ops.full(ArrayType((total,), counts.type.dtype), 0)
    ones = shape_ops.full(counts.type, 1)
    numbers = ScatterDimensionNumbers((), (0,), (0,))
    marks = scatter_add(marks, shape_ops.expand_dims(starts, (1,)), ones, numbers, mode=GatherScatterMode.FILL_OR_DROP)
    return sub(cumsum(marks, 0), full_scalar(counts, 1)) if n else marks


def take_along_axis(x, places, axis):
    """The parts of `x` at `places`, a vector of numbers in bounds, along an axis."""
    t = x.type
    rest = tuple([i for i in range(t.ndim) if i != axis])
    numbers = GatherDimensionNumbers(rest, (axis,), (axis,))
    sizes = tuple([1 if i == axis else n for i, n in enumerate(t.shape)])
    return gather(x, shape_ops.expand_dims(places, (1,)), numbers, sizes, mode=GatherScatterMode.CLIP)


def resize(a, new_shape):
    """As many elements as a shape needs, the array's elements over and over.

    Errors: TypeError for what is no array (lists included), ValueError for negative sizes.

    >>> import gnomon.numpy as jnp
    >>> resize(jnp.arange(3), (2, 2))
    Array([[0, 1],
           [2, 0]], dtype=int32)
    """
    x = ravel(as_value(a, "resize", 0))
    sizes = check_shape(new_shape, "The shape given to resize")
    wanted, have = math.prod(sizes), x.type.size
    if not have:
        return shape_ops.full(ArrayType(sizes, x.type.dtype), 0)
    x = tile(x, -(-wanted // have))
    return shape_ops.reshape(slice_in_dim(x, 0, wanted, 0), sizes)


# ---- order --------------------------------------------------------------------------------------------------------

def flip(m, axis=None):
    """Elements in reverse order along an axis, several, or all.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated.

    >>> import gnomon.numpy as jnp
    >>> flip(jnp.arange(3))
    Array([2, 1, 0], dtype=int32)
    """
    x = as_value(m, "flip", 0)
    axes = axis_tuple(axis, x.type.ndim, "flip")
    return slicing.rev(x, axes) if axes else x


def fliplr(m):
    """Columns in reverse order.

    Errors: TypeError for what is no array (lists included), AxisError for fewer than two dimensions.

    >>> import gnomon.numpy as jnp
    >>> fliplr(jnp.eye(2))
    Array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    return flip(m, 1)


def flipud(m):
    """Rows in reverse order.

    Errors: TypeError for what is no array (lists included), AxisError for arrays without dimensions.

    >>> import gnomon.numpy as jnp
    >>> flipud(jnp.eye(2))
    Array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    return flip(m, 0)


def rot90(m, k=1, axes=(0, 1)):
    """Turned by k times 90 degrees in the plane of two axes, from the first towards the second.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for anything but two
    different axes.

    >>> import gnomon.numpy as jnp
    >>> rot90(jnp.arange(4).reshape(2, 2))
    Array([[1, 3],
           [0, 2]], dtype=int32)
    """
    x = as_value(m, "rot90", 0)
    plane = [one_axis(a, x.type.ndim, "rot90", "axes") for a in sequence(axes, "rot90", "axes", "two axes")]
    if len(plane) != 2 or plane[0] == plane[1]:
        raise ValueError(f"rot90 turns in the plane of two different axes, got {axes}.")
    (first, second), k = plane, integer(k, "rot90", "k") % 4
    if k == 0:
        return x
    if k == 2:
        return flip(x, (first, second))
    return swapaxes(flip(x, second), first, second) if k == 1 else flip(swapaxes(x, first, second), second)


@recorded
def roll(a, shift, axis=None):
    """Elements moved along an axis by `shift` places; those that leave at the end come in at the start.

    axis: one, several (each with a shift, or one shift for all), or None for all elements in their order. `shift` may be traced.
    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError where shifts and axes
    differ in number.

    >>> import gnomon.numpy as jnp
    >>> roll(jnp.arange(4), 1)
    Array([3, 0, 1, 2], dtype=int32)
    """
    x = as_value(a, "roll", 0)
    if axis is None:
        return shape_ops.reshape(roll(ravel(x), shift, 0), x.type.shape)
    axes = tuple([one_axis(i, x.type.ndim, "roll") for i in (axis if hasattr(axis, "__iter__") else (axis,))])
    if isinstance(shift, _SEQUENCES):
        shifts = list(shift)
    elif np.ndim(shift):
        shifts = shifts_of(shift, x, axes) if isinstance(shift, Value) else shift.tolist()
    else:
        shifts = [shift]
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)) or not shifts and axes:
        raise ValueError(f"roll needs as many shifts as axes, got shift {shift} and axis {axis}.")
    if not axes:
        return x
    count = max(len(shifts), len(axes))
    for by, i in zip(shifts * (count // len(shifts)), axes * (count // len(axes))):
        x = roll_axis(x, by, i)
    return x


def shifts_of(shift, x, axes):
    """The shifts that an array holds; those along one axis as one, their sum."""
    n = x.type.shape[axes[0]] if len(axes) == 1 else 0
    if not n or not is_integer(shift.type.dtype) or shift.type.ndim != 1 or not 0 < shift.type.size * n < 2**31:
        return list(unstack(shift))
    return [reduce_sum(within_size(shift, n), (0,))]


def within_size(shift, n):
    """Shifts without whole turns, as int32."""
    wide = shift if shift.type.dtype.itemsize >= 4 else convert_element_type(shift, np.dtype("int32"))
    return convert_element_type(rem(wide, full_scalar(wide, n)), np.dtype("int32"))


def roll_axis(x, by, axis):
    n = x.type.shape[axis]
    if x.type.size == 0:
        return x
    if isinstance(by, Value):
        if not is_integer(by.type.dtype):
            raise TypeError(f"roll takes an integer shift, got a value of type {by.type}.")
        if by.__class__ is Array and local.frame is None:
            by = int(by)
        else:
            start = neg(within_size(by, n))
            start = select_n(lt(start, full_scalar(start, 0)), start, add(start, full_scalar(start, n)))
            zero = full_scalar(start, 0)
            return dynamic_slice(slicing.concatenate([x, x], axis), [start if i == axis else zero for i in range(x.type.ndim)],
                                 x.type.shape)
    by = integer(by, "roll", "shift")
    if n.__class__ is int:
        return rolling.roll(x, by, axis)
    by %= n
    if by == 0:
        return x
    return slicing.concatenate([slice_in_dim(x, n - by, n, axis), slice_in_dim(x, 0, n - by, axis)], axis)


# ---- adding and removing parts --------------------------------------------------------------------------------------

def known(obj):
    """Integer places as a NumPy array, or None where they are traced."""
    if isinstance(obj, Tracer):
        return None
    if isinstance(obj, _SEQUENCES) and any(isinstance(i, Tracer) for i in obj):
        return None
    return np.asarray(obj)


def delete(arr, obj, axis=None, *, assume_unique_indices=False):
    """Without the parts at places `obj` (an integer, a slice, integers, or a mask) along an axis.

    axis: None takes all elements in one dimension. Traced places are taken if there is one, or with
    assume_unique_indices=True: else the shape of the result would be open. IndexError for places out of bounds.
    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, IndexError for places out of
    bounds.

    >>> import gnomon.numpy as jnp
    >>> delete(jnp.arange(5), jnp.array([0, -1]))
    Array([1, 2, 3], dtype=int32)
    """
    x = as_value(arr, "delete", 0)
    if axis is None:
        x, axis = ravel(x), 0
    axis = one_axis(axis, x.type.ndim, "delete")
    n = x.type.shape[axis]
    if isinstance(obj, slice):
        return pieces(x, np.delete(np.arange(n), obj), axis)
    places = known(obj)
    if places is not None:
        return pieces(x, np.delete(np.arange(n), places if places.size else []), axis)
    places = as_array(obj, None, "delete")
    if not is_integer(places.type.dtype):
        raise TypeError(f"delete takes traced places that are integers, got a value of type {places.type}; a traced mask would leave "
                        "the result's shape open.")
    if places.type.ndim and not assume_unique_indices:
        raise Refused("delete does not know how many different places there are in a traced array, so the result's shape is open. "
                      "Pass assume_unique_indices=True if all differ.")
    places = wrap_negative(ravel(places), n)
    count = places.type.shape[0]
    # element i moves down by one for each deleted place at or before it: place p, the k-th smallest, covers i >= p - k
    column = shape_ops.expand_dims(places, (1,))
    smaller = reduce_sum(convert_element_type(lt(shape_ops.expand_dims(places, (0,)), column), places.type.dtype), (1,))
    kept = bind(Iota(places.type.dtype, (n - count,), 0))
    first = shape_ops.expand_dims(sub(places, smaller), (1,))
    moved = reduce_sum(convert_element_type(ge(shape_ops.expand_dims(kept, (0,)), first), places.type.dtype), (0,))
    return take_along_axis(x, add(kept, moved), axis)


def wrap_negative(places, n):
    """int32 places, counted from the front."""
    places = convert_element_type(places, np.dtype("int32"))
    return select_n(lt(places, full_scalar(places, 0)), places, add(places, full_scalar(places, n)))


def pieces(x, places, axis):
    """The parts of `x` at known places along an axis: slices forwards and backwards, one behind the other, if the places are
    few such runs, else gathered."""
    n = x.type.shape[axis]
    places = np.asarray(places)
    if len(places) == n and (places == np.arange(n)).all():
        return x
    if not len(places):
        return slice_in_dim(x, 0, 0, axis)
    runs = straight_runs(places.tolist())
    if len(runs) > 8:
        return take_along_axis(x, owned(places.astype(np.int32)), axis)
    parts = []
    for first, step, count in runs:
        last = first + step * (count - 1)
        if step == 0 and count > 1:
            part = slice_in_dim(x, first, first + 1, axis)
            sizes = part.type.shape
            parts.append(broadcast_in_dim(part, (*sizes[:axis], count, *sizes[axis + 1:]), tuple(range(len(sizes)))))
        elif first <= last:
            parts.append(slice_in_dim(x, first, last + 1, axis))
        else:
            parts.append(slicing.rev(slice_in_dim(x, last, first + 1, axis), (axis,)))
    return parts[0] if len(parts) == 1 else slicing.concatenate(parts, axis)


def straight_runs(places):
    """Places as (first, step, count) with steps of 1, -1 or 0."""
    runs = []
    for place in places:
        if runs:
            first, step, count = runs[-1]
            move = place - (first + step * (count - 1))
            if move in (1, -1, 0) and (count == 1 or move == step):
                runs[-1] = first, move, count + 1
                continue
        runs.append((place, 1, 1))
    return runs


def insert(arr, obj, values, axis=None):
    """With `values` put in before the places `obj` (an integer, a slice or integers, traced or not) along an axis.

    axis: None takes all elements in one dimension. Values are broadcast and converted to the array's dtype.
    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, IndexError for places out of
    bounds, ValueError where the values do not broadcast.

    >>> import gnomon.numpy as jnp
    >>> insert(jnp.arange(3), 1, 7)
    Array([0, 7, 1, 2], dtype=int32)
    """
    x, v = as_value(arr, "insert", 0), as_value(values, "insert", 2)
    if axis is None:
        x, axis = ravel(x), 0
    axis = one_axis(axis, x.type.ndim, "insert")
    v = convert_keep(v, x.type.dtype)
    n = x.type.shape[axis]
    places = np.arange(*obj.indices(n)) if isinstance(obj, slice) else known(obj)
    if places is None:
        places = as_array(obj, None, "insert")
        if not is_integer(places.type.dtype):
            raise TypeError(f"insert takes integer places where they are traced, got a value of type {places.type}.")
    elif places.dtype == bool:
        places = np.flatnonzero(places)
    elif places.size and places.dtype.kind not in "iu":
        raise TypeError(f"insert takes integer places, got {shown(obj)}.")
    rank = places.ndim
    if rank > 1:
        raise ValueError(f"insert takes one place or a vector of them, got shape {tuple(places.shape)}.")
    if rank == 0 and v.type.ndim:       # NumPy: one place takes a whole part
        v = moveaxis(broadcast(v, (1,) * (x.type.ndim - v.type.ndim) + v.type.shape, "insert"), 0, axis)
    count = places.shape[0] if rank else (v.type.shape[axis] if v.type.ndim == x.type.ndim else 1)
    if rank and places.shape[0] == 1 and v.type.ndim == x.type.ndim:
        count = v.type.shape[axis]
    v = broadcast(v, (*x.type.shape[:axis], count, *x.type.shape[axis + 1:]), "insert")
    if isinstance(places, Value):
        return insert_at(x, broadcast(ravel(places), (count,), "insert"), v, axis)
    if places.size and (places.min() < -n or places.max() > n):
        raise IndexError(f"insert got a place out of bounds for an axis of size {n}: {places.tolist()}.")
    places = np.broadcast_to(np.where(places < 0, places + n, places).astype(int).reshape(-1), (count,))
    source = np.insert(np.arange(n), places, n + np.arange(count))
    return take_along_axis(slicing.concatenate([x, v], axis), owned(source.astype(np.int32)), axis)


def insert_at(x, places, v, axis):
    """`v` inserted at traced places along an axis."""
    n, count = x.type.shape[axis], places.type.shape[0]
    places = wrap_negative(places, n)
    int32 = places.type.dtype
    order = bind(Iota(int32, (count,), 0))
    row, column = (lambda y: shape_ops.expand_dims(y, (0,))), (lambda y: shape_ops.expand_dims(y, (1,)))
    # a value lands behind those with a smaller place, or the same place and a smaller number
    key = add(mul(places, full_scalar(places, count)), order)
    ahead = reduce_sum(convert_element_type(lt(row(key), column(key)), int32), (1,))
    elements = bind(Iota(int32, (n,), 0))
    before = reduce_sum(convert_element_type(le(row(places), column(elements)), int32), (1,))
    source = shape_ops.full(ArrayType((n + count,), int32), 0)
    numbers = ScatterDimensionNumbers((), (0,), (0,))
    source = scatter(source, column(add(elements, before)), elements, numbers)
    source = scatter(source, column(add(places, ahead)), add(order, full_scalar(order, n)), numbers)
    return take_along_axis(slicing.concatenate([x, v], axis), source, axis)


def trim_zeros(filt, trim="fb", axis=None):
    """Without the zeros at the front ("f") and the back ("b"). The numbers decide about the shape, so they must not be traced.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated.

    >>> import gnomon.numpy as jnp
    >>> trim_zeros(jnp.array([0, 0, 1, 2, 0]))
    Array([1, 2], dtype=int32)
    """
    if not isinstance(trim, str):
        raise TypeError(f"trim_zeros takes trim 'f', 'b' or 'fb', got {shown(trim)}.")
    x = as_value(filt, "trim_zeros", 0)
    nonzero = np.asarray(x) != 0
    for i in axis_tuple(axis, x.type.ndim, "trim_zeros"):
        used = np.flatnonzero(nonzero.any(tuple(j for j in range(x.type.ndim) if j != i)))
        n = x.type.shape[i]
        first = (int(used[0]) if len(used) else n) if "f" in trim.lower() else 0
        last = (int(used[-1]) + 1 if len(used) else first) if "b" in trim.lower() else n
        x = slice_in_dim(x, first, max(first, last), i)
    return x
