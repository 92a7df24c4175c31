"""Programs that must fail, each with its whole message.

Every message names what the user called, the argument where there is one, the user's line where a trace is involved, and a way
out. `HERE` stands for the line of the failing program's function, which is told apart by its name.
"""
import dataclasses
import functools
import re

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import errors, lax

ONES = np.ones(3, np.float32)


def message(program):
    """The class name and text of what a program raises, with this file's line numbers replaced by HERE."""
    with pytest.raises(Exception) as caught:
        program()
    text = re.sub(r"test_messages\.py:\d+", "HERE", str(caught.value))
    return f"{type(caught.value).__name__}: {text}"


def failing(cases):
    """Parametrize a test over {name: (program, message)}."""
    return pytest.mark.parametrize("program, expected", cases.values(), ids=list(cases))


# ---- numbers of traced values --------------------------------------------------------------------------------------

def branch(x):
    if x > 0:
        return x
    return -x


def loss(params, batch):
    return 1.0 if params["w"].sum() > batch else 0.0


def as_int(x):
    return int(x)


def as_float(x):
    return float(x)


def count(n):
    return list(range(n))


def pick(i):
    return [1, 2, 3][i]


def numpy_sine(x):
    return np.sin(x)


def item(x):
    return x.item()


def key(x):
    return {x: 1}


STATIC = "or mark the argument static with static_argnums."
TRACED = {
    "bool": (lambda: gnomon.jit(branch)(1.0),
             "TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].\n"
             "The error occurred at HERE (branch) while tracing the function branch for jit. This concrete value was not available in "
             "Python because it depends on the value of the argument x. Use gnomon.lax.cond or gnomon.numpy.where, " + STATIC),
    "bool of two arguments": (
        lambda: gnomon.jit(loss)({"w": ONES}, 2.0),
        "TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].\n"
        "The error occurred at HERE (loss) while tracing the function loss for jit. This concrete value was not available in Python "
        "because it depends on the values of the arguments params['w'] and batch. Use gnomon.lax.cond or gnomon.numpy.where, "
        + STATIC),
    "bool under vmap": (
        lambda: gnomon.vmap(branch)(ONES),
        "TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].\n"
        "The error occurred at HERE (branch) while tracing the function branch for vmap. This concrete value was not available in "
        "Python because it depends on the value of the argument x. Use gnomon.lax.cond or gnomon.numpy.where, or give the argument "
        "in_axes None."),
    "bool in a loop": (
        lambda: lax.fori_loop(0, 3, lambda i, val: branch(val), 1.0),
        "TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].\n"
        "The error occurred at HERE (branch) while tracing the function <lambda> for fori_loop. This concrete value was not available "
        "in Python because it depends on the value of the argument val. Use gnomon.lax.cond or gnomon.numpy.where, or close over the "
        "number instead of passing it."),
    "int": (lambda: gnomon.jit(as_int)(1.0),
            "ConcretizationTypeError: Attempted integer conversion of traced array with shape f32[].\n"
            "The error occurred at HERE (as_int) while tracing the function as_int for jit. This concrete value was not available in "
            "Python because it depends on the value of the argument x. Compute with gnomon.numpy and gnomon.lax instead, " + STATIC),
    "float": (lambda: gnomon.jit(as_float)(1.0),
              "ConcretizationTypeError: Attempted float conversion of traced array with shape f32[].\n"
              "The error occurred at HERE (as_float) while tracing the function as_float for jit. This concrete value was not "
              "available in Python because it depends on the value of the argument x. Compute with gnomon.numpy and gnomon.lax "
              "instead, " + STATIC),
    "range": (lambda: gnomon.jit(count)(3),
              "TracerIntegerConversionError: Attempted index conversion of traced array with shape i32[].\n"
              "The error occurred at HERE (count) while tracing the function count for jit. This concrete value was not available in "
              "Python because it depends on the value of the argument n. Compute with gnomon.numpy and gnomon.lax instead, "
              + STATIC),
    "list index": (lambda: gnomon.jit(pick)(1),
                   "TracerIntegerConversionError: Attempted index conversion of traced array with shape i32[].\n"
                   "The error occurred at HERE (pick) while tracing the function pick for jit. This concrete value was not "
                   "available in Python because it depends on the value of the argument i. Compute with gnomon.numpy and gnomon.lax "
                   "instead, " + STATIC),
    "NumPy": (lambda: gnomon.jit(numpy_sine)(ONES),
              "TracerArrayConversionError: The numpy.ndarray conversion method __array__() was called on traced array with shape "
              "f32[3].\nThe error occurred at HERE (numpy_sine) while tracing the function numpy_sine for jit. This concrete value was "
              "not available in Python because it depends on the value of the argument x. Use the function of the same name in "
              "gnomon.numpy, or gnomon.pure_callback for code that must be NumPy."),
    "NumPy under grad": (
        lambda: gnomon.grad(numpy_sine)(1.0),
        "TracerArrayConversionError: The numpy.ndarray conversion method __array__() was called on traced array with shape f32[].\n"
        "The error occurred at HERE (numpy_sine) while tracing the function numpy_sine for grad. This concrete value was not "
        "available in Python because it depends on the value of the argument x. Use the function of the same name in gnomon.numpy, or "
        "gnomon.pure_callback for code that must be NumPy."),
    "item": (lambda: gnomon.jit(item)(1.0),
             "ConcretizationTypeError: Attempted scalar conversion of traced array with shape f32[].\n"
             "The error occurred at HERE (item) while tracing the function item for jit. This concrete value was not available in "
             "Python because it depends on the value of the argument x. Compute with gnomon.numpy and gnomon.lax instead, " + STATIC),
    "dict key": (lambda: gnomon.jit(key)(1.0),
                 "TypeError: unhashable type: a traced value of type float32[] cannot be a dict key or static argument. Pass what must "
                 "be hashable as a static argument."),
    "bool of many": (lambda: gnomon.jit(lambda x: 1 if x else 0)(ONES),
                     "ValueError: The truth value of an array with more than one element is ambiguous: it has type float32[3]. Use "
                     ".any() or .all()."),
    "ensure_compile_time_eval": (
        lambda: gnomon.jit(at_once)(1.0),
        "ConcretizationTypeError: Attempted float conversion of traced array with shape f32[].\n"
        "The error occurred at HERE (at_once) while tracing the function at_once for jit. This concrete value was not available in "
        "Python because it depends on the value of the argument x. Compute with gnomon.numpy and gnomon.lax instead, " + STATIC),
}


