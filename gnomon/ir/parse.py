"""Programs from text: the inverse of `show`.

`parse(str(jaxpr))` gives a program that prints the same, whose equations hold the very ops that were printed. A parameter is read by what
its annotation in the op's class says that it is, or by its field's `read`; what was read has to print as it stood in the text. Where a
text says less than a program holds (Python functions, arrays, devices), `ParseError` says which part is missing. A parameter that is
never printed and has a default is the default, unless the types say otherwise: it changes how fast an op is, not what it computes.
"""
from __future__ import annotations

import enum
import inspect
import re
import sys
import types
import typing

from gnomon.base.errors import Refused
from gnomon.ir.jaxpr import Eqn, Jaxpr, Literal, Var, intern
from gnomon.ir.op import NO_DEFAULT, OPS
from gnomon.ir.show import Printer, flat, show
from gnomon.types.dtype import DTYPES, parse_short_name
from gnomon.types.layout import Layout
from gnomon.types.memory import KINDS, memory_text
from gnomon.types.mesh import AbstractMesh, AxisType
from gnomon.types.sharding import UNCONSTRAINED, NamedSharding, PartitionSpec
from gnomon.types.value_type import NOWHERE, TOKEN, RefType, Tag, array_type


class ParseError(ValueError):
    """A text is not a program, or does not say all that one holds; `line` and `column` (from 1) say where."""

    def __init__(self, message, line, column):
        super().__init__(f"line {line}, column {column}: {message}")
        self.line, self.column = line, column


def parse(text, mesh=None, op_named=OPS.get):
    """The program that prints as `text`. Types that are sharded, and shardings, are on `mesh`; `op_named` gives the class of the ops
    that print by a name, or None.

    ParseError, with the place in the text, for what is not a program or leaves out what it holds."""
    if not isinstance(text, str):
        raise TypeError(f"parse takes the text of a program, got {text!r} of type {type(text).__name__}.")
    reader = Reader(text, mesh, op_named, shared=False)
    found = reader.whole()
    if not reader.nested:
        return found
    # Held programs that are equal become one object, hence have one set of names. A text that names them apart (their types differ
    # in what it does not show) or has names in common is of programs that are not: then its names say which variables are one.
    wanted, weak = squeezed(text), reader.marked
    if squeezed(show(found, weak=weak)) == wanted:
        return found
    named = Reader(text, mesh, op_named, shared=True).whole()
    return named if squeezed(show(named, weak=weak)) == wanted else found


def squeezed(text):
    """A text without what depends on where its lines end."""
    return re.sub(r"[\s;]+", "", text)


NAME = re.compile(r"[A-Za-z_]\w*")
OP_NAME = re.compile(r"[A-Za-z_][\w.\-]*")
LITERAL = re.compile(r"(\[\.\.\.\]|\([^()\s]*\)|[^\s:,;()\[\]{}]+):")
TYPE = re.compile(r"([A-Za-z]\w*(?:<\w+>)*)\[([^\[\]]*)\](?:\{([VUR]:[^{}]*)\})?(\*?)")
VARYING = re.compile(r"([VUR]):(\([^()]*\)|[^,()]+)")
NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|inf|nan)(?![\w.])")
STRING = re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"")
IN = re.compile(r"in \(")
SPACE = re.compile(r"\s*")
BINDER = re.compile(r"\w+:")
REFERENCE = re.compile(r"([a-z]+)\[[^\[\]\n]*\] (<-|\+=)")
PROGRAMS = re.compile(r"\(\s*\{ lambda")
FOLDED = re.compile(r"<\d+ equations>")
KEYWORD = re.compile(r"(\w+)=")
FACTS = re.compile(r"((?:'\w+': \d{1,9}(?:, )?)*)(?:\(\), )?axis_types=\(((?:\w+(?:, |,)?)*)\)\)")      # of a mesh
BARE_SET, SET = re.compile(r"\{([^{}]*)\}"), re.compile(r"\{([^{}]*)\}\)|()\)")
WORD = re.compile(r" ?\S{1,24}")
END = re.compile(r"(?:[^\S\n]*# .*?(?=;|\n| in \())?(?:;|\s)*")      # of an equation, with the user's line behind it
WORDS = {"None": None, "True": True, "False": False, "UNCONSTRAINED": UNCONSTRAINED, "inf": float("inf"), "nan": float("nan"),
         **{t.name: t for t in AxisType}}
