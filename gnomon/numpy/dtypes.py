"""Dtypes as NumPy's users write them: `np.float32`, what they promote to, and questions about them.

A scalar type such as `np.float32` stands for its dtype wherever one is asked for, and called makes an array of that
dtype.
"""
from __future__ import annotations

import builtins
import math

import ml_dtypes
import numpy as np

from gnomon.numpy.creation import asarray
from gnomon.numpy.promote import result_type_of
from gnomon.trace.value import Value
from gnomon.types import dtype as types
from gnomon.types.dtype import (DTYPES, KeyDtype, canonicalize, is_bool, is_complex, is_float, is_integer, is_signed,
                                is_unsigned)

# there are no arrays of these, but their names are known
ONE_BIT = {name: np.dtype(getattr(ml_dtypes, name)) for name in ("int1", "uint1") if hasattr(ml_dtypes, name)}

__all__ = ["ComplexWarning", "bfloat16", "bool", "bool_", "can_cast", "cdouble", "character", "complex128",
           "complex64", "complex_", "complexfloating", "csingle", "double", "dtype", "e", "euler_gamma", "finfo",
           "flexible", "float16", "float32", "float4_e2m1fn", "float64", "float6_e2m3fn", "float6_e3m2fn",
           "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
           "float8_e5m2fnuz", "float8_e8m0fnu", "float_", "floating", "generic", "iinfo", "inexact", "inf", "int16",
           "int2", "int32", "int4", "int64", "int8", "int_", "integer", "iscomplexobj", "isdtype", "isrealobj",
           "isscalar", "issubdtype", "nan", "ndarray", "newaxis", "number", "object_", "pi", "promote_types",
           "result_type", "signedinteger", "single", "uint", "uint16", "uint2", "uint32", "uint4", "uint64", "uint8",
           "unsignedinteger", *ONE_BIT]


class ScalarType(type):
    """The class of `np.float32` and the other scalar types: a dtype under a name that can be called.

    Equal to NumPy's scalar type of the same name, and to the dtype; NumPy's scalars are its instances.
    """

    dtype: np.dtype

    def __new__(meta, name, dtype):
        doc = (f"The dtype {name}. `{name}(x)` is an array of it, made of a number, an array or nested lists.\n\n"
               f"    >>> import gnomon.numpy as np\n    >>> np.dtype(np.{name}) == np.{name}\n    True\n    ")
        return super().__new__(meta, name, (), {"dtype": dtype, "__doc__": doc, "__module__": "gnomon.numpy"})

    def __init__(cls, name, dtype):
        super().__init__(name, (), {})

    def __call__(cls, x):
        return asarray(x, dtype=cls.dtype)

    def __hash__(cls):
        return hash(cls.dtype.type)

    def __eq__(cls, other):
        return cls is other or cls.dtype.type is other or isinstance(other, np.dtype) and cls.dtype == other

    def __instancecheck__(cls, x):
        return isinstance(x, cls.dtype.type)


SCALAR_TYPES = {name: ScalarType(name, dtype) for name, dtype in {**DTYPES, **ONE_BIT}.items()}
globals().update({name: SCALAR_TYPES[name] for name in ONE_BIT})
bool = bool_ = SCALAR_TYPES["bool"]
int2, int4, int8, int16, int32, int64 = [SCALAR_TYPES[f"int{bits}"] for bits in (2, 4, 8, 16, 32, 64)]
uint2, uint4, uint8, uint16, uint32, uint64 = [SCALAR_TYPES[f"uint{bits}"] for bits in (2, 4, 8, 16, 32, 64)]
float16, float32, float64, bfloat16 = [SCALAR_TYPES[name] for name in ("float16", "float32", "float64", "bfloat16")]
float4_e2m1fn, float6_e2m3fn, float6_e3m2fn, float8_e3m4, float8_e4m3, float8_e4m3b11fnuz, float8_e4m3fn = [
    SCALAR_TYPES[f"float{bits}_{form}"] for bits, form in (
        (4, "e2m1fn"), (6, "e2m3fn"), (6, "e3m2fn"), (8, "e3m4"), (8, "e4m3"), (8, "e4m3b11fnuz"), (8, "e4m3fn"))]
float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu = [
    SCALAR_TYPES[f"float8_{form}"] for form in ("e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0fnu")]
complex64, complex128 = SCALAR_TYPES["complex64"], SCALAR_TYPES["complex128"]
int_, uint, float_, complex_ = int64, uint64, float64, complex128
single, double, csingle, cdouble = float32, float64, complex64, complex128

# NumPy's own: dtype objects, abstract classes of scalars
dtype = np.dtype
generic, number, inexact, floating, complexfloating = np.generic, np.number, np.inexact, np.floating, np.complexfloating
integer, signedinteger, unsignedinteger = np.integer, np.signedinteger, np.unsignedinteger
flexible, character, object_, ComplexWarning = np.flexible, np.character, np.object_, np.exceptions.ComplexWarning
finfo, iinfo = ml_dtypes.finfo, ml_dtypes.iinfo

