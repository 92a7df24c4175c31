"""Cutting arrays, padding them, joining them and reversing them."""
from __future__ import annotations

import numpy as np

from gnomon.ir.jaxpr import Literal
from gnomon.lax.shape import axes_of, axis_of, integers
from gnomon.numpy.axes import integer
from gnomon.numpy.promote import as_value
from gnomon.numpy.recorded import recorded
from gnomon.ops import shape as shape_ops
from gnomon.ops import slicing as ops
from gnomon.ops.arithmetic import add
from gnomon.ops.compare import lt, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.indexing import PROMISE_IN_BOUNDS, GatherDimensionNumbers, gather
from gnomon.ops.stacking import Stack, Tile, Unstack
from gnomon.trace.stage import bind
from gnomon.trace.value import Value
from gnomon.types.dtype import iinfo, is_integer, is_signed
from gnomon.types.size import check_shape, check_size
from gnomon.types.value_type import ArrayType

__all__ = [
    "concatenate", "dynamic_index_in_dim", "dynamic_slice", "dynamic_slice_in_dim", "dynamic_update_index_in_dim",
    "dynamic_update_slice", "dynamic_update_slice_in_dim", "index_in_dim", "index_take", "pad", "rev", "slice",
    "slice_in_dim",
    "split", "stack", "tile", "unstack",
]

_INT32, _INT64 = np.dtype("int32"), np.dtype("int64")


# ---- fixed places -------------------------------------------------------------------------------------------------

def slice(operand, start_indices, limit_indices, strides=None):
    """The elements from `start_indices` up to but not including `limit_indices`, every `strides`-th: one of each per
    dimension, 0 <= start <= limit <= size. TypeError where they do not fit.

    >>> import gnomon.numpy as jnp
    >>> slice(jnp.arange(10), (1,), (8,), (3,)).tolist()
    [1, 4, 7]
    """
    x = as_value(operand, "slice")
    starts, limits = check_bounds(start_indices), check_bounds(limit_indices)
    steps = None if strides is None else integers(strides, "slice's strides")
    if steps is not None and all(s == 1 for s in steps):
        steps = None
    return bind(ops.Slice(starts, limits, steps), x)


def check_bounds(values):
    """Bounds as ints or symbolic sizes."""
    if not isinstance(values, (tuple, list, np.ndarray)):
        raise TypeError(f"slices and pieces take a sequence of integers as their bounds, got {values!r}.")
    return tuple([v if v.__class__ is int else v if hasattr(v, "free_symbols") else integer(v, "a slice", "bound") for v in values])


def slice_in_dim(operand, start_index, limit_index, stride=1, axis=0):
    """`x[start:limit:stride]` along one dimension; negative bounds count from the end, None is the end itself.

    >>> import gnomon.numpy as jnp
    >>> slice_in_dim(jnp.arange(5), 1, -1).tolist()
    [1, 2, 3]
    """
    x = as_value(operand, "slice_in_dim")
    axis = axis_of(axis, x.type.ndim, "slice_in_dim")
    size = x.type.shape[axis]
    start = 0 if start_index is None else start_index
    limit = size if limit_index is None else limit_index
    start = start + size if isinstance(start, int) and start < 0 else start
    limit = limit + size if isinstance(limit, int) and limit < 0 else limit
    return ops.slice_in_dim(x, *check_bounds((start, limit)), axis, integer(stride, "slice_in_dim", "stride"))


def index_in_dim(operand, index, axis=0, keepdims=True):
    """`x[index]` along one dimension, which stays with size 1 unless `keepdims` is False. IndexError out of bounds.

    >>> import gnomon.numpy as jnp
    >>> index_in_dim(jnp.arange(5), -1).tolist()
    [4]
    """
    x = as_value(operand, "index_in_dim")
    axis = axis_of(axis, x.type.ndim, "index_in_dim")
    size, index = x.type.shape[axis], integer(index, "index_in_dim", "index")
    place = index + size if index < 0 else index
    if not 0 <= place < size:
        raise IndexError(f"index_in_dim: index {index} is out of bounds for axis {axis} of a value of type {x.type}.")
    out = ops.slice_in_dim(x, place, place + 1, axis)
    return out if keepdims else shape_ops.squeeze(out, (axis,))


