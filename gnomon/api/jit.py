"""jit: trace once per signature, compile, and from then on a look-up and a call."""
from __future__ import annotations

import functools
import inspect
import itertools
import time
import weakref
from collections import deque

from gnomon.api.aliases import Inline
from gnomon.api.function import Flat, ShapeDtypeStruct, as_values, check_functions, check_leaves, check_refs, lazy_names, type_of
from gnomon.api.places import named
from gnomon.api.retraces import Report, Trace, differences, nearest, note
from gnomon.base.announce import announce
from gnomon.base.arguments import flag, integers, strings
from gnomon.base.errors import Refused
from gnomon.base.frames import entry_point, hide_frames
from gnomon.base.late import Late
from gnomon.base.settings import current
from gnomon.base.source import describe, function_name, named_after, user_place
from gnomon.base.tree import flatten_axes, tree_flatten, tree_leaves, tree_structure, tree_unflatten
from gnomon.ir.jaxpr import ClosedJaxpr, Jaxpr, Literal, forget_programs, intern
from gnomon.ops.convert import convert_element_type
from gnomon.ops.nested.call import Jit
from gnomon.ops.shape import zeros
from gnomon.passes.discharge import discharge
from gnomon.run.array import Array
from gnomon.run.client import local_devices
from gnomon.run.eager import forget_handlers
from gnomon.run.programs import call_for, call_of, placements_of, plan_for, written
from gnomon.run.ref import Ref, live, through_references
from gnomon.run.xla import Device
from gnomon.trace.context import local, named_axes, recording
from gnomon.trace.stage import Tracer, bind, evaluate_jaxpr, frame_of, inline, stage, value_of
from gnomon.trace.value import Value
from gnomon.types.effect import STATE
from gnomon.types.layout import Format
from gnomon.types.sharding import PartitionSpec, Sharding, SingleDeviceSharding
from gnomon.types.size import check_static, integer
from gnomon.types.value_type import RefType

type_of_array, placement_of_array = Array.type.__get__, Array.placement.__get__      # TypeError for what is no Array


class Entry:
    """One trace of a jitted function: its program, and how to call it."""

    __slots__ = ("jaxpr", "consts", "out_tree", "weak_matters", "retag", "refs", "forward", "rest", "donated", "calls", "name", "leaf", "op", "strong",
                 "args_tree", "plain")

    def __init__(self, jaxpr, consts, in_tree, out_tree, weak_matters, donated, name, retag=None, placed=False):
        self.args_tree = in_tree.children()[0]
        self.jaxpr, self.consts, self.out_tree = jaxpr, consts, out_tree
        self.weak_matters, self.retag, self.donated, self.name = weak_matters, retag, donated, name
        # outputs that are inputs passed through are not computed, unless they may have to be put elsewhere
        place = {v: i for i, v in enumerate(jaxpr.invars)}
        self.forward = None
        self.rest = jaxpr
        if not donated and not placed and any(v in place for v in jaxpr.outvars):
            self.forward = [place.get(v) for v in jaxpr.outvars]
            self.rest = intern(Jaxpr((), jaxpr.invars, jaxpr.eqns, [v for v in jaxpr.outvars if v not in place]))
        self.calls = {}             # placements of the arguments (None: all on the default device) -> what runs it there
        self.leaf = out_tree.num_leaves == 1 and out_tree.num_nodes == 1
        self.plain = self.leaf and self.forward is None and retag is None
        self.op = None
        self.strong = ()            # see `retyped_outputs`
        self.refs = RefType in map(type, jaxpr.in_types)        # whether it is given mutable references


lowering = Late("gnomon.lower.module")
compiling = Late("gnomon.run.compile")

remembering: weakref.WeakSet = weakref.WeakSet()    # the functions in use that `clear_caches` empties: the jitted ones, and more


def clear_caches():
    """Forget every trace and compiled program, of jitted functions and of calls outside a trace: all are traced anew at their next call.

    >>> traces = []
    >>> twice = jit(lambda x: traces.append(x) or x + x)
    >>> _ = twice(1.0), twice(2.0), clear_caches(), twice(3.0)
    >>> len(traces)
    2
    """
    for function in list(remembering):
        function.clear_cache()
    forget_handlers()
    forget_programs()


