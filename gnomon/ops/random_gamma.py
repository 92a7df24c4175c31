"""Random numbers from the gamma distribution.

Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). Every number has a key of its own, split
from the one given; all are drawn side by side, and those that have been accepted wait for the others.
"""
from __future__ import annotations

import math

import numpy as np

from gnomon.ir.op import field
from gnomon.ops.arithmetic import NOT_LINEAR, div, mul, neg
from gnomon.ops.compare import eq, select_n
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import exp
from gnomon.ops.longhand import Number, log, log1p, sqrt, where
from gnomon.ops.random import BITS, Generator, HloArray, HloWords, KeyOp, generator_of
from gnomon.ops.special import random_gamma_grad
from gnomon.trace.stage import bind
from gnomon.types.dtype import finfo, is_float
from gnomon.types.value_type import ArrayType

_BOOL, _FLOAT32 = np.dtype(bool), np.dtype("float32")


class RandomGamma(KeyOp):
    """A number from the gamma distribution of each parameter; its logarithm where `log_space`.

    The leading axes of the parameters are those of the keys; a key serves all parameters at its index."""

    log_space: bool
    impl: Generator = field(show="never")

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
        m, lead, n = HloWords(emit), keys.shape, math.prod(a.shape)
        each = self.impl.split(m, m.words(HloArray(emit, emit.words(keys))), a.shape[len(lead):])
        each = [m.reshape(w, (n,)) for w in each]
        dtype = a.dtype if a.dtype.itemsize >= 4 else _FLOAT32
        flat = Number(emit, m.reshape(HloArray(emit, a), (n,)).value).convert(dtype)
        x = Draws(m, self.impl, dtype).gamma(each, flat, self.log_space)
        return m.reshape(HloArray(emit, x.convert(a.dtype).value), a.shape).value


class Draws:
    """What many keys give, side by side, in a function being written."""

    def __init__(self, m, impl, dtype):
        self.m, self.impl, self.dtype = m, impl, dtype

    def uniform(self, key):
        """A number in [0, 1) from each: random bits as the mantissa of a number in [1, 2), less 1."""
        info, word = finfo(self.dtype), BITS[8 * self.dtype.itemsize]
        one = int(np.ones((), self.dtype).view(word))
        bits = self.impl.bits(self.m, key, info.bits, ()) >> info.bits - info.nmant | one
        return Number(self.m.emit, bits.value).bits_as(self.dtype) - 1.0

    def normal(self, key):
        low = float(finfo(self.dtype).eps / 2 - 1)
        u = self.uniform(key) * float(np.asarray(1 - low, self.dtype)) + low
        return where(u < low, low, u).apply("chlo.erf_inv") * float(np.asarray(math.sqrt(2), self.dtype))

    def gamma(self, key, a, log_space):
        """The paper's names: X**2 is `x2`, V is `v`, U is `u`."""
        split, third = self.impl.split_one_by_one, float(np.asarray(1 / 3, self.dtype))
        small = a < 1.0
        d = where(small, a + 1.0, a) - third
        c = third / sqrt(d)
        key, boost_key = split(self.m, key, 2)

        def step(done, found, key, x_key, u_key):
            x_next, draw = split(self.m, x_key, 2)
            x = self.normal(draw)
            root = x * c + 1.0
            valid = root > 0.0
            v, x2, u = where(valid, root * root * root, 1.0), x * x, self.uniform(u_key)
            accepted = valid & ((u < 1.0 - x2 * x2 * 0.0331) | (log(u) < x2 * 0.5 + d * ((1.0 - v) + log(v))))
            again = [[self.choose(valid, *words) for words in zip(new, old)]
                     for new, old in zip(split(self.m, key, 3), (key, x_next, u_key))]
            return done | accepted, where(done | ~accepted, found, v), *again
        v = self.loop(step, split(self.m, key, 3), d)
        u = self.uniform(boost_key)
        if log_space:
            return log(v) + log(d) + where(small, log1p(-u) * (1.0 / a), 0.0)
        return d * v * where(small, (1.0 - u) ** (1.0 / a), 1.0)

    def choose(self, which, yes, no):
        """Words from `yes` or `no`."""
        return HloArray(self.m.emit, self.m.emit.select(which.value, yes.value, no.value))

    def loop(self, step, keys, like):
        """`step` until all are done; the numbers found."""
        emit, size = self.m.emit, self.impl.key_shape[0]
        done = Number(emit, emit.constant(False, ArrayType(like.type.shape, _BOOL)))

        def going(done, *rest):
            return (~Number(emit, done)).any().value

        def body(done, found, *words):
            words = [HloArray(emit, w) for w in words]
            keys = [words[i:i + size] for i in range(0, len(words), size)]
            done, found, *keys = step(Number(emit, done), Number(emit, found), *keys)
            return [done.value, found.value, *[w.value for key in keys for w in key]]
        carry = [done.value, like.like(1.0).value, *[w.value for key in keys for w in key]]
        return Number(emit, emit.while_loop(carry, going, body)[1])


def random_gamma(keys, a, log_space):
    return bind(RandomGamma(log_space, generator_of(keys)), keys, a)
