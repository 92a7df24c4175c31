"""Shapes: broadcasting, reshaping, permuting, counting, filling."""
from __future__ import annotations

import math
import operator


from gnomon.api.places import device_put, explicit, reshard
from gnomon.base.tree import tree_map
from gnomon.numpy.axes import integer
from gnomon.numpy.promote import as_value, requested_dtype
from gnomon.ops import shape as ops
from gnomon.ops.convert import convert_element_type
from gnomon.ops.stacking import Stack
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_inexact, is_key
from gnomon.types.sharding import PartitionSpec, Sharding
from gnomon.types.size import broadcast_sizes, check_shape
from gnomon.types.value_type import ArrayType

__all__ = [
    "broadcast", "broadcast_in_dim", "broadcast_like", "broadcast_shapes", "broadcast_to_rank", "broadcasted_iota",
    "collapse",
    "empty", "expand_dims", "full", "full_like", "iota", "reshape", "shape_as_value", "squeeze", "stop_gradient", "transpose",
]


def integers(values, what):
    """A tuple of Python ints; TypeError naming the argument otherwise."""
    try:
        return tuple([operator.index(v) for v in values])
    except TypeError as error:
        if type(error) is not TypeError:        # a traced value knows better why it is none
            raise
        raise TypeError(f"{what} must be a sequence of integers, got {values!r}.") from None


def axis_of(axis, ndim, what):
    """An axis counted from the front; ValueError where there is none."""
    axis = integer(axis, what, "axis")
    if not -ndim <= axis < ndim:
        raise ValueError(f"{what}: axis {axis} is out of bounds for an array of {ndim} dimensions.")
    return axis + ndim if axis < 0 else axis


def axes_of(axes, ndim, what):
    """Different axes counted from the front."""
    out = tuple([axis_of(a, ndim, what) for a in integers(axes, f"{what}'s dimensions")])
    if len(set(out)) != len(out):
        raise ValueError(f"{what}: a dimension is named twice in {tuple(axes)}.")
    return out


def broadcast(operand, sizes, *, out_sharding=None):
    """Adds leading dimensions of the given sizes; the operand is repeated along them.

    >>> import gnomon.numpy as jnp
    >>> broadcast(jnp.arange(3), (2,)).tolist()
    [[0, 1, 2], [0, 1, 2]]
    """
    x = as_value(operand, "broadcast")
    sizes = check_shape(sizes, "The sizes given to broadcast")
    dims = tuple(range(len(sizes), len(sizes) + x.type.ndim))
    return broadcast_in_dim(x, sizes + x.type.shape, dims, out_sharding=out_sharding)


def broadcast_in_dim(operand, shape, broadcast_dimensions, *, out_sharding=None):
    """The operand with its dimension i at place `broadcast_dimensions[i]` of a result of this shape; dimensions of size
    1 are repeated, as is everything along the others. TypeError where sizes do not fit; `broadcast_dimensions` ascend.

    >>> import gnomon.numpy as jnp
    >>> broadcast_in_dim(jnp.arange(2), (2, 3), (0,)).tolist()
    [[0, 0, 0], [1, 1, 1]]
    """
    x = as_value(operand, "broadcast_in_dim")
    shape = check_shape(shape, "The shape given to broadcast_in_dim")
    dims = integers(broadcast_dimensions, "broadcast_dimensions")
    ascending = all(a < b for a, b in zip(dims, dims[1:]))
    if len(dims) != x.type.ndim or not ascending or any(not 0 <= d < len(shape) for d in dims):
        raise ValueError(f"broadcast_in_dim needs one dimension of the result per dimension of {x.type}, ascending, "
                         f"between 0 and {len(shape) - 1}; got broadcast_dimensions {dims}.")
    if out_sharding is None:
        return ops.broadcast_in_dim(x, shape, dims)
    sharding = explicit(out_sharding, len(shape), "broadcast_in_dim")
    if sharding is None:            # it says that nothing is sharded
        x = reshard(x, PartitionSpec()) if x.type.sharding is not None else x
    return bind(ops.BroadcastInDim(shape, dims, sharding), x)


