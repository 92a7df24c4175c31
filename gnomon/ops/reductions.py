"""Reductions over dimensions: maximum, minimum, product, logic, and where the extreme stands. (The sum: shape.py.)"""
from __future__ import annotations

import math

import numpy as np

from gnomon.base.errors import ShardingTypeError
from gnomon.ir.dims import Dims, DimsOp, names, positions
from gnomon.ir.op import ZERO, field
from gnomon.ops.arithmetic import NOT_LINEAR, div, is_number, mul
from gnomon.ops.compare import DISCRETE, eq, is_bits, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.cumulative import cumprod
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.extremes import extreme_identity, reduce_bits, reduce_extreme
from gnomon.ops.indexing import GatherDimensionNumbers, write_gather
from gnomon.ops.shape import broadcast_in_dim, reduce_sum, squeeze
from gnomon.ops.slicing import pad_in_dim
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_bool, is_complex, is_float, is_integer
from gnomon.types.value_type import ArrayType

FEW = 256       # elements that take less time than compiling what goes over them, whatever its form

_BOOL, _INT32, _FLOAT32 = np.dtype("bool"), np.dtype("int32"), np.dtype("float32")


class Reduction(DimsOp, abstract=True):
    """Base of reductions over `axes`, which leave the result."""

    axes: tuple

    accepts, accepts_text = None, ""

    def result(self, x):
        if self.accepts is not None and not self.accepts(x.dtype):
            raise TypeError(f"{self.name} does not accept dtype {x.dtype}. Accepted dtypes are {self.accepts_text}.")
        if any(not 0 <= a < x.ndim for a in self.axes) or len(set(self.axes)) != len(self.axes):
            raise ValueError(f"{self.name} needs different axes between 0 and {x.ndim - 1} for a value of type {x}, "
                             f"got {self.axes}.")
        return super().result(x)

    def dims(self, x):
        all_names = names(x.ndim)
        return Dims((all_names,), tuple([d for i, d in enumerate(all_names) if i not in self.axes]))

    def with_dims(self, dims, sizes):
        return self.replace(axes=positions(dims.ins[0], [d for d in dims.ins[0] if d not in dims.out]))


def beside(x, axes):
    """The dimensions of `x` that a reduction over `axes` keeps."""
    return tuple([i for i in range(x.type.ndim) if i not in axes])


class ReduceExtreme(Reduction, abstract=True):
    """Base of reduce_max and reduce_min: NaN where there is one. In the derivative, all elements that are equal to the
    result share it equally."""

    out_sharding: object = field(None)
    nan_matters: bool = field(True, show="never")       # False where a NaN is met again anyway, as in a softmax: faster

    largest = True
    transpose = NOT_LINEAR

    def lower(self, emit, x):
        if self.nan_matters or is_complex(x.type.dtype):
            return reduce_extreme(emit, x, self.axes, self.largest, emit.out)
        hlo = "stablehlo.maximum" if self.largest else "stablehlo.minimum"
        return emit.reduce(hlo, x, extreme_identity(x.type.dtype, self.largest), self.axes)

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        out = bind(self, x)
        wins = eq(x, broadcast_in_dim(out, x.type.shape, beside(x, self.axes)))
        count = convert_element_type(reduce_sum(convert_element_type(wins, _INT32), self.axes), out.type.dtype)
        return out, div(reduce_sum(select_n(wins, full_scalar(t, 0), t), self.axes), count)

    def host(self, x):
        if x.dtype.kind not in "iub" or any(x.shape[a] == 0 for a in self.axes):
            return NotImplemented
        return (np.maximum if self.largest else np.minimum).reduce(x, self.axes)


class ReduceMax(ReduceExtreme):
    """The largest element over `axes`."""


class ReduceMin(ReduceExtreme):
    """The smallest element over `axes`."""

    largest = False


class ReduceProd(Reduction):
    """The product over `axes`."""

    accepts, accepts_text = staticmethod(is_number), "numbers"
    transpose = NOT_LINEAR

    def lower(self, emit, x):
        return emit.reduce("stablehlo.multiply", x, 1, self.axes)

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        out = bind(self, x)
        for axis in sorted(self.axes, reverse=True):
            if x.type.shape[axis] == 1:
                x, t = squeeze(x, (axis,)), squeeze(t, (axis,))
                continue
            # an element's factor is the product of those before it and those behind it: no division, so zeros are right
            one = full_scalar(x, 1)
            before = cumprod(pad_in_dim(x, one, 1, -1, axis), axis)
            behind = cumprod(pad_in_dim(x, one, -1, 1, axis), axis, reverse=True)
            t = reduce_sum(mul(t, mul(before, behind)), (axis,))
            x = reduce_prod(x, (axis,))
        return out, t

    def host(self, x):
        return np.multiply.reduce(x, self.axes, dtype=x.dtype) if x.dtype.kind in "iu" else NotImplemented


