"""Eager ops: what fills the runtime slot of trace/context.py.

A small op with a `host` rule runs in NumPy on the arrays' zero-copy views; all others run as a compiled program, one per
(op, types), remembered.
"""
from __future__ import annotations

import operator

import numpy as np

from gnomon.base.announce import announce
from gnomon.base.late import Late
from gnomon.base.settings import current, watch
from gnomon.ir.jaxpr import Literal
from gnomon.lower.text import physical
from gnomon.run import guard
from gnomon.run.array import Array, from_numpy_copy
from gnomon.run.client import default_backend
from gnomon.run.placement import new_placement
from gnomon.run.programs import call_for, placements_of, single_op_program
from gnomon.run.ref import Ref, live, ref_handler
from gnomon.run.xla import QUICK_COMPILE
from gnomon.trace.context import recording, runtime
from gnomon.trace.stage import Tracer, bind, frame_of, last_uses, scalar_type
from gnomon.types.dtype import canonicalize, float0, is_integer, is_key
from gnomon.types.effect import STATE
from gnomon.types.value_type import ArrayType, RefType

STEPS = 4               # so many small ops in NumPy are quicker than a call through the runtime
HOST_SIZE = 4096        # elements up to which NumPy on one core is quicker than a call through the runtime

type_of = operator.attrgetter("type")

_handlers: dict = {}
finite = Late("gnomon.run.finite")
key_reuse = Late("gnomon.run.key_reuse")


def evaluate(op, args):
    """Run one op on Arrays (or what can be made one), now."""
    arrays = True
    for a in args:
        cls = a.__class__
        if cls is not Array:
            if cls is Tracer:       # recorded where it belongs, as under ensure_compile_time_eval
                with recording(frame_of(args)):
                    return bind(op, *args)
            arrays = False
    if not arrays:
        args = [a if a.__class__ is Array else constant(a) for a in args]
    handler = _handlers.get((op, args[0].type) if len(args) == 1 else (op, *map(type_of, args)))
    if handler is None:
        handler = handler_for(op, tuple(map(type_of, args)))
    return handler(args)


def handler_for(op, types):
    """What runs an op on arrays of these types, remembered."""
    handler = make_handler(op, types)
    if _watching:
        handler = key_reuse.checked_handler(finite.watched_handler(handler, op), op, types)
    _handlers[op, *types] = handler
    return handler


def forget_handlers():
    """Make what runs single ops anew when they are next used."""
    _handlers.clear()


_watching = False       # whether debug_nans, debug_infs or debug_key_reuse were ever asked for


def _watch(wanted):
    """From the first time on that a setting asks for it, handlers look at their results and keys while it does."""
    global _watching
    if wanted and not _watching:
        _watching = True
        forget_handlers()


for _name in ("debug_nans", "debug_infs", "debug_key_reuse"):
    watch(_name, _watch)
    _watch(getattr(current, _name))


def make_handler(op, types):
    """The function that runs an op on arrays of these types."""
    out = op.infer(types)
    if STATE in op.effects or RefType in map(type, types):
        return ref_handler(op, types)
    compiled = compiled_handler(op, types)
    if op.multiple or default_backend() != "cpu" or not in_numpy(op, types, out):
        return compiled
    if any(is_key(t.dtype) for t in (*types, out)):
        if op.on_keys and op.aligned:
            return compiled         # a comparison of keys compares all their words
        return host_handler_of_keys(op, types, out, compiled)
    return host_handler(op, types, out, compiled)


def host_handler(op, types, out, compiled):
    host, shape, dtype = op.host, out.shape, out.dtype
    floats = dtype.kind == "f" and op.host_warns

    def run(arrays):
        views = []
        for a in arrays:
            if a.placement is not None:
                return compiled(arrays)
            view = a._host
            views.append(a.host() if view is None else view)
        if floats:
            with np.errstate(all="ignore"):
                result = host(*views)
        else:
            result = host(*views)
        if result is NotImplemented:
            _handlers[(op, *types)] = compiled
            return compiled(arrays)
        if result.__class__ is not np.ndarray:
            result = np.asarray(result)
        assert result.shape == shape and result.dtype == dtype, (op, result.shape, result.dtype, out)
        return Array(out, None, None, result)
    return run


