"""A loop that reads elements of an array that it writes to keeps it in one place, in its gradient too: no step copies the whole array."""
import re

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.ops.nested import behind

N = 1500
X = np.random.RandomState(0).uniform(0.5, 1.5, N).astype(np.float32)
PLACES = np.random.RandomState(1).randint(0, N, N).astype(np.int32)


def loop(step, start=None):
    return lambda x: lax.fori_loop(1, N, lambda i, u: step(i, u, x), x if start is None else start(x))


def search(i, u, x):
    return u.at[i].set(u[i - 1] * x[i] + jnp.cos(u[i - 1]))


LOOPS = {
    "recurrence": loop(lambda i, u, x: u.at[i].set(jnp.sin(u[i - 1]) * x[i]), lambda x: jnp.zeros(N).at[0].set(x[0])),
    "slices": loop(lambda i, u, x: lax.dynamic_update_slice(u, jnp.sin(lax.dynamic_slice(u, (i - 1,), (1,))) * x[i], (i,))),
    "sums": loop(lambda i, u, x: u.at[i].add(jnp.sin(u[i - 1]) * x[i])),
    "products": loop(lambda i, u, x: u.at[i].multiply(x[i])),
    "anywhere": loop(lambda i, u, x: u.at[i].set(jnp.sin(u[jnp.asarray(PLACES)[i]]) * x[i])),
    "exchange": loop(lambda i, u, x: u.at[i].set(jnp.sin(u[i - 1])).at[i - 1].set(u[i] * u[i - 1])),
    "rows": lambda x: lax.fori_loop(1, N // 4, lambda i, u: u.at[i].set(jnp.tanh(u[i - 1] + u[i])), x.reshape(-1, 4)),
    "search": lambda x: lax.while_loop(lambda c: c[0] < N, lambda c: (c[0] + 1, search(*c, x)), (1, x))[1],
}


def copies_in_loops(text):
    """The copies of whole arrays in a compiled program, but those that it does once."""
    return re.findall(r"= f32\[(?:1500|375,4)\]\S* copy\(", text[:text.index("\nENTRY")])


@pytest.mark.parametrize("name", LOOPS)
def test_no_step_copies_the_array(name, monkeypatch):
    f = LOOPS[name]
    programs = {"value": f}
    if name != "search":
        programs["gradient"] = G.grad(lambda x: (f(x) * f(x)).sum())
    for what, program in programs.items():
        jitted = G.jit(program)
        assert not copies_in_loops(jitted.lower(X).compile().as_text()), what
        found = jitted(X)
        with monkeypatch.context() as patch:
            patch.setattr(behind, "LARGE", 10 ** 9)
            G.clear_caches()
            plain = G.jit(lambda x: program(x))
            assert "@read" not in plain.lower(X).as_text()
            np.testing.assert_allclose(found, plain(X), rtol=1e-5)
        G.clear_caches()
