"""Random generators behind gnomon.random: those that are built in, their functions, and making one's own."""
from __future__ import annotations

import numpy as np

from gnomon import numpy as jnp
from gnomon.ops import primitive_named
from gnomon.ops.random import GENERATORS, Generator, Threefry2x32, UserGenerator, generator, random_seed as _random_seed
from gnomon.random.keys import as_seed
from gnomon.random.recording import implementation
from gnomon.trace.stage import bind, value_of

__all__ = ["define_prng_impl", "random_seed", "rbg_prng_impl", "seed_with_impl", "threefry2x32_p", "threefry_2x32",
           "threefry_prng_impl", "unsafe_rbg_prng_impl"]

PRNGImpl = Generator
threefry2x32_p = primitive_named("threefry2x32_p")

threefry_prng_impl, rbg_prng_impl, unsafe_rbg_prng_impl = [generator(n) for n in ("threefry2x32", "rbg", "unsafe_rbg")]


def define_prng_impl(*, key_shape, seed, split, random_bits, fold_in, name="<unnamed>", tag="?"):
    """A generator of one's own, for the `impl` argument of `random.key`.

    A key is a uint32 array of `key_shape`, its words. ``seed(seed)`` makes one from an integer, ``split(key, shape)``
    gives an array of shape ``shape + key_shape``, ``random_bits(key, bit_width, shape)`` unsigned integers of that
    width and shape, ``fold_in(key, data)`` a key. They are called with values while programs are compiled, so they
    must be written with gnomon.numpy and gnomon.lax. ValueError if there is a generator of this name already.

    >>> counting = define_prng_impl(
    ...     key_shape=(1,), name="counting", tag="cnt", seed=lambda seed: seed[None].astype("uint32"),
    ...     split=lambda key, shape: key + jnp.arange(np.prod(shape), dtype="uint32").reshape(*shape, 1),
    ...     random_bits=lambda key, width, shape: jnp.full(shape, key[0], f"uint{width}"),
    ...     fold_in=lambda key, data: key + data)
    >>> from gnomon import random
    >>> random.bits(random.fold_in(random.key(7, impl=counting), 3), (2,))
    Array([10, 10], dtype=uint32)
    """
    if name in GENERATORS:
        raise ValueError(f"define_prng_impl was given the name {name!r}, which a generator has already. Give it "
                         "another one.")
    made = GENERATORS[name] = UserGenerator(name, tag, tuple(key_shape), seed, split, random_bits, fold_in)
    return made


def random_seed(seeds, impl):
    """Keys from integers, one from each. `impl` is a generator.

    >>> random_seed(np.arange(3), threefry_prng_impl).shape
    (3,)
    """
    return _random_seed(value_of(seeds) if np.ndim(seeds) else as_seed(seeds, "random_seed"), implementation(impl))


def seed_with_impl(impl, seed):
    """A key from an integer. `impl` is a generator.

    >>> seed_with_impl(rbg_prng_impl, 3).dtype
    key<rbg>
    """
    return _random_seed(as_seed(seed, "seed_with_impl"), implementation(impl))


def threefry_2x32(keypair, count):
    """Threefry-2x32 of a key, a pair of uint32 scalars, at counters: an array of uint32, of which the first half and
    the second make the two words of each block.

    >>> threefry_2x32((np.uint32(0), np.uint32(0)), np.zeros(2, "uint32"))
    Array([1797259609, 2579123966], dtype=uint32)
    """
    k0, k1 = [value_of(k) for k in keypair]
    count = value_of(count)
    flat = count.reshape(-1)
    odd = flat.shape[0] % 2
    if odd:
        flat = jnp.concatenate([flat, flat[:1] * 0])
    half = flat.shape[0] // 2
    out = jnp.concatenate(bind(Threefry2x32(), k0, k1, flat[:half], flat[half:]))
    return (out[:-1] if odd else out).reshape(count.shape)
