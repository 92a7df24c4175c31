"""Reshaping, joining, cutting, repeating against NumPy."""
import numpy as np
import pytest
from hypothesis import given, strategies as st

import gnomon as G
import gnomon.numpy as jnp
from tests.numpy.against_numpy import DTYPES, as_wide, numbers, same

pytestmark = pytest.mark.filterwarnings("ignore::gnomon.errors.GnomonWarning")     # NumPy counts in 64 bits

X = numbers((2, 3, 4))
V = numbers((5,))
ONES = numbers((1, 3, 1))

SHAPES = [
    ("reshape", X, (6, 4)), ("reshape", X, -1), ("reshape", X, (4, -1)), ("reshape", X, (2, -1), "F"), ("reshape", X, (24,), "F"),
    ("reshape", numbers((0, 3)), (3, 0)), ("ravel", X), ("ravel", X, "F"), ("transpose", X), ("transpose", X, (1, 0, 2)),
    ("transpose", X, (-1, 0, 1)), ("transpose", V), ("permute_dims", X, (2, 0, 1)), ("matrix_transpose", X),
    ("swapaxes", X, 0, -1), ("moveaxis", X, 0, 2), ("moveaxis", X, (0, 1), (-1, 0)), ("rollaxis", X, 2), ("rollaxis", X, 0, 3),
    ("rollaxis", X, 1, 2), ("squeeze", ONES), ("squeeze", ONES, 0), ("squeeze", ONES, (0, -1)), ("expand_dims", V, 0),
    ("expand_dims", V, (0, -1)), ("broadcast_to", V, (2, 3, 5)), ("broadcast_to", ONES, (2, 3, 4)), ("atleast_1d", np.float32(3)),
    ("atleast_2d", V), ("atleast_3d", V), ("atleast_3d", numbers((2, 3))), ("atleast_2d", V, X), ("resize", V, (3, 4)),
    ("resize", V, (2,)), ("resize", V, 0),
]
JOINS = [
    ("concatenate", [X, X]), ("concatenate", [X, X[:, :1]], 1), ("concatenate", [X, V], None), ("concatenate", [V, V[:0]]),
    ("concatenate", numbers((2, 3))), ("concatenate", X, 1), ("stack", [V, V]), ("stack", [X, X], -1), ("stack", X, 1), ("vstack", [V, V]),
    ("vstack", [X, X]), ("hstack", [V, V]), ("hstack", [X, X]), ("dstack", [V, V]), ("dstack", [X[0], X[0]]),
    ("column_stack", [V, V]), ("column_stack", [V, numbers((5, 2))]), ("append", V, 3.0), ("append", X, X, 1),
    ("block", [[X[0], X[0]], [X[1], X[1]]]), ("block", [V, V]), ("block", [[numbers((2, 2)), numbers((2, 1))], [numbers((1, 3))]]),
    ("broadcast_arrays", ONES, numbers((4,))),
]
CUTS = [
    ("split", V, 5), ("split", X, 2, 2), ("split", X, [1, 2], 1), ("split", V, [2, 2, 9]), ("split", V, [3, 1]), ("split", V, [-2]),
    ("split", V, 1), ("array_split", V, 3), ("array_split", V, 7), ("array_split", X, 2, -1), ("vsplit", X, 2), ("hsplit", X, 3),
    ("hsplit", V, [2]), ("dsplit", X, 2), ("unstack", X),
]
REPEATS = [
    ("tile", V, 2), ("tile", V, (2, 1)), ("tile", X, (2, 3)), ("tile", V, ()), ("tile", V, 0), ("repeat", V, 2), ("repeat", X, 3, 1),
    ("repeat", X, 0, 0), ("repeat", np.float32(2), 3), ("repeat", X, 2, -1),
]
ORDERS = [
    ("flip", X), ("flip", X, 1), ("flip", X, (0, -1)), ("fliplr", X), ("flipud", X), ("rot90", X), ("rot90", X, 2),
    ("rot90", X, -1, (1, 2)),
    ("rot90", X, 4), ("roll", V, 2), ("roll", V, -7), ("roll", X, 1), ("roll", X, 1, 0), ("roll", X, (1, 2), (0, 2)),
    ("roll", X, 1, (0, 1)),
    ("roll", X, (1, 2), 1), ("roll", numbers((0,)), 3),
]
PARTS = [
    ("delete", V, 1), ("delete", V, -1), ("delete", V, slice(1, 4)), ("delete", V, slice(None, None, 2)), ("delete", X, [0, 2], 1),
    ("delete", X, 3), ("delete", V, []), ("insert", V, 1, 9.0), ("insert", V, -1, 9.0), ("insert", V, [1, 3], 9.0),
    ("insert", X, 1, 9.0, 1), ("insert", X, [0, 2], numbers((2, 3, 2)), 2), ("insert", X, 1, numbers((2, 4)), 1),
    ("insert", V, [1, 1], np.float32([7, 8])),
    ("insert", V, slice(0, 2), 9.0), ("insert", V, 2, np.float32([1, 2])),
]


