"""Collectives over a named axis of vmap, where they are reductions of its dimension."""
import numpy as np
import pytest

import gnomon
from gnomon import lax, numpy as jnp
from gnomon.sharding import PartitionSpec as P

X = np.random.default_rng(0).uniform(-2, 2, (4, 3)).astype("f4")
OVER_LANES = {"psum": np.sum, "pmax": np.max, "pmin": np.min, "pmean": np.mean}


@pytest.mark.parametrize("name", OVER_LANES)
def test_over_lanes(name):
    collective, want = getattr(lax, name), OVER_LANES[name](X, axis=0)
    for lanes in (X, X.astype("i4")) if name != "pmean" else (X,):
        want = OVER_LANES[name](lanes, axis=0)
        got = np.asarray(gnomon.vmap(lambda x: collective(x, "i"), axis_name="i")(lanes))
        np.testing.assert_allclose(got, np.broadcast_to(want, lanes.shape), rtol=1e-6)
        under_jit = gnomon.jit(gnomon.vmap(lambda x: collective(x, "i"), axis_name="i"))(lanes)
        np.testing.assert_allclose(np.asarray(under_jit), got, rtol=1e-6)


def test_two_axes():
    def f(x):
        return lax.psum(x, ("i", "j")), lax.psum(x, "j"), lax.axis_index("i") * 10 + lax.axis_index("j")
    both, inner, index = gnomon.vmap(gnomon.vmap(f, axis_name="j"), axis_name="i")(X)
    np.testing.assert_allclose(np.asarray(both), np.full(X.shape, X.sum()), rtol=1e-5)
    np.testing.assert_allclose(np.asarray(inner), np.repeat(X.sum(1, keepdims=True), 3, 1), rtol=1e-5)
    assert np.asarray(index).tolist() == [[10 * i + j for j in range(3)] for i in range(4)]


def test_derivative_of_a_sum_over_lanes():
    def total(x):
        return gnomon.vmap(lambda row: lax.psum(row ** 2, "i") * row, axis_name="i")(x).sum()
    wanted = 2 * X * X.sum(0) + (X ** 2).sum(0)
    np.testing.assert_allclose(np.asarray(gnomon.grad(total)(X)), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["pmax", "pmin"])
def test_derivatives_of_an_extreme(name):
    """As those of a maximum over a dimension, ties shared, over lanes and over devices."""
    collective, whole = getattr(lax, name), getattr(jnp, name[1:])
    x = X.copy()
    x[1] = x[2]
    mesh = gnomon.make_mesh((4,), ("i",))

    def total(x):
        return jnp.sin(whole(x, 0)).sum() * 4
    over = {"lanes": gnomon.vmap(lambda v: collective(v, "i"), axis_name="i"),
            "devices": gnomon.shard_map(lambda v: collective(v, "i"), mesh=mesh, in_specs=P("i"), out_specs=P()),
            "unchecked": gnomon.shard_map(lambda v: collective(v, "i"), mesh=mesh, in_specs=P("i"), out_specs=P("i"), check_vma=False)}
    want, direction = gnomon.grad(total)(x), np.cos(x)
    for place, f in over.items():
        def g(x, f=f, times=4 if place == "devices" else 1):
            return jnp.sin(f(x)).sum() * times
        np.testing.assert_allclose(gnomon.grad(g)(x), want, rtol=1e-5, err_msg=place)
        np.testing.assert_allclose(gnomon.jvp(g, (x,), (direction,))[1], (want * direction).sum(), rtol=1e-4, err_msg=place)
    np.testing.assert_allclose(gnomon.hessian(lambda x: jnp.sin(over["lanes"](x)).sum())(x), gnomon.hessian(total)(x), atol=1e-5)


def test_no_such_axis():
    with pytest.raises(NameError, match="unbound axis name"):
        gnomon.vmap(lambda x: lax.psum(x, "j"), axis_name="i")(X)
