"""Dimension sizes.

A size is an int, or a *symbolic* size: one that is known only as an expression in named variables (``2*n + 1``).
Shapes, and the rules that compute with them, use Python's arithmetic on sizes and ask here what a size is.

A symbolic size derives from `Size`. It is interned, hence hashes and compares with ``==`` by identity; it adds,
subtracts, multiplies, ``//`` and ``%`` with ints and other sizes; ``<`` and its kin give True or False where the answer
is the same for all values of the variables, and raise `InconclusiveDimensionOperation` where it is not; `str` is the
expression. Int-valued results are plain ints.
"""
from __future__ import annotations

import operator

from gnomon.base import errors

__all__ = ["Size", "check_shape", "check_size", "is_static", "is_static_shape", "max_size", "min_size"]

AS_VALUE: list = [None]     # (symbolic size, scalar type or None: weak int32) -> it as a number of the program; filled by ops/sizes.py


class Size:
    """Base of symbolic sizes; the module says what they can do."""

    __slots__ = ()

    def __index__(self):
        raise TypeError(f"The size {self} is symbolic, so it has no value while tracing; use it in shapes and in "
                        "arithmetic with other sizes only.")

    __int__ = __index__

    def __jax_array__(self):
        return AS_VALUE[0](self)

    def extreme(self, a, b, name):
        """The "max" or "min" of two sizes, of which it is one."""
        return a if (a >= b) is (name == "max") else b


def is_static(size) -> bool:
    """Whether a size is a number.

    >>> is_static(3)
    True
    """
    return not isinstance(size, Size)


def max_size(a, b):
    """The larger of two sizes."""
    return (a if isinstance(a, Size) else b).extreme(a, b, "max") if isinstance(a, Size) or isinstance(b, Size) else max(a, b)


def min_size(a, b):
    """The smaller of two sizes."""
    return (a if isinstance(a, Size) else b).extreme(a, b, "min") if isinstance(a, Size) or isinstance(b, Size) else min(a, b)


def is_static_shape(shape) -> bool:
    """Whether all sizes of a shape are numbers."""
    for size in shape:
        if isinstance(size, Size):
            return False
    return True


def broadcast_sizes(shapes):
    """The shape that shapes broadcast to by NumPy's rules, None where they do not."""
    shapes = [tuple(shape) for shape in shapes]
    rank, out = max(map(len, shapes), default=0), []
    for sizes in zip(*[(1,) * (rank - len(shape)) + shape for shape in shapes]):
        wide = [n for n in sizes if not (n.__class__ is int and n == 1)]
        if any([n != wide[0] for n in wide]):
            return None
        out.append(wide[0] if wide else 1)
    return tuple(out)


def check_static(shape):
    """`Refused` if a shape that is to be compiled has symbolic sizes."""
    if not is_static_shape(shape):
        raise errors.Refused(f"a program with the symbolic sizes {', '.join([str(n) for n in shape if isinstance(n, Size)])} cannot be compiled as it is; "
                             "use gnomon.export, which makes it for the sizes of the arguments when it is called")


def integer(x, name, argument):
    """A Python integer; TypeError with the argument's name for what is none."""
    if x.__class__ is int:
        return x
    try:
        return operator.index(x)
    except TypeError as error:
        if type(error) is not TypeError:        # a traced value knows better why it is none
            raise
        raise TypeError(f"{name} takes an integer {argument}, got {errors.shown(x)} of type {type(x).__name__}.") from None


LARGEST_SIZE = (1 << 63) - 1


def check_size(size, what: str = "A dimension's size") -> int | Size:
    """The size as an int (NumPy's integers become Python's) or a symbolic size.

    TypeError if it is no integer, ValueError if it is negative or more than 63 bits hold; `what` is the subject of the message's sentence.

    >>> check_size(3)
    3
    """
    if type(size) is int:
        if 0 <= size <= LARGEST_SIZE:
            return size
    elif isinstance(size, Size):
        return size
    else:
        try:
            size = operator.index(size)
        except errors.JAXTypeError:
            raise  # a traced value knows better why it is no size
        except TypeError:
            raise TypeError(f"{what} must be an integer, got {errors.shown(size)} of type {type(size).__name__}.") from None
    if size < 0:
        raise ValueError(f"{what} must not be negative, got {size}.")
    if size > LARGEST_SIZE:
        raise ValueError(f"{what} must fit in 63 bits, got {size}.")
    return size


def check_shape(shape, what: str = "A shape") -> tuple[int | Size, ...]:
    """A shape as a tuple of sizes; one integer is a shape of one dimension. Errors as for `check_size`.

    >>> check_shape([2, 3]), check_shape(4)
    ((2, 3), (4,))
    """
    if type(shape) is not tuple and type(shape) is not list:
        if isinstance(shape, (str, bytes)):
            raise TypeError(f"{what} must be a tuple of integers, got {errors.shown(shape)}.")
        if isinstance(shape, Size) or not hasattr(shape, "__iter__") or getattr(shape, "ndim", 1) == 0:
            return (check_size(shape, f"{what} given as one size"),)
    each = f"Each size of {what[0].lower()}{what[1:]}"
    return tuple([size if type(size) is int and 0 <= size <= LARGEST_SIZE else check_size(size, each) for size in shape])
