"""gnomon.scipy.stats.gennorm: the generalized normal distribution, with a density like exp(-|x|^beta)."""
from __future__ import annotations

import math

from gnomon import numpy as jnp
from gnomon.ops.special import igammac
from gnomon.ops.special_integrals import log_gamma
from gnomon.scipy.floats import elementwise

__all__ = ["cdf", "logpdf", "pdf"]


@elementwise
def logpdf(x, beta):
    """The logarithm of the density.

    >>> float(logpdf(0.0, 1.0))
    -0.69314...
    """
    return jnp.log(beta) - math.log(2) - log_gamma(1 / beta) - jnp.abs(x) ** beta


@elementwise
def pdf(x, beta):
    """The density.

    >>> float(pdf(0.0, 1.0))
    0.5...
    """
    return jnp.exp(logpdf(x, beta))


@elementwise
def cdf(x, beta):
    """The probability of at most x.

    >>> float(cdf(0.0, 1.0))
    0.5
    """
    power = jnp.abs(x) ** beta
    lost = power < jnp.finfo(x.dtype).tiny      # then the first term of the series is all there is
    tail = 0.5 * jnp.where(lost, 1 - jnp.abs(x) * jnp.exp(-log_gamma(1 + 1 / beta)), igammac(1 / beta, jnp.where(lost, 1, power)))
    return jnp.where(jnp.isnan(x), jnp.nan, jnp.where(x < 0, tail, 1 - tail))
