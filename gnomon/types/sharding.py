"""Shardings: how an array is divided among devices.

A `PartitionSpec` says for each dimension over which mesh axes it is split; with a mesh it is a `NamedSharding`.
Shardings are interned: equal ones are one object. `abstract_sharding` gives those that stand in types.
"""
from __future__ import annotations

import functools
import math
import threading
import weakref
from collections.abc import Iterator

import numpy as np

from gnomon.types.memory import type_memory
from gnomon.types.mesh import AbstractMesh, AxisType, Mesh, is_local

__all__ = [
    "NamedSharding", "P", "PartitionSpec", "Sharding", "SingleDeviceSharding", "abstract_sharding", "sdy_mesh",
    "sdy_sharding", "type_sharding",
]

_NONE = frozenset()


# ---- partition specs --------------------------------------------------------------------------------------------

class _Unconstrained:
    """The one value `PartitionSpec.UNCONSTRAINED`."""

    def __repr__(self):
        return "UNCONSTRAINED"

    def __reduce__(self):
        return _unconstrained, ()


UNCONSTRAINED = _Unconstrained()


def _unconstrained():
    return UNCONSTRAINED


class PartitionSpec:
    """For each dimension of an array the mesh axes it is split over.

    An entry is an axis name, a tuple of names (split over all of them, the first being the outermost), None (not split)
    or `UNCONSTRAINED` (the compiler decides). Dimensions beyond the last entry are not split. `unreduced` names axes
    over which the array is still to be summed, `reduced` axes over which its cotangent is. ValueError if an axis in
    `unreduced` or `reduced` also splits a dimension or stands in both.

    It reads like a tuple, equals other specs only, and is a leaf in trees.

    >>> PartitionSpec("x", None), len(PartitionSpec(("x", "y"))), PartitionSpec("x")[0]
    (P('x', None), 1, 'x')
    """

    __slots__ = ("partitions", "unreduced", "reduced", "axes", "_hash")
    UNCONSTRAINED = UNCONSTRAINED

    def __init__(self, *partitions, unreduced=_NONE, reduced=_NONE):
        self.partitions = tuple([entry if entry is None or type(entry) is str else _entry(entry)
                                 for entry in partitions])
        # Per dimension a tuple of axis names, empty if not split.
        self.axes = tuple([() if entry is None or entry is UNCONSTRAINED
                           else entry if type(entry) is tuple else (entry,) for entry in self.partitions])
        self.unreduced = _axis_set(unreduced, "unreduced") if unreduced else _NONE
        self.reduced = _axis_set(reduced, "reduced") if reduced else _NONE
        if self.unreduced or self.reduced:
            self._check_sums()
        self._hash = hash((self.partitions, self.unreduced, self.reduced))

    def _check_sums(self):
        if both := self.unreduced & self.reduced:
            raise ValueError(f"PartitionSpec got the axes {_names(both)} as both unreduced and reduced.")
        used = {name for axes in self.axes for name in axes}
        for what in ("unreduced", "reduced"):
            if both := used & getattr(self, what):
                raise ValueError(f"PartitionSpec splits a dimension over {_names(both)}, which cannot be {what} too.")

    def update(self, partitions=None, unreduced=None, reduced=None) -> PartitionSpec:
        """The spec with some of its parts replaced; `partitions` is a tuple of entries."""
        return PartitionSpec(*(self.partitions if partitions is None else partitions),
                             unreduced=self.unreduced if unreduced is None else unreduced,
                             reduced=self.reduced if reduced is None else reduced)

    def to_tangent_spec(self) -> PartitionSpec:
        """The spec of a tangent of an array with this spec: the same."""
        return self

    def to_ct_spec(self) -> PartitionSpec:
        """The spec of a cotangent of an array with this spec: unreduced and reduced change places."""
        return self.update(unreduced=self.reduced, reduced=self.unreduced)

    def __iter__(self) -> Iterator:
        return iter(self.partitions)

    def __len__(self):
        return len(self.partitions)

    def __getitem__(self, index):
        return self.partitions[index]

    def index(self, entry):
        return self.partitions.index(entry)

    def count(self, entry):
        return self.partitions.count(entry)

    def __add__(self, other):
        if isinstance(other, PartitionSpec):
            return PartitionSpec(*self.partitions, *other.partitions, unreduced=self.unreduced | other.unreduced,
                                 reduced=self.reduced | other.reduced)
        return self.update(partitions=(*self.partitions, *other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other):
        return self.update(partitions=(*other, *self.partitions)) if isinstance(other, tuple) else NotImplemented

    def __eq__(self, other):
        if self is other:
            return True
        if type(other) is not PartitionSpec:
            return NotImplemented
        return (self._hash == other._hash and self.partitions == other.partitions
                and self.unreduced == other.unreduced and self.reduced == other.reduced)

    def __hash__(self):
        return self._hash

    def __reduce__(self):
        return _partition_spec, (self.partitions, self.unreduced, self.reduced)

    def __repr__(self):
        sums = [f"{what}={{{_names(axes)}}}"
                for what, axes in (("unreduced", self.unreduced), ("reduced", self.reduced)) if axes]
        if not sums:
            return f"P{self.partitions!r}"
        return f"P({', '.join([*map(repr, self.partitions), *sums])})"


P = PartitionSpec


def _partition_spec(partitions, unreduced, reduced):
    return PartitionSpec(*partitions, unreduced=unreduced, reduced=reduced)


def _entry(entry):
    """One entry in its one form: no tuple of one name, no empty tuple."""
    if isinstance(entry, (tuple, list)):
        if None in entry or UNCONSTRAINED in entry:
            raise ValueError(f"A PartitionSpec entry that is a tuple holds mesh axis names only, got {tuple(entry)!r}.")
        return None if not entry else entry[0] if len(entry) == 1 else tuple(entry)
    if isinstance(entry, PartitionSpec):
        raise TypeError(f"A PartitionSpec entry is a mesh axis name, a tuple of names or None, got {entry!r}; "
                        "unpack it with *.")
    return entry


def _axis_set(axes, what):
    if not isinstance(axes, (set, frozenset)):
        raise TypeError(f"PartitionSpec takes {what} as a set of mesh axis names, got {axes!r}.")
    if None in axes:
        raise ValueError(f"PartitionSpec got None among the {what} axes; they are names of mesh axes.")
    return frozenset(axes)


def _names(axes) -> str:
    return ", ".join(sorted(map(repr, axes)))


def _check_spec(mesh, spec: PartitionSpec):
    """ValueError unless the spec fits the mesh: its axes exist, none is used twice, and types of axes allow it."""
    used = [name for axes in spec.axes for name in axes]
    for name in [*used, *spec.unreduced, *spec.reduced]:
        if name not in mesh.shape:
            raise ValueError(f"The axis {name!r} of {spec} is not found in mesh {mesh}; choose one of its axes "
                             f"{mesh.axis_names}.")
    if len(set(used)) != len(used):
        twice = next(name for name in used if used.count(name) > 1)
        raise ValueError(f"A mesh axis can split at most one dimension of an array, but {spec} has duplicate entries "
                         f"for `{twice}`.")
    if UNCONSTRAINED in spec.partitions and not mesh.auto_axes:
        raise ValueError(f"{spec} leaves a dimension unconstrained, and the mesh has no Auto axis to split it over: "
                         f"{mesh}.")
    for what in ("unreduced", "reduced"):
        for name in getattr(spec, what):
            if mesh.axis_type(name) is not AxisType.Explicit:
                raise ValueError(f"Only Explicit mesh axes can be {what}, and {name!r} of {spec} is "
                                 f"{mesh.axis_type(name)!r} in {mesh}.")


# ---- shardings --------------------------------------------------------------------------------------------------

def axes_in(entry):
    """The mesh axes of an entry of a spec."""
    return () if entry is None else entry if entry.__class__ is tuple else (entry,)


def parts_of(sharding, ndim):
    """Into how many parts a sharding splits each of `ndim` dimensions."""
    return sharding._parts(ndim)


_lock = threading.Lock()


class Sharding:
    """How an array is divided among devices. Base of all shardings.

    A subclass gives `device_list`, `memory_kind`, `with_memory_kind` and `_placement`.
    """

    __slots__ = ("__dict__", "__weakref__")

    @property
    def device_list(self) -> tuple:
        """The devices, in the order in which programs number them."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its devices are.")

    def _placement(self, ndim: int) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
        """Into how many parts each dimension is split, and for each device which part of each it holds."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it divides an array.")

    @property
    def memory_kind(self) -> str | None:
        """The memory the array is in; None if there are no devices to say."""
        raise NotImplementedError(f"{type(self).__name__} does not say in which memory it is.")

    def with_memory_kind(self, kind: str) -> Sharding:
        """The same division in another memory."""
        raise NotImplementedError(f"{type(self).__name__} does not change its memory kind.")

    @property
    def unreduced(self) -> frozenset:
        """Mesh axes over which the array is still to be summed."""
        return _NONE

    @property
    def num_devices(self) -> int:
        return len(self.device_list)

    @functools.cached_property
    def device_set(self) -> set:
        return set(self.device_list)

    @functools.cached_property
    def addressable_devices(self) -> set:
        """The devices of this process."""
        return {device for device in self.device_list if is_local(device)}

    @property
    def has_addressable_devices(self) -> bool:
        return bool(self.addressable_devices)

    @functools.cached_property
    def is_fully_addressable(self) -> bool:
        """Whether all devices belong to this process."""
        return len(self.addressable_devices) == len(self.device_set)

    @property
    def is_fully_replicated(self) -> bool:
        """Whether every device holds the whole array."""
        return self.num_devices == 1

    def shard_shape(self, global_shape) -> tuple:
        """The shape of one device's part. ValueError if a dimension cannot be split evenly or there are too few."""
        return tuple([size if parts == 1 else self._part_size(size, parts, dimension, global_shape)
                      for dimension, (size, parts) in enumerate(zip(global_shape, self._parts(len(global_shape))))])

    def _parts(self, ndim):
        return self._placement(ndim)[0]

    def _part_size(self, size, parts, dimension, shape):
        if size % parts != 0:
            raise ValueError(
                f"The sharding {self} says that dimension {dimension} is partitioned {parts} times, but the dimension "
                f"size is {size} (full shape: {tuple(shape)}), which {parts} does not divide. Pad the dimension, or do "
                "not split it.")
        return size // parts

    def devices_indices_map(self, global_shape) -> dict:
        """For each device the slices of the array it holds. ValueError as `shard_shape`."""
        part_shape = self.shard_shape(global_shape)
        parts, tiles = self._placement(len(global_shape))
        return {device: tuple(slice(None) if split == 1 else slice(at * size, (at + 1) * size)
                              for split, at, size in zip(parts, tile, part_shape))
                for device, tile in zip(self.device_list, tiles)}

    def addressable_devices_indices_map(self, global_shape) -> dict:
        """`devices_indices_map` of this process's devices."""
        whole = self.devices_indices_map(global_shape)
        if self.is_fully_addressable:
            return whole
        return {device: index for device, index in whole.items() if device in self.addressable_devices}

    def is_equivalent_to(self, other: Sharding, ndim: int) -> bool:
        """Whether both put the same parts of an `ndim`-dimensional array on the same devices, in the same memory."""
        if self is other:
            return True
        if self.unreduced != other.unreduced or self.memory_kind != other.memory_kind:
            return False
        return self.device_list == other.device_list and self._placement(ndim) == other._placement(ndim)

    def check_compatible_aval(self, shape):
        """ValueError if an array of this shape cannot have this sharding for want of dimensions."""

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class NamedSharding(Sharding):
    """A mesh and a spec.

    `mesh` is a Mesh or an AbstractMesh (then there are no devices to ask for), `spec` a PartitionSpec of at most as
    many entries as the array has dimensions, `memory_kind` by default the devices' own memory. ValueError if the spec
    does not fit the mesh or the devices lack the memory.
    """

    __slots__ = ("mesh", "spec", "_memory_kind", "_splits", "_placements", "_in_types")
    _interned: weakref.WeakValueDictionary = weakref.WeakValueDictionary()

    def __new__(cls, mesh, spec, memory_kind=None):
        if not isinstance(spec, PartitionSpec):
            raise TypeError(f"NamedSharding takes a PartitionSpec, got {spec!r}; write P({_suggest(spec)}).")
        if isinstance(mesh, Mesh):
            memory_kind = memory_kind or mesh.default_memory_kind
        elif not isinstance(mesh, AbstractMesh):
            raise TypeError(f"NamedSharding takes a Mesh or an AbstractMesh, got {mesh!r}.")
        key = (mesh, spec, memory_kind)
        self = cls._interned.get(key)
        if self is None:
            _check_spec(mesh, spec)
            if isinstance(mesh, Mesh) and mesh.device_list:
                _check_memory_kind(mesh.device_list[0], memory_kind)
            with _lock:
                self = cls._interned.get(key)
                if self is None:
                    self = object.__new__(cls)
                    self.mesh, self.spec, self._memory_kind = key
                    self._splits, self._placements, self._in_types = {}, {}, {}  # by number of dimensions
                    cls._interned[key] = self
        return self

    def __reduce__(self):
        return NamedSharding, (self.mesh, self.spec, self._memory_kind)

    @property
    def memory_kind(self) -> str | None:
        return self._memory_kind

    def with_memory_kind(self, kind: str) -> NamedSharding:
        return NamedSharding(self.mesh, self.spec, kind)

    def update(self, mesh=None, spec=None, memory_kind=None) -> NamedSharding:
        """The sharding with some of its parts replaced."""
        return NamedSharding(self.mesh if mesh is None else mesh, self.spec if spec is None else spec,
                             self._memory_kind if memory_kind is None else memory_kind)

    @property
    def unreduced(self) -> frozenset:
        return self.spec.unreduced

    @property
    def device_list(self) -> tuple:
        if isinstance(self.mesh, AbstractMesh):
            raise ValueError(f"The sharding {self} is on an abstract mesh, which has no devices. Make it with a Mesh.")
        return self.mesh.device_list

    @property
    def num_devices(self) -> int:
        return self.mesh.size

    @functools.cached_property
    def replicated_axes(self) -> frozenset:
        """Mesh axes along which the devices hold equal parts."""
        return frozenset(self.mesh.axis_names).difference(*self.spec.axes, self.spec.unreduced)

    @functools.cached_property
    def is_fully_replicated(self) -> bool:
        shape = self.mesh.shape
        return all(shape[name] == 1 for axes in (*self.spec.axes, self.spec.unreduced) for name in axes)

    def check_compatible_aval(self, shape):
        if len(self.spec) > len(shape):
            raise ValueError(f"The sharding {self} is only valid for values of rank at least {len(self.spec)}, but was "
                             f"applied to a value of rank {len(shape)} (shape {tuple(shape)}).")

    def _parts(self, ndim):
        found = self._splits.get(ndim)
        if found is None:
            self.check_compatible_aval((None,) * ndim)
            shape = self.mesh.shape
            found = tuple(math.prod(shape[name] for name in axes) for axes in self._axes(ndim))
            self._splits[ndim] = found
        return found

    def _axes(self, ndim):
        return self.spec.axes + ((),) * (ndim - len(self.spec))

    def _placement(self, ndim):
        found = self._placements.get(ndim)
        if found is None:
            parts = self._parts(ndim)
            mesh = self.mesh
            positions = dict(zip(mesh.axis_names, np.indices(mesh.axis_sizes).reshape(len(mesh.axis_names), mesh.size)))
            tiles = np.zeros((ndim, mesh.size), dtype=int)
            for dimension, axes in enumerate(self._axes(ndim)):
                for name in axes:
                    tiles[dimension] = tiles[dimension] * mesh.shape[name] + positions[name]
            found = self._placements[ndim] = parts, tuple(map(tuple, tiles.T.tolist()))
        return found

    def is_equivalent_to(self, other: Sharding, ndim: int) -> bool:
        if self is other:
            return True
        if isinstance(self.mesh, AbstractMesh):
            return (isinstance(other, NamedSharding) and self.mesh is other.mesh and self.unreduced == other.unreduced
                    and self._memory_kind == other._memory_kind and self._axes(ndim) == other._axes(ndim))
        if isinstance(other, NamedSharding):
            if isinstance(other.mesh, AbstractMesh):
                return False
            if (self.mesh is other.mesh and self._memory_kind == other._memory_kind
                    and self.unreduced == other.unreduced and self._axes(ndim) == other._axes(ndim)):
                return True
        return super().is_equivalent_to(other, ndim)

    def __repr__(self):
        memory = "" if self._memory_kind is None else f", memory_kind={self._memory_kind}"
        return f"NamedSharding(mesh={self.mesh}, spec={self.spec}{memory})"


