"""Element types: names, categories, canonical forms, and the promotion lattice."""
import copy
import itertools
import pickle

import ml_dtypes
import numpy as np
import pytest

from gnomon.base import errors
from gnomon.types import dtype as D

f16, f32, f64 = (np.dtype(name) for name in ("float16", "float32", "float64"))
i8, i32, i64, u32, u64 = (np.dtype(name) for name in ("int8", "int32", "int64", "uint32", "uint64"))
bf16 = np.dtype(ml_dtypes.bfloat16)
fry = D.key_dtype("threefry2x32")


class ScalarType:
    """Stands for a scalar-type object such as gnomon.numpy.float32: it has a dtype and is no NumPy class."""

    def __init__(self, dtype):
        self.dtype = np.dtype(dtype)


@pytest.mark.parametrize("written, wide, narrow", [
    ("float64", "float64", "float32"), ("int64", "int64", "int32"), ("uint64", "uint64", "uint32"),
    ("complex128", "complex128", "complex64"), (float, "float64", "float32"), (int, "int64", "int32"),
    (bool, "bool", "bool"), (complex, "complex128", "complex64"), (np.float64, "float64", "float32"),
    (np.int8, "int8", "int8"), ("<f4", "float32", "float32"), (">f8", "float64", "float32"),
    ("bfloat16", "bfloat16", "bfloat16"), (ml_dtypes.float8_e5m2, "float8_e5m2", "float8_e5m2"),
    ("int4", "int4", "int4"), (ScalarType("int64"), "int64", "int32"), (np.ones(2), "float64", "float32"),
])
def test_canonicalize(written, wide, narrow):
    for _ in range(2):  # the second answer comes from the cache
        assert D.canonicalize(written, True) is D.DTYPES[wide]
        assert D.canonicalize(written, False) is D.DTYPES[narrow]


def test_canonicalize_keeps_what_is_not_a_number():
    assert D.canonicalize(fry, False) is fry
    assert D.canonicalize(D.float0, False) is D.float0
    assert D.canonicalize(np.dtype([("float0", "V")]), False) is D.float0
    assert D.canonicalize("U3", False) == np.dtype("U3") and not D.is_supported(np.dtype("U3"))
    with pytest.raises(TypeError, match="foo"):
        D.canonicalize("foo", True)
    with pytest.raises(TypeError):
        D.canonicalize(object(), True)


def test_canonicalize_does_not_remember_values():
    before = len(D._CANONICAL[True])
    assert D.canonicalize(np.float32(1.5), True) is D.DTYPES["float32"]
    assert len(D._CANONICAL[True]) == before


def test_short_names_are_parsed_back():
    for dtype in [*D.DTYPES.values(), fry, D.key_dtype("unsafe_rbg"), D.float0]:
        assert D.parse_short_name(D.short_name(dtype)) is dtype
    assert [D.short_name(D.DTYPES[name]) for name in ("uint8", "bool", "int4", "float8_e4m3fn", "complex128")] == [
        "u8", "bool", "i4", "f8_e4m3fn", "c128"]
    with pytest.raises(ValueError, match="'f33' is not the short name"):
        D.parse_short_name("f33")


def test_mlir_names():
    names = {"int32": "i32", "uint32": "ui32", "bool": "i1", "bfloat16": "bf16", "complex64": "complex<f32>",
             "float8_e4m3fn": "f8E4M3FN", "int4": "i4", "uint2": "ui2", "float64": "f64"}
    assert {name: D.mlir_name(D.DTYPES[name]) for name in names} == names
    with pytest.raises(TypeError, match="no element type for the dtype key<fry>"):
        D.mlir_name(fry)


def test_key_dtypes():
    assert str(fry) == repr(fry) == fry.name == "key<fry>"
    assert D.KeyDtype("threefry2x32", "fry", (2,)) is fry
    assert pickle.loads(pickle.dumps(fry)) is fry and copy.deepcopy(fry) is fry
    assert [(D.key_dtype(n).tag, D.key_dtype(n).key_shape, D.key_dtype(n).itemsize) for n in ("rbg", "unsafe_rbg")] == [
        ("rbg", (4,), 16), ("urbg", (4,), 16)]
    assert fry != D.key_dtype("rbg") and fry != np.dtype("float32") and np.dtype("float32") != fry
    with pytest.raises(ValueError, match="no random generator 'philox'"):
        D.key_dtype("philox")


def test_categories_partition_the_dtypes():
    questions = (D.is_bool, D.is_signed, D.is_unsigned, D.is_float, D.is_complex, D.is_key)
    for dtype in [*D.DTYPES.values(), fry]:
        assert sum(question(dtype) for question in questions) == 1
        assert D.is_integer(dtype) == (D.is_signed(dtype) or D.is_unsigned(dtype))
        assert D.is_inexact(dtype) == (D.is_float(dtype) or D.is_complex(dtype))
    assert not any(question(D.float0) for question in questions)


