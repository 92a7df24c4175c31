"""Announcements: things that happen to the user's values that they should know of, said once per line of their code.

The setting `announce` makes them warnings ("warn"), errors ("error") or nothing ("silent").
"""
from __future__ import annotations

import contextlib
import sys
import threading
import warnings

from gnomon.base.errors import GnomonWarning
from gnomon.base.frames import __file__ as frames_file
from gnomon.base.settings import current
from gnomon.base.source import PACKAGE, file_line, function_name, user_place
from gnomon.base.tree import argument_names, keystr, tree_flatten_with_path, tree_leaves

NOTHING = object()
HAS_VARARGS = 0x04           # of code objects, as inspect.CO_VARARGS
_said = set()
_heard = threading.local()      # .said: a list that collects (sentence, file and line) instead of telling them


@contextlib.contextmanager
def listening():
    """Context manager: what is announced in this thread is collected in a list of (sentence, (file, line) or None), not told."""
    before = getattr(_heard, "said", None)
    _heard.said = []
    try:
        yield _heard.said
    finally:
        _heard.said = before


def is_listening():
    """Whether what is announced in this thread is collected: a program is traced to be explained."""
    return getattr(_heard, "said", None) is not None


def announce(sentence, always=False, about=NOTHING):
    """Say a sentence about what happened at the user's line. `always`: also where announcements are silent, since a value
    was changed. `about`: an argument of the function that the user called; its name stands where the sentence has {argument}."""
    how = current.announce
    heard = getattr(_heard, "said", None)
    if heard is not None:
        heard.append((named(sentence, about), file_line(user_place(2))))
        return
    if how == "silent" and not always:
        return
    at = file_line(user_place(2))
    if how == "error":
        raise GnomonWarning(named(sentence, about))
    if (at, sentence) in _said:
        return
    _said.add((at, sentence))
    sentence = named(sentence, about)
    if at is None:
        warnings.warn(sentence, GnomonWarning, stacklevel=3)
    else:
        warnings.warn_explicit(sentence, GnomonWarning, at[0], at[1])


def named(sentence, about):
    """The sentence with the name of the argument `about` filled in."""
    return sentence if about is NOTHING else sentence.replace("{argument}", name_in_call(about))


def name_in_call(x):
    """", argument <name> of <function>," where `x` is one object among the arguments of the function that the user called, or in a tree
    that is one; else nothing. Frames are looked at from that function inwards, until one has it under a name."""
    frames, frame = [], sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frames.append(frame)
        frame = frame.f_back
    for frame in reversed(frames):
        code, held = frame.f_code, frame.f_locals
        if code.co_filename in PASSED_ON or code.co_name in INNER:
            continue
        count = code.co_argcount + code.co_kwonlyargcount
        fun = held.get("fun") or getattr(held.get("self"), "fun", None)
        if fun is not None and "args" in held and "kwargs" in held:         # what a transformed function was called with
            found, who = zip(argument_names(fun, held["args"], held["kwargs"]), tree_leaves((held["args"], held["kwargs"]))), function_name(fun)
        else:
            names = code.co_varnames[:count + bool(code.co_flags & HAS_VARARGS)]
            found = ((name + keystr(path), leaf) for name in names if name in held and name not in ("self", "args")
                     for path, leaf in leaves_of(held[name]))
            who = code.co_name
        found = [name for name, leaf in found if leaf is x]
        if "symbol" in held and found == ["other"]:
            return f", operand of {held['symbol']},"
        if len(found) == 1 and who in MADE:
            who = MADE[who](held)
            if who is None:         # a frame further in knows its name
                continue
        if len(found) == 1 and not who.startswith("_"):
            return f", argument {found[0]} of {who},"
        if found:
            break
    return ""


# Files whose frames hand on the arguments of others, functions that are not the user's call, and what functions made by others are called.
PASSED_ON = {__file__, frames_file}
INNER = {"<listcomp>", "<genexpr>", "as_value", "narrow", "array_of", "run_plan", "constant", "value_of"}
MADE = {**dict.fromkeys(("function", "planned", "converting", "apply"), lambda held: held.get("name")), "method": lambda held: f"x.at[...].{held['kind'].name}"}


def leaves_of(x):
    return tree_flatten_with_path(x)[0] if x.__class__ in (tuple, list, dict) else [((), x)]


def announce_narrowed(sentence):
    """Say that a 64-bit dtype that was asked for by name is narrowed: what the setting explicit_x64_dtypes says goes, also where
    announcements are silent. ValueError where that says "error"."""
    how = current.explicit_x64_dtypes
    if how == "error":
        raise ValueError(sentence)
    if how == "warn":
        announce(sentence, always=True)


def tell(sentence):
    """Say on the error stream, once, what was done for the user. Silent where announcements are."""
    if current.announce != "silent" and sentence not in _said and getattr(_heard, "said", None) is None:
        _said.add(sentence)
        sys.stderr.write(f"gnomon: {sentence}\n")
