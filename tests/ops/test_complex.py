"""Functions of complex numbers have the digits of both parts, where one of them is far smaller than the other or than 1."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp


@pytest.mark.parametrize("name", ["exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "sqrt"])
def test_digits_of_both_parts(name):
    rng = np.random.default_rng(0)
    a, b = (rng.choice([-1, 1], 2000) * 10.0 ** rng.uniform(-9, 1.2, 2000) for _ in range(2))
    z = (a + 1j * b).astype("complex64")
    want, found = getattr(np, name)(z.astype("complex128")), np.asarray(getattr(jnp, name)(jnp.asarray(z)))
    for x, y in ((found.real, want.real), (found.imag, want.imag)):
        there = (np.abs(y) > 1e-37) & (np.abs(want) < (100 if "tan" in name else np.inf))      # away from poles
        np.testing.assert_allclose(x[there], y[there], rtol=1e-6)


def test_digits_of_expm1():
    """The imaginary part always; the real one where its terms do not cancel."""
    rng = np.random.default_rng(0)
    a, b = (rng.choice([-1, 1], 2000) * 10.0 ** rng.uniform(-9, 1.2, 2000) for _ in range(2))
    z = (a + 1j * b).astype("complex64")
    want, found = np.expm1(z.astype("complex128")), np.asarray(jnp.expm1(jnp.asarray(z)))
    np.testing.assert_allclose(found.imag, want.imag, rtol=1e-6)
    np.testing.assert_allclose(found, want, rtol=1e-6)
    apart = a < 0
    np.testing.assert_allclose(found.real[apart], want.real[apart], rtol=1e-6)


@pytest.mark.parametrize("name", ["sin", "sinh", "cosh", "expm1", "sqrt", "asin", "acosh", "atan"])
def test_derivatives_on_both_sides_of_the_axis(name):
    with G.enable_x64(True):
        f = getattr(jnp, name)
        for z in (0.3 + 0.4j, 0.3 - 0.4j, -2 + 1e-3j, -2 - 1e-3j):
            step = 1e-6
            slope = complex(G.grad(f, holomorphic=True)(jnp.asarray(z)))
            assert abs(slope - complex((f(jnp.asarray(z + step)) - f(jnp.asarray(z - step))) / (2 * step))) < 1e-8 * abs(slope)
