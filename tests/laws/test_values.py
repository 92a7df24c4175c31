"""Values of elementwise functions against NumPy and SciPy, in double precision, at ordinary numbers and at the ends."""
import numpy as np
import pytest
import scipy.special as sp

import gnomon
from gnomon import lax
from gnomon.base.settings import enable_x64
from gnomon.scipy import special

INF, NAN = np.inf, np.nan
LINE = np.concatenate([np.linspace(-5, 5, 101),
                       [0.0, -0.0, INF, -INF, NAN, 1e-10, -1e-10, 1e-300, 30, -30, 300, -300, 1e5, 1e300]])
HALF_LINE = np.array([0.0, 1e-3, 0.1, 0.5, 1, 1.5, 2, 3, 10, 50, 200, 1e3, INF, NAN, -1])

UNARY = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2, "logistic": sp.expit, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "cbrt": np.cbrt, "square": np.square, "abs": np.abs, "sign": np.sign,
    "floor": np.floor,
    "ceil": np.ceil, "erf": sp.erf, "erfc": sp.erfc, "erf_inv": sp.erfinv, "bessel_i0e": sp.i0e, "bessel_i1e": sp.i1e,
    "one_minus_square": lambda x: (1 - x) * (1 + x)}
BINARY = {
    "igamma": sp.gammainc, "igammac": sp.gammaincc, "atan2": np.arctan2, "pow": np.power, "rem": np.fmod,
    "nextafter": np.nextafter,
    "max": np.maximum, "min": np.minimum, "div": np.divide}


def assert_near(got, want, rtol):
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(np.asarray(got), want, rtol=rtol, atol=1e-300)


@pytest.mark.parametrize("name", UNARY)
def test_function_of_one_number(name):
    with np.errstate(all="ignore"), enable_x64(True):
        assert_near(getattr(lax, name)(LINE), UNARY[name](LINE), 1e-12)


@pytest.mark.parametrize("name", BINARY)
def test_function_of_two_numbers(name):
    x, y = map(np.ravel, np.meshgrid(HALF_LINE, HALF_LINE))
    with np.errstate(all="ignore"), enable_x64(True):
        assert_near(getattr(lax, name)(x, y), BINARY[name](x, y), 1e-9)


@pytest.mark.parametrize("name, reference", [("lgamma", sp.gammaln), ("digamma", sp.psi)])
def test_gamma_function(name, reference):
    x = np.concatenate([np.linspace(-4.9, 5, 57), [1e-5, 30, 1e5, INF, NAN]])
    with enable_x64(True):
        assert_near(getattr(lax, name)(x), reference(x), 1e-11)


def test_polygamma_and_zeta():
    x = np.array([0.1, 0.5, 1, 2, 10, 1e3, INF, NAN])
    with enable_x64(True):
        for m in range(5):
            assert_near(lax.polygamma(np.full(len(x), float(m)), x), sp.polygamma(m, x), 1e-10)
        for s in (1.1, 2.0, 7.5):
            assert_near(lax.zeta(np.full(len(x), s), x), sp.zeta(s, x), 1e-10)


def test_incomplete_beta():
    x = np.array([0.0, 1e-10, 0.01, 0.3, 0.5, 0.9, 1, -0.1, 1.1, NAN])
    a, b, x = map(np.ravel, np.meshgrid(HALF_LINE[1:], HALF_LINE[1:], x))
    inner = ~(np.isinf(a) & np.isinf(b))
    with enable_x64(True):
        assert_near(lax.betainc(a, b, x)[inner], sp.betainc(a, b, x)[inner], 1e-8)


def test_powers_of_two_are_exact():
    for dtype, n in (("float32", 126), ("float64", 1022)):
        k = np.arange(-n, n).astype(dtype)
        with enable_x64(True):
            powers = np.asarray(lax.exp2(k))
            np.testing.assert_array_equal(powers, np.ldexp(np.ones(len(k), dtype), k.astype(int)))
            np.testing.assert_array_equal(np.asarray(lax.log2(powers)), k)


