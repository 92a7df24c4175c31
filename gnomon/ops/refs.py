"""Mutable references: reading, writing and adding at an index of the array that a reference refers to.

These ops stand in programs as the user wrote them. Before a program is transformed or lowered, `passes/discharge.py` turns it into
one of values, by the rule `discharge` of each op that takes references; so references need no rule of any other kind.
"""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.ir.jaxpr import Literal
from gnomon.ir.op import Op, field
from gnomon.ops.convert import convert_element_type
from gnomon.ops.shape import zeros
from gnomon.trace.build import program
from gnomon.types.effect import HOLDS_STATE, RefEffect
from gnomon.types.size import Size
from gnomon.types.value_type import ArrayType, RefType


class Indexing:
    """What an index means, filled by numpy/indexing.py. A `form` is an index without the arrays given in it."""

    prepare = None      # (array or stand-in with a type, index) -> (form, given arrays)
    read = None         # (array, form, given) -> the elements
    write = None        # (array, form, given, elements) -> the array with other elements
    add = None          # (array, form, given, elements) -> the array with elements added


_DISCHARGED = Refused("references are turned into values before a program is transformed; this one is used where that cannot be, such "
                      "as in a backward rule that is transformed again")


class RefOp(Op, abstract=True):
    """Base of the ops on references, whose first operand is one. They have no meaning of their own: `discharge` gives it."""

    lower = derivative = transpose = batch = _DISCHARGED

    def need_ref(self, t):
        if t.__class__ is not RefType:
            raise TypeError(f"{self.user_name} takes a mutable reference, but it was given a value of type {t}. Make one with new_ref.")
        return t.inner


class AtIndex(RefOp, abstract=True):
    """Base of the ops at an index; `form` is the index without the arrays given in it, which are the last operands."""

    form: tuple = field(show="never")

    def elements(self, inner, given):
        """The type of what is indexed."""
        form = self.form
        return program((inner, *given), lambda x, *arrays: [Indexing.read(x, form, arrays)]).out_types[0]

    def target(self, name, v, given):
        """The reference and the index in text."""
        return f"{name(v)}[{index_text(v.type.shape, self.form, [plain(name, g) for g in given])}]"


class Get(AtIndex):
    """Reads: operands are the reference and the arrays in the index."""

    user_name = "ref[...]"
    effects = HOLDS_STATE | {RefEffect("read", 0)}

    def result(self, ref, *given):
        return self.elements(self.need_ref(ref), given)

    def discharge(self, D, args, refs):
        return [Indexing.read(args[0], self.form, args[1:])], {}

    def show(self, name, binder, e, used):
        return f"{binder(e.outs[0], used)} <- {self.target(name, e.ins[0], e.ins[1:])}"


class Swap(AtIndex):
    """Writes, and gives what stood there: operands are the reference, the new elements and the arrays in the index."""

    user_name = "ref[...] = value"
    effects = HOLDS_STATE | {RefEffect("read", 0), RefEffect("write", 0)}

    def result(self, ref, value, *given):
        return self.elements(self.need_ref(ref), given)

    def discharge(self, D, args, refs):
        x, value, *given = args
        return [Indexing.read(x, self.form, given)], {0: like(x, Indexing.write(x, self.form, given, value))}

    def show(self, name, binder, e, used):
        target = self.target(name, e.ins[0], e.ins[2:])
        if e.outs[0] not in used:
            return f"{target} <- {name(e.ins[1])}"
        return f"{binder(e.outs[0], used)}, {target} <- {target}, {name(e.ins[1])}"


class Addupdate(AtIndex):
    """Adds: operands are the reference, what to add and the arrays in the index."""

    multiple = True
    user_name = "ref.addupdate"
    effects = HOLDS_STATE | {RefEffect("accumulate", 0)}

    def result(self, ref, value, *given):
        self.elements(self.need_ref(ref), given)
        return ()

    def discharge(self, D, args, refs):
        x, value, *given = args
        return [], {0: like(x, Indexing.add(x, self.form, given, value))}

    def show(self, name, binder, e, used):
        return f"{self.target(name, e.ins[0], e.ins[2:])} += {name(e.ins[1])}"


class NewRef(RefOp):
    """A reference to a copy of its operand."""

    kind: object = field(None)
    memory_space: object = field(None)

    effects = HOLDS_STATE

    def result(self, x):
        return RefType(x)

    def discharge(self, D, args, refs):
        return args, {}


class EmptyRef(RefOp):
    """A reference to an array of zeros; nothing is promised about them."""

    memory_space: object = field(None)
    ty: ArrayType = field()

    effects = HOLDS_STATE

    def result(self):
        return RefType(self.ty)

    def discharge(self, D, args, refs):
        return [zeros(self.ty)], {}


class FreeRef(RefOp):
    """Ends the use of a reference."""

    multiple = True
    effects = HOLDS_STATE | {RefEffect("write", 0)}

    def result(self, ref):
        self.need_ref(ref)
        return ()

    def discharge(self, D, args, refs):
        return [], {}


class Freeze(RefOp):
    """What a reference refers to, at the end of its use."""

    effects = HOLDS_STATE | {RefEffect("read", 0)}

    def result(self, ref):
        return self.need_ref(ref)

    def discharge(self, D, args, refs):
        return args, {}


def like(x, y):
    """An array of x's dtype as one of x's type."""
    return y if y.type is x.type else convert_element_type(y, x.type.dtype, x.type.weak_type)


# ---- text ---------------------------------------------------------------------------------------------------------

def plain(name, v):
    """A number without its type, else the variable's name."""
    return str(v.value) if v.__class__ is Literal and not v.type.shape else name(v)


def index_text(shape, form, given):
    """An index as it is written, an entry for every dimension; the texts of the arrays given in it are `given`."""
    counted = len([e for e in form if e is not None and e is not Ellipsis])
    rest = [(None, None, None)] * (len(shape) - counted)
    if Ellipsis not in form:
        form = (*form, Ellipsis)
    at = form.index(Ellipsis)
    form = (*form[:at], *rest, *form[at + 1:])
    out, axis, given = [], 0, iter(given)
    for e in form:
        if e is None:
            out.append("None")
            continue
        if e.__class__ is tuple:
            out.append(slice_text(e, shape[axis]))
        else:
            out.append(str(e) if isinstance(e, (int, Size)) else next(given))
        axis += 1
    return "..." if all(text == ":" for text in out) else ",".join(out)


def slice_text(bounds, n):
    if not all(b is None or b.__class__ is int for b in (*bounds, n)):
        return ":".join("" if b is None else str(b) for b in bounds[:2 if bounds[2] is None else 3])
    start, stop, step = slice(*bounds).indices(n)
    if step < 0:
        return ":".join("" if b is None else str(b) for b in bounds)
    return f"{start or ''}:{stop if stop < n else ''}" + (f":{step}" if step != 1 else "")
