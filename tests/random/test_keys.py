"""Keys: making them, taking new ones, their words, and what is said about things that are not keys."""
import pickle

import numpy as np
import pytest

import gnomon
from gnomon import numpy as jnp, random
from gnomon.base.errors import GnomonWarning, Refused
from gnomon.base.settings import (TABLE, default_prng_impl, enable_custom_prng, enable_x64, legacy_prng_key,
                                  threefry_partitionable)
from gnomon.extend.random import define_prng_impl
from gnomon.ops.random import HOST, RandomBits, generator, threefry2x32, threefry2x32_packed


def words(key):
    return np.asarray(random.key_data(key)).tolist()


# Known answers of Threefry-2x32 with 20 rounds, as published with Random123.
KNOWN = [((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
         ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
         ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0))]


@pytest.mark.parametrize("key, counter, block", KNOWN)
def test_threefry_gives_the_known_answers(key, counter, block):
    arrays = [np.array([x], "uint32") for x in (*key, *counter)]
    assert [x.tolist() for x in threefry2x32(*arrays)] == [[x] for x in block]
    assert threefry2x32_packed(*key, *counter, 1) == block


def test_packed_blocks_do_not_touch_each_other():
    rng = np.random.default_rng(0)
    arrays = [rng.integers(0, 2**32, 50, np.uint32) for _ in range(4)]
    packed = [int.from_bytes(x.astype("<u8").tobytes(), "little") for x in arrays]
    ones = sum(1 << 64 * i for i in range(50))
    for got, want in zip(threefry2x32_packed(*packed, ones), threefry2x32(*arrays)):
        np.testing.assert_array_equal(np.frombuffer(got.to_bytes(400, "little"), "<u8"), want)


def test_stored_keys():
    key = random.key(123456789)
    assert words(key) == [0, 123456789]
    assert words(random.split(key)) == [[104406182, 1336039183], [3209854053, 248229405]]
    assert words(random.fold_in(key, 77)) == [1978624226, 3265159904]
    assert words(random.key(123456789, impl="rbg")) == [0, 123456789] * 2


@pytest.mark.parametrize("seed, low", [(0, 0), (-1, 2**32 - 1), (2**32 - 1, 2**32 - 1), (np.int64(7), 7),
                                       (np.int8(-1), 2**32 - 1),
                                       (True, 1), (np.array(5), 5), (np.uint32(2**32 - 1), 2**32 - 1)])
def test_seeds(seed, low):
    assert words(random.key(seed)) == [0, low]
    assert random.PRNGKey(seed).tolist() == [0, low]


def test_seed_of_more_than_32_bits_is_announced():
    with pytest.warns(GnomonWarning, match="the low 32 bits count: it makes the same key as 5"):
        assert words(random.key(2**40 + 5)) == [0, 5]
    with enable_x64(True):
        assert words(random.key(2**40 + 5)) == [256, 5]
        assert words(random.key(-1)) == [2**32 - 1] * 2
        assert words(random.key(np.int32(-1))) == [0, 2**32 - 1]
    with pytest.raises(OverflowError, match="a seed of up to 64 bits"):
        random.key(2**70)


def test_seed_under_jit_is_the_same():
    assert words(gnomon.jit(random.key)(-3)) == words(random.key(-3))
    assert words(gnomon.vmap(random.key)(np.arange(3, dtype="int32"))) == [[0, 0], [0, 1], [0, 2]]


def test_settings_of_keys():
    with TABLE["random_seed_offset"](5):
        assert words(random.key(2)) == [0, 7]
    with enable_custom_prng(True):
        assert random.PRNGKey(0).dtype == random.key_dtype()
    with default_prng_impl("rbg"):
        assert random.key_impl(random.key(0)) == "rbg"
        assert random.PRNGKey(3).tolist() == [0, 3, 0, 3]
    raw = random.PRNGKey(0)
    with legacy_prng_key("error"), pytest.raises(ValueError, match="random.normal was given a legacy uint32 key array"):
        random.normal(raw)
    with legacy_prng_key("warn"), pytest.warns(GnomonWarning, match="legacy uint32 key array"):
        random.normal(raw)
    with threefry_partitionable(False), pytest.raises(Refused, match="leave the setting threefry_partitionable on"):
        random.normal(raw)


