"""The one place where jaxlib is imported, and where its versions are told apart.

Nothing of jaxlib is patched and no state of it changes, so that JAX can be used in the same process. Some calls into
jaxlib import JAX by themselves where it is installed, a second of work for nothing: `without_jax` keeps them from it.
"""
from __future__ import annotations

import ctypes
import importlib
import os
import sys
import threading

import ml_dtypes
import numpy as np

# XLA reads its log level once, when it is loaded; its notes about the devices it made are not for the user.
_silenced = "TF_CPP_MIN_LOG_LEVEL" not in os.environ
if _silenced:
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "1"
import jaxlib  # noqa: E402
from jaxlib import _jax, xla_client  # noqa: E402
if _silenced:
    del os.environ["TF_CPP_MIN_LOG_LEVEL"]

Buffer = _jax.ArrayImpl
CompileOptions = xla_client.CompileOptions
Device = _jax.Device
DeviceAssignment = xla_client.DeviceAssignment
DeviceList = _jax.DeviceList
HloSharding = xla_client.HloSharding
OpSharding = xla_client.OpSharding
RuntimeFailure = _jax.JaxRuntimeError

VERSION = jaxlib.__version__
_asarray = np.asarray
_batched_device_put = _jax.batched_device_put
_array_result_handler = _jax.array_result_handler


# ---- buffers ----------------------------------------------------------------------------------------------------

def put(type, placement, shards, devices):
    """A buffer on `devices`, one NumPy array for each. It may share memory with the arrays: nobody may write to them."""
    return _batched_device_put(type, placement, shards, devices, True, enable_x64=True)


def assemble(type, placement, buffers):
    """One buffer of type `type` from a list of one-device buffers; no copy."""
    return Buffer(type, placement, buffers, True, _skip_checks=True)


def move(buffer, placement):
    """A copy of a one-device buffer on the one device of `placement`, which has the same client."""
    moved, = _jax.batched_copy_array_to_devices_with_sharding(
        [buffer], [placement._internal_device_list], [placement], [xla_client.ArrayCopySemantics.ALWAYS_COPY])
    return moved


def result_handler(type, placement):
    """What makes a buffer of one result of a program."""
    return _make_handler(type, placement)


def _make_handler_0_10(type, placement):
    return _array_result_handler(type, placement, True, True)


def _make_handler_0_12(type, placement):
    return _array_result_handler(type, placement, True)


_make_handler = _make_handler_0_10 if "_skip_checks" in _array_result_handler.__doc__ else _make_handler_0_12


def to_numpy(buffer, dtype):
    """A read-only NumPy array that shares the memory of a buffer on one CPU device; waits for its numbers."""
    if dtype.isbuiltin == 1:
        host = _asarray(buffer)
        if host.dtype == dtype:
            return host
        buffer.block_until_ready()      # raises what kept the numbers from being there
    if dtype in DLPACK_DTYPES:
        # jaxlib's own way takes ten times as long for these dtypes, which Python's buffer protocol has no name for.
        buffer.block_until_ready()
        return _asarray(_Memory(buffer)).view(dtype)
    return fetch(buffer)


DLPACK_DTYPES = frozenset(map(np.dtype, (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2,
                                         ml_dtypes.float8_e4m3b11fnuz, ml_dtypes.float8_e4m3fnuz,
                                         ml_dtypes.float8_e5m2fnuz)))


class _DLTensor(ctypes.Structure):
    """The head of what a DLPack capsule points at."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class _Memory:
    """The memory of a DLPack capsule for NumPy, as elements without a meaning; alive as long as an array looks at it."""

    __slots__ = ("capsule", "__array_interface__")

    def __init__(self, buffer):
        self.capsule = to_dlpack(buffer)
        tensor = _DLTensor.from_address(_capsule_pointer(self.capsule, b"dltensor"))
        shape = tuple(tensor.shape[:tensor.ndim])
        address = (tensor.data or 0) + tensor.byte_offset
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": f"|V{tensor.bits // 8}",
                                    "data": (address, True)}


def fetch(buffer):
    """A read-only NumPy array of a one-device or replicated buffer on any platform, copied if need be."""
    with without_jax:
        return buffer._single_device_array_to_np_array_did_copy()[0]


def split(buffer):
    """The one-device buffers of a buffer, in the order of its devices."""
    with without_jax:
        return buffer._arrays


def pointer(buffer) -> int:
    """The address of a one-device buffer."""
    with without_jax:
        return buffer.unsafe_buffer_pointer()


def to_dlpack(buffer, stream=None):
    """A DLPack capsule that shares memory with a one-device buffer."""
    return _jax.buffer_to_dlpack_managed_tensor(buffer, stream=stream)


def from_dlpack(capsule, device, stream=None):
    """A one-device buffer from a DLPack capsule, which shares its memory where it is aligned as XLA wants it."""
    with without_jax:
        return _jax.dlpack_managed_tensor_to_buffer(capsule, device, stream)


class _WithoutJax:
    """Context manager: in this thread, `import jax` fails unless it has been imported before."""

    def __init__(self):
        self.threads = []

    def find_spec(self, name, path=None, target=None):
        if name == "jax" and threading.get_ident() in self.threads:
            raise ModuleNotFoundError("jax is not needed here", name="jax")

    def __enter__(self):
        if "jax" not in sys.modules:
            self.threads.append(threading.get_ident())
            sys.meta_path.insert(0, self)

    def __exit__(self, *exception):
        if threading.get_ident() in self.threads:
            self.threads.remove(threading.get_ident())
            sys.meta_path.remove(self)


without_jax = _WithoutJax()


# ---- StableHLO as a parsed module -------------------------------------------------------------------------------

def parse_module(text: str):
    """The module of StableHLO text; only programs with Python callbacks need it, text alone cannot hold those."""
    ir = importlib.import_module("jaxlib.mlir.ir")
    registration = importlib.import_module("jaxlib.mlir._mlir_libs")._jax_mlir_ext
    context = ir.Context()
    registry = ir.DialectRegistry()
    registration.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for name in ("stablehlo", "chlo", "sdy"):
        importlib.import_module(f"jaxlib.mlir.dialects.{name}").register_dialect(context)
    with context:
        return ir.Module.parse(text)
