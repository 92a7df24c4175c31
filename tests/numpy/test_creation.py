"""Making arrays: dtypes, weak types, numbers, errors."""
import enum
import warnings

import ml_dtypes
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp

pytestmark = pytest.mark.filterwarnings("ignore::gnomon.errors.GnomonWarning")


class Level(enum.IntEnum):
    LOW = 3


class Wrapper:
    def __jax_array__(self):
        return jnp.arange(2)


class Foreign:
    def __array__(self, dtype=None, copy=None):
        return np.ones(2, np.float16)


# what is converted, and the type (a star for weak) it has outside of traces and inside
CONVERSIONS = [
    (1.0, "f32[]*"), (1, "i32[]*"), (True, "bool[]"), (1j, "c64[]*"), (np.float32(1), "f32[]"), (np.float64(1), "f32[]"),
    (np.int64(5), "i32[]"), ([1.0], "f32[1]"), ([1, 2.0], "f32[2]"), ([True, 1], "i32[2]"), ([], "f32[0]"), ([[], []], "f32[2,0]"),
    ([1, 1j], "c64[2]"), ((1, (2)), "i32[2]"), ([np.float16(1), 2.0], "f16[2]"), ([np.float16(1), np.int32(2)], "f16[2]"),
    ([np.ones(2, np.float16), np.ones(2, np.int32)], "f16[2,2]"), ([[1, 2], np.array([3.5, 4])], "f32[2,2]"), (range(3), "i32[3]"),
    (np.ones((2, 0)), "f32[2,0]"), (bytearray(b"ab"), "u8[2]"), (memoryview(b"ab"), "u8[2]"), (Level.LOW, "i32[]*"),
    (np.array([1, 2], ml_dtypes.bfloat16), "bf16[2]"), (Wrapper(), "i32[2]"), (Foreign(), "f16[2]"), ([Foreign(), Foreign()], "f16[2,2]"),
    ([Level.LOW, 2.5], "f32[2]"),
]


def shown(x):
    return x.type.short() + "*" * x.type.weak_type


@pytest.mark.parametrize("value, text", CONVERSIONS, ids=[repr(v)[:30] for v, _ in CONVERSIONS])
def test_types(value, text):
    seen = []
    G.make_jaxpr(lambda: seen.append(shown(jnp.asarray(value))) or jnp.array(value))()
    assert [shown(jnp.array(value)), shown(jnp.asarray(value)), *seen] == [text] * 3
    expected = np.asarray(value.__jax_array__() if hasattr(value, "__jax_array__") else value)
    np.testing.assert_allclose(np.asarray(jnp.array(value)).astype(complex), expected.astype(complex))


def test_values_of_arrays_in_lists():
    x, weak = jnp.ones(2, "int8"), jnp.array(1.0)
    assert shown(jnp.array([x, x])) == "i8[2,2]" and shown(jnp.array([weak, 2])) == "f32[2]" and shown(jnp.array([x[0], 1])) == "i8[2]"
    assert shown(jnp.array([[weak, 1], [2, x[0]]])) == "f32[2,2]"
    np.testing.assert_array_equal(G.jit(lambda a: jnp.array([[a, 1], [2, a + 1]]))(5), [[5, 1], [2, 6]])
    np.testing.assert_array_equal(G.grad(lambda a: jnp.array([a, 2 * a, 3.0]).sum())(1.0), 3)
    keys = jnp.array([G.random.key(0), G.random.key(1)])
    assert keys.shape == (2,) and keys.dtype == G.random.key(0).dtype


def test_dtype_argument():
    assert shown(jnp.array(1, float)) == "f32[]" and shown(jnp.array([1.7, -1.7], int)) == "i32[2]"
    assert shown(jnp.asarray(jnp.array(1.0), "float32")) == "f32[]" and shown(jnp.array([1, 0], bool)) == "bool[2]"
    np.testing.assert_array_equal(jnp.array([1.7, -1.7], "int8"), [1, -1])
    np.testing.assert_array_equal(jnp.array(np.float64([-1, 3e10, np.nan, 254.5]), "uint8"), [0, 255, 0, 254])
    np.testing.assert_array_equal(jnp.array(np.float32([1e10, -1e10]), "int32"), [2**31 - 1, -(2**31)])
    with G.enable_x64(True):
        assert shown(jnp.array(1)) == "i64[]*" and shown(jnp.zeros(2)) == "f64[2]" and shown(jnp.array([2**40])) == "i64[1]"
        assert shown(jnp.array(np.float32(1))) == "f32[]"


