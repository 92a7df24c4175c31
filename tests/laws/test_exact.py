"""Elementwise functions and their derivatives against numbers computed in 60 digits (exact.txt): how many units of the last place they may be off.

`ulps.txt` has a row for every function: bounds for its values in float16, bfloat16, float32 and float64, and for its first and second derivative
in float32 and float64; of functions of two operands, for values alone. A unit is that of the exact number, or of `scale` where that is larger:
near a zero that is the difference of two terms, and for derivatives that are written in terms of a value near 1.
"""
import functools
import pathlib

import ml_dtypes
import numpy as np
import pytest

import gnomon as G
import gnomon.nn as nn
import gnomon.numpy as jnp
from gnomon.base.settings import enable_x64
from gnomon.scipy import special

HERE = pathlib.Path(__file__).parent
DTYPES = ["float16", "bfloat16", "float32", "float64"]
BOUNDS = {name: [float(x) for x in rest] for name, *rest in map(str.split, (HERE / "ulps.txt").read_text().splitlines()) if name != "#"}


@functools.cache
def exact():
    """{function: [([operands], [exact value and derivatives, as text])]}"""
    found: dict = {}
    for line in (HERE / "exact.txt").read_text().splitlines():
        name, *rest = line.split()
        operands = [float.fromhex(x) for x in rest if "0x" in x]
        found.setdefault(name, []).append((operands, rest[len(operands):]))
    return found


def function(name):
    return getattr(nn if name in ("softplus", "silu") else special if hasattr(special, name) else jnp, name)


def representable(operands, dtype):
    """Whether the dtype holds these numbers, as normal ones."""
    info = ml_dtypes.finfo(dtype)
    with np.errstate(over="ignore"):
        return all(float(np.asarray(x).astype(dtype)) == x and (x == 0 or float(info.smallest_normal) <= abs(x) <= float(info.max))
                   for x in operands)


def units(got, want, scale, dtype):
    """Distances in units of the last place of `want`, numbers as text; 0 for what is infinite or tiny on both sides."""
    info = ml_dtypes.finfo(dtype)
    tiny, most, eps = (np.longdouble(float(x)) for x in (info.smallest_normal, info.max, info.eps))
    got, want = np.asarray(got).astype(np.longdouble), np.array([np.longdouble(w) for w in want])
    with np.errstate(all="ignore"):
        unit = eps * 2 ** np.floor(np.log2(np.maximum(np.maximum(np.abs(want), tiny), scale)))
        beyond = (np.abs(want) > most * (1 - 8 * eps)) & (np.abs(got) > most * (1 - 8 * eps)) & (np.sign(got) == np.sign(want))
        lost = (np.abs(want) < tiny) & (np.abs(got) <= tiny)
        return np.where(beyond | lost, 0, np.abs(got - want) / unit)


def off(name, dtype, scales=(0, 0, 0)):
    """The largest distances of values, and of first and second derivatives, forward and backward."""
    rows = [(operands, want) for operands, want in exact()[name] if representable(operands, dtype)]
    f, two = function(name), len(rows[0][0]) > 1
    args = [np.array(column).astype(dtype) for column in zip(*[operands for operands, _ in rows])]
    if name == "polygamma":
        args[0] = args[0].astype("int32")
    with enable_x64(dtype == "float64"):
        if two or dtype in ("float16", "bfloat16"):
            found = [[f(*args)]]
        else:
            slope = G.grad(f)

            def all_of(x):
                value, forward = G.jvp(f, (x,), (jnp.ones_like(x),))
                return value, forward, slope(x), G.jvp(slope, (x,), (jnp.ones_like(x),))[1]
            value, forward, backward, second = G.jit(G.vmap(all_of))(*args)
            found = [[value], [forward, backward], [second]]
    result = []
    for order, results in enumerate(found):
        there = [i for i, (_, want) in enumerate(rows) if want[order] != "-"]
        want = [rows[i][1][order] for i in there]
        result.append(float(np.max([units(np.asarray(x)[there], want, scales[order], dtype).max(initial=0) for x in results])))
    return result


@pytest.mark.parametrize("name", BOUNDS)
def test_units_of_the_last_place(name):
    """A NaN where there is a number is off without bounds, too: it is never smaller than one."""
    bounds = BOUNDS[name]
    values, slopes, scales = bounds[:4], bounds[4:8], bounds[8:] or [0, 0, 0]
    for dtype, bound in zip(DTYPES, values):
        found = off(name, dtype, scales)
        assert found[0] <= bound, (dtype, found)
        for got, most in zip(found[1:], slopes[::2] if dtype == "float32" else slopes[1::2]):
            assert got <= most, (dtype, found)


def test_every_function_has_a_bound():
    assert set(exact()) == set(BOUNDS)
