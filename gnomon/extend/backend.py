"""The clients behind the devices."""
from gnomon.api.absent import Absent as _Absent
from gnomon.api.jit import clear_caches as clear_in_memory_compilation_cache
from gnomon.run.client import clients as backends, default_device as get_default_device, get_client as _get_client, xla_version as backend_xla_version

_ONCE = "the devices are made once and stay as long as the process; set platforms or num_cpu_devices before the first use, or start a new process"
clear_backends = _Absent("clear_backends", _ONCE)
register_backend_factory = _Absent("register_backend_factory", "platforms are found by their installed plugins; install one as a package, and "
                                   "choose it with the setting `platforms`")
register_backend_cache = _Absent("register_backend_cache", "caches are kept by programs and emptied by clear_caches; keep your own beside it")
get_compile_options = _Absent("get_compile_options", "options are given to gnomon.jit(f, compiler_options={...}) or to .compile(...)")

__all__ = ["backend_xla_version", "backends", "clear_backends", "clear_in_memory_compilation_cache", "get_backend", "get_compile_options",
           "get_default_device", "register_backend_cache", "register_backend_factory"]


def get_backend(platform: str | None = None):
    """The runtime's client of a platform, by default the first one. RuntimeError if there is no such platform."""
    return _get_client(platform)
