"""What repeats cost, and what to do about them: a written model of compile time saved against run time lost.

Seconds on one core, fitted to XLA's CPU compiler (flat programs of small ops; its time grows faster than their length).
"""
from __future__ import annotations

from gnomon.types.dtype import itemsize_bits

PER_EQUATION = 2.5e-3       # to compile an equation
PER_PAIR = 1.3e-6           # and for each other equation in the same function
PER_CALL = 2.3e-3           # to compile a call that is not inlined,
PER_COPY = 0.8e-3           # and an equation of what it calls: the compiler copies the function for each call
PER_KERNEL = 0.045          # to compile a kernel: equal ones are compiled once, wherever they are
PER_STEP = 3e-6             # to run one more iteration of a loop
BYTES_PER_SECOND = 5e9      # to copy what a loop stacks and cuts
RUNS = 100                  # how often a compiled program is taken to be run
WORTHWHILE = 0.25           # seconds of compile time below which nothing is done


def compile_seconds(n):
    """The time to compile a flat function of n equations."""
    return PER_EQUATION * n + PER_PAIR * n * n


def size_in_bytes(t):
    return t.size * itemsize_bits(t.dtype) / 8 if hasattr(t.dtype, "itemsize") else 0


def choose(total, period, count, copied, stacked, cuts=0, may_roll=True, may_outline=True, moves=0, again=0):
    """What to do with a run of `count` blocks of `period` equations in a program of `total`: "roll", "outline" or None.

    `copied` are the bytes that a scan would cut or write per run, `stacked` the bytes it would have to put together first, `cuts` the
    rows of stacked values that have to be cut out one by one unless it is a scan, `moves` the arrays that it would put together or
    write. `again` are the kinds of equations in a block that are outside the run as well, and would be compiled for both."""
    removed = period * (count - 1)
    if PER_EQUATION * cuts + compile_seconds(total) - compile_seconds(total - removed) < WORTHWHILE:
        return None
    costs = {}
    if may_roll:
        costs["roll"] = RUNS * (PER_STEP * count + (copied + 2 * stacked) / BYTES_PER_SECOND) + PER_KERNEL * moves
    if may_outline and period >= 3:         # a block of one or two equations is no better as a call
        costs["outline"] = (PER_CALL + PER_COPY * period) * count + PER_EQUATION * cuts + PER_KERNEL * again
    best = min(costs, key=costs.get, default=None)
    return best if best is not None and costs[best] < PER_EQUATION * cuts + compile_seconds(removed) else None
