"""The older place of `shard_map`, with its older arguments."""
from __future__ import annotations

from gnomon.api.shard_map import shard_map as _shard_map

__all__ = ["shard_map"]


def shard_map(f, mesh, in_specs, out_specs, check_rep=True, auto=frozenset()):
    """`gnomon.shard_map`, where `check_rep` is called check_vma and `auto` are the axes that it does not run over.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> from gnomon.sharding import PartitionSpec as P
    >>> shard_map(lambda x: x + 1, gnomon.make_mesh((1,), ("x",)), P("x"), P("x"))(jnp.arange(2)).tolist()
    [1, 2]
    """
    names = frozenset(mesh.axis_names) - frozenset(auto)
    return _shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, axis_names=names, check_vma=check_rep)
