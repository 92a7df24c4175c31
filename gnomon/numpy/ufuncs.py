"""Elementwise functions of NumPy: promotion, then one op or a few.

Each definition gives a function's name, its docstring (summary, example, result) and its op. `add`, `maximum` and the others that
NumPy gives methods (`np.add.reduce`) are plain functions here; gnomon.numpy.ufunc_objects wraps them for users.
"""
from __future__ import annotations

import builtins
import math
import operator

import numpy as np

from gnomon.api.control import while_loop
from gnomon.api.custom import custom_jvp
from gnomon.base.errors import Refused
from gnomon.base.settings import current
from gnomon.ir.jaxpr import Literal
from gnomon.ir.op import Op
from gnomon.numpy.axes import integer
from gnomon.numpy.composite import composite
from gnomon.numpy.elementwise import EVERYTHING, NUMBERS, Kinds, binary, check_shapes, compiled, unary
from gnomon.numpy.promote import as_value, operand, to_inexact
from gnomon.ops import arithmetic, complex_parts, exponential, special, trigonometric
from gnomon.ops.arithmetic import (Abs, Add, Ceil, Div, Floor, IntegerPow, IsFinite, Max, Min, Mul, Neg, Round, RoundingMethod, Sign, Square,
                                   Sub, div, mul, neg, rem, round_to_even, sub)
from gnomon.ops.compare import (And, Eq, Ge, Gt, Le, Lt, Ne, Not, Or, ShiftLeft, ShiftRightArithmetic, ShiftRightLogical, Xor, eq, gt, lt, ne,
                                population_count, select_n, shift_right_logical)
from gnomon.ops.compare import bitwise_and as both
from gnomon.ops.compare import bitwise_or as either
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar as number
from gnomon.ops.exponential import Cbrt, Exp, Exp2, Expm1, Log, Log1p, Log2, Pow, Sqrt
from gnomon.ops.reductions import reduce_or
from gnomon.ops.shape import broadcast_in_dim, full
from gnomon.ops.trigonometric import Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cos, Cosh, Sin, Sinh, Tan, Tanh
from gnomon.trace.stage import bind, value_of
from gnomon.types.dtype import (bfloat16, canonicalize, iinfo, is_bool, is_complex, is_float, is_inexact, is_integer, is_key, is_signed, is_unsigned)
from gnomon.types.value_type import ArrayType

__all__ = ["abs", "absolute", "acos", "acosh", "angle", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2",
           "arctanh", "around", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_count", "bitwise_invert",
           "bitwise_left_shift", "bitwise_not", "bitwise_right_shift", "cbrt", "ceil", "conj", "conjugate", "cos",
           "cosh", "deg2rad", "degrees", "divide", "divmod", "equal", "exp", "exp2", "expm1", "fabs", "float_power",
           "floor", "floor_divide", "fmax", "fmin", "fmod", "gcd", "greater", "greater_equal", "heaviside", "hypot",
           "i0", "imag", "invert", "iscomplex", "isfinite", "isinf", "isnan", "isneginf", "isposinf", "isreal",
           "lcm", "left_shift", "less", "less_equal", "log", "log10", "log1p", "log2", "logical_not", "mod", "modf",
           "not_equal", "positive", "pow", "power", "rad2deg", "radians", "real", "reciprocal", "remainder",
           "right_shift", "rint", "round", "sign", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh",
           "true_divide", "trunc"]

_BOOL, _INT64, _UINT8, _FLOAT32 = map(np.dtype, ("bool", "int64", "uint8", "float32"))
HALF = frozenset([np.dtype("float16"), bfloat16])

REALS = Kinds(lambda d: not is_complex(d) and not is_key(d), "real numbers and booleans")
SIGNLESS = Kinds(lambda d: not is_bool(d) and not is_key(d), "numbers")
BITS = Kinds(lambda d: is_bool(d) or is_integer(d), "integers and booleans")
INTEGERS = Kinds(is_integer, "integers")


# ---- pieces that functions are made of --------------------------------------------------------------------------

def where_true(condition, x, y):
    """x where the condition holds, else y; all of one rank, or scalars."""
    return select_n(condition, y, x)


def is_zero(x):
    return eq(x, number(x, 0))


def negative_number(x):
    return lt(x, number(x, 0))


def not_a_number(x):
    return ne(x, x)


