"""Why a function was traced again, programs shown in other ways, and what a slow compile says."""
from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp


def here(report):
    return [str(t) for t in report]


def test_each_trace_says_which_argument_differed_and_how():
    @G.jit
    def step(p, x, n=1):
        return p["w"] * x * n
    w, x = jnp.ones(3), jnp.ones(3)
    for args in (({"w": w}, x), ({"w": w}, jnp.ones((2, 3))), ({"w": w.astype(jnp.float16)}, x), ({"w": w}, 2.0), ({"w": w, "b": w}, x)):
        step(*args)
    step({"w": w}, x, n=x)
    first, shape, dtype, weak, gone, new = step.cache_report()
    assert first.reasons == () and first.number == 1 and "first trace" in str(first)
    assert shape.reasons == ("argument x changed in shape from float32[3] to float32[2,3]",)
    assert dtype.reasons == ("argument p['w'] changed in dtype from float32[3] to float16[3]",)
    assert "argument x changed" in weak.reasons[0] and "argument p['b'] is new" in gone.reasons and "argument n is new" in new.reasons
    assert all(t.place.split(":")[0].endswith("test_retraces.py") and t.seconds > 0 for t in step.cache_report())
    assert re.fullmatch(r"6 traces, [0-9.]+ ms in all", str(step.cache_report()).splitlines()[-1])
    assert here(G.explain_retraces())[-6:] == here(step.cache_report())
    step({"w": w}, x)
    assert len(step.cache_report()) == 6         # known already
    static = G.jit(lambda x, k: x * k, static_argnums=1)
    static(x, 2), static(x, 3)
    assert static.cache_report()[1].reasons == ("static argument k changed from 2 to 3",)


def test_a_function_that_is_jitted_anew_each_time_is_told_so():
    x, before = jnp.ones(3), len(G.explain_retraces())
    for _ in range(3):
        G.jit(lambda x: x * 3.0)(x)
    G.explain(G.jit(lambda x: x * 4.0))(x)      # is no call
    first, second, third = G.explain_retraces()[before:]
    assert first.reasons == () and "<lambda> of test_retraces.py:" in second.reasons[0] and "by another call of jit" in second.reasons[0]
    assert "by 2 other calls of jit" in third.reasons[0] and third.reasons[0].endswith("Call jit once, outside, and keep what it returns")
    apply = G.jit(lambda f, x: f(x), static_argnums=0)
    for _ in range(2):
        apply(lambda x: x + 1, x)
    assert apply.cache_report()[1].reasons[0].startswith("static argument f is another function object of the same code (<lambda> at test_re")
    apply(jnp.sin, x)
    assert "static argument f changed from" in apply.cache_report()[2].reasons[0]


def test_structures_that_differ_without_another_name():
    f = G.jit(lambda x, y=1.0: y)
    f([jnp.ones(2)], 2.0), f((jnp.ones(2),), 2.0), f((jnp.ones(2),), y=2.0)
    _, kind, by_name = f.cache_report()
    assert kind.reasons == ("the structure of argument x changed from PyTreeDef([*]) to PyTreeDef((*,))",)
    assert by_name.reasons == ("argument y is now given by name, before by position: give them in one way",)


def test_the_record_is_bounded():
    f = G.jit(lambda x, n: x, static_argnums=1)
    for n in range(300):
        f.trace(1.0, n)
    assert len(f.cache_report()) == 256 and f.cache_report()[-1].number == 300


def test_max_traces_is_a_number_from_1_on():
    for bad in (0, -1, True):
        with pytest.raises(ValueError, match=re.escape(f"jit takes a number of traces from 1 on, or None, as max_traces, got {bad!r}.")):
            G.jit(lambda x: x, max_traces=bad)
    for bad in ("a", 1.5):
        with pytest.raises(TypeError, match="jit takes an integer max_traces, got"):
            G.jit(lambda x: x, max_traces=bad)


def test_max_traces_raises_with_the_reason():
    @G.jit(max_traces=2)
    def f(x, y):
        return x + y
    f(jnp.ones(2), 1.0), f(jnp.ones(3), 1.0), f(jnp.ones(2), 2.0)
    with pytest.raises(RuntimeError, match=re.escape("f may be traced 2 times (max_traces) and this call needs one more: argument x changed in "
                                                     "shape from float32[3] to float32[4].")):
        f(jnp.ones(4), 1.0)
    assert f(jnp.ones(3), 5.0)[0] == 6 and len(f.cache_report()) == 2


def test_programs_are_shown_with_weak_types_lines_shapes_and_folded():
    def f(x, s):
        y = jnp.sin(x) * s      # line one
        return G.lax.scan(lambda c, v: (jnp.sin(c * v) + jnp.cos(v) * v, c), y, jnp.stack([y, y]))
    jaxpr = G.make_jaxpr(f)(np.ones(3, "f4"), 2.0)
    plain, weak = str(jaxpr), jaxpr.show(weak=True)
    assert "b:f32[]" in plain and "*" not in plain and "b:f32[]*" in weak and "a:f32[3] " in weak
    lines = jaxpr.show(source=True).splitlines()
    assert sum("# " in x and "test_retraces.py:" in x and "(f)" in x for x in lines) >= 3
    shapes = jaxpr.show(shapes=True)
    assert "a:[3]" in shapes and "f32" not in shapes.split("let")[0]
    folded = jaxpr.show(fold=True)
    assert "jaxpr=<5 equations>" in folded and len(folded.splitlines()) < len(plain.splitlines())
    assert jaxpr.jaxpr.pretty_print(weak=True) == weak


SLOW = """
import time
import gnomon as G
import gnomon.numpy as jnp
from gnomon.run import compile as compiling, slow
slow.PATIENCE = 0.3
real = compiling.compile
def late(text, plan):
    time.sleep(1.3)
    return real(text, plan)
compiling.compile = late
def f(c):
    for _ in range(60):
        c = jnp.sin(c) * 1.5
    return c
with G.base.settings.roll("off"), G.base.settings.outline("off"):
    G.jit(f)(jnp.ones(3))
"""


def test_a_slow_compile_says_what_it_is_and_shows_progress_on_a_terminal(tmp_path):
    script = tmp_path / "slow_script.py"
    script.write_text(SLOW)
    where = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(G.__file__))}
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, str(script)], stdout=theirs, stderr=theirs, env=where)
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 4096):
            seen += chunk
    except OSError:         # the other end is closed
        pass
    assert process.wait() == 0
    text = seen.decode()
    assert "gnomon: compiling f (120 equations) takes more than" in text
    assert "120 of them come from slow_script.py:14. If that is a Python loop, lax.scan or lax.fori_loop compiles its body once" in text
    assert len(re.findall(r"\r  [|/\\-] compiling f: \d+ s ", text)) >= 2 and re.search(r"\r  compiled f in \d+\.\d s", text)
    piped = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=where)
    assert piped.returncode == 0 and "takes more than" in piped.stderr and "\r" not in piped.stderr and piped.stdout == ""
