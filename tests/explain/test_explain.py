"""explain: lines, work, stages, repeats and cliffs; the page is self-contained and works in a browser."""
from __future__ import annotations

import colorsys
import functools
import html.parser
import json
import linecache
import re
import shutil
import subprocess

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import __main__ as command
from gnomon import lax
from gnomon.api.explain import explain
from gnomon.run import slow


def kinds(report):
    return [c.kind for c in report.cliffs]


def line_of(report, part):
    return next(x for x in report.lines if part in x.text)


def model(x, w):
    h = jnp.tanh(x @ w)     # the product
    unused = h @ h.T        # dead
    del unused
    return h.sum()


X, W = np.ones((64, 32), "f4"), np.ones((32, 48), "f4")


def test_work_is_counted_by_line():
    report = explain(model)(X, W)
    line = line_of(report, "# the product")
    assert line.flops == 2 * 64 * 32 * 48 + 64 * 48 and len(line.equations) == 2
    assert list(report.stages) == ["trace", "optimise", "write", "compile"] and all(s > 0 for s in report.stages.values())
    assert report.cost["flops"] > 0 and report.equations == 5
    assert json.loads(json.dumps(report.to_dict()))["name"] == "model"


def test_dead_work_names_its_line():
    dead = [c for c in explain(model)(X, W).cliffs if c.kind == "dead work"]
    assert len(dead) == 1 and "# dead" in open(dead[0].file).readlines()[dead[0].line - 1]
    assert "flops" in dead[0].cost and dead[0].edit == "Drop the code that computes them"


def test_loops_are_rolled_or_told():
    def loop(c, n):
        for _ in range(n):
            c = jnp.sin(c) * 2.0
        return c
    long = explain(lambda c: loop(c, 300))(X)
    assert str(long.repeats[0]).startswith("rolled 300 steps of the loop at test_explain.py:") and kinds(long) == []
    short = explain(lambda c: loop(c, 20))(X)
    assert short.repeats == () and kinds(short) == ["unrolled loop left alone"]
    assert re.fullmatch(r"20 repeats of 2 equations, about \d\S* s of compile time", short.cliffs[0].cost) and "c = jnp.sin(c)" in text_at(short.cliffs[0])
    assert short.cliffs[0].edit == "Write it as lax.scan or lax.fori_loop if it grows"


def test_both_branches_are_paid_for_under_vmap():
    f = G.vmap(lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x))
    told = of_kind(explain(f)(np.array([True, False]), np.ones(2, "f4")), "both branches are paid for")
    assert "(16 B are computed for 8 B)" in told[0].cost and told[0].edit.startswith("Keep the predicate unmapped (in_axes=None)")
    g = G.vmap(lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), (None, 0))
    assert "both branches are paid for" not in kinds(explain(g)(True, np.ones(2, "f4")))


def test_promotion_narrowing_wraparound_constants_callbacks_and_weak_arguments():
    half = np.ones((64, 64), np.float16)
    assert kinds(explain(lambda a: a + X.repeat(2, 1))(half)) == ["implicit promotion"]
    assert kinds(explain(lambda a: a.astype(jnp.float32) * 2)(half)) == []
    narrowed = explain(lambda a: a + np.arange(3))(np.ones(3, "f4"))
    assert any("int64" in s and "int32" in s for s, _ in narrowed.announced)
    wrapped = explain(lambda a: a + 300)(np.ones(3, np.uint8))
    assert any("wraps around to 44" in s for s, _ in wrapped.announced)
    big = jnp.ones((1024, 1024))
    assert kinds(explain(lambda a: a @ big)(np.ones((2, 1024), "f4"))) == ["large constant captured"]
    told = explain(lambda a: G.debug.callback(print, a) or a)(X).cliffs
    assert [str(c).partition(": ")[2] for c in told] == ["host transfer: the program stops here to call Python, with 8.19 kB copied to the host and "
                                                         "back. Leave it out of code that runs often, or compute with gnomon.numpy"]
    weak = explain(lambda a, s: a * s)(half, 2.0)
    assert kinds(weak) == ["weakly typed argument"] and "argument s is a Python number (float32[]" in weak.cliffs[0].cost
    assert kinds(explain(lambda a, s: a * s)(X, 2.0)) == kinds(explain(lambda a, s: a * s)(half, np.float16(2))) == []


