"""Arrays print, convert and refuse as JAX's do."""
import copy
import operator
import pickle

import ml_dtypes
import numpy as np
import pytest

from gnomon.run.array import from_numpy
from gnomon.types.dtype import key_dtype
from gnomon.types.value_type import ArrayType

pytestmark = pytest.mark.peer

RANDOM = np.random.default_rng(0)
NUMBERS = {
    "vector": np.array([1, 2], "float32"),
    "scalar": np.array(2, "float32"),
    "integer": np.array(7, "int32"),
    "bool": np.array(True),
    "bools": np.array([True, False]),
    "complex": np.array([1 + 2j], "complex64"),
    "bfloat16": np.array([1, 2.5], ml_dtypes.bfloat16),
    "bfloat16 scalar": np.array(1, ml_dtypes.bfloat16),
    "float8": np.array([1, 2], ml_dtypes.float8_e4m3fn),
    "int4": np.array([1, -2], ml_dtypes.int4),
    "empty": np.zeros((0,), "float32"),
    "empty rows": np.zeros((3, 0), "int32"),
    "matrix": np.arange(6, dtype="int32").reshape(2, 3),
    "large": np.arange(2000, dtype="float32"),
    "large matrix": np.ones((100, 100), "float32"),
    "special": np.array([np.nan, np.inf, 1e-10], "float32"),
    "long": RANDOM.normal(size=(3, 30)).astype("float32"),
    **{f"line of {n}": np.arange(n, dtype="int32") for n in range(12, 22)},
    **{f"line of {n} floats": RANDOM.normal(size=n).astype("float32") for n in range(3, 9)},
    **{f"{n} bytes": np.arange(n, dtype="uint8") for n in range(12, 20)},
}


def both(peer, numbers, weak_type=False):
    t = ArrayType(numbers.shape, numbers.dtype, weak_type)
    theirs = peer.numpy.asarray(numbers)
    if weak_type:
        theirs = peer.numpy.asarray(numbers.item())
    return from_numpy(numbers, t), theirs


@pytest.mark.parametrize("name", NUMBERS)
def test_text(peer, name):
    ours, theirs = both(peer, NUMBERS[name])
    assert repr(ours) == repr(theirs)
    assert str(ours) == str(theirs)
    assert f"{ours}" == f"{theirs}"


@pytest.mark.parametrize("name", ["scalar", "integer"])
def test_text_of_weak_types(peer, name):
    ours, theirs = both(peer, NUMBERS[name], weak_type=True)
    assert repr(ours) == repr(theirs) and "weak_type=True" in repr(ours)


@pytest.mark.parametrize("name", ["vector", "integer", "line of 17", "long", "special", "matrix", "14 bytes"])
def test_text_of_every_width(peer, name):
    ours, theirs = both(peer, NUMBERS[name])
    for width in range(20, 140):
        with np.printoptions(linewidth=width, precision=3):
            assert repr(ours) == repr(theirs), width


def test_text_of_keys(peer):
    theirs = peer.random.split(peer.random.key(0), 3)
    words = np.asarray(peer.random.key_data(theirs))
    assert repr(from_numpy(words, ArrayType((3,), key_dtype("threefry2x32")))) == repr(theirs)
    assert repr(from_numpy(words[0], ArrayType((), key_dtype("threefry2x32")))) == repr(theirs[0])


CONVERSIONS = {
    "bool": bool, "int": int, "float": float, "complex": complex, "index": operator.index, "len": len,
    "item": lambda x: x.item(), "tolist": lambda x: x.tolist(), "tobytes": lambda x: x.tobytes(), "iter": iter,
    "format": lambda x: f"{x:.3f}", "float64": lambda x: np.asarray(x, "float64"),
    "hash": hash, "nbytes": lambda x: x.nbytes, "itemsize": lambda x: x.itemsize, "devices": lambda x: len(x.devices()),
    "shards": lambda x: [(s.index, s.replica_id) for s in x.addressable_shards],
}


def outcome(function, x):
    """A value in a form to compare, or the class of the error."""
    try:
        found = function(x)
    except Exception as error:
        return type(error).__name__
    return repr(found) if not hasattr(found, "__next__") else "iterator"


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("conversion", CONVERSIONS)
def test_conversions(peer, conversion):
    for name in ("vector", "scalar", "integer", "bool", "complex", "bfloat16", "bfloat16 scalar", "empty", "matrix"):
        ours, theirs = both(peer, NUMBERS[name])
        assert outcome(CONVERSIONS[conversion], ours) == outcome(CONVERSIONS[conversion], theirs), name


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_keep_the_weak_type(peer, duplicate):
    ours, theirs = both(peer, NUMBERS["scalar"], weak_type=True)
    assert duplicate(ours).weak_type == duplicate(theirs).weak_type == True  # noqa: E712


def test_every_public_name_is_here(peer):
    """But for those that belong to operators, and jaxlib's own."""
    ours = from_numpy(NUMBERS["vector"], ArrayType((2,), np.dtype("float32")))
    names = ["addressable_data", "addressable_shards", "aval", "block_until_ready", "committed", "copy_to_host_async",
             "delete", "device", "devices", "dtype", "global_shards", "is_deleted", "is_fully_addressable",
             "is_fully_replicated", "is_ready", "item", "itemsize", "nbytes", "ndim", "on_device_size_in_bytes",
             "platform", "shape", "sharding", "size", "tobytes", "tolist", "unsafe_buffer_pointer", "weak_type"]
    theirs = peer.numpy.ones(2)
    for name in names:
        assert hasattr(theirs, name) and hasattr(ours, name)
