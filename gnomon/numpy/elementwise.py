"""Makers of elementwise functions of one and of two arrays, and of the operators made from the latter.

Each function keeps a plan per type, or pair of types, that it has met: the op, and what is to be done to the operands before.
Python scalars count by their class.
"""
from __future__ import annotations

import numpy as np

from gnomon.api.jit import jit
from gnomon.base.settings import current
from gnomon.ir.jaxpr import Literal
from gnomon.ir.op import Op
from gnomon.numpy.promote import SCALARS, Plan, apply_plan, as_value, joined, operand
from gnomon.ops.convert import convert_element_type
from gnomon.run.array import Array
from gnomon.run.eager import evaluate
from gnomon.trace.context import local
from gnomon.trace.stage import Tracer, bind, value_of
from gnomon.trace.value import Value
from gnomon.types.dtype import canonicalize, inexact_dtype, is_bool, is_inexact, is_key
from gnomon.types.value_type import ArrayType

_INT64 = np.dtype("int64")


class Kinds:
    """Which dtypes a function takes: a predicate, and the words for them in a message."""

    def __init__(self, accepts, words):
        self.accepts, self.words = accepts, words

    def check(self, name, dtype):
        if not self.accepts(dtype):
            raise TypeError(f"{name} takes {self.words}, got an array of {dtype}. Convert it with astype first.")


EVERYTHING = Kinds(lambda dtype: True, "arrays")
NUMBERS = Kinds(lambda dtype: not is_key(dtype), "numbers and booleans")


def working_dtype(inexact, count):
    """A function: the dtype that operands of a (promoted) dtype are computed in."""
    def working(dtype):
        if inexact and not is_inexact(dtype):
            return canonicalize(inexact_dtype(dtype), current.enable_x64)
        if count and is_bool(dtype):
            return canonicalize(_INT64, current.enable_x64)
        return dtype
    return working


def documented(function, name, doc, inexact, count, kinds):
    """Give a function its name, and a docstring made of its summary, its dtypes and its example."""
    summary, example, result = doc
    dtypes = [f"Takes {kinds.words}." if kinds is not EVERYTHING else "Takes arrays of all dtypes."]
    if inexact:
        dtypes.append("Integers and booleans become floats.")
    if count:
        dtypes.append("Booleans become integers.")
    function.__name__ = function.__qualname__ = name
    function.__module__ = "gnomon.numpy"
    function.__doc__ = f"{summary}\n\n    {' '.join(dtypes)} TypeError for anything else.\n\n    >>> {example}\n    {result}\n    "
    return function


def compiled(rule):
    """A rule made of several ops: recorded op by op while tracing, else run as one program."""
    program = jit(rule, inline=True)

    def apply(*xs):
        if local.frame is not None:
            return rule(*xs)
        return program(*[value_of(x) if x.__class__ is Literal else x for x in xs])
    return apply


def unary(name, doc, op=None, *, rule=None, inexact=False, count=False, kinds=NUMBERS):
    """A function of one array.

    `op` is an op, or says for a dtype: an op, a function of values, or None for the array itself. Or else `rule` computes on the
    value, with several ops. `inexact`: integers and booleans become floats first; `count`: booleans become integers; `kinds`: the
    dtypes it takes.
    """
    plans = {}
    rule = compiled(rule) if rule is not None else None
    working = working_dtype(inexact, count)

    def make_plan(t):
        kinds.check(name, t.dtype)
        dtype = working(t.dtype)
        apply = rule or (op if isinstance(op, Op) else op(dtype))
        if dtype == t.dtype:        # else the settings matter, so it is not kept
            plans[t] = apply, None
            return plans[t]
        return apply, dtype

    def function(x, /):
        cls = x.__class__
        if cls is not Array and cls is not Tracer:
            x = as_value(x, name, 0)
        t = x.type
        apply, dtype = plans.get(t) or make_plan(t)
        if dtype is not None:
            x = convert_element_type(x, dtype, t.weak_type)
        if not isinstance(apply, Op):
            return x if apply is None else apply(x)
        frame = local.frame
        return evaluate(apply, (x,)) if frame is None else frame.record(apply, (x,))

    return documented(function, name, doc, inexact, count, kinds)


