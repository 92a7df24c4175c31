"""Calls of `jax.numpy`'s functions of one or two small arrays beside JAX's: what one costs by itself, and what recording one costs.

    python bench/numpy_calls.py [NAME ...] [--all]

JAX and gnomon take turns in one process and the least of many short repeats counts: in CPU time, which other programs on the machine
change little. Finds the functions by calling every public one with the arguments of `FORMS`; what either library refuses is left out.
Prints the rows that take longer than JAX's (--all: every row), then the middle and the largest ratios.
"""
import argparse
import gc
import inspect
import statistics
import time
import warnings

import jax
import numpy as np

import gnomon

LEFT_OUT = {"save", "savez", "load", "fromfile", "frombuffer", "from_dlpack", "set_printoptions", "array_repr", "array_str", "fromstring"}
ONE, TWO = np.linspace(0.1, 0.9, 16, dtype=np.float32).reshape(4, 4), np.linspace(0.9, 0.2, 16, dtype=np.float32).reshape(4, 4)
WHOLE = np.arange(16, dtype=np.int32)
FORMS = {"x": (ONE,), "x, y": (ONE, TWO), "x, 1": (ONE, 1), "x, 0.2, 0.7": (ONE, 0.2, 0.7), "0.0, 1.0": (0.0, 1.0), "[x, y]": ([ONE, TWO],),
         "x > 0.5, x, y": (ONE > 0.5, ONE, TWO), "i": (WHOLE,), "i, j": (WHOLE, WHOLE[::-1].copy())}


def functions(chosen):
    """The public functions of both libraries."""
    for name in sorted(dir(jax.numpy)):
        theirs, ours = getattr(jax.numpy, name), getattr(gnomon.numpy, name, None)
        if name[0] != "_" and name not in LEFT_OUT and callable(theirs) and ours is not None and not inspect.isclass(theirs):
            if not chosen or name in chosen:
                yield name, theirs, ours


def given(library, arguments):
    def array(a):
        return library.numpy.asarray(a) if isinstance(a, np.ndarray) else [array(b) for b in a] if isinstance(a, list) else a
    return [array(a) for a in arguments]


def repeated(f, arguments, times):
    """The time of one call among several, in us."""
    start = time.process_time_ns()
    for _ in range(times):
        f(*arguments)
    return (time.process_time_ns() - start) / times / 1e3


def eager(library, f, arguments):
    return lambda times: repeated(f, arguments, times)


def traced(library, f, arguments):
    """Times recording: the arrays among the arguments are traced."""
    arrays, numbers = [a for a in arguments if hasattr(a, "dtype")], [a for a in arguments if not hasattr(a, "dtype")]

    def run(times):
        def many(*arrays):
            nonlocal took
            took = repeated(f, [*arrays, *numbers], times)
        took = 0.0
        library.make_jaxpr(many)(*arrays)
        return took
    return run


def compared(pair, rounds=8, times=5):
    """The least times of JAX's and of gnomon's."""
    for run in pair:
        for _ in range(3):
            run(2)
    found = [[run(times) for run in pair] for _ in range(rounds)]
    return [min(column) for column in zip(*found)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true", help="show the rows that are quicker than JAX's, too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    gc.disable()
    ratios = {"eager": {}, "traced": {}}
    for name, theirs, ours in functions(options.names):
        for form, arguments in FORMS.items():
            for kind, timed in (("eager", eager), ("traced", traced)):
                if kind == "traced" and not any(isinstance(a, np.ndarray) for a in arguments):
                    continue
                try:
                    ours(*given(gnomon, arguments))     # JAX ends the process over some of what gnomon refuses
                    pair = [timed(library, f, given(library, arguments)) for library, f in ((jax, theirs), (gnomon, ours))]
                    jax_time, own = compared(pair)
                except Exception:       # one of them does not take these
                    continue
                row, ratio = f"{name}({form})", own / jax_time
                ratios[kind][row] = ratio
                if options.all or ratio > 1:
                    print(f"{kind:7} {row:36} {jax_time:9.1f} {own:9.1f} us {ratio:7.2f}", flush=True)
            gc.collect()
    for kind, found in ratios.items():
        if found:
            print(f"{kind}: {len(found)} rows, middle ratio {statistics.median(found.values()):.2f}, largest {max(found.values()):.2f}, "
                  f"longer than JAX's in {sum(r > 1 for r in found.values())}")


if __name__ == "__main__":
    main()
