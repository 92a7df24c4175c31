"""The names of lax and lax.linalg are all there, with the peer's parameters, and bad arguments are refused in a sentence."""
import inspect
import pathlib

import numpy as np
import pytest

import gnomon.numpy as jnp
from gnomon import lax
from gnomon.lax import linalg

MODULES = {"lax": lax, "lax.linalg": linalg}
NAMES = [line.split() for line in pathlib.Path(__file__).with_name("names.txt").read_text().splitlines()]
COLLECTIVES = """all_gather all_to_all pbroadcast pcast ppermute precv psend pshuffle psum_scatter psum_scatter_start pswapaxes
ragged_all_to_all""".split()
# Parameters that are ours, newer than JAX 0.10, or that JAX takes as *args.
OTHER_PARAMETERS = ("cond", "erfc", "random_gamma_grad", "reduce_max", "reduce_min", "switch", "top_k")


def test_names():
    missing = [f"{module}.{name}" for module, name in NAMES if not hasattr(MODULES[module], name)]
    assert [m for m in missing if m.removeprefix("lax.").removesuffix("_p") not in (*COLLECTIVES, "stage")] == []


@pytest.mark.peer
def test_parameters(peer):
    def parameters(f):
        return [(p.name, p.kind, repr(p.default)) for p in inspect.signature(f).parameters.values()]

    theirs = {"lax": peer.lax, "lax.linalg": peer.lax.linalg}
    for module, name in NAMES:
        f, g = getattr(MODULES[module], name, None), getattr(theirs[module], name, None)
        if inspect.isfunction(f) and inspect.isfunction(g) and name not in OTHER_PARAMETERS + tuple(COLLECTIVES):
            assert parameters(f) == parameters(g), name


X = np.ones(3, "f4")
REFUSED = [
    (lambda: lax.argmax(X, "no", "int32"), "argmax takes an integer axis, got 'no'"),
    (lambda: lax.cumsum(X, 1.5), "cumsum takes an integer axis, got 1.5"),
    (lambda: lax.top_k(X, None), "top_k takes an integer k, got None"),
    (lambda: lax.approx_max_k(X, 1, recall_target="no"), "approx_max_k takes a number between 0 and 1 as its recall_target"),
    (lambda: lax.reduce(X, 0.0, 3, (0,)), "reduce takes a function that combines scalars as its computation, got 3"),
    (lambda: lax.reduce_window(X, 0.0, 3, (2,)), "reduce_window takes a function that combines scalars"),
    (lambda: lax.broadcast_like(jnp.ones((2, 3)), X), "broadcast_like cannot bring a value of type float32.2,3. to the shape"),
    (lambda: lax.broadcast_to_rank(X, "no"), "broadcast_to_rank takes an integer rank"),
    (lambda: lax.slice(X, 0, 2), "take a sequence of integers as their bounds, got 0"),
    (lambda: lax.split(X, (1.5, 1.5)), "takes an integer bound, got 1.5"),
    (lambda: lax.broadcast(X, (2,), out_sharding="no"), "takes a NamedSharding or a PartitionSpec as its out_sharding, got 'no'"),
    (lambda: lax.stack(3), "stack takes a sequence of arrays, got 3"),
    (lambda: lax.rng_uniform(0.0, 1.0, (-1,)), "The shape given to rng_uniform|the shape given to rng_uniform"),
    (lambda: lax.reduce_precision(X, 1.5, 3), "reduce_precision takes an integer exponent_bits"),
    (lambda: lax.integer_pow(X, 0.5), "integer_pow takes an integer power"),
    (lambda: lax.scatter_apply(X, jnp.zeros((1, 1), int), 3, lax.ScatterDimensionNumbers((), (0,), (0,))), "takes a function of an array"),
    (lambda: lax.scatter_apply(X, jnp.zeros((1, 1), int), jnp.sin, 3), "takes ScatterDimensionNumbers"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused_in_a_sentence(number):
    call, text = REFUSED[number]
    with pytest.raises((TypeError, ValueError), match=text):
        call()


def test_shape_as_value():
    assert lax.shape_as_value((2, 3)).tolist() == [2, 3] and lax.shape_as_value(()).shape == (0,)
