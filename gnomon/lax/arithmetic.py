"""Arithmetic, comparisons, bits, selection and conversion, elementwise."""
from __future__ import annotations

import warnings

import numpy as np

from gnomon.base.settings import current
from gnomon.lax.operands import binary, made_elsewhere, unary, values
from gnomon.numpy.axes import integer
from gnomon.numpy.promote import as_value, requested_dtype
from gnomon.ops import arithmetic as ops
from gnomon.ops import compare, complex_parts, convert
from gnomon.ops.arithmetic import RoundingMethod
from gnomon.trace.stage import bind
from gnomon.trace.value import Value
from gnomon.types.dtype import canonicalize, is_bool, is_complex, is_integer, is_key, short_name

__all__ = [
    "RoundingMethod", "abs", "add", "bitcast_convert_type", "bitwise_and", "bitwise_not", "bitwise_or",
    "bitwise_xor", "ceil", "clamp", "clz", "complex", "conj", "convert_element_type", "div", "dtype", "eq", "floor",
    "ge", "gt", "imag", "integer_pow", "is_finite", "le", "lt", "max", "min", "mul", "mulhi", "ne", "neg",
    "nextafter", "one_minus_square", "polynomial", "population_count", "real", "reciprocal", "reduce_precision",
    "rem", "round", "select", "select_n", "shift_left", "shift_right_arithmetic", "shift_right_logical", "sign",
    "square", "stage", "sub",
]

# ---- arithmetic -------------------------------------------------------------------------------------------------

add = binary(ops.Add, "The sum x + y.", ("add(jnp.arange(3), 1).tolist()", "[1, 2, 3]"))
sub = binary(ops.Sub, "The difference x - y.", ("sub(jnp.arange(3), 1).tolist()", "[-1, 0, 1]"))
div = binary(ops.Div, "The quotient x / y; of integers, rounded toward 0.", ("int(div(-7, 2))", "-3"))
rem = binary(ops.Rem, "The remainder of x / y, with the sign of x.", ("int(rem(-7, 2))", "-1"))
max = binary(ops.Max, "The larger of x and y, NaN where either is. Operands that tie share the derivative equally.",
             ("max(jnp.arange(3), 1).tolist()", "[1, 1, 2]"))
min = binary(ops.Min, "The smaller of x and y, NaN where either is. Operands that tie share the derivative equally.",
             ("min(jnp.arange(3), 1).tolist()", "[0, 1, 1]"))
neg = unary(ops.Neg, "The negative -x.", ("neg(jnp.arange(3)).tolist()", "[0, -1, -2]"))
abs = unary(ops.Abs, "The absolute value |x|; of complex numbers, their modulus. Its derivative at 0 is 0.",
            ("abs(jnp.array([-1, 2])).tolist()", "[1, 2]"))
sign = unary(ops.Sign, "-1, 0 or 1 by the sign of x, and x / |x| for complex x; NaN where x is.",
             ("sign(jnp.array([-5, 0, 3])).tolist()", "[-1, 0, 1]"))
square = unary(ops.Square, "x * x.", ("square(jnp.arange(3)).tolist()", "[0, 1, 4]"))
one_minus_square = unary(ops.OneMinusSquare, "1 - x * x, to full precision where that is near 0.",
                         ("float(one_minus_square(0.5))", "0.75"))
floor = unary(ops.Floor, "The largest integer that is not above x.", ("float(floor(-1.5))", "-2.0"))
ceil = unary(ops.Ceil, "The smallest integer that is not below x.", ("float(ceil(-1.5))", "-1.0"))
is_finite = unary(ops.IsFinite, "Whether x is neither infinite nor NaN, as booleans.",
                  ("is_finite(jnp.array([1.0, jnp.inf])).tolist()", "[True, False]"))


def mul(x, y, *, out_dtype=None):
    """The product x * y; with `out_dtype`, of the operands converted to that dtype.

    x and y are arrays or scalars of numbers, of one dtype (TypeError otherwise) and one rank, where sizes of 1 are
    repeated; scalars go with every shape.

    >>> import gnomon.numpy as jnp
    >>> mul(jnp.arange(3), 2).tolist()
    [0, 2, 4]
    """
    x, y = values("mul", (x, y))
    if out_dtype is not None:
        wanted = requested_dtype(out_dtype)
        x, y = convert.convert_element_type(x, wanted), convert.convert_element_type(y, wanted)
    return bind(_mul, x, y)


def integer_pow(x, y):
    """x to the power y, a Python integer, by repeated squaring. TypeError for a negative power of integers.

    >>> import gnomon.numpy as jnp
    >>> integer_pow(jnp.arange(4), 2).tolist()
    [0, 1, 4, 9]
    """
    x, y = as_value(x, "integer_pow", 0), integer(y, "integer_pow", "power")
    return ops.integer_pow(x, y)


def reciprocal(x):
    """1 / x, for floats and complex numbers; TypeError for integers.

    >>> float(reciprocal(4.0))
    0.25
    """
    return integer_pow(x, -1)


