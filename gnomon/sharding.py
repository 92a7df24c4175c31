"""Meshes, partition specs and shardings."""
from gnomon.types.mesh import AbstractMesh, AxisType, Mesh  # noqa: F401
from gnomon.types.sharding import (NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding)  # noqa: F401
