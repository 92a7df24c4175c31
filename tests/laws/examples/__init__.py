"""Examples of ops for the laws: an op, the types of its operands, and which numbers to try it on.

A file here is a family of ops and lists its `EXAMPLES`; `examples()` gathers them all.
"""
import importlib
import pkgutil
import re

import numpy as np

from gnomon.types.dtype import (finfo, is_bool, is_complex, is_float, is_inexact, is_key, is_unsigned, parse_short_name,
                                real_dtype)
from gnomon.types.value_type import ArrayType

LAWS = ("type", "host", "eager", "sharded", "jvp", "second", "transpose", "over_reverse", "dtypes", "vmap")


def parse_type(text):
    """`f32[3,4]`, `key<fry>[2]`; a star behind it says weak.

    >>> parse_type("f32[]*")
    ShapedArray(float32[], weak_type=True)
    """
    found = re.fullmatch(r"([^\[\]]+)\[([\d,]*)\](\*?)", text)
    if not found:
        raise ValueError(f"{text!r} is not a type such as 'f32[3,4]'.")
    dtype, sizes, weak = found.groups()
    return ArrayType(tuple(int(n) for n in sizes.split(",") if n), parse_short_name(dtype), bool(weak))


class Example:
    """An op and the types of its operands. See `example` for the options."""

    def __init__(self, op, types, low, high, integers_in, make, moving, directions, native, rtol, atol, without):
        self.op, self.types = op, types
        self.low, self.high, self.integers_in, self.make = low, high, integers_in, make
        self.directions, self.native, self.rtol, self.atol, self.without = directions, native, rtol, atol, without
        inexact = tuple(i for i, t in enumerate(types) if is_inexact(t.dtype))
        self.moving = inexact if moving is None else moving
        self.first = True

    def __str__(self):
        return f"{self.op!r} {' '.join(t.short() for t in self.types)}".rstrip()

    def draw(self, rng, i, t=None):
        """Numbers for operand `i`, of its own type or of another type `t` of the same shape."""
        t = self.types[i] if t is None else t
        if i in self.make:
            return np.asarray(self.make[i](rng, t.shape, t.dtype)).astype(t.dtype).reshape(t.shape)
        return draw(rng, t, of(self.low, i), of(self.high, i), of(self.integers_in, i))

    def direction(self, rng, i, t):
        """A tangent for operand `i`."""
        v = draw(rng, t, -1, 1, None)
        return self.directions[i](v) if i in self.directions else v


def of(option, i):
    """What an option says of operand `i`: a dict holds one value per operand, anything else is for all."""
    return option.get(i) if isinstance(option, dict) else option


def draw(rng, t, low, high, integers_in):
    """Random numbers of a type: floats between `low` and `high`, integers in [a, b) = `integers_in`."""
    low, high = -2.0 if low is None else low, 2.0 if high is None else high
    if is_key(t.dtype):
        return rng.integers(0, 2**32, t.shape + t.dtype.key_shape, np.uint32)
    if is_bool(t.dtype):
        return rng.integers(0, 2, t.shape).astype(bool)
    if is_complex(t.dtype):
        return (rng.uniform(low, high, t.shape) + 1j * rng.uniform(low, high, t.shape)).astype(t.dtype)
    if is_float(t.dtype):
        return rng.uniform(low, high, t.shape).astype(t.dtype)
    first, last = integers_in or ((0, 7) if is_unsigned(t.dtype) else (-5, 6))
    return rng.integers(first, last, t.shape).astype(t.dtype)


def example(op, *types, low=-2.0, high=2.0, integers_in=None, make=None, differentiable=True, moving=None,
            directions=None, native=False, rtol=None, atol=None, without=None):
    """An op instance and its operands' types, as text.

    low, high        floats and both parts of complex numbers are drawn between these; a dict gives one an operand
    integers_in      integers are drawn from range(a, b); a dict gives one pair for each operand
    make             {operand: function of (rng, shape, dtype) -> array} where the numbers must be special
    differentiable   False leaves out the laws of derivatives
    moving           the operands to differentiate in; default: all floats
    directions       {operand: function of a random tangent -> tangent} where tangents must be special
    native           derivatives are tried in the dtypes given; default: in float64 and complex128
    rtol, atol       tolerances of the laws of derivatives
    without          {law: why it does not hold}; laws are named in LAWS
    """
    without = dict(without or {})
    if not differentiable:
        without |= dict.fromkeys(("jvp", "second", "transpose", "over_reverse"), "not differentiable here")
    unknown = set(without) - set(LAWS)
    if unknown or not all(isinstance(why, str) and why for why in without.values()):
        raise ValueError(f"`without` maps a law, one of {LAWS}, to the reason; got {without}.")
    return Example(op, tuple(map(parse_type, types)), low, high, integers_in, make or {}, moving, directions or {},
                   native, rtol, atol, without)


def examples():
    """All examples of all families, in a fixed order. `first` says which is the first of its op class and rank."""
    found, seen = [], set()
    for module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
        found += importlib.import_module(f"{__name__}.{module}").EXAMPLES
    for e in found:
        kind = type(e.op), tuple(t.ndim for t in e.types)
        e.first = kind not in seen
        seen.add(kind)
    return found


def tolerance(dtype):
    """How far two ways to compute the same thing may be apart, relative to its size."""
    if not is_inexact(dtype):
        return 0
    return 64 * float(finfo(real_dtype(dtype)).eps)
