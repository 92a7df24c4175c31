"""Cliffs: places where a program costs far more than its author may think, each with the line, the cost and the edit to make."""
from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from gnomon.base.source import file_line
from gnomon.ir.check import subprograms
from gnomon.ir.jaxpr import Literal
from gnomon.ops.callback import Callback
from gnomon.ops.compare import SelectN
from gnomon.ops.convert import ConvertElementType
from gnomon.ops.dot import DotGeneral
from gnomon.ops.shape import StopGradient
from gnomon.passes.cost import compile_seconds, size_in_bytes
from gnomon.passes.dead_code import drop_dead_code
from gnomon.passes.flatten import flatten
from gnomon.passes.repeats import find_runs
from gnomon.passes.work import work
from gnomon.types.dtype import is_complex, is_float, itemsize_bits

LARGE_CONSTANT = 1 << 20        # bytes
LARGE_KEPT = 1 << 20            # bytes kept for a backward pass from which they are worth a word
LONG_LOOP = 16                  # steps
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


def find_cliffs(jaxpr, reports):
    """The cliffs of a program; `reports` say what was done to its repeats already."""
    flat = flatten(jaxpr)
    found = [*large_constants(jaxpr), *unrolled_loops(flat, reports), *dead_work(flat)]
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


def large_constants(jaxpr):
    for v in jaxpr.constvars:
        n = size_in_bytes(v.type)
        if n >= LARGE_CONSTANT:
            user = next((e for e in jaxpr.eqns if v in e.ins), None)
            yield Cliff("large constant captured", *(at(user) if user else ("", 0)),
                        f"an array of type {v.type} ({bytes_text(n)}) is closed over, and kept alive with the compiled function",
                        "Pass it as an argument")


def unrolled_loops(flat, reports):
    done = {(r.file, r.line) for r in reports}
    for run in find_runs(list(flat.eqns), shortest=LONG_LOOP):
        place = at(flat.eqns[run.start])
        if place not in done:
            seconds = compile_seconds(len(flat.eqns)) - compile_seconds(len(flat.eqns) - run.saved)
            yield Cliff("unrolled loop left alone", *place,
                        f"{run.count} repeats of {run.period} equations, about {seconds:.2g} s of compile time",
                        "Write it as lax.scan or lax.fori_loop if it grows")


def dead_work(flat):
    kept = set(map(id, drop_dead_code(flat).eqns))
    by_line, total = {}, [0, 0]
    for e in flat.eqns:
        flops, moved = work(e)
        total[0] += flops
        total[1] += moved
        if id(e) not in kept:
            n, f, b = by_line.get(at(e), (0, 0, 0))
            by_line[at(e)] = n + 1, f + flops, b + moved
    for place, (n, flops, moved) in by_line.items():
        if flops > SHARE * total[0] or moved > SHARE * total[1]:
            yield Cliff("dead work", *place, f"{n} equations are computed and never used ({flops:,} flops; the compiler drops them)",
                        "Drop the code that computes them")


def both_arms_paid(e, p):
    if not isinstance(e.op, SelectN) or len(e.ins) < 3:
        return None
    held = e.ins[1]
    maker = next((q for q in p.eqns if held in q.outs), None)
    if maker is None or not isinstance(maker.op, StopGradient) or maker.ins[0] is not e.ins[2]:
        return None
    return Cliff("both branches are paid for", *at(e), "a cond whose predicate is mapped by vmap runs every branch for all lanes and selects",
                 "Keep the predicate unmapped (in_axes=None), or use lax.map over the lanes")


def promotions(e, p):
    if not isinstance(e.op, ConvertElementType) or e.ins[0].__class__ is Literal:
        return None
    old, new = e.ins[0].type.dtype, e.op.new_dtype
    if not (is_float(old) or is_complex(old)) or itemsize_bits(new) <= itemsize_bits(old) or e.ins[0].type.size < 1024:
        return None
    text = source_line(e)
    if "astype" in text or "convert" in text or "dtype" in text:
        return None
    return Cliff("implicit promotion", *at(e), f"an operand of type {e.ins[0].type} is converted to {new} "
                 f"({bytes_text(size_in_bytes(e.outs[0].type))})", "Convert the other operand down, or say the dtype that you mean")


