"""Numbers in a row: differences, gradients, integrals, interpolation, convolution, windows."""
from __future__ import annotations

import numpy as np

from gnomon.numpy import reductions, selection, ufuncs
from gnomon.numpy.axes import axis_tuple, integer, one_axis, one_of, plain_values
from gnomon.numpy.composite import composite, remembered
from gnomon.numpy.creation import asarray, broadcast, default_float
from gnomon.numpy.indexing import getitem
from gnomon.numpy.manipulation import concatenate, moveaxis
from gnomon.numpy.promote import as_value, promote_dtypes, promote_inexact, requested_dtype, to_inexact
from gnomon.numpy.sorting import argsort, searchsorted
from gnomon.numpy.taking import flat, small_host
from gnomon.ops.convert import convert_element_type
from gnomon.ops.convolution import ConvDimensionNumbers, ConvGeneralDilated
from gnomon.ops.dot import canonical_precision
from gnomon.ops.shape import full
from gnomon.ops.slicing import rev
from gnomon.run.array import from_numpy
from gnomon.trace.stage import bind
from gnomon.types.dtype import finfo, is_bool, is_complex, is_integer, real_dtype
from gnomon.types.size import check_size, is_static
from gnomon.types.value_type import ArrayType

__all__ = ["bartlett", "blackman", "convolve", "correlate", "diff", "ediff1d", "gradient", "hamming", "hanning",
           "interp", "kaiser",
           "trapezoid", "unwrap"]


def part(x, axis, start=None, stop=None, step=None):
    """A slice along one axis."""
    return getitem(x, (slice(None),) * axis + (slice(start, stop, step),))


# ---- differences --------------------------------------------------------------------------------------------------

@remembered
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours along an axis, `n` times over; of booleans, whether they differ.

    `prepend` and `append` (numbers, or arrays that fit but for the axis) are put before and behind first. ValueError
    for scalars and for n < 0.
    Also TypeError for what is no array (lists included), AxisError for an axis out of bounds.

    >>> import gnomon.numpy as np
    >>> np.diff(np.array([1, 2, 4]))
    Array([1, 2], dtype=int32)
    """
    a = as_value(a, "diff", 0)
    n = integer(n, "diff", "n")
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if not a.type.ndim:
        raise ValueError(f"diff requires input that is at least one dimensional; got an array of type {a.type}")
    if n == 0:
        return a
    axis = one_axis(axis, a.type.ndim, "diff")
    host = small_host(a) if prepend is None and append is None else None
    if host is not None and host.dtype.kind in "biuf":
        out = np.diff(host, min(n, host.shape[axis]), axis)
        return from_numpy(out, ArrayType(out.shape, a.type.dtype, a.type.weak_type))
    ends = []
    for end, position in ((prepend, 3), (append, 4)):
        end = None if end is None else as_value(end, "diff", position)
        if end is not None and not end.type.ndim:
            shape = tuple([1 if d == axis else size for d, size in enumerate(a.type.shape)])
            end = broadcast(end, shape, "diff")
        ends.append(end)
    return run_diff(ends[0], a, ends[1], n, axis)


@composite(static=("n", "axis"))
def run_diff(before, a, behind, n, axis):
    parts = [x for x in (before, a, behind) if x is not None]
    if len(parts) > 1:
        a = concatenate(promote_dtypes("diff", *parts), axis)
    size = a.type.shape[axis]
    for _ in range(min(n, size) if is_static(size) else n):        # then nothing is left
        later, earlier = part(a, axis, 1), part(a, axis, None, -1)
        a = ufuncs.not_equal(later, earlier) if is_bool(a.type.dtype) else later - earlier
    return a


@remembered
def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of neighbours in the flattened array, between `to_begin` and `to_end`.

    Errors: TypeError for what is no array (lists included) and for booleans.

    >>> import gnomon.numpy as np
    >>> np.ediff1d(np.array([1, 2, 4]), to_end=9)
    Array([1, 2, 9], dtype=int32)
    """
    a = flat(as_value(ary, "ediff1d", 0))
    ends = [None if e is None else convert_element_type(flat(as_value(e, "ediff1d", k)), a.type.dtype)
            for k, e in ((2, to_begin), (1, to_end))]
    return run_ediff(ends[0], a, ends[1])


