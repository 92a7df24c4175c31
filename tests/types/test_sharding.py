"""Specs, shardings and their Shardy text, on devices without a runtime."""
import copy
import pickle

import numpy as np
import pytest

from gnomon.types.mesh import AbstractMesh, AxisType, Mesh
from gnomon.types.sharding import (
    NamedSharding, P, Sharding, SingleDeviceSharding, abstract_sharding, sdy_mesh, sdy_sharding, type_sharding)
from tests.types.fake_devices import FakeDevice

Auto, Explicit, Manual = AxisType
U = P.UNCONSTRAINED
devices = np.array([FakeDevice(i) for i in range(8)])
mesh = Mesh(devices.reshape(4, 2), ("x", "y"))
explicit = mesh.update(axis_types=(Explicit, Explicit))
mixed = mesh.update(axis_types=(Explicit, Auto))
abstract = explicit.abstract_mesh


# ---- specs ------------------------------------------------------------------------------------------------------

def test_spec_reads_like_a_tuple():
    spec = P("x", None, ("x", "y"))
    assert len(spec) == 3 and list(spec) == ["x", None, ("x", "y")] and spec[0] == "x" and spec[:2] == ("x", None)
    assert spec.index(None) == 1 and spec.count("x") == 1 and tuple(spec) == spec.partitions
    assert P("x") + P("y") == P("x", "y") == P("x") + ("y",) and ("y",) + P("x") == P("y", "x")
    assert not isinstance(spec, tuple) and P("x") != ("x",)


def test_spec_entries_have_one_form():
    assert P(("x",), [], ["x", "y"]) == P("x", None, ("x", "y"))
    assert hash(P(("x",))) == hash(P("x")) and {P("x")} == {P(["x"])}
    assert P("x") != P("x", None)
    assert P(("x", "y"), None, U, "z").axes == (("x", "y"), (), (), ("z",))


def test_spec_text():
    assert [repr(spec) for spec in (P(), P("x"), P("x", None), P(("x", "y"), U), P("x", unreduced={"z", "y"}),
                                    P(reduced={"y"}))] == [
        "P()", "P('x',)", "P('x', None)", "P(('x', 'y'), UNCONSTRAINED)", "P('x', unreduced={'y', 'z'})",
        "P(reduced={'y'})"]


def test_spec_sums():
    spec = P("x", unreduced={"y"})
    assert spec.unreduced == {"y"} and spec.to_ct_spec() == P("x", reduced={"y"}) and spec.to_tangent_spec() is spec
    assert spec != P("x") and spec.update(unreduced=set()) == P("x") and spec.update(partitions=("z",))[0] == "z"
    assert pickle.loads(pickle.dumps(spec)) == spec and copy.deepcopy(P(U))[0] is U


@pytest.mark.parametrize("error, make, message", [
    (ValueError, lambda: P("x", unreduced={"x"}), "splits a dimension over 'x'"),
    (ValueError, lambda: P(unreduced={"x"}, reduced={"x"}), "both unreduced and reduced"),
    (ValueError, lambda: P(unreduced={None}), "None among the unreduced"),
    (TypeError, lambda: P(unreduced="x"), "as a set"),
    (ValueError, lambda: P(("x", None)), "mesh axis names only"),
    (TypeError, lambda: P(P("x")), r"unpack it with \*"),
])
def test_spec_errors(error, make, message):
    with pytest.raises(error, match=message):
        make()


# ---- shardings --------------------------------------------------------------------------------------------------

def test_shardings_are_interned():
    sharding = NamedSharding(mesh, P("x"))
    assert NamedSharding(mesh, P(("x",)), memory_kind="device") is sharding
    assert NamedSharding(mesh, P("x", None)) is not sharding and NamedSharding(explicit, P("x")) is not sharding
    assert sharding.with_memory_kind("pinned_host") is NamedSharding(mesh, P("x"), "pinned_host")
    assert sharding.update(spec=P("y")) is NamedSharding(mesh, P("y")) and copy.deepcopy(sharding) is sharding
    assert SingleDeviceSharding(devices[0]) is SingleDeviceSharding(devices[0], "device")
    on_abstract = NamedSharding(abstract, P("x"))
    assert pickle.loads(pickle.dumps(on_abstract)) is on_abstract


def test_sharding_text():
    assert repr(NamedSharding(mesh, P("x"))) == (
        "NamedSharding(mesh=Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)), spec=P('x',), memory_kind=device)")
    assert repr(NamedSharding(abstract, P("x"))) == (
        "NamedSharding(mesh=AbstractMesh('x': 4, 'y': 2, axis_types=(Explicit, Explicit)), spec=P('x',))")
    assert repr(SingleDeviceSharding(devices[1], "pinned_host")) == (
        "SingleDeviceSharding(device=CpuDevice(id=1), memory_kind=pinned_host)")


