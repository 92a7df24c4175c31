"""checkpoint (remat): compute again in the backward pass instead of keeping."""
from __future__ import annotations

import functools

from gnomon.api.function import Flat, as_values, check_leaves, lazy_names, where_traced
from gnomon.base.arguments import flag, integers, strings
from gnomon.base.errors import Refused
from gnomon.base.frames import entry_point
from gnomon.base.source import describe, function_name, named_after
from gnomon.base.tree import tree_flatten, tree_unflatten
from gnomon.ir.jaxpr import intern
from gnomon.ops.dot import DotGeneral
from gnomon.ops.nested.call import Call
from gnomon.ops.nested.remat import Checkpoint, Name, Offloadable, checkpoint_name as _name_value
from gnomon.trace.context import local
from gnomon.trace.stage import bind, stage, value_of
from gnomon.transforms import linearize
from gnomon.types.memory import Space


@entry_point
def checkpoint(fun=None, *, prevent_cse=True, policy=None, static_argnums=(), static_argnames=(), concrete=False):
    """A function whose intermediate values are computed again in the backward pass; only its inputs are kept.

    `policy(primitive, *types, **parameters)` may say of further values that they are kept: see `checkpoint_policies`.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> float(gnomon.grad(checkpoint(lambda x: jnp.sin(jnp.sin(x))))(0.0))
    1.0
    """
    if fun is None:
        return functools.partial(checkpoint, prevent_cse=prevent_cse, policy=policy, static_argnums=static_argnums,
                                 static_argnames=static_argnames)
    if not callable(fun):
        raise TypeError(f"checkpoint needs a function, got {type(fun).__name__}.")
    if concrete:
        raise Refused("checkpoint takes no concrete=True; name the arguments that steer Python in static_argnums")
    if policy is not None and not callable(policy):
        raise TypeError(f"checkpoint: policy must be a function, such as those of checkpoint_policies, got {policy!r}.")
    static, static_names = set(integers("checkpoint", "static_argnums", static_argnums)), set(strings("checkpoint", "static_argnames", static_argnames))
    if isinstance(prevent_cse, (list, tuple)):
        prevent_cse = any([flag(x, "checkpoint", "each entry of prevent_cse") for x in prevent_cse])
    prevent_cse = flag(prevent_cse, "checkpoint", "prevent_cse")

    @entry_point
    def checkpointed(*args, **kwargs):
        if local.frame is None:
            traced, out = where_traced(checkpointed, args, kwargs)
            return out if traced else fun(*args, **kwargs)
        for i in static:
            if not -len(args) <= i < len(args):
                raise ValueError(f"checkpoint of {function_name(fun)}: static_argnums names argument {i}, but it was called with {len(args)} "
                                 "positional arguments.")
        nums = {i % len(args) for i in static} if args else set()
        dynamic = [i for i in range(len(args)) if i not in nums]
        chosen = tuple(args[i] for i in dynamic)
        held = {k: v for k, v in kwargs.items() if k in static_names}
        kwargs = {k: v for k, v in kwargs.items() if k not in static_names}

        def call(tree_args):
            some, kw = tree_args
            rest = iter(some)
            return fun(*[a if i in nums else next(rest) for i, a in enumerate(args)], **kw, **held)
        leaves, tree = tree_flatten((chosen, kwargs))
        names = lazy_names(fun, chosen, kwargs, dynamic)
        check_leaves(leaves, "checkpoint", names)
        values = as_values(leaves)
        flat = Flat(fun, tree, call)
        jaxpr, captured = stage(flat, [v.type for v in values], name=function_name(fun), kind="checkpoint", arg_names=names)
        outs = bind(Checkpoint(intern(jaxpr.closed()), policy, prevent_cse), *captured, *values)
        return tree_unflatten(flat.out_tree, outs)
    return named_after(checkpointed, fun)


remat = checkpoint


def checkpoint_name(x, name):
    """The values of a tree, with a name that policies refer to."""
    leaves, tree = tree_flatten(x)
    return tree_unflatten(tree, [_name_value(value_of(v), name) for v in leaves])


@entry_point
def print_saved_residuals(f, *args, **kwargs):
    """Print what the reverse pass of `f` at these arguments would keep: each value's type and where it comes from.

    >>> print_saved_residuals(lambda x: x * x * x, 2.0)  # doctest: +SKIP
    f32[] from the argument x
    f32[] output of mul from loss.py:1 (<lambda>)
    """
    leaves, tree = tree_flatten((args, kwargs))
    names = lazy_names(f, args, kwargs)
    check_leaves(leaves, "print_saved_residuals", names)
    values = as_values(leaves)
    flat = Flat(f, tree)
    jaxpr, captured = stage(flat, [v.type for v in values], name=function_name(f), kind="linearize", arg_names=names, values=values)
    n = len(captured)
    closed = intern(jaxpr.closed())
    early, _, _, count = linearize(closed, (False,) * n + (True,) * len(values))
    argument = dict(zip(early.invars[n:], names()))
    for v in early.outvars[len(early.outvars) - count:]:
        e = producer(early, v)
        if v in argument:
            origin = f"from the argument {argument[v]}"
        elif e is None:
            origin = "from a constant"
        elif isinstance(e.op, Name):
            origin = f"named {e.op.name_!r} from {describe(e.place)}"
        else:
            origin = f"output of {e.op.op_name} from {describe(e.place)}"
        print(f"{v.type.short()} {origin}")