class Jitted:
    """A function compiled by XLA, as made by `jit`. Call it like the function it wraps."""

    def __init__(self, fun, options):
        self.fun, self.options = fun, options
        self.cache = {}             # (structure, settings, axes in scope, types, statics) -> Entry
        self.latest = {}            # types of arguments that are all Arrays -> (settings, axes in scope, Entry, its call), at the last call
        self.flat = {}              # (settings, axes in scope, types and static arguments) -> (Entry, positions of the arrays)
        self.by_strong = {}
        self.name = function_name(fun)
        self.simple = not (options.static_argnums or options.static_argnames or options.donate_argnums or options.donate_argnames)
        self.record = deque(maxlen=256)
        named_after(self, fun)
        remembering.add(self)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self):
        return f"<jitted function {self.name}>"

    # -- calling -----------------------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        try:
            types = None
            if len(args) == 1 and not kwargs:       # most often, arrays are arguments of their own
                given = args[0]
                if given.__class__ is Array:
                    types, placed = given.type, given.placement
            elif args and args[0].__class__ is Array and not kwargs:
                given = args
                try:
                    types, placed = (*map(type_of_array, args),), any(map(placement_of_array, args)) or None
                except TypeError:       # one that is no Array
                    pass
            known = self.latest.get(types)
            if known is not None:
                settings, axes, entry, one = known
                if settings is current.key and axes is local.axes_key and local.frame is None:
                    return one(given) if placed is None and one is not None else self.run(entry, args)
            if not self.simple:
                return self.call_with_options(args, kwargs)
            leaves, tree = tree_flatten((args, kwargs))
            try:
                entry = self.cache.get((tree, current.key, local.axes_key, *[x.type for x in leaves]))
            except AttributeError:
                entry = None
            if entry is None:
                return self.call_slowly(leaves, tree, args, kwargs, ())
            if local.frame is not None:
                return self.call_traced(entry, leaves)
            out = self.run(entry, leaves)
            if types is not None:
                one = entry.plain and not entry.consts and getattr(entry.calls.get(None), "one" if types.__class__ is tuple else "single", None)
                self.latest[types] = current.key, local.axes_key, entry, one or None
            return out
        except Exception as error:
            hide_frames(error)
            raise

    def run(self, entry, leaves):
        """Run a trace on Arrays."""
        if entry.consts:
            leaves = [*entry.consts, *leaves]
        if entry.refs:
            return self.run_on_refs(entry, leaves)
        try:
            places = (*map(placement_of_array, leaves),) if any(map(placement_of_array, leaves)) else None
            call = entry.calls.get(places)
            if call is None:
                call = entry.calls[places] = self.call_at(entry, places)
            outs = call(leaves)
        except (AttributeError, TypeError):
            if Tracer in map(type, leaves):         # where operations run at once, those on traced values are recorded
                with recording(frame_of(leaves)):
                    return self.call_traced(entry, leaves[len(entry.consts):])
            check_leaves(leaves, f"jit of {self.name}", lambda: [f"number {i}" for i in range(len(leaves))])
            raise
        if entry.plain:
            return outs[0]
        if entry.forward is not None:
            computed = iter(outs)
            outs = [next(computed) if i is None else leaves[i] for i in entry.forward]
        if entry.retag is not None:
            outs = [o if o.type is t else Array(t, o._buffer, o.placement, o._host) for o, t in zip(outs, entry.retag)]
        return outs[0] if entry.leaf else entry.out_tree.unflatten(outs)

    def run_on_refs(self, entry, leaves):
        """Run a trace that is given mutable references."""
        def run(made, arrays, donated):
            return call_for(made, placements_of(arrays), entry.name, donated, self.shardings(entry, len(made.outvars)),
                            self.options.compiler_options)(arrays)
        if Tracer in map(type, leaves):
            with recording(frame_of(leaves)):
                return self.call_traced(entry, leaves[len(entry.consts):])
        outs = through_references(entry.jaxpr, leaves, run, f"jit of {self.name}")
        return outs[0] if entry.leaf else entry.out_tree.unflatten(outs)

    def call_at(self, entry, places):
        """What runs a trace on Arrays that have these placements."""
        if not entry.rest.outvars and not entry.rest.effects:
            return _nothing
        return call_for(entry.rest, places, entry.name, entry.donated, self.shardings(entry), self.options.compiler_options)

    def shardings(self, entry, count=0):
        """What the user asked for, of inputs and of results; nothing for those behind the function's own, where there are `count`."""
        o = self.options
        if o.in_shardings is None and o.out_shardings is None:
            return None
        n_const = len(entry.consts)
        ins = outs = None
        if o.in_shardings is not None:
            ins = (None,) * n_const + tuple(_spread_shardings("jit in_shardings", entry.args_tree, o.in_shardings))
        if o.out_shardings is not None:
            outs = tuple(_spread_shardings("jit out_shardings", entry.out_tree, o.out_shardings))
            outs += (None,) * (count - len(outs))
        return ins, outs

    def call_traced(self, entry, leaves):
        """Record a call into the program being recorded."""
        if self.options.inline or not entry.jaxpr.eqns:
            outs = inline(entry.jaxpr, (), [*entry.consts, *leaves])
        else:
            if entry.op is None:
                entry.op = Jit(entry.jaxpr, entry.name, self.options.inline)
            outs = bind(entry.op, *entry.consts, *leaves)
        if entry.retag is not None:
            outs = [convert_element_type(o, t.dtype, t.weak_type) for o, t in zip(outs, entry.retag)]
        return outs[0] if entry.leaf else entry.out_tree.unflatten(outs)

    def call_slowly(self, leaves, tree, args, kwargs, statics, positions=None, donated=()):
        """Convert the arguments that are not Arrays, look again, and trace if this signature is new."""
        if current.disable_jit:
            return self.fun(*args, **kwargs)
        names = lazy_names(self.fun, args, kwargs, positions)
        try:
            values = as_values(leaves)
        except TypeError:
            check_leaves(leaves, f"jit of {self.name}", names)
            raise
        types = [v.type for v in values]
        key = (tree, current.key, local.axes_key, *types, *statics)
        entry = self.cache.get(key)
        if entry is None:
            entry = self.trace_entry(key, values, tree, statics, names, args, kwargs, donated)
        return self.call_traced(entry, values) if local.frame is not None else self.run(entry, values)

    def call_with_options(self, args, kwargs):
        o = self.options
        if current.disable_jit:
            return self.fun(*args, **kwargs)
        key = None
        if not kwargs:          # arrays and static arguments, by position: the call may be known as it stands
            key = (current.key, local.axes_key, *[a.type if a.__class__ is Array else (a.__class__, a) for a in args])
            try:
                known = self.flat.get(key)
            except TypeError:   # a static argument that is not hashable, or a tree
                known = key = None
            if known is not None and local.frame is None:
                entry, where = known
                return self.run(entry, [args[i] for i in where])
        dynamic, positions, statics, donated_args, kwargs_dynamic, donated_kwargs = self.sort_arguments(args, kwargs)
        leaves, tree = tree_flatten((dynamic, kwargs_dynamic))
        donated = self.donated_leaves(dynamic, positions, kwargs_dynamic, donated_args, donated_kwargs) if \
            (o.donate_argnums or o.donate_argnames) else ()
        out = self.call_slowly(leaves, tree, dynamic, kwargs_dynamic, statics, positions, donated)
        if key is not None and all(a.__class__ is Array for a in dynamic):
            entry = self.cache.get((tree, current.key, local.axes_key, *[a.type for a in dynamic], *statics))
            if entry is not None:
                self.flat[key] = entry, positions
        return out

    # -- arguments ---------------------------------------------------------------------------------------------

    def sort_arguments(self, args, kwargs):
        """Dynamic positional arguments and their positions, static ones as part of the key, donated ones."""
        nums, names, donate_nums, donate_names = self.resolved(len(args))
        statics, dynamic, positions = [], [], []
        for i, a in enumerate(args):
            if i in nums:
                statics.append(Static(i, a, self.fun))
            else:
                dynamic.append(a)
                positions.append(i)
        dynamic_kwargs = {}
        for k, v in kwargs.items():
            if k in names:
                statics.append(Static(k, v, self.fun))
            else:
                dynamic_kwargs[k] = v
        return tuple(dynamic), tuple(positions), tuple(statics), donate_nums, dynamic_kwargs, donate_names

    def resolved(self, n):
        """Static and donated positions and names for a call with n positional arguments."""
        o = self.options
        nums = frozenset(i % n if i < 0 and n else i for i in o.static_argnums)
        donate = frozenset(i % n if i < 0 and n else i for i in o.donate_argnums)
        return nums, o.static_argnames, donate, o.donate_argnames

    def donated_leaves(self, dynamic, positions, kwargs, donate_nums, donate_names):
        out, i = [], 0
        for position, a in zip(positions, dynamic):
            n = tree_structure(a).num_leaves
            if position in donate_nums:
                out.extend(range(i, i + n))
            i += n
        for k in sorted(kwargs):
            n = tree_structure(kwargs[k]).num_leaves
            if k in donate_names:
                out.extend(range(i, i + n))
            i += n
        return tuple(out)

    # -- tracing -----------------------------------------------------------------------------------------------

    def trace_entry(self, key, values, tree, statics, names, args, kwargs, donated=()):
        types = [v.type for v in values]
        strong_key = (tree, *key[1:3], *[t.strong for t in types], *statics)
        base = self.by_strong.get(strong_key)
        if base is not None and not base.weak_matters:
            retag = retyped_outputs(base.jaxpr, [*[c.type for c in base.consts], *types], base.strong)
            if retag is not None:
                entry = Entry(base.jaxpr, base.consts, tree, base.out_tree, False, base.donated, base.name, retag)
                entry.rest, entry.forward, entry.calls, entry.op = base.rest, base.forward, base.calls, base.op
                entry.plain = False
                self.cache[key] = entry
                return entry
        limit = self.options.max_traces
        if limit is not None and len(self.record) >= limit:
            probe = Trace(self.name, tuple(types), tree, statics, current.key, describe(user_place(3)), 0.0, len(self.record) + 1, ())
            why = "; ".join(differences(self.fun, nearest(probe, self.record), probe))
            raise RuntimeError(f"{self.name} may be traced {limit} times (max_traces) and this call needs one more: {why}.")
        entry = self.new_entry(types, tree, statics, names, donated)
        if entry.refs:
            check_refs(f"jit of {self.name}", values, entry.consts, names)
        if not any(c.__class__ is Tracer for c in entry.consts):
            self.cache[key] = entry
            self.by_strong.setdefault(strong_key, entry)
        return entry

    def new_entry(self, types, tree, statics, names, donated=()):
        if current.no_tracing:
            raise RuntimeError(f"re-tracing function {self.name} for jit, but 'no_tracing' is set: it was not traced yet for arguments of "
                               f"types {', '.join(map(str, types))}.")
        start = time.perf_counter()
        fun = self.fun if not statics else with_statics(self.fun, statics)
        flat = Flat(fun, tree)
        flat.fn = fun
        frame_out = []
        jaxpr, consts = stage(flat, types, name=self.name, kind="jit", arg_names=names, frames=frame_out)
        closed = intern(jaxpr.closed())
        shift = len(consts)
        weak_matters = frame_out[0].weak_matters or STATE in closed.effects
        placed = self.options.in_shardings is not None or self.options.out_shardings is not None
        entry = Entry(closed, list(consts), tree, flat.out_tree, weak_matters, tuple(i + shift for i in donated), self.name, placed=placed)
        entry.strong = positions_of(jaxpr, frame_out[0].strong)
        warn_of_constants(self.name, consts)
        note(self.record, self.fun, self.name, types, tree, statics, describe(user_place(3)), start)
        return entry

    # -- looking inside ----------------------------------------------------------------------------------------

    @entry_point
    def trace(self, *args, **kwargs):
        """The program for these arguments (arrays or ShapeDtypeStructs): a `Traced`."""
        dynamic, positions, statics, donate_nums, kw, donate_names = self.sort_arguments(args, kwargs)
        leaves, tree = tree_flatten((dynamic, kw))
        names = lazy_names(self.fun, dynamic, kw, positions)
        check_leaves(leaves, f"jit of {self.name}", names)
        types = [type_of(x) for x in leaves]
        donated = self.donated_leaves(dynamic, positions, kw, donate_nums, donate_names)
        entry = self.new_entry(types, tree, statics, names, donated)
        return Traced(self, entry, types, tree, leaves)

    def lower(self, *args, **kwargs):
        """The StableHLO for these arguments: a `Lowered`."""
        return self.trace(*args, **kwargs).lower()

    def eval_shape(self, *args, **kwargs):
        """The types of the result, as ShapeDtypeStructs."""
        return self.trace(*args, **kwargs).out_info

    def cache_report(self):
        """The traces of this function, each with the argument that made it necessary, where the call was and what it cost."""
        return Report(self.record)

    def clear_cache(self):
        """Forget all traces and compiled programs of this function."""
        self.cache.clear()
        self.latest.clear()
        self.flat.clear()
        self.by_strong.clear()

    def _cache_size(self):
        return len(self.cache)


