"""Arguments that make no sense are told so, where they are given."""
import functools

import numpy as np
import pytest

import gnomon as G
from gnomon.errors import Refused

FLOAT = G.ShapeDtypeStruct((), np.float32)
OWN = functools.partial(G.custom_vjp, nondiff_argnums=(4,))(lambda x: x)
OWN.defvjp(lambda x: (x, None), lambda res, ct: (ct,))


@pytest.mark.parametrize("call, error, message", [
    (lambda: G.grad(lambda x: x, reduce_axes=("i",)), Refused, "grad takes no reduce_axes; sum the result over the axis with lax.psum"),
    (lambda: G.vjp(lambda x: x, 1.0, reduce_axes=("i",)), Refused, "vjp takes no reduce_axes; sum the result over the axis with lax.psum"),
    (lambda: G.linear_transpose(lambda x: x, 1.0, reduce_axes=("i",)), Refused,
     "linear_transpose takes no reduce_axes; sum the result over the axis with lax.psum"),
    (lambda: G.vjp(lambda x: x, 1.0, in_nzs=(False,)), Refused,
     "vjp takes no in_nzs but True; close over the arguments that do not move, or pass them through lax.stop_gradient"),
    (lambda: G.linearize(lambda x: x, 1.0, in_nzs=(False,)), Refused,
     "linearize takes no in_nzs but True; close over the arguments that do not move, or pass them through lax.stop_gradient"),
    (lambda: G.vjp(lambda x: x, 1.0, saveable_args=False), Refused,
     "vjp takes no saveable_args but True; wrap the function in checkpoint with a policy to say what is kept"),
    (lambda: G.checkpoint(lambda x: x, concrete=True), Refused,
     "checkpoint takes no concrete=True; name the arguments that steer Python in static_argnums"),
    (lambda: G.checkpoint(lambda x: x, policy=3), TypeError,
     "checkpoint: policy must be a function, such as those of checkpoint_policies, got 3."),
    (lambda: G.grad(G.checkpoint(lambda x: x, static_argnums=5))(1.0), ValueError,
     "checkpoint of <lambda>: static_argnums names argument 5, but it was called with 1 positional arguments."),
    (lambda: G.pure_callback(lambda x: x, FLOAT, 1.0, vmap_method="often"), ValueError,
     "pure_callback: vmap_method must be one of None, 'sequential', 'sequential_unrolled', 'expand_dims', 'broadcast_all', "
     "'legacy_vectorized', got 'often'."),
    (lambda: G.grad(OWN)(1.0), ValueError, "custom_vjp of <lambda>: nondiff_argnums names argument 4, but it was called with 1."),
    (lambda: functools.partial(G.custom_jvp, nondiff_argnames="q")(lambda x: x), ValueError,
     "custom_jvp of <lambda>: nondiff_argnames names 'q', which is not among its arguments x."),
    (lambda: G.lax.scan(lambda c, x: (c, x), 1.0, None, length=-1), ValueError, "scan: length must not be negative, got -1."),
])
def test_refused_with_these_words(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


NO_FUNCTION = {
    "jacfwd": lambda: G.jacfwd(3), "jacrev": lambda: G.jacrev(None), "hessian": lambda: G.hessian("no"),
    "linearize": lambda: G.linearize(3, 1.0), "linear_transpose": lambda: G.linear_transpose(3, 1.0),
    "eval_shape": lambda: G.eval_shape(3, 1.0), "closure_convert": lambda: G.closure_convert(3, 1.0),
    "custom_gradient": lambda: G.custom_gradient(3), "defjvp": lambda: G.custom_jvp(abs).defjvp(3),
    "defvjp": lambda: G.custom_vjp(abs).defvjp(abs, 3),
    "pure_callback": lambda: G.pure_callback(3, G.ShapeDtypeStruct((), "float32"), 1.0),
}


@pytest.mark.parametrize("name", NO_FUNCTION)
def test_no_function(name):
    with pytest.raises(TypeError, match=f"^{name} takes a function as [a-z]+, got (3|None|'no')"):
        NO_FUNCTION[name]()


def test_callbacks_take_types_of_results():
    with pytest.raises(TypeError, match="callbacks take a tree of ShapeDtypeStructs as result_shape_dtypes, got 3 in it"):
        G.pure_callback(abs, (3,), 1.0)
