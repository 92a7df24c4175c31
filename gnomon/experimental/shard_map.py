"""The older place of `shard_map`."""
from gnomon.api.absent import shard_map

__all__ = ["shard_map"]
