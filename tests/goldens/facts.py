"""What must print, and which values must hold: each fact is a program and its text or value.

The texts are the published behaviour of JAX on CPU, except where a comment says that Gnomon goes beyond it."""
from __future__ import annotations

import numpy as np

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax

f32 = np.float32
FACTS = {}


def fact(name, want):
    """Registers a program (a function without arguments) whose result must be `want`."""
    def register(run):
        FACTS[name] = (run, want)
        return run
    return register


def shown(f, *args):
    return str(G.make_jaxpr(f)(*args))


def weak(x):
    return x.aval.weak_type


def half():
    return jnp.arange(3, dtype=jnp.float16)


# ---- jaxprs -------------------------------------------------------------------------------------------------------

@fact("scalars are literals", """\
{ lambda ; a:f32[]. let
    b:f32[] = mul a 2.0:f32[]
    c:f32[] = add b 1.0:f32[]
    d:f32[] = max c 0.0:f32[]
  in (d,) }""")
def _():
    return shown(lambda x: jnp.maximum(x * 2.0 + 1.0, 0.0), jnp.float32(3.0))


@fact("a dense layer: one contraction, broadcasting is an equation", """\
{ lambda ; a:f32[4,8] b:f32[8,16] c:f32[16]. let
    d:f32[4,16] = dot_general[
      dimension_numbers=(([1], [0]), ([], []))
      preferred_element_type=float32
    ] a b
    e:f32[1,16] = broadcast_in_dim[broadcast_dimensions=(1,)] c
    f:f32[4,16] = add d e
    g:f32[4,16] = max f 0.0:f32[]
  in (g,) }""")
def _():
    return shown(lambda x, w, b: jnp.maximum(x @ w + b, 0.0), jnp.ones((4, 8)), jnp.ones((8, 16)), jnp.zeros(16))


@fact("cond", """\
{ lambda ; a:f32[]. let
    b:bool[] = gt a 0.0:f32[]
    c:i32[] = convert_element_type[new_dtype=int32 weak_type=False] b
    d:f32[] = cond[
      branches=(
        { lambda ; e:f32[]. let f:f32[] = neg e in (f,) }
        { lambda ; g:f32[]. let  in (g,) }
      )
    ] c a
  in (d,) }""")
def _():
    return shown(lambda x: lax.cond(x > 0, lambda v: v, lambda v: -v, x), jnp.float32(1.0))


@fact("vmap of cond is select, with the operands of an arm not taken held still", """\
{ lambda ; a:f32[4]. let
    b:bool[4] = gt a 0.0:f32[]
    c:i32[4] = convert_element_type[new_dtype=int32 weak_type=False] b
    d:bool[4] = eq c 0:i32[]
    e:f32[4] = stop_gradient a
    f:f32[4] = select_n d e a
    g:f32[4] = sub f 10.0:f32[]
    h:bool[4] = eq c 1:i32[]
    i:f32[4] = stop_gradient a
    j:f32[4] = select_n h i a
    k:f32[4] = mul j 10.0:f32[]
    l:f32[4] = select_n c g k
  in (l,) }""")
def _():
    return shown(G.vmap(lambda x: lax.cond(x > 0, lambda v: v * 10, lambda v: v - 10, x)), jnp.arange(4, dtype=f32))


@fact("scan", """\
{ lambda ; a:f32[] b:f32[1000]. let
    c:f32[] d:f32[1000] = scan[
      jaxpr={ lambda ; e:f32[] f:f32[]. let g:f32[] = add e f in (g, e) }
      length=1000
      reverse=False
      unroll=1
    ] a b
  in (c, d) }""")
def _():
    return shown(lambda c, xs: lax.scan(lambda c, x: (c + x, c), c, xs), jnp.float32(0.0), jnp.arange(1000, dtype=f32))


@fact("both branches are traced, the true one first", ["true", "false"])
def _():
    seen = []
    G.make_jaxpr(lambda x: lax.cond(x > 0, lambda v: (seen.append("true"), v)[1], lambda v: (seen.append("false"), v)[1], x))(f32(1))
    return seen


@fact("a scan's body is traced once", 1)
def _():
    seen = []
    G.make_jaxpr(lambda c, xs: lax.scan(lambda c, x: (seen.append(1), (c + x, c))[1], c, xs))(jnp.float32(0), jnp.arange(1000.0))
    return len(seen)


