"""gnomon.scipy.stats against SciPy: every function of every distribution, in float32 and float64, with loc and scale."""
import importlib
import inspect

import numpy as np
import pytest
import scipy.stats as theirs

import gnomon as G
import gnomon.numpy as jnp
from gnomon import random
from gnomon.base.errors import Refused
from gnomon.scipy import stats as ours
from tests.linalg.derivatives import check_derivatives

X = np.array([np.nan, -30, -3.3, -1, -0.4, 0, 1e-3, 0.3, 0.75, 1, 1.7, 2.5, 6, 20])
K = np.array([np.nan, -1, 0, 0.5, 1, 2, 2.75, 3, 7, 12])
Q = np.array([np.nan, 0, 1e-6, 0.1, 0.5, 0.7, 0.999, 1])
U = np.array([0.01, 0.2, 0.5, 0.8, 0.99])

# distribution: (points, lists of its own parameters, whether it takes loc and scale)
CONTINUOUS = {
    "norm": (X, [()]), "uniform": (X, [()]), "cauchy": (X, [()]), "expon": (X, [()]), "laplace": (X, [()]), "logistic": (X, [()]),
    "gumbel_l": (X[X < 3], [()]), "gumbel_r": (X[X > -3], [()]), "beta": (X, [(0.5, 0.7), (2, 3), (1, 1), (30, 5)]), "gamma": (X, [(0.5,), (1,), (7,)]),
    "chi2": (X, [(1,), (2.5,), (9,)]), "pareto": (X, [(0.7,), (3,)]), "t": (X, [(1,), (4.5,), (50,)]),
    "truncnorm": (X, [(-1, 2), (3, 7), (-9, -4), (0.5, 20)]),
}
ANGLES = {"vonmises": (X[np.abs(X) < 4], [(0.1,), (1,), (40,)]), "wrapcauchy": (X, [(0.1,), (0.9,)]), "gennorm": (X[np.abs(X) < 7], [(0.7,), (2,), (5,)])}
DISCRETE = {
    "bernoulli": (K, [(0.3,), (0.85,)]), "binom": (K, [(7, 0.3), (20, 0.9), (3, 1.0)]), "betabinom": (K, [(7, 0.5, 2), (12, 3, 1)]),
    "geom": (K, [(0.3,), (1.0,)]), "nbinom": (K, [(1, 0.3), (5, 0.9)]), "poisson": (K, [(0.3,), (4,), (30,)]),
}
PLACES = {"ppf", "isf"}
SKIPPED = {"entropy"}


def cases():
    for table, options in ((CONTINUOUS, [(), (0.375, 2.5)]), (ANGLES, [()]), (DISCRETE, [()])):
        for name, (points, parameters) in table.items():
            module = importlib.import_module(f"gnomon.scipy.stats.{name}")
            for function in module.__all__:
                if function not in SKIPPED:
                    places = Q[2:] if name == "bernoulli" else Q
                    where = places if function in PLACES else points
                    yield pytest.param(name, function, where, parameters, options, id=f"{name}.{function}")


@pytest.mark.parametrize("name, function, points, parameters, options", cases())
def test_same_as_scipy(name, function, points, parameters, options):
    got_of = getattr(getattr(ours, name), function)
    want_of = getattr(getattr(theirs, name), function)
    for own in parameters:
        for place in options:
            for dtype, tol in (("float32", 2e-5), ("float64", 1e-9)):
                with G.enable_x64(dtype == "float64"):
                    got = np.asarray(got_of(points.astype(dtype), *[np.dtype(dtype).type(p) for p in (*own, *place)]))
                assert got.dtype == dtype
                with np.errstate(all="ignore"):
                    want = want_of(points.astype(dtype).astype("f8"), *[float(np.dtype(dtype).type(p)) for p in own], *place)
                small = np.finfo(dtype).tiny * 100
                if name == "truncnorm" and "log" not in function:
                    small = 1e-7 if dtype == "float32" else 1e-12
                # what is too small for the dtype has a logarithm of -inf
                want = np.where((want < np.log(np.finfo(dtype).tiny)) & np.isinf(got), got, want) if "log" in function else want
                infinite = ~np.isfinite(want)
                np.testing.assert_array_equal(got[infinite], want[infinite], err_msg=f"{own} {place} {dtype}")
                np.testing.assert_allclose(got[~infinite], want[~infinite], rtol=tol,
                                           atol=max(small, (1e-6 if dtype == "float32" else 1e-14) if "log" in function else 0),
                                           err_msg=f"{own} {place} {dtype}")


