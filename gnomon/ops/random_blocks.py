"""Block functions of other counter-based generators, and the counters that they are given: Philox and Threefry of 128 bits.

All are of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011). They are written once, for NumPy arrays of uint32 and
for arrays of a function being written.
"""
from __future__ import annotations

import math

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.op import ZERO, Op
from gnomon.ops.compare import DISCRETE
from gnomon.ops.random import BITS, PARITY, WORD, Block, HloArray, HloWords
from gnomon.types.value_type import ArrayType

PHILOX_ROUNDS = 10
GOLDEN, SQUARE_ROOT = 0x9E3779B9, 0xBB67AE85      # what is added to keys each round: digits of the golden ratio and of sqrt(3)
ROTATIONS_OF_FOUR = ((10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20))


def halves_of_product(x, factor):
    """The upper and the lower word of uint32 numbers times a constant."""
    product = x.astype(BITS[64]) * factor
    return (product >> 32).astype(WORD), product.astype(WORD)


def philox2x32(key, x0, x1):
    for _ in range(PHILOX_ROUNDS):
        high, low = halves_of_product(x0, 0xD256D193)
        x0, x1 = high ^ key ^ x1, low
        key = key + GOLDEN
    return x0, x1


def philox4x32(k0, k1, x0, x1, x2, x3):
    for _ in range(PHILOX_ROUNDS):
        high0, low0 = halves_of_product(x0, 0xD2511F53)
        high2, low2 = halves_of_product(x2, 0xCD9E8D57)
        x0, x1, x2, x3 = high2 ^ x1 ^ k0, low2, high0 ^ x3 ^ k1, low0
        k0, k1 = k0 + GOLDEN, k1 + SQUARE_ROOT
    return x0, x1, x2, x3


def threefry4x32(k0, k1, k2, k3, *x):
    keys = k0, k1, k2, k3, k0 ^ k1 ^ k2 ^ k3 ^ PARITY
    x = [word + key for word, key in zip(x, keys)]
    for r in range(20):
        # even rounds mix neighbours, odd ones mix the first with the last
        for base, other, distance in zip((0, 2), (1, 3) if r % 2 == 0 else (3, 1), ROTATIONS_OF_FOUR[r % 8]):
            x[base] = x[base] + x[other]
            x[other] = ((x[other] << distance) | (x[other] >> 32 - distance)) ^ x[base]
        if r % 4 == 3:
            times = r // 4 + 1
            x = [word + keys[(times + i) % 5] for i, word in enumerate(x)]
            x[3] = x[3] + times
    return x


class Philox2x32(Block):
    """Philox of 64 bits: the word of keys and the two of counters to two words."""

    name, words, outs = "philox2x32", 3, 2
    block = staticmethod(philox2x32)


class Philox4x32(Block):
    """Philox of 128 bits: the two words of keys and the four of counters to four words."""

    name, words, outs = "philox4x32", 6, 4
    block = staticmethod(philox4x32)


class Threefry4x32(Block):
    """Threefry of 128 bits: the four words of keys and the four of counters to four words."""

    name, words, outs = "threefry4x32", 8, 4
    block = staticmethod(threefry4x32)


class Iota2x32Shape(Op):
    """The places of an array of `shape`, counted from 0 in row-major order: the upper words of the counts, and the lower ones."""

    shape: tuple

    name = "iota_2x32_shape"
    multiple = True
    derivative = ZERO
    transpose = DISCRETE
    batch = Refused("it has no operands, so it is never batched")

    def result(self):
        return (ArrayType(self.shape, WORD),) * 2

    def lower(self, emit):
        m, wide = HloWords(emit), ArrayType(self.shape, BITS[64])
        count, stride = HloArray(emit, emit.constant(0, wide)), 1
        for axis in reversed(range(len(self.shape))):
            count += HloArray(emit, emit("stablehlo.iota", [], f"dim = {axis}", out=wide)) * stride
            stride *= self.shape[axis]
        return [m.high(count).value, m.convert(count, WORD).value]

    def host(self):
        count = np.arange(math.prod(self.shape), dtype=BITS[64]).reshape(self.shape)
        return [(count >> 32).astype(WORD), count.astype(WORD)]
