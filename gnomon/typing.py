"""Type aliases for annotations: what functions of gnomon.numpy take."""
from gnomon.api.aliases import ArrayLike, DTypeLike

__all__ = ["ArrayLike", "DTypeLike"]
