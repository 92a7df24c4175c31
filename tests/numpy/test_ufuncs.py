"""Elementwise functions against NumPy's in higher precision: all at once in one program per dtype, and one by one."""
import ml_dtypes
import numpy as np
import pytest
import scipy.special
from hypothesis import given, strategies as st

import gnomon as G
import gnomon.numpy as jnp
from gnomon.types.dtype import finfo

pytestmark = pytest.mark.filterwarnings("ignore")

BF16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype("float32"), np.dtype("float16"), BF16, np.dtype("float64")]
INTEGERS = [np.dtype(d) for d in ("int8", "uint8", "int16", "uint16", "int32", "uint32")]
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 0.1, np.inf, -np.inf, np.nan]
PLAIN = [0.1, 0.9, 0.3, 0.5, 0.75, 0.99]

# name -> NumPy's function, where it has another name or none
REFERENCES = {"i0": scipy.special.i0, "bitwise_count": lambda x: np.bitwise_count(x), "acos": np.arccos}
EXACT = """negative positive absolute fabs sign signbit square floor ceil trunc rint round isnan isinf isfinite isposinf
    isneginf real imag conj logical_not sqrt isreal iscomplex nan_to_num""".split()
CLOSE = """exp exp2 expm1 sin cos tan arctan sinh cosh tanh arcsinh cbrt degrees radians angle sinc""".split()
POSITIVE = """log log2 log10 log1p arcsin arccos arctanh reciprocal i0""".split()
ABOVE_ONE = """arccosh""".split()
OF_INTEGERS = """negative absolute sign signbit square floor round invert isnan isfinite real imag logical_not positive
    nan_to_num isinf trunc""".split()


def reference(name, *xs):
    """NumPy's answer, in float64 where it is about floats."""
    wide = [np.asarray(x).astype(np.float64) if np.asarray(x).dtype.kind in "fV" else np.asarray(x) for x in xs]
    with np.errstate(all="ignore"):
        return REFERENCES[name](*wide) if name in REFERENCES else getattr(np, name)(*wide)


def check(ours, theirs, dtype, name, loose=8):
    """Equal shapes, and numbers as close as the dtype allows."""
    ours = ours if isinstance(ours, tuple) else (ours,)
    theirs = theirs if isinstance(theirs, tuple) else (theirs,)
    for a, b in zip(ours, theirs):
        assert a.shape == np.shape(b), name
        a, b = np.asarray(a), np.asarray(b)
        if b.dtype.kind == "f":
            eps = 0.0 if loose == 0 else loose * float(finfo(dtype).eps)
            with np.errstate(all="ignore"):
                b = b.astype(dtype).astype(np.float64)
            np.testing.assert_allclose(a.astype(np.float64), b, rtol=eps, atol=eps / 4, err_msg=name)
        else:
            np.testing.assert_array_equal(a, b, err_msg=name)


def all_at_once(names, *xs):
    return G.jit(lambda *xs: {name: getattr(jnp, name)(*xs) for name in names})(*xs)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("names, numbers, loose", [
    (EXACT, EDGES, 0), (CLOSE, PLAIN, 8), (POSITIVE, PLAIN, 8), (ABOVE_ONE, [1.0, 1.5, 3.0], 8),
], ids=["exact", "close", "positive", "above 1"])
def test_floats(dtype, names, numbers, loose):
    with G.enable_x64(dtype == np.float64):
        x = np.array(numbers).astype(dtype)
        for name, out in all_at_once(names, x).items():
            if name == "nan_to_num":
                with np.errstate(all="ignore"):
                    limit = float(finfo(dtype).max)
                    check(out, np.nan_to_num(x.astype(np.float64), posinf=limit, neginf=-limit), dtype, name, 0)
            elif name in ("sqrt", "cbrt", "log") and dtype == np.float64:
                check(out, reference(name, x), dtype, name)
            else:
                check(out, reference(name, x), dtype, name, loose)


