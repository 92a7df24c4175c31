"""What repeats cost, and what to do about them: a written model of compile time saved against run time lost.

Seconds on one core, fitted to XLA's CPU compiler (flat programs of small ops; its time grows faster than their length).
"""
from __future__ import annotations

import os

from gnomon.ir.check import programs_of
from gnomon.ops.elementwise import Elementwise

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

PER_EQUATION = 2.5e-3       # to compile an equation
PER_PAIR = 1.3e-6           # and for each other equation in the same function
PER_CALL = 2.3e-3           # to compile a call that is not inlined,
PER_COPY = 0.8e-3           # and an equation of what it calls: the compiler copies the function for each call
PER_NUMBER = 0.12           # of an equation that computes one number from others: the compiler joins such into one kernel
PER_LOOP = 0.035            # to compile a loop around its body,
PER_PIECE = 1e-3            # and for each value by itself that is put together for it
PER_KERNEL = 0.014          # to compile a kernel: equal ones are compiled once, wherever they are
PER_KERNEL_SLOW = 0.045     # where the older code generator, which is quicker, is not taken: beside calls, in long programs
PER_STEP = 3e-6             # to run one more iteration of a loop
BYTES_PER_SECOND = 5e9      # to copy what a loop stacks and cuts
RUNS = 100                  # how often a compiled program is taken to be run
WORTHWHILE = 0.25           # seconds of compile time below which nothing is done
QUICK_SAVES = 2e-3          # of compile time per equation of a loop's body, by the CPU's older code generator;
QUICK_PAIR = 3.4e-7         # what it takes longer per pair of equations, as it compiles all kernels together
QUICK_LOSS = 0.05           # of the time to copy its arrays that an equation takes longer with it,
QUICK_FREE = 1 << 17        # where they have more bytes than these,
QUICK_LOSSES = {"scatter": 4, "random": 4, "threefry": 4, "cum": 1, "sort": 0.3, "while": 2}     # and of those whose names begin so
UNKNOWN_STEPS = 100         # how often a while loop is taken to go round


def compile_seconds(n):
    """The time to compile a flat function of n equations."""
    return PER_EQUATION * n + PER_PAIR * n * n


def size_in_bytes(t):
    return t.size * t.dtype.itemsize if hasattr(t, "size") and hasattr(t.dtype, "itemsize") else 0


def weight(e):
    """How many equations the compiler gets for one: itself and those of the programs that it holds."""
    if not e.op.holds_programs:
        return 1
    return 1 + sum([program_weights(p)[0] for p in programs_of(e.op)])


def effort(e):
    """`weight`, with what computes single numbers counted as the share of an equation that it costs the compiler."""
    if e.op.holds_programs:
        return 1 + sum([program_weights(p)[1] for p in programs_of(e.op)])
    if isinstance(e.op, Elementwise) or e.op.op_name in VIEWS:
        return PER_NUMBER if all([getattr(v.type, "size", 2) == 1 for v in (*e.outs, *e.ins)]) else 1
    return 1


def program_weights(jaxpr):
    """(weight, effort) of a program's equations, remembered on it."""
    found = jaxpr.memo.get("weight")
    if found is None:
        found = jaxpr.memo["weight"] = sum([weight(x) for x in jaxpr.eqns]), sum([effort(x) for x in jaxpr.eqns])
    return found


def kernel_seconds(total, runs):
    """What a kernel of a program of `total` equations takes to compile with its runs rolled."""
    bodies, left = sum([r.period for r in runs]), total - sum([r.saved for r in runs])
    return PER_KERNEL_SLOW if QUICK_PAIR * left ** 2 - QUICK_SAVES * bodies >= WORTHWHILE else PER_KERNEL


def choose(total, period, count, copied, stacked, cuts=0, may_roll=True, may_outline=True, moves=0, again=0, rolled=0,
           kernel=PER_KERNEL, pieces=0):
    """What to do with a run of `count` blocks of `period` equations in a program of `total` (each its `effort`): "roll", "outline" or
    None.

    `copied` are the bytes that a scan would cut or write per run, `stacked` the bytes it would have to put together first, `cuts` the
    rows of stacked values that have to be cut out one by one unless it is a scan, `moves` the arrays that it would put together or
    write, `pieces` how many values it would put together. `again` are the kinds of equations in a block that are outside the run as well, and
    would be compiled for both; `rolled` are the equations in bodies of loops, which a program with calls cannot have compiled by the older code generator;
    `kernel` is what `kernel_seconds` says."""
    removed = period * (count - 1)
    if PER_EQUATION * cuts + compile_seconds(total) - compile_seconds(total - removed) < WORTHWHILE:
        return None
    costs = {}
    if may_roll:
        costs["roll"] = (RUNS * (PER_STEP * count + (copied + 2 * stacked) / BYTES_PER_SECOND) + kernel * (moves + again)
                         + PER_LOOP + PER_PIECE * pieces)
    if may_outline and period >= 3:         # a block of one or two equations is no better as a call
        costs["outline"] = ((PER_CALL + PER_COPY * period) * count + PER_EQUATION * cuts + PER_KERNEL_SLOW * again
                            + QUICK_SAVES * rolled)
    best = min(costs, key=costs.get, default=None)
    return best if best is not None and costs[best] < PER_EQUATION * cuts + compile_seconds(removed) else None


