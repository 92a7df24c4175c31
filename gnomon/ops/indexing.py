"""gather and the scatters: reading and writing windows of an array at places that another array lists."""
from __future__ import annotations

import enum
from typing import NamedTuple

import numpy as np

from gnomon.base.errors import ShardingTypeError
from gnomon.ir.dims import common_place
from gnomon.ir.op import LINEAR, Op, field, is_linear
from gnomon.ir.show import show_value
from gnomon.ops.arithmetic import NOT_LINEAR, add, div, is_number, neg
from gnomon.ops.compare import eq, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.shape import Iota, broadcast_in_dim, full, reshape, zeros
from gnomon.trace.stage import bind
from gnomon.types.dtype import iinfo, is_bool, is_inexact, is_integer, is_key, is_signed
from gnomon.types.value_type import ArrayType, array_type

_INT32 = np.dtype("int32")


class GatherDimensionNumbers(NamedTuple):
    """How gather pairs dimensions.

    `offset_dims` of the result are window dimensions; `collapsed_slice_dims` of the operand (window size 1) have none;
    `start_index_map` says which operand dimension each component of an index vector (the last dimension of the indices)
    counts along; `operand_batching_dims` and `start_indices_batching_dims` are paired element by element."""

    offset_dims: tuple
    collapsed_slice_dims: tuple
    start_index_map: tuple
    operand_batching_dims: tuple = ()
    start_indices_batching_dims: tuple = ()


class ScatterDimensionNumbers(NamedTuple):
    """How a scatter pairs dimensions: `update_window_dims` of the updates are window dimensions; `inserted_window_dims`
    of the operand (window size 1) have none; `scatter_dims_to_operand_dims` says which operand dimension each component
    of an index vector counts along; `operand_batching_dims` and `scatter_indices_batching_dims` are paired."""

    update_window_dims: tuple
    inserted_window_dims: tuple
    scatter_dims_to_operand_dims: tuple
    operand_batching_dims: tuple = ()
    scatter_indices_batching_dims: tuple = ()


class GatherScatterMode(enum.Enum):
    """What happens at indices out of bounds: CLIP moves the window inside; FILL_OR_DROP reads a fill value, and writes
    nothing; PROMISE_IN_BOUNDS says there are none; ONE_HOT reads zeros."""

    CLIP = 0
    FILL_OR_DROP = 1
    PROMISE_IN_BOUNDS = 2
    ONE_HOT = 3

    @staticmethod
    def from_any(mode):
        """The mode for None, a mode, or one of the words 'clip', 'fill', 'drop', 'promise_in_bounds', 'one_hot'."""
        if isinstance(mode, GatherScatterMode):
            return mode
        if mode is None:
            return GatherScatterMode.FILL_OR_DROP
        found = _MODES.get(mode) if isinstance(mode, str) else None
        if found is None:
            raise ValueError(f"Unknown gather or scatter mode {mode!r}: choose one of {', '.join(map(repr, _MODES))}.")
        return found

    def __repr__(self):
        return f"GatherScatterMode.{self.name}"

    __str__ = __repr__


CLIP, FILL_OR_DROP, PROMISE_IN_BOUNDS, ONE_HOT = GatherScatterMode
_MODES = {"clip": CLIP, "fill": FILL_OR_DROP, "drop": FILL_OR_DROP, "promise_in_bounds": PROMISE_IN_BOUNDS,
          "one_hot": ONE_HOT}


def show_parameter(op, name, value):
    """Dimension numbers and modes are printed in full."""
    return repr(value) if name in ("dimension_numbers", "mode") else show_value(value)


def fill_of(op, dtype):
    """What is read out of bounds where nothing was said: NaN, the smallest signed or largest unsigned integer, True."""
    if op.mode is ONE_HOT:
        return 0
    if op.fill_value is not None:
        return op.fill_value
    if is_inexact(dtype):
        return float("nan")
    if is_bool(dtype):
        return True
    if is_key(dtype):
        return None
    return iinfo(dtype).min if is_signed(dtype) else iinfo(dtype).max