@pytest.mark.parametrize("name", ["sin", "exp", "log10", "sinc", "hypot", "isfinite", "sqrt", "angle", "i0"])
def test_eager_is_the_same(name):
    x = np.array(PLAIN, "float32")
    xs = (x, x[::-1]) if name == "hypot" else (x,)
    check(getattr(jnp, name)(*xs), reference(name, *xs), np.dtype("float32"), name)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers(dtype):
    info = np.iinfo(dtype)
    x = np.array([0, 1, 2, 7, info.max, info.min, info.max // 3], dtype)
    names = [*OF_INTEGERS, "bitwise_count"]
    for name, out in all_at_once(names, x).items():
        expected = reference(name, x)
        assert out.dtype == expected.dtype, name
        np.testing.assert_array_equal(out, expected, err_msg=name)


def test_booleans():
    b = np.array([True, False])
    for name in ("absolute", "invert", "logical_not", "floor", "trunc", "real", "isnan"):
        np.testing.assert_array_equal(getattr(jnp, name)(b), reference(name, b), err_msg=name)
    assert not jnp.signbit(b).any() and (jnp.positive(b) == b).all()
    assert jnp.square(b).dtype == np.int32


# ---- of two arrays ----------------------------------------------------------------------------------------------

PAIRS_EXACT = """add subtract multiply maximum minimum fmax fmin equal not_equal less less_equal greater greater_equal
    logical_and logical_or logical_xor copysign fmod""".split()
PAIRS_CLOSE = """divide arctan2 hypot logaddexp logaddexp2 heaviside""".split()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_pairs_of_floats(dtype):
    with G.enable_x64(dtype == np.float64):
        x = np.array(EDGES).astype(dtype)
        x, y = [v.reshape(-1) for v in np.meshgrid(x, x)]
        for name, out in all_at_once([*PAIRS_EXACT, *PAIRS_CLOSE], x, y).items():
            check(out, reference(name, x, y), dtype, name, 0 if name in PAIRS_EXACT else 4)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_pairs_of_integers(dtype):
    info = np.iinfo(dtype)
    numbers = [0, 1, 2, 3, 7, info.max, info.min, info.max - 1]
    x, y = [v.reshape(-1) for v in np.meshgrid(np.array(numbers, dtype), np.array(numbers, dtype))]
    names = ["add", "subtract", "multiply", "maximum", "minimum", "floor_divide", "remainder", "fmod", "divmod", "less",
             "bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor"]
    for name, out in all_at_once(names, x, y).items():
        expected = reference(name, x, y)
        for ours, theirs in zip(*[v if isinstance(v, tuple) else (v,) for v in (out, expected)]):
            assert ours.dtype == theirs.dtype, name
            np.testing.assert_array_equal(ours, theirs, err_msg=name)
    small = np.array([1, 3, 7, 12], dtype), np.array([6, 9, 7, 8], dtype)
    for name, out in all_at_once(["gcd", "lcm", "left_shift", "right_shift"], *small).items():
        np.testing.assert_array_equal(out, reference(name, *small), err_msg=name)


def test_shifts_of_negative_numbers():
    x = np.array([-8, -1, 127, -128], "int8")
    np.testing.assert_array_equal(jnp.right_shift(x, 2), np.right_shift(x, 2))
    np.testing.assert_array_equal(x << jnp.array(1, "int8"), x << np.int8(1))
    np.testing.assert_array_equal(jnp.gcd(np.array([-12, 0, 18]), 8), [4, 8, 2])


@pytest.mark.parametrize("dtype", FLOATS[:2], ids=str)
def test_division_that_rounds_down(dtype):
    numbers = np.array([0.0, -0.0, 1.0, -1.0, 3.0, -7.0, 0.1, 5.5, np.inf, -np.inf, np.nan]).astype(dtype)
    x, y = [v.reshape(-1) for v in np.meshgrid(numbers, numbers)]
    with np.errstate(all="ignore"):
        for name in ("floor_divide", "remainder"):
            for out in (getattr(jnp, name)(x, y), G.jit(getattr(jnp, name))(x, y)):
                expected = getattr(np, name)(x, y)
                np.testing.assert_array_equal(out, expected, err_msg=name)
                if name == "floor_divide":
                    np.testing.assert_array_equal(np.signbit(out), np.signbit(expected), err_msg="signs")


def test_numbers_as_divisors():
    x = np.array([-7, -3, 0, 3, 7])
    for n in (3, -3, 1, -1, 0):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(jnp.array(x) // n, x // n)
            np.testing.assert_array_equal(jnp.array(x) % n, x % n)
            np.testing.assert_array_equal(n // jnp.array(x), n // x)
            np.testing.assert_array_equal(G.jit(lambda x: x % n)(x), x % n)
            np.testing.assert_array_equal(G.jit(lambda x: x // n)(x), x // n)


# ---- powers -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("power", [-3, -1, 0, 1, 2, 5])
def test_fixed_powers(power):
    x = np.array([-2.0, -0.5, 0.3, 4.0], "float32")
    np.testing.assert_allclose(jnp.array(x) ** power, x ** power, rtol=1e-6)
    jaxpr = str(G.make_jaxpr(lambda x: x ** power)(x))
    assert power == 1 or f"integer_pow[y={power}]" in jaxpr


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32"])
def test_powers_of_integers(dtype):
    signed = np.dtype(dtype).kind == "i"
    x = np.array([0, 1, 2, 3, 5, *([-1, -2, -3] if signed else [])], dtype)
    y = np.array([0, 1, 2, 3, 7, 31, 100], dtype)
    x, y = [v.reshape(-1) for v in np.meshgrid(x, y)]
    np.testing.assert_array_equal(jnp.power(x, y), np.power(x, y))
    if signed:
        x, y = np.array([1, -1, -1, 2, 0], dtype), np.array([-1, -1, -2, -1, -3], dtype)
        np.testing.assert_array_equal(jnp.power(x, y), [1, -1, 1, 0, 0])
    with pytest.raises(TypeError, match="negative power -1"):
        jnp.array(x) ** -1


def test_powers_of_floats():
    x, y = np.array([2.0, 0.5, 3.0], "float32"), np.array([0.5, -1.5, 2.0], "float32")
    for a, b in ((x, y), (x, 0.5), (2.0, y), (x, np.array([2, -1, 0])), (x, np.int32(3)), (np.array([2, 3]), 0.5)):
        np.testing.assert_allclose(jnp.power(a, b), np.power(a, b), rtol=1e-6)
    assert float(G.grad(lambda x: jnp.power(x, jnp.array(0)))(0.0)) == 0.0
    assert float(G.grad(lambda x: x ** 0)(0.0)) == 0.0


# ---- rounding, limits, choices ----------------------------------------------------------------------------------

@pytest.mark.parametrize("decimals", [-2, -1, 0, 1, 3])
def test_round(decimals):
    x = np.array([-1234.5678, 15.0, 25.0, 0.125, 2.5, 1e-7, np.inf, np.nan], "float32")
    np.testing.assert_allclose(jnp.round(x, decimals), np.round(x.astype("float64"), decimals), rtol=1e-6, atol=1e-3)
    for dtype in ("int32", "int8", "uint8"):
        i = np.array([5, 15, 25, 26, 34, 100, 126] + ([-5, -15, -26] if dtype != "uint8" else []), dtype)
        expected = np.round(i.astype("int64"), decimals).astype(dtype)
        np.testing.assert_array_equal(jnp.round(i, decimals), expected, err_msg=dtype)
    z = np.array([1.25 + 2.75j], "complex64")
    np.testing.assert_allclose(jnp.round(z, max(decimals, 0)), np.round(z, max(decimals, 0)))


def test_round_of_python_and_methods():
    x = jnp.array([2.6, -1.2])
    assert round(x).tolist() == [3, -1] and round(x).dtype == np.int32
    assert round(x, 0).dtype == np.float32
    np.testing.assert_array_equal(x.round(), [3, -1])


def test_clip():
    x = np.arange(-3, 4).astype("float32")
    for low, high in ((-1, 1), (None, 0.5), (0, None), (None, None), (2, -2), (np.array(-1.0), 1), (np.nan, 1)):
        np.testing.assert_array_equal(jnp.clip(x, low, high), x if low is high is None else np.clip(x, low, high))
    u = np.arange(3, dtype="uint8")
    np.testing.assert_array_equal(jnp.clip(u, -5, 300), u)
    np.testing.assert_array_equal(jnp.clip(u, 1, 300), [1, 1, 2])
    assert jnp.clip(np.arange(3), 0.5, 1.5).dtype == np.float32
    with pytest.raises(ValueError, match="clip takes real numbers"):
        jnp.clip(1j * x, 0, 1)


def test_where():
    c = np.array([[True], [False]])
    x, y = np.arange(3.0, dtype="float32"), np.ones((4, 1, 1), "float32")
    for out in (jnp.where(c, x, y), G.jit(jnp.where)(c, x, y)):
        np.testing.assert_array_equal(out, np.where(c, x, y))
    assert jnp.where(True, 1, 2.5).weak_type and float(jnp.where(True, 1, 2.5)) == 1
    assert jnp.where(c, np.arange(3, dtype="int8"), 2).dtype == np.int8
    np.testing.assert_array_equal(jnp.where(np.array([0.0, 2.0, np.nan]), 1, 0), [0, 1, 1])
    np.testing.assert_array_equal(jnp.where(np.array([0, 1, 1]))[0], [1, 2])
    with pytest.raises(ValueError, match="both x and y"):
        jnp.where(c, x)
    with pytest.raises(TypeError, match="where got incompatible shapes"):
        jnp.where(np.ones(2) > 0, x, 0)
    with pytest.raises(TypeError, match="where requires ndarray"):
        jnp.where([True], x, 0)


def test_select_and_piecewise():
    x = np.arange(6.0, dtype="float32")
    conditions, choices = [x < 2, x > 3, x > 1], [x, x * 10, -x]
    np.testing.assert_array_equal(jnp.select(conditions, choices, 7), np.select(conditions, choices, 7))
    np.testing.assert_array_equal(G.jit(jnp.select)(conditions, choices), np.select(conditions, choices))
    functions = [lambda v: -v, lambda v: v * 2, 5.0]
    for args in (([x < 1, x > 3], functions), ([x < 4, x > 2], functions[:2]), ([x < 1], [lambda v, k: v + k], 3)):
        np.testing.assert_array_equal(jnp.piecewise(x, *args), np.piecewise(x, *args))
    for bad in (lambda: jnp.select([], []), lambda: jnp.select([x > 1], []), lambda: jnp.piecewise(x, [x > 1], [])):
        with pytest.raises(ValueError):
            bad()


# ---- floats by their bits ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_float_parts(dtype):
    with G.enable_x64(dtype == np.float64):
        tiny = [float(finfo(dtype).tiny), float(finfo(dtype).smallest_subnormal), float(finfo(dtype).max)]
        x = np.array([3.0, -0.1, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e-4, *tiny, -tiny[1] * 3]).astype(dtype)
        mantissa, exponent = jnp.frexp(x)
        wide = np.frexp(x.astype("float64"))
        finite = np.isfinite(x.astype("float64"))
        np.testing.assert_array_equal(np.asarray(mantissa).astype("float64"), wide[0])
        np.testing.assert_array_equal(np.asarray(exponent)[finite], wide[1][finite])
        np.testing.assert_array_equal(jnp.signbit(x), np.signbit(x))
        if dtype != BF16:
            expected = np.spacing(x) if dtype != np.float16 else np.where(x < 0, -1, 1) * np.abs(np.spacing(x))
            np.testing.assert_array_equal(jnp.spacing(x), expected)
        np.testing.assert_array_equal(np.asarray(jnp.modf(x)[1]).astype("float64"), np.modf(x.astype("float64"))[1])


def test_ldexp():
    x = np.array([1.0, 3.0, -0.5, np.inf, 0.0], "float32")
    for n in (0, 5, -5, 100, -100, 127, -125, 200, -300):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(jnp.ldexp(x, n), np.ldexp(x, n))
    assert float(jnp.ldexp(np.float32(2.0 ** -100), 200)) == 2.0 ** 100
    assert float(G.grad(lambda x: jnp.ldexp(x, 3))(3.0)) == 8.0
    assert float(G.grad(lambda x: jnp.frexp(x)[0])(3.0)) == 0.25


def test_complex_numbers():
    z = np.array([1 + 2j, -1 - 1j, 0.5j, -2 + 0j], "complex64")
    names = """exp log sqrt sin cos tanh absolute angle real imag conj square sign isfinite isinf iscomplex rint sinc
        log10""".split()
    for name in names:
        np.testing.assert_allclose(getattr(jnp, name)(z), getattr(np, name)(z), rtol=1e-5, atol=1e-6, err_msg=name)
    w = z[::-1]
    for name in ("add", "multiply", "divide", "less", "greater_equal", "maximum", "minimum", "power"):
        np.testing.assert_allclose(getattr(jnp, name)(z, w), getattr(np, name)(z, w), rtol=1e-4, err_msg=name)
    np.testing.assert_allclose(jnp.logaddexp(z, w), np.log(np.exp(z) + np.exp(w)), rtol=1e-5)


# ---- derivatives where they are delicate ------------------------------------------------------------------------

def derivatives(function, x, times=3):
    found = []
    for _ in range(times):
        function = G.grad(function)
        found.append(float(function(x)))
    return found


@pytest.mark.parametrize("name, x, expected", [
    ("sinc", 0.0, [0.0, -np.pi ** 2 / 3, 0.0]), ("i0", 0.0, [0.0, 0.5, 0.0]), ("abs", 0.0, [0.0, 0.0, 0.0]),
    ("tanh", 1e-4, [1.0, -2e-4, -2.0]), ("log1p", 0.0, [1.0, -1.0, 2.0]), ("expm1", 0.0, [1.0, 1.0, 1.0]),
    ("square", 3.0, [6.0, 2.0, 0.0]), ("reciprocal", 2.0, [-0.25, 0.25, -0.375]),
])
def test_derivatives(name, x, expected):
    np.testing.assert_allclose(derivatives(getattr(jnp, name), x), expected, rtol=1e-4, atol=1e-5)


def test_derivatives_of_pairs_at_their_corners():
    both = lambda f, x, y: [float(d) for d in G.grad(f, (0, 1))(x, y)]
    assert both(jnp.hypot, 0.0, 0.0) == [0.0, 0.0]
    assert both(jnp.maximum, 1.0, 1.0) == [0.5, 0.5]
    assert both(jnp.logaddexp, -np.inf, -np.inf) == [0.5, 0.5]
    assert both(jnp.logaddexp, np.inf, np.inf) == [0.5, 0.5]
    assert both(jnp.logaddexp, 0.0, -np.inf) == [1.0, 0.0]
    assert float(G.hessian(lambda x: jnp.logaddexp(x, 0.0))(0.0)) == 0.25
    assert both(jnp.remainder, 7.0, 3.0) == [1.0, -2.0]
    assert both(jnp.floor_divide, 7.0, 3.0) == [0.0, 0.0]
    assert both(jnp.fmax, np.nan, 2.0) == [0.0, 1.0]


def test_untaken_branches_have_no_say():
    grad = G.grad(lambda x: jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0).sum())
    np.testing.assert_array_equal(grad(jnp.array([-1.0, 0.0, 4.0])), [0, 0, 0.25])
    assert float(G.grad(lambda x: jnp.std(x * jnp.ones(3)))(2.0)) == 0.0
    assert np.isfinite(G.grad(lambda x: jnp.abs(x))(0.0))
    assert complex(G.grad(lambda z: jnp.abs(z), holomorphic=False)(0j)) == 0


# ---- properties -------------------------------------------------------------------------------------------------

@given(st.integers(-2**31, 2**31 - 1), st.integers(-2**31, 2**31 - 1))
def test_quotient_and_remainder_fit_together(x, y):
    if y == 0 or (x, y) == (-2**31, -1):
        return
    q, r = jnp.divmod(np.int32(x), np.int32(y))
    assert int(q) * y + int(r) == x and (int(q), int(r)) == divmod(x, y)


@given(st.floats(width=32), st.floats(width=32))
def test_fmax_against_numpy(x, y):
    np.testing.assert_array_equal(jnp.fmax(np.float32(x), np.float32(y)), np.fmax(np.float32(x), np.float32(y)))


FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(FINITE, FINITE)
def test_floor_divide_against_numpy(x, y):
    x, y = np.float32(x), np.float32(y)
    if y == 0 or min(abs(x), abs(y)) < 1e-30 or abs(x) > 1e30 or abs(x / y) > 1e30:
        return
    np.testing.assert_array_equal(jnp.floor_divide(x, y), np.floor_divide(x, y))


def test_errors_name_the_function():
    x = jnp.ones(3)
    for call, words in (
            (lambda: jnp.bitwise_and(x, x), "bitwise_and takes integers and booleans, got an array of float32"),
            (lambda: jnp.negative(x > 0), "negative takes numbers, got an array of bool"),
            (lambda: jnp.hypot(1j, x), "hypot takes real numbers"), (lambda: jnp.gcd(x, 1), "gcd takes integers"),
            (lambda: jnp.add(x, [1, 2]), "add requires ndarray or scalar arguments, got <class 'list'> at position 1"),
            (lambda: jnp.sin("a"), "sin requires ndarray or scalar arguments"),
            (lambda: jnp.add(x, jnp.ones(2)), r"add got incompatible shapes for broadcasting: \(3,\), \(2,\)"),
            (lambda: jnp.floor(1j), "floor takes real numbers"), (lambda: jnp.round(x > 0), "round takes numbers"),
            (lambda: jnp.ldexp(x, x), "ldexp: x2 takes integers")):
        with pytest.raises(TypeError, match=words):
            call()
    with pytest.raises(NotImplementedError, match="modf takes no 'out'"):
        jnp.modf(x, out=x)
