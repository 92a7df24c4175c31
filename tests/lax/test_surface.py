"""The names of lax and lax.linalg are all there, with the peer's parameters, and bad arguments are refused in a sentence."""
import inspect
import pathlib

import numpy as np
import pytest

import gnomon.numpy as jnp
from gnomon import lax, random
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
    (lambda: lax.scatter_apply(np.ones((2, 3)), np.array([[1]]), jnp.sin, lax.ScatterDimensionNumbers((), (0,), (0,))), "scatter needs every"),
    (lambda: lax.iota(3, 3), "3 stands for no dtype. Give a dtype, a name such as 'float32', or a class such as float"),
    (lambda: lax.convert_element_type(X, ((1, 2), (3,))), "stands for no dtype"),
    (lambda: lax.iota(random.key(0).dtype, 3), "iota counts in numbers, got the dtype key<fry>"),
    (lambda: lax.dot(X, X, preferred_element_type=random.key(0).dtype), "dot_general sums products in numbers"),
    (lambda: lax.broadcast_shapes(3, None), "given to broadcast_shapes given as one size must be an integer, got None"),
    (lambda: lax.concatenate(3, 0), "concatenate takes a sequence of arrays, got 3"),
    (lambda: lax.concatenate([X, X], 0.5), "concatenate takes an integer dimension, got 0.5"),
    (lambda: lax.pad(X, 0., 3), "pad takes a sequence of three integers per dimension as its padding_config, got 3"),
    (lambda: lax.index_take(X, 3, (0,)), "index_take takes a sequence with one array of places for each of its axes"),
    (lambda: lax.index_in_dim(X, None), "index_in_dim takes an integer index, got None"),
    (lambda: lax.dynamic_slice(X, (0,), (1,), allow_negative_indices=3), "takes True or False as allow_negative_indices"),
    (lambda: lax.gather(X, np.array([[1]]), lax.GatherDimensionNumbers((), (0,), (0,)), (1,), fill_value={}), "takes a number or None as its"),
    (lambda: lax.polynomial(X, [1.0], unroll={}), "polynomial takes an integer unroll"),
    (lambda: lax.full((2,), 1.0, sharding="no"), "full takes a Sharding or a PartitionSpec as its sharding, got 'no'"),
    (lambda: lax.fft(X, "fft", None), "fft_lengths given to lax.fft given as one size must be an integer, got None"),
    (lambda: lax.padtype_to_pads(None, (2,), (1,), "SAME"), "in_shape given as one size must be an integer"),
    (lambda: lax.padtype_to_pads((5,), (2,), (0,), "SAME"), "one stride above 0 per dimension of shape"),
    (lambda: lax.reduce_window_shape_tuple(None, (2,), (1,), "SAME"), "operand_shape given to reduce_window_shape_tuple"),
    (lambda: lax.conv_general_permutations(None), "are three words such as .'NHWC', 'HWIO', 'NHWC'., got None"),
    (lambda: lax.conv_dimension_numbers(None, (1, 1, 2), None), "lhs_shape given to conv_dimension_numbers"),
    (lambda: lax.conv_general_dilated(X[None, None], X[None, None], (1,), "SAME", dimension_numbers=3), "are None, ConvDimensionNumbers or three"),
    (lambda: lax.conv_general_dilated(X[None, None], X[None, None], (1,), "SAME", feature_group_count="no"), "an integer feature_group_count"),
    (lambda: lax.conv_shape_tuple((1, 2, 5), (3, 2), (1,), "SAME"), "conv_shape_tuple needs shapes of one rank"),
    (lambda: lax.conv_shape_tuple((3, 2, 5), (3, 2, 2), (1,), "SAME", 2), "a batch_group_count that divides the batch"),
    (lambda: lax.conv_transpose_shape_tuple(3, (3, 2, 2), (1,), "SAME", ("NWC", "WIO", "NWC")), "needs shapes of one rank"),
    (lambda: lax.ragged_dot_general(X[None], X[None, None], np.array([1]), 3), "takes RaggedDotDimensionNumbers"),
    (lambda: lax.switch(0, 3, 1.0), "branches argument should be a sequence of callables"),
    (lambda: lax.scan(lambda c, x: (c, x), 0.0, X, unroll="no"), "scan takes an integer unroll, got 'no'"),
    (lambda: lax.map(jnp.sin, X, batch_size=0.5), "lax.map takes an integer batch_size, got 0.5"),
    (lambda: lax.associative_scan(lax.add, X, axis=None), "associative_scan takes an integer axis, got None"),
    (lambda: lax.custom_linear_solve(3, X, lambda m, b: b), "custom_linear_solve takes a function as matvec, got 3"),
    (lambda: lax.custom_linear_solve(lambda x: x, X, lambda m, b: b, has_aux=True), "must return a pair .solution, aux., since has_aux is set"),
    (lambda: lax.custom_root(lambda x: x, 1.0, None, lambda g, y: y), "custom_root takes a function as solve, got None"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused_in_a_sentence(number):
    call, text = REFUSED[number]
    with pytest.raises((TypeError, ValueError), match=text):
        call()


def test_shape_as_value():
    assert lax.shape_as_value((2, 3)).tolist() == [2, 3] and lax.shape_as_value(()).shape == (0,)
