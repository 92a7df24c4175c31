"""ragged_dot where JAX has nothing to compare with: parts of the groups, sizes under vmap, and what is refused."""
import numpy as np
import pytest

import gnomon
from gnomon import lax

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(6, 4)).astype("f4"), RNG.normal(size=(3, 4, 2)).astype("f4")


def by_loop(x, y, sizes, first=0):
    """Row by row; rows of groups that y does not have give zeros."""
    out, group = np.zeros((len(x), y.shape[-1]), "f4"), np.repeat(np.arange(len(sizes)), sizes)
    for row, g in enumerate(group):
        if 0 <= g - first < len(y):
            out[row] = x[row] @ y[g - first]
    return out


@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_part_of_the_groups(first):
    sizes = np.array([1, 2, 0, 1, 2], "i4")
    want = by_loop(X, Y, sizes, first)
    for offset in (np.array([first], "i4"), np.int32(first)):
        np.testing.assert_allclose(gnomon.jit(lax.ragged_dot)(X, Y, sizes, group_offset=offset), want, rtol=1e-5, atol=1e-6)
    slope = gnomon.grad(lambda y: (lax.ragged_dot(X, y, sizes, group_offset=np.int32(first)) ** 2).sum() / 2)(Y)
    wanted = np.stack([X[rows].T @ want[rows] for g in range(3) if (rows := np.repeat(np.arange(5), sizes) == first + g) is not None])
    np.testing.assert_allclose(slope, wanted, rtol=1e-4, atol=1e-5)


def test_sizes_of_each_lane():
    sizes = np.array([[1, 2, 3], [2, 0, 1]], "i4")
    want = [by_loop(X, Y, s) for s in sizes]
    np.testing.assert_allclose(gnomon.vmap(lax.ragged_dot, (None, None, 0))(X, Y, sizes), want, rtol=1e-5, atol=1e-6)
    xs = np.stack([X, 2 * X], 1)
    want = np.stack([by_loop(xs[:, i], Y, s) for i, s in enumerate(sizes)])
    np.testing.assert_allclose(gnomon.vmap(lax.ragged_dot, (1, None, 0))(xs, Y, sizes), want, rtol=1e-5, atol=1e-6)


def test_what_does_not_fit():
    numbers = lax.RaggedDotDimensionNumbers((((2,), (1,)), ((), ())), (1,), (0,))
    for error, match, call in (
            (TypeError, r"of shape \(number of groups,\) or \(2, number of groups\), got int32\[1,3\]",
             lambda: lax.ragged_dot_general(np.stack([X, X]), Y, np.ones((1, 3), "i4"), numbers)),
            (TypeError, "group_sizes of integers", lambda: lax.ragged_dot(X, Y, np.ones(3, "f4"))),
            (ValueError, "needs a size for each group: rhs has 3, group_sizes 4", lambda: lax.ragged_dot(X, Y, np.ones(4, "i4"))),
            (TypeError, "one integer as its group_offset", lambda: lax.ragged_dot(X, Y, np.ones(4, "i4"), group_offset=np.ones(2, "i4"))),
            (ValueError, "only where rhs counts groups",
             lambda: lax.ragged_dot_general(X, X, np.ones(3, "i4"), lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ()),
                                            group_offset=np.int32(0)))):
        with pytest.raises(error, match=match):
            call()
