"""Between the user's functions of trees and the machine's functions of lists."""
from __future__ import annotations

import numpy as np

from gnomon.base.source import describe, function_name
from gnomon.base.tree import argument_names, keystr, tree_flatten, tree_flatten_with_path, tree_leaves, tree_unflatten
from gnomon.ir.jaxpr import intern
from gnomon.ops.convert import convert_element_type
from gnomon.ops.refs import Get, Swap
from gnomon.passes.discharge import discharge_used, has_refs
from gnomon.run import structured
from gnomon.run.array import Array
from gnomon.run.ref import Ref, live, through_references
from gnomon.trace.context import local, recording
from gnomon.trace.stage import Tracer, bind, frame_of, inline, scalar_type, stage, value_of
from gnomon.trace.value import Value
from gnomon.types.dtype import canonicalize
from gnomon.base.settings import current
from gnomon.types.effect import STATE
from gnomon.types.size import check_shape
from gnomon.types.value_type import ArrayType, RefType

_SCALARS = (bool, int, float, complex)


class ShapeDtypeStruct:
    """A stand-in for an array, or with `is_ref` for a mutable reference to one: shape, dtype and where it is, without numbers."""

    __slots__ = ("shape", "dtype", "weak_type", "sharding", "type", "_vma")

    def __init__(self, shape, dtype, *, sharding=None, weak_type=False, manual_axis_type=None, is_ref=False, vma=None, format=None):
        if dtype is None:
            raise ValueError("ShapeDtypeStruct: dtype must be specified.")
        self.shape = check_shape(shape, "The shape given to ShapeDtypeStruct")
        self.dtype = canonicalize(dtype, current.enable_x64)
        self.weak_type, self.sharding = weak_type, sharding
        self._vma = vma
        self.type = ArrayType(self.shape, self.dtype, weak_type)
        if is_ref:
            self.type = RefType(self.type)

    @classmethod
    def of(cls, t):
        out = cls(t.shape, t.dtype, weak_type=t.weak_type, sharding=t.sharding)
        out.type = t
        return out

    @classmethod
    def like(cls, x):
        """The stand-in for an array or another stand-in, with its sharding."""
        return cls(x.shape, x.dtype, sharding=None if isinstance(x, Tracer) else getattr(x, "sharding", None),
                   weak_type=bool(getattr(x, "weak_type", False)))

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: self.type.size)
    vma = property(lambda self: self._vma)
    is_ref = property(lambda self: self.type.__class__ is RefType)
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.dtype.itemsize)

    def __len__(self):
        return len(self.type)

    def update(self, **changes):
        facts = dict(shape=self.shape, dtype=self.dtype, weak_type=self.weak_type, sharding=self.sharding, is_ref=self.is_ref)
        return ShapeDtypeStruct(**{**facts, **changes})

    def __repr__(self):
        weak = f", weak_type={self.weak_type}" if self.weak_type else ""
        where = f", sharding={self.sharding}" if self.sharding is not None else ""
        ref = ", is_ref=True" if self.is_ref else ""
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype}{weak}{where}{ref})"

    def __eq__(self, other):
        return isinstance(other, ShapeDtypeStruct) and (self.type, self.sharding) == (other.type, other.sharding)

    def __hash__(self):
        return hash((self.type, self.sharding))


def type_of(x):
    """The type of anything array-like, or TypeError."""
    t = getattr(x, "type", None)
    if t.__class__ is ArrayType or t.__class__ is RefType or isinstance(x, Value):
        return t
    if isinstance(x, _SCALARS) or isinstance(x, np.generic):
        return scalar_type(x if isinstance(x, np.generic) else _exact(x))
    if isinstance(x, np.ndarray):
        return ArrayType(x.shape, canonicalize(x.dtype, current.enable_x64))
    if hasattr(x, "__jax_array__"):
        return type_of(x.__jax_array__())
    shape, dtype = getattr(x, "shape", None), getattr(x, "dtype", None)
    if shape is not None and dtype is not None:
        return ArrayType(tuple(shape), canonicalize(dtype, current.enable_x64), bool(getattr(x, "weak_type", False)))
    raise TypeError(f"a value of type {type(x).__name__} is not an array")


