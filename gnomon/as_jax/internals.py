"""Names of JAX's internals that widely used packages import, each served by its public equivalent here.

No other name of `jax._src` is there. None of them can be replaced: what is put in JAX's place there would change nothing here.
"""
from __future__ import annotations

import types

import numpy as np

from gnomon import core, dtypes
from gnomon.api.absent import Absent
from gnomon.api.core import get_opaque_trace_state
from gnomon.base.frames import entry_point
from gnomon.base.source import hide_path, is_hidden
from gnomon.base.tree import is_namedtuple, is_tree_node
from gnomon.experimental import checkify
from gnomon.flatten_util import ravel_pytree
from gnomon.ops.user import UserPrimitive
from gnomon.run.execute import effects_barrier
from gnomon.types.value_type import RefType


class ExtendedDType:
    """A dtype of one's own: it can be defined, and no array has it."""


def trace_state_clean() -> bool:
    """Whether no function is being traced in this thread."""
    return get_opaque_trace_state().frame is None


def include_frame(frame) -> bool:
    """Whether a frame is shown in tracebacks: none of Gnomon's own, nor of files given to `register_exclusion`."""
    return not is_hidden(frame.f_code.co_filename)


class Nodes:
    """The registered classes of trees, to ask for with `in`; named tuples are nodes without being registered."""

    def __contains__(self, kind):
        return is_tree_node(kind) and not is_namedtuple(kind)


# lax.stop_gradient is an op with rules of its own, which say the same as those that are given to this one.
stop_gradient_p = UserPrimitive("stop_gradient")
stop_gradient_p.def_impl(lambda x: x)
stop_gradient_p.def_abstract_eval(lambda x: x)

NAMES = {
    "ad_util": {"stop_gradient_p": stop_gradient_p},
    "checkify": vars(checkify),
    "compiler": {"backend_compile_and_load": Absent("backend_compile_and_load", "programs are compiled by jax.jit(f).lower(...).compile()")},
    "core": {**{name: getattr(core, name) for name in core.__all__}, "trace_state_clean": trace_state_clean},
    "dispatch": {"wait_for_tokens": effects_barrier},
    "dtypes": {**{name: getattr(dtypes, name) for name in dtypes.__all__}, "DType": np.dtype, "ExtendedDType": ExtendedDType},
    "flatten_util": {"ravel_pytree": ravel_pytree},
    "state": {},
    "state.types": {"AbstractRef": RefType},
    "traceback_util": {"api_boundary": entry_point, "include_frame": include_frame, "register_exclusion": hide_path},
    "tree_util": {"_registry": Nodes()},
}


MODULES = {"jax._src": types.ModuleType("jax._src"), **{f"jax._src.{name}": types.ModuleType(f"jax._src.{name}") for name in NAMES}}
for _name, _names in NAMES.items():
    vars(MODULES[f"jax._src.{_name}"]).update({name: value for name, value in _names.items() if not name.startswith("__")})
