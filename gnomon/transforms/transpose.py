"""Transposition of linear programs: cotangents of the outputs -> cotangents of the linear inputs."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.base.source import at_place
from gnomon.ir.jaxpr import Literal, intern
from gnomon.ir.op import MULTILINEAR, LinearInput, NestedOp
from gnomon.ops.accumulate import accumulate
from gnomon.ops.arithmetic import unbroadcast
from gnomon.ops.place import Reshard
from gnomon.ops.shape import zeros
from gnomon.trace.build import Builder, fresh
from gnomon.trace.stage import bind
from gnomon.transforms.jvp import T, tangent_type
from gnomon.types.dtype import is_integer
from gnomon.types.value_type import flipped, tags_of


def transpose(jaxpr, linear, has_ct=None, instantiate=True):
    """(non-linear inputs, cotangents of the outputs where `has_ct`) -> cotangents of the linear inputs.

    Returns the program and, per linear input, whether it has a cotangent; `instantiate` (a bool, or one per linear input)
    asks for zeros instead of none."""
    has_ct = (True,) * len(jaxpr.outvars) if has_ct is None else tuple(has_ct)
    if instantiate is True or instantiate is False:
        instantiate = (instantiate,) * sum(linear)
    key = ("transpose", tuple(linear), has_ct, instantiate)
    found = jaxpr.memo.get(key)
    if found is None:
        found = jaxpr.memo[key] = _transpose(jaxpr, tuple(linear), has_ct, instantiate)
    return found


def _transpose(jaxpr, linear, has_ct, instantiate):
    fixed = tuple([v for v, is_lin in zip(jaxpr.invars, linear, strict=True) if not is_lin])
    wanted = [v for v, is_lin in zip(jaxpr.invars, linear) if is_lin]
    ct_vars = fresh(cotangent_type(v.type) for v, has in zip(jaxpr.outvars, has_ct) if has)
    build = Builder(fixed + ct_vars, "transpose")
    lin = set(wanted)
    with build:
        backward = []
        for e in jaxpr.eqns:
            if any(v in lin for v in e.ins):
                lin.update(e.outs)
                backward.append(e)
            else:
                build.keep(e)
        cts = {}

        def give(v, ct):
            have = cts.get(v)
            cts[v] = ct if have is None else accumulate(have, ct)

        given = iter(ct_vars)
        for v, has in zip(jaxpr.outvars, has_ct):
            ct = build.frame.tracer(next(given)) if has else None
            if ct is not None and v.__class__ is not Literal and v in lin:
                give(v, ct)
        for e in reversed(backward):
            got = [cts.pop(v, None) for v in e.outs]
            if all(c is None for c in got):
                continue
            build.at(e)
            transpose_eqn(build, e, got, lin, give)
        out = [cts.get(v) for v in wanted]
        out = [zeros(cotangent_type(v.type)) if c is None and must else c
               for v, c, must in zip(wanted, out, instantiate, strict=True)]
        has = tuple(c is not None for c in out)
        return intern(build.finish([c for c in out if c is not None])), has


def cotangent_type(t):
    """The type of a cotangent: that of tangents; integers, in which a program can be linear too, have cotangents like themselves."""
    t = t if is_integer(t.dtype) else tangent_type(t)
    return t.update(varying=flipped(t.varying)) if tags_of(t.varying) else t


def transpose_eqn(build, e, got, lin, give):
    op = e.op
    args = [LinearInput(v.type) if v in lin else build.value(v) for v in e.ins]
    rule = op.transpose
    if isinstance(rule, Refused):
        raise Refused(f"{op.user_name}{at_place(e.place)} cannot be run in reverse (transposed): {rule.why}")
    if op.derivative is MULTILINEAR and sum(v in lin for v in e.ins) > 1:
        raise TypeError(f"{op.user_name}{at_place(e.place)} is not linear in values that are to be transposed, such as the tangents "
                        "of a custom_jvp rule or the inputs of linear_transpose. Make the function linear in them.")
    if isinstance(op, NestedOp):
        found = op.transpose(T[0], got, *args)
    else:
        found = op.transpose(got if op.multiple else got[0], *args)
    for v, ct in zip(e.ins, found, strict=True):
        if ct is not None and v in lin:
            give(v, placed(unbroadcast(ct, v.type) if op.aligned else ct, v.type))


def placed(ct, t):
    """A cotangent sharded as what it belongs to, where that has another sharding."""
    ours, wanted = ct.type.sharding, t.sharding
    if ours is wanted or wanted is None or ours is not None and (ours.spec.unreduced or wanted.spec.reduced or ours.mesh is not wanted.mesh):
        return ct
    return bind(Reshard(wanted), ct)
