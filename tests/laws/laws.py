"""What a law compares: an op's results one way and another."""
import functools
import itertools

import numpy as np

from gnomon.base.errors import Refused, ShardingTypeError
from gnomon.base.settings import enable_x64
from gnomon.ir.op import ZERO
from gnomon.lower.text import physical
from gnomon.ops.arithmetic import Add, Clamp
from gnomon.ops.compare import SelectN
from gnomon.ops.elementwise import Elementwise
from gnomon.trace.stage import inline
from gnomon.transforms import Batching, jvp, linearize, vjp, vmap
from gnomon.types.dtype import bfloat16, finfo, iinfo, is_complex, is_float, is_inexact, is_integer, is_key, real_dtype
from gnomon.types.sharding import PartitionSpec
from gnomon.types.value_type import ArrayType

from tests.laws.examples import draw, tolerance
from tests.laws.machine import SOONER, compiled, evaluate, executed, on_devices, op_program, program, to_array

WIDE = np.dtype("float64"), np.dtype("complex128")


def numbers(x):
    """A NumPy array in a dtype that NumPy can compute with."""
    return x.astype(np.float64) if x.dtype.kind == "V" and is_float(x.dtype) else x


def assert_close(got, want, what, rtol, atol=0.0):
    got, want = numbers(np.asarray(got)), numbers(np.asarray(want))
    assert got.shape == want.shape, f"{what}: shape {got.shape}, expected {want.shape}"
    if got.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want, err_msg=what)
    else:
        size = np.max(np.abs(want[np.isfinite(want)]), initial=0.0)
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol + rtol * size, err_msg=what)


# ---- derivatives ------------------------------------------------------------------------------------------------

def widened(example):
    """The op and its operand types in double precision, where the op takes it; else as they are."""
    found = None if example.native else in_dtypes(example, wide_dtype)
    return (example.op, example.types) if found is None else found


def in_dtypes(example, change):
    """The op and its operand types with their dtypes changed, or None where the op does not take them."""
    types = tuple(t.with_dtype(change(t.dtype)) for t in example.types)
    changes = {p: change(v) for p in example.op.parameters
               if isinstance(v := getattr(example.op, p), np.dtype) and is_inexact(v)}
    op = example.op.replace(**changes) if changes else example.op
    try:
        op.infer(types)
    except (TypeError, ValueError):
        return None
    return op, types


def wide_dtype(dtype):
    return WIDE[is_complex(dtype)] if is_inexact(dtype) else dtype


