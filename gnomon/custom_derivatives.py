"""Functions whose derivatives their author gives, and what belongs to them."""
from gnomon.api.closures import closure_convert, custom_gradient, custom_vjp_primal_tree_values, linear_call
from gnomon.api.custom import CustomVJPPrimal, SymbolicZero, custom_jvp, custom_vjp, zero_from_primal
from gnomon.ir.op import primitive as _primitive
from gnomon.ops.nested.custom import CustomJvpCall as _CustomJvpCall, CustomVjpCall as _CustomVjpCall

custom_jvp_call_p, custom_vjp_call_p = _primitive(_CustomJvpCall), _primitive(_CustomVjpCall)

__all__ = ["CustomVJPPrimal", "SymbolicZero", "closure_convert", "custom_gradient", "custom_jvp", "custom_jvp_call_p",
           "custom_vjp", "custom_vjp_call_p", "custom_vjp_primal_tree_values", "linear_call", "zero_from_primal"]
