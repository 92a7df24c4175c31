"""Reductions against NumPy's."""
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, strategies as st

import gnomon as G
import gnomon.numpy as jnp
from gnomon.types.dtype import finfo

pytestmark = pytest.mark.filterwarnings("ignore")

BF16 = np.dtype(ml_dtypes.bfloat16)
X = (np.random.RandomState(0).permutation(24).reshape(2, 3, 4) - 7).astype("float32")
HOLES = np.where(X % 5 == 0, np.nan, X).astype("float32")
MASK = X % 3 != 1
AXES = [None, 0, -1, (0, 2), (2, 0), (), (0, 1, 2)]
OVER_AXES = ["sum", "prod", "max", "min", "any", "all", "mean", "var", "ptp", "std", "count_nonzero"]
WITHOUT_NAN = ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"]


def close(ours, theirs, what="", rtol=2e-6):
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape, what
    ours = np.asarray(ours).astype(np.float64) if ours.dtype.kind in "fV" else ours
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=rtol, err_msg=str(what))


def reference(name, x, *args, **options):
    x = x.astype(np.float64) if x.dtype.kind in "fV" else x
    with np.errstate(all="ignore"):
        return getattr(np, name)(x, *args, **options)


@pytest.mark.parametrize("name", OVER_AXES + WITHOUT_NAN)
def test_axes(name):
    """All axes and both forms of keepdims in one program; without keepdims one by one, too."""
    x = HOLES if name in WITHOUT_NAN else X
    function = getattr(jnp, name)
    cases = [(axis, keep) for axis in AXES for keep in (False, True)]
    outs = G.jit(lambda x: [function(x, axis=axis, keepdims=keep) for axis, keep in cases])(x)
    for (axis, keep), out in zip(cases, outs):
        if axis == () and name in ("ptp", "count_nonzero"):
            continue
        close(out, reference(name, x, axis=axis, keepdims=keep), (axis, keep), rtol=1e-5)
        if not keep:
            close(function(x, axis=axis), out, axis, rtol=1e-5)


@pytest.mark.parametrize("name", [*OVER_AXES[:-2], "count_nonzero", "cumsum", "cumprod", "argmax", "argmin", "nansum",
                                  "nanmax"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "uint32", "complex64"])
def test_dtypes(name, dtype):
    x = (X % 5 if dtype != "bool" else X % 2).astype(dtype)
    if dtype == "bool" and name == "ptp" or dtype == "complex64" and name in ("argmax", "argmin"):
        with pytest.raises(TypeError, match=f"{name} takes"):
            getattr(jnp, name)(x, axis=1)
        return
    close(getattr(jnp, name)(x, axis=1), reference(name, x, axis=1), rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", BF16], ids=str)
def test_half_floats_are_summed_in_float32(dtype):
    x = np.full(5000, 1.0, dtype)
    assert float(jnp.sum(x)) == np.float64(np.float32(5000).astype(dtype))
    assert float(jnp.mean(x)) == 1.0 and jnp.mean(x).dtype == dtype
    assert "new_dtype=float32" in str(G.make_jaxpr(jnp.sum)(x))


def test_dtype_argument():
    x = np.array([1, 2, 300])
    assert jnp.sum(x, dtype="int8").dtype == np.int8 and int(jnp.sum(x, dtype="int8")) == 47
    assert jnp.sum(np.ones(3, "int8"), promote_integers=False).dtype == np.int8
    assert jnp.mean(x, dtype="int32").dtype == np.int32 and int(jnp.mean(x, dtype="int32")) == 101
    assert jnp.cumsum(x, dtype="float16").dtype == np.float16
    assert jnp.var(x, dtype="float16").dtype == np.float16
    assert jnp.var(x.astype("complex64")).dtype == np.float32
    with pytest.raises(ValueError, match="var is computed in floating"):
        jnp.var(x, dtype="int32")
    with G.enable_x64(True):
        assert jnp.sum(np.ones(3, "int32")).dtype == np.int64 and jnp.sum(np.ones(3, "uint8")).dtype == np.uint64
        assert jnp.argmax(x).dtype == np.int64


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "nansum", "nanmax"])
def test_where_and_initial(name):
    options = dict(where=MASK, initial=2.0)
    close(getattr(jnp, name)(X, axis=1, **options), reference(name, X, axis=1, **options), rtol=1e-5)
    compiled = G.jit(lambda x, m: getattr(jnp, name)(x, where=m, initial=2.0))
    close(compiled(X, MASK), reference(name, X, **options), rtol=1e-5)


