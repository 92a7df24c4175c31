"""Running primitives at once."""
from gnomon.api.absent import absent_class as _absent_class
from gnomon.api.core import canonicalize_dtype_handlers
from gnomon.ops.user import apply_primitive

Backend = _absent_class("Backend", "a client of the runtime is made by gnomon.extend.backend.get_backend")

__all__ = ["Backend", "apply_primitive", "canonicalize_dtype_handlers"]
