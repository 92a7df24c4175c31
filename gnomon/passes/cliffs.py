"""Cliffs: places where a program costs far more than its author may think, each with the line, the cost and the edit to make."""
from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from gnomon.base.source import file_line
from gnomon.ir.check import subprograms
from gnomon.ir.jaxpr import Literal
from gnomon.ops.callback import Callback
from gnomon.ops.compare import SelectN
from gnomon.ops.convert import ConvertElementType
from gnomon.ops.dot import DotGeneral
from gnomon.ops.nested.scan import Scan
from gnomon.ops.shape import StopGradient
from gnomon.passes.cost import VIEWS, compile_seconds, effort, size_in_bytes
from gnomon.passes.dead_code import drop_dead_code
from gnomon.passes.flatten import flatten
from gnomon.passes.repeats import find_runs
from gnomon.passes.windows import Moving
from gnomon.passes.work import work
from gnomon.types.dtype import is_complex, is_float, itemsize_bits

LARGE_CONSTANT = 1 << 20        # bytes
LARGE_KEPT = 1 << 20            # bytes kept for a backward pass from which they are worth a word
LARGE_DONATION = 1 << 22        # bytes that a donation would save from which it is worth a word
LONG_LOOP = 16                  # steps
CUTS = VIEWS | {"slice", "dynamic_slice"}       # what takes an array apart, as list(xs) does: no steps of a loop
SHARE = 0.05                    # of a program's work from which dead work is worth a word


@dataclass(frozen=True)
class Cliff:
    """One cliff: what kind, where (file, line), what happens and costs, and the edit to make."""

    kind: str
    file: str
    line: int
    cost: str
    edit: str

    def __str__(self):
        at = f"{self.file.rsplit('/', 1)[-1]}:{self.line}: " if self.file else ""
        return f"{at}{self.kind}: {self.cost}. {self.edit}"


def find_cliffs(jaxpr, reports, kept=(), compiling=None):
    """The cliffs of a program; `reports` say what was done to its repeats already, `kept` what its reverse passes keep, `compiling` how
    many seconds it took to compile."""
    flat = flatten(jaxpr)
    found = [*large_constants(jaxpr), *unrolled_loops(flat, reports, compiling), *dead_work(flat, kept)]
    for p in subprograms(flat):
        for e in p.eqns:
            for look in (both_arms_paid, promotions, host_transfers, gathers_of_slices):
                cliff = look(e, p)
                if cliff is not None:
                    found.append(cliff)
    return list(dict.fromkeys(found))


def at(e):
    return file_line(e.place) or ("", 0)


def bytes_text(n):
    for unit in ("B", "kB", "MB"):
        if n < 1000:
            return f"{n:.3g} {unit}"
        n /= 1000
    return f"{n:.3g} GB"


def makers_of(jaxpr):
    """{variable: the equation that makes it}, remembered on the program."""
    found = jaxpr.memo.get("makers")
    if found is None:
        found = jaxpr.memo["makers"] = {v: e for e in jaxpr.eqns for v in e.outs}
    return found


def large_constants(jaxpr):
    for v in jaxpr.constvars:
        n = size_in_bytes(v.type)
        if n >= LARGE_CONSTANT:
            user = next((e for e in jaxpr.eqns if v in e.ins), None)
            yield Cliff("large constant captured", *(at(user) if user else ("", 0)),
                        f"an array of type {v.type} ({bytes_text(n)}) is closed over, and kept alive with the compiled function",
                        "Pass it as an argument")


def unrolled_loops(flat, reports, compiling=None):
    done = {(r.file, r.line) for r in reports}
    eqns = Moving(flat.eqns, flat.outvars).seq
    covered = np.zeros(len(eqns), bool)
    for run in find_runs(eqns):
        place = at(eqns[run.start])
        covered[run.start:run.stop] = True
        if run.count >= LONG_LOOP and place not in done and not only_cuts(eqns, run):
            yield Cliff("unrolled loop left alone", *place,
                        f"{run.count} repeats of {run.period} equations, about {share_of(eqns, run, compiling):.2g} s of compile time",
                        "Write it as lax.scan or lax.fori_loop if it grows")
    yield from nearly_equal_steps(eqns, covered, done, compiling)


