"""Makers of elementwise functions of one and of two arrays, and of the operators made from the latter.

Each function keeps a plan per type, or pair of types, that it has met: the op, and what is to be done to the operands before.
Python scalars count by their class.
"""
from __future__ import annotations

from gnomon.base.settings import current
from gnomon.ir.op import Op
from gnomon.numpy.promote import SCALARS, Plan, apply_plan, as_value, joined, operand
from gnomon.ops.convert import convert_element_type
from gnomon.run.array import Array
from gnomon.run.eager import evaluate
from gnomon.trace.context import local
from gnomon.trace.stage import Tracer, bind
from gnomon.types.dtype import canonicalize, inexact_dtype, short_name
from gnomon.types.value_type import ArrayType


class Kinds:
    """Which dtypes a function takes: a predicate, and the words for them in a message."""

    def __init__(self, accepts, words):
        self.accepts, self.words = accepts, words

    def check(self, name, dtype):
        if not self.accepts(dtype):
            raise TypeError(f"{name} takes {self.words}, got an array of {short_name(dtype)}. Convert it with astype first.")


def name_function(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__module__ = "gnomon.numpy"
    return function


def unary(name, op, doc, *, inexact=False, kinds=None):
    """A function of one array. `op` is an op, or a function from a dtype to an op (None: the array itself).

    `inexact`: integers and booleans become floats first; `kinds`: the dtypes it takes."""
    plans = {}

    def make_plan(t):
        dtype = t.dtype
        if kinds is not None:
            kinds.check(name, dtype)
        wanted = canonicalize(inexact_dtype(dtype), current.enable_x64) if inexact else dtype
        plan = op if isinstance(op, Op) else op(wanted), None if wanted == dtype else wanted
        if wanted == dtype:         # else it depends on settings
            plans[t] = plan
        return plan

    def function(x, /):
        cls = x.__class__
        if cls is not Array and cls is not Tracer:
            x = as_value(x, name, 0)
        t = x.type
        apply, wanted = plans.get(t) or make_plan(t)
        if wanted is not None:
            x = convert_element_type(x, wanted, t.weak_type)
        return x if apply is None else bind(apply, x)

    return name_function(function, name, doc)


def binary(name, op, doc, *, inexact=False, kinds=None):
    """A function of two arrays. `op` is an op, or a function from the promoted dtype to an op.

    `inexact`: integers and booleans become floats; `kinds`: the promoted dtypes it takes."""
    plans = {}

    def make_plan(k1, k2):
        if kinds is not None:
            kinds.check(name, joined([k1, k2])[0][0])
        steps = Plan(name, [k1, k2], inexact)
        check_shapes(name, k1, k2)
        plan = plans[k1, k2, current.key] = op if isinstance(op, Op) else op(steps.dtype), None if steps.idle else steps
        return plan

    def function(x1, x2, /):
        x1, k1 = operand(x1, name, 0)
        x2, k2 = operand(x2, name, 1)
        apply, steps = plans.get((k1, k2, current.key)) or make_plan(k1, k2)
        if steps is not None:
            x1, x2 = apply_plan(steps, (x1, x2))
        return bind(apply, x1, x2)

    function.plans, function.make_plan = plans, make_plan
    return name_function(function, name, doc)


def check_shapes(name, *keys):
    """ValueError where the operands' shapes do not broadcast."""
    shapes = [k.shape for k in keys if k.__class__ is ArrayType]
    for sizes in zip(*[(1,) * (max(map(len, shapes)) - len(s)) + s for s in shapes]):
        if len({n for n in sizes if n != 1}) > 1:
            raise ValueError(f"{name} got incompatible shapes for broadcasting: {', '.join(map(str, shapes))}. Counted from the "
                             "last, sizes must be equal or 1.")


def defers(other):
    """Whether an operator leaves an operand to the operand's own methods: it is no array and no number."""
    return not isinstance(other, (Array, Tracer, bool, int, float, complex)) and not hasattr(other, "dtype") \
        and not hasattr(other, "__jax_array__")


def operators(function):
    """The methods `x + y` and `y + x` of a value x, from a function that `binary` made."""
    plans, make_plan = function.plans, function.make_plan

    def forward(self, other):
        cls = other.__class__
        if cls is Array or cls is Tracer:
            k2 = other.type
        elif cls in SCALARS:
            k2 = cls
        elif defers(other):
            return NotImplemented
        else:
            return function(self, other)
        apply, steps = plans.get((self.type, k2, current.key)) or make_plan(self.type, k2)
        if steps is not None:
            self, other = apply_plan(steps, (self, other))
        frame = local.frame
        return evaluate(apply, (self, other)) if frame is None else frame.record(apply, (self, other))

    def reflected(self, other):
        cls = other.__class__
        if cls in SCALARS:
            apply, steps = plans.get((cls, self.type, current.key)) or make_plan(cls, self.type)
            if steps is not None:
                other, self = apply_plan(steps, (other, self))
            frame = local.frame
            return evaluate(apply, (other, self)) if frame is None else frame.record(apply, (other, self))
        return NotImplemented if defers(other) else function(other, self)

    return forward, reflected


def loose_operators(function):
    """The methods `x + y` and `y + x` of a value x, from any function of two arrays."""
    def forward(self, other):
        return NotImplemented if defers(other) else function(self, other)

    def reflected(self, other):
        return NotImplemented if defers(other) else function(other, self)

    return forward, reflected
