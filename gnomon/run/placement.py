"""Placements: where the buffer of an array is, in the form that jaxlib asks for."""
from __future__ import annotations

from gnomon.run import client, xla
from gnomon.types.sharding import Sharding, SingleDeviceSharding


class Placement:
    """A sharding on devices, and whether the user chose it (`committed`). Equal placements are one object.

    `on_host` says that NumPy can look at the buffer's memory. `_internal_device_list` and the attributes that are spelt
    like a Sharding's are what jaxlib reads when it makes a buffer.
    """

    __slots__ = ("sharding", "committed", "devices", "local_devices", "memory_kind", "is_fully_addressable", "on_host",
                 "_internal_device_list", "_partitions")

    def __init__(self, sharding: Sharding, committed: bool):
        self.sharding, self.committed = sharding, committed
        self.devices = tuple(sharding.device_list)
        self.memory_kind = sharding.memory_kind
        self.is_fully_addressable = sharding.is_fully_addressable
        here = sharding.addressable_devices
        self.local_devices = [device for device in self.devices if device in here]
        self.on_host = len(self.devices) == 1 and self.devices[0].platform == "cpu"
        self._internal_device_list = xla.DeviceList(self.devices)
        self._partitions = {}

    @property
    def is_fully_replicated(self) -> bool:
        return self.sharding.is_fully_replicated

    def _to_xla_hlo_sharding(self, ndim: int):
        found = self._partitions.get(ndim)
        if found is None:
            found = self._partitions[ndim] = hlo_sharding(self.sharding, ndim)
        return found

    def __repr__(self):
        return f"Placement({self.sharding}, committed={self.committed})"


_interned: dict[tuple[Sharding, bool], Placement] = {}
_default: Placement | None = None


def placement(sharding: Sharding, committed: bool = True) -> Placement:
    """The one placement of a sharding."""
    key = (sharding, committed)
    found = _interned.get(key)
    return found if found is not None else _interned.setdefault(key, Placement(sharding, committed))


def device_placement(device, committed: bool = True, memory_kind: str | None = None) -> Placement:
    """The placement on one device."""
    return placement(SingleDeviceSharding(device, memory_kind), committed)


def default_placement() -> Placement:
    """The first device, not chosen by the user: what `None` stands for in `Array.placement`."""
    global _default
    if _default is None:
        _default = device_placement(client.first_device(), committed=False)
    return _default


def new_placement() -> Placement | None:
    """Where new arrays go, as in `Array.placement`: None unless the setting `default_device` names another device."""
    if client.current.default_device is None:
        return None
    device = client.default_device()
    return None if device is client.first_device() else device_placement(device, committed=False)


def hlo_sharding(sharding: Sharding, ndim: int):
    """A sharding in XLA's own form, for arrays of `ndim` dimensions."""
    if sharding.is_fully_replicated or ndim == 0:
        return xla.HloSharding.replicate()
    parts, tiles = sharding._placement(ndim)
    owners: dict[tuple, list[int]] = {}
    for position, tile in enumerate(tiles):
        owners.setdefault(tile, []).append(position)
    copies = len(tiles) // len(owners)
    order = [position for tile in sorted(owners) for position in owners[tile]]
    dims = ",".join(map(str, (*parts, copies) if copies > 1 else parts))
    tail = " last_tile_dim_replicate" if copies > 1 else ""
    return xla.HloSharding.from_string(f"{{devices=[{dims}]{','.join(map(str, order))}{tail}}}")
