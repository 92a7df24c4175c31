"""Why a jitted function was traced again: which argument differed from the nearest earlier trace, and how."""
from __future__ import annotations

import inspect
import os
import threading
import time
from collections import deque

from gnomon.base.announce import is_listening, tell
from gnomon.base.log import log_compile
from gnomon.base.monitor import durations
from gnomon.base.record import Record
from gnomon.base.settings import KEY_NAMES, current
from gnomon.base.source import PACKAGE, function_place
from gnomon.base.tree import argument_names, tree_structure, tree_unflatten

_all: deque = deque(maxlen=1024)
_lock = threading.Lock()


class Trace(Record):
    """One trace of a function: its signature, where the call was, what it cost, and why it was not one of those before."""

    name: str
    types: tuple
    tree: object
    statics: tuple
    settings: tuple
    place: str
    seconds: float
    number: int
    reasons: tuple
    code: object = None

    def __str__(self):
        at = f" at {self.place}" if self.place else ""
        why = "; ".join(self.reasons) or ("first trace" if self.number == 1 else "an equal trace was forgotten (clear_cache, clear_caches)")
        return f"{self.name}: trace {self.number}{at}, {self.seconds * 1e3:.1f} ms: {why}"


class Report(tuple):
    """Traces, one a line."""

    def __str__(self):
        if not self:
            return "no traces"
        total = sum(t.seconds for t in self)
        return "\n".join([*map(str, self), f"{len(self)} traces, {total * 1e3:.1f} ms in all"])

    __repr__ = __str__


def note(record, fun, name, types, tree, statics, place, start):
    """Add a trace to a function's record (a deque); returns it."""
    seconds = time.perf_counter() - start
    durations.record("/jax/core/compile/jaxpr_trace_duration", seconds, fun_name=name)
    log_compile(f"Traced {name} for arguments of types {', '.join(map(str, types)) or 'none'} in {seconds:.3g} s.")
    new = Trace(name, tuple(types), tree, statics, current.key, place, seconds, len(record) + 1, (), users_code(fun))
    if record:
        reasons = tuple(differences(fun, nearest(new, record), new))
        new = Trace(**{**new.__dict__, "reasons": reasons, "number": record[-1].number + 1})
    else:
        new = Trace(**{**new.__dict__, "reasons": tuple(made_anew(new))})
    if new.reasons and (current.announce_retraces or current.explain_cache_misses):
        tell(str(new))
    record.append(new)
    if not is_listening():      # to be explained, not called
        with _lock:
            _all.append(new)
    return new


def users_code(fun):
    """The code of the user's function behind what was jitted, or None."""
    for _ in range(8):
        code = getattr(fun, "__code__", None)
        if code is not None and not code.co_filename.startswith(PACKAGE):
            return code
        fun = getattr(fun, "__wrapped__", None) or getattr(fun, "func", None) or getattr(fun, "__func__", None)
    return None


def made_anew(new):
    """A sentence where a function of the same code was traced for the same arguments by another jit, as where one is made in a loop."""
    if new.code is None:
        return
    with _lock:
        same = [t for t in _all if t.code is new.code and t.name == new.name and t.types == new.types and t.tree == new.tree
                and t.settings is new.settings and t.statics == new.statics]
    if same:
        yield (f"{new.name} of {os.path.basename(new.code.co_filename)}:{new.code.co_firstlineno} was traced for the same arguments by "
               f"{'another call' if len(same) == 1 else f'{len(same)} other calls'} of jit: each jit, and each function made anew by a lambda "
               "or a def in a loop, has traces of its own. Call jit once, outside, and keep what it returns")


def nearest(new, record):
    """The earlier trace that differs from `new` in the fewest places."""
    def distance(old):
        far = (old.tree != new.tree) * 1000 + sum(a is not b for a, b in zip(old.types, new.types))
        return far + sum(a != b for a, b in zip(old.statics, new.statics)) + (old.settings is not new.settings)
    return min(reversed(record), key=distance)


def differences(fun, old, new):
    """Sentences about how two signatures differ."""
    if old.settings is not new.settings:
        changed = [f"{n} from {a!r} to {b!r}" for n, a, b in zip(KEY_NAMES, old.settings, new.settings) if a != b]
        yield f"a setting changed: {', '.join(changed)}"
    if old.tree != new.tree:
        yield from structure_differences(fun, old, new)
        return
    olds, news = {s.where: s.value for s in old.statics}, {s.where: s.value for s in new.statics}
    for where in news:
        if where not in olds or type(olds[where]) is not type(news[where]) or olds[where] != news[where]:
            what = where if isinstance(where, str) else named(fun, where)
            before, after = olds.get(where), news[where]
            code = users_code(after)
            if code is not None and code is users_code(before):
                yield (f"static argument {what} is another function object of the same code ({function_place(after)}): define it once, outside "
                       "the loop or call")
            else:
                yield f"static argument {what} changed from {before!r} to {after!r}"
    names = _names(fun, new)
    for name, a, b in zip(names, old.types, new.types):
        if a is not b:
            yield f"argument {name} changed {how(a, b)}"


def how(a, b):
    """How one type differs from another, in words."""
    if a.shape != b.shape:
        what = "in shape"
    elif a.dtype != b.dtype:
        what = "in dtype"
    elif a.weak_type != b.weak_type:
        weak = "from weakly to strongly typed" if a.weak_type else "from strongly to weakly typed"
        return f"{weak} ({b}): a Python number is weakly typed; give it a dtype to trace once"
    else:
        what = "in place"
    return f"{what} from {a} to {b}"


def structure_differences(fun, old, new):
    before, after = set(_names(fun, old)), set(_names(fun, new))
    for name in sorted(after - before):
        yield f"argument {name} is new"
    for name in sorted(before - after):
        yield f"argument {name} is gone"
    if before != after:
        return
    (args, kwargs), (new_args, new_kwargs) = (tree_unflatten(t.tree, t.types) for t in (old, new))
    if len(args) != len(new_args):
        moved = sorted(kwargs.keys() ^ new_kwargs.keys())
        how = "by name, before by position" if len(new_args) < len(args) else "by position, before by name"
        yield f"argument{'s' * (len(moved) > 1)} {', '.join(moved)} {'is' if len(moved) == 1 else 'are'} now given {how}: give them in one way"
        return
    pairs = [(named(fun, i), a, b) for i, (a, b) in enumerate(zip(args, new_args))]
    pairs += [(name, kwargs.get(name), value) for name, value in new_kwargs.items()]
    for name, a, b in pairs:
        a, b = tree_structure(a), tree_structure(b)
        if a != b:
            yield f"the structure of argument {name} changed from {a} to {b}"


def named(fun, position):
    """The name of the argument at a position, or its number."""
    try:
        parameters = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return positional[position] if 0 <= position < len(positional) else f"number {position}"


def _names(fun, trace):
    args, kwargs = tree_unflatten(trace.tree, trace.types)
    return argument_names(fun, args, kwargs)


def explain_retraces():
    """All traces of jitted functions in this process (the last thousand), with why each was needed.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> f = gnomon.jit(lambda x: x + 1)
    >>> _ = f(jnp.zeros(2)), f(jnp.zeros(3))
    >>> explain_retraces()[-1].reasons
    ('argument x changed in shape from float32[2] to float32[3]',)
    """
    with _lock:
        return Report(_all)
