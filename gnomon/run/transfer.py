"""Moving numbers: onto devices, between them, and back."""
from __future__ import annotations

import numpy as np

from gnomon.run import client, dlpack, guard, xla
from gnomon.run.array import Array, aligned_copy, base_type, from_numpy, with_placement_type
from gnomon.run.placement import Placement, default_placement, device_placement, new_placement, placement
from gnomon.types.dtype import DTYPES
from gnomon.types.sharding import Sharding
from gnomon.types.value_type import ArrayType

DLPACK_CPU = 1


# ---- putting ----------------------------------------------------------------------------------------------------

def put(value, target=None, type: ArrayType | None = None) -> Array:
    """An array with the numbers of `value`, where `target` says.

    `value` is an Array or a NumPy array (which is copied). `target` is a device, a Sharding with devices, or None: an
    Array stays where it is, other values go to the default device, not as the user's choice. `type`, for a NumPy array,
    says its weak type or that it holds keys. ValueError if the sharding does not divide the shape.
    """
    if isinstance(value, Array):
        return value if target is None else place(value, target_placement(target))
    if type is None:
        type = ArrayType(value.shape, value.dtype)
    return put_owned(aligned_copy(value, base_type(type).dtype), type, target_placement(target))


def put_owned(host: np.ndarray, type: ArrayType, where: Placement | None) -> Array:
    """An array around a NumPy array that nobody will write to, at a placement."""
    if where is None:
        return from_numpy(host, type)
    type = with_placement_type(type, where.sharding)
    if len(where.devices) == 1:
        return Array(type, xla.put(base_type(type), where, [host], where.local_devices), where, host)
    return Array(type, xla.put(base_type(type), where, _shards(host, type, where), where.local_devices), where)


def _shards(host, type, where):
    """The part of a NumPy array for each local device; equal parts are one array."""
    parts = where.sharding.addressable_devices_indices_map(type.shape)
    found: dict[tuple, np.ndarray] = {}
    shards = []
    for device in where.local_devices:
        bounds = tuple((part.start, part.stop) for part in parts[device])
        shard = found.get(bounds)
        if shard is None:
            shard = found[bounds] = host if where.is_fully_replicated else aligned_copy(host[parts[device]], host.dtype)
        shards.append(shard)
    return shards


def place(array: Array, where: Placement | None) -> Array:
    """The array at a placement; its buffer is shared where it is there already."""
    here = array.placement or default_placement()
    where = where or default_placement()
    new_type = with_placement_type(array.type, where.sharding)
    kept = None if where is default_placement() else where
    if here.sharding is where.sharding or here.sharding.is_equivalent_to(where.sharding, len(array.type.shape)):
        return array if here is where else Array(new_type, array.buffer(), kept, array._host)
    if array._buffer is not None:       # else it is on no device yet, and was checked when it was made
        guard.check("device_to_device", array.type)
    if len(here.devices) == len(where.devices) == 1 and _moves_by_itself(here.devices[0], where.devices[0]):
        return Array(new_type, xla.move(array.buffer(), where), kept)
    return put_owned(get(array), new_type, where)


def _moves_by_itself(source, target):
    """Whether devices copy between each other; those on the CPU may as well share the memory of a NumPy view."""
    return source.client is target.client and source.platform != "cpu"


def target_placement(target) -> Placement | None:
    """The placement a user means by a device, a sharding, a platform's name or None."""
    if target is None:
        return new_placement()
    if isinstance(target, Sharding):
        return placement(target)
    if isinstance(target, xla.Device):
        return device_placement(target)
    if isinstance(target, str):
        present = client.clients()
        try:
            return device_placement(client.local_devices(backend=target)[0])
        except RuntimeError:
            raise RuntimeError(f"An array is put on a device, with a Sharding, on a platform's first device by its name, or on None (the default "
                               f"device), not on {target!r}, which is no platform of this process; it has {', '.join(present)}.") from None
    raise TypeError("An array is put on a device, with a Sharding, on a platform's first device by its name, or on None (the default device), "
                    f"not on {target!r}.")


# ---- getting ----------------------------------------------------------------------------------------------------

def get(array: Array) -> np.ndarray:
    """The numbers as a read-only NumPy array, gathered from all devices. For keys, their uint32 words."""
    host = array.host()
    if host.flags.writeable:
        host.setflags(write=False)
    return host


# ---- computation follows data -----------------------------------------------------------------------------------

def follow(arrays, describe=None):
    """Where a computation on these arrays runs: ``(devices, committed)``; no devices stands for the default one.

    Arrays whose place the user chose must agree; the others are moved to it. ValueError if they do not agree;
    `describe(position)` then names the arrays.
    """
    chosen = None
    position_of_chosen = 0
    for position, array in enumerate(arrays):
        where = array.placement
        if where is not None and where.committed:
            if chosen is None:
                chosen, position_of_chosen = where, position
            elif where.devices != chosen.devices:
                describe = describe or (lambda position: f"argument {position}")
                raise ValueError(
                    f"Received incompatible devices: {_on(arrays, position_of_chosen, describe)} and "
                    f"{_on(arrays, position, describe)}. Move one of them with device_put.")
    if chosen is not None:
        return chosen.devices, True
    for array in arrays:
        if array.placement is not None:
            return array.placement.devices, False
    default = new_placement()
    return (() if default is None else default.devices), False


def _on(arrays, position, describe):
    array = arrays[position]
    ids = [device.id for device in array.placement.devices]
    return (f"{describe(position)} with shape {array.type} and device ids {ids} on platform "
            f"{array.placement.devices[0].platform.upper()}")


# ---- arrays from parts ------------------------------------------------------------------------------------------

