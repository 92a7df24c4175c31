"""pad: elements around an array, in NumPy's modes."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused, shown
from gnomon.numpy.creation import as_array, as_dtype
from gnomon.numpy.functional import apply_along_axis
from gnomon.numpy.grids import linspace
from gnomon.numpy.manipulation import pieces
from gnomon.numpy.promote import as_value
from gnomon.ops import shape as shape_ops
from gnomon.ops import slicing
from gnomon.ops.arithmetic import add, div, mul, round_to_even, sub
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.reductions import reduce_max, reduce_min
from gnomon.ops.shape import broadcast_in_dim, expand_dims, reduce_sum
from gnomon.ops.slicing import slice_in_dim
from gnomon.ops.sorting import sort
from gnomon.trace.stage import value_of
from gnomon.types.dtype import is_bool, is_inexact, is_integer

__all__ = ["pad"]

MODES = {           # mode -> the arguments it takes besides the widths
    "constant": ("constant_values",), "empty": (), "edge": (), "wrap": (), "reflect": ("reflect_type",), "symmetric": ("reflect_type",),
    "linear_ramp": ("end_values",), "maximum": ("stat_length",), "minimum": ("stat_length",), "mean": ("stat_length",),
    "median": ("stat_length",),
}


def pad(array, pad_width, mode="constant", **kwargs):
    """An array with more elements before and behind along its axes.

    pad_width: an integer, a pair (before, behind), or a pair for each axis. mode: what the new elements are:
    "constant" (constant_values, 0 by default), "edge" (the outermost elements), "reflect" and "symmetric" (mirrored without
    and with the outermost element; reflect_type="odd" mirrors in a point), "wrap" (from the other side), "linear_ramp" (to
    end_values), "maximum", "minimum", "mean", "median" (of all or of stat_length elements), "empty" (zeros), or a function
    of (vector, (before, behind), axis, kwargs) that gives each padded vector. Errors: ValueError for negative widths,
    arguments that a mode does not take, and modes that need elements where there are none.
    Also TypeError for what is no array or no integer width, Refused for an unknown mode.

    >>> import gnomon.numpy as jnp
    >>> pad(jnp.arange(1, 4), (2, 1), mode="reflect")
    Array([3, 2, 1, 2, 3, 2], dtype=int32)
    """
    x = as_value(array, "pad", 0)
    rank = x.type.ndim
    widths = pairs("pad_width", pad_width, rank)
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError(f"pad takes widths of at least 0, got pad_width={pad_width}.")
    if callable(mode):
        return pad_by_function(x, widths, mode, kwargs)
    if not isinstance(mode, str) or mode not in MODES:
        raise Refused(f"pad has no mode {shown(mode)}. Choose one of {', '.join(map(repr, MODES))}, or give a function.")
    unknown = sorted(set(kwargs) - set(MODES[mode]))
    if unknown:
        raise ValueError(f"pad takes no {', '.join(unknown)} in mode {mode!r}.")
    if not rank:
        return x
    if mode in ("constant", "empty"):
        return pad_constant(x, widths, kwargs.get("constant_values", 0))
    if mode == "linear_ramp":
        return pad_ramps(x, widths, kwargs.get("end_values", 0))
    if mode in STATISTICS:
        return pad_statistic(x, widths, mode, kwargs.get("stat_length"))
    kind = kwargs.get("reflect_type", "even")
    if kind not in ("even", "odd"):
        raise ValueError(f"pad takes reflect_type 'even' or 'odd', got {kind!r}.")
    for axis, (before, behind) in enumerate(widths):
        if before or behind:
            need_elements(x, axis, mode)
            if kind == "odd":
                x = pad_odd(x, axis, before, behind, mode)
            else:
                x = pieces(x, np.pad(np.arange(x.type.shape[axis]), (before, behind), mode), axis)
    return x


def pairs(name, given, rank):
    """An argument of pad as a pair of integers for each axis."""
    if isinstance(given, dict):
        given = [given.get(i, given.get(i - rank, (0, 0))) for i in range(rank)]
        given = [(pair, pair) if np.ndim(pair) == 0 else pair for pair in given]
    try:
        table = np.asarray(given)
    except ValueError:
        table = np.asarray(None)
    if table.dtype.kind not in "iu" and table.size:
        raise TypeError(f"pad takes integers as {name}, got {given!r}.")
    return [tuple(map(int, pair)) for pair in spread(name, table, rank)]


def spread(name, table, rank):
    """A table of shape (), (1,), (2,), (1, 2), (rank, 1) or (rank, 2) as one of shape (rank, 2)."""
    if table.ndim > 2 or table.ndim and table.shape[-1] not in (1, 2) or table.ndim == 2 and table.shape[0] not in (1, rank):
        raise ValueError(f"pad takes as {name} one number, a pair, or a pair for each of the {rank} axes, got shape {table.shape}.")
    return np.broadcast_to(table, (rank, 2)) if isinstance(table, np.ndarray) else table


def need_elements(x, axis, mode):
    if x.type.shape[axis] == 0:
        raise ValueError(f"pad in mode {mode!r} needs elements to go by, and axis {axis} of an array of type {x.type} has none.")


def values_per_side(name, given, x):
    """Two scalars of the array's dtype for each axis."""
    rank = x.type.ndim
    table = as_dtype(as_array(given, None, "pad"), x.type.dtype)
    spread(name, np.empty(table.type.shape, bool), rank)
    if not table.type.ndim:
        return [(table, table)] * rank
    table = broadcast_in_dim(table, (rank, 2), (1,) if table.type.ndim == 1 else (0, 1))
    cell = lambda i, j: shape_ops.squeeze(slicing.strided_slice(table, (i, j), (i + 1, j + 1)), (0, 1))
    return [(cell(i, 0), cell(i, 1)) for i in range(rank)]