def in_numpy(op, types, out):
    """Whether an op of one result runs in NumPy on a CPU, given values of these types."""
    if op.host is None or out.sharding is not None or sum(t.size for t in (*types, out)) > HOST_SIZE:
        return False
    return all(is_key(t.dtype) or t.dtype.kind in "biuf" for t in (*types, out))


def host_program(jaxpr):
    """What runs a closed program of one result on arrays in NumPy, op by op on the bare numbers, or None where a part of it does not run
    there. It gives None where NumPy declines the numbers that it meets. What no array is needed for is computed once."""
    if default_backend() != "cpu" or len(jaxpr.outvars) != 1 or jaxpr.outvars[0] not in {v for e in jaxpr.eqns for v in e.outs}:
        return None
    places = {v: i for i, v in enumerate(jaxpr.invars)}
    numbers, steps, last = [], [], last_uses(jaxpr)     # `numbers` holds what is known, from place len(invars) on

    def known(value):
        numbers.append(value)
        return len(jaxpr.invars) + len(numbers) - 1

    todo = []
    for e, ending in zip(jaxpr.eqns, last):
        if e.op.multiple or any(is_key(v.type.dtype) for v in (*e.ins, *e.outs)) or not in_numpy(e.op, [v.type for v in e.ins], e.outs[0].type):
            return None
        if e.outs[0] in ending:         # nobody needs it
            continue
        ins = [known(constant(v).host()) if v.__class__ is Literal else places.get(v) for v in e.ins]
        if any(i is None or i < len(jaxpr.invars) for i in ins):
            todo.append((e, ins))
            continue
        with np.errstate(all="ignore"):
            value = e.op.host(*[numbers[i - len(jaxpr.invars)] for i in ins])
        if value is NotImplemented:
            return None
        places[e.outs[0]] = known(np.asarray(value))
    for count, (e, _) in enumerate(todo, len(jaxpr.invars) + len(numbers)):
        places[e.outs[0]] = count
    if len(todo) > STEPS:
        return None
    steps = [(e.op.host, [places[v] if i is None else i for v, i in zip(e.ins, ins)]) for e, ins in todo]
    result, out = places[jaxpr.outvars[0]], jaxpr.outvars[0].type
    shared = bool(numbers)

    def run(arrays):
        values = [a.host() if (view := a._host) is None else view for a in arrays]
        values += numbers
        with np.errstate(all="ignore"):
            for host, ins in steps:
                value = host(*[values[i] for i in ins])
                if value.__class__ is not np.ndarray:
                    if value is NotImplemented:
                        return None
                    value = np.asarray(value)
                values.append(value)
        value = values[result]
        assert value.shape == out.shape and value.dtype == out.dtype, (jaxpr, value.shape, value.dtype)
        if shared and (not steps or value.base is not None):      # memory of numbers that the next call uses again
            value = value.copy()
        return Array(out, None, None, value)
    return run


def host_handler_of_keys(op, types, out, compiled):
    """The same where there are keys: an op on keys takes and gives their words; one that moves data about is handed each
    key as one element, a piece of memory."""
    def element(t):
        return None if op.on_keys or not is_key(t.dtype) else np.dtype(f"V{t.dtype.itemsize}")
    elements, shape, dtype = [element(t) for t in types], *physical(out)

    def run(arrays):
        if any(a.placement is not None for a in arrays):
            return compiled(arrays)
        views = [a.host() if e is None else np.ascontiguousarray(a.host()).view(e).reshape(a.type.shape)
                 for a, e in zip(arrays, elements)]
        result = op.host(*views)
        if result is NotImplemented:
            _handlers[(op, *types)] = compiled
            return compiled(arrays)
        result = np.ascontiguousarray(result)
        return Array(out, None, None, result.view(dtype).reshape(shape))
    return run


def compiled_handler(op, types):
    """Runs an op as a compiled program."""
    jaxpr, latest = None, (None, None)          # settings, and what ran with them where all arguments are on the default device
    multiple = op.multiple
    # slower code, sooner ready; a program of the user's, or a large result, gets the code that a compiled function would
    outs = op.infer(types) if multiple else (op.infer(types),)
    quick = not op.holds_programs and sum(t.size for t in (*types, *outs)) <= HOST_SIZE
    options = QUICK_COMPILE if quick else ()

    def run(arrays):
        nonlocal jaxpr, latest
        settings, call = latest
        places = None
        for a in arrays:
            if a.placement is not None:
                places = placements_of(arrays)
                break
        if places is None and settings is current.key:
            return call(arrays)
        jaxpr = jaxpr or single_op_program(op, types)
        call = call_for(jaxpr, places, op.name, options=options, watch=False)
        if not multiple:
            call = getattr(call, "one", None) or first_of(call)
        if places is None:
            latest = current.key, call
        return call(arrays)
    return run


