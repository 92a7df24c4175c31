"""Writes of branches, done behind the cond that chooses between them.

A branch that writes elements of a large array gives the whole array out, for which XLA copies it where another branch writes too or something
else still reads it; the cotangent of a read in a branch is a whole array of zeros. Here the branches give out what is to be written and
where, and one scatter for each write stands behind the cond: a branch that does not write gives a place out of bounds, which is dropped.
"""
from __future__ import annotations

import numpy as np

from gnomon.ir.jaxpr import Jaxpr, Literal, intern
from gnomon.ops.arithmetic import add, clamp
from gnomon.ops.compare import bitwise_and, eq, ge, le, select_n
from gnomon.ops.convert import ConvertElementType, convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import Gather, GatherScatterMode, Scatter, ScatterAdd, ScatterBase, ScatterDimensionNumbers
from gnomon.ops.nested.call import Jit, flatten_calls
from gnomon.ops.shape import BroadcastInDim, broadcast_in_dim, full, reshape, zeros
from gnomon.ops.slicing import DynamicSlice, DynamicUpdateSlice, Slice
from gnomon.ops.stacking import Stack
from gnomon.trace.build import program
from gnomon.trace.stage import bind, value_of
from gnomon.types.dtype import is_bool, is_complex, is_float, is_integer
from gnomon.types.value_type import ArrayType

LARGE = 1024                # elements, from which on a copy costs more than a write that is dropped
FEW = 8                     # how many times larger an array is than what is written to it
INT32, INT64 = np.dtype("int32"), np.dtype("int64")
ZEROS = "zeros"
READS = (DynamicSlice, Gather)


def kept_kind(dtype):
    return is_float(dtype) or is_integer(dtype) or is_bool(dtype) or is_complex(dtype)


def is_large(t):
    plain = t.__class__ is ArrayType and t.sharding is None and t.memory is None and not t.varying and t.size.__class__ is int
    return plain and t.size >= LARGE and kept_kind(t.dtype)


def behind(op, index, operands):
    """The outputs of a cond, whose branches do not write to large arrays themselves."""
    types = op.branches[0].out_types
    large = [k for k, t in enumerate(types) if is_large(t)] if writes_in_branches(op) else []
    branches = [writes_behind(opened(b)) for b in op.branches] if large else op.branches
    found = written(branches, large)
    if not found:
        return bind(op.of(tuple(branches)), index, *operands)
    kept = [k for k in range(len(types)) if k not in found]
    slots = [(k, slot) for k, (_, slots, _) in found.items() for slot in slots]
    narrow = []
    for i, b in enumerate(branches):
        chains = [(base, list(places[i].values())) for base, _, places in found.values() if base is not ZEROS]
        narrow.append(without_writes(b, kept, chains, [(slot, places[i].get(n)) for _, at, places in found.values() for n, slot in enumerate(at)]))
    used = [n for n in range(len(operands)) if any(b.invars[n] in users(b) for b in narrow)]
    narrow = [intern(Jaxpr((), [b.invars[n] for n in used], b.eqns, b.outvars)) for b in narrow]
    outs = bind(op.of(tuple(narrow)), index, *[operands[n] for n in used])
    given, made = iter(outs[len(kept):]), dict(zip(kept, outs))
    value = {k: zeros(types[k]) if base is ZEROS else operands[base] for k, (base, _, _) in found.items()}
    for k, (write, _, _) in slots:
        value[k] = bind(write, value[k], next(given), next(given))
    return [made[k] if k in made else value[k] for k in range(len(types))]


def writes_behind(body):
    """The program, with the writes of its conds behind them."""
    made = body.memo.get("writes behind")
    if made is None:
        conds = [e for e in body.eqns if writes_in_branches(e.op)]
        made = body.memo["writes behind"] = rewritten(body, set(conds)) if conds else body
    return made