def at_once(x):
    with gnomon.ensure_compile_time_eval():
        return float(x + 1)


@failing(TRACED)
def test_traced_values_have_no_numbers(program, expected):
    assert message(program) == expected


@pytest.mark.parametrize("cls", [errors.TracerBoolConversionError, errors.ConcretizationTypeError, TypeError])
def test_except_clauses_written_for_jax(cls):
    with pytest.raises(cls):
        gnomon.jit(branch)(1.0)


# ---- leaks ---------------------------------------------------------------------------------------------------------

STORE = []


def leaky(x):
    STORE[:] = [x * 2.0, x]
    return x


def body(carry, x):
    STORE[:] = [carry]
    return carry + x, x


def leak(f, i):
    f()
    return STORE[i]


LEAKED = ("UnexpectedTracerError: A value of type float32[] that was traced inside the function {name} is used after that function's "
          "trace ended: it leaked out through a side effect. {made} Return it from {name} instead of storing it.")
CREATED = LEAKED.format(name="leaky", made="It was created at HERE (leaky).")
LEAKS = {
    "used": (lambda: leak(lambda: gnomon.jit(leaky)(1.0), 0) + 1, CREATED),
    "used in another trace": (lambda: gnomon.jit(lambda y: y + STORE[0])(leak(lambda: gnomon.jit(leaky)(1.0), 1) is None), CREATED),
    "an argument": (lambda: leak(lambda: gnomon.jit(leaky)(1.0), 1) + 1, LEAKED.format(name="leaky", made="It is the argument x.")),
    "passed to a jitted function": (lambda: gnomon.jit(lambda y: y)(leak(lambda: gnomon.jit(leaky)(1.0), 0)), CREATED),
    "read by NumPy": (lambda: np.asarray(leak(lambda: gnomon.jit(leaky)(1.0), 0)), CREATED),
    "bool": (lambda: bool(leak(lambda: gnomon.jit(leaky)(1.0), 0)), CREATED),
    "from grad": (lambda: leak(lambda: gnomon.grad(leaky)(1.0), 0) + 1, CREATED),
    "from a loop": (lambda: leak(lambda: lax.scan(body, 0.0, ONES), 0) * 2, LEAKED.format(name="body", made="It is the argument carry.")),
}


@failing(LEAKS)
def test_leaked_values_say_where_they_were_made(program, expected):
    assert message(program) == expected


# ---- loops and branches --------------------------------------------------------------------------------------------

def widens(carry, x):
    return {"a": carry["a"].astype(int), "b": carry["b"]}, x


def doubles(carry, x):
    return (carry, carry), x


def grows(carry, x):
    return jnp.stack([carry, carry]), x


