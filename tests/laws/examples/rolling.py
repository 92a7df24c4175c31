"""Examples of gnomon.ops.rolling."""
from gnomon.ops.rolling import Roll

from tests.laws.examples import example

EXAMPLES = [
    *[example(Roll(2, 1), t) for t in ("f32[2,5]", "i32[2,5]", "bool[2,5]", "c64[2,5]", "key<fry>[2,5]")],
    example(Roll(1, 0), "f32[3,1500]"),
    example(Roll(1499, 1), "f32[3,1500]"),
]
