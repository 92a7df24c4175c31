"""sort and top_k.

Keys are compared as integers: a float's bits are mapped to an integer of the same order, with NaN last and both zeros
equal. XLA compiles a sort of one array of integers to native code, and a sort of several arrays, or with a comparison
of its own, to code that is many times slower. So several arrays with one key are sorted as one: key and place are
packed into one 64-bit integer, and the other arrays follow by the sorted places. A few numbers are sorted by a
comparison all the same, since that is compiled in a third of the time.
"""
from __future__ import annotations

import math

import numpy as np

from gnomon.ir.op import Op, field
from gnomon.ops.arithmetic import NOT_LINEAR
from gnomon.ops.indexing import GatherDimensionNumbers, gather_rows, take_along, write_gather
from gnomon.ops.shape import Iota
from gnomon.ops.slicing import concatenate, resized, same_axis, slice_in_dim
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_bool, is_complex, is_float, is_key, is_unsigned, itemsize_bits
from gnomon.types.value_type import ArrayType

FEW = 256       # elements whose sort takes less time than its compilation, whatever its form

_BOOL, _INT32, _INT64, _FLOAT32 = np.dtype(bool), np.dtype("int32"), np.dtype("int64"), np.dtype("float32")


class Sort(Op):
    """Sorts the operands together along `dimension` by the first `num_keys` of them: NaN last, both zeros equal,
    complex numbers by real part and then imaginary part."""

    dimension: int
    is_stable: bool = field(True)
    num_keys: int = field(1)

    multiple = True
    transpose = NOT_LINEAR

    def result(self, *xs):
        first = xs[0]
        if not 0 <= self.dimension < first.ndim:
            raise ValueError(f"sort along dimension {self.dimension} is not possible for a value of type {first}.")
        if not 1 <= self.num_keys <= len(xs):
            raise ValueError(f"sort needs num_keys between 1 and the number of operands, {len(xs)}, got "
                             f"{self.num_keys}.")
        for x in xs:
            if x.shape != first.shape:
                raise TypeError(f"sort needs operands of one shape, got {', '.join(map(str, xs))}.")
        if any(is_key(x.dtype) for x in xs):
            raise TypeError("sort does not accept random keys; sort their key_data.")
        moved = [i == self.dimension for i in range(first.ndim)]
        return [resized(self, x, x.shape, moved, [y for y in xs if y is not x]) for x in xs]

    def lower(self, emit, *xs):
        d, keys, t = self.dimension, xs[:self.num_keys], xs[0].type
        if t.size == 0:
            return list(xs)
        if t.size <= FEW:
            merge = len(xs) > 1 or is_complex(t.dtype)
            return sort_by(emit, xs, d, self.is_stable, len(keys), lambda x: [ordered_integers(emit, p, merge) for p in real_parts(emit, x)])
        if len(xs) == 1 and not is_complex(t.dtype):
            ordered, = sort_by(emit, [ordered_integers(emit, xs[0], merge_zeros=False)], d, self.is_stable)
            return [from_ordered_integers(emit, ordered, t.dtype)]
        if self.num_keys == 1 and not is_complex(t.dtype) and itemsize_bits(t.dtype) <= 32:
            places = sorted_places(emit, xs[0], d)
            return [gather_rows(emit, x, places, d) for x in xs]
        compared = [ordered_integers(emit, part) for k in keys for part in real_parts(emit, k)]
        sorted_all = sort_by(emit, [*compared, *xs], d, self.is_stable, len(compared))
        return sorted_all[len(compared):]

    def derivative(self, args, tangents):
        places = bind(Iota(_INT32, args[0].type.shape, self.dimension))
        *outs, order = bind(self, *args, places)
        return outs, [None if t is None else take_along(t, order, self.dimension) for t in tangents]

    def batch(self, args, axes, batching):
        args, axis = same_axis(args, axes, batching)
        outs = bind(self.replace(dimension=self.dimension + (axis <= self.dimension)), *args)
        return outs, [axis] * len(outs)

    def host(self, *xs):
        x = xs[0]
        if len(xs) != 1 or x.dtype.kind not in "biu":
            return NotImplemented
        return [np.sort(x, self.dimension, kind="stable" if self.is_stable else None)]


def real_parts(emit, x):
    """Real and imaginary part of complex numbers; others as they are."""
    if not is_complex(x.type.dtype):
        return [x]
    part = ArrayType(x.type.shape, np.dtype(f"f{x.type.dtype.itemsize // 2}"))
    return [emit("stablehlo.real", [x], out=part), emit("stablehlo.imag", [x], out=part)]


