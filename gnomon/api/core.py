"""Traced values, types and programs for those who look inside: the names that `gnomon.core` and `gnomon.extend.core` share."""
from __future__ import annotations

import abc
import itertools
from typing import Any, NamedTuple, Union

import numpy as np
from ml_dtypes import bfloat16

from gnomon.api.function import type_of
from gnomon.api.jit import eval_jaxpr  # noqa: F401
from gnomon.api.scopes import ensure_compile_time_eval
from gnomon.base.errors import ConcretizationTypeError, Refused
from gnomon.base.settings import current
from gnomon.ir.check import programs_of
from gnomon.ir.dims import drop_dim, insert_dim
from gnomon.ir.jaxpr import ClosedJaxpr, Eqn, Jaxpr, Literal, Var
from gnomon.run.array import Array
from gnomon.trace.context import local
from gnomon.trace.stage import Frame as Trace, NotKnown, Tracer, value_of  # noqa: F401
from gnomon.trace.value import Value  # noqa: F401
from gnomon.types.dtype import canonicalize, tangent_dtype
from gnomon.types.effect import Effect  # noqa: F401
from gnomon.types.size import max_size, min_size
from gnomon.types.value_type import ArrayType, RefType, TokenType

Atom = Union[Var, Literal]
ParamDict = dict[str, Any]


class AbstractValue(abc.ABC):
    """What all types of values are instances of."""


for _type in (ArrayType, RefType, TokenType):
    AbstractValue.register(_type)


class _ShapedArrayForm(abc.ABCMeta):
    def __call__(cls, shape, dtype, weak_type=False, *, sharding=None, manual_axis_type=None, memory_space=None, layout=None):
        return ArrayType(tuple(shape), canonicalize(dtype, current.enable_x64), bool(weak_type), sharding)

    def __instancecheck__(cls, x):
        return isinstance(x, ArrayType)

    def __subclasscheck__(cls, other):
        return issubclass(other, (ArrayType, ShapedArray)) if cls is ShapedArray else super().__subclasscheck__(other)


class ShapedArray(metaclass=_ShapedArrayForm):
    """The type of an array: calling it makes an `ArrayType`, and every one is an instance.

    >>> ShapedArray((2,), "float32")
    ShapedArray(float32[2])
    """


class _Registered(dict):
    """The classes whose values are arrays, and a function of them. Only classes that can be made arrays can be added."""

    def __init__(self, name, classes, rule):
        super().__init__(dict.fromkeys(classes, rule))
        self.name = name

    def __setitem__(self, cls, rule):
        if hasattr(cls, "__jax_array__") or hasattr(cls, "__array__"):
            return super().__setitem__(cls, rule)
        raise Refused(f"{self.name}: values of {cls.__name__} are arrays once the class has a method __jax_array__ that makes one; "
                      "give it that")


array_types = frozenset([Array, np.ndarray, bfloat16, *[np.dtype(code).type for code in "?bhilBHILefdFDqQ"]])
pytype_aval_mappings = _Registered("pytype_aval_mappings", [*array_types, Tracer, bool, int, float, complex], type_of)
canonicalize_dtype_handlers = _Registered("canonicalize_dtype_handlers", [*array_types, bool, int, float, complex], value_of)


class DebugInfo(NamedTuple):
    """What a function is called in messages: for what it is traced, its name and place, its arguments, its results."""

    traced_for: str
    func_src_info: str
    arg_names: tuple | None = None
    result_paths: object = None


def eval_context():
    """Context manager: operations run at once. The same as `ensure_compile_time_eval`."""
    return ensure_compile_time_eval()


max_dim, min_dim = max_size, min_size


# ---- programs ------------------------------------------------------------------------------------------------------

def jaxpr_as_fun(closed_jaxpr: ClosedJaxpr):
    """A program as a function of its inputs that returns a list of its outputs."""
    def run(*args):
        return eval_jaxpr(closed_jaxpr.jaxpr, closed_jaxpr.consts, *args)
    return run