def test_programs_without_the_cliff_are_not_blamed():
    """The good program beside each bad one of the test above."""
    half = np.ones((64, 64), np.float16)
    assert kinds(explain(lambda a: a + X.repeat(2, 1).astype(np.float16))(half)) == []
    for good in (lambda a: a + np.arange(3, dtype=np.int32), lambda a: a + 200):
        assert explain(good)(np.ones(3, np.uint8)).announced == []
    assert kinds(explain(lambda a, b: a @ b)(np.ones((2, 1024), "f4"), jnp.ones((1024, 1024)))) == []
    assert kinds(explain(lambda x: x[3:11])(X)) == kinds(explain(lambda x, i: x[i])(X, np.array([3, 1], "i4"))) == []
    assert kinds(explain(lambda x: jnp.tanh(x).sum())(X)) == []


def test_a_gather_of_consecutive_rows_is_told():
    told = of_kind(explain(lambda x: x[jnp.arange(8) + 3])(X), "gather that could be a slice")
    assert told[0].cost == "consecutive indices from arange pick 1.02 kB from an operand of type float32[64,32], one index at a time"
    assert told[0].edit == "Index with a slice, x[start:stop]"
    told = of_kind(explain(lambda x, y: x.at[jnp.arange(8) + 3].set(y))(X, X[:8]), "scatter that could be a slice")
    assert told[0].cost == "consecutive indices from arange write 1.02 kB to an operand of type float32[64,32], one index at a time"
    assert told[0].edit == "Write to a slice, as in x.at[start:stop].set(y)"
    assert kinds(explain(lambda x, y: x.at[3:11].set(y))(X, X[:8])) == []


def test_measured_time():
    assert explain(model, measure=True)(X, W).measured_seconds > 0


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.urls, self.tags, self.lines = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.urls += [v for k, v in attributes if k in ("src", "href", "action", "data")]
        self.lines += [v for k, v in attributes if k == "data-line"]


def test_the_page_is_self_contained(tmp_path):
    report = explain(G.grad(model, 1))(X, W)
    path = tmp_path / "report.html"
    text = report.html(path)
    assert path.read_text() == text
    reader = Reader()
    reader.feed(text)
    assert reader.urls and all(u.startswith("#") for u in reader.urls)
    assert not re.search(r"https?://|@import|url\(", text)
    assert reader.tags.count("details") >= 2 and "svg" in reader.tags
    at = f"{report.lines[0].file.rsplit('/', 1)[-1]}:{report.lines[0].line}"
    assert reader.lines.count(at) == 1 + len([e for e in report.jaxpr.eqns if e.place and at.endswith(f":{_line(e)}")])


def _line(e):
    return G.base.source.file_line(e.place)[1]


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_the_page_works_in_a_browser(tmp_path):
    path = tmp_path / "report.html"
    text = explain(model)(X, W).html()
    probe = """<script>
      const folded = document.getElementById('equations'), before = folded.open;
      document.querySelector('#lines tr[data-line]').click();
      document.title = [before, folded.open, document.querySelectorAll('.eqn.lit').length, performance.getEntriesByType('resource').length].join();
    </script>"""
    path.write_text(text.replace("</body>", probe + "</body>"))
    dom = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                          "--disable-background-networking", "--disable-component-update", "--disable-sync",
                          f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", path.as_uri()],
                         capture_output=True, text=True, timeout=120).stdout
    before, after, lit, requests = re.search(r"<title>(.*?)</title>", dom)[1].split(",")
    assert (before, after, requests) == ("false", "true", "0") and int(lit) >= 1


def test_from_the_command_line(tmp_path, capsys):
    script = tmp_path / "script.py"
    script.write_text("import gnomon.numpy as jnp\n\n\ndef f(x, n):\n    return jnp.sin(x).sum() * n\n")
    command.main(["explain", f"{script}:f", "--args", "float32[3,4]", "2.0", "--html", str(tmp_path / "page.html")])
    out = capsys.readouterr().out
    assert "f(x: float32[3,4], n: float32[]): 3 equations" in out and "no cliffs found" in out
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


# ---- what the backward pass keeps, donation, movement between devices ---------------------------------------------------

def deep(w, x):
    def block(x):
        return jnp.tanh(jnp.sin(x @ w))     # kept
    for _ in range(3):
        x = block(x)
    return x.sum()


def of_kind(report, kind):
    return [c for c in report.cliffs if c.kind == kind]


def text_at(cliff):
    return open(cliff.file).readlines()[cliff.line - 1]