@pytest.mark.parametrize("call", SHAPES + JOINS + CUTS + REPEATS + ORDERS + PARTS, ids=lambda call: call[0])
def test_against_numpy(call):
    same(*call)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype(dtype):
    x = numbers((2, 3), dtype)
    for call in [("reshape", x, (3, 2)), ("concatenate", [x, x]), ("stack", [x, x]), ("split", x, 3, 1), ("tile", x, 2), ("repeat", x, 2),
                 ("flip", x), ("roll", x, 1), ("delete", x, 0), ("insert", x, 1, x[0, 0]), ("tril", x), ("diagonal", x), ("pad", x, 1)]:
        same(*call, jit=False)


def test_dtypes_of_joins():
    assert jnp.concatenate([jnp.ones(2, "int8"), jnp.ones(2, "float16")]).dtype == "float16"
    assert jnp.stack([jnp.ones(2, "int32"), jnp.array(1.5) * jnp.ones(2)]).dtype == "float32"
    assert jnp.stack([1, 2.5]).type.weak_type and not jnp.stack([1, np.float32(2)]).type.weak_type
    assert jnp.concatenate([jnp.ones(2), jnp.ones(2)], dtype="int8").dtype == "int8"
    assert jnp.append(jnp.ones(2, "int8"), 2.5).dtype == "float32"


@given(st.lists(st.integers(1, 3), max_size=4), st.data())
def test_transpose_and_back(shape, data):
    x = jnp.asarray(numbers(tuple(shape)))
    order = data.draw(st.permutations(range(len(shape))))
    y = jnp.transpose(x, order)
    assert y.shape == tuple(shape[i] for i in order)
    np.testing.assert_array_equal(jnp.transpose(y, np.argsort(order) if order else None), x)


