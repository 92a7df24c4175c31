"""What is no array, axis, sequence or function where one is needed is named in one sentence."""
import numpy as np
import pytest

import gnomon.numpy as jnp
from gnomon import random

M, KEY = np.ones((2, 3), "float32"), random.key(0)


@pytest.mark.parametrize("call, message", [
    (lambda: jnp.einsum({"a": 1}, M), "einsum takes a string of subscripts first"),
    (lambda: jnp.einsum(1.5, M), "einsum takes a string of subscripts first"),
    (lambda: jnp.zeros_like(KEY), "zeros_like makes numbers, got random keys"),
    (lambda: jnp.histogram(M, range="a"), "histogram takes a sequence of two bounds as range, got 'a'"),
    (lambda: jnp.histogram(M, range=(1, 2, 3)), "histogram takes a range of two bounds"),
    (lambda: jnp.histogramdd(np.zeros((0, 0), "f")), "points of at least one dimension"),
    (lambda: jnp.fft.fft2(M, axes=7), "fft.fft2 takes a sequence of two axes as axes, got 7 of type int"),
    (lambda: jnp.fft.fftn(M, axes=1.5), "fft.fftn takes a sequence of axes as axes, got 1.5"),
    (lambda: jnp.linalg.multi_dot(3), "multi_dot takes a sequence of matrices as arrays, got 3"),
    (lambda: jnp.eye(3, k="a"), "eye takes an integer k, got 'a'"), (lambda: jnp.tri(3, k=1.5), "tri takes an integer k, got 1.5"),
    (lambda: jnp.tril(M, "a"), "tril takes an integer k, got 'a'"), (lambda: jnp.triu(M, 0.5), "triu takes an integer k, got 0.5"),
    (lambda: jnp.select(None, [M]), "select takes a sequence of conditions as condlist, got None"),
    (lambda: jnp.piecewise(M, 3, [1]), "piecewise takes a sequence of conditions as condlist, got 3"),
    (lambda: jnp.ravel_multi_index((1, 2), None), "ravel_multi_index takes a sequence of sizes as dims, got None"),
    (lambda: jnp.rot90(M, axes=7), "rot90 takes a sequence of two axes as axes, got 7"),
    (lambda: jnp.rot90(M, axes=(0, 1, 1)), "rot90 turns in the plane of two different axes"),
    (lambda: jnp.roll(M, np.zeros(0, int), (0, 1)), "roll needs as many shifts as axes"),
    (lambda: jnp.mask_indices(None, np.triu), "mask_indices takes an integer n, got None"),
    (lambda: jnp.mask_indices(3, 4), "mask_indices takes a function as mask_func, got 4"),
    (lambda: jnp.fromfunction(3, (2,)), "fromfunction takes a function as function, got 3"),
    (lambda: jnp.zeros(2 ** 70), "must fit in 63 bits, got 1180591620717411303424"), (lambda: jnp.tile(M, 2 ** 70), "must fit in 63 bits"),
    (lambda: random.normal(KEY, (2 ** 70,)), "random.normal got a shape with a size that no array has"),
    (lambda: random.ball(KEY, ()), "random.ball takes an integer d"),
    (lambda: jnp.lexsort(KEY), "lexsort takes a sequence of keys"), (lambda: jnp.extract(KEY, M), "extract takes a condition of numbers or booleans"),
])
def test_sentences(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
