"""Repeats compiled once inside the programs that equations hold: bodies of loops, branches, calls, regions of shard_map."""
from __future__ import annotations

from collections import defaultdict

from gnomon.base.settings import current
from gnomon.ir.jaxpr import Eqn, Jaxpr, Var, intern
from gnomon.ops.nested.call import Jit
from gnomon.ops.nested.shard_map import ShardMap
from gnomon.passes.roll import MANY_ROWS, compile_repeats_once, cut_out, rewritten
from gnomon.types.sharding import P


def with_inner_programs(jaxpr):
    """(program, reports): the program with the programs that its equations hold, and those in them, rewritten too."""
    if current.roll == "off" and current.outline == "off" or not any([e.op.holds_programs for e in jaxpr.eqns]):
        return jaxpr, ()
    key = ("inside", current.roll, current.outline)
    found = jaxpr.memo.get(key)
    if found is None:
        found = jaxpr.memo[key] = Inside(jaxpr).result()
    return found


def whole(jaxpr):
    """(program, reports) of a program that an equation holds."""
    made, reports = compile_repeats_once(jaxpr)
    made, more = with_inner_programs(made)
    return intern(made), reports + more


class Inside:
    """One program whose equations are being rewritten.

    What one region of shard_map keeps for another, row by row of what a loop stacked, goes from one to the other in one piece."""

    def __init__(self, jaxpr):
        self.jaxpr = jaxpr
        self.out, self.reports = [], []
        self.rows = {}                      # variable -> (array, index): a result of a region that is cut out when needed

    def result(self):
        j = self.jaxpr
        for e in j.eqns:
            if e.op.holds_programs and not (isinstance(e.op, Jit) and e.op.keep):       # blocks were done when they were made
                e = self.region(e) if isinstance(e.op, ShardMap) else self.inside(e)
            self.need(e.ins)
            self.out.append(e)
        self.need(j.outvars)
        if len(self.out) == len(j.eqns) and all([a is b for a, b in zip(self.out, j.eqns)]):
            return j, tuple(self.reports)
        return Jaxpr(j.constvars, j.invars, self.out, j.outvars, j.names), tuple(self.reports)

    def need(self, variables):
        """Cut out those that are rows and were not."""
        for v in variables if self.rows else ():
            found = self.rows.pop(v, None)
            if found is not None:
                self.out.extend(cut_out(*found, v))

    def inside(self, e):
        new = {}
        for name in e.op.parameters:
            value = getattr(e.op, name)
            many = isinstance(value, tuple) and value and all([isinstance(p, Jaxpr) for p in value])
            if isinstance(value, Jaxpr) or many:
                done = [whole(p) for p in (value if many else (value,))]
                for _, reports in done:
                    self.reports.extend(reports)
                made = tuple([p for p, _ in done])
                if made != (value if many else (value,)):
                    new[name] = made if many else made[0]
        return Eqn(e.op.replace(**new), e.ins, e.outs, e.place) if new else e

    def region(self, e):
        op = e.op
        body, ins, in_specs = self.taking_whole(e)
        made, reports, rows = rewritten(body, True)
        if rows is not None and not self.alike(rows, op.out_specs):
            made, reports, rows = rewritten(body, False)
        made, more = with_inner_programs(made)
        self.reports.extend(reports + more)
        outs, out_specs = e.outs, op.out_specs
        if rows is not None:
            spec_of = {k: spec if i is None else P(None, *spec) for (k, i), spec in zip(rows, out_specs)}
            out_specs = tuple([spec_of[k] for k in range(len(made.outvars))])
            single = {k: v for (k, i), v in zip(rows, e.outs) if i is None}
            outs = tuple([single[k] if k in single else Var(op.whole(v.type, s)) for k, (v, s) in enumerate(zip(made.outvars, out_specs))])
            self.rows.update({v: (outs[k], i) for (k, i), v in zip(rows, e.outs) if i is not None})
        made = intern(made)
        if made is op.jaxpr:
            return e
        return Eqn(op.replace(jaxpr=made, in_specs=in_specs, out_specs=out_specs), ins, outs, e.place)

    def alike(self, rows, specs):
        """Whether each array has rows of one spec alone, and each other result is there once."""
        found = defaultdict(list)
        for (k, i), spec in zip(rows, specs):
            found[k].append((i is None, spec))
        return all([len(uses) == 1 or not uses[0][0] and len(set(uses)) == 1 for uses in found.values()])

    def taking_whole(self, e):
        """(body, operands, their specs) of a region that cuts rows out itself, where it takes many of one array."""
        op = e.op
        taken = defaultdict(list)           # (array, spec) -> positions of operands
        for n, (v, spec) in enumerate(zip(e.ins, op.in_specs)):
            if v in self.rows:
                taken[self.rows[v][0], spec].append(n)
        taken = {at: positions for at, positions in taken.items() if len(positions) >= MANY_ROWS}
        if not taken:
            return op.jaxpr, e.ins, op.in_specs
        gone = {n for positions in taken.values() for n in positions}
        kept = [n for n in range(len(e.ins)) if n not in gone]
        arrays, eqns = [], []
        for (array, spec), positions in taken.items():
            inner = Var(op.part(array.type, P(None, *spec)))
            arrays.append((array, P(None, *spec), inner))
            for n in positions:
                eqns.extend(cut_out(inner, self.rows[e.ins[n]][1], op.jaxpr.invars[n]))
        body = Jaxpr((), [*[op.jaxpr.invars[n] for n in kept], *[v for _, _, v in arrays]], [*eqns, *op.jaxpr.eqns], op.jaxpr.outvars)
        return body, (*[e.ins[n] for n in kept], *[a for a, _, _ in arrays]), (*[op.in_specs[n] for n in kept], *[s for _, s, _ in arrays])