def shift(dims, at):
    """Dimension numbers after a dimension was inserted at `at`."""
    return tuple([d + (d >= at) for d in dims])


def need(condition, op, text):
    if not condition:
        raise TypeError(f"{op.name} {text}")


def ascending(dims):
    return all(a < b for a, b in zip(dims, dims[1:]))


def same_dtype_indices(emit, indices, bound):
    """Indices in a dtype in which the bounds they are compared with fit."""
    dtype = indices.type.dtype
    if dtype.itemsize >= 4 and is_signed(dtype):
        return indices
    if dtype.itemsize >= 4:         # unsigned: what does not fit in a signed dtype is out of bounds anyway
        limit = emit.constant_like(indices, min(bound + 1, iinfo(_INT32).max))
        indices = emit.elementwise("stablehlo.minimum", [indices, limit], indices.type)
    return emit.convert(indices, _INT32)


class Gather(Op):
    """Windows of `slice_sizes` of the operand, from the places that index vectors (the last dimension of the second
    operand) list."""

    dimension_numbers: GatherDimensionNumbers
    slice_sizes: tuple
    mode: GatherScatterMode = field(PROMISE_IN_BOUNDS)
    fill_value: object = field(None)
    indices_are_sorted: bool = field(False)
    unique_indices: bool = field(False)

    show_parameter = show_parameter

    def result(self, x, indices):
        n = self.dimension_numbers
        check_gather(self, x, indices)
        gone = set(n.collapsed_slice_dims) | set(n.operand_batching_dims)
        window = [d for d in range(x.ndim) if d not in gone]
        rank = len(window) + indices.ndim - 1
        of_window, of_batch = iter(window), iter(range(indices.ndim - 1))
        pairs = dict(zip(n.start_indices_batching_dims, n.operand_batching_dims))
        shape, spec = [], []
        for i in range(rank):
            if i in n.offset_dims:
                d = next(of_window)
                shape.append(self.slice_sizes[d])
                spec.append(x.spec[d])
            else:
                d = next(of_batch)
                shape.append(indices.shape[d])
                axes = indices.spec[d]
                if d in pairs and x.spec[pairs[d]] is not None:
                    axes = x.spec[pairs[d]]
                spec.append(axes)
        mesh, varying, memory = common_place(self, (x, indices))
        if mesh is None:
            return ArrayType(tuple(shape), x.dtype, x.weak_type, None, varying, memory)
        check_whole(self, x, indices, [self.slice_sizes[d] != x.shape[d] for d in range(x.ndim)], pairs)
        return array_type(shape, x.dtype, x.weak_type, spec, mesh, varying, memory)

    def derivative(self, args, tangents):
        x, indices = args
        op = self.replace(fill_value=0) if self.mode is FILL_OR_DROP else self
        return bind(self, x, indices), bind(op, tangents[0], indices)

    def transpose(self, ct, x, indices):
        n = self.dimension_numbers
        numbers = ScatterDimensionNumbers(n.offset_dims, n.collapsed_slice_dims, n.start_index_map,
                                          n.operand_batching_dims, n.start_indices_batching_dims)
        mode = FILL_OR_DROP if self.mode is ONE_HOT else self.mode
        return scatter_add(zeros(x.type), indices, ct, numbers, mode, self.indices_are_sorted,
                           self.unique_indices), None

    def batch(self, args, axes, batching):
        (x, indices), (a, b) = args, axes
        n = self.dimension_numbers
        if b is None:
            # one window dimension more; window dimensions stand in the result in the operand's order
            k = len([d for d in self.window_dims(x.type.ndim - 1) if d < a])
            offsets = n.offset_dims
            place = offsets[k] if k < len(offsets) else offsets[-1] + 1 if offsets else 0
            numbers = GatherDimensionNumbers((*offsets[:k], place, *shift(offsets[k:], 0)),
                                             shift(n.collapsed_slice_dims, a),
                                             shift(n.start_index_map, a), shift(n.operand_batching_dims, a),
                                             n.start_indices_batching_dims)
            sizes = (*self.slice_sizes[:a], batching.size, *self.slice_sizes[a:])
            return bind(self.replace(dimension_numbers=numbers, slice_sizes=sizes), x, indices), place
        indices = batching.front(indices, b)
        offsets, pairs = shift(n.offset_dims, 0), shift(n.start_indices_batching_dims, 0)
        if a is None:
            numbers = n._replace(offset_dims=offsets, start_indices_batching_dims=pairs)
            op = self.replace(dimension_numbers=numbers, indices_are_sorted=False, unique_indices=False)
            return bind(op, x, indices), 0
        numbers = GatherDimensionNumbers(offsets, shift(n.collapsed_slice_dims, a), shift(n.start_index_map, a),
                                         *paired(shift(n.operand_batching_dims, a), pairs, a, 0))
        sizes = (*self.slice_sizes[:a], 1, *self.slice_sizes[a:])
        op = self.replace(dimension_numbers=numbers, slice_sizes=sizes, indices_are_sorted=False)
        return bind(op, x, indices), 0

    def window_dims(self, rank):
        n = self.dimension_numbers
        return [d for d in range(rank) if d not in n.collapsed_slice_dims and d not in n.operand_batching_dims]

    def lower(self, emit, x, indices):
        n = self.dimension_numbers
        out = emit.out
        bounds = [x.type.shape[d] - self.slice_sizes[d] for d in n.start_index_map]
        indices = same_dtype_indices(emit, indices, max(bounds, default=0))
        got = write_gather(emit, x, indices, n, self.slice_sizes, out, self.indices_are_sorted)
        if self.mode not in (FILL_OR_DROP, ONE_HOT) or not bounds:
            return got
        inside = in_bounds(emit, indices, bounds)
        batch_dims = tuple([i for i in range(out.ndim) if i not in n.offset_dims])
        inside = emit.broadcast(inside, out.shape, batch_dims)
        return emit.select(inside, got, emit.constant(fill_of(self, out.dtype), out))

    def host(self, x, indices):
        n, t = self.dimension_numbers, indices
        if t.shape[-1] == 0 or x.size == 0:
            return NotImplemented
        batch_shape, rank = t.shape[:-1], t.ndim - 1
        window = self.window_dims(x.ndim)
        ones = (1,) * len(window)
        index, inside = [None] * x.ndim, None
        for k, d in enumerate(n.start_index_map):
            bound = x.shape[d] - self.slice_sizes[d]
            start = t[..., k]
            if self.mode in (FILL_OR_DROP, ONE_HOT):
                ok = (start >= 0) & (start <= bound)
                inside = ok if inside is None else inside & ok
            index[d] = np.clip(start.astype(np.int64), 0, bound).reshape((*batch_shape, *ones))
        for d, i in zip(n.operand_batching_dims, n.start_indices_batching_dims):
            shape = [1] * (rank + len(window))
            shape[i] = -1
            index[d] = np.arange(x.shape[d]).reshape(shape)
        for w, d in enumerate(window):
            along = np.arange(self.slice_sizes[d]).reshape((-1,) + (1,) * (len(window) - 1 - w))
            index[d] = along if index[d] is None else index[d] + along
        for d in n.collapsed_slice_dims:
            if index[d] is None:
                index[d] = 0
        out = x[tuple(index)]
        full_shape = batch_shape + tuple([self.slice_sizes[d] for d in window])
        out = np.broadcast_to(out, full_shape)
        if inside is not None and not inside.all():
            fill = np.asarray(fill_of(self, x.dtype)).astype(x.dtype)
            out = np.where(inside.reshape((*batch_shape, *ones)), out, fill)
        order = [0] * len(full_shape)
        of_window, of_batch = iter(range(rank, len(full_shape))), iter(range(rank))
        for i in range(len(full_shape)):
            order[i] = next(of_window) if i in n.offset_dims else next(of_batch)
        return out.transpose(order)


