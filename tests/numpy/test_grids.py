"""Equal distances and grids against NumPy."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp

pytestmark = pytest.mark.filterwarnings("ignore::gnomon.errors.GnomonWarning")     # NumPy counts in 64 bits


def close(ours, theirs, rtol=1e-6):
    ours, theirs = (list(x) if isinstance(x, (list, tuple)) else [x] for x in (ours, theirs))
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        assert a.shape == np.shape(b) and a.dtype == G.dtypes.canonicalize_dtype(np.asarray(b).dtype), (a.type, b)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("args, options", [
    ((0, 1, 5), {}), ((0, 1, 5), {"endpoint": False}), ((3, -2, 4), {"retstep": True}), ((0, 1, 1), {}), ((0, 1, 0), {}), ((0, 1, 2), {}),
    ((0, 10, 5), {"dtype": np.int32}), ((0, -10, 4), {"dtype": np.int32}), ((0, 1j, 3), {}), ((np.zeros(2), 1, 3), {}),
    ((np.zeros(2), 1, 3), {"axis": -1}),
    ((np.zeros((2, 1)), np.ones(3), 4), {"axis": 1}), ((np.float32(2), 2, 3), {}), ((0, 1), {}), ((1e10, 1e10 + 1, 3), {}),
    ((-5, 5, 11), {"endpoint": False}),
], ids=str)
def test_linspace(args, options):
    close(jnp.linspace(*args, **options), np.linspace(*args, **options))
    traced = G.jit(lambda a, b: jnp.linspace(a, b, *args[2:], **options))(*args[:2])
    close(traced, np.linspace(*args, **options))


def test_linspace_edges():
    for dtype in ("float16", "bfloat16", "uint8", "complex64"):
        assert jnp.linspace(0, 1, 3, dtype=dtype).dtype == dtype
    assert jnp.linspace(np.float16(0), 1, 4096)[-1] == 1 and not jnp.linspace(0, 1, 3).type.weak_type
    assert jnp.linspace(0.1, 0.7, 7)[-1] == np.float32(0.7)
    np.testing.assert_allclose(G.grad(lambda b: jnp.linspace(0, b, 5).sum())(2.0), 2.5)
    assert np.isnan(jnp.linspace(0, 1, 1, retstep=True)[1])
    for bad, error in ((-1, ValueError), (2.5, TypeError)):
        with pytest.raises(error, match="linspace"):
            jnp.linspace(0, 1, bad)


@pytest.mark.parametrize("args, options", [((0, 2, 3), {}), ((0, 2, 3), {"base": 2}), ((0, 3, 4), {"dtype": np.int32}),
                                           ((-1, 1, 5), {"endpoint": False}),
                                           ((np.zeros(2), 2, 3), {"axis": -1})], ids=str)
def test_logspace(args, options):
    close(jnp.logspace(*args, **options), np.logspace(*args, **options), 1e-5)


@pytest.mark.parametrize("args, options", [((1, 1000, 4), {}), ((1, 1000, 4), {"dtype": np.int32}), ((-1, -1000, 4), {}),
                                           ((1000, 1, 4), {}),
                                           ((1, 1000, 3), {"endpoint": False}), ((1j, 1000j, 4), {}),
                                           ((np.array([1.0, 2.0]), 1000, 4), {"axis": -1}), ((3, 7, 1), {}), ((3, 7, 0), {})], ids=str)
def test_geomspace(args, options):
    close(jnp.geomspace(*args, **options), np.geomspace(*args, **options), 1e-5)


def test_geomspace_of_integers_hits_integers():
    assert jnp.geomspace(1, 256, 9, dtype=int).tolist() == [1, 2, 4, 8, 16, 32, 64, 128, 256]


def test_meshgrid():
    x, y, z = np.arange(2, dtype=np.int32), np.arange(3, dtype=np.float32), np.arange(4, dtype=np.int32)
    for options in ({}, {"indexing": "ij"}, {"sparse": True}, {"sparse": True, "indexing": "ij"}):
        for vectors in ((x,), (x, y), (x, y, z), ()):
            close(jnp.meshgrid(*vectors, **options), np.meshgrid(*vectors, **options))
    for call in (lambda: jnp.meshgrid(np.ones((2, 2))), lambda: jnp.meshgrid(x, copy=False), lambda: jnp.meshgrid(x, indexing="yx")):
        with pytest.raises(ValueError, match="meshgrid"):
            call()


def test_indices_and_fromfunction():
    close(jnp.indices((2, 3)), np.indices((2, 3)))
    close(jnp.indices((2, 3), sparse=True), np.indices((2, 3), sparse=True))
    close(jnp.indices((2,), float), np.indices((2,), float))
    close(jnp.indices(()), np.zeros((0,), np.int32))
    close(jnp.fromfunction(lambda i, j: i + 2 * j, (2, 3), dtype=int), np.fromfunction(lambda i, j: i + 2 * j, (2, 3), dtype=int))
    close(jnp.fromfunction(lambda i, k: k, (3,), k=2.0), np.full(3, 2.0))


def test_written_with_slices():
    close(jnp.mgrid[0:2, 0:3], np.mgrid[0:2, 0:3])
    close(jnp.mgrid[0:1:3j, 2:4], np.mgrid[0:1:3j, 2:4])
    close(jnp.mgrid[:3], np.mgrid[:3])
    close(jnp.ogrid[0:2, 0:3], np.ogrid[0:2, 0:3])
    close(jnp.ogrid[0:1:5j], np.ogrid[0:1:5j])
    v = np.float32([1, 2])
    for key in ((1, 2, 3), (slice(0, 3), 5), (v, 0, v), (slice(0, 1, 3j), 5.0), ("0,2", v, v), ("-1", v[None], v[None]), ("1,2,0", v, v),
                ("0,3,1", v), ("0,3,-1", v),
                ("1,3,0", slice(0, 2))):
        close(jnp.r_[key], np.r_[key])
    for key in ((v, v), (slice(0, 3), slice(3, 6)), (np.ones((2, 1), np.float32), v)):
        close(jnp.c_[key], np.c_[key])
    assert jnp.s_[1:2, ...] == np.s_[1:2, ...] and jnp.index_exp[3] == (3,) and jnp.s_[3] == 3
    assert [repr(x) for x in (jnp.r_, jnp.mgrid, jnp.s_)] == ["gnomon.numpy.r_", "gnomon.numpy.mgrid", "gnomon.numpy.s_"]
    with pytest.raises(G.errors.Refused, match="matrix"):
        jnp.r_["r", v]
    with pytest.raises(ValueError, match="say where they stop"):
        jnp.mgrid[1:]


def test_ix():
    rows, columns = np.array([0, 2]), np.array([True, False, True])
    close(jnp.ix_(rows, columns), np.ix_(rows, columns))
    x = np.arange(9).reshape(3, 3)
    np.testing.assert_array_equal(jnp.asarray(x)[jnp.ix_(rows, rows)], x[np.ix_(rows, rows)])
    with pytest.raises(ValueError, match="ix_ takes vectors"):
        jnp.ix_(x)
