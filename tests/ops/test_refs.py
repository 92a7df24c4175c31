"""Mutable references: what programs that use them compute, under every transform, is what the same programs on values compute.

No law of tests/laws can be stated of the ops themselves (addupdate, empty_ref, free_ref, freeze, get, new_ref, swap): their operand is no
array. `SAME` states for whole programs what the laws state for ops."""
import re

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.base.errors import Refused, TracerBoolConversionError, UnexpectedTracerError
from gnomon.passes.discharge import discharge, has_refs
from gnomon.ref import addupdate, get, set as set_at, swap
from gnomon.run.ref import LARGE
from gnomon.types.effect import RefEffect

X = jnp.array([0.5, -1.0, 2.0], jnp.float32)


def zeros():
    return G.new_ref(jnp.zeros(3, jnp.float32))


# ---- programs with references, and the same programs without --------------------------------------------------------

def straight(x):
    r = G.new_ref(x)
    r[...] *= 2.0
    r[0] = r[1] * x[2]
    r[1:] += jnp.sin(r[:2])
    return r[...]


def straight_pure(x):
    r = x * 2.0
    r = r.at[0].set(r[1] * x[2])
    return r.at[1:].add(jnp.sin(r[:2]))


def in_scan(x):
    total, out = G.new_ref(jnp.float32(0.0)), zeros()

    def step(c, xi):
        i, c = c
        total[...] += c * xi ** 2
        out[i] = jnp.sin(total[...])
        return (i + 1, c + xi), total[...]
    _, sums = lax.scan(step, (0, jnp.float32(1.0)), x)
    return out[...] + sums * total[...]


def in_scan_pure(x):
    total, c, out, sums = jnp.float32(0.0), jnp.float32(1.0), [], []
    for xi in x:
        total = total + c * xi ** 2
        c = c + xi
        out.append(jnp.sin(total))
        sums.append(total)
    return jnp.stack(out) + jnp.stack(sums) * total


def in_fori(x):
    r = G.new_ref(x)
    lax.fori_loop(0, 3, lambda i, _: r.at[i].set(r[i] * r[(i + 1) % 3]), None)
    return r[...]


def in_fori_pure(x):
    for i in range(3):
        x = x.at[i].set(x[i] * x[(i + 1) % 3])
    return x


def in_cond(x):
    r, count = G.new_ref(x), G.new_ref(jnp.int32(0))

    def larger():
        r[0] = x[1] * x[2]
        count[...] += 1
        return r[0]
    y = lax.cond(x[0] > 0, larger, lambda: r[2])
    z = lax.switch(count[...], [lambda s: s[0] * 1.0, lambda s: swap(s, 1, x[0] ** 2)], r)
    return r[...] * y + z


def in_cond_pure(x):
    large = x[0] > 0
    r = jnp.where(large, x.at[0].set(x[1] * x[2]), x)
    y = jnp.where(large, x[1] * x[2], x[2])
    z = jnp.where(large, r[1], r[0])
    return jnp.where(large, r.at[1].set(x[0] ** 2), r) * y + z


def in_calls(x):
    r = zeros()

    @G.jit
    def add(s, v):
        addupdate(s, jnp.array([0, 2, 0]), v)
        return s[0]
    y = add(r, x)

    @G.checkpoint
    def more(v):
        inner = G.new_ref(v)
        inner[...] += r[...]
        return inner[...] * jnp.cos(inner[...])
    add(r, more(x))
    return r[...] * y


def in_calls_pure(x):
    def add(r, v):
        return r.at[jnp.array([0, 2, 0])].add(v)
    r = add(jnp.zeros(3, jnp.float32), x)
    y, v = r[0], x + r
    return add(r, v * jnp.cos(v)) * y


@G.custom_jvp
def cube(x):
    r = G.new_ref(x)
    r[...] *= x
    r[...] *= x
    return r[...]


@cube.defjvp
def cube_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    r = G.new_ref(x)
    r[...] *= 3 * x
    return cube(x), r[...] * t


@G.custom_vjp
def double(x):
    return x * 2.0


def double_bwd(_, ct):
    r = G.new_ref(ct)
    r[...] += ct
    return (r[...],)


double.defvjp(lambda x: (x * 2.0, None), double_bwd)


def in_rules(x):
    r = G.new_ref(cube(x))
    r[...] += double(r[...])
    return r[...]


