"""What stands between a function and its compiled program: `jit(f)` -> `Traced` -> `Lowered` -> `Compiled`."""
from typing import Any as _Any

from gnomon.api.jit import ArgInfo, Compiled, Jitted as Wrapped, Lowered, Traced

CompilerOptions = dict[str, _Any]

__all__ = ["ArgInfo", "Compiled", "CompilerOptions", "Lowered", "Traced", "Wrapped"]
