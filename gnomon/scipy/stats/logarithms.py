"""Logarithms of probabilities, from whichever of the probability and its complement is the smaller."""
from __future__ import annotations

from gnomon import numpy as jnp

__all__ = ["log1mexp", "log_of_rise", "log_of_the_two", "log_outside", "whole"]


def log1mexp(y):
    """log(1 - exp(-y)) for y >= 0."""
    near = y < 0.693
    return jnp.where(near, jnp.log(-jnp.expm1(-jnp.where(near, y, 1))), jnp.log1p(-jnp.exp(-jnp.where(near, 1, y))))


def log_of_rise(z):
    """log(1 - exp(-exp(z))), also where exp(z) is too small for its dtype."""
    low = z < -10
    return jnp.where(low, z - 0.5 * jnp.exp(z), log1mexp(jnp.exp(jnp.where(low, 0, z))))


def log_of_the_two(p, rest):
    """log(p), where p + rest = 1."""
    small = p < 0.5
    return jnp.where(small, jnp.log(jnp.where(small, p, 1)), jnp.log1p(-jnp.where(small, 0, rest)))


def log_outside(x):
    """The logarithm of a density where there is none: -inf, or NaN where x is NaN."""
    return jnp.where(jnp.isnan(x), jnp.nan, -jnp.inf)


def whole(k):
    return jnp.floor(k) == k