def test_erf_inv_near_one():
    x = 1 - np.logspace(-15, -1, 30)
    with enable_x64(True):
        try:
            gnomon.config.update("accurate_erf_inv", True)
            assert_near(lax.erf_inv(x), sp.erfinv(x), 1e-14)
        finally:
            gnomon.config.update("accurate_erf_inv", False)


def test_integers_as_xla_divides_them():
    x, y = np.array([7, -7, 7, -7, 7], np.int32), np.array([2, 2, -2, -2, 0], np.int32)
    assert np.asarray(lax.div(x, y)).tolist() == [3, -3, -3, 3, -1]
    assert np.asarray(lax.rem(x, y)).tolist() == [1, -1, 1, -1, 7]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_upper_half_of_a_product(dtype):
    info, rng = np.iinfo(dtype), np.random.default_rng(0)
    x, y = rng.integers(info.min, info.max, (2, 500), dtype, endpoint=True)
    x[:4], y[:4] = [info.min, info.max, 0, info.min], [info.min, info.max, 5, info.max]
    with enable_x64(True):
        want = [(int(a) * int(b)) >> info.bits for a, b in zip(x, y)]
        np.testing.assert_array_equal(np.asarray(lax.mulhi(x, y)), np.array(want, dtype))


def test_shifts_over_the_edge():
    x, y = np.int32(-8), np.array([0, 31, 32, 40, -1], np.int32)
    assert np.asarray(lax.shift_left(x, y)).tolist() == [-8, 0, 0, 0, 0]
    assert np.asarray(lax.shift_right_arithmetic(x, y)).tolist() == [-8, -1, -1, -1, -1]
    assert np.asarray(lax.shift_right_logical(x, y)).tolist() == [-8, 1, 0, 0, 0]


# How far off results may be, in units of the last place: 4, or what stands here for (float32, float64). References are computed in long
# double, and for the functions of SciPy in double, so these say what is known, not what is possible.
IN_ULPS = {
    **{name: (low, high) for names, low, high in (
        ("asin acos atanh", -1, 1), ("sin cos tan atan asinh", -30, 30), ("sinh cosh", -88, 88), ("tanh", -10, 10), ("acosh", 1, 30),
        ("exp exp2 logistic", -50, 50),
        ("expm1", -30, 30), ("log log2 sqrt rsqrt", 0, 50), ("log1p", -1, 50), ("cbrt", -50, 50), ("square reciprocal", -9, 9),
        ("one_minus_square", -3, 3), ("erf", -5, 5), ("erfc", -5, 9.1), ("erf_inv", -0.99, 0.99), ("bessel_i0e bessel_i1e", -30, 30),
        ("digamma", 2, 50)) for name in names.split()}}
WIDER = {"tanh": (8, 8), "expm1": (8, 8), "erf": (8, 8), "erfc": (8, 80),
         "erf_inv": (120, 60), "bessel_i0e": (8, 8), "bessel_i1e": (16, 16), "digamma": (32, 32)}
EXACT = {"logistic": lambda x: 1 / (1 + np.exp(-x)), "reciprocal": lambda x: 1 / x}


@pytest.mark.parametrize("name", IN_ULPS)
def test_units_of_the_last_place(name):
    rng, reference = np.random.default_rng(0), EXACT.get(name) or UNARY.get(name) or sp.psi
    for dtype, most in zip(("float32", "float64"), WIDER.get(name, (4, 4))):
        x = rng.uniform(*IN_ULPS[name], 2000).astype(dtype)
        with enable_x64(True):
            got = np.asarray(getattr(lax, name)(x))
        want = reference(x.astype(np.float64 if getattr(sp, reference.__name__, None) is reference else np.longdouble)).astype(np.longdouble)
        normal = np.abs(want) > np.finfo(dtype).tiny
        off = np.abs(got - want)[normal] / np.spacing(np.abs(want[normal]).astype(dtype))
        assert off.max() < most, f"{name} in {dtype}: {off.max()} units at {x[normal][off.argmax()]!r}"


