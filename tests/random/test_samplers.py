"""Samplers: their numbers stay as they are, follow their distributions, and go through jit, vmap and grad."""
import warnings

import numpy as np
import pytest
from scipy import stats

import gnomon
from gnomon import numpy as jnp, random
from gnomon.base.errors import GnomonWarning
from gnomon.base.settings import enable_x64

KEY = random.key(42)
N = 20000

# The first numbers of key(42); changing any of them would change what everybody's programs compute.
STORED = {
    "bits": (lambda k: random.bits(k, (3,)), [2098992034, 2919706841, 2646866425]),
    "bits uint8": (lambda k: random.bits(k, (3,), "uint8"), [162, 217, 249]),
    "uniform": (lambda k: random.uniform(k, (3,)), [0.48870957, 0.67979717, 0.6162715]),
    "normal": (lambda k: random.normal(k, (3,)), [-0.028304616, 0.46713185, 0.29570296]),
    "randint": (lambda k: random.randint(k, (4,), 0, 100), [44, 14, 71, 69]),
    "permutation": (lambda k: random.permutation(k, 6), [4, 2, 5, 3, 0, 1]),
    "choice": (lambda k: random.choice(k, 10, (4,)), [4, 4, 1, 9]),
    "categorical": (lambda k: random.categorical(k, np.zeros(5, "float32"), shape=(4,)), [1, 4, 2, 0]),
    "gamma": (lambda k: random.gamma(k, 2.5, (3,)), [4.378075, 1.5007864, 4.1941113]),
    "poisson": (lambda k: random.poisson(k, 4.0, (4,)), [6, 3, 2, 2]),
}


@pytest.mark.parametrize("name", STORED)
def test_numbers_stay(name):
    draw, stored = STORED[name]
    np.testing.assert_allclose(np.asarray(draw(KEY)), stored, rtol=1e-6)


