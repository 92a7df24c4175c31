"""custom_linear_solve: the solution of a linear system whose author says how to solve it."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.ir.jaxpr import Jaxpr
from gnomon.ir.op import NestedOp, field, is_linear
from gnomon.ops.arithmetic import neg, sub
from gnomon.ops.nested.guard import guarded
from gnomon.ops.shape import zeros
from gnomon.trace.stage import bind, inline


class LinearSolve(NestedOp):
    """The x with matvec(consts, x) = b, as `solve(consts, b)` finds it.

    All programs take the same first `num_consts` inputs. `vecmat` is the transpose of `matvec`, `transpose_solve` solves with it; both are
    None where they are not known. Behind the solution, of which there are as many values as of b, `solve` may return others."""

    matvec: Jaxpr = field(show="never")
    vecmat: object = field(show="never")
    solve: Jaxpr
    transpose_solve: object = field(show="never")
    num_consts: int

    name = "custom_linear_solve"

    def programs(self):
        return tuple(p for p in (self.matvec, self.vecmat, self.solve, self.transpose_solve) if p is not None)

    @property
    def effects(self):
        return self.solve.effects

    def result(self, *ins):
        return self.solve.out_types

    def lower(self, emit, *xs):
        return emit.eqns(self.solve, xs)

    def jvp(self, T, args, tangents):
        n = self.num_consts
        consts, moving = args[:n], tangents[:n]
        outs = bind(self, *args)
        count = len(args) - n
        x, aux = outs[:count], len(outs) - count
        push = list(tangents[n:])
        nonzero = tuple(t is not None for t in moving)
        if any(nonzero):
            moved, has = T.jvp(self.matvec, (*nonzero, *(False,) * count))
            found = iter(inline(moved, (), [*consts, *x, *[t for t in moving if t is not None]])[count:])
            for i, h in enumerate(has):
                if h:
                    t = next(found)
                    push[i] = neg(t) if push[i] is None else sub(push[i], t)
        if all(p is None for p in push):
            return outs, [None] * len(outs)
        push = [zeros(b.type) if p is None else p for p, b in zip(push, args[n:])]
        return outs, [*bind(self, *consts, *push)[:count], *[None] * aux]

    def guard(self, flag, args):
        programs = [p and guarded(p) for p in (self.matvec, self.vecmat, self.solve, self.transpose_solve)]
        return bind(LinearSolve(*programs, self.num_consts + 1), flag, *args)

    def transpose(self, T, cts, *args):
        n = self.num_consts
        if self.transpose_solve is None:
            raise Refused("the solution of a custom_linear_solve cannot be differentiated in reverse without transpose_solve; give it, or "
                          "say symmetric=True")
        if any(is_linear(a) for a in args[:n]):
            raise Refused("the solution of a linear system is not linear in the matrix, so it can only be differentiated forward first "
                          "(grad and vjp do that)")
        count = len(args) - n
        cts = [zeros(a.type) if ct is None else ct for ct, a in zip(cts[:count], args[n:])]
        flipped = LinearSolve(self.vecmat, self.matvec, self.transpose_solve, self.solve, n)
        return [*[None] * n, *bind(flipped, *args[:n], *cts)[:count]]

    def batch(self, T, args, axes, batching):
        n = self.num_consts
        wide = [batching.front(b, a) for b, a in zip(args[n:], axes[n:])]
        inside = (*axes[:n], *(0,) * len(wide))

        def batched(jaxpr):
            return jaxpr and T.vmap(jaxpr, inside, batching, (True,) * len(jaxpr.outvars))[0]
        op = LinearSolve(batched(self.matvec), batched(self.vecmat), batched(self.solve), batched(self.transpose_solve), n)
        outs = bind(op, *args[:n], *wide)
        return outs, [0] * len(outs)