def everywhere(x, answer):
    """True or False in every place of `x`."""
    return full(x.type.with_dtype(_BOOL), answer)


def on_parts(function):
    """A function of real numbers, applied to both parts of complex ones."""
    def apply(x):
        if not is_complex(x.type.dtype):
            return function(x)
        return complex_parts.complex(function(complex_parts.real(x)), function(complex_parts.imag(x)))
    return apply


def test_parts(test, join):
    """A test of real numbers; of complex ones, of both parts, the answers joined."""
    def apply(x):
        if not is_complex(x.type.dtype):
            return test(x)
        return join(test(complex_parts.real(x)), test(complex_parts.imag(x)))
    return apply


# ---- arithmetic -------------------------------------------------------------------------------------------------

def by_kind(boolean, rest):
    """An op for booleans and one for numbers."""
    return lambda dtype: boolean if is_bool(dtype) else rest


add = binary("add", ("The sum x1 + x2; for booleans, x1 or x2.", "np.add(np.arange(3), 0.5)", "Array([0.5, 1.5, 2.5], dtype=float32, weak_type=True)"),
             by_kind(Or(), Add()))
subtract = binary("subtract", ("The difference x1 - x2.", "np.subtract(np.arange(3), 1)", "Array([-1,  0,  1], dtype=int32)"), Sub(),
                  kinds=SIGNLESS)
multiply = binary("multiply", ("The product x1 * x2; for booleans, x1 and x2.", "np.multiply(np.arange(3), 2)",
                               "Array([0, 2, 4], dtype=int32)"), by_kind(And(), Mul()))
divide = binary("divide", ("The quotient x1 / x2.", "np.divide(np.arange(3), 2)", "Array([0. , 0.5, 1. ], dtype=float32)"), Div(),
                inexact=True)
true_divide = divide
negative = unary("negative", ("The negative -x.", "np.negative(np.arange(3))", "Array([ 0, -1, -2], dtype=int32)"), Neg(), kinds=SIGNLESS)
positive = unary("positive", ("The array itself, +x.", "np.positive(np.arange(3))", "Array([0, 1, 2], dtype=int32)"), lambda d: None)
reciprocal = unary("reciprocal", ("1 / x.", "np.reciprocal(np.array([1., 4.]))", "Array([1.  , 0.25], dtype=float32)"), IntegerPow(-1),
                   inexact=True)
square = unary("square", ("x * x.", "np.square(np.arange(3))", "Array([0, 1, 4], dtype=int32)"), Square(), count=True)


def nonzero_divisor(y):
    """An integer divisor that is never 0, and where it was (None: nowhere)."""
    if y.__class__ is Literal and y.value != 0:
        return y, None
    broken = is_zero(y)
    return where_true(broken, number(y, 1), y), broken


def turned(r, y):
    """Whether a remainder that rounds toward zero has the other sign than the divisor."""
    if y.__class__ is Literal:
        return lt(r, number(r, 0)) if y.value > 0 else gt(r, number(r, 0))
    return both(ne(r, number(r, 0)), ne(lt(r, number(r, 0)), lt(y, number(y, 0))))


def floor_remainder(x, y):
    if is_integer(x.type.dtype):
        y, _ = nonzero_divisor(y)
    r = rem(x, y)
    return r if is_unsigned(x.type.dtype) else where_true(turned(r, y), arithmetic.add(r, y), r)


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


floor_divide = binary("floor_divide", ("The largest integer not above x1 / x2; 0 where integers are divided by 0.",
                                       "np.floor_divide(np.array([7, -7]), 2)", "Array([ 3, -4], dtype=int32)"),
                      rule=floor_quotient, count=True, kinds=REALS)
remainder = binary("remainder", ("The remainder of x1 / x2, with the sign of x2; 0 where integers are divided by 0.",
                                 "np.remainder(np.array([7, -7]), 2)", "Array([1, 1], dtype=int32)"),
                   rule=floor_remainder, count=True, kinds=REALS)
mod = remainder
fmod = binary("fmod", ("The remainder of x1 / x2, with the sign of x1.", "np.fmod(np.array([7, -7]), 2)", "Array([ 1, -1], dtype=int32)"),
              rule=lambda x, y: rem(x, nonzero_divisor(y)[0] if is_integer(y.type.dtype) else y), count=True, kinds=REALS)
