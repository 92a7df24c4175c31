"""Python's garbage collector, kept waiting while a program is rewritten and written out.

All that is made meanwhile is in use until the text is there, and a look through everything the process holds can take longer than the
writing itself.
"""
import gc
import threading


class Waiting:
    """A context in which the collector waits; in several threads at once, until the last one is done."""

    def __init__(self):
        self.lock, self.inside, self.was_on = threading.Lock(), 0, False

    def __enter__(self):
        with self.lock:
            if not self.inside:
                self.was_on = gc.isenabled()
                gc.disable()
            self.inside += 1

    def __exit__(self, *error):
        with self.lock:
            self.inside -= 1
            if not self.inside and self.was_on:
                gc.enable()


waiting = Waiting()
