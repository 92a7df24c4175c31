"""Ref: a mutable reference to an array.

Outside a trace it holds an Array, and writing puts another in its place: Arrays themselves never change, and what was read before stays
as it was. Inside a trace it holds the traced value of type `Ref{...}` that stands for it in the program.
"""
from __future__ import annotations

import sys

from gnomon.base.errors import ConcretizationTypeError
from gnomon.base.frames import entry_point
from gnomon.base.settings import current
from gnomon.ir.jaxpr import Jaxpr, intern
from gnomon.ops.convert import convert_element_type
from gnomon.ops.refs import Addupdate, Get, Indexing, Swap
from gnomon.ops.shape import Copy
from gnomon.passes.discharge import discharge, twice
from gnomon.run.programs import call_for, placements_of, single_op_program, watched
from gnomon.trace.context import local, runtime
from gnomon.trace.stage import Tracer, bind, leaked, literal, scalar_type, value_of
from gnomon.types.dtype import join
from gnomon.types.value_type import RefType


COPY = Copy()


class RefMeta(type):
    """So that `isinstance(x, Ref)` is true of a reference by its type, too, as it stands in programs."""

    def __instancecheck__(cls, x):
        return type.__instancecheck__(cls, x) or x.__class__ is Tracer and x.type.__class__ is RefType


class Ref(metaclass=RefMeta):
    """A mutable reference to an array, as made by `new_ref`: `ref[index]` reads, `ref[index] = value` and `ref[index] += value` write.

    It has the shape and dtype of the array. Functions given it, or closing over it, change it, under jit and in loops too.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> total = gnomon.new_ref(jnp.zeros(2))
    >>> @gnomon.jit
    ... def count(x):
    ...     total[...] += x
    >>> count(jnp.ones(2)); count(jnp.ones(2))
    >>> total
    Ref([2., 2.], dtype=float32)
    """

    __slots__ = ("type", "held", "__weakref__")
    placement = None            # the Array has one; a call with references finds it there

    def __init__(self, type, held):
        self.type, self.held = type, held

    shape = property(lambda self: self.type.shape)
    dtype = property(lambda self: self.type.dtype)
    ndim = property(lambda self: self.type.ndim)
    size = property(lambda self: self.type.size)
    weak_type = property(lambda self: self.type.inner.weak_type)
    aval = property(lambda self: self.type)
    sharding = property(lambda self: live(self).sharding)
    committed = property(lambda self: live(self).committed)
    format = property(lambda self: live(self).format)

    @property
    def at(self):
        """`ref.at[index]`: the part of the array at an index, to read, write or add to."""
        return At(self)

    @entry_point
    def __getitem__(self, index):
        return read(self, index)

    @entry_point
    def __setitem__(self, index, value):
        write(self, index, value)

    @entry_point
    def addupdate(self, x, idx=...):
        """Add `x` at an index. Where the index names a place several times, each time counts."""
        accumulate(self, idx, x)

    def unsafe_buffer_pointer(self):
        """The address of the array's memory now."""
        return live(self).unsafe_buffer_pointer()

    def block_until_ready(self):
        """Wait until the array is computed."""
        live(self).block_until_ready()
        return self

    def __len__(self):
        return len(self.type.inner)

    def __repr__(self):
        if self.held.__class__ is Tracer:
            return f"Traced<{self.type}>"
        return f"Ref(freed, {self.type.inner})" if self.held is None else "Ref" + repr(self.held).removeprefix("Array")

    def __iter__(self):
        raise TypeError(f"a mutable reference of type {self.type} is not iterated over; iterate over its value, ref[...]")

    def __bool__(self):
        raise TypeError(not_an_array(self.type))

    def __array__(self, *args, **kwargs):
        raise TypeError(not_an_array(self.type))


class At:
    """`ref.at`: takes an index."""

    __slots__ = ("ref",)

    def __init__(self, ref):
        self.ref = ref

    def __getitem__(self, index):
        return Part(self.ref, index)


class Part:
    """A part of what a reference refers to, at an index."""

    __slots__ = ("ref", "index")

    def __init__(self, ref, index):
        self.ref, self.index = ref, index

    @entry_point
    def get(self):
        """The elements."""
        return read(self.ref, self.index)

    @entry_point
    def set(self, value):
        """Write other elements."""
        write(self.ref, self.index, value)

    @entry_point
    def swap(self, value):
        """Write other elements, and give those that were there."""
        return swap(self.ref, self.index, value)

    @entry_point
    def addupdate(self, x):
        """Add to the elements."""
        accumulate(self.ref, self.index, x)

    @entry_point
    def __getitem__(self, index):
        return read(self.ref, self.index)[index]

    @entry_point
    def __setitem__(self, index, value):
        write(self.ref, self.index, read(self.ref, self.index).at[index].set(value))


def not_an_array(t):
    return f"a mutable reference of type {t} is not an array; read it first: ref[...]"


def live(ref):
    """The Array that a reference holds outside a trace; an error where it is freed or traced."""
    x = ref.held
    if x is None:
        raise freed(ref)
    if x.__class__ is Tracer and x.frame.closed:
        raise leaked(x)
    return x


def freed(ref):
    return ValueError(f"The mutable reference of type {ref.type} was freed with free_ref. Make another with new_ref.")


def now(ref):
    """The Array of a reference, where an operation runs at once; None where it is to be recorded."""
    x = live(ref)
    if local.frame is not None:
        return None
    if x.__class__ is Tracer:
        raise ConcretizationTypeError(f"An operation that has to run at once was given a mutable reference of type {ref.type}, which is "
                                      "traced. Move the operation out of ensure_compile_time_eval.")
    return x


def read(ref, index):
    """ref[index]."""
    x = now(ref)
    if x is not None:
        return x[index]
    form, given = Indexing.prepare(ref, index)
    return bind(Get(form), ref, *given)


