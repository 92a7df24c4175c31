"""scan: a program run over the leading axis of its inputs, carrying state."""
from __future__ import annotations

from gnomon.base.lists import partition, pick, settle, spread
from gnomon.ir.dims import drop_dim, insert_dim
from gnomon.ir.jaxpr import Eqn, Jaxpr, Literal, Var, intern
from gnomon.ir.op import NestedOp, field, is_linear
from gnomon.ops.accumulate import accumulate
from gnomon.ops.nested.call import stays
from gnomon.ops.nested.cond import invariants_outside
from gnomon.ops.nested.guard import guarded
from gnomon.ops.nested.held import held
from gnomon.ops.nested.while_loop import check_carry
from gnomon.ops.shape import moveaxis, zeros
from gnomon.trace.build import program
from gnomon.trace.stage import bind, inline


class Scan(NestedOp):
    """Runs `jaxpr`: (consts, carry, x) -> (carry, y), once per element of the leading axis of the xs.

    Inputs: consts, initial carry, xs (each with a leading axis of `length`); outputs: last carry, ys stacked."""

    jaxpr: Jaxpr
    length: int
    num_consts: int = field(0, show="nondefault")
    num_carry: int = field(1, show="nondefault")
    reverse: bool = field(False)
    unroll: int = field(1)

    def programs(self):
        return (self.jaxpr,)

    def parts(self, seq):
        c, k = self.num_consts, self.num_consts + self.num_carry
        return tuple(seq[:c]), tuple(seq[c:k]), tuple(seq[k:])

    def outs(self, seq):
        return tuple(seq[:self.num_carry]), tuple(seq[self.num_carry:])

    def of(self, jaxpr, num_consts, num_carry, reverse=None):
        reverse = self.reverse if reverse is None else reverse
        return Scan(jaxpr, self.length, num_consts, num_carry, reverse, self.unroll)

    def guard(self, flag, args):
        return bind(self.of(guarded(self.jaxpr), self.num_consts + 1, self.num_carry), flag, *args)

    def result(self, *ins):
        consts, carry, xs = self.parts(ins)
        for t in xs:
            if not t.shape or t.shape[0] != self.length:
                raise TypeError(f"scan got a value of type {t} to scan over, but its length is {self.length}.")
        carry_out, ys = self.outs(self.jaxpr.out_types)
        check_carry("scan", carry, carry_out)
        return (*carry_out, *[insert_dim(t, 0, self.length) for t in ys])

    def lower(self, emit, *xs):
        return lower_scan(self, emit, xs)

    # -- forward -----------------------------------------------------------------------------------------------

    def jvp(self, T, args, tangents):
        nz_c, nz_k, nz_x = map(lambda ts: tuple(t is not None for t in ts), self.parts(tangents))
        n_ys = len(self.jaxpr.outvars) - self.num_carry

        def run(k):
            return T.jvp(self.jaxpr, (*nz_c, *k, *nz_x), (*k, *(False,) * n_ys))
        nz_k = settle(nz_k, lambda k: self.outs(run(k)[1])[0])
        body, has = run(nz_k)
        (c, k, x), (tc, tk, tx) = self.parts(args), self.parts(tangents)
        tk = [zeros(T.tangent_type(v.type)) if n and t is None else t for v, t, n in zip(k, tk, nz_k)]
        tc, tk, tx = pick(nz_c, tc), pick(nz_k, tk), pick(nz_x, tx)
        sizes = [len(v) for v in (c, tc, k, tk, x, tx)]
        n_out = len(self.jaxpr.outvars)

        def both(*xs):
            c_, tc_, k_, tk_, x_, tx_ = cut(xs, sizes)
            outs = inline(body, (), [*c_, *k_, *x_, *tc_, *tk_, *tx_])
            (k_out, y_out), t_out = self.outs(outs[:n_out]), outs[n_out:]
            return [*k_out, *t_out[:len(tk)], *y_out, *t_out[len(tk):]]
        types = [v.type for v in (*c, *tc, *k, *tk)] + [drop_dim(v.type, 0) for v in (*x, *tx)]
        wider = program(types, both)
        outs = bind(self.of(wider, len(c) + len(tc), len(k) + len(tk)), *c, *tc, *k, *tk, *x, *tx)
        k_out, tk_out, y_out, ty_out = cut(outs, [len(k), len(tk), n_ys, len(outs)])
        return [*k_out, *y_out], spread(has, [*tk_out, *ty_out])

    # -- references --------------------------------------------------------------------------------------------

    def discharge(self, D, args, refs):
        """What the body writes to is carried, or stacked where each step has a slice of it."""
        n_c, n_k, n = self.num_consts, self.num_carry, len(args)
        body, written = D(self.jaxpr, stays(args))
        carried, sliced = [i for i in written if i < n_c], [i for i in written if i >= n_c + n_k]
        order = [*[i for i in range(n_c) if i not in carried], *carried, *range(n_c, n)]
        m, n_out = len(carried), len(self.jaxpr.outvars)

        def step(*xs):
            given = dict(zip(order, xs))
            outs = inline(body, (), [given[i] for i in range(n)])
            last = dict(zip(written, outs[n_out:]))
            return [*[last[i] for i in carried], *outs[:n_out], *[last[i] for i in sliced]]
        made = program([body.in_types[i] for i in order], step)
        outs = bind(self.of(made, n_c - m, n_k + m), *[args[i] for i in order])
        return outs[m:m + n_out], dict(zip((*carried, *sliced), (*outs[:m], *outs[m + n_out:])))

    # -- batching ----------------------------------------------------------------------------------------------

    def batch(self, T, args, axes, batching):
        ac, ak, ax = self.parts(axes)
        n_ys = len(self.jaxpr.outvars) - self.num_carry

        def run(k):
            return T.vmap(self.jaxpr, (*ac, *[0 if m else None for m in k], *[None if a is None else 0 for a in ax]),
                          batching, (*k, *(False,) * n_ys))
        batched = settle(tuple(a is not None for a in ak),
                         lambda k: tuple(a is not None for a in self.outs(run(k)[1])[0]))
        body, out_axes = run(batched)
        c, k, x = self.parts(args)
        k = [batching.front(v, a) if m else v for v, a, m in zip(k, ak, batched)]
        x = [v if a is None else moveaxis(v, a, 1) for v, a in zip(x, ax)]
        outs = bind(self.of(body, self.num_consts, self.num_carry), *c, *k, *x)
        return outs, [a if a is None or i < self.num_carry else a + 1 for i, a in enumerate(out_axes)]

    # -- cutting in two ----------------------------------------------------------------------------------------

    def split(self, T, eqn, unknown):
        uc, uk, ux = self.parts(unknown)
        jaxpr = invariants_outside(T, self.jaxpr, [*[not u for u in uc], *[False] * (len(uk) + len(ux))])
        uk = settle(uk, lambda k: self.outs(T.split(jaxpr, (*uc, *k, *ux))[2])[0])
        late = (*uk, *self.outs(T.split(jaxpr, (*uc, *uk, *ux))[2])[1])
        early, later, late, count = T.split(jaxpr, (*uc, *uk, *ux), late)
        c, k, x = self.parts(eqn.ins)
        known_c, known_k, known_x = (pick([not u for u in us], vs) for us, vs in ((uc, c), (uk, k), (ux, x)))
        n_known_out = len(early.outvars) - count

        # What a residual is decides how it travels: an input that does not change, or something computed from such inputs
        # alone, goes to the later loop as a constant; a slice of an xs as that xs; the rest is stacked, step by step.
        invariant_eqns, early, known_c = hoist(T, early, len(known_c), known_c)
        const_of = dict(zip(early.invars[:len(known_c)], known_c))
        first_x = len(early.invars) - len(known_x)
        xs_of = dict(zip(early.invars[first_x:], known_x))
        known_out, unknown_out = partition(late, eqn.outs)
        n_carry_out = len(known_k)
        y_of = dict(zip(early.outvars[n_carry_out:n_known_out], known_out[n_carry_out:]))
        res_consts, res_xs, kept, kinds, stacked = [], [], [], [], []
        for v in early.outvars[n_known_out:]:
            if v in const_of:
                kinds.append("const")
                res_consts.append(const_of[v])
            elif v in xs_of:
                kinds.append("xs")
                res_xs.append(xs_of[v])
            elif v in y_of:         # stacked already, as an output
                kinds.append("xs")
                res_xs.append(y_of[v])
            else:
                kinds.append("xs")
                out = Var(insert_dim(v.type, 0, self.length))
                res_xs.append(out)
                kept.append(v)
                stacked.append(out)
        n_const_res = len(res_consts)
        early = Jaxpr((), early.invars, early.eqns, [*early.outvars[:n_known_out], *kept])
        early = intern(early)
        first = Eqn(self.of(early, len(known_c), len(known_k)), (*known_c, *known_k, *known_x), (*known_out, *stacked),
                    eqn.place)

        unk_c, unk_k, unk_x = pick(uc, c), pick(uk, k), pick(ux, x)
        sizes = [n_const_res, len(unk_c), len(unk_k), len(res_xs), len(unk_x)]

        def reordered(*a):
            rc, lc, lk, rx, lx = cut(a, sizes)
            rc, rx = iter(rc), iter(rx)
            residuals = [next(rc) if kind == "const" else next(rx) for kind in kinds]
            return inline(later, (), [*residuals, *lc, *lk, *lx])
        types = [v.type for v in (*res_consts, *unk_c, *unk_k)] + [drop_dim(v.type, 0) for v in (*res_xs, *unk_x)]
        body = program(types, reordered)
        second = Eqn(self.of(body, n_const_res + len(unk_c), len(unk_k)),
                     (*res_consts, *unk_c, *unk_k, *res_xs, *unk_x), tuple(unknown_out), eqn.place)
        return [*invariant_eqns, first], [second], late

    # -- backward ----------------------------------------------------------------------------------------------

    def transpose(self, T, cts, *args):
        linear = tuple(is_linear(a) for a in args)
        lc, lk, lx = self.parts(linear)
        # a carry that starts at a known value can still move linearly
        moved = settle(lk, lambda k: self.outs(T.split(self.jaxpr, (*lc, *k, *lx))[2])[0])
        if not all(moved):
            return self.transpose_after_split(T, cts, args, linear)
        return self.transpose_linear(T, cts, args, (lc, (True,) * len(lk), lx), linear)

    def transpose_after_split(self, T, cts, args, linear):
        """Some carries do not depend on the linear inputs: run those first, then transpose what is left."""
        stand_in = [Var(a.type) for a in args]
        outs = [Var(t) for t in self.infer(tuple(v.type for v in stand_in))]
        early, later, late = self.split(T, Eqn(self, tuple(stand_in), tuple(outs)), linear)
        env = {v: a for v, a, is_lin in zip(stand_in, args, linear) if not is_lin}
        for e in early:
            results = bind(e.op, *[v if v.__class__ is Literal else env[v] for v in e.ins])
            env.update(zip(e.outs, results if e.op.multiple else (results,)))
        ct_of = dict(zip(outs, cts))
        found = {}
        for e in later:
            operands = [env[v] if v in env else a_linear(v, stand_in, args) for v in e.ins]
            got = e.op.transpose(T, [ct_of.get(v) for v in e.outs], *operands)
            found.update((v, ct) for v, ct in zip(e.ins, got) if ct is not None)
        return [found.get(v) if is_lin else None for v, is_lin in zip(stand_in, linear)]

    def transpose_linear(self, T, cts, args, inner, linear):
        c, k, x = self.parts(args)
        lc, lk, lx = inner
        ct_k, ct_y = self.outs(cts)
        has_ct = (*(True,) * len(ct_k), *[ct is not None for ct in ct_y])
        wanted = (True,) * (sum(lc) + len(lk) + sum(lx))
        body, _ = T.transpose(self.jaxpr, (*lc, *lk, *lx), has_ct, wanted)
        out_types = self.infer(tuple(v.type for v in args))
        ct_k = [zeros(T.cotangent_type(t)) if ct is None else ct for ct, t in zip(ct_k, out_types)]
        ct_y = [ct for ct in ct_y if ct is not None]
        fixed_c, fixed_x = [v for v, m in zip(c, lc) if not m], [v for v, m in zip(x, lx) if not m]
        acc = [zeros(T.cotangent_type(v.type)) for v, m in zip(c, lc) if m]
        sizes = [len(fixed_c), len(acc), len(ct_k), len(fixed_x), len(ct_y)]

        def back(*a):
            fc, total, ck, fx, cy = cut(a, sizes)
            outs = inline(body, (), [*fc, *fx, *ck, *cy])
            more, rest = outs[:len(acc)], outs[len(acc):]
            return [*[accumulate(p, q) for p, q in zip(total, more)], *rest]
        types = [v.type for v in (*fixed_c, *acc, *ct_k)] + [drop_dim(v.type, 0) for v in (*fixed_x, *ct_y)]
        wider = program(types, back)
        outs = bind(self.of(wider, len(fixed_c), len(acc) + len(ct_k), not self.reverse),
                    *fixed_c, *acc, *ct_k, *fixed_x, *ct_y)
        found = spread((*lc, *lk, *lx), outs)
        return [ct if is_lin else None for ct, is_lin in zip(found, linear)]


