"""Cut a program in two: what can be computed from the known inputs, and the rest."""
from __future__ import annotations

from gnomon.ir.jaxpr import Jaxpr, Literal, intern
from gnomon.ir.op import NestedOp
from gnomon.transforms.jvp import T


def split(jaxpr, unknown, late=None):
    """early: known inputs -> (known outputs, residuals); later: (residuals, unknown inputs) -> unknown outputs.

    `late` says which outputs must come from `later` (default: those that depend on unknown inputs). Returns
    (early, later, late, number of residuals)."""
    key = ("split", tuple(unknown), late)
    found = jaxpr.memo.get(key)
    if found is None:
        found = jaxpr.memo[key] = _split(jaxpr, tuple(unknown), late)
    return found


def _split(jaxpr, unknown, late):
    unknown_vars = {v for v, u in zip(jaxpr.invars, unknown, strict=True) if u}
    early, later = [], []
    for e in jaxpr.eqns:
        mask = [v in unknown_vars for v in e.ins]
        if not any(mask):
            early.append(e)
        elif isinstance(e.op, NestedOp):
            first, second, out_unknown = e.op.split(T[0], e, tuple(mask))
            early.extend(first)
            later.extend(second)
            unknown_vars.update(v for v, u in zip(e.outs, out_unknown) if u)
        else:
            later.append(e)
            unknown_vars.update(e.outs)
    natural = tuple(v in unknown_vars for v in jaxpr.outvars)
    late = natural if late is None else tuple(a or b for a, b in zip(late, natural))
    later_outs = [v for v, is_late in zip(jaxpr.outvars, late) if is_late]
    made = {v for v, u in zip(jaxpr.invars, unknown) if u}
    for e in later:
        made.update(e.outs)
    needed = [v for e in later for v in e.ins] + later_outs
    residuals = list(dict.fromkeys(v for v in needed if v.__class__ is not Literal and v not in made))
    first = Jaxpr((), [v for v, u in zip(jaxpr.invars, unknown) if not u], early,
                  [v for v, is_late in zip(jaxpr.outvars, late) if not is_late] + residuals)
    second = Jaxpr((), residuals + [v for v, u in zip(jaxpr.invars, unknown) if u], later, later_outs)
    return intern(first), intern(second), late, len(residuals)
