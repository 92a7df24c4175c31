"""Single operations on the CPU: gnomon beside JAX, NumPy and PyTorch, from a thousand to four million elements.

    python bench/ops.py [row ...] [--sizes 1000 1000000] [--rounds 5] [--cpu] [--table ops.md] [--no-history]

Every library runs in a process of its own, so that no pool of threads disturbs another, and all take turns within a row:
what loads the machine loads them alike. A time is the best of all turns; jitted functions are timed without their
compilation, which is listed apart. Results are compared with JAX's: "=" where all bits are equal, "~" where they are
close, "N" where they are close to NumPy's only, "≠" where they are not. A library that is not installed shows "-".

Marks: at most 1.5 times the best of the other three, and no slower than JAX. Leaves with 1 where a row of gnomon's
failed or gave another result; a mark that is missed is only shown, and written with --table. Times are of the wall clock,
or with --cpu of the processor. Ratios travel between machines, times do not.
"""
import argparse
import datetime
import importlib
import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

HERE = pathlib.Path(__file__).resolve().parent
HISTORY = HERE / "ops_history.jsonl"
LIBRARIES = "gnomon", "jax", "numpy", "torch"
SIZES = 1_000, 10_000, 1_000_000, 4_000_000
MARK_PEER, MARK_JAX, NOISE = 1.5, 1.0, 1.05


# ---- inputs -------------------------------------------------------------------------------------------------------

def rng():
    return np.random.default_rng(0)


def floats(*shape):
    return rng().standard_normal(shape).astype(np.float32)


def fractions(*shape):
    return rng().random(shape, np.float32)


def integers(high, *shape):
    return rng().integers(0, high, shape).astype(np.int32)


def side(n):
    return int(n ** 0.5)


def line(n):
    return [floats(n)]


def square(n):
    return [floats(side(n), side(n))]


def squares(n):
    a = side(n)
    return [floats(a, a), floats(a, a)[::-1].copy()]


