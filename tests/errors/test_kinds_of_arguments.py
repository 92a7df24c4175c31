"""Values of a wrong kind for each parameter of each transformation: one sentence that names the function and the parameter, never an error from
inside."""
import numpy as np
import pytest

import gnomon as G
from gnomon import lax
from gnomon.sharding import PartitionSpec as P

MESH = G.make_mesh((1,), ("i",))
FLOATS = G.ShapeDtypeStruct((3,), np.float32)


class Odd:
    """Neither hashable nor iterable, and not true or false."""

    __hash__ = None

    def __eq__(self, other):
        return self is other

    def __repr__(self):
        return "<odd>"


def x():
    return np.arange(3, dtype=np.float32)


def total(x):
    return (x * x).sum()


def same(x, y=1):
    return x


def step(carry, x):
    return carry + x, carry


def rooted(**wrong):
    return lax.custom_root(**{"f": lambda x: x * x - 2.0, "initial_guess": 1.0, "solve": lambda f, x: x, "tangent_solve": lambda g, y: y / g(1.0), **wrong})


def solved(**wrong):
    return lax.custom_linear_solve(**{"matvec": lambda x: 2 * x, "b": x(), "solve": lambda m, b: b / 2, "transpose_solve": lambda m, b: b / 2, **wrong})


def mapped_over_devices(**wrong):
    return G.pmap(same, **wrong)(np.ones((1, 2), np.float32))


def sharded(**wrong):
    return G.shard_map(same, **{"mesh": MESH, "in_specs": P("i"), "out_specs": P("i"), **wrong})(x())


def with_rule(function, **rules):
    for name, args in rules.items():
        getattr(function, name)(*args)
    return G.grad(function)(x())


INTEGERS = "text", 1.5, Odd(), same, (1.5,), ("text",), {"a": 1}
NAMES = 1.5, Odd(), same, (1,), 3
FLAGS = "text", 1.5, Odd(), same, [], (1,)
ONE_INTEGER = "text", 1.5, Odd(), same, (1,)
AXES = "text", 1.5, Odd(), same, (1.5,)
FUNCTIONS = "text", 3, Odd()
ARRAYS = "text", Odd(), np.array(["text"]), {"a": [1.0, "text"]}

