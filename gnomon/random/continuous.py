"""Distributions of real numbers that are a function of a few uniform numbers."""
from __future__ import annotations

import math

import numpy as np

from gnomon import lax
from gnomon import numpy as jnp
from gnomon.base.settings import current
from gnomon.numpy.axes import one_of
from gnomon.ops.normal_tail import normal_tail
from gnomon.ops.random import random_split
from gnomon.random.recording import (as_shape, common_shape, float_dtype, number, one_key, pair,
                                     parameter, placed, recorded, to_dtype, where, with_rank, with_shape)
from gnomon.random.uniforms import _rademacher, _uniform
from gnomon.trace.stage import Tracer
from gnomon.types.dtype import finfo, is_complex, is_inexact, real_dtype

__all__ = ["cauchy", "double_sided_maxwell", "exponential", "gumbel", "laplace", "logistic", "lognormal", "maxwell",
           "normal", "pareto", "rayleigh", "triangular", "truncated_normal", "wald", "weibull_min"]


def above_minus_one(dtype):
    """The smallest number of a dtype above -1."""
    return number(finfo(dtype).eps / 2 - 1, dtype)


# ---- normal and what is made of it ---------------------------------------------------------------------------------

def normal(key, shape=(), dtype=None, *, out_sharding=None):
    """Numbers from the standard normal distribution.

    Returns an array of `shape` and of `dtype`, a float or complex dtype (default: float32, float64 with x64); real and
    imaginary part of complex numbers have variance 1/2 each. TypeError for what is not a key, ValueError for several
    keys or another dtype.

    >>> from gnomon import random
    >>> random.normal(random.key(0), (3,))
    Array([ 1.622..., 2.025..., -0.433...], dtype=float32)
    """
    key, _ = one_key(key, "normal")
    dtype = float_dtype(dtype, "normal", is_inexact, "a float or complex")
    return placed(_normal(key, shape=as_shape(shape, "normal"), dtype=dtype), out_sharding)


@recorded
def _normal(key, *, shape, dtype):
    if not is_complex(dtype):
        return _normal_real(key, shape=shape, dtype=dtype)
    real, imag = [to_dtype(_normal_real(k, shape=shape, dtype=real_dtype(dtype)), dtype)
                  for k in pair(random_split(key, (2,)))]
    return (real + number(1j, dtype) * imag) / number(math.sqrt(2), dtype)


@recorded
def _normal_real(key, *, shape, dtype):
    """The inverse of the distribution function, at a uniform number."""
    u = _uniform(key, above_minus_one(dtype), number(1, dtype), shape=shape, dtype=dtype)
    return number(math.sqrt(2), dtype) * lax.erf_inv(u)


def truncated_normal(key, lower, upper, shape=None, dtype=None, *, out_sharding=None):
    """Numbers from the standard normal distribution, given that they are between `lower` and `upper`.

    `lower` and `upper` are numbers or arrays. Returns an array of `shape`, to which they must broadcast (default:
    their common shape), and of `dtype`, a float dtype; every number is finite and strictly between the bounds.
    TypeError for what is not a key, ValueError for a shape that does not hold the bounds.

    >>> from gnomon import random
    >>> random.truncated_normal(random.key(0), -1.0, 1.0, (2,))
    Array([...], dtype=float32)
    """
    key, _ = one_key(key, "truncated_normal")
    shape = common_shape(shape, "truncated_normal", lower=lower, upper=upper)
    dtype = float_dtype(dtype, "truncated_normal")
    far = any(x.__class__ is Tracer for x in (lower, upper)) or bool(np.any(np.asarray(lower) > FAR)
                                                                     or np.any(np.asarray(upper) < -FAR))
    lower, upper = [parameter(x, "truncated_normal", name) for x, name in ((lower, "lower"), (upper, "upper"))]
    return placed(_truncated_normal(key, lower, upper, shape=shape, dtype=dtype, far=far), out_sharding)


@recorded
def _truncated_normal(key, lower, upper, *, shape, dtype, far):
    """The inverse of the distribution function, at a uniform number between its values at the bounds; `far` says that
    bounds may be so far out that all of these are 1."""
    lower, upper = to_dtype(lower, dtype), to_dtype(upper, dtype)
    low, high, root2 = lower, upper, number(math.sqrt(2), dtype)
    if far:
        low, high = [with_shape(x, shape) for x in (lower, upper)]
        left = high < -FAR
        right = low > FAR
        start, end = where(left, -high, low), where(left, -low, high)
        low, high = where(left | right, -1, low), where(left | right, 1, high)
    u = _uniform(key, lax.erf(low / root2), lax.erf(high / root2), shape=shape, dtype=dtype)
    out = root2 * lax.erf_inv(u)
    if far:
        share = _uniform(key, 0.0, 1.0, shape=shape, dtype=dtype)
        tail = normal_tail(share, where(left | right, start, FAR), where(left | right, end, FAR + 1))
        out = where(left | right, where(left, -tail, tail), out)
    # rounding must not take the result to the bounds or past them
    first = lax.nextafter(lax.stop_gradient(lower), number(math.inf, dtype))
    last = lax.nextafter(lax.stop_gradient(upper), number(-math.inf, dtype))
    return lax.min(with_rank(last, len(shape)), lax.max(with_rank(first, len(shape)), out))


