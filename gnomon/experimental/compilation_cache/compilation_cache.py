"""Where compiled programs are kept on disk."""
from gnomon.base.settings import config as _config

__all__ = ["reset_cache", "set_cache_dir"]


def set_cache_dir(path: str) -> None:
    """Keep compiled programs in a folder: the same as ``config.update("compilation_cache_dir", path)``."""
    _config.update("compilation_cache_dir", path)


def reset_cache() -> None:
    """Nothing: programs that are compiled stay with their functions."""
