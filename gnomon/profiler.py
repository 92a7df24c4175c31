"""Traces of what runs when, and what is in the devices' memory."""
from gnomon.run.profiler import (ProfileOptions, StepTraceAnnotation, TraceAnnotation, annotate_function, device_memory_profile,
                                 save_device_memory_profile, start_server, start_trace, stop_server, stop_trace, trace)

__all__ = ["ProfileOptions", "StepTraceAnnotation", "TraceAnnotation", "annotate_function", "device_memory_profile",
           "save_device_memory_profile", "start_server", "start_trace", "stop_server", "stop_trace", "trace"]
