"""Random bits from the compiler's own generator. `gnomon.random` is the module for random numbers."""
from __future__ import annotations

import numpy as np

from gnomon.base.settings import current
from gnomon.lax.operands import values
from gnomon.ops.random import RandomAlgorithm, RngBitGenerator, RngUniform
from gnomon.api.places import reshard
from gnomon.trace.stage import bind
from gnomon.types.dtype import canonicalize
from gnomon.types.size import check_shape

__all__ = ["RandomAlgorithm", "rng_bit_generator", "rng_uniform"]


def rng_bit_generator(key, shape, dtype=np.uint32, algorithm=RandomAlgorithm.RNG_DEFAULT, *, out_sharding=None):
    """Unsigned integers from XLA's generator, and the state to draw the next ones from.

    `key` is the state, uint32 of shape (4,) or uint64 of shape (2,). Returns a pair: the next state, and an array of
    `shape` and of `dtype`, an unsigned integer dtype. The numbers depend on the platform. TypeError for another state
    or dtype.

    >>> state, bits = rng_bit_generator(np.arange(4, dtype="uint32"), (3,))
    >>> bits.shape
    (3,)
    """
    key, = values("rng_bit_generator", (key,))
    dtype = canonicalize(dtype, current.enable_x64)
    if algorithm not in tuple(RandomAlgorithm):
        raise ValueError(f"rng_bit_generator: algorithm must be one of lax.RandomAlgorithm's {', '.join([a.name for a in RandomAlgorithm])}, got "
                         f"{algorithm!r}.")
    state, bits = bind(RngBitGenerator(check_shape(shape, "The shape given to rng_bit_generator"), dtype, RandomAlgorithm(algorithm)), key)
    return [state, bits if out_sharding is None else reshard(bits, out_sharding)]


def rng_uniform(a, b, shape):
    """Numbers between `a` and `b` from the platform's hidden state: no two calls give the same ones.

    `a` and `b` are scalars of one dtype, floats or integers. Returns an array of `shape` and of their dtype.
    `gnomon.random.uniform` draws numbers that can be drawn again. TypeError for bounds that are not scalars of one
    dtype.

    >>> bool(rng_uniform(0.0, 1.0, ()) < 1)
    True
    """
    return bind(RngUniform(check_shape(shape, "The shape given to rng_uniform")), *values("rng_uniform", (a, b)))
