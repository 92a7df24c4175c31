"""Every setting: one row says its name, its values, its default and what it does.

`current.<name>` is the value in force in this thread, one attribute read; `current.key` stands for all values that
shape a trace or a compilation. `config.update` changes a setting for every thread, ``with enable_x64(True):`` for this
thread only, and the environment variable ``GNOMON_<NAME>`` from the start. Names may carry JAX's ``jax_`` in front.
"""
from __future__ import annotations

import functools
import numbers
import operator
import os
import sys
import threading
import warnings
import weakref

from gnomon.base.errors import GnomonWarning
from gnomon.base.late import Late

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
difflib = Late("difflib")


class Setting:
    """One row of the table, and the maker of its context managers: ``with setting(value):``.

    kind: `bool`, `int`, `float`, `str`, `object` (anything hashable), or the tuple of the words it may be.
    in_key: part of `current.key`. whole_process: read once for the whole process, so no thread may differ.
    also: names of the settings that take this one's value whenever it is set.
    effect: False where Gnomon accepts the setting and does nothing with it; `sentence` then says why.

    >>> with numpy_rank_promotion("raise"):
    ...     current.numpy_rank_promotion
    'raise'
    """

    __slots__ = ("name", "kind", "default", "sentence", "in_key", "whole_process", "also", "effect", "watchers")

    def __init__(self, name, kind, default, sentence, *, in_key=False, whole_process=False, also=(), effect=True):
        self.name, self.kind, self.default, self.sentence = name, kind, default, sentence
        self.in_key, self.whole_process, self.also, self.effect = in_key, whole_process, also, effect
        self.watchers = []

    @property
    def value(self):
        """The value in force in this thread."""
        return getattr(current, self.name)

    def __call__(self, *value) -> "Override":
        """A context manager (and decorator) that sets `value` in this thread; a bool setting may leave out True."""
        if self.whole_process:
            raise TypeError(f"{self.name} holds for the whole process and cannot be set for one thread; "
                            f"use config.update({self.name!r}, ...).")
        if not value and self.kind is bool:
            value = (True,)
        if len(value) != 1:
            raise TypeError(f"{self.name} takes one value, {self.wanted()}; got {len(value)} values.")
        return Override(self, self.check(value[0]))

    def __bool__(self):
        raise TypeError(f"{self.name} is a setting and neither true nor false; use {self.name}.value.")

    def __repr__(self):
        return f"<setting {self.name}={self.value!r}>"

    def wanted(self) -> str:
        """What values are taken, in words."""
        kind = self.kind
        words = ("True or False" if kind is bool else "an integer" if kind is int else "a number" if kind is float
                 else "a string" if kind is str else "a hashable object" if kind is object
                 else " or ".join(map(repr, kind)) if len(kind) < 6 else "one of " + ", ".join(map(repr, kind)))
        return words + " or None" if self.default is None and kind is not object else words

    def check(self, value):
        """`value` in its one form; ValueError with the values that are taken."""
        kind = self.kind
        if value is None and self.default is None:
            return None
        try:
            if kind is bool:
                if isinstance(value, str) or value not in (True, False):
                    raise TypeError
                value = bool(value)
            elif kind is int:
                if isinstance(value, bool):
                    raise TypeError
                value = operator.index(value)
            elif kind is float:
                if isinstance(value, bool) or not isinstance(value, numbers.Real):
                    raise TypeError
                value = float(value)
            elif kind is str:
                value = os.fspath(value)
            elif kind is object:
                hash(value)
            elif value not in kind:
                raise TypeError
        except (TypeError, ValueError):
            near = nearest(value, kind) if isinstance(kind, tuple) else ""
            raise ValueError(f"{self.name} takes {self.wanted()}, not {value!r}{near}.") from None
        for watcher in self.watchers:
            watcher(value)
        return value

    def parse(self, text: str):
        """The value that `text`, from an environment variable, spells; ValueError if it spells none."""
        word = text.strip()
        if self.kind is bool and word.lower() in BOOLEAN_WORDS:
            return self.check(BOOLEAN_WORDS[word.lower()])
        if self.default is None and word.lower() in ("", "none"):
            return None
        if isinstance(self.kind, tuple):
            return self.check(next((choice for choice in self.kind if choice.lower() == word.lower()), word))
        try:
            return self.check({int: int, float: float}.get(self.kind, str)(text))
        except ValueError:
            raise ValueError(f"{self.name} takes {self.wanted()}, not {text!r}.") from None