divmod = binary("divmod", ("The pair floor_divide(x1, x2), remainder(x1, x2).", "np.divmod(7., 2.)",
                           "(Array(3., dtype=float32, weak_type=True), Array(1., dtype=float32, weak_type=True))"),
                rule=lambda x, y: (floor_quotient(x, y), floor_remainder(x, y)), count=True, kinds=REALS)


# ---- powers, exponentials, logarithms ---------------------------------------------------------------------------

def integer_power(x, y):
    """x ** y for integers, by squaring; what overflows wraps around. Negative powers are rounded toward zero."""
    one, zero = number(x, 1), number(x, 0)
    x, y = arithmetic.broadcast_like(x, add(x, y)), arithmetic.broadcast_like(y, add(x, y))
    unsigned = is_unsigned(x.type.dtype)
    negative = None if unsigned else lt(y, zero)

    def step(state):
        out, base, left = state
        out = where_true(is_zero(both(left, one)), out, mul(out, base))
        return out, mul(base, base), shift_right_logical(left, one)

    if negative is not None:        # only 1 and -1 have a reciprocal; their powers repeat
        y = where_true(negative, both(y, one), y)
    start = full(x.type.strong, 1), x, y
    out = while_loop(lambda state: reduce_or(ne(state[2], zero), tuple(range(x.type.ndim))), step, start)[0]
    if negative is None:
        return out
    return where_true(both(negative, ne(arithmetic.absolute(x), one)), zero, out)


def any_power(dtype):
    return Pow() if is_inexact(dtype) else compiled(integer_power)


_power = binary("power", ("x1 to the power x2.", "", ""), any_power, count=True)


def power(x1, x2, /):
    """x1 to the power x2. A power that is a Python integer is a fixed number of multiplications, `integer_pow`.

    Takes numbers; booleans become integers. Integers that overflow wrap around, and negative powers of integer arrays are rounded
    toward zero. TypeError for a negative Python integer as the power of integers, and for what is no array or number.

    >>> np.power(np.array([1., 2., 3.]), 2)
    Array([1., 4., 9.], dtype=float32)
    """
    if x2.__class__ is float:
        return _power(x1, x2)
    x1, k1 = operand(x1, "power", 0)
    base = k1.dtype if k1.__class__ is ArrayType else None
    if x2.__class__ is int or isinstance(x2, np.integer) and base is not None and is_inexact(base):
        return fixed_power(value_of(x1), int(x2))
    x2, k2 = operand(x2, "power", 1)
    if base is not None and is_inexact(base) and k2.__class__ is ArrayType and is_integer(k2.dtype):
        check_shapes("power", k1, k2)       # the integers stay integers, so that x ** 0 is constant at x = 0 too
        return bind(Pow(), *same_rank(x1, x2))
    return _power(x1, x2)


pow = power


def fixed_power(x, n):
    dtype = x.type.dtype
    NUMBERS.check("power", dtype)
    if is_bool(dtype):
        x = convert_element_type(x, canonicalize(_INT64, current.enable_x64), True)
    if n < 0 and not is_inexact(dtype):
        raise TypeError(f"power: integers cannot be raised to the negative power {n}. Convert the array to a float first.")
    return x if n == 1 else bind(IntegerPow(n), x)


def same_rank(*xs):
    """Values with dimensions of size 1 in front, so that all have one rank; scalars stay."""
    rank = builtins.max([x.type.ndim for x in xs])
    return [x if x.type.ndim in (0, rank) else
            broadcast_in_dim(x, (1,) * (rank - x.type.ndim) + x.type.shape, tuple(range(rank - x.type.ndim, rank))) for x in xs]


float_power = binary("float_power", ("x1 to the power x2, as a float.", "np.float_power(np.arange(3), 2)",
                                     "Array([0., 1., 4.], dtype=float32)"), Pow(), inexact=True)


def simple(name, op, summary, example, result, kinds=NUMBERS):
    """A function of floats that is one op."""
    return unary(name, (summary, f"np.{name}({example})", result), op, inexact=True, kinds=kinds)


