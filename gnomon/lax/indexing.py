"""gather and the scatters."""
from __future__ import annotations

from gnomon.numpy.promote import as_value
from gnomon.lax.slicing import check_bounds
from gnomon.lax.shape import integers
from gnomon.ops import indexing as ops
from gnomon.ops import shape as shape_ops
from gnomon.ops.convert import convert_element_type
from gnomon.ops.indexing import GatherDimensionNumbers, GatherScatterMode, ScatterDimensionNumbers
from gnomon.ops.scatter_mul import ScatterMul
from gnomon.trace.stage import bind
from gnomon.types.size import check_shape

__all__ = [
    "GatherDimensionNumbers", "GatherScatterMode", "ScatterDimensionNumbers", "gather", "scatter", "scatter_add",
    "scatter_apply",
    "scatter_max", "scatter_min", "scatter_mul", "scatter_sub",
]


def dimension_numbers_of(cls, given, what):
    """Dimension numbers with Python ints; TypeError for what are none."""
    if not isinstance(given, tuple) or not 3 <= len(given) <= 5:
        raise TypeError(f"{what} takes {cls.__name__} as its dimension_numbers, got {given!r}.")
    return cls(*[integers(dims, f"{what}'s dimension_numbers") for dims in given])


def gather(operand, start_indices, dimension_numbers, slice_sizes, *, unique_indices=False, indices_are_sorted=False,
           mode=None, fill_value=None):
    """Windows of `slice_sizes` of the operand, from the places that index vectors (the last dimension of
    `start_indices`) list.

    `dimension_numbers` is a GatherDimensionNumbers. `mode` says what happens out of bounds: 'clip' (the default) moves
    the window inside, 'fill' reads `fill_value` (by default NaN, the smallest signed or the largest unsigned integer),
    'promise_in_bounds' says that there is nothing. TypeError where shapes
    do not fit.

    >>> import gnomon.numpy as jnp
    >>> rows = GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,))
    >>> gather(jnp.arange(6).reshape(3, 2), jnp.array([[2], [0]]), rows, (1, 2)).tolist()
    [[4, 5], [0, 1]]
    """
    x, indices = as_value(operand, "gather"), as_value(start_indices, "gather")
    numbers = dimension_numbers_of(GatherDimensionNumbers, dimension_numbers, "gather")
    if getattr(fill_value, "shape", None) == () and hasattr(fill_value, "item"):
        fill_value = fill_value.item()
    if not isinstance(fill_value, (bool, int, float, complex, type(None))):
        raise TypeError(f"gather takes a number or None as its fill_value, got {fill_value!r}.")
    mode = GatherScatterMode.CLIP if mode is None else GatherScatterMode.from_any(mode)
    return bind(ops.Gather(numbers, check_bounds(slice_sizes), mode, fill_value, bool(indices_are_sorted),
                           bool(unique_indices)),
                x, indices)


def scatter_kind(cls, what, operand, indices, updates, dimension_numbers, indices_are_sorted, unique_indices, mode):
    x, u = as_value(operand, what), as_value(updates, what)
    if u.type.dtype != x.type.dtype and u.type.weak_type:
        u = convert_element_type(u, x.type.dtype)
    numbers = dimension_numbers_of(ScatterDimensionNumbers, dimension_numbers, what)
    op = cls(numbers, GatherScatterMode.from_any(mode), bool(indices_are_sorted), bool(unique_indices))
    return bind(op, x, as_value(indices, what), u)


def scatter(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False, unique_indices=False,
            mode=None):
    """The operand with updates written over windows of it, at the places that index vectors (the last dimension of
    `scatter_indices`) list. Where windows overlap, one of the updates stands; out of bounds nothing is written, unless
    `mode` is 'clip'. `dimension_numbers` is a ScatterDimensionNumbers.

    >>> import gnomon.numpy as jnp
    >>> elements = ScatterDimensionNumbers((), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,))
    >>> scatter(jnp.arange(4), jnp.array([[2], [0]]), jnp.array([7, 8]), elements).tolist()
    [8, 1, 7, 3]
    """
    return scatter_kind(ops.Scatter, "scatter", operand, scatter_indices, updates, dimension_numbers,
                        indices_are_sorted, unique_indices, mode)