def test_issubdtype():
    assert D.issubdtype(fry, D.prng_key) and D.issubdtype(fry, D.extended) and D.issubdtype(fry, fry)
    assert D.issubdtype(D.prng_key, D.extended) and not D.issubdtype(D.extended, D.prng_key)
    assert not D.issubdtype(fry, np.number) and not D.issubdtype("float32", D.prng_key)
    assert D.issubdtype(bf16, np.floating) and D.issubdtype("int4", np.signedinteger)
    assert not D.issubdtype(bf16, np.complexfloating) and not D.issubdtype(D.float0, np.number)
    assert D.issubdtype(np.floating, np.inexact) and not D.issubdtype(np.floating, np.float32)


def test_limits():
    assert float(D.finfo("float32").eps) == np.finfo(np.float32).eps and D.finfo(bf16).bits == 16
    assert D.finfo("complex64").dtype == f32
    assert (int(D.iinfo("int4").min), int(D.iinfo("uint2").max), D.iinfo("int64").bits) == (-8, 3, 64)
    assert [D.itemsize_bits(name) for name in ("int4", "bool", "float32", "float4_e2m1fn", "complex64")] == [
        4, 8, 32, 4, 64]
    with pytest.raises(ValueError, match="use iinfo"):
        D.finfo("int32")
    with pytest.raises(ValueError, match="use finfo"):
        D.iinfo("float32")
    with pytest.raises(ValueError, match="key<fry>"):
        D.itemsize_bits(fry)


def test_derived_dtypes():
    assert D.tangent_dtype(bf16) is bf16 and D.tangent_dtype(i32) == D.float0 == D.tangent_dtype(fry)
    assert D.complex_dtype(bf16) == np.complex64 and D.complex_dtype(i64) == np.complex128
    assert D.real_dtype(np.dtype("complex128")) == f64 and D.real_dtype(f16) == f16
    assert D.python_type("bfloat16") is float and D.python_type(np.uint8) is int
    assert D.python_scalar_dtype(bool, True) == (np.dtype(bool), False)
    assert D.python_scalar_dtype(int, True) == (i64, True) and D.python_scalar_dtype(int, False) == (i32, True)


def test_promotion_facts():
    assert D.promote_types("int8", "uint32") == i64
    assert D.promote_types("bfloat16", "float16") == f32
    assert D.join((f16, False), (f32, True)) == (f16, False)
    assert D.join((i8, False), (u32, False), x64=False) == (i32, False)
    assert D.join((i64, False), (u64, False)) == (f64, True)
    assert D.join_all([(i64, True), (f32, True), (i8, False)]) == (f64, True)
    assert D.join_all([(u64, True), (i8, True), (i8, False)]) == (i8, False)  # weak ones yield first
    assert D.join_all([(f64, True)], x64=False) == (f32, True)
    assert D.promote_types(fry, fry) is fry


def test_joins_are_a_lattice():
    pairs = [(dtype, weak) for dtype in D.DTYPES.values() for weak in (False, True)]

    def joined(*args, strict):
        try:
            return D.join(*args, strict=strict)
        except errors.TypePromotionError:
            return None

    for strict, (a, b) in itertools.product((False, True), itertools.product(pairs, pairs)):
        assert joined(a, b, strict=strict) == joined(b, a, strict=strict)
    strong = [pair for pair in pairs if not pair[1]]
    for a, b, c in itertools.product(strong, strong, strong):
        left, right = joined(a, b, strict=False), joined(b, c, strict=False)
        if left and right:
            assert joined(left, c, strict=False) == joined(a, right, strict=False)


def test_promotion_that_is_refused():
    with pytest.raises(errors.TypePromotionError) as caught:
        D.promote_types("float16", "bfloat16", strict=True)
    assert str(caught.value) == (
        "Input dtypes ('bfloat16', 'float16') have no available implicit dtype promotion path when "
        "jax_numpy_dtype_promotion=strict. Try explicitly casting inputs to the desired output type, or set "
        "jax_numpy_dtype_promotion=standard.")
    assert D.promote_types("float16", "float16", strict=True) == f16
    assert D.join((f16, False), (f32, True), strict=True) == (f16, False)
    with pytest.raises(errors.TypePromotionError, match=r"\('int8', 'weak float64'\)"):
        D.join((i8, False), (f64, True), strict=True)
    with pytest.raises(errors.TypePromotionError, match="8-bit floats do not support implicit promotion"):
        D.promote_types("float8_e5m2", "float32")
    with pytest.raises(errors.TypePromotionError, match="4-bit integers do not support implicit promotion"):
        D.promote_types("int4", "int8")
    with pytest.raises(errors.TypePromotionError, match="key<fry> meets only itself"):
        D.promote_types(fry, "float32")


def test_a_refused_join_is_refused_again():
    for _ in range(2):
        with pytest.raises(errors.TypePromotionError):
            D.JOINS[False, False][(D.DTYPES["int4"], False), (f32, False)]