def warn_of_constants(name, consts):
    """Tell of many bytes in the arrays that a function closes over."""
    limit = current.captured_constants_warn_bytes
    if limit >= 0 and consts:
        total = sum(c.type.size * c.type.dtype.itemsize for c in consts if c.__class__ is Array)
        if total > limit:
            announce(f"{name} closes over arrays of {total:,} bytes, which stay in memory as long as it does. Pass them as arguments, or "
                     "raise captured_constants_warn_bytes.")


def _nothing(leaves):
    return []


def _spread_shardings(what, tree, shardings):
    if shardings is None or isinstance(shardings, Sharding):
        return [shardings] * tree.num_leaves
    return [named(s, what) for s in flatten_axes(what, tree, shardings, whole="the arguments" if "in_" in what else "the output")]


def _checked_shardings(name, what, shardings):
    for s in tree_leaves(shardings):
        if not isinstance(s, (Sharding, PartitionSpec, Format)):
            raise TypeError(f"jit of {name}: {what} must be Shardings or PartitionSpecs, or a tree of them, but it holds {s!r} of type "
                            f"{type(s).__name__}.")
    return shardings


class Static:
    """A static argument as part of a cache key."""

    __slots__ = ("where", "value", "hash")

    def __init__(self, where, value, fun, caller="a jit function"):
        self.where, self.value = where, value
        try:
            self.hash = hash((where, value))
        except TypeError:
            name = f"argument {where if isinstance(where, str) else _argument_name(fun, where)} of {function_name(fun)}"
            if isinstance(value, Value):
                what = "a traced value" if isinstance(value, Tracer) else "an array"
                raise ValueError(f"Non-hashable static arguments are used in {caller}: {name} is {what} of "
                                 f"type {value.type}, whose numbers cannot be part of a signature. Give a Python number, or do not mark "
                                 "it static.") from None
            raise ValueError(f"Non-hashable static arguments are used in {caller}: {name} has type "
                             f"{type(value).__name__}, which is not hashable. Give it a __hash__ and __eq__ (a frozen dataclass has "
                             "both), or do not mark it static.") from None

    def __hash__(self):
        return self.hash

    def __eq__(self, other):
        return (other.__class__ is Static and self.where == other.where and type(self.value) is type(other.value)
                and bool(self.value == other.value))


