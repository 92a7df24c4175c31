"""Distributions of vectors and matrices that take linear algebra."""
from __future__ import annotations

import numpy as np

from gnomon import numpy as jnp
from gnomon.numpy.axes import one_of
from gnomon.random.continuous import _normal
from gnomon.random.recording import as_shape, check_real, common_shape, float_dtype, one_key, parameter, placed, recorded, to_dtype
from gnomon.types.dtype import is_inexact

__all__ = ["multivariate_normal", "orthogonal"]


def multivariate_normal(key, mean, cov, shape=None, dtype=None, method="cholesky", *, out_sharding=None):
    """Vectors from the normal distribution with this mean and covariance matrix.

    `mean` has shape ``(..., n)``, `cov` ``(..., n, n)``. `shape` is the result's shape without its last axis; mean's
    and cov's other axes must broadcast to it (default: to each other). `method` says how `cov` is factored: "cholesky"
    is the fastest, "eigh" and "svd" also take singular matrices. Returns an array of shape ``shape + (n,)`` and of
    `dtype`, a float dtype. TypeError for what is not a key, ValueError for shapes that do not fit or another method.

    >>> from gnomon import random
    >>> random.multivariate_normal(random.key(0), jnp.zeros(2), jnp.eye(2), (3,)).shape
    (3, 2)
    """
    key, _ = one_key(key, "multivariate_normal")
    dtype = float_dtype(dtype, "multivariate_normal")
    one_of(method, FACTORS, "random.multivariate_normal", "method")
    mean, cov = [parameter(x, "multivariate_normal", name) for x, name in ((mean, "mean"), (cov, "cov"))]
    check_real(mean, "multivariate_normal", "mean")
    check_real(cov, "multivariate_normal", "cov")
    n = mean.type.shape[-1:]
    if not n or cov.type.shape[-2:] != (*n, *n):
        raise ValueError("random.multivariate_normal takes a mean of shape (..., n) and a cov of shape (..., n, n), "
                         f"got shapes {mean.type.shape} and {cov.type.shape}.")
    without = {"mean without its last axis": mean.type.shape[:-1], "cov without its last two": cov.type.shape[:-2]}
    shape = common_shape(shape, "multivariate_normal", **{name: np.empty(s, bool) for name, s in without.items()})
    return placed(_multivariate_normal(key, mean, cov, shape=shape, dtype=dtype, method=method), out_sharding)


def _cholesky(cov):
    return jnp.linalg.cholesky(cov)


def _eigh(cov):
    sizes, axes = jnp.linalg.eigh(cov)
    return axes * jnp.sqrt(jnp.expand_dims(sizes, -2))


def _svd(cov):
    axes, sizes, _ = jnp.linalg.svd(cov)
    return axes * jnp.sqrt(jnp.expand_dims(sizes, -2))


FACTORS = {"cholesky": _cholesky, "eigh": _eigh, "svd": _svd}


@recorded
def _multivariate_normal(key, mean, cov, *, shape, dtype, method):
    mean, cov = to_dtype(mean, dtype), to_dtype(cov, dtype)
    z = _normal(key, shape=shape + mean.type.shape[-1:], dtype=dtype)
    return mean + jnp.einsum("...ij,...j->...i", FACTORS[method](cov), z)


def orthogonal(key, n, shape=(), dtype=None, m=None, *, out_sharding=None):
    """Orthogonal matrices, unitary ones for a complex dtype, uniform over their group.

    Mezzadri, "How to generate random matrices from the classical compact groups" (2007). Returns an array of shape
    ``shape + (n, m)`` (m defaults to n) and of `dtype`, a float or complex dtype; where n and m differ, the rows or
    columns that are fewer are orthonormal. TypeError for what is not a key, ValueError for negative sizes.

    >>> from gnomon import random
    >>> random.orthogonal(random.key(0), 2, (3,)).shape
    (3, 2, 2)
    """
    key, _ = one_key(key, "orthogonal")
    shape, (n, m) = as_shape(shape, "orthogonal"), as_shape((n, n if m is None else m), "orthogonal")
    dtype = float_dtype(dtype, "orthogonal", is_inexact, "a float or complex")
    return placed(_orthogonal(key, n=n, m=m, shape=shape, dtype=dtype), out_sharding)


@recorded
def _orthogonal(key, *, n, m, shape, dtype):
    """The Q of a normal matrix, with the signs that make R's diagonal positive."""
    z = _normal(key, shape=(*shape, max(n, m), min(n, m)), dtype=dtype)
    q, r = jnp.linalg.qr(z)
    q = q * jnp.expand_dims(jnp.sign(jnp.diagonal(r, 0, -2, -1)), -2)
    return jnp.swapaxes(q, -2, -1) if n < m else q