@composite
def run_ediff(before, a, behind):
    parts = [x for x in (before, a[1:] - a[:-1], behind) if x is not None]
    return parts[0] if len(parts) == 1 else concatenate(parts)


@remembered
def gradient(f, *varargs, axis=None, edge_order=None):
    """Derivatives of equally or unequally spaced samples along each axis (or those given), by central differences, and
    one-sided ones of order `edge_order` (1 or 2) at the ends.

    `varargs`: nothing (a distance of 1), one distance for all axes, or for each axis a distance or a vector of
    coordinates. Gives an array for one axis, else a list. ValueError for axes too short.
    Also TypeError for what is no array (lists included), AxisError for an axis out of bounds.

    >>> import gnomon.numpy as np
    >>> np.gradient(np.array([1.0, 2.0, 4.0, 8.0]))
    Array([1. , 1.5, 3. , 4. ], dtype=float32)
    """
    f = to_inexact(as_value(f, "gradient", 0))
    edge_order = 1 if edge_order is None else integer(edge_order, "gradient", "edge_order")
    if edge_order not in (1, 2):
        raise ValueError(f"gradient takes edge_order 1 or 2, got {edge_order}.")
    axes = axis_tuple(axis, f.type.ndim, "gradient")
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError(f"gradient takes no distance, one, or one for each of {len(axes)} axes; got {len(varargs)}.")
    spacings = [as_value(h, "gradient", 1 + i) for i, h in enumerate(varargs)] or [None]
    spacings = spacings * len(axes) if len(spacings) == 1 else spacings
    for a, h in zip(axes, spacings):
        if f.type.shape[a] < edge_order + 1:
            raise ValueError(f"Shape of array too small to calculate a numerical gradient, at least {edge_order + 1} "
                             f"elements are required; axis {a} has {f.type.shape[a]}.")
        if h is not None and h.type.shape not in ((), (f.type.shape[a],)):
            raise ValueError(f"gradient takes a distance or {f.type.shape[a]} coordinates for axis {a}, got shape "
                             f"{h.type.shape}.")
    out = run_gradient(f, spacings, axes, edge_order)
    return out[0] if len(axes) == 1 else out


@composite(static=("axes", "edge_order"))
def run_gradient(f, spacings, axes, edge_order):
    return [gradient_along(f, h, a, edge_order) for h, a in zip(spacings, axes)]


def gradient_along(f, h, axis, edge_order):
    def at(start, stop=None):
        return part(f, axis, start, stop)
    if h is None or not h.type.ndim:
        h = 1.0 if h is None else convert_element_type(h, f.type.dtype)
        middle = (at(2) - at(None, -2)) / (2 * h)
        first, last = ([(at(1, 2) - at(0, 1)) / h, (at(-1) - at(-2, -1)) / h] if edge_order == 1 else
                       [(-1.5 * at(0, 1) + 2.0 * at(1, 2) - 0.5 * at(2, 3)) / h,
                        (0.5 * at(-3, -2) - 2.0 * at(-2, -1) + 1.5 * at(-1)) / h])
        return concatenate([first, middle, last], axis)
    h = convert_element_type(h, real_dtype(f.type.dtype))
    step = (h[1:] - h[:-1]).reshape((-1,) + (1,) * (f.type.ndim - 1 - axis))
    one, two = part(step, 0, None, -1), part(step, 0, 1)
    middle = (-two / (one * (one + two)) * at(None, -2) + (two - one) / (one * two) * at(1, -1)
              + one / (two * (one + two)) * at(2))
    if edge_order == 1:
        first, last = (at(1, 2) - at(0, 1)) / part(step, 0, 0, 1), (at(-1) - at(-2, -1)) / part(step, 0, -1)
    else:
        a, b = part(step, 0, 0, 1), part(step, 0, 1, 2)
        first = -(2 * a + b) / (a * (a + b)) * at(0, 1) + (a + b) / (a * b) * at(1, 2) - a / (b * (a + b)) * at(2, 3)
        a, b = part(step, 0, -2, -1), part(step, 0, -1)
        last = b / (a * (a + b)) * at(-3, -2) - (a + b) / (a * b) * at(-2, -1) + (2 * b + a) / (b * (a + b)) * at(-1)
    return concatenate([first, middle, last], axis)


