"""Element types: their names, their categories, and the lattice that says what two of them promote to.

Ordinary dtypes are `numpy.dtype` objects, those of ml_dtypes included; random keys have a dtype of their own,
`KeyDtype`.
A *weak* dtype is that of a Python scalar and of what is computed from Python scalars alone: it yields to the dtype it
meets. Where weakness matters a dtype travels as the pair ``(dtype, weak)``.

Nothing here reads settings: whether 64-bit dtypes are kept (`x64`) and whether promotion is strict are arguments.
"""
from __future__ import annotations

import functools
import math

import ml_dtypes
import numpy as np

from gnomon.base import errors

__all__ = [
    "DTYPES", "JOINS", "KeyDtype", "bfloat16", "canonicalize", "complex_dtype", "extended", "finfo", "float0",
    "float0_type", "iinfo", "inexact_dtype", "is_bool", "is_complex", "is_extended", "is_float", "is_inexact",
    "is_integer", "is_key", "is_signed", "is_supported", "is_unsigned", "issubdtype", "itemsize_bits", "join",
    "join_all", "key_dtype", "mlir_name", "parse_short_name", "prng_key", "promote_types", "python_scalar_dtype",
    "python_type", "real_dtype", "short_name", "tangent_dtype", "widen",
]

# ---- the dtypes -------------------------------------------------------------------------------------------------

# name, short name (in printed programs), MLIR element type, category: bool, unsigned, int, float or complex
_TABLE = [
    ("bool", "bool", "i1", "bool"),
    ("uint2", "u2", "ui2", "unsigned"),
    ("uint4", "u4", "ui4", "unsigned"),
    ("uint8", "u8", "ui8", "unsigned"),
    ("uint16", "u16", "ui16", "unsigned"),
    ("uint32", "u32", "ui32", "unsigned"),
    ("uint64", "u64", "ui64", "unsigned"),
    ("int2", "i2", "i2", "int"),
    ("int4", "i4", "i4", "int"),
    ("int8", "i8", "i8", "int"),
    ("int16", "i16", "i16", "int"),
    ("int32", "i32", "i32", "int"),
    ("int64", "i64", "i64", "int"),
    ("float4_e2m1fn", "f4_e2m1fn", "f4E2M1FN", "float"),
    ("float6_e2m3fn", "f6_e2m3fn", "f6E2M3FN", "float"),
    ("float6_e3m2fn", "f6_e3m2fn", "f6E3M2FN", "float"),
    ("float8_e3m4", "f8_e3m4", "f8E3M4", "float"),
    ("float8_e4m3", "f8_e4m3", "f8E4M3", "float"),
    ("float8_e4m3b11fnuz", "f8_e4m3b11fnuz", "f8E4M3B11FNUZ", "float"),
    ("float8_e4m3fn", "f8_e4m3fn", "f8E4M3FN", "float"),
    ("float8_e4m3fnuz", "f8_e4m3fnuz", "f8E4M3FNUZ", "float"),
    ("float8_e5m2", "f8_e5m2", "f8E5M2", "float"),
    ("float8_e5m2fnuz", "f8_e5m2fnuz", "f8E5M2FNUZ", "float"),
    ("float8_e8m0fnu", "f8_e8m0fnu", "f8E8M0FNU", "float"),
    ("bfloat16", "bf16", "bf16", "float"),
    ("float16", "f16", "f16", "float"),
    ("float32", "f32", "f32", "float"),
    ("float64", "f64", "f64", "float"),
    ("complex64", "c64", "complex<f32>", "complex"),
    ("complex128", "c128", "complex<f64>", "complex"),
]

DTYPES: dict[str, np.dtype] = {name: np.dtype(getattr(ml_dtypes, name, name)) for name, *_ in _TABLE}
_DTYPE_CLASSES = frozenset(dtype.__class__ for dtype in DTYPES.values())
_OURS: dict[object, np.dtype] = {dtype: dtype for dtype in DTYPES.values()}
_SHORT_NAMES: dict[object, str] = {DTYPES[name]: short for name, short, _, _ in _TABLE}
_MLIR_NAMES: dict[object, str] = {DTYPES[name]: mlir for name, _, mlir, _ in _TABLE}
_CATEGORY: dict[object, str] = {DTYPES[name]: category for name, _, _, category in _TABLE}


def _in_category(*categories: str) -> frozenset:
    return frozenset(dtype for dtype, category in _CATEGORY.items() if category in categories)


