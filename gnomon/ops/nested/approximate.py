"""approx_top_k and scaled_dot: ops whose names stand for freedoms that a compiler may take; here they are exact."""
from __future__ import annotations

import numpy as np

from gnomon.ops.arithmetic import mul
from gnomon.ops.convert import convert_element_type
from gnomon.ops.dot import DotGeneral
from gnomon.ops.nested.composed import Composed
from gnomon.ops.shape import Iota, broadcast_in_dim, reshape
from gnomon.ops.slicing import insert, slice_in_dim
from gnomon.ops.sorting import TopK, sort
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_float


class ApproxTopK(Composed):
    """The `k` largest (or smallest) elements along a dimension and their places."""

    k: int
    reduction_dimension: int
    recall_target: float
    is_max_k: bool
    reduction_input_size_override: int
    aggregate_to_topk: bool

    name = "approx_top_k"

    def compose(self, x):
        axis, k = self.reduction_dimension % max(x.type.ndim, 1), self.k
        if not is_float(x.type.dtype):
            raise TypeError(f"approx_{'max' if self.is_max_k else 'min'}_k takes floating-point numbers, got a value of type {x.type}.")
        if not 0 <= k <= x.type.shape[axis]:
            raise ValueError(f"approx_{'max' if self.is_max_k else 'min'}_k needs k between 0 and the dimension's size, "
                             f"{x.type.shape[axis]}, got {k}.")
        if self.is_max_k:
            return bind(TopK(k, axis), x)
        places = bind(Iota(np.dtype("int32"), x.type.shape, axis))
        return [slice_in_dim(y, 0, k, axis) for y in sort([x, places], axis)]


class ScaledDot(Composed):
    """dot_general of operands that are multiplied by scales first. A scale has the dimensions of its operand; along those
    that are summed its size divides the operand's, and each of its elements is for as many neighbours. Operands: lhs, rhs,
    scale of lhs, scale of rhs."""

    dimension_numbers: tuple
    preferred_element_type: object

    def compose(self, x, y, x_scale, y_scale):
        (lc, rc), _ = self.dimension_numbers
        dtype = self.preferred_element_type
        operands = [mul(convert_element_type(v, dtype), convert_element_type(stretched(s, v, dims, side), dtype))
                    for v, s, dims, side in ((x, x_scale, lc, "lhs"), (y, y_scale, rc, "rhs"))]
        return [bind(DotGeneral(self.dimension_numbers, None, dtype), *operands)]


def stretched(scale, x, summed, side):
    """A scale with each element repeated for the elements of `x` that it is for."""
    shape = x.type.shape
    if scale.type.ndim != len(shape):
        raise TypeError(f"scaled_dot needs scales of the rank of their operands, got {side} of type {x.type} and its scale of type "
                        f"{scale.type}.")
    for d, (n, m) in enumerate(zip(shape, scale.type.shape)):
        if d not in summed and n != m:
            raise TypeError(f"scaled_dot: dimension {d} of {side} has size {n}, that of its scale {m}; they must agree, as it is not "
                            "summed.")
        if d in summed and m != 1 and (m == 0 or n % m or n < 2 * m):
            raise TypeError(f"scaled_dot: dimension {d} of {side}, which is summed, has size {n}; that of its scale, {m}, must divide it "
                            "and be at most half of it.")
    for d in summed:
        n, m = shape[d], scale.type.shape[d]
        have = scale.type.shape
        wide = insert(have, d + 1, n // m)
        scale = broadcast_in_dim(scale, wide, tuple([i for i in range(len(wide)) if i != d + 1]))
        scale = reshape(scale, (*have[:d], n, *have[d + 1:]))
    return scale
