"""What a value is, without its numbers: `ArrayType`, `RefType`, `TokenType`.

Types are interned: equal types are one object, so they compare and hash by identity and every cache keyed on
types is a look-up by address.
"""
from __future__ import annotations

import math
import threading

import numpy as np

from gnomon.base.record import Record
from gnomon.types.dtype import MOVING, is_supported, short_name, tangent_dtype
from gnomon.types.memory import memory_text
from gnomon.types.sharding import abstract_sharding

NOWHERE = frozenset()


class Tag(Record):
    """What a type says of a manual axis that a value varies over, besides: "U", its values are still to be summed over the axis; "R", they
    are all the same, and those of its cotangent are still to be summed. It stands among the axes in `ArrayType.varying`."""

    kind: str
    axis: object

    made = False            # whether there is any: else nobody has to look for them

    def __init__(self, kind, axis):
        Tag.made = True
        super().__init__(kind, axis)

    def __repr__(self):
        return f"{self.kind}:{self.axis}"

    def __reduce__(self):
        return Tag, (self.kind, self.axis)      # so that one that is read back is known of


def tags_of(varying):
    """The tags among the axes that a value varies over."""
    return frozenset([v for v in varying if v.__class__ is Tag]) if Tag.made else NOWHERE


def flipped(varying):
    """What the cotangent of a value varies over: its tags are the other ones."""
    tags = tags_of(varying)
    return varying - tags | {Tag("R" if t.kind == "U" else "U", t.axis) for t in tags} if tags else varying
_intern_lock = threading.Lock()


class ArrayType:
    """The type of an array: shape, dtype, and where it is.

    `sharding` is None or an interned NamedSharding on an abstract mesh (only explicit axes appear in it), `varying`
    the manual mesh axes over which the value differs, `memory` None for the device's own memory or a memory kind.
    """

    __slots__ = ("shape", "dtype", "weak_type", "sharding", "varying", "memory", "size", "ndim", "_text", "strong",
                 "__weakref__")
    _table: dict = {}

    def __new__(cls, shape, dtype, weak_type=False, sharding=None, varying=NOWHERE, memory=None):
        key = (shape, dtype, weak_type, sharding, varying, memory)
        found = cls._table.get(key)
        return found if found is not None else cls._create(key)

    @classmethod
    def _create(cls, key):
        if not is_supported(key[1]):
            raise TypeError(f"Arrays hold numbers, booleans or random keys; none has the dtype {key[1]}.")
        with _intern_lock:
            found = cls._table.get(key)
            if found is not None:
                return found
            self = object.__new__(cls)
            self.shape, self.dtype, self.weak_type, self.sharding, self.varying, self.memory = key
            self.ndim = len(self.shape)
            self.size = math.prod(self.shape)
            self._text = None
            self.strong = self
            cls._table[key] = self
        if self.weak_type:
            self.strong = cls(self.shape, self.dtype, False, *key[3:])
        return self

    def __reduce__(self):
        return ArrayType, (self.shape, self.dtype, self.weak_type, self.sharding, self.varying, self.memory)

    @property
    def spec(self):
        """Per dimension, the mesh axis or axes that it is sharded over, or None."""
        return (None,) * self.ndim if self.sharding is None else tuple(self.sharding.spec)

    @property
    def vma(self):
        return self.varying

    @property
    def memory_space(self):
        return self.memory

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    def to_tangent_aval(self):
        """The type of tangents: float0 where there is no derivative."""
        return tangent_type(self)

    def strip_weak_type(self):
        return self.strong

    def update_weak_type(self, weak_type):
        return self.with_dtype(self.dtype, bool(weak_type))

    def __len__(self):
        if not self.shape:
            raise TypeError(f"len() of a value of type {self}, which has no dimensions")
        return self.shape[0]

    def update(self, **changes):
        """The type with some facts replaced: `t.update(shape=(3,), dtype=...)`."""
        facts = dict(shape=self.shape, dtype=self.dtype, weak_type=self.weak_type, sharding=self.sharding,
                     varying=self.varying, memory=self.memory)
        if "shape" in changes and "sharding" not in changes:
            facts["sharding"] = None
        return ArrayType(**{**facts, **changes})

    def still(self):
        """The type of a value that is the same along all manual axes."""
        return self.update(varying=NOWHERE) if self.varying else self

    def with_shape(self, shape):
        """Same dtype and weakness, another shape, no sharding."""
        return ArrayType(shape, self.dtype, self.weak_type, None, self.varying, self.memory)

    def with_dtype(self, dtype, weak_type=False):
        return ArrayType(self.shape, dtype, weak_type, self.sharding, self.varying, self.memory)

    def _dims(self):
        if self.sharding is None:
            return ",".join(map(str, self.shape))
        parts = []
        for size, axes in zip(self.shape, self.spec):
            at = "" if axes is None else "@" + (axes if isinstance(axes, str) else "(" + ",".join(axes) + ")")
            parts.append(f"{size}{at}")
        return ",".join(parts)

    def _suffix(self):
        memory = "" if self.memory is None else f"<{memory_text(self.memory)}>"
        varying = ""
        if self.varying:
            tags = tags_of(self.varying)
            plain = self.varying - tags - {t.axis for t in tags}
            axes = ",".join(sorted(map(str, plain)))
            parts = [f"V:({axes})" if len(plain) > 1 else f"V:{axes}"] * bool(plain) + sorted(map(str, tags))
            varying = "{" + ",".join(parts) + "}"
        return memory + f"[{self._dims()}]" + varying

    def __str__(self):
        return getattr(self.dtype, "name", str(self.dtype)) + self._suffix()

    def short(self):
        """The form printed in jaxprs: `f32[8@x,16@y]`."""
        if self._text is None:
            self._text = short_name(self.dtype) + self._suffix()
        return self._text

    def str_short(self, short_dtypes=False, mesh_axis_types=False):
        return self.short() if short_dtypes else str(self)

    def __repr__(self):
        weak = ", weak_type=True" if self.weak_type else ""
        return f"ShapedArray({self}{weak})"


