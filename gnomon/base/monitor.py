"""Events: things worth counting or timing that happen in the machine, and the functions that listen to them."""
from __future__ import annotations


class Listeners:
    """The functions that are called with every event of one kind: `function(name, *numbers, **details)`."""

    def __init__(self, kind: str):
        self.kind = kind
        self.functions: list = []

    def register(self, function):
        self.functions.append(function)

    def unregister(self, function):
        if function not in self.functions:
            raise ValueError(f"{function!r} is not registered for {self.kind}.")
        self.functions.remove(function)

    def record(self, name, *numbers, **details):
        for function in tuple(self.functions):
            function(name, *numbers, **details)


events = Listeners("events")
durations = Listeners("durations")
spans = Listeners("time spans")
scalars = Listeners("scalars")
