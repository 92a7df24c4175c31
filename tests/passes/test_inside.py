"""Loops inside loops, branches, calls and regions of shard_map are rolled too; what one region keeps for another stays in one piece."""
from __future__ import annotations

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import P, lax
from gnomon.base import settings
from gnomon.ir.check import check, subprograms
from gnomon.ir.jaxpr import intern
from gnomon.passes import cost
from gnomon.passes.pipeline import optimised

rng = np.random.default_rng(0)
W, C = (0.4 * rng.normal(size=(8, 8))).astype("f4"), rng.normal(size=(8, 8)).astype("f4")


def equations(jaxpr):
    return sum(len(p.eqns) for p in subprograms(jaxpr))


def loop(w, c, n=60):
    for i in range(n):
        c = jnp.tanh(c @ w)
    return c


def made(f, *args):
    out, reports = optimised(intern(G.make_jaxpr(f)(*args).jaxpr.closed()))
    check(out)
    return out, reports


def same(f, *args):
    with settings.roll("off"), settings.outline("off"):
        plain = G.jit(lambda *a: f(*a))(*args)
    for a, b in zip(G.tree.leaves(plain), G.tree.leaves(G.jit(lambda *a: f(*a))(*args)), strict=True):
        assert a.type is b.type
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)


def over_devices(f, checked=True):
    """f over four positions: each has two rows of c, all have w."""
    return G.shard_map(f, mesh=G.make_mesh((4,), ("x",)), in_specs=(P(), P("x")), out_specs=P("x"), check_vma=checked)


def meeting(w, c):
    for i in range(60):
        c = jnp.tanh(c @ w) + lax.pmean(c, "x") * (0.01 * i)
    return c


@pytest.mark.parametrize("body, checked", [(loop, False), (meeting, True)])
def test_loops_in_regions_and_their_backward_loops(body, checked):
    f = over_devices(body, checked)
    g = G.grad(lambda w, c: f(w, c).sum(), (0, 1))
    out, reports = made(g, W, C)
    assert [r.kind for r in reports] == ["roll", "roll"] and min(r.count for r in reports) >= 58 and equations(out) < 120
    same(g, W, C)


def test_layers_in_regions_become_calls_forward_and_backward(monkeypatch):
    monkeypatch.setattr(cost, "WORTHWHILE", 0.0)
    monkeypatch.setattr(cost, "PER_CALL", 0.0)

    def layers(ws, x):
        for a, b in ws:
            h = lax.psum(jnp.tanh(x @ a) @ b, "x")
            x = x + (h - h.mean(-1, keepdims=True)) / (1 + jnp.square(h).mean(-1, keepdims=True))
        return x
    ws = [(W + 0.1 * i, C - 0.1 * i) for i in range(6)]
    f = G.shard_map(layers, mesh=G.make_mesh((4,), ("x",)), in_specs=([(P(None, "x"), P("x"))] * 6, P()), out_specs=P())
    g = G.grad(lambda ws, x: (f(ws, x) * C).sum(), (0, 1))
    with settings.roll("off"):
        _, reports = made(g, ws, C)
        assert {r.kind for r in reports} == {"outline"} and len(reports) == 2
        called = G.jit(lambda *a: g(*a))(ws, C)
    with settings.roll("off"), settings.outline("off"):
        plain = G.jit(lambda *a: g(*a))(ws, C)
    for a, b in zip(G.tree.leaves(plain), G.tree.leaves(called), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5 * float(np.abs(np.asarray(a)).max()))


def test_what_a_region_keeps_is_cut_out_where_it_is_not_taken_whole():
    def kept(w, c):
        ys = []
        for _ in range(60):
            c = jnp.tanh(c @ w)
            ys.append(c * 2)
        return tuple(ys)
    f = G.shard_map(kept, mesh=G.make_mesh((4,), ("x",)), in_specs=(P(), P("x")), out_specs=(P("x"),) * 60)

    def g(w, c):
        ys = f(w, c)
        return over_devices(lambda w, y: y @ w)(w, ys[3]), ys[7], sum(ys[20:23])
    out, reports = made(g, W, C)
    assert [r.count for r in reports] == [60] and equations(out) < 40
    same(g, W, C)
    same(f, W, C)


def test_loops_at_any_depth():
    def step(w, c):
        return lax.cond(c[0, 0] > 100, lambda c: c, lambda c: loop(w, c), c)

    def scanned(w, c):
        return lax.scan(lambda c, _: (step(w, c), None), c, None, 2)[0]

    def looping(w, c):
        return lax.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, scanned(w, s[1])), (0, c))[1]
    _, reports = made(looping, W, C)
    assert [r.count for r in reports] == [60]
    same(looping, W, C)
    same(lambda w, c: over_devices(scanned)(w, c), W, C)
