"""Array: a type, and its numbers in a device buffer, in a NumPy array, or in both.

An array that NumPy computed has no buffer until a compiled program wants one; an array that a program computed has no
NumPy view until somebody reads it. Either way the numbers never change.
"""
from __future__ import annotations

import math

import numpy as np

from gnomon.base.errors import JaxRuntimeError
from gnomon.base.settings import current
from gnomon.run import guard, xla
from gnomon.run.placement import Placement, default_placement, device_placement
from gnomon.trace.value import Value
from gnomon.types.dtype import KeyDtype, float0, is_integer
from gnomon.types.sharding import type_sharding
from gnomon.types.value_type import ArrayType

_bool = np.dtype(bool)
_numpy_asarray = np.asarray
_numpy_array = np.array


class Deleted:
    """Stands in the place of a buffer that is gone; using it as a buffer is an error that says where it went."""

    __slots__ = ("story",)

    def __init__(self, story: str):
        self.story = story

    def error(self, type=None) -> RuntimeError:
        """The error to raise for an array of type `type`."""
        shape = "" if type is None else f" with shape={type}"
        return RuntimeError(f"Array has been deleted{shape}{self.story}.")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise self.error()


BY_HAND = Deleted("")


class Array(Value):
    """A concrete array: what every computation outside a trace takes and gives.

    `type` is its ArrayType, `placement` where its buffer is; None stands for the default device, not chosen by the
    user. Arrays are made by the functions of `gnomon.numpy`, `device_put` and compiled programs, not by calling this
    class.
    """

    # _buffer: an xla.Buffer over all devices, None if it is not made yet, or a Deleted. _host: a NumPy array or None.
    # At least one of the two holds the numbers. Of arrays of keys both hold the uint32 words.
    __slots__ = ("type", "_buffer", "placement", "_host", "__weakref__")

    def __init__(self, type, buffer, placement=None, host=None):
        self.type = type
        self._buffer = buffer
        self.placement = placement
        self._host = host

    # ---- the two forms of the numbers

    def buffer(self):
        """The device buffer, made now if there is none. RuntimeError if the array was deleted."""
        buffer = self._buffer
        if buffer is None:
            # Two threads may both get here; either buffer is right.
            where = self.placement or default_placement()
            buffer = self._buffer = xla.put(base_type(self.type), where, [self._host], where.local_devices)
        elif type(buffer) is Deleted:
            raise buffer.error(self.type)
        return buffer

    def host(self) -> np.ndarray:
        """The numbers as a NumPy array that nobody may write to; waits for them. RuntimeError if deleted.

        For keys, their uint32 words.
        """
        host = self._host
        if host is None:
            host = self._host = self._read()
        return host

    def _read(self):
        buffer = self._buffer
        if type(buffer) is Deleted:
            raise buffer.error(self.type)
        where = self.placement or default_placement()
        data_type = base_type(self.type)
        if current.transfer_guard_device_to_host is not None and where.devices[0].platform != "cpu":
            guard.check("device_to_host", self.type)
        try:
            if where.on_host:
                return xla.to_numpy(buffer, data_type.dtype)
            if where.devices[0].platform != "cpu" and where.is_fully_replicated:
                return xla.fetch(buffer)
            if where.is_fully_addressable:
                return _gather(data_type, where, buffer)
            if where.is_fully_replicated:
                first = where.devices.index(where.local_devices[0])
                return xla.part_to_numpy(buffer, where, first, data_type.dtype)
        except xla.RuntimeFailure as error:
            raise JaxRuntimeError(f"Computing an array of type {self.type} failed: {error}") from None
        raise RuntimeError(
            f"An array of type {self.type} spans devices of other processes, so it cannot be read here as a whole; "
            "read its addressable_shards, or gather it first.")

    def __array__(self, dtype=None, copy=None):
        if type(self.type.dtype) is KeyDtype:
            raise TypeError(f"An array of {self.type.dtype} cannot be converted to a NumPy array; "
                            "random.key_data(keys) gives its integer words.")
        if self.type.dtype is float0:
            return np.zeros(self.type.shape, float0)
        host = self._host
        if host is None:
            host = self._host = self._read()
        if host.flags.writeable:
            host.setflags(write=False)
            host = self._host = host.view()  # a view, since the owner of memory could be made writable again
        if copy:
            return _numpy_array(host, dtype)
        if dtype is None or dtype == host.dtype:
            return host
        if copy is False:
            raise ValueError(f"An array of {host.dtype} cannot be converted to {np.dtype(dtype)} without a copy; "
                             "use np.asarray to allow one.")
        return host.astype(dtype)

    @property
    def _value(self) -> np.ndarray:
        return self.__array__()

    # ---- conversions to Python

    def item(self, *index):
        """One element as a Python scalar. ValueError if there are several and no index says which."""
        self._not_for_keys("item()")
        return self.host().item(*index)

    def tolist(self):
        """The elements as nested lists of Python scalars."""
        self._not_for_keys("tolist()")
        return self.host().tolist()

    def tobytes(self, order="C") -> bytes:
        """The elements as bytes."""
        self._not_for_keys("tobytes()")
        return self.host().tobytes(order)

    def _not_for_keys(self, what):
        if type(self.type.dtype) is KeyDtype:
            raise TypeError(f"{what} is not for an array of {self.type.dtype}; "
                            "random.key_data(keys) gives its integer words.")

    def _scalar(self, what):
        """The one element of an array without dimensions, as a Python scalar."""
        t = self.type
        if t.shape or t.dtype.__class__ is KeyDtype:
            self._not_for_keys(what)
            raise TypeError(f"Only scalar arrays can be converted to Python scalars; got arr.ndim={len(t.shape)}")
        host = self._host
        return (host if host is not None else self.host()).item()

    def __bool__(self):
        t = self.type
        if t.size != 1 or t.dtype.__class__ is KeyDtype:
            self._not_for_keys("bool()")
            if t.size == 0:
                raise ValueError("The truth value of an empty array is ambiguous. Use `array.size > 0` to check that "
                                 "an array is not empty.")
            raise ValueError("The truth value of an array with more than one element is ambiguous. "
                             "Use a.any() or a.all()")
        host = self._host
        return bool(host if host is not None else self.host())

    def __int__(self):
        return int(self._scalar("int()"))

    def __float__(self):
        return float(self._scalar("float()"))

    def __complex__(self):
        return complex(self._scalar("complex()"))

    def __index__(self):
        if self.type.shape or not is_integer(self.type.dtype):
            raise TypeError("Only integer scalar arrays can be converted to a scalar index.")
        return int(self.host())

    def __len__(self):
        shape = self.type.shape
        if not shape:
            raise TypeError("len() of unsized object")
        return shape[0]

    def __iter__(self):
        if not self.type.shape:
            key = "key " if type(self.type.dtype) is KeyDtype else ""
            raise TypeError(f"iteration over a 0-d {key}array")
        return (self[i] for i in range(self.type.shape[0]))

    def __reversed__(self):
        if not self.type.shape:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(self.type.shape[0] - 1, -1, -1))

    def __hash__(self):
        raise TypeError("unhashable type: 'Array'")

    def __setitem__(self, index, value):
        raise TypeError("Arrays are immutable and do not support in-place item assignment. "
                        "Instead of x[i] = y write x = x.at[i].set(y).")

    # ---- text

    def __repr__(self):
        t = self.type
        if type(t.dtype) is KeyDtype:
            return f"Array({t.shape}, dtype={t.dtype.name}) overlaying:\n{self.host()}"
        facts = f"dtype={t.dtype.name}, weak_type=True)" if t.weak_type else f"dtype={t.dtype.name})"
        where = self.placement
        if where is not None and not (where.is_fully_addressable or where.is_fully_replicated):
            return f"Array(shape={t.shape}, {facts}"
        if t.size == 0:
            return f"Array([], shape={t.shape}, {facts}"
        width = np.get_printoptions()["linewidth"]
        numbers = np.array2string(self.host(), prefix="Array(", suffix=",", separator=", ", max_line_width=width)
        # NumPy begins a new line where the dtype does not fit; JAX keeps the indent and leaves out the line break.
        last_line = len(numbers) - (numbers.rfind("\n") + 1)
        gap = " " if last_line + len(facts) + 2 < width else " " * len("Array(")
        return f"Array({numbers},{gap}{facts}"

    def __str__(self):
        if type(self.type.dtype) is KeyDtype:
            return repr(self)
        where = self.placement
        if where is not None and not (where.is_fully_addressable or where.is_fully_replicated):
            return repr(self)
        return str(self.host())

    def __format__(self, spec):
        if type(self.type.dtype) is KeyDtype or not self.is_fully_addressable:
            return format(str(self), spec)
        return format(self.host() if self.type.shape else self.host()[()], spec)

    # ---- copying and pickling

    def __copy__(self):
        return Array(self.type, self._buffer, self.placement, self._host)

    def __deepcopy__(self, memo):
        return from_numpy(self.host().copy(), self.type) if self.placement is None else self.__copy__()

    def __reduce__(self):
        # Placement and sharding stay behind: whoever reads the pickle may have other devices.
        t = self.type
        return _unpickle, (np.array(self.host()), t.shape, t.dtype, t.weak_type)

    # ---- place and life

    @property
    def sharding(self):
        """How the array is divided among devices."""
        return (self.placement or default_placement()).sharding

    @property
    def committed(self) -> bool:
        """Whether the user chose the devices; computations with other arrays then follow this one."""
        return self.placement is not None and self.placement.committed

    _committed = committed

    def devices(self) -> set:
        """The devices that hold parts of the array."""
        return set((self.placement or default_placement()).devices)

    @property
    def device(self):
        """The one device that holds the array, or its sharding if there are several."""
        where = self.placement or default_placement()
        return where.devices[0] if len(where.devices) == 1 else where.sharding

    def platform(self) -> str:
        """The platform of the array's devices."""
        return (self.placement or default_placement()).devices[0].platform

    @property
    def is_fully_addressable(self) -> bool:
        """Whether this process can read the whole array."""
        return self.placement is None or self.placement.is_fully_addressable

    @property
    def is_fully_replicated(self) -> bool:
        """Whether every device of the array holds all of it."""
        return self.placement is None or self.placement.is_fully_replicated

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.type.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.type.size * self.type.dtype.itemsize

    def block_until_ready(self):
        """Wait until the numbers are computed; gives the array."""
        buffer = self._buffer
        if buffer is not None:
            try:
                buffer.block_until_ready()
            except xla.RuntimeFailure as error:
                raise JaxRuntimeError(f"Computing an array of type {self.type} failed: {error}") from None
        return self

    def is_ready(self) -> bool:
        """Whether the numbers are computed."""
        return self._buffer is None or self._buffer.is_ready()

    def is_deleted(self) -> bool:
        """Whether the array was deleted or given to a program that reused its memory."""
        buffer = self._buffer
        return type(buffer) is Deleted or buffer is not None and self._host is None and buffer.is_deleted()

    def delete(self):
        """Free the memory now; the array cannot be used any more."""
        buffer = self._buffer
        self._host = None
        if buffer is None:
            self._buffer = BY_HAND
        elif type(buffer) is not Deleted:
            self._buffer = BY_HAND
            buffer.delete()

    def on_device_size_in_bytes(self) -> int:
        """Bytes the array takes on all its devices together."""
        return self.buffer().on_device_size_in_bytes()

    def unsafe_buffer_pointer(self) -> int:
        """The address of the numbers on the device. ValueError if they are on several devices."""
        where = self.placement
        if where is not None and len(where.devices) > 1:
            raise ValueError("unsafe_buffer_pointer() is for arrays on one device; ask the data of addressable_shards.")
        return xla.pointer(self.buffer(), self.type.dtype)

    def copy_to_host_async(self):
        """Begin to copy the numbers to the host, for a later read."""
        # On the CPU there is nothing to copy.
        if self._host is None:
            where = self.placement
            if where is not None and not where.on_host and where.is_fully_replicated:
                self.buffer()._copy_single_device_array_to_host_async()

    # ---- the parts on each device

    @property
    def addressable_shards(self) -> list:
        """The parts on this process's devices, each a `Shard`."""
        where = self.placement or default_placement()
        shape = self.type.shape
        part = ArrayType(tuple(where.sharding.shard_shape(shape)), self.type.dtype, self.type.weak_type)
        parts = self._parts(where, part)
        return [Shard(device, index, replica, parts[device])
                for device, index, replica in shard_places(where, shape) if device in parts]

    def _parts(self, where, part):
        """The parts on this process's devices, by device, as arrays of type `part`."""
        buffer = self.buffer()
        places = [device_placement(device, True, where.memory_kind) for device in where.local_devices]
        if len(where.devices) == 1:
            parts = [Array(part, buffer, places[0], self._host)]
        elif places[0].on_host:
            parts = [Array(part, None, place, host)
                     for place, (_, host) in zip(places, _host_parts(buffer, where, base_type(part)), strict=True)]
        else:
            parts = [Array(part, piece, place) for place, piece in zip(places, xla.split(buffer), strict=True)]
        return dict(zip(where.local_devices, parts))

    @property
    def global_shards(self) -> list:
        """The parts on all devices; `data` is None where another process holds it."""
        where = self.placement or default_placement()
        data = {shard.device: shard.data for shard in self.addressable_shards}
        return [Shard(device, index, replica, data.get(device))
                for device, index, replica in shard_places(where, self.type.shape)]

    def addressable_data(self, index: int):
        """The part on the `index`-th device of this process."""
        if self.is_fully_replicated and (self.placement is None or len(self.placement.devices) == 1):
            return self
        return self.addressable_shards[index].data

    # ---- DLPack

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self._not_for_keys("DLPack")
        where = self.placement or default_placement()
        if len(where.devices) > 1:
            raise BufferError("DLPack is for arrays on one device; hand over the data of addressable_shards.")
        if dl_device is not None and tuple(dl_device) != tuple(self.__dlpack_device__()):
            raise BufferError(f"This array is on the DLPack device {self.__dlpack_device__()}, not {tuple(dl_device)}; "
                              "move it with device_put first.")
        buffer = self.buffer()
        if copy:
            buffer = xla.move(buffer, where)
        return xla.to_dlpack(buffer, stream)

    def __dlpack_device__(self) -> tuple[int, int]:
        device = (self.placement or default_placement()).devices[0]
        kind = DLPACK_DEVICES.get(device.client.platform)
        if kind is None:
            raise BufferError(f"DLPack knows no device of platform {device.client.platform!r}.")
        return kind, 0 if kind == DLPACK_CPU else device.local_hardware_id


