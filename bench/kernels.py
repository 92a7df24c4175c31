"""Compiled operations on big arrays: gnomon's times beside JAX's and NumPy's.

    python bench/kernels.py [--rounds 5] [row ...]

Both libraries run in this process, in turn. Ratios travel between machines, times do not: compare ratios only.
"""
import argparse
import time

import jax
import numpy as np

import gnomon

NUMPY = {
    "cumsum_last_axis": lambda x: np.cumsum(x, 1),
    "cumsum_first_axis": lambda x: np.cumsum(x, 0),
    "cumsum_line": lambda x: np.cumsum(x),
    "cumprod_gradient": None,
    "sort": np.sort,
    "argsort": lambda x: np.argsort(x, kind="stable"),
    "argmax_last_axis": lambda x: np.argmax(x, 1),
    "top_k_floats": None,
    "top_k_integers": None,
    "take_rows": lambda x, i: x[i],
    "take_elements": lambda x, i: x.ravel()[i],
    "add_at": None,
    "set_at": None,
    "convolution_in_loop": None,
    "max_pool_gradient": None,
}


def programs(module):
    """Row -> (function, arguments) for gnomon or jax."""
    np_, lax, grad = module.numpy, module.lax, module.grad
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2000, 1000)).astype(np.float32)
    line, half = x.ravel()[:1000000], x[:1000, :200]
    rows = rng.integers(0, 2000, 20000).astype(np.int32)
    places = rng.integers(0, 1000000, 300000).astype(np.int32)
    image, kernel = rng.standard_normal((4, 32, 32, 32)).astype(np.float32), np.full((32, 32, 3, 3), 0.01, np.float32)

    def convolve(x, k):
        return lax.fori_loop(0, 2, lambda i, y: lax.conv(y, k, (1, 1), "SAME"), x)

    def max_pool(x):
        return lax.reduce_window(x, -np.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID").sum()

    return {
        "cumsum_last_axis": (lambda x: np_.cumsum(x, 1), x),
        "cumsum_first_axis": (lambda x: np_.cumsum(x, 0), x),
        "cumsum_line": (lambda x: np_.cumsum(x), line),
        "cumprod_gradient": (grad(lambda x: np_.cumprod(x, 1).sum()), half),
        "sort": (np_.sort, line),
        "argsort": (np_.argsort, line),
        "argmax_last_axis": (lambda x: np_.argmax(x, 1), x),
        "top_k_floats": (lambda x: lax.top_k(x, 10), line),
        "top_k_integers": (lambda x: lax.top_k(x, 10), (line * 1e6).astype(np.int32)),
        "take_rows": (lambda x, i: x[i], x, rows),
        "take_elements": (lambda x, i: x.ravel()[i], x, places),
        "add_at": (lambda x, i: np_.zeros(1000000, np.float32).at[i].add(x[:300000]), line, places),
        "set_at": (lambda x, i: np_.zeros(1000000, np.float32).at[i].set(x[:300000]), line, places),
        "convolution_in_loop": (convolve, image, kernel),
        "max_pool_gradient": (grad(max_pool), image),
    }


def ready(module, function, arguments):
    """A call that waits for its result, compiled already."""
    compiled = module.jit(function)
    arrays = [module.numpy.asarray(a) for a in arguments]

    def call():
        module.block_until_ready(compiled(*arrays))

    call()
    return call


def best_of(calls, rounds):
    """{name: smallest time in ms}, the calls taking turns."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            best[name] = min(best[name], (time.perf_counter() - start) * 1e3)
    return best


def main():
    parser = argparse.ArgumentParser(description="gnomon's compiled operations beside JAX's and NumPy's")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("rows", nargs="*", help="only these rows")
    options = parser.parse_args()
    ours, theirs = programs(gnomon), programs(jax)
    print(f"{'row':22}{'gnomon ms':>11}{'JAX ms':>10}{'NumPy ms':>10}{'to JAX':>9}{'to NumPy':>9}")
    for row, plain in NUMPY.items():
        if options.rows and row not in options.rows:
            continue
        calls = {"gnomon": ready(gnomon, ours[row][0], ours[row][1:]),
                 "jax": ready(jax, theirs[row][0], theirs[row][1:])}
        if plain is not None:
            calls["numpy"] = lambda: plain(*ours[row][1:])
        t = best_of(calls, options.rounds)
        numpy_ms, to_numpy = (f"{t['numpy']:.3f}", f"{t['gnomon'] / t['numpy']:.2f}") if "numpy" in t else ("", "")
        print(f"{row:22}{t['gnomon']:>11.3f}{t['jax']:>10.3f}{numpy_ms:>10}{t['gnomon'] / t['jax']:>9.2f}{to_numpy:>9}")


if __name__ == "__main__":
    main()
