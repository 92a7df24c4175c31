"""conv_general_dilated: convolutions with strides, dilations and groups."""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gnomon.base.errors import ShardingTypeError
from gnomon.ir.dims import common_place
from gnomon.ir.op import MULTILINEAR, Op, field, is_linear
from gnomon.ir.show import show_value
from gnomon.ops.convert import convert_element_type
from gnomon.ops.dot import DotAlgorithmPreset, Precision
from gnomon.ops.shape import moveaxis, reshape, zeros
from gnomon.ops.slicing import rev
from gnomon.ops.window import cotangent_padding, dilated, padding_text, window_size
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_bool, is_key
from gnomon.types.value_type import ArrayType, array_type


LEAST_FILTER, MOST_FILTER = 16, 512      # the lengths of a vector for which a matrix of it pays
_BOOL, _INT32, _FLOAT32, _FLOAT64 = map(np.dtype, ("bool", "int32", "float32", "float64"))


class ConvDimensionNumbers(NamedTuple):
    """Which dimension is which: `lhs_spec` and `out_spec` name (batch, feature, spatial...), `rhs_spec` (output
    feature, input feature, spatial...)."""

    lhs_spec: tuple
    rhs_spec: tuple
    out_spec: tuple


class ConvGeneralDilated(Op):
    """Slides rhs (the kernel) over lhs and sums products over the window and the input features. Features of lhs are
    cut into `feature_group_count` groups, or its batch into `batch_group_count`, each with its own output features."""

    window_strides: tuple
    padding: tuple
    lhs_dilation: tuple
    rhs_dilation: tuple
    dimension_numbers: ConvDimensionNumbers
    feature_group_count: int = field(1)
    batch_group_count: int = field(1)
    precision: Precision | DotAlgorithmPreset | tuple | None = field(None)
    preferred_element_type: object = field(None)
    out_sharding: object = field(None)

    derivative = MULTILINEAR

    def result(self, lhs, rhs):
        n = self.dimension_numbers
        check(self, lhs, rhs)
        batch, feature = lhs.shape[n.lhs_spec[0]] // self.batch_group_count, rhs.shape[n.rhs_spec[0]]
        sizes = [batch, feature]
        for i, (a, b) in enumerate(zip(n.lhs_spec[2:], n.rhs_spec[2:])):
            sizes.append(window_size(lhs.shape[a], rhs.shape[b], self.window_strides[i], self.padding[i],
                                     self.lhs_dilation[i], self.rhs_dilation[i]))
        shape = [0] * lhs.ndim
        for d, size in zip(n.out_spec, sizes):
            shape[d] = size
        dtype = lhs.dtype if self.preferred_element_type is None else self.preferred_element_type
        weak = lhs.weak_type and rhs.weak_type
        mesh, varying, memory = common_place(self, (lhs, rhs))
        if mesh is None:
            return ArrayType(tuple(shape), dtype, weak, None, varying, memory)
        return array_type(shape, dtype, weak, self.result_spec(lhs, rhs), mesh, varying, memory)

    def result_spec(self, lhs, rhs):
        """The batch keeps the sharding of lhs, the output features that of rhs; everything else must be whole."""
        n = self.dimension_numbers
        if self.out_sharding is not None:
            return tuple(self.out_sharding.spec)
        spec = [None] * lhs.ndim
        spec[n.out_spec[0]], spec[n.out_spec[1]] = lhs.spec[n.lhs_spec[0]], rhs.spec[n.rhs_spec[0]]
        for t, dims in ((lhs, n.lhs_spec), (rhs, n.rhs_spec)):
            grouped = self.feature_group_count * self.batch_group_count > 1
            for d in dims if grouped else dims[1:]:
                if t.spec[d] is not None:
                    raise ShardingTypeError(f"A convolution needs dimension {d} of {t} whole, which is sharded over "
                                            f"{t.spec[d]!r}. Reshard it, or say the result's sharding with "
                                            "out_sharding.")
        return spec

    def lower(self, emit, lhs, rhs):
        """With features last: elsewhere XLA's CPU brings that about itself, but not inside loops, where it would take
        the slow way."""
        if emit.one_cpu and self.long_filter(lhs.type, rhs.type):
            # zeros beside the filter would make NaN of what is not finite
            total = emit.reduce("stablehlo.add", lhs, 0, range(3), ArrayType((), lhs.type.dtype))
            finite = emit.convert(emit("stablehlo.is_finite", [total], out=ArrayType((), _BOOL)), _INT32)
            return emit.case(finite, [lambda: [self.direct(emit, lhs, rhs)], lambda: [self.in_blocks(emit, lhs, rhs)]], [emit.out])[0]
        return self.direct(emit, lhs, rhs)

    def long_filter(self, lhs, rhs):
        """Whether one vector slides over many numbers, with nothing else about it."""
        n, size = self.dimension_numbers, math.prod(rhs.shape)
        return (lhs.ndim == 3 and size == rhs.shape[n.rhs_spec[2]] and LEAST_FILTER <= size <= MOST_FILTER and lhs.dtype == rhs.dtype
                and lhs.dtype in (_FLOAT32, _FLOAT64) and self.preferred_element_type in (None, lhs.dtype) and lhs.size >= 2 ** 14
                and {*self.window_strides, *self.lhs_dilation, *self.rhs_dilation, lhs.shape[n.lhs_spec[1]], self.batch_group_count} == {1})

    def in_blocks(self, emit, lhs, rhs):
        """A block of results at a time, as the product of what is under the filter meanwhile and a matrix whose columns are the
        filter, each a place further down: a matrix product where the direct way makes one sum after the other."""
        n, out, (dtype, size) = self.dimension_numbers, emit.out, (lhs.type.dtype, rhs.type.size)
        batch, length = (out.shape[n.out_spec[i]] for i in (0, 2))
        block = -(-size // 64) * 64
        count, window = -(-length // block), block + size - 1
        (low, _), = self.padding
        high = count * block + size - 1 - low - lhs.type.shape[n.lhs_spec[2]]
        zero = emit.scalar(0, dtype)

        def padded(x, low, high):
            *lead, n = x.type.shape
            none = [0] * len(lead)
            return emit("stablehlo.pad", [x, zero], f"low = {[*none, low]}, high = {[*none, high]}, interior = {[*none, 0]}",
                        ArrayType((*lead, n + low + high), dtype))

        def shaped(x, *shape):
            return emit("stablehlo.reshape", [x], out=ArrayType(shape, dtype))
        numbers = padded(shaped(permuted(emit, lhs, n.lhs_spec), batch, lhs.type.shape[n.lhs_spec[2]]), low, high)
        # in the rows of a matrix that is a place wider, cut anew to the right width, each filter stands a place further on
        filters = emit.broadcast(padded(shaped(rhs, size), 0, block), (block, block + size), (1,))
        filters = emit.slice(shaped(filters, block * (block + size)), (0,), (block * window,), (1,), ArrayType((block * window,), dtype))
        filters = permuted(emit, shaped(filters, block, window), (1, 0))
        text = (f"dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, window_strides = {emit.ints((block,))}, padding = "
                f"{padding_text(((0, 0),))}, lhs_dilation = {emit.ints((1,))}, rhs_dilation = {emit.ints((1,))}, batch_group_count = "
                f"1 : i64, feature_group_count = 1 : i64, precision_config = {precision_text(emit, self.precision)}")
        got, = emit.generic("stablehlo.convolution", [shaped(numbers, *numbers.type.shape, 1), shaped(filters, window, 1, block)], text,
                            outs=[ArrayType((batch, count, block), dtype)])
        got = emit.slice(shaped(got, batch, count * block), (0, 0), (batch, length), (1, 1), ArrayType((batch, length), dtype))
        return permuted(emit, shaped(got, batch, 1, length), tuple(np.argsort(n.out_spec).tolist()))

    def direct(self, emit, lhs, rhs):
        n, out = self.dimension_numbers, emit.out
        spatial = range(lhs.type.ndim - 2)
        lhs = permuted(emit, lhs, (n.lhs_spec[0], *n.lhs_spec[2:], n.lhs_spec[1]))
        rhs = permuted(emit, rhs, (*n.rhs_spec[2:], n.rhs_spec[1], n.rhs_spec[0]))
        order = (n.out_spec[0], *n.out_spec[2:], n.out_spec[1])
        places = ", ".join(map(str, spatial))
        comma = ", " if places else ""
        image, kernel = f"[b, {places}{comma}f]", f"[{places}{comma}i, o]"
        text = (f"dimension_numbers = #stablehlo.conv<{image}x{kernel}->{image}>, window_strides = "
                f"{emit.ints(self.window_strides)}, padding = {padding_text(self.padding)}, lhs_dilation = "
                f"{emit.ints(self.lhs_dilation)}, rhs_dilation = {emit.ints(self.rhs_dilation)}, batch_group_count = "
                f"{self.batch_group_count} : i64, feature_group_count = {self.feature_group_count} : i64, "
                f"precision_config = {precision_text(emit, self.precision)}")
        got, = emit.generic("stablehlo.convolution", [lhs, rhs], text,
                            outs=[ArrayType(tuple([out.shape[d] for d in order]), out.dtype)])
        back = tuple(np.argsort(order).tolist())
        return permuted(emit, got, back)

    def transpose(self, ct, lhs, rhs):
        if 0 in ct.type.shape:
            return (zeros(lhs.type), None) if is_linear(lhs) else (None, zeros(rhs.type))
        return (self.transpose_lhs(ct, lhs.type, rhs), None) if is_linear(lhs) else (None,
                                                                                     self.transpose_rhs(ct, lhs,
                                                                                                        rhs.type))

    def transpose_lhs(self, ct, t, rhs):
        """Each element of lhs gets the cotangents of the windows it was in: the cotangent, with the reversed kernel."""
        n, groups = self.dimension_numbers, self.feature_group_count * self.batch_group_count
        rhs = rev(rhs, n.rhs_spec[2:])
        if groups > 1:
            rhs = merge_into(split_out(rhs, n.rhs_spec[0], groups), n.rhs_spec[0], n.rhs_spec[1])
        padding = tuple([cotangent_padding(t.shape[a], rhs.type.shape[b], s, p, ct.type.shape[c], ld, rd) for a, b, c,
                         s, p, ld, rd
                         in zip(n.lhs_spec[2:], n.rhs_spec[2:], n.out_spec[2:], self.window_strides, self.padding,
                                self.lhs_dilation, self.rhs_dilation)])
        numbers = ConvDimensionNumbers(n.out_spec, (n.rhs_spec[1], n.rhs_spec[0], *n.rhs_spec[2:]), n.lhs_spec)
        op = ConvGeneralDilated(self.lhs_dilation, padding, self.window_strides, self.rhs_dilation, numbers, groups, 1,
                                swapped(self.precision), t.dtype)
        ct, rhs = same_dtype(ct, rhs)
        out = bind(op, ct, rhs)
        if self.batch_group_count > 1:
            out = merge_into(split_out(out, n.lhs_spec[1], self.batch_group_count), n.lhs_spec[1], n.lhs_spec[0])
        return out

    def transpose_rhs(self, ct, lhs, t):
        """Each element of the kernel gets what it was multiplied with: lhs, with the cotangent as the kernel and batch
        and features exchanged."""
        n = self.dimension_numbers
        padding = []
        for a, b, c, s, (low, _), ld, rd in zip(n.lhs_spec[2:], n.rhs_spec[2:], n.out_spec[2:], self.window_strides,
                                                self.padding, self.lhs_dilation, self.rhs_dilation):
            have, window = dilated(lhs.type.shape[a], ld), dilated(ct.type.shape[c], s)
            padding.append((low, dilated(t.shape[b], rd) + window - 1 - have - low))
        exchange = [(spec[1], spec[0], *spec[2:]) for spec in (n.lhs_spec, n.out_spec, n.rhs_spec)]
        op = ConvGeneralDilated(self.rhs_dilation, tuple(padding), self.lhs_dilation, self.window_strides,
                                ConvDimensionNumbers(*exchange), self.batch_group_count, self.feature_group_count,
                                self.precision, t.dtype)
        lhs, ct = same_dtype(lhs, ct)
        return bind(op, lhs, ct)

    def batch(self, args, axes, batching):
        """The new axis is folded into the batch, into the output features, or, where both operands have it, into
        groups."""
        (lhs, rhs), (a, b) = args, axes
        n, size = self.dimension_numbers, batching.size
        batch, feature, out_feature = n.lhs_spec[0], n.lhs_spec[1], n.rhs_spec[0]
        grouped = self.feature_group_count * self.batch_group_count > 1
        if b is None:
            if self.batch_group_count > 1:
                lhs = join(merge_into(split_out(batching.front(lhs, a), batch + 1, self.batch_group_count), 0,
                                      batch + 1), batch)
            else:
                lhs = merge_into(batching.front(lhs, a), 0, batch)
            return split_out(bind(self, lhs, rhs), n.out_spec[0], size), n.out_spec[0]
        if a is None:
            if grouped:
                groups = self.feature_group_count * self.batch_group_count
                # output features are group by group, so the new axis goes behind the groups
                rhs = join(merge_into(split_out(batching.front(rhs, b), out_feature + 1, groups), 0, out_feature + 1),
                           out_feature)
                at = n.out_spec[1]
                out = split_out(split_out(bind(self, lhs, rhs), at, groups), at + 1, size)
                return join(moveaxis(out, at + 1, 0), at + 1), 0
            rhs = merge_into(batching.front(rhs, b), 0, out_feature)
            return split_out(bind(self, lhs, rhs), n.out_spec[1], size), n.out_spec[1]
        rhs = merge_into(batching.front(rhs, b), 0, out_feature)
        if self.batch_group_count > 1:
            lhs = merge_into(batching.front(lhs, a), 0, batch)
            op = self.replace(batch_group_count=size * self.batch_group_count)
        else:
            lhs = merge_into(batching.front(lhs, a), 0, feature)
            op = self.replace(feature_group_count=size * self.feature_group_count)
        return split_out(bind(op, lhs, rhs), n.out_spec[1], size), n.out_spec[1]

    def show_parameter(self, name, value):
        return repr(value) if name == "dimension_numbers" else show_value(value)


def check(op, lhs, rhs):
    """What makes operands fit, in words."""
    n, rank = op.dimension_numbers, lhs.ndim
    name = "conv_general_dilated"
    if lhs.dtype != rhs.dtype and op.preferred_element_type is None:
        raise TypeError(f"{name} requires arguments to have the same dtypes, got {lhs.dtype}, {rhs.dtype}.")
    for dtype in (lhs.dtype, op.preferred_element_type):
        if dtype is not None and (is_bool(dtype) or is_key(dtype)):
            raise TypeError(f"{name} does not accept dtype {dtype}. Accepted dtypes are numbers.")
    if lhs.ndim != rhs.ndim or rank < 2:
        raise ValueError(f"{name} needs operands of one rank, at least 2, got {lhs} and {rhs}.")
    for spec in n:
        if sorted(spec) != list(range(rank)):
            raise ValueError(f"{name} needs dimension numbers that name each of the {rank} dimensions once, got {n}.")
    for what in ("window_strides", "padding", "lhs_dilation", "rhs_dilation"):
        if len(getattr(op, what)) != rank - 2:
            raise ValueError(f"{name} needs one entry of {what} per spatial dimension of {lhs}, got "
                             f"{getattr(op, what)}.")
    if min((*op.window_strides, *op.lhs_dilation, *op.rhs_dilation), default=1) < 1:
        raise ValueError(f"{name} needs strides and dilations of at least 1, got {op!r}.")
    groups, batches = op.feature_group_count, op.batch_group_count
    if groups < 1 or batches < 1 or groups > 1 and batches > 1:
        raise ValueError(f"{name} needs positive feature_group_count and batch_group_count, at most one of them above "
                         f"1, got {groups} and {batches}.")
    features, per_group, out_features = lhs.shape[n.lhs_spec[1]], rhs.shape[n.rhs_spec[1]], rhs.shape[n.rhs_spec[0]]
    if features != per_group * groups:
        raise ValueError(f"{name} needs as many input features as the kernel has, times feature_group_count: lhs "
                         f"{lhs} has {features} (dimension {n.lhs_spec[1]}), rhs {rhs} has {per_group} (dimension "
                         f"{n.rhs_spec[1]}) times {groups}.")
    if out_features % (groups * batches) or lhs.shape[n.lhs_spec[0]] % batches:
        raise ValueError(f"{name} needs output features (and with batch_group_count the batch) that the group count "
                         f"divides, got lhs {lhs} and rhs {rhs} with {groups * batches} groups.")


def precision_text(emit, precision):
    names = emit.precision(precision).strip("[]").split(", ")
    return "[" + ", ".join([f"#stablehlo<precision {p}>" for p in names]) + "]"


def swapped(precision):
    return precision[::-1] if isinstance(precision, tuple) else precision


def permuted(emit, x, order):
    if order == tuple(range(len(order))):
        return x
    out = ArrayType(tuple([x.type.shape[d] for d in order]), x.type.dtype)
    return emit("stablehlo.transpose", [x], f"dims = {list(order)}", out)


def same_dtype(x, y):
    """A cotangent may be wider than the operand it meets."""
    if x.type.dtype == y.type.dtype:
        return x, y
    wide = np.promote_types(x.type.dtype, y.type.dtype) if "V" not in (x.type.dtype.kind, y.type.dtype.kind) else \
        max(x.type.dtype, y.type.dtype, key=lambda d: d.itemsize)
    return convert_element_type(x, wide), convert_element_type(y, wide)


def split_out(x, axis, groups):
    """Cuts a dimension in two, the groups in front."""
    shape = x.type.shape
    return reshape(x, (*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1:]))


def join(x, axis):
    """Merges a dimension and the one behind it."""
    shape = x.type.shape
    return reshape(x, (*shape[:axis], math.prod(shape[axis:axis + 2]), *shape[axis + 2:]))


def merge_into(x, axis, to):
    """Takes the dimension `axis` out and merges it, as the slower one, into dimension `to` of what is left."""
    return join(moveaxis(x, axis, to), to)
