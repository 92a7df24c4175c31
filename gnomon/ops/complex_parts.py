"""Complex numbers from their parts and back: real, imag, conj, complex.

Cotangents of complex numbers pair without conjugation, <a, b> = Re(sum a b); each transpose below follows from that.
"""
from __future__ import annotations

import numpy as np

from gnomon.ir.op import LINEAR
from gnomon.ops.elementwise import Elementwise, full_scalar
from gnomon.trace.stage import bind
from gnomon.types.dtype import complex_dtype, is_complex, real_dtype

_PARTS = frozenset([np.dtype("float32"), np.dtype("float64")])


def is_part(dtype):
    return dtype in _PARTS


class Part(Elementwise, abstract=True):
    """Base of real and imag."""

    accepts, accepts_text = staticmethod(is_complex), "complex numbers"
    derivative = LINEAR

    def out_dtype(self, x):
        return real_dtype(x.dtype)


class Real(Part):
    """The real part of a complex number."""

    hlo = "stablehlo.real"

    def transpose(self, ct, x):
        return complex(ct, full_scalar(ct, 0)),


class Imag(Part):
    """The imaginary part of a complex number."""

    hlo = "stablehlo.imag"

    def transpose(self, ct, x):
        return conj(complex(full_scalar(ct, 0), ct)),


class Conj(Elementwise):
    """The complex conjugate; of a float32 or float64, the number as a complex one."""

    input_dtype: object

    accepts = staticmethod(lambda dtype: is_complex(dtype) or is_part(dtype))
    accepts_text = "float32, float64 and complex numbers"
    derivative = LINEAR

    def out_dtype(self, x):
        return complex_dtype(x.dtype)

    def lower(self, emit, x):
        if not is_complex(x.type.dtype):
            return emit("stablehlo.complex", [x, emit.constant_like(x, 0)])
        return emit.chlo("chlo.conj", [x])

    def transpose(self, ct, x):
        ct = conj(ct) if is_complex(x.dtype) else real(ct)
        return ct,


class Complex(Elementwise):
    """x + iy."""

    hlo, accepts, accepts_text = "stablehlo.complex", staticmethod(is_part), "float32 and float64"
    derivative = LINEAR

    def out_dtype(self, x, y):
        return complex_dtype(x.dtype)

    def transpose(self, ct, x, y):
        return real(ct), imag(conj(ct))


_real, _imag, _complex = Real(), Imag(), Complex()


def real(x):
    return bind(_real, x)


def imag(x):
    return bind(_imag, x)


def conj(x):
    return bind(Conj(x.type.dtype), x)


def complex(x, y):
    return bind(_complex, x, y)
