"""The passes, in order: Jaxpr -> Jaxpr of the same meaning, before lowering."""
from __future__ import annotations

from gnomon.passes.dead_code import drop_dead_code

PASSES = (drop_dead_code,)


def optimise(jaxpr):
    """The program after every pass; remembered on it."""
    found = jaxpr.memo.get("optimised")
    if found is None:
        found = jaxpr
        for p in PASSES:
            found = p(found)
        jaxpr.memo["optimised"] = found
    return found
