"""Distributions of counts: geometric, Poisson, binomial, multinomial."""
from __future__ import annotations

import math

import numpy as np

from gnomon import lax
from gnomon import numpy as jnp
from gnomon.numpy.axes import integer
from gnomon.ops.random import random_split
from gnomon.random.recording import (check_real, common_shape, exactly, float_dtype, int_dtype, number, one_key, pair, parameter,
                                     placed, recorded, to_dtype, where, with_shape)
from gnomon.random.uniforms import _uniform
from gnomon.types.dtype import iinfo

__all__ = ["binomial", "geometric", "multinomial", "poisson"]

_FLOAT32 = np.dtype("float32")


def unit(key, shape, dtype):
    return _uniform(key, 0.0, 1.0, shape=shape, dtype=dtype)


# ---- geometric -----------------------------------------------------------------------------------------------------

def geometric(key, p, shape=None, dtype=None, *, out_sharding=None):
    """How many trials of probability `p` it takes to succeed once: 1, 2, ...

    Returns an array of `shape`, to which `p` must broadcast (default: its shape), and of `dtype`, an integer dtype.
    TypeError for what is not a key or another dtype, ValueError for a shape that does not hold `p`.

    >>> from gnomon import random
    >>> bool(random.geometric(random.key(0), 0.5) >= 1)
    True
    """
    key, _ = one_key(key, "geometric")
    shape = common_shape(shape, "geometric", p=p)
    return placed(_geometric(key, p, shape=shape, dtype=int_dtype(dtype, "geometric")), out_sharding)


@recorded
def _geometric(key, p, *, shape, dtype):
    floating = float_dtype(None, "geometric")
    u = unit(key, shape, floating)
    u = where(lax.eq(u, number(0, floating)), 1.0, u)
    waited = lax.log(u) / with_shape(lax.log1p(-to_dtype(p, floating)), shape)
    return to_dtype(lax.floor(waited) + number(1, floating), dtype)


# ---- Poisson -------------------------------------------------------------------------------------------------------

def poisson(key, lam, shape=None, dtype=None, *, method="exact", out_sharding=None):
    """Counts from the Poisson distribution with mean `lam`, which must be 0 or more.

    Knuth's product of uniform numbers below a mean of 10; above, Hörmann, "The transformed rejection method for
    generating Poisson random variables" (1993). Returns an array of `shape`, to which `lam` must broadcast (default:
    its shape), and of `dtype`, an integer dtype. TypeError for what is not a key or another dtype, ValueError for a
    shape that does not hold `lam`.

    >>> from gnomon import random
    >>> random.poisson(random.key(0), 3.0, (4,)).shape
    (4,)
    """
    exactly(method, "poisson")
    key, _ = one_key(key, "poisson")
    shape = common_shape(shape, "poisson", lam=lam)
    lam = with_shape(to_dtype(parameter(lam, "poisson", "lam"), _FLOAT32), shape)
    return placed(_poisson(key, lam, dtype=int_dtype(dtype, "poisson")), out_sharding)


@recorded
def _poisson(key, lam, *, dtype):
    small, endless = (lam != lam) | (lam < 10), lam == math.inf
    few = _poisson_knuth(key, where(small, lam, 0.0), dtype=dtype)
    many = _poisson_rejection(key, where(small | endless, 1e5, lam), dtype=dtype)
    return where(lam == 0, 0, where(endless, int(iinfo(dtype).max), where(small, few, many)))


@recorded
def _poisson_knuth(key, lam, *, dtype):
    """Counts how many uniform numbers it takes until their product is below exp(-lam)."""
    shape = lam.shape

    def going(state):
        count, key, log_product = state
        return jnp.any(log_product > -lam)

    def step(state):
        count, key, log_product = state
        key, draw = pair(random_split(key, (2,)))
        count = where(log_product > -lam, count + 1, count)
        return count, key, log_product + lax.log(unit(draw, shape, _FLOAT32))
    start = with_shape(number(0, dtype), shape), key, with_shape(number(0, _FLOAT32), shape)
    return lax.while_loop(going, step, start)[0] - 1


