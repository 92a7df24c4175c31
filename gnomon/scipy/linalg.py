"""gnomon.scipy.linalg: linear systems, factors, functions of matrices and special matrices, with SciPy's conventions.

The arguments overwrite_a, overwrite_b, check_finite, debug and lwork have no effect: arrays are never written to, and their numbers are
not looked at.
"""
from __future__ import annotations

import numpy as np

from gnomon import lax
from gnomon import numpy as jnp
from gnomon.base.arguments import flag
from gnomon.base.errors import Refused
from gnomon.numpy import linalg as numpy_linalg
from gnomon.numpy.axes import integer, one_of, pair_of
from gnomon.numpy.composite import composite
from gnomon.numpy.linalg import as_matrices
from gnomon.numpy.promote import promote_inexact
from gnomon.ops.linalg_base import adjoint
from gnomon.ops.linalg_lu import inverse_permutation, solve_factored
from gnomon.ops.linalg_triangular import cholesky as cholesky_factor
from gnomon.scipy.floats import a_number
from gnomon.scipy.matrix_functions import expm, expm_frechet, funm, polar, rsf2csf, schur, solve_sylvester, sqrtm
from gnomon.scipy.special_matrices import (block_diag, circulant, companion, convolution_matrix, dft, fiedler, fiedler_companion,
                                           hadamard, hankel, helmert, hilbert, invhilbert, invpascal, leslie, pascal, toeplitz)

__all__ = ["block_diag", "cho_factor", "cho_solve", "cholesky", "circulant", "companion", "convolution_matrix", "det", "dft", "eigh",
           "eigh_tridiagonal", "expm", "expm_frechet", "fiedler", "fiedler_companion", "funm", "hadamard", "hankel", "helmert",
           "hessenberg", "hilbert", "inv", "invhilbert", "invpascal", "leslie", "lu", "lu_factor", "lu_solve", "pascal", "polar", "qr",
           "qr_multiply", "rsf2csf", "schur", "solve", "solve_sylvester", "solve_triangular", "sqrtm", "svd", "toeplitz"]


# ---- Cholesky -------------------------------------------------------------------------------------------------------

@composite(static=("lower", "name"))
def _cholesky(a, lower, name):
    x = as_matrices(a, name, square=True)
    return cholesky_factor(x, not lower)


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """The upper triangular U with U^H U = a, or with `lower` the lower triangular L with L L^H = a; a: (..., n, n), of which that triangle
    is read. NaN where a is not positive definite.

    >>> import gnomon.numpy as jnp
    >>> cholesky(jnp.array([[4.0, 2.0], [2.0, 5.0]]))
    Array([[2., 1.],
           [0., 2.]], dtype=float32)
    """
    return _cholesky(a, lower=flag(lower, "cholesky", "lower"), name="cholesky")


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """(c, lower), the Cholesky factor of `a` for `cho_solve`; see `cholesky`.

    >>> import gnomon.numpy as jnp
    >>> cho_factor(jnp.eye(2))[1]
    False
    """
    lower = flag(lower, "cho_factor", "lower")
    return _cholesky(a, lower=lower, name="cho_factor"), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """The x with a x = b, from `cho_factor(a)`; b: (n,) or (..., n, k).

    >>> import gnomon.numpy as jnp
    >>> cho_solve(cho_factor(jnp.array([[4.0, 0.0], [0.0, 1.0]])), jnp.array([4.0, 2.0]))
    Array([1., 2.], dtype=float32)
    """
    c, lower = pair_of(c_and_lower, "cho_solve", "c_and_lower", "what cho_factor returned")
    return _cho_solve(c, b, lower=flag(lower, "cho_solve", "lower"), name="cho_solve")


@composite(static=("lower", "name"))
def _cho_solve(c, b, lower, name):
    c, b, vector = system(c, b, name, "c")
    options = dict(left_side=True, lower=lower, conjugate_a=True)
    inside = lax.linalg.triangular_solve(c, b, transpose_a=not lower, **{**options, "conjugate_a": not lower})
    x = lax.linalg.triangular_solve(c, inside, transpose_a=lower, **{**options, "conjugate_a": lower})
    return x[..., 0] if vector else x


