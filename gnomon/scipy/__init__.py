"""gnomon.scipy: SciPy's functions on Gnomon's arrays. A submodule is loaded when it is first asked for."""
from __future__ import annotations

import importlib

SUBMODULES = ("cluster", "fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "sparse", "spatial", "special",
              "stats")


def __getattr__(name):
    if name in SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; its submodules are {', '.join(SUBMODULES)}.")


def __dir__():
    return list(SUBMODULES)
