"""Reductions over dimensions: maximum, minimum, product, logic, and where the extreme stands. (The sum is in shape.py.)"""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import ShardingTypeError
from gnomon.ir.dims import Dims, DimsOp, names, positions
from gnomon.ir.op import ZERO, field
from gnomon.ops.arithmetic import NOT_LINEAR, div, is_number, mul
from gnomon.ops.compare import DISCRETE, eq, is_bits, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.cumulative import cumprod
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.extremes import combine_extreme, extreme_identity
from gnomon.ops.shape import broadcast_in_dim, reduce_sum, squeeze
from gnomon.ops.slicing import pad_in_dim
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_bool, is_complex, is_float, is_integer
from gnomon.types.value_type import ArrayType

_BOOL, _INT32 = np.dtype(bool), np.dtype("int32")


class Reduction(DimsOp, abstract=True):
    """Base of reductions over `axes`, which leave the result."""

    axes: tuple

    accepts, accepts_text = None, ""

    def result(self, x):
        if self.accepts is not None and not self.accepts(x.dtype):
            raise TypeError(f"{self.name} does not accept dtype {x.dtype}. Accepted dtypes are {self.accepts_text}.")
        if any(not 0 <= a < x.ndim for a in self.axes) or len(set(self.axes)) != len(self.axes):
            raise ValueError(f"{self.name} needs different axes between 0 and {x.ndim - 1} for a value of type {x}, got "
                             f"{self.axes}.")
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

    largest = True
    transpose = NOT_LINEAR

    def lower(self, emit, x):
        init = extreme_identity(x.type.dtype, self.largest)
        if not is_complex(x.type.dtype):
            return emit.reduce("stablehlo.maximum" if self.largest else "stablehlo.minimum", x, init, self.axes)
        scalar = ArrayType((), x.type.dtype)
        region = emit.block([scalar, scalar], lambda a, b: [combine_extreme(emit, a, b, self.largest)])
        return emit.generic("stablehlo.reduce", [x, emit.constant(init, scalar)], f"dimensions = {emit.ints(self.axes)}",
                            region, [emit.out])[0]

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
            # each element's factor is the product of those before it and those behind it: no division, so zeros are right
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
            return emit.reduce(hlo, x, ones, self.axes)
        return emit.reduce(hlo, x, self.identity, self.axes)

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
            raise ShardingTypeError(f"reduce_xor works along dimensions {self.axes} of a value of type {x}. Reshard the "
                                    "operand first, so that these are whole.")
        return super().result(x)


class ArgExtreme(Reduction, abstract=True):
    """Base of argmax and argmin: the place of the first extreme along the one axis, that of the first NaN if there is one."""

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
            raise ValueError(f"{self.name} needs a dimension that is not empty, got axis {self.axes[0]} of a value of type {x}.")
        if not is_integer(self.index_dtype):
            raise TypeError(f"{self.name} needs an integer index_dtype, got {self.index_dtype}.")
        return super().result(x).update(weak_type=False)

    def out_dtype(self, x):
        return self.index_dtype

    def lower(self, emit, x):
        """The extreme, then the first place where it stands: two plain reductions, which compile to faster code than one
        that carries places along."""
        t, (axis,) = x.type, self.axes
        hlo = "stablehlo.maximum" if self.largest else "stablehlo.minimum"
        extreme = emit.reduce(hlo, x, extreme_identity(t.dtype, self.largest), self.axes, ArrayType(emit.out.shape, t.dtype))
        extreme = emit.broadcast(extreme, t.shape, tuple([i for i in range(t.ndim) if i != axis]))
        found = emit.compare("EQ", x, extreme)
        if is_float(t.dtype):
            found = emit.elementwise("stablehlo.or", [found, emit.compare("NE", x, x)], found.type)
        places = ArrayType(t.shape, _INT32)
        iota = emit("stablehlo.iota", [], f"dim = {axis}", places)
        where = emit.select(found, iota, emit.constant(np.iinfo(_INT32).max, places))
        first = emit.reduce("stablehlo.minimum", where, np.iinfo(_INT32).max, self.axes, ArrayType(emit.out.shape, _INT32))
        return emit.convert(first, self.index_dtype)

    def host(self, x):
        if x.dtype.kind not in "biuf":
            return NotImplemented
        return np.asarray((np.argmax if self.largest else np.argmin)(x, self.axes[0])).astype(self.index_dtype)


class Argmax(ArgExtreme):
    """The place of the first maximum."""


class Argmin(ArgExtreme):
    """The place of the first minimum."""

    largest = False


# ---- functions on values ------------------------------------------------------------------------------------------

def reduce_max(x, axes):
    return bind(ReduceMax(tuple(axes)), x) if axes else x


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
