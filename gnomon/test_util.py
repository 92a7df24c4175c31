"""Checks of derivatives against finite differences, for tests."""
from __future__ import annotations

import numpy as _np

from gnomon.api.differentiate import jvp as _jvp, vjp as _vjp
from gnomon.api.function import type_of as _type_of
from gnomon.base.tree import tree_flatten as _flatten, tree_leaves as _leaves, tree_unflatten as _unflatten
from gnomon.transforms import has_tangent as _has_tangent
from gnomon.types.dtype import float0 as _float0, is_complex as _is_complex

__all__ = ["check_grads", "check_jvp", "check_vjp"]

_TOLERANCE = {"bfloat16": 1e-1, "float16": 1e-2, "float32": 2e-3, "complex64": 1e-3, "float64": 1e-5, "complex128": 1e-5}
_EPS = 1e-4


def _tolerance(given, values):
    if given is not None:
        return given
    return max((_TOLERANCE.get(str(v.dtype), 0.0) for v in values), default=0.0)


def _random_like(tree, rng):
    """Random numbers, of float0 where a leaf has no tangent."""
    leaves, structure = _flatten(tree)
    out = []
    for x in leaves:
        t = _type_of(x)
        if not _has_tangent(t):
            out.append(_np.zeros(t.shape, _float0))
            continue
        draw = rng.standard_normal(t.shape)
        if _is_complex(t.dtype):
            draw = draw + 1j * rng.standard_normal(t.shape)
        out.append(_np.asarray(draw).astype(t.dtype))
    return _unflatten(structure, out)


def _moved(tree, tangent, eps):
    leaves, structure = _flatten(tree)
    out = [x if t.dtype == _float0 else (_np.asarray(x) + _np.asarray(eps * t, t.dtype)).astype(t.dtype)
           for x, t in zip(leaves, _leaves(tangent))]
    return _unflatten(structure, out)


def _numerical_jvp(f, primals, tangents, eps):
    ahead, structure = _flatten(f(*_moved(primals, tangents, eps)))
    behind = _leaves(f(*_moved(primals, tangents, -eps)))
    return _unflatten(structure, [_wide(a) / (2 * eps) - _wide(b) / (2 * eps) for a, b in zip(ahead, behind)])


def _wide(x):
    x = _np.asarray(x)
    return x.astype(_np.complex128 if x.dtype.kind == "c" else _np.float64)


def _compare(got, want, atol, rtol, what):
    for a, b in zip(_leaves(got), _leaves(want), strict=True):
        a = _np.asarray(a)
        if a.dtype == _float0:
            continue
        _np.testing.assert_allclose(_wide(a), _wide(b), _tolerance(rtol, [a]), _tolerance(atol, [a]), err_msg=what)


def check_jvp(f, f_jvp, args, atol=None, rtol=None, eps=_EPS, err_msg=""):
    """AssertionError unless ``f_jvp(args, tangents)`` agrees with differences of `f` along a random direction.

    >>> import gnomon
    >>> square = lambda x: x * x
    >>> check_jvp(square, lambda p, t: gnomon.jvp(square, p, t), (2.0,))
    """
    tangents = _random_like(args, _np.random.default_rng(0))
    out, moves = f_jvp(args, tangents)
    _compare(out, f(*args), atol, rtol, f"{err_msg} the value that the jvp gives")
    _compare(moves, _numerical_jvp(f, args, tangents, eps or _EPS), atol, rtol, f"{err_msg} the tangent that the jvp gives")


def check_vjp(f, f_vjp, args, atol=None, rtol=None, eps=_EPS, err_msg=""):
    """AssertionError unless ``f_vjp(*args)``, which gives the value and the reverse function, agrees with differences of `f`.

    >>> import gnomon
    >>> square = lambda x: x * x
    >>> check_vjp(square, lambda x: gnomon.vjp(square, x), (2.0,))
    """
    rng = _np.random.default_rng(0)
    tangents = _random_like(args, rng)
    out, back = f_vjp(*args)
    _compare(out, f(*args), atol, rtol, f"{err_msg} the value that the vjp gives")
    moves = _numerical_jvp(f, args, tangents, eps or _EPS)
    cotangents = _random_like(out, rng)
    found = _inner(tangents, back(cotangents))
    want = _inner(moves, cotangents)
    values = _leaves(out)
    _np.testing.assert_allclose(found, want, _tolerance(rtol, values), _tolerance(atol, values),
                                err_msg=f"{err_msg} the cotangents that the vjp gives")


def _inner(xs, ys):
    total = 0.0
    for x, y in zip(_leaves(xs), _leaves(ys), strict=True):
        if _np.asarray(x).dtype != _float0 and _np.asarray(y).dtype != _float0:
            total += _np.real(_np.sum(_wide(x) * _wide(y)))
    return total


def check_grads(f, args, order, modes=("fwd", "rev"), atol=None, rtol=None, eps=None):
    """AssertionError unless the derivatives of `f` at `args`, up to `order`, agree with finite differences along one random
    direction. `modes` are "fwd", "rev" or both.

    >>> check_grads(lambda x: x ** 3, (2.0,), order=2)
    """
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    unknown = set(modes) - {"fwd", "rev"}
    if unknown:
        raise ValueError(f"check_grads: modes are 'fwd' and 'rev', got {', '.join(map(repr, sorted(unknown)))}.")
    _check(f, tuple(args), order, modes, atol, rtol, eps, "")


def _check(f, args, order, modes, atol, rtol, eps, path):
    if "fwd" in modes:
        here = f"{path} jvp of"
        check_jvp(f, lambda p, t: _jvp(f, p, t), args, atol, rtol, eps, here)
        if order > 1:
            tangents = _random_like(args, _np.random.default_rng(order))
            _check(lambda *p: _jvp(f, p, tangents)[1], args, order - 1, modes, atol, rtol, eps, here)
    if "rev" in modes:
        here = f"{path} vjp of"
        check_vjp(f, lambda *p: _vjp(f, *p), args, atol, rtol, eps, here)
        if order > 1:
            out, _ = _vjp(f, *args)
            cotangents = _random_like(out, _np.random.default_rng(order))
            _check(lambda *p: _vjp(f, *p)[1](cotangents), args, order - 1, modes, atol, rtol, eps, here)