DLPACK_CPU = 1
DLPACK_DEVICES = {"cpu": DLPACK_CPU, "cuda": 2, "gpu": 2, "rocm": 10}


class Shard:
    """The part of an array on one device: `device`, `index` (slices of the whole), `replica_id` and `data`."""

    __slots__ = ("device", "index", "replica_id", "data")

    def __init__(self, device, index, replica_id, data):
        self.device, self.index, self.replica_id, self.data = device, index, replica_id, data

    def __repr__(self):
        data = "" if self.data is None else f", data={self.data}"
        return f"Shard(device={self.device!r}, index={self.index}, replica_id={self.replica_id}{data})"


def shard_places(where: Placement, shape):
    """(device, index, replica number) for every device: equal parts are numbered in the order of the devices."""
    seen: dict = {}
    places = []
    for device, index in where.sharding.devices_indices_map(shape).items():
        part = tuple((s.start, s.stop) for s in index)
        places.append((device, index, seen.get(part, 0)))
        seen[part] = seen.get(part, 0) + 1
    return places


def base_type(type):
    """The type of the buffer of an array: keys are held as their uint32 words, float0, which has no numbers, as booleans."""
    if isinstance(type.dtype, KeyDtype):
        return ArrayType(type.shape + type.dtype.key_shape, np.dtype(np.uint32))
    return type.with_dtype(_bool) if type.dtype is float0 else type


