"""Meshes: devices in a grid whose dimensions, the mesh axes, have names.

`Mesh` holds devices, `AbstractMesh` only the sizes and names: types speak of abstract meshes, so that a program does
not depend on which devices it runs on. Both are interned: equal meshes are one object.
"""
from __future__ import annotations

import collections
import enum
import math
import threading
import weakref

import numpy as np

__all__ = ["AbstractDevice", "AbstractMesh", "AxisType", "Mesh", "install_mesh_context", "make_device_mesh"]


class AxisType(enum.Enum):
    """How arrays are split over a mesh axis.

    Auto: the compiler decides. Explicit: the type of an array says it. Manual: the program runs once per position on
    the axis and sees its own part.
    """

    Auto = "Auto"
    Explicit = "Explicit"
    Manual = "Manual"

    def __repr__(self):
        return self.name


AbstractDevice = collections.namedtuple("AbstractDevice", ["device_kind", "num_cores", "platform"])
AbstractDevice.__doc__ = "A kind of device, for an `AbstractMesh` that is meant for it."

_lock = threading.RLock()  # a Mesh makes its AbstractMesh while it holds the lock


class _Axes:
    """What Mesh and AbstractMesh have in common: sizes, names and types of axes."""

    __slots__ = ("axis_sizes", "axis_names", "axis_types", "shape", "size", "_type_of")

    def _set_axes(self, axis_sizes, axis_names, axis_types):
        self.axis_sizes, self.axis_names, self.axis_types = axis_sizes, axis_names, axis_types
        self.shape = collections.OrderedDict(zip(axis_names, axis_sizes))
        self.size = math.prod(axis_sizes)
        self._type_of = dict(zip(axis_names, axis_types))

    def axis_type(self, name) -> AxisType:
        """The type of one axis; KeyError if there is no such axis."""
        return self._type_of[name]

    @property
    def shape_tuple(self) -> tuple[tuple, ...]:
        """``(name, size)`` of each axis."""
        return tuple(self.shape.items())

    def _of_type(self, axis_type):
        return tuple(name for name, its in self._type_of.items() if its is axis_type)

    @property
    def auto_axes(self) -> tuple:
        return self._of_type(AxisType.Auto)

    @property
    def explicit_axes(self) -> tuple:
        return self._of_type(AxisType.Explicit)

    @property
    def manual_axes(self) -> tuple:
        return self._of_type(AxisType.Manual)

    def _all_of(self, *axis_types):
        return bool(self.axis_types) and all(its in axis_types for its in self.axis_types)

    @property
    def are_all_axes_auto(self) -> bool:
        return self._all_of(AxisType.Auto)

    @property
    def are_all_axes_explicit(self) -> bool:
        return self._all_of(AxisType.Explicit)

    @property
    def are_all_axes_manual(self) -> bool:
        return self._all_of(AxisType.Manual)

    @property
    def are_all_axes_explicit_or_manual(self) -> bool:
        return self._all_of(AxisType.Explicit, AxisType.Manual)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def _axes_text(self):
        return ", ".join(f"{name!r}: {size}" for name, size in self.shape.items())


