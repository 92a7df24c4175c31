"""Loops that run only where a flag says so.

A batched cond runs all its branches on all lanes, and a batched loop runs its body on lanes that have ended. A loop inside may never end
on numbers that it was not meant for, so it is given the flag of its lane: where it is not set, the loop does no step.
"""
from __future__ import annotations

import numpy as np

from gnomon.ir.jaxpr import Literal
from gnomon.trace.build import program
from gnomon.trace.stage import bind
from gnomon.types.value_type import ArrayType

BOOL = ArrayType((), np.dtype(bool))


def may_loop(jaxpr):
    """Whether a loop of unknown length is somewhere in a program, where it can be guarded."""
    found = jaxpr.memo.get("may loop")
    if found is None:
        found = jaxpr.memo["may loop"] = any(holds_loop(e.op) for e in jaxpr.eqns)
    return found


def holds_loop(op):
    return op.guard is not None and (op.endless or any(may_loop(p) for p in op.programs()))


def guarded(jaxpr):
    """The program with a flag as first input, whose loops run only where it is set."""
    found = jaxpr.memo.get("guarded")
    if found is None:
        def run(flag, *xs):
            env = dict(zip(jaxpr.invars, xs))
            for e in jaxpr.eqns:
                args = [v if v.__class__ is Literal else env[v] for v in e.ins]
                outs = e.op.guard(flag, args) if holds_loop(e.op) else bind(e.op, *args)
                env.update(zip(e.outs, outs if e.op.multiple else (outs,)))
            return [v if v.__class__ is Literal else env[v] for v in jaxpr.outvars]
        found = jaxpr.memo["guarded"] = program((BOOL, *jaxpr.in_types), run)
    return found