DEEPEST = 60                # brackets in brackets
CLOSING = {"(": ")", "[": "]", "{": "}"}


class Reader:
    """Reads one text from its beginning to its end; `at` is where it stands."""

    def __init__(self, text, mesh, op_named, shared):
        self.text, self.mesh, self.op_named, self.shared = text, mesh, op_named, shared
        self.at, self.depth = 0, 0
        self.variables = {}         # by name, of all programs, where names in common are variables in common
        self.nested = False         # whether an equation holds a program
        self.marked = bool(re.search(r"[\]}]\*", text))       # whether it says of types that they are weak

    # ---- the text --------------------------------------------------------------------------------------------------

    def error(self, message, at=None):
        at = self.at if at is None else at
        return ParseError(' '.join(message.split()), self.text.count("\n", 0, at) + 1, at - (self.text.rfind("\n", 0, at) + 1) + 1)

    def rest(self):
        """What stands here, for messages."""
        word = WORD.match(self.text, self.at)
        return repr(word.group().strip()) if word else "the end of the line" if self.at < len(self.text) else "the end of the text"

    def skip(self):
        self.at = SPACE.match(self.text, self.at).end()

    def take(self, literal):
        """Whether this stands here; then go behind it."""
        found = self.text.startswith(literal, self.at)
        if found:
            self.at += len(literal)
        return found

    def need(self, literal, what):
        if not self.take(literal):
            raise self.error(f"{what} needs {literal!r} here, not {self.rest()}.")

    def match(self, pattern):
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def deeper(self):
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"brackets stand in each other more than {DEEPEST} deep; no program prints like this.")

    # ---- programs --------------------------------------------------------------------------------------------------

    def whole(self):
        self.skip()
        jaxpr = self.program("the text")
        self.skip()
        if self.at < len(self.text):
            raise self.error(f"the program ends here, but {self.rest()} follows; give the text of one program.")
        return jaxpr

    def program(self, what):
        """`{ lambda consts; inputs. let equations in (outputs) }`."""
        self.deeper()
        self.need("{ lambda ", f"{what}, a program,")
        scope = {}
        constvars = self.binders(scope, ";")
        invars = self.binders(scope, ".")
        self.skip()
        self.need("let", "a program, behind its inputs,")
        eqns = []
        self.skip()
        while not IN.match(self.text, self.at):
            if self.at >= len(self.text) or self.text[self.at] == "}":
                raise self.error("the program has no results: it ends with 'in (...) }'.")
            eqns.append(self.equation(scope))
            self.at = END.match(self.text, self.at).end()
        self.at += len("in (")
        outvars = []
        while not self.take(")"):
            outvars.append(self.operand(scope))
            if not self.take(",") and self.text[self.at:self.at + 1] != ")":
                raise self.error(f"a program's results need ',' or ')' here, not {self.rest()}.")
            self.skip()
        self.skip()
        self.need("}", "a program, behind its results,")
        self.depth -= 1
        return Jaxpr(constvars, invars, eqns, outvars)

    def held(self):
        """A program in a parameter."""
        at, self.nested = self.at, True
        jaxpr = self.program("the parameter")
        if jaxpr.constvars:
            raise self.error("a program in a parameter has no constants: write them as inputs, behind the ';'.", at)
        return jaxpr if self.shared else intern(jaxpr)

    def binders(self, scope, end):
        out = []
        self.skip()
        while not self.take(end):
            out.append(self.binder(scope))
            self.skip()
        return out

    def binder(self, scope):
        """`name:type`; `_` has a variable of its own."""
        at = self.at
        name = self.match(NAME)
        if not name:
            raise self.error(f"a variable needs a name here, not {self.rest()}.")
        name = name.group()
        self.need(":", f"the variable {name}, which is defined here,")
        t = self.type()
        if name == "_":
            return Var(t)
        if name in scope:
            raise self.error(f"the variable {name} is defined twice; give each its own name.", at)
        found = self.variables.get(name) if self.shared else None
        scope[name] = self.variables[name] = found if found is not None and found.type is t else Var(t)
        return scope[name]

    def operand(self, scope):
        """A variable, or a number with its type."""
        at = self.at
        number = self.match(LITERAL)
        if number:
            return self.literal(number.group(1), at)
        name = self.match(NAME)
        if not name:
            raise self.error(f"a variable or a number with its type, such as 2.0:f32[], has to stand here, not {self.rest()}.")
        found = scope.get(name.group())
        if found is None:
            raise self.error(f"the variable {name.group()} is not defined before it is used here.", at)
        return found

    def literal(self, number, at):
        t = self.type()
        if number == "[...]":
            raise self.error(f"the numbers of the array of type {t.short()} are not printed; make it an input of the program and print that.", at)
        if number in ("True", "False"):
            return Literal(number == "True", t)
        for kind in (int, float, complex):
            try:
                return Literal(kind(number), t)
            except ValueError:
                pass
        raise self.error(f"{number!r} is not a number; one is written 2.0:f32[].", at)

    def type(self):
        """`f32[8@x,4]{V:y}`, `key<fry>[]`, `Ref{f32[3]}`, `Tok`; the long names of dtypes also."""
        at = self.at
        if self.take("Tok"):
            return TOKEN
        if self.take("Ref{"):
            inner = self.type()
            self.need("}", "the type of a reference")
            return RefType(inner)
        found = self.match(TYPE)
        if not found:
            missing = " Print the program without shapes=True." if self.text.startswith("[", at) else ""
            raise self.error(f"a type, such as f32[3], has to stand here, not {self.rest()}.{missing}")
        name, dims, varying, weak = found.groups()
        dtype, memory = self.dtype(name), None
        if dtype is None and name.endswith(">"):
            name, _, memory = name[:-1].rpartition("<")
            dtype, memory = self.dtype(name), next((k for k in KINDS if memory_text(k) == memory), None)
        if dtype is None or memory is None and "<" in name and self.dtype(name) is None:
            raise self.error(f"{found.group(1)!r} is not the name of a dtype.", at)
        shape, spec = self.dims(dims, at)
        if any(spec) and self.mesh is None:
            raise self.error(f"the type {found.group()} is sharded, and the text does not say over which mesh; give the mesh, as mesh=.", at)
        varying = axes_of(varying) if varying else NOWHERE
        return self.attempt(lambda: array_type(shape, dtype, bool(weak), spec if any(spec) else None, self.mesh if any(spec) else None,
                                               varying, memory), f"the type {found.group()} cannot be", at)

    def dtype(self, name):
        try:
            return parse_short_name(name)
        except ValueError:
            return DTYPES.get(name)

    def dims(self, text, at):
        shape, spec = [], []
        for part in re.findall(r"[^,(]+(?:\([^()]*\))?", text):
            size, _, axes = part.partition("@")
            if not re.fullmatch(r"\d{1,18}", size):
                raise self.error(f"the size {size!r} of a dimension is not a number.", at)
            shape.append(int(size))
            spec.append(tuple(axes[1:-1].split(",")) if axes.startswith("(") else axes or None)
        return tuple(shape), tuple(spec)

    def attempt(self, make, failed, at):
        """make(); what it refuses is said of the place in the text."""
        try:
            return make()
        except ParseError:
            raise
        except Exception as error:
            raise self.error(f"{failed}: {str(error) or type(error).__name__}", at) from error

    # ---- equations -------------------------------------------------------------------------------------------------

    def equation(self, scope):
        outs, defined = [], {}
        self.not_of_references(scope)
        while BINDER.match(self.text, self.at):
            place = self.at
            outs.append(self.binder(defined))
            name = next(reversed(defined), None)
            if name in scope:
                raise self.error(f"the variable {name} is defined twice; give each its own name.", place)
            self.skip()
        if outs:
            self.not_of_references(scope)
            self.need("=", "an equation, behind what it defines,")
            self.skip()
        at = self.at
        name = self.match(OP_NAME)
        if not name:
            raise self.error(f"the name of an op has to stand here, not {self.rest()}.")
        cls = self.op_named(name.group())
        if cls is None:
            raise self.error(f"there is no op that prints as {name.group()}; import the module that defines it, or write one that there is.", at)
        shown = self.parameters(cls) if self.take("[") else {}
        ins = []
        while self.take(" ") and not IN.match(self.text, self.at) and not self.text.startswith(" #", self.at):
            ins.append(self.operand(scope))
        count = operand_count(cls)
        if count is not None and count != len(ins):
            raise self.error(f"{name.group()} takes {count} operands, but {len(ins)} stand here.", at)
        op = self.op(cls, shown, [v.type for v in ins], [v.type for v in outs], at)
        types = self.results(op, tuple([v.type for v in ins]), at)
        if len(types) != len(outs) or any(t.strong is not v.type.strong for t, v in zip(types, outs)):
            raise self.error(f"{name.group()} gives {self.listed(types)} for operands of type {self.listed([v.type for v in ins])}, but the text says "
                             f"{self.listed([v.type for v in outs])}.", at)
        if not self.marked:     # weak types are as the op says: this text does not
            for v, t in zip(outs, types):
                v.type = t
        scope.update(defined)
        return Eqn(op, tuple(ins), tuple(outs))

    def listed(self, types):
        return ", ".join([t.short() for t in types]) or "none"

    def results(self, op, ins, at):
        found = self.attempt(lambda: op.infer(ins), f"{op.op_name} does not take operands of type {self.listed(ins)}", at)
        return found if op.multiple else (found,)

    def not_of_references(self, scope):
        """Refuse `a[i] <- b`, `b:f32[] <- a[i]` and `a[i] += b`."""
        name = REFERENCE.match(self.text, self.at)
        if name and name.group(1) in scope or self.text.startswith((",", "<-"), self.at):
            raise self.error("how a mutable reference is indexed is not printed in full, so that this cannot be read back; make the "
                             "program again from its function.")

    def op(self, cls, shown, ins, outs, at):
        """The op with these parameters; those that are never printed follow from the types, or are as they mostly are."""
        name = cls.op_name
        values = dict(shown)
        for p, f in cls.fields.items():
            if p in values:
                continue
            if f.show == "never" and f.default is NO_DEFAULT:
                if f.read is None:
                    raise self.error(f"{name} holds something that is not printed (its parameter {p.rstrip('_')}), so that it cannot be read back; "
                                     "make the program again from its function.", at)
                values[p] = self.attempt(lambda f=f: f.read(ins, outs, shown), f"the parameter {p} of {name} cannot be told from the types", at)
            elif f.show == "always":
                raise self.error(f"{name} needs its parameter {p.rstrip('_')}, which the text does not give.", at)
        made = self.attempt(lambda: cls(**values), f"{name} cannot be made", at)
        told = {p: f for p, f in cls.fields.items() if f.show == "never" and f.default is not NO_DEFAULT and f.read is not None}
        if told and outs and self.differs(made, ins, outs):
            return self.attempt(lambda: made.replace(**{p: f.read(ins, outs, shown) for p, f in told.items()}), f"{name} cannot be made", at)
        return made

    def differs(self, op, ins, outs):
        try:
            found = op.infer(tuple(ins))
        except Exception:
            return True         # said where it is asked for
        return any(t.strong is not o.strong for t, o in zip(found if op.multiple else (found,), outs))

    # ---- parameters ------------------------------------------------------------------------------------------------

    def parameters(self, cls):
        """`name=value name=value]` by the fields' names."""
        fields = {p.rstrip("_"): p for p, f in cls.fields.items() if f.show != "never"}
        out = {}
        self.deeper()
        self.skip()
        while not self.take("]"):
            at = self.at
            name = self.match(NAME)
            p = fields.get(name.group()) if name else None
            if p is None or p in out:
                if p in out:
                    raise self.error(f"{cls.op_name} is given its parameter {name.group()} twice.", at)
                what = repr(name.group()) if name else self.rest()
                raise self.error(f"{cls.op_name} has no parameter {what}; it has {', '.join(fields) or 'none'}.", at)
            self.need("=", f"the parameter {name.group()} of {cls.op_name}")
            out[p] = self.parameter(cls, p, "|".join(fields))
            self.skip()
        self.depth -= 1
        return out

    def parameter(self, cls, p, names):
        at, field = self.at, cls.fields[p]
        if self.text.startswith("{ lambda", at):
            return self.held()
        if PROGRAMS.match(self.text, at):
            return self.held_programs()
        if FOLDED.match(self.text, at):
            raise self.error("the program that stands here is not printed; print without fold=True.")
        end = self.end_of_value(names)
        raw = self.text[at:end]
        kinds = annotation(cls, p)
        value = self.value(cls, field, kinds, raw, end)
        if cls.__module__.startswith("gnomon.") and not fits(value, kinds):
            raise self.error(f"the parameter {p.rstrip('_')} of {cls.op_name} is {' or '.join(k.__name__ if k else 'None' for k in kinds)}, "
                             f"which {clipped(raw)} is not.", at)
        self.at = end
        printed = flat(Printer().value(self.Stub(cls), p, value)) if not callable(getattr(cls, "show_parameter", None)) else \
            self.attempt(lambda: str(cls.show_parameter(self.Stub(cls), p, value)), f"{clipped(raw)} is no {p} of {cls.op_name}", at)
        if squeezed(printed) != squeezed(raw):
            raise self.error(f"{cls.op_name} has no {p.rstrip('_')} that prints as {clipped(raw)}.", at)
        return value

    class Stub:
        """What `show_parameter` is asked of while the op is not made yet."""

        def __init__(self, cls):
            self.cls = cls

    def held_programs(self):
        out = []
        self.at += 1
        self.skip()
        while not self.take(")"):
            out.append(self.held())
            self.skip()
        return tuple(out)

    def end_of_value(self, names):
        """Where the value that begins here ends: at the bracket behind the parameters, or in front of the next one."""
        following = re.compile(rf"\s+(?:{names})=|\s*\]")
        at, open_ = self.at, []
        while at < len(self.text):
            c = self.text[at]
            if not open_ and (c.isspace() or c == "]") and following.match(self.text, at):
                return at
            if c in CLOSING:
                open_.append(CLOSING[c])
            elif open_ and c == open_[-1]:
                open_.pop()
            elif c in "'\"" and open_:
                string = STRING.match(self.text, at)
                at = string.end() - 1 if string else at
            at += 1
        raise self.error("the parameters that begin before this value have no end: ']' is missing.")

    def value(self, cls, field, kinds, raw, end):
        """The value of a parameter printed as `raw`. `kinds` are the classes that it may be of."""
        if isinstance(field.read, Refused):
            if raw == flat(Printer().value(None, "", field.default)):
                return field.default
            raise self.error(f"{field.read}.")
        if field.read is not None:
            return self.attempt(lambda: field.read(raw), f"{clipped(raw)} cannot be read", self.at)
        if raw == "None" and (object in kinds or None in kinds):
            return None
        for kind in kinds:
            if hasattr(kind, "from_text"):
                return self.attempt(lambda kind=kind: kind.from_text(raw), f"{clipped(raw)} is no {kind.__name__}", self.at)
        members = enums(kinds)
        if members and re.fullmatch(r"\d{1,9}", raw):
            return self.attempt(lambda: members[0](int(raw)), f"{clipped(raw)} is none of {', '.join(members[0].__members__)}", self.at)
        if str in kinds and not raw.startswith(("(", "'")) and not any(raw in k.__members__ for k in members):
            return raw
        value = self.term(cls, kinds)
        if self.at != end:
            raise self.error(f"the value {clipped(raw)} ends before {self.rest()}.")
        return value

    def term(self, cls, kinds):
        """A value that prints as what it is: numbers, words, tuples, records and the like."""
        at = self.at
        c = self.text[at:at + 1]
        if c and c in "([":
            return self.tuple_(cls, CLOSING[c], kinds)
        if c and c in "'\"":
            return self.string()
        if number := self.match(NUMBER):
            text = number.group()
            if len(text) > 400:
                raise self.error("a number has too many digits.", at)
            return float(text) if re.search(r"[.einf]", text) else int(text)
        if TYPE.match(self.text, at) or self.text.startswith("Ref{", at):
            return self.type()
        name = self.match(NAME)
        if not name:
            raise self.error(f"a value has to stand here, not {self.rest()}.")
        name = name.group()
        if self.take("("):
            return self.record(cls, name, at)
        if self.take("."):
            member = self.match(NAME)
            held = named_in(cls, name)
            if member and isinstance(held, type) and issubclass(held, enum.Enum) and member.group() in held.__members__:
                return held[member.group()]
            raise self.error(f"{self.text[at:self.at]!r} is not the name of a value.", at)
        found = [k[name] for k in enums(kinds) if name in k.__members__]
        if len(found) > 1:
            raise self.error(f"{name} may be of {' or '.join(type(v).__name__ for v in found)}, which print alike.", at)
        if found:
            return found[0]
        if name in WORDS:
            return WORDS[name]
        if name in DTYPES:
            return DTYPES[name]
        if (tuple in kinds or str in kinds) and not enums(kinds):
            return name
        raise self.error(f"{name!r} names something that is not printed, such as a function or a device, so that {cls.op_name} cannot be read back; make the "
                         "program again from its function.", at)

    def tuple_(self, cls, close, kinds):
        self.deeper()
        self.at += 1
        self.skip()
        out = []
        while not self.take(close):
            out.append(self.term(cls, (*enums(kinds), tuple)))
            self.skip()
            if not self.take(",") and not self.text.startswith(close, self.at):
                raise self.error(f"',' or {close!r} has to stand here, not {self.rest()}.")
            self.skip()
        self.depth -= 1
        return tuple(out)

    def string(self):
        found = self.match(STRING)
        if not found:
            raise self.error("a string that begins here has no end.")
        return re.sub(r"\\(.)", r"\1", found.group(1) if found.group(2) is None else found.group(2))

    def record(self, cls, name, at):
        """`Name(value, field=value)`: specs, shardings, meshes, layouts, and the records of the op's own module."""
        if name in ("Mesh", "AbstractMesh"):
            return self.a_mesh(name, at)
        if name == "frozenset":
            return self.a_set()
        make = {"P": PartitionSpec, "NamedSharding": NamedSharding, "Layout": Layout}.get(name) or named_in(cls, name)
        if not (isinstance(make, type) and (issubclass(make, tuple) or make in (PartitionSpec, NamedSharding, Layout))):
            raise self.error(f"{name}(...) stands for something that is not printed in full, so that {cls.op_name} cannot be read back; make the "
                             "program again from its function.", at)
        self.deeper()
        values, named = [], {}
        self.skip()
        while not self.take(")"):
            field = self.match(KEYWORD)
            if field and field.group(1) in ("unreduced", "reduced"):
                named[field.group(1)] = self.a_set(bare=True)
            elif field:
                named[field.group(1)] = self.term(cls, (str,))
            else:
                values.append(self.term(cls, ()))
            self.skip()
            if not self.take(",") and not self.text.startswith(")", self.at):
                raise self.error(f"',' or ')' has to stand here, not {self.rest()}.")
            self.skip()
        self.depth -= 1
        return self.attempt(lambda: make(*values, **named), f"{name} cannot be made", at)

    def a_set(self, bare=False):
        found = self.match(BARE_SET if bare else SET)
        if not found:
            raise self.error(f"a set of names, {{...}}, has to stand here, not {self.rest()}.")
        return frozenset([name.strip(" '") for name in (found.group(1) or "").split(",") if name.strip()])

    def a_mesh(self, kind, at):
        axes = self.match(FACTS)
        text = self.text[at:self.at]
        for mesh in () if self.mesh is None else (self.mesh, self.mesh.abstract_mesh):
            if str(mesh) == text:
                return mesh
        if axes is None or kind == "Mesh":
            raise self.error("the devices of a mesh are not printed; give the mesh, as mesh=.", at)
        named = re.findall(r"'(\w+)': (\d+)", axes.group(1))
        types = [getattr(AxisType, name, None) for name in re.findall(r"\w+", axes.group(2))]
        return self.attempt(lambda: AbstractMesh(tuple([int(n) for _, n in named]), tuple([name for name, _ in named]), tuple(types)),
                            "a mesh cannot be so", at)