def system(a, b, name, argument="a"):
    """A matrix and right sides of one dtype with as many leading dimensions; and whether b was a vector for each matrix."""
    a, b = promote_inexact(name, a, b)
    a = as_matrices(a, name, argument, square=True)
    n = a.shape[-1]
    vector = b.ndim == 1 or b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]
    if not b.ndim or b.shape[-1 if vector else -2] != n:
        raise ValueError(f"{name} needs a b of shape (n,) or (..., n, k) with n = {n}, got shapes {a.shape} and {b.shape}.")
    b = b[..., None] if vector else b
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return jnp.broadcast_to(a, (*lead, n, n)), jnp.broadcast_to(b, (*lead, *b.shape[-2:])), vector


# ---- systems --------------------------------------------------------------------------------------------------------

def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, debug=False, check_finite=True, assume_a="gen"):
    """The x with a x = b; a: (..., n, n), b: (n,) or (..., n, k).

    assume_a: 'gen' for any matrix, 'sym' or 'her' for symmetric and Hermitian ones, 'pos' for positive definite ones, which are solved by
    Cholesky factors: of those the upper triangle is read, the lower one with `lower`.

    >>> import gnomon.numpy as jnp
    >>> solve(jnp.array([[4.0, 0.0], [0.0, 1.0]]), jnp.array([4.0, 2.0]), assume_a="pos")
    Array([1., 2.], dtype=float32)
    """
    one_of(assume_a, ("gen", "sym", "her", "pos"), "solve", "assume_a")
    return _solve(a, b, lower=flag(lower, "solve", "lower"), positive=assume_a == "pos")


@composite(static=("lower", "positive"))
def _solve(a, b, lower, positive):
    if positive:
        return _cho_solve.traced(_cholesky.traced(a, lower, "solve"), b, lower, "solve")
    a, b, vector = system(a, b, "solve")
    x = numpy_linalg.solved(a, b)
    return x[..., 0] if vector else x


TRANSPOSED = {0: (False, False), "N": (False, False), 1: (True, False), "T": (True, False), 2: (True, True), "C": (True, True)}


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, debug=None, check_finite=True):
    """The x with op(a) x = b for triangular a, of which the upper triangle is read, the lower one with `lower`; a: (..., n, n), b: (n,) or
    (..., n, k).

    trans: 0 or 'N' for a itself, 1 or 'T' for its transpose, 2 or 'C' for its adjoint. unit_diagonal: the diagonal counts as ones.

    >>> import gnomon.numpy as jnp
    >>> solve_triangular(jnp.array([[2.0, 0.0], [1.0, 1.0]]), jnp.array([4.0, 5.0]), lower=True)
    Array([2., 3.], dtype=float32)
    """
    one_of(trans, TRANSPOSED, "solve_triangular", "trans")
    return _solve_triangular(a, b, trans=trans, lower=flag(lower, "solve_triangular", "lower"),
                             unit_diagonal=flag(unit_diagonal, "solve_triangular", "unit_diagonal"))


@composite(static=("trans", "lower", "unit_diagonal"))
def _solve_triangular(a, b, trans, lower, unit_diagonal):
    a, b, vector = system(a, b, "solve_triangular")
    transpose, conjugate = TRANSPOSED[trans]
    x = lax.linalg.triangular_solve(a, b, left_side=True, lower=lower, transpose_a=transpose, conjugate_a=conjugate,
                                    unit_diagonal=unit_diagonal)
    return x[..., 0] if vector else x


@composite
def inv(a, overwrite_a=False, check_finite=True):
    """The inverse of square matrices; a: (..., n, n).

    >>> import gnomon.numpy as jnp
    >>> inv(jnp.array([[2.0]])).tolist()
    [[0.5]]
    """
    return numpy_linalg.inv(a)


@composite
def det(a, overwrite_a=False, check_finite=True):
    """The determinant of square matrices; a: (..., n, n).

    >>> import gnomon.numpy as jnp
    >>> float(det(jnp.eye(3)))
    1.0
    """
    return numpy_linalg.det(a)


# ---- LU and QR ------------------------------------------------------------------------------------------------------

