"""Composite functions, made of several ops: recorded op by op while tracing, run as one compiled program when eager. And functions
whose calls outside a trace are remembered."""
from __future__ import annotations

import functools
import inspect

from gnomon.api.jit import jit, remembering
from gnomon.base.announce import listening
from gnomon.base.errors import ConcretizationTypeError
from gnomon.base.settings import current
from gnomon.base.tree import tree_leaves
from gnomon.ir.jaxpr import intern
from gnomon.numpy.axes import plain_values
from gnomon.numpy.promote import as_value
from gnomon.numpy.recorded import CALLS_KEPT, HASHED, memory, record
from gnomon.run.array import Array
from gnomon.run.eager import evaluate, first_of, host_program
from gnomon.run.programs import call_for, watched
from gnomon.trace.context import local
from gnomon.trace.stage import Tracer, stage


def composite(static=()):
    """Decorator for functions of arrays. `static` names the parameters that are not arrays (hashable; axes, flags, shapes).

    While a program is being recorded the function's ops go into it one by one, at the user's line (see `recorded`). Outside, one executable per
    (types, static values) is compiled and called."""
    if callable(static):
        return composite()(static)

    def decorate(fn):
        signature = inspect.signature(fn)
        names = tuple(signature.parameters)
        fixed = tuple([i for i, n in enumerate(names) if n in static])
        free = tuple([i for i, n in enumerate(names) if n not in static])
        written = memory()          # what calls record
        if not fixed:
            compiled = jit(fn, inline=True)

            @functools.wraps(fn)
            def call(*args, **kwargs):
                if local.frame is not None:
                    return record(fn, written, args, kwargs)
                try:
                    return compiled(*args, **kwargs)
                except TypeError:
                    only_arrays(fn, {**dict(zip(names, args)), **kwargs})
                    raise
        else:
            by_statics = {}         # a compiled function for each choice of the static values

            @functools.wraps(fn)
            def call(*args, **kwargs):
                if local.frame is not None:
                    return record(fn, written, args, kwargs)
                if kwargs or len(args) != len(names):
                    bound = signature.bind(*args, **kwargs)
                    bound.apply_defaults()
                    args = tuple([bound.arguments[n] for n in names])
                statics = [args[i] for i in fixed]
                key = (*statics, *[s.__class__ for s in statics])       # True is not 1
                try:
                    compiled = by_statics.get(key)
                except TypeError:
                    plain_values(fn.__name__.lstrip("_"), {names[i]: args[i] for i in fixed})
                    raise
                if compiled is None:
                    compiled = by_statics[key] = jit(with_statics(fn, signature, dict(zip(fixed, statics))), inline=True)
                try:
                    return compiled(*[args[i] for i in free])
                except TypeError:
                    only_arrays(fn, {names[i]: args[i] for i in free})
                    raise
            call.clear_cache = by_statics.clear
            remembering.add(call)
        call.traced = fn
        return call
    return decorate


def only_arrays(fn, args):
    """TypeError for the first of the arguments, by name, that holds what is no array: in the words of the function, not of the jit around it."""
    for name, x in args.items():
        for leaf in tree_leaves(x):
            as_value(leaf, f"{fn.__name__.lstrip('_')}({name}=...)")


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


def remembered(fn):
    """Decorator for functions of arrays whose work in Python takes longer than their ops: what a call outside a trace comes to is
    remembered from its second time on, by the types of its Arrays and by its other arguments. A single op is evaluated at once;
    several run in NumPy where all of them do, or else as one compiled program.

    Not for functions that look at their arrays' numbers, or tell the user something about the call."""
    written = memory()  # what calls record
    known = {}          # (settings, arguments) -> None at first, then a function of the Arrays; it gives None where `fn` is to be called

    @functools.wraps(fn)
    def call(*args, **options):
        if local.frame is not None:
            return record(fn, written, args, options)
        if current.transfer_guard_host_to_device is not None:
            return fn(*args, **options)
        arrays, key = [], [current.key]
        for a in (*args, *options.values()) if options else args:
            cls = a.__class__
            if cls is Array and a.placement is None:
                arrays.append(a)
                key.append(a.type)
            elif a is None or cls in HASHED or cls is tuple and {i.__class__ for i in a} == {int}:
                key += cls, a
            elif cls is float or cls is complex:
                key += cls, a if a else repr(a)         # 0.0 and -0.0 are equal
            else:
                return fn(*args, **options)
        key = (*key, len(args), *options) if options else tuple(key)
        try:
            run = known[key]
        except KeyError:
            if len(known) >= CALLS_KEPT:
                known.clear()
            known[key] = None
            return fn(*args, **options)
        if run is None:
            run = known[key] = remember(fn, args, options)
        out = run(arrays)
        return fn(*args, **options) if out is None else out

    call.traced, call.clear_cache = fn, known.clear
    remembering.add(call)
    return call


def nothing(arrays):
    """Stands for calls that are not remembered."""


def remember(fn, args, options):
    """What runs `fn` on other Arrays of the same types in the place of those among its arguments."""
    if current.default_device is not None or watched() or current.debug_key_reuse or current.no_execution or current.disable_jit:
        return nothing
    tree = (*args, *options.values())
    types = [a.type for a in tree if a.__class__ is Array]
    several = []

    def on_values(*values):
        rest = iter(values)
        given = [next(rest) if a.__class__ is Array else a for a in tree]
        out = fn(*given[:len(args)], **dict(zip(options, given[len(args):])))
        several.append(out.__class__ in (tuple, list) and out.__class__)
        outs = list(out) if several[0] else [out]
        if not all(o.__class__ is Tracer for o in outs):
            raise ConcretizationTypeError("a result does not depend on the arguments' numbers alone")
        return outs

    with listening() as said:
        try:
            jaxpr, captured = stage(on_values, types)
        except Exception:       # it looks at numbers, or the call is a mistake: `fn` says which
            return nothing
    if said or captured or not jaxpr.eqns or jaxpr.effects:
        return nothing
    whole, = several
    if len(jaxpr.eqns) == 1 and not whole:
        eqn, = jaxpr.eqns
        if eqn.ins == jaxpr.invars and eqn.outs == jaxpr.outvars and not eqn.op.multiple:
            op = eqn.op
            return lambda arrays: evaluate(op, arrays)
    quick, made = None if whole else host_program(jaxpr), None

    def run(arrays):
        nonlocal quick, made
        if quick is not None:
            out = quick(arrays)
            if out is not None:
                return out
            quick = None
        if made is None:
            call = call_for(intern(jaxpr), None, fn.__name__)
            made = (lambda arrays: whole(call(arrays))) if whole else getattr(call, "one", None) or first_of(call)
        return made(arrays)
    return run
