"""Gnomon's own frames are left out of tracebacks: an error shows the user's lines only.

What users call catches an exception that leaves it, cuts the traceback and lets the exception go on; this costs nothing as long
as there is none. Errors that Gnomon did not mean to raise, its own faults, keep all their frames. The setting
`traceback_filtering` "off" keeps them always.
"""
from __future__ import annotations

import functools
import opcode
import types

from gnomon.base.settings import current
from gnomon.base.source import PACKAGE

KEEP = ("off", "tracebackhide")
RAISE = opcode.opmap["RAISE_VARARGS"]


def hide_frames(error: BaseException) -> None:
    """Take Gnomon's frames out of an exception's traceback, unless it is a fault of Gnomon's own."""
    if current.traceback_filtering in KEEP:
        return
    entries, entry = [], error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    if not entries:
        return
    if is_ours(entries[-1]):
        # an error that an inner function of ours let go without its frames was meant, too
        if not getattr(error, "meant_by_gnomon", False) and not was_meant(error, entries[-1]):
            return
        error.meant_by_gnomon = True
    kept = None
    for entry in reversed(entries):
        if not is_ours(entry):
            kept = types.TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    error.__traceback__ = kept


def is_ours(entry) -> bool:
    return entry.tb_frame.f_code.co_filename.startswith(PACKAGE)


def was_meant(error, entry) -> bool:
    """Whether an exception comes from a `raise` statement, and not from an operation that failed or an `assert`."""
    return entry.tb_frame.f_code.co_code[entry.tb_lasti] == RAISE and not isinstance(error, AssertionError)


def entry_point(function):
    """A function that users call: exceptions leave it without Gnomon's frames.

    A bare `raise` adds no frame, so this one does not show either."""
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            hide_frames(error)
            raise
    return functools.update_wrapper(call, function)
