"""Python function -> Jaxpr: frames that record, the tracers that stand in for arrays, and `bind`, by which every
operation enters a program or runs at once."""
from __future__ import annotations

import gc
import sys

import numpy as np

from gnomon.base import source
from gnomon.base.errors import (ConcretizationTypeError, TracerArrayConversionError, TracerBoolConversionError,
                                TracerIntegerConversionError, UnexpectedTracerError)
from gnomon.base.settings import current
from gnomon.base.source import user_place, within
from gnomon.ir.check import check
from gnomon.ir.jaxpr import Eqn, Jaxpr, Literal, Var
from gnomon.ir.op import BIND, RETAG, VARY, joint_tags, joint_varying
from gnomon.trace.context import local, runtime
from gnomon.trace.value import Value
from gnomon.types.dtype import canonicalize
from gnomon.types.effect import STATE, must_run
from gnomon.types.size import AS_VALUE, Size
from gnomon.types.value_type import ArrayType, RefType, Tag, tags_of

_new_eqn, _new_var = Eqn, Var


def bind(op, *args):
    """Apply an op: recorded where a program is being recorded, run at once elsewhere."""
    frame = local.frame
    if frame is None:
        return runtime.evaluate(op, args)
    return frame.record(op, args)


BIND[0] = bind


class Tracer(Value):
    """A value of a program being recorded: it has a type and no number."""

    # `atom` is the Var or Literal that it stands for in the program of `frame`
    __slots__ = ("type", "atom", "frame", "__weakref__")

    def __init__(self, type, atom, frame):
        self.type, self.atom, self.frame = type, atom, frame

    @property
    def sharding(self):
        t = self.type
        if t.sharding is not None:
            return t.sharding
        raise AttributeError(f"The sharding of a traced value of type {t} is not known while tracing. Put the mesh's "
                             "axes in explicit mode, or look at the argument before jit.")

    @property
    def device(self):
        raise AttributeError(f"The device of a traced value of type {self.type} is not known while tracing. "
                             "Look at the argument before jit.")

    @property
    def committed(self):
        raise AttributeError("Whether a traced value is committed to a device is not known while tracing.")

    @property
    def _trace(self):
        """The program that it is a value of, under JAX's name; `_trace.main` is the same."""
        return self.frame

    def __repr__(self):
        return f"Traced<{self.type}>"

    def __hash__(self):
        raise TypeError(f"unhashable type: a traced value of type {self.type} cannot be a dict key or static argument. "
                        "Pass what must be hashable as a static argument.")

    def __bool__(self):
        return bool(self._number(TracerBoolConversionError, "boolean", "Use gnomon.lax.cond or gnomon.numpy.where"))

    def __int__(self):
        return int(self._number(ConcretizationTypeError, "integer"))

    def __float__(self):
        return float(self._number(ConcretizationTypeError, "float"))

    def __complex__(self):
        return complex(self._number(ConcretizationTypeError, "complex"))

    def __index__(self):
        return self._number(TracerIntegerConversionError, "index").__index__()

    def __array__(self, *args, **kwargs):
        t = self.type
        if self.frame.closed:
            raise leaked(self)
        if self.frame.values is not None and not self.frame.depends(self.atom):
            return np.asarray(self.frame.concrete(self.atom), *args, **kwargs)
        raise TracerArrayConversionError(
            f"The numpy.ndarray conversion method __array__() was called on traced array with shape {t.short()}."
            f"\n{self.frame.why_unknown(self.atom)} Use the function of the same name in gnomon.numpy, or "
            "gnomon.pure_callback for code that must be NumPy.")

    def item(self):
        return self._number(ConcretizationTypeError, "scalar").item()

    def tolist(self):
        return self._number(ConcretizationTypeError, "list", scalar=False).tolist()

    def block_until_ready(self):
        return self

    def copy_to_host_async(self):
        return None

    def is_deleted(self):
        return False

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self

    def _number(self, error, what, advice="Compute with gnomon.numpy and gnomon.lax instead", scalar=True):
        t = self.type
        if scalar and t.size != 1 and what != "scalar":
            if what == "boolean":
                raise ValueError(f"The truth value of an array with more than one element is ambiguous: it has type {t}. "
                                 "Use .any() or .all().")
            raise TypeError(f"Only scalar arrays can be converted to Python scalars; got an array of type {t}.")
        frame = self.frame
        if frame.closed:
            raise leaked(self)
        try:
            return np.asarray(frame.concrete(self.atom))[(0,) * t.ndim if scalar else ...]
        except NotKnown as unknown:
            text = (f"Attempted {what} conversion of traced array with shape {t.short()}."
                    f"\n{unknown.why(self)} {advice}, or {WAYS_OUT.get(unknown.frame.kind, CLOSE_OVER)}.")
        raise error(text)


