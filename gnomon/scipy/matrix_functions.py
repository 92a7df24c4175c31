"""Functions of square matrices: exponential, square root, any function of the eigenvalues, and the equations behind their derivatives.

What is computed from the Schur form works on the columns of upper triangular matrices, one triangular system each.
"""
from __future__ import annotations

import numpy as np

from gnomon import lax
from gnomon import numpy as jnp
from gnomon.api.custom import custom_jvp
from gnomon.api.differentiate import jvp
from gnomon.base.arguments import flag
from gnomon.numpy.axes import function_argument, integer, one_of
from gnomon.numpy.composite import composite
from gnomon.numpy.linalg import as_matrices
from gnomon.numpy.promote import as_value, promote_inexact
from gnomon.ops.linalg_base import adjoint
from gnomon.types.dtype import complex_dtype, finfo, is_complex, real_dtype

__all__ = ["expm", "expm_frechet", "funm", "polar", "rsf2csf", "schur", "solve_sylvester", "sqrtm"]


def one_matrix(x, name, argument="A"):
    x = as_matrices(x, name, argument, square=True)
    if x.ndim != 2:
        raise ValueError(f"{name} takes one square matrix, got {argument} of shape {x.shape}. Use vmap for lists of them.")
    return x


# ---- the exponential ------------------------------------------------------------------------------------------------

# Numerators of the diagonal Pade approximants of exp, and the largest 1-norms for which they are exact to rounding
# (Higham, "The scaling and squaring method for the matrix exponential revisited").
PADE = {
    np.dtype("float32"): ((17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1), 3.925724783138660),
    np.dtype("float64"): ((64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
                           670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1), 5.371920351148152),
}


@composite(static=("upper_triangular", "max_squarings"))
def expm(A, *, upper_triangular=False, max_squarings=16):
    """The exponential of square matrices; A: (..., n, n).

    By scaling, a Pade approximant and squaring; NaN where more than `max_squarings` would be needed. upper_triangular: A is, which
    makes the linear system easier.

    >>> import gnomon.numpy as jnp
    >>> expm(jnp.zeros((2, 2))).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    A, upper_triangular = as_matrices(A, "expm", "A", square=True), flag(upper_triangular, "expm", "upper_triangular")
    max_squarings = integer(max_squarings, "expm", "max_squarings")
    if not A.size:
        return A
    dtype = real_dtype(A.dtype)
    numerator, theta = PADE[dtype]
    size = jnp.max(jnp.sum(jnp.abs(A), -2), -1)
    squarings = jnp.maximum(0, jnp.ceil(jnp.log2(lax.stop_gradient(size) / theta)))
    squarings = jnp.where(size == 0, 0, squarings)
    scaled = A * (2.0 ** -jnp.minimum(squarings, max_squarings))[..., None, None].astype(dtype)
    R = pade(scaled, numerator, upper_triangular)

    def square_again(R, i):
        todo = i < squarings
        return lax.cond(jnp.any(todo), lambda R: jnp.where(todo[..., None, None], R @ R, R), lambda R: R, R), None

    def square_all(R):
        return lax.scan(square_again, R, jnp.arange(max_squarings, dtype=dtype))[0]
    R = lax.cond(jnp.any(squarings > 0), square_all, lambda R: R, R)
    return jnp.where((squarings <= max_squarings)[..., None, None], R, jnp.nan)


def pade(A, numerator, upper_triangular):
    """p(A) / p(-A), for a polynomial p with these coefficients, the constant's first."""
    eye = jnp.eye(A.shape[-1], dtype=A.dtype)
    squared = A @ A
    powers = [eye, squared]
    while len(powers) < 4:
        powers.append(powers[-1] @ squared)

    def polynomial(coefficients):
        """A polynomial in the square of A, four terms at a time."""
        out = sum(float(c) * p for c, p in zip(coefficients[:4], powers))
        return out if len(coefficients) <= 4 else out + (powers[3] @ squared) @ polynomial(coefficients[4:])
    even, odd = polynomial(numerator[::2]), A @ polynomial(numerator[1::2])
    if upper_triangular:
        return lax.linalg.triangular_solve(even - odd, even + odd, left_side=True)
    return jnp.linalg.solve(even - odd, even + odd)


