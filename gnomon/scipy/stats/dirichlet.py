"""gnomon.scipy.stats.dirichlet: the Dirichlet distribution of shares that add up to 1."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import promote_inexact
from gnomon.ops.special_integrals import log_gamma
from gnomon.ops.special_logarithms import xlogy

__all__ = ["logpdf", "pdf"]


@composite
def logpdf(x, alpha):
    """The logarithm of the density of shares x with the parameters alpha, both along the first axis; -inf where x is no such point.

    x: (k, ...), or (k - 1, ...) without the last share, alpha: (k,). ValueError for other shapes.

    >>> import gnomon.numpy as jnp
    >>> float(logpdf(jnp.array([0.5, 0.5]), jnp.array([1.0, 1.0])))
    0.0...
    """
    x, alpha = promote_inexact("dirichlet.logpdf", x, alpha)
    if alpha.ndim != 1 or x.ndim < 1 or x.shape[0] not in (alpha.shape[0], alpha.shape[0] - 1):
        raise ValueError("dirichlet.logpdf takes alpha of shape (k,) and x of shape (k, ...) or (k - 1, ...), got shapes "
                         f"{alpha.shape} and {x.shape}.")
    if x.shape[0] < alpha.shape[0]:
        x = jnp.concatenate([x, 1 - x.sum(0, keepdims=True)])
    exponents = (alpha - 1).reshape(-1, *[1] * (x.ndim - 1))
    inside = (x > 0).all(0) & (jnp.abs(x.sum(0) - 1) < 1e-6)
    normalizer = log_gamma(alpha).sum() - log_gamma(alpha.sum())
    found = xlogy(jnp.broadcast_to(exponents, x.shape), jnp.where(inside, x, 0.5)).sum(0) - normalizer
    return jnp.where(inside, found, -jnp.inf)


@composite
def pdf(x, alpha):
    """The density; see `logpdf`.

    >>> import gnomon.numpy as jnp
    >>> float(pdf(jnp.array([0.5, 0.5]), jnp.array([2.0, 2.0])))
    1.5...
    """
    return jnp.exp(logpdf(x, alpha))
