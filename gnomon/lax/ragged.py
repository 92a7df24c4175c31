"""Products of groups of rows with matrices of their own."""
from __future__ import annotations

from typing import NamedTuple

from gnomon.api.places import reshard
from gnomon.lax.contraction import canonical_numbers
from gnomon.lax.shape import axis_of
from gnomon.numpy.promote import as_value, requested_dtype
from gnomon.ops.dot import canonical_precision
from gnomon.ops.nested.ragged_dot import RaggedDotGeneral
from gnomon.trace.stage import bind

__all__ = ["RaggedDotDimensionNumbers", "ragged_dot", "ragged_dot_general"]

class RaggedDotDimensionNumbers(NamedTuple):
    """`dot_dimension_numbers` as for dot_general; which dimension of lhs is cut into groups (one entry); which
    dimension of rhs counts groups (one entry where that of lhs is neither summed nor a batch dimension, else none)."""

    dot_dimension_numbers: tuple
    lhs_ragged_dimensions: tuple
    rhs_group_dimensions: tuple


def ragged_dot(lhs, rhs, group_sizes, precision=None, preferred_element_type=None, group_offset=None,
               out_sharding=None):
    """The rows of lhs, (m, k), times the matrices of rhs, (groups, k, n): the first group_sizes[0] rows times the first
    matrix and so on. Rows that belong to no group give zeros. With `group_offset`, one integer, rhs has the matrices from that group on.

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
    difference. `group_sizes` is a vector, or has in front of it the batch dimensions and those of lhs that stand before the
    one that is cut, and are kept or summed as it is. With `group_offset`, one integer, rhs has the groups from there on, and
    those before and behind them give zeros. TypeError or ValueError for sizes and dimensions that do not fit.

    >>> import gnomon.numpy as jnp
    >>> sums = RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
    >>> ragged_dot_general(jnp.ones((3, 1)), jnp.ones((3, 1)), jnp.array([1, 2]), sums).ravel().tolist()
    [1.0, 2.0]
    """
    x, y, sizes = as_value(lhs, "ragged_dot", 0), as_value(rhs, "ragged_dot", 1), as_value(group_sizes, "ragged_dot", 2)
    offset = () if group_offset is None else (as_value(group_offset, "ragged_dot", 6),)
    if not isinstance(ragged_dot_dimension_numbers, tuple) or len(ragged_dot_dimension_numbers) != 3:
        raise TypeError("ragged_dot_general takes RaggedDotDimensionNumbers as its ragged_dot_dimension_numbers, got "
                        f"{ragged_dot_dimension_numbers!r}.")
    pairs, ragged, groups = ragged_dot_dimension_numbers
    if len(ragged) != 1:
        raise ValueError(f"ragged_dot cuts one dimension of lhs into groups, got lhs_ragged_dimensions {ragged}.")
    numbers = (canonical_numbers(pairs, x.type, y.type), (axis_of(ragged[0], x.type.ndim, "ragged_dot"),),
               tuple([axis_of(d, y.type.ndim, "ragged_dot") for d in groups]))
    kind = None if preferred_element_type is None else requested_dtype(preferred_element_type)
    op = RaggedDotGeneral(RaggedDotDimensionNumbers(*numbers), canonical_precision(precision), kind)
    out, = bind(op, x, y, sizes, *offset)
    return out if out_sharding is None else reshard(out, out_sharding)