# Besides computing with traced values, a function may get the number as one that is known; how depends on what traces it.
CLOSE_OVER = "close over the number instead of passing it"
WAYS_OUT = {"jit": "mark the argument static with static_argnums", "make_jaxpr": "mark the argument static with static_argnums",
            "vmap": "give the argument in_axes None", "checkpoint": "mark the argument static with static_argnums"}


class NotKnown(Exception):
    """A value has no number while tracing."""

    def __init__(self, frame, var):
        self.frame, self.var = frame, var

    def why(self, tracer):
        """A sentence about why the number of `tracer`, which was asked for, is not known."""
        return self.frame.why_unknown(tracer.atom if tracer.frame is self.frame else self.var)


def number_if_known(x):
    """The number of a traced scalar that has one by now, as an Array; anything else as it is."""
    if x.__class__ is Tracer and not x.frame.closed:
        try:
            return x.frame.concrete(x.atom)
        except NotKnown:
            pass
    return x


def frame_of(values):
    """The innermost program that traced values among these belong to, or None; an error about those whose trace has ended.

    Where operations run at once (ensure_compile_time_eval), those on traced values are recorded there."""
    frame = None
    for x in values:
        if x.__class__ is Tracer:
            if x.frame.closed:
                raise leaked(x)
            if frame is None or x.frame.depth > frame.depth:
                frame = x.frame
    return frame


def leaked(tracer, how="is used after"):
    """The error about a tracer that outlives its trace."""
    frame, t = tracer.frame, tracer.type
    place = next((e.place for e in frame.eqns if tracer.atom in e.outs), None)
    if place:
        made = f" It was created at {source.describe(place)}."
    else:
        made = f" It is the argument {frame.name_of(tracer.atom)}."
    return UnexpectedTracerError(
        f"A value of type {t} that was traced inside the function {frame.name} {how} that function's trace "
        f"ended: it leaked out through a side effect.{made} Return it from {frame.name} instead of storing it.")


