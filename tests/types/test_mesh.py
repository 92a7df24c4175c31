"""Meshes and abstract meshes, on devices without a runtime."""
import copy
import pickle

import numpy as np
import pytest

from gnomon.types import mesh as mesh_module
from gnomon.types.mesh import AbstractMesh, AxisType, Mesh, make_device_mesh
from tests.types.fake_devices import FakeDevice

Auto, Explicit, Manual = AxisType
devices = np.array([FakeDevice(i) for i in range(8)])


def mesh_4x2(*axis_types):
    return Mesh(devices.reshape(4, 2), ("x", "y"), axis_types or None)


def test_mesh_facts():
    mesh = mesh_4x2(Explicit, Auto)
    assert list(mesh.shape.items()) == [("x", 4), ("y", 2)] == list(mesh.shape_tuple)
    assert (mesh.axis_names, mesh.axis_sizes, mesh.axis_types) == (("x", "y"), (4, 2), (Explicit, Auto))
    assert mesh.size == 8 and not mesh.empty and not mesh.is_scalar
    assert mesh.device_ids.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert mesh.device_list == tuple(devices) and mesh.local_devices == list(devices)
    assert (mesh.explicit_axes, mesh.auto_axes, mesh.manual_axes) == (("x",), ("y",), ())
    assert mesh.axis_type("x") is Explicit and mesh.default_memory_kind == "device"
    assert mesh.local_mesh is mesh and not mesh.is_multi_process
    assert mesh_4x2().are_all_axes_auto and not mesh.are_all_axes_auto
    assert mesh_4x2(Explicit, Manual).are_all_axes_explicit_or_manual
    with pytest.raises(ValueError):
        mesh.devices[0, 0] = None  # read-only, since equal meshes are one object


def test_meshes_are_interned():
    assert mesh_4x2() is mesh_4x2() and mesh_4x2() == mesh_4x2()
    assert mesh_4x2() is not mesh_4x2(Explicit, Auto)
    assert mesh_4x2() is not Mesh(devices[::-1].reshape(4, 2), ("x", "y"))
    mesh = mesh_4x2()
    assert copy.deepcopy(mesh) is mesh and mesh.update() is mesh
    assert mesh.update(axis_types=(Explicit, Auto)) is mesh_4x2(Explicit, Auto)
    abstract = AbstractMesh((4, 2), ("x", "y"))
    assert mesh.abstract_mesh is abstract and Mesh(devices[::-1].reshape(4, 2), ("x", "y")).abstract_mesh is abstract
    assert pickle.loads(pickle.dumps(abstract)) is abstract and copy.copy(abstract) is abstract


def test_mesh_text():
    mesh = mesh_4x2(Explicit, Auto)
    assert repr(mesh) == "Mesh(axis_sizes=(4, 2), axis_names=('x', 'y'), axis_types=(Explicit, Auto))"
    assert str(mesh) == "Mesh('x': 4, 'y': 2, axis_types=(Explicit, Auto))"
    assert repr(mesh.abstract_mesh) == "AbstractMesh('x': 4, 'y': 2, axis_types=(Explicit, Auto))"
    assert repr(AbstractMesh((), ())) == "AbstractMesh((), axis_types=())"
    assert repr(AxisType.Auto) == "Auto" and str(AxisType.Auto) == "AxisType.Auto"


def test_meshes_without_axes():
    empty, scalar = Mesh(np.empty((), object), ()), Mesh(devices[0], ())
    assert empty.empty and empty.size == 0 and empty.device_list == () and repr(empty) == (
        "Mesh(axis_sizes=(), axis_names=())")
    assert scalar.is_scalar and scalar.size == 1 and not scalar.empty
    assert empty.abstract_mesh is scalar.abstract_mesh and empty.abstract_mesh.empty


def test_part_of_this_process():
    grid = np.array([FakeDevice(i, process_index=i // 2 % 2) for i in range(8)]).reshape(2, 4)
    mesh = Mesh(grid, ("x", "y"))
    assert mesh.is_multi_process and [device.id for device in mesh.local_devices] == [0, 1, 4, 5]
    assert mesh.local_mesh is Mesh(grid[:, :2], ("x", "y"))
    ragged = Mesh(grid.reshape(-1)[[0, 2, 3, 1]].reshape(2, 2), ("x", "y"))
    with pytest.raises(ValueError, match="do not form a grid"):
        ragged.local_mesh


@pytest.mark.parametrize("make, message", [
    (lambda: Mesh(devices.reshape(4, 2), ("x",)), "devices with 2 dimensions and 1 axis names"),
    (lambda: Mesh(devices, (None,)), "cannot be None"),
    (lambda: Mesh(devices.reshape(4, 2), ("x", "x")), "must differ"),
    (lambda: Mesh([devices[0], devices[0]], "x"), "a device twice: CpuDevice"),
    (lambda: Mesh(np.array([]), "x"), "no devices"),
    (lambda: mesh_4x2(Explicit), "one axis type for each axis name"),
    (lambda: AbstractMesh((4, 2), ("x",)), "axis sizes for 2 dimensions"),
    (lambda: AbstractMesh((4,), ("x",)).update_axis_types({"z": Manual}), "has no axis 'z'"),
    (lambda: AbstractMesh((4,), ("x",)).devices, "no devices"),
    (lambda: make_device_mesh((16,), devices), "needs 16 devices, and there are 8"),
])
def test_mesh_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_axis_types_are_checked():
    with pytest.raises(TypeError, match="members of AxisType, got 'Auto'"):
        mesh_4x2("Auto", "Auto")


def test_abstract_mesh_updates():
    mesh = AbstractMesh((4, 2), ("x", "y"))
    assert mesh.update_axis_types({"y": Manual}) is AbstractMesh((4, 2), ("x", "y"), (Auto, Manual))
    assert mesh.update(axis_sizes=(8, 1)).shape["x"] == 8
    kind = mesh_module.AbstractDevice("cpu", None, "cpu")
    assert mesh.update(abstract_device=kind) is not mesh and "platform=cpu" in repr(mesh.update(abstract_device=kind))


def test_make_device_mesh():
    grid = make_device_mesh((3, 2), list(devices))
    assert grid.shape == (3, 2) and grid[2, 1] is devices[5]
    assert make_device_mesh((), devices).item() is devices[0]


def test_with_mesh_calls_what_was_installed(monkeypatch):
    calls = []
    monkeypatch.setattr(mesh_module, "_context", {})
    mesh_module.install_mesh_context(lambda mesh: calls.append(("enter", mesh)),
                                     lambda mesh: calls.append(("leave", mesh)))
    mesh = mesh_4x2()
    with mesh as entered:
        assert entered is mesh and calls == [("enter", mesh)]
    assert calls[1:] == [("leave", mesh)]
