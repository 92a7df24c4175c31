"""ragged_all_to_all: rows sent between the positions of a named axis, as many as each says."""
from __future__ import annotations

import numpy as np

from gnomon.ops.arithmetic import add, mul, sub
from gnomon.ops.collectives import on_names, show_axes
from gnomon.ops.collectives_moving import AllGather, AllToAll
from gnomon.ops.compare import bitwise_and, eq, ge, lt, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import CLIP, GatherDimensionNumbers, gather
from gnomon.ops.nested.composed import Composed
from gnomon.ops.reductions import ReduceOr, argmax
from gnomon.ops.shape import Iota, broadcast_in_dim, reduce_sum, reshape
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_integer

INT32 = np.dtype("int32")


class RaggedAllToAll(Composed):
    """Each position sends `send_sizes[j]` rows of its operand, from `input_offsets[j]` on, to position j, where they stand from
    `output_offsets[j]` on; the other rows of the result are those of the output given. Operands: operand, output, input_offsets,
    send_sizes, output_offsets, recv_sizes. Every position gets all operands and takes its rows."""

    axis_name: tuple
    axis_index_groups: object
    axis_size: int

    name = "ragged_all_to_all"
    show_parameter = show_axes
    names = property(lambda self: self.axis_name)
    effects = on_names

    def check(self, operand, output, *vectors):
        if not operand.ndim or operand.dtype != output.dtype or operand.shape[1:] != output.shape[1:]:
            raise ValueError(f"{self.name} needs an operand and an output that agree in dtype and in all dimensions but the first, got "
                             f"{operand} and {output}.")
        axis = self.axis_name[0] if len(self.axis_name) == 1 else self.axis_name
        for called, v in zip(("input_offsets", "send_sizes", "output_offsets", "recv_sizes"), vectors, strict=True):
            if v.shape != (self.axis_size,) or not is_integer(v.dtype):
                raise ValueError(f"{self.name} needs {called} to be {self.axis_size} integers, one for each position of {axis!r}, got {v}.")

    def compose(self, operand, output, *vectors):
        self.check(*[v.type for v in (operand, output, *vectors)])
        exchange = AllToAll(self.axis_index_groups, self.axis_name, 0, 0, True, self.axis_size)
        # what each position sends here: its rows from `first` on, `count` of them, to the place `to`
        first, count, to = [convert_element_type(bind(exchange, v), INT32) for v in vectors[:3]]
        rows, places, n = operand.type.shape[0], output.type.shape[0], self.axis_size
        grid = places, n
        place, sender = bind(Iota(INT32, grid, 0)), bind(Iota(INT32, grid, 1))
        wide = [broadcast_in_dim(v, grid, (1,)) for v in (first, count, to)]
        sent = bitwise_and(ge(place, wide[2]), lt(place, add(wide[2], wide[1])))
        # two that send to one place: the first one's rows stand there
        sent = bitwise_and(sent, eq(sender, broadcast_in_dim(argmax(sent, 1), grid, (0,))))
        where = add(mul(sender, full_scalar(sender, rows)), sub(add(wide[0], place), wide[2]))
        where = reduce_sum(select_n(sent, full_scalar(where, 0), where), (1,))
        everything = bind(AllGather(0, self.axis_index_groups, self.axis_name, n, True), operand)
        row = operand.type.shape[1:]
        numbers = GatherDimensionNumbers(tuple(range(1, len(row) + 1)), (0,), (0,))
        found = gather(everything, reshape(where, (places, 1)), numbers, (1, *row), CLIP)
        received = broadcast_in_dim(bind(ReduceOr((1,)), sent), output.type.shape, (0,))
        return [select_n(received, output, found)]
