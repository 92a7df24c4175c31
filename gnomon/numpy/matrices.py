"""Diagonals and triangles of matrices, and the indices of their elements."""
from __future__ import annotations

import math

import numpy as np

from gnomon.base.errors import Refused
from gnomon.numpy.axes import function_argument, integer, one_axis
from gnomon.numpy.creation import as_array, as_dtype, below, broadcast, default_int, diagonal_number, owned
from gnomon.numpy.manipulation import ravel, sized, tile
from gnomon.numpy.promote import as_value
from gnomon.ops import shape as shape_ops
from gnomon.ops.compare import select_n
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.shape import expand_dims, reshape
from gnomon.ops.slicing import pad, slice_in_dim, strided_slice
from gnomon.types.size import check_size

__all__ = ["diag", "diag_indices", "diag_indices_from", "diagflat", "diagonal", "fill_diagonal", "mask_indices", "tril", "tril_indices",
           "tril_indices_from", "triu", "triu_indices", "triu_indices_from"]


def at_least_a_matrix(x, name):
    x = as_value(x, name, 0)
    if x.type.ndim < 2:
        raise ValueError(f"{name} takes an array of at least 2 dimensions, got one of type {x.type}.")
    return x


# ---- diagonals ----------------------------------------------------------------------------------------------------

def diagonal(a, offset=0, axis1=0, axis2=1):
    """The elements (i, i + offset) of the matrices in two dimensions, as a new last dimension.

    Errors: TypeError for what is no array (lists included), ValueError for fewer than two dimensions or two equal axes, AxisError
    for an axis out of bounds.

    >>> import gnomon.numpy as jnp
    >>> diagonal(jnp.arange(9).reshape(3, 3), 1)
    Array([1, 5], dtype=int32)
    """
    x = at_least_a_matrix(a, "diagonal")
    rank = x.type.ndim
    i, j = one_axis(axis1, rank, "diagonal", "axis1"), one_axis(axis2, rank, "diagonal", "axis2")
    if i == j:
        raise ValueError(f"diagonal takes two different axes, got axis1={axis1} and axis2={axis2}.")
    x = shape_ops.transpose(x, (*[d for d in range(rank) if d not in (i, j)], i, j))
    *batch, n, m = x.type.shape
    offset = integer(offset, "diagonal", "offset")
    count = max(0, min(n + min(offset, 0), m - max(offset, 0)))
    # with all elements in a row, neighbours on a diagonal are m + 1 apart
    x = reshape(x, (*batch, n * m))
    first = offset if offset >= 0 else -offset * m
    last = first + (count - 1) * (m + 1) + 1 if count else first
    if not count:
        return slice_in_dim(x, 0, 0, len(batch))
    zeros = (0,) * len(batch)
    return strided_slice(x, (*zeros, first), (*batch, last), (*[1] * len(batch), m + 1))


def on_diagonal(v, k):
    """A square matrix with a vector on its k-th diagonal."""
    n = v.type.shape[0]
    size = check_size(n + abs(k), "The size of a matrix with so far a diagonal")
    if not n:
        return shape_ops.full(v.type.with_shape((size, size)), 0)
    first = k if k >= 0 else -k * size
    last = first + (n - 1) * (size + 1) + 1
    flat = pad(v, full_scalar(v, 0), ((first, size * size - last, size),))
    return reshape(flat, (size, size))


def diag(v, k=0):
    """A matrix with a vector on its k-th diagonal; of a matrix, its k-th diagonal.

    Errors: TypeError for what is no array (lists included), ValueError for arrays that are neither vectors nor matrices.

    >>> import gnomon.numpy as jnp
    >>> diag(jnp.array([1, 2]))
    Array([[1, 0],
           [0, 2]], dtype=int32)
    """
    x = as_value(v, "diag", 0)
    if x.type.ndim == 1:
        return on_diagonal(x, integer(k, "diag", "k"))
    if x.type.ndim == 2:
        return diagonal(x, k)
    raise ValueError(f"diag takes a vector or a matrix, got an array of type {x.type}.")


