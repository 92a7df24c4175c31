"""What is no array, axis, sequence or function where one is needed is named in one sentence."""
import numpy as np
import pytest

import gnomon as G
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
    (lambda: jnp.linalg.cross(M, M, axis=5), "linalg.cross got axis 5, which is out of bounds for an array of dimension 2"),
    (lambda: jnp.linalg.cross(1.0, 2.0), "linalg.cross got axis -1, which is out of bounds for an array of dimension 0"),
    (lambda: jnp.linalg.cross(M, M, axis="a"), "linalg.cross takes an integer axis, got 'a'"),
    (lambda: jnp.cross(M, M, axis=5), "cross got axis 5, which is out of bounds"), (lambda: jnp.cross(M, M, axisb=5), "cross got axisb 5, which is out"),
    (lambda: jnp.cross(M, M, axisc=4), "cross got axisc 4, which is out of bounds for an array of dimension 2"),
    (lambda: jnp.cross(M, np.ones((4, 3), "f")), "cross got incompatible shapes for broadcasting"),
    (lambda: jnp.vander(M[0], 2 ** 70), "The number of columns given to vander must fit in 63 bits"),
    (lambda: jnp.ones(2, device="elsewhere"), "not on 'elsewhere', which is no platform of this process"),
    (lambda: jnp.mask_indices(3, 4), "mask_indices takes a function as mask_func, got 4"),
    (lambda: jnp.fromfunction(3, (2,)), "fromfunction takes a function as function, got 3"),
    (lambda: jnp.zeros(2 ** 70), "must fit in 63 bits, got 1180591620717411303424"), (lambda: jnp.tile(M, 2 ** 70), "must fit in 63 bits"),
    (lambda: random.normal(KEY, (2 ** 70,)), "random.normal got a shape with a size that no array has"),
    (lambda: random.ball(KEY, ()), "random.ball takes an integer d"),
    (lambda: jnp.lexsort(KEY), "lexsort takes a sequence of keys"), (lambda: jnp.extract(KEY, M), "extract takes a condition of numbers or booleans"),
])
def test_sentences(call, message):
    with pytest.raises((TypeError, ValueError, RuntimeError), match=message):
        call()


@pytest.mark.parametrize("k", [2 ** 40, -2 ** 40, 2 ** 70, -2 ** 70])
def test_diagonals_that_no_matrix_has(k):
    every = k > 0
    for form in (lambda f: f(), lambda f: G.jit(f)()):
        assert np.all(form(lambda: jnp.tri(3, k=k)) == every) and np.all(form(lambda: jnp.tril(jnp.ones((2, 3)), k)) == every)
        assert np.all(form(lambda: jnp.triu(jnp.ones((2, 3)), k)) != every) and not np.any(form(lambda: jnp.eye(3, k=k)))
    assert len(jnp.tril_indices(3, k)[0]) == 9 * every and len(jnp.triu_indices(3, k)[0]) == 9 * (not every)
