"""Programs as data: Var, Literal, Eqn, Jaxpr.

A Jaxpr lists its inputs, equations and outputs. `constvars` are inputs whose values the closed form carries.
Nested Jaxprs (held by ops) have none, and are interned: structurally equal programs are one object, so a transform or
a compilation of one is remembered on it (`jaxpr.memo`).
"""
from __future__ import annotations

import threading
import weakref

from gnomon.ir.op import primitive
from gnomon.types.effect import PURE, STATE, RefEffect


class Var:
    """A name for one value of a program."""

    __slots__ = ("type",)

    def __init__(self, type):
        self.type = type

    aval = property(lambda self: self.type)

    def __repr__(self):
        return f"Var({self.type})"


class Literal:
    """A constant written into a program: a Python or NumPy scalar, or (where a derivative rule brought one) an array."""

    __slots__ = ("value", "type")

    def __init__(self, value, type):
        self.value, self.type = value, type

    @property
    def key(self):
        """What distinguishes it from other literals (0.0 from -0.0, too); arrays are told apart by identity."""
        return (ByIdentity(self.value) if self.type.shape else repr(self.value)), self.type

    aval = property(lambda self: self.type)
    val = property(lambda self: self.value)

    def __repr__(self):
        return f"Literal({self.value}:{self.type.short()})"


class ByIdentity:
    """An object as a key that keeps it alive."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return id(self.value)

    def __eq__(self, other):
        return other.__class__ is ByIdentity and self.value is other.value


class Eqn:
    """outs = op(ins), and the place in the user's code that asked for it."""

    __slots__ = ("op", "ins", "outs", "place")

    def __init__(self, op, ins, outs, place=None):
        self.op, self.ins, self.outs, self.place = op, ins, outs, place

    invars = property(lambda self: list(self.ins))
    outvars = property(lambda self: list(self.outs))
    primitive = property(lambda self: primitive(type(self.op)))
    source_info = property(lambda self: self.place)
    effects = property(lambda self: self.op.effects)

    @property
    def params(self):
        return self.op.named_parameters

    def __repr__(self):
        return f"Eqn({self.op!r}, {self.ins}, {self.outs})"


class Jaxpr:
    """A typed program. All fields are tuples and never change."""

    __slots__ = ("constvars", "invars", "eqns", "outvars", "effects", "names", "_memo", "_interned", "__weakref__")

    def __init__(self, constvars, invars, eqns, outvars, names=None):
        self.constvars, self.invars = tuple(constvars), tuple(invars)
        self.eqns, self.outvars = tuple(eqns), tuple(outvars)
        effects = PURE
        for e in self.eqns:
            if e.op.effects:
                effects = effects | e.op.effects
        self.effects = effects if STATE not in effects else on_inputs(effects, self.constvars + self.invars, self.eqns)
        self.names = names          # argument names and the function's, for messages
        self._memo = None
        self._interned = None

    @property
    def in_types(self):
        return tuple([v.type for v in self.invars])

    @property
    def out_types(self):
        return tuple([v.type for v in self.outvars])

    in_avals = property(lambda self: list(self.in_types))
    out_avals = property(lambda self: list(self.out_types))

    @property
    def memo(self):
        """What is remembered about this program: transforms of it, its executable, ..."""
        if self._memo is None:
            self._memo = {}
        return self._memo

    def closed(self):
        """The same program with its constants as leading inputs."""
        if not self.constvars:
            return self
        return Jaxpr((), self.constvars + self.invars, self.eqns, self.outvars, self.names)

    def pretty_print(self, **options):
        return SHOW[0](self, **options)

    def __str__(self):
        return SHOW[0](self)

    __repr__ = __str__


def on_inputs(effects, inputs, eqns):
    """The effects of equations on their operands as those of the program on its inputs: what is done to references made inside
    nobody sees."""
    place = {v: i for i, v in enumerate(inputs)}
    found = {e for e in effects if e.__class__ is not RefEffect}
    for e in eqns:
        for f in e.op.effects:
            if f.__class__ is RefEffect and e.ins[f.index] in place:
                found.add(RefEffect(f.kind, place[e.ins[f.index]]))
    return frozenset(found)


SHOW: list = [lambda jaxpr: f"<jaxpr of {len(jaxpr.eqns)} equations>"]   # filled by ir/show.py, same room


class ClosedJaxpr:
    """A Jaxpr with the values of its constants: what `make_jaxpr` returns."""

    __slots__ = ("jaxpr", "consts")

    def __init__(self, jaxpr, consts=()):
        self.jaxpr, self.consts = jaxpr, list(consts)

    eqns = property(lambda self: list(self.jaxpr.eqns))
    in_avals = property(lambda self: [v.type for v in self.jaxpr.invars])
    out_avals = property(lambda self: [v.type for v in self.jaxpr.outvars])
    literals = property(lambda self: self.consts)
    effects = property(lambda self: self.jaxpr.effects)

    def pretty_print(self, **options):
        return self.jaxpr.pretty_print(**options)

    def show(self, **options):
        return self.jaxpr.pretty_print(**options)

    def __str__(self):
        return str(self.jaxpr)

    __repr__ = __str__


# ---- interning ------------------------------------------------------------------------------------------------

_interned: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
_lock = threading.Lock()


class Recent:
    """Keeps the programs used last alive, with what is remembered on them, and finds them by their structure: those of the current
    generation, and of the one before."""

    SIZE = 2048         # programs of one generation

    def __init__(self):
        self.clear()

    def clear(self):
        self.young, self.old = {}, {}

    def get(self, key):
        found = self.young.get(key)
        if found is None:
            found = self.old.get(key)
            if found is not None:
                self.add(key, found)
        return found

    def add(self, key, jaxpr):
        if len(self.young) >= self.SIZE:
            self.young, self.old = {}, self.young
        self.young[key] = jaxpr


_recent = Recent()


def structure_key(jaxpr):
    """A hashable value equal for programs that differ only in the names of their variables."""
    number = {}
    key = [len(jaxpr.constvars), len(jaxpr.invars)]
    n = 0
    for v in jaxpr.constvars + jaxpr.invars:
        number[v] = n
        n += 1
        key.append(v.type)
    for e in jaxpr.eqns:
        key.append(e.op)
        for v in e.ins:
            key.append(v.key if v.__class__ is Literal else number[v])
        for v in e.outs:
            number[v] = n
            n += 1
    key.append(None)
    for v in jaxpr.outvars:
        key.append(v.key if v.__class__ is Literal else number[v])
    return tuple(key)


def intern(jaxpr):
    """The one object for this program's structure. Its equations' places are those of the last one seen, for messages."""
    known = jaxpr._interned
    if known is not None:
        return jaxpr if known is True else known
    key = structure_key(jaxpr)
    found = _recent.get(key)
    if found is None:
        with _lock:
            found = _interned.get(key)
            if found is None:
                found = _interned[key] = jaxpr
                jaxpr._interned = True
            _recent.add(key, found)
    if found is not jaxpr:
        jaxpr._interned = found
        for e, new in zip(found.eqns, jaxpr.eqns):
            if e.place is None:
                e.place = new.place
            elif new.place is not None:
                e.place[:] = new.place
    return found


def forget_programs():
    """Let go of the programs used last, and of what is remembered on those that somebody holds."""
    with _lock:
        _recent.clear()
        for jaxpr in list(_interned.values()):
            jaxpr._memo = None
