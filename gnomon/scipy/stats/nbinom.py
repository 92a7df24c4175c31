"""gnomon.scipy.stats.nbinom: failures before the n-th success."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.ops.special_logarithms import xlog1py, xlogy
from gnomon.scipy.floats import elementwise
from gnomon.scipy.special import log_beta
from gnomon.scipy.stats.logarithms import log_outside, whole

__all__ = ["logpmf", "pmf"]


@elementwise
def logpmf(k, n, p, loc=0):
    """The logarithm of the probability of k failures before the n-th success; -inf for negative k.

    >>> float(logpmf(0, 1, 0.5))
    -0.69314...
    """
    k = k - loc
    outside = log_outside(k)
    inside = (k >= 0) & whole(k)
    k = jnp.where(inside, k, 0)
    found = xlogy(n, p) + xlog1py(k, -p) - jnp.log(k + n) - log_beta(k + 1, n)
    return jnp.where(inside, found, outside)


@elementwise
def pmf(k, n, p, loc=0):
    """The probability of k failures before the n-th success.

    >>> float(pmf(0, 1, 0.5))
    0.5...
    """
    return jnp.exp(logpmf(k, n, p, loc))
