"""Collectives over named axes that combine values number by number, and the two that change over which axes a value varies.

Over an axis of vmap a collective becomes plain ops on that dimension; over a manual mesh axis it is a collective of devices. Of a value
inside shard_map its type says over which manual axes it varies: `PsumInvariant` sums over them and takes them away, `Pvary` adds them,
and each is the other's transpose. Where types do not say it (vmap, check_vma=False) the sum is `Psum`, its own transpose.
"""
from __future__ import annotations

import math

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.op import LINEAR, RETAG, VARY, ZERO, Op, field, is_linear
from gnomon.ops.arithmetic import div, mul
from gnomon.ops.compare import eq, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.reductions import ReduceMax, ReduceMin
from gnomon.ops.shape import Iota, Same, broadcast_in_dim, full, reduce_sum, reshape
from gnomon.ops.slicing import concatenate, slice_in_dim
from gnomon.trace.context import local
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_bool
from gnomon.types.effect import NamedAxis
from gnomon.types.value_type import NOWHERE, ArrayType, Tag, flipped, tags_of

INT32 = np.dtype("int32")


def show_axes(op, parameter, value):
    """Axes stand in programs as Python writes them."""
    return repr(value) if value.__class__ is tuple else str(value)


@property
def on_names(op):
    """The effects of an op over the named axes `op.names`."""
    return frozenset([NamedAxis(a) for a in op.names])


class Collective(Op, abstract=True):
    """Base of ops over named axes of several operands."""

    axes: tuple
    axis_index_groups: object = field(None)

    multiple = True
    joins_varying = False
    show_parameter = show_axes
    names = property(lambda self: self.axes)
    effects = on_names

    def result(self, *ins):
        return tuple([t.update(varying=without(t.varying, self.axes)) for t in ins])

    def over(self, axes):
        """The same over other axes."""
        return self.replace(axes=axes)

    def batch(self, args, axes, batching):
        if batching.name not in self.axes:
            return bind(self, *args), list(axes)
        rest = tuple([a for a in self.axes if a != batching.name])
        if self.axis_index_groups is not None:
            check_no_rest(self, rest)
            outs = []
            for x, a in zip(args, axes):
                lanes = group_lanes(batching.front(x, a), self.axis_index_groups)
                whole = self.over_lanes(lanes, 1, lanes.type.shape[1])
                outs.append(ungroup_lanes(along_groups(whole, lanes.type.shape[1]), self.axis_index_groups))
            return outs, [0] * len(outs)
        outs = [self.over_lanes(x, a, batching.size) for x, a in zip(args, axes)]
        return bind(self.over(rest), *outs) if rest else outs, [None] * len(outs)

    def lower(self, emit, *xs):
        groups = emit.replica_groups(self.axes, self.axis_index_groups)
        if len(groups[0]) == 1:
            return xs
        return [emit.all_reduce(self.combines, x, groups) for x in xs]


def check_no_rest(op, rest):
    if rest:
        raise Refused(f"{op.name} with axis_index_groups, or over several axes of which vmap has one, is there for one axis at a time; "
                      "apply it to one axis after the other")


def take_rows(x, order):
    """The rows of a value in another order, known beforehand."""
    return concatenate([slice_in_dim(x, int(i), int(i) + 1, 0) for i in order], 0)


def group_lanes(x, groups):
    """Lanes in front as (groups, lanes of a group, ...)."""
    order = np.asarray(groups)
    return reshape(take_rows(x, order.ravel()), (*order.shape, *x.type.shape[1:]))


def ungroup_lanes(x, groups):
    """The inverse of `group_lanes`."""
    shape = x.type.shape
    return take_rows(reshape(x, (shape[0] * shape[1], *shape[2:])), np.argsort(np.asarray(groups).ravel()))


def along_groups(x, size):
    """One value per group, repeated for each of its lanes."""
    shape = x.type.shape
    return broadcast_in_dim(x, (shape[0], size, *shape[1:]), (0, *range(2, len(shape) + 1)))


class Sum(Collective, abstract=True):
    """Base of the two sums."""

    derivative = LINEAR
    combines = "stablehlo.add"

    def over_lanes(self, x, axis, size):
        if axis is None:
            return mul(x, full_scalar(x, size))
        return reduce_sum(x, (axis,))


class Psum(Sum):
    """Sum over named axes; its cotangents are summed as well."""

    def transpose(self, cts, *args):
        given = [ct for ct in cts if ct is not None]
        outs = iter(bind(self, *given))
        found = [next(outs) if ct is not None else None for ct in cts]
        return [f if is_linear(a) else None for f, a in zip(found, args)]


class PsumInvariant(Sum):
    """Sum over manual axes that the operands vary over; the results do not."""

    axis_index_groups: object = field(None, show="nondefault")

    def transpose(self, cts, *args):
        return [vary(ct, self.axes) if ct is not None and is_linear(a) else None for ct, a in zip(cts, args)]


