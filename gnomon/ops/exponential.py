"""Exponentials, logarithms, roots and powers."""
from __future__ import annotations

import math

import numpy as np

from gnomon.ir.op import field
from gnomon.ops import complex_limits
from gnomon.ops.arithmetic import NOT_LINEAR, add, add_any, broadcast_like, div, integer_pow, mul, neg, sub
from gnomon.ops.compare import bitwise_and, eq, select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import Elementwise, full_scalar
from gnomon.ops.longhand import (Number, equals, floor, log as log_longhand,
                                 log1p as log1p_longhand, polynomial, round_to_even, shift_right, where, written)
from gnomon.trace.stage import bind
from gnomon.types.dtype import finfo, is_complex, is_float, is_inexact, is_integer

_FLOAT32 = np.dtype("float32")


class Accuracy:
    """How exact a result has to be: a named mode ("HIGHEST", "DEFAULT"), or tolerances."""

    __slots__ = ("mode", "atol", "rtol", "ulps")
    _interned: dict = {}

    def __new__(cls, mode="TOLERANCE", atol=0.0, rtol=0.0, ulps=0):
        facts = (mode, float(atol), float(rtol), int(ulps))
        self = cls._interned.get(facts)
        if self is None:
            self = cls._interned[facts] = super().__new__(cls)
            self.mode, self.atol, self.rtol, self.ulps = facts
        return self

    def __reduce__(self):
        return Accuracy, (self.mode, self.atol, self.rtol, self.ulps)

    def __repr__(self):
        if self.mode != "TOLERANCE":
            return f"AccuracyMode.{self.mode}"
        return f"Tolerance(atol={self.atol}, rtol={self.rtol}, ulps={self.ulps})"

    @staticmethod
    def from_text(text):
        """The accuracy that prints so."""
        if text.startswith("AccuracyMode."):
            return Accuracy(text.removeprefix("AccuracyMode."))
        facts = dict(fact.split("=") for fact in text.removeprefix("Tolerance(").removesuffix(")").split(", "))
        return Accuracy("TOLERANCE", **{name: float(fact) for name, fact in facts.items()})

    def attribute(self):
        """The attribute of a StableHLO op that asks for it."""
        numbers = ""
        if self.mode == "TOLERANCE":
            numbers = f"atol = {self.atol:e}, rtol = {self.rtol:e}, ulps = {self.ulps}, "
        return ("{result_accuracy = #stablehlo.result_accuracy<"
                f"{numbers}mode = #stablehlo.result_accuracy_mode<{self.mode}>>}}")


class Function(Elementwise, abstract=True):
    """Base of the functions of a real or complex number."""

    accepts, accepts_text = staticmethod(is_inexact), "floats and complex numbers"
    transpose = NOT_LINEAR
    of_complex = None       # what of complex_limits makes the function of complex numbers from `plain`

    def lower(self, emit, *xs):
        if self.of_complex is None or not is_complex(xs[0].type.dtype):
            return self.plain(emit, *xs)
        return self.of_complex(lambda z: Number(emit, self.plain(emit, z.value)), Number(emit, *xs)).value

    def plain(self, emit, *xs):
        """The operation, as it is right for floats."""
        return super().lower(emit, *xs)


class Accurate(Function, abstract=True):
    """Base of those whose accuracy can be asked for."""

    accuracy: Accuracy | None = field(None, show="nondefault")

    def plain(self, emit, x):
        accuracy = "" if self.accuracy is None else f" {self.accuracy.attribute()}"
        return emit.elementwise(self.hlo, [x], attributes=accuracy)


# ---- exponentials -----------------------------------------------------------------------------------------------

class Exp(Accurate):
    """e to the power x."""

    of_complex = staticmethod(complex_limits.exp)
    hlo = "stablehlo.exponential"
    derivative = (lambda out, x: out,)


class Exp2(Accurate):
    """2 to the power x, exact where x is an integer."""

    of_complex = staticmethod(complex_limits.exp2)
    derivative = (lambda out, x: mul(out, full_scalar(x, math.log(2))),)

    @written
    def plain(self, x):
        return 2.0 ** x


