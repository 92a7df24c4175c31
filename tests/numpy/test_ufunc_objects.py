"""np.add.reduce and the other methods of ufuncs, against NumPy's."""
import pickle

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon.numpy.ufunc_objects import BUILT_IN

pytestmark = pytest.mark.filterwarnings("ignore")

X = np.arange(1, 7, dtype="float32").reshape(2, 3)
I = np.arange(8, dtype="int32")
DIGITS = jnp.frompyfunc(lambda x, y: 10 * x + y, 2, 1, identity=0)
BINARY = [name for name, f in BUILT_IN.items() if f.nin == 2]


def of_integers(name):
    return name.startswith("bitwise")


@pytest.mark.parametrize("name", BINARY)
def test_methods(name):
    ours, theirs = getattr(jnp, name), getattr(np, name)
    x = X.astype("int32") if of_integers(name) else X
    for axis in (0, 1, None):
        if axis is not None or name != "subtract":
            np.testing.assert_allclose(ours.reduce(x, axis=axis), theirs.reduce(x, axis=axis), rtol=1e-6)
    kept = dict(axis=1, keepdims=True)
    np.testing.assert_allclose(ours.reduce(x, **kept), theirs.reduce(x, **kept), rtol=1e-6)
    np.testing.assert_allclose(ours.accumulate(x, axis=1), theirs.accumulate(x, axis=1), rtol=1e-6)
    np.testing.assert_allclose(ours.outer(x[0], x), theirs.outer(x[0], x), rtol=1e-6)
    starts = np.array([0, 1, 0, 2])
    np.testing.assert_allclose(ours.reduceat(x, starts, axis=1), theirs.reduceat(x, starts, axis=1), rtol=1e-6)
    identity = -np.inf if name.startswith("logadd") else theirs.identity
    assert (ours.nin, ours.nout, ours.nargs, ours.identity) == (2, 1, 2, identity)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum", "logaddexp", "bitwise_or"])
def test_at(name):
    x = X[1].astype("int32") if of_integers(name) else X[1].copy()
    places, b = np.array([0, 0, 2]), np.array([1, 2, 8], x.dtype)
    out = getattr(jnp, name).at(x, places, b, inplace=False)
    getattr(np, name).at(x, places, b)
    np.testing.assert_allclose(out, x, rtol=1e-6)


def test_negative_at():
    np.testing.assert_array_equal(jnp.negative.at(X[0], np.array([0, 0, 2]), inplace=False), [1, 2, -3])
    with pytest.raises(NotImplementedError, match="inplace=False"):
        jnp.add.at(X, 0, 1)
    with pytest.raises(TypeError, match="add.at takes the array, indices, and what to combine with"):
        jnp.add.at(X, 0, inplace=False)


def test_where_and_initial():
    np.testing.assert_array_equal(jnp.add.reduce(X, where=X > 2, initial=10), np.add.reduce(X, where=X > 2, initial=10))
    np.testing.assert_array_equal(jnp.maximum.reduce(X, axis=1, initial=4), [4, 6])
    assert int(DIGITS.reduce(np.array([1, 2, 3]), where=np.array([False, True, True]))) == 23
    assert int(DIGITS.reduce(np.array([1, 2]), initial=7)) == 712 and float(DIGITS.reduce(np.zeros(0))) == 0
    for call in (lambda: jnp.subtract.reduce(X, where=X > 2), lambda: jnp.subtract.reduce(np.zeros(0)),
                 lambda: jnp.negative.reduce(X)):
        with pytest.raises(ValueError):
            call()


def test_frompyfunc():
    assert DIGITS(np.array([1, 2]), 3).tolist() == [13, 23] and int(DIGITS(1, 2)) == 12
    assert DIGITS.accumulate(np.array([1, 2, 3])).tolist() == [1, 12, 123]
    assert DIGITS.outer(np.array([1, 2]), np.array([3, 4])).tolist() == [[13, 14], [23, 24]]
    assert DIGITS.reduceat(I, np.array([0, 4, 1, 5])).tolist() == [123, 4, 1234, 567]
    assert DIGITS.at(np.array([1, 2]), np.array([0, 0]), 1, inplace=False).tolist() == [111, 2]
    assert int(G.jit(DIGITS.reduce)(np.array([1, 2, 3]))) == 123
    pair = jnp.frompyfunc(lambda x: (x, x + 1), 1, 2)
    assert [out.tolist() for out in pair(np.array([1, 2]))] == [[1, 2], [2, 3]]
    assert jnp.ufunc(jnp.power, 2, 1).reduce(np.array([2.0, 3.0])) == 8


def test_objects():
    assert pickle.loads(pickle.dumps(jnp.add)) is jnp.add and isinstance(jnp.add, jnp.ufunc)
    assert repr(jnp.add) == "<ufunc gnomon.numpy.add>" and "x1 + x2" in jnp.add.__doc__
    again = pickle.loads(pickle.dumps(jnp.ufunc(jnp.power, 2, 1, name="tower")))
    assert again.__name__ == "tower" and float(again(2.0, 3.0)) == 8
    assert int(G.jit(jnp.add)(1, 2)) == 3 and G.vmap(jnp.add)(X[0], X[1]).tolist() == [5, 7, 9]
    with pytest.raises(NotImplementedError, match="add takes no 'out'"):
        jnp.add(X, X, where=X > 1)
