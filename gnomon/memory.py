"""Where arrays are: on the device or in the host's memory."""
from gnomon.types.memory import Space

__all__ = ["Space"]
