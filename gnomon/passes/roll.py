"""Repeats compiled once: a long periodic run becomes a scan ("roll"), equal blocks become calls of one function ("outline").

Runs come from passes/repeats.py, the choice from passes/cost.py. A scan takes its per-step inputs from one array where the
program takes rows of one (`xs[i]`, or values that an earlier scan stacked), else they are stacked beforehand; per-step values
used later are rows of the scan's stacked outputs, cut out only where somebody needs a single one.
"""
from __future__ import annotations

from collections import Counter

import numpy as np

from gnomon.base.announce import tell
from gnomon.base.record import Record
from gnomon.base.settings import current
from gnomon.base.source import file_line
from gnomon.ir.dims import insert_dim
from gnomon.ir.jaxpr import Eqn, Jaxpr, Literal, Var, intern
from gnomon.ops.arithmetic import Add, Mul
from gnomon.ops.nested.call import Jit
from gnomon.ops.nested.scan import Scan
from gnomon.ops.shape import BroadcastInDim, Reshape, Squeeze
from gnomon.ops.slicing import Concatenate, Rev, Slice
from gnomon.passes.cost import PER_NUMBER, VIEWS, choose, effort, kernel_seconds, size_in_bytes, weight
from gnomon.passes.flatten import flatten
from gnomon.passes.repeats import find_runs, identities
from gnomon.passes.windows import Moving
from gnomon.types.effect import must_run
from gnomon.types.value_type import ArrayType

SMALL = 24              # equations below which a program is not looked at
MANY_ROWS = 16          # results that are rows of stacked ones from which they are left in one piece (cutting each is a kernel)
ROWS = 8                # single rows taken of one array from which they are looked at as rows


class Report(Record):
    """What was done with a run of blocks."""

    kind: str
    count: int
    period: int
    file: str
    line: int

    def __str__(self):
        where = f" at {self.file.rsplit('/', 1)[-1]}:{self.line}" if self.file else ""
        if self.kind == "roll":
            return f"rolled {self.count:,} steps of the loop{where} into a scan"
        return f"compiled {self.count} equal blocks of {self.period} equations{where} once"


def compile_repeats_once(jaxpr):
    """The program with its repeats rolled or outlined, and reports of what was done; remembered on it."""
    return rewritten(jaxpr, False)[:2]


def rewritten(jaxpr, whole_rows):
    """(program, reports, rows): the program with its repeats compiled once. With `whole_rows`, results that are rows of what a scan
    stacked may be left in one piece: then `rows` has, per result of `jaxpr`, (result of the program, row or None); else it is None."""
    if current.roll == "off" and current.outline == "off":
        return jaxpr, (), None
    key = ("repeats", current.roll, current.outline, whole_rows)
    found = jaxpr.memo.get(key)
    if found is None:
        flat = flatten(jaxpr)
        found = jaxpr.memo[key] = (jaxpr, (), None) if sum([weight(e) for e in flat.eqns]) < SMALL else Rewrite(flat).result(jaxpr, whole_rows)
    return found