def nested_loops(x):
    r = zeros()

    def outer(i, _):
        def inner(_, xj):
            r[i] += xj * x[i]
            return None, r[i]
        lax.scan(inner, None, x)
        lax.cond(i == 1, lambda: r.at[0].set(r[1]), lambda: None)
    lax.fori_loop(0, 3, outer, None)
    return r[...]


def nested_loops_pure(x):
    return jnp.stack([x[1], x[1], x[2]]) * x.sum()


def rows(x):
    """A reference scanned over: each step has a slice of it."""
    m = G.new_ref(jnp.outer(x, x))

    def step(c, row):
        row[0] += c
        return row[1] + c, row[0]
    last, firsts = lax.scan(step, jnp.float32(0.0), m)
    return m[...].sum(0) + last * firsts


def rows_pure(x):
    m, c, firsts = jnp.outer(x, x), jnp.float32(0.0), []
    for i in range(3):
        m = m.at[i, 0].add(c)
        firsts.append(m[i, 0])
        c = m[i, 1] + c
    return m.sum(0) + c * jnp.stack(firsts)


SAME = {"straight": (straight, straight_pure), "scan": (in_scan, in_scan_pure), "fori": (in_fori, in_fori_pure),
        "cond": (in_cond, in_cond_pure), "calls": (in_calls, in_calls_pure), "rules": (in_rules, lambda x: 3 * x ** 3),
        "loops": (nested_loops, nested_loops_pure), "rows": (rows, rows_pure)}
XS = jnp.stack([X, X[::-1] * 2])


def total(f):
    return lambda x: (f(x) * jnp.array([1.0, 2.0, 3.0])).sum()


TRANSFORMED = {
    "eager": lambda f, jit: f(X), "jit": lambda f, jit: jit(f)(X), "jvp": lambda f, jit: G.jvp(f, (X,), (XS[1],))[1],
    "vmap of grad": lambda f, jit: jit(G.vmap(G.grad(total(f))))(XS), "checkpoint": lambda f, jit: jit(G.grad(G.checkpoint(total(f))))(X),
    "hessian": lambda f, jit: jit(G.hessian(total(f)))(X)}
MORE = {
    "grad of jit": lambda f, jit: G.grad(jit(total(f)))(X), "vmap": lambda f, jit: G.vmap(f)(XS),
    "vjp": lambda f, jit: G.vjp(f, X)[1](X)[0], "linearize": lambda f, jit: G.linearize(f, X)[1](X)}


@pytest.mark.parametrize("name", SAME)
def test_same_as_without_references(name):
    f, pure = SAME[name]
    forward = ("jvp", "hessian") if name == "rules" else ()         # a custom_vjp function goes backward only
    for how, run in (TRANSFORMED | (MORE if name in ("straight", "cond") else {})).items():
        if how not in forward:
            np.testing.assert_allclose(run(f, G.jit), run(pure, lambda g: g), rtol=2e-5, atol=1e-5, err_msg=f"{how} of {name}")


def drawn_steps(draw, depth=2):
    """A random list of steps on two arrays of shape (3,), which works on references and on NumPy's arrays alike: each step is a function of
    the arrays, a number, and how to choose between functions and to repeat one."""
    steps = []
    for _ in range(draw.integers(2, 5)):
        a, b, i, j = (int(n) for n in (*draw.integers(0, 2, 2), *draw.integers(0, 3, 2)))
        kind = draw.integers(0, 6 if depth else 4)
        inner = drawn_steps(draw, depth - 1) if kind > 3 else None
        if kind == 0:
            steps.append(lambda s, x, how, a=a, b=b, i=i, j=j: s[a].__setitem__(i, s[b][j] * 0.5 + x))
        elif kind == 1:
            steps.append(lambda s, x, how, a=a, b=b: s[a].__setitem__(slice(1, 3), s[b][:2] - x))
        elif kind == 2:
            steps.append(lambda s, x, how, a=a, b=b: s[a].__setitem__(..., s[a][::-1] + s[b][...] * x))
        elif kind == 3:
            steps.append(lambda s, x, how, a=a, i=i: s[a].__setitem__(i, s[a][i] + x))
        elif kind == 4:
            steps.append(lambda s, x, how, a=a, i=i, inner=inner: how.choose(s[a][i] > x, lambda: inner(s, x, how)))
        else:
            steps.append(lambda s, x, how, inner=inner: how.repeat(2, lambda k: inner(s, x * 0.5 + k, how)))

    def run(s, x, how):
        for step in steps:
            step(s, x, how)
    return run


