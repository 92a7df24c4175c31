"""Examples of gnomon.ops.compare."""
import numpy as np

from gnomon.ops.compare import (And, Clz, Eq, EqTo, Ge, Gt, Le, LeTo, Lt, LtTo, Ne, Not, Or, PopulationCount, SelectN,
                                ShiftLeft, ShiftRightArithmetic, ShiftRightLogical, Xor)

from tests.laws.examples import example

PAIRS = [("f32[5]", "f32[5]"), ("f32[3,1]", "f32[1,4]"), ("f32[]", "f32[3]"), ("i32[9]", "i32[9]"), ("u8[9]", "u8[9]"),
         ("bool[9]", "bool[9]"), ("bf16[5]", "bf16[5]")]
BITS = ("i32[5]", "u8[5]", "i64[4]", "bool[5]")
INTEGERS = ("i32[5]", "u8[5]", "i16[4]", "u64[3]")


def few(rng, shape, dtype):
    """Numbers that are often equal, with the zeros and NaNs that orders differ in."""
    return rng.choice([-np.nan, -np.inf, -1, -0.0, 0, 1, np.nan], shape)


EXAMPLES = [
    *[example(op, *pair) for op in (Eq(), Ne(), Lt(), Le(), Gt(), Ge()) for pair in PAIRS],
    *[example(op, t, t) for op in (Eq(), Ne()) for t in ("c64[5]", "key<fry>[3]", "key<rbg>[2,2]")],
    *[example(op, "key<fry>[3]", "key<fry>[]") for op in (Eq(), Ne())],
    *[example(op, "f32[40]", "f32[40]", make={0: few, 1: few}) for op in (EqTo(), LeTo(), LtTo())],
    *[example(op, t, t) for op in (EqTo(), LeTo(), LtTo()) for t in ("i32[9]", "u8[9]", "f32[3]")],

    *[example(op, t, t) for op in (And(), Or(), Xor()) for t in BITS],
    *[example(op, "i32[3,1]", "i32[1,4]") for op in (And(), Or(), Xor())],
    *[example(Not(), t) for t in BITS],
    *[example(op, t, t, integers_in={0: (0, 120), 1: (0, 8)})
      for op in (ShiftLeft(), ShiftRightLogical(), ShiftRightArithmetic()) for t in (*INTEGERS, "i32[]")],
    *[example(op, "i32[9]", "i32[]", integers_in={0: (-99, 99), 1: (0, 31)})
      for op in (ShiftLeft(), ShiftRightLogical(), ShiftRightArithmetic())],
    *[example(op, t, integers_in=(0, 120)) for op in (PopulationCount(), Clz()) for t in INTEGERS],

    *[example(SelectN(), *types) for types in (
        ("bool[3,4]", "f32[3,4]", "f32[3,4]"), ("bool[]", "f32[3]", "f32[3]"), ("bool[3]", "i32[3]", "i32[]"),
        ("bool[3,1]", "f32[3,4]", "f32[1,4]"), ("bool[2]", "key<fry>[2]", "key<fry>[2]"),
        ("bool[3]", "c64[3]", "c64[3]"),
        ("bool[4]", "bf16[4]", "bf16[4]"), ("bool[4]", "f32[4]"))],
    *[example(SelectN(), *types, integers_in={0: (0, len(types) - 1)}) for types in (
        ("i32[6]", "f32[6]", "f32[6]", "f32[6]"), ("i32[]", "f32[3]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"),
        ("i32[3]", "f32[3]"))],
]