def tangent_type(t):
    """The type of a value's tangent: its own where that is a vector space, else float0."""
    dtype = tangent_dtype(t.dtype)
    return t if dtype == t.dtype else t.with_dtype(dtype)


def has_tangent(t):
    """Whether values of this type can move at all."""
    return t.__class__ is not RefType and t.dtype in MOVING


def array_type(shape, dtype, weak_type=False, spec=None, mesh=None, varying=NOWHERE, memory=None):
    """An ArrayType from a spec (a tuple, one entry a dimension) on an abstract mesh; all-None specs have no sharding."""
    sharding = abstract_sharding(mesh, tuple(spec)) if mesh is not None else None
    return ArrayType(tuple(shape), dtype, weak_type, sharding, varying, memory)


class RefType:
    """The type of a mutable reference to an array of type `inner`."""

    __slots__ = ("inner", "__weakref__")
    _table: dict = {}
    weak_type, varying = False, NOWHERE

    def __new__(cls, inner):
        with _intern_lock:
            found = cls._table.get(inner)
            if found is None:
                found = cls._table[inner] = object.__new__(cls)
                found.inner = inner
        return found

    def __reduce__(self):
        return RefType, (self.inner,)

    shape = property(lambda self: self.inner.shape)
    dtype = property(lambda self: self.inner.dtype)
    ndim = property(lambda self: self.inner.ndim)
    size = property(lambda self: self.inner.size)
    sharding = property(lambda self: self.inner.sharding)
    strong = property(lambda self: self)
    inner_aval = property(lambda self: self.inner)

    def update(self, **changes):
        return RefType(self.inner.update(**changes))

    def with_shape(self, shape):
        return RefType(self.inner.with_shape(shape))

    def short(self):
        return f"Ref{{{self.inner.short()}}}"

    def __str__(self):
        return f"Ref{{{self.inner}}}"

    __repr__ = __str__


class TokenType:
    """The type of a token, which orders effects."""

    shape, ndim, size, weak_type, dtype = (), 0, 1, False, np.dtype(bool)      # it is held as a boolean that is false
    sharding, spec, varying, vma, memory = None, (), NOWHERE, NOWHERE, None

    def short(self):
        return "Tok"

    __str__ = __repr__ = short
    strong = property(lambda self: self)


TOKEN = TokenType()
