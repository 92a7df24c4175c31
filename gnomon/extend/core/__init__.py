"""Programs as data: their parts, their types, and how to check and evaluate them."""
from gnomon.api.absent import Absent as _Absent, absent_class as _absent_class
from gnomon.api.core import (DebugInfo, array_types, concrete_or_error, find_top_trace, gensym, get_opaque_trace_state, jaxpr_as_fun, jaxprs_in_params,
                             mapped_aval, new_jaxpr_eqn, nonempty_axis_env_DO_NOT_USE, primal_dtype_to_tangent_dtype, subjaxprs, unmapped_aval,
                             unsafe_am_i_under_a_jit_DO_NOT_USE, unsafe_am_i_under_a_vmap_DO_NOT_USE,
                             unsafe_get_axis_names_DO_NOT_USE, valid_jaxtype)
from gnomon.api.reading import parse_jaxpr
from gnomon.base.errors import InconclusiveDimensionOperation, JaxprTypeError
from gnomon.extend.core import primitives
from gnomon.ir.check import check as check_jaxpr
from gnomon.ir.jaxpr import ClosedJaxpr, Eqn as JaxprEqn, Jaxpr, Literal, Var
from gnomon.ops.user import UserPrimitive as Primitive
from gnomon.types.effect import PURE as no_effects, Effect
from gnomon.types.value_type import TokenType as AbstractToken

Effects = frozenset[Effect]
_CALLS = "a primitive that calls a program is jit here; wrap the function in gnomon.jit, or in custom_jvp, custom_vjp or custom_vmap"
_TRACES = "programs are recorded, one at a time in a thread, and there are no traces to choose; use gnomon.make_jaxpr"
create_call_primitive, register_call_primitive_rules, eval_jaxpr_transpose = (
    _Absent(n, _CALLS) for n in ("create_call_primitive", "register_call_primitive_rules", "eval_jaxpr_transpose"))
TraceTag, set_current_trace, take_current_trace = (
    _absent_class(n, _TRACES) for n in ("TraceTag", "set_current_trace", "take_current_trace"))
DropVar = _absent_class("DropVar", "a result that nobody reads is a variable like others here; it prints as _")
Token = _absent_class("Token", "the order of effects is kept by the program itself; gnomon.effects_barrier() waits for them")

__all__ = ["AbstractToken", "ClosedJaxpr", "DebugInfo", "DropVar", "Effect", "Effects", "InconclusiveDimensionOperation", "Jaxpr",
           "JaxprEqn", "JaxprTypeError", "Literal", "Primitive", "Token", "TraceTag", "Var", "array_types", "check_jaxpr",
           "concrete_or_error", "create_call_primitive", "eval_jaxpr_transpose", "find_top_trace", "gensym", "get_opaque_trace_state",
           "jaxpr_as_fun", "jaxprs_in_params", "mapped_aval", "new_jaxpr_eqn", "no_effects", "nonempty_axis_env_DO_NOT_USE",
           "parse_jaxpr", "primal_dtype_to_tangent_dtype", "primitives", "register_call_primitive_rules", "set_current_trace",
           "subjaxprs", "take_current_trace", "unmapped_aval", "unsafe_am_i_under_a_jit_DO_NOT_USE",
           "unsafe_am_i_under_a_vmap_DO_NOT_USE", "unsafe_get_axis_names_DO_NOT_USE", "valid_jaxtype"]