def index_take(src, idxs, axes):
    """The elements at index arrays: `idxs` holds one array of places per axis of `axes`, all of one shape (n,), in
    bounds. The result has a leading dimension n and then the other dimensions of `src`.

    >>> import gnomon.numpy as jnp
    >>> index_take(jnp.arange(6).reshape(2, 3), [jnp.array([0, 1]), jnp.array([2, 0])], (0, 1)).tolist()
    [2, 3]
    """
    x = as_value(src, "index_take")
    axes = axes_of(axes, x.type.ndim, "index_take")
    if not isinstance(idxs, (tuple, list)) or len(idxs) != len(axes) or not axes:
        raise TypeError(f"index_take takes a sequence with one array of places for each of its axes {axes}, at least one, got {idxs!r}.")
    columns = [shape_ops.expand_dims(as_value(i, "index_take"), (1,)) for i in idxs]
    indices = ops.concatenate(columns, 1)
    rank, shape = x.type.ndim, x.type.shape
    numbers = GatherDimensionNumbers(tuple(range(1, rank - len(axes) + 1)), tuple(sorted(axes)), axes)
    sizes = tuple([1 if d in axes else n for d, n in enumerate(shape)])
    return gather(x, indices, numbers, sizes, PROMISE_IN_BOUNDS)


def pad(operand, padding_value, padding_config):
    """The operand with a scalar around and between its elements. `padding_config` has per dimension how many go before,
    behind and between two elements; where the first two are negative, elements are cut off.

    >>> import gnomon.numpy as jnp
    >>> pad(jnp.arange(3), 9, [(1, -1, 1)]).tolist()
    [9, 0, 9, 1, 9]
    """
    x, value = as_value(operand, "pad"), as_value(padding_value, "pad")
    if value.type.weak_type and value.type.dtype != x.type.dtype:
        value = convert_element_type(value, x.type.dtype, True)
    if not hasattr(padding_config, "__iter__"):
        raise TypeError(f"pad takes a sequence of three integers per dimension as its padding_config, got {padding_config!r}.")
    return bind(ops.Pad(tuple([check_bounds(c) for c in padding_config])), x, value)


def concatenate(operands, dimension):
    """Arrays of one dtype, one behind the other along `dimension`. TypeError where the other dimensions differ.

    >>> import gnomon.numpy as jnp
    >>> concatenate([jnp.arange(2), jnp.arange(3)], 0).tolist()
    [0, 1, 0, 1, 2]
    """
    xs = several(operands, "concatenate")
    return ops.concatenate(xs, integer(dimension, "concatenate", "dimension"))


def several(operands, name):
    """The values of a sequence of arrays, of which there is at least one."""
    if not hasattr(operands, "__len__") or getattr(operands, "shape", None) == ():
        raise TypeError(f"{name} takes a sequence of arrays, got {operands!r}.")
    if len(operands) == 0:
        raise ValueError(f"{name} needs at least one array, got none.")
    return [as_value(x, name, i) for i, x in enumerate(operands)]


def stack(operands, axis=0):
    """Arrays of one type, one behind the other along a new dimension.

    >>> import gnomon.numpy as jnp
    >>> stack([jnp.arange(2), jnp.arange(2)], 1).tolist()
    [[0, 0], [1, 1]]
    """
    xs = several(operands, "stack")
    return bind(Stack(axis_of(axis, xs[0].type.ndim + 1, "stack")), *xs)


def unstack(x, axis=0):
    """The slices of an array along one dimension, which they lack, as a tuple.

    >>> import gnomon.numpy as jnp
    >>> [part.tolist() for part in unstack(jnp.arange(4).reshape(2, 2), 1)]
    [[0, 2], [1, 3]]
    """
    x = as_value(x, "unstack")
    return tuple(bind(Unstack(axis_of(axis, x.type.ndim, "unstack")), x))


def tile(operand, reps):
    """The operand repeated `reps[i]` times along dimension i, one number per dimension.

    >>> import gnomon.numpy as jnp
    >>> tile(jnp.arange(2), (2,)).tolist()
    [0, 1, 0, 1]
    """
    x, reps = as_value(operand, "tile"), check_shape(reps, "The repetitions given to tile")
    return bind(Tile(reps), x)


