"""Forward differentiation: a program that computes the outputs and how they move with the inputs."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.base.source import at_place
from gnomon.ir.jaxpr import intern
from gnomon.ir.op import LINEAR, MULTILINEAR, ZERO, NestedOp
from gnomon.ops.arithmetic import add_any, broadcast_like, mul
from gnomon.ops.shape import zeros
from gnomon.trace.build import Builder, fresh
from gnomon.trace.stage import bind
from gnomon.types.value_type import has_tangent, tangent_type


def jvp(jaxpr, nonzero, instantiate=False):
    """(inputs, tangents of the inputs where `nonzero`) -> (outputs, tangents of the outputs that have one).

    Returns the program and, per output, whether it has a tangent. `instantiate` (a bool or one per output) asks for
    zeros instead of none."""
    asked = "jvp", tuple(nonzero), instantiate
    found = jaxpr.memo.get(asked)
    if found is None:
        nonzero = tuple(nz and has_tangent(v.type) for nz, v in zip(nonzero, jaxpr.invars, strict=True))
        if instantiate is True or instantiate is False:
            instantiate = (instantiate,) * len(jaxpr.outvars)
        key = "jvp", nonzero, instantiate
        found = jaxpr.memo.get(key)
        if found is None:
            found = jaxpr.memo[key] = _jvp(jaxpr, nonzero, instantiate)
        jaxpr.memo[asked] = found
    return found


def _jvp(jaxpr, nonzero, instantiate):
    moving = [v for v, nz in zip(jaxpr.invars, nonzero) if nz]
    tangent_vars = fresh(tangent_type(v.type) for v in moving)
    build = Builder(jaxpr.invars + tangent_vars, "jvp")
    tangent = {v: build.frame.tracer(t) for v, t in zip(moving, tangent_vars)}
    with build:
        for e in jaxpr.eqns:
            moved = [tangent.get(v) for v in e.ins]
            if e.op.derivative is ZERO or not any(t is not None for t in moved):
                build.keep(e)
                continue
            build.at(e)
            jvp_eqn(build, e, moved, tangent)
        out_tangents = [tangent.get(v) for v in jaxpr.outvars]
        for i, v in enumerate(jaxpr.outvars):
            if out_tangents[i] is None and instantiate[i] and has_tangent(v.type):
                out_tangents[i] = zeros(v.type)
        has = tuple(t is not None for t in out_tangents)
        outs = build.values(jaxpr.outvars) + [t for t in out_tangents if t is not None]
        return intern(build.finish(outs)), has


def jvp_eqn(build, e, moved, tangent):
    """One equation: its outputs by the same equation where that can be, and their tangents."""
    op, rule = e.op, e.op.derivative
    if isinstance(op, NestedOp):
        outs, out_tangents = op.jvp(T[0], build.values(e.ins), moved)
    elif rule is LINEAR:
        build.keep(e)
        terms = [t if t is not None else zeros(v.type) if has_tangent(v.type) else build.value(v)
                 for v, t in zip(e.ins, moved)]
        out = bind(op, *terms)
        for v, t in zip(e.outs, out if op.multiple else (out,)):
            tangent[v] = t
        return
    elif rule is MULTILINEAR:
        build.keep(e)
        args, total = build.values(e.ins), None
        for i, t in enumerate(moved):
            if t is not None:
                term = bind(op, *args[:i], t, *args[i + 1:])
                total = term if total is None else add_any(total, term)
        tangent[e.outs[0]] = total
        return
    elif isinstance(rule, tuple):
        build.keep(e)
        args, out, total = build.values(e.ins), build.value(e.outs[0]), None
        for factor, t in zip(rule, moved, strict=True):
            if t is not None and factor is not None:
                term = mul(t, factor(out, *args))
                total = term if total is None else add_any(total, term)
        if total is not None:
            tangent[e.outs[0]] = broadcast_like(total, out)
        return
    elif isinstance(rule, Refused):
        raise Refused(f"{op.user_name}{at_place(e.place)} has no derivative: {rule.why}")
    else:
        outs, out_tangents = rule(build.values(e.ins), moved)
        if not op.multiple:
            outs, out_tangents = (outs,), (out_tangents,)
    for v, out, t in zip(e.outs, outs, out_tangents, strict=True):
        build.define(v, out)
        if t is not None:
            tangent[v] = t if t.type.shape == v.type.shape else broadcast_like(t, out)


T: list = [None]        # the set of transforms handed to nested ops, filled by this room's __init__