@composite
def lu_factor(a, overwrite_a=False, check_finite=True):
    """(packed factors, row exchanges) of `a` for `lu_solve`; a: (..., m, n). Row i was exchanged with row piv[i], in order.

    >>> import gnomon.numpy as jnp
    >>> lu_factor(jnp.array([[0.0, 1.0], [2.0, 0.0]]))[1].tolist()
    [1, 1]
    """
    packed, pivots, _ = lax.linalg.lu(as_matrices(a, "lu_factor"))
    return packed, pivots


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """The x with a x = b (trans=0), a^T x = b (1) or a^H x = b (2), from `lu_factor(a)`; b: (n,) or (..., n, k).

    >>> import gnomon.numpy as jnp
    >>> lu_solve(lu_factor(jnp.array([[0.0, 1.0], [2.0, 0.0]])), jnp.array([1.0, 4.0]))
    Array([2., 1.], dtype=float32)
    """
    one_of(trans, (0, 1, 2), "lu_solve", "trans")
    packed, pivots = pair_of(lu_and_piv, "lu_solve", "lu_and_piv", "what lu_factor returned")
    return _lu_solve(packed, pivots, b, trans=trans)


@composite(static=("trans",))
def _lu_solve(packed, pivots, b, trans):
    packed, b, vector = system(packed, b, "lu_solve", "the factors")
    permutation = lax.linalg.lu_pivots_to_permutation(pivots, packed.shape[-1])
    permutation = jnp.broadcast_to(permutation, packed.shape[:-1])
    x = solve_factored(packed, permutation, b, ("plain", "transpose", "adjoint")[trans])
    return x[..., 0] if vector else x


@composite(static=("permute_l", "overwrite_a", "check_finite"))
def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    """(p, l, u) with a = p l u, p a permutation matrix, l lower triangular with ones on its diagonal, u upper triangular; or (p l, u) with
    `permute_l`; a: (..., m, n).

    >>> import gnomon.numpy as jnp
    >>> p, l, u = lu(jnp.array([[0.0, 1.0], [2.0, 0.0]]))
    >>> (p @ l @ u).tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """
    x, permute_l = as_matrices(a, "lu"), flag(permute_l, "lu", "permute_l")
    packed, _, permutation = lax.linalg.lu(x)
    m, n = x.shape[-2:]
    k = min(m, n)
    l = jnp.tril(packed[..., :k], -1) + jnp.eye(m, k, dtype=x.dtype)  # noqa: E741
    u = jnp.triu(packed[..., :k, :])
    if permute_l:
        return jnp.take_along_axis(l, inverse_permutation(permutation)[..., None], -2), u
    p = (permutation[..., None, :] == jnp.arange(m)[:, None]).astype(x.dtype)
    return p, l, u


@composite(static=("overwrite_a", "lwork", "mode", "pivoting", "check_finite"))
def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    """(q, r) with q r = a, q unitary and r upper triangular; a: (..., m, n).

    mode: 'full' (q square), 'economic' (q of min(m, n) columns) or 'r', for (r,). With `pivoting` also p, the column of a that each column
    of r belongs to.

    >>> import gnomon.numpy as jnp
    >>> q, r = qr(jnp.array([[3.0], [4.0]]), mode="economic")
    >>> float(abs(r[0, 0]))
    5.0
    """
    one_of(mode, ("full", "r", "economic"), "qr", "mode")
    pivoting = flag(pivoting, "qr", "pivoting")
    q, *rest = lax.linalg.qr(as_matrices(a, "qr"), pivoting=pivoting, full_matrices=mode != "economic")
    return tuple(rest) if mode == "r" else (q, *rest)