def polynomial(x, coeffs, *, unroll=None):
    """coeffs[0] + coeffs[1] x + coeffs[2] x^2 + ..., with derivatives that are polynomials again.

    `coeffs` is a sequence of scalars or arrays of the dtype and rank of x (TypeError otherwise, or if it is empty). The
    recurrence is written out, however long; `unroll` is accepted for JAX's sake.

    >>> float(polynomial(3.0, [1.0, 5.0, 2.0]))
    34.0
    """
    x, *coeffs = values("polynomial", (x, *coeffs))
    if unroll is not None and unroll.__class__ is not bool:
        unroll = integer(unroll, "polynomial", "unroll")
    return ops.polynomial(x, coeffs, unroll)


def mulhi(x, y, /):
    """The upper half of the bits of the product of integers of one dtype.

    >>> import gnomon.numpy as jnp
    >>> int(mulhi(jnp.uint32(2 ** 31), jnp.uint32(6)))
    3
    """
    return bind(_mulhi, *values("mulhi", (x, y)))


def nextafter(x1, x2):
    """The next float after x1 in the direction of x2; both have one float dtype.

    >>> float(nextafter(1.0, 2.0)) > 1.0
    True
    """
    return bind(_nextafter, *values("nextafter", (x1, x2)))


def round(x, rounding_method=RoundingMethod.AWAY_FROM_ZERO):
    """The integer nearest to x; `rounding_method` says where numbers in the middle go. TypeError unless x holds floats.

    >>> float(round(2.5)), float(round(2.5, RoundingMethod.TO_NEAREST_EVEN))
    (3.0, 2.0)
    """
    return bind(ops.Round(RoundingMethod(rounding_method)), as_value(x, "round", 0))


def clamp(min, x, max):
    """x held between `min` and `max`, which are scalars or have the shape of x; all have one dtype (TypeError
    otherwise).

    >>> import gnomon.numpy as jnp
    >>> clamp(1, jnp.arange(5), 3).tolist()
    [1, 1, 2, 3, 3]
    """
    low, x, high = values("clamp", (min, x, max))
    for name, bound in (("min", low), ("max", high)):
        if bound.type.shape not in ((), x.type.shape):
            raise TypeError(f"clamp requires {name}.shape == operand.shape or {name}.shape == (), got {name}.shape="
                            f"{bound.type.shape}, operand.shape={x.type.shape}.")
    return ops.clamp(low, x, high)


_mul, _mulhi, _nextafter = ops.Mul(), ops.MulHi(), ops.Nextafter()

# ---- complex numbers --------------------------------------------------------------------------------------------

real = unary(complex_parts.Real, "The real part.", ("float(real(1 + 2j))", "1.0"))
imag = unary(complex_parts.Imag, "The imaginary part.", ("float(imag(1 + 2j))", "2.0"))
complex = binary(complex_parts.Complex, "The complex number x + iy.", ("complex(1.0, 2.0).item()", "(1+2j)"))


def conj(x):
    """The complex conjugate; of float32 and float64, x as a complex number. TypeError for other dtypes.

    >>> conj(1 + 2j).item()
    (1-2j)
    """
    return complex_parts.conj(as_value(x, "conj", 0))


# ---- comparisons and bits ---------------------------------------------------------------------------------------

eq = binary(compare.Eq, "x == y, as booleans.", ("eq(jnp.arange(3), 1).tolist()", "[False, True, False]"))
ne = binary(compare.Ne, "x != y, as booleans.", ("ne(jnp.arange(3), 1).tolist()", "[True, False, True]"))
lt = binary(compare.Lt, "x < y, as booleans.", ("lt(jnp.arange(3), 1).tolist()", "[True, False, False]"))
le = binary(compare.Le, "x <= y, as booleans.", ("le(jnp.arange(3), 1).tolist()", "[True, True, False]"))
gt = binary(compare.Gt, "x > y, as booleans.", ("gt(jnp.arange(3), 1).tolist()", "[False, False, True]"))
ge = binary(compare.Ge, "x >= y, as booleans.", ("ge(jnp.arange(3), 1).tolist()", "[False, True, True]"))

bitwise_and = binary(compare.And, "x & y.", ("int(bitwise_and(6, 3))", "2"), "bitwise_and")
bitwise_or = binary(compare.Or, "x | y.", ("int(bitwise_or(6, 3))", "7"), "bitwise_or")
bitwise_xor = binary(compare.Xor, "x ^ y.", ("int(bitwise_xor(6, 3))", "5"), "bitwise_xor")
shift_left = binary(compare.ShiftLeft, "x << y; 0 where y is negative or not below the number of bits.",
                    ("int(shift_left(3, 2))", "12"))
shift_right_logical = binary(compare.ShiftRightLogical, "x >> y with zeros moving in.",
                             ("int(shift_right_logical(-1, 28))", "15"))
shift_right_arithmetic = binary(compare.ShiftRightArithmetic, "x >> y with copies of the sign moving in.",
                                ("int(shift_right_arithmetic(-8, 1))", "-4"))
