"""custom_vmap: the rule is used by vmap, under derivatives too, and checked."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon.custom_batching import custom_vmap, sequential_vmap


@pytest.fixture
def sine():
    """sin, whose rule multiplies by ten so that its use can be seen, and the list of how the rule was called."""
    calls = []

    @custom_vmap
    def f(x, options):
        return {"y": jnp.sin(x), "z": options["shift"]}

    @f.def_vmap
    def rule(size, batched, x, options):
        calls.append((size, batched))
        return {"y": 10 * jnp.sin(x), "z": options["shift"]}, {"y": True, "z": batched[1]["shift"]}
    return f, calls


def test_the_rule_is_told_what_is_mapped(sine):
    f, calls = sine
    out = gnomon.vmap(f, in_axes=(0, None))(jnp.arange(3.0), {"shift": 2.0})
    np.testing.assert_allclose(out["y"], 10 * np.sin(np.arange(3.0)), rtol=1e-6)
    assert calls == [(3, [True, {"shift": False}])] and out["z"].tolist() == [2.0] * 3


def test_mapped_axes_come_first(sine):
    f, calls = sine
    x = jnp.arange(6.0).reshape(2, 3)
    out = gnomon.vmap(f, in_axes=(1, {"shift": 0}), out_axes={"y": 1, "z": 0})(x, {"shift": jnp.ones(3)})
    np.testing.assert_allclose(out["y"], 10 * np.sin(x), rtol=1e-6)
    assert calls == [(3, [True, {"shift": True}])]


def test_without_a_mapped_argument_the_function_runs(sine):
    f, calls = sine
    assert gnomon.vmap(lambda x: x + f(0.0, {"shift": 1.0})["y"])(jnp.ones(2)).tolist() == [1, 1] and not calls


def test_forward_derivative_of_the_rule(sine):
    f, _ = sine

    def y(x):
        return f(x, {"shift": 0.0})["y"]
    push = lambda x: gnomon.jvp(y, (x,), (1.0,))  # noqa: E731
    for values, tangents in (gnomon.vmap(push)(jnp.arange(2.0)),
                             gnomon.jvp(gnomon.vmap(y), (jnp.arange(2.0),), (jnp.ones(2),)),
                             gnomon.jit(gnomon.vmap(push))(jnp.arange(2.0))):
        np.testing.assert_allclose(values, 10 * np.sin([0, 1]), rtol=1e-6)
        np.testing.assert_allclose(tangents, 10 * np.cos([0, 1]), rtol=1e-6)


def test_only_the_tangent_is_mapped(sine):
    f, _ = sine
    out = gnomon.vmap(lambda t: gnomon.jvp(lambda x: f(x, {"shift": 0.0})["y"], (0.0,), (t,))[1])(jnp.arange(3.0))
    assert out.tolist() == [0, 10, 20]


def test_reverse_derivatives(sine):
    f, _ = sine

    def y(x):
        return f(x, {"shift": 0.0})["y"]
    assert float(gnomon.grad(y)(0.0)) == 1.0
    assert gnomon.grad(lambda x: gnomon.vmap(y)(x).sum())(jnp.zeros(2)).tolist() == [10, 10]
    # what the reverse pass keeps is batched by the ordinary rules
    assert gnomon.vmap(gnomon.grad(y))(jnp.zeros(2)).tolist() == [1, 1]
    assert float(gnomon.grad(gnomon.grad(y))(1.0)) == pytest.approx(-np.sin(1.0))


def test_vmap_of_vmap(sine):
    f, calls = sine
    x = jnp.arange(6.0).reshape(2, 3)
    out = gnomon.vmap(gnomon.vmap(lambda x: f(x, {"shift": 0.0})["y"]))(x)
    np.testing.assert_allclose(out, 10 * np.sin(x), rtol=1e-6)
    assert len(calls) == 1


def test_closing_over_a_mapped_value_is_refused():
    def outer(a):
        f = custom_vmap(lambda x: x * a)
        f.def_vmap(lambda size, batched, x: (x, True))
        return f(1.0)
    with pytest.raises(gnomon.errors.Refused, match="closes over a value being mapped; pass it as an argument"):
        gnomon.vmap(outer)(jnp.ones(2))


def test_methods_and_keyword_arguments():
    class Scaler:
        @custom_vmap
        def scale(self, x):
            return 2 * x
    assert isinstance(Scaler.__dict__["scale"], custom_vmap)
    f = custom_vmap(lambda x, y=3.0: x * y)
    f.def_vmap(lambda size, batched, x, y: (x * y, True))
    assert float(f(2.0)) == 6.0 and gnomon.vmap(lambda x: f(x=x))(jnp.ones(2)).tolist() == [3, 3]


def test_sequential_vmap_runs_lane_by_lane():
    seen = []

    @sequential_vmap
    def f(x, y):
        gnomon.debug.callback(lambda v: seen.append(float(v)), x)
        return x * y, y
    out, ys = gnomon.vmap(f, in_axes=(0, None))(jnp.arange(3.0), 2.0)
    gnomon.effects_barrier()
    assert out.tolist() == [0, 2, 4] and ys.tolist() == [2, 2, 2] and seen == [0, 1, 2]
    assert gnomon.grad(lambda x: gnomon.vmap(f, in_axes=(0, None))(x, 2.0)[0].sum())(jnp.ones(2)).tolist() == [2, 2]
