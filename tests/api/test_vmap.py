"""What is not mapped reaches the function as it is."""
import functools

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp

ONES = np.ones(2, np.float32)


@pytest.mark.parametrize("value", [3, True, "mode", None, np.arange(3), np.float32(2), object], ids=repr)
def test_it_is_the_same_object(value):
    seen = []
    gnomon.vmap(lambda x, held: (seen.append(held["k"]), x)[1], in_axes=(0, None))(ONES, {"k": value})
    assert seen[0] is value


def test_it_can_be_static_or_hashed_or_a_shape():
    scaled = gnomon.jit(lambda x, n: x * n, static_argnums=1)
    assert gnomon.vmap(scaled, in_axes=(0, None))(ONES, 3).tolist() == [3, 3]
    power = gnomon.custom_jvp(lambda x, k: x ** k, nondiff_argnums=(1,))
    power.defjvp(lambda k, primals, tangents: (power(primals[0], k), 10 * k * tangents[0]))
    assert gnomon.vmap(gnomon.grad(power), in_axes=(0, None))(ONES, 2).tolist() == [20, 20]
    assert gnomon.vmap(lambda x, n: jnp.full(n, x), in_axes=(0, None))(ONES, 3).shape == (2, 3)
    f = functools.partial(gnomon.vmap, in_axes=(None, 0))
    assert gnomon.jit(f(lambda n, x: x if n == 3 else -x), static_argnums=0)(3, ONES).tolist() == [1, 1]


def test_arrays_and_numbers_that_are_not_mapped_can_be_looked_at():
    assert gnomon.vmap(lambda x, y: x if y > 1 else -x, in_axes=(0, None))(ONES, 2.5).tolist() == [1, 1]
    assert gnomon.vmap(lambda x, y: x * np.asarray(y).sum(), in_axes=(0, None))(ONES, jnp.arange(3.0)).tolist() == [3, 3]
    assert gnomon.grad(lambda y: gnomon.vmap(lambda x, y: x * y, in_axes=(0, None))(ONES, y).sum())(2.0) == 2.0
