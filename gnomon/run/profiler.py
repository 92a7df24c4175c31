"""XLA's profiler: traces of what runs when, on the host and on the devices."""
from __future__ import annotations

import contextlib
import functools
import os

from jaxlib import _profile_data, _profiler

from gnomon.run import client

ProfileOptions = _profiler.ProfileOptions
TraceAnnotation = _profiler.TraceMe
ProfileData, ProfileEvent = _profile_data.ProfileData, _profile_data.ProfileEvent
ProfileLine, ProfilePlane = _profile_data.ProfileLine, _profile_data.ProfilePlane
_running = None         # (session, folder) of the trace that `start_trace` began


class StepTraceAnnotation(TraceAnnotation):
    """Context manager that marks one step of a loop in the trace: ``with StepTraceAnnotation("train", step_num=i):``."""

    def __init__(self, name: str, **details):
        super().__init__(name, _r=1, **details)


def start_trace(log_dir, create_perfetto_link=False, create_perfetto_trace=False, profiler_options=None):
    """Begin a trace that `stop_trace` writes to a folder, for TensorBoard or XProf. RuntimeError if one is running."""
    global _running
    if _running is not None:
        raise RuntimeError(f"A profile into {_running[1]} has already been started; only one can run at a time. Call stop_trace first.")
    if create_perfetto_link or create_perfetto_trace:
        raise NotImplementedError("start_trace writes no Perfetto file; open the folder with XProf or TensorBoard.")
    client.devices()            # the devices must be there to be traced
    session = _profiler.ProfilerSession() if profiler_options is None else _profiler.ProfilerSession(profiler_options)
    _running = session, os.fspath(log_dir)


def stop_trace():
    """End the trace and write it. RuntimeError if none is running."""
    global _running
    if _running is None:
        raise RuntimeError("No profile started: call start_trace first.")
    session, folder = _running
    _running = None
    session.stop_and_export(folder)


@contextlib.contextmanager
def trace(log_dir, create_perfetto_link=False, create_perfetto_trace=False, profiler_options=None):
    """Context manager: a trace of what runs inside, written to a folder."""
    start_trace(log_dir, create_perfetto_link, create_perfetto_trace, profiler_options)
    try:
        yield
    finally:
        stop_trace()


def annotate_function(func, name: str | None = None, **details):
    """The function with every call of it marked in the trace.

    >>> annotate_function(lambda x: x + 1, name="step")(1)
    2
    """
    label = name or getattr(func, "__qualname__", None) or getattr(func, "__name__", type(func).__name__)

    @functools.wraps(func)
    def annotated(*args, **kwargs):
        with TraceAnnotation(label, **details):
            return func(*args, **kwargs)
    return annotated


def device_memory_profile(backend: str | None = None) -> bytes:
    """What is in the devices' memory now, in the format of pprof (gzipped)."""
    return client.get_client(backend).heap_profile()


def save_device_memory_profile(filename, backend: str | None = None) -> None:
    """Write `device_memory_profile` to a file."""
    with open(filename, "wb") as file:
        file.write(device_memory_profile(backend))


_server = None


def start_server(port: int, requires_backend: bool = True):
    """Let XProf take traces of this process through a port. ValueError if a server runs already."""
    global _server
    if _server is not None:
        raise ValueError("Only one profiler server can be active at a time. Call stop_server first.")
    if requires_backend:
        client.devices()
    _server = _profiler.start_server(port)
    return _server


def stop_server():
    """End the server. ValueError if there is none."""
    global _server
    if _server is None:
        raise ValueError("No active profiler server.")
    _server = None
