"""Derivatives of linear algebra, at points where factors are not unique or matrices singular too."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon.ops import linalg_factored
from tests.linalg.derivatives import check_derivatives
from tests.linalg.test_numpy_linalg import hermitian, positive, random

L = jnp.linalg


def of_rank(n, rank, seed=0):
    return random(n, rank, seed=seed) @ random(rank, n, seed=seed + 1)


def rotated(values):
    """A symmetric matrix with these eigenvalues."""
    q = np.linalg.qr(random(len(values), len(values)).astype("f8"))[0]
    return (q * np.array(values)) @ q.T


DTYPES = ["float32", "complex64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_systems(dtype):
    a, b = random(3, 3, dtype=dtype), random(3, 2, dtype=dtype)
    check_derivatives(lambda a, b: jnp.abs(L.solve(a, b)), a, b, order=2)
    check_derivatives(lambda a: jnp.abs(L.inv(a)), a)


def test_transposed_systems():
    a, b = random(3, 3), random(3, 2)
    check_derivatives(lambda a, b: linalg_factored.solve(a, b, transposed=True), a, b)


@pytest.mark.parametrize("dtype", DTYPES)
def test_log_determinant(dtype):
    a = random(4, 4, dtype=dtype)
    check_derivatives(lambda a: L.slogdet(a).logabsdet, a)
    check_derivatives(lambda a: jnp.real(L.slogdet(a).sign) + 2 * jnp.imag(L.slogdet(a).sign), a)
    check_derivatives(lambda a: L.slogdet(a, method="qr").logabsdet, a)


@pytest.mark.parametrize("n, rank", [(3, 1), (3, 3), (4, 0), (4, 1), (4, 2), (4, 3), (4, 4)])
def test_determinant_of_any_rank(n, rank):
    check_derivatives(L.det, of_rank(n, rank), order=2)


def test_determinant_of_complex_and_of_equal_singular_values():
    check_derivatives(lambda a: jnp.real(L.det(a)), random(4, 4, dtype="complex64"))
    check_derivatives(lambda a: jnp.imag(L.det(a)), random(4, 1, dtype="complex64") @ random(1, 4, dtype="complex64", seed=1))
    check_derivatives(L.det, np.eye(4), order=3)


def test_gradient_of_det_is_the_adjugate_transposed():
    a = np.diag([1.0, 2.0, 3.0, 0.0]).astype("f")
    np.testing.assert_allclose(G.grad(L.det)(a), np.diag([0, 0, 0, 6.0]), atol=1e-6)
    np.testing.assert_array_equal(G.grad(L.det)(np.zeros((4, 4), "f")), 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky(dtype):
    check_derivatives(lambda a: jnp.abs(L.cholesky(a)), positive(3, 3, dtype=dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_qr(dtype, shape):
    a = random(*shape, dtype=dtype)

    def factors(a):
        q, r = L.qr(a, "complete")
        return jnp.concatenate([jnp.real(q).reshape(-1), jnp.abs(r).reshape(-1)])
    check_derivatives(factors, a)


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (3, 3)])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_pseudo_inverse_at_constant_rank(shape, rank):
    """Of low rank, along what keeps the rank: both factors move."""
    x, y = random(shape[0], rank), random(rank, shape[1], seed=1)
    check_derivatives(lambda x, y: L.pinv(x @ y, rtol=1e-6), x, y, rtol=1e-5)


def test_least_squares():
    check_derivatives(lambda a, b: L.lstsq(a, b)[0], random(5, 3), random(5, 2))
    check_derivatives(lambda a, b: L.lstsq(a, b)[0], random(3, 5), random(3))


# ---- eigenvalues ----------------------------------------------------------------------------------------------------

def matrix_function(f):
    """A function of a Hermitian matrix by its eigenvalues; it does not depend on the choice of eigenvectors."""
    def run(a):
        w, v = L.eigh(a)
        return jnp.real((v * f(w)) @ jnp.conj(v.T))
    return run


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_hermitian_matrices(dtype):
    check_derivatives(matrix_function(jnp.exp), hermitian(3, 3, dtype=dtype), order=2)


def test_functions_of_the_eigenvalues_alone_where_some_are_equal():
    for a in (np.eye(3), rotated([1.0, 2.0, 2.0, 5.0])):
        check_derivatives(lambda a: jnp.sum(jnp.exp(L.eigh(a).eigenvalues)), a)


def test_projections_on_equal_eigenvalues():
    """The space of the two equal eigenvalues does not depend on which vectors span it."""
    def projection(a):
        v = L.eigh(a).eigenvectors[:, 1:3]
        return v @ v.T
    check_derivatives(projection, rotated([1.0, 2.0, 2.0, 5.0]))


def test_eigenvectors_of_large_matrices():
    g = G.grad(lambda m: L.eigh(m)[1][0, 0] ** 2 + L.eigh(m)[0][1])(jnp.array([[1e8, 0.0], [0.0, 3e8]]))
    np.testing.assert_allclose(g, [[0, 0], [0, 1]], atol=1e-6)


def test_general_eigenvalues():
    a = random(4, 4)
    check_derivatives(lambda a: jnp.sum(jnp.real(L.eigvals(a) ** 3)), a)
    check_derivatives(lambda a: jnp.sum(jnp.abs(L.eig(a).eigenvectors) ** 4), a)

    def left_and_right(a):
        w, left, right = G.lax.linalg.eig(a)
        return jnp.real(jnp.sum(jnp.sin(left[0]) * right[1] * w))
    check_derivatives(left_and_right, random(3, 3, dtype="complex64"), order=2)


# ---- singular values ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_singular_vectors(shape, dtype):
    """Products of a left and the right vector do not depend on their phases; nor do projections on null spaces on their bases."""
    a = random(*shape, dtype=dtype)
    m, n = shape

    def f(a):
        u, s, vh = L.svd(a)
        k = min(m, n)
        null = u[:, k:] if m > n else jnp.conj(vh[k:].T)
        parts = (u[:, :k] * jnp.arange(1.0, k + 1)) @ vh[:k], s, null @ jnp.conj(null.T)
        return jnp.real(jnp.concatenate([x.reshape(-1) for x in parts]))
    check_derivatives(f, a, order=2 if m == n else 1)


def test_polar_factor_where_singular_values_are_equal():
    """u vh of an orthogonal matrix: a smooth function, though its singular values are all 1."""
    def factor(a):
        u, _, vh = L.svd(a)
        return u @ vh
    check_derivatives(factor, np.linalg.qr(random(3, 3).astype("f8"))[0])
    check_derivatives(factor, np.eye(4))


def test_singular_values_of_low_rank():
    """The first singular value and vectors of a matrix of rank 1."""
    def first(a):
        u, s, vh = L.svd(a, full_matrices=False)
        return u[:, :1] * s[:1] @ vh[:1]
    for a in (of_rank(3, 1), of_rank(4, 2)):
        check_derivatives(first, a)


def test_nuclear_norm_and_spectral_norm():
    check_derivatives(lambda a: L.norm(a, "nuc"), random(4, 3))
    check_derivatives(lambda a: L.norm(a, 2), random(4, 3))


# ---- norms ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("ord", [None, 1, 2, 3, 2.5, np.inf])
def test_norms(ord):
    x = random(4)
    check_derivatives(lambda x: L.norm(x, ord), x)
    check_derivatives(lambda x: L.norm(x, ord), random(4, dtype="complex64"))
    assert np.isfinite(np.asarray(G.grad(lambda x: L.norm(x, ord))(np.zeros(3, "f")))).all()


def test_norm_at_zero():
    zero = np.zeros((2, 3), "f")
    for f in (L.norm, lambda x: L.norm(x, axis=1).sum(), lambda x: L.norm(x, 3, axis=1).sum()):
        np.testing.assert_array_equal(G.grad(f)(zero), 0)
        np.testing.assert_array_equal(G.jvp(f, (zero,), (zero + 1,))[1], 0)
