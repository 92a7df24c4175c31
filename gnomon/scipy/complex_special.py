"""Special functions of complex numbers."""
from __future__ import annotations

import math

import numpy as np

from gnomon import numpy as jnp
from gnomon.api.custom import custom_jvp
from gnomon.numpy.composite import composite
from gnomon.ops.special import STIRLING
from gnomon.types.dtype import complex_dtype

__all__ = ["loggamma", "wofz"]


def weideman(n):
    """(scale, coefficients) of the rational series of the Faddeeva function in n terms (Weideman, "Computation of the complex error
    function")."""
    m = 2 * n
    scale = math.sqrt(n / math.sqrt(2))
    t = scale * np.tan(np.arange(1 - m, m) * math.pi / (2 * m))
    f = np.concatenate([[0], np.exp(-t * t) * (scale ** 2 + t * t)])
    coefficients = np.real(np.fft.fft(np.fft.fftshift(f))) / (2 * m)
    return scale, coefficients[1:n + 1]


SERIES = {np.dtype("complex64"): weideman(24), np.dtype("complex128"): weideman(64)}


@composite
def wofz(z):
    """exp(-z^2) erfc(-i z)"""
    return faddeeva(z.astype(complex_dtype(z.dtype)))


@custom_jvp
def faddeeva(z):
    lower = z.imag < 0
    w = jnp.where(lower, -z, z)
    scale, coefficients = SERIES[z.dtype]
    denominator = scale - 1j * w
    ratio = (scale + 1j * w) / denominator
    total = jnp.zeros_like(z)
    for c in coefficients[::-1]:
        total = total * ratio + float(c)
    upper = (2 * total / denominator + 1 / math.sqrt(math.pi)) / denominator
    return jnp.where(lower, 2 * jnp.exp(-jnp.where(lower, z * z, 0)) - upper, upper)


@faddeeva.defjvp
def faddeeva_jvp(primals, tangents):
    (z,), (t,) = primals, tangents
    w = faddeeva(z)
    return w, (2j / math.sqrt(math.pi) - 2 * z * w) * t


@composite
def loggamma(z):
    """The logarithm of the gamma function, with one cut along the negative real axis."""
    below = z.imag < 0
    z = jnp.where(below, jnp.conj(z), z)            # from here on in the upper half plane
    left = z.real < 0.5
    right = stirling(jnp.where(left, 1 - z, z))
    # sin(pi z) = exp(-i pi z) (1 - exp(2 pi i z)) i / 2, each factor with a continuous logarithm
    w = jnp.where(left, z, 0.5)
    log_sine = -1j * math.pi * w + jnp.log1p(-jnp.exp(2j * math.pi * w)) + (0.5j * math.pi - math.log(2))
    found = jnp.where(left, math.log(math.pi) - log_sine - right, right)
    return jnp.where(below, jnp.conj(found), found)


def stirling(z):
    """Stirling's series at z + 8, and back by the recurrence."""
    shifted, logs = z + 8, 0
    for k in range(8):
        logs = logs + jnp.log(z + k)
    y, total = 1 / shifted, 0
    for c in reversed(STIRLING):
        total = total * (y * y) + c
    return (shifted - 0.5) * jnp.log(shifted) - shifted + math.log(2 * math.pi) / 2 + total * y - logs
