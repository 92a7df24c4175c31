"""gnomon.lax.linalg: factors of matrices as LAPACK computes them.

Matrices stand in the last two dimensions; leading dimensions count lists of them. Arrays are of float32, float64, complex64 or
complex128, and are not converted.
"""
from __future__ import annotations

import operator

import numpy as np

from gnomon.api.control import while_loop
from gnomon.base.errors import Refused
from gnomon.ops import primitive_named
from gnomon.numpy.promote import as_value, promote_dtypes
from gnomon.numpy.recorded import recorded
from gnomon.ops import linalg_eigen, linalg_forms, linalg_lu, linalg_qr, linalg_triangular, linalg_update
from gnomon.ops.arithmetic import absolute, add, div, mul, sub
from gnomon.ops.compare import bitwise_and, lt
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import sqrt
from gnomon.ops.linalg_base import LETTERS, adjoint, eye_like, matmul
from gnomon.ops.linalg_eigen import EighImplementation, EigImplementation, SvdAlgorithm
from gnomon.ops.reductions import reduce_max
from gnomon.ops.shape import broadcast_in_dim, reduce_sum
from gnomon.ops.slicing import concatenate, slice_in_dim
from gnomon.trace.stage import bind, value_of
from gnomon.types.dtype import finfo, is_complex

__all__ = ["EigImplementation", "EighImplementation", "SvdAlgorithm", "cholesky", "cholesky_update", "eig", "eigh", "hessenberg",
           "householder_product", "lu", "lu_pivots_to_permutation", "ormqr", "qdwh", "qr", "schur", "svd", "symmetric_product",
           "triangular_solve", "tridiagonal", "tridiagonal_solve"]


def __getattr__(name):
    """The primitives: `lu_p` is the `primitive` of the equations that factor a matrix."""
    found = primitive_named(name) if name.endswith("_p") else None
    if found is None:
        raise AttributeError(f"module 'gnomon.lax.linalg' has no attribute {name!r}")
    return found


def as_matrices(x, name, argument, rank=2, square=False):
    """A value whose last dimensions are matrices (vectors, rank 1) that LAPACK computes with."""
    x = as_value(x, name)
    t = x.type
    if t.ndim < rank:
        raise TypeError(f"{name} takes at least {rank} dimensions in {argument}, got an array of type {t}.")
    if t.dtype not in LETTERS:
        raise Refused(f"{name} computes in float32, float64, complex64 or complex128, got {argument} of {t.dtype}. Convert it with "
                      ".astype('float32').")
    if square and t.shape[-1] != t.shape[-2]:
        raise ValueError(f"{name} takes square matrices in the last two dimensions of {argument}, got shape {t.shape}.")
    return x


def symmetrized(x):
    return div(add(x, adjoint(x)), full_scalar(x, 2))


def subset(pair, name):
    if pair is None:
        return None
    try:
        first, last = map(operator.index, pair)
    except (TypeError, ValueError):
        raise TypeError(f"{name} takes subset_by_index=(first, last), a pair of integers, got {pair!r}.") from None
    return first, last


# ---- factors --------------------------------------------------------------------------------------------------------