def test_discrete_distributions_moved_by_loc():
    for name, (points, parameters) in DISCRETE.items():
        f = getattr(getattr(ours, name), "logpmf")
        own = parameters[0]
        np.testing.assert_allclose(f((points + 2.0).astype("f"), *own, loc=2), f(points.astype("f"), *own), rtol=1e-6)


def test_poisson_entropy():
    mu = np.array([0, 0.3, 2, 20, 60, 70, 500], "f")
    np.testing.assert_allclose(ours.poisson.entropy(mu), [theirs.poisson.entropy(float(m)) for m in mu], rtol=1e-5, atol=1e-6)
    with G.enable_x64(True):
        np.testing.assert_allclose(ours.poisson.entropy(np.array([20.0, 70])), [theirs.poisson.entropy(m) for m in (20, 70)], rtol=1e-7)


def test_dirichlet_and_multinomial():
    alpha = np.array([0.5, 2, 3])
    x = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]).T
    for f in ("logpdf", "pdf"):
        for points in (x, x[:2], x[:, 0]):
            got = getattr(ours.dirichlet, f)(points.astype("f"), alpha.astype("f"))
            np.testing.assert_allclose(got, getattr(theirs.dirichlet, f)(points, alpha), rtol=1e-5)
    assert ours.dirichlet.logpdf(np.array([0.2, 0.2, 0.2], "f"), alpha.astype("f")) == -np.inf
    counts, p = np.array([[1, 2, 1], [4, 0, 0], [1, 1, 1]]), np.array([0.2, 0.3, 0.5])
    for f in ("logpmf", "pmf"):
        np.testing.assert_allclose(getattr(ours.multinomial, f)(counts.astype("f"), 4, p.astype("f")), getattr(theirs.multinomial, f)(counts, 4, p), rtol=1e-5)


def test_multivariate_normal():
    rng = np.random.default_rng(0)
    x, mean, a = rng.standard_normal((4, 5, 3)), rng.standard_normal(3), rng.standard_normal((3, 3))
    cov = a @ a.T + np.eye(3)
    for f in ("logpdf", "pdf"):
        ours_f, theirs_f = getattr(ours.multivariate_normal, f), getattr(theirs.multivariate_normal, f)
        np.testing.assert_allclose(ours_f(x.astype("f"), mean.astype("f"), cov.astype("f")), theirs_f(x, mean, cov), rtol=1e-4)
        np.testing.assert_allclose(ours_f(0.3, 0.5, 2.0), theirs_f(0.3, 0.5, 2.0), rtol=1e-5)
    many = np.stack([cov, 2 * cov]).astype("f")
    want = [theirs.multivariate_normal.logpdf(x[0, 0], mean, c) for c in (cov, 2 * cov)]
    np.testing.assert_allclose(ours.multivariate_normal.logpdf(x[0, 0].astype("f"), mean.astype("f"), many), want, rtol=1e-4)
    np.testing.assert_allclose(G.vmap(ours.multivariate_normal.logpdf, (None, None, 0))(x[0, 0].astype("f"), mean.astype("f"), many), want, rtol=1e-4)
    check_derivatives(ours.multivariate_normal.logpdf, x[0, :2], mean, cov)


def test_derivatives_inside_and_outside_of_the_support():
    for name, args in (("norm", (0.3, 0.1, 2.0)), ("beta", (0.3, 2.0, 3.0, 0.1, 2.0)), ("gamma", (1.3, 2.0, 0.1, 2.0)), ("t", (0.3, 4.0, 0.1, 2.0)),
                       ("cauchy", (0.3, 0.1, 2.0)), ("pareto", (3.3, 2.0, 0.1, 2.0)), ("truncnorm", (0.3, -1.0, 2.0, 0.1, 2.0)),
                       ("vonmises", (0.3, 2.0)), ("gumbel_r", (0.3, 0.1, 2.0)), ("logistic", (0.3, 0.1, 2.0))):
        check_derivatives(getattr(ours, name).logpdf, *args, rtol=1e-5)
    for name, args in (("beta", (-1.0, 2.0, 3.0)), ("gamma", (-1.0, 2.0)), ("uniform", (2.0,)), ("expon", (-1.0,)), ("truncnorm", (5.0, -1.0, 2.0)),
                       ("pareto", (0.5, 2.0))):
        assert all(np.isfinite(np.asarray(g)).all() for g in G.grad(getattr(ours, name).logpdf, tuple(range(len(args))))(*args)), name
    assert G.grad(ours.norm.logcdf)(-1e3) == pytest.approx(1e3, rel=1e-5)


