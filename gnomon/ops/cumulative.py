"""Running sums, products, extremes, and the linear recurrence that their derivatives are made of.

All of them are lowered to one loop over the rows along the axis, which XLA compiles to code as fast as memory allows;
its own form (a window as long as the axis) costs several times as much.
"""
from __future__ import annotations

import numpy as np

from gnomon.ir.op import LINEAR, Op, field, is_linear
from gnomon.ops.arithmetic import NOT_LINEAR, add_any, div, is_number, mul, sub
from gnomon.ops.compare import eq, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import exp
from gnomon.ops.extremes import combine_extreme, extreme_identity
from gnomon.ops.shape import full
from gnomon.ops.slicing import pad_in_dim, resized, same_axis
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_complex, is_float, is_inexact
from gnomon.types.value_type import ArrayType

_INT32, _FLOAT32 = np.dtype("int32"), np.dtype("float32")


class Cumulative(Op, abstract=True):
    """Base of running reductions along `axis`, from its end where `reverse`."""

    axis: int
    reverse: bool = field(False)

    accepts, accepts_text = staticmethod(is_number), "numbers"

    def result(self, x):
        if not self.accepts(x.dtype):
            raise TypeError(f"{self.name} does not accept dtype {x.dtype}. Accepted dtypes are {self.accepts_text}.")
        if not 0 <= self.axis < x.ndim:
            raise ValueError(f"{self.name} needs an axis between 0 and {x.ndim - 1} for a value of type {x}, got {self.axis}.")
        return resized(self, x, x.shape, [i == self.axis for i in range(x.ndim)])

    def batch(self, args, axes, batching):
        (x,), (a,) = args, axes
        return bind(self.replace(axis=self.axis + (a <= self.axis)), x), a

    def lower(self, emit, x):
        t = x.type
        wide = self.accumulator(t.dtype)
        row = row_type(t, self.axis, wide)

        def step(acc, xs):
            acc = self.combine(emit, acc, emit.convert(xs[0], wide))
            return acc, emit.convert(acc, t.dtype)

        return rows(emit, [x], self.axis, self.reverse, emit.constant(self.identity(wide), row), step)

    def accumulator(self, dtype):
        """The dtype that the running value is kept in."""
        return dtype


def row_type(t, axis, dtype=None):
    """The type of one row along an axis, which stays with size 1."""
    return ArrayType((*t.shape[:axis], 1, *t.shape[axis + 1:]), t.dtype if dtype is None else dtype)


def rows(emit, xs, axis, reverse, init, step):
    """Loop over rows along an axis: `step(carry, rows) -> (carry, row of the result)`; the result has the type of xs[0]."""
    t = xs[0].type
    n = t.shape[axis]
    if t.size == 0:
        return xs[0]
    if turn := worth_turning(t, axis):
        order = (axis, *[i for i in range(t.ndim) if i != axis])
        turned = [emit("stablehlo.transpose", [x], f"dims = {list(order)}",
                       ArrayType(tuple([x.type.shape[i] for i in order]), x.type.dtype)) for x in xs]
        start = emit("stablehlo.transpose", [init], f"dims = {list(order)}",
                     ArrayType(tuple([init.type.shape[i] for i in order]), init.type.dtype))
    else:
        turned, start = list(xs), init
    along = 0 if turn else axis
    row_types = [row_type(x.type, along) for x in turned]

    def condition(i, *_):
        return emit.compare("LE", i, emit.scalar(n - 1))

    def body(i, acc, out, *rest):
        scalar = i.type
        at = emit.elementwise("stablehlo.subtract", [emit.scalar(n - 1), i], scalar) if reverse else i
        starts = [at if d == along else emit.scalar(0) for d in range(t.ndim)]
        # the first operand's rows are overwritten by the result's
        read = [emit("stablehlo.dynamic_slice", [x, *starts], f"sizes = {list(r.shape)}", r)
                for x, r in zip((out, *rest), row_types)]
        acc, row = step(acc, read)
        out = emit("stablehlo.dynamic_update_slice", [out, row, *starts], out=out.type)
        return [emit.elementwise("stablehlo.add", [i, emit.scalar(1)], scalar), acc, out, *rest]

    out = emit.while_loop([emit.scalar(0), start, *turned], condition, body)[2]
    if turn:
        back = np.argsort(order).tolist()
        out = emit("stablehlo.transpose", [out], f"dims = {back}", ArrayType(t.shape, t.dtype))
    return out