def write(ref, index, value):
    """ref[index] = value."""
    value = fitted(ref, value)
    form, given = Indexing.prepare(ref, index)
    x = now(ref)
    if x is not None:
        ref.held = as_type(Indexing.write(x, form, given, value), ref.type.inner)
    else:
        bind(Swap(form), ref, value, *given)


def swap(ref, index, value):
    """The elements at an index, with others put in their place."""
    value = fitted(ref, value)
    x = now(ref)
    if x is not None:
        old = x[index]
        write(ref, index, value)
        return old
    form, given = Indexing.prepare(ref, index)
    return bind(Swap(form), ref, value, *given)


def accumulate(ref, index, value):
    """Add at an index, as often as a place is named."""
    value = fitted(ref, value)
    form, given = Indexing.prepare(ref, index)
    x = now(ref)
    if x is not None:
        ref.held = as_type(Indexing.add(x, form, given, value), ref.type.inner)
    else:
        bind(Addupdate(form), ref, value, *given)


def fitted(ref, value):
    """A value in the dtype of what a reference refers to; TypeError where that would change it."""
    inner = ref.type.inner
    if isinstance(value, Ref):
        raise TypeError(not_an_array(value.type))
    x = value if value.__class__ in NUMBERS else value_of(value)
    t = scalar_type(x) if x is value and x.__class__ in NUMBERS else x.type
    if t.dtype != inner.dtype:
        try:
            dtype = join((t.dtype, t.weak_type), (inner.dtype, False), x64=current.enable_x64)[0]
        except TypeError:
            dtype = None
        if dtype != inner.dtype:
            raise TypeError(f"A value of type {t} does not fit into a mutable reference of type {ref.type}. Convert it with "
                            f".astype({str(inner.dtype)!r}) to say that you mean it.")
    if x.__class__ in NUMBERS:
        return value_of(literal(NUMBER_OF[inner.dtype.kind](x) if inner.dtype.kind in NUMBER_OF else x, inner.with_shape(())))
    return as_type(x, inner)


NUMBERS = (bool, int, float, complex)
NUMBER_OF = {"f": float, "c": complex, "V": float}


def as_type(x, t):
    """A value with the dtype and the weakness of a type."""
    return convert_element_type(x, t.dtype, t.weak_type)


def of_tracer(tracer):
    """The reference that stands before the user for a traced one."""
    return Ref(tracer.type, tracer)


runtime.reference = of_tracer


# ---- programs that are given references ---------------------------------------------------------------------------

def through_references(jaxpr, arrays, run, name, donates=True):
    """The outputs of a closed program some of whose inputs are references, which then hold what it wrote to them.

    `run(program, arrays, donated)` runs a program of arrays, which may reuse the memory of those numbered in `donated` (none unless
    `donates`); `name` is the user's function, for messages."""
    passed = {k: jaxpr.invars.index(v) for k, v in enumerate(jaxpr.outvars) if v.type.__class__ is RefType}
    if passed:          # a reference kept for the backward pass
        rest = intern(Jaxpr((), jaxpr.invars, jaxpr.eqns, [v for k, v in enumerate(jaxpr.outvars) if k not in passed]))
        outs = iter(through_references(rest, arrays, run, name, donates))
        return [arrays[passed[k]] if k in passed else next(outs) for k in range(len(jaxpr.outvars))]
    made, written = discharge(jaxpr)
    given = [a for a in arrays if a.__class__ is Ref]
    if len(set(map(id, given))) < len(given):
        again = next(a for i, a in enumerate(given) if any(a is b for b in given[:i]))
        raise ValueError(twice(name, again.type))
    donated = ready_to_donate(made, arrays, written) if donates else ()
    outs = run(made, [live(a) if a.__class__ is Ref else a for a in arrays], donated)
    n = len(outs) - len(written)
    for i, value in zip(written, outs[n:]):
        arrays[i].held = value
    return outs[:n]


LARGE = 1 << 18         # bytes from which on a reference's memory is written in place


def ready_to_donate(made, arrays, written):
    """Which inputs a program of values writes in place: large arrays of references that it writes to. One that somebody else holds, too,
    is copied first, so that what was read stays as it was and there is one compiled program."""
    if made.effects or watched():        # a run that may end in an error must leave them as they were
        return ()
    inner = [arrays[i].type.inner for i in written]
    donated = tuple([i for i, t in zip(written, inner) if t.size * t.dtype.itemsize >= LARGE])
    for i in donated:
        ref = arrays[i]
        if not held_alone(ref):
            held = ref.held
            ref.held, = call_for(single_op_program(COPY, (held.type,)), placements_of([held]), "copy")([held])
    return donated


def held_alone(ref):
    """Whether nobody but the reference holds its array and the array's memory."""
    held = live(ref)
    buffer = held._buffer
    # one reference each for where it is kept, the variable here, and the argument of getrefcount
    if buffer is None or sys.getrefcount(held) > 3:
        return False
    held._host = None       # a view of the buffer, made anew where it is needed
    return sys.getrefcount(buffer) <= 3


def ref_handler(op, types):
    """Runs an op on mutable references, now."""
    programs = {}

    def run(arrays):
        first = {}
        which = tuple([first.setdefault(id(a), i) if a.__class__ is Ref else i for i, a in enumerate(arrays)])
        jaxpr = programs.get(which)
        if jaxpr is None:
            jaxpr = programs[which] = single_op_program(op, types, which)
        outs = through_references(jaxpr, [a for i, a in enumerate(arrays) if which[i] == i],
                                  lambda made, values, donated: call_for(made, placements_of(values), op.name, donated)(values),
                                  op.user_name)
        return outs if op.multiple else outs[0]
    return run

