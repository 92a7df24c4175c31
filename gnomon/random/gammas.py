"""The gamma distribution and those made of it."""
from __future__ import annotations

import numpy as np

from gnomon import lax
from gnomon import numpy as jnp
from gnomon.ops.random import random_split
from gnomon.ops.random_gamma import random_gamma
from gnomon.random.continuous import _exponential, _normal
from gnomon.random.recording import (as_shape, check_real, common_shape, exactly, float_dtype, number, one_key, pair, parameter,
                                     placed, recorded, to_dtype, with_shape)
from gnomon.random.uniforms import _rademacher

__all__ = ["ball", "beta", "chisquare", "dirichlet", "f", "gamma", "generalized_normal", "loggamma", "t"]


def gamma(key, a, shape=None, dtype=None, *, method="exact", out_sharding=None):
    """Numbers from the gamma distribution with shape parameter `a` and scale 1.

    Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). Differentiable in `a`. Returns an
    array of `shape`, to which `a` must broadcast (default: its shape), and of `dtype`, a float dtype. For a small `a`
    most numbers are too small for the dtype; `loggamma` has their logarithms. TypeError for what is not a key,
    ValueError for a shape that does not hold `a`.

    >>> from gnomon import random
    >>> random.gamma(random.key(0), 2.0, (3,)).shape
    (3,)
    """
    exactly(method, "gamma")
    return placed(gammas(key, a, shape, dtype, False, "gamma"), out_sharding)


def loggamma(key, a, shape=None, dtype=None, *, method="exact", out_sharding=None):
    """Logarithms of numbers from the gamma distribution. Arguments, results and errors are those of `gamma`.

    >>> from gnomon import random
    >>> random.loggamma(random.key(0), 2.0, (3,)).shape
    (3,)
    """
    exactly(method, "loggamma")
    return placed(gammas(key, a, shape, dtype, True, "loggamma"), out_sharding)


def gammas(key, a, shape, dtype, log_space, caller):
    key, _ = one_key(key, caller)
    a = parameter(a, caller, "a")
    return _gamma(key, a, shape=common_shape(shape, caller, a=a), dtype=float_dtype(dtype, caller), log_space=log_space)


@recorded
def _gamma(key, a, *, shape, dtype, log_space):
    return random_gamma(key, with_shape(to_dtype(a, dtype), shape), log_space)


def beta(key, a, b, shape=None, dtype=None, *, method="exact", out_sharding=None):
    """Numbers from the beta distribution on [0, 1] with parameters `a` and `b`.

    Returns an array of `shape`, to which `a` and `b` must broadcast (default: their common shape), and of `dtype`, a
    float dtype. TypeError for what is not a key, ValueError for a shape that does not hold the parameters.

    >>> from gnomon import random
    >>> random.beta(random.key(0), 2.0, 3.0, (3,)).shape
    (3,)
    """
    exactly(method, "beta")
    key, _ = one_key(key, "beta")
    shape = common_shape(shape, "beta", a=a, b=b)
    return placed(_beta(key, a, b, shape=shape, dtype=float_dtype(dtype, "beta")), out_sharding)


@recorded
def _beta(key, a, b, *, shape, dtype):
    keys = pair(random_split(key, (2,)))
    x, y = [_gamma(k, with_shape(to_dtype(p, dtype), shape), shape=shape, dtype=dtype, log_space=True)
            for k, p in zip(keys, (a, b))]
    top = lax.max(x, y)
    x, y = lax.exp(x - top), lax.exp(y - top)
    return x / (x + y)


def dirichlet(key, alpha, shape=None, dtype=None, *, out_sharding=None):
    """Vectors of numbers that add up to 1, from the Dirichlet distribution with parameters `alpha` along the last
    axis.

    Returns an array of shape ``shape + alpha.shape[-1:]``, where `shape` (default: alpha's shape without its last
    axis) holds alpha's other axes, and of `dtype`, a float dtype. TypeError for what is not a key, ValueError for an
    `alpha` without dimensions or a shape that does not hold it.

    >>> from gnomon import random
    >>> random.dirichlet(random.key(0), jnp.ones(3), (2,)).shape
    (2, 3)
    """
    key, _ = one_key(key, "dirichlet")
    alpha = parameter(alpha, "dirichlet", "alpha")
    check_real(alpha, "dirichlet", "alpha")
    if not alpha.type.ndim or not alpha.type.shape[-1]:
        raise ValueError("random.dirichlet takes an alpha with at least one dimension and one number along the last, got shape "
                         f"{alpha.type.shape}.")
    own = alpha.type.shape
    shape = common_shape(shape, "dirichlet", **{"alpha without its last axis": np.empty(own[:-1])})
    return placed(_dirichlet(key, alpha, shape=(*shape, own[-1]), dtype=float_dtype(dtype, "dirichlet")), out_sharding)


@recorded
def _dirichlet(key, alpha, *, shape, dtype):
    logs = _gamma(key, to_dtype(alpha, dtype), shape=shape, dtype=dtype, log_space=True)
    parts = lax.exp(logs - lax.stop_gradient(jnp.max(logs, -1, keepdims=True)))
    return parts / jnp.sum(parts, -1, keepdims=True)


