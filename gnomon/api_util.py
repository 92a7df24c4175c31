"""Between functions of trees and functions of lists, under JAX's names."""
from gnomon.api.core import shaped_abstractify
from gnomon.base.tree import flatten_axes as _flatten_axes, tree_flatten as _flatten
from gnomon.base.tree import tree_unflatten as _unflatten
from gnomon.extend.linear_util import WrappedFun as _WrappedFun, transformation2 as _transformation2
from gnomon.extend.linear_util import transformation_with_aux2 as _transformation_with_aux2

__all__ = ["argnums_partial", "debug_info", "donation_vector", "flatten_axes", "flatten_fun", "flatten_fun_nokwargs",
           "rebase_donate_argnums", "safe_map", "shaped_abstractify"]


def safe_map(f, *lists):
    """`f` of the elements of lists, which must have one length, as a list.

    >>> safe_map(lambda x, y: x + y, [1, 2], [3, 4])
    [4, 6]
    """
    lists = list(map(list, lists))
    if len({len(x) for x in lists}) > 1:
        raise ValueError(f"safe_map got lists of the lengths {', '.join(str(len(x)) for x in lists)}; they must be equal.")
    return list(map(f, *lists))


def flatten_axes(name, treedef, axis_tree, *, kws=False, tupled_args=False):
    """One entry per leaf of `treedef`, from a tree of axes that matches it or a prefix of it.

    >>> import gnomon
    >>> flatten_axes("in_axes", gnomon.tree.structure((1, (2, 3))), (0, None))
    [0, None, None]
    """
    return _flatten_axes(name, treedef, axis_tree)


def _flat(f, in_tree, store, *leaves):
    args, kwargs = _unflatten(in_tree, leaves)
    out, tree = _flatten(f(*args, **kwargs))
    store(tree)
    return out


def _flat_nokwargs(f, in_tree, store, *leaves):
    out, tree = _flatten(f(*_unflatten(in_tree, leaves)))
    store(tree)
    return out


def flatten_fun(fun: _WrappedFun, in_tree, **options):
    """A function of (args, kwargs) as one of their leaves, and a function that gives its output's structure after a call."""
    return _transformation_with_aux2(_flat, fun, in_tree)


def flatten_fun_nokwargs(fun: _WrappedFun, in_tree, **options):
    """A function of args as one of their leaves, and a function that gives its output's structure after a call.

    >>> import gnomon
    >>> from gnomon.extend.linear_util import wrap_init
    >>> flat, out_tree = flatten_fun_nokwargs(wrap_init(lambda d: d["a"]), gnomon.tree.structure(({"a": 1},)))
    >>> flat.call_wrapped(5), out_tree()
    ([5], PyTreeDef(*))
    """
    return _transformation_with_aux2(_flat_nokwargs, fun, in_tree)


def _some_given(f, positions, given, *args, **kwargs):
    rest = iter(args)
    held = dict(given)
    return f(*[held[i] if i in held else next(rest) for i in range(len(held) + len(args))], **kwargs)


def argnums_partial(f: _WrappedFun, dyn_argnums, args, require_static_args_hashable=True):
    """(`f` as a function of the arguments in `dyn_argnums`, those arguments); the others keep the values they have."""
    nums = (dyn_argnums,) if isinstance(dyn_argnums, int) else tuple(dyn_argnums)
    nums = sorted(i % len(args) for i in nums)
    given = tuple((i, a) for i, a in enumerate(args) if i not in nums)
    if require_static_args_hashable:
        hash(given)
    return _transformation2(_some_given, f, tuple(nums), given), tuple(args[i] for i in nums)


def rebase_donate_argnums(donate_argnums, static_argnums) -> tuple:
    """Positions of donated arguments once the static ones are taken out.

    >>> rebase_donate_argnums((2,), (0,))
    (1,)
    """
    both = set(donate_argnums) & set(static_argnums)
    if both:
        raise ValueError(f"static_argnums and donate_argnums cannot intersect, both have {sorted(both)}.")
    return tuple(i - sum(s < i for s in static_argnums) for i in donate_argnums)


def donation_vector(donate_argnums, donate_argnames, in_tree, kws: bool = True) -> tuple:
    """For each leaf of (args, kwargs), or of args where not `kws`, whether it is donated.

    >>> import gnomon
    >>> donation_vector((1,), (), gnomon.tree.structure(((1, (2, 3)), {})))
    (False, True, True)
    """
    args_tree, kwargs_tree = in_tree.children() if kws else (in_tree, None)
    out = []
    for i, child in enumerate(args_tree.children()):
        out += [i in tuple(donate_argnums)] * child.num_leaves
    if kwargs_tree is not None:
        keys = kwargs_tree.node_data()[1]
        for key, child in zip(keys, kwargs_tree.children()):
            out += [key in tuple(donate_argnames)] * child.num_leaves
    return tuple(out)


def debug_info(traced_for, fun, args, kwargs, **options):
    """Nothing: Gnomon finds names and lines itself. Accepted so that code written for JAX can pass it along."""
    return None
