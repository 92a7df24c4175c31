"""Arrays: their two forms, conversions to Python, text, pickles and life."""
import copy
import ctypes
import pickle
import weakref

import ml_dtypes
import numpy as np
import pytest

from gnomon.run import client
from gnomon.run.array import Array, aligned_copy, from_numpy, from_numpy_copy
from gnomon.run.transfer import from_dlpack, put
from gnomon.types.dtype import key_dtype
from gnomon.types.sharding import SingleDeviceSharding
from gnomon.types.value_type import ArrayType
from tests.run.hlo import array, doubler, f32

KEYS = ArrayType((2,), key_dtype("threefry2x32"))


def keys():
    return put(np.arange(4, dtype="uint32").reshape(2, 2), type=KEYS)


def scalar(value, dtype="float32"):
    return from_numpy(np.dtype(dtype).type(value), ArrayType((), np.dtype(dtype)))


# ---- numbers and NumPy

def test_numpy_gets_a_view_that_nobody_can_write_to():
    mine = np.arange(3, dtype="float32")
    x = from_numpy(mine, f32(3))
    view = np.asarray(x)
    assert np.shares_memory(view, mine) and not view.flags.writeable
    with pytest.raises(ValueError):
        view.flags.writeable = True


def test_numpy_gets_a_copy_if_it_asks_for_one():
    x = array([1, 2, 3])
    mine = np.array(x)
    mine[0] = 5
    assert x.tolist() == [1, 2, 3]
    assert np.asarray(x, "float64").dtype == np.float64
    assert np.array(x, copy=False) is not None
    with pytest.raises(ValueError, match="without a copy"):
        np.array(x, dtype="float64", copy=False)


def test_put_copies_what_the_user_may_change():
    for size in (4, 100_000):
        mine = np.arange(size, dtype="float32")
        x = put(mine)
        mine[0] = 7
        assert np.asarray(x)[0] == 0
        x.buffer()
        assert np.asarray(x)[0] == 0


