"""Running primitives at once."""
from gnomon.api.absent import Absent as _Absent, absent_class as _absent_class
from gnomon.ops.user import apply_primitive

Backend = _absent_class("Backend", "a client of the runtime is made by gnomon.extend.backend.get_backend")
canonicalize_dtype_handlers = _Absent("canonicalize_dtype_handlers", "a class becomes an array by its method __jax_array__; give it one")

__all__ = ["Backend", "apply_primitive", "canonicalize_dtype_handlers"]
