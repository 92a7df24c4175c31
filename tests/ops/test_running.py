"""Running sums and extremes of long vectors, which are cut into pieces that run side by side."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.ops.cumulative import LONG


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