class SingleDeviceSharding(Sharding):
    """The whole array on one device, in a memory of it (by default its own). ValueError if it lacks the memory."""

    __slots__ = ("device", "_memory_kind")
    _interned: weakref.WeakValueDictionary = weakref.WeakValueDictionary()

    def __new__(cls, device, memory_kind=None):
        key = (device, memory_kind or device.default_memory().kind)
        self = cls._interned.get(key)
        if self is None:
            _check_memory_kind(*key)
            with _lock:
                self = cls._interned.get(key)
                if self is None:
                    self = object.__new__(cls)
                    self.device, self._memory_kind = key
                    cls._interned[key] = self
        return self

    @property
    def device_list(self) -> tuple:
        return (self.device,)

    @property
    def memory_kind(self) -> str:
        return self._memory_kind

    def with_memory_kind(self, kind: str) -> SingleDeviceSharding:
        return SingleDeviceSharding(self.device, kind)

    def _placement(self, ndim):
        return (1,) * ndim, ((0,) * ndim,)

    def __repr__(self):
        return f"SingleDeviceSharding(device={self.device!r}, memory_kind={self._memory_kind})"


def _suggest(spec) -> str:
    if spec is None:
        return ""
    return ", ".join(map(repr, spec)) if isinstance(spec, (tuple, list)) else repr(spec)


