"""Lists of a fixed length of what is found in vectors: the places of true elements, the different elements."""
from __future__ import annotations

import math

import numpy as np

from gnomon.ir.op import ZERO, Op
from gnomon.ops.arithmetic import add, mul, sub
from gnomon.ops.compare import DISCRETE, bitwise_and, lt, ne, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.cumulative import cumsum
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import FILL_OR_DROP, Scatter, ScatterDimensionNumbers, take_along
from gnomon.ops.shape import Iota, full, reshape
from gnomon.ops.slicing import concatenate, resized, slice_in_dim
from gnomon.ops.sorting import sort
from gnomon.trace.build import program
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_bool, is_integer
from gnomon.types.value_type import ArrayType

INT32 = np.dtype("int32")


class Listing(Op, abstract=True):
    """Base of lists of `size` entries made of vectors, which are along the last dimension: the lists, and how many entries
    there are to list. `value` says it in other ops."""

    size: int

    multiple = True
    derivative = ZERO
    transpose = DISCRETE

    def result(self, x):
        if not self.accepts(x.dtype) or not x.ndim or x.shape[-1] == 0 or self.size < 1:
            raise TypeError(f"{self.name} makes lists of at least one entry from vectors of at least one of {self.accepts_text}, got "
                            f"{x} and size {self.size}.")
        last = [i == x.ndim - 1 for i in range(x.ndim)]
        lists = resized(self, x, (*x.shape[:-1], self.size), last).update(dtype=self.entries(x.dtype), weak_type=False)
        return [lists, lists.update(shape=x.shape[:-1], dtype=INT32)]

    def lower(self, emit, x):
        if emit.on_host(x.type.size):
            return emit.host_kernel(self.name, [x], emit.outs)
        return emit.eqns(program([ArrayType(x.type.shape, x.type.dtype)], self.value), [x])

    def batch(self, args, axes, batching):
        return bind(self, batching.front(args[0], axes[0])), (0, 0)


class Nonzero(Listing):
    """The places of true elements, then zeros."""

    accepts, accepts_text = staticmethod(is_bool), "booleans"

    def entries(self, dtype):
        return INT32

    def value(self, x):
        """Each place is written where the number of true elements before it says; what has no room is dropped."""
        lead, n = x.type.shape[:-1], x.type.shape[-1]
        rows = math.prod(lead)
        x = reshape(x, (rows, n))
        count = cumsum(convert_element_type(x, INT32), 1)
        rank = sub(count, full_scalar(count, 1))
        start = mul(bind(Iota(INT32, (rows, n), 0)), full_scalar(count, self.size))
        listed = bitwise_and(x, lt(rank, full_scalar(rank, self.size)))
        to = select_n(listed, full_scalar(rank, rows * self.size), add(rank, start))
        found = bind(_write, full(ArrayType((rows * self.size,), INT32), 0), reshape(to, (rows * n, 1)),
                     reshape(bind(Iota(INT32, (rows, n), 1)), (rows * n,)))
        return [reshape(found, (*lead, self.size)), reshape(slice_in_dim(count, n - 1, n, 1), lead)]


_write = Scatter(ScatterDimensionNumbers((), (0,), (0,)), FILL_OR_DROP, False, False)


class Unique(Listing):
    """The different integers in ascending order, then the first of them again."""

    accepts, accepts_text = staticmethod(is_integer), "integers"

    def entries(self, dtype):
        return dtype

    def value(self, x):
        last, n = x.type.ndim - 1, x.type.shape[-1]
        ordered, = sort([x], last)
        new = ne(slice_in_dim(ordered, 1, n, last), slice_in_dim(ordered, 0, n - 1, last))
        first = full(ArrayType((*x.type.shape[:-1], 1), np.dtype(bool)), True)
        places, count = nonzero(concatenate([first, new], last), self.size)
        return [take_along(ordered, places, last, unique=False), count]


# ---- functions on values ------------------------------------------------------------------------------------------

def nonzero(mask, size):
    """The places of the true elements in vectors of booleans, `size` of them, then zeros; and how many are true."""
    return bind(Nonzero(size), mask)


def unique(x, size):
    """The different elements of vectors of integers in ascending order, `size` of them, then the first; and how many there
    are."""
    return bind(Unique(size), x)
