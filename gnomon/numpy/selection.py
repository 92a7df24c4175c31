"""Functions that choose between values element by element."""
from __future__ import annotations

import builtins
import math

import numpy as np

from gnomon.base.settings import current
from gnomon.numpy.axes import sequence
from gnomon.numpy.composite import composite, remembered
from gnomon.numpy.creation import broadcast
from gnomon.numpy.elementwise import check_shapes
from gnomon.numpy.logic import truth
from gnomon.numpy.promote import SCALARS, Plan, apply_plan, as_value, operand, promote
from gnomon.numpy.mathematics import maximum, minimum, not_a_number, on_parts
from gnomon.ops.compare import SelectN, eq
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar as number
from gnomon.run.array import Array
from gnomon.trace.stage import bind, value_of
from gnomon.trace.value import Value
from gnomon.types.dtype import finfo, iinfo, is_complex, is_inexact, is_integer

__all__ = ["clip", "nan_to_num", "piecewise", "select", "where"]

_select = SelectN()
_plans: dict = {}
_BOOL = np.dtype("bool")


def where(condition, x=None, y=None, /, *, size=None, fill_value=None):
    """`x` where the condition holds, `y` elsewhere; the three are broadcast, `x` and `y` promoted to one dtype.

    Conditions that are numbers hold where they are not 0. With the condition alone: the indices where it holds, as
    `nonzero` gives them (`size` and `fill_value` are for that form). ValueError for `x` without `y`, TypeError for
    what is no array or number.

    >>> import gnomon.numpy as np
    >>> np.where(np.arange(4) > 1, 10, 0)
    Array([ 0,  0, 10, 10], dtype=int32, weak_type=True)
    """
    if x is None and y is None:
        return as_value(condition, "where", 0).nonzero(size=size, fill_value=fill_value)
    if x is None or y is None:
        raise ValueError("where takes both x and y, or neither of them.")
    if size is not None or fill_value is not None:
        raise ValueError("where takes size and fill_value only with the condition alone, where they shape the indices.")
    if condition.__class__ is not Array or condition.type.dtype is not _BOOL:
        condition = truth(as_value(condition, "where", 0))
    x, kx = operand(x, "where", 1)
    y, ky = operand(y, "where", 2)
    key = condition.type, kx, ky, current.key
    plan = _plans.get(key)
    if plan is None:
        check_shapes("where", condition.type, kx, ky)
        plan = _plans[key] = Plan("where", [condition.type, kx, ky], same_dtype=slice(1, 3))
    if not plan.idle:
        condition, x, y = apply_plan(plan, (condition, x, y))
    return bind(_select, condition, y, x)


def select(condlist, choicelist, default=0):
    """For each place, the choice of the first condition that holds there, else `default`.

    `condlist` and `choicelist` are sequences of one length, of arrays that broadcast. ValueError where the lengths
    differ or are 0.
    Also TypeError for what is no array or no sequence and for shapes that do not broadcast.

    >>> import gnomon.numpy as np
    >>> x = np.arange(5)
    >>> np.select([x < 2, x > 3], [x, x * 10], -1)
    Array([ 0,  1, -1, -1, 40], dtype=int32)
    """
    condlist, choicelist = sequence(condlist, "select", "condlist", "conditions"), sequence(choicelist, "select", "choicelist", "arrays")
    if len(condlist) != len(choicelist):
        raise ValueError(f"select takes as many conditions as choices, got {len(condlist)} and {len(choicelist)}.")
    if not len(condlist):
        raise ValueError("select takes at least one condition, got none.")
    return _select_first(condlist, choicelist, default)


@composite
def _select_first(conditions, choices, default):
    *choices, out = promote("select", *choices, default)
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        out = where(condition, choice, out)
    return value_of(out)


