"""Programs that fall off a cliff: unrolled loops and repeated layers, from trace to executable and one run.

    python bench/cliffs.py [--markdown PATH] [name ...]         JAX's time, ours, the ratio and the mark, each in a fresh process
    python bench/cliffs.py {jax|gnomon} [name ...]              the rows of one implementation as JSON (seconds)

Ratios travel between machines, times do not."""
import json
import os
import pathlib
import subprocess
import sys
import time

# Row: our time should be at most this share of JAX's; RUN_MARKS says the same of one run (a tenth is noise).
MARKS = {"loop2000": 1 / 20, "loop5000": 1 / 150, "gradloop1000": 1 / 10, "rk4_300": 1 / 3, "gpt12_step": 1 / 4, "gpt48_step": 1 / 4,
         "resnet50_step": 1 / 3}
RUN_MARKS = {"gpt12_step": 1.1}
DEEPER = "gpt48_step", "gpt12_step", 1.5       # the first takes at most so many times the second's time
IMPLEMENTATION = sys.argv[1] if len(sys.argv) > 1 else ""


def measured(implementation, name):
    """(total, run) seconds of one program in a fresh process."""
    done = subprocess.run([sys.executable, __file__, implementation, name], capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(pathlib.Path(__file__).resolve().parent.parent)})
    if done.returncode:
        sys.exit(f"{implementation} stopped at {name}:\n{done.stderr}")
    rows = json.loads(done.stdout)
    return rows[f"{name}_total_s"], rows[f"{name}_run_s"]


def compare(names, markdown=None):
    """Print the table, one line a program and as they come; also write it to a file as Markdown."""
    head = ["program", "JAX: to executable", "gnomon", "ratio", "mark", "JAX: one run", "gnomon", "ratio"]
    rows, ours = [], {}
    print("{:15} {:>19} {:>10} {:>7} {:>10} {:>13} {:>10} {:>6}".format(*head))
    for name in names:
        (jax_total, jax_run), (total, run) = measured("jax", name), measured("gnomon", name)
        ours[name] = total
        ratio, run_ratio = total / jax_total, run / jax_run
        mark = f"{'<=' if ratio <= MARKS[name] else 'MISSED'} {MARKS[name]:.3g}"
        slow = " MISSED" if run_ratio > RUN_MARKS.get(name, run_ratio) else ""
        rows.append([name, f"{jax_total:.2f} s", f"{total:.2f} s", f"{ratio:.3f}", mark, f"{jax_run * 1e3:.2f} ms", f"{run * 1e3:.2f} ms",
                     f"{run_ratio:.2f}{slow}"])
        print("{:15} {:>19} {:>10} {:>7} {:>10} {:>13} {:>10} {:>6}".format(*rows[-1]), flush=True)
    deep, shallow, most = DEEPER
    said = ""
    if deep in ours and shallow in ours:
        ratio = ours[deep] / ours[shallow]
        said = f"{deep} takes {ratio:.2f} times {shallow}'s time to an executable ({'at most' if ratio <= most else 'MISSED:'} {most})."
        print(said)
    if markdown:
        table = [" | ".join(["", *row, ""]).strip() for row in [head, ["---"] * len(head), *rows]]
        pathlib.Path(markdown).write_text("\n".join([*table, *([""] + [said] if said else [])]) + "\n")


if __name__ == "__main__" and IMPLEMENTATION not in ("jax", "gnomon"):
    arguments = sys.argv[1:]
    path = arguments[arguments.index("--markdown") + 1] if "--markdown" in arguments[:-1] else None
    chosen = [a for a in arguments if a != "--markdown" and a != path]
    unknown = [a for a in chosen if a not in MARKS]
    if unknown:
        sys.exit(f"there is no program {unknown[0]}; there are {', '.join(MARKS)}")
    compare(chosen or list(MARKS), path)
    sys.exit(0)

if IMPLEMENTATION == "gnomon":
    import gnomon.as_jax  # noqa: F401

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

RNG = np.random.default_rng(0)


def normal(*shape, scale=0.02):
    return jnp.asarray((scale * RNG.normal(size=shape)).astype("float32"))


def total(f, *args):
    """Seconds from the call of lower to the end of compile, and those of one run."""
    start = time.perf_counter()
    compiled = jax.jit(f).lower(*args).compile()
    seconds = time.perf_counter() - start
    jax.block_until_ready(compiled(*args))
    best = min(_timed(compiled, args) for _ in range(5))
    return seconds, best


def _timed(f, args):
    start = time.perf_counter()
    jax.block_until_ready(f(*args))
    return time.perf_counter() - start


# ---- unrolled loops -------------------------------------------------------------------------------------------------

def loop(n):
    def f(w, c):
        for _ in range(n):
            c = jnp.tanh(c @ w)
        return c
    return f, (jnp.eye(32), jnp.ones((32, 32)))


def grad_loop(n):
    f, args = loop(n)
    return jax.grad(lambda w, c: f(w, c).sum()), args


