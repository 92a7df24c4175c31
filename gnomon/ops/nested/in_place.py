"""Updates in place under a condition that differs from lane to lane.

A batched cond runs all its branches and selects lane by lane, which costs a pass over every output. Where an output is, in every
branch, an operand with some elements written over (or left alone), the condition can go to the elements instead: each branch writes
nowhere, or what stands there already, in the lanes that it is not for, and the branches write one after the other into one array.
A cond among the updates is one if it is so itself: its branches are told, too, whether they count.
"""
from __future__ import annotations

import numpy as np

from gnomon.ir.jaxpr import Literal
from gnomon.ops.compare import select_n
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import CLIP, FILL_OR_DROP, PROMISE_IN_BOUNDS, Gather, Scatter, ScatterAdd, ScatterBase, ScatterSub
from gnomon.ops.nested.call import Jit, flatten_calls
from gnomon.ops.shape import StopGradient
from gnomon.ops.slicing import DynamicSlice, DynamicUpdateSlice, Slice, dynamic_slice
from gnomon.trace.build import program
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_inexact, is_signed
from gnomon.types.value_type import ArrayType

_stop_gradient = StopGradient()
BOOL = ArrayType((), np.dtype(bool))
READS = (DynamicSlice, Gather, Slice)
NEUTRAL = (Scatter, ScatterAdd, ScatterSub)     # what they write can be such that nothing changes


def opened(jaxpr):
    """The program with the calls in it that update arrays written out, so that their updates are seen."""
    calls = [e.op.jaxpr for e in jaxpr.eqns if isinstance(e.op, Jit)]
    return flatten_calls(jaxpr) if any(has_updates(c) for c in calls) else jaxpr


def has_updates(jaxpr):
    return any(is_update(e) or (isinstance(e.op, Jit) or e.op.written_over is not None) and any(map(has_updates, e.op.programs()))
               for e in jaxpr.eqns)


def is_update(e):
    """Whether an equation writes over its first operand, and can be told to do so or not."""
    if isinstance(e.op, (DynamicUpdateSlice, *NEUTRAL)):
        return True
    return isinstance(e.op, ScatterBase) and can_drop(e.op, e.ins[1].type)


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
    return None if chain is None else branch.invars.index(source(*chain[0])[0] if chain else v)


def update_chain(branch, v):
    """The updates that lead from an input to a variable, in order, as (equation, which of its outputs), if what is between them is used by
    them only, to be written over; else None."""
    producer = {out: e for e in branch.eqns for out in e.outs}
    chain = []
    while v in producer:
        e = producer[v]
        k = e.outs.index(v)
        v, read = source(e, k)
        if v is None or uses(branch, e.outs[k]) != 1 or v in producer and read:
            return None
        chain.append((e, k))
    return chain[::-1] if v.__class__ is not Literal and v in branch.invars else None


def source(e, k):
    """The input of an equation that its output number k is with some elements written over (None where it is not), and whether the
    equation uses it otherwise as well."""
    if is_update(e):
        return e.ins[0], False
    place, read = (e.op.written_over() if e.op.written_over is not None else {}).get(k, (None, False))
    return None if place is None else e.ins[place], read


def uses(branch, v):
    return sum(v is w for e in branch.eqns for w in e.ins) + sum(v is w for w in branch.outvars)


def read_beside(branch, places):
    """The inputs among those of `places`, {output: input it is written over}, that the branch uses otherwise as well."""
    for k, j in places.items():
        chain = update_chain(branch, branch.outvars[k])
        if uses(branch, branch.invars[j]) > 1 or chain and source(*chain[0])[1]:
            yield j


def is_read(e, v):
    """Whether an equation takes elements out of a value and does nothing else with it."""
    return e.op.__class__ in READS and e.ins[0] is v and e.ins.count(v) == 1


def read_alone(branch, v):
    """Whether elements are taken out of a value that is used in no other way."""
    return v not in branch.outvars and all(is_read(e, v) for e in branch.eqns if v in e.ins)


def masked(branch, places, hold=False):
    """The branch as a program (whether it is chosen, operands, what to write over for each of `places`) -> outputs, whose
    outputs in `places` are written over only where it is chosen. Other uses of an operand take it from the operands; to `hold`
    what is read of one is to give it no gradient where the branch is not chosen."""
    chains = {k: update_chain(branch, branch.outvars[k]) for k in places}
    updates = {}
    for chain in chains.values():
        for e, k in chain:
            updates.setdefault(e, []).append(k)
    first = {chain[0]: k for k, chain in chains.items() if chain}
    n = len(branch.invars)

    def run(chosen, *xs):
        env = dict(zip(branch.invars, xs))
        written = dict(zip(places, xs[n:]))

        def read(v):
            return v if v.__class__ is Literal else env[v]
        for e in branch.eqns:
            args = [read(v) for v in e.ins]
            op = e.op
            if e in updates:
                over = {k: written[first[e, k]] if (e, k) in first else read(source(e, k)[0]) for k in updates[e]}
                op, args = op.where(chosen, args, over) if op.written_over is not None else where(chosen, op, [over[0], *args[1:]])
            outs = bind(op, *args)
            if hold and e.ins and e.ins[0] in branch.invars and is_read(e, e.ins[0]) and is_inexact(outs.type.dtype):
                outs = select_n(chosen, bind(_stop_gradient, outs), outs)
            env.update(zip(e.outs, outs if op.multiple else (outs,)))
        return [read(v) if k not in chains or chains[k] else written[k] for k, v in enumerate(branch.outvars)]
    return program((BOOL, *branch.in_types, *[branch.in_types[j] for j in places.values()]), run)


def where(chosen, op, args):
    """The update, as an op and its operands, so that it changes nothing where it is not chosen."""
    if op.__class__ is DynamicUpdateSlice:
        x, update, *starts = args
        return op, [x, select_n(chosen, dynamic_slice(x, starts, update.type.shape), update), *starts]
    x, indices, update = args
    if can_drop(op, indices.type):              # written outside the array, that is nowhere
        op = op.replace(mode=FILL_OR_DROP) if op.mode is PROMISE_IN_BOUNDS else op
        return op, [x, select_n(chosen, full_scalar(indices, -1), indices), update]
    keeps = op.read(x, indices, update) if op.__class__ is Scatter else full_scalar(update, 0)
    return op, [x, indices, select_n(chosen, keeps, update)]


def can_drop(op, indices):
    return op.mode is not CLIP and is_signed(indices.dtype)
