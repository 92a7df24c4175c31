"""Examples of gnomon.ops.indexing and gnomon.ops.scatter_mul."""
import numpy as np

from gnomon.ops.indexing import (CLIP, FILL_OR_DROP, ONE_HOT, PROMISE_IN_BOUNDS, Gather, GatherDimensionNumbers,
                                 Scatter,
                                 ScatterAdd, ScatterDimensionNumbers, ScatterMax, ScatterMin, ScatterSub)
from gnomon.ops.scatter_mul import ScatterMul

from tests.laws.examples import example

MOVED = ("f32[4,5]", "i32[4,5]", "bool[4,5]", "bf16[4,5]", "c64[4,5]", "key<fry>[4,5]")
ANYWHERE, INSIDE = (-3, 8), (0, 4)


def gathers():
    """Dimension numbers, window sizes and the shape of the indices, for an operand of shape (4, 5)."""
    g = GatherDimensionNumbers
    yield g((1,), (0,), (0,)), (1, 5), "3,1"                           # rows
    yield g((0,), (1,), (1,)), (3, 1), "3,1"                           # pieces of columns, the window in front
    yield g((1, 3), (), (0, 1)), (2, 3), "3,2,2"                       # blocks, windows between the places
    yield g((), (0, 1), (1, 0)), (1, 1), "3,2"                  # single elements, index vectors the other way round
    yield g((), (1,), (1,), (0,), (0,)), (1, 1), "4,2,1"               # along rows
    yield g((2,), (), (1,), (0,), (0,)), (1, 2), "4,2,1"               # windows along rows
    yield g((0, 2), (), ()), (2, 5), "3,0"                             # no index at all


def scatters():
    """Dimension numbers, shapes of indices and updates, for an operand of shape (4, 5)."""
    s = ScatterDimensionNumbers
    yield s((1,), (0,), (0,)), "5,1", "5,5"
    yield s((0,), (1,), (1,)), "3,1", "3,3"
    yield s((1, 3), (), (0, 1)), "3,2,2", "3,2,2,3"
    yield s((), (0, 1), (1, 0)), "6,2", "6"
    yield s((), (1,), (1,), (0,), (0,)), "4,3,1", "4,3"
    yield s((2,), (), (1,), (0,), (0,)), "4,2,1", "4,2,2"
    yield s((0,), (0,), (0,)), "1", "5"


def distinct(rng, shape, dtype):
    """Index vectors that differ from each other."""
    return rng.permutation(4)[:int(np.prod(shape))].reshape(shape)


def apart(rng, shape, dtype):
    """Numbers of which no two are close, so that no extreme changes hands between neighbouring points."""
    n = int(np.prod(shape))
    return (rng.permutation(n) - n // 2).reshape(shape) / 4 + rng.uniform(0, 0.05, shape)


def some_zeros(rng, shape, dtype):
    return rng.uniform(-2, 2, shape) * rng.integers(0, 2, shape)


def scatter_examples(cls, dtypes=("f32",), make=None, **options):
    """All forms with the first dtype, one form with the others; the modes take turns."""
    for k, (n, indices, updates) in enumerate(scatters()):
        for d in dtypes if k == 1 else dtypes[:1]:
            yield example(cls(n, (CLIP, FILL_OR_DROP)[(k + (d != dtypes[0])) % 2]), f"{d}[4,5]", f"i32[{indices}]",
                          f"{d}[{updates}]",
                          make=make, integers_in={0: (-5, 6), 1: ANYWHERE, 2: (-5, 6)}, **options)


ROWS, ROW_SCATTER = GatherDimensionNumbers((1,), (0,), (0,)), ScatterDimensionNumbers((1,), (0,), (0,))
EXTREMA = {0: apart, 2: lambda rng, shape, dtype: apart(rng, shape, dtype) + 0.1}

EXAMPLES = [
    *[example(Gather(n, sizes, mode, fill), "f32[4,5]", f"i32[{indices}]", integers_in=ANYWHERE)
      for n, sizes, indices in gathers() for mode, fill in ((CLIP, None), (FILL_OR_DROP, 2.5), (ONE_HOT, None))],
    *[example(Gather(n, sizes, PROMISE_IN_BOUNDS), "f32[9,9]" if "2,2" in indices else "f32[4,5]", f"i32[{indices}]",
              integers_in=(0, 2)) for n, sizes, indices in gathers()],
    *[example(Gather(ROWS, (1, 5), FILL_OR_DROP), t, "i32[3,1]", integers_in={0: (-5, 6), 1: ANYWHERE},
              differentiable=False)
      for t in MOVED],
    *[example(Gather(ROWS, (1, 5), CLIP), t, "i32[3,1]", integers_in={0: (-5, 6), 1: ANYWHERE}) for t in MOVED],
    *[example(Gather(ROWS, (1, 2), mode, 0), "f32[300,2]", f"{d}[3,1]", integers_in=(0, 120))
      for d in ("u8", "i8", "i16", "u32", "i64", "u64") for mode in (CLIP, FILL_OR_DROP)],

    *scatter_examples(Scatter, ("f32", "i32", "bool", "bf16", "c64", "key<fry>")),
    *[example(Scatter(ROW_SCATTER, FILL_OR_DROP, False, True), "f32[4,5]", "i32[3,1]", "f32[3,5]", make={1: distinct})],
    *scatter_examples(ScatterAdd, ("f32", "i32", "c64")),
    *scatter_examples(ScatterSub, ("f32", "i32")),
    *scatter_examples(ScatterMin, make=EXTREMA),
    *scatter_examples(ScatterMax, make=EXTREMA),
    *scatter_examples(ScatterMul),
    *scatter_examples(ScatterMul, make={0: some_zeros, 2: some_zeros}),
    *[example(ScatterMul(ROW_SCATTER, CLIP), f"{d}[4,5]", "i32[5,1]", f"{d}[5,5]",
              integers_in={0: (-5, 6), 1: ANYWHERE, 2: (-5, 6)})
      for d in ("i32", "c64")],
    *[example(cls(ROW_SCATTER, mode), "i32[300,2]", f"{d}[3,1]", "i32[3,2]", integers_in=(0, 120))
      for cls in (Scatter, ScatterAdd) for d in ("u8", "i8", "u32", "i64") for mode in (CLIP, FILL_OR_DROP)],
]
