"""Where in the user's code an equation comes from.

Recording a place costs a short walk up the stack: a place is [code object, instruction offset], its line is
looked up only when somebody asks for it.
"""
from __future__ import annotations

import functools
import os
import sys
import types

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_hidden = (PACKAGE,)
# what is installed, not written by the user: the standard library, packages, commands
_libraries = (os.path.dirname(os.__file__) + os.sep, "<frozen ", os.path.join(sys.prefix, "bin") + os.sep,
              *[p + os.sep for p in sys.path if p.endswith(("site-packages", "dist-packages"))])
_skipped = _hidden + _libraries
_getframe = sys._getframe


def user_place(depth=2):
    """[code, instruction offset] of the innermost caller in the user's own code; where all callers are installed packages, of the
    innermost outside this one; or None.

    In a `named_scope` its names are a third entry, `model/layer`. A list, since equations that a transform makes of another share its
    place: when an equal program comes from elsewhere, the place is written over for all of them."""
    frame = innermost = _getframe(depth)
    skipped = _skipped
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(skipped):
            return [code, frame.f_lasti]
        frame = frame.f_back
    while innermost is not None and innermost.f_code.co_filename.startswith(_hidden):
        innermost = innermost.f_back
    return None if innermost is None else [innermost.f_code, innermost.f_lasti]


def hide_path(path):
    """From now on files whose path starts so are not the user's code: places are those of their callers."""
    global _hidden, _skipped
    if path not in _hidden:
        _hidden = (*_hidden, path)
        _skipped = _hidden + _libraries


def is_hidden(path) -> bool:
    """Whether a file is part of Gnomon, or was given to `hide_path`."""
    return path.startswith(_hidden)


def file_line(place):
    """(file name, line) of a place, or None."""
    if place is None:
        return None
    code, offset = place[:2]
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            return code.co_filename, line
    return code.co_filename, code.co_firstlineno


def scope_of(place):
    """The names that `named_scope` gave a place, as `model/layer`, or an empty string."""
    return place[2] if place is not None and len(place) > 2 else ""


def within(place, outer):
    """The place as one in the scope `outer` too; None stays None."""
    if place is None:
        return None
    scope = scope_of(place)
    return [place[0], place[1], f"{outer}/{scope}" if scope else outer]


def transformed(place, what):
    """The place of what the transform `what` makes of an equation: its scope `model/layer` is `grad(model)/layer`. Others share the place."""
    scope = scope_of(place)
    if not scope:
        return place
    first, slash, rest = scope.partition("/")
    return [place[0], place[1], f"{what}({first}){slash}{rest}"]


def describe(place):
    """`train.py:12 (loss)`, or an empty string where the place is not known."""
    at = file_line(place)
    return f"{os.path.basename(at[0])}:{at[1]} ({place[0].co_name})" if at else ""


def at_place(place):
    """`` at train.py:12 (loss)``, to follow a name in a sentence, or an empty string."""
    text = describe(place)
    return f" at {text}" if text else ""


def function_place(fn):
    """`loss at train.py:12` for a function, as far as it can be told."""
    name = function_name(fn)
    code = getattr(fn, "__code__", None) or getattr(getattr(fn, "__wrapped__", None), "__code__", None)
    return f"{name} at {os.path.basename(code.co_filename)}:{code.co_firstlineno}" if code else name


def named_after(wrapper, fn, what=""):
    """Give what wraps a function that function's name (as `what(name)` where that is given), place and text; returns it.

    A function's own attributes go along, an object's do not: they are its state."""
    try:
        functools.update_wrapper(wrapper, fn, updated=())
    except Exception:           # a callable object may have odd attributes
        pass
    if isinstance(fn, types.FunctionType):
        for name, value in vars(fn).items():
            vars(wrapper).setdefault(name, value)
    name = function_name(fn)
    wrapper.__name__ = f"{what}({name})" if what else name
    return wrapper


def function_name(fn):
    """The name to print for a callable."""
    name = getattr(fn, "__name__", None)
    if name is None and hasattr(fn, "func"):
        return function_name(fn.func)
    return name or type(fn).__name__