_LIKE = "Array({}, dtype=float32, weak_type=True)"
exp = simple("exp", Exp(), "e to the power x.", "0.", _LIKE.format("1."))
exp2 = simple("exp2", Exp2(), "2 to the power x.", "3.", _LIKE.format("8."))
expm1 = simple("expm1", Expm1(), "exp(x) - 1, to full precision near 0.", "1e-10", _LIKE.format("1.e-10"))
log = simple("log", Log(), "The natural logarithm.", "1.", _LIKE.format("0."))
log2 = simple("log2", Log2(), "The logarithm with base 2.", "8.", _LIKE.format("3."))
log1p = simple("log1p", Log1p(), "log(1 + x), to full precision near 0.", "1e-10", _LIKE.format("1.e-10"))
log10 = unary("log10", ("The logarithm with base 10.", "np.log10(1000.)", _LIKE.format("3.")),
              rule=lambda x: div(exponential.log(x), number(x, math.log(10))), inexact=True)
sqrt = simple("sqrt", Sqrt(), "The square root; NaN for negative real numbers.", "9.", _LIKE.format("3."))
cbrt = simple("cbrt", Cbrt(), "The cube root.", "-8.", _LIKE.format("-2."), REALS)


def log_add(x, y):
    """log(exp(x) + exp(y)) without overflow."""
    high, low = arithmetic.maximum(x, y), arithmetic.minimum(x, y)
    gap = where_true(eq(low, high), number(x, 0), sub(low, high))      # infinities of one sign have no difference
    return arithmetic.add(high, exponential.log1p(exponential.exp(gap)))


def log_add2(x, y):
    """log2(2 ** x + 2 ** y) without overflow."""
    high, low = arithmetic.maximum(x, y), arithmetic.minimum(x, y)
    gap = where_true(eq(low, high), number(x, 0), sub(low, high))
    return arithmetic.add(high, div(exponential.log1p(exponential.exp2(gap)), number(x, math.log(2))))


def share_rule(scale):
    """The derivative of log_add: each operand's share in the sum of exponentials."""
    def rule(function, primals, tangents):
        (x, y), (tx, ty) = primals, tangents
        gap = where_true(eq(x, y), number(x, 0), sub(x, y))
        if scale != 1:
            gap = mul(gap, number(gap, scale))
        return function(x, y), arithmetic.add(mul(tx, exponential.logistic(gap)), mul(ty, exponential.logistic(neg(gap))))
    return rule


def with_derivative(function, rule):
    """A function with a derivative rule of its own, which is handed the function."""
    wrapped = custom_jvp(function)
    wrapped.defjvp(lambda primals, tangents: rule(wrapped, primals, tangents))
    return wrapped


logaddexp = binary("logaddexp", ("log(exp(x1) + exp(x2)) without overflow.", "np.logaddexp(1000., 1000.)", _LIKE.format("1000.6931")),
                   rule=with_derivative(log_add, share_rule(1)), inexact=True)
logaddexp2 = binary("logaddexp2", ("log2(2 ** x1 + 2 ** x2) without overflow.", "np.logaddexp2(1000., 1000.)", _LIKE.format("1001.")),
                    rule=with_derivative(log_add2, share_rule(math.log(2))), inexact=True)


# ---- trigonometry -----------------------------------------------------------------------------------------------

sin = simple("sin", Sin(), "The sine of x in radians.", "0.", _LIKE.format("0."))
cos = simple("cos", Cos(), "The cosine of x in radians.", "0.", _LIKE.format("1."))
tan = simple("tan", Tan(), "The tangent of x in radians.", "0.", _LIKE.format("0."))
arcsin = asin = simple("arcsin", Asin(), "The inverse sine, in [-pi/2, pi/2].", "1.", _LIKE.format("1.5707964"))
arccos = acos = simple("arccos", Acos(), "The inverse cosine, in [0, pi].", "1.", _LIKE.format("0."))
arctan = atan = simple("arctan", Atan(), "The inverse tangent, in [-pi/2, pi/2].", "1.", _LIKE.format("0.7853982"))
sinh = simple("sinh", Sinh(), "The hyperbolic sine.", "0.", _LIKE.format("0."))
cosh = simple("cosh", Cosh(), "The hyperbolic cosine.", "0.", _LIKE.format("1."))
tanh = simple("tanh", Tanh(), "The hyperbolic tangent.", "0.", _LIKE.format("0."))
arcsinh = asinh = simple("arcsinh", Asinh(), "The inverse hyperbolic sine.", "0.", _LIKE.format("0."))
arccosh = acosh = simple("arccosh", Acosh(), "The inverse hyperbolic cosine.", "1.", _LIKE.format("0."))
arctanh = atanh = simple("arctanh", Atanh(), "The inverse hyperbolic tangent.", "0.", _LIKE.format("0."))
arctan2 = atan2 = binary("arctan2", ("The angle of the point (x2, x1), in [-pi, pi].", "np.arctan2(1., 1.)", _LIKE.format("0.7853982")),
                         Atan2(), inexact=True)
