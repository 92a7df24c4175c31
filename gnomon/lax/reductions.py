"""Reductions, running reductions, sorting."""
from __future__ import annotations

from types import FunctionType

import numpy as np

from gnomon.api.places import explicit
from gnomon.base.errors import Refused
from gnomon.base.tree import tree_flatten, tree_unflatten
from gnomon.numpy.axes import integer
from gnomon.lax import arithmetic as arithmetic_functions
from gnomon.lax.shape import axes_of, axis_of, integers
from gnomon.numpy.promote import as_value, requested_dtype
from gnomon.numpy.recorded import OWN_FUNCTIONS, recorded
from gnomon.ops import arithmetic, compare, cumulative, shape as shape_ops, sorting
from gnomon.ops import reductions as ops
from gnomon.ops.convert import convert_element_type
from gnomon.ops.extremes import extreme_identity
from gnomon.ops.nested.approximate import ApproxTopK
from gnomon.ops.nested.reduce import Reduce
from gnomon.trace.stage import bind, stage
from gnomon.ir.jaxpr import Literal, intern
from gnomon.trace.value import Value
from gnomon.types.dtype import iinfo, is_bool, is_signed
from gnomon.types.value_type import ArrayType

__all__ = [
    "approx_max_k", "approx_min_k", "argmax", "argmin", "cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum",
    "reduce", "reduce_and", "reduce_max", "reduce_min",
    "reduce_or", "reduce_prod", "reduce_sum", "reduce_xor", "sort", "sort_key_val", "top_k",
]


def reduction(cls, operand, axes, out_sharding=None):
    """Bind a reduction over axes counted from the front."""
    name = cls.name
    x, axes = as_value(operand, name), integers(axes, f"{name}'s axes")
    if any(not 0 <= a < x.type.ndim for a in axes):
        raise ValueError(f"{name}: axes {axes} are out of bounds for a value of type {x.type}; they count from the "
                         f"front.")
    op = cls(axes) if out_sharding is None else cls(axes, explicit(out_sharding, x.type.ndim - len(axes), name))
    return bind(op, x)


def reduce_sum(operand, axes, *, out_sharding=None):
    """The sum over `axes`, which the result lacks. ValueError where an axis is out of bounds.

    >>> import gnomon.numpy as jnp
    >>> reduce_sum(jnp.arange(6).reshape(2, 3), (1,)).tolist()
    [3, 12]
    """
    return reduction(shape_ops.ReduceSum, operand, axes, out_sharding)


def reduce_max(operand, axes, *, out_sharding=None):
    """The largest element over `axes`, NaN where there is one. Elements that tie share the derivative equally.

    >>> import gnomon.numpy as jnp
    >>> reduce_max(jnp.arange(6).reshape(2, 3), (1,)).tolist()
    [2, 5]
    """
    return reduction(ops.ReduceMax, operand, axes, out_sharding)


def reduce_min(operand, axes, *, out_sharding=None):
    """The smallest element over `axes`, NaN where there is one. Elements that tie share the derivative equally.

    >>> import gnomon.numpy as jnp
    >>> reduce_min(jnp.arange(6).reshape(2, 3), (0,)).tolist()
    [0, 1, 2]
    """
    return reduction(ops.ReduceMin, operand, axes, out_sharding)


def reduce_prod(operand, axes):
    """The product over `axes`.

    >>> import gnomon.numpy as jnp
    >>> reduce_prod(jnp.arange(1, 5), (0,)).tolist()
    24
    """
    return reduction(ops.ReduceProd, operand, axes)


def reduce_and(operand, axes):
    """Whether all are true over `axes`; bit by bit for integers.

    >>> import gnomon.numpy as jnp
    >>> reduce_and(jnp.array([True, False]), (0,)).tolist()
    False
    """
    return reduction(ops.ReduceAnd, operand, axes)


def reduce_or(operand, axes):
    """Whether any is true over `axes`; bit by bit for integers.

    >>> import gnomon.numpy as jnp
    >>> reduce_or(jnp.array([True, False]), (0,)).tolist()
    True
    """
    return reduction(ops.ReduceOr, operand, axes)


