"""A cond whose condition differs from lane to lane writes in place where its branches do, and computes what a loop computes."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import lax

N = 4


def set_one(u, i):
    return u.at[i].set(2.0 * u[i] + 1.0)


def set_block(u, i):
    return lax.dynamic_update_slice(u, u[:2] + 10.0, (i,))


def add_twice(u, i):
    return u.at[jnp.stack([i, i])].add(3.0).at[0].set(7.0)


def leave(u, i):
    return u


def scale(u, i):
    return u * 5.0


def root(u, i):
    return u.at[i].set(jnp.sqrt(u[i]))


def inner_choice(u, i):
    return lax.cond(i % 2 == 0, lambda u: u.at[i].set(u[i] * u[i]), lambda u: u.at[jnp.stack([i, i])].add(2.0), u)


def write_then_choose(u, i):
    return lax.cond(i > 1, lambda u: u.at[i].set(jnp.sin(u[i])), leave_it, u.at[0].multiply(2.0))


def leave_it(u):
    return u


BRANCHES = {
    "product": [leave, lambda u, i: u.at[i].multiply(u[i] + 1.0)], "products that meet": [leave, lambda u, i: u.at[jnp.stack([i, i])].multiply(3.0)],
    "extremes": [lambda u, i: u.at[i].max(4.5), lambda u, i: u.at[i].min(u[0])], "a choice": [leave, inner_choice],
    "a choice of what was written": [leave, write_then_choose], "choices": [inner_choice, write_then_choose, set_block],
    "one or none": [leave, set_one], "both": [set_one, set_block], "three": [add_twice, leave, set_block],
    "not in place": [scale, set_one], "none writes": [leave, leave],
}


def choose(branches):
    return lambda k, u, i: lax.switch(k, branches, u, i)


def arguments(branches):
    n = 2 * len(branches)
    return np.arange(n, dtype=np.int32) % len(branches), np.arange(n * N, dtype=np.float32).reshape(n, N), np.arange(n, dtype=np.int32) % N


def selects_of_whole_arrays(f, *args):
    found = []

    def walk(jaxpr):
        for e in jaxpr.eqns:
            if e.primitive.name == "select_n" and e.outs[0].type.shape[1:] == (N,):
                found.append(e)
            for inner in e.op.programs() if e.op.holds_programs else ():
                walk(inner)
    walk(gnomon.make_jaxpr(f)(*args).jaxpr)
    return found


@pytest.mark.parametrize("name", BRANCHES)
def test_values_and_gradients_are_those_of_a_loop(name):
    f = choose(BRANCHES[name])
    k, u, i = arguments(BRANCHES[name])
    wide = gnomon.jit(gnomon.vmap(f))(k, u, i)
    np.testing.assert_allclose(wide, [f(*lane) for lane in zip(k, u, i)])
    weights = np.linspace(1, 2, N, dtype=np.float32)

    def loss(k, u, i):
        return (f(k, u, i) * weights).sum()
    np.testing.assert_allclose(gnomon.vmap(gnomon.grad(loss, 1))(k, u, i), [gnomon.grad(loss, 1)(*lane) for lane in zip(k, u, i)])
    total = gnomon.grad(lambda u: gnomon.vmap(loss)(k, u, i).sum())(u)
    np.testing.assert_allclose(total, [gnomon.grad(loss, 1)(*lane) for lane in zip(k, u, i)])


WRITES = {
    "set": lambda u, i: u.at[i].set(1.0), "add": lambda u, i: u.at[i].add(1.0), "multiply": lambda u, i: u.at[i].multiply(2.0),
    "max": lambda u, i: u.at[i].max(1.0), "min": lambda u, i: u.at[i].min(1.0),
    "choice": lambda u, i: lax.cond(i > 1, lambda u: u.at[i].set(1.0), leave_it, u.at[jnp.abs(i - 1)].add(1.0)),
    "two choices": lambda u, i: lax.cond(i > 1, lambda u: lax.cond(i > 2, lambda u: u.at[i].set(1.0), leave_it, u), leave_it, u),
}


@pytest.mark.parametrize("name", WRITES)
def test_no_whole_array_is_selected(name):
    k, u, i = arguments(BRANCHES["one or none"])
    write = WRITES[name]

    def loop(k, u, i):
        return lax.while_loop(lambda c: c[1] < k, lambda c: (lax.cond(c[1] > 0, lambda u: write(u, i), leave_it, c[0]), c[1] + 1), (u, 0))[0]
    for f in (choose([leave, write]), loop):
        assert not selects_of_whole_arrays(gnomon.vmap(f), k, u, i)
        np.testing.assert_allclose(gnomon.vmap(f)(k + 1, u, i), [f(*lane) for lane in zip(k + 1, u, i)])


def test_a_whole_array_is_selected_where_it_is_new():
    k, u, i = arguments(BRANCHES["one or none"])
    assert selects_of_whole_arrays(gnomon.vmap(choose([leave, scale])), k, u, i)


@pytest.mark.parametrize("write", [root, lambda u, i: lax.cond(i < 1, lambda u: root(u, i), leave_it, u),
                                   lambda u, i: lax.cond(i < 1, lambda u: root(u, i), leave_it, u.at[1].multiply(1.0))],
                         ids=["at once", "by a choice", "by a choice of what was written"])
def test_no_nan_from_lanes_not_taken(write):
    k, u = np.array([0, 1], np.int32), np.array([[-1.0, 4.0], [4.0, 9.0]], np.float32)
    for i in (0, jnp.zeros(2, "int32")):
        wide = gnomon.vmap(gnomon.grad(lambda u, k, i: choose([leave, write])(k, u, i).sum()), (0, 0, 0 if np.ndim(i) else None))
        np.testing.assert_allclose(wide(u, k, i), [[1, 1], [0.25, 1]])


def test_two_outputs_of_one_operand_are_told_apart():
    def f(k, u):
        return lax.cond(k, lambda u: (u.at[0].set(1.0), u.at[1].set(2.0)), lambda u: (u, u), u)
    first, second = gnomon.vmap(f)(np.array([True, False]), np.zeros((2, 2), np.float32))
    assert first.tolist() == [[1, 0], [0, 0]] and second.tolist() == [[0, 2], [0, 0]]