def host_transfers(e, p):
    if isinstance(e.op, Callback):
        return Cliff("host transfer", *at(e), "the program stops here to call Python, with its operands copied to the host",
                     "Leave it out of code that runs often, or compute with gnomon.numpy")
    return None


SHIFTS = {"add", "sub", "lt", "select_n", "convert_element_type", "broadcast_in_dim", "reshape", "squeeze"}


def gathers_of_slices(e, p):
    if e.op.op_name != "gather" or e.ins[1].__class__ is Literal:
        return None
    makers = {v: q for q in p.eqns for v in q.outs}
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
    return Cliff("gather that could be a slice", *at(e), f"consecutive indices from arange pick from an operand of type {e.ins[0].type}",
                 "Index with a slice, x[start:stop]")


# ---- what the transforms, the call and the compiler know ---------------------------------------------------------------

def kept_for_backward(kept):
    """Where the reverse passes of a program keep many bytes; `kept` has (program, how many of its last outputs are kept) of each."""
    found, seen = [], set()
    for early, count in kept:
        flat = flatten(early)
        makers = {v: e for e in flat.eqns for v in e.outs}
        by_line, by_function = defaultdict(list), defaultdict(list)
        for v in dict.fromkeys(flat.outvars[len(flat.outvars) - count:]):
            e = makers.get(v)
            if e is None:           # an argument, there anyway
                continue
            by_line[at(e)].append((v, e))
            by_function[e.place and e.place[0]].append((v, e))
        total = sum(size_in_bytes(v.type) for pairs in by_line.values() for v, _ in pairs)
        for place, pairs in sorted(by_line.items(), key=lambda p: -sum(size_in_bytes(v.type) for v, _ in p[1])):
            n = sum(size_in_bytes(v.type) for v, _ in pairs)
            if total < LARGE_KEPT or n < SHARE * total or place in seen:
                continue
            seen.add(place)
            types = Counter(str(v.type) for v, _ in pairs)
            shown = ", ".join(f"{m} of {t}" if m > 1 else t for t, m in types.most_common(3)) + (", ..." if len(types) > 3 else "")
            found.append(Cliff("kept for the backward pass", *place, f"{bytes_text(n)} of {bytes_text(total)} are kept from here ({shown})",
                               checkpoint_edit(pairs[0][1].place, by_function)))
    return found


def checkpoint_edit(place, by_function):
    """The edit that computes again what the function at a place keeps."""
    pairs = by_function[place and place[0]]
    all_bytes = sum(size_in_bytes(v.type) for v, _ in pairs)
    cheap = sum(size_in_bytes(v.type) for v, e in pairs if not isinstance(e.op, DotGeneral))
    name = place[0].co_name if place else "the function"
    name = "the function around it" if name.startswith("<") else name
    edit = f"Wrap {name} in gnomon.checkpoint: {bytes_text(all_bytes)} are computed again instead"
    if 0 < cheap < all_bytes:
        edit += f", or {bytes_text(cheap)} and no matrix product with policy=checkpoint_policies.dots_saveable"
    return edit


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


def data_movement(jaxpr, compiled):
    """Collectives that the partitioner put in for shardings that do not meet, from the compiled text of a program that names its
    lines; those that the user called (psum, ...) are no surprise."""
    asked = {at(e) for p in subprograms(jaxpr) for e in p.eqns if e.op.op_name in ASKED}
    found = {}
    for line in compiled.splitlines():
        match = re.match(rf"\s*(?:ROOT )?%\S+ = (.*?) ({'|'.join(MOVES)})(?:-start)?\(", line)
        if match is None:
            continue
        sizes = [(n, size_of(d, bits, shape)) for n, (d, bits, shape) in enumerate(BITS.findall(match[1]))]
        n = sum(size for _, size in sizes)
        named = re.search(r'op_name="[^"]*?<([^<>"]*):(\d+)>', line)
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