@given(st.integers(0, 6), st.lists(st.integers(-7, 7), max_size=4))
def test_split_like_numpy(n, places):
    x = numbers((n,))
    for ours, theirs in zip(jnp.split(x, places), np.split(x, places), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(st.integers(1, 5), st.integers(-8, 8))
def test_roll_by_a_traced_number(n, by):
    x = numbers((2, n))
    np.testing.assert_array_equal(G.jit(jnp.roll, static_argnums=2)(x, by, 1), np.roll(x, by, 1))


def test_repeat_by_numbers_per_element():
    counts = np.array([1, 0, 2, 3, 0])
    same("repeat", V, counts, jit=False)
    same("repeat", X, np.array([1, 0, 2]), 1, jit=False)
    run = G.jit(lambda x, n: jnp.repeat(x, n, total_repeat_length=8))
    np.testing.assert_array_equal(run(V, counts), [*np.repeat(V, counts), V[-1], V[-1]])
    np.testing.assert_array_equal(jnp.repeat(V, counts, total_repeat_length=4), np.repeat(V, counts)[:4])
    np.testing.assert_array_equal(G.jit(lambda n: jnp.repeat(V, n, total_repeat_length=5))(np.array(1)), V)
    with pytest.raises(G.errors.TracerArrayConversionError, match="total_repeat_length"):
        G.jit(jnp.repeat)(V, counts)
    with pytest.raises(ValueError, match="at least 0"):
        jnp.repeat(V, -1)


def test_delete_and_insert_at_traced_places():
    for place in (0, 2, -1):
        np.testing.assert_array_equal(G.jit(jnp.delete)(V, place), np.delete(V, place))
        np.testing.assert_array_equal(G.jit(jnp.insert)(V, place, 9.0), np.insert(V, place, 9.0))
    run = G.jit(lambda x, i: jnp.delete(x, i, axis=1, assume_unique_indices=True))
    np.testing.assert_array_equal(run(X, np.array([2, 0])), np.delete(X, [2, 0], axis=1))
    for places in ([3, 1], [1, 1, 4], [5, 0, -1]):
        values = np.float32(range(len(places))) + 100
        np.testing.assert_array_equal(G.jit(jnp.insert)(V, np.array(places), values), np.insert(V, places, values))
    with pytest.raises(G.errors.Refused, match="assume_unique_indices"):
        G.jit(jnp.delete)(V, np.array([0, 1]))


def test_trim_zeros():
    x = np.array([0, 0, 1, 0, 2, 0])
    for trim in ("fb", "f", "b"):
        same("trim_zeros", x, trim, jit=False)
    assert jnp.trim_zeros(jnp.zeros(3)).shape == (0,)
    np.testing.assert_array_equal(jnp.trim_zeros(np.pad(np.ones((2, 1)), 1)), np.ones((2, 1)))


def test_derivatives():
    weights = jnp.asarray(numbers((12,), seed=1))
    for f in (lambda x: jnp.roll(jnp.repeat(x, 2), 1), lambda x: jnp.tile(x, 2), lambda x: jnp.concatenate([x, x[::-1]]),
              lambda x: jnp.insert(x, [0, 1, 2, 3, 4, 5], x), lambda x: jnp.stack([x, x], 1).reshape(-1)):
        matrix = np.asarray(G.jacobian(f)(jnp.zeros(6)))
        pulled = G.grad(lambda x: jnp.sum(f(x) * weights))(jnp.zeros(6))
        np.testing.assert_allclose(pulled, np.asarray(weights) @ matrix)


def test_facts():
    assert jnp.shape([[1, 2]] * 3 and np.ones((3, 2))) == (3, 2) and jnp.ndim(X) == 3 and jnp.size(X) == 24
    assert jnp.size(X, 1) == 3 and jnp.size(X, (0, 2)) == 8 and jnp.shape(1.0) == ()
    assert jnp.broadcast_shapes((2, 1), (1, 3), ()) == (2, 3)


def test_vmap_moves_the_axis_along():
    x = numbers((4, 2, 3))
    for f in (lambda x: jnp.concatenate([x, x], 1), lambda x: jnp.roll(x, 1, 0), lambda x: jnp.reshape(x, (3, 2)), jnp.ravel,
              lambda x: jnp.tile(x, (2, 1)), lambda x: jnp.split(x, 3, 1)[1]):
        for axis in range(3):
            expected = np.stack([np.asarray(f(part)) for part in x])
            np.testing.assert_array_equal(G.vmap(f, axis)(np.moveaxis(x, 0, axis)), expected)


@pytest.mark.parametrize("call, error, text", [
    (lambda: jnp.reshape(X, (5, 5)), TypeError, r"cannot reshape array of shape \(2, 3, 4\)"),
    (lambda: jnp.reshape(X, (7, -1)), TypeError, "size 24 into shape"),
    (lambda: jnp.reshape(X, (-1, -1)), ValueError, "twice"),
    (lambda: jnp.reshape(X, (2.0, 12)), TypeError, "takes an integer size, got 2.0"),
    (lambda: jnp.reshape(X, (4, 6), order="K"), ValueError, "order 'C', 'F' or 'A', got 'K'"),
    (lambda: jnp.transpose(X, (0, 1)), ValueError, "one axis for each of the 3 dimensions"),
    (lambda: jnp.transpose(X, (0, 0, 1)), ValueError, "repeated axis"),
    (lambda: jnp.swapaxes(X, 0, 3), ValueError, "swapaxes got axis2 3, which is out of bounds for an array of dimension 3"),
    (lambda: jnp.moveaxis(X, (0, 1), 0), ValueError, "as many destinations"),
    (lambda: jnp.squeeze(X, 0), ValueError, "axes of size 1"),
    (lambda: jnp.matrix_transpose(V), ValueError, "at least 2 dimensions"),
    (lambda: jnp.broadcast_to(X, (3, 4, 2)), ValueError, "cannot broadcast"),
    (lambda: jnp.broadcast_shapes((2,), (3,)), ValueError, "do not broadcast"),
    (lambda: jnp.concatenate([]), ValueError, "at least one array"),
    (lambda: jnp.concatenate([X, V]), TypeError, "different numbers of dimensions"),
    (lambda: jnp.concatenate([1.0, 2.0]), ValueError, "without dimensions"),
    (lambda: jnp.concatenate([[1], [2]]), TypeError, "got <class 'list'> at position 0"),
    (lambda: jnp.stack([X, V]), ValueError, "arrays of one shape"),
    (lambda: jnp.stack([X], out=X), G.errors.Refused, "out"),
    (lambda: jnp.split(V, 2), ValueError, "array_split"),
    (lambda: jnp.split(V, 0), ValueError, "at least 1 section"),
    (lambda: jnp.block([[V], V]), ValueError, "equally deep"),
    (lambda: jnp.delete(V, 9), IndexError, "out of bounds"),
    (lambda: jnp.insert(V, 9, 1.0), IndexError, "out of bounds for an axis of size 5"),
    (lambda: jnp.roll(V, (1, 2), (0, 0, 0)), ValueError, "as many shifts as axes"),
    (lambda: jnp.rot90(X, 1, (0, 0)), ValueError, "two different axes"),
    (lambda: jnp.expand_dims(V, (0, 0)), ValueError, "repeated axis"),
    (lambda: G.jit(jnp.swapaxes)(X, 0, 1), G.errors.TracerIntegerConversionError, "argument axis1"),
], ids=lambda x: "")
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_copies_are_copies():
    x = jnp.arange(4)
    y = jnp.reshape(x, (4,), copy=True)
    G.jit(lambda x: x + 1, donate_argnums=0)(x)
    np.testing.assert_array_equal(as_wide(y), [0, 1, 2, 3])