def attributes(**values):
    """Attributes in StableHLO's text: tuples of dimensions, flags and numbers."""
    return ", ".join([f"{name} = {list(v) if isinstance(v, tuple) else str(v).lower()}" for name, v in values.items()])


def write_gather(emit, x, indices, n, slice_sizes, out, indices_are_sorted=False):
    """StableHLO's gather, which moves windows inside."""
    numbers = attributes(offset_dims=n.offset_dims, collapsed_slice_dims=n.collapsed_slice_dims,
                         operand_batching_dims=n.operand_batching_dims,
                         start_indices_batching_dims=n.start_indices_batching_dims, start_index_map=n.start_index_map,
                         index_vector_dim=indices.type.ndim - 1)
    text = (f"dimension_numbers = #stablehlo.gather<{numbers}>, slice_sizes = {emit.ints(slice_sizes)}, "
            + attributes(indices_are_sorted=indices_are_sorted))
    return emit.generic("stablehlo.gather", [x, indices], text, outs=[out])[0]


def along_numbers(rank, axis):
    """Dimension numbers that read one element per index along one dimension, the others in step."""
    others = tuple([d for d in range(rank) if d != axis])
    return GatherDimensionNumbers((), (axis,), (axis,), others, others)


def gather_rows(emit, x, places, axis):
    """In StableHLO, the elements of `x` at `places`, which are in bounds, along one dimension."""
    t, rank = places.type, x.type.ndim
    vectors = emit("stablehlo.reshape", [places], out=ArrayType((*t.shape, 1), t.dtype))
    return write_gather(emit, x, vectors, along_numbers(rank, axis), (1,) * rank, ArrayType(t.shape, x.type.dtype))


