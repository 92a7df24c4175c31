"""vmap: a function of one example as a function of many."""
from __future__ import annotations

from gnomon.api.function import Flat, as_values, check_leaves, lazy_names, run_here, thread_refs
from gnomon.base.arguments import hashed, strings
from gnomon.base.errors import ShardingTypeError
from gnomon.base.frames import entry_point
from gnomon.base.source import function_name, named_after
from gnomon.base.tree import argument_roots, flatten_axes, tree_flatten, tree_structure, tree_unflatten
from gnomon.ir.dims import drop_dim
from gnomon.ir.jaxpr import intern
from gnomon.trace.context import lanes, named_axes
from gnomon.trace.stage import stage
from gnomon.transforms import Batching, vmap as vmap_program
from gnomon.types.size import integer


@entry_point
def vmap(fun, in_axes=0, out_axes=0, axis_name=None, axis_size=None, spmd_axis_name=None, sum_match=False):
    """Map `fun` over an axis of its arguments.

    `in_axes` is an int, None (not mapped) or a tree of them that matches the arguments or a prefix of them; what is not mapped
    reaches `fun` as it is, numbers and strings too; keyword arguments are mapped over axis 0. `out_axes` says where the mapped
    axis goes in the output. Inside, `axis_name` names the axis for collectives (`lax.psum(x, axis_name)`). Errors: ValueError where
    axes do not match arguments, sizes disagree, or an output that is None in `out_axes` depends on a mapped input.

    >>> import gnomon.numpy as jnp
    >>> vmap(jnp.dot)(jnp.ones((3, 2)), jnp.ones((3, 2))).shape
    (3,)
    """
    if not callable(fun):
        raise TypeError(f"vmap needs a function, got {type(fun).__name__}.")
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if not (in_axes is None or type(in_axes) in (int, tuple, dict)):
        in_axes = _as_axes(in_axes)
    name = function_name(fun)
    hashed("vmap", "axis_name", axis_name, "a name, such as a string")
    spmd_axis_name = None if spmd_axis_name is None else strings("vmap", "spmd_axis_name", spmd_axis_name)
    if axis_size is not None:
        axis_size = integer(axis_size, "vmap", "axis_size")
        if isinstance(axis_size, int) and axis_size < 0:
            raise ValueError(f"vmap: axis_size must not be negative, got {axis_size}.")

    @entry_point
    def vmap_f(*args, **kwargs):
        if isinstance(in_axes, tuple) and len(in_axes) != len(args):
            raise ValueError("vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments passed "
                             f"to the function, but got {len(in_axes)=} and {len(args)=} for {name}.")
        leaves, tree = tree_flatten((args, kwargs))
        names = lazy_names(fun, args, kwargs)
        args_tree = tree_structure(args)
        n_args = args_tree.num_leaves
        if isinstance(in_axes, int) or in_axes is None:
            axes = [in_axes] * n_args
        else:
            axes = flatten_axes("vmap in_axes", args_tree, in_axes, roots=tuple(argument_roots(fun, len(args))))
        axes = [*axes, *[0] * (len(leaves) - n_args)]
        held = {i: x for i, (x, a) in enumerate(zip(leaves, axes)) if a is None and not isinstance(x, TRACED)}
        if held:
            kept = [i for i in range(len(leaves)) if i not in held]
            leaves, axes, all_names = [leaves[i] for i in kept], [axes[i] for i in kept], names
            names, n_args = lambda: [all_names()[i] for i in kept], n_args - len(held)
        check_leaves(leaves, "vmap", names)
        values = as_values(leaves)
        axes = [_in_range(a, v, i, names, name, n_args) for i, (a, v) in enumerate(zip(axes, values))]
        size = _mapped_size(values, axes, names, name, axis_size)
        return _run(fun, name, values, tree, axes, size, out_axes, axis_name, spmd_axis_name, names, held)

    return named_after(vmap_f, fun, "vmap")


# Numbers that are not mapped and become inputs of the program, so that a program serves all of them; other arguments that are
# not mapped are handed on as they are.
TRACED = (float, complex)


def _as_axes(in_axes):
    leaves = tree_flatten(in_axes, lambda x: x is None)[0]
    if all(isinstance(x, int) or x is None for x in leaves):
        return in_axes
    bad = next(x for x in leaves if not (isinstance(x, int) or x is None))
    raise TypeError(f"vmap in_axes must be an int, None, or a tree of them, but it holds a {type(bad).__name__}: {bad!r}.")


def _in_range(axis, value, i, names, name, n_args):
    if axis is None:
        return None
    n = value.type.ndim
    if not isinstance(axis, int) or isinstance(axis, bool):
        raise TypeError(f"vmap in_axes must be ints or None, but argument {names()[i]} of {name} has the entry {axis!r}.")
    if not -n <= axis < n:
        advice = "Give it in_axes None to leave it unmapped."
        if i >= n_args:
            advice = "Keyword arguments are mapped over axis 0; pass it by position to give it an axis, or bind it with functools.partial."
        raise ValueError(f"vmap was requested to map its argument along axis {axis}, which implies that its rank should be at least "
                         f"{(axis if axis >= 0 else -axis - 1) + 1}, but argument {names()[i]} of {name} has type {value.type} (rank {n}). "
                         f"{advice}")
    return axis % n