def _argument_name(fun, i):
    try:
        parameters = list(inspect.signature(fun).parameters.values())
        return parameters[i].name if i < len(parameters) else f"number {i}"
    except (TypeError, ValueError):
        return f"number {i}"


def with_statics(fun, statics):
    """The function with its static arguments put back in place."""
    by_position = {s.where: s.value for s in statics if isinstance(s.where, int)}
    by_name = {s.where: s.value for s in statics if isinstance(s.where, str)}

    def call(*args, **kwargs):
        if by_position:
            rest, full_args = iter(args), []
            for i in range(len(args) + len(by_position)):
                full_args.append(by_position[i] if i in by_position else next(rest))
            args = full_args
        return fun(*args, **kwargs, **by_name)
    return named_after(call, fun)


def positions_of(jaxpr, variables):
    """Where some variables stand among all that a program defines."""
    return [i for i, v in enumerate(defined(jaxpr)) if v in variables] if variables else ()


def defined(jaxpr):
    """The variables of a program in order: inputs, then results of equations."""
    return itertools.chain(jaxpr.constvars, jaxpr.invars, *[e.outs for e in jaxpr.eqns])


def retyped_outputs(jaxpr, types, strong=()):
    """The output types of a program for inputs that differ in weak types only, or None where it would be another program.
    The variables at the positions `strong` were to be made strong and needed no equation for it.

    A Python number beside other operands is weak, though it was written down with the type of what it met."""
    env = dict(zip(jaxpr.invars, types))
    try:
        for e in jaxpr.eqns:
            alone = all([v.__class__ is Literal for v in e.ins])
            ins = tuple([env[v] if v.__class__ is not Literal else v.type if alone else weak_number(v) for v in e.ins])
            if e.op.holds_programs and any([t is not v.type for t, v in zip(ins, e.ins)]):
                return None         # types inside it differ, too
            out = e.op.infer(ins)
            for v, t in zip(e.outs, out if e.op.multiple else (out,)):
                if t.strong is not v.type.strong:
                    return None
                env[v] = t
    except (TypeError, ValueError):
        return None
    if strong:
        variables = list(defined(jaxpr))
        if any([env[variables[i]].weak_type for i in strong]):
            return None
    return [v.type if v.__class__ is Literal else env[v] for v in jaxpr.outvars]