PAIR = (0, ONES)
EQUAL = "body function carry input and carry output must have equal types, but they differ: the component "
SAME = "body function carry input and carry output must have the same pytree structure, but they differ: the input carry has structure "
LOOPS = {
    "scan type": (lambda: lax.scan(widens, {"a": ONES, "b": 1}, ONES),
                  f"TypeError: scan {EQUAL}carry['a'] of widens goes in as float32[3] and comes out as int32[3]. Convert it with .astype."),
    "scan shape": (lambda: lax.scan(grows, np.float32(1), ONES),
                   f"TypeError: scan {EQUAL}carry of grows goes in as float32[] and comes out as float32[2]. Keep its shape."),
    "scan structure": (lambda: lax.scan(doubles, 0.0, ONES),
                       f"TypeError: scan {SAME}PyTreeDef(*) and doubles at HERE returns PyTreeDef((*, *))."),
    "scan without pair": (lambda: lax.scan(lambda c, x: c, 0.0, ONES),
                          "TypeError: scan body output must be a pair (carry, y), but <lambda> returned a value of type Tracer."),
    "scan lengths": (lambda: lax.scan(lambda c, x: (c, x), 0.0, {"p": ONES, "q": ONES[:2]}),
                     "ValueError: scan got values with different leading axis sizes: xs['p'] has 3, xs['q'] has 2."),
    "scan scalar": (lambda: lax.scan(lambda c, x: (c, x), 0.0, {"p": 1.0}),
                    "ValueError: scan got value with no leading axis to scan over: xs['p'] has type float32[]. Pass it as part of the "
                    "carry, or close over it."),
    "scan string": (lambda: lax.scan(lambda c, x: (c, x), "s", ONES),
                    "TypeError: scan takes arrays and trees of arrays, but argument init has a leaf of type str: 's'. Mark it static, "
                    "or close over it."),
    "while type": (lambda: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1].astype(int)), PAIR),
                   f"TypeError: while_loop {EQUAL}carry[1] of <lambda> goes in as float32[3] and comes out as int32[3]. Convert it with "
                   ".astype."),
    "while structure": (lambda: lax.while_loop(lambda c: c[0] < 3, lambda c: c[0] + 1, PAIR),
                        f"TypeError: while_loop {SAME}PyTreeDef((*, *)) and <lambda> at HERE returns PyTreeDef(*)."),
    "while condition": (lambda: lax.while_loop(lambda c: c, lambda c: c + 1, np.float32(1)),
                        "TypeError: cond_fun must return a boolean scalar, but <lambda> returned float32[]."),
    "fori type": (lambda: lax.fori_loop(0, 3, lambda i, c: {"y": c["y"].astype(int)}, {"y": np.float32(1)}),
                  f"TypeError: fori_loop {EQUAL}carry['y'] of <lambda> goes in as float32[] and comes out as int32[]. Convert it with "
                  ".astype."),
    "fori structure": (lambda: lax.fori_loop(0, 3, lambda i, c: (c,), 1.0),
                       f"TypeError: fori_loop {SAME}PyTreeDef(*) and <lambda> at HERE returns PyTreeDef((*,))."),
    "fori bounds": (lambda: lax.fori_loop(0.0, 3, lambda i, c: c, 1.0),
                    "TypeError: fori_loop: lower must be an integer scalar, got float32[]."),
    "cond structure": (lambda: lax.cond(True, lambda x: x, lambda x: (x, x), 1.0),
                       "TypeError: cond branch outputs must have the same pytree structure, but false_fun (<lambda> at HERE) returns "
                       "PyTreeDef((*, *)) and true_fun (<lambda> at HERE) returns PyTreeDef(*)."),
    "cond type": (lambda: lax.cond(True, lambda x: {"y": x}, lambda x: {"y": x.astype(int)}, np.float32(1)),
                  "TypeError: cond branches must have equal output types, but output['y'] of false_fun has type int32[] and of true_fun "
                  "has type float32[]. Convert one of them with .astype."),
    "cond predicate": (lambda: lax.cond(ONES > 0, lambda x: x, lambda x: x, 1.0),
                       "TypeError: Pred must be a scalar, got bool[3] in a call of cond. Use gnomon.numpy.where for elementwise choice, "
                       "or .any() or .all()."),
    "switch type": (lambda: lax.switch(1, [lambda x: x, lambda x: x, lambda x: jnp.stack([x, x])], np.float32(1)),
                    "TypeError: switch branches must have equal output types, but output of branch 0 has type float32[] and of branch 2 "
                    "has type float32[2]. Convert one of them with .astype."),
    "switch index": (lambda: lax.switch(1.0, [lambda x: x, lambda x: x], 1.0),
                     "TypeError: Index type must be an integer, got float32[] in a call of switch."),
    "map output": (lambda: lax.map(lambda x: "y", ONES),
                   "TypeError: map: <lambda> must return arrays or trees of arrays: A value of type str is not an array: got 'y'. Give an "
                   "array, a NumPy array or a number."),
}


@failing(LOOPS)
def test_loops_and_branches(program, expected):
    assert message(program) == expected


# ---- vmap ----------------------------------------------------------------------------------------------------------

def product(x, y, *, scale=1.0):
    return x * y * scale


def mapped(in_axes, *args, fun=product, **options):
    return lambda: gnomon.vmap(fun, in_axes, **options)(*args)


