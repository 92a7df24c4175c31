"""gnomon.scipy.stats.multivariate_normal: the normal distribution of vectors."""
from __future__ import annotations

import math

from gnomon import lax
from gnomon import numpy as jnp
from gnomon.base.errors import Refused
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import promote_inexact
from gnomon.ops.linalg_base import diagonal

__all__ = ["logpdf", "pdf"]


def logpdf(x, mean, cov, allow_singular=None):
    """The logarithm of the density; NaN where cov is not positive definite.

    x, mean: (..., k), cov: (..., k, k), or all of them numbers. allow_singular is refused.

    >>> import gnomon.numpy as jnp
    >>> float(logpdf(jnp.zeros(2), jnp.zeros(2), jnp.eye(2)))
    -1.83787...
    """
    if allow_singular is not None:
        raise Refused("multivariate_normal.logpdf takes no singular matrices (allow_singular). Add a small multiple of the identity.")
    return _logpdf(x, mean, cov)


@composite
def _logpdf(x, mean, cov):
    x, mean, cov = promote_inexact("multivariate_normal.logpdf", x, mean, cov)
    if not mean.shape:
        z = x - mean
        return -(z * z) / cov / 2 - 0.5 * (math.log(2 * math.pi) + jnp.log(cov))
    k = mean.shape[-1]
    if not cov.shape:
        z = x - mean
        return -(z * z).sum(-1) / cov / 2 - k / 2 * (math.log(2 * math.pi) + jnp.log(cov))
    if cov.ndim < 2 or cov.shape[-2:] != (k, k):
        raise ValueError(f"multivariate_normal.logpdf takes mean of shape (..., k) and cov of shape (..., k, k), got {mean.shape} and "
                         f"{cov.shape}.")
    factor = lax.linalg.cholesky(cov)
    z = x - mean
    if cov.ndim == 2:       # one matrix for all: the points side by side as columns
        columns = jnp.moveaxis(z, -1, 0).reshape(k, -1)
        white = lax.linalg.triangular_solve(factor, columns, left_side=True, lower=True)
        squares = (white * white).sum(0).reshape(z.shape[:-1])
    else:
        lead = jnp.broadcast_shapes(z.shape[:-1], cov.shape[:-2])
        factor, z = jnp.broadcast_to(factor, (*lead, k, k)), jnp.broadcast_to(z, (*lead, k))
        white = lax.linalg.triangular_solve(factor, z[..., None], left_side=True, lower=True)[..., 0]
        squares = (white * white).sum(-1)
    return -squares / 2 - k / 2 * math.log(2 * math.pi) - jnp.log(diagonal(factor)).sum(-1)


@composite
def pdf(x, mean, cov):
    """The density; see `logpdf`.

    >>> import gnomon.numpy as jnp
    >>> float(pdf(0.0, 0.0, 1.0))
    0.39894...
    """
    return jnp.exp(_logpdf(x, mean, cov))