def operand_count(cls):
    """How many operands an op takes, where one of its rules names them; else None."""
    if cls.derivative.__class__ is tuple:
        return len(cls.derivative)
    for rule, others in ((cls.result, 1), (cls.lower, 2), (cls.host, 1), (cls.transpose, 2)):      # self; the emitter, the cotangent
        code = getattr(rule, "__code__", None)
        if code is not None and not code.co_flags & inspect.CO_VARARGS and not rule.__defaults__:
            return code.co_argcount - others
    return None


def fits(value, kinds):
    """Whether the numbers in a value are of a kind that a parameter may be, whole numbers in tuples: 0, 0.0 and False are equal, and so
    would be the ops that have them."""
    if value.__class__ in (bool, int, float):
        return object in kinds or value.__class__ in kinds
    return not isinstance(value, tuple) or all(fits(x, (int,)) for x in value)


def clipped(text):
    """A text in quotes, not much of it."""
    return repr(text if len(text) < 40 else f"{text[:36]} ...")


def axes_of(text):
    """The manual axes that a value varies over, from `V:(x,y),U:z`."""
    found = set()
    for kind, axes in VARYING.findall(text):
        for axis in axes.strip("()").split(","):
            found |= {axis} if kind == "V" else {axis, Tag(kind, axis)}
    return frozenset(found)