def first_of(call):
    """What gives the one result of `call` by itself."""
    return lambda arrays: call(arrays)[0]


def constant(x):
    """An Array of a scalar, a NumPy array or a Literal."""
    cls = x.__class__
    if cls is Array:
        return x
    if cls is Literal:
        return x.value if x.type.shape else number_array(x)
    if cls is Tracer:
        frame_of((x,))
        return x
    if cls in (bool, int, float, complex):
        t = scalar_type(x)
        if current.transfer_guard_host_to_device is not None:
            guard.check("host_to_device", t)
        return scalar_array(x, t)
    if isinstance(x, np.generic):
        x = np.asarray(x)
    if isinstance(x, np.ndarray):
        return array_of(x)
    if cls is Ref:              # as an operand: ops that take arrays refuse it
        held = live(x)
        return held if held.__class__ is Tracer else x
    if hasattr(x, "__gnomon_array__"):
        return x.__gnomon_array__()
    if hasattr(x, "__jax_array__"):
        return constant(x.__jax_array__())
    if hasattr(x, "__array__"):
        return array_of(np.asarray(x))
    raise TypeError(f"A value of type {cls.__name__} is not an array: got {x!r}. Give an array, a NumPy array or a number.")


_numbers: dict = {}
NUMBERS_KEPT = 1024


def number_array(literal):
    """The Array of a number that stands in a program; those met before are kept, with the buffers that were made of them."""
    value = literal.value
    key = literal.type, value if value else repr(value)         # 0.0 and -0.0 are equal
    found = _numbers.get(key)
    if found is None or found._host is None or current.default_device is not None:
        found = scalar_array(value, literal.type)
        if current.default_device is None:
            if len(_numbers) >= NUMBERS_KEPT:
                _numbers.clear()
            _numbers[key] = found
    return found


def scalar_array(value, t):
    if is_integer(t.dtype) and value.__class__ is int:
        info = np.iinfo(t.dtype) if t.dtype.kind in "iu" else None
        if info is not None and not info.min <= value <= info.max:
            raise OverflowError(f"The Python integer {value} does not fit in {t.dtype}. Give it a dtype that holds it "
                                "(enable_x64 for 64 bits).")
    if current.default_device is not None:
        return Array(t, None, new_placement(), np.array(value, t.dtype))
    return Array(t, None, None, np.array(value, t.dtype))


def array_of(x):
    """An Array with a NumPy array's numbers, narrowed to 32 bits where x64 is off."""
    dtype = x.dtype
    wanted = canonicalize(dtype, current.enable_x64)
    if wanted is float0:
        x = np.zeros(x.shape, bool)
    elif wanted != dtype:
        x = narrow(x, wanted)
    t = ArrayType(x.shape, wanted)
    if current.transfer_guard_host_to_device is not None:
        guard.check("host_to_device", t)
    out = from_numpy_copy(x, t)
    if current.default_device is not None:
        out.placement = new_placement()
    return out


def narrow(x, wanted, what="A NumPy array"):
    """The numbers in the narrower dtype; announced, and loudly where integers change."""
    if wanted.kind in "iu" and x.size:
        info = np.iinfo(wanted)
        if x.min() < info.min or x.max() > info.max:
            announce(f"{what} of {x.dtype} with shape {x.shape}{{argument}} holds values that do not fit in {wanted}; they wrap around. "
                     "Set enable_x64, or convert it yourself.", always=True, about=x)
            return x.astype(wanted)
    if x.ndim == 0:         # a NumPy scalar, such as np.sqrt gives: it counts as the number that it is
        with np.errstate(all="ignore"):
            return x.astype(wanted)
    announce(f"{what} of {x.dtype} with shape {x.shape}{{argument}} becomes {wanted}, since enable_x64 is off. Set enable_x64 to keep it, or "
             f"convert it with .astype({str(wanted)!r}) to say that you mean it.", about=x)
    with np.errstate(all="ignore"):
        return x.astype(wanted)


runtime.evaluate = evaluate
runtime.constant = constant
runtime.is_array = lambda x: x.__class__ is Array