def paired(operand_dims, index_dims, a, b):
    """Paired batching dimensions with (a, b) added, in ascending order of the operand's."""
    both = sorted([*zip(operand_dims, index_dims), (a, b)])
    return tuple([p for p, _ in both]), tuple([q for _, q in both])


def in_bounds(emit, indices, bounds):
    """Per index vector, whether its window lies inside the operand."""
    t = indices.type
    zero = emit.constant_like(indices, 0)
    limit = emit.array_constant(np.asarray(bounds, t.dtype))
    limit = emit.broadcast(limit, t.shape, (t.ndim - 1,))
    ok = emit.elementwise("stablehlo.and", [emit.compare("GE", indices, zero), emit.compare("LE", indices, limit)],
                          ArrayType(t.shape, np.dtype(bool)))
    return emit.reduce("stablehlo.and", ok, True, [t.ndim - 1], ArrayType(t.shape[:-1], np.dtype(bool)))


def check_gather(op, x, indices):
    """The rules that StableHLO has for gather, in words."""
    n, sizes = op.dimension_numbers, op.slice_sizes
    need(is_integer(indices.dtype), op, f"needs integer indices, got {indices}.")
    need(indices.ndim >= 1, op, "needs indices with a last dimension that holds index vectors, got a scalar.")
    need(len(n.start_index_map) == indices.shape[-1], op,
         f"needs index vectors of {len(n.start_index_map)} components (the length of start_index_map), got indices of "
         f"type {indices}.")
    need(len(sizes) == x.ndim, op, f"needs one slice size per dimension of {x}, got {sizes}.")
    for d, (size, m) in enumerate(zip(x.shape, sizes)):
        need(m is size or 0 <= m <= size, op,
             f"needs slice sizes between 0 and the operand's sizes, got {sizes} for {x}.")
        if d in n.collapsed_slice_dims or d in n.operand_batching_dims:
            need(m <= 1, op, f"needs a slice size of 1 in collapsed and batching dimensions, got {sizes} with {n}.")
    for dims, what in ((n.offset_dims, "offset_dims"), (n.collapsed_slice_dims, "collapsed_slice_dims"),
                       (n.operand_batching_dims, "operand_batching_dims")):
        need(ascending(dims), op, f"needs ascending {what}, got {dims}.")
    need(len(n.offset_dims) + len(n.collapsed_slice_dims) + len(n.operand_batching_dims) == x.ndim, op,
         f"needs every operand dimension to be an offset, collapsed or batching dimension; {x} has {x.ndim}, got {n}.")
    for d, i in zip(n.operand_batching_dims, n.start_indices_batching_dims, strict=True):
        need(x.shape[d] == indices.shape[i], op, f"needs paired batching dimensions of one size, got {x} and {indices} "
             f"with {n}.")


