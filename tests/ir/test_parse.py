"""Programs are read back from their text: they print the same, their equations hold the same ops, and they are well typed. What a text
leaves out, and what is no program, is said in one sentence with its place."""
from __future__ import annotations

import enum
import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.base.errors import Refused
from gnomon.extend.core import Primitive, parse_jaxpr
from gnomon.ir.check import check, subprograms
from gnomon.ir.parse import ParseError, parse
from gnomon.ir.op import ZERO, OpForm
from gnomon.ops.elementwise import Elementwise
from gnomon.sharding import AxisType, NamedSharding, PartitionSpec as P
from gnomon.transforms import Batching, jvp, vmap
from gnomon.types.dtype import is_float
from gnomon.types.value_type import ArrayType
from tests.goldens.facts import FACTS
from tests.laws.examples import examples
from tests.laws.machine import op_program
from tests.snapshots.programs import PROGRAMS

f32 = np.float32
x = np.ones(3, f32)
HOLDS_FUNCTIONS = {"pure_callback", "io_callback", "debug_callback", "custom_jvp_call"}


def read_back(jaxpr, mesh=None, name=""):
    """Checks a program's text, as it is printed and with weak types marked; then every equation's op is the very one."""
    text, marked = str(jaxpr), jaxpr.pretty_print(weak=True)
    plain = parse(text, mesh)
    assert str(check(plain)) == text, name
    found = check(parse(marked, mesh)) if marked != text else plain
    assert found.pretty_print(weak=True) == marked, name
    for old, new in zip(jaxpr.eqns, found.eqns, strict=True):
        assert new.op is old.op, f"{name}: {old.op} was read as {new.op}"
    return found


def readable(jaxpr):
    return not HOLDS_FUNCTIONS & {e.op.op_name for j in subprograms(jaxpr) for e in j.eqns}


def test_examples_of_all_ops():
    every, count = examples(), 0
    for e in every:
        plain = op_program(e.op, e.types)
        forms = [plain]
        if e.first and e.types and "vmap" not in e.without:
            forms.append(vmap(plain, (0,) * len(e.types), Batching(2))[0])
        if e.first and e.moving and "jvp" not in e.without and readable(plain):
            forms.append(jvp(plain, tuple(i in e.moving for i in range(len(e.types))))[0])
        for form in forms:
            if readable(form):
                read_back(form, name=str(e))
                count += 1
    assert count > len(every) * 1.2


@pytest.mark.parametrize("name", PROGRAMS)
def test_snapshots(name):
    f, *args = PROGRAMS[name]
    jaxpr = G.make_jaxpr(f)(*args).jaxpr
    if readable(jaxpr):
        read_back(jaxpr)
    else:
        with pytest.raises(ParseError, match="custom_jvp_call holds something that is not printed"):
            parse(str(jaxpr))


def test_goldens():
    texts = [want for _, want in FACTS.values() if isinstance(want, str) and want.startswith("{ lambda") and "[...]" not in want]
    assert len(texts) > 7
    for text in texts:
        if not any(f"{name}[" in text for name in HOLDS_FUNCTIONS) and "<-" not in text and "# " not in text and "@" not in text:
            assert str(check(parse(text))) == text


def loops(xs):
    step = G.jit(lambda c, v: c * v + 1.0)
    total, _ = lax.scan(lambda c, v: (step(c, v), None), xs[0], xs)
    total = lax.while_loop(lambda t: t[0] < 3.0, lambda t: step(t, total[0]), total)
    return lax.cond(total[0] > 0, jnp.sin, lambda v: step(v, v), total)


