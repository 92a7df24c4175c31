"""gnomon.scipy.stats.gamma: the gamma distribution with shape `a`, from `loc` on."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.ops.special import igamma, igammac
from gnomon.ops.special_integrals import log_gamma
from gnomon.ops.special_logarithms import xlogy
from gnomon.scipy.floats import elementwise
from gnomon.scipy.stats.logarithms import log_of_the_two

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"]


@elementwise
def logpdf(x, a, loc=0, scale=1):
    """The logarithm of the density; -inf below `loc`.

    >>> float(logpdf(1.0, 1.0))
    -1.0
    """
    y = (x - loc) / scale
    inside = y >= 0
    y = jnp.where(inside, y, 1)
    found = xlogy(a - 1, y) - y - log_gamma(a) - jnp.log(scale)
    return jnp.where(inside, found, jnp.where(jnp.isnan(x), jnp.nan, -jnp.inf))


@elementwise
def pdf(x, a, loc=0, scale=1):
    """The density.

    >>> float(pdf(0.0, 1.0))
    1.0
    """
    return jnp.exp(logpdf(x, a, loc, scale))


def positive(x, loc, scale):
    y = (x - loc) / scale
    return jnp.where(y < 0, 0, y)


@elementwise
def cdf(x, a, loc=0, scale=1):
    """The probability of at most x.

    >>> float(cdf(1.0, 1.0))
    0.63212...
    """
    return igamma(a, positive(x, loc, scale))


@elementwise
def logcdf(x, a, loc=0, scale=1):
    """The logarithm of `cdf`.

    >>> float(logcdf(1.0, 1.0))
    -0.45867...
    """
    return log_of_the_two(cdf(x, a, loc, scale), sf(x, a, loc, scale))


@elementwise
def sf(x, a, loc=0, scale=1):
    """The probability of more than x, exact where it is near 0.

    >>> float(sf(1.0, 1.0))
    0.36787...
    """
    return igammac(a, positive(x, loc, scale))


@elementwise
def logsf(x, a, loc=0, scale=1):
    """The logarithm of `sf`.

    >>> float(logsf(2.0, 1.0))
    -2.0...
    """
    return log_of_the_two(sf(x, a, loc, scale), cdf(x, a, loc, scale))
