"""The setting debug_key_reuse: a key used twice is an error, everything else is not."""
import re

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import lax, random
from gnomon.errors import KeyReuseError


@pytest.fixture(autouse=True)
def checking():
    with gnomon.debug_key_reuse(True):
        yield


def key():
    return random.key(0)


def keys(n=3):
    return random.split(key(), n)


def next_key(k, _=None):
    k, use = random.split(k)
    return k, random.uniform(use)


def draws(ks):
    """One draw after another."""
    return [random.bits(k) for k in ks]


@gnomon.custom_jvp
def scaled(x, k):
    return x * random.uniform(k)


scaled.defjvp(lambda args, tangents: (scaled(*args), tangents[0]))

keep, draw, split = gnomon.jit(lambda k: (random.bits(k), k)), gnomon.jit(random.bits), gnomon.jit(random.split)


def pair():
    k = key()
    return k, k


REUSED = {
    "two draws": lambda: draws(pair()),
    "two samples": lambda k=None: [random.normal(a) for a in pair()],
    "two splits": lambda: [random.split(a) for a in pair()],
    "split, then drawn from": lambda: [f(a) for f, a in zip((random.split, random.normal), pair())],
    "the same element": lambda: (lambda ks: draws([ks[0], ks[0]]))(keys()),
    "the same element from behind": lambda: (lambda ks: draws([ks[1], ks[-2]]))(keys()),
    "the same element at an index in an array": lambda: (lambda ks: draws([ks[jnp.array(2)], ks[2]]))(keys()),
    "an element, then all": lambda: (lambda ks: (random.bits(ks[0]), gnomon.vmap(random.bits)(ks)))(keys()),
    "all, then an element": lambda: (lambda ks: (gnomon.vmap(random.bits)(ks), random.bits(ks[0])))(keys()),
    "reshaped": lambda: (lambda ks: draws([ks.reshape(2, 2)[0, 1], ks[1]]))(keys(4)),
    "inside jit": lambda: gnomon.jit(lambda k: random.bits(k) + random.bits(k))(key()),
    "inside jit, of an element": lambda: gnomon.jit(lambda ks: random.bits(ks[1]) + random.bits(ks[1:][0]))(keys()),
    "two calls of jit": lambda: [draw(a) for a in pair()],
    "a used one returned by jit": lambda: draw(keep(key())[1]),
    "of keys made by jit": lambda: (lambda ks: draws([ks[0], ks[0]]))(split(key())),
    "closed over by jit": lambda: (lambda f: (f(1.0), f(2.0)))(gnomon.jit(lambda x, k=key(): x + random.uniform(k))),
    "nested jit": lambda: gnomon.jit(lambda k: draw(k) + draw(k))(key()),
    "in a branch, then after it": lambda: gnomon.jit(
        lambda p, k: lax.cond(p, random.uniform, lambda k: 1.0, k) + random.normal(k))(True, key()),
    "in each step of scan": lambda k=None: (lambda k: lax.scan(lambda c, x: (c + random.uniform(k), None), 0.0, jnp.arange(3.0)))(key()),
    "a carry of scan": lambda: lax.scan(lambda k, x: (k, random.uniform(k)), key(), jnp.arange(3.0)),
    "scanned over twice": lambda: lax.scan(lambda c, k: (random.uniform(k) + random.normal(k), None), 0.0, keys()),
    "scanned over, then drawn from": lambda: (lambda ks: (lax.scan(lambda c, k: (random.uniform(k), None), 0.0, ks), draws([ks[2]])))(keys()),
    "in each step of a loop": lambda: (lambda k: lax.fori_loop(0, 3, lambda i, c: c + random.uniform(k), 0.0))(key()),
    "under grad, then after it": lambda: (lambda k: (gnomon.grad(lambda x: x * random.uniform(k))(1.0), random.bits(k)))(key()),
    "under vmap, then after it": lambda: (lambda k: (gnomon.vmap(lambda x: x + random.uniform(k))(jnp.arange(3.0)), random.bits(k)))(key()),
    "custom_jvp": lambda: (lambda k: (gnomon.jit(scaled)(1.0, k), random.bits(k)))(key()),
    "chosen by where": lambda: (lambda ks: draws([jnp.where(True, ks[0], ks[1]), ks[0]]))(keys()),
    "gamma": lambda: [random.gamma(a, 2.0) for a in pair()],
}

