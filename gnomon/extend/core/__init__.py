"""Programs as data: their parts, their types, and how to check and evaluate them."""
from gnomon.api.absent import Absent as _Absent
from gnomon.api.core import (concrete_or_error, gensym, get_opaque_trace_state, jaxpr_as_fun, jaxprs_in_params, mapped_aval,
                             new_jaxpr_eqn, nonempty_axis_env_DO_NOT_USE, primal_dtype_to_tangent_dtype, subjaxprs, unmapped_aval,
                             unsafe_am_i_under_a_jit_DO_NOT_USE, unsafe_am_i_under_a_vmap_DO_NOT_USE,
                             unsafe_get_axis_names_DO_NOT_USE, valid_jaxtype)
from gnomon.base.errors import InconclusiveDimensionOperation, JaxprTypeError
from gnomon.extend.core import primitives
from gnomon.ir.check import check as check_jaxpr
from gnomon.ir.jaxpr import ClosedJaxpr, Eqn as JaxprEqn, Jaxpr, Literal, Var
from gnomon.ops.user import UserPrimitive as _UserPrimitive
from gnomon.types.effect import PURE as no_effects, Effect
from gnomon.types.value_type import TokenType as AbstractToken

Effects = frozenset[Effect]
_OPS = "an op is a class in Gnomon; JAX's way of registering primitives and rules by table is not there, use custom_jvp, custom_vjp, "\
       "custom_vmap or pure_callback"
Primitive = _UserPrimitive
create_call_primitive = _Absent("create_call_primitive", _OPS)
register_call_primitive_rules = _Absent("register_call_primitive_rules", _OPS)

__all__ = ["AbstractToken", "ClosedJaxpr", "Effect", "Effects", "InconclusiveDimensionOperation", "Jaxpr", "JaxprEqn", "JaxprTypeError",
           "Literal", "Primitive", "Var", "check_jaxpr", "concrete_or_error", "create_call_primitive", "gensym",
           "get_opaque_trace_state", "jaxpr_as_fun", "jaxprs_in_params", "mapped_aval", "new_jaxpr_eqn", "no_effects",
           "nonempty_axis_env_DO_NOT_USE", "primal_dtype_to_tangent_dtype", "primitives", "register_call_primitive_rules", "subjaxprs",
           "unmapped_aval", "unsafe_am_i_under_a_jit_DO_NOT_USE", "unsafe_am_i_under_a_vmap_DO_NOT_USE",
           "unsafe_get_axis_names_DO_NOT_USE", "valid_jaxtype"]