def ordered_integers(emit, x, merge_zeros=True):
    """Signed integers of the order of `x`, of 32 bits or more: a float's bits, those of negative ones reversed."""
    t = x.type
    if is_float(t.dtype):
        x = comparable_floats(emit, x, merge_zeros)
        t = x.type
        signed = ArrayType(t.shape, _INT32 if t.dtype.itemsize == 4 else _INT64)
        return mirror_negative(emit, emit("stablehlo.bitcast_convert", [x], out=signed))
    if is_bool(t.dtype) or itemsize_bits(t.dtype) < 32:
        return emit.convert(x, _INT32)
    if is_unsigned(t.dtype):
        signed = ArrayType(t.shape, np.dtype(f"i{t.dtype.itemsize}"))
        return flip_sign(emit, emit("stablehlo.bitcast_convert", [x], out=signed))
    return x


def comparable_floats(emit, x, merge_zeros=True):
    """The same numbers as floats of 32 bits or more, with one NaN, whose sign bit is not set, and one zero."""
    if itemsize_bits(x.type.dtype) < 32:
        x = emit.convert(x, _FLOAT32)
    if merge_zeros:
        zero = emit.constant_like(x, 0)
        x = emit.select(emit.compare("EQ", x, zero), zero, x)
    return emit.select(emit.compare("NE", x, x), emit.constant_like(x, np.nan), x)


def from_ordered_integers(emit, k, dtype):
    """The inverse of `ordered_integers`."""
    shape = k.type.shape
    if is_float(dtype):
        wide = _FLOAT32 if itemsize_bits(dtype) < 32 else dtype
        return emit.convert(emit("stablehlo.bitcast_convert", [mirror_negative(emit, k)], out=ArrayType(shape, wide)),
                            dtype)
    if is_bool(dtype) or itemsize_bits(dtype) < 32:
        return emit.convert(k, dtype)
    if is_unsigned(dtype):
        return emit("stablehlo.bitcast_convert", [flip_sign(emit, k)], out=ArrayType(shape, dtype))
    return k


def mirror_negative(emit, bits):
    """All bits but the sign inverted where negative; its own inverse."""
    t = bits.type
    width = 8 * t.dtype.itemsize - 1
    sign = emit.elementwise("stablehlo.shift_right_arithmetic", [bits, emit.constant(width, t)], t)
    mask = emit.elementwise("stablehlo.and", [sign, emit.constant(np.iinfo(t.dtype).max, t)], t)
    return emit.elementwise("stablehlo.xor", [bits, mask], t)


def descending(emit, key):
    """Integers of the opposite order."""
    return emit.elementwise("stablehlo.not", [key], key.type)


def flip_sign(emit, bits):
    t = bits.type
    return emit.elementwise("stablehlo.xor", [bits, emit.constant(np.iinfo(t.dtype).min, t)], t)


def sort_by(emit, xs, dimension, stable=True, keys=1, integers=None):
    """Sort arrays together, lexicographically by the first `keys`, which are integers, or are compared as the lists that `integers` makes
    of their elements."""
    types = [x.type for x in xs]
    if len(xs) == 1 and integers is None and emit.on_host(types[0].size):
        return emit.host_kernel("sort", xs, types, dimension=dimension)
    scalars = [ArrayType((), t.dtype) for t in types for _ in (0, 1)]
    flag = ArrayType((), _BOOL)

    def before(*values):
        found = None
        sides = [values[at:2 * keys:2] if integers is None else [k for x in values[at:2 * keys:2] for k in integers(x)] for at in (0, 1)]
        for a, b in reversed(list(zip(*sides))):
            less = emit.compare("LT", a, b)
            if found is not None:
                tie = emit.elementwise("stablehlo.and", [emit.compare("EQ", a, b), found], flag)
                less = emit.elementwise("stablehlo.or", [less, tie], flag)
            found = less
        return [found]

    region = emit.block(scalars, before)
    return emit.generic("stablehlo.sort", xs, f"dimension = {dimension} : i64, is_stable = {str(bool(stable)).lower()}",
                        region, types)


def sorted_places(emit, x, dimension, largest_first=False):
    """The places, in sorted order, of the elements along a dimension; ties in order. The dtype is of at most 32
    bits."""
    key = emit.convert(ordered_integers(emit, x), _INT64)
    t = key.type
    if largest_first:
        key = descending(emit, key)
    high = emit.elementwise("stablehlo.shift_left", [key, emit.constant(32, t)], t)
    packed = emit.elementwise("stablehlo.or", [high, emit("stablehlo.iota", [], f"dim = {dimension}", t)], t)
    packed, = sort_by(emit, [packed], dimension)
    return emit.convert(packed, _INT32)       # the low half


