"""Arrays that a loop carries and writes to, kept in one place.

A step that reads elements of a carried array, uses them more than once and writes to the array would have XLA's CPU compiler copy the whole
array in every step: it computes what was read again wherever it is used, also behind the write. Here such reads become calls, which are not
computed again, and the write waits for them: what each read gives also goes, as a zero, into the write's place.
"""
from __future__ import annotations

import numpy as np

from gnomon.ir.jaxpr import Literal
from gnomon.ops.arithmetic import add, clamp
from gnomon.ops.compare import ne
from gnomon.ops.complex_parts import real
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import Gather, ScatterBase
from gnomon.ops.nested.behind import is_large, kept_kind, writes_behind
from gnomon.ops.nested.call import Jit
from gnomon.ops.shape import broadcast_in_dim, reshape
from gnomon.ops.slicing import DynamicSlice, DynamicUpdateSlice, Slice
from gnomon.trace.build import program
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_complex, is_float

INT32 = np.dtype("int32")
READS = (DynamicSlice, Gather, Slice)
WRITES = (DynamicUpdateSlice, ScatterBase)


def held(body, first, count):
    """The program of a step, with reads of the inputs from number `first` on, `count` of them, that would have them copied as calls. Those
    inputs come back, written to, as the first outputs."""
    if not any(is_large(v.type) for v in body.invars[first:first + count]):
        return body
    key = "held", first, count
    found = body.memo.get(key)
    if found is None:
        reads, given = {}, writes_behind(body)
        uses, makers = users(given), makers_of(given)
        for v, out in zip(given.invars[first:first + count], given.outvars[:count]):
            if is_large(v.type):
                reads.update(reads_to_hold(given.eqns, uses, makers, v, out))
        found = body.memo[key] = with_reads_held(given, makers, reads) if reads else given
    return found


def users(body):
    """{variable: numbers of the equations that use it}, with None for each use as an output."""
    found = {}
    for i, e in enumerate(body.eqns):
        for v in e.ins:
            if v.__class__ is not Literal:
                found.setdefault(v, []).append(i)
    for v in body.outvars:
        if v.__class__ is not Literal:
            found.setdefault(v, []).append(None)
    return found


def reads_to_hold(eqns, uses, makers, v, out):
    """{number of a read: number of the write that must wait for it} for a carried array; empty where nothing is to be done, or can be."""
    found = {}
    while v is not out:
        writes = [i for i in uses.get(v, ()) if i is not None and isinstance(eqns[i].op, WRITES) and eqns[i].ins[0] is v]
        if len(writes) != 1 or None in uses[v]:
            return {}
        write, = writes
        others = [i for i in uses[v] if i != write]
        if eqns[write].ins.count(v) != 1 or not all(i is not None and is_small_read(eqns[i], v) for i in others):
            return {}
        if not all(flows_alone(eqns, uses, i, write) for i in others):
            others = [i for i in others if eqns[i].op.op_name != "cond" or not set(eqns[i].outs) & set(eqns[write].ins)]   # written is what it gives
            if any(needed_behind(eqns, makers, i, write) is None for i in others):
                return {}
            found.update(dict.fromkeys(others, write))
        v = eqns[write].outs[0]
    return found


def makers_of(body):
    """{variable: number of the equation that makes it}."""
    return {v: i for i, e in enumerate(body.eqns) for v in e.outs}


def needed_behind(eqns, makers, read, write):
    """The numbers of a read that stands behind a write and of what stands there and is needed for it, in order; None where a write is
    among it, or what has effects. The read alone where it stands in front."""
    needed, todo = set(), [read]
    while todo:
        i = todo.pop()
        if isinstance(eqns[i].op, WRITES) or eqns[i].op.effects:
            return None
        if i not in needed:
            needed.add(i)
            todo += [j for j in [makers.get(w) for w in eqns[i].ins if w.__class__ is not Literal] if j is not None and j >= write]
    return sorted(needed)


def is_small_read(e, v):
    if e.op.op_name == "cond":          # which writes to nothing large: its writes stand behind it
        small = all(kept_kind(w.type.dtype) for w in e.outs) and 0 < sum(w.type.size for w in e.outs) * 4 <= v.type.size
        return small and e.ins[0] is not v and not e.op.effects
    return e.op.__class__ in READS and e.ins[0] is v and e.ins.count(v) == 1 and 0 < e.outs[0].type.size * 4 <= v.type.size


def flows_alone(eqns, uses, read, write):
    """Whether what is read is used in one place after another up to the write, so that read and write are computed together."""
    while read != write:
        out, = eqns[read].outs if len(eqns[read].outs) == 1 else (None,)
        after = uses.get(out, ()) if out is not None else ()
        if len(after) != 1 or after[0] is None:
            return False
        read = after[0]
    return True


def with_reads_held(body, makers, reads):
    """The program with these reads as calls in front of the writes that wait for them."""
    waiting = {}
    for read, write in reads.items():
        waiting.setdefault(write, []).append(read)

    def run(*xs):
        env, zeros, done = dict(zip(body.invars, xs)), {}, set()

        def value(v):
            return v if v.__class__ is Literal else env[v]

        def put(i):
            if i in done:
                return
            done.add(i)
            e = body.eqns[i]
            if i in reads:
                *outs, zeros[i] = bind(Jit(call_of(e), "read", False, True), *[value(w) for w in e.ins])
                env.update(zip(e.outs, outs))
                return
            for r in waiting.get(i, ()):
                for j in needed_behind(body.eqns, makers, r, i):
                    put(j)
            args = [value(w) for w in e.ins]
            for r in waiting.get(i, ()):
                at = 2 if e.op.__class__ is DynamicUpdateSlice else 1
                args[at] = later(args[at], zeros[r])
            outs = bind(e.op, *args)
            env.update(zip(e.outs, outs if e.op.multiple else (outs,)))
        for i in range(len(body.eqns)):
            put(i)
        return [value(v) for v in body.outvars]
    return program(body.in_types, run)


def call_of(e):
    """The program of a read and of a zero that depends on what was read, in a way that no compiler sees through."""
    def run(*xs):
        outs = bind(e.op, *xs)
        outs = outs if e.op.multiple else (outs,)
        out = next(out for out in outs if out.type.size)
        t = out.type
        one = reshape(bind(Slice((0,) * t.ndim, (1,) * t.ndim, None), out), ()) if t.ndim else out
        one = real(one) if is_complex(t.dtype) else one
        one = ne(one, one) if is_float(one.type.dtype) else one
        one = convert_element_type(one, INT32)
        zero = full_scalar(one, 0)
        return [*outs, clamp(zero, one, zero)]
    return program([w.type for w in e.ins], run)


def later(place, zero):
    """A write's place, once a zero is known."""
    zero = convert_element_type(zero, place.type.dtype)
    return add(place, broadcast_in_dim(zero, place.type.shape, ()) if place.type.shape else zero)
