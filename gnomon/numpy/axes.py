"""Arguments that name axes or sizes: checked, counted from the front, as plain integers."""
from __future__ import annotations

from numpy.exceptions import AxisError

from gnomon.base.errors import shown
from gnomon.types.size import Size, integer

__all__ = ["axis_tuple", "function_argument", "integer", "one_axis", "one_of", "pair_of", "plain_values", "resolve_sizes", "sequence"]


def sequence(value, name, argument, of):
    """What a sequence holds, as a list; TypeError for what is none."""
    if hasattr(value, "__iter__") and getattr(value, "ndim", 1) and not isinstance(value, (str, bytes, dict, set)):
        return list(value)
    raise TypeError(f"{name} takes a sequence of {of} as {argument}, got {shown(value)} of type {type(value).__name__}.")


def function_argument(value, name, argument):
    """The function; TypeError for what cannot be called."""
    if callable(value):
        return value
    raise TypeError(f"{name} takes a function as {argument}, got {shown(value)} of type {type(value).__name__}.")


def plain_values(name, values):
    """TypeError for the first of the values, by argument, that cannot be hashed: options are flags, numbers, names and tuples."""
    for argument, value in values.items():
        try:
            hash(value)
        except TypeError:
            what = f"got {shown(value)} of type {type(value).__name__}"
            raise TypeError(f"{name} takes a flag, number, name or tuple of them as {argument}, {what}.") from None


def one_of(value, known, name, argument):
    """The value, one of a few names or numbers; ValueError, which lists them, for another."""
    if isinstance(value, (str, int, float, type(None))) and value in known:
        return value
    *most, last = [repr(k) for k in known]
    raise ValueError(f"{name} takes {argument} {', '.join(most)}{' or ' if most else ''}{last}, got {shown(value)}.")


def pair_of(value, name, argument, of):
    """Two things that belong together, as a list."""
    pair = sequence(value, name, argument, of)
    if len(pair) != 2:
        raise ValueError(f"{name} takes two things as {argument}, {of}, got {len(pair)} of them.")
    return pair


def one_axis(axis, ndim, name, argument="axis"):
    """An axis counted from the front; AxisError where it is out of bounds."""
    if axis.__class__ is not int:
        axis = integer(axis, name, argument)
    if -ndim <= axis < ndim:
        return axis if axis >= 0 else axis + ndim
    raise AxisError(f"{name} got {argument} {axis}, which is out of bounds for an array of dimension {ndim}")


def axis_tuple(axis, ndim, name, argument="axis"):
    """Several axes (an integer, a sequence of them, or None for all) counted from the front; ValueError where one is repeated."""
    if axis is None:
        return (0,) if ndim == 1 else tuple(range(ndim))
    if axis.__class__ is int or not hasattr(axis, "__iter__") or getattr(axis, "ndim", 1) == 0:
        return (one_axis(axis, ndim, name, argument),)
    axes = tuple([one_axis(a, ndim, name, argument) for a in axis])
    if len(set(axes)) != len(axes):
        raise ValueError(f"{name} got a repeated {argument} in {tuple(axis)}.")
    return axes


def resolve_sizes(shape, size, name):
    """A shape for `size` elements as a tuple, with the one -1 in it (if any) replaced."""
    if shape.__class__ is int or isinstance(shape, Size) or not hasattr(shape, "__iter__") or getattr(shape, "ndim", 1) == 0:
        shape = (shape,)
    sizes = tuple([n if n.__class__ is int or isinstance(n, Size) else integer(n, name, "size") for n in shape])
    if -1 not in sizes:
        return sizes
    known, at = 1, None
    for i, n in enumerate(sizes):
        if n.__class__ is int and n == -1:
            if at is not None:
                raise ValueError(f"{name} can find out one size, got -1 twice in {sizes}.")
            at = i
        else:
            known = known * n
    if known.__class__ is int and known == 0 or size % known != 0:
        raise TypeError(f"{name} cannot fit an array of size {size} into shape {sizes}.")
    return (*sizes[:at], size // known, *sizes[at + 1:])
