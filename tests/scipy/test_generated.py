"""Functions of gnomon.scipy.special against SciPy on numbers made up by chance.

A few here, in single precision; `python -m tests.scipy.test_generated 20 float16` makes as many as it is told of each function, of the
distributions too, in any float dtype, and prints what differs."""
import importlib
import sys

import numpy as np
import pytest
import scipy.special
import scipy.stats

from gnomon.scipy import special
from gnomon.scipy.floats import elementwise
from tests.scipy import recipes
from tests.scipy.generated import compare, drawn

pytestmark = pytest.mark.filterwarnings("ignore")

FLOAT32 = np.dtype("float32")
# Functions that are tested elsewhere: of complex numbers, of integers, of axes, or slow to compile.
ELSEWHERE = "bernoulli bessel_jn hyp1f1 hyp2f1 log_softmax logsumexp lpmn lpmn_values multigammaln softmax sph_harm_y wofz".split()


def of_distributions():
    """(name, function of ours, SciPy's, samplers, units of error, what errors of logarithms are relative to)."""
    for table in (recipes.CONTINUOUS, recipes.DISCRETE):
        for name, (points, own, *rest) in table.items():
            place, units = rest if len(rest) == 2 else ((), rest[0])
            module = importlib.import_module(f"gnomon.scipy.stats.{name}")
            for function in module.__all__:
                if function != "entropy" and (name, function) != ("bernoulli", "ppf"):      # whose first step is at another place
                    first = recipes.unit if function in ("ppf", "isf") else points
                    yield (f"{name}.{function}", getattr(module, function), getattr(getattr(scipy.stats, name), function),
                           (first, *own, *place), units, 1.0 if "log" in function else 0.0)


def test_every_function_has_a_recipe():
    assert set(special.__all__) - set(recipes.SPECIAL) == set(ELSEWHERE)


@pytest.mark.parametrize("name", recipes.SPECIAL)
def test_like_scipy(name):
    samplers, units = recipes.SPECIAL[name]
    args = drawn(name, 0, samplers, FLOAT32, 400)
    compare(name, getattr(special, name), getattr(scipy.special, name), args, FLOAT32, units, fewest=FEWEST.get(name, 0.0))


FEWEST = {"kl_div": 1.0}        # differences of numbers of size 1


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_narrow_floats_are_computed_in_single_precision(dtype):
    """So nothing overflows on the way, and all is lost in the last rounding alone."""
    @elementwise
    def scaled_back(x, y):
        return (x * y + y) / y
    x = np.array([1.5, 300.0], dtype if dtype == "float16" else "float32")
    assert scaled_back(x, x.dtype.type(1000)).tolist() == [2.5, 301.0]
    for name in ("i0", "comb", "boxcox"):
        samplers, units = recipes.SPECIAL[name]
        compare(name, getattr(special, name), getattr(scipy.special, name), drawn(name, 0, samplers, np.dtype(dtype), 100), np.dtype(dtype), units)


if __name__ == "__main__":
    count, dtype = int(sys.argv[1]), np.dtype(sys.argv[2] if len(sys.argv) > 2 else "float32")
    cases = [(name, getattr(special, name), getattr(scipy.special, name), *row, FEWEST.get(name, 0.0)) for name, row in recipes.SPECIAL.items()]
    for name, function, reference, samplers, units, fewest in [*cases, *of_distributions()]:
        for seed in range(count):
            try:
                compare(name, function, reference, drawn(name, seed, samplers, dtype, 400), dtype, units, fewest=fewest)
            except AssertionError as error:
                print(error)
                break