def expm_frechet(A, E, *, method=None, compute_expm=True):
    """(exp(A), its derivative at A in the direction E), or the latter alone without `compute_expm`; A, E: (n, n). `method` has no effect.

    >>> import gnomon.numpy as jnp
    >>> expm_frechet(jnp.zeros((1, 1)), jnp.ones((1, 1)), compute_expm=False).tolist()
    [[1.0]]
    """
    one_of(method, (None, "SPS", "blockEnlarge"), "expm_frechet", "method")
    compute_expm = flag(compute_expm, "expm_frechet", "compute_expm")
    A, E = promote_inexact("expm_frechet", A, E)
    A = as_matrices(A, "expm_frechet", "A", square=True)
    if A.shape != E.shape:
        raise ValueError(f"expm_frechet takes two square matrices of one size, got shapes {A.shape} and {E.shape}.")
    value, moved = jvp(expm, (A,), (E,))
    return (value, moved) if compute_expm else moved


# ---- the Schur form -------------------------------------------------------------------------------------------------

def schur(a, output="real"):
    """(T, Z) with a = Z T Z^H, Z unitary and T upper triangular; a: (..., n, n). With output='real' T of a real matrix has blocks of two on
    its diagonal for pairs of complex eigenvalues, with 'complex' both are complex.

    >>> import gnomon.numpy as jnp
    >>> schur(jnp.array([[1.0, 2.0], [0.0, 3.0]]))[0].tolist()
    [[1.0, 2.0], [0.0, 3.0]]
    """
    one_of(output, ("real", "complex"), "schur", "output")
    return _schur(a, output=output)


@composite(static=("output",))
def _schur(a, output):
    x = as_matrices(a, "schur", square=True)
    return lax.linalg.schur(as_complex(x) if output == "complex" else x)


def as_complex(x):
    return x.astype(complex_dtype(x.dtype))


@composite
def rsf2csf(T, Z, check_finite=True):
    """The complex Schur form (T, Z) from a real one, by a rotation for each pair of complex eigenvalues; T, Z: (n, n).

    >>> import gnomon.numpy as jnp
    >>> rsf2csf(jnp.eye(2), jnp.eye(2))[0].dtype
    dtype('complex64')
    """
    T, Z = promote_inexact("rsf2csf", T, Z)
    T, Z = as_complex(one_matrix(T, "rsf2csf", "T")), as_complex(one_matrix(Z, "rsf2csf", "Z"))
    n = T.shape[0]
    eps = float(finfo(real_dtype(T.dtype)).eps)
    places = jnp.arange(n)

    def rotate(state, m):
        T, Z = state
        block = lax.dynamic_slice(T, (m - 1, m - 1), (2, 2))
        (a, b), (c, d) = block
        middle, product = (a - d) / 2, b * c
        # the eigenvalue, taken from d, that is farther away
        root = jnp.sqrt(middle * middle + product)
        mu = middle + jnp.where(jnp.abs(middle + root) >= jnp.abs(middle - root), root, -root)
        r = jnp.sqrt(jnp.abs(mu) ** 2 + jnp.abs(c) ** 2)
        cosine, sine = mu / r, c / r
        G = jnp.array([[jnp.conj(cosine), sine], [-sine, cosine]])
        rows = G @ lax.dynamic_slice(T, (m - 1, 0), (2, n))
        rows = jnp.where(places >= m - 1, rows, lax.dynamic_slice(T, (m - 1, 0), (2, n)))
        turned = lax.dynamic_update_slice(T, rows, (m - 1, 0))
        columns = lax.dynamic_slice(turned, (0, m - 1), (n, 2))
        columns = jnp.where((places <= m)[:, None], columns @ adjoint(G), columns)
        turned = lax.dynamic_update_slice(turned, columns, (0, m - 1))
        turned_z = lax.dynamic_update_slice(Z, lax.dynamic_slice(Z, (0, m - 1), (n, 2)) @ adjoint(G), (0, m - 1))
        large = jnp.abs(c) > eps * (jnp.abs(a) + jnp.abs(d))
        T, Z = jnp.where(large, turned, T), jnp.where(large, turned_z, Z)
        return (jnp.where((places[:, None] == m) & (places == m - 1), 0, T), Z), None

    (T, Z), _ = lax.scan(rotate, (T, Z), jnp.arange(n - 1, 0, -1))
    return T, Z


