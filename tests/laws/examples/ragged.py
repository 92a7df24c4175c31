"""Examples of products of groups."""
from gnomon.ops.nested.ragged_dot import RaggedDotGeneral

from tests.laws.examples import example

ROWS = (((1,), (1,)), ((), ())), (0,), (0,)
SUMS = (((0,), (0,)), ((), ())), (0,), ()

EXAMPLES = [
    example(RaggedDotGeneral(ROWS), "f32[5,2]", "f32[3,2,2]", "i32[3]", integers_in={2: (0, 3)}, rtol=1e-4),
    example(RaggedDotGeneral(SUMS), "f32[5,2]", "f32[5,3]", "i32[2]", integers_in={2: (0, 3)}, rtol=1e-4),
]
