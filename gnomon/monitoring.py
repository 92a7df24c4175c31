"""Events: record them, and have functions called with each.

Gnomon itself records the durations ``/jax/core/compile/jaxpr_trace_duration`` (a function was traced) and
``/jax/core/compile/backend_compile_duration`` (a program was compiled), with the function's name as `fun_name`.

>>> seen = []
>>> register_event_listener(lambda name, **details: seen.append((name, details)))
>>> record_event("/mine/started", step=3)
>>> seen
[('/mine/started', {'step': 3})]
>>> clear_event_listeners()
"""
from gnomon.base.monitor import durations as _durations, events as _events, scalars as _scalars, spans as _spans

__all__ = ["clear_event_listeners", "record_event", "record_event_duration_secs", "record_event_time_span", "record_scalar",
           "register_event_duration_secs_listener", "register_event_listener", "register_event_time_span_listener",
           "register_scalar_listener", "unregister_event_duration_listener", "unregister_event_listener",
           "unregister_event_time_span_listener", "unregister_scalar_listener"]


def record_event(event: str, **kwargs) -> None:
    """Tell the listeners that an event happened."""
    _events.record(event, **kwargs)


def record_event_duration_secs(event: str, duration: float, **kwargs) -> None:
    """Tell the listeners how many seconds an event took."""
    _durations.record(event, duration, **kwargs)


def record_event_time_span(event: str, start_time: float, end_time: float, **kwargs) -> None:
    """Tell the listeners when an event began and ended."""
    _spans.record(event, start_time, end_time, **kwargs)


def record_scalar(event: str, value, **kwargs) -> None:
    """Tell the listeners a number."""
    _scalars.record(event, value, **kwargs)


def register_event_listener(callback) -> None:
    """Have ``callback(event, **details)`` called with every event."""
    _events.register(callback)


def register_event_duration_secs_listener(callback) -> None:
    """Have ``callback(event, seconds, **details)`` called with every duration."""
    _durations.register(callback)


def register_event_time_span_listener(callback) -> None:
    """Have ``callback(event, start, end, **details)`` called with every time span."""
    _spans.register(callback)


def register_scalar_listener(callback) -> None:
    """Have ``callback(event, number, **details)`` called with every number."""
    _scalars.register(callback)


def unregister_event_listener(callback) -> None:
    """Stop calling it. ValueError if it is not registered."""
    _events.unregister(callback)


def unregister_event_duration_listener(callback) -> None:
    """Stop calling it. ValueError if it is not registered."""
    _durations.unregister(callback)


def unregister_event_time_span_listener(callback) -> None:
    """Stop calling it. ValueError if it is not registered."""
    _spans.unregister(callback)


def unregister_scalar_listener(callback) -> None:
    """Stop calling it. ValueError if it is not registered."""
    _scalars.unregister(callback)


def clear_event_listeners() -> None:
    """Forget all listeners."""
    for listeners in (_events, _durations, _spans, _scalars):
        listeners.functions.clear()
