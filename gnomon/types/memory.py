"""Memory kinds: in which of a device's memories an array is.

A kind is a name: 'device' (the device's own memory), 'pinned_host' (host memory the device reads directly) or
'unpinned_host' (ordinary host memory). In a type None stands for the device's own memory.
"""
from __future__ import annotations

import enum

__all__ = ["DEVICE", "KINDS", "PINNED_HOST", "UNPINNED_HOST", "Space", "memory_text", "type_memory"]

DEVICE, PINNED_HOST, UNPINNED_HOST = KINDS = ("device", "pinned_host", "unpinned_host")


class Space(enum.Enum):
    """Where an array is, for programs that do not name a device: on the device, or in the host's pinned memory."""

    Device = DEVICE
    Host = PINNED_HOST

    def __repr__(self):
        return f"MemorySpace.{self.name}"

    __str__ = __repr__


def type_memory(kind: str | Space | None) -> str | None:
    """What a type says of a memory kind: None for the device's own memory, else the kind. ValueError if unknown.

    >>> type_memory("device"), type_memory(Space.Host)
    (None, 'pinned_host')
    """
    if kind is None:
        return None
    name = kind.value if isinstance(kind, Space) else kind
    if name not in KINDS:
        raise ValueError(f"There is no memory kind {kind!r}; choose one of {', '.join(KINDS)}.")
    return None if name == DEVICE else name


def memory_text(kind: str) -> str:
    """How a kind prints inside a type, as in ``float32<host>[8]``: 'host' for 'pinned_host', others as they are."""
    return "host" if kind == PINNED_HOST else kind