def unwrap(p, discont=None, axis=-1, period=2 * np.pi):
    """Phases along an axis with multiples of `period` added, so that no step is larger than half of it. Steps of less
    than `discont` (at least half the period) are left as they are.

    Errors: TypeError for what is no array (lists included), AxisError for an axis out of bounds, ValueError for arrays without
    dimensions.

    >>> import gnomon.numpy as np
    >>> np.unwrap(np.array([0, 3, 1, 2]), period=4)
    Array([ 0, -1, -3, -2], dtype=int32)
    """
    p, period = promote_dtypes("unwrap", as_value(p, "unwrap", 0), period)
    if not p.type.ndim:
        raise ValueError("unwrap takes an array of at least one dimension.")
    discont = None if discont is None else as_value(discont, "unwrap", 1)
    return run_unwrap(p, period, discont, one_axis(axis, p.type.ndim, "unwrap"))


@composite(static=("axis",))
def run_unwrap(p, period, discont, axis):
    whole = is_integer(p.type.dtype)
    half = period // 2 if whole else period / 2
    step = part(p, axis, 1) - part(p, axis, None, -1)
    inside = ufuncs.mod(step + half, period) - half
    edge = ufuncs.bitwise_and(ufuncs.equal(inside, -half), ufuncs.greater(step, 0))
    if whole:
        edge = ufuncs.bitwise_and(edge, ufuncs.equal(period % 2, 0))
    inside = selection.where(edge, half, inside)
    limit = half if discont is None else discont
    change = selection.where(ufuncs.less(ufuncs.absolute(step), limit), 0, inside - step)
    return concatenate([part(p, axis, 0, 1), part(p, axis, 1) + reductions.cumsum(change, axis)], axis)


# ---- integrals, interpolation -------------------------------------------------------------------------------------

