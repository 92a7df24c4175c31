"""Ops that cut arrays, pad them, join them and reverse them."""
from __future__ import annotations

import builtins
import itertools

import numpy as np

from gnomon.base.errors import ShardingTypeError
from gnomon.ir.dims import common_place
from gnomon.ir.op import LINEAR, Op, field, is_linear
from gnomon.ops.compare import select_n
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import (GatherDimensionNumbers, GatherScatterMode, ScatterDimensionNumbers, gather, scatter)
from gnomon.ops.shape import broadcast_in_dim, expand_dims, full, reduce_sum, squeeze, zeros
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_integer, is_key
from gnomon.types.sharding import parts_of
from gnomon.types.value_type import ArrayType, array_type

_BOOL, _INT32 = np.dtype(bool), np.dtype("int32")


def resized(op, x, shape, moved, others=()):
    """The type of a result that has the dimensions of `x` with other sizes. Dimensions that are `moved` (one bool each)
    must be whole, the others keep their sharding; `others` are operands that only share the place."""
    mesh, varying, memory = common_place(op, (x, *others))
    if mesh is None:
        return ArrayType(shape, x.dtype, x.weak_type, None, varying, memory)
    for i, (axes, cut) in enumerate(zip(x.spec, moved)):
        if cut and axes is not None:
            raise ShardingTypeError(f"{op.name} works along dimension {i} of a value of type {x}, which is sharded "
                                    f"over {axes!r}. Reshard the operand first.")
    return array_type(shape, x.dtype, x.weak_type, x.spec, mesh, varying, memory)


def with_sizes(op, x, shape, others=()):
    """The type of a result whose dimensions are those of `x`, sharded as there, with other sizes, which the parts must divide;
    `others` are operands that only share the place."""
    mesh, varying, memory = common_place(op, (x, *others))
    if mesh is None:
        return ArrayType(shape, x.dtype, x.weak_type, None, varying, memory)
    if x.sharding is not None:
        for i, (axes, parts, old, new) in enumerate(zip(x.spec, parts_of(x.sharding, x.ndim), x.shape, shape)):
            if axes is not None and new is not old and new != old and new % parts:
                raise ShardingTypeError(f"{op.user_name} would give dimension {i} of a value of type {x} the size {new}, which does not split "
                                        f"into the {parts} parts that it has over {axes!r}. Reshard the operand first.")
    return array_type(shape, x.dtype, x.weak_type, x.spec, mesh, varying, memory)


def insert(entries, at, value):
    """The tuple with one entry more."""
    return (*entries[:at], value, *entries[at:])


def same_axis(args, axes, batching):
    """Operands of one rank with the new axis at one place in all of them, and that place."""
    to = next(a for a in axes if a is not None)
    return [x if a == to else batching.move(x, a, to) for x, a in zip(args, axes)], to


# ---- fixed places -------------------------------------------------------------------------------------------------

