"""Sorting lists by a mask, and putting them back: what every transform of nested programs does."""
from __future__ import annotations


def partition(mask, xs):
    """The elements of `xs` where `mask` is false, and those where it is true; order kept."""
    no, yes = [], []
    for m, x in zip(mask, xs, strict=True):
        (yes if m else no).append(x)
    return no, yes


def merge(mask, no, yes):
    """The inverse of `partition`."""
    no, yes = iter(no), iter(yes)
    out = [next(yes) if m else next(no) for m in mask]
    return out


def pick(mask, xs):
    """The elements of `xs` where `mask` is true."""
    return [x for m, x in zip(mask, xs, strict=True) if m]


def spread(mask, xs):
    """The elements of `xs` in the places where `mask` is true, None elsewhere."""
    xs = iter(xs)
    return [next(xs) if m else None for m in mask]


def settle(mask, step):
    """Grow a tuple of bools until `step` adds nothing: the one fixpoint of loop carries."""
    while True:
        new = tuple(a or b for a, b in zip(mask, step(mask), strict=True))
        if new == mask:
            return mask
        mask = new
