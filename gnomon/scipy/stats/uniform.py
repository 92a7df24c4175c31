"""gnomon.scipy.stats.uniform: the uniform distribution between `loc` and `loc + scale`."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.scipy.floats import elementwise

__all__ = ["cdf", "logpdf", "pdf", "ppf"]


@elementwise
def logpdf(x, loc=0, scale=1):
    """The logarithm of the density; -inf outside of [loc, loc + scale].

    >>> float(logpdf(0.5, 0.0, 2.0))
    -0.69314...
    """
    return jnp.where(jnp.isnan(x + loc), jnp.nan, jnp.where((x < loc) | (x > loc + scale), -jnp.inf, -jnp.log(scale)))


@elementwise
def pdf(x, loc=0, scale=1):
    """The density.

    >>> float(pdf(0.5, 0.0, 2.0))
    0.5
    """
    return jnp.where(jnp.isnan(x + loc), jnp.nan, jnp.where((x < loc) | (x > loc + scale), 0, 1 / scale))


@elementwise(strong=True)
def cdf(x, loc=0, scale=1):
    """The probability of at most x.

    >>> float(cdf(0.5, 0.0, 2.0))
    0.25
    """
    return jnp.clip((x - loc) / scale, 0, 1)


@elementwise
def ppf(q, loc=0, scale=1):
    """The inverse of `cdf`; NaN for q outside of [0, 1].

    >>> float(ppf(0.25, 0.0, 2.0))
    0.5
    """
    return jnp.where((q < 0) | (q > 1), jnp.nan, q * scale + loc)