class AbstractMesh(_Axes):
    """A mesh without devices: sizes, names and types of its axes.

    Axis types default to Auto. `abstract_device` may say what kind of device it is meant for. ValueError if the lengths
    of the arguments differ or a name occurs twice.

    >>> AbstractMesh((4, 2), ("x", "y"), (AxisType.Explicit, AxisType.Auto))
    AbstractMesh('x': 4, 'y': 2, axis_types=(Explicit, Auto))
    """

    __slots__ = ("abstract_device",)
    _interned: dict[tuple, AbstractMesh] = {}

    def __new__(cls, axis_sizes, axis_names, axis_types=None, *, abstract_device=None):
        sizes = tuple(axis_sizes)
        names, types = _check_axes("AbstractMesh", len(sizes), axis_names, axis_types)
        key = (sizes, names, types, abstract_device)
        self = cls._interned.get(key)
        if self is None:
            with _lock:
                self = cls._interned.get(key)
                if self is None:
                    self = object.__new__(cls)
                    self._set_axes(sizes, names, types)
                    self.abstract_device = abstract_device
                    cls._interned[key] = self
        return self

    def __reduce__(self):
        return _abstract_mesh, (self.axis_sizes, self.axis_names, self.axis_types, self.abstract_device)

    @property
    def empty(self) -> bool:
        """Whether the mesh has no axes."""
        return not self.axis_names

    @property
    def abstract_mesh(self) -> AbstractMesh:
        return self

    def update(self, axis_sizes=None, axis_names=None, axis_types=None, **kwargs) -> AbstractMesh:
        """The mesh with some of its facts replaced."""
        return AbstractMesh(self.axis_sizes if axis_sizes is None else axis_sizes,
                            self.axis_names if axis_names is None else axis_names,
                            self.axis_types if axis_types is None else axis_types,
                            abstract_device=kwargs.pop("abstract_device", self.abstract_device), **kwargs)

    def update_axis_types(self, axis_types: dict) -> AbstractMesh:
        """The mesh with the types of the named axes replaced; ValueError for a name the mesh does not have."""
        for name in axis_types:
            if name not in self.shape:
                raise ValueError(f"The mesh {self} has no axis {name!r}; its axes are {self.axis_names}.")
        return self.update(axis_types=tuple(axis_types.get(name, its) for name, its in self._type_of.items()))

    def _no_devices(self, what):
        raise ValueError(f"An abstract mesh has no {what}: {self}. Use a Mesh, which gnomon.make_mesh makes.")

    devices = property(lambda self: self._no_devices("devices"))
    device_ids = property(lambda self: self._no_devices("device_ids"))
    local_devices = property(lambda self: self._no_devices("local_devices"))
    local_mesh = property(lambda self: self._no_devices("local_mesh"))
    is_multi_process = property(lambda self: self._no_devices("is_multi_process"))

    def __repr__(self):
        axes = self._axes_text() or "()"
        device = ""
        if self.abstract_device is not None:
            device = "".join(f", {name}={fact}" for name, fact in self.abstract_device._asdict().items())
        return f"AbstractMesh({axes}, axis_types={self.axis_types}{device})"


def _abstract_mesh(axis_sizes, axis_names, axis_types, abstract_device):
    return AbstractMesh(axis_sizes, axis_names, axis_types, abstract_device=abstract_device)


class Mesh(_Axes):
    """A grid of devices with named axes.

    `devices` is an array (or nested sequence) of devices with one dimension for each of `axis_names`; a single name
    stands for a tuple of one. Axis types default to Auto. Devices are opaque objects with an ``id`` and a
    ``process_index``. ValueError if names and dimensions do not match, or a name or device occurs twice.

    ``with mesh:`` makes the mesh the one that specs refer to.
    """

    __slots__ = ("devices", "device_list", "abstract_mesh", "_default_memory_kind", "__weakref__")
    _interned: weakref.WeakValueDictionary = weakref.WeakValueDictionary()

    def __new__(cls, devices, axis_names, axis_types=None):
        grid = _device_array(devices)
        names, types = _check_axes("Mesh", grid.ndim, axis_names, axis_types)
        flat = tuple(grid.flat)
        if grid.ndim == 0 and flat[0] is None:
            flat = ()  # the empty mesh, which says that there is none
        key = (flat, grid.shape, names, types)
        self = cls._interned.get(key)
        if self is None:
            if not flat and grid.ndim:
                raise ValueError(f"Mesh got no devices: the shape of its devices is {grid.shape}.")
            if len(set(flat)) != len(flat):
                raise ValueError("Mesh got a device twice: "
                                 f"{next(device for device in flat if flat.count(device) > 1)}.")
            with _lock:
                self = cls._interned.get(key)
                if self is None:
                    self = object.__new__(cls)
                    self._set_axes(grid.shape, names, types)
                    grid.flags.writeable = False
                    self.devices, self.device_list = grid, flat
                    self.size = len(flat)
                    self.abstract_mesh = AbstractMesh(grid.shape, names, types)
                    self._default_memory_kind = None
                    cls._interned[key] = self
        return self

    @property
    def empty(self) -> bool:
        """Whether the mesh has no devices."""
        return not self.device_list

    @property
    def is_scalar(self) -> bool:
        """Whether the mesh is one device and no axes."""
        return self.devices.ndim == 0 and not self.empty

    @property
    def device_ids(self) -> np.ndarray:
        """The devices' ids, an integer array in the mesh's shape."""
        return np.array([device.id for device in self.device_list], dtype=int).reshape(
            self.axis_sizes if not self.empty else (0,))

    @property
    def local_devices(self) -> list:
        """The devices of this process, in the mesh's order."""
        return [device for device in self.device_list if is_local(device)]

    @property
    def is_multi_process(self) -> bool:
        return len(self.local_devices) != len(self.device_list)

    @property
    def local_mesh(self) -> Mesh:
        """The part of the mesh on this process's devices. ValueError if that part is not a grid."""
        if not self.is_multi_process:
            return self
        here = np.array([is_local(device) for device in self.device_list]).reshape(self.axis_sizes)
        block = np.ix_(*(np.unique(positions) for positions in np.nonzero(here)))
        if not here.any() or not here[block].all():
            raise ValueError(f"The devices of this process do not form a grid in the mesh {self}.")
        return Mesh(self.devices[block], self.axis_names, self.axis_types)

    @property
    def default_memory_kind(self) -> str | None:
        """The memory kind of the devices' own memory; None if the mesh is empty."""
        if self._default_memory_kind is None and self.device_list:
            self._default_memory_kind = self.device_list[0].default_memory().kind
        return self._default_memory_kind

    def update(self, devices=None, axis_names=None, axis_types=None) -> Mesh:
        """The mesh with some of its facts replaced."""
        return Mesh(self.devices if devices is None else devices,
                    self.axis_names if axis_names is None else axis_names,
                    self.axis_types if axis_types is None else axis_types)

    def __enter__(self):
        _context["enter"](self)
        return self

    def __exit__(self, *exception):
        _context["leave"](self)

    def __str__(self):
        return f"Mesh({self._axes_text()}, axis_types={self.axis_types})" if not self.empty else "Mesh()"

    def __repr__(self):
        types = "" if self.empty else f", axis_types={self.axis_types}"
        return f"Mesh(axis_sizes={self.axis_sizes}, axis_names={self.axis_names}{types})"