def test_key_is_an_array_of_its_own_dtype():
    key = random.key(0)
    assert str(key.dtype) == "key<fry>" and key.shape == () and random.key_impl(key) == "threefry2x32"
    assert gnomon.numpy.issubdtype(key.dtype, gnomon.dtypes.prng_key)
    keys = random.split(key, (2, 3))
    assert keys.shape == (2, 3) and keys[1, 2].shape == () and keys.reshape(6)[5].shape == ()
    assert words(keys[1, 2]) == words(random.split(key, 6)[5])
    a, b = random.split(key)
    assert words(a) != words(b)
    assert words(gnomon.numpy.stack([a, b])) == words(random.split(key))
    assert bool((keys == keys).all()) and not bool((a == b).any())
    assert words(random.wrap_key_data(random.key_data(key))) == words(key)
    assert random.split(key, 0).shape == (0,)


def test_raw_keys_are_taken_everywhere():
    raw, key = random.PRNGKey(3), random.key(3)
    assert random.split(raw, 3).tolist() == words(random.split(key, 3))
    assert random.fold_in(raw, 1).tolist() == words(random.fold_in(key, 1))
    assert random.clone(raw).tolist() == words(key) and random.key_data(raw).tolist() == words(key)
    assert random.normal(raw, (3,)).tolist() == random.normal(key, (3,)).tolist()
    assert random.normal(np.array([0, 3], "uint32")) == random.normal(key)
    assert random.key_impl(raw) == "threefry2x32"


def test_large_and_small_draws_are_of_one_stream():
    """NumPy, Python's integers and the compiled program agree."""
    key = random.key(9)
    large = np.asarray(random.bits(key, (HOST.largest + 5,)))
    for n in (1, 7, HOST.few, HOST.few + 1, 3000):
        np.testing.assert_array_equal(np.asarray(random.bits(key, (n,))), large[:n])
    np.testing.assert_array_equal(np.asarray(gnomon.jit(lambda k: random.bits(k, (7,)))(key)), large[:7])


def test_fold_in_number_is_a_split():
    key = random.key(2)
    assert words(random.fold_in(key, 4)) == words(random.split(key, 5))[4]


def test_vmap_over_keys():
    keys = random.split(random.key(0), 4)
    looped = [random.normal(k, (3,)).tolist() for k in keys]
    assert gnomon.vmap(lambda k: random.normal(k, (3,)))(keys).tolist() == looped
    assert words(gnomon.vmap(random.split)(keys)) == [words(random.split(k)) for k in keys]
    folded = gnomon.vmap(random.fold_in, (None, 0))(random.key(1), np.arange(3, dtype="int32"))
    assert words(folded) == [words(random.fold_in(random.key(1), i)) for i in range(3)]
    assert gnomon.vmap(lambda k: random.normal(k))(random.split(random.key(1), 0)).shape == (0,)


@pytest.mark.parametrize("impl", ["rbg", "unsafe_rbg"])
def test_other_generators(impl):
    key = random.key(1, impl=impl)
    keys = random.split(key, 3)
    assert random.key_data(keys).shape == (3, 4)
    drawn = gnomon.vmap(lambda k: random.uniform(k, (5,)))(keys)
    assert drawn.tolist() == [random.uniform(k, (5,)).tolist() for k in keys]
    assert abs(float(random.normal(key, (20000,)).mean())) < 0.03
    assert random.gamma(key, 2.0, (3,)).shape == (3,)


def test_generators_are_pickled_by_name():
    op = RandomBits(32, (3,), generator("fry"))
    assert pickle.loads(pickle.dumps(op)) is op
    dtype = random.key(0).dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype


@pytest.mark.parametrize("make, error, message", [
    (lambda: random.normal(3), TypeError, "random.normal takes a random key, got 3. Make one with random.key(seed)."),
    (lambda: random.normal(None), TypeError, "random.normal takes a random key, got None."),
    (lambda: random.split([1, 2]), TypeError, "random.split takes a random key"),
    (lambda: random.normal(np.zeros(2, "float32")), TypeError, "random.normal takes a random key, got an array of type "
                                                               "float32[2]."),
    (lambda: random.normal(np.zeros(3, "uint32")), TypeError, "raw keys are uint32 with a last dimension of 2"),
    (lambda: random.normal(random.split(random.key(0))), ValueError,
     "random.normal accepts a single key, but was given a key array of shape (2,). Use vmap for batching"),
    (lambda: random.key(1.5), TypeError, "random.key takes an integer seed, got 1.5."),
    (lambda: random.key("a"), TypeError, "random.key takes an integer seed, got 'a'."),
    (lambda: random.key(np.arange(3, dtype="int32")), TypeError, "was given an array of shape (3,). Use vmap for "
                                                                 "batching"),
    (lambda: random.key(random.key(0)), TypeError, "takes an integer seed, but was given a random key"),
    (lambda: random.key(0, impl="mersenne"), ValueError, 'There is no random generator "mersenne"; there are '
                                                         'threefry2x32'),
    (lambda: random.split(random.key(0), -1), ValueError, "a shape without negative sizes, got shape=(-1,)"),
    (lambda: random.split(random.key(0), 2.5), TypeError, "random.split takes a shape of integers, got shape=(2.5,)"),
    (lambda: random.fold_in(random.key(0), -1), OverflowError, "an integer from 0 to 2**32 - 1, got -1"),
    (lambda: random.fold_in(random.key(0), 1.0), TypeError, "takes an integer to fold in"),
    (lambda: random.fold_in(random.key(0), np.arange(2, dtype="int32")), TypeError, "takes a scalar to fold in"),
    (lambda: random.wrap_key_data(np.zeros(3, "uint32")), TypeError, "uint32 words with a last dimension of 2"),
    (lambda: random.wrap_key_data(np.zeros(2, "int32")), TypeError, "uint32 words"),
    (lambda: random.key(0) + 1, ValueError, "key<fry> meets only itself"),
    (lambda: float(random.key(0)), TypeError, "key"),
    (lambda: np.asarray(random.key(0)), TypeError, "random.key_data(keys) gives its integer words"),
])
def test_what_is_refused(make, error, message):
    with pytest.raises(error) as raised:
        make()
    assert message in str(raised.value)


def test_generator_of_ones_own():
    """A Weyl sequence, which is no good generator but easy to follow."""
    def bits(key, width, shape):
        count = jnp.arange(np.prod(shape, dtype=int), dtype="uint32").reshape(shape)
        return (key[0] + count * key[1]).astype(f"uint{width}")

    weyl = define_prng_impl(
        key_shape=(2,), name="weyl", tag="wyl", random_bits=bits,
        seed=lambda seed: jnp.stack([seed.astype("uint32"), np.uint32(2654435769)]),
        split=lambda key, shape: jnp.stack([bits(key, 32, shape), jnp.full(shape, key[1])], -1),
        fold_in=lambda key, data: jnp.stack([key[0] ^ data, key[1]]))
    key = random.key(5, impl=weyl)
    assert str(key.dtype) == "key<wyl>" and words(key) == [5, 2654435769]
    assert words(random.fold_in(key, 3)) == [6, 2654435769]
    assert random.bits(key, (3,)).tolist() == [(5 + i * 2654435769) % 2**32 for i in range(3)]
    keys = random.split(key, (2, 2))
    assert words(keys)[1][0] == [(5 + 2 * 2654435769) % 2**32, 2654435769]
    mapped = gnomon.vmap(gnomon.vmap(lambda k: random.uniform(k, (3,))))(keys)
    assert mapped[1, 0].tolist() == random.uniform(keys[1, 0], (3,)).tolist()
    few = np.full((2, 3), 2.5, "float32")
    drawn = random.gamma(key, few)
    assert drawn.shape == (2, 3) and random.gamma(key, few[:0]).shape == (0, 3) and (np.asarray(drawn) > 0).all()
    assert np.allclose(gnomon.vmap(random.gamma)(random.split(key, 2), few)[1], random.gamma(random.split(key, 2)[1], few[1]))
    assert "random_seed[impl=wyl]" in str(gnomon.make_jaxpr(lambda s: random.key(s, impl=weyl))(1))
    with pytest.raises(ValueError, match="the name 'weyl', which a generator has already"):
        define_prng_impl(key_shape=(2,), name="weyl", seed=None, split=None, random_bits=None, fold_in=None)
