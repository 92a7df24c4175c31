"""explain(f)(*args): what the machine knows of a function, said."""
from __future__ import annotations

import functools
import shutil
import textwrap
import time
from dataclasses import dataclass, field
from html import escape

from gnomon.api.explain_page import page
from gnomon.api.function import ShapeDtypeStruct, as_values, lazy_names
from gnomon.api.jit import Jitted, jit
from gnomon.base.announce import listening
from gnomon.base.frames import entry_point
from gnomon.base.source import file_line
from gnomon.base.tree import tree_flatten
from gnomon.ir.jaxpr import Jaxpr
from gnomon.lower.module import aliases, write_module
from gnomon.passes.cliffs import Cliff, bytes_text, data_movement, donations, find_cliffs, kept_for_backward, possible_donations, source_line
from gnomon.passes.flatten import flatten
from gnomon.passes.pipeline import optimised
from gnomon.passes.work import work
from gnomon.run.compile import compile as compile_text
from gnomon.run.programs import call_of, plan_for, quickened
from gnomon.transforms.linearize import listening_for_kept

WIDE = 200      # columns from which on lines are not wrapped


@dataclass
class Line:
    """What one line of the user's code became."""

    file: str
    line: int
    text: str
    equations: list = field(default_factory=list)     # their positions in the flat program
    flops: float = 0
    bytes: float = 0


@dataclass
class Explanation:
    """A report on one function for one signature: print it, write it as a page with `.html(path)`, or take it as data with
    `.to_dict()`."""

    name: str
    signature: str
    jaxpr: Jaxpr
    lines: list
    stages: dict                # stage -> seconds
    repeats: tuple
    cliffs: list
    announced: list             # (sentence, (file, line) or None)
    cost: dict                  # XLA's own estimates
    equations: int
    measured_seconds: float | None = None

    def to_dict(self):
        """The report as plain data, ready for JSON."""
        return {
            "name": self.name, "signature": self.signature, "equations": self.equations, "jaxpr": str(self.jaxpr),
            "lines": [{"file": x.file, "line": x.line, "text": x.text, "equations": len(x.equations), "flops": x.flops, "bytes": x.bytes}
                      for x in self.lines],
            "stages": dict(self.stages), "repeats": [str(r) for r in self.repeats],
            "cliffs": [{"kind": c.kind, "file": c.file, "line": c.line, "cost": c.cost, "edit": c.edit} for c in self.cliffs],
            "announced": [s for s, _ in self.announced], "cost": dict(self.cost), "measured_seconds": self.measured_seconds}

    def html(self, path=None):
        """The report as one self-contained HTML page: its text, also written to `path` if one is given."""
        made = page(self)
        if path is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(made)
        return made

    def _repr_html_(self):
        return f"<iframe srcdoc='{escape(page(self), quote=True)}' style='width:100%;height:36rem;border:0'></iframe>"

    def __str__(self):
        return self.text(shutil.get_terminal_size((WIDE, 24)).columns)

    def text(self, columns=WIDE):
        """The report as text of lines that are at most so long, as far as words let it."""
        signature = self.signature if len(self.signature) < 200 else self.signature[:197] + "..."
        out = [f"{self.name}({signature}): {self.equations} equations"]
        flops, moved = self.cost.get("flops"), self.cost.get("bytes accessed")
        if flops is not None:
            out.append(f"  XLA counts {flops:,.0f} flops and {bytes_text(moved or 0)} accessed")
        out.append("  " + ", ".join(f"{stage} {seconds * 1e3:.1f} ms" for stage, seconds in self.stages.items()))
        if self.measured_seconds is not None:
            out.append(f"  one run takes {self.measured_seconds * 1e3:.3g} ms")
        out.append("by line of your code:")
        for x in sorted(self.lines, key=lambda x: -x.flops)[:20]:
            where = f"{x.file.rsplit('/', 1)[-1]}:{x.line}" if x.file else "(no line)"
            head = f"  {where:{24 if columns >= 120 else 0}} {len(x.equations):5} eqns {x.flops:12,.0f} flops {bytes_text(x.bytes):>9}  "
            out.append(head + x.text.strip()[:max(min(60, columns - len(head)), 8)])
        if self.repeats:
            out.append("repeats:")
            out += [f"  {r}" for r in self.repeats]
        out.append("cliffs:" if self.cliffs or self.announced else "no cliffs found")
        out += [f"  {c}" for c in self.cliffs]
        out += [f"  {at[0].rsplit('/', 1)[-1]}:{at[1]}: {s}" if at else f"  {s}" for s, at in self.announced]
        if columns < WIDE:
            out = [x for line in out for x in textwrap.wrap(line, columns, subsequent_indent="    ", break_long_words=False)]
        return "\n".join(out)

    __repr__ = __str__