VMAP = {
    "dict for one argument": (
        mapped({"a": 0}, {"a": np.zeros((3, 3))}, fun=lambda x: x["a"]),
        "ValueError: vmap in_axes must have the structure of the arguments or be a prefix of it; at the root there is a tuple of 1 in the "
        "arguments and a dict with keys 'a' in in_axes; give a tuple with 1 entry."),
    "too few": (mapped((0,), ONES, ONES),
                "ValueError: vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments passed to "
                "the function, but got len(in_axes)=1 and len(args)=2 for product."),
    "wrong structure": (mapped(({"b": 0}, 0), {"a": ONES}, ONES),
                        "ValueError: vmap in_axes must have the structure of the arguments or be a prefix of it; at x there is a dict "
                        "with keys 'a' in the arguments and a dict with keys 'b' in in_axes."),
    "sizes": (mapped(0, ONES, ONES[:2]),
              "ValueError: vmap got inconsistent sizes for array axes to be mapped: axis 0 of argument x of type float32[3] has size 3, "
              "axis 0 of argument y of type float32[2] has size 2."),
    "axis_size": (mapped(0, ONES, ONES, axis_size=4),
                  "ValueError: vmap got inconsistent sizes for array axes to be mapped: axis 0 of argument x of type float32[3] has size "
                  "3, axis 0 of argument y of type float32[3] has size 3, axis_size is 4."),
    "rank": (mapped((0, 2), ONES, {"a": np.zeros((2, 3), np.float32)}),
             "ValueError: vmap was requested to map its argument along axis 2, which implies that its rank should be at least 3, but "
             "argument y['a'] of product has type float32[2,3] (rank 2). Give it in_axes None to leave it unmapped."),
    "keyword": (lambda: gnomon.vmap(product)(ONES, ONES, scale=2.0),
                "ValueError: vmap was requested to map its argument along axis 0, which implies that its rank should be at least 1, but "
                "argument scale of product has type float32[] (rank 0). Keyword arguments are mapped over axis 0; pass it by position to "
                "give it an axis, or bind it with functools.partial."),
    "nothing mapped": (mapped(None, 1.0, 1.0),
                       "ValueError: vmap must have at least one non-None value in in_axes, or an axis_size, to know how often to map "
                       "product."),
    "axis that is no int": (mapped((0.0, 0), ONES, ONES),
                            "TypeError: vmap in_axes must be ints or None, but argument x of product has the entry 0.0."),
    "out_axes": (mapped(0, ONES, fun=lambda x: x, out_axes=2),
                 "ValueError: vmap out_axes entry 2 is out of range for an output of type float32[], which has rank 1 with the mapped "
                 "axis."),
    "out_axes None": (mapped(0, ONES, fun=lambda x: x, out_axes=None),
                      "ValueError: vmap has mapped output but out_axes is None for output 0 of <lambda>, which depends on a mapped "
                      "argument. Give it an axis in out_axes."),
    "string": (mapped(0, "s", ONES),
               "TypeError: vmap takes arrays and trees of arrays, but argument x has a leaf of type str: 's'. Mark it static, or close "
               "over it."),
    "axis name": (lambda: gnomon.vmap(lambda x: lax.psum(x, "j"), axis_name="i")(ONES),
                  "NameError: unbound axis name: j in a call of psum. The named axes in scope are: 'i'. Name one with vmap's axis_name, or call it "
                  "under shard_map on a mesh that has it."),
}


@failing(VMAP)
def test_vmap(program, expected):
    assert message(program) == expected


# ---- jit -----------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Unhashable:
    n: int = 1


def configured(x, config):
    return x


jit_configured = functools.partial(gnomon.jit, configured)
UNHASHABLE = "ValueError: Non-hashable static arguments are used in a jit function: argument config of configured "
JIT = {
    "unhashable": (lambda: jit_configured(static_argnames="config")(1.0, config=Unhashable()),
                   UNHASHABLE + "has type Unhashable, which is not hashable. Give it a __hash__ and __eq__ (a frozen dataclass has "
                   "both), or do not mark it static."),
    "unhashable by position": (lambda: jit_configured(static_argnums=1)(1.0, [1]),
                               UNHASHABLE + "has type list, which is not hashable. Give it a __hash__ and __eq__ (a frozen dataclass "
                               "has both), or do not mark it static."),
    "static array": (lambda: jit_configured(static_argnums=1)(1.0, jnp.zeros(2)),
                     UNHASHABLE + "is an array of type float32[2], whose numbers cannot be part of a signature. Give a Python number, or "
                     "do not mark it static."),
    "static traced": (lambda: gnomon.jit(lambda n: jit_configured(static_argnums=1)(1.0, n))(2),
                      UNHASHABLE + "is a traced value of type int32[], whose numbers cannot be part of a signature. Give a Python number, "
                      "or do not mark it static."),
    "static name": (lambda: jit_configured(static_argnames="conf"),
                    "ValueError: jit of configured has static_argnames='conf', but the function has no such argument; it has config, x."),
    "static number": (lambda: jit_configured(static_argnums=5),
                      "ValueError: jit of configured has static_argnums=5, but the function takes 2 positional arguments."),
    "static and donated": (lambda: jit_configured(static_argnums=1, donate_argnums=1),
                           "ValueError: jit of configured: static_argnums and donate_argnums cannot intersect, both have [1]."),
    "not a function": (lambda: gnomon.jit(3), "TypeError: Expected a callable value, got 3: jit needs a function."),
    "string": (lambda: jit_configured()(1.0, {"name": ["s"]}),
               "TypeError: jit of configured takes arrays and trees of arrays, but argument config['name'][0] has a leaf of type str: 's'. "
               "Mark it static, or close over it."),
    "output": (lambda: gnomon.jit(lambda x: {"a": [x, "b"]})(1.0),
               "TypeError: <lambda> must return arrays or trees of arrays, but its output['a'][1] is of type str: 'b'."),
    "compiled for another type": (
        lambda: gnomon.jit(configured).lower(ONES, 1.0).compile()(ONES[:2], 1.0),
        "TypeError: Argument types differ from the types for which this computation was compiled: argument x of configured was compiled "
        "for float32[3] and called with float32[2]."),
    "donated": (lambda: (lambda x: (gnomon.jit(lambda x: x + 1, donate_argnums=0)(x), x + 1))(jnp.zeros(3) + 1),
                "RuntimeError: Array has been deleted with shape=float32[3]: it was donated to <lambda>, which reused its memory. Use "
                "what <lambda> returned, or do not donate it."),
    "setting": (lambda: gnomon.config.update("jax_enable_x65", True),
                "AttributeError: There is no setting 'jax_enable_x65' (did you mean 'enable_x64'?)."),
    "device_put": (lambda: gnomon.device_put({"a": "s"}),
                   "TypeError: device_put takes arrays and trees of arrays, but argument x['a'] has a leaf of type str: 's'. Mark it "
                   "static, or close over it."),
}


@failing(JIT)
def test_jit(program, expected):
    assert message(program) == expected


