"""The settings debug_nans and debug_infs: a NaN or an infinity in a result is an error that names the operation."""
from __future__ import annotations

import numpy as np

from gnomon.base.settings import current
from gnomon.base.source import at_place, user_place
from gnomon.ir.jaxpr import Var
from gnomon.ops.nested.call import Jit
from gnomon.ops.nested.cond import Cond
from gnomon.ops.nested.custom import CustomCall
from gnomon.ops.nested.remat import Checkpoint
from gnomon.ops.nested.scan import Scan
from gnomon.ops.nested.while_loop import While
from gnomon.ops.shape import reshape
from gnomon.ops.slicing import dynamic_slice
from gnomon.run.programs import watched
from gnomon.trace.context import runtime
from gnomon.types.dtype import is_inexact, is_key


def fault(arrays) -> str:
    """'nan' or 'inf' where one of some arrays has one that the settings look for, else nothing."""
    for x in arrays:
        dtype = x.type.dtype
        if is_key(dtype) or not is_inexact(dtype):
            continue
        numbers = x.host()
        if current.debug_nans and np.isnan(numbers).any():
            return "nan"
        if current.debug_infs and np.isinf(numbers).any():
            return "inf"
    return ""


class Fault(FloatingPointError):
    """The error about a result."""

    def __init__(self, kind: str, what: str):
        super().__init__(f"invalid value ({kind}) encountered in {what}. Look at its arguments, with gnomon.debug.print or under "
                         "disable_jit.")
        self.kind, self.what = kind, what


def watched_call(call, jaxpr, name: str, donated=()):
    """The call of a program, whose results are looked at; if one is at fault the program runs again, op by op, to find where."""
    def run(arrays):
        outs = call(arrays)
        kind = fault(outs)
        if not kind:
            return outs
        found = None if donated else first_fault(jaxpr, arrays)
        raise Fault(kind, f"the results of {name}") if found is None else found
    return run


def first_fault(jaxpr, arrays):
    """The error about the first equation whose results are at fault, or None."""
    try:
        run_watched(jaxpr, arrays)
    except Fault as found:
        return found
    return None


def run_watched(jaxpr, arrays):
    """The outputs of a closed program, evaluated equation by equation. FloatingPointError at the first whose results are at
    fault."""
    env = dict(zip(jaxpr.invars, arrays))

    def read(v):
        return env[v] if v.__class__ is Var else runtime.constant(v)
    for e in jaxpr.eqns:
        args = [read(v) for v in e.ins]
        if isinstance(e.op, Jit):
            outs = run_watched(e.op.jaxpr, args)
        else:
            try:
                outs = runtime.evaluate(e.op, args)
            except Fault as found:
                look_inside(e, args)
                raise Fault(found.kind, f"{e.op.user_name}{at_place(e.place)}") from None
            outs = outs if e.op.multiple else (outs,)
        env.update(zip(e.outs, outs))
    return [read(v) for v in jaxpr.outvars]


def look_inside(e, args):
    """Run the programs that an equation holds, whose results are at fault, to find the equation in them; loops step by step."""
    op = e.op
    if isinstance(op, (Checkpoint, CustomCall)):
        run_watched(op.programs()[0], args)
    elif isinstance(op, Cond):
        run_watched(op.branches[int(args[0])], args[1:])
    elif isinstance(op, Scan):
        consts, carry, xs = map(list, op.parts(args))
        for step in range(op.length):
            at = op.length - 1 - step if op.reverse else step
            carry = run_step(e, step, op.jaxpr, [*consts, *carry, *[element(x, at) for x in xs]])[:op.num_carry]
    elif isinstance(op, While):
        cond_consts, body_consts, carry = map(list, op.parts(args))
        step = 0
        while bool(run_watched(op.cond_jaxpr, [*cond_consts, *carry])[0]):
            carry = run_step(e, step, op.body_jaxpr, [*body_consts, *carry])
            step += 1


def run_step(e, step, body, args):
    """The results of one step of a loop; only if they are at fault, one equation after the other."""
    try:
        return runtime.evaluate(Jit(body), args)
    except Fault as found:
        where = f", in iteration {step} (counted from 0) of {e.op.user_name}{at_place(e.place)}"
        try:
            run_watched(body, args)
        except Fault as inner:
            raise Fault(inner.kind, inner.what + where) from None
        raise Fault(found.kind, f"the results of the body{where}") from None


def element(x, i):
    """x[i], by one program for all i."""
    index = runtime.constant(np.int32(i))
    row = dynamic_slice(x, [index, *[runtime.constant(np.int32(0))] * (x.type.ndim - 1)], (1, *x.type.shape[1:]))
    return reshape(row, x.type.shape[1:])


def watched_handler(handler, op):
    """The handler of an eager op, whose results are looked at while a setting asks for it."""
    def run(arrays):
        out = handler(arrays)
        if watched():
            kind = fault(out if op.multiple else (out,))
            if kind:
                raise Fault(kind, f"{op.user_name}{at_place(user_place(2))}")
        return out
    return run
