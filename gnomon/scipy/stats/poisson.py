"""gnomon.scipy.stats.poisson: the Poisson distribution with mean `mu`."""
from __future__ import annotations

import math

import numpy as np

from gnomon import numpy as jnp
from gnomon.ops.special import igammac
from gnomon.ops.special_integrals import log_gamma
from gnomon.ops.special_logarithms import xlogy
from gnomon.scipy.floats import elementwise
from gnomon.scipy.stats.logarithms import log_outside, whole

__all__ = ["cdf", "entropy", "logpmf", "pmf"]


@elementwise
def logpmf(k, mu, loc=0):
    """The logarithm of the probability of k = 0, 1, ...; -inf for other k.

    >>> float(logpmf(0, 1.0))
    -1.0
    """
    k = k - loc
    outside = log_outside(k)
    inside = (k >= 0) & whole(k)
    k = jnp.where(inside, k, 0)
    return jnp.where(inside, xlogy(k, mu) - log_gamma(k + 1) - mu, outside)


@elementwise
def pmf(k, mu, loc=0):
    """The probability of k.

    >>> float(pmf(0, 1.0))
    0.36787...
    """
    return jnp.exp(logpmf(k, mu, loc))


@elementwise
def cdf(k, mu, loc=0):
    """The probability of at most k.

    >>> float(cdf(0, 1.0))
    0.36787...
    """
    k = k - loc
    return jnp.where(k < 0, 0, igammac(jnp.floor(jnp.where(k < 0, 0, k)) + 1, mu))


TERMS, LARGE = 160, 64.0        # the terms that count while mu is not large


@elementwise
def entropy(mu, loc=0):
    """The entropy, the mean of -log(pmf), by summation where mu is small and by its asymptotic series elsewhere. NaN for negative mu.

    >>> float(entropy(1.0))
    1.30484...
    """
    small = jnp.where((mu > 0) & (mu < LARGE), mu, 1)[..., None]
    k = np.arange(TERMS).astype(mu.dtype)
    logs = xlogy(k + 0 * small, small + 0 * k) - log_gamma(k + 0 * small + 1) - small
    near = -(jnp.exp(logs) * logs).sum(-1)
    y = 1 / jnp.where(mu < LARGE, LARGE, mu)
    series = y * (1 / 12 + y * (1 / 24 + y * (19 / 360 + y * 9 / 80)))
    far = 0.5 * (math.log(2 * math.pi) + 1 - jnp.log(y)) - series
    return jnp.where(mu > 0, jnp.where(mu < LARGE, near, far), jnp.where(mu == 0, 0, jnp.nan))
