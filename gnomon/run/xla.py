"""The one place where jaxlib is imported, and where its versions are told apart.

Nothing of jaxlib is patched and no state of it changes, so that JAX can be used in the same process.
"""
from __future__ import annotations

import importlib
import os

import ml_dtypes
import numpy as np

from gnomon.run import dlpack

# XLA reads its log level once, when it is loaded; its notes about the devices it made are not for the user.
_silenced = "TF_CPP_MIN_LOG_LEVEL" not in os.environ
if _silenced:
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "1"
import jaxlib  # noqa: E402
from jaxlib import _hlo, _jax  # noqa: E402
if _silenced:
    del os.environ["TF_CPP_MIN_LOG_LEVEL"]

VERSION = jaxlib.__version__
Buffer = _jax.ArrayImpl
CompileOptions = _jax.CompileOptions
Device = _jax.Device
DeviceAssignment = _jax.DeviceAssignment
DeviceList = _jax.DeviceList
HloSharding = _hlo.HloSharding
OpSharding = _hlo.OpSharding
RuntimeFailure = _jax.JaxRuntimeError

_asarray = np.asarray
_batched_device_put = _jax.batched_device_put
_array_result_handler = _jax.array_result_handler


# Compiler options for programs of one operation, most of whose time is spent on compiling them: the older code
# generator for loops on the CPU takes half the time and its code runs as fast. Later versions of jaxlib have only the
# newer one.
QUICK_COMPILE = (("xla_cpu_use_fusion_emitters", False),) if VERSION.startswith("0.10.") else ()


def xla_client():
    """jaxlib's functions about clients, loaded with the first device: with them comes `logging`."""
    return importlib.import_module("jaxlib.xla_client")


# ---- buffers ----------------------------------------------------------------------------------------------------

def put(type, placement, shards, devices):
    """A buffer on `devices`, of one NumPy array for each.

    It may share memory with the arrays, so nobody may write to them.
    """
    return _batched_device_put(type, placement, shards, devices, True, enable_x64=True)


def assemble(type, placement, buffers):
    """One buffer of type `type` from a list of one-device buffers; no copy."""
    return Buffer(type, placement, buffers, True, _skip_checks=True)


def move(buffer, placement):
    """A copy of a one-device buffer on the one device of `placement`, which has the same client."""
    moved, = _jax.batched_copy_array_to_devices_with_sharding(
        [buffer], [placement._internal_device_list], [placement], [_jax.ArrayCopySemantics.ALWAYS_COPY])
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
    return fetch(buffer) if dtype in PACKED else dlpack.view(to_dlpack(buffer))


def part_to_numpy(buffer, placement, position, dtype):
    """What `to_numpy` gives, for the part of a buffer on the CPU device at `position` in its placement's devices."""
    buffer.block_until_ready()
    if dtype in PACKED:
        return fetch(buffer._arrays[placement.local_devices.index(placement.devices[position])])
    devices = placement.devices
    front = _Order((devices[position], *devices[:position], *devices[position + 1:]), placement)
    # A capsule is made of the first part, so the parts are put into another order; nothing is copied.
    return dlpack.view(to_dlpack(_jax.reorder_shards(buffer, front, _jax.ArrayCopySemantics.REUSE_INPUT)))


class _Order:
    """A placement's devices in another order, as jaxlib asks for it."""

    def __init__(self, devices, placement):
        self._internal_device_list = DeviceList(devices)
        self.memory_kind = placement.memory_kind
        self._to_xla_hlo_sharding = placement._to_xla_hlo_sharding


# Dtypes of less than a byte, of which XLA packs several into one.
PACKED = frozenset(np.dtype(getattr(ml_dtypes, name)) for name in (
    "int2", "int4", "uint2", "uint4", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"))


# jaxlib 0.10 makes an array of JAX's on the way, and imports JAX for it where that is installed. So do `_arrays` and
# `unsafe_buffer_pointer` in every version; on the CPU, and but for packed dtypes, nothing here calls any of the three.
def _fetch_0_10(buffer):
    return buffer._single_device_array_to_np_array_did_copy()[0]


def _fetch_0_12(buffer):
    return buffer._to_np_array_did_copy()[0]


_fetch = _fetch_0_12 if hasattr(Buffer, "_to_np_array_did_copy") else _fetch_0_10


def fetch(buffer):
    """A read-only NumPy array of a one-device or replicated buffer on any platform, copied if need be."""
    return _fetch(buffer)


def split(buffer):
    """The one-device buffers of a buffer, in the order of this process's devices."""
    return buffer._arrays


def pointer(buffer, dtype) -> int:
    """The address of a one-device buffer."""
    if buffer.platform() != "cpu" or dtype in PACKED:
        return buffer.unsafe_buffer_pointer()
    return dlpack.address(to_dlpack(buffer))


def to_dlpack(buffer, stream=None):
    """A DLPack capsule that shares memory with a one-device buffer."""
    return _jax.buffer_to_dlpack_managed_tensor(buffer, stream=stream)


def from_dlpack(capsule, device, stream=None):
    """A one-device buffer that shares the memory of a DLPack capsule from a device that is no CPU."""
    return _jax.dlpack_managed_tensor_to_buffer(capsule, device, stream)


def portable_module(text: str, version: str) -> bytes:
    """StableHLO text as an artifact that readers of that version, and of later ones, read."""
    return _jax.mlir.serialize_portable_artifact(text, version, True)


# ---- StableHLO as a parsed module -------------------------------------------------------------------------------

def parse_module(text: str):
    """The module of StableHLO text; only programs with Python callbacks need it, text alone cannot hold those."""
    ir = importlib.import_module("jaxlib.mlir.ir")
    registration = importlib.import_module("jaxlib.mlir._mlir_libs._jax_mlir_ext")
    context = ir.Context()
    registry = ir.DialectRegistry()
    registration.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for name in ("stablehlo", "chlo", "sdy"):
        importlib.import_module(f"jaxlib.mlir.dialects.{name}").register_dialect(context)
    with context:
        return ir.Module.parse(text)
