"""Meshes, partition specs and shardings."""
from gnomon.api.places import get_abstract_mesh, get_mesh, reshard, set_mesh, use_abstract_mesh  # noqa: F401
from gnomon.types.mesh import AbstractMesh, AxisType, Mesh  # noqa: F401
from gnomon.types.sharding import (NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding)  # noqa: F401
