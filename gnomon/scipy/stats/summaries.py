"""Statistics of samples: the commonest value, ranks, the standard error of the mean."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon import numpy as jnp
from gnomon.base.arguments import flag
from gnomon.base.errors import Refused
from gnomon.numpy.axes import one_axis, one_of
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import as_value, to_inexact

__all__ = ["ModeResult", "mode", "rankdata", "sem"]


class ModeResult(NamedTuple):
    """The commonest values, and how often they occur."""

    mode: object
    count: object


def check_nan_policy(nan_policy, name, known):
    one_of(nan_policy, ("propagate", "omit", "raise"), name, "nan_policy")
    if nan_policy not in known:
        raise Refused(f"{name} does not know nan_policy={nan_policy!r}; it knows {', '.join(map(repr, known))}.")


def along(a, axis, name):
    """The array and its axis; flattened for None."""
    a = as_value(a, name, 0)
    if axis is None:
        return a.reshape(-1), 0
    if not a.ndim:
        a = a.reshape(1)
    return a, one_axis(axis, a.ndim, name)


def kept(out, a, axis, at):
    """A result with the dimensions of `a`, those that were reduced being of size 1."""
    return out.reshape((1,) * a.ndim) if axis is None else jnp.expand_dims(out, at)


def mode(a, axis=0, nan_policy="propagate", keepdims=False):
    """(mode, count): the commonest value along an axis (None: of all), the smallest one of several, and how often it occurs; NaN and 0
    where there is none.

    nan_policy: 'propagate' (NaN counts as a value) only.

    >>> import gnomon.numpy as jnp
    >>> mode(jnp.array([3, 1, 3, 2]))
    ModeResult(mode=Array(3, dtype=int32), count=Array(2, dtype=int32))
    """
    check_nan_policy(nan_policy, "mode", ("propagate",))
    a, keepdims = as_value(a, "mode", 0), flag(keepdims, "mode", "keepdims")
    rows, at = along(a, axis, "mode")
    value, count = _mode(rows, axis=at)
    if keepdims:
        value, count = kept(value, a, axis, at), kept(count, a, axis, at)
    return ModeResult(value, count)


@composite(static=("axis",))
def _mode(a, axis):
    """The longest run of equal values in sorted order."""
    x = jnp.sort(jnp.moveaxis(a, axis, -1), -1)
    n = x.shape[-1]
    if not n:
        x = to_inexact(x)
        return jnp.full(x.shape[:-1], jnp.nan, x.dtype), jnp.zeros(x.shape[:-1], np.int32)
    places = jnp.arange(n, dtype=np.int32)
    same = (x[..., 1:] == x[..., :-1]) | (jnp.isnan(x[..., 1:]) & jnp.isnan(x[..., :-1]) if x.dtype.kind == "f" else False)
    starts = jnp.concatenate([jnp.ones((*x.shape[:-1], 1), bool), ~same], -1)
    first = jnp.maximum.accumulate(jnp.where(starts, places, 0), axis=-1)
    length = places - first + 1
    best = jnp.argmax(length, -1)
    value = jnp.take_along_axis(x, best[..., None], -1)[..., 0]
    return value, jnp.max(length, -1)


def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    """The ranks of the values along an axis (None: of all, as one vector), from 1.

    method: what equal values get: 'average', 'min' or 'max' of their ranks, 'dense' ranks without gaps, or 'ordinal' ones, in order.
    nan_policy: 'propagate' (all ranks NaN where a value is) only.

    >>> import gnomon.numpy as jnp
    >>> rankdata(jnp.array([1, 3, 2, 3])).tolist()
    [1.0, 3.5, 2.0, 3.5]
    """
    check_nan_policy(nan_policy, "rankdata", ("propagate",))
    one_of(method, ("average", "min", "max", "dense", "ordinal"), "rankdata", "method")
    a, axis = along(a, axis, "rankdata")
    return _rankdata(a, method=method, axis=axis)


@composite(static=("method", "axis"))
def _rankdata(a, method, axis):
    x = jnp.moveaxis(a, axis, -1)
    n = x.shape[-1]
    order = jnp.argsort(x, -1)
    back = jnp.argsort(order, -1)
    ordinal = back + 1
    if method == "ordinal":
        ranks = ordinal
    else:
        sorted_x = jnp.take_along_axis(x, order, -1)
        new = jnp.concatenate([jnp.ones((*x.shape[:-1], 1), bool), sorted_x[..., 1:] != sorted_x[..., :-1]], -1)[..., :n]
        places = jnp.arange(n, dtype=np.int32)
        if method == "dense":
            sorted_ranks = jnp.cumsum(new, -1)
        else:
            least = jnp.maximum.accumulate(jnp.where(new, places, 0), axis=-1) + 1
            ends = jnp.concatenate([new[..., 1:], jnp.ones((*x.shape[:-1], 1), bool)], -1)[..., :n]
            most = jnp.flip(jnp.minimum.accumulate(jnp.flip(jnp.where(ends, places, n), -1), axis=-1), -1) + 1
            sorted_ranks = {"min": least, "max": most, "average": (least + most) / 2}[method]
        ranks = jnp.take_along_axis(sorted_ranks, back, -1)
    dtype = jnp.result_type(float)
    ranks = ranks.astype(dtype)
    if x.dtype.kind == "f":
        ranks = jnp.where(jnp.isnan(x).any(-1, keepdims=True), jnp.nan, ranks)
    return jnp.moveaxis(ranks, -1, axis)


def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    """The standard error of the mean along an axis (None: of all): the standard deviation, with n - ddof in it, over sqrt(n).

    nan_policy: 'propagate', or 'omit' to leave out NaN.

    >>> import gnomon.numpy as jnp
    >>> float(sem(jnp.array([1.0, 2.0, 3.0])))
    0.57735...
    """
    check_nan_policy(nan_policy, "sem", ("propagate", "omit"))
    a, keepdims = as_value(a, "sem", 0), flag(keepdims, "sem", "keepdims")
    rows, at = along(a, axis, "sem")
    out = _sem(rows, ddof, axis=at, omit=nan_policy == "omit")
    return kept(out, a, axis, at) if keepdims else out


@composite(static=("axis", "omit"))
def _sem(a, ddof, axis, omit):
    a = to_inexact(a)
    if not omit:
        return jnp.std(a, axis, ddof=ddof) / a.shape[axis] ** 0.5
    count = jnp.sum(~jnp.isnan(a), axis)
    return jnp.nanstd(a, axis, ddof=ddof) / jnp.sqrt(count.astype(a.dtype))
