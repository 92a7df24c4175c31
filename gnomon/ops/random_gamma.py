"""Random numbers from the gamma distribution.

Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). Every number has a key of its own, split
from the one given. From keys of Threefry all are drawn side by side, and those that have been accepted wait for the
others; other generators serve one key after the other, so there it is one number after the other.
"""
from __future__ import annotations

import functools
import math

import numpy as np

from gnomon.ir.jaxpr import Literal
from gnomon.ir.op import field
from gnomon.ops.arithmetic import NOT_LINEAR, div, mul, neg
from gnomon.ops.compare import bitwise_or, eq, select_n, shift_left, shift_right_logical
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import exp
from gnomon.ops.longhand import Number, log, log1p, sqrt, where
from gnomon.ops.random import (BITS, WORD, Generator, HloArray, HloWords, KeyOp, RandomBits, RandomSplit, Threefry, Threefry2x32, generator_of_keys,
                               generator_of)
from gnomon.ops.shape import squeeze
from gnomon.ops.slicing import slice_in_dim
from gnomon.ops.special import random_gamma_grad
from gnomon.trace.build import program
from gnomon.trace.stage import bind
from gnomon.types.dtype import finfo, is_float
from gnomon.types.value_type import ArrayType

_BOOL, _FLOAT32 = np.dtype(bool), np.dtype("float32")


class RandomGamma(KeyOp):
    """A number from the gamma distribution of each parameter; its logarithm where `log_space`.

    The leading axes of the parameters are those of the keys; a key serves all parameters at its index."""

    log_space: bool
    impl: Generator = field(show="never", read=generator_of_keys)

    host = None
    transpose = NOT_LINEAR

    def result(self, keys, a):
        self.need_keys(keys)
        if not is_float(a.dtype) or a.shape[:keys.ndim] != keys.shape:
            raise TypeError(f"random_gamma takes floats and a key for each of their leading axes, got {keys} and {a}.")
        return a.update(weak_type=False, varying=a.varying | keys.varying)

    def derivative(self, args, tangents):
        (keys, a), (_, t) = args, tangents
        out = bind(self, keys, a)
        if t is None:
            return out, None
        if not self.log_space:
            return out, mul(t, random_gamma_grad(a, out))
        x = exp(out)
        # where x is too small for its dtype, its logarithm is that of a uniform number divided by a
        lost = eq(x, full_scalar(x, 0))
        safe = select_n(lost, x, full_scalar(x, 1))
        return out, mul(t, select_n(lost, div(random_gamma_grad(a, safe), safe), neg(div(out, a))))

    def lower(self, emit, keys, a):
        lead, n = keys.shape, math.prod(a.shape)
        if not n:
            return a
        dtype = a.dtype if a.dtype.itemsize >= 4 else _FLOAT32
        flat = Number(emit, reshape(emit, a, (n,))).convert(dtype)
        if type(self.impl) is Threefry:
            m = HloWords(emit)
            low, high = self.impl.split(m, m.words(HloArray(emit, emit.words(keys))), a.shape[len(lead):])
            each = m.reshape(m.join(high, low), (n,)).value
            x = SideBySide(emit, dtype, (n,)).gamma(each, flat, self.log_space)
        else:
            split = program([keys.type], lambda k: [bind(RandomSplit(a.shape[len(lead):], self.impl), k)])
            each = reshape(emit, emit.call(split, [keys], "random_split")[0], (n,))
            x = self.one_by_one(emit, each, flat)
        return reshape(emit, x.convert(a.dtype).value, a.shape)

    def one_by_one(self, emit, keys, a):
        draws = OneDraw(emit, a.dtype, self.impl)
        i, one, end = [emit.scalar(count) for count in (0, 1, a.type.shape[0])]

        def step(i, out):
            x = draws.gamma(emit.index_leading(keys, i), Number(emit, emit.index_leading(a.value, i)), self.log_space)
            return emit.elementwise("stablehlo.add", [i, one], i.type), emit.update_leading(out, x.value, i)
        out = emit.while_loop([i, a.value], lambda i, out: emit.compare("LT", i, end), step)[1]
        return Number(emit, out)


def reshape(emit, x, shape):
    return emit("stablehlo.reshape", [x], out=ArrayType(shape, x.dtype))