def producer(jaxpr, v):
    """The equation that makes a variable, inside of calls too, or None."""
    for e in jaxpr.eqns:
        if v in e.outs:
            inner = isinstance(e.op, Call) and producer(e.op.jaxpr, e.op.jaxpr.outvars[e.outs.index(v)])
            return inner or e
    return None


class checkpoint_policies:
    """Policies for `checkpoint`: which values the backward pass may keep."""

    @staticmethod
    def everything_saveable(primitive, *types, **parameters):
        """Keep everything: no recomputation."""
        return True

    @staticmethod
    def nothing_saveable(primitive, *types, **parameters):
        """Keep nothing but the inputs (the default)."""
        return False

    @staticmethod
    def dots_saveable(primitive, *types, **parameters):
        """Keep the results of matrix products."""
        return primitive.op is DotGeneral

    checkpoint_dots = dots_saveable

    @staticmethod
    def dots_with_no_batch_dims_saveable(primitive, *types, **parameters):
        """Keep the results of matrix products without batch dimensions."""
        return primitive.op is DotGeneral and not parameters["dimension_numbers"][1][0]

    checkpoint_dots_with_no_batch_dims = dots_with_no_batch_dims_saveable

    @staticmethod
    def offload_dot_with_no_batch_dims(offload_src, offload_dst):
        """Keep the results of matrix products without batch dimensions in the memory `offload_dst` ("pinned_host")."""
        return _OffloadDots(_offload("offload_dot_with_no_batch_dims", offload_src, offload_dst))

    @staticmethod
    def save_and_offload_only_these_names(*, names_which_can_be_saved, names_which_can_be_offloaded, offload_src, offload_dst):
        """Keep the values with these names, the latter in the memory `offload_dst` ("pinned_host"). ValueError if a name is in both."""
        saved, offloaded = frozenset(names_which_can_be_saved), frozenset(names_which_can_be_offloaded)
        if saved & offloaded:
            raise ValueError("save_and_offload_only_these_names: the names of values to be saved and to be offloaded must differ, but "
                             f"{', '.join(sorted(saved & offloaded))} is in both.")
        return _SaveAndOffload(saved, offloaded, _offload("save_and_offload_only_these_names", offload_src, offload_dst))

    @staticmethod
    def save_only_these_names(*names):
        """Keep the values with these names (see `checkpoint_name`)."""
        return _Named(frozenset(names), True, False)

    @staticmethod
    def save_any_names_but_these(*names):
        """Keep the values that have another name than these."""
        return _Named(frozenset(names), False, False)

    @staticmethod
    def save_anything_except_these_names(*names):
        """Keep everything but the values with these names."""
        return _Named(frozenset(names), False, True)

    @staticmethod
    def save_from_both_policies(first, second):
        """Keep what either policy keeps."""
        return _Either(first, second)


def _offload(what, src, dst):
    """The answer that moves a value; the memories must be there."""
    for name, memory in (("offload_src", src), ("offload_dst", dst)):
        if memory not in (Space.Device.value, Space.Host.value):
            raise ValueError(f"{what}: {name} must be 'device' or 'pinned_host', got {memory!r}.")
    return Offloadable(src, dst)


class _Policy:
    """Policies that are equal for equal parameters, so that equal programs stay equal."""

    def __init__(self, *key):
        self.key = key

    def __eq__(self, other):
        return other.__class__ is self.__class__ and self.key == other.key

    def __hash__(self):
        return hash(self.key)


class _Named(_Policy):
    """By name: (names, whether those are kept or the others, whether values without a name are)."""

    def __call__(self, primitive, *types, **parameters):
        names, those, unnamed = self.key
        if primitive.op is not Name:
            return unnamed
        return (parameters["name_"] in names) == those


class _Either(_Policy):
    def __call__(self, primitive, *types, **parameters):
        first, second = [p(primitive, *types, **parameters) for p in self.key]
        return first or second


class _OffloadDots(_Policy):
    def __call__(self, primitive, *types, **parameters):
        return checkpoint_policies.dots_with_no_batch_dims_saveable(primitive, *types, **parameters) and self.key[0]


class _SaveAndOffload(_Policy):
    def __call__(self, primitive, *types, **parameters):
        saved, offloaded, move = self.key
        if primitive.op is not Name:
            return False
        return move if parameters["name_"] in offloaded else parameters["name_"] in saved