@pytest.mark.parametrize("spec, shape, part", [
    (P("x", "y"), (8, 6), (2, 3)), (P(), (3,), (3,)), (P(("x", "y")), (16, 5), (2, 5)), (P(None, "y"), (3, 4), (3, 2)),
    (P("x"), (0,), (0,)), (P(), (), ()),
])
def test_shard_shape(spec, shape, part):
    assert NamedSharding(mesh, spec).shard_shape(shape) == part
    assert NamedSharding(mesh.abstract_mesh, spec).shard_shape(shape) == part


def test_devices_indices_map_covers_the_array():
    whole = np.arange(8 * 6 * 16).reshape(8, 6, 16)
    for spec in (P("x", "y"), P(None, None, ("y", "x")), P("y"), P(None, "y", "x"), P()):
        index = NamedSharding(mesh, spec).devices_indices_map(whole.shape)
        assert list(index) == list(devices)
        parts = [whole[index[device]] for device in devices]
        assert {part.shape for part in parts} == {NamedSharding(mesh, spec).shard_shape(whole.shape)}
        assert set(np.concatenate([part.ravel() for part in parts])) == set(whole.ravel())


def test_devices_indices_map():
    index = NamedSharding(mesh, P(None, ("y", "x"))).devices_indices_map((8, 16))
    assert [index[device][1].start for device in devices] == [0, 8, 2, 10, 4, 12, 6, 14]
    assert index[devices[0]][0] == slice(None)
    assert SingleDeviceSharding(devices[0]).devices_indices_map((3,)) == {devices[0]: (slice(None),)}


