"""Find periodic runs of equations, in time linear in the program.

Equations are told apart by op and operand types. Equal ones at a common distance make a run of blocks; what is left to check is
that operands line up, so that the blocks differ only in the values they take:

* inside: made by the same block, at the same place in each;
* carried: made by the block before, at the same place in each (the first block takes a value from outside);
* outside: made before the run; the same for all blocks (an invariant) or one per block.
"""
from __future__ import annotations

import heapq
import itertools

import numpy as np

from gnomon.base.record import Record
from gnomon.types.effect import CALLBACK, ORDERED_CALLBACK, must_run

CALLBACKS = CALLBACK | ORDERED_CALLBACK
PER_LENGTH = 6          # how many periods are tried per length of stretch
LONGEST = 512           # equations in the longest stretch compared
SHORTEST = 3            # the least number of blocks of a run
MOST_TURNS = 8          # how many more numbers of steps are tried
TURNS = 1, 2, 3         # steps that may make up a block: carries that change places (a, b = b, f(a, b)) are back after some


class Run(Record):
    """`count` blocks of `period` equations from equation `start` on, and how each operand travels.

    `slots` maps (equation in the block, operand) to ("inside", equation, result), ("carried", equation, result) or ("outside",)."""

    start: int
    period: int
    count: int
    slots: dict = None

    @property
    def stop(self):
        return self.start + self.period * self.count

    @property
    def saved(self):
        """How many equations fewer the program has with one block in place of all."""
        return self.period * (self.count - 1)


def identities(eqns):
    """A small number per equation, equal for equations of the same op and operand types; effects other than callbacks are told apart
    from all."""
    table, out = {}, []
    for i, e in enumerate(eqns):
        key = (e.op, *[v.type for v in e.ins])
        if e.op.effects and must_run(e.op.effects) and not e.op.effects <= CALLBACKS:
            key = i
        out.append(table.setdefault(key, len(table)))
    return np.asarray(out)


