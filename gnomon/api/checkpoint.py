"""checkpoint (remat): compute again in the backward pass instead of keeping."""
from __future__ import annotations

import functools

from gnomon.api.function import Flat, as_values, check_leaves, lazy_names
from gnomon.base.source import function_name
from gnomon.base.tree import tree_flatten, tree_unflatten
from gnomon.ir.jaxpr import intern
from gnomon.ops.dot import DotGeneral
from gnomon.ops.nested.remat import Checkpoint, Name, checkpoint_name as _name_value
from gnomon.trace.context import local
from gnomon.trace.stage import bind, stage, value_of


def checkpoint(fun=None, *, prevent_cse=True, policy=None, static_argnums=(), concrete=False):
    """A function whose intermediate values are computed again in the backward pass; only its inputs are kept.

    `policy(op, *types, **parameters)` may say of further values that they are kept: see `checkpoint_policies`.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> float(gnomon.grad(checkpoint(lambda x: jnp.sin(jnp.sin(x))))(0.0))
    1.0
    """
    if fun is None:
        return functools.partial(checkpoint, prevent_cse=prevent_cse, policy=policy, static_argnums=static_argnums)
    static = {static_argnums} if isinstance(static_argnums, int) else set(static_argnums)

    def checkpointed(*args, **kwargs):
        if local.frame is None:
            return fun(*args, **kwargs)
        nums = {i % len(args) for i in static} if args else set()
        dynamic = [i for i in range(len(args)) if i not in nums]
        chosen = tuple(args[i] for i in dynamic)

        def call(tree_args):
            some, kw = tree_args
            rest = iter(some)
            return fun(*[a if i in nums else next(rest) for i, a in enumerate(args)], **kw)
        leaves, tree = tree_flatten((chosen, kwargs))
        names = lazy_names(fun, chosen, kwargs, dynamic)
        check_leaves(leaves, "checkpoint", names)
        values = as_values(leaves)
        flat = Flat(fun, tree, call)
        jaxpr, captured = stage(flat, [v.type for v in values], name=function_name(fun), kind="checkpoint", arg_names=names)
        outs = bind(Checkpoint(intern(jaxpr.closed()), policy, prevent_cse), *captured, *values)
        return tree_unflatten(flat.out_tree, outs)
    try:
        functools.update_wrapper(checkpointed, fun)
    except Exception:               # a callable object may have odd attributes
        pass
    return checkpointed


remat = checkpoint


def checkpoint_name(x, name):
    """The values of a tree, with a name that policies refer to."""
    leaves, tree = tree_flatten(x)
    return tree_unflatten(tree, [_name_value(value_of(v), name) for v in leaves])


class checkpoint_policies:
    """Policies for `checkpoint`: which values the backward pass may keep."""

    @staticmethod
    def everything_saveable(op, *types, **parameters):
        """Keep everything: no recomputation."""
        return True

    @staticmethod
    def nothing_saveable(op, *types, **parameters):
        """Keep nothing but the inputs (the default)."""
        return False

    @staticmethod
    def dots_saveable(op, *types, **parameters):
        """Keep the results of matrix products."""
        return op is DotGeneral

    checkpoint_dots = dots_saveable

    @staticmethod
    def dots_with_no_batch_dims_saveable(op, *types, **parameters):
        """Keep the results of matrix products without batch dimensions."""
        return op is DotGeneral and not parameters["dimension_numbers"][1][0]

    checkpoint_dots_with_no_batch_dims = dots_with_no_batch_dims_saveable

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


class _Named:
    """Policies by name; equal for equal names, so that equal programs stay equal."""

    def __init__(self, names, those, unnamed):
        self.key = names, those, unnamed

    def __call__(self, op, *types, **parameters):
        names, those, unnamed = self.key
        if op is not Name:
            return unnamed
        return (parameters["name_"] in names) == those

    def __eq__(self, other):
        return other.__class__ is _Named and self.key == other.key

    def __hash__(self):
        return hash(self.key)


class _Either:
    def __init__(self, first, second):
        self.key = first, second

    def __call__(self, op, *types, **parameters):
        return any(bool(p(op, *types, **parameters)) for p in self.key)

    def __eq__(self, other):
        return other.__class__ is _Either and self.key == other.key

    def __hash__(self):
        return hash(self.key)
