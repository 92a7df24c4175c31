"""Initializers: variances, shapes, errors."""
import math

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon.nn import initializers as init

KEY = G.random.key(1)


@pytest.mark.parametrize("name, scale, mode", [("glorot", 1, "avg"), ("xavier", 1, "avg"), ("lecun", 1, "in"), ("he", 2, "in"),
                                               ("kaiming", 2, "in")])
@pytest.mark.parametrize("kind", ["normal", "uniform"])
def test_variance(name, scale, mode, kind):
    x = np.asarray(getattr(init, f"{name}_{kind}")()(KEY, (300, 200)))
    n = 300 if mode == "in" else 250
    assert x.dtype == np.float32 and x.var() == pytest.approx(scale / n, rel=0.05) and abs(x.mean()) < 0.01
    limit = math.sqrt(3 * scale / n) if kind == "uniform" else 2 * math.sqrt(scale / n) / 0.8796
    assert abs(x).max() <= limit * 1.0001


@pytest.mark.parametrize("distribution", ["normal", "truncated_normal", "uniform"])
def test_complex_numbers(distribution):
    x = np.asarray(init.variance_scaling(2.0, "fan_out", distribution, dtype="complex64")(KEY, (200, 300)))
    assert x.dtype == np.complex64 and (abs(x) ** 2).mean() == pytest.approx(2 / 300, rel=0.05)


def test_which_axes_count():
    shape = (3, 5, 40, 70)
    for options, n in (({}, 3 * 5 * 40), ({"in_axis": -1, "out_axis": -2}, 3 * 5 * 70), ({"batch_axis": 0}, 5 * 40),
                       ({"in_axis": (0, 1, 2)}, 3 * 5 * 40)):
        x = np.asarray(init.variance_scaling(1.0, "fan_in", "normal", **options)(KEY, shape))
        assert x.var() == pytest.approx(1 / n, rel=0.05)
    geometric = np.asarray(init.variance_scaling(1.0, "fan_geo_avg", "normal")(KEY, (100, 400)))
    assert geometric.var() == pytest.approx(1 / 200, rel=0.05)


def test_simple_ones():
    assert init.zeros(KEY, (2,)).tolist() == [0, 0] and init.ones(KEY, (2,), "int8").dtype == "int8"
    assert init.constant(3)(KEY, (2,), "int32").tolist() == [3, 3]
    assert init.constant(np.float32([1, 2]))(KEY, (2, 2)).tolist() == [[1, 2], [1, 2]]
    assert 0 <= float(init.uniform(2.0)(KEY, (100,)).min()) and float(init.uniform(2.0)(KEY, (100,)).max()) < 2
    x = np.asarray(init.truncated_normal(1.0, lower=-1.0, upper=0.5)(KEY, (1000,)))
    assert -1 < x.min() and x.max() < 0.5
    assert np.asarray(init.normal(0.5)(KEY, (1000,))).std() == pytest.approx(0.5, rel=0.1)
    assert init.normal(dtype="bfloat16")(KEY, (2,)).dtype == "bfloat16" and init.normal()(KEY, (2,), "float16").dtype == "float16"
    np.testing.assert_array_equal(G.jit(init.he_normal(), static_argnums=1)(KEY, (3, 4)), init.he_normal()(KEY, (3, 4)))


def test_orthogonal():
    for shape, axis in (((4, 4), -1), ((6, 3), -1), ((3, 6), -1), ((2, 3, 4), -1), ((4, 2, 3), 0)):
        x = np.moveaxis(np.asarray(init.orthogonal(2.0, axis)(KEY, shape)), axis, -1).reshape(-1, shape[axis])
        small = x if x.shape[0] <= x.shape[1] else x.T
        np.testing.assert_allclose(small @ small.T, 4 * np.eye(len(small)), atol=1e-5)
    kernel = np.asarray(init.delta_orthogonal()(KEY, (3, 4, 2, 5)))
    assert (kernel != 0).any((2, 3)).tolist() == [[False] * 4, [False, True, False, False], [False] * 4]
    np.testing.assert_allclose(kernel[1, 1] @ kernel[1, 1].T, np.eye(2), atol=1e-6)


@pytest.mark.parametrize("call, text", [
    (lambda: init.variance_scaling(1.0, "fan_in", "cauchy")(KEY, (2, 3)), "distribution"),
    (lambda: init.variance_scaling(1.0, "fan", "normal")(KEY, (2, 3)), "takes mode 'fan_in'"),
    (lambda: init.he_normal()(KEY, (3,)), "at least 2 dimensions"),
    (lambda: init.normal()(KEY, (3,), "int32"), "draws floats or complex numbers, got dtype int32"),
    (lambda: init.orthogonal()(KEY, (3,)), "at least 2 dimensions"),
    (lambda: init.delta_orthogonal()(KEY, (3, 3)), "3, 4 or 5 dimensions"),
    (lambda: init.delta_orthogonal()(KEY, (3, 4, 3)), "at least as many outputs"),
], ids=lambda x: "")
def test_errors(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_arrays_of_constants():
    np.testing.assert_array_equal(init.constant(jnp.arange(2))(KEY, (3, 2)), [[0, 1]] * 3)


def test_out_sharding():
    mesh = G.make_mesh((2,), ("x",), axis_types=(G.sharding.AxisType.Explicit,))
    spec = G.sharding.PartitionSpec(None, "x")
    with G.sharding.set_mesh(mesh):
        for make in (init.he_normal(), init.zeros, init.constant(2.0), init.he_uniform(dtype="complex64"), init.normal()):
            assert str(make(KEY, (3, 4), out_sharding=spec).type).endswith("[3,4@x]")
        assert str(G.nn.one_hot(jnp.arange(3), 4, out_sharding=spec).type) == "float32[3,4@x]"
        assert str(jnp.repeat(jnp.ones((3, 2)), 2, 1, out_sharding=spec).type) == "float32[3,4@x]"
        assert str(jnp.reshape(jnp.ones(12), (3, 4), out_sharding=spec).type) == "float32[3,4@x]"
        assert str(jnp.broadcast_to(jnp.ones(4), (3, 4), out_sharding=spec).type) == "float32[3,4@x]"
