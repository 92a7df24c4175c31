"""Value: what Array and Tracer have in common, and the second up-call of the house.

The operators of a value (``x + y``, ``x[i]``, ``x.sum()``) are functions of ``gnomon.numpy``, a room far below.
That room hands them in through `install_operators`; nothing here looks up to it.
"""
from __future__ import annotations


class Declared:
    """A member that Array and Tracer have, each in a form of its own: the class that they share answers `hasattr` for it."""

    __slots__ = ("name",)

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, value, owner=None):
        if value is None:
            return self
        raise AttributeError(f"A value of type {type(value).__name__} has no attribute {self.name!r}.")


class Value:
    """Anything a traced or eager computation works on. Subclasses carry `type`, an `ArrayType` or another value type."""

    __slots__ = ()
    __array_priority__ = 100
    block_until_ready, committed, copy_to_host_async, device = Declared(), Declared(), Declared(), Declared()
    is_deleted, item, sharding, tolist = Declared(), Declared(), Declared(), Declared()

    @property
    def aval(self):
        """The value's type under the name JAX users know."""
        return self.type

    @property
    def shape(self):
        return self.type.shape

    @property
    def dtype(self):
        return self.type.dtype

    @property
    def ndim(self):
        return len(self.type.shape)

    @property
    def size(self):
        return self.type.size

    @property
    def weak_type(self):
        return self.type.weak_type


def install_operators(table):
    """Set methods and operators on `Value`; `table` maps attribute names to functions or properties."""
    for name, function in table.items():
        setattr(Value, name, function)