class ReduceBits(Reduction, abstract=True):
    """Base of logical reductions of booleans and bitwise ones of integers."""

    accepts, accepts_text = staticmethod(is_bits), "booleans and integers"
    derivative = ZERO
    transpose = DISCRETE
    ufunc, identity = None, 0

    def lower(self, emit, x):
        hlo = self.name.replace("reduce_", "stablehlo.")
        if self.identity and not is_bool(x.type.dtype):
            ones = emit.elementwise("stablehlo.not", [emit.scalar(0, x.type.dtype)], ArrayType((), x.type.dtype))
            return reduce_bits(emit, hlo, x, ones, self.axes, emit.out) if hlo == "stablehlo.and" else emit.reduce(hlo, x, ones, self.axes)
        if hlo == "stablehlo.xor":
            return emit.reduce(hlo, x, 0, self.axes)
        return reduce_bits(emit, hlo, x, self.identity, self.axes, emit.out)

    def host(self, x):
        return self.ufunc.reduce(x, self.axes) if x.dtype.kind in "biu" else NotImplemented


class ReduceAnd(ReduceBits):
    """The conjunction over `axes`."""

    ufunc, identity = np.bitwise_and, 1


class ReduceOr(ReduceBits):
    """The disjunction over `axes`."""

    ufunc = np.bitwise_or


class ReduceXor(ReduceBits):
    """The exclusive disjunction over `axes`, which must be whole: no collective of XLA takes it."""

    ufunc = np.bitwise_xor

    def result(self, x):
        if any(x.spec[axis] is not None for axis in self.axes if axis < x.ndim):
            raise ShardingTypeError(f"reduce_xor works along dimensions {self.axes} of a value of type {x}. Reshard "
                                    f"the operand first, so that these are whole.")
        return super().result(x)


