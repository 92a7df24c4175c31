"""gnomon.scipy.stats.betabinom: successes among n trials whose probability has a beta distribution."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.scipy.floats import elementwise
from gnomon.scipy.special import log_beta
from gnomon.scipy.stats.logarithms import log_outside, whole

__all__ = ["logpmf", "pmf"]


@elementwise
def logpmf(k, n, a, b, loc=0):
    """The logarithm of the probability of k successes among n trials; -inf where k is none of 0, 1, ..., n. NaN unless n >= 0 and a, b > 0.

    >>> float(logpmf(1, 1, 1.0, 1.0))
    -0.69314...
    """
    k = k - loc
    outside = log_outside(k)
    inside = (k >= 0) & (k <= n) & whole(k)
    k = jnp.where(inside, k, 0)
    found = log_beta(k + a, n - k + b) - log_beta(a, b) - jnp.log1p(n) - log_beta(n - k + 1, k + 1)
    return jnp.where((n >= 0) & (a > 0) & (b > 0), jnp.where(inside, found, outside), jnp.nan)


@elementwise
def pmf(k, n, a, b, loc=0):
    """The probability of k successes among n trials.

    >>> float(pmf(1, 1, 1.0, 1.0))
    0.5...
    """
    return jnp.exp(logpmf(k, n, a, b, loc))
