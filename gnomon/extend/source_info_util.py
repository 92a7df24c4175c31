"""Where in the user's code an equation comes from."""
from gnomon.api.absent import Absent as _Absent, absent_class as _absent_class
from gnomon.api.scopes import named_scope as extend_name_stack
from gnomon.base.source import describe as _describe, hide_path as register_exclusion, user_place as _user_place

__all__ = ["NameStack", "SourceInfo", "current", "current_name_stack", "extend_name_stack", "new_name_stack", "new_source_info",
           "register_exclusion", "reset_name_stack", "set_name_stack", "summarize", "transform_name_stack", "user_context"]

_NAMES = "names of scopes are part of an equation's place, and there is no stack of them; enter one with gnomon.named_scope"
NameStack, SourceInfo, set_name_stack, transform_name_stack, user_context = (
    _absent_class(n, _NAMES) for n in ("NameStack", "SourceInfo", "set_name_stack", "transform_name_stack", "user_context"))
current_name_stack, new_name_stack, reset_name_stack = (
    _Absent(n, _NAMES) for n in ("current_name_stack", "new_name_stack", "reset_name_stack"))


def current():
    """The place of the call in the user's code, as equations hold it."""
    return _user_place(2)


new_source_info = current


def summarize(source_info, num_frames: int = 1) -> str:
    """A place as text: ``train.py:12 (loss)``."""
    return _describe(source_info)
