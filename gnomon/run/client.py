"""Devices: clients are made when the first device is asked for, one for each platform.

The platforms are the CPU and whatever `PLUGINS` finds installed; the setting `platforms` chooses among them, its first
one is the default. Functions that take `backend` take a platform's name (``gpu`` is any of `cuda`, `rocm`) or None.
"""
from __future__ import annotations

import importlib
import importlib.util
import os
import threading

from gnomon.base import settings
from gnomon.base.record import Record
from gnomon.run import xla

current = settings.current
GPU = ("cuda", "rocm")


class Cluster:
    """What this process knows about the others it computes with."""

    def __init__(self):
        self.runtime = None     # connection to the coordinator
        self.service = None     # the coordinator itself, in process 0
        self.process_id, self.num_processes = 0, 1


class Plugin(Record):
    """A platform whose PJRT plugin comes as a wheel: `library` in the package `package`; the setting `visible` limits its devices."""

    platform: str
    package: str
    library: str
    visible: str

    def path(self) -> str | None:
        """Where the plugin's library is, or None if it is not installed."""
        try:
            spec = importlib.util.find_spec(self.package)
        except ModuleNotFoundError:
            return None
        folders = () if spec is None else spec.submodule_search_locations or ()
        return next((path for path in (os.path.join(folder, self.library) for folder in folders)
                     if os.path.exists(path)), None)


PLUGINS = [
    Plugin("cuda", "jax_plugins.xla_cuda13", "xla_cuda_plugin.so", "cuda_visible_devices"),
    Plugin("cuda", "jax_plugins.xla_cuda12", "xla_cuda_plugin.so", "cuda_visible_devices"),
    Plugin("rocm", "jax_plugins.xla_rocm7", "xla_rocm_plugin.so", "rocm_visible_devices"),
]

_lock = threading.RLock()
_clients: dict[str, object] | None = None   # by platform, the default one first; None until somebody asks
_first_device = None                        # what `default_device` answers unless the setting says otherwise
cluster = Cluster()


# ---- making clients ---------------------------------------------------------------------------------------------

def _make_cpu_client():
    number = current.num_cpu_devices
    options = {}
    if cluster.runtime is not None:
        options = dict(distributed_client=cluster.runtime, node_id=cluster.process_id,
                       num_nodes=cluster.num_processes, collectives=_cpu_collectives())
    return xla.xla_client().make_cpu_client(asynchronous=current.cpu_enable_async_dispatch,
                                            num_devices=None if number < 0 else number, **options)


def _cpu_collectives():
    kind = current.cpu_collectives_implementation
    if kind == "gloo":
        return xla._jax.make_gloo_tcp_collectives(distributed_client=cluster.runtime)
    if kind == "mpi":
        return xla._jax.make_mpi_collectives()
    raise ValueError(f"cpu_collectives_implementation={kind!r} is not built into jaxlib; use 'gloo' or 'mpi'.")


def _make_plugin_client(plugin: Plugin, path: str):
    make = xla.xla_client()
    if not make.pjrt_plugin_loaded(plugin.platform):
        make.load_pjrt_plugin_dynamically(plugin.platform, path)
    if not make.pjrt_plugin_initialized(plugin.platform):
        make.initialize_pjrt_plugin(plugin.platform)
    options = dict(make.generate_pjrt_gpu_plugin_options()) if plugin.platform in GPU else {}
    visible = getattr(current, plugin.visible)
    if visible != "all":
        options["visible_devices"] = [int(number) for number in visible.split(",")]
    if cluster.runtime is not None:
        options.update(node_id=cluster.process_id, num_nodes=cluster.num_processes)
    options.update(current.pjrt_client_create_options or {})
    return make.make_c_api_client(plugin.platform, options, cluster.runtime)


def _installed_plugins() -> dict[str, tuple[Plugin, str]]:
    found = {}
    for plugin in PLUGINS:
        path = plugin.path()
        if path is not None:
            found.setdefault(plugin.platform, (plugin, path))
    return found


def _start() -> dict[str, object]:
    """Make the clients, once."""
    global _clients, _first_device
    with _lock:
        if _clients is not None:
            return _clients
        plugins = _installed_plugins()
        wanted = current.platforms or current.platform_name
        names = [name.strip() for name in wanted.split(",")] if wanted else [*plugins, "cpu"]
        names = [concrete for name in names for concrete in (GPU if name == "gpu" else (name,))
                 if name != "gpu" or concrete in plugins]
        clients = {}
        for name in names:
            if name == "cpu":
                clients[name] = _make_cpu_client()
            elif name in plugins:
                clients[name] = _make_plugin_client(*plugins[name])
            else:
                raise RuntimeError(f"The setting platforms={wanted!r} asks for {name!r}, and no such platform is "
                                   f"installed; there are {', '.join([*plugins, 'cpu'])}.")
        if not clients:
            raise RuntimeError(f"The setting platforms={wanted!r} names no platform that is installed; there are "
                               f"{', '.join([*plugins, 'cpu'])}.")
        # The CPU is always there, for what is asked to run on it by name.
        if "cpu" not in clients:
            clients["cpu"] = _make_cpu_client()
        _first_device = next(iter(clients.values())).local_devices()[0]
        _clients = clients
        return clients


