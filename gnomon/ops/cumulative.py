"""Running sums, products, extremes, and the linear recurrence that their derivatives are made of.

All of them are lowered to one loop over the rows along the axis, which XLA compiles to code as fast as memory allows
(long vectors are cut into pieces first);
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
from gnomon.types.dtype import is_float, is_inexact
from gnomon.types.value_type import ArrayType

_INT32, _FLOAT32 = np.dtype("int32"), np.dtype("float32")


class Cumulative(Op, abstract=True):
    """Base of running reductions along `axis`, from its end where `reverse`."""

    axis: int
    reverse: bool = field(False)

    accepts, accepts_text = staticmethod(is_number), "numbers"
    in_pieces = False       # whether its results may be combined in another order

    def result(self, x):
        if not self.accepts(x.dtype):
            raise TypeError(f"{self.name} does not accept dtype {x.dtype}. Accepted dtypes are {self.accepts_text}.")
        if not 0 <= self.axis < x.ndim:
            raise ValueError(f"{self.name} needs an axis between 0 and {x.ndim - 1} for a value of type {x}, got "
                             f"{self.axis}.")
        return resized(self, x, x.shape, [i == self.axis for i in range(x.ndim)])

    def batch(self, args, axes, batching):
        (x,), (a,) = args, axes
        return bind(self.replace(axis=self.axis + (a <= self.axis)), x), a

    def lower(self, emit, x):
        wide, n = self.accumulator(x.type.dtype), x.type.shape[self.axis]
        if self.in_pieces and emit.one_device and n >= LONG and x.type.size == n and wide == x.type.dtype:
            return self.pieces(emit, x)
        return rows(emit, [x], self.axis, self.reverse, lambda row: emit.convert(row, wide),
                    lambda acc, row: self.combine(emit, acc, emit.convert(row, wide)))

    def pieces(self, emit, x):
        """A long vector as pieces that run side by side, since each step of one waits for the step before; then what
        comes before each piece is combined with it. What is left over comes last."""
        t, n, back = x.type, x.type.shape[self.axis], self.reverse
        width = n // PIECES
        if width * t.dtype.itemsize % 2048 == 0:
            width -= 16         # else what a step takes from each piece would all fall into a few cache lines
        rest = n - PIECES * width
        line, cut, single = ArrayType((n,), t.dtype), ArrayType((PIECES, width), t.dtype), ArrayType((1, 1), t.dtype)
        at, end = (rest, 0) if back else (0, n - rest)      # where the pieces begin, and the rest
        x = emit("stablehlo.reshape", [x], out=line)
        found = emit("stablehlo.reshape", [emit.slice_in_dim(x, at, at + PIECES * width, 0) if rest else x], out=cut)
        nothing = emit.constant(self.identity(t.dtype), ArrayType((PIECES, 1), t.dtype))
        totals, found = self.along(emit, found, 1, nothing)
        total, before = self.along(emit, totals, 0, emit.constant(self.identity(t.dtype), single), shifted=True)
        out = emit("stablehlo.reshape", [self.joined(emit, found, before)], out=ArrayType((n - rest,), t.dtype))
        if rest:
            last = emit("stablehlo.reshape", [emit.slice_in_dim(x, end, end + rest, 0)], out=ArrayType((1, rest), t.dtype))
            _, last = self.along(emit, last, 1, total)
            last = emit("stablehlo.reshape", [last], out=ArrayType((rest,), t.dtype))
            out = emit("stablehlo.concatenate", [last, out] if back else [out, last], "dim = 0", line)
        return emit("stablehlo.reshape", [out], out=ArrayType(t.shape, t.dtype))

    def along(self, emit, x, axis, first, shifted=False):
        """The running value behind a matrix along an axis, and all of them from `first` on, or if `shifted` what comes before each.
        A row is written when it is computed, over what was read: `combine` is one instruction, so XLA has no reason to compute it
        twice, as it may in `rows`."""
        t, index, zero = x.type, ArrayType((), _INT32), emit.scalar(0)
        row, last = row_type(t, axis), emit.scalar(t.shape[axis] - 1)

        def body(k, before, out):
            at = emit.elementwise("stablehlo.subtract", [last, k], index) if self.reverse else k
            starts = [at, zero] if axis == 0 else [zero, at]
            now = self.combine(emit, before, emit("stablehlo.dynamic_slice", [out, *starts], f"sizes = {list(row.shape)}", row))
            out = emit("stablehlo.dynamic_update_slice", [out, before if shifted else now, *starts], out=t)
            return [emit.elementwise("stablehlo.add", [k, emit.scalar(1)], index), now, out]

        return emit.while_loop([zero, first, x], lambda k, *_: emit.compare("LE", k, last), body)[1:]

    def joined(self, emit, found, before):
        """The pieces with what comes before them, in their own memory: where they are large, that of other ones would have to be
        fetched from the system anew in each run."""
        index, zero = ArrayType((), _INT32), emit.scalar(0)

        def body(k, found, before):
            piece, own = [emit("stablehlo.dynamic_slice", [x, k, zero], f"sizes = [1, {size}]", ArrayType((1, size), x.type.dtype))
                          for x, size in ((found, found.type.shape[1]), (before, 1))]
            own = emit.broadcast(emit("stablehlo.reshape", [own], out=ArrayType((1,), own.type.dtype)), piece.type.shape, (0,))
            found = emit("stablehlo.dynamic_update_slice", [found, self.combine(emit, own, piece), k, zero], out=found.type)
            return [emit.elementwise("stablehlo.add", [k, emit.scalar(1)], index), found, before]

        return emit.while_loop([zero, found, before], lambda k, *_: emit.compare("LT", k, emit.scalar(PIECES)), body)[1]

    def accumulator(self, dtype):
        """The dtype that the running value is kept in."""
        return dtype


LONG, PIECES = 2 ** 12, 16      # elements of a long vector, and its pieces


def row_type(t, axis, dtype=None):
    """The type of one row along an axis, which stays with size 1."""
    return ArrayType((*t.shape[:axis], 1, *t.shape[axis + 1:]), t.dtype if dtype is None else dtype)


def rows(emit, xs, axis, reverse, first, step):
    """Loop over rows along an axis. The first row of the result is `first(rows)`, the others are `step(row before,
    rows)`; the result has the type of xs[0], but its rows may be carried along in a wider dtype.

    A row is written in the round after the one that computes it: else XLA may compute it twice, once to write and once
    to carry, and then copies the whole array in each round."""
    t = xs[0].type
    n = t.shape[axis]
    if t.size == 0:
        return xs[0]
    if n <= FEW_ROWS and t.size <= FEW and emit.one_device:
        return rows_in_line(emit, xs, axis, reverse, first, step)
    turn = worth_turning(t, axis)
    if turn:
        order = (axis, *[i for i in range(t.ndim) if i != axis])
        xs = [emit("stablehlo.transpose", [x], f"dims = {list(order)}",
                   ArrayType(tuple([x.type.shape[i] for i in order]), x.type.dtype)) for x in xs]
    along = 0 if turn else axis
    index = ArrayType((), _INT32)

    def starts(k):
        """Start indices of the k-th row in the order of the scan."""
        if reverse:
            k = emit.elementwise("stablehlo.subtract", [emit.scalar(n - 1), k], index)
        return [k if d == along else emit.scalar(0) for d in range(t.ndim)]

    def read(k, arrays):
        at = starts(k)
        types = [row_type(x.type, along) for x in arrays]
        return [emit("stablehlo.dynamic_slice", [x, *at], f"sizes = {list(r.shape)}", r) for x, r in zip(arrays, types)]

    def write(out, row, k):
        return emit("stablehlo.dynamic_update_slice", [out, emit.convert(row, t.dtype), *starts(k)], out=out.type)

    def body(k, row, out, *rest):
        # the first operand's rows are overwritten by the result's
        out = write(out, row, emit.elementwise("stablehlo.subtract", [k, emit.scalar(1)], index))
        row = step(row, *read(k, (out, *rest)))
        return [emit.elementwise("stablehlo.add", [k, emit.scalar(1)], index), row, out, *rest]

    def condition(k, *_):
        return emit.compare("LT", k, emit.scalar(n))

    _, row, out, *_ = emit.while_loop([emit.scalar(1), first(*read(emit.scalar(0), xs)), *xs], condition, body)
    out = write(out, row, emit.scalar(n - 1))
    if turn:
        out = emit("stablehlo.transpose", [out], f"dims = {np.argsort(order).tolist()}", ArrayType(t.shape, t.dtype))
    return out


FEW_ROWS, FEW = 4, 256      # what is written without a loop: rows, elements in all


def rows_in_line(emit, xs, axis, reverse, first, step):
    """The same for a few rows, without a loop: it compiles in less than half the time."""
    t = xs[0].type
    before, found = None, []
    for k in reversed(range(t.shape[axis])) if reverse else range(t.shape[axis]):
        parts = [emit.slice_in_dim(x, k, k + 1, axis) for x in xs]
        before = step(before, *parts) if found else first(*parts)
        found.append(emit.convert(before, t.dtype))
    if reverse:
        found.reverse()
    return emit("stablehlo.concatenate", found, f"dim = {axis}", t) if len(found) > 1 else found[0]


def worth_turning(t, axis):
    """Whether a column's elements would all fall into a few cache lines: they stand behind each other at a multiple of
    the page size, so transposing first is faster."""
    behind = int(np.prod(t.shape[axis + 1:]))
    return behind == 1 and t.ndim > 1 and t.size > 2 ** 16 and t.shape[axis] * t.dtype.itemsize % 4096 == 0


class Cumsum(Cumulative):
    """Running sums."""

    in_pieces = True
    derivative = LINEAR

    def identity(self, dtype):
        return 0

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

    in_pieces = True
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
    """Base of cummax and cummin: from the first NaN on, NaN. In the derivative, all elements so far that are equal to
    the result share it equally."""

    largest = True
    in_pieces = True
    transpose = NOT_LINEAR

    def identity(self, dtype):
        return extreme_identity(dtype, self.largest)

    def combine(self, emit, x, y):
        return combine_extreme(emit, x, y, self.largest)

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        out = bind(self, x)
        before = previous(out, self.axis, self.reverse, extreme_identity(x.type.dtype, self.largest))
        stays = convert_element_type(eq(out, before), t.type.dtype)
        wins = eq(x, out)
        zero = full_scalar(t, 0)
        total = linear_recurrence(stays, select_n(wins, zero, t), self.axis, self.reverse)
        count = linear_recurrence(stays, select_n(wins, zero, full(t.type, 1)), self.axis, self.reverse)
        return out, div(total, count)

    def host(self, x):
        if x.dtype.kind not in "iu":
            return NotImplemented
        return host_scan(np.maximum if self.largest else np.minimum, self, x)


class Cummax(CumulativeExtreme):
    """Running maxima."""


class Cummin(CumulativeExtreme):
    """Running minima."""

    largest = False


class Cumlogsumexp(Cumulative):
    """Running log(sum(exp(x)))."""

    accepts, accepts_text = staticmethod(is_float), "floats"
    transpose = NOT_LINEAR

    def accumulator(self, dtype):
        return _FLOAT32 if dtype.itemsize < 4 else dtype

    def lower(self, emit, x):
        t = x.type
        n = t.shape[self.axis]
        if t.size > FEW or not 1 < n <= FEW_ROWS or not emit.one_device:
            return super().lower(emit, x)
        # a few rows as windows that begin at the first: the logarithm is compiled once, not for each row
        kept, ones = self.accumulator(t.dtype), (1,) * t.ndim
        sizes = tuple([n if i == self.axis else 1 for i in range(t.ndim)])
        padding = tuple([((0, n - 1) if self.reverse else (n - 1, 0)) if i == self.axis else (0, 0) for i in range(t.ndim)])
        scalar = ArrayType((), kept)
        region = emit.block([scalar, scalar], lambda a, b: [self.combine(emit, a, b)])
        found, = emit.generic("stablehlo.reduce_window", [emit.convert(x, kept), emit.constant(-np.inf, scalar)],
                              window_text(emit, sizes, ones, padding, ones, ones), region, [ArrayType(t.shape, kept)])
        return emit.convert(found, t.dtype)

    def combine(self, emit, x, y):
        """max + log1p(exp(-|difference|)), and the maximum itself where that is infinite or NaN."""
        t = x.type
        high = emit.elementwise("stablehlo.maximum", [x, y], t)
        low = emit.elementwise("stablehlo.minimum", [x, y], t)
        difference = emit.elementwise("stablehlo.subtract", [low, high], t)
        ratio = emit.elementwise("stablehlo.exponential", [difference], t)
        log = emit.elementwise("stablehlo.log_plus_one", [ratio], t)
        total = emit.elementwise("stablehlo.add", [high, log], t)
        finite = emit("stablehlo.is_finite", [high], out=ArrayType(t.shape, np.dtype(bool)))
        return emit.select(finite, total, high)

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        out = bind(self, x)
        before = previous(out, self.axis, self.reverse, -np.inf)
        carry, share = weight(before, out), weight(x, out)
        return out, linear_recurrence(carry, mul(share, t), self.axis, self.reverse)


def window_text(emit, sizes, strides, padding, base_dilation, dilation):
    """The attributes that say which windows an operation of StableHLO goes over."""
    return (f"window_dimensions = {emit.ints(sizes)}, window_strides = {emit.ints(strides)}, base_dilations = {emit.ints(base_dilation)}, "
            f"window_dilations = {emit.ints(dilation)}, padding = {padding_text(padding)}")


def padding_text(padding):
    rows = ", ".join([f"[{low}, {high}]" for low, high in padding])
    return f"dense<[{rows}]> : tensor<{len(padding)}x2xi64>" if padding else "dense<> : tensor<0x2xi64>"


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
        def step(h, a, b):
            product = emit.elementwise("stablehlo.multiply", [a, h], h.type)
            return emit.elementwise("stablehlo.add", [product, b], h.type)

        return rows(emit, [a, b], self.axis, self.reverse, lambda a, b: b, step)

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
