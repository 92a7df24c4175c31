"""What the front end of one implementation costs, in this process, printed as one JSON object.

    python bench/frontend.py jax|gnomon [--slow]

Both run the very same programs: for gnomon `gnomon.as_jax` puts its names under `jax` first. Keys end in their unit. A
row that raises is reported under "failed" with the error's first line, and the others go on. The import comes first, so
one process gives one import figure; bench/compare.py starts many and takes the best of each row.
"""
import json
import pathlib
import sys
import time

IMPLEMENTATION, SLOW = sys.argv[1], "--slow" in sys.argv
if IMPLEMENTATION not in ("jax", "gnomon"):
    raise SystemExit(__doc__)

rows = {"failed": {}}


def clock(work):
    """Seconds that one call of `work` takes, and what it returns."""
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def best(work, tries=5):
    """The shortest of several calls, in seconds."""
    return min(clock(work)[0] for _ in range(tries))


def each(work, repeats):
    """Seconds per call in the best of five runs of `repeats` calls, after one to warm up."""
    work()
    return best(lambda: [work() for _ in range(repeats)]) / repeats


def put(name, measure):
    """Record the seconds `measure()` returns, in the unit that ends the row's name."""
    scale = {"s": 1, "ms": 1e3, "us": 1e6}[name.rpartition("_")[2]]
    try:
        rows[name] = measure() * scale
    except Exception as error:  # a row that cannot run yet must not hide the others
        rows["failed"][name] = f"{type(error).__name__}: {str(error).partition(chr(10))[0][:200]}"


# NumPy is part of what either of them loads, so it is not imported before the clock starts.
began = time.perf_counter()
if IMPLEMENTATION == "gnomon":
    import gnomon.as_jax  # noqa: F401
import jax
import jax.numpy as jnp
from jax import lax

rows["import_s"] = time.perf_counter() - began

import numpy as np

# Two figures of one implementation would look like a comparison: make sure which one answers to the name.
PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "gnomon"
HOMES = {name: pathlib.Path(module.__file__).resolve() for name, module in sys.modules.items()
         if name.partition(".")[0] == "jax" and getattr(module, "__file__", None)}
FOREIGN = [name for name, home in HOMES.items() if home.is_relative_to(PACKAGE) != (IMPLEMENTATION == "gnomon")]
if FOREIGN:
    raise SystemExit(f"asked to measure {IMPLEMENTATION}, but {FOREIGN[0]} came from {HOMES[FOREIGN[0]]}")

put("first_op_s", lambda: clock(lambda: (jnp.ones(3) + 1).block_until_ready())[0])


# --- a small GPT: 12 layers, plain functions of a tree of parameters ----------------------------------------

LAYERS, WIDTH, HEADS, VOCABULARY, LENGTH = 12, 64, 4, 256, 32


def gpt_parameters(key):
    keys = iter(jax.random.split(key, 4 * LAYERS + 2))

    def matrix(inputs, outputs):
        return jax.random.normal(next(keys), (inputs, outputs)) * 0.02

    def layer():
        return dict(qkv=matrix(WIDTH, 3 * WIDTH), o=matrix(WIDTH, WIDTH), f1=matrix(WIDTH, 4 * WIDTH),
                    f2=matrix(4 * WIDTH, WIDTH), g1=jnp.ones(WIDTH), b1=jnp.zeros(WIDTH), g2=jnp.ones(WIDTH),
                    b2=jnp.zeros(WIDTH))

    return dict(emb=matrix(VOCABULARY, WIDTH), layers=[layer() for _ in range(LAYERS)])


