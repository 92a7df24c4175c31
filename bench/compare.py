"""Gnomon's front end beside JAX's: ratios of times, against the targets we set ourselves.

    python bench/compare.py [--rounds 3] [--slow] [--no-history]

Runs bench/frontend.py for JAX and for gnomon in turn, a fresh process each, and takes the best of every row. Prints a
table and appends one line to bench/history.jsonl. Leaves with 1 where a row of gnomon's failed to run; a target that is
missed is only marked. Ratios travel between machines, times do not: compare ratios only.
"""
import argparse
import compileall
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess
import sys

from processes import measured
from rich.console import Console
from rich.markup import escape
from rich.table import Table

HERE = pathlib.Path(__file__).resolve().parent
HISTORY = HERE / "history.jsonl"

# Row: gnomon's time should be at most this share of JAX's.
TARGETS = {
    "import_s": 0.4,
    "trace_gpt12_fwd_ms": 0.35,
    "trace_gpt12_step_ms": 0.35,
    "trace_gpt12_vmap_step_ms": 0.35,
    "lower_gpt12_step_ms": 0.35,
    "compile_gpt12_step_ms": 1 / 4,
    "run_gpt12_step_ms": 1.0,
    "loop2000_total_s": 1 / 20,
    "loop5000_total_s": 1 / 150,
    "gradloop1000_total_s": 1 / 10,
    "jit_call_us": 1.2,
    "jit_call_98leaves_us": 1.0,
    "eager_add_us": 1.0,
    "eager_index_us": 0.2,
    "eager_where_us": 0.5,
    "eager_at_set_us": 0.2,
    "eager_grad_us": 0.2,
    "eager_vmap_us": 0.2,
    "eager_jvp_us": 0.2,
    "eager_hessian_us": 0.2,
    "make_jaxpr_small_us": 0.35,
}


def with_bytecode():
    """Compile gnomon's source to bytecode where that was not done yet: an installed package has it, as JAX's has here."""
    compileall.compile_dir(HERE.parent / "gnomon", quiet=1)


def measure(implementation, slow):
    """Rows of one fresh process, and {row: error} of those that failed."""
    rows = measured(HERE / "frontend.py", implementation, implementation, *["--slow"] * slow)
    failed = rows.pop("failed")
    return with_totals(rows), failed


def with_totals(rows):
    """The rows and, for every loop, the sum of its three stages."""
    totals = {}
    for name, seconds in rows.items():
        loop, _, stage = name.removesuffix("_s").rpartition("_")
        if loop.startswith("loop") and stage == "compile":
            totals[f"{loop}_total_s"] = rows[f"{loop}_trace_s"] + rows[f"{loop}_lower_s"] + seconds
    return rows | totals


def best(rounds):
    """{row: its smallest value} over several processes."""
    return {name: min(rows[name] for rows in rounds if name in rows) for rows in rounds for name in rows}


def show(jax, gnomon, ratios, failed):
    """Print times, ratios and targets, one line a row."""
    listing = Table()
    for heading in ("row", "unit", "JAX", "gnomon", "ratio", "at most", ""):
        listing.add_column(heading, justify="left" if heading in ("row", "unit", "") else "right")
    for name, theirs in jax.items():
        label, _, unit = name.rpartition("_")
        target = TARGETS.get(name)
        aim = "" if target is None else f"{target:.3g}"
        if name in ratios:
            met = "" if target is None else "[green]met[/]" if ratios[name] <= target else "[red]missed[/]"
            listing.add_row(label, unit, f"{theirs:.4g}", f"{gnomon[name]:.4g}", f"{ratios[name]:.3f}", aim, met)
        else:
            why = escape(failed.get(name, "did not run"))
            listing.add_row(label, unit, f"{theirs:.4g}", "", "", aim, f"[red]{why}[/]")
    Console(width=None if sys.stdout.isatty() else 120).print(listing)


def commit():
    """The short commit, with a + where tracked files differ from it."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=HERE).stdout.strip()
    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def main():
    parser = argparse.ArgumentParser(description="gnomon's front end beside JAX's, as ratios")
    parser.add_argument("--rounds", type=int, default=3, help="fresh processes of each")
    parser.add_argument("--slow", action="store_true", help="also the loops that take JAX minutes")
    parser.add_argument("--no-history", action="store_true", help=f"do not add a line to {HISTORY.name}")
    options = parser.parse_args()

    with_bytecode()
    rounds, failed = {"jax": [], "gnomon": []}, {}
    for number in range(options.rounds):
        for implementation, results in rounds.items():
            rows, wrong = measure(implementation, options.slow)
            results.append(rows)
            failed[implementation] = wrong
            print(f"round {number + 1} of {options.rounds}: {implementation}", file=sys.stderr)
    jax, gnomon = best(rounds["jax"]), best(rounds["gnomon"])
    ratios = {name: gnomon[name] / jax[name] for name in jax if name in gnomon}
    show(jax, gnomon, ratios, failed["gnomon"])

    if not options.no_history:
        line = {"date": datetime.date.today().isoformat(), "commit": commit(), "python": platform.python_version(),
                "jaxlib": importlib.metadata.version("jaxlib"), "jax": importlib.metadata.version("jax"),
                "rounds": options.rounds, "cores": os.cpu_count(),
                "rows": {name: [float(f"{jax[name]:.4g}"), float(f"{gnomon[name]:.4g}")] for name in ratios},
                "ratios": {name: round(ratio, 4) for name, ratio in ratios.items()}}
        with HISTORY.open("a") as file:
            file.write(json.dumps(line) + "\n")
    return 1 if failed["gnomon"] else 0


if __name__ == "__main__":
    sys.exit(main())