BOOLEAN_WORDS = {"1": True, "true": True, "yes": True, "on": True, "t": True, "y": True,
                 "0": False, "false": False, "no": False, "off": False, "f": False, "n": False}
GUARD = ("allow", "log", "disallow", "log_explicit", "disallow_explicit")
EFFORT = ("UNKNOWN", "O0", "O1", "O2", "O3")
PRECISION = (
    "default", "high", "highest", "bfloat16", "tensorfloat32", "float32",
    "ANY_F8_ANY_F8_F32", "ANY_F8_ANY_F8_F32_FAST_ACCUM", "ANY_F8_ANY_F8_ANY", "ANY_F8_ANY_F8_ANY_FAST_ACCUM",
    "F16_F16_F16", "F16_F16_F32", "BF16_BF16_BF16", "BF16_BF16_F32", "BF16_BF16_F32_X3", "BF16_BF16_F32_X6",
    "BF16_BF16_F32_X9", "TF32_TF32_F32", "TF32_TF32_F32_X3", "F32_F32_F32", "F64_F64_F64")

# Settings that shape a trace or a compilation: jit keeps one program per combination of them.
IN_KEY = (
    # numbers and promotion
    ("enable_x64", bool, False, "64-bit dtypes exist; otherwise they are narrowed to 32 bits."),
    ("explicit_x64_dtypes", ("warn", "error", "allow"), "warn",
     "What happens to a 64-bit dtype asked for by name while enable_x64 is off."),
    ("numpy_dtype_promotion", ("standard", "strict"), "standard",
     "strict refuses to find a common dtype for operands that differ, but for weakly typed ones."),
    ("numpy_rank_promotion", ("allow", "warn", "raise"), "allow",
     "What happens when operands of different rank are broadcast against each other."),
    ("default_matmul_precision", PRECISION, None, "Precision of products and convolutions that name none."),
    ("allow_f16_reductions", bool, True, "Sums of float16 and bfloat16 arrays are allowed."),
    ("accurate_erf_inv", bool, False, "erf_inv takes a slower form that is more exact near -1 and 1."),
    ("softmax_custom_jvp", bool, False, "softmax has a derivative rule of its own, which needs less memory."),
    # randomness
    ("default_prng_impl", ("threefry2x32", "threefry4x32", "rbg", "unsafe_rbg", "philox2x32", "philox4x32"),
     "threefry2x32", "Generator of random keys that name none."),
    ("threefry_partitionable", bool, True, "Threefry draws each element on its own, so drawing can be sharded."),
    ("enable_custom_prng", bool, False, "random.PRNGKey makes typed keys, as random.key does."),
    ("legacy_prng_key", ("allow", "warn", "error"), "allow", "What happens when a raw uint32 key is used."),
    ("random_seed_offset", int, 0, "Added to every seed."),
    ("high_dynamic_range_gumbel", bool, False, "Gumbel draws reach further into the tails."),
    ("debug_key_reuse", bool, False, "Using a random key twice is an error."),
    # checks
    ("disable_jit", bool, False, "Functions under jit run as plain Python, op by op."),
    ("no_execution", bool, False, "Running a compiled program is an error: only tracing and compiling are allowed."),
    ("debug_nans", bool, False, "A NaN in a result is an error that names the op."),
    ("debug_infs", bool, False, "An infinity in a result is an error that names the op."),
    ("check_tracer_leaks", bool, False, "A traced value that outlives its trace is an error when the trace ends."),
    # place
    ("default_device", object, None, "Device, or name of a platform, for arrays that name none."),
    ("auto_pcast", bool, True, "Operands that vary over different mesh axes are cast to vary over all of them."),
    ("remove_size_one_mesh_axis_from_type", bool, False, "Mesh axes of size one are left out of types."),
    # compiler
    ("optimization_level", EFFORT, "UNKNOWN", "How hard the compiler works for a fast program."),
    ("memory_fitting_level", EFFORT, "O2", "How hard the compiler works for a program that needs little memory."),
    ("exec_time_optimization_effort", float, 0.0, "From -1.0 to 1.0: compiler's effort for a fast program."),
    ("memory_fitting_effort", float, 0.0, "From -1.0 to 1.0: compiler's effort for a small program."),
    ("disable_most_optimizations", bool, False, "The compiler does little, so that compiling is fast."),
    ("compiler_enable_remat_pass", bool, True, "The compiler may compute again what it has no memory to keep."),
    ("outline", ("on", "off", "report"), "on", "Equal blocks of a program become one function; report says which."),
    ("roll", ("on", "off", "report"), "on", "A long periodic run of equations becomes a loop; report says which."),
)