def writes_in_branches(op):
    chosen = op.op_name == "cond" and op.branches_platforms is None and not any(b.effects for b in op.branches)
    return chosen and any(map(is_large, op.branches[0].out_types)) and any(map(writes, op.branches))


def opened(branch):
    """The branch with the calls in it that write to arrays written out."""
    return flatten_calls(branch) if any(isinstance(e.op, Jit) and writes(e.op.jaxpr) for e in branch.eqns) else branch


def writes(jaxpr):
    """Whether a program writes to an array, in its calls and branches too."""
    found = jaxpr.memo.get("writes")
    if found is None:
        found = jaxpr.memo["writes"] = any(isinstance(e.op, (DynamicUpdateSlice, ScatterBase)) or e.op.op_name in ("cond", "jit")
                                           and any(map(writes, e.op.programs())) for e in jaxpr.eqns)
    return found


def rewritten(body, conds):
    def run(*xs):
        env = dict(zip(body.invars, xs))
        for e in body.eqns:
            args = [v if v.__class__ is Literal else env[v] for v in e.ins]
            outs = behind(e.op, args[0], args[1:]) if e in conds else bind(e.op, *args)
            env.update(zip(e.outs, outs if e.op.multiple else (outs,)))
        return [v if v.__class__ is Literal else env[v] for v in body.outvars]
    return program(body.in_types, run)


def written(branches, large):
    """{output: (number of the operand, or ZEROS, that it is with elements written over; slots; for each branch {slot: equation})}, each slot
    being (the scatter, the types of its indices and its update)."""
    found = {}
    facts = [(b, {out: e for e in b.eqns for out in e.outs}, users(b)) for b in branches] if large else []
    for k in large:
        chains = [chain_to(*fact, fact[0].outvars[k]) for fact in facts]
        if None in chains or len({base for base, _ in chains}) != 1:
            continue
        base, slots, places = chains[0][0], [], []
        for _, eqns in chains:
            at, mine = 0, {}
            for n, e in enumerate(eqns):
                wanted = slot_of(e, base is ZEROS and n == 0)
                fitting = [i for i in range(at, len(slots)) if slots[i] == wanted]
                i = fitting[0] if fitting else len(slots)
                if not fitting:
                    slots.append(wanted)
                mine[i], at = e, i + 1
            places.append(mine)
        if slots and sum(update.size for _, _, update in slots) * FEW <= branches[0].outvars[k].type.size:
            found[k] = base, slots, places
    return found


def users(branch):
    """{variable: the equations that use it}, with None for each use as an output."""
    found = {}
    for e in branch.eqns:
        for v in e.ins:
            if v.__class__ is not Literal:
                found.setdefault(v, []).append(e)
    for v in branch.outvars:
        if v.__class__ is not Literal:
            found.setdefault(v, []).append(None)
    return found


def chain_to(branch, makers, uses, v):
    """(operand or ZEROS, the writes that lead from it to an output), if nothing else needs what is between them than reads of which it is clear
    what they give; else None."""
    chain, windows = [], set()
    while v in makers:
        e = makers[v]
        if e.op.__class__ is BroadcastInDim:
            zero = e.ins[0].__class__ is Literal and np.ndim(e.ins[0].value) == 0 and e.ins[0].value == 0
            return (ZEROS, chain[::-1]) if zero and not windows else None
        others = list(uses[v])
        others.remove(chain[-1] if chain else None)
        if not can_wait(e):
            return None
        windows.update([window(u) if u is not None and u.op.__class__ in READS and u.ins[0] is v and u.ins.count(v) == 1 else None for u in others])
        if windows:
            windows.add(window(e))
        if None in windows or len(windows) > 1:
            return None
        chain.append(e)
        v = e.ins[0]
    return None if v.__class__ is Literal else (branch.invars.index(v), chain[::-1])


