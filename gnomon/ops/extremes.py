"""What maximum and minimum mean for every dtype, for the ops that reduce, scan and window with them.

XLA's CPU compiles a reduction by `maximum` to code that loses NaN (elementwise, and in windows, it keeps it). So floats
are reduced here in another way: see `reduce_extreme`."""
from __future__ import annotations

import numpy as np

from gnomon.types.dtype import finfo, iinfo, is_bool, is_complex, is_float
from gnomon.types.value_type import ArrayType


def extreme_identity(dtype, largest):
    """What changes no maximum (no minimum, unless `largest`)."""
    if is_bool(dtype):
        return not largest
    if is_float(dtype):
        # some narrow formats have no infinity
        worst = -np.inf if largest else np.inf
        info = finfo(dtype)
        if np.isinf(np.asarray(worst).astype(dtype).astype(float)):
            return worst
        return float(info.min if largest else info.max)
    if is_complex(dtype):
        return complex(-np.inf, -np.inf) if largest else complex(np.inf, np.inf)
    return int(iinfo(dtype).min if largest else iinfo(dtype).max)


def combine_extreme(emit, x, y, largest):
    """The larger (smaller) of two values elementwise; complex numbers compare by real part, then by imaginary part."""
    t = x.type
    if not is_complex(t.dtype):
        return emit.elementwise("stablehlo.maximum" if largest else "stablehlo.minimum", [x, y], t)
    part = ArrayType(t.shape, np.dtype(f"f{t.dtype.itemsize // 2}"))
    flags = ArrayType(t.shape, np.dtype(bool))
    (xr, xi), (yr, yi) = [(emit("stablehlo.real", [v], out=part), emit("stablehlo.imag", [v], out=part))
                          for v in (x, y)]
    ahead = "GT" if largest else "LT"
    both = emit.elementwise("stablehlo.and", [emit.compare("EQ", xr, yr), emit.compare(ahead, xi, yi)], flags)
    wins = emit.elementwise("stablehlo.or", [emit.compare(ahead, xr, yr), both], flags)
    wins = emit.elementwise("stablehlo.or", [wins, emit.compare("NE", x, x)], flags)     # NaN stays
    return emit.select(wins, x, y)


def reduce_extreme(emit, x, axes, largest, out):
    """The largest (smallest) element over axes, NaN where there is one.

    On one device the longest axis is halved elementwise a few times and the rest reduced by a comparison of our own.
    Where the program is partitioned, collectives know plain reductions only: one for the extreme and one that looks for
    NaN."""
    t, init = x.type, extreme_identity(x.type.dtype, largest)
    if is_complex(t.dtype):
        return reduce_by(emit, lambda a, b: combine_extreme(emit, a, b, largest), x, init, axes, out)
    plain = "stablehlo.maximum" if largest else "stablehlo.minimum"
    if not is_float(t.dtype) or not axes or 0 in t.shape:
        return emit.reduce(plain, x, init, axes, out)
    if not emit.one_device:
        flags = emit.reduce("stablehlo.or", emit.compare("NE", x, x), False, axes, ArrayType(out.shape, np.dtype(bool)))
        return emit.select(flags, emit.constant(np.nan, out), emit.reduce(plain, x, init, axes, out))

    def ahead(a, b):
        beats, is_nan = emit.compare("GT" if largest else "LT", a, b), emit.compare("NE", a, a)
        wins = emit.elementwise("stablehlo.or", [beats, is_nan], ArrayType((), np.dtype(bool)))
        return emit.select(wins, a, b)

    return reduce_by(emit, ahead, shortened(emit, x, max(axes, key=lambda a: t.shape[a]), plain), init, axes, out)


def reduce_by(emit, combine, x, init, axes, out):
    """Reduce with a function of two scalars."""
    scalar = ArrayType((), x.type.dtype)
    region = emit.block([scalar, scalar], lambda a, b: [combine(a, b)])
    return emit.generic("stablehlo.reduce", [x, emit.constant(init, scalar)], f"dimensions = {emit.ints(axes)}", region,
                        [out])[0]


def shortened(emit, x, axis, op):
    """A sixteenth of a long axis: its pieces combined elementwise. Pieces may overlap, as that changes no extreme."""
    t = x.type
    n = t.shape[axis]
    if n < 128:
        return x
    m = -(-n // 16)
    piece = ArrayType((*t.shape[:axis], m, *t.shape[axis + 1:]), t.dtype)
    pieces = []
    for k in range(16):
        start = min(k * m, n - m)
        starts = tuple([start if i == axis else 0 for i in range(t.ndim)])
        limits = tuple([a + size for a, size in zip(starts, piece.shape)])
        pieces.append(emit.slice(x, starts, limits, (1,) * t.ndim, piece))
    while len(pieces) > 1:
        pieces = [emit.elementwise(op, [a, b], piece) for a, b in zip(pieces[::2], pieces[1::2])]
    return pieces[0]
