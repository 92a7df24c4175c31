"""The dtypes and weak types of elementwise functions and reductions, against JAX's."""
import ml_dtypes
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

ARRAYS = {
    "bool": np.array([True, False, True]), "i8": np.array([-3, 0, 2], "int8"), "u8": np.array([3, 0, 2], "uint8"),
    "i32": np.array([-3, 0, 2], "int32"), "f16": np.array([-1.5, 0, 0.5], "float16"),
    "bf16": np.array([-1.5, 0, 0.5], ml_dtypes.bfloat16), "f32": np.array([-1.5, 0, 0.5], "float32"),
    "c64": np.array([-1.5 + 1j, 0, 0.5], "complex64"), "int": 2, "float": 2.0, "pybool": True,
}
UNARY = """negative positive abs fabs sign signbit exp exp2 expm1 log log1p sin cos tan arcsin arccos arctan sinh cosh tanh
    arcsinh arccosh arctanh sqrt square cbrt reciprocal isneginf isposinf real imag conj round trunc floor ceil degrees
    radians sinc i0 invert bitwise_count modf sum prod max min any all mean var std median cumsum cumprod argmax nansum nanmax
    nanmean nanvar nanmedian count_nonzero nancumsum nanargmax cumulative_sum ptp""".split()
PAIRS = [*[(k, k) for k in list(ARRAYS)[:9]], ("f32", "i32"), ("i32", "float"), ("bf16", "i32"), ("i32", "f16"),
         ("u8", "int"), ("float", "int"), ("bool", "int"), ("i8", "u8"), ("f16", "float"), ("c64", "float")]
BINARY = """add subtract multiply divide floor_divide mod fmod float_power maximum minimum fmax fmin bitwise_and left_shift
    right_shift arctan2 copysign logaddexp nextafter divmod""".split()
# Booleans are never weak here, and functions made of several ops keep weakness where JAX's constants lose it.
WEAK_DIFFERS = """log2 log10 angle spacing nan_to_num heaviside hypot logaddexp2 gcd lcm power ldexp less equal logical_and
    logical_not isnan isfinite isinf iscomplex isreal rint""".split()


def answer(library, function, *args):
    """The dtypes and weak types of the results, or that there is an error."""
    try:
        out = library.eval_shape(function, *args)
    except (TypeError, ValueError):
        return "error"
    return [(str(x.dtype), bool(x.weak_type)) for x in (out if isinstance(out, tuple) else (out,))]


def without_weak(found):
    return found if found == "error" else [dtype for dtype, _ in found]


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_array(name, peer):
    for kind, x in ARRAYS.items():
        if kind == "c64" and name in ("argmax", "nanargmax"):
            continue        # JAX refuses them once it compiles
        assert answer(G, getattr(jnp, name), x) == answer(peer, getattr(peer.numpy, name), x), kind


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_arrays(name, peer):
    for a, b in PAIRS:
        x, y = ARRAYS[a], ARRAYS[b]
        assert answer(G, getattr(jnp, name), x, y) == answer(peer, getattr(peer.numpy, name), x, y), (a, b)


@pytest.mark.parametrize("name", WEAK_DIFFERS)
def test_dtypes_of_the_others(name, peer):
    ours, theirs = getattr(jnp, name), getattr(peer.numpy, name)
    cases = PAIRS if name in WEAK_DIFFERS[5:14] or name == "power" else [(k,) for k in ARRAYS]
    for kinds in cases:
        xs = [ARRAYS[k] for k in kinds]
        assert without_weak(answer(G, ours, *xs)) == without_weak(answer(peer, theirs, *xs)), kinds


def test_powers_that_are_python_numbers(peer):
    for kind, x in ARRAYS.items():
        for power in (2, 0, 1, 0.5):
            found = [answer(library, lambda x: np.power(x, power), x) for library, np in ((G, jnp), (peer, peer.numpy))]
            assert found[0] == found[1], (kind, power)
