"""What a function of gnomon.numpy, numpy.linalg or numpy.fft raises for bad arguments is said in its docstring, and said in a sentence of ours."""
import inspect
import re

import numpy as np
import pytest
from numpy.exceptions import AxisError

import gnomon as G
import gnomon.numpy as jnp
from gnomon.errors import Refused
from tests.numpy.generated import Draw
from tests.numpy.test_generated import CASES, functions

X = np.arange(1, 7, dtype="float32")


def F(*shape):
    return np.ones(shape, "float32")


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
        if name in SHARED or (name == "where" and isinstance(function, jnp.ufunc)) or (full, name) in PASSED_ON or parameter.kind is parameter.VAR_KEYWORD:
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


# error: calls that raise it, as the docstrings say
RAISED = {
    ValueError: [
        lambda: jnp.hstack([]), lambda: jnp.vstack([]), lambda: jnp.dstack([]), lambda: jnp.column_stack([]),
        lambda: jnp.tril_indices_from(F(2, 2, 2)), lambda: jnp.block([[F(2)], F(2)]), lambda: jnp.block([]),
        lambda: jnp.can_cast("int8", "int16", "x"), lambda: jnp.resize(F(2), -1), lambda: jnp.cov(F(2, 3), ddof=1.5), lambda: jnp.cov(F(2, 3, 4)),
        lambda: jnp.corrcoef(F(2, 3, 4)), lambda: jnp.cov(F(2, 3), fweights=np.ones(2, "int32")), lambda: jnp.fill_diagonal(F(2), 1.0, inplace=False),
        lambda: jnp.fill_diagonal(F(2, 3, 2), 1.0, inplace=False), lambda: jnp.place(F(3), F(2)>0, F(1), inplace=False),
        lambda: jnp.place(F(3), F(3)>0, F(0), inplace=False), lambda: jnp.place(F(3), F(3)>0, F(3)), lambda: jnp.put(F(3), 0, 1.0),
        lambda: jnp.put(F(3), 0, 1.0, mode="x", inplace=False), lambda: jnp.put_along_axis(F(3), np.array([[0]]), 1.0, 0, inplace=False),
        lambda: jnp.compress(F(2, 2), F(2, 2), 0), lambda: jnp.compress(F(2)>0, F(2), size=-1), lambda: jnp.top_k(F(3), 5),
        lambda: jnp.nanargmax(F(0)), lambda: jnp.ptp(F(0)), lambda: jnp.minmax(F(0)), lambda: jnp.min(F(0)), lambda: jnp.nanmin(F(0)),
        lambda: jnp.nanmax(F(0)), lambda: jnp.cumulative_sum(F(2, 2)), lambda: jnp.linalg.pinv(F(2)),
        lambda: jnp.linalg.svd(F(2, 2), subset_by_index=(0, 5)), lambda: jnp.linalg.svd(F(2, 2), hermitian=True, subset_by_index=(0, 5)),
        lambda: jnp.linalg.qr(F(2, 2), mode="x"), lambda: jnp.linalg.cond(F(2, 2), p=7), lambda: jnp.linalg.eigh(F(2, 2), UPLO="x"),
        lambda: jnp.linalg.slogdet(F(2, 2), method="x"), lambda: jnp.linalg.matrix_rank(F(2, 3), hermitian=True),
        lambda: jnp.linalg.multi_dot([F(2, 2)]), lambda: jnp.linalg.solve(F(2, 3), F(2)), lambda: jnp.linalg.solve(F(2, 2), F(3)),
        lambda: jnp.linalg.lstsq(F(2), F(2)), lambda: jnp.linalg.lstsq(F(2, 2), F(3)), lambda: jnp.linalg.tensorinv(F(2, 2, 3), ind=1),
        lambda: jnp.linalg.tensorinv(F(2, 2), ind=0), lambda: jnp.linalg.tensorsolve(F(2, 3), F(2)),
        lambda: jnp.linalg.vector_norm(F(2), axis=(0, 0)), lambda: jnp.linalg.vector_norm(F(2), ord="x"),
        lambda: jnp.linalg.matrix_norm(F(2, 2), ord=7), lambda: jnp.linalg.outer(F(2, 2), F(2)), lambda: jnp.linalg.matmul(F(), F(2)),
        lambda: jnp.linalg.cross(F(2), F(2)), lambda: jnp.linalg.matrix_power(F(2, 3), 1), lambda: jnp.tensordot(F(2), F(2), axes=1, precision="x"),
        lambda: jnp.dot(F(2), F(2), precision="x"), lambda: jnp.vdot(F(2), F(2), precision="x"), lambda: jnp.vecdot(F(), F(2)),
        lambda: jnp.matvec(F(2), F(2)), lambda: jnp.vecmat(F(2), F(2)), lambda: jnp.cross(F(4), F(4)), lambda: jnp.diagonal(F(2)),
        lambda: jnp.diagonal(F(2, 2), axis1=0, axis2=0), lambda: jnp.repeat(F(3), -1), lambda: jnp.repeat(F(3), np.array([1, 2])),
        lambda: jnp.roll(F(2, 2), (1, 1, 1), (0, 1)), lambda: jnp.rot90(F(2, 2), axes=(0, 0)), lambda: jnp.moveaxis(F(2, 2), (0, 0), (0, 1)),
        lambda: jnp.moveaxis(F(2, 2), 0, (0, 1)), lambda: jnp.transpose(F(2, 2), (0,)), lambda: jnp.transpose(F(2, 2), (0, 0)),
        lambda: jnp.array_split(F(3), 0), lambda: jnp.split(F(3), 2), lambda: jnp.dsplit(F(2, 2, 3), 2), lambda: jnp.hsplit(F(3), 2),
        lambda: jnp.broadcast_arrays(F(2), F(3)), lambda: jnp.broadcast_to(F(2), (3,)), lambda: jnp.insert(F(3), [0, 1], F(3)),
        lambda: jnp.full((2,), F(3)), lambda: jnp.full_like(F(2), F(3)), lambda: jnp.zeros(-1), lambda: jnp.arange(F(2)), lambda: jnp.arange(np.nan),
        lambda: jnp.frombuffer(b"abc", "int16"), lambda: jnp.fromstring("a b", sep=" "), lambda: jnp.ravel(F(2), order="x"),
        lambda: jnp.reshape(F(2), (-1, -1)), lambda: jnp.indices((-1,)), lambda: jnp.ix_(F(2, 2)), lambda: jnp.ix_(3),
        lambda: jnp.linspace(0, 1, -1), lambda: jnp.geomspace(1, 2, -1), lambda: jnp.logspace(0, 1, -1), lambda: jnp.meshgrid(F(2), indexing="x"),
        lambda: jnp.poly(F(2, 3)), lambda: jnp.roots(F(2, 2)), lambda: jnp.polyadd(F(2, 2), F(2)), lambda: jnp.polydiv(F(2), F(0)),
        lambda: jnp.polyder(F(3), -1), lambda: jnp.polyint(F(3), -1), lambda: jnp.polyint(F(3), 3, F(2)), lambda: jnp.polyval(F(), 1.0),
        lambda: jnp.median(F(2, 2), axis=(0, 0)), lambda: jnp.percentile(F(2), F(2, 2)), lambda: jnp.percentile(F(2), 5, method="x"),
        lambda: jnp.union1d(F(2), F(2), size=-1), lambda: jnp.unique(F(2), size=-1), lambda: jnp.nonzero(F(2), size=-1), lambda: jnp.nonzero(F()),
        lambda: jnp.convolve(F(2, 2), F(2)), lambda: jnp.convolve(F(0), F(2)), lambda: jnp.convolve(F(2), F(2), precision="x"),
        lambda: jnp.unwrap(F()), lambda: jnp.bincount(np.ones((2, 2), "int32")), lambda: jnp.bincount(np.ones(2, "int32"), F(3)),
        lambda: jnp.histogram(F(2), 0), lambda: jnp.histogram(F(2), range=(1,)), lambda: jnp.histogram(F(2), weights=F(3)),
        lambda: jnp.histogram2d(F(2), F(2), 0), lambda: jnp.histogram2d(F(2), F(2), weights=F(3)), lambda: jnp.histogramdd(F(2, 2), (2, 2, 2)),
        lambda: jnp.histogramdd(F(2, 2), weights=F(3)), lambda: jnp.histogram(F(2), F(0)), lambda: jnp.apply_over_axes(jnp.sum, F(2, 2), (0, 0)),
        lambda: jnp.fromfunction(jnp.add, (-1, 2)), lambda: jnp.vander(F(2, 2)), lambda: jnp.vander(F(2), -1),
        lambda: jnp.packbits(np.ones(2, "int32"), bitorder="x"), lambda: jnp.einsum_path("ij", F(2)), lambda: jnp.digitize(F(2), F(2, 2)),
        lambda: jnp.digitize(F(2), F(2), method="x"), lambda: jnp.choose(np.zeros(2, "int32"), []), lambda: jnp.take(F(2), 0, mode="x"),
        lambda: jnp.fft.fftshift(F(2), (0, 0)), lambda: jnp.fft.fftfreq(-1), lambda: jnp.fft.ihfft(np.ones(2, "c8")), lambda: jnp.fft.hfft(F(2), 0),
        lambda: jnp.fft.rfft(F(2), norm="x"), lambda: jnp.count_nonzero(F(2), axis=(0, 0)), lambda: jnp.unstack(F()),
        lambda: jnp.trim_zeros(F(2), axis=(0, 0)), lambda: jnp.tile(F(2), -1), lambda: jnp.expand_dims(F(2), (0, 0)), lambda: jnp.diag(F()),
        lambda: jnp.diag_indices_from(F(2)), lambda: jnp.tril(F(2)), lambda: jnp.mask_indices(-1, jnp.triu), lambda: jnp.tri(-1),
        lambda: jnp.identity(-1), lambda: jnp.searchsorted(F(2), F(2), "x"),
    ],
    TypeError: [
        lambda: jnp.hstack([F(2, 3), F(3, 3)]), lambda: jnp.vstack([F(2), F(3)]), lambda: jnp.dstack([F(2), F(3)]),
        lambda: jnp.column_stack([F(2), F(3)]), lambda: jnp.block([[F(2, 2), F(3, 3)]]), lambda: jnp.can_cast(1, "int8"),
        lambda: jnp.ldexp(F(2), F(2)), lambda: jnp.ldexp(np.ones(2, "c8"), np.ones(2, "int32")), lambda: jnp.ldexp(F(2), np.ones(3, "int32")),
        lambda: jnp.put(F(3), 0.5, 1.0, inplace=False), lambda: jnp.argsort(F(3), kind="quicksort"), lambda: jnp.argsort(F(3), order="x"),
        lambda: jnp.top_k(np.ones(3, "c8"), 1), lambda: jnp.nanargmax(np.ones(2, "c8")), lambda: jnp.argmax(np.ones(2, "c8")),
        lambda: jnp.ptp(F(2)>0), lambda: jnp.linalg.matrix_rank(F(2, 2, 2), rtol=F(3)), lambda: jnp.linalg.multi_dot([F(2, 3), F(2, 3)]),
        lambda: jnp.linalg.multi_dot(3), lambda: jnp.linalg.matmul(F(2), F(3)), lambda: jnp.linalg.matrix_power(F(2, 2), 1.5),
        lambda: jnp.linalg.tensordot(F(2), F(3), axes=1), lambda: jnp.inner(F(2), F(3)), lambda: jnp.vdot(F(2), F(3)), lambda: jnp.vecdot(F(2), F(3)),
        lambda: jnp.matvec(F(2, 2), F(3)), lambda: jnp.append(F(2, 2), F(3, 3), 0), lambda: jnp.zeros(1.5), lambda: jnp.arange(None),
        lambda: jnp.arange(1j), lambda: jnp.from_dlpack(3), lambda: jnp.frombuffer(3), lambda: jnp.frombuffer(b"abcd", "U1"),
        lambda: jnp.fromstring(3, sep=" "), lambda: jnp.fromstring("1", dtype="U1", sep=" "), lambda: jnp.ix_([1]), lambda: jnp.meshgrid([1]),
        lambda: jnp.pad(F(2), 1.5), lambda: jnp.median(np.ones(2, "c8")), lambda: jnp.ediff1d(F(2)>0), lambda: jnp.bincount(F(2)),
        lambda: jnp.histogram(F(2), range=3), lambda: jnp.frompyfunc(3, 1, 1), lambda: jnp.frompyfunc(max, 1.5, 1), lambda: jnp.vectorize(3),
        lambda: jnp.fromfunction(3, (2,)), lambda: jnp.load(3), lambda: jnp.save(3, F(2)), lambda: jnp.savez(3, F(2)),
        lambda: jnp.set_printoptions(zzz=1), lambda: jnp.vander(F(2)>0), lambda: jnp.einsum_path("i", [1]), lambda: jnp.unravel_index(1.5, (2,)),
        lambda: jnp.mask_indices(2, 3), lambda: jnp.eye(2, k=0.5), lambda: jnp.allclose(F(2), F(3)), lambda: jnp.isin([1], F(2)),
        lambda: jnp.clip(F(2), F(3)), lambda: jnp.select([F(2)>0], [F(3)]),
    ],
    Refused: [
        lambda: jnp.fill_diagonal(F(2, 2), 1.0), lambda: jnp.cumsum(F(2), out=F(2)), lambda: jnp.sum(F(2), out=F(2)),
        lambda: jnp.outer(F(2), F(2), out=F(2)), lambda: jnp.trace(F(2, 2), out=F(2)), lambda: jnp.copy(F(2), order="F"),
        lambda: jnp.ravel(F(2), order="K"), lambda: jnp.pad(F(2), 1, mode="x"), lambda: jnp.median(F(2), out=F(2)),
        lambda: jnp.nanquantile(F(2), 0.5, weights=F(2)), lambda: jnp.add(F(2), F(2), out=F(2)),
    ],
    AxisError: [
        lambda: jnp.put_along_axis(F(3), np.array([0]), 1.0, 4, inplace=False), lambda: jnp.argpartition(F(3), 7),
        lambda: jnp.linalg.tensorsolve(F(2, 2), F(2), axes=(7,)), lambda: jnp.linalg.tensordot(F(2, 2), F(2, 2), axes=((5,), (0,))),
        lambda: jnp.vecdot(F(2), F(2), axis=3), lambda: jnp.cross(F(3), F(3), axis=4), lambda: jnp.linalg.cross(F(3), F(3), axis=5),
        lambda: jnp.diagonal(F(2, 2), axis1=5),
        lambda: jnp.repeat(F(3), 1, 5), lambda: jnp.rot90(F(2, 2), axes=(0, 5)), lambda: jnp.rollaxis(F(2, 2), 5),
        lambda: jnp.permute_dims(F(2, 2), (0, 5)), lambda: jnp.hsplit(F(), 1), lambda: jnp.vsplit(F(), 1), lambda: jnp.dsplit(F(2, 2), 1),
        lambda: jnp.delete(F(3), 0, 5), lambda: jnp.insert(F(3), 0, 1.0, 5), lambda: jnp.append(F(2), F(2), 5), lambda: jnp.linspace(0, 1, 3, axis=4),
        lambda: jnp.geomspace(1, 2, 3, axis=4), lambda: jnp.logspace(0, 1, 3, axis=4), lambda: jnp.unique(F(2), axis=3),
        lambda: jnp.diff(F(2), axis=4), lambda: jnp.gradient(F(3), axis=4), lambda: jnp.trapezoid(F(3), axis=3), lambda: jnp.unwrap(F(2), axis=3),
        lambda: jnp.apply_over_axes(jnp.sum, F(2, 2), 5), lambda: jnp.apply_along_axis(jnp.sum, 5, F(2)),
        lambda: jnp.packbits(np.ones(2, "int32"), axis=3), lambda: jnp.lexsort([F(2)], axis=3), lambda: jnp.sort_complex(F()),
        lambda: jnp.fft.fftshift(F(2), 3), lambda: jnp.fft.fft(F(2), axis=3), lambda: jnp.average(F(2), axis=3), lambda: jnp.squeeze(F(2), axis=3),
        lambda: jnp.stack([F(2)], axis=5), lambda: jnp.unstack(F(2), axis=3), lambda: jnp.swapaxes(F(2), 0, 4),
    ],
    NotImplementedError: [
        lambda: jnp.compress(F(2)>0, F(2), out=F(2)), lambda: jnp.partition(np.ones(3, "c8"), 1), lambda: jnp.histogram(F(2), "auto"),
        lambda: jnp.histogram2d(F(2), F(2), "auto"), lambda: jnp.choose(np.zeros(2, "int32"), [1], out=F(2)), lambda: jnp.take(F(2), 0, mode="raise"),
    ],
    IndexError: [
        lambda: jnp.delete(F(3), 7), lambda: jnp.insert(F(3), 9, 1.0),
    ],
    ZeroDivisionError: [
        lambda: jnp.arange(0, 5, 0),
    ],
    BufferError: [
        lambda: jnp.from_dlpack(np.array(["a"])),
    ],
    FileNotFoundError: [
        lambda: jnp.load("/nowhere"),
    ],
}


@pytest.mark.parametrize("expected, call", [(expected, call) for expected, calls in RAISED.items() for call in calls])
def test_what_is_said_is_raised(expected, call):
    with pytest.raises(Exception) as caught:
        call()
    assert caught.type is expected, caught.value
