"""Elementwise functions: promotion, then one op or a few."""
from __future__ import annotations

import builtins

import numpy as np

from gnomon.numpy.elementwise import Kinds, binary, unary
from gnomon.numpy.promote import SCALARS, as_value, convert_keep, note_weak, promote, promote_inexact, to_inexact
from gnomon.ops import arithmetic, compare
from gnomon.ops.arithmetic import Abs, Add, Ceil, Div, Floor, IntegerPow, Max, Min, Mul, Neg, Nextafter, Rem, Sign, Square, Sub
from gnomon.ops.compare import And, Comparison, Eq, Ge, Gt, Le, Lt, Ne, Not, Or, Xor
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_bool, is_complex, is_float, is_inexact, is_integer, is_key, is_unsigned

__all__ = ["absolute", "add", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "divide", "equal", "greater", "greater_equal",
           "less", "less_equal", "maximum", "minimum", "multiply", "negative", "not_equal", "power", "square", "subtract", "true_divide", "where"]

NUMBERS = Kinds(lambda d: not is_bool(d) and not is_key(d), "numbers")
NUMBERS_AND_BOOLEANS = Kinds(lambda d: not is_key(d), "numbers and booleans")
REALS = Kinds(lambda d: not is_complex(d) and not is_key(d), "real numbers")
BITS = Kinds(lambda d: is_bool(d) or is_integer(d), "integers and booleans")
INTEGERS = Kinds(is_integer, "integers")


def if_bool(boolean, number):
    """A chooser: one op for booleans, another for numbers."""
    return lambda dtype: boolean if is_bool(dtype) else number


add = binary("add", if_bool(Or(), Add()), "x1 + x2.", kinds=NUMBERS_AND_BOOLEANS)
subtract = binary("subtract", Sub(), "x1 - x2.", kinds=NUMBERS)
multiply = binary("multiply", if_bool(And(), Mul()), "x1 * x2.", kinds=NUMBERS_AND_BOOLEANS)
divide = true_divide = binary("divide", Div(), "x1 / x2.", inexact=True, kinds=NUMBERS_AND_BOOLEANS)
maximum = binary("maximum", Max(), "The larger.", kinds=NUMBERS_AND_BOOLEANS)
minimum = binary("minimum", Min(), "The smaller.", kinds=NUMBERS_AND_BOOLEANS)
equal = binary("equal", Eq(), "x1 == x2.")
not_equal = binary("not_equal", Ne(), "x1 != x2.")
less = binary("less", Lt(), "x1 < x2.")
less_equal = binary("less_equal", Le(), "x1 <= x2.")
greater = binary("greater", Gt(), "x1 > x2.")
greater_equal = binary("greater_equal", Ge(), "x1 >= x2.")
bitwise_and = binary("bitwise_and", And(), "x1 & x2.", kinds=BITS)
bitwise_or = binary("bitwise_or", Or(), "x1 | x2.", kinds=BITS)
bitwise_xor = binary("bitwise_xor", Xor(), "x1 ^ x2.", kinds=BITS)
negative = unary("negative", Neg(), "-x.", kinds=NUMBERS)
bitwise_not = unary("bitwise_not", Not(), "~x.", kinds=BITS)
absolute = unary("absolute", lambda d: None if is_bool(d) or is_unsigned(d) else Abs(), "|x|.", kinds=NUMBERS_AND_BOOLEANS)
square = unary("square", Square(), "x * x.", kinds=NUMBERS)


def power(x1, x2, /):
    if x2.__class__ is int:
        x1 = as_value(x1, "power", 0)
        return bind(IntegerPow(x2), x1) if x2 != 1 else x1
    raise NotImplementedError


def where(condition, x, y, /):
    x, y = promote("where", x, y)
    condition, x, y = as_value(condition), as_value(x), as_value(y)
    return compare.select_n(condition, y, x)
