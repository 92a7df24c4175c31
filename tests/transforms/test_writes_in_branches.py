"""A loop whose branches write to the array that it carries keeps it in one place, in its gradient too, and computes what a Python loop computes."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.ops.nested import behind
from tests.transforms.test_loops_in_place import N, PLACES, X, copies_in_loops, loop

FLAGS, KINDS = PLACES % 2 == 0, PLACES % 3


def leave(u):
    return u


def chosen(i, write, other=leave):
    return lambda u: lax.cond(jnp.asarray(FLAGS)[i], write, other, u)


LOOPS = {
    "both write": loop(lambda i, u, x: chosen(i, lambda u: u.at[i].set(x[i] * 2), lambda u: u.at[i - 1].add(u[i]))(u)),
    "switch": loop(lambda i, u, x: lax.switch(jnp.asarray(KINDS)[i], [lambda u: u.at[i].set(x[i] * 2), leave, lambda u: u.at[i - 1].mul(u[i])], u)),
    "exchange": loop(lambda i, u, x: lax.cond(u[i - 1] > u[i], lambda u: u.at[i].set(u[i - 1]).at[i - 1].set(u[i]), leave, u)),
    "nested": loop(lambda i, u, x: chosen(i, lambda u: lax.cond(x[i] > 1, lambda u: u.at[i].set(jnp.sin(u[i - 1])), leave, u))(u)),
    "block": loop(lambda i, u, x: chosen(i, lambda u: lax.dynamic_update_slice(u, jnp.cos(lax.dynamic_slice(u, (i - 1,), (2,))), (i - 1,)))(u)),
    "lanes": lambda x: G.vmap(loop(lambda i, u, x: chosen(i, lambda u: u.at[i].set(u[i - 1] * x[i]), lambda u: u.at[i].add(1.0))(u)))(x[None])[0],
    "choice by lane": lambda x: lax.fori_loop(1, N, lambda i, u: G.vmap(lambda q, u: lax.cond(
        q < x[i], lambda u: u.at[i].set(u[i - 1] * 0.5), leave, u))(x[:1], u), x[None])[0],
}


@pytest.mark.parametrize("name", LOOPS)
def test_no_step_copies_the_array(name):
    f = LOOPS[name]
    for what, program in {"value": f, "gradient": G.grad(lambda x: (f(x) * f(x)).sum())}.items():
        text = G.jit(program).lower(X).compile().as_text().replace("f32[1,1500]", "f32[1500]")
        assert not copies_in_loops(text), what


def branch(rng):
    """A function of (array, two places, row) that reads and writes here and there, what it wrote itself too."""
    steps = [(rng.integers(0, 9), rng.integers(0, 3), rng.choice(["clip", "drop"]), rng.integers(0, 2)) for _ in range(rng.integers(0, 5))]

    def run(u, i, j, x):
        given, zeros = u, (0,) * (u.ndim - 1)
        for kind, which, mode, own in steps:
            at = (i, j, i - j)[which]
            read = u if own else given
            if kind == 0:
                u = u.at[at].set(x, mode=mode)
            elif kind == 1:
                u = u.at[at].add(x, mode=mode)
            elif kind == 2:
                u = lax.dynamic_update_slice(u, x[None], (at, *zeros))
            elif kind == 3:
                x = x * 0.5 + u.at[at].get(mode="clip" if mode == "clip" else "fill", fill_value=2.0)
            elif kind == 4:
                x = jnp.sin(x) + read[at]
            elif kind == 5:
                x = x + lax.dynamic_slice(read, (at, *zeros), (1, *u.shape[1:]))[0]
            elif kind == 6:
                u = u.at[at].max(x, mode=mode)
            elif kind == 7:
                u = u.at[jnp.stack([at, at])].add(x, mode=mode)
            else:
                u = lax.cond(x.sum() > 0, lambda u: u.at[at].set(x), lambda u: u, u)
        return u, x
    return run


@pytest.mark.parametrize("seed", range(4))
def test_branches_that_read_and_write(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    shape = [(6,), (6, 2)][seed % 2]
    branches = [branch(rng) for _ in range(2 + seed % 2)]
    which, i, j = rng.integers(0, len(branches), 6), rng.integers(-8, 9, 6), rng.integers(0, 7, 6)
    places = [a.astype(np.int32) for a in (which, i, j)]
    u, x = rng.normal(size=shape).astype(np.float32), rng.normal(size=shape[1:]).astype(np.float32)

    def looped(u, x):
        return lax.scan(lambda c, t: (lax.switch(t[0], branches, c[0], t[1], t[2], jnp.tanh(c[1])), None), (u, x), places)[0]

    def plain(u, x):
        for k, i, j in zip(*places):
            u, x = branches[k](u, jnp.asarray(i), jnp.asarray(j), jnp.tanh(x))
        return u, x

    def loss(f):
        return lambda u, x: sum((jnp.sin(v) * np.arange(1, v.size + 1, dtype=np.float32).reshape(v.shape)).sum() for v in f(u, x))
    gradient = G.grad(loss(looped), (0, 1))
    rights = G.jit(gradient)(u, x)
    G.clear_caches()
    monkeypatch.setattr(behind, "LARGE", 1)
    monkeypatch.setattr(behind, "FEW", 0)
    for found, right in zip(G.jit(looped)(u, x), plain(jnp.asarray(u), jnp.asarray(x))):
        np.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-5)
    for found, right in zip(G.jit(gradient)(u, x), rights):
        np.testing.assert_allclose(found, right, rtol=2e-3, atol=2e-3)
    G.clear_caches()


def test_what_branches_compute_from_constants_is_not_stacked():
    """The reverse of a loop takes the matrices from outside, in branches of branches too, and keeps rows for each step alone."""
    def f(w, x):
        def inner(h):
            return lax.cond(h[0] > 0, lambda h: jnp.tanh(w @ h), lambda h: jnp.sin(w * 2) @ h, h)
        return lax.scan(lambda h, q: (lax.cond(q, inner, lambda h: jnp.sin(w) @ h, h), None), x, FLAGS[:20])[0].sum()
    w, x = np.full((5, 5), 0.1, np.float32), np.ones(5, np.float32)
    made = G.make_jaxpr(G.grad(f, (0, 1)))(w, x)
    stacked = [v.type.shape for e in made.eqns if e.primitive.name == "scan" for v in e.outs if v.type.shape[:1] == (20,)]
    assert stacked and max(map(len, stacked)) == 2
    plain = G.grad(f_plain, (0, 1))(w, x)
    for found, right in zip(G.jit(G.grad(f, (0, 1)))(w, x), plain):
        np.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-6)


def f_plain(w, h):
    for q in FLAGS[:20]:
        h = (jnp.tanh(w @ h) if h[0] > 0 else jnp.sin(w * 2) @ h) if q else jnp.sin(w) @ h
    return h.sum()
