"""Examples of activation functions."""
from gnomon.ops.activation import Softplus
from tests.laws.examples import example

EXAMPLES = [
    example(Softplus(), "f32[3,4]", low=-30., high=30.),
    example(Softplus(), "f32[2]*", make={0: lambda rng, shape, dtype: [0.0, -0.0]}),
    example(Softplus(), "bf16[5]"),
    example(Softplus(), "f16[]"),
]
