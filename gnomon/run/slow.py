"""Slow compiles announce themselves: after two seconds, what is being compiled, how large it is, and the likely cause."""
from __future__ import annotations

import sys
import threading
import time
from collections import Counter

from gnomon.base.announce import tell
from gnomon.base.settings import current
from gnomon.base.source import file_line
from gnomon.ir.check import subprograms

PATIENCE = 2.0          # seconds
SMALL = 100             # equations below which a compile is not watched


class watching:
    """Context manager around a compile of a program."""

    def __init__(self, jaxpr, name):
        self.jaxpr, self.name = jaxpr, name
        self.timer = None

    def __enter__(self):
        if current.announce != "silent" and size(self.jaxpr) >= SMALL:
            self.done = threading.Event()
            self.start = time.perf_counter()
            self.timer = threading.Thread(target=self.watch, daemon=True)
            self.timer.start()
        return self

    def __exit__(self, *error):
        if self.timer is not None:
            self.done.set()
            self.timer.join()       # it has the last line to write, before anybody else writes

    def watch(self):
        if self.done.wait(PATIENCE):
            return
        tell(describe(self.jaxpr, self.name))
        if not sys.stderr.isatty():
            return
        marks = "|/-\\"
        while not self.done.wait(0.2):
            seconds = time.perf_counter() - self.start
            sys.stderr.write(f"\r  {marks[int(seconds * 5) % 4]} compiling {self.name}: {seconds:.0f} s ")
            sys.stderr.flush()
        sys.stderr.write(f"\r  compiled {self.name} in {time.perf_counter() - self.start:.1f} s\n")


def size(jaxpr):
    """The number of equations of a program and all that it holds."""
    return sum(len(p.eqns) for p in subprograms(jaxpr))


def describe(jaxpr, name):
    """What is being compiled, and the line of the user's code that makes most of it."""
    programs = subprograms(jaxpr)
    total = sum(len(p.eqns) for p in programs)
    lines = Counter(file_line(e.place) for p in programs for e in p.eqns if e.place is not None)
    place, most = lines.most_common(1)[0] if lines else (None, 0)
    text = f"compiling {name} ({total:,} equations) takes more than {PATIENCE:.0f} seconds"
    if place is not None and most > total // 4:
        text += (f"; {most:,} of them come from {place[0].rsplit('/', 1)[-1]}:{place[1]}. If that is a Python loop, lax.scan or lax.fori_loop "
                 "compiles its body once")
    return text