class SortedAt(Op):
    """What would stand at `places`, which ascend, along a dimension, if that were sorted: the order statistics that
    medians and quantiles need."""

    dimension: int
    places: tuple

    transpose = NOT_LINEAR

    def result(self, x):
        if is_complex(x.dtype) or is_key(x.dtype):
            raise TypeError(f"sorted_at does not accept dtype {x.dtype}. Accepted dtypes are real numbers and booleans.")
        if not 0 <= self.dimension < x.ndim:
            raise ValueError(f"sorted_at along dimension {self.dimension} is not possible for a value of type {x}.")
        if not all(0 <= place < x.shape[self.dimension] for place in self.places):
            raise ValueError(f"sorted_at needs places below the size of the dimension, {x.shape[self.dimension]}, got {self.places}.")
        shape = (*x.shape[:self.dimension], len(self.places), *x.shape[self.dimension + 1:])
        return resized(self, x, shape, [i == self.dimension for i in range(x.ndim)])

    def lower(self, emit, x):
        t, d = x.type, self.dimension
        key = ordered_integers(emit, x, merge_zeros=False)
        out = ArrayType(emit.out.shape, key.type.dtype)
        if d == t.ndim - 1 and emit.on_host(t.size):
            found, = emit.host_kernel("select_places", [key, emit.array_constant(np.array(self.places, "int64"))], [out])
            return from_ordered_integers(emit, found, t.dtype)
        key, = sort_by(emit, [key], d)
        parts = [emit.slice_in_dim(key, p, p + 1, d) for p in self.places]
        found = parts[0] if len(parts) == 1 else emit("stablehlo.concatenate", parts, f"dim = {d}", out)
        return from_ordered_integers(emit, found, t.dtype)

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        values, order = bind(Sort(self.dimension), x, bind(Iota(_INT32, x.type.shape, self.dimension)))
        values, order = [concatenate([slice_in_dim(y, p, p + 1, self.dimension) for p in self.places], self.dimension)
                         for y in (values, order)]
        return values, take_along(t, order, self.dimension)

    def batch(self, args, axes, batching):
        (x,), (a,) = args, axes
        return sorted_at(x, self.dimension + (a <= self.dimension), self.places), a

    def host(self, x):
        if x.dtype.kind not in "biu":
            return NotImplemented
        return np.sort(x, self.dimension).take(self.places, self.dimension)


MANY = 2 ** 14      # elements from which the largest are looked for in blocks


