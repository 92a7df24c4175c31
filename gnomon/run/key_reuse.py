"""The setting debug_key_reuse: a random key that is used a second time is an error that names both places.

Every element of every key array has a number, its identity. Before a program runs, the equations that deal with keys are gone through
with identities in the keys' place: ops that move data about move the identities (by their `host` rule), those in `CONSUMES`
use them up, everything else makes new ones. Where it cannot be told which key is meant (an index that is not known
before the program runs), the key counts as a new one: nothing is reported that did not happen.
"""
from __future__ import annotations

import threading
import weakref

import numpy as np

from gnomon.base.errors import KeyReuseError
from gnomon.base.settings import current
from gnomon.base.source import at_place, describe, user_place
from gnomon.ir.jaxpr import Literal
from gnomon.ops.nested.call import Jit
from gnomon.ops.nested.cond import Cond
from gnomon.ops.nested.remat import Checkpoint
from gnomon.ops.nested.scan import Scan
from gnomon.ops.nested.while_loop import While
from gnomon.ops.random import SAMPLERS, RandomBits, RandomClone, RandomFoldIn, RandomSeed, RandomSplit, RandomWrap
from gnomon.ops.random_gamma import RandomGamma
from gnomon.trace.context import local
from gnomon.types.dtype import is_key

CONSUMES = RandomBits, RandomSplit, RandomGamma
MAKES = RandomSplit, RandomFoldIn, RandomSeed, RandomWrap, RandomClone      # keys that are new ones
KNOWN_SIZE = 4096           # elements of an index up to which it is looked at


class Ledger:
    """Which identities exist, and where each was used: `used[i]` is a number in `places`, 0 for unused. Identity 0 is none."""

    def __init__(self):
        self.used = np.zeros(1024, np.int32)
        self.count = 1
        self.places = [None]
        self.changes = []       # (identities, what `used` was), to take steps back
        self.held = {}          # id of an Array -> (a weak reference to it, identities)
        self.lock = threading.RLock()

    def new(self, shape):
        size = int(np.prod(shape, dtype=np.int64))
        first, self.count = self.count, self.count + size
        if self.count > self.used.size:
            self.used = np.concatenate([self.used, np.zeros(max(self.count, self.used.size), np.int32)])
        self.used[first:self.count] = 0
        return np.arange(first, self.count).reshape(shape)

    def mark(self, identities, uses):
        self.changes.append((identities, self.used[identities]))
        self.used[identities] = uses

    def back_to(self, mark):
        """Undo what was marked since; returns {identity: use} of it."""
        undone = {}
        while len(self.changes) > mark:
            identities, before = self.changes.pop()
            for i, use in zip(identities.tolist(), self.used[identities].tolist()):
                undone.setdefault(i, use)
            self.used[identities] = before
        return undone

    def consume(self, identities, what, place, again=False):
        """Use keys up. `again`: a use at the same place as before is the same one, computed anew."""
        identities = np.unique(identities)
        identities = identities[identities > 0]
        before = self.used[identities]
        for use in np.unique(before[before > 0]).tolist():
            first, first_place = self.places[use]
            if again and describe(first_place) == describe(place):
                continue
            raise KeyReuseError(f"random.{what}{at_place(place)} uses a random key that random.{first}{at_place(first_place)} has used "
                                "already, so the two are not independent. Give each its own key with random.split, or pass "
                                "random.clone(key) where the same numbers are wanted.")
        if identities.size:
            self.places.append((what, place))
            self.mark(identities, len(self.places) - 1)

    def of(self, array):
        """The identities of an Array's keys."""
        found = self.held.get(id(array))
        if found is None or found[0]() is not array:
            return self.hold(array, self.new(array.type.shape))
        return found[1]

    def hold(self, array, identities):
        key = id(array)
        self.held[key] = weakref.ref(array, lambda _: self.held.pop(key, None)), identities
        return identities


ledger = Ledger()


