"""Calls back into Python from a compiled program: pure_callback, io_callback, debug_callback."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.dims import insert_dim
from gnomon.ir.op import ZERO, Op, field
from gnomon.ops.shape import expand_dims, reshape
from gnomon.ops.slicing import concatenate, slice_in_dim
from gnomon.trace.stage import bind
from gnomon.types.effect import CALLBACK, ORDERED_CALLBACK, PURE

NO_RULE = Refused("Python code has no derivative; give the function around it a custom_jvp or custom_vjp rule, or put stop_gradient on "
                  "its inputs")


class Callback(Op, abstract=True):
    """Base of callbacks: `callback` takes NumPy arrays and returns a sequence of NumPy arrays of types `result_types`."""

    multiple = True
    holds_programs = True       # a callable is kept only as long as a program that calls it

    def result(self, *ins):
        return self.result_types

    def lower(self, emit, *xs):
        types = self.result_types

        def call(*arrays):
            outs = self.callback(*arrays)
            if not types:
                return ()
            return tuple([checked(o, t) for o, t in zip(outs, types, strict=True)])
        return emit.python_callback(call, xs, types, self.effects == ORDERED_CALLBACK)



def element(x, i, axis):
    """x[i] along an axis."""
    shape = x.type.shape
    return reshape(slice_in_dim(x, i, i + 1, axis), (*shape[:axis], *shape[axis + 1:]))


def checked(x, t):
    """A callback's result as NumPy array of the type it was declared with."""
    x = np.asarray(x)
    if x.shape != t.shape or x.dtype != t.dtype:
        if x.shape != t.shape or not np.can_cast(x.dtype, t.dtype, "same_kind"):
            raise RuntimeError(f"a Python callback returned an array of shape {x.shape} and dtype {x.dtype} where it declared {t}")
        x = x.astype(t.dtype)
    return np.asarray(x, order="C")


class PureCallback(Callback):
    """A Python function without side effects; it may be called any number of times, or not at all."""

    callback: object
    result_types: tuple = field(show="never")
    vmap_method: object = field(None)
    sharding: object = field(None, show="nondefault")

    effects = PURE
    derivative = NO_RULE
    transpose = NO_RULE

    def batch(self, args, axes, batching):
        return batched_call(self, args, axes, batching, self.vmap_method)


VMAP_METHODS = (None, "sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized")


def batched_call(op, args, axes, batching, method):
    """How an op whose insides are not known is batched, as its user says: once per lane, or once with a leading axis."""
    if method == "sequential":
        return batching.one_by_one(op, args, axes)
    if method == "sequential_unrolled":
        lanes = [bind(op, *[x if a is None else element(x, i, a) for x, a in zip(args, axes)]) for i in range(batching.size)]
        return [concatenate([expand_dims(y, (0,)) for y in ys], 0) for ys in zip(*lanes)], [0] * len(op.result_types)
    if method is None:
        raise Refused(f"{op.user_name} cannot be batched without being told how; give it vmap_method='sequential' (once per lane) or "
                      "'expand_dims' / 'broadcast_all' (what is called takes a leading axis)")
    wide = []
    for x, a in zip(args, axes):
        if a is None and method == "legacy_vectorized":
            wide.append(x)
        elif a is None and method == "expand_dims":
            wide.append(expand_dims(x, (0,)))
        else:
            wide.append(batching.front(x, a))
    types = tuple(insert_dim(t, 0, batching.size) for t in op.result_types)
    outs = bind(op.replace(result_types=types), *wide)
    return outs, [0] * len(outs)


class IoCallback(Callback):
    """A Python function with side effects."""

    callback: object
    result_types: tuple = field(show="never")
    ordered: bool = field(False)

    derivative = NO_RULE
    transpose = NO_RULE

    @property
    def effects(self):
        return ORDERED_CALLBACK if self.ordered else CALLBACK

    def batch(self, args, axes, batching):
        if self.ordered:
            raise Refused("an ordered io_callback cannot be batched, since the lanes have no order; use ordered=False")
        return batching.one_by_one(self, args, axes)


class DebugCallback(Callback):
    """A Python function called for its side effects; it returns nothing and is not differentiated."""

    callback: object
    ordered: bool = field(False)

    result_types = ()
    derivative = ZERO
    transpose = Refused("it returns nothing, so it is never part of a linear program")

    @property
    def effects(self):
        return ORDERED_CALLBACK if self.ordered else CALLBACK

    def batch(self, args, axes, batching):
        return batching.one_by_one(self, args, axes)
