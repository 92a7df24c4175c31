"""gnomon.scipy.stats.geom: the number of trials up to the first success."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.ops.special_logarithms import xlog1py
from gnomon.scipy.floats import elementwise
from gnomon.scipy.stats.logarithms import log_outside, whole

__all__ = ["logpmf", "pmf"]


@elementwise
def logpmf(k, p, loc=0):
    """The logarithm of the probability that the first success comes at trial k = 1, 2, ...; -inf for smaller k.

    >>> float(logpmf(1, 0.5))
    -0.69314...
    """
    k = k - loc
    outside = log_outside(k)
    inside = (k > 0) & whole(k)
    return jnp.where(inside, xlog1py(jnp.where(inside, k - 1, 0), -p) + jnp.log(p), outside)


@elementwise
def pmf(k, p, loc=0):
    """The probability that the first success comes at trial k.

    >>> float(pmf(1, 0.5))
    0.5
    """
    return jnp.exp(logpmf(k, p, loc))