def deals_with_keys(jaxpr):
    """Whether there are keys in a program."""
    found = jaxpr.memo.get("has keys")
    if found is None:
        found = jaxpr.memo["has keys"] = any(
            any(is_key(v.type.dtype) for v in (*e.ins, *e.outs)) or e.op.holds_programs and op_deals_with_keys(e.op) for e in jaxpr.eqns)
    return found


def op_deals_with_keys(op):
    return any(deals_with_keys(p) for p in getattr(op, "programs", tuple)())


class Walk:
    """Goes through programs with identities in place of keys; other values are known as NumPy arrays or None."""

    def program(self, jaxpr, args, name=None, place=None, again=False):
        """The outputs' identities. `name` and `place` stand for all that happens inside, where given."""
        env = dict(zip(jaxpr.invars, args))

        def read(v):
            if v.__class__ is not Literal:
                return env.get(v)
            return known(v.value) if not is_key(v.type.dtype) else ledger.of(v.value)
        for e in jaxpr.eqns:
            outs = self.eqn(e.op, [v.type for v in e.ins], [v.type for v in e.outs], [read(v) for v in e.ins], name,
                            place if name else e.place or place, again)
            env.update(zip(e.outs, outs))
        return [read(v) for v in jaxpr.outvars]

    def eqn(self, op, in_types, out_types, args, name, place, again):
        if op.holds_programs and (op_deals_with_keys(op) or any(is_key(t.dtype) for t in out_types)):
            outs = self.nested(op, args, name, place, again)
            if outs is not None:
                return [self.new(t) if x is None else x for x, t in zip(outs, out_types)]
        if isinstance(op, CONSUMES) and args[0] is not None:
            ledger.consume(args[0], name or op.name.removeprefix("random_"), place, again)
        keys = any(is_key(t.dtype) for t in out_types)
        if op.multiple or isinstance(op, MAKES) or not keys and any(is_key(t.dtype) for t in in_types):
            return [self.new(t) for t in out_types]
        return [self.moved(op, args, out_types[0])]

    def moved(self, op, args, out):
        """The result of an op that moves data about, or an op on known numbers."""
        if op.host is not None and not op.on_keys and all(x is not None for x in args) and out.size <= KNOWN_SIZE:
            with np.errstate(all="ignore"):
                found = op.host(*args)
            if found is not NotImplemented and np.shape(found) == out.shape:
                return np.asarray(found)
        return self.new(out)

    def new(self, t):
        return ledger.new(t.shape) if is_key(t.dtype) else None

    # -- programs that hold programs

    def nested(self, op, args, name, place, again):
        if isinstance(op, Cond):
            return self.choice(op, args, name, place, again)
        if isinstance(op, Scan):
            return self.scan(op, args, name, place, again)
        if isinstance(op, While):
            return self.loop(op, args, name, place, again)
        programs = op.programs()
        if len(programs) != 1 or len(programs[0].invars) != len(args):
            return None
        if name is None and isinstance(op, Jit) and op.name in SAMPLERS:
            name = op.name.strip("_")
        return self.program(programs[0], args, name, place, again or isinstance(op, Checkpoint))

    def choice(self, op, args, name, place, again):
        index, *operands = args
        if index is not None:
            return self.program(op.branches[int(index)], operands, name, place, again)
        together, outs = {}, []
        for branch in op.branches:
            mark = len(ledger.changes)
            outs.append(self.program(branch, operands, name, place, again))
            together |= ledger.back_to(mark)
        if together:
            ledger.mark(np.array(list(together)), np.array(list(together.values())))
        return [xs[0] if all(x is not None and np.array_equal(x, xs[0]) for x in xs) else None for xs in zip(*outs)]

    def scan(self, op, args, name, place, again):
        consts, carry, xs = op.parts(args)
        ys = None
        for step in range(min(op.length, 2)):
            at = op.length - 1 - step if op.reverse else step
            outs = self.program(op.jaxpr, [*consts, *carry, *[None if x is None else x[at] for x in xs]], name, place, again)
            carry, ys = op.outs(outs)
        if op.length > 2:       # what happened to the key of this step happens to those of all
            for v, x in zip(op.jaxpr.invars[len(consts) + len(carry):], xs):
                if is_key(v.type.dtype):
                    rest = np.delete(x, [at, op.length - 1 if op.reverse else 0], axis=0)
                    self.same_use(np.broadcast_to(x[at], rest.shape), rest, name, again)
        stacked = []
        for y, v in zip(ys or (), op.jaxpr.outvars[len(carry):]):
            if y is None or not is_key(v.type.dtype):
                stacked.append(None)
                continue
            stacked.append(ledger.new((op.length, *y.shape)))
            self.same_use(np.broadcast_to(y, stacked[-1].shape), stacked[-1], name, again)
        return [*[c if c is not None and is_key(v.type.dtype) else None for c, v in zip(carry, op.jaxpr.outvars)],
                *(stacked or [None] * (len(op.jaxpr.outvars) - len(carry)))]

    def same_use(self, of, identities, name, again):
        """Use keys where others have been used."""
        uses = ledger.used[of]
        for use in np.unique(uses[uses > 0]).tolist():
            what, place = ledger.places[use]
            ledger.consume(identities[uses == use], name or what, place, again)

    def loop(self, op, args, name, place, again):
        cond_consts, body_consts, carry = op.parts(args)
        carry = [x if is_key(v.type.dtype) else None for x, v in zip(carry, op.body_jaxpr.outvars)]
        for _ in range(2):
            self.program(op.cond_jaxpr, [*cond_consts, *carry], name, place, again)
            carry = self.program(op.body_jaxpr, [*body_consts, *carry], name, place, again)
            carry = [x if is_key(v.type.dtype) else None for x, v in zip(carry, op.body_jaxpr.outvars)]
        return carry