degrees = unary("degrees", ("Radians as degrees.", "np.degrees(np.pi)", _LIKE.format("180.")),
                rule=lambda x: mul(x, number(x, 180 / math.pi)), inexact=True)
radians = unary("radians", ("Degrees as radians.", "np.radians(180.)", _LIKE.format("3.1415927")),
                rule=lambda x: mul(x, number(x, math.pi / 180)), inexact=True)
rad2deg, deg2rad = degrees, radians


def safe_hypot(x, y):
    """Scaled by the larger side, so that squares neither overflow nor vanish."""
    x, y = arithmetic.absolute(x), arithmetic.absolute(y)
    high, low = arithmetic.maximum(x, y), arithmetic.minimum(x, y)
    nothing = is_zero(high)
    ratio = div(low, where_true(nothing, number(high, 1), high))
    out = mul(high, exponential.sqrt(arithmetic.add(arithmetic.square(ratio), number(high, 1))))
    infinite = either(eq(x, number(x, math.inf)), eq(y, number(y, math.inf)))
    return where_true(infinite, number(high, math.inf), where_true(nothing, high, out))


hypot = binary("hypot", ("sqrt(x1 ** 2 + x2 ** 2) without overflow.", "np.hypot(3., 4.)", _LIKE.format("5.")), rule=safe_hypot, inexact=True,
               kinds=REALS)


def smooth_sinc(x):
    """A Taylor polynomial near 0, where the quotient and its derivatives lose digits."""
    z = mul(x, number(x, math.pi))
    near = lt(arithmetic.absolute(z), number(arithmetic.absolute(z), 0.5))
    w = arithmetic.square(where_true(near, z, number(z, 0)))
    polynomial = number(w, 0)
    for k in reversed(range(8)):
        polynomial = arithmetic.add(mul(polynomial, w), number(w, (-1) ** k / math.factorial(2 * k + 1)))
    far = where_true(near, number(z, 1), z)
    return where_true(near, polynomial, div(trigonometric.sin(far), far))


sinc = unary("sinc", ("sin(pi x) / (pi x), and 1 at x = 0.", "np.sinc(np.array([0., 0.5]))", "Array([1.       , 0.6366197], dtype=float32)"),
             rule=smooth_sinc, inexact=True)


def bessel_i0(x):
    return mul(exponential.exp(arithmetic.absolute(x)), special.bessel_i0e(x))


i0 = unary("i0", ("The modified Bessel function of order 0.", "np.i0(0.)", _LIKE.format("1.")), rule=bessel_i0, inexact=True, kinds=REALS)


# ---- comparisons and logic --------------------------------------------------------------------------------------

def in_order(op, strict):
    """A comparison; of complex numbers, by their real parts, then by their imaginary parts."""
    def by_parts(x, y):
        xr, yr = complex_parts.real(x), complex_parts.real(y)
        return where_true(eq(xr, yr), bind(op, complex_parts.imag(x), complex_parts.imag(y)), bind(strict, xr, yr))

    by_parts = compiled(by_parts)
    return lambda dtype: by_parts if is_complex(dtype) else op


def comparison(name, sign, op):
    result = [bool(f(i, 1)) for i in range(3) for f in [getattr(operator, op.name)]]
    shown = ", ".join([f"{str(r):>{5 if False in result else 4}}" for r in result])
    return binary(name, (f"Whether x1 {sign} x2.", f"np.{name}(np.arange(3), 1)", f"Array([{shown}], dtype=bool)"),
                  op if op.name in ("eq", "ne") else in_order(op, Lt() if op.name in ("lt", "le") else Gt()),
                  kinds=EVERYTHING if op.name in ("eq", "ne") else NUMBERS)


equal, not_equal = comparison("equal", "==", Eq()), comparison("not_equal", "!=", Ne())
less, less_equal = comparison("less", "<", Lt()), comparison("less_equal", "<=", Le())
greater, greater_equal = comparison("greater", ">", Gt()), comparison("greater_equal", ">=", Ge())


def true_where(x):
    """Whether numbers are not zero; booleans as they are."""
    return x if is_bool(x.type.dtype) else ne(x, number(x, 0))