def piecewise(x, condlist, funclist, *args, **kw):
    """For each element of `x`, what the function of the last condition that holds there gives.

    `condlist` is a sequence of boolean arrays (or one array of them); `funclist` has a function or a number for each,
    and may have one more, for where none holds (else 0). Functions are called on all of `x` with `args` and `kw`; the
    result has the dtype of `x`. ValueError where the lengths do not fit.
    Also TypeError for what is no array (lists included) or no sequence.

    >>> import gnomon.numpy as np
    >>> np.piecewise(np.array([-1., 2.]), [np.array([True, False])], [lambda x: -x, lambda x: x * 10])
    Array([ 1., 20.], dtype=float32)
    """
    x = as_value(x, "piecewise", 0)
    if isinstance(condlist, (Value, np.ndarray)) and condlist.ndim == x.ndim or isinstance(condlist, (bool, np.bool_)):
        conditions = [condlist]
    else:
        conditions = sequence(condlist, "piecewise", "condlist", "conditions")
    functions = sequence(funclist, "piecewise", "funclist", "functions and values")
    if len(functions) == len(conditions):
        functions.append(0)
    if len(functions) != len(conditions) + 1:
        raise ValueError(f"piecewise with {len(conditions)} conditions takes {len(conditions)} or "
                         f"{len(conditions) + 1} functions, got {len(funclist)}.")
    values = [f(x, *args, **kw) if callable(f) else f for f in functions]
    values = [convert_element_type(as_value(v, "piecewise"), x.dtype, x.weak_type) for v in values]
    out = values.pop()
    for condition, value in zip(conditions, values):
        out = where(condition, value, out)
    return broadcast(out, x.shape, "piecewise")


# ---- limits -----------------------------------------------------------------------------------------------------

@remembered
def clip(arr=None, /, min=None, max=None):
    """`arr`, not below `min` and not above `max` (arrays, numbers or None); `max` where they cross.

    Takes real numbers, promoted together; a Python integer outside the range of an integer dtype is no limit.
    ValueError for complex numbers, which have no order.
    Also TypeError for what is no array (lists included) and for shapes that do not broadcast.

    >>> import gnomon.numpy as np
    >>> np.clip(np.arange(5), 1, 3)
    Array([1, 1, 2, 3, 3], dtype=int32)
    """
    arr = as_value(arr, "clip", 0)
    dtype = arr.type.dtype
    min, max = [x if x is None or x.__class__ in SCALARS else as_value(x, "clip", i) for i, x in enumerate((min, max), 1)]
    for x in (arr, min, max):
        if x.__class__ is complex or hasattr(x, "dtype") and is_complex(x.dtype):
            raise ValueError("clip takes real numbers, since complex ones have no order. Clip their real and "
                             "imaginary parts.")
    if is_integer(dtype):
        low, high = int(iinfo(dtype).min), int(iinfo(dtype).max)
        min, max = [builtins.min(builtins.max(x, low), high) if x.__class__ is int else x for x in (min, max)]
    return arr if min is None and max is None else _clip(arr, min, max)


@composite
def _clip(arr, min, max):
    if min is not None:
        arr = maximum(min, arr)
    return arr if max is None else minimum(max, arr)


@remembered
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """`x` with numbers in place of NaN and infinities: `nan`, `posinf` and `neginf`, by default 0 and the largest
    finite numbers.

    `copy` has no meaning here. Complex numbers are treated part by part; the dtype stays.
    Errors: TypeError for what is no array (lists included).

    >>> import gnomon.numpy as np
    >>> np.nan_to_num(np.array([1., np.nan, np.inf]))
    Array([1.0000000e+00, 0.0000000e+00, 3.4028235e+38], dtype=float32)
    """
    x = as_value(x, "nan_to_num", 0)
    return _nan_to_num(x, nan, posinf, neginf) if is_inexact(x.type.dtype) else x


@composite
def _nan_to_num(x, nan, posinf, neginf):
    def real_part(x):
        info, t = finfo(x.type.dtype), x.type

        def like(value, default):
            if value is None:
                return number(x, default)
            return convert_element_type(as_value(value, "nan_to_num"), t.dtype, t.weak_type)

        for lost, value, default in ((not_a_number(x), nan, 0), (eq(x, number(x, math.inf)), posinf, float(info.max)),
                                     (eq(x, number(x, -math.inf)), neginf, float(info.min))):
            x = where(lost, like(value, default), x)
        return x
    return on_parts(real_part)(x)
