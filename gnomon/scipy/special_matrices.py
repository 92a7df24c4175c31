"""Matrices made by a rule: from vectors, or from a size alone."""
from __future__ import annotations

import math

import numpy as np

from gnomon import numpy as jnp
from gnomon.base.arguments import flag
from gnomon.numpy.axes import integer, one_of
from gnomon.numpy.composite import composite
from gnomon.numpy.creation import default_float, owned
from gnomon.numpy.promote import as_value, promote_dtypes, promote_inexact, requested_dtype
from gnomon.types.dtype import is_complex, is_key

__all__ = ["block_diag", "circulant", "companion", "convolution_matrix", "dft", "fiedler", "fiedler_companion", "hadamard", "hankel",
           "helmert", "hilbert", "invhilbert", "invpascal", "leslie", "pascal", "toeplitz"]


def vectors(x, name, argument=0):
    """Vectors in the last dimension."""
    return jnp.atleast_1d(as_value(x, name, argument))


# ---- from vectors ---------------------------------------------------------------------------------------------------

@composite
def block_diag(*arrs):
    """Matrices put along a diagonal, zeros elsewhere. Vectors count as rows, numbers as matrices of one element.

    >>> import gnomon.numpy as jnp
    >>> block_diag(jnp.ones((1, 2)), 3.0)
    Array([[1., 1., 0.],
           [0., 0., 3.]], dtype=float32)
    """
    xs = promote_dtypes("block_diag", *(arrs or (jnp.zeros((1, 0)),)))
    for i, x in enumerate(xs):
        if x.ndim > 2:
            raise ValueError(f"block_diag takes arrays of at most 2 dimensions, but argument {i} has type {x.type}.")
    xs = [jnp.atleast_2d(x) for x in xs]
    width, left, rows = sum(x.shape[1] for x in xs), 0, []
    for x in xs:
        rows.append(jnp.pad(x, ((0, 0), (left, width - left - x.shape[1]))))
        left += x.shape[1]
    return jnp.concatenate(rows, 0)


def shifted_rows(values, rows, columns):
    """values[..., rows - 1 - i + j] at row i and column j, for vectors of rows + columns - 1 elements: every row is the one above moved
    on by one place."""
    places = np.arange(rows)[::-1, None] + np.arange(columns)
    return values[..., places]


@composite
def toeplitz(c, r=None):
    """The matrix with first column c and first row r (by default the conjugate of c), equal along its diagonals; r[0] is not used.

    >>> import gnomon.numpy as jnp
    >>> toeplitz(jnp.array([1, 2]), jnp.array([0, 5, 6]))
    Array([[1, 5, 6],
           [2, 1, 5]], dtype=int32)
    """
    c = vectors(c, "toeplitz")
    r = jnp.conj(c) if r is None else vectors(r, "toeplitz", 1)
    c, r = promote_dtypes("toeplitz", c, r)
    n, m = c.shape[-1], r.shape[-1]
    if not (n and m):
        return jnp.zeros((*np.broadcast_shapes(c.shape[:-1], r.shape[:-1]), n, m), c.dtype)
    lead = np.broadcast_shapes(c.shape[:-1], r.shape[:-1])
    values = jnp.concatenate([jnp.broadcast_to(c[..., ::-1], (*lead, n)), jnp.broadcast_to(r[..., 1:], (*lead, m - 1))], -1)
    return shifted_rows(values, n, m)


@composite
def hankel(c, r=None):
    """The matrix with first column c and last row r (by default zeros), equal along its antidiagonals; r[0] is not used.

    >>> import gnomon.numpy as jnp
    >>> hankel(jnp.array([1, 2]), jnp.array([0, 5, 6]))
    Array([[1, 2, 5],
           [2, 5, 6]], dtype=int32)
    """
    c = vectors(c, "hankel")
    r = jnp.zeros_like(c) if r is None else vectors(r, "hankel", 1)
    c, r = promote_dtypes("hankel", c, r)
    lead, n, m = np.broadcast_shapes(c.shape[:-1], r.shape[:-1]), c.shape[-1], r.shape[-1]
    values = jnp.concatenate([jnp.broadcast_to(c, (*lead, n)), jnp.broadcast_to(r[..., 1:], (*lead, m - 1))], -1)
    return values[..., np.arange(n)[:, None] + np.arange(m)]


@composite
def circulant(c):
    """The square matrix with first column c whose columns are the first one turned by one place each.

    >>> import gnomon.numpy as jnp
    >>> circulant(jnp.array([1, 2, 3]))
    Array([[1, 3, 2],
           [2, 1, 3],
           [3, 2, 1]], dtype=int32)
    """
    c = vectors(c, "circulant")
    n = c.shape[-1]
    return c[..., (np.arange(n)[:, None] - np.arange(n)) % max(n, 1)]


