"""gnomon.scipy.stats.expon: the exponential distribution, from `loc` on."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.scipy.floats import elementwise
from gnomon.scipy.stats.logarithms import log1mexp

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]


@elementwise
def logpdf(x, loc=0, scale=1):
    """The logarithm of the density; -inf below `loc`.

    >>> float(logpdf(1.0))
    -1.0
    """
    return jnp.where(x < loc, -jnp.inf, (loc - x) / scale - jnp.log(scale))


@elementwise
def pdf(x, loc=0, scale=1):
    """The density.

    >>> float(pdf(0.0))
    1.0
    """
    return jnp.exp(logpdf(x, loc, scale))


def positive(x, loc, scale):
    return jnp.clip((x - loc) / scale, 0)


@elementwise
def cdf(x, loc=0, scale=1):
    """The probability of at most x.

    >>> float(cdf(1.0))
    0.63212...
    """
    return -jnp.expm1(-positive(x, loc, scale))


@elementwise
def logcdf(x, loc=0, scale=1):
    """The logarithm of `cdf`.

    >>> float(logcdf(1.0))
    -0.45867...
    """
    return log1mexp(positive(x, loc, scale))


@elementwise
def sf(x, loc=0, scale=1):
    """The probability of more than x.

    >>> float(sf(1.0))
    0.36787...
    """
    return jnp.exp(-positive(x, loc, scale))


@elementwise
def logsf(x, loc=0, scale=1):
    """The logarithm of `sf`.

    >>> float(logsf(1.0))
    -1.0
    """
    return -positive(x, loc, scale)


@elementwise
def ppf(q, loc=0, scale=1):
    """The inverse of `cdf`; NaN for q outside of [0, 1].

    >>> float(ppf(0.0))
    0.0
    """
    known = (q >= 0) & (q <= 1)
    return jnp.where(known, loc - scale * jnp.log1p(-jnp.where(known, q, 0)), jnp.nan)
