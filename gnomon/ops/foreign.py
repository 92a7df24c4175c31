"""Calls of compiled functions that are not XLA's own: ffi_call."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.ir.op import Op, field, result_types
from gnomon.ops.callback import batched_call
from gnomon.types.effect import CALLBACK, PURE

NO_RULE = Refused("a foreign function has no derivative of its own; give the function around it a custom_jvp or custom_vjp rule, or put "
                  "stop_gradient on its inputs")


class FfiCall(Op):
    """Calls the foreign function `target_name`, which reads and writes arrays in row-major order. `attributes` are pairs of a name and
    the text of a StableHLO attribute, `input_output_aliases` pairs (input, output) that may share memory."""

    target_name: str
    result_types: tuple = field(show="never", read=result_types)
    attributes: tuple = field((), read=Refused("the attributes of a foreign call are printed without their types; make the program again from its function"))
    has_side_effect: bool = field(False, show="nondefault")
    vmap_method: str | None = field(None)
    input_output_aliases: tuple = field((), show="nondefault")

    multiple = True
    derivative = NO_RULE
    transpose = NO_RULE

    @property
    def effects(self):
        return CALLBACK if self.has_side_effect else PURE

    def result(self, *ins):
        return self.result_types

    def lower(self, emit, *xs):
        config = ", ".join([f'"{name}" = {text}' for name, text in self.attributes])
        several = len(self.result_types) > 1
        aliases = ", ".join([f"#stablehlo.output_operand_alias<output_tuple_indices = [{o if several else ''}], operand_index = {i}, "
                             "operand_tuple_indices = []>" for i, o in self.input_output_aliases])
        asked = [f"output_operand_aliases = [{aliases}]"] * bool(aliases) + ["has_side_effect = true"] * self.has_side_effect
        return emit.custom_call(self.target_name, xs, self.result_types, config, ", ".join(asked))

    def batch(self, args, axes, batching):
        return batched_call(self, args, axes, batching, self.vmap_method)
