"""disable_jit, ensure_compile_time_eval, named scopes, users' own contexts."""
import re

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.extend.core import Primitive
from gnomon.interpreters import batching


def test_disable_jit_runs_plain_python():
    seen = []

    @gnomon.jit
    def f(x, n):
        seen.append(float(x))
        return x * 2 if x > n else lax.fori_loop(0, 3, lambda i, v: v + float(v), x)
    with gnomon.disable_jit():
        assert f(3.0, 1) == 6.0 and float(f(1.0, 1)) == 8.0
    assert seen == [3.0, 1.0]
    with gnomon.disable_jit(disable=False), pytest.raises(gnomon.errors.TracerBoolConversionError):
        gnomon.jit(lambda x: 1 if x else 0)(1.0)
    with pytest.raises(gnomon.errors.ConcretizationTypeError):
        f(1.0, 1)


def test_disable_jit_and_static_arguments():
    f = gnomon.jit(lambda x, mode: x if mode == "same" else -x, static_argnames="mode")
    with gnomon.disable_jit():
        assert float(f(1.0, mode="other")) == -1.0


def test_derivatives_and_lanes_under_disable_jit():
    with gnomon.disable_jit():
        assert float(gnomon.grad(gnomon.jit(lambda x: x ** 3))(2.0)) == 12.0
        assert gnomon.vmap(gnomon.jit(lambda x: x + 1))(jnp.arange(2)).tolist() == [1, 2]


def test_ensure_compile_time_eval():
    @gnomon.jit
    def f(x):
        with gnomon.ensure_compile_time_eval():
            n = jnp.arange(3).sum()
            assert isinstance(int(n), int)
        return x * n if n > 2 else x
    assert float(f(2.0)) == 6.0


@pytest.mark.parametrize("inner", [
    lambda x: x + 1, jnp.any, gnomon.jit(lambda x: x * 2), lambda x: x.at[0].set(2.0)[0], lambda x: jnp.where(x > 0, x, 1.0), jnp.sort,
    lambda x: gnomon.lax.cond(x.sum() > 0, lambda x: x, lambda x: -x, x), lambda x: gnomon.lax.scan(lambda c, v: (c + v, c), 0.0, x),
    gnomon.vmap(lambda v: v * 2), gnomon.grad(lambda v: (v * v).sum()), gnomon.nn.relu, gnomon.checkpoint(jnp.sin),
    lambda x: gnomon.pure_callback(np.sin, x, x),
], ids=[str(i) for i in range(13)])
def test_what_is_traced_is_recorded_inside_ensure_compile_time_eval(inner):
    """As in JAX: operations on arrays run at once, those on traced values go into the program that they belong to."""
    def f(x):
        with gnomon.ensure_compile_time_eval():
            return inner(x), jnp.ones(2).sum()
    x = jnp.array([3.0, 1.0, 2.0])
    for got, want in zip(gnomon.tree.leaves(gnomon.jit(f)(x)[0]), gnomon.tree.leaves(inner(x)), strict=True):
        np.testing.assert_allclose(got, want)
    assert not isinstance(f(x)[1], gnomon.core.Tracer)


def test_rules_hold_inside_ensure_compile_time_eval():
    seven = gnomon.custom_jvp(lambda x: x * 2)
    seven.defjvp(lambda primals, tangents: (seven(*primals), 7 * tangents[0]))

    def f(x):
        with gnomon.ensure_compile_time_eval():
            return seven(x) + x
    assert float(gnomon.grad(f)(1.0)) == 8.0 and gnomon.vmap(gnomon.grad(f))(jnp.ones(2)).tolist() == [8, 8]
    any_p = Primitive("any_lane")
    any_p.def_impl(jnp.any)
    any_p.def_abstract_eval(lambda x: gnomon.core.ShapedArray((), bool))
    batching.primitive_batchers[any_p] = lambda args, dims: (any_p.bind(args[0]), None)

    def g(x):
        with gnomon.ensure_compile_time_eval():
            return any_p.bind(x > 1)
    assert gnomon.vmap(g, out_axes=None)(jnp.arange(3)).tolist() is True
    kept = []
    gnomon.jit(lambda x: kept.append(x) or x)(1.0)
    with pytest.raises(gnomon.errors.UnexpectedTracerError, match="leaked out"):
        kept[0] + 1


