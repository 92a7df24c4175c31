"""gnomon.scipy.stats.laplace: the Laplace distribution."""
from __future__ import annotations

import math

from gnomon import numpy as jnp
from gnomon.scipy.floats import elementwise

__all__ = ["cdf", "logpdf", "pdf"]


@elementwise
def logpdf(x, loc=0, scale=1):
    """The logarithm of the density.

    >>> float(logpdf(0.0))
    -0.69314...
    """
    return -jnp.abs(x - loc) / scale - jnp.log(scale) - math.log(2)


@elementwise
def pdf(x, loc=0, scale=1):
    """The density.

    >>> float(pdf(0.0))
    0.5...
    """
    return jnp.exp(logpdf(x, loc, scale))


@elementwise
def cdf(x, loc=0, scale=1):
    """The probability of at most x.

    >>> float(cdf(0.0))
    0.5
    """
    z = (x - loc) / scale
    tail = 0.5 * jnp.exp(-jnp.abs(z))
    return jnp.where(z <= 0, tail, 1 - tail)
