"""debug_nans and debug_infs: the error names the operation and the user's line, however the function is called."""
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
