"""Running sums and extremes of long vectors, which are cut into pieces that run side by side."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.ops.cumulative import LONG, PIECES


@pytest.mark.parametrize("n", [LONG, LONG + 5])
def test_long_vectors(n):
    rng = np.random.default_rng(0)
    i = rng.integers(-2 ** 31, 2 ** 31, n).astype(np.int32)
    x = rng.standard_normal(n).astype(np.float32)
    broken = x.copy()
    broken[n // 2] = np.nan

    def running(i, x, broken):
        return [f(v, reverse=back) for f, v in ((lax.cumsum, i), (lax.cumsum, x), (lax.cummax, x), (lax.cummin, broken), (lax.cummax, i))
                for back in (False, True)]
    found = gnomon.jit(running)(i, x, broken)
    pairs = (np.add, i), (np.add, x.astype(float)), (np.maximum, x), (np.minimum, broken), (np.maximum, i)
    wanted = [np.flip(f.accumulate(np.flip(v), dtype=v.dtype)) if back else f.accumulate(v, dtype=v.dtype)
              for f, v in pairs for back in (False, True)]
    for k, (a, b) in enumerate(zip(found, wanted)):
        if k in (2, 3):
            np.testing.assert_allclose(a, b, 1e-5, 1e-3)
        else:
            np.testing.assert_array_equal(a, b)


def test_a_long_line_among_dimensions_of_one_and_its_gradient():
    x = np.ones((1, LONG, 1), np.float32)
    assert gnomon.jit(lambda x: jnp.cumsum(x, 1))(x).shape == x.shape
    slope = gnomon.jit(gnomon.grad(lambda x: jnp.cumsum(x, 1)[0, -1, 0] + jnp.cumsum(x, 1)[0, 0, 0]))(x)
    assert slope[0, 0, 0] == 2 and (slope[0, 1:] == 1).all()


@pytest.mark.parametrize("n", [LONG - 1, LONG, LONG + 5, 1024 * PIECES * 2, 1040 * PIECES])
def test_running_products_and_sums_of_as_many_as_stand_badly_in_memory(n):
    """Pieces a multiple of a page apart, and sizes beside the first that is cut into pieces."""
    rng = np.random.default_rng(0)
    factors = (1 + rng.standard_normal(n) / n ** 0.5).astype(np.float32)
    odd = rng.integers(-50, 50, n).astype(np.int32) * 2 + 1
    ends = np.ones(n, np.float32)
    ends[n // 3], ends[n // 2] = 0, np.nan
    for back in (False, True):
        turned = (lambda v: v[::-1]) if back else (lambda v: v)
        a, b, c, d = gnomon.jit(lambda *xs: [lax.cumprod(x, reverse=back) for x in xs] + [lax.cumsum(xs[1], reverse=back)])(factors, odd, ends)
        np.testing.assert_allclose(a, turned(np.cumprod(turned(factors.astype(float)))), 1e-3)
        np.testing.assert_array_equal(b, turned(np.cumprod(turned(odd), dtype=np.int32)))
        np.testing.assert_array_equal(c, turned(np.cumprod(turned(ends))))
        np.testing.assert_array_equal(d, turned(np.cumsum(turned(odd), dtype=np.int32)))


def test_the_gradient_of_a_long_running_product():
    x = (1 + np.random.default_rng(0).standard_normal(LONG) / LONG).astype(np.float32)
    slope = gnomon.jit(gnomon.grad(lambda x: lax.cumprod(x)[-1]))(x)
    np.testing.assert_allclose(slope, np.prod(x.astype(float)) / x, 1e-3)