_BOOLEANS = _in_category("bool")
_UNSIGNED = _in_category("unsigned")
_SIGNED = _in_category("int")
_INTEGERS = _UNSIGNED | _SIGNED
_FLOATS = _in_category("float")
_COMPLEX = _in_category("complex")
_INEXACT = _FLOATS | _COMPLEX

bfloat16 = DTYPES["bfloat16"]
_bool, _int32, _int64, _uint32, _uint64, _float32, _float64, _complex64, _complex128 = (
    DTYPES[name] for name in
    ("bool", "int32", "int64", "uint32", "uint64", "float32", "float64", "complex64", "complex128"))

# The tangent dtype of what has no derivative (integers, booleans, keys): nothing is stored, so it takes no memory.
float0 = np.dtype([("float0", "V")])
float0_type = float0.type
MOVING = _INEXACT | {float0}        # the dtypes whose tangents are of the same dtype
_SHORT_NAMES[float0] = "float0"
_MLIR_NAMES[float0] = "i1"  # XLA has no empty element type

# What a 64-bit dtype becomes when x64 is off, and the widest dtype of each category (what a weak dtype stands for).
_NARROW = {_int64: _int32, _uint64: _uint32, _float64: _float32, _complex128: _complex64}
_WIDEST = {"bool": _bool, "unsigned": _uint64, "int": _int64, "float": _float64, "complex": _complex128}


class extended(np.generic):
    """Abstract scalar type of all dtypes that NumPy does not know; for `issubdtype`."""


class prng_key(extended):
    """Abstract scalar type of the dtypes of random keys; for ``issubdtype(key.dtype, prng_key)``."""


class KeyDtype:
    """The dtype of an array of random keys of one generator; equal ones are one object.

    `impl` is the generator's name, `tag` its short form in ``key<tag>``, `key_shape` the shape of the uint32 words
    that make up one key.

    >>> str(key_dtype("threefry2x32")), key_dtype("threefry2x32").itemsize
    ('key<fry>', 8)
    """

    __slots__ = ("impl", "tag", "key_shape", "name", "itemsize", "__weakref__")
    type = prng_key
    _interned: dict[tuple, KeyDtype] = {}

    def __new__(cls, impl: str, tag: str, key_shape: tuple[int, ...]):
        fields = (impl, tag, tuple(key_shape))
        self = cls._interned.get(fields)
        if self is None:
            self = super().__new__(cls)
            self.impl, self.tag, self.key_shape = fields
            self.name = f"key<{tag}>"
            self.itemsize = 4 * math.prod(key_shape)
            self = cls._interned.setdefault(fields, self)
        return self

    def __repr__(self):
        return self.name

    def __reduce__(self):
        return KeyDtype, (self.impl, self.tag, self.key_shape)


_KEY_DTYPES = {
    impl: KeyDtype(impl, tag, key_shape)
    for impl, tag, key_shape in [("threefry2x32", "fry", (2,)), ("rbg", "rbg", (4,)), ("unsafe_rbg", "urbg", (4,))]
}


def key_dtype(impl: str) -> KeyDtype:
    """The dtype of keys of a built-in generator: 'threefry2x32', 'rbg' or 'unsafe_rbg'; ValueError for another name."""
    try:
        return _KEY_DTYPES[impl]
    except KeyError:
        raise ValueError(f"There is no random generator {impl!r}; choose one of {sorted(_KEY_DTYPES)}.") from None


# ---- from what users write to a dtype ---------------------------------------------------------------------------

def _resolve(dtype) -> np.dtype | KeyDtype:
    """The dtype object of whatever stands for one, its width as written. TypeError where nothing does."""
    if dtype.__class__ in _DTYPE_CLASSES:       # most often a dtype that we know
        known = _OURS.get(dtype)
        if known is not None:
            return known
    if isinstance(dtype, KeyDtype):
        return dtype
    if isinstance(dtype, str) and dtype in DTYPES:
        return DTYPES[dtype]
    if not isinstance(dtype, (np.dtype, type, str)):
        own = getattr(dtype, "dtype", None)
        if isinstance(own, (np.dtype, KeyDtype)):
            dtype = own
            if isinstance(own, KeyDtype):
                return own
    try:
        found = np.dtype(dtype)
    except Exception:       # NumPy raises errors of several classes for what it cannot read
        raise TypeError(f"{dtype!r} stands for no dtype. Give a dtype, a name such as 'float32', or a class such as float.") from None
    if not found.isnative:
        found = found.newbyteorder("=")
    # The object in our table, so that equal dtypes are one object from here on.
    return DTYPES.get(found.name, found) if found.fields is None else (float0 if found == float0 else found)


