"""Kernel density estimates."""
from __future__ import annotations

import math

from gnomon import lax, random
from gnomon import numpy as jnp
from gnomon.base.errors import Refused
from gnomon.base.tree import register_pytree_node_class
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import as_value, promote_inexact, to_inexact
from gnomon.ops.linalg_base import diagonal
from gnomon.scipy.floats import wide_floats
from gnomon.scipy.special import logsumexp, ndtr

__all__ = ["gaussian_kde"]


@register_pytree_node_class
class gaussian_kde:  # noqa: N801 - SciPy's name
    """The density that a sample comes from, estimated as a sum of normal densities around its points.

    dataset: (n,) or (d, n). bw_method: how wide the kernels are, relative to the sample's covariance: 'scott' (the default), 'silverman', a
    number, or a function of the estimate. weights: (n,), of the points.

    >>> import gnomon.numpy as jnp
    >>> float(gaussian_kde(jnp.array([-1.0, 0.0, 1.0]))(0.0)[0])
    0.31815...
    """

    fields = ("neff", "dataset", "weights", "covariance", "inv_cov")

    def __init__(self, dataset, bw_method=None, weights=None):
        dataset, = promote_inexact("gaussian_kde", dataset)
        dataset = jnp.atleast_2d(wide_floats(dataset))
        if dataset.ndim > 2 or dataset.shape[1] < 2:
            raise ValueError(f"gaussian_kde takes a sample of at least two points, of shape (n,) or (d, n), got shape {dataset.shape}.")
        if jnp.issubdtype(dataset.dtype, jnp.complexfloating):
            raise Refused("gaussian_kde takes real samples; give the parts of complex numbers as two dimensions.")
        n = dataset.shape[1]
        if weights is None:
            weights = jnp.full(n, 1 / n, dataset.dtype)
        else:
            dataset, weights = promote_inexact("gaussian_kde", dataset, jnp.atleast_1d(as_value(weights, "gaussian_kde: weights")))
            if weights.shape != (n,):
                raise ValueError(f"gaussian_kde needs as many weights as points, {n}, got shape {weights.shape}.")
            weights = weights / weights.sum()
        self.dataset, self.weights = dataset, weights
        self.neff = 1 / (weights ** 2).sum()
        factor = self.bandwidth(bw_method)
        spread = jnp.atleast_2d(jnp.cov(dataset, rowvar=True, bias=False, aweights=weights))
        self.covariance = spread * factor ** 2
        self.inv_cov = jnp.linalg.inv(spread) / factor ** 2

    def bandwidth(self, method):
        if method is None or isinstance(method, str) and method == "scott":
            return self.neff ** (-1 / (self.d + 4))
        if isinstance(method, str) and method == "silverman":
            return (self.neff * (self.d + 2) / 4) ** (-1 / (self.d + 4))
        if isinstance(method, str):
            raise ValueError(f"gaussian_kde takes bw_method 'scott', 'silverman', a number or a function, got {method!r}.")
        return method(self) if callable(method) else as_value(method, "gaussian_kde: bw_method")

    def tree_flatten(self):
        return tuple([getattr(self, f) for f in self.fields]), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        found = object.__new__(cls)
        for f, value in zip(cls.fields, children):
            setattr(found, f, value)
        return found

    d = property(lambda self: self.dataset.shape[0])
    n = property(lambda self: self.dataset.shape[1])

    def points(self, x, name):
        """Points as an array of shape (d, m)."""
        x = jnp.atleast_2d(to_inexact(as_value(x, name)))
        if x.ndim > 2:
            raise ValueError(f"{name} takes points of shape (m,) or (d, m), got shape {x.shape}.")
        if x.shape[0] != self.d:
            if x.shape == (1, self.d):
                return x.T
            if self.d != 1 or x.shape[0] != 1:
                raise ValueError(f"{name} takes points of {self.d} dimensions, as the sample has, got shape {x.shape}.")
        return x

    def evaluate(self, points):
        """The density at points of shape (m,) or (d, m): shape (m,)."""
        return jnp.exp(self.logpdf(points))

    def __call__(self, points):
        return self.evaluate(points)

    def pdf(self, x):
        """The density at points."""
        return self.evaluate(x)

    def logpdf(self, x):
        """The logarithm of the density at points."""
        return log_density(self.dataset, self.weights, self.covariance, self.points(x, "gaussian_kde.logpdf"))

    def integrate_gaussian(self, mean, cov):
        """The integral of the density times a normal density with this mean, (d,), and covariance, (d, d)."""
        mean, cov = jnp.atleast_1d(as_value(mean, "integrate_gaussian", 0)), jnp.atleast_2d(as_value(cov, "integrate_gaussian", 1))
        if mean.shape != (self.d,) or cov.shape != (self.d, self.d):
            raise ValueError(f"integrate_gaussian takes a mean of shape ({self.d},) and a covariance of shape ({self.d}, {self.d}), got "
                             f"{mean.shape} and {cov.shape}.")
        return jnp.exp(log_density(self.dataset, self.weights, self.covariance + cov, mean[:, None]))[0]

    def integrate_box_1d(self, low, high):
        """The probability of the interval from low to high, of a sample of one dimension."""
        if self.d != 1:
            raise ValueError(f"integrate_box_1d is for samples of one dimension; this one has {self.d}.")
        width = jnp.sqrt(self.covariance[0, 0])
        below, above = ((as_value(x, "integrate_box_1d") - self.dataset[0]) / width for x in (low, high))
        return (self.weights * (ndtr(above) - ndtr(below))).sum()

    def integrate_kde(self, other):
        """The integral of the product of two estimates' densities."""
        if not isinstance(other, gaussian_kde):
            raise TypeError(f"integrate_kde takes another gaussian_kde, got {other!r} of type {type(other).__name__}.")
        if other.d != self.d:
            raise ValueError(f"integrate_kde takes an estimate of as many dimensions, {self.d}, got one of {other.d}.")
        small, large = (self, other) if self.n < other.n else (other, self)
        density = log_density(large.dataset, large.weights, small.covariance + large.covariance, small.dataset)
        return (jnp.exp(density) * small.weights).sum()

    def resample(self, key, shape=()):
        """Random points of the density: shape (d, *shape)."""
        choice, noise = random.split(key)
        chosen = random.choice(choice, self.n, shape=shape, p=self.weights)
        moved = random.multivariate_normal(noise, jnp.zeros(self.d, self.dataset.dtype), self.covariance, shape=shape,
                                           dtype=self.dataset.dtype)
        return self.dataset[:, chosen] + jnp.moveaxis(moved, -1, 0)

    def integrate_box(self, low_bounds, high_bounds, maxpts=None):
        """Refused: there is no closed form. In one dimension there is `integrate_box_1d`."""
        raise Refused("gaussian_kde has no integrals over boxes of several dimensions; use integrate_box_1d, or average over resample.")

    def set_bandwidth(self, bw_method=None):
        """Refused: an estimate does not change. Make another one with bw_method."""
        raise Refused("gaussian_kde does not change; make another one with bw_method.")


@composite
def log_density(dataset, weights, covariance, points):
    """The logarithm of the weighted mean of normal densities around the columns of `dataset`, at the columns of `points`."""
    factor = lax.linalg.cholesky(covariance)
    data, at = (lax.linalg.triangular_solve(factor, x.astype(factor.dtype), left_side=True, lower=True) for x in (dataset, points))
    gaps = at[:, :, None] - data[:, None, :]
    energies = (gaps * gaps).sum(0) / 2
    normalizer = jnp.log(diagonal(factor)).sum() + data.shape[0] / 2 * math.log(2 * math.pi)
    return logsumexp(-energies, 1, b=jnp.broadcast_to(weights, energies.shape)) - normalizer