@recorded
def _poisson_rejection(key, lam, *, dtype):
    """Hörmann's PTRS; the names are his."""
    log_lam = lax.log(lam)
    b = 0.931 + 2.53 * lax.sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)

    def propose(u, v):
        us = 0.5 - lax.abs(u)
        k = lax.floor((2 * a / us + b) * u + lam + 0.43)
        s = lax.log(v * inverse_alpha / (a / (us * us) + b))
        t = -lam + k * log_lam - lax.lgamma(k + 1)
        at_once = (us >= 0.07) & (v <= v_r)
        never = (k < 0) | ((us < 0.013) & (v > us))
        return k, at_once | (~never & (s <= t))
    return to_dtype(rejection(key, lam.shape, _FLOAT32, propose), dtype)


def rejection(key, shape, dtype, propose):
    """Draws pairs of uniform numbers, the first from [-1/2, 1/2), until every element has been accepted once; an
    element keeps the last value that was accepted."""
    def going(state):
        kept, accepted, key = state
        return jnp.any(~accepted)

    def step(state):
        kept, accepted, key = state
        keys = random_split(key, (3,))
        u, v = unit(keys[1], shape, dtype), unit(keys[2], shape, dtype)
        k, accept = propose(u - 0.5, v)
        return where(accept, k, kept), accepted | accept, keys[0]
    start = with_shape(number(-1, dtype), shape), with_shape(number(False, np.dtype(bool)), shape), key
    return lax.while_loop(going, step, start)[0]


# ---- binomial ------------------------------------------------------------------------------------------------------

def binomial(key, n, p, shape=None, dtype=None):
    """How many of `n` trials of probability `p` succeed, as floats.

    By inversion where a mean is 10 or less; above, Hörmann, "The generation of binomial random variates" (1993). NaN
    where `n` or `p` is negative or NaN. Returns an array of `shape`, to which `n` and `p` must broadcast (default:
    their common shape), and of `dtype`, a float dtype. TypeError for what is not a key, ValueError for a shape that
    does not hold the parameters.

    >>> from gnomon import random
    >>> random.binomial(random.key(0), 10, 0.5, (4,)).shape
    (4,)
    """
    key, _ = one_key(key, "binomial")
    shape, dtype = common_shape(shape, "binomial", n=n, p=p), float_dtype(dtype, "binomial")
    n, p = [with_shape(to_dtype(parameter(x, "binomial", name), dtype), shape) for x, name in ((n, "n"), (p, "p"))]
    return _binomial(key, n, p)


@recorded
def _binomial(key, count, prob):
    return binomial_values(key, count, prob)


def binomial_values(key, count, prob):
    rare = prob < 0.5
    q = where(rare, prob, 1 - prob)
    no_count = (count != count) | (count < 0)
    endless = lax.abs(count) == math.inf
    no_prob = (q != q) | (q < 0)
    prob_is_nan = q != q
    q = where(no_prob, 0.01, q)
    by_inversion = no_count | (count * q <= 10)
    count = lax.floor(count)
    few = inversion(key, where(by_inversion, count, 0.0), lax.log1p(-q))
    many = btrs(key, where(by_inversion | endless, 1e4, count), where(by_inversion, 0.5, q))
    out = where(by_inversion, few, many)
    wrong = no_prob | no_count
    out = where(wrong, math.nan, out)
    out = where(endless & ~wrong, math.inf, out)
    return where(rare | no_count | prob_is_nan | endless, out, count - out)


def inversion(key, count, log_not):
    """Adds up waiting times until they are past `count`."""
    shape, dtype = count.shape, count.dtype

    def going(state):
        number_of, waited, key = state
        return jnp.any(waited <= count)

    def step(state):
        number_of, waited, key = state
        draw, key = pair(random_split(key, (2,)))
        number_of = where(waited <= count, number_of + 1, number_of)
        return number_of, waited + lax.ceil(lax.log(unit(draw, shape, dtype)) / log_not), key
    zero = with_shape(number(0, dtype), shape)
    return lax.while_loop(going, step, (zero, zero, key))[0] - 1


