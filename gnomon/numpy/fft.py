"""gnomon.numpy.fft: discrete Fourier transforms."""
from __future__ import annotations

import math

import numpy as np

from gnomon.numpy import ufuncs
from gnomon.numpy.axes import axis_tuple, integer, one_axis, one_of, sequence
from gnomon.numpy.composite import composite
from gnomon.numpy.creation import asarray, default_float, settle
from gnomon.numpy.manipulation import roll
from gnomon.numpy.promote import as_value, requested_dtype, to_inexact
from gnomon.ops.complex_parts import conj
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.fft import FftType
from gnomon.ops.fft import fft as transform
from gnomon.ops.shape import full
from gnomon.ops.shape import transpose as permute
from gnomon.ops.slicing import concatenate, pad, rev, slice_in_dim
from gnomon.types.dtype import complex_dtype, is_complex, real_dtype
from gnomon.types.size import check_size

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft",
           "irfft", "irfft2",
           "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]

FORWARD, BACK, REAL, REAL_BACK = FftType
MOST = 3            # dimensions that one op transforms
LONG = 2 ** 15      # numbers of which half a transform and its mirror image take less time than a whole one
NORMS = ("backward", "ortho", "forward")


def transformed(name, kind, a, s, axes, norm):
    """The transform of some axes, cut or filled with zeros to the sizes `s` (None: as they are)."""
    if norm is not None:
        one_of(norm, NORMS, f"fft.{name}", "norm")
    a = to_inexact(as_value(a, f"fft.{name}", 0))
    if kind == REAL and is_complex(a.type.dtype):
        raise ValueError(f"fft.{name} takes real numbers, got an array of type {a.type}; use fft.{name[1:]}.")
    rank = a.type.ndim
    if s is not None:
        s = tuple([check_size(integer(n, f"fft.{name}", "s"), f"A size given to fft.{name}") for n in sequence(s, f"fft.{name}", "s", "sizes")])
        if 0 in s:
            raise ValueError(f"fft.{name} takes sizes above 0, got {s}.")
    if axes is None:
        axes = range(rank) if s is None else range(-len(s), 0)
    axes = tuple(sequence(axes, f"fft.{name}", "axes", "axes")) if axes.__class__ is not range else tuple(axes)
    counted = tuple([one_axis(x, rank, f"fft.{name}", "axis") for x in axes])
    if len(set(counted)) != len(counted):
        raise ValueError(f"fft.{name} does not support repeated axes. Got axes {axes}.")
    if s is None:
        s = [a.type.shape[x] for x in counted]
        if kind == REAL_BACK and s:
            s[-1] = max(0, 2 * (s[-1] - 1))
        s = tuple(s)
    if len(s) != len(counted):
        raise ValueError(f"Shape and axes have different lengths: fft.{name} got {len(s)} sizes for axes {axes}.")
    if not s:
        return a
    return run(a, kind, s, counted, norm or "backward")


@composite(static=("kind", "s", "axes", "norm"))
def run(a, kind, s, axes, norm):
    dtype = a.type.dtype
    mirrored = kind == FORWARD and not is_complex(dtype) and math.prod(s) >= LONG
    if mirrored:
        kind = REAL
    if kind == REAL:
        a = convert_element_type(a, np.dtype("float32")) if dtype.itemsize < 4 else a
    else:
        a = convert_element_type(a, dtype if is_complex(dtype) else complex_dtype(dtype))
    wanted = dict(zip(axes, s))
    if kind == REAL_BACK:
        wanted[axes[-1]] = s[-1] // 2 + 1
    config = [(0, wanted.get(d, n) - n, 0) for d, n in enumerate(a.type.shape)]
    a = pad(a, full_scalar(a, 0), config)
    order = tuple([d for d in range(a.type.ndim) if d not in axes]) + axes
    a = permute(a, order)
    if 0 in a.type.shape or 0 in s:
        out = empty_result(a, kind, s)
    else:
        out = several(a, kind, s)
    if mirrored:
        out = whole_spectrum(out, s)
    out = permute(out, tuple(np.argsort(order).tolist()))
    size = math.prod(s)
    scale = {"backward": 1, "ortho": math.sqrt(size), "forward": size}[norm]
    if scale == 1:
        return out
    return out * np.asarray(scale if kind in (BACK, REAL_BACK) else 1 / scale, real_dtype(out.type.dtype))


