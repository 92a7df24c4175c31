"""Single operations of `lax` beside JAX's: what recording one costs, what compiling one costs, and loops of many small steps.

    python bench/lax.py [--rounds 3] [--no-history]

Runs every row for JAX and for gnomon in turn, a fresh process each, and takes the best of every figure; recording and compiling are
counted in CPU time, which other programs on the machine change little. Marks: recording an
operation costs at most 12 us, compiling none takes longer than JAX's (1.25 times as long counts as equal: the compiler is the same
and its times vary by that much), loops run as fast. Appends one line to bench/lax_history.jsonl.
"""
import argparse
import datetime
import importlib
import json
import pathlib
import statistics
import time
import timeit

from processes import measured

HERE = pathlib.Path(__file__).resolve().parent
HISTORY = HERE / "lax_history.jsonl"
TRACE_MARK, COMPILE_MARK, RUN_MARK = 12.0, 1.25, 1.1

UNARY = ("abs acos acosh asin asinh atan atanh bessel_i0e bessel_i1e cbrt ceil cos cosh digamma erf erf_inv erfc exp exp2 expm1 floor "
         "is_finite lgamma log log1p logistic neg round rsqrt sign sin sinh sqrt square tan tanh").split()
BINARY = ("add atan2 div eq ge gt le lt max min mul ne nextafter pow rem sub igamma igammac polygamma zeta").split()
BITS = "bitwise_and bitwise_or bitwise_xor shift_left shift_right_arithmetic shift_right_logical".split()
REDUCED = "cumsum cumprod cummax cummin cumlogsumexp".split()


def calls(lax, jnp):
    """{row: (function, arguments)}"""
    x, y = jnp.linspace(0.1, 0.9, 12).reshape(3, 4), jnp.linspace(0.9, 0.2, 12).reshape(3, 4)
    i, j = jnp.arange(12).reshape(3, 4), jnp.arange(12)[::-1].reshape(3, 4)
    z, image, kernel = lax.complex(x, y), jnp.ones((1, 8, 8, 3)), jnp.ones((3, 3, 3, 4))
    square = x[:, :3] @ x[:, :3].T + 3 * jnp.eye(3)
    rows = {name: (getattr(lax, name), (x,)) for name in UNARY}
    rows |= {name: (getattr(lax, name), (x + 1, y + 1)) for name in BINARY}
    rows |= {name: (getattr(lax, name), (i, j)) for name in BITS}
    rows |= {name: (getattr(lax, name), (x,)) for name in REDUCED}
    dims = lax.GatherDimensionNumbers((1,), (0,), (0,))
    into = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    at, one = jnp.array([[0], [2]]), jnp.int32(1)
    rows |= {
        "argmax": (lambda x: lax.argmax(x, 1, "int32"), (x,)),
        "batch_matmul": (lax.batch_matmul, (x[None], y.T[None])),
        "betainc": (lax.betainc, (x + 1, y + 1, x)),
        "bitcast_convert_type": (lambda x: lax.bitcast_convert_type(x, "int32"), (x,)),
        "broadcast": (lambda x: lax.broadcast(x, (2,)), (x,)),
        "broadcast_in_dim": (lambda x: lax.broadcast_in_dim(x, (2, 3, 4), (1, 2)), (x,)),
        "cholesky": (lax.linalg.cholesky, (square,)),
        "clamp": (lambda x: lax.clamp(0.2, x, 0.7), (x,)),
        "clz": (lax.clz, (i,)),
        "collapse": (lambda x: lax.collapse(x, 0, 2), (x,)),
        "concatenate": (lambda x, y: lax.concatenate([x, y], 0), (x, y)),
        "conj": (lax.conj, (z,)),
        "conv": (lambda a, k: lax.conv_general_dilated(a, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), (image, kernel)),
        "convert_element_type": (lambda x: lax.convert_element_type(x, "int32"), (x,)),
        "dot": (lambda x, y: lax.dot(x, y), (x, y.T)),
        "dot_general": (lambda x, y: lax.dot_general(x, y, (((1,), (1,)), ((), ()))), (x, y)),
        "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i, i), (2, 2)), (x, one)),
        "dynamic_update_slice": (lambda x, u, i: lax.dynamic_update_slice(x, u, (i, i)), (x, y[:2, :2], one)),
        "eigh": (lambda a: lax.linalg.eigh(a), (square,)),
        "fft": (lambda x: lax.fft(x, "RFFT", (4,)), (x,)),
        "full_like": (lambda x: lax.full_like(x, 2.0), (x,)),
        "gather": (lambda x, at: lax.gather(x, at, dims, (1, 4)), (x, at)),
        "imag": (lax.imag, (z,)),
        "integer_pow": (lambda x: lax.integer_pow(x, 3), (x,)),
        "iota": (lambda: lax.iota("float32", 8), ()),
        "lu": (lax.linalg.lu, (square,)),
        "pad": (lambda x: lax.pad(x, 0.0, ((1, 1, 0), (0, 2, 1))), (x,)),
        "population_count": (lax.population_count, (i,)),
        "qr": (lambda a: lax.linalg.qr(a), (square,)),
        "real": (lax.real, (z,)),
        "reduce": (lambda x: lax.reduce(x, 0.0, lax.add, (1,)), (x,)),
        "reduce_and": (lambda i: lax.reduce_and(i, (0,)), (i,)),
        "reduce_max": (lambda x: lax.reduce_max(x, (0,)), (x,)),
        "reduce_precision": (lambda x: lax.reduce_precision(x, 5, 10), (x,)),
        "reduce_prod": (lambda x: lax.reduce_prod(x, (0,)), (x,)),
        "reduce_sum": (lambda x: lax.reduce_sum(x, (0,)), (x,)),
        "reduce_window": (lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), "VALID"), (x,)),
        "reshape": (lambda x: lax.reshape(x, (4, 3)), (x,)),
        "rev": (lambda x: lax.rev(x, (0,)), (x,)),
        "scatter": (lambda x, at, u: lax.scatter(x, at, u, into), (x, at, y[:2])),
        "scatter_add": (lambda x, at, u: lax.scatter_add(x, at, u, into), (x, at, y[:2])),
        "scatter_max": (lambda x, at, u: lax.scatter_max(x, at, u, into), (x, at, y[:2])),
        "scatter_mul": (lambda x, at, u: lax.scatter_mul(x, at, u, into), (x, at, y[:2])),
        "select": (lambda x, y: lax.select(x > 0.5, x, y), (x, y)),
        "select_n": (lambda x, y: lax.select_n(x > 0.5, x, y), (x, y)),
        "slice": (lambda x: lax.slice(x, (0, 1), (3, 4), (2, 1)), (x,)),
        "slice_in_dim": (lambda x: lax.slice_in_dim(x, 0, 2), (x,)),
        "sort": (lambda x: lax.sort(x, dimension=0), (x,)),
        "sort_pair": (lambda x, y: lax.sort((x, y), num_keys=1), (x, y)),
        "split": (lambda x: lax.split(x, (1, 3), 1), (x,)),
        "squeeze": (lambda x: lax.squeeze(x[None], (0,)), (x,)),
        "stop_gradient": (lax.stop_gradient, (x,)),
        "svd": (lambda a: lax.linalg.svd(a), (square,)),
        "top_k": (lambda x: lax.top_k(x, 2), (x,)),
        "transpose": (lambda x: lax.transpose(x, (1, 0)), (x,)),
        "triangular_solve": (lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True), (square, square)),
    }
    return rows


