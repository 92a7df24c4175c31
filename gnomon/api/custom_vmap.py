"""custom_vmap: functions whose batching their author gives."""
from __future__ import annotations

import functools

from gnomon.api.control import map as map_over
from gnomon.api.custom import _positional, outer_values, with_outer
from gnomon.api.function import Flat, as_values, check_functions, check_leaves, check_returned, lazy_names, where_traced
from gnomon.base.frames import entry_point
from gnomon.base.lists import merge, partition
from gnomon.base.source import function_name, named_after
from gnomon.base.tree import flatten_axes, tree_flatten, tree_unflatten
from gnomon.ir.jaxpr import intern
from gnomon.ops.nested.custom_vmap import CustomVmapCall, VmapRule
from gnomon.trace.build import with_literals
from gnomon.trace.context import local
from gnomon.trace.stage import Tracer, bind, stage, value_of


class custom_vmap:
    """A function with a batching rule of its own, for use as a decorator; `def_vmap` gives the rule.

    The rule is called with (size of the mapped axis, a list that says of each argument's leaves whether they are mapped,
    *arguments), the mapped ones with that axis in front, and returns the outputs and whether each is mapped (one bool for a whole
    tree will do), again in front.

    >>> import gnomon, gnomon.numpy as jnp
    >>> @custom_vmap
    ... def f(x):
    ...     return x + 1
    >>> @f.def_vmap
    ... def f_vmap(size, in_batched, x):
    ...     return x + 10, True
    >>> float(f(0.0)), gnomon.vmap(f)(jnp.zeros(2)).tolist()
    (1.0, [10.0, 10.0])
    """

    vmap_rule = None

    def __init__(self, fun):
        check_functions("custom_vmap", fun=fun)
        named_after(self, fun)
        self.fun = fun
        self.rules = {}

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def def_vmap(self, vmap_rule):
        """Give the rule."""
        check_functions("def_vmap", vmap_rule=vmap_rule)
        self.vmap_rule = vmap_rule
        self.rules.clear()
        return vmap_rule

    @entry_point
    def __call__(self, *args, **kwargs):
        name = function_name(self.fun)
        if self.vmap_rule is None:
            raise AttributeError(f"No batching rule defined for custom_vmap function {name} using def_vmap.")
        if local.frame is None:
            traced, out = where_traced(self, args, kwargs)
            return out if traced else self.fun(*args, **kwargs)
        args = _positional(self.fun, args, kwargs)
        leaves, tree = tree_flatten(args)
        names = lazy_names(self.fun, args, {})
        check_leaves(leaves, f"custom_vmap function {name}", names)
        values = as_values(leaves)
        flat = Flat(self.fun, tree, lambda some: self.fun(*some))
        jaxpr, captured = stage(flat, [v.type for v in values], name=name, kind="custom_vmap", arg_names=names)
        jaxpr, consts = with_outer(jaxpr, captured, self.vmap_rule)
        call, n = intern(jaxpr.closed()), len(consts)
        key = self.vmap_rule, tree, flat.out_tree, n, call.in_types
        traced = any(x.__class__ is Tracer for x in consts)
        rule = None if traced else self.rules.get(key)
        if rule is None:
            rule = UserVmapRule(self, tree, flat.out_tree, call.in_types, call.out_types, consts)
            if not traced:
                self.rules[key] = rule
        outs = bind(CustomVmapCall(call, rule, name, n), *consts, *values)
        return tree_unflatten(flat.out_tree, outs)


class UserVmapRule(VmapRule):
    """A custom_vmap rule, staged when it is needed, once per set of mapped inputs."""

    def __init__(self, owner, in_tree, out_tree, in_types, out_types, consts):
        self.name, self.rule = function_name(owner.fun), owner.vmap_rule
        self.in_tree, self.out_tree, self.in_types, self.out_types = in_tree, out_tree, in_types, out_types
        self.consts = outer_values(consts)
        self.memo = {}

    def program(self, T, batching, batched):
        key = batching.key(), batched
        if key not in self.memo:
            self.memo[key] = self.stage(batching, batched)
        return self.memo[key]

    def stage(self, batching, batched):
        out_batched = []
        name = f"custom_vmap rule {function_name(self.rule)} for function {self.name}"

        n = len(self.consts)

        def run(*xs):
            args = tree_unflatten(self.in_tree, xs[n:])
            out = self.rule(batching.size, list(tree_unflatten(self.in_tree, batched[n:])), *args)
            if not isinstance(out, (tuple, list)) or len(out) != 2:
                raise TypeError(f"The {name} must return a pair (outputs, whether each output is mapped), but it returned {out!r}.")
            leaves, tree = tree_flatten(out[0])
            if tree != self.out_tree:
                raise ValueError(f"The {name} must return outputs of structure {self.out_tree}, like the function, but they have {tree}.")
            flags = [out[1]] * len(leaves) if isinstance(out[1], bool) else flatten_axes(
                f"{name}: whether each output is mapped", tree, out[1], whole="the outputs")
            out_batched[:] = [bool(b) for b in flags]
            check_returned(leaves, f"The {name}")
            values = [value_of(x) for x in leaves]
            for i, (x, t, b) in enumerate(zip(values, self.out_types, out_batched)):
                want = batching.insert(t, 0) if b else t
                if x.type.shape != want.shape or x.type.dtype != want.dtype:
                    raise ValueError(f"The {name} returned output {i} as {x.type} where {want} was expected: the function's is {t}, and "
                                     f"the rule says that it is {'' if b else 'not '}mapped, over {batching.size} lanes.")
            return values
        types = [batching.insert(t, 0) if b else t for t, b in zip(self.in_types, batched)]
        known = [x for x in self.consts if x is not None]
        jaxpr, captured = stage(run, types, name=function_name(self.rule), kind="custom_vmap", captured=known)
        return intern(with_literals(jaxpr, captured, self.consts)), tuple(out_batched)


def sequential_vmap(f):
    """A function that vmap runs once per lane, one after the other, instead of batching what is in it.

    >>> import gnomon, gnomon.numpy as jnp
    >>> gnomon.vmap(sequential_vmap(lambda x: x * 2))(jnp.arange(3)).tolist()
    [0, 2, 4]
    """
    mapped = custom_vmap(f)

    def rule(size, in_batched, *args):
        leaves, tree = tree_flatten(args)
        which = tree_flatten(tuple(in_batched))[0]
        fixed, moving = partition(which, leaves)
        out = map_over(lambda xs: f(*tree_unflatten(tree, merge(which, fixed, xs))), moving)
        return out, True
    mapped.def_vmap(rule)
    return mapped