def _host_parts(buffer, where, type):
    """(device, NumPy array) for each of this process's devices, which are CPUs; `type` only gives the dtype."""
    here = set(where.local_devices)
    return [(device, xla.part_to_numpy(buffer, where, position, type.dtype))
            for position, device in enumerate(where.devices) if device in here]


def _gather(type, where, buffer):
    """The whole of an array whose parts are on several devices of this process."""
    if where.devices[0].platform == "cpu":
        if where.is_fully_replicated:
            return xla.part_to_numpy(buffer, where, 0, type.dtype)
        parts = dict(_host_parts(buffer, where, type))
    else:
        parts = dict(zip(where.local_devices, map(xla.fetch, xla.split(buffer))))
    whole = np.empty(type.shape, type.dtype)
    for device, index, replica in shard_places(where, type.shape):
        if replica == 0:
            whole[index] = parts[device]
    whole.setflags(write=False)
    return whole.view()


# ---- making arrays ----------------------------------------------------------------------------------------------

def from_numpy(host, type: ArrayType) -> Array:
    """An array around a NumPy array (or scalar) of the type's shape and dtype, without a copy.

    The caller hands it over: nobody may write to it afterwards.
    """
    return Array(type, None, None, host if host.__class__ is np.ndarray else _numpy_asarray(host))