# what is called, with which parameter: how, and with what
PARAMETERS = {
    **{(name, "argnums"): (lambda v, t=getattr(G, name): t(total, argnums=v)(x()), (*INTEGERS, None))
       for name in ("grad", "value_and_grad", "jacfwd", "jacrev", "hessian")},
    **{(name, flag): (lambda v, t=getattr(G, name), flag=flag: t(total, **{flag: v})(x()), FLAGS)
       for name in ("grad", "value_and_grad", "jacfwd", "jacrev", "hessian") for flag in ("has_aux", "holomorphic")},
    **{(name, "argument"): (lambda v, t=getattr(G, name): t(total)(v), ARRAYS) for name in ("grad", "value_and_grad", "jacfwd", "jacrev", "vmap", "jit")},
    **{(name, "has_aux"): (lambda v, t=getattr(G, name): t(total, x(), has_aux=v), FLAGS) for name in ("vjp", "linearize")},
    ("jvp", "has_aux"): (lambda v: G.jvp(total, (x(),), (x(),), has_aux=v), FLAGS),
    ("jvp", "tangent"): (lambda v: G.jvp(total, (x(),), (v,)), ("text", Odd())),
    ("vjp", "cotangent"): (lambda v: G.vjp(total, x())[1](v), ("text", Odd(), None, (1.0,))),
    ("linearize", "tangent"): (lambda v: G.linearize(total, x())[1](v), ("text", Odd(), None, (1.0,))),
    ("linear_transpose", "argument"): (lambda v: G.linear_transpose(same, v), ("text", Odd())),
    ("linear_transpose", "cotangent"): (lambda v: G.linear_transpose(same, x())(v), ("text", Odd())),
    ("vmap", "in_axes"): (lambda v: G.vmap(same, in_axes=v)(x()), (*AXES, ("text",))),
    ("vmap", "out_axes"): (lambda v: G.vmap(same, out_axes=v)(x()), (*AXES, ("text",))),
    ("vmap", "axis_name"): (lambda v: G.vmap(same, axis_name=v)(x()), ([], {}, Odd())),
    ("vmap", "axis_size"): (lambda v: G.vmap(same, axis_size=v)(x()), (*ONE_INTEGER, -1)),
    ("vmap", "spmd_axis_name"): (lambda v: G.vmap(same, spmd_axis_name=v)(x()), NAMES),
    **{("jit", name): (lambda v, name=name: G.jit(same, **{name: v})(x()), INTEGERS) for name in ("static_argnums", "donate_argnums")},
    **{("jit", name): (lambda v, name=name: G.jit(same, **{name: v})(x()), NAMES) for name in ("static_argnames", "donate_argnames")},
    **{("jit", name): (lambda v, name=name: G.jit(same, **{name: v})(x()), FLAGS) for name in ("keep_unused", "inline")},
    **{("jit", name): (lambda v, name=name: G.jit(same, **{name: v})(x()), ("text", 3, Odd(), ("text",)))
       for name in ("in_shardings", "out_shardings", "device", "compiler_options")},
    ("jit", "backend"): (lambda v: G.jit(same, backend=v)(x()), (3, Odd(), [])),
    **{(name, "nondiff_argnums"): (lambda v, t=getattr(G, name): t(same, nondiff_argnums=v), INTEGERS) for name in ("custom_jvp", "custom_vjp")},
    **{(name, "nondiff_argnames"): (lambda v, t=getattr(G, name): t(same, nondiff_argnames=v), NAMES) for name in ("custom_jvp", "custom_vjp")},
    **{(name, "fun"): (lambda v, t=getattr(G, name): t(v), FUNCTIONS) for name in ("custom_jvp", "custom_vjp", "vmap", "grad", "make_jaxpr")},
    ("Custom JVP rule", ""): (lambda v: with_rule(G.custom_jvp(total), defjvp=(lambda p, t: v,)), (None, 1.0, (1.0,), ("a", "b"), (1.0, "a"), (1.0, 1j))),
    ("defjvps", "jvp"): (lambda v: G.custom_jvp(total).defjvps(v), FUNCTIONS),
    ("Custom VJP fwd rule", ""): (lambda v: with_rule(G.custom_vjp(total), defvjp=(lambda x: v, lambda r, ct: (r,))), (None, 1.0, (1.0,), ("a", None))),
    ("Custom VJP bwd rule", ""): (lambda v: with_rule(G.custom_vjp(total), defvjp=(lambda x: (total(x), x), lambda r, ct: v)),
                                  (None, 1.0, (), ("a",), (1.0,), (x() + 1j,))),
    ("checkpoint", "prevent_cse"): (lambda v: G.checkpoint(total, prevent_cse=v), ("text", 1.5, Odd(), same, ("text",))),
    ("checkpoint", "static_argnums"): (lambda v: G.checkpoint(total, static_argnums=v), INTEGERS),
    ("checkpoint", "static_argnames"): (lambda v: G.checkpoint(total, static_argnames=v), NAMES),
    ("scan", "length"): (lambda v: lax.scan(step, 0.0, None, length=v), ONE_INTEGER),
    ("scan", "reverse"): (lambda v: lax.scan(step, 0.0, x(), reverse=v), (*FLAGS, x())),
    ("scan", "unroll"): (lambda v: lax.scan(step, 0.0, x(), unroll=v), ONE_INTEGER),
    ("scan", "init"): (lambda v: lax.scan(step, v, x()), ARRAYS),
    ("scan", "xs"): (lambda v: lax.scan(step, 0.0, v), ARRAYS),
    **{("fori_loop", name): (lambda v, name=name: lax.fori_loop(**{"lower": 0, "upper": 3, name: v}, body_fun=lambda i, c: c, init_val=0.0),
                             ("text", None, 1.5, Odd(), [])) for name in ("lower", "upper")},
    ("fori_loop", "unroll"): (lambda v: G.jit(lambda n: lax.fori_loop(0, n, lambda i, c: c, 0.0, unroll=v))(3), ("text", 1.5, Odd(), x())),
    ("switch", "index"): (lambda v: lax.switch(v, [same, same], x()), ("text", None, (1,), Odd())),
    ("cond", "predicate"): (lambda v: lax.cond(v, same, same, x()), ("text", None, (True,), Odd())),
    ("map", "batch_size"): (lambda v: lax.map(same, x(), batch_size=v), ONE_INTEGER),
    ("associative_scan", "axis"): (lambda v: lax.associative_scan(lambda a, b: a + b, x(), axis=v), ONE_INTEGER),
    ("associative_scan", "reverse"): (lambda v: lax.associative_scan(lambda a, b: a + b, x(), reverse=v), FLAGS),
    ("associative_scan", ""): (lambda v: lax.associative_scan(lambda a, b: v, x()), ("text", None, (1.0, 2.0), Odd())),
    **{("shard_map", name): (lambda v, name=name: sharded(**{name: v}), ("text", 3, Odd(), ("text",))) for name in ("in_specs", "out_specs", "axis_names")},
    ("shard_map", "mesh"): (lambda v: sharded(mesh=v), ("text", 3, Odd())),
    ("shard_map", "check_vma"): (lambda v: sharded(check_vma=v), FLAGS),
    ("make_jaxpr", "static_argnums"): (lambda v: G.make_jaxpr(same, static_argnums=v)(x()), (*INTEGERS, 5)),
    ("make_jaxpr", "axis_env"): (lambda v: G.make_jaxpr(same, axis_env=v)(x()), ("text", 3, Odd(), [("i",)], [("i", 2.5)], ("i", 2), [("i", -2)])),
    ("make_jaxpr", "return_shape"): (lambda v: G.make_jaxpr(same, return_shape=v)(x()), FLAGS),
    ("ShapeDtypeStruct", "shape"): (lambda v: G.ShapeDtypeStruct(v, np.float32), ("text", 1.5, None, (1.5,), ("text",), (-1,), Odd())),
    **{("custom_root", name): (lambda v, name=name: rooted(**{name: v}), (*FUNCTIONS, lambda *a: None, lambda *a: (1.0, 1.0)))
       for name in ("f", "solve", "tangent_solve")},
    ("custom_root", "has_aux"): (lambda v: rooted(has_aux=v), FLAGS),
    **{("custom_linear_solve", name): (lambda v, name=name: solved(**{name: v}), (*FUNCTIONS, lambda *a: None, lambda *a: (1.0, 1.0)))
       for name in ("matvec", "solve", "transpose_solve")},
    ("custom_linear_solve", "symmetric"): (lambda v: solved(symmetric=v), FLAGS),
    ("custom_gradient", ""): (lambda v: G.grad(G.custom_gradient(lambda x: v))(x()), (1.0, (1.0, None), ("text", same), None)),
    ("custom_vmap", "fun"): (lambda v: G.custom_batching.custom_vmap(v), FUNCTIONS),
    ("def_vmap", "vmap_rule"): (lambda v: G.custom_batching.custom_vmap(same).def_vmap(v), FUNCTIONS),
    ("callback", "result_shape_dtypes"): (lambda v: G.pure_callback(np.sin, v, x()), ("text", 3, (3,), Odd())),
    ("io_callback", "ordered"): (lambda v: G.experimental.io_callback(np.sin, FLOATS, x(), ordered=v), FLAGS),
    ("debug.callback", "callback"): (lambda v: G.debug.callback(v, x()), FUNCTIONS),
    ("debug.callback", "ordered"): (lambda v: G.debug.callback(same, x(), ordered=v), FLAGS),
    ("debug.print", "format"): (lambda v: G.debug.print(v, x()), (3, Odd(), "{", "{a}", "{} {}", "{:d}", "{0.nope}")),
    **{("pmap", name): (lambda v, name=name: mapped_over_devices(**{name: v}), AXES) for name in ("in_axes", "out_axes")},
    ("pmap", "axis_name"): (lambda v: mapped_over_devices(axis_name=v), ([], {}, Odd())),
    ("pmap", "axis_size"): (lambda v: mapped_over_devices(axis_size=v), ONE_INTEGER),
    ("pmap", "devices"): (lambda v: mapped_over_devices(devices=v), ("text", 3, ("text",), Odd())),
    ("pmap", "backend"): (lambda v: mapped_over_devices(backend=v), (3, [], Odd())),
    **{("pmap", name): (lambda v, name=name: mapped_over_devices(**{name: v}), INTEGERS) for name in ("static_broadcasted_argnums", "donate_argnums")},
    ("rng_bit_generator", "algorithm"): (lambda v: lax.rng_bit_generator(np.zeros(4, np.uint32), (3,), algorithm=v), ("text", 77, Odd())),
}


@pytest.mark.parametrize("what, parameter", PARAMETERS, ids=lambda x: x.replace(" ", "_"))
def test_told_what_is_wrong(what, parameter):
    call, values = PARAMETERS[what, parameter]
    for value in values:
        with pytest.raises((TypeError, ValueError)) as caught:
            call(value)
        message = str(caught.value)
        assert what in message and parameter in message and message.endswith("."), f"{what} {parameter}={value!r}: {message}"
