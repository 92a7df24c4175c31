"""The functions of gnomon.lax give what JAX's give, on arguments of every kind."""
import numpy as np
import pytest

import gnomon
from gnomon import lax

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def agree(peer):
    """A check that `call(module, *arrays)` has one value, and one gradient of a weighted sum, for both modules."""
    def check(call, *arrays, gradient=True):
        compare(peer, call, arrays, gradient)
    return check


def numbers(*shape, dtype="float32"):
    x = np.random.default_rng(sum(shape)).standard_normal(shape) * 3
    return x.astype(dtype)


def compare(jax, call, arrays, gradient):
    want, got = call(jax.lax, *map(jax.numpy.asarray, arrays)), call(lax, *map(gnomon.numpy.asarray, arrays))
    flat_want, flat_got = jax.tree.leaves(want), gnomon.tree.leaves(got)
    assert len(flat_want) == len(flat_got)
    for a, b in zip(flat_want, flat_got):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-5, atol=1e-5)
    if not gradient:
        return

    def total(module, leaves):
        def f(*xs):
            outs = leaves(call(module, *xs))
            return sum((o * np.arange(o.size, dtype=o.dtype).reshape(o.shape)).sum()
                       for o in outs if o.dtype.kind == "f")
        return f

    moving = tuple(i for i, a in enumerate(arrays) if a.dtype.kind == "f")
    if not moving:
        return
    want = jax.grad(total(jax.lax, jax.tree.leaves), moving)(*map(jax.numpy.asarray, arrays))
    got = gnomon.grad(total(lax, gnomon.tree.leaves), moving)(*map(gnomon.numpy.asarray, arrays))
    for a, b in zip(want, got):
        np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-4, atol=1e-3)


X, K = numbers(2, 4, 9, 8), numbers(6, 4, 3, 2)
WORDS = [None, ("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NHWC"), ("CNWH", "WHOI", "HWNC")]


def arranged(x, word, of):
    return x if word is None else x.transpose([of.index(c) for c in word])


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("options", [
    {}, {"padding": "VALID"}, {"window_strides": (2, 3)}, {"window_strides": (2, 1), "padding": [(1, 2), (0, -1)]},
    {"padding": "SAME_LOWER"}, {"rhs_dilation": (2, 1)}, {"lhs_dilation": (1, 3), "padding": [(2, 1), (3, 0)]},
    {"feature_group_count": 2}, {"batch_group_count": 2}], ids=str)
def test_conv_general_dilated(agree, words, options):
    options = {"window_strides": (1, 1), "padding": "SAME", **options}
    kernel = K[:, :2] if options.get("feature_group_count") else K
    lhs_word, rhs_word = words[:2] if words else (None, None)
    x, k = arranged(X, lhs_word, "NCHW"), arranged(kernel, rhs_word, "OIHW")
    agree(lambda m, x, k: m.conv_general_dilated(x, k, dimension_numbers=words, **options), x, k)


@pytest.mark.parametrize("padding", ["SAME", "VALID", [(1, 2), (0, 3)]])
@pytest.mark.parametrize("strides", [(1, 1), (2, 3), (4, 4)])
@pytest.mark.parametrize("options", [{}, {"transpose_kernel": True}, {"rhs_dilation": (2, 1)},
                                     {"use_consistent_padding": True}], ids=str)
def test_conv_transpose(agree, padding, strides, options):
    features = (5, 4) if options.get("transpose_kernel") else (4, 5)
    x, k = numbers(2, 5, 6, 4), numbers(3, 2, *features)
    agree(lambda m, x, k: m.conv_transpose(x, k, strides, padding, **options), x, k)


def test_convolutions_of_other_ranks_and_kinds(agree):
    agree(lambda m, x, k: m.conv(x, k, (2,), "SAME"), numbers(2, 3, 7), numbers(4, 3, 3))
    agree(lambda m, x, k: m.conv_general_dilated(x, k, (), ()), numbers(2, 3), numbers(4, 3))
    agree(lambda m, x, k: m.conv(x, k, (1, 1, 1), "VALID"), numbers(1, 2, 4, 5, 3), numbers(3, 2, 2, 2, 2))
    for dtype, options in [("int32", {}), ("float16", {"preferred_element_type": np.float32})]:
        x, k = numbers(2, 3, 7, dtype=dtype), numbers(4, 3, 3, dtype=dtype)
        agree(lambda m, x, k, options=options: m.conv(x, k, (1,), "VALID", **options), x, k, gradient=False)
    x, k = numbers(2, 3, 7), numbers(4, 3, 3)
    agree(lambda m, x, k: m.conv_with_general_padding(x, k, (2,), [(1, 2)], (2,), (2,)), x, k)