def check_whole(op, x, indices, moved, pairs):
    """Operand dimensions that are indexed must be whole, paired ones must agree."""
    paired_dims = set(pairs.values())
    for d, axes in enumerate(x.spec):
        if axes is not None and moved[d] and d not in paired_dims:
            raise ShardingTypeError(f"{op.name} indexes dimension {d} of a value of type {x}, which is sharded over "
                                    f"{axes!r}. Reshard the operand first.")
    for i, d in pairs.items():
        if None not in (x.spec[d], indices.spec[i]) and x.spec[d] != indices.spec[i]:
            raise ShardingTypeError(f"{op.name} got paired dimensions with different shardings: {x} and {indices}.")
    if indices.spec[-1] is not None:
        raise ShardingTypeError(f"{op.name} needs whole index vectors, got indices of type {indices}.")


# ---- scatters -----------------------------------------------------------------------------------------------------

class ScatterBase(Op, abstract=True):
    """Base of the scatters. Operands: the array, index vectors, updates; subclasses say how an update and what stands
    there become one (`hlo`), and their derivative."""

    dimension_numbers: ScatterDimensionNumbers
    mode: GatherScatterMode = field(FILL_OR_DROP)
    indices_are_sorted: bool = field(False)
    unique_indices: bool = field(False)

    show_parameter = show_parameter
    hlo = None              # the StableHLO op that combines, None where the update replaces
    numbers_only = True

    def result(self, x, indices, updates):
        n = self.dimension_numbers
        check_scatter(self, x, indices, updates)
        mesh, varying, memory = common_place(self, (x, indices, updates))
        if mesh is None:
            return ArrayType(x.shape, x.dtype, x.weak_type and updates.weak_type, None, varying, memory)
        pairs = dict(zip(n.scatter_indices_batching_dims, n.operand_batching_dims))
        sizes = self.window_sizes(x, updates)
        check_whole(self, x, indices, [m != size for m, size in zip(sizes, x.shape)], pairs)
        return array_type(x.shape, x.dtype, x.weak_type and updates.weak_type, x.spec, mesh, varying, memory)

    def window_sizes(self, x, updates):
        """Per operand dimension, the size of the window written at each place."""
        n = self.dimension_numbers
        gone = set(n.inserted_window_dims) | set(n.operand_batching_dims)
        of_window = iter(n.update_window_dims)
        return tuple([1 if d in gone else updates.shape[next(of_window)] for d in range(x.ndim)])

    def places(self, indices):
        """How many windows are written, not counting paired dimensions."""
        count = 1
        for i, size in enumerate(indices.shape[:-1]):
            if i not in self.dimension_numbers.scatter_indices_batching_dims:
                count = count * size
        return count

    def never_twice(self, indices):
        """Whether no element is written more than once."""
        return self.unique_indices or self.places(indices.type) == 1

    def gather_op(self, x, updates, fill_value=0):
        """The gather that reads what this scatter writes."""
        n = self.dimension_numbers
        numbers = GatherDimensionNumbers(n.update_window_dims, n.inserted_window_dims, n.scatter_dims_to_operand_dims,
                                         n.operand_batching_dims, n.scatter_indices_batching_dims)
        return Gather(numbers, self.window_sizes(x.type, updates.type), self.mode, fill_value, self.indices_are_sorted,
                      self.unique_indices)

    def read(self, x, indices, updates):
        """The elements of `x` at the places written, shaped like the updates (zero where dropped)."""
        return bind(self.gather_op(x, updates), x, indices)

    def put(self, cls, x, indices, updates):
        """Another kind of scatter to the same places."""
        return bind(cls(self.dimension_numbers, self.mode, self.indices_are_sorted, self.unique_indices), x, indices,
                    updates)

    def batch(self, args, axes, batching):
        (x, indices, updates), (a, b, c) = args, axes
        n = self.dimension_numbers
        x, updates = batching.front(x, a), batching.front(updates, c)
        window, inserted = shift(n.update_window_dims, 0), shift(n.inserted_window_dims, 0)
        to, operand_pairs = shift(n.scatter_dims_to_operand_dims, 0), shift(n.operand_batching_dims, 0)
        if b is None:
            numbers = ScatterDimensionNumbers((0, *window), inserted, to, operand_pairs,
                                              n.scatter_indices_batching_dims)
            return bind(self.replace(dimension_numbers=numbers), x, indices, updates), 0
        numbers = ScatterDimensionNumbers(window, inserted, to, (0, *operand_pairs),
                                          (0, *shift(n.scatter_indices_batching_dims, 0)))
        op = self.replace(dimension_numbers=numbers, indices_are_sorted=False)
        return bind(op, x, batching.front(indices, b), updates), 0

    def lower(self, emit, x, indices, updates):
        n, t = self.dimension_numbers, indices.type
        sizes = self.window_sizes(x.type, updates.type)
        bounds = [x.type.shape[d] - sizes[d] for d in n.scatter_dims_to_operand_dims]
        indices = same_dtype_indices(emit, indices, max(bounds, default=0))
        if self.mode is CLIP and bounds:
            low = emit.constant_like(indices, 0)
            high = emit.broadcast(emit.array_constant(np.asarray(bounds, indices.type.dtype)), t.shape, (t.ndim - 1,))
            indices = emit("stablehlo.clamp", [low, indices, high], out=indices.type)
        numbers = attributes(update_window_dims=n.update_window_dims, inserted_window_dims=n.inserted_window_dims,
                             input_batching_dims=n.operand_batching_dims,
                             scatter_indices_batching_dims=n.scatter_indices_batching_dims,
                             scatter_dims_to_operand_dims=n.scatter_dims_to_operand_dims, index_vector_dim=t.ndim - 1)
        flags = attributes(indices_are_sorted=self.indices_are_sorted, unique_indices=self.unique_indices)
        text = f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>, {flags}"
        scalar = ArrayType((), emit.out.dtype)
        region = emit.block([scalar, scalar], lambda old, new: [self.combine(emit, old, new, scalar)])
        return emit.generic("stablehlo.scatter", [x, indices, updates], text, region, [emit.out])[0]

    def combine(self, emit, old, new, scalar):
        return new if self.hlo is None else emit.elementwise(self.hlo, [old, new], scalar)