@fact("a Python loop of 5,000 steps is 10,000 equations", 10_000)
def _():
    def f(w, c):
        for _ in range(5000):
            c = jnp.tanh(c @ w)
        return c
    return len(G.make_jaxpr(f)(jnp.eye(32), jnp.ones((32, 32))).eqns)


# ---- transformations ----------------------------------------------------------------------------------------------

@fact("grad", """\
{ lambda ; a:f32[3]. let
    b:f32[3] = sin a
    c:f32[3] = cos a
    d:f32[3] = integer_pow[y=2] b
    e:f32[3] = mul 2.0:f32[] b
    _:f32[] = reduce_sum[axes=(0,) out_sharding=None] d
    f:f32[3] = broadcast_in_dim 1.0:f32[]
    g:f32[3] = mul f e
    h:f32[3] = mul g c
  in (h,) }""")
def _():
    return shown(G.grad(lambda x: jnp.sum(jnp.sin(x) ** 2)), jnp.ones(3))


@fact("vmap of a dot product adds a batch dimension", """\
{ lambda ; a:f32[32,5] b:f32[32,5]. let
    c:f32[32] = dot_general[
      dimension_numbers=(([1], [1]), ([0], [0]))
      preferred_element_type=float32
    ] a b
  in (c,) }""")
def _():
    return shown(G.vmap(jnp.dot), jnp.ones((32, 5)), jnp.ones((32, 5)))


@fact("structures print", "PyTreeDef({'layers': [*, *], 'w': *})")
def _():
    return str(G.tree.structure({"w": jnp.ones((2, 2)), "layers": [jnp.zeros(3), jnp.ones(3)]}))


@fact("traces: the same type hits, a new shape or dtype traces again", [1, 1, 2, 3])
def _():
    seen, counts = [], []
    f = G.jit(lambda x: (seen.append(1), x * 2 + 1)[1])
    for x in (jnp.ones(4, f32), jnp.ones(4, f32), jnp.ones(8, f32), jnp.ones(8, jnp.int32)):
        f(x)
        counts.append(len(seen))
    return counts


# ---- randomness ---------------------------------------------------------------------------------------------------

@fact("three normals of key 0", np.array([1.6226422, 2.0252647, -0.43359444], f32).tolist())
def _():
    return np.asarray(G.random.normal(G.random.key(0), (3,))).tolist()


@fact("three normals of the first half of key 0", np.array([1.0040143, -0.9063372, -0.7481722], f32).tolist())
def _():
    return np.asarray(G.random.normal(G.random.split(G.random.key(0))[0], (3,))).tolist()


@fact("a key has a type of its own", True)
def _():
    return "a:key<fry>[]" in shown(lambda k: G.random.key_data(k), G.random.key(0))


@fact("how bits become normals can be read", [])
def _():
    text = shown(lambda k: G.random.normal(k, (3,)), G.random.key(0))
    return [s for s in ("random_bits[bit_width=32 shape=(3,)]", "shift_right_logical", "9:u32[]", "1065353216:u32[]",
                        "bitcast_convert_type[new_dtype=float32]", "erf_inv", "name=_normal") if s not in text]


# ---- dtypes -------------------------------------------------------------------------------------------------------

@fact("weak: a bare number; strong: with a dtype, a typed scalar, a NumPy scalar", [True, False, False, False])
def _():
    return [weak(jnp.array(1.0)), weak(jnp.array(1.0, jnp.float32)), weak(jnp.float32(1.0)), weak(jnp.asarray(np.float32(1.0)))]


@fact("eval_shape shows weakness", "ShapeDtypeStruct(shape=(), dtype=float32, weak_type=True)")
def _():
    return str(G.eval_shape(lambda a: a, jnp.array(1.0)))


@fact("a weak scalar gives way, a strong one does not", ["float16", "float32"])
def _():
    return [str((half() + jnp.array(1.0)).dtype), str((half() + jnp.float32(1.0)).dtype)]


@fact("a weak scalar is converted down", """\
{ lambda ; a:f32[] b:f16[3]. let
    c:f16[] = convert_element_type[new_dtype=float16 weak_type=False] a
    d:f16[3] = add c b
  in (d,) }""")