class Frame:
    """A program being recorded."""

    __slots__ = ("parent", "eqns", "consts", "const_values", "closed", "name", "kind", "arg_names", "values", "invars",
                 "weak_matters", "strong", "known", "producer", "indexed", "place", "depth", "lent", "scope")

    def __init__(self, name="", kind="jit", arg_names=None, values=None):
        self.parent = local.frame
        self.eqns = []
        self.consts = {}            # id of a captured value -> its Var
        self.const_values = []      # the captured values, kept alive; constvars are in the same order
        self.closed = False
        self.name, self.kind = name, kind
        self.arg_names = arg_names  # a list, or a function that makes it when a message needs it
        self.values = values        # numbers of the inputs where a transform runs outside jit; None or a list
        self.invars = ()
        self.weak_matters = False   # whether an input's weak type changed what was recorded
        self.strong = set()         # variables that were to be made strong, and were strong as they stood
        self.known = None
        self.producer, self.indexed = None, 0
        self.depth = 0              # in how many other traces this one is
        self.lent = ()              # ids of the values that rules of the user's close over, and may keep
        self.scope = ""             # the names of the named_scopes that the equations recorded now are in, as `model/layer`
        self.place = None           # where equations recorded from now on come from, if not from the caller

    main = property(lambda self: self)

    def record(self, op, args):
        ins = []
        for a in args:
            if a.__class__ is Tracer and a.frame is self:
                ins.append(a.atom)
            else:
                ins.append(self.lift(a))
        types = tuple([v.type for v in ins])
        out = op.results.get(types)
        if out is None:
            varying = joint_varying(types) if op.joins_varying else None
            if varying and Tag.made and tags_of(varying):
                varying = joint_tags(op, types, varying)
                if any(t.varying != varying for t in types):
                    return self.record_tagged(op, args, varying)
            if varying and any(t.varying != varying for t in types):
                return self.record(op, [a if t.varying == varying else VARY[0](a, varying - t.varying) for a, t in zip(args, types)])
            out = op.infer(types)
        place = self.place or user_place(3)
        if self.scope:
            place = within(place, self.scope)
        if op.multiple:
            outs = [_new_var(t) for t in out]
            self.eqns.append(_new_eqn(op, tuple(ins), tuple(outs), place))
            return [Tracer(t, v, self) for t, v in zip(out, outs)]
        var = _new_var(out)
        self.eqns.append(_new_eqn(op, tuple(ins), (var,), place))
        return Tracer(out, var, self)

    def record_tagged(self, op, args, varying):
        """An op on values with different tags: on the values without them, its results with those of `varying`."""
        plain = varying - tags_of(varying)
        out = self.record(op, [RETAG[0](Tracer(v.type, v, self), plain) for v in map(self.lift, args)])
        return [RETAG[0](o, varying) for o in out] if op.multiple else RETAG[0](out, varying)

    def lift(self, value):
        """The Var or Literal of this program that stands for a value from elsewhere."""
        cls = value.__class__
        if cls is Literal:
            return value
        if cls is Tracer:
            if value.frame is self:
                return value.atom
            if value.frame.closed and not self.has_captured(value):
                raise leaked(value)
            return self.capture(value)
        if cls in _SCALARS:
            return literal(value)
        if isinstance(value, np.generic):
            if canonicalize(value.dtype, current.enable_x64) != value.dtype:
                value = np.asarray(runtime.constant(value))[()]         # narrowed, and announced, as outside a trace
            return literal(value)
        if not runtime.is_array(value):
            value = AS_VALUE[0](value) if isinstance(value, Size) else runtime.constant(value)
            if value.__class__ is Tracer:       # what a mutable reference stands for
                return self.lift(value)
        return self.capture(value)

    def has_captured(self, value):
        """Whether a value is captured here or in a program around this one."""
        frame = self
        while frame is not None and id(value) not in frame.consts:
            frame = frame.parent
        return frame is not None

    def capture(self, value):
        var = self.consts.get(id(value))
        if var is None:
            var = self.consts[id(value)] = Var(value.type)
            self.const_values.append(value)
        return var

    def tracer(self, var):
        """A tracer for a variable of this program."""
        return Tracer(var.type, var, self)

    def finish(self, outs, names=None):
        """The Jaxpr recorded so far with these outputs, and the values it captured."""
        outvars = [self.lift(o) for o in outs]
        self.closed = True
        jaxpr = Jaxpr(self.consts.values(), self.invars, self.eqns, outvars, names)
        if current.enable_checks:
            check(jaxpr)
        return jaxpr, self.const_values

    # -- peeking: the numbers of a program recorded outside jit ------------------------------------------------

    def concrete(self, var):
        """The number of a variable, evaluating what was recorded so far, each equation once; NotKnown where it has none."""
        known = self.known
        if known is None:
            known = self.known = {}
            for v, value in zip(self.consts.values(), self.const_values):
                known[v] = value
            for v, value in zip(self.invars, self.values or ()):
                if value is not None:
                    known[v] = value
        self._index()
        stack = [var]
        while stack:
            v = stack[-1]
            if v.__class__ is Literal or v in known:
                if v in known and known[v].__class__ is Tracer:
                    outer = known[v]
                    known[v] = outer.frame.concrete(outer.atom)
                stack.pop()
                continue
            if v not in self.producer:
                captured = next((x for w, x in zip(self.consts.values(), self.const_values) if w is v), None)
                if captured is None:
                    raise NotKnown(self, v)
                known[v] = captured
                continue
            eqn = self.producer[v]
            missing = [i for i in eqn.ins if i.__class__ is Var and (i not in known or known[i].__class__ is Tracer)]
            if missing:
                stack.extend(missing)
                continue
            if eqn.op.effects and STATE in eqn.op.effects and not self.known_state(eqn):
                raise NotKnown(self, v)         # what a reference refers to is known when the program runs
            args = [i if i.__class__ is Literal else known[i] for i in eqn.ins]
            saved, local.frame, local.keys_checked = local.frame, None, True
            try:
                outs = runtime.evaluate(eqn.op, args)
            finally:
                local.frame, local.keys_checked = saved, False
            known.update(zip(eqn.outs, outs if eqn.op.multiple else (outs,)))
            stack.pop()
        return var.value if var.__class__ is Literal else known[var]

    def known_state(self, eqn):
        """Whether an equation only reads references from outside to which no program being recorded writes before."""
        refs = [self.known[v] for v in eqn.ins if v.type.__class__ is RefType]
        frame = self
        while frame is not None:
            held = {frame.consts.get(id(r)) for r in refs}
            if frame.values is None or any(must_run(e.op.effects) and not held.isdisjoint(e.ins) for e in (eqn, *frame.eqns)
                                           if e.op.effects):
                return False
            frame = frame.parent
        return bool(refs)

    def _index(self):
        """Note which equation makes which variable, for the equations that came since the last time."""
        if self.producer is None:
            self.producer = {}
        for e in self.eqns[self.indexed:]:
            for v in e.outs:
                self.producer[v] = e
        self.indexed = len(self.eqns)

    def maker(self, var):
        """The equation of this program that a variable comes from, or None."""
        self._index()
        return self.producer.get(var)

    def sources(self, var):
        """The inputs that a variable depends on, in order."""
        self._index()
        seen, stack, found = set(), [var], set()
        while stack:
            v = stack.pop()
            if v in seen or v.__class__ is Literal:
                continue
            seen.add(v)
            eqn = self.producer.get(v)
            if eqn is None:
                found.add(v)
            else:
                stack.extend(eqn.ins)
        return [i for i, v in enumerate(self.invars) if v in found]

    def depends(self, var):
        """Whether a variable depends on any input (a captured outer tracer counts as one)."""
        if self.sources(var):
            return True
        return any(v.__class__ is Tracer for v in self.const_values)

    def name_of(self, var):
        """The name of the argument that an input variable stands for."""
        i = next((i for i, v in enumerate(self.invars) if v is var), -1)
        known = self.arg_names() if callable(self.arg_names) else self.arg_names or ()
        return known[i] if 0 <= i < len(known) else f"number {i}"

    def why_unknown(self, var):
        """A sentence about why a variable has no number."""
        sources = self.sources(var)
        what = f"the function {self.name} for {self.kind}" if self.name else self.kind
        at = source.describe(user_place(2))
        text = f"The error occurred {f'at {at} ' if at else ''}while tracing {what}. "
        if not sources:
            return text + "This concrete value was not available in Python because everything in this function is traced."
        named = [self.name_of(self.invars[i]) for i in sources]
        some = named[:5] + ([f"{len(named) - 5} more"] if len(named) > 5 else [])
        if len(some) == 1:
            values = f"the value of the argument {some[0]}"
        else:
            values = f"the values of the arguments {', '.join(some[:-1])} and {some[-1]}"
        return text + f"This concrete value was not available in Python because it depends on {values}."


