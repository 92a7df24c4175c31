"""Products of groups of rows with matrices of their own."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon.base.errors import Refused
from gnomon.lax.contraction import canonical_numbers, dot_general
from gnomon.lax.shape import axis_of
from gnomon.numpy.promote import as_value
from gnomon.ops.arithmetic import sub
from gnomon.ops.compare import bitwise_and, ge, lt, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.cumulative import cumsum
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.shape import Iota, broadcast_in_dim, expand_dims, moveaxis
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_integer

__all__ = ["RaggedDotDimensionNumbers", "ragged_dot", "ragged_dot_general"]

_INT32 = np.dtype("int32")


class RaggedDotDimensionNumbers(NamedTuple):
    """`dot_dimension_numbers` as for dot_general; which dimension of lhs is cut into groups (one entry); which
    dimension of rhs counts groups (one entry where that of lhs is neither summed nor a batch dimension, else none)."""

    dot_dimension_numbers: tuple
    lhs_ragged_dimensions: tuple
    rhs_group_dimensions: tuple


def ragged_dot(lhs, rhs, group_sizes, precision=None, preferred_element_type=None, group_offset=None,
               out_sharding=None):
    """The rows of lhs, (m, k), times the matrices of rhs, (groups, k, n): the first group_sizes[0] rows times the first
    matrix and so on. Rows that belong to no group give zeros.

    >>> import gnomon.numpy as jnp
    >>> matrices = jnp.stack([jnp.ones((2, 1)), 2 * jnp.ones((2, 1))])
    >>> ragged_dot(jnp.ones((3, 2)), matrices, jnp.array([1, 2])).ravel().tolist()
    [2.0, 4.0, 4.0]
    """
    numbers = RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))
    return ragged_dot_general(lhs, rhs, group_sizes, numbers, precision, preferred_element_type, group_offset,
                              out_sharding)


def ragged_dot_general(lhs, rhs, group_sizes, ragged_dot_dimension_numbers, precision=None, preferred_element_type=None,
                       group_offset=None, out_sharding=None):
    """dot_general in which one dimension of lhs is cut into groups of consecutive places, of these sizes.

    Where that dimension is kept, each group meets its own part of rhs (`rhs_group_dimensions`). Where it is summed, the
    result has the sum of each group, along a new leading dimension. Where it is a batch dimension, groups make no
    difference.

    >>> import gnomon.numpy as jnp
    >>> sums = RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
    >>> ragged_dot_general(jnp.ones((3, 1)), jnp.ones((3, 1)), jnp.array([1, 2]), sums).ravel().tolist()
    [1.0, 2.0]
    """
    if group_offset is not None:
        raise Refused("ragged_dot takes no group_offset; slice rhs and group_sizes first.")
    x, y, sizes = as_value(lhs, "ragged_dot", 0), as_value(rhs, "ragged_dot", 1), as_value(group_sizes, "ragged_dot", 2)
    numbers = ragged_dot_dimension_numbers
    if not isinstance(numbers, RaggedDotDimensionNumbers):
        raise TypeError(f"ragged_dot_general takes RaggedDotDimensionNumbers as its ragged_dot_dimension_numbers, got {numbers!r}.")
    (lc, rc), (lb, rb) = canonical_numbers(numbers.dot_dimension_numbers, x.type, y.type)
    if len(numbers.lhs_ragged_dimensions) != 1:
        raise ValueError(f"ragged_dot cuts one dimension of lhs into groups, got lhs_ragged_dimensions "
                         f"{numbers.lhs_ragged_dimensions}.")
    ragged = axis_of(numbers.lhs_ragged_dimensions[0], x.type.ndim, "ragged_dot")
    options = dict(precision=precision, preferred_element_type=preferred_element_type, out_sharding=out_sharding)
    if ragged in lb:
        return dot_general(x, y, ((lc, rc), (lb, rb)), **options)
    if sizes.type.ndim != 1 or not is_integer(sizes.type.dtype):
        raise Refused(f"ragged_dot takes group_sizes as one vector of integers, got {sizes.type}; map over its other "
                      f"dimensions with gnomon.vmap.")
    grouped = by_group(x, ragged, sizes)
    lc, lb = tuple([d + 1 for d in lc]), tuple([d + 1 for d in lb])
    if ragged + 1 in lc:
        out = dot_general(grouped, y, ((lc, rc), (lb, rb)), **options)
        return moveaxis(out, len(lb), 0)
    if len(numbers.rhs_group_dimensions) != 1:
        raise ValueError(f"ragged_dot needs the one dimension of rhs that counts groups, got rhs_group_dimensions "
                         f"{numbers.rhs_group_dimensions}.")
    group = axis_of(numbers.rhs_group_dimensions[0], y.type.ndim, "ragged_dot")
    if y.type.shape[group] != sizes.type.shape[0]:
        raise ValueError(f"ragged_dot needs a size for each group: rhs has {y.type.shape[group]}, group_sizes "
                         f"{sizes.type.shape[0]}.")
    return dot_general(grouped, y, (((0, *lc), (group, *rc)), (lb, rb)), **options)


def by_group(x, axis, sizes):
    """The array once for each group, in front, with zeros at the places along the axis that are not the group's."""
    shape, groups = x.type.shape, sizes.type.shape[0]
    ends = cumsum(convert_element_type(sizes, _INT32), 0)
    starts = sub(ends, convert_element_type(sizes, _INT32))
    place = bind(Iota(_INT32, (groups, shape[axis]), 1))
    inside = bitwise_and(ge(place, expand_dims(starts, (1,))), lt(place, expand_dims(ends, (1,))))
    wide = (groups, *shape)
    inside = broadcast_in_dim(inside, wide, (0, axis + 1))
    return select_n(inside, full_scalar(x, 0), broadcast_in_dim(x, wide, tuple(range(1, len(wide)))))