@composite
def companion(a):
    """The matrix whose eigenvalues are the roots of the polynomial with coefficients a, the highest power's first.

    >>> import gnomon.numpy as jnp
    >>> companion(jnp.array([2.0, 4.0, 6.0]))
    Array([[-2., -3.],
           [ 1.,  0.]], dtype=float32)
    """
    a, = promote_inexact("companion", vectors(a, "companion"))
    n = a.shape[-1]
    if n < 2:
        raise ValueError(f"companion takes at least two coefficients, got {n}.")
    first = -a[..., 1:] / a[..., :1]
    rest = jnp.broadcast_to(jnp.eye(n - 2, n - 1, dtype=a.dtype), (*a.shape[:-1], n - 2, n - 1))
    return jnp.concatenate([first[..., None, :], rest], -2)


@composite(static=("n", "mode"))
def convolution_matrix(a, n, mode="full"):
    """The matrix whose product with a vector of n elements is its convolution with a. mode: as of numpy.convolve.

    >>> import gnomon.numpy as jnp
    >>> convolution_matrix(jnp.array([1, 2]), 2)
    Array([[1, 0],
           [2, 1],
           [0, 2]], dtype=int32)
    """
    a, n = vectors(a, "convolution_matrix"), integer(n, "convolution_matrix", "n")
    m = a.shape[-1]
    if not 0 < n < 1 << 31 or m == 0:
        raise ValueError(f"convolution_matrix takes a vector that is not empty and a positive n, got shape {a.shape} and n={n}.")
    one_of(mode, ("full", "same", "valid"), "convolution_matrix", "mode")
    places = np.arange(n + m - 1)[:, None] - np.arange(n)
    if mode == "same":
        size = max(n, m)
        start = (n + m - 1 - size) // 2
        places = places[start:start + size]
    elif mode == "valid":
        places = places[min(n, m) - 1:max(n, m)]
    inside = (places >= 0) & (places < m)
    return jnp.where(inside, a[..., np.clip(places, 0, m - 1)], jnp.zeros((), a.dtype))


@composite
def fiedler(a):
    """The matrix of distances |a[i] - a[j]|.

    >>> import gnomon.numpy as jnp
    >>> fiedler(jnp.array([1, 4]))
    Array([[0, 3],
           [3, 0]], dtype=int32)
    """
    a = vectors(a, "fiedler")
    return jnp.abs(a[..., :, None] - a[..., None, :])


@composite
def fiedler_companion(a):
    """The matrix of five diagonals whose eigenvalues are the roots of the polynomial with coefficients a, the highest power's first.

    >>> import gnomon.numpy as jnp
    >>> fiedler_companion(jnp.array([1.0, -3.0, 2.0])).shape
    (2, 2)
    """
    a, = promote_inexact("fiedler_companion", vectors(a, "fiedler_companion"))
    n = a.shape[-1] - 1
    if n <= 0:
        return jnp.zeros((*a.shape[:-1], 0, 0), a.dtype)
    c = -a[..., 1:] / a[..., :1]        # the negated coefficients of the monic polynomial
    if n == 1:
        return c[..., None]
    constant, sources, rows, columns = np.zeros((n, n)), [0], [0], [0]
    for k in range(0, n - 2, 2):
        constant[k, k + 2] = 1
    for k in range(0, n - 1, 2):
        sources, rows, columns = sources + [k + 1], rows + [k], columns + [k + 1]
    for k in range(1, n - 1, 2):
        sources, rows, columns = sources + [k + 1], rows + [k + 1], columns + [k]
    for k in range(1, n - 2, 2):
        constant[k + 2, k] = 1
    constant[1, 0] = 1
    out = jnp.broadcast_to(jnp.asarray(constant, a.dtype), (*a.shape[:-1], n, n))
    return out.at[..., np.array(rows), np.array(columns)].set(c[..., np.array(sources)])


@composite
def leslie(f, s):
    """The matrix with first row f and s below its diagonal: how a population moves on by one age.

    >>> import gnomon.numpy as jnp
    >>> leslie(jnp.array([0.5, 2.0]), jnp.array([0.25]))
    Array([[0.5 , 2.  ],
           [0.25, 0.  ]], dtype=float32)
    """
    f, s = promote_dtypes("leslie", vectors(f, "leslie"), vectors(s, "leslie", 1))
    n = f.shape[-1]
    if s.shape[-1] != n - 1:
        raise ValueError(f"leslie takes an s of one element less than f, got shapes {f.shape} and {s.shape}.")
    lead = np.broadcast_shapes(f.shape[:-1], s.shape[:-1])
    below = jnp.eye(n - 1, n, dtype=s.dtype) * s[..., :, None]
    return jnp.concatenate([jnp.broadcast_to(f[..., None, :], (*lead, 1, n)), jnp.broadcast_to(below, (*lead, n - 1, n))], -2)


