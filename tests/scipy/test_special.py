"""gnomon.scipy.special against SciPy: errors in units of the dtype's rounding error."""
import numpy as np
import pytest
import scipy.special as theirs

import gnomon as G
import gnomon.numpy as jnp
from gnomon.base.errors import Refused
from gnomon.scipy import special as ours
from tests.linalg.derivatives import check_derivatives
from tests.scipy.recipes import SPECIAL


def grid(*axes):
    return tuple(x.ravel() for x in np.meshgrid(*axes))


SMALL = np.geomspace(1e-6, 80, 120)
SIDES = np.concatenate([-SMALL, SMALL])
UNIT = np.concatenate([np.geomspace(1e-30, 0.5, 40), 1 - np.geomspace(1e-6, 0.5, 40)])
SHAPES = [0.1, 0.5, 1, 2.5, 7, 30]

# function: (arguments, units of error allowed in float32, in float64; SciPy itself is not exact to the last digit)
EXACT = {
    "erf": ((SIDES,), 3, 4), "erfc": ((np.linspace(-5, 9, 100),), 30, 40), "erfinv": ((2 * UNIT - 1,), 8, 10),
    "erfcinv": ((2 * UNIT,), 4, 8), "erfcx": ((np.linspace(-7, 60, 200),), 4, 30), "dawsn": ((SIDES,), 4, 40),
    "ndtr": ((np.linspace(-12, 8, 100),), 4, 400), "ndtri": ((UNIT,), 4, 8), "log_ndtr": ((np.linspace(-50, 7, 200),), 4, 100),
    "owens_t": (grid(np.linspace(-5, 5, 15), [-20, -1, -0.3, 0, 0.7, 1, 9]), 40, 100),
    "gamma": ((np.linspace(-20.3, 30, 301),), 20, 40), "gammaln": ((np.geomspace(0.01, 1e6, 100),), 400, 60),
    "loggamma": ((np.geomspace(0.01, 1e6, 100),), 400, 60), "gammasgn": ((np.linspace(-5.3, 5, 40),), 0, 0),
    "digamma": ((np.geomspace(0.01, 1e6, 100),), 100, 60), "polygamma": (grid([0, 1, 2, 5], np.geomspace(0.1, 100, 30)), 200, 2000),
    "zeta": (grid([1.5, 2, 5, 20], np.geomspace(0.5, 100, 30)), 200, 2000),
    "gammainc": (grid(SHAPES, np.geomspace(0.01, 60, 30)), 400, 4000), "gammaincc": (grid(SHAPES, np.geomspace(0.01, 60, 30)), 1000, 4000),
    "betainc": (grid(SHAPES, SHAPES, np.linspace(0.01, 0.99, 12)), 2000, 4000),
    "beta": (grid([*SHAPES, -0.3, -1.7], SHAPES), 200, 200), "betaln": (grid(SHAPES, [0.1, 0.7, 2.5, 7, 30]), 200, 200),
    "factorial": ((np.arange(20),), 20, 20), "poch": (grid([0.5, 2, 7], [0, 0.5, 3, 10]), 200, 200),
    "comb": (grid([0, 1, 5, 12, 30], [0, 1, 2, 7, 12]), 100, 100),
    "xlogy": (grid([0, 0.3, 2], [0, 0.1, 1, 9]), 4, 4), "xlog1py": (grid([0, 0.3, 2], [-1, 1e-6, 1, 9]), 4, 4),
    "entr": ((np.array([0, 1e-9, 0.3, 1, 9, -1]),), 4, 4), "rel_entr": (grid([0, 1e-6, 0.5, 2], [0, 1e-6, 0.50001, 2, -1]), 30, 300),
    "kl_div": (grid([0, 1e-6, 0.5, 2], [0, 1e-6, 0.8, 7, -1]), 60, 60), "expit": ((SIDES,), 4, 4),
    "logit": ((np.concatenate([UNIT[UNIT < 1], [0.4999, 0.5001]]),), 8, 2000), "boxcox": (grid([0.1, 1.001, 9], [-2, 0, 1e-6, 1, 3]), 30, 40),
    "boxcox1p": (grid([-0.9, 1e-6, 2], [-2, 0, 1e-6, 1, 3]), 30, 40),
    "expi": ((SIDES,), 20, 200), "exp1": ((SMALL,), 6, 40), "spence": ((SMALL,), 6, 60), "i0": ((SIDES[np.abs(SIDES) < 60],), 60, 100),
    "i0e": ((SIDES,), 8, 20), "i1": ((SIDES[np.abs(SIDES) < 60],), 60, 100), "i1e": ((SIDES,), 8, 20),
    "fresnel": ((np.linspace(-5, 5, 101),), 12, 20), "sici": ((np.concatenate([SMALL[SMALL < 3], SMALL[SMALL > 3.6]]),), 60, 200),
    "hyp1f1": (grid([0.3, 1, 2.5], [0.5, 1, 3.2], [-10, -5, -1, 0, 0.1, 2, 8]), 100, 400),
    "hyp2f1": (grid([0.3, 1, 2.5, -2], [0.5, 1.3], [0.6, 3.2], [-20, -1, -0.3, 0, 0.5, 0.8, 0.95]), 400, 1000),
}


