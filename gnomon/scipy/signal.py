"""gnomon.scipy.signal: convolutions, trends, spectra."""
from __future__ import annotations

import math

import numpy as np

from gnomon import lax
from gnomon import numpy as jnp
from gnomon.base.arguments import flag
from gnomon.base.errors import Refused, shown
from gnomon.numpy.axes import axis_tuple, integer, one_axis, one_of, sequence
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import as_value, promote_dtypes, promote_inexact, to_inexact
from gnomon.scipy.floats import a_number, wide_floats
from gnomon.scipy.windows import get_window
from gnomon.trace.stage import Tracer
from gnomon.types.dtype import is_complex, is_float, is_inexact
from gnomon.types.size import check_size

__all__ = ["convolve", "convolve2d", "correlate", "correlate2d", "csd", "detrend", "fftconvolve", "istft", "stft", "welch"]

MODES = ("full", "same", "valid")
METHODS = ("auto", "direct", "fft")


def flipped(x):
    return jnp.flip(x, tuple(range(x.ndim)))


def check_pair(name, x, y, mode, ndim=None):
    """Two arrays of one dtype and rank."""
    x, y = promote_dtypes(name, x, y)
    one_of(mode, MODES, name, "mode")
    if x.ndim != y.ndim or ndim is not None and x.ndim != ndim:
        raise ValueError(f"{name} takes two arrays of {'as many' if ndim is None else ndim} dimensions, got shapes {x.shape} and {y.shape}.")
    check_sizes(name, x, y, mode, range(x.ndim))
    return x, y


def check_sizes(name, x, y, mode, axes):
    """ValueError where there is nothing to convolve along the axes, or neither array lies within the other."""
    pairs = [(x.shape[a], y.shape[a]) for a in axes]
    if any(0 in p for p in pairs):
        raise ValueError(f"{name} takes arrays that are not empty, got shapes {x.shape} and {y.shape}.")
    if mode == "valid" and not (all(a >= b for a, b in pairs) or all(a <= b for a, b in pairs)):
        raise ValueError(f"{name} with mode='valid' needs one array to be at least as large as the other in every dimension, got shapes "
                         f"{x.shape} and {y.shape}.")


# ---- convolution ----------------------------------------------------------------------------------------------------

