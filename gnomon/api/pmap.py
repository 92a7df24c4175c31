"""pmap: a function of one example that is run by as many devices as there are examples."""
from __future__ import annotations

import numpy as np

from gnomon.api.function import as_values, check_leaves, lazy_names
from gnomon.api.jit import Static, jit
from gnomon.api.shard_map import shard_map
from gnomon.base.arguments import hashed, integers
from gnomon.base.frames import entry_point
from gnomon.base.source import function_name, named_after
from gnomon.base.tree import flatten_axes, tree_flatten, tree_structure, tree_unflatten
from gnomon.ops.shape import expand_dims, moveaxis, squeeze
from gnomon.run.client import devices as all_devices
from gnomon.trace.stage import value_of
from gnomon.run.xla import Device
from gnomon.types.mesh import Mesh
from gnomon.types.sharding import P
from gnomon.types.size import integer


@entry_point
def pmap(fun, axis_name=None, *, in_axes=0, out_axes=0, static_broadcasted_argnums=(), devices=None, backend=None, axis_size=None,
         donate_argnums=()):
    """`fun` as a function that maps over an axis of its arguments, as `vmap` does, one device for each element.

    It is `jit` of `shard_map` over a mesh of one axis, `axis_name`, of the first `devices`; those two say more and compose with
    everything, so new programs should use them. `in_axes` and `out_axes` are as for `vmap`; an output with None is that of the first
    device. Arguments in `static_broadcasted_argnums` are Python values, known while tracing. Errors: ValueError where no argument is
    mapped, sizes disagree or there are fewer devices than elements.

    >>> import gnomon.numpy as jnp
    >>> pmap(lambda x: 2 * x)(jnp.ones((1, 3))).shape
    (1, 3)
    """
    if not callable(fun):
        raise TypeError(f"pmap needs a function, got {type(fun).__name__}.")
    name, axis = function_name(fun), "pmap" if axis_name is None else axis_name
    hashed("pmap", "axis_name", axis, "a name, such as a string")
    static = set(integers("pmap", "static_broadcasted_argnums", static_broadcasted_argnums))
    donated = integers("pmap", "donate_argnums", donate_argnums)
    axis_size = axis_size if axis_size is None else integer(axis_size, "pmap", "axis_size")
    if devices is not None and not (isinstance(devices, (list, tuple)) and all(isinstance(d, Device) for d in devices)):
        raise TypeError(f"pmap: devices must be a list of devices, such as gnomon.devices(), got {devices!r}.")
    if not (backend is None or isinstance(backend, str)):
        raise TypeError(f"pmap: backend must be the name of a platform, such as 'cpu', got {backend!r}.")
    in_axes = tuple(in_axes) if isinstance(in_axes, list) else in_axes
    programs = {}       # by structure, axes, static values and number of devices: the jitted function of the leaves

    @entry_point
    def pmap_f(*args, **kwargs):
        fixed = {i % len(args): args[i] for i in static if -len(args) <= i < len(args)}
        dynamic = tuple([x for i, x in enumerate(args) if i not in fixed])
        leaves, tree = tree_flatten((dynamic, kwargs))
        check_leaves(leaves, "pmap", lazy_names(fun, dynamic, kwargs))
        leaves = as_values(leaves)
        axes = argument_axes(name, in_axes, dynamic, fixed, len(args))
        axes = (*axes, *[0] * (len(leaves) - len(axes)))
        used = tuple(chosen(name, mapped_size(name, leaves, axes, axis_size), devices, backend))
        given, start = [], 0
        for i, x in enumerate(args):
            if i not in fixed:
                n = tree_structure(x).num_leaves
                given += range(start, start + n) if i in donated or i - len(args) in donated else ()
                start += n
        key = tree, axes, tuple([Static(i, fixed[i], fun, "pmap") for i in sorted(fixed)]), used, tuple(given)
        program = programs.get(key)
        if program is None:
            mesh = Mesh(np.array(used), (axis,))
            program = programs[key] = jit(per_device(fun, tree, axes, fixed, len(args), out_axes, axis, mesh), donate_argnums=tuple(given))
        return program(*leaves)
    return named_after(pmap_f, fun, "pmap")


