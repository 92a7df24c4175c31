"""Functions with derivative rules of their own: custom_jvp, custom_vjp.

A rule is an object that stages the user's rule as a program on demand (`JvpRule`, `VjpRules`); batching an op batches
its rules by wrapping them, so that they are staged only if they are needed.
"""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.base.lists import pick, spread
from gnomon.ir.jaxpr import Jaxpr
from gnomon.ir.op import NestedOp, field
from gnomon.ir.specialize import specialized
from gnomon.ops.nested.call import Jit, discharge_call, transpose_call, with_tangents
from gnomon.ops.nested.guard import guarded
from gnomon.ops.shape import zeros
from gnomon.trace.build import program
from gnomon.trace.stage import bind, inline
from gnomon.types.effect import PURE
from gnomon.types.value_type import has_tangent


class JvpRule:
    """How a custom_jvp function moves. `stage(nonzero, T)` gives a program (inputs, tangents where nonzero) -> (outputs,
    tangents) and which outputs have one; the user's function is staged once per set of moving inputs."""

    def stage(self, nonzero, T):
        raise NotImplementedError

    def for_sizes(self, numbers):
        """The rule of the program that is made for sizes (`ir.specialize`)."""
        return SizedJvpRule(self, numbers)


class SizedJvpRule(JvpRule):
    """The rule of a function with symbolic sizes, staged with them, for given ones."""

    def __init__(self, rule, numbers):
        self.rule, self.numbers = rule, numbers

    def stage(self, nonzero, T):
        jaxpr, has = self.rule.stage(nonzero, T)
        return specialized(jaxpr, self.numbers), has


class BatchedJvpRule(JvpRule):
    def __init__(self, rule, axes, batching, out_batched):
        self.rule, self.axes, self.batching, self.out_batched = rule, axes, batching, out_batched
        self.memo = {}

    def stage(self, nonzero, T):
        if nonzero not in self.memo:
            jaxpr, has = self.rule.stage(nonzero, T)
            axes = (*self.axes, *pick(nonzero, self.axes))
            wanted = (*self.out_batched, *pick(has, self.out_batched))
            self.memo[nonzero] = T.vmap(jaxpr, axes, self.batching, wanted)[0], has
        return self.memo[nonzero]


class GuardedJvpRule(JvpRule):
    """The rule of a function that is given a flag first, where its loops run."""

    def __init__(self, rule):
        self.rule = rule

    def stage(self, nonzero, T):
        jaxpr, has = self.rule.stage(nonzero[1:], T)
        return guarded(jaxpr), has


class CustomCall(NestedOp, abstract=True):
    """Base of calls of `call_jaxpr` whose derivative is a rule of the user's. The first `num_consts` inputs are closed over.

    `batched(jaxpr, axes, batching, wanted)` is the op for the batched program, its rules batched too, and `guarded(jaxpr)` that for a
    program with a flag in front."""

    def programs(self):
        return (self.call_jaxpr,)

    def result(self, *ins):
        return self.call_jaxpr.out_types

    def lower(self, emit, *xs):
        return emit.eqns(self.call_jaxpr, xs)

    def moving(self, tangents):
        """Which inputs move; Refused where one that is closed over does."""
        if any(t is not None for t in tangents[:self.num_consts]):
            raise Refused(f"the function {self.name_} with a {self.name.removesuffix('_call')} rule closes over a value being "
                          "differentiated; pass it as an argument instead")
        return tuple(t is not None for t in tangents)

    def discharge(self, D, args, refs):
        if not any(refs):
            return discharge_call(D, self.call_jaxpr, args, lambda made: bind(self.replace(call_jaxpr=made), *args))
        if not D.whole:
            raise Refused(f"the function {self.name_} with a {self.name.removesuffix('_call')} rule is given a mutable reference that "
                          "is read or written in the function being transformed; give it the value, ref[...]")
        return discharge_call(D, self.call_jaxpr, args, lambda made: bind(Jit(made, self.name_), *args))

    def guard(self, flag, args):
        return bind(self.guarded(guarded(self.call_jaxpr)), flag, *args)

    def batch(self, T, args, axes, batching):
        axes = tuple(axes)
        wanted = tuple(a is not None for a in T.vmap(self.call_jaxpr, axes, batching)[1])
        jaxpr, _ = T.vmap(self.call_jaxpr, axes, batching, wanted)
        return bind(self.batched(jaxpr, axes, batching, wanted), *args), [0 if w else None for w in wanted]


