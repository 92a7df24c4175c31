"""Foreign functions: making compiled functions of others callable from programs."""
from __future__ import annotations

import ctypes
import os

from gnomon.run import xla

PLATFORMS = {"cpu": "cpu", "gpu": "CUDA", "cuda": "CUDA", "rocm": "ROCM"}


def register(name: str, function, platform: str, api_version: int, **options) -> None:
    """Make a function callable as `name` from programs of a platform."""
    xla.xla_client().register_custom_call_target(name, function, PLATFORMS.get(platform, platform), api_version, **options)


_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))


def capsule(pointer):
    """A function that `ctypes` holds, as the capsule that `register` takes."""
    return _new_capsule(ctypes.cast(pointer, ctypes.c_void_p), None, None)


def include_dir() -> str:
    """The folder of the C and C++ headers of XLA's foreign function interface."""
    return os.path.join(os.path.dirname(xla.jaxlib.__file__), "include")
