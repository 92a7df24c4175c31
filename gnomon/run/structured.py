"""Programs that a transform made outside jit: evaluated op by op the first time their structure is seen, compiled from
the second time on (in the background where they are large, op by op until that is ready)."""
from __future__ import annotations

import threading

from gnomon.base.late import Late
from gnomon.base.settings import current
from gnomon.run.programs import call_for, placements_of, watched
from gnomon.trace.stage import evaluate_jaxpr

finite = Late("gnomon.run.finite")
key_reuse = Late("gnomon.run.key_reuse")

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
        return finite.run_watched(jaxpr, arrays)
    if seen == 0 or not jaxpr.eqns:
        return one_by_one(jaxpr, arrays)
    if len(jaxpr.eqns) <= LARGE:
        call = memo[key] = call_for(jaxpr, places, name)
        return call(arrays)
    if seen == 1 and threading.main_thread().is_alive():       # not once the interpreter ends
        def prepare():
            try:
                memo[key] = call_for(jaxpr, places, name)
            except Exception:       # the next call meets the same error in the user's own thread
                memo["seen"] = -1_000_000
        threading.Thread(target=prepare).start()        # no daemon: where the process ends meanwhile, the compiler is waited for
    return one_by_one(jaxpr, arrays)


def one_by_one(jaxpr, arrays):
    """The outputs, evaluated op by op."""
    def run(arrays):
        return evaluate_jaxpr(jaxpr, (), arrays)
    return key_reuse.checked_call(run, jaxpr)(arrays) if current.debug_key_reuse else run(arrays)
