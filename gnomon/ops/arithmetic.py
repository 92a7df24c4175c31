"""Arithmetic: add, sub, mul, div, rem, pow, max, min, neg, sign, abs, integer_pow, ..."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.op import LINEAR, MULTILINEAR, is_linear
from gnomon.ops.compare import eq, gt, lt, select_n
from gnomon.ops.elementwise import Elementwise, full_scalar, unbroadcast  # noqa: F401 - transforms take it from here
from gnomon.ops.shape import broadcast_in_dim
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_bool, is_key

NOT_LINEAR = Refused("it is not linear, so it can only be differentiated forward first (grad and vjp do that)")


def is_number(dtype):
    return not (is_bool(dtype) or is_key(dtype))


def broadcast_like(x, like):
    """`x`, elementwise-compatible with `like`, repeated to its shape."""
    t, shape = x.type, like.type.shape
    if t.shape == shape:
        return x
    to = tuple(range(len(shape))) if t.shape else ()
    return broadcast_in_dim(x, shape, to)


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
        return (mul(ct, y), None) if is_linear(x) else (None, mul(x, ct))

    def host(self, x, y):
        return np.multiply(x, y)


class Neg(Elementwise):
    """-x."""

    hlo, accepts, accepts_text = "stablehlo.negate", staticmethod(is_number), "numbers"
    derivative = LINEAR

    def transpose(self, ct, x):
        return neg(ct),

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
        return div(ct, y), None

    def host(self, x, y):
        return np.divide(x, y) if x.dtype.kind == "f" else NotImplemented


def share(wins, x, y):
    """How much of the result an operand of max or min is: 1 where it wins, 1/2 in a tie, 0 elsewhere."""
    half = select_n(eq(x, y), full_scalar(x, 0), full_scalar(x, 0.5))
    return select_n(wins, half, full_scalar(x, 1))


class Max(Elementwise):
    """The larger of x and y; NaN where either is."""

    hlo, accepts, accepts_text = "stablehlo.maximum", None, ""
    transpose = NOT_LINEAR
    derivative = (lambda out, x, y: share(gt(x, y), x, y), lambda out, x, y: share(lt(x, y), x, y))

    def host(self, x, y):
        return np.maximum(x, y) if x.dtype.kind in "iu" else NotImplemented


class Min(Elementwise):
    """The smaller of x and y; NaN where either is."""

    hlo, accepts, accepts_text = "stablehlo.minimum", None, ""
    transpose = NOT_LINEAR
    derivative = (lambda out, x, y: share(lt(x, y), x, y), lambda out, x, y: share(gt(x, y), x, y))

    def host(self, x, y):
        return np.minimum(x, y) if x.dtype.kind in "iu" else NotImplemented


class IntegerPow(Elementwise):
    """x to the power `y`, a Python integer."""

    y: int

    accepts, accepts_text = staticmethod(is_number), "numbers"
    transpose = NOT_LINEAR
    hlo = "stablehlo.power"

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


class Sign(Elementwise):
    """-1, 0 or 1 by the sign of x (x / |x| for complex x); NaN stays NaN."""

    hlo, accepts, accepts_text = "stablehlo.sign", staticmethod(is_number), "numbers"
    derivative = (None,)
    transpose = NOT_LINEAR

    def lower(self, emit, x):
        if emit.out.dtype.kind == "u":
            zero, one = emit.constant_like(x, 0), emit.constant_like(x, 1)
            return emit("stablehlo.select", [emit.compare("EQ", x, zero), zero, one])
        return emit.elementwise(self.hlo, [x])


# ---- functions on values ---------------------------------------------------------------------------------------

_add, _add_any, _sub, _mul, _div, _neg, _max, _min = Add(), AddAny(), Sub(), Mul(), Div(), Neg(), Max(), Min()


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


def neg(x):
    return bind(_neg, x)


def maximum(x, y):
    return bind(_max, x, y)


def minimum(x, y):
    return bind(_min, x, y)


def integer_pow(x, y):
    return x if y == 1 else bind(IntegerPow(y), x)