def weak_number(literal):
    t = literal.type
    if t.weak_type or t.shape or literal.value.__class__ not in (int, float, complex):
        return t
    return t.update(weak_type=True)


# ---- stages -------------------------------------------------------------------------------------------------------

class ArgInfo:
    """What is known of an argument before the call: its type and whether it is donated."""

    __slots__ = ("aval", "donated")

    def __init__(self, aval, donated):
        self.aval, self.donated = aval, donated

    shape = property(lambda self: self.aval.shape)
    dtype = property(lambda self: self.aval.dtype)

    def __repr__(self):
        return f"ArgInfo({self.aval}, donated={self.donated})"


class Traced:
    """A function's program for some argument types: `.jaxpr`, `.out_info`, `.lower()`."""

    def __init__(self, jitted, entry, types, tree, leaves):
        self.jitted, self.entry, self.types, self.tree, self.leaves = jitted, entry, types, tree, leaves
        self.fun_name = jitted.name

    @property
    def jaxpr(self):
        j, n = self.entry.jaxpr, len(self.entry.consts)
        return ClosedJaxpr(Jaxpr(j.invars[:n], j.invars[n:], j.eqns, j.outvars), self.entry.consts)

    in_tree = property(lambda self: self.tree)
    out_tree = property(lambda self: self.entry.out_tree)
    in_avals = property(lambda self: tree_unflatten(self.tree, self.types))

    @property
    def out_info(self):
        return tree_unflatten(self.entry.out_tree, [ShapeDtypeStruct.of(t) for t in self.entry.jaxpr.out_types])

    @property
    def args_info(self):
        shift, donated = len(self.entry.consts), set(self.entry.donated)
        return tree_unflatten(self.tree, [ArgInfo(t, i + shift in donated) for i, t in enumerate(self.types)])

    @entry_point
    def lower(self, lowering_platforms=None, **options):
        return Lowered(self)


