"""Examples of barriers, stacks, and ops that are a name for a program."""
import numpy as np

from gnomon.ops.arithmetic import mul
from gnomon.ops.nested.approximate import ApproxTopK, ScaledDot
from gnomon.ops.nested.reduce_window import ReduceWindowByProgram
from gnomon.ops.ordering import DceSink, OptimizationBarrier, Stage, Tie
from gnomon.ops.place import LayoutConstraint, MemorySpaceConstraint
from gnomon.ops.platform import PlatformIndex
from gnomon.ops.sizes import DimensionSize
from gnomon.ops.stacking import Stack, Tile, Unstack
from gnomon.trace.build import program
from gnomon.types.layout import Layout

from tests.laws.examples import example, parse_type

SCALAR = parse_type("f32[]")
PRODUCT = program([SCALAR, SCALAR], lambda x, y: [mul(x, y)])
DERIVATIVES = dict.fromkeys(("jvp", "second", "transpose"), "they are taken in float64, and a program has the types that it has")
MATRIX = (((1,), (0,)), ((), ()))

EXAMPLES = [
    example(OptimizationBarrier(), "f32[3]", "i32[2]", "key<fry>[2]"),
    example(DceSink(), "f32[3]"),
    example(Tie(), "i32[]", "f32[3]"),
    example(Stage(), "f32[3]"),
    example(DimensionSize(1), "f32[3,4]"),
    example(LayoutConstraint(Layout((2, 0, 1))), "f32[2,3,4]"),
    example(MemorySpaceConstraint("device"), "f32[3]"),
    example(PlatformIndex((("tpu",), None))),
    example(Stack(0), "f32[3]", "f32[3]", "f32[3]"),
    example(Stack(1), "c64[2,3]", "c64[2,3]"),
    example(Stack(1), "key<fry>[2]", "key<fry>[2]"),
    example(Unstack(1), "f32[2,3]"),
    example(Unstack(0), "i8[2,3]"),
    example(Tile((2, 1)), "f32[2,3]"),
    example(Tile((0,)), "bool[2]"),
    example(ApproxTopK(2, -1, 0.95, True, -1, True), "f32[3,4]"),
    example(ApproxTopK(1, 0, 0.95, False, -1, True), "bf16[3,4]"),
    example(ScaledDot(MATRIX, np.dtype("float32")), "f32[2,4]", "f32[4,3]", "f32[2,2]", "f32[1,3]"),
    example(ReduceWindowByProgram((2, 2), (1, 2), ((0, 1), (1, 0)), (1, 1), (1, 1), PRODUCT), "f32[3,4]", "f32[]", without=DERIVATIVES),
    example(ReduceWindowByProgram((2,), (2,), ((-1, 2),), (2,), (2,), PRODUCT), "f32[5]", "f32[]", without=DERIVATIVES),
]
