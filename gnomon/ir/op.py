"""The form of an op: one class whose body is its whole definition.

A subclass's annotated fields are the op's parameters; its slots are the rules listed in `RULES`. Every slot is filled
when the class is made: by a rule, by a derivation inherited from a base (`DimsOp`, `Elementwise`, ...) or by
`Refused("why; what to do instead")`. A class that leaves one empty is an error at import.

Instances are interned: equal parameters give one object, so ops hash and compare by identity and each instance keeps
the memo of its `result` rule.
"""
from __future__ import annotations

import threading
import weakref

from gnomon.base.errors import Refused, ShardingTypeError
from gnomon.types.dtype import is_inexact
from gnomon.types.effect import PURE, on_refs
from gnomon.types.value_type import NOWHERE, RefType, Tag, tags_of

RULES = {
    "result": "types in -> type out (a tuple of types where `multiple`)",
    "lower": "writes StableHLO through the emitter it is handed",
    "derivative": "factors per operand, LINEAR, MULTILINEAR, ZERO, or a written jvp (args, tangents) -> (out, tangent)",
    "transpose": "(cotangent, *args) -> a cotangent or None per operand; linear operands come as LinearInput",
    "batch": "(args, axes, batching) -> (out, axis): the op with one more dimension",
    "effects": "PURE or what it does",
    "host": "NumPy's form where it is bit-equal to XLA's, or None",
}


class Marker:
    """A derivative that is said in one word."""

    def __init__(self, name, meaning):
        self.name, self.meaning = name, meaning

    def __repr__(self):
        return self.name


LINEAR = Marker("LINEAR", "linear in all its differentiable operands together")
MULTILINEAR = Marker("MULTILINEAR", "linear in each differentiable operand while the others are held")
ZERO = Marker("ZERO", "the derivative is zero")


class LinearInput:
    """Stands for an operand that a transpose rule is to find the cotangent of: a type without a value."""

    __slots__ = ("type",)

    def __init__(self, type):
        self.type = type

    shape = property(lambda self: self.type.shape)
    dtype = property(lambda self: self.type.dtype)
    ndim = property(lambda self: self.type.ndim)


def is_linear(arg):
    return arg.__class__ is LinearInput


class Field:
    """A parameter of an op: its default, if it has one, when it is printed, and how it is read back."""

    __slots__ = ("default", "show", "read")

    def __init__(self, default, show, read=None):
        self.default, self.show, self.read = default, show, read


NO_DEFAULT = object()


def field(default=NO_DEFAULT, show="always", read=None):
    """A parameter of an op. `show`: "always", "nondefault" (printed where it differs from the default) or "never"
    (it can be told from the rest). `read`, where the annotation does not say how a program's text is read back: text -> value; of what
    is never printed, (operand types, result types, other parameters) -> value; or Refused("why")."""
    return Field(default, show, read)


def result_shape(ins, outs, shown):
    """`read` of a shape that is the result's."""
    return outs[0].shape


def result_sharding(ins, outs, shown):
    """`read` of a sharding that is the result's."""
    return outs[0].sharding


def result_types(ins, outs, shown):
    """`read` of the results' types."""
    return tuple(outs)


OPS: dict = {}
BIND: list = [None]         # applies an op to values; filled by trace/stage.py
RETAG: list = [None]        # (value, axes and tags) -> the same value as one that varies over exactly these; filled by ops/collectives.py
VARY: list = [None]         # (value, manual axes) -> the same value as one that varies over them; filled by ops/collectives.py
_primitives: dict = {}
_lock = threading.Lock()


def snake_case(name):
    return "".join(("_" if i and c.isupper() else "") + c.lower() for i, c in enumerate(name))