def check_scatter(op, x, indices, updates):
    """The rules that StableHLO has for scatters, in words."""
    n = op.dimension_numbers
    need(is_integer(indices.dtype), op, f"needs integer indices, got {indices}.")
    need(x.dtype == updates.dtype, op, f"needs updates of the operand's dtype, got {x} and {updates}.")
    if op.numbers_only:
        need(is_number(x.dtype), op, f"does not accept dtype {x.dtype}. Accepted dtypes are numbers.")
    need(indices.ndim >= 1, op, "needs indices with a last dimension that holds index vectors, got a scalar.")
    need(len(n.scatter_dims_to_operand_dims) == indices.shape[-1], op, "needs index vectors of "
         f"{len(n.scatter_dims_to_operand_dims)} components (the length of scatter_dims_to_operand_dims), got "
         f"{indices}.")
    for dims, what in ((n.update_window_dims, "update_window_dims"), (n.inserted_window_dims, "inserted_window_dims"),
                       (n.operand_batching_dims, "operand_batching_dims")):
        need(ascending(dims), op, f"needs ascending {what}, got {dims}.")
    need(len(n.update_window_dims) + len(n.inserted_window_dims) + len(n.operand_batching_dims) == x.ndim, op,
         f"needs every operand dimension to be a window, inserted or batching dimension; {x} has {x.ndim}, got {n}.")
    need(updates.ndim == indices.ndim - 1 + len(n.update_window_dims), op,
         f"needs updates with the dimensions of the indices but the last, and the window's, got updates {updates} for "
         f"indices {indices} with {n}.")
    for m, size in zip(op.window_sizes(x, updates), x.shape):
        need(m is size or m <= size, op,
             f"needs windows no larger than the operand, got updates {updates} for {x} with {n}.")
    of_batch = iter(range(indices.ndim - 1))
    for i, size in enumerate(updates.shape):
        if i not in n.update_window_dims:
            d = next(of_batch)
            need(size == indices.shape[d], op, f"needs updates that agree with the indices in size, got {updates} and "
                 f"{indices} with {n}.")
    need(len(n.operand_batching_dims) == len(n.scatter_indices_batching_dims), op,
         f"needs operand_batching_dims and scatter_indices_batching_dims in pairs, got {n}.")
    for d, i in zip(n.operand_batching_dims, n.scatter_indices_batching_dims):
        need(x.shape[d] == indices.shape[i], op,
             f"needs paired batching dimensions of one size, got {x} and {indices} with {n}.")