# By x64: everything that named a dtype so far -> that dtype. Only names and classes are kept, no values.
_CANONICAL: tuple[dict, dict] = ({}, {})


def canonicalize(dtype, x64: bool) -> np.dtype | KeyDtype:
    """The dtype meant by `dtype`, as a `numpy.dtype` or `KeyDtype`; 64-bit ones are halved unless `x64`.

    Takes what ``numpy.dtype`` takes, names such as 'bfloat16', Python's scalar types, scalar classes, and objects with
    a ``dtype`` attribute. TypeError for anything else.

    >>> canonicalize(float, False), canonicalize("int64", True), canonicalize("bfloat16", False)
    (dtype('float32'), dtype('int64'), dtype(bfloat16))
    """
    known = _CANONICAL[x64]
    try:
        return known[dtype]
    except (KeyError, TypeError):  # TypeError: an unhashable object, such as an array
        pass
    found = _resolve(dtype)
    if not x64:
        found = _NARROW.get(found, found)
    if isinstance(dtype, (np.dtype, type, str)):
        known[dtype] = found
    return found


def is_supported(dtype) -> bool:
    """Whether arrays can have this dtype object: numbers, booleans, keys and float0, no strings, dates or objects."""
    return dtype in _SHORT_NAMES or isinstance(dtype, KeyDtype)


def python_scalar_dtype(scalar_type: type, x64: bool) -> tuple[np.dtype, bool]:
    """``(dtype, weak)`` of a Python scalar given its type: bool, int, float or complex. Booleans are never weak.

    >>> python_scalar_dtype(float, False)
    (dtype('float32'), True)
    """
    return _PYTHON_SCALARS[x64][scalar_type]


_PYTHON_SCALARS = tuple(
    {scalar: (canonicalize(scalar, x64), scalar is not bool) for scalar in (bool, int, float, complex)}
    for x64 in (False, True))


# ---- questions about a dtype object -----------------------------------------------------------------------------

def is_bool(dtype) -> bool:
    return dtype in _BOOLEANS


def is_integer(dtype) -> bool:
    return dtype in _INTEGERS


def is_signed(dtype) -> bool:
    """Whether a dtype is a signed integer."""
    return dtype in _SIGNED


def is_unsigned(dtype) -> bool:
    """Whether a dtype is an unsigned integer."""
    return dtype in _UNSIGNED


def is_float(dtype) -> bool:
    """Whether a dtype is a real float; those of ml_dtypes count."""
    return dtype in _FLOATS


def is_complex(dtype) -> bool:
    return dtype in _COMPLEX


def is_inexact(dtype) -> bool:
    """Whether a dtype is a real or complex float: the dtypes that have derivatives."""
    return dtype in _INEXACT


def is_extended(dtype) -> bool:
    """Whether a dtype is one NumPy does not know."""
    return isinstance(dtype, KeyDtype)


def is_key(dtype) -> bool:
    return isinstance(dtype, KeyDtype)


def short_name(dtype) -> str:
    """The name in printed programs.

    >>> short_name(np.dtype("float32")), short_name(bfloat16), short_name(key_dtype("rbg"))
    ('f32', 'bf16', 'key<rbg>')
    """
    name = _SHORT_NAMES.get(dtype)
    return dtype.name if name is None else name


def parse_short_name(name: str) -> np.dtype | KeyDtype:
    """The dtype that `short_name` prints as `name`; ValueError if there is none."""
    if not _BY_SHORT_NAME:
        _BY_SHORT_NAME.update({short: dtype for dtype, short in _SHORT_NAMES.items()})
    found = _BY_SHORT_NAME.get(name)
    if found is None:
        found = next((key for key in KeyDtype._interned.values() if key.name == name), None)
    if found is None:
        raise ValueError(f"{name!r} is not the short name of a dtype.")
    return found


_BY_SHORT_NAME: dict[str, object] = {}