class Cast(Same, abstract=True):
    """Base of ops that give the same value, and change what its type says of manual axes."""

    axes: tuple

    joins_varying = False
    show_parameter = show_axes
    on_keys = True
    names = property(lambda self: self.axes)
    effects = on_names


class Pvary(Cast):
    """The same value, its type saying that it varies over more manual axes."""

    def result(self, x):
        twice = x.varying.intersection(self.axes)
        if twice:
            raise ValueError(f"pvary got a value of type {x}, which varies over {sorted(map(str, twice))} already.")
        return x.update(varying=x.varying.union(self.axes))

    def transpose(self, ct, x):
        return bind(PsumInvariant(self.axes), ct)[0],


def vary(x, axes):
    """The same value as one that varies over these manual axes too."""
    tags = tags_of(axes)
    return retag(x, x.type.varying | axes) if tags else bind(Pvary(tuple(sorted(axes, key=str))), x)


VARY[0] = vary


def without(varying, axes):
    """What is left of axes and their tags when these axes are gone."""
    return varying - frozenset(axes) - {t for t in tags_of(varying) if t.axis in axes}


class Preduced(Pvary):
    """The same value as one that varies, with values that are all the same; those of its cotangent are summed here, and not before."""

    def result(self, x):
        return super().result(x).update(varying=x.varying.union(self.axes, [Tag("R", a) for a in self.axes]))


class TagCast(Cast, abstract=True):
    """Base of ops that change what a type says of axes that a value varies over already."""

    def transpose(self, ct, x):
        return retag(ct, flipped(x.type.varying)),


class VaryUnreducedCast(TagCast):
    """The same value as one that is still to be summed over the axes."""

    def result(self, x):
        return x.update(varying=x.varying.union([Tag("U", a) for a in self.axes]))


class ReducedVaryCast(TagCast):
    """A value that is the same everywhere as one that need not be."""

    def result(self, x):
        return x.update(varying=x.varying.difference([Tag("R", a) for a in self.axes]))


class Retag(TagCast):
    """The same value with these tags and no others, where another program goes on with it."""

    axes: tuple = field((), show="never")
    varying: frozenset

    def result(self, x):
        return x.update(varying=self.varying)


def retag(x, varying):
    """The same value as one that varies over exactly these manual axes (among them those that it did before), with exactly these tags."""
    have, tags = x.type.varying, tags_of(varying)
    if have == varying:
        return x
    more = tuple(sorted(varying - tags - have, key=str))
    if more and all(Tag("R", a) in tags for a in more):
        x = bind(Preduced(more), x)
    elif more:
        x = bind(Pvary(more), x)
    have = tags_of(x.type.varying)
    if have == tags:
        return x
    gone, new = have - tags, tags - have
    if not new and all(t.kind == "R" for t in gone):
        return bind(ReducedVaryCast(tuple(sorted([t.axis for t in gone], key=str))), x)
    if not gone and all(t.kind == "U" for t in new):
        return bind(VaryUnreducedCast(tuple(sorted([t.axis for t in new], key=str))), x)
    return bind(Retag((), varying), x)


RETAG[0] = retag


def made_vary(x, varying):
    """The value as one that varies over exactly these manual axes and those that it did before."""
    more = varying - x.type.varying
    return vary(x, more) if more else x


def cotangent_varying(ct, varying):
    """A cotangent for a value that varies over exactly these manual axes: what it varies over besides is summed."""
    ct = retag(ct, ct.type.varying - tags_of(ct.type.varying)) if Tag.made else ct
    varying = varying - tags_of(varying)
    extra = ct.type.varying - varying
    return made_vary(bind(PsumInvariant(tuple(sorted(extra, key=str))), ct)[0] if extra else ct, varying)


class Extreme(Collective, abstract=True):
    """Base of the maximum and the minimum. Where several positions have it, they share its derivative alike, as in a maximum over a
    dimension."""

    transpose = Refused("the maximum and the minimum are not linear")

    def derivative(self, args, tangents):
        outs = bind(self, *args)
        return outs, [None if t is None else self.moved(x, out, t) for x, out, t in zip(args, outs, tangents)]

    def moved(self, x, out, tangent):
        here = eq(x, out)
        ones, nothing = [full(tangent.type.update(sharding=None, varying=NOWHERE, weak_type=False), n) for n in (1, 0)]
        moves, counts = [select_n(here, nothing, v) for v in (tangent, ones)]
        total = PsumInvariant(self.axes) if x.type.varying.issuperset(self.axes) else Psum(self.axes, self.axis_index_groups)
        return div(bind(total, moves)[0], bind(total, counts)[0])       # one sum each: the counts are no part of the linear program


class Pmax(Extreme):
    """Maximum over named axes."""

    combines = "stablehlo.maximum"

    def over_lanes(self, x, axis, size):
        return x if axis is None else bind(ReduceMax((axis,)), x)


