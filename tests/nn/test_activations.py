"""Activation functions and their derivatives, in higher precision and at the points where pieces meet."""
import math

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import nn
from tests.numpy.against_numpy import as_wide

POINTS = np.array([-40, -6, -3, -1.5, -1, -0.5, -1e-3, 1e-3, 0.5, 1, 2.5, 3, 6, 40])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def where(condition, yes, no):
    with np.errstate(all="ignore"):
        return np.where(condition, yes, no)


# name -> (the function in float64, its derivative)
FORMULAS = {
    "relu": (lambda x: np.maximum(x, 0), lambda x: 1.0 * (x > 0)),
    "relu6": (lambda x: np.clip(x, 0, 6), lambda x: 1.0 * ((x > 0) & (x < 6))),
    "sigmoid": (sigmoid, lambda x: sigmoid(x) * sigmoid(-x)),
    "softplus": (lambda x: np.logaddexp(x, 0), sigmoid),
    "log_sigmoid": (lambda x: -np.logaddexp(-x, 0), lambda x: sigmoid(-x)),
    "silu": (lambda x: x * sigmoid(x), lambda x: sigmoid(x) * (1 + x * sigmoid(-x))),
    "soft_sign": (lambda x: x / (1 + abs(x)), lambda x: (1 + abs(x)) ** -2.0),
    "elu": (lambda x: where(x > 0, x, np.expm1(np.minimum(x, 0))), lambda x: where(x > 0, 1, np.exp(np.minimum(x, 0)))),
    "celu": (lambda x: where(x > 0, x, np.expm1(np.minimum(x, 0))), lambda x: where(x > 0, 1, np.exp(np.minimum(x, 0)))),
    "selu": (lambda x: 1.0507009873554805 * where(x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0))),
             lambda x: 1.0507009873554805 * where(x > 0, 1, 1.6732632423543772 * np.exp(np.minimum(x, 0)))),
    "leaky_relu": (lambda x: where(x >= 0, x, 0.01 * x), lambda x: where(x >= 0, 1, 0.01)),
    "hard_tanh": (lambda x: np.clip(x, -1, 1), lambda x: 1.0 * (abs(x) <= 1)),
    "hard_sigmoid": (lambda x: np.clip(x + 3, 0, 6) / 6, lambda x: (abs(x) < 3) / 6),
    "hard_silu": (lambda x: x * np.clip(x + 3, 0, 6) / 6, lambda x: np.clip(x + 3, 0, 6) / 6 + x * (abs(x) < 3) / 6),
    "squareplus": (lambda x: (x + np.sqrt(x * x + 4)) / 2, lambda x: (1 + x / np.sqrt(x * x + 4)) / 2),
    "sparse_plus": (lambda x: where(x <= -1, 0, where(x >= 1, x, (x + 1) ** 2 / 4)), lambda x: np.clip((x + 1) / 2, 0, 1)),
    "sparse_sigmoid": (lambda x: np.clip((x + 1) / 2, 0, 1), lambda x: 0.5 * (abs(x) < 1) + 0.25 * (abs(x) == 1)),
    "mish": (lambda x: x * np.tanh(np.logaddexp(x, 0)),
             lambda x: np.tanh(np.logaddexp(x, 0)) + x * sigmoid(x) / np.cosh(np.logaddexp(x, 0)) ** 2),
    "tanh": (np.tanh, lambda x: 1 / np.cosh(x) ** 2),
    "identity": (lambda x: x, np.ones_like),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_values_and_derivatives(name):
    function = getattr(nn, name)
    value, slope = FORMULAS[name]
    with G.enable_x64(True):
        np.testing.assert_allclose(function(POINTS), value(POINTS), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(G.jit(function)(POINTS), value(POINTS), rtol=1e-12, atol=1e-14)
        slopes = G.vmap(G.grad(function))(POINTS)
        np.testing.assert_allclose(slopes, slope(POINTS), rtol=1e-12, atol=1e-13)
    single = POINTS.astype(np.float32)
    np.testing.assert_allclose(function(single), value(POINTS), rtol=2e-6, atol=1e-6)


def test_gelu():
    with G.enable_x64(True):
        exact = np.array([0.5 * x * math.erfc(-x / math.sqrt(2)) for x in POINTS])
        np.testing.assert_allclose(nn.gelu(POINTS, approximate=False), exact, rtol=1e-12)
        near = 0.5 * POINTS * (1 + np.tanh(math.sqrt(2 / math.pi) * (POINTS + 0.044715 * POINTS ** 3)))
        np.testing.assert_allclose(nn.gelu(POINTS), near, rtol=1e-12, atol=1e-14)
        slope = exact / POINTS + POINTS * np.exp(-POINTS ** 2 / 2) / math.sqrt(2 * math.pi)
        np.testing.assert_allclose(G.vmap(G.grad(lambda x: nn.gelu(x, False)))(POINTS), slope, rtol=1e-10, atol=1e-12)


def test_where_pieces_meet():
    slopes = {name: float(G.grad(getattr(nn, name))(0.0)) for name in
              ("relu", "relu6", "softplus", "log_sigmoid", "elu", "celu", "leaky_relu", "silu", "soft_sign", "hard_sigmoid", "sparse_plus")}
    assert slopes == {"relu": 0, "relu6": 0, "softplus": 0.5, "log_sigmoid": 0.5, "elu": 1, "celu": 1, "leaky_relu": 1, "silu": 0.5,
                      "soft_sign": 1, "hard_sigmoid": pytest.approx(1 / 6), "sparse_plus": 0.5}
    assert float(G.grad(nn.relu6)(6.0)) == 0 and float(G.grad(nn.hard_tanh)(1.0)) == 1
    assert float(G.grad(G.grad(nn.softplus))(0.0)) == 0.25 and float(G.grad(G.grad(nn.relu))(0.0)) == 0


def test_far_from_zero():
    with G.enable_x64(True):
        second = float(G.grad(G.grad(nn.log_sigmoid))(-37.42994775023705))
        assert second == pytest.approx(-5.551115123125775e-17, rel=1e-6)
    for name in ("softplus", "silu", "log_sigmoid", "elu", "selu", "celu", "mish", "gelu", "sigmoid"):
        for x in (1e4, -1e4, 3e38, np.inf, -np.inf):
            slope = float(G.grad(getattr(nn, name))(np.float32(x)))
            assert not np.isnan(slope) or abs(x) == np.inf, (name, x)
            assert not np.isnan(float(getattr(nn, name)(np.float32(x)))) or x == -np.inf, (name, x)
    assert np.isnan(float(nn.relu(np.nan))) and np.isnan(float(nn.softplus(np.nan)))


def test_dtypes():
    for name in FORMULAS:
        function = getattr(nn, name)
        for dtype in ("bfloat16", "float16"):
            out = function(jnp.asarray(POINTS, dtype))
            assert out.dtype == dtype
            exact = FORMULAS[name][0](np.asarray(jnp.asarray(POINTS, dtype)).astype(float))
            np.testing.assert_allclose(as_wide(out).astype(float), exact, rtol=2e-2, atol=4e-2)
        assert function(1).dtype == ("int32" if name in ("relu", "hard_tanh", "identity") else "float32")
        assert function(1.0).type.weak_type
        assert np.isfinite(as_wide(function(jnp.arange(-2, 3)))).all()


def test_shaping_numbers():
    x = np.float32([-2, -0.5, 0.5])
    np.testing.assert_allclose(nn.elu(x, 0.7), np.where(x > 0, x, 0.7 * np.expm1(x)), rtol=1e-6)
    np.testing.assert_allclose(nn.celu(x, 0.7), np.where(x > 0, x, 0.7 * np.expm1(x / 0.7)), rtol=1e-6)
    np.testing.assert_allclose(nn.leaky_relu(x, negative_slope=0.3), np.where(x > 0, x, 0.3 * x), rtol=1e-6)
    np.testing.assert_allclose(nn.squareplus(x, 1), (x + np.sqrt(x * x + 1)) / 2, rtol=1e-6)
    np.testing.assert_allclose(G.grad(lambda a: nn.elu(x, a).sum())(0.7), np.expm1(x[:2]).sum(), rtol=1e-6)
    assert nn.elu(jnp.ones(2, "bfloat16"), np.float32(2)).dtype == "float32"
    with pytest.raises(TypeError, match="relu requires ndarray or scalar arguments, got <class 'list'>"):
        nn.relu([1.0])


def test_log1mexp():
    with G.enable_x64(True):
        x = np.array([1e-12, 1e-3, 0.5, math.log(2), 1, 30, 700])
        np.testing.assert_allclose(nn.log1mexp(x), np.where(x < 0.7, np.log(-np.expm1(-x)), np.log1p(-np.exp(-x))), rtol=1e-14)
        np.testing.assert_allclose(G.vmap(G.grad(nn.log1mexp))(x), 1 / np.expm1(x), rtol=1e-13)
    assert float(nn.log1mexp(0.0)) == -np.inf


def test_eager_is_compiled_is_traced():
    x = np.float32(POINTS)
    for name in FORMULAS:
        function = getattr(nn, name)
        np.testing.assert_array_equal(function(x), G.jit(function)(x))
        assert G.make_jaxpr(function)(x).out_avals[0].shape == x.shape