def slide(x, y, mode, precision):
    """The convolution of arrays of any rank, as sums of products."""
    if mode == "valid" and any(a < b for a, b in zip(x.shape, y.shape)):
        x, y = y, x
    if not x.ndim:
        return x * y
    if x.dtype == bool:     # whether any product is true
        return slide(x.astype(np.int32), y.astype(np.int32), mode, precision) != 0
    padding = [{"full": (n - 1, n - 1), "same": (n - 1 - (n - 1) // 2, (n - 1) // 2), "valid": (0, 0)}[mode] for n in y.shape]
    if mode == "same":
        padding = [((n - 1) // 2 + (n - 1) % 2, (n - 1) // 2) for n in y.shape]
    out = lax.conv_general_dilated(x[None, None], flipped(y)[None, None], (1,) * x.ndim, padding, precision=precision)
    return out[0, 0]


def best_method(x, y):
    """'fft' where it takes much less work than sums of products."""
    if not (is_float(x.dtype) or is_complex(x.dtype)):
        return "direct"
    whole = math.prod(a + b - 1 for a, b in zip(x.shape, y.shape))
    return "fft" if x.size * y.size > 60 * whole * math.log2(whole + 1) else "direct"


def convolve(in1, in2, mode="full", method="auto", precision=None):
    """The convolution of two arrays of as many dimensions.

    mode: 'full' (all of it), 'same' (the middle, as large as in1) or 'valid' (where one array lies within the other). method: 'direct' (sums
    of products), 'fft', or 'auto' for whichever takes less work. precision: of products, on hardware that knows several.

    >>> import gnomon.numpy as jnp
    >>> convolve(jnp.array([1, 2, 3]), jnp.array([0, 1])).tolist()
    [0, 1, 2, 3]
    """
    x, y = check_pair("convolve", in1, in2, mode)
    one_of(method, METHODS, "convolve", "method")
    if (best_method(x, y) if method == "auto" else method) == "fft":
        out = fftconvolve(x, y, mode)
        return out if is_inexact(x.dtype) else jnp.round(out).astype(x.dtype)
    return _convolve(x, y, mode=mode, precision=precision)


@composite(static=("mode", "precision"))
def _convolve(x, y, mode, precision):
    return slide(x, y, mode, precision)


def correlate(in1, in2, mode="full", method="auto", precision=None):
    """The cross-correlation of two arrays of as many dimensions: the convolution with in2 turned round and conjugated. See `convolve`.

    >>> import gnomon.numpy as jnp
    >>> correlate(jnp.array([1, 2, 3]), jnp.array([0, 1])).tolist()
    [1, 2, 3, 0]
    """
    x, y = check_pair("correlate", in1, in2, mode)
    one_of(method, METHODS, "correlate", "method")
    return convolve(x, flipped(jnp.conj(y) if is_complex(y.dtype) else y), mode, method, precision)


def fftconvolve(in1, in2, mode="full", axes=None):
    """The convolution of two arrays along axes (None: all), by Fourier transforms; along other axes they broadcast. See `convolve`.

    >>> import gnomon.numpy as jnp
    >>> jnp.round(fftconvolve(jnp.array([1.0, 2.0]), jnp.array([0.0, 1.0])), 3).tolist()
    [0.0, 1.0, 2.0]
    """
    x, y = promote_inexact("fftconvolve", in1, in2)
    one_of(mode, MODES, "fftconvolve", "mode")
    if x.ndim != y.ndim:
        raise ValueError(f"fftconvolve takes two arrays of as many dimensions, got shapes {x.shape} and {y.shape}.")
    axes = tuple(range(x.ndim)) if axes is None else axis_tuple(axes, x.ndim, "fftconvolve", "axes")
    for i, (a, b) in enumerate(zip(x.shape, y.shape)):
        if i not in axes and a != b and 1 not in (a, b):
            raise ValueError(f"fftconvolve needs arrays that broadcast along the axes that it does not convolve, got shapes {x.shape} and "
                             f"{y.shape} with axes={axes}.")
    check_sizes("fftconvolve", x, y, mode, axes)
    return _fftconvolve(x, y, mode=mode, axes=axes)


def good_size(n):
    """The next size with no prime factor above 5, which transforms quickly."""
    while True:
        rest = n
        for p in (2, 3, 5):
            while rest % p == 0:
                rest //= p
        if rest == 1:
            return n
        n += 1


@composite(static=("mode", "axes"))
def _fftconvolve(x, y, mode, axes):
    if not x.ndim:
        return x * y
    if mode == "valid" and any(x.shape[a] < y.shape[a] for a in axes):
        x, y = y, x
    full = tuple([x.shape[a] + y.shape[a] - 1 for a in axes])
    sizes = tuple([good_size(n) for n in full])
    if is_complex(x.dtype):
        out = jnp.fft.ifftn(jnp.fft.fftn(x, sizes, axes) * jnp.fft.fftn(y, sizes, axes), sizes, axes)
    else:
        out = jnp.fft.irfftn(jnp.fft.rfftn(x, sizes, axes) * jnp.fft.rfftn(y, sizes, axes), sizes, axes)
    cut = [slice(None)] * out.ndim
    for n, a in zip(full, axes):
        wanted = {"full": n, "same": x.shape[a], "valid": x.shape[a] - y.shape[a] + 1}[mode]
        start = (n - wanted) // 2
        cut[a] = slice(start, start + wanted)
    return out[tuple(cut)].astype(x.dtype)


BOUNDARIES = {"fill": "constant", "wrap": "wrap", "symm": "symmetric"}


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0, precision=None):
    """The convolution of two matrices.

    boundary: what lies around in1: 'fill' (fillvalue), 'wrap' (in1 again) or 'symm' (in1 mirrored). See `convolve` for the rest.

    >>> import gnomon.numpy as jnp
    >>> convolve2d(jnp.eye(2), jnp.ones((2, 2)), mode="valid").tolist()
    [[2.0]]
    """
    x, y = check_pair("convolve2d", in1, in2, mode, 2)
    one_of(boundary, BOUNDARIES, "convolve2d", "boundary")
    if fillvalue.__class__ not in (int, float, complex):
        fillvalue = np.asarray(a_number(fillvalue, "convolve2d", "fillvalue"))[()]
    return _convolve2d(x, y, mode=mode, boundary=boundary, fillvalue=fillvalue, precision=precision)


@composite(static=("mode", "boundary", "fillvalue", "precision"))
def _convolve2d(x, y, mode, boundary, fillvalue, precision):
    if mode == "valid" or boundary == "fill" and fillvalue == 0:
        return slide(x, y, mode, precision)
    width = [(n - 1, n - 1) for n in y.shape]
    options = {"constant_values": fillvalue} if boundary == "fill" else {}
    out = slide(jnp.pad(x, width, mode=BOUNDARIES[boundary], **options), y, "valid", precision)
    if mode == "same":
        starts = [(n - 1) // 2 for n in y.shape]
        out = out[starts[0]:starts[0] + x.shape[0], starts[1]:starts[1] + x.shape[1]]
    return out


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0, precision=None):
    """The cross-correlation of two matrices: the convolution with in2 turned round and conjugated. See `convolve2d`.

    >>> import gnomon.numpy as jnp
    >>> correlate2d(jnp.eye(2), jnp.eye(2), mode="valid").tolist()
    [[2.0]]
    """
    x, y = check_pair("correlate2d", in1, in2, mode, 2)
    one_of(boundary, BOUNDARIES, "correlate2d", "boundary")
    if fillvalue.__class__ not in (int, float, complex):
        fillvalue = np.asarray(a_number(fillvalue, "correlate2d", "fillvalue"))[()]
    turned = flipped(jnp.conj(y) if is_complex(y.dtype) else y)
    if mode != "same":
        return convolve2d(x, turned, mode, boundary, fillvalue, precision)
    # the middle of a correlation is counted from the other end
    out = convolve2d(x, turned, "full", boundary, fillvalue, precision)
    starts = [n // 2 for n in y.shape]
    return out[starts[0]:starts[0] + x.shape[0], starts[1]:starts[1] + x.shape[1]]


# ---- trends and spectra ---------------------------------------------------------------------------------------------

def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=None):
    """Without its trend along an axis: type 'linear' takes off the best line of each piece, 'constant' the mean.

    bp: places where a new piece begins. overwrite_data has no effect.

    >>> import gnomon.numpy as jnp
    >>> jnp.abs(detrend(jnp.arange(4.0))).max() < 1e-5
    Array(True, dtype=bool)
    """
    if overwrite_data is not None:
        raise Refused("detrend makes a new array; leave overwrite_data out.")
    one_of(type, ("linear", "l", "constant", "c"), "detrend", "type")
    x = to_inexact(as_value(data, "detrend", 0))
    axis = one_axis(axis, x.ndim, "detrend")
    if not x.shape[axis]:
        raise ValueError(f"detrend takes at least one element along the axis, got shape {x.shape} with axis={axis}.")
    breaks = tuple(sorted({0, x.shape[axis], *[integer(b, "detrend", "bp") for b in (sequence(bp, "detrend", "bp", "places") if np.ndim(bp) else [bp])]}))
    if breaks[0] < 0 or breaks[-1] > x.shape[axis]:
        raise ValueError(f"detrend takes breaks bp within the {x.shape[axis]} elements along the axis, got {bp}.")
    return _detrend(x, axis=axis, type=type[0], breaks=breaks)


@composite(static=("axis", "type", "breaks"))
def _detrend(x, axis, type, breaks):
    return jnp.moveaxis(without_trend(jnp.moveaxis(wide_floats(x), axis, -1), type, breaks), -1, axis).astype(x.dtype)


def without_trend(x, type, breaks):
    """`detrend` along the last axis."""
    if type == "c":
        return x - x.mean(-1, keepdims=True)
    parts = []
    for start, stop in zip(breaks, breaks[1:]):
        part, n = x[..., start:stop], stop - start
        t = np.arange(n) - (n - 1) / 2
        t = (t / max(np.sqrt((t * t).sum()), 1e-30)).astype(part.real.dtype)
        part = part - part.mean(-1, keepdims=True)
        parts.append(part - (part * t).sum(-1, keepdims=True) * t)
    return jnp.concatenate(parts, -1)


def as_window(window, name):
    """An array of real numbers; TypeError for what is none."""
    try:
        found = np.asarray(window)
        if found.dtype.kind in "biuf":
            return found.astype("float64")
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{name} takes a name, a tuple of a name and parameters, or a vector of real numbers as window, got {shown(window)} of type "
                    f"{type(window).__name__}.")


def plan_frames(name, size, window, nperseg, noverlap, nfft):
    """(window as an array, nperseg, noverlap, nfft) from what the caller said."""
    if isinstance(window, (str, tuple, int, float)):
        nperseg = min(256, size) if nperseg is None else integer(nperseg, name, "nperseg")
        if nperseg < 1:
            raise ValueError(f"{name} takes a positive nperseg, got {nperseg}.")
        nperseg = min(nperseg, size)
        window = get_window(window, nperseg)
    else:
        if isinstance(window, Tracer):
            raise TypeError(f"{name} takes a window whose numbers are known while tracing. Close over it as a NumPy array.")
        window = as_window(window, name)
        if window.ndim != 1 or len(window) > size:
            raise ValueError(f"{name} takes a window that is a vector no longer than the signal, got shape {window.shape} for {size} points.")
        if nperseg is not None and integer(nperseg, name, "nperseg") != len(window):
            raise ValueError(f"{name} got nperseg={nperseg}, but the window has {len(window)} points. Leave nperseg out.")
        nperseg = len(window)
    noverlap = nperseg // 2 if noverlap is None else integer(noverlap, name, "noverlap")
    nfft = nperseg if nfft is None else check_size(integer(nfft, name, "nfft"), f"nfft, of {name},")
    if not 0 <= noverlap < nperseg:
        raise ValueError(f"{name} takes an noverlap of at least 0 and less than nperseg, {nperseg}, got {noverlap}.")
    if nfft < nperseg:
        raise ValueError(f"{name} takes an nfft of at least nperseg, {nperseg}, got {nfft}.")
    return window, nperseg, noverlap, nfft


def frames(x, nperseg, noverlap):
    """Overlapping pieces of the last axis, as rows."""
    step = nperseg - noverlap
    count = (x.shape[-1] - noverlap) // step
    places = np.arange(count, dtype=np.int32)[:, None] * step + np.arange(nperseg, dtype=np.int32)
    return x[..., places]


def spectra(x, window, nperseg, noverlap, nfft, trend, onesided):
    """The Fourier transforms of the windowed pieces: (..., pieces, frequencies)."""
    pieces = frames(x, nperseg, noverlap)
    if trend:
        pieces = without_trend(pieces, trend, (0, nperseg)) if isinstance(trend, str) else trend(pieces)
    pieces = pieces * jnp.asarray(window.astype(x.real.dtype))
    return jnp.fft.rfft(pieces, nfft) if onesided else jnp.fft.fft(pieces, nfft)


def check_trend(name, detrend):
    """'l', 'c', a function, or None for no trend."""
    if detrend is False or detrend is None:
        return None
    if callable(detrend):
        return detrend
    if not (isinstance(detrend, str) and detrend in ("linear", "constant")):
        raise ValueError(f"{name} takes detrend 'linear', 'constant', False or a function, got {detrend!r}.")
    return detrend[0]


EXTENSIONS = {"zeros": "constant", "even": "reflect", "odd": "reflect", "constant": "edge"}


def extended(x, n, kind):
    """The last axis, with n points more at both ends."""
    if kind == "odd":
        left, right = 2 * x[..., :1] - x[..., n:0:-1], 2 * x[..., -1:] - x[..., -2:-n - 2:-1]
        return jnp.concatenate([left, x, right], -1)
    return jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(n, n)], mode=EXTENSIONS[kind])


def frequencies(nfft, onesided, fs, dtype):
    make = jnp.fft.rfftfreq if onesided else jnp.fft.fftfreq
    return make(nfft, 1.0, dtype=dtype) * fs


def stft(x, fs=1.0, window="hann", nperseg=256, noverlap=None, nfft=None, detrend=False, return_onesided=True, boundary="zeros",
         padded=True, axis=-1):
    """(frequencies, times, Z), the short-time Fourier transform of x along an axis; Z has the frequencies in that place and the times last.

    fs: samples per unit of time. window: a name (see SciPy's), a tuple of a name and parameters, or an array. nperseg: points of a piece;
    noverlap: points that neighbours share (half); nfft: points transformed, zeros behind. detrend: False, 'constant', 'linear' or a function.
    boundary: how x goes on at both ends: 'zeros', 'even', 'odd', 'constant' or None for not at all. padded: zeros behind until the last
    piece is full.

    >>> import gnomon.numpy as jnp
    >>> f, t, z = stft(jnp.ones(16), nperseg=4)
    >>> f.tolist(), z.shape
    ([0.0, 0.25, 0.5], (3, 9))
    """
    x, fs = wide_floats(to_inexact(as_value(x, "stft", 0))), a_number(fs, "stft", "fs")
    axis = one_axis(axis, x.ndim, "stft")
    one_of(boundary, (*EXTENSIONS, None), "stft", "boundary")
    window, nperseg, noverlap, nfft = plan_frames("stft", x.shape[axis], window, nperseg, noverlap, nfft)
    onesided = flag(return_onesided, "stft", "return_onesided") and not is_complex(x.dtype)
    trend = check_trend("stft", detrend)
    return _stft(x, fs, window=window.tobytes(), nperseg=nperseg, noverlap=noverlap, nfft=nfft, trend=trend, onesided=onesided,
                 boundary=boundary, padded=flag(padded, "stft", "padded"), axis=axis)


@composite(static=("window", "nperseg", "noverlap", "nfft", "trend", "onesided", "boundary", "padded", "axis"))
def _stft(x, fs, window, nperseg, noverlap, nfft, trend, onesided, boundary, padded, axis):
    window = np.frombuffer(window)
    y = jnp.moveaxis(x, axis, -1)
    if boundary is not None:
        y = extended(y, nperseg // 2, boundary)
    step = nperseg - noverlap
    if padded:
        y = jnp.pad(y, [(0, 0)] * (y.ndim - 1) + [(0, (nperseg - y.shape[-1]) % step if y.shape[-1] > nperseg else 0)])
    z = spectra(y, window, nperseg, noverlap, nfft, trend, onesided) / float(window.sum())
    times = np.arange(z.shape[-2]) * step + (0 if boundary is not None else nperseg / 2)
    real = x.real.dtype
    return (frequencies(nfft, onesided, fs, real), jnp.asarray(times.astype(real)) / fs,
            jnp.moveaxis(jnp.swapaxes(z, -1, -2), -2, axis))


def csd(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True, scaling="density",
        axis=-1, average="mean"):
    """(frequencies, P), the cross power spectral density of x and y (None: of x with itself) along an axis, by Welch's method.

    scaling: 'density' (per unit of frequency) or 'spectrum'. average: 'mean' or 'median' over the pieces. See `stft` for the rest.

    >>> import gnomon.numpy as jnp
    >>> f, p = csd(jnp.ones(16), None, nperseg=4)
    >>> p.shape
    (3,)
    """
    return power_density("csd", x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


def power_density(name, x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average):
    x, y = (to_inexact(as_value(x, name, 0)), None) if y is None else promote_inexact(name, x, y)
    x, y = wide_floats(x), None if y is None else wide_floats(y)
    if y is not None and x.ndim != y.ndim:
        raise ValueError(f"{name} takes two arrays of as many dimensions, got shapes {x.shape} and {y.shape}.")
    axis, fs = one_axis(axis, x.ndim, name), a_number(fs, name, "fs")
    one_of(scaling, ("density", "spectrum"), name, "scaling")
    one_of(average, ("mean", "median"), name, "average")
    size = x.shape[axis] if y is None else max(x.shape[axis], y.shape[axis])
    window, nperseg, noverlap, nfft = plan_frames(name, size, window, nperseg, noverlap, nfft)
    onesided = flag(return_onesided, name, "return_onesided") and not is_complex(x.dtype)
    return _csd(x, y, fs, window=window.tobytes(), nperseg=nperseg, noverlap=noverlap, nfft=nfft, trend=check_trend(name, detrend),
                onesided=onesided, scaling=scaling, axis=axis, average=average)


@composite(static=("window", "nperseg", "noverlap", "nfft", "trend", "onesided", "scaling", "axis", "average"))
def _csd(x, y, fs, window, nperseg, noverlap, nfft, trend, onesided, scaling, axis, average):
    window = np.frombuffer(window)
    a = jnp.moveaxis(x, axis, -1)
    options = window, nperseg, noverlap, nfft, trend, onesided
    if y is None:
        z = spectra(a, *options)
        power = z.real ** 2 + z.imag ** 2
    else:
        b = jnp.moveaxis(y, axis, -1)
        size = max(a.shape[-1], b.shape[-1])
        a, b = (jnp.pad(s, [(0, 0)] * (s.ndim - 1) + [(0, size - s.shape[-1])]) for s in (a, b))
        power = jnp.conj(spectra(a, *options)) * spectra(b, *options)
    if scaling == "density":
        power = power / float((window ** 2).sum()) / fs
    else:
        power = power / float(window.sum()) ** 2
    if onesided:        # the other side's share; the ends have none
        factor = np.full(power.shape[-1], 2.0)
        factor[0] = 1
        if nfft % 2 == 0:
            factor[-1] = 1
        power = power * factor.astype(x.real.dtype)
    power = averaged(power, average)
    return frequencies(nfft, onesided, fs, x.real.dtype), jnp.moveaxis(power, -1, axis)


def averaged(power, average):
    """The mean of the pieces, or their median with the bias that it has taken off."""
    if average == "mean":
        return power.mean(-2)
    n = power.shape[-2]
    k = np.arange(2, (n - 1) // 2 * 2 + 1, 2)
    bias = 1 + float(np.sum(1 / (k + 1) - 1 / k))
    if is_complex(power.dtype):
        return lax.complex(jnp.median(power.real, -2), jnp.median(power.imag, -2)) / bias
    return jnp.median(power, -2) / bias


def welch(x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True, scaling="density",
          axis=-1, average="mean"):
    """(frequencies, P), the power spectral density of x along an axis, by Welch's method. See `csd`.

    >>> import gnomon.numpy as jnp
    >>> f, p = welch(jnp.ones(16), nperseg=4)
    >>> f.tolist()
    [0.0, 0.25, 0.5]
    """
    return power_density("welch", x, None, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


def istft(Zxx, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, input_onesided=True, boundary=True, time_axis=-1,
          freq_axis=-2):
    """(times, x), the inverse of `stft` with the same window, by overlapping and adding.

    input_onesided, boundary: whether Zxx was made with return_onesided, and with x extended at both ends.

    >>> import gnomon.numpy as jnp
    >>> _, _, z = stft(jnp.arange(16.0), nperseg=4)
    >>> jnp.round(istft(z, nperseg=4)[1][:4]).tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    onesided = flag(input_onesided, "istft", "input_onesided")
    z, fs = as_value(Zxx, "istft", 0), a_number(fs, "istft", "fs")
    z = z if is_complex(z.dtype) else wide_floats(to_inexact(z)) + 0j
    if z.ndim < 2:
        raise ValueError(f"istft takes an array of at least 2 dimensions, got shape {z.shape}.")
    time, freq = one_axis(time_axis, z.ndim, "istft", "time_axis"), one_axis(freq_axis, z.ndim, "istft", "freq_axis")
    if time == freq:
        raise ValueError("istft takes two different axes for times and frequencies.")
    points = 2 * (z.shape[freq] - 1) if onesided else z.shape[freq]
    if nperseg is None and not isinstance(window, (str, tuple, int, float, Tracer)):
        nperseg = as_window(window, "istft").size
    nperseg = points if nperseg is None else check_size(integer(nperseg, "istft", "nperseg"), "nperseg, of istft,")
    if nfft is None:
        nfft = nperseg if onesided and nperseg == points + 1 else points
    window, nperseg, noverlap, nfft = plan_frames("istft", nperseg, window, nperseg, noverlap, nfft)
    return _istft(z, fs, window=window.tobytes(), nperseg=nperseg, noverlap=noverlap, nfft=nfft,
                  onesided=onesided, boundary=flag(boundary, "istft", "boundary"), time=time, freq=freq)


@composite(static=("window", "nperseg", "noverlap", "nfft", "onesided", "boundary", "time", "freq"))
def _istft(z, fs, window, nperseg, noverlap, nfft, onesided, boundary, time, freq):
    window = np.frombuffer(window)
    z = jnp.moveaxis(z, (time, freq), (-2, -1))
    pieces = (jnp.fft.irfft(z, nfft) if onesided else jnp.fft.ifft(z, nfft))[..., :nperseg]
    real, step, count = pieces.real.dtype, nperseg - noverlap, z.shape[-2]
    size = nperseg + (count - 1) * step
    places = (np.arange(count, dtype=np.int32)[:, None] * step + np.arange(nperseg, dtype=np.int32)).reshape(-1)
    weighted = (pieces * window.astype(real)).reshape(*pieces.shape[:-2], -1) * float(window.sum())
    x = jnp.zeros((*pieces.shape[:-2], size), pieces.dtype).at[..., places].add(weighted)
    weight = np.bincount(places, np.tile(window ** 2, count), size)
    if boundary:
        cut = nperseg // 2
        x, weight = x[..., cut:size - cut], weight[cut:size - cut]
    x = x / np.where(weight > 1e-10, weight, 1).astype(real)
    times = jnp.arange(x.shape[-1], dtype=real) / fs
    at = time if freq > time else time - 1
    return times, jnp.moveaxis(x, -1, at)