class InPython:
    @staticmethod
    def choose(condition, f):
        if condition:
            f()

    @staticmethod
    def repeat(n, f):
        for k in range(n):
            f(np.float32(k))


class Traced:
    @staticmethod
    def choose(condition, f):
        lax.cond(condition, f, lambda: None)

    @staticmethod
    def repeat(n, f):
        lax.scan(lambda c, k: (c, f(k)), None, jnp.arange(n, dtype=jnp.float32))


def test_random_programs_do_what_they_do_to_numpys_arrays():
    draw = np.random.default_rng(7)
    programs = [drawn_steps(draw) for _ in range(12)]

    def all_of(x):
        found = []
        for run in programs:
            refs = [G.new_ref(jnp.array([1.0, 2.0, 3.0])), G.new_ref(jnp.array([-1.0, 0.0, 0.5]))]
            run(refs, x, Traced)
            found.append([r[...] for r in refs])
        return found
    xs = np.array([0.25, -0.5], np.float32)
    lanes, f = G.jit(G.vmap(all_of))(xs), G.jit(all_of)
    for k, x in enumerate(xs):
        for i, (arrays, of_lanes) in enumerate(zip(f(x), lanes, strict=True)):
            want = [np.array([1, 2, 3], np.float32), np.array([-1, 0, 0.5], np.float32)]
            programs[i](want, x, InPython)
            for got in (arrays, [v[k] for v in of_lanes]):
                np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5, err_msg=f"program {i}")


def test_discharged_programs_have_no_references():
    for f, _ in SAME.values():
        made, written = discharge(G.make_jaxpr(f)(X).jaxpr.closed())
        assert not has_refs(made) and written == ()


