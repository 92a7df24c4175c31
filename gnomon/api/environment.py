"""What there is: print_environment_info, live_arrays, and the older names of the process functions."""
from __future__ import annotations

import gc
import platform
import sys

import numpy as np

from gnomon.base.version import VERSION
from gnomon.run.array import Array
from gnomon.run.client import default_backend, device_count, devices, local_device_count, process_count, process_index, process_indices
from gnomon.run.xla import VERSION as JAXLIB_VERSION


def environment_text() -> str:
    """Versions, devices and the machine, one a line."""
    kinds = list(dict.fromkeys(d.device_kind for d in devices()))
    facts = {
        "gnomon": VERSION, "jaxlib": JAXLIB_VERSION, "numpy": np.__version__, "python": sys.version,
        "device info": f"{', '.join(kinds)}-{device_count()}, {local_device_count()} local devices",
        "process_count": process_count(), "platform": platform.uname(), "default backend": default_backend(),
    }
    width = max(map(len, facts)) + 1
    return "\n".join(f"{name + ':':<{width}} {fact}" for name, fact in facts.items())


def print_environment_info(return_string: bool = False) -> str | None:
    """Print versions, devices and the machine, for a bug report; or return the text.

    >>> print_environment_info(return_string=True).splitlines()[0].split()[0]
    'gnomon:'
    """
    text = environment_text()
    if return_string:
        return text
    print(text)
    return None


def live_arrays(platform: str | None = None) -> list:
    """All arrays that are alive and not deleted, on one platform or on the default one.

    >>> import gnomon.numpy as jnp
    >>> x = jnp.ones(3)
    >>> any(x is y for y in live_arrays())
    True
    """
    here = set(devices(platform))
    return [x for x in gc.get_objects() if x.__class__ is Array and not x.is_deleted() and here & x.devices()]


def host_count(backend: str | None = None) -> int:
    """The older name of `process_count`."""
    return process_count(backend)


def host_id(backend: str | None = None) -> int:
    """The older name of `process_index`."""
    return process_index(backend)


def host_ids(backend: str | None = None) -> list[int]:
    """The older name of `process_indices`."""
    return process_indices(backend)
