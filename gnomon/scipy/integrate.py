"""gnomon.scipy.integrate: integrals of sampled functions."""
from gnomon.numpy.signals import trapezoid

__all__ = ["trapezoid"]
