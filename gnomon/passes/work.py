"""How much an equation computes and moves: floating-point operations and bytes, from its types alone."""
from __future__ import annotations

import math

from gnomon.ir.check import programs_of
from gnomon.ir.jaxpr import Literal
from gnomon.ir.op import LINEAR, ZERO
from gnomon.ops.dot import DotGeneral
from gnomon.ops.elementwise import Elementwise
from gnomon.ops.nested.cond import Cond
from gnomon.ops.nested.scan import Scan
from gnomon.passes.cost import size_in_bytes
from gnomon.types.dtype import is_inexact


def work(e):
    """(flops, bytes) of one equation: a product of matrices counts two per term, an elementwise op one per element, what only moves
    data none; bytes are those of all operands and results. Loops count their steps, a cond its dearest branch; the steps of a
    while loop are not known and count once."""
    moved = sum(size_in_bytes(v.type) for v in (*e.ins, *e.outs) if v.__class__ is not Literal)
    if programs_of(e.op):
        inner = [program_work(p) for p in programs_of(e.op)]
        if isinstance(e.op, Cond):
            return max(inner)
        times = e.op.length if isinstance(e.op, Scan) else 1
        return times * sum(f for f, _ in inner), times * sum(b for _, b in inner)
    if isinstance(e.op, DotGeneral):
        contracted = math.prod(e.ins[0].type.shape[d] for d in e.op.dimension_numbers[0][0])
        return 2 * e.outs[0].type.size * contracted, moved
    if e.op.op_name == "conv_general_dilated":
        kernel, out = e.ins[1].type, e.outs[0].type
        features = kernel.shape[e.op.dimension_numbers.rhs_spec[0]]
        return 2 * out.size * kernel.size // max(features, 1), moved
    if isinstance(e.op, Elementwise) and e.op.derivative not in (LINEAR, ZERO) or e.op.op_name in ("add", "sub", "add_any", "neg"):
        return (e.outs[0].type.size if is_inexact(e.outs[0].type.dtype) else 0), moved
    if e.op.op_name.startswith(("reduce_", "cum")):
        return e.ins[0].type.size, moved
    return 0, moved


def program_work(jaxpr):
    """(flops, bytes) of a program."""
    found = jaxpr.memo.get("work")
    if found is None:
        pairs = [work(e) for e in jaxpr.eqns]
        found = jaxpr.memo["work"] = sum(f for f, _ in pairs), sum(b for _, b in pairs)
    return found
