"""Products summed over paired dimensions."""
from __future__ import annotations

import operator

from gnomon.api.places import explicit
from gnomon.numpy.promote import as_value, requested_dtype
from gnomon.ops.dot import DotAlgorithm, DotAlgorithmPreset, DotGeneral, Precision, canonical_precision
from gnomon.ops.nested.approximate import ScaledDot
from gnomon.ops.shape import full
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_key

__all__ = ["DotAlgorithm", "DotAlgorithmPreset", "DotDimensionNumbers", "Precision", "PrecisionLike", "batch_matmul", "dot",
           "dot_general", "scaled_dot"]

PrecisionLike = None | str | Precision | tuple[str, str] | tuple[Precision, Precision] | DotAlgorithm | DotAlgorithmPreset
DotDimensionNumbers = tuple


def dot_general(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None, *, out_sharding=None):
    """Sums of products of two arrays over paired dimensions.

    `dimension_numbers` is ((lhs contracting, rhs contracting), (lhs batch, rhs batch)). The result has the batch dimensions, then
    the rest of lhs, then the rest of rhs; its dtype is `preferred_element_type` or that of the operands, which must agree
    otherwise (TypeError). `precision` is a Precision or its name, a pair of them, or a DotAlgorithmPreset, its name, or a DotAlgorithm;
    ValueError for an algorithm that the platform does not have.

    >>> import gnomon.numpy as jnp
    >>> dot_general(jnp.ones((2, 3)), jnp.ones((4, 3)), (((1,), (1,)), ((), ()))).tolist()
    [[3.0, 3.0, 3.0, 3.0], [3.0, 3.0, 3.0, 3.0]]
    """
    x, y = as_value(lhs, "dot_general", 0), as_value(rhs, "dot_general", 1)
    numbers = canonical_numbers(dimension_numbers, x.type, y.type)
    kind = None if preferred_element_type is None else requested_dtype(preferred_element_type)
    for t in (x.type, y.type):
        if is_key(t.dtype):
            raise TypeError(f"dot_general does not accept random keys, got a value of type {t}.")
    rank = x.type.ndim + y.type.ndim - 2 * len(numbers[0][0]) - len(numbers[1][0])
    out_sharding = explicit(out_sharding, rank, "dot_general")
    return bind(DotGeneral(numbers, canonical_precision(precision), kind, out_sharding), x, y)


def canonical_numbers(dimension_numbers, lhs, rhs, name="dot_general"):
    """Dimension numbers as tuples of ints, checked against the operands."""
    try:
        (lc, rc), (lb, rb) = [[tuple([operator.index(d) for d in dims]) for dims in pair] for pair in dimension_numbers]
    except (TypeError, ValueError):
        raise TypeError(f"{name} needs dimension_numbers of the form ((lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch)), "
                        f"got {dimension_numbers!r}.") from None
    for what, i, j in (("contracting", lc, rc), ("batch", lb, rb)):
        if len(i) != len(j):
            raise TypeError(f"{name} requires equal numbers of {what} dimensions on both sides, got {i} and {j}.")
    for t, dims, side in ((lhs, lc + lb, "lhs"), (rhs, rc + rb, "rhs")):
        if any(not 0 <= d < t.ndim for d in dims) or len(set(dims)) != len(dims):
            raise TypeError(f"{name} requires different {side} dimensions between 0 and {t.ndim - 1} for a value of type {t}, "
                            f"got {dims}.")
    return ((lc, rc), (lb, rb))


def dot(lhs, rhs, *, dimension_numbers=None, precision=None, preferred_element_type=None, out_sharding=None):
    """The product of vectors and matrices: the last dimension of lhs with the first of rhs, both of rank 1 or 2; with
    `dimension_numbers`, see `dot_general`.

    >>> import gnomon.numpy as jnp
    >>> dot(jnp.arange(3), jnp.arange(3)).tolist()
    5
    """
    if dimension_numbers is None:
        x, y = as_value(lhs, "dot", 0), as_value(rhs, "dot", 1)
        if not (1 <= x.type.ndim <= 2 and 1 <= y.type.ndim <= 2 and x.type.shape[-1] == y.type.shape[0]):
            raise TypeError(f"dot takes vectors and matrices whose last and first dimension agree, got {x.type} and {y.type}.")
        lhs, rhs, dimension_numbers = x, y, (((x.type.ndim - 1,), (0,)), ((), ()))
    return dot_general(lhs, rhs, dimension_numbers, precision, preferred_element_type, out_sharding=out_sharding)


def batch_matmul(lhs, rhs, precision=None):
    """Matrix products over equal leading dimensions.

    >>> import gnomon.numpy as jnp
    >>> batch_matmul(jnp.ones((5, 2, 3)), jnp.ones((5, 3, 4))).shape
    (5, 2, 4)
    """
    x, y = as_value(lhs, "batch_matmul", 0), as_value(rhs, "batch_matmul", 1)
    n = x.type.ndim
    if n < 2 or n != y.type.ndim:
        raise ValueError(f"batch_matmul takes arrays of one rank, at least 2, got {x.type} and {y.type}.")
    leading = tuple(range(n - 2))
    return dot_general(x, y, (((n - 1,), (n - 2,)), (leading, leading)), precision)


def scaled_dot(lhs, rhs, *, lhs_scale=None, rhs_scale=None, dimension_numbers=None, preferred_element_type=None):
    """`dot_general` of lhs * lhs_scale and rhs * rhs_scale, computed in `preferred_element_type`, bfloat16 by default.

    A scale has the rank and the sizes of its operand, but along dimensions that are summed a size that divides the operand's, at
    most half of it: each of its elements is for as many neighbours. Without `dimension_numbers` the operands are matrices, or lists
    of them along the first dimension. TypeError where shapes do not fit.

    >>> import gnomon.numpy as jnp
    >>> x = jnp.ones((2, 4), "float8_e4m3fn")
    >>> scaled_dot(x, x.T, lhs_scale=jnp.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[6.0, 6.0], [14.0, 14.0]]
    """
    x, y = as_value(lhs, "scaled_dot", 0), as_value(rhs, "scaled_dot", 1)
    n = x.type.ndim
    if dimension_numbers is None:
        if n not in (2, 3) or y.type.ndim != n:
            raise TypeError(f"scaled_dot needs dimension_numbers for operands that are not matrices or lists of them, got {x.type} and "
                            f"{y.type}.")
        lead = tuple(range(n - 2))
        dimension_numbers = (((n - 1,), (n - 2,)), (lead, lead))
    numbers = canonical_numbers(dimension_numbers, x.type, y.type)
    kind = requested_dtype("bfloat16" if preferred_element_type is None else preferred_element_type)
    scales = [neutral(v, dims) if scale is None else as_value(scale, "scaled_dot") for v, scale, dims in
              ((x, lhs_scale, numbers[0][0]), (y, rhs_scale, numbers[0][1]))]
    return bind(ScaledDot(numbers, kind), x, y, *scales)[0]


def neutral(x, summed):
    """A scale of ones."""
    return full(x.type.with_shape(tuple([1 if d in summed else n for d, n in enumerate(x.type.shape)])), 1)
