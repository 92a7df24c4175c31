"""What rolled loops and outlined blocks round as: bit for bit what is written where the compiler fuses nothing; where it does, it joins
a product and a sum into one rounding as each fusion lets it, and a step differs by that alone."""
from __future__ import annotations

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon.base import settings
from gnomon.base.settings import config
from gnomon.ir.jaxpr import intern
from gnomon.passes import cost
from gnomon.passes.pipeline import optimised
from gnomon.run import programs
from gnomon.run.xla import QUICK_COMPILE
from gnomon.trace.stage import bind

rng = np.random.default_rng(0)


def normal(*shape, scale=1.0):
    return (scale * rng.normal(size=shape)).astype("f4")


def moments(p, m, v, g, first, second):
    """A step of Adam with the factors that correct its moments."""
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p - 0.01 * (m / first) / (jnp.sqrt(v / second) + 1e-8), m, v


def adam(p, m, v, gs):
    kept = []
    for t in range(1, 21):
        p, m, v = moments(p, m, v, gs[t], 1 - 0.9 ** t, 1 - 0.999 ** t)
        kept.append((p, m, v))
    return kept


def layers(ps, x):
    @G.checkpoint
    def layer(p, x):
        h = jnp.tanh(x @ p["a"]) @ p["b"]
        return x + (h - h.mean(-1, keepdims=True)) / 3.0 * p["g"]
    for p in ps:
        x = layer(p, x)
    return (x ** 2).mean()


# no sum of numbers of opposite signs: units in the last place say something of every result
ADAM = (-np.abs(normal(8)), np.abs(normal(8)), np.abs(normal(8)), np.abs(normal(21, 8)))
LAYERS = ([{"a": normal(6, 8, scale=0.4), "b": normal(8, 6, scale=0.4), "g": normal(6)} for _ in range(14)], normal(2, 6))


@pytest.fixture
def one_generator(monkeypatch):
    for name in ("WORTHWHILE", "PER_STEP", "PER_CALL", "PER_COPY", "PER_KERNEL", "PER_KERNEL_SLOW", "PER_LOOP", "PER_PIECE"):
        monkeypatch.setattr(cost, name, 0.0)
    monkeypatch.setattr(cost, "RUNS", 0)
    monkeypatch.setattr(programs, "quickened", lambda plan, made: plan)


def op_by_op(f, args):
    """The results of a program whose equations are run one at a time."""
    closed = G.make_jaxpr(f)(*args)
    values = dict(zip(closed.jaxpr.invars, map(jnp.asarray, G.tree.leaves(args))))
    values.update(zip(closed.jaxpr.constvars, closed.consts))

    def value(v):
        return values[v] if v in values else jnp.asarray(v.value, v.type.dtype)
    for e in closed.jaxpr.eqns:
        outs = bind(e.op, *map(value, e.ins))
        values.update(zip(e.outs, outs if e.op.multiple else [outs]))
    return [value(v) for v in closed.jaxpr.outvars]


@pytest.mark.parametrize("f, args, how", [(adam, ADAM, "roll"), (G.grad(layers), LAYERS, "roll"), (G.grad(layers), LAYERS, "outline")],
                         ids=["adam", "layers rolled", "layers outlined"])
def test_bit_for_bit_what_is_written_where_nothing_is_fused(f, args, how, one_generator):
    config.update("disable_most_optimizations", True)
    try:
        with settings.roll("on" if how == "roll" else "off"):
            _, reports = optimised(intern(G.make_jaxpr(f)(*args).jaxpr.closed()))
            assert how in {r.kind for r in reports}
            got = G.tree.leaves(G.jit(lambda *a: f(*a))(*args))
        want = op_by_op(f, args)
    finally:
        config.update("disable_most_optimizations", False)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_step_of_a_rolled_loop_is_within_two_ulp_of_one_compiled_alone(one_generator):
    kept = G.jit(adam)(*ADAM)
    *before, gs = ADAM
    step, worst = G.jit(moments), 0.0
    for t, after in enumerate(kept, 1):
        alone = step(*before, gs[t], 1 - 0.9 ** t, 1 - 0.999 ** t)
        worst = max(worst, *[float(np.max(np.abs(np.asarray(a) - b) / np.spacing(np.abs(a)))) for a, b in zip(after, alone)])
        before = after
    assert worst <= 2


def test_the_compiler_itself_simplifies_with_the_numbers_of_unrolled_steps(one_generator):
    """Why an unrolled loop may drift from a rolled one: two factors that are numbers of the program are joined before the product is taken.
    In a rolled loop a number per step is a value, and products round one after the other, as written."""
    x = normal(1000)

    def scaled(x):
        for i in range(40):
            x = abs(x * (1.1 + 0.07 * i) * 0.3)
        return x
    want = x
    for i in range(40):
        want = abs(want * np.float32(1.1 + 0.07 * i) * np.float32(0.3))
    with settings.roll("off"), settings.outline("off"):
        plain = np.asarray(G.jit(lambda x: scaled(x))(x))
    np.testing.assert_array_equal(G.jit(lambda x: scaled(x))(x), want)
    if QUICK_COMPILE:       # jaxlib 0.10; the compiler of 0.12 leaves the factors apart
        assert (plain != want).any()
