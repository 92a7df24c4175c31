"""Write called programs into their caller, so that repeats can be seen across calls."""
from __future__ import annotations

from gnomon.base.source import scope_of, within
from gnomon.ir.jaxpr import Eqn, Jaxpr, Literal, Var
from gnomon.ops.nested.call import Jit

LIMIT = 200_000         # equations beyond which a program is left as it is


def flatten(jaxpr):
    """The program with its jit calls written out (those that are to be kept as calls stay)."""
    if not any(isinstance(e.op, Jit) for e in jaxpr.eqns) or flat_size(jaxpr) > LIMIT:
        return jaxpr
    eqns, rename = [], {}
    _flatten(jaxpr, eqns, rename, "", top=True)
    return Jaxpr(jaxpr.constvars, jaxpr.invars, eqns, [rename.get(v, v) for v in jaxpr.outvars], jaxpr.names)


def flat_size(jaxpr):
    """How many equations the program has with its calls written out."""
    found = jaxpr.memo.get("flat size")
    if found is None:
        found = jaxpr.memo["flat size"] = sum(flat_size(e.op.jaxpr) if is_open_call(e) else 1 for e in jaxpr.eqns)
    return found


def is_open_call(e):
    return isinstance(e.op, Jit) and not e.op.keep


def _flatten(jaxpr, eqns, rename, scope, top):
    """Append a program's equations; `rename` maps its variables to the caller's names, and gets the new ones. `scope` has the names of the
    named_scopes that the program was called in."""
    for e in jaxpr.eqns:
        place = within(e.place, scope) if scope else e.place
        ins = tuple([rename.get(v, v) if v.__class__ is Var else v for v in e.ins])
        if is_open_call(e):
            inner = dict(zip(e.op.jaxpr.invars, ins))
            _flatten(e.op.jaxpr, eqns, inner, scope_of(place) and f"{scope_of(place)}/jit({e.op.name})", False)
            for outer, v in zip(e.outs, e.op.jaxpr.outvars):
                rename[outer] = v if v.__class__ is Literal else inner[v]
            continue
        outs = e.outs
        if not top:
            outs = tuple([Var(v.type) for v in e.outs])
            rename.update(zip(e.outs, outs))
        eqns.append(Eqn(e.op, ins, outs, place))