def mlir_name(dtype) -> str:
    """The element type in StableHLO text; TypeError for a dtype XLA does not have, keys among them.

    >>> mlir_name(np.dtype("uint8")), mlir_name(np.dtype("complex64")), mlir_name(DTYPES["float8_e4m3fn"])
    ('ui8', 'complex<f32>', 'f8E4M3FN')
    """
    try:
        return _MLIR_NAMES[dtype]
    except KeyError:
        raise TypeError(f"XLA has no element type for the dtype {dtype}.") from None


def itemsize_bits(dtype) -> int:
    """Bits of one element: 4 for int4, 8 for bool. ValueError for keys and float0.

    >>> itemsize_bits("bfloat16")
    16
    """
    resolved = _resolve(dtype)
    if resolved not in _CATEGORY:
        raise ValueError(f"Elements of the dtype {short_name(resolved)} have no size in bits.")
    if resolved in _INTEGERS:
        return iinfo(resolved).bits
    return finfo(resolved).bits if resolved in _FLOATS else 8 * resolved.itemsize


def python_type(dtype) -> type:
    """The Python scalar type of a dtype's category: bool, int, float or complex. TypeError for keys and float0."""
    category = _CATEGORY.get(dtype) if dtype.__class__ in _DTYPE_CLASSES else None
    if category is not None:
        return _PYTHON_TYPES[category]
    try:
        return _PYTHON_TYPES[_CATEGORY[_resolve(dtype)]]
    except KeyError:
        raise TypeError(f"The dtype {dtype} has no Python scalar type.") from None


_PYTHON_TYPES = {"bool": bool, "unsigned": int, "int": int, "float": float, "complex": complex}


_finfo, _iinfo = functools.cache(ml_dtypes.finfo), functools.cache(ml_dtypes.iinfo)


def finfo(dtype) -> ml_dtypes.finfo:
    """Limits of a float dtype, or of a complex dtype's parts: eps, max, tiny, bits, ... ValueError for other dtypes.

    >>> float(finfo("bfloat16").eps)
    0.0078125
    """
    resolved = _resolve(dtype)
    if resolved not in _INEXACT:
        raise ValueError(f"finfo describes float dtypes, and {short_name(resolved)} is none; use iinfo for integers.")
    return _finfo(resolved)


def iinfo(int_type) -> ml_dtypes.iinfo:
    """Limits of an integer dtype: min, max, bits. ValueError for other dtypes.

    >>> int(iinfo("int4").max)
    7
    """
    resolved = _resolve(int_type)
    if resolved not in _INTEGERS:
        raise ValueError(f"iinfo describes integer dtypes, and {short_name(resolved)} is none; use finfo for floats.")
    return _iinfo(resolved)


_ABSTRACT = {
    "bool": np.generic, "unsigned": np.unsignedinteger, "int": np.signedinteger,
    "float": np.floating, "complex": np.complexfloating,
}


def issubdtype(a, b) -> bool:
    """Whether dtype (or abstract scalar class) `a` belongs to `b`, with the dtypes NumPy does not know in their place.

    >>> issubdtype("bfloat16", np.floating), issubdtype(key_dtype("rbg"), prng_key), issubdtype("int8", "int16")
    (True, True, False)
    """
    if is_abstract(b):
        if not is_abstract(a):
            a = _resolve(a)
            category = _CATEGORY.get(a)
            a = a.type if category in (None, "bool") else _ABSTRACT[category]
        return issubclass(a, b)
    if is_abstract(a):
        return False
    return _resolve(a) == _resolve(b)


def is_abstract(kind) -> bool:
    """Whether `kind` is a class of dtypes: one of NumPy's, or `extended` or a subclass of it."""
    return isinstance(kind, type) and (kind in _ABSTRACT_CLASSES or issubclass(kind, extended))


_ABSTRACT_CLASSES = frozenset([
    np.generic, np.number, np.integer, np.signedinteger, np.unsignedinteger, np.inexact, np.floating,
    np.complexfloating, np.flexible, np.character, extended, prng_key])


# ---- dtypes of results ------------------------------------------------------------------------------------------

def tangent_dtype(dtype):
    """The dtype of the tangents of `dtype`: itself for floats and complex, else float0."""
    return dtype if dtype in _INEXACT else float0


def widen(dtype) -> np.dtype:
    """The widest dtype of the same category: what a weak dtype stands for in the lattice."""
    return _WIDEST[_CATEGORY[dtype]]


