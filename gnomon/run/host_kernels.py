"""Functions of NumPy that compiled CPU programs call by name, where NumPy's code is many times quicker than XLA's.

XLA calls them through its foreign function interface, whose structures are declared here as XLA's header
`ffi/api/c_api.h` lays them out. So a program holds a name only: it can be saved, and nothing has to be compiled. A
kernel is handed NumPy views of the operands and of the results, which it fills; it must not call compiled programs, as
these may wait for the one that called it. Which ops use them, and from which size on, their `lower` rules say.
"""
from __future__ import annotations

import ctypes
import functools
import inspect
import struct
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

_Pointer, _Size = ctypes.c_void_p, ctypes.c_size_t


def _structure(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": fields})


_Version = _structure("Version", ("size", _Size), ("extension", _Pointer), ("major", ctypes.c_int), ("minor", ctypes.c_int))
_Metadata = _structure("Metadata", ("size", _Size), ("version", _Version), ("traits", ctypes.c_uint32))
_Extension = _structure("Extension", ("size", _Size), ("type", ctypes.c_int), ("next", _Pointer),
                        ("metadata", ctypes.POINTER(_Metadata)))
_Api = _structure("Api", ("size", _Size), ("extension", _Pointer), ("version", _Version), ("internal", _Pointer),
                  ("create_error", _Pointer))
_Error = _structure("Error", ("size", _Size), ("extension", _Pointer), ("message", ctypes.c_char_p), ("code", ctypes.c_int))
_Handler = ctypes.CFUNCTYPE(_Pointer, _Pointer)
_CreateError = ctypes.CFUNCTYPE(_Pointer, ctypes.POINTER(_Error))

# What is read in every call is unpacked, several times as quick as structures of ctypes. Each begins with a size and an extension.
_FRAME = struct.Struct("=8x2Q8xi4x" + 2 * "16xq8xQ" + "16xq16xQ")  # extension, api, stage; operands and results: number, buffers;
_BUFFER = struct.Struct("=16xi4xQqQ")                               # attributes: number, values. A buffer: dtype, data, rank, shape
_SCALAR, _INT64 = struct.Struct("=8xQ"), struct.Struct("=q")        # where the value is; the value

METADATA, EXECUTE, INTERNAL = 1, 3, 13      # an extension's type, a stage, a code of errors
DTYPES = {number: np.dtype(name) for number, name in {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
    10: "float16", 11: "float32", 12: "float64", 16: "bfloat16"}.items()}
# all memory as one buffer, so that an address is a place in it; NumPy would take one that begins at 0 for none
_MEMORY, _FROM_ONE = [(ctypes.c_char * (1 << 62)).from_address(start) for start in (0, 1)]


@functools.lru_cache(256)
def _list(number, letter):
    """The form of some numbers of 64 bits behind each other: `q` for integers, `Q` for addresses."""
    return struct.Struct(f"={number}{letter}")


def arrays(number, buffers):
    """NumPy views of XLA's buffers."""
    if not number:
        return []
    return [_array(*_BUFFER.unpack_from(_MEMORY, address)) for address in _list(number, "Q").unpack_from(_MEMORY, buffers)]


def _array(dtype, data, rank, shape):
    return np.ndarray(_list(rank, "q").unpack_from(_MEMORY, shape) if rank else (), DTYPES[dtype], _FROM_ONE, max(data - 1, 0))


def numbers(number, values):
    """The attributes, which are integers of 64 bits, in the order of their names."""
    if not number:
        return []
    return [_INT64.unpack_from(_MEMORY, *_SCALAR.unpack_from(_MEMORY, value))[0] for value in _list(number, "Q").unpack_from(_MEMORY, values)]


def _handler(kernel):
    """The function that XLA calls: with the address of a frame for one run, or asked for which version it was made."""
    names = sorted(list(inspect.signature(kernel).parameters)[2:])      # XLA sorts them

    def handle(address):
        extension, api, stage, xs, x_buffers, outs, out_buffers, *attributes = _FRAME.unpack_from(_MEMORY, address)
        try:
            if extension and _Extension.from_address(extension).type == METADATA:
                version = _Extension.from_address(extension).metadata.contents.version
                version.major, version.minor = _api_version(api)
            elif stage == EXECUTE:
                kernel(arrays(xs, x_buffers), arrays(outs, out_buffers), **dict(zip(names, numbers(*attributes))))
        except BaseException:       # it must not be lost in XLA's thread
            return _error(api, f"error calling callback: {traceback.format_exc()}")
        return None
    return _Handler(handle)


def _api_version(api):
    """The structures above are the same in all versions that we run with."""
    if not api:
        return 0, 1
    version = _Api.from_address(api).version
    return version.major, version.minor


def _error(api, message):
    create = ctypes.cast(_Api.from_address(api).create_error, _CreateError)
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