def rk4(n):
    """n steps of the classical Runge-Kutta method on a network of coupled pendulums."""
    k = normal(16, 16, scale=0.1)

    def slope(s):
        angle, speed = s
        return speed, -jnp.sin(angle) - 0.1 * speed + k @ angle

    def f(angle, speed):
        s, h = (angle, speed), 0.01
        for _ in range(n):
            a = slope(s)
            b = slope(tuple(x + 0.5 * h * d for x, d in zip(s, a)))
            c = slope(tuple(x + 0.5 * h * d for x, d in zip(s, b)))
            d = slope(tuple(x + h * e for x, e in zip(s, c)))
            s = tuple(x + h / 6 * (p + 2 * q + 2 * r + t) for x, p, q, r, t in zip(s, a, b, c, d))
        return s
    return f, (normal(16, scale=1.0), normal(16, scale=1.0))


# ---- repeated layers -------------------------------------------------------------------------------------------------

def gpt(layers, width=64, heads=4, vocabulary=256, length=32):
    def layer_norm(x, g, b):
        m = jnp.mean(x, -1, keepdims=True)
        v = jnp.var(x, -1, keepdims=True)
        return (x - m) * lax.rsqrt(v + 1e-5) * g + b

    def block(p, x):
        h = layer_norm(x, p["g1"], p["b1"])
        q, k, v = (y.reshape(-1, length, heads, width // heads).transpose(0, 2, 1, 3) for y in jnp.split(h @ p["qkv"], 3, -1))
        a = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(width // heads)
        a = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((length, length), bool)), a, -1e30), -1)
        o = jnp.einsum("bhqk,bhkd->bhqd", a, v).transpose(0, 2, 1, 3).reshape(x.shape)
        x = x + o @ p["o"]
        return x + jax.nn.gelu(layer_norm(x, p["g2"], p["b2"]) @ p["f1"]) @ p["f2"]

    def loss(p, tokens):
        x = p["embedding"][tokens]
        for layer in p["layers"]:
            x = block(layer, x)
        logs = jax.nn.log_softmax((x @ p["embedding"].T)[:, :-1])
        return -jnp.mean(jnp.take_along_axis(logs, tokens[:, 1:, None], -1))

    def step(p, tokens):
        return jax.tree.map(lambda a, g: a - 1e-3 * g, p, jax.grad(loss)(p, tokens))

    def layer():
        return dict(qkv=normal(width, 3 * width), o=normal(width, width), f1=normal(width, 4 * width), f2=normal(4 * width, width),
                    g1=jnp.ones(width), b1=jnp.zeros(width), g2=jnp.ones(width), b2=jnp.zeros(width))
    return step, (dict(embedding=normal(vocabulary, width), layers=[layer() for _ in range(layers)]), jnp.zeros((4, length), jnp.int32))


def resnet50(size=32, classes=10):
    """A training step of a ResNet-50 on small images, written with Python loops over its blocks."""
    def conv(x, w, stride=1):
        return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def normalized(x, p):
        m, v = jnp.mean(x, (0, 1, 2)), jnp.var(x, (0, 1, 2))
        return (x - m) * lax.rsqrt(v + 1e-5) * p["scale"] + p["shift"]

    def unit(p, x, stride=1, active=True):
        x = normalized(conv(x, p["w"], stride), p)
        return jax.nn.relu(x) if active else x

    def bottleneck(p, x, stride):
        y = unit(p["c"], unit(p["b"], unit(p["a"], x), stride), active=False)
        return jax.nn.relu(y + (unit(p["skip"], x, stride, active=False) if "skip" in p else x))

    def model(p, x):
        x = unit(p["stem"], x)
        for i, stage in enumerate(p["stages"]):
            for j, block in enumerate(stage):
                x = bottleneck(block, x, 2 if i and not j else 1)
        return jnp.mean(x, (1, 2)) @ p["head"]

    def loss(p, x, y):
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(model(p, x)) * jax.nn.one_hot(y, classes), -1))

    def step(p, x, y):
        return jax.tree.map(lambda a, g: a - 1e-3 * g, p, jax.grad(loss)(p, x, y))

    def unit_parameters(k, n_in, n_out):
        return dict(w=normal(k, k, n_in, n_out), scale=jnp.ones(n_out), shift=jnp.zeros(n_out))
    stages, n = [], 16
    for width, count in ((16, 3), (32, 4), (64, 6), (128, 3)):
        blocks = []
        for j in range(count):
            b = dict(a=unit_parameters(1, n, width), b=unit_parameters(3, width, width), c=unit_parameters(1, width, 4 * width))
            if j == 0:
                b["skip"] = unit_parameters(1, n, 4 * width)
            blocks.append(b)
            n = 4 * width
        stages.append(blocks)
    p = dict(stem=unit_parameters(3, 3, 16), stages=stages, head=normal(n, classes))
    return step, (p, normal(2, size, size, 3, scale=1.0), jnp.zeros(2, jnp.int32))


PROGRAMS = {"loop2000": lambda: loop(2000), "loop5000": lambda: loop(5000), "gradloop1000": lambda: grad_loop(1000),
            "rk4_300": lambda: rk4(300), "gpt12_step": lambda: gpt(12), "gpt48_step": lambda: gpt(48), "resnet50_step": resnet50}

if __name__ == "__main__":
    out = {}
    for name in sys.argv[2:] or PROGRAMS:
        f, args = PROGRAMS[name]()
        out[f"{name}_total_s"], out[f"{name}_run_s"] = total(f, *args)
        print(name, out[f"{name}_total_s"], out[f"{name}_run_s"], file=sys.stderr, flush=True)
    print(json.dumps(out, indent=1))
