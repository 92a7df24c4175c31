"""Discrete Fourier transforms of the last one to three dimensions."""
from __future__ import annotations

import enum
import math

import numpy as np

from gnomon.ir.op import LINEAR, Op
from gnomon.ops.arithmetic import mul
from gnomon.ops.complex_parts import complex as complex_of
from gnomon.ops.complex_parts import conj, real
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.shape import broadcast_in_dim
from gnomon.ops.slicing import pad_in_dim, resized
from gnomon.trace.stage import bind, value_of
from gnomon.types.dtype import complex_dtype, is_complex, is_float, real_dtype


class FftType(enum.IntEnum):
    """From complex to complex numbers, forward and back; from real numbers to the first half of the complex ones, and
    back."""

    FFT = 0
    IFFT = 1
    RFFT = 2
    IRFFT = 3


class Fft(Op):
    """The transform of the last `len(fft_lengths)` dimensions, which have these sizes as far as they hold no half
    spectrum. The inverse ones are divided by the number of elements."""

    fft_type: FftType
    fft_lengths: tuple

    derivative = LINEAR

    def result(self, x):
        kind, lengths = self.fft_type, self.fft_lengths
        if not 1 <= len(lengths) <= 3:
            raise ValueError(f"fft transforms one to three dimensions, got fft_lengths {lengths}.")
        if len(lengths) > x.ndim:
            raise ValueError(f"fft of {len(lengths)} dimensions needs an operand with as many, got {x}.")
        if (kind == FftType.RFFT) == is_complex(x.dtype) or x.dtype.itemsize < 4 or not (is_float(x.dtype)
                                                                                         or is_complex(x.dtype)):
            what = "float32 or float64" if kind == FftType.RFFT else "complex64 or complex128"
            raise TypeError(f"fft of type {kind.name} needs an operand of {what}, got {x}.")
        half = (*lengths[:-1], lengths[-1] // 2 + 1)
        have, out = (half if kind == FftType.IRFFT else lengths), (half if kind == FftType.RFFT else lengths)
        if x.shape[x.ndim - len(lengths):] != have:
            raise ValueError(f"fft of type {kind.name} with fft_lengths {lengths} needs an operand whose last sizes "
                             f"are {have}, got {x}.")
        front = x.ndim - len(lengths)
        t = resized(self, x, (*x.shape[:front], *out), [d >= front for d in range(x.ndim)])
        return t.update(dtype=self.out_dtype(x), weak_type=False, sharding=t.sharding)

    def out_dtype(self, x):
        if self.fft_type == FftType.RFFT:
            return complex_dtype(x.dtype)
        return real_dtype(x.dtype) if self.fft_type == FftType.IRFFT else x.dtype

    def lower(self, emit, x):
        if emit.out.size == 0:
            return emit.constant(0, emit.out)
        return emit("stablehlo.fft", [x], f"type = {self.fft_type.name}, length = {list(self.fft_lengths)}")

    def transpose(self, ct, x):
        kind, lengths = self.fft_type, self.fft_lengths
        if kind in (FftType.FFT, FftType.IFFT):
            return bind(self, ct),
        n, axis = lengths[-1], x.type.ndim - 1
        if kind == FftType.RFFT:        # the other half has no cotangent
            ct = pad_in_dim(ct, full_scalar(ct, 0), 0, n - (n // 2 + 1), axis)
            return real(fft(ct, FftType.FFT, lengths)),
        out = conj(fft(ct, FftType.RFFT, lengths))
        weight = np.full(n // 2 + 1, 2.0 / math.prod(lengths))      # all but the ends stand for two
        weight[0] /= 2
        if n % 2 == 0:
            weight[-1] /= 2
        weight = broadcast_in_dim(value_of(weight.astype(real_dtype(x.type.dtype))), out.type.shape, (axis,))
        return mul(out, complex_of(weight, full_scalar(weight, 0))),

    def batch(self, args, axes, batching):
        return bind(self, batching.front(args[0], axes[0])), 0


def fft(x, fft_type, fft_lengths):
    return bind(Fft(fft_type, tuple(fft_lengths)), x)