FAR = 3.0       # where the digits of the distribution function begin to run out


def lognormal(key, sigma=1.0, shape=None, dtype=None, *, out_sharding=None):
    """Numbers whose logarithm is normal with mean 0 and standard deviation `sigma`.

    Returns an array of `shape`, to which `sigma` must broadcast (default: its shape), and of `dtype`, a float dtype.
    TypeError for what is not a key, ValueError for a shape that does not hold `sigma`.

    >>> from gnomon import random
    >>> bool(random.lognormal(random.key(0)) > 0)
    True
    """
    key, _ = one_key(key, "lognormal")
    shape, dtype = common_shape(shape, "lognormal", sigma=sigma), float_dtype(dtype, "lognormal")
    sigma = to_dtype(parameter(sigma, "lognormal", "sigma"), dtype)
    return placed(lax.exp(_normal(key, shape=shape, dtype=dtype) * sigma), out_sharding)


def maxwell(key, shape=(), dtype=None, *, out_sharding=None):
    """Numbers from the Maxwell distribution with scale 1: the length of a standard normal vector of three numbers.

    Returns an array of `shape` and of `dtype`, a float dtype. TypeError for what is not a key.

    >>> from gnomon import random
    >>> random.maxwell(random.key(0), (2,)).shape
    (2,)
    """
    key, _ = one_key(key, "maxwell")
    return placed(_maxwell(key, shape=as_shape(shape, "maxwell"), dtype=float_dtype(dtype, "maxwell")), out_sharding)


@recorded
def _maxwell(key, *, shape, dtype):
    x = _normal(key, shape=(*shape, 3), dtype=dtype)
    return lax.sqrt(jnp.sum(x * x, -1))


def double_sided_maxwell(key, loc, scale, shape=(), dtype=None):
    """Numbers from the Maxwell distribution with either sign, times `scale`, plus `loc`.

    Returns an array of `shape`, to which `loc` and `scale` must broadcast, and of `dtype`, a float dtype. TypeError for
    what is not a key, ValueError for a shape that does not hold the parameters.

    >>> from gnomon import random
    >>> random.double_sided_maxwell(random.key(0), 1.0, 2.0, (2,)).shape
    (2,)
    """
    key, _ = one_key(key, "double_sided_maxwell")
    shape = common_shape(shape, "double_sided_maxwell", loc=loc, scale=scale)
    return _double_sided_maxwell(key, loc, scale, shape=shape, dtype=float_dtype(dtype, "double_sided_maxwell"))


@recorded
def _double_sided_maxwell(key, loc, scale, *, shape, dtype):
    size, side = pair(random_split(key, (2,)))
    x = _rademacher(side, shape=shape, dtype=dtype) * _maxwell(size, shape=shape, dtype=dtype)
    return x * to_dtype(scale, dtype) + to_dtype(loc, dtype)


def wald(key, mean, shape=None, dtype=None, *, out_sharding=None):
    """Numbers from the Wald (inverse Gaussian) distribution with scale 1.

    Michael, Schucany and Haas, "Generating random variates using transformations with multiple roots" (1976). Returns
    an array of `shape`, to which `mean` must broadcast (default: its shape), and of `dtype`, a float dtype. TypeError
    for what is not a key, ValueError for a shape that does not hold `mean`.

    >>> from gnomon import random
    >>> bool(random.wald(random.key(0), 1.0) > 0)
    True
    """
    key, _ = one_key(key, "wald")
    shape = common_shape(shape, "wald", mean=mean)
    return placed(_wald(key, mean, shape=shape, dtype=float_dtype(dtype, "wald")), out_sharding)


@recorded
def _wald(key, mean, *, shape, dtype):
    k1, k2 = pair(random_split(key, (2,)))
    mean = with_shape(to_dtype(mean, dtype), shape)
    v = _normal(k1, shape=shape, dtype=dtype)
    z = _uniform(k2, 0.0, 1.0, shape=shape, dtype=dtype)
    y, mean2 = lax.integer_pow(v, 2), lax.integer_pow(mean, 2)
    root = lax.sqrt(4 * mean * y + mean2 * lax.integer_pow(y, 2))
    x = mean + mean2 * y / 2 - mean / 2 * root
    return where(z <= mean / (mean + x), x, mean2 / x)