def reduce_xor(operand, axes):
    """Whether an odd number is true over `axes`; bit by bit for integers.

    >>> import gnomon.numpy as jnp
    >>> reduce_xor(jnp.array([True, True]), (0,)).tolist()
    False
    """
    return reduction(ops.ReduceXor, operand, axes)


def argmax(operand, axis, index_dtype):
    """The place of the first maximum along one axis, that of the first NaN if there is one. ValueError for an empty
    axis.

    >>> import gnomon.numpy as jnp
    >>> argmax(jnp.array([1, 3, 3]), 0, "int32").tolist()
    1
    """
    return bind(ops.Argmax(*place_of(operand, axis, index_dtype, "argmax")[1:]), as_value(operand, "argmax"))


def argmin(operand, axis, index_dtype):
    """The place of the first minimum along one axis, that of the first NaN if there is one. ValueError for an empty
    axis.

    >>> import gnomon.numpy as jnp
    >>> argmin(jnp.array([1, 3, 1]), 0, "int32").tolist()
    0
    """
    return bind(ops.Argmin(*place_of(operand, axis, index_dtype, "argmin")[1:]), as_value(operand, "argmin"))


def place_of(operand, axis, index_dtype, what):
    x = as_value(operand, what)
    return x, (axis_of(axis, x.type.ndim, what),), requested_dtype(index_dtype)


# ---- any computation ----------------------------------------------------------------------------------------------

def all_bits(dtype):
    """The number of a dtype whose bits are all set."""
    return True if is_bool(dtype) else -1 if is_signed(dtype) else int(iinfo(dtype).max)


# op that combines -> (reduction, its identity for a dtype)
MONOIDS = {
    arithmetic.Add: (shape_ops.ReduceSum, lambda dtype: 0),
    arithmetic.Mul: (ops.ReduceProd, lambda dtype: 1),
    arithmetic.Max: (ops.ReduceMax, lambda dtype: extreme_identity(dtype, True)),
    arithmetic.Min: (ops.ReduceMin, lambda dtype: extreme_identity(dtype, False)),
    compare.And: (ops.ReduceAnd, lambda dtype: all_bits(dtype)),
    compare.Or: (ops.ReduceOr, lambda dtype: 0),
    compare.Xor: (ops.ReduceXor, lambda dtype: 0),
}


@recorded
def reduce(operands, init_values, computation, dimensions, out_sharding=None):
    """Reduces a tree of arrays of one shape over `dimensions`. `computation` takes two trees of scalars, what was
    reduced so far and the next elements, and must be associative; `init_values` is a tree of scalars to start from.

    >>> import gnomon.numpy as jnp
    >>> from gnomon import lax
    >>> reduce(jnp.arange(4), 10, jnp.add, (0,)).tolist()
    16
    """
    leaves, tree = tree_flatten(operands)
    inits, init_tree = tree_flatten(init_values)
    if tree != init_tree:
        raise ValueError(f"reduce needs operands and init_values of one structure, got {tree} and {init_tree}.")
    if not leaves:
        raise ValueError("reduce needs at least one operand.")
    xs = [as_value(x, "reduce") for x in leaves]
    starts = [start_value(i, x) for i, x in zip(inits, xs)]
    dims = axes_of(dimensions, xs[0].type.ndim, "reduce")
    jaxpr = combining_program(computation, tree, xs, "reduce")
    if len(xs) == 1 and out_sharding is None:
        found = monoid_of(jaxpr)
        if found is not None:
            cls, identity = MONOIDS[type(found)]
            out = bind(cls(dims), xs[0]) if dims else xs[0]
            return out if is_number(inits[0], identity(xs[0].type.dtype)) else bind(found, starts[0], out)
    if out_sharding is not None:
        raise Refused("reduce takes no out_sharding here; reduce_sum, reduce_max and reduce_min do, so call one of them.")
    return tree_unflatten(tree, bind(Reduce(jaxpr, dims), *xs, *starts))


def start_value(init, x):
    """An initial value as a scalar of the dtype of `x`."""
    if isinstance(init, (bool, int, float, complex, np.number, np.bool_)):
        return shape_ops.full(ArrayType((), x.type.dtype), init)
    return convert_element_type(as_value(init, "reduce"), x.type.dtype)


