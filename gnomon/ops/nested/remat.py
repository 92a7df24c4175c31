"""checkpoint: a call whose intermediate values are computed again in the backward pass instead of being kept."""
from __future__ import annotations

from typing import NamedTuple

from gnomon.base.lists import partition
from gnomon.ir.jaxpr import Eqn, Jaxpr, Literal, Var, intern
from gnomon.ir.op import field
from gnomon.ops.nested.call import Call, flatten_calls
from gnomon.ops.place import DevicePut
from gnomon.ops.shape import Same
from gnomon.trace.build import program
from gnomon.trace.stage import bind, inline
from gnomon.types.memory import Space


class Answer:
    """What a policy may say of a value besides True and False: `Saveable` and `Recompute` are the same in words."""

    def __init__(self, name, keeps):
        self.name, self.keeps = name, keeps

    def __bool__(self):
        return self.keeps

    def __repr__(self):
        return self.name


Saveable, Recompute = Answer("Saveable", True), Answer("Recompute", False)


class Offloadable(NamedTuple):
    """What a policy says of a value that is kept in the memory `dst`, and moved back to `src` when it is needed. Memories are named
    "device" and "pinned_host"."""

    src: str
    dst: str


class Checkpoint(Call):
    """A call of `jaxpr`. When it is cut in two for the backward pass, only its inputs and the values for which
    `policy(primitive, *input types, **parameters)` is true are kept; the rest is computed again. A value of which the policy says
    `Offloadable` is kept in another memory. Effects happen once, in the forward pass."""

    jaxpr: Jaxpr
    policy: object = field(None)
    prevent_cse: bool = field(True)
    differentiated: bool = field(False)

    name = "checkpoint"

    def of(self, jaxpr, differentiated=None):
        return Checkpoint(jaxpr, self.policy, self.prevent_cse, self.differentiated if differentiated is None else differentiated)

    def result(self, *ins):
        return self.jaxpr.out_types

    def lower(self, emit, *xs):
        if self.differentiated and self.prevent_cse and xs:
            xs = emit.generic("stablehlo.optimization_barrier", xs, outs=[x.type for x in xs])
        return emit.call(self.jaxpr, xs, "checkpoint")

    def split(self, T, eqn, unknown):
        jaxpr = flatten_calls(self.jaxpr) if self.policy is not None else self.jaxpr
        early, later, late, count = T.split(jaxpr, unknown)
        known_in, unknown_in = partition(unknown, eqn.ins)
        known_out, unknown_out = partition(late, eqn.outs)
        n = len(early.outvars) - count
        residuals = early.outvars[n:]
        kept = self.kept(early)         # what the policy says of each
        saved = [v for v in dict.fromkeys(self.frontier(early, residuals, kept)) if v not in early.invars]
        # early: known outputs and what is kept
        first_jaxpr = program_with_outputs(early, [*early.outvars[:n], *saved])
        moves = [kept[v] if isinstance(kept[v], Offloadable) else None for v in saved]
        if any(moves):
            first_jaxpr = moved_outputs(first_jaxpr, n, [m and m.dst for m in moves])
        held = [Var(v.type) for v in saved]
        first = Eqn(self.of(first_jaxpr), tuple(known_in), (*known_out, *held), eqn.place)
        # later: computes the residuals again from the inputs and what was kept
        again = recompute(early, residuals, saved)
        k, m = len(early.invars), len(saved)

        def run(*xs):
            back = [x if move is None else moved(x, move.src) for x, move in zip(xs[k:k + m], moves)]
            res = inline(again, (), [*xs[:k], *back])
            return inline(later, (), [*res, *xs[k + m:]])
        second_jaxpr = program((*early.in_types, *[v.type for v in saved], *later.in_types[count:]), run)
        second = Eqn(self.of(second_jaxpr, True), (*known_in, *held, *unknown_in), tuple(unknown_out), eqn.place)
        return [first], [second], late

    def kept(self, early):
        """The variables that may be kept, and what the policy says of each; what comes with an effect is always kept."""
        kept = {}
        for e in early.eqns:
            said = e.op.effects or self.policy is not None and self.policy(e.primitive, *[i.type for i in e.ins], **e.params)
            if said:
                kept.update(dict.fromkeys(e.outs, said))
        return kept

    @staticmethod
    def frontier(early, residuals, kept):
        """The kept variables that the recomputation of the residuals needs, looking back from each until one is kept."""
        producer = {v: e for e in early.eqns for v in e.outs}
        out, seen, stack = [], set(), list(residuals)
        while stack:
            v = stack.pop()
            if v in seen or v.__class__ is Literal:
                continue
            seen.add(v)
            if v in kept:
                out.append(v)
            elif v in producer:
                stack.extend(producer[v].ins)
        return out


def program_with_outputs(jaxpr, outs):
    """The equations that `outs` need (and those with effects), as a program with these outputs."""
    return intern(Jaxpr((), jaxpr.invars, needed(jaxpr.eqns, outs, effects=True), outs))


def moved(x, memory):
    return bind(DevicePut(Space(memory)), x)


def moved_outputs(jaxpr, n, memories):
    """The program with its outputs behind the first `n` moved to these memories (None: left where it is)."""
    def run(*xs):
        outs = inline(jaxpr, (), xs)
        return [*outs[:n], *[x if m is None else moved(x, m) for x, m in zip(outs[n:], memories)]]
    return program(jaxpr.in_types, run)


def needed(eqns, outs, stop=(), effects=False):
    """The equations that the variables `outs` depend on, not looking behind those in `stop`; with `effects` those that have any, too."""
    want = {v for v in outs if v.__class__ is not Literal and v not in stop}
    kept = []
    for e in reversed(eqns):
        if any(v in want for v in e.outs) or effects and e.op.effects:
            kept.append(e)
            want.update(v for v in e.ins if v.__class__ is not Literal and v not in stop)
    return kept[::-1]


def recompute(early, residuals, saved):
    """(inputs, kept values) -> residuals."""
    stop = set(saved)
    eqns = needed(early.eqns, residuals, stop)
    # an equation with several outputs may make a kept variable again; the kept one is the one to use
    twins = {v: Var(v.type) for e in eqns for v in e.outs if v in stop}
    eqns = [Eqn(e.op, e.ins, tuple(twins.get(v, v) for v in e.outs), e.place) for e in eqns]
    return intern(Jaxpr((), (*early.invars, *saved), eqns, residuals))


class Name(Same):
    """The identity, with a name that checkpoint policies refer to."""

    name_: str

    name = "name"

    def show_parameter(self, parameter, value):
        return str(value)


def checkpoint_name(x, name):
    """Names a value for checkpoint policies."""
    return bind(Name(name), x)