# ---- derivatives ---------------------------------------------------------------------------------------------------

def scaled(params, n):
    return (params["w"] * n).sum()


def until_ten(x):
    return lax.while_loop(lambda c: c < 10.0, lambda c: c * 2, x)


def sine_of_python(x):
    return gnomon.pure_callback(np.sin, gnomon.ShapeDtypeStruct((), np.float32), x)


INPUTS = "grad requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact), but argument "
GRAD = {
    "vector": (lambda: gnomon.grad(lambda x: 2 * x)(ONES),
               "TypeError: Gradient only defined for scalar-output functions. Output of <lambda> had shape: (3,). Sum it, or use jacrev "
               "or vjp."),
    "tuple": (lambda: gnomon.grad(lambda x: (x, x))(1.0),
              "TypeError: Gradient only defined for scalar-output functions. <lambda> returned a tree of 2 values (PyTreeDef((*, *))); "
              "return one number, or use has_aux=True for the rest."),
    "integer": (lambda: gnomon.grad(scaled, 1)({"w": ONES}, 3),
                f"TypeError: {INPUTS}n of scaled has type int32[]. Convert it with .astype(float), or close over it."),
    "integer in a tree": (lambda: gnomon.grad(scaled)({"w": ONES, "step": 1}, 3.0),
                          f"TypeError: {INPUTS}params['step'] of scaled has type int32[]. Convert it with .astype(float), or close over "
                          "it."),
    "integer output": (lambda: gnomon.grad(lambda x: x.astype(int))(1.0),
                       "TypeError: grad requires real- or complex-valued outputs (output dtype that is a sub-dtype of np.inexact), but "
                       "<lambda> returned int32[]. Convert it with .astype(float)."),
    "complex output": (lambda: gnomon.grad(lambda x: x)(1j),
                       "TypeError: grad requires real-valued outputs (output dtype that is a sub-dtype of np.floating), but <lambda> "
                       "returned complex64[]. For holomorphic functions use holomorphic=True; else return a real number."),
    "argnums": (lambda: gnomon.grad(scaled, 1)({"w": ONES}, n=3.0),
                "TypeError: grad of scaled with respect to argument 1 needs at least 2 positional arguments, but it was called with 1. "
                "Pass it by position."),
    "aux": (lambda: gnomon.grad(lambda x: x, has_aux=True)(1.0),
            "TypeError: grad with has_aux=True needs <lambda> to return a pair (output, aux), but it returned Traced<float32[]>."),
    "jvp structure": (lambda: gnomon.jvp(lambda x: x, (1.0,), (1.0, 1.0)),
                      "TypeError: primal and tangent arguments to jvp must have the same tree structure; primals have tree structure "
                      "PyTreeDef((*,)) whereas tangents have tree structure PyTreeDef((*, *))."),
    "jvp shape": (lambda: gnomon.jvp(lambda x: x, (ONES,), (ONES[:2],)),
                  "ValueError: jvp called with different primal and tangent shapes; argument x has type float32[3] and its tangent "
                  "float32[2]."),
    "jvp integer": (lambda: gnomon.jvp(lambda x: x, (1,), (1,)),
                    "TypeError: primal and tangent arguments to jvp do not match; dtypes must be equal, or in case of int/bool primal "
                    "dtype the tangent dtype must be float0. Argument x has type int32[], so its tangent must be np.zeros((), float0), got "
                    "int32[]."),
    "cotangent structure": (lambda: gnomon.vjp(lambda x: {"a": x}, 1.0)[1](1.0),
                            "ValueError: The cotangent given to the function returned by vjp of <lambda> has structure PyTreeDef(*), but "
                            "it must have PyTreeDef({'a': *})."),
    "not linear": (lambda: gnomon.linear_transpose(lambda x: x * x, 1.0)(1.0),
                   "TypeError: mul at HERE (<lambda>) is not linear in values that are to be transposed, such as the tangents of a "
                   "custom_jvp rule or the inputs of linear_transpose. Make the function linear in them."),
    "while loop in reverse": (
        lambda: gnomon.grad(until_ten)(1.0),
        "Refused: while_loop at HERE (until_ten) cannot be run in reverse (transposed): a loop whose number of steps is not known cannot "
        "be run backward; use scan, or fori_loop with static bounds, or give the loop a custom_vjp"),
    "callback": (lambda: gnomon.grad(sine_of_python)(1.0),
                 "Refused: pure_callback at HERE (sine_of_python) has no derivative: Python code has no derivative; give the function "
                 "around it a custom_jvp or custom_vjp rule, or put stop_gradient on its inputs"),
    "callback over lanes": (
        lambda: gnomon.vmap(sine_of_python)(ONES),
        "Refused: pure_callback cannot be batched without being told how; give it vmap_method='sequential' (once per lane) or "
        "'expand_dims' / 'broadcast_all' (what is called takes a leading axis)"),
    "pmap": (lambda: gnomon.pmap(lambda x: x)(jnp.ones(9)),
             "ValueError: pmap of <lambda> maps over 9 elements, one for each device, but there are 8. Use vmap, or ask for more of the CPU's with "
             "the setting num_cpu_devices."),
}


@failing(GRAD)
def test_derivatives(program, expected):
    assert message(program) == expected


# ---- custom rules --------------------------------------------------------------------------------------------------

def with_jvp(rule):
    @gnomon.custom_jvp
    def f(x, y):
        return x * y
    f.defjvp(rule)
    return lambda: gnomon.grad(f)(1.0, 2.0)


