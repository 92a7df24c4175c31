"""Every example of the laws as a program of one operation: what compiling it costs here, and in JAX where JAX has the operation.

    python bench/lax_examples.py [--rounds 1] [--programs] [NAME ...]

Runs JAX and gnomon in turn, a fresh process each; seconds of CPU time, the least of all tries. An operation's counterpart is JAX's
primitive of the same name, with the same parameters; those that gnomon does not have are taken from calls of `lax`. Prints the
operations whose examples together take longer than JAX's (--programs: the programs that take 1.1 times as long), and the totals; names of
operations confine it to them.
"""
import argparse
import collections
import contextlib
import importlib
import json
import statistics
import time
import warnings

from lax import calls
from processes import measured


def examples(names):
    found = importlib.import_module("tests.laws.examples").examples()
    return [e for e in found if not names or type(e.op).op_name in names]


def least(lower, times=2):
    """The least CPU time of compiling what `lower` gives."""
    found = []
    for _ in range(times):
        lowered = lower()
        start = time.process_time()
        lowered.compile()
        found.append(time.process_time() - start)
    return min(found)


def of_gnomon(names):
    G, stage, function = map(importlib.import_module, ("gnomon", "gnomon.trace.stage", "gnomon.api.function"))
    return {str(e): least(lambda: G.jit(lambda *xs: stage.bind(e.op, *xs)).lower(*map(function.ShapeDtypeStruct.of, e.types)))
            for e in examples(names)}


# ---- JAX's side -------------------------------------------------------------------------------------------------------

def primitives(jax, lax):
    """{name: (primitive, parameters of some use of it)}"""
    found = {}

    def walk(jaxpr):
        for eqn in jaxpr.eqns:
            found.setdefault(eqn.primitive.name, (eqn.primitive, dict(eqn.params)))
            for value in eqn.params.values():
                if hasattr(value, "jaxpr"):
                    walk(value.jaxpr)

    for call, arguments in calls(lax, jax.numpy).values():
        walk(jax.make_jaxpr(lambda *xs: call(*xs))(*arguments).jaxpr)
    x, into = jax.numpy.ones((3, 4)), lax.ScatterDimensionNumbers((1,), (0,), (0,))
    at, bits = jax.numpy.array([[0], [2]]), x > 0
    more = [lambda: lax.argmin(x, 1, "int32"), lambda: lax.reduce_min(x, (0,)), lambda: lax.reduce_or(bits, (0,)),
            lambda: lax.reduce_xor(bits, (0,)), lambda: lax.approx_max_k(x, 2), lambda: lax.scatter_min(x, at, x[:2], into),
            lambda: lax.reduce_window(x, -float("inf"), lax.max, (2, 2), (1, 1), "VALID"),
            lambda: lax.reduce_window(x, float("inf"), lax.min, (2, 2), (1, 1), "VALID"), lambda: lax.scatter_sub(x, at, x[:2], into),
            lambda: lax.linalg.eig(x[:, :3]), lambda: lax.linalg.hessenberg(x[:, :3]), lambda: lax.linalg.schur(x[:, :3]),
            lambda: lax.linalg.tridiagonal(x[:, :3]), lambda: jax.random.split(jax.random.key(0)),
            lambda: jax.random.fold_in(jax.random.key(0), 1), lambda: jax.random.bits(jax.random.key(0), (3,))]
    for call in more:
        walk(jax.make_jaxpr(call)().jaxpr)
    for name in dir(jax.extend.core.primitives):
        if name.endswith("_p"):
            p = getattr(jax.extend.core.primitives, name)
            found.setdefault(p.name, (p, {}))
    return found


class NoCounterpart(Exception):
    pass


def translated(jax, value, usual):
    """A parameter as JAX wants it; what has no form of its own there is as usual."""
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple([translated(jax, v, None) for v in value])
    if not type(value).__module__.startswith("gnomon"):
        return value
    theirs = getattr(jax.lax, type(value).__name__, None)
    if theirs is not None and hasattr(value, "name"):
        return getattr(theirs, value.name)
    fields = getattr(value, "_fields", None) or getattr(value, "fields", None) or getattr(value, "__dataclass_fields__", None)
    if theirs is not None and fields:
        return theirs(**{f: getattr(value, f) for f in fields})
    if usual is None:
        raise NoCounterpart(type(value).__name__)
    return usual


def type_of(jax, t):
    kinds = {"key<fry>": "threefry2x32", "key<rbg>": "rbg", "key<urbg>": "unsafe_rbg"}
    if hasattr(t.dtype, "key_shape"):
        words = jax.ShapeDtypeStruct((*t.shape, *t.dtype.key_shape), "uint32")
        return jax.eval_shape(lambda w: jax.random.wrap_key_data(w, impl=kinds[t.dtype.name]), words)
    return jax.ShapeDtypeStruct(t.shape, t.dtype)


def of_jax(names):
    jax, lax, _, _ = map(importlib.import_module, ("jax", "jax.lax", "jax.extend.core.primitives", "jax.numpy"))
    warnings.simplefilter("ignore")
    known, out = primitives(jax, lax), {}
    for e in examples(names):
        if type(e.op).op_name not in known:
            continue
        primitive, usual = known[type(e.op).op_name]
        # what JAX does not take in this form is no counterpart: ranks that differ, our own modes, parameters of ours
        with contextlib.suppress(Exception):
            given = {k: translated(jax, v, usual.get(k)) for k, v in e.op.named_parameters.items() if k in usual or not usual}
            types = [type_of(jax, t) for t in e.types]
            out[str(e)] = least(lambda: jax.jit(lambda *xs: primitive.bind(*xs, **usual | given)).lower(*types))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--programs", action="store_true")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps({"jax": of_jax, "gnomon": of_gnomon}[options.measure](options.names)))
        return
    rounds = [[measured(__file__, name, "--measure", name, *options.names) for name in ("jax", "gnomon")] for _ in range(options.rounds)]
    jax, ours = ({row: min(found[k][row] for found in rounds) for row in rounds[0][k]} for k in (0, 1))
    both = [row for row in ours if row in jax]
    if options.programs:
        for row in sorted(both, key=lambda row: jax[row] / ours[row]):
            if ours[row] > 1.1 * jax[row]:
                print(f"{row:90} {jax[row] * 1e3:8.1f} {ours[row] * 1e3:8.1f} ms {ours[row] / jax[row]:7.3f}")
    by_op = collections.defaultdict(lambda: [0.0, 0.0])
    for row in both:
        sums = by_op[row.partition("(")[0]]
        sums[0] += jax[row]
        sums[1] += ours[row]
    for name, (theirs, own) in sorted(by_op.items(), key=lambda item: item[1][0] / item[1][1]):
        if own > theirs:
            print(f"{name:28} {theirs * 1e3:9.1f} {own * 1e3:9.1f} ms {own / theirs:7.3f}")
    ratios = [ours[row] / jax[row] for row in both]
    print(f"{len(both)} of {len(ours)} programs have a counterpart: JAX {sum(jax[r] for r in both):.1f} s, "
          f"gnomon {sum(ours[r] for r in both):.1f} s; middle ratio {statistics.median(ratios):.3f}; longer in {sum(r > 1 for r in ratios)}, "
          f"by a quarter in {sum(r > 1.25 for r in ratios)}; operations longer in all: {sum(b > a for a, b in by_op.values())} of {len(by_op)}")


if __name__ == "__main__":
    main()
