"""Layouts: in which order an array's dimensions lie in memory."""
from __future__ import annotations

from gnomon.types.sharding import NamedSharding, SingleDeviceSharding

__all__ = ["Format", "Layout"]


class Layout:
    """The dimensions of an array from the slowest in memory to the quickest: `Layout((0, 1))` is row after row.

    `tiling` and `sub_byte_element_size_in_bits` are as on accelerators. ValueError unless `major_to_minor` is a permutation.

    >>> Layout((1, 0))
    Layout(major_to_minor=(1, 0), tiling=None, sub_byte_element_size_in_bits=0)
    """

    __slots__ = ("major_to_minor", "tiling", "sub_byte_element_size_in_bits")

    def __init__(self, major_to_minor, tiling=None, sub_byte_element_size_in_bits=0):
        self.major_to_minor = tuple(major_to_minor)
        if sorted(self.major_to_minor) != list(range(len(self.major_to_minor))):
            raise ValueError(f"A Layout's major_to_minor names each dimension once, got {self.major_to_minor}.")
        self.tiling = None if tiling is None else tuple([tuple(tile) for tile in tiling])
        self.sub_byte_element_size_in_bits = sub_byte_element_size_in_bits

    def facts(self):
        """What tells layouts apart."""
        return self.major_to_minor, self.tiling, self.sub_byte_element_size_in_bits

    def with_axis(self, axis):
        """The layout of values with one dimension more, at `axis`, which is the slowest."""
        return Layout((axis, *[d + (d >= axis) for d in self.major_to_minor]), self.tiling, self.sub_byte_element_size_in_bits)

    def __eq__(self, other):
        return other.__class__ is Layout and self.facts() == other.facts()

    def __hash__(self):
        return hash(self.facts())

    def __reduce__(self):
        return Layout, self.facts()

    def __repr__(self):
        return (f"Layout(major_to_minor={self.major_to_minor}, tiling={self.tiling}, "
                f"sub_byte_element_size_in_bits={self.sub_byte_element_size_in_bits})")


class Format:
    """A layout and a sharding, each None where nothing is said. ValueError for a layout without a sharding of devices.

    >>> Format()
    Format(layout=None, sharding=None)
    """

    __slots__ = ("layout", "sharding")

    def __init__(self, layout=None, sharding=None):
        if layout is not None and not isinstance(layout, Layout):
            raise TypeError(f"Format takes a Layout, got {layout!r}.")
        if layout is not None and not isinstance(sharding, (NamedSharding, SingleDeviceSharding)):
            raise ValueError(f"A Format with a layout needs the sharding of the array, a NamedSharding or SingleDeviceSharding, got {sharding}.")
        self.layout, self.sharding = layout, sharding

    def __eq__(self, other):
        return other.__class__ is Format and (self.layout, self.sharding) == (other.layout, other.sharding)

    def __hash__(self):
        return hash((self.layout, self.sharding))

    def __repr__(self):
        return f"Format(layout={self.layout}, sharding={self.sharding})"