def a_linear(v, stand_in, args):
    return args[stand_in.index(v)]


def cut(seq, sizes):
    """Pieces of the given sizes (the last may be longer than what is left)."""
    out, i = [], 0
    for n in sizes:
        out.append(list(seq[i:i + n]))
        i += n
    return out


def hoist(T, early, num_consts, known_c):
    """Take what an early body computes from its constants alone out of the loop.

    Returns the equations to run before it, the body with what they make as further constants, and those constants'
    variables outside."""
    n = len(early.invars)
    once, body, late, count = T.split(early, (False,) * num_consts + (True,) * (n - num_consts), (True,) * len(early.outvars))
    made = [v for v in once.outvars if v.__class__ is not Literal]
    if not any(v not in once.invars for v in made):
        return [], early, list(known_c)
    # body takes (residuals, carry, xs); the residuals that are constants themselves keep their outer variables
    outer = dict(zip(once.invars, known_c))
    rename = dict(outer)
    eqns = []
    for e in once.eqns:
        outs = []
        for v in e.outs:
            rename[v] = Var(v.type)
            outs.append(rename[v])
        eqns.append(Eqn(e.op, tuple([rename.get(v, v) for v in e.ins]), tuple(outs), e.place))
    return eqns, body, [rename[v] for v in once.outvars[len(once.outvars) - count:]]


