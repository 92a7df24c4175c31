"""Python loops made by chance, rolled or outlined, give the same bits as unrolled: carries, invariants, rows, numbers and keys per
step, results used later, two loops at once, loops in loops, under every transformation."""
from __future__ import annotations

import random

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.base import settings
from gnomon.base.settings import config
from gnomon.ir.check import check
from gnomon.ir.jaxpr import intern
from gnomon.passes import cost
from gnomon.passes.pipeline import optimised
from gnomon.run import programs

N = 4


@G.custom_vjp
def doubled(x):
    return x * 2


doubled.defvjp(lambda x: (x * 2, x), lambda x, ct: (ct * jnp.cos(x),))
called = G.jit(lambda a, b: jnp.tanh(a) * 0.5 + b * 0.25)

# what a step may do to its state: values `s`, the places a and b in them, the step i, rows `xs`, an invariant `w`
MOVES = {
    "sin": lambda s, a, b, i, xs, w: jnp.sin(s[b]),
    "row": lambda s, a, b, i, xs, w: s[a] + xs[i],
    "row from behind": lambda s, a, b, i, xs, w: s[a] + xs[len(xs) - 1 - i].sum() * 0.1,
    "number": lambda s, a, b, i, xs, w: s[b] + float(i) * 0.125,
    "generated": lambda s, a, b, i, xs, w: s[a] + jnp.arange(N, dtype="float32") * (i + 1) * 0.01,
    "invariant": lambda s, a, b, i, xs, w: s[b] * w[0],
    "where": lambda s, a, b, i, xs, w: jnp.where(s[b] > 0, s[a], s[a] * 0.5),
    "product": lambda s, a, b, i, xs, w: jnp.tanh(w @ s[b]),
    "call": lambda s, a, b, i, xs, w: called(s[a], s[b]),
    "cond": lambda s, a, b, i, xs, w: lax.cond(s[b][0] > 0, lambda x: x * 0.5, lambda x: x + 0.5, s[a]),
    "update": lambda s, a, b, i, xs, w: s[a].at[i % N].set(s[b][0] * 0.5),
    "largest": lambda s, a, b, i, xs, w: jnp.maximum(s[a], s[b]) * 0.9,
    "scan": lambda s, a, b, i, xs, w: lax.scan(lambda c, x: (c * 0.5 + x, None), s[a], xs[:3])[0],
    "custom": lambda s, a, b, i, xs, w: jnp.tanh(doubled(s[a])),
}


def generated(seed):
    """A function of (carry, rows, invariant, key) with one or two loops of a few steps."""
    chance = random.Random(seed)

    def body():
        return [(chance.choice([*MOVES, "count", "key", "emit", "back", "swap"]), chance.randrange(3), chance.randrange(3))
                for _ in range(chance.randint(3, 5))]
    steps, bodies = chance.randint(6, 8), [body(), body()]
    kind = chance.randrange(4)
    two, together, nested = (kind == i for i in (1, 2, 3))

    def f(c, xs, w, key):
        s, n, outs, history = [c, c * 0.5, jnp.cos(c)], jnp.int32(0), [], []

        def step(moves, i):
            nonlocal n, key
            for move, a, b in moves:
                if move == "count":
                    n = n + 1
                elif move == "key":
                    key, sub = G.random.split(key)
                    s[a] = s[a] * 0.5 + G.random.uniform(sub, (N,))
                elif move == "emit":
                    outs.append(s[a] * 2)
                elif move == "swap":
                    s[a], s[b] = s[b], s[a]
                elif move == "back":
                    s[a] = s[a] * 0.5 + history[-b - 1] * 0.25 if len(history) > b else s[a]
                else:
                    s[a] = MOVES[move](s, a, b, i, xs[:steps], w)
            history.append(s[0])
        for i in range(steps):
            step(bodies[0], i)
            if together:
                step(bodies[1], i)
            for _ in range(3 * nested):
                s[1] = jnp.sin(s[1]) + 0.1 * s[0]
        for i in range(steps * two):
            step(bodies[1], i)
        return [*s, n, jnp.stack(history[-steps:]), history[3], *outs[-2:-1]]
    return f


def loss(f):
    return lambda *args: sum(v.sum() for v in f(*args) if v.dtype == np.float32)


UNDER = {
    "nothing": lambda f: f,
    "grad": lambda f: G.grad(loss(f), (0, 1, 2)),
    "vmap": lambda f: lambda c, xs, w, k: G.vmap(f, (0, None, None, None))(jnp.stack([c, c * 2]), xs, w, k),
    "checkpoint": lambda f: G.grad(lambda *args: loss(G.checkpoint(f))(*args), (0, 2)),
}


@pytest.fixture(autouse=True)
def as_written():
    """The compiler fuses nothing: what it fuses decides about the last bit."""
    config.update("disable_most_optimizations", True)
    yield
    config.update("disable_most_optimizations", False)


@pytest.mark.parametrize("seed, under, how", [(5, "nothing", "roll"), (2, "grad", "roll"), (1, "vmap", "roll"), (5, "checkpoint", "roll"),
                                              (5, "grad", "outline")])
def test_the_same_bits(seed, under, how, monkeypatch):
    for name in ("WORTHWHILE", "PER_STEP", "PER_CALL", "PER_COPY", "PER_KERNEL", "PER_KERNEL_SLOW", "PER_LOOP", "PER_PIECE"):
        monkeypatch.setattr(cost, name, 0.0)
    monkeypatch.setattr(cost, "RUNS", 0)
    monkeypatch.setattr(programs, "quickened", lambda plan, made: plan)     # the quicker code generator may round otherwise
    rng = np.random.default_rng(seed)
    args = (*[(0.5 * rng.normal(size=shape)).astype("f4") for shape in ((N,), (20, N), (N, N))], G.random.key(seed))
    f = UNDER[under](generated(seed))
    with settings.roll("off"), settings.outline("off"):
        plain = G.jit(lambda *args: f(*args))(*args)
    with settings.roll("on" if how == "roll" else "off"):
        made, reports = optimised(intern(G.make_jaxpr(f)(*args).jaxpr.closed()))
        check(made)
        assert {r.kind for r in reports} <= {"roll", "outline"} and how in [r.kind for r in reports]
        changed = G.jit(lambda *args: f(*args))(*args)
    for a, b in zip(G.tree.leaves(plain), G.tree.leaves(changed), strict=True):
        assert a.type is b.type
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
