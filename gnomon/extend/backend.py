"""The clients behind the devices."""
from gnomon.run.client import default_device as get_default_device, get_client as get_backend

__all__ = ["get_backend", "get_default_device"]