def make_array_from_callback(shape, sharding: Sharding, data_callback, dtype=None) -> Array:
    """An array whose part with index (a tuple of slices) is ``data_callback(index)``.

    Equal parts are asked for once. `dtype` is needed only in a process that holds no part. ValueError if a part has
    another shape than the sharding says.
    """
    shape = tuple(shape)
    where = placement(sharding)
    parts = sharding.addressable_devices_indices_map(shape)
    found: dict[tuple, np.ndarray] = {}
    shards = []
    for device in where.local_devices:
        bounds = tuple((part.start, part.stop) for part in parts[device])
        if bounds not in found:
            part = np.asarray(data_callback(parts[device]))
            found[bounds] = aligned_copy(part, part.dtype if dtype is None else np.dtype(dtype))
        shards.append(found[bounds])
    if dtype is None:
        if not shards:
            raise ValueError("make_array_from_callback needs a dtype in a process that holds no part of the array.")
        dtype = shards[0].dtype
    return _from_shards(shape, np.dtype(dtype), where, shards)


def _from_shards(shape, dtype, where, shards):
    part_shape = tuple(where.sharding.shard_shape(shape))
    for shard in shards:
        if shard.shape != part_shape:
            raise ValueError(f"A part of an array of shape {shape} with {where.sharding} has shape {part_shape}, got "
                             f"one of shape {shard.shape}.")
    type = with_placement_type(ArrayType(shape, dtype), where.sharding)
    return Array(type, xla.put(type, where, shards, where.local_devices), where)


def make_array_from_process_local_data(sharding: Sharding, local_data, global_shape=None) -> Array:
    """An array of which each process gives the part that its devices hold, as one NumPy array.

    `global_shape` is needed where it cannot be told from the local shape; the default takes every sharded dimension to
    grow by as many times as it has more parts in all than here.
    """
    local = np.asarray(local_data)
    where = placement(sharding)
    parts, tiles = sharding._placement(local.ndim)
    mine = [tile for device, tile in zip(where.devices, tiles) if device in sharding.addressable_devices]
    first = [min(tile[d] for tile in mine) for d in range(local.ndim)]
    here = [len({tile[d] for tile in mine}) for d in range(local.ndim)]
    if global_shape is None:
        global_shape = tuple(size // held * total for size, held, total in zip(local.shape, here, parts))
    global_shape = tuple(global_shape)
    whole = tuple(local.shape) == global_shape
    part_shape = sharding.shard_shape(global_shape)

    def part(index):
        if whole:
            return local[index]
        return local[tuple(slice(None) if s.start is None else
                           slice(s.start - first[d] * part_shape[d], s.stop - first[d] * part_shape[d])
                           for d, s in enumerate(index))]
    return make_array_from_callback(global_shape, sharding, part, local.dtype)


def make_array_from_single_device_arrays(shape, sharding: Sharding, arrays, dtype=None) -> Array:
    """One array of the given shape from its parts, arrays on one device each; no copy.

    ValueError if they are not one for each of this process's devices, or a part has another shape or dtype than the
    sharding says.
    """
    shape = tuple(shape)
    where = placement(sharding)
    arrays = list(arrays)
    if not arrays and dtype is None:
        raise ValueError("make_array_from_single_device_arrays needs a dtype if it gets no arrays.")
    by_device = {array.device: array for array in arrays}
    missing = [device for device in where.local_devices if device not in by_device]
    if missing or len(arrays) != len(where.local_devices):
        raise ValueError(f"make_array_from_single_device_arrays got {len(arrays)} arrays on {sorted_ids(by_device)}, "
                         f"and {sharding} has {len(where.local_devices)} devices in this process: "
                         f"{sorted_ids(where.local_devices)}; give one array for each.")
    part_shape = tuple(sharding.shard_shape(shape))
    first = arrays[0].type if arrays else None
    for array in arrays:
        if array.type.shape != part_shape or array.type.dtype != first.dtype:
            raise ValueError(f"Each part of an array of shape {shape} with {sharding} is "
                             f"{first.dtype}{list(part_shape)}, got one of type {array.type}.")
    type = with_placement_type(ArrayType(shape, first.dtype if first else np.dtype(dtype),
                                         all(array.type.weak_type for array in arrays)), sharding)
    buffers = [by_device[device].buffer() for device in where.local_devices]
    if len(where.devices) == 1:
        return Array(type, buffers[0], where)
    return Array(type, xla.assemble(base_type(type), where, buffers), where)


def sorted_ids(devices) -> list:
    return sorted(device.id for device in devices)


# ---- DLPack -----------------------------------------------------------------------------------------------------

def from_dlpack(external, device=None, copy: bool | None = None) -> Array:
    """An array that shares the memory of any object with `__dlpack__`, or copies it if `copy` or alignment ask for it.

    Nobody may write to the memory as long as the array lives. TypeError if the object has no `__dlpack__`.
    """
    if not hasattr(external, "__dlpack__"):
        raise TypeError("from_dlpack takes an object with __dlpack__ and __dlpack_device__, such as a torch tensor, "
                        f"not {type(external).__name__!r}.")
    kind, number = map(int, external.__dlpack_device__())
    if kind == DLPACK_CPU:
        host = dlpack.view(external.__dlpack__())
        host = aligned_copy(host, host.dtype) if copy else host
        array = from_numpy(host, ArrayType(host.shape, host.dtype))
    else:
        source = client.get_client("gpu").device_from_local_hardware_id(number)
        buffer = xla.from_dlpack(external.__dlpack__(stream=source.get_stream_for_external_ready_events()), source)
        # Of what framework the object is, its shape and the name of its dtype read the same.
        dtype = DTYPES[str(external.dtype).rpartition(".")[2]]
        array = Array(ArrayType(tuple(external.shape), dtype), buffer, device_placement(source))
    return array if device is None else put(array, device)

