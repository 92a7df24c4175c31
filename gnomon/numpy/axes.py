"""Axis arguments: negative ones counted from the last, errors that name the function."""
from __future__ import annotations

import operator

import numpy as np


def axis_of(axis, ndim, name):
    """An axis as an int between 0 and `ndim` - 1. AxisError (a ValueError and IndexError) if there is no such axis, TypeError if
    it is no integer."""
    try:
        number = operator.index(axis)
    except TypeError:
        if hasattr(axis, "type"):       # a traced value says itself what to do
            raise
        raise TypeError(f"{name}: an axis is an integer, got {axis!r} of type {type(axis).__name__}.") from None
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(f"{name}: axis {number} is out of bounds for array of dimension {ndim}")
    return number % ndim


def axes_of(axis, ndim, name):
    """The axes meant by None (all), an integer or a sequence of integers, in ascending order."""
    if axis is None:
        return tuple(range(ndim))
    if axis.__class__ is int:
        return axis_of(axis, ndim, name),
    if isinstance(axis, (tuple, list)):
        axes = sorted([axis_of(a, ndim, name) for a in axis])
        if len(set(axes)) != len(axes):
            raise ValueError(f"{name}: duplicate value in 'axis': {tuple(axis)}")
        return tuple(axes)
    return axis_of(axis, ndim, name),