def _mapped_size(values, axes, names, name, axis_size):
    sizes = [v.type.shape[a] for v, a in zip(values, axes) if a is not None]
    if not sizes:
        if axis_size is None:
            raise ValueError(f"vmap must have at least one non-None value in in_axes, or an axis_size, to know how often to map {name}.")
        return axis_size
    size = sizes[0] if axis_size is None else axis_size
    if any(n != size for n in sizes):
        lines = []
        for v, a, arg in zip(values, axes, names()):
            if a is not None:
                lines.append(f"axis {a} of argument {arg} of type {v.type} has size {v.type.shape[a]}")
        if axis_size is not None:
            lines.append(f"axis_size is {axis_size}")
        raise ValueError("vmap got inconsistent sizes for array axes to be mapped: " + ", ".join(lines) + ".")
    return size


def _run(fun, name, values, tree, axes, size, out_axes, axis_name, spmd_axis_name, names, held):
    types = [v.type if a is None else drop_dim(v.type, a) for v, a in zip(values, axes)]
    flat = Flat(fun, tree)
    known = [v if a is None else None for v, a in zip(values, axes)]
    with named_axes({axis_name: size} if axis_name is not None else None), lanes(size):
        jaxpr, captured = stage(_with(held, flat), types, name=name, kind="vmap", arg_names=names, values=known)
    who = f"vmap of {name}"
    closed, captured, values, refs = thread_refs(who, intern(jaxpr.closed()), captured, values, names)
    out_tree = flat.out_tree
    out_types = closed.out_types[:out_tree.num_leaves]
    wanted = (*_out_axes(out_axes, out_tree, out_types), *_axes_of_written(refs, captured, axes, who))
    batching = Batching(size, axis_name, *_spec(values, axes, spmd_axis_name, names, name))
    in_axes = (None,) * len(captured) + tuple(axes)
    made, found = vmap_program(closed, in_axes, batching, None, wanted)
    for i, (want, got) in enumerate(zip(wanted, found)):
        if want is None and got is not None:
            raise ValueError(f"vmap has mapped output but out_axes is None for output {i} of {name}, which depends on a mapped argument. "
                             "Give it an axis in out_axes.")
    outs = refs.store(run_here(made, [*captured, *values], f"vmap({name})"), out_tree.num_leaves)
    return tree_unflatten(out_tree, outs)


def _axes_of_written(refs, captured, axes, who):
    """The mapped axis of each reference that is written to; ValueError where it has none, as all lanes would write to one array."""
    for i, ref in zip(refs.places, refs.refs):
        a = None if i < len(captured) else axes[i - len(captured)]
        if a is None:
            raise ValueError(f"{who} writes to a mutable reference of type {ref.type} that is not mapped, so all lanes would write to the same "
                             "array. Pass it as an argument with an axis in in_axes, or return the values.")
        yield a


def _spec(values, axes, spmd_axis_name, names, name):
    """How the mapped axis is sharded, and the mesh if its axes are explicit; ShardingTypeError where arguments disagree."""
    found = {}
    for i, (v, a) in enumerate(zip(values, axes)):
        if a is not None:
            found.setdefault(v.type.spec[a] if v.type.sharding is not None else None, i)
    if len(found) > 1:
        where = " and ".join(f"axis {axes[i]} of argument {names()[i]} of type {values[i].type}" for i in found.values())
        raise ShardingTypeError(f"vmap of {name} maps over {where}, which are sharded differently. Reshard them alike "
                                "(gnomon.reshard), or do not map over one of them.")
    spec, = found or (None,)
    return (spmd_axis_name, None) if spec is None else (spec, values[found[spec]].type.sharding.mesh)


def _with(held, flat):
    """The flat function with the leaves in `held` put in their places."""
    if not held:
        return flat

    def run(*values):
        rest = iter(values)
        return flat(*[held[i] if i in held else next(rest) for i in range(len(held) + len(values))])
    return run


def _out_axes(out_axes, out_tree, out_types):
    if isinstance(out_axes, int):
        axes = [out_axes] * out_tree.num_leaves
    else:
        axes = flatten_axes("vmap out_axes", out_tree, out_axes, whole="the output")
    for a, t in zip(axes, out_types):
        if a is None:
            yield None
        elif not isinstance(a, int) or isinstance(a, bool):
            raise TypeError(f"vmap out_axes must be ints or None, or a tree of them, but for an output of type {t} it has {a!r}.")
        elif not -t.ndim - 1 <= a <= t.ndim:
            raise ValueError(f"vmap out_axes entry {a} is out of range for an output of type {t}, which has rank {t.ndim + 1} with the "
                             "mapped axis.")
        else:
            yield a % (t.ndim + 1)