class Derivatives:
    """An op's derivatives at one point, from one compiled program.

    `patterns` are the sets of operands that move: all together, and each on its own. Tangents that a program does not
    have are zeros."""

    def __init__(self, example, second):
        self.example = example
        self.op, self.types = widened(example)
        self.moving = example.moving
        self.rng = np.random.default_rng(0)
        self.step = 1e-5 if all(t.dtype in WIDE for t in map(self.types.__getitem__, self.moving)) else 1e-2
        self.rtol = example.rtol or (1e-5 if self.step == 1e-5 else 5e-2)
        self.atol = example.atol or (1e-7 if self.step == 1e-5 else 1e-2)
        self.plain = op_program(self.op, self.types)
        self.outs = [i for i, v in enumerate(self.plain.outvars) if is_inexact(v.type.dtype)]
        self.patterns = [self.moving] + ([(i,) for i in self.moving] if len(self.moving) > 1 else [])
        moving_types = [self.types[i] for i in self.moving]
        out_types = [self.plain.outvars[i].type for i in self.outs]
        self.inputs = [*self.types, *moving_types, *moving_types, *out_types]
        self.second = second
        self.g = compiled(program(self.inputs, self.record), SOONER)
        self.x = [example.draw(self.rng, i, t) for i, t in enumerate(self.types)]
        self.v = [example.direction(self.rng, i, self.types[i]) for i in self.moving]
        self.w = [example.direction(self.rng, i, self.types[i]) for i in self.moving]
        self.ct = [draw(self.rng, t, -1, 1, None) for t in out_types]
        found = self.g(*self.x, *self.v, *self.w, *self.ct)
        self.found = self.read(found)

    def values(self, *x):
        """The op's results at x, from the program of derivatives."""
        return self.read(self.g(*x, *self.v, *self.w, *self.ct))["plain"]

    def record(self, *values):
        """The program: the op's results, primal results and tangents for every pattern, second tangents, cotangents."""
        n, m = len(self.types), len(self.moving)
        x, v, w, ct = values[:n], values[n:n + m], values[n + m:n + 2 * m], values[n + 2 * m:]
        # rules that are written out as a whole compute the op's results too, and are compared with the op's own
        count, out = len(self.plain.outvars), inline(self.plain, (), x)
        self.has = []
        for pattern in self.patterns:
            nonzero = tuple(i in pattern for i in range(n))
            moved, has = jvp(self.plain, nonzero)
            out += inline(moved, (), (*x, *[t for i, t in zip(self.moving, v) if i in pattern]))
            self.has.append(has)
        nonzero = tuple(i in self.moving for i in range(n))
        if self.second:
            moved, has = jvp(self.plain, nonzero)
            twice, has_twice = jvp(moved, nonzero + (False,) * m)
            found = inline(twice, (), (*x, *v, *w))[len(moved.outvars):]
            found = iter(found)
            tangents = [next(found) if h else None for h in has_twice][count:]
            self.has_second = [t is not None for t in tangents]
            out += [t for t in tangents if t is not None]
        early, back, has, residuals = vjp(self.plain, nonzero)
        kept = inline(early, (), x)[count:]
        assert len(kept) == residuals
        given = [c for i, c in zip(self.outs, ct) if has[i]]
        if given:
            out += inline(back, (), (*kept, *given))
        self.has_back = bool(given)
        if self.second and given:
            out += self.over_reverse(x, v, w, given, has)
        return out

    def over_reverse(self, x, v, w, given, has):
        """How the gradient x, ct -> J(x)' ct moves along w, and what its own transpose gives for v."""
        def gradient(*values):
            early, back, _, _ = vjp(self.plain, nonzero)
            kept = inline(early, (), values[:n])[len(self.plain.outvars):]
            return inline(back, (), (*kept, *values[n:]))

        n, m = len(x), len(self.moving)
        nonzero = tuple(i in self.moving for i in range(n))
        types = [*self.types, *[self.plain.outvars[i].type for i in self.outs if has[i]]]
        grad = program(types, gradient)
        moved, self.has_forward = jvp(grad, nonzero + (False,) * len(given))
        out = inline(moved, (), (*x, *given, *w))[m:]
        early, back, self.has_twice, _ = vjp(grad, nonzero + (True,) * len(given))
        kept = inline(early, (), (*x, *given))[m:]
        cotangents = [t for t, h in zip(v, self.has_twice) if h]
        return out + inline(back, (), (*kept, *cotangents))

    def read(self, flat):
        """Name the program's results: {"primal": per pattern, "tangent": per pattern, "second": ..., "back": ...}."""
        flat = iter(flat)
        count = len(self.plain.outvars)
        found = {"plain": [next(flat) for _ in range(count)], "primal": [], "tangent": []}
        for has in self.has:
            found["primal"].append([next(flat) for _ in range(count)])
            found["tangent"].append(self.full([next(flat) for h in has if h], has))
        if self.second:
            shown = iter([next(flat) for h in self.has_second if h])
            shown = [next(shown) if h else None for h in self.has_second]
            have = iter(shown)
            per_out = [next(have) if h else None for h in self.has[0]]
            found["second"] = self.full([t for t in per_out if t is not None], [t is not None for t in per_out])
        found["back"] = [next(flat) for _ in self.moving] if self.has_back else [np.zeros(self.types[i].shape) for i in self.moving]
        if self.second and self.has_back:
            found["forward over reverse"] = [next(flat) if h else np.zeros(self.types[i].shape) for h, i in zip(self.has_forward, self.moving)]
            found["reverse over reverse"] = [next(flat) for _ in self.moving]
            found["back and forth"] = list(flat)
        return found

    def full(self, tangents, has):
        """A tangent for each inexact output, zeros where the program has none."""
        tangents = iter(tangents)
        every = [next(tangents) if h else None for h in has]
        types = [v.type for v in self.plain.outvars]
        return [np.zeros(types[i].shape, types[i].dtype) if every[i] is None else every[i] for i in self.outs]

    def moved(self, direction, pattern, step):
        """The point, moved along a direction."""
        x = list(self.x)
        for i, t in zip(self.moving, direction):
            if i in pattern:
                x[i] = (numbers(x[i]) + step * numbers(t)).astype(x[i].dtype)
        return x

    def difference(self, f, direction, pattern):
        """(f(x + h v) - f(x - h v)) / 2h for a function f that gives a list of inexact numbers."""
        ahead = f(*self.moved(direction, pattern, self.step))
        behind = f(*self.moved(direction, pattern, -self.step))
        return [(numbers(a) - numbers(b)) / (2 * self.step) for a, b in zip(ahead, behind)]

    def inexact_results(self, *x):
        results = self.values(*x)
        return [results[i] for i in self.outs]


