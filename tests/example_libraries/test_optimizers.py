"""The small optimizers against their formulas in NumPy, and layers against plain functions."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon.example_libraries import optimizers, stax

START = {"a": np.array([[1.0, -2.0], [0.5, 3.0]], "f4"), "b": np.array([0.2], "f4")}


def gradient(p):
    return {"a": np.sin(p["a"]), "b": 2 * p["b"]}


def adam(x, g, i, s):
    s["m"], s["v"] = 0.9 * s.get("m", 0) + 0.1 * g, 0.999 * s.get("v", 0) + 0.001 * g * g
    return x - 0.1 * (s["m"] / (1 - 0.9 ** (i + 1))) / (np.sqrt(s["v"] / (1 - 0.999 ** (i + 1))) + 1e-8)


def adamax(x, g, i, s):
    s["m"], s["u"] = 0.9 * s.get("m", 0) + 0.1 * g, np.maximum(0.999 * s.get("u", 0), abs(g))
    return x - 0.1 / (1 - 0.9 ** (i + 1)) * s["m"] / (s["u"] + 1e-8)


def velocity(x, g, i, s):
    s["v"] = 0.9 * s.get("v", 0) + g
    return x - 0.1 * s["v"]


def nesterov(x, g, i, s):
    s["v"] = 0.9 * s.get("v", 0) + g
    return x - 0.1 * (0.9 * s["v"] + g)


def adagrad(x, g, i, s):
    s["g"] = s.get("g", 0) + g * g
    s["m"] = 0.1 * g / np.sqrt(s["g"]) + 0.9 * s.get("m", 0)
    return x - 0.1 * s["m"]


def rmsprop(x, g, i, s):
    s["g"] = 0.9 * s.get("g", 0) + 0.1 * g * g
    return x - 0.1 * g / np.sqrt(s["g"] + 1e-8)


def rmsprop_momentum(x, g, i, s):
    s["g"] = 0.9 * s.get("g", 0) + 0.1 * g * g
    s["v"] = 0.9 * s.get("v", 0) + 0.1 * g / np.sqrt(s["g"] + 1e-8)
    return x - s["v"]


def sm3(x, g, i, s):
    bounds = s.get("bounds", [np.zeros(n) for n in x.shape])
    squares = np.minimum(*np.ix_(*bounds)) + g * g if x.ndim > 1 else bounds[0] + g * g
    s["bounds"] = [squares.max(tuple(j for j in range(x.ndim) if j != d)) for d in range(x.ndim)]
    s["m"] = 0.1 * g / np.sqrt(squares) + 0.9 * s.get("m", 0)
    return x - 0.1 * s["m"]


@pytest.mark.parametrize("made, rule", [
    (optimizers.sgd(lambda i: 0.1 / (i + 1)), lambda x, g, i, s: x - 0.1 / (i + 1) * g), (optimizers.momentum(0.1, 0.9), velocity),
    (optimizers.nesterov(0.1, 0.9), nesterov), (optimizers.adagrad(0.1), adagrad), (optimizers.rmsprop(0.1), rmsprop),
    (optimizers.rmsprop_momentum(0.1), rmsprop_momentum), (optimizers.adam(0.1), adam), (optimizers.adamax(0.1), adamax), (optimizers.sm3(0.1), sm3),
], ids=lambda x: getattr(x, "__name__", ""))
def test_steps_follow_the_formula(made, rule):
    start, update, params = made
    state, want, kept = start(START), {k: v.astype("f8") for k, v in START.items()}, {"a": {}, "b": {}}
    step = G.jit(lambda i, s: update(i, G.tree.map(jnp.asarray, {"a": jnp.sin(params(s)["a"]), "b": 2 * params(s)["b"]}), s))
    for i in range(4):
        g = gradient(want)
        want = {k: rule(want[k], g[k], i, kept[k]) for k in want}
        state = step(i, state)
    for k in want:
        np.testing.assert_allclose(params(state)[k], want[k], rtol=1e-4)
    again = optimizers.pack_optimizer_state(optimizers.unpack_optimizer_state(state))
    assert G.tree.structure(again) == G.tree.structure(state)


def test_schedules_and_clipping():
    values = {optimizers.exponential_decay(1.0, 2, 0.5): [1, 0.5, 0.25], optimizers.polynomial_decay(1.0, 4, 0.0): [1, 0.5, 0],
              optimizers.inverse_time_decay(1.0, 4, 1.0, staircase=True): [1, 1, 0.5], optimizers.piecewise_constant([1, 3], [1, 2, 3]): [1, 2, 3]}
    for schedule, want in values.items():
        np.testing.assert_allclose([schedule(i) for i in (0, 2, 4)], want)
    clipped = optimizers.clip_grads({"x": jnp.array([3.0, 4.0])}, 1.0)
    np.testing.assert_allclose(clipped["x"], [0.6, 0.8], rtol=1e-6)
    with pytest.raises(TypeError, match="Differentiate with respect to the parameters"):
        start, update, _ = optimizers.sgd(0.1)
        update(0, [1.0, 2.0], start([1.0]))


def test_layers():
    key, x = G.random.key(0), np.arange(2 * 6 * 6 * 3, dtype="f4").reshape(2, 6, 6, 3) / 100
    init, apply = stax.serial(stax.Conv(4, (3, 3), padding="SAME"), stax.Relu, stax.MaxPool((2, 2), (2, 2)), stax.Flatten, stax.FanOut(2),
                              stax.parallel(stax.Dense(5), stax.serial(stax.Dense(5), stax.Tanh)), stax.FanInSum)
    shape, params = init(key, (-1, 6, 6, 3))
    assert shape[-1] == 5
    (w, b), (left, right) = params[0], params[5]
    y = G.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + b
    y = jnp.maximum(y, 0).reshape(2, 3, 2, 3, 2, 4).max((2, 4)).reshape(2, -1)
    np.testing.assert_allclose(apply(params, x), y @ left[0] + left[1] + jnp.tanh(y @ right[0][0] + right[0][1]), rtol=1e-5, atol=1e-5)
    init, apply = stax.serial(stax.BatchNorm((0,)), stax.Dropout(0.5), stax.FanOut(2), stax.FanInConcat())
    out = apply(init(key, (8, 2))[1], np.arange(16, dtype="f4").reshape(8, 2), rng=key)
    assert out.shape == (8, 4) and (out == 0).any()
    with pytest.raises(ValueError, match="its apply needs a key"):
        apply(init(key, (8, 2))[1], np.ones((8, 2), "f4"))
