"""Numbers made up by chance for functions of gnomon.scipy, compared with SciPy in double precision.

The bound is the function's own: so many units of the last place of the result, and as much as the result changes when each argument is
changed by its own rounding error."""
import zlib

import numpy as np

import gnomon as G
from gnomon.types.dtype import bfloat16, finfo

DTYPES = [np.dtype("float32"), np.dtype("float16"), np.dtype(bfloat16), np.dtype("float64")]


def drawn(name, seed, samplers, dtype, count):
    rng = np.random.RandomState(zlib.crc32(f"{name} {seed}".encode()))
    args = [sampler(rng, count) for sampler in samplers]
    with np.errstate(all="ignore"):
        return [a.astype("int32") if a.dtype.kind == "i" else a.astype(dtype) for a in args]


def as_list(out):
    return list(out) if isinstance(out, (tuple, list)) else [out]


def bounds(reference, args, want, dtype):
    """How much the results may change by the rounding of the arguments."""
    eps = float(finfo(dtype).eps)
    change = [np.zeros_like(w) for w in want]
    for i, a in enumerate(args):
        if a.dtype.kind == "f":
            for step in (1 + 1.5 * eps, 1 - 1.5 * eps):
                moved = as_list(reference(*args[:i], a * step, *args[i + 1:]))
                change = [np.fmax(c, np.abs(m - w)) for c, m, w in zip(change, moved, want)]
    return change


def compare(said, function, reference, args, dtype, units, slack=4.0, fewest=0.0):
    """Where SciPy's result is a number, ours is near it; where it is infinite or NaN, so is ours."""
    with G.enable_x64(dtype == "float64"), np.errstate(all="ignore"):
        ours = [np.asarray(x) for x in as_list(function(*args))]
        exact = [a if a.dtype.kind == "i" else a.astype("f8") for a in args]
        want = [np.asarray(w, "f8") for w in as_list(reference(*exact))]
        change = bounds(reference, exact, want, dtype)
    info = finfo(dtype)
    for x, w, c in zip(ours, want, change):
        assert x.dtype == dtype, (said, x.dtype)
        x = x.astype("f8")
        near_limit = np.abs(w) > float(info.max) * (1 - 64 * float(info.eps))
        with np.errstate(all="ignore"):
            allowed = float(info.eps) * units * np.maximum(np.abs(w), fewest) + slack * c + 16 * float(info.tiny)
            # an argument at a pole, or one whose rounding crosses it
            # and the logarithm of what is too small for the dtype
            lost = np.isneginf(x) & (w < np.log(float(info.tiny))) if "log" in said else False
            loose = ~np.isfinite(c) | ~(c < np.abs(w) / 4 + fewest) & (c > 16 * float(info.tiny))
            fine = (np.abs(x - w) <= allowed) | (x == w) | (np.isnan(x) & np.isnan(w)) | near_limit | loose & np.isfinite(w) | lost
        if not fine.all():
            i = int(np.argmin(fine))
            raise AssertionError(f"{said} of {dtype} at {[a.flat[i] for a in args]}: {x.flat[i]!r}, not {w.flat[i]!r} "
                                 f"(allowed {allowed.flat[i]:.3g}, off {np.abs(x - w).flat[i]:.3g}); {int((~fine).sum())} of {fine.size}")