def share_of(eqns, run, compiling):
    """The seconds of compiling that the steps of a run after the first take: their share of what was measured, else the model's word."""
    total = sum([effort(e) for e in eqns])
    left = total - sum([effort(e) for e in eqns[run.start + run.period:run.stop]])
    seconds = compile_seconds(total) - compile_seconds(left)
    return seconds if compiling is None else compiling * seconds / compile_seconds(total)


def only_cuts(eqns, run):
    return all([e.op.op_name in CUTS for e in eqns[run.start:run.start + run.period]])


def nearly_equal_steps(eqns, covered, done, compiling):
    """Loops whose steps would be equal but for parameters of their ops: what is written into an op as a Python value differs."""
    kinds = {}
    ids = np.asarray([kinds.setdefault((type(e.op), *[v.type for v in e.ins]), len(kinds)) for e in eqns])
    for run in find_runs(eqns, ids, shortest=LONG_LOOP) if len(eqns) >= 2 * LONG_LOOP else ():
        if covered[run.start:run.stop].mean() > 0.5 or only_cuts(eqns, run) or at(eqns[run.start]) in done:
            continue
        for j in range(run.period):
            column = eqns[run.start + j:run.stop:run.period]
            first = column[0].op
            name = next((n for n in first.parameters if any([getattr(e.op, n) != getattr(first, n) for e in column])), None)
            if name is None:
                continue
            if isinstance(first, Callback):
                what, edit = "each calls back another Python function", "Define the function once, outside the loop, and give it what differs as arguments"
            else:
                values = [str(getattr(e.op, name)) for e in column[:3]]
                what = f"{first.op_name} has another {name} in each ({', '.join(v if len(v) < 24 else '...' for v in values)}, ...)"
                edit = "Compute with a value of the step (an array element, or jnp.asarray(i)) in place of that Python value"
            seconds = share_of(eqns, run, compiling)
            yield Cliff("loop whose steps differ", *at(column[0]), f"{run.count} steps of {run.period} equations cannot be rolled, since {what}; "
                        f"about {seconds:.2g} s of compile time", edit)
            break


def dead_work(flat, kept=()):
    """Lines whose work is dropped. The value of a function of which the gradient alone is taken is dropped by the gradient, not by the
    user: what the function's own program uses is not told."""
    live = set(map(id, drop_dead_code(flat).eqns))
    used = {(at(e), e.op.op_name) for early, *_ in kept for e in drop_dead_code(flatten(early)).eqns}
    by_line, total = {}, [0, 0]
    for e in flat.eqns:
        flops, moved = work(e)
        total[0] += flops
        total[1] += moved
        if id(e) not in live and (at(e), e.op.op_name) not in used:
            n, f, b = by_line.get(at(e), (0, 0, 0))
            by_line[at(e)] = n + 1, f + flops, b + moved
    for place, (n, flops, moved) in by_line.items():
        if flops > SHARE * total[0] or moved > SHARE * total[1]:
            yield Cliff("dead work", *place, f"{n} equation{'s are' if n > 1 else ' is'} computed and never used ({flops:,} flops; the compiler drops "
                        f"{'them' if n > 1 else 'it'})",
                        "Drop the code that computes them" if n > 1 else "Drop the code that computes it")


def both_arms_paid(e, p):
    if not isinstance(e.op, SelectN) or len(e.ins) < 3:
        return None
    held = e.ins[1]
    maker = makers_of(p).get(held)
    if maker is None or not isinstance(maker.op, StopGradient) or maker.ins[0] is not e.ins[2]:
        return None
    return Cliff("both branches are paid for", *at(e), "a cond whose predicate is mapped by vmap runs every branch for all lanes and selects "
                 f"({bytes_text(len(e.ins[1:]) * size_in_bytes(e.outs[0].type))} are computed for {bytes_text(size_in_bytes(e.outs[0].type))})",
                 "Keep the predicate unmapped (in_axes=None), or use lax.map over the lanes")


