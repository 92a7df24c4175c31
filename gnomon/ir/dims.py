"""Dimension maps: name the dimensions of the operands and the result once, derive the rest.

From `Dims` follow the result's shape, sharding, varying axes, memory, weak type, the errors about them, and batching.
"""
from __future__ import annotations

import itertools

from gnomon.base.errors import ShardingTypeError
from gnomon.base.record import Record
from gnomon.ir.op import Op
from gnomon.types.sharding import PartitionSpec, axes_in
from gnomon.types.value_type import NOWHERE, ArrayType, array_type


class Dims(Record):
    """`ins`: a tuple of names per operand; `out`: the result's names.

    A name shared by operands must agree in size and sharding. A name missing from `out` is summed (or reduced) away.
    `whole` names may not be sharded. `fresh` gives (name, size) for names that no operand has.
    """

    ins: tuple
    out: tuple
    whole: tuple = ()
    fresh: tuple = ()


def names(rank, tag=""):
    """`rank` distinct dimension names."""
    return tuple([f"{tag}{i}" for i in range(rank)])


def positions(names_, wanted):
    return tuple([names_.index(w) for w in wanted])


def common_place(op, ins):
    """Mesh, varying axes and memory space of a result whose operands have these types."""
    mesh, varying, memory, seen = None, NOWHERE, None, False
    for t in ins:
        if t.sharding is not None:
            if mesh is None:
                mesh = t.sharding.mesh
            elif mesh != t.sharding.mesh:
                raise ShardingTypeError(f"{op.name} got operands on different meshes: {', '.join(map(str, ins))}. "
                                        "Move them to one mesh with device_put.")
        if t.varying:
            varying = varying | t.varying
        if t.ndim or t.memory is not None:
            if seen and memory != t.memory:
                raise ShardingTypeError(f"{op.name} got operands in different memory spaces: {', '.join(map(str, ins))}. "
                                        "Move one of them with device_put.")
            memory, seen = t.memory, True
    return mesh, varying, memory


def result_from_dims(op, dims, ins, dtype, weak_type=None):
    """The result type that a dimension map implies."""
    sizes, specs = dict(dims.fresh), {}
    for t, operand_names in zip(ins, dims.ins):
        for size, axes, name in zip(t.shape, t.spec, operand_names):
            if sizes.setdefault(name, size) != size:
                raise TypeError(f"{op.name} needs equal sizes where it pairs dimensions, got {sizes[name]} and {size} in "
                                f"{', '.join(map(str, ins))}.")
            if axes is not None and specs.setdefault(name, axes) != axes:
                raise ShardingTypeError(f"{op.name} got a dimension sharded over both {specs[name]!r} and {axes!r} in "
                                        f"{', '.join(map(str, ins))}. Reshard one of them.")
    for name in dims.whole:
        if name in specs:
            raise ShardingTypeError(f"{op.name} needs a dimension whole that is sharded over {specs[name]!r} in "
                                    f"{', '.join(map(str, ins))}. Reshard the operand first.")
    mesh, varying, memory = common_place(op, ins)
    if weak_type is None:
        weak_type = bool(ins) and all(t.weak_type for t in ins)
    shape = tuple([sizes[d] for d in dims.out])
    if mesh is None:
        return ArrayType(shape, dtype, weak_type, None, varying, memory)
    spec = [specs.get(d) for d in dims.out]
    used = [axis for entry in spec for axis in axes_in(entry)]
    if len(used) != len(set(used)):
        twice = next(axis for axis in used if used.count(axis) > 1)
        raise ShardingTypeError(f"{op.name} of {' and '.join(map(str, ins))} would give a result sharded as {PartitionSpec(*spec)!r}, in which the "
                                f"mesh axis {twice!r} splits two dimensions. Reshard an operand (gnomon.reshard).")
    return array_type(shape, dtype, weak_type, spec, mesh, varying, memory)


def batch_from_dims(op, types, axes):
    """The op with one more dimension, and where that dimension stands in the result."""
    plain = [t if a is None else drop_dim(t, a) for t, a in zip(types, axes)]
    dims, new = op.dims(*plain), "batch"

    def insert(operand_names, axis):
        return operand_names if axis is None else (*operand_names[:axis], new, *operand_names[axis:])

    wider = Dims(tuple(map(insert, dims.ins, axes)), (new, *dims.out), dims.whole, dims.fresh)
    sizes = dict(dims.fresh) | {d: n for t, ns in zip(types, wider.ins) for d, n in zip(ns, t.shape)}
    batched = op.with_dims(wider, sizes)
    inserted = batched.dims(*types)
    ours = dict(zip(itertools.chain(*inserted.ins), itertools.chain(*wider.ins)))
    return batched, [ours.get(d) for d in inserted.out].index(new)


def drop_dim(t, axis):
    """A type without one dimension."""
    shape = t.shape[:axis] + t.shape[axis + 1:]
    if t.sharding is None:
        return t.with_shape(shape)
    spec = t.spec
    return array_type(shape, t.dtype, t.weak_type, spec[:axis] + spec[axis + 1:], t.sharding.mesh, t.varying, t.memory)


def insert_dim(t, axis, size, spec=None, mesh=None):
    """A type with one dimension more, sharded as the entry `spec` says; on `mesh`, if the type has no sharding so far."""
    shape = (*t.shape[:axis], size, *t.shape[axis:])
    if t.sharding is None and mesh is None:
        return t.with_shape(shape)
    old = t.spec
    return array_type(shape, t.dtype, t.weak_type, (*old[:axis], spec, *old[axis:]), t.sharding.mesh if t.sharding is not None else mesh,
                      t.varying, t.memory)


class DimsOp(Op, abstract=True):
    """An op described by a dimension map: `dims(*types)` states it, `with_dims(dims, sizes)` rebuilds the op from one.

    `with_dims(dims, sizes)` gets the map with one name more and the size of every name."""

    def result(self, *ins):
        return result_from_dims(self, self.dims(*ins), ins, self.out_dtype(*ins))

    def out_dtype(self, x, *rest):
        return x.dtype

    def batch(self, args, axes, batching):
        op, axis = batch_from_dims(self, [a.type for a in args], axes)
        return batching.bind(op, *args), axis