@pytest.mark.parametrize("words", [None, ("NHWC", "HWIO", "NHWC")])
def test_patches_and_local_convolutions(agree, words):
    x = arranged(X, words and words[0], "NCHW")
    agree(lambda m, x: m.conv_general_dilated_patches(x, (3, 2), (2, 1), "SAME", dimension_numbers=words), x)
    kernel = arranged(numbers(5, 24, 7, 7), words and words[1], "OIHW")
    agree(lambda m, x, k: m.conv_general_dilated_local(x, k, (1, 1), "VALID", (3, 2), dimension_numbers=words),
          x, kernel)


def test_shapes_of_convolutions(peer):
    words = ("NWC", "WIO", "NWC")
    for name, *args in [
            ("conv_shape_tuple", (2, 3, 9), (4, 3, 2), (2,), "SAME"),
            ("conv_shape_tuple", (2, 3, 9), (4, 3, 2), (2,), [(1, 1)]),
            ("conv_general_shape_tuple", (2, 9, 3), (2, 3, 4), (2,), "SAME", words),
            ("conv_transpose_shape_tuple", (2, 9, 3), (2, 3, 4), (2,), "VALID", words),
            ("conv_general_permutations", ("NHWC", "HWIO", "NCHW")),
            ("reduce_window_shape_tuple", (5, 9), (2, 3), (2, 1), [(1, 0), (0, 2)], (1, 2), (2, 1)),
            ("padtype_to_pads", (5, 9), (2, 3), (2, 1), "SAME"),
            ("padtype_to_pads", (5, 9), (2, 3), (2, 1), "SAME_LOWER")]:
        got, want = getattr(lax, name)(*args), getattr(peer.lax, name)(*args)
        assert np.array_equal(np.asarray(got), np.asarray(want)), name


@pytest.mark.parametrize("padding", ["SAME", "VALID", ((1, 2), (0, 1))])
@pytest.mark.parametrize("strides", [(1, 1), (2, 1)])
@pytest.mark.parametrize("name", ["add", "max", "min"])
def test_reduce_window(agree, name, strides, padding):
    init = {"add": 0.0, "max": -np.inf, "min": np.inf}[name]
    x = np.random.default_rng(0).permutation(30).reshape(5, 6).astype("float32")
    agree(lambda m, x: m.reduce_window(x, init, getattr(m, name), (2, 3), strides, padding), x)
    agree(lambda m, x: m.reduce_window(x, 2.0, getattr(m, name), (2, 3), strides, padding), x, gradient=False)


def test_reduce_window_of_other_computations(agree):
    x = numbers(5, 6) / 3
    agree(lambda m, x: m.reduce_window(x, 1.0, m.mul, (2, 3), (1, 2), "SAME"), x, gradient=False)
    agree(lambda m, x: m.reduce_window(x, -np.inf, m.max, (2, 2), (1, 1), "SAME", None, (2, 1)), x, gradient=False)
    agree(lambda m, x: m.reduce_window(x, -np.inf, m.max, (2, 2), None, "VALID", (2, 1)), x, gradient=False)

    def both(m, x, i):
        def larger(a, b):
            first = m.ge(a[0], b[0])
            return m.select(first, a[0], b[0]), m.select(first, a[1], b[1])
        return m.reduce_window((x, i), (np.float32(-np.inf), np.int32(0)), larger, (2, 3), (1, 1), "VALID")

    agree(both, x, np.arange(30, dtype="int32").reshape(5, 6), gradient=False)


def test_reduce(agree):
    x = numbers(3, 4, 2)
    for name, init in [("add", 0.0), ("mul", 1.0), ("max", -np.inf), ("min", np.inf), ("add", 3.0), ("mul", 2.0),
                       ("max", 0.0)]:
        agree(lambda m, x, name=name, init=init: m.reduce(x, init, getattr(m, name), (0, 2)), x)
    agree(lambda m, x: m.reduce(x, 0.0, lambda a, b: m.add(a, b) + m.mul(a, 0.0), (1,)), x)
    bits = numbers(3, 4, dtype="int32")
    for name, init in [("bitwise_and", -1), ("bitwise_or", 0), ("bitwise_xor", 0), ("bitwise_or", 4)]:
        agree(lambda m, x, name=name, init=init: m.reduce(x, init, getattr(m, name), (0,)), bits)
    agree(lambda m, x, y: m.reduce((x, y), (0.0, 1.0), lambda a, b: (a[0] + b[0], a[1] * b[1]), (0,)), x, x)