def test_named_scopes_leave_programs_alone():
    @gnomon.named_scope("inner")
    def f(x):
        return x * 2.0

    def g(x):
        with gnomon.named_scope("outer"):
            return gnomon.named_call(f, name="call")(x)
    assert str(gnomon.make_jaxpr(g)(1.0)) == str(gnomon.make_jaxpr(lambda x: x * 2.0)(1.0))
    with pytest.raises(TypeError, match="named_scope takes a string, got 3"):
        gnomon.named_scope(3)


def op_names(f, *args):
    return set(re.findall(r'op_name="([^"]*)"', gnomon.jit(f).lower(*args).compile().as_text()))


def test_names_of_scopes_are_carried_to_the_compiled_program():
    @gnomon.jit
    def called(x):
        with gnomon.named_scope("in"):
            return jnp.sin(x)

    def model(x):
        with gnomon.named_scope("outer"):
            y = jnp.cos(x)
            with gnomon.named_scope("b"):
                y = y * called(x)
            z = lax.scan(lambda c, _: (jnp.tanh(c * y.sum()), None), y.sum(), None, length=3)[0]
        return jnp.exp(z)
    x = jnp.ones(3)
    plain = op_names(model, x)
    assert {"jit(model)/outer/cos", "jit(model)/outer/b/mul", "jit(model)/outer/scan/tanh", "jit(model)/outer/b/jit(called)/in/sin"} <= plain
    assert not any("exp" in name for name in plain)         # outside all scopes
    assert "jit(vmap(model))/vmap(outer)/cos" in op_names(gnomon.vmap(model), jnp.ones((2, 3)))
    gradient = op_names(gnomon.grad(model), x)
    assert {"jit(grad(model))/outer/cos", "jit(grad(model))/transpose(jvp(outer))/b/mul"} <= gradient
    lowered = gnomon.jit(model).lower(x)
    assert " loc(" not in lowered.as_text()
    where = lowered.as_text(debug_info=True)
    assert 'loc("jit(model)/outer/cos"(' in where and "test_scopes.py" in where and 'loc("jit(model)/exp"(' in where
    assert float(lowered.compile()(x)) == pytest.approx(float(model(x)))


def test_a_scope_ends_where_an_error_leaves_it_and_is_no_part_of_inner_traces():
    def f(x):
        try:
            with gnomon.named_scope("left"):
                raise KeyError
        except KeyError:
            return jnp.cos(x)
    assert not op_names(f, 1.0) - {"x"}
    scope = gnomon.named_scope("again")         # one object may be entered twice

    def g(x):
        with scope, scope:
            return jnp.sin(x)
    assert "jit(g)/again/again/sin" in op_names(g, 1.0)


def test_a_users_context_is_part_of_the_signature():
    traces = []
    scale = gnomon.make_user_context(1)

    @gnomon.jit
    def f(x):
        traces.append(scale.value)
        return x * scale.value
    for _ in range(2):
        assert int(f(2)) == 2
        with scale(10):
            assert int(f(2)) == 20
            with scale(5):
                assert int(f(2)) == 10 and scale.value == 5
            assert int(f(2)) == 20
    assert sorted(traces) == [1, 5, 10] and scale.value == 1
    with pytest.raises(TypeError):
        scale([])


def test_contexts_are_told_apart():
    a, b = gnomon.make_user_context(), gnomon.make_user_context()
    f = gnomon.jit(lambda: jnp.array([a.value or 0, b.value or 0]))
    with a(1):
        assert f().tolist() == [1, 0]
        with b(2):
            assert f().tolist() == [1, 2]
    assert f().tolist() == [0, 0]
