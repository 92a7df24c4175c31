"""gnomon.scipy.stats.binom: successes among n trials."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.ops.special_logarithms import xlog1py, xlogy
from gnomon.scipy.floats import elementwise
from gnomon.scipy.special import log_beta
from gnomon.scipy.stats.logarithms import log_outside, whole

__all__ = ["logpmf", "pmf"]


@elementwise
def logpmf(k, n, p, loc=0):
    """The logarithm of the probability of k successes among n trials with probability p each; -inf where k is not within 0 to n.

    >>> float(logpmf(1, 2, 0.5))
    -0.69314...
    """
    k = k - loc
    outside = log_outside(k)
    inside = (k >= 0) & (k <= n) & whole(k)
    k = jnp.where(inside, k, 0)
    found = xlogy(k, p) + xlog1py(n - k, -p) - jnp.log1p(n) - log_beta(n - k + 1, k + 1)
    return jnp.where(inside, found, outside)


@elementwise
def pmf(k, n, p, loc=0):
    """The probability of k successes among n trials.

    >>> float(pmf(1, 2, 0.5))
    0.5...
    """
    return jnp.exp(logpmf(k, n, p, loc))