def test_reductions(agree):
    x, i = numbers(3, 4, 2), numbers(3, 4, dtype="int32")
    for name in ("sum", "max", "min", "prod"):
        agree(lambda m, x, name=name: getattr(m, f"reduce_{name}")(x, (0, 2)), x)
    for name in ("and", "or", "xor"):
        agree(lambda m, x, name=name: getattr(m, f"reduce_{name}")(x, (0,)), i)
        agree(lambda m, x, name=name: getattr(m, f"reduce_{name}")(x, (1,)), i > 0)
    for name in ("argmax", "argmin"):
        agree(lambda m, x, name=name: getattr(m, name)(x, 1, np.int32), x, gradient=False)
    for name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
        for reverse in (False, True):
            agree(lambda m, x, name=name, reverse=reverse: getattr(m, name)(x, 1, reverse), x)


def test_sorting(agree):
    x, i = numbers(3, 5), numbers(3, 5, dtype="int32")
    agree(lambda m, x: m.sort(x), x)
    agree(lambda m, x: m.sort(x, 0), i)
    agree(lambda m, x, y: m.sort((x, y), num_keys=2), i, x)
    agree(lambda m, x, y: m.sort_key_val(x, y, 0), i, x)
    agree(lambda m, x: m.top_k(x, 2), x)
    special = np.array([[np.nan, 1, -np.inf, np.inf, 0.0, -0.0, -np.nan, 1]], "float32")
    agree(lambda m, x: m.sort(x), special, gradient=False)
    agree(lambda m, x, y: m.sort((x, y), num_keys=1)[1], special, np.arange(8, dtype="int32")[None], gradient=False)


def test_slicing(agree):
    x, i = numbers(4, 6), np.int32
    agree(lambda m, x: m.slice(x, (1, 0), (4, 5), (2, 3)), x)
    agree(lambda m, x: m.slice_in_dim(x, -3, None, 2, 1), x)
    agree(lambda m, x: m.index_in_dim(x, -1, 1, False), x)
    agree(lambda m, x: m.pad(x, 1.5, [(1, -2, 1), (-1, 0, 0)]), x)
    agree(lambda m, x: m.concatenate([x, x], 1), x)
    agree(lambda m, x: m.split(x, (1, 3, 2), 1), x)
    agree(lambda m, x: m.rev(x, (0, 1)), x)
    agree(lambda m, x: m.tile(x, (2, 1)), x)
    agree(lambda m, x: m.stack([x, x], 1), x)
    agree(lambda m, x: m.unstack(x, 1), x)
    for start in (i(1), i(-2), i(9), i(-9)):
        agree(lambda m, x, s: m.dynamic_slice(x, (s, 1), (2, 3)), x, start)
        agree(lambda m, x, s: m.dynamic_slice_in_dim(x, s, 3, 1), x, start)
        agree(lambda m, x, s: m.dynamic_index_in_dim(x, s, 0, False), x, start)
        agree(lambda m, x, s: m.dynamic_update_slice(x, x[:2, :2], (s, 1)), x, start)
        agree(lambda m, x, s: m.dynamic_update_slice_in_dim(x, x[:2], s, 0), x, start)
        agree(lambda m, x, s: m.dynamic_update_index_in_dim(x, x[0], s, 0), x, start)
    agree(lambda m, x, s: m.dynamic_slice(x, s, (2, 3)), x, np.array([-1, 2], "int32"))
    agree(lambda m, x, s: m.dynamic_slice(x, (s, -1), (2, 3), allow_negative_indices=(False, True)), x, i(-1))
    rows, columns = np.array([1, 3], "int32"), np.array([0, 5], "int32")
    agree(lambda m, x, s, t: m.index_take(x, (s, t), (0, 1)), x, rows, columns)


def test_shapes(agree, peer):
    x = numbers(1, 3, 4)
    agree(lambda m, x: m.broadcast(x, (2,)), x)
    agree(lambda m, x: m.broadcast_in_dim(x, (3, 2, 3, 4), (1, 2, 3)), x)
    agree(lambda m, x: m.broadcast_to_rank(x, 5), x)
    agree(lambda m, x: m.reshape(x, (4, 3), (2, 0, 1)), x)
    agree(lambda m, x: m.transpose(x, (2, 0, 1)), x)
    agree(lambda m, x: m.squeeze(x, (0,)), x)
    agree(lambda m, x: m.expand_dims(x, (0, -1)), x)
    agree(lambda m, x: m.collapse(x, 1), x)
    agree(lambda m, x: m.collapse(x, 0, 2), x)
    agree(lambda m, x: m.iota(np.int32, 4), x, gradient=False)
    agree(lambda m, x: m.broadcasted_iota(np.float32, (2, 3), 1), x, gradient=False)
    agree(lambda m, x: m.full((2,), 3.0), x, gradient=False)
    agree(lambda m, x: m.full_like(x, 2), x, gradient=False)
    assert lax.broadcast_shapes((3, 1), (4,), (1, 1, 1)) == peer.lax.broadcast_shapes((3, 1), (4,), (1, 1, 1))