def find_runs(eqns, ids=None, shortest=SHORTEST):
    """Runs of blocks that line up, not overlapping, in order; of those that overlap, the most saving. `ids`: their `identities`."""
    ids = identities(eqns) if ids is None else ids
    candidates = periods(ids)
    rough = []
    for p in candidates:
        for start, length in stretches(ids[:-p] == ids[p:]):
            count = length // p + 1
            if count >= shortest:
                rough.append(Run(start, p, count))
    # the most saving first: what is aligned is taken in its turn by what it saves itself, so that bits of a short period do not keep a
    # longer one, that lines up as a whole, from being found
    order = itertools.count()
    heap = [(-r.saved, r.period, next(order), r) for r in rough]
    heapq.heapify(heap)
    found, free = [], np.ones(len(eqns), bool)
    while heap:
        r = heapq.heappop(heap)[-1]
        now = clipped(r, free)
        if now.count < shortest:
            continue
        if now is r and r.slots is not None:
            found.append(r)
            free[r.start:r.stop] = False
            continue
        if now is not r:
            heapq.heappush(heap, (-now.saved, now.period, next(order), now))
            continue
        for times in turns(eqns, r):
            good = aligned(eqns, Run(r.start, r.period * times, r.count // times), shortest) if r.count >= shortest * times else []
            for g in good:
                heapq.heappush(heap, (-g.saved, g.period, next(order), g))
            if good and 2 * max([g.saved for g in good]) >= r.saved:
                break
    return sorted(found, key=lambda r: r.start)


def turns(eqns, run):
    """How many blocks of a run may make up one that lines up: a few, then the distances at which operands come from equally far back,
    as the rows of a table do whose cells are the blocks."""
    yield from TURNS
    if run.count > SHORTEST * max(TURNS):
        table = {}
        ids = np.asarray([table.setdefault(tuple(d), len(table)) for d in distances(eqns, run)])
        if len(table) < run.count:
            yield from [d for d in periods(ids)[:MOST_TURNS] if d not in TURNS]


def distances(eqns, run):
    """For each block of a run, how many results back each operand was made, 0 where that is outside the run."""
    made, n = {}, 0
    for b in range(run.count):
        out, first = [], n
        for e in eqns[run.start + b * run.period:run.start + (b + 1) * run.period]:
            out.extend([first + 1 - made[v] if v in made else 0 for v in e.ins])
            for v in e.outs:
                made[v] = n = n + 1
        yield out


def periods(ids):
    """The commonest distances between equal stretches of 1, 2, 4, ... equations: a stretch longer than what repeats inside a block
    tells the block's own period."""
    found, h, w = {}, ids.astype(np.uint64) + np.uint64(1), 1
    factor = np.array([0x9E3779B97F4A7C15], np.uint64)      # an array: its product wraps around without a warning
    while len(h) > w and w <= LONGEST:
        order = np.argsort(h, kind="stable")
        same = h[order[1:]] == h[order[:-1]]
        distances, counts = np.unique((order[1:] - order[:-1])[same], return_counts=True)
        for i in np.argsort(-counts, kind="stable")[:PER_LENGTH]:
            found.setdefault(int(distances[i]), None)
        with np.errstate(over="ignore"):
            h, factor, w = h[:-w] * factor + h[w:], factor * factor, 2 * w      # hashes of stretches twice as long
    return list(found)


def stretches(flags):
    """(start, length) of each stretch of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(a, b - a) for a, b in edges.reshape(-1, 2).tolist()]


def clipped(run, free):
    """The longest part of a run whose equations are free, in whole blocks; of no blocks where none is."""
    start, length = max(stretches(free[run.start:run.stop]), key=lambda s: s[1], default=(0, 0))
    return run if length == run.stop - run.start else Run(run.start + start, run.period, length // run.period)


def aligned(eqns, run, shortest):
    """The parts of a run whose operands line up. A run may begin anywhere in its period: where the first try breaks off early,
    the remaining blocks are tried on their own."""
    blocks = Blocks(eqns, run)
    forms, found, first = blocks.forms, [], 0
    while run.count - first >= shortest:
        second = first + 1
        if not compatible(forms[first], forms[second]):
            first += 1
            continue
        end = second + 1
        while end < run.count and forms[end] == forms[second] and blocks.furthest[end] < first:
            end += 1
        if end - first >= shortest:
            found.append(Run(run.start + first * run.period, run.period, end - first, blocks.slots(second)))
            first = end
        else:
            first += 1
    return found


OUTSIDE = -1


class Blocks:
    """How the operands of a run's blocks travel.

    `forms` has a list of numbers for each block, one per operand: OUTSIDE; where it was made in the block, a number from 0 on that
    says where; in the block before, one below -1 that says the same. Of a value made further back, `furthest` has the last block
    that made one (-1: none).
    """

    def __init__(self, eqns, run):
        self.eqns, self.run = eqns, run
        start, period = run.start, run.period
        self.width = width = 1 + max([len(e.outs) for e in eqns[start:start + period]])
        length = period * width                 # places of a block
        made = {v: j * width + o for j, e in enumerate(eqns[start:run.stop]) for o, v in enumerate(e.outs)}
        place = made.get
        self.forms, self.furthest = [], []
        for b in range(run.count):
            low = b * length
            form, far = [], -1
            for e in eqns[start + b * period:start + (b + 1) * period]:
                for v in e.ins:
                    at = place(v)
                    if at is None:
                        form.append(OUTSIDE)
                    elif at >= low:
                        form.append(at - low)
                    elif at >= low - length:
                        form.append(low - length - at - 2)
                    else:
                        form.append(OUTSIDE)
                        far = max(far, at // length)
            self.forms.append(form)
            self.furthest.append(far)

    def slots(self, b):
        """Block `b`'s operands, as in Run."""
        numbers = iter(self.forms[b])
        base = self.run.start + b * self.run.period
        return {(j, a): self.kind(next(numbers)) for j in range(self.run.period) for a in range(len(self.eqns[base + j].ins))}

    def kind(self, number):
        if number == OUTSIDE:
            return ("outside",)
        return ("inside", *divmod(number, self.width)) if number >= 0 else ("carried", *divmod(-number - 2, self.width))


def compatible(first, second):
    """Whether a block can be the first of a run whose other blocks are like `second`: what is carried comes from outside in it."""
    return first == second or all([have == kind or kind < OUTSIDE and have <= OUTSIDE for have, kind in zip(first, second)])
