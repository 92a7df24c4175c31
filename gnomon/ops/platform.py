"""platform_index: which of several groups of platforms a program runs on."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.op import ZERO, Op
from gnomon.types.value_type import ArrayType

KINDS = {"gpu": {"gpu", "cuda"}, "cuda": {"gpu", "cuda"}, "rocm": {"gpu", "rocm"}}     # names for one platform


class PlatformIndex(Op):
    """The index among `platforms`, each a tuple of names or None for any other, of the one that the program is compiled
    for."""

    platforms: tuple

    derivative = ZERO
    transpose = Refused("it is an integer")
    batch = Refused("it has no operands, so that it is the same in all lanes")

    def result(self):
        return ArrayType((), np.dtype("int32"))

    def lower(self, emit):
        return emit.scalar(position_of(self.platforms, emit.module.platform))


def position_of(platforms, platform):
    """Where a platform stands among tuples of names; None stands for all others."""
    for i, names in enumerate(platforms):
        if names is None or not KINDS.get(platform, {platform}).isdisjoint(names):
            return i
    known = ", ".join([name for names in platforms for name in names])
    raise NotImplementedError(f"platform_dependent has functions for {known}, and the program is compiled for {platform}. "
                              "Give it a default.")
