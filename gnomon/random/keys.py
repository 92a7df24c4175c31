"""Random keys: making them, taking new ones from old ones, and their words."""
from __future__ import annotations

import operator

import numpy as np

from gnomon.base.announce import announce
from gnomon.base.settings import current
from gnomon.numpy.promote import as_value
from gnomon.ops import random as ops
from gnomon.ops.convert import convert_element_type
from gnomon.random.recording import as_keys, as_shape, implementation, one_key
from gnomon.trace.stage import value_of
from gnomon.trace.value import Value
from gnomon.types.dtype import is_integer, is_key

__all__ = ["Key", "PRNGKey", "clone", "fold_in", "key", "key_data", "key_dtype", "key_impl", "split", "wrap_key_data"]

Key = Value     # for annotations: a random key is an array whose dtype is a key dtype


def key(seed, *, impl=None, dtype=None):
    """A random key from a seed.

    `seed` is an integer, or an integer array without dimensions. `impl` names the generator ("threefry2x32", "rbg",
    "unsafe_rbg"; default: the setting `default_prng_impl`); `dtype`, a key dtype, says the same. Returns a key: an
    array of shape () and dtype ``key<fry>``. TypeError for a seed that is not an integer or has dimensions, ValueError
    for an unknown generator. Without x64 only the seed's low 32 bits count; a seed that has more is announced.

    >>> key(0).dtype
    key<fry>
    """
    return ops.random_seed(as_seed(seed, "key"), implementation(dtype if impl is None else impl))


def PRNGKey(seed, *, impl=None):
    """A random key as its raw words, in the old style: uint32 of shape (2,) for threefry2x32. See `key`.

    >>> PRNGKey(7)
    Array([0, 7], dtype=uint32)
    """
    made = ops.random_seed(as_seed(seed, "PRNGKey"), implementation(impl))
    return made if current.enable_custom_prng else ops.random_unwrap(made)


def as_seed(seed, caller):
    """A seed as an integer value without dimensions."""
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, np.bool_):
        return value_of(fitting_seed(operator.index(seed), getattr(seed, "dtype", None), caller))
    if isinstance(seed, Value) and is_key(seed.type.dtype):
        raise TypeError(f"random.{caller} takes an integer seed, but was given a random key.")
    if isinstance(seed, np.ndarray) and seed.dtype.kind in "iu" and not seed.shape:
        return as_seed(seed[()], caller)
    if isinstance(seed, (Value, np.ndarray, np.bool_)):
        seed = value_of(seed)
        t = seed.type
        if t.shape:
            raise TypeError(f"random.{caller} takes a scalar seed, but was given an array of shape {t.shape}. Use vmap "
                            "for batching.")
        if is_integer(t.dtype):
            return seed if not current.random_seed_offset else seed + current.random_seed_offset
        if t.dtype == bool:
            return convert_element_type(seed, np.dtype("int32"))
    raise TypeError(f"random.{caller} takes an integer seed, got {seed!r}.")


def fitting_seed(seed, dtype, caller):
    """A Python integer as a NumPy integer of the width in force: its low bits, announced where some are dropped."""
    seed += current.random_seed_offset
    bits = 64 if current.enable_x64 else 32
    if dtype is not None and dtype.itemsize * 8 < bits:
        bits = dtype.itemsize * 8
    low = seed & (1 << bits) - 1
    if not -(1 << bits - 1) <= seed < 1 << bits:
        if not -(1 << 63) <= seed < 1 << 63:
            raise OverflowError(f"random.{caller} takes a seed of up to 64 bits, got {seed}.")
        announce(f"random.{caller} was given the seed {seed}, of which the low {bits} bits count: it makes the same "
                 f"key as {low}. Set enable_x64 to use 64 bits.")
    return np.array(low, f"uint{bits}").astype(f"int{bits}")[()]


def split(key, num=2):
    """New keys from one: `num` of them, or an array of them where `num` is a shape.

    `key` is a single key; it must not be used again. Returns keys of shape ``(num,)`` or `num`, raw words if `key` is
    raw. TypeError for what is not a key, ValueError for several keys.

    >>> a, b = split(key(0))
    >>> split(key(0), (2, 3)).shape
    (2, 3)
    """
    key, raw = one_key(key, "split")
    keys = ops.random_split(key, as_shape(num, "split"))
    return ops.random_unwrap(keys) if raw else keys


def fold_in(key, data):
    """A new key from a key and a number, so that a loop's steps have keys of their own.

    `key` is a single key, `data` an integer that fits in 32 bits, or an integer array without dimensions. Returns a
    key, raw words if `key` is raw. TypeError for what is not a key or an integer, OverflowError for an integer that is
    negative or too large.

    >>> key_data(fold_in(key(0), 1))
    Array([ 928981903, 3453687069], dtype=uint32)
    """
    key, raw = one_key(key, "fold_in")
    if isinstance(data, int):
        if not 0 <= data < 1 << 32:
            raise OverflowError(f"random.fold_in takes an integer from 0 to 2**32 - 1, got {data}.")
        data = np.uint32(data)
    data = as_value(data, "random.fold_in(data=...)")
    t = data.type
    if t.shape:
        raise TypeError(f"random.fold_in takes a scalar to fold in, but was given an array of shape {t.shape}. Use "
                        "vmap for batching.")
    if not (is_integer(t.dtype) or t.dtype == bool):
        raise TypeError(f"random.fold_in takes an integer to fold in, got a value of type {t}.")
    folded = ops.random_fold_in(key, convert_element_type(data, ops.WORD))
    return ops.random_unwrap(folded) if raw else folded


def clone(key):
    """The same keys once more, for drawing the same numbers twice on purpose where key reuse is checked.

    `key` is a key or an array of keys, and so is the result.

    >>> bool((key_data(clone(key(3))) == key_data(key(3))).all())
    True
    """
    key, raw = as_keys(key, "clone")
    key = ops.random_clone(key)
    return ops.random_unwrap(key) if raw else key


def key_data(keys):
    """The uint32 words of keys: shape ``keys.shape + (2,)`` for threefry2x32. Raw keys come back as they are.

    >>> key_data(key(7))
    Array([0, 7], dtype=uint32)
    """
    keys, _ = as_keys(keys, "key_data")
    return ops.random_unwrap(keys)


def wrap_key_data(key_bits_array, *, impl=None, dtype=None):
    """Keys from their uint32 words, the inverse of `key_data`.

    `key_bits_array` has shape ``(..., 2)`` for threefry2x32; `impl` or `dtype` says which generator the keys are for,
    as in `key`. TypeError for words of another dtype or shape.

    >>> wrap_key_data(key_data(key(7))).dtype
    key<fry>
    """
    impl = implementation(dtype if impl is None else impl)
    words = as_value(key_bits_array, "random.wrap_key_data(key_bits_array=...)")
    t = words.type
    if t.dtype != ops.WORD or t.shape[t.ndim - len(impl.key_shape):] != impl.key_shape:
        raise TypeError(f"random.wrap_key_data takes uint32 words with a last dimension of {impl.key_shape[0]} for "
                        f"{impl.name}, got a value of type {t}.")
    return ops.random_wrap(words, impl)


def key_impl(keys):
    """The name of the generator that keys are for.

    >>> key_impl(key(0))
    'threefry2x32'
    """
    keys, _ = as_keys(keys, "key_impl")
    return keys.type.dtype.impl


def key_dtype(impl_spec=None):
    """The dtype of keys of a generator, which is given as in `key`.

    >>> key_dtype("rbg")
    key<rbg>
    """
    return implementation(impl_spec).dtype
