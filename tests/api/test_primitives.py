"""Primitives of one's own, with rules given one by one, as libraries for JAX define them."""
import functools
import re

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import core, lax
from gnomon.errors import Refused
from gnomon.extend.core import Primitive
from gnomon.interpreters import ad, batching, mlir, partial_eval, pxla, xla

scaled_p = Primitive("scaled")


def scaled(x, y, *, k=3, tag="a"):
    return scaled_p.bind(x, y, k=k, tag=tag)


@scaled_p.def_impl
def scaled_impl(x, y, *, k, tag):
    return x * y * k


scaled_p.def_abstract_eval(lambda x, y, *, k, tag: core.ShapedArray(np.broadcast_shapes(x.shape, y.shape), x.dtype))
mlir.register_lowering(scaled_p, mlir.lower_fun(scaled_impl, multiple_results=False))
batching.defbroadcasting(scaled_p)


def scaled_jvp(primals, tangents, *, k, tag):
    (x, y), (tx, ty) = primals, tangents
    out = scaled_p.bind(x, y, k=k, tag=tag)
    dx = tx if type(tx) is ad.Zero else scaled_p.bind(tx, y, k=k, tag=tag)
    dy = ty if type(ty) is ad.Zero else scaled_p.bind(x, ty, k=k, tag=tag)
    return out, ad.add_tangents(dx, dy)


def scaled_transpose(ct, x, y, *, k, tag):
    if ad.is_undefined_primal(x):
        return [scaled_p.bind(ct, y, k=k, tag=tag), None]
    return [None, scaled_p.bind(x, ct, k=k, tag=tag)]


ad.primitive_jvps[scaled_p] = scaled_jvp
ad.primitive_transposes[scaled_p] = scaled_transpose
X, Y = np.array([2, 3], "f4"), np.array([2, 4], "f4")


def test_it_works_under_every_transformation():
    programs = {
        "call": lambda f: f(X, Y), "jit": lambda f: G.jit(f)(X, Y), "grad": lambda f: G.grad(lambda *a: f(*a).sum(), (0, 1))(X, Y),
        "jvp": lambda f: G.jvp(f, (X, Y), (Y, X)), "vmap": lambda f: G.vmap(f)(X, Y), "vmap of one": lambda f: G.vmap(f, (0, None))(X, Y),
        "all": lambda f: G.jit(G.vmap(G.grad(f)))(X, Y), "scan": lambda f: lax.scan(lambda c, x: (f(c, x), c), jnp.float32(2), X),
        "grad of scan": lambda f: G.grad(lambda c: lax.scan(lambda c, x: (f(c, x), c), c, X)[0])(jnp.float32(2)),
        "hessian": lambda f: G.hessian(lambda x: f(x, x).sum())(X), "cond": lambda f: lax.cond(True, f, lambda a, b: a, X, Y),
        "checkpoint": lambda f: G.grad(G.checkpoint(lambda x: f(x, Y).sum()))(X), "linearize": lambda f: G.linearize(lambda x: f(x, Y), X)[1](Y),
    }
    for name, program in programs.items():
        got, want = (G.tree.leaves(program(f)) for f in (scaled, lambda x, y: 3 * x * y))
        assert all(np.allclose(a, b) for a, b in zip(got, want, strict=True)), name


def test_it_shows_in_programs():
    jaxpr = G.make_jaxpr(scaled)(X, Y)
    eqn, = jaxpr.eqns
    assert eqn.primitive is scaled_p and eqn.params == {"k": 3, "tag": "a"} and isinstance(eqn.primitive, Primitive)
    assert str(jaxpr) == "{ lambda ; a:f32[2] b:f32[2]. let c:f32[2] = scaled[k=3 tag=a] a b in (c,) }"
    assert G.make_jaxpr(functools.partial(scaled, k=[1, 2]))(X, Y).eqns[0].params["k"] == [1, 2]      # parameters need no hash
    assert not any(p.call_primitive or p.map_primitive for p in (scaled_p, G.make_jaxpr(jnp.sin)(1.0).eqns[0].primitive))
    assert scaled_p in ad.primitive_jvps and ad.get_primitive_transpose(scaled_p) is scaled_transpose


