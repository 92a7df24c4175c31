"""Programs with symbolic sizes, made for given ones."""
from __future__ import annotations

from gnomon.ir.jaxpr import Eqn, Jaxpr, Literal, Var, intern
from gnomon.types.size import Size, is_static_shape
from gnomon.types.value_type import ArrayType, RefType


def with_parameters(op, change):
    """An op with its parameters as `change` gives them back; tuples and lists are gone into."""
    changed = {}
    for name in op.parameters:
        old = getattr(op, name)
        new = within(old, change)
        if new is not old:
            changed[name] = new
    return op.replace(**changed) if changed else op


def within(value, change):
    """A parameter's value with what it is, or holds, changed; the same object where nothing is."""
    if isinstance(value, tuple):
        parts = [within(part, change) for part in value]
        if all([a is b for a, b in zip(parts, value)]):
            return value
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return change(value)


def specialized(jaxpr, numbers):
    """The program for sizes: `numbers` says what each variable is, {name: int}."""
    if not numbers:
        return jaxpr
    key = "specialized", tuple(sorted(numbers.items()))
    found = jaxpr.memo.get(key)
    if found is None:
        found = jaxpr.memo[key] = intern(made_for(jaxpr, numbers))
    return found


def made_for(jaxpr, numbers):
    def change(value):
        kind = value.__class__
        if isinstance(value, Size):
            return value.value(numbers)
        if kind is Jaxpr:
            return specialized(value, numbers)
        if kind is ArrayType:
            return value if is_static_shape(value.shape) else sized(value, numbers)
        if kind is RefType:
            inner = change(value.inner)
            return value if inner is value.inner else RefType(inner)
        for_sizes = getattr(value, "for_sizes", None)       # a rule of the user's
        return value if for_sizes is None else for_sizes(numbers)

    renamed = {}

    def variable(v):
        if v.__class__ is Literal:
            return Literal(v.value, change(v.type))
        found = renamed.get(v)
        if found is None:
            found = renamed[v] = Var(change(v.type))
        return found

    def variables(vs):
        return tuple([variable(v) for v in vs])
    eqns = [Eqn(with_parameters(e.op, change), variables(e.ins), variables(e.outs), e.place) for e in jaxpr.eqns]
    return Jaxpr(variables(jaxpr.constvars), variables(jaxpr.invars), eqns, variables(jaxpr.outvars), jaxpr.names)


def sized(t, numbers):
    shape = tuple([n.value(numbers) if isinstance(n, Size) else n for n in t.shape])
    return ArrayType(shape, t.dtype, t.weak_type, t.sharding, t.varying, t.memory)
