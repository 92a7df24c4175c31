"""stack, unstack and tile."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import ShardingTypeError
from gnomon.ir.dims import insert_dim
from gnomon.ir.op import LINEAR, Op, is_linear
from gnomon.ops.shape import reduce_sum, reshape, zeros
from gnomon.ops.slicing import insert, resized, same_axis
from gnomon.trace.stage import bind
from gnomon.types.value_type import array_type


class Stack(Op):
    """Operands of one type, one behind the other along a new dimension, `axis`."""

    axis: int

    derivative = LINEAR

    def result(self, *xs):
        first, axis = xs[0], self.axis
        if not 0 <= axis <= first.ndim:
            raise ValueError(f"stack along dimension {axis} is not possible for values of type {first}.")
        for x in xs:
            if x.dtype != first.dtype or x.shape != first.shape:
                raise TypeError(f"stack needs operands of one shape and dtype, got {', '.join(map(str, xs))}.")
            if x.spec != first.spec:
                raise ShardingTypeError(f"stack needs operands of one sharding, got {', '.join(map(str, xs))}. Reshard some of them.")
        like = resized(self, first, first.shape, [False] * first.ndim, xs[1:])
        out, weak = insert_dim(like, axis, len(xs)), all(x.weak_type for x in xs)
        return out if out.weak_type == weak else out.update(weak_type=weak)

    def lower(self, emit, *xs):
        shape = insert(xs[0].type.shape, self.axis, 1)
        parts = [emit("stablehlo.reshape", [x], out=emit.ArrayType(shape, x.type.dtype)) for x in xs]
        return emit("stablehlo.concatenate", parts, f"dim = {self.axis}") if len(parts) > 1 else parts[0]

    def transpose(self, ct, *xs):
        return [part if is_linear(x) else None for x, part in zip(xs, bind(Unstack(self.axis), ct))]

    def batch(self, args, axes, batching):
        args, axis = same_axis(args, axes, batching)
        return bind(Stack(self.axis + (axis < self.axis)), *args), axis + (axis >= self.axis)

    def host(self, *xs):
        return np.stack(xs, self.axis)


class Unstack(Op):
    """The slices of an array along `axis`, which they lack."""

    axis: int

    multiple = True
    derivative = LINEAR

    def result(self, x):
        axis = self.axis
        if not 0 <= axis < x.ndim:
            raise ValueError(f"unstack along dimension {axis} is not possible for a value of type {x}.")
        whole = resized(self, x, x.shape, [i == axis for i in range(x.ndim)])
        mesh = None if whole.sharding is None else whole.sharding.mesh
        spec = x.spec
        part = array_type(x.shape[:axis] + x.shape[axis + 1:], x.dtype, x.weak_type, spec[:axis] + spec[axis + 1:], mesh, x.varying,
                          x.memory)
        return [part] * x.shape[axis]

    def lower(self, emit, x):
        return [emit("stablehlo.reshape", [emit.slice_in_dim(x, k, k + 1, self.axis)], out=t) for k, t in enumerate(emit.outs)]

    def transpose(self, cts, x):
        types = self.infer((x.type,))
        return (bind(Stack(self.axis), *[zeros(t) if ct is None else ct for ct, t in zip(cts, types)]) if types else zeros(x.type)),

    def batch(self, args, axes, batching):
        (x,), (axis,) = args, axes
        outs = bind(Unstack(self.axis + (axis <= self.axis)), x)
        return outs, [axis - (self.axis < axis)] * len(outs)

    def host(self, x):
        return [np.ascontiguousarray(part) for part in np.moveaxis(x, self.axis, 0)]


class Tile(Op):
    """The operand repeated `reps[i]` times along dimension i."""

    reps: tuple

    derivative = LINEAR

    def result(self, x):
        if len(self.reps) != x.ndim or any(r < 0 for r in self.reps):
            raise ValueError(f"tile needs one number of repetitions, at least 0, per dimension of {x}, got {self.reps}.")
        return resized(self, x, tuple([r * n for r, n in zip(self.reps, x.shape)]), [r != 1 for r in self.reps])

    def lower(self, emit, x):
        wide = sum([(r, n) for r, n in zip(self.reps, x.type.shape)], ())
        out = emit.out
        x = emit.broadcast(x, wide, tuple(range(1, len(wide), 2)))
        return emit("stablehlo.reshape", [x], out=out)

    def transpose(self, ct, x):
        wide = sum([(r, n) for r, n in zip(self.reps, x.type.shape)], ())
        return reduce_sum(reshape(ct, wide), tuple(range(0, len(wide), 2))),

    def batch(self, args, axes, batching):
        (x,), (axis,) = args, axes
        return bind(Tile(insert(self.reps, axis, 1)), x), axis

    def host(self, x):
        return np.tile(x, self.reps)
