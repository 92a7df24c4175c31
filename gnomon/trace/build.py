"""Building one program from another: what every Jaxpr -> Jaxpr transform starts with."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.base.source import transformed
from gnomon.ir.jaxpr import Eqn, Jaxpr, Literal, Var, intern
from gnomon.trace.context import local
from gnomon.trace.stage import Frame, Tracer
from gnomon.types.value_type import RefType


class TransformFrame(Frame):
    """The frame of a program made by a transform, which is closed: arrays that a user's rule brings along are written into it
    as array literals, and values of other programs are refused."""

    __slots__ = ()

    def capture(self, value):
        if value.__class__ is Tracer:
            raise Refused(f"a derivative rule uses a value of type {value.type} that was traced outside of it; pass it to the function as "
                          "an argument, or keep it as a residual")
        if value.type.__class__ is RefType:
            raise Refused(f"a rule closes over a mutable reference of type {value.type}; pass it to the function as an argument, and "
                          "on to its backward rule as a residual")
        return Literal(value, value.type)


def with_literals(jaxpr, captured, inputs=()):
    """A program whose captured arrays are written into it as array literals; those among the values `inputs` are the program's inputs in
    those places."""
    if not captured:
        return jaxpr
    frame = TransformFrame()
    given = {id(x): v for x, v in zip(inputs, jaxpr.invars)}
    literals = {v: given[id(x)] if id(x) in given else frame.capture(x) for v, x in zip(jaxpr.constvars, captured)}
    eqns = [Eqn(e.op, tuple([literals.get(v, v) for v in e.ins]), e.outs, e.place) for e in jaxpr.eqns]
    return Jaxpr((), jaxpr.invars, eqns, [literals.get(v, v) for v in jaxpr.outvars])


class Builder:
    """Records a new program that may share variables and equations with an old one.

    Equations that a transform leaves alone are appended as they are (`keep`); `rename` says which of the old program's
    variables are called otherwise in the new one. Use as a context manager; ops bound inside are recorded here, at the
    place in the user's code given by the equation handed to `at`."""

    def __init__(self, invars, what=None):
        self.what = what            # the transform's name, for the scopes of what it makes of equations
        self.frame = TransformFrame()
        self.frame.invars = tuple(invars)
        self.rename = {}

    def __enter__(self):
        local.frame = self.frame
        return self

    def __exit__(self, *error):
        self.frame.closed = True
        local.frame = self.frame.parent

    def at(self, eqn):
        place = eqn.place
        self.frame.place = transformed(place, self.what) if place is not None and len(place) > 2 and self.what else place

    def name(self, v):
        """The new program's Var or Literal for one of the old program's."""
        return self.rename.get(v, v)

    def value(self, v):
        """A tracer to compute with, for one of the old program's variables or literals."""
        w = self.rename.get(v, v)
        return Tracer(w.type, w, self.frame)

    def values(self, vs):
        return [self.value(v) for v in vs]

    def keep(self, eqn):
        """Append an equation as it is, with its inputs renamed."""
        if self.rename:
            ins = tuple([self.rename.get(v, v) for v in eqn.ins])
            if ins != eqn.ins:
                eqn = Eqn(eqn.op, ins, eqn.outs, eqn.place)
        self.frame.eqns.append(eqn)

    def define(self, old, value):
        """Say that an old variable is this value in the new program."""
        new = self.frame.lift(value)
        if new is not old:
            self.rename[old] = new

    def finish(self, outs):
        return self.frame.finish(outs)[0]


def fresh(types):
    return tuple([Var(t) for t in types])


def program(types, fn):
    """The interned program of `fn`, a function of one value per type that returns a list of values."""
    build = Builder(fresh(types))
    with build:
        return intern(build.finish(fn(*build.values(build.frame.invars))))
