"""Names of JAX that Gnomon does not have: using one says why, and what to do instead."""
from __future__ import annotations

from gnomon.base.errors import Refused


class Absent:
    """Stands for a function or namespace that is not there: calling it raises `Refused`, its attributes do not exist.

    >>> Absent("breakpoint", "a compiled program cannot stop; use debug.callback")()
    Traceback (most recent call last):
    gnomon.base.errors.Refused: breakpoint: a compiled program cannot stop; use debug.callback.
    """

    def __init__(self, name: str, why: str):
        self.__name__, self.why = name, why
        self.__doc__ = f"Not in Gnomon: {why}."

    def __call__(self, *args, **kwargs):
        raise Refused(f"{self.__name__}: {self.why}.")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"{self.__name__}.{name}: {self.why}.")

    def __repr__(self):
        return f"<{self.__name__}, not in Gnomon: {self.why}>"


def absent_class(name: str, why: str):
    """A class that has no instances, for `isinstance` checks of what is not there; making one raises `Refused`."""
    def refuse(cls, *args, **kwargs):
        raise Refused(f"{name}: {why}.")
    return _AbsentForm(name, (), {"__new__": refuse, "__doc__": f"Not in Gnomon: {why}.", "why": why})


class _AbsentForm(type):
    """The class of absent classes: what they do not have says why."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"{cls.__name__}: {cls.why}.")
