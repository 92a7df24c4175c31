"""debug_nans and debug_infs: the error names the operation and the user's line, however the function is called."""
import re

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp


def inner(x):
    return jnp.log(x)


def outer(x):
    return jnp.sqrt(gnomon.jit(inner)(x))


def whole(x):
    return gnomon.jit(inner)(x) * 2.0


CALLS = {
    "eager": lambda f, x: f(x), "jit": lambda f, x: gnomon.jit(f)(x), "vmap": lambda f, x: gnomon.vmap(f)(jnp.stack([x, x])),
    "grad": lambda f, x: gnomon.grad(f)(x), "jit of vmap": lambda f, x: gnomon.jit(gnomon.vmap(f))(jnp.stack([x, x])),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_the_operation_is_named(call):
    x = jnp.float32(0.5)
    with gnomon.debug_nans(True):
        for _ in range(3):          # a program is compiled from the second call on
            with pytest.raises(FloatingPointError, match=r"^invalid value \(nan\) encountered in sqrt at test_finite\.py:\d+ \(outer\)\."):
                call(outer, x)
            with pytest.raises(FloatingPointError, match=r"in log at test_finite\.py:\d+ \(inner\)\."):
                call(whole, -x)
        call(outer, jnp.float32(1.5))
    call(outer, x)


def test_infinities():
    x = jnp.zeros(3)
    with gnomon.debug_infs(True):
        for f in (lambda x: 1 / x, gnomon.jit(lambda x: 1 / x)):
            with pytest.raises(FloatingPointError, match=r"invalid value \(inf\) encountered in div at"):
                f(x)
        assert np.isnan(x / x).all()
    assert np.isinf(1 / x).all()


def test_large_arrays_other_dtypes_and_results_without_numbers():
    with gnomon.debug_nans(True), gnomon.debug_infs(True):
        with pytest.raises(FloatingPointError, match="in log at"):
            jnp.log(jnp.full(10_000, -1.0))
        with pytest.raises(FloatingPointError, match="in sqrt at"):
            gnomon.jit(jnp.sqrt)(jnp.array([-1.0], "bfloat16"))
        gnomon.jit(lambda x: (x + 1, x > 0, gnomon.random.key(x)))(3)
        assert float(gnomon.jit(lambda x: x + 1, donate_argnums=0)(jnp.zeros(()) + 1)) == 2.0
        with pytest.raises(FloatingPointError, match="in the results of <lambda>"):
            gnomon.jit(lambda x: jnp.log(x), donate_argnums=0)(jnp.zeros(()) - 1)


def falling(x, y):
    return jnp.log(x - y), x


def test_loops_and_branches_name_the_equation_and_the_iteration():
    loops = {
        "scan": lambda x: gnomon.lax.scan(falling, x, jnp.ones(5))[0],
        "while_loop": lambda x: gnomon.lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, falling(c[1], 1.0)[0]), (0, x))[1],
    }
    for name, f in loops.items():
        with gnomon.debug_nans(True), pytest.raises(FloatingPointError) as caught:
            gnomon.jit(f)(3.0)
        assert re.sub(r"py:\d+", "py:N", str(caught.value)) == (
            "invalid value (nan) encountered in log at test_finite.py:N (falling), in iteration 1 (counted from 0) of "
            f"{name} at test_finite.py:N (<lambda>). Look at its arguments, with gnomon.debug.print or under disable_jit.")
    with gnomon.debug_nans(True):
        with pytest.raises(FloatingPointError, match=r"in log at test_finite.py:\d+ \(inner\)\. "):
            gnomon.jit(lambda x: gnomon.lax.cond(x < 0, gnomon.checkpoint(inner), lambda x: x, x))(-1.0)
        nested = lambda x: gnomon.lax.map(lambda y: gnomon.lax.fori_loop(0, 3, lambda i, c: inner(c), y), x)     # noqa: E731
        with pytest.raises(FloatingPointError, match=r"\(inner\), in iteration 2 \(counted from 0\) of scan at .*, in iteration 2 \(counted "):
            gnomon.jit(nested)(jnp.array([100.0, 100.0, 1.0]))
        with pytest.raises(FloatingPointError, match=r"in mul at .* in iteration \d+ \(counted from 0\) of scan"):
            gnomon.grad(lambda x: gnomon.lax.scan(lambda c, y: (jnp.sqrt(c) * y, None), x, jnp.zeros(3))[0])(1.0)
