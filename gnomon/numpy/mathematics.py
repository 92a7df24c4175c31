"""Elementwise functions: arithmetic, powers, exponentials, trigonometry, signs, rounding, complex numbers.

Each is defined by the decorators of gnomon.numpy.elementwise, which promote the arguments: with an op, or with a body
that computes on promoted values. `add` and the others that NumPy gives methods (`np.add.reduce`) are plain functions
here; gnomon.numpy.ufunc_objects wraps them.
"""
from __future__ import annotations

import builtins
import math

import numpy as np

from gnomon.api.control import while_loop
from gnomon.api.custom import custom_jvp
from gnomon.base.errors import Refused
from gnomon.base.late import Late
from gnomon.base.settings import current
from gnomon.ir.jaxpr import Literal
from gnomon.numpy.axes import integer
from gnomon.numpy.composite import composite, remembered
from gnomon.numpy.elementwise import BODY, INTEGERS, NO_BOOLEANS, NUMBERS, REALS, binary, check_shapes, unary
from gnomon.numpy.promote import as_value, operand, to_inexact
from gnomon.ops import arithmetic, complex_parts, exponential, trigonometric
from gnomon.ops.arithmetic import (Abs, Add, Ceil, Div, Floor, IntegerPow, Max, Min, Mul, Neg, Round, RoundingMethod,
                                   Sign, Square, Sub, div, mul, neg, rem, round_to_even, sub)
from gnomon.ops.compare import And, Or, eq, gt, lt, ne, select_n, shift_right_logical
from gnomon.ops.compare import bitwise_and as both
from gnomon.ops.compare import bitwise_or as either
from gnomon.ops.complex_parts import Imag, Real
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar as number
from gnomon.ops.exponential import Cbrt, Exp, Exp2, Expm1, Log, Log1p, Log2, Pow, Sqrt
from gnomon.ops.reductions import reduce_or
from gnomon.ops.shape import StopGradient, broadcast_in_dim, full
from gnomon.ops.trigonometric import Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cos, Cosh, Sin, Sinh, Tan, Tanh
from gnomon.trace.stage import bind, value_of
from gnomon.types.dtype import (bfloat16, canonicalize, iinfo, is_bool, is_complex, is_float, is_inexact, is_integer,
                                is_signed, is_unsigned)
from gnomon.types.value_type import ArrayType

__all__ = ["abs", "absolute", "acos", "acosh", "angle", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2",
           "arctanh", "around", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "conj", "conjugate", "cos",
           "cosh", "deg2rad", "degrees", "divide", "divmod", "exp", "exp2", "expm1", "fabs", "float_power", "floor",
           "floor_divide", "fmax", "fmin", "fmod", "gcd", "heaviside", "hypot", "i0", "imag", "lcm", "log", "log10",
           "log1p", "log2", "mod", "modf", "positive", "pow", "power", "rad2deg", "radians", "real", "reciprocal",
           "remainder", "rint", "round", "sign", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh", "true_divide",
           "trunc"]

_INT64, _FLOAT32 = np.dtype("int64"), np.dtype("float32")
HALF = frozenset([np.dtype("float16"), bfloat16])
special = Late("gnomon.ops.special")


# ---- pieces of bodies -------------------------------------------------------------------------------------------

def where_true(condition, x, y):
    """x where the condition holds, else y; all of one rank, or scalars."""
    return select_n(condition, y, x)


def is_zero(x):
    return eq(x, number(x, 0))


def not_a_number(x):
    return ne(x, x)


def for_booleans(booleans, numbers):
    """One op for booleans, another for numbers."""
    return lambda dtype: booleans if is_bool(dtype) else numbers


def on_parts(function):
    """A function of real numbers, applied to both parts of complex ones."""
    def apply(x):
        if not is_complex(x.type.dtype):
            return function(x)
        return complex_parts.complex(function(complex_parts.real(x)), function(complex_parts.imag(x)))
    return apply


def same_rank(*xs):
    """Values with dimensions of size 1 in front, so that all have one rank; scalars stay."""
    rank = builtins.max([x.type.ndim for x in xs])
    return [x if x.type.ndim in (0, rank) else
            broadcast_in_dim(x, (1,) * (rank - x.type.ndim) + x.type.shape, tuple(range(rank - x.type.ndim, rank)))
            for x in xs]