@pytest.mark.parametrize("name, dtype", [(name, "float64") for name in EXACT] + [(name, "float32") for name in EXACT if name not in SPECIAL])
def test_accuracy(name, dtype):
    args, narrow, wide = EXACT[name]
    with G.enable_x64(dtype == "float64"):
        args = [np.asarray(a, dtype) for a in args]
        got = getattr(ours, name)(*args)
    integral = [a.astype(int) if name == "polygamma" and i == 0 else a.astype("f8") for i, a in enumerate(args)]
    with np.errstate(all="ignore"):
        want = getattr(theirs, name)(*integral)
    info = np.finfo(dtype)
    for x, y in zip(got, want) if isinstance(want, tuple) else [(got, want)]:
        assert x.dtype == dtype
        x = np.asarray(x).astype("f8")
        normal = np.isfinite(y) & (np.abs(y) < info.max / 8)
        np.testing.assert_array_equal(x[np.isnan(y)], np.nan)
        np.testing.assert_allclose(x[normal], y[normal], rtol=(narrow if dtype == "float32" else wide) * float(info.eps),
                                   atol=8 * float(info.tiny))
        np.testing.assert_array_equal(x[np.isinf(y)], y[np.isinf(y)])


@pytest.mark.parametrize("dtype, units", [("float32", 40), ("float64", 400)])
def test_expn(dtype, units):
    with G.enable_x64(dtype == "float64"):
        for n in (0, 1, 2, 3, 7):
            x = np.geomspace(1e-3, 50, 60).astype(dtype)
            np.testing.assert_allclose(ours.expn(n, x), theirs.expn(n, x.astype("f8")), rtol=units * np.finfo(dtype).eps)
        assert ours.expn(3, 0.0) == 0.5 and np.isinf(ours.expn(1, 0.0)) and np.isnan(ours.expn(2, -1.0))


@pytest.mark.parametrize("a, b, want", [(30, 1e7, -412.28587406153883), (1e3, 1e7, -10212.925176085055), (1e7, 1e7, -13862950.404734597),
                                        (0.5, 1e3, -2.8813876965715766), (2.5, 40, -8.983627339298152)])
def test_beta_of_large_numbers(a, b, want):
    """Computed in 40 digits; SciPy is up to 1e-10 off here."""
    np.testing.assert_allclose(ours.betaln(a, b), want, rtol=1e-6)
    with G.enable_x64(True):
        np.testing.assert_allclose(ours.betaln(a, b), want, rtol=1e-14)


def test_ends():
    inf, nan = np.inf, np.nan
    for f, x, y in [
            ("expi", [0, inf, -inf, nan], [-inf, inf, 0, nan]), ("exp1", [0, inf, -1, nan], [inf, 0, nan, nan]),
            ("erfcx", [inf, -inf, nan], [0, inf, nan]), ("dawsn", [inf, -inf, 0], [0, 0, 0]), ("gamma", [0.0, inf, -1, -inf], [inf, inf, nan, nan]),
            ("erfcinv", [0, 2, -1, 3], [inf, -inf, nan, nan]), ("ndtri", [0, 1, 0.5, -1], [-inf, inf, 0, nan]), ("ndtr", [inf, -inf, nan], [1, 0, nan]),
            ("log_ndtr", [inf, -inf, nan], [0, -inf, nan]), ("spence", [0, 1, inf, -1], [np.pi ** 2 / 6, 0, -inf, nan]),
            ("logit", [0, 1, 0.5], [-inf, inf, 0]), ("entr", [0, -1, nan], [0, -inf, nan])]:
        np.testing.assert_allclose(getattr(ours, f)(np.array(x, "f")), np.array(y, "f"), rtol=1e-6, err_msg=f)
    np.testing.assert_array_equal(ours.fresnel(np.array([inf, -inf], "f")), [[0.5, -0.5]] * 2)
    np.testing.assert_allclose(ours.sici(np.array([inf], "f")), [[np.pi / 2], [0]], rtol=1e-6)