def worth_turning(t, axis):
    """Whether a column's elements would all fall into a few cache lines: they stand behind each other at a multiple of the
    page size, so transposing first is faster."""
    behind = int(np.prod(t.shape[axis + 1:]))
    return behind == 1 and t.ndim > 1 and t.size > 2 ** 16 and t.shape[axis] * t.dtype.itemsize % 4096 == 0


class Cumsum(Cumulative):
    """Running sums."""

    derivative = LINEAR

    def identity(self, dtype):
        if is_complex(dtype):
            return complex(-0.0, -0.0)
        return -0.0 if is_float(dtype) else 0       # x + -0.0 is x, even for -0.0

    def accumulator(self, dtype):
        return _FLOAT32 if is_float(dtype) and dtype.itemsize < 4 else dtype

    def combine(self, emit, x, y):
        return emit.elementwise("stablehlo.add", [x, y], x.type)

    def transpose(self, ct, x):
        return cumsum(ct, self.axis, not self.reverse),

    def host(self, x):
        return host_scan(np.add, self, x)


class Cumprod(Cumulative):
    """Running products."""

    transpose = NOT_LINEAR

    def identity(self, dtype):
        return 1

    def accumulator(self, dtype):
        return _FLOAT32 if is_float(dtype) and dtype.itemsize < 4 else dtype

    def combine(self, emit, x, y):
        return emit.elementwise("stablehlo.multiply", [x, y], x.type)

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        out = bind(self, x)
        return out, linear_recurrence(x, mul(t, previous(out, self.axis, self.reverse, 1)), self.axis, self.reverse)

    def host(self, x):
        return host_scan(np.multiply, self, x)


class CumulativeExtreme(Cumulative, abstract=True):
    """Base of cummax and cummin: from the first NaN on, NaN. In the derivative, all elements so far that are equal to the
    result share it equally."""

    largest = True
    transpose = NOT_LINEAR

    def identity(self, dtype):
        return extreme_identity(dtype, self.largest)

    def combine(self, emit, x, y):
        return combine_extreme(emit, x, y, self.largest)

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        out = bind(self, x)
        stays = convert_element_type(eq(out, previous(out, self.axis, self.reverse, self.identity(x.type.dtype))), t.type.dtype)
        wins = eq(x, out)
        zero = full_scalar(t, 0)
        total = linear_recurrence(stays, select_n(wins, zero, t), self.axis, self.reverse)
        count = linear_recurrence(stays, select_n(wins, zero, full(t.type, 1)), self.axis, self.reverse)
        return out, div(total, count)

    def host(self, x):
        return host_scan(np.maximum if self.largest else np.minimum, self, x) if x.dtype.kind in "iu" else NotImplemented


class Cummax(CumulativeExtreme):
    """Running maxima."""


class Cummin(CumulativeExtreme):
    """Running minima."""

    largest = False


class Cumlogsumexp(Cumulative):
    """Running log(sum(exp(x)))."""

    accepts, accepts_text = staticmethod(is_float), "floats"
    transpose = NOT_LINEAR

    def identity(self, dtype):
        return -np.inf

    def accumulator(self, dtype):
        return _FLOAT32 if dtype.itemsize < 4 else dtype

    def combine(self, emit, x, y):
        """max + log1p(exp(-|difference|)), and the maximum itself where that is infinite or NaN."""
        t = x.type
        high = emit.elementwise("stablehlo.maximum", [x, y], t)
        low = emit.elementwise("stablehlo.minimum", [x, y], t)
        difference = emit.elementwise("stablehlo.subtract", [low, high], t)
        log = emit.elementwise("stablehlo.log_plus_one", [emit.elementwise("stablehlo.exponential", [difference], t)], t)
        total = emit.elementwise("stablehlo.add", [high, log], t)
        finite = emit("stablehlo.is_finite", [high], out=ArrayType(t.shape, np.dtype(bool)))
        return emit.select(finite, total, high)

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        out = bind(self, x)
        before = previous(out, self.axis, self.reverse, -np.inf)
        carry, share = weight(before, out), weight(x, out)
        return out, linear_recurrence(carry, mul(share, t), self.axis, self.reverse)


