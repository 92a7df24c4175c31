"""Ops that move data about without computing on it, and reduce_sum, the transpose of broadcasting."""
from __future__ import annotations

import math

import numpy as np

from gnomon.base.errors import Refused, ShardingTypeError
from gnomon.ir.dims import Dims, DimsOp, names, positions
from gnomon.ir.jaxpr import Literal
from gnomon.ir.op import LINEAR, VARY, ZERO, Op, field, result_shape, result_sharding
from gnomon.trace.context import local
from gnomon.trace.stage import bind, value_of
from gnomon.types.dtype import is_bool, is_key, python_type
from gnomon.types.sharding import axes_in, parts_of
from gnomon.types.size import AS_VALUE, Size
from gnomon.types.value_type import ArrayType, array_type


class BroadcastInDim(DimsOp):
    """Adds dimensions: operand dimension i becomes result dimension `broadcast_dimensions[i]`; a size of 1 is repeated."""

    shape: tuple = field(show="never", read=result_shape)
    broadcast_dimensions: tuple = field((), show="nondefault")
    sharding: object = field(None, show="never", read=result_sharding)

    derivative = LINEAR

    def dims(self, x):
        out = [f"n{i}" for i in range(len(self.shape))]
        ins, fresh = [], []
        for i, (size, to) in enumerate(zip(x.shape, self.broadcast_dimensions)):
            ins.append(out[to] if size == self.shape[to] else f"one{i}")
        kept = {out[to] for to, n in zip(self.broadcast_dimensions, ins) if n == out[to]}
        fresh = tuple((d, n) for d, n in zip(out, self.shape) if d not in kept)
        return Dims((tuple(ins),), tuple(out), fresh=fresh)

    def with_dims(self, dims, sizes):
        """Operand dimensions of size 1 that are repeated have names of their own; they go where they went before."""
        operand, out = dims.ins[0], dims.out
        old = iter(self.broadcast_dimensions)
        shift = 1 if out and out[0] == "batch" else 0
        to = tuple([out.index("batch") if d == "batch" else next(old) + shift for d in operand])
        return BroadcastInDim(tuple([sizes[d] for d in out]), to)

    def result(self, x):
        if len(self.broadcast_dimensions) != x.ndim or any(
                size not in (1, self.shape[to]) for size, to in zip(x.shape, self.broadcast_dimensions)):
            raise TypeError(f"broadcast_in_dim cannot put an operand of type {x} at dimensions {self.broadcast_dimensions} "
                            f"of a result of shape {self.shape}: sizes must be equal or 1.")
        t = super().result(x)
        if self.sharding is not None:
            return t.update(sharding=self.sharding)
        return t

    def lower(self, emit, x):
        return emit.broadcast(x, self.shape, self.broadcast_dimensions)

    def transpose(self, ct, x):
        t, to = x.type, self.broadcast_dimensions
        ct = reduce_sum(ct, tuple([i for i in range(len(self.shape)) if i not in to]))
        order = np.argsort(to)
        repeated = tuple(i for i, d in enumerate(order.tolist()) if t.shape[d] != ct.type.shape[i])
        ct = reduce_sum_keep(ct, repeated)
        return transpose(ct, tuple(np.argsort(order).tolist())),

    def host(self, x):
        shape = [1] * len(self.shape)
        for size, to in zip(x.shape, self.broadcast_dimensions):
            shape[to] = size
        dims = self.broadcast_dimensions
        if any([a > b for a, b in zip(dims, dims[1:])]):
            x = x.transpose(sorted(range(len(dims)), key=dims.__getitem__))
        x = x.reshape(shape)
        if x.shape == self.shape:
            return x
        out = np.empty(self.shape, x.dtype)         # for small arrays quicker than np.broadcast_to
        out[...] = x
        return out


class ReduceSum(DimsOp):
    """Sum over `axes`."""

    axes: tuple
    out_sharding: object = field(None)

    derivative = LINEAR

    def dims(self, x):
        return Dims((names(x.ndim),), tuple([d for i, d in enumerate(names(x.ndim)) if i not in self.axes]))

    def with_dims(self, dims, sizes):
        return ReduceSum(positions(dims.ins[0], [d for d in dims.ins[0] if d not in dims.out]))

    def lower(self, emit, x):
        return emit.reduce("stablehlo.add", x, 0, self.axes)

    def transpose(self, ct, x):
        kept = tuple([i for i in range(x.ndim) if i not in self.axes])
        sharding = x.type.sharding
        return broadcast_in_dim(ct, x.shape, kept) if sharding is None else bind(BroadcastInDim(x.shape, kept, sharding), ct),

    def host(self, x):
        return np.add.reduce(x, self.axes, dtype=x.dtype) if x.dtype.kind in "iu" or x.size <= 2 else NotImplemented