def promotions(e, p):
    if not isinstance(e.op, ConvertElementType) or e.ins[0].__class__ is Literal:
        return None
    old, new = e.ins[0].type.dtype, e.op.new_dtype
    if not (is_float(old) or is_complex(old)) or itemsize_bits(new) <= itemsize_bits(old) or e.ins[0].type.size < 1024:
        return None
    if not meets_wider(e, p):
        return None
    text = source_line(e)
    if "astype" in text or "convert" in text or "dtype" in text:
        return None
    return Cliff("implicit promotion", *at(e), f"an operand of type {e.ins[0].type} is converted to {new} "
                 f"({bytes_text(size_in_bytes(e.outs[0].type))})", "Convert the other operand down, or say the dtype that you mean")


def meets_wider(e, p):
    """Whether a converted value is joined with one that was wider to begin with: what a mean or a norm does inside to be exact is its own
    affair."""
    makers = makers_of(p)
    inputs, narrow = {*p.invars, *p.constvars}, e.ins[0].type.dtype
    stack = [v for q in p.eqns if e.outs[0] in q.ins for v in q.ins if v is not e.outs[0] and v.__class__ is not Literal]
    seen = set()
    while stack:
        v = stack.pop()
        if v in seen or v.type.dtype == narrow or not is_float(v.type.dtype) and not is_complex(v.type.dtype):
            continue
        seen.add(v)
        if v in inputs:
            return True
        stack.extend([i for i in makers[v].ins if i.__class__ is not Literal])
    return False


def host_transfers(e, p):
    if isinstance(e.op, Callback):
        n = sum(size_in_bytes(v.type) for v in (*e.ins, *e.outs) if v.__class__ is not Literal)
        return Cliff("host transfer", *at(e), f"the program stops here to call Python, with {bytes_text(n)} copied to the host and back",
                     "Leave it out of code that runs often, or compute with gnomon.numpy")
    return None


SHIFTS = {"add", "sub", "lt", "select_n", "convert_element_type", "broadcast_in_dim", "reshape", "squeeze"}


def gathers_of_slices(e, p):
    if not e.op.op_name.startswith(("gather", "scatter")) or e.ins[1].__class__ is Literal:
        return None
    makers = makers_of(p)
    roots, stack, steps = set(), [e.ins[1]], 0
    while stack and steps < 40:         # back through what shifts and wraps an index, to where it comes from
        v, steps = stack.pop(), steps + 1
        q = makers.get(v)
        if q is None or q.op.op_name not in SHIFTS:
            roots.add(None if q is None else q.op.op_name)
            continue
        stack.extend(i for i in q.ins if i.__class__ is not Literal)
    if stack or roots != {"iota"}:
        return None
    if e.op.op_name == "gather":
        return Cliff("gather that could be a slice", *at(e), f"consecutive indices from arange pick {bytes_text(size_in_bytes(e.outs[0].type))} "
                     f"from an operand of type {e.ins[0].type}, one index at a time", "Index with a slice, x[start:stop]")
    return Cliff("scatter that could be a slice", *at(e), f"consecutive indices from arange write {bytes_text(size_in_bytes(e.ins[2].type))} "
                 f"to an operand of type {e.ins[0].type}, one index at a time", "Write to a slice, as in x.at[start:stop].set(y)")


# ---- what the transforms, the call and the compiler know ---------------------------------------------------------------

