"""Arguments of transformations that are no arrays: numbers and names of other arguments, names of axes, flags. Each is read in one way, and
what is of another kind is told so in one sentence."""
from __future__ import annotations

import operator

from gnomon.base.errors import shown


def integers(what, name, x):
    """One integer or several, as a tuple of ints; None stands for none."""
    if x is None:
        return ()
    try:
        return (operator.index(x),)
    except TypeError:
        pass
    try:
        if isinstance(x, (str, dict)):
            raise TypeError
        return tuple([operator.index(i) for i in x])
    except TypeError:
        raise TypeError(f"{what}: {name} must be an int or a sequence of ints, got {x!r}.") from None


def strings(what, name, x):
    """One name or several, as a tuple of strings; None stands for none."""
    if x is None:
        return ()
    if isinstance(x, str):
        return (x,)
    try:
        found = tuple(x)
    except TypeError:
        found = (x,)
    if not all(isinstance(n, str) for n in found):
        raise TypeError(f"{what}: {name} must be a string or a sequence of strings, got {x!r}.")
    return found


def flag(value, name, argument):
    """True or False; TypeError for what is neither (nor None, nor an integer, nor an array of one boolean or integer without dimensions)."""
    if value is True or value is False:
        return value
    if value is None or isinstance(value, int) or getattr(value, "shape", None) == () and getattr(value.dtype, "kind", None) in ("b", "i", "u"):
        return bool(value)
    raise TypeError(f"{name} takes True or False as {argument}, got {shown(value)} of type {type(value).__name__}.")


def hashed(what, name, x, why):
    """Anything that can be looked up."""
    try:
        hash(x)
    except TypeError:
        raise TypeError(f"{what}: {name} must be {why}, got {x!r} of type {type(x).__name__}.") from None
    return x


def hashables(what, name, x):
    """One name of an axis or several, as a frozenset; a name is anything that can be looked up."""
    try:
        return frozenset((x,) if isinstance(x, str) else x)
    except TypeError:
        raise TypeError(f"{what}: {name} must be a set of names of axes, got {x!r}.") from None
