"""Random keys and random bits: seed, split, fold_in, bits, and the generators behind them.

A generator is written once over an arithmetic of uint32 words; `HostWords` runs it on NumPy arrays, `HloWords` writes
it as StableHLO. Threefry-2x32 is the counter-based generator of Salmon et al., "Parallel random numbers: as easy as 1,
2, 3" (2011): a block depends on the key and its own counter alone, so any part of an array can be computed anywhere.
"""
from __future__ import annotations

import enum
import functools
import math

import numpy as np

from gnomon.base.errors import Refused, ShardingTypeError
from gnomon.ir.dims import common_place, drop_dim
from gnomon.ir.jaxpr import Literal
from gnomon.ir.op import ZERO, Op, field
from gnomon.ops.compare import DISCRETE, bitwise_or, bitwise_xor, shift_left
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import Elementwise, batch_aligned
from gnomon.trace.build import program
from gnomon.trace.stage import bind
from gnomon.types.dtype import KeyDtype, is_float, is_integer, key_dtype
from gnomon.types.effect import Effect
from gnomon.types.value_type import ArrayType, array_type

WORD = np.dtype("uint32")
BITS = {8: np.dtype("uint8"), 16: np.dtype("uint16"), 32: WORD, 64: np.dtype("uint64")}


# ---- Threefry -----------------------------------------------------------------------------------------------------

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA


def threefry2x32(k0, k1, x0, x1):
    """One block of two words per counter (x0, x1) under the key (k0, k1); all are uint32 arrays that broadcast."""
    keys = k0, k1, k0 ^ k1 ^ PARITY
    x0, x1 = x0 + k0, x1 + k1
    for i in range(5):
        for distance in ROTATIONS[i % 2]:
            x0 = x0 + x1
            x1 = ((x1 << distance) | (x1 >> 32 - distance)) ^ x0
        x0, x1 = x0 + keys[(i + 1) % 3], x1 + (keys[(i + 2) % 3] + (i + 1))
    return x0, x1


def threefry2x32_packed(k0, k1, x0, x1, ones):
    """The same for Python integers that hold one word in every 64 bits, `ones` being 1 in each: for a few blocks, a
    fifth of the time that calling NumPy takes. What a shift moves into a neighbour's upper half is masked away."""
    mask = ones * 0xFFFFFFFF
    keys = k0, k1, k0 ^ k1 ^ ones * PARITY
    x0, x1 = x0 + k0 & mask, x1 + k1 & mask
    for i in range(5):
        for distance in ROTATIONS[i % 2]:
            x0 = x0 + x1 & mask
            x1 = (x1 << distance | x1 >> 32 - distance) & mask ^ x0
        x0 = x0 + keys[(i + 1) % 3] & mask
        x1 = x1 + keys[(i + 2) % 3] + ones * (i + 1) & mask
    return x0, x1


# ---- the two arithmetics of words ---------------------------------------------------------------------------------

class HostWords:
    """Words in NumPy arrays, for small results. A few blocks go through Python integers, as `Lanes`."""

    few = 128                   # blocks
    largest = 1 << 14           # blocks; more are left to a compiled program

    def words(self, keys):
        return [keys[..., i] for i in range(keys.shape[-1])]

    def stack(self, words):
        if words[0].__class__ is Lanes:
            low, high = words
            return low.array(low.value | high.value << 32, WORD, (*low.shape, 2))
        return np.stack(words, -1)

    def zeros_like(self, x):
        return np.zeros(x.shape, WORD)

    def count(self, k0, k1, shape):
        """The blocks of the counters 0, 1, ... for an array of `shape`, for each key."""
        size, lead = math.prod(shape), k0.shape
        if not lead and 0 < size <= self.few:
            ones, counters = packed_counters(size)
            k0, k1 = k0.item() * ones, k1.item() * ones
            return [Lanes(x, shape) for x in threefry2x32_packed(k0, k1, 0, counters, ones)]
        k0, k1 = k0.reshape(-1, 1), k1.reshape(-1, 1)
        return self.blocks(k0, k1, np.zeros((1, 1), WORD), np.arange(size, dtype=WORD)[None], (*lead, *shape))

    def bits(self, k0, k1, width, shape):
        """Unsigned integers for each key."""
        high, low = self.count(k0, k1, shape)
        return self.join(high, low) if width == 64 else self.convert(high ^ low, BITS[width])

    def blocks(self, k0, k1, x0, x1, shape):
        """threefry2x32 as two arrays of `shape`."""
        if not shape:
            return [Lanes(x, shape) for x in threefry2x32_packed(*[x.item() for x in (k0, k1, x0, x1)], 1)]
        return [x.reshape(shape) for x in threefry2x32(k0, k1, x0, x1)]

    def convert(self, x, dtype):
        return x.array(x.value, BITS[64], x.shape).astype(dtype) if x.__class__ is Lanes else x.astype(dtype)

    def high(self, x):
        """The upper half of 64-bit integers."""
        return (x >> 32).astype(WORD)

    def join(self, high, low):
        """64-bit integers from their halves."""
        if low.__class__ is Lanes:
            return low.array(high.value << 32 | low.value, BITS[64], low.shape)
        return high.astype(BITS[64]) << 32 | low