_OWN = frozenset(getattr(arithmetic_functions, name) for name in arithmetic_functions.__all__)
OWN_FUNCTIONS.update([f for f in _OWN if f.__class__ is FunctionType])
_programs: dict = {}        # those of lax's own functions, such as lax.add: (function, structure, types) -> program


def combining_program(computation, tree, xs, what):
    """The program of a function that combines two trees of scalars of the dtypes of `xs`."""
    if not callable(computation):
        raise TypeError(f"{what} takes a function that combines scalars as its computation, got {computation!r}.")
    types = [ArrayType((), x.type.dtype) for x in xs]
    n = len(types)
    ours = computation.__class__ is FunctionType and computation in _OWN
    key = (computation, tree, *types)
    if ours and key in _programs:
        return _programs[key]

    def run(*values):
        out = computation(tree_unflatten(tree, values[:n]), tree_unflatten(tree, values[n:]))
        outs, out_tree = tree_flatten(out)
        if out_tree != tree:
            raise TypeError(f"{what}'s computation must return a tree like the operands, {tree}, got {out_tree}.")
        outs = [as_value(o, f"{what}'s computation") for o in outs]
        for o, t in zip(outs, types):
            if o.type.shape or o.type.dtype != t.dtype:
                raise TypeError(f"{what}'s computation must return scalars of the operands' dtypes, {t}, got {o.type}.")
        return outs

    jaxpr, captured = stage(run, types + types, name=getattr(computation, "__name__", "computation"), kind=what)
    if captured:
        raise Refused(f"{what}'s computation uses arrays from outside it; pass them in as operands, or write the "
                      f"reduction with gnomon.lax.scan.")
    made = intern(jaxpr)
    if ours:
        _programs[key] = made
    return made


def monoid_of(jaxpr):
    """The op of a program that is nothing but one known op of its two inputs."""
    if len(jaxpr.eqns) == 1 and len(jaxpr.invars) == 2:
        e, = jaxpr.eqns
        if type(e.op) in MONOIDS and jaxpr.outvars == e.outs and e.ins in (jaxpr.invars, jaxpr.invars[::-1]):
            return e.op
    return None


def is_number(value, number):
    """Whether a value is known to be this number."""
    if isinstance(value, Literal):
        value = value.value
    if isinstance(value, Value):
        if not hasattr(value, "host"):
            return False
        value = np.asarray(value)
    return np.ndim(value) == 0 and bool(np.asarray(value) == number)


# ---- running reductions -------------------------------------------------------------------------------------------

def running(cls, operand, axis, reverse):
    x = as_value(operand, cls.name)
    return bind(cls(axis_of(axis, x.type.ndim, cls.name), bool(reverse)), x)


def cumsum(operand, axis=0, reverse=False):
    """Running sums along an axis, from its end where `reverse`.

    >>> import gnomon.numpy as jnp
    >>> cumsum(jnp.arange(4)).tolist()
    [0, 1, 3, 6]
    """
    return running(cumulative.Cumsum, operand, axis, reverse)


def cumprod(operand, axis=0, reverse=False):
    """Running products along an axis, from its end where `reverse`.

    >>> import gnomon.numpy as jnp
    >>> cumprod(jnp.arange(1, 5)).tolist()
    [1, 2, 6, 24]
    """
    return running(cumulative.Cumprod, operand, axis, reverse)


def cummax(operand, axis=0, reverse=False):
    """Running maxima along an axis, from its end where `reverse`; NaN from the first NaN on.

    >>> import gnomon.numpy as jnp
    >>> cummax(jnp.array([1, 3, 2])).tolist()
    [1, 3, 3]
    """
    return running(cumulative.Cummax, operand, axis, reverse)


def cummin(operand, axis=0, reverse=False):
    """Running minima along an axis, from its end where `reverse`; NaN from the first NaN on.

    >>> import gnomon.numpy as jnp
    >>> cummin(jnp.array([2, 3, 1])).tolist()
    [2, 2, 1]
    """
    return running(cumulative.Cummin, operand, axis, reverse)