def window(e):
    """The sizes of the window that is read or written, if it is one and any other such window is either the same or apart; else None."""
    op, shape = e.op, e.ins[0].type.shape
    if op.__class__ in (DynamicSlice, DynamicUpdateSlice):
        sizes, indices = (op.slice_sizes, e.ins[1:]) if op.__class__ is DynamicSlice else (e.ins[1].type.shape, e.ins[2:])
        simple = True
    elif op.__class__ in (Gather, Scatter, ScatterAdd):
        sizes, indices = op.slice_sizes if op.__class__ is Gather else op.window_sizes(e.ins[0].type, e.ins[2].type), e.ins[1:2]
        simple = not op.dimension_numbers.operand_batching_dims and indices[0].type.size == indices[0].type.shape[-1] \
            and op.mode is not GatherScatterMode.ONE_HOT
    else:
        return None
    simple = simple and all(m in (1, n) for m, n in zip(sizes, shape)) and all(i.type.dtype in (INT32, INT64) for i in indices)
    return tuple(sizes) if simple else None


def place_of(e, read):
    """{dimension: where along it the window of a write or a read is}, where it has size 1; a place out of bounds stays so where it counts."""
    shape = e.ins[0].type.shape
    if e.op.__class__ in (DynamicSlice, DynamicUpdateSlice):
        reads = e.op.__class__ is DynamicSlice
        sizes = e.op.slice_sizes if reads else e.ins[1].type.shape
        starts = dict(enumerate(map(read, e.ins[1 if reads else 2:])))
        moved = True
    else:
        reads, n = e.op.__class__ is Gather, e.op.dimension_numbers
        sizes = e.op.slice_sizes if reads else e.op.window_sizes(e.ins[0].type, e.ins[2].type)
        flat = reshape(read(e.ins[1]), (e.ins[1].type.shape[-1],))
        along = n.start_index_map if reads else n.scatter_dims_to_operand_dims
        starts = {d: reshape(bind(Slice((i,), (i + 1,), None), flat), ()) for i, d in enumerate(along)}
        moved = e.op.mode is not GatherScatterMode.FILL_OR_DROP
    found = {}
    for d in range(len(shape)):
        if d in starts and (sizes[d] != shape[d] or not moved):
            at, top = starts[d], shape[d] - sizes[d]
            found[d] = clamp(full_scalar(at, 0), at, full_scalar(at, top)) if moved else at
    return found


def seen(e, base, before, read):
    """What a read gives of an array after these writes."""
    out = bind(e.op, base, *map(read, e.ins[1:]))
    shape, sizes, at = e.ins[0].type.shape, e.op.slice_sizes, place_of(e, read)
    for write in before:
        there, same = place_of(write, read), value_of(np.bool_(True))
        for d in sorted({*at, *there}):
            p, q = [x.get(d, value_of(np.int32(0))) for x in (at, there)]
            if p.type.dtype != q.type.dtype:
                p, q = convert_element_type(p, INT64), convert_element_type(q, INT64)
            for flag in (eq(p, q), ge(p, full_scalar(p, 0)), le(p, full_scalar(p, shape[d] - sizes[d]))):
                same = bitwise_and(same, flag)
        adds = write.op.__class__ is ScatterAdd
        update = reshape(read(write.ins[1 if write.op.__class__ is DynamicUpdateSlice else 2]), out.type.shape)
        out = select_n(broadcast_in_dim(same, out.type.shape, ()), out, add(out, update) if adds else update)
    return out if out.type is e.outs[0].type else bind(ConvertElementType(e.outs[0].type.dtype, e.outs[0].type.weak_type), out)


def can_wait(e):
    if e.op.__class__ is DynamicUpdateSlice:
        return len(e.ins) > 2
    return isinstance(e.op, ScatterBase) and e.ins[1].type.shape[-1] > 0 and e.op.mode is not GatherScatterMode.ONE_HOT


