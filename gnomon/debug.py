"""Looking at values and at where they are, from inside compiled programs too."""
from gnomon.api.absent import Absent as _Absent, absent_class as _absent_class
from gnomon.api.callback import debug_callback as callback, debug_log as log, debug_print as print
from gnomon.api.looking import inspect_array_sharding, visualize_array_sharding, visualize_sharding

breakpoint = _Absent("debug.breakpoint", "a compiled program cannot stop for a debugger; run the function with disable_jit() and stop "
                     "in it as in other Python, or look at values with debug.callback")

_EFFECTS = "the effects of programs are values of gnomon.extend.core.Effect, told apart by their `name` and `ordered`"
DebugEffect, OrderedDebugEffect = (_absent_class(n, _EFFECTS) for n in ("DebugEffect", "OrderedDebugEffect"))

__all__ = ["DebugEffect", "OrderedDebugEffect", "breakpoint", "callback", "inspect_array_sharding", "log", "print",
           "visualize_array_sharding", "visualize_sharding"]
