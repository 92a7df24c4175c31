"""Functions of functions: vectorize, apply_along_axis, apply_over_axes."""
from __future__ import annotations

import functools
import re

from gnomon.api.vmap import vmap
from gnomon.base.errors import shown
from gnomon.base.source import function_name
from gnomon.numpy.axes import axis_tuple, function_argument, one_axis, sequence
from gnomon.numpy.manipulation import broadcast_shapes
from gnomon.numpy.promote import as_value
from gnomon.ops import shape as shape_ops

__all__ = ["apply_along_axis", "apply_over_axes", "iterable", "vectorize"]


def iterable(y):
    """Whether one can iterate over something.

    >>> iterable([1]), iterable(1)
    (True, False)
    """
    try:
        iter(y)
    except TypeError:
        return False
    return True


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """A function of vectors, of each vector along an axis; the results' dimensions stand where the axis was.

    Errors: TypeError for what is no array (lists included) and for what is no function, AxisError for an axis out of bounds.

    >>> import gnomon.numpy as jnp
    >>> apply_along_axis(lambda v: v[::-1], 0, jnp.eye(2))
    Array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    function_argument(func1d, "apply_along_axis", "func1d")
    x = as_value(arr, "apply_along_axis", 2)
    axis = one_axis(axis, x.type.ndim, "apply_along_axis")
    function = lambda vector: func1d(vector, *args, **kwargs)
    for _ in range(x.type.ndim - axis - 1):
        function = vmap(function, in_axes=-1, out_axes=-1)
    for _ in range(axis):
        function = vmap(function, in_axes=0, out_axes=0)
    return function(x)


def apply_over_axes(func, a, axes):
    """func(x, axis) for one axis after the other; a result that lost the axis gets it back with size 1.

    Errors: TypeError for what is no array (lists included) and for what is no function, AxisError for an axis out of bounds,
    ValueError for a repeated one or where the result has another number of dimensions.

    >>> import gnomon.numpy as jnp
    >>> apply_over_axes(jnp.sum, jnp.ones((2, 3)), (0, 1))
    Array([[6.]], dtype=float32)
    """
    function_argument(func, "apply_over_axes", "func")
    x = as_value(a, "apply_over_axes", 1)
    rank = x.type.ndim
    for axis in axis_tuple(axes, rank, "apply_over_axes", "axes"):
        out = as_value(func(x, axis), "apply_over_axes")
        if out.type.ndim == rank - 1:
            out = shape_ops.expand_dims(out, (axis,))
        if out.type.ndim != rank:
            raise ValueError(f"apply_over_axes needs a function that keeps an array's dimensions or drops one, but of an array of {rank} "
                             f"dimensions {function_name(func)} made one of {out.type.ndim}.")
        x = out
    return x


# ---- vectorize ------------------------------------------------------------------------------------------------------

_NAME = r"[A-Za-z_]\w*"
_CORE = rf"\((?:{_NAME}(?:,{_NAME})*)?\)"
_SIGNATURE = re.compile(rf"{_CORE}(?:,{_CORE})*->{_CORE}(?:,{_CORE})*")


def parse_signature(text):
    """Two lists of tuples of dimension names, for "(n,m),(m)->(n)"."""
    short = re.sub(r"\s+", "", text) if isinstance(text, str) else ""
    if not _SIGNATURE.fullmatch(short):
        raise ValueError(f"vectorize takes a signature such as '(n,m),(m)->(n)', got {shown(text)}.")
    return [[tuple(names.split(",")) if names else () for names in re.findall(r"\(([^)]*)\)", side)] for side in short.split("->")]


def vectorize(pyfunc, *, excluded=frozenset(), signature=None):
    """A function of scalars, or of small arrays, as a function of arrays that broadcast, by vmap.

    signature: the dimensions of what `pyfunc` takes and gives, as in "(n,m),(m)->(n)"; without one it takes and gives
    scalars. excluded: the numbers and names of arguments that it gets as they are. Errors: ValueError for arguments that do not
    fit the signature, TypeError where `pyfunc` gives another number of results than it says.
    Also TypeError for what is no function.

    >>> import gnomon.numpy as jnp
    >>> vectorize(jnp.dot, signature="(n),(n)->()")(jnp.ones((2, 3)), jnp.ones(3))
    Array([3., 3.], dtype=float32)
    """
    function_argument(pyfunc, "vectorize", "pyfunc")
    excluded = sequence(excluded, "vectorize", "excluded", "numbers and names") if not isinstance(excluded, (set, frozenset)) else excluded
    if any(not isinstance(i, (str, int)) for i in excluded):
        raise TypeError(f"vectorize takes numbers and names of arguments as excluded, got {excluded!r}.")
    if any(isinstance(i, int) and i < 0 for i in excluded):
        raise ValueError(f"vectorize numbers the excluded arguments from 0, got {excluded!r}.")
    rule = None if signature is None else parse_signature(signature)
    what = f"the vectorized function {function_name(pyfunc)}" + ("" if signature is None else f" with signature {signature!r}")

    @functools.wraps(pyfunc)
    def vectorized(*args, **kwargs):
        held = {k: v for k, v in kwargs.items() if k in excluded}
        names = [k for k in kwargs if k not in excluded]
        places = [i for i, x in enumerate(args) if i not in excluded and x is not None]

        def call(*values):
            whole = list(args)
            for i, value in zip(places, values):
                whole[i] = value
            return pyfunc(*whole, **held, **dict(zip(names, values[len(places):])))
        given = [*[args[i] for i in places], *[kwargs[k] for k in names]]
        return broadcast_call(what, call, [as_value(x, "vectorize", i) for i, x in enumerate(given)], rule)
    return vectorized


def broadcast_call(what, call, xs, rule):
    """A function of arrays with these core dimensions, mapped over all others."""
    cores = [()] * len(xs) if rule is None else rule[0]
    if len(cores) != len(xs):
        raise TypeError(f"{what} takes {len(cores)} arguments besides the excluded ones, got {len(xs)}.")
    sizes: dict = {}
    outer = []
    for i, (x, core) in enumerate(zip(xs, cores)):
        shape = x.type.shape
        split = len(shape) - len(core)
        if split < 0:
            raise ValueError(f"{what} needs {len(core)} dimensions at least of argument {i}, got one of type {x.type}.")
        for name, n in zip(core, shape[split:]):
            if sizes.setdefault(name, n) != n:
                raise ValueError(f"{what} got sizes {sizes[name]} and {n} for the dimension {name}.")
        outer.append(shape[:split])
    checked = call if rule is None else lambda *values: check_results(what, call(*values), rule[1], sizes)
    common = broadcast_shapes(*outer)
    values, maps = [], []
    for x, shape in zip(xs, outer):
        missing = len(common) - len(shape)
        # mapped over where it has the common size, held where it has no such dimension or one of size 1, which is dropped
        held = [i < missing or shape[i - missing] == 1 and n != 1 for i, n in enumerate(common)]
        values.append(shape_ops.squeeze(x, tuple([i - missing for i, h in enumerate(held) if h and i >= missing])))
        maps.append([None if h else 0 for h in held])
    for in_axes in reversed(list(zip(*maps))):
        checked = vmap(checked, in_axes=in_axes)
    return checked(*values)


def check_results(what, out, cores, sizes):
    """The results of one call, which must have the dimensions that the signature says."""
    results = out if isinstance(out, tuple) else (out,)
    if len(results) != len(cores):
        raise TypeError(f"{what} gives {len(cores)} results, but the function returned {len(results)}.")
    for i, (result, core) in enumerate(zip(results, cores)):
        shape = as_value(result, what).type.shape
        if len(shape) != len(core) or any(sizes.setdefault(name, n) != n for name, n in zip(core, shape)):
            raise ValueError(f"{what} gives results of dimensions ({','.join(core)}), but result {i} has shape {shape}.")
    return out
