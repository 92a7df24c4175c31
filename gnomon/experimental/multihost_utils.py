"""Values of several processes brought together. With one process they are what they are."""
from __future__ import annotations

import numpy as _np

from gnomon.base.errors import Refused as _Refused
from gnomon.base.tree import tree_map as _tree_map
from gnomon.run.client import process_count as _process_count
from gnomon.run.execute import effects_barrier as _effects_barrier

__all__ = ["assert_equal", "broadcast_one_to_all", "process_allgather", "sync_global_devices"]


def _one_process(name):
    if _process_count() > 1:
        raise _Refused(f"multihost_utils.{name} works with one process only; bring values together with "
                       "make_array_from_process_local_data and a jitted function that replicates its output.")


def sync_global_devices(name: str) -> None:
    """Wait until all processes are here."""
    _one_process("sync_global_devices")
    _effects_barrier()


def broadcast_one_to_all(in_tree, is_source=None):
    """The values of process 0, as NumPy arrays, in all processes."""
    _one_process("broadcast_one_to_all")
    return _tree_map(_np.asarray, in_tree)


def process_allgather(in_tree, tiled: bool = False):
    """The values of all processes: stacked on a new leading axis, or joined on the first one where `tiled`.

    >>> process_allgather(_np.ones(2)).shape
    (1, 2)
    """
    _one_process("process_allgather")
    return _tree_map(lambda x: _np.asarray(x) if tiled else _np.asarray(x)[None], in_tree)


def assert_equal(in_tree, fail_message: str = "") -> None:
    """AssertionError unless all processes have the same values."""
    _one_process("assert_equal")