class ArgExtreme(Reduction, abstract=True):
    """Base of argmax and argmin: the place of the first extreme along the one axis, that of the first NaN if there is
    one."""

    index_dtype: object

    largest = True
    derivative = ZERO
    transpose = DISCRETE

    @staticmethod
    def accepts(dtype):
        return is_float(dtype) or is_bits(dtype)

    accepts_text = "real numbers and booleans"

    def result(self, x):
        if len(self.axes) == 1 and 0 <= self.axes[0] < x.ndim and x.shape[self.axes[0]] == 0:
            raise ValueError(f"{self.name} needs a dimension that is not empty, got axis {self.axes[0]} of a value of "
                             f"type {x}.")
        if not is_integer(self.index_dtype):
            raise TypeError(f"{self.name} needs an integer index_dtype, got {self.index_dtype}.")
        return super().result(x).update(weak_type=False)

    def out_dtype(self, x):
        return self.index_dtype

    def lower(self, emit, x):
        """The extreme, then the first place where it stands: plain reductions, which compile to code many times as fast
        as one that carries places along; NumPy's code is faster still for large rows. A long vector is cut into blocks, so that places are looked for in the
        extremes of the blocks and then in one block only."""
        t, (axis,) = x.type, self.axes
        if axis == t.ndim - 1 and t.dtype.kind in "iuf" and t.dtype.itemsize >= 4 and emit.on_host(t.size, 2 ** 16):
            places = emit.out.update(dtype=_INT32)
            return emit.convert(emit.host_kernel("argmax" if self.largest else "argmin", [x], [places])[0], self.index_dtype)
        if t.size <= FEW and emit.one_device:
            return emit.convert(self.with_places(emit, x, axis), self.index_dtype)
        size = block_size(t.shape[axis]) if t.size == t.shape[axis] else None
        if size is None:
            return emit.convert(self.first_place(emit, x, self.extreme(emit, x, axis), axis), self.index_dtype)
        shape = t.shape
        cut = (*shape[:axis], shape[axis] // size, size, *shape[axis + 1:])
        blocks = emit("stablehlo.reshape", [x], out=ArrayType(cut, t.dtype))
        of_blocks = self.extreme(emit, blocks, axis + 1)
        extreme = self.extreme(emit, of_blocks, axis)
        which = self.first_place(emit, of_blocks, extreme, axis)
        inside = self.first_place(emit, pick_block(emit, blocks, which, axis), extreme, axis)
        places = which.type
        start = emit.elementwise("stablehlo.multiply", [which, emit.constant(size, places)], places)
        return emit.convert(emit.elementwise("stablehlo.add", [start, inside], places), self.index_dtype)

    def with_places(self, emit, x, axis):
        """One reduction that carries places along, which compiles in half the time."""
        t = x.type
        value, place, flag = [ArrayType((), d) for d in (t.dtype, _INT32, _BOOL)]

        def ahead(a, i, b, j):
            """Of two elements and their places: the extreme, or the first NaN."""
            def either(p, q):
                return emit.elementwise("stablehlo.or", [p, q], flag)
            wins = emit.compare("GT" if self.largest else "LT", a, b)
            if is_float(t.dtype):
                wins = either(wins, emit.compare("NE", a, a))
            tie = emit.elementwise("stablehlo.and", [emit.compare("EQ", a, b), emit.compare("LT", i, j)], flag)
            return [emit.select(wins, a, b), emit.select(either(wins, tie), i, j)]

        region = emit.block([value, place, value, place], ahead)
        iota = emit("stablehlo.iota", [], f"dim = {axis}", ArrayType(t.shape, _INT32))
        start = [emit.constant(extreme_identity(t.dtype, self.largest), value), emit.constant(0, place)]
        outs = [without(t, axis, d) for d in (t.dtype, _INT32)]
        return emit.generic("stablehlo.reduce", [x, iota, *start], f"dimensions = {emit.ints([axis])}", region, outs)[1]

    def extreme(self, emit, x, axis):
        return reduce_extreme(emit, x, [axis], self.largest, without(x.type, axis, x.type.dtype))

    def first_place(self, emit, x, extreme, axis):
        """Where along the axis the extreme stands first, or a NaN; counted in float32 where that is exact, as it is
        faster."""
        t = x.type
        extreme = emit.broadcast(extreme, t.shape, tuple([i for i in range(t.ndim) if i != axis]))
        found = emit.compare("EQ", x, extreme)
        if is_float(t.dtype):
            found = emit.elementwise("stablehlo.or", [found, emit.compare("NE", x, x)], found.type)
        count = ArrayType(t.shape, _FLOAT32 if t.shape[axis] < 2 ** 24 else _INT32)
        iota = emit("stablehlo.iota", [], f"dim = {axis}", count)
        last = t.shape[axis] - 1
        where = emit.select(found, iota, emit.constant(last, count))
        first = emit.reduce("stablehlo.minimum", where, last, [axis], without(t, axis, count.dtype))
        return emit.convert(first, _INT32)

    def host(self, x):
        if x.dtype.kind not in "biuf":
            return NotImplemented
        return np.asarray((np.argmax if self.largest else np.argmin)(x, self.axes[0])).astype(self.index_dtype)


def without(t, axis, dtype):
    """The type with one dimension less, and of another dtype."""
    return ArrayType(t.shape[:axis] + t.shape[axis + 1:], dtype)


def block_size(n):
    """The divisor of a dimension's size that is closest to its root, or None where blocks would not pay."""
    if not isinstance(n, int) or n < 256:
        return None
    root = math.isqrt(n)
    for k in range(root):
        for size in (root - k, root + k):
            if n % size == 0:
                return size if 8 <= size <= n // 8 else None
    return None


def pick_block(emit, blocks, which, axis):
    """The elements of the block number `which` along the axis, from an array with blocks there and their elements
    behind."""
    t = blocks.type
    others = tuple([i for i in range(t.ndim) if i not in (axis, axis + 1)])
    numbers = GatherDimensionNumbers((axis,), (axis,), (axis,), others, tuple(range(len(others))))
    vectors = emit("stablehlo.reshape", [which], out=ArrayType((*which.type.shape, 1), which.type.dtype))
    sizes = tuple([n if i == axis + 1 else 1 for i, n in enumerate(t.shape)])
    return write_gather(emit, blocks, vectors, numbers, sizes, without(t, axis, t.dtype))


class Argmax(ArgExtreme):
    """The place of the first maximum."""


class Argmin(ArgExtreme):
    """The place of the first minimum."""

    largest = False


# ---- functions on values ------------------------------------------------------------------------------------------

def reduce_max(x, axes, nan_matters=True):
    return bind(ReduceMax(tuple(axes), None, nan_matters), x) if axes else x


def reduce_min(x, axes):
    return bind(ReduceMin(tuple(axes)), x) if axes else x


def reduce_prod(x, axes):
    return bind(ReduceProd(tuple(axes)), x) if axes else x


def reduce_and(x, axes):
    return bind(ReduceAnd(tuple(axes)), x) if axes else x


def reduce_or(x, axes):
    return bind(ReduceOr(tuple(axes)), x) if axes else x


def reduce_xor(x, axes):
    return bind(ReduceXor(tuple(axes)), x) if axes else x


def argmax(x, axis, index_dtype=_INT32):
    return bind(Argmax((axis,), np.dtype(index_dtype)), x)


def argmin(x, axis, index_dtype=_INT32):
    return bind(Argmin((axis,), np.dtype(index_dtype)), x)