def equal_types(x, y):
    """Two values of one dtype, both with the type of their sum: repeated and placed like it."""
    nothing = full(arithmetic.add(x, y).type, 0)
    return arithmetic.add(x, nothing), arithmetic.add(y, nothing)


def refuse_out(name, out):
    if out is not None:
        raise Refused(f"{name} takes no 'out' argument: arrays are immutable. Use what it returns.")


# ---- arithmetic -------------------------------------------------------------------------------------------------

@binary(for_booleans(Or(), Add()))
def add(x1, x2, /):
    """The sum x1 + x2; for booleans, x1 or x2.

    >>> import gnomon.numpy as np
    >>> np.add(np.arange(3), 1)
    Array([1, 2, 3], dtype=int32)
    """


@binary(Sub(), kinds=NO_BOOLEANS)
def subtract(x1, x2, /):
    """The difference x1 - x2.

    >>> import gnomon.numpy as np
    >>> np.subtract(np.arange(3), 1)
    Array([-1,  0,  1], dtype=int32)
    """


@binary(for_booleans(And(), Mul()))
def multiply(x1, x2, /):
    """The product x1 * x2; for booleans, x1 and x2.

    >>> import gnomon.numpy as np
    >>> np.multiply(np.arange(3), 2)
    Array([0, 2, 4], dtype=int32)
    """


@binary(Div(), inexact=True)
def divide(x1, x2, /):
    """The quotient x1 / x2.

    >>> import gnomon.numpy as np
    >>> np.divide(np.arange(3), 2)
    Array([0. , 0.5, 1. ], dtype=float32)
    """


true_divide = divide


@unary(Neg(), kinds=NO_BOOLEANS)
def negative(x, /):
    """The negative -x.

    >>> import gnomon.numpy as np
    >>> np.negative(np.arange(3))
    Array([ 0, -1, -2], dtype=int32)
    """


@unary(lambda dtype: None)
def positive(x, /):
    """The array itself, +x.

    >>> import gnomon.numpy as np
    >>> np.positive(np.arange(3))
    Array([0, 1, 2], dtype=int32)
    """


@unary(IntegerPow(-1), inexact=True)
def reciprocal(x, /):
    """1 / x.

    >>> import gnomon.numpy as np
    >>> np.reciprocal(np.array([1., 4.]))
    Array([1.  , 0.25], dtype=float32)
    """


@unary(Square(), count=True)
def square(x, /):
    """x * x.

    >>> import gnomon.numpy as np
    >>> np.square(np.arange(3))
    Array([0, 1, 4], dtype=int32)
    """


def nonzero_divisor(y):
    """An integer divisor that is never 0, and where it was (None: nowhere)."""
    if y.__class__ is Literal and y.value != 0:
        return y, None
    broken = is_zero(y)
    return where_true(broken, number(y, 1), y), broken


def turned(r, y):
    """Whether a remainder that rounds toward zero has the other sign than the divisor."""
    zero = number(r, 0)
    if y.__class__ is Literal:
        return lt(r, zero) if y.value > 0 else gt(r, zero)
    return both(ne(r, zero), ne(lt(r, zero), lt(y, zero)))


def floor_quotient(x, y):
    dtype = x.type.dtype
    if is_integer(dtype):
        y, broken = nonzero_divisor(y)
        q = div(x, y)
        if is_signed(dtype):
            q = where_true(turned(rem(x, y), y), sub(q, number(q, 1)), q)
        return q if broken is None else where_true(broken, number(q, 0), q)
    r = rem(x, y)
    # x - r is a multiple of y; where it is zero it takes the sign of x, so that -0. // 3. is -0.
    multiple = where_true(eq(r, x), mul(x, number(x, 0)), sub(x, r))
    q = div(where_true(is_zero(y), x, multiple), y)
    return round_to_even(where_true(turned(r, y), sub(q, number(q, 1)), q))


def floor_remainder(x, y):
    if is_integer(x.type.dtype):
        y, _ = nonzero_divisor(y)
    r = rem(x, y)
    return r if is_unsigned(x.type.dtype) else where_true(turned(r, y), arithmetic.add(r, y), r)


@binary(count=True, kinds=REALS)
def floor_divide(x1, x2, /):
    """The largest integer not above x1 / x2; 0 where integers are divided by 0.

    >>> import gnomon.numpy as np
    >>> np.floor_divide(np.array([7, -7]), 2)
    Array([ 3, -4], dtype=int32)
    """
    return floor_quotient(x1, x2)


