"""Functions whose derivatives their author gives, and what belongs to them."""
from gnomon.api.closures import closure_convert, custom_gradient, custom_vjp_primal_tree_values, linear_call
from gnomon.api.custom import CustomVJPPrimal, SymbolicZero, custom_jvp, custom_vjp, zero_from_primal

__all__ = ["CustomVJPPrimal", "SymbolicZero", "closure_convert", "custom_gradient", "custom_jvp", "custom_vjp",
           "custom_vjp_primal_tree_values", "linear_call", "zero_from_primal"]