def logical(name, op, words, example):
    on_numbers = compiled(lambda x, y: bind(op, true_where(x), true_where(y)))
    return binary(name, (f"Whether {words}; numbers other than 0 count as true.", f"np.{name}(np.array([0, 0, 2]), np.array([0, 1, 1]))",
                         f"Array([{example}], dtype=bool)"), lambda dtype: op if is_bool(dtype) else on_numbers)


logical_and = logical("logical_and", And(), "both are true", "False, False,  True")
logical_or = logical("logical_or", Or(), "either is true", "False,  True,  True")
logical_xor = logical("logical_xor", Xor(), "just one is true", "False,  True, False")
logical_not = unary("logical_not", ("Whether x is false; numbers other than 0 count as true.", "np.logical_not(np.array([0, 2]))",
                                    "Array([ True, False], dtype=bool)"), lambda dtype: Not() if is_bool(dtype) else is_zero)

bitwise_and = binary("bitwise_and", ("The bits set in both, x1 & x2.", "np.bitwise_and(6, 3)", "Array(2, dtype=int32, weak_type=True)"),
                     And(), kinds=BITS)
bitwise_or = binary("bitwise_or", ("The bits set in either, x1 | x2.", "np.bitwise_or(6, 3)", "Array(7, dtype=int32, weak_type=True)"),
                    Or(), kinds=BITS)
bitwise_xor = binary("bitwise_xor", ("The bits set in just one, x1 ^ x2.", "np.bitwise_xor(6, 3)", "Array(5, dtype=int32, weak_type=True)"),
                     Xor(), kinds=BITS)
invert = unary("invert", ("The other bits, ~x; for booleans, not x.", "np.invert(np.array([0, 1]))", "Array([-1, -2], dtype=int32)"), Not(),
               kinds=BITS)
bitwise_not = bitwise_invert = invert
left_shift = binary("left_shift", ("x1 * 2 ** x2, by shifting bits.", "np.left_shift(3, 2)", "Array(12, dtype=int32, weak_type=True)"),
                    ShiftLeft(), count=True, kinds=BITS)
right_shift = binary("right_shift", ("The largest integer not above x1 / 2 ** x2, by shifting bits.", "np.right_shift(-5, 1)",
                                     "Array(-3, dtype=int32, weak_type=True)"),
                     lambda dtype: ShiftRightLogical() if is_unsigned(dtype) else ShiftRightArithmetic(), count=True, kinds=BITS)
bitwise_left_shift, bitwise_right_shift = left_shift, right_shift


def count_bits(x):
    if is_bool(x.type.dtype):
        return convert_element_type(x, _UINT8)
    return convert_element_type(population_count(arithmetic.absolute(x) if is_signed(x.type.dtype) else x), _UINT8)


bitwise_count = unary("bitwise_count", ("How many bits of |x| are set.", "np.bitwise_count(np.array([7, -8]))", "Array([3, 1], dtype=uint8)"),
                      rule=count_bits, kinds=BITS)


# ---- integers ---------------------------------------------------------------------------------------------------

def euclid(x, y):
    """The greatest common divisor."""
    if is_signed(x.type.dtype):
        x, y = arithmetic.absolute(x), arithmetic.absolute(y)
    shape = arithmetic.add(x, y)
    x, y = arithmetic.broadcast_like(x, shape), arithmetic.broadcast_like(y, shape)

    def step(state):
        x, y = state
        divisor, done = nonzero_divisor(y)
        return where_true(done, x, y), where_true(done, y, rem(x, divisor))

    return while_loop(lambda state: reduce_or(ne(state[1], number(state[1], 0)), tuple(range(state[1].type.ndim))), step,
                      (convert_element_type(x, x.type.dtype), convert_element_type(y, y.type.dtype)))[0]


def common_multiple(x, y):
    divisor, nothing = nonzero_divisor(euclid(x, y))
    if is_signed(x.type.dtype):
        x, y = arithmetic.absolute(x), arithmetic.absolute(y)
    return where_true(nothing, number(x, 0), mul(x, div(y, divisor)))


gcd = binary("gcd", ("The greatest common divisor.", "np.gcd(np.array([12, -18]), 8)", "Array([4, 2], dtype=int32)"), rule=euclid,
             kinds=INTEGERS)
