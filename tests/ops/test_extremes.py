"""NaN, infinities, signed zeros and ties in reductions, scans, windows and sorts, in arrays long enough for the fast
paths."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import lax

SHAPES = [((10000,), 0), ((100, 100), 0), ((100, 100), 1), ((3, 7), 1), ((65, 3), 0), ((8, 100, 9), 1), ((2, 1024), 1),
          ((257, 3), 0), ((70000,), 0), ((40, 2000), 1), ((70, 1000), 1), ((4, 5, 4000), (1, 2))]


def with_nan(shape, dtype, count):
    rng = np.random.default_rng(count)
    x = (rng.standard_normal(shape) * 5).astype(dtype)
    x.reshape(-1)[rng.integers(0, x.size, count)] = np.nan
    return x


@pytest.mark.parametrize("shape, axis", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("count", [0, 2])
def test_extremes_keep_nan_as_numpy_does(shape, axis, dtype, count):
    x = with_nan(shape, dtype, count)
    for name in ("max", "min") if isinstance(axis, tuple) else ("max", "min", "argmax", "argmin"):
        got = gnomon.jit(lambda x, name=name: getattr(jnp, name)(x, axis))(x)
        np.testing.assert_array_equal(got, getattr(np, name)(x, axis), err_msg=name)


def test_running_extremes_and_windows_keep_nan():
    x = with_nan((400,), "float32", 3)
    np.testing.assert_array_equal(lax.cummax(x), np.maximum.accumulate(x))
    np.testing.assert_array_equal(lax.cummin(x, reverse=True), np.minimum.accumulate(x[::-1])[::-1])
    got = lax.reduce_window(x, -np.inf, lax.max, (3,))
    np.testing.assert_array_equal(got, np.max([x[:-2], x[1:-1], x[2:]], 0))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int8", "uint8", "uint32", "bool"])
@pytest.mark.parametrize("axis", [0, 1])
def test_sorts_are_numpys(dtype, axis):
    rng = np.random.default_rng(0)
    x = rng.choice([-np.inf, -2, -1, -0.0, 0, 1, 2, np.inf, np.nan], (300, 7)) if dtype.startswith("float") \
        else rng.integers(0, 2 if dtype == "bool" else 100, (300, 7))
    x = x.astype(dtype)
    np.testing.assert_array_equal(lax.sort(x, axis), np.sort(x, axis))
    order = np.argsort(x, axis, kind="stable")
    np.testing.assert_array_equal(jnp.argsort(x, axis), order)
    values, places = lax.top_k(x, 5, axis=axis)
    last = x.shape[axis] - 1 - np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    np.testing.assert_array_equal(places, np.take(last, range(5), axis))
    np.testing.assert_array_equal(values, np.take_along_axis(x, np.take(last, range(5), axis), axis))


def test_sort_by_several_keys():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, 50).astype("int32"), rng.choice([np.nan, 1, 2], 50).astype("float32")
    c = np.arange(50, dtype="int32")
    got = lax.sort((a, b, c), num_keys=2)[2]
    np.testing.assert_array_equal(got, np.lexsort((c, b, a)))


@pytest.mark.parametrize("shape, axis", [((1000,), 0), ((70, 1024), 1), ((300, 20), 0)])
@pytest.mark.parametrize("reverse", [False, True])
def test_running_sums_add_in_numpys_order(shape, axis, reverse):
    x = np.random.default_rng(0).standard_normal(shape).astype("float32")
    want = np.flip(np.cumsum(np.flip(x, axis), axis), axis) if reverse else np.cumsum(x, axis)
    np.testing.assert_array_equal(gnomon.jit(lambda x: lax.cumsum(x, axis, reverse))(x), want)


def test_running_sums_of_narrow_floats_are_kept_in_float32():
    x = np.ones(4096, "float16")
    assert lax.cumsum(x)[-1] == 4096


# ---- derivatives ---------------------------------------------------------------------------------------------------

def test_ties_share_equally():
    x = jnp.array([1.0, 3, 3, 2, 3])
    np.testing.assert_allclose(gnomon.grad(lambda x: lax.reduce_max(x, (0,)))(x), [0, 1 / 3, 1 / 3, 0, 1 / 3],
                               rtol=1e-6)
    np.testing.assert_allclose(gnomon.grad(lambda x: lax.cummax(x)[2])(x), [0, 1 / 2, 1 / 2, 0, 0])
    np.testing.assert_allclose(gnomon.grad(lambda x: lax.cummax(x)[0])(x), [1, 0, 0, 0, 0])
    u = jnp.array([3.0, 1])
    elements = lax.ScatterDimensionNumbers((), (0,), (0,))
    f = lambda x, u: lax.scatter_max(x, jnp.array([[1], [0]]), u, elements).sum()
    gx, gu = gnomon.grad(f, (0, 1))(x, u)
    np.testing.assert_allclose(gx, [1 / 2, 1 / 2, 1, 1, 1])
    np.testing.assert_allclose(gu, [1 / 2, 1 / 2])


@pytest.mark.parametrize("zeros", [(), (1,), (1, 3), (0, 1, 2, 3)])
def test_products_with_zeros(zeros):
    x = np.array([2.0, 3, 5, 7])
    x[list(zeros)] = 0
    others = [np.prod(np.delete(x, i)) for i in range(4)]
    pairs = [[0 if i == j else np.prod(np.delete(x, [i, j])) for j in range(4)] for i in range(4)]
    elements = lax.ScatterDimensionNumbers((), (0,), (0,))
    for f in (lambda x: lax.reduce_prod(x, (0,)), lambda x: lax.cumprod(x)[-1],
              lambda x: lax.cumprod(x, reverse=True)[0],
              lambda x: lax.scatter_mul(jnp.ones(2), jnp.zeros((4, 1), int), x, elements)[0]):
        np.testing.assert_allclose(gnomon.grad(f)(x), others)
        np.testing.assert_allclose(gnomon.hessian(f)(x), pairs)


def test_running_logsumexp_from_minus_infinity():
    x = jnp.array([-jnp.inf, -jnp.inf, 0.0, 1.0])
    np.testing.assert_allclose(lax.cumlogsumexp(x), [-np.inf, -np.inf, 0, np.logaddexp(0, 1)], rtol=1e-6)
    weight = 1 / (1 + np.exp(1.0))
    np.testing.assert_allclose(gnomon.grad(lambda x: lax.cumlogsumexp(x)[3])(x), [0, 0, weight, 1 - weight], rtol=1e-6)


def test_a_linear_recurrence_of_many_steps():
    from gnomon.ops.cumulative import linear_recurrence
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1, 1, (50, 3)), rng.standard_normal((50, 3))
    h, want = np.zeros(3), []
    for k in range(50):
        h = a[k] * h + b[k]
        want.append(h)
    np.testing.assert_allclose(linear_recurrence(jnp.asarray(a, "float32"), jnp.asarray(b, "float32")), want, rtol=1e-4,
                               atol=1e-5)


def test_apply_at_differentiates_the_function():
    x = jnp.array([1.0, 2.0])
    want = np.diag([1.0, np.cos(2.0)])
    np.testing.assert_allclose(gnomon.jacfwd(lambda x: x.at[1].apply(jnp.sin))(x), want, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(gnomon.jacrev(lambda x: x.at[1].apply(jnp.sin))(x), want, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("shape, axis", [((70000,), 0), ((40, 200), 1), ((200, 40), 0), ((3, 50, 60), (0, 2)), ((65537,), 0)])
def test_one_of_many_is_found(shape, axis):
    x = np.zeros(shape, bool)
    last = tuple(n - 1 for n in shape)
    found = gnomon.jit(lambda x: (x.any(axis), (~x).all(axis), lax.reduce_or(jnp.where(x, 6, 8), np.atleast_1d(axis).tolist())))
    for place in (last, (0,) * len(shape)):
        x[place] = True
        for got, wanted in zip(found(x), (x.any(axis), (~x).all(axis), np.bitwise_or.reduce(np.where(x, 6, 8), axis))):
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("shape, window, strides, padding, dilations", [
    ((100000,), (1000,), (1000,), "VALID", {}), ((64, 64, 9), (2, 2, 1), (2, 2, 1), "SAME", {}), ((90, 90), (5, 5), (1, 1), "SAME", {}),
    ((90, 91), (3, 3), (2, 1), ((2, 3), (-1, 0)), {"window_dilation": (2, 1)}),
    ((70, 80), (2, 3), (1, 2), ((0, 1), (1, 1)), {"base_dilation": (2, 1)}), ((20, 20), (6, 6), (1, 1), "VALID", {})])
def test_windows_keep_nan(shape, window, strides, padding, dilations):
    """As its own windows written out do, whose extremes are elementwise."""
    x = with_nan(shape, "float32", 30)
    for reduce, init, extreme in ((lax.max, -np.inf, np.max), (lax.min, np.inf, np.min)):
        got = gnomon.jit(lambda x: lax.reduce_window(x, init, reduce, window, strides, padding, **dilations))(x)
        pairs = lax.padtype_to_pads(np.array(shape), window, strides, padding) if isinstance(padding, str) else padding
        room = lax.pad(x, np.float32(init), [(a, b, d - 1) for (a, b), d in zip(pairs, dilations.get("base_dilation", (1,) * x.ndim))])
        apart = dilations.get("window_dilation", (1,) * x.ndim)
        view = np.lib.stride_tricks.sliding_window_view(np.asarray(room), [(w - 1) * d + 1 for w, d in zip(window, apart)])
        view = view[(*[slice(None, None, s) for s in strides], *[slice(None, None, d) for d in apart])]
        np.testing.assert_array_equal(got, extreme(view, tuple(range(-x.ndim, 0))))
