"""The operators and methods of arrays: `x + y`, `x[i]`, `x.sum()` and the rest of what a `Value` can do."""
from __future__ import annotations

from gnomon.numpy import reductions, ufuncs
from gnomon.numpy.elementwise import loose_operators, operators
from gnomon.trace.value import install_operators

SIMPLE = {"add": ufuncs.add, "sub": ufuncs.subtract, "mul": ufuncs.multiply, "truediv": ufuncs.divide, "and": ufuncs.bitwise_and,
          "or": ufuncs.bitwise_or, "xor": ufuncs.bitwise_xor}
COMPOSITE = {"pow": ufuncs.power}
COMPARISONS = {"eq": ufuncs.equal, "ne": ufuncs.not_equal, "lt": ufuncs.less, "le": ufuncs.less_equal, "gt": ufuncs.greater,
               "ge": ufuncs.greater_equal}


def operator_table():
    table = {}
    for name, function in SIMPLE.items():
        table[f"__{name}__"], table[f"__r{name}__"] = operators(function)
    for name, function in COMPOSITE.items():
        table[f"__{name}__"], table[f"__r{name}__"] = loose_operators(function)
    for name, function in COMPARISONS.items():
        table[f"__{name}__"], _ = operators(function)
    table["__neg__"] = lambda self: ufuncs.negative(self)
    table["sum"] = reductions.sum
    return table


install_operators(operator_table())
