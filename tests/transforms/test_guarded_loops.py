"""Loops run only in the lanes that they are for: a branch not taken, or a loop that ended, never starts one without end."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import lax

COUNTS = np.array([3, -1, 0, 5, -7], "i4")
WANTED = [8, -1, -1, 32, -1]


def down(n, x):
    """x doubled n times: without end, for all that a lane knows, where n is negative."""
    return lax.while_loop(lambda c: c[0] != 0, lambda c: (c[0] - 1, c[1] * 2), (n, x))[1]


@gnomon.custom_jvp
def moved(n, x):
    return down(n, x)


moved.defjvp(lambda args, tangents: (moved(*args), down(args[0], tangents[1])))


@gnomon.custom_vjp
def returned(n, x):
    return down(n, x)


returned.defvjp(lambda n, x: (down(n, x), n), lambda n, ct: (np.zeros((), gnomon.float0), down(n, ct)))

WAYS = {
    "as it is": down, "jit": gnomon.jit(down), "checkpoint": gnomon.checkpoint(down), "custom_jvp": moved, "custom_vjp": returned,
    "in a scan": lambda n, x: lax.scan(lambda c, _: (down(n, c) / 2. ** n, None), down(n, x), None, 2)[0],
    "in a branch": lambda n, x: lax.cond(n > 1, lambda: down(n, x), lambda: down(n, x * 1)),
    "in a loop": lambda n, x: lax.while_loop(lambda c: c[0] != n, lambda c: (c[0] + 1, c[1] + down(c[0], 0 * x)), (0, down(n, x)))[1],
    "as the test of a loop": lambda n, x: lax.while_loop(lambda c: down(n, c) < 1, lambda c: c + 1, 0 * x) * 0 + down(n, x),
    "a linear system": lambda n, x: lax.custom_linear_solve(lambda y: y / down(n, 1.), x, lambda _, b: b * down(n, 1.), symmetric=True),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_branch_that_guards_a_loop_ends(way):
    f = lambda n, x: lax.cond(n > 0, lambda: WAYS[way](n, x), lambda: -x)
    ones = jnp.ones(5)
    assert gnomon.vmap(f)(COUNTS, ones).tolist() == WANTED
    assert gnomon.vmap(lambda n: gnomon.vmap(f, (None, 0))(n, ones[:2]))(COUNTS).tolist() == [[w, w] for w in WANTED]
    if way == "custom_vjp":
        assert gnomon.vmap(gnomon.grad(f, 1))(COUNTS, ones).tolist() == WANTED
        assert gnomon.grad(lambda x: gnomon.vmap(f)(COUNTS, x).sum())(ones).tolist() == WANTED
    else:
        assert gnomon.vmap(lambda n: gnomon.jvp(lambda x: f(n, x), (1.,), (1.,))[1])(COUNTS).tolist() == WANTED
        assert gnomon.jvp(lambda x: gnomon.vmap(f)(COUNTS, x), (ones,), (ones,))[1].tolist() == WANTED


def test_a_loop_that_ended_does_not_start_the_loop_in_it_again():
    """The inner loop counts from 0 up to what is left, and never gets there once nothing is left."""
    def f(n):
        inner = lambda left: lax.while_loop(lambda i: i != left - 1, lambda i: i + 1, 0)
        return lax.while_loop(lambda c: c[0] > 0, lambda c: (c[0] - 1, c[1] + inner(c[0])), (n, 0))[1]
    assert gnomon.vmap(f)(np.array([3, 0, 5], "i4")).tolist() == [3, 0, 10]


def test_updates_in_place_beside_a_loop():
    def f(n, x):
        return lax.cond(n > 0, lambda: x.at[down(n, jnp.int32(1)) % 3].set(7.), lambda: x)
    got = gnomon.vmap(f, (0, None))(COUNTS[:3], jnp.zeros(3))
    assert got.tolist() == [[0, 0, 7], [0, 0, 0], [0, 0, 0]]


def test_the_index_of_a_branch():
    f = lambda n, x: lax.switch(jnp.clip(n, 0, 2), [lambda: -x, lambda: down(n, x), lambda: down(n, x)])
    assert gnomon.vmap(f)(COUNTS, jnp.ones(5)).tolist() == WANTED