def whole_spectrum(half, s):
    """The transform of real numbers from its first half along the last dimension: what is missing are the conjugates of what
    stands on the other side of the origin."""
    last, n = half.type.ndim - 1, s[-1]
    rest = rev(conj(slice_in_dim(half, 1, n - n // 2, last)), (last,))
    for d in range(last + 1 - len(s), last):
        m = rest.type.shape[d]
        rest = concatenate([slice_in_dim(rest, 0, 1, d), rev(slice_in_dim(rest, 1, m, d), (d,))], d)
    return concatenate([half, rest], last)


def empty_result(a, kind, s):
    shape = a.type.shape[:a.type.ndim - len(s)] + (s[:-1] + (s[-1] // 2 + 1,) if kind == REAL else s)
    dtype = a.type.dtype
    if kind in (REAL, REAL_BACK):
        dtype = complex_dtype(dtype) if kind == REAL else real_dtype(dtype)
    return full(a.type.with_shape(shape).with_dtype(dtype), 0)


def several(a, kind, s):
    """The transform of the last dimensions, a few at a time."""
    if len(s) <= MOST:
        return transform(a, kind, s)
    inner = {FORWARD: FORWARD, REAL: FORWARD, BACK: BACK, REAL_BACK: BACK}[kind]
    rest = s[:-1]
    if kind in (FORWARD, REAL):
        return front(transform(a, kind, s[-1:]), inner, rest)
    return transform(front(a, inner, rest), kind, s[-1:])


def front(a, kind, s):
    """The transform of the dimensions before the last."""
    rank = a.type.ndim
    order = (*range(rank - len(s) - 1), rank - 1, *range(rank - len(s) - 1, rank - 1))
    return permute(several(permute(a, order), kind, s), tuple(np.argsort(order).tolist()))


def along_one(name, kind, doc):
    """A transform of one axis."""
    def function(a, n=None, axis=-1, norm=None):
        a = as_value(a, f"fft.{name}", 0)
        axis = one_axis(axis, a.type.ndim, f"fft.{name}")
        return transformed(name, kind, a, None if n is None else (n,), (axis,), norm)
    return named(function, name, doc, "")


def along_two(name, kind, doc):
    """A transform of two axes."""
    def function(a, s=None, axes=(-2, -1), norm=None):
        axes = sequence(axes, f"fft.{name}", "axes", "two axes")
        if len(axes) != 2:
            raise ValueError(f"fft.{name} takes two axes, got {tuple(axes)}.")
        return transformed(name, kind, a, s, axes, norm)
    return named(function, name, doc, " of two axes")


def along_several(name, kind, doc):
    """A transform of any number of axes, by default of all."""
    def function(a, s=None, axes=None, norm=None):
        return transformed(name, kind, a, s, axes, norm)
    return named(function, name, doc, " of several axes, by default of all")


SIZES = """Axes are cut, or filled with zeros, to the size{0} asked for. `norm` says where the division by the number of
    elements stands: "backward" (in the inverse transform), "forward", or "ortho" (its root in both). Real numbers
    become complex ones. ValueError for sizes below 1 and another norm, AxisError for axes out of bounds, TypeError for what is no array
    of numbers (lists included){1}."""


def named(function, name, doc, which):
    function.__name__ = function.__qualname__ = name
    ones = "np.ones((2, 4))" if name.endswith("2") else "np.ones(4)"
    function.__doc__ = f"""{doc}{which}.

    {SIZES.format("s" if which else "", ", ValueError for complex numbers" if name.startswith("rfft") else "")}

    >>> import gnomon.numpy as np
    >>> np.fft.{name}({ones}).dtype == np.{"float32" if name.startswith("irfft") else "complex64"}
    True
    """
    return function


fft = along_one("fft", FORWARD, "The discrete Fourier transform")
ifft = along_one("ifft", BACK, "The inverse of `fft`")
rfft = along_one("rfft", REAL, "The first half, n // 2 + 1 numbers, of the transform of real numbers")
irfft = along_one("irfft", REAL_BACK, "The inverse of `rfft`: real numbers, by default an even number of them")
fft2 = along_two("fft2", FORWARD, "The discrete Fourier transform")
ifft2 = along_two("ifft2", BACK, "The inverse of `fft2`")
rfft2 = along_two("rfft2", REAL, "The first half, along the last axis, of the transform of real numbers")
irfft2 = along_two("irfft2", REAL_BACK, "The inverse of `rfft2`: real numbers")
fftn = along_several("fftn", FORWARD, "The discrete Fourier transform")
ifftn = along_several("ifftn", BACK, "The inverse of `fftn`")
rfftn = along_several("rfftn", REAL, "The first half, along the last axis, of the transform of real numbers")
irfftn = along_several("irfftn", REAL_BACK, "The inverse of `rfftn`: real numbers")

SWAPPED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def hfft(a, n=None, axis=-1, norm=None):
    """The transform of numbers of which `a` is the first half and whose other half is its conjugate, which is real.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for sizes below 1 and
    another norm.

    >>> import gnomon.numpy as np
    >>> np.fft.hfft(np.array([1.0, 2.0, 3.0]))
    Array([ 8., -2.,  0., -2.], dtype=float32)
    """
    if norm is not None:
        one_of(norm, NORMS, "fft.hfft", "norm")
    return irfft(ufuncs.conjugate(as_value(a, "fft.hfft", 0)), n, axis, SWAPPED[norm])


def ihfft(a, n=None, axis=-1, norm=None):
    """The inverse of `hfft`: the first half of the numbers.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for complex numbers,
    sizes below 1 and another norm.

    >>> import gnomon.numpy as np
    >>> np.fft.ihfft(np.ones(4))
    Array([1.-0.j, 0.-0.j, 0.-0.j], dtype=complex64)
    """
    if norm is not None:
        one_of(norm, NORMS, "fft.ihfft", "norm")
    return ufuncs.conjugate(rfft(a, n, axis, SWAPPED[norm]))


def frequencies(name, numbers, n, d, dtype, device):
    dtype = default_float() if dtype is None else requested_dtype(dtype)
    if not isinstance(d, (int, float, np.generic)):
        return asarray(numbers.astype(dtype)) / (as_value(d, f"fft.{name}", 1) * n)
    return settle(asarray((numbers / (n * d) if n else numbers.astype(float)).astype(dtype)), device, None)


def fftfreq(n, d=1.0, *, dtype=None, device=None):
    """The frequencies that the elements of `fft` of `n` samples at distance `d` belong to.

    Errors: ValueError for a negative size, TypeError for one that is no integer.

    >>> import gnomon.numpy as np
    >>> np.fft.fftfreq(4)
    Array([ 0.  ,  0.25, -0.5 , -0.25], dtype=float32)
    """
    n = check_size(n, "The size given to fft.fftfreq")
    return frequencies("fftfreq", np.concatenate([np.arange((n + 1) // 2), np.arange(-(n // 2), 0)]), n, d, dtype,
                       device)


def rfftfreq(n, d=1.0, *, dtype=None, device=None):
    """The frequencies that the elements of `rfft` of `n` samples at distance `d` belong to.

    Errors: ValueError for a negative size, TypeError for one that is no integer.

    >>> import gnomon.numpy as np
    >>> np.fft.rfftfreq(4)
    Array([0.  , 0.25, 0.5 ], dtype=float32)
    """
    n = check_size(n, "The size given to fft.rfftfreq")
    return frequencies("rfftfreq", np.arange(n // 2 + 1), n, d, dtype, device)


def fftshift(x, axes=None):
    """The zero frequency moved to the middle of these axes (all by default).

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated.

    >>> import gnomon.numpy as np
    >>> np.fft.fftshift(np.arange(5))
    Array([3, 4, 0, 1, 2], dtype=int32)
    """
    return shifted("fftshift", x, axes, lambda n: n // 2)


def ifftshift(x, axes=None):
    """The inverse of `fftshift`.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for one that is
    repeated.

    >>> import gnomon.numpy as np
    >>> np.fft.ifftshift(np.arange(5))
    Array([2, 3, 4, 0, 1], dtype=int32)
    """
    return shifted("ifftshift", x, axes, lambda n: -(n // 2))


def shifted(name, x, axes, by):
    x = as_value(x, f"fft.{name}", 0)
    axes = axis_tuple(axes, x.type.ndim, f"fft.{name}", "axes")
    return roll(x, tuple([by(x.type.shape[a]) for a in axes]), axes)
