"""The runtime: devices, compiled programs and arrays. The only room that imports jaxlib."""
import os

# XLA tells of every client it starts; say nothing less than warnings, unless the user set a level.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
