"""Ops that change the dtype: convert_element_type, bitcast_convert_type, reduce_precision."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.dims import Dims, DimsOp, names
from gnomon.ir.op import LINEAR, ZERO, field, result_sharding
from gnomon.ops.elementwise import Elementwise
from gnomon.trace.stage import Tracer, bind
from gnomon.types.dtype import is_bool, is_complex, is_float, is_inexact, is_key, itemsize_bits


class ConvertElementType(Elementwise):
    """The same numbers in another dtype; floats become integers by truncation."""

    new_dtype: object
    weak_type: bool = field(False)
    sharding: object = field(None, show="never", read=result_sharding)

    @property
    def derivative(self):
        return LINEAR if is_inexact(self.new_dtype) else ZERO

    def check(self, x):
        if is_key(x.dtype) != is_key(self.new_dtype):
            raise TypeError(f"convert_element_type cannot convert {x.dtype} to {self.new_dtype}. "
                            "Use random.key_data or random.wrap_key_data.")

    def out_dtype(self, x):
        return self.new_dtype

    def out_weak(self, x):
        return self.weak_type

    def lower(self, emit, x):
        return emit.convert(x, self.new_dtype)

    def transpose(self, ct, x):
        return convert_element_type(ct, x.type.dtype, x.type.weak_type),

    def host(self, x):
        old, new = x.dtype, self.new_dtype
        if old.kind in "biuf" and (new.kind == "f" or old.kind in "biu" and new.kind in "iu"):
            return x.astype(new)
        return x.astype(bool) if new.kind == "b" and old.kind in "biuf" else NotImplemented


class BitcastConvertType(DimsOp):
    """The same bits as another dtype. From a narrower dtype, the last dimension holds the parts of each element, the
    lowest bits first, and goes; to a narrower one, such a dimension is added."""

    new_dtype: object

    derivative = ZERO
    transpose = Refused("bits do not move with numbers, so it is never part of a linear program")

    def result(self, x):
        old, new = x.dtype, self.new_dtype
        if old != new and not all(is_plain(d) for d in (old, new)):
            raise TypeError(f"bitcast_convert_type cannot read {old} as {new}: it takes integers and floats. "
                            "Use view of the array, or random.key_data for keys.")
        parts = itemsize_bits(new) // itemsize_bits(old)
        if parts > 1 and (not x.shape or x.shape[-1] != parts):
            raise ValueError(f"bitcast_convert_type from {old} to {new} needs a last dimension of size {parts}, "
                             f"got {x}.")
        return super().result(x)

    def dims(self, x):
        all_names = names(x.ndim)
        if x.dtype == self.new_dtype:
            return Dims((all_names,), all_names)
        old, new = itemsize_bits(x.dtype), itemsize_bits(self.new_dtype)
        if old < new:
            return Dims((all_names,), all_names[:-1], whole=all_names[-1:])
        fresh = (("part", old // new),) if old > new else ()
        return Dims((all_names,), (*all_names, *[name for name, _ in fresh]), fresh=fresh)

    def with_dims(self, dims, sizes):
        return self

    def out_dtype(self, x):
        return self.new_dtype

    def batch(self, args, axes, batching):
        return bind(self, batching.front(args[0], axes[0])), 0

    def lower(self, emit, x):
        return emit("stablehlo.bitcast_convert", [x])

    def host(self, x):
        if x.dtype.itemsize == self.new_dtype.itemsize and x.dtype.kind in "iuf" and self.new_dtype.kind in "iuf":
            return np.ascontiguousarray(x).view(self.new_dtype).reshape(x.shape)
        return NotImplemented


def is_plain(dtype):
    return not (is_bool(dtype) or is_complex(dtype) or is_key(dtype))


def bitcast_convert_type(x, dtype):
    return x if x.type.dtype == dtype else bind(BitcastConvertType(dtype), x)


class ReducePrecision(Elementwise):
    """x rounded to a float format of `exponent_bits` and `mantissa_bits`, its dtype kept."""

    exponent_bits: int
    mantissa_bits: int

    accepts, accepts_text = staticmethod(is_float), "floats"
    derivative = LINEAR

    def check(self, x):
        super().check(x)
        if self.exponent_bits < 1 or self.mantissa_bits < 0:
            raise ValueError("reduce_precision needs at least one exponent bit and no negative number of mantissa "
                             f"bits, got exponent_bits={self.exponent_bits}, mantissa_bits={self.mantissa_bits}.")

    def lower(self, emit, x):
        return emit.elementwise("stablehlo.reduce_precision", [x],
                                attributes=f", format = e{self.exponent_bits}m{self.mantissa_bits}")

    def transpose(self, ct, x):
        return bind(self, ct),


def convert_element_type(x, dtype, weak_type=False):
    t = x.type
    if t.dtype == dtype and t.weak_type == weak_type:
        if not weak_type and x.__class__ is Tracer:
            x.frame.strong.add(x.atom)
        return x
    return bind(ConvertElementType(dtype, weak_type), x)


def reduce_precision(x, exponent_bits, mantissa_bits):
    return bind(ReducePrecision(exponent_bits, mantissa_bits), x)