def split(operand, sizes, axis=0):
    """Pieces of these sizes along one dimension, as a list; the sizes add up to the dimension's.

    >>> import gnomon.numpy as jnp
    >>> [part.tolist() for part in split(jnp.arange(5), (2, 3))]
    [[0, 1], [2, 3, 4]]
    """
    x = as_value(operand, "split")
    return ops.split(x, check_bounds(sizes), axis_of(axis, x.type.ndim, "split"))


def rev(operand, dimensions):
    """The elements in reverse order along these dimensions.

    >>> import gnomon.numpy as jnp
    >>> rev(jnp.arange(3), (0,)).tolist()
    [2, 1, 0]
    """
    x = as_value(operand, "rev")
    return ops.rev(x, axes_of(dimensions, x.type.ndim, "rev"))


# ---- places known only when running -------------------------------------------------------------------------------

def start_values(what, x, start_indices, allow_negative):
    """One integer scalar per dimension, all of one dtype, negative ones counted from the end where allowed."""
    shape = x.type.shape
    if isinstance(start_indices, (Value, np.ndarray)) and getattr(start_indices, "ndim", 0) == 1:
        array = as_value(start_indices, what)
        n = array.type.shape[0]
        starts = [shape_ops.squeeze(ops.slice_in_dim(array, i, i + 1, 0), (0,)) for i in range(n)] \
            if isinstance(start_indices, Value) else list(start_indices)
    elif isinstance(start_indices, (tuple, list)):
        starts = list(start_indices)
    else:
        raise TypeError(f"{what} needs start_indices as a sequence or a 1-dimensional array, got {start_indices!r}.")
    if len(starts) != len(shape):
        raise TypeError(f"{what} needs one start index per dimension of {x.type}, got {len(starts)}.")
    allow = allow_negative if isinstance(allow_negative, (tuple, list)) else (allow_negative,) * len(starts)
    if len(allow) != len(starts) or not all([isinstance(a, (bool, np.bool_)) for a in allow]):
        raise TypeError(f"{what} takes True or False as allow_negative_indices, or one of them per dimension of {x.type}, got "
                        f"{allow_negative!r}.")
    dtype, met, values = _INT32, None, []
    for s in starts:
        if s.__class__ is not int and (isinstance(s, bool) or not isinstance(s, (np.integer, int))):
            s = as_value(s, what)
            t = s.type
            if t.shape or not is_integer(t.dtype):
                raise TypeError(f"{what} needs integer scalars as start indices, got one of type {t}.")
            if t.dtype.itemsize == 8:
                dtype = _INT64
            met = t.dtype if met is None or met == t.dtype else False       # the one dtype of all, if it is one
        values.append(s)
    if met and met != dtype and all([n <= int(iinfo(met).max) for n in shape]):
        dtype = met
    scalar = ArrayType((), dtype)
    return [counted_from_front(s, n, scalar, ok) for s, n, ok in zip(values, shape, allow)]


def counted_from_front(start, size, scalar, allow_negative):
    if not isinstance(start, Value):
        start = int(start)
        if start < 0 and allow_negative:
            start = start + size
        low, high = (0 if not is_signed(scalar.dtype) else -size), int(iinfo(scalar.dtype).max)
        return shape_ops.full(scalar, min(max(start, low), high))
    negative = is_signed(start.type.dtype) and allow_negative
    value = convert_element_type(start, scalar.dtype)
    if not negative:
        return value
    t = start.type
    return select_n(lt(start, Literal(0, ArrayType((), t.dtype, t.weak_type))), value, add(value, shape_ops.full(scalar, size)))


@recorded
def dynamic_slice(operand, start_indices, slice_sizes, *, allow_negative_indices=True):
    """A block of fixed sizes from a place that may be traced: one integer scalar per dimension, or a 1-dimensional
    array of them. The place is moved so far that the block lies inside. Negative indices count from the end, unless
    told otherwise.

    >>> import gnomon.numpy as jnp
    >>> dynamic_slice(jnp.arange(5), (jnp.int32(4),), (2,)).tolist()
    [3, 4]
    """
    x = as_value(operand, "dynamic_slice")
    starts = start_values("dynamic_slice", x, start_indices, allow_negative_indices)
    return ops.dynamic_slice(x, starts, check_shape(slice_sizes, "dynamic_slice's slice_sizes"))