def explain(fun, *, measure=False, static_argnums=None, static_argnames=None):
    """A function that reports what becomes of `fun` for its arguments: equations, flops and bytes per line of your code, the
    stages of compilation with their times, what was done to repeats, and cliffs with the edit to make.

    `fun` may be jitted: then its static and donated arguments and its shardings count. Arguments are arrays or ShapeDtypeStructs;
    `measure` runs the compiled program and times it, and needs arrays.

    >>> import gnomon.numpy as jnp
    >>> report = explain(lambda x: jnp.sin(x) @ x)(jnp.ones((4, 4)))
    >>> report.equations, len(report.cliffs)
    (2, 0)
    """
    if not callable(fun):
        raise TypeError(f"explain needs a function, got {type(fun).__name__}.")
    if not isinstance(fun, Jitted):
        fun = jit(fun, static_argnums=static_argnums, static_argnames=static_argnames)
    elif static_argnums is not None or static_argnames is not None:
        raise ValueError(f"explain: {fun.name} is jitted already; its own static arguments count, so leave static_argnums out.")

    @functools.wraps(fun.fun)
    @entry_point
    def explained(*args, **kwargs):
        return _explain(Jitted(fun.fun, fun.options), args, kwargs, measure)
    return explained


def _explain(jitted, args, kwargs, measure):
    dynamic, positions, _, _, kw, _ = jitted.sort_arguments(args, kwargs)
    leaves, _ = tree_flatten((dynamic, kw))
    if measure and any(x.__class__ is ShapeDtypeStruct for x in leaves):
        raise TypeError(f"explain of {jitted.name} with measure=True runs it, which takes arrays, but was given a ShapeDtypeStruct.")
    stages = {}

    def timed(stage_name, run):
        start = time.perf_counter()
        out = run()
        stages[stage_name] = time.perf_counter() - start
        return out
    with listening() as announced, listening_for_kept() as kept:
        traced = timed("trace", lambda: jitted.trace(*args, **kwargs))
        entry = traced.entry
        closed = entry.jaxpr
        made, repeats = timed("optimise", lambda: optimised(closed))
    names = lazy_names(jitted.fun, dynamic, kw, positions)()
    consts = entry.consts
    places = tuple([getattr(x, "placement", None) for x in (*consts, *leaves)])
    aliased = aliases(closed, entry.donated)
    plan = plan_for(closed, None if all(p is None for p in places) else places, jitted.name, tuple(aliased), jitted.shardings(entry),
                    jitted.options.compiler_options)
    plan = quickened(plan, made)
    text, callbacks = timed("write", lambda: write_module(made, plan, jitted.name, located="lines" if plan.num_partitions > 1 else False))
    if callbacks:
        plan = plan.replace(host_callbacks=callbacks)
    executable = timed("compile", lambda: compile_text(text, plan))
    seconds = None
    if measure:
        runs = executable
        if plan.donated:        # what is donated could be run once only
            kept_plan = plan.replace(donated=())
            runs = compile_text(write_module(made, kept_plan, jitted.name)[0], kept_plan)
        call, arrays = call_of(runs, closed, made, None), [*consts, *as_values(leaves)]
        seconds = min(_time(call, arrays) for _ in range(5))
    jaxpr = traced.jaxpr.jaxpr
    cliffs = weak_inputs(entry, names, traced.types) + find_cliffs(jaxpr, repeats, kept, stages["compile"]) + kept_for_backward(kept)
    compiled = executable.as_text() if entry.donated or plan.num_partitions > 1 else ""
    all_names = [""] * len(consts) + list(names)
    if entry.donated:
        cliffs += donations(closed, all_names, entry.donated, aliased, compiled)
    cliffs += possible_donations(closed, all_names, aliased)
    if plan.num_partitions > 1:
        cliffs += data_movement(made, compiled)
    return Explanation(jitted.name, ", ".join(f"{n}: {t}" for n, t in zip(names, traced.types)), jaxpr, by_line(closed), stages,
                       repeats, cliffs, announced, executable.cost_analysis(), len(flatten(closed).eqns), seconds)


def _time(call, arrays):
    start = time.perf_counter()
    for a in call(arrays):
        a.block_until_ready()
    return time.perf_counter() - start


def by_line(jaxpr):
    """The equations of a program by the user's line, with their work."""
    found = {}
    for i, e in enumerate(flatten(jaxpr).eqns):
        file, line = file_line(e.place) or ("", 0)
        entry = found.get((file, line))
        if entry is None:
            entry = found[file, line] = Line(file, line, source_line(e))
        flops, moved = work(e)
        entry.equations.append(i)
        entry.flops += flops
        entry.bytes += moved
    return list(found.values())


def weak_inputs(entry, names, types):
    """Weakly typed arguments of a program in which a weak type decided a dtype: a strongly typed value makes another trace."""
    return [Cliff("weakly typed argument", "", 0, f"argument {n} is a Python number ({t}); the same call with an array traces again, since "
                  "a weak type decided a dtype", f"Give it the dtype that you mean, as in gnomon.numpy.{t.dtype}({n})")
            for n, t in zip(names, types) if t.weak_type and entry.weak_matters]
