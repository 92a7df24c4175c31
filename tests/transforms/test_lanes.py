"""Effects under vmap: a lane calls back from the arms and the steps that are its own, and from no others."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.experimental import io_callback

FLOAT = G.ShapeDtypeStruct((), "float32")


@pytest.fixture
def seen():
    return []


def test_arms(seen):
    def note(tag, x):
        G.debug.callback(lambda v: seen.append((tag, float(v))), x)

    def f(p, x):
        return lax.cond(p, lambda: (note("true", x), 1.0)[1], lambda: (note("false", x), x)[1])
    args = np.array([True, False, True]), np.arange(3, dtype="f4")
    for g in (G.vmap(f), G.jit(G.vmap(f)), lambda p, x: G.vmap(G.grad(lambda x, p: f(p, x)))(x, p)):
        out = g(*args)
        G.effects_barrier()
        assert seen == [("true", 0.0), ("false", 1.0), ("true", 2.0)]
        seen.clear()
    assert out.tolist() == [0.0, 1.0, 0.0]


def test_arms_with_results(seen):
    def f(i, x):
        return lax.switch(i, [lambda: x, lambda: io_callback(lambda v: seen.append(float(v)) or v + 10, FLOAT, x), lambda: 2 * x])
    assert G.vmap(f)(np.array([1, 2, 0, 1], "i4"), np.arange(4, dtype="f4")).tolist() == [10.0, 2.0, 2.0, 13.0] and seen == [0.0, 3.0]
    seen.clear()
    assert G.vmap(lambda x: f(1, x))(np.arange(2, dtype="f4")).tolist() == [10.0, 11.0] and seen == [0.0, 1.0]


def test_steps_of_loops(seen):
    def f(n, x):
        def step(c):
            G.debug.callback(lambda n, i: seen.append((int(n), int(i))), n, c[0])
            return c[0] + 1, c[1] * x
        return lax.while_loop(lambda c: c[0] < n, step, (0, 1.0))[1]
    assert G.vmap(f, (0, None))(np.array([1, 0, 3], "i4"), 2.0).tolist() == [2.0, 1.0, 8.0]
    G.effects_barrier()
    assert seen == [(1, 0), (3, 0), (3, 1), (3, 2)]


def test_lanes_that_speak_to_each_other_stay_together():
    def f(p, x):
        return lax.cond(p, lambda: (G.debug.callback(lambda v: None, x), lax.psum(x, "i"))[1], lambda: x)
    assert G.vmap(f, axis_name="i")(np.array([True, False]), jnp.arange(1.0, 3.0)).tolist() == [3.0, 2.0]


def test_every_way_to_batch_a_pure_callback():
    x = np.arange(3, dtype="f4")
    for method in ("sequential", "sequential_unrolled", "expand_dims", "broadcast_all"):
        f = lambda x, y: G.pure_callback(lambda a, b: np.asarray(a + 2 * b, "f4"), FLOAT, x, y, vmap_method=method)     # noqa: B023, E731
        assert G.vmap(f, (0, None))(x, 1.0).tolist() == [2.0, 3.0, 4.0], method
        assert G.vmap(f, (None, 0))(1.0, x).tolist() == [1.0, 3.0, 5.0], method
