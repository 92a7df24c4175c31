"""Sizes, shapes and memory kinds."""
import numpy as np
import pytest

from gnomon.base import errors
from gnomon.types import memory
from gnomon.types.size import Size, check_shape, check_size, is_static, is_static_shape


class Named(Size):
    """A symbolic size that is one variable."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name


class Traced:
    """Like a traced value: says itself why it is no integer."""

    dtype = np.dtype("int32")

    def __index__(self):
        raise errors.TracerIntegerConversionError("it is traced")


n = Named("n")


def test_sizes():
    assert check_size(3) == 3 and type(check_size(np.int64(3))) is int and check_size(np.array(3)) == 3
    assert check_size(n) is n and not is_static(n) and is_static(3)
    assert is_static_shape((2, 3)) and not is_static_shape((2, n)) and is_static_shape(())


def test_shapes():
    assert check_shape([2, np.int32(3)]) == (2, 3) and check_shape(4) == (4,)
    assert check_shape(np.array([1, 2])) == (1, 2)
    assert check_shape(n) == (n,) and check_shape((n, 2)) == (n, 2) and check_shape(()) == ()
    assert check_shape(np.int64(5)) == (5,) and all(type(size) is int for size in check_shape(np.array([1, 2])))


@pytest.mark.parametrize("error, make, message", [
    (TypeError, lambda: check_size(2.5), "A dimension's size must be an integer, got 2.5 of type float"),
    (TypeError, lambda: check_size(np.float32(2)), "must be an integer"),
    (ValueError, lambda: check_size(-1, "The size of y"), "The size of y must not be negative, got -1"),
    (errors.TracerIntegerConversionError, lambda: check_size(Traced()), "it is traced"),
    (TypeError, lambda: check_shape("ab"), "must be a tuple of integers, got 'ab'"),
    (TypeError, lambda: check_shape((2, "3"), "The shape"), "Each size of the shape must be an integer, got '3'"),
    (ValueError, lambda: check_shape((2, -3)), "must not be negative, got -3"),
    (TypeError, lambda: range(n), "The size n is symbolic"),
])
def test_errors(error, make, message):
    with pytest.raises(error, match=message):
        make()


def test_memory_kinds():
    assert [memory.type_memory(kind) for kind in (None, "device", "pinned_host", "unpinned_host", memory.Space.Host,
                                                  memory.Space.Device)] == [
        None, None, "pinned_host", "unpinned_host", "pinned_host", None]
    assert memory.memory_text("pinned_host") == "host" and memory.memory_text("unpinned_host") == "unpinned_host"
    with pytest.raises(ValueError, match="no memory kind 'disk'; choose one of device, pinned_host, unpinned_host"):
        memory.type_memory("disk")
