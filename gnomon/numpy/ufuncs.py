"""All elementwise functions as plain functions. Those that NumPy gives methods are wrapped in gnomon.numpy.ufunc_objects."""
from gnomon.numpy import float_bits, logic, mathematics
from gnomon.numpy.float_bits import *  # noqa: F401,F403
from gnomon.numpy.logic import *  # noqa: F401,F403
from gnomon.numpy.logic import bitwise_and, bitwise_or, bitwise_xor, logical_and, logical_or, logical_xor  # noqa: F401
from gnomon.numpy.mathematics import *  # noqa: F401,F403
from gnomon.numpy.mathematics import (add, logaddexp, logaddexp2, maximum, minimum, multiply, negative,  # noqa: F401
                                      subtract)

__all__ = [*float_bits.__all__, *logic.__all__, *mathematics.__all__]