def new_jaxpr_eqn(invars, outvars, primitive, params, effects=None, source_info=None, ctx=None) -> Eqn:
    """An equation: `primitive` with `params` applied to variables and literals. `effects` follow from the primitive."""
    return Eqn(primitive.op(**params), tuple(invars), tuple(outvars), source_info)


def subjaxprs(jaxpr: Jaxpr):
    """The programs that a program's equations hold."""
    return itertools.chain.from_iterable(programs_of(e.op) for e in jaxpr.eqns)


def jaxprs_in_params(params):
    """The programs among the parameters of an equation."""
    for value in params.values():
        for part in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(part, (Jaxpr, ClosedJaxpr)):
                yield part.jaxpr if isinstance(part, ClosedJaxpr) else part


def gensym():
    """A function that makes a new variable of a type."""
    return lambda aval: Var(aval)


# ---- types ---------------------------------------------------------------------------------------------------------

def mapped_aval(size, axis, aval):
    """The type of one element along a mapped axis (None: the type itself)."""
    return aval if axis is None else drop_dim(aval, axis)


def unmapped_aval(size, axis, aval, explicit_mesh_axis=None):
    """The type with a mapped axis of this size put back (None: the type itself)."""
    return aval if axis is None else insert_dim(aval, axis, size, explicit_mesh_axis)


def primal_dtype_to_tangent_dtype(primal_dtype):
    """The dtype of tangents: floats and complex numbers keep theirs, all others have float0."""
    return tangent_dtype(primal_dtype)


def shaped_abstractify(x):
    """The type of an array, number or ShapeDtypeStruct. TypeError for anything else."""
    return type_of(x)


def valid_jaxtype(x) -> bool:
    """Whether a value can be an argument of an operation: an array, a traced value or a number."""
    try:
        type_of(x)
    except TypeError:
        return False
    return True


def concrete_or_error(force, val, context=""):
    """`force(val)`, such as int(val), where the number is known while tracing; else ConcretizationTypeError with `context`."""
    force = (lambda x: x) if force is None else force
    if not isinstance(val, Tracer):
        return force(val)
    try:
        return force(np.asarray(val.frame.concrete(val.atom)).item() if val.size == 1 else val.frame.concrete(val.atom))
    except NotKnown as unknown:
        text = unknown.why(val)
    raise ConcretizationTypeError(f"Abstract tracer value encountered where a concrete value is expected: a traced value of type "
                                  f"{val.type}. {context}\n{text}")


# ---- where we are --------------------------------------------------------------------------------------------------

def get_opaque_trace_state(convention=None):
    """A value that is equal as long as the same function is being traced in this thread."""
    return OpaqueTraceState(local.frame)


def find_top_trace(xs):
    """The innermost of the programs that the traced values among `xs` belong to; without any, what `get_opaque_trace_state` gives."""
    frames = [x.frame for x in xs if isinstance(x, Tracer)]
    return max(frames, key=lambda frame: frame.depth) if frames else get_opaque_trace_state()


class OpaqueTraceState:
    """Says whether two moments are in the same trace."""

    __slots__ = ("frame",)
    main = property(lambda self: self.frame)

    def __init__(self, frame):
        self.frame = frame

    def __eq__(self, other):
        return isinstance(other, OpaqueTraceState) and self.frame is other.frame

    def __hash__(self):
        return id(self.frame)


def _kinds():
    frame = local.frame
    while frame is not None:
        yield frame.kind
        frame = frame.parent


def unsafe_am_i_under_a_jit_DO_NOT_USE() -> bool:  # noqa: N802
    """Whether a function under jit is being traced."""
    return "jit" in _kinds()


def unsafe_am_i_under_a_vmap_DO_NOT_USE() -> bool:  # noqa: N802
    """Whether a function under vmap is being traced."""
    return "vmap" in _kinds()


def unsafe_get_axis_names_DO_NOT_USE() -> list:  # noqa: N802
    """The named axes in scope."""
    return list(local.axes)


def nonempty_axis_env_DO_NOT_USE() -> bool:  # noqa: N802
    """Whether any named axis is in scope."""
    return bool(local.axes)