@binary(count=True, kinds=REALS)
def remainder(x1, x2, /):
    """What floor_divide leaves, with the sign of x2; 0 where integers are divided by 0.

    >>> import gnomon.numpy as np
    >>> np.remainder(np.array([7, -7]), 2)
    Array([1, 1], dtype=int32)
    """
    return floor_remainder(x1, x2)


mod = remainder


@binary(count=True, kinds=REALS)
def fmod(x1, x2, /):
    """What a division that rounds toward zero leaves, with the sign of x1; 0 where integers are divided by 0.

    >>> import gnomon.numpy as np
    >>> np.fmod(np.array([7, -7]), 2)
    Array([ 1, -1], dtype=int32)
    """
    return rem(x1, nonzero_divisor(x2)[0] if is_integer(x2.type.dtype) else x2)


@binary(count=True, kinds=REALS)
def divmod(x1, x2, /):
    """The pair of floor_divide(x1, x2) and remainder(x1, x2).

    >>> import gnomon.numpy as np
    >>> np.divmod(np.array([7, -7]), 2)
    (Array([ 3, -4], dtype=int32), Array([1, 1], dtype=int32))
    """
    return floor_quotient(x1, x2), floor_remainder(x1, x2)


# ---- powers -----------------------------------------------------------------------------------------------------

def integer_power(x, y):
    """x ** y for integers, by squaring."""
    x, y = equal_types(x, y)
    zero, one, axes = number(x, 0), number(x, 1), tuple(range(x.type.ndim))
    negative_power = lt(y, zero) if is_signed(y.type.dtype) else None
    left = y
    if negative_power is not None:      # only 1 and -1 have a reciprocal; their powers repeat
        left = where_true(negative_power, both(y, one), y)

    def step(state):
        out, base, left = state
        out = where_true(is_zero(both(left, one)), out, mul(out, base))
        return out, mul(base, base), shift_right_logical(left, one)

    out, _, _ = while_loop(lambda state: reduce_or(ne(state[2], zero), axes), step, (full(x.type, 1), x, left))
    if negative_power is None:
        return out
    return where_true(both(negative_power, ne(arithmetic.absolute(x), one)), zero, out)


@binary(lambda dtype: Pow() if is_inexact(dtype) else BODY, count=True)
def promoted_power(x1, x2, /):
    """x1 to the power x2."""
    return integer_power(x1, x2)


def power(x1, x2, /):
    """x1 to the power x2. A power that is a Python integer is a fixed number of multiplications, `integer_pow`.

    Takes numbers; booleans become integers. Integers that overflow wrap around, and negative powers of integer arrays
    are rounded toward zero. TypeError for a negative Python integer as the power of integers, and for what is no array
    or number.

    >>> import gnomon.numpy as np
    >>> np.power(np.array([1., 2., 3.]), 2)
    Array([1., 4., 9.], dtype=float32)
    """
    if x2.__class__ is float:
        return promoted_power(x1, x2)
    x1, k1 = operand(x1, "power", 0)
    inexact_base = k1.__class__ is ArrayType and is_inexact(k1.dtype)
    if x2.__class__ is int or inexact_base and isinstance(x2, np.integer):
        return fixed_power(value_of(x1), int(x2))
    x2, k2 = operand(x2, "power", 1)
    if inexact_base and k2.__class__ is ArrayType and is_integer(k2.dtype):
        check_shapes("power", k1, k2)       # the integers stay integers, so that x ** 0 is constant at x = 0 too
        return bind(Pow(), *same_rank(x1, x2))
    return promoted_power(x1, x2)


pow = power


def fixed_power(x, n):
    dtype = x.type.dtype
    NUMBERS.check("power", dtype)
    if is_bool(dtype):
        x = convert_element_type(x, canonicalize(_INT64, current.enable_x64))
    if n < 0 and not is_inexact(dtype):
        raise TypeError(f"power: integers cannot be raised to the negative power {n}. Convert the array to a float "
                        "first.")
    return x if n == 1 else bind(IntegerPow(n), x)


@binary(Pow(), inexact=True)
def float_power(x1, x2, /):
    """x1 to the power x2, as a float.

    >>> import gnomon.numpy as np
    >>> np.float_power(np.arange(3), 2)
    Array([0., 1., 4.], dtype=float32)
    """


@unary(Sqrt(), inexact=True)
def sqrt(x, /):
    """The square root; NaN for negative real numbers.

    >>> import gnomon.numpy as np
    >>> np.sqrt(np.array([0, 9]))
    Array([0., 3.], dtype=float32)
    """


