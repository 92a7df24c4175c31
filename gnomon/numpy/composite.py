"""Composite functions, made of several ops: recorded op by op while tracing, run as one compiled program when eager. And functions
that often come to a single op."""
from __future__ import annotations

import functools
import inspect

from gnomon.api.jit import jit
from gnomon.base.settings import current
from gnomon.numpy.axes import plain_values
from gnomon.run.array import Array
from gnomon.run.eager import evaluate
from gnomon.trace.context import local
from gnomon.trace.stage import stage


def composite(static=()):
    """Decorator for functions of arrays. `static` names the parameters that are not arrays (hashable; axes, flags, shapes).

    While a program is being recorded the function's ops go into it one by one, at the user's line. Outside, one executable per
    (types, static values) is compiled and called."""
    if callable(static):
        return composite()(static)

    def decorate(fn):
        signature = inspect.signature(fn)
        names = tuple(signature.parameters)
        fixed = tuple([i for i, n in enumerate(names) if n in static])
        free = tuple([i for i, n in enumerate(names) if n not in static])
        if not fixed:
            compiled = jit(fn, inline=True)

            @functools.wraps(fn)
            def call(*args, **kwargs):
                return compiled(*args, **kwargs) if local.frame is None else fn(*args, **kwargs)
        else:
            by_statics = {}         # a compiled function for each choice of the static values

            @functools.wraps(fn)
            def call(*args, **kwargs):
                if local.frame is not None:
                    return fn(*args, **kwargs)
                if kwargs or len(args) != len(names):
                    bound = signature.bind(*args, **kwargs)
                    bound.apply_defaults()
                    args = tuple([bound.arguments[n] for n in names])
                statics = [args[i] for i in fixed]
                key = (*statics, *[s.__class__ for s in statics])       # True is not 1
                try:
                    compiled = by_statics.get(key)
                except TypeError:
                    plain_values(fn.__name__, {names[i]: args[i] for i in fixed})
                    raise
                if compiled is None:
                    compiled = by_statics[key] = jit(with_statics(fn, signature, dict(zip(fixed, statics))), inline=True)
                return compiled(*[args[i] for i in free])
        call.traced = fn
        return call
    return decorate


def with_statics(fn, signature, given):
    """`fn` with its static arguments, by position, filled in."""
    parameters = list(signature.parameters.values())
    by_name = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        raise TypeError(f"composite: {fn.__name__} has static arguments, so it cannot take any number of others.")

    @functools.wraps(fn)
    def special(*args):
        rest = iter(args)
        every = [given[i] if i in given else next(rest) for i in range(len(parameters))]
        last = len(every) - len(by_name)
        return fn(*every[:last], **dict(zip(by_name, every[last:])))
    del special.__wrapped__         # its signature is not that of fn
    return special


def often_one_op(fn):
    """Decorator for functions (array, axis, options): what an Array outside a trace takes, without options, is remembered where it is
    one op, and is that op at once the next time."""
    usual = fn.__defaults__[0]
    known = {}          # (type, axis, settings) -> the op, or None

    @functools.wraps(fn)
    def call(a, axis=usual, *args, **options):
        if a.__class__ is not Array or args or options or local.frame is not None or axis is not None and axis.__class__ is not int:
            return fn(a, axis, *args, **options)
        key = a.type, axis, current.key
        try:
            op = known[key]
        except KeyError:
            out = fn(a, axis)
            known[key] = only_op(lambda x: fn(x, axis), a.type)
            return out
        return fn(a, axis) if op is None else evaluate(op, (a,))
    return call


def only_op(fn, type):
    """The op that `fn` applies to a value of this type, where it does nothing else."""
    jaxpr, _ = stage(lambda x: [fn(x)], [type])
    if len(jaxpr.eqns) != 1:
        return None
    eqn, = jaxpr.eqns
    return eqn.op if eqn.ins == jaxpr.invars and eqn.outs == jaxpr.outvars and not eqn.op.multiple else None
