"""The errors that Gnomon raises, under JAX's names."""
from gnomon.base.errors import *  # noqa: F401,F403