PROGRAMS_IN_PROGRAMS = {
    "plain": lambda xs: loops(xs),
    "vmap": lambda xs: G.vmap(loops, in_axes=1)(xs[..., None]),
    "jvp": lambda xs: G.jvp(loops, (xs,), (xs,)),
    "grad of scan": G.grad(lambda xs: lax.scan(lambda c, v: (jnp.sin(c * v), c), xs[0], xs)[0].sum()),
    "hidden calls are inlined": lambda xs: G.jit(lambda v: v * 2.0, inline=True)(xs),
    "checkpoint": G.grad(lambda xs: G.checkpoint(lambda v: jnp.sin(jnp.sin(v)))(xs).sum()),
    "platforms": lambda xs: lax.platform_dependent(xs, cpu=jnp.sin, default=jnp.cos),
    "random": lambda xs: G.random.gamma(G.random.key(0, impl="rbg"), 2.0, (3,)) + xs[0, 0],
    "numbers": lambda xs: jnp.where(xs > 1, -jnp.inf, jnp.nan) * (1 + 2j) + np.float32(0.1),
    "precision": lambda xs: lax.dot(xs, xs.T, precision=("highest", "high")) + lax.dot(xs, xs.T, precision="BF16_BF16_F32"),
    "a name": lambda xs: G.ad_checkpoint.checkpoint_name(xs, "a name of words"),
    "memory": lambda xs: G.device_put(xs, G.memory.Space.Host),
}


@pytest.mark.parametrize("name", PROGRAMS_IN_PROGRAMS)
def test_programs_in_programs(name):
    """Programs that are held are the objects that they were, under transforms also."""
    read_back(G.make_jaxpr(PROGRAMS_IN_PROGRAMS[name])(np.ones((4, 2), f32)).jaxpr)


def test_a_program_read_is_one_that_runs():
    closed = G.make_jaxpr(lambda y: y + jnp.asarray(x) * 2.0)(x)
    found = parse_jaxpr(str(closed), closed.consts)
    assert np.array_equal(G.core.eval_jaxpr(found.jaxpr, found.consts, x)[0], x * 3)
    assert G.jit(lambda y: G.core.eval_jaxpr(found.jaxpr, found.consts, y)[0])(x).tolist() == [3, 3, 3]
    with pytest.raises(ValueError, match=r"0 consts for a program whose constants are f32\[3\]. Give one value for each, as consts="):
        parse_jaxpr(str(closed))


class Way(enum.Enum):
    UP, DOWN = 1, 2


def test_ops_of_ones_own():
    """The annotations of a parameter say what its text means, written as text or not."""
    def made(name, annotations):
        return OpForm(name, (Elementwise,), {"__annotations__": annotations, "__module__": __name__, "derivative": ZERO, "lower": lambda self, emit, x: x,
                                             "transpose": Refused("it is not linear"), "accepts": staticmethod(is_float)})
    as_text = made("TurnedInText", {"way": "Way", "by": "tuple[int, ...] | None", "called": "str"})
    as_classes = made("TurnedInClasses", {"way": Way, "by": tuple[int, ...] | None, "called": str})
    for cls in (as_text, as_classes):
        for op in (cls(Way.UP, (1, 2), "one way"), cls(Way.DOWN, None, "None")):
            read_back(op_program(op, (ArrayType((3,), np.dtype(f32)),)))


def test_ways_to_print():
    """Other widths, and the user's lines, are read; what stands for a program or leaves out dtypes is not."""
    xs = np.ones((4, 2), f32)
    jaxpr = G.make_jaxpr(loops)(xs).jaxpr
    for options in ({"width": 20}, {"width": 2000}, {"source": True}, {"source": True, "width": 2000}):
        assert str(parse(jaxpr.pretty_print(**options))) == str(jaxpr)
    with pytest.raises(ParseError, match="the program that stands here is not printed; print without fold=True"):
        parse(jaxpr.pretty_print(fold=True))
    with pytest.raises(ParseError, match="Print the program without shapes=True"):
        parse(jaxpr.pretty_print(shapes=True))


def test_names_of_ones_own():
    """A text written by hand has names and lines of its own; programs that are held do not share variables with their holders."""
    text = """
    { lambda ; x:f32[3].
      let y:f32[3] = jit[name=f jaxpr={ lambda ; x:f32[3]. let y:f32[3] = sin x in (y,) }] x
          z:f32[3] = add y x; _:f32[3] = neg z
      in (z, 2.0:f32[]) }
    """
    found = check(parse(text))
    assert str(found) == """\
{ lambda ; a:f32[3]. let
    b:f32[3] = jit[
      name=f
      jaxpr={ lambda ; c:f32[3]. let d:f32[3] = sin c in (d,) }
    ] a
    e:f32[3] = add b a
    _:f32[3] = neg e
  in (e, 2.0:f32[]) }"""
    assert found.eqns[0].op.jaxpr.invars[0] is not found.invars[0]