class Pmin(Extreme):
    """Minimum over named axes."""

    combines = "stablehlo.minimum"

    def over_lanes(self, x, axis, size):
        return x if axis is None else bind(ReduceMin((axis,)), x)


class AxisIndex(Op):
    """The position along a named axis, an int32 scalar. `varies`: whether types say that it varies over it."""

    axis_name: str | tuple
    varies: bool = field(False, show="never", read=lambda ins, outs, shown: bool(outs[0].varying))

    derivative = ZERO
    transpose = Refused("it has no operands")
    names = property(lambda self: (self.axis_name,))
    effects = on_names

    def result(self):
        return ArrayType((), INT32, varying=frozenset([self.axis_name]) if self.varies else NOWHERE)

    def lower(self, emit):
        return emit.axis_index(self.axis_name)

    def batch(self, args, axes, batching):
        return bind(Iota(INT32, (batching.size,), 0)), 0


# ---- names in scope --------------------------------------------------------------------------------------------------

def axis_size(name, what=None):
    """The size of a named axis in scope, or of several together; NameError where there is none."""
    if isinstance(name, (tuple, list)):
        return math.prod([axis_size(n, what) for n in name])
    try:
        return local.axes[name]
    except (KeyError, TypeError):
        known = ", ".join(map(repr, local.axes)) or "none"
        asked = f" in a call of {what}" if what else ""
        raise NameError(f"unbound axis name: {name}{asked}. The named axes in scope are: {known}. Name one with vmap's axis_name, or call "
                        "it under shard_map on a mesh that has it.") from None


def as_axes(axis_name, what):
    """The axes as a tuple; each name must be in scope and stand once."""
    axes = tuple(axis_name) if isinstance(axis_name, (tuple, list)) else (axis_name,)
    for a in axes:
        if not isinstance(a, int):
            axis_size(a, what)
    if len(set(axes)) != len(axes):
        raise ValueError(f"{what} got an axis name twice: {axes}. Name each axis once.")
    return axes


def as_groups(groups, axes, what):
    """axis_index_groups as a tuple of tuples that cover the axis's positions, or ValueError."""
    if groups is None:
        return None
    groups = tuple([tuple([int(i) for i in g]) for g in groups])
    size = axis_size(axes, what)
    if sorted(i for g in groups for i in g) != list(range(size)):
        raise ValueError(f"{what}: axis_index_groups must hold each index of the axis, 0 to {size - 1}, once, got {list(map(list, groups))}.")
    if len({len(g) for g in groups}) != 1:
        raise ValueError(f"{what}: the groups of axis_index_groups must have the same size, got {list(map(list, groups))}.")
    return groups


def varying_over(values, axes):
    """The values, those of the axes that types speak of being among those they vary over."""
    manual = local.manual.intersection(axes)
    if not manual:
        return list(values)
    return [vary(v, manual - v.type.varying) if manual - v.type.varying else v for v in values]


def collective(op_class, values, axes, groups=None):
    """Apply a collective to values; booleans are summed as integers."""
    what = op_class.__name__.lower()
    axes = as_axes(axes, what)
    values = [convert_element_type(v, INT32) if op_class is Psum and is_bool(v.type.dtype) else v for v in values]
    places = tuple([a for a in axes if isinstance(a, int)])
    if places:
        values = [over_places(op_class, v, places, what) for v in values]
    axes = tuple([a for a in axes if not isinstance(a, int)])
    if not axes or not values:
        return values
    groups = as_groups(groups, axes, what)
    checked = tuple([a for a in axes if a in local.manual])
    if groups is not None and checked:
        raise Refused(f"{what} with axis_index_groups leaves a value that varies between groups, which types cannot say; use "
                      "shard_map(check_vma=False), or a mesh with one axis more")
    values = varying_over(values, axes)
    if op_class is not Psum:
        refuse_sums(what, values, axes)
    if op_class is Psum and checked:
        rest = tuple([a for a in axes if a not in local.manual])
        values = bind(Psum(rest), *values) if rest else values
        return bind(PsumInvariant(checked), *values)
    return bind(op_class(axes, groups), *values)


def refuse_sums(what, values, axes):
    """ValueError for a value that is still to be summed over one of the axes."""
    for v in values:
        for tag in tags_of(v.type.varying):
            if tag.kind == "U" and tag.axis in axes:
                raise ValueError(f"{what} got a value of type {v.type}, which is still to be summed over the axis {tag.axis!r}. Sum it first: "
                                 f"lax.psum(x, {tag.axis!r}).")


def over_places(op_class, x, places, what):
    """The reduction over dimensions that stand among the names."""
    n = x.type.ndim
    if any(not -n <= p < n for p in places):
        raise ValueError(f"{what} got the dimensions {places} for a value of type {x.type}; they must be less than {n}.")
    places = tuple([p % n for p in places])
    return reduce_sum(x, places) if op_class is Psum else bind((ReduceMax if op_class is Pmax else ReduceMin)(places), x)
