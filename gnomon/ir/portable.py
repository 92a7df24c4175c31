"""Programs as plain data that JSON holds: what `encode` makes of a program, `decode` makes the same program of.

Numbers, strings and lists stand for themselves; what else a program holds is a dict with one key that says what it is. Python functions,
meshes and devices have no such form: `Refused` says where there is one.
"""
from __future__ import annotations

import base64
import enum
import importlib

import numpy as np

from gnomon.base.errors import Refused
from gnomon.base.record import Record
from gnomon.ir.jaxpr import Eqn, Jaxpr, Literal, Var, intern
from gnomon.ir.op import Op
from gnomon.types.dtype import KeyDtype, parse_short_name, short_name
from gnomon.types.symbolic import Parser, SymbolicSize
from gnomon.types.value_type import NOWHERE, ArrayType

ROOMS = "gnomon.ops.", "gnomon.types."      # where the classes stand that a parameter may be of
MAKERS = {"gnomon.ops.random:generator"}    # and what else makes such values


class Writer:
    """Encodes programs, each once."""

    def __init__(self):
        self.programs = []
        self.numbers = {}       # by program

    def program(self, jaxpr):
        """The program's number in the list of programs."""
        found = self.numbers.get(jaxpr)
        if found is None:
            name = {}
            inputs = [self.binder(v, name) for v in (*jaxpr.constvars, *jaxpr.invars)]
            eqns = [[self.op(e.op), [self.operand(v, name) for v in e.ins], [self.binder(v, name) for v in e.outs]] for e in jaxpr.eqns]
            outs = [self.operand(v, name) for v in jaxpr.outvars]
            found = self.numbers[jaxpr] = len(self.programs)
            self.programs.append({"inputs": inputs, "equations": eqns, "outputs": outs})
        return found

    def binder(self, v, name):
        name[v] = len(name)
        return self.type(v.type)

    def operand(self, v, name):
        return {"literal": self.value(v.value), "type": self.type(v.type)} if v.__class__ is Literal else name[v]

    def type(self, t):
        if t.__class__ is not ArrayType or t.sharding is not None or t.varying:
            raise Refused(f"a value of type {t} cannot be written to a file: only arrays without a mesh can")
        return [[self.value(n) for n in t.shape], short_name(t.dtype), t.weak_type, t.memory]

    def op(self, op):
        parameters = {}
        for name in op.parameters:
            try:
                parameters[name] = self.value(getattr(op, name))
            except Refused as error:
                raise Refused(f"{error.why} (parameter {name} of {op.op_name})") from None
        return [op.op_name, parameters]

    def value(self, value):
        kind = value.__class__
        if value is None or kind in (bool, int, str):
            return value
        if kind in (float, complex):
            return {kind.__name__: repr(value)}
        if kind is list:
            return [self.value(part) for part in value]
        if isinstance(value, tuple):
            parts = [self.value(part) for part in value]
            return {"named": place_of(kind), "parts": parts} if hasattr(value, "_fields") else {"tuple": parts}
        if kind is SymbolicSize:
            return {"size": str(value)}
        if kind is Jaxpr:
            return {"program": self.program(value)}
        if kind is ArrayType:
            return {"type": self.type(value)}
        if isinstance(value, (np.dtype, KeyDtype)):
            return {"dtype": short_name(value)}
        if isinstance(value, (np.ndarray, np.generic)):
            return {"array": array_data(np.asarray(value))}
        if isinstance(value, enum.Enum):
            return {"enum": place_of(kind), "name": value.name}
        if isinstance(value, Op):
            return {"op": self.op(value)}
        if isinstance(value, Record) and kind.__module__.startswith(ROOMS):
            return {"record": place_of(kind), "parts": [self.value(getattr(value, name)) for name in kind.fields]}
        if kind.__module__.startswith(ROOMS) and kind.__reduce__ is not object.__reduce__:
            maker, arguments = value.__reduce__()
            return {"made": place_of(maker), "parts": [self.value(part) for part in arguments]}
        raise Refused(f"{'a Python function' if callable(value) else f'a value of type {kind.__name__}'} cannot be written to a file")


class Reader:
    """Decodes the programs of one list. `op_named` gives the class of an op by its name, `scope` has the variables of symbolic sizes."""

    def __init__(self, programs, op_named, scope):
        self.data, self.op_named, self.scope = programs, op_named, scope
        self.programs = []
        for data in programs:
            self.programs.append(self.program(data))

    def program(self, data):
        values = [Var(self.type(t)) for t in data["inputs"]]
        inputs, eqns = tuple(values), []
        for (name, parameters), ins, outs in data["equations"]:
            made = [Var(self.type(t)) for t in outs]
            eqns.append(Eqn(self.op(name, parameters), tuple([self.operand(v, values) for v in ins]), tuple(made)))
            values += made
        return intern(Jaxpr((), inputs, eqns, [self.operand(v, values) for v in data["outputs"]]))

    def operand(self, v, values):
        if isinstance(v, int):
            return values[v]
        t = self.type(v["type"])
        value = self.value(v["literal"])
        return Literal(value, t)

    def type(self, data):
        shape, dtype, weak, memory = data
        return ArrayType(tuple([self.value(n) for n in shape]), parse_short_name(dtype), weak, None, NOWHERE, memory)

    def op(self, name, parameters):
        cls = self.op_named(name)
        if cls is None:
            raise ValueError(f"it has the operation {name}, which this version of Gnomon does not have")
        unknown = sorted(set(parameters) ^ set(cls.parameters))
        if unknown:
            raise ValueError(f"its operation {name} has other parameters than here ({', '.join(unknown)}): another version of Gnomon wrote it")
        return cls(**{k: self.value(v) for k, v in parameters.items()})

    def value(self, data):
        if not isinstance(data, dict):
            return [self.value(part) for part in data] if isinstance(data, list) else data
        kind = next(iter(data))
        found = data[kind]
        if kind in ("float", "complex"):
            return (float if kind == "float" else complex)(found)
        if kind == "tuple":
            return tuple([self.value(part) for part in found])
        if kind == "size":
            return Parser(found, self.scope).whole()
        if kind == "program":
            return self.programs[found]
        if kind == "type":
            return self.type(found)
        if kind == "dtype":
            return parse_short_name(found)
        if kind == "array":
            return array_of(found)
        if kind == "enum":
            return class_at(found, enum.Enum)[data["name"]]
        if kind == "op":
            return self.op(*found)
        if kind in ("named", "record", "made"):
            return class_at(found, {"named": tuple, "record": Record, "made": object}[kind])(*[self.value(part) for part in data["parts"]])
        raise ValueError(f"it has a value of the unknown kind {kind!r}")


def place_of(cls):
    if not cls.__module__.startswith(ROOMS):
        raise Refused(f"a value of type {cls.__name__} cannot be written to a file")
    return f"{cls.__module__}:{cls.__qualname__}"


def class_at(place, base):
    """The class that `place_of` wrote: of the rooms of ops and types alone, so that a file cannot name what it likes."""
    module, _, name = place.partition(":")
    found = getattr(importlib.import_module(module), name, None) if module.startswith(ROOMS) else None
    known = isinstance(found, type) and issubclass(found, base) and found.__module__ == module
    if not (known or place in MAKERS):
        raise ValueError(f"it names {place!r}, which is no class of values")
    return found


def array_data(array):
    """An array of numbers as [dtype, shape, its bytes in base64]."""
    return [short_name(array.dtype), list(array.shape), base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()]


def array_of(data):
    dtype, shape, text = data
    return np.frombuffer(base64.b64decode(text), parse_short_name(dtype)).reshape(shape)
