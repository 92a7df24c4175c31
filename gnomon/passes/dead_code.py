"""Drop equations that nobody needs."""
from __future__ import annotations

from gnomon.ir.jaxpr import Jaxpr
from gnomon.types.effect import must_run


def drop_dead_code(jaxpr):
    """The program without the equations whose results are not used and that do nothing else."""
    live = set(jaxpr.outvars)           # and literals, which nothing makes
    kept = []
    for e in reversed(jaxpr.eqns):
        outs = e.outs
        if (outs[0] in live if len(outs) == 1 else not live.isdisjoint(outs)) or e.op.effects and must_run(e.op.effects):
            kept.append(e)
            live.update(e.ins)
    if len(kept) == len(jaxpr.eqns):
        return jaxpr
    return Jaxpr(jaxpr.constvars, jaxpr.invars, kept[::-1], jaxpr.outvars, jaxpr.names)