@pytest.mark.parametrize("dtype, tol", [("complex64", 3e-5), ("complex128", 1e-12)])
def test_complex_functions(dtype, tol):
    z = (np.linspace(-6, 6, 13)[:, None] + 1j * np.linspace(-3, 5, 12)).astype(dtype)
    with G.enable_x64(dtype == "complex128"):
        for name in ("wofz", "erfcx", "loggamma"):
            got, want = np.asarray(getattr(ours, name)(z)), getattr(theirs, name)(z.astype("c16"))
            assert got.dtype == dtype
            np.testing.assert_allclose(got, want, rtol=tol, atol=tol)
    assert ours.wofz(np.float32(1)).dtype == np.complex64


def test_sums_of_exponentials():
    x = np.random.default_rng(0).standard_normal((3, 4)).astype("f")
    for options in ({}, {"axis": 1}, {"axis": (0, 1), "keepdims": True}, {"axis": 0, "b": np.abs(x)}):
        np.testing.assert_allclose(ours.logsumexp(x, **options), theirs.logsumexp(x, **options), rtol=1e-6, atol=1e-6)
    for got, want in zip(ours.logsumexp(x, b=-x, return_sign=True), theirs.logsumexp(x, b=-x, return_sign=True)):
        np.testing.assert_allclose(got, want, rtol=1e-5)
    for axis in (None, 0, 1):
        np.testing.assert_allclose(ours.softmax(x, axis=axis), theirs.softmax(x, axis=axis), rtol=1e-6)
        np.testing.assert_allclose(ours.log_softmax(x, axis=axis), theirs.log_softmax(x, axis=axis), rtol=1e-5)