def test_narrowing_is_announced():
    with pytest.warns(G.errors.GnomonWarning, match="Explicitly requested dtype float64 is not available"):
        assert jnp.zeros(2, np.float64).dtype == "float32"
    with pytest.warns(G.errors.GnomonWarning, match="wrap around"):
        assert jnp.asarray(np.array([2**32 + 5])).tolist() == [5]
    with pytest.warns(G.errors.GnomonWarning, match="wraps around to 44"):
        assert jnp.full(2, 300, "uint8").tolist() == [44, 44]


@pytest.mark.filterwarnings("error")
def test_no_announcement_without_cause():
    jnp.zeros(2, float), jnp.arange(3, dtype=int), jnp.array([1.0, 2], float), jnp.asarray(np.float32([1])), jnp.zeros(2, "float32")


@pytest.mark.parametrize("call, error, text", [
    (lambda: jnp.array("abc"), TypeError, "array takes arrays, numbers and nested lists of them, got 'abc' of type str"),
    (lambda: jnp.array(None), TypeError, "got None"),
    (lambda: jnp.array([1.0, None]), TypeError, "got None"),
    (lambda: jnp.array({1: 2}), TypeError, "of type dict"),
    (lambda: jnp.array(np.array(["a"])), TypeError, "knows no arrays of <U1"),
    (lambda: jnp.array([[1, 2], [3]]), ValueError, "inhomogeneous"),
    (lambda: jnp.array([jnp.ones(2), 1]), ValueError, "inhomogeneous"),
    (lambda: G.jit(lambda x: jnp.array([x, 1.0]))(jnp.ones(2)), ValueError, "different shapes"),
    (lambda: jnp.array(2**40), OverflowError, "does not fit in int32"),
    (lambda: jnp.array([2**40]), OverflowError, "out of bounds for int32"),
    (lambda: jnp.array(-1, "uint8"), OverflowError, "does not fit in uint8"),
    (lambda: jnp.array(1j, float), TypeError, "complex"),
    (lambda: jnp.array(1.0, "U3"), TypeError, "not the dtype of an array"),
    (lambda: jnp.array(np.ones(2), order="F"), G.errors.Refused, "C order"),
    (lambda: jnp.zeros(-1), ValueError, "must not be negative"),
    (lambda: jnp.zeros((2, 1.5)), TypeError, "must be an integer, got 1.5"),
    (lambda: jnp.zeros_like([1]), TypeError, "zeros_like requires ndarray or scalar arguments, got <class 'list'>"),
    (lambda: jnp.full(3, [1, 2]), TypeError, "full requires ndarray"),
    (lambda: jnp.full((2, 3), jnp.ones(2)), ValueError, "cannot broadcast a value of shape"),
    (lambda: jnp.copy([1]), TypeError, "copy requires"),
    (lambda: jnp.arange(0, 1, 0), ZeroDivisionError, "step=0"),
    (lambda: jnp.arange(1j), TypeError, "counts real numbers"),
    (lambda: jnp.arange(None), TypeError, "got None"),
    (lambda: jnp.arange(jnp.arange(3)), ValueError, "must be scalars"),
    (lambda: G.jit(jnp.arange)(3), G.errors.ConcretizationTypeError, "argument start"),
    (lambda: G.jit(jnp.zeros)(3), G.errors.TracerIntegerConversionError, "argument shape"),
    (lambda: jnp.eye(-1), ValueError, "must not be negative"),
    (lambda: jnp.eye(2, k=1.5), TypeError, "integer"),
    (lambda: jnp.fromfile("x"), G.errors.Refused, "asarray"),
    (lambda: jnp.fromiter([1], int), G.errors.Refused, "asarray"),
], ids=lambda x: "")
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("shape", [(), 3, (2, 3), (0, 2), np.array([2, 2]), [2, 1], (70, 70)], ids=str)
def test_of_one_number(shape):
    for make, value in ((jnp.zeros, 0), (jnp.ones, 1), (jnp.empty, 0), (lambda *a: jnp.full(a[0], 7, *a[1:]), 7)):
        for dtype in ("float32", "int8", "bool", "bfloat16", "complex64"):
            for out in (make(shape, dtype), G.jit(lambda: make(shape, dtype))()):
                expected = np.full(shape, value, ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
                assert out.dtype == expected.dtype and not out.type.weak_type
                np.testing.assert_array_equal(np.asarray(out).astype(complex), expected.astype(complex))


def test_weak_types_of_fills():
    assert [shown(x) for x in (jnp.full(2, 1.0), jnp.full(2, True), jnp.full(2, np.float16(1)), jnp.full(2, 1.0, "float32"))] == [
        "f32[2]*", "bool[2]", "f16[2]", "f32[2]"]
    weak = jnp.array(1.0)
    assert [shown(x) for x in (jnp.zeros_like(weak), jnp.ones_like(1), jnp.full_like(weak, 2), jnp.ones_like(weak, dtype="float32"))] == [
        "f32[]*", "i32[]*", "f32[]*", "f32[]"]
    assert shown(jnp.zeros_like(jnp.arange(3), shape=(2, 2))) == "i32[2,2]"
    assert shown(jnp.zeros_like(G.ShapeDtypeStruct((2,), "int8"))) == "i8[2]"
    np.testing.assert_array_equal(jnp.full((2, 3), jnp.arange(3)), [[0, 1, 2]] * 2)
    np.testing.assert_array_equal(jnp.full_like(jnp.ones(2, int), 1.7), [1, 1])
    np.testing.assert_array_equal(G.jit(lambda x: jnp.full((2, 2), x))(3), [[3, 3]] * 2)


@pytest.mark.parametrize("args", [(3,), (3.0,), (1, 4), (0, 1, 0.1), (5, 0, -2), (0,), (-3,), (2.5,), (0.5, 3), (1, None, 2), (3, 0, -1.0),
                                  (0, -3, -1.0), (np.int8(3),), (0, 5, np.int8(2))], ids=str)
def test_arange(args):
    expected = np.arange(*args) if args != (1, None, 2) else np.array([0])
    for out in (jnp.arange(*args), G.jit(lambda: jnp.arange(*args))()):
        np.testing.assert_allclose(out, expected, rtol=1e-6)
        narrow = any(isinstance(a, np.int8) for a in args)      # NumPy counts in 64 bits whatever it is given
        assert out.dtype == (np.int8 if narrow else G.dtypes.canonicalize_dtype(expected.dtype)) and not out.type.weak_type


def test_arange_beyond_its_dtype_is_announced():
    with pytest.warns(G.errors.GnomonWarning, match="arange counts from 1099511627776 to 1099511627778, which does not fit in int32; the numbers "
                      r"wrap around. Give it a dtype that holds them \(enable_x64 for 64 bits\)."):
        assert jnp.arange(2**40, 2**40 + 3).tolist() == [0, 1, 2]
    with pytest.warns(G.errors.GnomonWarning, match="arange counts from 0 to -129, which does not fit in int8"):
        G.jit(lambda: jnp.arange(0, -130, -1, dtype="int8"))()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jnp.arange(-128, 128, dtype="int8"), jnp.arange(127, -129, -1, dtype="int8"), jnp.arange(256, dtype="uint8"), jnp.arange(300, 300, dtype="int8")


def test_arange_in_dtypes():
    np.testing.assert_array_equal(jnp.arange(300, dtype="uint8"), np.arange(300) % 256)
    np.testing.assert_array_equal(jnp.arange(-1, 3, dtype="uint8"), [255, 0, 1, 2])
    np.testing.assert_array_equal(np.asarray(jnp.arange(1, 10, 3, dtype="bfloat16")).astype(float), [1, 4, 7])
    assert jnp.arange(4096, dtype="float16")[-1] == 4095 or float(jnp.arange(4096, dtype="float16")[-1]) == 4096
    assert np.signbit(np.asarray(jnp.arange(0, -2, -1.0))[0]) == np.signbit(0.0 + -0.0)


@pytest.mark.parametrize("n, m, k", [(3, None, 0), (2, 4, 1), (4, 2, -1), (3, 3, 5), (3, 3, -3), (0, 2, 0), (2, 0, 0), (1, 1, 0)])
def test_eye_and_tri(n, m, k):
    for ours, theirs in ((jnp.eye, np.eye), (jnp.tri, np.tri)):
        np.testing.assert_array_equal(ours(n, m, k), theirs(n, m, k))
        np.testing.assert_array_equal(G.jit(lambda: ours(n, m, k, "int8"))(), theirs(n, m, k, "int8"))
    np.testing.assert_array_equal(G.jit(lambda k: jnp.eye(n, m, k))(k), np.eye(n, m, k))
    assert jnp.identity(3, bool).dtype == bool


def test_astype():
    x = jnp.array([1.7, -1.7, 300.0, np.nan])
    np.testing.assert_array_equal(jnp.astype(x, "uint8"), [1, 0, 255, 0])
    np.testing.assert_array_equal(jnp.astype(jnp.array([0.5, 0, np.nan]), bool), [True, False, True])
    np.testing.assert_array_equal(jnp.astype(jnp.array([1j, 0]), bool), [True, False])
    with pytest.warns(np.exceptions.ComplexWarning):
        np.testing.assert_array_equal(jnp.astype(jnp.array([1 + 2j]), "float32"), [1])
    assert jnp.astype(jnp.array(1.0), "float32").type.weak_type is False


def test_copies_are_not_shared():
    x = jnp.arange(3.0)
    for copy in (jnp.copy(x), jnp.array(x), G.jit(jnp.copy)(x)):
        assert copy is not x
        np.testing.assert_array_equal(copy, [0, 1, 2])
    assert jnp.asarray(x) is x
    kept = G.jit(lambda x: jnp.array(x))(x)
    G.jit(lambda x: x * 2, donate_argnums=0)(x)
    np.testing.assert_array_equal(kept, [0, 1, 2])
    ours = np.ones(3, np.float32)
    made = jnp.asarray(ours)
    ours[0] = 5
    np.testing.assert_array_equal(made, [1, 1, 1])


def test_numpy_arrays_are_captured_and_numbers_written():
    program = G.make_jaxpr(lambda: (jnp.asarray(np.float32([1, 2])), jnp.asarray(1.5), jnp.zeros(2)))()
    assert "b:f32[2] = broadcast_in_dim 0.0:f32[]\n  in (a, 1.5:f32[], b) }" in str(program)
    assert len(program.consts) == 1 and len(program.eqns) == 1


def test_places():
    device = G.devices()[1]
    for x in (jnp.zeros(2, device=device), jnp.arange(3, device=device), jnp.array([1.0], device=device), jnp.eye(2, device=device),
              jnp.linspace(0, 1, 3, device=device), jnp.ones_like(jnp.zeros(2), device=device)):
        assert x.devices() == {device}
    assert jnp.zeros_like(G.device_put(jnp.ones(2), device)).devices() == {device}
    explicit = (G.sharding.AxisType.Explicit,)
    mesh = G.make_mesh((2,), ("x",), axis_types=explicit)
    spec = G.sharding.PartitionSpec("x")
    with G.sharding.set_mesh(mesh):
        x = jnp.zeros((4, 2), out_sharding=spec)
        assert str(x.type) == "float32[4@x,2]" and str(jnp.ones_like(x).type) == "float32[4@x,2]"
        assert "f32[4@x,2]" in str(G.make_jaxpr(lambda: jnp.ones((4, 2), out_sharding=spec))())


def test_from_memory_and_text():
    np.testing.assert_array_equal(jnp.frombuffer(b"abcd", dtype="uint8", count=2, offset=1), [98, 99])
    np.testing.assert_array_equal(jnp.fromstring("1, 2", sep=","), [1, 2])
    x = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(jnp.from_dlpack(x), x)
    np.testing.assert_array_equal(jnp.from_dlpack(jnp.arange(3), copy=True), [0, 1, 2])
    with pytest.warns(G.errors.GnomonWarning, match="A DLPack tensor of float64 with shape \\(2,\\).* becomes float32"):
        assert jnp.from_dlpack(np.ones(2)).dtype == np.float32
    with G.enable_x64(True):
        assert jnp.from_dlpack(np.ones(2)).dtype == np.float64