def btrs(key, count, prob):
    """Hörmann's BTRS; the names are his."""
    deviation = lax.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c = count * prob + 0.5
    v_r = 0.92 - 4.2 / b
    r = prob / (1 - prob)
    alpha = (2.83 + 5.1 / b) * deviation
    m = lax.floor((count + 1) * prob)

    def propose(u, v):
        us = 0.5 - lax.abs(u)
        at_once = (us >= 0.07) & (v <= v_r)
        k = lax.floor((2 * a / us + b) * u + c)
        never = (k < 0) | (k > count)
        v = lax.log(v * alpha / (a / (us * us) + b))
        most = ((m + 0.5) * lax.log((m + 1) / (r * (count - m + 1)))
                + (count + 1) * lax.log((count - m + 1) / (count - k + 1))
                + (k + 0.5) * lax.log(r * (count - k + 1) / (k + 1))
                + stirling_tail(m) + stirling_tail(count - m) - stirling_tail(k) - stirling_tail(count - k))
        return k, at_once | (~never & (v <= most))
    return rejection(key, count.shape, count.dtype, propose)


# log(k!) less Stirling's approximation of it, for k = 0, ..., 9
STIRLING_TAILS = [math.lgamma(k + 1) - 0.5 * math.log(2 * math.pi) - (k + 0.5) * math.log(k + 1) + (k + 1)
                  for k in range(10)]


def stirling_tail(k):
    """log(k!) less Stirling's approximation of it."""
    small = lax.clamp(number(0, k.dtype), k, number(9, k.dtype))
    table = jnp.asarray(np.array(STIRLING_TAILS, k.dtype))[to_dtype(lax.floor(small), np.dtype("int32"))]
    square = (small + 1) * (small + 1)
    return where(k <= 9, table, (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (small + 1))


def multinomial(key, n, p, *, shape=None, dtype=None, unroll=1):
    """How often each outcome of probabilities `p`, along the last axis, comes up in `n` trials, as floats.

    `n` broadcasts to p's shape without its last axis. `shape` is the result's shape without its last axis (default:
    p's). Returns an array of shape ``shape + p.shape[-1:]`` and of `dtype`, a float dtype. `unroll` is that of
    `lax.scan`. TypeError for what is not a key, ValueError for shapes that do not fit.

    >>> from gnomon import random
    >>> float(random.multinomial(random.key(0), 10, jnp.ones(3) / 3).sum())
    10.0
    """
    key, _ = one_key(key, "multinomial")
    dtype = float_dtype(dtype, "multinomial")
    n, p = [parameter(x, "multinomial", name) for x, name in ((n, "n"), (p, "p"))]
    check_real(p, "multinomial", "p")
    if not p.type.ndim:
        raise ValueError("random.multinomial takes a p with the outcomes' probabilities along its last axis, got a "
                         "number.")
    outcomes, unroll = p.type.shape[-1], unroll if unroll is True or unroll is False else integer(unroll, "random.multinomial", "unroll")
    shape = common_shape(shape, "multinomial", n=n, **{"p without its last axis": np.empty(p.type.shape[:-1])})
    n, p = to_dtype(n, dtype), to_dtype(p, dtype)
    return _multinomial(key, with_shape(n, shape), with_shape(p, (*shape, outcomes)), unroll=unroll)


@recorded
def _multinomial(key, n, p, *, unroll):
    """One outcome after the other: a binomial share of the trials that are left."""
    p = jnp.moveaxis(p, -1, 0)
    left = lax.cumsum(p, axis=0, reverse=True)
    share = p / where(left == 0, 1.0, left)

    def step(n, at):
        share, key = at
        count = binomial_values(key, n, jnp.clip(share, 0, 1))
        return n - count, count
    _, counts = lax.scan(step, n, (share, random_split(key, (p.shape[0],))), unroll=unroll)
    return jnp.moveaxis(counts, 0, -1)
