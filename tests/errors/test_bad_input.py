"""What is no argument of a function of gnomon.scipy, numpy.linalg or nn: one sentence that names the function, never an error from inside.

For each function calls that are right; each argument is replaced in turn by things of another kind, rank or dtype."""
import importlib
import inspect

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import nn, random
from gnomon.base.errors import Refused
from gnomon.scipy import fft, integrate, ndimage, signal, special, stats
from gnomon.scipy import linalg as scipy_linalg
from gnomon.scipy.cluster import vq
from gnomon.scipy.interpolate import RegularGridInterpolator
from gnomon.scipy.sparse import linalg as sparse
from gnomon.scipy.spatial.transform import Rotation, Slerp

pytestmark = pytest.mark.filterwarnings("ignore")
KEY, EYE, Q = random.key(0), np.eye(3, dtype="f"), np.float32([[0, 0, 0, 1], [0, 0, 1, 1]])


def ones(*shape):
    return np.ones(shape, "f")


WRONG = {"None": None, "text": "abc", "object": object(), "array of text": np.array(["a"]), "rank 3": ones(2, 3, 2), "key": KEY, "tuple": (1, 2, 3)}
TABLE = {
    **{f"special.{name}": (getattr(special, name), None) for name in ("erf", "logsumexp", "softmax", "bernoulli")},
    **{f"fft.{name}": (getattr(fft, name), (ones(4, 4),)) for name in fft.__all__},
    **{f"signal.{name}": (getattr(signal, name), (ones(4), ones(3))) for name in ("convolve", "correlate", "fftconvolve")},
    **{f"signal.{name}": (getattr(signal, name), (ones(4, 4), ones(3, 3))) for name in ("convolve2d", "correlate2d")},
    "signal.detrend": (signal.detrend, (ones(4),)), "signal.welch": (signal.welch, (ones(14),)), "signal.csd": (signal.csd, (ones(14), ones(14))),
    "signal.stft": (signal.stft, (ones(14),)), "signal.istft": (signal.istft, (np.ones((3, 5), "c8"),)),
    "ndimage.map_coordinates": (ndimage.map_coordinates, (ones(4), [ones(3)], 1)), "integrate.trapezoid": (integrate.trapezoid, (ones(4),)),
    "vq.vq": (vq.vq, (ones(4, 2), ones(3, 2))), "stats.mode": (stats.mode, (ones(4),)), "stats.rankdata": (stats.rankdata, (ones(4),)),
    "stats.sem": (stats.sem, (ones(4),)), "stats.gaussian_kde": (stats.gaussian_kde, (np.arange(4, dtype="f"),)),
    "interpolate.RegularGridInterpolator": (RegularGridInterpolator, ((np.arange(3, dtype="f"),), ones(3))),
    **{f"sparse.{name}": (getattr(sparse, name), (EYE, ones(3))) for name in sparse.__all__},
    "Rotation.from_quat": (Rotation.from_quat, (Q,)), "Rotation.from_matrix": (Rotation.from_matrix, (EYE,)),
    "Rotation.from_rotvec": (Rotation.from_rotvec, (ones(3),)), "Rotation.from_euler": (Rotation.from_euler, ("xyz", ones(3))),
    "Rotation.apply": (Rotation.from_quat(Q).apply, (ones(3),)), "Slerp.init": (Slerp.init, (ones(2), Rotation.from_quat(Q))),
    **{f"linalg.{name}": (getattr(jnp.linalg, name), (EYE,)) for name in
       "cholesky cond det eig eigh eigvals eigvalsh inv matrix_norm matrix_rank norm pinv qr slogdet svd svdvals vector_norm".split()},
    **{f"linalg.{name}": (getattr(jnp.linalg, name), (EYE, ones(3))) for name in ("solve", "lstsq")},
    **{f"scipy.linalg.{name}": (getattr(scipy_linalg, name), (EYE,)) for name in
       "cho_factor cholesky det eigh expm hessenberg inv lu lu_factor polar qr schur sqrtm svd".split()},
    **{f"scipy.linalg.{name}": (getattr(scipy_linalg, name), (EYE, ones(3))) for name in ("solve", "solve_triangular")},
    **{f"scipy.linalg.{name}": (getattr(scipy_linalg, name), (3,)) for name in ("dft", "helmert", "hilbert", "invhilbert", "pascal", "invpascal")},
    "nn.dot_product_attention": (nn.dot_product_attention, (ones(2, 4, 2, 8), ones(2, 4, 2, 8), ones(2, 4, 2, 8))),
    "nn.scaled_dot_general": (nn.scaled_dot_general, (ones(2, 3, 4), ones(2, 5, 4), (((2,), (2,)), ((0,), (0,))))),
}
for module in ("norm", "poisson"):
    found = importlib.import_module(f"gnomon.scipy.stats.{module}")
    TABLE |= {f"{module}.{name}": (getattr(found, name), None) for name in found.__all__ if name in ("logpdf", "logpmf")}