def with_vjp(fwd, bwd, use=lambda f: gnomon.grad(f, (0, 1))(1.0, 2.0)):
    @gnomon.custom_vjp
    def f(x, y):
        return x * y
    f.defvjp(fwd, bwd)
    return lambda: use(f)


def with_vmap(rule):
    f = gnomon.custom_batching.custom_vmap(product)
    f.def_vmap(rule)
    return lambda: gnomon.vmap(f)(ONES, ONES)


def forward(x, y):
    return x * y, (x, y)


def returning(result):
    """`rule` as a rule that returns `result(*args)`."""
    def named(*args):
        return result(*args)
    named.__name__ = "rule"
    return named


def closing_over(x):
    @gnomon.custom_jvp
    def f(y):
        return y * x
    f.defjvp(lambda primals, tangents: (f(*primals), tangents[0] * x))
    return f(2.0)


JVP = "TypeError: Custom JVP rule rule for function f "
FWD = "TypeError: Custom VJP fwd rule rule for function f "
BWD = "Custom VJP bwd rule rule must produce "
CUSTOM = {
    "jvp without rule": (lambda: gnomon.custom_jvp(product)(1.0, 2.0),
                         "AttributeError: No JVP defined for custom_jvp function product using defjvp."),
    "jvp no pair": (with_jvp(returning(lambda p, t: p[0])),
                    JVP + "must produce a pair (list or tuple of length two) representing primal and tangent outputs, but got "
                    "Traced<float32[]>."),
    "jvp primal structure": (with_jvp(returning(lambda p, t: ((p[0], p[0]), t[0]))),
                             JVP + "must produce primal outputs of structure PyTreeDef(*), like the function, but they have "
                             "PyTreeDef((*, *))."),
    "jvp tangent structure": (with_jvp(returning(lambda p, t: (p[0], (t[0], t[0])))),
                              JVP + "must produce primal and tangent outputs with equal container (pytree) structures, but got "
                              "PyTreeDef(*) and PyTreeDef((*, *)) respectively."),
    "jvp tangent shape": (with_jvp(returning(lambda p, t: (p[0], jnp.zeros(2)))),
                          JVP + "must produce primal and tangent outputs with corresponding shapes and dtypes. Expected float32[] "
                          "(tangent type of float32[]) but got float32[2]."),
    "jvp primal shape": (with_jvp(returning(lambda p, t: (jnp.zeros(2), jnp.zeros(2)))),
                         JVP + "produced a primal output of type float32[2], but the function's has type float32[]."),
    "jvp not linear": (with_jvp(returning(lambda p, t: (p[0], t[0] * t[0]))),
                       "TypeError: mul at HERE (<lambda>) is not linear in values that are to be transposed, such as the tangents of a "
                       "custom_jvp rule or the inputs of linear_transpose. Make the function linear in them."),
    "jvp closure": (lambda: gnomon.grad(closing_over)(1.0),
                    "Refused: the function f with a custom_jvp rule closes over a value being differentiated; pass it as an argument "
                    "instead"),
    "vjp without rule": (lambda: gnomon.custom_vjp(product)(1.0, 2.0),
                         "AttributeError: No VJP defined for custom_vjp function product using defvjp."),
    "fwd no pair": (with_vjp(returning(lambda x, y: x), None),
                    FWD + "must produce a pair (list or tuple of length two) where the first element represents the primal output and the "
                    "second element represents residuals (i.e. values stored from the forward pass for use on the backward pass), but got "
                    "Traced<float32[]>."),
    "fwd structure": (with_vjp(returning(lambda x, y: ((x, x), None)), None),
                      FWD + "must produce a first element of structure PyTreeDef(*), like the function's output, but it has "
                      "PyTreeDef((*, *))."),
    "fwd shape": (with_vjp(returning(lambda x, y: (jnp.zeros(2), None)), None),
                  FWD + "produced an output of type float32[2], but the function's has type float32[]."),
    "bwd no tuple": (with_vjp(forward, returning(lambda res, ct: ct)),
                     f"TypeError: {BWD}a tuple with one entry per argument, got Tracer."),
    "bwd length": (with_vjp(forward, returning(lambda res, ct: (ct,))),
                   f"TypeError: {BWD}an output with the same container (pytree) structure as the args tuple of the primal function, and in "
                   "particular must produce a tuple of length equal to the number of arguments to the primal function, but got 1 for 2."),
    "bwd structure": (with_vjp(forward, returning(lambda res, ct: ({"a": ct}, ct))),
                      f"TypeError: {BWD}a cotangent of structure PyTreeDef(*) for argument 0 of f, but it has PyTreeDef({{'a': *}})."),
    "bwd shape": (with_vjp(forward, returning(lambda res, ct: (jnp.zeros(2), ct))),
                  f"ValueError: {BWD}cotangents of the shapes of the arguments of f, but for an argument of type float32[] it produced "
                  "float32[2]."),
    "vjp forward mode": (with_vjp(forward, returning(lambda res, ct: (ct, ct)), lambda f: gnomon.jvp(f, (1.0, 2.0), (1.0, 1.0))),
                         "Refused: can't apply forward-mode differentiation (jvp) to the custom_vjp function f: only its reverse "
                         "derivative is defined. Use grad, vjp or jacrev, or give it a custom_jvp rule."),
    "vmap without rule": (lambda: gnomon.custom_batching.custom_vmap(product)(1.0, 2.0),
                          "AttributeError: No batching rule defined for custom_vmap function product using def_vmap."),
    "vmap no pair": (with_vmap(returning(lambda size, batched, x, y: 3)),
                     "TypeError: The custom_vmap rule rule for function product must return a pair (outputs, whether each output is "
                     "mapped), but it returned 3."),
    "vmap structure": (with_vmap(returning(lambda size, batched, x, y: ((x, y), True))),
                       "ValueError: The custom_vmap rule rule for function product must return outputs of structure PyTreeDef(*), like "
                       "the function, but they have PyTreeDef((*, *))."),
    "vmap shape": (with_vmap(returning(lambda size, batched, x, y: (x.sum(), True))),
                   "ValueError: The custom_vmap rule rule for function product returned output 0 as float32[] where float32[3] was "
                   "expected: the function's is float32[], and the rule says that it is mapped, over 3 lanes."),
}


