"""Batching: a program that does for every element of a new axis what the old one does for one."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.base.source import at_place
from gnomon.ir.dims import drop_dim, insert_dim
from gnomon.ir.jaxpr import Var, intern
from gnomon.ir.op import NestedOp
from gnomon.ops.nested.scan import Scan
from gnomon.ops.place import Reshard
from gnomon.ops.shape import broadcast_in_dim, moveaxis, reduce_sum
from gnomon.trace.build import Builder, program
from gnomon.trace.stage import bind
from gnomon.transforms.jvp import T
from gnomon.types.effect import Effect, NamedAxis


class Batching:
    """What a batch rule is told: the new axis's size and name, how values are sharded along it (`spec`, an entry of a
    PartitionSpec; on `mesh` where its axes are explicit), and how to move it about."""

    __slots__ = ("size", "name", "spec", "mesh")
    bind = staticmethod(bind)

    def __init__(self, size, name=None, spec=None, mesh=None):
        self.size, self.name, self.spec, self.mesh = size, name, spec, mesh

    def insert(self, type, axis):
        """The type of a value with the new axis, for that of one lane."""
        return insert_dim(type, axis, self.size, self.spec, self.mesh)

    def front(self, x, axis):
        """The value with the new axis in front, made by broadcasting where it has none."""
        return self.move(x, axis, 0)

    def move(self, x, axis, to):
        """The value with the new axis at `to`, made by broadcasting where it has none (axis None)."""
        if axis is None:
            shape = x.type.shape
            kept = tuple(i for i in range(len(shape) + 1) if i != to)
            out = broadcast_in_dim(x, (*shape[:to], self.size, *shape[to:]), kept)
            return out if self.mesh is None else bind(Reshard(self.insert(x.type, to).sharding), out)
        return moveaxis(x, axis, to)

    def fit(self, ct, axis, to):
        """A cotangent with the new axis at `axis` (None: not there) for an input that has it at `to`, or in no place: then it is
        the sum over the lanes."""
        if to is None:
            return ct if axis is None else reduce_sum(ct, (axis,))
        return self.move(ct, axis, to)

    def apart(self, op):
        """Whether an op's lanes must run one after the other where they do not do the same: it calls back into Python, and no lane may
        take an arm or a step that is not its own."""
        return any(isinstance(e, Effect) for e in op.effects) and not uses_axis(op, self.name)

    def one_by_one(self, op, args, axes):
        """The outputs and their axes of an op with several results that runs once per lane, in order."""
        fixed = [x for x, a in zip(args, axes) if a is None]
        moved = [self.front(x, a) for x, a in zip(args, axes) if a is not None]

        def body(*xs):
            given, rows = iter(xs[:len(fixed)]), iter(xs[len(fixed):])
            return bind(op, *[next(given) if a is None else next(rows) for a in axes])
        types = [x.type for x in fixed] + [drop_dim(x.type, 0) for x in moved]
        outs = bind(Scan(program(types, body), self.size, len(fixed), 0), *fixed, *moved)
        return outs, [0] * len(outs)

    def key(self):
        return self.size, self.name, self.spec, self.mesh


def vmap(jaxpr, axes, batching, out_batched=None, out_axes=None):
    """Each input with an axis gains a dimension there; returns (program, per output the axis or None).

    `out_batched` (one bool per output) asks that an output be batched, with its axis in front; `out_axes` (one int or
    None per output) asks for exact places; outputs asked for as None must not be batched."""
    key = ("vmap", tuple(axes), batching.key(), out_batched, out_axes)
    found = jaxpr.memo.get(key)
    if found is None:
        found = jaxpr.memo[key] = _vmap(jaxpr, tuple(axes), batching, out_batched, out_axes)
    return found


def _vmap(jaxpr, axes, batching, out_batched, out_axes):
    invars = tuple([v if a is None else Var(batching.insert(v.type, a))
                    for v, a in zip(jaxpr.invars, axes, strict=True)])
    build = Builder(invars, "vmap")
    axis = {}
    for old, new, a in zip(jaxpr.invars, invars, axes):
        if a is not None:
            axis[old] = a
            build.rename[old] = new
    with build:
        for e in jaxpr.eqns:
            where = [axis.get(v) for v in e.ins]
            if all(a is None for a in where) and not uses_axis(e.op, batching.name):
                build.keep(e)
                continue
            build.at(e)
            batch_eqn(build, e, where, axis, batching)
        outs, found = [], []
        for i, v in enumerate(jaxpr.outvars):
            x, a = build.value(v), axis.get(v)
            if out_axes is not None:
                if out_axes[i] is not None:
                    x = batching.move(x, a, out_axes[i])
                    a = out_axes[i]
            elif out_batched is not None and out_batched[i]:
                x, a = batching.front(x, a), 0
            outs.append(x)
            found.append(a)
        return intern(build.finish(outs)), tuple(found)


def uses_axis(op, name):
    """Whether an op refers to the named axis that is being batched away."""
    return name is not None and any(isinstance(f, NamedAxis) and f.axis == name for f in op.effects)


def batch_eqn(build, e, where, axis, batching):
    op, args = e.op, build.values(e.ins)
    if isinstance(op.batch, Refused):
        raise Refused(f"{op.user_name}{at_place(e.place)} cannot be batched: {op.batch.why}")
    if isinstance(op, NestedOp):
        outs, out_axes = op.batch(T[0], args, where, batching)
    else:
        outs, out_axes = op.batch(args, where, batching)
        if not op.multiple:
            outs, out_axes = (outs,), (out_axes,)
    for v, out, a in zip(e.outs, outs, out_axes, strict=True):
        build.define(v, out)
        if a is not None:
            axis[v] = a