def calls(function, args):
    """Calls with one wrong argument each: (its name, what it is, the call)."""
    names = list(inspect.signature(function).parameters)
    if args is None:
        args = tuple([ones(2) for p in inspect.signature(function).parameters.values() if p.default is p.empty])
    for i, name in enumerate(names):
        for what, wrong in WRONG.items():
            if i < len(args):
                yield name, what, (lambda i=i, wrong=wrong: function(*args[:i], wrong, *args[i + 1:]))
            elif name not in ("args", "kwargs"):
                yield name, what, (lambda name=name, wrong=wrong: function(*args, **{name: wrong}))


# Words of Python and NumPy for what went wrong inside a function.
INSIDE = ("object is not", "has no len", "unpack", "tuple index", "truth value", "has no attribute", "buffer size", "iteration over", "could not be",
          "required positional", "literal for int", "unhashable", "jit of", "not supported between")


@pytest.mark.parametrize("name", TABLE)
def test_told_in_one_sentence(name):
    function, args = TABLE[name]
    for argument, what, call in calls(function, args):
        try:
            call()
        except (TypeError, ValueError, Refused) as error:
            said = str(error)
            assert len(said) > 20 and not any(words in said for words in INSIDE), (name, argument, what, said)


@pytest.mark.parametrize("call, message", [
    (lambda: nn.dot_product_attention(*[ones(1, 3, 2, 4)] * 3, local_window_size=(1, 2, 3)), "two things as local_window_size, keys before and behind"),
    (lambda: nn.dot_product_attention(*[ones(1, 3, 2, 4)] * 3, local_window_size=1.5), "dot_product_attention takes a sequence of keys before"),
    (lambda: nn.dot_product_attention(*[ones(1, 3, 2, 4)] * 3, is_causal="yes"), "dot_product_attention takes True or False as is_causal"),
    (lambda: nn.dot_product_attention(*[ones(1, 3, 2, 4)] * 3, scale=ones(3)), r"takes one number as scale, got type float32\[3\]"),
    (lambda: nn.dot_product_attention(*[ones(1, 3, 2, 4)] * 3, bias=ones(1, 2, 3, 2)), r"takes a bias that broadcasts .* here \(1, 2, 3, 3\)"),
    (lambda: nn.scaled_dot_general(ones(2), ones(2), 3), "scaled_dot_general needs dimension_numbers of the form"),
    (lambda: nn.scaled_dot_general(ones(2), np.float32(1), (((0,), (0,)), ((), ()))), "scaled_dot_general requires different rhs dimensions"),
    (lambda: nn.initializers.normal()(KEY, (2,), KEY.dtype), "The initializer normal draws floats or complex numbers"),
    (lambda: jnp.linalg.norm(EYE, keepdims="x"), "norm takes True or False as keepdims"),
    (lambda: jnp.linalg.inv(KEY), "inv takes numbers as a, got random keys"),
    (lambda: jnp.linalg.pinv(EYE, rtol=ones(3)), r"pinv takes a number for each matrix as rtol, of a shape that broadcasts to \(\)"),
    (lambda: signal.detrend(ones(0)), "detrend takes at least one element along the axis"), (lambda: fft.dctn(ones(0)), "dctn takes at least 1 element"),
    (lambda: fft.idct(ones(1), 1), "idct takes at least 2 elements along each axis with type=1, got 1"),
    (lambda: signal.welch(ones(9), window=np.array(["a"])), "welch takes a name, a tuple of a name and parameters, or a vector"),
    (lambda: ndimage.map_coordinates(ones(0), [ones(2)], 1), "map_coordinates takes an array that is not empty"),
    (lambda: signal.convolve(ones(2), ones(2), precision=[1]), "^convolve takes a flag, number, name or tuple of them as precision"),
])
def test_sentences(call, message):
    with pytest.raises((TypeError, ValueError, Refused), match=message):
        call()


def test_traced_windows_are_refused():
    with pytest.raises(TypeError, match="welch takes a window whose numbers are known while tracing"):
        G.jit(lambda w: signal.welch(ones(9), window=w))(ones(4))