@recorded
def cholesky(x, *, symmetrize_input=True):
    """The lower triangular L with L L^H = x; x: (..., n, n), Hermitian and positive definite, else the result is NaN.

    With `symmetrize_input` x is replaced by half its sum with its adjoint, else only its lower triangle is read.

    >>> import gnomon.numpy as jnp
    >>> cholesky(jnp.array([[4.0, 2.0], [2.0, 5.0]])).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    x = as_matrices(x, "cholesky", "x", square=True)
    return linalg_triangular.cholesky(symmetrized(x) if symmetrize_input else x)


def cholesky_update(r_matrix, w_vector):
    """The upper triangular R' with R'^T R' = R^T R + w w^T, for real upper triangular R, in n steps of n operations.

    r_matrix: (..., n, n), w_vector: (..., n).

    >>> import gnomon.numpy as jnp
    >>> cholesky_update(jnp.array([[3.0, 0.0], [0.0, 1.0]]), jnp.array([4.0, 0.0])).tolist()
    [[5.0, 0.0], [0.0, 1.0]]
    """
    r, w = as_matrices(r_matrix, "cholesky_update", "r_matrix", square=True), as_matrices(w_vector, "cholesky_update", "w_vector", 1)
    return linalg_update.cholesky_update(r, w)


def symmetric_product(a_matrix, c_matrix, *, alpha=1.0, beta=0.0, symmetrize_output=False):
    """alpha A A^T + beta C; a_matrix: (..., m, n), c_matrix: (..., m, m), symmetric. The whole result is valid, `symmetrize_output` or
    not.

    >>> import gnomon.numpy as jnp
    >>> symmetric_product(jnp.ones((1, 3)), jnp.ones((1, 1)), beta=1.0).tolist()
    [[4.0]]
    """
    a, c = promote_dtypes("symmetric_product", a_matrix, c_matrix)
    a = as_matrices(a, "symmetric_product", "a_matrix")
    return linalg_update.symmetric_product(a, as_matrices(c, "symmetric_product", "c_matrix", square=True), alpha, beta)


def lu(x):
    """LU factors with row exchanges: (packed, pivots, permutation) with x[permutation] = L U; x: (..., m, n).

    packed holds U and, below the diagonal, L without its ones; row i was exchanged with row pivots[i], in order; both are int32.

    >>> import gnomon.numpy as jnp
    >>> packed, pivots, permutation = lu(jnp.array([[1.0, 2.0], [4.0, 4.0]]))
    >>> packed.tolist(), pivots.tolist(), permutation.tolist()
    ([[4.0, 4.0], [0.25, 1.0]], [1, 1], [1, 0])
    """
    return tuple(linalg_lu.lu(as_matrices(x, "lu", "x")))


def lu_pivots_to_permutation(pivots, permutation_size):
    """The permutation of `permutation_size` rows made by exchanging row i with row pivots[i], in order; pivots: (..., k), int32.

    >>> import gnomon.numpy as jnp
    >>> lu_pivots_to_permutation(jnp.array([2, 1]), 3).tolist()
    [2, 1, 0]
    """
    pivots = as_value(pivots, "lu_pivots_to_permutation", 0)
    if pivots.type.dtype != np.int32:
        raise TypeError(f"lu_pivots_to_permutation takes int32 pivots, got an array of {pivots.type.dtype}.")
    return linalg_lu.lu_pivots_to_permutation(pivots, operator.index(permutation_size))


def qr(x, *, pivoting=False, full_matrices=True, use_magma=None):
    """(q, r) with q r = x, q unitary and r upper triangular; x: (..., m, n).

    With `pivoting` (q, r, p): column i of q r is column p[i] of x, and the diagonal of r falls in size. full_matrices: whether q is
    square, else it has min(m, n) columns. use_magma is for GPUs.

    >>> import gnomon.numpy as jnp
    >>> q, r = qr(jnp.array([[3.0], [4.0]]), full_matrices=False)
    >>> float(abs(r[0, 0]))
    5.0
    """
    return tuple(linalg_qr.qr(as_matrices(x, "qr", "x"), bool(full_matrices), bool(pivoting)))


def householder_product(a, taus):
    """The first n columns of the unitary matrix that is a product of Householder reflections; a: (..., m, n) with the reflections'
    vectors below its diagonal, taus: (..., k), k <= n <= m, their scale factors.

    >>> import gnomon.numpy as jnp
    >>> householder_product(jnp.eye(2), jnp.array([0.0, 2.0])).tolist()
    [[1.0, 0.0], [-0.0, -1.0]]
    """
    a, taus = as_matrices(a, "householder_product", "a"), as_matrices(taus, "householder_product", "taus", 1)
    return linalg_qr.householder_product(a, taus)


def ormqr(a, taus, c, *, left=True, transpose=False):
    """c multiplied by the unitary Q that Householder reflections hold: Q c, Q^H c (`transpose`), c Q or c Q^H (not `left`).

    a: (..., m, k) with the reflections' vectors below its diagonal, taus: (..., k), c: (..., m, n), or (..., n, m) if not `left`.

    >>> import gnomon.numpy as jnp
    >>> ormqr(jnp.zeros((2, 1)), jnp.zeros(1), jnp.ones((2, 1))).tolist()
    [[1.0], [1.0]]
    """
    a, taus, c = (as_matrices(x, "ormqr", name, rank) for x, name, rank in ((a, "a", 2), (taus, "taus", 1), (c, "c", 2)))
    k, axis = taus.type.shape[-1], a.type.ndim - 1
    a = slice_in_dim(a, 0, k, axis) if a.type.shape[-1] > k else a
    return bind(linalg_qr.Ormqr(bool(left), bool(transpose)), a, taus, c)


# ---- eigenvalues and singular values --------------------------------------------------------------------------------

@recorded
def eigh(x, *, lower=True, symmetrize_input=True, sort_eigenvalues=True, subset_by_index=None, implementation=None):
    """(eigenvectors as columns, eigenvalues) of Hermitian matrices; x: (..., n, n).

    lower: which triangle is read, where not `symmetrize_input`. The eigenvalues always ascend. subset_by_index: (first, last), the range
    of them wanted. implementation: a hint, without effect on CPUs.

    >>> import gnomon.numpy as jnp
    >>> eigh(jnp.array([[2.0, 1.0], [1.0, 2.0]]))[1].tolist()
    [1.0, 3.0]
    """
    x = as_matrices(x, "eigh", "x", square=True)
    if implementation is not None and not isinstance(implementation, EighImplementation):
        raise ValueError(f"eigh takes implementation=None or an EighImplementation, got {implementation!r}.")
    x = symmetrized(x) if symmetrize_input else x
    op = linalg_eigen.Eigh(implementation, bool(lower), bool(sort_eigenvalues), subset(subset_by_index, "eigh"))
    return tuple(bind(op, x))


def eig(x, *, compute_left_eigenvectors=True, compute_right_eigenvectors=True, enable_eigvec_derivs=False, implementation=None,
        use_magma=None):
    """[eigenvalues, left eigenvectors, right eigenvectors] of general matrices, those that are asked for; x: (..., n, n). CPU only.

    Eigenvectors are columns of length 1 whose largest component is real: x v = w v, u^H x = w u^H. They have derivatives whatever
    `enable_eigvec_derivs` says, where the eigenvalues differ. implementation, use_magma: hints for GPUs.

    >>> import gnomon.numpy as jnp
    >>> eig(jnp.diag(jnp.array([1.0, 2.0])))[0].tolist()
    [(1+0j), (2+0j)]
    """
    x = as_matrices(x, "eig", "x", square=True)
    if implementation in (EigImplementation.CUSOLVER, EigImplementation.MAGMA):
        raise Refused(f"eig by {implementation} needs a GPU; leave `implementation` out.")
    op = linalg_eigen.Eig(bool(compute_left_eigenvectors), bool(compute_right_eigenvectors), bool(enable_eigvec_derivs), implementation)
    return bind(op, x)


def svd(x, *, full_matrices=True, compute_uv=True, subset_by_index=None, algorithm=None):
    """(u, s, vh) with x = (u * s) vh, or s alone without `compute_uv`; x: (..., m, n), s in descending order.

    full_matrices: whether u and vh are square, else they have min(m, n) columns and rows. subset_by_index: (first, last), the range of
    singular values wanted. algorithm: an SvdAlgorithm; on CPUs DEFAULT, DIVIDE_AND_CONQUER or QR.

    >>> import gnomon.numpy as jnp
    >>> svd(jnp.diag(jnp.array([1.0, 2.0])), compute_uv=False).tolist()
    [2.0, 1.0]
    """
    x = as_matrices(x, "svd", "x")
    if algorithm is not None and not isinstance(algorithm, SvdAlgorithm):
        raise ValueError(f"svd takes algorithm=None or an SvdAlgorithm, got {algorithm!r}.")
    found = linalg_eigen.svd(x, bool(full_matrices), bool(compute_uv), algorithm, subset(subset_by_index, "svd"))
    return (found[1], found[0], found[2]) if compute_uv else found[0]


def schur(x, *, compute_schur_vectors=True, sort_eig_vals=False, select_callable=None):
    """(t, z) with x = z t z^H, z unitary and t upper triangular (of real x with blocks of two on its diagonal for pairs of complex
    eigenvalues), or (t,) without `compute_schur_vectors`; x: (..., n, n). CPU only.

    >>> import gnomon.numpy as jnp
    >>> schur(jnp.array([[1.0, 2.0], [0.0, 3.0]]))[0].tolist()
    [[1.0, 2.0], [0.0, 3.0]]
    """
    x = as_matrices(x, "schur", "x", square=True)
    return tuple(bind(linalg_forms.Schur(bool(compute_schur_vectors), select_callable, bool(sort_eig_vals)), x))


def hessenberg(a):
    """(packed, taus): a matrix that is zero below its first subdiagonal and similar to `a`, with Householder vectors in the place of the
    zeros, and the reflections' scale factors; a: (..., n, n). CPU only.

    >>> import gnomon.numpy as jnp
    >>> hessenberg(jnp.eye(3))[0].shape
    (3, 3)
    """
    return tuple(bind(linalg_forms.Hessenberg(), as_matrices(a, "hessenberg", "a", square=True)))


def tridiagonal(a, *, lower=True):
    """(packed, d, e, taus): a real tridiagonal matrix similar to the Hermitian `a`, with the diagonals d and e, the Householder vectors
    that lead to it, and their scale factors; a: (..., n, n), of which one triangle is read.

    >>> import gnomon.numpy as jnp
    >>> tridiagonal(jnp.eye(3))[1].tolist()
    [1.0, 1.0, 1.0]
    """
    return tuple(bind(linalg_forms.Tridiagonal(bool(lower)), as_matrices(a, "tridiagonal", "a", square=True)))


def qdwh(x, *, is_hermitian=False, max_iterations=None, eps=None, dynamic_shape=None):
    """(u, h, steps, converged): the polar factors of x = u h, u with orthonormal columns and h Hermitian and not negative, by iteration.

    x: (m, n), m >= n, of full rank. The iteration (dynamically weighted Halley, by QR) ends once a step changes u by less than
    (4 eps)^(1/3) of its size, or after max_iterations (10). is_hermitian has no effect; dynamic_shape is refused.

    >>> import gnomon.numpy as jnp
    >>> u, h, steps, converged = qdwh(jnp.array([[-2.0]]))
    >>> jnp.round(u, 3).tolist(), jnp.round(h, 3).tolist(), bool(converged)
    ([[-1.0]], [[2.0]], True)
    """
    x = as_matrices(x, "qdwh", "x")
    m, n = x.type.shape[-2:]
    if x.type.ndim != 2 or m < n:
        raise ValueError(f"qdwh takes one matrix with at least as many rows as columns, got shape {x.type.shape}.")
    if dynamic_shape is not None:
        raise Refused("qdwh takes no padded matrices (dynamic_shape); cut the matrix to its shape.")
    dtype = x.type.dtype
    eps = float(finfo(dtype).eps) if eps is None else float(eps)
    limit = 10 if max_iterations is None else operator.index(max_iterations)
    tolerance = (4 * eps) ** (1 / 3)

    def size(y):
        return sqrt(reduce_sum(mul(absolute(y), absolute(y)), (0, 1)))
    rows, columns = reduce_sum(absolute(x), (0,)), reduce_sum(absolute(x), (1,))
    bound = sqrt(mul(reduce_max(rows, (0,)), reduce_max(columns, (0,))))
    real = bound.type.dtype
    eye = eye_like(slice_in_dim(x, 0, n, 0))

    def scaled(y, factor):
        return mul(y, factor.astype(dtype))

    def step(state):
        y, low, count, _ = state
        low2 = low * low
        d = (4 * (1 - low2) / (low2 * low2)) ** (1 / 3)
        root = sqrt(1 + d)
        a = root + sqrt(8 - 4 * d + 8 * (2 - low2) / (low2 * root)) / 2
        b = (a - 1) * (a - 1) / 4
        c = a + b - 1
        q, _ = linalg_qr.qr(concatenate([scaled(y, sqrt(c)), eye], 0), False)
        push = matmul(slice_in_dim(q, 0, m, 0), adjoint(slice_in_dim(q, m, m + n, 0)))
        new = add(scaled(y, b / c), scaled(push, (a - b / c) / sqrt(c)))
        low = low * (a + b * low2) / (1 + c * low2)
        low = low.clip(0, 1)
        return new, low, count + 1, size(sub(new, y)) / size(new)

    start = (scaled(x, 1 / bound), value_of(np.asarray(eps, real)), value_of(np.int32(0)), value_of(np.asarray(np.inf, real)))
    u, low, count, change = while_loop(
        lambda state: bitwise_and(lt(state[2], full_scalar(state[2], limit)), (state[3] > tolerance) | (abs(1 - state[1]) > 10 * eps)),
        step, start)
    h = matmul(adjoint(u), x)
    return u, symmetrized(h), count, change <= tolerance


# ---- systems --------------------------------------------------------------------------------------------------------

def triangular_solve(a, b, *, left_side=False, lower=False, transpose_a=False, conjugate_a=False, unit_diagonal=False):
    """The x with x op(a) = b, or with op(a) x = b if `left_side`, for triangular a, of which one triangle is read.

    a: (..., n, n), b: (..., k, n), or (..., n, k) if `left_side`; a vector b of (n,) for one matrix. op(a) is a, transposed if
    `transpose_a`, conjugated if `conjugate_a`. unit_diagonal: the diagonal counts as ones.

    >>> import gnomon.numpy as jnp
    >>> triangular_solve(jnp.array([[2.0, 0.0], [1.0, 1.0]]), jnp.array([4.0, 5.0]), left_side=True, lower=True).tolist()
    [2.0, 3.0]
    """
    a, b = promote_dtypes("triangular_solve", a, b)
    a = as_matrices(a, "triangular_solve", "a", square=True)
    conjugate_a = bool(conjugate_a) and is_complex(a.type.dtype)
    op = linalg_triangular.TriangularSolve(conjugate_a, bool(left_side), bool(lower), bool(transpose_a), bool(unit_diagonal))
    if b.type.ndim == a.type.ndim - 1:
        side = b.type.ndim if left_side else b.type.ndim - 1
        wide = broadcast_in_dim(b, (*b.type.shape[:side], 1, *b.type.shape[side:]), tuple([i for i in range(b.type.ndim + 1) if i != side]))
        return bind(op, a, wide).reshape(b.type.shape)
    return bind(op, a, b)


def tridiagonal_solve(dl, d, du, b, *, perturb_singular=False):
    """The x with T x = b for tridiagonal T; dl, d, du: (..., n), b: (..., n, k).

    dl[i] stands left of d[i] (dl[0] is not used), du[i] right of it (du[n - 1] is not used). Where T is singular the result is NaN, or
    with `perturb_singular` that of a matrix nearby.

    >>> import gnomon.numpy as jnp
    >>> zero = jnp.zeros(2)
    >>> tridiagonal_solve(zero, jnp.array([2.0, 4.0]), zero, jnp.array([[2.0], [8.0]])).tolist()
    [[1.0], [2.0]]
    """
    dl, d, du = (as_matrices(x, "tridiagonal_solve", name, 1) for x, name in ((dl, "dl"), (d, "d"), (du, "du")))
    return bind(linalg_triangular.TridiagonalSolve(bool(perturb_singular)), dl, d, du, as_matrices(b, "tridiagonal_solve", "b"))