@failing(CUSTOM)
def test_custom_rules(program, expected):
    assert message(program) == expected


# ---- shapes --------------------------------------------------------------------------------------------------------

TALL, WIDE = np.ones((2, 3), np.float32), np.ones((2, 4), np.float32)
SHAPES = {
    "dot": (lambda: jnp.dot(TALL, TALL),
            "TypeError: dot sums over dimension 1 of the first operand and dimension 0 of the second, which must have the same size, got "
            "shapes (2, 3) and (2, 3)."),
    "matmul": (lambda: gnomon.jit(lambda x: x @ x)(TALL),
               "TypeError: matmul sums over dimension 1 of the first operand and dimension 0 of the second, which must have the same "
               "size, got shapes (2, 3) and (2, 3)."),
    "add": (lambda: jnp.add(TALL, WIDE),
            "TypeError: add got incompatible shapes for broadcasting: (2, 3), (2, 4). Counted from the last, sizes must be equal or 1."),
    "concatenate": (lambda: jnp.concatenate([TALL, WIDE]),
                    "TypeError: concatenate along dimension 0 needs operands that agree in the other dimensions, got shapes (2, 3), (2, "
                    "4)."),
    "stack": (lambda: jnp.stack([TALL, WIDE]), "ValueError: stack needs arrays of one shape, got (2, 3), (2, 4)."),
    "axis": (lambda: jnp.sum(ONES, axis=1), "AxisError: sum got axis 1, which is out of bounds for an array of dimension 1"),
    "list": (lambda: jnp.sum([1, 2]),
             "TypeError: sum requires ndarray or scalar arguments, got <class 'list'> at position 0. Convert it with "
             "gnomon.numpy.asarray."),
    "assignment": (lambda: jnp.zeros(3).__setitem__(0, 1.0),
                   "TypeError: Arrays are immutable and do not support in-place item assignment. Instead of x[i] = y write x = "
                   "x.at[i].set(y)."),
    "out of bounds": (lambda: jnp.zeros(3)[5], "IndexError: index 5 is out of bounds for axis 0 with size 3"),
}


@failing(SHAPES)
def test_shapes(program, expected):
    assert message(program) == expected


# ---- callbacks -----------------------------------------------------------------------------------------------------

def fails(x):
    raise KeyError("no such thing")


def test_errors_of_callbacks_come_out_as_they_are():
    struct = gnomon.ShapeDtypeStruct((), np.float32)
    assert message(lambda: gnomon.pure_callback(fails, struct, 1.0)) == "KeyError: 'no such thing'"


def test_errors_of_callbacks_in_programs_show_the_users_lines():
    struct = gnomon.ShapeDtypeStruct((), np.float32)
    with pytest.raises(errors.JaxRuntimeError) as caught:
        gnomon.jit(lambda x: gnomon.pure_callback(fails, struct, x))(1.0)
    text = str(caught.value)
    assert text.startswith("Python that <lambda> called raised an error:\nTraceback") and text.endswith("KeyError: 'no such thing'")
    assert "test_messages.py" in text and "in fails" in text and "gnomon/api" not in text.replace("gnomon/tests", "")


FORMATS = {
    "too many fields": (lambda: gnomon.debug.print("{} {}", 1),
                        "ValueError: debug.print: the format '{} {}' does not match the arguments: it has more than 1 positional fields. "
                        "Give one argument per field."),
    "too few fields": (lambda: gnomon.debug.print("{}", 1, 2),
                       "ValueError: debug.print: the format '{}' does not match the arguments: it has no field for argument 1. Give one "
                       "argument per field."),
    "unknown name": (lambda: gnomon.debug.print("{x}", y=1),
                     "ValueError: debug.print: the format '{x}' does not match the arguments: it has a field 'x', and there is no argument "
                     "of that name. Give one argument per field."),
    "no format": (lambda: gnomon.debug.print(1),
                  "TypeError: debug.print takes a format string first, got 1. Write debug.print('{}', x) to print x."),
}


@failing(FORMATS)
def test_formats(program, expected):
    assert message(program) == expected


# ---- equal programs ------------------------------------------------------------------------------------------------

def test_a_message_names_the_line_of_the_function_at_hand_and_not_of_an_equal_one():
    def first(x):
        return lax.while_loop(lambda c: c < 1000.0, lambda c: c * 3, x)

    def second(x):
        return lax.while_loop(lambda c: c < 1000.0, lambda c: c * 3, x)
    for f in (first, second, first):
        assert f"while_loop at HERE ({f.__name__}) cannot be run in reverse" in message(lambda f=f: gnomon.grad(f)(1.0))


