"""Devices without a runtime, for tests of meshes and shardings."""
import types

KINDS = ("device", "pinned_host", "unpinned_host")


class FakeDevice:
    """A device of a process; only `here` is this one."""

    platform, device_kind = "cpu", "cpu"

    def __init__(self, id, process_index=0, here=0):
        self.id, self.process_index = id, process_index
        self.client = types.SimpleNamespace(process_index=lambda: here)

    def default_memory(self):
        return types.SimpleNamespace(kind="device")

    def addressable_memories(self):
        return [types.SimpleNamespace(kind=kind) for kind in KINDS]

    def __repr__(self):
        return f"CpuDevice(id={self.id})"
