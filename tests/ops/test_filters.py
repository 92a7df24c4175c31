"""A vector that slides over many numbers: on one CPU device a product with a matrix, block by block."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import lax

N = 17000


def numbers(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("size, mode", [(16, "full"), (64, "same"), (65, "valid"), (200, "same")])
def test_against_numpy(size, mode):
    x, k = numbers(N), numbers(size)
    convolve = gnomon.jit(lambda x, k: jnp.convolve(x, k, mode))
    np.testing.assert_allclose(convolve(x, k), np.convolve(x.astype(float), k.astype(float), mode), atol=1e-3)
    x[5000] = np.inf        # spoils what it is under the filter with, and nothing else
    np.testing.assert_array_equal(np.isfinite(convolve(x, k)), np.isfinite(np.convolve(x, k, mode)))


def test_layouts_and_padding():
    x, k = numbers(3, N // 3), numbers(20)
    plain = np.stack([np.convolve(np.pad(row.astype(float), (3, 0))[:-2], k[::-1].astype(float), "valid") for row in x])
    for spec, turned in (("NCW", (0, 1, 2)), ("NWC", (0, 2, 1)), ("WNC", (2, 0, 1)), ("CWN", (1, 2, 0))):
        run = gnomon.jit(lambda x, k: lax.conv_general_dilated(x, k, (1,), [(3, -2)], dimension_numbers=(spec, "OIW", spec)))
        np.testing.assert_allclose(run(x[:, None].transpose(turned), k[None, None]), plain[:, None].transpose(turned), atol=1e-3)


def test_under_transforms():
    x, k = numbers(2, N), numbers(32)
    by_x, by_k = gnomon.jit(gnomon.grad(lambda x, k: jnp.convolve(x, k, "same")[::2].sum(), (0, 1)))(x[0], k)
    weight = (np.arange(N) % 2 == 0).astype(float)
    np.testing.assert_allclose(by_x, np.convolve(weight, k[::-1], "full")[16:-15], atol=1e-3)
    np.testing.assert_allclose(by_k, np.correlate(np.pad(x[0].astype(float), (16, 15)), weight, "valid")[::-1], atol=0.02)
    found = gnomon.jit(gnomon.vmap(jnp.convolve, (0, None)))(x, k)
    np.testing.assert_allclose(found, [np.convolve(row, k) for row in x], atol=1e-3)
