"""gnomon.scipy.stats.logistic: the logistic distribution."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.ops.exponential import logistic as expit
from gnomon.scipy.floats import elementwise

__all__ = ["cdf", "isf", "logpdf", "pdf", "ppf", "sf"]


@elementwise
def logpdf(x, loc=0, scale=1):
    """The logarithm of the density.

    >>> float(logpdf(0.0))
    -1.38629...
    """
    size = jnp.abs((x - loc) / scale)
    return -size - 2 * jnp.log1p(jnp.exp(-size)) - jnp.log(scale)


@elementwise
def pdf(x, loc=0, scale=1):
    """The density.

    >>> float(pdf(0.0))
    0.25...
    """
    return jnp.exp(logpdf(x, loc, scale))


@elementwise
def cdf(x, loc=0, scale=1):
    """The probability of at most x.

    >>> float(cdf(0.0))
    0.5
    """
    return expit((x - loc) / scale)


@elementwise
def sf(x, loc=0, scale=1):
    """The probability of more than x.

    >>> float(sf(0.0))
    0.5
    """
    return expit((loc - x) / scale)


@elementwise
def ppf(x, loc=0, scale=1):
    """The inverse of `cdf`.

    >>> float(ppf(0.5))
    0.0
    """
    return loc + scale * (jnp.log(x) - jnp.log1p(-x))


@elementwise
def isf(x, loc=0, scale=1):
    """The inverse of `sf`.

    >>> float(isf(0.5))
    0.0
    """
    return loc + scale * (jnp.log1p(-x) - jnp.log(x))