def known(x):
    """A value's numbers, where they may say which keys are meant."""
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return np.asarray(x)
    if is_key(dtype) or dtype.kind not in "biu" or x.size > KNOWN_SIZE:
        return None
    return x.host() if hasattr(x, "host") else np.asarray(x)


def checked_run(arrays, walk, run):
    """Walk with the identities of some Arrays, then run; the results hold the identities that the walk found."""
    with ledger.lock:
        mark = len(ledger.changes)
        try:
            found = walk([ledger.of(a) if is_key(a.type.dtype) else known(a) for a in arrays])
        except KeyReuseError:
            ledger.back_to(mark)
            raise
        ledger.changes.clear()
    local.keys_checked = True
    try:
        outs = run(arrays)
    finally:
        local.keys_checked = False
    with ledger.lock:
        for out, x in zip(outs if outs.__class__ in (list, tuple) else (outs,), found):
            if is_key(out.type.dtype):
                ledger.hold(out, x)
    return outs


def taken_from(out, array, index):
    """`out`, an Array of keys, which are those of another Array at an index."""
    ledger.hold(out, np.asarray(ledger.of(array)[index]))
    return out


def checking():
    return current.debug_key_reuse and not local.keys_checked


def checked_call(call, jaxpr):
    """The call of a program, before which its keys are looked at."""
    if not deals_with_keys(jaxpr):
        return call

    def run(arrays):
        if not checking():
            return call(arrays)
        return checked_run(arrays, lambda args: Walk().program(jaxpr, args), call)
    return run


def checked_handler(handler, op, types):
    """The handler of an eager op, before which its keys are looked at while the setting asks for it."""
    outs = op.infer(types)
    outs = outs if op.multiple else (outs,)
    if not (any(is_key(t.dtype) for t in (*types, *outs)) or op.holds_programs and op_deals_with_keys(op)):
        return handler

    def run(arrays):
        if not checking():
            return handler(arrays)
        place = user_place(2)
        return checked_run(arrays, lambda args: Walk().eqn(op, types, outs, args, None, place, False), handler)
    return run