def least(run, times, clock=time.process_time):
    """The least of several times of a call, in seconds."""
    return min(timeit.repeat(run, number=1, repeat=times, timer=clock))


REPEATS = 50


def measure(implementation):
    """{row: seconds} of this process."""
    if implementation == "gnomon":
        importlib.import_module("gnomon.as_jax")        # from here on, `jax` is gnomon
    jax, jnp, lax = map(importlib.import_module, ("jax", "jax.numpy", "jax.lax"))
    out = {}
    for name, (call, arguments) in calls(lax, jnp).items():
        def many(*xs, call=call):
            for _ in range(REPEATS):
                out = call(*xs)
            return out
        jax.make_jaxpr(many)(*arguments)
        base = least(lambda: jax.make_jaxpr(lambda *xs: xs)(*arguments), 5)
        out[f"trace {name}"] = (least(lambda: jax.make_jaxpr(lambda *xs: many(*xs))(*arguments), 5) - base) / REPEATS
        out[f"compile {name}"] = least(lambda: jax.jit(lambda *xs: call(*xs)).lower(*arguments).compile(), 3)
    x = jnp.ones(4)
    scan = jax.jit(lambda x: lax.scan(lambda c, _: (jnp.sin(c) * 0.9 + 0.1, None), x, None, length=10_000)[0])
    loop = jax.jit(lambda x: lax.while_loop(lambda c: c[0] < 100_000, lambda c: (c[0] + 1, c[1] * 0.999 + 0.1), (0, x))[1])
    for name, f in (("scan of 10,000 steps", scan), ("while of 100,000 steps", loop)):
        jax.block_until_ready(f(x))
        out[f"run {name}"] = least(lambda: jax.block_until_ready(f(x)), 10, time.perf_counter)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-history", action="store_true")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return
    rounds = [[measured(__file__, name, "--measure", name) for name in ("jax", "gnomon")] for _ in range(options.rounds)]
    jax, ours = ({row: min(found[k][row] for found in rounds) for row in rounds[0][0]} for k in (0, 1))
    missed = []
    for row in jax:
        ratio, kind = ours[row] / jax[row], row.split()[0]
        late = ours[row] * 1e6 > TRACE_MARK if kind == "trace" else ratio > (COMPILE_MARK if kind == "compile" else RUN_MARK)
        if late:
            missed.append(row)
        scale, unit = (1e6, "us") if kind == "trace" else (1e3, "ms")
        print(f"{row:36} {jax[row] * scale:10.2f} {ours[row] * scale:10.2f} {unit} {ratio:7.3f}{'  missed' * late}")
    for kind in ("trace", "compile", "run"):
        ratios = [ours[row] / jax[row] for row in jax if row.startswith(kind)]
        print(f"{kind}: {len(ratios)} rows, middle ratio {statistics.median(ratios):.3f}, largest {max(ratios):.3f}")
    traces = [ours[row] * 1e6 for row in ours if row.startswith("trace")]
    print(f"recording an operation: {statistics.median(traces):.1f} us in the middle, {max(traces):.1f} us at most; missed: {missed or 'none'}")
    if not options.no_history:
        line = {"date": datetime.date.today().isoformat(), "jax": jax, "gnomon": ours}
        with HISTORY.open("a") as file:
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
