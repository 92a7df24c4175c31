"""Indexing: `x[...]` and `x.at[...]`."""
from __future__ import annotations

import numpy as np

from gnomon.api.jit import jit
from gnomon.numpy.index_plan import HasMask, Known, form_of, reader, without_masks
from gnomon.ops.shape import expand_dims
from gnomon.run.array import Array, aligned_copy
from gnomon.run.placement import default_placement
from gnomon.trace.context import local
from gnomon.trace.stage import Tracer
from gnomon.types.dtype import KeyDtype
from gnomon.types.value_type import ArrayType

SIMPLE = frozenset([int, slice, type(None), type(Ellipsis)])
LARGE = 1 << 16         # bytes from which a view is not kept, as it would keep all of the memory it looks at
HOST_SIZE = 4096        # elements up to which NumPy gathers more quickly than a compiled program
_ndarray = np.ndarray
_asarray = np.asarray


# ---- reading ------------------------------------------------------------------------------------------------------

def getitem(x, index):
    """`x[index]` for an Array or tracer, with every index that NumPy takes except lists.

    Static integers must be in range (IndexError); places in arrays and traced scalars that are out of range are moved to
    the nearest one. Arrays of booleans must be concrete, since the shape depends on them."""
    if x.__class__ is Array and local.frame is None:
        cls = index.__class__
        if cls is int or cls is slice or cls is tuple and is_simple(index):
            host = x._host
            if host is None:
                host = host_of(x)
            if host is not None:
                t = x.type
                if t.sharding is None and t.memory is None and t.dtype.__class__ is not KeyDtype:
                    try:
                        view = host[index]
                    except (IndexError, TypeError):
                        return general(x, index)        # which says what is wrong
                    return from_view(x, t, host, view)
    return general(x, index)


def is_simple(index):
    """Whether a tuple holds Python integers, slices, None and Ellipsis only."""
    for e in index:
        if e.__class__ not in SIMPLE:
            return False
    return True


def host_of(x):
    """The numbers of an Array where NumPy can look at them without a copy, else None."""
    where = x.placement
    return x.host() if (default_placement() if where is None else where).on_host else None


def from_view(x, t, host, view):
    """An Array of what NumPy read from the numbers of `x`."""
    if view.__class__ is not _ndarray:
        view = _asarray(view)
    elif view.nbytes < host.nbytes > LARGE:
        view = aligned_copy(view, t.dtype)
    return Array(ArrayType(view.shape, t.dtype, t.weak_type), None, x.placement, view)


def general(x, index):
    """The same by planning."""
    try:
        form, given = form_of(index)
    except HasMask:
        shape, new_axes, index = without_masks(x.type.shape, index)
        x = expand_dims(x, new_axes)
        form, given = form_of(index)
    plan = reader(x.type, form)
    if local.frame is not None:
        return plan.read(x, given)
    return plan.read(x, given)
