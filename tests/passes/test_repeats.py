"""Repeats are found, compiled once, and give the same numbers; small programs are left alone."""
from __future__ import annotations

import sys

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon.base import settings
from gnomon.ir.check import check
from gnomon.ir.jaxpr import intern
from gnomon.passes import cost
from gnomon.passes.cost import choose, prefers_quick
from gnomon.passes.pipeline import optimised
from gnomon.passes.roll import compile_repeats_once
from gnomon.run.xla import QUICK_COMPILE

rng = np.random.default_rng(0)
NEWER = {name: True for name, _ in QUICK_COMPILE}       # the newer code generator, where there are two


def normal(*shape, scale=1.0):
    return (scale * rng.normal(size=shape)).astype("f4")


def program(f, *args):
    return intern(G.make_jaxpr(f)(*args).jaxpr.closed())


def reports(f, *args):
    made, found = optimised(program(f, *args))
    check(made)
    return made, found


def compare(f, *args, rtol=1e-6):
    """The results with and without the passes."""
    with settings.roll("off"), settings.outline("off"):
        plain = G.jit(lambda *a: f(*a))(*args)
    rolled = G.jit(lambda *a: f(*a))(*args)
    for a, b in zip(G.tree.leaves(plain), G.tree.leaves(rolled)):
        np.testing.assert_allclose(b, a, rtol=rtol, atol=rtol * float(np.abs(np.asarray(a)).max()))


def carried(n):
    def f(w, c):
        for _ in range(n):
            c = jnp.sin(c @ w)
        return c
    return f


W, C = normal(8, 8, scale=0.3), normal(8, 8)


def test_a_loop_over_a_carry_becomes_a_scan():
    made, found = reports(carried(100), W, C)
    assert [(r.kind, r.count) for r in found] == [("roll", 100)]
    assert found[0].file == __file__ and len(made.eqns) < 5
    assert str(found[0]).startswith("rolled 100 steps of the loop at test_repeats.py:")
    compare(carried(100), W, C)


def test_its_gradient_becomes_two_scans_with_stacked_residuals():
    g = G.grad(lambda w, c: carried(60)(w, c).sum(), (0, 1))
    made, found = reports(g, W, C)
    assert [r.kind for r in found] == ["roll", "roll"] and len(made.eqns) < 30
    compare(g, W, C, rtol=1e-5)


def test_inputs_per_step_are_taken_from_one_array():
    def f(w, c, xs):
        for i in range(60):
            c = jnp.sin(c @ w + xs[i])
        return c
    xs = normal(60, 8)
    made, found = reports(f, W, C, xs)
    assert [r.kind for r in found] == ["roll"]
    assert not any(e.op.op_name == "concatenate" for e in made.eqns)
    compare(f, W, C, xs)
    backward = G.grad(lambda w, c, xs: f(w, c, xs).sum(), (0, 2))
    compare(backward, W, C, xs, rtol=1e-5)


def test_numbers_per_step_and_outputs_used_later():
    def f(w, c):
        ys = []
        for i in range(60):
            c = jnp.sin(c @ w) * float(i + 1) / 60
            ys.append(c.sum())
        return jnp.stack(ys), ys[7], c
    made, found = reports(f, W, C)
    assert any(r.kind == "roll" and r.count >= 58 for r in found)
    compare(f, W, C)


def test_layers_become_calls_of_one_function():
    def layer(p, x):
        h = jnp.tanh(x @ p["a"]) @ p["b"]
        m = h.mean(-1, keepdims=True)
        v = ((h - m) ** 2).mean(-1, keepdims=True)
        return x + (h - m) / jnp.sqrt(v + 1e-5) * p["g"]

    def model(ps, x):
        for p in ps:
            x = layer(p, x)
        return (x ** 2).mean()
    ps = [{"a": normal(64, 256, scale=0.1), "b": normal(256, 64, scale=0.1), "g": normal(64)} for _ in range(24)]
    x = normal(4, 64)
    g = G.grad(model)
    with settings.roll("off"):
        _, found = reports(g, ps, x)
        assert {r.kind for r in found} == {"outline"} and max(r.count for r in found) >= 22
        called = G.jit(lambda ps, x: g(ps, x))(ps, x)
    with settings.outline("off"):
        _, found = reports(g, ps, x)
        assert {r.kind for r in found} == {"roll"}      # small layers are stacked
        rolled = G.jit(lambda ps, x: g(ps, x))(ps, x)
    with settings.roll("off"), settings.outline("off"):
        plain = G.jit(lambda ps, x: g(ps, x))(ps, x)
    for a, b, c in zip(*map(G.tree.leaves, (plain, called, rolled))):
        scale = float(np.abs(np.asarray(a)).max())
        np.testing.assert_allclose(b, a, atol=1e-4 * scale)
        np.testing.assert_allclose(c, a, atol=1e-4 * scale)