population_count = unary(compare.PopulationCount, "The number of ones among the bits of x.",
                         ("int(population_count(7))", "3"))
clz = unary(compare.Clz, "The number of zeros before the first one among the bits of x.", ("int(clz(1))", "31"))


def bitwise_not(x):
    """~x, of booleans or integers; TypeError for other dtypes.

    >>> int(bitwise_not(0))
    -1
    """
    return compare.bitwise_not(as_value(x, "bitwise_not", 0))


# ---- selection --------------------------------------------------------------------------------------------------

def select(pred, on_true, on_false):
    """`on_true` where `pred`, else `on_false`: arrays of one shape and dtype (TypeError otherwise). `pred` is boolean,
    and a scalar or of that shape. Both are computed; the one not taken has no part in the derivative.

    >>> import gnomon.numpy as jnp
    >>> select(jnp.array([True, False]), jnp.array([1, 2]), jnp.array([3, 4])).tolist()
    [1, 4]
    """
    return select_n(pred, on_false, on_true)


def select_n(which, *cases):
    """Elementwise, the case that `which` numbers: `cases` are arrays of one shape and dtype (TypeError otherwise);
    `which` holds booleans (for two cases) or integers, and is a scalar or of that shape.

    >>> import gnomon.numpy as jnp
    >>> select_n(jnp.array([0, 2, 1]), jnp.zeros(3), jnp.ones(3), jnp.full(3, 5.0)).tolist()
    [0.0, 5.0, 1.0]
    """
    if not cases:
        raise ValueError("select_n() must have at least one case")
    which, cases = as_value(which, "select_n", 0), values("select_n", cases)
    shapes = [c.type.shape for c in cases]
    if any(s != shapes[0] for s in shapes):
        raise TypeError(f"select cases must have the same shapes, got [{', '.join(map(str, shapes))}].")
    t = which.type
    if t.shape not in ((), shapes[0]):
        raise TypeError(f"select `which` must be scalar or have the same shape as cases, got `which` shape {t.shape} "
                        f"but case shape {shapes[0]}.")
    if not is_bool(t.dtype):
        if not is_integer(t.dtype):
            raise TypeError(f"select `which` must be boolean or integer type, got {short_name(t.dtype)}.")
        which = convert.convert_element_type(which, _INT32)
    return compare.select_n(which, *cases)


_INT32 = np.dtype("int32")

# ---- conversion -------------------------------------------------------------------------------------------------

def convert_element_type(operand, new_dtype):
    """The same numbers in another dtype: floats become integers by truncation, anything but 0 becomes True. The
    imaginary part of complex numbers is lost with a warning. TypeError where one of the dtypes is that of random keys
    and the other is not.

    >>> import gnomon.numpy as jnp
    >>> convert_element_type(jnp.array([1.7, -1.7]), jnp.int32).tolist()
    [1, -1]
    """
    x, wanted = as_value(operand, "convert_element_type", 0), requested_dtype(new_dtype)
    if is_complex(x.type.dtype) and not is_complex(wanted) and not is_bool(wanted):
        warnings.warn("Casting complex values to real discards the imaginary part", np.exceptions.ComplexWarning,
                      stacklevel=2)
    return convert.convert_element_type(x, wanted)


def bitcast_convert_type(operand, new_dtype):
    """The bits of the operand read as another dtype of integers or floats (TypeError otherwise). To a narrower dtype,
    the parts of each element are a new last dimension; to a wider one, the last dimension holds the parts and goes
    (ValueError if it does not fit).

    >>> import gnomon.numpy as jnp
    >>> hex(int(bitcast_convert_type(jnp.float32(1.0), jnp.uint32)))
    '0x3f800000'
    """
    return convert.bitcast_convert_type(as_value(operand, "bitcast_convert_type", 0), requested_dtype(new_dtype))


def reduce_precision(operand, exponent_bits, mantissa_bits):
    """Floats rounded to a format of so many exponent and mantissa bits, their dtype kept. TypeError for other dtypes.

    >>> float(reduce_precision(1.2345678, 5, 10))
    1.234375
    """
    x = as_value(operand, "reduce_precision", 0)
    return convert.reduce_precision(x, integer(exponent_bits, "reduce_precision", "exponent_bits"),
                                    integer(mantissa_bits, "reduce_precision", "mantissa_bits"))


def stage(x, /):
    """The value as an array, or, while a function is being recorded, as a value of that record: Python's numbers and NumPy
    arrays need not wait for the first operation.

    >>> stage(1.5).weak_type
    True
    """
    return as_value(x, "stage", 0)


def dtype(x):
    """The dtype of an array, a scalar, or of what stands for a dtype; 64 bits are 32 while enable_x64 is off.

    >>> str(dtype(1.0))
    'float32'
    """
    if isinstance(x, (bool, int, float, complex_number)):
        x = type(x)
    found = x.type.dtype if isinstance(x, Value) else getattr(x, "dtype", x)
    return found if is_key(found) else canonicalize(found, current.enable_x64)


complex_number = type(0j)


__test__ = made_elsewhere(globals())
