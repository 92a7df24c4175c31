"""Sizes as numbers of the program."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.op import ZERO, Op, field
from gnomon.ops.compare import DISCRETE
from gnomon.ops.convert import convert_element_type
from gnomon.trace.stage import bind
from gnomon.types.size import AS_VALUE, is_static
from gnomon.types.symbolic import read_size
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


def read_dimension(text):
    return int(text) if text.isdigit() else read_size(text, ())


class DimAsValue(Op):
    """A size as a number: an int32 scalar, weak as Python's integers are. The size is symbolic until the program is made for given sizes."""

    dim: object = field(read=read_dimension)

    derivative = ZERO
    transpose = DISCRETE
    batch = Refused("it has no operands that could be mapped")

    def result(self):
        return ArrayType((), INT32, True)

    def lower(self, emit):
        if not is_static(self.dim):
            raise Refused(f"the size {self.dim} is symbolic, and only a program for given sizes can be compiled; use gnomon.export, whose programs "
                          "are made for the sizes of the arguments when they are called")
        return emit.constant(self.dim, emit.out)


def size_as_value(size, t=None):
    """A size as a number, of type `t` where one is given."""
    out = bind(DimAsValue(size))
    return out if t is None else convert_element_type(out, t.dtype, t.weak_type)


AS_VALUE[0] = size_as_value
