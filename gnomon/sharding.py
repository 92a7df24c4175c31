"""Meshes, partition specs and shardings."""
from gnomon.api.absent import Absent as _Absent
from gnomon.api.absent import absent_class as _absent_class
from gnomon.api.places import get_abstract_mesh, get_mesh, reshard, set_mesh, use_abstract_mesh
from gnomon.types.mesh import AbstractDevice, AbstractMesh, AxisType, Mesh
from gnomon.types.sharding import NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding


def make_single_device_sharding(device, *, memory_kind=None):
    """The sharding of arrays that are on one device."""
    return SingleDeviceSharding(device, memory_kind=memory_kind)


_MODE = "the mode of a mesh's axes is chosen when the mesh is made; give make_mesh the axis_types you want, or use reshard and "\
        "lax.with_sharding_constraint"
auto_axes = _Absent("sharding.auto_axes", _MODE)
explicit_axes = _Absent("sharding.explicit_axes", _MODE)

_MANUAL = "a value's type says which manual axes it varies over, and nothing more; see typeof(x).vma"
ManualAxisType, UnreducedKind = _absent_class("ManualAxisType", _MANUAL), _absent_class("UnreducedKind", _MANUAL)
no_collectives = _Absent("sharding.no_collectives", "the compiler chooses the collectives; see what it chose with "
                         "gnomon.jit(f).lower(...).compile().as_text()")

__all__ = ["ManualAxisType", "UnreducedKind", "no_collectives",
           "AbstractDevice", "AbstractMesh", "AxisType", "Mesh", "NamedSharding", "PartitionSpec", "Sharding", "SingleDeviceSharding",
           "auto_axes", "explicit_axes", "get_abstract_mesh", "get_mesh", "make_single_device_sharding", "reshard", "set_mesh",
           "use_abstract_mesh"]
