"""Fourier transforms."""
from __future__ import annotations

from gnomon.numpy.promote import as_value
from gnomon.ops.convert import convert_element_type
from gnomon.ops.fft import Fft, FftType
from gnomon.trace.stage import bind
from gnomon.types.dtype import complex_dtype, is_complex
from gnomon.types.size import check_shape

__all__ = ["FftType", "fft"]

COMPLEX = (FftType.FFT, FftType.IFFT, FftType.IRFFT)


def fft(x, fft_type, fft_lengths):
    """The Fourier transform of the last dimensions, as many as there are `fft_lengths` (one to three).

    fft_type: an `FftType` or its name: FFT and IFFT take complex numbers (real ones are converted) and give as many;
    RFFT takes real numbers and gives the first half of the last dimension, n // 2 + 1 complex ones; IRFFT takes that
    half and gives n real ones. The inverse transforms are divided by the number of elements. ValueError for sizes that
    are not `fft_lengths`, TypeError for other dtypes.

    >>> import gnomon.numpy as jnp
    >>> fft(jnp.array([1.0, 0.0, 0.0]), "rfft", (3,))
    Array([1.+0.j, 1.+0.j], dtype=complex64)
    """
    if isinstance(fft_type, str):
        if fft_type.upper() not in FftType.__members__:
            raise ValueError(f"lax.fft takes fft_type {', '.join(FftType.__members__)}, got {fft_type!r}.")
        fft_type = FftType[fft_type.upper()]
    x, lengths = as_value(x, "lax.fft", 0), check_shape(fft_lengths, "The fft_lengths given to lax.fft")
    if fft_type in COMPLEX and not is_complex(x.type.dtype):
        x = convert_element_type(x, complex_dtype(x.type.dtype))
    return bind(Fft(FftType(fft_type), lengths), x)
