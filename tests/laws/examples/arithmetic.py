"""Examples of gnomon.ops.arithmetic."""
from gnomon.ops.arithmetic import Add, AddAny, Div, IntegerPow, Max, Min, Mul, Neg, Sign, Sub

from tests.laws.examples import example

PAIRS = [("f32[3,4]", "f32[3,4]"), ("f32[3,1]", "f32[1,4]"), ("f32[]", "f32[3]"), ("i32[5]", "i32[5]"), ("u8[5]", "u8[5]"),
         ("bf16[5]", "bf16[5]"), ("c64[5]", "c64[5]")]

EXAMPLES = [
    *[example(op, *pair) for op in (Add(), AddAny(), Sub(), Mul()) for pair in PAIRS],
    *[example(op, *pair) for op in (Max(), Min()) for pair in PAIRS[:-1]],
    *[example(Div(), *pair, low=0.5, high=3.0, integers_in=(1, 9)) for pair in PAIRS],
    *[example(op, t) for op in (Neg(), Sign()) for t in ("f32[3,4]", "i32[5]", "u8[5]", "bf16[5]")],
    example(Neg(), "c64[5]"),
    *[example(IntegerPow(n), "f32[5]", low=0.5) for n in (-3, -2, -1, 1, 2, 3, 5, 6)],
    *[example(IntegerPow(n), t) for n in (2, 3) for t in ("i32[5]", "bf16[5]", "c64[5]")],
]