def block_width(n, k):
    """The size of blocks in which few elements are looked at twice: a power of two, up to the root of the number of elements to each of the
    k; None if these are few."""
    width = 1 << math.isqrt(n // k).bit_length() - 1
    return width if width >= 32 else None


class TopK(Op):
    """The `k` largest elements along `axis` in descending order, and their places; NaN counts as largest, ties in
    order."""

    k: int
    axis: int

    multiple = True
    transpose = NOT_LINEAR

    def result(self, x):
        if is_complex(x.dtype) or is_key(x.dtype):
            raise TypeError(f"top_k does not accept dtype {x.dtype}. Accepted dtypes are real numbers and booleans.")
        if not 0 <= self.axis < x.ndim:
            raise ValueError(f"top_k along axis {self.axis} is not possible for a value of type {x}.")
        if not 0 <= self.k <= x.shape[self.axis]:
            raise ValueError(f"top_k needs k between 0 and the size of the axis, {x.shape[self.axis]}, got {self.k}.")
        shape = (*x.shape[:self.axis], self.k, *x.shape[self.axis + 1:])
        values = resized(self, x, shape, [i == self.axis for i in range(x.ndim)])
        return [values, values.update(dtype=_INT32, weak_type=False)]

    def lower(self, emit, x):
        t, axis, k = x.type, self.axis, self.k
        values, places = emit.outs
        if values.size == 0:
            return [emit.constant(0, values), emit.constant(0, places)]
        if t.size <= FEW:
            numbers = np.arange(t.shape[axis], dtype=_INT32).reshape([-1 if i == axis else 1 for i in range(t.ndim)])
            numbers = emit.array_constant(np.ascontiguousarray(np.broadcast_to(numbers, t.shape)))
            found = sort_by(emit, [x, numbers], axis, True, 1, lambda x: [descending(emit, ordered_integers(emit, x))])
            return [self.first(emit, y, out) for y, out in zip(found, emit.outs)]
        if itemsize_bits(t.dtype) > 32:
            key = descending(emit, ordered_integers(emit, x))
            iota = emit("stablehlo.iota", [], f"dim = {axis}", ArrayType(t.shape, _INT32))
            _, order, = sort_by(emit, [key, iota], axis)
            order = self.first(emit, order, places)
        elif 8 * k > t.shape[axis] or axis != t.ndim - 1:
            order = self.first(emit, sorted_places(emit, x, axis, largest_first=True), places)
        elif emit.one_device and t.size >= MANY and (width := block_width(t.shape[axis], k)):
            order = self.from_blocks(emit, ordered_integers(emit, x), width, places)
        else:
            bits = comparable_floats(emit, x) if is_float(t.dtype) else \
                emit("stablehlo.bitcast_convert", [mirror_negative(emit, ordered_integers(emit, x))],
                     out=ArrayType(t.shape, _FLOAT32))
            order = self.native(emit, bits)
        return [gather_rows(emit, x, order, axis), order]

    def native(self, emit, bits):
        """The places by XLA's own top_k, which orders floats of 32 bits by their bits, so that integers go through as floats."""
        shape = (*bits.type.shape[:-1], self.k)
        return emit.generic("chlo.top_k", [bits], f"k = {self.k} : i64", outs=[ArrayType(shape, _FLOAT32), ArrayType(shape, _INT32)])[1]

    def from_blocks(self, emit, key, width, places):
        """XLA looks at one element after the other, but finds the largest of each block in one sweep. What is looked for stands in
        the k blocks with the largest such: before any element of another block come these k, or earlier ones of the same size."""
        n, k = key.type.shape[-1], self.k
        rows, blocks = key.type.size // n, n // width
        whole = blocks * width          # what is behind the last block is looked at, too

        def shaped(x, *shape):
            return emit("stablehlo.reshape", [x], out=ArrayType(shape, x.type.dtype))

        def floats(key):
            return emit("stablehlo.bitcast_convert", [mirror_negative(emit, key)], out=ArrayType(key.type.shape, _FLOAT32))

        def calculate(name, x, by):
            return emit.elementwise(f"stablehlo.{name}", [x, emit.constant(by, x.type) if isinstance(by, int) else by], x.type)
        key, numbered = shaped(key, rows, n), ArrayType((rows, 1), _INT32)
        rest = emit.slice_in_dim(key, whole, n, 1) if whole < n else None
        if rest is not None:
            key = emit.slice_in_dim(key, 0, whole, 1)
        key = shaped(key, rows, blocks, width)
        halves, half = key, width
        while half % 2 == 0 and half > 16:       # of whole registers, while XLA reduces one element after the other
            half //= 2
            halves = emit.elementwise("stablehlo.maximum", [emit.slice_in_dim(halves, at, at + half, 2) for at in (0, half)],
                                      ArrayType((rows, blocks, half), _INT32))
        largest = emit.reduce("stablehlo.maximum", halves, int(np.iinfo(_INT32).min), [2], ArrayType((rows, blocks), _INT32))
        chosen, = sort_by(emit, [self.native(emit, floats(largest))], 1)
        numbers = GatherDimensionNumbers((2,), (1,), (1,), (0,), (0,))
        found = write_gather(emit, key, shaped(chosen, rows, k, 1), numbers, (1, 1, width), ArrayType((rows, k, width), _INT32))
        found = shaped(found, rows, k * width)
        if rest is not None:
            found = emit("stablehlo.concatenate", [found, rest], "dim = 1", ArrayType((rows, k * width + n - whole), _INT32))
            chosen = emit("stablehlo.concatenate", [chosen, emit.constant(blocks, numbered)], "dim = 1", ArrayType((rows, k + 1), _INT32))
        inside = self.native(emit, floats(found))
        start = gather_rows(emit, chosen, calculate("divide", inside, width), 1)
        order = calculate("add", calculate("multiply", start, width), calculate("remainder", inside, width))
        return shaped(order, *places.shape)

    def first(self, emit, x, out):
        """The first k along the axis."""
        t = x.type
        limits = [self.k if i == self.axis else n for i, n in enumerate(t.shape)]
        return emit.slice(x, (0,) * t.ndim, limits, (1,) * t.ndim, out)

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        values, places = bind(self, x)
        return [values, places], [take_along(t, places, self.axis), None]

    def batch(self, args, axes, batching):
        (x,), (a,) = args, axes
        return bind(TopK(self.k, self.axis + (a <= self.axis)), x), [a, a]


# ---- functions on values ------------------------------------------------------------------------------------------

def sort(xs, dimension, is_stable=True, num_keys=1):
    """Sorts a list of values together; a list."""
    return bind(Sort(dimension, is_stable, num_keys), *xs)


def argsort(x, dimension, index_dtype=_INT32):
    """The places, in sorted order, of the elements along a dimension; ties in order."""
    return sort([x, bind(Iota(np.dtype(index_dtype), x.type.shape, dimension, x.type.sharding))], dimension)[1]


def sorted_at(x, dimension, places):
    """What would stand at some places, which ascend, along a dimension, if that were sorted."""
    return bind(SortedAt(dimension, tuple(places)), x)


def top_k(x, k, axis):
    return bind(TopK(k, axis), x)
