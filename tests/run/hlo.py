"""Small programs as StableHLO text, for tests of the runtime alone."""
import numpy as np

from gnomon.lower.plan import Plan
from gnomon.run.compile import compile
from gnomon.run.execute import make_call
from gnomon.run.transfer import put
from gnomon.types.value_type import ArrayType

MLIR = {"float32": "f32", "bfloat16": "bf16", "int32": "i32", "float64": "f64"}


def f32(*shape, **facts):
    return ArrayType(shape, np.dtype("float32"), **facts)


def text_of(t):
    return f"tensor<{''.join(f'{size}x' for size in t.shape)}{MLIR[t.dtype.name]}>"


def doubling(types, attributes=None, header="module @doubling"):
    """A program that adds each of its arguments to itself."""
    attributes = attributes or [""] * len(types)
    names = [text_of(t) for t in types]
    arguments = ", ".join(f"%a{i}: {name} {more}" for i, (name, more) in enumerate(zip(names, attributes)))
    lines = "\n".join(f"  %b{i} = stablehlo.add %a{i}, %a{i} : {name}" for i, name in enumerate(names))
    values = ", ".join(f"%b{i}" for i in range(len(types)))
    results = f"return {values} : {', '.join(names)}" if types else "return"
    return f"{header} {{\nfunc.func public @main({arguments}) -> ({', '.join(names)}) {{\n{lines}\n  {results}\n}}\n}}"


def donating(count):
    return [f"{{tf.aliasing_output = {i} : i32}}" for i in range(count)]


def call_of(text, out_types, **plan):
    return make_call(compile(text, Plan(**plan)), out_types)


def doubler(*types, **plan):
    return call_of(doubling(types), types, **plan)


def array(numbers, dtype="float32", target=None):
    return put(np.asarray(numbers, dtype), target)
