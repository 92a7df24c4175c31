"""What happens to a user's numbers without being asked for is said once per line, with the argument's name, as the setting says."""
import warnings

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon.errors import GnomonWarning

WIDE = np.ones(2)
BYTES = jnp.array([1, 2], jnp.uint8)
NARROWED = ("A NumPy array of float64 with shape (2,), {}, becomes float32, since enable_x64 is off. Set enable_x64 to keep it, or convert it with "
            ".astype('float32') to say that you mean it.")
WRAPPED = ("The Python integer 300, {}, does not fit in uint8, the dtype it meets here; it wraps around to 44. Convert the array to a wider dtype "
           "first.")


def second(a, b):
    return a


def said(call):
    """What a call warns of, made twice from one line of this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            call()
    assert all(w.category is GnomonWarning and w.filename == __file__ for w in caught)
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("call, argument", [
    (lambda: jnp.asarray(WIDE), "argument a of asarray"),
    (lambda: jnp.add(jnp.ones(2), WIDE), "argument x2 of add"),
    (lambda: jnp.ones(2) * WIDE, "operand of *"),
    (lambda: WIDE @ jnp.ones(2), "operand of @"),
    (lambda: jnp.concatenate([jnp.ones(2), WIDE]), "argument arrays[1] of concatenate"),
    (lambda: jnp.einsum("i,i", jnp.ones(2), WIDE), "argument operands[1] of einsum"),
    (lambda: jnp.zeros(2).at[:].set(WIDE), "argument values of x.at[...].set"),
    (lambda: G.jit(second)(1.0, {"w": WIDE}), "argument b['w'] of second"),
    (lambda: G.vmap(second)(b=jnp.ones(2), a=WIDE), "argument a of second"),
    (lambda: G.grad(jnp.sum)(WIDE), "argument a of sum"),
    (lambda: G.lax.scan(lambda c, x: (c, x), 0.0, WIDE), "argument xs of scan"),
    (lambda: G.lax.fori_loop(0, 2, lambda i, c: c, {"v": WIDE}), "argument init_val['v'] of fori_loop"),
    (lambda: G.device_put([WIDE]), "argument x[0] of device_put"),
    (lambda: G.jit(lambda: jnp.ones(2) + WIDE)(), "operand of +"),
])
def test_narrowed_arrays(call, argument):
    assert said(call) == [NARROWED.format(argument)]


@pytest.mark.parametrize("call, argument", [
    (lambda: BYTES + 300, "operand of +"),
    (lambda: BYTES < 300, "operand of <"),
    (lambda: jnp.full(2, 300, jnp.uint8), "argument fill_value of full"),
    (lambda: jnp.where(BYTES > 1, BYTES, 300), "argument y of where"),
    (lambda: jnp.maximum(BYTES, 300), "argument x2 of maximum"),
    (lambda: G.lax.add(BYTES, 300), "argument y of add"),
])
def test_integers_that_wrap(call, argument):
    assert said(call) == [WRAPPED.format(argument)]


def test_dtypes_asked_for():
    text = ["Explicitly requested dtype float64 is not available while enable_x64 is off, so float32 is used. Set enable_x64, or ask for float32."]
    assert said(lambda: jnp.zeros(2, "float64")) == text
    assert said(lambda: jnp.zeros(2).astype(np.float64)) == text
    assert said(lambda: jnp.zeros(2, float)) == []


def test_each_line_and_each_argument_has_its_own():
    def first():
        return jnp.matmul(np.ones((2, 2)), WIDE)
    assert said(first) == [NARROWED.format("argument a of matmul").replace("(2,)", "(2, 2)"), NARROWED.format("argument b of matmul")]
    assert said(first) == []                        # said already
    assert len(said(lambda: jnp.matmul(np.ones((2, 2)), WIDE))) == 2


def test_silent_and_error():
    with G.announce("silent"):
        assert said(lambda: jnp.asarray(WIDE)) == said(lambda: BYTES + 300) == []
    with G.announce("error"):
        for call, text in ((lambda: jnp.exp(WIDE), NARROWED.format("argument x of exp")), (lambda: BYTES * 300, WRAPPED.format("operand of *"))):
            with pytest.raises(GnomonWarning) as caught:
                call()
            assert str(caught.value) == text
    with G.enable_x64(True):
        assert said(lambda: jnp.asarray(WIDE)) == []
