"""Foreign functions: compiled functions written in C, C++ or CUDA against XLA's foreign function interface, called from programs."""
from __future__ import annotations

from gnomon.api.absent import Absent as _Absent
from gnomon.api.function import as_values as _as_values, check_leaves as _check_leaves
from gnomon.base.errors import Refused as _Refused
from gnomon.base.frames import entry_point as _entry_point
from gnomon.base.settings import current as _current
from gnomon.base.tree import tree_flatten as _tree_flatten
from gnomon.lower.text import attribute_pairs as _attribute_pairs
from gnomon.ops.callback import VMAP_METHODS as _VMAP_METHODS
from gnomon.ops.foreign import FfiCall as _FfiCall
from gnomon.run import foreign as _foreign
from gnomon.run.foreign import include_dir
from gnomon.trace.stage import bind as _bind
from gnomon.types.dtype import canonicalize as _canonicalize
from gnomon.types.value_type import ArrayType as _ArrayType

__all__ = ["abstract_token", "build_ffi_lowering_function", "ffi_call", "ffi_lowering", "include_dir", "pycapsule", "register_ffi_target",
           "register_ffi_target_as_batch_partitionable", "register_ffi_type", "register_ffi_type_id"]

_LOWERING = "programs are written as StableHLO text and there are no MLIR objects; call ffi_call in the function that needs it"
build_ffi_lowering_function, ffi_lowering = _Absent("build_ffi_lowering_function", _LOWERING), _Absent("ffi_lowering", _LOWERING)
_TYPES = "functions that keep a state of a type of their own are not supported; keep the state in arrays that are passed in and out"
register_ffi_type, register_ffi_type_id = _Absent("register_ffi_type", _TYPES), _Absent("register_ffi_type_id", _TYPES)
register_ffi_target_as_batch_partitionable = _Absent("register_ffi_target_as_batch_partitionable", "the compiler copies what a foreign function "
                                                     "takes to every device; call it in a shard_map to run it on the parts of an array")
abstract_token = _Absent("abstract_token", "foreign functions take and give arrays only; has_side_effect=True keeps a call that gives nothing")


def register_ffi_target(name: str, fn, platform: str = "cpu", api_version: int = 1, **kwargs) -> None:
    """Make a function callable from compiled programs as `name`, on "cpu", "cuda" or "rocm".

    `fn` is a capsule (see `pycapsule`), or a dict of capsules for the stages "instantiate", "prepare", "initialize" and "execute".
    `api_version` is 1 for XLA's typed interface. XLA asks such a function for the version it was built against when a client is there, and
    keeps its address: the library has to stay loaded. TypeError for a name that is no string, JaxRuntimeError for a function that
    XLA does not take.

    >>> register_ffi_target(3, None)
    Traceback (most recent call last):
    TypeError: register_ffi_target takes the name of a target, got 3.
    """
    if not isinstance(name, str):
        raise TypeError(f"register_ffi_target takes the name of a target, got {name!r}.")
    _foreign.register(name, fn, platform, api_version, **kwargs)


def pycapsule(funcptr):
    """A function of a shared library that `ctypes` has loaded, as the capsule that `register_ffi_target` takes.

    >>> import ctypes
    >>> type(pycapsule(ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: None))).__name__
    'PyCapsule'
    """
    return _foreign.capsule(funcptr)


@_entry_point
def ffi_call(target_name: str, result_shape_dtypes, *, has_side_effect: bool = False, vmap_method: str | None = None, input_layouts=None,
             output_layouts=None, input_output_aliases: dict[int, int] | None = None, custom_call_api_version: int = 4,
             legacy_backend_config: str | None = None):
    """A function that calls the foreign function registered as `target_name`.

    It takes arrays, in row-major order, and attributes as keyword arguments (numbers, strings, NumPy arrays, lists and dicts of these),
    and gives arrays of the shapes and dtypes of `result_shape_dtypes` (a ShapeDtypeStruct, or a sequence of them). `vmap_method`
    says how it is batched, as for `pure_callback`. It has no derivative: wrap it in custom_jvp or custom_vjp.
    TypeError for an attribute that cannot be handed over; Refused for other layouts and older interfaces.

    >>> import gnomon, numpy as np
    >>> double = ffi_call("doc.double", gnomon.ShapeDtypeStruct((2,), np.float32))
    >>> print(gnomon.make_jaxpr(lambda x: double(x, by=2))(np.ones(2, np.float32)))
    { lambda ; a:f32[2]. let
        b:f32[2] = ffi_call[
          attributes=((by, 2 : i64),)
          target_name=doc.double
          vmap_method=None
        ] a
      in (b,) }
    """
    if vmap_method not in _VMAP_METHODS:
        raise ValueError(f"ffi_call: vmap_method must be one of {', '.join(map(repr, _VMAP_METHODS))}, got {vmap_method!r}.")
    if input_layouts is not None or output_layouts is not None:
        raise _Refused("ffi_call: foreign functions take and give arrays in row-major order; transpose them around the call instead of giving "
                       "layouts.")
    if custom_call_api_version != 4 or legacy_backend_config is not None:
        raise _Refused("ffi_call: only XLA's typed interface is called (custom_call_api_version 4); pass what legacy_backend_config held as "
                       "keyword arguments.")
    single = not isinstance(result_shape_dtypes, (list, tuple))
    types = tuple([_ArrayType(tuple(s.shape), _canonicalize(s.dtype, _current.enable_x64))
                   for s in ([result_shape_dtypes] if single else result_shape_dtypes)])
    aliases = tuple(sorted((input_output_aliases or {}).items()))

    def call(*args, **attributes):
        pairs = _attribute_pairs(attributes, lambda key: f"ffi_call: the attribute {key} of {target_name} cannot be handed over")
        leaves = _tree_flatten(args)[0]
        _check_leaves(leaves, f"ffi_call of {target_name}", lambda: [f"number {i}" for i in range(len(leaves))])
        op = _FfiCall(target_name, types, pairs, bool(has_side_effect), vmap_method, aliases)
        outs = _bind(op, *_as_values(leaves))
        return outs[0] if single else list(outs)
    return _entry_point(call)
