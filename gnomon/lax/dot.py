"""Products summed over paired dimensions."""
from __future__ import annotations

import operator

from gnomon.api.places import explicit
from gnomon.numpy.promote import as_value, requested_dtype
from gnomon.ops.dot import DotGeneral, Precision, canonical_precision
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_key

__all__ = ["DotDimensionNumbers", "Precision", "PrecisionLike", "batch_matmul", "dot", "dot_general"]

PrecisionLike = None | str | Precision | tuple[str, str] | tuple[Precision, Precision]
DotDimensionNumbers = tuple


def dot_general(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None, *, out_sharding=None):
    """Sums of products of two arrays over paired dimensions.

    `dimension_numbers` is ((lhs contracting, rhs contracting), (lhs batch, rhs batch)). The result has the batch dimensions, then
    the rest of lhs, then the rest of rhs; its dtype is `preferred_element_type` or that of the operands, which must agree
    otherwise (TypeError). `precision` is a Precision or its name, or a pair of them.

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


def canonical_numbers(dimension_numbers, lhs, rhs):
    """Dimension numbers as tuples of ints, checked against the operands."""
    try:
        (lc, rc), (lb, rb) = [[tuple([operator.index(d) for d in dims]) for dims in pair] for pair in dimension_numbers]
    except (TypeError, ValueError):
        raise TypeError("dot_general needs dimension_numbers of the form ((lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch)), "
                        f"got {dimension_numbers!r}.") from None
    for what, i, j in (("contracting", lc, rc), ("batch", lb, rb)):
        if len(i) != len(j):
            raise TypeError(f"dot_general requires equal numbers of {what} dimensions on both sides, got {i} and {j}.")
    for t, dims, side in ((lhs, lc + lb, "lhs"), (rhs, rc + rb, "rhs")):
        if any(not 0 <= d < t.ndim for d in dims) or len(set(dims)) != len(dims):
            raise TypeError(f"dot_general requires different {side} dimensions between 0 and {t.ndim - 1} for a value of type {t}, "
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