@pytest.mark.parametrize("name", ["any", "all", "mean", "var", "std", "nanmean", "nanvar"])
def test_where(name):
    x = HOLES if "nan" in name else X
    close(getattr(jnp, name)(x, axis=(0, 2), where=MASK), reference(name, x, axis=(0, 2), where=MASK), rtol=1e-5)
    row = np.array([True, False, True, True])
    close(getattr(jnp, name)(x, axis=-1, where=row), reference(name, x, axis=-1, where=row), rtol=1e-5)


def test_nothing_to_reduce():
    e = np.zeros((0, 3), "float32")
    for name in ("sum", "prod", "any", "all", "mean", "var"):
        close(getattr(jnp, name)(e, axis=0), reference(name, e, axis=0))
    assert jnp.max(e, axis=1).shape == (0,) and float(jnp.max(e, initial=3.0)) == 3.0
    for call, words in ((lambda: jnp.max(e), "zero-size array to reduction operation max"),
                        (lambda: jnp.min(e, axis=0), "zero-size array to reduction operation min"),
                        (lambda: jnp.argmax(e, axis=0), "argmax of an empty sequence"),
                        (lambda: jnp.max(X, where=MASK), "one has to specify 'initial'")):
        with pytest.raises(ValueError, match=words):
            call()


def test_deviations():
    for options in (dict(ddof=1), dict(ddof=0.5), dict(axis=1, ddof=1), dict(mean=X.mean(keepdims=True))):
        close(jnp.var(X, **options), reference("var", X, **options), rtol=1e-5)
    close(jnp.std(X, correction=1), reference("std", X, ddof=1), rtol=1e-5)
    close(G.jit(lambda x, d: jnp.var(x, ddof=d))(X, 1), reference("var", X, ddof=1), rtol=1e-5)
    assert np.isnan(jnp.var(np.ones(2), ddof=2)) and np.isnan(jnp.var(np.ones(2), ddof=3))
    with pytest.raises(ValueError, match="ddof or correction"):
        jnp.var(X, ddof=1, correction=1)


def test_average():
    w = np.array([1.0, 2.0, 0.5], "float32")
    for options in (dict(), dict(axis=1), dict(axis=1, weights=w), dict(weights=np.abs(X)),
                    dict(axis=1, weights=w, keepdims=True), dict(axis=(2, 1), weights=np.ones((4, 3), "float32") * w)):
        out, total = jnp.average(X, returned=True, **options)
        expected, expected_total = np.average(X.astype("float64"), returned=True, **options)
        close(out, expected, rtol=1e-5)
        close(total, expected_total, rtol=1e-5)
    with pytest.raises(TypeError, match="need an axis"):
        jnp.average(X, weights=w)
    with pytest.raises(ValueError, match="weights have shape"):
        jnp.average(X, axis=0, weights=w)


def test_running():
    for name in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
        x = HOLES if "nan" in name else X
        for axis in (None, 0, -1):
            close(getattr(jnp, name)(x, axis=axis), reference(name, x, axis=axis), rtol=1e-5)
    v = np.array([2, 3, 4], "int8")
    for name, numpy_name, first in (("cumulative_sum", "cumsum", 0), ("cumulative_prod", "cumprod", 1)):
        np.testing.assert_array_equal(getattr(jnp, name)(v, include_initial=True), [first, *getattr(np, numpy_name)(v)])
        assert getattr(jnp, name)(v).dtype == np.int32
        with pytest.raises(ValueError, match="needs an axis"):
            getattr(jnp, name)(X)
    assert jnp.cumsum(np.float32(2)).shape == (1,)


@pytest.mark.parametrize("name", ["argmax", "argmin", "nanargmax", "nanargmin"])
def test_positions(name):
    for axis in (None, 0, 1, -1):
        for keepdims in (False, True):
            np.testing.assert_array_equal(getattr(jnp, name)(X, axis=axis, keepdims=keepdims),
                                          getattr(np, name)(X, axis=axis, keepdims=keepdims))
    for v in ([0, 1, np.nan], [np.nan, 1, 2], [0, np.nan, 1], [1, 1, 0]):
        v = np.array(v, "float32")
        for function in (getattr(jnp, name), G.jit(getattr(jnp, name))):
            assert int(function(v)) == getattr(np, name)(v), v
    if "nan" in name:
        assert int(getattr(jnp, name)(np.array([np.nan, np.nan]))) == -1


