"""gnomon.scipy.stats.multinomial: counts of outcomes among n trials."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import as_value, promote_inexact
from gnomon.ops.special_integrals import log_gamma
from gnomon.ops.special_logarithms import xlogy

__all__ = ["logpmf", "pmf"]


@composite
def logpmf(x, n, p):
    """The logarithm of the probability of the counts x, with probabilities p, along the last axis; -inf where x does not add up to n.

    x: (..., k), n: (...), p: (..., k).

    >>> import gnomon.numpy as jnp
    >>> float(logpmf(jnp.array([1, 1]), 2, jnp.array([0.5, 0.5])))
    -0.69314...
    """
    x, p = promote_inexact("multinomial.logpmf", x, p)
    n = as_value(n, "multinomial.logpmf", 1).astype(p.dtype)
    x, p = jnp.broadcast_arrays(x, p)
    inside = (x.sum(-1) == n) & (x >= 0).all(-1)
    safe = jnp.where(inside[..., None], x, 0)
    found = log_gamma(n + 1) + (xlogy(safe, p) - log_gamma(safe + 1)).sum(-1)
    return jnp.where(inside, found, -jnp.inf)


@composite
def pmf(x, n, p):
    """The probability of the counts x; see `logpmf`.

    >>> import gnomon.numpy as jnp
    >>> float(pmf(jnp.array([1, 1]), 2, jnp.array([0.5, 0.5])))
    0.5...
    """
    return jnp.exp(logpmf(x, n, p))
