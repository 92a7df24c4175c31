"""gnomon.scipy.stats.beta: the beta distribution between `loc` and `loc + scale`."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.ops.special import regularized_incomplete_beta
from gnomon.ops.special_logarithms import xlog1py, xlogy
from gnomon.scipy.floats import elementwise
from gnomon.scipy.special import log_beta
from gnomon.scipy.stats.logarithms import log_of_the_two

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"]


@elementwise
def logpdf(x, a, b, loc=0, scale=1):
    """The logarithm of the density; -inf outside of [loc, loc + scale].

    >>> float(logpdf(0.5, 2.0, 2.0))
    0.40546...
    """
    y = (x - loc) / scale
    inside = (y >= 0) & (y <= 1)
    y = jnp.where(inside, y, 0.5)
    found = xlogy(a - 1, y) + xlog1py(b - 1, -y) - log_beta(a, b) - jnp.log(scale)
    return jnp.where(inside, found, jnp.where(jnp.isnan(x), jnp.nan, -jnp.inf))


@elementwise
def pdf(x, a, b, loc=0, scale=1):
    """The density.

    >>> float(pdf(0.5, 2.0, 2.0))
    1.5...
    """
    return jnp.exp(logpdf(x, a, b, loc, scale))


@elementwise
def cdf(x, a, b, loc=0, scale=1):
    """The probability of at most x.

    >>> float(cdf(2.0, 2.0, 2.0))
    1.0
    """
    return regularized_incomplete_beta(a, b, jnp.clip((x - loc) / scale, 0, 1))


@elementwise
def logcdf(x, a, b, loc=0, scale=1):
    """The logarithm of `cdf`.

    >>> float(logcdf(0.5, 2.0, 2.0))
    -0.69314...
    """
    return log_of_the_two(cdf(x, a, b, loc, scale), sf(x, a, b, loc, scale))


@elementwise
def sf(x, a, b, loc=0, scale=1):
    """The probability of more than x, exact where it is near 0.

    >>> float(sf(2.0, 2.0, 2.0))
    0.0
    """
    y = jnp.clip((x - loc) / scale, 0, 1)
    below, above = regularized_incomplete_beta(a, b, y), regularized_incomplete_beta(b, a, 1 - y)
    return jnp.where((y < 0.5) & (below < 0.5), 1 - below, above)       # 1 - y has lost what is small in y


@elementwise
def logsf(x, a, b, loc=0, scale=1):
    """The logarithm of `sf`.

    >>> float(logsf(0.5, 2.0, 2.0))
    -0.69314...
    """
    return log_of_the_two(sf(x, a, b, loc, scale), cdf(x, a, b, loc, scale))
