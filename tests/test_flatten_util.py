"""ravel_pytree."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon.flatten_util import ravel_pytree


def test_there_and_back():
    tree = {"w": jnp.arange(6.0).reshape(2, 3), "layers": [jnp.float32(7), (jnp.zeros((0,)), None)]}
    vector, unravel = ravel_pytree(tree)
    assert vector.dtype == "float32" and sorted(vector.tolist()) == [0, 1, 2, 3, 4, 5, 7]
    back = unravel(vector * 2)
    assert G.tree.structure(back) == G.tree.structure(tree)
    np.testing.assert_array_equal(back["w"], tree["w"] * 2)
    assert ravel_pytree([])[0].shape == (0,) and ravel_pytree([])[1](jnp.zeros(0)) == []


def test_dtypes():
    vector, unravel = ravel_pytree([jnp.ones(2, "int8"), jnp.zeros(1, "float16"), True])
    back = unravel(vector)
    assert vector.dtype == "float16" and [x.dtype.name for x in back] == ["int8", "float16", "bool"]
    with pytest.raises(TypeError, match="takes a vector of dtype float16, got float32"):
        unravel(vector.astype("float32"))
    same, unravel = ravel_pytree([jnp.ones(2)])
    assert unravel(same.astype("float16"))[0].dtype == "float16"
    with pytest.raises(ValueError, match=r"shape \(2,\), got \(3,\)"):
        unravel(jnp.ones(3))
    assert [x.dtype.name for x in ravel_pytree([1j, 1.0])[1](jnp.array([1j, 1]))] == ["complex64", "float32"]


def test_in_transformations():
    tree = {"a": jnp.ones(2), "b": jnp.ones((1, 2))}

    def loss(tree):
        vector, unravel = ravel_pytree(tree)
        return (unravel(vector ** 2)["b"]).sum()
    np.testing.assert_array_equal(G.jit(G.grad(loss))(tree)["b"], [[2, 2]])
    vector, unravel = ravel_pytree(tree)
    assert G.jit(unravel)(vector)["b"].shape == (1, 2) and unravel == ravel_pytree(tree)[1] and hash(unravel) == hash(ravel_pytree(tree)[1])
