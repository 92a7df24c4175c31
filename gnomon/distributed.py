"""Several processes that compute together."""
from gnomon.run.distributed import initialize, is_initialized, shutdown

__all__ = ["initialize", "is_initialized", "shutdown"]