@functools.lru_cache(maxsize=8)
def derivatives(example):
    with enable_x64(True):
        return Derivatives(example, "second" not in example.without)


def check_jvp(example):
    """Tangents agree with differences, and the values beside them with the op's own."""
    with enable_x64(True):
        d = derivatives(example)
        plain = d.found["plain"]
        for pattern, values, tangents in zip(d.patterns, d.found["primal"], d.found["tangent"]):
            for got, want in zip(values, plain):
                assert_close(got, want, "value beside the tangent", tolerance(want.dtype))
            wanted = d.difference(d.inexact_results, d.v, pattern)
            for i, got, want in zip(d.outs, tangents, wanted):
                assert_close(got, want, f"tangent of result {i}, operands {pattern} moving", d.rtol, d.atol)


def check_second(example):
    """Tangents of tangents agree with differences of tangents."""
    with enable_x64(True):
        d = derivatives(example)

        def first(*x):
            return d.read(d.g(*x, *d.v, *d.w, *d.ct))["tangent"][0]

        wanted = d.difference(first, d.w, d.moving)
        for i, got, want in zip(d.outs, d.found["second"], wanted):
            assert_close(got, want, f"second tangent of result {i}", d.rtol * 10, d.atol * 10)


def check_transpose(example):
    """<ct, J v> = <J' ct, v>, where <a, b> is the real part of the sum of a b."""
    with enable_x64(True):
        d = derivatives(example)
        left = [np.real(numbers(a) * numbers(b)) for a, b in zip(d.ct, d.found["tangent"][0])]
        right = [np.real(numbers(a) * numbers(b)) for a, b in zip(d.found["back"], d.v)]
        for i, ct in zip(d.moving, d.found["back"]):
            assert ct.shape == d.types[i].shape, f"cotangent of operand {i}: {ct.shape}"
        size = sum(np.abs(x).sum() for x in left + right)
        dtypes = [x.dtype for x in d.found["back"] + d.found["tangent"][0]]
        near = max([tolerance(t) for t in dtypes], default=0) * max(float(size), 1e-30)
        got, want = sum(x.sum() for x in right), sum(x.sum() for x in left)
        assert abs(got - want) <= near, f"<J' ct, v> = {got}, <ct, J v> = {want}"


