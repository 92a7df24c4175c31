"""Announcements: things that happen to the user's values that they should know of, said once per line of their code.

The setting `announce` makes them warnings ("warn"), errors ("error") or nothing ("silent").
"""
from __future__ import annotations

import contextlib
import sys
import threading
import warnings

from gnomon.base.errors import GnomonWarning
from gnomon.base.settings import current
from gnomon.base.source import file_line, user_place

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


def announce(sentence, always=False):
    """Say a sentence about what happened at the user's line. `always`: also where announcements are silent, since a value
    was changed."""
    how = current.announce
    heard = getattr(_heard, "said", None)
    if heard is not None:
        heard.append((sentence, file_line(user_place(2))))
        return
    if how == "silent" and not always:
        return
    at = file_line(user_place(2))
    if how == "error":
        raise GnomonWarning(sentence)
    if (at, sentence) in _said:
        return
    _said.add((at, sentence))
    if at is None:
        warnings.warn(sentence, GnomonWarning, stacklevel=3)
    else:
        warnings.warn_explicit(sentence, GnomonWarning, at[0], at[1])


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
