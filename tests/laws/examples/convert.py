"""Examples of gnomon.ops.convert."""
import numpy as np

from gnomon.ops.convert import BitcastConvertType, ConvertElementType, ReducePrecision

from tests.laws.examples import example


def to(op, dtype, *options):
    return op(np.dtype(dtype), *options)


EXAMPLES = [
    *[example(to(ConvertElementType, "float32"), t)
      for t in ("f32[5]", "f64[5]", "f16[5]", "bf16[5]", "i32[5]", "u8[5]", "bool[4]")],
    *[example(to(ConvertElementType, d), "f32[3,4]", rtol=2e-2)
      for d in ("float16", "bfloat16", "float64", "complex64")],
    *[example(to(ConvertElementType, d), t) for d in ("int32", "uint8", "bool")
      for t in ("f32[3,4]", "i32[5]", "bool[4]")],
    example(to(ConvertElementType, "complex64"), "c64[3]"),
    example(to(ConvertElementType, "float32", True), "f32[3]"),

    *[example(to(BitcastConvertType, d), t, without={"dtypes": "other dtypes have other bits"})
      for d, t in (("int32", "f32[3,4]"), ("float32", "i32[3,4]"), ("uint16", "bf16[4]"), ("uint8", "f32[3]"),
                   ("float32", "u8[2,3,4]"), ("uint16", "u32[3,1]"))],

    *[example(ReducePrecision(e, m), t, without={law: "it rounds" for law in ("jvp", "second", "transpose")})
      for e, m in ((5, 10), (8, 7), (4, 3)) for t in ("f32[3,4]", "bf16[5]", "f16[5]")],
    example(ReducePrecision(11, 52), "f64[5]"),
]