class Rewrite:
    """One program being rewritten."""

    def __init__(self, jaxpr):
        self.jaxpr = jaxpr
        self.out = []                       # the new equations
        self.rows = {}                      # variable -> (array, index): a row that is cut out when needed
        self.held = {}                      # variable -> (array, index): a row that is there by itself, too
        self.cut = set()                    # the rows that were
        self.spread = {}                    # variable -> a row with a leading dimension of size 1
        self.alias = {}                     # variable -> the variable that holds the same
        self.reports = []
        moving = Moving(self.take_rows(jaxpr.eqns), jaxpr.outvars)
        self.seq, self.originals, self.lazy = moving.seq, moving.originals, moving.lazy
        self.looped = set()                 # parts of what a window stands for that a loop or block makes
        self.last_use = last_use = {}       # variable -> the last equation of seq that uses it; behind them come the results
        for i, e in enumerate(self.seq):
            for v in e.ins:
                last_use[v] = i
        last_use.update(dict.fromkeys(jaxpr.outvars, len(self.seq)))
        self.weights = [weight(e) for e in self.seq]
        self.efforts = [effort(e) for e in self.seq]
        self.kinds = identities(self.seq)
        self.how_many = np.bincount(self.kinds)
        self.changed = False
        self.rolled = 0                     # equations in the bodies of loops

    # -- rows --------------------------------------------------------------------------------------------------

    def take_rows(self, eqns):
        """Take the equations that cut single rows out of one array from the sequence, where there are many of them."""
        cut, counts = {}, Counter()
        for e in eqns:
            if isinstance(e.op, Slice):
                at = row_index(e.op, e.ins[0].type)
                if at is not None:
                    cut[e.outs[0]] = (e.ins[0], at)
                    counts[e.ins[0]] += 1
        many = {x for x, n in counts.items() if n >= ROWS}
        if not many:
            return list(eqns)
        kept, sliced, first = [], {}, {}
        for e in eqns:
            out = e.outs[0] if e.outs else None
            if out in cut and cut[out][0] in many:
                sliced[out] = e
                continue
            if e.ins and e.ins[0] in sliced and drops_leading_one(e):
                row = self.rows[out] = cut[e.ins[0]]
                if first.setdefault(row, out) is not out:
                    self.alias[out] = first[row]        # it was taken before
                continue
            for v in e.ins:                 # a slice that is used as it is
                if v in sliced:
                    kept.append(sliced.pop(v))
            kept.append(e)
        kept_outs = {v for e in kept for v in e.outs}
        return kept + [e for v, e in sliced.items() if v in self.jaxpr.outvars and v not in kept_outs]

    def ensure(self, v):
        """The variable, cut out of its array now if it is a row that was not."""
        v = self.alias.get(v, v)
        if v.__class__ is Literal:
            return v
        if v in self.lazy:
            e = self.lazy.pop(v)
            self.out.append(Eqn(e.op, tuple([self.ensure(x) for x in e.ins]), e.outs, e.place))
            return v
        if v in self.spread:
            row = self.ensure(self.spread.pop(v))
            self.out.append(Eqn(BroadcastInDim(v.type.shape, tuple(range(1, v.type.ndim))), (row,), (v,)))
            return v
        found = self.rows.get(v)
        if found is None or v in self.cut:
            return v
        self.cut.add(v)
        self.out.extend(cut_out(self.ensure(found[0]), found[1], v))
        return v

    def emit(self, e):
        out = e.outs[0] if e.outs else None
        if out in self.lazy:
            return
        written = not self.looped or not any([v in self.looped for v in e.ins])
        for e in self.originals.get(out, (e,)) if written else (e,):
            self.out.append(Eqn(e.op, tuple([self.ensure(v) for v in e.ins]), e.outs, e.place))

    # -- the rewrite -------------------------------------------------------------------------------------------

    def result(self, original, whole_rows):
        at = 0
        runs = find_runs(self.seq, self.kinds)
        self.kernel = kernel_seconds(len(self.seq), runs)
        for run in runs:
            if self.only_views(run):
                continue
            for e in self.seq[at:run.start]:
                self.other(e)
            at = run.start
            what, operands, later = self.decide(run)
            if what is None:
                continue
            file, line = file_line(self.seq[run.start].place) or ("", 0)
            report = Report(what, run.count, self.weight_of(run), file, line)
            self.reports.append(report)
            if (current.roll if what == "roll" else current.outline) == "on":
                for e in self.seq[run.start:run.stop]:
                    for v in e.outs:
                        if self.lazy.pop(v, None):
                            self.looped.add(v)
                (self.roll if what == "roll" else self.outline)(run, operands, later)
                self.changed = True
                at = run.stop
                tell(str(report))
            else:
                tell(f"would have {report}")
        for e in self.seq[at:]:
            self.other(e)
        if not self.changed:
            return original, tuple(self.reports), None
        j = self.jaxpr
        outs, rows = list(j.outvars), None
        left = [v for v in outs if v.__class__ is Var and v in self.rows and v not in self.cut]
        if whole_rows and len(left) >= MANY_ROWS:
            places = [self.rows[v] if v in left else (v, None) for v in outs]
            outs = list(dict.fromkeys(v for v, _ in places))
            rows = tuple((outs.index(v), i) for v, i in places)
        return Jaxpr(j.constvars, j.invars, self.out, [self.ensure(v) for v in outs], j.names), tuple(self.reports), rows

    def has_effects(self, run):
        """Whether a run calls back: a scan keeps the order, calls of blocks are not asked to."""
        return any(e.op.effects and must_run(e.op.effects) for e in self.seq[run.start:run.start + run.period])

    def only_views(self, run):
        """Whether the blocks of a run only give values another shape, as where a list is stacked: there is nothing to compile."""
        return all([e.op.op_name in VIEWS and e.ins[0].type.size == e.outs[0].type.size for e in self.seq[run.start:run.start + run.period]])

    def other(self, e):
        """An equation outside the runs; putting rows together again gives the array they came from."""
        if isinstance(e.op, BroadcastInDim) and (e.ins[0] in self.rows or e.ins[0] in self.held) and is_spread(e):
            self.spread[e.outs[0]] = e.ins[0]
            return
        if isinstance(e.op, Concatenate) and e.op.dimension == 0 and any(v in self.spread for v in e.ins):
            e = self.joined(e)
            if e is None:
                return
        self.emit(e)

    def joined(self, e):
        """A concatenation with rows that stand one behind the other taken in one piece; None where that is all there is."""
        pieces, at = [], 0
        while at < len(e.ins):
            to = at
            while to < len(e.ins) and e.ins[to] in self.spread:
                to += 1
            values = [self.spread[v] for v in e.ins[at:to]]
            if len(self.segments(values)) < len(values):
                pieces.append(self.stack(values, False))
            else:
                to = max(to, at + 1)
                pieces.extend(e.ins[at:to])
            at = to
        if len(pieces) == 1:
            self.alias[e.outs[0]] = pieces[0]
            return None
        return Eqn(e.op, tuple(pieces), e.outs, e.place)

    def decide(self, run):
        """(what to do with the run or None, its operands, what is used of it later)."""
        operands, later = self.operands(run), self.used_later(run)
        copied = stacked = cuts = pieces = 0
        put_together = set()
        for values in operands[1].values():
            nbytes = sum(size_in_bytes(v.type) for v in values)
            copied += nbytes
            if all(v.__class__ is Literal for v in values):
                continue
            to_cut = sum(v in self.rows and v not in self.cut for v in values if v.__class__ is Var)
            cuts += to_cut * (PER_NUMBER if values[0].type.size == 1 else 1)
            segments = len(self.segments(values))
            if segments > 1:
                stacked += nbytes
                pieces += segments if tuple(map(id, values)) not in put_together else 0
                put_together.add(tuple(map(id, values)))
        for j, o in later[0]:
            copied += run.count * size_in_bytes(self.seq[run.start + j].outs[o].type)
        period = sum(self.efforts[run.start:run.start + run.period])
        what = choose(sum(self.efforts), period, run.count, copied, stacked, cuts, current.roll != "off",
                      current.outline != "off" and not self.has_effects(run), len(put_together) + len(later[0]), self.kinds_outside(run),
                      self.rolled, self.kernel, pieces)
        return what, operands, later

    def weight_of(self, run):
        """How many equations a block has, with those of the programs that they hold."""
        return sum(self.weights[run.start:run.start + run.period])

    def kinds_outside(self, run):
        """How many kinds of equations of a run are outside it, too."""
        kinds, counts = np.unique(self.kinds[run.start:run.stop], return_counts=True)
        return int(np.count_nonzero(self.how_many[kinds] > counts))

    def segments(self, values):
        """Values as stretches of rows of one array at one distance, [array, first, last, distance], and single values."""
        out = []
        for v in values:
            found = self.rows.get(v, self.held.get(v)) if v.__class__ is Var else None
            if found is None:
                out.append(v)
                continue
            array, i = found
            before = out[-1] if out and out[-1].__class__ is list else None
            if before is not None and before[0] is array and i != before[2] and before[3] in (0, i - before[2]):
                before[2:] = i, i - before[2]
            else:
                out.append([array, i, i, 0])
        return out

    def direction(self, values):
        """1 where most of the values are rows of an array in rising order, -1 in falling order, else 0."""
        best = max((s for s in self.segments(values) if s.__class__ is list), key=lambda s: abs(s[2] - s[1]), default=None)
        if best is None or 2 * abs(best[2] - best[1]) < len(values) * abs(best[3]):
            return 0
        return 1 if best[2] > best[1] else -1

    def operands(self, run):
        """Invariant operands by slot, and per-step operands: slot -> the value in each block."""
        invariant, per_step, columns = {}, {}, {}
        for (j, a), kind in run.slots.items():
            if kind[0] != "outside":
                continue
            if j not in columns:
                columns[j] = [e.ins for e in self.seq[run.start + j:run.stop:run.period]]
            values = [self.alias.get(ins[a], ins[a]) for ins in columns[j]]
            first = values[0]
            if values.count(first) == run.count or first.__class__ is Literal and equal_literals(values):
                invariant[j, a] = first
            else:
                per_step[j, a] = values
        return invariant, per_step

    def used_later(self, run):
        """Places in the block whose values are used outside the run: those used of some block before the last, and those used of
        the last block only."""
        every, last, last_use, stop = [], [], self.last_use, run.stop
        for j in range(run.period):
            column = self.seq[run.start + j:stop:run.period]
            for o in range(len(column[0].outs)):
                lives = [last_use.get(e.outs[o], -1) >= stop for e in column]
                if True in lives[:-1]:
                    every.append((j, o))
                elif lives[-1]:
                    last.append((j, o))
        return every, last

    # -- roll --------------------------------------------------------------------------------------------------

    def roll(self, run, operands, later):
        (invariant, per_step), (every, last) = operands, later
        block = self.seq[run.start + run.period:run.start + 2 * run.period]
        consts, carries, xs = {}, {}, {}
        place_of = {}
        for slot, v in invariant.items():
            if v.__class__ is Literal:
                place_of[slot] = v
            else:
                place_of[slot] = consts.setdefault(v, Var(v.type))
        for slot, kind in run.slots.items():
            if kind[0] == "carried":
                init = self.seq[run.start + slot[0]].ins[slot[1]]
                key = (kind[1:], init.key if init.__class__ is Literal else init)
                if key not in carries:
                    carries[key] = (init, Var(init.type))
                place_of[slot] = carries[key][1]
        for slot, values in per_step.items():
            key = tuple([v.key if v.__class__ is Literal else self.rows.get(v, v) for v in values])
            if key not in xs:
                xs[key] = (values, Var(values[0].type))
            place_of[slot] = xs[key][1]
        made, known = {}, {}
        eqns = counted(xs)
        # the body: one block over its own variables, without what is the same in every step or computed twice
        same = {inner: outer for outer, inner in consts.items()}
        for j, e in enumerate(block):
            ins = tuple([made[run.slots[j, a][1:]] if run.slots[j, a][0] == "inside" else place_of[j, a] for a in range(len(e.ins))])
            key = e.op, *[v.key if v.__class__ is Literal else v for v in ins]
            runs = e.op.effects and must_run(e.op.effects)
            outs = None if runs else known.get(key)
            if outs is None:
                place = self.seq[run.start + j].place
                outs = known[key] = tuple([Var(v.type) for v in e.outs])
                if not runs and all([v.__class__ is Literal or v in same for v in ins]):
                    before = tuple([Var(v.type) for v in outs])
                    self.out.append(Eqn(e.op, tuple([self.ensure(same.get(v, v)) for v in ins]), before, place))
                    for v, inner in zip(before, outs):
                        consts[v], same[inner] = inner, v
                else:
                    eqns.append(Eqn(e.op, ins, outs, place))
            for o, v in enumerate(outs):
                made[j, o] = v
        carried_at = {}
        for (at, _), (_, v) in carries.items():
            carried_at.setdefault(at, v)
        for at in [at for at in (*every, *last) if made[at] in same]:
            for b in range(run.count):
                self.alias[self.seq[run.start + b * run.period + at[0]].outs[at[1]]] = same[made[at]]
        every, last = [at for at in every if made[at] not in same], [at for at in last if made[at] not in same]
        only_last = [at for at in last if at not in carried_at]
        directions = [self.direction(values) for values, _ in xs.values()]
        reverse = directions.count(-1) > directions.count(1)
        x_vars = [self.stack(values, reverse) for values, _ in xs.values()]
        inits = [self.ensure(init) for init, _ in carries.values()] + [self.zeros(made[at].type) for at in only_last]
        dummies = [Var(made[at].type) for at in only_last]
        used = {v for e in eqns for v in e.ins} | {made[at] for at, _ in carries}
        consts = {outer: v for outer, v in consts.items() if v in used}
        body = Jaxpr((), [*consts.values(), *[v for _, v in carries.values()], *dummies, *[v for _, v in xs.values()]], eqns,
                     [*[made[at] for at, _ in carries], *[made[at] for at in only_last], *dict.fromkeys(made[at] for at in every)])
        self.rolled += len(eqns)
        inner, inner_reports = compile_repeats_once(body)
        self.reports.extend(inner_reports)
        op = Scan(intern(inner), run.count, len(consts), len(carries) + len(only_last), reverse, 1)
        final = self.seq[run.stop - run.period:run.stop]
        outs, given = [], set()
        for at in [*[at for at, _ in carries], *only_last]:
            v = final[at[0]].outs[at[1]]
            outs.append(v if v not in given else Var(v.type))
            given.add(v)
        stacked = {}
        for at in every:
            y = stacked.get(made[at])
            if y is None:
                y = stacked[made[at]] = Var(insert_dim(made[at].type, 0, run.count))
                outs.append(y)
            for b in range(run.count):
                v = self.seq[run.start + b * run.period + at[0]].outs[at[1]]
                (self.held if v in given else self.rows)[v] = (y, run.count - 1 - b if reverse else b)
        ins = (*[self.ensure(v) for v in consts], *inits, *x_vars)
        self.out.append(Eqn(op, ins, tuple(outs), self.seq[run.start].place))

    def stack(self, values, reverse):
        """One array with the values as rows, in the order in which a scan (run backward, if `reverse`) takes them."""
        if reverse:
            values = values[::-1]
        if all(v.__class__ is Literal for v in values):
            t = values[0].type
            array = np.asarray([v.value for v in values], t.dtype)
            return Literal(array, ArrayType(array.shape, t.dtype, t.weak_type))
        pieces = []
        for segment in self.segments(values):
            if segment.__class__ is list:
                pieces.append(self.part(*segment))
                continue
            v = self.ensure(segment)
            piece = Var(insert_dim(v.type, 0, 1))
            self.out.append(Eqn(BroadcastInDim(piece.type.shape, tuple(range(1, piece.type.ndim))), (v,), (piece,)))
            pieces.append(piece)
        if len(pieces) == 1:
            return pieces[0]
        whole = Var(insert_dim(values[0].type, 0, len(values)))
        self.out.append(Eqn(Concatenate(0), tuple(pieces), (whole,)))
        return whole

    def part(self, array, first, last, distance):
        """Every so many rows from first to last of an array (in falling order where last < first)."""
        array = self.ensure(array)
        low, high, stride = min(first, last), max(first, last) + 1, abs(distance) or 1
        t = array.type
        if (low, high, stride) != (0, t.shape[0], 1):
            cut = Var(insert_dim(t.with_shape(t.shape[1:]), 0, (high - low - 1) // stride + 1))
            strides = (stride, *(1,) * (t.ndim - 1)) if stride > 1 else None
            self.out.append(Eqn(Slice((low, *(0,) * (t.ndim - 1)), (high, *t.shape[1:]), strides), (array,), (cut,)))
            array = cut
        if last < first:
            turned = Var(array.type)
            self.out.append(Eqn(Rev((0,)), (array,), (turned,)))
            array = turned
        return array

    def zeros(self, t):
        zero = Literal(np.zeros((), t.dtype)[()], ArrayType((), t.dtype, t.weak_type))
        if not t.shape:
            return zero
        v = Var(t)
        self.out.append(Eqn(BroadcastInDim(t.shape, ()), (zero,), (v,)))
        return v

    # -- outline -----------------------------------------------------------------------------------------------

    def outline(self, run, operands, later):
        (invariant, _), (every, last) = operands, later
        block = self.seq[run.start + run.period:run.start + 2 * run.period]
        inputs, made, eqns = {}, {}, []         # inputs: what tells an operand apart -> (a slot, Var)
        for j, e in enumerate(block):
            ins = []
            for a, v in enumerate(e.ins):
                kind = run.slots[j, a]
                if kind[0] == "inside":
                    ins.append(made[kind[1:]])
                    continue
                if (j, a) in invariant and v.__class__ is Literal:
                    ins.append(v)
                    continue
                key = tuple([x.key if x.__class__ is Literal else x for x in
                             [self.seq[run.start + b * run.period + j].ins[a] for b in range(run.count)]])
                if key not in inputs:
                    inputs[key] = ((j, a), Var(v.type))
                ins.append(inputs[key][1])
            outs = tuple([Var(v.type) for v in e.outs])
            for o, v in enumerate(outs):
                made[j, o] = v
            eqns.append(Eqn(e.op, tuple(ins), outs, self.seq[run.start + j].place))
        carried = {kind[1:] for kind in run.slots.values() if kind[0] == "carried"}
        given = list(dict.fromkeys([*sorted(carried), *every, *last]))
        body = Jaxpr((), [v for _, v in inputs.values()], eqns, [made[at] for at in given])
        inner, inner_reports = compile_repeats_once(body)
        self.reports.extend(inner_reports)
        op = Jit(intern(inner), "block", False, True)
        for b in range(run.count):
            base = run.start + b * run.period
            ins = tuple([self.ensure(self.seq[base + j].ins[a]) for (j, a), _ in inputs.values()])
            outs = tuple([self.seq[base + j].outs[o] for j, o in given])
            self.out.append(Eqn(op, ins, outs, self.seq[base].place))


def counted(xs):
    """Equations of a body for numbers per step that count from a start by a stride: all are functions of the first such that a step is
    given; they are taken out of `xs`."""
    eqns, counters = [], {}
    for key, (values, v) in list(xs.items()):
        series = progression(values)
        if series is None:
            continue
        start, stride = series
        if v.type not in counters or stride % counters[v.type][1]:
            counters.setdefault(v.type, (start, stride, v))
            continue
        first, by, counter = counters[v.type]
        factor = stride // by
        if factor != 1:
            multiple = Var(v.type)
            eqns.append(Eqn(Mul(), (counter, Literal(v.type.dtype.type(factor), v.type)), (multiple,)))
            counter = multiple
        eqns.append(Eqn(Add(), (counter, Literal(v.type.dtype.type(start - factor * first), v.type)), (v,)))
        del xs[key]
    return eqns


def progression(values):
    """(start, stride) of integers that go up or down by the same, else None."""
    t = values[0].type
    if not all([v.__class__ is Literal for v in values]) or t.shape or t.dtype.kind != "i" or t.dtype.itemsize < 4:
        return None
    start, stride = int(values[0].value), int(values[1].value) - int(values[0].value)
    if any([int(v.value) != start + k * stride for k, v in enumerate(values)]):
        return None
    return (start, stride) if stride else None


def equal_literals(values):
    key = values[0].key
    return all([v.__class__ is Literal and v.key == key for v in values])


def row_index(op, t):
    """The index of the single row along the leading dimension that a slice takes, whole otherwise; or None."""
    if not t.shape or t.shape[0] < 2 or op.strides is not None and any(s != 1 for s in op.strides):
        return None
    i = op.start_indices[0]
    whole = op.limit_indices[0] == i + 1 and not any(op.start_indices[1:]) and tuple(op.limit_indices[1:]) == t.shape[1:]
    return i if whole else None


def cut_out(array, i, v):
    """Equations that give `v`, row i of an array."""
    piece, t = Var(insert_dim(v.type, 0, 1)), array.type
    return (Eqn(Slice((i, *(0,) * (t.ndim - 1)), (i + 1, *t.shape[1:])), (array,), (piece,)), Eqn(Squeeze((0,)), (piece,), (v,)))


def drops_leading_one(e):
    """Whether an equation drops the leading dimension of size 1 of its operand and nothing else."""
    if isinstance(e.op, Squeeze):
        return e.op.dimensions == (0,)
    return isinstance(e.op, Reshape) and e.op.new_sizes == e.ins[0].type.shape[1:]


def is_spread(e):
    """Whether an equation gives its operand a leading dimension of size 1."""
    t = e.ins[0].type
    return e.op.shape == (1, *t.shape) and e.op.broadcast_dimensions == tuple(range(1, t.ndim + 1))