class OpForm(type):
    """Makes op classes: parameters from the annotated names of the body, a complete set of rules, interned instances.

    A class is a frozen dataclass in all but the generated code, whose making would be most of the time of an import."""

    def __new__(meta, name, bases, body, abstract=False):
        own = {}
        for parameter in body.get("__annotations__", ()):
            given = body.pop(parameter, NO_DEFAULT)
            own[parameter] = given if given.__class__ is Field else Field(given, "always")
        cls = super().__new__(meta, name, bases, body)
        cls.fields = {**{k: f for base in reversed(cls.__mro__[1:]) for k, f in getattr(base, "fields", {}).items()}, **own}
        cls.parameters = tuple(cls.fields)
        cls.abstract = abstract
        cls._interned = weakref.WeakValueDictionary() if cls.holds_programs else {}
        if not abstract:
            if "name" not in body and "name" not in cls.fields:
                cls.name = snake_case(name)
            missing = [rule for rule in RULES if getattr(cls, rule, None) is None and rule != "host"]
            if missing or not hasattr(cls, "host"):
                raise TypeError(f"op class {name} says nothing about: {', '.join(missing or ['host'])}. Give each a rule "
                                'or Refused("why; what to do instead").')
            cls.op_name = body.get("op_name", snake_case(name) if "name" in cls.fields else cls.name)
            cls.user_name = body.get("user_name", cls.op_name)     # in messages
            OPS.setdefault(cls.op_name, cls)
        return cls

    def __init__(cls, name, bases, body, abstract=False):
        super().__init__(name, bases, body)

    def __call__(cls, *args, **kwargs):
        """The one instance with these parameters."""
        if not kwargs:
            found = cls._interned.get(args)
            if found is not None:
                return found
        key = cls.arguments(args, kwargs)
        with _lock:
            found = cls._interned.get(key)
            if found is None:
                found = object.__new__(cls)
                found.__dict__.update(zip(cls.parameters, key), results={})
                cls._interned[key] = found
            if not kwargs and args != key and not cls.holds_programs:
                cls._interned[args] = found
        return found

    def arguments(cls, args, kwargs):
        """The parameters' values in order, defaults filled in."""
        if len(args) > len(cls.parameters):
            raise TypeError(f"{cls.__name__} has {len(cls.parameters)} parameters, got {len(args)}")
        values = dict(zip(cls.parameters, args))
        for k, v in kwargs.items():
            if k not in cls.fields or k in values:
                raise TypeError(f"{cls.__name__} has no parameter {k!r} to be given by name; it has {', '.join(cls.parameters)}")
            values[k] = v
        out = []
        for k, f in cls.fields.items():
            v = values.get(k, f.default)
            if v is NO_DEFAULT:
                raise TypeError(f"{cls.__name__} needs its parameter {k!r}")
            out.append(v)
        return tuple(out)


class Op(metaclass=OpForm, abstract=True):
    """Base of every op. See the module's docstring for the form."""

    multiple = False            # whether the op has a list of results
    holds_programs = False      # whether a parameter is a Jaxpr or a Python callable (interned weakly)
    guard = written_over = None         # see NestedOp
    endless = False             # whether it may run without end on numbers that it was not meant for
    aligned = False             # whether operands broadcast against each other elementwise
    on_keys = False             # whether `lower` itself deals with random keys (else keys are moved word by word)
    joins_varying = True        # whether operands, and so results, vary over the same manual mesh axes (recording makes them do so)
    effects = PURE
    host = None
    host_warns = True           # whether NumPy may warn in it: False where it only moves numbers about
    # (discharge, args, refs) -> (outs, {operand: what it refers to now}), for ops that take mutable references: the op on what they
    # refer to; `refs` are the references' variables, None for other operands (see passes/discharge.py)
    discharge = None
    show = None                 # (name, binder, equation, variables used) -> its text, where it has a form of its own
    same_ref_twice = False      # whether operands may be the same reference

    def __setattr__(self, name, value):
        raise AttributeError(f"{type(self).__name__} is frozen; use replace({name}=...)")

    def replace(self, **changes):
        """The op with other values for some parameters."""
        return type(self)(**{**{p: getattr(self, p) for p in self.parameters}, **changes})

    @property
    def named_parameters(self):
        """The parameters by name."""
        return {p: getattr(self, p) for p in self.parameters}

    def infer(self, types):
        """The result types for operand types, from the memo or from the `result` rule."""
        found = self.results.get(types)
        if found is None:
            if self.discharge is None and RefType in map(type, types):
                raise self.not_of_refs(types)
            varying = joint_varying(types) if self.joins_varying else NOWHERE
            found = self.infer_varying(types, varying) if varying else self.result(*types)
            if self.multiple:
                found = tuple(found)
            self.results[types] = found
        return found

    def infer_varying(self, types, varying):
        """The result types for operands that all vary over the manual axes `varying`: those for operands that do not, varying."""
        if any(t.varying != varying for t in types):
            raise TypeError(f"{self.user_name} needs operands that vary over the same manual axes, got {', '.join(map(str, types))}. "
                            "Use lax.pcast(x, axes, to='varying').")
        found = self.infer(tuple([t.still() for t in types]))
        return [t.update(varying=varying) for t in found] if self.multiple else found.update(varying=varying)

    def not_of_refs(self, types):
        t = next(t for t in types if t.__class__ is RefType)
        return TypeError(f"{self.user_name} takes arrays, but it was given a mutable reference of type {t}. Read it first: ref[...].")

    def __reduce__(self):
        return type(self), tuple(getattr(self, p) for p in self.parameters)

    def __repr__(self):
        inside = ", ".join(f"{p}={getattr(self, p)!r}" for p in self.parameters)
        return f"{type(self).__name__}({inside})"


