"""gnomon.scipy.stats.wrapcauchy: the wrapped Cauchy distribution of angles in [0, 2 pi]."""
from __future__ import annotations

import math

from gnomon import numpy as jnp
from gnomon.scipy.floats import elementwise
from gnomon.scipy.stats.logarithms import log_outside

__all__ = ["logpdf", "pdf"]


@elementwise
def logpdf(x, c):
    """The logarithm of the density; -inf outside of [0, 2 pi], NaN unless 0 < c < 1.

    >>> float(logpdf(0.0, 0.5))
    -0.73926...
    """
    inside = (x >= 0) & (x <= 2 * math.pi)
    angle = jnp.where(inside, x, 0)
    # 1 + c^2 - 2 c cos(x)
    half = jnp.sin(angle / 2)
    found = jnp.log1p(-c * c) - math.log(2 * math.pi) - jnp.log((1 - c) * (1 - c) + 4 * c * half * half)
    return jnp.where((c > 0) & (c < 1), jnp.where(inside, found, log_outside(x)), jnp.nan)


@elementwise
def pdf(x, c):
    """The density.

    >>> float(pdf(0.0, 0.5))
    0.47746...
    """
    return jnp.exp(logpdf(x, c))
