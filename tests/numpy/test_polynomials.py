"""Polynomials against NumPy."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as gnp
from gnomon.errors import ConcretizationTypeError
from gnomon.numpy import polynomials
from gnomon.trace.stage import value_of

RUNS = [lambda f, *args: f(*map(value_of, args)), lambda f, *args: G.jit(f)(*args)]
P, Q = np.float32([1, 2, 3, -1]), np.float32([2, -1])
I = np.int32([1, 2, 3])


def close(got, want, rtol=1e-5):
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            close(g, w, rtol)
    else:
        assert got.shape == np.shape(want)
        np.testing.assert_allclose(got, want, rtol, 1e-5)


def test_polyval():
    x = np.float32([[0.5, -1], [2, 3]])
    long = np.linspace(-1, 1, 40).astype(np.float32)
    for run in RUNS:
        close(run(polynomials.polyval, P, x), np.polyval(P, x))
        close(run(polynomials.polyval, long, x / 3), np.polyval(long, x / 3))
    assert polynomials.polyval(I, np.int32([1, 2])).tolist() == [6, 11]
    assert polynomials.polyval(I, 2).dtype == np.int32
    close(polynomials.polyval(np.zeros(0, np.float32), 2.0), 0.0)
    close(G.grad(lambda x: polynomials.polyval(P, x))(2.0), np.polyval(np.polyder(P), 2))


def test_arithmetic():
    for run in RUNS:
        for a, b in ((P, Q), (Q, P), (P, P)):
            close(run(polynomials.polyadd, a, b), np.polyadd(a, b))
            close(run(polynomials.polysub, a, b), np.polysub(a, b))
            close(run(polynomials.polymul, a, b), np.polymul(a, b))
        q, r = run(polynomials.polydiv, P, Q)
        want = np.polydiv(P, Q)
        close(q, want[0])
        close(r[-1:], want[1])
        close(run(polynomials.polydiv, Q, P), (np.zeros(1), Q))
        close(run(polynomials.polydiv, P, Q[:1]), (P / 2, np.zeros(4)))
    close(polynomials.polymul(np.float32([0, 1]), P, trim_leading_zeros=True), P)
    close(polynomials.polydiv(np.float32([1, 3, 3, 1]), np.float32([1, 1]), trim_leading_zeros=True),
          (np.float32([1, 2, 1]), np.zeros(0)))
    with pytest.raises(ConcretizationTypeError, match="trim_leading_zeros=False"):
        G.jit(lambda a: polynomials.polymul(a, a, trim_leading_zeros=True))(P)


def test_derivatives_and_integrals():
    for m in range(6):
        close(polynomials.polyder(P, m), np.polyder(P, m))
    for m in range(4):
        close(polynomials.polyint(P, m), np.polyint(P, m))
        close(G.jit(lambda p: polynomials.polyint(p, m))(P), np.polyint(P, m))
    close(polynomials.polyint(P, 2, np.float32([5, 7])), np.polyint(P, 2, [5, 7]))
    close(polynomials.polyint(P, 2, 3), np.polyint(P, 2, 3))
    assert polynomials.polyder(I, 2).dtype == np.float32
    for call, text in ((lambda: polynomials.polyder(P, -1), "must be positive"),
                       (lambda: polynomials.polyint(P, 2, np.ones(3)), "of 2 integrals")):
        with pytest.raises(ValueError, match=text):
            call()


def test_poly():
    for run in RUNS:
        close(run(polynomials.poly, P), np.poly(P))
    close(polynomials.poly(np.complex64([1 + 1j, 1 - 1j])), [1, -2, 2])
    close(polynomials.poly(np.float32([[1, 2], [3, 4]])), np.poly([[1, 2], [3, 4]]))
    close(polynomials.poly(np.zeros(0, np.float32)), 1.0)


def test_roots():
    for p in ([1, -3, 2], [0, 0, 1, -3, 2, 0], [1, 0, 1], [2, -4], [3], [0, 0]):
        got = np.asarray(polynomials.roots(np.float32(p)))
        assert got.dtype == np.complex64
        np.testing.assert_allclose(np.sort_complex(got), np.sort_complex(np.roots(p)), 1e-4, 1e-4)
    got = np.asarray(G.jit(lambda p: polynomials.roots(p, strip_zeros=False))(np.float32([0, 1, -3, 2])))
    np.testing.assert_allclose(np.sort(got[:2].real), [1, 2], 1e-4)
    assert np.isnan(got[2])
    with pytest.raises(ConcretizationTypeError, match="strip_zeros=False"):
        G.jit(lambda p: polynomials.roots(p))(P)


def test_polyfit():
    x, y = np.float32([0, 1, 2, 3, 5]), np.float32([1, 2, 5, 10, 3])
    w = np.float32([1, 2, 1, 1, 0.5])
    for run in RUNS:
        close(run(lambda x, y: polynomials.polyfit(x, y, 2), x, y), np.polyfit(x, y, 2), 1e-3)
        close(run(lambda x, y, w: polynomials.polyfit(x, y, 1, w=w), x, y, w), np.polyfit(x, y, 1, w=w), 1e-3)
        close(run(lambda x, y: polynomials.polyfit(x, y, 1, cov=True), x, y), np.polyfit(x, y, 1, cov=True), 1e-3)
    both = np.stack([y, y * 2], 1)
    close(polynomials.polyfit(x, both, 1), np.polyfit(x, both, 1), 1e-3)
    close(polynomials.polyfit(x, both, 1, cov=True), np.polyfit(x, both, 1, cov=True), 1e-3)
    close(polynomials.polyfit(x, y, 1, cov="unscaled"), np.polyfit(x, y, 1, cov="unscaled"), 1e-3)
    close(polynomials.polyfit(x, y, 1, full=True)[:4], np.polyfit(x, y, 1, full=True)[:4], 1e-3)
    with pytest.raises(TypeError, match="weights of the shape of x"):
        gnp.polyfit(x, y, 1, w=w[:2])
