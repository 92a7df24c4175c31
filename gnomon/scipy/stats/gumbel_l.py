"""gnomon.scipy.stats.gumbel_l: the Gumbel distribution of small values."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.scipy.floats import elementwise
from gnomon.scipy.stats.logarithms import log_of_rise

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]


@elementwise
def logpdf(x, loc=0, scale=1):
    """The logarithm of the density.

    >>> float(logpdf(0.0))
    -1.0
    """
    z = (loc - x) / scale
    endless = jnp.isneginf(z)       # where -inf + inf would come up
    return jnp.where(endless, -jnp.inf, -(jnp.where(endless, 0, z) + jnp.exp(-z)) - jnp.log(scale))


@elementwise
def pdf(x, loc=0, scale=1):
    """The density.

    >>> float(pdf(0.0))
    0.36787...
    """
    return jnp.exp(logpdf(x, loc, scale))


@elementwise
def cdf(x, loc=0, scale=1):
    """The probability of at most x.

    >>> float(cdf(0.0))
    0.63212...
    """
    z = (loc - x) / scale
    return -jnp.expm1(-jnp.exp(-z))


@elementwise
def logcdf(x, loc=0, scale=1):
    """The logarithm of `cdf`.

    >>> float(logcdf(0.0))
    -0.45867...
    """
    z = (loc - x) / scale
    return log_of_rise(-z)


@elementwise
def sf(x, loc=0, scale=1):
    """The probability of more than x.

    >>> float(sf(0.0))
    0.36787...
    """
    z = (loc - x) / scale
    return jnp.exp(-jnp.exp(-z))


@elementwise
def logsf(x, loc=0, scale=1):
    """The logarithm of `sf`.

    >>> float(logsf(0.0))
    -1.0
    """
    z = (loc - x) / scale
    return -jnp.exp(-z)


@elementwise
def ppf(p, loc=0, scale=1):
    """The inverse of `cdf`.

    >>> float(ppf(0.5))
    -0.36651...
    """
    return loc + scale * jnp.log(-jnp.log1p(-p))
