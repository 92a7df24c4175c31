"""Arithmetic: sums, products, quotients and remainders, integer powers, extrema, signs, rounding."""
from __future__ import annotations

import enum

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.op import LINEAR, MULTILINEAR, ZERO, field, is_linear
from gnomon.ops import complex_limits
from gnomon.ops.compare import behind_mask, bitwise_and, bitwise_or, eq, gt, lt, select_n
from gnomon.ops.complex_parts import complex, conj, imag, real
from gnomon.ops.elementwise import Elementwise, full_scalar, unbroadcast  # noqa: F401 - transforms take it from here
from gnomon.ops.longhand import Number, shift_right, written
from gnomon.ops.shape import broadcast_in_dim
from gnomon.trace.stage import bind
from gnomon.types.dtype import (iinfo, is_bool, is_complex, is_float, is_inexact, is_integer, is_key, is_signed,
                                is_unsigned, real_dtype)
from gnomon.types.value_type import ArrayType

NOT_LINEAR = Refused("it is not linear, so it can only be differentiated forward first (grad and vjp do that)")


def is_number(dtype):
    return not (is_bool(dtype) or is_key(dtype))


def is_real_number(dtype):
    return is_integer(dtype) or is_float(dtype)


def has_order(dtype):
    return not (is_complex(dtype) or is_key(dtype))


def broadcast_like(x, like):
    """`x`, elementwise-compatible with `like`, repeated to its shape."""
    t, shape = x.type, like.type.shape
    if t.shape == shape:
        return x
    to = tuple(range(len(shape))) if t.shape else ()
    return broadcast_in_dim(x, shape, to)


# ---- the four operations ----------------------------------------------------------------------------------------

class Add(Elementwise):
    """x + y."""

    hlo, accepts, accepts_text = "stablehlo.add", staticmethod(is_number), "numbers"

    def derivative(self, args, tangents):
        out = bind(self, *args)
        tx, ty = tangents
        if tx is None or ty is None:
            return out, broadcast_like(ty if tx is None else tx, out)
        return out, bind(self, tx, ty)

    def transpose(self, ct, x, y):
        return ct, ct

    def host(self, x, y):
        return np.add(x, y)


class AddAny(Add):
    """x + y, where a transform adds tangents or cotangents."""

    def transpose(self, ct, x, y):
        return ct, ct


class Sub(Elementwise):
    """x - y."""

    hlo, accepts, accepts_text = "stablehlo.subtract", staticmethod(is_number), "numbers"

    def derivative(self, args, tangents):
        out = bind(self, *args)
        tx, ty = tangents
        if ty is None:
            return out, broadcast_like(tx, out)
        if tx is None:
            return out, broadcast_like(neg(ty), out)
        return out, bind(self, tx, ty)

    def transpose(self, ct, x, y):
        return (ct if is_linear(x) else None), (neg(ct) if is_linear(y) else None)

    def host(self, x, y):
        return np.subtract(x, y)


class Mul(Elementwise):
    """x * y."""

    hlo, accepts, accepts_text = "stablehlo.multiply", staticmethod(is_number), "numbers"
    derivative = MULTILINEAR

    def transpose(self, ct, x, y):
        if is_linear(x):
            return behind_mask(lambda ct: mul(ct, y), ct), None
        return None, behind_mask(lambda ct: mul(x, ct), ct)

    def host(self, x, y):
        return NotImplemented if is_complex(x.dtype) else np.multiply(x, y)


class Neg(Elementwise):
    """-x."""

    hlo, accepts, accepts_text = "stablehlo.negate", staticmethod(is_number), "numbers"
    derivative = LINEAR

    def transpose(self, ct, x):
        return behind_mask(neg, ct),

    def host(self, x):
        return np.negative(x)


