"""gnomon.scipy.interpolate: interpolation on grids."""
from __future__ import annotations

import itertools
import math

from gnomon import numpy as jnp
from gnomon.base.arguments import flag
from gnomon.base.errors import Refused
from gnomon.numpy.axes import one_of, sequence
from gnomon.numpy.promote import as_value, promote_inexact, to_inexact

__all__ = ["RegularGridInterpolator"]


class RegularGridInterpolator:
    """A function given on a rectangular grid, between the grid's points.

    points: for each of the N dimensions a strictly increasing vector of coordinates. values: (n_1, ..., n_N, ...), on the grid. method:
    'linear' or 'nearest'. fill_value: outside of the grid; None to go on as at its edge. bounds_error is refused: it would need the numbers.

    >>> import gnomon.numpy as jnp
    >>> f = RegularGridInterpolator((jnp.array([1.0, 2.0]), jnp.array([4.0, 5.0])), jnp.array([[10.0, 20.0], [40.0, 50.0]]))
    >>> f(jnp.array([[1.5, 4.5]])).tolist()
    [30.0]
    """

    def __init__(self, points, values, method="linear", bounds_error=False, fill_value=jnp.nan):
        one_of(method, ("linear", "nearest"), "RegularGridInterpolator", "method")
        if flag(bounds_error, "RegularGridInterpolator", "bounds_error"):
            raise Refused("RegularGridInterpolator does not look at numbers, so it cannot raise bounds_error; use fill_value.")
        self.method, self.bounds_error, self.fill_value = method, bounds_error, fill_value
        self.values = to_inexact(as_value(values, "RegularGridInterpolator: values"))
        points = sequence(points, "RegularGridInterpolator", "points", "vectors")
        self.grid = tuple([to_inexact(as_value(p, "RegularGridInterpolator: points")) for p in points])
        if len(self.grid) > self.values.ndim:
            raise ValueError(f"RegularGridInterpolator got points of {len(self.grid)} dimensions for values of shape {self.values.shape}.")
        for i, p in enumerate(self.grid):
            if p.ndim != 1 or p.shape[0] != self.values.shape[i] or p.shape[0] < 2:
                raise ValueError(f"RegularGridInterpolator needs a vector of {self.values.shape[i]} (at least 2) points for dimension {i}, got "
                                 f"shape {p.shape}.")

    def __call__(self, xi, method=None):
        """The values at points (..., N), or at a tuple of N arrays that broadcast."""
        method = self.method if method is None else method
        one_of(method, ("linear", "nearest"), "RegularGridInterpolator", "method")
        n = len(self.grid)
        if isinstance(xi, tuple):
            axes = jnp.broadcast_arrays(*promote_inexact("RegularGridInterpolator", *xi))
        else:
            xi = to_inexact(as_value(xi, "RegularGridInterpolator"))
            if xi.shape[-1:] != (n,):
                raise ValueError(f"RegularGridInterpolator takes points with {n} coordinates in the last dimension, got shape {xi.shape}.")
            axes = [xi[..., i] for i in range(n)]
        if len(axes) != n:
            raise ValueError(f"RegularGridInterpolator takes points with {n} coordinates, got {len(axes)}.")
        corners, outside, unknown = [], False, False
        for x, grid in zip(axes, self.grid):
            low = jnp.clip(jnp.searchsorted(grid, x, side="right") - 1, 0, grid.shape[0] - 2)
            share = (x - grid[low]) / (grid[low + 1] - grid[low])
            if method == "nearest":
                corners.append([(jnp.where(share <= 0.5, low, low + 1), 1)])
                unknown = unknown | jnp.isnan(x)
            else:
                corners.append([(low, 1 - share), (low + 1, share)])
            outside = outside | (x < grid[0]) | (x > grid[-1])
        rest = (None,) * (self.values.ndim - n)
        total = 0
        for corner in itertools.product(*corners):
            weight = math.prod([w for _, w in corner])
            value = self.values[tuple([i for i, _ in corner])]
            total = total + (value if method == "nearest" else value * weight[(..., *rest)])
        if method == "nearest":
            total = jnp.where(unknown[(..., *rest)], jnp.nan, total)
        if self.fill_value is None:
            return total
        return jnp.where(outside[(..., *rest)], self.fill_value, total)
