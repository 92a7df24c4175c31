"""Counting and correlation: bincount, histograms, cov, corrcoef."""
from __future__ import annotations

import builtins
import math

import numpy as np

from gnomon.api.control import cond
from gnomon.numpy import products, reductions, selection, ufuncs
from gnomon.numpy.axes import integer, sequence
from gnomon.numpy.composite import composite, remembered
from gnomon.numpy.creation import asarray, default_int, settle
from gnomon.numpy.grids import linspace
from gnomon.numpy.index_plan import Options, reader_with
from gnomon.numpy.indexing import ADD, getitem, update
from gnomon.numpy.manipulation import atleast_2d, concatenate
from gnomon.numpy.promote import as_value, promote_dtypes, promote_inexact, requested_dtype
from gnomon.numpy.signals import diff
from gnomon.numpy.sorting import searchsorted
from gnomon.numpy.taking import concrete, flat, ravel_multi_index, small_host
from gnomon.ops.convert import convert_element_type
from gnomon.ops.indexing import FILL_OR_DROP, PROMISE_IN_BOUNDS
from gnomon.ops.shape import full
from gnomon.run.array import from_numpy
from gnomon.trace.stage import value_of
from gnomon.types.dtype import is_bool, is_complex, is_integer
from gnomon.types.size import is_static
from gnomon.types.value_type import ArrayType

__all__ = ["bincount", "corrcoef", "cov", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]

INT32, FLOAT32 = np.dtype("int32"), np.dtype("float32")
DROP, IN_RANGE = Options(FILL_OR_DROP, wrap=False), Options(PROMISE_IN_BOUNDS, wrap=False)


# ---- counting -----------------------------------------------------------------------------------------------------

def bincount(x, weights=None, minlength=0, *, length=None, out_sharding=None):
    """How often each integer from 0 on is in the vector `x`, or the sum of its weights.

    The result is as long as the largest integer asks for, at least `minlength`; then `x` must be concrete
    (ConcretizationTypeError). With `length` it is as long as that, and larger integers are not counted. Integers below
    0 count as 0.
    Also TypeError for what is no array of integers, ValueError for what is no vector and for weights of another shape.

    >>> import gnomon.numpy as np
    >>> np.bincount(np.array([1, 2, 1]), length=4)
    Array([0, 2, 1, 0], dtype=int32)
    """
    if out_sharding is not None:
        raise NotImplementedError("bincount does not take out_sharding; reshard its result instead.")
    x = as_value(x, "bincount", 0)
    if is_bool(x.type.dtype):
        x = convert_element_type(x, INT32)
    if not is_integer(x.type.dtype):
        raise TypeError(f"x argument to bincount must have an integer type; got {x.type.dtype}")
    if x.type.ndim != 1:
        raise ValueError(f"bincount takes a vector, got an array of shape {x.type.shape}.")
    if length is None:
        numbers = concrete(x, "bincount without length", "Give a static length: bincount(x, length=...).")
        length = builtins.max(integer(minlength, "bincount", "minlength"),
                              int(numbers.max()) + 1 if numbers.size else 0)
    else:
        length = integer(length, "bincount", "length")
    if weights is None:
        host = small_host(x)
        if host is not None:
            counts = np.bincount(np.maximum(host, 0), minlength=length)[:length].astype(default_int())
            return from_numpy(counts, ArrayType(counts.shape, counts.dtype))
        weights = full(ArrayType((), default_int()), 1)
    else:
        weights = as_value(weights, "bincount", 1)
        if weights.type.shape != x.type.shape:
            raise ValueError(f"bincount takes weights of the shape of x, {x.type.shape}, got {weights.type.shape}.")
    return run_bincount(x, weights, length)


