"""Programs with mutable references print and compute as JAX's do."""
import re

import numpy as np
import pytest

import gnomon

pytestmark = pytest.mark.peer
X = np.array([0.5, -1.0, 2.0], np.float32)


def straight(m, r, x):
    r[...] += x
    r[0] = 2.0
    y = r[0]
    r[1:] = r[1:] * 2.0
    z = m.ref.swap(r, (slice(0, 2),), x[:2])
    m.ref.addupdate(r, 0, 1.0)
    return r[...], y, z


def made_inside(m, r, x):
    s = m.new_ref(x)
    s[...] = s[...] * 2.0
    s[2] += x[0]
    return m.freeze(s), r[1]


def indexes(m, r, x):
    s = m.new_ref(m.numpy.outer(x, x))
    i = m.numpy.argmin(x)
    s[i] = x
    s[i, 1:] = x[1:]
    return s[i, i], s[1:, 0], s[-1], s[:, i], s[0, :2]


def calls(m, r, x):
    @m.jit
    def add(s, v):
        s[0] += v
        return s[0] * v

    def step(c, v):
        r[1] += v
        return c + r[1], r[1] * v
    c, ys = m.lax.scan(step, np.float32(0.0), x)
    y = m.checkpoint(lambda v: v * r[1])(c)
    return add(r, x[1]), ys, y


def branches(m, r, x):
    def larger(s):
        s[0] = x[1]
        return s[2]
    y = m.lax.cond(x[0] > 0, larger, lambda s: s[1], r)
    n = m.lax.while_loop(lambda i: i < 3, lambda i: (m.ref.addupdate(r, 1, 1.0), i + 1)[1], 0)
    return y, n


PROGRAMS = [straight, made_inside, indexes, calls, branches]
OF_REFERENCES = re.compile(r"^.*( <- | \+= | = new_ref| = freeze).*$")
UNUSED_OLD = re.compile(r"^(\w+):\S+, (\w+\[[^\]]*\]) <- \2, (\S+)$")
VARIABLE = re.compile(r"\b[a-z]{1,2}\b(?=[:\[ ,\])]|$)")


def lines_of_references(text):
    """The equations of references, without the variables' names. Inside a loop JAX names the old value of a write that nobody uses."""
    found = []
    for part in re.split(r"\n|\. let | in \(|; ", text):
        part = part.strip()
        old = UNUSED_OLD.match(part)
        if old and len(re.findall(rf"\b{old[1]}\b", text)) == 1:
            part = f"{old[2]} <- {old[3]}"
        if OF_REFERENCES.match(part):
            found.append(VARIABLE.sub("v", part))
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_prints_and_computes_as_jax(peer, program):
    texts, results = [], []
    for m in (peer, gnomon):
        r = m.new_ref(m.numpy.asarray(X * 2))
        texts.append(str(m.make_jaxpr(lambda r, x: program(m, r, x))(r, X)).replace(" pin=False]", "]"))      # which JAX 0.12 has
        assert np.array_equal(r[...], X * 2)               # tracing changes nothing
        outs = m.jit(lambda r, x: program(m, r, x))(r, X)
        results.append([*map(np.asarray, outs), np.asarray(r[...])])
        outs = program(m, r, m.numpy.asarray(X))
        results[-1] += [*map(np.asarray, outs), np.asarray(r[...])]
    for want, got in zip(*results, strict=True):
        assert want.dtype == got.dtype
        np.testing.assert_allclose(got, want, rtol=1e-6)
    want, got = map(lines_of_references, texts)
    assert got == want and len(got) > 2


def test_gradients_and_lanes_as_jax(peer):
    def f(m):
        def loss(x):
            total = m.new_ref(np.float32(0.0))

            def step(_, v):
                total[...] += m.numpy.sin(v) * v
                return None, total[...]
            _, ys = m.lax.scan(step, None, x)
            return total[...] * ys[1]
        return loss
    xs = np.stack([X, X * 2])
    for run in (lambda m: m.grad(f(m))(X), lambda m: m.jit(m.vmap(m.grad(f(m))))(xs), lambda m: m.jvp(f(m), (X,), (X,))[1],
                lambda m: m.vmap(f(m))(xs)):
        np.testing.assert_allclose(run(gnomon), run(peer), rtol=1e-5)


def test_cotangents_kept_in_a_reference_as_jax(peer):
    def run(m):
        @m.custom_vjp
        def keep(ref, x):
            return x

        def back(ref, ct):
            ref[...] = ct
            return None, ct
        keep.defvjp(lambda ref, x: (x, ref), back)
        r = m.new_ref(np.float32(0.0))
        g = m.jit(m.grad(lambda x: m.numpy.sin(keep(r, x) * 2)))(np.float32(1.0))
        return np.asarray(g), np.asarray(r[...])
    np.testing.assert_allclose(run(gnomon), run(peer), rtol=1e-6)
