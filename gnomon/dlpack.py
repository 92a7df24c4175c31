"""Sharing arrays with other libraries through DLPack."""
from gnomon.run.transfer import from_dlpack
from gnomon.types.dtype import canonicalize as _canonicalize, is_key as _is_key

__all__ = ["from_dlpack", "is_supported_dtype"]


def is_supported_dtype(dtype) -> bool:
    """Whether arrays of this dtype can be shared: numbers and booleans of whole bytes.

    >>> is_supported_dtype("float32"), is_supported_dtype("int4")
    (True, False)
    """
    found = _canonicalize(dtype, True)
    if _is_key(found):
        return False
    return found.kind in "biufc" or found.name in ("bfloat16",)