class Scatter(ScatterBase):
    """The operand with updates written over windows of it; where windows overlap, one of them stands."""

    numbers_only = False

    def derivative(self, args, tangents):
        x, indices, updates = args
        tx, _, tu = tangents
        out = bind(self, x, indices, updates)
        if self.never_twice(indices):
            tx = zeros(x.type) if tx is None else tx
            return out, bind(self, tx, indices, zeros(updates.type) if tu is None else tu)
        # Several updates may meet at one element: number them, and see whose number stands there.
        n, shape = self.dimension_numbers, updates.type.shape
        place_dims = tuple([i for i in range(len(shape)) if i not in n.update_window_dims])
        places = tuple([shape[i] for i in place_dims])
        count = add(reshape(bind(Iota(_INT32, (int(np.prod(places)),), 0)), places), full(ArrayType((), _INT32), 1))
        numbers = broadcast_in_dim(count, shape, place_dims)
        standing = bind(self, full(ArrayType(x.type.shape, _INT32), 0), indices, numbers)
        left = None
        if tx is not None:
            left = select_n(eq(standing, full_scalar(standing, 0)), full_scalar(tx, 0), tx)
        if tu is None:
            return out, left
        wins = eq(self.read(standing, indices, updates), numbers)
        tu = select_n(wins, full_scalar(tu, 0), tu)
        return out, self.put(ScatterAdd, zeros(x.type) if left is None else left, indices, tu)

    def transpose(self, ct, x, indices, updates):
        ct_x = bind(self, ct, indices, zeros(updates.type)) if is_linear(x) else None
        ct_u = self.read(ct, indices, updates) if is_linear(updates) else None
        return ct_x, None, ct_u

    def host(self, x, indices, updates):
        return host_scatter(self, x, indices, updates, None)


class ScatterAdd(ScatterBase):
    """The operand with updates added to windows of it."""

    name = "scatter-add"
    hlo = "stablehlo.add"
    derivative = LINEAR

    def transpose(self, ct, x, indices, updates):
        ct_u = self.read(ct, indices, updates) if is_linear(updates) else None
        return (ct if is_linear(x) else None), None, ct_u

    def host(self, x, indices, updates):
        return host_scatter(self, x, indices, updates, np.add) if x.dtype.kind in "iu" else NotImplemented


class ScatterSub(ScatterBase):
    """The operand with updates subtracted from windows of it."""

    name = "scatter-sub"
    hlo = "stablehlo.subtract"
    derivative = LINEAR

    def transpose(self, ct, x, indices, updates):
        ct_u = neg(self.read(ct, indices, updates)) if is_linear(updates) else None
        return (ct if is_linear(x) else None), None, ct_u


