"""What a function of gnomon.numpy, numpy.linalg or numpy.fft raises for bad arguments is said in its docstring, and said in a sentence of ours."""
import inspect
import re

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from tests.numpy.generated import Draw
from tests.numpy.test_generated import CASES, functions

X = np.arange(1, 7, dtype="float32")
# Calls of the functions that no recipe is for
MORE = {
    "array_repr": ((X,), {}), "array_str": ((X,), {}), "can_cast": (("int8", "int16"), {}), "einsum_path": (("i,i", X, X), {}),
    "fill_diagonal": ((np.ones((2, 2)), 1.0), {"inplace": False}), "from_dlpack": ((X,), {}), "frombuffer": ((b"abcd", "uint8"), {}),
    "fromfunction": ((lambda i: i, (2,)), {}), "frompyfunc": ((max, 2, 1), {}), "fromstring": (("1 2",), {"sep": " "}), "isscalar": ((1.0,), {}),
    "isdtype": (("int8", "numeric"), {}), "issubdtype": (("int8", np.integer), {}), "load": (("nothing.npy",), {}),
    "place": ((X, X > 2, X), {"inplace": False}), "promote_types": (("int8", "int16"), {}), "put": ((X, 0, 1.0), {"inplace": False}),
    "result_type": (("int8",), {}), "vectorize": ((abs,), {}),
}
# What they do with files and settings is tested with them, and that two functions refuse everything
APART = "fromfile fromiter get_printoptions printoptions save savez set_printoptions load".split()
BAD = ["a", [1.0, 2.0], object(), 1.5, -7, (0, 0), np.ones(5, "float32"), np.ones((2, 3), "complex64")]
# Options that every function checks in one way, and those whose truth alone counts
SHARED = {"dtype", "device", "out_sharding", "preferred_element_type", "out"}
EAGER = {"ix_", "mask_indices", "trim_zeros"}            # they need numbers
PASSED_ON = {("apply_along_axis", "args")}         # to a function of the user
FOREIGN = re.compile(r"' object is not|not supported between|has no attribute|ufunc|not subscriptable|unhashable|object cannot be|to unpack|cannot unpack|"
                     r"Cannot interpret|argument must be|no len\(\)|INTERNAL|Compiling|division")


def good_call(full, function):
    """Arguments that the function takes, by parameter."""
    for seed in range(12):
        made = MORE[full] if full in MORE else CASES[full][0](Draw(full, seed))
        if made is None or full in CASES and not all(np.ndim(a) for a in made[0] if isinstance(a, np.ndarray)):
            continue
        bound = inspect.signature(function).bind(*made[0], **made[1])
        if raised(function, bound, full in EAGER) is None:
            return bound
    raise AssertionError(f"no call of {full} went well")


def raised(function, bound, eager):
    """The error of a call, made while tracing where it can be, since that looks at shapes and dtypes alone; None if there is none."""
    out = []

    def traced():
        try:
            function(*bound.args, **bound.kwargs)
        except Exception as error:
            out.append(error)
        return 0
    traced() if eager else G.eval_shape(traced)
    return out[0] if out else None


NAMES = sorted(set(functions()) - set(APART))


@pytest.mark.parametrize("full", NAMES)
def test_errors_are_said(full):
    function = jnp
    for part in full.split("."):
        function = getattr(function, part)
    parameters = inspect.signature(function).parameters
    bound = good_call(full, function)
    said = set(re.findall(r"\w+Error|Refused", function.__doc__))
    for name, parameter in parameters.items():
        if name in SHARED or (full, name) in PASSED_ON or parameter.kind is parameter.VAR_KEYWORD:
            continue
        for bad in BAD:
            arguments = dict(bound.arguments)
            arguments[name] = (*arguments.get(name, ())[:-1], bad) if parameter.kind is parameter.VAR_POSITIONAL else bad
            error = raised(function, inspect.BoundArguments(inspect.signature(function), arguments), full in EAGER)
            if error is None or isinstance(error, G.errors.ConcretizationTypeError) or "truth value" in str(error):
                continue
            what = f"{full}({name}={bad!r}) raises {type(error).__name__}: {error}"
            assert said & {cls.__name__ for cls in type(error).__mro__}, what
            assert not FOREIGN.search(str(error)), what
