"""What a call records into a program being traced, remembered: functions made of several ops write the same equations for arguments of
the same types, so that their work in Python is done once."""
from __future__ import annotations

import functools
import operator
from types import FunctionType

import numpy as np

from gnomon.api.jit import remembering
from gnomon.base.announce import listening
from gnomon.base.settings import current
from gnomon.base.source import scope_of, user_place, within
from gnomon.ir.jaxpr import Eqn, Literal, Var
from gnomon.numpy.promote import note_weak
from gnomon.run.array import Array
from gnomon.trace.context import local
from gnomon.trace.stage import Tracer, stage

HASHED = {bool, int, str, type, *map(type, map(np.dtype, "?bhilqBHILQefdFD"))}
OWN_FUNCTIONS = set()       # functions of gnomon that may be arguments, such as lax.add
CALLS_KEPT = 2048
LONGEST, LARGEST = 500, 256     # equations, and the size of an array that is a constant of them


class Memories(list):
    """What is remembered of all functions, for `clear_caches` to empty."""

    __hash__ = object.__hash__

    def clear_cache(self):
        for known in self:
            known.clear()


memories = Memories()
remembering.add(memories)


def memory():
    """A dict for what calls of a function record."""
    memories.append({})
    return memories[-1]


def recorded(fn):
    """Decorator for functions of arrays whose work in Python takes longer than writing their equations down: what a call of traced values
    records is remembered from its second time on, by the types of these and by its other arguments. The equations' place is the
    line of each call.

    A function that looks at numbers, or says something to the user, is called every time."""
    known = memory()

    @functools.wraps(fn)
    def call(*args, **options):
        return fn(*args, **options) if local.frame is None else record(fn, known, args, options)
    return call


def record(fn, known, args, options):
    """`fn(*args, **options)` while a program is being recorded; `known` is what is remembered of `fn`."""
    key, values = [current.key, local.axes_key], []
    if not describe(args, key, values) or options and not describe(options.values(), key, values) or not values:
        return fn(*args, **options)
    key = (*key, len(args), *options) if options else tuple(key)
    try:
        found = known[key]
    except KeyError:
        if len(known) >= CALLS_KEPT:
            known.clear()
        known[key] = None
        return fn(*args, **options)
    if found is None:
        found = known[key] = equations_of(fn, args, options, [v.type for v in values])
    return fn(*args, **options) if found is NOT_REMEMBERED else found.write(values, local.frame)


def describe(args, key, values):
    """Add to `key` what tells arguments apart, and to `values` the traced ones among them. False where there are others than traced values,
    numbers, literals, dtypes, words, functions of gnomon and lists of these."""
    for a in args:
        cls = a.__class__
        if cls is Tracer:
            values.append(a)
            key.append(a.type)
        elif a is None or cls in HASHED:
            key += cls, a
        elif cls is tuple or cls is list:
            key += cls, len(a)
            if not describe(a, key, values):
                return False
        elif cls is float or cls is complex:
            key += cls, a if a else repr(a)         # 0.0 and -0.0 are equal
        elif cls is Literal:
            key.append(a.key)
        elif cls is FunctionType and a in OWN_FUNCTIONS:
            key.append(a)
        else:
            return False
    return True


def filled(args, values):
    """The arguments with other values, from an iterator, in the place of the traced ones."""
    return [next(values) if a.__class__ is Tracer else a.__class__(filled(a, values)) if a.__class__ in (tuple, list) else a for a in args]


NOT_REMEMBERED = object()


