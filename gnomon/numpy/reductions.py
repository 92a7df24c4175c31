"""Reductions: sums, extremes, means and deviations, positions of extremes, running sums.

Sums and products of float16 and bfloat16 are taken in float32. Results are never weakly typed.
"""
from __future__ import annotations

import builtins
import math

import numpy as np

from gnomon.base.errors import Refused
from gnomon.base.settings import current
from gnomon.ir.jaxpr import Literal
from gnomon.numpy import selection
from gnomon.numpy.axes import axis_tuple, one_axis
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import as_value, promote_dtypes, requested_dtype, to_inexact
from gnomon.ops import arithmetic, cumulative, reductions
from gnomon.ops.compare import eq, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.extremes import extreme_identity
from gnomon.ops.reductions import reduce_and, reduce_max, reduce_min, reduce_or, reduce_prod
from gnomon.ops.shape import expand_dims, reduce_sum, reshape
from gnomon.trace.stage import value_of
from gnomon.types.dtype import (bfloat16, canonicalize, inexact_dtype, is_bool, is_complex, is_float, is_inexact, is_integer, is_unsigned,
                                real_dtype)

__all__ = ["all", "amax", "amin", "any", "max", "mean", "min", "prod", "sum"]

_BOOL, _INT64, _UINT64, _FLOAT32 = map(np.dtype, ("bool", "int64", "uint64", "float32"))
_HALF = frozenset([np.dtype("float16"), bfloat16])


# ---- what reductions share --------------------------------------------------------------------------------------

def refuse_out(name, out):
    if out is not None:
        raise Refused(f"{name} takes no 'out' argument: arrays are immutable. Use what it returns.")


def wide(dtype):
    """The dtype in which numbers are summed: float32 for float16 and bfloat16."""
    return _FLOAT32 if dtype in _HALF else dtype


def counting_dtype(dtype, promote_integers=True):
    """The dtype of sums: integers and booleans are summed in the default integer dtype of their kind."""
    if is_bool(dtype) or promote_integers and is_integer(dtype):
        return canonicalize(_UINT64 if is_unsigned(dtype) else _INT64, current.enable_x64)
    return dtype


def strong(x):
    return convert_element_type(x, x.type.dtype)


def check_where(name, where):
    where = as_value(where, f"{name}: where")
    if where.type.dtype != _BOOL:
        raise ValueError(f"{name}: where must be None or a boolean array; got where.dtype={where.type.dtype!r}.")
    return where


def masked(name, a, where, fill):
    """`a` where `where` holds, the scalar `fill` elsewhere."""
    t = a.type
    return selection.where(check_where(name, where), a, value_of(Literal(fill, t.with_shape(()).strong)))


def scalar_initial(name, initial, dtype):
    initial = as_value(initial, f"{name}: initial")
    if initial.type.shape:
        raise ValueError(f"{name}: initial must be a scalar, got an array of shape {initial.type.shape}.")
    return convert_element_type(initial, dtype)


def accumulate(name, op, combine, identity, a, axis, keepdims, initial, where, dtype):
    """A sum or product: in `dtype`, or the wider dtype that goes with it."""
    a = convert_element_type(a, wide(dtype))
    if where is not None:
        a = masked(name, a, where, identity)
    axes = axis_tuple(axis, a.type.ndim, name)
    out = op(a, axes)
    if initial is not None:
        out = combine(scalar_initial(name, initial, a.type.dtype), out)
    if keepdims:
        out = expand_dims(out, axes)
    return convert_element_type(out, dtype)


def extreme(name, op, combine, largest, a, axis, keepdims, initial, where):
    """A maximum or minimum."""
    axes = axis_tuple(axis, a.type.ndim, name)
    if initial is None:
        if where is not None:
            raise ValueError(f"reduction operation {name} does not have an identity, so to use a where mask one has to specify "
                             "'initial'")
        if builtins.any([a.type.shape[i] == 0 for i in axes]):
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    if where is not None:
        a = masked(name, a, where, extreme_identity(a.type.dtype, largest))
    out = strong(op(a, axes))
    if initial is not None:
        out = combine(scalar_initial(name, initial, a.type.dtype), out)
    return expand_dims(out, axes) if keepdims else out


def truth(name, op, identity, a, axis, keepdims, where):
    """Whether all or any elements are true."""
    a = convert_element_type(a, _BOOL)
    if where is not None:
        a = masked(name, a, where, identity)
    axes = axis_tuple(axis, a.type.ndim, name)
    out = op(a, axes)
    return expand_dims(out, axes) if keepdims else out


def number_along(a, axes):
    """How many elements are reduced to one."""
    return math.prod([a.type.shape[i] for i in axes])


# ---- sums, products, extremes, logic ----------------------------------------------------------------------------

def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True):
    refuse_out("sum", out)
    a = as_value(a, "sum", 0)
    dtype = counting_dtype(a.type.dtype, promote_integers) if dtype is None else requested_dtype(dtype)
    return accumulate("sum", reduce_sum, arithmetic.add, 0, a, axis, keepdims, initial, where, dtype)


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True):
    refuse_out("prod", out)
    a = as_value(a, "prod", 0)
    dtype = counting_dtype(a.type.dtype, promote_integers) if dtype is None else requested_dtype(dtype)
    return accumulate("prod", reduce_prod, arithmetic.mul, 1, a, axis, keepdims, initial, where, dtype)


def max(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    refuse_out("max", out)
    return extreme("max", reduce_max, arithmetic.maximum, True, as_value(a, "max", 0), axis, keepdims, initial, where)


def min(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    refuse_out("min", out)
    return extreme("min", reduce_min, arithmetic.minimum, False, as_value(a, "min", 0), axis, keepdims, initial, where)


amax, amin = max, min


def all(a, axis=None, out=None, keepdims=False, *, where=None):
    refuse_out("all", out)
    return truth("all", reduce_and, True, as_value(a, "all", 0), axis, keepdims, where)


def any(a, axis=None, out=None, keepdims=False, *, where=None):
    refuse_out("any", out)
    return truth("any", reduce_or, False, as_value(a, "any", 0), axis, keepdims, where)


# ---- means and deviations ---------------------------------------------------------------------------------------

def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
    refuse_out("mean", out)
    a = as_value(a, "mean", 0)
    return _mean(a, axis_tuple(axis, a.type.ndim, "mean"), dtype and requested_dtype(dtype), keepdims, where)


@composite(static=("axes", "dtype", "keepdims"))
def _mean(a, axes, dtype, keepdims, where):
    result = canonicalize(inexact_dtype(a.type.dtype), current.enable_x64) if dtype is None else dtype
    a = convert_element_type(a, wide(result))
    if where is None:
        total, count = reduce_sum(a, axes), number_along(a, axes)
        out = arithmetic.div(total, full_scalar(total, count))
    return convert_element_type(expand_dims(out, axes) if keepdims else out, result)
