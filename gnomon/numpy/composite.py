"""Composite functions: made of several ops, recorded op by op while tracing, run as one compiled program when eager."""
from __future__ import annotations

import functools
import inspect

from gnomon.api.jit import jit
from gnomon.trace.context import local


def composite(static=()):
    """Decorator for functions of arrays. `static` names the parameters that are not arrays (hashable; axes, flags, shapes).

    While a program is being recorded the function's ops go into it one by one, at the user's line. Outside, one executable per
    (types, static values) is compiled and called."""
    if callable(static):
        return composite()(static)

    def decorate(fn):
        names = tuple(p for p in inspect.signature(fn).parameters)
        compiled = jit(fn, static_argnames=tuple(n for n in names if n in static), inline=True)

        @functools.wraps(fn)
        def call(*args, **kwargs):
            if local.frame is not None:
                return fn(*args, **kwargs)
            return compiled(*args, **kwargs)
        call.traced = fn
        return call
    return decorate
