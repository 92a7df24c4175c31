"""roll: elements moved along a dimension, round its end."""
from __future__ import annotations

import numpy as np

from gnomon.ir.op import LINEAR, Op
from gnomon.trace.stage import bind
from gnomon.types.value_type import ArrayType

MANY = 2 ** 12      # elements that are moved as two blocks of memory, one written over a copy of the other
MORE = 2 ** 17      # and by NumPy, whose copies are quicker, where it has the dtype


class Roll(Op):
    """The elements moved by `shift` places along `axis`, 0 < shift < size; those that leave at the end come in at the start."""

    shift: int
    axis: int

    derivative = LINEAR

    def result(self, x):
        if not 0 <= self.axis < x.ndim or not 0 < self.shift < x.shape[self.axis]:
            raise ValueError(f"roll needs an axis of {x} and a shift between 0 and its size, got axis {self.axis} and shift {self.shift}.")
        return x

    def lower(self, emit, x):
        """XLA's CPU makes of a concatenation of slices a loop that asks of each element on which side of the seam it is."""
        t, axis, by = x.type, self.axis, self.shift
        n = t.shape[axis]
        if t.dtype.kind in "biuf" and emit.on_host(t.size, MORE):
            return emit.host_kernel("roll", [x], [emit.out], shift=by, axis=axis)[0]
        if not emit.one_cpu or t.size < MANY:
            return emit("stablehlo.concatenate", [emit.slice_in_dim(x, n - by, n, axis), emit.slice_in_dim(x, 0, n - by, axis)], f"dim = {axis}")
        ahead = by <= n // 2        # whether more elements go ahead than come in at the start
        low = by if ahead else by - n
        low, high, none = [[k if d == axis else 0 for d in range(t.ndim)] for k in (low, -low, 0)]
        copy = emit("stablehlo.pad", [x, emit.constant(0, ArrayType((), t.dtype))], f"low = {low}, high = {high}, interior = {none}",
                    ArrayType(t.shape, t.dtype))
        rest = emit.slice_in_dim(x, *((n - by, n) if ahead else (0, n - by)), axis)
        starts = [emit.scalar(0 if ahead or d != axis else by) for d in range(t.ndim)]
        return emit("stablehlo.dynamic_update_slice", [copy, rest, *starts])

    def transpose(self, ct, x):
        return roll(ct, -self.shift, self.axis),

    def batch(self, args, axes, batching):
        (x,), (a,) = args, axes
        return roll(x, self.shift, self.axis + (a <= self.axis)), a

    def host(self, x):
        return np.roll(x, self.shift, self.axis)


def roll(x, shift, axis):
    """The elements moved by any number of places along a dimension that is not empty."""
    shift %= x.type.shape[axis]
    return bind(Roll(shift, axis), x) if shift else x
