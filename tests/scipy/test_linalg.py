"""gnomon.scipy.linalg against SciPy in double precision."""
import numpy as np
import pytest
import scipy.linalg as theirs

import gnomon as G
import gnomon.numpy as jnp
from gnomon.scipy import linalg as ours
from tests.linalg.derivatives import check_derivatives
from tests.linalg.test_numpy_linalg import close, hermitian, positive, random, wide

DTYPES = ["float32", "complex64"]
VECTOR, MATRIX = random(4), random(4, 4)

# name, arguments, keywords: each compared with SciPy's function of the same name
SAME = [
    *[("toeplitz", args, {}) for args in ((random(4),), (random(4), random(3)), (random(3, dtype="complex64"),), (random(2, 3),))],
    *[("hankel", args, {}) for args in ((random(4),), (random(4), random(3)))],
    ("circulant", (random(4),), {}), ("companion", (random(5),), {}), ("fiedler", (random(4),), {}),
    *[("fiedler_companion", (random(n),), {}) for n in range(2, 8)],
    ("leslie", (random(4), random(3)), {}), ("block_diag", (random(2, 3), random(2), random(1, 1)), {}), ("block_diag", (), {}),
    *[("convolution_matrix", (random(n), m, mode), {}) for n, m in ((3, 5), (6, 3)) for mode in ("full", "same", "valid")],
    *[("dft", (5, scale), {}) for scale in (None, "sqrtn", "n")], ("hadamard", (8,), {}), ("helmert", (4,), {}),
    ("helmert", (4, True), {}), ("hilbert", (4,), {}), ("invhilbert", (5,), {}),
    *[(name, (5, kind), {}) for name in ("pascal", "invpascal") for kind in ("symmetric", "lower", "upper")],
    *[("expm", (scale * random(*shape),), {}) for scale in (1e-3, 1, 20) for shape in ((3, 3), (2, 4, 4))],
    ("expm", (np.zeros((3, 3), "f"),), {}), ("expm", (random(3, 3, dtype="complex64"),), {}),
    ("expm_frechet", (random(3, 3), random(3, 3, seed=1)), {}),
    *[("polar", (random(*shape), side), {}) for shape in ((3, 3), (4, 2), (2, 4)) for side in ("left", "right")],
    ("solve_sylvester", (random(3, 3), random(2, 2, seed=1), random(3, 2)), {}),
    ("solve_sylvester", (random(3, 3, dtype="complex64"), random(2, 2, dtype="complex64", seed=1), random(3, 2, dtype="complex64")), {}),
    ("inv", (MATRIX,), {}), ("det", (MATRIX,), {}),
    *[("solve", (positive(4, 4, dtype=t), random(4, 2, dtype=t)), {"assume_a": kind}) for kind in ("gen", "her", "pos") for t in DTYPES],
    ("solve", (random(2, 3, 3), random(2, 3, 1)), {}),
    *[("cholesky", (positive(3, 3, dtype=t),), {"lower": lower}) for lower in (False, True) for t in DTYPES],
    *[("qr", (random(*shape, dtype=t),), {"mode": mode}) for shape in ((4, 3), (3, 4)) for mode in ("full", "economic", "r") for t in DTYPES],
    *[("qr", (random(*shape),), {"mode": "economic", "pivoting": True}) for shape in ((4, 3), (3, 4))],
    ("svd", (random(4, 3),), {"compute_uv": False}),
    *[("eigh", (hermitian(4, 4, dtype=t),), {"eigvals_only": True, "lower": lower}) for lower in (False, True) for t in DTYPES],
    *[("eigh", (hermitian(4, 4), positive(4, 4)), {"eigvals_only": True, "type": kind}) for kind in (1, 2, 3)],
    *[("eigh_tridiagonal", (random(5), random(4)), {"eigvals_only": True, "select": s, "select_range": r})
      for s, r in (("a", None), ("i", (1, 3)), ("v", (-1, 1)))],
    ("hessenberg", (random(4, 4),), {}), ("hessenberg", (random(1, 1),), {"calc_q": True}),
    ("hessenberg", (random(4, 4, dtype="complex64"),), {"calc_q": True}),
]


