"""Examples of gnomon.ops.window and gnomon.ops.convolution."""
import numpy as np

from gnomon.ops.convolution import ConvDimensionNumbers, ConvGeneralDilated
from gnomon.ops.window import (ReduceWindowMax, ReduceWindowMin, ReduceWindowSum, SelectAndGatherAdd,
                               SelectAndScatterAdd, window_size)

from tests.laws.examples import example

# window sizes, strides, padding, dilation of the operand, dilation of the window; for an operand of shape (5, 6)
WINDOWS = [((2, 3), (1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1)), ((2, 3), (2, 1), ((1, 0), (1, 1)), (1, 1), (1, 1)),
           ((2, 2), (1, 2), ((1, 2), (0, 1)), (2, 1), (1, 1)), ((1, 2), (1, 2), ((0, 0), (-1, 2)), (1, 1), (1, 1)),
           ((3, 2), (3, 1), ((0, 0), (3, 2)), (2, 1), (1, 1))]
DILATED = ((2, 2), (1, 2), ((1, 2), (0, 1)), (1, 3), (2, 2))
FULL = ((2, 2), (1, 2), ((0, 0), (1, 0)), (1, 1), (2, 3))
SOME_EMPTY = (WINDOWS[2], WINDOWS[3], WINDOWS[4], DILATED)
EMPTY = {"jvp": "a window in the padding has no finite extreme, so differences say nothing"}


def apart(rng, shape, dtype):
    """Numbers of which no two are close."""
    n = int(np.prod(shape))
    return (rng.permutation(n) - n // 2).reshape(shape) / 4


def scatters():
    """SelectAndScatterAdd and the shape of its first operand, one element per window."""
    for window, strides, padding, base, _ in WINDOWS:
        if set(base) == {1}:
            for select in ("ge", "le"):
                sizes = map(window_size, (5, 6), window, strides, padding)
                yield SelectAndScatterAdd(padding, select, window, strides), ",".join(map(str, sizes))


# strides, padding, dilation of lhs and of rhs; for lhs (4, 4, 6, 7) and a kernel of window (2, 3)
PLAIN = ((1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1))
CONVOLUTIONS = [((2, 1), ((1, 0), (1, 2)), (1, 1), (1, 1)), ((1, 2), ((1, 1), (2, 1)), (2, 1), (1, 2)),
                ((2, 2), ((-1, 2), (0, -1)), (1, 2), (1, 1))]
FIRST, LAST = ConvDimensionNumbers(*[(0, 1, 2, 3)] * 3), ConvDimensionNumbers((0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2))
ODD = ConvDimensionNumbers((1, 0, 3, 2), (2, 3, 1, 0), (3, 1, 2, 0))
LINE = ConvDimensionNumbers(*[(0, 1, 2)] * 3)


def convolution(parameters, numbers, groups=1, batches=1):
    lhs, rhs = [0] * 4, [0] * 4
    for d, size in zip(numbers.lhs_spec, (4, 4, 6, 7)):
        lhs[d] = size
    for d, size in zip(numbers.rhs_spec, (6, 4 // groups, 2, 3)):
        rhs[d] = size
    texts = [f"f32[{','.join(map(str, shape))}]" for shape in (lhs, rhs)]
    return example(ConvGeneralDilated(*parameters, numbers, groups, batches), *texts)


EXAMPLES = [
    *[example(ReduceWindowSum(*w), "f32[5,6]") for w in (*WINDOWS, DILATED)],
    *[example(op(*w), "f32[5,6]", make={0: apart}, without=EMPTY if w in SOME_EMPTY else None)
      for op in (ReduceWindowMax, ReduceWindowMin) for w in (*WINDOWS, DILATED, FULL)],
    *[example(op(*WINDOWS[1]), t) for op in (ReduceWindowSum, ReduceWindowMax, ReduceWindowMin)
      for t in ("i32[5,6]", "bf16[5,6]")],
    *[example(ReduceWindowSum(*WINDOWS[1]), t) for t in ("c64[5,6]", "f32[0,6]")],
    *[example(SelectAndGatherAdd(*w, select), "f32[5,6]", "f32[5,6]", make={1: apart}, moving=(0,)) for w in WINDOWS
      for select in ("ge", "le")],
    *[example(op, f"f32[{shape}]", "f32[5,6]", make={1: apart}, moving=(0,)) for op, shape in scatters()],

    *[convolution(PLAIN, numbers, *groups) for numbers in (FIRST, LAST) for groups in ((), (2,), (1, 2))],
    *[convolution(c, ODD, *groups) for c in CONVOLUTIONS for groups in ((), (2,), (1, 2))],
    *[example(ConvGeneralDilated((1,), ((1, 1),), (1,), (1,), LINE), f"{d}[2,3,7]", f"{d}[4,3,2]")
      for d in ("i32", "u8", "c64", "bf16", "f64")],
    example(ConvGeneralDilated((), (), (), (), ConvDimensionNumbers(*[(0, 1)] * 3)), "f32[2,3]", "f32[4,3]"),
    example(ConvGeneralDilated((1,), ((0, 0),), (1,), (1,), LINE, 1, 1, None, np.dtype("float32")), "f16[2,3,7]",
            "f16[4,3,2]",
            differentiable=False),
]
