"""gnomon.numpy.linalg: linear systems, factors, eigenvalues, determinants and norms of lists of matrices.

Matrices stand in the last two dimensions; leading dimensions count lists of them. Integers and booleans are computed with as floats;
16-bit floats are refused.
"""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gnomon.base.arguments import flag
from gnomon.base.errors import Refused
from gnomon.numpy import products
from gnomon.numpy.axes import axis_tuple, integer, one_axis, one_of, sequence
from gnomon.numpy.composite import composite
from gnomon.numpy.creation import broadcast, default_int
from gnomon.numpy.manipulation import broadcast_shapes, matrix_transpose, moveaxis
from gnomon.numpy.matrices import diagonal as diagonals
from gnomon.numpy.norms import matrix_norm, norm, vector_norm
from gnomon.numpy.products import vecdot
from gnomon.numpy.promote import as_value, promote_inexact, to_inexact
from gnomon.ops import linalg_factored as factored
from gnomon.ops import shape as shape_ops
from gnomon.ops.arithmetic import absolute, add, div, mul, neg, sign, square, sub
from gnomon.ops.compare import bitwise_and, eq, ge, gt, ne, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import log
from gnomon.ops.indexing import take_along
from gnomon.ops.linalg_base import LETTERS, adjoint, eye_like, scale_columns, swap_last, take_columns
from gnomon.ops.linalg_base import diagonal as matrix_diagonal
from gnomon.ops.linalg_base import matmul as product
from gnomon.ops.linalg_eigen import Eig
from gnomon.ops.linalg_eigen import eigh as eigh_op
from gnomon.ops.linalg_eigen import svd as svd_op
from gnomon.ops.linalg_qr import geqrf
from gnomon.ops.linalg_qr import qr as qr_op
from gnomon.ops.linalg_triangular import cholesky as cholesky_op
from gnomon.ops.reductions import reduce_max, reduce_prod
from gnomon.ops.shape import StopGradient, expand_dims, full, reduce_sum, reshape, squeeze
from gnomon.ops.slicing import slice_in_dim
from gnomon.ops.sorting import argsort
from gnomon.trace.stage import bind
from gnomon.types.dtype import finfo, is_complex, is_key
from gnomon.types.size import broadcast_sizes

__all__ = ["EigResult", "EighResult", "QRResult", "SVDResult", "SlogdetResult", "cholesky", "cond", "cross", "det", "diagonal", "eig",
           "eigh", "eigvals", "eigvalsh", "inv", "lstsq", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot",
           "norm", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace",
           "vecdot", "vector_norm"]

_INT32 = np.dtype("int32")
_stop_gradient = StopGradient()