_SCALARS = frozenset([bool, int, float, complex])


def scalar_type(value):
    """The ArrayType of a Python or NumPy scalar under the settings in force."""
    cls = value.__class__
    if cls in _SCALARS:
        x64 = current.enable_x64
        if cls is bool:
            return _BOOL
        dtype = canonicalize(np.dtype(_WIDE[cls]), x64)
        return ArrayType((), dtype, True)
    return ArrayType((), canonicalize(value.dtype, current.enable_x64), False)


_WIDE = {int: "int64", float: "float64", complex: "complex128"}
_BOOL = ArrayType((), np.dtype(bool), False)


def literal(value, type=None):
    """A Literal for a scalar, of a given type or of the scalar's own."""
    t = scalar_type(value) if type is None else type
    if value.__class__ is int and t.dtype.kind in "iu":
        info = np.iinfo(t.dtype) if t.dtype.kind != "V" else None
        if info is not None and not info.min <= value <= info.max:
            raise OverflowError(f"The Python integer {value} does not fit in {t.dtype}. Give it a dtype that holds it "
                                "(enable_x64 for 64 bits).")
    return Literal(value, t)


def value_of(x):
    """Anything array-like as something that computes: Arrays and tracers as they are; scalars and NumPy arrays become a
    literal of the program being recorded or an Array."""
    if isinstance(x, Value):
        return x
    frame = local.frame
    if frame is None:           # a Literal, a scalar or a NumPy array
        return runtime.constant(x)
    var = frame.lift(x)
    return Tracer(var.type, var, frame)


