"""Functions with NumPy's methods: `np.add.reduce`, `.accumulate`, `.outer`, `.at`, `.reduceat`; and `frompyfunc`.

Where a reduction or an update has an op of its own it is used; any other function is applied element after element, by
a loop.
"""
from __future__ import annotations

import math

from gnomon.api.control import scan
from gnomon.base.errors import Refused
from gnomon.numpy import reductions, ufuncs
from gnomon.numpy.axes import axis_tuple, function_argument, integer, one_axis
from gnomon.numpy.creation import arange, asarray, full
from gnomon.numpy.functional import vectorize
from gnomon.numpy.manipulation import broadcast_to, moveaxis, ravel, reshape
from gnomon.numpy.mathematics import refuse_out
from gnomon.numpy.promote import as_value, requested_dtype
from gnomon.numpy.selection import where as choose
from gnomon.ops import cumulative
from gnomon.ops.convert import convert_element_type
from gnomon.ops.shape import expand_dims
from gnomon.ops.slicing import concatenate

__all__ = ["add", "bitwise_and", "bitwise_or", "bitwise_xor", "frompyfunc", "logaddexp", "logaddexp2", "logical_and",
           "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative", "subtract", "ufunc"]


class ufunc:
    """A function that works element by element, with methods that apply it along an axis, to all pairs, or at places.

    `nin` and `nout` are the numbers of arguments and results, `identity` is what changes no other argument, or None.
    What a function does better than a loop over its elements may be given: `call(*args)`, `reduce(a, axis, dtype=, keepdims=,
    initial=, where=)`, `accumulate(a, axis)`, `at(a, indices, b)` and `reduceat(a, indices, axis)`.

    >>> import gnomon.numpy as np
    >>> np.add.nin, np.add.nout, np.add.identity
    (2, 1, 0)
    """

    def __init__(self, func, /, nin, nout, *, name=None, nargs=None, identity=None, call=None, reduce=None,
                 accumulate=None, at=None, reduceat=None):
        self.__name__ = self.__qualname__ = name or func.__name__
        self.__module__ = getattr(func, "__module__", None)
        summary, _, rest = (func.__doc__ or "").partition("\n\n    >>>")
        self.__doc__ = f"{summary}\n    Refused for `out` and `where`.\n\n    >>>{rest}" if rest else func.__doc__
        self.function, self.nin, self.nout, self.identity = call or func, nin, nout, identity
        self.nargs = nin if nargs is None else nargs
        self.reduction, self.running, self.update, self.pieces = reduce, accumulate, at, reduceat

    def __call__(self, *args, out=None, where=None):
        if out is not None or where is not None:
            raise Refused(f"{self.__name__} takes no 'out' and no 'where': arrays are immutable. Use what it returns, "
                          "and gnomon.numpy.where.")
        return self.function(*args)

    def __repr__(self):
        return f"<ufunc gnomon.numpy.{self.__name__}>"

    def __reduce__(self):
        if BUILT_IN.get(self.__name__) is self:
            return self.__name__
        return rebuilt, (self.function, self.nin, self.nout, self.__name__, self.nargs, self.identity)

    def check_pairs(self, method, out=None):
        if self.nin != 2 or self.nout != 1:
            raise ValueError(f"{self.__name__}.{method} needs a function of two arguments with one result; it has "
                             f"{self.nin} and {self.nout}.")
        refuse_out(f"{self.__name__}.{method}", out)

    def reduce(self, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
        """The function of the first two elements along an axis, then of that and the third, and so on; None stands for
        all axes.

        `initial` is what to begin with, `where` says which elements count. ValueError for no elements where there is
        neither `initial` nor an identity, and for `where` without them.

        >>> import gnomon.numpy as np
        >>> np.subtract.reduce(np.array([10, 1, 2]))
        Array(7, dtype=int32)
        """
        self.check_pairs("reduce", out)
        name = f"{self.__name__}.reduce"
        a = as_value(a, name, 0)
        if self.reduction is not None:
            return self.reduction(a, axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)
        axes = axis_tuple(axis, a.ndim, name)
        if len(axes) != 1 and axis is not None:
            raise Refused(f"{name} over several axes depends on their order. Reduce one after the other, or all with "
                          "axis=None.")
        start = self.identity if initial is None else initial
        if start is None and where is not None:
            raise ValueError(f"{name}: the function has no identity, so with where it needs initial.")
        shape = a.shape
        if where is not None:
            where = broadcast_to(reductions.check_where(name, where), shape)
        row, where = [None if x is None else ravel(x) if axis is None else moveaxis(x, axes[0], 0) for x in (a, where)]
        n = row.shape[0]
        if start is None and n == 0:
            raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
        row = self.settled(row, dtype)
        if initial is None and where is None and n:
            begin, row = row[0], row[1:]
        else:
            begin = broadcast_to(asarray(start, row.dtype), row.shape[1:])
        result = self.fold(begin, row, where)
        return expand_dims(result, axes) if keepdims else result

    def settled(self, row, dtype):
        """The elements in the dtype of the function's results, or in the one asked for."""
        if dtype is not None:
            return convert_element_type(row, requested_dtype(dtype))
        found = self.function(row[:1], row[:1]).dtype
        return convert_element_type(row, found)

    def fold(self, begin, row, where):
        def step(carry, x):
            x, counts = x
            new = convert_element_type(as_value(self.function(carry, x)), carry.dtype)
            return new if counts is None else choose(counts, new, carry), None
        return scan(step, begin, (row, where))[0]

    def accumulate(self, a, axis=0, dtype=None, out=None):
        """All results of `reduce` on the way along an axis.

        >>> import gnomon.numpy as np
        >>> np.subtract.accumulate(np.array([10, 1, 2]))
        Array([10,  9,  7], dtype=int32)
        """
        self.check_pairs("accumulate", out)
        name = f"{self.__name__}.accumulate"
        a = as_value(a, name, 0)
        if axis is None and a.ndim != 1:
            raise ValueError(f"{name} takes one axis.")
        axis = one_axis(0 if axis is None else axis, a.ndim, name)
        row = moveaxis(a, axis, 0)
        if row.shape[0] == 0:
            return a
        row = self.settled(row, dtype)
        if self.running is not None and not is_boolean(row):
            return moveaxis(self.running(row, 0), 0, axis)

        def step(carry, x):
            new = convert_element_type(as_value(self.function(carry, x)), carry.dtype)
            return new, new
        _, rest = scan(step, row[0], row[1:])
        return moveaxis(concatenate_two(row[:1], rest), 0, axis)

    def outer(self, A, B, /):
        """The function of all pairs of an element of `A` and one of `B`; the shape is that of `A` followed by that of
        `B`.

        >>> import gnomon.numpy as np
        >>> np.multiply.outer(np.array([1, 2]), np.array([3, 4]))
        Array([[3, 4],
               [6, 8]], dtype=int32)
        """
        if self.nin != 2:
            raise ValueError(f"{self.__name__}.outer needs a function of two arguments; it has {self.nin}.")
        A, B = as_value(A, f"{self.__name__}.outer", 0), as_value(B, f"{self.__name__}.outer", 1)
        return self.function(reshape(A, A.shape + (1,) * B.ndim), B)

    def at(self, a, indices, b=None, /, *, inplace=True):
        """The array with the function applied to its elements at places, and to `b`; a place that is named twice is
        updated twice.

        Arrays are immutable: the result is a new array, which `inplace=False` agrees to.

        >>> import gnomon.numpy as np
        >>> np.add.at(np.zeros(3), np.array([0, 0, 2]), 1, inplace=False)
        Array([2., 0., 1.], dtype=float32)
        """
        name = f"{self.__name__}.at"
        if inplace:
            raise Refused(f"{name} cannot change an array in place. Write x = np.{name}(x, indices, b, inplace=False).")
        if (b is None) != (self.nin == 1) or self.nin > 2 or self.nout != 1:
            raise TypeError(f"{name} takes the array, "
                            f"indices{', and what to combine with' if self.nin == 2 else ' only'}.")
        a = as_value(a, name, 0)
        if self.update is not None:
            return self.update(a, indices, b)
        places = reshape(arange(a.size), a.shape)[indices]
        others = () if b is None else (ravel(broadcast_to(as_value(b, name, 2), places.shape)),)

        def step(flat, x):
            place, *other = x
            new = convert_element_type(as_value(self.function(flat[place], *other)), flat.dtype)
            return flat.at[place].set(new), None
        return reshape(scan(step, ravel(a), (ravel(places), *others))[0], a.shape)

    def reduceat(self, a, indices, axis=0, dtype=None, out=None):
        """`reduce` over the slices of an axis from each index up to the next; the one element where the next index is
        not larger.

        >>> import gnomon.numpy as np
        >>> np.add.reduceat(np.arange(8), np.array([0, 4, 1, 5]))
        Array([ 6,  4, 10, 18], dtype=int32)
        """
        self.check_pairs("reduceat", out)
        name = f"{self.__name__}.reduceat"
        a, starts = as_value(a, name, 0), as_value(indices, name, 1)
        axis = one_axis(axis, a.ndim, name)
        if self.pieces is not None:
            return self.pieces(a, starts, axis)
        row = self.settled(moveaxis(a, axis, 0), dtype)
        n, k = row.shape[0], starts.shape[0]
        following = concatenate_two(starts[1:], full((1,), n, starts.dtype))
        ends = choose(following > starts, following, starts + 1)
        spread = (k,) + (1,) * (row.ndim - 1)

        def step(carry, x):
            place, x = x
            new = convert_element_type(as_value(self.function(carry, broadcast_to(x, carry.shape))), carry.dtype)
            inside = (place >= starts) & (place < ends)
            return choose(reshape(place == starts, spread), x, choose(reshape(inside, spread), new, carry)), None
        begin = full((k, *row.shape[1:]), 0, row.dtype)
        return moveaxis(scan(step, begin, (arange(n, dtype=starts.dtype), row))[0], 0, axis)


def rebuilt(function, nin, nout, name, nargs, identity):
    return ufunc(function, nin, nout, name=name, nargs=nargs, identity=identity)


def frompyfunc(func, /, nin, nout, *, identity=None):
    """A ufunc made of a function of scalars, which is mapped over arrays.

    Errors: TypeError for what is no function and counts that are no integers.

    >>> import gnomon.numpy as np
    >>> digits = np.frompyfunc(lambda x, y: 10 * x + y, 2, 1)
    >>> digits.reduce(np.array([1, 2, 3]))
    Array(123, dtype=int32)
    """
    nin, nout = integer(nin, "frompyfunc", "nin"), integer(nout, "frompyfunc", "nout")
    return ufunc(vectorize(function_argument(func, "frompyfunc", "func")), nin, nout, name=getattr(func, "__name__", "function"), identity=identity)


def is_boolean(x):
    return x.dtype == bool


def concatenate_two(x, y):
    return concatenate([x, y], 0)


def at_places(name):
    """The method of `x.at[...]` as a function."""
    return lambda a, indices, b: getattr(a.at[indices], name)(b)


def in_dtype(function):
    """An extreme of max or min, which have no dtype argument."""
    def reduction(a, axis, dtype, **options):
        if dtype is not None:
            a = convert_element_type(a, requested_dtype(dtype))
        return function(a, axis, **options)
    return reduction


def truth_of(function):
    """A reduction of truth values, which start with a truth value if any."""
    def reduction(a, axis, dtype, keepdims, initial, where):
        out = function(a, axis, keepdims=keepdims, where=where)
        if initial is not None:
            out = (ufuncs.logical_and if function is reductions.all else ufuncs.logical_or)(out, initial)
        return out if dtype is None else convert_element_type(out, requested_dtype(dtype))
    return reduction


add = ufunc(ufuncs.add, 2, 1, identity=0, reduce=reductions.sum, accumulate=cumulative.cumsum, at=at_places("add"))
multiply = ufunc(ufuncs.multiply, 2, 1, identity=1, reduce=reductions.prod, accumulate=cumulative.cumprod,
                 at=at_places("multiply"))
subtract = ufunc(ufuncs.subtract, 2, 1, at=at_places("subtract"))
negative = ufunc(ufuncs.negative, 1, 1)
maximum = ufunc(ufuncs.maximum, 2, 1, reduce=in_dtype(reductions.max), accumulate=cumulative.cummax, at=at_places("max"))
minimum = ufunc(ufuncs.minimum, 2, 1, reduce=in_dtype(reductions.min), accumulate=cumulative.cummin, at=at_places("min"))
logaddexp = ufunc(ufuncs.logaddexp, 2, 1, identity=-math.inf, accumulate=cumulative.cumlogsumexp)
logaddexp2 = ufunc(ufuncs.logaddexp2, 2, 1, identity=-math.inf)
logical_and = ufunc(ufuncs.logical_and, 2, 1, identity=True, reduce=truth_of(reductions.all))
logical_or = ufunc(ufuncs.logical_or, 2, 1, identity=False, reduce=truth_of(reductions.any))
logical_xor = ufunc(ufuncs.logical_xor, 2, 1, identity=False)
bitwise_and = ufunc(ufuncs.bitwise_and, 2, 1, identity=-1)
bitwise_or = ufunc(ufuncs.bitwise_or, 2, 1, identity=0)
bitwise_xor = ufunc(ufuncs.bitwise_xor, 2, 1, identity=0)

BUILT_IN = {f.__name__: f for f in (add, multiply, subtract, negative, maximum, minimum, logaddexp, logaddexp2, logical_and,
                                    logical_or, logical_xor, bitwise_and, bitwise_or, bitwise_xor)}