# ---- exponential and its relatives ---------------------------------------------------------------------------------

def exponential(key, shape=(), dtype=None, *, out_sharding=None):
    """Numbers from the exponential distribution with mean 1.

    Returns an array of `shape` and of `dtype`, a float dtype (default: float32, float64 with x64). TypeError for what
    is not a key, ValueError for several keys or another dtype.

    >>> from gnomon import random
    >>> random.exponential(random.key(0), (2,))
    Array([2.950..., 3.843...], dtype=float32)
    """
    key, _ = one_key(key, "exponential")
    dtype = float_dtype(dtype, "exponential")
    return placed(_exponential(key, shape=as_shape(shape, "exponential"), dtype=dtype), out_sharding)


@recorded
def _exponential(key, *, shape, dtype):
    return -lax.log1p(-_uniform(key, 0.0, 1.0, shape=shape, dtype=dtype))


def gumbel(key, shape=(), dtype=None, mode=None, *, out_sharding=None):
    """Numbers from the Gumbel distribution: location 0, scale 1.

    `mode="high"` draws twice the bits and so reaches further into the upper tail; default "low", "high" where the
    setting `high_dynamic_range_gumbel` is on. Returns an array of `shape` and of `dtype`, a float dtype. TypeError for
    what is not a key, ValueError for another mode or dtype.

    >>> from gnomon import random
    >>> random.gumbel(random.key(0), (2,)).shape
    (2,)
    """
    key, _ = one_key(key, "gumbel")
    dtype = float_dtype(dtype, "gumbel")
    shape, mode = as_shape(shape, "gumbel"), gumbel_mode(mode, "gumbel")
    return placed(_gumbel(key, shape=shape, dtype=dtype, mode=mode), out_sharding)


def gumbel_mode(mode, caller):
    if mode is None:
        return "high" if current.high_dynamic_range_gumbel else "low"
    return one_of(mode, ("low", "high"), f"random.{caller}", "mode")


@recorded
def _gumbel(key, *, shape, dtype, mode):
    info = finfo(dtype)
    tiny = number(info.tiny, dtype)
    if mode == "low":
        return -lax.log(-lax.log(_uniform(key, tiny, 1.0, shape=shape, dtype=dtype)))
    high, low = pair(_uniform(key, 0.0, 1.0, shape=(2, *shape), dtype=dtype))
    # numbers below 1/2 get the bits that they have room for
    fine = high + number(info.eps, dtype) * low + tiny
    return -lax.log(-lax.log1p(-where(high >= 0.5, high, fine)))


def laplace(key, shape=(), dtype=None, *, out_sharding=None):
    """Numbers from the Laplace distribution: location 0, scale 1.

    Returns an array of `shape` and of `dtype`, a float dtype. TypeError for what is not a key.

    >>> from gnomon import random
    >>> random.laplace(random.key(0), (2,)).shape
    (2,)
    """
    key, _ = one_key(key, "laplace")
    shape, dtype = as_shape(shape, "laplace"), float_dtype(dtype, "laplace")
    return placed(_laplace(key, shape=shape, dtype=dtype), out_sharding)


@recorded
def _laplace(key, *, shape, dtype):
    u = _uniform(key, above_minus_one(dtype), 1.0, shape=shape, dtype=dtype)
    return lax.sign(u) * lax.log1p(-lax.abs(u))


def logistic(key, shape=(), dtype=None, *, out_sharding=None):
    """Numbers from the logistic distribution: location 0, scale 1.

    Returns an array of `shape` and of `dtype`, a float dtype. TypeError for what is not a key.

    >>> from gnomon import random
    >>> random.logistic(random.key(0), (2,)).shape
    (2,)
    """
    key, _ = one_key(key, "logistic")
    shape, dtype = as_shape(shape, "logistic"), float_dtype(dtype, "logistic")
    return placed(_logistic(key, shape=shape, dtype=dtype), out_sharding)


@recorded
def _logistic(key, *, shape, dtype):
    u = _uniform(key, number(finfo(dtype).tiny, dtype), 1.0, shape=shape, dtype=dtype)
    return lax.log(u) - lax.log1p(-u)


def cauchy(key, shape=(), dtype=None, *, out_sharding=None):
    """Numbers from the Cauchy distribution: location 0, scale 1.

    Returns an array of `shape` and of `dtype`, a float dtype. TypeError for what is not a key.

    >>> from gnomon import random
    >>> random.cauchy(random.key(0), (2,)).shape
    (2,)
    """
    key, _ = one_key(key, "cauchy")
    shape, dtype = as_shape(shape, "cauchy"), float_dtype(dtype, "cauchy")
    return placed(_cauchy(key, shape=shape, dtype=dtype), out_sharding)