class Div(Elementwise):
    """x / y; integers round toward zero."""

    hlo, accepts, accepts_text = "stablehlo.divide", staticmethod(is_number), "numbers"

    def derivative(self, args, tangents):
        x, y = args
        tx, ty = tangents
        out = bind(self, x, y)
        total = None
        if tx is not None:
            total = div(tx, y)
        if ty is not None:
            term = mul(ty, neg(div(out, y)))
            total = term if total is None else add_any(total, term)
        return out, broadcast_like(total, out)

    def transpose(self, ct, x, y):
        if is_linear(y):
            raise Refused("div cannot be transposed with respect to its denominator: " + NOT_LINEAR.why)
        return behind_mask(lambda ct: div(ct, y), ct), None

    def host(self, x, y):
        if x.dtype.kind != "f":
            return NotImplemented
        if x.shape == y.shape or not x.ndim:
            return np.divide(x, y)
        # XLA multiplies by the reciprocal of a divisor that it has to repeat
        return np.multiply(x, np.divide(x.dtype.type(1), y)) if not y.ndim else NotImplemented


class Rem(Elementwise):
    """The remainder of x / y with the sign of x; the quotient is rounded toward zero."""

    hlo, accepts, accepts_text = "stablehlo.remainder", staticmethod(is_real_number), "integers and floats"
    # the quotient that was taken off, from what is left: x / y itself may round to the next integer
    derivative = (lambda out, x, y: full_scalar(out, 1), lambda out, x, y: neg(round_to_even(div(sub(x, out), y))))
    transpose = NOT_LINEAR

    def host(self, x, y):
        return np.fmod(x, y) if x.dtype.kind == "f" else NotImplemented


class MulHi(Elementwise):
    """The upper half of the bits of the product of two integers."""

    name = "mulhi"
    accepts, accepts_text = staticmethod(is_integer), "integers"
    derivative = ZERO
    transpose = Refused("integers have no tangents")

    @written
    def lower(self, x, y):
        narrow, wide = x.dtype, "uint64" if is_unsigned(x.dtype) else "int64"
        bits = iinfo(narrow).bits
        if bits < 64:
            return shift_right(x.convert(wide) * y.convert(wide), bits).convert(narrow)
        # schoolbook multiplication with digits of 32 bits, the upper ones signed
        low = 2**32 - 1
        (x1, x0), (y1, y0) = (shift_right(x, 32), x & low), (shift_right(y, 32), y & low)
        carry = x1 * y0 + (x0 * y0).apply("stablehlo.shift_right_logical", 32)
        return x1 * y1 + shift_right(carry, 32) + shift_right(x0 * y1 + (carry & low), 32)


# ---- integer powers ---------------------------------------------------------------------------------------------

class IntegerPow(Elementwise):
    """x to the power `y`, a Python integer."""

    y: int

    accepts, accepts_text = staticmethod(is_number), "numbers"
    transpose = NOT_LINEAR

    def check(self, x):
        super().check(x)
        if self.y < 0 and is_integer(x.dtype):
            raise TypeError(f"Integers cannot be raised to negative powers, got integer_pow({x}, {self.y}).")

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        out = bind(self, x)
        if self.y == 0:
            return out, None
        factor = full_scalar(x, self.y)
        if self.y != 1:
            factor = mul(factor, integer_pow(x, self.y - 1))
        return out, mul(t, factor)

    def lower(self, emit, x):
        return emit.integer_pow(x, self.y)

    def host(self, x):
        return np.square(x) if self.y == 2 and x.dtype.kind in "iuf" else NotImplemented


class Square(Elementwise):
    """x * x."""

    accepts, accepts_text = staticmethod(is_number), "numbers"
    derivative = (lambda out, x: mul(full_scalar(x, 2), x),)
    transpose = NOT_LINEAR

    def lower(self, emit, x):
        return emit.elementwise("stablehlo.multiply", [x, x])

    def host(self, x):
        return np.square(x) if x.dtype.kind in "iuf" else NotImplemented