def diagflat(v, k=0):
    """A matrix with all elements of an array on its k-th diagonal.

    Errors: TypeError for what is no array (lists included) or a `k` that is no integer.

    >>> import gnomon.numpy as jnp
    >>> diagflat(jnp.array([[1], [2]]))
    Array([[1, 0],
           [0, 2]], dtype=int32)
    """
    return on_diagonal(ravel(as_value(v, "diagflat", 0)), integer(k, "diagflat", "k"))


def fill_diagonal(a, val, wrap=False, *, inplace=True):
    """A matrix (or an array of more, equal dimensions) with `val` on its main diagonal; values are repeated as needed.

    inplace: must be False, since arrays are never written to; the result is a new one. wrap: in a tall matrix the diagonal
    begins anew below the square.
    Errors: TypeError for what is no array (lists included), ValueError for fewer than two dimensions or, in more than two,
    different sizes; Refused without inplace=False.

    >>> import gnomon.numpy as jnp
    >>> fill_diagonal(jnp.zeros((2, 2)), 7.0, inplace=False)
    Array([[7., 0.],
           [0., 7.]], dtype=float32)
    """
    if inplace:
        raise Refused("fill_diagonal cannot write to an array; say inplace=False and use the new array that it gives.")
    x, values = at_least_a_matrix(a, "fill_diagonal"), ravel(as_array(val, None, "fill_diagonal"))
    sizes = x.type.shape
    if len(sizes) > 2 and len(set(sizes)) > 1:
        raise ValueError(f"fill_diagonal takes a matrix or an array whose dimensions have one size, got shape {sizes}.")
    step = sizes[1] + 1 if len(sizes) == 2 else sum(sizes[0] ** i for i in range(len(sizes)))
    end = math.prod(sizes)
    if len(sizes) == 2 and not wrap:
        end = min(end, sizes[1] * sizes[1])
    places = np.arange(0, end, step)
    if not len(places) or not values.type.size:
        return x
    values = as_dtype(values, x.type.dtype)
    count = values.type.shape[0]
    if count == 1:
        values = broadcast(values, (len(places),), "fill_diagonal")
    else:
        values = slice_in_dim(tile(values, -(-len(places) // count)), 0, len(places), 0)
    after = math.prod(sizes) - (int(places[-1]) + 1)
    flat = pad(values, full_scalar(values, 0), ((0, after, step - 1),))
    mask = np.zeros(math.prod(sizes), bool)
    mask[places] = True
    return select_n(owned(mask.reshape(sizes)), x, reshape(flat, sizes))


# ---- triangles ----------------------------------------------------------------------------------------------------

def triangle(x, k):
    """A mask of the elements at and below the k-th diagonal, of the rank of `x`."""
    *batch, n, m = x.type.shape
    return expand_dims(below(n, m, k), tuple(range(len(batch))))


def tril(m, k=0):
    """With zeros above the k-th diagonal of the last two dimensions.

    Errors: TypeError for what is no array (lists included), ValueError for fewer than two dimensions.

    >>> import gnomon.numpy as jnp
    >>> tril(jnp.ones((2, 2)))
    Array([[1., 0.],
           [1., 1.]], dtype=float32)
    """
    x = at_least_a_matrix(m, "tril")
    return select_n(triangle(x, diagonal_number(k, "tril")), full_scalar(x, 0), x)


def triu(m, k=0):
    """With zeros below the k-th diagonal of the last two dimensions.

    Errors: TypeError for what is no array (lists included), ValueError for fewer than two dimensions.

    >>> import gnomon.numpy as jnp
    >>> triu(jnp.ones((2, 2)))
    Array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    x = at_least_a_matrix(m, "triu")
    return select_n(triangle(x, diagonal_number(k, "triu") - 1), x, full_scalar(x, 0))


# ---- indices ------------------------------------------------------------------------------------------------------

def as_indices(arrays):
    return tuple([owned(i.astype(default_int())) for i in arrays])


def matrix_shape(arr, name):
    sizes = sized(arr, name).shape
    if len(sizes) != 2:
        raise ValueError(f"{name} takes a matrix, got an array of shape {tuple(sizes)}.")
    return sizes


def tril_indices(n, k=0, m=None):
    """Row and column numbers of the elements at and below the k-th diagonal of an n x m matrix (n x n without m).

    Errors: TypeError for what is no integer.

    >>> tril_indices(2)
    (Array([0, 1, 1], dtype=int32), Array([0, 0, 1], dtype=int32))
    """
    return as_indices(np.tril_indices(integer(n, "tril_indices", "n"), diagonal_number(k, "tril_indices"),
                                      None if m is None else integer(m, "tril_indices", "m")))


def triu_indices(n, k=0, m=None):
    """Row and column numbers of the elements at and above the k-th diagonal of an n x m matrix (n x n without m).

    Errors: TypeError for what is no integer.

    >>> triu_indices(2)
    (Array([0, 0, 1], dtype=int32), Array([0, 1, 1], dtype=int32))
    """
    return as_indices(np.triu_indices(integer(n, "triu_indices", "n"), diagonal_number(k, "triu_indices"),
                                      None if m is None else integer(m, "triu_indices", "m")))


def tril_indices_from(arr, k=0):
    """`tril_indices` for the shape of a matrix.

    Errors: TypeError for what is no array (lists included), ValueError for anything but two dimensions.

    >>> tril_indices_from(np.ones((1, 2)))
    (Array([0], dtype=int32), Array([0], dtype=int32))
    """
    n, m = matrix_shape(arr, "tril_indices_from")
    return tril_indices(n, k, m)


def triu_indices_from(arr, k=0):
    """`triu_indices` for the shape of a matrix.

    Errors: TypeError for what is no array (lists included), ValueError for anything but two dimensions.

    >>> triu_indices_from(np.ones((1, 2)))
    (Array([0, 0], dtype=int32), Array([0, 1], dtype=int32))
    """
    n, m = matrix_shape(arr, "triu_indices_from")
    return triu_indices(n, k, m)


def diag_indices(n, ndim=2):
    """The indices of the main diagonal of an array with `ndim` dimensions of size n.

    Errors: ValueError for a negative size, TypeError for one that is no integer.

    >>> diag_indices(2)
    (Array([0, 1], dtype=int32), Array([0, 1], dtype=int32))
    """
    n, ndim = check_size(n, "The size given to diag_indices"), check_size(ndim, "The ndim given to diag_indices")
    return as_indices([np.arange(n)]) * ndim


def diag_indices_from(arr):
    """The indices of the main diagonal of an array whose dimensions all have one size.

    Errors: TypeError for what is no array (lists included), ValueError for fewer than two dimensions or different sizes.

    >>> diag_indices_from(np.ones((2, 2)))
    (Array([0, 1], dtype=int32), Array([0, 1], dtype=int32))
    """
    sizes = sized(arr, "diag_indices_from").shape
    if len(sizes) < 2 or len(set(sizes)) > 1:
        raise ValueError("diag_indices_from takes an array of at least 2 dimensions, all of one size, got shape "
                         f"{tuple(sizes)}.")
    return diag_indices(sizes[0], len(sizes))


def mask_indices(n, mask_func, k=0, *, size=None):
    """Row and column numbers of the elements that mask_func(ones of n x n, k) leaves nonzero.

    size: how many are given; more are cut off, missing ones are 0.
    Errors: TypeError for sizes that are no integers or a `mask_func` that is no function, ValueError for negative sizes.

    >>> mask_indices(2, triu)
    (Array([0, 0, 1], dtype=int32), Array([0, 1, 1], dtype=int32))
    """
    n = check_size(integer(n, "mask_indices", "n"), "The size given to mask_indices")
    mask = function_argument(mask_func, "mask_indices", "mask_func")(as_array(np.ones((n, n), np.int32), None, "mask_indices"), k)
    found = np.nonzero(np.asarray(mask))
    if size is not None:
        size = check_size(size, "The size given to mask_indices")
        found = [np.concatenate([i, np.zeros(max(0, size - len(i)), int)])[:size] for i in found]
    return as_indices(found)
