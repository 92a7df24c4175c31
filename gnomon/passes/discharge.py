"""Programs with mutable references as programs of values.

A reference that is an input becomes the array that it refers to, and the array that it refers to in the end becomes a further output
where the program writes to it; a reference made inside becomes the value that stands for it from one equation to the next. Nested
programs are turned likewise: what a loop's body writes to becomes part of the loop's carry.
"""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.base.source import at_place
from gnomon.ir.jaxpr import Literal, Var, intern
from gnomon.trace.build import Builder
from gnomon.types.effect import STATE, RefEffect
from gnomon.types.value_type import RefType


def has_refs(jaxpr):
    """Whether a program takes, makes or uses references."""
    return STATE in jaxpr.effects or RefType in map(type, jaxpr.in_types)


def discharge(jaxpr):
    """(program of values, the inputs written to, whose last values are its last outputs), for a program that is to be run."""
    return WHOLE(jaxpr, (False,) * len(jaxpr.invars))


def discharge_used(jaxpr):
    """The same for a program that is to be transformed. References that it only hands on, to the rules of custom derivatives, stay:
    those write to them in the backward pass."""
    used = {e.index for e in jaxpr.effects if e.__class__ is RefEffect}
    return USED(jaxpr, tuple([t.__class__ is RefType and i not in used for i, t in enumerate(jaxpr.in_types)]))


def discharge_made(jaxpr):
    """A program with values in place of the references that are made inside it; those that it is given stay."""
    if STATE not in jaxpr.effects:
        return jaxpr
    return USED(jaxpr, tuple([t.__class__ is RefType for t in jaxpr.in_types]))[0]


class Discharge:
    """Discharges programs; handed to the rules of ops. `whole`: the program is to be run as it is, so rules of custom derivatives are
    not needed any more."""

    def __init__(self, whole):
        self.whole = whole

    def __call__(self, jaxpr, keep, wanted=None):
        """(program, the inputs written to, whose last values are its last outputs). `keep` says which references stay, `wanted` names
        the inputs to be given out instead of those written to."""
        key = ("discharged", self.whole, keep, wanted)
        found = jaxpr.memo.get(key)
        if found is None:
            if wanted is None:
                wanted = tuple(sorted({e.index for e in jaxpr.effects if e.__class__ is RefEffect and e.kind != "read"
                                       and not keep[e.index]}))
            found = jaxpr.memo[key] = self.turned(jaxpr, keep, wanted), wanted
        return found

    def turned(self, jaxpr, keep, wanted):
        invars = tuple([Var(v.type.inner) if v.type.__class__ is RefType and not k else v for v, k in zip(jaxpr.invars, keep)])
        build = Builder(invars)
        build.rename.update((v, w) for v, w in zip(jaxpr.invars, invars) if v is not w)
        with build:
            for e in jaxpr.eqns:
                build.at(e)
                self.eqn(build, e)
            for v in jaxpr.outvars:
                if v.type.__class__ is RefType and build.name(v).type.__class__ is not RefType:
                    raise Refused(f"a mutable reference of type {v.type} is the residual of a custom_vjp function that is made or used "
                                  "in the function being differentiated; make it outside, and do not read or write it inside")
            return intern(build.finish([*build.values(jaxpr.outvars), *[build.value(jaxpr.invars[i]) for i in wanted]]))

    def eqn(self, build, e):
        op = e.op
        of_refs = RefType in [v.type.__class__ for v in e.ins]
        if not of_refs and STATE not in op.effects:
            return build.keep(e)
        args = build.values(e.ins)
        refs = [v if v.__class__ is not Literal and v.type.__class__ is RefType and a.type.__class__ is not RefType else None
                for v, a in zip(e.ins, args)]
        if of_refs and not any(refs) and (not op.holds_programs or RefType not in [v.type.__class__ for v in e.outs]
                                          and STATE not in op.effects):
            return build.keep(e)            # on references that stay
        if op.discharge is None:
            raise Refused(f"{op.user_name}{at_place(e.place)} runs a function that uses mutable references, which it cannot; give the "
                          "function their values, and return the new ones")
        given = [v for v in refs if v is not None]
        if len(set(given)) < len(given) and not op.same_ref_twice:
            raise ValueError(twice(f"{op.user_name}{at_place(e.place)}", given[0].type))
        outs, written = op.discharge(self, args, refs)
        for v, out in zip(e.outs, outs, strict=True):
            build.define(v, out)
        for i, value in written.items():
            build.define(refs[i], value)


def twice(who, t):
    return (f"{who} is given the same mutable reference of type {t} twice, so what is written to one would have to be seen in the other. "
            "Pass it once.")


WHOLE, USED = Discharge(True), Discharge(False)
