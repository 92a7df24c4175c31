"""Functions whose derivatives their author gives, and what belongs to them."""
from gnomon.api.absent import Absent as _Absent
from gnomon.api.closures import closure_convert, custom_gradient, custom_vjp_primal_tree_values, linear_call
from gnomon.api.custom import CustomVJPPrimal, SymbolicZero, custom_jvp, custom_vjp, zero_from_primal
from gnomon.ir.op import primitive as _primitive
from gnomon.ops.nested.custom import CustomJvpCall as _CustomJvpCall, CustomVjpCall as _CustomVjpCall

remat_opt_p = _Absent("remat_opt_p", "the rules of custom_vjp are written into programs without an op of their own for checkpoint; look for "
                      "custom_vjp_call_p")
custom_jvp_call_p, custom_vjp_call_p = _primitive(_CustomJvpCall), _primitive(_CustomVjpCall)

__all__ = ["CustomVJPPrimal", "SymbolicZero", "closure_convert", "custom_gradient", "custom_jvp", "custom_jvp_call_p",
           "custom_vjp", "custom_vjp_call_p", "custom_vjp_primal_tree_values", "linear_call", "remat_opt_p", "zero_from_primal"]
