"""The size of a dimension as a number of the program."""
from __future__ import annotations

import numpy as np

from gnomon.ir.op import ZERO, Op
from gnomon.ops.compare import DISCRETE
from gnomon.trace.stage import bind
from gnomon.types.value_type import ArrayType

INT32 = np.dtype("int32")


class DimensionSize(Op):
    """The size of one dimension of a value, an int32 scalar."""

    dimension: int

    derivative = ZERO
    transpose = DISCRETE

    def result(self, x):
        if not 0 <= self.dimension < x.ndim:
            raise ValueError(f"dimension_size: {self.dimension} is not a dimension of a value of type {x}.")
        return ArrayType((), INT32, varying=x.varying)

    def lower(self, emit, x):
        return emit.constant(x.type.shape[self.dimension], emit.out)

    def batch(self, args, axes, batching):
        return bind(DimensionSize(self.dimension + (self.dimension >= axes[0])), *args), None
