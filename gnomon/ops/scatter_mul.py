"""scatter-mul, whose derivative needs the product of all other factors that meet at an element."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.op import is_linear
from gnomon.ops.arithmetic import mul
from gnomon.ops.compare import eq, select_n
from gnomon.ops.cumulative import linear_recurrence, previous
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import FILL_OR_DROP, ScatterAdd, ScatterBase, host_scatter, take_along
from gnomon.ops.shape import Iota, full, reshape, zeros
from gnomon.ops.sorting import argsort
from gnomon.trace.stage import bind

_INT32 = np.dtype("int32")


class ScatterMul(ScatterBase):
    """The operand with windows of it multiplied by updates."""

    name = "scatter-mul"
    hlo = "stablehlo.multiply"

    def derivative(self, args, tangents):
        x, indices, updates = args
        tx, _, tu = tangents
        out, total = bind(self, x, indices, updates), None
        if tx is not None:
            total = bind(self, tx, indices, updates)         # linear in the operand, and as cheap as the update
        if tu is not None:
            factor = self.read(x, indices, updates)
            if not self.never_twice(indices):
                factor = mul(factor, self.other_factors(x, indices, updates))
            total = self.put(ScatterAdd, zeros(x.type) if total is None else total, indices, mul(tu, factor))
        return out, total

    def other_factors(self, x, indices, updates):
        """For each update the product of all others that meet it. No division, so zeros are right.

        Updates are sorted by the element they go to; the products of those before and of those behind in the same run
        are linear recurrences."""
        size, count = x.type.size, updates.type.size
        element = reshape(bind(Iota(_INT32, (size,), 0)), x.type.shape)
        element = reshape(bind(self.gather_op(x, updates, size), element, indices), (count,))
        order = argsort(element, 0)
        element, factors = take_along(element, order, 0), take_along(reshape(updates, (count,)), order, 0)
        product = None
        for reverse in (False, True):
            together = eq(element, previous(element, 0, reverse, -1))
            zero, one = full_scalar(factors, 0), full(factors.type, 1)
            side = linear_recurrence(select_n(together, zero, previous(factors, 0, reverse, 0)),
                                     select_n(together, one, zero), 0, reverse)
            product = side if product is None else mul(product, side)
        return reshape(take_along(product, argsort(order, 0), 0), updates.type.shape)

    def transpose(self, ct, x, indices, updates):
        if is_linear(x) and not is_linear(updates):
            return bind(self, ct, indices, updates), None, None
        if is_linear(updates) and not is_linear(x) and self.never_twice(indices):
            return None, None, mul(self.read(ct, indices, updates), self.read(x, indices, updates))
        raise Refused("scatter_mul is linear in its operand, or in updates that do not meet (unique_indices=True); "
                      "take its gradient instead of transposing it")

    def host(self, x, indices, updates):
        return host_scatter(self, x, indices, updates, np.multiply) if x.dtype.kind in "iu" else NotImplemented


def scatter_mul(x, indices, updates, dimension_numbers, mode=FILL_OR_DROP, indices_are_sorted=False,
                unique_indices=False):
    return bind(ScatterMul(dimension_numbers, mode, indices_are_sorted, unique_indices), x, indices, updates)