def _check_memory_kind(device, kind):
    kinds = [memory.kind for memory in device.addressable_memories()]
    # A device of another process lists no memories, so there is nothing to hold against the kind.
    if kinds and kind not in kinds:
        raise ValueError(f"The device {device} has no memory of kind {kind!r}; its memories are {', '.join(kinds)}.")


# ---- shardings in types -----------------------------------------------------------------------------------------

_ABSTRACT: dict[tuple, NamedSharding | None] = {}


def abstract_sharding(mesh, spec, unreduced=_NONE, reduced=_NONE) -> NamedSharding | None:
    """The sharding that stands in a type: `spec` on the abstract mesh of `mesh`, or None where it says nothing.

    `spec` has one entry for each dimension. ValueError if it does not fit the mesh.
    """
    key = (mesh, spec, unreduced, reduced)
    try:
        return _ABSTRACT[key]
    except KeyError:
        pass
    if not isinstance(spec, PartitionSpec):
        spec = PartitionSpec(*spec, unreduced=unreduced, reduced=reduced)
    says_nothing = not (any(spec.axes) or UNCONSTRAINED in spec.partitions or spec.unreduced or spec.reduced)
    found = None if says_nothing else NamedSharding(mesh.abstract_mesh, spec)
    if isinstance(mesh, AbstractMesh):  # a Mesh as a key would keep its devices alive
        _ABSTRACT[key] = found
    return found


