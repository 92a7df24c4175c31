"""Draws from every distribution, as functions of a random module, a key and NumPy: for gnomon.random and for its
peer."""
import numpy as np

ONES, SOME = np.ones(4, "float32"), np.array([0.2, 0.7, 1.0, 3.5], "float32")
WEIGHTS = np.array([0.1, 0.0, 0.4, 0.3, 0.2], "float32")
MATRIX = np.arange(20, dtype="float32").reshape(4, 5)
SHAPES = [(), (1,), (5,), (3, 4), (300,), (70, 80)]
FLOATS = ["float32", "bfloat16", "float16"]

DRAWS = {}


def draw(name, function):
    DRAWS[name] = function


for s in SHAPES:
    draw(f"uniform {s}", lambda R, k, s=s: R.uniform(k, s))
    draw(f"normal {s}", lambda R, k, s=s: R.normal(k, s))
    draw(f"randint {s}", lambda R, k, s=s: R.randint(k, s, -3, 17))
    for width in (8, 16, 32):
        draw(f"bits {width} {s}", lambda R, k, s=s, w=width: R.bits(k, s, f"uint{w}"))
for name in ("uniform", "normal", "exponential", "gumbel", "laplace", "logistic", "cauchy", "maxwell", "rademacher"):
    for dtype in FLOATS:
        draw(f"{name} {dtype}", lambda R, k, n=name, d=dtype: getattr(R, n)(k, (50,), d))
for dtype in ("float8_e4m3fn", "float8_e5m2", "float8_e3m4"):
    draw(f"uniform {dtype}", lambda R, k, d=dtype: R.uniform(k, (50,), d))
draw("uniform bounds", lambda R, k: R.uniform(k, (3, 4), minval=-2.5, maxval=SOME))
draw("uniform int bounds", lambda R, k: R.uniform(k, (5,), minval=2, maxval=7))
draw("normal complex64", lambda R, k: R.normal(k, (20,), "complex64"))
for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32"):
    draw(f"randint {dtype}", lambda R, k, d=dtype: R.randint(k, (50,), 0, 100, d))
draw("randint full uint8", lambda R, k: R.randint(k, (500,), 0, 256, "uint8"))
draw("randint full int8", lambda R, k: R.randint(k, (500,), -128, 128, "int8"))
draw("randint full uint16", lambda R, k: R.randint(k, (500,), 0, 65536, "uint16"))
draw("randint beyond", lambda R, k: R.randint(k, (500,), -5, 300, "uint8"))
draw("randint widest", lambda R, k: R.randint(k, (50,), -2**31, 2**31 - 1))
draw("randint empty", lambda R, k: R.randint(k, (5,), 7, 3))
draw("randint arrays", lambda R, k: R.randint(k, (3, 4), np.arange(4), np.arange(4) + 5))
draw("randint unsigned bounds", lambda R, k: R.randint(k, (50,), np.uint32(0), np.uint32(2**32 - 1), "uint32"))
draw("randint signed bounds to unsigned", lambda R, k: R.randint(k, (50,), np.int32(-3), np.int32(3), "uint32"))
draw("randint float bounds", lambda R, k: R.randint(k, (50,), 0.5, 3.7))
draw("bernoulli", lambda R, k: R.bernoulli(k, 0.3, (50,)))
draw("bernoulli default", lambda R, k: R.bernoulli(k))
draw("bernoulli array", lambda R, k: R.bernoulli(k, SOME))
draw("bernoulli array shape", lambda R, k: R.bernoulli(k, SOME, (3, 4)))
draw("bernoulli high", lambda R, k: R.bernoulli(k, 0.3, (50,), mode="high"))
draw("rademacher", lambda R, k: R.rademacher(k, (50,)))
for n in (1, 5, 1700, (3, 4)):
    draw(f"permutation {n}", lambda R, k, n=n: R.permutation(k, n if isinstance(n, int) else MATRIX))
draw("permutation axis 1", lambda R, k: R.permutation(k, MATRIX, axis=1))
draw("permutation independent", lambda R, k: R.permutation(k, MATRIX, axis=1, independent=True))
draw("permutation independent axis 0", lambda R, k: R.permutation(k, MATRIX, independent=True))
draw("choice", lambda R, k: R.choice(k, 5, (30,)))
draw("choice one", lambda R, k: R.choice(k, 5))
draw("choice array", lambda R, k: R.choice(k, MATRIX, (3, 2)))
draw("choice array axis 1", lambda R, k: R.choice(k, MATRIX, (3, 2), axis=1))
draw("choice without replacement", lambda R, k: R.choice(k, 50, (3, 4), replace=False))
draw("choice array without replacement", lambda R, k: R.choice(k, MATRIX, (3,), replace=False, axis=1))
draw("choice weighted", lambda R, k: R.choice(k, 5, (200,), p=WEIGHTS))
draw("choice array weighted", lambda R, k: R.choice(k, MATRIX, (30,), p=WEIGHTS, axis=1))
draw("choice weighted without replacement", lambda R, k: R.choice(k, 5, (3,), replace=False, p=WEIGHTS))
draw("choice weighted without replacement, high", lambda R, k: R.choice(k, 5, (3,), False, WEIGHTS, mode="high"))
draw("categorical", lambda R, k: R.categorical(k, MATRIX / 10))
draw("categorical axis 0", lambda R, k: R.categorical(k, MATRIX / 10, axis=0))
draw("categorical shape", lambda R, k: R.categorical(k, MATRIX / 10, axis=0, shape=(3, 5)))
draw("categorical one", lambda R, k: R.categorical(k, SOME))
draw("categorical many", lambda R, k: R.categorical(k, SOME, shape=(6, 7)))
draw("categorical high", lambda R, k: R.categorical(k, MATRIX / 10, mode="high"))
draw("categorical without replacement", lambda R, k: R.categorical(k, MATRIX / 10, shape=(3, 4), replace=False))
draw("categorical without replacement, axis 0", lambda R,
     k: R.categorical(k, MATRIX, axis=0, shape=(2, 5), replace=False))