@unary(Cbrt(), inexact=True, kinds=REALS)
def cbrt(x, /):
    """The real cube root.

    >>> import gnomon.numpy as np
    >>> np.cbrt(np.array([-8., 0.]))
    Array([-2.,  0.], dtype=float32)
    """


_stop_gradient = StopGradient()


def safe_length(x, y):
    """Scaled by the larger side, so that squares neither overflow nor vanish. The result does not depend on the scale, so derivatives of all
    orders are right with a scale that does not move, also where the sides are equal or one is 0."""
    high = bind(_stop_gradient, arithmetic.maximum(arithmetic.absolute(x), arithmetic.absolute(y)))
    nothing = is_zero(high)
    scale = where_true(nothing, number(high, 1), high)
    squares = arithmetic.add(arithmetic.square(div(x, scale)), arithmetic.square(div(y, scale)))
    out = mul(scale, exponential.sqrt(where_true(nothing, number(high, 1), squares)))
    infinite = either(*[eq(arithmetic.absolute(side), number(side, math.inf)) for side in (x, y)])
    return where_true(infinite, number(high, math.inf), where_true(nothing, high, out))


@binary(inexact=True, kinds=REALS)
def hypot(x1, x2, /):
    """sqrt(x1 ** 2 + x2 ** 2), without overflow on the way.

    >>> import gnomon.numpy as np
    >>> np.hypot(np.array([3., 0.]), 4)
    Array([5., 4.], dtype=float32)
    """
    return safe_length(x1, x2)


# ---- exponentials and logarithms --------------------------------------------------------------------------------

@unary(Exp(), inexact=True)
def exp(x, /):
    """e to the power x.

    >>> import gnomon.numpy as np
    >>> np.exp(np.array([0., 1.]))
    Array([1.       , 2.7182817], dtype=float32)
    """


@unary(Exp2(), inexact=True)
def exp2(x, /):
    """2 to the power x.

    >>> import gnomon.numpy as np
    >>> np.exp2(np.arange(4))
    Array([1., 2., 4., 8.], dtype=float32)
    """


@unary(Expm1(), inexact=True)
def expm1(x, /):
    """exp(x) - 1, to full precision where x is near 0.

    >>> import gnomon.numpy as np
    >>> np.expm1(np.array([0., 1e-10]))
    Array([0.e+00, 1.e-10], dtype=float32)
    """


@unary(Log(), inexact=True)
def log(x, /):
    """The natural logarithm; -inf of 0, NaN of negative real numbers.

    >>> import gnomon.numpy as np
    >>> np.log(np.array([1., 0.]))
    Array([  0., -inf], dtype=float32)
    """


@unary(Log2(), inexact=True)
def log2(x, /):
    """The logarithm with base 2.

    >>> import gnomon.numpy as np
    >>> np.log2(np.array([1., 8.]))
    Array([0., 3.], dtype=float32)
    """


@unary(inexact=True)
def log10(x, /):
    """The logarithm with base 10.

    >>> import gnomon.numpy as np
    >>> np.log10(np.array([1., 1000.]))
    Array([0., 3.], dtype=float32)
    """
    return on_parts(lambda x: div(x, number(x, math.log(10))))(exponential.log(x))


@unary(Log1p(), inexact=True)
def log1p(x, /):
    """log(1 + x), to full precision where x is near 0.

    >>> import gnomon.numpy as np
    >>> np.log1p(np.array([0., 1e-10]))
    Array([0.e+00, 1.e-10], dtype=float32)
    """


def difference(x, y):
    """x - y, and 0 where that is of equal infinities."""
    infinite = not_a_number(sub(x, x))
    return where_true(both(eq(x, y), infinite), number(x, 0), sub(x, y))


def log_add(power_of, scale):
    """log(b ** x + b ** y) for a base b: `power_of` is b ** x, and `scale` the natural logarithm of b."""
    @custom_jvp
    def log_sum(x, y):
        high, low = arithmetic.maximum(x, y), arithmetic.minimum(x, y)
        rest = exponential.log1p(power_of(difference(low, high)))
        return arithmetic.add(high, rest if scale == 1 else div(rest, number(rest, scale)))

    @log_sum.defjvp
    def share_of_each(primals, tangents):
        (x, y), (tx, ty) = primals, tangents
        gap = difference(x, y)
        gap = gap if scale == 1 else mul(gap, number(gap, scale))
        share_x, share_y = exponential.logistic(gap), exponential.logistic(neg(gap))
        return log_sum(x, y), arithmetic.add(mul(tx, share_x), mul(ty, share_y))
    return log_sum


