"""Devices, meshes and where arrays are."""
from __future__ import annotations

import contextlib

import numpy as np

from gnomon.api.function import as_values, check_leaves
from gnomon.base.errors import ShardingTypeError
from gnomon.base.frames import entry_point
from gnomon.base.settings import current
from gnomon.base.tree import flatten_axes, keystr, tree_flatten, tree_flatten_with_path, tree_leaves, tree_map, tree_unflatten
from gnomon.ops.place import DevicePut, LayoutConstraint, Reshard, ShardingConstraint
from gnomon.run import client, guard, transfer
from gnomon.run.array import Array
from gnomon.run.client import (default_backend, device_count, devices, local_device_count, local_devices,  # noqa: F401
                               process_count, process_index, process_indices)
from gnomon.run.transfer import (make_array_from_callback, make_array_from_process_local_data,  # noqa: F401
                                 make_array_from_single_device_arrays)
from gnomon.trace.context import local, scope_key
from gnomon.trace.stage import Tracer, bind
from gnomon.types.layout import Layout
from gnomon.types.memory import Space
from gnomon.types.mesh import AbstractMesh, AxisType, Mesh, install_mesh_context, make_device_mesh
from gnomon.types.sharding import NamedSharding, PartitionSpec, Sharding, abstract_sharding, type_sharding


@entry_point
def device_put(x, device=None, *, src=None, donate=False, may_alias=None):
    """A tree of arrays moved to a device, to a memory.Space, or laid out by a Sharding (one for all, or a tree of them).

    A PartitionSpec is one on the mesh in force. Inside a traced function it is recorded. ValueError if a sharding does not divide a shape.

    >>> device_put([1.0, 2.0])
    [Array(1., dtype=float32, weak_type=True), Array(2., dtype=float32, weak_type=True)]
    """
    leaves, tree = tree_flatten(x)
    targets = one_each(leaves, tree, device, "device_put device")
    check_leaves(leaves, "device_put", lambda: [f"x{keystr(p)}" for p, _ in tree_flatten_with_path(x)[0]])
    with guard.asked_for():
        values = as_values(leaves)
        return tree_unflatten(tree, [_put(v, named(t, "device_put")) for v, t in zip(values, targets)])


def one_each(leaves, tree, places, what):
    """A device, sharding or spec for each leaf of a tree: one for all, or those of a tree of them."""
    if isinstance(places, (Sharding, PartitionSpec)) or not isinstance(places, (list, tuple, dict)):
        return [places] * len(leaves)
    return flatten_axes(what, tree, places, whole="the value")


def _put(v, target):
    if isinstance(v, Tracer):
        return v if target is None else bind(DevicePut(target), v)
    if isinstance(target, Space):
        target = v.sharding.with_memory_kind(target.value)
    return transfer.put(v, target) if target is not None else v


def device_get(x):
    """A tree of arrays as NumPy arrays.

    >>> device_get(device_put(np.arange(2, dtype=np.int32)))
    array([0, 1], dtype=int32)
    """
    with guard.asked_for():
        return tree_map(lambda v: np.asarray(v) if isinstance(v, (Array, Tracer)) else v, x)


def block_until_ready(x):
    """Wait until all arrays of a tree are computed; returns the tree."""
    for v in tree_leaves(x):
        if hasattr(v, "block_until_ready"):
            v.block_until_ready()
    return x


def copy_to_host_async(x):
    """Start copying all arrays of a tree to the host."""
    for v in tree_leaves(x):
        if hasattr(v, "copy_to_host_async"):
            v.copy_to_host_async()
    return x


# ---- meshes --------------------------------------------------------------------------------------------------------

@entry_point
def make_mesh(axis_shapes, axis_names, axis_types=None, *, devices=None):  # noqa: F811
    """A mesh of devices with named axes.

    `axis_types` (one AxisType an axis) default to Explicit: types then say how a value is sharded. ValueError if there are not enough
    devices.

    >>> make_mesh((1,), ("x",)).shape["x"]
    1
    """
    axis_shapes = (axis_shapes,) if isinstance(axis_shapes, int) else tuple(axis_shapes)
    axis_names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
    if len(axis_shapes) != len(axis_names):
        raise ValueError(f"make_mesh: axis_shapes {axis_shapes} and axis_names {axis_names} must have the same length.")
    have = client.devices() if devices is None else list(devices)
    need = int(np.prod(axis_shapes, dtype=int))
    if need > len(have):
        raise ValueError(f"Number of devices {len(have)} must be >= the product of mesh_shape {axis_shapes}. On CPU, set num_cpu_devices "
                         "before the first computation.")
    if axis_types is None:
        axis_types = (AxisType.Explicit,) * len(axis_names)
    return Mesh(make_device_mesh(axis_shapes, have[:need]), axis_names, axis_types)


class set_mesh:
    """Sets the mesh that specs and explicit shardings refer to: for the rest of the thread, or as a context manager."""

    def __init__(self, mesh):
        if not isinstance(mesh, (Mesh, AbstractMesh)):
            raise TypeError(f"set_mesh takes a Mesh, got {type(mesh).__name__}. Make one with make_mesh.")
        self.saved = _enter(mesh)

    def __enter__(self):
        return local.mesh

    def __exit__(self, *error):
        _leave(self.saved)


def _enter(mesh):
    saved = local.mesh, local.abstract_mesh, local.axes_key
    local.mesh = mesh if isinstance(mesh, Mesh) else None
    local.abstract_mesh = mesh.abstract_mesh
    local.axes_key = scope_key()
    return saved


