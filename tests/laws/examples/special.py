"""Examples of gnomon.ops.special."""
from gnomon.ops.special import (BesselI0, BesselI0e, BesselI1, BesselI1e, Digamma, Erf, Erfc, ErfInv, Igamma, IgammaGradA, Igammac, Lgamma,
                                Polygamma, RandomGammaGrad, RegularizedIncompleteBeta, RegularizedIncompleteBetaGrad,
                                Zeta, ZetaGradS)

from tests.laws.examples import example

FLOATS = ("f32[5]", "f64[5]", "f16[5]", "bf16[5]")
PAIRS = (("f32[3,4]", "f32[3,4]"), ("f32[]", "f32[3]"))

BETA = {"low": {0: 0.4, 1: 0.4, 2: 0.05}, "high": {0: 4, 1: 4, 2: 0.95}}


def order(rng, shape, dtype):
    return rng.integers(1, 4, shape)


EXAMPLES = [
    *[example(op, t) for op in (Erf(), Erfc(), BesselI0e(), BesselI1e(), BesselI0(), BesselI1()) for t in FLOATS],
    *[example(op, "f32[7]", low=-20, high=20) for op in (BesselI0e(), BesselI1e())],
    *[example(ErfInv(), t, low=-0.9, high=0.9) for t in FLOATS],
    *[example(op, t, low=0.3, high=5) for op in (Lgamma(), Digamma()) for t in FLOATS],
    *[example(op, "f32[5]", low=-1.8, high=-1.2) for op in (Lgamma(), Digamma())],

    # these take long to compile, so there are few; the law of dtypes tries them in others, and the second derivatives of the functions
    # the derivatives of what they are made of
    *[example(Polygamma(), *types, low=0.4, high=4, make={0: order}, moving=(1,)) for types in PAIRS],
    *[example(Zeta(), *types, low=1.5, high=4) for types in PAIRS],
    example(ZetaGradS(1), "f64[3]", "f64[3]", low=1.5, high=4, differentiable=False),
    example(Igamma(), *PAIRS[0], low=0.3, high=6),
    example(Igammac(), "f64[3]", "f64[3]", low=0.3, high=6),
    example(IgammaGradA(), "f64[3]", "f64[3]", low=0.3, high=6, differentiable=False),
    example(RandomGammaGrad(), "f64[3]", "f64[3]", low=0.3, high=6),
    example(RegularizedIncompleteBeta(), "f64[3]", "f64[3]", "f64[3]", **BETA),
    example(RegularizedIncompleteBetaGrad(1, 0), "f64[3]", "f64[3]", "f64[3]", **BETA, differentiable=False),
]