log_sum, log_sum2 = log_add(exponential.exp, 1), log_add(exponential.exp2, math.log(2))


@binary(inexact=True)
def logaddexp(x1, x2, /):
    """log(exp(x1) + exp(x2)), without overflow on the way.

    >>> import gnomon.numpy as np
    >>> np.logaddexp(np.array([0., 1000.]), 1000.)
    Array([1000.    , 1000.6932], dtype=float32)
    """
    return log_sum(x1, x2)


@binary(inexact=True)
def logaddexp2(x1, x2, /):
    """log2(2 ** x1 + 2 ** x2), without overflow on the way.

    >>> import gnomon.numpy as np
    >>> np.logaddexp2(np.array([0., 1000.]), 1000.)
    Array([1000., 1001.], dtype=float32)
    """
    return log_sum2(x1, x2)


# ---- trigonometry -----------------------------------------------------------------------------------------------

@unary(Sin(), inexact=True)
def sin(x, /):
    """The sine of x in radians.

    >>> import gnomon.numpy as np
    >>> np.sin(np.array([0., np.pi / 2]))
    Array([0., 1.], dtype=float32)
    """


@unary(Cos(), inexact=True)
def cos(x, /):
    """The cosine of x in radians.

    >>> import gnomon.numpy as np
    >>> np.cos(np.array([0., np.pi]))
    Array([ 1., -1.], dtype=float32)
    """


@unary(Tan(), inexact=True)
def tan(x, /):
    """The tangent of x in radians.

    >>> import gnomon.numpy as np
    >>> np.tan(np.array([0., np.pi / 4]))
    Array([0., 1.], dtype=float32)
    """


@unary(Asin(), inexact=True)
def arcsin(x, /):
    """The inverse sine, from -pi/2 to pi/2.

    >>> import gnomon.numpy as np
    >>> np.arcsin(np.array([0., 1.]))
    Array([0.       , 1.5707964], dtype=float32)
    """


@unary(Acos(), inexact=True)
def arccos(x, /):
    """The inverse cosine, from 0 to pi.

    >>> import gnomon.numpy as np
    >>> np.arccos(np.array([1., -1.]))
    Array([0.       , 3.1415927], dtype=float32)
    """


@unary(Atan(), inexact=True)
def arctan(x, /):
    """The inverse tangent, from -pi/2 to pi/2.

    >>> import gnomon.numpy as np
    >>> np.arctan(np.array([0., np.inf]))
    Array([0.       , 1.5707964], dtype=float32)
    """


@binary(Atan2(), inexact=True)
def arctan2(x1, x2, /):
    """The angle of the point (x2, x1), from -pi to pi.

    >>> import gnomon.numpy as np
    >>> np.arctan2(np.array([1., -1.]), 1.)
    Array([ 0.7853982, -0.7853982], dtype=float32)
    """


@unary(Sinh(), inexact=True)
def sinh(x, /):
    """The hyperbolic sine.

    >>> import gnomon.numpy as np
    >>> np.sinh(np.array([0., 1.]))
    Array([0.       , 1.1752012], dtype=float32)
    """


@unary(Cosh(), inexact=True)
def cosh(x, /):
    """The hyperbolic cosine.

    >>> import gnomon.numpy as np
    >>> np.cosh(np.array([0., 1.]))
    Array([1.       , 1.5430806], dtype=float32)
    """


@unary(Tanh(), inexact=True)
def tanh(x, /):
    """The hyperbolic tangent.

    >>> import gnomon.numpy as np
    >>> np.tanh(np.array([0., 1.]))
    Array([0.       , 0.7615942], dtype=float32)
    """


@unary(Asinh(), inexact=True)
def arcsinh(x, /):
    """The inverse hyperbolic sine.

    >>> import gnomon.numpy as np
    >>> np.arcsinh(np.array([0., 1.]))
    Array([0.        , 0.88137364], dtype=float32)
    """


@unary(Acosh(), inexact=True)
def arccosh(x, /):
    """The inverse hyperbolic cosine, not negative.

    >>> import gnomon.numpy as np
    >>> np.arccosh(np.array([1., 2.]))
    Array([0.      , 1.316958], dtype=float32)
    """


