"""Layouts and memories said inside programs, values tied to others, parts of programs that must not be reached."""
import pickle

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon.experimental.layout import Format, Layout, with_layout_constraint
from gnomon.ops import primitive_named
from gnomon.ops.ordering import Unreachable
from gnomon.trace.stage import bind
from gnomon.types.value_type import ArrayType

X = np.arange(24, dtype="f4").reshape(2, 3, 4)
ORDER = Layout((2, 0, 1))


def test_a_layout_is_handed_to_the_compiler_and_leaves_numbers_alone():
    def f(x):
        return with_layout_constraint(jnp.sin(x), ORDER)
    lowered = gnomon.jit(f).lower(X)
    assert "result_layouts = [dense<[1, 0, 2]> : tensor<3xindex>]" in lowered.as_text()
    np.testing.assert_allclose(lowered.compile()(X), np.sin(X), rtol=1e-6)
    np.testing.assert_array_equal(with_layout_constraint(X, ORDER), X)
    assert gnomon.make_jaxpr(gnomon.vmap(f))(X[None]).eqns[1].params["layout"] == Layout((0, 3, 1, 2))
    np.testing.assert_allclose(gnomon.grad(lambda x: f(x).sum())(X), np.cos(X), rtol=1e-6)


def test_layouts_are_values():
    assert pickle.loads(pickle.dumps(ORDER)) == ORDER != Layout((0, 1, 2)) and hash(ORDER) == hash(Layout([2, 0, 1]))
    for wrong in ((0, 0, 1), (1, 2, 3)):
        with pytest.raises(ValueError, match="names each dimension once"):
            Layout(wrong)
    with pytest.raises(ValueError, match="a layout of 2 dimensions"):
        with_layout_constraint(X, Layout((0, 1)))
    with pytest.raises(ValueError, match="takes layouts"):
        with_layout_constraint(X, 3)
    with pytest.raises(ValueError, match="needs the sharding"):
        Format(ORDER)
    assert Format() == Format(None, None)


def test_what_a_tie_keeps():
    tie, size = primitive_named("tie").bind, primitive_named("dimension_size").bind
    assert [e.primitive.name for e in gnomon.make_jaxpr(lambda x, y: tie(x, y))(1.0, 2.0).eqns] == ["tie"]
    dx, dy = gnomon.jit(gnomon.grad(lambda x, y: tie(x, y) * jnp.sin(x), (0, 1)))(1.0, 2.0)
    np.testing.assert_allclose([dx, dy], [2 * np.cos(1), np.sin(1)], rtol=1e-6)
    assert int(gnomon.jit(lambda x: size(x, dimension=1))(X)) == 3


def test_unreachable_is_an_error_where_it_is_compiled():
    def f(x):
        return bind(Unreachable((ArrayType((2,), np.dtype("f4")),), KeyError, "not here"), x)[0] * 2
    assert str(gnomon.make_jaxpr(f)(1.0).out_avals[0]) == "float32[2]"
    with pytest.raises(KeyError, match="not here"):
        gnomon.jit(f)(1.0)