# ---- from a size ----------------------------------------------------------------------------------------------------

LARGEST = 1 << 15        # a matrix of more rows has more than 4 GiB


def size_of(n, name):
    """The number of rows, which must be one that a matrix can have."""
    n = integer(n, name, "n")
    if not 0 <= n <= LARGEST:
        raise ValueError(f"{name} takes a size from 0 to {LARGEST}, got n={n}.")
    return n


def dft(n, scale=None, *, dtype=None):
    """The matrix of the discrete Fourier transform of n points; scale: None, 'sqrtn' or 'n', what it is divided by.

    >>> dft(2).real.tolist()
    [[1.0, 1.0], [1.0, -1.0]]
    """
    n = size_of(n, "dft")
    one_of(scale, (None, "sqrtn", "n"), "dft", "scale")
    turns = np.exp(-2j * np.pi * (np.outer(np.arange(n), np.arange(n)) % max(n, 1)) / max(n, 1))
    turns = turns / (1 if scale is None or n == 0 else math.sqrt(n) if scale == "sqrtn" else n)
    dtype = np.dtype("complex128" if default_float() == np.float64 else "complex64") if dtype is None else requested_dtype(dtype)
    if not is_complex(dtype):
        raise TypeError(f"dft takes a complex dtype, got {dtype}.")
    return owned(turns.astype(dtype))


def hadamard(n, dtype=int):
    """The Hadamard matrix of n = 2^k rows: 1 and -1, its rows orthogonal.

    >>> hadamard(2)
    Array([[ 1,  1],
           [ 1, -1]], dtype=int32)
    """
    n = size_of(n, "hadamard")
    if n < 1 or n & (n - 1):
        raise ValueError(f"hadamard takes a power of 2, got n={n}.")
    dtype = requested_dtype(dtype)
    if is_key(dtype):
        raise TypeError(f"hadamard takes a dtype of numbers, got {dtype}.")
    ones = np.bitwise_count(np.arange(n)[:, None] & np.arange(n))
    return owned((1 - 2 * (ones.astype(int) & 1)).astype(dtype))


def helmert(n, full=False):
    """The Helmert matrix of n - 1 orthonormal rows that each sum to 0; `full` has a first row of equal elements too.

    >>> helmert(2).tolist()
    [[0.7071067690849304, -0.7071067690849304]]
    """
    n = size_of(n, "helmert")
    full = flag(full, "helmert", "full")
    out = np.tril(np.ones((n, n)), -1) - np.diag(np.arange(n))
    if n:
        out[0] = 1
    out /= np.sqrt(np.maximum((out * out).sum(1, keepdims=True), 1e-300))
    return owned(out[0 if full else 1:].astype(default_float()))


def hilbert(n):
    """The matrix with elements 1 / (i + j + 1).

    >>> hilbert(2).tolist()
    [[1.0, 0.5], [0.5, 0.3333333432674408]]
    """
    n = size_of(n, "hilbert")
    return owned((1 / (np.arange(n)[:, None] + np.arange(n) + 1)).astype(default_float()))


def invhilbert(n):
    """The inverse of `hilbert`, whose elements are integers, as floats.

    >>> invhilbert(2)
    Array([[ 4., -6.],
           [-6., 12.]], dtype=float32)
    """
    n = size_of(n, "invhilbert")
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            s = i + j
            out[i, j] = ((-1) ** s * (s + 1) * math.comb(n + i, n - j - 1) * math.comb(n + j, n - i - 1) * math.comb(s, i) ** 2)
    return owned(out.astype(default_float()))


def binomials(n, kind, name):
    """Lower triangular Pascal matrix with exact elements."""
    one_of(kind, (None, "symmetric", "lower", "upper"), name, "kind")
    return np.array([[math.comb(i, j) for j in range(n)] for i in range(n)], object).reshape(n, n)


def pascal(n, kind=None):
    """Pascal's triangle as a matrix: 'symmetric' (the default), 'lower' or 'upper'. Floats.

    >>> pascal(3)
    Array([[1., 1., 1.],
           [1., 2., 3.],
           [1., 3., 6.]], dtype=float32)
    """
    lower = binomials(size_of(n, "pascal"), kind, "pascal")
    out = lower if kind == "lower" else lower.T if kind == "upper" else lower.dot(lower.T)
    return owned(np.ascontiguousarray(out.astype(default_float())))


def invpascal(n, kind=None):
    """The inverse of `pascal`.

    >>> invpascal(2)
    Array([[ 2., -1.],
           [-1.,  1.]], dtype=float32)
    """
    n = size_of(n, "invpascal")
    lower = binomials(n, kind, "invpascal") * (-1) ** (np.arange(n)[:, None] + np.arange(n))
    out = lower if kind == "lower" else lower.T if kind == "upper" else lower.T.dot(lower)
    return owned(np.ascontiguousarray(out.astype(default_float())))