@unary(Atanh(), inexact=True)
def arctanh(x, /):
    """The inverse hyperbolic tangent.

    >>> import gnomon.numpy as np
    >>> np.arctanh(np.array([0., 0.5]))
    Array([0.        , 0.54930615], dtype=float32)
    """


asin, acos, atan, atan2, asinh, acosh, atanh = arcsin, arccos, arctan, arctan2, arcsinh, arccosh, arctanh


@unary(inexact=True)
def degrees(x, /):
    """Radians as degrees.

    >>> import gnomon.numpy as np
    >>> np.degrees(np.array([0., np.pi]))
    Array([  0., 180.], dtype=float32)
    """
    return mul(x, number(x, 180 / math.pi))


@unary(inexact=True)
def radians(x, /):
    """Degrees as radians.

    >>> import gnomon.numpy as np
    >>> np.radians(np.array([0., 180.]))
    Array([0.       , 3.1415927], dtype=float32)
    """
    return mul(x, number(x, math.pi / 180))


rad2deg, deg2rad = degrees, radians


@unary(inexact=True)
def sinc(x, /):
    """sin(pi x) / (pi x), which is 1 at x = 0.

    >>> import gnomon.numpy as np
    >>> np.sinc(np.array([0., 0.5]))
    Array([1.        , 0.63661975], dtype=float32)
    """
    narrow = x.type.dtype if x.type.dtype.itemsize < 4 else None
    if narrow is not None:      # pi has too few digits there for the zeros at integers
        x = convert_element_type(x, _FLOAT32)
    z = mul(x, number(x, math.pi))
    size = arithmetic.absolute(z)
    near = lt(size, number(size, 0.5))
    # near 0 a Taylor polynomial, since there the quotient and its derivatives lose digits
    w = arithmetic.square(where_true(near, z, number(z, 0)))
    polynomial = number(w, 0)
    for k in reversed(range(8)):
        polynomial = arithmetic.add(mul(polynomial, w), number(w, (-1) ** k / math.factorial(2 * k + 1)))
    far = where_true(near, number(z, 1), z)
    out = where_true(near, polynomial, div(trigonometric.sin(far), far))
    return out if narrow is None else convert_element_type(out, narrow)


@unary(inexact=True, kinds=REALS)
def i0(x):
    """The modified Bessel function of order 0.

    >>> import gnomon.numpy as np
    >>> np.i0(np.array([0., 1.]))
    Array([1.       , 1.2660658], dtype=float32)
    """
    return special.bessel_i0(x)


# ---- signs and extremes -----------------------------------------------------------------------------------------

@unary(lambda dtype: None if is_bool(dtype) or is_unsigned(dtype) else Abs())
def absolute(x, /):
    """|x|; of complex numbers, the modulus.

    >>> import gnomon.numpy as np
    >>> np.absolute(np.array([-2, 3]))
    Array([2, 3], dtype=int32)
    """


abs = absolute


@unary(Abs(), inexact=True, kinds=REALS)
def fabs(x, /):
    """|x| as a float.

    >>> import gnomon.numpy as np
    >>> np.fabs(np.array([-2, 3]))
    Array([2., 3.], dtype=float32)
    """


@unary(Sign(), kinds=NO_BOOLEANS)
def sign(x, /):
    """-1, 0 or 1; of complex numbers, x / |x|.

    >>> import gnomon.numpy as np
    >>> np.sign(np.array([-2, 0, 3]))
    Array([-1,  0,  1], dtype=int32)
    """


@binary(Max())
def maximum(x1, x2, /):
    """The larger of x1 and x2; NaN where either is.

    >>> import gnomon.numpy as np
    >>> np.maximum(np.arange(3), 1)
    Array([1, 1, 2], dtype=int32)
    """


@binary(Min())
def minimum(x1, x2, /):
    """The smaller of x1 and x2; NaN where either is.

    >>> import gnomon.numpy as np
    >>> np.minimum(np.arange(3), 1)
    Array([0, 1, 1], dtype=int32)
    """


@binary(lambda dtype: BODY if is_inexact(dtype) else Max())
def fmax(x1, x2):
    """The larger of x1 and x2; where one is NaN, the other.

    >>> import gnomon.numpy as np
    >>> np.fmax(np.array([0., np.nan]), 1.)
    Array([1., 1.], dtype=float32)
    """
    return arithmetic.maximum(*filled_by_the_other(x1, x2))


