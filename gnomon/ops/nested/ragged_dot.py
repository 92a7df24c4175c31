"""ragged_dot_general: products in which one dimension of lhs is cut into groups."""
from __future__ import annotations

import numpy as np

from gnomon.ir.op import field
from gnomon.ops.arithmetic import add, sub
from gnomon.ops.compare import bitwise_and, ge, lt, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.cumulative import cumsum
from gnomon.ops.dot import DotAlgorithmPreset, DotGeneral, Precision
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import take_along
from gnomon.ops.nested.composed import Composed
from gnomon.ops.shape import Iota, broadcast_in_dim, moveaxis, reshape, transpose
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_integer

INT32 = np.dtype("int32")


class RaggedDotGeneral(Composed):
    """dot_general in which a dimension of lhs is cut into groups of consecutive places. Operands: lhs, rhs, the sizes of the groups and,
    where rhs has a part of them only, the place of its first one.

    The sizes are a vector, the same everywhere, or have in front of it the dimensions `prefix` of lhs."""

    ragged_dot_dimension_numbers: tuple
    precision: Precision | DotAlgorithmPreset | tuple | None = field(None)
    preferred_element_type: object = field(None)

    @property
    def numbers(self):
        return self.ragged_dot_dimension_numbers

    def prefix(self, ndim):
        """The dimensions of lhs, in the order in which they stand in front in the sizes: those of its kind before the ragged one, behind
        batch dimensions."""
        ((lc, _), (lb, _)), (ragged,), _ = self.numbers
        if ragged in lb:
            return lb[:lb.index(ragged)]
        if ragged in lc:
            return (*lb, *lc[:lc.index(ragged)])
        return (*lb, *[d for d in range(ragged) if d not in lc and d not in lb])

    def check(self, x, y, sizes, *offset):
        ((_, _), (lb, _)), (ragged,), groups = self.numbers
        prefix = tuple([x.shape[d] for d in self.prefix(x.ndim)])
        if not is_integer(sizes.dtype) or not sizes.ndim or sizes.ndim > 1 and sizes.shape[:-1] != prefix:
            wanted = ", ".join([*map(str, prefix), "number of groups"])
            raise TypeError(f"ragged_dot takes group_sizes of integers and of shape (number of groups,){f' or ({wanted})' if prefix else ''}, "
                            f"got {sizes}.")
        if ragged in lb or ragged in self.numbers[0][0][0]:
            if offset:
                raise ValueError("ragged_dot takes a group_offset only where rhs counts groups; slice group_sizes instead.")
            return
        if len(groups) != 1 or not 0 <= groups[0] < y.ndim:
            raise ValueError(f"ragged_dot needs the one dimension of rhs that counts groups, got rhs_group_dimensions {groups}.")
        have, said = y.shape[groups[0]], sizes.shape[-1]
        if have != said and not (offset and have < said):
            raise ValueError(f"ragged_dot needs a size for each group: rhs has {have}, group_sizes {said}.")
        if offset and (offset[0].size != 1 or not is_integer(offset[0].dtype)):
            raise TypeError(f"ragged_dot takes one integer as its group_offset, got {offset[0]}.")

    def compose(self, x, y, sizes, *offset):
        self.check(*[v.type for v in (x, y, sizes, *offset)])
        ((lc, rc), (lb, rb)), (ragged,), group = self.numbers
        if ragged in lb:
            return [self.dot(((lc, rc), (lb, rb)), x, y)]
        sizes, prefix = convert_element_type(sizes, INT32), self.prefix(x.type.ndim) if sizes.type.ndim > 1 else ()
        ends = cumsum(sizes, sizes.type.ndim - 1)
        starts = sub(ends, sizes)
        if offset:
            starts, ends = [from_group(v, offset[0], y.type.shape[group[0]]) for v in (starts, ends)]
        grouped = by_group(x, ragged, starts, ends, prefix)
        lc, lb = tuple([d + 1 for d in lc]), tuple([d + 1 for d in lb])
        if ragged + 1 in lc:
            return [moveaxis(self.dot(((lc, rc), (lb, rb)), grouped, y), len(lb), 0)]
        return [self.dot((((0, *lc), (*group, *rc)), (lb, rb)), grouped, y)]

    def dot(self, numbers, x, y):
        return bind(DotGeneral(numbers, self.precision, self.preferred_element_type), x, y)


def from_group(x, offset, count):
    """`count` entries along the last dimension, from the place `offset` on."""
    shape = x.type.shape
    place = add(bind(Iota(INT32, (count,), 0)), reshape(convert_element_type(offset, INT32), ()))
    return take_along(x, broadcast_in_dim(place, (*shape[:-1], count), (len(shape) - 1,)), len(shape) - 1)


def by_group(x, axis, starts, ends, prefix):
    """The array once for each group, in front, with zeros at the places along the axis that are not the group's. The bounds of groups are
    along the last dimension of `starts` and `ends`, behind the dimensions `prefix` of the array."""
    shape = x.type.shape
    wide = (starts.type.shape[-1], *shape)
    place = bind(Iota(INT32, wide, axis + 1))
    dims = (*[d + 1 for d in prefix], 0)
    order = sorted(range(len(dims)), key=dims.__getitem__)
    starts, ends = [broadcast_in_dim(transpose(v, tuple(order)), wide, tuple(sorted(dims))) for v in (starts, ends)]
    inside = bitwise_and(ge(place, starts), lt(place, ends))
    return select_n(inside, full_scalar(x, 0), broadcast_in_dim(x, wide, tuple(range(1, len(wide)))))
