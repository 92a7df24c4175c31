"""A maker of functions on real numbers: every argument is promoted to one floating dtype, and the shapes broadcast."""
from __future__ import annotations

import functools
import inspect

import numpy as np

from gnomon.base.settings import current
from gnomon.ir.jaxpr import Literal
from gnomon.numpy.axes import integer
from gnomon.numpy.elementwise import check_shapes, compiled
from gnomon.numpy.promote import Plan, apply_plan, as_value, operand
from gnomon.ops.convert import convert_element_type
from gnomon.trace.stage import value_of
from gnomon.types.dtype import canonicalize, inexact_dtype, is_complex, is_float, is_inexact, is_integer, is_key

FLOAT32 = np.dtype("float32")
_plans: dict = {}


def working_dtype(dtype):
    """Integers and booleans become the default float."""
    return dtype if is_inexact(dtype) else canonicalize(inexact_dtype(dtype), current.enable_x64)


def floats(name, *xs, strong=False, complex_too=False):
    """Values of one floating dtype with aligned ranks, none of them weak with `strong`. TypeError for shapes that do not broadcast, and for
    complex numbers unless `complex_too`."""
    pairs = [operand(x, name, i) for i, x in enumerate(xs)]
    key = (current.key, *[k for _, k in pairs])
    plan = _plans.get(key)
    if plan is None:
        keys = [k for _, k in pairs]
        check_shapes(name, *keys)
        plan = _plans[key] = Plan(name, keys, working_dtype)
    if not (complex_too or is_float(plan.dtype)):
        raise TypeError(f"{name} takes real numbers, got an array of {plan.dtype}. Take its real part first.")
    strong = strong or not plan.weak
    return [strengthened(x) if strong else value_of(x) if x.__class__ is Literal else x for x in apply_plan(plan, [x for x, _ in pairs])]


def strengthened(x):
    """A value whose type is not weak."""
    if x.__class__ is Literal:
        return value_of(Literal(x.value, x.type.strong))
    return convert_element_type(x, x.type.dtype) if x.type.weak_type else x


def wide_floats(x):
    """A value with narrower floats as float32, for what would lose too much in them."""
    return convert_element_type(x, FLOAT32) if is_float(x.type.dtype) and x.type.dtype.itemsize < 4 else x


def in_single_precision(body):
    """The function with narrower floats computed as float32, where what comes up on the way neither overflows nor loses the result."""
    @functools.wraps(body)
    def widened(*values):
        dtype = values[0].type.dtype
        if dtype.itemsize >= 4:
            return body(*values)
        out = body(*[convert_element_type(x, FLOAT32) for x in values])
        return tuple([convert_element_type(x, dtype) for x in out]) if isinstance(out, tuple) else convert_element_type(out, dtype)
    return widened


def elementwise(body=None, *, strong=False, complex=None):
    """Decorator for the definition of a function of real arrays: its body computes on values of one floating dtype, which is float32
    where the arguments are narrower.

    strong: the result is never weakly typed. complex: the body for complex numbers, if there is one."""
    if body is None:
        return functools.partial(elementwise, strong=strong, complex=complex)
    name, run = body.__name__, compiled(in_single_precision(body))
    run_complex = None if complex is None else compiled(complex)
    parameters = inspect.signature(body).parameters.values()
    names = [p.name for p in parameters]
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    count = len(names)

    @functools.wraps(body)
    def function(*args, **kwargs):
        if len(args) != count or kwargs:
            args = filled(args, kwargs)
        values = floats(name, *args, strong=strong, complex_too=complex is not None)
        return run(*values) if complex is None or is_float(values[0].type.dtype) else run_complex(*values)

    def filled(args, kwargs):
        """All arguments, by position."""
        given = dict(zip(names, args))
        twice = [k for k in kwargs if k in given or k not in names]
        missing = [n for n in names if n not in given and n not in kwargs and n not in defaults]
        if twice or missing or len(args) > count:
            raise TypeError(f"{name} takes the arguments {', '.join(names)}"
                            + (f"; got {', '.join(twice)} twice or without knowing it" if twice else "")
                            + (f"; missing: {', '.join(missing)}" if missing else "")
                            + (f"; got {len(args)} of them" if len(args) > count else "") + ".")
        return [given[n] if n in given else kwargs[n] if n in kwargs else defaults[n] for n in names]
    return function


def a_number(value, name, argument):
    """A real number as it is, or as a value without dimensions; TypeError or ValueError with the argument's name for anything else."""
    if value.__class__ in (int, float):
        return value
    x = as_value(value, f"{name}({argument}=...)")
    if is_complex(x.dtype) or is_key(x.dtype):
        raise TypeError(f"{name} takes a real number as {argument}, got a value of type {x.type}.")
    if x.shape:
        raise ValueError(f"{name} takes one number as {argument}, got an array of shape {x.shape}.")
    return x


def a_count(value, name, argument):
    """An integer, or an integer value without dimensions; TypeError or ValueError with the argument's name for anything else."""
    if value.__class__ is int:
        return value
    x = a_number(value, name, argument)
    if x.__class__ is not float and is_integer(x.dtype):
        return x
    return integer(value, name, argument)
