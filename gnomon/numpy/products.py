"""Products of vectors, matrices and arrays of more dimensions."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.base.settings import current
from gnomon.numpy.axes import axis_tuple, integer, one_axis, plain_values
from gnomon.numpy.composite import remembered
from gnomon.numpy.contraction import Plan, Planner
from gnomon.numpy.creation import as_dtype, default_int
from gnomon.numpy.elementwise import check_shapes
from gnomon.numpy.manipulation import moveaxis, ravel, stack, unstack
from gnomon.numpy.matrices import diagonal
from gnomon.numpy.promote import as_value, joined, note_weak, promote, promote_dtypes, requested_dtype
from gnomon.ops.arithmetic import mul, sub
from gnomon.ops.compare import bitwise_and
from gnomon.ops.complex_parts import conj
from gnomon.ops.convert import convert_element_type
from gnomon.ops.dot import canonical_precision
from gnomon.ops.shape import expand_dims, reduce_sum, reshape
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.slicing import pad_in_dim
from gnomon.run.array import Array
from gnomon.trace.stage import Tracer
from gnomon.types.dtype import is_bool, is_complex, is_integer, is_unsigned, itemsize_bits

__all__ = ["cross", "dot", "inner", "kron", "matmul", "matvec", "outer", "tensordot", "trace", "vdot", "vecdot", "vecmat"]

_plans: dict = {}


def pairwise(name, a, b, key, make, precision, preferred, out_sharding=None):
    """The contraction of two operands, planned by make(planner, precision, preferred) once for their types and `key`."""
    if a.__class__ is not Tracer and a.__class__ is not Array:
        a = as_value(a, name, 0)
    if b.__class__ is not Tracer and b.__class__ is not Array:
        b = as_value(b, name, 1)
    key = (name, a.type, b.type, key, precision, preferred, out_sharding, current.key)
    try:
        plan = _plans.get(key)
    except TypeError:
        plain_values(name, {"precision": precision, "preferred_element_type": preferred, "out_sharding": out_sharding})
        raise
    if plan is None:
        plan = _plans[key] = make_plan(a.type, b.type, make, precision, preferred, out_sharding)
    plan, matters = plan
    if matters:
        note_weak()
    return plan.follow((a, b))


def make_plan(x, y, make, precision, preferred, out_sharding):
    (dtype, weak), matters = joined([x, y])
    planner = Planner([x, y])
    x, y = planner.convert(0, dtype, weak), planner.convert(1, dtype, weak)
    preferred = dtype if preferred is None else requested_dtype(preferred)
    result = make(planner, x, y, canonical_precision(precision), preferred, out_sharding)
    return Plan(planner.steps, result), matters


def contract(planner, x, x_names, y, y_names, out, precision, preferred, out_sharding):
    number, names = planner.contract(x, x_names, y, y_names, out, precision, preferred, out_sharding)
    return planner.transpose(number, names, out)


def dim_names(tag, rank):
    return tuple([f"{tag}{i}" for i in range(rank)])


def no_contraction(name, x, y, i, j):
    return TypeError(f"{name} sums over dimension {i} of the first operand and dimension {j} of the second, which must have the same "
                     f"size, got shapes {x.shape} and {y.shape}.")


def matmul(a, b, *, precision=None, preferred_element_type=None, out_sharding=None):
    """The matrix product: rows of `a` times columns of `b`; `a @ b`.

    a, b: arrays of at least 1 dimension, of shapes (..., n, k) and (..., k, m); a vector stands for a row or a column, and its
    dimension is missing from the result. The dimensions before the last two broadcast. precision: how exactly 32-bit floats
    are multiplied on hardware that can do it in several ways. preferred_element_type: dtype of the result. Errors: ValueError for
    operands without dimensions, TypeError for sizes that do not fit.

    >>> import gnomon.numpy as jnp
    >>> matmul(jnp.ones((2, 3)), jnp.arange(3.0))
    Array([3., 3.], dtype=float32)
    """
    return pairwise("matmul", a, b, None, plan_matmul, precision, preferred_element_type, out_sharding)


def plan_matmul(planner, x, y, *options):
    a, b = planner.types[x], planner.types[y]
    for i, t in enumerate((a, b)):
        if not t.ndim:
            raise ValueError(f"matmul takes operands of at least 1 dimension, but operand {i} has type {t}. Multiply with * instead.")
    i, j = a.ndim - 1, max(b.ndim - 2, 0)
    if a.shape[i] != b.shape[j]:
        raise no_contraction("matmul", a, b, i, j)
    wide = max(a.ndim, b.ndim, 2) - 2
    batch = dim_names("batch", wide)
    row, column = ("row",) * (a.ndim > 1), ("column",) * (b.ndim > 1)
    x_names = (*batch[wide - max(a.ndim - 2, 0):], *row, "sum")
    y_names = (*batch[wide - max(b.ndim - 2, 0):], "sum", *column)
    check_broadcast("matmul", a, x_names, b, y_names)
    return contract(planner, x, x_names, y, y_names, (*batch, *row, *column), *options)


def check_broadcast(name, a, x_names, b, y_names):
    sizes = dict(zip(x_names, a.shape))
    for n, size in zip(y_names, b.shape):
        if sizes.get(n, size) != size and 1 not in (sizes[n], size):
            raise ValueError(f"{name} got operands whose leading dimensions do not broadcast: shapes {a.shape} and {b.shape}.")


def dot(a, b, *, precision=None, preferred_element_type=None, out_sharding=None):
    """The dot product: sums over the last dimension of `a` and the last but one (or the only one) of `b`.

    Operands without dimensions are multiplied. The result has the other dimensions of `a`, then those of `b`. See `matmul` for
    the options. TypeError for sizes that do not fit.
    Also ValueError for an unknown precision.

    >>> import gnomon.numpy as jnp
    >>> dot(jnp.arange(3), jnp.arange(3))
    Array(5, dtype=int32)
    """
    return pairwise("dot", a, b, None, plan_dot, precision, preferred_element_type, out_sharding)


def plan_dot(planner, x, y, *options):
    a, b = planner.types[x], planner.types[y]
    x_names, y_names = dim_names("x", a.ndim), dim_names("y", b.ndim)
    if a.ndim and b.ndim:
        i, j = a.ndim - 1, max(b.ndim - 2, 0)
        if a.shape[i] != b.shape[j]:
            raise no_contraction("dot", a, b, i, j)
        y_names = (*y_names[:j], x_names[i], *y_names[j + 1:])
    return contract(planner, x, x_names, y, y_names, rest(x_names, y_names), *options)


def rest(x_names, y_names):
    """The names that only one of two operands has."""
    return (*[n for n in x_names if n not in y_names], *[n for n in y_names if n not in x_names])


def tensordot(a, b, axes=2, *, precision=None, preferred_element_type=None, out_sharding=None):
    """Sums of products over several dimensions of both operands.

    axes: a number n (the last n dimensions of `a` with the first n of `b`), or a pair of axes or sequences of axes, one for
    each operand. The result has the other dimensions of `a`, then those of `b`. TypeError for sizes that do not fit.
    Also AxisError for axes out of bounds, ValueError for an unknown precision.

    >>> import gnomon.numpy as jnp
    >>> tensordot(jnp.ones((2, 3, 4)), jnp.ones((3, 4, 5))).shape
    (2, 5)
    """
    a, b = as_value(a, "tensordot", 0), as_value(b, "tensordot", 1)
    n, m = a.type.ndim, b.type.ndim
    if not isinstance(axes, (list, tuple)) and np.ndim(axes) == 0:
        count = integer(axes, "tensordot", "axes")
        if not 0 <= count <= min(n, m):
            raise TypeError(f"tensordot over {count} axes needs operands of at least as many dimensions, got types {a.type} and {b.type}.")
        pair = tuple(range(n - count, n)), tuple(range(count))
    else:
        if len(axes) != 2:
            raise TypeError(f"tensordot takes a number of axes or a pair of axes, one for each operand, got {axes}.")
        pair = axis_tuple(axes[0], n, "tensordot", "axes"), axis_tuple(axes[1], m, "tensordot", "axes")
        if len(pair[0]) != len(pair[1]):
            raise TypeError(f"tensordot needs as many axes of the first operand as of the second, got {axes}.")
    return pairwise("tensordot", a, b, pair, lambda *args: plan_tensordot(pair, *args), precision, preferred_element_type, out_sharding)


def plan_tensordot(pair, planner, x, y, *options):
    a, b = planner.types[x], planner.types[y]
    x_names, y_names = dim_names("x", a.ndim), list(dim_names("y", b.ndim))
    for i, j in zip(*pair):
        if a.shape[i] != b.shape[j]:
            raise no_contraction("tensordot", a, b, i, j)
        y_names[j] = x_names[i]
    return contract(planner, x, x_names, y, tuple(y_names), rest(x_names, y_names), *options)


@remembered
def inner(a, b, *, precision=None, preferred_element_type=None):
    """Sums over the last dimension of both operands; operands without dimensions are multiplied.

    Errors: TypeError for what is no array (lists included) and sizes that differ, ValueError for an unknown precision.

    >>> import gnomon.numpy as jnp
    >>> inner(jnp.ones((2, 3)), jnp.ones((4, 3))).shape
    (2, 4)
    """
    return pairwise("inner", a, b, None, plan_inner, precision, preferred_element_type)


def plan_inner(planner, x, y, *options):
    if not planner.types[x].ndim or not planner.types[y].ndim:
        return plan_dot(planner, x, y, *options)
    return plan_tensordot(((planner.types[x].ndim - 1,), (planner.types[y].ndim - 1,)), planner, x, y, *options)


@remembered
def vdot(a, b, *, precision=None, preferred_element_type=None):
    """The sum of products of all elements, those of `a` conjugated.

    Errors: TypeError for what is no array (lists included) and numbers of elements that differ, ValueError for an unknown
    precision.

    >>> vdot(np.array([1j, 2]), np.array([1j, 2]))
    Array(5.+0.j, dtype=complex64)
    """
    a, b = as_value(a, "vdot", 0), as_value(b, "vdot", 1)
    if is_complex(a.type.dtype):
        a = conj(a)
    return dot(ravel(a), ravel(b), precision=precision, preferred_element_type=preferred_element_type)


def vecdot(x1, x2, /, *, axis=-1, precision=None, preferred_element_type=None):
    """Sums of products along an axis, the elements of `x1` conjugated; the other dimensions broadcast.

    Errors: TypeError for what is no array (lists included) and sizes that differ, ValueError for arrays without dimensions,
    AxisError for an axis out of bounds.

    >>> import gnomon.numpy as jnp
    >>> vecdot(jnp.ones((2, 3)), jnp.arange(3.0))
    Array([3., 3.], dtype=float32)
    """
    x1, x2 = as_value(x1, "vecdot", 0), as_value(x2, "vecdot", 1)
    for i, x in enumerate((x1, x2)):
        if not x.type.ndim:
            raise ValueError(f"vecdot takes operands of at least 1 dimension, but operand {i} has type {x.type}.")
    x1, x2 = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    if is_complex(x1.type.dtype):
        x1 = conj(x1)
    return pairwise("vecdot", x1, x2, None, plan_vecdot, precision, preferred_element_type)


def plan_vecdot(planner, x, y, *options):
    a, b = planner.types[x], planner.types[y]
    if a.shape[-1] != b.shape[-1]:
        raise no_contraction("vecdot", a, b, a.ndim - 1, b.ndim - 1)
    wide = max(a.ndim, b.ndim) - 1
    batch = dim_names("batch", wide)
    x_names, y_names = (*batch[wide - a.ndim + 1:], "sum"), (*batch[wide - b.ndim + 1:], "sum")
    check_broadcast("vecdot", a, x_names, b, y_names)
    return contract(planner, x, x_names, y, y_names, batch, *options)


def matvec(x1, x2, /):
    """Matrices (..., n, k) times vectors (..., k); the leading dimensions broadcast.

    Errors: TypeError for what is no array (lists included) and sizes that differ, ValueError for too few dimensions.

    >>> import gnomon.numpy as jnp
    >>> matvec(jnp.ones((5, 2, 3)), jnp.ones(3)).shape
    (5, 2)
    """
    return pairwise("matvec", x1, x2, None, plan_matvec, None, None)


def plan_matvec(planner, x, y, *options):
    return plan_matrix_and_vector("matvec", planner, x, planner.types[x], y, planner.types[y], -1, *options)


def vecmat(x1, x2, /):
    """Vectors (..., n), conjugated, times matrices (..., n, k); the leading dimensions broadcast.

    Errors: TypeError for what is no array (lists included) and sizes that differ, ValueError for too few dimensions.

    >>> import gnomon.numpy as jnp
    >>> vecmat(jnp.ones(2), jnp.ones((5, 2, 3))).shape
    (5, 3)
    """
    x1 = as_value(x1, "vecmat", 0)
    return pairwise("vecmat", conj(x1) if is_complex(x1.type.dtype) else x1, x2, None, plan_vecmat, None, None)


def plan_vecmat(planner, x, y, *options):
    return plan_matrix_and_vector("vecmat", planner, y, planner.types[y], x, planner.types[x], -2, *options)


def plan_matrix_and_vector(name, planner, m, matrix, v, vector, summed, *options):
    """`summed`: which dimension of the matrix is summed over, -1 or -2. Operands are numbered as they were given."""
    if matrix.ndim < 2 or vector.ndim < 1:
        raise ValueError(f"{name} takes matrices and vectors, got types {planner.types[0]} and {planner.types[1]}.")
    if matrix.shape[summed] != vector.shape[-1]:
        raise TypeError(f"{name} needs as many elements in the vectors as the matrices have {'columns' if summed == -1 else 'rows'}, got "
                        f"types {planner.types[0]} and {planner.types[1]}.")
    wide = max(matrix.ndim - 2, vector.ndim - 1)
    batch = dim_names("batch", wide)
    m_names = (*batch[wide - matrix.ndim + 2:], *(("kept", "sum") if summed == -1 else ("sum", "kept")))
    v_names = (*batch[wide - vector.ndim + 1:], "sum")
    check_broadcast(name, matrix, m_names, vector, v_names)
    terms = (m, m_names, v, v_names) if summed == -1 else (v, v_names, m, m_names)
    return contract(planner, *terms, (*batch, "kept"), *options)


@remembered
def outer(a, b, out=None):
    """The products of every element of `a` with every element of `b`, one row for each of `a`.

    Errors: TypeError for what is no array (lists included), Refused for `out`.

    >>> import gnomon.numpy as jnp
    >>> outer(jnp.arange(2), jnp.arange(3))
    Array([[0, 0, 0],
           [0, 1, 2]], dtype=int32)
    """
    if out is not None:
        raise Refused("outer makes a new array; `out` cannot be written to. Leave it out.")
    a, b = promote_dtypes("outer", a, b)
    return times(expand_dims(ravel(a), (1,)), expand_dims(ravel(b), (0,)))


def times(x, y):
    return bitwise_and(x, y) if is_bool(x.type.dtype) else mul(x, y)


@remembered
def kron(a, b):
    """The Kronecker product: every element of `a` replaced by its product with `b`.

    Errors: TypeError for what is no array (lists included).

    >>> import gnomon.numpy as jnp
    >>> kron(jnp.eye(2), jnp.ones((1, 2)))
    Array([[1., 1., 0., 0.],
           [0., 0., 1., 1.]], dtype=float32)
    """
    a, b = promote_dtypes("kron", a, b)
    n = max(a.type.ndim, b.type.ndim)
    a, b = (expand_dims(x, tuple(range(n - x.type.ndim))) for x in (a, b))
    sizes = tuple([p * q for p, q in zip(a.type.shape, b.type.shape)])
    return reshape(times(expand_dims(a, tuple(range(1, 2 * n, 2))), expand_dims(b, tuple(range(0, 2 * n, 2)))), sizes)


@remembered
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors of 3 (or 2, then with a third component of 0) components along an axis of each operand.

    The other dimensions broadcast. Of two vectors of 2 components only the third component is the result.
    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for vectors of other
    than 2 or 3 components.

    >>> import gnomon.numpy as jnp
    >>> cross(jnp.array([1, 0, 0]), jnp.array([0, 1, 0]))
    Array([0, 0, 1], dtype=int32)
    """
    names = "axisa", "axisb", "axisc"
    if axis is not None:
        axisa, axisb, axisc, names = axis, axis, axis, ("axis",) * 3
    a, b = as_value(a, "cross", 0), as_value(b, "cross", 1)
    a = moveaxis(a, one_axis(axisa, a.type.ndim, "cross", names[0]), -1)
    b = moveaxis(b, one_axis(axisb, b.type.ndim, "cross", names[1]), -1)
    sizes = a.type.shape[-1], b.type.shape[-1]
    if any(n not in (2, 3) for n in sizes):
        raise ValueError(f"cross takes vectors of 2 or 3 components, got {sizes[0]} and {sizes[1]} of them.")
    if sizes != (2, 2):
        a, b = third(a), third(b)
    a, b = promote("cross", a, b)
    check_shapes("cross", a.type, b.type)
    x, y = unstack(a, axis=-1), unstack(b, axis=-1)

    def minor(i, j):
        return sub(mul(x[i], y[j]), mul(x[j], y[i]))
    if sizes == (2, 2):
        return minor(0, 1)
    found = stack([minor(1, 2), minor(2, 0), minor(0, 1)], -1)
    return moveaxis(found, -1, one_axis(axisc, found.type.ndim, "cross", names[2]))


def third(x):
    """Vectors with a third component, 0 if they have two."""
    if x.type.shape[-1] == 3:
        return x
    return pad_in_dim(x, full_scalar(x, 0), 0, 1, x.type.ndim - 1)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of a diagonal, over two axes (see `diagonal`). Narrow integers are summed as the default integer.

    Errors: TypeError for what is no array (lists included), ValueError for fewer than two dimensions or two equal axes, AxisError
    for an axis out of bounds, Refused for `out`.

    >>> import gnomon.numpy as jnp
    >>> trace(jnp.ones((3, 3)))
    Array(3., dtype=float32)
    """
    if out is not None:
        raise Refused("trace makes a new array; `out` cannot be written to. Leave it out.")
    x = diagonal(a, offset, axis1, axis2)
    t = x.type
    if dtype is not None:
        x = as_dtype(x, requested_dtype(dtype))
    elif is_bool(t.dtype) or is_integer(t.dtype) and itemsize_bits(t.dtype) < itemsize_bits(default_int()):
        x = convert_element_type(x, np.dtype(default_int().name.replace("int", "uint")) if is_unsigned(t.dtype) else default_int())
    return reduce_sum(x, (t.ndim - 1,))