def slot_of(e, into_zeros):
    """(the scatter that does what a write does where it is told to, the types of its indices and of its update)."""
    x, second, third = [v.type for v in e.ins[:3]]
    if e.op.__class__ is DynamicUpdateSlice:
        every = tuple(range(x.ndim))
        op = Scatter(ScatterDimensionNumbers(every, (), every), GatherScatterMode.FILL_OR_DROP, True, True)
        indices, update = ArrayType((x.ndim,), INT64 if third.dtype == INT64 else INT32), second
    else:
        op = e.op.replace(mode=GatherScatterMode.FILL_OR_DROP)
        indices, update = ArrayType(second.shape, INT64 if second.dtype == INT64 else INT32), third
    if into_zeros and op.__class__ is Scatter and (op.unique_indices or op.places(indices) == 1):
        op = ScatterAdd(op.dimension_numbers, op.mode, op.indices_are_sorted, op.unique_indices)
    return op, indices, update


def without_writes(branch, kept, chains, writes_of_slots):
    """The branch as a program of its outputs in `kept`, and of where and what to write for each slot; `chains` are (operand, writes into it)."""
    before = {e.outs[0]: (base, eqns[:n + 1]) for base, eqns in chains for n, e in enumerate(eqns)}
    needed, live = [], {branch.outvars[k] for k in kept}
    for _, e in writes_of_slots:
        if e is not None:
            live.update(e.ins[1:])
    for e in reversed(branch.eqns):
        if not live.isdisjoint(e.outs):
            needed.append(e)
            base, eqns = before.get(e.ins[0], (None, ())) if e.ins else (None, ())
            live.update(e.ins[1:] if eqns else e.ins)
            for write in eqns:
                live.update(write.ins[1:])

    def run(*xs):
        env = dict(zip(branch.invars, xs))

        def read(v):
            return v if v.__class__ is Literal else env[v]
        for e in reversed(needed):
            if e.ins and e.ins[0] in before:
                base, eqns = before[e.ins[0]]
                outs = seen(e, xs[base], eqns, read)
            else:
                outs = bind(e.op, *map(read, e.ins))
            env.update(zip(e.outs, outs if e.op.multiple else (outs,)))
        outs = [read(branch.outvars[k]) for k in kept]
        for (_, indices, update), e in writes_of_slots:
            if e is None:
                outs += [full(indices, -1), zeros(update)]
            elif e.op.__class__ is DynamicUpdateSlice:
                x, update, *starts = e.ins
                outs += [inside([convert_element_type(read(s), indices.dtype) for s in starts], indices, x.type.shape, update.type.shape), read(update)]
            else:
                outs += [bounded(e, read(e.ins[1]), indices), read(e.ins[2])]
        return outs
    return program(branch.in_types, run)


def inside(starts, indices, shape, sizes):
    """The place of a block, moved so far that it lies inside."""
    limits = [full_scalar(s, n - m) for s, n, m in zip(starts, shape, sizes)]
    return bind(Stack(0), *[clamp(full_scalar(s, 0), s, limit) for s, limit in zip(starts, limits)])


def bounded(e, places, indices):
    """The places of a scatter; out of bounds they are dropped, and moved inside before where that was asked for."""
    x, op = e.ins[0].type, e.op
    dtype = places.type.dtype
    sizes = op.window_sizes(x, e.ins[2].type)
    limits = np.asarray([x.shape[d] - sizes[d] for d in op.dimension_numbers.scatter_dims_to_operand_dims])
    if op.mode is GatherScatterMode.CLIP or dtype.kind == "u":
        top = limits if op.mode is GatherScatterMode.CLIP else limits + 1       # a large unsigned number stays out of bounds
        top = np.minimum(top, np.iinfo(dtype).max).astype(dtype)
        high = broadcast_in_dim(value_of(top), places.type.shape, (places.type.ndim - 1,))
        places = clamp(full_scalar(places, 0), places, high)
    return convert_element_type(places, indices.dtype)
