"""Examples of gnomon.ops.random_blocks."""
from gnomon.ops.random_blocks import Iota2x32Shape, Philox2x32, Philox4x32, Threefry4x32

from tests.laws.examples import example

MANY = {"vmap": "the combinations of that many operands are many, and the rule is that of philox2x32"}

EXAMPLES = [
    example(Philox2x32(), "u32[]", "u32[]", "u32[]"), example(Philox2x32(), "u32[]", "u32[2,3]", "u32[2,3]"),
    *[example(op, "u32[]", *["u32[2,3]"] * (op.words - 1), without=MANY) for op in (Philox4x32(), Threefry4x32())],
    *[example(Iota2x32Shape(shape)) for shape in ((), (2, 3), (0,))],
]
