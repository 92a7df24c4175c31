"""Python loops whose steps read and write windows that move with the counter become scans, with the values they had."""
from __future__ import annotations

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import P
from gnomon.base import settings
from gnomon.base.settings import config
from gnomon.ir.check import check, subprograms
from gnomon.ir.jaxpr import intern
from gnomon.passes import cost
from gnomon.passes.pipeline import optimised
from gnomon.run import programs

N = 12
rng = np.random.default_rng(0)
XS, Y, C = (rng.normal(size=shape).astype("f4") for shape in ((N + 20, 8), (8, N + 20), (8,)))


def windows(xs, y, c):
    for i in range(N):
        c = jnp.sin(c) + xs[i:i + 3].sum(0)
    return c


def windows_from_behind(xs, y, c):
    for i in range(N, 0, -1):
        c = jnp.sin(c) + xs[i:i + 3].sum(0) * y[2, i]
    return c


def two_indices(xs, y, c):
    for i in range(1, N):
        c = jnp.sin(c) + xs[i - 1:i + 1].sum(0) * y[:, 2 * i % N] - y[:, N - i] * y[3, i + 1]
    return c


def every_other(xs, y, c):
    for i in range(N - 2):
        c = jnp.sin(c) + xs[i:i + 20:2].sum(0) + xs[2 * i] * xs[N + 20 - 2 * i - 1]
    return c


def written(xs, y, c):
    for i in range(N):
        c = jnp.sin(c)
        xs, y = xs.at[i + 1].set(c), y.at[:, N - i].add(c)
    return xs, y


def read_back(xs, y, c):
    for i in range(1, N):
        xs = xs.at[i].add(jnp.sin(xs[i - 1]) + c)
        xs = xs.at[i:i + 2].multiply(y[0, i])
    return xs


def table(xs, y, c):
    for j in range(1, 4):
        for i in range(1, 6):
            y = y.at[j, i].set(jnp.minimum(y[j, i - 1], y[j - 1, i]) + y[j, i])
    return y


LOOPS = [windows, windows_from_behind, two_indices, every_other, written, read_back, table]
UNDER = {
    "nothing": lambda f: f,
    "grad": lambda f: G.grad(lambda *a: sum([v.sum() for v in G.tree.leaves(f(*a))]), (0, 1, 2)),
    "vmap": lambda f: lambda xs, y, c: G.vmap(f, (0, None, 0))(jnp.stack([xs, 2 * xs]), y, jnp.stack([c, 2 * c])),
    "shard_map": lambda f: G.shard_map(f, mesh=G.make_mesh((4,), ("x",)), in_specs=(P(None, "x"), P("x"), P("x")), out_specs={
        "written": (P(None, "x"), P("x")), "read_back": P(None, "x")}.get(f.__name__, P("x"))),
}


def equations(jaxpr):
    return sum([len(p.eqns) for p in subprograms(jaxpr)])


@pytest.fixture
def as_written(monkeypatch):
    """Short loops are rolled, too; the compiler fuses nothing, and there is one code generator: these decide about the last bit."""
    monkeypatch.setattr(programs, "quickened", lambda plan, made: plan)
    for name in ("WORTHWHILE", "PER_STEP", "PER_KERNEL", "PER_KERNEL_SLOW", "PER_LOOP", "PER_PIECE"):
        monkeypatch.setattr(cost, name, 0.0)
    config.update("disable_most_optimizations", True)
    yield
    config.update("disable_most_optimizations", False)


@pytest.mark.parametrize("loop, under", [*[(f, "grad") for f in LOOPS], (two_indices, "vmap"), (read_back, "vmap"), (table, "nothing"),
                                         (windows, "shard_map"), (written, "shard_map"), (read_back, "shard_map")],
                         ids=lambda x: getattr(x, "__name__", x))
def test_rolled_with_the_same_bits(loop, under, as_written):
    f = UNDER[under](loop)
    big = intern(G.make_jaxpr(f)(XS, Y, C).jaxpr.closed())
    made, reports = optimised(big)
    check(made)
    assert {r.kind for r in reports} == {"roll"} and equations(made) < equations(big)
    with settings.roll("off"), settings.outline("off"):
        plain = G.jit(lambda *a: f(*a))(XS, Y, C)
    for a, b in zip(G.tree.leaves(plain), G.tree.leaves(G.jit(lambda *a: f(*a))(XS, Y, C)), strict=True):
        assert a.type is b.type
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("loop", [windows, written], ids=lambda f: f.__name__)
def test_places_are_functions_of_one_counter(loop, monkeypatch):
    monkeypatch.setattr(cost, "WORTHWHILE", 0.01)
    made, _ = optimised(intern(G.make_jaxpr(loop)(XS, Y, C).jaxpr.closed()))
    scan, = [e for e in made.eqns if e.op.op_name == "scan"]
    assert [v.type.shape for v in scan.ins if v.type.dtype == np.int32] == [(N,)]


def test_a_few_slices_are_written_as_they_were():
    def f(xs):
        return [xs[i:i + 3].sum() for i in range(12)], jnp.split(xs[:30], 3)
    big = intern(G.make_jaxpr(f)(XS).jaxpr.closed())
    made, reports = optimised(big)
    assert reports == () and [e.op for e in made.eqns] == [e.op for e in big.eqns]