lcm = binary("lcm", ("The least common multiple.", "np.lcm(np.array([4, -6]), 10)", "Array([20, 30], dtype=int32)"), rule=common_multiple,
             kinds=INTEGERS)


# ---- signs, extremes, rounding ----------------------------------------------------------------------------------

absolute = unary("absolute", ("|x|; of complex numbers, the modulus.", "np.abs(np.array([-2, 3]))", "Array([2, 3], dtype=int32)"),
                 lambda dtype: None if is_bool(dtype) or is_unsigned(dtype) else Abs())
abs = absolute
fabs = simple("fabs", Abs(), "|x| as a float.", "-2.", _LIKE.format("2."), REALS)
sign = unary("sign", ("-1, 0 or 1; of complex numbers, x / |x|.", "np.sign(np.array([-2, 0, 3]))", "Array([-1,  0,  1], dtype=int32)"), Sign(),
             kinds=SIGNLESS)


maximum = binary("maximum", ("The larger of x1 and x2; NaN where either is.", "np.maximum(np.arange(3), 1)",
                             "Array([1, 1, 2], dtype=int32)"), Max())
minimum = binary("minimum", ("The smaller of x1 and x2; NaN where either is.", "np.minimum(np.arange(3), 1)",
                             "Array([0, 1, 1], dtype=int32)"), Min())


def beyond_nan(op):
    """An extreme that takes the other operand where one is NaN."""
    def rule(x, y):
        return bind(op, where_true(not_a_number(x), y, x), where_true(not_a_number(y), x, y))

    rule = compiled(rule)
    return lambda dtype: rule if is_inexact(dtype) else op


fmax = binary("fmax", ("The larger of x1 and x2, whichever is not NaN.", "np.fmax(np.nan, 1.)", _LIKE.format("1.")), beyond_nan(Max()))
fmin = binary("fmin", ("The smaller of x1 and x2, whichever is not NaN.", "np.fmin(np.nan, 1.)", _LIKE.format("1.")), beyond_nan(Min()))
heaviside = binary("heaviside", ("0 where x1 < 0, x2 where x1 is 0, 1 where x1 > 0.", "np.heaviside(np.array([-1., 0., 1.]), 0.5)",
                                 "Array([0. , 0.5, 1. ], dtype=float32)"),
                   rule=lambda x, y: where_true(is_zero(x), y, where_true(not_a_number(x), x, where_true(
                       lt(x, number(x, 0)), number(x, 0), number(x, 1)))), inexact=True, kinds=REALS)


def whole_part(x):
    return where_true(lt(x, number(x, 0)), arithmetic.ceil(x), arithmetic.floor(x))


def rounding(name, words, op, result):
    return unary(name, (words, f"np.{name}(np.array([-1.5, 1.5]))", f"Array([{result}], dtype=float32)"),
                 lambda dtype: op if is_float(dtype) else None, kinds=REALS)


floor = rounding("floor", "The largest integer not above x.", Floor(), "-2.,  1.")
ceil = rounding("ceil", "The smallest integer not below x.", Ceil(), "-1.,  2.")
trunc = rounding("trunc", "The integer part of x.", compiled(whole_part), "-1.,  1.")


rint = unary("rint", ("The nearest integer as a float; halves go to the even one.", "np.rint(np.array([0.5, 1.5]))",
                      "Array([0., 2.], dtype=float32)"),
             lambda dtype: compiled(on_parts(arithmetic.round_to_even)) if is_complex(dtype) else Round(RoundingMethod.TO_NEAREST_EVEN), inexact=True)


def fraction_and_whole(x):
    whole = whole_part(x)
    infinite = eq(arithmetic.absolute(x), number(x, math.inf))
    return where_true(infinite, mul(arithmetic.sign(x), number(x, 0)), sub(x, whole)), whole


modf = unary("modf", ("The pair of fraction and integer part, both with the sign of x.", "np.modf(-1.5)",
                      "(Array(-0.5, dtype=float32, weak_type=True), Array(-1., dtype=float32, weak_type=True))"),
             rule=fraction_and_whole, inexact=True, kinds=REALS)


def refuse_out(name, out):
    if out is not None:
        raise Refused(f"{name} takes no 'out' argument: arrays are immutable. Use what it returns.")


