"""Traced values, types and programs, under JAX's names."""
from gnomon.api.core import (AbstractValue, Atom, ParamDict, ShapedArray, Trace, Tracer, Value, eval_context, eval_jaxpr, max_dim,
                             min_dim, pytype_aval_mappings)
from gnomon.api.scopes import ensure_compile_time_eval

__all__ = ["AbstractValue", "Atom", "ParamDict", "ShapedArray", "Trace", "Tracer", "Value", "ensure_compile_time_eval", "eval_context",
           "eval_jaxpr", "max_dim", "min_dim", "pytype_aval_mappings"]
