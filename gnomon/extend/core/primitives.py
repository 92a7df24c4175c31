"""The primitives by name: `primitives.sin_p` is the `primitive` of every equation that takes a sine.

>>> import gnomon
>>> eqn, = gnomon.make_jaxpr(lambda x: x * 2.0)(1.0).eqns
>>> eqn.primitive is mul_p, eqn.primitive.name  # doctest: +SKIP
(True, 'mul')
"""
from gnomon.api.absent import Absent as _Absent
from gnomon.ops import primitive_named as _primitive_named

# Where the name differs from the one that programs print.
RENAMED = {"add_jaxvals_p": "add_any", "linear_solve_p": "custom_linear_solve", "remat_p": "checkpoint"}
_CALL = "calls are jit here, jit_p; wrap the function in gnomon.jit"
ABSENT = {
    "call_p": _CALL, "closed_call_p": _CALL, "create_call_primitive": _CALL, "register_call_primitive_rules": _CALL, "eval_jaxpr_transpose": _CALL,
    "empty2_p": "arrays without contents are made of zeros; see broadcast_in_dim_p",
}


def __getattr__(name):
    found = _primitive_named(RENAMED.get(name, name)) if name.endswith("_p") else None
    if found is None and name in ABSENT:
        return _Absent(name, ABSENT[name])
    if found is None:
        raise AttributeError(f"Gnomon has no primitive {name!r}.")
    return found
