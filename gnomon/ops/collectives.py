"""Collectives over named axes: psum, pmax, pmin, axis_index. Over an axis of vmap they become reductions of its dimension."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.op import LINEAR, ZERO, Op, field, is_linear
from gnomon.ops.arithmetic import mul
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.reductions import ReduceMax, ReduceMin
from gnomon.ops.shape import Iota, reduce_sum
from gnomon.trace.context import local
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_bool
from gnomon.types.effect import NamedAxis
from gnomon.types.value_type import ArrayType

UNBOUND = Refused("its named axis is not bound here; run it inside the vmap or shard_map that names the axis")


class Collective(Op, abstract=True):
    """Base of reductions over named axes of several operands."""

    axes: tuple
    axis_index_groups: object = field(None)

    multiple = True
    lower = UNBOUND

    @property
    def effects(self):
        return frozenset(NamedAxis(a) for a in self.axes if not isinstance(a, int))

    def result(self, *ins):
        positional = [a for a in self.axes if isinstance(a, int)]
        if not positional:
            return ins
        return tuple(t.with_shape(tuple(n for i, n in enumerate(t.shape) if i not in positional)) for t in ins)

    def batch(self, args, axes, batching):
        if batching.name in self.axes:
            rest = tuple(a for a in self.axes if a != batching.name)
            outs = [self.over_lanes(x, a, batching) for x, a in zip(args, axes)]
            outs = bind(type(self)(rest, self.axis_index_groups), *outs) if rest else outs
            return outs, [None] * len(outs)
        return bind(self, *args), list(axes)


class Psum(Collective):
    """Sum over named axes."""

    derivative = LINEAR

    def over_lanes(self, x, axis, batching):
        if axis is None:
            return mul(x, full_scalar(x, batching.size))
        return reduce_sum(x, (axis,))

    def transpose(self, cts, *args):
        given = [ct for ct in cts if ct is not None]
        outs = iter(bind(self, *given))
        found = [next(outs) if ct is not None else None for ct in cts]
        return [f if is_linear(a) else None for f, a in zip(found, args)]


class Pmax(Collective):
    """Maximum over named axes."""

    derivative = Refused("use psum of a masked value, or vmap with gnomon.numpy.max, where a derivative is needed")
    transpose = Refused("the maximum is not linear")

    def over_lanes(self, x, axis, batching):
        return x if axis is None else bind(ReduceMax((axis,)), x)


class Pmin(Collective):
    """Minimum over named axes."""

    derivative = Refused("use psum of a masked value, or vmap with gnomon.numpy.min, where a derivative is needed")
    transpose = Refused("the minimum is not linear")

    def over_lanes(self, x, axis, batching):
        return x if axis is None else bind(ReduceMin((axis,)), x)


class AxisIndex(Op):
    """The position along a named axis, an int32 scalar."""

    axis_name: object

    derivative = ZERO
    transpose = Refused("it has no operands")
    lower = UNBOUND

    @property
    def effects(self):
        return frozenset([NamedAxis(self.axis_name)])

    def result(self):
        return ArrayType((), np.dtype("int32"))

    def batch(self, args, axes, batching):
        return bind(Iota(np.dtype("int32"), (batching.size,), 0)), 0


def axis_size(name):
    """The size of a named axis in scope; NameError where there is none."""
    if isinstance(name, (tuple, list)):
        out = 1
        for n in name:
            out *= axis_size(n)
        return out
    try:
        return local.axes[name]
    except (KeyError, TypeError):
        known = ", ".join(map(repr, local.axes)) or "none"
        raise NameError(f"unbound axis name: {name}. The named axes in scope are: {known}. Name one with vmap's axis_name.") from None


def check_axes(axes):
    axes = tuple(axes) if isinstance(axes, (tuple, list)) else (axes,)
    for a in axes:
        if not isinstance(a, int):
            axis_size(a)
    return axes


def collective(op_class, values, axes, groups=None):
    """Apply a collective to values; booleans are summed as integers."""
    axes = check_axes(axes)
    if groups is not None:
        raise Refused("axis_index_groups is not there yet; split the axis in two and reduce over one of them")
    values = [convert_element_type(v, np.dtype("int32")) if op_class is Psum and is_bool(v.type.dtype) else v for v in values]
    if not axes or not values:
        return values
    return bind(op_class(axes, None), *values)