def enums(kinds):
    """The enumerations among classes."""
    return [k for k in kinds if isinstance(k, type) and issubclass(k, enum.Enum)]


def named_in(cls, name):
    """What has this name where an op's class, or one that it is made from, is written; else None."""
    found = (getattr(sys.modules.get(base.__module__), name, None) for base in cls.__mro__)
    return next((x for x in found if x is not None), None)


KINDS_OF_VALUES = {"int": int, "float": float, "bool": bool, "str": str, "tuple": tuple, "frozenset": frozenset, "object": object, "None": None,
                   "Jaxpr": Jaxpr}


def annotation(cls, p):
    """The classes that a parameter is of, as the class that has it says, in text or as they are: None stands for None's."""
    base = next(b for b in cls.__mro__ if p in b.__dict__.get("__annotations__", ()))
    said = base.__dict__["__annotations__"][p]
    if not isinstance(said, str):
        kinds = typing.get_args(said) if typing.get_origin(said) in (typing.Union, types.UnionType) else (said,)
        return tuple([None if k is type(None) else typing.get_origin(k) or k for k in kinds])
    names = [name.strip() for name in re.sub(r"\[.*\]", "", said).split("|")]
    module = sys.modules.get(base.__module__)
    return tuple([KINDS_OF_VALUES[name] if name in KINDS_OF_VALUES else getattr(module, name, object) for name in names])
