"""Scalar types and questions about dtypes."""
import pickle

import ml_dtypes
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon.types.dtype import DTYPES


@pytest.mark.parametrize("name", list(DTYPES))
def test_scalar_types_stand_for_dtypes(name):
    scalar, dtype = getattr(jnp, name), DTYPES[name]
    assert scalar.dtype == dtype and np.dtype(scalar) == dtype and jnp.dtype(scalar) == dtype
    assert scalar == dtype and scalar == dtype.type and dtype == scalar and hash(scalar) == hash(dtype.type)
    assert scalar != "no dtype" and scalar != DTYPES["int16" if name != "int16" else "int32"]
    assert pickle.loads(pickle.dumps(scalar)) is scalar
    assert isinstance(scalar, type) and isinstance(dtype.type(1), scalar)
    assert (scalar.__name__, scalar.__module__) == (name, "gnomon.numpy")
    assert repr(scalar) == f"<class 'gnomon.numpy.{name}'>"


def test_scalar_types_make_arrays():
    for made, dtype in ((jnp.float32(1), "float32"), (jnp.bfloat16([1, 2]), ml_dtypes.bfloat16),
                        (jnp.int8(jnp.arange(3)), "int8"), (jnp.bool_(2), "bool"), (jnp.complex64(1), "complex64"),
                        (jnp.int4(3), ml_dtypes.int4)):
        assert made.dtype == dtype and not made.weak_type
    assert not isinstance(jnp.float32(1), jnp.float32)
    with pytest.raises(OverflowError, match="300 does not fit in uint8"):
        jnp.uint8(300)
    with pytest.warns(G.errors.GnomonWarning, match="float64 is not available"):
        assert jnp.float64(1).dtype == np.float32
    with G.enable_x64(True):
        assert jnp.float64(1).dtype == np.float64 and jnp.int_(1).dtype == np.int64


def test_names():
    assert (jnp.int_, jnp.uint, jnp.float_, jnp.complex_) == (jnp.int64, jnp.uint64, jnp.float64, jnp.complex128)
    assert (jnp.single, jnp.double, jnp.csingle) == (jnp.float32, jnp.float64, jnp.complex64)
    assert jnp.bool is jnp.bool_ and jnp.floating is np.floating and jnp.dtype is np.dtype and jnp.newaxis is None
    assert (jnp.pi, jnp.e, jnp.inf, jnp.euler_gamma) == (np.pi, np.e, np.inf, np.euler_gamma) and jnp.nan != jnp.nan
    assert isinstance(jnp.ones(2), jnp.ndarray)
    assert float(jnp.finfo(jnp.bfloat16).eps) == 0.0078125 and jnp.iinfo(jnp.int4).max == 7


def test_promotion():
    assert jnp.promote_types("int8", "uint32") == np.int64
    assert jnp.promote_types(float, jnp.bfloat16) == ml_dtypes.bfloat16
    with pytest.raises(G.errors.TypePromotionError):
        jnp.promote_types("float8_e5m2", "float32")
    x = jnp.arange(3, dtype="int8")
    for args, dtype in (((1, 2.0), "float32"), ((x, 3), "int8"), ((x, 2.5), "float32"),
                        (("int32", jnp.float16), "float16"), ((jnp.array(1.0), jnp.bfloat16), ml_dtypes.bfloat16),
                        ((np.float64(1), jnp.float16), "float32"),
                        ((True, 1), "int32"), ((int,), "int32")):
        assert jnp.result_type(*args) == dtype, args
    with pytest.raises(ValueError, match="at least one"):
        jnp.result_type()
    with pytest.raises(TypeError, match="result_type takes arrays, numbers and dtypes"):
        jnp.result_type([1])


def test_questions():
    assert jnp.issubdtype(jnp.bfloat16, jnp.floating) and jnp.issubdtype(int, jnp.integer)
    assert not jnp.issubdtype("int8", "int16") and not jnp.can_cast(jnp.ones(2), "int32")
    assert jnp.can_cast("int8", "int32") and jnp.can_cast(jnp.bfloat16, "float32")
    for dtype, kind, answer in (("float32", "real floating", True), (jnp.int4, "signed integer", True),
                                ("bool", "numeric", False), (jnp.bfloat16, ("integral", "bool"), False),
                                ("float32", jnp.float32, True),
                                ("complex64", ("bool", "complex floating"), True)):
        assert jnp.isdtype(dtype, kind) is answer
    with pytest.raises(ValueError, match="'foo'"):
        jnp.isdtype("float32", "foo")
    with pytest.raises(TypeError, match="floating"):
        jnp.isdtype("float32", jnp.floating)
    assert jnp.iscomplexobj(1j) and jnp.isrealobj(jnp.ones(2)) and jnp.iscomplexobj([1, 2j])
    assert not jnp.iscomplexobj(None)
    assert all(map(jnp.isscalar, (1, 2.0, "a", np.float32(1), jnp.float32(1), np.array(1))))
    assert not any(map(jnp.isscalar, (None, jnp.ones(1), [1])))