@remembered
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral of samples along an axis by the trapezoidal rule, at coordinates `x` or at distances `dx`.

    Errors: TypeError for what is no array (lists included) and distances whose shapes do not broadcast, AxisError for an axis out
    of bounds.

    >>> import gnomon.numpy as np
    >>> np.trapezoid(np.array([1.0, 2.0, 4.0]))
    Array(4.5, dtype=float32)
    """
    if x is None:
        y, = promote_inexact("trapezoid", y)
        dx = as_value(dx, "trapezoid", 2)
    else:
        y, x = promote_inexact("trapezoid", y, x)
    axis = one_axis(axis, y.type.ndim, "trapezoid")
    return run_trapezoid(y, x, None if x is not None else dx, axis)


@composite(static=("axis",))
def run_trapezoid(y, x, dx, axis):
    y = moveaxis(y, axis, -1)
    if x is not None:
        x = x if x.type.ndim == 1 else moveaxis(x, axis, -1)
        dx = x[..., 1:] - x[..., :-1]
    else:
        dx = convert_element_type(dx, y.type.dtype) if not dx.type.ndim else moveaxis(dx, axis,
                                                                                      -1) if dx.type.ndim > 1 else dx
    return 0.5 * reductions.sum(dx * (y[..., 1:] + y[..., :-1]), -1)


def interp(x, xp, fp, left=None, right=None, period=None):
    """The values at `x` of the broken line through the points (xp, fp), where `xp` is in ascending order.

    Below the first point `left`, by default its value; above the last `right`; "extrapolate" goes on in a straight
    line. With a `period` coordinates are taken modulo it. ValueError where xp and fp are not vectors of one length.
    Also TypeError for what is no array (lists included).

    >>> import gnomon.numpy as np
    >>> np.interp(np.array([0.0, 2.5]), np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 0.0]))
    Array([3., 1.], dtype=float32)
    """
    x, xp = promote_inexact("interp", as_value(x, "interp", 0), as_value(xp, "interp", 1))
    fp, = promote_inexact("interp", as_value(fp, "interp", 2))
    if xp.type.ndim != 1 or xp.type.shape != fp.type.shape:
        raise ValueError(f"xp and fp must be one-dimensional arrays of equal size, got shapes {xp.type.shape} and "
                         f"{fp.type.shape}.")
    if is_complex(x.type.dtype):
        raise ValueError("interp takes real coordinates; only fp may be complex.")
    modes, ends = [], []
    for end, name, position in ((left, "left", 3), (right, "right", 4)):
        if isinstance(end, str) and end != "extrapolate":
            raise ValueError(f"the only valid string value of `{name}` is 'extrapolate', but got: {end!r}")
        modes.append("extrapolate" if isinstance(end, str) else "hold" if end is None or period is not None
                     else "given")
        ends.append(None if end is None or isinstance(end, str) else as_value(end, "interp", position))
    if period is not None:
        period = convert_element_type(as_value(period, "interp", 5), xp.type.dtype)
    return run_interp(x, xp, fp, *ends, period, tuple(modes))


@composite(static=("modes",))
def run_interp(x, xp, fp, left, right, period, modes):
    if period is not None:
        period = ufuncs.absolute(period)
        x, xp = ufuncs.mod(x, period), ufuncs.mod(xp, period)
        order = argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = concatenate([fp[-1:], fp, fp[:1]])
    n = xp.type.shape[0]
    if n == 1:
        out = selection.where(ufuncs.isnan(x), x, fp[0])
    else:
        i = selection.clip(searchsorted(xp, x, side="right"), 1, n - 1)
        x0, f0 = xp[i - 1], fp[i - 1]
        width = xp[i] - x0
        point = ufuncs.less_equal(ufuncs.absolute(width), float(np.spacing(finfo(xp.type.dtype).eps)))
        out = selection.where(point, f0, f0 + (x - x0) / selection.where(point, 1, width) * (fp[i] - f0))
    for mode, end, outside, k in ((modes[0], left, ufuncs.less(x, xp[0]), 0),
                                  (modes[1], right, ufuncs.greater(x, xp[-1]), -1)):
        if mode != "extrapolate":
            out = selection.where(outside, fp[k] if mode == "hold" else end, out)
    return out


# ---- convolution --------------------------------------------------------------------------------------------------

MODES = ("full", "same", "valid")


@remembered
def convolve(a, v, mode="full", *, precision=None, preferred_element_type=None):
    """The convolution of two vectors: of length n + m - 1 ("full"), the longer of the two ("same"), or only where they
    overlap completely ("valid").

    Errors: TypeError for what is no array (lists included), ValueError for what is no vector, for vectors without elements, another
    mode or an unknown precision.

    >>> import gnomon.numpy as np
    >>> np.convolve(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0]))
    Array([1., 3., 5., 3.], dtype=float32)
    """
    a, v = check_vectors("convolve", a, v, mode)
    if a.type.shape[0] < v.type.shape[0]:
        a, v = v, a
    return run_convolve(a, v, mode, *product_options("convolve", precision, preferred_element_type))


@remembered
def correlate(a, v, mode="valid", *, precision=None, preferred_element_type=None):
    """The correlation of two vectors, sum(a[n + k] * conj(v[n])) for each k. `mode` as for `convolve`.

    Errors: TypeError for what is no array (lists included), ValueError for what is no vector, for vectors without elements, another
    mode or an unknown precision.

    >>> import gnomon.numpy as np
    >>> np.correlate(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0]))
    Array([2., 3.], dtype=float32)
    """
    a, v = check_vectors("correlate", a, v, mode)
    return run_correlate(a, v, mode, *product_options("correlate", precision, preferred_element_type))


def check_vectors(name, a, v, mode):
    a, v = promote_inexact(name, as_value(a, name, 0), as_value(v, name, 1))
    if a.type.ndim != 1 or v.type.ndim != 1:
        raise ValueError(f"{name} takes 1-dimensional arrays, got shapes {a.type.shape} and {v.type.shape}.")
    if not a.type.size or not v.type.size:
        raise ValueError(f"{name}: inputs cannot be empty, got shapes {a.type.shape} and {v.type.shape}.")
    one_of(mode, MODES, name, "mode")
    return a, v


def product_options(name, precision, preferred):
    """How products are computed, and the dtype of their sums (None: that of the operands)."""
    plain_values(name, {"precision": precision, "preferred_element_type": preferred})
    return canonical_precision(precision), None if preferred is None else requested_dtype(preferred)


@composite(static=("mode", "precision", "preferred_element_type"))
def run_convolve(a, v, mode, precision, preferred_element_type):
    return slide(a, rev(v, (0,)), mode, precision, preferred_element_type)


@composite(static=("mode", "precision", "preferred_element_type"))
def run_correlate(a, v, mode, precision, preferred_element_type):
    v = ufuncs.conjugate(v)
    if a.type.shape[0] >= v.type.shape[0]:
        return slide(a, v, mode, precision, preferred_element_type)
    return rev(slide(v, a, mode, precision, preferred_element_type), (0,))


def slide(a, v, mode, precision, preferred_element_type):
    """Sums of products of the shorter vector with the longer one at each place."""
    m = v.type.shape[0]
    padding = {"full": (m - 1, m - 1), "same": (m // 2, m - m // 2 - 1), "valid": (0, 0)}[mode]
    line = (0, 1, 2)
    op = ConvGeneralDilated((1,), (padding,), (1,), (1,), ConvDimensionNumbers(line, line, line), 1, 1, precision,
                            preferred_element_type)
    return bind(op, a.reshape(1, 1, -1), v.reshape(1, 1, -1)).reshape(-1)


# ---- windows ------------------------------------------------------------------------------------------------------

def window(name, doc):
    """A window function of NumPy, which depends on static numbers only."""
    function = getattr(np, name)

    def make(M):
        return asarray(function(check_points(M, name)).astype(default_float()))
    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"""{doc} of M points, in the default float dtype.

    Errors: TypeError for an `M` that is no integer.

    >>> import gnomon.numpy as np
    >>> np.{name}(3).shape
    (3,)
    """
    return make


def check_points(M, name):
    """The number of points; there are none where it is negative, as in NumPy."""
    return check_size(max(integer(M, name, "M"), 0), f"The number of points given to {name}")


bartlett = window("bartlett", "The triangular window")
blackman = window("blackman", "The Blackman window")
hamming = window("hamming", "The Hamming window")
hanning = window("hanning", "The Hann window")


def kaiser(M, beta):
    """The Kaiser window of M points with shape parameter `beta`, in the default float dtype.

    Errors: TypeError for an `M` that is no integer.

    >>> import gnomon.numpy as np
    >>> np.kaiser(3, 0.0)
    Array([1., 1., 1.], dtype=float32)
    """
    M = check_points(M, "kaiser")
    if isinstance(beta, (int, float, np.generic)):
        return asarray(np.kaiser(M, beta).astype(default_float()))
    beta = as_value(beta, "kaiser", 1)
    if M <= 1:
        return full(beta.type.with_shape((max(M, 0),)).with_dtype(default_float()), 1)
    return run_kaiser(to_inexact(beta), M)


@composite(static=("M",))
def run_kaiser(beta, M):
    place = (np.arange(M) * (2 / (M - 1)) - 1).astype(beta.type.dtype)
    return ufuncs.i0(beta * np.sqrt(np.maximum(1 - place * place, 0))) / ufuncs.i0(beta)