def broadcast_like(arr, like_arr):
    """`arr` repeated to the shape of `like_arr`: dimensions are added in front, those of size 1 repeated.

    >>> import gnomon.numpy as jnp
    >>> broadcast_like(jnp.arange(2), jnp.zeros((2, 2))).tolist()
    [[0, 1], [0, 1]]
    """
    x, shape = as_value(arr, "broadcast_like"), as_value(like_arr, "broadcast_like").type.shape
    if x.type.ndim > len(shape):
        raise ValueError(f"broadcast_like cannot bring a value of type {x.type} to the shape {shape}, which has fewer dimensions.")
    return ops.broadcast_in_dim(x, shape, tuple(range(len(shape) - x.type.ndim, len(shape))))


def broadcast_shapes(*shapes):
    """The shape that these shapes broadcast to by NumPy's rules. ValueError where they do not.

    >>> broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    shapes = [check_shape(s, "A shape given to broadcast_shapes") for s in shapes]
    found = broadcast_sizes(shapes)
    if found is None:
        raise ValueError(f"Incompatible shapes for broadcasting: {', '.join(map(str, shapes))}.")
    return found


def broadcast_to_rank(x, rank):
    """The array with dimensions of size 1 added in front, up to this rank. ValueError where it has more.

    >>> import gnomon.numpy as jnp
    >>> broadcast_to_rank(jnp.arange(3), 2).shape
    (1, 3)
    """
    x = as_value(x, "broadcast_to_rank")
    missing = integer(rank, "broadcast_to_rank", "rank") - x.type.ndim
    if missing < 0:
        raise ValueError(f"broadcast_to_rank cannot bring a value of type {x.type} to rank {rank}.")
    return ops.expand_dims(x, tuple(range(missing)))


def collapse(operand, start_dimension, stop_dimension=None):
    """Merges the dimensions from `start_dimension` up to but not including `stop_dimension` (default: all behind it)
    into one.

    >>> import gnomon.numpy as jnp
    >>> collapse(jnp.zeros((2, 3, 4)), 1).shape
    (2, 12)
    """
    x = as_value(operand, "collapse")
    low, high, _ = slice(start_dimension, stop_dimension).indices(x.type.ndim)
    if low > high:
        raise ValueError(f"collapse: start_dimension {start_dimension} stands behind stop_dimension {stop_dimension}.")
    shape = x.type.shape
    return ops.reshape(x, shape[:low] + (math.prod(shape[low:high]),) + shape[high:])


def reshape(operand, new_sizes, dimensions=None, *, out_sharding=None):
    """The same elements in row-major order under another shape. `dimensions` permutes the operand first. TypeError
    where the number of elements differs.

    >>> import gnomon.numpy as jnp
    >>> reshape(jnp.arange(4), (2, 2)).tolist()
    [[0, 1], [2, 3]]
    """
    x = as_value(operand, "reshape")
    new_sizes = check_shape(new_sizes, "The new shape given to reshape")
    if dimensions is not None:
        x = transpose(x, dimensions)
    if out_sharding is not None:
        sharding = explicit(out_sharding, len(new_sizes), "reshape")
        if sharding is None and x.type.sharding is not None:        # it says that nothing is sharded
            x = reshard(x, PartitionSpec())
        return bind(ops.Reshape(new_sizes, None, sharding), x)
    return ops.reshape(x, new_sizes)


def transpose(operand, permutation):
    """The dimensions in another order: dimension i of the result is dimension `permutation[i]` of the operand.

    >>> import gnomon.numpy as jnp
    >>> transpose(jnp.zeros((2, 3)), (1, 0)).shape
    (3, 2)
    """
    x, permutation = as_value(operand, "transpose"), integers(permutation, "transpose's permutation")
    if permutation == tuple(range(x.type.ndim)):
        return x
    return bind(ops.Transpose(permutation), x)


def squeeze(array, dimensions):
    """Drops dimensions of size 1; ValueError where one is larger.

    >>> import gnomon.numpy as jnp
    >>> squeeze(jnp.zeros((1, 3, 1)), (0, -1)).shape
    (3,)
    """
    x = as_value(array, "squeeze")
    return ops.squeeze(x, tuple(sorted(axes_of(dimensions, x.type.ndim, "squeeze"))))


def expand_dims(array, dimensions):
    """Adds dimensions of size 1 at these places of the result.

    >>> import gnomon.numpy as jnp
    >>> expand_dims(jnp.zeros(3), (0, 2)).shape
    (1, 3, 1)
    """
    x = as_value(array, "expand_dims")
    dimensions = integers(dimensions, "expand_dims' dimensions")
    return ops.expand_dims(x, axes_of(dimensions, x.type.ndim + len(dimensions), "expand_dims"))


def iota(dtype, size):
    """0, 1, ..., size - 1.

    >>> iota("int32", 3).tolist()
    [0, 1, 2]
    """
    return broadcasted_iota(dtype, (size,), 0)


def broadcasted_iota(dtype, shape, dimension, *, out_sharding=None):
    """Counts along one dimension of a new array.

    >>> broadcasted_iota("int32", (2, 3), 1).tolist()
    [[0, 1, 2], [0, 1, 2]]
    """
    shape = check_shape(shape, "The shape given to iota")
    return bind(ops.Iota(requested_dtype(dtype), shape, axis_of(dimension, len(shape), "iota"),
                         explicit(out_sharding, len(shape), "iota")))


def full(shape, fill_value, dtype=None, *, sharding=None):
    """A new array with one value everywhere. ValueError where `fill_value` is no scalar.

    >>> full((2,), 7).tolist()
    [7, 7]
    """
    shape = check_shape(shape, "The shape given to full")
    value = as_value(fill_value, "full")
    if value.type.ndim:
        raise ValueError(f"full takes a scalar fill_value, got one of type {value.type}.")
    if dtype is not None and not is_key(value.type.dtype):
        value = convert_element_type(value, requested_dtype(dtype))
    return placed(ops.broadcast_in_dim(value, shape), sharding, "full")


def placed(x, sharding, what):
    """The value where an argument `sharding` says."""
    if sharding is None:
        return x
    if not isinstance(sharding, (Sharding, PartitionSpec)):
        raise TypeError(f"{what} takes a Sharding or a PartitionSpec as its sharding, got {sharding!r}.")
    return reshard(x, sharding) if isinstance(sharding, PartitionSpec) else device_put(x, sharding)


def full_like(x, fill_value, dtype=None, shape=None, sharding=None):
    """A new array with one value everywhere, of the shape and dtype of `x` unless given.

    >>> import gnomon.numpy as jnp
    >>> full_like(jnp.zeros((2, 2)), 1).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    t = getattr(x, "type", None)
    if t is None:
        t = x if hasattr(x, "shape") and hasattr(x, "dtype") else as_value(x, "full_like").type
    weak = dtype is None and getattr(t, "weak_type", False)
    dtype = requested_dtype(t.dtype if dtype is None else dtype)
    shape = check_shape(t.shape if shape is None else shape, "The shape given to full_like")
    value = as_value(fill_value, "full_like")
    if value.type.ndim:
        raise ValueError(f"full_like takes a scalar fill_value, got one of type {value.type}.")
    if not is_key(dtype):
        value = convert_element_type(value, dtype, weak)
    of_type = getattr(t, "sharding", None) if sharding is None and t.__class__ is ArrayType and shape == t.shape else None
    if of_type is not None:
        return bind(ops.BroadcastInDim(shape, (), of_type), value)
    return placed(ops.broadcast_in_dim(value, shape), sharding, "full_like")


def empty(shape, dtype, *, out_sharding=None):
    """A new array; its elements are zeros.

    >>> empty((2,), "int32").shape
    (2,)
    """
    return full(shape, 0, dtype, sharding=out_sharding)


def shape_as_value(shape):
    """A shape as a vector of integers, int32 while enable_x64 is off.

    >>> shape_as_value((2, 3)).tolist()
    [2, 3]
    """
    sizes = [as_value(n, "shape_as_value") for n in check_shape(shape, "The shape given to shape_as_value")]
    if not sizes:
        return full((0,), 0, "int32")
    return bind(Stack(0), *[convert_element_type(n, requested_dtype(int)) for n in sizes])


def stop_gradient(x):
    """The tree as it is, its floats with a derivative of zero.

    >>> import gnomon
    >>> float(gnomon.grad(lambda x: x * stop_gradient(x))(3.0))
    3.0
    """
    def stop(leaf):
        value = as_value(leaf, "stop_gradient")
        return bind(_stop_gradient, value) if is_inexact(value.type.dtype) else leaf
    return tree_map(stop, x)


_stop_gradient = ops.StopGradient()
