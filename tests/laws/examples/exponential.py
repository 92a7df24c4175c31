"""Examples of gnomon.ops.exponential and gnomon.ops.trigonometric."""
import numpy as np

from gnomon.ops.exponential import (Accuracy, Cbrt, Exp, Exp2, Expm1, Log, Log1p, Log2, Logistic, Pow, Rsqrt, Sqrt)
from gnomon.ops.trigonometric import (Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cos, Cosh, Sin, Sinh, Tan, Tanh)

from tests.laws.examples import example

FLOATS = ("f32[5]", "f64[5]", "f16[5]", "bf16[5]")
ALL = (*FLOATS, "c64[5]")
HIGHEST, NEAR = Accuracy("HIGHEST"), Accuracy(rtol=1e-3)


EXAMPLES = [
    *[example(cls(), t) for cls in (Exp, Exp2, Expm1, Logistic, Sin, Cos, Tanh, Sinh, Cosh, Asinh, Atan) for t in ALL],
    *[example(op, t, low=0.2, high=4) for op in (Log(), Log1p(), Log2(), Sqrt(), Rsqrt()) for t in ALL],
    *[example(Log2(), t, make={0: lambda *_: 2.0 ** np.arange(-3, 3)}) for t in ("f32[6]", "f64[6]", "bf16[6]")],
    *[example(Cbrt(), t, low=low, high=low + 2) for low in (0.3, -2.3) for t in FLOATS],
    *[example(op, t, low=-0.9, high=0.9) for op in (Asin(), Acos(), Atanh(), Tan()) for t in ALL],
    *[example(op, "c64[6]", low=-3, high=3) for op in (Asin(), Acos(), Acosh(), Atanh(), Log(), Sqrt(), Log1p())],
    *[example(Acosh(), t, low=1.1, high=4) for t in ALL],
    *[example(op, "f32[3]", low=0.5) for cls in (Exp, Log, Tanh, Rsqrt) for op in (cls(HIGHEST), cls(NEAR))],

    *[example(Atan2(), *types) for types in (("f32[3,4]", "f32[3,4]"), ("f32[3,1]", "f32[1,4]"), ("f32[]", "f32[3]"),
                                             ("bf16[4]", "bf16[4]"), ("f64[4]", "f64[4]"))],
    *[example(Pow(), *types, low={0: 0.2}) for types in (
        ("f32[3,4]", "f32[3,4]"), ("f32[3]", "f32[]"), ("f32[]", "f32[3]"), ("bf16[3]", "bf16[3]"),
        ("c64[3]", "c64[3]"))],
    *[example(Pow(), *types) for types in (("f32[3,4]", "i32[3,4]"), ("f32[3]", "i32[]"), ("f64[3]", "i64[3]"),
                                           ("f32[3]", "u8[3]"), ("c64[3]", "i32[3]"))],
]
