"""Long lists of tiny matrices, which are written out on the CPU instead of handed to LAPACK one by one."""
import numpy as np

import gnomon
import gnomon.numpy as jnp
from gnomon import lax

COUNT = 256


def numbers(*shape):
    return np.random.default_rng(0).standard_normal((COUNT, *shape)).astype(np.float32)


def compiled(f, *xs):
    """Results of a compiled function that does not call LAPACK."""
    jitted = gnomon.jit(f)
    assert "lapack" not in jitted.lower(*xs).as_text()
    return gnomon.tree.map(np.array, jitted(*xs))


def test_factors_with_exchanges_and_without_full_rank():
    x = numbers(4, 3)
    x[0], x[1], x[2, :, 0] = 0, np.eye(4, 3)[::-1], 0
    packed, pivots, permutation = compiled(lax.linalg.lu, x)
    lower = np.tril(packed, -1) + np.eye(4, 3, dtype=np.float32)
    moved = np.take_along_axis(x, permutation[..., None], 1)
    np.testing.assert_allclose(lower @ np.triu(packed)[:, :3], moved, 1e-4, 1e-5)
    for i in (1, 3, 9):     # few matrices go to LAPACK
        found = lax.linalg.lu(x[i])
        np.testing.assert_allclose(packed[i], found[0], 1e-4, 1e-5)
        assert pivots[i].tolist() == found[1].tolist() and permutation[i].tolist() == found[2].tolist()


def test_systems_and_their_gradient():
    a, b = numbers(3, 3) + 3 * np.eye(3, dtype=np.float32), numbers(3, 1)
    x, slope = compiled(lambda a, b: (jnp.linalg.solve(a, b), jnp.linalg.det(a)), a, b)
    np.testing.assert_allclose(x, np.linalg.solve(a, b), 2e-3, 1e-3)
    np.testing.assert_allclose(slope, np.linalg.det(a), 1e-3, 1e-3)
    slope = gnomon.jit(gnomon.grad(lambda a: jnp.linalg.solve(a, b).sum()))(a)
    back = np.linalg.solve(a.transpose(0, 2, 1), np.ones_like(b))
    np.testing.assert_allclose(slope, -back @ x.transpose(0, 2, 1), 1e-2, 1e-3)


def test_triangles():
    a, b = numbers(3, 3) + 3 * np.eye(3, dtype=np.float32), numbers(3, 2)
    kinds = [(True, True, False, False), (True, False, True, True), (False, True, True, False), (False, False, False, True)]

    def solutions(a, b):
        return [lax.linalg.triangular_solve(a, b if left else b.transpose(0, 2, 1), left_side=left, lower=lower,
                                            transpose_a=transpose, unit_diagonal=unit)
                for left, lower, transpose, unit in kinds] + [
                lax.linalg.triangular_solve(a, b[..., :1], left_side=True, lower=True)]
    *found, vector = compiled(solutions, a, b)
    for (left, lower, transpose, unit), x in zip(kinds, found):
        m = np.tril(a) if lower else np.triu(a)
        m = m - m * np.eye(3) + np.eye(3) if unit else m
        m = m.transpose(0, 2, 1) if transpose else m
        if left:
            np.testing.assert_allclose(m @ x, b, 1e-2, 2e-3)
        else:
            np.testing.assert_allclose(x @ m, b.transpose(0, 2, 1), 1e-2, 2e-3)
    np.testing.assert_allclose(np.tril(a) @ vector, b[..., :1], 1e-2, 2e-3)


def test_cholesky():
    x = numbers(4, 4)
    x = x @ x.transpose(0, 2, 1) + np.eye(4, dtype=np.float32)
    wanted = np.linalg.cholesky(x)
    x[5] = -x[5]
    lower, upper = compiled(lambda x: (lax.linalg.cholesky(x, symmetrize_input=False), jnp.linalg.cholesky(x, upper=True)), x)
    assert np.isnan(lower[5][np.tril_indices(4)]).all() and np.isnan(upper[5][np.triu_indices(4)]).all()
    lower[5], upper[5] = wanted[5], wanted[5].T
    np.testing.assert_allclose(lower, wanted, 1e-4, 1e-4)
    np.testing.assert_allclose(upper, wanted.transpose(0, 2, 1), 1e-4, 1e-4)
