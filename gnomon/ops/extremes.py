"""What maximum and minimum mean for every dtype, for the ops that reduce, scan and window with them.

XLA's CPU compiles a reduction by `maximum`, of a whole or of windows, to code that loses NaN (elementwise it keeps it). So floats
are reduced here in another way: see `reduce_extreme`."""
from __future__ import annotations

import numpy as np

from gnomon.ops.sorting import from_ordered_integers, mirror_negative
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

    On one device the longest axis is halved elementwise a few times, and the rest is reduced as integers of the same order. Few
    elements, and short floats, are reduced by a comparison of our own. Where the program is partitioned, collectives know plain
    reductions only: one for the extreme and one that looks for NaN."""
    t, init = x.type, extreme_identity(x.type.dtype, largest)
    if is_complex(t.dtype):
        return reduce_by(emit, lambda a, b: combine_extreme(emit, a, b, largest), x, init, axes, out)
    plain = "stablehlo.maximum" if largest else "stablehlo.minimum"
    if not is_float(t.dtype) or not axes or 0 in t.shape:
        return emit.reduce(plain, x, init, axes, out)
    if not emit.one_device:
        flags = emit.reduce("stablehlo.or", emit.compare("NE", x, x), False, axes, ArrayType(out.shape, np.dtype(bool)))
        return emit.select(flags, emit.constant(np.nan, out), emit.reduce(plain, x, init, axes, out))
    if t.dtype.kind == "f" and t.dtype.itemsize >= 4 and tuple(axes) == tuple(range(t.ndim - len(axes), t.ndim)) \
            and t.size // out.size >= LONG_ROW and emit.on_host(t.size, 2 ** 16):
        return emit.host_kernel("maximum" if largest else "minimum", [x], [out], axes=len(axes))[0]
    if t.size >= MANY:
        x, axes = in_rows(emit, x, axes)
        x = shortened(emit, x, max(axes, key=lambda a: x.type.shape[a]), plain)
        if t.dtype.itemsize >= 4:
            return reduce_ordered(emit, plain, x, axes, largest, out)

    return reduce_by(emit, lambda a, b: keep_nan(emit, a, b, largest), x, init, axes, out)


LONG_ROW = 1500         # elements of a row from which NumPy, which takes one after the other, is quicker
MANY = 2 ** 12      # elements from which reducing takes longer than compiling it the longer way


def reduce_ordered(emit, plain, x, axes, largest, out):
    """The extreme of floats as that of integers, beyond which NaN is put."""
    integers = ArrayType(x.type.shape, np.dtype(f"i{x.type.dtype.itemsize}"))
    beyond = int(extreme_identity(integers.dtype, not largest))
    key = mirror_negative(emit, emit("stablehlo.bitcast_convert", [x], out=integers))
    key = emit.select(emit.compare("NE", x, x), emit.constant(beyond, integers), key)
    found = ArrayType(out.shape, integers.dtype)
    found = emit.reduce(plain, key, int(extreme_identity(integers.dtype, largest)), axes, found)
    return from_ordered_integers(emit, found, out.dtype)


def reduce_bits(emit, op, x, init, axes, out):
    """A reduction by `and` or `or`: on one device a long last axis is halved a few times first."""
    if emit.one_device and x.type.size >= MANY and x.type.ndim - 1 in axes:
        x, axes = in_rows(emit, x, axes)
        x = shortened(emit, x, x.type.ndim - 1, op)
    return emit.reduce(op, x, init, axes, out)


def in_rows(emit, x, axes):
    """A long vector as a matrix, if its size has a fitting divisor: what is combined then stands close together."""
    n = x.type.size
    width = next((m for m in range(2048, 511, -1) if n % m == 0), None) if x.type.ndim == 1 and n >= 2 ** 16 else None
    if width is None:
        return x, axes
    return emit("stablehlo.reshape", [x], out=ArrayType((n // width, width), x.type.dtype)), (0, 1)


def keep_nan(emit, a, b, largest):
    """The larger (smaller) of two scalar floats, or the NaN among them."""
    beats, is_nan = emit.compare("GT" if largest else "LT", a, b), emit.compare("NE", a, a)
    return emit.select(emit.elementwise("stablehlo.or", [beats, is_nan], ArrayType((), np.dtype(bool))), a, b)


def reduce_by(emit, combine, x, init, axes, out):
    """Reduce with a function of two scalars."""
    scalar = ArrayType((), x.type.dtype)
    region = emit.block([scalar, scalar], lambda a, b: [combine(a, b)])
    return emit.generic("stablehlo.reduce", [x, emit.constant(init, scalar)], f"dimensions = {emit.ints(axes)}", region,
                        [out])[0]


def shortened(emit, x, axis, op):
    """A sixteenth of a long axis, or half of that: its pieces combined elementwise. Pieces may overlap, as that changes no
    extreme."""
    t = x.type
    n = t.shape[axis]
    if n < 128:
        return x
    last = axis == t.ndim - 1
    count = 32 if last and n >= 512 else 16
    m = -(-n // count)
    if last:
        m = -(-m // 16) * 16        # whole registers
    piece = ArrayType((*t.shape[:axis], m, *t.shape[axis + 1:]), t.dtype)
    pieces = []
    for k in range(count):
        start = min(k * m, n - m)
        pieces.append(emit.slice_in_dim(x, start, start + m, axis))
    while len(pieces) > 1:
        pieces = [emit.elementwise(op, [a, b], piece) for a, b in zip(pieces[::2], pieces[1::2])]
    return pieces[0]
