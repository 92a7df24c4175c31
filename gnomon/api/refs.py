"""Mutable references to arrays: making them, and reading and writing them by functions."""
from __future__ import annotations

from gnomon.api.function import type_of
from gnomon.base.errors import Refused
from gnomon.base.frames import entry_point
from gnomon.ops.refs import EmptyRef, FreeRef, Freeze, NewRef
from gnomon.ops.shape import zeros
from gnomon.run import ref as refs
from gnomon.run.array import Array
from gnomon.run.ref import Ref, live, of_tracer
from gnomon.trace.context import local
from gnomon.trace.stage import bind, value_of
from gnomon.types.value_type import ArrayType, RefType


@entry_point
def new_ref(init_val, *, memory_space=None, kind=None, pin=False):
    """A mutable reference to an array that starts as `init_val`: an array or a number.

    The reference keeps the shape and dtype. Inside a traced function it lasts as long as the function; functions cannot return it.

    >>> import gnomon.numpy as jnp
    >>> ref = new_ref(jnp.zeros(3))
    >>> ref[1] = 5.0
    >>> ref[...] += 1
    >>> ref
    Ref([1., 6., 1.], dtype=float32)
    """
    if isinstance(init_val, Ref):
        raise TypeError(f"new_ref takes an array, but it was given a mutable reference of type {init_val.type}. Read it first: ref[...].")
    if kind is not None or pin:
        raise Refused("new_ref keeps no reference of another kind, or pinned; leave `kind` and `pin` out")
    try:
        x = value_of(init_val)
    except TypeError:
        raise TypeError(f"new_ref takes an array or a number, got {type(init_val).__name__}: {init_val!r}.") from None
    if local.frame is None:
        return Ref(RefType(x.type), x)
    return of_tracer(bind(NewRef(kind, memory_space), x))


@entry_point
def empty_ref(ty, memory_space=None, pin=False):
    """A mutable reference to an array of the type of `ty` (a ShapeDtypeStruct, a type or an array) about whose numbers nothing is promised.

    >>> import gnomon
    >>> empty_ref(gnomon.ShapeDtypeStruct((2,), "float32")).shape
    (2,)
    """
    t = ty if isinstance(ty, ArrayType) else type_of(ty)
    if local.frame is None:
        return Ref(RefType(t), value_of(zeros(t)))
    return of_tracer(bind(EmptyRef(memory_space, t)))


@entry_point
def free_ref(ref):
    """End the use of a mutable reference: using it afterwards is an error.

    >>> ref = new_ref(1.0)
    >>> free_ref(ref)
    >>> ref[...]
    Traceback (most recent call last):
    ValueError: The mutable reference of type Ref{float32[]} was freed with free_ref. Make another with new_ref.
    """
    ref = need_ref("free_ref", ref)
    if live(ref).__class__ is not Array:
        bind(FreeRef(), ref)
    ref.held = None


@entry_point
def freeze(ref):
    """The array that a mutable reference refers to, at the end of its use.

    >>> ref = new_ref(1.0)
    >>> ref[...] = 2.0
    >>> float(freeze(ref))
    2.0
    """
    ref = need_ref("freeze", ref)
    x = live(ref)
    return x if x.__class__ is Array and local.frame is None else bind(Freeze(), ref)


def need_ref(what, x):
    if type(x) is not Ref:
        name = type(x).__name__ if not hasattr(x, "type") else f"a value of type {x.type}"
        raise TypeError(f"{what} takes a mutable reference, got {name}. Make one with new_ref.")
    return x


@entry_point
def get(ref, idx=None):
    """`ref[idx]`; the whole array where `idx` is None.

    >>> import gnomon.numpy as jnp
    >>> get(new_ref(jnp.arange(3)), 1).item()
    1
    """
    return refs.read(need_ref("ref.get", ref), ... if idx is None else idx)


@entry_point
def set(ref, idx, value):
    """`ref[idx] = value`; the value is broadcast to what is indexed.

    >>> import gnomon.numpy as jnp
    >>> ref = new_ref(jnp.zeros(2))
    >>> set(ref, 0, 3.0)
    >>> ref[...].tolist()
    [3.0, 0.0]
    """
    refs.write(need_ref("ref.set", ref), ... if idx is None else idx, value)


@entry_point
def swap(ref, idx, value, _function_name="ref_swap"):
    """The elements at an index, with `value` put in their place.

    >>> ref = new_ref(1.0)
    >>> float(swap(ref, ..., 2.0)), float(ref[...])
    (1.0, 2.0)
    """
    return refs.swap(need_ref("ref.swap", ref), ... if idx is None else idx, value)


@entry_point
def addupdate(ref, idx, x):
    """Add `x` to the elements at an index; where the index names a place several times, each time counts.

    >>> import gnomon.numpy as jnp
    >>> ref = new_ref(jnp.zeros(2))
    >>> addupdate(ref, jnp.array([0, 0]), 1.0)
    >>> ref[...].tolist()
    [2.0, 0.0]
    """
    refs.accumulate(need_ref("ref.addupdate", ref), ... if idx is None else idx, x)
