"""The command line: `gnomon tour`, `gnomon explain`."""
from __future__ import annotations

import argparse
import inspect
import os
import re
import runpy
import sys
import time

import numpy as np
from rich.console import Console
from rich.panel import Panel
from rich.syntax import Syntax

import gnomon
import gnomon.numpy as jnp
from gnomon.types.dtype import DTYPES, parse_short_name


def loss(w, x, y):
    """A small model: mean squared error of tanh(x @ w)."""
    return jnp.mean((jnp.tanh(x @ w) - y) ** 2)


class Tour:
    """Shows what the machine does to one function, step by step."""

    def __init__(self, console):
        self.console = console
        rng = np.random.default_rng(0)
        self.args = [jnp.asarray(rng.normal(size=s), jnp.float32) for s in ((4, 2), (8, 4), (8, 2))]

    def section(self, title, says, body, language=None):
        self.console.print(f"\n[bold]{title}[/bold]\n{says}")
        self.console.print(Panel(Syntax(body, language, background_color="default") if language else body, expand=False))

    def run(self):
        """Print the tour."""
        start = time.perf_counter()
        w, x, y = self.args
        self.section("1. A program", "Your function runs once on stand-ins; what it did is a small typed program, a jaxpr.",
                     "def loss(w, x, y):\n    return jnp.mean((jnp.tanh(x @ w) - y) ** 2)", "python")
        self.section("", "gnomon.make_jaxpr(loss)(w, x, y)", str(gnomon.make_jaxpr(loss)(w, x, y)))
        self.section("2. Its gradient", "A transformation rewrites the program: gnomon.grad(loss).",
                     str(gnomon.make_jaxpr(gnomon.grad(loss))(w, x, y)))
        self.section("3. Its batched form", "gnomon.vmap over the examples: the loss of each, in one program.",
                     str(gnomon.make_jaxpr(gnomon.vmap(loss, (None, 0, 0)))(w, x, y)))
        self.section("4. What the compiler gets", "gnomon.jit(gnomon.grad(loss)).lower(w, x, y).as_text(): StableHLO.",
                     gnomon.jit(gnomon.grad(loss)).lower(w, x, y).as_text().strip())
        step = gnomon.jit(lambda w: w - 0.3 * gnomon.grad(loss)(w, x, y))
        before = float(loss(w, x, y))
        for _ in range(100):
            w = step(w)
        self.section("5. It runs", "A hundred steps of gradient descent, traced and compiled once.",
                     f"loss before {before:.4f}, after {float(loss(w, x, y)):.4f}; traces: {len(step.cache_report())}")
        self.refusal()
        self.sharded()
        self.console.print(f"\nThat took {time.perf_counter() - start:.1f} seconds.")

    def refusal(self):
        def keep_positive(x):
            if x > 0:
                return x
            return -x
        try:
            gnomon.jit(keep_positive)(1.0)
        except gnomon.errors.TracerBoolConversionError as error:
            self.section("6. A refusal", "Python's `if` needs a number, and a traced value has none. The error names the edit.", str(error))

    def sharded(self):
        explicit = gnomon.sharding.AxisType.Explicit
        mesh = gnomon.make_mesh((1, 1), ("data", "model"), axis_types=(explicit, explicit))
        with gnomon.sharding.set_mesh(mesh):
            a = gnomon.device_put(jnp.zeros((8, 4)), gnomon.NamedSharding(mesh, gnomon.P("data", "model")))
            b = gnomon.device_put(jnp.zeros((8, 4)), gnomon.NamedSharding(mesh, gnomon.P("model", "data")))
            lines = [f"typeof(a) = {gnomon.typeof(a)}", f"typeof(b) = {gnomon.typeof(b)}"]
            try:
                gnomon.make_jaxpr(lambda p, q: p + q)(a, b)
            except gnomon.errors.ShardingTypeError as error:
                lines.append(f"a + b: {error}")
        self.section("7. A sharded type", "Types say where values are, and disagreements are found while tracing.", "\n".join(lines))


