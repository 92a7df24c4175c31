"""cond: one of several programs, by index."""
from __future__ import annotations

from collections import Counter

import numpy as np

from gnomon.base.lists import partition, pick, spread
from gnomon.ir.jaxpr import Eqn, Jaxpr, Literal, Var, intern
from gnomon.ir.op import NestedOp, field, is_linear
from gnomon.ops.arithmetic import add_any
from gnomon.ops.compare import eq, select_n
from gnomon.ops.nested.behind import behind
from gnomon.ops.nested.guard import guarded, may_loop
from gnomon.ops.nested.in_place import BOOL, in_place_outputs, masked, opened, read_alone, read_beside
from gnomon.ops.nested.call import stays, with_tangents
from gnomon.ops.platform import position_of
from gnomon.ops.shape import StopGradient, broadcast_in_dim, expand_dims, full, zeros
from gnomon.trace.build import program
from gnomon.trace.stage import bind, inline, value_of
from gnomon.types.dtype import is_inexact
from gnomon.types.effect import NamedAxis
from gnomon.types.value_type import RefType

_stop_gradient = StopGradient()


class Cond(NestedOp):
    """Runs `branches[index]` on the operands; the index is the first input, an int32 already in range. Where it is that
    of a platform, `branches_platforms` has the names that each branch is for, and only the one that runs is compiled."""

    branches: tuple
    branches_platforms: tuple | None = field(None, show="nondefault")

    first_operand = 1

    def programs(self):
        return self.branches

    def of(self, branches):
        """The same choice among other programs."""
        return Cond(branches, self.branches_platforms)

    def result(self, index, *ins):
        for b in self.branches:
            for v, t in zip(b.invars, ins, strict=True):
                if v.type.strong is not t.strong:
                    raise TypeError(f"a branch of cond takes a value of type {v.type} but is given one of type {t}.")
        return self.branches[0].out_types

    def lower(self, emit, index, *xs):
        if self.branches_platforms is not None:
            return emit.eqns(self.branches[position_of(self.branches_platforms, emit.module.platform)], xs)
        return emit.case(index, [lambda b=b: emit.eqns(b, xs) for b in self.branches], emit.outs)

    def jvp(self, T, args, tangents):
        nonzero = tuple(t is not None for t in tangents[1:])
        has = any_of(T.jvp(b, nonzero)[1] for b in self.branches)
        branches = tuple(T.jvp(b, nonzero, has)[0] for b in self.branches)
        moving = [T.has_tangent(v.type) and nz for v, nz in zip(self.branches[0].invars, nonzero)]
        return with_tangents(bind(self.of(branches), *args, *pick(moving, tangents[1:])), has)

    def split(self, T, eqn, unknown):
        if unknown[0]:
            return [], [eqn], (True,) * len(eqn.outs)
        unk = unknown[1:]
        late = any_of(T.split(b, unk)[2] for b in self.branches)
        parts = [T.split(b, unk, late) for b in self.branches]
        places = [{v: i for i, v in enumerate(e.invars)} for e, _, _, _ in parts]
        handed = sorted({at[v] for (e, _, _, n), at in zip(parts, places) for v in e.outvars[len(e.outvars) - n:] if v in at})
        if handed:
            parts = [handed_on(p, handed) for p in parts]
        residuals = [[v.type for v in early.outvars[len(early.outvars) - n:]] for early, _, _, n in parts]
        slots, places = share_slots(residuals)
        early = tuple(with_slots(e, n, slots, p) for (e, _, _, n), p in zip(parts, places))
        later = tuple(from_slots(q, n, slots, p) for (_, q, _, n), p in zip(parts, places))
        known_in, unknown_in = partition(unk, eqn.ins[1:])
        known_out, unknown_out = partition(late, eqn.outs)
        held = [Var(t) for t in slots]
        first = Eqn(self.of(early), (eqn.ins[0], *known_in), (*known_out, *held), eqn.place)
        second = Eqn(self.of(later), (eqn.ins[0], *held, *[known_in[i] for i in handed], *unknown_in), tuple(unknown_out), eqn.place)
        return [first], [second], late

    def transpose(self, T, cts, index, *args):
        linear = tuple(is_linear(a) for a in args)
        has_ct = tuple(c is not None for c in cts)
        has = any_of(T.transpose(b, linear, has_ct, False)[1] for b in self.branches)
        branches = tuple(T.transpose(b, linear, has_ct, has)[0] for b in self.branches)
        fixed, given = [a for a in args if not is_linear(a)], [c for c in cts if c is not None]
        if any(e.__class__ is NamedAxis and e.axis in index.type.varying for b in branches for e in b.effects):
            return [None, *spread(linear, spread(has, sum_of_branches(index, branches, fixed, given)))]
        return [None, *spread(linear, spread(has, behind(self.of(branches), index, [*fixed, *given])))]

    def discharge(self, D, args, refs):
        keep = stays(args[1:])
        written = tuple(sorted({i for b in self.branches for i in D(b, keep)[1]}))
        outs = bind(self.of(tuple(D(b, keep, written)[0] for b in self.branches)), *args)
        n = len(outs) - len(written)
        return outs[:n], {1 + i: value for i, value in zip(written, outs[n:])}

    def batch(self, T, args, axes, batching):
        index, *operands = args
        index_axis, *axes = axes
        if index_axis is None:
            batched = any_of(tuple(a is not None for a in T.vmap(b, tuple(axes), batching)[1]) for b in self.branches)
            branches = tuple(T.vmap(b, tuple(axes), batching, batched)[0] for b in self.branches)
            return bind(self.of(branches), *args), [0 if b else None for b in batched]
        if batching.apart(self):
            return batching.one_by_one(self, args, (index_axis, *axes))
        return self.batch_as_select(T, index, operands, axes, batching)

    def batch_as_select(self, T, index, operands, axes, batching):
        """All arms run on all lanes, each with its operands held still (no gradient) in the lanes that it is not for."""
        operands = [batching.front(x, a) for x, a in zip(operands, axes)]
        every = (True,) * len(self.branches[0].outvars)
        branches = [opened(b) for b in self.branches]
        places = in_place_outputs(branches)
        written = [operands[j] for j in places.values()]
        arms = []
        for i, branch in enumerate(branches):
            chosen, n = eq(index, value_of(np.int32(i))), len(operands)
            flagged = bool(places) or any(read_alone(branch, v) for v in branch.invars)
            if flagged:
                branch = masked(branch, places, True)
            used = [is_inexact(v.type.dtype) and not read_alone(branch, v) for v in branch.invars[-n - len(places):][:n]]
            args = [select_lanes(chosen, bind(_stop_gradient, x), x) if u else x for x, u in zip(operands, used)]
            if flagged:
                args = [chosen, *args, *written]
            if may_loop(branch):
                branch, args = guarded(branch), [chosen, *args]
            arm, _ = T.vmap(branch, (0,) * len(args), batching, every)
            outs = inline(arm, (), args)
            written = [outs[k] for k in places]
            arms.append(outs)
        done = dict(zip(places, written))
        outs = [done[k] if k in done else select_lanes(index, *cases) for k, cases in enumerate(zip(*arms))]
        return outs, [0] * len(outs)

    def guard(self, flag, args):
        return bind(self.of(tuple(map(guarded, self.branches))), args[0], flag, *args[1:])

    def written_over(self):
        memo = self.branches[0].memo
        found = memo.get(("written over", self.branches))
        if found is None:
            branches = [opened(b) for b in self.branches]
            places = in_place_outputs(branches)
            reads = {j for b in branches for j in read_beside(b, places)}
            found = memo["written over", self.branches] = {k: (1 + j, j in reads) for k, j in places.items()}
        return found

    def where(self, chosen, args, over):
        index, *xs = args
        places = {k: self.written_over()[k][0] - 1 for k in over}
        branches = [opened(b) for b in self.branches]
        reads = {j for b in branches for j in read_beside(b, places)}
        kept = [j for j in range(len(xs)) if j not in places.values() or j in reads]
        from_ = {j: len(kept) + i for i, j in enumerate(places.values())} | {j: i for i, j in enumerate(kept)}

        def told(branch):
            inner = masked(branch, places)
            return program((BOOL, *[branch.in_types[j] for j in (*kept, *places.values())]),
                           lambda chosen, *ys: inline(inner, (), [chosen, *[ys[from_[j]] for j in range(len(xs))], *ys[len(kept):]]))
        return self.of(tuple(map(told, branches))), [index, chosen, *[xs[j] for j in kept], *over.values()]