class OneMinusSquare(Elementwise):
    """1 - x * x, exact to rounding where x is near 1 or -1."""

    accepts, accepts_text = staticmethod(is_number), "numbers"
    derivative = (lambda out, x: mul(full_scalar(x, -2), x),)
    transpose = NOT_LINEAR

    def lower(self, emit, x):
        one = emit.constant_like(x, 1)
        return emit.elementwise("stablehlo.multiply", [emit.elementwise("stablehlo.subtract", [one, x]),
                                                       emit.elementwise("stablehlo.add", [one, x])])


class Polynomial(Elementwise):
    """coeffs[0] + coeffs[1] x + coeffs[2] x^2 + ..., by Horner's rule; the operands are x and the coefficients."""

    unroll: object = field(None, show="nondefault")

    accepts, accepts_text = staticmethod(is_number), "numbers"

    def check(self, x, *coeffs):
        if not coeffs:
            raise TypeError("polynomial needs at least one coefficient.")
        super().check(x, *coeffs)

    def derivative(self, args, tangents):
        (x, *coeffs), (t, *moved) = args, tangents
        out, total = bind(self, x, *coeffs), None
        if t is not None and len(coeffs) > 1:
            slopes = [mul(c, full_scalar(c, k)) for k, c in enumerate(coeffs)][1:]
            total = mul(t, bind(self, x, *slopes))
        if any(m is not None for m in moved):
            term = bind(self, x, *[full_scalar(c, 0) if m is None else m for c, m in zip(coeffs, moved)])
            total = term if total is None else add_any(total, term)
        return out, total if total is None else broadcast_like(total, out)

    def transpose(self, ct, x, *coeffs):
        """In the coefficients, of which the result is a linear combination."""
        if is_linear(x):
            raise Refused("polynomial cannot be transposed with respect to its argument: " + NOT_LINEAR.why)
        powers = [ct]
        for _ in coeffs[1:]:
            powers.append(mul(powers[-1], x))
        return (None, *[p if is_linear(c) else None for p, c in zip(powers, coeffs)])

    def lower(self, emit, x, *coeffs):
        x, *coeffs = emit.aligned((x, *coeffs))
        out = coeffs[-1]
        for c in coeffs[-2::-1]:
            out = emit.elementwise("stablehlo.add", [c, emit.elementwise("stablehlo.multiply", [x, out])])
        return out


# ---- extrema ----------------------------------------------------------------------------------------------------

def share(wins, x, y):
    """How much of the result an operand of max or min is: 1 where it wins, 1/2 in a tie, 0 elsewhere."""
    half = select_n(eq(x, y), full_scalar(x, 0), full_scalar(x, 0.5))
    return select_n(wins, half, full_scalar(x, 1))


def ordered(x, y):
    """Where x < y; complex numbers are compared by their real parts, then by their imaginary parts."""
    if not is_complex(x.type.dtype):
        return lt(x, y)
    same = bitwise_and(eq(real(x), real(y)), lt(imag(x), imag(y)))
    return bitwise_or(lt(real(x), real(y)), same)


class Extremum(Elementwise, abstract=True):
    """Base of max and min."""

    accepts, accepts_text = staticmethod(lambda dtype: not is_key(dtype)), "numbers and booleans"
    transpose = NOT_LINEAR
    direction = None            # how x compares with y where x is the result

    def lower(self, emit, x, y):
        x, y = emit.aligned((x, y))
        if not is_complex(x.type.dtype):
            return emit.elementwise(self.hlo, [x, y])
        part = ArrayType(x.type.shape, real_dtype(x.type.dtype))
        (a, c), (b, d) = [[emit(f"stablehlo.{which}", [z], out=part) for z in (x, y)] for which in ("real", "imag")]
        first = emit.select(emit.compare("EQ", a, c), emit.compare(self.direction, b, d),
                            emit.compare(self.direction, a, c))
        return emit.select(first, x, y)


