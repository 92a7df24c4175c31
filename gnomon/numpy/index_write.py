"""Writing at an index: what `x.at[index].set(y)` and its kin do once the index has a form (see index_plan.py)."""
from __future__ import annotations

import numpy as np

from gnomon.ir.jaxpr import Literal
from gnomon.numpy.index_plan import (DEFAULT, INT32, Given, IndexVectors, Layout, One, Run, cut_of, note_outside,
                                     remember)
from gnomon.ops.indexing import FILL_OR_DROP, PROMISE_IN_BOUNDS, Gather, Scatter
from gnomon.ops.compare import select_n
from gnomon.ops.place import Reshard
from gnomon.ops.shape import BroadcastInDim, Squeeze, full
from gnomon.ops.slicing import DynamicUpdateSlice, Pad, Rev, Slice
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_key
from gnomon.types.sharding import abstract_sharding, parts_of
from gnomon.types.value_type import ArrayType

_BOOL = ArrayType((), np.dtype(bool))
_update = DynamicUpdateSlice()


class Spread:
    """Brings updates of any shape that broadcasts to the result of reading at an index into the shape that is
    written."""

    __slots__ = ("shape", "items", "window", "place", "backwards", "memo")

    def __init__(self, layout, window, place, backwards):
        self.shape = layout.result_shape()
        self.items = layout.items
        self.window = window            # the shape that is written
        self.place = place              # the dimension of `window` for each item that is no new dimension, in order
        self.backwards = backwards      # which of these are written in reverse order
        self.memo = {}

    def __call__(self, y):
        shape = y.type.shape
        ops = self.memo.get(shape)
        if ops is None:
            ops = self.memo[shape] = self.plan(shape)
        for op in ops:
            y = bind(op, y)
        return y

    def plan(self, shape):
        check_broadcasts(shape, self.shape)
        ops, items = [], self.items[len(self.shape) - len(shape):]
        new = tuple([i for i, item in enumerate(items) if item[0] == "new"])
        if new:
            ops.append(Squeeze(new))
        sizes = [n for i, n in enumerate(shape) if i not in new]
        kept = list(range(len(self.place) - len(sizes), len(self.place)))
        turned = tuple([i for i, k in enumerate(kept) if k in self.backwards and sizes[i] != 1])
        if turned:
            ops.append(Rev(turned))
        to = tuple([self.place[k] for k in kept])
        if tuple(sizes) != self.window or len(to) != len(self.window):
            ops.append(BroadcastInDim(self.window, to))
        return tuple(ops)


def check_broadcasts(shape, target):
    """ValueError where an update's shape does not broadcast to the shape of what is indexed."""
    skipped = len(target) - len(shape)
    if skipped < 0 or any(m is not n and m != n and m != 1 for m, n in zip(shape, target[skipped:])):
        raise ValueError(f"An update of shape {shape} does not broadcast to the shape {target} of what is indexed.")


class StaticWrite:
    """Writes where everything is known, and no element twice."""

    __slots__ = ("spread", "cut", "starts", "whole", "pad", "nothing")

    def __init__(self, layout):
        entries = layout.entries
        window = tuple([1 if e.__class__ is One else e.size for e in entries])
        runs = [item[1] for item in layout.items if item[0] == "run"]
        backwards = {i for i, d in enumerate(runs) if entries[d].backwards}
        self.spread = Spread(layout, window, runs, backwards)
        cut = [cut_of(e) for e in entries]
        self.nothing = any(n.__class__ is int and n == 0 for n in window)
        self.whole = all(c == (0, n, 1) for c, n in zip(cut, layout.shape))
        steps = tuple([c[2] for c in cut])
        strided = any(s != 1 for s in steps)
        self.cut = None if self.whole or self.nothing else Slice(*map(tuple, zip(*[c[:2] for c in cut])),
                                                                 steps if strided else None)
        self.starts = [number(c[0]) for c in cut]
        self.pad = None
        if strided:
            self.pad = Pad(tuple([(c[0], n - c[1], c[2] - 1) for c, n in zip(cut, layout.shape)]))

    def write(self, x, given, y, combine):
        """`x` with what `combine` makes of the old and the given elements; None: the given ones themselves."""
        if self.nothing:
            return x
        if combine is not None:
            old = x if self.cut is None else bind(self.cut, x)
            y = combine(old, y if not y.type.shape else self.spread(y))
            if y.type.shape != self.spread.window:
                y = bind(BroadcastInDim(self.spread.window, ()), y)
        else:
            y = self.spread(y)
        if self.whole:
            return y
        if self.pad is None:
            return bind(_update, x, y if x.type.sharding is None else sharded_like(y, x), *self.starts)
        zero = full(ArrayType((), x.type.dtype), 0)
        around = bind(self.pad, full(ArrayType(self.spread.window, _BOOL.dtype), False), Literal(True, _BOOL))
        return select_n(around, bind(self.pad, y, zero), x)