class Transpose(DimsOp):
    """Permutes dimensions: result dimension i is operand dimension `permutation[i]`."""

    permutation: tuple

    derivative = LINEAR

    def result(self, x):
        if sorted(self.permutation) != list(range(x.ndim)):
            raise TypeError(f"transpose permutation isn't a permutation of operand dimensions, got permutation "
                            f"{self.permutation} for an operand of type {x}.")
        return super().result(x)

    def dims(self, x):
        return Dims((names(x.ndim),), tuple([f"{p}" for p in self.permutation]))

    def with_dims(self, dims, sizes):
        return Transpose(positions(dims.ins[0], dims.out))

    def lower(self, emit, x):
        return emit("stablehlo.transpose", [x], f"dims = {list(self.permutation)}")

    def transpose(self, ct, x):
        return transpose(ct, tuple(np.argsort(self.permutation).tolist())),

    def host(self, x):
        return x.transpose(self.permutation)


class Reshape(Op):
    """The same elements in row-major order under another shape."""

    new_sizes: tuple
    dimensions: object = field(None)
    sharding: object = field(None)

    derivative = LINEAR

    def result(self, x):
        if math.prod(self.new_sizes) != x.size:
            raise TypeError(f"cannot reshape array of shape {x.shape} (size {x.size}) into shape {self.new_sizes} "
                            f"(size {math.prod(self.new_sizes)})")
        if x.sharding is None:
            return ArrayType(self.new_sizes, x.dtype, x.weak_type, None, x.varying, x.memory)
        if self.sharding is not None:
            return array_type(self.new_sizes, x.dtype, x.weak_type, self.sharding.spec, x.sharding.mesh, x.varying, x.memory)
        spec = reshaped_spec(x, self.new_sizes)
        return array_type(self.new_sizes, x.dtype, x.weak_type, spec, x.sharding.mesh, x.varying, x.memory)

    def lower(self, emit, x):
        return emit("stablehlo.reshape", [x])

    def transpose(self, ct, x):
        sharding = x.type.sharding
        return reshape(ct, x.shape) if sharding is None else bind(Reshape(x.shape, None, sharding), ct),

    def batch(self, args, axes, batching):
        x = batching.front(args[0], axes[0])
        return reshape(x, (batching.size, *self.new_sizes)), 0

    def host(self, x):
        return x.reshape(self.new_sizes)


def reshaped_spec(x, new_sizes):
    """The sharding of a reshape's result. Dimensions in front and behind that stay keep theirs (ones may come and go), and between them,
    where some are merged into one or one is split into some, the parts stay whole: else it is ambiguous."""
    parts = parts_of(x.sharding, x.ndim)
    old = [(n, axes, k) for n, axes, k in zip(x.shape, x.spec, parts) if n != 1 or axes is not None]
    new = [i for i, n in enumerate(new_sizes) if n != 1]
    spec = [None] * len(new_sizes)
    while old and new and old[0][0] == new_sizes[new[0]]:
        spec[new.pop(0)] = old.pop(0)[1]
    while old and new and old[-1][0] == new_sizes[new[-1]]:
        spec[new.pop()] = old.pop()[1]
    while any(axes is not None for _, axes, _ in old):
        group = matched([n for n, *_ in old], [new_sizes[i] for i in new])
        fits = group is not None
        if fits:
            merged, into = old[:group[0]], new[:group[1]]
            old, new = old[group[0]:], new[group[1]:]
            axes = [axis for _, of_dim, _ in merged for axis in axes_in(of_dim)]
            last = max([i for i, (_, of_dim, _) in enumerate(merged) if of_dim is not None], default=-1)
            fits = not axes or min(len(merged), len(into)) == 1 and all(of_dim is not None for _, of_dim, _ in merged[:last])
        if fits:
            split_over(spec, axes, into, new_sizes, x.sharding.mesh.shape)
        if not fits or axes:
            raise ShardingTypeError(f"reshape of {x} to {new_sizes} merges or splits a sharded dimension, so the result's sharding "
                                    "is ambiguous. Say it with out_sharding, or reshard first.")
    return spec


def matched(old, new):
    """(how many of the first sizes of `old`, how many of `new`) have the same product, the fewest possible; None if there are none."""
    if not all(n.__class__ is int and n for n in (*old, *new)):
        return None
    i = j = 0
    a = b = 1
    while a != b or not (i and j):
        if i < len(old) and (a <= b or not i):
            a, i = a * old[i], i + 1
        elif j < len(new):
            b, j = b * new[j], j + 1
        else:
            return None
    return i, j


def split_over(spec, axes, places, sizes, mesh_sizes):
    """Move mesh axes from the list `axes` to the entries of `spec` at `places`, as long as they divide the sizes there: on to the next
    place only where each part has one element."""
    for i in places:
        room, taken = sizes[i], []
        while axes and room % mesh_sizes[axes[0]] == 0:
            room //= mesh_sizes[axes[0]]
            taken.append(axes.pop(0))
        spec[i] = tuple(taken) if len(taken) > 1 else taken[0] if taken else None
        if room != 1:
            return


