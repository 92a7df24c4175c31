"""Activation functions, element by element.

They take arrays of any shape and numbers, and turn integers into floats unless their docstring says otherwise.
Derivatives are right where pieces meet, too.
"""
from __future__ import annotations

import functools
import math

from gnomon.api.custom import custom_jvp
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import SCALARS, as_value, to_inexact
from gnomon.numpy.selection import where
from gnomon.numpy.ufuncs import add, divide, expm1, multiply
from gnomon.numpy.ufuncs import tanh as tanh
from gnomon.ops import activation
from gnomon.ops.arithmetic import absolute, clamp, div, integer_pow, maximum, minimum, mul, neg, square
from gnomon.ops.arithmetic import add as plus
from gnomon.ops.compare import ge, gt, le, lt, select_n
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import expm1 as expm1_op
from gnomon.ops.exponential import exp, log, log1p, logistic, sqrt
from gnomon.ops.special import erfc
from gnomon.ops.trigonometric import tanh as tanh_op

__all__ = ["celu", "elu", "gelu", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh", "identity", "leaky_relu", "log1mexp",
           "log_sigmoid", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "soft_sign", "softplus", "sparse_plus",
           "sparse_sigmoid", "squareplus", "swish", "tanh"]


def number(x, value):
    return full_scalar(x, value)


def elementwise(function, convert=to_inexact):
    """A function of one value, and numbers that shape it, as a public function: eager calls run as one program."""
    name = function.__name__
    numbers = function.__code__.co_varnames[1:function.__code__.co_argcount]
    run = composite(static=numbers)(function)

    @functools.wraps(function)
    def call(x, *args, **kwargs):
        x = convert(as_value(x, name, 0))
        if all([a.__class__ in SCALARS for a in (*args, *kwargs.values())]):
            return run(x, *args, **kwargs)
        return function(x, *args, **kwargs)     # a number that is an array may be differentiated in
    return call


def as_it_is(x):
    return x


# ---- rectifiers -----------------------------------------------------------------------------------------------------

@functools.partial(elementwise, convert=as_it_is)
def relu(x):
    """max(x, 0), with derivative 0 at 0. Integers stay integers.

    >>> relu(-1.0), relu(2)
    (Array(0., dtype=float32, weak_type=True), Array(2, dtype=int32, weak_type=True))
    """
    zero = number(x, 0)
    return select_n(le(x, zero), x, zero)


@elementwise
def relu6(x):
    """min(max(x, 0), 6), with derivative 0 at 0 and at 6.

    >>> relu6(7.0)
    Array(6., dtype=float32, weak_type=True)
    """
    zero, six = number(x, 0), number(x, 6)
    return select_n(le(x, zero), select_n(ge(x, six), x, six), zero)


@elementwise
def leaky_relu(x, negative_slope=0.01):
    """x where x >= 0, negative_slope * x elsewhere.

    >>> leaky_relu(-1.0)
    Array(-0.01, dtype=float32, weak_type=True)
    """
    return where(ge(x, number(x, 0)), x, multiply(negative_slope, x))


def choose(condition, yes, no):
    return select_n(condition, no, yes)


@functools.partial(elementwise, convert=as_it_is)
def hard_tanh(x):
    """x kept between -1 and 1, with derivative 1 at both. Integers stay integers.

    >>> hard_tanh(3.0)
    Array(1., dtype=float32, weak_type=True)
    """
    low, high = number(x, -1), number(x, 1)
    return choose(gt(x, high), high, choose(lt(x, low), low, x))


@elementwise
def hard_sigmoid(x):
    """relu6(x + 3) / 6.

    >>> hard_sigmoid(0.0)
    Array(0.5, dtype=float32, weak_type=True)
    """
    return div(relu6(plus(x, number(x, 3))), number(x, 6))


@elementwise
def hard_silu(x):
    """x * hard_sigmoid(x); also called hard_swish.

    >>> hard_silu(3.0)
    Array(3., dtype=float32, weak_type=True)
    """
    return mul(x, hard_sigmoid(x))


hard_swish = hard_silu


@elementwise
def sparse_plus(x):
    """0 where x <= -1, x where x >= 1, (x + 1) ** 2 / 4 between.

    >>> sparse_plus(0.0)
    Array(0.25, dtype=float32, weak_type=True)
    """
    one = number(x, 1)
    between = div(integer_pow(plus(x, one), 2), number(x, 4))
    return choose(le(x, number(x, -1)), number(x, 0), choose(ge(x, one), x, between))


@elementwise
def sparse_sigmoid(x):
    """The derivative of sparse_plus: (x + 1) / 2 kept between 0 and 1.

    >>> sparse_sigmoid(0.0)
    Array(0.5, dtype=float32, weak_type=True)
    """
    shifted = plus(x, number(x, 1))
    return mul(number(x, 0.5), minimum(number(x, 2), maximum(number(x, 0), shifted)))


