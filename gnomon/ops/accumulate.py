"""Sums of cotangents, where one of two is zeros with something written into them.

Reading a piece of an array gives its cotangent as zeros with the piece's written into them. Added to another as a whole that costs a pass
over the array; added to the piece alone, it costs as much as the reading did.
"""
from __future__ import annotations

import functools

from gnomon.ir.jaxpr import Literal
from gnomon.ops.arithmetic import add_any
from gnomon.ops.indexing import GatherScatterMode, ScatterAdd, ScatterDimensionNumbers
from gnomon.ops.shape import BroadcastInDim
from gnomon.ops.slicing import DynamicUpdateSlice
from gnomon.ops.stacking import Stack
from gnomon.trace.stage import Tracer, bind

LOOK_BACK = 32              # equations before the last that may have made a cotangent


def accumulate(x, y):
    """x + y for two cotangents that nothing else needs."""
    if x.__class__ is Tracer and y.__class__ is Tracer and x.type is y.type and x.frame is y.frame and x.type.ndim and x.type.sharding is None:
        for total, part in ((x, y), (y, x)):
            written = written_into_zeros(part)
            if written is None:
                continue
            for e in written:
                operands = [Tracer(v.type, v, x.frame) for v in e.ins[1:]]
                if e.op.__class__ is ScatterAdd:
                    total = bind(e.op, total, *operands)
                else:
                    update, *starts = operands
                    total = bind(one_window(x.type.ndim), total, bind(Stack(0), *starts), update)
            return total
    return add_any(x, y)


@functools.cache
def one_window(rank):
    """The scatter that adds to what a dynamic slice reads. (A sum of the slice, written back, would have XLA copy the array.)"""
    every = tuple(range(rank))
    return ScatterAdd(ScatterDimensionNumbers(every, (), every), GatherScatterMode.CLIP, True, True)


def written_into_zeros(x):
    """The equations that made a value by writing into zeros, the first one first, or None."""
    v, written = x.atom, []
    while True:
        e = made_by(v, x.frame)
        if e is None or e.op.__class__ not in (ScatterAdd, DynamicUpdateSlice, BroadcastInDim):
            return None
        if e.op.__class__ is BroadcastInDim:
            return written[::-1] if written and e.ins[0].__class__ is Literal and e.ins[0].value == 0 else None
        if written and written[-1].op.__class__ is DynamicUpdateSlice:      # which would write over what is below
            return None
        written.append(e)
        v = e.ins[0]


def made_by(v, frame):
    for e in reversed(frame.eqns[-LOOK_BACK:]):
        if e.outs[0] is v:
            return e
    return None