# Where formulas overflow or underflow before their results do, or lose digits: (function, dtype, argument, result)
ENDS = [(lax.sinh, "float64", 710.0, "1.1169973830808555156e308"), (lax.cosh, "float64", -710.0, "1.1169973830808555156e308"),
        (lax.sinh, "float32", 88.75, "1.7482569896301988516e38"), (lax.cosh, "float32", -89.0, "2.2448064095871726231e38"),
        (lax.log1p, "float64", -0.375, "-0.47000362924573555365"), (lax.log1p, "float64", 2.0 ** -53, "1.1102230246251564788e-16"),
        (lax.log1p, "float64", np.inf, "inf"), (lax.atanh, "float64", -0.375, "-0.39422868018213508"), (lax.atanh, "float32", 1.0, "inf"),
        (special.i0, "float64", 712.0, "2.4684110577627524297e307"), (special.i0, "float32", -90.0, "5.1392383455086638353e37"),
        (special.i1, "float32", -90.0, "-5.1106068152565981569e37"), (gnomon.numpy.i0, "float32", 90.0, "5.1392383455086638353e37"),
        (lax.erfc, "float64", 26.0, "5.6631924088561428465e-296"), (special.expi, "float32", 90.0, "1.3714168695072519996e37"),
        (special.expi, "float64", 712.0, "2.3216800841052113304e306"),
        (lambda x: special.fresnel(x)[0], "float64", 745.125, "0.49982688522099981444"),
        (lambda x: special.fresnel(x)[1], "float64", 99999.375, "0.50000183286585406784"), (lambda x: special.fresnel(x)[0], "float32", -3e38, "-0.5"),
        (special.gamma, "float32", -126.5, "0"), (special.gamma, "float32", 1e5, "inf"), (special.gamma, "float64", -1e5 - 0.5, "0"),
        (special.gammaln, "float32", -2.0 ** -120, "83.177661667193452085"), (special.gammaln, "float64", -2.0 ** -1000, "693.14718055994530942")]


@pytest.mark.parametrize("f, dtype, x, want", ENDS)
def test_ends(f, dtype, x, want):
    want = np.longdouble(want)
    with enable_x64(True):
        got = np.asarray(f(np.asarray(x, dtype)))
    assert got == want or abs(got - want) <= 4 * np.spacing(np.abs(want).astype(dtype)), (got, want)


EXACTLY = {      # function of lax: (NumPy's, operands are integers)
    "add": (np.add, False), "sub": (np.subtract, False), "mul": (np.multiply, False), "div": (np.divide, False), "neg": (np.negative, False),
    "bitwise_and": (np.bitwise_and, True), "bitwise_or": (np.bitwise_or, True), "bitwise_xor": (np.bitwise_xor, True),
    "bitwise_not": (np.bitwise_not, True),
    **{name: (getattr(np, numpy), False) for name, numpy in dict(
        eq="equal", ne="not_equal", lt="less", le="less_equal", gt="greater", ge="greater_equal", is_finite="isfinite", floor="floor", ceil="ceil",
        abs="abs", sign="sign", real="real", imag="imag", conj="conj", max="maximum", min="minimum").items()}}


@pytest.mark.parametrize("name", EXACTLY)
def test_the_same_numbers_as_numpy(name):
    f, integers = EXACTLY[name]
    x, y = np.random.default_rng(0).uniform(-100, 100, (2, 300)).astype("f4")
    y[:20] = x[:20]
    if integers:
        x, y = x.astype("i4"), y.astype("i4")
    if name in ("real", "imag", "conj"):
        x = x + 1j * y
    args = (x, y)[:f.nin if isinstance(f, np.ufunc) else 1]
    want = f(*args)
    np.testing.assert_array_equal(np.asarray(getattr(lax, name)(*args)), want)


def test_bits_that_count():
    for dtype in ("int8", "uint16", "int32", "uint64"):
        bits = np.iinfo(dtype).bits
        x = np.random.default_rng(0).integers(np.iinfo(dtype).min, np.iinfo(dtype).max, 50, dtype)
        x[:2] = 0, 1
        words = [format(int(v) % 2 ** bits, f"0{bits}b") for v in x]
        with enable_x64(True):
            assert np.asarray(lax.population_count(x)).tolist() == [w.count("1") for w in words]
            assert np.asarray(lax.clz(x)).tolist() == [bits - len(w.lstrip("0")) for w in words]
