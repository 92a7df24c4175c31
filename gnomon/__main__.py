"""The command line: `gnomon tour`, `gnomon explain`."""
from __future__ import annotations

import argparse
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
    explaining.add_argument("--args", nargs="*", default=[], metavar="TYPE",
                            help="an argument each: float32[8,4] for an array of that type, or a Python expression")
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
    if not colon:
        sys.exit(f"gnomon explain takes script.py:function, got {options.function}")
    scope = runpy.run_path(script, run_name="explained")
    if name not in scope:
        sys.exit(f"{script} has no function {name}")
    report = gnomon.explain(scope[name], measure=options.measure)(*[argument(a, scope) for a in options.args])
    print(report)
    if options.html:
        report.html(options.html)
    return 0


def argument(text, scope):
    """An argument from the command line: `float32[8,4]` is an array of that type, anything else a Python expression."""
    match = re.fullmatch(r"([a-z]+[0-9]*(?:_[a-z0-9]+)?)\[([0-9, ]*)\]", text)
    if match is None:
        return eval(text, scope)
    shape = tuple(int(n) for n in match[2].split(",") if n.strip())
    return jnp.ones(shape, match[1])


if __name__ == "__main__":
    sys.exit(main())