# ---- arrays of what no array can hold ------------------------------------------------------------------------------

WORDS, NOTHING = np.array(["a"]), np.array([None])
NO_NUMBERS = {
    "argument of jit": (lambda: gnomon.jit(lambda x: x)(WORDS),
                        "TypeError: jit of <lambda> takes arrays and trees of arrays, but argument x has a leaf of type ndarray: "
                        "array(['a'], dtype='<U1'). Mark it static, or close over it."),
    "result of jit": (lambda: gnomon.jit(lambda: NOTHING)(),
                      "TypeError: <lambda> must return arrays or trees of arrays, but its output is of type ndarray: array([None], "
                      "dtype=object)."),
    "operand": (lambda: jnp.sin(WORDS), "TypeError: sin requires arrays of numbers, got <class 'numpy.ndarray'> at position 0. Arrays "
                "hold numbers, booleans or random keys; none has the dtype <U1."),
}


@failing(NO_NUMBERS)
def test_arrays_without_numbers(program, expected):
    assert message(program) == expected


# ---- numbers too large ---------------------------------------------------------------------------------------------

LARGE = "does not fit in int32, the dtype it meets here. Convert the array to a wider dtype first (enable_x64 for 64 bits)."
TOO_LARGE = {
    "eager": (lambda: jnp.arange(3) + 2**33, f"OverflowError: The Python integer {2**33} {LARGE}"),
    "compared": (lambda: jnp.arange(3) < 2**40, f"OverflowError: The Python integer {2**40} {LARGE}"),
    "traced": (lambda: gnomon.jit(lambda x: x.at[0].set(2**40))(jnp.arange(3)), f"OverflowError: The Python integer {2**40} {LARGE}"),
}


@failing(TOO_LARGE)
def test_integers_that_fit_no_integer_array(program, expected):
    assert message(program) == expected


def test_numpy_scalars_are_narrowed_in_a_trace_as_outside_of_one():
    def f(x):
        return x + np.int64(2**33 + 1)
    with pytest.warns(errors.GnomonWarning, match="wrap around"):
        assert f(jnp.arange(2)).tolist() == gnomon.jit(f)(jnp.arange(2)).tolist() == [1, 2]


# ---- loops over axes -----------------------------------------------------------------------------------------------

SPANS = {
    "map of no function": (lambda: lax.map(1, ONES), "TypeError: lax.map needs a function first, got 1."),
    "map of a number": (lambda: lax.map(jnp.sin, 3.0, batch_size=2),
                        "ValueError: map got value with no leading axis to scan over: xs has type float32[]. Pass it as part of the "
                        "carry, or close over it."),
    "map in batches of none": (lambda: lax.map(jnp.sin, ONES, batch_size=0),
                               "ValueError: lax.map: batch_size must be a positive integer or None, got 0."),
    "suffixes of a number": (lambda: lax.associative_scan(jnp.add, 1.0, reverse=True),
                             "ValueError: associative_scan: axis 0 is out of range for an element of type float32[]."),
    "another structure": (lambda: lax.associative_scan(lambda a, b: (a, b), ONES),
                          "TypeError: associative_scan: <lambda> must return the structure of one element, PyTreeDef(*), but returned "
                          "PyTreeDef((*, *))."),
    "another shape": (lambda: lax.associative_scan(lambda a, b: a.sum(), ONES),
                      "TypeError: associative_scan: <lambda> must keep the types of its arguments, but made float32[] of two values of "
                      "type float32[1]. Where it works on single elements, give it vmapped."),
    "another dtype": (lambda: lax.associative_scan(lambda a, b: (a + b).astype(int), ONES),
                      "TypeError: associative_scan: <lambda> must keep the types of its arguments, but made int32[1] of two values of "
                      "type float32[1]. Convert elems first."),
    "convolution without space": (lambda: lax.conv(jnp.ones((3, 4)), jnp.ones((3, 4)), (1, 1), "SAME"),
                                  "ValueError: conv_general_dilated needs one entry of window_strides per spatial dimension, of which "
                                  "operands of shapes (3, 4) and (3, 4) have 0, got (1, 1)."),
    "limits that are words": (lambda: jnp.clip(ONES, "a", 2), "TypeError: clip requires ndarray or scalar arguments, got <class 'str'> at "
                              "position 1."),
}


@failing(SPANS)
def test_spans(program, expected):
    assert message(program) == expected


# ---- functions that call themselves ---------------------------------------------------------------------------------

@gnomon.jit
def endless(x):
    return endless(x)


def endless_gradient(x):
    return gnomon.grad(endless_gradient)(x)


@functools.partial(gnomon.jit, static_argnums=1)
def ended(x, n):
    return x if n == 0 else ended(x + 1, n - 1)


def test_functions_that_call_themselves_without_end():
    for f, kind in ((endless, "jit"), (endless_gradient, "grad")):
        text = re.sub(r"RecursionError: \d+", "RecursionError: N", message(lambda f=f: f(1.0)))
        assert text == (f"RecursionError: N traces are inside each other at the function {f.__name__}, traced for {kind}: a function calls itself "
                        "while it is traced, and what its arguments are is not known then. Let a static argument end it, or use "
                        "gnomon.lax.while_loop.")
    assert float(ended(0.0, 30)) == 30.0
