"""Updates in place under a condition that differs from lane to lane.

A batched cond runs all its branches and selects lane by lane, which costs a pass over every output. Where an output is, in every
branch, an operand with some elements written over (or left alone), the condition can go to the elements instead: each branch
writes what stands there already in the lanes that it is not for, and the branches write one after the other into one array.
"""
from __future__ import annotations

import numpy as np

from gnomon.ir.jaxpr import Literal
from gnomon.ops.compare import select_n
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import Scatter, ScatterAdd, ScatterSub
from gnomon.ops.nested.call import Jit, flatten_calls
from gnomon.ops.slicing import DynamicUpdateSlice, dynamic_slice
from gnomon.trace.build import program
from gnomon.trace.stage import bind
from gnomon.types.value_type import ArrayType

BOOL = ArrayType((), np.dtype(bool))
UPDATES = (DynamicUpdateSlice, Scatter, ScatterAdd, ScatterSub)     # the first operand is what is written over


def opened(jaxpr):
    """The program with the calls in it that update arrays written out, so that their updates are seen."""
    calls = [e.op.jaxpr for e in jaxpr.eqns if isinstance(e.op, Jit)]
    return flatten_calls(jaxpr) if any(has_updates(c) for c in calls) else jaxpr


def has_updates(jaxpr):
    return any(isinstance(e.op, UPDATES) or isinstance(e.op, Jit) and has_updates(e.op.jaxpr) for e in jaxpr.eqns)


def in_place_outputs(branches):
    """{output: operand} for the outputs that are an operand written over in every branch, each operand once."""
    found = {}
    for k in range(len(branches[0].outvars)):
        operands = {written_over(b, b.outvars[k]) for b in branches}
        if len(operands) == 1:
            operand = operands.pop()
            if operand is not None and operand not in found.values():
                found[k] = operand
    return found


def written_over(branch, v):
    """The number of the input that a variable is with some elements written over, or None."""
    chain = update_chain(branch, v)
    return None if chain is None else branch.invars.index(chain[0].ins[0] if chain else v)


def update_chain(branch, v):
    """The updates that lead from an input to a variable, in order, if what is between them is used by them only; else None."""
    producer = {out: e for e in branch.eqns for out in e.outs}
    chain = []
    while v in producer:
        e = producer[v]
        if not isinstance(e.op, UPDATES) or uses(branch, v) != 1:
            return None
        chain.append(e)
        v = e.ins[0]
    return chain[::-1] if v.__class__ is not Literal and v in branch.invars else None


def uses(branch, v):
    return sum(v is w for e in branch.eqns for w in e.ins) + sum(v is w for w in branch.outvars)


def masked(branch, places):
    """The branch as a program (whether it is chosen, operands, what to write over for each of `places`) -> outputs, whose
    outputs in `places` are written over only where it is chosen. Other uses of an operand take it from the operands."""
    chains = {k: update_chain(branch, branch.outvars[k]) for k in places}
    updates = {e for chain in chains.values() for e in chain}
    first = {chain[0]: k for k, chain in chains.items() if chain}
    n = len(branch.invars)

    def run(chosen, *xs):
        env = dict(zip(branch.invars, xs))
        written = dict(zip(places, xs[n:]))

        def read(v):
            return v if v.__class__ is Literal else env[v]
        for e in branch.eqns:
            args = [read(v) for v in e.ins]
            if e in first:
                args[0] = written[first[e]]
            if e in updates:
                args[1 if e.op.__class__ is DynamicUpdateSlice else 2] = update_where(chosen, e.op, args)
            outs = bind(e.op, *args)
            env.update(zip(e.outs, outs if e.op.multiple else (outs,)))
        return [read(v) if k not in chains or chains[k] else written[k] for k, v in enumerate(branch.outvars)]
    return program((BOOL, *branch.in_types, *[branch.in_types[j] for j in places.values()]), run)


def update_where(chosen, op, args):
    """What an update is to write so that it changes nothing where it is not chosen."""
    if op.__class__ is DynamicUpdateSlice:
        x, update, *starts = args
        return select_n(chosen, dynamic_slice(x, starts, update.type.shape), update)
    x, indices, update = args
    keeps = op.read(x, indices, update) if op.__class__ is Scatter else full_scalar(update, 0)
    return select_n(chosen, keeps, update)