def select_lanes(which, *cases):
    """select_n where `which` has one element per leading index of the cases."""
    rank = cases[0].type.ndim
    if which.type.ndim < rank:
        which = expand_dims(which, tuple(range(which.type.ndim, rank)))
    return select_n(which, *cases)


def sum_of_branches(index, branches, fixed, cts):
    """What linear branches make of cotangents, where devices choose differently and a branch sums over them: all run all branches, those that
    they did not choose on zeros."""
    total = None
    for i, branch in enumerate(branches):
        chosen = eq(index, value_of(np.int32(i)))
        outs = inline(branch, (), [*fixed, *[select_n(broadcast_in_dim(chosen, c.type.shape), zeros(c.type), c) for c in cts]])
        total = outs if total is None else [add_any(a, b) for a, b in zip(total, outs)]
    return total


def any_of(masks):
    """Elementwise or of several tuples of bools."""
    return tuple(any(column) for column in zip(*masks))


def share_slots(residuals):
    """Types for slots that can hold any branch's residuals, and for each branch the slot of each of its residuals."""
    most = Counter()
    for types in residuals:
        most |= Counter(types)
    slots = list(most.elements())
    free = {}
    for i, t in enumerate(slots):
        free.setdefault(t, []).append(i)
    places = []
    for types in residuals:
        left = {t: iter(at) for t, at in free.items()}
        places.append([next(left[t]) for t in types])
    return slots, places


