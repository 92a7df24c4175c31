"""Exported programs: of symbolic sizes, in files, under transforms; what they refuse."""
import collections
import typing

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import export, lax, nn, random
from gnomon.base.errors import InconclusiveDimensionOperation, Refused

RANDOM = np.random.default_rng(0)


def numbers(*shape, dtype="float32"):
    return jnp.asarray(RANDOM.integers(0, 3, shape).astype(dtype) if dtype in ("int32", "uint32") else RANDOM.normal(size=shape).astype(dtype))


def spec(shape, dtype="float32"):
    return G.ShapeDtypeStruct(shape, dtype)


b, n = export.symbolic_shape("b, n", constraints=["n >= 2"])
KEY = spec((2,), "uint32")

# a function, the types it is exported for, and arguments of several sizes
PROGRAMS = {
    "elementwise": (lambda x: jnp.where(x > 0, jnp.sin(x), nn.gelu(x)), [spec((b, n))], [(2, 3)], [(1, 2)]),
    "statistics": (lambda x: (x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) + 1e-5), [spec((b, n))], [(2, 3)], [(4, 2)]),
    "network": (lambda x, w: nn.softmax(nn.relu(x @ w) + 1), [spec((b, 3)), spec((3, 4))], [(2, 3), (3, 4)]),
    "shapes": (lambda x: jnp.concatenate([x.reshape(x.shape[0], -1), x[:, ::-1, 0]], 1), [spec((b, n, 4))], [(2, 3, 4)], [(1, 5, 4)]),
    "slices": (lambda x: (x[:x.shape[0] // 2], x[1:], x[-3:], x[:3], x[::2], x[-1]), [spec((n,))], [(5,)], [(2,)]),
    "cut": (lambda x: (jnp.split(x, [1]), jnp.pad(x, 1), jnp.roll(x, 1), jnp.tile(x, 3), jnp.diff(x)), [spec((n,))], [(5,)], [(2,)]),
    "sizes": (lambda x: (x * x.shape[0], 1.0 / x.shape[0], jnp.arange(x.shape[0]), jnp.eye(x.shape[0]) + x), [spec((n,))], [(5,)], [(3,)]),
    "gather": (lambda x, i: (x[i], x.at[i].add(1.0)), [spec((n,)), spec((b,), "int32")], [(5,), (4,)], [(3,), (1,)]),
    "scan": (lambda x: lax.scan(lambda c, row: (c * 0.5 + row, c.sum()), x[0], x), [spec((n, b))], [(5, 2)], [(2, 1)]),
    "loop": (G.grad(lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c + x[i] ** 2, 0.0)), [spec((n,))], [(5,)], [(2,)]),
    "branches": (lambda x: lax.cond(x.sum() > 0, lambda x: x, lambda x: -x, x), [spec((n,))], [(5,)]),
    "sorted": (lambda x: (jnp.sort(x), jnp.argmax(x, 1), jnp.cumsum(x, 0), lax.top_k(x, 2)[0]), [spec((b, n))], [(4, 3)], [(1, 5)]),
    "attention": (lambda q: nn.dot_product_attention(q, q, q), [spec((b, n, 2, 8))], [(2, 3, 2, 8)]),
    "conv": (lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
             [spec((b, 8, 8, 3)), spec((3, 3, 3, 4))], [(2, 8, 8, 3), (3, 3, 3, 4)]),
    "derivatives": (G.grad(lambda x: (jnp.sin(x) * G.checkpoint(jnp.cos)(x)).mean()), [spec((n, b))], [(5, 2)], [(2, 2)]),
    "mapped": (G.vmap(lambda x: jnp.tanh(x).sum()), [spec((n, b))], [(5, 2)]),
    "linear algebra": (lambda x: jnp.linalg.solve(x @ x.T + jnp.eye(x.shape[0]), x), [spec((n, b))], [(5, 2)]),
    "random": (lambda k, x: x + random.normal(k, x.shape) * random.bernoulli(k, 0.5, x.shape), [KEY, spec((n, b))], [(2,), (5, 2)]),
    "searched": (lambda a, v: jnp.searchsorted(jnp.sort(a), v), [spec((n,)), spec((3,))], [(7,), (3,)], [(2,), (3,)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_symbolic_sizes(name):
    """Called, before and after it was written to a file, a program gives what the function does."""
    f, specs, *shapes = PROGRAMS[name]
    made = export.export(G.jit(f))(*specs)
    read = export.deserialize(made.serialize())
    assert read.in_avals == made.in_avals or str(read.in_avals) == str(made.in_avals)
    for sizes in shapes:
        args = [numbers(*shape, dtype=s.dtype.name) for shape, s in zip(sizes, specs)]
        wanted = f(*args)
        for program in (made, read):
            G.tree.map(lambda a, c: np.testing.assert_allclose(a, c, rtol=2e-6, atol=2e-6), program.call(*args), wanted)


def test_a_size_is_a_number_of_the_program():
    f = G.make_jaxpr(lambda x: x * x.shape[0])
    assert "dim_as_value[dim=n]" in str(f(spec((n,)))) and "dim_as_value" not in str(f(spec((3,))))


def test_what_it_says_of_itself():
    made = export.export(G.jit(lambda x, *, scale: {"y": x * scale}))(spec((b, 4)), scale=1.0)
    assert repr(made) == "Exported(<lambda>(x: f32[b,4], scale: f32[]) -> f32[b,4], platforms=('cpu',))"
    assert made.fun_name == "<lambda>" and made.platforms == ("cpu",) and made.nr_devices == 1
    assert made.in_tree == G.tree.structure(((0,), {"scale": 0})) and made.out_tree == G.tree.structure({"y": 0})
    assert made.call(jnp.ones((2, 4)), scale=3.0)["y"].tolist() == [[3.0] * 4] * 2


def test_under_transforms():
    made = export.export(G.jit(lambda x: jnp.sin(x) * 2))(spec((n,)))
    x = numbers(4)
    assert np.allclose(G.grad(lambda x: made.call(x).sum())(x), 2 * jnp.cos(x))
    assert np.allclose(G.vmap(made.call)(jnp.stack([x, x])), 2 * jnp.sin(x))
    assert np.allclose(G.jit(lambda x: made.call(x[1:]))(x), 2 * jnp.sin(x[1:]))


@G.custom_vjp
def clipped(x):
    return jnp.where(x > 0, x, 0.0)


clipped.defvjp(lambda x: (clipped(x), x), lambda x, ct: (ct * 7.0,))


def test_rules_of_functions_stay_with_what_is_derived():
    """A function with a derivative of its own keeps it; a file holds it only as a program."""
    made = export.export(G.jit(lambda x: clipped(x) * 2))(spec((n,)))
    x = numbers(3)

    def slope(program):
        return G.grad(lambda x: program.call(x).sum())(x).tolist()
    assert slope(made) == [14.0] * 3
    without = export.deserialize(made.serialize())
    assert without.call(x).tolist() == made.call(x).tolist() and not without.has_vjp()
    with pytest.raises(Refused, match=r"clipped has a rule of its own; write it with serialize\(vjp_order=1\)"):
        slope(without)
    with pytest.raises(Refused, match="is not in the file that it was read from"):
        without.vjp()
    with_it = export.deserialize(made.serialize(vjp_order=1))
    assert slope(with_it) == [14.0] * 3 and with_it.has_vjp()
    assert with_it.vjp().call(x, jnp.ones(3))[0].tolist() == [14.0] * 3


class Point(typing.NamedTuple):
    x: object
    y: object


@G.tree_util.register_pytree_node_class
class Scaled:
    def __init__(self, value, scale):
        self.value, self.scale = value, scale

    def tree_flatten(self):
        return (self.value,), self.scale

    @classmethod
    def tree_unflatten(cls, scale, children):
        return cls(*children, scale)


def test_trees_in_files():
    ordered = collections.OrderedDict([("z", numbers(2)), ("a", None)])
    made = export.export(G.jit(lambda p, d: (Scaled(p.x + d["z"], "m"), [p.y])))(Point(numbers(2), numbers(2)), ordered)
    with pytest.raises(TypeError, match="meets a .*Point among the arguments or results; .* gnomon.export.register_namedtuple_serialization"):
        made.serialize()
    export.register_namedtuple_serialization(Point, serialized_name="Point")
    export.register_pytree_node_serialization(Scaled, serialized_name="Scaled", serialize_auxdata=str.encode, deserialize_auxdata=bytes.decode)
    scaled, (y,) = export.deserialize(made.serialize()).call(Point(jnp.ones(2), jnp.zeros(2)), ordered)
    assert isinstance(scaled, Scaled) and scaled.scale == "m" and scaled.value.tolist() == (1 + ordered["z"]).tolist() and y.tolist() == [0, 0]
    with pytest.raises(ValueError, match="Scaled already has the name 'Scaled' in files"):
        export.register_pytree_node_serialization(Scaled, serialized_name="Other", serialize_auxdata=str, deserialize_auxdata=str)
    with pytest.raises(ValueError, match="The name 'Point' is already that of Point"):
        export.register_namedtuple_serialization(collections.namedtuple("Point", "x"), serialized_name="Point")


def test_constants_and_weak_types_in_files():
    big, half = numbers(300), jnp.arange(4, dtype="bfloat16")
    made = export.export(G.jit(lambda x, s: (x + big.sum() + np.arange(3), half * 2, x * s)))(spec((3,)), 2.0)
    read = export.deserialize(made.serialize())
    for a, c in zip(read.call(jnp.ones(3), 2.0), made.call(jnp.ones(3), 2.0)):
        assert a.dtype == c.dtype and a.tolist() == c.tolist()


def test_stablehlo():
    made = export.export(G.jit(lambda x: lax.lgamma(x) + jnp.sin(x)))(spec((2,)))
    assert "stablehlo.sine" in made.mlir_module() and made.mlir_module_serialized[:4] == b"ML\xefR"
    with pytest.raises(Refused, match="has symbolic sizes, and StableHLO is written for given ones"):
        export.export(G.jit(jnp.sin))(spec((n,))).mlir_module()


def test_specs_of_arguments():
    args = {"x": numbers(4, 2), "w": numbers(2)}
    specs = export.symbolic_args_specs((args, 1.0), ({"x": "b, _", "w": None}, ""))
    assert str(specs[0]["x"].shape) == "(b, 2)" and specs[0]["w"].shape == (2,) and specs[1].shape == ()
    assert [str(s.shape) for s in export.symbolic_args_specs([numbers(2, 3), numbers(2)], "b, ...", ["b >= 2"])] == ["(b, 3)", "(b,)"]


def sine():
    return export.export(G.jit(jnp.sin))(spec((b, n)))


@pytest.mark.parametrize("error, run, message", [
    (TypeError, lambda: export.export(jnp.sin), "export takes a function made by jit, got <function sin"),
    (ValueError, lambda: export.export(G.jit(jnp.sin), platforms=["gpu"]), "export got the platform 'gpu'; it takes cpu, cuda, rocm, tpu."),
    (ValueError, lambda: export.export(G.jit(jnp.sin), platforms=["tpu"])(1.0).call(1.0), "is for the platforms tpu and is called on cpu"),
    (TypeError, lambda: sine().call(jnp.ones((2, 2)), 1), "takes arguments of structure"),
    (TypeError, lambda: sine().call(jnp.ones((2, 2), "int32")), "The exported sin takes f32[b,n] as argument x, and was called with i32[2,2]."),
    (TypeError, lambda: sine().call(jnp.ones(2)), "takes f32[b,n] as argument x, and was called with f32[2]."),
    (ValueError, lambda: sine().call(jnp.ones((2, 1))), "The sizes n = 1 break a constraint that was given: n >= 2."),
    (ValueError, lambda: export.export(G.jit(lambda x, y: x + y))(spec((n,)), spec((n,))).call(jnp.ones(2), jnp.ones(3)),
     "dimension 0 of argument y must be n, which is 2 for n = 2, got 3."),
    (ValueError, lambda: export.export(G.jit(lambda x, y: (x, y)))(*[spec(export.symbolic_shape("k")) for _ in "xy"]), "are of different scopes"),
    (ValueError, lambda: export.deserialize(b"no program"), "these bytes are no program that Exported.serialize wrote"),
    (TypeError, lambda: export.deserialize("text"), "deserialize takes bytes, got 'text'"),
    (ValueError, lambda: sine().serialize(vjp_order=-1), "serialize takes the number of derivatives to keep"),
    (Refused, lambda: export.export(G.jit(lambda x: G.debug.print("{}", x)))(1.0), "its program has effects (callback)"),
    (Refused, lambda: export.export(G.jit(lambda x: G.pure_callback(np.sin, x, x)))(jnp.ones(1)).serialize(), "a Python function cannot be written"),
    (Refused, lambda: G.jit(jnp.sin).lower(spec((b, n))), "the symbolic sizes b, n cannot be compiled as it is; use gnomon.export"),
    (Refused, lambda: export.export(G.jit(lambda x: sine().call(x)))(spec((b, n))), "is called with symbolic sizes"),
    (InconclusiveDimensionOperation, lambda: export.export(G.jit(lambda x: lax.top_k(x, 3)))(spec((n,))), "Whether"),
])
def test_refused(error, run, message):
    with pytest.raises(error) as found:
        run()
    assert message in str(found.value)


def test_a_platform_may_be_left_unchecked():
    made = export.export(G.jit(jnp.sin), platforms=["tpu"], disabled_checks=[export.DisabledSafetyCheck.platform()])(1.0)
    assert float(made.call(0.0)) == 0.0
    assert export.DisabledSafetyCheck.custom_call("name").is_custom_call() == "name"
    assert export.DisabledSafetyCheck.platform().is_custom_call() is None


def test_files_name_no_classes_of_their_own():
    """What a file says that a value is made of are Gnomon's own values, and nothing else that Python could call."""
    from gnomon.ir.portable import class_at
    for place in ("os:system", "gnomon.ops.random:longer", "gnomon.types.symbolic:Parser.whole", "gnomon.run.xla:put", "builtins:eval"):
        with pytest.raises(ValueError, match="is no class of values"):
            class_at(place, object)