# Settings that are looked at while running.
AT_RUN_TIME = (
    ("announce", ("warn", "silent", "error"), "warn", "How narrowing, wrapping and settings without effect are told."),
    ("announce_retraces", bool, False, "Each new trace of a function that was traced before is told, with its reason."),
    ("traceback_filtering", ("auto", "off", "tracebackhide", "remove_frames", "quiet_remove_frames"), "auto",
     "How frames of Gnomon are hidden from tracebacks."),
    ("enable_checks", bool, False, "Every program is type-checked after every rewrite."),
    ("log_compiles", bool, False, "Each trace and compilation is logged as a warning with its time."),
    ("explain_cache_misses", bool, False, "Each new trace is logged with what differed from the ones before."),
    ("no_tracing", bool, False, "Tracing anew is an error: whatever runs must be in the cache."),
    ("captured_constants_warn_bytes", int, 2_000_000_000, "Closed-over arrays of more bytes in all are told; -1: not."),
    ("disallow_mesh_context_manager", bool, False, "`with mesh:` is an error; set_mesh says the same."),
    ("dump_ir_to", str, "", "Folder that every traced and lowered program is written to."),
    ("dump_ir_modes", str, "stablehlo", "Comma-separated forms that are written there: jaxpr, stablehlo."),
)

# Settings read once for the whole process.
WHOLE_PROCESS = (
    ("num_cpu_devices", int, -1, "CPU devices to make; -1 leaves it to XLA_FLAGS. Set it before the first array."),
    ("platforms", str, None, "Comma-separated platforms to start; the first is the default one."),
    ("platform_name", str, "", "The platform to use by default; platforms says the same and more."),
    ("cuda_visible_devices", str, "all", "Comma-separated CUDA devices to use, or all."),
    ("rocm_visible_devices", str, "all", "Comma-separated ROCm devices to use, or all."),
    ("cpu_collectives_implementation", ("gloo", "mpi", "megascale"), "gloo", "How CPU processes talk to each other."),
    ("cpu_enable_async_dispatch", bool, True, "A program on CPU runs beside the Python that called it; off is quicker where each result is read at once."),
    ("pjrt_client_create_options", object, None, "Options handed to the plugin that makes the devices."),
    ("enable_compilation_cache", bool, True, "Compiled programs are kept on disk, where compilation_cache_dir says."),
    ("compilation_cache_dir", str, None, "Folder of compiled programs; None keeps none."),
    ("compilation_cache_max_size", int, -1, "Bytes that folder may hold, oldest use first to go; -1: no limit."),
    ("persistent_cache_min_compile_time_secs", float, 1.0, "Programs that compile faster are not kept on disk."),
    ("persistent_cache_min_entry_size_bytes", int, 0, "Smaller programs are not kept on disk."),
    ("raise_persistent_cache_errors", bool, False, "A failing disk cache is an error and no warning."),
)

# Settings of JAX that are accepted, with JAX's defaults, and change nothing here; the sentence says why.
FUTURE = "Gnomon has one form of this rule"
CONSTANTS = "closed-over arrays are always passed as arguments"
LOCATIONS = "user lines are kept by Gnomon itself and not in the compiled module"
PALLAS = "there are no Pallas kernels"
PROFILE = "profile-guided compilation is not done"
DISTRIBUTED = "the distributed runtime's own default is used"
TRANSFER = "arrays do not cross hosts outside collectives"
GPU = "the compiler's own lowering is used"
TF = "there is no conversion to TensorFlow"
CHECKS = "checks inside compiled programs are not there"
GUARDS = ("whether copies between the host and devices, and between devices, are made in silence, logged or refused; those asked for by "
          "device_put and device_get only by the ..._explicit ones")