class Draws:
    """What keys give, in a function being written: numbers of one shape and dtype, each from a key of its own.

    `split(keys, count)` gives lists of new keys, `bits(keys)` an unsigned integer, as wide as the dtype, from each."""

    def __init__(self, emit, dtype, shape):
        self.emit, self.dtype, self.shape = emit, dtype, shape

    def uniform(self, keys):
        """A number in [0, 1) from each: random bits as the mantissa of a number in [1, 2), less 1."""
        info, one = finfo(self.dtype), int(np.ones((), self.dtype).view(BITS[8 * self.dtype.itemsize]))
        return Number(self.emit, (self.bits(keys) >> info.bits - info.nmant | one).value).bits_as(self.dtype) - 1.0

    def normal(self, keys):
        low = float(finfo(self.dtype).eps / 2 - 1)
        u = self.uniform(keys) * float(np.asarray(1 - low, self.dtype)) + low
        return where(u < low, low, u).apply("chlo.erf_inv") * float(np.asarray(math.sqrt(2), self.dtype))

    def gamma(self, keys, a, log_space):
        """The paper's names: X**2 is `x2`, V is `v`, U is `u`."""
        emit, third = self.emit, float(np.asarray(1 / 3, self.dtype))
        small = a < 1.0
        d = where(small, a + 1.0, a) - third
        c = third / sqrt(d)
        keys, boost_keys = self.split(keys, 2)

        def going(done, *rest):
            return (~Number(emit, done)).any().value

        def step(done, found, key, x_key, u_key):
            done, found = Number(emit, done), Number(emit, found)
            x_next, draw = self.split(x_key, 2)
            x = self.normal(draw)
            root = x * c + 1.0
            valid = root > 0.0
            v, x2, u = where(valid, root * root * root, 1.0), x * x, self.uniform(u_key)
            accepted = valid & ((u < 1.0 - x2 * x2 * 0.0331) | (log(u) < x2 * 0.5 + d * ((1.0 - v) + log(v))))
            again = [emit.select(valid.value, new, old) for new, old in zip(self.split(key, 3), (key, x_next, u_key))]
            return [(done | accepted).value, where(done | ~accepted, found, v).value, *again]
        start = [emit.constant(False, ArrayType(self.shape, _BOOL)), d.like(1.0).value, *self.split(keys, 3)]
        v = Number(emit, emit.while_loop(start, going, step)[1])
        u = self.uniform(boost_keys)
        if log_space:
            return log(v) + log(d) + where(small, log1p(-u) * (1.0 / a), 0.0)
        return d * v * where(small, (1.0 - u) ** (1.0 / a), 1.0)


class SideBySide(Draws):
    """From keys of Threefry, each a uint64 of its two words."""

    def child(self, keys, i):
        """The key number `i` that is split from each. The blocks are one function that is compiled once, not where it
        is called, so that nothing they give is computed twice."""
        return self.emit.call(block_program(*self.shape), [keys, self.emit.scalar(i, WORD)], "threefry2x32", False)[0]

    def split(self, keys, count):
        return [self.child(keys, i) for i in range(count)]

    def bits(self, keys):
        m, block = HloWords(self.emit), HloArray(self.emit, self.child(keys, 0))
        low, high = m.convert(block, WORD), m.high(block)
        return m.join(low, high) if self.dtype.itemsize == 8 else low ^ high


class OneDraw(Draws):
    """From one key of any generator."""

    def __init__(self, emit, dtype, impl):
        super().__init__(emit, dtype, ())
        self.impl = impl

    def split(self, key, count):
        return self.emit.call(split_program(self.impl, count), [key], "random_split", False)

    def bits(self, key):
        return HloArray(self.emit, self.emit.call(bits_program(self.impl, 8 * self.dtype.itemsize), [key], "random_bits", False)[0])


@functools.cache
def split_program(impl, count):
    """`count` keys from one, each a result."""
    def split(key):
        keys = bind(RandomSplit((count,), impl), key)
        return [squeeze(slice_in_dim(keys, i, i + 1, 0), (0,)) for i in range(count)]
    return program([ArrayType((), impl.dtype)], split)


@functools.cache
def bits_program(impl, width):
    return program([ArrayType((), impl.dtype)], lambda key: [bind(RandomBits(width, (), impl), key)])


@functools.cache
def block_program(n):
    """The block that each of `n` keys gives for one counter."""
    wide, half = BITS[64], number(32, BITS[64])

    def block(keys, counter):
        low = convert_element_type(keys, WORD)
        high = convert_element_type(shift_right_logical(keys, half), WORD)
        low, high = bind(Threefry2x32(), low, high, number(0, WORD), counter)
        return [bitwise_or(shift_left(convert_element_type(high, wide), half), convert_element_type(low, wide))]
    return program([ArrayType((n,), wide), ArrayType((), WORD)], block)


def number(value, dtype):
    return Literal(value, ArrayType((), dtype))


def random_gamma(keys, a, log_space):
    return bind(RandomGamma(log_space, generator_of(keys)), keys, a)