def _():
    return shown(lambda a, b: a + b, jnp.array(1.0), half())


@fact("a strong scalar converts the array up", """\
{ lambda ; a:f32[] b:f16[3]. let
    c:f32[3] = convert_element_type[new_dtype=float32 weak_type=False] b
    d:f32[3] = add a c
  in (d,) }""")
def _():
    return shown(lambda a, b: a + b, jnp.float32(1.0), half())


# Gnomon goes beyond JAX here: promote_types gives the lattice's own answer, and only the array is narrowed.
@fact("promote_types answers from the lattice, the array is narrowed", ["int64", "int32"])
def _():
    return [str(jnp.promote_types("int8", "uint32")), str((jnp.arange(3, dtype=jnp.int8) + jnp.arange(3, dtype=jnp.uint32)).dtype)]


@fact("a literal that does not fit wraps around", ["uint8", [44, 45, 46]])
def _():
    x = jnp.arange(3, dtype=jnp.uint8) + 300
    return [str(x.dtype), np.asarray(x).tolist()]


@fact("weakness travels", [True, True, True, "float32", False])
def _():
    x = jnp.arange(3) + 1.0
    return [weak(jnp.sin(jnp.array(1.0))), weak(jnp.array(1.0) + jnp.array(2.0)), weak(x), str(x.dtype),
            weak(jnp.array(1.0).astype(jnp.float32))]


@fact("bfloat16 and float16 meet in float32", "float32")
def _():
    return str(jnp.promote_types("bfloat16", "float16"))


@fact("strict promotion", ["float16", "Input dtypes ('bfloat16', 'float16') have no available implicit dtype promotion path when "
      "jax_numpy_dtype_promotion=strict. Try explicitly casting inputs to the desired output type, or set "
      "jax_numpy_dtype_promotion=standard."])
def _():
    with G.numpy_dtype_promotion("strict"):
        fine = str((half() + 1.0).dtype)
        try:
            jnp.arange(3, dtype=jnp.bfloat16) + half()
        except G.errors.TypePromotionError as error:
            return [fine, str(error)]


# ---- refusals, places ---------------------------------------------------------------------------------------------

@fact("a Python if on a traced value is refused by name", [])
def _():
    def keep_positive(x):
        if x > 0:
            return x
        return -x
    try:
        G.jit(keep_positive)(jnp.float32(1.0))
    except G.errors.TracerBoolConversionError as error:
        text = str(error)
    return [s for s in ("Attempted boolean conversion of traced array with shape bool[]", "keep_positive", "argument x") if s not in text]


@fact("place is part of the type", [
    "float32[8@x,16@y]", "float32[16@y,4]", "float32<host>[8@x,16@y]",
    "Contracting dimensions are sharded and it is ambiguous how the output should be sharded. Please specify the output sharding via the "
    "`out_sharding` parameter. Got lhs_contracting_spec=('y',) and rhs_contracting_spec=('y',)",
    "add got incompatible shardings for broadcasting: ('x', 'y'), ('y', 'x').", """\
{ lambda ; a:f32[8@x,16@y] b:f32[16@y,4]. let
    c:f32[8@x,4] = dot_general[dimension_numbers=(([1], [0]), ([], []))] a b
  in (c,) }"""])
def _():
    explicit, P = G.sharding.AxisType.Explicit, G.sharding.PartitionSpec
    mesh = G.make_mesh((4, 2), ("x", "y"), axis_types=(explicit, explicit))
    with G.sharding.set_mesh(mesh):
        def put(shape, *spec, **options):
            return G.device_put(jnp.zeros(shape), G.NamedSharding(mesh, P(*spec), **options))
        a, b, c = put((8, 16), "x", "y"), put((16, 4), "y", None), put((8, 16), "y", "x")
        out = [str(G.typeof(a)), str(G.typeof(b)), str(G.typeof(put((8, 16), "x", "y", memory_kind="pinned_host")))]
        for f, args in ((lambda p, q: p @ q, (a, b)), (lambda p, q: p + q, (a, c))):
            try:
                G.make_jaxpr(f)(*args)
                out.append("no error")
            except G.errors.ShardingTypeError as error:
                out.append(str(error))
        out.append(shown(lambda p, q: lax.dot_general(p, q, (((1,), (0,)), ((), ())), out_sharding=P("x", None)), a, b))
    return out
