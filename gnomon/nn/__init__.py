"""gnomon.nn: activation functions and other pieces of neural networks."""
from gnomon.nn import initializers  # noqa: F401
from gnomon.nn.activations import *  # noqa: F401,F403
from gnomon.nn.attention import *  # noqa: F401,F403
from gnomon.nn.normalization import *  # noqa: F401,F403
