"""Examples of ops that are few of their kind: products, identities with a meaning, calls of Python."""
import numpy as np

from gnomon.ops.callback import DebugCallback, IoCallback, PureCallback
from gnomon.ops.dot import DotGeneral
from gnomon.ops.nested.remat import Name
from gnomon.ops.shape import Copy, StopGradient

from tests.laws.examples import example, parse_type

KINDS = ("f32[3,4]", "i32[5]", "bool[3]", "c64[3]", "bf16[4]", "key<fry>[3]")
F32 = np.dtype("float32")
MATRIX, BATCHED = (((1,), (0,)), ((), ())), (((2,), (1,)), ((0,), (0,)))
OUTER, INNER, SEVERAL = (((), ()), ((), ())), (((0,), (0,)), ((), ())), (((0, 2), (1, 0)), ((), ()))
CROSSED = (((1,), (2,)), ((2, 0), (0, 1)))


def twice(x):
    return [2 * x]


def nothing(x):
    return []


EXAMPLES = [
    *[example(DotGeneral(numbers, None, F32), *types, rtol=1e-4) for numbers, *types in (
        (MATRIX, "f32[3,4]", "f32[4,5]"), (BATCHED, "f32[2,3,4]", "f32[2,4,5]"), (OUTER, "f32[3]", "f32[2]"),
        (INNER, "f32[4]", "f32[4]"), (SEVERAL, "f32[2,3,4]", "f32[4,2,5]"), (CROSSED, "f32[2,4,3]", "f32[3,2,4,5]"),
        (MATRIX, "bf16[3,4]", "bf16[4,5]"), (MATRIX, "f32[3,0]", "f32[0,2]"))],
    example(DotGeneral(MATRIX), "f32[3,4]", "f32[4,5]", rtol=1e-4),
    example(DotGeneral(MATRIX, None, np.dtype("complex64")), "c64[3,4]", "c64[4,5]", rtol=1e-4),
    *[example(DotGeneral(MATRIX, None, np.dtype("int32")), t, t) for t in ("i32[3,3]", "i8[3,3]")],
    *[example(Copy(), t) for t in KINDS],
    *[example(Name("activations"), t) for t in KINDS],
    *[example(StopGradient(), t, without=dict.fromkeys(("jvp",), "its derivative is zero by decree")) for t in KINDS],

    *[example(PureCallback(twice, (parse_type("f32[3]"),), method), "f32[3]")
      for method in ("sequential", "expand_dims", "broadcast_all")],
    example(IoCallback(twice, (parse_type("f32[3]"),)), "f32[3]"),
    example(DebugCallback(nothing), "f32[3]"),
]
