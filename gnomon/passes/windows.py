"""Windows that move with a loop's counter: `xs[i:i + 3]`, `y[:, i]`, `y[j, i]`, and what their gradients add up.

A slice holds the place of its window in the op, so the steps of a Python loop have different ops. Where many slices of one size are cut
out of arrays of one type, each is put as a dynamic slice whose place is a literal operand: then the steps are equal, and their
places are values per step like any others. A window that a gradient pads with zeros and adds to what it has is added at its place.
Equations that end up outside of loops and blocks are written as they were.
"""
from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from gnomon.ir.jaxpr import Eqn, Literal, Var
from gnomon.ops.arithmetic import AddAny
from gnomon.ops.shape import BroadcastInDim
from gnomon.ops.slicing import DynamicSlice, DynamicUpdateSlice, Pad, Slice
from gnomon.types.value_type import ArrayType

PLACES = 8              # different places of windows of one size from which they are put as dynamic slices
INDEX = np.dtype("int32")


class Moving:
    """The equations of a program with moving windows put as values.

    `seq` are the equations; `originals` has for a result of `seq` the equations it stands for, `lazy` for a variable the equation that
    makes it: needed only by what is not written as it was."""

    def __init__(self, eqns, outvars=()):
        self.seq, self.originals, self.lazy = list(eqns), {}, {}
        windows = [window_of(e) for e in eqns]
        places = defaultdict(set)
        for w in windows:
            if w is not None:
                places[w.kind].add(w.starts)
        many = {kind for kind, starts in places.items() if len(starts) >= PLACES}
        if not many:
            return
        self.zeros, self.seq = {}, []
        self.uses = Counter(v for e in eqns for v in e.ins if v.__class__ is Var)
        self.uses.update(v for v in outvars if v.__class__ is Var)
        padded = {}                         # the result of a pad -> (its equation, its window)
        for e, w in zip(eqns, windows):
            if isinstance(e.op, AddAny) and padded and self.added(e, padded):
                continue
            if w is None or w.kind not in many:
                self.seq.append(e)
            elif isinstance(e.op, Slice):
                self.cut(e, w)
            elif self.uses[e.outs[0]] == 1:
                padded[e.outs[0]] = e, w    # until it is known what it is added to
                self.seq.append(e)
            else:
                self.put(e, w, self.seq)
        left = {v: p for v, p in padded.items() if v not in self.originals}
        self.seq = [x for e in self.seq for x in self.resolved(e, padded, left)]

    def resolved(self, e, padded, left):
        """An equation of the sequence: a pad is gone where it was added at its place, else its window is put into zeros."""
        v = e.outs[0] if e.outs else None
        if v not in padded:
            return (e,)
        out = []
        if v in left:
            self.put(*left[v], out)
        else:
            del self.originals[v]
        return out

    def step(self, op, ins, like, place):
        """A lazy equation and its result."""
        types = tuple([v.type for v in ins])
        v = Var(op.infer(types))
        self.lazy[v] = e = Eqn(op, ins, (v,), place)
        return e, v

    def cut(self, e, w):
        x, = e.ins
        starts, out = literals(w.starts, x.type), e.outs[0]
        dynamic = DynamicSlice(w.extents)
        if w.strided:
            whole, v = self.step(dynamic, (x, *starts), x, e.place)
            self.seq.append(whole)
            made = Eqn(Slice((0,) * x.type.ndim, w.extents, e.op.strides), (v,), (out,), e.place)
        else:
            made = Eqn(dynamic, (x, *starts), (out,), e.place)
        self.originals[out] = (e,)
        self.seq.append(made)

    def update(self, e, w, seq):
        """The operand of a pad as one window without gaps."""
        x, value = e.ins
        if not w.strided:
            return x
        apart, v = self.step(Pad(tuple([(0, 0, gap) for _, _, gap in e.op.padding_config])), (x, value), x, e.place)
        seq.append(apart)
        return v

    def put(self, e, w, seq):
        """A pad as its window put into zeros."""
        x, value = e.ins
        out, key = e.outs[0], (e.outs[0].type, value.key)
        v = self.update(e, w, seq)
        zeros = self.zeros.get(key)
        if zeros is None:
            zeros = self.zeros[key] = Var(out.type)
            self.lazy[zeros] = Eqn(BroadcastInDim(out.type.shape, ()), (value,), (zeros,))
        seq.append(Eqn(DynamicUpdateSlice(), (zeros, v, *literals(w.starts, out.type)), (out,), e.place))
        self.originals[out] = (e,)

    def added(self, e, padded):
        """Write the sum of an array and a padded window as the sum of the two at the window's place; whether it was."""
        a, b = e.ins
        if b not in padded:
            a, b = b, a
        if b not in padded or a is b or a.type is not e.outs[0].type or a.__class__ is Literal:
            return False
        pad, w = padded[b]
        if not is_zero(pad.ins[1]):
            return False
        starts, place = literals(w.starts, a.type), pad.place
        v = self.update(pad, w, self.seq)
        held, old = self.step(DynamicSlice(w.extents), (a, *starts), a, place)
        added, new = self.step(e.op, (old, v), a, place)
        self.seq += [held, added, Eqn(DynamicUpdateSlice(), (a, new, *starts), e.outs, place)]
        self.originals[e.outs[0]] = pad, e
        self.originals[b] = None            # it is written there
        return True


class Window:
    """Where a slice cuts, or a pad puts, a window: `kind` tells windows of one size in arrays of one type."""

    __slots__ = ("extents", "kind", "starts", "strided")

    def __init__(self, op, whole, sizes, steps, starts):
        self.starts = starts
        self.extents = tuple([(n - 1) * step + 1 for n, step in zip(sizes, steps)])
        self.strided = self.extents != tuple(sizes)
        self.kind = op, whole, tuple(sizes), tuple(steps)


def window_of(e):
    """The window of a slice or a pad, or None where it has none that could move."""
    op = e.op
    if isinstance(op, Slice):
        whole, part, steps, starts = e.ins[0].type, e.outs[0].type, op.steps(), op.start_indices
    elif isinstance(op, Pad) and e.ins[1].__class__ is Literal:
        if any([low < 0 or high < 0 for low, high, _ in op.padding_config]):
            return None
        whole, part = e.outs[0].type, e.ins[0].type
        steps, starts = [gap + 1 for _, _, gap in op.padding_config], tuple([low for low, _, _ in op.padding_config])
    else:
        return None
    if whole.sharding is not None or whole.varying and e.ins[0].__class__ is Literal or 0 in part.shape or not whole.shape:
        return None
    if not all([n.__class__ is int for n in (*whole.shape, *part.shape, *starts)]) or whole.shape == part.shape:
        return None
    return Window(type(op), whole, part.shape, steps, starts)


def literals(starts, t):
    """The place of a window in a value of type t as operands."""
    index = ArrayType((), INDEX, False, None, t.varying) if t.varying else ArrayType((), INDEX, False)
    return tuple([Literal(INDEX.type(i), index) for i in starts])


def is_zero(v):
    return v.__class__ is Literal and not v.type.shape and v.value == 0