def test_a_list_of_states_is_stacked_from_what_the_scan_stacked():
    def f(q, p):
        states, every = [q], []
        for _ in range(100):
            p = p - 0.01 * jnp.sin(q)
            q = q + 0.1 * p
            states.append(q)
            every.append(q)
        return jnp.stack(states), jnp.stack(every), q
    made, found = reports(f, C, W)
    assert [(r.kind, r.count) for r in found] == [("roll", 100)] and len(made.eqns) < 8
    compare(f, C, W)


def test_results_that_are_rows_come_in_one_piece():
    def f(w, c, xs):
        ys = []
        for x in xs:
            c = jnp.sin(c @ w + x)
            ys.append(c * 2)
        return ys
    xs = [normal(8) for _ in range(80)]
    compiled = G.jit(f).lower(W, C, xs).compile()
    assert compiled.as_text().count("slice") < 30
    with settings.roll("off"), settings.outline("off"):
        plain = G.jit(lambda *a: f(*a))(W, C, xs)
    for a, b, c in zip(plain, compiled(W, C, xs), G.jit(f)(W, C, xs)):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(c, a, rtol=1e-5, atol=1e-6)
        assert (b + 1).shape == (8, 8) and type(b) is type(a)


@pytest.mark.parametrize("wrap", [G.checkpoint, lambda f: lambda p, x: G.lax.cond(x[0, 0] > 0, f, lambda p, x: x, p, x)])
def test_equations_that_hold_programs_count_with_what_they_hold(wrap):
    def layer(p, x):
        for w in p:
            x = jnp.tanh(x @ w) * 0.5 + x
        return x

    def model(ps, x):
        for p in ps:
            x = wrap(layer)(p, x)
        return x.sum()
    ps, x = [[normal(64, 64) for _ in range(8)] for _ in range(6)], normal(2, 64)
    with settings.roll("off"):
        made, found = reports(G.grad(model), ps, x)
    assert {r.kind for r in found} == {"outline"} and max(r.period for r in found) > 40
    assert len({id(e.op.jaxpr) for e in made.eqns if e.op.op_name == "jit" and e.op.keep}) == len(found)


def test_small_programs_are_left_alone():
    f = carried(5)
    made, found = reports(f, W, C)
    assert found == () and len(made.eqns) == 10


def test_effects_keep_their_order():
    seen = []

    def f(c):
        for i in range(60):
            c = jnp.sin(c)
            G.debug.callback(lambda v, i=i: seen.append(i), c, ordered=True)
        return c
    G.jit(f)(np.float32(1.0)).block_until_ready()
    assert seen == list(range(60))


def test_a_loop_that_prints_becomes_a_scan_that_prints_the_same(capfd):
    def f(w, c):
        G.debug.print("before", ordered=True)
        for i in range(80):
            c = jnp.sin(c @ w)
            G.debug.print("{} {}", i, c[0, 0], ordered=True)
            G.debug.print("always the same", ordered=True)
        G.debug.print("behind", ordered=True)
        return c
    assert [(r.kind, r.count) for r in reports(f, W, C)[1]] == [("roll", 80)]
    with settings.announce("silent"):
        got = np.asarray(G.jit(f)(W, C))
        G.effects_barrier()
        printed = capfd.readouterr().out
        with settings.roll("off"), settings.outline("off"):
            want = np.asarray(G.jit(lambda *a: f(*a))(W, C))
            G.effects_barrier()
    assert printed == capfd.readouterr().out and printed.count("always") == 80
    np.testing.assert_array_equal(got, want)