class Slice(Op):
    """The elements from `start_indices` up to but not including `limit_indices`, every `strides`-th."""

    start_indices: tuple
    limit_indices: tuple
    strides: tuple | None = field(None)

    derivative = LINEAR

    def steps(self):
        return self.strides or (1,) * len(self.start_indices)

    def result(self, x):
        if not len(self.start_indices) == len(self.limit_indices) == len(self.steps()) == x.ndim:
            raise TypeError(f"slice needs a start, a limit and a stride per dimension of {x}, got start_indices "
                            f"{self.start_indices}, limit_indices {self.limit_indices} and strides {self.strides}.")
        for i, (n, start, limit, step) in enumerate(zip(x.shape, self.start_indices, self.limit_indices, self.steps())):
            if not (start >= 0 and start <= limit and (limit is n or limit <= n) and step > 0):
                raise TypeError(f"slice from {start} to {limit} with stride {step} does not fit dimension {i} of a "
                                f"value of type {x}: it takes 0 <= start <= limit <= {n} and a stride above 0.")
        shape = tuple([limit - start if step == 1 else -((start - limit) // step)
                       for start, limit, step in zip(self.start_indices, self.limit_indices, self.steps())])
        return with_sizes(self, x, shape)

    def lower(self, emit, x):
        return emit.slice(x, self.start_indices, self.limit_indices, self.steps())

    def transpose(self, ct, x):
        config = []
        for n, m, start, step in zip(x.type.shape, ct.type.shape, self.start_indices, self.steps()):
            covered = start + (m - 1) * step + 1 if step != 1 else start + m
            config.append((start, n - covered, step - 1) if m != 0 else (n, 0, 0))
        return pad(ct, full_scalar(ct, 0), tuple(config)),

    def batch(self, args, axes, batching):
        (x,), (a,) = args, axes
        return strided_slice(x, insert(self.start_indices, a, 0), insert(self.limit_indices, a, x.type.shape[a]),
                             self.strides and insert(self.strides, a, 1)), a

    def host(self, x):
        return x[tuple(map(builtins.slice, self.start_indices, self.limit_indices, self.steps()))]


class Pad(Op):
    """`x` with the scalar `value` around and between its elements. `padding_config` has per dimension how many go
    before, behind and between; where the first two are negative, elements are cut off."""

    padding_config: tuple

    derivative = LINEAR

    def result(self, x, value):
        if value.shape or value.dtype != x.dtype:
            raise TypeError(f"pad takes a scalar padding value of the operand's dtype, got operand {x} and padding "
                            f"value {value}.")
        if len(self.padding_config) != x.ndim:
            raise TypeError(f"pad needs one (low, high, interior) per dimension of {x}, got {self.padding_config}.")
        shape = []
        for n, (low, high, interior) in zip(x.shape, self.padding_config):
            if interior < 0:
                raise ValueError(f"pad takes interior padding of at least 0, got padding_config {self.padding_config}.")
            size = low + high + n + (interior * (n - 1) if interior and n != 0 else 0)
            if size < 0:
                raise ValueError(f"pad would make a dimension of negative size from {x} with padding_config "
                                 f"{self.padding_config}.")
            shape.append(size)
        return with_sizes(self, x, tuple(shape), (value,))

    def lower(self, emit, x, value):
        low, high, interior = map(list, zip(*self.padding_config)) if self.padding_config else ([], [], [])
        return emit("stablehlo.pad", [x, value], f"low = {low}, high = {high}, interior = {interior}")

    def transpose(self, ct, x, value):
        ct_x = ct_value = None
        if is_linear(x):
            ct_x = unpad(ct, x.type.shape, self.padding_config)
        if is_linear(value):
            around = bind(self, full(ArrayType(x.type.shape, _BOOL), False), full(ArrayType((), _BOOL), True))
            ct_value = reduce_sum(select_n(around, full_scalar(ct, 0), ct), tuple(range(ct.type.ndim)))
        return ct_x, ct_value

    def batch(self, args, axes, batching):
        (x, value), (a, b) = args, axes
        if b is None:
            return pad(x, value, insert(self.padding_config, a, (0, 0, 0))), a
        # a padding value per element of the batch: pad with anything, then put the values there
        x = batching.front(x, a)
        wide = Pad(((0, 0, 0), *self.padding_config))
        anything = squeeze(slice_in_dim(value, 0, 1, 0), (0,)) if is_key(x.type.dtype) else full_scalar(x, 0)
        padded = bind(wide, x, anything)
        around = bind(Pad(self.padding_config), full(ArrayType(x.type.shape[1:], _BOOL), False),
                      full(ArrayType((), _BOOL), True))
        shape = padded.type.shape
        around = broadcast_in_dim(around, shape, tuple(range(1, len(shape))))
        return select_n(around, padded, broadcast_in_dim(value, shape, (0,))), 0

    def host(self, x, value):
        dilated = [n if n == 0 else n + (n - 1) * interior for n, (_, _, interior) in zip(x.shape, self.padding_config)]
        out = np.full([low + n + high for n, (low, high, _) in zip(dilated, self.padding_config)], value, x.dtype)
        to, of = [], []
        for n, (low, high, interior) in zip(x.shape, self.padding_config):
            step = interior + 1
            first = max(0, -(low // step)) if low < 0 else 0
            room = max(n + (n - 1) * interior + low + min(high, 0), 0) if n else 0     # where the last one may stand
            start = low + first * step
            count = max(0, min(n - first, -((start - room) // step)))
            of.append(builtins.slice(first, first + count))
            to.append(builtins.slice(start, start + count * step, step) if count else builtins.slice(0, 0))
        out[tuple(to)] = x[tuple(of)]
        return out


def unpad(ct, shape, config):
    """What pad's operand of this shape was given: the padding taken away again, zero for elements that were cut off."""
    ct = pad(ct, full_scalar(ct, 0), tuple([(-low, -high, 0) for low, high, _ in config]))
    return strided_slice(ct, (0,) * len(shape), ct.type.shape, tuple([interior + 1 for *_, interior in config]))


class Concatenate(Op):
    """Operands one behind the other along `dimension`."""

    dimension: int

    derivative = LINEAR

    def result(self, *xs):
        first, d = xs[0], self.dimension
        if not 0 <= d < first.ndim:
            raise ValueError(f"concatenate along dimension {d} is not possible for a value of type {first}, which has "
                             f"{first.ndim} dimensions.")
        shape = first.shape
        for x in xs:
            if x.dtype != first.dtype:
                raise TypeError("concatenate needs operands of one dtype, got "
                                f"{', '.join(t.dtype.name for t in xs)}.")
            if x.shape[:d] != shape[:d] or x.shape[d + 1:] != shape[d + 1:] or x.ndim != first.ndim:
                raise TypeError(f"concatenate along dimension {d} needs operands that agree in the other dimensions, "
                                f"got shapes {', '.join(str(t.shape) for t in xs)}.")
            if x.spec != first.spec:
                raise ShardingTypeError("concatenate needs operands of one sharding, got "
                                        f"{', '.join(map(str, xs))}. Reshard some of them.")
        size = sum([x.shape[d] for x in xs])
        out = with_sizes(self, first, insert(shape[:d] + shape[d + 1:], d, size), xs[1:])
        weak = all(x.weak_type for x in xs)
        return out if out.weak_type == weak else out.update(weak_type=weak)

    def lower(self, emit, *xs):
        return emit("stablehlo.concatenate", xs, f"dim = {self.dimension}") if len(xs) > 1 else xs[0]

    def transpose(self, ct, *xs):
        out, at, d = [], 0, self.dimension
        for x in xs:
            end = at + x.type.shape[d]
            out.append(slice_in_dim(ct, at, end, d) if is_linear(x) else None)
            at = end
        return out

    def batch(self, args, axes, batching):
        args, axis = same_axis(args, axes, batching)
        return concatenate(args, self.dimension + (axis <= self.dimension)), axis

    def host(self, *xs):
        return np.concatenate(xs, self.dimension)


class Split(Op):
    """Cuts along `axis` into pieces of these `sizes`."""

    sizes: tuple
    axis: int

    multiple = True
    derivative = LINEAR

    def result(self, x):
        if any(n < 0 for n in self.sizes) or sum(self.sizes) != x.shape[self.axis]:
            raise ValueError(f"split needs sizes of at least 0 that add up to {x.shape[self.axis]}, the size of "
                             f"dimension {self.axis} of a value of type {x}, got {self.sizes}.")
        return [with_sizes(self, x, x.shape[:self.axis] + (n,) + x.shape[self.axis + 1:]) for n in self.sizes]

    def lower(self, emit, x):
        return [emit.slice_in_dim(x, end - n, end, self.axis) for n, end in zip(self.sizes, itertools.accumulate(self.sizes))]

    def transpose(self, cts, x):
        types = self.infer((x.type,))
        return concatenate([zeros(t) if ct is None else ct for ct, t in zip(cts, types)], self.axis),

    def batch(self, args, axes, batching):
        (x,), (a,) = args, axes
        return split(x, self.sizes, self.axis + (a <= self.axis)), [a] * len(self.sizes)

    def host(self, x):
        return np.split(x, np.cumsum(self.sizes[:-1]).tolist(), self.axis)


class Rev(Op):
    """The elements in reverse order along `dimensions`."""

    dimensions: tuple

    derivative = LINEAR

    def result(self, x):
        return x

    def batch(self, args, axes, batching):
        (x,), (a,) = args, axes
        return rev(x, tuple([d + (a <= d) for d in self.dimensions])), a

    def lower(self, emit, x):
        return emit("stablehlo.reverse", [x], f"dims = {list(self.dimensions)}")

    def transpose(self, ct, x):
        return rev(ct, self.dimensions),

    def host(self, x):
        return np.flip(x, self.dimensions)


# ---- places known only when running -------------------------------------------------------------------------------

def check_starts(op, x, starts):
    if len(starts) != x.ndim:
        raise TypeError(f"{op.name} needs one start index per dimension of {x}, got {len(starts)}.")
    for s in starts:
        if s.shape or not is_integer(s.dtype) or s.dtype != starts[0].dtype:
            raise TypeError(f"{op.name} needs start indices that are integer scalars of one dtype, got "
                            f"{', '.join(map(str, starts))}.")


class DynamicSlice(Op):
    """A block of `slice_sizes` of the first operand, from the place that the other operands give, one scalar per
    dimension; the place is moved so far that the block lies inside."""

    slice_sizes: tuple

    derivative = LINEAR

    def result(self, x, *starts):
        check_starts(self, x, starts)
        fits = [m is n or 0 <= m <= n for m, n in zip(self.slice_sizes, x.shape)]
        if len(self.slice_sizes) != x.ndim or not all(fits):
            raise TypeError(f"dynamic_slice needs slice_sizes between 0 and the operand's sizes, got "
                            f"{self.slice_sizes} for a value of type {x}.")
        return with_sizes(self, x, self.slice_sizes, starts)

    def lower(self, emit, x, *starts):
        return emit("stablehlo.dynamic_slice", [x, *starts], f"sizes = {list(self.slice_sizes)}") if starts else x

    def transpose(self, ct, x, *starts):
        return (dynamic_update_slice(zeros(x.type), ct, starts), *[None] * len(starts))

    def batch(self, args, axes, batching):
        (x, *starts), (a, *start_axes) = args, axes
        if all(s is None for s in start_axes):
            starts.insert(a, full_scalar(starts[0], 0) if starts else full(ArrayType((), _INT32), 0))
            return dynamic_slice(x, starts, insert(self.slice_sizes, a, x.type.shape[a])), a
        rank, indices = len(starts), index_vectors(starts, start_axes, batching)
        window = tuple(range(1, rank + 1))
        if a is None:
            numbers, sizes = GatherDimensionNumbers(window, (), tuple(range(rank))), self.slice_sizes
        else:
            others = tuple([d for d in range(rank + 1) if d != a])
            numbers, sizes = GatherDimensionNumbers(window, (), others, (a,), (0,)), insert(self.slice_sizes, a, 1)
        return gather(x, indices, numbers, sizes, GatherScatterMode.CLIP), 0

    def host(self, x, *starts):
        return x[block(x.shape, self.slice_sizes, starts)]


class DynamicUpdateSlice(Op):
    """The first operand with the second written over a block of it, at the place that the other operands give, one
    scalar per dimension; the place is moved so far that the block lies inside."""

    derivative = LINEAR

    def result(self, x, update, *starts):
        check_starts(self, x, starts)
        if update.dtype != x.dtype:
            raise TypeError(f"dynamic_update_slice needs an update of the operand's dtype, got {x} and {update}.")
        if update.ndim != x.ndim or any(m is not n and m > n for m, n in zip(update.shape, x.shape)):
            raise TypeError(f"dynamic_update_slice needs an update no larger than the operand, got {x} and {update}.")
        out = with_sizes(self, x, x.shape, (update, *starts))
        if x.spec != update.spec:
            raise ShardingTypeError(f"dynamic_update_slice needs operand and update of one sharding, got {x} and "
                                    f"{update}. Reshard one of them.")
        return out

    def lower(self, emit, x, update, *starts):
        return emit("stablehlo.dynamic_update_slice", [x, update, *starts]) if starts else update

    def transpose(self, ct, x, update, *starts):
        ct_x = dynamic_update_slice(ct, zeros(update.type), starts) if is_linear(x) else None
        ct_update = dynamic_slice(ct, starts, update.type.shape) if is_linear(update) else None
        return (ct_x, ct_update, *[None] * len(starts))

    def batch(self, args, axes, batching):
        (x, update, *starts), (a, b, *start_axes) = args, axes
        if all(s is None for s in start_axes):
            (x, update), axis = same_axis((x, update), (a, b), batching)
            starts.insert(axis, full_scalar(starts[0], 0) if starts else full(ArrayType((), _INT32), 0))
            return dynamic_update_slice(x, update, starts), axis
        window = tuple(range(1, len(starts) + 1))
        numbers = ScatterDimensionNumbers(window, (), window, (0,), (0,))
        return scatter(batching.front(x, a), index_vectors(starts, start_axes, batching), batching.front(update, b),
                       numbers, GatherScatterMode.CLIP, indices_are_sorted=True, unique_indices=True), 0

    def host(self, x, update, *starts):
        out = x.copy()
        out[block(x.shape, update.shape, starts)] = update
        return out


def index_vectors(starts, axes, batching):
    """Start indices that differ along the new axis, as one array of index vectors."""
    columns = [expand_dims(batching.front(s, a), (1,)) for s, a in zip(starts, axes)]
    return concatenate(columns, 1)


def block(shape, sizes, starts):
    """The index of a block moved so far that it lies inside."""
    out = []
    for n, m, s in zip(shape, sizes, starts):
        s = min(max(int(s), 0), n - m)
        out.append(builtins.slice(s, s + m))
    return tuple(out)


# ---- functions on values ------------------------------------------------------------------------------------------

def strided_slice(x, start_indices, limit_indices, strides=None):
    """`x[start:limit:stride, ...]` with all bounds given."""
    if strides is not None and all(s == 1 for s in strides):
        strides = None
    if strides is None and limit_indices == x.type.shape and not any(start_indices):
        return x
    return bind(Slice(tuple(start_indices), tuple(limit_indices), strides), x)


def slice_in_dim(x, start, limit, axis, stride=1):
    """`x[start:limit:stride]` along one dimension."""
    shape = x.type.shape
    ndim = len(shape)
    starts = tuple([start if i == axis else 0 for i in range(ndim)])
    limits = tuple([limit if i == axis else n for i, n in enumerate(shape)])
    strides = None if stride == 1 else tuple([stride if i == axis else 1 for i in range(ndim)])
    return strided_slice(x, starts, limits, strides)


def pad(x, value, padding_config):
    return x if all(c == (0, 0, 0) for c in padding_config) else bind(Pad(tuple(padding_config)), x, value)


def pad_in_dim(x, value, low, high, axis, interior=0):
    """`pad` along one dimension."""
    return pad(x, value, tuple([(low, high, interior) if i == axis else (0, 0, 0) for i in range(x.type.ndim)]))


def concatenate(xs, dimension):
    return xs[0] if len(xs) == 1 else bind(Concatenate(dimension), *xs)


def split(x, sizes, axis):
    return bind(Split(tuple(sizes), axis), x)


def rev(x, dimensions):
    return bind(Rev(tuple(dimensions)), x) if dimensions else x


def dynamic_slice(x, starts, slice_sizes):
    return bind(DynamicSlice(tuple(slice_sizes)), x, *starts)


_dynamic_update_slice = DynamicUpdateSlice()


def dynamic_update_slice(x, update, starts):
    return bind(_dynamic_update_slice, x, update, *starts)
