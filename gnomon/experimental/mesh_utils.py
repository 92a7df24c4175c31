"""Grids of devices for meshes."""
from __future__ import annotations

import math as _math

import numpy as _np

from gnomon.run.client import devices as _devices
from gnomon.types.mesh import make_device_mesh as _make_device_mesh

__all__ = ["create_device_mesh", "create_hybrid_device_mesh"]


def create_device_mesh(mesh_shape, devices=None, *, contiguous_submeshes: bool = False, allow_split_physical_axes: bool = False):
    """An array of devices of this shape, in an order that suits the machine. ValueError if the numbers do not agree.

    >>> create_device_mesh((1, 1), _devices("cpu")[:1]).shape
    (1, 1)
    """
    devices = _devices() if devices is None else list(devices)
    if _math.prod(mesh_shape) != len(devices):
        raise ValueError(f"Number of devices {len(devices)} must equal the product of mesh_shape {tuple(mesh_shape)}.")
    return _make_device_mesh(tuple(mesh_shape), devices)


def create_hybrid_device_mesh(mesh_shape, dcn_mesh_shape, devices=None, *, process_is_granule: bool = False,
                              should_sort_granules_by_key: bool = True, allow_split_physical_axes: bool = False):
    """An array of devices of shape mesh_shape * dcn_mesh_shape: blocks of `mesh_shape` within a process or slice, laid out over
    these as `dcn_mesh_shape` says."""
    devices = _devices() if devices is None else list(devices)
    granules: dict = {}
    for d in devices:
        granules.setdefault(d.process_index if process_is_granule else getattr(d, "slice_index", d.process_index), []).append(d)
    if len(granules) != _math.prod(dcn_mesh_shape):
        raise ValueError(f"Number of slices {len(granules)} must equal the product of dcn_mesh_shape {tuple(dcn_mesh_shape)}.")
    order = sorted(granules) if should_sort_granules_by_key else list(granules)
    blocks = _np.empty(len(order), dtype=object)
    for i, key in enumerate(order):
        blocks[i] = create_device_mesh(mesh_shape, granules[key])
    return _np.block(blocks.reshape(dcn_mesh_shape).tolist())