def test_integer_orders():
    np.testing.assert_allclose(ours.bernoulli(12), theirs.bernoulli(12), rtol=1e-6)
    for d in (1, 2, 5):
        np.testing.assert_allclose(ours.multigammaln(np.array([4.5, 9], "f"), d), [theirs.multigammaln(a, d) for a in (4.5, 9)], rtol=1e-6)
    z = np.linspace(0, 20, 30).astype("f")
    np.testing.assert_allclose(ours.bessel_jn(z, v=6), [theirs.jv(v, z) for v in range(7)], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(ours.comb(7, np.arange(5, dtype="i4"), repetition=True), theirs.comb(7, np.arange(5), repetition=True), rtol=1e-5)
    z = np.linspace(-0.9, 0.9, 7).astype("f")
    values, slopes = ours.lpmn(5, 5, z)
    for i, x in enumerate(z):
        for m in range(6):
            for n in range(6):
                want = theirs.assoc_legendre_p(n, m, float(x), diff_n=1)
                np.testing.assert_allclose([values[m, n, i], slopes[m, n, i]], np.ravel(want), rtol=2e-4, atol=2e-4)


def test_spherical_harmonics():
    n, m = np.array([(n, m) for n in range(6) for m in range(-n, n + 1)]).T
    theta, phi = np.linspace(0, np.pi, 5)[:, None], np.linspace(0, 6, 5)[:, None]
    got = ours.sph_harm_y(n.astype("i4"), m.astype("i4"), theta.astype("f"), phi.astype("f"))
    np.testing.assert_allclose(got, theirs.sph_harm_y(n, m, theta, phi), atol=1e-5)
    np.testing.assert_allclose(G.jit(lambda n: ours.sph_harm_y(n, n, 0.3, 0.5, n_max=4))(np.int32(3)), theirs.sph_harm_y(3, 3, 0.3, 0.5), rtol=1e-5)
    with pytest.raises(TypeError, match="sph_harm_y needs n_max"):
        G.jit(lambda n: ours.sph_harm_y(n, n, 0.3, 0.5))(np.int32(3))
    big = ours.lpmn_values(200, 200, np.array([0.3], "f"), True)
    np.testing.assert_allclose(big[:, 200, 0], [theirs.sph_harm_y(200, m, np.arccos(np.float32(0.3)), 0).real for m in range(201)],
                               atol=2e-3)


def test_derivatives_at_the_edges():
    grad = G.grad
    assert grad(ours.xlogy)(0.0, 2.0) == np.float32(np.log(2)) and grad(ours.xlogy, 1)(0.0, 0.0) == 0
    assert grad(ours.xlog1py, 1)(0.0, -1.0) == 0
    assert grad(ours.entr)(0.0) == np.inf and grad(ours.entr)(1.0) == -1
    assert grad(ours.kl_div)(0.0, 0.5) == -np.inf and grad(ours.kl_div, 1)(0.0, 0.5) == 1
    assert grad(ours.rel_entr, 1)(2.0, 0.5) == -4
    assert grad(grad(ours.i0))(0.0) == 0.5 and grad(ours.i1)(0.0) == 0.5
    assert grad(ours.logit)(0.5) == 4 and grad(ours.spence)(1.0) == -1 and grad(grad(ours.spence))(1.0) == 0.5
    assert grad(ours.boxcox, 1)(np.float32(np.e), 0.0) == pytest.approx(0.5)
    np.testing.assert_allclose(grad(ours.log_ndtr)(-1e4), 1e4, rtol=1e-6)
    np.testing.assert_allclose(grad(grad(ours.log_ndtr))(-100.0), -1, rtol=1e-3)
    np.testing.assert_allclose(grad(ours.erfcx)(1e4), -1 / np.sqrt(np.pi) / 1e8, rtol=1e-5)
    np.testing.assert_allclose(G.jacfwd(lambda z: ours.bessel_jn(z, v=2))(0.0), [0, 0.5, 0])


def test_derivatives():
    for f, *args in ((ours.betaln, 0.3, 9.5), (ours.betaln, 12.0, 30.0), (ours.beta, 0.3, 2.5), (ours.poch, 2.5, 1.3), (ours.comb, 7.0, 2.5),
                     (ours.boxcox, 3.0, 0.01), (ours.logit, 0.3), (ours.kl_div, 0.3, 0.5), (ours.rel_entr, 0.3, 0.5)):
        check_derivatives(f, *args, rtol=1e-5)
    check_derivatives(lambda z: jnp.real(ours.wofz(z)), np.array([1 + 0.5j, -2 - 0.3j]))
    check_derivatives(lambda t, p: jnp.real(ours.sph_harm_y(np.array([3, 2], "i4"), np.array([-2, 0], "i4"), t, p)), np.array([0.3, 1]), np.array([0.5, 2]))


@pytest.mark.parametrize("call, message", [
    (lambda: ours.erf(1j), "erf takes real numbers, got an array of complex64"),
    (lambda: ours.beta(1.0), "beta takes the arguments a, b; missing: b"),
    (lambda: ours.gammainc(np.ones(2, "f"), np.ones(3, "f")), "gammainc got incompatible shapes for broadcasting"),
    (lambda: ours.bernoulli(-1), "bernoulli takes n >= 0, got -1"),
    (lambda: ours.bessel_jn(1.0, v=60), "bessel_jn takes 0 <= v < n_iter, got v=60 and n_iter=50"),
    (lambda: ours.lpmn(2, 3, np.ones(1, "f")), "m and n must be equal, got m=2 and n=3"),
    (lambda: ours.factorial(3, exact=True), "factorial has no exact integers"),
    (lambda: G.grad(ours.hyp2f1)(1.0, 1.0, 1.0, 0.5), "hyp2f1 has no derivative rule in a; differentiate in x"),
])
def test_errors(call, message):
    with pytest.raises((ValueError, TypeError, Refused), match=message):
        call()


def test_keywords_and_narrow_floats():
    assert ours.gammainc(x=1.0, a=1.0) == ours.gammainc(1.0, 1.0)
    for dtype in ("bfloat16", "float16"):
        x = jnp.array([0.5, 1.5], dtype)
        for f in (ours.erf, ours.ndtri, ours.gamma, ours.expi, ours.logit):
            assert f(x).dtype == dtype
