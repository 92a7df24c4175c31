"""gnomon.scipy.stats.t: Student's t distribution with `df` degrees of freedom."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.scipy.floats import elementwise
from gnomon.scipy.special import log_beta

__all__ = ["logpdf", "pdf"]


@elementwise
def logpdf(x, df, loc=0, scale=1):
    """The logarithm of the density.

    >>> float(logpdf(0.0, 1.0))
    -1.14472...
    """
    z = (x - loc) / scale
    return -0.5 * jnp.log(df) - log_beta(0.5 + 0 * df, df / 2) - (df + 1) / 2 * jnp.log1p(z * z / df) - jnp.log(scale)


@elementwise
def pdf(x, df, loc=0, scale=1):
    """The density.

    >>> float(pdf(0.0, 1.0))
    0.31830...
    """
    return jnp.exp(logpdf(x, df, loc, scale))