def round(a, decimals=0, out=None):
    """`a` rounded to so many decimals (an integer; negative ones round to tens, hundreds, ...); halves go to the even neighbour.

    Takes numbers, whose dtype stays; TypeError for booleans.

    >>> np.round(np.array([0.125, 2.5]), 2)
    Array([0.12, 2.5 ], dtype=float32)
    """
    refuse_out("round", out)
    a = as_value(a, "round", 0)
    SIGNLESS.check("round", a.type.dtype)
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


# ---- tests ------------------------------------------------------------------------------------------------------

def test(name, summary, example, result, real_test, join=either, exact=False, kinds=NUMBERS):
    """A test of floats that has one answer, `exact`, for all integers and booleans."""
    floats = real_test if isinstance(real_test, Op) else compiled(test_parts(real_test, join))
    parted = compiled(test_parts(lambda x: bind(real_test, x), join)) if isinstance(real_test, Op) else floats
    return unary(name, (summary, f"np.{name}(np.array({example}))", f"Array({result}, dtype=bool)"),
                 lambda d: floats if is_float(d) else parted if is_complex(d) else lambda x: everywhere(x, exact), kinds=kinds)


isnan = unary("isnan", ("Whether x is NaN.", "np.isnan(np.array([0., np.nan]))", "Array([False,  True], dtype=bool)"),
              lambda d: not_a_number if is_inexact(d) else lambda x: everywhere(x, False))
isfinite = test("isfinite", "Whether x is neither infinite nor NaN.", "[0., np.inf, np.nan]", "[ True, False, False]", IsFinite(), both, True)
isinf = test("isinf", "Whether x is infinite.", "[0., -np.inf, np.nan]", "[False,  True, False]",
             lambda x: eq(arithmetic.absolute(x), number(x, math.inf)))


def infinite_test(name, sign):
    tested = test(name, f"Whether x is {sign}infinity.", "[np.inf, -np.inf]", "[ True, False]" if sign == "+" else "[False,  True]",
                  lambda x: eq(x, number(x, float(f"{sign}inf"))), kinds=REALS)

    def function(x, /, out=None):
        refuse_out(name, out)
        return tested(x)

    function.__name__, function.__qualname__, function.__module__, function.__doc__ = name, name, "gnomon.numpy", tested.__doc__
    return function


isposinf, isneginf = infinite_test("isposinf", "+"), infinite_test("isneginf", "-")


# ---- complex numbers --------------------------------------------------------------------------------------------

real = unary("real", ("The real part; real numbers as they are.", "np.real(np.array([1 + 2j]))", "Array([1.], dtype=float32)"),
             lambda d: complex_parts.Real() if is_complex(d) else None)
imag = unary("imag", ("The imaginary part; 0 for real numbers.", "np.imag(np.array([1 + 2j]))", "Array([2.], dtype=float32)"),
             lambda d: complex_parts.Imag() if is_complex(d) else lambda x: full(x.type, 0))
conjugate = unary("conjugate", ("The complex conjugate; real numbers as they are.", "np.conjugate(np.array([1 + 2j]))",
                                "Array([1.-2.j], dtype=complex64)"), lambda d: complex_parts.conj if is_complex(d) else None)
conj = conjugate
iscomplex = unary("iscomplex", ("Whether the imaginary part is not 0.", "np.iscomplex(np.array([1, 2j]))", "Array([False,  True], dtype=bool)"),
                  lambda d: compiled(lambda x: true_where(complex_parts.imag(x))) if is_complex(d) else lambda x: everywhere(x, False))
isreal = unary("isreal", ("Whether the imaginary part is 0.", "np.isreal(np.array([1, 2j]))", "Array([ True, False], dtype=bool)"),
               lambda d: compiled(lambda x: is_zero(complex_parts.imag(x))) if is_complex(d) else lambda x: everywhere(x, True))


def angle(z, deg=False):
    """The angle of complex numbers in (-pi, pi], in degrees if `deg`; integers and booleans become floats.

    >>> np.angle(np.array([1., 1j, -1.]))
    Array([0.       , 1.5707964, 3.1415927], dtype=float32)
    """
    return _angle(to_inexact(as_value(z, "angle", 0)), bool(deg))


@composite(static=("deg",))
def _angle(z, deg):
    if is_complex(z.type.dtype):
        x, y = complex_parts.real(z), complex_parts.imag(z)
    else:
        x, y = z, full(z.type, 0)
    out = trigonometric.atan2(y, x)
    return mul(out, number(out, 180 / math.pi)) if deg else out