def test_several_results():
    two_p = Primitive("two")
    two_p.multiple_results = True
    two_p.def_abstract_eval(lambda x: [x, x])
    mlir.register_lowering(two_p, mlir.lower_fun(lambda x: [x + 1, x * 2]))
    ad.primitive_jvps[two_p] = lambda primals, tangents: (two_p.bind(*primals), [tangents[0], ad.Zero.from_primal_value(primals[0])])
    batching.primitive_batchers[two_p] = lambda args, dims: (two_p.bind(*args), [dims[0]] * 2)
    f = lambda x: tuple(two_p.bind(x))      # noqa: E731
    assert [float(y) for y in f(2.0)] == [3.0, 4.0] and float(G.grad(lambda x: sum(f(x)))(2.0)) == 1.0
    assert [y.tolist() for y in G.vmap(f)(X)] == [[3, 4], [4, 6]] and [float(t) for t in G.jvp(f, (2.0,), (1.0,))[1]] == [1.0, 0.0]


def test_batching_that_is_told_the_axis():
    told_p = Primitive("told")
    told_p.def_abstract_eval(lambda x: x)
    mlir.register_lowering(told_p, mlir.lower_fun(lambda x: x, multiple_results=False))
    batching.axis_primitive_batchers[told_p] = lambda size, name, tracer, args, dims: (told_p.bind(args[0] * size), dims[0])
    assert G.vmap(told_p.bind, axis_name="i")(X).tolist() == [4, 6] and told_p in batching.axis_primitive_batchers
    axes = []
    batching.axis_primitive_batchers[told_p] = lambda size, name, tracer, args, dims: (axes.append((size, name)) or told_p.bind(args[0]), dims[0])
    G.vmap(G.vmap(told_p.bind), axis_name="i")(np.ones((3, 2), "f4"))
    assert sorted(axes, key=str) == [(2, None), (3, "i")]


def test_effects_of_ones_own_class():
    from gnomon.extend.core import Effect

    class Written(Effect):
        pass

    assert str(Written()) == "Written" and Written() == Written() != Effect("Written")


def test_short_forms_of_rules():
    double_p = Primitive("double")
    double_p.def_impl(functools.partial(xla.apply_primitive, double_p))
    double_p.def_abstract_eval(lambda x: x)
    mlir.register_lowering(double_p, mlir.lower_fun(lambda x: x + x, multiple_results=False))
    ad.deflinear(double_p, lambda ct: [double_p.bind(ct)])
    batching.defvectorized(double_p)
    assert double_p.bind(X).tolist() == [4, 6] and G.grad(lambda x: double_p.bind(x).sum())(X).tolist() == [2, 2]
    assert G.vmap(double_p.bind, 1, 1)(np.ones((2, 3), "f4")).shape == (2, 3) and float(G.linear_transpose(double_p.bind, 1.0)(2.0)[0]) == 4.0

    dot_p = Primitive("own_dot")
    dot_p.def_impl(lambda x, y: x @ y)
    dot_p.def_abstract_eval(lambda x, y: core.ShapedArray((), x.dtype))
    ad.defbilinear(dot_p, lambda ct, x, y: ct * y, lambda ct, x, y: ct * x)
    gx, gy = G.grad(dot_p.bind, (0, 1))(X, Y)
    assert (gx.tolist(), gy.tolist()) == (Y.tolist(), X.tolist())

    sum_p = Primitive("own_sum")
    sum_p.def_impl(lambda x, axes: x.sum(axes))
    sum_p.def_abstract_eval(lambda x, axes: core.ShapedArray(tuple(n for i, n in enumerate(x.shape) if i not in axes), x.dtype))
    batching.defreducer(sum_p)
    x = np.arange(24, dtype="f4").reshape(2, 3, 4)
    for d, axes in [(0, (0,)), (1, (0, 1)), (2, (1,))]:
        assert np.array_equal(G.vmap(lambda a, axes=axes: sum_p.bind(a, axes=axes), d)(x), np.moveaxis(x, d, 0).sum(tuple(a + 1 for a in axes)))

    lanes_p = Primitive("lanes")
    lanes_p.def_abstract_eval(lambda x: x)
    batching.fancy_primitive_batchers[lanes_p] = lambda data, args, dims: (jnp.full_like(args[0], data.size), dims[0])
    assert G.vmap(lanes_p.bind)(X).tolist() == [2, 2]