USED_ONCE = {
    "elements": lambda: draws(keys()),
    "unpacked": lambda: draws(random.split(key())),
    "clone": lambda: (lambda k: draws([random.clone(k), random.clone(k), k]))(key()),
    "fold_in": lambda: (lambda k: draws([random.fold_in(k, i) for i in range(3)]))(key()),
    "fold_in in a loop": lambda: (lambda k: lax.fori_loop(0, 3, lambda i, c: c + random.uniform(random.fold_in(k, i)), 0.0))(key()),
    "looked at": lambda: (lambda k: (random.key_data(k), k == k, random.bits(k), random.key_data(k), repr(k)))(key()),
    "in both branches": lambda: gnomon.jit(lambda p, k: lax.cond(p, random.uniform, random.normal, k))(True, key()),
    "a carry of scan": lambda: lax.scan(next_key, key(), jnp.arange(4.0)),
    "a carry of a loop": lambda: lax.fori_loop(0, 3, lambda i, k: random.split(k)[0], key()),
    "scanned over": lambda: lax.scan(lambda c, k: (c + random.uniform(k), None), 0.0, keys()),
    "not drawn from": lambda: [gnomon.jit(lambda k, x: x + 1)(k, 1.0) for k in pair()],
    "grad": lambda: (lambda k: gnomon.grad(lambda x: x * random.uniform(k))(1.0))(key()),
    "grad of a checkpoint": lambda: (lambda k: gnomon.grad(
        lambda x: gnomon.checkpoint(lambda x, k: jnp.sin(x * random.uniform(k)))(x, k))(1.0))(key()),
    "compiled grad of a checkpoint": lambda: (lambda k: gnomon.jit(gnomon.grad(
        lambda x: gnomon.checkpoint(lambda x, k: jnp.sin(x * random.uniform(k)))(x, k)))(1.0))(key()),
    "a branch of Python under grad": lambda: (lambda k: gnomon.grad(lambda x: x * x if random.uniform(k) > -1 else x)(1.0))(key()),
    "no keys at all": lambda: [gnomon.jit(gnomon.vmap(random.bits))(ks) for ks in [keys(0)] * 2],
    "raw words": lambda: (lambda k: draws([k, k]))(random.PRNGKey(0)),
    "the same seed": lambda: draws([key(), key()]),
    "shared by lanes": lambda: (lambda k: gnomon.vmap(lambda k, x: x + random.uniform(k), (None, 0))(k, jnp.arange(3.0)))(key()),
    "a program that failed": lambda: (lambda k: (pytest.raises(KeyReuseError, gnomon.jit(lambda k: draws([k, k])), k), draws([k])))(key()),
}


@pytest.mark.parametrize("name", REUSED)
def test_reused(name):
    with pytest.raises(KeyReuseError, match="uses a random key that random"):
        REUSED[name]()


@pytest.mark.parametrize("name", USED_ONCE)
def test_used_once(name):
    USED_ONCE[name]()
    USED_ONCE[name]()


def test_message():
    k = key()
    random.normal(k)
    line = test_message.__code__.co_firstlineno
    with pytest.raises(KeyReuseError) as found:
        gnomon.jit(lambda k: random.uniform(k) * 2)(k)
    here = rf"test_key_reuse\.py:{line + 5} \(<lambda>\)", rf"test_key_reuse\.py:{line + 2} \(test_message\)"
    assert re.fullmatch(rf"random\.uniform at {here[0]} uses a random key that random\.normal at {here[1]} has used already, so the two "
                        r"are not independent\. Give each its own key with random\.split, or pass random\.clone\(key\) where the same "
                        r"numbers are wanted\.", str(found.value)), found.value


def test_off():
    k = key()
    with gnomon.debug_key_reuse(False):
        assert random.bits(k) == random.bits(k)
        assert np.array_equal(gnomon.jit(lambda k: random.bits(k) - random.bits(k))(k), 0)
