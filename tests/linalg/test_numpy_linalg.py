"""gnomon.numpy.linalg against NumPy in double precision, and where NumPy and the definitions have corner cases."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon.base.errors import Refused

L, N = jnp.linalg, np.linalg
DTYPES = ["float32", "complex64"]


def random(*shape, dtype="float32", seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype.startswith("c") else x).astype(dtype)


def hermitian(*shape, dtype="float32"):
    x = random(*shape, dtype=dtype)
    return x + np.conj(x.swapaxes(-1, -2))


def positive(*shape, dtype="float32"):
    x = random(*shape, dtype=dtype)
    return x @ np.conj(x.swapaxes(-1, -2)) + np.eye(shape[-1], dtype=dtype)


def wide(x):
    return x.astype("complex128" if x.dtype.kind == "c" else "float64")


def close(got, want, tol=2e-4):
    got = np.asarray(got)
    assert got.shape == np.shape(want)
    np.testing.assert_allclose(got, want, rtol=tol, atol=tol * max(1, np.max(np.abs(want), initial=0)))


# name, arguments: each compared with NumPy's function of the same name on the same numbers in double precision
SAME = [
    *[("det", (random(*lead, n, n),)) for n in (0, 1, 2, 3, 4, 7) for lead in ((), (2, 3))],
    *[("inv", (random(2, n, n) + 2 * np.eye(n, dtype="f"),)) for n in (0, 1, 5)],
    *[("solve", args) for args in ((random(4, 4), random(4)), (random(3, 4, 4), random(4)), (random(3, 4, 4), random(4, 2)),
                                   (random(4, 4), random(2, 3, 4, 5)), (random(2, 1, 4, 4), random(3, 4, 2)))],
    *[("cholesky", (positive(*lead, 4, 4),)) for lead in ((), (2,), (2, 3))],
    *[("eigvalsh", (hermitian(*lead, 5, 5), side)) for lead in ((), (3,)) for side in "LU"],
    *[("pinv", (random(*shape),)) for shape in ((4, 3), (2, 3, 4), (3, 3), (0, 3))],
    *[("matrix_rank", (x,)) for x in (random(4, 3), np.ones((2, 3, 3), "f"), np.zeros((3, 3), "f"), np.float32(0), np.ones(3, "f"))],
    *[("matrix_power", (random(2, 3, 3), n)) for n in (0, 1, 2, 3, 5, 8)],
    *[("matrix_power", (random(3, 3) + 2 * np.eye(3, dtype="f"), n)) for n in (-1, -3)],
    *[("norm", (random(4), ord)) for ord in (None, 0, 1, 2, 3, 2.5, -1, -2, np.inf, -np.inf)],
    *[("norm", (random(2, 3, 4), ord, 1, True)) for ord in (None, 0, 1, 2, 3, np.inf, -np.inf)],
    *[("norm", (random(2, 3, 4), ord, axes)) for ord in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf) for axes in ((1, 2), (2, 0), (-1, 1))],
    ("norm", (random(2, 3, 4),)),
    ("norm", (np.float32(-3),)),
    *[("cond", (random(3, 3), p)) for p in (None, 2, -2, 1, -1, np.inf, "fro", "nuc")],
    ("cond", (np.zeros((2, 2), "f"), 1)),
    ("multi_dot", ([random(4), random(4, 5), random(5, 3), random(3)],)),
    ("multi_dot", ([random(2, 6), random(6, 3), random(3, 8), random(8, 2)],)),
    ("tensorinv", (random(4, 6, 8, 3),)),
    ("tensorinv", (random(6, 2, 3), 1)),
    ("tensorsolve", (random(2, 3, 6), random(2, 3))),
    ("tensorsolve", (random(6, 2, 3), random(6), None)),
    ("svdvals", (random(2, 4, 3),)),
    ("vector_norm", (random(3, 4),)),
    ("matrix_norm", (random(2, 3, 4),)),
    ("trace", (random(2, 3, 3),)),
    ("diagonal", (random(2, 3, 4),)),
    ("cross", (random(4, 3), random(4, 3, seed=1))),
]


@pytest.mark.parametrize("name, args", SAME, ids=lambda x: x if isinstance(x, str) else "")
def test_same_as_numpy(name, args):
    def to(x):
        return [to(y) for y in x] if isinstance(x, list) else wide(x) if isinstance(x, (np.ndarray, np.generic)) else x
    close(getattr(L, name)(*args), getattr(N, name)(*map(to, args)), 2e-3 if name in ("cond", "tensorinv") else 2e-4)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 5, 3), (0, 3), (3, 0)])
def test_qr(shape, dtype):
    a = random(*shape, dtype=dtype)
    for mode in ("reduced", "complete"):
        q, r = L.qr(a, mode)
        want = N.qr(wide(a), mode)
        close(q, want[0])
        close(r, want[1])
    close(L.qr(a, "r"), N.qr(wide(a), "r"))
    if a.size:
        h, taus = L.qr(a, "raw")
        want = N.qr(wide(a), "raw")
        close(h, want[0])
        close(taus, want[1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 5, 3), (0, 3), (3, 0)])
@pytest.mark.parametrize("full", [True, False])
def test_svd(shape, dtype, full):
    a = random(*shape, dtype=dtype)
    u, s, vh = L.svd(a, full_matrices=full)
    k = min(shape[-2:])
    close(s, N.svd(wide(a), compute_uv=False))
    assert u.shape == (*shape[:-1], shape[-2] if full else k) and vh.shape == (*shape[:-2], shape[-1] if full else k, shape[-1])
    close((np.asarray(u)[..., :k] * np.asarray(s)[..., None, :]) @ np.asarray(vh)[..., :k, :], a)
    for x in (np.asarray(u), np.conj(np.asarray(vh).swapaxes(-1, -2))):
        close(np.conj(x.swapaxes(-1, -2)) @ x, np.broadcast_to(np.eye(x.shape[-1]), (*shape[:-2], x.shape[-1], x.shape[-1])))
    close(L.svd(a, compute_uv=False), s)


def test_svd_of_hermitian_matrices_and_of_some_values():
    a = hermitian(2, 4, 4)
    u, s, vh = L.svd(a, hermitian=True)
    close((u * s[:, None, :]) @ vh, a)
    close(s, N.svd(wide(a), compute_uv=False))
    b = random(4, 3)
    whole, part = L.svd(b, full_matrices=False), L.svd(b, full_matrices=False, subset_by_index=(1, 3))
    for x, y in zip(part, (whole.U[:, 1:], whole.S[1:], whole.Vh[1:])):
        close(x, y)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(4, 4), (2, 3, 3), (1, 1), (0, 0)])
def test_eigenvalues(shape, dtype):
    a = hermitian(*shape, dtype=dtype)
    w, v = L.eigh(a)
    close(w, N.eigvalsh(wide(a)))
    close(a @ np.asarray(v), np.asarray(v) * np.asarray(w)[..., None, :])
    close(L.eigvalsh(a), w)
    b = random(*shape, dtype=dtype)
    w, v = L.eig(b)
    assert w.dtype == v.dtype == np.complex64
    close(b @ np.asarray(v), np.asarray(v) * np.asarray(w)[..., None, :])
    close(np.sort_complex(L.eigvals(b).__array__().reshape(-1)), np.sort_complex(N.eigvals(wide(b)).reshape(-1)), 1e-3)


def test_eigh_reads_the_triangle_it_is_told():
    a = random(3, 3)
    for side, triangle in (("L", np.tril), ("U", np.triu)):
        mirrored = triangle(a) + triangle(a, 1 if side == "U" else -1).T
        close(L.eigh(a, side, symmetrize_input=False).eigenvalues, N.eigvalsh(wide(mirrored)))
    close(L.eigh(a).eigenvalues, N.eigvalsh(wide(a + a.T) / 2))
    with pytest.raises(ValueError, match="UPLO='L' or 'U', got 'X'"):
        L.eigh(a, "X")


@pytest.mark.parametrize("method", [None, "lu", "qr"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_slogdet(dtype, method):
    for a in (random(2, 4, 4, dtype=dtype), random(3, 3, dtype=dtype)):
        for got, want in zip(L.slogdet(a, method=method), N.slogdet(wide(a))):
            close(got, want)


def test_slogdet_of_a_singular_matrix():
    got = L.slogdet(np.zeros((2, 2), "f"))
    assert got.sign == 0 and got.logabsdet == -np.inf


def test_lstsq():
    a, b = random(5, 3), random(5, 2)
    for got, want in zip(L.lstsq(a, b), N.lstsq(wide(a), wide(b), rcond=None)):
        close(got, want)
    x, residuals, rank, s = L.lstsq(a, b[:, 0])
    want = N.lstsq(wide(a), wide(b[:, 0]), rcond=None)
    close(x, want[0])
    close(residuals, want[1])
    low = a[:, :1] @ np.ones((1, 3), "f")
    got, want = L.lstsq(low, b, numpy_resid=True), N.lstsq(wide(low), wide(b), rcond=None)
    close(got[0], want[0])
    assert int(got[2]) == want[2] == 1 and got[1].shape == want[1].shape == (0,)


def test_cholesky_upper_and_of_indefinite_matrices():
    a = positive(3, 3, dtype="complex64")
    close(L.cholesky(a, upper=True), np.conj(N.cholesky(wide(a)).T))
    bad = L.cholesky(np.array([[1, 2], [2, 1]], "f"))
    assert np.isnan(bad[0, 0]) and bad[0, 1] == 0
    # of a list, only the bad one is NaN
    both = L.cholesky(np.stack([np.eye(2, dtype="f"), -np.eye(2, dtype="f")]))
    assert np.isfinite(np.asarray(both[0])).all() and np.isnan(np.asarray(both[1])[np.tril_indices(2)]).all()


def test_triangle_reading():
    a = positive(3, 3)
    close(L.cholesky(np.tril(a), symmetrize_input=False), N.cholesky(wide(a)))
    close(L.cholesky(np.triu(a), upper=True, symmetrize_input=False), N.cholesky(wide(a)).T)


@pytest.mark.parametrize("dtype", ["int32", "bool", "uint8"])
def test_integers_are_computed_with_as_floats(dtype):
    a = np.array([[2, 1], [1, 1]]).astype(dtype)
    assert L.inv(a + np.eye(2, dtype=dtype) if dtype != "bool" else np.eye(2, dtype=bool)).dtype == np.float32
    assert L.det(a).dtype == np.float32 and L.norm(a).dtype == np.float32
    assert L.matrix_power(a, 3).dtype == a.dtype
    np.testing.assert_array_equal(L.matrix_power(a, 3), N.matrix_power(a, 3))


def test_double_precision():
    with G.enable_x64(True):
        a = random(4, 4, dtype="float64")
        x = L.solve(a, a @ np.ones(4))
        assert x.dtype == np.float64
        np.testing.assert_allclose(x, 1, rtol=1e-11)


def test_narrow_floats():
    a = jnp.eye(3, dtype="bfloat16")
    with pytest.raises(Refused, match=r"cholesky computes in float32.*not in bfloat16.*\.astype\('float32'\)"):
        L.cholesky(a)
    assert L.det(a).dtype == a.dtype and L.norm(a).dtype == a.dtype


@pytest.mark.parametrize("call, message", [
    (lambda: L.inv(np.ones((2, 3), "f")), r"inv takes square matrices in the last two dimensions of a, got shape \(2, 3\)"),
    (lambda: L.cholesky(np.ones(3, "f")), "cholesky takes matrices in the last two dimensions of a"),
    (lambda: L.solve(np.eye(3, dtype="f"), np.ones((2, 2), "f")), r"solve needs right sides b of shape \(n,\) or \(\.\.\., n, k\) with n = 3"),
    (lambda: L.solve(np.ones((2, 4, 4), "f"), np.ones((2, 4), "f")), r"b\[\.\.\., None\]"),
    (lambda: L.norm(np.ones((2, 2), "f"), ord="x"), "norm takes as order of a matrix 'fro', 'nuc'.*got ord='x'"),
    (lambda: L.norm(np.ones(2, "f"), ord="nuc"), "norm takes as order of a vector a number or inf"),
    (lambda: L.norm(np.ones((2, 2, 2), "f"), ord=2), "norm takes one axis for vectors or two for matrices"),
    (lambda: L.qr(np.eye(2, dtype="f"), mode="x"), "qr takes mode 'reduced'"),
    (lambda: L.multi_dot([np.eye(2, dtype="f")]), "multi_dot takes at least two arrays"),
    (lambda: L.matrix_rank(np.eye(2, dtype="f"), 0.1, tol=0.1), "matrix_rank takes rtol or tol, not both"),
    (lambda: L.svd(np.eye(3, dtype="f"), full_matrices=False, subset_by_index=(2, 5)), "svd needs a subset_by_index"),
])
def test_errors(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_under_jit_and_vmap():
    a, b = random(3, 4, 4), random(3, 4)
    close(G.jit(L.solve)(a[0], b[0]), N.solve(wide(a[0]), wide(b[0])))
    close(G.vmap(L.solve)(a, b), N.solve(wide(a), wide(b[..., None]))[..., 0])
    close(G.vmap(L.solve, (None, 0))(a[0], b), N.solve(wide(a[0]), wide(b.T)).T)
    close(G.vmap(L.inv)(a), N.inv(wide(a)))
    close(G.vmap(L.det)(a), N.det(wide(a)))


def test_one_matrix_for_all_lanes_is_factored_once():
    """A mapped right side means more columns, not more matrices."""
    text = G.make_jaxpr(G.vmap(L.solve, (None, 0)))(np.eye(4, dtype="f"), np.ones((7, 4), "f")).pretty_print()
    assert "lu" in text and "f32[7,4,4]" not in text


def test_large_permutations():
    """More rows than are exchanged in one step of the loop."""
    for n in (31, 32, 33, 64, 65, 100):
        a = random(n, n, seed=n)
        packed, pivots, permutation = (np.asarray(x) for x in G.lax.linalg.lu(a))
        want = np.arange(n)
        for i, p in enumerate(pivots):
            want[[i, p]] = want[[p, i]]
        np.testing.assert_array_equal(permutation, want)
        close((np.tril(packed, -1) + np.eye(n)) @ np.triu(packed), a[permutation])


def test_norms_of_half_precision():
    """Squares and cubes of such numbers are beyond float16."""
    x = np.array([300, 400], "f2")
    assert float(L.norm(x)) == 500 and float(L.norm(x, ord=3)) == float(np.float16(91e6 ** (1 / 3))) and L.norm(x).dtype == np.float16
    np.testing.assert_allclose(G.grad(L.norm)(x), [0.6, 0.8], rtol=1e-3)
    many = np.random.default_rng(0).uniform(0, 1, 100_000).astype("f2")
    np.testing.assert_allclose(L.norm(many), N.norm(many.astype("f8")), rtol=1e-3)
