"""Programs that stand on their own: exported for types, also with symbolic sizes, kept in files, called elsewhere."""
from gnomon.api.export import (DisabledSafetyCheck, Exported, default_export_platform, deserialize, export,
                               maximum_supported_calling_convention_version, minimum_supported_calling_convention_version,
                               register_namedtuple_serialization, register_pytree_node_serialization, symbolic_args_specs)
from gnomon.types.symbolic import Scope as SymbolicScope, is_symbolic_dim, size_bounds as symbolic_dim_bounds, symbolic_shape

__all__ = ["DisabledSafetyCheck", "Exported", "SymbolicScope", "default_export_platform", "deserialize", "export", "is_symbolic_dim",
           "maximum_supported_calling_convention_version", "minimum_supported_calling_convention_version", "register_namedtuple_serialization",
           "register_pytree_node_serialization", "symbolic_args_specs", "symbolic_dim_bounds", "symbolic_shape"]