class Lowered:
    """A function's StableHLO for some argument types: `.as_text()`, `.compile()`."""

    def __init__(self, traced):
        self.traced = traced
        entry = traced.entry
        for t in traced.types:
            check_static(t.shape)
        # where references are given, the program of what they refer to, which gives their new values behind the function's
        jaxpr = self.jaxpr = discharge(entry.jaxpr)[0] if entry.refs else entry.jaxpr
        places = tuple([getattr(live(x) if x.__class__ is Ref else x, "placement", None) for x in (*entry.consts, *traced.leaves)])
        self.places = None if all(p is None for p in places) else places
        plan = plan_for(jaxpr, self.places, entry.name, entry.donated, traced.jitted.shardings(entry, len(jaxpr.outvars)),
                        traced.jitted.options.compiler_options)
        self.made, self.rows, self.plan, self.text, self.callbacks = written(jaxpr, plan, entry.name)

    args_info = property(lambda self: self.traced.args_info)
    out_info = property(lambda self: self.traced.out_info)
    in_tree = property(lambda self: self.traced.tree)
    out_tree = property(lambda self: self.traced.entry.out_tree)
    donate_argnums = property(lambda self: self.traced.entry.donated)

    def as_text(self, dialect=None, *, debug_info=False):
        """The StableHLO text; with `debug_info` each operation's name and the user's file and line stand behind it."""
        if debug_info:
            return lowering.write_module(self.made, self.plan, self.traced.entry.name, located=True)[0]
        return lowering.without_locations(self.text)

    def cost_analysis(self):
        return self.compile().cost_analysis()

    @entry_point
    def compile(self, compiler_options=None):
        """Compile: a `Compiled`, to be called with arguments of the same types."""
        plan = self.plan
        if self.callbacks or compiler_options:
            options = plan.compiler_options + _options("compile", compiler_options)
            plan = plan.replace(host_callbacks=self.callbacks, compiler_options=options)
        return Compiled(self, compiling.compile(self.text, plan))


class Compiled:
    """A compiled program. Its arguments must have the types that it was compiled for."""

    def __init__(self, lowered, executable):
        self.lowered, self.executable = lowered, executable
        self.run = call_of(executable, lowered.jaxpr, lowered.made, lowered.rows)

    args_info = property(lambda self: self.lowered.args_info)
    out_info = property(lambda self: self.lowered.out_info)
    in_tree = property(lambda self: self.lowered.in_tree)
    out_tree = property(lambda self: self.lowered.out_tree)

    @entry_point
    def __call__(self, *args, **kwargs):
        traced = self.lowered.traced
        jitted, entry = traced.jitted, traced.entry
        dynamic, _, _, _, kw, _ = jitted.sort_arguments(args, kwargs)
        leaves, tree = tree_flatten((dynamic, kw))
        if tree != traced.tree:
            raise TypeError(f"The compiled function {jitted.name} was compiled for arguments of structure {traced.tree} and called with "
                            f"{tree}.")
        if local.frame is not None and any(x.__class__ is Tracer for x in leaves):
            raise TypeError(f"Cannot apply JAX transformations to a function lowered and compiled for a particular signature: "
                            f"{jitted.name} was called with a traced value. Transform the function before compiling it.")
        values = as_values(leaves)
        for i, (v, t) in enumerate(zip(values, traced.types)):
            if v.type.strong is not t.strong:
                name = lazy_names(jitted.fun, dynamic, kw)()[i]
                raise TypeError("Argument types differ from the types for which this computation was compiled: argument "
                                f"{name} of {jitted.name} was compiled for {t} and called with {v.type}.")
        inputs = [*entry.consts, *values]
        outs = through_references(entry.jaxpr, inputs, lambda made, arrays, _: self.run(arrays), f"the compiled {jitted.name}", False) \
            if entry.refs else self.run(inputs)
        return entry.out_tree.unflatten(outs)

    def as_text(self):
        """The optimised HLO."""
        return self.executable.as_text()

    def cost_analysis(self):
        return self.executable.cost_analysis()

    def memory_analysis(self):
        return self.executable.memory_analysis()

    def runtime_executable(self):
        return self.executable.loaded

    @property
    def input_shardings(self):
        plan = self.executable.plan
        n = len(self.lowered.traced.entry.consts)
        found = plan.in_shardings or (None,) * len(self.lowered.traced.entry.jaxpr.invars)
        return tree_unflatten(self.in_tree, found[n:])


# ---- jit ------------------------------------------------------------------------------------------------------------

class Options:
    __slots__ = ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "in_shardings", "out_shardings", "inline",
                 "keep_unused", "compiler_options", "max_traces")