def test_callbacks_in_blocks_of_many_lanes_and_gradients_are_called_once_each():
    seen = []

    def note(i, v):
        seen.append(int(i))

    def f(c):
        for i in range(80):
            c = jnp.sin(c) * 0.5 + 1
            G.debug.callback(note, i, c[0])
        return c.sum()
    for transformed, times in ((G.vmap(f), 2), (lambda c: G.grad(lambda c: f(c[0]))(c), 1)):
        assert "roll" in {r.kind for r in reports(transformed, normal(2, 8))[1]}
        G.jit(transformed)(normal(2, 8))
        G.effects_barrier()
        assert sorted(seen) == sorted([*range(80)] * times)
        seen.clear()


def test_ordered_effects_in_loops_branches_and_calls_keep_their_order():
    seen = []

    def note(i):
        G.debug.callback(lambda v: seen.append(int(v)), i, ordered=True)

    def body(i, x):
        note(i)
        return G.lax.cond(i % 2 == 0, lambda: (note(i + 100), x + 1)[1], lambda: x)

    def f(x):
        note(-1)
        x = G.jit(lambda x: G.lax.fori_loop(0, 6, body, x))(x)
        note(-2)
        return x
    assert int(G.jit(f)(0)) == 3
    G.effects_barrier()
    assert seen == [-1, 0, 100, 1, 2, 102, 3, 4, 104, 5, -2]


def test_effects_around_rolled_loops_and_blocks_keep_their_order(monkeypatch):
    monkeypatch.setattr(cost, "WORTHWHILE", 0.01)
    monkeypatch.setattr(cost, "PER_LOOP", 0.0)
    seen = []

    def note(i, v):
        G.debug.callback(lambda v: seen.append((i, float(v))), v, ordered=True)

    def f(ps, c):
        note("before", c[0])
        for _ in range(30):
            c = jnp.sin(c) * 0.5 + 1
        note("between", c[0])
        for n, (a, b) in enumerate(ps):
            for _ in range(8):
                c = jnp.tanh(a @ c + b) * 0.5 + c
            note(n, c[0])
        for _ in range(30):
            c = jnp.cos(c) * 0.25
        note("behind", c[0])
        return c
    ps, c = [(normal(8, 8), normal(8)) for _ in range(4)], normal(8)
    _, found = reports(f, ps, c)
    assert len(found) >= 3
    G.jit(f)(ps, c)
    G.effects_barrier()
    rolled, seen[:] = list(seen), []
    with settings.roll("off"), settings.outline("off"):
        G.jit(lambda *a: f(*a))(ps, c)
        G.effects_barrier()
    assert [i for i, _ in rolled] == [i for i, _ in seen] == ["before", "between", *range(4), "behind"]
    np.testing.assert_allclose([v for _, v in rolled], [v for _, v in seen], rtol=1e-5)


def test_what_is_donated_to_a_rolled_program_is_taken_over():
    def f(w, c, table):
        for i in range(100):
            c = jnp.sin(c @ w)
            table = table.at[i].set(c[0])
        return c, table
    table = jnp.zeros((100, 8)) + 1
    want = G.jit(f)(W, C, table)
    donating = G.jit(f, donate_argnums=(1, 2))
    header = donating.lower(W, C, table).compile().as_text().split("\n")[0]
    assert header.count("alias)") == 2
    c = jnp.asarray(C) + 0
    got = donating(W, c, table)
    assert c.is_deleted() and table.is_deleted()
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(a, b)
    text = str(G.explain(donating)(W, C, jnp.zeros((100, 8))))
    assert "rolled 100 steps" in text and "donation that did not happen" not in text


def test_report_only_and_off():
    f = carried(100)
    with settings.roll("report"), settings.outline("report"):
        made, found = optimised(program(f, W, C))
        assert [r.kind for r in found] == ["roll"] and len(made.eqns) == 200
    with settings.roll("off"), settings.outline("off"):
        made, found = optimised(program(f, W, C))
        assert found == () and len(made.eqns) == 200


def test_under_vmap_and_inside_other_programs():
    batched = G.vmap(carried(60), (None, 0))
    compare(batched, W, normal(3, 8, 8))

    def inside(w, c):
        return G.lax.cond(c.sum() > 1e6, lambda: c, lambda: carried(60)(w, c))
    _, found = reports(inside, W, C)
    assert [r.kind for r in found] == ["roll"]
    compare(inside, W, C)