class Max(Extremum):
    """The larger of x and y; NaN where either is."""

    hlo, direction = "stablehlo.maximum", "GT"
    derivative = (lambda out, x, y: share(ordered(y, x), x, y), lambda out, x, y: share(ordered(x, y), x, y))

    def host(self, x, y):
        return np.maximum(x, y) if x.dtype.kind in "iu" else NotImplemented


class Min(Extremum):
    """The smaller of x and y; NaN where either is."""

    hlo, direction = "stablehlo.minimum", "LT"
    derivative = (lambda out, x, y: share(ordered(x, y), x, y), lambda out, x, y: share(ordered(y, x), x, y))

    def host(self, x, y):
        return np.minimum(x, y) if x.dtype.kind in "iu" else NotImplemented


class Clamp(Elementwise):
    """x held between `min` and `max`: minimum(maximum(x, min), max)."""

    hlo, accepts, accepts_text = "stablehlo.clamp", staticmethod(has_order), "integers, floats and booleans"
    transpose = NOT_LINEAR
    derivative = (
        lambda out, low, x, high: mul(share(gt(low, x), low, x), Clamp.below(low, x, high)),
        lambda out, low, x, high: mul(share(gt(x, low), x, low), Clamp.below(low, x, high)),
        lambda out, low, x, high: share(lt(high, maximum(x, low)), high, maximum(x, low)),
    )

    @staticmethod
    def below(low, x, high):
        """The share of what the upper end is compared with."""
        raised = maximum(x, low)
        return share(lt(raised, high), raised, high)

    def host(self, low, x, high):
        return np.minimum(np.maximum(x, low), high) if x.dtype.kind in "iu" else NotImplemented


class Nextafter(Elementwise):
    """The next number after x in the direction of y."""

    hlo, accepts, accepts_text = "chlo.next_after", staticmethod(is_float), "floats"
    transpose = NOT_LINEAR

    def derivative(self, args, tangents):
        """The step stays the same within a power of two, so the result moves as x does; y says the direction alone."""
        out = bind(self, *args)
        return out, None if tangents[0] is None else broadcast_like(tangents[0], out)


# ---- signs and rounding -----------------------------------------------------------------------------------------

class Sign(Elementwise):
    """-1, 0 or 1 by the sign of x (x / |x| for complex x); NaN stays NaN."""

    hlo, accepts, accepts_text = "stablehlo.sign", staticmethod(is_number), "numbers"
    transpose = NOT_LINEAR

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        out = bind(self, x)
        if not is_complex(x.type.dtype):
            return out, None
        along = real(mul(conj(out), t))     # what changes the modulus does not turn the direction
        across = sub(t, mul(out, complex(along, full_scalar(along, 0))))
        modulus = absolute(x)
        modulus = select_n(eq(modulus, full_scalar(modulus, 0)), modulus, full_scalar(modulus, 1))
        return out, div(across, complex(modulus, full_scalar(modulus, 0)))

    def lower(self, emit, x):
        if emit.out.dtype.kind == "u":
            zero, one = emit.constant_like(x, 0), emit.constant_like(x, 1)
            return emit.select(emit.compare("EQ", x, zero), zero, one)
        found = emit.elementwise(self.hlo, [x])
        return complex_limits.sign(Number(emit, x), Number(emit, found)).value if is_complex(x.type.dtype) else found

    def host(self, x):
        return np.sign(x) if x.dtype.kind in "iu" else NotImplemented


class Abs(Elementwise):
    """|x|; the modulus of a complex number. At 0 its derivative is 0, midway between those on either side."""

    hlo, transpose = "stablehlo.abs", NOT_LINEAR
    accepts = staticmethod(lambda dtype: is_signed(dtype) or is_inexact(dtype))
    accepts_text = "signed integers, floats and complex numbers"

    def out_dtype(self, x):
        return real_dtype(x.dtype)

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        if is_complex(x.type.dtype):
            return bind(self, x), real(mul(conj(sign(x)), t))
        return bind(self, x), mul(t, sign(x))

    def lower(self, emit, x):
        found = emit.elementwise(self.hlo, [x])
        return complex_limits.modulus(Number(emit, x), Number(emit, found)).value if is_complex(x.type.dtype) else found

    def host(self, x):
        return np.abs(x)