def from_numpy_copy(host, type: ArrayType | None = None) -> Array:
    """An array with a copy of a NumPy array's numbers, of its dtype or the type's."""
    if type is None:
        type = ArrayType(host.shape, host.dtype)
    return Array(type, None, None, aligned_copy(host, base_type(type).dtype))


ALIGNMENT = 64      # XLA shares memory with NumPy only if it begins at a multiple of this
SMALL = 4096        # bytes that are copied faster than memory is aligned


def aligned_memory(shape, dtype, zero=False) -> np.ndarray:
    """New memory in C order where XLA can use it without a copy; zeros, or anything."""
    make = np.zeros if zero else np.empty
    size = math.prod(shape) * dtype.itemsize
    if size <= SMALL:
        return make(shape, dtype)
    memory = make(size + ALIGNMENT, np.uint8)
    start = -memory.__array_interface__["data"][0] % ALIGNMENT
    return memory[start:start + size].view(dtype).reshape(shape)


def aligned_copy(host, dtype) -> np.ndarray:
    """A copy of a NumPy array, in C order, where XLA can use it without another copy."""
    if host.nbytes <= SMALL:
        return np.array(host, dtype, order="C", subok=False)
    copy = aligned_memory(host.shape, dtype)
    np.copyto(copy, host, casting="unsafe")
    return copy


def _unpickle(host, shape, dtype, weak_type):
    return from_numpy(host, ArrayType(shape, dtype, weak_type))


def with_placement_type(type: ArrayType, sharding) -> ArrayType:
    """The type an array has once it is placed by `sharding`: explicit mesh axes and memory become part of it."""
    of_type, memory = type_sharding(sharding, len(type.shape))
    if of_type is type.sharding and memory == type.memory:
        return type
    return ArrayType(type.shape, type.dtype, type.weak_type, of_type, type.varying, memory)
