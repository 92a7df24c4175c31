"""jit as an op: a call of a program."""
from __future__ import annotations

from gnomon.base.lists import partition, pick, spread
from gnomon.ir.jaxpr import Eqn, Jaxpr, Literal, Var, intern
from gnomon.ir.op import NestedOp, field, is_linear
from gnomon.ops.nested.guard import guarded
from gnomon.trace.build import program
from gnomon.trace.stage import bind, inline
from gnomon.types.value_type import RefType


class Call(NestedOp, abstract=True):
    """Base of ops that call one program, `jaxpr`, and stay the same call under every transform; `of(jaxpr)` is the same call of
    another program."""

    def programs(self):
        return (self.jaxpr,)

    def jvp(self, T, args, tangents):
        nonzero = tuple(t is not None for t in tangents)
        jaxpr, has = T.jvp(self.jaxpr, nonzero)
        moving = [T.has_tangent(v.type) and nz for v, nz in zip(self.jaxpr.invars, nonzero)]
        return with_tangents(bind(self.of(jaxpr), *args, *pick(moving, tangents)), has)

    def transpose(self, T, cts, *args):
        return transpose_call(T, self.jaxpr, cts, args, lambda back, operands: bind(self.of(back), *operands))

    def discharge(self, D, args, refs):
        return discharge_call(D, self.jaxpr, args, lambda made: bind(self.of(made), *args))

    def batch(self, T, args, axes, batching):
        jaxpr, out_axes = T.vmap(self.jaxpr, tuple(axes), batching)
        return bind(self.of(jaxpr), *args), out_axes

    def guard(self, flag, args):
        return bind(self.of(guarded(self.jaxpr)), flag, *args)


def discharge_call(D, jaxpr, args, call):
    """A call of `jaxpr` on values; `call(program)` runs the program without references."""
    made, written = D(jaxpr, stays(args))
    outs, n = call(made), len(jaxpr.outvars)
    return outs[:n], dict(zip(written, outs[n:]))


def stays(args):
    """Which operands stay references."""
    return tuple([a.type.__class__ is RefType for a in args])


def with_tangents(outs, has):
    """(outputs, their tangents): what a program that `T.jvp` made gives, where `has` says which outputs have a tangent."""
    return outs[:len(has)], spread(has, outs[len(has):])


def transpose_call(T, jaxpr, cts, args, call):
    """A cotangent or None per operand of a call of `jaxpr`; `call(program, operands)` runs the transposed program."""
    linear = tuple(is_linear(a) for a in args)
    back, has = T.transpose(jaxpr, linear, tuple(c is not None for c in cts), False)
    outs = call(back, [*[a for a in args if not is_linear(a)], *[c for c in cts if c is not None]])
    return spread(linear, spread(has, outs))


class Jit(Call):
    """Calls `jaxpr`. `name` is the function's, `inline` asks that it be written into its caller."""

    jaxpr: Jaxpr
    name: str = field("")
    inline: bool = field(False, show="nondefault")
    keep: bool = field(False, show="nondefault")         # do not let the compiler inline the call

    op_name = "jit"         # `name` is the function's
    parameter_order = ("name", "jaxpr")

    def of(self, jaxpr):
        return Jit(jaxpr, self.name, self.inline, self.keep)

    def result(self, *ins):
        for v, t in zip(self.jaxpr.invars, ins, strict=True):
            if v.type.strong is not t.strong:
                raise TypeError(f"{self.name or 'jit'} takes a value of type {v.type} but is given one of type {t}.")
        return self.jaxpr.out_types

    def lower(self, emit, *xs):
        if self.inline:
            return emit.eqns(self.jaxpr, xs)
        return emit.call(self.jaxpr, xs, self.name, False if self.keep else None)

    def split(self, T, eqn, unknown):
        early, later, late, count = T.split(self.jaxpr, unknown)
        known_in, unknown_in = partition(unknown, eqn.ins)
        known_out, unknown_out = partition(late, eqn.outs)
        residuals, forwarded = residual_vars(early, known_in, known_out, count)
        first = Eqn(self.of(early), tuple(known_in), (*known_out, *residuals), eqn.place)
        if forwarded:
            first = without_outputs(first, forwarded, self.of)
        residuals = [forwarded.get(r, r) for r in residuals]
        second = Eqn(self.of(later), (*residuals, *unknown_in), tuple(unknown_out), eqn.place)
        return [first], [second], late


def residual_vars(early, known_in, known_out, count):
    """Variables for the residuals of a split call, and those among them that are the call's own inputs or outputs passed
    through (residual -> the outer variable that already holds it)."""
    n = len(early.outvars) - count
    outer = dict(zip(early.invars, known_in))
    for inner, out in zip(early.outvars[:n], known_out):
        outer.setdefault(inner, out)
    residuals, forwarded = [], {}
    for v in early.outvars[n:]:
        r = Var(v.type)
        residuals.append(r)
        if v in outer:
            forwarded[r] = outer[v]
    return residuals, forwarded


def without_outputs(eqn, dropped, of):
    """The call without the outputs in `dropped`."""
    jaxpr = eqn.op.jaxpr
    kept = [(inner, outer) for inner, outer in zip(jaxpr.outvars, eqn.outs) if outer not in dropped]
    smaller = intern(Jaxpr((), jaxpr.invars, jaxpr.eqns, [inner for inner, _ in kept]))
    return Eqn(of(smaller), eqn.ins, tuple(outer for _, outer in kept), eqn.place)


def flatten_calls(jaxpr):
    """The program with the calls in it written out, so that a policy sees the ops inside."""
    def run(*xs):
        env = dict(zip(jaxpr.invars, xs))

        def read(v):
            return v if v.__class__ is Literal else env[v]
        for e in jaxpr.eqns:
            args = [read(v) for v in e.ins]
            if isinstance(e.op, Jit):
                outs = inline(flatten_calls(e.op.jaxpr), (), args)
            else:
                outs = bind(e.op, *args)
                outs = outs if e.op.multiple else [outs]
            env.update(zip(e.outs, outs))
        return [read(v) for v in jaxpr.outvars]
    return program(jaxpr.in_types, run)