@binary(lambda dtype: BODY if is_inexact(dtype) else Min())
def fmin(x1, x2):
    """The smaller of x1 and x2; where one is NaN, the other.

    >>> import gnomon.numpy as np
    >>> np.fmin(np.array([0., np.nan]), 1.)
    Array([0., 1.], dtype=float32)
    """
    return arithmetic.minimum(*filled_by_the_other(x1, x2))


def filled_by_the_other(x, y):
    return where_true(not_a_number(x), y, x), where_true(not_a_number(y), x, y)


@binary(inexact=True, kinds=REALS)
def heaviside(x1, x2, /):
    """0 where x1 < 0, x2 where x1 is 0, 1 where x1 > 0.

    >>> import gnomon.numpy as np
    >>> np.heaviside(np.array([-1., 0., 1.]), 0.5)
    Array([0. , 0.5, 1. ], dtype=float32)
    """
    side = where_true(lt(x1, number(x1, 0)), number(x1, 0), number(x1, 1))
    return where_true(is_zero(x1), x2, where_true(not_a_number(x1), x1, side))


# ---- integers ---------------------------------------------------------------------------------------------------

@binary(kinds=INTEGERS)
def gcd(x1, x2):
    """The greatest common divisor.

    >>> import gnomon.numpy as np
    >>> np.gcd(np.array([12, -18]), 8)
    Array([4, 2], dtype=int32)
    """
    return euclid(x1, x2)


@binary(kinds=INTEGERS)
def lcm(x1, x2):
    """The least common multiple.

    >>> import gnomon.numpy as np
    >>> np.lcm(np.array([4, -6]), 10)
    Array([20, 30], dtype=int32)
    """
    divisor, nothing = nonzero_divisor(euclid(x1, x2))
    x, y = sizes_of(x1, x2)
    return where_true(nothing, number(x, 0), mul(x, div(y, divisor)))


def sizes_of(x, y):
    return (arithmetic.absolute(x), arithmetic.absolute(y)) if is_signed(x.type.dtype) else (x, y)


def euclid(x, y):
    """The greatest common divisor, by remainders."""
    x, y = equal_types(*sizes_of(x, y))
    axes, zero = tuple(range(x.type.ndim)), number(y, 0)

    def step(state):
        x, y = state
        divisor, done = nonzero_divisor(y)
        return where_true(done, x, y), where_true(done, y, rem(x, divisor))

    found = while_loop(lambda state: reduce_or(ne(state[1], zero), axes), step, (x, y))[0]
    return arithmetic.absolute(found) if is_signed(found.type.dtype) else found      # the lowest integer has no positive one


# ---- rounding ---------------------------------------------------------------------------------------------------

@unary(lambda dtype: Floor() if is_float(dtype) else None, kinds=REALS)
def floor(x, /):
    """The largest integer not above x.

    >>> import gnomon.numpy as np
    >>> np.floor(np.array([-1.5, 1.5]))
    Array([-2.,  1.], dtype=float32)
    """


@unary(lambda dtype: Ceil() if is_float(dtype) else None, kinds=REALS)
def ceil(x, /):
    """The smallest integer not below x.

    >>> import gnomon.numpy as np
    >>> np.ceil(np.array([-1.5, 1.5]))
    Array([-1.,  2.], dtype=float32)
    """


@unary(lambda dtype: BODY if is_float(dtype) else None, kinds=REALS)
def trunc(x):
    """The integer part of x: rounded toward zero.

    >>> import gnomon.numpy as np
    >>> np.trunc(np.array([-1.5, 1.5]))
    Array([-1.,  1.], dtype=float32)
    """
    return integer_part(x)


def integer_part(x):
    return where_true(lt(x, number(x, 0)), arithmetic.ceil(x), arithmetic.floor(x))


@unary(lambda dtype: BODY if is_complex(dtype) else Round(RoundingMethod.TO_NEAREST_EVEN), inexact=True)
def rint(x, /):
    """The nearest integer, as a float; halves go to the even one.

    >>> import gnomon.numpy as np
    >>> np.rint(np.array([0.5, 1.5]))
    Array([0., 2.], dtype=float32)
    """
    return on_parts(round_to_even)(x)


