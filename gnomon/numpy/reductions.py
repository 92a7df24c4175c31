"""Reductions."""
from __future__ import annotations

from gnomon.numpy.promote import as_value
from gnomon.ops.shape import reduce_sum


def sum(a, axis=None):
    a = as_value(a)
    return reduce_sum(a, tuple(range(a.ndim)) if axis is None else (axis % a.ndim,))
