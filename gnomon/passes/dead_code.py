"""Drop equations that nobody needs."""
from __future__ import annotations

from gnomon.ir.jaxpr import Jaxpr, Literal
from gnomon.types.effect import must_run


def drop_dead_code(jaxpr):
    """The program without the equations whose results are not used and that do nothing else."""
    live = {v for v in jaxpr.outvars if v.__class__ is not Literal}
    kept = []
    for e in reversed(jaxpr.eqns):
        if any([v in live for v in e.outs]) or e.op.effects and must_run(e.op.effects):
            kept.append(e)
            live.update([v for v in e.ins if v.__class__ is not Literal])
    if len(kept) == len(jaxpr.eqns):
        return jaxpr
    return Jaxpr(jaxpr.constvars, jaxpr.invars, kept[::-1], jaxpr.outvars, jaxpr.names)
