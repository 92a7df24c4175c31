"""Norms of vectors and matrices."""
from __future__ import annotations

import math

import numpy as np

from gnomon.base.arguments import flag
from gnomon.base.errors import shown
from gnomon.numpy.axes import axis_tuple, one_axis
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import as_value, to_inexact
from gnomon.ops.arithmetic import absolute, mul
from gnomon.ops.compare import eq, ne, select_n
from gnomon.ops.complex_parts import conj, real
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import pow, sqrt
from gnomon.ops.linalg_eigen import svd
from gnomon.ops.reductions import reduce_max, reduce_min
from gnomon.ops.shape import expand_dims, full, reduce_sum, transpose
from gnomon.types.dtype import is_complex

__all__ = ["matrix_norm", "norm", "vector_norm"]

_FLOAT32 = np.dtype("float32")


def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of vectors (one `axis`) or matrices (two); without `axis`, of the whole array as a vector or matrix, and without `ord` of
    all its elements.

    ord: of vectors 2 (the default), any other number p, inf, -inf (largest and smallest modulus) or 0 (how many are not 0); of matrices
    'fro' (the default), 'nuc', inf, -inf, 1, -1, 2 or -2. keepdims: leaves the axes, with size 1. The result is a float. The derivative
    at 0 is 0. Errors: ValueError for other orders, or an array of more than 2 dimensions with `ord` and no `axis`.
    Also TypeError for what is no array of numbers (lists included), AxisError for an axis out of bounds.

    >>> import gnomon.numpy as jnp
    >>> norm(jnp.array([3.0, 4.0]))
    Array(5., dtype=float32)
    """
    x = to_inexact(as_value(x, "norm", 0))
    rank = x.type.ndim
    if axis is None and ord is None:
        return _vector_norm(x, 2, tuple(range(rank)), flag(keepdims, "norm", "keepdims"))
    axes = axis_tuple(axis, rank, "norm") if axis is None or hasattr(axis, "__iter__") else (one_axis(axis, rank, "norm"),)
    if len(axes) == 1:
        return _vector_norm(x, 2 if ord is None else ord, axes, flag(keepdims, "norm", "keepdims"))
    if len(axes) == 2:
        return _matrix_norm(x, "fro" if ord is None else ord, axes, flag(keepdims, "norm", "keepdims"))
    raise ValueError(f"norm takes one axis for vectors or two for matrices, got axis={axis} for an array of type {x.type}.")


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of vectors along an axis or several; without `axis`, of all elements. See `norm` for `ord`.

    Errors: TypeError for what is no array of numbers (lists included), AxisError for an axis out of bounds, ValueError for a
    repeated one and another order.

    >>> import gnomon.numpy as jnp
    >>> vector_norm(jnp.array([[3.0, 4.0]]), ord=1)
    Array(7., dtype=float32)
    """
    x = to_inexact(as_value(x, "vector_norm", 0))
    return _vector_norm(x, ord, axis_tuple(axis, x.type.ndim, "vector_norm"), flag(keepdims, "vector_norm", "keepdims"))


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norm of the matrices in the last two dimensions. See `norm` for `ord`.

    Errors: TypeError for what is no array of numbers (lists included), ValueError for fewer than two dimensions and for another
    order.

    >>> import gnomon.numpy as jnp
    >>> matrix_norm(jnp.eye(4))
    Array(2., dtype=float32)
    """
    x = to_inexact(as_value(x, "matrix_norm", 0))
    rank = x.type.ndim
    if rank < 2:
        raise ValueError(f"matrix_norm takes an array of at least 2 dimensions, got one of type {x.type}.")
    return _matrix_norm(x, ord, (rank - 2, rank - 1), flag(keepdims, "matrix_norm", "keepdims"))


def keep(x, axes, keepdims):
    return expand_dims(x, tuple(sorted(axes))) if keepdims else x


def away_from_zero(x, function):
    """function(x) for x of at least 0, and 0 with derivative 0 at 0, where the function's own derivative is infinite."""
    zero = eq(x, full_scalar(x, 0))
    return select_n(zero, function(select_n(zero, x, full_scalar(x, 1))), full_scalar(x, 0))


def in_single_precision(x, function):
    """function(x) in float32 for narrower floats, whose powers would soon be infinite."""
    t = x.type
    if t.dtype.itemsize >= 4:
        return function(x)
    return convert_element_type(function(convert_element_type(x, _FLOAT32, t.weak_type)), t.dtype, t.weak_type)


def euclidean(x, axes):
    return in_single_precision(x, lambda x: root_of_squares(x, axes))


def root_of_squares(x, axes):
    squares = real(mul(x, conj(x))) if is_complex(x.type.dtype) else mul(x, x)
    return away_from_zero(reduce_sum(squares, axes), sqrt)


@composite(static=("ord", "axes", "keepdims"))
def _vector_norm(x, ord, axes, keepdims):
    return keep(vector_norms(x, ord, axes), axes, keepdims)


def vector_norms(x, ord, axes):
    ord = 2 if ord is None else ord
    if not isinstance(ord, (int, float, np.integer, np.floating)):
        raise ValueError(f"norm takes as order of a vector a number or inf, got ord={shown(ord)}.")
    axes = tuple(sorted(axes))
    if ord == 2:
        return euclidean(x, axes)
    size = absolute(x)
    if ord == math.inf:
        return reduce_max(size, axes) if x.type.size else full(size.type.with_shape(rest(x, axes)), 0)
    if ord == -math.inf:
        return reduce_min(size, axes)
    if ord == 0:
        return reduce_sum(convert_element_type(ne(x, full_scalar(x, 0)), size.type.dtype), axes)
    if ord == 1:
        return reduce_sum(size, axes)

    def root_of_powers(size):
        power, root = full_scalar(size, ord), full_scalar(size, 1 / ord)
        return away_from_zero(reduce_sum(pow(size, power), axes), lambda total: pow(total, root))
    return in_single_precision(size, root_of_powers)


def rest(x, axes):
    return tuple([n for i, n in enumerate(x.type.shape) if i not in axes])


@composite(static=("ord", "axes", "keepdims"))
def _matrix_norm(x, ord, axes, keepdims):
    rows, columns = axes
    if ord in ("fro", None):
        return keep(euclidean(x, tuple(sorted(axes))), axes, keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        summed, other = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = reduce_sum(absolute(x), (summed,))
        extreme = reduce_max if ord > 0 else reduce_min
        return keep(extreme(sums, (other - (other > summed),)), axes, keepdims)
    if ord in (2, -2, "nuc"):
        order = (*[i for i in range(x.type.ndim) if i not in axes], rows, columns)
        values, = svd(transpose(x, order), compute_uv=False)
        last = (values.type.ndim - 1,)
        reduced = reduce_sum(values, last) if ord == "nuc" else (reduce_max if ord > 0 else reduce_min)(values, last)
        return keep(reduced, axes, keepdims)
    raise ValueError(f"norm takes as order of a matrix 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2, got ord={shown(ord)}.")