def inexact_dtype(dtype) -> np.dtype:
    """The dtype in which transcendental functions of `dtype` are computed: floats stay, integers become floats.

    >>> inexact_dtype(np.dtype("int8")), inexact_dtype(np.dtype("int64")), inexact_dtype(bfloat16)
    (dtype('float32'), dtype('float64'), dtype(bfloat16))
    """
    if dtype in _INEXACT:
        return dtype
    if dtype not in _CATEGORY:
        raise TypeError(f"The dtype {short_name(dtype)} has no float dtype.")
    return _float64 if dtype.itemsize == 8 else _float32


def complex_dtype(dtype) -> np.dtype:
    """The complex dtype that holds `dtype`: complex128 for 64-bit dtypes and complex128, else complex64."""
    if dtype in _COMPLEX:
        return dtype
    return _complex128 if inexact_dtype(dtype) == _float64 else _complex64


def real_dtype(dtype) -> np.dtype:
    """The dtype of real and imaginary parts: float32 for complex64, float64 for complex128; others stay."""
    if dtype in _COMPLEX:
        return _float32 if dtype == _complex64 else _float64
    return dtype


# ---- the promotion lattice --------------------------------------------------------------------------------------
#
#   bool - i* -+- u8 - u16 - u32 - u64 -+- f* -+- bf16 -+- f32 -+- f64 --+- c128
#              |    \     \     \       |      +- f16 --+       |         |
#              +- i8 - i16 - i32 - i64 -+      +- c* -----------+- c64 ---+
#              +- 2- and 4-bit integers        +- 8-, 6- and 4-bit floats
#
# A node is a pair (dtype, weak); i*, f* and c* are the weak ones. What two nodes promote to is the least node that
# both lead to. Narrow integers and floats lead nowhere: leaving them always takes an explicit cast.

Pair = tuple[np.dtype, bool]

_WEAK_INT: Pair = (_int64, True)
_WEAK_FLOAT: Pair = (_float64, True)
_WEAK_COMPLEX: Pair = (_complex128, True)
_WEAK_NODES = {"bool": (_bool, False), "unsigned": _WEAK_INT, "int": _WEAK_INT,
               "float": _WEAK_FLOAT, "complex": _WEAK_COMPLEX}
_NARROW_FLOATS = frozenset(dtype for dtype in _FLOATS if dtype.itemsize == 1)
_NARROW_INTEGERS = frozenset(DTYPES[name] for name in ("int2", "int4", "uint2", "uint4"))


def _strong(*dtypes) -> list[Pair]:
    return [(DTYPES.get(dtype, dtype), False) for dtype in dtypes]


def _closure(edges: dict[Pair, list[Pair]]) -> dict[Pair, frozenset[Pair]]:
    """Every node a node leads to, itself included."""
    reached: dict[Pair, frozenset] = {}

    def reach(node):
        if node not in reached:
            reached[node] = frozenset([node]).union(*(reach(above) for above in edges.get(node, ())))
        return reached[node]

    for node in [*edges, *_strong(*DTYPES)]:
        reach(node)
    return reached


_STANDARD = _closure({
    (_bool, False): [_WEAK_INT],
    _WEAK_INT: _strong("uint8", "int8", *_NARROW_INTEGERS),
    **{(DTYPES[low], False): _strong(*above) for low, above in {
        "uint8": ["uint16", "int16"], "uint16": ["uint32", "int32"], "uint32": ["uint64", "int64"],
        "int8": ["int16"], "int16": ["int32"], "int32": ["int64"],
        "bfloat16": ["float32"], "float16": ["float32"], "float32": ["float64", "complex64"],
        "float64": ["complex128"], "complex64": ["complex128"]}.items()},
    (_uint64, False): [_WEAK_FLOAT],
    (_int64, False): [_WEAK_FLOAT],
    _WEAK_FLOAT: [*_strong("bfloat16", "float16", *_NARROW_FLOATS), _WEAK_COMPLEX],
    _WEAK_COMPLEX: _strong("complex64"),
})

# Strict promotion: only weak dtypes yield, and only to the same category or a higher one.
_STRICT = _closure({
    _WEAK_INT: [*_strong(*_INTEGERS), _WEAK_FLOAT],
    _WEAK_FLOAT: [*_strong(*_FLOATS), _WEAK_COMPLEX],
    _WEAK_COMPLEX: _strong(*_COMPLEX),
})


def _least_upper_bound(above: dict[Pair, frozenset[Pair]], a: Pair, b: Pair) -> Pair | None:
    common = above[a] & above[b]
    return next((node for node in common if common <= above[node]), None)


