"""Examples of gnomon.ops.shape."""
import numpy as np

from gnomon.ops.shape import BroadcastInDim, Iota, ReduceSum, Reshape, Squeeze, Transpose

from tests.laws.examples import example

MOVED = ("f32[1,4]", "i32[1,4]", "bool[1,4]", "bf16[1,4]", "c64[1,4]", "key<fry>[1,4]")

EXAMPLES = [
    *[example(BroadcastInDim((4, 3, 2), (1, 0)), t) for t in ("f32[3,4]", "f32[1,4]", "f32[3,1]", "f32[1,1]")],
    *[example(BroadcastInDim((2, 3, 4), (0, 2)), t) for t in MOVED],
    *[example(BroadcastInDim((2, 3), ()), t) for t in ("f32[]", "i32[]", "key<fry>[]")],
    example(BroadcastInDim((3, 0), (0,)), "f32[3]"),

    *[example(ReduceSum(axes), "f32[2,3,4]") for axes in ((0,), (2,), (0, 2), (0, 1, 2))],
    *[example(ReduceSum((1,)), t) for t in ("i32[3,4]", "u8[3,4]", "c64[3,4]", "bf16[3,4]", "f32[3,0]")],

    *[example(Transpose((1, 0)), t) for t in MOVED],
    *[example(Transpose(p), "f32[2,3,4]") for p in ((1, 2, 0), (2, 1, 0), (0, 1, 2))],

    *[example(Reshape((2, 2)), t) for t in MOVED],
    *[example(Reshape(s), "f32[2,3,4]") for s in ((24,), (6, 1, 4), (4, 3, 2), (3, 8))],
    example(Reshape(()), "f32[1,1]"),
    example(Reshape((0, 5)), "f32[3,0]"),

    *[example(Squeeze((0,)), t) for t in MOVED],
    example(Squeeze((0, 2)), "f32[1,3,1,2]"),

    *[example(Iota(np.dtype(d), (3, 4), axis)) for d in ("int32", "float32", "uint8", "bfloat16", "complex64")
      for axis in (0, 1)],
    example(Iota(np.dtype("int32"), (0,), 0)),
]
