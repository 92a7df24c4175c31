"""From an op class and a sentence to a function of gnomon.lax."""
from __future__ import annotations

import enum

from gnomon.numpy.promote import SCALARS, as_value, scalar_literal
from gnomon.ops.exponential import Accuracy
from gnomon.trace.stage import bind, value_of
from gnomon.types.dtype import is_bool, is_complex, is_float, is_integer


class AccuracyMode(enum.Enum):
    """How exact a function's result has to be, in one word."""

    HIGHEST = 1
    DEFAULT = 2


class Tolerance:
    """How far a function's result may be off: absolutely, relatively, or in units of the last place.

    At least one of the three is given, and none is negative; ValueError otherwise.

    >>> Tolerance(rtol=1e-3)
    Tolerance(atol=0.0, rtol=0.001, ulps=0)
    """

    def __init__(self, atol=0.0, rtol=0.0, ulps=0):
        if atol < 0 or rtol < 0 or ulps < 0:
            raise ValueError(f"Tolerances must be non-negative, got atol={atol}, rtol={rtol}, ulps={ulps}.")
        if not (atol or rtol or ulps):
            raise ValueError("At least one of atol, rtol, or ulps must be set.")
        self.atol, self.rtol, self.ulps = atol, rtol, ulps

    def __eq__(self, other):
        return isinstance(other, Tolerance) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        return f"Tolerance(atol={self.atol}, rtol={self.rtol}, ulps={self.ulps})"


def accuracy_of(accuracy, name):
    """The op's form of an accuracy that a user asks for."""
    if isinstance(accuracy, AccuracyMode):
        return Accuracy(accuracy.name)
    if isinstance(accuracy, Tolerance):
        return Accuracy("TOLERANCE", accuracy.atol, accuracy.rtol, accuracy.ulps)
    raise TypeError(f"{name} takes a Tolerance, an AccuracyMode or None as its accuracy, got {accuracy!r}.")


# ---- operands ---------------------------------------------------------------------------------------------------

def values(name, xs):
    """Values for the operands of a function. A Python number takes the dtype of the arrays beside it, where that is of
    its own kind: a float never becomes an integer, nor an integer a float."""
    out = [x if x.__class__ in SCALARS else as_value(x, name, i) for i, x in enumerate(xs)]
    dtype = next((x.type.dtype for x in out if x.__class__ not in SCALARS), None)
    return [adapted(x, dtype) if x.__class__ in SCALARS else x for x in out]


def adapted(x, dtype):
    """A Python number in a dtype of its own kind, or in the dtype that Python numbers have."""
    if dtype is not None and _SAME_KIND[x.__class__](dtype):
        return value_of(scalar_literal(x, dtype, True))
    return value_of(x)


_SAME_KIND = {bool: is_bool, int: is_integer, float: is_float, complex: is_complex}


# ---- makers of functions ----------------------------------------------------------------------------------------

def unary(cls, summary, example):
    """A function of one operand from an op class, a sentence, and an example (expression, printed result)."""
    op, name = cls(), cls.name

    def apply(x):
        return bind(op, as_value(x, name, 0))

    return documented(apply, name, summary, takes(cls), example)


def accurate(cls, summary, example):
    """The same, where the result's accuracy can be asked for."""
    op, name = cls(), cls.name

    def apply(x, *, accuracy=None):
        return bind(op if accuracy is None else cls(accuracy_of(accuracy, name)), as_value(x, name, 0))

    more = " `accuracy` (a Tolerance or an AccuracyMode) asks the compiler for an implementation as exact as that."
    return documented(apply, name, summary, takes(cls) + more, example)


def binary(cls, summary, example, name=None):
    """A function of two operands."""
    op, name = cls(), name or cls.name

    def apply(x, y):
        return bind(op, *values(name, (x, y)))

    return documented(apply, name, summary, takes(cls, both=True), example)


def takes(cls, both=False):
    """What the operands may be, in a sentence."""
    kinds = cls.accepts_text or "numbers and booleans"
    if not both:
        return f"`x` is an array or a scalar of {kinds}; TypeError for other dtypes."
    return (f"x and y are arrays or scalars of {kinds}, of one dtype (TypeError otherwise) and one rank, where sizes "
            "of 1 are repeated; scalars go with every shape.")


def documented(function, name, summary, operands, example):
    expression, printed = example
    function.__name__ = function.__qualname__ = name
    imports = ">>> import gnomon.numpy as jnp\n    " if "jnp" in expression else ""
    function.__doc__ = f"{summary}\n\n    {operands}\n\n    {imports}>>> {expression}\n    {printed}\n    "
    return function


def made_elsewhere(module):
    """The examples of a module's functions that were made here, for doctest, which looks at functions written in the
    module only."""
    return {name: module[name].__doc__ for name in module["__all__"]
            if getattr(module[name], "__globals__", None) is globals()}