class Squeeze(DimsOp):
    """Drops dimensions of size 1."""

    dimensions: tuple

    derivative = LINEAR

    def result(self, x):
        bad = [d for d in self.dimensions if x.shape[d] != 1]
        if bad:
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one, got "
                             f"shape={x.shape} and dimensions={self.dimensions}")
        return super().result(x)

    def dims(self, x):
        return Dims((names(x.ndim),), tuple([d for i, d in enumerate(names(x.ndim)) if i not in self.dimensions]))

    def with_dims(self, dims, sizes):
        return Squeeze(positions(dims.ins[0], [d for d in dims.ins[0] if d not in dims.out]))

    def lower(self, emit, x):
        return emit("stablehlo.reshape", [x])

    def transpose(self, ct, x):
        return expand_dims(ct, self.dimensions),

    def host(self, x):
        return x.reshape([n for i, n in enumerate(x.shape) if i not in self.dimensions])


class Same(DimsOp, abstract=True):
    """Base of ops whose result is their operand, number by number."""

    derivative = LINEAR

    def dims(self, x):
        return Dims((names(x.ndim),), names(x.ndim))

    def with_dims(self, dims, sizes):
        return self

    def batch(self, args, axes, batching):
        return bind(self, args[0]), axes[0]

    def transpose(self, ct, x):
        return ct,

    def lower(self, emit, x):
        return x

    def host(self, x):
        return x


class StopGradient(Same):
    """The identity, with a derivative of zero. In a program that is linear already it is the identity all through."""

    derivative = ZERO


class Copy(Same):
    """The same numbers in memory of their own."""

    def host(self, x):
        return x.copy()


class Iota(Op):
    """Counts along one dimension: result[..., i, ...] = i."""

    dtype: object
    shape: tuple
    dimension: int
    sharding: object = field(None)

    derivative = Refused("it has no operands")
    transpose = Refused("it has no operands")
    batch = Refused("it has no operands, so it is never batched")

    def result(self):
        if is_key(self.dtype) or is_bool(self.dtype):
            raise TypeError(f"iota counts in numbers, got the dtype {self.dtype}.")
        t = ArrayType(self.shape, self.dtype)
        return t.update(sharding=self.sharding) if self.sharding is not None else t

    def lower(self, emit):
        return emit("stablehlo.iota", [], f"dim = {self.dimension}")

    def host(self):
        shape = [1] * len(self.shape)
        shape[self.dimension] = -1
        n = self.shape[self.dimension]
        return np.broadcast_to(np.arange(n).astype(self.dtype).reshape(shape), self.shape)


# ---- functions on values ------------------------------------------------------------------------------------------

def broadcast_in_dim(x, shape, broadcast_dimensions=()):
    t = x.type
    if t.shape == shape and len(shape) == len(broadcast_dimensions):
        return x
    return bind(BroadcastInDim(tuple(shape), tuple(broadcast_dimensions)), x)


def reduce_sum(x, axes):
    return bind(ReduceSum(axes), x) if axes else x


def reduce_sum_keep(x, axes):
    """Sum over `axes`, which stay as dimensions of size 1."""
    return expand_dims(reduce_sum(x, axes), axes) if axes else x


def transpose(x, permutation):
    return x if permutation == tuple(range(len(permutation))) else bind(Transpose(permutation), x)


def moveaxis(x, source, target):
    """Dimension `source` to place `target`."""
    order = [i for i in range(x.type.ndim) if i != source]
    order.insert(target, source)
    return transpose(x, tuple(order))


def reshape(x, new_sizes):
    return x if x.type.shape == new_sizes else bind(Reshape(new_sizes), x)


def squeeze(x, dimensions):
    return bind(Squeeze(tuple(dimensions)), x) if dimensions else x


def expand_dims(x, dimensions):
    """New dimensions of size 1 at these places of the result."""
    if not dimensions:
        return x
    shape = list(x.type.shape)
    for d in sorted(dimensions):
        shape.insert(d, 1)
    if local.frame is None:         # the same numbers, sooner
        return bind(Reshape(tuple(shape)), x)
    return broadcast_in_dim(x, tuple(shape), tuple([i for i in range(len(shape)) if i not in dimensions]))


_copy = Copy()


def copy(x):
    return bind(_copy, x)


def zeros(t):
    """A value of type `t` that is zero everywhere."""
    return full(t, 0)


_scalar_types: dict = {}


def full(t, value):
    """A value of type `t` with `value` everywhere; for a scalar type, a literal."""
    scalar = _scalar_types.get(t)
    if scalar is None:
        scalar = _scalar_types[t] = ArrayType((), t.dtype, t.weak_type)
    lit = AS_VALUE[0](value, scalar) if isinstance(value, Size) else Literal(_plain(value, t.dtype), scalar)
    out = bind(BroadcastInDim(t.shape, (), t.sharding), lit) if t.shape or t.sharding is not None else value_of(lit)
    return VARY[0](out, t.varying) if t.varying else out


def _plain(value, dtype):
    """A Python number of the kind of `dtype`."""
    return python_type(dtype)(value)