class CustomJvpCall(CustomCall):
    """A call of `call_jaxpr` whose forward derivative is `rule`."""

    call_jaxpr: Jaxpr
    rule: JvpRule = field(show="never")
    name_: str = field("", show="never")
    num_consts: int = field(0, show="nondefault")
    symbolic_zeros: bool = field(False)

    name = "custom_jvp_call"

    def jvp(self, T, args, tangents):
        jaxpr, has = self.rule.stage(self.moving(tangents), T)
        return with_tangents(inline(jaxpr, (), [*args, *[t for t in tangents if t is not None]]), has)

    def transpose(self, T, cts, *args):
        return transpose_call(T, self.call_jaxpr, cts, args, lambda back, operands: inline(back, (), operands))

    def batched(self, jaxpr, axes, batching, wanted):
        return self.replace(call_jaxpr=jaxpr, rule=BatchedJvpRule(self.rule, axes, batching, wanted))

    def guarded(self, jaxpr):
        return self.replace(call_jaxpr=jaxpr, rule=GuardedJvpRule(self.rule), num_consts=self.num_consts + 1)


class VjpRules:
    """How a custom_vjp function is run backward.

    `forward(nonzero, T)` -> (program inputs -> (outputs, residuals), number of residuals);
    `backward(nonzero, has_ct, T)` -> (program (residuals, cotangents of the outputs that can have one and `has_ct`) -> cotangents of the
    inputs that have one, per input whether it has one). Without `symbolic_zeros` all `has_ct`."""

    symbolic_zeros = False

    def forward(self, nonzero, T):
        raise NotImplementedError

    def backward(self, nonzero, has_ct, T):
        raise NotImplementedError

    def for_sizes(self, numbers):
        """The rules of the program that is made for sizes (`ir.specialize`)."""
        return SizedVjpRules(self, numbers)


class SizedVjpRules(VjpRules):
    """The rules of a function with symbolic sizes, staged with them, for given ones."""

    def __init__(self, rules, numbers):
        self.rules, self.numbers, self.symbolic_zeros = rules, numbers, rules.symbolic_zeros

    def forward(self, nonzero, T):
        jaxpr, count = self.rules.forward(nonzero, T)
        return specialized(jaxpr, self.numbers), count

    def backward(self, nonzero, has_ct, T):
        self.rules.forward(nonzero, T)          # which says what the residuals are
        jaxpr, has = self.rules.backward(nonzero, has_ct, T)
        return specialized(jaxpr, self.numbers), has


class BatchedVjpRules(VjpRules):
    def __init__(self, rules, axes, batching, out_batched):
        self.rules, self.axes, self.batching, self.out_batched = rules, axes, batching, out_batched
        self.symbolic_zeros = rules.symbolic_zeros
        self.memo = {}

    def forward(self, nonzero, T):
        key = ("forward", nonzero)
        if key not in self.memo:
            jaxpr, count = self.rules.forward(nonzero, T)
            _, found = T.vmap(jaxpr, self.axes, self.batching)
            wanted = (*self.out_batched, *[a is not None for a in found[len(self.out_batched):]])
            self.memo[key] = (T.vmap(jaxpr, self.axes, self.batching, wanted)[0], count)
            self.memo["residuals", nonzero] = wanted[len(self.out_batched):]
        return self.memo[key]

    def backward(self, nonzero, has_ct, T):
        self.forward(nonzero, T)
        key = ("backward", nonzero, has_ct)
        if key not in self.memo:
            jaxpr, has = self.rules.backward(nonzero, has_ct, T)
            out_types = self.memo["forward", nonzero][0].out_types[:len(self.out_batched)]
            cts = pick(has_ct, pick([T.has_tangent(t) for t in out_types], self.out_batched))
            batched = (*self.memo["residuals", nonzero], *cts)
            axes = tuple(0 if b else None for b in batched)
            wide, found = T.vmap(jaxpr, axes, self.batching)
            target = pick(has, self.axes)
            # a cotangent of an input that is the same in all lanes is the sum over the lanes

            def run(*xs):
                outs = inline(wide, (), xs)
                return [self.batching.fit(ct, a, to) for ct, a, to in zip(outs, found, target, strict=True)]
            self.memo[key] = program(wide.in_types, run), has
        return self.memo[key]


class GuardedVjpRules(VjpRules):
    """The rules of a function that is given a flag first, where its loops run; the flag is the first residual."""

    def __init__(self, rules):
        self.rules, self.symbolic_zeros = rules, rules.symbolic_zeros

    def forward(self, nonzero, T):
        jaxpr, count = self.rules.forward(nonzero[1:], T)
        inner, n = guarded(jaxpr), len(jaxpr.outvars) - count

        def run(flag, *xs):
            outs = inline(inner, (), (flag, *xs))
            return [*outs[:n], flag, *outs[n:]]
        return program(inner.in_types, run), count + 1

    def backward(self, nonzero, has_ct, T):
        jaxpr, has = self.rules.backward(nonzero[1:], has_ct, T)
        return guarded(jaxpr), (False, *has)