ndarray = Value
newaxis = None
pi, e, inf, nan, euler_gamma = math.pi, math.e, math.inf, math.nan, 0.57721566490153286


def dtype_of(x):
    """The dtype of an array or number, or the dtype that something stands for."""
    if isinstance(x, (Value, np.ndarray, np.generic)):
        return x.dtype
    return x if isinstance(x, KeyDtype) else canonicalize(x, True)


def issubdtype(arg1, arg2):
    """Whether a dtype is another one, or belongs to an abstract class such as `np.floating`; TypeError for what is no
    dtype.

    >>> import gnomon.numpy as np
    >>> np.issubdtype(np.bfloat16, np.floating), np.issubdtype("int8", "int16")
    (True, False)
    """
    return types.issubdtype(arg1, arg2)


def promote_types(a, b):
    """The dtype that two dtypes promote to, whatever enable_x64 is; Python's int, float and complex yield to what they
    meet.

    TypePromotionError where there is none.
    Also TypeError for what is no dtype.

    >>> import gnomon.numpy as np
    >>> np.promote_types("int8", "uint8"), np.promote_types(float, np.bfloat16)
    (dtype('int16'), dtype(bfloat16))
    """
    return types.promote_types(a, b)


def result_type(*args):
    """The dtype that arrays, numbers and dtypes promote to together; 64 bits are halved unless enable_x64 is set.

    Python's numbers and the classes int, float and complex yield to what they meet. ValueError for no arguments,
    TypeError for what has no dtype.

    >>> import gnomon.numpy as np
    >>> np.result_type("int32", np.float16, 2.5)
    dtype('float16')
    """
    if not args:
        raise ValueError("result_type takes at least one array, number or dtype.")
    for x in args:
        if isinstance(x, (list, tuple)) or x is None:
            raise TypeError(f"result_type takes arrays, numbers and dtypes, got {x!r}.")
    return result_type_of(*args)


def can_cast(from_, to, casting="safe"):
    """Whether a dtype (or the dtype of an array) can be cast to another by NumPy's rule `casting`.

    Errors: TypeError for what is no dtype and for Python numbers, ValueError for another `casting`.

    >>> import gnomon.numpy as np
    >>> np.can_cast("int32", "float32"), np.can_cast("bfloat16", "float32")
    (False, True)
    """
    return builtins.bool(np.can_cast(dtype_of(from_), dtype_of(to), casting))


_KINDS = {
    "bool": is_bool, "signed integer": is_signed, "unsigned integer": is_unsigned, "integral": is_integer,
    "real floating": is_float, "complex floating": is_complex,
    "numeric": lambda d: is_integer(d) or is_float(d) or is_complex(d),
}


def isdtype(dtype, kind):
    """Whether a dtype is of a kind: 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating',
    'complex floating' or 'numeric'; or another dtype; or any of a tuple of these.

    ValueError for another string, TypeError for what is no dtype.

    >>> import gnomon.numpy as np
    >>> np.isdtype(np.bfloat16, "real floating"), np.isdtype("int8", ("bool", "unsigned integer"))
    (True, False)
    """
    dtype = dtype_of(dtype)
    for k in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(k, str) and k in _KINDS:
            found = _KINDS[k](dtype)
        else:
            try:
                if isinstance(k, type) and issubclass(k, np.generic) and k not in SCALAR_CLASSES:
                    raise TypeError
                found = dtype == dtype_of(k)
            except TypeError:
                error = ValueError if isinstance(k, str) else TypeError
                raise error(f"isdtype takes a dtype, one of {', '.join(map(repr, _KINDS))}, or a tuple of these as "
                            f"kind, got {k!r}.") from None
        if found:
            return True
    return False


SCALAR_CLASSES = frozenset(d.type for d in DTYPES.values())


def iscomplexobj(x):
    """Whether the dtype of an array or number (or nested lists of numbers) is complex.

    >>> import gnomon.numpy as np
    >>> np.iscomplexobj(np.array([1j])), np.iscomplexobj(2.0)
    (True, False)
    """
    if x is None:
        return False
    return is_complex(x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype)


def isrealobj(x):
    """Whether the dtype of an array or number (or nested lists of numbers) is not complex.

    >>> import gnomon.numpy as np
    >>> np.isrealobj([1, 2])
    True
    """
    return not iscomplexobj(x)


def isscalar(element):
    """Whether something is a number, a string or an array without dimensions.

    >>> import gnomon.numpy as np
    >>> np.isscalar(3), np.isscalar(np.zeros(())), np.isscalar(np.zeros(1))
    (True, True, False)
    """
    if hasattr(element, "__jax_array__"):
        element = element.__jax_array__()
    return element.ndim == 0 if isinstance(element, (Value, np.ndarray)) else np.isscalar(element)