class ScatterExtremal(ScatterBase, abstract=True):
    """Base of scatter-min and scatter-max. In the derivative, all that are equal to the result share it equally."""

    transpose = NOT_LINEAR
    numbers_only = False

    def derivative(self, args, tangents):
        x, indices, updates = args
        tx, _, tu = tangents
        out = bind(self, x, indices, updates)
        x_wins, u_wins = eq(out, x), eq(self.read(out, indices, updates), updates)
        one = full(ArrayType((), _INT32), 1)
        count = self.put(ScatterAdd, convert_element_type(x_wins, _INT32), indices,
                         convert_element_type(u_wins, _INT32))
        count = convert_element_type(select_n(eq(count, full_scalar(count, 0)), count, one), out.type.dtype)
        total = zeros(x.type) if tx is None else select_n(x_wins, full_scalar(tx, 0), tx)
        if tu is not None:
            total = self.put(ScatterAdd, total, indices, select_n(u_wins, full_scalar(tu, 0), tu))
        return out, div(total, count)


class ScatterMin(ScatterExtremal):
    """The operand with the minimum of itself and the updates in windows of it."""

    name = "scatter-min"
    hlo = "stablehlo.minimum"


class ScatterMax(ScatterExtremal):
    """The operand with the maximum of itself and the updates in windows of it."""

    name = "scatter-max"
    hlo = "stablehlo.maximum"


def host_scatter(op, x, indices, updates, ufunc):
    """NumPy's form of a scatter of single elements along one dimension or of whole rows, else NotImplemented."""
    n = op.dimension_numbers
    to = n.scatter_dims_to_operand_dims
    rank = indices.ndim - 1
    if n.operand_batching_dims or n.inserted_window_dims != tuple(sorted(to)) or not to:
        return NotImplemented
    if n.update_window_dims != tuple(range(rank, rank + x.ndim - len(to))):
        return NotImplemented
    if op.window_sizes(x, updates) != tuple([1 if d in to else size for d, size in enumerate(x.shape)]):
        return NotImplemented
    if to != tuple(range(len(to))):
        return NotImplemented
    bounds = np.asarray(x.shape[:len(to)], np.int64)
    indices = indices.astype(np.int64).reshape(-1, len(to))
    updates = updates.reshape(len(indices), *x.shape[len(to):])
    if op.mode is CLIP:
        indices = np.clip(indices, 0, bounds - 1)
    else:
        inside = ((indices >= 0) & (indices < bounds)).all(1)
        indices, updates = indices[inside], updates[inside]
    out = x.copy()
    where = tuple(indices.T)
    if ufunc is None:
        out[where] = updates
    else:
        ufunc.at(out, where, updates)
    return out


# ---- functions on values ------------------------------------------------------------------------------------------

def gather(x, indices, dimension_numbers, slice_sizes, mode=PROMISE_IN_BOUNDS, fill_value=None,
           indices_are_sorted=False, unique_indices=False):
    return bind(Gather(dimension_numbers, tuple(slice_sizes), mode, fill_value, indices_are_sorted, unique_indices), x,
                indices)


def scatter(x, indices, updates, dimension_numbers, mode=FILL_OR_DROP, indices_are_sorted=False, unique_indices=False):
    return bind(Scatter(dimension_numbers, mode, indices_are_sorted, unique_indices), x, indices, updates)


def scatter_add(x, indices, updates, dimension_numbers, mode=FILL_OR_DROP, indices_are_sorted=False,
                unique_indices=False):
    return bind(ScatterAdd(dimension_numbers, mode, indices_are_sorted, unique_indices), x, indices, updates)


def take_along(x, indices, axis, unique=True):
    """`x` at `indices` along one dimension, the others in step; indices are in bounds, and different if `unique`."""
    rank = x.type.ndim
    indices = reshape(indices, (*indices.type.shape, 1))
    return gather(x, indices, along_numbers(rank, axis), (1,) * rank, PROMISE_IN_BOUNDS, unique_indices=unique)
