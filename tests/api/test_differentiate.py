"""The entry points of differentiation: what they take, and what they refuse with which words."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax


def test_linear_transpose_of_integers():
    ints = jnp.arange(3)
    (a, b), = G.linear_transpose(lambda x: lax.scan(lambda c, y: (2 * c + y, c), *x), (1, ints))((1, ints))
    assert int(a) == 8 + 0 + 2 * 1 + 4 * 2 and b.tolist() == [4 + 1 + 2 * 2, 2 + 2, 1] and b.dtype == "int32"
    assert int(G.linear_transpose(lambda x: lax.cond(True, lambda x: 2 * x, lambda x: 3 * x, x), 1)(5)[0]) == 10
    assert G.jit(G.linear_transpose(G.jit(lambda x: x[::2] * 3), jnp.arange(4)))(jnp.arange(2))[0].tolist() == [0, 0, 3, 0]


def test_jacrev_of_complex_inputs_is_like_grad():
    f = lambda z: jnp.abs(z) ** 2       # noqa: E731
    assert np.allclose(G.jacrev(f)(1 + 2j), G.grad(f)(1 + 2j)) and np.allclose(G.jacrev(f)(1 + 2j), 2 - 4j)


@pytest.mark.parametrize("call, message", [
    (lambda: G.grad(lambda x: (x,))(1.0),
     "Gradient only defined for scalar-output functions. <lambda> returned a tree of 1 value (PyTreeDef((*,))); return one number, or use "
     "has_aux=True for the rest."),
    (lambda: G.linear_transpose(lambda x: x, True),
     "linear_transpose of <lambda>: a linear function is one of numbers, but this one takes a value of type bool[]. Close over it instead."),
    (lambda: G.jacfwd(lambda z: z, holomorphic=True)(1.0),
     "jacfwd of <lambda> with holomorphic=True needs complex inputs, but argument z has type float32[]."),
    (lambda: G.jacrev(lambda z: z, holomorphic=True)(1.0),
     "jacrev of <lambda> with holomorphic=True needs complex inputs, but argument z has type float32[]."),
    (lambda: G.jacfwd(lambda z: jnp.abs(z))(1j),
     "jacfwd of <lambda> needs real inputs, but argument z has type complex64[]. Use holomorphic=True for a holomorphic function, else jvp."),
    (lambda: G.jvp(lambda x: x, (1.0,), (1j,)),
     "primal and tangent arguments to jvp do not match; dtypes must be equal, or in case of int/bool primal dtype the tangent dtype must be "
     "float0. Argument x has type float32[] and its tangent complex64[]."),
])
def test_refused_with_these_words(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message
