"""Makers of elementwise functions of one and of two arrays, and of the operators made from the latter.

Each function keeps a plan per type, or pair of types, that it has met: the op, and what is to be done to the operands
before. Python scalars count by their class.
"""
from __future__ import annotations

import numpy as np

from gnomon.api.jit import jit
from gnomon.base.settings import current
from gnomon.ir.jaxpr import Literal
from gnomon.ir.op import Op
from gnomon.numpy.composite import remembered
from gnomon.numpy.promote import SCALARS, Plan, apply_plan, as_value, joined, operand
from gnomon.numpy.recorded import memory, record
from gnomon.ops.convert import convert_element_type
from gnomon.run.array import Array
from gnomon.run.eager import evaluate
from gnomon.trace.context import local
from gnomon.trace.stage import Tracer, bind, value_of
from gnomon.trace.value import Value
from gnomon.types.dtype import canonicalize, inexact_dtype, is_bool, is_complex, is_inexact, is_integer, is_key
from gnomon.types.size import broadcast_sizes
from gnomon.types.value_type import ArrayType

_INT64 = np.dtype("int64")


class Kinds:
    """Which dtypes a function takes: a predicate, and the words for them in a message."""

    def __init__(self, accepts, words):
        self.accepts, self.words = accepts, words

    def check(self, name, dtype):
        if not self.accepts(dtype):
            way_out = "random.key_data(keys) gives their integer words." if is_key(dtype) else "Convert it with astype first."
            raise TypeError(f"{name} takes {self.words}, got an array of {dtype}. {way_out}")


EVERYTHING = Kinds(lambda d: True, "arrays of all dtypes")
NUMBERS = Kinds(lambda d: not is_key(d), "numbers and booleans")
REALS = Kinds(lambda d: not is_complex(d) and not is_key(d), "real numbers and booleans")
NO_BOOLEANS = Kinds(lambda d: not is_bool(d) and not is_key(d), "numbers")
BITS = Kinds(lambda d: is_bool(d) or is_integer(d), "integers and booleans")
INTEGERS = Kinds(is_integer, "integers")


def working_dtype(inexact, count):
    """A function: the dtype that operands of a (promoted) dtype are computed in."""
    def working(dtype):
        if inexact and not is_inexact(dtype):
            return canonicalize(inexact_dtype(dtype), current.enable_x64)
        if count and is_bool(dtype):
            return canonicalize(_INT64, current.enable_x64)
        return dtype
    return working


def finished(function, body, inexact, count, kinds, operands=1):
    """Give a function the name and the docstring of its definition, with a sentence on dtypes after the first
    paragraph."""
    sentences = [f"Takes {kinds.words}."]
    if inexact:
        sentences.append("Integers and booleans become floats.")
    if count:
        sentences.append("Booleans become integers.")
    summary, _, rest = (body.__doc__ or "").partition("\n")
    shapes = " and for shapes that do not broadcast" if operands > 1 else ""
    function.__name__ = function.__qualname__ = body.__name__
    function.__module__ = "gnomon.numpy"
    function.__doc__ = f"{summary}\n\n    {' '.join(sentences)} TypeError for anything else{shapes}.\n{rest}"
    return function


def compiled(rule):
    """A rule made of several ops: recorded op by op while tracing, else run as one program."""
    program, written = None, memory()

    def apply(*xs):
        nonlocal program
        if local.frame is not None:
            return record(rule, written, xs, {})
        if program is None:
            program = jit(rule, inline=True)
        return program(*[value_of(x) if x.__class__ is Literal else x for x in xs])
    return apply


BODY = object()


def unary(op=BODY, *, one_op=False, inexact=False, count=False, kinds=NUMBERS):
    """Decorator for the definition of a function of one array.

    `op` is an op, or says for a dtype: an op, None for the array itself, or BODY. BODY stands for the body of the
    definition, which computes on a value with several ops (or just one: `one_op`). `inexact`: integers and booleans
    become floats first; `count`: booleans become integers; `kinds`: the dtypes it takes.
    """
    working = working_dtype(inexact, count)

    def define(body):
        name, plans = body.__name__, {}
        rule = body if one_op else compiled(body)

        def make_plan(t):
            kinds.check(name, t.dtype)
            dtype = working(t.dtype)
            apply = op if op is BODY or isinstance(op, Op) else op(dtype)
            plan = rule if apply is BODY else apply, dtype if dtype != t.dtype else None
            if plan[1] is None:         # else the settings matter, so it is not kept
                plans[t] = plan
            return plan

        @remembered
        def converting(x):
            apply, dtype = make_plan(x.type)
            if dtype is not None:
                x = convert_element_type(x, dtype, x.type.weak_type)
            return x if apply is None else bind(apply, x) if isinstance(apply, Op) else apply(x)

        def function(x, /):
            cls = x.__class__
            if cls is not Array and cls is not Tracer:
                x = as_value(x, name, 0)
            t = x.type
            plan = plans.get(t)
            if plan is None:
                if (inexact or count) and x.__class__ is Array and local.frame is None:
                    return converting(x)
                plan = make_plan(t)
            apply, dtype = plan
            if dtype is not None:
                x = convert_element_type(x, dtype, t.weak_type)
            if not isinstance(apply, Op):
                return x if apply is None else apply(x)
            frame = local.frame
            return evaluate(apply, (x,)) if frame is None else frame.record(apply, (x,))

        if not body.__code__.co_posonlyargcount:
            function = by_keyword_1(function)
        return finished(function, body, inexact, count, kinds)
    return define