def normalise(x, gain, bias):
    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.var(x, -1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * gain + bias


def block(p, x):
    def heads(a):
        return a.reshape(a.shape[0], LENGTH, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

    h = normalise(x, p["g1"], p["b1"])
    q, k, v = map(heads, jnp.split(h @ p["qkv"], 3, -1))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(WIDTH // HEADS)
    causal = jnp.tril(jnp.ones((LENGTH, LENGTH), bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e30), -1)
    mixed = jnp.einsum("bhqk,bhkd->bhqd", weights, v).transpose(0, 2, 1, 3).reshape(x.shape)
    x = x + mixed @ p["o"]
    h = normalise(x, p["g2"], p["b2"])
    return x + jax.nn.gelu(h @ p["f1"]) @ p["f2"]


def gpt_loss(p, tokens):
    x = p["emb"][tokens]
    for layer in p["layers"]:
        x = block(layer, x)
    log_probabilities = jax.nn.log_softmax((x @ p["emb"].T)[:, :-1])
    return -jnp.mean(jnp.take_along_axis(log_probabilities, tokens[:, 1:, None], -1))


def gpt_step(p, tokens):
    return jax.tree.map(lambda a, g: a - 1e-3 * g, p, jax.grad(gpt_loss)(p, tokens))


def gpt_rows(p):
    tokens = jnp.zeros((4, LENGTH), jnp.int32)
    many = jnp.zeros((3, 4, LENGTH), jnp.int32)

    # A new lambda each time, so that nothing is remembered from the call before.
    def trace(fn, *args):
        return jax.make_jaxpr(lambda *args: fn(*args))(*args)

    try:
        trace(gpt_loss, p, tokens)          # what is looked up once per process is not counted
    except Exception:                       # the rows below say why
        pass
    put("trace_gpt12_fwd_ms", lambda: best(lambda: trace(gpt_loss, p, tokens)))
    put("trace_gpt12_step_ms", lambda: best(lambda: trace(gpt_step, p, tokens)))
    put("trace_gpt12_vmap_step_ms", lambda: best(lambda: trace(jax.vmap(gpt_step, (None, 0)), p, many), 3))

    stages = {}

    def timed(name, work):
        seconds, stages[name] = clock(work)
        return seconds

    def run():
        jax.block_until_ready(stages["compiled"](p, tokens))

    put("lower_gpt12_step_ms", lambda: timed("lowered", jax.jit(gpt_step).trace(p, tokens).lower))
    put("compile_gpt12_step_ms", lambda: timed("compiled", stages["lowered"].compile))
    put("run_gpt12_step_ms", lambda: (run(), best(run, 10))[1])


# --- loops that Python unrolls ------------------------------------------------------------------------------

def unrolled(steps):
    def run(matrix, carry):
        for _ in range(steps):
            carry = jnp.tanh(carry @ matrix)
        return carry
    return run


def loop_rows(matrix, carry):
    for steps in (500, 2000, 5000) if SLOW else (500, 2000):
        stages = {}

        def timed(name, work):
            seconds, stages[name] = clock(work)
            return seconds

        put(f"loop{steps}_trace_s", lambda: timed("traced", lambda: jax.jit(unrolled(steps)).trace(matrix, carry)))
        put(f"loop{steps}_lower_s", lambda: timed("lowered", lambda: stages["traced"].lower()))
        put(f"loop{steps}_compile_s", lambda: timed("compiled", lambda: stages["lowered"].compile()))
    if SLOW:
        gradient = jax.grad(lambda matrix, carry: unrolled(1000)(matrix, carry).sum())
        put("gradloop1000_total_s", lambda: clock(lambda: jax.jit(gradient).lower(matrix, carry).compile())[0])


# --- one call -----------------------------------------------------------------------------------------------

def call_rows(p, matrix, carry):
    x = jnp.ones(3)
    tree = {"a": x, "b": [x, x, {"c": x}]}
    key = jax.random.key(0)
    add_one = jax.jit(lambda x: x + 1)
    double = jax.jit(lambda tree: jax.tree.map(lambda v: v * 2, tree))
    same = jax.jit(lambda tree: jax.tree.map(lambda v: v, tree))

    def fn(x):
        return jnp.sum(jnp.sin(x) * x)

    for name, repeats, work in (
        ("jit_call_us", 5000, lambda: add_one(x)),
        ("jit_call_tree4_us", 5000, lambda: double(tree)),
        ("jit_call_98leaves_us", 300, lambda: same(p)),
        ("eager_add_us", 2000, lambda: x + x),
        ("eager_sin_us", 2000, lambda: jnp.sin(x)),
        ("eager_index_us", 500, lambda: x[0]),
        ("eager_where_us", 500, lambda: jnp.where(x > 0, x, 0.0)),
        ("eager_at_set_us", 200, lambda: x.at[1].set(2.0)),
        ("eager_sum_us", 1000, lambda: jnp.sum(x)),
        ("eager_matmul_us", 1000, lambda: matrix @ carry),
        ("asarray_us", 1000, lambda: jnp.asarray(np.ones(3, np.float32))),
        ("eager_grad_us", 30, lambda: jax.grad(fn)(x)),
        ("eager_vmap_us", 50, lambda: jax.vmap(lambda a: jnp.sin(a) * 2)(x)),
        ("eager_jvp_us", 30, lambda: jax.jvp(fn, (x,), (x,))),
        ("eager_hessian_us", 5, lambda: jax.hessian(fn)(x)),
        ("random_split_us", 100, lambda: jax.random.split(jax.random.key(0))),
        ("random_normal_us", 200, lambda: jax.random.normal(key, (3,))),
        ("make_jaxpr_small_us", 50, lambda: jax.make_jaxpr(lambda x: fn(x))(x)),
    ):
        put(name, lambda: each(work, repeats))


def main():
    parameters = gpt_parameters(jax.random.key(0))
    matrix, carry = jnp.eye(32), jnp.ones((32, 32))
    gpt_rows(parameters)
    loop_rows(matrix, carry)
    call_rows(parameters, matrix, carry)
    print(json.dumps(rows))


main()
