"""What functions that often come to one op give the first time, they give again, whatever came between."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp

FUNCTIONS = "sum prod max min all any cumsum cumprod argmax argmin sort argsort".split()
NUMBERS = np.array([[3, 1, 2], [5, 4, 6]])


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_calls_repeat(name, dtype):
    function, expected = getattr(jnp, name), getattr(np, name)
    x, y = jnp.asarray(NUMBERS, dtype), jnp.asarray(NUMBERS[::-1], dtype)
    for _ in range(3):
        for axis in (0, -1, None):
            for value in (x, y):
                assert np.array_equal(function(value, axis), expected(np.asarray(value), axis)), (name, axis)
        assert np.array_equal(function(x), expected(np.asarray(x)))
        assert np.array_equal(G.jit(lambda x: function(x, 1))(x), expected(np.asarray(x), 1))
        for wrong in (2, 1.0):
            with pytest.raises((TypeError, ValueError)):
                function(x, wrong)


def test_settings_and_options_count():
    x = jnp.arange(3, dtype="int16")
    for _ in range(2):
        assert jnp.sum(x).dtype == "int32" and jnp.sum(x, promote_integers=False).dtype == "int16"
        with G.enable_x64(True):
            assert jnp.sum(x).dtype == "int64"
        assert jnp.sum(x, keepdims=True).shape == (1,)
        with pytest.raises(ValueError, match="zero-size"):
            jnp.max(x[:0])