@composite(static=("mode", "pivoting", "conjugate", "overwrite_a", "overwrite_c"))
def qr_multiply(a, c, mode="right", pivoting=False, conjugate=False, overwrite_a=False, overwrite_c=False):
    """(c q, r), or (q c, r) with mode='left', for q r = a, q of min(m, n) columns; a: (m, n). With `pivoting` also the columns of a that
    those of r belong to. conjugate: with the conjugate of q. c may be a vector.

    >>> import gnomon.numpy as jnp
    >>> cq, r = qr_multiply(jnp.eye(2), jnp.array([1.0, 2.0]))
    >>> jnp.abs(cq).tolist()
    [1.0, 2.0]
    """
    one_of(mode, ("left", "right"), "qr_multiply", "mode")
    pivoting, conjugate = flag(pivoting, "qr_multiply", "pivoting"), flag(conjugate, "qr_multiply", "conjugate")
    a, c = promote_inexact("qr_multiply", a, c)
    q, *rest = lax.linalg.qr(as_matrices(a, "qr_multiply"), pivoting=pivoting, full_matrices=False)
    q = jnp.conj(q) if conjugate else q
    if q.ndim != 2 or c.ndim not in (1, 2):
        raise ValueError(f"qr_multiply takes a matrix a and a matrix or vector c, got shapes {a.shape} and {c.shape}.")
    vector = c.ndim == 1
    if vector:
        c = c[None] if mode == "right" else c[:, None]
    if c.shape[-2 if mode == "left" else -1] != q.shape[-1 if mode == "left" else -2]:
        raise ValueError(f"qr_multiply got shapes that do not fit: {a.shape} and {c.shape} for mode {mode!r}.")
    product = c @ q if mode == "right" else q @ c
    return (product.reshape(-1) if vector else product, *rest)


# ---- eigenvalues and singular values --------------------------------------------------------------------------------

def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """(u, s, vh) with a = (u * s) vh, or s alone without `compute_uv`; a: (..., m, n). lapack_driver: 'gesdd', or 'gesvd' which is slower.

    >>> import gnomon.numpy as jnp
    >>> svd(jnp.diag(jnp.array([1.0, 2.0])), compute_uv=False).tolist()
    [2.0, 1.0]
    """
    one_of(lapack_driver, ("gesdd", "gesvd"), "svd", "lapack_driver")
    return _svd(a, full_matrices=flag(full_matrices, "svd", "full_matrices"), compute_uv=flag(compute_uv, "svd", "compute_uv"),
                by_qr=lapack_driver == "gesvd")


@composite(static=("full_matrices", "compute_uv", "by_qr"))
def _svd(a, full_matrices, compute_uv, by_qr):
    algorithm = lax.linalg.SvdAlgorithm.QR if by_qr else None
    return lax.linalg.svd(as_matrices(a, "svd"), full_matrices=full_matrices, compute_uv=compute_uv, algorithm=algorithm)


def eigh(a, b=None, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, turbo=True, eigvals=None, type=1,
         check_finite=True):
    """(w, v), ascending eigenvalues and eigenvectors as columns of Hermitian matrices, of which one triangle is read; w alone with
    `eigvals_only`; a: (..., n, n).

    With a positive definite `b` those of a v = w b v (type 1), a b v = w v (2) or b a v = w v (3), with v^H b v = 1 (of type 3,
    v^H b^-1 v = 1). turbo has no effect; eigvals, a range of them, is refused.

    >>> import gnomon.numpy as jnp
    >>> eigh(jnp.array([[2.0, 1.0], [1.0, 2.0]]), eigvals_only=True).tolist()
    [1.0, 3.0]
    """
    if eigvals is not None:
        raise Refused("eigh takes no range of eigenvalues (eigvals); use lax.linalg.eigh with subset_by_index, or slice the result.")
    one_of(type, (1, 2, 3), "eigh", "type")
    if b is None and type != 1:
        raise ValueError(f"eigh of one matrix is of type 1, got type={type}.")
    return _eigh(a, b, lower=flag(lower, "eigh", "lower"), eigvals_only=flag(eigvals_only, "eigh", "eigvals_only"), type=type)


@composite(static=("lower", "eigvals_only", "type"))
def _eigh(a, b, lower, eigvals_only, type):
    if b is None:
        if eigvals_only:
            return numpy_linalg.eigvalsh(a, "L" if lower else "U", symmetrize_input=False)
        return tuple(numpy_linalg.eigh(a, "L" if lower else "U", symmetrize_input=False))
    a, b = promote_inexact("eigh", a, b)
    a, b = as_matrices(a, "eigh", square=True), as_matrices(b, "eigh", "b", square=True)
    if a.shape != b.shape:
        raise ValueError(f"eigh takes matrices a and b of one shape, got {a.shape} and {b.shape}.")
    a, b = (jnp.tril(x) + adjoint(jnp.tril(x, -1)) if lower else jnp.triu(x) + adjoint(jnp.triu(x, 1)) for x in (a, b))
    factor = cholesky_factor(b)
    solve_with = dict(lower=True, conjugate_a=True)
    if type == 1:
        inner = lax.linalg.triangular_solve(factor, a, left_side=True, lower=True)
        inner = lax.linalg.triangular_solve(factor, inner, transpose_a=True, **solve_with)
    else:
        inner = adjoint(factor) @ a @ factor
    if eigvals_only:
        return numpy_linalg.eigvalsh(inner)
    w, y = numpy_linalg.eigh(inner)
    if type == 3:
        return w, factor @ y
    return w, lax.linalg.triangular_solve(factor, y, left_side=True, transpose_a=True, **solve_with)