def handed_on(part, handed):
    """A branch cut in two, with the residuals that are inputs of the early part (those numbered `handed`) as inputs of the later part that
    come behind the other residuals: a value that does not change from step to step in a loop around is then not stacked for each."""
    early, later, late, count = part
    first = len(early.outvars) - count
    residuals, given = early.outvars[first:], [early.invars[i] for i in handed]
    held = [v for v in residuals if v not in given]
    smaller = intern(Jaxpr((), early.invars, early.eqns, [*early.outvars[:first], *held]))
    n, m = len(held), len(held) + len(handed)

    def run(*xs):
        known = dict(zip((*held, *given), xs))
        return inline(later, (), [*[known[v] for v in residuals], *xs[m:]])
    return smaller, program([*[v.type for v in held], *[v.type for v in given], *later.in_types[count:]], run), late, n


def invariants_outside(T, body, constant):
    """A loop's body, in which what the branches of conds compute from the inputs that are `constant` (one bool each) alone is computed in
    front of them, where the loop's reverse can take it out."""
    fixed = {v for v, c in zip(body.invars, constant) if c and v.type.__class__ is not RefType}
    todo = [e for e in body.eqns if e.op.__class__ is Cond and not fixed.isdisjoint(e.ins[1:])]
    if not todo:
        return body
    key = "invariants outside", tuple(constant)
    found = body.memo.get(key)
    if found is None:
        parts = {e: once_and_rest(T, e, fixed) for e in todo}
        found = body.memo[key] = with_invariants(body, parts) if any(parts.values()) else body
    return found


def once_and_rest(T, e, fixed):
    """For each branch of a cond (what it computes from `fixed` values alone, the rest, of how many values of the first); None where there is
    nothing of size among it, or it might not end or do more than compute."""
    unknown = tuple([v not in fixed for v in e.ins[1:]])
    every = (True,) * len(e.outs)
    branches = [invariants_outside(T, b, [not u for u in unknown]) for b in e.op.branches]
    parts = [(once, rest, count) for once, rest, _, count in [T.split(b, unknown, every) for b in branches]]
    made = [v for once, _, _ in parts for v in once.outvars if v not in once.invars]
    if e.op.branches_platforms is not None or not any(v.type.ndim for v in made) or any(once.effects or may_loop(once) for once, _, _ in parts):
        return None
    return unknown, parts


def with_invariants(body, parts):
    def run(*xs):
        env = dict(zip(body.invars, xs))
        for e in body.eqns:
            args = [v if v.__class__ is Literal else env[v] for v in e.ins]
            if parts.get(e):
                unknown, branches = parts[e]
                known, moving = partition(unknown, args[1:])
                made = [inline(once, (), known) for once, _, _ in branches]
                rests, at = [], 0
                for (_, rest, count), values in zip(branches, made):
                    rests.append((rest, at, count))
                    at += len(values)
                values = [v for vs in made for v in vs]
                types = [v.type for v in (*values, *moving)]
                outs = bind(e.op.of(tuple([taking(types, len(values), *r) for r in rests])), args[0], *values, *moving)
            else:
                outs = bind(e.op, *args)
            env.update(zip(e.outs, outs if e.op.multiple else (outs,)))
        return [v if v.__class__ is Literal else env[v] for v in body.outvars]
    return program(body.in_types, run)


def taking(types, total, rest, at, count):
    """The rest of a branch, given what all branches compute from fixed values."""
    return program(types, lambda *xs: inline(rest, (), [*xs[at:at + count], *xs[total:]]))


def with_slots(early, count, slots, places):
    """The early program with its residuals in their slots; in those of other branches stand numbers that one can divide by."""
    def run(*args):
        outs = inline(early, (), args)
        known, residuals = outs[:len(outs) - count], outs[len(outs) - count:]
        held = dict(zip(places, residuals))
        return [*known, *[held[i] if i in held else full(t, int(is_inexact(t.dtype))) for i, t in enumerate(slots)]]
    return program(early.in_types, run)


def from_slots(later, count, slots, places):
    """The later program, taking all slots and using its own."""
    def run(*args):
        held, rest = args[:len(slots)], args[len(slots):]
        return inline(later, (), [*[held[i] for i in places], *rest])
    return program((*slots, *later.in_types[count:]), run)