def is_local(device) -> bool:
    """Whether a device belongs to this process."""
    return device.process_index == device.client.process_index()


def _device_array(devices) -> np.ndarray:
    """An object array of its own, since a mesh keeps it and makes it read-only."""
    if isinstance(devices, np.ndarray):
        return devices.astype(object)
    return np.array(devices, dtype=object)


def _check_axes(what: str, ndim: int, axis_names, axis_types) -> tuple[tuple, tuple[AxisType, ...]]:
    names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
    if len(names) != ndim:
        given = "devices with" if what == "Mesh" else "axis sizes for"
        raise ValueError(f"{what} got {given} {ndim} dimension{'' if ndim == 1 else 's'} and {len(names)} axis names "
                         f"{names}; give each dimension one name.")
    if None in names:
        raise ValueError(f"{what} axis names cannot be None, got {names}.")
    if len(set(names)) != len(names):
        raise ValueError(f"{what} axis names must differ, got {names}.")
    if axis_types is None:
        return names, (AxisType.Auto,) * ndim
    types = (axis_types,) if isinstance(axis_types, AxisType) else tuple(axis_types)
    for its in types:
        if not isinstance(its, AxisType):
            raise TypeError(f"{what} axis types must be members of AxisType, got {its!r}.")
    if len(types) != ndim:
        raise ValueError(f"{what} needs one axis type for each axis name, got axis_names={names} and "
                         f"axis_types={types}.")
    return names, types


def make_device_mesh(shape, devices) -> np.ndarray:
    """The first devices of a sequence as an array of a shape. ValueError if there are too few."""
    shape = tuple(shape)
    needed = math.prod(shape)
    if needed > len(devices):
        raise ValueError(f"A mesh of shape {shape} needs {needed} devices, and there are {len(devices)}.")
    grid = np.empty(needed, dtype=object)
    grid[:] = devices[:needed]
    return grid.reshape(shape)


# ---- `with mesh:` -----------------------------------------------------------------------------------------------

def _no_context(mesh):
    raise RuntimeError("`with mesh:` needs the rest of Gnomon: import gnomon first.")


_context = {"enter": _no_context, "leave": _no_context}


def install_mesh_context(enter, leave):
    """Set what ``with mesh:`` does: `enter` and `leave` are called with the mesh. The room of tracing fills this."""
    _context["enter"], _context["leave"] = enter, leave