def binary(name, doc, op=None, *, rule=None, inexact=False, count=False, kinds=NUMBERS):
    """A function of two arrays: they are promoted to one dtype and their ranks aligned, then an op or a rule is applied.

    `op` is an op, or a function from the promoted dtype to an op, or to a rule: a function of two values of one dtype, made of
    several ops. The other arguments are those of `unary`.
    """
    plans = {}
    rule = compiled(rule) if rule is not None else None
    working = working_dtype(inexact, count)

    def make_plan(k1, k2):
        check_shapes(name, k1, k2)
        kinds.check(name, joined([k1, k2])[0][0])
        steps = Plan(name, [k1, k2], working)
        apply = rule or (op if isinstance(op, Op) else op(steps.dtype))
        idle = steps.idle and isinstance(apply, Op)
        plan = plans[k1, k2, current.key] = apply, None if idle else steps
        return plan

    def function(x1, x2, /):
        x1, k1 = operand(x1, name, 0)
        x2, k2 = operand(x2, name, 1)
        return run_plan(plans.get((k1, k2, current.key)) or make_plan(k1, k2), x1, x2)

    function.plans, function.make_plan = plans, make_plan
    return documented(function, name, doc, inexact, count, kinds)


def run_plan(plan, x1, x2):
    apply, steps = plan
    if steps is not None:
        x1, x2 = apply_plan(steps, (x1, x2))
        if not isinstance(apply, Op):
            return apply(x1, x2)
    return bind(apply, x1, x2)


def check_shapes(name, *keys):
    """TypeError where the operands' shapes do not broadcast."""
    shapes = [k.shape for k in keys if k.__class__ is ArrayType and k.shape]
    rank = max(map(len, shapes), default=0)
    for sizes in zip(*[(1,) * (rank - len(s)) + s for s in shapes]):
        if len({n for n in sizes if n != 1}) > 1:
            raise TypeError(f"{name} got incompatible shapes for broadcasting: {', '.join(map(str, shapes))}. Counted from the "
                            "last, sizes must be equal or 1.")


# ---- operators --------------------------------------------------------------------------------------------------

NUMBERS_IN_PYTHON = (bool, int, float, complex, np.ndarray, np.generic)
CONTAINERS = (list, tuple, dict, set, frozenset)


def defers(symbol, other, kinds):
    """Whether an operator leaves an operand to that operand's own methods, since it is no array and no number. TypeError for
    Python's containers: their own operators mean something else, such as repetition."""
    if isinstance(other, (Value, NUMBERS_IN_PYTHON)) or hasattr(other, "__jax_array__"):
        return False
    if isinstance(other, CONTAINERS):
        left, right = [repr(cls.__name__) for cls in kinds]
        raise TypeError(f"unsupported operand type(s) for {symbol}: {left} and {right}. Convert the {type(other).__name__} with "
                        "gnomon.numpy.asarray first.")
    return not hasattr(other, "__array__")


def operators(symbol, function):
    """The methods `x + y` and `y + x` of a value x, from a function that `binary` made."""
    plans, make_plan = function.plans, function.make_plan

    def forward(self, other):
        cls = other.__class__
        if cls is Array or cls is Tracer:
            k2 = other.type
        elif cls in SCALARS:
            k2 = cls
        else:
            return NotImplemented if defers(symbol, other, (type(self), type(other))) else function(self, other)
        k1 = self.type
        apply, steps = plan = plans.get((k1, k2, current.key)) or make_plan(k1, k2)
        if steps is not None:
            return run_plan(plan, self, other)
        frame = local.frame
        return evaluate(apply, (self, other)) if frame is None else frame.record(apply, (self, other))

    def reflected(self, other):
        cls = other.__class__
        if cls in SCALARS:
            return run_plan(plans.get((cls, self.type, current.key)) or make_plan(cls, self.type), other, self)
        return NotImplemented if defers(symbol, other, (type(other), type(self))) else function(other, self)

    return forward, reflected


def loose_operators(symbol, function):
    """The methods `x + y` and `y + x` of a value x, from any function of two arrays."""
    def forward(self, other):
        return NotImplemented if defers(symbol, other, (type(self), type(other))) else function(self, other)

    def reflected(self, other):
        return NotImplemented if defers(symbol, other, (type(other), type(self))) else function(other, self)

    return forward, reflected