class Lanes:
    """An array of words as one Python integer, a word in every 64 bits."""

    __slots__ = ("value", "shape")

    def __init__(self, value, shape):
        self.value, self.shape = value, shape

    def __xor__(self, other):
        return Lanes(self.value ^ other.value, self.shape)

    def array(self, value, dtype, shape):
        """The NumPy array with the memory of `value`."""
        return np.frombuffer(value.to_bytes(8 * math.prod(self.shape), "little"), dtype).reshape(shape)


@functools.cache
def packed_counters(size):
    """1 in every 64 bits, and the numbers 0, 1, ... in them."""
    ones = ((1 << 64 * size) - 1) // 0xFFFFFFFFFFFFFFFF
    return ones, int.from_bytes(np.arange(size, dtype=BITS[64]).tobytes(), "little")


class HloWords:
    """Words in a StableHLO function being written."""

    def __init__(self, emit):
        self.emit = emit

    def words(self, keys):
        return [self.reshape(keys.along(-1, i, i + 1), keys.shape[:-1]) for i in range(keys.shape[-1])]

    def stack(self, words):
        last = [self.reshape(w, (*w.shape, 1)) for w in words]
        out = ArrayType((*words[0].shape, len(words)), words[0].dtype)
        return HloArray(self.emit, self.emit("stablehlo.concatenate", [w.value for w in last],
                                             f"dim = {len(out.shape) - 1}",
                                             out=out))

    def zeros_like(self, x):
        return HloArray(self.emit, self.emit.constant(0, ArrayType(x.shape, x.dtype)))

    def reshape(self, x, shape):
        if x.shape == shape:
            return x
        return HloArray(self.emit, self.emit("stablehlo.reshape", [x.value], out=ArrayType(shape, x.dtype)))

    def count(self, k0, k1, shape):
        """The blocks of the counters 0, 1, ... for an array of `shape`, for each key. They count along the axes of
        `shape`, so that each of several devices counts its own part."""
        emit, lead, size = self.emit, k0.shape, math.prod(shape)
        grid = tuple([n for n in shape if n != 1])
        t = ArrayType((1,) * len(lead) + grid, BITS[64] if size > 1 << 32 else WORD)
        count, stride = None, 1
        for axis in reversed(range(len(grid))):
            index = HloArray(emit, emit("stablehlo.iota", [], f"dim = {len(lead) + axis}", out=t))
            index = index if stride == 1 else index * stride
            count = index if count is None else count + index
            stride *= grid[axis]
        if count is None:
            count = self.zeros_like(k0)
        else:
            k0, k1 = [self.reshape(w, lead + (1,) * len(grid)) for w in (k0, k1)]
        high = self.high(count) if t.dtype != WORD else self.zeros_like(count)
        return self.blocks(k0, k1, high, self.convert(count, WORD), (*lead, *shape))

    def bits(self, k0, k1, width, shape):
        """Unsigned integers for each key. Many keys with a few for each go through a function that is not compiled
        where it is called: it runs along the keys, which makes a tighter loop than along the few."""
        lead, size = k0.shape, math.prod(shape)
        if not (1 < size <= 16 and math.prod(lead) >= 256):
            high, low = self.count(k0, k1, shape)
            return self.join(high, low) if width == 64 else self.convert(high ^ low, BITS[width])
        emit, n = self.emit, math.prod(lead)
        keys = [self.reshape(k, (n,)).value for k in (k0, k1)]
        drawn = [emit.call(lane_bits(n, width), [*keys, emit.scalar(i, WORD)], "threefry2x32", False)[0]
                 for i in range(size)]
        return self.reshape(self.stack([HloArray(emit, x) for x in drawn]), (*lead, *shape))

    def blocks(self, k0, k1, x0, x1, shape):
        """threefry2x32 as two arrays of `shape`."""
        return [self.reshape(x, shape) for x in threefry2x32(k0, k1, x0, x1)]

    def convert(self, x, dtype):
        return HloArray(self.emit, self.emit.convert(x.value, dtype))

    def high(self, x):
        return self.convert(x >> 32, WORD)

    def join(self, high, low):
        return self.convert(high, BITS[64]) << 32 | self.convert(low, BITS[64])

    def generate(self, keys, width, shape, algorithm="DEFAULT"):
        """XLA's own generator, from states of four words: the next states, and an array of `shape` for each. Several
        states are taken one after the other."""
        emit, lead = self.emit, keys.shape[:-1]
        if not lead:
            return self.generate_one(keys, width, shape, algorithm)
        size = math.prod(lead)
        keys = self.reshape(keys, (size, 4)).value
        out = emit.constant(0, ArrayType((size, *shape), BITS[width]))
        i, one, end = [emit.scalar(n) for n in (0, 1, size)]

        def step(i, keys, out):
            new, drawn = self.generate_one(HloArray(emit, emit.index_leading(keys, i)), width, shape, algorithm)
            return (emit.elementwise("stablehlo.add", [i, one], i.type), emit.update_leading(keys, new.value, i),
                    emit.update_leading(out, drawn.value, i))
        _, keys, out = emit.while_loop([i, keys, out], lambda i, keys, out: emit.compare("LT", i, end), step)
        return self.reshape(HloArray(emit, keys), (*lead, 4)), self.reshape(HloArray(emit, out), (*lead, *shape))

    def generate_one(self, key, width, shape, algorithm):
        emit = self.emit
        state = emit("stablehlo.bitcast_convert", [self.reshape(key, (2, 2)).value], out=ArrayType((2,), BITS[64]))
        word = ArrayType(shape, BITS[max(width, 32)])
        state, drawn = emit.generic("stablehlo.rng_bit_generator", [state], outs=[state.type, word],
                                    properties=f"rng_algorithm = #stablehlo<rng_algorithm {algorithm}>")
        halves = emit("stablehlo.bitcast_convert", [state], out=ArrayType((2, 2), WORD))
        return self.reshape(HloArray(emit, halves), (4,)), self.convert(HloArray(emit, drawn), BITS[width])