def check_over_reverse(example):
    """With the gradient J' ct: its tangents <ct, H(w) v>, its own gradient, and tangents of tangents agree; and the transpose of
    the transpose is J."""
    with enable_x64(True):
        d = derivatives(example)
        if not d.has_back:
            return

        def pairing(left, right):
            terms = [np.real(numbers(a) * numbers(b)) for a, b in zip(left, right, strict=True)]
            return sum(float(x.sum()) for x in terms), sum(float(np.abs(x).sum()) for x in terms)

        numbers_of = pairing(d.ct, d.found["second"]), pairing(d.found["forward over reverse"], d.v), \
            pairing(d.found["reverse over reverse"], d.w)
        dtypes = [np.asarray(x).dtype for x in d.found["second"] + d.found["reverse over reverse"]]
        near = 256 * max([tolerance(t) for t in dtypes]) * max(1e-30, *[size for _, size in numbers_of])
        (want, _), (forward, _), (reverse, _) = numbers_of
        assert abs(forward - want) <= near, f"forward over reverse: {forward}, forward over forward: {want}, tolerance {near}"
        assert abs(reverse - want) <= near, f"reverse over reverse: {reverse}, forward over forward: {want}, tolerance {near}"
        tangents = [t for i, t in zip(d.outs, d.found["tangent"][0]) if d.has[0][i]]
        for got, want in zip(d.found["back and forth"], tangents, strict=True):
            assert_close(got, want, "transpose of the transpose", 4 * tolerance(got.dtype))


# ---- dtypes -----------------------------------------------------------------------------------------------------

NARROW = (np.dtype("float16"), None), (np.dtype(bfloat16), None), (np.dtype("float32"), np.dtype("complex64"))


def narrowed(example):
    """The op and its operand types in each of the narrower dtypes that it takes."""
    for pair in NARROW:
        if None not in pair or not any(is_complex(t.dtype) for t in example.types):
            found = in_dtypes(example, lambda dtype: pair[is_complex(dtype)] if is_inexact(dtype) else dtype)
            if found is not None:
                yield found


def both_ways(plain, moving, x, v, ct):
    """(what, result)s: the op's values, and of operands that move their effect on the results and the results' on them."""
    if not moving:
        return [("value", y) for y in inline(plain, (), x)]
    nonzero = tuple(i in moving for i in range(len(x)))
    early, later, has, count = linearize(plain, nonzero)
    early, back, _, _ = vjp(plain, nonzero)
    found = inline(early, (), x)
    values, kept = found[:len(plain.outvars)], found[len(plain.outvars):]
    given = [c for c, h in zip(ct, [h for h, out in zip(has, plain.outvars) if is_inexact(out.type.dtype)]) if h]
    tangents = inline(later, (), (*kept, *v))
    return [*[("value", y) for y in values], *[("tangent", t) for t in tangents],
            *[("cotangent", c) for c in (inline(back, (), (*kept, *given)) if given else [])]]


def check_dtypes(example):
    """Values and derivatives in narrow dtypes agree with those in double precision, at the same numbers."""
    with enable_x64(True):
        moving = example.moving if all(holds_for(law, example) for law in ("jvp", "transpose")) else ()
        narrow, wide = list(narrowed(example)), widened(example)
        versions = [*narrow, wide]
        rng = np.random.default_rng(3)
        # numbers that all the dtypes have
        x = [rounded(example.draw(rng, i, t), [types[i].dtype for _, types in narrow]) for i, t in enumerate(wide[1])]
        plain = [op_program(op, types) for op, types in versions]
        outs = [[v.type for v in p.outvars if is_inexact(v.type.dtype)] for p in plain]
        types = [[*types, *[types[i] for i in moving], *out] for (_, types), out in zip(versions, outs)]
        v = [rounded(example.direction(rng, i, wide[1][i]), [types[i].dtype for _, types in narrow]) for i in moving]
        ct = [rounded(draw(rng, t, -1, 1, None), [out[i].dtype for out in outs]) for i, t in enumerate(outs[-1])]
        numbers = [*x, *v, *ct]
        whats = []

        def record(*values):
            found = []
            for i, p in enumerate(plain):
                mine = values[i * len(numbers):(i + 1) * len(numbers)]
                n, m = len(x), len(moving)
                found.append(both_ways(p, moving, mine[:n], mine[n:n + m], mine[n + m:]))
            whats[:] = [what for what, _ in found[0]]
            return [y for results in found for _, y in results]

        given = [in_dtype(a, t.dtype) for mine in types for a, t in zip(numbers, mine)]
        found = compiled(program(list(itertools.chain(*types)), record), SOONER)(*given)
        each = len(whats)
        for at in range(0, len(found) - each, each):
            for what, got, want in zip(whats, found[at:at + each], found[-each:]):
                assert_narrow(got, want, what, example)


