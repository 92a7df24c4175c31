"""gnomon.scipy.stats.norm: the normal distribution."""
from __future__ import annotations

import math

from gnomon import numpy as jnp
from gnomon.ops.special_integrals import log_ndtr, ndtr, ndtri
from gnomon.scipy.floats import elementwise

__all__ = ["cdf", "isf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]


LOG_ROOT_TWO_PI = math.log(2 * math.pi) / 2


@elementwise
def logpdf(x, loc=0, scale=1):
    """The logarithm of the density of the normal distribution with mean `loc` and standard deviation `scale`.

    >>> float(logpdf(0.0))
    -0.91893...
    """
    z = (x - loc) / scale
    return -(z * z) / 2 - jnp.log(scale) - LOG_ROOT_TWO_PI


@elementwise
def pdf(x, loc=0, scale=1):
    """The density of the normal distribution.

    >>> float(pdf(0.0))
    0.39894...
    """
    return jnp.exp(logpdf(x, loc, scale))


@elementwise(strong=True)
def cdf(x, loc=0, scale=1):
    """The probability of at most x.

    >>> float(cdf(0.0))
    0.5
    """
    return ndtr((x - loc) / scale)


@elementwise(strong=True)
def logcdf(x, loc=0, scale=1):
    """The logarithm of `cdf`, exact everywhere.

    >>> float(logcdf(-20.0))
    -203.917...
    """
    return log_ndtr((x - loc) / scale)


@elementwise(strong=True)
def sf(x, loc=0, scale=1):
    """The probability of more than x, 1 - cdf(x).

    >>> float(sf(0.0))
    0.5
    """
    return ndtr((loc - x) / scale)


@elementwise(strong=True)
def logsf(x, loc=0, scale=1):
    """The logarithm of `sf`, exact everywhere.

    >>> float(logsf(20.0))
    -203.917...
    """
    return log_ndtr((loc - x) / scale)


@elementwise(strong=True)
def ppf(q, loc=0, scale=1):
    """The inverse of `cdf`.

    >>> float(ppf(0.5))
    0.0
    """
    return ndtri(q) * scale + loc


@elementwise(strong=True)
def isf(q, loc=0, scale=1):
    """The inverse of `sf`.

    >>> float(isf(0.5, loc=3.0))
    3.0
    """
    return loc - ndtri(q) * scale