def stage(fn, types, *, name="", kind="jit", arg_names=None, values=None, frames=None, captured=()):
    """Record `fn`, which takes one value per type and returns a list of values.

    Returns (jaxpr, captured values): the captured ones are the values of `jaxpr.constvars`, Arrays or tracers of outer
    frames. `values` gives the inputs' numbers where a transform runs outside jit (None for those without); `frames`, a list,
    gets the frame, for what it noted besides equations; `captured` are values captured in any case, whose own traces may have ended."""
    frame = Frame(name, kind, arg_names, values)
    for x in captured:
        frame.capture(x)
    if frames is not None:
        frames.append(frame)
    if frame.parent is not None:
        frame.depth = frame.parent.depth + 1
        if frame.depth >= DEEP and not frame.depth % 4:
            check_depth(frame)
    frame.invars = tuple([Var(t) for t in types])
    local.frame = frame
    try:
        inputs = [Tracer(v.type, v, frame) for v in frame.invars]
        if RefType in map(type, types):
            inputs = [runtime.reference(x) if x.type.__class__ is RefType else x for x in inputs]
        outs = fn(*inputs)
        made = frame.finish(outs)
    finally:
        frame.closed = True
        local.frame = frame.parent
    if current.check_tracer_leaks:
        del inputs, outs
        check_leaks(frame)
    return made


DEEP = 8        # traces inside each other from which on Python's stack is watched


def check_depth(frame):
    """RecursionError well before the limit of the interpreter, which counts calls through C too; C++ code would not survive that one."""
    depth, python = 0, sys._getframe()
    while python is not None:
        depth, python = depth + 1, python.f_back
    if depth < 0.6 * sys.getrecursionlimit():
        return
    raise RecursionError(f"{frame.depth} traces are inside each other at the function {frame.name}, traced for {frame.kind}: a function calls "
                         "itself while it is traced, and what its arguments are is not known then. Let a static argument end it, or use "
                         "gnomon.lax.while_loop.")


def check_leaks(frame):
    """UnexpectedTracerError if a value of a trace that ended is still alive."""
    gc.collect()
    for x in gc.get_objects():
        if x.__class__ is Tracer and x.frame is frame and id(x) not in frame.lent:
            raise leaked(x, "is still alive after")


def inline(jaxpr, consts, args):
    """Run a program's equations here: recorded into the program being recorded, or one by one at once."""
    frame = local.frame
    if frame is None:
        return evaluate_jaxpr(jaxpr, consts, args)
    lift = frame.lift
    env = {}
    for v, a in zip(jaxpr.constvars, consts):
        env[v] = lift(a)
    for v, a in zip(jaxpr.invars, args):
        env[v] = lift(a)
    append, scope = frame.eqns.append, frame.scope
    for e in jaxpr.eqns:
        ins = tuple([env[v] if v.__class__ is Var else v for v in e.ins])
        outs = []
        for v in e.outs:
            new = env[v] = _new_var(v.type)
            outs.append(new)
        append(_new_eqn(e.op, ins, tuple(outs), within(e.place, scope) if scope else e.place))
    out = []
    for v in jaxpr.outvars:
        w = env[v] if v.__class__ is Var else v
        out.append(Tracer(w.type, w, frame))
    return out


def evaluate_jaxpr(jaxpr, consts, args):
    """Evaluate a program op by op, dropping values once nobody needs them."""
    env = dict(zip(jaxpr.constvars, consts))
    env.update(zip(jaxpr.invars, args))
    del consts, args
    evaluate, last = runtime.evaluate, jaxpr.memo.get("last uses")
    if last is None:
        last = jaxpr.memo["last uses"] = last_uses(jaxpr)
    for e, ending in zip(jaxpr.eqns, last):
        outs = evaluate(e.op, [env[v] if v.__class__ is Var else v for v in e.ins])
        if e.op.multiple:
            env.update(zip(e.outs, outs))
        else:
            env[e.outs[0]] = outs
        for v in ending:
            del env[v]
    return [env[v] if v.__class__ is Var else runtime.constant(v) for v in jaxpr.outvars]


def last_uses(jaxpr):
    """For each equation, the variables that nobody needs after it."""
    needed, out = {v for v in jaxpr.outvars if v.__class__ is Var}, []
    for e in reversed(jaxpr.eqns):
        ending = {v for v in (*e.ins, *e.outs) if v.__class__ is Var} - needed
        needed |= ending
        out.append(tuple(ending))
    return out[::-1]
