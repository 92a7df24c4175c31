"""compile(text, plan): StableHLO text in, an `Executable` out."""
from __future__ import annotations

import re
import time

import numpy as np

from gnomon.base import settings
from gnomon.base.errors import JaxRuntimeError
from gnomon.base.late import Late
from gnomon.base.log import log_compile
from gnomon.base.monitor import durations
from gnomon.lower.plan import Plan
from gnomon.run import cache, client, xla

current = settings.current
host_kernels = Late("gnomon.run.host_kernels")


class Executable:
    """A compiled program on its devices.

    `compile_seconds` is the time it took to get it, `from_cache` whether it came from disk, `calls_python` whether its
    runs need the interpreter.
    """

    __slots__ = ("loaded", "plan", "devices", "client", "compile_seconds", "from_cache", "calls_python", "__weakref__")

    def __init__(self, loaded, plan: Plan, devices: tuple, compile_seconds: float, from_cache: bool, calls_python: bool):
        self.loaded, self.plan, self.devices = loaded, plan, devices
        self.client = devices[0].client
        self.compile_seconds, self.from_cache, self.calls_python = compile_seconds, from_cache, calls_python

    def cost_analysis(self) -> dict:
        """The compiler's estimates: 'flops', 'bytes accessed', ..."""
        return self.loaded.cost_analysis()

    def memory_analysis(self):
        """Bytes of arguments, results, temporaries and code, as attributes ``..._size_in_bytes``."""
        return self.loaded.get_compiled_memory_stats()

    def as_text(self) -> str:
        """The optimised program as HLO text."""
        return "\n\n".join(module.to_string() for module in self.loaded.hlo_modules())

    def serialize(self) -> bytes:
        """The compiled program as bytes for `load`. ValueError if it calls Python."""
        if self.plan.host_callbacks:
            raise ValueError(f"{self.plan.name} calls back into Python, so its compiled form cannot be saved.")
        return self.loaded.serialize()

    def call(self, buffers):
        """Run on a list of buffers; jaxlib's results, to be consumed once."""
        return self.loaded.execute_sharded(buffers)

    def result_partitions(self) -> list | None:
        """XLA's own shardings of the results, or None for a program on one device."""
        return self._partitions(self.loaded.get_output_shardings())

    def argument_partitions(self) -> list | None:
        """XLA's own shardings of the arguments, or None for a program on one device."""
        return self._partitions(self.loaded.get_parameter_shardings())

    def _partitions(self, found):
        return None if found is None or len(self.devices) == 1 else list(map(xla.HloSharding.from_proto, found))

    def __repr__(self):
        where = self.devices[0] if len(self.devices) == 1 else f"{len(self.devices)} devices"
        return f"<Executable {self.plan.name} on {where}, compiled in {self.compile_seconds:.3g} s>"


def compile(text: str, plan: Plan) -> Executable:
    """Compile StableHLO text. JaxRuntimeError, with the compiler's reason, if it is refused."""
    devices = tuple(plan.devices) or (client.default_device(),)
    platform_client = devices[0].client
    device_list = xla.DeviceList(devices)
    options = compile_options(plan, devices)
    start = time.perf_counter()
    if client.NATIVE_KERNEL in text:
        client.register_lapack()
    hosted = client.HOST_KERNEL in text
    if hosted:
        host_kernels.register()
    entry = None if plan.host_callbacks else cache.entry(text, plan, devices, options)
    loaded = None if entry is None else entry.load(platform_client, device_list, options)
    from_cache = loaded is not None
    if loaded is None:
        try:
            if plan.host_callbacks:
                loaded = platform_client.compile_and_load(xla.parse_module(text), device_list, options,
                                                          host_callbacks=list(plan.host_callbacks))
            else:
                loaded = platform_client.compile_and_load(text, device_list, options)
        except xla.RuntimeFailure as error:
            raise JaxRuntimeError(explain_refusal(plan, text, str(error))) from None
    seconds = time.perf_counter() - start
    if entry is not None and not from_cache:
        entry.save(loaded, seconds)
    log_compile(f"{'Read' if from_cache else 'Compiled'} {plan.name} in {seconds:.3g} s.")
    durations.record("/jax/core/compile/backend_compile_duration", seconds, fun_name=plan.name)
    return Executable(loaded, plan, devices, seconds, from_cache, hosted or bool(plan.host_callbacks))


