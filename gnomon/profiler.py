"""Traces of what runs when, and what is in the devices' memory."""
from gnomon.api.absent import Absent as _Absent, absent_class as _absent_class
from gnomon.run.profiler import (ProfileData, ProfileEvent, ProfileLine, ProfileOptions, ProfilePlane, StepTraceAnnotation, TraceAnnotation,
                                 annotate_function, device_memory_profile, save_device_memory_profile, start_server, start_trace, stop_server,
                                 stop_trace, trace)

_ONE = "one trace runs at a time and is written to a folder when it ends; use trace(folder), and read it with ProfileData.from_file"
ProfileSession = _absent_class("ProfileSession", _ONE)
export_profile_data = _Absent("export_profile_data", _ONE)
register_subprocess = _Absent("register_subprocess", "a trace covers its own process; call start_trace in each, or start_server and ask each port")

__all__ = ["ProfileData", "ProfileEvent", "ProfileLine", "ProfileOptions", "ProfilePlane", "ProfileSession", "StepTraceAnnotation",
           "TraceAnnotation", "annotate_function", "device_memory_profile", "export_profile_data", "register_subprocess",
           "save_device_memory_profile", "start_server", "start_trace", "stop_server", "stop_trace", "trace"]
