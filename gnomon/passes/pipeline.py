"""The passes, in order: Jaxpr -> Jaxpr of the same meaning, before lowering."""
from __future__ import annotations

from gnomon.base.settings import current
from gnomon.passes.dead_code import drop_dead_code
from gnomon.passes.roll import compile_repeats_once, with_inner_programs


def optimise(jaxpr):
    """The program after every pass; remembered on it."""
    return optimised(jaxpr)[0]


def optimised(jaxpr):
    """The program after every pass, and reports of what was done to its repeats."""
    key = ("optimised", current.roll, current.outline)
    found = jaxpr.memo.get(key)
    if found is None:
        out = drop_dead_code(jaxpr)
        out, reports = compile_repeats_once(out)
        out, more = with_inner_programs(out)
        found = jaxpr.memo[key] = out, reports + more
    return found