def test_what_the_backward_pass_keeps_is_told_by_line_with_the_edit():
    w, x = G.ShapeDtypeStruct((256, 256), "f4"), G.ShapeDtypeStruct((512, 256), "f4")
    kept = of_kind(explain(G.grad(deep))(w, x), "kept for the backward pass")
    assert "# kept" in text_at(kept[0]) and "of float32[512,256]" in kept[0].cost
    assert kept[0].edit.startswith("Wrap block in gnomon.checkpoint: ")
    again = of_kind(explain(G.value_and_grad(deep))(w, x), "kept for the backward pass")
    assert again == kept            # also where the gradient is known from before
    assert of_kind(explain(G.jit(lambda w, x: G.vjp(deep, w, x)[1](np.float32(1))))(w, x), "kept for the backward pass") == kept
    good = explain(G.grad(G.checkpoint(deep)))(w, x)
    assert not of_kind(good, "kept for the backward pass")
    small = explain(G.grad(deep))(np.ones((4, 4), "f4"), np.ones((4, 4), "f4"))
    assert not of_kind(small, "kept for the backward pass")


def test_donation_that_did_not_happen_names_the_argument():
    def f(p, n):
        return p["a"] * n, p["b"].sum()
    p = {"a": np.ones((8, 8), "f4"), "b": np.ones(1000, "f4")}
    found = of_kind(explain(G.jit(f, donate_argnums=0))(p, np.float32(2)), "donation that did not happen")
    assert [c.cost for c in found] == ["argument p['b'] is donated, but no result of type float32[1000] is left to take over its 4 kB"]
    good = explain(G.jit(lambda p, n: {k: v * n for k, v in p.items()}, donate_argnames="p"), measure=True)
    report = good(p, np.float32(2))
    assert not of_kind(report, "donation that did not happen") and report.measured_seconds > 0
    assert p["a"].sum() == 64


def test_shardings_that_move_data_are_told_by_line():
    mesh = G.make_mesh((4,), ("x",), axis_types=(G.sharding.AxisType.Auto,))

    def put(x, *spec):
        return G.device_put(x, G.NamedSharding(mesh, G.P(*spec)))

    def f(x, w):
        h = jnp.tanh(x @ w)     # meets
        return h.T @ h          # sums
    x, w = jnp.ones((8, 16)), jnp.ones((16, 16))
    found = of_kind(explain(G.jit(f))(put(x, "x"), put(w, "x")), "sharding that moves data")
    assert {(text_at(c).split("# ")[1].strip(), c.cost.split()[4]) for c in found} == {("meets", "all-gather"), ("sums", "all-reduce")}
    assert "(1.02 kB on each device)" in found[0].cost and "Shard the operands alike" in found[0].edit
    assert not of_kind(explain(G.jit(lambda x: jnp.tanh(x) * 2))(put(x, "x")), "sharding that moves data")


# ---- whatever the function ---------------------------------------------------------------------------------------------

def test_any_function_can_be_explained():
    x = jnp.ones((4, 4))
    assert explain(lambda: jnp.ones(3))().equations == 1
    assert explain(lambda x: x)(x).equations == 0 and "explain" not in str(explain(lambda x: x)(x))
    assert explain(lambda x, *, k, n: x[k:n], static_argnames=("k", "n"))(x, k=1, n=3).equations >= 1
    assert "n" not in explain(G.jit(lambda x, n: x ** n, static_argnums=1))(x, 3).signature.split(":")[0]
    report = explain(G.jit(G.vmap(G.grad(lambda p, x: (p["w"] * x).sum()), (None, 0))))({"w": x}, x)
    assert report.signature.startswith("p['w']: float32[4,4]") and report.equations > 0
    assert explain(functools.partial(lambda a, b: a + b, 1.0))(x).equations == 1
    assert explain(G.jit(lambda x: G.pure_callback(lambda v: v, x, x) * 2))(x).cliffs[0].kind == "host transfer"
    scope = {}
    exec("def made(x):\n    return x * 2 + 1", scope)        # its source is nowhere
    assert "(no line)" in str(explain(scope["made"])(x)) or "<string>:2" in str(explain(scope["made"])(x))
    with pytest.raises(TypeError, match="argument x has a leaf of type str"):
        explain(lambda x: x)("text")
    with pytest.raises(TypeError, match="explain needs a function, got int"):
        explain(3)
    with pytest.raises(TypeError, match="takes arrays, but was given a ShapeDtypeStruct"):
        explain(lambda x: x, measure=True)(G.ShapeDtypeStruct((2,), "f4"))
    f = G.jit(lambda x: x)
    explain(f)(x)
    assert len(f.cache_report()) == 0


