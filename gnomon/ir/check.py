"""Type-checks a program: every variable is defined once and before it is used, and every equation's results have the types that
its op's `result` rule gives for its inputs. Tests run it after every room."""
from __future__ import annotations

from gnomon.ir.jaxpr import Jaxpr, Literal


class JaxprError(Exception):
    """A program is not well formed: an error in Gnomon or in an op's rules, not in the user's code."""


def check(jaxpr):
    """Raise JaxprError if a program, or one that it holds, is not well typed; else return it."""
    defined = set()

    def define(v, where):
        if v in defined:
            raise JaxprError(f"{where} defines a variable of type {v.type} that is defined already, in\n{jaxpr}")
        defined.add(v)

    def use(v, where):
        if v.__class__ is not Literal and v not in defined:
            raise JaxprError(f"{where} uses a variable of type {v.type} that is not defined, in\n{jaxpr}")
    for v in (*jaxpr.constvars, *jaxpr.invars):
        define(v, "the head")
    for i, e in enumerate(jaxpr.eqns):
        where = f"equation {i} ({e.op.op_name})"
        for v in e.ins:
            use(v, where)
        types = tuple(v.type for v in e.ins)
        try:
            found = e.op.infer(types)
        except Exception as error:
            raise JaxprError(f"{where} is not well typed: {error}, in\n{jaxpr}") from error
        found = found if e.op.multiple else (found,)
        if len(found) != len(e.outs) or any(t.strong is not v.type.strong for t, v in zip(found, e.outs)):
            raise JaxprError(f"{where} has results of types {[str(v.type) for v in e.outs]} where its op gives "
                             f"{[str(t) for t in found]}, in\n{jaxpr}")
        for held in programs_of(e.op):
            check(held)
            if held.constvars:
                raise JaxprError(f"{where} holds a program with constants, in\n{jaxpr}")
        for v in e.outs:
            define(v, where)
    for v in jaxpr.outvars:
        use(v, "the result")
    return jaxpr


def programs_of(op):
    """The programs that an op holds."""
    found = getattr(op, "programs", None)
    return found() if found is not None else ()


def subprograms(jaxpr):
    """A program and all that it holds, each once, the holders first."""
    seen, order, stack = set(), [], [jaxpr]
    while stack:
        j = stack.pop()
        if j in seen:
            continue
        seen.add(j)
        order.append(j)
        for e in j.eqns:
            stack.extend(p for p in programs_of(e.op) if isinstance(p, Jaxpr))
    return order