def test_kernel_density():
    rng = np.random.default_rng(0)
    for shape in ((30,), (2, 30)):
        data, weights = rng.standard_normal(shape), rng.uniform(size=30)
        for options in ({}, {"bw_method": "silverman"}, {"bw_method": 0.3, "weights": weights}, {"bw_method": lambda kde: 0.5}):
            a = ours.gaussian_kde(data.astype("f"), **options)
            b = theirs.gaussian_kde(data, **options)
            points = rng.standard_normal(shape[:-1] + (7,))
            np.testing.assert_allclose(a(points.astype("f")), b(points), rtol=1e-4)
            np.testing.assert_allclose(a.logpdf(points.astype("f")), b.logpdf(points), rtol=1e-4, atol=1e-5)
            d = len(shape)
            np.testing.assert_allclose(a.integrate_gaussian(np.zeros(d, "f"), np.eye(d, dtype="f")), b.integrate_gaussian(np.zeros(d), np.eye(d)), rtol=1e-4)
            np.testing.assert_allclose(a.integrate_kde(a), b.integrate_kde(b), rtol=1e-4)
    one = ours.gaussian_kde(data[0].astype("f"))
    np.testing.assert_allclose(one.integrate_box_1d(-1.0, 0.5), theirs.gaussian_kde(data[0]).integrate_box_1d(-1, 0.5), rtol=1e-4)
    drawn = np.asarray(a.resample(random.key(0), (4000,)))
    assert drawn.shape == (2, 4000)
    np.testing.assert_allclose(np.cov(drawn), np.cov(data) * (1 + 0.25), rtol=0.15, atol=0.1)
    np.testing.assert_allclose(G.jit(lambda kde, x: kde(x))(one, np.float32(0.2)), one(0.2), rtol=1e-6)
    with pytest.raises(Refused, match="integrate_box_1d"):
        one.integrate_box(0, 1)


@pytest.mark.parametrize("shape, axis", [((7,), 0), ((4, 6), 0), ((4, 6), 1), ((4, 6), None), ((2, 3, 5), -1)])
def test_summaries(shape, axis):
    x = np.random.default_rng(0).integers(0, 4, shape).astype("i4")
    got, want = ours.mode(x, axis), theirs.mode(x, axis)
    np.testing.assert_array_equal(got.mode, want.mode)
    np.testing.assert_array_equal(got.count, want.count)
    np.testing.assert_array_equal(ours.mode(x, axis, keepdims=True).mode, theirs.mode(x, axis, keepdims=True).mode)
    for method in ("average", "min", "max", "dense", "ordinal"):
        np.testing.assert_array_equal(ours.rankdata(x, method, axis=axis), theirs.rankdata(x, method, axis=axis))
    for ddof in (0, 1):
        np.testing.assert_allclose(ours.sem(x, axis, ddof), theirs.sem(x, axis, ddof), rtol=1e-5)
    holes = np.where(x == 2, np.nan, x).astype("f")
    np.testing.assert_allclose(ours.sem(holes, axis, nan_policy="omit"), np.asarray(theirs.sem(holes, axis, nan_policy="omit"), float), rtol=1e-5)


def test_surface():
    """Parameters have SciPy's names."""
    for name in (*CONTINUOUS, *DISCRETE):
        module = getattr(ours, name)
        for function in module.__all__:
            names = list(inspect.signature(getattr(module, function)).parameters)
            assert names[0] in ("x", "q", "k", "p", "mu") and set(names[1:]) <= {"a", "b", "n", "p", "mu", "df", "loc", "scale"}, (name, function)


@pytest.mark.parametrize("call, message", [
    (lambda: ours.norm.logpdf(1j), "logpdf takes real numbers, got an array of complex64"),
    (lambda: ours.norm.logpdf(1.0, mean=0), "logpdf takes the arguments x, loc, scale; got mean twice or without knowing it"),
    (lambda: ours.mode(jnp.arange(3), nan_policy="omit"), "mode does not know nan_policy='omit'"),
    (lambda: ours.rankdata(jnp.arange(3), "x"), "rankdata takes method 'average'.*got 'x'"),
    (lambda: ours.multivariate_normal.logpdf(jnp.zeros(2), jnp.zeros(2), jnp.eye(2), allow_singular=True), "allow_singular"),
    (lambda: ours.dirichlet.logpdf(jnp.ones(5), jnp.ones(3)), r"alpha of shape \(k,\)"),
    (lambda: ours.gaussian_kde(jnp.ones(1)), "a sample of at least two points"),
])
def test_errors(call, message):
    with pytest.raises((ValueError, TypeError, Refused), match=message):
        call()