def _leave(saved):
    local.mesh, local.abstract_mesh, local.axes_key = saved


_stack: dict = {}


def _enter_with(mesh):
    if current.disallow_mesh_context_manager:
        raise RuntimeError("`with mesh:` is an error while disallow_mesh_context_manager is set. Use set_mesh(mesh), also as a context "
                           "manager.")
    _stack.setdefault(id(local), []).append(_enter(mesh))


def _leave_with(mesh):
    _leave(_stack[id(local)].pop())


install_mesh_context(_enter_with, _leave_with)


@contextlib.contextmanager
def use_abstract_mesh(mesh):
    """Context manager: the abstract mesh that specs refer to."""
    saved = _enter(mesh)
    try:
        yield
    finally:
        _leave(saved)


def get_mesh():
    """The mesh set by `set_mesh`; an empty one where none is."""
    return local.mesh if local.mesh is not None else Mesh(np.empty((), dtype=object), ())


def get_abstract_mesh():
    """The abstract mesh in force; an empty one where none is."""
    return local.abstract_mesh if local.abstract_mesh is not None else AbstractMesh((), ())


def named(spec, what):
    """A NamedSharding from a spec on the mesh in force, or a sharding as it is."""
    if not isinstance(spec, PartitionSpec):
        return spec
    mesh = local.mesh or local.abstract_mesh
    if mesh is None:
        raise RuntimeError(f"{what} with a PartitionSpec needs a mesh in force. Use set_mesh, or give a NamedSharding.")
    return NamedSharding(mesh, spec)


def explicit(spec, ndim, what):
    """The interned sharding of a type that an `out_sharding` argument (a spec or NamedSharding) says."""
    if spec is None:
        return None
    sharding = named(spec, what)
    if not hasattr(sharding, "spec"):
        raise TypeError(f"{what} takes a NamedSharding or a PartitionSpec as its out_sharding, got {spec!r}.")
    mesh = getattr(sharding.mesh, "abstract_mesh", sharding.mesh)
    entries = tuple(sharding.spec) + (None,) * (ndim - len(sharding.spec))
    return abstract_sharding(mesh, entries)


@entry_point
def with_sharding_constraint(x, shardings):
    """The values, with a demand on the compiler how they are sharded (on automatic mesh axes).

    ShardingTypeError where it names explicit mesh axes and the types say otherwise.
    """
    leaves, tree = tree_flatten(x)
    targets = one_each(leaves, tree, shardings, "with_sharding_constraint shardings")
    out = []
    for v, t in zip(as_values(leaves), targets):
        t = named(t, "with_sharding_constraint")
        check_explicit(t, v.type)
        if t is None or not isinstance(v, Tracer):
            out.append(v if t is None else transfer.put(v, t))
        else:
            check_not_manual(t)
            out.append(bind(ShardingConstraint(t), v))
    return tree_unflatten(tree, out)


@entry_point
def with_layout_constraint(x, layouts):
    """The values, with a demand on the compiler in which order their dimensions lie in memory there.

    `layouts` is a `Layout` for each array of the tree `x`, or one for all. ValueError for one that has another number of dimensions.

    >>> import gnomon
    >>> from gnomon.types.layout import Layout
    >>> f = gnomon.jit(lambda x: with_layout_constraint(x + 1, Layout((1, 0))))
    >>> f(np.zeros((1, 2), np.float32)).tolist()
    [[1.0, 1.0]]
    """
    leaves, tree = tree_flatten(x)
    targets = one_each(leaves, tree, layouts, "with_layout_constraint layouts")
    for t in targets:
        if not isinstance(t, Layout):
            raise ValueError(f"with_layout_constraint takes layouts, Layout(major_to_minor), got {t!r}.")
    return tree_unflatten(tree, [bind(LayoutConstraint(t), v) for v, t in zip(as_values(leaves), targets)])


def check_explicit(sharding, t):
    """ShardingTypeError for a sharding over explicit mesh axes that the type `t` does not have: it would be a change of type."""
    if isinstance(sharding, NamedSharding) and sharding.mesh.explicit_axes and type_sharding(sharding, t.ndim)[0] is not t.sharding:
        raise ShardingTypeError(f"with_sharding_constraint of a value of type {t} to {sharding.spec}: over explicit mesh axes it asserts what the type "
                                "says already. Use gnomon.reshard to change the sharding.")


def check_not_manual(sharding):
    """ValueError for a sharding over axes that a shard_map around this runs over."""
    taken = local.abstract_mesh.manual_axes if local.abstract_mesh is not None else ()
    used = [a for split in sharding.spec.axes for a in split if a in taken] if isinstance(sharding, NamedSharding) else ()
    if used:
        raise ValueError(f"with_sharding_constraint got {sharding.spec} inside a shard_map over {', '.join(map(repr, taken))}, where each device "
                         f"has its own part along {used[0]!r}. Name other axes of the mesh only, or leave it out.")


@entry_point
def reshard(x, out_shardings):
    """The values with other explicit shardings."""
    leaves, tree = tree_flatten(x)
    targets = one_each(leaves, tree, out_shardings, "reshard out_shardings")
    out = []
    for v, t in zip(as_values(leaves), targets):
        if isinstance(v, Tracer):
            out.append(bind(Reshard(explicit(t, v.type.ndim, "reshard")), v))
        else:
            out.append(transfer.put(v, named(t, "reshard")))
    return tree_unflatten(tree, out)

