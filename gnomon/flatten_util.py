"""A tree of arrays as one vector, and back."""
from __future__ import annotations

import numpy as _np

from gnomon.api.function import as_values as _as_values, type_of as _type_of
from gnomon.base.tree import Partial as _Partial, tree_flatten as _flatten, tree_unflatten as _unflatten
from gnomon.numpy import creation as _creation, manipulation as _manipulation
from gnomon.numpy.promote import result_pair as _result_pair
from gnomon.ops.convert import convert_element_type as _convert
from gnomon.types.dtype import is_complex as _is_complex

__all__ = ["ravel_pytree"]


class _Unravel:
    """Cuts a vector into the leaves of a tree; equal for equal structures and types."""

    def __init__(self, tree, types, dtype):
        self.tree, self.types, self.dtype = tree, types, dtype

    def __call__(self, vector):
        want, got = sum(t.size for t in self.types), _type_of(vector)
        if got.shape != (want,):
            raise ValueError(f"The function that ravel_pytree returned takes a vector of {want} elements, got the shape {got.shape}.")
        if got.dtype != self.dtype:
            raise TypeError(f"unravel function given array of dtype {got.dtype}, but expected dtype {self.dtype}. Convert it with .astype.")
        leaves, start = [], 0
        for t in self.types:
            piece = vector[start:start + t.size].reshape(t.shape)
            if _is_complex(piece.dtype) and not _is_complex(t.dtype):
                piece = piece.real
            leaves.append(_convert(piece, t.dtype) if piece.dtype != t.dtype else piece)
            start += t.size
        return _unflatten(self.tree, leaves)

    def _key(self):
        return self.tree, self.types, self.dtype

    def __eq__(self, other):
        return isinstance(other, _Unravel) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())


def ravel_pytree(pytree):
    """(all leaves one after another in one vector, a function that turns such a vector back into the tree).

    The vector has the dtype that the leaves promote to; the tree that comes back has the leaves' own dtypes again.

    >>> vector, unravel = ravel_pytree({"a": 1.0, "b": [2.0, 3.0]})
    >>> vector.tolist(), unravel(2 * vector)["b"][1].tolist()
    ([1.0, 2.0, 3.0], 6.0)
    """
    leaves, tree = _flatten(pytree)
    values = _as_values(leaves)
    types = tuple(v.type for v in values)
    if not values:
        dtype = _np.dtype(_creation.default_float())
        return _creation.zeros(0, dtype), _Partial(_Unravel(tree, types, dtype))
    dtype, _ = _result_pair(*values)
    flat = [_manipulation.ravel(v) for v in values]
    flat = [_convert(v, dtype) if v.dtype != dtype else v for v in flat]
    return (flat[0] if len(flat) == 1 else _manipulation.concatenate(flat)), _Partial(_Unravel(tree, types, dtype))