def test_arguments_on_the_command_line_and_what_is_said_of_bad_ones(tmp_path, capsys):
    script = tmp_path / "script.py"
    script.write_text("import gnomon.numpy as jnp\nwidth = 3\n\n\ndef f(p, n=2, *, k=1):\n    return jnp.sin(p['w'])[:k].sum() * n\n")
    command.main(["explain", f"{script}:f", "--args", "{'w': f32[3,4]}", "n=int8[]", "k=width - 1", "--static", "k"])
    assert "f(p['w']: float32[3,4], n: int8[]): " in capsys.readouterr().out
    for given, said in [(["script.py"], "takes script.py:function, got script.py"), (["none.py:f"], "there is no file none.py"),
                        ([f"{script}:g"], "has no function g; it has f"), ([f"{script}:width"], "has no function width; it has f"),
                        ([f"{script}:f"], "f(p, n=2, *, k=1) cannot be called with --args : missing a required argument: 'p'"),
                        ([f"{script}:f", "--args", "float99[3]"], "the argument float99[3] is neither a type such as float32[8,4]"),
                        ([f"{script}:f", "--args", "n=1", "2"], "the argument 2 has no name, but follows one that has"),
                        ([f"{script}:f", "--args", "{'w': f32[2]}", "--html", str(tmp_path / "no" / "page.html")], "cannot be written")]:
        with pytest.raises(SystemExit, match=re.escape(said)):
            command.main(["explain", *given])


def test_equations_made_in_a_library_belong_to_the_line_that_called_it():
    def luma(x):
        return colorsys.rgb_to_yiq(x, x * 2, x)[0]      # the call
    report = explain(luma)(np.float32(0.5))
    assert [x.text.split("# ")[-1].strip() for x in report.lines] == ["the call"]
    jaxpr = G.make_jaxpr(lambda x: [luma(x) for _ in range(40)][-1])(np.float32(0.5)).jaxpr
    assert "compiling luma" in slow.describe(jaxpr, "luma") and "come from test_explain.py:" in slow.describe(jaxpr, "luma")


# ---- what is told, and what is not ---------------------------------------------------------------------------------------

def test_donation_that_could_happen_names_the_argument_and_its_bytes():
    def step(p, m, x):
        m = {k: 0.9 * m[k] + x.sum() for k in m}
        return {k: p[k] - 0.1 * m[k] for k in p}, m
    p = {"a": G.ShapeDtypeStruct((1024, 1024), "f4"), "b": G.ShapeDtypeStruct((512,), "f4")}
    x = G.ShapeDtypeStruct((8,), "f4")
    told = of_kind(explain(step)(p, p, x), "donation that could happen")
    assert [c.cost for c in told] == [
        f"argument {n} holds 4.2 MB of the types of results, and is not donated: before and after are in memory at once" for n in "pm"]
    assert told[0].edit == "Use jit(..., donate_argnames='p') where the caller does not use it again"
    assert not of_kind(explain(G.jit(step, donate_argnames=("p", "m")))(p, p, x), "donation that could happen")
    one = of_kind(explain(G.jit(step, donate_argnums=0))(p, p, x), "donation that could happen")
    assert [c.cost.split()[1] for c in one] == ["m"]
    big = G.ShapeDtypeStruct((1024, 1024), "f4")
    assert kinds(explain(lambda x, w: x @ w)(big, big)) == []       # which of the two is not for us to say
    small = {k: np.ones((4, 4), "f4") for k in "ab"}
    assert kinds(explain(step)(small, small, np.ones(8, "f4"))) == []


def test_what_lanes_of_vmap_keep_is_told_for_all_of_them():
    f = G.vmap(G.grad(lambda w, x: jnp.tanh(jnp.sin(x @ w)).sum()), (None, 0))
    w, x = G.ShapeDtypeStruct((64, 64), "f4"), G.ShapeDtypeStruct((200, 64, 64), "f4")
    kept = of_kind(explain(f)(w, x), "kept for the backward pass")
    assert [c.cost for c in kept] == ["6.55 MB of 6.55 MB are kept from here (2 of float32[64,64], in each of 200 lanes of vmap)"]


