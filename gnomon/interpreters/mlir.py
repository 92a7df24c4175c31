"""What primitives of one's own compile to: a function of Gnomon's, written into the program in their place."""
from __future__ import annotations

from gnomon.api.absent import Absent as _Absent, absent_class as _absent_class
from gnomon.base.errors import Refused as _Refused
from gnomon.ops.user import own as _own
from gnomon.types.mesh import Mesh  # noqa: F401

_MLIR = ("programs are written as StableHLO text and there are no MLIR objects; give register_lowering a function of Gnomon's: "
         "mlir.lower_fun(function)")
_FUNCTIONS = (
    "aval_to_ir_type", "aval_to_ir_types", "core_call_lowering", "dense_int_array", "dense_int_elements", "dtype_to_ir_type",
    "emit_python_callback", "flatten_ir_types", "flatten_ir_values", "i32_attr", "i64_attr", "ir_attribute", "ir_constant", "ir_constants",
    "jaxpr_subcomp", "lower_jaxpr_to_fun", "lower_jaxpr_to_module", "make_ir_context", "merge_mlir_modules", "module_to_bytecode",
    "module_to_string", "register_constant_handler", "shape_tensor", "token_type", "unflatten_ir_values_like_types", "LoweringRule",
    "ir_tree_registry", "ir_type_handlers", "lowerable_effects", "DEVICE_TO_DEVICE_TYPE", "RECV_FROM_HOST_TYPE", "SEND_TO_HOST_TYPE",
)
_CLASSES = ("AxisContext", "ConstantHandler", "LoweringParameters", "LoweringResult", "LoweringRuleContext", "ModuleContext",
            "SPMDAxisContext", "ShapePolyLoweringState", "ShardingContext", "Token", "TokenSet", "Value", "MeshAxisName")
globals().update({_n: _Absent(_n, _MLIR) for _n in _FUNCTIONS} | {_n: _absent_class(_n, _MLIR) for _n in _CLASSES})


class _LowerFun:
    """A function of Gnomon's as a lowering."""

    def __init__(self, fun, multiple_results):
        self.fun, self.multiple_results = fun, multiple_results


def lower_fun(fun, multiple_results: bool = True):
    """A lowering that writes `fun(*operands, **parameters)`, a function of Gnomon's, into the program. It returns a list if
    `multiple_results`, else one value."""
    return _LowerFun(fun, multiple_results)


def _refusal(prim):
    def lower(*args, **params):
        raise _Refused(f"the primitive {prim} cannot be compiled, since its lowering builds MLIR: {_MLIR}")
    return lower


def register_lowering(prim, rule, platform: str | None = None, inline: bool = True, cacheable: bool = True) -> None:
    """Say what a primitive of one's own compiles to: `rule` is `lower_fun(function)`. Refused for one platform alone; a rule that builds
    MLIR is refused when a program that holds the primitive is compiled.

    >>> from gnomon.extend.core import Primitive
    >>> import gnomon, gnomon.numpy as jnp
    >>> cube_p = Primitive("cube")
    >>> cube_p.def_abstract_eval(lambda x: x) and None
    >>> register_lowering(cube_p, lower_fun(lambda x: x ** 3, multiple_results=False))
    >>> float(gnomon.jit(cube_p.bind)(2.0))
    8.0
    """
    if platform is not None:
        raise _Refused(f"register_lowering of {prim} for the platform {platform!r} alone: a lowering is for all platforms; leave `platform` out, "
                       "and use lax.platform_dependent in the function")
    prim = _own(prim)
    if not isinstance(rule, _LowerFun):
        prim.rules["lower"] = _refusal(prim)
        return
    fun = rule.fun
    if rule.multiple_results and not prim.multiple_results:
        prim.rules["lower"] = lambda *args, **params: fun(*args, **params)[0]
    elif prim.multiple_results and not rule.multiple_results:
        prim.rules["lower"] = lambda *args, **params: [fun(*args, **params)]
    else:
        prim.rules["lower"] = fun
