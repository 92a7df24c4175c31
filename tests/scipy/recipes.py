"""How arguments of each function of gnomon.scipy.special and gnomon.scipy.stats are made up; `generated.py` runs them.

An entry: a sampler per argument, and how many units of the last place the result may be off, beyond what a change of the arguments by
their own rounding does to it."""
import numpy as np

EDGES = np.array([0.0, -0.0, 1.0, -1.0, 2.0, 0.5, np.inf, -np.inf, np.nan, -2.0, -0.5, 3.0])


def real(rng, n, low=-4, high=2):
    """Of both signs, of all sizes between two powers of ten, and the edges."""
    x = 10 ** rng.uniform(low, high, n) * rng.choice([-1, 1], n)
    return np.where(rng.rand(n) < 0.15, rng.choice(EDGES, n), x)


def positive(rng, n, low=-4, high=2):
    x = 10 ** rng.uniform(low, high, n)
    return np.where(rng.rand(n) < 0.1, rng.choice([0.0, 1.0, np.inf, np.nan, 0.5], n), x)


def strict(rng, n, low=-2, high=2):
    return 10 ** rng.uniform(low, high, n)


def moderate(rng, n):
    return strict(rng, n, -1, 1.3)


def unit(rng, n):
    """In [0, 1], near both ends too."""
    x = np.where(rng.rand(n) < 0.5, 10 ** rng.uniform(-6, 0, n), 1 - 10 ** rng.uniform(-6, 0, n))
    return np.where(rng.rand(n) < 0.1, rng.choice([0.0, 1.0, 0.5, np.nan], n), x)


def inner(rng, n):
    return rng.uniform(0.02, 0.98, n)


def sides(rng, n):
    return 2 * unit(rng, n) - 1


def small(rng, n):
    return real(rng, n, -3, 1.3)


def whole(rng, n):
    return rng.randint(0, 15, n).astype(float)


def order(rng, n):
    return rng.randint(0, 6, n)


def some(rng, n):
    return rng.randint(1, 30, n).astype(float)


def angle(rng, n):
    return rng.uniform(-np.pi, np.pi, n)


def location(rng, n):
    return rng.choice([0.0, 0.375, -2.5], n)


def finite(rng, n):
    x = small(rng, n)
    return np.where(np.isinf(x), 2.5, x)


def scale(rng, n):
    return rng.choice([1.0, 0.25, 3.0], n)


# function: samplers of its arguments; units of error. kl_div is a difference of numbers of size 1.
SPECIAL = {
    "erf": ((real,), 4), "erfc": ((small,), 8), "erfinv": ((sides,), 8), "erfcinv": ((lambda r, n: 2 * unit(r, n),), 8), "erfcx": ((small,), 8),
    "dawsn": ((real,), 8), "ndtr": ((small,), 8), "ndtri": ((unit,), 8), "log_ndtr": ((real,), 8),
    "owens_t": ((small, real), 64), "gamma": ((lambda r, n: real(r, n, -3, 1.5),), 32), "gammaln": ((real,), 64),
    "loggamma": ((lambda r, n: positive(r, n, -3, 6),), 64),
    "gammasgn": ((small,), 0), "digamma": ((lambda r, n: positive(r, n, -3, 6),), 64), "polygamma": ((order, lambda r, n: strict(r, n, -1, 2)), 256),
    "zeta": ((lambda r, n: 1 + strict(r, n, -2, 1.5), lambda r, n: strict(r, n, -1, 2)), 256),
    "gammainc": ((lambda r, n: strict(r, n, -2, 3), lambda r, n: positive(r, n, -3, 3)), 256),
    "gammaincc": ((lambda r, n: strict(r, n, -2, 3), lambda r, n: positive(r, n, -3, 3)), 4096),
    "betainc": ((moderate, moderate, unit), 256), "beta": ((moderate, moderate), 128), "betaln": ((strict, strict), 128),
    "factorial": ((whole,), 32), "poch": ((moderate, whole), 256), "comb": ((some, whole), 128),
    "xlogy": ((real, positive), 4), "xlog1py": ((real, lambda r, n: positive(r, n) - 0.5), 8), "entr": ((real,), 4), "rel_entr": ((positive, positive), 8),
    "kl_div": ((positive, positive), 16), "expit": ((real,), 4), "logit": ((unit,), 8),
    "boxcox": ((strict, lambda r, n: real(r, n, -4, 0.5)), 16), "boxcox1p": ((lambda r, n: positive(r, n) - 0.5, lambda r, n: real(r, n, -4, 0.5)), 16),
    "expi": ((small,), 32), "exp1": ((positive,), 16),
    "spence": ((lambda r, n: np.minimum(positive(r, n), 1e4),), 16), "i0": ((small,), 32), "i0e": ((real,), 8), "i1": ((small,), 32),
    "i1e": ((real,), 8), "fresnel": ((small,), 32), "sici": ((finite,), 64), "expn": ((order, lambda r, n: positive(r, n, -3, 1.7)), 32),
}

PLACE = (location, scale)
# distribution: how its points are made, samplers of its own parameters, whether it has loc and scale; units of error
CONTINUOUS = {
    "norm": (small, (), PLACE, 16), "uniform": (small, (), PLACE, 8), "cauchy": (real, (), PLACE, 16), "expon": (small, (), PLACE, 16),
    "laplace": (small, (), PLACE, 8), "logistic": (small, (), PLACE, 16), "gumbel_l": (finite, (), PLACE, 32), "gumbel_r": (finite, (), PLACE, 32),
    "beta": (unit, (moderate, moderate), PLACE, 512), "gamma": (small, (moderate,), PLACE, 512), "chi2": (small, (moderate,), PLACE, 512),
    "pareto": (real, (moderate,), PLACE, 32), "t": (real, (moderate,), PLACE, 256),
    "truncnorm": (lambda r, n: r.uniform(-6, 6, n), (lambda r, n: r.uniform(-5, 0, n), lambda r, n: r.uniform(0.5, 5, n)), PLACE, 256),
    "vonmises": (angle, (moderate,), (), 64), "wrapcauchy": (lambda r, n: r.uniform(0, 6.2, n), (inner,), (), 64),
    "gennorm": (small, (moderate,), (), 512),
}
DISCRETE = {
    "bernoulli": (lambda r, n: r.randint(-1, 3, n).astype(float), (inner,), 16),
    "binom": (whole, (some, inner), 256), "betabinom": (whole, (some, moderate, moderate), 512), "geom": (whole, (inner,), 64),
    "nbinom": (whole, (some, inner), 256), "poisson": (whole, (moderate,), 256),
}
