"""Collectives over named axes, as functions of trees."""
from __future__ import annotations

from gnomon.base.tree import tree_flatten, tree_unflatten
from gnomon.numpy.promote import as_value
from gnomon.ops import collectives as ops
from gnomon.ops.arithmetic import div
from gnomon.ops.elementwise import full_scalar
from gnomon.numpy.promote import to_inexact
from gnomon.trace.stage import bind

__all__ = ["psum", "pmean", "pmax", "pmin", "axis_index", "axis_size"]


def _over_tree(op_class, x, axis_name, groups):
    leaves, tree = tree_flatten(x)
    values = [as_value(v, op_class.__name__.lower(), i) for i, v in enumerate(leaves)]
    return tree_unflatten(tree, ops.collective(op_class, values, axis_name, groups))


def psum(x, axis_name, *, axis_index_groups=None):
    """The sum of a tree of arrays over one or several named axes; the same in all lanes. NameError for an unknown axis.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: psum(x, "i"), axis_name="i")(jnp.arange(3)).tolist()
    [3, 3, 3]
    """
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        return x * ops.axis_size(axis_name)
    return _over_tree(ops.Psum, x, axis_name, axis_index_groups)


def pmean(x, axis_name, *, axis_index_groups=None):
    """The mean of a tree of arrays over named axes.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: pmean(x, "i"), axis_name="i")(jnp.arange(3.0)).tolist()
    [1.0, 1.0, 1.0]
    """
    n = ops.axis_size(axis_name)
    leaves, tree = tree_flatten(x)
    values = [to_inexact(as_value(v, "pmean", i)) for i, v in enumerate(leaves)]
    sums = ops.collective(ops.Psum, values, axis_name, axis_index_groups)
    return tree_unflatten(tree, [div(s, full_scalar(s, n)) for s in sums])


def pmax(x, axis_name, *, axis_index_groups=None):
    """The maximum of a tree of arrays over named axes."""
    return _over_tree(ops.Pmax, x, axis_name, axis_index_groups)


def pmin(x, axis_name, *, axis_index_groups=None):
    """The minimum of a tree of arrays over named axes."""
    return _over_tree(ops.Pmin, x, axis_name, axis_index_groups)


def axis_index(axis_name):
    """The position along a named axis, an int32 scalar (row-major for several).

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: axis_index("i"), axis_name="i")(jnp.zeros(3)).tolist()
    [0, 1, 2]
    """
    if not isinstance(axis_name, (tuple, list)):
        ops.axis_size(axis_name)
        return bind(ops.AxisIndex(axis_name))
    index = 0
    for name in axis_name:
        index = index * ops.axis_size(name) + axis_index(name)
    return index


def axis_size(axis_name):
    """The size of a named axis in scope."""
    return ops.axis_size(axis_name)
