"""Ops that are a name for a program of other ops."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.ir.jaxpr import Jaxpr
from gnomon.ir.op import NestedOp, field
from gnomon.ops.nested.call import Call, Jit, transpose_call, with_tangents
from gnomon.trace.build import program
from gnomon.trace.stage import inline
from gnomon.types.effect import PURE


class Composed(NestedOp, abstract=True):
    """Base of ops whose meaning is `compose(*values)`, a list of values of other ops. Types, derivatives and batching
    are those of that program; `lower` may be written, where StableHLO has the op itself."""

    holds_programs = False
    effects = PURE

    def programs(self):
        return ()

    def written_out(self, types):
        return program(types, lambda *xs: self.compose(*xs))

    def result(self, *ins):
        return self.written_out(ins).out_types

    def lower(self, emit, *xs):
        return emit.eqns(self.written_out([x.type for x in xs]), xs)

    def jvp(self, T, args, tangents):
        plain = self.written_out([a.type for a in args])
        jaxpr, has = T.jvp(plain, tuple(t is not None for t in tangents))
        moving = [t for t, v in zip(tangents, plain.invars) if t is not None and T.has_tangent(v.type)]
        return with_tangents(inline(jaxpr, (), [*args, *moving]), has)

    def transpose(self, T, cts, *args):
        return transpose_call(T, self.written_out([a.type for a in args]), cts, args,
                              lambda back, operands: inline(back, (), operands))

    def batch(self, T, args, axes, batching):
        types = [a.type if axis is None else a.type.with_shape(a.type.shape[:axis] + a.type.shape[axis + 1:])
                 for a, axis in zip(args, axes)]
        jaxpr, out_axes = T.vmap(self.written_out(types), tuple(axes), batching)
        return inline(jaxpr, (), args), out_axes


class Composite(Call):
    """A program under the name that a compiler may know a better implementation by; any other runs the program.
    `attributes` are pairs of a name and the text of a StableHLO attribute. Derivatives and batches of it are plain
    calls, since the name does not stand for them."""

    jaxpr: Jaxpr
    name: str
    version: int = field(0)
    attributes: tuple = field((), read=Refused("the attributes of a composite are printed without their types; make the program again from its function"))

    op_name = "composite"

    def of(self, jaxpr):
        return Jit(jaxpr, self.name)

    def result(self, *ins):
        return self.jaxpr.out_types

    def lower(self, emit, *xs):
        if emit.token is not None:
            return emit.call(self.jaxpr, xs, self.name)
        function = emit.module.function(self.jaxpr, self.name)
        attributes = ", ".join([f'"{name}" = {text}' for name, text in self.attributes])
        return emit.generic("stablehlo.composite", xs, f'composite_attributes = {{{attributes}}}, decomposition = @{function}, '
                                                       f'name = "{self.name}", version = {self.version} : i32')