class NestedOp(Op, abstract=True):
    """Base of ops that hold programs (jit, cond, scan, ...). Their rules are handed the transforms as `T`:

    * `jvp(T, args, tangents)` -> (outs, tangents), None for a zero tangent
    * `split(T, eqn, unknown)` -> (early equations, later equations, which outs are unknown)
    * `transpose(T, cts, *args)`, `batch(T, args, axes, batching)`, and `programs()` lists the Jaxprs held.
    * `guard(flag, args)` -> outs, where loops in it run only if a scalar flag is set: see `ops/nested/guard.py`
    * `written_over()` -> {output: (the operand that it is with some elements written over, whether that is read as well)}, and
      `where(flag, args, over)` -> (op, args) that writes over `over`, {output: value}, only if a flag is set: see `ops/nested/in_place.py`
    """

    multiple = True
    holds_programs = True
    joins_varying = False
    first_operand = 0           # the operand that is the first input of the programs held
    derivative = Marker("NESTED", "the derivative of the programs it holds")

    @property
    def effects(self):
        return on_refs(PURE.union(*[p.effects for p in self.programs()]), self.first_operand)

    def split(self, T, eqn, unknown):
        """Where no part of it can run early: the whole equation later."""
        return [], [eqn], (True,) * len(eqn.outs)


ADDITIVE = ("add", "add_any", "sub", "convert_element_type", "optimization_barrier")     # linear, by a rule that is written out


def joint_tags(op, types, varying):
    """What the result of an op varies over, given that of its operands together, which has tags: sums that are put off pass through what
    is linear in them, and ShardingTypeError for anything else."""
    tags = tags_of(varying)
    joint = varying - tags
    for axis in {t.axis for t in tags}:
        summed = [Tag("U", axis) in t.varying for t in types]
        same = [Tag("R", axis) in t.varying or axis not in t.varying for t in types]
        if any(summed):
            others = [s for s, u in zip(same, summed) if not u]
            if op.derivative is LINEAR or op.name in ADDITIVE:
                fits = all(u or not is_inexact(t.dtype) and s for u, s, t in zip(summed, same, types))
            else:
                fits = (op.derivative is MULTILINEAR and sum(summed) == 1 or op.name == "div" and summed[0] and not any(summed[1:])) and all(others)
            if not fits:
                raise ShardingTypeError(f"{op.user_name} of {', '.join(map(str, types))}: a value that is still to be summed over the axis {axis!r} "
                                        "goes only into what is linear in it, beside values that are the same along the axis. Sum it first: "
                                        f"lax.psum(x, {axis!r}).")
            joint |= {Tag("U", axis)}
        elif all(same):
            joint |= {Tag("R", axis)}
    return joint


def joint_varying(types):
    """The manual mesh axes over which any of some values varies; none where a reference is among them, whose type says it itself."""
    found = NOWHERE
    for t in types:
        if t.__class__ is RefType:
            return NOWHERE
        if t.varying is not NOWHERE and t.varying:
            found = found | t.varying
    return found


class Primitive:
    """An op class as those see it who walk programs: its name, and `bind`, which applies it with given parameters.

    There is one object for each class: `primitive(cls)`."""

    __slots__ = ("op",)
    call_primitive = map_primitive = False      # programs that are called stand in parameters, of ops as others

    def __init__(self, op):
        self.op = op

    name = property(lambda self: self.op.op_name)
    multiple_results = property(lambda self: self.op.multiple)

    def bind(self, *args, **parameters):
        """Apply the op to values: its result, or a list of them where it has several."""
        return BIND[0](self.op(**parameters), *args)

    def __repr__(self):
        return self.op.op_name

    def __reduce__(self):
        return primitive, (self.op,)


def primitive(cls):
    """The one `Primitive` of an op class."""
    found = _primitives.get(cls)
    if found is None:
        found = _primitives.setdefault(cls, Primitive(cls))
    return found


def set_primitive(cls, made):
    """Say what the `Primitive` of an op class is."""
    _primitives[cls] = made


def primitive_named(name):
    """The `Primitive` that prints as `name`, with or without JAX's suffix ``_p``; None if there is none."""
    bare = name.removesuffix("_p")
    cls = OPS.get(name) or OPS.get(bare) or OPS.get(bare.replace("_", "-"))
    return None if cls is None else primitive(cls)


def rule_kind(cls, rule):
    """How a slot is filled, for the table op x rule."""
    value = getattr(cls, rule)
    if isinstance(value, Refused):
        return "refused"
    if isinstance(value, Marker):
        return value.name.lower()
    if rule == "effects":
        return "pure" if value == PURE else "effect"
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return "factors"
    return "written" if rule in cls.__dict__ else "derived"
