"""Every function of gnomon.numpy, numpy.linalg and numpy.fft against NumPy's on calls made up by chance.

A few calls each here; `python -m tests.numpy.test_generated 200` makes as many as it is told of each, and prints what differs."""
import inspect
import sys

import numpy as np
import pytest

import gnomon.numpy as jnp
from tests.numpy.generated import check, search
from tests.numpy.recipes import FFT, LINALG, RECIPES

pytestmark = pytest.mark.filterwarnings("ignore")

TABLES = {"": (RECIPES, (jnp, np)), "linalg.": (LINALG, (jnp.linalg, np.linalg)), "fft.": (FFT, (jnp.fft, np.fft))}
CASES = {prefix + name: (recipe, modules, name) for prefix, (table, modules) in TABLES.items() for name, recipe in table.items()}
# Functions that are tested elsewhere: they are not made of arrays alone.
ELSEWHERE = """array_repr array_str can_cast einsum_path fill_diagonal from_dlpack frombuffer fromfile fromfunction fromiter frompyfunc fromstring
    get_printoptions isdtype isscalar issubdtype load place printoptions promote_types put result_type save savez set_printoptions vectorize""".split()


def functions():
    for prefix, (_, (module, _)) in TABLES.items():
        names = getattr(module, "__all__", None) or [name for name in dir(module) if hasattr(np.linalg if "linalg" in prefix else np, name)]
        for name in names:
            if callable(getattr(module, name)) and not inspect.isclass(getattr(module, name)) and not name.startswith("_"):
                yield prefix + name


def test_every_function_has_a_recipe():
    assert not set(functions()) - set(CASES) - set(ELSEWHERE)


@pytest.mark.parametrize("name", CASES)
def test_like_numpy(name):
    recipe, modules, plain = CASES[name]
    made = [check(plain, seed, recipe, wide=seed == 2, module=modules, jit=seed == 0 and name in UNDER_JIT) for seed in range(3)]
    assert any(made), "NumPy refused every call"


UNDER_JIT = {"sum", "sort", "where", "take", "matmul", "median", "linalg.inv", "fft.fft", "convolve", "pad", "clip", "sinc"}


if __name__ == "__main__":
    def one(name, seed):
        recipe, modules, plain = CASES[name]
        check(plain, seed, recipe, wide=seed % 4 == 2, module=modules)
    search(CASES, sys.argv[1:], one)
