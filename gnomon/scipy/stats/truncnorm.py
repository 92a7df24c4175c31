"""gnomon.scipy.stats.truncnorm: the normal distribution cut off at `loc + a scale` and `loc + b scale`."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.ops.special_integrals import log_ndtr
from gnomon.scipy.floats import elementwise
from gnomon.scipy.stats.logarithms import log1mexp, log_outside
from gnomon.scipy.stats.norm import LOG_ROOT_TWO_PI

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"]


def log_of_difference(large, small):
    """log(exp(large) - exp(small)), -inf where they are equal."""
    gap = large - small
    equal = gap <= 0
    return jnp.where(equal, -jnp.inf, large + log1mexp(jnp.where(equal, 1, gap)))


def log_mass(a, b):
    """The logarithm of the normal probability of an interval, from whichever tail is the smaller."""
    right = a > 0
    low, high = jnp.where(right, -b, a), jnp.where(right, -a, b)
    return log_of_difference(log_ndtr(high), log_ndtr(low))


@elementwise(strong=True)
def logpdf(x, a, b, loc=0, scale=1):
    """The logarithm of the density; -inf outside of the interval. NaN unless a < b.

    >>> float(logpdf(0.0, -1.0, 1.0))
    -0.53722...
    """
    z = (x - loc) / scale
    outside = log_outside(z)
    inside = (z >= a) & (z <= b)
    z = jnp.where(inside, z, a)
    found = -(z * z) / 2 - LOG_ROOT_TWO_PI - jnp.log(scale) - log_mass(a, b)
    return jnp.where(a < b, jnp.where(inside, found, outside), jnp.nan)


@elementwise(strong=True)
def pdf(x, a, b, loc=0, scale=1):
    """The density.

    >>> float(pdf(0.0, -1.0, 1.0))
    0.58436...
    """
    return jnp.exp(logpdf(x, a, b, loc, scale))


@elementwise(strong=True)
def logcdf(x, a, b, loc=0, scale=1):
    """The logarithm of `cdf`.

    >>> float(logcdf(0.0, -1.0, 1.0))
    -0.69314...
    """
    z = jnp.clip((x - loc) / scale, a, b)
    found = log_mass(a, z) - log_mass(a, b)
    # near the upper end from what is missing
    missing = log_mass(z, b) - log_mass(a, b)
    found = jnp.where(missing < -1, jnp.log1p(-jnp.exp(jnp.where(missing < -1, missing, -1))), found)
    return jnp.where(a < b, jnp.where(z <= a, -jnp.inf, jnp.where(z >= b, 0, found)), jnp.nan)


@elementwise(strong=True)
def cdf(x, a, b, loc=0, scale=1):
    """The probability of at most x.

    >>> float(cdf(0.0, -1.0, 1.0))
    0.5...
    """
    return jnp.exp(logcdf(x, a, b, loc, scale))


@elementwise(strong=True)
def logsf(x, a, b, loc=0, scale=1):
    """The logarithm of `sf`.

    >>> float(logsf(0.0, -1.0, 1.0))
    -0.69314...
    """
    return logcdf(-x, -b, -a, -loc, scale)


@elementwise(strong=True)
def sf(x, a, b, loc=0, scale=1):
    """The probability of more than x.

    >>> float(sf(0.0, -1.0, 1.0))
    0.5...
    """
    return jnp.exp(logsf(x, a, b, loc, scale))
