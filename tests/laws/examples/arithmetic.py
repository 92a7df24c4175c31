"""Examples of gnomon.ops.arithmetic and gnomon.ops.complex_parts."""
import numpy as np

from gnomon.ops.arithmetic import (Abs, Add, AddAny, Ceil, Clamp, Div, Floor, IntegerPow, IsFinite, Max, Min, Mul,
                                   MulHi, Neg, Nextafter, OneMinusSquare, Polynomial, Rem, Round, RoundingMethod, Sign,
                                   Square, Sub)
from gnomon.ops.complex_parts import Complex, Conj, Imag, Real

from tests.laws.examples import example

PAIRS = [("f32[5]", "f32[5]"), ("f32[3,1]", "f32[1,4]"), ("f32[]", "f32[3]"), ("f32[3]", "f32[]"), ("i32[5]", "i32[5]"),
         ("u8[5]", "u8[5]"), ("bf16[5]", "bf16[5]"), ("f16[5]", "f16[5]"), ("c64[5]", "c64[5]")]
FLOATS = ("f32[5]", "f64[5]", "f16[5]", "bf16[5]")


EXAMPLES = [
    *[example(op, *pair) for op in (Add(), AddAny(), Sub(), Mul(), Max(), Min()) for pair in PAIRS],
    *[example(op, t, t) for op in (Max(), Min()) for t in ("bool[4]",)],
    *[example(Div(), *pair, low=0.5, high=3.0, integers_in=(1, 9)) for pair in PAIRS],
    *[example(Rem(), *pair, low={0: -9, 1: 0.5}, high={0: 9, 1: 3}, integers_in=(1, 9)) for pair in PAIRS[:-1]],
    *[example(MulHi(), t, t, integers_in=(100, 127)) for t in ("i8[4]", "u8[4]", "i32[4]", "u32[4]", "u64[4]")],
    example(MulHi(), "u32[2,3]", "u32[]", integers_in=(2**31, 2**32)),

    *[example(op, t) for op in (Neg(), Sign(), Square()) for t in (*FLOATS, "i32[5]", "u8[5]", "c64[5]")],
    *[example(OneMinusSquare(), t) for t in (*FLOATS, "c64[5]", "i32[5]")],
    *[example(Abs(), t) for t in (*FLOATS, "i32[5]", "c64[5]")],
    *[example(IntegerPow(n), "f32[5]", low=0.5) for n in (-3, -2, -1, 0, 1, 2, 3, 5, 6)],
    *[example(IntegerPow(n), t) for n in (2, 3) for t in ("i32[5]", "bf16[5]", "c64[5]")],

    *[example(op, *types) for op, *types in ((Polynomial(), "f32[3,4]", "f32[]", "f32[]", "f32[]"),
                                             (Polynomial(2), "f32[3]", "f32[3]"),
                                             (Polynomial(), "f32[]", "f32[3]", "f32[3]"),
                                             (Polynomial(), "i32[4]", "i32[]", "i32[4]"),
                                             (Polynomial(), "c64[3]", "c64[3]", "c64[]", "c64[3]", "c64[3]"))],

    *[example(Clamp(), *types) for types in (("f32[]", "f32[3,4]", "f32[]"), ("f32[9]", "f32[9]", "f32[9]"),
                                             ("f32[3,1]", "f32[3,4]", "f32[]"))],
    example(Clamp(), "i32[]", "i32[9]", "i32[]", make={0: lambda *_: -1, 2: lambda *_: 2}),
    example(Clamp(), "bf16[]", "bf16[9]", "bf16[]", make={0: lambda *_: -1, 2: lambda *_: 1}),
    *[example(Nextafter(), t, t) for t in ("f32[4]", "f64[4]", "bf16[4]", "f16[4]")],

    *[example(op, t, low=-9, high=9) for op in (Floor(), Ceil(), *map(Round, RoundingMethod)) for t in FLOATS],
    *[example(op, "f32[8]", make={0: lambda *_: np.arange(8) - 3.5}, differentiable=False)
      for op in map(Round, RoundingMethod)],
    *[example(IsFinite(), t, make={0: lambda rng, shape, dtype: rng.choice([1, np.inf, -np.inf, np.nan], shape)})
      for t in FLOATS],

    *[example(op, t) for op in (Real(), Imag()) for t in ("c64[3]", "c128[2,3]")],
    *[example(Conj(np.dtype(d)), t) for d, t in (("c8", "c64[3]"), ("c16", "c128[3]"), ("f4", "f32[3]"))],
    *[example(Complex(), *types) for types in (("f32[3]", "f32[3]"), ("f64[2,1]", "f64[1,3]"), ("f32[]", "f32[3]"))],
]