def kept_for_backward(kept):
    """Where the reverse passes of a program keep many bytes; `kept` has (program, how many of its last outputs are kept, in how many lanes
    of vmap it runs) of each."""
    found, seen = [], set()
    for early, count, lanes in kept:
        flat = flatten(early)
        makers = makers_of(flat)
        by_line, by_function = defaultdict(list), defaultdict(list)
        for v in dict.fromkeys(flat.outvars[len(flat.outvars) - count:]):
            e = makers.get(v)
            if e is None:           # an argument, there anyway
                continue
            by_line[at(e)].append((v, e))
            by_function[e.place and e.place[0]].append((v, e))
        total = kept_bytes([p for pairs in by_line.values() for p in pairs], lanes)
        for place, pairs in sorted(by_line.items(), key=lambda p: -kept_bytes(p[1], lanes)):
            n = kept_bytes(pairs, lanes)
            if total < LARGE_KEPT or n < SHARE * total or place in seen:
                continue
            seen.add(place)
            types = Counter(str(v.type) for v, _ in pairs)
            shown = ", ".join(f"{m} of {t}" if m > 1 else t for t, m in types.most_common(3)) + (", ..." if len(types) > 3 else "")
            times = f", in each of {lanes:,} lanes of vmap" if lanes > 1 else ""
            found.append(Cliff("kept for the backward pass", *place, f"{bytes_text(n)} of {bytes_text(total)} are kept from here ({shown}{times})",
                               checkpoint_edit(pairs, by_function, lanes)))
    return found


def kept_bytes(pairs, lanes):
    return lanes * sum(size_in_bytes(v.type) for v, _ in pairs)


def checkpoint_edit(pairs, by_function, lanes):
    """The edit that computes again what the function at a place keeps; where most is stacked by a loop, what a step of it keeps."""
    loop = max((e for _, e in pairs), key=lambda e: isinstance(e.op, Scan) and sum(size_in_bytes(v.type) for v in e.outs))
    if isinstance(loop.op, Scan):
        place = next((e.place for e in loop.op.jaxpr.eqns if e.place), None)
        name = place[0].co_name if place else "<>"
        name = "the function" if name.startswith("<") else name
        return f"Wrap {name}, the body of the loop, in gnomon.checkpoint: each step is computed again from its carry instead"
    place = pairs[0][1].place
    mine = by_function[place and place[0]]
    all_bytes, cheap = kept_bytes(mine, lanes), kept_bytes([(v, e) for v, e in mine if not isinstance(e.op, DotGeneral)], lanes)
    name = place[0].co_name if place else "the function"
    name = "the function around it" if name.startswith("<") else name
    edit = f"Wrap {name} in gnomon.checkpoint: {bytes_text(all_bytes)} are computed again instead"
    if 0 < cheap < all_bytes:
        edit += f", or {bytes_text(cheap)} and no matrix product with policy=checkpoint_policies.dots_saveable"
    return edit


def possible_donations(jaxpr, names, aliased):
    """Arguments that are given out changed and not donated: both are in memory then. `aliased` is the map of those donated to results.

    Only where every argument of a type has its result, so that no other argument can be meant."""
    inputs = set(jaxpr.invars)
    taken = set(aliased.values())
    free = Counter((v.type.shape, v.type.dtype) for o, v in enumerate(jaxpr.outvars)
                   if o not in taken and v.__class__ is not Literal and v not in inputs)
    held = defaultdict(list)
    for i, v in enumerate(jaxpr.invars):
        if i not in aliased and names[i] and hasattr(v.type, "shape"):
            held[v.type.shape, v.type.dtype].append(i)
    by_argument = Counter()
    for key, positions in held.items():
        if 0 < len(positions) <= free[key]:
            for i in positions:
                by_argument[re.match(r"\w*", names[i])[0]] += size_in_bytes(jaxpr.invars[i].type)
    for name, n in by_argument.items():
        if n >= LARGE_DONATION:
            yield Cliff("donation that could happen", "", 0, f"argument {name} holds {bytes_text(n)} of the types of results, and is not donated: "
                        "before and after are in memory at once", f"Use jit(..., donate_argnames={name!r}) where the caller does not use it again")