@elementwise
def squareplus(x, b=4):
    """(x + sqrt(x ** 2 + b)) / 2.

    >>> squareplus(0.0)
    Array(1., dtype=float32, weak_type=True)
    """
    return divide(add(x, sqrt(add(square(x), b))), 2)


# ---- exponential units ------------------------------------------------------------------------------------------------

def minus_one_below(x):
    """exp(x) - 1 where x <= 0; the lanes above are computed at 0, so that they do not overflow."""
    positive = gt(x, number(x, 0))
    return positive, expm1_op(select_n(positive, x, number(x, 0)))


@elementwise
def elu(x, alpha=1.0):
    """x where x > 0, alpha * (exp(x) - 1) elsewhere.

    >>> elu(1.0)
    Array(1., dtype=float32, weak_type=True)
    """
    positive, below = minus_one_below(x)
    return where(positive, x, multiply(alpha, below))


SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@elementwise
def selu(x):
    """1.0507 * elu(x, 1.67326): the constants that keep mean 0 and variance 1 from layer to layer.

    >>> selu(1.0)
    Array(1.050701, dtype=float32, weak_type=True)
    """
    positive, below = minus_one_below(x)
    return mul(number(x, SELU_SCALE), choose(positive, x, mul(number(x, SELU_ALPHA), below)))


@elementwise
def celu(x, alpha=1.0):
    """x where x > 0, alpha * (exp(x / alpha) - 1) elsewhere.

    >>> celu(1.0)
    Array(1., dtype=float32, weak_type=True)
    """
    zero = number(x, 0)
    return add(maximum(x, zero), multiply(alpha, expm1(divide(minimum(x, zero), alpha))))


# ---- sigmoids -------------------------------------------------------------------------------------------------------

def sigmoid(x):
    """1 / (1 + exp(-x)).

    >>> sigmoid(0.0)
    Array(0.5, dtype=float32, weak_type=True)
    """
    return logistic(to_inexact(as_value(x, "sigmoid", 0)))


def softplus(x):
    """log(1 + exp(x)).

    >>> softplus(0.0)
    Array(0.6931472, dtype=float32, weak_type=True)
    """
    return activation.softplus(to_inexact(as_value(x, "softplus", 0)))


@elementwise
def log_sigmoid(x):
    """log(sigmoid(x)), which is -softplus(-x).

    >>> log_sigmoid(0.0)
    Array(-0.6931472, dtype=float32, weak_type=True)
    """
    return neg(activation.softplus(neg(x)))


@elementwise
def silu(x):
    """x * sigmoid(x); also called swish.

    >>> silu(0.0)
    Array(0., dtype=float32, weak_type=True)
    """
    return mul(x, logistic(x))


swish = silu


@elementwise
def mish(x):
    """x * tanh(softplus(x)).

    >>> mish(0.0)
    Array(0., dtype=float32, weak_type=True)
    """
    return mul(x, tanh_op(activation.softplus(x)))


@elementwise
def soft_sign(x):
    """x / (|x| + 1).

    >>> soft_sign(1.0)
    Array(0.5, dtype=float32, weak_type=True)
    """
    return div(x, plus(absolute(x), number(x, 1)))


@elementwise
def gelu(x, approximate=True):
    """x times the normal distribution's cumulative function at x: by a formula with tanh, or with erf if not `approximate`.

    >>> gelu(1.0)
    Array(0.841192, dtype=float32, weak_type=True)
    """
    if approximate:
        # far from 0 tanh is 1 or -1, and powers of x must not overflow, for the derivative's sake
        near = clamp(number(x, -30), x, number(x, 30))
        inner = mul(number(x, math.sqrt(2 / math.pi)), plus(near, mul(number(x, 0.044715), integer_pow(near, 3))))
        return mul(x, mul(number(x, 0.5), plus(number(x, 1), tanh_op(inner))))
    return mul(mul(number(x, 0.5), x), erfc(mul(neg(x), number(x, math.sqrt(0.5)))))


# ---- the rest -------------------------------------------------------------------------------------------------------

def identity(x):
    """x as it is. Integers stay integers.

    >>> identity(2.0)
    Array(2., dtype=float32, weak_type=True)
    """
    return as_value(x, "identity", 0)


@custom_jvp
def stable_log1mexp(x):
    small = lt(x, number(x, math.log(2)))
    return choose(small, log(neg(expm1_op(neg(x)))), log1p(neg(exp(neg(x)))))


@stable_log1mexp.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return stable_log1mexp(x), div(t, expm1_op(x))


def log1mexp(x):
    """log(1 - exp(-x)) for x >= 0, to full precision for small and for large x.

    >>> log1mexp(1.0)
    Array(-0.458675..., dtype=float32, weak_type=True)
    """
    return stable_log1mexp(to_inexact(as_value(x, "log1mexp", 0)))