draw("gumbel high", lambda R, k: R.gumbel(k, (50,), mode="high"))
draw("truncated_normal", lambda R, k: R.truncated_normal(k, -1.0, 2.0, (50,)))
draw("truncated_normal arrays", lambda R, k: R.truncated_normal(k, -SOME, SOME))
draw("truncated_normal bfloat16", lambda R, k: R.truncated_normal(k, -1.0, 2.0, (50,), "bfloat16"))
draw("lognormal", lambda R, k: R.lognormal(k, 0.5, (50,)))
draw("lognormal array", lambda R, k: R.lognormal(k, SOME))
draw("double_sided_maxwell", lambda R, k: R.double_sided_maxwell(k, 1.0, 2.0, (50,)))
draw("wald", lambda R, k: R.wald(k, 0.7, (50,)))
draw("wald array", lambda R, k: R.wald(k, SOME))
draw("pareto", lambda R, k: R.pareto(k, 1.5, (50,)))
draw("pareto array", lambda R, k: R.pareto(k, SOME, (3, 4)))
draw("weibull_min", lambda R, k: R.weibull_min(k, 1.5, 0.7, (50,)))
draw("rayleigh", lambda R, k: R.rayleigh(k, 1.5, (50,)))
draw("rayleigh array", lambda R, k: R.rayleigh(k, SOME))
draw("triangular", lambda R, k: R.triangular(k, -1.0, 0.5, 2.0, (50,)))
draw("geometric", lambda R, k: R.geometric(k, 0.2, (50,)))
draw("geometric array", lambda R, k: R.geometric(k, SOME / 4))
draw("poisson", lambda R, k: R.poisson(k, 3.0, (50,)))
draw("poisson large", lambda R, k: R.poisson(k, 150.0, (50,)))
draw("poisson array", lambda R, k: R.poisson(k, np.array([0.0, 0.5, 9.9, 10.0, 1000.0], "float32")))
draw("binomial", lambda R, k: R.binomial(k, 10.0, 0.3, (50,)))
draw("binomial large", lambda R, k: R.binomial(k, 1000.0, 0.7, (50,)))
draw("binomial array", lambda R, k: R.binomial(k, np.array([5.0, 50.0, 500.0, -1.0], "float32"), SOME / 4))
draw("multinomial", lambda R, k: R.multinomial(k, 20.0, WEIGHTS))
draw("multinomial arrays", lambda R, k: R.multinomial(k, SOME * 10, np.tile(WEIGHTS, (4, 1))))
for a in (0.05, 0.7, 1.0, 6.5):
    draw(f"gamma {a}", lambda R, k, a=a: R.gamma(k, a, (50,)))
    draw(f"loggamma {a}", lambda R, k, a=a: R.loggamma(k, a, (50,)))
draw("gamma array", lambda R, k: R.gamma(k, SOME, (3, 4)))
draw("beta", lambda R, k: R.beta(k, 2.0, 0.5, (50,)))
draw("beta array", lambda R, k: R.beta(k, SOME, 0.5))
draw("dirichlet", lambda R, k: R.dirichlet(k, SOME))
draw("dirichlet shape", lambda R, k: R.dirichlet(k, SOME, (3,)))
draw("chisquare", lambda R, k: R.chisquare(k, 3.0, (50,)))
draw("f", lambda R, k: R.f(k, 3.0, 5.0, (50,)))
draw("t", lambda R, k: R.t(k, 3.0, (50,)))
draw("generalized_normal", lambda R, k: R.generalized_normal(k, 1.5, (50,)))
draw("ball", lambda R, k: R.ball(k, 3))
draw("ball p", lambda R, k: R.ball(k, 3, 1.5, (20,)))
draw("orthogonal", lambda R, k: R.orthogonal(k, 4))
draw("orthogonal batch", lambda R, k: R.orthogonal(k, 3, (2,), m=5))
draw("multivariate_normal", lambda R, k: R.multivariate_normal(k, SOME[:2], np.array([[2, 1], [1, 3]], "float32")))
draw("multivariate_normal shape", lambda R, k: R.multivariate_normal(k, SOME[:2], np.array([[2, 1], [1, 3]], "float32"),
                                                                     (5,)))
for name in ("uniform", "normal", "exponential", "gumbel", "laplace", "rademacher"):
    draw(f"{name} with many rows", lambda R, k, n=name: getattr(R, n)(k, (3000, 3)))
draw("bernoulli high with many rows", lambda R, k: R.bernoulli(k, 0.3, (3000, 3), mode="high"))
draw("gumbel high with many rows", lambda R, k: R.gumbel(k, (3000, 3), mode="high"))