def main(arguments=None):
    """Run a subcommand; the exit status."""
    parser = argparse.ArgumentParser(prog="gnomon", description="Gnomon, a tracing machine for numerical Python.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("tour", help="what the machine does to a function, in under a minute")
    explaining = commands.add_parser("explain", help="what becomes of a function: lines, work, stages, repeats, cliffs")
    explaining.add_argument("function", metavar="script.py:function")
    explaining.add_argument("--args", nargs="*", default=[], metavar="ARG",
                            help="an argument each: float32[8,4] (or f32[8,4]) for an array of that type, a Python expression in the "
                            "script's names, which may hold such types (\"{'w': f32[8,4]}\"), or NAME=ARG")
    explaining.add_argument("--static", nargs="*", default=[], metavar="NAME", help="arguments whose values are part of the program")
    explaining.add_argument("--html", metavar="PATH", help="write the report as a page")
    explaining.add_argument("--measure", action="store_true", help="run the compiled program and time it")
    options = parser.parse_args(arguments)
    if options.command == "tour":
        Tour(Console()).run()
        return 0
    return explain_function(options)


def explain_function(options):
    """The subcommand `explain`; the exit status."""
    script, colon, name = options.function.rpartition(":")
    if not colon or not script or not name:
        sys.exit(f"gnomon explain takes script.py:function, got {options.function}")
    if not os.path.isfile(script):
        sys.exit(f"gnomon explain: there is no file {script}")
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    scope = runpy.run_path(script, run_name="explained")
    fun = scope.get(name)
    if fun is None or not callable(fun):
        made_here = sorted(k for k, v in scope.items() if callable(v) and getattr(v, "__module__", None) == "explained")
        sys.exit(f"gnomon explain: {script} has no function {name}" + (f"; it has {', '.join(made_here)}" if made_here else ""))
    args, kwargs = [], {}
    for text in options.args:
        match = re.match(r"([A-Za-z_]\w*)=(?!=)", text)
        if match:
            kwargs[match[1]] = argument(text[match.end():], scope)
        elif kwargs:
            sys.exit(f"gnomon explain: the argument {text} has no name, but follows one that has")
        else:
            args.append(argument(text, scope))
    try:
        inspect.signature(fun).bind(*args, **kwargs)
    except TypeError as error:
        sys.exit(f"gnomon explain: {name}{inspect.signature(fun)} cannot be called with --args {' '.join(options.args)}: {error}")
    except ValueError:          # no signature is known
        pass
    if options.static:
        try:
            fun = gnomon.jit(fun, static_argnames=options.static)
        except ValueError as error:
            sys.exit(f"gnomon explain: --static {' '.join(options.static)}: {error}")
    report = gnomon.explain(fun, measure=options.measure)(*args, **kwargs)
    print(report)
    if options.html:
        try:
            report.html(options.html)
        except OSError as error:
            sys.exit(f"gnomon explain: the page cannot be written: {error}")
    return 0


def argument(text, scope):
    """An argument from the command line: a Python expression, in which `float32[8,4]` or `f32[8,4]` is an array of that type."""
    def array(match):
        try:
            dtype = jnp.dtype(match[1]) if match[1] in DTYPES else parse_short_name(match[1])
        except (KeyError, TypeError, ValueError):
            return match[0]     # not a type: an index
        return f"_array({dtype.name!r}, ({match[2]},))" if match[2].strip() else f"_array({dtype.name!r}, ())"
    made = re.sub(r"\b([a-z]+[0-9]*(?:_[a-z0-9]+)?)\[([0-9, ]*)\]", array, text)
    try:
        return eval(made, {"np": np, "jnp": jnp, **scope, "_array": lambda dtype, shape: jnp.ones(shape, dtype)})
    except Exception as error:
        sys.exit(f"gnomon explain: the argument {text} is neither a type such as float32[8,4] nor a Python expression in the names of the "
                 f"script: {error}")


if __name__ == "__main__":
    sys.exit(main())