def cumlogsumexp(operand, axis=0, reverse=False):
    """Running log(sum(exp(x))) along an axis, from its end where `reverse`.

    >>> import gnomon.numpy as jnp
    >>> cumlogsumexp(jnp.zeros(2)).round(3).tolist()
    [0.0, 0.6930000185966492]
    """
    return running(cumulative.Cumlogsumexp, operand, axis, reverse)


# ---- sorting ------------------------------------------------------------------------------------------------------

def sort(operand, dimension=-1, is_stable=True, num_keys=1):
    """An array sorted along one dimension, NaN last; of a sequence of arrays of one shape, all sorted by the first
    `num_keys` of them, as a tuple.

    >>> import gnomon.numpy as jnp
    >>> sort(jnp.array([3, 1, 2])).tolist()
    [1, 2, 3]
    """
    many = isinstance(operand, (tuple, list))
    xs = [as_value(x, "sort", i) for i, x in enumerate(operand)] if many else [as_value(operand, "sort")]
    if not xs:
        raise TypeError("sort needs at least one array, got none.")
    dimension = axis_of(dimension, xs[0].type.ndim, "sort")
    outs = bind(sorting.Sort(dimension, bool(is_stable), integer(num_keys, "sort", "num_keys")), *xs)
    return tuple(outs) if many else outs[0]


def sort_key_val(keys, values, dimension=-1, is_stable=True):
    """Keys sorted along one dimension, and the values in the same order.

    >>> import gnomon.numpy as jnp
    >>> [x.tolist() for x in sort_key_val(jnp.array([3, 1]), jnp.array([10, 20]))]
    [[1, 3], [20, 10]]
    """
    return sort((keys, values), dimension, is_stable, 1)


def top_k(operand, k, *, axis=-1, is_stable=True):
    """The `k` largest elements along one axis in descending order, and their places (int32); NaN counts as largest, and
    ties stand in order. ValueError where there are fewer than `k`.

    >>> import gnomon.numpy as jnp
    >>> [x.tolist() for x in top_k(jnp.array([1, 5, 3]), 2)]
    [[5, 3], [1, 2]]
    """
    x = as_value(operand, "top_k")
    values, places = bind(sorting.TopK(integer(k, "top_k", "k"), axis_of(axis, x.type.ndim, "top_k")), x)
    return values, places


def approx_max_k(operand, k, reduction_dimension=-1, recall_target=0.95, reduction_input_size_override=-1,
                 aggregate_to_topk=True):
    """The `k` largest elements along one dimension and their places. The result is exact, whatever `recall_target`
    allows.

    >>> import gnomon.numpy as jnp
    >>> [x.tolist() for x in approx_max_k(jnp.array([1.0, 5.0, 3.0]), 2)]
    [[5.0, 3.0], [1, 2]]
    """
    return approximate(operand, k, reduction_dimension, recall_target, True, reduction_input_size_override, aggregate_to_topk)


def approx_min_k(operand, k, reduction_dimension=-1, recall_target=0.95, reduction_input_size_override=-1,
                 aggregate_to_topk=True):
    """The `k` smallest elements along one dimension and their places. The result is exact, whatever `recall_target`
    allows.

    >>> import gnomon.numpy as jnp
    >>> [x.tolist() for x in approx_min_k(jnp.array([4.0, 1.0, 3.0]), 2)]
    [[1.0, 3.0], [1, 2]]
    """
    return approximate(operand, k, reduction_dimension, recall_target, False, reduction_input_size_override, aggregate_to_topk)


def number(x, what):
    if not isinstance(x, (int, float, np.floating)):
        raise TypeError(f"{what} takes a number between 0 and 1 as its recall_target, got {x!r}.")
    return float(x)


def approximate(operand, k, dimension, recall_target, is_max_k, size, aggregate):
    what = "approx_max_k" if is_max_k else "approx_min_k"
    x = as_value(operand, what)
    axis_of(dimension, x.type.ndim, what)
    return bind(ApproxTopK(integer(k, what, "k"), integer(dimension, what, "reduction_dimension"), number(recall_target, what), is_max_k,
                           integer(size, what, "reduction_input_size_override"),
                           bool(aggregate)), x)