def weakened(x, t):
    """A value as one of the type `t`, which differs in dtype or weakness alone."""
    if x.type.weak_type == t.weak_type and x.type.dtype == t.dtype:
        return x
    if isinstance(x, Array) and x.type.dtype == t.dtype:
        return Array(x.type.with_dtype(t.dtype, t.weak_type), x._buffer, x.placement, x._host)
    return convert_element_type(x, t.dtype, t.weak_type)


def _exact(x):
    """A Python scalar of exactly one of Python's own classes."""
    for cls in _SCALARS:
        if isinstance(x, cls):
            return cls(x)
    return x


def check_functions(what, optional=(), **given):
    """Complain of arguments that are no functions; those named in `optional` may be None."""
    for name, function in given.items():
        if not callable(function) and not (function is None and name in optional):
            raise TypeError(f"{what} takes a function as {name}, got {function!r}.")


def check_leaves(leaves, what, names):
    """Each leaf must be array-like; the error names the argument."""
    for i, x in enumerate(leaves):
        if x.__class__ is Array:
            continue
        try:
            type_of(x)
        except TypeError:
            name = names()[i]
            raise TypeError(f"{what} takes arrays and trees of arrays, but argument {name} has a leaf of type "
                            f"{type(x).__name__}: {_short(x)}. Mark it static, or close over it.") from None


def check_returned(leaves, who):
    """Each leaf of what a rule or function of the user's returned must be array-like or None; `who` says which it is."""
    for x in leaves:
        if x is not None and not isinstance(x, Value):
            try:
                type_of(x)
            except TypeError:
                raise TypeError(f"{who} must return arrays or trees of arrays, but returned a leaf of type {type(x).__name__}: {_short(x)}.") from None


def _short(x):
    text = repr(x)
    return text if len(text) < 60 else text[:57] + "..."


class Flat:
    """A function of trees as a function of the leaves of some of its arguments; remembers its output's structure."""

    __slots__ = ("fn", "call", "in_tree", "out_tree", "aux", "has_aux", "what")

    def __init__(self, fn, in_tree, call=None, has_aux=False, what="the function"):
        self.fn, self.in_tree, self.call = fn, in_tree, call
        self.out_tree = self.aux = None
        self.has_aux, self.what = has_aux, what

    def __call__(self, *leaves):
        if self.call is not None:
            out = self.call(tree_unflatten(self.in_tree, leaves))
        else:
            args, kwargs = tree_unflatten(self.in_tree, leaves)
            out = self.fn(*args, **kwargs)
        if self.has_aux:
            if not isinstance(out, (tuple, list)) or len(out) != 2:
                raise TypeError(f"{self.what} with has_aux=True needs {function_name(self.fn)} to return a pair (output, aux), but it "
                                f"returned {_short(out)}.")
            out, aux = out
            flat, self.out_tree = tree_flatten(out)
            flat_aux, aux_tree = tree_flatten(aux)
            self.aux = aux_tree, len(flat_aux)
            flat = flat + flat_aux
        else:
            flat, self.out_tree = tree_flatten(out)
        for i, x in enumerate(flat):
            if not isinstance(x, Value):
                flat[i] = self.as_output(x, i, out)
        return flat

    def as_output(self, x, i, out):
        if isinstance(x, Ref):
            raise returned_ref(x, function_name(self.fn) if self.fn is not None else self.what)
        try:
            return value_of(x)
        except TypeError:
            path = keystr(tree_flatten_with_path(out)[0][i][0]) if not self.has_aux else f"[{i}]"
            raise TypeError(f"{function_name(self.fn)} must return arrays or trees of arrays, but its output{path} is of type "
                            f"{type(x).__name__}: {_short(x)}.") from None


def returned_ref(ref, name):
    """The error about a reference among a function's results."""
    frame, x = local.frame, ref.held
    if x.__class__ is Tracer and x.frame is frame and x.atom in frame.invars:
        made = f"its argument {frame.name_of(x.atom)}"
    else:
        place = next((e.place for e in frame.eqns if x.__class__ is Tracer and x.atom in e.outs), None)
        made = f"made at {describe(place)}" if place else "made outside of it"
    return ValueError(f"{name} returns a mutable reference of type {ref.type}, {made}, but a function traced for {frame.kind} cannot return "
                      "references. Return what it refers to: ref[...].")


