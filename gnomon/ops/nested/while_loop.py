"""while: repeats a program while another says so."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.base.lists import pick, settle
from gnomon.ir.jaxpr import Eqn, Jaxpr, Var
from gnomon.ir.op import NestedOp, field
from gnomon.ops.compare import bitwise_and
from gnomon.ops.nested.call import stays, with_tangents
from gnomon.ops.nested.cond import select_lanes
from gnomon.ops.nested.guard import BOOL, guarded, may_loop
from gnomon.ops.nested.held import held
from gnomon.ops.nested.in_place import in_place_outputs, masked, opened
from gnomon.ops.reductions import ReduceOr
from gnomon.ops.shape import zeros
from gnomon.trace.build import program
from gnomon.trace.stage import bind, inline
from gnomon.types.effect import PURE, on_refs


class While(NestedOp):
    """`body_jaxpr` takes (body consts, carry), `cond_jaxpr` (cond consts, carry); inputs: cond consts, body consts, carry."""

    cond_jaxpr: Jaxpr
    body_jaxpr: Jaxpr
    cond_nconsts: int = field(0)
    body_nconsts: int = field(0)

    name = "while"
    user_name = "while_loop"
    transpose = Refused("a loop whose number of steps is not known cannot be run backward; use scan, or fori_loop with static "
                        "bounds, or give the loop a custom_vjp")

    endless = True

    def programs(self):
        return self.cond_jaxpr, self.body_jaxpr

    same_ref_twice = True       # its test and its body may use the same one

    @property
    def effects(self):
        return PURE.union(self.cond_jaxpr.effects, on_refs(self.body_jaxpr.effects, self.cond_nconsts))

    def parts(self, seq):
        a, b = self.cond_nconsts, self.cond_nconsts + self.body_nconsts
        return tuple(seq[:a]), tuple(seq[a:b]), tuple(seq[b:])

    def result(self, *ins):
        _, body_consts, carry = self.parts(ins)
        check_carry("while_loop", carry, self.body_jaxpr.out_types)
        return self.body_jaxpr.out_types

    def lower(self, emit, *xs):
        cond_consts, body_consts, carry = self.parts(xs)
        body = held(self.body_jaxpr, len(body_consts), len(carry)) if emit.one_cpu else self.body_jaxpr
        return emit.while_loop(carry, lambda *c: emit.eqns(self.cond_jaxpr, (*cond_consts, *c))[0],
                               lambda *c: emit.eqns(body, (*body_consts, *c)))

    def jvp(self, T, args, tangents):
        cond_consts, body_consts, carry = self.parts(args)
        _, const_ts, carry_ts = self.parts(tangents)
        nz_consts = tuple(t is not None for t in const_ts)
        nz = settle(tuple(t is not None for t in carry_ts), lambda k: T.jvp(self.body_jaxpr, (*nz_consts, *k), k)[1])
        body, has = T.jvp(self.body_jaxpr, (*nz_consts, *nz), nz)
        carry_ts = [zeros(T.tangent_type(c.type)) if n and t is None else t for c, t, n in zip(carry, carry_ts, nz)]
        moving_consts, moving_carry = pick(nz_consts, const_ts), pick(nz, carry_ts)
        n, k, m = len(body_consts), len(carry), len(moving_consts)

        def both(*xs):      # consts, const tangents, carry, carry tangents
            c, ct, x, t = xs[:n], xs[n:n + m], xs[n + m:n + m + k], xs[n + m + k:]
            return inline(body, (), [*c, *x, *ct, *t])
        types = [v.type for v in (*body_consts, *moving_consts, *carry, *moving_carry)]
        wider = program(types, both)
        cond = ignoring_extra(self.cond_jaxpr, [t.type for t in moving_carry])
        outs = bind(While(cond, wider, len(cond_consts), n + m), *cond_consts, *body_consts, *moving_consts, *carry,
                    *moving_carry)
        return with_tangents(outs, nz)

    def split(self, T, eqn, unknown):
        """The carries that can be known run early; the rest needs the whole loop again, later."""
        unk_cond, unk_consts, unk_carry = self.parts(unknown)
        unk_carry = settle(unk_carry, lambda k: T.split(self.body_jaxpr, (*unk_consts, *k))[2])
        cond_unknown = any(unk_cond) or any(T.split(self.cond_jaxpr, (*unk_cond, *unk_carry))[2])
        if cond_unknown or all(unk_carry):
            return [], [eqn], (True,) * len(eqn.outs)
        body = T.split(self.body_jaxpr, (*unk_consts, *unk_carry))[0]
        n_known = len(unk_carry) - sum(unk_carry)
        body = program(body.in_types, lambda *xs: inline(body, (), xs)[:n_known])
        cond_early = T.split(self.cond_jaxpr, (*unk_cond, *unk_carry))[0]
        cond_early = program(cond_early.in_types, lambda *xs: inline(cond_early, (), xs)[:1])
        cond_consts, body_consts, carry = self.parts(eqn.ins)
        known_consts = [c for c, u in zip(body_consts, unk_consts) if not u]
        known_carry = [c for c, u in zip(carry, unk_carry) if not u]
        outs = [v for v, u in zip(eqn.outs, unk_carry) if not u]
        first = Eqn(While(cond_early, body, len(cond_consts), len(known_consts)),
                    (*cond_consts, *known_consts, *known_carry), tuple(outs), eqn.place)
        again = [v if u else Var(v.type) for v, u in zip(eqn.outs, unk_carry)]
        return [first], [Eqn(self, eqn.ins, tuple(again), eqn.place)], unk_carry

    def discharge(self, D, args, refs):
        """What the body writes to is carried, and the test looks at it there."""
        cond_consts, body_consts, carry = self.parts(args)
        nc, nb = len(cond_consts), len(body_consts)
        body, written = D(self.body_jaxpr, stays((*body_consts, *carry)))
        cond, tested = D(self.cond_jaxpr, stays((*cond_consts, *carry)))
        if tested:
            raise Refused("the cond_fun of a while_loop writes to a mutable reference, which would be lost; write to it in body_fun")
        moved = {refs[nc + i]: k for k, i in enumerate(written)}
        seen = [moved.get(r) for r in refs[:nc]]            # the test's constants that are carried now
        held_c, held_b = [c for c, k in zip(cond_consts, seen) if k is None], [b for i, b in enumerate(body_consts) if i not in written]
        m, n_out = len(written), len(carry)

        def test(*xs):
            held, state, rest = iter(xs[:len(held_c)]), xs[len(held_c):len(held_c) + m], xs[len(held_c) + m:]
            return inline(cond, (), [*[next(held) if k is None else state[k] for k in seen], *rest])

        def step(*xs):
            held, state, rest = iter(xs[:len(held_b)]), iter(xs[len(held_b):len(held_b) + m]), xs[len(held_b) + m:]
            outs = inline(body, (), [*[next(state) if i in written else next(held) for i in range(nb)], *rest])
            return [*outs[n_out:], *outs[:n_out]]
        state = [*[body_consts[i] for i in written], *carry]
        types = [v.type for v in state]
        outs = bind(While(program([*[v.type for v in held_c], *types], test), program([*[v.type for v in held_b], *types], step),
                          len(held_c), len(held_b)), *held_c, *held_b, *state)
        return outs[m:], {nc + i: value for i, value in zip(written, outs)}

    def batch(self, T, args, axes, batching):
        a_cond, a_consts, a_carry = self.parts(axes)

        def body_of(k):
            return T.vmap(self.body_jaxpr, (*a_consts, *[0 if m else None for m in k]), batching, k)
        batched = settle(tuple(a is not None for a in a_carry),
                         lambda k: tuple(a is not None for a in body_of(k)[1]))

        def cond_of(k):
            return T.vmap(self.cond_jaxpr, (*a_cond, *[0 if m else None for m in k]), batching)
        cond, (pred_axis,) = cond_of(batched)
        if pred_axis is not None:
            if batching.apart(self):
                return batching.one_by_one(self, args, axes)
            batched = (True,) * len(batched)
            cond, (pred_axis,) = cond_of(batched)
        body, _ = body_of(batched)
        cond_consts, body_consts, carry = self.parts(args)
        carry = [batching.front(x, a) if m else x for x, a, m in zip(carry, a_carry, batched)]
        if pred_axis is None:
            outs = bind(While(cond, body, self.cond_nconsts, self.body_nconsts), *cond_consts, *body_consts, *carry)
        else:
            inner, flags, n = opened(self.body_jaxpr), 0, len(carry)
            places = {k: j for k, j in in_place_outputs([inner]).items() if j == self.body_nconsts + k}
            if places:
                inner, flags, n = masked(inner, places), 1, n + len(places)
            if may_loop(inner):
                inner, flags = guarded(inner), flags + 1
            if flags:
                body, _ = T.vmap(inner, (*(0,) * flags, *a_consts, *(0,) * n), batching, (True,) * len(carry))
            outs = self.batch_lanes(cond, body, flags, cond_consts, body_consts, carry, places)
        return outs, [0 if m else None for m in batched]

    def guard(self, flag, args):
        test = guarded(self.cond_jaxpr) if may_loop(self.cond_jaxpr) else None

        def going(flag, *xs):
            on, = inline(self.cond_jaxpr, (), xs) if test is None else inline(test, (), (flag, *xs))
            return [bitwise_and(flag, on)]
        cond = program((BOOL, *self.cond_jaxpr.in_types), going)
        return bind(While(cond, self.body_jaxpr, self.cond_nconsts + 1, self.body_nconsts), flag, *args)

    def batch_lanes(self, cond, body, flags, cond_consts, body_consts, carry, places):
        """Lanes end at different steps: go on while any does, and hold the lanes that have ended. The carries in `places` are written over
        in place, by a body that is told which lanes go on, as the first `flags` of its inputs."""
        nc, nb = len(cond_consts), len(body_consts)

        def any_lane(*xs):
            return [reduce_any(inline(cond, (), xs)[0])]

        def step(*xs):
            cc, bc, k = xs[:nc], xs[nc:nc + nb], xs[nc + nb:]
            going, = inline(cond, (), [*cc, *k])
            new = inline(body, (), [*[going] * flags, *bc, *k, *[k[i] for i in places]])
            return [x if i in places else select_lanes(going, old, x) for i, (old, x) in enumerate(zip(k, new))]
        types = [v.type for v in (*cond_consts, *body_consts, *carry)]
        wide_cond = program([*types[:nc], *types[nc + nb:]], any_lane)
        wide_body = program(types, step)
        return bind(While(wide_cond, wide_body, nc, nc + nb), *cond_consts, *cond_consts, *body_consts, *carry)


def reduce_any(flags):
    """Whether any element of a boolean array is true."""
    return bind(ReduceOr(tuple(range(flags.type.ndim))), flags)


def ignoring_extra(jaxpr, types):
    """The program with extra inputs that it does not use."""
    n = len(jaxpr.invars)
    return program((*jaxpr.in_types, *types), lambda *xs: inline(jaxpr, (), xs[:n]))


def check_carry(what, given, made):
    """A loop's carry must come out of the body with the types it goes in with."""
    for i, (a, b) in enumerate(zip(given, made, strict=True)):
        if a.strong is not b.strong:
            raise TypeError(f"{what}: component {i} of the carry goes in as {a} and comes out of the body as {b}.")