@remembered
def modf(x, /, out=None):
    """The pair of the fraction and the integer part of x, both with the sign of x.

    Takes real numbers and booleans. Integers and booleans become floats. TypeError for anything else.

    >>> import gnomon.numpy as np
    >>> np.modf(np.array([-1.5]))
    (Array([-0.5], dtype=float32), Array([-1.], dtype=float32))
    """
    refuse_out("modf", out)
    x = as_value(x, "modf", 0)
    REALS.check("modf", x.type.dtype)
    return _modf(to_inexact(x))


@composite
def _modf(x):
    whole = integer_part(x)
    infinite = eq(arithmetic.absolute(x), number(x, math.inf))
    return where_true(infinite, mul(arithmetic.sign(x), number(x, 0)), sub(x, whole)), whole


@remembered
def round(a, decimals=0, out=None):
    """`a` rounded to so many decimals (an integer; negative ones round to tens, hundreds, ...); halves go to the even
    neighbour.

    Takes numbers, whose dtype stays. TypeError for anything else.

    >>> import gnomon.numpy as np
    >>> np.round(np.array([0.125, 2.5]), 2)
    Array([0.12, 2.5 ], dtype=float32)
    """
    refuse_out("round", out)
    a = as_value(a, "round", 0)
    NO_BOOLEANS.check("round", a.type.dtype)
    decimals = integer(decimals, "round", "decimals")
    if is_integer(a.type.dtype):
        return a if decimals >= 0 else _round_integers(a, 10 ** -decimals)
    return round_to_even(a) if decimals == 0 and is_float(a.type.dtype) else _round(a, decimals)


around = round


@composite(static=("decimals",))
def _round(a, decimals):
    t = a.type
    if t.dtype in HALF:
        a = convert_element_type(a, _FLOAT32, t.weak_type)

    def at_decimal(x):
        if decimals == 0:
            return round_to_even(x)
        factor = number(x, 10.0 ** builtins.abs(decimals))
        shrink, grow = (div, mul) if decimals < 0 else (mul, div)
        return grow(round_to_even(shrink(x, factor)), factor)

    return convert_element_type(on_parts(at_decimal)(a), t.dtype, t.weak_type)


@composite(static=("step",))
def _round_integers(a, step):
    if step > int(iinfo(a.type.dtype).max):
        return full(a.type, 0)
    size = Literal(step, a.type.with_shape(()))
    rest, half = floor_remainder(a, size), number(a, step // 2)
    below = sub(a, rest)
    odd = ne(both(div(below, size), number(a, 1)), number(a, 0))
    up = either(gt(rest, half), both(eq(rest, half), odd))
    return where_true(up, arithmetic.add(below, size), below)


# ---- complex numbers --------------------------------------------------------------------------------------------

@unary(lambda dtype: Real() if is_complex(dtype) else None)
def real(val, /):
    """The real part; real numbers as they are.

    >>> import gnomon.numpy as np
    >>> np.real(np.array([1 + 2j]))
    Array([1.], dtype=float32)
    """


@unary(lambda dtype: Imag() if is_complex(dtype) else BODY, one_op=True)
def imag(val, /):
    """The imaginary part; 0 for real numbers.

    >>> import gnomon.numpy as np
    >>> np.imag(np.array([1 + 2j]))
    Array([2.], dtype=float32)
    """
    return full(val.type, 0)


@unary(lambda dtype: BODY if is_complex(dtype) else None, one_op=True)
def conjugate(x, /):
    """The complex conjugate; real numbers as they are.

    >>> import gnomon.numpy as np
    >>> np.conjugate(np.array([1 + 2j]))
    Array([1.-2.j], dtype=complex64)
    """
    return complex_parts.conj(x)


conj = conjugate


@remembered
def angle(z, deg=False):
    """The angle of complex numbers in the plane, above -pi and up to pi, or in degrees; integers and booleans become
    floats.

    Errors: TypeError for what is no array of numbers (lists included).

    >>> import gnomon.numpy as np
    >>> np.angle(np.array([1., 1j, -1.]))
    Array([0.       , 1.5707964, 3.1415927], dtype=float32)
    """
    z = as_value(z, "angle", 0)
    NUMBERS.check("angle", z.type.dtype)
    return _angle(to_inexact(z), bool(deg))


@composite(static=("deg",))
def _angle(z, deg):
    if is_complex(z.type.dtype):
        x, y = complex_parts.real(z), complex_parts.imag(z)
    else:
        x, y = z, full(z.type, 0)
    out = trigonometric.atan2(y, x)
    return mul(out, number(out, 180 / math.pi)) if deg else out
