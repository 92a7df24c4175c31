"""The base of elementwise ops.

Operands have the result's rank, where a size of 1 is repeated, or no dimensions at all; shape, sharding, place and
batching follow from that, so a subclass says only what it computes.
"""
from __future__ import annotations

from gnomon.base.errors import ShardingTypeError
from gnomon.ir.dims import common_place
from gnomon.ir.op import Op
from gnomon.ops.shape import expand_dims, full, moveaxis, reduce_sum, reshape
from gnomon.trace.stage import bind
from gnomon.types.value_type import ArrayType, array_type


def broadcast_shape(name, ins):
    """The common shape of elementwise operands."""
    shape = None
    for t in ins:
        if shape is None or not shape:
            shape = t.shape if shape is None or t.shape else shape
        elif t.shape and t.shape != shape:
            if len(t.shape) != len(shape) or any(a != b and a != 1 and b != 1 for a, b in zip(shape, t.shape)):
                raise TypeError(f"{name} got incompatible shapes for broadcasting: "
                                f"{', '.join(str(t.shape) for t in ins)}.")
            shape = tuple([b if a == 1 else a for a, b in zip(shape, t.shape)])
    return shape


def broadcast_spec(name, shape, ins):
    """The common sharding of elementwise operands."""
    spec = [None] * len(shape)
    for t in ins:
        if t.ndim:
            for i, (axes, size) in enumerate(zip(t.spec, t.shape)):
                if axes is None or size != shape[i]:
                    continue
                if spec[i] is not None and spec[i] != axes:
                    shown = ", ".join(str(tuple(t.spec)) for t in ins if t.ndim)
                    raise ShardingTypeError(f"{name} got incompatible shardings for broadcasting: {shown}.")
                spec[i] = axes
    used = [a for axes in spec if axes is not None for a in ((axes,) if isinstance(axes, str) else axes)]
    if len(used) != len(set(used)):
        shown = ", ".join(str(tuple(t.spec)) for t in ins if t.ndim)
        raise ShardingTypeError(f"{name} got incompatible shardings for broadcasting: {shown}.")
    return spec


class Elementwise(Op, abstract=True):
    """Base of elementwise ops. Subclasses say `hlo` (the StableHLO op), `accepts` (kinds of dtype, for the message),
    and their derivative and transpose."""

    aligned = True
    hlo = None
    accepts = None              # a predicate on dtypes, or None
    accepts_text = ""

    def out_dtype(self, *ins):
        return ins[0].dtype

    def out_weak(self, *ins):
        return all([t.weak_type for t in ins])

    def result(self, *ins):
        self.check(*ins)
        shape = broadcast_shape(self.name, ins)
        mesh, varying, memory = common_place(self, ins)
        dtype, weak = self.out_dtype(*ins), self.out_weak(*ins)
        if mesh is None:
            return ArrayType(shape, dtype, weak, None, varying, memory)
        return array_type(shape, dtype, weak, broadcast_spec(self.name, shape, ins), mesh, varying, memory)

    def check(self, *ins):
        first = ins[0].dtype
        for t in ins:
            if t.dtype != first:
                raise TypeError(f"{self.name} requires arguments to have the same dtypes, got "
                                f"{', '.join(str(t.dtype) for t in ins)}. (Tip: gnomon.numpy.{self.name} is a similar "
                                "function that does automatic type promotion on inputs).")
        if self.accepts is not None and not self.accepts(first):
            raise TypeError(f"{self.name} does not accept dtype {first}. Accepted dtypes are {self.accepts_text}.")

    def lower(self, emit, *xs):
        xs = emit.aligned(xs)
        return emit.chlo(self.hlo, xs) if self.hlo.startswith("chlo.") else emit.elementwise(self.hlo, xs)

    def batch(self, args, axes, batching):
        return batch_aligned(self, args, axes)


def batch_aligned(op, args, axes):
    """Batching of an elementwise op: the new axis stands at one place in all operands that have it."""
    ranks = [a.type.ndim - (axis is not None) for a, axis in zip(args, axes)]
    rank = max(ranks)
    where = {axis for axis, r in zip(axes, ranks) if axis is not None}
    same_rank = all(r == rank for axis, r in zip(axes, ranks) if axis is not None)
    if len(where) == 1 and same_rank:
        at = where.pop()
        args = [a if axis is not None or not r else expand_dims(a, (at,)) for a, axis, r in zip(args, axes, ranks)]
        return bind(op, *args), at
    out = []
    for a, axis, r in zip(args, axes, ranks):
        if axis is None:
            out.append(expand_dims(a, (0,)) if r else a)
            continue
        a = moveaxis(a, axis, 0)
        if r < rank:        # a batched scalar: dimensions of size 1 behind its batch axis
            a = expand_dims(a, tuple(range(1, rank + 1)))
        out.append(a)
    return bind(op, *out), 0


def unbroadcast(ct, t):
    """Sum a cotangent over the dimensions along which its operand of type `t` was repeated."""
    have = ct.type
    if have.shape == t.shape:
        return ct
    if not t.shape:
        return reduce_sum(ct, tuple(range(have.ndim)))
    axes = tuple([i for i, (a, b) in enumerate(zip(have.shape, t.shape)) if a != b])
    return reshape(reduce_sum(ct, axes), t.shape)


def full_scalar(like, value):
    """A scalar of the dtype of `like`, written into the program as a literal."""
    t = like.type
    return full(ArrayType((), t.dtype, t.weak_type), value)
