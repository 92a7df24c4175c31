"""Activation functions whose derivative is best said as a whole."""
from __future__ import annotations

from gnomon.ops.exponential import Function, function, logistic
from gnomon.ops.longhand import exp as exp_longhand, log1p as log1p_longhand, where, written
from gnomon.types.dtype import is_float


class Softplus(Function):
    """log(1 + exp(x)) without overflow. Its derivative is logistic(x), at 0 and far from 0 too."""

    accepts, accepts_text = staticmethod(is_float), "floats"
    derivative = (lambda out, x: logistic(x),)

    @written
    def lower(self, x):
        return where(x < 0.0, 0.0, x) + log1p_longhand(exp_longhand(-abs(x)))


softplus = function(Softplus)
