"""gnomon.scipy.stats.pareto: the Pareto distribution with exponent `b`, from `loc + scale` on."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.scipy.floats import elementwise
from gnomon.scipy.stats.logarithms import log1mexp

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]


def log_ratio(x, loc, scale):
    """The logarithm of (x - loc) / scale, 0 where that is less than 1."""
    y = (x - loc) / scale
    return jnp.log(jnp.where(y < 1, 1, y))


@elementwise
def logpdf(x, b, loc=0, scale=1):
    """The logarithm of the density; -inf below loc + scale.

    >>> float(logpdf(1.0, 1.0))
    0.0
    """
    found = jnp.log(b) - (b + 1) * log_ratio(x, loc, scale) - jnp.log(scale)
    return jnp.where(x < loc + scale, -jnp.inf, found)


@elementwise
def pdf(x, b, loc=0, scale=1):
    """The density.

    >>> float(pdf(1.0, 1.0))
    1.0
    """
    return jnp.exp(logpdf(x, b, loc, scale))


@elementwise
def cdf(x, b, loc=0, scale=1):
    """The probability of at most x.

    >>> float(cdf(2.0, 1.0))
    0.5
    """
    return -jnp.expm1(-b * log_ratio(x, loc, scale))


@elementwise
def logcdf(x, b, loc=0, scale=1):
    """The logarithm of `cdf`.

    >>> float(logcdf(2.0, 1.0))
    -0.69314...
    """
    return log1mexp(b * log_ratio(x, loc, scale))


@elementwise
def sf(x, b, loc=0, scale=1):
    """The probability of more than x.

    >>> float(sf(2.0, 1.0))
    0.5
    """
    return jnp.exp(-b * log_ratio(x, loc, scale))


@elementwise
def logsf(x, b, loc=0, scale=1):
    """The logarithm of `sf`.

    >>> float(logsf(2.0, 1.0))
    -0.69314...
    """
    return -b * log_ratio(x, loc, scale)


@elementwise
def ppf(q, b, loc=0, scale=1):
    """The inverse of `cdf`; NaN for q outside of [0, 1].

    >>> float(ppf(0.5, 1.0))
    2.0
    """
    known = (q >= 0) & (q <= 1)
    return jnp.where(known, loc + scale * jnp.exp(-jnp.log1p(-jnp.where(known, q, 0)) / b), jnp.nan)
