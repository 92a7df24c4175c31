"""Sines and cosines of many float32 numbers on one CPU device, which are written out: half an ulp, at every size of x."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp

N = 2 ** 15
FIRST = [0.0, -0.0, np.nan, 2.0 ** 20 - 1]


def numbers(scale):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(N) * scale).astype(np.float32).clip(-2 ** 20 + 1, 2 ** 20 - 1)
    x[:N // 4] = (np.arange(N // 4) * np.pi / 2).astype(np.float32)     # where one of the two is close to 0
    x[:4] = FIRST
    return x


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_half_an_ulp(name):
    f = gnomon.jit(getattr(jnp, name))
    for scale in (1e-30, 1e-3, 1, 100, 1e6):
        x = numbers(scale)
        wanted, found = getattr(np, name)(x.astype(np.longdouble)), np.asarray(f(x))
        assert np.nanmax(np.abs(found - wanted) / np.spacing(np.abs(wanted.astype(np.float32)))) < 0.501
        assert np.isnan(found[2]) and np.signbit(found[:2]).tolist() == np.signbit(wanted[:2]).tolist()


def test_very_large_numbers_and_infinities():
    x = numbers(1)
    x[4:8] = np.inf, -np.inf, 1e30, -2.0 ** 20
    found = np.asarray(gnomon.jit(jnp.sin)(x))
    assert np.isnan(found[4:6]).all()
    wanted = np.sin(x[6:].astype(np.longdouble))
    assert np.max(np.abs(found[6:] - wanted) / np.spacing(np.abs(wanted.astype(np.float32)))) < 1


def test_under_transforms():
    x = numbers(3)[3:].repeat(2)[:N].reshape(2, -1)
    np.testing.assert_allclose(gnomon.grad(lambda x: jnp.sin(x).sum())(x), np.cos(x), 1e-5, 1e-6)
    np.testing.assert_allclose(gnomon.vmap(gnomon.grad(lambda x: jnp.cos(2 * x).sum()))(x), -2 * np.sin(2 * x), 1e-5, 1e-6)
    carry, _ = gnomon.lax.scan(lambda c, row: (jnp.sin(c + row), None), jnp.zeros(N // 2), x)
    np.testing.assert_allclose(carry, np.sin(np.sin(x[0]) + x[1]), 1e-4, 1e-5)