def donations(jaxpr, names, donated, aliased, compiled):
    """Donated arguments whose memory no result takes over. `donated` are positions in the inputs of the program, `aliased` those that
    a result of the same type was found for, `compiled` is the compiler's text."""
    header = compiled[:compiled.find("\n")]
    held = re.search(r"input_output_alias=\{(.*?)\}(?:, [a-z_]+=|$)", header)
    agreed = {int(n) for n in re.findall(r"\((\d+), \{", held[1])} if held else set()
    for i in donated:
        t = jaxpr.invars[i].type
        if i not in aliased:
            yield Cliff("donation that did not happen", "", 0, f"argument {names[i]} is donated, but no result of type {t} is left to take over "
                        f"its {bytes_text(size_in_bytes(t))}", "Return an array of its shape and dtype, or do not donate it")
        elif i not in agreed:
            yield Cliff("donation that did not happen", "", 0, f"argument {names[i]} is donated, but the compiler gave its "
                        f"{bytes_text(size_in_bytes(t))} to no result", "Do not donate it")


MOVES = {"all-gather": "gathers shards on every device", "all-reduce": "sums partial results over devices", "all-to-all": "exchanges shards",
         "collective-permute": "sends shards to other devices", "reduce-scatter": "sums partial results and splits them",
         "collective-broadcast": "copies one device's data to all"}
ASKED = {"psum", "pmax", "pmin", "ppermute", "all_gather", "all_to_all", "psum_scatter", "reduce_scatter", "pbroadcast", "psum_invariant"}
BITS = re.compile(r"\b(pred|[a-z]+?(\d+)\w*)\[([0-9,]*)\]")


PLACE = re.compile(r'op_name="[^"]*?<([^<>"]*):(\d+)>')


def data_movement(jaxpr, compiled):
    """Collectives that the partitioner put in for shardings that do not meet, from the compiled text of a program that names its
    lines; those that the user called (psum, ...) are no surprise."""
    asked = {at(e) for p in subprograms(jaxpr) for e in p.eqns if e.op.op_name in ASKED}
    found = {}
    lines = compiled.splitlines()
    for line in lines:
        match = re.match(rf"\s*(?:ROOT )?%\S+ = (.*?) ({'|'.join(MOVES)})(?:-start)?\(", line)
        if match is None:
            continue
        sizes = [(n, size_of(d, bits, shape)) for n, (d, bits, shape) in enumerate(BITS.findall(match[1]))]
        n = sum(size for _, size in sizes)
        named = PLACE.search(line)
        if named is None:       # it moves an argument: the place is that of what takes it
            taken = re.compile(rf"[(, ]{re.escape(line.split(' = ')[0].split()[-1])}[,)]")
            named = next((place for user in lines if taken.search(user) and (place := PLACE.search(user))), None)
        key = (named[1], int(named[2])) if named else ("", 0)
        count, total = found.get((key, match[2]), (0, 0))
        found[key, match[2]] = count + 1, total + n
    for (place, kind), (count, n) in found.items():
        if place not in asked:
            times = f"{count} times, {bytes_text(n)} in all" if count > 1 else bytes_text(n)
            yield Cliff("sharding that moves data", *place, f"the compiler put in {kind} here, which {MOVES[kind]} ({times} on each device)",
                        "Shard the operands alike along the dimension that is used here, or move the data once with device_put before")


def size_of(dtype, bits, shape):
    count = 1
    for n in shape.split(","):
        count *= int(n or 1)
    return count * (1 if dtype == "pred" else int(bits) / 8)


_lines: dict = {}


def source_line(e):
    """The text of the user's line, or an empty string."""
    file, line = at(e)
    if file not in _lines:
        try:
            with open(file, encoding="utf-8") as f:
                _lines[file] = f.readlines()
        except OSError:
            _lines[file] = []
    lines = _lines[file]
    return lines[line - 1] if 0 < line <= len(lines) else ""
