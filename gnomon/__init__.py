"""Gnomon: a tracing machine for numerical Python.

A pure Python function is run once with stand-in values and recorded as a small typed program, a jaxpr; `jit`, `grad`, `vmap` and
the rest are rewrites of that program, and XLA compiles it. The names are JAX's.
"""
import gnomon.run.pytree  # noqa: F401,I001 - gives the tree functions their registries
import gnomon.ir.show  # noqa: F401 - how programs print
import gnomon.run.eager  # noqa: F401 - gives traces their evaluator
from gnomon.api.checkpoint import checkpoint, checkpoint_policies, remat  # noqa: F401
from gnomon.api.custom import custom_gradient, custom_jvp, custom_vjp  # noqa: F401
from gnomon.api.differentiate import (grad, hessian, jacfwd, jacobian, jacrev, jvp, linear_transpose, linearize,  # noqa: F401
                                      value_and_grad, vjp)
from gnomon.api.function import ShapeDtypeStruct  # noqa: F401
from gnomon.api.jit import eval_shape, jit, make_jaxpr, typeof  # noqa: F401
from gnomon.api.places import (block_until_ready, clear_caches, copy_to_host_async, default_backend, device_count,  # noqa: F401
                               device_get, device_put, devices, get_abstract_mesh, get_mesh, local_device_count, local_devices,
                               make_array_from_callback, make_array_from_process_local_data, make_array_from_single_device_arrays,
                               make_mesh, process_count, process_index, process_indices, reshard, set_mesh, use_abstract_mesh,
                               with_sharding_constraint)
from gnomon.api.vmap import vmap  # noqa: F401
from gnomon.base.settings import config, enable_x64, numpy_dtype_promotion, numpy_rank_promotion  # noqa: F401
from gnomon.trace.value import Value as Array  # noqa: F401
from gnomon.types.sharding import NamedSharding, PartitionSpec as P  # noqa: F401
from gnomon import lax, nn, numpy, random  # noqa: F401
from gnomon import errors, sharding, tree, tree_util  # noqa: F401

__version__ = "0.1.0"