def chisquare(key, df, shape=None, dtype=None, *, method="exact", out_sharding=None):
    """Numbers from the chi-square distribution with `df` degrees of freedom.

    Returns an array of `shape`, to which `df` must broadcast (default: its shape), and of `dtype`, a float dtype.
    TypeError for what is not a key, ValueError for a shape that does not hold `df`.

    >>> from gnomon import random
    >>> random.chisquare(random.key(0), 2.0, (3,)).shape
    (3,)
    """
    exactly(method, "chisquare")
    key, _ = one_key(key, "chisquare")
    shape = common_shape(shape, "chisquare", df=df)
    return placed(_chisquare(key, df, shape=shape, dtype=float_dtype(dtype, "chisquare")), out_sharding)


@recorded
def _chisquare(key, df, *, shape, dtype):
    half = to_dtype(df, dtype) / number(2, dtype)
    return lax.exp(_gamma(key, half, shape=shape, dtype=dtype, log_space=True)) * number(2, dtype)


def f(key, dfnum, dfden, shape=None, dtype=None, *, out_sharding=None):
    """Numbers from the F distribution with `dfnum` and `dfden` degrees of freedom.

    Returns an array of `shape`, to which the parameters must broadcast (default: their common shape), and of `dtype`, a
    float dtype. TypeError for what is not a key, ValueError for a shape that does not hold the parameters.

    >>> from gnomon import random
    >>> random.f(random.key(0), 2.0, 3.0, (3,)).shape
    (3,)
    """
    key, _ = one_key(key, "f")
    shape = common_shape(shape, "f", dfnum=dfnum, dfden=dfden)
    return placed(_f(key, dfnum, dfden, shape=shape, dtype=float_dtype(dtype, "f")), out_sharding)


@recorded
def _f(key, dfnum, dfden, *, shape, dtype):
    dfnum, dfden = to_dtype(dfnum, dtype), to_dtype(dfden, dtype)
    below, above = pair(random_split(key, (2,)))
    return (_chisquare(above, dfnum, shape=shape, dtype=dtype) / dfnum) / (
        _chisquare(below, dfden, shape=shape, dtype=dtype) / dfden)


def t(key, df, shape=None, dtype=None, *, out_sharding=None):
    """Numbers from Student's t distribution with `df` degrees of freedom.

    Returns an array of `shape`, to which `df` must broadcast (default: its shape), and of `dtype`, a float dtype.
    TypeError for what is not a key, ValueError for a shape that does not hold `df`.

    >>> from gnomon import random
    >>> random.t(random.key(0), 2.0, (3,)).shape
    (3,)
    """
    key, _ = one_key(key, "t")
    shape = common_shape(shape, "t", df=df)
    return placed(_t(key, df, shape=shape, dtype=float_dtype(dtype, "t")), out_sharding)


@recorded
def _t(key, df, *, shape, dtype):
    k1, k2 = pair(random_split(key, (2,)))
    x = _normal(k1, shape=shape, dtype=dtype)
    half = to_dtype(df, dtype) / number(2, dtype)
    return x * lax.sqrt(half / _gamma(k2, half, shape=shape, dtype=dtype, log_space=False))


def generalized_normal(key, p, shape=(), dtype=None, *, out_sharding=None):
    """Numbers from the generalized normal distribution, with density proportional to ``exp(-|x|**p)``.

    Returns an array of `shape`, to which `p` must broadcast, and of `dtype`, a float dtype. TypeError for what is not
    a key, ValueError for a shape that does not hold `p`.

    >>> from gnomon import random
    >>> random.generalized_normal(random.key(0), 2.0, (3,)).shape
    (3,)
    """
    key, _ = one_key(key, "generalized_normal")
    shape = common_shape(shape, "generalized_normal", p=p)
    return placed(_generalized_normal(key, p, shape=shape, dtype=float_dtype(dtype, "generalized_normal")),
                  out_sharding)


@recorded
def _generalized_normal(key, p, *, shape, dtype):
    k1, k2 = pair(random_split(key, (2,)))
    size = _gamma(k1, 1 / p, shape=shape, dtype=dtype, log_space=False)
    return _rademacher(k2, shape=shape, dtype=dtype) * size ** to_dtype(1 / p, dtype)


def ball(key, d, p=2, shape=(), dtype=None, *, out_sharding=None):
    """Points that are uniform in the unit ball of the Lp norm in `d` dimensions.

    Barthe, Guédon, Mendelson and Naor, "A probabilistic approach to the geometry of the l_p^n-ball" (2005). Returns an
    array of shape ``shape + (d,)`` and of `dtype`, a float dtype. TypeError for what is not a key, ValueError for a
    negative `d`.

    >>> from gnomon import random
    >>> random.ball(random.key(0), 3, shape=(2,)).shape
    (2, 3)
    """
    key, _ = one_key(key, "ball")
    shape, sizes = as_shape(shape, "ball"), as_shape(d, "ball")
    if len(sizes) != 1:
        raise TypeError(f"random.ball takes an integer d, got {d!r}.")
    (d,) = sizes
    if common_shape(None, "ball", p=p):
        raise ValueError(f"random.ball takes one number as p, got an array of shape {np.shape(p)}.")
    return placed(_ball(key, p, d=d, shape=shape, dtype=float_dtype(dtype, "ball")), out_sharding)


@recorded
def _ball(key, p, *, d, shape, dtype):
    k1, k2 = pair(random_split(key, (2,)))
    g = _generalized_normal(k1, p, shape=(*shape, d), dtype=dtype)
    e = _exponential(k2, shape=shape, dtype=dtype)
    length = (jnp.sum(lax.abs(g) ** to_dtype(p, dtype), -1) + e) ** to_dtype(1 / p, dtype)
    return g / jnp.expand_dims(length, -1)