class Rounding(Elementwise, abstract=True):
    """Base of what rounds floats to integers."""

    accepts, accepts_text = staticmethod(is_float), "floats"
    derivative = ZERO
    transpose = NOT_LINEAR


class Floor(Rounding):
    """The largest integer that is not above x."""

    hlo = "stablehlo.floor"

    def host(self, x):
        return np.floor(x) if x.dtype.kind == "f" else NotImplemented


class Ceil(Rounding):
    """The smallest integer that is not below x."""

    hlo = "stablehlo.ceil"

    def host(self, x):
        return np.ceil(x) if x.dtype.kind == "f" else NotImplemented


class RoundingMethod(enum.IntEnum):
    """Where `round` takes numbers that are midway between two integers."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


class Round(Rounding):
    """The integer nearest to x."""

    rounding_method: RoundingMethod = field(RoundingMethod.AWAY_FROM_ZERO)

    def lower(self, emit, x):
        even = self.rounding_method == RoundingMethod.TO_NEAREST_EVEN
        return emit.elementwise("stablehlo.round_nearest_even" if even else "stablehlo.round_nearest_afz", [x])

    def show_parameter(self, name, value):
        return str(int(value))

    def host(self, x):
        even = self.rounding_method == RoundingMethod.TO_NEAREST_EVEN
        return np.rint(x) if even and x.dtype.kind == "f" else NotImplemented


class IsFinite(Elementwise):
    """Whether x is neither infinite nor NaN."""

    hlo, accepts, accepts_text = "stablehlo.is_finite", staticmethod(is_float), "floats"
    derivative = ZERO
    transpose = Refused("its result does not move with its operand, so it is never part of a linear program")

    def out_dtype(self, x):
        return np.dtype(bool)

    def out_weak(self, x):
        return False

    def host(self, x):
        return np.isfinite(x)


# ---- functions on values ----------------------------------------------------------------------------------------

_add, _add_any, _sub, _mul, _div, _neg, _max, _min = Add(), AddAny(), Sub(), Mul(), Div(), Neg(), Max(), Min()
_rem, _mulhi, _square, _one_minus_square, _clamp = Rem(), MulHi(), Square(), OneMinusSquare(), Clamp()
_nextafter, _sign, _abs, _floor, _ceil, _is_finite = Nextafter(), Sign(), Abs(), Floor(), Ceil(), IsFinite()
_to_even = Round(RoundingMethod.TO_NEAREST_EVEN)


def add(x, y):
    return bind(_add, x, y)


def add_any(x, y):
    return bind(_add_any, x, y)


def sub(x, y):
    return bind(_sub, x, y)


def mul(x, y):
    return bind(_mul, x, y)


def div(x, y):
    return bind(_div, x, y)


def rem(x, y):
    return bind(_rem, x, y)


def mulhi(x, y):
    return bind(_mulhi, x, y)


def neg(x):
    return bind(_neg, x)


def maximum(x, y):
    return bind(_max, x, y)


def minimum(x, y):
    return bind(_min, x, y)


def clamp(low, x, high):
    return bind(_clamp, low, x, high)


def nextafter(x, y):
    return bind(_nextafter, x, y)


def integer_pow(x, y):
    return x if y == 1 else bind(IntegerPow(y), x)


def square(x):
    return bind(_square, x)


def one_minus_square(x):
    return bind(_one_minus_square, x)


def polynomial(x, coeffs, unroll=None):
    return bind(Polynomial(unroll), x, *coeffs)


def sign(x):
    return bind(_sign, x)


def absolute(x):
    return bind(_abs, x)


def floor(x):
    return bind(_floor, x)


def ceil(x):
    return bind(_ceil, x)


def round_to_even(x):
    return bind(_to_even, x)


def is_finite(x):
    return bind(_is_finite, x)