def _options(what, options):
    """Compiler options as pairs in the order of their names."""
    if not (options is None or isinstance(options, dict) and all(isinstance(k, str) for k in options)):
        raise TypeError(f"{what}: compiler_options must be a dictionary of names and values, got {options!r}.")
    return tuple(sorted((options or {}).items()))


@entry_point
def jit(fun=None, /, *, in_shardings=None, out_shardings=None, static_argnums=None, static_argnames=None, donate_argnums=None,
        donate_argnames=None, keep_unused=False, device=None, backend=None, inline=False, compiler_options=None, max_traces=None):
    """Compile a function with XLA.

    `fun` is traced once per signature (tree structure, types and static arguments); later calls with the same signature run the
    compiled program. Static arguments must be hashable and are part of the signature; donated arguments give their memory to the
    results. With `max_traces`, one more trace than that is an error that says which argument changed. Values computed inside have
    types and no numbers, so Python control flow on them is refused with the edit to make.

    >>> import gnomon.numpy as jnp
    >>> f = jit(lambda x: 2 * x + 1)
    >>> float(f(jnp.float32(3.0)))
    7.0
    """
    if fun is None:
        return functools.partial(jit, in_shardings=in_shardings, out_shardings=out_shardings, static_argnums=static_argnums,
                                 static_argnames=static_argnames, donate_argnums=donate_argnums, donate_argnames=donate_argnames,
                                 keep_unused=keep_unused, device=device, backend=backend, inline=inline, compiler_options=compiler_options,
                                 max_traces=max_traces)
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got {fun!r}: jit needs a function.")
    if inspect.isgeneratorfunction(fun):
        raise TypeError(f"Expected a function, got a generator function: {function_name(fun)}.")
    o = Options()
    nums, names = set(integers("jit", "static_argnums", static_argnums)), set(strings("jit", "static_argnames", static_argnames))
    donate, donate_names = set(integers("jit", "donate_argnums", donate_argnums)), set(strings("jit", "donate_argnames", donate_argnames))
    _check_arguments(fun, nums, names, "static")
    _check_arguments(fun, donate, donate_names, "donate")
    if nums & donate:
        raise ValueError(f"jit of {function_name(fun)}: static_argnums and donate_argnums cannot intersect, both have "
                         f"{sorted(nums & donate)}.")
    o.static_argnums, o.static_argnames = frozenset(nums), frozenset(names)
    o.donate_argnums, o.donate_argnames = frozenset(donate), frozenset(donate_names)
    if not (backend is None or isinstance(backend, str)):
        raise TypeError(f"jit of {function_name(fun)}: backend must be the name of a platform, such as 'cpu', got {backend!r}.")
    if device is not None or backend is not None:       # the older way to say where: everything is there
        device = local_devices(backend=backend)[0] if device is None else device
        if in_shardings is not None or out_shardings is not None:
            raise ValueError(f"jit of {function_name(fun)} takes either shardings or a device and backend, and was given both. Leave out the latter.")
        if not isinstance(device, Device):
            raise TypeError(f"jit of {function_name(fun)}: device must be one of gnomon.devices(), got {device!r}.")
        in_shardings = out_shardings = SingleDeviceSharding(device)
    name = function_name(fun)
    o.in_shardings = _checked_shardings(name, "in_shardings", in_shardings)
    o.out_shardings = _checked_shardings(name, "out_shardings", out_shardings)
    o.keep_unused = flag(keep_unused, "jit", "keep_unused")
    o.inline = inline is Inline.JAX_EARLY if isinstance(inline, Inline) else flag(inline, "jit", "inline")
    o.max_traces = None if max_traces is None else integer(max_traces, "jit", "max_traces")
    if max_traces is not None and (o.max_traces < 1 or isinstance(max_traces, bool)):
        raise ValueError(f"jit takes a number of traces from 1 on, or None, as max_traces, got {max_traces!r}.")
    o.compiler_options = _options("jit", compiler_options)
    return Jitted(fun, o)


def _check_arguments(fun, nums, names, what):
    """Complete positions by names and names by positions, from the function's signature; refuse what it has not."""
    try:
        parameters = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):
        return
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    keywords = any(p.kind is p.VAR_KEYWORD for p in parameters)
    known = {p.name for p in parameters}
    for name in names:
        if name not in known and not keywords:
            raise ValueError(f"jit of {function_name(fun)} has {what}_argnames={name!r}, but the function has no such argument; it has "
                             f"{', '.join(sorted(known)) or 'none'}.")
    for i in nums:
        if not variadic and not -len(positional) <= i < len(positional):
            raise ValueError(f"jit of {function_name(fun)} has {what}_argnums={i}, but the function takes {len(positional)} positional "
                             "arguments.")
    given_nums, given_names = set(nums), set(names)
    for i in given_nums:
        j = i if i >= 0 else i + len(positional)
        if 0 <= j < len(positional) and not variadic:
            names.add(positional[j])
            nums.discard(i)
            nums.add(j)
    for name in given_names:
        if name in positional:
            nums.add(positional.index(name))