def blocks(k):
    """Well-conditioned k x k matrices with n numbers in all."""
    def make(n):
        count = max(1, n // (k * k))
        x = floats(count, k, k) / k ** 0.5
        return [x @ x.transpose(0, 2, 1) + 2 * np.eye(k, dtype=np.float32), floats(count, k, 1)]
    return make


def images(n):
    width = min(32, side(n // 16))
    return [floats(max(1, n // 16384), 16, width, width), floats(16, 16, 3, 3) / 12]


# ---- rows ---------------------------------------------------------------------------------------------------------

SAME = object()


@dataclass(frozen=True)
class Row:
    """`run(m, *inputs)` is for gnomon and JAX, m being the library; NumPy runs it too, unless told otherwise."""

    inputs: object
    run: object
    torch: object = None
    numpy: object = SAME
    most: int = 4_000_000       # elements
    close: bool = True          # whether NumPy and PyTorch should give the same numbers


def keyed(draw):
    """A row of random numbers: the key is an input, so that nothing can be computed before."""
    return lambda m, key, *rest: draw(m, m.random.wrap_key_data(key), *rest)


def key(n):
    return [np.array([0, 42], np.uint32)]


def elementwise(name, torch_name=None, numpy=SAME):
    torch_name = torch_name or name
    return Row(line, lambda m, x: getattr(m.numpy, name)(x), lambda t, x: getattr(t, torch_name)(x), numpy)


def draws(draw, numpy, torch):
    """Random numbers: `numpy(generator, n)`, `torch(t, n)`, and n as the number of elements of a mask beside the key."""
    def sized(n):
        return [*key(n), np.empty(n, np.uint8)]
    return Row(sized, keyed(lambda m, k, like: draw(m, k, like.shape[0])), lambda t, k, like: torch(t, like.shape[0]),
               lambda m, k, like: numpy(m.generator, like.shape[0]), close=False)


def erf(m, x):
    return m.scipy.special.erf(x)


def segment_sum(m, x, i):
    return getattr(m, "segments", m.ops).segment_sum(x, i, 1000)


def torch_histogram(t, x):
    return t.histc(x, 100, 0, 1).to(t.int32)


def torch_softmax(t, x):
    return t.softmax(x, -1)


def top_k(m, x):
    return m.lax.top_k(x, 10)


def conv2d(m, x, k):
    return m.lax.conv_general_dilated(x, k, (1, 1), "SAME")


def random_permutation(m, k, n):
    return m.random.permutation(k, n)


ROWS = {
    # order
    "sort": Row(line, lambda m, x: m.numpy.sort(x), lambda t, x: t.sort(x)[0]),
    "sort ints": Row(lambda n: [integers(2 ** 31 - 1, n)], lambda m, x: m.numpy.sort(x), lambda t, x: t.sort(x)[0]),
    "sort rows": Row(square, lambda m, x: m.numpy.sort(x, 1), lambda t, x: t.sort(x, 1)[0]),
    "sort columns": Row(square, lambda m, x: m.numpy.sort(x, 0), lambda t, x: t.sort(x, 0)[0]),
    "sort short rows": Row(lambda n: [floats(n // 20, 20)], lambda m, x: m.numpy.sort(x, 1), lambda t, x: t.sort(x, 1)[0]),
    "argsort": Row(line, lambda m, x: m.numpy.argsort(x), lambda t, x: t.argsort(x, stable=True),
                   lambda m, x: m.numpy.argsort(x, kind="stable")),
    "argsort rows": Row(square, lambda m, x: m.numpy.argsort(x, 1), lambda t, x: t.argsort(x, dim=1, stable=True),
                        lambda m, x: m.numpy.argsort(x, 1, kind="stable")),
    "median": Row(line, lambda m, x: m.numpy.median(x), lambda t, x: t.quantile(x, 0.5) if x.numel() <= 2 ** 24 else None),
    "median rows": Row(square, lambda m, x: m.numpy.median(x, 1), lambda t, x: t.quantile(x, 0.5, 1)),
    "quantile": Row(line, lambda m, x: m.numpy.quantile(x, np.array([0.1, 0.9], np.float32)),
                    lambda t, x: t.quantile(x, t.tensor([0.1, 0.9]))),
    "unique": Row(lambda n: [integers(1000, n)], lambda m, x: m.numpy.unique(x, size=1000), lambda t, x: t.unique(x),
                  lambda m, x: m.numpy.unique(x)),
    "top_k": Row(line, top_k, lambda t, x: t.topk(x, 10), None),
    "top_k rows": Row(square, top_k, lambda t, x: t.topk(x, 10), None),
    "searchsorted": Row(lambda n: [np.sort(floats(n)), floats(n)], lambda m, a, v: m.numpy.searchsorted(a, v),
                        lambda t, a, v: t.searchsorted(a, v, out_int32=True), most=1_000_000),
    "nonzero": Row(line, lambda m, x: m.numpy.nonzero(x > 0, size=x.shape[0])[0], lambda t, x: t.nonzero(x > 0)[:, 0],
                   lambda m, x: m.numpy.nonzero(x > 0)[0], close=False),
    "histogram": Row(lambda n: [fractions(n)], lambda m, x: m.numpy.histogram(x, 100, (0.0, 1.0))[0], torch_histogram,
                     close=False),
    "bincount": Row(lambda n: [integers(1000, n)], lambda m, x: m.numpy.bincount(x, length=1000),
                    lambda t, x: t.bincount(x, minlength=1000), lambda m, x: m.numpy.bincount(x, minlength=1000)),
    # running
    "cumsum": Row(line, lambda m, x: m.numpy.cumsum(x), lambda t, x: t.cumsum(x, 0)),
    "cumsum rows": Row(square, lambda m, x: m.numpy.cumsum(x, 1), lambda t, x: t.cumsum(x, 1)),
    "cumsum columns": Row(square, lambda m, x: m.numpy.cumsum(x, 0), lambda t, x: t.cumsum(x, 0)),
    # factors farther from 1 than their last digits: else all roundings go one way, and results hang on their order
    "cumprod": Row(lambda n: [1 + floats(n) / n ** 0.5], lambda m, x: m.numpy.cumprod(x), lambda t, x: t.cumprod(x, 0)),
    "cummax": Row(line, lambda m, x: m.lax.cummax(x), lambda t, x: t.cummax(x, 0)[0],
                  lambda m, x: m.numpy.maximum.accumulate(x)),
    # random
    "uniform": draws(lambda m, k, n: m.random.uniform(k, (n,)), lambda g, n: g.random(n, np.float32), lambda t, n: t.rand(n)),
    "normal": draws(lambda m, k, n: m.random.normal(k, (n,)), lambda g, n: g.standard_normal(n, np.float32),
                    lambda t, n: t.randn(n)),
    "randint": draws(lambda m, k, n: m.random.randint(k, (n,), 0, 1000), lambda g, n: g.integers(0, 1000, n, np.int32),
                     lambda t, n: t.randint(0, 1000, (n,), dtype=t.int32)),
    "bits": draws(lambda m, k, n: m.random.bits(k, (n,)), lambda g, n: g.integers(0, 2 ** 32, n, np.uint32),
                  lambda t, n: t.randint(-2 ** 31, 2 ** 31, (n,), dtype=t.int32)),
    "bernoulli": draws(lambda m, k, n: m.random.bernoulli(k, 0.3, (n,)), lambda g, n: g.random(n, np.float32) < 0.3,
                       lambda t, n: t.rand(n) < 0.3),
    "permutation": draws(random_permutation, lambda g, n: g.permutation(n).astype(np.int32), lambda t, n: t.randperm(n)),
    "exponential": draws(lambda m, k, n: m.random.exponential(k, (n,)), lambda g, n: g.standard_exponential(n, np.float32),
                         lambda t, n: t.empty(n).exponential_()),
    "categorical": Row(lambda n: [*key(n), floats(n // 100, 100)], keyed(lambda m, k, x: m.random.categorical(k, x)),
                       lambda t, k, x: t.multinomial(t.softmax(x, -1), 1)[:, 0], None, close=False),
    # signals and linear algebra
    "convolve": Row(lambda n: [floats(n), floats(64)], lambda m, x, k: m.numpy.convolve(x, k, "same"),
                    lambda t, x, k: t.conv1d(x[None, None], k.flip(0)[None, None], padding="same")[0, 0]),
    "conv2d": Row(images, conv2d, lambda t, x, k: t.conv2d(x, k, padding=1), None),
    "fft": Row(lambda n: [floats(2 ** round(np.log2(n)))], lambda m, x: m.numpy.fft.fft(x), lambda t, x: t.fft.fft(x)),
    "fft rows": Row(lambda n: [floats(max(1, n // 1024), 1024).astype(np.complex64)], lambda m, x: m.numpy.fft.fft(x),
                    lambda t, x: t.fft.fft(x)),
    "fft odd": Row(lambda n: [floats(3 ** round(np.log(n) / np.log(3)))], lambda m, x: m.numpy.fft.fft(x),
                   lambda t, x: t.fft.fft(x)),
    "fft2": Row(lambda n: [floats(2 ** round(np.log2(n) / 2), 2 ** round(np.log2(n) / 2))], lambda m, x: m.numpy.fft.fft2(x),
                lambda t, x: t.fft.fft2(x)),
    "rfft": Row(lambda n: [floats(2 ** round(np.log2(n)))], lambda m, x: m.numpy.fft.rfft(x), lambda t, x: t.fft.rfft(x)),
    "solve 4x4": Row(blocks(4), lambda m, a, b: m.numpy.linalg.solve(a, b), lambda t, a, b: t.linalg.solve(a, b)),
    "inv 4x4": Row(blocks(4), lambda m, a, b: m.numpy.linalg.inv(a), lambda t, a, b: t.linalg.inv(a)),
    "cholesky 4x4": Row(blocks(4), lambda m, a, b: m.numpy.linalg.cholesky(a), lambda t, a, b: t.linalg.cholesky(a)),
    "solve 64x64": Row(blocks(64), lambda m, a, b: m.numpy.linalg.solve(a, b), lambda t, a, b: t.linalg.solve(a, b)),
    "matmul": Row(squares, lambda m, x, y: m.numpy.matmul(x, y), lambda t, x, y: t.matmul(x, y)),
    "matvec": Row(lambda n: [floats(side(n), side(n)), floats(side(n))], lambda m, x, y: m.numpy.matmul(x, y),
                  lambda t, x, y: t.matmul(x, y)),
    "batched matmul": Row(lambda n: [floats(n // 256, 16, 16)] * 2, lambda m, x, y: m.numpy.matmul(x, y),
                          lambda t, x, y: t.matmul(x, y)),
    "einsum": Row(lambda n: [floats(8, n // 512, 64)] * 2, lambda m, x, y: m.numpy.einsum("bik,bij->bkj", x, y),
                  lambda t, x, y: t.einsum("bik,bij->bkj", x, y)),
    # reductions
    "sum": Row(line, lambda m, x: m.numpy.sum(x), lambda t, x: t.sum(x)),
    "sum rows": Row(square, lambda m, x: m.numpy.sum(x, 1), lambda t, x: t.sum(x, 1)),
    "sum columns": Row(square, lambda m, x: m.numpy.sum(x, 0), lambda t, x: t.sum(x, 0)),
    "mean": Row(line, lambda m, x: m.numpy.mean(x), lambda t, x: t.mean(x)),
    "var": Row(line, lambda m, x: m.numpy.var(x), lambda t, x: t.var(x, correction=0)),
    "max": Row(line, lambda m, x: m.numpy.max(x), lambda t, x: t.amax(x)),
    "max rows": Row(square, lambda m, x: m.numpy.max(x, 1), lambda t, x: t.amax(x, 1)),
    "argmax": Row(line, lambda m, x: m.numpy.argmax(x), lambda t, x: t.argmax(x)),
    "argmax rows": Row(square, lambda m, x: m.numpy.argmax(x, 1), lambda t, x: t.argmax(x, 1)),
    "argmax columns": Row(square, lambda m, x: m.numpy.argmax(x, 0), lambda t, x: t.argmax(x, 0)),
    "softmax": Row(square, lambda m, x: m.nn.softmax(x), torch_softmax, None),
    "logsumexp": Row(square, lambda m, x: m.nn.logsumexp(x, -1), lambda t, x: t.logsumexp(x, -1), None),
    # elementwise
    "exp": elementwise("exp"),
    "log": Row(lambda n: [fractions(n) + 0.01], lambda m, x: m.numpy.log(x), lambda t, x: t.log(x)),
    "tanh": elementwise("tanh"),
    "sin": elementwise("sin"),
    "erf": Row(line, erf, lambda t, x: t.erf(x), None),
    "power": Row(lambda n: [fractions(n) + 0.01, floats(n)], lambda m, x, y: m.numpy.power(x, y), lambda t, x, y: t.pow(x, y)),
    "where": Row(line, lambda m, x: m.numpy.where(x > 0, x, 0.1 * x), lambda t, x: t.where(x > 0, x, 0.1 * x)),
    "chain": Row(lambda n: [floats(n), floats(n)], lambda m, x, y: (x * y + 1.5) * (x - y) / (x * x + 1.0),
                 lambda t, x, y: (x * y + 1.5) * (x - y) / (x * x + 1.0)),
    # data movement
    "take": Row(lambda n: [floats(n), integers(n, n)], lambda m, x, i: m.numpy.take(x, i), lambda t, x, i: t.take(x, i.long())),
    "take rows": Row(lambda n: [floats(n // 100, 100), integers(n // 100, n // 100)], lambda m, x, i: x[i], lambda t, x, i: x[i]),
    "scatter add": Row(lambda n: [floats(1000), integers(1000, n), floats(n)], lambda m, x, i, y: x.at[i].add(y),
                       lambda t, x, i, y: x.index_add(0, i, y), lambda m, x, i, y: x + m.numpy.bincount(i, y, 1000)),
    "segment sum": Row(lambda n: [floats(n // 10, 10), integers(1000, n // 10)], segment_sum,
                       lambda t, x, i: t.zeros(1000, 10).index_add_(0, i, x), None),
    "transpose": Row(square, lambda m, x: m.numpy.transpose(x).reshape(-1), lambda t, x: x.T.reshape(-1)),
    "concatenate": Row(lambda n: [floats(n // 2), floats(n // 2)], lambda m, x, y: m.numpy.concatenate([x, y]),
                       lambda t, x, y: t.cat([x, y])),
    "reverse": Row(line, lambda m, x: m.numpy.flip(x), lambda t, x: t.flip(x, (0,)), lambda m, x: m.numpy.flip(x).copy()),
    "roll": Row(line, lambda m, x: m.numpy.roll(x, 7), lambda t, x: t.roll(x, 7)),
    "diff": Row(line, lambda m, x: m.numpy.diff(x), lambda t, x: t.diff(x)),
}


# ---- one library, in a process of its own -------------------------------------------------------------------------

class Gnomon:
    """gnomon, or under another name JAX: the same functions."""

    module, segments = "gnomon", "segments"

    def __init__(self):
        self.library = importlib.import_module(self.module)
        for part in ("numpy", "lax", "random", "nn", "scipy.special", self.segments):
            importlib.import_module(f"{self.module}.{part}")

    def function(self, row, inputs):
        m = self.library
        jitted = m.jit(lambda *xs: row.run(m, *xs))
        inputs = [m.numpy.asarray(x) for x in inputs]
        return lambda: m.block_until_ready(jitted(*inputs))

    def leaves(self, out):
        return [np.asarray(x) for x in self.library.tree.leaves(out)]


class Jax(Gnomon):
    module, segments = "jax", "ops"


class Numpy:
    def __init__(self):
        self.numpy, self.generator = np, np.random.default_rng(0)
        np.seterr(all="ignore")

    def function(self, row, inputs):
        run = row.run if row.numpy is SAME else row.numpy
        return None if run is None else lambda: run(self, *inputs)

    def leaves(self, out):
        return [np.asarray(x) for x in (out if isinstance(out, (tuple, list)) else [out])]


class Torch(Numpy):
    def __init__(self):
        self.torch = importlib.import_module("torch")
        self.torch.set_grad_enabled(False)

    def function(self, row, inputs):
        if row.torch is None:
            return None
        inputs = [self.torch.from_numpy(x) for x in inputs]
        return lambda: row.torch(self.torch, *inputs)


def work(library):
    """Answer requests, a line of JSON each: prepare a row, or time it for a while."""
    kept = {}
    answers, sys.stdout = sys.stdout, sys.stderr        # what libraries print is no answer
    m = {"gnomon": Gnomon, "jax": Jax, "numpy": Numpy, "torch": Torch}[library]()
    for request in sys.stdin:
        request = json.loads(request)
        try:
            answer = respond(m, request, kept)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def respond(m, request, kept):
    if "row" in request:
        row = ROWS[request["row"]]
        function = kept["function"] = m.function(row, row.inputs(request["n"]))
        if function is None:
            return {"error": ""}
        start = time.process_time()
        out = function()
        first = time.process_time() - start
        np.savez(request["file"], *m.leaves(out))
        return {"first": first}
    function, number, best = kept["function"], kept.get("number", {}), [float("inf")] * 2
    ends, samples = time.perf_counter() + request["seconds"], 0
    calls = number.setdefault(function, 1)
    while samples < 2 or time.perf_counter() < ends:
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(calls):
            function()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        best = [min(best[0], wall / calls), min(best[1], cpu / calls)]
        if wall < 0.002:        # too short for the clock
            calls = number[function] = calls * 4
        samples += 1
    kept["number"] = {function: calls}
    return {"wall": best[0], "cpu": best[1]}


class Worker:
    """The process of a library."""

    def __init__(self, library):
        paths = [str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.process = subprocess.Popen([sys.executable, __file__, "--worker", library], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)})

    def ask(self, **request):
        if self.process.poll() is not None:
            return {"error": "stopped"}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline() or '{"error": "stopped"}')


# ---- all of them, in turn -----------------------------------------------------------------------------------------

def agreement(file, wanted, exact):
    """'=', '~' or '≠': how the arrays of two files agree."""
    with np.load(file) as found, np.load(wanted) as expected:
        pairs = [(found[k], expected[k]) for k in expected.files if k in found.files]
    if len(pairs) == 0 or any(a.shape != b.shape for a, b in pairs):
        return "≠"
    if all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in pairs):
        return "="
    if exact and all(b.dtype.kind in "biu" for _, b in pairs):
        return "≠"

    def near(a, b):
        if a.dtype.kind in "biu" and b.dtype.kind in "biu":
            return np.mean(a != b) < 1e-3      # the place of a maximum may follow from its last bit
        scale = np.max(np.abs(np.where(np.isfinite(b), b, 0)), initial=0) + 1e-30
        return np.allclose(a, b, 1e-3, 1e-4 * scale, equal_nan=True)
    return "~" if all(near(a, b) for a, b in pairs) else "≠"


def measure(workers, name, n, rounds, seconds, folder):
    """{library: {wall, cpu, first, agrees}} of one row and size, or {library: {error}}."""
    row, results = ROWS[name], {}
    for library, worker in workers.items():
        results[library] = worker.ask(row=name, n=n, file=str(folder / f"{library}.npz"))
    for library, result in results.items():
        exact = library == "gnomon"
        if "error" not in result and "error" not in results["jax"] and (exact or row.close and library != "jax"):
            found = agreement(folder / f"{library}.npz", folder / "jax.npz", exact)
            if found == "≠" and exact and row.close and "error" not in results["numpy"]:    # JAX may be the one that is further off
                found = "N" if agreement(folder / f"{library}.npz", folder / "numpy.npz", exact) != "≠" else "≠"
            result["agrees"] = found
    for _ in range(rounds):
        for library, worker in workers.items():
            if "error" not in results[library]:
                found = worker.ask(seconds=seconds)
                for clock, value in found.items():
                    results[library][clock] = min(results[library].get(clock, value), value)
    return results


def ratios(results, clock):
    """Gnomon's time over the best of the others', and over JAX's."""
    times = {library: r[clock] for library, r in results.items() if clock in r}
    if "gnomon" not in times:
        return None, None
    peers = [t for library, t in times.items() if library != "gnomon"]
    return times["gnomon"] / min(peers), times["gnomon"] / times["jax"] if "jax" in times else None


def show(table, clock):
    listing = Table(title="times in ms" + (" of the processor" if clock == "cpu" else ""))
    for heading in ("row", "size", "gnomon", "JAX", "NumPy", "PyTorch", "to best", "to JAX", "first call to JAX's", "result"):
        listing.add_column(heading, justify="left" if heading in ("row", "result") else "right")
    for (name, n), results in table.items():
        cells = [f"{results[x][clock] * 1e3:.4g}" if clock in results[x] else results[x]["error"] or "-" for x in LIBRARIES]
        best, jax = ratios(results, clock)
        firsts = [results[x].get("first") for x in ("gnomon", "jax")]
        listing.add_row(name, f"{n:,}", *cells, mark(best, MARK_PEER), mark(jax, MARK_JAX * NOISE),
                        f"{firsts[0] / firsts[1]:.2f}" if all(firsts) else "", results["gnomon"].get("agrees", ""))
    Console(width=None if sys.stdout.isatty() else 140).print(listing)


def mark(ratio, limit):
    return "" if ratio is None else f"[{'green' if ratio <= limit else 'red'}]{ratio:.2f}[/]"


def summary(table, clock):
    found = [ratios(results, clock) for results in table.values()]
    slow = sum(best is not None and best > MARK_PEER for best, _ in found)
    behind = sum(jax is not None and jax > MARK_JAX * NOISE for _, jax in found)
    return (f"{len(found)} rows: {slow} slower than {MARK_PEER} times the best, {behind} slower than JAX "
            f"(more than {NOISE - 1:.0%}).")


def missed(results, clock):
    """Which marks a row of a size misses, in words."""
    best, jax = ratios(results, clock)
    found = ["slower than JAX"] if jax is not None and jax > MARK_JAX * NOISE else []
    return [f"over {MARK_PEER} times the best"] * (best is not None and best > MARK_PEER) + found


def markdown(table, clock):
    """All rows as a table for a file, with the ratios by both clocks and the marks that are missed in bold."""
    def number(x, factor=1):
        return "" if x is None else f"{x * factor:.4g}"

    lines = [f"Times in ms ({'of the processor' if clock == 'cpu' else 'of the wall clock'}), {os.cpu_count()} cores, commit {commit()}, load "
             f"{os.getloadavg()[0]:.1f}.", "", summary(table, clock), "",
             "| row | size | gnomon | JAX | NumPy | PyTorch | wall to best | wall to JAX | cpu to best | cpu to JAX | missed |",
             "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|"]
    for (name, n), results in table.items():
        times = [number(results[x].get(clock), 1e3) or results[x].get("error") or "-" for x in LIBRARIES]
        both = [f"{ratio:.2f}" if ratio is not None else "" for by in ("wall", "cpu") for ratio in ratios(results, by)]
        lines.append(f"| {' | '.join([name, f'{n:,}', *times, *both, ', '.join(f'**{x}**' for x in missed(results, clock))])} |")
    return "\n".join(lines) + "\n"


def commit():
    def git(*arguments):
        return subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=HERE).stdout.strip()
    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def history_line(table, options):
    def cells(results, clock):
        return [float(f"{results[x][clock]:.4g}") if clock in results[x] else None for x in LIBRARIES]
    return {"date": datetime.date.today().isoformat(), "commit": commit(), "python": platform.python_version(),
            "versions": {x: version(x) for x in ("jaxlib", "jax", "numpy", "torch")}, "cores": os.cpu_count(),
            "load": round(os.getloadavg()[0], 1), "rounds": options.rounds, "libraries": LIBRARIES,
            "rows": {f"{name} {n}": {clock: cells(results, clock) for clock in ("wall", "cpu", "first")}
                     for (name, n), results in table.items()}}


def main():
    parser = argparse.ArgumentParser(description="single operations of gnomon, JAX, NumPy and PyTorch on the CPU")
    parser.add_argument("rows", nargs="*", help=f"some of: {', '.join(ROWS)}")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rounds", type=int, default=4, help="turns of each library in a row")
    parser.add_argument("--seconds", type=float, default=0.03, help="how long a turn lasts at least")
    parser.add_argument("--cpu", action="store_true", help="show times of the processor instead of the wall clock's")
    parser.add_argument("--table", type=pathlib.Path, help="write all rows to this file, those that miss a mark in bold; after each row")
    parser.add_argument("--no-history", action="store_true", help=f"do not add a line to {HISTORY.name}")
    parser.add_argument("--worker", choices=LIBRARIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(options.worker)
    unknown = set(options.rows) - set(ROWS)
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}")

    workers, table, clock = {x: Worker(x) for x in LIBRARIES}, {}, "cpu" if options.cpu else "wall"
    with tempfile.TemporaryDirectory() as folder:
        for name in options.rows or ROWS:
            for n in options.sizes:
                if n > ROWS[name].most:
                    continue
                results = table[name, n] = measure(workers, name, n, options.rounds, options.seconds, pathlib.Path(folder))
                best, jax = ratios(results, clock)
                print(f"{name} {n:,}: " + (f"{best:.2f} of the best, {jax:.2f} of JAX" if best and jax else "did not run"),
                      file=sys.stderr)
                if options.table:
                    options.table.write_text(markdown(table, clock))
    show(table, clock)
    print(summary(table, clock))
    if not options.no_history:
        with HISTORY.open("a") as file:
            file.write(json.dumps(history_line(table, options)) + "\n")
    failed = [key for key, results in table.items() if "error" in results["gnomon"] or results["gnomon"].get("agrees") == "≠"]
    for name, n in failed:
        print(f"{name} {n:,}: {table[name, n]['gnomon'].get('error', 'another result than JAX')}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
