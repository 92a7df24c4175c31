"""From XLA's own form of a sharding back to a mesh and a spec, for results that the compiler placed."""
from __future__ import annotations

import numpy as np

from gnomon.types.mesh import Mesh
from gnomon.types.sharding import NamedSharding, P, Sharding


def sharding_from_hlo(partition, mesh: Mesh | None, devices: tuple, ndim: int, memory_kind=None) -> Sharding:
    """The sharding of an array with `ndim` dimensions on `devices`, on `mesh` if its axes can say it.

    `partition` is an xla.HloSharding or None, which means replicated.
    """
    if partition is None or partition.is_replicated() or ndim == 0:
        return NamedSharding(mesh or _line(devices), P(), memory_kind)
    if partition.is_maximal() or not partition.is_tiled():
        raise ValueError(f"XLA placed a result as {partition}, which no sharding on a mesh can say.")
    parts = partition.tile_assignment_dimensions()
    grid = np.array(partition.tile_assignment_devices()).reshape(parts)
    if mesh is not None and tuple(mesh.device_list) == tuple(devices):
        spec = _spec_on_mesh(grid, mesh, ndim)
        if spec is not None:
            return NamedSharding(mesh, spec, memory_kind)
    names = [f"dim{dimension}" for dimension in range(ndim)]
    device_array = np.array(devices, dtype=object)[grid].reshape(*parts[:ndim], -1)
    fresh = Mesh(device_array, (*names, "copies"))
    return NamedSharding(fresh, P(*(name if size > 1 else None for name, size in zip(names, parts))), memory_kind)


def _line(devices) -> Mesh:
    return Mesh(np.array(devices, dtype=object), ("devices",))


def _spec_on_mesh(grid, mesh, ndim) -> P | None:
    """The spec that gives each device the tile it has in `grid` (an array of positions in the mesh's devices)."""
    tile_of = np.empty((grid.size, ndim), int)
    for index in np.ndindex(grid.shape):
        tile_of[grid[index]] = index[:ndim]
    tile_of = tile_of.reshape(*mesh.axis_sizes, ndim)
    entries = []
    for dimension in range(ndim):
        # An axis splits the dimension if one step along it leads to another tile; the longest steps are outermost.
        steps = []
        for axis, (name, size) in enumerate(zip(mesh.axis_names, mesh.axis_sizes)):
            if size > 1:
                along = np.moveaxis(tile_of[..., dimension], axis, 0)
                step = int((along[1] - along[0]).flat[0])
                if step:
                    steps.append((step, name))
        entries.append(tuple(name for _, name in sorted(steps, reverse=True)))
    while entries and not entries[-1]:
        entries.pop()
    try:
        spec = P(*entries)
        found = NamedSharding(mesh, spec)
    except ValueError:
        return None
    parts, tiles = found._placement(ndim)
    fits = parts == grid.shape[:ndim] and tiles == tuple(map(tuple, tile_of.reshape(-1, ndim).tolist()))
    return spec if fits else None