@composite(static=("length",))
def run_bincount(x, weights, length):
    zeros = full(ArrayType((length,), weights.type.dtype), 0)
    return update(zeros, ufuncs.maximum(x, 0), weights, ADD, DROP)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins of a histogram: `bins` itself if it is a vector, else that many bins of equal width.

    They cover `range`, by default from the smallest element to the largest.
    Errors: TypeError for what is no array (lists included) and for what are neither bins nor a range, ValueError for fewer than 1
    bin and other than two bounds, NotImplementedError for the name of a method to choose bins.

    >>> import gnomon.numpy as np
    >>> np.histogram_bin_edges(np.array([0, 3, 6]), bins=3)
    Array([0., 2., 4., 6.], dtype=float32)
    """
    if isinstance(bins, str):
        raise NotImplementedError(f"histogram_bin_edges does not choose bins by the method {bins!r}; give their number "
                                  "or edges.")
    a = as_value(a, "histogram_bin_edges", 0)
    if np.ndim(bins) == 1:
        edges = asarray(bins)
        if not edges.size:
            raise ValueError("histogram takes the edges of at least 1 bin, got a vector without elements.")
        return edges
    bins = integer(bins, "histogram", "bins")
    if bins < 1:
        raise ValueError(f"histogram takes at least 1 bin, got {bins}.")
    if range is None:
        ends = (0, 1) if not a.type.size else (reductions.min(a), reductions.max(a))
    else:
        ends = sequence(range, "histogram", "range", "two bounds")
        if len(ends) != 2:
            raise ValueError(f"histogram takes a range of two bounds, got {range!r}.")
        low, high = ends
        ends = (low, high)
    return run_edges(*promote_inexact("histogram", flat(a), *ends)[1:], bins)


@composite(static=("bins",))
def run_edges(low, high, bins):
    same = ufuncs.equal(low, high)
    return linspace(selection.where(same, low - 0.5, low), selection.where(same, high + 0.5, high), bins + 1)


def histogram(a, bins=10, range=None, weights=None, density=None, out_sharding=None):
    """(how many elements, or how much of their weights, there is in each bin; the edges of the bins).

    Bins hold their lower edge and not their upper one, but for the last, which holds both. `bins` and `range` as for
    `histogram_bin_edges`; with `density` the result is divided so that its integral is 1.
    Errors: TypeError for what is no array (lists included) and for what are neither bins nor a range, ValueError for fewer than 1
    bin, other than two bounds and weights of another shape, NotImplementedError for the name of a method to choose bins.

    >>> import gnomon.numpy as np
    >>> np.histogram(np.array([1.0, 2.0, 4.0]), bins=2, range=(0, 4))
    (Array([1., 2.], dtype=float32), Array([0., 2., 4.], dtype=float32))
    """
    a = as_value(a, "histogram", 0)
    edges = histogram_bin_edges(a, bins, range)
    if weights is not None:
        weights = as_value(weights, "histogram", 3)
        if weights.type.shape != a.type.shape:
            raise ValueError(f"histogram takes weights of the shape of a, {a.type.shape}, got {weights.type.shape}.")
    a, edges = promote_inexact("histogram", a, edges)
    counts = run_histogram(a, edges, weights, bool(density), np.ndim(bins) == 0)
    return counts if out_sharding is None else settle(counts, None, out_sharding), edges


@composite(static=("density", "equal"))
def run_histogram(a, edges, weights, density, equal):
    a = flat(a)
    weights = full(a.type.with_dtype(a.type.dtype), 1) if weights is None else promote_inexact("histogram",
                                                                                               flat(weights), a)[0]
    place, inside = bin_of(a, edges, equal)
    counts = run_bincount(place, selection.where(inside, weights, 0), edges.type.shape[0] - 1)
    return counts / diff(edges) / reductions.sum(counts) if density else counts


def bin_of(x, edges, equal):
    """(the bin in which each element lies, whether it lies in one). `equal` says that bins are meant to be of equal width."""
    last = edges.type.shape[0] - 1
    if equal and is_static(x.type.shape[0]) and x.type.shape[0] >= MANY and not is_complex(x.type.dtype):
        place, fits = divided(x, edges, last)
        place = cond(fits, lambda: place, lambda: searched(x, edges, last))
    else:
        place = searched(x, edges, last)
    return place, ufuncs.bitwise_and(ufuncs.greater_equal(place, 0), ufuncs.less(place, last))


def searched(x, edges, last):
    place = searchsorted(edges, x, side="right") - 1
    return selection.where(ufuncs.equal(x, getitem(edges, -1)), last - 1, place)


def divided(x, edges, last):
    """The bins by a division, which finds the bin of an element or, by its rounding, one beside it; whether they are right, which
    they may not be where the edges are rounded to a few numbers."""
    low, high = getitem(edges, 0), getitem(edges, -1)
    wide, first, end = [convert_element_type(v, FLOAT32) if v.type.dtype.itemsize < 4 else v for v in (x, low, high)]
    place = within(convert_element_type((wide - first) * (last / (end - first)), INT32), last)
    up, down = ufuncs.greater_equal(x, edge(edges, place + 1)), ufuncs.less(x, edge(edges, place))
    place = within(place + convert_element_type(up, INT32) - convert_element_type(down, INT32), last)
    inside = ufuncs.bitwise_and(ufuncs.greater_equal(x, low), ufuncs.less_equal(x, high))
    below = ufuncs.bitwise_or(ufuncs.less(x, edge(edges, place + 1)), ufuncs.equal(place, last - 1))
    fits = ufuncs.bitwise_and(ufuncs.greater_equal(x, edge(edges, place)), below)
    fits = reductions.all(ufuncs.bitwise_or(fits, ufuncs.bitwise_not(inside)))
    return selection.where(inside, place, last), ufuncs.bitwise_and(fits, ufuncs.less(end - first, np.inf))


MANY = 2 ** 14      # elements from which a division is worth the longer program


def within(place, bins):
    return ufuncs.minimum(ufuncs.maximum(place, 0), bins - 1)


def edge(edges, place):
    return reader_with(edges.type, (place.type,), IN_RANGE).read(edges, [place])


def histogram2d(x, y, bins=10, range=None, weights=None, density=None):
    """(counts, edges along x, edges along y) of points in the plane: `histogramdd` for two dimensions.

    `bins` is a number or a vector of edges for both dimensions, or a pair of these.
    Errors: TypeError for what is no array (lists included) and for what are neither bins nor a range, ValueError for fewer than 1
    bin and weights of another shape, NotImplementedError for the name of a method to choose bins.

    >>> import gnomon.numpy as np
    >>> np.histogram2d(np.array([1.0, 2.0]), np.array([0.0, 1.0]), bins=2)[0]
    Array([[1, 0],
           [0, 1]], dtype=int32)
    """
    x, y = as_value(x, "histogram2d", 0), as_value(y, "histogram2d", 1)
    try:
        count = 1 if isinstance(bins, str) else len(bins)
    except TypeError:
        count = 1
    if count not in (1, 2):
        bins = [asarray(bins), asarray(bins)]
    sample = concatenate([v.reshape(-1, 1) for v in promote_dtypes("histogram2d", x, y)], 1)
    counts, edges = histogramdd(sample, bins, range, weights, density)
    return counts, edges[0], edges[1]


def histogramdd(sample, bins=10, range=None, weights=None, density=None):
    """(counts, list of edges along each dimension) of points, the rows of `sample`.

    `bins` is a number of bins for all dimensions or a sequence with a number or a vector of edges for each; `range` a
    sequence with a pair or None for each. `weights` and `density` as for `histogram`.
    Errors: TypeError for what is no array (lists included) and for what are neither bins nor a range, ValueError for fewer than 1
    bin, another number of bins than columns and weights of another shape, NotImplementedError for the name of a method to choose
    bins.

    >>> import gnomon.numpy as np
    >>> np.histogramdd(np.array([[1.0, 0.0], [2.0, 1.0]]), bins=2)[0]
    Array([[1, 0],
           [0, 1]], dtype=int32)
    """
    sample = as_value(sample, "histogramdd", 0)
    if sample.type.ndim != 2:
        raise ValueError(f"histogramdd takes a matrix of points, one a row, got an array of shape {sample.type.shape}.")
    count, dims = sample.type.shape
    bins = list(bins) if isinstance(bins, (list, tuple)) or np.ndim(bins) else [bins] * dims
    if not dims:
        raise ValueError("histogramdd takes points of at least one dimension, got a matrix without columns.")
    ranges = [None] * dims if range is None else sequence(range, "histogramdd", "range", "pairs of bounds")
    for what, given in (("bins", bins), ("range", ranges)):
        if len(given) != dims:
            raise ValueError(f"histogramdd takes {what} for each of {dims} dimensions, got {len(given)}.")
    if weights is not None:
        weights = as_value(weights, "histogramdd", 3)
        if weights.type.shape != (count,):
            raise ValueError(f"histogramdd takes a weight for each of {count} points, got weights of shape "
                             f"{weights.type.shape}.")
    columns = [getitem(sample, (slice(None), d)) for d in builtins.range(dims)]
    edges = [histogram_bin_edges(c, b, r) for c, b, r in zip(columns, bins, ranges)]
    equal = tuple([np.ndim(b) == 0 for b in bins])
    return run_histogramdd(columns, edges, weights, bool(density), equal), edges


@composite(static=("density", "equal"))
def run_histogramdd(columns, edges, weights, density, equal):
    shape = tuple([e.type.shape[0] - 1 for e in edges])
    places, inside = zip(*[bin_of(*promote_dtypes("histogramdd", c, e), even) for c, e, even in zip(columns, edges, equal)])
    place = ravel_multi_index(places, shape, mode="clip")
    for i in inside:
        place = selection.where(i, place, math.prod(shape))
    weights = full(ArrayType((), default_int()), 1) if weights is None else weights
    counts = run_bincount(place, weights, math.prod(shape)).reshape(shape)
    if not density:
        return counts
    volume = counts / reductions.sum(counts)
    for d, e in enumerate(edges):
        volume = volume / diff(e).reshape((-1,) + (1,) * (len(edges) - 1 - d))
    return volume


# ---- correlation --------------------------------------------------------------------------------------------------

@remembered
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None):
    """The covariance matrix of variables, the rows of `m` (with rowvar=False the columns) and of `y`.

    Sums are divided by the number of observations less `ddof`: 1, or 0 with `bias`. `fweights`: how often each
    observation counts, integers; `aweights`: how much. ValueError for arrays of more than two dimensions and for
    weights that do not fit.
    Also TypeError for what is no array (lists included), ValueError for more than two dimensions, weights of another length and a
    `ddof` that is no integer.

    >>> import gnomon.numpy as np
    >>> np.cov(np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    Array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    m = as_value(m, "cov", 0)
    if ddof is not None and not isinstance(ddof, (int, np.integer)):
        raise ValueError(f"cov takes an integer ddof, got {ddof!r}.")
    xs = [m] if y is None else [m, as_value(y, "cov", 1)]
    for x, name in zip(xs, "my"):
        if x.type.ndim > 2:
            raise ValueError(f"{name} has more than 2 dimensions")
    xs = promote_inexact("cov", *xs)
    if dtype is not None:
        xs = [convert_element_type(x, requested_dtype(dtype)) for x in xs]
    count = xs[0].type.shape[-1 if rowvar or xs[0].type.ndim < 2 else 0] if xs[0].type.ndim else 1
    weights = []
    for w, name, position in ((fweights, "fweights", 5), (aweights, "aweights", 6)):
        if w is not None:
            w = as_value(w, "cov", position)
            if w.type.shape != (count,):
                raise ValueError(f"cov takes {name} that are a vector of {count} numbers, one an observation; got "
                                 f"shape {w.type.shape}.")
            if name == "fweights" and not is_integer(w.type.dtype):
                raise TypeError(f"cov takes fweights that are integers, got {w.type.dtype}.")
        weights.append(w)
    return run_cov(xs, *weights, bool(rowvar), (0 if bias else 1) if ddof is None else int(ddof))


@composite(static=("rowvar", "ddof"))
def run_cov(xs, fweights, aweights, rowvar, ddof):
    rows = [atleast_2d(x) if rowvar or x.type.ndim < 2 else x.T for x in xs]
    x = rows[0] if len(rows) == 1 else concatenate(rows, 0)
    count = x.type.shape[1]
    w = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    if w is None:
        x = x - reductions.mean(x, 1, keepdims=True)
        total, weighted = count - ddof, x
    else:
        w = convert_element_type(w, x.type.dtype)
        total = reductions.sum(w)
        x = x - reductions.sum(x * w, 1, keepdims=True) / total
        weighted = x * w
        if aweights is not None and ddof:
            total = total - ddof * reductions.sum(w * aweights) / total
        else:
            total = total - ddof
    out = products.matmul(weighted, x.conj().T if is_complex(x.type.dtype) else x.T) / total
    return out.reshape(()) if x.type.shape[0] == 1 else out


@remembered
def corrcoef(x, y=None, rowvar=True, dtype=None):
    """The correlation coefficients of variables: `cov` divided by the deviations of both.

    Errors: TypeError for what is no array (lists included), ValueError for more than two dimensions.

    >>> import gnomon.numpy as np
    >>> np.corrcoef(np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    Array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    return run_corrcoef(cov(x, y, rowvar, dtype=dtype))


@composite
def run_corrcoef(c):
    if not c.type.ndim:
        return c / c
    deviation = ufuncs.sqrt(ufuncs.real(c.diagonal()))
    c = c / deviation[:, None] / deviation[None, :]
    real = selection.clip(ufuncs.real(c), -1, 1)
    if not is_complex(c.type.dtype):
        return real
    imag = selection.clip(ufuncs.imag(c), -1, 1)
    return real + convert_element_type(imag, c.type.dtype) * value_of(1j)
