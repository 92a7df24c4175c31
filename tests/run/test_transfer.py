"""Putting arrays on devices and reading them back, whole or in parts."""
import numpy as np
import pytest

from gnomon.run import client
from gnomon.run.array import Array
from gnomon.run.partition import sharding_from_hlo
from gnomon.run.transfer import (get, make_array_from_callback, make_array_from_process_local_data,
                                 make_array_from_single_device_arrays, put)
from gnomon.types.dtype import key_dtype
from gnomon.types.mesh import AxisType, Mesh
from gnomon.types.sharding import NamedSharding, P, SingleDeviceSharding
from gnomon.types.value_type import ArrayType
from tests.run.hlo import array

SPECS = [P(), P("x"), P("y"), P("x", "y"), P("y", "x"), P(("x", "y")), P(("y", "x")), P(None, "y"), P(None, ("x", "y"))]
NUMBERS = np.arange(64, dtype="float32").reshape(8, 8)


def grid(*sizes, names="xyz", types=None):
    return Mesh(np.array(client.devices()[:np.prod(sizes)]).reshape(sizes), tuple(names[:len(sizes)]), types)


@pytest.fixture(params=[(4, 2), (2, 4), (1, 8), (8, 1)], ids=str)
def mesh(request):
    return grid(*request.param)


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_every_part_is_where_the_sharding_says(mesh, spec):
    sharding = NamedSharding(mesh, spec)
    x = put(NUMBERS, sharding)
    assert x.sharding is sharding and x.committed and x.device is (sharding if len(mesh.device_list) > 1 else None)
    np.testing.assert_array_equal(get(x), NUMBERS)
    indices = sharding.devices_indices_map((8, 8))
    assert [shard.device for shard in x.addressable_shards] == list(indices)
    for shard in x.addressable_shards:
        assert shard.index == indices[shard.device] and shard.data.device is shard.device
        np.testing.assert_array_equal(shard.data, NUMBERS[shard.index])
    whole = np.zeros((8, 8))
    for shard in x.global_shards:
        if shard.replica_id == 0:
            whole[shard.index] += get(shard.data)
    np.testing.assert_array_equal(whole, NUMBERS)


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_xlas_form_of_a_sharding_and_back(mesh, spec):
    sharding = NamedSharding(mesh, spec)
    x = put(NUMBERS, sharding)
    partition = x.placement._to_xla_hlo_sharding(2)
    back = sharding_from_hlo(partition, mesh, mesh.device_list, 2)
    assert back.mesh is mesh and back.is_equivalent_to(sharding, 2)
    without_mesh = sharding_from_hlo(partition, None, mesh.device_list, 2)
    assert without_mesh.devices_indices_map((8, 8)) == sharding.devices_indices_map((8, 8))


def test_a_sharding_on_another_mesh_than_its_axes_can_say():
    mesh = grid(4, 2)
    moved = Mesh(mesh.devices[::-1], ("x", "y"))
    partition = put(NUMBERS, NamedSharding(moved, P("x"))).placement._to_xla_hlo_sharding(2)
    found = sharding_from_hlo(partition, mesh, moved.device_list, 2)
    assert found.devices_indices_map((8, 8)) == NamedSharding(moved, P("x")).devices_indices_map((8, 8))


@pytest.mark.parametrize("source", [None, P("x"), P("y", "x")], ids=str)
@pytest.mark.parametrize("target", [1, P("y"), P(("x", "y"))], ids=str)
def test_moving_between_placements(source, target):
    mesh = grid(4, 2)
    x = put(NUMBERS, source and NamedSharding(mesh, source))
    y = put(x, client.devices()[target] if isinstance(target, int) else NamedSharding(mesh, target))
    np.testing.assert_array_equal(y, NUMBERS)
    np.testing.assert_array_equal(x, NUMBERS)
    assert y.committed


def test_putting_where_it_is_shares_the_buffer():
    x = array([1, 2])
    assert put(x) is x
    y = put(x, x.device)
    assert y.committed and not x.committed and y.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    assert put(y, y.sharding) is y


def test_memories_of_the_host():
    sharding = SingleDeviceSharding(client.devices()[0], "pinned_host")
    x = put(NUMBERS, sharding)
    assert str(x.type) == "float32<host>[8,8]" and x.sharding is sharding
    y = put(x, SingleDeviceSharding(client.devices()[0]))
    assert str(y.type) == "float32[8,8]"
    np.testing.assert_array_equal(y, NUMBERS)


def test_explicit_axes_are_part_of_the_type():
    mesh = grid(4, 2, types=(AxisType.Explicit, AxisType.Auto))
    assert str(put(NUMBERS, NamedSharding(mesh, P("x", "y"))).type) == "float32[8@x,8]"


def test_keys_on_several_devices():
    words = np.arange(16, dtype="uint32").reshape(8, 2)
    x = put(words, NamedSharding(grid(4, 2), P("x")), ArrayType((8,), key_dtype("threefry2x32")))
    np.testing.assert_array_equal(get(x), words)
    assert x.addressable_shards[1].data.shape == (2,)
    assert repr(x).startswith("Array((8,), dtype=key<fry>) overlaying:\n[[ 0  1]\n")


def test_targets_that_are_refused():
    with pytest.raises(TypeError, match="An array is put on a device, with a Sharding"):
        put(NUMBERS, 3)
    with pytest.raises(ValueError, match="which 8 does not divide"):
        put(np.zeros(6), NamedSharding(grid(8), P("x")))


# ---- from parts

def test_from_a_callback_that_is_asked_once_for_equal_parts():
    sharding = NamedSharding(grid(4, 2), P("x"))
    asked = []

    def part(index):
        asked.append(index)
        return NUMBERS[index]

    x = make_array_from_callback((8, 8), sharding, part)
    np.testing.assert_array_equal(x, NUMBERS)
    assert len(asked) == 4 and x.sharding is sharding
    assert make_array_from_callback((8, 8), sharding, part, "int32").dtype == np.int32
    with pytest.raises(ValueError, match=r"has shape \(2, 8\), got one of shape \(8, 8\)"):
        make_array_from_callback((8, 8), sharding, lambda index: NUMBERS)


def test_from_arrays_on_one_device_each():
    sharding = NamedSharding(grid(4, 2), P("x", "y"))
    shards = [shard.data for shard in put(NUMBERS, sharding).addressable_shards]
    x = make_array_from_single_device_arrays((8, 8), sharding, shards[::-1])
    np.testing.assert_array_equal(x, NUMBERS)
    assert isinstance(x, Array) and x.sharding is sharding
    with pytest.raises(ValueError, match=r"got 7 arrays on \[0, 1, 2, 3, 4, 5, 6\]"):
        make_array_from_single_device_arrays((8, 8), sharding, shards[:7])
    with pytest.raises(ValueError, match=r"is float32\[4, 4\], got one of type float32\[2,4\]"):
        make_array_from_single_device_arrays((16, 8), sharding, shards)


def test_from_the_data_of_this_process():
    sharding = NamedSharding(grid(4, 2), P("x", "y"))
    np.testing.assert_array_equal(make_array_from_process_local_data(sharding, NUMBERS), NUMBERS)
    np.testing.assert_array_equal(make_array_from_process_local_data(sharding, NUMBERS, (8, 8)), NUMBERS)
