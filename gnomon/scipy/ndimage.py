"""gnomon.scipy.ndimage: interpolation of images."""
from __future__ import annotations

import itertools
import math

import numpy as np

from gnomon import numpy as jnp
from gnomon.base.errors import Refused
from gnomon.numpy.axes import integer, sequence
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import as_value, promote_inexact
from gnomon.scipy.floats import a_number
from gnomon.types.dtype import is_integer

__all__ = ["map_coordinates"]


def mirrored(i, n):
    """Places in an array that goes on mirrored at its outermost elements: ... 2 1 0 1 2 ..."""
    period = max(2 * (n - 1), 1)
    return (n - 1) - jnp.abs(jnp.mod(i, period) - (n - 1)) if n > 1 else i * 0


def reflected(i, n):
    """Places in an array that goes on mirrored beyond them: ... 1 0 0 1 ..."""
    twice = mirrored(2 * i + 1, 2 * n + 1)
    return jnp.floor_divide(twice, 2)


PLACES = {
    "constant": lambda i, n: jnp.clip(i, 0, n - 1), "nearest": lambda i, n: jnp.clip(i, 0, n - 1), "wrap": lambda i, n: jnp.mod(i, n),
    "mirror": mirrored, "reflect": reflected,
}


def map_coordinates(input, coordinates, order, mode="constant", cval=0.0):
    """The values of an array at places between its elements.

    coordinates: one array for each dimension of `input`, of places along it, all of one shape, which is the result's. order: 0 for the
    nearest element, 1 for linear interpolation. mode: what lies beyond the array: 'constant' (cval), 'nearest' (its outermost elements),
    'wrap' (the array again), 'mirror' or 'reflect' (the array mirrored, at its outermost elements or beyond them).

    >>> import gnomon.numpy as jnp
    >>> map_coordinates(jnp.arange(12.0).reshape(3, 4), [jnp.array([0.5, 1.5]), jnp.array([1.5, 2.5])], order=1).tolist()
    [3.5, 8.5]
    """
    x = as_value(input, "map_coordinates", 0)
    coordinates = [as_value(c, "map_coordinates", 1) for c in sequence(coordinates, "map_coordinates", "coordinates", "arrays")]
    order = integer(order, "map_coordinates", "order")
    if len(coordinates) != x.ndim:
        raise ValueError(f"map_coordinates takes coordinates for every dimension of the array, {x.ndim} of them, got {len(coordinates)}.")
    if not x.size and any(c.size for c in coordinates):
        raise ValueError(f"map_coordinates takes an array that is not empty, got shape {x.shape}.")
    if not (isinstance(mode, str) and mode in PLACES):
        raise Refused(f"map_coordinates knows the modes {', '.join(map(repr, PLACES))}, got {mode!r}.")
    if order not in (0, 1):
        raise Refused(f"map_coordinates interpolates with order 0 or 1, got {order}.")
    return _map_coordinates(x, coordinates, a_number(cval, "map_coordinates", "cval"), order=order, mode=mode)


@composite(static=("order", "mode"))
def _map_coordinates(x, coordinates, cval, order, mode):
    coordinates = promote_inexact("map_coordinates", *coordinates) if coordinates else []
    choices = []
    for c, n in zip(coordinates, x.shape):
        low = jnp.floor(c)
        if order == 0:
            ends = [(jnp.round(c), 1)]
        else:
            ends = [(low, 1 - (c - low)), (low + 1, c - low)]
        choices.append([axis_place(i, weight, n, mode) for i, weight in ends])
    terms = []
    for corner in itertools.product(*choices):
        value = x[tuple([i for i, _, _ in corner])]
        inside = [known for _, known, _ in corner if known is not None]
        if inside:
            known = inside[0]
            for k in inside[1:]:
                known = known & k
            value = jnp.where(known, value, jnp.asarray(cval, x.dtype))
        terms.append(value * math.prod([w for _, _, w in corner]) if order else value)
    total = sum(terms[1:], terms[0])
    if is_integer(x.dtype):
        total = jnp.round(total)
    return total.astype(x.dtype)


def axis_place(i, weight, n, mode):
    """(index, whether it lies in the array or None if always, weight) for a place along a dimension of n elements."""
    index = i.astype(np.int32)
    known = (index >= 0) & (index < n) if mode == "constant" else None
    return PLACES[mode](index, n), known, weight
