"""Type aliases for annotations."""
from __future__ import annotations

from typing import Any, Protocol, Union

import numpy as np

from gnomon.trace.value import Value


class SupportsDType(Protocol):
    """Anything with a dtype."""

    @property
    def dtype(self) -> np.dtype: ...


ArrayLike = Union[Value, np.ndarray, np.bool_, np.number, bool, int, float, complex]
DTypeLike = Union[str, type[Any], np.dtype, SupportsDType]