def test_a_recurrence_over_two_steps_keeps_its_meaning():
    def f(a, b):
        for _ in range(200):
            a, b = b, jnp.sin(a) + b * 0.5
        return a, b
    compare(f, C, C)


def test_carries_that_change_places_are_rolled_over_several_steps():
    def f(a, b, c):
        for _ in range(120):
            a, b, c = b, c, jnp.sin(a) + b * 0.5
        return a, b, c
    made, found = reports(f, C, C.T, C + 1)
    assert [(r.kind, r.count) for r in found] == [("roll", 40)] and len(made.eqns) < 10
    compare(f, C, C.T, C + 1, rtol=1e-5)


def test_a_loop_whose_steps_are_loops_over_a_list_is_rolled_as_a_whole():
    """The short period of the inner loop shows in bits that line up by themselves; the outer one saves more."""
    def edit_distance(a, b):
        before = [jnp.int32(j) for j in range(25)]
        for i in range(24):
            row = [jnp.int32(i + 1)]
            for j in range(24):
                row.append(jnp.minimum(jnp.minimum(before[j + 1] + 1, row[j] + 1), before[j] + (a[i] != b[j])))
            before = row
        return before[-1]

    def viterbi(steps, scores):
        v = [scores[s, 0] for s in range(4)]
        for t in range(30):
            best = []
            for s in range(4):
                m = v[0] + steps[0, s]
                for p in range(1, 4):
                    m = jnp.maximum(m, v[p] + steps[p, s])
                best.append(m + scores[s, t % 2])
            v = best
        return jnp.stack(v)

    a, b = np.random.default_rng(0).integers(0, 4, (2, 24)).astype("i4")
    made, found = reports(edit_distance, a, b)
    assert found[0].kind == "roll" and found[0].count == 24 and len(made.eqns) < 100
    want = np.arange(25)
    for i in range(24):
        row = [i + 1]
        for j in range(24):
            row.append(min(want[j + 1] + 1, row[j] + 1, want[j] + (a[i] != b[j])))
        want = row
    assert int(G.jit(edit_distance)(a, b)) == want[-1]
    made, found = reports(viterbi, normal(4, 4), normal(4, 2))
    assert [(r.kind, r.count) for r in found] == [("roll", 30)]
    steps, scores = normal(4, 4), normal(4, 2)
    want = scores[:, 0]
    for t in range(30):
        want = (want[:, None] + steps).max(0) + scores[:, t % 2]
    np.testing.assert_array_equal(G.jit(viterbi)(steps, scores), want)      # left as it is, the compiler's code takes exponential time


def test_keys_given_step_by_step():
    def f(c, key):
        for k in G.random.split(key, 40):
            c = jnp.sin(c) + G.random.uniform(k, (8, 8))
        return c
    made, found = reports(f, C, G.random.key(0))
    assert [(r.kind, r.count) for r in found] == [("roll", 40)]
    compare(f, C, G.random.key(0))


def test_a_value_from_two_steps_back_is_not_mistaken_for_the_carry():
    def f(x):
        xs = [x, jnp.cos(x)]
        for _ in range(200):
            xs.append(jnp.sin(xs[-1]) * xs[-2])
        return xs[-1]
    compare(f, C)


@pytest.mark.parametrize("total, period, count, copied, stacked, other, want", [
    (10_000, 2, 5_000, 0, 0, {}, "roll"), (3_000, 120, 12, 2e8, 2e8, {}, "outline"), (3_000, 120, 12, 2e6, 2e6, {}, "roll"),
    (40, 2, 20, 0, 0, {}, None), (3_000, 120, 24, 1e10, 1e10, {}, "outline"),
    (3_000, 120, 12, 2e6, 2e6, {"moves": 110}, "outline"),           # layers whose weights and residuals would have to be stacked
    (10_000, 100, 48, 2e6, 2e6, {"moves": 40}, "roll"),             # but many of them
    (3_800, 118, 5, 2e6, 2e6, {"moves": 36, "again": 31, "kernel": 0.045}, None),     # few, of kernels that are there anyway: a ResNet
    (340, 10, 30, 240, 240, {"moves": 2, "pieces": 60}, "roll"),
    (40, 0.25, 30, 240, 240, {"moves": 2, "pieces": 60}, None),     # a row of a table of single numbers, kept in a list
    (10_000, 2, 5_000, 0, 0, {"may_roll": False}, None), (3_000, 120, 12, 2e6, 2e6, {"may_outline": False}, "roll")])