def rounded(x, dtypes):
    """The nearest numbers that all these dtypes have."""
    for dtype in dtypes:
        x = in_dtype(x, dtype)
    return x


def in_dtype(x, dtype):
    """The numbers in an inexact dtype; integers, booleans and the words of keys as they are."""
    return x.astype(dtype) if is_inexact(dtype) else x


def assert_narrow(got, want, what, example):
    """What was computed in a narrow dtype is what double precision says, but for rounding, underflow and overflow."""
    rtol = max(tolerance(got.dtype) * (1 if what == "value" else 4), example.rtol or 0)
    if got.dtype.kind not in "iub":
        info = finfo(real_dtype(got.dtype))
        over = np.abs(want) > 0.01 * float(info.max)
        got, want = np.where(over, 0, numbers(got)), np.where(over, 0, want)
        assert_close(got, want, f"{what} in {info.dtype}", rtol, float(info.smallest_normal))
    else:
        assert_close(got, want, what, rtol)


# ---- batching ---------------------------------------------------------------------------------------------------

MOST_COMBINATIONS, FEW_COMBINATIONS = 40, 5


def axis_combinations(example):
    """Combinations of mapped axes: for the first example of an op all of them (with more than two operands, of the
    outermost axes), for others a few. Elementwise ops share one batch rule, which `Add`, `Clamp` and `SelectN` stand
    for."""
    types = example.types
    if len(types) <= 2:
        options = [[None, *range(t.ndim + 1)] for t in types]
    else:
        options = [[None, *sorted({0, t.ndim})] for t in types]
    every = [axes for axes in itertools.product(*options) if any(a is not None for a in axes)]
    most = MOST_COMBINATIONS if example.first and not shares_batch_rule(example.op) else FEW_COMBINATIONS
    if len(every) > most:
        rng = np.random.default_rng(0)
        every = [every[i] for i in sorted(rng.choice(len(every), most, replace=False))]
    return every


def shares_batch_rule(op):
    return type(op).batch is Elementwise.batch and not isinstance(op, (Add, Clamp, SelectN))


def check_vmap(example, size=2):
    """vmap agrees with a Python loop for every combination of mapped axes."""
    rng = np.random.default_rng(1)
    types, op = example.types, example.op
    plain = op_program(op, types)
    combinations = axis_combinations(example)
    samples = [[example.draw(rng, i) for _ in range(size)] for i in range(len(types))]
    # one input for each operand as it is, and one for each place of its mapped axis
    inputs = {}
    for axes in combinations:
        for i, axis in enumerate(axes):
            if (i, axis) not in inputs:
                t = types[i]
                shape = t.shape if axis is None else (*t.shape[:axis], size, *t.shape[axis:])
                x = samples[i][0] if axis is None else np.stack(samples[i], axis)
                inputs[i, axis] = ArrayType(shape, t.dtype, t.weak_type), x
    out_axes = []
    places = list(inputs)

    def record(*values):
        at, out = dict(zip(places, values)), []
        for axes in combinations:
            batched, where = vmap(plain, axes, Batching(size))
            out_axes.append(where)
            out += inline(batched, (), [at[i, axis] for i, axis in enumerate(axes)])
        return out

    found = iter(compiled(program([t for t, _ in inputs.values()], record), SOONER)(*[x for _, x in inputs.values()]))
    f = compiled(plain, quickness(op))
    looped = {}
    for axes, where in zip(combinations, out_axes):
        mapped = tuple(a is not None for a in axes)
        if mapped not in looped:
            looped[mapped] = [f(*[samples[i][b if m else 0] for i, m in enumerate(mapped)]) for b in range(size)]
        for number, axis in enumerate(where):
            got = next(found)
            for b in range(size):
                want = looped[mapped][b][number]
                rtol = max(tolerance(want.dtype), example.rtol or 0)
                assert_close(got if axis is None else np.moveaxis(got, axis, 0)[b], want,
                             f"axes {axes} -> {axis}, element {b}, result {number}", rtol)