def lower_scan(op, emit, xs):
    """A while loop that slices the xs, runs the body and writes the ys into buffers made beforehand."""
    consts, carry, xs = op.parts(xs)
    _, ys = op.outs(emit.outs)
    body = held(op.jaxpr, op.num_consts, op.num_carry) if emit.one_cpu else op.jaxpr
    if op.length == 0:
        return [*carry, *[emit.constant(0, t) for t in ys]]
    unroll = max(1, min(op.unroll, op.length))
    trips, rest = divmod(op.length, unroll)

    def step(i, carry, buffers):
        """One step at position `i` (an HloValue), counted in the order of running."""
        at = i
        if op.reverse:
            at = emit.elementwise("stablehlo.subtract", [emit.scalar(op.length - 1), i], i.type)
        slices = [emit.index_leading(x, at) for x in xs]
        outs = emit.eqns(body, [*consts, *carry, *slices])
        new, y = outs[:op.num_carry], outs[op.num_carry:]
        return new, [emit.update_leading(b, v, at) for b, v in zip(buffers, y)]

    buffers = [emit.constant(0, t) for t in ys]
    k = len(carry)

    def body_fn(i, *state):
        carry, buffers = list(state[:k]), list(state[k:])
        at = i
        for j in range(unroll):
            carry, buffers = step(at, carry, buffers)
            if j + 1 < unroll:
                at = emit.elementwise("stablehlo.add", [at, emit.scalar(1)], at.type)
        return [emit.elementwise("stablehlo.add", [i, emit.scalar(unroll)], i.type), *carry, *buffers]

    zero = emit.scalar(0)
    state = emit.while_loop([zero, *carry, *buffers], lambda i, *_: emit.compare("LT", i, emit.scalar(trips * unroll)),
                            body_fn)
    carry, buffers = state[1:1 + k], state[1 + k:]
    for j in range(rest):
        carry, buffers = step(emit.scalar(trips * unroll + j), carry, buffers)
    return [*carry, *buffers]

