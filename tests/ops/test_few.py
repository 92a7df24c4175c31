"""Programs of a few numbers are written in a form that compiles sooner: it gives what the form for many gives."""
import numpy as np
import pytest

import gnomon as G
import gnomon.lax as lax
import gnomon.numpy as jnp

nan, inf = np.nan, np.inf
ROWS = [np.array([[1, nan, 3, nan], [-inf] * 4, [nan] * 4, [2, 5, 5, -0.0], [-0.0, 0, -1, 0], [inf, 1, inf, nan]], np.float32),
        np.array([[-128] * 4, [3, 7, 7, -128], [127, 127, -1, 0]], np.int8),
        np.array([[False] * 4, [False, True, True, False], [True] * 4])]
FUNCTIONS = [lambda x, axis: lax.argmax(x, axis, np.int32), lambda x, axis: lax.argmin(x, axis, np.int32)]
RUNNING = [lax.cumsum, lax.cumprod, lax.cummax, lax.cummin]



@pytest.mark.parametrize("x", ROWS, ids=lambda x: str(x.dtype))
def test_few_as_many(x):
    functions = FUNCTIONS if x.dtype == bool else FUNCTIONS + [
        lambda x, axis, f=f, back=back: f(x, axis, back) for f in RUNNING for back in (False, True)]

    @G.jit
    def both(x):
        return [[f(x, axis), f(jnp.concatenate([x] * 64, 1 - axis), axis)] for f in functions for axis in (0, 1)]

    for k, (few, all_) in enumerate(both(x)):
        axis = k % 2
        some = np.take(all_, range(x.shape[1 - axis]), 1 - axis if all_.ndim == 2 else 0)
        assert few.dtype == all_.dtype
        np.testing.assert_array_equal(few, some, strict=True)
        if few.dtype == np.float32:
            np.testing.assert_array_equal(np.signbit(few), np.signbit(some))


def test_extremes_stand_where_numpy_finds_them():
    for x in ROWS:
        for axis in (0, 1):
            assert np.array_equal(G.jit(lambda x: lax.argmax(x, axis, np.int32))(x), np.argmax(x, axis))
            assert np.array_equal(G.jit(lambda x: lax.argmin(x, axis, np.int32))(x), np.argmin(x, axis))
