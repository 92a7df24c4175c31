"""Special functions of scipy.special."""
import numpy as np

from gnomon.ops.special_integrals import (CosineIntegral, Dawsn, Erfcinv, Erfcx, Exp1, Expi, Expn, FresnelC, FresnelS, Gamma, Hyp1f1,
                                          Hyp1f1Grad, Hyp2f1, LogGamma, LogNdtr, Ndtr, Ndtri, OwensT, SineIntegral, Spence)
from gnomon.ops.special_logarithms import Xlog1py, Xlogy

from tests.laws.examples import example


def at(*values):
    """A maker of the same numbers every time, at which branches meet."""
    return {0: lambda rng, shape, dtype: np.resize(np.array(values), shape)}


EXAMPLES = [
    example(Expi(), "f32[6]", make=at(-3, -0.5, 0.7, 5, 7, 20)),
    example(Exp1(), "f32[5]", make=at(0.1, 0.9, 1.5, 4, 11)),
    example(Expn(), "f32[6]", "f32[6]", make={0: lambda rng, shape, dtype: np.arange(6), **{1: at(0.3, 2.1, 0.7, 3.3, 5.1, 0.9)[0]}}, moving=(1,)),
    example(FresnelS(), "f32[6]", make=at(-3, -0.5, 0, 1.2, 1.7, 4)),
    example(FresnelC(), "f32[6]", make=at(-3, -0.5, 0, 1.2, 1.7, 4)),
    example(SineIntegral(), "f32[6]", make=at(-10, -0.5, 0, 2, 5, 12)),
    example(CosineIntegral(), "f32[5]", make=at(-2, 0.5, 2, 5, 12)),
    example(Erfcx(), "f32[6]", make=at(-2, -0.5, 0, 2, 7, 12)),
    example(Dawsn(), "f32[7]", make=at(-6, -0.5, 0, 1.5, 3, 7, 15)),
    example(Erfcinv(), "f32[5]", make=at(1e-3, 0.3, 0.7, 1.2, 1.9)),
    example(Ndtr(), "f32[5]", make=at(-4, -0.5, 0, 0.7, 3)),
    example(Ndtri(), "f32[5]", make=at(1e-3, 0.2, 0.5, 0.7, 0.99)),
    example(LogNdtr(), "f32[6]", make=at(-30, -3, -0.5, 0.1, 1, 4)),
    example(OwensT(), "f32[2,4]", "f32[2,4]"),
    example(Gamma(), "f32[6]", make=at(-3.4, -0.7, 0.3, 2.5, 7.5, 9)),
    example(LogGamma(), "f32[8]", make=at(-3.4, -0.3, 0.3, 1, 1.5, 2, 5, 12)),
    example(Spence(), "f32[6]", make=at(0.2, 0.6, 1, 1.5, 3, 8)),
    example(Hyp1f1(), "f64[4]", "f64[4]", "f64[4]", low={0: 0.5, 1: 0.5, 2: -3}, high=3),
    example(Hyp1f1Grad(1, 0), "f32[4]", "f32[4]", "f32[4]", low={0: 0.5, 1: 0.5, 2: -3}, high=3, differentiable=False),
    example(Hyp1f1Grad(0, 1), "f64[4]", "f64[4]", "f64[4]", low={0: 0.5, 1: 0.5, 2: -3}, high=3, differentiable=False),
    example(Hyp2f1(), "f32[6]", "f32[6]", "f32[6]", "f32[6]", low=0.3, high=3, make={3: at(-4, -0.3, 0.2, 0.7, 0.93, 0.96)[0]}, moving=(3,),
            rtol=1e-4),
    example(Xlogy(), "f32[3]", "f32[3]", low=0.2),
    example(Xlog1py(), "f32[3]", "f32[3]", low=-0.7),
]