def test_products(agree):
    agree(lambda m, x, y: m.dot_general(x, y, (((1,), (2,)), ((0,), (1,)))), numbers(2, 3, 4), numbers(5, 2, 3))
    agree(lambda m, x, y: m.dot(x, y), numbers(3, 4), numbers(4, 2))
    agree(lambda m, x, y: m.dot(x, y), numbers(4), numbers(4))
    agree(lambda m, x, y: m.batch_matmul(x, y), numbers(2, 3, 4), numbers(2, 4, 5))
    x = numbers(4, dtype="int8")
    agree(lambda m, x, y: m.dot_general(x, y, (((0,), (0,)), ((), ())), preferred_element_type=np.float32), x, x,
          gradient=False)


def test_ragged_products(agree):
    sizes = np.array([2, 0, 3], "int32")
    agree(lambda m, x, y, s: m.ragged_dot(x, y, s), numbers(6, 4), numbers(3, 4, 5), sizes)

    def sums(m, x, y, s):
        return m.ragged_dot_general(x, y, s, m.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ()))
    agree(sums, numbers(6, 4), numbers(6, 5), sizes, gradient=False)      # JAX has none

    def batched(m, x, y, s):
        return m.ragged_dot_general(x, y, s, m.RaggedDotDimensionNumbers((((2,), (1,)), ((0,), (0,))), (0,), ()))
    agree(batched, numbers(5, 2, 4), numbers(5, 4, 3), sizes, gradient=False)

    # sizes for each of the dimensions in front of the one that is cut, where it is kept and where it is summed
    each = np.array([[1, 2, 3], [2, 2, 2]], "int32")
    for dims, ragged, groups, x, y, s in (
            ((((2,), (1,)), ((), ())), (1,), (0,), (2, 6, 4), (3, 4, 2), each),
            ((((1,), (2,)), ((0,), (0,))), (2,), (1,), (2, 4, 6), (2, 3, 4, 5), each),
            ((((1, 2), (1, 2)), ((), ())), (2,), (), (3, 2, 6), (4, 2, 6), each),
            ((((2,), (2,)), ((0,), (0,))), (2,), (), (2, 3, 6), (2, 4, 6), each)):
        agree(lambda m, x, y, s, dims=dims, ragged=ragged, groups=groups: m.ragged_dot_general(
            x, y, s, m.RaggedDotDimensionNumbers(dims, ragged, groups)), numbers(*x), numbers(*y), s, gradient=False)


def test_approximate_top_k(agree):
    x = numbers(3, 8)
    agree(lambda m, x: m.approx_max_k(x, 3), x)
    agree(lambda m, x: m.approx_min_k(x, 2, 0), x, gradient=False)


@pytest.mark.parametrize("mode", [None, "clip", "fill", "drop"])
def test_gather_and_scatter(agree, mode):
    x, indices = numbers(5, 4), np.array([[0], [7], [3], [3], [-2]], "int32")
    rows = ((1,), (0,), (0,))
    agree(lambda m, x, i: m.gather(x, i, m.GatherDimensionNumbers(*rows), (1, 4), mode=mode, fill_value=0), x, indices,
          gradient=mode is not None)        # where no mode is given, JAX clips but drops the gradient
    updates = numbers(5, 4)[::-1].copy()
    for name in ("scatter", "scatter_add", "scatter_sub", "scatter_mul", "scatter_min", "scatter_max"):
        def scatter(m, x, i, u, name=name):
            return getattr(m, name)(x, i, u, m.ScatterDimensionNumbers(*rows), mode=mode)
        agree(scatter, x, indices, updates, gradient=name in ("scatter", "scatter_add", "scatter_sub"))

    def apply(m, x, i):
        return m.scatter_apply(x, i, lambda v: v * v, m.ScatterDimensionNumbers(*rows), update_shape=(3, 4), mode=mode)
    agree(apply, x, np.array([[0], [7], [3]], "int32"), gradient=False)
