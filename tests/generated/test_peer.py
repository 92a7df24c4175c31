"""Programs drawn at random have the same types, values and derivatives as under JAX."""
import warnings

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import gnomon
import gnomon.scipy  # noqa: F401
from gnomon.base.settings import enable_x64

from tests.generated.programs import Library, Program, arguments, is_float

pytestmark = pytest.mark.peer

OURS = Library(gnomon)


@pytest.fixture(scope="module")
def theirs(peer):
    return Library(peer)


def wide(x):
    x = np.asarray(x)
    return x.astype(np.float64) if x.dtype.kind == "V" else x


def outline(library, program, args):
    """The result types of the program's jaxpr."""
    jaxpr = library.top.make_jaxpr(lambda *xs: program(library, *xs))(*args)
    return [(t.shape, str(t.dtype), t.weak_type) for t in jaxpr.out_avals]


def everything(library, program, moving):
    """One function of values, gradient, tangents, and tangents of the gradient."""
    def total(*xs):
        out, parts = program(library, *xs), []
        for o in out:
            if is_float(o) or o.dtype.kind == "c":
                o = o.real if o.dtype.kind == "c" else o
                parts.append(library.np.sum(o.astype("float64") * np.cos(np.arange(o.size)).reshape(o.shape)))
        return sum(parts) if parts else library.np.float64(0)

    def run(*xs):
        def f(*moved):
            given = iter(moved)
            return total(*[next(given) if i in moving else x for i, x in enumerate(xs)])
        at = [xs[i] for i in moving]
        way = [library.np.sin(x + 1) for x in at]
        forward = () if program.backward_only else library.top.jvp(f, tuple(at), tuple(way))
        if program.forward_only:
            return program(library, *xs), forward
        grad = library.top.grad(f, tuple(range(len(at))))
        return program(library, *xs), library.top.jvp(grad, tuple(at), tuple(way)), forward
    return run


def compare(theirs, choices, steps):
    program, args = Program(choices, steps), arguments(choices)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")         # of float64 that is narrowed
        want = outline(theirs, program, args)
        assert outline(OURS, program, args) == want
    with enable_x64(True), theirs.top.enable_x64(True):
        want = outline(theirs, program, args)
        assert outline(OURS, program, args) == want
        moving = [i for i, a in enumerate(args) if a.dtype.kind == "f"]
        found = [library.top.tree.leaves(library.top.jit(everything(library, program, moving))(*args)) for library in (theirs, OURS)]
        narrow = any(s in line for line in program.log for s in ("float16", "float32", "complex64"))
        for a, b in zip(*found, strict=True):
            assert (a.shape, str(a.dtype)) == (b.shape, str(b.dtype))
            a, b = wide(a), wide(b)
            if a.dtype.kind in "fc":
                tolerance = 2e-2 if narrow else 1e-8
                size = np.max(np.abs(a[np.isfinite(a)]), initial=1.0)
                np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance * size)
            elif not narrow:
                np.testing.assert_array_equal(b, a)


@hypothesis.settings(max_examples=30)
@hypothesis.given(st.lists(st.integers(0, 2 ** 16), min_size=60, max_size=60), st.integers(1, 5))
def test_random_programs(theirs, choices, steps):
    compare(theirs, choices, steps)