def test_equal_programs_with_names_of_their_own():
    """Where a text names equal programs apart, as it does those that differ in what is not printed, it prints the same."""
    inner = "{ lambda ; %s:f32[]. let %s:f32[] = sin %s in (%s,) }"
    text = (f"{{ lambda ; a:f32[]. let b:f32[] = jit[name=f jaxpr={inner % tuple('cdcd')}] a; "
            f"e:f32[] = jit[name=f jaxpr={inner % tuple('fgfg')}] b in (e,) }}")
    assert check(parse(text)).pretty_print(width=300) == text
    shared = text.replace(inner % tuple("fgfg"), inner % tuple("cdcd"))
    first, second = check(parse(shared)).eqns
    assert first.op is second.op and parse(shared).pretty_print(width=300) == shared


def test_places():
    mesh = G.make_mesh((1, 1), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with G.set_mesh(mesh):
        y = G.device_put(np.ones((8, 4), f32), NamedSharding(mesh, P("x")))
        read_back(G.make_jaxpr(lambda a: (jnp.sin(a) + a.sum(0), a.T, G.reshard(a, P(None, ("x", "y"))), jnp.zeros((8, 4), out_sharding=P("x"))))(y)
                  .jaxpr, mesh)
    auto = G.make_mesh((1, 1), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

    def inside(a):
        return (lax.psum(jnp.sin(a), "x") + lax.axis_index("y"), lax.all_to_all(a, "x", 0, 1, tiled=True), lax.ppermute(a, "y", [(0, 0)]),
                lax.all_gather(a, "x", tiled=True))
    mapped = G.shard_map(inside, mesh=auto, in_specs=P("x", "y"), out_specs=(P(None, "y"), P("x", "y"), P("x", "y"), P("x", "y")))
    jaxpr = G.make_jaxpr(mapped)(np.ones((4, 4), f32)).jaxpr
    read_back(jaxpr, auto)
    with pytest.raises(ParseError, match="the devices of a mesh are not printed; give the mesh, as mesh="):
        parse(str(jaxpr))
    read_back(G.make_jaxpr(lambda a: lax.with_sharding_constraint(a, NamedSharding(auto, P("x"))))(np.ones((4, 4), f32)).jaxpr, auto)


def reference(a):
    r = G.new_ref(a)
    r[0] = 1.0
    return r[...]


LEFT_OUT = {
    "rules": (lambda a: passed_on(a), "custom_jvp_call holds something that is not printed"),
    "callbacks": (lambda a: G.pure_callback(np.sin, a, a), "'sin' names something that is not printed"),
    "policies": (G.checkpoint(jnp.sin, policy=G.checkpoint_policies.everything_saveable), "'everything_saveable' names something"),
    "references": (reference, "how a mutable reference is indexed is not printed in full"),
    "devices": (lambda a: G.device_put(a, G.devices()[0]), "names something that is not printed"),
    "solvers": (lambda a: lax.custom_linear_solve(lambda v: 2 * v, a, lambda m, b: b / 2), "its parameter matvec"),
    "primitives": (lambda a: PRIMITIVE.bind(a), "there is no op that prints as mine_alone"),
}
PRIMITIVE = Primitive("mine_alone")
PRIMITIVE.def_abstract_eval(lambda a: a)


@G.custom_jvp
def passed_on(a):
    return a


passed_on.defjvp(lambda primals, tangents: (primals[0], tangents[0]))


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_a_text_leaves_out_is_said(name):
    f, sentence = LEFT_OUT[name]
    with pytest.raises(ParseError, match=rf"^line \d+, column \d+: .*{re.escape(sentence)}"):
        parse(str(G.make_jaxpr(f)(x)))


ONE = "{ lambda ; a:f32[3]. let b:f32[3] = %s in (b,) }"
MALFORMED = {
    "": "line 1, column 1: the text, a program, needs '{ lambda ' here, not the end of the text.",
    ONE % "sin c": "line 1, column 41: the variable c is not defined before it is used here.",
    ONE % "sine a": "line 1, column 37: there is no op that prints as sine; import the module that defines it, or write one that there is.",
    ONE % "add a": "line 1, column 37: add takes 2 operands, but 1 stand here.",
        ONE % "reduce_sum[axes=(0,) out_sharding=None] a": "line 1, column 37: reduce_sum gives f32[] for operands of type f32[3], but the text says f32[3].",
    ONE % "squeeze[dimensions=(0,)] a": "line 1, column 37: squeeze does not take operands of type f32[3]: ",
    ONE % "integer_pow[y=two] a": "line 1, column 51: 'two' names something that is not printed",
    ONE % "integer_pow[z=2] a": "line 1, column 49: integer_pow has no parameter 'z'; it has y.",
    ONE % "integer_pow a": "line 1, column 37: integer_pow needs its parameter y, which the text does not give.",
    ONE % "integer_pow[y=2 a": "line 1, column 51: the parameters that begin before this value have no end: ']' is missing.",
    ONE % "integer_pow[y=2 y=3] a": "line 1, column 53: integer_pow is given its parameter y twice.",
    ONE % "mul a [...]:f32[3]": "line 1, column 43: the numbers of the array of type f32[3] are not printed",
    ONE % "mul a two:f32[]": "line 1, column 43: 'two' is not a number; one is written 2.0:f32[].",
    ONE % "cumsum[axis=0.0 reverse=False] a": "line 1, column 49: the parameter axis of cumsum is int, which '0.0' is not.",
    ONE % "cumsum[axis=False reverse=False] a": "line 1, column 49: the parameter axis of cumsum is int, which 'False' is not.",
    ONE % "squeeze[dimensions=(0.0,)] a": "line 1, column 56: the parameter dimensions of squeeze is tuple, which '(0.0,)' is not.",
    ONE % "cumsum[axis=0 reverse=maybe] a": "line 1, column 59: 'maybe' names something",
    ONE % "dot_general[dimension_numbers=((([[" + "[" * 90: "line 1, column 67: the parameters that begin before",
    "{ lambda ; a:f33[3]. let  in (a,) }": "line 1, column 14: 'f33' is not the name of a dtype.",
    "{ lambda ; a:f32[n]. let  in (a,) }": "line 1, column 14: the size 'n' of a dimension is not a number.",
    "{ lambda ; a:f32[8@x]. let  in (a,) }": "line 1, column 14: the type f32[8@x] is sharded, and the text does not say over which mesh; give the mesh",
    "{ lambda ; a:[3]. let  in (a,) }": "line 1, column 14: a type, such as f32[3], has to stand here, not '[3].'. Print the program without shapes=True.",
    "{ lambda ; a:f32[] a:f32[]. let  in (a,) }": "line 1, column 20: the variable a is defined twice; give each its own name.",
    "{ lambda ; a:f32[]. let\n  b:f32[] = sin a": "line 2, column 18: the program has no results: it ends with 'in (...) }'.",
    "{ lambda ; a:f32[]. let\n  in (a b) }": "line 2, column 8: a program's results need ',' or ')' here, not 'b)'.",
    ONE % "sin a" + " and more": "line 1, column 53: the program ends here, but 'and' follows; give the text of one program.",
}


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed(text):
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert str(caught.value).startswith(MALFORMED[text]) and "\n" not in str(caught.value)


TEXTS = [str(G.make_jaxpr(f)(*args)) for f, *args in PROGRAMS.values() if f is not PROGRAMS["custom jvp"][0]]
PIECES = [*"abc019[](){}=:;,.*@<>_ \n'\"#-", "in ", "let ", "None", "9" * 30, "[" * 70, "f32[3]"]


@st.composite
def damaged(draw):
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        text = draw(st.sampled_from([
            text[:at],
            text[:at] + text[at + draw(st.integers(1, 5)):],
            text[:at] + draw(st.sampled_from(PIECES)) + text[at + draw(st.integers(0, 2)):]]))
    return text


@settings(max_examples=400, deadline=None)
@given(damaged())
def test_damage_is_never_an_internal_error(text):
    try:
        found = parse(text)
    except ParseError as error:
        assert re.match(r"line \d+, column \d+: [^\n]+$", str(error))
        return
    again = parse(str(check(found)))
    assert str(again) == str(found)
