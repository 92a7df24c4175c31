"""gnomon.scipy.stats.vonmises: the von Mises distribution of angles."""
from __future__ import annotations

import math

from gnomon import numpy as jnp
from gnomon.ops.special import bessel_i0e
from gnomon.scipy.floats import elementwise

__all__ = ["logpdf", "pdf"]


@elementwise
def logpdf(x, kappa):
    """The logarithm of the density; kappa >= 0 is the concentration at 0.

    >>> float(logpdf(0.0, 0.0))
    -1.83787...
    """
    return kappa * (jnp.cos(x) - 1) - math.log(2 * math.pi) - jnp.log(bessel_i0e(kappa))


@elementwise
def pdf(x, kappa):
    """The density.

    >>> float(pdf(0.0, 0.0))
    0.15915...
    """
    return jnp.exp(logpdf(x, kappa))
