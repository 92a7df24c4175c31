"""Where in the user's code an equation comes from."""
from gnomon.api.scopes import named_scope as extend_name_stack
from gnomon.base.source import describe as _describe, user_place as _user_place

__all__ = ["current", "extend_name_stack", "new_source_info", "summarize"]


def current():
    """The place of the call in the user's code, as equations hold it."""
    return _user_place(2)


new_source_info = current


def summarize(source_info, num_frames: int = 1) -> str:
    """A place as text: ``train.py:12 (loss)``."""
    return _describe(source_info)
