"""Scopes: what holds inside a `with` block. disable_jit, ensure_compile_time_eval, named_scope, make_user_context."""
from __future__ import annotations

import contextlib

from gnomon.base import settings
from gnomon.base.frames import entry_point
from gnomon.base.source import function_name, named_after
from gnomon.trace.context import eager, local, user_value


def disable_jit(disable: bool = True):
    """Context manager: functions under jit, and the bodies of loops and branches, run as plain Python, op by op.

    >>> import gnomon
    >>> with disable_jit():
    ...     gnomon.jit(lambda x: print("x is", float(x)))(2.0)
    x is 2.0
    """
    return settings.disable_jit(disable)


def checking_leaks():
    """Context manager: a traced value that outlives its trace is an error when the trace ends, and not only when it is used."""
    return settings.check_tracer_leaks(True)


def ensure_compile_time_eval():
    """Context manager: operations on arrays inside run at once even while a function is being traced, so that their results
    can steer Python. Operations on traced values are refused inside.

    >>> import gnomon, gnomon.numpy as jnp
    >>> def f(x):
    ...     with ensure_compile_time_eval():
    ...         n = int(jnp.ones(3).sum())
    ...     return x * n
    >>> float(gnomon.jit(f)(1.0))
    3.0
    """
    return eager()


class named_scope(contextlib.ContextDecorator):
    """Context manager and decorator: operations that are traced inside are named after it.

    The names, `outer/inner/sin`, stand in the locations of the lowered program and in the compiled one's `op_name`s, where profilers
    show them. Scopes nest; derivatives and batches of an operation keep its names, as `transpose(jvp(outer))/inner/mul`. TypeError for a
    name that is no string.

    >>> import gnomon, gnomon.numpy as jnp
    >>> def f(x):
    ...     with named_scope("attention"):
    ...         return jnp.sin(x)
    >>> "jit(f)/attention/sin" in gnomon.jit(f).lower(1.0).as_text(debug_info=True)
    True
    """

    def __init__(self, name: str):
        if not isinstance(name, str):
            raise TypeError(f"named_scope takes a string, got {name!r}.")
        self.name = name
        self.saved = []         # a decorator's scope is entered by each call

    def __enter__(self):
        frame = local.frame
        self.saved.append((frame, frame and frame.scope))
        if frame is not None and self.name:
            frame.scope = f"{frame.scope}/{self.name}" if frame.scope else self.name
        return self

    def __exit__(self, *error):
        frame, scope = self.saved.pop()
        if frame is not None:
            frame.scope = scope


def named_call(fun, *, name: str | None = None):
    """The function with every call of it in a `named_scope`: its own name, or `name`."""
    if not callable(fun):
        raise TypeError(f"named_call needs a function, got {fun!r}.")
    scope = named_scope(function_name(fun) if name is None else name)

    @entry_point
    def named(*args, **kwargs):
        with scope:
            return fun(*args, **kwargs)
    return named_after(named, fun)


class UserContext:
    """A value of the user's own that traced functions may depend on: part of the key under which jit keeps programs.

    `with context(value):` sets it in this thread, `context.value` reads it."""

    def __init__(self, default):
        self.default = default

    @property
    def value(self):
        """The value in force in this thread."""
        return local.user.get(self, self.default)

    def __call__(self, value):
        hash(value)
        return user_value(self, value)


def make_user_context(default_value=None) -> UserContext:
    """A new `UserContext`. Its values must be hashable.

    >>> import gnomon
    >>> scale = make_user_context(1)
    >>> f = gnomon.jit(lambda x: x * scale.value)
    >>> with scale(10):
    ...     print(f(2))
    20
    >>> print(f(2))
    2
    """
    return UserContext(default_value)
