"""Functions that a compiler or a platform may have an implementation of its own for."""
from __future__ import annotations

from gnomon.api.control import branch, share_captured, staged
from gnomon.api.function import as_values, check_leaves
from gnomon.base.source import function_name
from gnomon.base.tree import keystr, tree_flatten, tree_flatten_with_path, tree_unflatten
from gnomon.lower.text import attribute_pairs
from gnomon.ops.nested.composed import Composite
from gnomon.ops.platform import PlatformIndex
from gnomon.trace.stage import bind

__all__ = ["composite", "platform_dependent"]


def composite(decomposition, name, version=0):
    """A function that does what `decomposition` does, and tells the compiler that this is the operation `name` in this
    version, so that a compiler that knows it may run its own implementation.

    Positional arguments are trees of arrays. Keyword arguments are attributes of the operation, passed on to
    `decomposition`: numbers, strings, NumPy arrays, dtypes, lists and dicts of these; None is left out. Derivatives and
    batches are those of `decomposition`. TypeError for other attributes.

    >>> def scaled(x, *, factor):
    ...     return x * factor
    >>> float(composite(scaled, "my.scaled", version=1)(3.0, factor=2.0))
    6.0
    """
    if not callable(decomposition) or not isinstance(name, str):
        raise TypeError(f"composite takes a function and the name of an operation, got {decomposition!r} and {name!r}.")
    if not isinstance(version, int):
        raise TypeError(f"composite takes an integer as the version of {name}, got {version!r}.")

    def call(*args, **attributes):
        pairs = attribute_pairs({key: value for key, value in attributes.items() if value is not None},
                                lambda key: f"composite: the attribute {key} of {name} cannot be handed to the compiler")
        leaves, tree = tree_flatten(args)
        check_leaves(leaves, f"The composite {name}", lambda: [f"args{keystr(p)}" for p, _ in tree_flatten_with_path(args)[0]])
        values = as_values(leaves)
        jaxpr, captured, out_tree = staged(decomposition, tree, [v.type for v in values], "composite",
                                           lambda xs: decomposition(*xs, **attributes))
        (jaxpr,), captured = share_captured([(jaxpr, captured)])
        return tree_unflatten(out_tree, bind(Composite(jaxpr, name, version, pairs), *captured, *values))
    call.__name__ = function_name(decomposition)
    return call


def platform_dependent(*args, default=None, **per_platform):
    """`per_platform[platform](*args)` for the platform that the program is compiled for: cpu, cuda, rocm, gpu (either of the two)
    or tpu; `default(*args)` on others. All functions are traced, and must return trees of one structure and of the same types; only the
    one for the platform is compiled. NotImplementedError where there is none for it.

    >>> float(platform_dependent(2.0, cpu=lambda x: x + 1, default=lambda x: x))
    3.0
    """
    functions = {**per_platform, **({} if default is None else {"default": default})}
    if not functions:
        raise TypeError("platform_dependent needs a function for a platform, as in cpu=..., or a default.")
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(f"platform_dependent takes functions, got {function!r} for {name}.")
    groups = {}             # platforms with one function share its branch
    for name, function in functions.items():
        groups.setdefault(function, []).append(name)
    platforms = [None if "default" in names else tuple(names) for names in groups.values()]
    order = sorted(range(len(platforms)), key=lambda i: platforms[i] is None)     # the default is for what is left
    platforms, branches = tuple([platforms[i] for i in order]), [list(groups)[i] for i in order]
    if len(branches) == 1 and platforms[0] is None:
        return branches[0](*args)
    names = [f"the function for {' and '.join(p) if p else 'other platforms'}" for p in platforms]
    return branch(bind(PlatformIndex(platforms)), branches, args, "platform_dependent", names, platforms)
