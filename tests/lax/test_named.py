"""Composites, functions per platform, barriers, tokens, and algorithms for products."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.ops.nested.reduce_window import SelectAndScatter
from gnomon.trace.build import program
from gnomon.trace.stage import bind

X = np.arange(3, dtype="f4")


def chosen(x):
    return lax.platform_dependent(x, cuda=jnp.sin, tpu=jnp.tan, default=jnp.cos)


def test_platform_dependent():
    assert np.allclose(chosen(X), np.cos(X)) and np.allclose(gnomon.jit(chosen)(X), np.cos(X))
    assert np.allclose(gnomon.grad(lambda x: chosen(x).sum())(X), -np.sin(X))
    assert np.allclose(gnomon.vmap(gnomon.grad(chosen))(X), -np.sin(X))
    assert lax.platform_dependent(X, cpu=lambda x: 1, cuda=lambda x: 2) == 1
    text = gnomon.jit(chosen).lower(X).as_text()
    assert ".cosine" in text and not any(f".{other}" in text for other in ("sine", "tan", "case"))
    assert "branches_platforms=((cuda,), (tpu,), None)" in str(gnomon.make_jaxpr(chosen)(X))


def test_platform_dependent_refuses():
    with pytest.raises(NotImplementedError, match="has functions for cuda, and the program is compiled for cpu. Give it a default"):
        lax.platform_dependent(X, cuda=jnp.sin)
    with pytest.raises(TypeError, match="needs a function for a platform"):
        lax.platform_dependent(X)
    with pytest.raises(TypeError, match="takes functions, got 3 for cpu"):
        lax.platform_dependent(X, cpu=3)
    with pytest.raises(TypeError, match="the function for cuda .* and the function for other platforms"):
        lax.platform_dependent(X, cuda=jnp.sin, default=lambda x: (x, x))


def test_composite():
    def scaled(x, *, factor, **rest):
        return {"y": x * factor}

    attributes = dict(factor=2.0, a=1, c=True, d='"s"', e=[1, 2], g=np.arange(2), h=np.float32(2), i={"p": np.dtype("int8")}, j=None)
    f = lambda x: lax.composite(scaled, "my.scaled", version=1)(x, **attributes)["y"]
    assert np.allclose(f(X), 2 * X) and np.allclose(gnomon.jit(f)(X), 2 * X) and np.allclose(gnomon.vmap(f)(X), 2 * X)
    assert gnomon.grad(f)(3.0) == 2 and gnomon.linear_transpose(f, X)(X)[0].tolist() == (2 * X).tolist()
    text = gnomon.jit(f).lower(X).as_text()
    assert '"stablehlo.composite"(%arg0) <{composite_attributes = {"factor" = 2.0 : f64, "a" = 1 : i64, "c" = true, "d" = "\\22s\\22", ' \
           '"e" = [1 : i64, 2 : i64], "g" = dense<[0, 1]> : tensor<2xi64>, "h" = 2.0 : f32, "i" = {"p" = i8}}, ' \
           'decomposition = @my_scaled, name = "my.scaled", version = 1 : i32}>' in text
    with pytest.raises(TypeError, match="the attribute factor of my.scaled cannot be handed to the compiler, since no attribute stands for"):
        lax.composite(scaled, "my.scaled")(X, factor=jnp.sin)
    with pytest.raises(TypeError, match="takes a function and the name of an operation"):
        lax.composite(scaled, 3)


def test_composite_closes_over_traced_values():
    assert gnomon.grad(lambda a: lax.composite(lambda x: a * x, "times")(2.0))(3.0) == 2


def test_barriers():
    tree = {"a": X, "b": (1, 2.0)}
    out = lax.optimization_barrier(tree)
    assert out["b"] == (1, 2.0) and np.array_equal(out["a"], X)
    assert gnomon.grad(lambda x: lax.optimization_barrier((x * x, x))[0])(3.0) == 6
    assert gnomon.vmap(lambda x, y: lax.optimization_barrier((x, y))[0], (0, None))(X, X[0]).tolist() == X.tolist()
    assert "optimization_barrier" in gnomon.jit(lambda x: lax.optimization_barrier(x)).lower(X).as_text()


def test_sinks_keep_work_alive():
    for keep in (False, True):
        f = lambda x: lax.dce_sink(jnp.sin(x), prevent_mlir_dce=keep)
        text = gnomon.jit(f).lower(X).as_text()
        assert "sine" in text and ("custom_call" in text) == keep
        assert gnomon.jit(f)(X) is None and gnomon.vmap(f)(X) is None


def test_tokens():
    def f(token):
        return lax.after_all(token, lax.create_token())
    assert str(gnomon.make_jaxpr(f)(lax.create_token())) == "{ lambda ; a:Tok. let b:Tok = create_token; c:Tok = after_all a b in (c,) }"
    assert gnomon.typeof(gnomon.jit(f)(lax.create_token())) is gnomon.typeof(lax.create_token())
    with pytest.raises(TypeError, match="takes tokens, as create_token makes them, got 3.0 as operand 0"):
        lax.after_all(3.0)


def test_scaled_dot():
    x = np.arange(8, dtype="f4").reshape(2, 4)
    scale = np.array([[1, 2], [3, 4]], "f4")
    f = lambda x, s: lax.scaled_dot(x, x.T, lhs_scale=s, preferred_element_type="float32")
    want = (x * np.repeat(scale, 2, 1)) @ x.T
    assert np.allclose(f(x, scale), want) and lax.scaled_dot(x, x.T).dtype == jnp.bfloat16
    assert np.allclose(gnomon.vmap(f, (0, None))(np.stack([x, x]), scale), np.stack([want, want]))
    assert np.allclose(gnomon.jacfwd(f, 1)(x, scale), gnomon.jacrev(f, 1)(x, scale))
    for bad in (np.ones((2, 4)), np.ones((2, 3)), np.ones((1, 2)), np.ones(2)):
        with pytest.raises(TypeError, match="^scaled_dot"):
            lax.scaled_dot(x, x.T, lhs_scale=bad.astype("f4"))
    with pytest.raises(TypeError, match="needs dimension_numbers"):
        lax.scaled_dot(x[0], x[0])


@pytest.mark.peer
@pytest.mark.parametrize("name", ["DEFAULT", "F16_F16_F16", "BF16_BF16_F32", "BF16_BF16_F32_X3", "BF16_BF16_F32_X6", "F32_F32_F32"])
def test_algorithms(peer, name):
    x = np.random.default_rng(0).standard_normal((8, 8)).astype("f4")
    for dtype in ("float32", "bfloat16"):
        want = peer.lax.dot(peer.numpy.asarray(x, dtype), peer.numpy.asarray(x, dtype), precision=name)
        got = lax.dot(jnp.asarray(x, dtype), jnp.asarray(x, dtype), precision=name)
        assert got.dtype == want.dtype and np.array_equal(got.astype("float32"), want.astype("float32"))
    preset, theirs = lax.DotAlgorithmPreset[name], peer.lax.DotAlgorithmPreset[name]
    assert (preset.accumulation_type, preset.supported_lhs_types) == (theirs.accumulation_type, theirs.supported_lhs_types)
    f = lambda lax: lambda x: lax.dot(x, x, precision=getattr(lax.DotAlgorithmPreset, name))
    assert str(gnomon.make_jaxpr(f(lax))(x)) == str(peer.make_jaxpr(f(peer.lax))(x))


def test_algorithms_that_are_not_there():
    x = jnp.ones((2, 2))
    with pytest.raises(ValueError, match="The algorithm TF32_TF32_F32 for products cannot run on the CPU, which has DEFAULT, F16_F16_F16"):
        lax.dot(x, x, precision="TF32_TF32_F32")
    with pytest.raises(ValueError, match="precision is None, one of 'default'"):
        lax.dot(x, x, precision="TF33")
    with pytest.raises(ValueError, match="A convolution takes a lax.Precision"):
        lax.conv(jnp.ones((1, 1, 3)), jnp.ones((1, 1, 2)), (1,), "SAME", precision="F32_F32_F32")
    algorithm = lax.DotAlgorithm(np.float32, np.float32, np.float32)
    assert lax.dot(x, x, precision=algorithm).tolist() == [[2, 2], [2, 2]]
    assert gnomon.grad(lambda x: lax.dot(x, x, precision=algorithm).sum())(x).tolist() == [[4, 4], [4, 4]]


def test_reduce_window_of_other_computations_is_differentiable():
    f = lambda x: lax.reduce_window(x, 3.0, lambda a, b: a * b, (2,), (1,), "SAME")
    assert f(jnp.arange(4.0)).tolist() == [0, 6, 18, 9]
    assert gnomon.grad(lambda x: f(x).sum())(jnp.arange(4.0)).tolist() == [3, 6, 12, 9]
    assert gnomon.vmap(f)(jnp.arange(6.0).reshape(2, 3)).tolist() == [[0, 6, 6], [36, 60, 15]]


def test_select_and_scatter():
    scalar = gnomon.typeof(jnp.float32(0))
    larger, total = [program([scalar] * 2, lambda a, b, op=op: [op(a, b)]) for op in (lax.ge, lax.add)]
    op = SelectAndScatter(larger, total, (2,), (2,), ((0, 0),))
    f = lambda x: bind(op, x, jnp.array([10.0, 20.0]), jnp.float32(1))[0]
    x = jnp.array([1.0, 3.0, 2.0, 0.0])
    assert f(x).tolist() == [1, 11, 21, 1]
    assert gnomon.vmap(f)(jnp.stack([x, jnp.roll(x, 1)])).tolist() == [[1, 11, 21, 1], [1, 11, 21, 1]]