def equations_of(fn, args, options, types):
    """The `Equations` that a call records for values of these types, or NOT_REMEMBERED."""
    if current.debug_key_reuse or current.check_tracer_leaks:
        return NOT_REMEMBERED
    several, frames = [], []

    def on_values(*values):
        rest = iter(values)
        out = fn(*filled(args, rest), **dict(zip(options, filled(options.values(), rest))))
        several.append(out.__class__ if out.__class__ in (tuple, list) else None)
        outs = [out] if several[0] is None else list(out)
        if not all([o.__class__ is Tracer for o in outs]):
            raise TypeError("a result is no traced value")
        return outs

    with listening() as said:
        try:
            jaxpr, captured = stage(on_values, types, frames=frames)
        except Exception:       # it looks at numbers, or the call is a mistake: `fn` says which
            return NOT_REMEMBERED
    eqns = jaxpr.eqns
    if said or jaxpr.effects or len(eqns) > LONGEST or any([scope_of(e.place) for e in eqns]):
        return NOT_REMEMBERED
    if not all([c.__class__ is Array and c.placement is None and c.type.size <= LARGEST for c in captured]):
        return NOT_REMEMBERED
    if any([e.op.holds_programs and not hasattr(e.op, "programs") for e in eqns]):      # what is called may be the user's
        return NOT_REMEMBERED
    return Equations(jaxpr, captured, several[0], frames[0])


class Equations:
    """The equations of a call. What they are about is numbered: inputs first, then constants and literals, then the results of each equation.

    constants        arrays
    literals         the literals
    steps            (op, function from a list of all so far to the operands, result types) for each equation
    inner            the places of the equations of programs held, which are those of the last call
    outs             the numbers of the results
    several          tuple or list, where the call's result is one
    strong           numbers of the variables that were to be made strong, and were so as they stood
    weak_matters     whether a weak type decided something"""

    __slots__ = ("constants", "literals", "steps", "inner", "outs", "several", "strong", "weak_matters")

    def __init__(self, jaxpr, constants, several, frame):
        used = {id(v): v for v in (*[v for e in jaxpr.eqns for v in e.ins], *jaxpr.outvars) if v.__class__ is Literal}
        self.constants, self.literals, self.steps = constants, list(used.values()), []
        numbers = {id(v): i for i, v in enumerate((*jaxpr.invars, *jaxpr.constvars, *self.literals))}
        for e in jaxpr.eqns:
            self.steps.append((e.op, taker([numbers[id(v)] for v in e.ins]), [v.type for v in e.outs]))
            for v in e.outs:
                numbers[id(v)] = len(numbers)
        self.inner = list({id(e.place): e.place for e in held_by(jaxpr) if e.place is not None}.values())
        self.outs = [numbers[id(v)] for v in jaxpr.outvars]
        self.several = several
        self.strong, self.weak_matters = [numbers[id(v)] for v in frame.strong if id(v) in numbers], frame.weak_matters

    def write(self, values, frame):
        """Record the equations for these values in a frame; the call's result."""
        append, count = frame.eqns.append, len(values)
        atoms = [v.atom if v.frame is frame else frame.lift(v) for v in values]
        place = frame.place or user_place(4)
        if frame.scope:
            place = within(place, frame.scope)
        if self.constants:
            atoms += [frame.capture(c) for c in self.constants]
        atoms += self.literals
        for op, operands, types in self.steps:
            outs = tuple([Var(t) for t in types])
            append(Eqn(op, operands(atoms), outs, place))
            atoms += outs
        if place is not None:
            for inner in self.inner:
                inner[:] = place
        if self.weak_matters:
            note_weak()
        for i in self.strong:
            x = values[i] if i < count else None
            (frame if x is None else x.frame).strong.add(atoms[i] if x is None else x.atom)
        outs = [values[i] if i < count else Tracer(atoms[i].type, atoms[i], frame) for i in self.outs]
        return outs[0] if self.several is None else self.several(outs)


def taker(numbers):
    """A function from a list to a tuple of its items with these numbers."""
    if len(numbers) == 1:
        number, = numbers
        return lambda items: (items[number],)
    return operator.itemgetter(*numbers) if numbers else lambda items: ()


def held_by(jaxpr):
    """The equations of the programs that those of a program hold."""
    for e in jaxpr.eqns:
        for inside in e.op.programs() if e.op.holds_programs else ():
            yield from inside.eqns
            yield from held_by(inside)