def check_refs(what, values, captured, names):
    """A reference may be given once: among the arguments, or by closing over it."""
    seen = {identity(c): None for c in captured if c.type.__class__ is RefType}
    for i, v in enumerate(values):
        if v.type.__class__ is not RefType:
            continue
        key = identity(v)
        if key in seen:
            first = seen[key]
            name = names()[i]
            where = f"as its argument {name} and by closing over it" if first is None else f"as its arguments {names()[first]} and {name}"
            raise ValueError(f"{what} is given the same mutable reference of type {v.type} twice, {where}. Pass it once.")
        seen[key] = i


def identity(ref):
    """What tells references apart: a traced one is its variable."""
    return id(ref.atom) if ref.__class__ is Tracer else id(ref)


class Written:
    """The references that a program to be transformed writes to. What they refer to in the end are outputs of the program of values."""

    __slots__ = ("places", "refs")

    def __init__(self, places, refs):
        self.places, self.refs = places, refs       # their inputs' numbers, and the references

    def __len__(self):
        return len(self.refs)

    def store(self, outs, at):
        """The outputs without the references' last values, which stand from number `at` on and are put where they belong."""
        n = len(self.refs)
        if not n:
            return outs
        for ref, value in zip(self.refs, outs[at:at + n]):
            put(ref, value)
        return [*outs[:at], *outs[at + n:]]

    def check_still(self, who, has):
        """None of their last values may move: what moves with it would be lost."""
        for ref, moves in zip(self.refs, has):
            if moves:
                raise ValueError(f"{who} writes a value that depends on what is differentiated to a mutable reference of type {ref.type} from "
                                 "outside, where its derivative would be lost. Write lax.stop_gradient(value), or return the value.")


NOTHING_WRITTEN = Written((), ())


def thread_refs(what, jaxpr, captured, values, names):
    """(program of values, captured, values, Written): a staged program and its inputs, with references turned into values."""
    if not has_refs(jaxpr):
        return jaxpr, captured, values, NOTHING_WRITTEN
    check_refs(what, values, captured, names)
    made, written = discharge_used(jaxpr)
    inputs, n = [*captured, *values], len(captured)
    given = [x if x.type is t else value_in(x) for x, t in zip(inputs, made.in_types)]
    return made, given[:n], given[n:], Written(written, [inputs[i] for i in written])


def value_in(x):
    """The array that a reference refers to; other values as they are."""
    if x.type.__class__ is not RefType:
        return x
    return live(x) if local.frame is None else bind(Get((Ellipsis,)), x)


def put(ref, value):
    """Make a reference refer to another array."""
    if local.frame is None:
        ref.held = value
    else:
        bind(Swap((Ellipsis,)), ref, value)


def as_values(leaves):
    """Arrays or tracers for a list of array-likes."""
    return [x if isinstance(x, Value) else value_of(x) for x in leaves]


def run_here(jaxpr, values, name):
    """Run a closed interned program on values: recorded where a program is being recorded, else evaluated."""
    if local.frame is not None:
        return inline(jaxpr, (), values)
    if Tracer in map(type, values):
        with recording(frame_of(values)):
            return inline(jaxpr, (), values)
    arrays = list(values)
    if jaxpr.effects and STATE in jaxpr.effects or Ref in map(type, arrays):
        return through_references(jaxpr, arrays, lambda made, given, _: structured.run(made, given, name), name, False)
    return structured.run(jaxpr, arrays, name)


def where_traced(function, args, kwargs):
    """(whether `function` was given traced values where operations run at once, what it gives when it is recorded with them)."""
    frame = frame_of(tree_leaves((args, kwargs)))
    if frame is None:
        return False, None
    with recording(frame):
        return True, function(*args, **kwargs)


def stage_closed(fn, values, *, name, kind, arg_names=None, known=True):
    """Stage a flat function on values; returns (closed interned program, the values it captured)."""
    jaxpr, captured = stage(fn, [v.type for v in values], name=name, kind=kind, arg_names=arg_names,
                            values=list(values) if known is True else known)
    return intern(jaxpr.closed()), list(captured)


def lazy_names(fn, args, kwargs, positions=None):
    """The arguments' names, found only when a message needs them."""
    return lambda: argument_names(fn, args, kwargs, positions)


