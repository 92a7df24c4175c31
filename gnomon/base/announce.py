"""Announcements: things that happen to the user's values that they should know of, said once per line of their code.

The setting `announce` makes them warnings ("warn"), errors ("error") or nothing ("silent").
"""
from __future__ import annotations

import sys
import warnings

from gnomon.base.errors import GnomonWarning
from gnomon.base.settings import current
from gnomon.base.source import file_line, user_place

_said = set()


def announce(sentence, always=False):
    """Say a sentence about what happened at the user's line. `always`: also where announcements are silent, since a value
    was changed."""
    how = current.announce
    if how == "silent" and not always:
        return
    at = file_line(user_place(2))
    if how == "error":
        raise ValueError(sentence)
    if (at, sentence) in _said:
        return
    _said.add((at, sentence))
    if at is None:
        warnings.warn(sentence, GnomonWarning, stacklevel=3)
    else:
        warnings.warn_explicit(sentence, GnomonWarning, at[0], at[1])


def tell(sentence):
    """Say on the error stream, once, what was done for the user. Silent where announcements are."""
    if current.announce != "silent" and sentence not in _said:
        _said.add(sentence)
        sys.stderr.write(f"gnomon: {sentence}\n")