LOG = "Gnomon logs as 'gnomon', whose level Python's logging sets"
NO_EFFECT = (
    ("error_checking_behavior_nan", ("ignore", "raise"), "ignore", CHECKS + "; see debug_nans"),
    ("error_checking_behavior_divide", ("ignore", "raise"), "ignore", CHECKS),
    ("error_checking_behavior_oob", ("ignore", "raise"), "ignore", CHECKS),
    ("check_static_indices", bool, False, "an index that is known while tracing is always checked against the bounds"),
    ("tracer_error_num_traceback_frames", int, 5, "errors about traced values name the one line that made them"),
    ("logging_level", ("NOTSET", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"), "NOTSET", LOG),
    ("debug_log_modules", str, "", LOG), ("distributed_debug", bool, False, LOG),
    ("thread_guard", bool, False, "programs of several processes may start from any thread"),
    ("raise_on_ppermute_sort_diff", bool, True, "several axis names are counted in the order in which they are given"),
    ("export_calling_convention_version", int, 10, "there is no export yet"),
    ("export_ignore_forward_compatibility", bool, False, "there is no export yet"),
    ("mutable_array_checks", bool, True, "references are always checked for aliases"),
    ("pprint_use_color", bool, True, "programs are printed without colour"),
    ("custom_jvp3", bool, False, FUTURE), ("custom_vjp3", bool, False, FUTURE), ("remat3", bool, False, FUTURE),
    ("scan3", bool, False, FUTURE), ("use_direct_linearize", bool, True, FUTURE),
    ("disable_bwd_checks", bool, False, FUTURE), ("remat_barrier_no_cotangents", bool, False, FUTURE),
    ("disable_vmap_shmap_error", bool, False, FUTURE), ("refs_to_pins", bool, False, FUTURE),
    ("check_vma", bool, False, "shard_map takes it as an argument"),
    ("eager_constant_folding", bool, False, "constants are folded in programs, not while they are traced"),
    ("use_shardy_partitioner", bool, True, "shardings are always given to Shardy"),
    ("use_rgv3", bool, True, "replica groups are written in one form"),
    ("use_cpp_shard_args", bool, False, "arguments are placed by Gnomon's own code"),
    ("log_checkpoint_residuals", bool, False, "print the program of the gradient to see what is kept"),
    ("array_garbage_collection_guard", ("allow", "log", "fatal"), None, "arrays are freed without the collector"),
    ("embedded_constants_max_bytes", int, 32, CONSTANTS), ("use_simplified_jaxpr_constants", bool, False, CONSTANTS),
    ("captured_constants_report_frames", int, 0, "the report names the user line that closed over each array"),
    ("traceback_in_locations_limit", int, 100, LOCATIONS), ("include_debug_info_in_dumps", bool, True, LOCATIONS),
    ("include_full_tracebacks_in_locations", bool, True, LOCATIONS),
    ("hlo_source_file_canonicalization_regex", str, None, LOCATIONS),
    ("send_traceback_to_runtime", ("off", "on", "full"), "off", LOCATIONS),
    ("source_url_schema", str, None, "programs are not printed as HTML"),
    ("compilation_cache_include_metadata_in_key", bool, False, LOCATIONS),
    ("compilation_cache_check_contents", bool, False, "entries of the disk cache are checked by their own digest"),
    ("remove_custom_partitioning_ptr_from_cache_key", bool, False, "programs with callbacks are not kept on disk"),
    ("persistent_cache_enable_xla_caches", str, "xla_gpu_per_fusion_autotune_cache_dir",
     "the compiler's own caches are left to XLA_FLAGS"),
    ("compilation_cache_expect_pgle", bool, False, PROFILE), ("enable_pgle", bool, False, PROFILE),
    ("pgle_profiling_runs", int, 3, PROFILE), ("pgle_aggregation_percentile", int, 90, PROFILE),
    ("xla_profile_version", int, 0, PROFILE),
    ("compiler_detailed_logging_min_ops", int, 10, "log_compiles logs programs of every size"),
    ("debug_leaked_clients_on_clear_backends", bool, False, "the client lives as long as the process"),
    ("serialization_version", int, 0, "export_calling_convention_version says the same"),
    ("export_deserialize_expired_versions", bool, False, "exported programs are read by their own version"),
    ("experimental_unsafe_xla_runtime_errors", bool, False, "checks are reported as ordinary errors"),
    ("use_hlo_logistic_lowering", bool, None, GPU), ("use_magma", ("off", "on", "auto"), "auto", GPU),
    ("bcoo_cusparse_lowering", bool, False, GPU), ("threefry_gpu_kernel_lowering", bool, False, GPU),
    ("ragged_dot_use_ragged_dot_instruction", bool, True, GPU),
    ("ragged_dot_use_gpu_pallas_triton_lowering", bool, False, GPU),
    ("mosaic_allow_hlo", bool, False, PALLAS), ("mosaic_unzip_debug_locations", bool, True, PALLAS),
    ("use_emit_pipeline_primitive", bool, False, PALLAS), ("pallas_use_mosaic_gpu", bool, True, PALLAS),
    ("pallas_enable_debug_checks", bool, False, PALLAS), ("pallas_poison_buffers", bool, False, PALLAS),
    ("pallas_verbose_errors", bool, False, PALLAS), ("pallas_auto_assign_collective_ids_limit", int, 25, PALLAS),
    ("pallas_auto_assign_collective_ids", ("no", "yes", "override"), "no", PALLAS),
    ("cpu_get_local_topology_timeout_minutes", int, 2, DISTRIBUTED),
    ("cpu_get_global_topology_timeout_minutes", int, 5, DISTRIBUTED),
    ("enable_preemption_service", bool, True, DISTRIBUTED), ("enable_recoverability", bool, False, DISTRIBUTED),
    ("check_proxy_envs", bool, True, DISTRIBUTED), ("sort_devices_by_process_index", bool, True, DISTRIBUTED),
    ("distributed_verify_secure_credentials", bool, False, DISTRIBUTED), ("mtls_ca_file", str, None, DISTRIBUTED),
    ("mtls_cert_file", str, None, DISTRIBUTED), ("mtls_key_file", str, None, DISTRIBUTED),
    ("mtls_peer_uri_prefix", str, None, DISTRIBUTED),
    ("share_binary_between_hosts", bool, False, "every process compiles its own program"),
    ("share_binary_between_hosts_timeout_ms", int, 1_200_000, "every process compiles its own program"),
    ("force_dcn_cross_host_transfers", bool, False, TRANSFER),
    ("cross_host_transfer_socket_address", str, "", TRANSFER), ("cross_host_transport_addresses", str, "", TRANSFER),
    ("cross_host_transfer_timeout_seconds", int, None, TRANSFER),
    ("cross_host_transfer_transfer_size", int, None, TRANSFER),
    ("oneapi_visible_devices", str, "all", "there is no oneAPI platform"),
    ("mock_gpu_topology", str, "", "devices are never mocked"), ("mock_num_gpu_processes", int, 0, "devices are real"),
    ("backend_target", str, "", "platforms names what to run on"), ("xla_backend", str, "", "platforms says the same"),
    ("jax2tf_associative_scan_reductions", bool, False, TF), ("jax2tf_default_native_serialization", bool, True, TF),
)

TABLE = {setting.name: setting for setting in (
    *(Setting(*row, in_key=True) for row in IN_KEY),
    *(Setting(*row) for row in AT_RUN_TIME),
    *(Setting(f"transfer_guard_{way}", GUARD, None, GUARDS) for way in ("host_to_device", "device_to_device", "device_to_host")),
    Setting("transfer_guard", GUARD, None, GUARDS,
            also=("transfer_guard_host_to_device", "transfer_guard_device_to_device", "transfer_guard_device_to_host")),
    *(Setting(*row, whole_process=True) for row in WHOLE_PROCESS),
    *(Setting(*row, effect=False) for row in NO_EFFECT),
)}
OWN = frozenset({"announce", "announce_retraces", "outline", "roll"})  # the others are JAX's
KEY_NAMES = tuple(name for name, setting in TABLE.items() if setting.in_key)


class Key(tuple):
    """The effective values of the settings in the key. Equal keys are one object, so they hash by identity."""

    __slots__ = ()
    __hash__ = object.__hash__
    __eq__ = object.__eq__
    __ne__ = object.__ne__


lock = threading.Lock()  # guards the four names below and every thread's values
keys: dict[tuple, Key] = {}
for_all = {name: setting.default for name, setting in TABLE.items()}  # values of threads that override nothing
threads: weakref.WeakSet = weakref.WeakSet()  # a Thread for every thread that ever looked
own = threading.local()  # own.thread keeps this thread's Thread alive, and lets it go with the thread


class Thread:
    """One thread's effective values (the dictionary behind `current`) and its open ``with`` blocks, by setting."""

    __slots__ = ("values", "overrides", "__weakref__")

    def __init__(self, values):
        self.values, self.overrides = values, {}

    def settle(self, names):
        """Make `values` say what overrides and `for_all` say of `names`. Call it with the lock held."""
        for name in names:
            stack = self.overrides.get(name)
            self.values[name] = stack[-1] if stack else for_all[name]
        if any(TABLE[name].in_key for name in names):
            fields = tuple(map(self.values.__getitem__, KEY_NAMES))
            self.values["key"] = keys.setdefault(fields, Key(fields))


class Current(threading.local):
    """The values in force in this thread, one plain attribute each, and `key`.

    >>> current.enable_x64, current.key is current.key
    (False, True)
    """

    def __init__(self):
        own.thread = thread = Thread(vars(self))
        with lock:
            thread.settle(TABLE)
            threads.add(thread)


class Override:
    """``with setting(value):``: the value holds in this thread until the block ends. Reusable; also a decorator."""

    __slots__ = ("setting", "value")

    def __init__(self, setting: Setting, value):
        self.setting, self.value = setting, value

    def __enter__(self):
        tell_no_effect(self.setting, self.value)
        names = (self.setting.name, *self.setting.also)
        current.key  # makes this thread's values, if this is its first look
        with lock:
            for name in names:
                own.thread.overrides.setdefault(name, []).append(self.value)
            own.thread.settle(names)

    def __exit__(self, *exception):
        names = (self.setting.name, *self.setting.also)
        with lock:
            for name in names:
                own.thread.overrides[name].pop()
            own.thread.settle(names)

    def __call__(self, function):
        @functools.wraps(function)
        def with_setting(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return with_setting


class Values(dict):
    """A copy of the values in force, by name; JAX's spelling ``jax_<name>`` finds them too."""

    def __missing__(self, name):
        return self[find(name, KeyError).name]


class Config:
    """What users know as ``gnomon.config``.

    >>> config.update("jax_numpy_rank_promotion", "warn")
    >>> config.numpy_rank_promotion, config.jax_numpy_rank_promotion
    ('warn', 'warn')
    >>> config.update("numpy_rank_promotion", "allow")
    """

    __slots__ = ()

    def update(self, name: str, value) -> None:
        """Set `name` for every thread, but for ``with`` blocks that are open.

        AttributeError for an unknown name, ValueError for a value the setting does not take.
        """
        setting = find(name)
        value = setting.check(value)
        tell_no_effect(setting, value)
        put(setting, value)

    def using(self, name: str, value) -> "Override":
        """A context manager (and decorator) that sets `name` in this thread, as ``with enable_x64(True):`` does.

        Errors as `update`; TypeError for a setting of the whole process.

        >>> with config.using("optimization_level", "O1"):
        ...     config.optimization_level
        'O1'
        """
        return find(name)(value)

    def read(self, name: str):
        """The value of `name` in force in this thread."""
        return find(name).value

    @property
    def values(self) -> Values:
        """All values in force in this thread, by name."""
        return Values((name, setting.value) for name, setting in TABLE.items())

    @property
    def x64_enabled(self) -> bool:
        return current.enable_x64

    def __getattr__(self, name):
        return find(name).value

    def __setattr__(self, name, value):
        raise AttributeError(f"config.{name} cannot be assigned; use config.update({name!r}, {value!r}).")

    def __dir__(self):
        return [*super().__dir__(), *TABLE, *("jax_" + name for name in TABLE if name not in OWN)]

    def __repr__(self):
        changed = ", ".join(f"{name}={s.value!r}" for name, s in TABLE.items() if s.value != s.default)
        return f"<config {changed or 'with every default'}>"


def nearest(word, words) -> str:
    """' (did you mean ...?)' where one of `words` looks like `word`, else nothing."""
    close = difflib.get_close_matches(str(word), words, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def find(name: str, error=AttributeError) -> Setting:
    """The row called `name`, with or without ``jax_`` in front."""
    bare = str(name).removeprefix("jax_")
    setting = TABLE.get(bare)
    if setting is None:
        raise error(f"There is no setting {name!r}{nearest(bare, TABLE)}.")
    return setting


def put(setting: Setting, value) -> None:
    """Set `setting` for every thread. `value` has been checked."""
    names = (setting.name, *setting.also)
    with lock:
        for_all.update(dict.fromkeys(names, value))
        for thread in threads:
            thread.settle(names)


def watch(name: str, function) -> None:
    """Have ``function(value)`` called with every new value before it is in force; it raises to refuse the value."""
    TABLE[name].watchers.append(function)


def notify(sentence: str) -> None:
    """Tell the user something, as the setting `announce` says: warn at the user's line, keep silent, or raise."""
    if current.announce == "error":
        raise GnomonWarning(sentence)
    if current.announce == "warn":
        level, frame = 1, sys._getframe()
        while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
            level, frame = level + 1, frame.f_back
        warnings.warn(sentence, GnomonWarning, stacklevel=level)


def tell_no_effect(setting: Setting, value) -> None:
    if not setting.effect and value != setting.default:
        notify(f"{setting.name}={value!r} has no effect in Gnomon: {setting.sentence}.")


def read_environment(prefix: str = "GNOMON_") -> None:
    """Set what environment variables ``<prefix><NAME>`` say; JAX's prefix reaches only JAX's settings.

    ValueError for a value the setting does not take; an unknown name under Gnomon's own prefix is told.
    """
    for variable, text in os.environ.items():
        if not variable.startswith(prefix):
            continue
        name = variable[len(prefix):].lower()
        setting = TABLE.get(name)
        if setting is not None and (prefix == "GNOMON_" or name not in OWN):
            try:
                put(setting, setting.parse(text))
            except ValueError as error:
                raise ValueError(f"Environment variable {variable}: {error}") from None
        elif prefix == "GNOMON_":
            notify(f"Environment variable {variable}: there is no setting {name!r}{nearest(name, TABLE)}.")


current = Current()
config = Config()

# The settings users set with `with`, under the names JAX gives them.
allow_f16_reductions = TABLE["allow_f16_reductions"]
announce = TABLE["announce"]
announce_retraces = TABLE["announce_retraces"]
array_garbage_collection_guard = TABLE["array_garbage_collection_guard"]
auto_pcast = TABLE["auto_pcast"]
check_tracer_leaks = checking_leaks = TABLE["check_tracer_leaks"]
debug_infs = TABLE["debug_infs"]
debug_key_reuse = TABLE["debug_key_reuse"]
debug_nans = TABLE["debug_nans"]
default_device = TABLE["default_device"]
default_matmul_precision = TABLE["default_matmul_precision"]
default_prng_impl = TABLE["default_prng_impl"]
disable_jit = TABLE["disable_jit"]
enable_checks = TABLE["enable_checks"]
enable_custom_prng = TABLE["enable_custom_prng"]
enable_x64 = TABLE["enable_x64"]
explain_cache_misses = TABLE["explain_cache_misses"]
explicit_x64_dtypes = TABLE["explicit_x64_dtypes"]
jax2tf_associative_scan_reductions = TABLE["jax2tf_associative_scan_reductions"]
legacy_prng_key = TABLE["legacy_prng_key"]
log_compiles = TABLE["log_compiles"]
no_execution = TABLE["no_execution"]
no_tracing = TABLE["no_tracing"]
numpy_dtype_promotion = TABLE["numpy_dtype_promotion"]
numpy_rank_promotion = TABLE["numpy_rank_promotion"]
outline = TABLE["outline"]
remove_size_one_mesh_axis_from_type = TABLE["remove_size_one_mesh_axis_from_type"]
roll = TABLE["roll"]
softmax_custom_jvp = TABLE["softmax_custom_jvp"]
thread_guard = TABLE["thread_guard"]
threefry_partitionable = TABLE["threefry_partitionable"]
transfer_guard = TABLE["transfer_guard"]
transfer_guard_device_to_device = TABLE["transfer_guard_device_to_device"]
transfer_guard_device_to_host = TABLE["transfer_guard_device_to_host"]
transfer_guard_host_to_device = TABLE["transfer_guard_host_to_device"]

read_environment()
