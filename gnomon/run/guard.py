"""Transfer guards: copies between the host and devices, and between devices, that the settings `transfer_guard_...` log or forbid."""
from __future__ import annotations

import contextlib
import threading

from gnomon.base.errors import JaxRuntimeError
from gnomon.base.late import Late
from gnomon.base.settings import current

logging = Late("logging")
HOW = {"host_to_device": "Put it there with device_put first.", "device_to_device": "Move it there with device_put first.",
       "device_to_host": "Read it with device_get."}
asked = threading.local()       # asked.for_it: whether the user asks for the copies that are made now


def check(direction, t, explicit=False):
    """Log a copy of a value of type `t`, or raise JaxRuntimeError, as the guard for this direction says. The guards of copies that the
    user did not ask for let pass those that he did (`explicit`)."""
    level = getattr(current, f"transfer_guard_{direction}")
    if level is None or level == "allow":
        return
    explicit = explicit or getattr(asked, "for_it", False)
    what = f"{direction.replace('_', '-')} transfer of a value of type {t}"
    if level == "disallow_explicit" or level == "disallow" and not explicit:
        raise JaxRuntimeError(f"Disallowed {what}: the setting transfer_guard_{direction} is {level!r}. "
                              + (HOW[direction] if not explicit else "Leave it out, or make it outside of the guard."))
    if level == "log_explicit" or level == "log" and not explicit:
        logging.getLogger("gnomon").warning(what)


@contextlib.contextmanager
def asked_for():
    """Context manager: copies inside are what the user asks for."""
    outer = getattr(asked, "for_it", False)
    asked.for_it = True
    try:
        yield
    finally:
        asked.for_it = outer
