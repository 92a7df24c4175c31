"""Dtypes: what kinds of numbers there are and how they combine."""
import numpy as _np

from gnomon.base.errors import TypePromotionError
from gnomon.base.settings import current as _current
from gnomon.numpy.promote import result_pair as _result_pair
from gnomon.types.dtype import bfloat16, canonicalize as _canonicalize, extended, finfo, float0, iinfo, is_extended as _is_extended
from gnomon.types.dtype import issubdtype, itemsize_bits, prng_key, python_type as _python_type

__all__ = ["TypePromotionError", "bfloat16", "canonicalize_dtype", "extended", "finfo", "float0", "iinfo", "issubdtype",
           "itemsize_bits", "prng_key", "result_type", "scalar_type_of"]


def canonicalize_dtype(dtype, allow_extended_dtype: bool = False):
    """The dtype that arrays of this dtype have: 64-bit dtypes become 32-bit ones unless enable_x64 is set.

    ValueError for an extended dtype (a key's) unless `allow_extended_dtype`.

    >>> canonicalize_dtype("float64")
    dtype('float32')
    """
    found = _canonicalize(dtype, _current.enable_x64)
    if _is_extended(found) and not allow_extended_dtype:
        raise ValueError(f"canonicalize_dtype got the extended dtype {found}; say allow_extended_dtype=True to take it as it is.")
    return found


def result_type(*args, return_weak_type_flag: bool = False):
    """The dtype that arrays, scalars and dtypes promote to together; with the flag, also whether it is weak.

    >>> result_type(_np.int32(1), 2.0)
    dtype('float32')
    >>> result_type(1, 2.0, return_weak_type_flag=True)
    (dtype('float32'), True)
    """
    if not args:
        raise ValueError("result_type needs at least one array, scalar or dtype.")
    dtype, weak = _result_pair(*args)
    return (dtype, weak) if return_weak_type_flag else dtype


def scalar_type_of(x) -> type:
    """The Python scalar class that a value is like: bool, int, float or complex.

    >>> scalar_type_of(_np.float32(1))
    <class 'float'>
    """
    return _python_type(getattr(x, "dtype", None) or _np.asarray(x).dtype)
