"""Examples of gnomon.ops.special."""
from gnomon.ops.special import (BesselI0e, BesselI1e, Digamma, Erf, Erfc, ErfInv, Igamma, IgammaGradA, Igammac, Lgamma,
                                Polygamma, RandomGammaGrad, RegularizedIncompleteBeta, RegularizedIncompleteBetaGradA, Zeta)

from tests.laws.examples import example

FLOATS = ("f32[3,4]", "f64[3]", "f16[5]", "bf16[5]")
ONCE = {"second": "the second derivative in the parameter has no closed form"}
PAIRS = (("f32[3,4]", "f32[3,4]"), ("f32[]", "f32[3]"), ("f64[2,1]", "f64[1,2]"), ("bf16[4]", "bf16[4]"))


def order(rng, shape, dtype):
    return rng.integers(1, 4, shape)


EXAMPLES = [
    *[example(op, t) for op in (Erf(), Erfc(), BesselI0e(), BesselI1e()) for t in FLOATS],
    *[example(op, "f32[7]", low=-20, high=20) for op in (BesselI0e(), BesselI1e())],
    *[example(ErfInv(), t, low=-0.9, high=0.9) for t in FLOATS],
    *[example(op, t, low=0.3, high=5) for op in (Lgamma(), Digamma()) for t in FLOATS],
    *[example(op, "f32[5]", low=-1.8, high=-1.2) for op in (Lgamma(), Digamma())],

    *[example(Polygamma(), *types, low=0.4, high=4, make={0: order}, moving=(1,)) for types in PAIRS],
    *[example(Zeta(), *types, low=1.5, high=4, moving=(1,)) for types in PAIRS],
    *[example(op, *types, low=0.3, high=6, without=ONCE) for op in (Igamma(), Igammac()) for types in PAIRS],
    *[example(op, "f32[4]", "f32[4]", low=0.3, high=6, moving=(1,)) for op in (Igamma(), Igammac())],
    *[example(IgammaGradA(), *types, low=0.3, high=6, moving=(1,)) for types in PAIRS],
    *[example(RandomGammaGrad(), *types, low=0.3, high=6, differentiable=False) for types in PAIRS],
    *[example(op, *types, low={0: 0.4, 1: 0.4, 2: 0.05}, high={0: 4, 1: 4, 2: 0.95}, **more)
      for op, more in ((RegularizedIncompleteBeta(), {"without": ONCE}), (RegularizedIncompleteBetaGradA(), {"moving": (2,)}))
      for types in (("f32[3,4]",) * 3, ("f32[]", "f32[3]", "f32[3]"), ("bf16[4]",) * 3)],
    example(RegularizedIncompleteBeta(), "f32[3]", "f32[3]", "f32[3]", low={0: 0.4, 1: 0.4, 2: 0.05},
            high={0: 4, 1: 4, 2: 0.95}, moving=(2,)),
]