def _find_join(a: Pair, b: Pair, strict: bool) -> Pair:
    for dtype, _ in (a, b):
        if dtype not in _CATEGORY:
            if a[0] == b[0]:
                return a
            raise errors.TypePromotionError(
                f"The dtypes {short_name(a[0])} and {short_name(b[0])} do not promote to a common dtype: "
                f"{short_name(dtype)} meets only itself.")
    all_weak = a[1] and b[1]
    if all_weak and not strict:
        # Neither side is strong, so their own dtypes count; the result is as wide as a Python scalar.
        found = _least_upper_bound(_STANDARD, (a[0], False), (b[0], False))
        if found is not None:
            dtype = widen(found[0])
            return dtype, dtype != _bool
    else:
        nodes = [_WEAK_NODES[_CATEGORY[dtype]] if weak else (dtype, False) for dtype, weak in (a, b)]
        found = _least_upper_bound(_STRICT if strict else _STANDARD, *nodes)
        if found is not None:
            return found
    raise errors.TypePromotionError(_no_path(a, b, strict))


def _no_path(a: Pair, b: Pair, strict: bool) -> str:
    names = sorted(f"weak {dtype.name}" if weak else dtype.name for dtype, weak in (a, b))
    sentence = f"Input dtypes {tuple(names)} have no available implicit dtype promotion path"
    if strict:
        return (f"{sentence} when jax_numpy_dtype_promotion=strict. Try explicitly casting inputs to the desired "
                "output type, or set jax_numpy_dtype_promotion=standard.")
    narrow = [dtype for group in (_NARROW_FLOATS, _NARROW_INTEGERS) for dtype, _ in (a, b) if dtype in group][0]
    kind, wider = ("integers", "int32") if narrow in _NARROW_INTEGERS else ("floats", "float32")
    return (f"{sentence}. To avoid unintended promotion, {itemsize_bits(narrow)}-bit {kind} do not support implicit "
            f"promotion. Cast explicitly instead, e.g. x.astype('{wider}').")


class Joins(dict):
    """``joins[a, b]`` is the pair that the pairs `a` and `b` promote to; filled as it is asked.

    Raises TypePromotionError where there is no common dtype.
    """

    __slots__ = ("x64", "strict")

    def __init__(self, x64: bool, strict: bool):
        super().__init__()
        self.x64, self.strict = x64, strict

    def __missing__(self, pairs: tuple[Pair, Pair]) -> Pair:
        dtype, weak = _find_join(*pairs, self.strict)
        found = self[pairs] = (dtype if self.x64 else _NARROW.get(dtype, dtype), weak)
        return found


# For hot paths: JOINS[x64, strict][a, b].
JOINS: dict[tuple[bool, bool], Joins] = {
    (x64, strict): Joins(x64, strict) for x64 in (False, True) for strict in (False, True)}


def join(a: Pair, b: Pair, *, x64: bool = True, strict: bool = False) -> Pair:
    """What two ``(dtype, weak)`` pairs promote to, as such a pair; 64-bit results are halved unless `x64`.

    TypePromotionError where there is no common dtype.

    >>> join((np.dtype("float16"), False), (np.dtype("float32"), True))
    (dtype('float16'), False)
    """
    return JOINS[x64, strict][a, b]


def join_all(pairs, *, x64: bool = True, strict: bool = False) -> Pair:
    """What one or more pairs promote to together; see `join`.

    A weak dtype yields to any strong one, wherever it stands, so the strong ones are joined first.
    """
    joins = JOINS[x64, strict]
    strong_first = sorted(pairs, key=_weakness)
    first = found = strong_first[0]
    for pair in strong_first[1:] or [first]:
        found = joins[found, pair]
    return found


def _weakness(pair: Pair) -> bool:
    return pair[1]


def promote_types(a, b, *, strict: bool = False) -> np.dtype | KeyDtype:
    """The dtype the lattice gives for two dtypes, whatever x64 is; Python's int, float and complex count as weak.

    >>> promote_types("int8", "uint32"), promote_types("bfloat16", "float16"), promote_types(float, "float16")
    (dtype('int64'), dtype('float32'), dtype('float16'))
    """
    return JOINS[True, strict][_pair(a), _pair(b)][0]


def _pair(dtype) -> Pair:
    if dtype is int or dtype is float or dtype is complex:
        return _PYTHON_SCALARS[True][dtype]
    return canonicalize(dtype, True), False
