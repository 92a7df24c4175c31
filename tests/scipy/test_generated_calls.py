"""Functions of gnomon.scipy that are made of arrays and options (fft, signal, ndimage, interpolate, integrate, cluster, linalg, spatial, stats)
against SciPy's on calls made up by chance.

A few calls each here; `python -m tests.scipy.test_generated_calls 200` makes as many as it is told of each, and prints what differs."""
import sys

import numpy as np
import pytest

import gnomon as G
from gnomon.scipy import signal
from tests.numpy.generated import Draw, check, flat, search
from tests.scipy.calls import CASES

pytestmark = pytest.mark.filterwarnings("ignore")
SEEDS = 3


@pytest.mark.parametrize("name", CASES)
def test_like_scipy(name):
    recipe, modules, plain = CASES[name]
    made = [check(plain, seed, recipe, wide=seed == 2, module=modules) for seed in range(SEEDS)]
    assert any(made), "SciPy refused every call"


def dtypes(name, seed, wide):
    """The dtypes of the results of a call made up without wide dtypes, under enable_x64 or not; None where the arguments have others."""
    recipe, (module, _), plain = CASES[name]
    args, kwargs = recipe(Draw(plain, seed))[:2]
    arrays = [a for x in args for a in (x if isinstance(x, (list, tuple)) else [x]) if isinstance(a, (np.ndarray, np.generic))]
    if any(a.dtype.kind in "biu" or a.dtype.itemsize > (8 if a.dtype.kind == "c" else 4) for a in arrays) or not arrays:
        return None
    with G.enable_x64(wide):
        return [x.dtype for x in flat(getattr(module, plain)(*args, **kwargs)) if hasattr(x, "dtype") and x.dtype.kind in "fcV"]


@pytest.mark.parametrize("name", [n for n in CASES if n.startswith(("signal.", "fft.", "linalg.", "stats.sem", "vq."))])
def test_narrow_results_of_narrow_arguments(name):
    """Whether there are wide floats or not: a number of NumPy on the way would make results wide."""
    assert dtypes(name, 1, True) == dtypes(name, 1, False)


@pytest.mark.parametrize("name", ["welch", "csd", "stft", "istft"])
def test_narrow_spectra(name):
    """Those of narrow floats are computed in single precision, whether there are wide ones or not."""
    for dtype in ("float16", "float32"):
        x = np.arange(24, dtype=dtype).reshape(4, 6)
        for wide in (False, True):
            with G.enable_x64(wide):
                assert {np.dtype(y.dtype).itemsize // (1 + (y.dtype.kind == "c"))
                        for y in getattr(signal, name)(*[x] * (2 if name == "csd" else 1), nperseg=4)} == {4}


if __name__ == "__main__":
    def one(name, seed):
        recipe, modules, plain = CASES[name]
        check(plain, seed, recipe, wide=seed % 4 == 2, module=modules)
        assert dtypes(name, seed, True) == dtypes(name, seed, False), "dtypes"
    search(CASES, sys.argv[1:], one)
