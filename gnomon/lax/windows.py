"""Reductions over sliding windows."""
from __future__ import annotations

import operator

from gnomon.base.errors import JAXTypeError
from gnomon.base.tree import tree_flatten, tree_unflatten
from gnomon.lax.reductions import combining_program, is_number, monoid_of, start_value
from gnomon.lax.shape import integers
from gnomon.numpy.promote import as_value
from gnomon.numpy.recorded import recorded
from gnomon.ops import arithmetic
from gnomon.ops.extremes import extreme_identity
from gnomon.ops.nested.reduce_window import ReduceWindowByProgram
from gnomon.ops.window import ReduceWindowMax, ReduceWindowMin, ReduceWindowSum, window_size
from gnomon.trace.stage import bind
from gnomon.types.size import check_shape

__all__ = ["padtype_to_pads", "reduce_window", "reduce_window_shape_tuple"]


def padtype_to_pads(in_shape, window_shape, window_strides, padding):
    """(low, high) per dimension for one of the words 'SAME' (as many windows as elements, divided by the stride; an odd
    one more behind), 'SAME_LOWER' (an odd one more in front) and 'VALID' (none). ValueError for another word.

    >>> padtype_to_pads((5,), (3,), (2,), "SAME")
    [(1, 1)]
    """
    what = "padtype_to_pads"
    in_shape, window_shape = check_shape(in_shape, f"{what}'s in_shape"), check_shape(window_shape, f"{what}'s window_shape")
    window_strides = check_shape(window_strides, f"{what}'s window_strides")
    if not len(in_shape) == len(window_shape) == len(window_strides) or 0 in window_strides:
        raise ValueError(f"{what} needs one size of the window and one stride above 0 per dimension of shape {in_shape}, got window_shape "
                         f"{window_shape} and window_strides {window_strides}.")
    word = padding.upper() if isinstance(padding, str) else padding
    if word == "VALID":
        return [(0, 0)] * len(in_shape)
    if word not in ("SAME", "SAME_LOWER"):
        raise ValueError(f"Unknown padding type: {padding!r}; choose 'SAME', 'SAME_LOWER' or 'VALID', or give (low, "
                         f"high) pairs.")
    out = []
    for n, window, stride in zip(in_shape, window_shape, window_strides):
        total = max((-(-n // stride) - 1) * stride + window - n, 0)
        small, large = total // 2, total - total // 2
        out.append((small, large) if word == "SAME" else (large, small))
    return out


def pairs(padding, what):
    """Padding as a tuple of pairs of ints."""
    try:
        return tuple([(operator.index(low), operator.index(high)) for low, high in padding])
    except (TypeError, ValueError) as error:
        if isinstance(error, JAXTypeError):     # a traced value knows better why it is none
            raise
        raise TypeError(f"{what} needs padding as a word or as a (low, high) pair of integers per dimension, got "
                        f"{padding!r}.") from None


def window_parameters(shape, window_dimensions, window_strides, padding, base_dilation, window_dilation, what):
    """The parameters of a window as tuples, with defaults filled in."""
    rank = len(shape)

    def entries(values, name):
        values = (1,) * rank if values is None else integers(values, f"{what}'s {name}")
        if len(values) != rank:
            raise ValueError(f"{what} needs one entry of {name} per dimension of shape {tuple(shape)}, got {values}.")
        return values

    sizes, strides = entries(window_dimensions, "window_dimensions"), entries(window_strides, "window_strides")
    base, dilation = entries(base_dilation, "base_dilation"), entries(window_dilation, "window_dilation")
    if isinstance(padding, str):
        reach = [(w - 1) * d + 1 for w, d in zip(sizes, dilation)]
        spread = [(n - 1) * d + 1 if n else 0 for n, d in zip(shape, base)]
        padding = padtype_to_pads(spread, reach, strides, padding)
    padding = pairs(padding, what)
    if len(padding) != rank:
        raise ValueError(f"{what} needs a pair of padding per dimension of shape {tuple(shape)}, got {padding}.")
    return sizes, strides, padding, base, dilation


def reduce_window_shape_tuple(operand_shape, window_dimensions, window_strides, padding, base_dilation=None,
                              window_dilation=None):
    """The shape of `reduce_window`'s result.

    >>> reduce_window_shape_tuple((5,), (3,), (1,), "VALID")
    (3,)
    """
    operand_shape = check_shape(operand_shape, "The operand_shape given to reduce_window_shape_tuple")
    parameters = window_parameters(operand_shape, window_dimensions, window_strides, padding, base_dilation,
                                   window_dilation, "reduce_window_shape_tuple")
    return tuple([window_size(n, *p) for n, p in zip(operand_shape, zip(*parameters))])


# op that combines -> (reduction over windows, its identity)
WINDOWED = {
    arithmetic.Add: (ReduceWindowSum, lambda dtype: 0),
    arithmetic.Max: (ReduceWindowMax, lambda dtype: extreme_identity(dtype, True)),
    arithmetic.Min: (ReduceWindowMin, lambda dtype: extreme_identity(dtype, False)),
}


@recorded
def reduce_window(operand, init_value, computation, window_dimensions, window_strides=None, padding="VALID",
                  base_dilation=None, window_dilation=None):
    """Reduces each window of a tree of arrays of one shape. `computation` takes two trees of scalars and is
    associative; `init_value`, a tree of scalars, is what each window starts from. The padding takes no part.

    `window_dimensions` and the rest have an entry per dimension: elements of the operand stand `base_dilation` apart,
    those of the window `window_dilation`; `padding` is 'SAME', 'VALID' or (low, high) pairs.

    >>> import gnomon.numpy as jnp
    >>> reduce_window(jnp.arange(5), 0, jnp.add, (2,)).tolist()
    [1, 3, 5, 7]
    """
    leaves, tree = tree_flatten(operand)
    inits, init_tree = tree_flatten(init_value)
    if tree != init_tree:
        raise ValueError(f"reduce_window needs operand and init_value of one structure, got {tree} and {init_tree}.")
    if not leaves:
        raise ValueError("reduce_window needs at least one operand.")
    xs = [as_value(x, "reduce_window") for x in leaves]
    parameters = window_parameters(xs[0].type.shape, window_dimensions, window_strides, padding, base_dilation,
                                   window_dilation, "reduce_window")
    jaxpr = combining_program(computation, tree, xs, "reduce_window")
    if len(xs) == 1:
        op = monoid_of(jaxpr)
        if type(op) in WINDOWED:
            cls, identity = WINDOWED[type(op)]
            out = bind(cls(*parameters), xs[0])
            neutral = is_number(inits[0], identity(xs[0].type.dtype))
            return out if neutral else bind(op, start_value(inits[0], xs[0]), out)
    starts = [start_value(i, x) for i, x in zip(inits, xs)]
    return tree_unflatten(tree, bind(ReduceWindowByProgram(*parameters, jaxpr), *xs, *starts))
