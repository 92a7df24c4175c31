"""Longhand: arithmetic on the emitter's values with Python's operators.

For `lower` rules that write a function out because StableHLO has no op for it. `Number` wraps a value; Python numbers
among the operands stand for that number in the dtype and shape of the other operand.
"""
from __future__ import annotations

import itertools

import numpy as np

from gnomon.types.dtype import finfo
from gnomon.types.value_type import ArrayType

_BOOL = np.dtype(bool)


class Number:
    """A value of the function being written."""

    __slots__ = ("emit", "value")

    def __init__(self, emit, value):
        self.emit, self.value = emit, value

    @property
    def type(self):
        return self.value.type

    dtype = property(lambda self: self.value.type.dtype)

    def like(self, x):
        """`x`, a Number or a Python number, as a Number of this one's type."""
        return x if isinstance(x, Number) else Number(self.emit, self.emit.constant_like(self.value, x))

    def apply(self, op, *others, out=None):
        """Any elementwise op of StableHLO or CHLO."""
        xs = [self.value, *[self.like(x).value for x in others]]
        out = self.type if out is None else out
        write = self.emit.chlo if op.startswith("chlo.") else self.emit.elementwise
        return Number(self.emit, write(op, xs, out))

    def compare(self, direction, other):
        return Number(self.emit, self.emit.compare(direction, self.value, self.like(other).value))

    def convert(self, dtype):
        return Number(self.emit, self.emit.convert(self.value, np.dtype(dtype)))

    def bits_as(self, dtype):
        """The same bits as another dtype of the same width."""
        out = ArrayType(self.type.shape, np.dtype(dtype))
        return Number(self.emit, self.emit("stablehlo.bitcast_convert", [self.value], out=out))

    def any(self):
        """Whether any of these booleans is true, as one boolean."""
        rank = len(self.type.shape)
        if not rank:
            return self
        return Number(self.emit, self.emit.reduce("stablehlo.or", self.value, False, range(rank), ArrayType((), _BOOL)))

    def __neg__(self):
        return self.apply("stablehlo.negate")

    def __abs__(self):
        return self.apply("stablehlo.abs")

    def __invert__(self):
        return self.apply("stablehlo.not")


def _operator(op):
    def apply(self, other):
        return self.apply(op, other) if isinstance(other, (Number, int, float)) else NotImplemented

    def reflected(self, other):
        return self.like(other).apply(op, self) if isinstance(other, (int, float)) else NotImplemented
    return apply, reflected


for _name, _op in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "and": "and", "or": "or",
                   "xor": "xor", "lshift": "shift_left", "pow": "power"}.items():
    _direct, _reflected = _operator(f"stablehlo.{_op}")
    setattr(Number, f"__{_name}__", _direct)
    setattr(Number, f"__r{_name}__", _reflected)

for _name in ("lt", "le", "gt", "ge"):
    setattr(Number, f"__{_name}__", lambda self, other, direction=_name.upper(): self.compare(direction, other))


def equals(x, y):
    return x.compare("EQ", y)


def where(condition, yes, no):
    """`yes` where the condition holds, else `no`; at most one of the two is a Python number."""
    yes, no = (no.like(yes), no) if isinstance(no, Number) else (yes, yes.like(no))
    return Number(yes.emit, yes.emit.select(condition.value, yes.value, no.value))


def _function(op):
    return lambda x: x.apply(op)


exp, log, sqrt, rsqrt, floor, sin, cos, expm1 = map(_function, (
    "stablehlo.exponential", "stablehlo.log", "stablehlo.sqrt", "stablehlo.rsqrt", "stablehlo.floor", "stablehlo.sine", "stablehlo.cosine",
    "stablehlo.exponential_minus_one"))
round_to_even, lgamma, digamma, erf = map(_function, (
    "stablehlo.round_nearest_even", "chlo.lgamma", "chlo.digamma", "chlo.erf"))


def log1p(x):
    """log(1 + x). XLA's has lost digits in float64 (20 units of the last place); there the rounding of 1 + x is made good by a ratio."""
    if x.dtype.itemsize < 8 or x.dtype.kind == "c":
        return x.apply("stablehlo.log_plus_one")
    above = x + 1.0
    moved = above * 0.5 - 0.5       # half of what was added to 1; the compiler would take (x + 1) - 1 for x
    exact = equals(moved, x * 0.5)
    ratio = where(exact, 1.0, x * 0.5 / where(equals(moved, 0), 1.0, moved))
    return where(equals(moved, 0), x, log(above) * ratio)


def sinh(x):
    size, square, half = abs(x), x * x, half_exp(abs(x))
    # below 1 the power series, until its terms are below the rounding of the first
    terms = itertools.accumulate(range(2, 24, 2), lambda term, n: term / (n * (n + 1)), initial=1.0)
    series = polynomial([term for term in terms if term > 0.1 * float(finfo(x.dtype).eps)][1:], square)
    return where(size < 1.0, x + x * (square * series), (half - 0.25 / half) * x.apply("stablehlo.sign"))


def cosh(x):
    half = half_exp(abs(x))
    return half + 0.25 / half


def half_exp(x):
    """exp(x) / 2, which is finite where exp(x) is not yet, in two factors: half their exponents is exact, where x - log(2) is not."""
    root = exp(x * 0.5)
    return root * 0.5 * root


def erfc(x):
    """1 - erf(x). XLA's has the factor exp(-x²) of a square that was rounded, which is made good here."""
    found, large = x.apply("chlo.erfc"), (x > 1.0) & (x < 30.0)
    head = floor(x * 16.0) * 0.0625
    square = where(large, x * x, 0.0)           # chosen, so that the compiler does not make one operation of it and the difference below
    away = (x - head) * (x + head) - (square - head * head)
    return where(large, found - found * away, found)


def shift_right(x, n):
    """x shifted right; signed integers keep their sign."""
    return x.apply("stablehlo.shift_right_arithmetic" if x.dtype.kind == "i" else "stablehlo.shift_right_logical", n)


def polynomial(coefficients, x):
    """The polynomial in x with these coefficients, that of the lowest power first. Terms are combined in pairs, so that few
    operations wait for others."""
    terms = list(coefficients)
    while len(terms) > 1:
        left_over = terms[-1:] if len(terms) % 2 else []
        terms = [x * b + a for a, b in zip(terms[::2], terms[1::2])] + left_over
        x = x * x
    return terms[0]


def while_loop(condition, body, carry):
    """`carry`, a tuple of Numbers, through `body` as long as `condition` gives a true scalar."""
    emit = carry[0].emit

    def numbers(values):
        return [Number(emit, v) for v in values]

    out = emit.while_loop([c.value for c in carry], lambda *values: condition(*numbers(values)).value,
                          lambda *values: [y.value for y in body(*numbers(values))])
    return tuple(numbers(out))


def written(function):
    """A `lower` rule from a function on Numbers. Floats of fewer than 32 bits are computed in float32."""
    def lower(self, emit, *xs):
        numbers = [Number(emit, x) for x in emit.aligned(xs)]
        dtype = numbers[0].dtype
        if dtype.itemsize < 4 and dtype.kind in "fV":
            return function(self, *[x.convert("float32") for x in numbers]).convert(dtype).value
        return function(self, *numbers).value
    return lower