def load(data: bytes, plan: Plan) -> Executable:
    """The executable that `Executable.serialize` wrote. JaxRuntimeError if the bytes are not such a program."""
    devices = tuple(plan.devices) or (client.default_device(),)
    start = time.perf_counter()
    if client.NATIVE_KERNEL.rstrip('"').encode() in data:
        client.register_lapack()
    hosted = client.HOST_KERNEL[1:].encode() in data
    if hosted:
        host_kernels.register()
    try:
        loaded = devices[0].client.deserialize_executable(data, xla.DeviceList(devices), compile_options(plan, devices))
    except xla.RuntimeFailure as error:
        raise JaxRuntimeError(
            f"The saved program {plan.name} cannot be loaded by jaxlib {xla.VERSION}: {error}") from None
    return Executable(loaded, plan, devices, time.perf_counter() - start, True, hosted)


EFFORT = {"UNKNOWN": 0, "O0": 9, "O1": 19, "O2": 29, "O3": 39}


def compile_options(plan: Plan, devices: tuple):
    """The compiler's options: the plan's, and those that the settings name."""
    options = xla.CompileOptions()
    options.num_replicas, options.num_partitions = plan.num_replicas, plan.num_partitions
    ids = np.array([device.id for device in devices]).reshape(plan.num_replicas, plan.num_partitions)
    options.device_assignment = xla.DeviceAssignment.create(ids)
    build = options.executable_build_options
    build.num_replicas, build.num_partitions = plan.num_replicas, plan.num_partitions
    if plan.num_partitions > 1:
        build.use_spmd_partitioning = build.use_shardy_partitioner = True
        build.allow_spmd_sharding_propagation_to_parameters = _which_are_open(plan.in_shardings)
        build.allow_spmd_sharding_propagation_to_output = _which_are_open(plan.out_shardings)
    build.optimization_level = EFFORT[current.optimization_level]
    build.memory_fitting_level = EFFORT[current.memory_fitting_level]
    for name in ("exec_time_optimization_effort", "memory_fitting_effort"):
        effort = getattr(current, name)
        if effort and hasattr(build, name):     # gone from jaxlib 0.12, where the levels say it
            setattr(build, name, effort)
    if current.disable_most_optimizations:
        build.debug_options.xla_backend_optimization_level = 0
        build.debug_options.xla_llvm_disable_expensive_passes = True
        build.debug_options.xla_test_all_input_layouts = False
    if not current.compiler_enable_remat_pass:
        build.debug_options.xla_disable_hlo_passes = "rematerialization"
    if plan.compiler_options:
        options.env_option_overrides = list(plan.compiler_options)
    return options


def _which_are_open(shardings):
    return [True] if shardings is None else [sharding is None for sharding in shardings] or [False]


def explain_refusal(plan: Plan, text: str, reason: str) -> str:
    """The compiler's reason in one sentence, with the line of the program it complains about."""
    reason = re.sub(r"^[A-Z_]+: ", "", reason.strip())
    unknown_option = re.search(r"No such compile option: '(.*)'", reason)
    if unknown_option:
        return f"Compiling {plan.name} failed: the compiler has no option {unknown_option[1]!r} (compiler_options)."
    place = re.match(r"-:(\d+):\d+: error: (.*)", reason)
    if place:
        line = text.splitlines()[int(place[1]) - 1].strip()
        return f"Compiling {plan.name} failed: {place[2]}, in the line `{line}` of its StableHLO."
    return f"Compiling {plan.name} failed: {reason}"