def each_column(step, n, start):
    """Fill an n x n matrix column by column: step(matrix so far, j) -> column j."""
    def body(F, j):
        return jnp.where(jnp.arange(n) == j, step(F, j)[:, None], F), None
    return lax.scan(body, start, jnp.arange(n))[0]


def sylvester_of_triangles(U, V, C):
    """The Y with U Y + Y V = C, for upper triangular complex U and V."""
    eye = jnp.eye(U.shape[0], dtype=U.dtype)

    def column(Y, j):
        right = C[:, j] - Y @ jnp.where(jnp.arange(V.shape[0]) < j, V[:, j], 0)
        return lax.linalg.triangular_solve(U + V[j, j] * eye, right[:, None], left_side=True)[:, 0]

    def body(Y, j):
        return jnp.where(jnp.arange(V.shape[0]) == j, column(Y, j)[:, None], Y), None
    return lax.scan(body, jnp.zeros_like(C), jnp.arange(V.shape[0]))[0]


@composite(static=("method",))
def solve_sylvester(A, B, C, *, method="schur", tol=1e-8):
    """The X with A X + X B = C; A: (m, m), B: (n, n), C: (m, n). NaN where A and -B share an eigenvalue.

    method: 'schur', or 'eigen' which is the same here; tol: eigenvalues of A and -B that differ by less than tol times the largest count as
    shared.

    >>> import gnomon.numpy as jnp
    >>> solve_sylvester(jnp.eye(2), jnp.eye(2), jnp.ones((2, 2))).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    one_of(method, ("schur", "eigen"), "solve_sylvester", "method")
    A, B, C = promote_inexact("solve_sylvester", A, B, C)
    A, B = one_matrix(A, "solve_sylvester", "A"), one_matrix(B, "solve_sylvester", "B")
    if C.shape != (A.shape[0], B.shape[0]):
        raise ValueError(f"solve_sylvester needs C of shape {(A.shape[0], B.shape[0])}, got {C.shape}.")
    return sylvester(A, B, C, tol)


def sylvester(A, B, C, tol=0.0):
    """`solve_sylvester` for values of one dtype."""
    real = not is_complex(C.dtype)
    (U, P), (V, Q) = (lax.linalg.schur(as_complex(lax.stop_gradient(M))) for M in (A, B))
    sums = jnp.abs(jnp.diagonal(U)[:, None] + jnp.diagonal(V))
    largest = jnp.maximum(jnp.max(jnp.abs(jnp.diagonal(U))), jnp.max(jnp.abs(jnp.diagonal(V))))
    singular = jnp.min(sums) <= tol * largest

    def solution(matvec, C):
        Y = sylvester_of_triangles(U, V, adjoint(P) @ as_complex(C) @ Q)
        X = P @ Y @ adjoint(Q)
        X = jnp.where(singular, jnp.nan, X)
        return X.real if real else X

    def transposed(vecmat, C):
        """A^T X + X B^T = C, from the same forms: A^T has the conjugate of P as vectors, and U^T, lower triangular."""
        Y = P.T @ as_complex(C) @ jnp.conj(Q)
        Y = sylvester_of_triangles(U.T[::-1, ::-1], V.T[::-1, ::-1], Y[::-1, ::-1])[::-1, ::-1]
        X = jnp.conj(P) @ Y @ Q.T
        X = jnp.where(singular, jnp.nan, X)
        return X.real if real else X
    return lax.custom_linear_solve(lambda X: A @ X + X @ B, C, solution, transposed)


# ---- square roots and other functions -------------------------------------------------------------------------------

def sqrtm(A, blocksize=1):
    """The principal square root of a matrix, complex; A: (n, n). NaN where it has none. `blocksize` has no effect.

    >>> import gnomon.numpy as jnp
    >>> sqrtm(jnp.array([[4.0, 0.0], [0.0, 9.0]])).real.tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return _sqrtm(A)


@composite
def _sqrtm(A):
    return root(as_complex(one_matrix(A, "sqrtm")))