def binary(op=BODY, *, inexact=False, count=False, kinds=NUMBERS):
    """Decorator for the definition of a function of two arrays: they are promoted to one dtype, their ranks are
    aligned.

    `op` is an op, or says for the promoted dtype: an op, or BODY. BODY stands for the body of the definition, which
    computes on two values of one dtype with several ops. The other arguments are those of `unary`.
    """
    working = working_dtype(inexact, count)

    def define(body):
        name, plans, rule = body.__name__, {}, compiled(body)

        def make_plan(k1, k2):
            check_shapes(name, k1, k2)
            kinds.check(name, joined([k1, k2])[0][0])
            steps = Plan(name, [k1, k2], working)
            apply = op if op is BODY or isinstance(op, Op) else op(steps.dtype)
            idle = steps.idle and apply is not BODY
            plan = plans[k1, k2, current.key] = rule if apply is BODY else apply, None if idle else steps
            return plan

        def planned(x1, x2):
            x1, k1 = operand(x1, name, 0)
            x2, k2 = operand(x2, name, 1)
            return run_plan(plans.get((k1, k2, current.key)) or make_plan(k1, k2), x1, x2)

        known = remembered(planned)

        def function(x1, x2, /):
            if local.frame is None and x1.__class__ is Array and x2.__class__ is Array:
                plan = plans.get((x1.type, x2.type, current.key))
                return run_plan(plan, x1, x2) if plan is not None and plan[1] is None else known(x1, x2)
            return planned(x1, x2)

        if not body.__code__.co_posonlyargcount:
            function = by_keyword_2(function)
        function.plans, function.make_plan = plans, make_plan
        return finished(function, body, inexact, count, kinds, 2)
    return define


def by_keyword_1(function):
    return lambda x: function(x)


def by_keyword_2(function):
    return lambda x1, x2: function(x1, x2)


def run_plan(plan, x1, x2):
    apply, steps = plan
    if steps is not None:
        x1, x2 = apply_plan(steps, (x1, x2))
        if not isinstance(apply, Op):
            return apply(x1, x2) if steps.weak else apply(strong_number(x1), strong_number(x2))
    return bind(apply, x1, x2)


def strong_number(x):
    """A Python number that met a strong operand is as strong for a body, which may use it alone."""
    return Literal(x.value, x.type.strong) if x.__class__ is Literal else x


def check_shapes(name, *keys):
    """TypeError where the operands' shapes do not broadcast."""
    shapes = [k.shape for k in keys if k.__class__ is ArrayType and k.shape]
    if broadcast_sizes(shapes) is None:
        raise TypeError(f"{name} got incompatible shapes for broadcasting: {', '.join(map(str, shapes))}. Counted from the last, sizes must be "
                        "equal or 1.")


# ---- operators --------------------------------------------------------------------------------------------------

NUMBERS_IN_PYTHON = (bool, int, float, complex, np.ndarray, np.generic)
CONTAINERS = (list, tuple, dict, set, frozenset)


def defers(symbol, other, kinds):
    """Whether an operator leaves an operand to that operand's own methods, since it is no array and no number.
    TypeError for Python's containers: their own operators mean something else, such as repetition."""
    if isinstance(other, (Value, NUMBERS_IN_PYTHON)) or hasattr(other, "__jax_array__"):
        return False
    if isinstance(other, CONTAINERS):
        left, right = [repr(cls.__name__) for cls in kinds]
        raise TypeError(f"unsupported operand type(s) for {symbol}: {left} and {right}. Convert the "
                        f"{type(other).__name__} with gnomon.numpy.asarray first.")
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