# Each draw of N numbers and the distribution that scipy knows.
CONTINUOUS = {
    "uniform": (lambda k: random.uniform(k, (N,), minval=-1.0, maxval=3.0), stats.uniform(-1, 4)),
    "normal": (lambda k: random.normal(k, (N,)), stats.norm),
    "normal float64": (lambda k: random.normal(k, (N,), "float64"), stats.norm),
    "truncated_normal": (lambda k: random.truncated_normal(k, -1.0, 2.0, (N,)), stats.truncnorm(-1, 2)),
    "truncated_normal far out": (lambda k: random.truncated_normal(k, 5.0, 6.0, (N,)), stats.truncnorm(5, 6)),
    "truncated_normal on the left": (lambda k: random.truncated_normal(k, -9.0, -8.0, (N,)), stats.truncnorm(-9, -8)),
    "truncated_normal without an end": (lambda k: random.truncated_normal(k, 10.0, np.inf, (N,)),
                                        stats.truncnorm(10, np.inf)),
    "lognormal": (lambda k: random.lognormal(k, 0.5, (N,)), stats.lognorm(0.5)),
    "maxwell": (lambda k: random.maxwell(k, (N,)), stats.maxwell),
    "wald": (lambda k: random.wald(k, 2.0, (N,)), stats.invgauss(2.0)),
    "exponential": (lambda k: random.exponential(k, (N,)), stats.expon),
    "gumbel": (lambda k: random.gumbel(k, (N,)), stats.gumbel_r),
    "gumbel high": (lambda k: random.gumbel(k, (N,), mode="high"), stats.gumbel_r),
    "laplace": (lambda k: random.laplace(k, (N,)), stats.laplace),
    "logistic": (lambda k: random.logistic(k, (N,)), stats.logistic),
    "cauchy": (lambda k: random.cauchy(k, (N,)), stats.cauchy),
    "pareto": (lambda k: random.pareto(k, 2.0, (N,)), stats.pareto(2.0)),
    "weibull_min": (lambda k: random.weibull_min(k, 2.0, 1.5, (N,)), stats.weibull_min(1.5, scale=2.0)),
    "rayleigh": (lambda k: random.rayleigh(k, 2.0, (N,)), stats.rayleigh(scale=2.0)),
    "triangular": (lambda k: random.triangular(k, -1.0, 0.0, 3.0, (N,)), stats.triang(0.25, -1, 4)),
    "gamma small": (lambda k: random.gamma(k, 0.3, (N,)), stats.gamma(0.3)),
    "gamma": (lambda k: random.gamma(k, 4.0, (N,)), stats.gamma(4.0)),
    "loggamma": (lambda k: random.loggamma(k, 2.0, (N,)), stats.loggamma(2.0)),
    "beta": (lambda k: random.beta(k, 0.5, 2.0, (N,)), stats.beta(0.5, 2.0)),
    "dirichlet": (lambda k: random.dirichlet(k, np.array([1.0, 2.0, 3.0], "float32"), (N,))[:, 0],
                  stats.beta(1.0, 5.0)),
    "chisquare": (lambda k: random.chisquare(k, 3.0, (N,)), stats.chi2(3.0)),
    "f": (lambda k: random.f(k, 3.0, 5.0, (N,)), stats.f(3.0, 5.0)),
    "t": (lambda k: random.t(k, 3.0, (N,)), stats.t(3.0)),
    "generalized_normal": (lambda k: random.generalized_normal(k, 1.5, (N,)), stats.gennorm(1.5)),
    "double_sided_maxwell": (lambda k: jnp.abs(random.double_sided_maxwell(k, 0.0, 2.0, (N,))),
                             stats.maxwell(scale=2.0)),
    # the distance from the middle of a ball of d dimensions, to the power d, is uniform
    "ball": (lambda k: jnp.sum(random.ball(k, 3, 2, (N,)) ** 2, -1) ** 1.5, stats.uniform),
    "multivariate_normal": (lambda k: random.multivariate_normal(
        k, np.zeros(2, "float32"), np.array([[4.0, 1.0], [1.0, 2.0]], "float32"), (N,)) @ np.array([1.0, -1.0],
            "float32"),
        stats.norm(scale=2.0)),
    "gamma of XLA's own generator": (lambda k: random.gamma(random.key(3, impl="rbg"), 0.7, (N,)), stats.gamma(0.7)),
    "orthogonal": (lambda k: jnp.arctan2(*random.orthogonal(k, 2, (N // 4,))[:, 0]. T),
                   stats.uniform(-np.pi, 2 * np.pi)),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_distribution(name):
    draw, distribution = CONTINUOUS[name]
    with enable_x64("float64" in name):
        x = np.asarray(draw(KEY), "float64")
    assert np.isfinite(x).all()
    assert stats.kstest(x, distribution.cdf).pvalue > 1e-3
    for share in (1e-3, 1e-2):
        for beyond in (x < distribution.ppf(share), x > distribution.isf(share)):
            assert stats.binomtest(int(beyond.sum()), len(x), share).pvalue > 1e-4
    check_moments(x, distribution)


def check_moments(x, distribution):
    """The mean and the variance, where there are four moments to say how far off they may be."""
    mean, variance, kurtosis = [float(m) for m in distribution.stats(moments="mvk")]
    if np.isfinite([mean, variance, kurtosis]).all():
        assert abs(x.mean() - mean) < 4 * np.sqrt(variance / len(x))
        assert abs(x.var() - variance) < 5 * variance * np.sqrt((kurtosis + 2) / len(x)) + 10 * variance / len(x)


DISCRETE = {
    "randint": (lambda k: random.randint(k, (N,), -3, 4), stats.randint(-3, 4)),
    "randint uint8": (lambda k: random.randint(k, (N,), 0, 256, "uint8"), stats.randint(0, 256)),
    "randint int8": (lambda k: random.randint(k, (N,), -128, 128, "int8"), stats.randint(-128, 128)),
    "bernoulli": (lambda k: random.bernoulli(k, 0.3, (N,)), stats.bernoulli(0.3)),
    "bernoulli high": (lambda k: random.bernoulli(k, 0.3, (N,), mode="high"), stats.bernoulli(0.3)),
    "rademacher": (lambda k: (random.rademacher(k, (N,)) + 1) // 2, stats.bernoulli(0.5)),
    "geometric": (lambda k: random.geometric(k, 0.3, (N,)), stats.geom(0.3)),
    "poisson": (lambda k: random.poisson(k, 4.0, (N,)), stats.poisson(4.0)),
    "poisson large": (lambda k: random.poisson(k, 40.0, (N,)), stats.poisson(40.0)),
    "binomial": (lambda k: random.binomial(k, 12, 0.3, (N,)), stats.binom(12, 0.3)),
    "binomial large": (lambda k: random.binomial(k, 60, 0.7, (N,)), stats.binom(60, 0.7)),
    "multinomial": (lambda k: random.multinomial(k, 12, np.array([0.3, 0.3, 0.4], "float32"), shape=(N,))[:, 1],
                    stats.binom(12, 0.3)),
    "choice": (lambda k: random.choice(k, 7, (N,)), stats.randint(0, 7)),
    "choice without replacement": (lambda k: gnomon.vmap(lambda k: random.choice(k, 7, (3,), replace=False))(
        random.split(k, N))[:, 1], stats.randint(0, 7)),
    "permutation": (lambda k: gnomon.vmap(lambda k: random.permutation(k, 7))(random.split(k, N))[:, 2],
                    stats.randint(0, 7)),
    "categorical": (lambda k: random.categorical(k, np.log(stats.binom(4, 0.3).pmf(range(5))).astype("float32"),
                                                 shape=(N,)),
                    stats.binom(4, 0.3)),
    "choice weighted": (lambda k: random.choice(k, 5, (N,), p=stats.binom(4, 0.3).pmf(range(5)).astype("float32")),
                        stats.binom(4, 0.3)),
}


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete_distribution(name):
    draw, distribution = DISCRETE[name]
    x = np.asarray(draw(KEY)).astype(int)
    values, seen = np.unique(x, return_counts=True)
    assert (distribution.pmf(values) > 0).all()
    expected = distribution.pmf(values) * N
    often = expected > 5        # the rest is one class, with what was never drawn
    seen, expected = np.append(seen[often], N - seen[often].sum()), np.append(expected[often],
        N - expected[often].sum())
    keep = expected > 1e-6 * N
    assert stats.chisquare(seen[keep], expected[keep] * seen[keep].sum() / expected[keep].sum()).pvalue > 1e-3
    check_moments(x.astype("f8"), distribution)


def test_vectors_add_up():
    x = random.dirichlet(KEY, np.array([0.01, 0.02, 0.5], "float32"), (200,))
    np.testing.assert_allclose(np.asarray(x).sum(-1), 1, rtol=1e-5)
    counts = random.multinomial(KEY, np.array([10.0, 1000.0], "float32"), np.array([0.2, 0.0, 0.8], "float32"),
                                shape=(2,))
    assert counts.sum(-1).tolist() == [10, 1000] and counts[:, 1].tolist() == [0, 0]
    q = np.asarray(random.orthogonal(KEY, 3, (4,), m=5))
    np.testing.assert_allclose(q @ q.swapaxes(-2, -1), np.broadcast_to(np.eye(3), (4, 3, 3)), atol=1e-5)
    u = np.asarray(random.orthogonal(KEY, 3, dtype="complex64"))
    np.testing.assert_allclose(u @ u.conj().T, np.eye(3), atol=1e-5)


@pytest.mark.parametrize("method", ["cholesky", "eigh", "svd"])
def test_multivariate_normal_has_its_covariance(method):
    cov = np.array([[2.0, 0.6, 0.0], [0.6, 1.0, -0.4], [0.0, -0.4, 0.5]], "float32")
    x = np.asarray(random.multivariate_normal(KEY, np.array([1.0, 2.0, 3.0], "float32"), cov, (N,), method=method))
    np.testing.assert_allclose(x.mean(0), [1, 2, 3], atol=0.05)
    np.testing.assert_allclose(np.cov(x.T), cov, atol=0.06)


# ---- what must not happen -----------------------------------------------------------------------------------------

def test_zero_probability_is_never_drawn():
    p = np.zeros(1000, "float32")
    p[[3, 500, 501, 998]] = 0.1, 0.3, 0.35, 0.25
    drawn = np.asarray(random.choice(KEY, 1000, (100000,), p=p))
    assert set(np.unique(drawn)) == {3, 500, 501, 998}
    few = np.asarray(gnomon.vmap(lambda k: random.choice(k, 1000, (4,), replace=False, p=p))(random.split(KEY, 50)))
    assert set(np.unique(few)) == {3, 500, 501, 998}
    logits = np.array([0.0, -np.inf, 1.0], "float32")
    assert 1 not in np.asarray(random.categorical(KEY, logits, shape=(100000,)))


def test_choice_without_replacement_does_not_repeat():
    x = np.asarray(random.choice(KEY, 50, (5, 10), replace=False))
    assert sorted(x.reshape(-1).tolist()) == list(range(50))
    y = np.asarray(random.categorical(KEY, np.zeros((3, 6), "float32"), shape=(6, 3), replace=False))
    assert [sorted(column) for column in y.T.tolist()] == [list(range(6))] * 3


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float8_e4m3fn"])
def test_uniform_stays_in_its_interval(dtype):
    x = np.asarray(random.uniform(KEY, (100000,), dtype), "float32")
    assert x.min() == 0 if dtype != "float32" else x.min() >= 0
    assert x.max() < 1


@pytest.mark.parametrize("low, high", [(-100.0, 100.0), (3.5, 3.6), (30.0, 31.0), (-5.0, -4.9), (2.0, np.inf),
                                       (-np.inf, 0.0),
                                       (40.0, np.inf)])
def test_truncated_normal_stays_inside(low, high):
    x = np.asarray(random.truncated_normal(KEY, low, high, (10000,)))
    assert np.isfinite(x).all() and (x > low).all() and (x < high).all() and len(np.unique(x)) > 5000
    y = np.asarray(gnomon.jit(lambda low, high: random.truncated_normal(KEY, low, high, (10000,)))(low, high))
    np.testing.assert_allclose(x, y, rtol=2e-6, atol=2e-6)


def test_randint_at_its_ends():
    full = np.asarray(random.randint(KEY, (N,), 0, 2**32, "uint32"))
    assert full.max() > 2**32 - 2**20 and full.min() < 2**20
    whole = np.asarray(random.randint(KEY, (N,), -2**31, 2**31))
    assert whole.max() > 2**31 - 2**20 and whole.min() < -2**31 + 2**20
    assert random.randint(KEY, (3,), 5, 5).tolist() == [5, 5, 5]
    assert random.randint(KEY, (), 0, 1, "uint8").dtype == np.uint8


def test_binomial_of_impossible_parameters():
    n, p = np.array([-1.0, 5.0, np.nan, np.inf, 5.0], "float32"), np.array([0.5, -0.1, 0.5, 0.5, 0.0], "float32")
    assert np.asarray(random.binomial(KEY, n, p)).tolist()[3:] == [np.inf, 0.0]
    assert np.isnan(np.asarray(random.binomial(KEY, n, p))[:3]).all()


def test_poisson_of_impossible_means():
    assert random.poisson(KEY, np.array([0.0, np.inf], "float32")).tolist() == [0, 2**31 - 1]


@pytest.mark.parametrize("x64", [False, True])
def test_dtypes_are_taken_in_any_form(x64):
    """NumPy's dtype objects, which are equal to Python's types, too."""
    with enable_x64(x64), warnings.catch_warnings():
        warnings.simplefilter("ignore", GnomonWarning)
        for draw, names in ((random.uniform, ("float64", "float32", "float16")), (lambda k, s, d: random.randint(k, s, 0, 9, d), ("int64", "int16"))):
            for name in names:
                found = [draw(KEY, (2,), form) for form in (name, np.dtype(name), np.dtype(name).type)]
                assert all(y.dtype == (name if x64 else name.replace("64", "32")) and (y == found[0]).all() for y in found)
        assert random.normal(KEY, (2,), float).dtype == random.normal(KEY, (2,)).dtype == ("float64" if x64 else "float32")


def test_float64_without_x64_is_announced():
    with pytest.warns(GnomonWarning, match="random.uniform.*float64.*float32"):
        assert random.uniform(KEY, dtype="float64").dtype == np.float32
    with enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert random.uniform(KEY, dtype="float64").dtype == random.uniform(KEY).dtype == np.float64
        assert random.randint(KEY, (), 0, 5).dtype == np.int64 and random.bits(KEY).dtype == np.uint64


# ---- transforms ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("draw", [
    lambda k: random.uniform(k, (3,)), lambda k: random.randint(k, (3,), 0, 9), lambda k: random.permutation(k, 5),
    lambda k: random.choice(k, 5, (3,), p=np.full(5, 0.2, "float32")),
    lambda k: random.categorical(k, np.ones(4, "float32")),
    lambda k: random.gamma(k, 0.7, (3,)), lambda k: random.poisson(k, 3.0, (3,)),
    lambda k: random.bernoulli(k, 0.4, (3,)),
    lambda k: random.truncated_normal(k, 0.0, 1.0, (2,)), lambda k: random.binomial(k, 7, 0.3, (2,)),
    lambda k: random.dirichlet(k, np.ones(3, "float32")), lambda k: random.orthogonal(k, 2)])
def test_jit_and_vmap_change_nothing(draw):
    keys = random.split(KEY, 3)
    looped = np.stack([np.asarray(draw(k)) for k in keys])
    np.testing.assert_allclose(np.asarray(gnomon.jit(draw)(keys[1])), looped[1], rtol=1e-5, atol=1e-6)
    if draw.__code__.co_names[1] in ("poisson", "binomial"):
        return      # an element keeps the last proposal accepted while others of its batch go on
    np.testing.assert_allclose(np.asarray(gnomon.vmap(draw)(keys)), looped, rtol=1e-5, atol=1e-6)


def test_gradients_of_moved_and_scaled_draws():
    x = random.normal(KEY, (5,))
    mean, scale = gnomon.grad(lambda m, s: (random.normal(KEY, (5,)) * s + m).sum(), (0, 1))(1.0, 2.0)
    np.testing.assert_allclose([mean, scale], [5, x.sum()], rtol=1e-6)
    low, high = gnomon.grad(lambda a, b: random.uniform(KEY, (), minval=a, maxval=b), (0, 1))(1.0, 2.0)
    u = float(random.uniform(KEY))
    np.testing.assert_allclose([low, high], [1 - u, u], rtol=1e-6)
    np.testing.assert_allclose(gnomon.grad(lambda s: random.rayleigh(KEY, s))(2.0), random.rayleigh(KEY, 1.0),
                               rtol=1e-6)


@pytest.mark.parametrize("a", [0.2, 0.9, 3.0, 30.0])
def test_gradient_of_gamma_holds_its_quantile(a):
    """The implicit derivative: -(dP / da) / (dP / dx) at the sample, where P is the distribution function."""
    x, slope = gnomon.value_and_grad(lambda a: random.gamma(KEY, a))(a)
    log_x, log_slope = gnomon.value_and_grad(lambda a: random.loggamma(KEY, a))(a)
    h, x = 1e-4 * a, float(x)
    by_difference = -(stats.gamma(a + h).cdf(x) - stats.gamma(a - h).cdf(x)) / (2 * h) / stats.gamma(a).pdf(x)
    np.testing.assert_allclose(slope, by_difference, rtol=2e-3)
    np.testing.assert_allclose(log_slope, by_difference / x, rtol=2e-3)


def test_gradient_of_loggamma_where_the_sample_underflows():
    a, slope = 0.002, gnomon.grad(lambda a: random.loggamma(random.key(1), a))(0.002)
    logs = float(random.loggamma(random.key(1), a))
    assert logs < -100
    np.testing.assert_allclose(slope, -logs / a, rtol=0.02)


@pytest.mark.parametrize("low, high", [(-1.0, 2.0), (2.0, 9.0), (8.0, 9.0), (-9.0, -8.0)])
def test_gradient_of_truncated_normal(low, high):
    draw = gnomon.jit(lambda low, high: random.truncated_normal(KEY, low, high))
    h = 1e-3
    with enable_x64(True):
        found = gnomon.grad(draw, (0, 1))(low, high)
        wanted = [(draw(low + h, high) - draw(low - h, high)) / (2 * h),
                  (draw(low, high + h) - draw(low, high - h)) / (2 * h)]
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6)


def test_gradient_of_dirichlet_is_along_the_simplex():
    jacobian = gnomon.jacobian(lambda a: random.dirichlet(KEY, a))(np.array([0.5, 1.0, 2.0], "float32"))
    np.testing.assert_allclose(np.asarray(jacobian).sum(0), 0, atol=1e-5)


def test_sampler_is_one_equation():
    text = str(gnomon.make_jaxpr(lambda k: random.normal(k, (3,)))(KEY))
    for piece in ("name=_normal", "name=_uniform", "random_bits[bit_width=32 shape=(3,)]", "shift_right_logical",
                  "9:u32[]",
                  "1065353216:u32[]", "bitcast_convert_type[new_dtype=float32]", "erf_inv"):
        assert piece in text
    assert len(gnomon.make_jaxpr(lambda k: random.normal(k, (3,)))(KEY).eqns) == 1


# ---- what is refused ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("make, error, message", [
    (lambda: random.bits(KEY, (3,), "int32"), ValueError, "random.bits takes an unsigned integer dtype, got "
                                                          "dtype=int32."),
    (lambda: random.uniform(KEY, (3,), "int32"), ValueError, "random.uniform takes a float dtype, got dtype=int32."),
    (lambda: random.normal(KEY, (3,), "int32"), ValueError, "random.normal takes a float or complex dtype, got "
                                                            "dtype=int32."),
    (lambda: random.randint(KEY, (3,), 0, 1, "float32"), TypeError, "random.randint takes an integer dtype, got "
                                                                    "dtype=float32."),
    (lambda: random.uniform(KEY, (3,), minval=np.zeros(4, "float32")), ValueError,
     "random.uniform got shape=(3,), which does not hold its parameters: minval of shape (4,)"),
    (lambda: random.normal(KEY, (2.5,)), TypeError, "random.normal takes a shape of integers, got shape=(2.5,)."),
    (lambda: random.normal(KEY, (-1,)), ValueError, "random.normal takes a shape without negative sizes, got "
                                                    "shape=(-1,)."),
    (lambda: random.gamma(KEY, np.ones(3, "float32"), (2,)), ValueError, "random.gamma got shape=(2,)"),
    (lambda: random.bernoulli(KEY, 0.5, mode="middle"), ValueError, "mode 'low' or 'high', got 'middle'"),
    (lambda: random.gumbel(KEY, mode="middle"), ValueError, "random.gumbel takes mode 'low' or 'high', got 'middle'"),
    (lambda: random.permutation(KEY, 3.0), TypeError, "random.permutation takes an array with dimensions or an integer "
                                                      "x"),
    (lambda: random.permutation(KEY, np.zeros((2, 3), "float32"), axis=2), ValueError, "axis=2 for an array with 2 "
                                                                                       "dimensions"),
    (lambda: random.choice(KEY, 3, (4,), replace=False), ValueError, "cannot draw 4 elements from 3 without "
                                                                     "replacement"),
    (lambda: random.choice(KEY, 0), ValueError, "random.choice cannot draw 1 elements from 0"),
    (lambda: random.choice(KEY, 3, p=np.ones(4, "float32")), ValueError, "takes a p of shape (3,)"),
    (lambda: random.categorical(KEY, np.ones((3, 4), "float32"), shape=(2,)), ValueError, "which must end in (3,)"),
    (lambda: random.categorical(KEY, np.ones((3, 4), "float32"), shape=(5, 3), replace=False), ValueError,
     "cannot draw 5 of 4 categories without replacement"),
    (lambda: random.choice(KEY, 3, (2,), replace=False, p=np.array([0, 1, 0], "float32")), ValueError,
     "cannot draw 2 elements without replacement: fewer have a probability above zero"),
    (lambda: random.gamma(KEY, 1.0, method="approximate"), NotImplementedError, "random.gamma draws exactly"),
    (lambda: random.poisson(KEY, 1.0, method="quick"), ValueError, "random.poisson takes method='exact', got 'quick'."),
    (lambda: random.dirichlet(KEY, 1.0), ValueError, "an alpha with at least one dimension"),
    (lambda: random.multinomial(KEY, 3, 0.5), ValueError, "a p with the outcomes' probabilities along its last axis"),
    (lambda: random.multivariate_normal(KEY, np.zeros(2, "float32"), np.eye(3, dtype="float32")), ValueError,
     "a mean of shape (..., n) and a cov of shape (..., n, n), got shapes (2,) and (3, 3)"),
    (lambda: random.multivariate_normal(KEY, np.zeros(2, "float32"), np.eye(2, dtype="float32"), method="lu"),
     ValueError,
     "method 'cholesky', 'eigh' or 'svd', got 'lu'"),
    (lambda: random.uniform(), TypeError, "key"),
])
def test_what_is_refused(make, error, message):
    with pytest.raises(error) as raised:
        make()
    assert message in str(raised.value)


def test_a_shape_is_any_sequence_of_integers():
    class Sizes:
        def __iter__(self):
            return iter((2, 3))

    for shape in (Sizes(), range(2, 4), np.array([2, 3]), [2, 3]):
        assert random.normal(KEY, shape).shape == (2, 3)
    assert random.normal(KEY, np.array(3)).shape == (3,)
    with pytest.raises(TypeError, match=r"takes a shape of integers, got shape=\('ab',\)"):
        random.normal(KEY, "ab")
