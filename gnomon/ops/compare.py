"""Comparisons, logic on booleans and bits, and selection."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.jaxpr import Literal
from gnomon.ir.op import LINEAR, ZERO, is_linear
from gnomon.ops.elementwise import Elementwise, full_scalar
from gnomon.trace.stage import Tracer, bind
from gnomon.types.dtype import is_bool, is_complex, is_integer, is_key

_BOOL = np.dtype(bool)
DISCRETE = Refused("its result does not move with its operands, so it is never part of a linear program")


class Comparison(Elementwise, abstract=True):
    """Base of comparisons: booleans out, no derivative."""

    direction = None
    on_keys = True
    derivative = ZERO
    transpose = DISCRETE

    def out_dtype(self, x, y):
        return _BOOL

    def out_weak(self, x, y):
        return False

    def check(self, *ins):
        super().check(*ins)
        if self.direction not in ("EQ", "NE") and (is_complex(ins[0].dtype) or is_key(ins[0].dtype)):
            raise TypeError(f"{self.name} does not accept dtype {ins[0].dtype}. "
                            "Accepted dtypes are real numbers and booleans.")

    def lower(self, emit, x, y):
        return emit.compare(self.direction, *emit.aligned((x, y)))


def comparison(direction, ufunc, doc):
    """A comparison class, as only its direction differs."""
    body = {"__doc__": doc, "__module__": __name__, "__qualname__": direction.capitalize(), "direction": direction,
            "host": lambda self, x, y: ufunc(x, y)}
    return type(Comparison)(direction.capitalize(), (Comparison,), body)


Eq = comparison("EQ", np.equal, "x == y.")
Ne = comparison("NE", np.not_equal, "x != y.")
Lt = comparison("LT", np.less, "x < y.")
Le = comparison("LE", np.less_equal, "x <= y.")
Gt = comparison("GT", np.greater, "x > y.")
Ge = comparison("GE", np.greater_equal, "x >= y.")


class TotalOrder(Comparison, abstract=True):
    """Base of comparisons in the total order of floats: -NaN < -inf < ... < -0 < 0 < ... < inf < NaN."""

    def lower(self, emit, x, y):
        return emit.compare(self.direction, *emit.aligned((x, y)), total_order=True)


class EqTo(TotalOrder):
    """Whether x and y stand at one place of the total order."""

    direction = "EQ"


class LeTo(TotalOrder):
    """Whether x does not stand behind y in the total order."""

    direction = "LE"


class LtTo(TotalOrder):
    """Whether x stands before y in the total order."""

    direction = "LT"


def is_bits(dtype):
    return is_bool(dtype) or is_integer(dtype)


class Bitwise(Elementwise, abstract=True):
    """Base of logical ops on booleans and bitwise ops on integers."""

    accepts, accepts_text = staticmethod(is_bits), "booleans and integers"
    derivative = ZERO
    transpose = DISCRETE


class And(Bitwise):
    """x & y."""

    hlo = "stablehlo.and"

    def host(self, x, y):
        return np.bitwise_and(x, y)


class Or(Bitwise):
    """x | y."""

    hlo = "stablehlo.or"

    def host(self, x, y):
        return np.bitwise_or(x, y)


class Xor(Bitwise):
    """x ^ y."""

    hlo = "stablehlo.xor"

    def host(self, x, y):
        return np.bitwise_xor(x, y)


class Not(Bitwise):
    """~x."""

    hlo = "stablehlo.not"

    def host(self, x):
        return np.invert(x)


class OfIntegers(Bitwise, abstract=True):
    """Base of ops on the bits of integers."""

    accepts, accepts_text = staticmethod(is_integer), "integers"


class ShiftLeft(OfIntegers):
    """x << y; 0 where y is not in [0, bits of x)."""

    hlo = "stablehlo.shift_left"


class ShiftRightLogical(OfIntegers):
    """x >> y with zeros moving in; 0 where y is not in [0, bits of x)."""

    hlo = "stablehlo.shift_right_logical"


class ShiftRightArithmetic(OfIntegers):
    """x >> y with copies of the sign moving in; nothing but those where y is not in [0, bits of x)."""

    hlo = "stablehlo.shift_right_arithmetic"


def shift_host(ufunc, kind, filler):
    """NumPy's form of a shift of numbers of a kind, signed or unsigned. It says nothing about distances that are too
    large: there, `filler` is the result."""
    def host(self, x, y):
        if x.dtype.kind not in "iu":
            return NotImplemented
        size = x.dtype.itemsize
        x, far = x.view(f"{kind}{size}"), y.view(f"u{size}") >= 8 * size
        return np.where(far, filler(x), ufunc(x, np.where(far, 0, y).astype(x.dtype))).astype(x.dtype).view(y.dtype)
    return host


ShiftLeft.host = shift_host(np.left_shift, "u", np.zeros_like)
ShiftRightLogical.host = shift_host(np.right_shift, "u", np.zeros_like)
ShiftRightArithmetic.host = shift_host(np.right_shift, "i", lambda x: -(x < 0).astype(x.dtype))


class PopulationCount(OfIntegers):
    """The number of ones among the bits of x."""

    hlo = "stablehlo.popcnt"


class Clz(OfIntegers):
    """The number of zeros in front of the first one among the bits of x."""

    hlo = "stablehlo.count_leading_zeros"


class SelectN(Elementwise):
    """Elementwise, the case that `which` numbers: which is boolean (two cases) or int32."""

    derivative = LINEAR

    def out_dtype(self, which, *cases):
        return cases[0].dtype

    def out_weak(self, which, *cases):
        return all([t.weak_type for t in cases])

    def check(self, which, *cases):
        if not (is_bool(which.dtype) or which.dtype == np.int32):
            raise TypeError(f"select_n's first operand must be boolean or int32, got {which}.")
        if is_bool(which.dtype) and len(cases) > 2:
            raise TypeError(f"select_n with a boolean first operand takes at most two cases, got {len(cases)}.")
        super().check(*cases)

    def lower(self, emit, which, *cases):
        if len(cases) == 1:
            return emit.aligned((which, *cases))[1]
        which, *cases = emit.aligned((which, *cases))
        return emit.select_n(which, cases)

    def transpose(self, ct, which, *cases):
        zero = full_scalar(ct, 0)
        return (None, *[select_n(which, *[ct if i == j else zero for j in range(len(cases))]) if is_linear(c) else None
                        for i, c in enumerate(cases)])

    host_warns = False

    def host(self, which, *cases):
        if which.dtype != bool or len(cases) != 2:
            return NotImplemented
        return np.where(which, cases[1], cases[0])


def behind_mask(linear, ct):
    """linear(ct) for a linear function that works on each element alone.

    Where `ct` is chosen between something and zeros, as the cotangent of a lane of `where` is, the function goes inside: in the lane not
    taken it would make NaN of 0 times infinity."""
    eqn = ct.frame.maker(ct.atom) if ct.__class__ is Tracer else None
    if eqn is None or eqn.op is not _select or len(eqn.ins) != 3:
        return linear(ct)
    which, *cases = eqn.ins
    for i, case in enumerate(cases):
        other = cases[1 - i]
        if case.__class__ is Literal and not case.type.shape and not case.value and other.type is ct.type:
            inside = linear(Tracer(other.type, other, ct.frame))
            zero = full_scalar(inside, 0)
            return select_n(Tracer(which.type, which, ct.frame), *[zero if j == i else inside for j in range(2)])
    return linear(ct)


_eq, _ne, _lt, _le, _gt, _ge = Eq(), Ne(), Lt(), Le(), Gt(), Ge()
_and, _or, _xor, _not, _select = And(), Or(), Xor(), Not(), SelectN()
_eq_to, _le_to, _lt_to = EqTo(), LeTo(), LtTo()
_shift_left, _shift_right_logical, _shift_right_arithmetic = ShiftLeft(), ShiftRightLogical(), ShiftRightArithmetic()
_population_count, _clz = PopulationCount(), Clz()


def eq(x, y):
    return bind(_eq, x, y)


def ne(x, y):
    return bind(_ne, x, y)


def lt(x, y):
    return bind(_lt, x, y)


def le(x, y):
    return bind(_le, x, y)


def gt(x, y):
    return bind(_gt, x, y)


def ge(x, y):
    return bind(_ge, x, y)


def bitwise_and(x, y):
    return bind(_and, x, y)


def bitwise_or(x, y):
    return bind(_or, x, y)


def bitwise_xor(x, y):
    return bind(_xor, x, y)


def bitwise_not(x):
    return bind(_not, x)


def eq_to(x, y):
    return bind(_eq_to, x, y)


def le_to(x, y):
    return bind(_le_to, x, y)


def lt_to(x, y):
    return bind(_lt_to, x, y)


def shift_left(x, y):
    return bind(_shift_left, x, y)


def shift_right_logical(x, y):
    return bind(_shift_right_logical, x, y)


def shift_right_arithmetic(x, y):
    return bind(_shift_right_arithmetic, x, y)


def population_count(x):
    return bind(_population_count, x)


def clz(x):
    return bind(_clz, x)


def select_n(which, *cases):
    return bind(_select, which, *cases)
