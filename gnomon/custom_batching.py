"""Functions whose batching their author gives."""
from gnomon.api.custom_vmap import custom_vmap, sequential_vmap

__all__ = ["custom_vmap", "sequential_vmap"]
