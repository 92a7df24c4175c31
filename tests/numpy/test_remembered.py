"""Calls outside a trace that are remembered: the second and later ones give what the first one gave."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon.numpy.composite import remembered

X = np.linspace(0.1, 0.9, 12, dtype=np.float32).reshape(3, 4)
HARD = np.array([np.nan, -np.inf, np.inf, -0.0, 0.0, 1.5], np.float32)
CALLS = {
    "clip": lambda x: jnp.clip(x, 0.2, 0.7), "nan_to_num": lambda x: jnp.nan_to_num(x, posinf=2.0), "isclose": lambda x: jnp.isclose(x, x),
    "mean": jnp.mean, "nansum": lambda x: jnp.nansum(x, axis=0, keepdims=True), "outer": lambda x: jnp.outer(x, x),
    "linspace": lambda x: jnp.linspace(x, 2.0, 5), "median": jnp.median, "average": lambda x: jnp.average(x, returned=True),
    "sin of integers": lambda x: jnp.sin(jnp.isnan(x)), "hypot": lambda x: jnp.hypot(x, jnp.isnan(x)), "cov": jnp.cov,
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("numbers", [X, HARD], ids=["usual", "hard"])
def test_later_calls_give_what_the_first_one_gave(name, numbers):
    x = jnp.asarray(numbers)
    results = [gnomon.tree.leaves(CALLS[name](x)) for _ in range(4)]
    for later in results[1:]:
        for a, b in zip(results[0], later, strict=True):
            assert a.type == b.type
            np.testing.assert_allclose(a, b, rtol=3e-7)
            np.testing.assert_array_equal(np.signbit(a), np.signbit(b))


def test_numbers_that_are_equal_are_told_apart():
    x = jnp.array([-0.0, 0.0, np.nan], jnp.float32)
    for _ in range(3):
        assert np.signbit(jnp.nan_to_num(x, nan=-0.0)[2]) and not np.signbit(jnp.nan_to_num(x, nan=0.0)[2])
        assert jnp.clip(jnp.array([5]), 0, 1).dtype == "int32" and jnp.clip(jnp.array([5]), 0, 1.0).dtype == "float32"


def test_numbers_computed_once_are_not_shared_with_what_was_given_out():
    first, second, third = (jnp.linspace(0.0, 1.0, 5) for _ in range(3))
    gnomon.jit(lambda x: x * 0 + 7, donate_argnums=0)(second)
    third.delete()
    np.testing.assert_array_equal(jnp.linspace(0.0, 1.0, 5), first)


def test_settings_and_announcements_count_at_every_call():
    i = jnp.arange(4)
    assert [jnp.mean(i).dtype for _ in range(3)] == ["float32"] * 3
    with gnomon.enable_x64(True):
        assert [jnp.linspace(0.0, 1.0, 3).dtype for _ in range(3)] == ["float64"] * 3
    with gnomon.debug_nans(True):
        for _ in range(3):
            with pytest.raises(FloatingPointError):
                jnp.mean(jnp.zeros(0))


def test_functions_that_look_at_numbers_are_called_every_time():
    seen = []

    @remembered
    def look(x):
        seen.append(float(x[0]))
        return x + 1
    for n in range(4):
        assert look(jnp.array([float(n)]))[0] == n + 1
    assert seen == [0.0, 1.0, 2.0, 3.0]


def test_a_mistake_is_told_every_time():
    for _ in range(3):
        with pytest.raises(ValueError):
            jnp.clip(jnp.ones(3) * 1j, 0, 1)
        with pytest.raises((TypeError, ValueError)):
            jnp.mean(jnp.ones(3), axis=4)