def test_the_cost_model_decides(total, period, count, copied, stacked, other, want):
    assert choose(total, period, count, copied, stacked, **other) == want


def test_single_numbers_count_less_than_arrays():
    def knapsack(values):
        best = [jnp.float32(0)] * 31
        for i, w in enumerate([1, 4, 2, 3, 1, 2, 4, 3]):
            for c in range(30, w - 1, -1):
                best[c] = jnp.maximum(best[c], best[c - w] + values[i])
        return best[30]
    assert not reports(knapsack, normal(8))[1]          # a loop over each row would take longer to compile than the rows

    def logistic(n):
        def f(x):
            for _ in range(n):
                x = 3.7 * x * (1 - x)
            return x
        return f
    x = np.float32(0.3)
    assert not reports(logistic(100), x)[1] and [r.kind for r in reports(logistic(1000), x)[1]] == ["roll"]
    assert [r.kind for r in reports(logistic(100), x[None].repeat(64))[1]] == ["roll"]


def test_what_is_the_same_in_every_step_is_computed_once_before_the_scan():
    def f(w, x):
        outs = []
        for _ in range(200):
            mask = jnp.tril(jnp.ones((3, 3)))
            x = jnp.tanh(x @ (w * mask)) + jnp.sin(x) * jnp.sin(x)
            outs += [mask.sum(), x.sum(), jnp.sum(x)]
        return x, outs
    made, _ = optimised(program(f, W[:3, :3], W[:3, :3]))
    loop, = [e for e in made.eqns if e.op.op_name == "scan"]
    names = [e.op.op_name for e in loop.op.jaxpr.eqns]
    assert names.count("sin") == names.count("reduce_sum") == 1 and "select_n" not in names and "iota" not in names
    assert len(loop.outs) == 2 and set(loop.op.jaxpr.invars) <= {v for e in loop.op.jaxpr.eqns for v in e.ins}
    compare(f, W[:3, :3], W[:3, :3])


def test_loops_with_long_bodies_on_small_arrays_are_compiled_by_the_quicker_code_generator():
    def loop(n, last=lambda x: x):
        def step(x, _):
            for i in range(n):
                x = jnp.sin(x) if i % 3 else jnp.cos(x) * i
            return last(x), None
        return lambda x: G.lax.scan(step, x, None, 3)[0]
    with settings.roll("off"), settings.outline("off"):
        assert prefers_quick(program(loop(200), jnp.zeros(8)))
        assert not prefers_quick(program(loop(20), jnp.zeros(8)))
        assert not prefers_quick(program(loop(200), jnp.zeros(1_000_000)))
        assert not prefers_quick(program(loop(200, lambda x: x.at[jnp.zeros(2_000_000, int)].add(1.0)), jnp.zeros(8)))
        f, x = G.jit(loop(200)), jnp.linspace(0, 1, 8)
        slow = G.jit(loop(200), compiler_options=NEWER)
        assert f(x).tolist() == slow(x).tolist()


def chance(n):
    """Equations with no order in them."""
    def f(w, c):
        random, vs = np.random.default_rng(0), [c, w]
        for which, a, b in random.integers(0, [3, 2 ** 30, 2 ** 30], (n, 3)):
            a, b = vs[-1 - a % min(len(vs), 9)], vs[b % len(vs)]
            vs.append(jnp.sin(a) if which == 0 else a + b if which == 1 else a * 2.0)
        return vs[-1]
    return f


