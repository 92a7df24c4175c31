"""The same keys give the same bits as in JAX."""
import numpy as np
import pytest

import gnomon
from gnomon import random
from gnomon.base.settings import enable_x64
from gnomon.extend.random import threefry_2x32

from tests.random.draws import DRAWS

pytestmark = pytest.mark.peer

# Sums and products whose rounding depends on how the compiler fuses a loop: how many units in the last place.
NOT_EXACT = {"maxwell": 2, "double_sided_maxwell": 2, "loggamma": 4, "dirichlet": 4, "beta": 8, "chisquare": 4, "f": 8,
             "t": 4,
             "generalized_normal": 4, "ball": 8, "gamma": 2, "orthogonal": 64, "multivariate_normal": 64}


def same(got, want, ulps=0):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape and got.dtype == want.dtype, (got.shape, got.dtype, want.shape, want.dtype)
    if ulps:
        np.testing.assert_allclose(got, want, rtol=ulps * 2.0**-23, atol=ulps * 2.0**-23)
    else:
        np.testing.assert_array_equal(got, want)


def keys(peer, seed, **options):
    return random.key(seed, **options), peer.random.key(seed, **options)


@pytest.mark.parametrize("name", DRAWS)
def test_draws(peer, name):
    key, other = keys(peer, 42)
    same(DRAWS[name](random, key), DRAWS[name](peer.random, other), NOT_EXACT.get(name.split()[0], 0))


# JAX has no poisson for other keys
OF_EACH_KIND = {name.split()[0]: name for name in DRAWS if "with many rows" not in name and name.split()[0] != "poisson"}


@pytest.mark.parametrize("name", sorted(OF_EACH_KIND))
def test_draws_of_other_keys(peer, name):
    """One of each distribution, for the keys of the generators that XLA has of its own."""
    draw, ulps = DRAWS[OF_EACH_KIND[name]], NOT_EXACT.get(name, 0)
    for impl in ("rbg", "unsafe_rbg") if name in ("uniform", "permutation", "categorical", "gamma") else ("rbg",):
        key, other = keys(peer, 42, impl=impl)
        same(draw(random, key), draw(peer.random, other), ulps)


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg", "unsafe_rbg"])
@pytest.mark.parametrize("seed", [0, 1, -5, 2**31, 123456789])
def test_keys(peer, impl, seed):
    key, other = keys(peer, seed, impl=impl)

    def same_keys(a, b):
        same(random.key_data(a), peer.random.key_data(b))
    same_keys(key, other)
    for shape in ((), 2, (2, 3), 200):
        shape = shape if isinstance(shape, tuple) else (shape,)
        same_keys(random.split(key, shape), peer.random.split(other, shape))
    for data in (0, 1, 2**32 - 1):
        same_keys(random.fold_in(key, data), peer.random.fold_in(other, data))
    for width in (8, 16, 32):
        for shape in ((), (5,), (0,), (3, 50), (200,)):
            same(random.bits(key, shape, f"uint{width}"), peer.random.bits(other, shape, f"uint{width}"))


@pytest.mark.parametrize("draw", [
    lambda R, k: R.bits(k, (70,), "uint64"), lambda R, k: R.uniform(k, (70,)), lambda R, k: R.normal(k, (70,)),
    lambda R, k: R.randint(k, (70,), 0, 10), lambda R, k: R.gumbel(k, (70,)),
    lambda R, k: R.permutation(k, 70), lambda R, k: R.truncated_normal(k, -1.0, 2.0, (70,)),
    lambda R, k: R.bernoulli(k, 0.3, (70,)), lambda R, k: R.poisson(k, 3.0, (7,)), lambda R,
    k: R.poisson(k, 30.0, (7,)), lambda R, k: R.normal(k, (70,), "complex128")])
def test_draws_in_double_precision(peer, draw):
    peer.config.update("jax_enable_x64", True)
    try:
        with enable_x64(True):
            same(draw(random, random.key(7)), draw(peer.random, peer.random.key(7)))
            same(random.key_data(random.key(-7)), peer.random.key_data(peer.random.key(-7)))
            same(random.gamma(random.key(7), 0.5, (70,)), peer.random.gamma(peer.random.key(7), 0.5, (70,)), 2)
            # by log1p, whose last digits are right here
            np.testing.assert_allclose(random.exponential(random.key(7), (70,)), peer.random.exponential(peer.random.key(7), (70,)), rtol=1e-14)
    finally:
        peer.config.update("jax_enable_x64", False)


def test_under_jit_and_vmap(peer):
    key, other = keys(peer, 3)
    same(gnomon.jit(lambda k: random.normal(k, (4, 5)))(key), peer.random.normal(other, (4, 5)))
    got = gnomon.vmap(lambda k: random.uniform(k, (3,)))(random.split(key, 5))
    same(got, peer.vmap(lambda k: peer.random.uniform(k, (3,)))(peer.random.split(other, 5)))
    got = gnomon.vmap(lambda k, i: random.key_data(random.fold_in(k, i)), (None, 0))(key, np.arange(4, dtype="uint32"))
    same(got, peer.vmap(lambda k, i: peer.random.key_data(peer.random.fold_in(k, i)), (None, 0))(
        other, np.arange(4, dtype="uint32")))


def test_threefry_2x32(peer):
    import jax.extend.random

    pair = np.array([3, 4], "uint32")
    for n in (1, 5, 6):
        count = np.arange(n, dtype="uint32")
        same(threefry_2x32(pair, count), jax.extend.random.threefry_2x32(pair, count))


def test_rng_bit_generator(peer):
    state = np.arange(4, dtype="uint32")
    for dtype in ("uint8", "uint16", "uint32"):
        for got, want in zip(gnomon.lax.rng_bit_generator(state, (7,), dtype),
                             peer.lax.rng_bit_generator(state, (7,), dtype)):
            same(got, want)


@pytest.mark.parametrize("draw", [lambda R, k: R.uniform(k, (3,)), lambda R, k: R.normal(k, (3,)), lambda R,
                                  k: R.split(k, 3),
                                  lambda R, k: R.exponential(k, (3,)), lambda R, k: R.bernoulli(k, 0.5, (3,))])
def test_programs_print_the_same(peer, draw):
    """Line by line, but for the names of variables and how shared programs are laid out."""
    def operations(jaxpr):
        found = []
        for e in jaxpr.eqns:
            inner = e.params.get("jaxpr")
            found.append(e.primitive.name if inner is None else e.params["name"])
            found += operations(getattr(inner, "jaxpr", inner)) if inner is not None else []
        return found
    key, other = keys(peer, 0)
    got = gnomon.make_jaxpr(lambda k: draw(random, k))(key)
    want = peer.make_jaxpr(lambda k: draw(peer.random, k))(other)
    assert operations(got.jaxpr) == operations(want.jaxpr)