@custom_jvp
def root(A):
    T, Z = lax.linalg.schur(A)
    n = A.shape[0]
    diagonal = jnp.sqrt(jnp.diagonal(T))
    places = jnp.arange(n)

    def column(R, j):
        """Of R R = T: (R_jj + the part of R found so far) times what stands above the diagonal of column j."""
        known = (places < j)
        system = jnp.where(known[:, None] & known, R, 0) + jnp.diag(jnp.where(known, diagonal[j], 1))
        above = lax.linalg.triangular_solve(system, jnp.where(known, T[:, j], 0)[:, None], left_side=True)[:, 0]
        return jnp.where(known, above, jnp.where(places == j, diagonal[j], 0))
    R = each_column(column, n, jnp.zeros_like(T))
    return Z @ R @ adjoint(Z)


@root.defjvp
def root_jvp(primals, tangents):
    """S S = A, so S dS + dS S = dA."""
    S = root(*primals)
    return S, sylvester(S, S, tangents[0])


def funm(A, func, disp=True):
    """The function of a matrix that applies func to its eigenvalues, complex; A: (n, n).

    By Parlett's recurrence on the Schur form: inexact where eigenvalues are nearly equal. Without `disp` also an estimate of the relative
    error.

    >>> import gnomon.numpy as jnp
    >>> funm(jnp.array([[1.0, 0.0], [0.0, 4.0]]), jnp.sqrt).real.tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    A, disp = as_complex(one_matrix(A, "funm")), flag(disp, "funm", "disp")
    T, Z = lax.linalg.schur(A)
    n = A.shape[0]
    diagonal, places = jnp.diagonal(T), jnp.arange(n)
    values = as_value(function_argument(func, "funm", "func")(diagonal), "funm").astype(T.dtype)
    if values.shape != (n,):
        raise ValueError(f"funm needs a func that works element by element, but it returned shape {values.shape} for {(n,)}.")

    def column(F, j):
        """Of T F = F T: ((the part of T so far) - T_jj) times what stands above the diagonal of column j."""
        known = places < j
        gaps = jnp.where(known, diagonal - diagonal[j], 1)
        gaps = jnp.where(gaps == 0, 1, gaps)
        system = jnp.where(known[:, None] & known & (places[:, None] < places), T, 0) + jnp.diag(gaps)
        above = jnp.where(known, T[:, j], 0)
        right = F @ above - above * values[j]
        above = lax.linalg.triangular_solve(system, jnp.where(known, right, 0)[:, None], left_side=True)[:, 0]
        return jnp.where(known, above, jnp.where(places == j, values[j], 0))
    F = each_column(column, n, jnp.zeros_like(T))
    out = Z @ F @ adjoint(Z)
    if disp:
        return out
    eps = float(finfo(real_dtype(T.dtype)).eps)
    gaps = jnp.where(places[:, None] < places, jnp.abs(diagonal[:, None] - diagonal), jnp.inf)
    closest = jnp.where(jnp.min(gaps) == 0, eps, jnp.min(gaps))
    error = jnp.minimum(1, jnp.maximum(eps, (eps / closest) * jnp.linalg.norm(jnp.triu(T, 1), 1)))
    return out, jnp.where(jnp.all(jnp.isfinite(F)), error, jnp.inf)


def polar(a, side="right", *, method="qdwh", eps=None, max_iterations=None):
    """(u, p) with a = u p ('right') or a = p u ('left'), p Hermitian and not negative, u with orthonormal columns or rows; a: (..., m, n).

    It is found from the singular value decomposition, whichever `method` ('qdwh' or 'svd') is named; eps and max_iterations have no effect.

    >>> import gnomon.numpy as jnp
    >>> u, p = polar(jnp.array([[-2.0]]))
    >>> u.tolist(), p.tolist()
    ([[-1.0]], [[2.0]])
    """
    one_of(side, ("right", "left"), "polar", "side")
    one_of(method, ("qdwh", "svd"), "polar", "method")
    return _polar(a, side=side)


@composite(static=("side",))
def _polar(a, side):
    a = as_matrices(a, "polar")
    w, s, vh = jnp.linalg.svd(a, full_matrices=False)
    v = adjoint(vh)
    return w @ vh, (v * s[..., None, :]) @ vh if side == "right" else (w * s[..., None, :]) @ adjoint(w)
