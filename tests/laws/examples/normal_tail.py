"""Examples of gnomon.ops.normal_tail."""
import numpy as np

from gnomon.ops.normal_tail import NormalTail

from tests.laws.examples import example

LOW, HIGH = {0: 0.05, 1: 3.0, 2: 9.0}, {0: 0.95, 1: 7.0, 2: 12.0}

EXAMPLES = [
    *[example(NormalTail(), *types, low=LOW, high=HIGH, moving=(1, 2), atol=1e-6)
      for types in (("f32[5]",) * 3, ("f64[3]",) * 3, ("bf16[4]",) * 3, ("f32[3,4]", "f32[3,1]", "f32[]"))],
    # an interval without an end, and one that is far out
    example(NormalTail(), "f32[5]", "f32[5]", "f32[5]", low=LOW, high=HIGH, moving=(1,),
            make={2: lambda rng, shape, dtype: np.full(shape, np.inf)}),
]