@recorded
def _cauchy(key, *, shape, dtype):
    u = _uniform(key, number(finfo(dtype).eps, dtype), 1.0, shape=shape, dtype=dtype)
    return lax.tan(number(math.pi, dtype) * (u - number(0.5, dtype)))


def pareto(key, b, shape=None, dtype=None, *, out_sharding=None):
    """Numbers from the Pareto distribution on [1, inf) with density ``b / x**(b + 1)``.

    Returns an array of `shape`, to which `b` must broadcast (default: its shape), and of `dtype`, a float dtype.
    TypeError for what is not a key, ValueError for a shape that does not hold `b`.

    >>> from gnomon import random
    >>> bool(random.pareto(random.key(0), 2.0) >= 1)
    True
    """
    key, _ = one_key(key, "pareto")
    shape = common_shape(shape, "pareto", b=b)
    return placed(_pareto(key, b, shape=shape, dtype=float_dtype(dtype, "pareto")), out_sharding)


@recorded
def _pareto(key, b, *, shape, dtype):
    b = to_dtype(b, dtype)
    return lax.exp(_exponential(key, shape=shape, dtype=dtype) / with_rank(b, len(shape)))


def weibull_min(key, scale, concentration, shape=(), dtype=None):
    """Numbers from the Weibull distribution on [0, inf).

    Returns an array of `shape`, to which `scale` and `concentration` must broadcast, and of `dtype`, a float dtype.
    TypeError for what is not a key, ValueError for a shape that does not hold the parameters.

    >>> from gnomon import random
    >>> random.weibull_min(random.key(0), 1.0, 2.0, (2,)).shape
    (2,)
    """
    key, _ = one_key(key, "weibull_min")
    shape = common_shape(shape, "weibull_min", scale=scale, concentration=concentration)
    return _weibull_min(key, scale, concentration, shape=shape, dtype=float_dtype(dtype, "weibull_min"))


@recorded
def _weibull_min(key, scale, concentration, *, shape, dtype):
    e = -lax.log1p(-_uniform(key, 0.0, 1.0, shape=shape, dtype=dtype))
    return e ** to_dtype(1.0 / concentration, dtype) * to_dtype(scale, dtype)


def rayleigh(key, scale, shape=None, dtype=None, *, out_sharding=None):
    """Numbers from the Rayleigh distribution: the length of a normal vector of two numbers with deviation `scale`.

    Returns an array of `shape`, to which `scale` must broadcast (default: its shape), and of `dtype`, a float dtype.
    TypeError for what is not a key, ValueError for a shape that does not hold `scale`.

    >>> from gnomon import random
    >>> random.rayleigh(random.key(0), 2.0, (2,)).shape
    (2,)
    """
    key, _ = one_key(key, "rayleigh")
    shape = common_shape(shape, "rayleigh", scale=scale)
    return placed(_rayleigh(key, scale, shape=shape, dtype=float_dtype(dtype, "rayleigh")), out_sharding)


@recorded
def _rayleigh(key, scale, *, shape, dtype):
    # a uniform number of zero would give infinity
    u = _uniform(key, number(finfo(dtype).tiny, dtype), 1.0, shape=shape, dtype=dtype)
    return with_shape(to_dtype(scale, dtype), shape) * lax.sqrt(lax.log(u) * number(-2, dtype))


def triangular(key, left, mode, right, shape=None, dtype=None, *, out_sharding=None):
    """Numbers from the triangular distribution between `left` and `right` with its peak at `mode`.

    Returns an array of `shape`, to which the parameters must broadcast (default: their common shape), and of `dtype`, a
    float dtype. TypeError for what is not a key, ValueError for a shape that does not hold the parameters.

    >>> from gnomon import random
    >>> random.triangular(random.key(0), 0.0, 1.0, 2.0, (2,)).shape
    (2,)
    """
    key, _ = one_key(key, "triangular")
    shape = common_shape(shape, "triangular", left=left, mode=mode, right=right)
    dtype = float_dtype(dtype, "triangular")
    return placed(_triangular(key, left, mode, right, shape=shape, dtype=dtype), out_sharding)


@recorded
def _triangular(key, left, mode, right, *, shape, dtype):
    left, mode, right = [with_shape(to_dtype(x, dtype), shape) for x in (left, mode, right)]
    width = right - left
    u = _uniform(key, 0.0, 1.0, shape=shape, dtype=dtype)
    rising = left + lax.sqrt(u * width * (mode - left))
    falling = right - lax.sqrt((number(1, dtype) - u) * width * (right - mode))
    return where(u < (mode - left) / width, rising, falling)
