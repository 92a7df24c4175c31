"""DLPack capsules read without a framework's help: NumPy itself has no name for the dtypes of ml_dtypes."""
from __future__ import annotations

import ctypes

import ml_dtypes
import numpy as np


class _Tensor(ctypes.Structure):
    """The head of what a DLPack capsule points at."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))

# DLPack's type codes: the families that a width completes, and the dtypes that have a code of their own.
_FAMILIES = {0: "int", 1: "uint", 2: "float", 5: "complex", 6: "bool"}
_OWN_CODES = {4: "bfloat16", 7: "float8_e3m4", 8: "float8_e4m3", 9: "float8_e4m3b11fnuz", 10: "float8_e4m3fn",
              11: "float8_e4m3fnuz", 12: "float8_e5m2", 13: "float8_e5m2fnuz", 14: "float8_e8m0fnu"}


def _dtype(tensor) -> np.dtype:
    if tensor.code in _OWN_CODES:
        return np.dtype(getattr(ml_dtypes, _OWN_CODES[tensor.code]))
    family = _FAMILIES.get(tensor.code)
    if family is None or tensor.lanes != 1 or tensor.bits % 8:
        raise BufferError(f"A DLPack tensor of type code {tensor.code}, {tensor.bits} bits and {tensor.lanes} lanes "
                          "has no dtype here.")
    return np.dtype("bool" if family == "bool" else f"{family}{tensor.bits}")


class _Memory:
    """The memory of a capsule as elements without a meaning; the capsule lives as long as an array looks at it."""

    __slots__ = ("capsule", "__array_interface__")

    def __init__(self, capsule, tensor, itemsize):
        self.capsule = capsule
        ndim = tensor.ndim
        strides = tuple(itemsize * step for step in tensor.strides[:ndim]) if tensor.strides else None
        self.__array_interface__ = {"version": 3, "shape": tuple(tensor.shape[:ndim]), "strides": strides,
                                    "typestr": f"|V{itemsize}", "data": ((tensor.data or 0) + tensor.byte_offset, True)}


def view(capsule) -> np.ndarray:
    """A read-only NumPy array that shares the memory of a capsule from the CPU.

    BufferError if no dtype is like the capsule's.
    """
    tensor = _Tensor.from_address(_pointer(capsule, b"dltensor"))
    dtype = _dtype(tensor)
    if 0 in tensor.shape[:tensor.ndim]:
        return np.empty(tensor.shape[:tensor.ndim], dtype)
    return np.asarray(_Memory(capsule, tensor, dtype.itemsize)).view(dtype)


def address(capsule) -> int:
    """Where the numbers of a capsule begin."""
    tensor = _Tensor.from_address(_pointer(capsule, b"dltensor"))
    return (tensor.data or 0) + tensor.byte_offset