def type_sharding(sharding: Sharding | None, ndim: int) -> tuple[NamedSharding | None, str | None]:
    """What a type says of an array's sharding: ``(sharding, memory)`` as in ArrayType.

    Only Explicit axes are part of a type; each dimension has an entry. ValueError if the spec has more entries.
    """
    if sharding is None:
        return None, None
    if not isinstance(sharding, NamedSharding):
        return None, type_memory(sharding.memory_kind)
    found = sharding._in_types.get(ndim)
    if found is None:
        sharding.check_compatible_aval((None,) * ndim)
        mesh, spec = sharding.mesh, sharding.spec
        explicit = set(mesh.explicit_axes)
        entries = tuple(_entry(tuple(name for name in axes if name in explicit)) for axes in sharding._axes(ndim))
        found = (abstract_sharding(mesh.abstract_mesh, entries, spec.unreduced, spec.reduced),
                 type_memory(sharding._memory_kind))
        sharding._in_types[ndim] = found
    return found


# ---- text for Shardy --------------------------------------------------------------------------------------------

def sdy_mesh(mesh, name: str = "mesh") -> str:
    """The mesh as a module-level operation of Shardy's dialect.

    >>> sdy_mesh(AbstractMesh((4, 2), ("x", "y")))
    'sdy.mesh @mesh = <["x"=4, "y"=2]>'
    """
    axes = ", ".join(f"{_quote(axis)}={size}" for axis, size in mesh.shape.items())
    return f"sdy.mesh @{name} = <[{axes}]>"