def test_what_a_loop_keeps_is_told_with_its_body():
    def rnn(w, xs):
        def cell(h, x):
            h = jnp.tanh(h @ w) * x
            return h, h
        return lax.scan(cell, xs[0], xs)[1].sum()
    kept = of_kind(explain(G.grad(rnn))(G.ShapeDtypeStruct((64, 64), "f4"), G.ShapeDtypeStruct((50, 64, 64), "f4")), "kept for the backward pass")
    assert kept[0].edit == "Wrap cell, the body of the loop, in gnomon.checkpoint: each step is computed again from its carry instead"


def test_ordinary_programs_have_no_cliffs():
    def classify(p, x, y):
        h = x
        for w in p[:-1]:
            h = G.nn.relu(h @ w)
        return -(G.nn.log_softmax(h @ p[-1]) * G.nn.one_hot(y, 4)).sum(-1).mean()

    def train(p, x, y):         # the value of the loss is dropped, by the gradient
        return G.tree.map(lambda a, g: a - 0.1 * g, p, G.grad(classify)(p, x, y))
    p = [G.ShapeDtypeStruct(s, "f4") for s in ((8, 16), (16, 16), (16, 4))]
    assert kinds(explain(train)(p, G.ShapeDtypeStruct((32, 8), "f4"), G.ShapeDtypeStruct((32,), "i4"))) == []

    def half(x):                # a mean is exact by itself
        return x.mean(-1) + jnp.var(x, -1) + G.nn.softmax(x).sum(-1)
    assert kinds(explain(half)(G.ShapeDtypeStruct((64, 64), "bfloat16"))) == []

    def update(p, key, x):      # in the manner of PPO: rows picked in chance order, a clipped ratio, a norm
        def one(p, rows):
            def loss(p):
                r = jnp.exp(x[rows] @ p)
                return -jnp.minimum(r, jnp.clip(r, 0.8, 1.2)).mean()
            value, g = G.value_and_grad(loss)(p)
            return p - 0.1 * g * jnp.minimum(1.0, 0.5 / (jnp.linalg.norm(g) + 1e-6)), value
        return lax.scan(one, p, G.random.permutation(key, x.shape[0]).reshape(4, -1))
    assert kinds(explain(update)(np.ones(8, "f4"), G.random.key(0), G.ShapeDtypeStruct((32, 8), "f4"))) == []

    def dropping(x):
        y = jnp.sin(x) @ x
        jnp.cos(x) @ x          # nobody asked for it
        return y.sum()
    told = explain(G.grad(dropping))(G.ShapeDtypeStruct((32, 32), "f4")).cliffs
    assert [c.kind for c in told] == ["dead work"] and "# nobody asked" in text_at(told[0])


def test_taking_an_array_apart_is_no_loop():
    def tree(xs):
        xs = list(xs)
        while len(xs) > 1:
            xs = [jnp.maximum(a, b) for a, b in zip(xs[::2], xs[1::2])]
        return xs[0]
    xs = jnp.ones((64, 4))
    assert not [c for c in explain(tree)(xs).cliffs if "list(xs)" in linecache.getline(c.file, c.line)]


def test_loops_whose_steps_differ_by_a_python_value_say_which():
    def powers(x):
        y = 0.0
        for i in range(100):
            y = y + x ** i
        return y

    def powers_of_values(x):
        y = 0.0
        for i in range(100):
            y = y + x ** jnp.float32(i)
        return y

    def calls(x):
        for i in range(40):
            x = jnp.sin(x)
            G.debug.callback(lambda v, i=i: None, x)
        return x
    x = jnp.ones((8, 8))
    said, = G.explain(powers)(x).cliffs
    assert said.kind == "loop whose steps differ" and "integer_pow has another y in each (2, 3, 4, ...)" in said.cost
    assert "y = y + x ** i" in text_at(said) and "Compute with a value of the step" in said.edit
    edited = G.explain(powers_of_values)(x)
    assert not edited.cliffs and edited.repeats[0].kind == "roll"
    said = G.explain(calls)(x).cliffs[0]
    assert "each calls back another Python function" in said.cost and "Define the function once" in said.edit


def test_a_report_is_wrapped_at_the_width_of_a_terminal(monkeypatch):
    def f(x, table):
        x @ table
        return x * 2, table[jnp.arange(64)]
    report = G.explain(f)(jnp.ones((64, 128)), jnp.ones((128, 64)))
    assert max(map(len, report.text(80).splitlines())) <= 80 < max(map(len, report.text().splitlines()))
    assert all([" ".join(str(c).split()) in " ".join(report.text(80).split()) for c in report.cliffs]) and len(report.cliffs) == 2
    monkeypatch.setenv("COLUMNS", "80")
    assert str(report) == report.text(80)
