"""Examples of gnomon.ops.reductions, gnomon.ops.cumulative and gnomon.ops.sorting."""
import numpy as np

from gnomon.ops.cumulative import Cumlogsumexp, Cummax, Cummin, Cumprod, Cumsum, LinearRecurrence
from gnomon.ops.reductions import Argmax, Argmin, ReduceAnd, ReduceMax, ReduceMin, ReduceOr, ReduceProd, ReduceXor
from gnomon.ops.sorting import Sort, SortedAt, TopK

from tests.laws.examples import example

INT32, INT64, UINT8 = np.dtype("int32"), np.dtype("int64"), np.dtype("uint8")
REALS = ("f32[3,4]", "i32[3,4]", "u8[3,4]", "bf16[3,4]", "f16[3,4]", "f64[3,4]")
AXES = ((0,), (1,), (0, 2), (0, 1, 2))


def apart(rng, shape, dtype):
    """Numbers of which no two are close."""
    n = int(np.prod(shape))
    return (rng.permutation(n) - n // 2).reshape(shape) / 4


def some_zeros(rng, shape, dtype):
    return rng.uniform(-2, 2, shape) * (rng.uniform(0, 1, shape) < 0.6)


def some_nan(rng, shape, dtype):
    return rng.choice([-1.0, 0.0, -0.0, 2.0, np.inf, -np.inf, np.nan], shape)


EXAMPLES = [
    *[example(op(axes), "f32[2,3,4]", make={0: apart}) for op in (ReduceMax, ReduceMin) for axes in AXES],
    *[example(op((1,)), t, make={0: apart}) for op in (ReduceMax, ReduceMin)
      for t in (*REALS, "bool[3,4]", "c64[3,4]")],
    *[example(op((0,)), "f32[5,6]", make={0: some_nan}, differentiable=False) for op in (ReduceMax, ReduceMin)],
    *[example(op((1,)), "f32[3,0]", differentiable=False) for op in (ReduceMax, ReduceMin, ReduceProd)],
    *[example(ReduceProd(axes), "f32[2,3,4]") for axes in AXES],
    *[example(ReduceProd(axes), "f32[2,3,3]", make={0: some_zeros}) for axes in AXES],
    *[example(ReduceProd((0,)), t) for t in ("i32[3,4]", "u8[3,4]", "c64[3,4]", "f16[3,4]")],
    *[example(op(axes), t) for op in (ReduceAnd, ReduceOr, ReduceXor) for axes in ((0,), (0, 1))
      for t in ("bool[3,4]", "i32[3,4]", "u8[3,4]", "bool[0,4]", "i32[0,4]")],
    *[example(op((axis,), dtype), t) for op in (Argmax, Argmin) for axis in (0, 1)
      for dtype, t in ((INT32, "f32[3,4]"), (INT64, "i32[3,4]"), (UINT8, "bool[3,4]"), (INT32, "bf16[3,4]"))],
    *[example(op((1,), INT32), "f32[20,3]", make={0: some_nan}) for op in (Argmax, Argmin)],

    *[example(op(axis, reverse), t) for op in (Cumsum, Cumprod) for axis in (0, 1) for reverse in (False, True)
      for t in ("f32[3,4]", "i32[3,4]", "c64[3,4]", "f64[2,3,2]")],
    *[example(op(0), t) for op in (Cumsum, Cumprod) for t in ("bf16[5]", "f16[5]", "u8[5]", "f32[0,2]", "f32[1]")],
    *[example(Cumprod(axis, reverse), "f32[3,4]", make={0: some_zeros}) for axis in (0, 1)
      for reverse in (False, True)],
    *[example(op(axis, reverse), t, make={0: apart}) for op in (Cummax, Cummin) for axis in (0, 1)
      for reverse in (False, True)
      for t in ("f32[3,4]", "i32[3,4]")],
    *[example(op(1), t) for op in (Cummax, Cummin) for t in ("u8[3,4]", "bf16[3,4]")],
    *[example(op(1), "f32[9,3]", make={0: some_nan}, differentiable=False) for op in (Cummax, Cummin, Cumsum, Cumprod)],
    *[example(Cumlogsumexp(axis, reverse), "f32[3,4]") for axis in (0, 1) for reverse in (False, True)],
    *[example(LinearRecurrence(axis, reverse), "f32[3,4]", "f32[3,4]") for axis in (0, 1) for reverse in (False, True)],
    example(LinearRecurrence(0), "c64[4]", "c64[4]"),

    *[example(Sort(dimension), t, make={0: apart}) for dimension in (0, 1)
      for t in (*REALS, "bool[3,4]", "c64[3,4]", "u32[3,4]")],
    *[example(Sort(1, stable, 1), "f32[3,4]", "i32[3,4]", "c64[3,4]", make={0: apart}) for stable in (False, True)],
    example(Sort(0, True, 2), "i32[6,2]", "f32[6,2]", "f32[6,2]", integers_in=(0, 2), make={1: apart}),
    example(Sort(1), "f32[9,5]", "i32[9,5]", make={0: some_nan}, differentiable=False),
    *[example(SortedAt(d, places), t, make={0: apart}) for d, places, t in ((1, (1, 2), "f32[3,4]"), (0, (2,), "i32[3,4]"))],
    *[example(Sort(0), t, "i32[6]") for t in ("f64[6]", "i64[6]", "u64[6]", "c64[6]")],
    *[example(TopK(k, axis), t, make={0: apart}) for k, axis in ((2, 1), (3, 0), (0, 1))
      for t in (*REALS, "bool[3,4]", "i64[3,4]")],
    *[example(TopK(2, 1), t, make={0: apart}) for t in ("f32[2,40]", "i32[2,40]", "u32[2,40]", "f16[2,40]")],
    example(TopK(3, 1), "f32[9,30]", make={0: some_nan}, differentiable=False),
]