def test_a_while_loop_tests_what_its_body_writes():
    def collatz(n, steps):
        r, limit = G.new_ref(n), G.new_ref(steps)

        def body(i):
            r[...] = jnp.where(r[...] % 2 == 0, r[...] // 2, 3 * r[...] + 1)
            return i + 1
        return lax.while_loop(lambda i: (r[...] != 1) & (i < limit[...]), body, 0), r[...]
    for n, steps, want in [(6, 100, (8, 1)), (7, 100, (16, 1)), (7, 2, (2, 11))]:
        assert tuple(map(int, collatz(jnp.int32(n), steps))) == want == tuple(map(int, G.jit(collatz)(jnp.int32(n), steps)))
    counts, last = G.jit(G.vmap(collatz, (0, None)))(jnp.array([6, 7, 1]), 100)
    assert counts.tolist() == [8, 16, 0] and last.tolist() == [1, 1, 1]

    def power(x):
        r = G.new_ref(x)
        lax.while_loop(lambda i: i < 3, lambda i: (r.at[...].set(r[...] * x), i + 1)[1], 0)
        return r[...]
    assert [float(v) for v in G.jvp(power, (jnp.float32(2.0),), (jnp.float32(1.0),))] == [16.0, 32.0]


# ---- references outside of traced functions -------------------------------------------------------------------------

def test_jit_changes_a_reference_from_outside():
    given, held = zeros(), zeros()
    before = given[...]

    @G.jit
    def f(r, x):
        r[0] += x
        held[1] += r[0]
        return r[0] * 10
    assert [float(f(given, 1.0)), float(f(given, 2.0))] == [10.0, 30.0]
    assert given[...].tolist() == [3.0, 0.0, 0.0] and held[...].tolist() == [0.0, 4.0, 0.0]
    assert before.tolist() == [0.0, 0.0, 0.0]              # what was read stays as it was
    other = zeros()
    f(other, 5.0)
    assert other[...].tolist() == [5.0, 0.0, 0.0] and held[...].tolist() == [0.0, 9.0, 0.0] and len(f.cache) == 1
    tree = {"a": zeros(), "b": G.new_ref(jnp.int32(0))}

    @G.jit
    def count(t):
        G.jit(lambda r: r.at[2].set(7.0))(t["a"])
        t["b"][...] += 1
    count(tree), count(tree)
    assert tree["a"][...].tolist() == [0.0, 0.0, 7.0] and int(tree["b"][...]) == 2


def test_control_flow_outside_jit_changes_a_reference():
    r = zeros()

    def step(c, x):
        r[1] += x
        return c + r[1], None
    c, _ = lax.scan(step, 0.0, jnp.arange(4.0))
    lax.cond(True, lambda: r.at[0].set(9.0), lambda: None)
    lax.cond(True, lambda s: s.at[2].set(4.0), lambda s: None, r)
    n = lax.while_loop(lambda i: r[0] < 20.0, lambda i: (r.at[0].set(r[0] * 2), i + 1)[1], 0)
    assert (float(c), int(n), r[...].tolist()) == (10.0, 2, [36.0, 6.0, 4.0])
    with G.disable_jit():
        G.jit(lambda: r.at[0].set(1.0))()
    assert r[...].tolist() == [1.0, 6.0, 4.0]


def test_transforms_read_and_write_references_from_outside():
    r = zeros()

    def f(x):
        r[0] += 1.0
        r[1] = lax.stop_gradient(x)
        return x * x * r[0]
    for transform, want in [(lambda g: g, 6.0), (G.jit, 12.0)]:
        assert float(transform(G.grad(f))(3.0)) == want
    assert r[...].tolist() == [2.0, 3.0, 0.0]
    (value, _), g = G.value_and_grad(lambda x: (f(x), x), has_aux=True)(2.0)
    assert (float(value), float(g), float(r[0])) == (12.0, 12.0, 3.0)
    y, back = G.vjp(f, 1.0)
    assert [float(y), float(back(1.0)[0]), float(r[0])] == [4.0, 8.0, 4.0]         # written once, by the function
    assert float(G.linearize(f, 1.0)[1](1.0)) == 10.0 and float(G.jvp(f, (1.0,), (1.0,))[1]) == 12.0 and float(r[0]) == 6.0

    def outer(x):
        s = G.new_ref(x)
        g = G.grad(lambda y: s[...] * y * y)(x)
        s[...] = g
        return G.vmap(lambda v: v * s[...])(jnp.arange(2.0)).sum()
    assert float(G.grad(outer)(3.0)) == 12.0
    assert G.vmap(lambda x: x * r[0])(jnp.arange(2.0)).tolist() == [0.0, 6.0]


def test_a_branch_of_python_on_a_reference():
    r = G.new_ref(jnp.float32(1.0))
    f = G.grad(lambda x: x * x if r[...] > 0 else -x)
    assert float(f(3.0)) == 6.0
    r[...] = -1.0
    assert float(f(3.0)) == -1.0
    with pytest.raises(TracerBoolConversionError):
        G.jit(lambda x: x if r[...] > 0 else -x)(1.0)

    def written_before(x):
        r[...] = 1.0
        return x if r[...] > 0 else -x
    with pytest.raises(TracerBoolConversionError):
        G.grad(written_before)(1.0)


def test_vmap_over_references():
    r, m = zeros(), G.new_ref(jnp.zeros((2, 3)))

    def f(s, x):
        s[...] += x
        return s[...]
    assert G.vmap(f)(r, X).tolist() == X.tolist() == r[...].tolist()

    def g(s, x):
        s[0] = x
        s[1] -= s[0]
    G.jit(G.vmap(g, in_axes=(1, 0)))(m, X)
    np.testing.assert_array_equal(m[...], np.stack([X, -X]))


def test_jvp_moves_a_reference():
    r, t = G.new_ref(X), G.new_ref(jnp.ones(3))

    def f(s, x):
        s[0] = s[1] * x
        return s[0] + s[2]
    y, dy = G.jvp(f, (r, 3.0), (t, 2.0))
    assert (float(y), float(dy)) == (-1.0, 2.0)             # d(s1 x) = 3 - 2, ds2 = 1
    assert r[...].tolist() == [-3.0, -1.0, 2.0] and t[...].tolist() == [1.0, 1.0, 1.0]


def test_a_backward_rule_writes_to_a_reference():
    @G.custom_vjp
    def keep_cotangent(ref, x):
        return x
    keep_cotangent.defvjp(lambda ref, x: (x, ref), lambda ref, ct: (addupdate(ref, ..., ct), (None, ct))[1])
    r = G.new_ref(jnp.float32(0.0))

    def f(x):
        return jnp.sin(keep_cotangent(r, x) * 2)

    def in_loop(x):
        return lax.scan(lambda c, _: (keep_cotangent(r, c) * 3.0, None), x, None, length=2)[0]
    want = 2 * np.cos(2.0)
    for run in (G.grad(f), G.jit(G.grad(f)), G.grad(G.jit(f)), G.grad(G.checkpoint(f))):
        r[...] = 0.0
        np.testing.assert_allclose([run(1.0), r[...]], want, rtol=1e-6)
    for run in (G.grad(in_loop), G.jit(G.grad(in_loop))):
        r[...] = 0.0
        assert [float(run(1.0)), float(r[...])] == [9.0, 12.0]                      # cotangents 3 and 9 passed by

    for x, want in ((1.0, 2.0), (-1.0, 0.0)):
        for run in (G.grad, lambda f: G.jit(G.grad(f)), lambda f: lambda x: G.vjp(f, x)[1](1.0)[0]):
            r[...] = 0.0
            run(lambda x: lax.cond(x > 0, lambda: keep_cotangent(r, x) * 2, lambda: x))(x)
            assert float(r[...]) == want
    lanes = G.new_ref(jnp.zeros(2))
    G.jit(G.vmap(G.grad(lambda x, s: keep_cotangent(s, x) ** 2)))(X[:2], lanes)
    assert lanes[...].tolist() == [1.0, -2.0]
    with pytest.raises(ValueError, match="^vmap of .* writes to a mutable reference of type .* that is not mapped"):
        G.vmap(G.grad(f))(X)
    with pytest.raises(Refused, match="^the function keep_cotangent with a custom_vjp rule is given a mutable reference that is read or"):
        G.grad(lambda x: keep_cotangent(r, x) * r[...])(1.0)
    with pytest.raises(Refused, match=r"^can't apply forward-mode differentiation \(jvp\) to the custom_vjp function keep_cotangent"):
        G.linearize(f, 1.0)[1](1.0)

    @G.jit
    def whole(x):
        s = G.new_ref(jnp.float32(0.0))
        g = G.grad(lambda x: keep_cotangent(s, x) ** 2)(x)
        return g, s[...]
    assert [float(v) for v in whole(3.0)] == [6.0, 6.0]
    assert float(G.jit(lambda x: keep_cotangent(r, x))(2.0)) == 2.0                 # not differentiated: nothing is written


def test_vjp_adds_gradients_into_references():
    total, other = G.new_ref(jnp.float32(1.0)), zeros()
    _, back = G.vjp(lambda x, p: x * p["a"] * p["b"].sum(), jnp.float32(3.0), {"a": jnp.float32(2.0), "b": X})
    want = back.with_refs(total, {"a": G.ad.DontWant(), "b": other})
    assert want(1.0) == (G.ad.GradRef(), {"a": G.ad.DidntWant(), "b": G.ad.GradRef()}) and want(2.0)[0] == G.ad.GradRef()
    assert float(total[...]) == 10.0 and other[...].tolist() == [18.0] * 3
    (value, _) = back.with_refs(G.ad.GradValue(), {"a": total, "b": G.ad.GradValue()})(1.0)
    assert float(value) == 3.0 and float(total[...]) == 14.5

    @G.jit
    def step(r, x):
        G.vjp(lambda x: x * x, x)[1].with_refs(r)(1.0)
        return G.vjp(jnp.sin, x)[1]
    assert float(step(total, 2.0)(1.0)[0]) == pytest.approx(np.cos(2.0)) and float(total[...]) == 18.5
    with pytest.raises(ValueError, match=r"^with_refs takes references, GradValue\(\) and DontWant\(\) in the structure of the primals, got 1\.$"):
        back.with_refs(1)
    with pytest.raises(ValueError, match=r"^with_refs was given the structure .*, but the primals have .*\.$"):
        back.with_refs(total)(1.0)


def test_a_stand_in_for_a_reference():
    s = G.ShapeDtypeStruct((3,), "float32", is_ref=True)
    assert s.is_ref and repr(s) == "ShapeDtypeStruct(shape=(3,), dtype=float32, is_ref=True)" and s.update(shape=(2,)).is_ref
    assert str(G.make_jaxpr(lambda r: r[0])(s)) == "{ lambda ; a:Ref{f32[3]}. let b:f32[] <- a[0] in (b,) }"
    assert G.eval_shape(lambda r: (r.at[0].set(1.0), r[1:])[1], s).shape == (2,)


# ---- reading and writing --------------------------------------------------------------------------------------------

INDEXES = [..., 1, -1, slice(None), slice(1, 3), slice(None, None, 2), slice(None, None, -1), (0, 1), (..., 0), (slice(None), slice(1, None)),
           np.array([2, 0]), (np.array([0, 1]), np.array([1, 2])), (slice(None), np.array([0, 3])), (1, np.array([0, 3])), (None, slice(0, 2)), (2, None),
           np.array([True, False, True]), (np.int64(1), slice(0, 2)), (slice(None), [0, 2])]


def test_indexes_are_numpys():
    x = np.arange(12.0, dtype=np.float32).reshape(3, 4)

    def run(index, y):
        r, s, t = G.new_ref(x), G.new_ref(x), G.new_ref(x)
        old = swap(s, index, y)
        r[index] = y
        t[index] += y
        return r[index], old, r[...], s[...], t[...]
    def all_of(full):
        return [run(index, np.full(x[index].shape, 5.0, np.float32) if full else np.float32(7.0)) for index in INDEXES]
    for how in (all_of, lambda full: G.jit(lambda: all_of(full))()):
        for full in (True, False):
            for index, found in zip(INDEXES, how(full), strict=True):
                want, added, y = x.copy(), x.copy(), 5.0 if full else 7.0
                want[index] = y
                added[index] += y
                for got, expected in zip(found, (want[index], x[index], want, want, added), strict=True):
                    np.testing.assert_array_equal(got, expected, err_msg=str(index))


def test_a_place_named_twice_is_added_to_twice():
    r = zeros()
    addupdate(r, jnp.array([0, 0, 1]), 1.0)
    r.addupdate(jnp.ones(3))
    r.at[2].addupdate(5)
    G.jit(lambda: addupdate(r, jnp.array([1, 1]), jnp.array([1.0, 2.0])))()
    assert r[...].tolist() == [3.0, 5.0, 6.0]


def test_functions_and_properties():
    r = G.new_ref(jnp.arange(3))
    assert (r.shape, r.dtype, r.ndim, r.size, len(r), str(G.typeof(r))) == ((3,), np.dtype("int32"), 1, 3, 3, "Ref{int32[3]}")
    assert repr(r) == "Ref([0, 1, 2], dtype=int32)" and isinstance(r, G.Ref) and isinstance(r.aval, G.ref.AbstractRef)
    assert get(r).tolist() == [0, 1, 2] and int(get(r, 1)) == 1 and int(r.at[1].get()) == 1
    set_at(r, 0, 5)
    set_at(r, None, r[...] + 1)
    r.at[1:][0] = 9
    assert int(r.at[2].swap(4)) == 3 and r[...].tolist() == [6, 9, 4] and int(r.at[1:][1]) == 4
    weak = G.new_ref(1.0)
    weak[...] = jnp.float32(2.0)
    assert repr(weak) == "Ref(2.0, dtype=float32, weak_type=True)".replace("2.0,", "2.,")
    assert G.empty_ref(G.ShapeDtypeStruct((2,), "float32"))[...].shape == (2,) == G.jit(lambda: G.empty_ref(X[:2])[...])().shape
    assert G.freeze(r).tolist() == [6, 9, 4] == G.jit(lambda x: G.freeze(G.new_ref(x)))(jnp.array([6, 9, 4])).tolist()
    key = G.new_ref(G.random.key(0))
    key[...] = G.random.split(key[...])[0]
    assert key.dtype == G.random.key(0).dtype and G.tree.leaves([r]) == [r]
    assert G.block_until_ready(r) is r and str(G.jit(lambda s: repr(s) and s[0])(r)) == "6"


def test_how_programs_with_references_print():
    def f(r, x, i):
        r[i, 1:] = x
        r[...] += 1.0
        addupdate(r, (-1, slice(0, 4, 2)), 3.0)
        old = swap(r, 0, r[1])
        s = G.new_ref(x)
        return old, G.freeze(s)
    program = G.make_jaxpr(f)(G.new_ref(jnp.zeros((3, 4))), X, 0)
    assert str(program) == """{ lambda ; a:Ref{f32[3,4]} b:f32[3] c:i32[]. let
    a[c,1:] <- b
    d:f32[3,4] <- a[...]
    e:f32[3,4] = add d 1.0:f32[]
    a[...] <- e
    a[-1,::2] += 3.0:f32[]
    f:f32[4] <- a[1,:]
    g:f32[4], a[0,:] <- a[0,:], f
    h:Ref{f32[3]} = new_ref[kind=None memory_space=None] b
    i:f32[3] = freeze h
  in (g, i) }"""
    kinds = {e for e in program.effects if isinstance(e, RefEffect)}
    assert kinds == {RefEffect("read", 0), RefEffect("write", 0), RefEffect("accumulate", 0)}
    assert not any(isinstance(e, RefEffect) for e in G.make_jaxpr(straight)(X).effects)        # nobody sees what is done inside
    looped = G.make_jaxpr(lambda r, s: lax.while_loop(lambda i: s[0] > 0, lambda i: (r.at[0].set(1.0), i)[1], 0))(zeros(), zeros())
    assert {e for e in looped.effects if isinstance(e, RefEffect)} == {RefEffect("read", 1), RefEffect("read", 0), RefEffect("write", 0)}


# ---- what cannot be -------------------------------------------------------------------------------------------------

R = zeros()


def leaked():
    box = []
    G.jit(lambda x: box.append(G.new_ref(x)))(1.0)
    return box[0][...]


def freed():
    r = zeros()
    G.free_ref(r)
    return r[0]


def identity(r):
    return r


@G.custom_vjp
def closes_over(x):
    return x


closes_over.defvjp(lambda x: (x, None), lambda _, ct: (R.at[0].set(ct), (ct,))[1])

WRONG = [
    (lambda: G.jit(identity)(R), ValueError,
     "identity returns a mutable reference of type Ref{float32[3]}, its argument r, but a function traced for jit cannot return references. "
     "Return what it refers to: ref[...]."),
    (lambda: lax.scan(lambda c, x: (c, None), R, X), ValueError,
     "<lambda> returns a mutable reference of type Ref{float32[3]}, its argument c, but a function traced for scan cannot return references. "
     "Return what it refers to: ref[...]."),
    (lambda: lax.cond(True, lambda: R, lambda: R), ValueError,
     "<lambda> returns a mutable reference of type Ref{float32[3]}, made outside of it, but a function traced for cond cannot return "
     "references. Return what it refers to: ref[...]."),
    (lambda: G.jit(lambda a, b: a[...])(R, R), ValueError,
     "jit of <lambda> is given the same mutable reference of type Ref{float32[3]} twice, as its arguments a and b. Pass it once."),
    (lambda: G.jit(lambda a: a[...] + R[...])(R), ValueError,
     "jit of <lambda> is given the same mutable reference of type Ref{float32[3]} twice, as its argument a and by closing over it. "
     "Pass it once."),
    (lambda: G.vmap(lambda x: R.at[0].set(x))(X), ValueError,
     "vmap of <lambda> writes to a mutable reference of type Ref{float32[3]} that is not mapped, so all lanes would write to the same array. "
     "Pass it as an argument with an axis in in_axes, or return the values."),
    (lambda: G.grad(lambda x: (R.at[0].set(x), x)[1])(1.0), ValueError,
     "grad of <lambda> writes a value that depends on what is differentiated to a mutable reference of type Ref{float32[3]} from outside, "
     "where its derivative would be lost. Write lax.stop_gradient(value), or return the value."),
    (lambda: G.grad(lambda r: r[0])(R), TypeError,
     "grad of <lambda> differentiates with respect to arrays, but its argument r is a mutable reference of type Ref{float32[3]}. Pass what it "
     "refers to, ref[...], or close over it."),
    (lambda: jnp.sin(R), TypeError, "a mutable reference of type Ref{float32[3]} is not an array; read it first: ref[...]"),
    (lambda: G.jit(lambda r: X + r)(R), TypeError, "a mutable reference of type Ref{float32[3]} is not an array; read it first: ref[...]"),
    (lambda: R.at[0].set(1j), TypeError,
     "A value of type complex64[] does not fit into a mutable reference of type Ref{float32[3]}. Convert it with .astype('float32') to say "
     "that you mean it."),
    (lambda: bool(R), TypeError, "a mutable reference of type Ref{float32[3]} is not an array; read it first: ref[...]"),
    (lambda: R[3], IndexError, "index 3 is out of bounds for axis 0 with size 3"),
    (lambda: R.at[3].set(1.0), IndexError, "index 3 is out of bounds for axis 0 with size 3"),
    (lambda: R.at[0].set(jnp.ones(2)), ValueError, "An update of shape (2,) does not broadcast to the shape () of what is indexed."),
    (freed, ValueError, "The mutable reference of type Ref{float32[3]} was freed with free_ref. Make another with new_ref."),
    (lambda: get(X, 0), TypeError, "ref.get takes a mutable reference, got a value of type float32[3]. Make one with new_ref."),
    (lambda: G.new_ref("a"), TypeError, "new_ref takes an array or a number, got str: 'a'."),
    (lambda: G.new_ref(R), TypeError,
     "new_ref takes an array, but it was given a mutable reference of type Ref{float32[3]}. Read it first: ref[...]."),
    (lambda: lax.while_loop(lambda i: swap(R, 0, 1.0) > 0, lambda i: i, 0), Refused,
     "the cond_fun of a while_loop writes to a mutable reference, which would be lost; write to it in body_fun"),
    (lambda: G.grad(closes_over)(1.0), Refused,
     "a rule closes over a mutable reference of type Ref{float32[3]}; pass it to the function as an argument, and on to its backward rule as "
     "a residual"),
    (lambda: G.jit(lambda r: G.pure_callback(np.sin, X, r))(R), TypeError,
     "pure_callback takes arrays, but it was given a mutable reference of type Ref{float32[3]}. Read it first: ref[...]."),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_errors(number):
    wrong, error, text = WRONG[number]
    with pytest.raises(error, match="^" + re.escape(text) + "$"):
        wrong()
    assert R[...].tolist() == [0.0, 0.0, 0.0]


def test_a_reference_that_leaks():
    with pytest.raises(UnexpectedTracerError, match=r"^A value of type Ref\{float32\[\]\} that was traced inside the function <lambda> is used "
                                                    r"after that function's trace ended: .* Return it from <lambda> instead of storing it\.$"):
        leaked()
    made = r"^<lambda> returns a mutable reference of type Ref\{float32\[\]\}, made at .*test_refs.py:\d+ .*, but a function traced for jit"
    with pytest.raises(ValueError, match=made):
        G.jit(lambda x: G.new_ref(x))(1.0)


def test_the_same_reference_twice_at_a_later_call():
    f = G.jit(lambda a, b: a.at[0].set(b[0] + 1))
    a, b = zeros(), zeros()
    f(a, b)
    with pytest.raises(ValueError, match="^jit of <lambda> is given the same mutable reference of type .* twice"):
        f(a, a)
    with pytest.raises(ValueError, match="is given the same mutable reference of type .* twice"):
        G.jit(lambda r: f(r, r))(a)
    assert float(a[0]) == 1.0


def test_a_large_array_that_is_written_to_stays_where_it_is():
    ref = G.new_ref(jnp.zeros(LARGE))

    @G.jit
    def write(ref, i):
        ref[i] += 1.0

    def address():          # that of the runtime's buffer: the public one shares its memory for a while
        return ref.held.buffer().unsafe_buffer_pointer()

    write(ref, 0)
    before = address()
    write(ref, 0)
    assert address() == before and float(ref[0]) == 2.0
    # what was read stays as it was, and so do views of it and other references
    read, view, other = ref[...], np.asarray(ref[...]), G.new_ref(ref[...])
    write(ref, 0)
    assert [float(x[0]) for x in (read, view, other, ref)] == [2.0, 2.0, 2.0, 3.0]
    write(other, 1)
    assert [float(x[1]) for x in (read, view, other, ref)] == [0.0, 0.0, 1.0, 0.0]
    with G.debug_nans(True), pytest.raises(FloatingPointError):
        G.jit(lambda r: r.__setitem__(0, jnp.log(-1.0)))(ref)
    assert float(ref[0]) == 3.0         # a run that failed left it alone


def test_lowered_and_compiled_with_references():
    ref, total = G.new_ref(jnp.zeros(3)), G.new_ref(jnp.float32(0))

    def f(ref, x):
        ref[0] = x
        total[...] += x
        return ref[0] + ref[1]
    lowered = G.jit(f).lower(ref, 2.0)
    assert "stablehlo.dynamic_update_slice" in lowered.as_text() or "stablehlo.concatenate" in lowered.as_text()
    compiled = lowered.compile()
    assert float(compiled(ref, 3.0)) == 3.0 and float(compiled(ref, 4.0)) == 4.0
    assert ref[...].tolist() == [4.0, 0.0, 0.0] and float(total[...]) == 7.0
    with pytest.raises(TypeError, match="was compiled for Ref"):
        compiled(G.new_ref(jnp.zeros(2)), 3.0)