class HloArray:
    """An array of a function being written, with the operators that the generators use."""

    __slots__ = ("emit", "value", "shape", "dtype")

    def __init__(self, emit, value):
        self.emit, self.value = emit, value
        self.shape, self.dtype = value.type.shape, value.type.dtype

    def binary(self, op, other):
        emit = self.emit
        if other.__class__ is int:
            other = emit.constant(other, ArrayType((), self.dtype))
        else:
            other = other.value
        shape = tuple([b if a == 1 else a for a, b in zip(self.shape, other.type.shape)]) or self.shape
        x, y = emit.aligned((self.value, other), shape)
        return HloArray(emit, emit.elementwise(op, [x, y], ArrayType(shape, self.dtype)))

    def astype(self, dtype):
        return HloArray(self.emit, self.emit.convert(self.value, dtype))

    def along(self, axis, start, limit, step=1):
        """The elements from `start` to `limit` along one axis."""
        axis %= len(self.shape)
        starts, limits, steps = [0] * len(self.shape), list(self.shape), [1] * len(self.shape)
        starts[axis], limits[axis], steps[axis] = start, limit, step
        out = ArrayType((*self.shape[:axis], -((start - limit) // step), *self.shape[axis + 1:]), self.dtype)
        return HloArray(self.emit, self.emit.slice(self.value, starts, limits, steps, out))

    def __add__(self, other):
        return self.binary("stablehlo.add", other)

    def __mul__(self, other):
        return self.binary("stablehlo.multiply", other)

    def __xor__(self, other):
        return self.binary("stablehlo.xor", other)

    def __or__(self, other):
        return self.binary("stablehlo.or", other)

    def __lshift__(self, other):
        return self.binary("stablehlo.shift_left", other)

    def __rshift__(self, other):
        return self.binary("stablehlo.shift_right_logical", other)


HOST = HostWords()


# ---- generators ---------------------------------------------------------------------------------------------------

class Generator:
    """How keys of one kind are made and what is drawn from them. `m` is the arithmetic; keys are lists of their words,
    arrays of one shape, and results have that shape in front of their own."""

    runs_on_host = True

    def __init__(self, name):
        self.dtype = key_dtype(name)
        self.name, self.tag, self.key_shape = name, self.dtype.tag, self.dtype.key_shape

    def __repr__(self):
        return self.tag

    @staticmethod
    def from_text(text):
        """The generator whose keys print so."""
        return generator(text)

    def __reduce__(self):
        return generator, (self.name,)


class Threefry(Generator):
    """Threefry-2x32: the same bits on every device, however an array is cut up."""

    def seed(self, m, high, low):
        return [high, low]

    def split(self, m, key, shape):
        return m.count(*key, shape)

    def fold_in(self, m, key, data):
        return m.blocks(*key, m.zeros_like(data), data, data.shape)

    def bits(self, m, key, width, shape):
        return m.bits(*key, width, shape)


class Rbg(Threefry):
    """XLA's own generator for bits, quick on accelerators; keys are two of Threefry's, and split and fold in as those
    do."""

    runs_on_host = False

    def seed(self, m, high, low):
        return [high, low, high, low]

    def split(self, m, key, shape):
        return [*super().split(m, key[:2], shape), *super().split(m, key[2:], shape)]

    def fold_in(self, m, key, data):
        return [*super().fold_in(m, key[:2], data), *super().fold_in(m, key[2:], data)]

    def bits(self, m, key, width, shape):
        return m.generate(m.stack(key), width, shape)[1]


class UnsafeRbg(Rbg):
    """XLA's own generator for keys too. `stride` rows of what it gives lie between the keys that are taken from it."""

    stride = 10

    def split(self, m, key, shape):
        lead, count = key[0].shape, math.prod(shape) * self.stride
        rows = m.generate(m.stack(key), 32, (count, 4))[1]
        return m.words(m.reshape(rows.along(len(lead), 0, count, self.stride), (*lead, *shape, 4)))

    def fold_in(self, m, key, data):
        rows = m.generate(m.stack(self.seed(m, m.zeros_like(data), data)), 32, (self.stride, 4))[1]
        last = m.reshape(rows.along(-2, self.stride - 1, self.stride), (*data.shape, 4))
        return [old ^ new for old, new in zip(key, m.words(last))]


class UserGenerator(Generator):
    """A generator made of functions on values: `seed(seed)`, `split(key, shape)`, `random_bits(key, bit_width, shape)`
    and `fold_in(key, data)`, where keys are arrays of uint32 words."""

    runs_on_host = False

    def __init__(self, name, tag, key_shape, seed, split, random_bits, fold_in):
        self.dtype = KeyDtype(name, tag, key_shape)
        self.name, self.tag, self.key_shape = name, tag, self.dtype.key_shape
        self.functions = {RandomSeed: lambda op, number: seed(number),
                          RandomSplit: lambda op, key: split(key, op.shape),
                          RandomBits: lambda op, key: random_bits(key, op.bit_width, op.shape),
                          RandomFoldIn: lambda op, key, data: fold_in(key, data)}

    def write(self, emit, op, *xs):
        """The op, mapped over the leading axes of keys, as a call of what the user's function records."""
        lead = emit.out.shape[:len(emit.out.shape) - len(getattr(op, "shape", ()))]
        inner = [ArrayType(x.type.shape[len(lead):], x.type.dtype) for x in xs]
        jaxpr = program(inner, lambda *values: [self.functions[type(op)](op, *values)])
        return emit.call_mapped(jaxpr, lead, xs, op.name)


GENERATORS = {g.name: g for g in [Threefry("threefry2x32"), Rbg("rbg"), UnsafeRbg("unsafe_rbg")]}


def generator(name):
    """The generator of this name, or of this tag."""
    found = GENERATORS.get(name) or next((g for g in GENERATORS.values() if g.tag == name), None)
    if found is None:
        raise ValueError(f'There is no random generator "{name}"; there are {", ".join(GENERATORS)}.')
    return found


def generator_of_keys(ins, outs, shown):
    """The generator of an op's keys, its first operand, for those who read programs."""
    return GENERATORS[ins[0].dtype.impl]


def generator_of(keys):
    """The generator of a value of keys."""
    return GENERATORS[keys.type.dtype.impl]


# ---- ops ----------------------------------------------------------------------------------------------------------

SAMPLERS: set = set()       # names of programs whose inside is none of the user's: what happens there happens where they are called


class KeyOp(Op, abstract=True):
    """Base of the ops on keys: integers and keys come out, so nothing is differentiated. Leading axes of keys are
    mapped over, so batching puts the new axis in front. `compute` works on words; NumPy does it where the result is
    small."""

    on_keys = True
    derivative = ZERO
    transpose = DISCRETE

    def need_keys(self, t):
        if t.dtype is not self.impl.dtype:
            raise TypeError(f"{self.name} takes keys of {self.impl.name}, got a value of type {t}. Make keys with "
                            "random.key, or random.wrap_key_data from their words.")

    def batch(self, args, axes, batching):
        return bind(self, *[batching.front(a, axis) for a, axis in zip(args, axes)]), 0

    def lower(self, emit, *xs):
        words = [emit.words(x) for x in xs]
        if isinstance(self.impl, UserGenerator):
            return self.impl.write(emit, self, *words)
        return self.compute(HloWords(emit), *[HloArray(emit, x) for x in words]).value

    def host(self, *xs):
        return self.compute(HOST, *xs) if self.impl.runs_on_host and self.fits_host(*xs) else NotImplemented

    def fits_host(self, x, *rest):
        return x.size <= HOST.largest


def longer(op, t, shape, dtype):
    """The type of a result with the dimensions of `t` and, behind them, those of `shape`."""
    mesh, varying, memory = common_place(op, (t,))
    if mesh is None:
        return ArrayType((*t.shape, *shape), dtype, False, None, varying, memory)
    return array_type((*t.shape, *shape), dtype, False, (*t.spec, *[None] * len(shape)), mesh, varying, memory)


class RandomSeed(KeyOp):
    """A key from each integer."""

    impl: Generator

    def result(self, seeds):
        if not is_integer(seeds.dtype):
            raise TypeError(f"A random key's seed must be an integer, got a value of type {seeds}.")
        return longer(self, seeds, (), self.impl.dtype)

    def compute(self, m, seeds):
        low = m.convert(seeds, WORD)
        high = m.high(m.convert(seeds, BITS[64])) if seeds.dtype.itemsize == 8 else m.zeros_like(low)
        return m.stack(self.impl.seed(m, high, low))


class RandomWrap(KeyOp):
    """Keys from their words, which are along the last axes."""

    impl: Generator

    def result(self, words):
        shape = self.impl.key_shape
        n = words.ndim - len(shape)
        if words.dtype != WORD or words.shape[max(n, 0):] != shape:
            raise TypeError(f"The words of {self.impl.name} keys are uint32 with last dimensions {shape}, got a value "
                            f"of type {words}.")
        if any(axes is not None for axes in words.spec[n:]):
            raise ShardingTypeError(f"The words of a random key must be on one device, got a value of type {words}. "
                                    "Reshard it first.")
        mesh, varying, memory = common_place(self, (words,))
        if mesh is None:
            return ArrayType(words.shape[:n], self.impl.dtype, False, None, varying, memory)
        return array_type(words.shape[:n], self.impl.dtype, False, words.spec[:n], mesh, varying, memory)

    def lower(self, emit, words):
        return words

    def host(self, words):
        return words


class RandomUnwrap(KeyOp):
    """The words of keys, along new last axes."""

    impl: Generator = field(show="never", read=generator_of_keys)

    def result(self, keys):
        self.need_keys(keys)
        return longer(self, keys, self.impl.key_shape, WORD)

    def lower(self, emit, keys):
        return keys

    def host(self, keys):
        return keys


class RandomClone(KeyOp):
    """The same keys, which may be used once more."""

    impl: Generator = field(show="never", read=generator_of_keys)

    def result(self, keys):
        self.need_keys(keys)
        return longer(self, keys, (), keys.dtype)

    def lower(self, emit, keys):
        return keys

    def host(self, keys):
        return keys


class RandomSplit(KeyOp):
    """From each key, `shape` new ones."""

    shape: tuple
    impl: Generator = field(show="never", read=generator_of_keys)

    def result(self, keys):
        self.need_keys(keys)
        return longer(self, keys, self.shape, keys.dtype)

    def compute(self, m, keys):
        return m.stack(self.impl.split(m, m.words(keys), self.shape))

    def fits_host(self, keys):
        return keys.size * math.prod(self.shape) <= HOST.largest


class RandomFoldIn(KeyOp):
    """From each key and the uint32 number at its place, a new key."""

    impl: Generator = field(show="never", read=generator_of_keys)

    def result(self, keys, data):
        self.need_keys(keys)
        if data.dtype != WORD or data.shape != keys.shape:
            raise TypeError(f"random_fold_in takes a uint32 number for each key, got {data} for {keys}.")
        return longer(self, keys, (), keys.dtype)

    def compute(self, m, keys, data):
        return m.stack(self.impl.fold_in(m, m.words(keys), data))


class RandomBits(KeyOp):
    """From each key, unsigned integers of `bit_width` bits that are uniform over all their values."""

    bit_width: int
    shape: tuple
    impl: Generator = field(show="never", read=generator_of_keys)

    def result(self, keys):
        self.need_keys(keys)
        return longer(self, keys, self.shape, BITS[self.bit_width])

    def compute(self, m, keys):
        return self.impl.bits(m, m.words(keys), self.bit_width, self.shape)

    def fits_host(self, keys):
        return keys.size * math.prod(self.shape) <= HOST.largest


class RngBitGenerator(Op):
    """XLA's own generator: from a state, the next state and unsigned integers. A state is uint32[4] or uint64[2];
    leading axes of states are mapped over."""

    shape: tuple
    dtype: object
    algorithm: RandomAlgorithm
    out_sharding: object = field(None)

    multiple = True
    derivative = ZERO
    transpose = DISCRETE

    def result(self, key):
        if key.shape[-1:] != ((4,) if key.dtype == WORD else (2,)) or key.dtype not in (WORD, BITS[64]):
            raise TypeError(f"rng_bit_generator takes a state of type uint32[4] or uint64[2], got a value of type "
                            f"{key}.")
        if self.dtype not in BITS.values():
            raise TypeError(f"rng_bit_generator gives unsigned integers, got dtype={self.dtype}.")
        return longer(self, key, (), key.dtype), longer(self, drop_dim(key, key.ndim - 1), self.shape, self.dtype)

    def lower(self, emit, key):
        m, state = HloWords(emit), key
        if key.dtype != WORD:
            state = emit("stablehlo.bitcast_convert", [key], out=ArrayType((*key.shape, 2), WORD))
        state, drawn = m.generate(m.reshape(HloArray(emit, state), (*key.shape[:-1], 4)), 8 * self.dtype.itemsize,
                                  self.shape,
                                  self.algorithm.name.removeprefix("RNG_"))
        if key.dtype != WORD:
            halves = m.reshape(state, (*key.shape, 2))
            state = HloArray(emit, emit("stablehlo.bitcast_convert", [halves.value], out=key.type))
        return [state.value, drawn.value]

    def batch(self, args, axes, batching):
        return bind(self, batching.front(args[0], axes[0])), (0, 0)


class RngUniform(Op):
    """Numbers between two scalars from the platform's hidden state."""

    shape: tuple

    effects = frozenset([Effect("random state")])
    derivative = ZERO
    transpose = DISCRETE
    batch = Refused("its numbers come from a hidden state, one stream for all; use gnomon.random")

    def result(self, low, high):
        if low.shape or high.shape or low.dtype != high.dtype or not (is_float(low.dtype) or is_integer(low.dtype)):
            raise TypeError(f"rng_uniform takes two scalars of one dtype, floats or integers, got {low} and {high}.")
        return ArrayType(self.shape, low.dtype)

    def lower(self, emit, low, high):
        shape = emit.array_constant(np.array(self.shape, "int64"))
        return emit("stablehlo.rng", [low, high, shape], "distribution = UNIFORM")


class RandomAlgorithm(enum.IntEnum):
    """The algorithms of rng_bit_generator."""

    RNG_DEFAULT = 0
    RNG_THREE_FRY = 1
    RNG_PHILOX = 2


class Block(Elementwise, abstract=True):
    """Base of block functions: the words of keys and of counters, uint32 all, to `outs` words. `block(*words)` is written for
    NumPy arrays and for arrays of a function being written."""

    multiple = True
    derivative = ZERO
    transpose = DISCRETE

    def result(self, *ins):
        if len(ins) != self.words or any(t.dtype != WORD for t in ins):
            raise TypeError(f"{self.name} takes {self.words} values of uint32, got {', '.join(map(str, ins)) or 'none'}.")
        return (super().result(*ins),) * self.outs

    def lower(self, emit, *xs):
        emit.out = emit.outs[0]
        return [x.value for x in self.block(*[HloArray(emit, x) for x in emit.aligned(xs)])]

    def batch(self, args, axes, batching):
        outs, axis = batch_aligned(self, args, axes)
        return outs, (axis,) * self.outs

    def host(self, *xs):
        shape = np.broadcast_shapes(*[x.shape for x in xs])
        if math.prod(shape) > HOST.largest:
            return NotImplemented
        return [x.reshape(shape) for x in self.block(*[np.broadcast_to(x, shape or (1,)) for x in xs])]


class Threefry2x32(Block):
    """Threefry of 64 bits: the words (k0, k1) of keys and (x0, x1) of counters to two words."""

    name, words, outs = "threefry2x32", 4, 2
    block = staticmethod(threefry2x32)

    def host(self, *xs):
        shape = np.broadcast_shapes(*[x.shape for x in xs])
        if math.prod(shape) > HOST.largest:
            return NotImplemented
        return [HOST.convert(x, WORD) for x in HOST.blocks(*xs, shape)]


@functools.cache
def lane_bits(n, width):
    """The program that draws an integer from each of `n` keys at one counter."""
    half = Literal(32, ArrayType((), BITS[64]))

    def draw(k0, k1, counter):
        high, low = bind(Threefry2x32(), k0, k1, Literal(0, ArrayType((), WORD)), counter)
        if width < 64:
            return [convert_element_type(bitwise_xor(high, low), BITS[width])]
        high, low = [convert_element_type(x, BITS[64]) for x in (high, low)]
        return [bitwise_or(shift_left(high, half), low)]
    return program([ArrayType((n,), WORD), ArrayType((n,), WORD), ArrayType((), WORD)], draw)


# ---- functions on values -------------------------------------------------------------------------------------------

def random_seed(seeds, impl):
    return bind(RandomSeed(impl), seeds)


def random_wrap(words, impl):
    return bind(RandomWrap(impl), words)


def random_unwrap(keys):
    return bind(RandomUnwrap(generator_of(keys)), keys)


def random_clone(keys):
    return bind(RandomClone(generator_of(keys)), keys)


def random_split(keys, shape):
    return bind(RandomSplit(shape, generator_of(keys)), keys)


def random_fold_in(keys, data):
    return bind(RandomFoldIn(generator_of(keys)), keys, data)


def random_bits(keys, bit_width, shape):
    return bind(RandomBits(bit_width, shape, generator_of(keys)), keys)
