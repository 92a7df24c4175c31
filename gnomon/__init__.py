"""Gnomon: a tracing machine for numerical Python.

A pure Python function is run once with stand-in values and recorded as a small typed program, a jaxpr; `jit`, `grad`, `vmap` and
the rest are rewrites of that program, and XLA compiles it. The names are JAX's.
"""
import gnomon.run.pytree  # noqa: F401,I001 - gives the tree functions their registries
import gnomon.ir.show  # noqa: F401 - how programs print
import gnomon.run.eager  # noqa: F401 - gives traces their evaluator
from gnomon.api.custom import custom_jvp, custom_vjp
from gnomon.api.differentiate import (grad, hessian, jacfwd, jacobian, jacrev, jvp, linear_transpose, linearize, value_and_grad,
                                      vjp)
from gnomon.api.function import ShapeDtypeStruct
from gnomon.api.retraces import explain_retraces
from gnomon.api.jit import clear_caches, eval_shape, jit, make_jaxpr, typeof
from gnomon.api.places import (block_until_ready, copy_to_host_async, default_backend, device_count, device_get,
                               device_put, devices, get_abstract_mesh, get_mesh, local_device_count, local_devices,
                               make_array_from_callback, make_array_from_process_local_data, make_array_from_single_device_arrays,
                               make_mesh, process_count, process_index, process_indices, reshard, set_mesh, use_abstract_mesh,
                               with_sharding_constraint)
from gnomon.api.vmap import vmap
from gnomon.base.late import late as _late
from gnomon.base.settings import (allow_f16_reductions, announce, announce_retraces, array_garbage_collection_guard, auto_pcast,
                                  check_tracer_leaks, config, debug_infs, debug_key_reuse, debug_nans, default_device,
                                  default_matmul_precision, default_prng_impl, enable_checks, enable_custom_prng, enable_x64,
                                  explain_cache_misses, jax2tf_associative_scan_reductions, legacy_prng_key, log_compiles,
                                  no_execution, no_tracing, numpy_dtype_promotion, numpy_rank_promotion, outline,
                                  remove_size_one_mesh_axis_from_type, roll, softmax_custom_jvp, thread_guard,
                                  threefry_partitionable, transfer_guard, transfer_guard_device_to_device,
                                  transfer_guard_device_to_host, transfer_guard_host_to_device)
from gnomon.base.version import VERSION as __version__
from gnomon.run.array import Shard
from gnomon.run.ref import Ref
from gnomon.run.xla import Device
from gnomon.trace.value import Value as Array
from gnomon.types.dtype import float0
from gnomon.types.sharding import NamedSharding, PartitionSpec as P
from gnomon import lax, numpy
from gnomon import dtypes, errors, tree

# The modules of the package that are loaded when first asked for, and where its other names come from.
_MODULES = ("ad_checkpoint", "api_util", "core", "custom_batching", "custom_derivatives", "debug", "distributed", "dlpack", "experimental",
            "export", "extend", "ffi", "flatten_util", "image", "interpreters", "memory", "monitoring", "nn", "profiler", "random", "ref", "scipy",
            "segments", "sharding", "stages", "test_util", "tree_util", "typing")
_NAMES = {
    "gnomon.api.pmap": "pmap",
    "gnomon.api.aliases": "CompilerEffortLevel Inline ds",
    "gnomon.api.callback": "effects_barrier pure_callback",
    "gnomon.api.checkpoint": "checkpoint checkpoint_policies remat",
    "gnomon.api.closures": "closure_convert custom_gradient fwd_and_bwd",
    "gnomon.api.environment": "host_count host_id host_ids live_arrays print_environment_info",
    "gnomon.api.explain": "explain",
    "gnomon.api.refs": "empty_ref free_ref freeze new_ref",
    "gnomon.api.scopes": "checking_leaks disable_jit ensure_compile_time_eval make_user_context named_call named_scope",
    "gnomon.api.shard_map": "shard_map smap",
    "gnomon.api.vjp_refs": "ad",
}

__getattr__, __dir__, _ = _late(__name__, _NAMES, _MODULES)

__all__ = [
    "Array", "CompilerEffortLevel", "Device", "Inline", "NamedSharding", "P", "Ref", "Shard", "ShapeDtypeStruct", "ad",
    "allow_f16_reductions", "announce", "announce_retraces", "array_garbage_collection_guard", "auto_pcast", "block_until_ready",
    "check_tracer_leaks", "checking_leaks", "checkpoint", "checkpoint_policies", "clear_caches", "closure_convert", "config",
    "copy_to_host_async", "custom_gradient", "custom_jvp", "custom_vjp", "debug", "debug_infs", "debug_key_reuse", "debug_nans",
    "default_backend", "default_device", "default_matmul_precision", "default_prng_impl", "device_count", "device_get", "device_put",
    "devices", "disable_jit", "ds", "dtypes", "effects_barrier", "empty_ref", "enable_checks", "enable_custom_prng", "enable_x64",
    "ensure_compile_time_eval", "errors", "eval_shape", "explain", "explain_cache_misses", "explain_retraces", "float0", "free_ref",
    "freeze", "fwd_and_bwd",
    "get_abstract_mesh", "get_mesh", "grad", "hessian", "host_count", "host_id", "host_ids", "jacfwd", "jacobian", "jacrev",
    "jax2tf_associative_scan_reductions", "jit", "jvp", "lax", "legacy_prng_key", "linear_transpose", "linearize", "live_arrays",
    "local_device_count", "local_devices", "log_compiles", "make_array_from_callback", "make_array_from_process_local_data",
    "make_array_from_single_device_arrays", "make_jaxpr", "make_mesh", "make_user_context", "memory", "named_call", "named_scope",
    "new_ref", "nn", "no_execution", "no_tracing", "numpy", "numpy_dtype_promotion", "numpy_rank_promotion", "outline", "pmap",
    "print_environment_info", "process_count", "process_index", "process_indices", "pure_callback", "random", "remat",
    "remove_size_one_mesh_axis_from_type", "reshard", "roll", "set_mesh", "shard_map", "sharding", "smap", "softmax_custom_jvp",
    "thread_guard", "threefry_partitionable", "transfer_guard", "transfer_guard_device_to_device", "transfer_guard_device_to_host",
    "transfer_guard_host_to_device", "tree", "tree_util", "typeof", "typing", "use_abstract_mesh", "value_and_grad", "vjp", "vmap",
    "with_sharding_constraint",
]
