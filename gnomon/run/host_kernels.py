"""Functions of NumPy that compiled CPU programs call by name, where NumPy's code is many times quicker than XLA's.

XLA calls them through its foreign function interface, whose structures are declared here for ctypes as XLA's header
`ffi/api/c_api.h` lays them out. So a program holds a name only: it can be saved, and nothing has to be compiled. A
kernel is handed NumPy views of the operands and of the results, which it fills; it must not call compiled programs, as
these may wait for the one that called it. Which ops use them, and from which size on, their `lower` rules say.
"""
from __future__ import annotations

import ctypes
import functools
import threading
import traceback

import ml_dtypes  # noqa: F401  (NumPy finds bfloat16 by its name)
import numpy as np

from gnomon.run import foreign
from gnomon.run.client import HOST_KERNEL


# ---- kernels ------------------------------------------------------------------------------------------------------

def sort(xs, outs, dimension):
    """Integers in ascending order along a dimension."""
    np.copyto(outs[0], xs[0])
    outs[0].sort(dimension)


def maximum(xs, outs, axes):
    """The maxima over the last dimensions, `axes` of them."""
    np.maximum.reduce(xs[0], tuple(range(-axes, 0)), out=outs[0])


def minimum(xs, outs, axes):
    """The minima over the last dimensions, `axes` of them."""
    np.minimum.reduce(xs[0], tuple(range(-axes, 0)), out=outs[0])


def argmax(xs, outs):
    """The places of the first maxima along the last dimension."""
    np.copyto(outs[0], xs[0].argmax(-1), casting="unsafe")


def argmin(xs, outs):
    """The places of the first minima along the last dimension."""
    np.copyto(outs[0], xs[0].argmin(-1), casting="unsafe")


def select_places(xs, outs):
    """What would stand at some places along the last dimension, if it were sorted; the places are the second operand."""
    x, places = xs
    np.copyto(outs[0], np.partition(x, places, -1)[..., places])


def nonzero(xs, outs):
    """The places of true elements along the last dimension, as many as there is room for, then zeros; how many are true."""
    for mask, places, count in _vectors(xs[0], *outs):
        found = np.flatnonzero(mask)
        kept = min(len(found), len(places))
        places[:kept], places[kept:], count[...] = found[:kept], 0, len(found)


def unique(xs, outs):
    """The different integers along the last dimension in ascending order, as many as there is room for, then the first; how
    many there are."""
    for x, values, count in _vectors(xs[0], *outs):
        found = np.unique(x)
        kept = min(len(found), len(values))
        values[:kept], values[kept:], count[...] = found[:kept], found[0], len(found)


def roll(xs, outs, shift, axis):
    """The elements moved by `shift` places along an axis, 0 < shift < size; those that leave at the end come in at the start."""
    x, out = xs[0].swapaxes(axis, -1), outs[0].swapaxes(axis, -1)
    out[..., shift:], out[..., :shift] = x[..., :-shift], x[..., -shift:]


def _vectors(x, lists, counts):
    rows = counts.size
    return zip(x.reshape(rows, x.shape[-1]), lists.reshape(rows, lists.shape[-1]), counts.reshape(rows, 1))


KERNELS = {kernel.__name__: kernel for kernel in (sort, maximum, minimum, argmax, argmin, select_places, nonzero, unique, roll)}


# ---- XLA's structures ---------------------------------------------------------------------------------------------

_Pointer, _Size, _Int64 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64