# ---- make_jaxpr, eval_shape ---------------------------------------------------------------------------------------

def make_jaxpr(fun, static_argnums=(), axis_env=None, return_shape=False, abstracted_axes=None):
    """A function that returns the program of `fun` for its arguments, which may be ShapeDtypeStructs.

    `axis_env` gives (name, size) pairs of named axes that are in scope. `abstracted_axes` is Refused.

    >>> print(make_jaxpr(lambda x: x * 2.0)(1.0))
    { lambda ; a:f32[]. let b:f32[] = mul a 2.0:f32[] in (b,) }
    """
    if not callable(fun):
        raise TypeError(f"make_jaxpr needs a function, got {type(fun).__name__}.")
    static = integers("make_jaxpr", "static_argnums", static_argnums)
    if abstracted_axes is not None:
        raise Refused("make_jaxpr takes no abstracted_axes; give it ShapeDtypeStructs of the shapes that matter")
    return_shape, axes = flag(return_shape, "make_jaxpr", "return_shape"), _named_sizes(axis_env)

    @entry_point
    def make_jaxpr_f(*args, **kwargs):
        for i in static:
            if not -len(args) <= i < len(args):
                raise ValueError(f"make_jaxpr of {function_name(fun)}: static_argnums names argument {i}, but it was called with {len(args)} "
                                 "positional arguments.")
        nums = {i % len(args) for i in static}
        if nums:
            full_args = args
            positions = [i for i in range(len(args)) if i not in nums]
            args = tuple(full_args[i] for i in positions)

            def call(tree_args):
                some, kw = tree_args
                rest = iter(some)
                return fun(*[a if i in nums else next(rest) for i, a in enumerate(full_args)], **kw)
        else:
            positions, call = None, None
        leaves, tree = tree_flatten((args, kwargs))
        names = lazy_names(fun, args, kwargs, positions)
        check_leaves(leaves, "make_jaxpr", names)
        flat = Flat(fun, tree, call)
        with named_axes(axes):
            jaxpr, consts = stage(flat, [type_of(x) for x in leaves], name=function_name(fun), kind="make_jaxpr", arg_names=names)
        closed = ClosedJaxpr(jaxpr, consts)
        if return_shape:
            return closed, tree_unflatten(flat.out_tree, [ShapeDtypeStruct.of(t) for t in jaxpr.out_types])
        return closed
    return named_after(make_jaxpr_f, fun, "make_jaxpr")


def _named_sizes(axis_env):
    """The pairs of an axis_env as a dictionary."""
    try:
        found = {name: integer(size, "make_jaxpr", "size of an axis in axis_env") for name, size in axis_env or ()}
    except (TypeError, ValueError) as error:
        raise TypeError(f"make_jaxpr: axis_env must be a list of pairs (name of an axis, its size), got {axis_env!r}.") from error
    if any(isinstance(size, int) and size < 0 for size in found.values()):
        raise ValueError(f"make_jaxpr: an axis in axis_env has a negative size: {axis_env!r}.")
    return found


class OfTypes(Flat):
    """A function of whose results only the types count, so that they may be types already."""

    def as_output(self, x, i, out):
        return value_of(zeros(x.type)) if isinstance(x, ShapeDtypeStruct) else super().as_output(x, i, out)


@entry_point
def eval_shape(fun, *args, **kwargs):
    """The types of `fun(*args, **kwargs)` as ShapeDtypeStructs, without computing anything.

    >>> import gnomon.numpy as jnp
    >>> eval_shape(lambda x: x[None], jnp.ones(3))
    ShapeDtypeStruct(shape=(1, 3), dtype=float32)
    """
    check_functions("eval_shape", fun=fun)
    leaves, tree = tree_flatten((args, kwargs))
    names = lazy_names(fun, args, kwargs)
    check_leaves(leaves, "eval_shape", names)
    flat = OfTypes(fun, tree)
    jaxpr, _ = stage(flat, [type_of(x) for x in leaves], name=function_name(fun), kind="eval_shape", arg_names=names)
    return tree_unflatten(flat.out_tree, [ShapeDtypeStruct.of(t) for t in jaxpr.out_types])


def typeof(x):
    """The type of an array, traced value or number: shape, dtype, sharding, memory.

    >>> str(typeof(1.0))
    'float32[]'
    """
    return type_of(x)


def eval_jaxpr(jaxpr, consts, *args):
    """The outputs of a program for these arguments."""
    return inline(jaxpr, consts, as_values(args)) if local.frame is not None else evaluate_jaxpr(jaxpr, consts, as_values(args))
