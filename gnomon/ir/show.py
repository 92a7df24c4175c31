"""Jaxprs as text.

A program, an equation's parameters and a tuple of programs are each printed on one line where they fit in `width`
columns, else one element a line.
"""
from __future__ import annotations

import enum

import numpy as np

from gnomon.base.source import describe
from gnomon.ir import jaxpr as _jaxpr_module
from gnomon.ir.jaxpr import Jaxpr, Literal

WIDTH = 80


def variable_name(n):
    """0 -> a, 25 -> z, 26 -> ba, ..."""
    text = ""
    while True:
        n, digit = divmod(n, 26)
        text = chr(97 + digit) + text
        if not n:
            return text


class Printer:
    """Prints one program; variables are named in the order they are met."""

    def __init__(self, width=WIDTH, weak=False, source=False, shapes=False, fold=False):
        self.width, self.weak, self.source, self.shapes, self.fold = width, weak, source, shapes, fold
        self.names = {}

    def name(self, v):
        if v.__class__ is Literal:
            return f"{self.number(v)}:{self.type(v.type)}"
        found = self.names.get(v)
        if found is None:
            found = self.names[v] = variable_name(len(self.names))
        return found

    def number(self, lit):
        value = lit.value
        if lit.type.shape:
            return "[...]"
        return str(value.item() if isinstance(value, np.generic) else value)

    def type(self, t):
        if self.shapes:
            return f"[{','.join(map(str, t.shape))}]"
        return t.short() + ("*" if self.weak and t.weak_type else "")

    def binder(self, v, used=None):
        if used is not None and v not in used:
            return f"_:{self.type(v.type)}"
        return f"{self.name(v)}:{self.type(v.type)}"

    # Every piece is a nested list: strings, and Break where a line may end. `layout` turns it into text.

    def program(self, jaxpr):
        """`{ lambda consts ; inputs. let equations in (outputs) }` as a group."""
        consts = " ".join(self.binder(v) for v in jaxpr.constvars)
        ins = " ".join(self.binder(v) for v in jaxpr.invars)
        used = {v for e in jaxpr.eqns for v in e.ins} | set(jaxpr.outvars)
        eqns = []
        for i, e in enumerate(jaxpr.eqns):
            if i:
                eqns.append(SEPARATOR)
            eqns.append(self.eqn(e, used))
        outs = ", ".join(map(self.name, jaxpr.outvars))
        outs = f"({outs},)" if len(jaxpr.outvars) == 1 else f"({outs})"
        head = f"{{ lambda {consts}; {ins}. let"
        return Group([head, Nest(4, [BREAK, *eqns]), Nest(2, [BREAK, f"in {outs} }}"])])

    def eqn(self, e, used):
        if e.op.show is not None:
            return [e.op.show(self.name, self.binder, e, used)]
        left = " ".join(self.binder(v, used) for v in e.outs)
        values = e.op.named_parameters
        shown = [(p, values[p]) for p in shown_parameters(e.op)]
        right = "".join(" " + self.name(v) for v in e.ins)
        comment = f"  # {describe(e.place)}" if self.source and e.place else ""
        left = f"{left} = " if left else ""
        if not shown:
            return [f"{left}{e.op.op_name}{right}{comment}"]
        inner = []
        for i, (p, value) in enumerate(shown):
            if i:
                inner.append(BREAK)
            inner += [f"{p.rstrip('_')}=", self.value(e.op, p, value)]    # a rule's name takes a _ as a parameter
        return [left + e.op.op_name, Group(["[", Nest(2, [SOFT, *inner]), SOFT, "]"]), right, comment]

    def value(self, op, parameter, value):
        if isinstance(value, Jaxpr):
            return f"<{len(value.eqns)} equations>" if self.fold else self.program(value)
        if isinstance(value, tuple) and value and all(isinstance(v, Jaxpr) for v in value):
            items = []
            for i, v in enumerate(value):
                items += [BREAK] * (i > 0) + [self.program(v)]
            return Group(["(", Nest(2, [SOFT, *items]), SOFT, ")"])
        show = getattr(op, "show_parameter", None)
        return show(parameter, value) if show else show_value(value)


def shown_parameters(op):
    """The parameters to print, in the order of their names (or the op's own order)."""
    if op.named_parameters.keys() != op.fields.keys():      # a user's primitive
        return sorted(op.named_parameters)
    out = []
    for p, f in op.fields.items():
        if f.show == "always" or f.show == "nondefault" and getattr(op, p) != f.default:
            out.append(p)
    order = getattr(op, "parameter_order", None)
    return sorted(out) if order is None else sorted(out, key=lambda p: order.index(p) if p in order else len(order))


def show_value(value):
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, tuple):
        inside = ", ".join(map(show_value, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    return str(value)


class Group(list):
    """Pieces that stand on one line if they fit."""


class Nest:
    __slots__ = ("indent", "pieces")

    def __init__(self, indent, pieces):
        self.indent, self.pieces = indent, pieces


class Break:
    """Where a line may end; `flat` is what stands there if it does not."""

    __slots__ = ("flat",)

    def __init__(self, flat):
        self.flat = flat


BREAK, SOFT, SEPARATOR = Break(" "), Break(""), Break("; ")


def flat(piece):
    """The text of a piece on one line."""
    if isinstance(piece, str):
        return piece
    if isinstance(piece, Break):
        return piece.flat
    if isinstance(piece, Nest):
        piece = piece.pieces
    return "".join([flat(p) for p in piece])


def layout(piece, width):
    """Lay pieces out in `width` columns."""
    out, column = [], 0
    stack = [(0, False, piece)]      # (indent, whether flat, piece)
    while stack:
        indent, is_flat, p = stack.pop()
        if isinstance(p, str):
            out.append(p)
            column += len(p)
        elif isinstance(p, Break):
            if is_flat:
                out.append(p.flat)
                column += len(p.flat)
            else:
                out.append("\n" + " " * indent)
                column = indent
        elif isinstance(p, Nest):
            stack.extend((indent + p.indent, is_flat, q) for q in reversed(p.pieces))
        elif isinstance(p, Group):
            fits = is_flat or fits_in(p, width - column, stack)
            stack.extend((indent, fits, q) for q in reversed(p))
        else:
            stack.extend((indent, is_flat, q) for q in reversed(p))
    return "".join(out)


def fits_in(group, room, rest):
    """Whether a group's flat text, and what follows it up to the next possible line end, fits in `room` columns."""
    stack = [group]
    while stack:
        p = stack.pop()
        if isinstance(p, str):
            room -= len(p)
        elif isinstance(p, Break):
            room -= len(p.flat)
        else:
            stack.extend(reversed(p.pieces if isinstance(p, Nest) else p))
        if room < 0:
            return False
    for _, is_flat, p in reversed(rest):
        stack = [p]
        while stack:
            q = stack.pop()
            if isinstance(q, str):
                room -= len(q)
            elif isinstance(q, Break):
                if not is_flat:
                    return room >= 0
                room -= len(q.flat)
            else:
                stack.extend(reversed(q.pieces if isinstance(q, Nest) else q))
            if room < 0:
                return False
    return True


def show(jaxpr, **options):
    """A program as text. Options: `width`, `weak` (mark weak types with *), `source` (the user's line behind each
    equation), `shapes` (shapes without dtypes), `fold` (nested programs as their number of equations)."""
    printer = Printer(**options)
    text = layout(printer.program(jaxpr), printer.width)
    return "\n".join(line.rstrip() if not line.strip() else line for line in text.split("\n"))


_jaxpr_module.SHOW[0] = show