class CustomVjpCall(CustomCall):
    """A call of `call_jaxpr` whose reverse derivative is given by `rules`."""

    call_jaxpr: Jaxpr
    rules: VjpRules = field(show="never")
    name_: str = field("", show="never")
    num_consts: int = field(0, show="nondefault")
    symbolic_zeros: bool = field(False)

    name = "custom_vjp_call"
    transpose = Refused("a function with a custom_vjp rule is differentiated by that rule, not transposed")

    def jvp(self, T, args, tangents):
        nonzero = self.moving(tangents)
        forward, count = self.rules.forward(nonzero, T)
        outs = inline(forward, (), args)
        outs, residuals = outs[:len(outs) - count], outs[len(outs) - count:]
        lin = CustomLin(self.rules, nonzero, tuple(o.type for o in outs), count, self.name_)
        return outs, spread([T.has_tangent(o.type) for o in outs], bind(lin, *residuals, *pick(nonzero, tangents)))

    def batched(self, jaxpr, axes, batching, wanted):
        return self.replace(call_jaxpr=jaxpr, rules=BatchedVjpRules(self.rules, axes, batching, wanted))

    def guarded(self, jaxpr):
        return self.replace(call_jaxpr=jaxpr, rules=GuardedVjpRules(self.rules), num_consts=self.num_consts + 1)


class CustomLin(NestedOp):
    """The linear map whose transpose a custom_vjp rule gives: (residuals, tangents) -> tangents of the outputs.

    It can be transposed and nothing else: its forward direction is not known."""

    rules: VjpRules = field(show="never")
    nonzero: tuple = field(show="never")
    out_types: tuple = field(show="never")
    num_res: int = field(0)
    name_: str = field("", show="never")

    name = "custom_lin"
    effects = PURE

    def discharge(self, D, args, refs):
        if D.whole:
            raise self.why()
        raise Refused(f"the custom_vjp function {self.name_} keeps a mutable reference for its backward rule that is read or written in the "
                      "function being transformed; give it the value, ref[...]")

    def why(self):
        return Refused(f"can't apply forward-mode differentiation (jvp) to the custom_vjp function {self.name_}: only its reverse "
                       "derivative is defined. Use grad, vjp or jacrev, or give it a custom_jvp rule.")

    def programs(self):
        return ()

    def result(self, *ins):
        return tuple(t for t in self.out_types if has_tangent(t))

    def lower(self, emit, *xs):
        raise self.why()

    def jvp(self, T, args, tangents):
        raise self.why()

    def batch(self, T, args, axes, batching):
        residual_axes, tangent_axes = axes[:self.num_res], axes[self.num_res:]
        full_axes = tuple(spread(self.nonzero, tangent_axes))
        types = tuple(insert_leading(t, batching.size) for t in self.out_types)
        rules = BatchedBackward(self.rules, tuple(residual_axes), full_axes, batching)
        outs = bind(CustomLin(rules, self.nonzero, types, self.num_res, self.name_), *args)
        return outs, [0] * len(outs)

    def transpose(self, T, cts, *args):
        residuals = args[:self.num_res]
        moving = [t for t in self.out_types if T.has_tangent(t)]
        if not self.rules.symbolic_zeros:
            cts = [zeros(T.tangent_type(t)) if ct is None else ct for ct, t in zip(cts, moving)]
        back, has = self.rules.backward(self.nonzero, tuple(ct is not None for ct in cts), T)
        found = spread(has, inline(back, (), [*residuals, *[ct for ct in cts if ct is not None]]))
        return [*[None] * self.num_res, *pick(self.nonzero, found)]


class BatchedBackward(VjpRules):
    """The backward rule of a batched CustomLin, whose residuals and tangents have axes of their own."""

    def __init__(self, rules, residual_axes, in_axes, batching):
        self.rules, self.residual_axes, self.in_axes, self.batching = rules, residual_axes, in_axes, batching
        self.symbolic_zeros = rules.symbolic_zeros
        self.memo = {}

    def backward(self, nonzero, has_ct, T):
        key = nonzero, has_ct
        if key not in self.memo:
            jaxpr, has = self.rules.backward(nonzero, has_ct, T)
            n_cts = len(jaxpr.invars) - len(self.residual_axes)
            wide, found = T.vmap(jaxpr, (*self.residual_axes, *(0,) * n_cts), self.batching)
            target = pick(has, self.in_axes)

            def run(*xs):
                outs = inline(wide, (), xs)
                return [self.batching.fit(ct, a, to) for ct, a, to in zip(outs, found, target, strict=True)]
            self.memo[key] = program(wide.in_types, run), has
        return self.memo[key]


def insert_leading(t, size):
    return t.update(shape=(size, *t.shape))