class Expm1(Accurate):
    """exp(x) - 1, to full precision where x is near 0."""

    of_complex = staticmethod(complex_limits.expm1)
    hlo = "stablehlo.exponential_minus_one"
    derivative = (lambda out, x: exp(x),)


class Logistic(Accurate):
    """1 / (1 + exp(-x))."""

    hlo = "stablehlo.logistic"
    # out (1 - out), where 1 - out keeps its digits when out is near 1
    derivative = (lambda out, x: mul(out, logistic(neg(x))),)


# ---- logarithms -------------------------------------------------------------------------------------------------

class Log(Accurate):
    """The natural logarithm; of complex numbers, with an imaginary part in (-pi, pi]."""

    of_complex = staticmethod(complex_limits.log)
    hlo = "stablehlo.log"

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        return bind(self, x), div(t, x)


class Log1p(Accurate):
    """log(1 + x), to full precision where x is near 0."""

    of_complex = staticmethod(complex_limits.log)
    hlo = "stablehlo.log_plus_one"

    def plain(self, emit, x):
        return super().plain(emit, x) if self.accuracy is not None else log1p_longhand(Number(emit, x)).value

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        return bind(self, x), div(t, add(x, full_scalar(x, 1)))


class Log2(Accurate):
    """The logarithm with base 2, exact for powers of 2."""

    of_complex = staticmethod(complex_limits.log2)
    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        return bind(self, x), div(mul(t, full_scalar(x, 1 / math.log(2))), x)       # x log(2) may underflow

    @written
    def plain(self, x):
        found = log_longhand(x) * (1 / math.log(2))
        mantissa = x.bits_as(f"uint{8 * x.dtype.itemsize}") & (2**int(finfo(x.dtype).nmant) - 1)
        return where(equals(mantissa, 0), round_to_even(found), found)


# ---- roots ------------------------------------------------------------------------------------------------------

class Sqrt(Accurate):
    """The square root."""

    of_complex = staticmethod(complex_limits.sqrt)
    hlo = "stablehlo.sqrt"
    derivative = (lambda out, x: div(full_scalar(x, 0.5), out),)

    def host(self, x):
        return np.sqrt(x) if x.dtype.kind == "f" else NotImplemented


class Rsqrt(Accurate):
    """1 / sqrt(x)."""

    of_complex = staticmethod(complex_limits.rsqrt)
    hlo = "stablehlo.rsqrt"
    derivative = (lambda out, x: mul(full_scalar(x, -0.5), div(out, x)),)


class Cbrt(Accurate):
    """The real cube root."""

    hlo, accepts, accepts_text = "stablehlo.cbrt", staticmethod(is_float), "floats"
    derivative = (lambda out, x: mul(full_scalar(x, 1 / 3), integer_pow(out, -2)),)


# ---- powers -----------------------------------------------------------------------------------------------------

class Pow(Function):
    """x to the power y; y may also be an integer."""

    def check(self, x, y):
        if not is_inexact(x.dtype):
            raise TypeError(f"pow does not accept dtype {x.dtype} as its base. Accepted dtypes are "
                            f"{self.accepts_text}. For a power that is a Python integer, use integer_pow.")
        if y.dtype != x.dtype and not is_integer(y.dtype):
            raise TypeError(f"pow takes two operands of one dtype, or an integer power, got {x.dtype} and {y.dtype}.")

    def out_weak(self, x, y):
        return x.weak_type and (y.weak_type or is_integer(y.dtype))

    def derivative(self, args, tangents):
        (x, y), (tx, ty) = args, tangents
        out, total = bind(self, x, y), None
        zero, one = full_scalar(x, 0), full_scalar(x, 1)
        if tx is not None:
            if is_integer(y.type.dtype):
                still = eq(y, full_scalar(y, 0))            # x ** 0 is constant, at x = 0 too
                lower = select_n(still, sub(y, full_scalar(y, 1)), y)
                factor = mul(convert_element_type(y, x.type.dtype), pow(x, lower))
            else:
                still = bitwise_and(eq(x, zero), eq(y, zero))
                factor = mul(y, pow(select_n(still, x, one), sub(y, one)))
            total = mul(tx, factor)
        if ty is not None:
            # 0 ** y is constant in y, though log(0) is not finite
            term = mul(ty, mul(out, log(select_n(eq(x, zero), x, one))))
            total = term if total is None else add_any(total, term)
        return out, broadcast_like(total, out)

    def lower(self, emit, x, y):
        """XLA's CPU calls a function for each number, unless the power is the same for all. On one CPU device many
        float32 numbers are computed side by side instead."""
        t = y.type
        x, y = emit.aligned((x, emit.convert(y, x.type.dtype)))
        if emit.one_cpu and x.type.dtype == _FLOAT32 and t.shape == x.type.shape and t.size >= 2 ** 14:
            return float_power(Number(emit, x), Number(emit, y)).value
        return emit.elementwise("stablehlo.power", [x, y])