def test_where_the_devices_are():
    others = np.array([FakeDevice(i, process_index=i // 4) for i in range(8)])
    sharding = NamedSharding(Mesh(others, "x"), P("x"))
    assert sharding.addressable_devices == set(others[:4]) and not sharding.is_fully_addressable
    assert list(sharding.addressable_devices_indices_map((8,))) == list(others[:4])
    assert sharding.device_set == set(others) and sharding.num_devices == 8 and sharding.has_addressable_devices
    assert NamedSharding(mesh, P()).is_fully_addressable


def test_replication():
    assert NamedSharding(mesh, P(None, U)).is_fully_replicated and not NamedSharding(mesh, P("x")).is_fully_replicated
    assert NamedSharding(Mesh(devices[:1], "x"), P("x")).is_fully_replicated
    assert not NamedSharding(explicit, P(unreduced={"y"})).is_fully_replicated
    assert SingleDeviceSharding(devices[0]).is_fully_replicated
    assert NamedSharding(explicit, P("x")).replicated_axes == {"y"}
    assert NamedSharding(explicit, P("x", unreduced={"y"})).replicated_axes == frozenset()


def test_equivalence():
    def same(a, b, ndim=2):
        assert a.is_equivalent_to(b, ndim) == b.is_equivalent_to(a, ndim)
        return a.is_equivalent_to(b, ndim)

    line, one = Mesh(devices, "z"), Mesh(devices[:1], "x")
    backwards = Mesh(devices[::-1].reshape(4, 2), ("x", "y"))
    assert same(NamedSharding(mesh, P("x")), NamedSharding(mixed, P("x", None)))
    assert same(NamedSharding(mesh, P(("x", "y"))), NamedSharding(line, P("z")))
    assert not same(NamedSharding(mesh, P(("y", "x"))), NamedSharding(line, P("z")))
    assert not same(NamedSharding(mesh, P("x")), NamedSharding(mesh, P(None, "x")))
    assert not same(NamedSharding(mesh, P()), NamedSharding(backwards, P()))
    assert not same(NamedSharding(mesh, P()), NamedSharding(mesh, P(), "pinned_host"))
    assert not same(NamedSharding(explicit, P()), NamedSharding(explicit, P(unreduced={"y"})))
    assert same(NamedSharding(one, P("x")), SingleDeviceSharding(devices[0]))
    assert not same(NamedSharding(mesh, P()), SingleDeviceSharding(devices[0]))
    assert same(NamedSharding(abstract, P("x")), NamedSharding(abstract, P("x", None)))
    assert not same(NamedSharding(abstract, P("x")), NamedSharding(explicit, P("x")))


@pytest.mark.parametrize("error, make, message", [
    (ValueError, lambda: NamedSharding(mesh, P("z")), "'z' of P.'z',. is not found in mesh"),
    (ValueError, lambda: NamedSharding(mesh, P("x", ("y", "x"))), "duplicate entries for `x`"),
    (ValueError, lambda: NamedSharding(explicit, P(U)), "no Auto axis"),
    (ValueError, lambda: NamedSharding(mesh, P(unreduced={"y"})), "Only Explicit mesh axes can be unreduced"),
    (ValueError, lambda: NamedSharding(explicit, P(reduced={"z"})), "'z' of .* is not found"),
    (ValueError, lambda: NamedSharding(mesh, P(), "disk"), "no memory of kind 'disk'; its memories are device, "),
    (ValueError, lambda: SingleDeviceSharding(devices[0], "disk"), "no memory of kind 'disk'"),
    (TypeError, lambda: NamedSharding(mesh, ("x", None)), r"write P\('x', None\)"),
    (TypeError, lambda: NamedSharding(mesh, None), r"write P\(\)"),
    (TypeError, lambda: NamedSharding("mesh", P()), "takes a Mesh or an AbstractMesh, got 'mesh'"),
    (ValueError, lambda: NamedSharding(mesh, P("x")).shard_shape((9,)),
     r"dimension 0 is partitioned 4 times, but the dimension size is 9 \(full shape: \(9,\)\)"),
    (ValueError, lambda: NamedSharding(mesh, P("x", "y")).devices_indices_map((8,)),
     "only valid for values of rank at least 2, but was applied to a value of rank 1"),
    (ValueError, lambda: NamedSharding(mesh, P("x", "y")).check_compatible_aval((8,)), "rank at least 2"),
    (ValueError, lambda: NamedSharding(abstract, P("x")).device_set, "abstract mesh, which has no devices"),
    (NotImplementedError, lambda: Sharding().shard_shape((3,)), "does not say how it divides"),
])
def test_sharding_errors(error, make, message):
    with pytest.raises(error, match=message):
        make()


# ---- in types, and as text --------------------------------------------------------------------------------------

def test_abstract_sharding():
    sharding = abstract_sharding(abstract, ("x", None))
    assert sharding is NamedSharding(abstract, P("x", None)) is abstract_sharding(explicit, ("x", None))
    assert sharding is abstract_sharding(abstract, ("x", None)) is abstract_sharding(abstract, P("x", None))
    assert abstract_sharding(abstract, (None, None)) is None
    assert abstract_sharding(abstract, (None,), frozenset("y")).spec.unreduced == {"y"}
    with pytest.raises(ValueError, match="'z'"):
        abstract_sharding(abstract, ("z",))


def test_an_axis_may_be_named_by_a_number():
    numbered = AbstractMesh((4,), (0,), (Explicit,))
    assert abstract_sharding(numbered, (0,)).spec == P(0)


def test_type_sharding():
    assert type_sharding(NamedSharding(explicit, P("x")), 2) == (abstract_sharding(abstract, ("x", None)), None)
    found, memory = type_sharding(NamedSharding(mixed, P(("y", "x")), "pinned_host"), 2)
    assert tuple(found.spec) == ("x", None) and memory == "pinned_host"
    assert type_sharding(NamedSharding(mesh, P("x")), 1) == (None, None) == type_sharding(None, 1)
    assert type_sharding(SingleDeviceSharding(devices[0]), 3) == (None, None)
    with pytest.raises(ValueError, match="rank at least 2"):
        type_sharding(NamedSharding(explicit, P("x", "y")), 1)


def test_shardy_text():
    assert sdy_mesh(mesh) == 'sdy.mesh @mesh = <["x"=4, "y"=2]>'
    assert sdy_mesh(Mesh(devices[0], ()), "empty_mesh") == "sdy.mesh @empty_mesh = <[]>"
    texts = [sdy_sharding(NamedSharding(on, spec), 2) for on, spec in [
        (mesh, P("x")), (mesh, P(("x", "y"))), (mesh, P()), (mesh, P(U, "y")),
        (explicit, P(None, unreduced={"y", "x"})), (explicit, P("x", reduced={"y"}))]]
    assert texts == [
        '#sdy.sharding<@mesh, [{"x"}, {}]>', '#sdy.sharding<@mesh, [{"x", "y"}, {}]>', "#sdy.sharding<@mesh, [{}, {}]>",
        '#sdy.sharding<@mesh, [{?}, {"y"}]>', '#sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>',
        '#sdy.sharding<@mesh, [{"x"}, {}]>']
    assert sdy_mesh(AbstractMesh((2,), ('a"\\',))) == 'sdy.mesh @mesh = <["a\\"\\\\"=2]>'
    with pytest.raises(TypeError, match="Only a NamedSharding has a mesh"):
        sdy_sharding(SingleDeviceSharding(devices[0]), 2)
    with pytest.raises(ValueError, match="rank at least 1"):
        sdy_sharding(NamedSharding(mesh, P("x")), 0)