def weight(x, total):
    """exp(x - total), and 0 where x is -inf, whatever `total` is."""
    none = eq(x, full_scalar(x, -np.inf))
    zero = full_scalar(x, 0)
    return select_n(none, exp(sub(select_n(none, x, zero), select_n(none, total, zero))), zero)


class LinearRecurrence(Op):
    """h[k] = a[k] h[k-1] + b[k] along `axis`, from h = 0; from the end where `reverse`."""

    axis: int
    reverse: bool = field(False)

    def result(self, a, b):
        if a.shape != b.shape or a.dtype != b.dtype or not is_inexact(a.dtype):
            raise TypeError(f"linear_recurrence needs operands of one shape and one float dtype, got {a} and {b}.")
        return resized(self, b, b.shape, [i == self.axis for i in range(b.ndim)], (a,))

    def lower(self, emit, a, b):
        t = a.type
        row = row_type(t, self.axis)

        def step(h, xs):
            product = emit.elementwise("stablehlo.multiply", [xs[0], h], h.type)
            h = emit.elementwise("stablehlo.add", [product, xs[1]], h.type)
            return h, h

        return rows(emit, [a, b], self.axis, self.reverse, emit.constant(0, row), step)

    def derivative(self, args, tangents):
        (a, b), (ta, tb) = args, tangents
        out = bind(self, a, b)
        if ta is not None:
            term = mul(ta, previous(out, self.axis, self.reverse, 0))
            tb = term if tb is None else add_any(tb, term)
        return out, bind(self, a, tb)

    def transpose(self, ct, a, b):
        if is_linear(a):
            return NOT_LINEAR(ct)
        return None, linear_recurrence(previous(a, self.axis, not self.reverse, 0), ct, self.axis, not self.reverse)

    def batch(self, args, axes, batching):
        (a, b), at = same_axis(args, axes, batching)
        return linear_recurrence(a, b, self.axis + (at <= self.axis), self.reverse), at


def previous(x, axis, reverse, first):
    """What stands before each element in the order of the scan, and `first` before the first."""
    low, high = (-1, 1) if reverse else (1, -1)
    return pad_in_dim(x, full_scalar(x, first), low, high, axis)


def host_scan(ufunc, op, x):
    """NumPy's running reduction; it adds in the same order as the loop."""
    if x.dtype.kind not in "iuf" or x.dtype.itemsize < 4 and x.dtype.kind == "f":
        return NotImplemented
    if op.reverse:
        return np.flip(ufunc.accumulate(np.flip(x, op.axis), op.axis, dtype=x.dtype), op.axis)
    return ufunc.accumulate(x, op.axis, dtype=x.dtype)


# ---- functions on values ------------------------------------------------------------------------------------------

def cumsum(x, axis=0, reverse=False):
    return bind(Cumsum(axis, reverse), x)


def cumprod(x, axis=0, reverse=False):
    return bind(Cumprod(axis, reverse), x)


def cummax(x, axis=0, reverse=False):
    return bind(Cummax(axis, reverse), x)


def cummin(x, axis=0, reverse=False):
    return bind(Cummin(axis, reverse), x)


def cumlogsumexp(x, axis=0, reverse=False):
    return bind(Cumlogsumexp(axis, reverse), x)


def linear_recurrence(a, b, axis=0, reverse=False):
    return bind(LinearRecurrence(axis, reverse), a, b)