# ---- the rest ---------------------------------------------------------------------------------------------------

def operands(example):
    rng = np.random.default_rng(2)
    return [example.draw(rng, i) for i in range(len(example.types))]


def quickness(op):
    """How an op alone is compiled: as for users where its results are compared with NumPy's form of it, else sooner."""
    return SOONER if op.host is None else ()


def made(example):
    """The op's results on drawn numbers, as XLA makes them."""
    return executed(op_program(example.op, example.types), operands(example), quickness(example.op))


def run(example):
    """The op on drawn numbers, compiled: (operands, results)."""
    return operands(example), made(example)


def declared(example):
    """The result types that the op declares."""
    found = example.op.infer(example.types)
    return list(found) if example.op.multiple else [found]


def check_type(example):
    """What XLA makes has the types that the op declares."""
    for i, (y, t) in enumerate(zip(made(example), declared(example), strict=True)):
        shape, dtype = physical(t)
        assert (y.shape, y.dtype) == (shape, dtype), f"result {i} is {y.dtype}{y.shape}, declared as {t}"


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.5, 3.0, np.inf, -np.inf, np.nan, "max", "lowest", "tiny"]


def special_values(t):
    """The numbers of a dtype at which rules go wrong. No subnormal ones: XLA's CPU takes them for zeros."""
    if is_float(t.dtype):
        info = finfo(t.dtype)
        named = {"max": info.max, "lowest": info.min, "tiny": info.smallest_normal}
        return np.array([named.get(x, x) if isinstance(x, str) else x for x in SPECIAL], t.dtype)
    if is_integer(t.dtype):
        info = iinfo(t.dtype)
        return np.array([0, 1, 2, 3, int(info.min), int(info.max), int(info.max) // 2], t.dtype)
    return np.array([False, True])


def same_bits(a, b):
    """Equal bit for bit. Every NaN counts as the same one, and a subnormal number as zero, as it does for XLA's CPU."""
    assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, a.shape, b.dtype, b.shape)
    if is_complex(a.dtype):
        same_bits(a.real, b.real)
        same_bits(a.imag, b.imag)
    elif is_float(a.dtype):
        a, b = normal(a), normal(b)
        wrong = np.isnan(a) != np.isnan(b)
        wrong |= ~np.isnan(a) & ((a != b) | (np.signbit(a) != np.signbit(b)))
        assert not wrong.any(), f"{a[wrong]} and {b[wrong]}"
    else:
        np.testing.assert_array_equal(a, b)


def normal(x):
    """The numbers, subnormal ones as zeros of their sign."""
    tiny = finfo(x.dtype).smallest_normal
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(x) < tiny, np.copysign(np.zeros_like(x), x), x)


def check_host(example):
    """NumPy's form gives XLA's bits, at random numbers and, for elementwise ops, at special ones."""
    op, types = example.op, example.types
    points = [run(example)]
    if op.aligned and types and not any(is_complex(t.dtype) or is_key(t.dtype) for t in types):
        grid = np.meshgrid(*map(special_values, types), indexing="ij")
        grid = [g.reshape(-1) for g in grid]
        flat = [t.update(shape=g.shape) for t, g in zip(types, grid)]
        points.append((grid, compiled(op_program(op, flat))(*grid)))
    for x, want in points:
        with np.errstate(all="ignore"):
            got = op.host(*x)
        if got is NotImplemented:
            continue
        for a, b in zip(got if op.multiple else [got], want, strict=True):
            same_bits(np.asarray(a), b)


