"""Powers of many float32 numbers on one CPU device, which are written out: half an ulp, and the special cases of IEEE 754."""
import numpy as np

import gnomon
import gnomon.numpy as jnp

N = 2 ** 15
SPECIAL = [0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, np.inf, -np.inf, np.nan, 3, -3, 4, 2.5, 1e30, -1e30, 16777217, 1.0000001]


def test_half_an_ulp_and_special_cases():
    rng = np.random.default_rng(0)
    x = np.exp(rng.uniform(-87, 88, N)).astype(np.float32)
    y = (rng.uniform(-125, 127, N) / np.log2(x)).astype(np.float32)
    x[:1000], y[:1000] = 1 + rng.uniform(-1e-6, 1e-6, 1000), rng.uniform(-1e7, 1e7, 1000)
    pairs = np.array(np.meshgrid(SPECIAL, SPECIAL), np.float32).reshape(2, -1)
    x[1000:1000 + pairs.shape[1]], y[1000:1000 + pairs.shape[1]] = pairs
    with np.errstate(all="ignore"):
        wanted = np.power(x.astype(np.longdouble), y.astype(np.longdouble))
        rounded = wanted.astype(np.float32)
        found = np.asarray(gnomon.jit(jnp.power)(x, y))
        ulps = np.abs(found - wanted) / np.spacing(np.abs(rounded))
    normal = np.isfinite(rounded) & (np.abs(rounded) > 1e-37)
    assert ulps[normal].max() < 0.51
    np.testing.assert_array_equal(found[~normal], np.where(np.abs(rounded) < 2 ** -126, np.copysign(0, rounded), rounded)[~normal])
    np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted) & ~np.isnan(wanted) | np.isnan(found) & np.signbit(found))


def test_under_transforms():
    x, y = np.random.default_rng(0).uniform(0.5, 2, (2, 2, N // 2)).astype(np.float32)
    by_x, by_y = gnomon.jit(gnomon.vmap(gnomon.grad(lambda x, y: jnp.power(x, y).sum(), (0, 1))))(x, y)
    np.testing.assert_allclose(by_x, y * x ** (y - 1), 1e-5)
    np.testing.assert_allclose(by_y, x ** y * np.log(x), 1e-4, 1e-6)
