"""Indexing against NumPy: reading in every form, eager and traced; updates; errors; derivatives."""
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gnomon as G
from gnomon.base.errors import GnomonWarning, NonConcreteBooleanIndexError
from gnomon.numpy import indexing
from gnomon.numpy.indexing import At, getitem
from gnomon.trace.stage import value_of
from gnomon.types.dtype import bfloat16


@st.composite
def slices(draw, n):
    bound = st.none() | st.integers(-n - 2, n + 2)
    return slice(draw(bound), draw(bound), draw(st.none() | st.integers(-3, 3).filter(bool)))


@st.composite
def indexed(draw):
    """(array, index) with an index that NumPy accepts."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4))
    x = np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)
    ndim = draw(st.integers(0, x.ndim))
    common = draw(hnp.array_shapes(min_dims=1, max_dims=2, min_side=1, max_side=3))
    out, axis, masked, open_, new = [], 0, False, True, 0
    gap = draw(st.none() | st.integers(0, ndim))
    while axis < ndim:
        if len(out) == gap and open_:
            open_ = False
            out.append(Ellipsis)
            axis += x.ndim - ndim
            ndim = x.ndim
            continue
        kind = draw(st.sampled_from(["int", "slice", "slice", "new", "array", "scalar"] + ["mask"] * (not masked)))
        n = x.shape[axis]
        if kind == "new":
            new += 1
            if new < 3:
                out.append(None)
            continue
        if kind == "int":
            out.append(draw(st.integers(-n, n - 1)))
        elif kind == "slice":
            out.append(draw(slices(n)))
        elif kind == "scalar":
            out.append(np.array(draw(st.integers(-n, n - 1)), draw(st.sampled_from([np.int32, np.int8]))))
        elif kind == "array":
            shape = common if draw(st.booleans()) else tuple(1 if draw(st.booleans()) else m for m in common)
            out.append(draw(hnp.arrays(np.int32, shape, elements=st.integers(-n, n - 1))))
        else:
            masked = True
            mask = np.zeros(n, bool)
            mask[draw(st.integers(0, n - 1))] = True
            out.append(mask)
        axis += 1
    if open_ and draw(st.booleans()):
        out.append(Ellipsis)
    return x, tuple(out)


def is_places(e):
    return isinstance(e, np.ndarray) and e.dtype != bool


def on_device(index, masks=False):
    """The index with Gnomon's arrays in place of NumPy's."""
    return tuple([value_of(e) if is_places(e) or masks and isinstance(e, np.ndarray) else e for e in index])


def traced(function, x, index, *more):
    """`function(x, index, *more)` under jit, integer arrays of the index as arguments."""
    def run(x, places, *more):
        places = iter(places)
        return function(x, tuple([next(places) if is_places(e) else e for e in index]), *more)
    return G.jit(run)(x, [e for e in index if is_places(e)], *more)


@settings(max_examples=200)
@given(indexed())
def test_reads_as_numpy(case):
    x, index = case
    want = x[index]
    got = getitem(value_of(x), on_device(index, masks=True))
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(getitem(value_of(x), index), want)


@settings(max_examples=40)
@given(indexed())
def test_reads_as_numpy_when_traced(case):
    x, index = case
    want = x[index]
    got = traced(getitem, x, index)
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)


@settings(max_examples=40)
@given(indexed())
def test_reads_as_numpy_without_numpy(case):
    x, index = case
    np.testing.assert_array_equal(indexing.read_now(value_of(x), on_device(index)), x[index])


def unique_places(x, index):
    """Whether no element is named twice."""
    named = np.arange(x.size).reshape(x.shape)[index]
    return len(np.unique(named)) == named.size


def update_in_numpy(x, index, name, y):
    out = x.copy()
    if name == "set":
        out[index] = y
    else:
        getattr(np, {"min": "minimum", "max": "maximum"}.get(name, name)).at(out, index, y)
    return out


@settings(max_examples=150)
@given(indexed(), st.sampled_from(["set", "add", "multiply", "min", "max", "subtract"]), st.data())
def test_updates_as_numpy(case, name, data):
    x, index = case
    shape = x[index].shape
    cut = data.draw(st.integers(0, len(shape)))
    y_shape = tuple(1 if data.draw(st.booleans()) else n for n in shape[cut:])
    y = np.arange(int(np.prod(y_shape)), dtype=np.float32).reshape(y_shape) * 2 - 3
    if name == "set" and not unique_places(x, index):
        y = np.float32(7)
    got = getattr(At(value_of(x))[on_device(index, masks=True)], name)(value_of(y))
    assert got.shape == x.shape and got.dtype == x.dtype
    np.testing.assert_allclose(got, update_in_numpy(x, index, name, y), rtol=1e-6)


@settings(max_examples=40)
@given(indexed(), st.sampled_from(["set", "add", "multiply", "max"]))
def test_updates_as_numpy_when_traced(case, name):
    x, index = case
    y = np.arange(x[index].size, dtype=np.float32).reshape(x[index].shape) * 2 - 3
    if name == "set" and not unique_places(x, index):
        y = np.float32(7)
    got = traced(lambda x, index, y: getattr(At(x)[index], name)(y), x, index, y)
    np.testing.assert_allclose(got, update_in_numpy(x, index, name, y), rtol=1e-6)


@settings(max_examples=40)
@given(indexed())
def test_the_transpose_of_reading_is_adding(case):
    x, index = case
    ct = np.arange(x[index].size, dtype=np.float32).reshape(x[index].shape) + 1
    _, pull = G.vjp(lambda x: getitem(x, on_device(index)), value_of(x))
    np.testing.assert_allclose(pull(value_of(ct))[0], update_in_numpy(np.zeros_like(x), index, "add", ct))


# ---- dtypes, keys, memory -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", [bool, "int8", "uint8", "int32", "uint32", "float16", bfloat16, "float32",
                                   "complex64"])
def test_dtypes(dtype):
    host = np.array([0, 1, 1, 0, 1]).astype(np.dtype(dtype))
    x = value_of(host)
    for index in (1, slice(1, 4), (None, 2), np.array([3, 0]), np.array([True, False, True, False, False])):
        for run in (getitem, lambda x, i: G.jit(lambda x: getitem(x, index))(x)):
            got = run(x, index)
            assert got.dtype == x.dtype
            np.testing.assert_array_equal(np.asarray(got), host[index])
    out = At(x)[np.array([3, 0])].set(getitem(x, 1))
    assert out.dtype == x.dtype and np.asarray(out)[[0, 3]].tolist() == [1, 1]


def test_keys_are_indexed_as_elements():
    keys = G.random.split(G.random.key(0), 6)
    words = np.asarray(G.random.key_data(keys))
    for index in (2, slice(1, 3), (None, 1), np.array([3, 0]), (Ellipsis,), np.arange(6) > 3):
        np.testing.assert_array_equal(G.random.key_data(getitem(keys, index)), words[index])
        np.testing.assert_array_equal(G.jit(lambda k: G.random.key_data(getitem(k, index)))(keys), words[index])
    np.testing.assert_array_equal(G.random.key_data(getitem(keys, (Ellipsis, 2))), words[2])
    with pytest.raises(IndexError, match="1-dimensional, but 2 were indexed"):
        getitem(keys, (0, 0))
    out = At(keys)[1].set(getitem(keys, 4))
    np.testing.assert_array_equal(G.random.key_data(out), words[[0, 4, 2, 3, 4, 5]])
    out = At(keys)[::2].set(getitem(keys, 1))
    np.testing.assert_array_equal(G.random.key_data(out), words[[1, 1, 1, 3, 1, 5]])


def test_what_is_read_does_not_keep_a_large_array_alive():
    x = value_of(np.zeros((1000, 100), np.float32))
    row = getitem(x, 3).host()
    assert not np.shares_memory(row, x.host())
    assert np.shares_memory(getitem(x, (slice(None), None)).host(), x.host())       # all of it


def test_weak_types_stay():
    x = G.numpy.full((3,), 1.0) if G.numpy.full((3,), 1.0).weak_type else value_of(2.0)
    assert getitem(x, Ellipsis).weak_type
    assert G.jit(lambda x: getitem(x, Ellipsis))(x).weak_type
    assert At(x)[...].set(2.0).weak_type and At(x)[...].set(np.float32(2)).weak_type


# ---- places out of range ------------------------------------------------------------------------------------------

X = np.arange(5, dtype=np.float32)
WILD = np.array([7, -1, -6], np.int32)
RUNS = [lambda f, *args: f(*map(value_of, args)), lambda f, *args: G.jit(f)(*args)]


@pytest.mark.parametrize("mode, want", [(None, [4, 4, 0]), ("clip", [4, 4, 0]), ("fill", [np.nan, 4, np.nan]),
                                        ("promise_in_bounds", [4, 4, 0]), ("wrap", [2, 4, 4])])
def test_modes_of_reading(mode, want):
    for run in RUNS:
        np.testing.assert_array_equal(run(lambda x, i: At(x)[i].get(mode=mode), X, WILD), want)
        np.testing.assert_array_equal(run(lambda x, i: At(x)[i].get(mode=mode), X, np.int32(7)), want[0])
        np.testing.assert_array_equal(run(lambda x: At(x)[2].get(mode=mode), X), 2)


@pytest.mark.parametrize("mode, want", [(None, [0, 1, 2, 3, 9]), ("clip", [9, 1, 2, 3, 9]), ("drop", [0, 1, 2, 3, 9]),
                                        ("fill", [0, 1, 2, 3, 9]), ("wrap", [0, 1, 9, 3, 9])])
def test_modes_of_writing(mode, want):
    for run in RUNS:
        np.testing.assert_array_equal(run(lambda x, i: At(x)[i].set(9.0, mode=mode), X, WILD), want)


def test_static_integers_out_of_range():
    x = value_of(X)
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        getitem(x, 7)
    with pytest.raises(IndexError, match="index -6 is out of bounds for axis 0 with size 5"):
        G.make_jaxpr(lambda x: getitem(x, -6))(X)
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 1 with size 2"):
        getitem(value_of(np.zeros((3, 2), np.float32)), (0, 4))
    with pytest.warns(GnomonWarning, match="index 7 is out of bounds for axis 0 with size 5"):
        out = At(x)[7].set(1.0)
    np.testing.assert_array_equal(out, X)
    np.testing.assert_array_equal(At(x)[7].get(mode="clip"), 4)
    np.testing.assert_array_equal(At(x)[7].get(mode="fill", fill_value=-1), -1)
    np.testing.assert_array_equal(At(x)[7].set(9, mode="clip"), [0, 1, 2, 3, 9])


@pytest.mark.parametrize("dtype, fill", [("int32", -2 ** 31), ("uint8", 255), ("bool", True)])
def test_what_is_read_out_of_range(dtype, fill):
    assert At(value_of(np.ones(3, dtype)))[np.array([5])].get(mode="fill").tolist() == [fill]


def test_negative_places_need_not_wrap():
    x, last = value_of(X), np.array([-1])
    np.testing.assert_array_equal(At(x)[last].get(mode="fill", fill_value=8.0, wrap_negative_indices=False), [8])
    np.testing.assert_array_equal(At(x)[last].set(8.0, wrap_negative_indices=False), X)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint32", "int16"])
def test_narrow_and_unsigned_places(dtype):
    x = np.arange(300, dtype=np.float32)
    i = np.array([5, 100], dtype)
    for run in RUNS:
        np.testing.assert_array_equal(run(getitem, x, i), [5, 100])
        np.testing.assert_array_equal(run(lambda x, i: getitem(x, getitem(i, 1)), x, i), 100)
    if dtype == "uint32":
        np.testing.assert_array_equal(G.jit(getitem)(x, np.array([2 ** 32 - 1], dtype)), [299])
    elif dtype.startswith("int"):
        np.testing.assert_array_equal(G.jit(getitem)(x, np.array([-1, -100], dtype)), [299, 200])


# ---- masks --------------------------------------------------------------------------------------------------------

def test_masks_under_jit():
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    rows = np.array([True, False, True, False])
    for mask, index in ((rows, lambda m: m), (x > 4, lambda m: m), (rows[:3], lambda m: (slice(None), m)),
                        (rows[:3], lambda m: (Ellipsis, m))):
        for name, f in (("set", lambda a, b: b), ("add", np.add), ("multiply", np.multiply), ("min", np.minimum),
                        ("divide", np.divide)):
            want = x.copy()
            want[index(mask)] = f(want[index(mask)], np.float32(2))
            for run in RUNS:
                got = run(lambda x, m: getattr(At(x)[index(m)], name)(2.0), x, mask)
                np.testing.assert_allclose(got, want, rtol=1e-6)
    want = x.copy()
    want[rows] = np.arange(3)
    np.testing.assert_array_equal(G.jit(lambda x, m: At(x)[m].set(np.arange(3.0)))(x, rows), want)
    want[:, rows[:3]] = np.arange(4)[:, None]
    got = G.jit(lambda x, m, n: At(At(x)[m].set(np.arange(3.0)))[:, n].set(np.arange(4.0)[:, None]))(x, rows, rows[:3])
    np.testing.assert_array_equal(got, want)


def test_traced_masks_are_refused_with_a_way_out():
    with pytest.raises(NonConcreteBooleanIndexError, match="where"):
        G.jit(lambda x, m: getitem(x, m))(X, X > 2)
    with pytest.raises(NonConcreteBooleanIndexError, match="where"):
        G.jit(lambda x, m: At(x)[m].set(np.arange(2.0)))(X, X > 2)


def test_masks_of_known_numbers_while_tracing():
    m = X > 2
    np.testing.assert_array_equal(G.jit(lambda x: getitem(x, m))(X), X[m])
    np.testing.assert_array_equal(G.jit(lambda x: getitem(x, value_of(m)))(X), X[m])
    new = np.array([8.0, 9.0], np.float32)
    np.testing.assert_array_equal(G.jit(lambda x: At(x)[m].set(new))(X), [0, 1, 2, 8, 9])
    # its numbers are looked at
    g = G.grad(lambda x: G.numpy.sum(getitem(x, G.numpy.greater(x, 2.0))))(value_of(X))
    np.testing.assert_array_equal(g, m)


def test_mask_of_the_wrong_shape():
    for run in RUNS:
        with pytest.raises(IndexError, match="size of axis is 5 but size of corresponding boolean axis is 2"):
            run(lambda x: getitem(x, np.array([True, False])), X)
    with pytest.raises(IndexError, match="along axis 0; size of axis is 5"):
        At(value_of(X))[np.array([True])].set(1.0)
    with pytest.raises(IndexError, match="Too many indices"):
        getitem(value_of(X), np.ones((5, 1), bool))


def test_mask_after_newaxis():
    x, m = np.arange(6).reshape(2, 3), np.array([True, False])
    np.testing.assert_array_equal(getitem(value_of(x), (None, value_of(m))), x[None, m])
    np.testing.assert_array_equal(G.jit(lambda x: getitem(x, (None, m)))(x), x[None, m])


@pytest.mark.parametrize("index", [True, False, (True, 1), (0, False), (np.array(True), slice(1, 3)), (None, True)])
def test_single_booleans(index):
    x = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(getitem(value_of(x), index), x[index])
    np.testing.assert_array_equal(G.jit(lambda x: getitem(x, index))(x), x[index])
    changed = x.copy()
    changed[index] = 7
    np.testing.assert_array_equal(At(value_of(x))[index].set(7), changed)


# ---- what updates do to dtypes ------------------------------------------------------------------------------------

def test_the_array_keeps_its_dtype():
    i = value_of(np.arange(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert At(i)[0].set(2.7).tolist() == [2, 1, 2]
        assert At(i)[0].add(2.7).tolist() == [2, 1, 2]
        assert At(i)[1].multiply(2.5).tolist() == [0, 2, 2]
        assert At(i)[0].set(1j).tolist() == [0, 1, 2]
        assert At(value_of(np.ones(2, np.float16)))[0].set(value_of(np.float32(0.5))).dtype == np.float16
    with pytest.warns(GnomonWarning, match="converted to the array's dtype int32"):
        At(i)[0].set(value_of(np.float32(1.5)))
    assert At(i)[0].set(True).tolist() == [1, 1, 2] and At(i)[0].set(True).dtype == np.int32
    assert At(i)[1].divide(2).tolist() == [0, 0.5, 2]
    b = value_of(np.array([True, False]))
    assert At(b)[1].set(True).tolist() == [True, True]
    assert At(b)[np.array([1, 1])].add(True).tolist() == [True, True]
    assert At(b)[np.array([0, 0])].multiply(False).tolist() == [False, False]


def test_lists_are_updates_but_no_indices():
    assert At(value_of(X))[0:2].set([7.0, 8.0]).tolist() == [7, 8, 2, 3, 4]
    with pytest.raises(TypeError, match="non-tuple sequence"):
        At(value_of(X))[[0, 1]].set(1.0)


def test_lists_among_other_elements_of_an_index_are_arrays():
    x = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    for index in ((slice(None), [1, 2]), ([0, 2], 1), ([True, False, True], 1), ([True, False, True], [0, 1]), ([[0, 1], [1, 2]], 1),
                  (np.array([0, 1]), [1, -1]), ([0, 1],), ((0, 2), 1), ([], 1), ([0, 2], ...)):
        plain = tuple([np.array(e, int if len(e) == 0 else None) if isinstance(e, (list, tuple)) else e for e in index])
        assert np.array_equal(value_of(x)[index], x[plain])
        want = x.copy()
        want[plain] = 7
        np.testing.assert_array_equal(At(value_of(x))[index].set(7.0), want)
    traced = G.jit(lambda x, i: x[[0, i], 1])(x, 2)
    assert traced.tolist() == [1, 9]
    with pytest.raises(TypeError, match="integer or boolean type, got type float64 at position 0"):
        value_of(x)[[1.5], 1]


# ---- apply, divide, power -----------------------------------------------------------------------------------------

def test_apply():
    x = value_of(X)
    one = lambda v: G.numpy.add(v, 1.0)     # noqa: E731
    np.testing.assert_array_equal(At(x)[1].apply(one), [0, 2, 2, 3, 4])
    np.testing.assert_array_equal(At(x)[np.array([1, 1, 2])].apply(one), [0, 3, 3, 3, 4])
    np.testing.assert_array_equal(G.jit(lambda x, i: At(x)[i].apply(one))(X, np.array([1, 1, 7, 2])), [0, 3, 3, 3, 4])
    np.testing.assert_array_equal(G.jit(lambda x, m: At(x)[m].apply(one))(X, X > 3), [0, 1, 2, 3, 5])
    np.testing.assert_array_equal(At(x)[1:3].apply(one), [0, 2, 3, 3, 4])
    got = G.jit(lambda x, i: At(x)[:, i].apply(one))(np.zeros((2, 3), np.float32), np.array([2, 2]))
    np.testing.assert_array_equal(got, [[0, 0, 2], [0, 0, 2]])
    with pytest.raises(ValueError, match="element by element"):
        At(x)[:3].apply(lambda v: G.numpy.sum(v))
    g = G.grad(lambda x: G.numpy.sum(At(x)[np.array([1, 1])].apply(G.numpy.square)))(value_of(X))
    np.testing.assert_allclose(g, [1, 4, 1, 1, 1])


def test_divide_and_power_where_places_repeat():
    x, i = value_of(X + 1), value_of(np.array([1, 1, 2]))
    np.testing.assert_allclose(At(x)[i].divide(2.0), [1, 0.5, 1.5, 4, 5])
    np.testing.assert_allclose(At(x)[i].power(2.0), [1, 16, 9, 4, 5], rtol=1e-6)


def test_derivatives_of_updates():
    x, y = value_of(np.array([2.0, 3.0, 5.0], np.float32)), value_of(np.array([7.0, 11.0], np.float32))
    i, total = value_of(np.array([0, 2])), G.numpy.sum
    for update, want_x, want_y in (
            (lambda x, y: At(x)[i].multiply(y, unique_indices=True), [7, 1, 11], [2, 5]),
            (lambda x, y: At(x)[1:].set(y), [1, 0, 0], [1, 1]),
            (lambda x, y: G.numpy.multiply(At(x)[::2].set(y), x), [7, 6, 11], [2, 5]),
            (lambda x, y: At(x)[G.numpy.greater(x, 4.0)].multiply(getitem(y, 0)), [1, 1, 7], [5, 0])):
        gx, gy = G.grad(lambda x, y: total(update(x, y)), (0, 1))(x, y)
        np.testing.assert_allclose(gx, want_x)
        np.testing.assert_allclose(gy, want_y)


def test_updates_that_do_not_fit():
    x = np.zeros((3, 4), np.float32)
    for run in RUNS:
        with pytest.raises(ValueError, match=r"shape \(3,\) does not broadcast to the shape \(4,\)"):
            run(lambda x: At(x)[0].set(np.ones(3)), x)
        with pytest.raises(ValueError, match=r"does not broadcast"):
            run(lambda x: At(x)[0].set(np.ones((1, 4))), x)


# ---- what is no index ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("index, error, text", [
    ([0, 1], TypeError, r"use `arr\[array\(seq\)\]`"),
    ("a", TypeError, "cannot be indexed by a string"),
    (1.0, TypeError, "integer or boolean type, got type float"),
    (np.array([1.0]), TypeError, "integer or boolean type, got type float64"),
    ((0, 0), IndexError, "Too many indices: array is 1-dimensional, but 2 were indexed"),
    ((Ellipsis, Ellipsis), IndexError, "single ellipsis"),
    (slice(0.5, 2), TypeError, "Slice entries must be integers or None"),
    (slice(None, None, 0), ValueError, "step cannot be zero"),
])
def test_what_is_no_index(index, error, text):
    for run in RUNS:
        with pytest.raises(error, match=text):
            run(lambda x: getitem(x, index), X)


def test_places_that_do_not_broadcast():
    x = np.zeros((3, 4), np.float32)
    for run in RUNS:
        with pytest.raises(IndexError, match="could not be broadcast together"):
            run(lambda x: getitem(x, (np.array([0, 1]), np.array([0, 1, 2]))), x)


def test_bounds_of_slices():
    with pytest.raises(IndexError, match="dynamic_slice"):
        G.make_jaxpr(lambda x, i: getitem(x, slice(i, None)))(X, np.int32(1))
    np.testing.assert_array_equal(getitem(value_of(X), slice(value_of(np.int32(1)), None)), X[1:])


def test_empty_arrays():
    x = value_of(np.zeros((0, 3), np.float32))
    assert getitem(x, np.array([], int)).shape == (0, 3)
    assert G.jit(lambda x, i: getitem(x, (slice(None), i)))(x, np.array([0, 1])).shape == (0, 2)
    with pytest.raises(IndexError, match="axis 0 with size 0"):
        G.jit(getitem)(x, np.int32(0))
    np.testing.assert_array_equal(At(x)[np.array([0])].get(mode="fill", fill_value=5.0), np.full((1, 3), 5.0))


def test_vmap():
    x, i = np.arange(12, dtype=np.float32).reshape(3, 4), np.array([0, 2, -1])
    np.testing.assert_array_equal(G.vmap(getitem)(x, i), x[np.arange(3), i])
    out = np.asarray(G.vmap(lambda row, k: At(row)[k].set(9.0))(x, i))
    np.testing.assert_array_equal(out[np.arange(3), i], 9)
