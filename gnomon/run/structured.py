"""Programs that a transform made outside jit: evaluated op by op the first time their structure is seen, compiled from
the second time on (in the background where they are large, op by op until that is ready)."""
from __future__ import annotations

import threading

from gnomon.base.settings import current
from gnomon.run.finite import run_watched, watched
from gnomon.run.key_reuse import checked_call
from gnomon.run.programs import call_for, placements_of
from gnomon.trace.stage import evaluate_jaxpr

LARGE = 400         # equations from which compiling is left to a thread


def run(jaxpr, arrays, name="main"):
    """The outputs of a closed, interned program."""
    memo = jaxpr.memo
    places = placements_of(arrays)
    key = "ready", places, current.key
    ready = memo.get(key)
    if ready is not None:
        return ready(arrays)
    seen = memo.get("seen", 0)
    memo["seen"] = seen + 1
    if watched():
        return run_watched(jaxpr, arrays)
    if seen == 0 or not jaxpr.eqns:
        return one_by_one(jaxpr, arrays)
    if len(jaxpr.eqns) <= LARGE:
        call = memo[key] = call_for(jaxpr, places, name)
        return call(arrays)
    if seen == 1:
        def prepare():
            try:
                memo[key] = call_for(jaxpr, places, name)
            except Exception:       # the next call meets the same error in the user's own thread
                memo["seen"] = -1_000_000
        threading.Thread(target=prepare, daemon=True).start()
    return one_by_one(jaxpr, arrays)


def one_by_one(jaxpr, arrays):
    """The outputs, evaluated op by op."""
    def run(arrays):
        return evaluate_jaxpr(jaxpr, (), arrays)
    return checked_call(run, jaxpr)(arrays) if current.debug_key_reuse else run(arrays)
