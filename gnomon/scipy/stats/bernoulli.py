"""gnomon.scipy.stats.bernoulli: 1 with probability p, else 0."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.ops.special_logarithms import xlog1py, xlogy
from gnomon.scipy.floats import elementwise
from gnomon.scipy.stats.logarithms import log_outside

__all__ = ["cdf", "logpmf", "pmf", "ppf"]


@elementwise(strong=True)
def logpmf(k, p, loc=0):
    """The logarithm of the probability of k; -inf where k is not 0 or 1.

    >>> float(logpmf(1, 0.5))
    -0.69314...
    """
    k = k - loc
    outside = log_outside(k)
    inside = (k == 0) | (k == 1)
    k = jnp.where(inside, k, 0)
    return jnp.where(inside, xlogy(k, p) + xlog1py(1 - k, -p), outside)


@elementwise(strong=True)
def pmf(k, p, loc=0):
    """The probability of k.

    >>> float(pmf(1, 0.25))
    0.25
    """
    return jnp.exp(logpmf(k, p, loc))


@elementwise(strong=True)
def cdf(k, p):
    """The probability of at most k; NaN where p is no probability.

    >>> float(cdf(0, 0.25))
    0.75
    """
    found = jnp.where(k < 0, 0, jnp.where(k < 1, 1 - p, 1))
    return jnp.where((p >= 0) & (p <= 1) & ~jnp.isnan(k), found, jnp.nan)


@elementwise(strong=True)
def ppf(q, p):
    """The smaller number whose `cdf` is at least q; NaN where p or q is no probability.

    >>> float(ppf(0.8, 0.25))
    1.0
    """
    known = (p >= 0) & (p <= 1) & (q >= 0) & (q <= 1)
    return jnp.where(known, jnp.where(q <= 1 - p, 0.0, 1.0), jnp.nan)
