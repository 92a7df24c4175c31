"""Batching of primitives of one's own."""
from __future__ import annotations

from gnomon.api.absent import Absent as _Absent
from gnomon.ops.shape import broadcast_in_dim as _broadcast_in_dim, moveaxis as _moveaxis
from gnomon.ops.user import Rules as _Rules, own as _own
from gnomon.trace.stage import value_of as _value_of

not_mapped = None       # the dimension of an operand that is the same in all lanes
primitive_batchers = _Rules("batch")


class _WithAxisData(_Rules):
    """Rules that are also given the axis: an object with its `size` and `name`."""

    def __setitem__(self, prim, rule):
        def with_data(axis_data, args, dims, **params):
            return rule(axis_data, args, dims, **params)
        with_data.takes_axis_data = True
        _own(prim).rules["batch"] = with_data


class _WithAxis(_WithAxisData):
    """Rules that are also given the axis's size and name, and None in the place of JAX's tracers."""

    def __setitem__(self, prim, rule):
        super().__setitem__(prim, lambda axis, args, dims, **params: rule(axis.size, axis.name, None, args, dims, **params))


fancy_primitive_batchers, axis_primitive_batchers = _WithAxisData("batch"), _WithAxis("batch")
batch_jaxpr_axes = _Absent("batch_jaxpr_axes", "batch a program by gnomon.vmap of gnomon.core.jaxpr_as_fun(program)")
batch_subtrace = _Absent("batch_subtrace", "there are no traces to enter; use gnomon.vmap")
_VMAPPABLE = "only arrays and trees of arrays are mapped; register the class as a tree with gnomon.tree_util"
register_vmappable, unregister_vmappable = (_Absent(n, _VMAPPABLE) for n in ("register_vmappable", "unregister_vmappable"))
zero_if_mapped = _Absent("zero_if_mapped", "it is a mark of JAX's own rules for cotangents; sum over the mapped axis in the rule")


def broadcast(x, sz, axis, mesh_axis=None):
    """A value with a new dimension of size `sz` at `axis`."""
    x = _value_of(x)
    shape = x.type.shape
    kept = tuple(i for i in range(len(shape) + 1) if i != axis)
    return _broadcast_in_dim(x, (*shape[:axis], sz, *shape[axis:]), kept)


def bdim_at_front(x, bdim, size, mesh_axis=None):
    """A value with its mapped dimension in front, made by broadcasting where it has none."""
    return broadcast(x, size, 0) if bdim is None else _moveaxis(_value_of(x), bdim, 0)


def _aligned(args, dims):
    """The mapped operands with their dimension in front, and others with a dimension of size 1 there, if they have any."""
    rank = max(_value_of(x).ndim - (d is not None) for x, d in zip(args, dims))
    out = []
    for x, d in zip(args, dims):
        x = _value_of(x)
        if d is not None:
            x = _moveaxis(x, d, 0)
            if x.ndim - 1 < rank:
                x = x.reshape((x.shape[0], *(1,) * (rank - x.ndim + 1), *x.shape[1:]))
        out.append(x)
    return out


def defvectorized(prim):
    """A primitive that works element by element on operands with the same mapped dimension."""
    def rule(args, dims, **params):
        if len({d for d in dims if d is not None}) == 1 and all(d is not None for d in dims):
            return prim.bind(*args, **params), dims[0]
        size = next(_value_of(x).shape[d] for x, d in zip(args, dims) if d is not None)
        return prim.bind(*[bdim_at_front(x, d, size) for x, d in zip(args, dims)], **params), 0
    primitive_batchers[prim] = rule


def defbroadcasting(prim):
    """A primitive that works element by element and broadcasts its operands as NumPy does."""
    def rule(args, dims, **params):
        return prim.bind(*_aligned(args, dims), **params), 0
    primitive_batchers[prim] = rule


def defreducer(prim):
    """A primitive of one operand that reduces over its parameter `axes`."""
    def rule(args, dims, *, axes, **params):
        (x,), (d,) = args, dims
        shifted = tuple(a + (a >= d) for a in axes)
        return prim.bind(x, axes=shifted, **params), d - sum(a < d for a in shifted)
    primitive_batchers[prim] = rule