def float_power(x, y):
    """x to the power y, computed as 2 to the power y log2(x) in float64, so that it is right but for the rounding to
    float32."""
    size, whole, half = abs(x), equals(floor(y), y), y * 0.5
    log = where(equals(size, 0), -math.inf, where(size < math.inf, log2_polynomial(size), size.convert("float64")))
    product = y.convert("float64") * log
    product = where(product > 200.0, 200.0, where(product < -200.0, -200.0, product))     # NaN stays
    found = exp2_polynomial(product).convert(_FLOAT32)
    odd = whole & ~equals(floor(half), half)
    found = where((x < 0.0) & ~whole & (size < math.inf), math.nan, found)
    found = where((x.bits_as("int32") < 0) & odd, -found, found)
    return where(equals(y, 0) | equals(x, 1) | equals(x, -1) & equals(abs(y), math.inf), 1.0, found)


def log2_polynomial(x):
    """The logarithm of positive float32 numbers in float64, to 11 digits. Without a division: XLA would not compute it in the
    same loop as what is made of it."""
    bits = x.bits_as("int32")
    exponent = shift_right(bits - SQRT_HALF_BITS, 23)
    above_one = (bits - (exponent << 23)).bits_as("float32").convert("float64") - 1.0
    return exponent.convert("float64") + above_one * polynomial(LOG2, above_one)


def exp2_polynomial(x):
    """2 to a power between -200 and 200 in float64, to 10 digits."""
    whole = (x + LAST_BIT_ONE).bits_as("int64")         # the nearest integer, in the last bits
    return polynomial(POWERS_OF_TWO, x - round_to_even(x)) * ((whole + 1023) << 52).bits_as("float64")


SQRT_HALF_BITS = 0x3f3504f3
# log2(1 + t) / t for 1 + t between sqrt(1/2) and sqrt(2), fitted at the nodes of Chebyshev
LOG2 = (1.4426950408862032, -0.7213475203430442, 0.4808983490730443, -0.3606737897795611, 0.2885387623123435,
        -0.24044662626194338, 0.20610869546079022, -0.1804326983595901, 0.1601822717386027, -0.14252326049211714,
        0.13062865538317786, -0.13478981673002527, 0.13113889939486278, -0.06806366817764573)
LAST_BIT_ONE = 1.5 * 2.0 ** 52      # at this size float64 numbers are 1 apart
POWERS_OF_TWO = tuple([math.log(2) ** k / math.factorial(k) for k in range(9)])


# ---- functions on values ----------------------------------------------------------------------------------------

def function(cls):
    """The function on a value that binds an op of this class."""
    op = cls()

    def apply(x):
        return bind(op, x)

    apply.__name__ = apply.__qualname__ = cls.name
    apply.__doc__ = cls.__doc__
    return apply


exp, exp2, expm1, logistic = map(function, (Exp, Exp2, Expm1, Logistic))
log, log1p, log2 = map(function, (Log, Log1p, Log2))
sqrt, rsqrt, cbrt = map(function, (Sqrt, Rsqrt, Cbrt))

_pow = Pow()


def pow(x, y):
    return bind(_pow, x, y)
