"""gnomon.scipy.stats.cauchy: the Cauchy distribution."""
from __future__ import annotations

import math

from gnomon import numpy as jnp
from gnomon.scipy.floats import elementwise
from gnomon.scipy.stats.logarithms import log_of_the_two

__all__ = ["cdf", "isf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]


@elementwise
def logpdf(x, loc=0, scale=1):
    """The logarithm of the density.

    >>> float(logpdf(0.0))
    -1.14472...
    """
    z = (x - loc) / scale
    return -jnp.log1p(z * z) - jnp.log(scale) - math.log(math.pi)


@elementwise
def pdf(x, loc=0, scale=1):
    """The density.

    >>> float(pdf(0.0))
    0.31830...
    """
    return jnp.exp(logpdf(x, loc, scale))


def below(z):
    """The probability of at most z, exact for very negative z too."""
    return jnp.arctan2(1, -z) / math.pi


def log_below(z):
    return log_of_the_two(below(z), below(-z))


@elementwise
def cdf(x, loc=0, scale=1):
    """The probability of at most x.

    >>> float(cdf(0.0))
    0.5
    """
    return below((x - loc) / scale)


@elementwise
def logcdf(x, loc=0, scale=1):
    """The logarithm of `cdf`.

    >>> float(logcdf(0.0))
    -0.69314...
    """
    return log_below((x - loc) / scale)


@elementwise
def sf(x, loc=0, scale=1):
    """The probability of more than x.

    >>> float(sf(0.0))
    0.5
    """
    return below((loc - x) / scale)


@elementwise
def logsf(x, loc=0, scale=1):
    """The logarithm of `sf`.

    >>> float(logsf(0.0))
    -0.69314...
    """
    return log_below((loc - x) / scale)


def quantile(q):
    """Where the probability of at most z is q, exact for q near 0 or 1 too."""
    outer = jnp.abs(q - 0.5) > 0.25
    rest = jnp.where(q < 0.5, -q, 1 - q)
    return jnp.where(outer, 1 / jnp.tan(jnp.where(outer, rest, 0.25) * math.pi), jnp.tan(jnp.where(outer, 0, q - 0.5) * math.pi))


@elementwise
def ppf(q, loc=0, scale=1):
    """The inverse of `cdf`.

    >>> float(ppf(0.5))
    0.0
    """
    return quantile(q) * scale + loc


@elementwise
def isf(q, loc=0, scale=1):
    """The inverse of `sf`.

    >>> float(isf(0.5, loc=3.0))
    3.0
    """
    return loc - quantile(q) * scale
