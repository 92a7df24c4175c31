"""Functions with a batching rule of their own: custom_vmap.

A rule is an object whose `program(T, size, batched)` is the program of the batched function: from the inputs, those in
`batched` with a new leading axis, to the outputs; and which outputs have that axis. The derivative of a call is a call of the
derivative whose rule is the derivative of the rule. What is kept for a reverse pass is batched by the ordinary rules.
"""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.base.lists import pick
from gnomon.ir.jaxpr import Eqn, Jaxpr
from gnomon.ir.op import NestedOp, field
from gnomon.ops.nested.call import Jit, with_tangents
from gnomon.trace.build import program
from gnomon.trace.stage import bind, inline


class VmapRule:
    """How a custom_vmap function is batched. Its program takes the call's inputs, what is closed over first."""

    def program(self, T, batching, batched):
        """(program, per output whether it is batched)."""
        raise NotImplementedError


class JvpOfVmapRule(VmapRule):
    """The rule of a custom_vmap function's forward derivative: (inputs, tangents where `nonzero`) -> (outputs, tangents where
    `has`)."""

    def __init__(self, rule, in_types, nonzero, has):
        self.rule, self.in_types, self.nonzero, self.has = rule, in_types, nonzero, has
        self.memo = {}

    def program(self, T, batching, batched):
        key = batching.key(), batched
        if key not in self.memo:
            self.memo[key] = self.derive(T, batching, batched)
        return self.memo[key]

    def derive(self, T, batching, batched):
        n = len(self.in_types)
        primal_batched, moving = batched[:n], iter(batched[n:])
        tangent_batched = [nz and next(moving) for nz in self.nonzero]
        both = tuple(p or t for p, t in zip(primal_batched, tangent_batched))
        wide, out_batched = self.rule.program(T, batching, both)
        moved, found = T.jvp(wide, self.nonzero, self.has)
        types = [*self.in_types, *[T.tangent_type(t) for t in pick(self.nonzero, self.in_types)]]
        wanted = [*both, *pick(self.nonzero, both)]

        def run(*xs):
            args = [batching.front(x, None) if want and not have else x for x, want, have in zip(xs, wanted, batched)]
            outs = inline(moved, (), args)
            outs, every = with_tangents(outs, found)
            return [*outs, *pick(self.has, every)]
        given = [batching.insert(t, 0) if b else t for t, b in zip(types, batched)]
        return program(given, run), (*out_batched, *pick(self.has, out_batched))


class CustomVmapCall(NestedOp):
    """A call of `call` that is batched by `rule`. The first `num_consts` inputs are closed over."""

    call: Jaxpr
    rule: VmapRule = field(show="never")
    name_: str = field("", show="never")
    num_consts: int = field(0, show="nondefault")

    def programs(self):
        return (self.call,)

    def plain(self):
        """The same call without the rule."""
        return Jit(self.call, self.name_)

    def result(self, *ins):
        return self.call.out_types

    def lower(self, emit, *xs):
        return emit.eqns(self.call, xs)

    def jvp(self, T, args, tangents):
        n = self.num_consts
        if any(t is not None for t in tangents[:n]):
            return self.plain().jvp(T, args, tangents)
        nonzero = tuple(t is not None and T.has_tangent(v.type) for t, v in zip(tangents, self.call.invars))
        call, has = T.jvp(self.call, nonzero)
        rule = JvpOfVmapRule(self.rule, self.call.in_types, nonzero, has)
        return with_tangents(bind(CustomVmapCall(call, rule, self.name_, n), *args, *pick(nonzero, tangents)), has)

    def split(self, T, eqn, unknown):
        call = self.plain()
        return call.split(T, Eqn(call, eqn.ins, eqn.outs, eqn.place), unknown)

    def transpose(self, T, cts, *args):
        return self.plain().transpose(T, cts, *args)

    def batch(self, T, args, axes, batching):
        n = self.num_consts
        if any(a is not None for a in axes[:n]):
            raise Refused(f"the function {self.name_} with a custom_vmap rule closes over a value being mapped; pass it as an argument "
                          "instead")
        wide, out_batched = self.rule.program(T, batching, tuple(a is not None for a in axes))
        args = [x if a is None else batching.front(x, a) for x, a in zip(args, axes)]
        return inline(wide, (), args), [0 if b else None for b in out_batched]
