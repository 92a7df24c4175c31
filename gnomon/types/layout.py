"""Layouts: in which order an array's dimensions lie in memory."""
from __future__ import annotations

from gnomon.base.record import Record
from gnomon.types.sharding import NamedSharding, SingleDeviceSharding

__all__ = ["Format", "Layout"]


class Layout(Record):
    """The dimensions of an array from the slowest in memory to the quickest: `Layout((0, 1))` is row after row.

    `tiling` and `sub_byte_element_size_in_bits` are as on accelerators. ValueError unless `major_to_minor` is a permutation.

    >>> Layout((1, 0))
    Layout(major_to_minor=(1, 0), tiling=None, sub_byte_element_size_in_bits=0)
    """

    major_to_minor: tuple
    tiling: tuple | None
    sub_byte_element_size_in_bits: int

    def __init__(self, major_to_minor, tiling=None, sub_byte_element_size_in_bits=0):
        order = tuple(major_to_minor)
        if sorted(order) != list(range(len(order))):
            raise ValueError(f"A Layout's major_to_minor names each dimension once, got {order}.")
        super().__init__(order, None if tiling is None else tuple([tuple(tile) for tile in tiling]), sub_byte_element_size_in_bits)

    def with_axis(self, axis):
        """The layout of values with one dimension more, at `axis`, which is the slowest."""
        return self.replace(major_to_minor=(axis, *[d + (d >= axis) for d in self.major_to_minor]))


class Format(Record):
    """A layout and a sharding, each None where nothing is said. ValueError for a layout without a sharding of devices.

    >>> Format()
    Format(layout=None, sharding=None)
    """

    layout: Layout | None
    sharding: object

    def __init__(self, layout=None, sharding=None):
        if layout is not None and not isinstance(layout, Layout):
            raise TypeError(f"Format takes a Layout, got {layout!r}.")
        if layout is not None and not isinstance(sharding, (NamedSharding, SingleDeviceSharding)):
            raise ValueError(f"A Format with a layout needs the sharding of the array, a NamedSharding or SingleDeviceSharding, got {sharding}.")
        super().__init__(layout, sharding)