def prefers_quick(jaxpr):
    """Whether the CPU's older code generator, which compiles sooner, is the better one for a program: for loops with long bodies on
    small arrays, without what it is slow at; for vectors that cannot be shared out evenly; and for a few equations on few numbers.
    These it compiles in half the time, but functions such as the logarithm to code that may round otherwise: so only to what moves
    and compares numbers."""
    if few(jaxpr) and all([e.op.op_name in SAME_BITS for e in jaxpr.eqns]) or uneven(jaxpr):
        return True
    if any([getattr(e.op, "keep", False) for e in jaxpr.eqns]):
        return False            # it compiles a function anew for each of its calls
    in_loops = sum([equations(p) for e in jaxpr.eqns for p in programs_of(e.op)])
    saved = QUICK_SAVES * in_loops - QUICK_PAIR * equations(jaxpr) ** 2
    return saved >= WORTHWHILE and RUNS * quick_loss(jaxpr) < saved


FEW_EQUATIONS, FEW_NUMBERS = 16, 1024
# what any code generator computes to the same bits: there is nothing to round, or one way to do so
SAME_BITS = frozenset("""
    add and argmax argmin bitcast_convert_type broadcast_in_dim ceil clamp clz concatenate convert_element_type copy cummax cummin
    cumsum dynamic_slice dynamic_update_slice eq floor gather ge gt iota is_finite le lt max min ne neg not or pad population_count
    reduce_and reduce_max reduce_min reduce_or reduce_xor reshape rev roll round scatter scatter-add scatter-max scatter-min scatter-sub
    select_n shift_left shift_right_arithmetic shift_right_logical slice sort split squeeze stack sub tile
    top_k transpose unstack xor
    """.split())


def few(jaxpr):
    """Whether a program is a few equations on few numbers."""
    if not 0 < len(jaxpr.eqns) <= FEW_EQUATIONS:
        return False
    return all([getattr(v.type, "size", FEW_NUMBERS + 1) <= FEW_NUMBERS for e in jaxpr.eqns for v in (*e.ins, *e.outs)])


UNEVEN_BYTES = 1 << 19      # of a vector that XLA gives to several cores
# what both code generators compute to the same bits and, of vectors that can be shared out evenly, as quickly
EVENLY_QUICK = frozenset("""
    abs add add_any and broadcast_in_dim ceil clamp complex concatenate conj convert_element_type copy div dynamic_slice eq floor ge gt imag
    integer_pow is_finite le lt max min mul ne neg not or pad real rem reshape rev round rsqrt select_n shift_left shift_right_arithmetic
    shift_right_logical sign slice sqrt square squeeze sub xor
    """.split())


def uneven(jaxpr):
    """Whether a program only computes large vectors element by element, one of a size that the cores cannot share evenly: the newer
    code generator then asks before each element whether it is still within the vector, which takes up to four times as long."""
    if not all([e.op.op_name in EVENLY_QUICK for e in jaxpr.eqns]):
        return False
    return any([len(v.type.shape) == 1 and size_in_bytes(v.type) >= UNEVEN_BYTES and v.type.size % CORES
                for e in jaxpr.eqns if e.op.op_name not in VIEWS for v in e.outs])


VIEWS = frozenset(["broadcast_in_dim", "reshape", "squeeze"])


def equations(jaxpr):
    """How many a program has with those of the programs that it holds, without those that only give an array another shape."""
    views = sum([e.op.op_name in VIEWS and e.ins[0].type.size == e.outs[0].type.size for e in jaxpr.eqns])
    return len(jaxpr.eqns) - views + sum([equations(held) for e in jaxpr.eqns for held in programs_of(e.op)])


def quick_loss(jaxpr):
    """Seconds that a run takes longer with the older code generator."""
    lost = 0.0
    for e in jaxpr.eqns:
        name = e.op.op_name
        share = next((s for start, s in QUICK_LOSSES.items() if name.startswith(start)), None)
        sizes = [size_in_bytes(v.type) for v in (*e.outs, *e.ins)]
        lost += (share * sum(sizes) if share else QUICK_LOSS * sum([s for s in sizes if s > QUICK_FREE])) / BYTES_PER_SECOND
        for held in programs_of(e.op):
            lost += quick_loss(held) * getattr(e.op, "length", UNKNOWN_STEPS if name == "while" else 1)
    return lost