def check_eager(example):
    """The op alone, run at once, gives what its program gives. Its program is compiled in less time, so digits may
    differ."""
    x, want = run(example)
    got = evaluate(example.op, [to_array(a, t) for a, t in zip(x, example.types)])
    for a, b, t in zip(got if example.op.multiple else [got], want, declared(example), strict=True):
        assert a.type is t, f"{a.type}, declared as {t}"
        assert_close(a.host(), b, "eager", tolerance(b.dtype))


def shardings(example):
    """Ways to shard the operands over one mesh axis: for each size that dimensions have, (size, specs); where a few
    devices can have one index each."""
    sizes = dict.fromkeys(n for t in example.types for n in t.shape if 2 <= n <= 8)
    for size in list(sizes)[:2]:
        places = [t.shape.index(size) if size in t.shape else None for t in example.types]
        yield size, [PartitionSpec(*["x" if i == at else None for i in range(t.ndim)])
                     for t, at in zip(example.types, places)]


def check_sharded(example):
    """Sharded operands give the same numbers, in the type that the op declares for them; or they are refused."""
    x, want = run(example)
    for count, specs in shardings(example):
        arrays = on_devices(x, example.types, specs, count)
        try:
            types = example.op.infer(tuple(a.type for a in arrays))
        except (ShardingTypeError, Refused):
            continue
        got = evaluate(example.op, arrays)
        for a, b, t in zip(got if example.op.multiple else [got], want, types if example.op.multiple else [types]):
            assert a.type is t, f"{a.type}, declared as {t}"
            assert_close(a.host(), b, f"sharded as {specs}", max(tolerance(b.dtype), example.rtol or 0))


CHECKS = {"sharded": check_sharded, "type": check_type, "host": check_host, "eager": check_eager, "jvp": check_jvp,
          "second": check_second,
          "transpose": check_transpose, "over_reverse": check_over_reverse, "dtypes": check_dtypes, "vmap": check_vmap}


DERIVATIVES = "jvp", "second", "transpose", "over_reverse"


def holds_for(law, example):
    """Whether a law says anything about an example."""
    if law in example.without:
        return False
    if law == "host":
        return example.op.host is not None and not any(is_key(t.dtype) for t in example.types)
    if law == "vmap":
        return bool(example.types)
    if law == "dtypes":
        with enable_x64(True):
            return any(t.dtype in WIDE for t in widened(example)[1]) and any(narrowed(example)) and bool(declared(example))
    if law == "sharded":
        return any(shardings(example))
    if law == "over_reverse" and not {"second", "transpose"}.isdisjoint(example.without):
        return False
    if law in DERIVATIVES:
        rule = example.op.derivative
        return bool(example.moving) and not isinstance(rule, Refused) and (law == "jvp" or rule is not ZERO)
    return True


def subject(law, example):
    """What a law depends on in an example: a second example of the same subject would say nothing new."""
    op, types = example.op, example.types
    if law in DERIVATIVES:
        with enable_x64(True):
            options = example.low, example.high, example.integers_in, example.moving, sorted(example.make)
            return law, *widened(example), repr(options)
    if law == "vmap":
        if shares_batch_rule(op):
            return law, type(op)
        return law, op, tuple((t.shape, is_key(t.dtype)) for t in types)
    if law == "eager" and op.host is None:
        return law, type(op)
    if law == "dtypes":
        kinds = [0 if is_complex(t.dtype) else 1 if is_inexact(t.dtype) else 2 for t in types]
        return law, type(op), tuple(sorted(set(kinds))), holds_for("jvp", example) and holds_for("transpose", example)
    if law == "sharded":
        return law, type(op), max(t.ndim for t in types) > 1
    return law, example
