"""The passes, in order: Jaxpr -> Jaxpr of the same meaning, before lowering."""
from __future__ import annotations

from gnomon.base.settings import current
from gnomon.passes.dead_code import drop_dead_code
from gnomon.passes.discharge import discharge
from gnomon.passes.inside import with_inner_programs
from gnomon.passes.roll import rewritten
from gnomon.types.effect import STATE


def optimised(jaxpr):
    """The program after every pass, and reports of what was done to its repeats."""
    return passed(jaxpr, False)[:2]


def passed(jaxpr, whole_rows):
    """(program, reports, rows) after every pass: see `passes.roll.rewritten`."""
    key = ("optimised", current.roll, current.outline, whole_rows)
    found = jaxpr.memo.get(key)
    if found is None:
        out = drop_dead_code(jaxpr if STATE not in jaxpr.effects else discharge(jaxpr)[0])
        out, reports, rows = rewritten(out, whole_rows)
        out, more = with_inner_programs(out)
        found = jaxpr.memo[key] = out, reports + more, rows
    return found