def eigh_tridiagonal(d, e, *, eigvals_only=False, select="a", select_range=None, tol=None, key=None):
    """(w, v), ascending eigenvalues and eigenvectors of the real symmetric (or complex Hermitian) matrix with diagonal d and e beside it; w
    alone with `eigvals_only`; d: (n,), e: (n - 1,).

    select: 'a' for all, 'i' for the range select_range = (first, last) of their numbers, both included, 'v' for those in the half-open
    interval select_range, whose number must not be asked for while tracing. The matrix is handled as a dense one: tol and key have no
    effect.

    >>> import gnomon.numpy as jnp
    >>> eigh_tridiagonal(jnp.array([2.0, 2.0]), jnp.array([1.0]), eigvals_only=True).tolist()
    [1.0, 3.0]
    """
    one_of(select, ("a", "i", "v"), "eigh_tridiagonal", "select")
    if select != "a" and select_range is None:
        raise ValueError(f"eigh_tridiagonal needs select_range with select={select!r}.")
    ends = None if select == "a" else pair_of(select_range, "eigh_tridiagonal", "select_range", "the first and the last")
    eigvals_only = flag(eigvals_only, "eigh_tridiagonal", "eigvals_only")
    found = _eigh_tridiagonal(d, e, eigvals_only=eigvals_only)
    w, v = (found, None) if eigvals_only else found
    if select == "i":
        first, last = [integer(i, "eigh_tridiagonal", "select_range") for i in ends]
        w, v = w[first:last + 1], v if v is None else v[:, first:last + 1]
    elif select == "v":
        low, high = [a_number(x, "eigh_tridiagonal", "select_range") for x in ends]
        inside = np.asarray((w > low) & (w <= high))
        w, v = w[inside], v if v is None else v[:, inside]
    return w if eigvals_only else (w, v)


@composite(static=("eigvals_only",))
def _eigh_tridiagonal(d, e, eigvals_only):
    d, e = promote_inexact("eigh_tridiagonal", d, e)
    if d.ndim != 1 or e.shape != (d.shape[0] - 1,):
        raise ValueError(f"eigh_tridiagonal takes d of shape (n,) and e of shape (n - 1,), got {d.shape} and {e.shape}.")
    x = jnp.diag(d) + jnp.diag(e, -1)
    if eigvals_only:
        return numpy_linalg.eigvalsh(x, symmetrize_input=False)
    return tuple(numpy_linalg.eigh(x, "L", symmetrize_input=False))


@composite(static=("calc_q", "overwrite_a", "check_finite"))
def hessenberg(a, *, calc_q=False, overwrite_a=False, check_finite=True):
    """h, zero below its first subdiagonal, with a = q h q^H for a unitary q; (h, q) with `calc_q`; a: (..., n, n).

    >>> import gnomon.numpy as jnp
    >>> hessenberg(jnp.ones((3, 3))).shape
    (3, 3)
    """
    x, calc_q = as_matrices(a, "hessenberg", square=True), flag(calc_q, "hessenberg", "calc_q")
    n = x.shape[-1]
    packed, taus = lax.linalg.hessenberg(x)
    h = jnp.triu(packed, -1)
    if not calc_q:
        return h
    if n < 2:
        return h, jnp.broadcast_to(jnp.eye(n, dtype=x.dtype), x.shape)
    inner = lax.linalg.householder_product(packed[..., 1:, :-1], taus)
    inner = jnp.pad(inner, [(0, 0)] * (x.ndim - 2) + [(1, 0), (1, 0)])
    corner = jnp.zeros((n, n), x.dtype).at[0, 0].set(1)
    return h, inner + corner
