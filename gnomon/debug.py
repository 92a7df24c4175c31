"""Looking at values and at where they are, from inside compiled programs too."""
from gnomon.api.absent import Absent as _Absent
from gnomon.api.callback import debug_callback as callback, debug_log as log, debug_print as print
from gnomon.api.looking import inspect_array_sharding, visualize_array_sharding, visualize_sharding

breakpoint = _Absent("debug.breakpoint", "a compiled program cannot stop for a debugger; run the function with disable_jit() and stop "
                     "in it as in other Python, or look at values with debug.callback")

__all__ = ["breakpoint", "callback", "inspect_array_sharding", "log", "print", "visualize_array_sharding", "visualize_sharding"]
