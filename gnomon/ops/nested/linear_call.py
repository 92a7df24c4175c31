"""linear_call: a linear function whose transpose its author gives."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.ir.jaxpr import Jaxpr
from gnomon.ir.op import NestedOp, field, is_linear
from gnomon.ops.shape import zeros
from gnomon.trace.build import program
from gnomon.trace.stage import bind, inline


class LinearCall(NestedOp):
    """`callee` maps (residuals, linear inputs) to outputs, linearly in the latter; `transposed` maps (residuals, cotangents of the
    outputs) to cotangents of the linear inputs. The first `num_res` inputs are the residuals."""

    callee: Jaxpr
    num_res: int
    transposed: Jaxpr = field(show="never")

    def programs(self):
        return self.callee, self.transposed

    @property
    def effects(self):
        return self.callee.effects

    def result(self, *ins):
        return self.callee.out_types

    def lower(self, emit, *xs):
        return emit.eqns(self.callee, xs)

    def jvp(self, T, args, tangents):
        n = self.num_res
        if any(t is not None for t in tangents[:n]):
            raise Refused("linear_call cannot be differentiated with respect to its residual arguments, since only its linear arguments "
                          "have a derivative; use custom_jvp or custom_vjp for a derivative in both")
        moved = [zeros(T.tangent_type(x.type)) if t is None else t for x, t in zip(args[n:], tangents[n:])]
        return bind(self, *args), bind(self, *args[:n], *moved)

    def transpose(self, T, cts, *args):
        n = self.num_res
        if any(is_linear(a) for a in args[:n]):
            raise Refused("linear_call cannot be transposed with respect to its residual arguments; pass them as linear arguments")
        cts = [zeros(T.tangent_type(t)) if ct is None else ct for ct, t in zip(cts, self.callee.out_types)]
        return [*[None] * n, *bind(LinearCall(self.transposed, n, self.callee), *args[:n], *cts)]

    def batch(self, T, args, axes, batching):
        n = self.num_res
        callee, found = T.vmap(self.callee, tuple(axes), batching)
        mapped = tuple(a is not None for a in found)
        callee, _ = T.vmap(self.callee, tuple(axes), batching, mapped)
        # a cotangent of an input that is the same in all lanes is the sum over the lanes
        ct_axes = (*axes[:n], *[0 if m else None for m in mapped])
        wide, back_axes = T.vmap(self.transposed, ct_axes, batching)

        def run(*xs):
            return [batching.fit(ct, a, to) for ct, a, to in zip(inline(wide, (), xs), back_axes, axes[n:], strict=True)]
        return bind(LinearCall(callee, n, program(wide.in_types, run)), *args), [0 if m else None for m in mapped]