bare_p = Primitive("bare")
bare_p.def_abstract_eval(lambda x: x)
built_p = Primitive("built")
built_p.def_abstract_eval(lambda x: x)


@pytest.mark.parametrize("call, message", [
    (lambda: Primitive("nothing").bind(1.0),
     "the primitive nothing was not told the types of its results. Give it def_abstract_eval(function of types)"),
    (lambda: bare_p.bind(1.0), "the primitive bare cannot be compiled, since nobody said what it does. Give it def_impl(function), or "
                               "interpreters.mlir.register_lowering(primitive, mlir.lower_fun(function))"),
    (lambda: G.vmap(bare_p.bind)(X), "bare at HERE (<lambda>) cannot be batched: the primitive bare was given no rule for it. Give one with "
                                     "interpreters.batching.primitive_batchers[primitive] = rule(args, dims, **parameters)"),
    (lambda: mlir.register_lowering(built_p, lambda ctx, x: x) or G.jit(built_p.bind)(1.0),
     "the primitive built cannot be compiled, since its lowering builds MLIR: "
     "programs are written as StableHLO text and there are no MLIR objects; give register_lowering a function of "
     "Gnomon's: mlir.lower_fun(function)"),
    (lambda: ad.defjvp(G.make_jaxpr(jnp.sin)(1.0).eqns[0].primitive, None),
     "rules can be given to primitives made by extend.core.Primitive, but not to sin, whose rules stand in its op's class; wrap the function in "
     "custom_jvp, custom_vjp or custom_vmap"),
    (lambda: mlir.ir_constant(1), "ir_constant: programs are written as StableHLO text and there are no MLIR objects; give register_lowering a "
                                  "function of Gnomon's: mlir.lower_fun(function)."),
])
def test_refused_with_these_words(call, message):
    with pytest.raises(Refused) as caught:
        call()
    assert re.sub(r"test_primitives\.py:\d+", "HERE", str(caught.value)) == message


def test_what_it_does_must_have_the_declared_type():
    wrong_p = Primitive("wrong")
    wrong_p.def_impl(lambda x: x.sum())
    wrong_p.def_abstract_eval(lambda x: x)
    with pytest.raises(TypeError, match=r"^The primitive wrong is float32\[\] by what it does and float32\[2\] by its abstract evaluation\.$"):
        G.jit(wrong_p.bind)(X)


def test_programs_cut_and_traced():
    jaxpr = G.make_jaxpr(lambda x, y: (jnp.sin(x) * y, y + 1))(1.0, 2.0)
    smaller, used = partial_eval.dce_jaxpr(jaxpr.jaxpr, [False, True])
    assert len(smaller.eqns) == 1 and used == [False, True] and len(smaller.invars) == 1
    moved, has = ad.jvp_jaxpr(jaxpr, [True, False], False)
    assert has == [True, False] and [float(v) for v in core.eval_jaxpr(moved.jaxpr, moved.consts, 0.0, 2.0, 1.0)] == [0.0, 3.0, 2.0]
    assert [str(t) for t in partial_eval.abstract_eval_fun(lambda x, k: [x * k, x > 0], core.ShapedArray((2,), "float32"), k=2)] == [
        "float32[2]", "bool[2]"]
    with G.set_mesh(G.make_mesh((1,), ("x",))):
        assert pxla.thread_resources.env.physical_mesh.axis_names == ("x",)
    assert pxla.thread_resources.env.physical_mesh.empty
