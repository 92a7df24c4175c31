"""Derivatives compared with differences, in double precision."""
import numpy as np

import gnomon as G


def random_like(rng, x):
    v = rng.standard_normal(x.shape)
    return v + 1j * rng.standard_normal(x.shape) if np.iscomplexobj(x) else v


def check_derivatives(f, *args, order=1, rtol=1e-6, step=1e-4, seed=7):
    """f: arrays -> a real number or array. Forward and reverse derivatives agree with differences, and so do second ones
    if `order` is 2."""
    rng = np.random.default_rng(seed)
    with G.enable_x64(True):
        args = [np.asarray(a, np.complex128 if np.iscomplexobj(a) else np.float64) for a in args]
        directions = [random_like(rng, a) for a in args]
        check(f, args, directions, order, rtol, step, rng)


def check(f, args, directions, order, rtol, step, rng):
    def at(t):
        return np.asarray(run(*[a + t * v for a, v in zip(args, directions)]))
    run = G.jit(f)

    def along(*xs):
        return G.jvp(f, xs, tuple(directions))[1]
    value, moved = G.jit(lambda *xs: G.jvp(f, xs, tuple(directions)))(*args)
    value, moved = np.asarray(value), np.asarray(moved)
    np.testing.assert_allclose(value, at(0), rtol=1e-9, atol=1e-9)
    # Richardson's two steps: the error is of fourth order
    want = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)
    size = np.max(np.abs(want), initial=1e-3)
    np.testing.assert_allclose(moved, want, rtol=rtol, atol=rtol * size)
    ct = rng.standard_normal(value.shape)
    back = G.jit(lambda *xs: G.vjp(f, *xs)[1](ct))(*args)
    right = sum(np.sum(np.real(np.asarray(b) * v)) for b, v in zip(back, directions))
    np.testing.assert_allclose(right, np.sum(ct * moved), rtol=rtol, atol=rtol * size)
    if order > 1:
        again = [random_like(rng, a) for a in args]
        check(along, args, again, order - 1, rtol * 100, step * 10, rng)