def _structure(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": fields})


_Version = _structure("Version", ("size", _Size), ("extension", _Pointer), ("major", ctypes.c_int), ("minor", ctypes.c_int))
_Metadata = _structure("Metadata", ("size", _Size), ("version", _Version), ("traits", ctypes.c_uint32))
_Extension = _structure("Extension", ("size", _Size), ("type", ctypes.c_int), ("next", _Pointer),
                        ("metadata", ctypes.POINTER(_Metadata)))
_Api = _structure("Api", ("size", _Size), ("extension", _Pointer), ("version", _Version), ("internal", _Pointer),
                  ("create_error", _Pointer))
_Buffer = _structure("Buffer", ("size", _Size), ("extension", _Pointer), ("dtype", ctypes.c_int), ("data", _Pointer),
                     ("rank", _Int64), ("shape", ctypes.POINTER(_Int64)))
_Buffers = _structure("Buffers", ("size", _Size), ("extension", _Pointer), ("number", _Int64), ("types", _Pointer),
                      ("buffers", ctypes.POINTER(ctypes.POINTER(_Buffer))))
_Bytes = _structure("Bytes", ("data", _Pointer), ("length", _Size))
_Scalar = _structure("Scalar", ("dtype", ctypes.c_int), ("value", ctypes.POINTER(_Int64)))
_Attributes = _structure("Attributes", ("size", _Size), ("extension", _Pointer), ("number", _Int64), ("types", _Pointer),
                         ("names", ctypes.POINTER(ctypes.POINTER(_Bytes))),
                         ("values", ctypes.POINTER(ctypes.POINTER(_Scalar))))
_Frame = _structure("Frame", ("size", _Size), ("extension", ctypes.POINTER(_Extension)), ("api", ctypes.POINTER(_Api)),
                    ("context", _Pointer), ("stage", ctypes.c_int), ("operands", _Buffers), ("results", _Buffers),
                    ("attributes", _Attributes), ("future", _Pointer))
_Error = _structure("Error", ("size", _Size), ("extension", _Pointer), ("message", ctypes.c_char_p), ("code", ctypes.c_int))
_Handler = ctypes.CFUNCTYPE(_Pointer, ctypes.POINTER(_Frame))
_CreateError = ctypes.CFUNCTYPE(_Pointer, ctypes.POINTER(_Error))

METADATA, EXECUTE, INTERNAL = 1, 3, 13      # an extension's type, a stage, a code of errors
DTYPES = {number: np.dtype(name) for number, name in {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
    10: "float16", 11: "float32", 12: "float64", 16: "bfloat16"}.items()}


def arrays(buffers):
    """NumPy views of XLA's buffers."""
    return [_array(buffers.buffers[i].contents) for i in range(buffers.number)]


def _array(buffer):
    dtype, shape = DTYPES[buffer.dtype], tuple(buffer.shape[:buffer.rank])
    memory = (ctypes.c_char * (dtype.itemsize * functools.reduce(int.__mul__, shape, 1))).from_address(buffer.data)
    return np.frombuffer(memory, dtype).reshape(shape)


def numbers(attributes):
    """The attributes, which are integers of 64 bits, by name."""
    found = {}
    for i in range(attributes.number):
        name = attributes.names[i].contents
        found[ctypes.string_at(name.data, name.length).decode()] = attributes.values[i].contents.value[0]
    return found


def _handler(kernel):
    """The function that XLA calls: with a frame for one run, or asked for which version it was made."""
    def handle(pointer):
        frame = pointer.contents
        try:
            if frame.extension and frame.extension.contents.type == METADATA:
                version = frame.extension.contents.metadata.contents.version
                version.major, version.minor = _api_version(frame)
            elif frame.stage == EXECUTE:
                kernel(arrays(frame.operands), arrays(frame.results), **numbers(frame.attributes))
        except BaseException:       # it must not be lost in XLA's thread
            return _error(frame, f"error calling callback: {traceback.format_exc()}")
        return None
    return _Handler(handle)


def _api_version(frame):
    """The structures above are the same in all versions that we run with."""
    if not frame.api:
        return 0, 1
    version = frame.api.contents.version
    return version.major, version.minor


def _error(frame, message):
    create = ctypes.cast(frame.api.contents.create_error, _CreateError)
    return create(ctypes.byref(_Error(ctypes.sizeof(_Error), None, message.encode(), INTERNAL)))


# ---- registration -------------------------------------------------------------------------------------------------

_registered: dict[str, object] = {}     # the handlers, which XLA holds by address
_lock = threading.Lock()


def register():
    """Make the kernels callable from compiled CPU programs. Calling it again does nothing."""
    with _lock:
        if _registered:
            return
        for name, kernel in KERNELS.items():
            handler = _registered[name] = _handler(kernel)
            foreign.register(f"{HOST_KERNEL[1:]}{name}", foreign.capsule(handler), "cpu", 1)