def is_started() -> bool:
    """Whether the devices have been made, so that settings about them come too late."""
    return _clients is not None


def _refuse_late(name):
    def watcher(value):
        if _clients is not None and value != getattr(current, name):
            made = ", ".join(f"{len(client.devices())} {platform}" for platform, client in _clients.items())
            raise RuntimeError(f"{name}={value!r} comes too late: the devices have been made ({made}). Set it before "
                               "the first array is made or the first device is asked for.")
    settings.watch(name, watcher)


for _name in ("num_cpu_devices", "platforms", "platform_name", "cpu_collectives_implementation"):
    _refuse_late(_name)


def clients() -> dict[str, object]:
    """The client of each platform, the default one first."""
    return dict(_clients if _clients is not None else _start())


def xla_version(platform: str | None = None) -> int | None:
    """A number that grows with the compiler's versions, where the platform's client has one."""
    return getattr(get_client(platform), "_version", None)


# ---- what users ask ---------------------------------------------------------------------------------------------

def get_client(backend: str | None = None):
    """jaxlib's client of a platform. RuntimeError if there is no such platform."""
    clients = _clients if _clients is not None else _start()
    if backend is None:
        return next(iter(clients.values()))
    names = GPU if backend == "gpu" else (backend,)
    for name in names:
        if name in clients:
            return clients[name]
    raise RuntimeError(f"Unknown backend: {backend!r} is not among the platforms present, {', '.join(clients)}.")


def devices(backend: str | None = None) -> list:
    """All devices of a platform, those of other processes included.

    >>> devices("cpu")[0].platform
    'cpu'
    """
    return get_client(backend).devices()


def local_devices(process_index: int | None = None, backend: str | None = None, host_id: int | None = None) -> list:
    """The devices of one process, by default this one. ValueError if there is no such process."""
    process_index = host_id if process_index is None else process_index
    client = get_client(backend)
    if process_index is None or process_index == client.process_index():
        return client.local_devices()
    found = [device for device in client.devices() if device.process_index == process_index]
    if not found:
        raise ValueError(f"There is no process {process_index}; processes are numbered 0 to {process_count() - 1}.")
    return found


def device_count(backend: str | None = None) -> int:
    """How many devices all processes have."""
    return get_client(backend).device_count()


def local_device_count(backend: str | None = None) -> int:
    """How many devices this process has."""
    return get_client(backend).local_device_count()


def process_index(backend: str | None = None) -> int:
    """The number of this process."""
    return get_client(backend).process_index()


def process_count(backend: str | None = None) -> int:
    """How many processes compute together."""
    return len(process_indices(backend))


def process_indices(backend: str | None = None) -> list[int]:
    """The numbers of all processes, in order."""
    return sorted({device.process_index for device in get_client(backend).devices()})


def default_backend() -> str:
    """The platform that arrays are made on unless a device is named: that of `default_device`, or the first.

    >>> default_backend() in ("cpu", "gpu")
    True
    """
    chosen = current.default_device
    platform = chosen if isinstance(chosen, str) else None if chosen is None else chosen.platform
    if platform is None:
        platform = next(iter(_clients if _clients is not None else _start()))
    return "gpu" if platform in GPU else platform


def first_device():
    """The first device of the default platform, where arrays without a device are."""
    return _first_device if _first_device is not None else _start() and _first_device


def default_device():
    """The device for arrays that name none: the setting `default_device`, else the first one."""
    chosen = current.default_device
    if chosen is None:
        return _first_device if _first_device is not None else first_device()
    return local_devices(backend=chosen)[0] if isinstance(chosen, str) else chosen


# ---- native kernels ---------------------------------------------------------------------------------------------

NATIVE_KERNEL = '_ffi"'       # how the names of the kernels below end in a program's text
HOST_KERNEL = '"gnomon_host_'   # how those of run/host_kernels.py begin

_registered: set[str] = set()


def register_lapack():
    """Make LAPACK's functions callable from compiled CPU programs. Calling it again does nothing."""
    if "lapack" in _registered:
        return
    with _lock:
        lapack = importlib.import_module("jaxlib.cpu._lapack")
        lapack.initialize()
        for name, handle in lapack.registrations().items():
            xla._jax.register_custom_call_target(name, handle, "cpu", 1 if name.endswith("_ffi") else 0)
        _registered.add("lapack")
