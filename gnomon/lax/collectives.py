"""Collectives over named axes, as functions of trees."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.base.tree import register_pytree_node, tree_flatten, tree_unflatten
from gnomon.numpy.promote import as_value, to_inexact
from gnomon.ops import collectives as ops
from gnomon.ops import collectives_moving as moving
from gnomon.ops.arithmetic import div
from gnomon.ops.compare import eq, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.nested.ragged_exchange import RaggedAllToAll
from gnomon.ops.shape import broadcast_in_dim, expand_dims, squeeze, zeros
from gnomon.trace.context import local
from gnomon.trace.stage import Tracer, bind
from gnomon.types.value_type import Tag, tags_of

__all__ = ["all_gather", "all_to_all", "axis_index", "axis_size", "pbroadcast", "pcast", "pmax", "pmean", "pmin", "ppermute", "precv", "psend",
           "pshuffle", "psum", "psum_scatter", "psum_scatter_start", "pswapaxes", "ragged_all_to_all"]


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
        axes = ops.as_axes(axis_name, "psum")
        groups = ops.as_groups(axis_index_groups, axes, "psum")
        return x * (ops.axis_size(axes) if groups is None else len(groups[0]))
    return _over_tree(ops.Psum, x, axis_name, axis_index_groups)


def pmean(x, axis_name, *, axis_index_groups=None):
    """The mean of a tree of arrays over named axes.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: pmean(x, "i"), axis_name="i")(jnp.arange(3.0)).tolist()
    [1.0, 1.0, 1.0]
    """
    leaves, tree = tree_flatten(x)
    values = [to_inexact(as_value(v, "pmean", i)) for i, v in enumerate(leaves)]
    sums = ops.collective(ops.Psum, values, axis_name, axis_index_groups)
    n = psum(1, [a for a in ops.as_axes(axis_name, "pmean") if not isinstance(a, int)], axis_index_groups=axis_index_groups)
    n = [n * (v.type.size // s.type.size if s.type.size else 1) for v, s in zip(values, sums)]
    return tree_unflatten(tree, [div(s, full_scalar(s, k)) for s, k in zip(sums, n)])


def pmax(x, axis_name, *, axis_index_groups=None):
    """The maximum of a tree of arrays over named axes.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: pmax(x, "i"), axis_name="i")(jnp.arange(3)).tolist()
    [2, 2, 2]
    """
    return _over_tree(ops.Pmax, x, axis_name, axis_index_groups)


def pmin(x, axis_name, *, axis_index_groups=None):
    """The minimum of a tree of arrays over named axes.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: pmin(x, "i"), axis_name="i")(jnp.arange(3)).tolist()
    [0, 0, 0]
    """
    return _over_tree(ops.Pmin, x, axis_name, axis_index_groups)


def axis_index(axis_name):
    """The position along a named axis, an int32 scalar (row-major for several).

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: axis_index("i"), axis_name="i")(jnp.zeros(3)).tolist()
    [0, 1, 2]
    """
    if not isinstance(axis_name, (tuple, list)):
        ops.axis_size(axis_name, "axis_index")
        return bind(ops.AxisIndex(axis_name, axis_name in local.manual))
    index = 0
    for name in axis_name:
        index = index * ops.axis_size(name, "axis_index") + axis_index(name)
    return index


def axis_size(axis_name):
    """The size of a named axis in scope, or of several together.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: x * axis_size("i"), axis_name="i")(jnp.arange(3)).tolist()
    [0, 3, 6]
    """
    return ops.axis_size(axis_name, "axis_size")


# ---- data that moves -------------------------------------------------------------------------------------------------

def _each(what, x, axis_name, groups, apply):
    """`apply(value, names, groups, size)` for each array of a tree."""
    names = ops.as_axes(axis_name, what)
    if any(isinstance(a, int) for a in names):
        raise TypeError(f"{what} is over named axes, got {axis_name!r}.")
    groups = ops.as_groups(groups, names, what)
    size = ops.axis_size(names) if groups is None else len(groups[0])
    leaves, tree = tree_flatten(x)
    values = ops.varying_over([as_value(v, what, i) for i, v in enumerate(leaves)], names)
    if Tag.made:
        if what != "psum_scatter":
            ops.refuse_sums(what, values, names)
        values = [ops.retag(v, v.type.varying - {t for t in tags_of(v.type.varying) if t.axis in names}) for v in values]
    return tree_unflatten(tree, [apply(v, names, groups, size) for v in values])


def _dimension(what, axis, rank, called):
    if not -rank <= axis < rank:
        raise ValueError(f"{what}: {called}={axis} is not a dimension of a value with {rank} of them.")
    return axis % rank


def all_gather(x, axis_name, *, axis_index_groups=None, axis=0, tiled=False, to="varying"):
    """The values of all positions along a named axis, for each array of a tree: along a new dimension `axis`, or with `tiled` one behind the
    other along the old one. With `to="invarying"` (under shard_map) the type says that the result is the same everywhere, with
    `to="reduced"` that it is so and cotangents of it are summed where it was gathered.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: all_gather(x, "i"), axis_name="i")(jnp.arange(2)).tolist()
    [[0, 1], [0, 1]]
    """
    if to not in ("varying", "invarying", "reduced"):
        raise ValueError(f"Got unexpected `to` value for `jax.lax.all_gather`: {to!r}. Allowed `to` values are 'varying', 'invarying' and 'reduced'.")
    invariant = to == "invarying"
    if to != "varying" and not set(ops.as_axes(axis_name, "all_gather")) <= local.manual:
        raise ValueError(f"all_gather(to={to!r}) is for manual axes of shard_map(check_vma=True); leave `to` out elsewhere.")

    def gather(v, names, groups, size):
        d = _dimension("all_gather", axis, v.type.ndim + (not tiled), "axis")
        if invariant and groups is not None:
            raise Refused("all_gather(to='invarying') with axis_index_groups varies between groups; use to='varying'")
        out = bind((moving.AllGatherInvariant if invariant else moving.AllGather)(d, groups, names, size, bool(tiled)), v)
        return ops.retag(out, out.type.varying.union([Tag("R", a) for a in names])) if to == "reduced" else out
    return _each("all_gather", x, axis_name, axis_index_groups, gather)


def psum_scatter(x, axis_name, *, scatter_dimension=0, axis_index_groups=None, tiled=False):
    """The sum over a named axis, of which each position keeps its part along `scatter_dimension`: the dimension goes, and had the axis's size,
    or (`tiled`) it is divided by it.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: psum_scatter(x, "i"), axis_name="i")(jnp.arange(4).reshape(2, 2)).tolist()
    [2, 4]
    """
    def scatter(v, names, groups, size):
        d = _dimension("psum_scatter", scatter_dimension, v.type.ndim, "scatter_dimension")
        return bind(moving.ReduceScatter(groups, names, size, d, bool(tiled)), v)
    return _each("psum_scatter", x, axis_name, axis_index_groups, scatter)


def all_to_all(x, axis_name, split_axis, concat_axis, *, axis_index_groups=None, tiled=False):
    """Each position cuts its value along `split_axis`, sends one piece to each, and puts those that it receives along `concat_axis`.

    Without `tiled` the dimension `split_axis` has the axis's size and goes, and `concat_axis` is a new one of that size.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: all_to_all(x, "i", 0, 0), axis_name="i")(jnp.arange(4).reshape(2, 2)).tolist()
    [[0, 2], [1, 3]]
    """
    def exchange(v, names, groups, size):
        split = _dimension("all_to_all", split_axis, v.type.ndim, "split_axis")
        concat = _dimension("all_to_all", concat_axis, v.type.ndim, "concat_axis")
        n = v.type.shape[split]
        if not tiled and n != size:
            raise ValueError(f"all_to_all requires the size of the mapped axis axis_name to equal x.shape[split_axis], but they are {size} and "
                             f"{n} respectively.")
        if tiled and n % size:
            raise ValueError(f"The size of all_to_all split_axis ({n}) has to be divisible by the size of the named axis {axis_name} ({size})")
        if not tiled:
            if concat >= split:
                concat += 1
            else:
                split += 1
            v = expand_dims(v, (concat,))
        out = bind(moving.AllToAll(groups, names[0] if len(names) == 1 else names, concat, split, bool(tiled), size), v)
        return out if tiled else squeeze(out, (split,))
    return _each("all_to_all", x, axis_name, axis_index_groups, exchange)


def _pairs(perm):
    return tuple([(int(i), int(j)) for i, j in perm])


def ppermute(x, axis_name, perm):
    """Sends the value of position i to position j for each pair (i, j) of `perm`; positions that receive nothing get zeros.

    ValueError if an index is out of range, or sends or receives twice.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: ppermute(x, "i", [(0, 1), (1, 2)]), axis_name="i")(jnp.arange(1, 4)).tolist()
    [0, 1, 2]
    """
    pairs = _pairs(perm)
    size = ops.axis_size(axis_name, "ppermute")
    for what, ends in (("source", [i for i, _ in pairs]), ("destination", [j for _, j in pairs])):
        if len(set(ends)) != len(ends) or not all(0 <= i < size for i in ends):
            raise ValueError(f"ppermute sources and destinations must be unique and within the axis {axis_name!r} of size {size}, but the {what}s "
                             f"are {ends}.")
    return _each("ppermute", x, axis_name, None, lambda v, names, groups, n: bind(moving.Ppermute(names, pairs), v))


def pshuffle(x, axis_name, perm):
    """The values in another order along a named axis: position i gets that of `perm[i]`. ValueError if `perm` is not a permutation.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: pshuffle(x, "i", [2, 0, 1]), axis_name="i")(jnp.arange(3)).tolist()
    [2, 0, 1]
    """
    perm = [int(i) for i in perm]
    if sorted(perm) != list(range(ops.axis_size(axis_name, "pshuffle"))):
        raise ValueError(f"pshuffle: `perm` does not represent a permutation of the axis {axis_name!r}: {perm}")
    return ppermute(x, axis_name, list(zip(perm, range(len(perm)))))


def pswapaxes(x, axis_name, axis, *, axis_index_groups=None):
    """The named axis and the dimension `axis`, of one size, change places.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: pswapaxes(x, "i", 0), axis_name="i")(jnp.arange(4).reshape(2, 2)).tolist()
    [[0, 2], [1, 3]]
    """
    return all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


def pbroadcast(x, axis_name, source):
    """The value of position `source` of a named axis, everywhere. ValueError if it is out of range; a traced `source` that is gives zeros.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: pbroadcast(x, "i", 1), axis_name="i")(jnp.arange(3)).tolist()
    [1, 1, 1]
    """
    size = ops.axis_size(axis_name, "pbroadcast")
    if isinstance(source, Tracer):
        def from_there(v, names, groups, n):
            here = eq(axis_index(axis_name), convert_element_type(source, ops.INT32))
            kept = select_n(broadcast_in_dim(here, v.type.shape), zeros(v.type), v)
            total, = ops.varying_over(ops.collective(ops.Psum, [kept], axis_name), names)
            return convert_element_type(total, v.type.dtype)        # booleans are summed as integers
        return _each("pbroadcast", x, axis_name, None, from_there)
    if not 0 <= source < size:
        raise ValueError(f"pbroadcast: source {source} is not a position of the axis {axis_name!r} of size {size}.")
    return _each("pbroadcast", x, axis_name, None,
                 lambda v, names, groups, n: bind(moving.Pbroadcast(names[0] if len(names) == 1 else names, int(source)), v))


def pcast(x, axis_name, *, to):
    """Under shard_map, the same values with a type that says something else of the named axes: that they vary over them (`to="varying"`),
    that they are the same everywhere and their cotangents still to be summed (`to="reduced"`), or that varying values are still to be
    summed (`to="unreduced"`), by psum or psum_scatter; until then only what is linear may be done with them. ValueError where the type
    says so already, or something that does not become the other.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> from gnomon.sharding import PartitionSpec as P
    >>> each = gnomon.shard_map(lambda x: pcast(x, "x", to="varying"), mesh=gnomon.make_mesh((1,), ("x",)), in_specs=P(), out_specs=P("x"))
    >>> each(jnp.arange(2)).tolist()
    [0, 1]
    """
    if to not in ("varying", "unreduced", "reduced"):
        raise ValueError(f"Got unexpected `to` value for pcast: {to!r}. Allowed `to` values are 'varying', 'unreduced' and 'reduced'.")
    names = ops.as_axes(axis_name, "pcast")
    if not local.manual.issuperset(names):
        raise ValueError(f"pcast is for manual axes of shard_map(check_vma=True), and {axis_name!r} is none here.")
    leaves, tree = tree_flatten(x)
    return tree_unflatten(tree, [_cast(as_value(v, "pcast", i), names, to) for i, v in enumerate(leaves)])


def _cast(v, names, to):
    have = v.type.varying
    before = {"unreduced" if Tag("U", a) in have else "reduced" if Tag("R", a) in have else "varying" if a in have else "invarying" for a in names}
    if to == "varying" and before <= {"invarying", "varying"}:
        return ops.vary(v, names)
    if to == "varying" and before == {"reduced"}:
        return ops.retag(v, have - {Tag("R", a) for a in names})
    if to == "reduced" and before == {"invarying"} or to == "unreduced" and before == {"varying"}:
        return ops.retag(v, have.union(names, [Tag(to[0].upper(), a) for a in names]))
    raise ValueError(f"Unsupported pcast from={', '.join(sorted(before))}, to={to!r}: it got a value of type {v.type}. Values that vary become "
                     "unreduced, those that do not reduced, and reduced ones varying.")


def ragged_all_to_all(operand, output, input_offsets, send_sizes, output_offsets, recv_sizes, *, axis_name, axis_index_groups=None):
    """Each position sends rows of `operand` to each other: `send_sizes[j]` rows from `input_offsets[j]` on go to position j, where they stand
    from `output_offsets[j]` on. The other rows of the result are those of `output`.

    `operand` and `output` agree in dtype and in all dimensions but the first; offsets and sizes are integer vectors with an entry for each
    position, and `recv_sizes[i]` is what position i sends. ValueError otherwise. Every position gets all operands and takes its rows.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> def send(x, sizes):
    ...     return ragged_all_to_all(x, jnp.zeros(4), jnp.array([0, 1]), sizes, axis_index("i") * jnp.array([2, 2]), sizes, axis_name="i")
    >>> gnomon.vmap(send, axis_name="i")(jnp.array([[1.0, 2, 3], [4, 5, 6]]), jnp.array([[1, 2], [1, 2]])).tolist()
    [[1.0, 0.0, 4.0, 0.0], [2.0, 3.0, 5.0, 6.0]]
    """
    what = "ragged_all_to_all"
    names = ops.as_axes(axis_name, what)
    groups = ops.as_groups(axis_index_groups, names, what)
    n = ops.axis_size(names) if groups is None else len(groups[0])
    values = [as_value(v, what, i) for i, v in enumerate((operand, output, input_offsets, send_sizes, output_offsets, recv_sizes))]
    return bind(RaggedAllToAll(names, groups, n), *ops.varying_over(values, names))[0]


class Future:
    """A value on its way, as `psum_scatter_start` gives: `done()` is the value. The compiler decides what runs meanwhile.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: psum_scatter_start(x, "i").done(), axis_name="i")(jnp.arange(4).reshape(2, 2)).tolist()
    [2, 4]
    """

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    shape = property(lambda self: self.value.shape)
    dtype = property(lambda self: self.value.dtype)

    def done(self):
        """The value."""
        return self.value

    def __repr__(self):
        return f"Future({self.value.aval})"


register_pytree_node(Future, lambda future: ((future.value,), None), lambda _, children: Future(*children))


def psum_scatter_start(x, axis_name, *, scatter_dimension=0, axis_index_groups=None, tiled=False):
    """`psum_scatter` whose result comes as a `Future`: `.done()` is the array. The other arguments are those of psum_scatter.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> gnomon.vmap(lambda x: psum_scatter_start(x, "i").done(), axis_name="i")(jnp.arange(4).reshape(2, 2)).tolist()
    [2, 4]
    """
    return Future(psum_scatter(as_value(x, "psum_scatter_start", 0), axis_name, scatter_dimension=scatter_dimension,
                               axis_index_groups=axis_index_groups, tiled=tiled))


class Sent(Future):
    """What psend has sent along an axis, for precv."""

    __slots__ = ("axis", "perm")

    def __init__(self, value, axis, perm):
        super().__init__(value)
        self.axis, self.perm = axis, perm


register_pytree_node(Sent, lambda sent: ((sent.value,), (sent.axis, sent.perm)), lambda facts, children: Sent(*children, *facts))


def psend(x, axis_name, perm):
    """Sends an array from position i of a named axis to position j for each pair (i, j) of `perm`; what it gives is for `precv`.

    ValueError if an index is out of range, or sends or receives twice.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> def f(x):
    ...     return precv(psend(x, "i", [(0, 1)]), x, "i", [(0, 1)])
    >>> gnomon.vmap(f, axis_name="i")(jnp.arange(1, 3)).tolist()
    [0, 1]
    """
    perm = _pairs(perm)
    return Sent(ppermute(as_value(x, "psend", 0), axis_name, perm), axis_name, perm)


def precv(token, out_shape, axis_name, perm):
    """The array that `psend` sent here, of the shape and dtype of `out_shape`; zeros at positions that receive nothing.

    `token` is what psend gave. ValueError for another axis, permutation or shape than it was sent with.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> def f(x):
    ...     return precv(psend(x, "i", [(1, 0)]), x, "i", [(1, 0)])
    >>> gnomon.vmap(f, axis_name="i")(jnp.arange(1, 3)).tolist()
    [2, 0]
    """
    if not isinstance(token, Sent):
        raise TypeError(f"precv takes what psend gave as its token, got {token!r}.")
    perm, sent = _pairs(perm), token.value
    if (axis_name, perm) != (token.axis, token.perm):
        raise ValueError(f"precv receives over the axis {axis_name!r} by {perm} what psend sent over {token.axis!r} by {token.perm}; they must "
                         "agree.")
    if (tuple(out_shape.shape), np.dtype(out_shape.dtype)) != (sent.type.shape, sent.type.dtype):
        raise ValueError(f"precv expects {np.dtype(out_shape.dtype)}{[*out_shape.shape]}, and psend sent a value of type {sent.type}.")
    return sent