@recorded
def dynamic_update_slice(operand, update, start_indices, *, allow_negative_indices=True):
    """The operand with a block written over at a place that may be traced; see `dynamic_slice`.

    >>> import gnomon.numpy as jnp
    >>> dynamic_update_slice(jnp.arange(5), jnp.array([7, 8]), (1,)).tolist()
    [0, 7, 8, 3, 4]
    """
    x, u = as_value(operand, "dynamic_update_slice"), as_value(update, "dynamic_update_slice")
    if u.type.dtype != x.type.dtype and u.type.weak_type:
        u = convert_element_type(u, x.type.dtype)
    starts = start_values("dynamic_update_slice", x, start_indices, allow_negative_indices)
    return ops.dynamic_update_slice(x, u, starts)


def along_axis(x, index, axis):
    return [index if d == axis else 0 for d in range(x.type.ndim)]


@recorded
def dynamic_slice_in_dim(operand, start_index, slice_size, axis=0, *, allow_negative_indices=True):
    """`dynamic_slice` along one dimension, whole along the others.

    >>> import gnomon.numpy as jnp
    >>> dynamic_slice_in_dim(jnp.arange(5), 1, 2).tolist()
    [1, 2]
    """
    x = as_value(operand, "dynamic_slice_in_dim")
    axis = axis_of(axis, x.type.ndim, "dynamic_slice_in_dim")
    sizes = ops.insert(x.type.shape[:axis] + x.type.shape[axis + 1:], axis, check_size(slice_size, "slice_size"))
    return dynamic_slice(x, along_axis(x, start_index, axis), sizes, allow_negative_indices=allow_negative_indices)


@recorded
def dynamic_index_in_dim(operand, index, axis=0, keepdims=True, *, allow_negative_indices=True):
    """`x[index]` along one dimension for an index that may be traced; the dimension stays with size 1 unless `keepdims`
    is False.

    >>> import gnomon.numpy as jnp
    >>> dynamic_index_in_dim(jnp.arange(5), jnp.int32(3), keepdims=False).tolist()
    3
    """
    out = dynamic_slice_in_dim(operand, index, 1, axis, allow_negative_indices=allow_negative_indices)
    return out if keepdims else shape_ops.squeeze(out, (axis_of(axis, out.type.ndim, "dynamic_index_in_dim"),))


@recorded
def dynamic_update_slice_in_dim(operand, update, start_index, axis, *, allow_negative_indices=True):
    """`dynamic_update_slice` at a place along one dimension.

    >>> import gnomon.numpy as jnp
    >>> dynamic_update_slice_in_dim(jnp.arange(4), jnp.array([9]), 2, 0).tolist()
    [0, 1, 9, 3]
    """
    x = as_value(operand, "dynamic_update_slice_in_dim")
    axis = axis_of(axis, x.type.ndim, "dynamic_update_slice_in_dim")
    return dynamic_update_slice(x, update, along_axis(x, start_index, axis),
                                allow_negative_indices=allow_negative_indices)


@recorded
def dynamic_update_index_in_dim(operand, update, index, axis, *, allow_negative_indices=True):
    """`x` with `update` written at an index of one dimension; the update may lack the dimension.

    >>> import gnomon.numpy as jnp
    >>> dynamic_update_index_in_dim(jnp.arange(4), 9, jnp.int32(0), 0).tolist()
    [9, 1, 2, 3]
    """
    x, u = as_value(operand, "dynamic_update_index_in_dim"), as_value(update, "dynamic_update_index_in_dim")
    axis = axis_of(axis, x.type.ndim, "dynamic_update_index_in_dim")
    if u.type.ndim != x.type.ndim:
        u = shape_ops.expand_dims(u, (axis,))
    return dynamic_update_slice_in_dim(x, u, index, axis, allow_negative_indices=allow_negative_indices)