@pytest.mark.parametrize("name, args, options", SAME, ids=lambda x: x if isinstance(x, str) else "")
def test_same_as_scipy(name, args, options):
    got = getattr(ours, name)(*args, **options)
    want = getattr(theirs, name)(*[wide(x) if isinstance(x, np.ndarray) and x.dtype.kind in "fc" else x for x in args], **options)
    for x, y in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
        close(x, y, 5e-4)


@pytest.mark.parametrize("trans", [0, 1, 2, "N", "T", "C"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_solve_triangular(trans, lower, dtype):
    a, b = random(4, 4, dtype=dtype) + 4 * np.eye(4, dtype="f"), random(4, 2, dtype=dtype)
    for unit in (False, True):
        got = ours.solve_triangular(a, b, trans=trans, lower=lower, unit_diagonal=unit)
        close(got, theirs.solve_triangular(wide(a), wide(b), trans=trans, lower=lower, unit_diagonal=unit), 1e-3)
    close(ours.solve_triangular(a, b[:, 0], trans=trans, lower=lower), theirs.solve_triangular(wide(a), wide(b[:, 0]), trans, lower))


def test_solve_triangular_of_lists():
    a, b = random(2, 3, 3) + 4 * np.eye(3, dtype="f"), random(2, 3)
    want = np.stack([theirs.solve_triangular(x, y) for x, y in zip(wide(a), wide(b))])
    close(ours.solve_triangular(a, b), want)
    close(G.vmap(ours.solve_triangular)(a, b), want)
    close(G.vmap(ours.solve_triangular, (None, 0))(a[0], b), theirs.solve_triangular(wide(a[0]), wide(b.T)).T)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [False, True])
def test_cholesky_solve(dtype, lower):
    a, b = positive(4, 4, dtype=dtype), random(4, 2, dtype=dtype)
    factor = ours.cho_factor(a, lower)
    assert factor[1] is lower
    close(ours.cho_solve(factor, b), np.linalg.solve(wide(a), wide(b)), 1e-3)
    close(ours.cho_solve(factor, b[:, 1]), np.linalg.solve(wide(a), wide(b[:, 1])), 1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("trans", [0, 1, 2])
def test_lu(dtype, trans):
    a, b = random(5, 5, dtype=dtype), random(5, 2, dtype=dtype)
    factor = ours.lu_factor(a)
    want = theirs.lu_factor(wide(a))
    close(factor[0], want[0])
    np.testing.assert_array_equal(factor[1], want[1])
    close(ours.lu_solve(factor, b, trans), theirs.lu_solve(want, wide(b), trans), 1e-3)
    for shape in ((3, 5), (5, 3)):
        x = random(*shape, dtype=dtype)
        for got, expected in zip(ours.lu(x), theirs.lu(wide(x))):
            close(got, expected)
        for got, expected in zip(ours.lu(x, permute_l=True), theirs.lu(wide(x), permute_l=True)):
            close(got, expected)


def test_qr_multiply():
    a = random(4, 3)
    for c, mode in ((random(2, 4), "right"), (random(4), "right"), (random(3, 2), "left")):
        for got, want in zip(ours.qr_multiply(a, c, mode), theirs.qr_multiply(wide(a), wide(c), mode)):
            close(got, want)


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_generalized_eigenvectors(kind):
    a, b = hermitian(4, 4, dtype="complex64"), positive(4, 4, dtype="complex64")
    w, v = map(np.asarray, ours.eigh(a, b, type=kind))
    left, right = {1: (a @ v, b @ v), 2: (a @ b @ v, v), 3: (b @ a @ v, v)}[kind]
    close(left, right * w, 1e-3)
    norm = np.conj(v.T) @ (np.linalg.inv(b) if kind == 3 else b) @ v
    close(norm, np.eye(4), 1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_schur(dtype):
    a = random(5, 5, dtype=dtype)
    for output in ("real", "complex"):
        t, z = map(np.asarray, ours.schur(a, output))
        close(z @ t @ np.conj(z.T), a)
        close(np.conj(z.T) @ z, np.eye(5))
        assert np.iscomplexobj(t) == (output == "complex" or dtype == "complex64")
        np.testing.assert_array_equal(np.tril(t, -2 if output == "real" else -1), 0)
    t, z = map(np.asarray, ours.rsf2csf(*ours.schur(a)))
    close(z @ t @ np.conj(z.T), a, 1e-3)
    np.testing.assert_array_equal(np.tril(t, -1), 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_square_root_and_functions(dtype):
    a = random(4, 4, dtype=dtype)
    s = np.asarray(ours.sqrtm(a))
    close(s @ s, a, 1e-3)
    close(s, theirs.sqrtm(wide(a)), 1e-3)
    f = lambda x: x ** 3 + 1  # noqa: E731
    close(ours.funm(a, f), a @ a @ a + np.eye(4), 2e-3)
    assert float(ours.funm(a, jnp.exp, disp=False)[1]) < 1e-3
    close(ours.funm(a, jnp.exp), theirs.expm(wide(a)), 2e-3)
    np.testing.assert_allclose(ours.sqrtm(np.eye(3, dtype="f") * 4), 2 * np.eye(3))


def test_expm_that_is_too_large():
    a = np.full((2, 2), 1e6, "f")
    assert np.isnan(np.asarray(ours.expm(a, max_squarings=3))).all()
    with G.enable_x64(True):
        a = random(5, 5).astype("f8") * 5
        np.testing.assert_allclose(ours.expm(a), theirs.expm(a), rtol=1e-10)
        np.testing.assert_allclose(ours.expm(np.triu(a), upper_triangular=True), theirs.expm(np.triu(a)), rtol=1e-10, atol=1e-12)


def test_derivatives_of_functions_of_matrices():
    a, b = random(3, 3), random(2, 2, seed=1)
    check_derivatives(ours.expm, 3 * a)
    check_derivatives(lambda a: jnp.real(ours.sqrtm(a)), a @ a.T + np.eye(3))
    check_derivatives(lambda a, b, c: ours.solve_sylvester(a, b, c), a, b + 4 * np.eye(2), random(3, 2), order=2)
    check_derivatives(lambda a: ours.polar(a)[0], a)


def test_derivatives_of_systems():
    a, b = positive(3, 3), random(3, 2)
    check_derivatives(lambda a, b: ours.cho_solve(ours.cho_factor(a), b), a, b)
    check_derivatives(lambda a, b: ours.lu_solve(ours.lu_factor(a), b), random(3, 3), b)
    check_derivatives(lambda a, b: ours.solve_triangular(a, b, trans=1, lower=True), a, b)
    check_derivatives(lambda a: ours.eigh(a, positive(3, 3).astype("f8"))[0], hermitian(3, 3))


@pytest.mark.parametrize("call, message", [
    (lambda: ours.solve(MATRIX, VECTOR, assume_a="banded"), "solve takes assume_a 'gen'.*got 'banded'"),
    (lambda: ours.solve_triangular(MATRIX, VECTOR, trans=3), "solve_triangular takes trans 0, 'N', 1, 'T', 2 or 'C', got"),
    (lambda: ours.solve_triangular(MATRIX, random(3)), r"solve_triangular needs a b of shape \(n,\) or \(\.\.\., n, k\) with n = 4"),
    (lambda: ours.expm(random(2, 3)), "expm takes square matrices in the last two dimensions of A"),
    (lambda: ours.sqrtm(random(2, 3, 3)), "sqrtm takes one square matrix.*vmap"),
    (lambda: ours.hadamard(6), "hadamard takes a power of 2, got n=6"),
    (lambda: ours.block_diag(random(2, 2, 2)), "block_diag takes arrays of at most 2 dimensions, but argument 0"),
    (lambda: ours.eigh(MATRIX, type=2), "eigh of one matrix is of type 1"),
])
def test_errors(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
