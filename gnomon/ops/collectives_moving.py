"""Collectives that move data between the positions of a named axis: all_gather, reduce_scatter, all_to_all, ppermute, pbroadcast."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.op import LINEAR, Op, field
from gnomon.ops.arithmetic import mul
from gnomon.ops.collectives import (INT32, AxisIndex, Psum, PsumInvariant, along_groups, check_no_rest, group_lanes, on_names, show_axes,
                                    take_rows, ungroup_lanes, vary)
from gnomon.ops.compare import eq, select_n
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.shape import broadcast_in_dim, moveaxis, reduce_sum, reshape, transpose, zeros
from gnomon.ops.slicing import concatenate, dynamic_slice, slice_in_dim
from gnomon.trace.stage import bind, value_of


class Moving(Op, abstract=True):
    """Base of linear collectives of one operand. Subclasses say how they resolve over lanes, and what they are with a dimension in front."""

    joins_varying = False
    derivative = LINEAR
    show_parameter = show_axes
    groups = property(lambda self: self.axis_index_groups)
    effects = on_names

    @property
    def names(self):
        return self.axis_name if isinstance(self.axis_name, tuple) else (self.axis_name,)

    def result(self, x):
        return x.update(shape=self.shape(x.shape))

    def batch(self, args, axes, batching):
        if batching.name not in self.names:
            return bind(self.behind(), moveaxis(args[0], axes[0], 0)), 0
        lanes = batching.front(args[0], axes[0])
        if self.groups is None:
            return self.resolve(lanes, 0, batching.name)
        check_no_rest(self, len(self.names) > 1)
        out, axis = self.resolve(group_lanes(lanes, self.groups), 1, batching.name)
        out = along_groups(out, len(self.groups[0])) if axis is None else moveaxis(out, axis, 1)
        return ungroup_lanes(out, self.groups), 0

    def one_name(self):
        check_no_rest(self, len(self.names) > 1)

    def others(self, name):
        """The other names, and whether they come behind `name`; one in the middle is refused."""
        rest = tuple([n for n in self.names if n != name])
        if name not in (self.names[0], self.names[-1]):
            check_no_rest(self, True)
        return rest, name == self.names[0]


class AllGather(Moving):
    """The values of all positions along a new dimension, or (`tiled`) one behind the other along an old one."""

    all_gather_dimension: int
    axis_index_groups: object
    axis_name: tuple
    axis_size: int
    tiled: bool

    def shape(self, shape):
        d = self.all_gather_dimension
        if self.tiled:
            return (*shape[:d], shape[d] * self.axis_size, *shape[d + 1:])
        return (*shape[:d], self.axis_size, *shape[d:])

    def behind(self):
        return self.replace(all_gather_dimension=self.all_gather_dimension + 1)

    def transpose(self, ct, x):
        return bind(ReduceScatter(self.axis_index_groups, self.axis_name, self.axis_size, self.all_gather_dimension, self.tiled), ct),

    def resolve(self, x, at, name):
        rest, first = self.others(name)
        if rest:
            n = x.type.shape[at]
            x = bind(self.replace(axis_name=rest, axis_size=self.axis_size // n, all_gather_dimension=at + 1, tiled=False), x)
            x = x if first else moveaxis(x, at, at + 1)
            shape = x.type.shape
            x = reshape(x, (*shape[:at], self.axis_size, *shape[at + 2:]))
        d = at + self.all_gather_dimension
        x = moveaxis(x, at, d)
        return merge_next(x, d) if self.tiled else x, None

    def lower(self, emit, x):
        d = self.all_gather_dimension
        if not self.tiled:
            shape = x.type.shape
            x = emit("stablehlo.reshape", [x], out=x.type.update(shape=(*shape[:d], 1, *shape[d:])))
        groups = emit.replica_groups(self.names, self.groups)
        return x if len(groups[0]) == 1 else emit.all_gather(x, d, groups)


def merge_next(x, d):
    """Dimensions d and d + 1 as one."""
    shape = x.type.shape
    return reshape(x, (*shape[:d], shape[d] * shape[d + 1], *shape[d + 2:]))


class AllGatherInvariant(AllGather):
    """all_gather whose result does not vary over the axis."""

    axis_index_groups: object = field(None, show="nondefault")

    def result(self, x):
        return super().result(x).update(varying=x.varying - frozenset(self.names))

    def transpose(self, ct, x):
        """Each position takes its own part of what is the same everywhere."""
        d, n = self.all_gather_dimension, self.axis_size
        ct = vary(ct, self.names)
        size = x.type.shape[d] if self.tiled else 1
        index = position(self.names)
        start = mul(index, full_scalar(index, size))
        starts = [start if i == d else value_of(np.int32(0)) for i in range(ct.type.ndim)]
        sizes = tuple([size if i == d else s for i, s in enumerate(ct.type.shape)])
        assert n * size == ct.type.shape[d]
        return reshape(dynamic_slice(ct, starts, sizes), x.type.shape),


def position(names):
    """The position along one axis."""
    if len(names) > 1:
        raise Refused("the gradient of all_gather(to='invarying') over several axes at once is not there; gather over one after the other")
    return bind(AxisIndex(names[0], True))


class ReduceScatter(Moving):
    """The sum over all positions, of which each keeps its part along a dimension, which goes or (`tiled`) shrinks."""

    axis_index_groups: object
    axis_name: tuple
    axis_size: int
    scatter_dimension: int
    tiled: bool

    def shape(self, shape):
        d, n = self.scatter_dimension, self.axis_size
        if self.tiled:
            if shape[d] % n:
                raise ValueError(f"tiled reduce_scatter operand scatter dimension size {shape[d]} must be divisible by shard_count {n}")
            return (*shape[:d], shape[d] // n, *shape[d + 1:])
        if shape[d] != n:
            raise ValueError(f"reduce_scatter operand scatter dimension size {shape[d]} must match shard count {n}")
        return (*shape[:d], *shape[d + 1:])

    def behind(self):
        return self.replace(scatter_dimension=self.scatter_dimension + 1)

    def transpose(self, ct, x):
        return bind(AllGather(self.scatter_dimension, self.axis_index_groups, self.axis_name, self.axis_size, self.tiled), ct),

    def resolve(self, x, at, name):
        rest, first = self.others(name)
        n, d = x.type.shape[at], self.scatter_dimension + at
        x = reduce_sum(x, (at,))
        r, shape = self.axis_size // n, x.type.shape
        parts = (n, r) if first else (r, n)
        kept = (shape[d] // self.axis_size,) if self.tiled else ()
        x = reshape(x, (*shape[:d], *parts, *kept, *shape[d + 1:]))
        x = moveaxis(x, d if first else d + 1, at)
        d += 1
        if not rest:
            return reshape(x, (*x.type.shape[:d], *x.type.shape[d + 1:])), at
        x = merge_next(x, d) if self.tiled else x
        return bind(self.replace(axis_name=rest, axis_size=r, scatter_dimension=d), x), at

    def lower(self, emit, x):
        groups = emit.replica_groups(self.names, self.groups)
        d, shape = self.scatter_dimension, x.type.shape
        if len(groups[0]) > 1:
            x = emit.reduce_scatter(x, d, groups)
        return x if self.tiled else emit("stablehlo.reshape", [x], out=x.type.update(shape=(*shape[:d], *shape[d + 1:])))


def pieces(ins, outs, shown):
    """How many pieces all_to_all made, told from what it made of sizes."""
    split, concat = shown["split_axis"], shown["concat_axis"]
    if shown["axis_index_groups"] is not None:
        return len(shown["axis_index_groups"][0])
    if split == concat or not outs[0].shape[split]:
        raise ValueError("the sizes do not say how many positions there are")
    return ins[0].shape[split] // outs[0].shape[split]


class AllToAll(Moving):
    """Cuts along `split_axis`, a piece for each position; the pieces received stand along `concat_axis`."""

    axis_index_groups: object
    axis_name: str | tuple
    concat_axis: int
    split_axis: int
    tiled: bool
    axis_size: int = field(show="never", read=pieces)

    def shape(self, shape):
        shape = list(shape)
        shape[self.split_axis] //= self.axis_size
        shape[self.concat_axis] *= self.axis_size
        return tuple(shape)

    def behind(self):
        return self.replace(concat_axis=self.concat_axis + 1, split_axis=self.split_axis + 1)

    def transpose(self, ct, x):
        return bind(self.replace(concat_axis=self.split_axis, split_axis=self.concat_axis), ct),

    def resolve(self, x, at, name):
        self.one_name()
        n, shape = x.type.shape[at], x.type.shape
        split, concat = at + 1 + self.split_axis, at + 1 + self.concat_axis
        # the positions that the pieces go to change places with those that they come from
        x = reshape(x, (*shape[:split], n, shape[split] // n, *shape[split + 1:]))
        order = [i for i in range(x.type.ndim) if i not in (at, split)]
        behind = concat if concat < split else concat + 1
        order.insert(order.index(behind), at)
        order.insert(at, split)
        x = transpose(x, tuple(order))
        return merge_next(x, order.index(at)), at

    def lower(self, emit, x):
        groups = emit.replica_groups(self.names, self.groups)
        return x if len(groups[0]) == 1 else emit.all_to_all(x, self.split_axis, self.concat_axis, groups)


class WholeMoving(Moving, abstract=True):
    """Base of those that move values as a whole, over one axis."""

    groups = None

    def shape(self, shape):
        return shape

    def behind(self):
        return self


class Ppermute(WholeMoving):
    """Sends the value of position i to position j for each (i, j) in `perm`; zeros where nothing arrives."""

    axis_name: tuple
    perm: tuple

    def transpose(self, ct, x):
        return bind(self.replace(perm=tuple([(j, i) for i, j in self.perm])), ct),

    def resolve(self, x, at, name):
        self.one_name()
        n = x.type.shape[at]
        source = {j: i for i, j in self.perm}
        if len(source) < n:
            row = slice_in_dim(x, 0, 1, 0)
            x = concatenate([x, zeros(row.type)], 0)
        return take_rows(x, [source.get(j, n) for j in range(n)]), at

    def lower(self, emit, x):
        return emit.collective_permute(x, self.names, self.perm)


class Pbroadcast(WholeMoving):
    """The value of position `source`, everywhere."""

    axis_name: str | tuple
    source: int

    def transpose(self, ct, x):
        varies = self.names[0] in x.type.varying
        total = vary(bind(PsumInvariant(self.names), ct)[0], self.names) if varies else bind(Psum(self.names), ct)[0]
        here = eq(bind(AxisIndex(self.names[0], varies)), value_of(np.int32(self.source)))
        return select_n(broadcast_in_dim(here, total.type.shape), zeros(total.type), total),

    def resolve(self, x, at, name):
        self.one_name()
        row = slice_in_dim(x, self.source, self.source + 1, at)
        return reshape(row, x.type.shape[1:]), None

    def lower(self, emit, x):
        """The others add zeros: not every device has a broadcast of its own."""
        groups = emit.replica_groups(self.names)
        if len(groups[0]) == 1:
            return x
        here = emit.compare("EQ", emit.axis_index(self.names[0]), emit.scalar(self.source, INT32))
        here = emit.broadcast(here, x.type.shape, ())
        kept = emit.select(here, x, emit.constant_like(x, 0))
        return emit.all_reduce("stablehlo.add", kept, groups)
