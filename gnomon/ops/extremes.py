"""What maximum and minimum mean for every dtype, for the ops that reduce, scan and window with them."""
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
        return worst if np.isinf(np.asarray(worst).astype(dtype).astype(float)) else float(info.min if largest else info.max)
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
    (xr, xi), (yr, yi) = [(emit("stablehlo.real", [v], out=part), emit("stablehlo.imag", [v], out=part)) for v in (x, y)]
    ahead = "GT" if largest else "LT"
    both = emit.elementwise("stablehlo.and", [emit.compare("EQ", xr, yr), emit.compare(ahead, xi, yi)], flags)
    wins = emit.elementwise("stablehlo.or", [emit.compare(ahead, xr, yr), both], flags)
    wins = emit.elementwise("stablehlo.or", [wins, emit.compare("NE", x, x)], flags)     # NaN stays
    return emit.select(wins, x, y)
