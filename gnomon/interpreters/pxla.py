"""The mesh in force, as code written for older versions of JAX looks it up."""
from gnomon.api.absent import Absent as _Absent, absent_class as _absent_class
from gnomon.api.places import get_mesh as _get_mesh

_COMPILED = "programs are compiled by gnomon.jit(f).lower(...).compile()"
MeshComputation = _absent_class("MeshComputation", _COMPILED)
create_compile_options, global_avals_to_results_handler = (
    _Absent(n, _COMPILED) for n in ("create_compile_options", "global_avals_to_results_handler"))


class _Env:
    physical_mesh = property(lambda self: _get_mesh())


class _ThreadResources:
    """Its `env.physical_mesh` is the mesh set by `set_mesh`, or an empty one."""

    env = _Env()


thread_resources = _ThreadResources()

__all__ = ["MeshComputation", "create_compile_options", "global_avals_to_results_handler", "thread_resources"]
