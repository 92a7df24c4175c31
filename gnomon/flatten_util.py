"""A pytree of arrays as one vector, and back."""
from __future__ import annotations

import warnings

import numpy as np

from gnomon.base.tree import tree_flatten, tree_unflatten
from gnomon.numpy.creation import as_array, as_dtype, default_float, zeros
from gnomon.numpy.manipulation import concatenate, ravel, reshape, split
from gnomon.numpy.promote import result_type_of

__all__ = ["ravel_pytree"]


def ravel_pytree(pytree):
    """All elements of a tree's leaves in one vector, and the function that makes such a tree of a vector.

    The vector has the leaves' common dtype; the function gives each leaf its own dtype back. It raises ValueError for a vector
    of another shape, TypeError for another dtype if the leaves' dtypes differ from each other.

    >>> import gnomon.numpy as jnp
    >>> vector, unravel = ravel_pytree({"a": jnp.zeros(2), "b": jnp.ones((1, 1))})
    >>> vector
    Array([0., 0., 1.], dtype=float32)
    >>> unravel(vector + 1)["b"]
    Array([[2.]], dtype=float32)
    """
    leaves, tree = tree_flatten(pytree)
    if not leaves:
        return zeros(0, default_float()), lambda vector: tree_unflatten(tree, [])
    values = [as_array(leaf, None, "ravel_pytree") for leaf in leaves]
    types = [x.type for x in values]
    common = result_type_of(*values)
    vector = concatenate([ravel(as_dtype(x, common)) for x in values])
    return vector, Unravel(tree, types, common)


class Unravel:
    """The function from a vector to a tree that `ravel_pytree` gives."""

    def __init__(self, tree, types, dtype):
        self.tree, self.types, self.dtype = tree, types, dtype
        self.size = sum([t.size for t in types])
        self.mixed = any([t.dtype != dtype for t in types])

    def __call__(self, vector):
        x = as_array(vector, None, "the function given by ravel_pytree")
        if x.type.shape != (self.size,):
            raise ValueError(f"The function given by ravel_pytree takes a vector of shape ({self.size},), got {x.type.shape}.")
        if self.mixed and x.type.dtype != self.dtype:
            raise TypeError(f"The function given by ravel_pytree takes a vector of dtype {self.dtype}, got {x.type.dtype}.")
        places = np.cumsum([t.size for t in self.types])[:-1].tolist()
        parts = split(x, places) if places else [x]
        leaves = [reshape(part, t.shape) for part, t in zip(parts, self.types)]
        if self.mixed:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
                leaves = [as_dtype(leaf, t.dtype) for leaf, t in zip(leaves, self.types)]
        return tree_unflatten(self.tree, leaves)

    def __eq__(self, other):
        return type(other) is Unravel and (self.tree, self.types) == (other.tree, other.types)

    def __hash__(self):
        return hash((self.tree, tuple(self.types)))