class EigResult(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    eigenvalues: object
    eigenvectors: object


class EighResult(NamedTuple):
    """Ascending eigenvalues, and eigenvectors as columns."""

    eigenvalues: object
    eigenvectors: object


class QRResult(NamedTuple):
    """Unitary Q and upper triangular R."""

    Q: object
    R: object


class SVDResult(NamedTuple):
    """Unitary U, singular values S in descending order, unitary Vh."""

    U: object
    S: object
    Vh: object


class SlogdetResult(NamedTuple):
    """The sign or phase of a determinant, and the logarithm of its modulus."""

    sign: object
    logabsdet: object


def as_matrices(x, name, argument="a", square=False):
    """Matrices as a value of a dtype that LAPACK has."""
    x = as_value(x, name, 0)
    if is_key(x.type.dtype):
        raise TypeError(f"{name} takes numbers as {argument}, got random keys of type {x.type}.")
    x = to_inexact(x)
    t = x.type
    if t.ndim < 2:
        raise ValueError(f"{name} takes matrices in the last two dimensions of {argument}, got an array of shape {t.shape}.")
    if square and t.shape[-1] != t.shape[-2]:
        raise ValueError(f"{name} takes square matrices in the last two dimensions of {argument}, got shape {t.shape}.")
    check_dtype(t, name)
    return x


def check_dtype(t, name):
    if t.dtype not in LETTERS:
        raise Refused(f"{name} computes in float32, float64, complex64 or complex128, not in {t.dtype}. Convert the array with "
                      ".astype('float32').")


def symmetrized(x):
    """Half the sum of matrices and their adjoints."""
    return div(add(x, adjoint(x)), full_scalar(x, 2))


# ---- factors --------------------------------------------------------------------------------------------------------

@composite(static=("upper", "symmetrize_input"))
def cholesky(a, *, upper=False, symmetrize_input=True):
    """The lower triangular L with L L^H = a, or with `upper` the upper triangular U with U^H U = a.

    a: (..., n, n), Hermitian and positive definite; where it is not positive definite the result is NaN. With `symmetrize_input` it is
    replaced by half its sum with its adjoint, else only its lower triangle is read (upper, with `upper`).
    Errors: TypeError for what is no array of numbers (lists included), ValueError where the last two dimensions are not equal.

    >>> import gnomon.numpy as jnp
    >>> cholesky(jnp.array([[4.0, 2.0], [2.0, 5.0]]))
    Array([[2., 0.],
           [1., 2.]], dtype=float32)
    """
    x = as_matrices(a, "cholesky", square=True)
    return cholesky_op(symmetrized(x) if symmetrize_input else x, bool(upper))


@composite(static=("mode",))
def qr(a, mode="reduced"):
    """Q R = a, with unitary Q and upper triangular R; a: (..., m, n).

    mode: 'reduced' (Q of min(m, n) columns), 'complete' (Q square), 'r' (R alone) or 'raw' (Householder vectors, transposed, and their
    factors, as LAPACK gives them).
    Errors: TypeError for what is no array of numbers (lists included), ValueError for fewer than two dimensions and for another
    mode.

    >>> import gnomon.numpy as jnp
    >>> q, r = qr(jnp.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> jnp.allclose(q @ r, jnp.array([[3.0, 1.0], [4.0, 2.0]]))
    Array(True, dtype=bool)
    """
    x = as_matrices(a, "qr")
    if one_of(mode, ("reduced", "complete", "r", "raw", "full"), "qr", "mode") == "raw":
        packed, taus = geqrf(x)
        return QRResult(swap_last(packed), taus)
    q, r = qr_op(x, full_matrices=mode in ("complete", "full"))
    return r if mode == "r" else QRResult(q, r)


@composite(static=("full_matrices", "compute_uv", "hermitian", "subset_by_index"))
def svd(a, full_matrices=True, compute_uv=True, hermitian=False, subset_by_index=None):
    """U, S, Vh with a = (U * S) Vh: unitary U and Vh, real S in descending order; a: (..., m, n).

    full_matrices: whether U is (..., m, m) and Vh (..., n, n), else they are (..., m, k) and (..., k, n) with k = min(m, n). compute_uv:
    without it the result is S alone. hermitian: a is Hermitian, and its eigenvalues are used. subset_by_index: (first, last), the range
    of singular values wanted.
    Errors: TypeError for what is no array of numbers (lists included), ValueError for fewer than two dimensions and for a range
    that is not within the singular values.

    >>> import gnomon.numpy as jnp
    >>> svd(jnp.array([[3.0, 0.0], [0.0, -4.0]])).S
    Array([4., 3.], dtype=float32)
    """
    if subset_by_index is not None:
        subset_by_index = tuple([integer(i, "svd", "subset_by_index") for i in sequence(subset_by_index, "svd", "subset_by_index", "two places")])
        if len(subset_by_index) != 2:
            raise ValueError(f"svd takes the first and the last place as subset_by_index, got {subset_by_index}.")
    full_matrices, compute_uv = flag(full_matrices, "svd", "full_matrices"), flag(compute_uv, "svd", "compute_uv")
    hermitian = flag(hermitian, "svd", "hermitian")
    x = as_matrices(a, "svd", square=hermitian)
    if hermitian and subset_by_index is not None and not 0 <= subset_by_index[0] < subset_by_index[1] <= x.type.shape[-1]:
        raise ValueError(f"svd of a matrix of size {x.type.shape[-1]} has no singular values from {subset_by_index[0]} to {subset_by_index[1]}.")
    if hermitian:
        return hermitian_svd(x, compute_uv, subset_by_index)
    found = svd_op(x, bool(full_matrices), bool(compute_uv), subset_by_index=subset_by_index)
    return SVDResult(found[1], found[0], found[2]) if compute_uv else found[0]


def hermitian_svd(x, compute_uv, subset):
    """The singular value decomposition from eigenvalues and eigenvectors."""
    v, w = eigh_op(x)
    last = w.type.ndim - 1
    order = argsort(neg(absolute(w)), last)
    w = take_along(w, order, last)
    v = take_columns(v, order)
    if subset is not None:
        w, v = slice_in_dim(w, *subset, last), slice_in_dim(v, *subset, last + 1)
    s = absolute(w)
    return SVDResult(v, s, adjoint(scale_columns(v, sign(w)))) if compute_uv else s


@composite
def svdvals(x, /):
    """Singular values in descending order; x: (..., m, n).

    Errors: TypeError for what is no array of numbers (lists included), ValueError for fewer than two dimensions.

    >>> import gnomon.numpy as jnp
    >>> svdvals(jnp.diag(jnp.array([1.0, 2.0])))
    Array([2., 1.], dtype=float32)
    """
    return svd_op(as_matrices(x, "svdvals", "x"), compute_uv=False)[0]


# ---- eigenvalues ----------------------------------------------------------------------------------------------------

def reads_lower(UPLO, name):
    if UPLO in (None, "L"):
        return True
    if UPLO == "U":
        return False
    raise ValueError(f"{name} takes UPLO='L' or 'U', got {UPLO!r}.")


@composite(static=("UPLO", "symmetrize_input"))
def eigh(a, UPLO=None, symmetrize_input=True):
    """Ascending eigenvalues and, as columns, unit eigenvectors of Hermitian matrices; a: (..., n, n).

    UPLO: the triangle to read, 'L' or 'U', where not `symmetrize_input`, which replaces a by half its sum with its adjoint.

    In derivatives the eigenvectors of equal eigenvalues stand still within the space that they span. That is right for what depends on
    that space alone (sums of eigenvalues, projectors); a function of the matrix such as ``(v * f(w)) @ v.T`` lacks a part of its
    derivative there, so use one that is made for it (`gnomon.scipy.linalg.sqrtm`, `expm`).
    Errors: TypeError for what is no array of numbers (lists included), ValueError where the last two dimensions are not equal and
    for another `UPLO`.

    >>> import gnomon.numpy as jnp
    >>> eigh(jnp.array([[2.0, 1.0], [1.0, 2.0]])).eigenvalues
    Array([1., 3.], dtype=float32)
    """
    x = as_matrices(a, "eigh", square=True)
    v, w = eigh_op(symmetrized(x) if symmetrize_input else x, reads_lower(UPLO, "eigh"))
    return EighResult(w, v)


@composite(static=("UPLO", "symmetrize_input"))
def eigvalsh(a, UPLO="L", *, symmetrize_input=True):
    """Ascending eigenvalues of Hermitian matrices; see `eigh`.

    Errors: TypeError for what is no array of numbers (lists included), ValueError where the last two dimensions are not equal and
    for another `UPLO`.

    >>> import gnomon.numpy as jnp
    >>> eigvalsh(jnp.array([[2.0, 1.0], [1.0, 2.0]]))
    Array([1., 3.], dtype=float32)
    """
    x = as_matrices(a, "eigvalsh", square=True)
    return eigh_op(symmetrized(x) if symmetrize_input else x, reads_lower(UPLO, "eigvalsh"), compute_vectors=False)[0]


@composite
def eig(a):
    """Eigenvalues and, as columns, unit eigenvectors of general matrices, both complex; a: (..., n, n). CPU only.

    Errors: TypeError for what is no array of numbers (lists included), ValueError where the last two dimensions are not equal.

    >>> import gnomon.numpy as jnp
    >>> eig(jnp.array([[0.0, 1.0], [-1.0, 0.0]])).eigenvalues
    Array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    return EigResult(*bind(Eig(False, True, False, None), as_matrices(a, "eig", square=True)))


@composite
def eigvals(a):
    """Eigenvalues of general matrices, complex; a: (..., n, n). CPU only.

    Errors: TypeError for what is no array of numbers (lists included), ValueError where the last two dimensions are not equal.

    >>> import gnomon.numpy as jnp
    >>> eigvals(jnp.array([[0.0, 1.0], [-1.0, 0.0]]))
    Array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    return bind(Eig(False, False, False, None), as_matrices(a, "eigvals", square=True))[0]


# ---- linear systems -------------------------------------------------------------------------------------------------

@composite
def solve(a, b):
    """The x with a x = b; a: (..., n, n), b: (n,) or (..., n, k), the leading dimensions broadcast. Infinite or NaN where a is singular.

    Errors: TypeError for what is no array of numbers (lists included), ValueError where `a` is not square or `b` has another number
    of rows.

    >>> import gnomon.numpy as jnp
    >>> solve(jnp.array([[2.0, 0.0], [0.0, 4.0]]), jnp.array([2.0, 8.0]))
    Array([1., 2.], dtype=float32)
    """
    a, b = promote_inexact("solve", a, b)
    a = as_matrices(a, "solve", square=True)
    if not b.type.ndim or b.type.shape[-2 if b.type.ndim > 1 else -1] != a.type.shape[-1]:
        raise ValueError(f"solve needs right sides b of shape (n,) or (..., n, k) with n = {a.type.shape[-1]}, got shapes "
                         f"{a.type.shape} and {b.type.shape}. For a list of vectors give b[..., None] and squeeze the result.")
    return solved(a, b)


def solved(a, b):
    """`solve` for values of one dtype with shapes that fit."""
    if b.type.ndim == 1:
        return squeeze(solved(a, expand_dims(b, (1,))), (a.type.ndim - 1,))
    factors = factored.factored(a)
    if a.type.ndim == 2 and b.type.ndim > 2:
        return per_matrix(lambda columns: factored.solve(a, columns, factors), b)
    lead = broadcast_shapes(a.type.shape[:-2], b.type.shape[:-2])
    if a.type.shape[:-2] != lead:
        a = broadcast(a, (*lead, *a.type.shape[-2:]), "solve")
        factors = factored.factored(a)
    return factored.solve(a, broadcast(b, (*lead, *b.type.shape[-2:]), "solve"), factors)


def per_matrix(function, b):
    """A function of the columns of one matrix, applied to a list of matrices side by side."""
    *lead, n, k = b.type.shape
    rank = len(lead)
    wide = reshape(moveaxis(b, rank, 0), (n, math.prod(lead) * k))
    return moveaxis(reshape(function(wide), (n, *lead, k)), 0, rank)


@composite
def inv(a):
    """The inverse of square matrices; a: (..., n, n). Infinite or NaN where a is singular.

    Errors: TypeError for what is no array of numbers (lists included), ValueError where the last two dimensions are not equal.

    >>> import gnomon.numpy as jnp
    >>> inv(jnp.array([[2.0, 0.0], [0.0, 4.0]]))
    Array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    x = as_matrices(a, "inv", square=True)
    return factored.solve(x, eye_like(x))


def tensorinv(a, ind=2):
    """The inverse of an array as a matrix whose rows are its first `ind` dimensions and whose columns are the rest.

    Errors: TypeError for what is no array of numbers (lists included), ValueError where the sizes before and after `ind` have
    different products, and for ind < 1.

    >>> import gnomon.numpy as jnp
    >>> tensorinv(2 * jnp.eye(4).reshape(2, 2, 4)).shape
    (4, 2, 2)
    """
    a, ind = to_inexact(as_value(a, "tensorinv", 0)), integer(ind, "tensorinv", "ind")
    if ind <= 0:
        raise ValueError(f"tensorinv takes a positive ind, got {ind}.")
    rows, columns = a.type.shape[:ind], a.type.shape[ind:]
    if math.prod(rows) != math.prod(columns):
        raise ValueError(f"tensorinv needs as many rows as columns, got {math.prod(rows)} and {math.prod(columns)} of shape {a.type.shape} "
                         f"with ind={ind}.")
    return reshape(inv(reshape(a, (math.prod(rows), math.prod(columns)))), (*columns, *rows))


def tensorsolve(a, b, axes=None):
    """The x with tensordot(a, x, x.ndim) = b. axes: dimensions of a to move to the end first.

    Errors: TypeError for what is no array of numbers (lists included), ValueError where the sizes do not make a square system,
    AxisError for axes out of bounds.

    >>> import gnomon.numpy as jnp
    >>> tensorsolve(jnp.eye(4).reshape(2, 2, 4), jnp.ones((2, 2)))
    Array([1., 1., 1., 1.], dtype=float32)
    """
    a, b = promote_inexact("tensorsolve", a, b)
    if axes is not None:
        given = axis_tuple(axes, a.type.ndim, "tensorsolve", "axes")
        a = shape_ops.transpose(a, (*[i for i in range(a.type.ndim) if i not in given], *given))
    shape = a.type.shape[b.type.ndim:]
    if math.prod(shape) != b.type.size or a.type.size != b.type.size ** 2:
        raise ValueError(f"tensorsolve needs an a whose first dimensions are those of b and whose other sizes have the same product, got "
                         f"shapes {a.type.shape} and {b.type.shape}.")
    return reshape(solve(reshape(a, (b.type.size, b.type.size)), reshape(b, (b.type.size,))), shape)


def lstsq(a, b, rcond=None, *, numpy_resid=False):
    """The x of least norm among those that make the norm of b - a x least; with it the squared norms of those residuals, the rank of a
    and its singular values.

    a: (m, n), b: (m,) or (m, k). rcond: singular values below rcond times the largest count as 0 (by default the dtype's eps times
    max(m, n)). numpy_resid: residuals are given only where NumPy gives them, which needs a's numbers.
    Errors: TypeError for what is no array of numbers (lists included), ValueError for other than a matrix and a vector or matrix
    with as many rows.

    >>> import gnomon.numpy as jnp
    >>> x, residuals, rank, s = lstsq(jnp.array([[1.0], [1.0]]), jnp.array([1.0, 3.0]))
    >>> jnp.round(x, 3), jnp.round(residuals, 3)
    (Array([2.], dtype=float32), Array([2.], dtype=float32))
    """
    x, residuals, rank, s = _lstsq(a, b, rcond)
    if flag(numpy_resid, "lstsq", "numpy_resid"):
        m, n = np.shape(a)
        if int(rank) < n or m <= n:
            residuals = slice_in_dim(residuals, 0, 0, 0)
    return x, residuals, rank, s


@composite
def _lstsq(a, b, rcond):
    a, b = promote_inexact("lstsq", a, b)
    a = as_matrices(a, "lstsq")
    m, n = a.type.shape[-2:]
    if a.type.ndim != 2 or b.type.ndim not in (1, 2) or b.type.shape[0] != m:
        raise ValueError(f"lstsq takes a of shape (m, n) and b of shape (m,) or (m, k), got {a.type.shape} and {b.type.shape}.")
    vector = b.type.ndim == 1
    b = expand_dims(b, (1,)) if vector else b
    eps = float(finfo(a.type.dtype).eps)
    rcond = max(m, n) * eps if rcond is None else rcond
    s, = svd_op(a, compute_uv=False)
    inverse, rank = pseudo_inverse(a, rcond)
    x = product(inverse, b)
    left = sub(b, product(a, x))
    residuals = reduce_sum(square(absolute(left)), (0,))
    return squeeze(x, (1,)) if vector else x, residuals, rank, s


def pseudo_inverse(x, rtol, hermitian=False):
    """The pseudo-inverse, and how many singular values are above rtol times the largest one."""
    fixed = bind(_stop_gradient, x)
    u, s, vh = hermitian_svd(fixed, True, None) if hermitian else (lambda s, u, vh: (u, s, vh))(*svd_op(fixed, False))
    last = s.type.ndim - 1
    rtol = convert_element_type(as_value(rtol, "rtol"), s.type.dtype)
    rtol = expand_dims(rtol, (last,)) if rtol.type.ndim else rtol
    largest = slice_in_dim(s, 0, min(1, s.type.shape[last]), last)
    counts = gt(s, mul(largest, rtol)) if s.type.size else ge(s, full_scalar(s, 0))
    inverse = select_n(counts, full_scalar(s, 0), div(full_scalar(s, 1), select_n(counts, full_scalar(s, 1), s)))
    value = product(scale_columns(adjoint(vh), inverse), adjoint(u))
    rank = reduce_sum(convert_element_type(counts, _INT32), (last,))
    return factored.pseudo_inverse(x, value), rank


def pinv(a, rtol=None, hermitian=False, *, rcond=None):
    """The pseudo-inverse (Moore-Penrose) of matrices; a: (..., m, n).

    rtol (older name rcond): singular values not above rtol times the largest count as 0; by default 10 max(m, n) times the dtype's
    eps. hermitian: a is Hermitian, and its eigenvalues are used.
    Errors: TypeError for what is no array of numbers (lists included), ValueError for fewer than two dimensions.

    >>> import gnomon.numpy as jnp
    >>> pinv(jnp.array([[2.0], [0.0]]))
    Array([[0.5, 0. ]], dtype=float32)
    """
    if rcond is not None:
        if rtol is not None:
            raise TypeError("pinv takes rtol or its older name rcond, not both.")
        rtol = rcond
    return _pinv(a, rtol, hermitian=flag(hermitian, "pinv", "hermitian"))


def bound(x, name, argument):
    """Bounds that are real numbers; TypeError for others."""
    x = as_value(x, f"{name}({argument}=...)")
    if is_key(x.type.dtype) or is_complex(x.type.dtype):
        raise TypeError(f"{name} takes real numbers as {argument}, got type {x.type}.")
    return x


@composite(static=("hermitian",))
def _pinv(a, rtol, hermitian):
    x = as_matrices(a, "pinv", square=hermitian)
    if rtol is None:
        rtol = 10 * max(x.type.shape[-2:]) * float(finfo(x.type.dtype).eps)
    rtol, lead = bound(rtol, "pinv", "rtol"), x.type.shape[:-2]
    if broadcast_sizes([rtol.type.shape, lead]) != lead:
        raise TypeError(f"pinv takes a number for each matrix as rtol, of a shape that broadcasts to {lead}, got type {rtol.type}.")
    return pseudo_inverse(x, rtol, hermitian)[0]


def matrix_rank(M, rtol=None, *, hermitian=False, tol=None):
    """How many singular values are larger than rtol times the largest one, or larger than `tol`; M: (..., m, n).

    By default rtol is max(m, n) times the dtype's eps. A vector or number has rank 1 unless it is 0.
    Errors: TypeError for what is no array of numbers (lists included) and tolerances whose shapes do not broadcast, ValueError where a
    Hermitian matrix is not square.

    >>> import gnomon.numpy as jnp
    >>> matrix_rank(jnp.ones((2, 2)))
    Array(1, dtype=int32)
    """
    if tol is not None and rtol is not None:
        raise ValueError("matrix_rank takes rtol or tol, not both.")
    return _matrix_rank(M, rtol, tol, hermitian=flag(hermitian, "matrix_rank", "hermitian"))


@composite(static=("hermitian",))
def _matrix_rank(M, rtol, tol, hermitian):
    x, dtype = to_inexact(as_value(M, "matrix_rank", 0)), default_int()
    if x.type.ndim < 2:
        return reduce_max(convert_element_type(ne(x, full_scalar(x, 0)), dtype), tuple(range(x.type.ndim)))
    x = as_matrices(x, "matrix_rank", "M", square=hermitian)
    s = hermitian_svd(x, False, None) if hermitian else svd_op(x, compute_uv=False)[0]
    if tol is None and rtol is None:
        rtol = max(x.type.shape[-2:]) * float(finfo(x.type.dtype).eps)
    limit = bound(rtol if tol is None else tol, "matrix_rank", "rtol" if tol is None else "tol")
    if broadcast_sizes([limit.type.shape, s.type.shape[:-1]]) is None:
        raise TypeError(f"matrix_rank takes tolerances that broadcast with the dimensions before the matrices, {s.type.shape[:-1]}, got type {limit.type}.")
    limit = convert_element_type(limit, s.type.dtype)
    rank = max(s.type.ndim - 1, limit.type.ndim)        # tolerances broadcast against the dimensions before the matrices
    s, limit = leading(s, rank + 1), leading(limit, rank)
    if tol is None:
        limit = mul(reduce_max(s, (rank,)), limit)
    limit = expand_dims(limit, (rank,)) if limit.type.ndim else limit
    return reduce_sum(convert_element_type(gt(s, limit), dtype), (rank,))


def leading(x, rank):
    """With dimensions of size 1 before its own, unless it is a scalar."""
    return expand_dims(x, tuple(range(rank - x.type.ndim))) if 0 < x.type.ndim < rank else x


@composite(static=("p",))
def cond(x, p=None):
    """The condition number of matrices: the norm of x times the norm of its inverse; x: (..., m, n).

    p: None and 2 (largest by smallest singular value), -2, or a norm of `matrix_norm`, for square matrices.
    Errors: TypeError for what is no array of numbers (lists included), ValueError for fewer than two dimensions and for another
    `p`.

    >>> import gnomon.numpy as jnp
    >>> cond(jnp.diag(jnp.array([1.0, 4.0])))
    Array(4., dtype=float32)
    """
    x = as_matrices(x, "cond", "x", square=p not in (None, 2, -2))
    if p in (None, 2, -2):
        s, = svd_op(x, compute_uv=False)
        last = s.type.ndim - 1
        first, end = (squeeze(slice_in_dim(s, i, i + 1, last), (last,)) for i in (0, s.type.shape[last] - 1))
        return div(end, first) if p == -2 else div(first, end)
    out = mul(matrix_norm(x, ord=p), matrix_norm(inv(x), ord=p))
    # of a singular matrix infinite, of one with NaN it is NaN
    singular = bitwise_and(ne(out, out), eq(matrix_norm(x, ord=p), matrix_norm(x, ord=p)))
    return select_n(singular, out, full_scalar(out, math.inf))


# ---- determinants ---------------------------------------------------------------------------------------------------

@composite
def det(a):
    """The determinant of square matrices; a: (..., n, n). Its gradient is that of the polynomial it is, for singular matrices too.

    Errors: TypeError for what is no array of numbers (lists included), ValueError where the last two dimensions are not equal.

    >>> import gnomon.numpy as jnp
    >>> det(jnp.array([[1.0, 2.0], [3.0, 4.0]]))
    Array(-2., dtype=float32)
    """
    x = to_inexact(as_value(a, "det", 0))
    if x.type.ndim < 2 or x.type.shape[-1] != x.type.shape[-2]:
        raise ValueError(f"det takes square matrices in the last two dimensions of a, got shape {x.type.shape}.")
    n = x.type.shape[-1]
    if n > 3:
        check_dtype(x.type, "det")
        return factored.determinant(x)
    return minor(x, tuple(range(n)), tuple(range(n)))


def minor(x, rows, columns):
    """The determinant of the elements in some rows and columns, three at most, written out."""
    if not rows:
        return full(x.type.with_shape(x.type.shape[:-2]), 1)
    if len(rows) == 1:
        return element(x, rows[0], columns[0])
    total = None
    for i, c in enumerate(columns):
        term = mul(element(x, rows[0], c), minor(x, rows[1:], columns[:i] + columns[i + 1:]))
        total = term if total is None else sub(total, term) if i % 2 else add(total, term)
    return total


def element(x, i, j):
    """x[..., i, j]"""
    lead = x.type.ndim - 2
    return squeeze(slice_in_dim(slice_in_dim(x, i, i + 1, lead), j, j + 1, lead + 1), (lead, lead + 1))


@composite(static=("method",))
def slogdet(a, *, method=None):
    """The sign of the determinant (the phase, of complex matrices) and the logarithm of its modulus; a: (..., n, n).

    method: 'lu' (the default) or 'qr', by whose factors they are computed. Of singular matrices they are 0 and -inf.
    Errors: TypeError for what is no array of numbers (lists included), ValueError where the last two dimensions are not equal and
    for another method.

    >>> import gnomon.numpy as jnp
    >>> slogdet(jnp.array([[0.0, 2.0], [2.0, 0.0]]))
    SlogdetResult(sign=Array(-1., dtype=float32), logabsdet=Array(1.3862944, dtype=float32))
    """
    x = as_matrices(a, "slogdet", square=True)
    if method in (None, "lu"):
        return SlogdetResult(*factored.log_determinant(x))
    if method != "qr":
        raise ValueError(f"slogdet takes method 'lu' or 'qr', got {method!r}.")
    q, r = qr_op(x)
    d = matrix_diagonal(r)
    last = (d.type.ndim - 1,)
    turn, _ = factored.log_determinant(q)
    return SlogdetResult(mul(turn, reduce_prod(sign(d), last)), reduce_sum(log(absolute(d)), last))


# ---- products -------------------------------------------------------------------------------------------------------

def matrix_power(a, n):
    """The n-th power of square matrices, for any integer n (negative ones of the inverse); a: (..., n, n). Integers and booleans stay what
    they are where n is not negative.

    Errors: TypeError for what is no array (lists included) or a power that is no integer, ValueError where the last two dimensions
    are not equal.

    >>> import gnomon.numpy as jnp
    >>> matrix_power(jnp.array([[1, 1], [0, 1]]), 5)
    Array([[1, 5],
           [0, 1]], dtype=int32)
    """
    x, n = as_value(a, "matrix_power", 0), integer(n, "matrix_power", "n")
    if x.type.ndim < 2 or x.type.shape[-1] != x.type.shape[-2]:
        raise ValueError(f"matrix_power takes square matrices in the last two dimensions of a, got shape {x.type.shape}.")
    return _matrix_power(x, n)


@composite(static=("n",))
def _matrix_power(x, n):
    if n < 0:
        x, n = inv(x), -n
    if n == 0:
        return eye_like(x)
    power, squared = None, x
    while n:
        if n & 1:
            power = squared if power is None else products.matmul(power, squared)
        n >>= 1
        if n:
            squared = products.matmul(squared, squared)
    return power


def matmul(x1, x2, /, *, precision=None, preferred_element_type=None):
    """The matrix product; see numpy.matmul.

    Errors: TypeError for what is no array (lists included) and sizes that differ, ValueError for arrays without dimensions.

    >>> import gnomon.numpy as jnp
    >>> matmul(jnp.eye(2), jnp.ones(2))
    Array([1., 1.], dtype=float32)
    """
    return products.matmul(x1, x2, precision=precision, preferred_element_type=preferred_element_type)


def outer(x1, x2, /):
    """The products of every element of a vector with every element of another.

    Errors: TypeError for what is no array (lists included), ValueError for what is no vector.

    >>> import gnomon.numpy as jnp
    >>> outer(jnp.arange(2), jnp.arange(2))
    Array([[0, 0],
           [0, 1]], dtype=int32)
    """
    x1, x2 = as_value(x1, "outer", 0), as_value(x2, "outer", 1)
    if x1.type.ndim != 1 or x2.type.ndim != 1:
        raise ValueError(f"linalg.outer takes two vectors, got shapes {x1.type.shape} and {x2.type.shape}.")
    return products.outer(x1, x2)


def tensordot(x1, x2, /, *, axes=2, precision=None, preferred_element_type=None, out_sharding=None):
    """Sums of products over several dimensions of both arrays; see numpy.tensordot.

    Errors: TypeError for what is no array (lists included) and sizes that differ, AxisError for axes out of bounds, ValueError for
    an unknown precision.

    >>> import gnomon.numpy as jnp
    >>> tensordot(jnp.ones((2, 3)), jnp.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    return products.tensordot(x1, x2, axes, precision=precision, preferred_element_type=preferred_element_type,
                              out_sharding=out_sharding)


def multi_dot(arrays, *, precision=None):
    """The product of a list of matrices, multiplied in the order that takes the fewest operations. The first and the last may be vectors.

    Errors: TypeError for what is no sequence of arrays and for sizes that differ, ValueError for fewer than two.

    >>> import gnomon.numpy as jnp
    >>> multi_dot([jnp.ones((2, 3)), jnp.ones((3, 1)), jnp.ones((1, 4))]).shape
    (2, 4)
    """
    xs = [as_value(x, "multi_dot", i) for i, x in enumerate(sequence(arrays, "multi_dot", "arrays", "matrices"))]
    if len(xs) < 2:
        raise ValueError(f"multi_dot takes at least two arrays, got {len(xs)}.")
    if any(x.type.ndim != 2 for x in xs[1:-1]) or any(x.type.ndim not in (1, 2) for x in (xs[0], xs[-1])):
        raise ValueError("multi_dot takes matrices, and vectors at the ends, got shapes "
                         f"{', '.join(str(x.type.shape) for x in xs)}.")
    first, last = xs[0].type.ndim == 1, xs[-1].type.ndim == 1
    if first:
        xs[0] = expand_dims(xs[0], (0,))
    if last:
        xs[-1] = expand_dims(xs[-1], (1,))
    out = in_cheapest_order(xs, precision)
    return squeeze(out, (0,) * first + (1,) * last)


def in_cheapest_order(xs, precision):
    """The product of matrices in the order that takes the fewest multiplications."""
    sizes = [x.type.shape[0] for x in xs] + [xs[-1].type.shape[1]]
    best = {(i, i): (0, None) for i in range(len(xs))}
    for length in range(1, len(xs)):
        for i in range(len(xs) - length):
            j = i + length
            best[i, j] = min((best[i, k][0] + best[k + 1, j][0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))

    def multiplied(i, j):
        if i == j:
            return xs[i]
        k = best[i, j][1]
        return products.matmul(multiplied(i, k), multiplied(k + 1, j), precision=precision)
    return multiplied(0, len(xs) - 1)


def cross(x1, x2, /, *, axis=-1):
    """The cross product of vectors of three components along an axis.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for vectors of other
    than 3 components.

    >>> import gnomon.numpy as jnp
    >>> cross(jnp.array([1, 0, 0]), jnp.array([0, 1, 0]))
    Array([0, 0, 1], dtype=int32)
    """
    x1, x2 = as_value(x1, "cross", 0), as_value(x2, "cross", 1)
    if any(x.type.shape[one_axis(axis, x.type.ndim, "linalg.cross")] != 3 for x in (x1, x2)):
        raise ValueError(f"linalg.cross takes vectors of 3 components along axis {axis}, got shapes {x1.type.shape} and {x2.type.shape}.")
    return products.cross(x1, x2, axis=axis)


def diagonal(x, /, *, offset=0):
    """The diagonals of the matrices in the last two dimensions, `offset` above the main ones.

    Errors: TypeError for what is no array (lists included), ValueError for fewer than two dimensions.

    >>> import gnomon.numpy as jnp
    >>> diagonal(jnp.eye(2))
    Array([1., 1.], dtype=float32)
    """
    return diagonals(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals of the matrices in the last two dimensions.

    Errors: TypeError for what is no array (lists included), ValueError for fewer than two dimensions.

    >>> import gnomon.numpy as jnp
    >>> trace(jnp.eye(2))
    Array(2., dtype=float32)
    """
    return products.trace(x, offset, -2, -1, dtype)