@pytest.mark.parametrize("size", [1, 5000, 100_000])
def test_aligned_copies(size):
    given = np.arange(2 * size, dtype="float32")[::2]
    copied = aligned_copy(given, np.dtype("float32"))
    np.testing.assert_array_equal(copied, given)
    assert copied.flags.c_contiguous and not np.shares_memory(copied, given)
    if size > 1024:
        assert copied.__array_interface__["data"][0] % 64 == 0
        assert from_numpy(copied, f32(size)).unsafe_buffer_pointer() == copied.__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "float16", "complex64", ml_dtypes.bfloat16,
                                   ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.int4, ml_dtypes.uint4,
                                   ml_dtypes.float4_e2m1fn])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_numbers_survive_the_device(dtype, shape):
    numbers = (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(dtype)
    x = put(numbers)
    y = Array(x.type, x.buffer(), x.placement)
    assert np.asarray(y).dtype == numbers.dtype and np.asarray(y).shape == shape
    np.testing.assert_array_equal(np.asarray(y).astype("complex64"), numbers.astype("complex64"))


def test_transposed_numbers_are_put_in_order():
    numbers = np.arange(12, dtype="float32").reshape(3, 4).T
    x = put(numbers)
    y = Array(x.type, x.buffer())
    np.testing.assert_array_equal(y, numbers)


# ---- Python scalars and sequences

def test_conversions_to_python():
    assert float(scalar(1.5)) == 1.5 and int(scalar(7, "int32")) == 7 and complex(scalar(2)) == 2 + 0j
    assert type(scalar(1, ml_dtypes.bfloat16).item()) is float
    assert bool(array([True], "bool")) and not scalar(0)
    assert [10, 20, 30][scalar(1, "int32")] == 20
    assert array([[1, 2], [3, 4]], "int32").tolist() == [[1, 2], [3, 4]]
    assert array([[1, 2], [3, 4]], "int32").item(1, 0) == 3
    assert len(array([1, 2])) == 2
    assert array([1], "int32").tobytes() == b"\1\0\0\0"


@pytest.mark.parametrize("convert, make, error, message", [
    (bool, lambda: array([1, 2]), ValueError, "more than one element is ambiguous"),
    (bool, lambda: array([]), ValueError, "empty array is ambiguous"),
    (int, lambda: array([1]), TypeError, r"Only scalar arrays can be converted to Python scalars; got arr.ndim=1"),
    (float, lambda: scalar(1j, "complex64"), TypeError, "complex"),
    ([0].__getitem__, lambda: scalar(1.0), TypeError, "Only integer scalar arrays"),
    ([0].__getitem__, lambda: array([1], "int32"), TypeError, "Only integer scalar arrays"),
    (len, lambda: scalar(1), TypeError, r"len\(\) of unsized object"),
    (iter, lambda: scalar(1), TypeError, "iteration over a 0-d array"),
    (hash, lambda: scalar(1), TypeError, "unhashable type"),
    (Array.item, lambda: array([1, 2]), ValueError, "array of size 1"),
    (np.asarray, keys, TypeError, r"key<fry> cannot be converted to a NumPy array; random.key_data\(keys\)"),
    (bool, keys, TypeError, "not for an array of key<fry>"),
    (Array.tolist, keys, TypeError, "not for an array of key<fry>"),
    (lambda x: x.__setitem__(0, 1), lambda: array([1]), TypeError, r"x\.at\[i\]\.set\(y\)"),
])
def test_conversions_that_are_refused(convert, make, error, message):
    with pytest.raises(error, match=message):
        convert(make())


# ---- text

@pytest.mark.parametrize("make, text", [
    (lambda: array([1, 2]), "Array([1., 2.], dtype=float32)"),
    (lambda: from_numpy(np.int32(3), ArrayType((), np.dtype("int32"), True)), "Array(3, dtype=int32, weak_type=True)"),
    (lambda: array(np.zeros((0, 3))), "Array([], shape=(0, 3), dtype=float32)"),
    (lambda: array([1, 2], ml_dtypes.bfloat16), "Array([1, 2], dtype=bfloat16)"),
    (lambda: array(range(17), "int32"),
     "Array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16],      dtype=int32)"),
    (keys, "Array((2,), dtype=key<fry>) overlaying:\n[[0 1]\n [2 3]]"),
])
def test_repr(make, text):
    assert repr(make()) == text


def test_str_and_format():
    assert str(array([1, 2])) == "[1. 2.]"
    assert f"{scalar(2):.3f}" == "2.000" and f"{scalar(2, 'int32'):3d}" == "  2"
    assert f"{array([1, 2])}" == "[1. 2.]"
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{array([1, 2]):.3f}"


# ---- copies

@pytest.mark.parametrize("make", [lambda: array([1, 2]), lambda: array([1, 2], ml_dtypes.bfloat16), keys,
                                  lambda: from_numpy(np.float32(1), f32(weak_type=True)),
                                  lambda: doubler(f32(2))([array([1, 2])])[0],
                                  lambda: array([1, 2], target=client.devices()[1])])
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies(make, duplicate):
    x = make()
    y = duplicate(x)
    assert y is not x and y.type is x.type
    np.testing.assert_array_equal(y.host(), x.host())


def test_a_deep_copy_outlives_what_it_was_made_of():
    x = array([1, 2])
    y = copy.deepcopy(x)
    x.delete()
    assert y.tolist() == [1, 2]


# ---- place and life

def test_place():
    x = array([1, 2])
    first = client.devices()[0]
    assert x.devices() == {first} and x.device is first and x.sharding is SingleDeviceSharding(first)
    assert not x.committed and x.is_fully_addressable and x.is_fully_replicated
    assert (x.nbytes, x.itemsize, x.on_device_size_in_bytes()) == (8, 4, 8) and x.platform() == "cpu"
    assert (keys().nbytes, keys().itemsize) == (16, 8)
    assert x.is_ready() and x.block_until_ready() is x and x.copy_to_host_async() is None
    shard, = x.addressable_shards
    assert repr(shard) == ("Shard(device=CpuDevice(id=0), index=(slice(None, None, None),), replica_id=0, "
                           "data=[1. 2.])")
    assert x.addressable_data(0).tolist() == [1, 2] and len(x.global_shards) == 1


def test_deleting():
    for x in (array([1, 2]), doubler(f32(2))([array([1, 2])])[0]):
        assert not x.is_deleted()
        x.delete()
        x.delete()
        assert x.is_deleted() and x.shape == (2,)
        with pytest.raises(RuntimeError, match=r"^Array has been deleted with shape=float32\[2\]\.$"):
            np.asarray(x)
        with pytest.raises(RuntimeError, match="Array has been deleted"):
            doubler(f32(2))([x])


def test_weak_references():
    x = array([1])
    assert weakref.ref(x)() is x


# ---- DLPack

def test_dlpack_both_ways():
    x = doubler(f32(1000))([array(np.arange(1000))])[0]
    assert x.__dlpack_device__() == (1, 0)
    view = np.from_dlpack(x)
    assert view.__array_interface__["data"][0] == x.unsafe_buffer_pointer()
    back = from_dlpack(x)
    np.testing.assert_array_equal(back, x)
    assert back.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    copied = from_dlpack(x, copy=True)
    assert copied.unsafe_buffer_pointer() != x.unsafe_buffer_pointer()
    moved = from_dlpack(x, client.devices()[1])
    assert moved.device is client.devices()[1]
    half = from_dlpack(array([1, 2, 3], ml_dtypes.bfloat16))
    assert half.dtype == ml_dtypes.bfloat16 and half.tolist() == [1, 2, 3]


def test_dlpack_that_is_refused():
    with pytest.raises(TypeError, match="from_dlpack takes an object with __dlpack__"):
        from_dlpack(3)
    with pytest.raises(BufferError, match="move it with device_put"):
        array([1]).__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError, match="not for an array of key<fry>"):
        keys().__dlpack__()


def test_a_copy_of_numpy_numbers_knows_its_type():
    x = from_numpy_copy(np.arange(3, dtype="int16"))
    assert x.type is ArrayType((3,), np.dtype("int16"))


def test_the_pointer_points_at_the_numbers():
    x = doubler(f32(3))([array([1, 2, 3])])[0].block_until_ready()
    assert list((ctypes.c_float * 3).from_address(x.unsafe_buffer_pointer())) == [2, 4, 6]