def pad_constant(x, widths, constant):
    if np.ndim(constant) == 0 and not hasattr(constant, "type"):
        value = as_dtype(value_of(constant), x.type.dtype)
        return slicing.pad(x, value, tuple([(*pair, 0) for pair in widths])) if any(map(any, widths)) else x
    for axis, ((before, behind), (first, last)) in enumerate(zip(widths, values_per_side("constant_values", constant, x))):
        if before:
            x = slicing.pad_in_dim(x, first, before, 0, axis)
        if behind:
            x = slicing.pad_in_dim(x, last, 0, behind, axis)
    return x


def pad_ramps(x, widths, end):
    for axis, ((before, behind), (first, last)) in enumerate(zip(widths, values_per_side("end_values", end, x))):
        if not before and not behind:
            continue
        need_elements(x, axis, "linear_ramp")
        n = x.type.shape[axis]

        def ramp(end_value, edge, count):
            edge = shape_ops.squeeze(slice_in_dim(x, edge, edge + 1, axis), (axis,))
            return linspace(end_value, edge, count, endpoint=False, dtype=x.type.dtype, axis=axis)
        parts = [ramp(first, 0, before), x, slicing.rev(ramp(last, n - 1, behind), (axis,))]
        x = slicing.concatenate([part for part, count in zip(parts, (before, 1, behind)) if count], axis)
    return x


def pad_odd(x, axis, before, behind, mode):
    """Mirrored in the point of the outermost element, or the one beside it that mode "symmetric" repeats."""
    skip = mode == "reflect"
    if x.type.shape[axis] == 1 and skip:
        return pieces(x, np.zeros(before + 1 + behind, int), axis)
    while before or behind:
        n = x.type.shape[axis]
        counts = min(before, n - skip), min(behind, n - skip)
        parts = [x]
        for side, count in enumerate(counts):
            if not count:
                continue
            edge = (n - 1) * side
            start = n - skip - count if side else int(skip)
            mirrored = slicing.rev(slice_in_dim(x, start, start + count, axis), (axis,))
            at_edge = slice_in_dim(x, edge, edge + 1, axis)
            part = sub(mul(full_scalar(x, 2), at_edge), mirrored)
            parts = [*parts, part] if side else [part, *parts]
        x = slicing.concatenate(parts, axis)
        before, behind = before - counts[0], behind - counts[1]
    return x


# ---- statistics -----------------------------------------------------------------------------------------------------

def mean_of(x, axis):
    wide = x if is_inexact(x.type.dtype) else convert_element_type(x, np.dtype("float32"))
    return div(reduce_sum(wide, (axis,)), full_scalar(wide, x.type.shape[axis]))


def median_of(x, axis):
    n = x.type.shape[axis]
    (ordered,) = sort([x], axis)
    middle = [shape_ops.squeeze(slice_in_dim(ordered, i, i + 1, axis), (axis,)) for i in ((n - 1) // 2, n // 2)]
    low, high = [m if is_inexact(m.type.dtype) else convert_element_type(m, np.dtype("float32")) for m in middle]
    return mul(add(low, high), full_scalar(low, 0.5))


STATISTICS = {"maximum": lambda x, axis: reduce_max(x, (axis,)), "minimum": lambda x, axis: reduce_min(x, (axis,)),
              "mean": mean_of, "median": median_of}


def pad_statistic(x, widths, mode, length):
    rank = x.type.ndim
    lengths = [(None, None)] * rank if length is None else pairs("stat_length", length, rank)
    for axis, ((before, behind), pair) in enumerate(zip(widths, lengths)):
        if not before and not behind:
            continue
        need_elements(x, axis, mode)
        n = x.type.shape[axis]
        parts = [x]
        for side, count in enumerate((before, behind)):
            span = n if pair[side] is None else min(n, pair[side])
            if span == 0:
                raise ValueError(f"pad in mode {mode!r} takes a stat_length of at least 1, got {length}.")
            if not count:
                continue
            near = slice_in_dim(x, n - span, n, axis) if side else slice_in_dim(x, 0, span, axis)
            value = STATISTICS[mode](near, axis)
            if is_integer(x.type.dtype) and is_inexact(value.type.dtype):
                value = round_to_even(value)
            value = expand_dims(convert_element_type(value, x.type.dtype, x.type.weak_type), (axis,))
            sizes = (*x.type.shape[:axis], count, *x.type.shape[axis + 1:])
            part = broadcast_in_dim(value, sizes, tuple(range(rank)))
            parts = [*parts, part] if side else [part, *parts]
        x = slicing.concatenate(parts, axis)
    return x


def pad_by_function(x, widths, function, kwargs):
    x = pad_constant(x, widths, False if is_bool(x.type.dtype) else 0)
    for axis, pair in enumerate(widths):
        x = apply_along_axis(lambda vector, pair=pair, axis=axis: function(vector, pair, axis, kwargs), axis, x)
    return x