def sharded_like(y, x):
    """An update that has no sharding as that of `x` says, along the dimensions that it splits evenly."""
    if y.type.sharding is not None:
        return y
    parts = parts_of(x.type.sharding, x.type.ndim)
    spec = tuple([axes if n % k == 0 else None for axes, k, n in zip(x.type.spec, parts, y.type.shape)])
    return bind(Reshard(abstract_sharding(x.type.sharding.mesh, spec)), y) if any(spec) else y


def number(n):
    return Literal(n, ArrayType((), INT32)) if n.__class__ is int else n


class VectorWrite:
    """Writes at places given, by a scatter."""

    __slots__ = ("vectors", "spread", "options", "gather", "once")

    def __init__(self, layout, options):
        self.vectors = v = IndexVectors(layout, options)
        self.spread = Spread(layout, v.shape, list(range(len(v.shape))), set(v.backwards))
        mode = FILL_OR_DROP if options.mode is None else options.mode
        in_order, self.once = options.indices_are_sorted or v.is_alone, options.unique_indices or v.is_alone
        self.options = (v.scatter_numbers(), mode, in_order, self.once)
        self.gather = Gather(v.gather_numbers(), v.sizes, PROMISE_IN_BOUNDS, None, in_order, self.once)

    def scatter(self, kind, x, given, y):
        """A scatter of the class `kind`."""
        return bind(kind(*self.options), x, self.vectors.indices(given), self.spread(y))

    def write(self, x, given, y, combine):
        """`x` with what `combine` makes of the old and the given elements, where no element is written twice."""
        indices = self.vectors.indices(given)
        new = self.spread(y) if y.type.shape or combine is None else y
        if combine is not None:
            new = combine(bind(self.gather, x, indices), new)
            if new.type.shape != self.vectors.shape:
                new = bind(BroadcastInDim(self.vectors.shape, ()), new)
        return bind(Scatter(*self.options), x, indices, new)


class NoWrite:
    """Writes nothing, as the index is empty; updates are still checked."""

    __slots__ = ("shape",)

    def __init__(self, layout):
        self.shape = layout.result_shape()

    def write(self, x, given, y, combine):
        check_broadcasts(y.type.shape, self.shape)
        return x


def writer(t, form, options=DEFAULT):
    """What writes at an index of this form into a value of type `t`."""
    found = _writers.get((t, form, options))
    if found is None:
        layout = Layout(t.shape, form, options)
        note_outside(layout, options)
        given = any(e.__class__ is Given for e in layout.entries)
        if 0 in layout.result_shape() or 0 in t.shape:
            found = NoWrite(layout)
        elif not given and not layout.outside and not (is_key(t.dtype) and strided(layout)):
            found = StaticWrite(layout)
        else:
            found = VectorWrite(layout, options)
        if not layout.outside:      # else it is announced each time
            remember(_writers, (t, form, options), found)
    return found


def strided(layout):
    return any(e.__class__ is Run and e.step != 1 for e in layout.entries)


_writers: dict = {}
