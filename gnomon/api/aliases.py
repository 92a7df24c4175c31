"""Names that users write in signatures and options: type aliases, words for options, `ds`."""
from __future__ import annotations

import enum
import operator
from typing import Any, Protocol, Union

import numpy as np

from gnomon.base.errors import Refused
from gnomon.trace.stage import Tracer
from gnomon.trace.value import Value


class SupportsDType(Protocol):
    """Anything with a dtype."""

    @property
    def dtype(self) -> np.dtype: ...


ArrayLike = Union[Value, np.ndarray, np.bool_, np.number, bool, int, float, complex]
DTypeLike = Union[str, type[Any], np.dtype, SupportsDType]


class CompilerEffortLevel(enum.Enum):
    """How hard the compiler works: values of the settings optimization_level and memory_fitting_level."""

    UNKNOWN = "UNKNOWN"
    O0 = "O0"
    O1 = "O1"
    O2 = "O2"
    O3 = "O3"


class Inline(enum.Enum):
    """When a jitted function is written into the function that calls it: the values of jit's `inline` besides True and False.

    Gnomon writes it in at once (JAX_EARLY, True) or leaves that to the compiler (all others)."""

    AUTO = "auto"
    JAX_EARLY = "jax_early"
    JAX_LATE = "jax_late"
    XLA_EARLY = "xla_early"
    XLA_LATE = "xla_late"


def ds(start, size=None, stride=None):
    """A slice by its start and size, for indexing: `x[ds(2, 3)]` is `x[2:5]`.

    All must be known numbers; for a start that is computed use lax.dynamic_slice_in_dim.

    >>> ds(2, 3)
    slice(2, 5, None)
    """
    if isinstance(start, Tracer) or isinstance(size, Tracer):
        raise Refused("ds takes numbers that are known while tracing; use lax.dynamic_slice_in_dim for a start that is computed")
    start = 0 if start is None else operator.index(start)
    if size is None:            # one argument is the size, as in range
        start, size = 0, start
    size, step = operator.index(size), 1 if stride is None else operator.index(stride)
    return slice(start, start + size * step, None if stride is None else step)
