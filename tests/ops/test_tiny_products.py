"""Products of long lists of tiny matrices, which are written out on one CPU device."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp

N = 1200


def numbers(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("subscripts, a, b", [
    ("bij,bjk->bik", (N, 4, 3), (N, 3, 5)), ("bji,bkj->bik", (N, 3, 4), (N, 5, 3)), ("bij,bj->bi", (N, 4, 3), (N, 3)),
    ("bj,bjk->bk", (N, 3), (N, 3, 4)), ("bj,bj->b", (N, 3), (N, 3)), ("abij,abjk->kabi", (30, 40, 2, 16), (30, 40, 16, 3))])
def test_products_and_their_gradients(subscripts, a, b):
    x, y = numbers(*a), numbers(*b)

    def product(x, y):
        return jnp.einsum(subscripts, x, y)
    run = gnomon.jit(product)
    assert "dot_general" not in run.lower(x, y).as_text()
    wanted = np.einsum(subscripts, x.astype(float), y.astype(float))
    np.testing.assert_allclose(run(x, y), wanted, atol=1e-5)
    by_x, by_y = gnomon.jit(gnomon.grad(lambda x, y: (product(x, y) ** 2).sum() / 2, (0, 1)))(x, y)
    operands, out = subscripts.split("->")
    first, second = operands.split(",")
    np.testing.assert_allclose(by_x, np.einsum(f"{out},{second}->{first}", wanted, y), atol=1e-4)
    np.testing.assert_allclose(by_y, np.einsum(f"{out},{first}->{second}", wanted, x), atol=1e-4)


def test_what_is_not_finite_stays_in_its_matrix():
    x, y = numbers(N, 4, 4), numbers(N, 4, 4)
    x[7, 2, 1] = np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(np.isfinite(gnomon.jit(jnp.matmul)(x, y)), np.isfinite(x @ y))
