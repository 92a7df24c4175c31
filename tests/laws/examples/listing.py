"""Examples of gnomon.ops.listing."""
from gnomon.ops.listing import Nonzero, Unique

from tests.laws.examples import example

EXAMPLES = [
    *[example(Nonzero(size), t) for size, t in ((3, "bool[5]"), (4, "bool[2,3]"))],
    *[example(Unique(size), t) for size, t in ((3, "i32[5]"), (4, "u8[2,3]"))],
]
