"""What the Python array API standard asks of a namespace: its version, and `__array_namespace_info__`."""
from __future__ import annotations

import numpy as np

from gnomon.api.places import devices
from gnomon.base.settings import current
from gnomon.numpy.creation import default_float, default_int
from gnomon.types.dtype import complex_dtype

__array_api_version__ = "2024.12"
__all__ = ["__array_api_version__", "__array_namespace_info__"]

_SIGNED, _UNSIGNED = ("int8", "int16", "int32", "int64"), ("uint8", "uint16", "uint32", "uint64")
_REAL, _COMPLEX = ("float32", "float64"), ("complex64", "complex128")
_KINDS = {"bool": ("bool",), "signed integer": _SIGNED, "unsigned integer": _UNSIGNED, "integral": _SIGNED + _UNSIGNED,
          "real floating": _REAL, "complex floating": _COMPLEX, "numeric": _SIGNED + _UNSIGNED + _REAL + _COMPLEX}
_KINDS[None] = _KINDS["bool"] + _KINDS["numeric"]
_64_BITS = frozenset(["int64", "uint64", "float64", "complex128"])


class __array_namespace_info__:
    """What this namespace can do, and its dtypes and devices, as the array API standard asks.

    >>> import gnomon.numpy as np
    >>> np.__array_namespace_info__().dtypes(kind="real floating")
    {'float32': dtype('float32')}
    """

    def __repr__(self):
        return "<gnomon.numpy.__array_namespace_info__>"

    def capabilities(self):
        """Which optional parts are there under jit too: no boolean masks as indices and no shapes that depend on data, which eager
        arrays have; and how many dimensions arrays may have."""
        return {"boolean indexing": False, "data-dependent shapes": False, "max dimensions": 64}

    def default_device(self):
        """None: arrays go to the first device until they are placed."""
        return None

    def devices(self):
        """The devices of this process."""
        return devices()

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays made without saying one, by kind."""
        self._check(device)
        real = default_float()
        return {"real floating": real, "complex floating": complex_dtype(real), "integral": default_int(), "indexing": default_int()}

    def dtypes(self, *, device=None, kind=None):
        """The dtypes by name: all of the standard's, those of a kind, or those of several kinds in a tuple; of 64 bits with enable_x64
        only. ValueError for a kind that the standard does not know."""
        self._check(device)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        unknown = [k for k in kinds if k not in _KINDS]
        if unknown:
            raise ValueError(f"The kinds of dtypes are {', '.join(repr(k) for k in _KINDS if k)}, got {unknown[0]!r}.")
        return {name: np.dtype(name) for k in kinds for name in _KINDS[k] if current.enable_x64 or name not in _64_BITS}

    def _check(self, device):
        if device is not None and device not in devices():
            raise ValueError(f"{device!r} is no device of this process; they are {devices()}.")
