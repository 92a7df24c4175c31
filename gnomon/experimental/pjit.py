"""The older name of `jit` with shardings."""
from gnomon.api.jit import jit as pjit

__all__ = ["pjit"]