def sdy_sharding(sharding: NamedSharding, ndim: int, mesh_name: str = "mesh") -> str:
    """The sharding of an `ndim`-dimensional value as an attribute of Shardy's dialect. TypeError if it has no mesh.

    Dimensions that the spec leaves unconstrained are open (``{?}``), all others closed.

    >>> sdy_sharding(NamedSharding(AbstractMesh((4, 2), ("x", "y")), P("x")), 2)
    '#sdy.sharding<@mesh, [{"x"}, {}]>'
    """
    if not isinstance(sharding, NamedSharding):
        raise TypeError(f"Only a NamedSharding has a mesh to write for Shardy, got {sharding}.")
    sharding.check_compatible_aval((None,) * ndim)
    spec = sharding.spec
    entries = spec.partitions + (None,) * (ndim - len(spec))
    dimensions = ", ".join("{?}" if entry is UNCONSTRAINED else _axis_list(axes)
                           for entry, axes in zip(entries, sharding._axes(ndim)))
    unreduced = f", unreduced={_axis_list(sorted(spec.unreduced, key=sharding.mesh.axis_names.index))}" \
        if spec.unreduced else ""
    return f"#sdy.sharding<@{mesh_name}, [{dimensions}]{unreduced}>"


def sdy_axes(axes, closed: bool) -> str:
    """The sharding of one dimension: over `axes`, and over nothing else where `closed`.

    >>> sdy_axes(("x",), True), sdy_axes((), False)
    ('{"x"}', '{?}')
    """
    named = _axis_list(axes)
    return named if closed else "{?}" if not axes else f"{named[:-1]}, ?}}"


def _axis_list(axes) -> str:
    return "{" + ", ".join(map(_quote, axes)) + "}"


def _quote(axis) -> str:
    return '"' + str(axis).replace("\\", "\\\\").replace('"', '\\"') + '"'