def test_minmax():
    low, high = jnp.minmax(X, axis=1, initial=(0.0, 1.0))
    close(low, np.min(X, axis=1, initial=0.0))
    close(high, np.max(X, axis=1, initial=1.0))


def test_results_are_not_weak():
    for name in ("sum", "max", "mean", "prod", "min", "var"):
        for first, then in ((2.0, jnp.float32(2)), (jnp.float32(2), 2.0)):      # whichever is traced first
            f = G.jit(getattr(jnp, name))
            assert not f(first).weak_type and not f(then).weak_type and not getattr(jnp, name)(then).weak_type, name


def test_derivatives():
    x = np.array([1.0, 3.0, 3.0, 2.0], "float32")
    np.testing.assert_array_equal(G.grad(jnp.max)(x), [0, 0.5, 0.5, 0])
    np.testing.assert_allclose(G.grad(jnp.std)(x), (x - x.mean()) / 4 / x.std(), rtol=1e-5)
    np.testing.assert_array_equal(G.grad(jnp.std)(np.ones(3, "float32")), [0, 0, 0])
    np.testing.assert_allclose(G.grad(jnp.prod)(np.array([0.0, 2.0, 3.0])), [6, 0, 0])
    np.testing.assert_array_equal(G.grad(jnp.nanmean)(np.array([1.0, np.nan, 3.0])), [0.5, 0, 0.5])
    np.testing.assert_array_equal(G.grad(jnp.nanmax)(np.array([1.0, np.nan, 3.0])), [0, 0, 1])
    np.testing.assert_array_equal(G.vmap(jnp.argmax)(X[0]), X[0].argmax(1))


def test_printed_programs():
    show = lambda f, *xs: str(G.make_jaxpr(f)(*xs))
    assert show(jnp.sum, np.ones(3, "float32")) == (
        "{ lambda ; a:f32[3]. let\n    b:f32[] = reduce_sum[axes=(0,) out_sharding=None] a\n  in (b,) }")
    assert "div b 3.0:f32[]" in show(jnp.mean, np.ones(3, "float32"))
    assert "reduce_max[axes=(1,)" in show(lambda x: x.max(1), np.ones((2, 3), "float32"))


def test_errors_name_the_function():
    for call, kind, words in (
            (lambda: jnp.sum(X, axis=3), ValueError, "sum got axis 3"),
            (lambda: jnp.sum(X, axis=3), IndexError, "out of bounds"),
            (lambda: jnp.max(X, axis=(0, -3)), ValueError, "max got a repeated axis"),
            (lambda: jnp.sum(X, axis=1.0), TypeError, "sum takes an integer axis"),
            (lambda: jnp.sum([1, 2]), TypeError, "sum requires ndarray or scalar arguments, got <class 'list'>"),
            (lambda: jnp.sum(X, out=X), NotImplementedError, "sum takes no 'out'"),
            (lambda: jnp.sum(X, where=X), ValueError, "sum: where must be None or a boolean array"),
            (lambda: jnp.sum(X, initial=X), ValueError, "sum: initial must be a scalar"),
            (lambda: G.jit(jnp.sum)(X, axis=0), G.errors.TracerIntegerConversionError, "static_argnums")):
        with pytest.raises(kind, match=words):
            call()


@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=20), st.integers(0, 1))
def test_mean_and_variance_against_numpy(numbers, ddof):
    x = np.array(numbers, "float32")
    close(jnp.mean(x), x.astype("float64").mean(), rtol=1e-4)
    if ddof < len(x):
        np.testing.assert_allclose(jnp.var(x, ddof=ddof), x.astype("float64").var(ddof=ddof), rtol=1e-3, atol=1e-2)


def test_many_numbers_are_summed_with_care():
    x = np.full(2**20, 0.1, "float32")
    np.testing.assert_allclose(float(jnp.sum(x)), 0.1 * 2**20, rtol=100 * float(finfo("float32").eps))