def from_behind(n):
    """A loop whose steps reach back to an earlier step, each to another, in turns of seven."""
    return reaching([i % 7 for i in range(n // 2)])


def anywhere(n):
    """A loop whose steps reach back to any of seven steps."""
    return reaching(np.random.default_rng(0).integers(0, 7, n // 2).tolist())


def reaching(back):
    def f(w, c):
        vs = [c] * 8
        for i in back:
            vs.append(jnp.sin(vs[-1]) + vs[-1 - i])
        return vs[-1]
    return f


def moving(n):
    """A loop that reads and writes at places that move."""
    def f(w, c):
        table = jnp.zeros((n // 4, 8))
        for i in range(1, n // 10):
            table = table.at[i].set(jnp.sin(table[i - 1]) + table[n // 4 - i:n // 4 - i + 1][0])
        return table
    return f


def blocks(n):
    """Layers with weights of their own, too large to be stacked."""
    def f(w, c):
        for v in jnp.split(jnp.zeros((n // 12 * 1024, 1024)), n // 12):
            c = jnp.tanh(jnp.tanh(c @ v) @ v.T + c) * 0.5 + jnp.sin(c) * jnp.cos(c)
        return c
    return lambda w, c: f(w, jnp.zeros((1, 1024)))


def steps(run):
    """How many lines of Python a call runs, each turn of a loop or comprehension counted."""
    count = 0

    def line(frame, event, arg):
        nonlocal count
        count += event == "line"
        return line
    before = sys.gettrace()
    sys.settrace(line)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("make, kind", [
    (chance, None), (anywhere, None), (from_behind, "roll"), (lambda n: carried(n // 2), "roll"), (moving, "roll"), (blocks, "outline"),
    (lambda n: G.grad(lambda w, c: carried(n // 6)(w, c).sum()), "roll")],
    ids=["chance", "anywhere", "from behind", "loop", "moving", "blocks", "grad"])
def test_finding_and_rewriting_repeats_takes_linear_time(make, kind):
    def counted(n):
        made = program(make(n), W, C)
        made.memo.clear()
        taken = steps(lambda: compile_repeats_once(made))
        assert {r.kind for r in compile_repeats_once(made)[1]} == ({kind} if kind else set())
        return taken / len(made.eqns)
    assert counted(4_000) < 1.5 * counted(1_000)


def test_few_moves_and_comparisons_are_compiled_by_the_quicker_code_generator():
    def f(x):
        order = jnp.argsort(x, axis=0)
        return jnp.cumsum(jnp.where(x > 0, x + 1, jnp.flip(x)), 0), x.argmax(1), G.lax.top_k(x, 2), order
    x = jnp.asarray([[1.5, -0.0, jnp.nan], [0.1, 0.0, -3.0]], jnp.float32)
    for dtype in ("float32", "bfloat16", "int8"):
        y = (jnp.where(jnp.isnan(x), 7, x) if dtype == "int8" else x).astype(dtype)
        fast, slow = G.jit(f)(y), G.jit(f, compiler_options=NEWER)(y)
        assert prefers_quick(program(lambda x: (jnp.cumsum(x, 0), x > 0, x.argmax(1)), y))
        assert [np.asarray(v).tobytes() for v in G.tree.leaves(fast)] == [np.asarray(v).tobytes() for v in G.tree.leaves(slow)]
    assert not prefers_quick(program(lambda x: jnp.log(x) + 1, x))
    assert not prefers_quick(program(lambda x: x > 0, jnp.zeros(5000)))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32"])
def test_vectors_that_cores_cannot_share_evenly_are_compiled_by_the_other_code_generator(dtype, monkeypatch):
    monkeypatch.setattr(cost, "CORES", 4)
    n = 2 ** 20

    def f(x):
        return x[1:] * x[:-1] - x[1:], jnp.where(x > 0, x, 2 * x)
    for size, uneven in ((n, True), (n + 1, True), (2 ** 14 + 1, False)):
        x = jnp.asarray(np.random.default_rng(0).integers(-50, 50, size), dtype) / jnp.asarray(4, dtype)
        x = x.astype(dtype)
        assert prefers_quick(program(f, x)) == uneven
        for a, b in zip(G.jit(f)(x), G.jit(f, compiler_options=NEWER)(x)):
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
    assert not prefers_quick(program(lambda x: x * 2, jnp.zeros(n)))
    assert not prefers_quick(program(lambda x: x * 2, jnp.zeros((4, n + 1))))
    assert not prefers_quick(program(lambda x: jnp.sin(x), jnp.zeros(n + 1)))
    assert not prefers_quick(program(lambda x: x.at[0].add(jnp.sum(x)), jnp.zeros(n + 1)))