def scatter_add(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False, unique_indices=False,
                mode=None):
    """The operand with updates added to windows of it; see `scatter`.

    >>> import gnomon.numpy as jnp
    >>> elements = ScatterDimensionNumbers((), (0,), (0,))
    >>> scatter_add(jnp.arange(3), jnp.array([[2], [2]]), jnp.array([7, 8]), elements).tolist()
    [0, 1, 17]
    """
    return scatter_kind(ops.ScatterAdd, "scatter_add", operand, scatter_indices, updates, dimension_numbers,
                        indices_are_sorted, unique_indices, mode)


def scatter_sub(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False, unique_indices=False,
                mode=None):
    """The operand with updates subtracted from windows of it; see `scatter`.

    >>> import gnomon.numpy as jnp
    >>> scatter_sub(jnp.arange(3), jnp.array([[2]]), jnp.array([7]), ScatterDimensionNumbers((), (0,), (0,))).tolist()
    [0, 1, -5]
    """
    return scatter_kind(ops.ScatterSub, "scatter_sub", operand, scatter_indices, updates, dimension_numbers,
                        indices_are_sorted, unique_indices, mode)


def scatter_mul(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False, unique_indices=False,
                mode=None):
    """The operand with windows of it multiplied by updates; see `scatter`. Its derivative is right where several
    updates meet and where factors are zero.

    >>> import gnomon.numpy as jnp
    >>> scatter_mul(jnp.arange(3), jnp.array([[2]]), jnp.array([7]), ScatterDimensionNumbers((), (0,), (0,))).tolist()
    [0, 1, 14]
    """
    return scatter_kind(ScatterMul, "scatter_mul", operand, scatter_indices, updates, dimension_numbers,
                        indices_are_sorted, unique_indices, mode)


def scatter_min(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False, unique_indices=False,
                mode=None):
    """The operand with the minimum of itself and the updates in windows of it; see `scatter`.

    >>> import gnomon.numpy as jnp
    >>> scatter_min(jnp.arange(3), jnp.array([[2]]), jnp.array([1]), ScatterDimensionNumbers((), (0,), (0,))).tolist()
    [0, 1, 1]
    """
    return scatter_kind(ops.ScatterMin, "scatter_min", operand, scatter_indices, updates, dimension_numbers,
                        indices_are_sorted, unique_indices, mode)


def scatter_max(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False, unique_indices=False,
                mode=None):
    """The operand with the maximum of itself and the updates in windows of it; see `scatter`.

    >>> import gnomon.numpy as jnp
    >>> scatter_max(jnp.arange(3), jnp.array([[0]]), jnp.array([5]), ScatterDimensionNumbers((), (0,), (0,))).tolist()
    [5, 1, 2]
    """
    return scatter_kind(ops.ScatterMax, "scatter_max", operand, scatter_indices, updates, dimension_numbers,
                        indices_are_sorted, unique_indices, mode)


def scatter_apply(operand, scatter_indices, func, dimension_numbers, *, update_shape=(), indices_are_sorted=False,
                  unique_indices=False, mode=None):
    """The operand with `func` applied to windows of it; `func` takes an array and works element by element.
    `update_shape` is the shape that updates would have. An element that is listed several times has `func` applied
    once.

    >>> import gnomon.numpy as jnp
    >>> elements = ScatterDimensionNumbers((), (0,), (0,))
    >>> scatter_apply(jnp.arange(3), jnp.array([[2]]), lambda x: x * 10, elements, update_shape=(1,)).tolist()
    [0, 1, 20]
    """
    x, indices = as_value(operand, "scatter_apply"), as_value(scatter_indices, "scatter_apply")
    numbers = dimension_numbers_of(ScatterDimensionNumbers, dimension_numbers, "scatter_apply")
    if not callable(func):
        raise TypeError(f"scatter_apply takes a function of an array, got {func!r}.")
    op = ops.Scatter(numbers, GatherScatterMode.from_any(mode), bool(indices_are_sorted), bool(unique_indices))
    like = shape_ops.full(x.type.with_shape(check_shape(update_shape, "update_shape")), 0)
    op.infer((x.type, indices.type, like.type))
    old = bind(op.gather_op(x, like, None).replace(mode=GatherScatterMode.CLIP), x, indices)
    new = convert_element_type(as_value(func(old), "scatter_apply's func"), x.type.dtype)
    return bind(op, x, indices, new)