def per_device(fun, tree, axes, fixed, n_args, out_axes, axis, mesh):
    """The function of all leaves that has each device of the mesh run `fun` on its own."""
    def run(*leaves):
        outs = []           # what `fun` returned: its structure, and the axis of each leaf

        def device(mapped, whole):
            mapped, whole = iter(mapped), iter(whole)
            dynamic, kwargs = tree_unflatten(tree, [next(whole) if a is None else squeeze(next(mapped), (0,)) for a in axes])
            dynamic = iter(dynamic)
            values, out_tree = tree_flatten(fun(*[fixed[i] if i in fixed else next(dynamic) for i in range(n_args)], **kwargs))
            outs[:] = out_tree, are_axes("out_axes", flatten_axes("pmap out_axes", out_tree, out_axes, whole=f"what {function_name(fun)} returns"))
            return [expand_dims(value_of(x), (0,)) for x, a in zip(values, outs[1]) if a is not None], [x for x, a in zip(values, outs[1]) if a is None]
        parts = [moveaxis(x, a % x.ndim, 0) for x, a in zip(leaves, axes) if a is not None], [x for x, a in zip(leaves, axes) if a is None]
        # whether a value varies is not followed, so that gradients inside are each device's own
        mapped, whole = shard_map(device, mesh=mesh, in_specs=(P(axis), P()), out_specs=(P(axis), P()), check_vma=False)(*parts)
        mapped, whole, (out_tree, places) = iter(mapped), iter(whole), outs
        return tree_unflatten(out_tree, [next(whole) if a is None else moved(next(mapped), a) for a in places])
    return named_after(run, fun)


def moved(x, a):
    return moveaxis(x, 0, a % x.ndim)


def argument_axes(name, in_axes, dynamic, fixed, n_args):
    """The mapped axis, or None, of each leaf of the arguments that are given to devices."""
    if isinstance(in_axes, tuple):
        if len(in_axes) != n_args:
            raise ValueError(f"pmap in_axes must be an int, None or a tuple with an entry for each argument, but it has {len(in_axes)} and {name} "
                             f"was given {n_args}.")
        in_axes = tuple([a for i, a in enumerate(in_axes) if i not in fixed])
    return are_axes("in_axes", flatten_axes("pmap in_axes", tree_structure(dynamic), in_axes))


def are_axes(which, axes):
    """The entries of in_axes or out_axes, which must be ints or None."""
    for a in axes:
        if a is not None and (not isinstance(a, int) or isinstance(a, bool)):
            raise TypeError(f"pmap {which} must be ints or None, or a tree of them, got {a!r}.")
    return axes


def mapped_size(name, leaves, axes, axis_size):
    """How many devices it takes: the one size of all mapped axes."""
    sizes = {}
    for x, a in zip(leaves, axes):
        if a is not None:
            dims = x.shape
            if not -len(dims) <= a < len(dims):
                raise ValueError(f"pmap of {name} maps over axis {a} of an argument of shape {dims}, which has none. Give in_axes, None for what "
                                 "is not mapped.")
            sizes.setdefault(dims[a], dims)
    if axis_size is not None:
        sizes.setdefault(axis_size, "axis_size")
    if len(sizes) > 1:
        raise ValueError(f"pmap of {name} got mapped axes of different sizes: " +
                         ", ".join([f"{n} (axis_size)" if dims == "axis_size" else f"{n} (shape {dims})" for n, dims in sizes.items()]) + ".")
    if not sizes:
        raise ValueError(f"pmap of {name} needs an argument with a mapped axis, or axis_size.")
    return next(iter(sizes))


def chosen(name, size, devices, backend):
    """The first `size` devices."""
    found = all_devices(backend) if devices is None else list(devices)
    if size > len(found):
        raise ValueError(f"pmap of {name} maps over {size} elements, one for each device, but there {'is' if len(found) == 1 else 'are'} "
                         f"{len(found)}. Use vmap, or ask for more of the CPU's with the setting num_cpu_devices.")
    return found[:size]
