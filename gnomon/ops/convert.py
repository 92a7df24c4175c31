"""Ops that change the dtype: convert_element_type, bitcast_convert_type, reduce_precision."""
from __future__ import annotations


from gnomon.ir.op import LINEAR, ZERO, field
from gnomon.ops.elementwise import Elementwise
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_inexact, is_key


class ConvertElementType(Elementwise):
    """The same numbers in another dtype; floats become integers by truncation."""

    new_dtype: object
    weak_type: bool = field(False)
    sharding: object = field(None, show="never")

    @property
    def derivative(self):
        return LINEAR if is_inexact(self.new_dtype) else ZERO

    def check(self, x):
        if is_key(x.dtype) != is_key(self.new_dtype):
            raise TypeError(f"convert_element_type cannot convert {x.dtype} to {self.new_dtype}. Use random.key_data or "
                            "random.wrap_key_data.")

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


def convert_element_type(x, dtype, weak_type=False):
    t = x.type
    if t.dtype == dtype and t.weak_type == weak_type:
        return x
    return bind(ConvertElementType(dtype, weak_type), x)
