"""Polynomials as vectors of coefficients, that of the highest power first."""
from __future__ import annotations

import math

import numpy as np

from gnomon.api.control import scan
from gnomon.numpy import linalg, reductions, selection
from gnomon.numpy.axes import integer
from gnomon.numpy.composite import composite, remembered
from gnomon.numpy.creation import asarray
from gnomon.numpy.manipulation import concatenate, roll
from gnomon.numpy.comparing import vander
from gnomon.numpy.promote import as_value, promote_dtypes, promote_inexact, to_inexact
from gnomon.numpy.signals import convolve
from gnomon.numpy.sorting import argsort
from gnomon.numpy.taking import concrete, flat
from gnomon.ops.convert import convert_element_type
from gnomon.ops.shape import full
from gnomon.ops.stacking import Unstack
from gnomon.trace.stage import bind
from gnomon.types.dtype import complex_dtype, finfo, is_complex, real_dtype
from gnomon.types.size import check_size
from gnomon.types.value_type import ArrayType

__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval", "roots"]

FEW = 16            # steps that are written out


def polynomial(p, name, position=0):
    """Coefficients as a vector."""
    p = as_value(p, name, position)
    if p.type.ndim > 1:
        raise ValueError(f"{name} takes a vector of coefficients, got an array of shape {p.type.shape}.")
    return flat(p)


def zeros_like(p, size):
    return full(ArrayType((size,), p.type.dtype), 0)


# ---- values -------------------------------------------------------------------------------------------------------

def polyval(p, x, *, unroll=None):
    """The values of a polynomial at `x`, by Horner's rule: p[0] * x**(n-1) + ... + p[n-1].

    `p`: the coefficients along its first dimension; further ones are broadcast against `x`. `unroll`: how many steps
    one iteration of the compiled loop does, for many coefficients.
    Errors: TypeError for what is no array (lists included), ValueError for coefficients without dimensions.

    >>> import gnomon.numpy as np
    >>> np.polyval(np.array([1.0, 2.0, 3.0]), 2.0)
    Array(11., dtype=float32)
    """
    p, x = promote_dtypes("polyval", as_value(p, "polyval", 0), x)
    if not p.type.ndim:
        raise ValueError("polyval takes coefficients along the first dimension of p, got a scalar.")
    return run_polyval(p, x, FEW if unroll is None else integer(unroll, "polyval", "unroll"))


@composite(static=("unroll",))
def run_polyval(p, x, unroll):
    shape = np.broadcast_shapes(p.type.shape[1:], x.type.shape)
    y = full(ArrayType(shape, x.type.dtype), 0)
    if p.type.shape[0] <= FEW:
        for i, c in enumerate(bind(Unstack(0), p)):
            y = c + y if i == 0 else y * x + c
        return y
    return scan(lambda y, c: (y * x + c, None), y, p, unroll=unroll)[0]


def poly(seq_of_zeros):
    """The coefficients of the polynomial with these zeros, or of the characteristic polynomial of a square matrix.

    Errors: TypeError for what is no array of numbers (lists included), ValueError for what is neither a vector nor a square matrix.

    >>> import gnomon.numpy as np
    >>> np.poly(np.array([1.0, 2.0]))
    Array([ 1., -3.,  2.], dtype=float32)
    """
    z = to_inexact(as_value(seq_of_zeros, "poly", 0))
    if z.type.ndim == 2 and z.type.shape[0] == z.type.shape[1] and z.type.shape[0]:
        z = linalg.eigvals(z)
    if z.type.ndim > 1:
        raise ValueError(f"poly takes a vector of zeros or a square matrix, got an array of shape {z.type.shape}.")
    return run_poly(flat(z)) if z.type.size else full(ArrayType((), z.type.dtype), 1)


@composite
def run_poly(z):
    first = np.eye(1, z.type.shape[0] + 1)[0].astype(z.type.dtype)
    return scan(lambda c, z: (c - z * concatenate([zeros_like(c, 1), c[:-1]]), None), asarray(first), z)[0]


# ---- arithmetic ---------------------------------------------------------------------------------------------------

def polyadd(a1, a2):
    """The sum of two polynomials.

    Errors: TypeError for what is no array (lists included), ValueError where coefficients are no vector.

    >>> import gnomon.numpy as np
    >>> np.polyadd(np.array([1, 2, 3]), np.array([1, 1]))
    Array([1, 3, 4], dtype=int32)
    """
    return run_sum(*promote_dtypes("polyadd", polynomial(a1, "polyadd"), polynomial(a2, "polyadd", 1)))


def polysub(a1, a2):
    """The difference of two polynomials.

    Errors: TypeError for what is no array (lists included), ValueError where coefficients are no vector.

    >>> import gnomon.numpy as np
    >>> np.polysub(np.array([1, 2, 3]), np.array([1, 1]))
    Array([1, 1, 2], dtype=int32)
    """
    return run_difference(*promote_dtypes("polysub", polynomial(a1, "polysub"), polynomial(a2, "polysub", 1)))


def of_one_length(a, b):
    n = max(a.type.size, b.type.size)
    return [p if p.type.size == n else concatenate([zeros_like(p, n - p.type.size), p]) for p in (a, b)]


@composite
def run_sum(a, b):
    a, b = of_one_length(a, b)
    return a + b


@composite
def run_difference(a, b):
    a, b = of_one_length(a, b)
    return a - b


def polymul(a1, a2, *, trim_leading_zeros=False):
    """The product of two polynomials. With `trim_leading_zeros`, which needs concrete numbers, their leading zeros are
    dropped.

    Errors: TypeError for what is no array (lists included), ValueError where coefficients are no vector.

    >>> import gnomon.numpy as np
    >>> np.polymul(np.array([1.0, 2.0]), np.array([1.0, -1.0]))
    Array([ 1.,  1., -2.], dtype=float32)
    """
    a, b = promote_inexact("polymul", polynomial(a1, "polymul"), polynomial(a2, "polymul", 1))
    if trim_leading_zeros and (a.type.size > 1 or b.type.size > 1):
        a, b = trimmed(a, "polymul"), trimmed(b, "polymul")
    if not a.type.size or not b.type.size:
        a, b = [p if p.type.size else zeros_like(p, 1) for p in (a, b)]
    return convolve(a, b, "full")


def trimmed(p, name, tolerance=0.0):
    """Without the leading coefficients that are 0, or not larger than the tolerance."""
    numbers = concrete(p, f"{name} with trim_leading_zeros", "Use trim_leading_zeros=False.")
    large = np.flatnonzero(np.abs(numbers) > tolerance)
    return p[int(large[0]) if large.size else p.type.size:]


def polydiv(u, v, *, trim_leading_zeros=False):
    """(quotient, remainder) of two polynomials. The remainder is as long as `u`; with `trim_leading_zeros`, which needs
    concrete numbers, it has no leading zeros.

    Errors: TypeError for what is no array (lists included), ValueError where coefficients are no vector or the divisor has none.

    >>> import gnomon.numpy as np
    >>> np.polydiv(np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0]))
    (Array([1., 3.], dtype=float32), Array([0., 0., 6.], dtype=float32))
    """
    u, v = promote_inexact("polydiv", polynomial(u, "polydiv"), polynomial(v, "polydiv", 1))
    if not v.type.size:
        raise ValueError("polydiv needs a divisor with at least one coefficient.")
    if u.type.size < v.type.size:
        quotient, rest = zeros_like(u, 1), u
    else:
        quotient, rest = run_division(u, v)
    if trim_leading_zeros:
        rest = trimmed(rest, "polydiv", float(finfo(u.type.dtype).eps))
    return quotient, rest


@composite
def run_division(u, v):
    n, count = v.type.size, u.type.size - v.type.size + 1
    scale = 1 / v[0]

    def step(window, after):
        """The next coefficient of the quotient, and of the remainder so far, whose first coefficient it cancels."""
        factor = scale * window[0]
        rest = window[1:] - factor * v[1:]
        return concatenate([rest, after.reshape(1)]), factor
    behind = concatenate([u[n:], zeros_like(u, 1)])
    window, quotient = scan(step, u[:n], behind)
    return quotient, concatenate([zeros_like(u, count), window[:-1]])


# ---- derivatives and integrals ------------------------------------------------------------------------------------

@remembered
def polyder(p, m=1):
    """The `m`-th derivative of a polynomial.

    Errors: TypeError for what is no array (lists included), ValueError where coefficients are no vector and for m < 0.

    >>> import gnomon.numpy as np
    >>> np.polyder(np.array([1.0, 2.0, 3.0]))
    Array([2., 2.], dtype=float32)
    """
    p, m = to_inexact(polynomial(p, "polyder")), integer(m, "polyder", "m")
    if m < 0:
        raise ValueError(f"Order of derivative must be positive, got m={m}.")
    if m == 0:
        return p
    if m >= p.type.size:
        return p[:0]
    powers = np.arange(p.type.size - 1, m - 1, -1)
    factors = np.prod([powers - k for k in range(m)], axis=0, dtype=float)
    return p[:max(p.type.size - m, 0)] * asarray(np.reshape(factors, (-1,)).astype(p.type.dtype))


@remembered
def polyint(p, m=1, k=None):
    """The `m`-th integral of a polynomial; `k`: the constants of integration, the first integral's first, or one for
    all; 0 by default.

    Errors: TypeError for what is no array (lists included), ValueError where coefficients are no vector, for m < 0 and for another
    number of constants than m.

    >>> import gnomon.numpy as np
    >>> np.polyint(np.array([2.0, 2.0]))
    Array([1., 2., 0.], dtype=float32)
    """
    m = integer(m, "polyint", "m")
    k = as_value(0 if k is None else k, "polyint", 2)
    p, k = promote_inexact("polyint", polynomial(p, "polyint"), k)
    if m < 0:
        raise ValueError(f"Order of integral must be positive, got m={m}.")
    check_size(m + p.type.size, "The number of coefficients that polyint would make")
    if m == 0:
        return p
    k = flat(k)
    if k.type.size not in (1, m):
        raise ValueError(f"polyint takes one constant of integration, or one for each of {m} integrals, got "
                         f"{k.type.size}.")
    powers = np.arange(p.type.size - 1, -1, -1)
    divisors = np.prod([powers + i for i in range(1, m + 1)], axis=0, dtype=float)
    rest = np.array([math.factorial(m - 1 - j) for j in range(m)], float)
    real = real_dtype(p.type.dtype)
    return concatenate([p / asarray(np.reshape(divisors, (-1,)).astype(real)), k / asarray(rest.astype(real))])


# ---- zeros and fits -----------------------------------------------------------------------------------------------

def roots(p, *, strip_zeros=True):
    """The zeros of a polynomial, complex numbers in no particular order.

    With `strip_zeros`, which needs concrete numbers, leading zeros do not count. Else there are as many results as
    coefficients less one, and NaN stands at the end for each leading zero.
    Errors: TypeError for what is no array (lists included), ValueError where coefficients are no vector.

    >>> import gnomon.numpy as np
    >>> np.roots(np.array([1.0, -3.0, 2.0])).real.tolist()
    [2.0, 1.0]
    """
    p = to_inexact(polynomial(p, "roots"))
    if p.type.size < 2:
        return full(ArrayType((0,), to_complex(p).type.dtype), 0)
    if not strip_zeros:
        return run_roots(p)
    numbers = concrete(p, "roots with strip_zeros=True", "Use strip_zeros=False.")
    places = np.flatnonzero(numbers)
    if not places.size:
        return full(ArrayType((0,), to_complex(p).type.dtype), 0)
    inner = p[int(places[0]):int(places[-1]) + 1]
    out = run_companion(inner) if inner.type.size > 1 else to_complex(inner[1:])
    return concatenate([out, zeros_like(out, numbers.size - 1 - int(places[-1]))])


def to_complex(x):
    return x if is_complex(x.type.dtype) else convert_element_type(x, complex_dtype(x.type.dtype))


def companion_values(p):
    n = p.type.size - 1
    first = -(p[1:] / p[0]).reshape(1, n)
    below = asarray(np.eye(n - 1, n).astype(p.type.dtype))
    return linalg.eigvals(concatenate([first, below], 0))


run_companion = composite(companion_values)


@composite
def run_roots(p):
    is_zero = p == 0
    leading = reductions.sum(reductions.cumprod(is_zero.astype("int32")))
    p = selection.where(leading == p.type.size, 1, p)
    out = companion_values(roll(p, -leading))
    out = out[argsort(out == 0)]            # those that the leading zeros make are last
    n = p.type.size - 1
    return selection.where(np.arange(n, dtype=np.int32) < n - leading, out, complex(math.nan, math.nan))


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial of degree `deg` that fits points in the sense of least squares; for a matrix `y`, one for each
    column.

    rcond: singular values smaller by this factor than the largest do not count. w: weights of the points. Gives the
    coefficients; with `full` also the residuals, the rank, the singular values and rcond; with `cov` also the
    covariance matrix of the coefficients, scaled by the residuals unless cov="unscaled". ValueError for degrees below
    0, TypeError for sizes that do not fit.

    >>> import gnomon.numpy as np
    >>> np.polyfit(np.arange(4.0), np.array([1.0, 3.0, 5.0, 7.0]), 1).round(3).tolist()
    [2.0, 1.0]
    """
    x, y = promote_inexact("polyfit", as_value(x, "polyfit", 0), as_value(y, "polyfit", 1))
    deg = integer(deg, "polyfit", "deg")
    if deg < 0:
        raise ValueError(f"polyfit takes a degree of at least 0, got deg={deg}.")
    if x.type.ndim != 1 or not x.type.size:
        raise TypeError(f"polyfit takes a vector x with at least one element, got an array of shape {x.type.shape}.")
    if y.type.ndim not in (1, 2) or y.type.shape[0] != x.type.shape[0]:
        raise TypeError(f"polyfit takes y of one or two dimensions, as long as x, got shapes {y.type.shape} and "
                        f"{x.type.shape}.")
    if w is not None:
        w, = promote_inexact("polyfit", as_value(w, "polyfit", 5))
        if w.type.shape != x.type.shape:
            raise TypeError(f"polyfit takes weights of the shape of x, {x.type.shape}, got {w.type.shape}.")
    rcond = x.type.size * float(finfo(x.type.dtype).eps) if rcond is None else rcond
    if cov not in (True, False, "unscaled"):
        raise ValueError(f"polyfit takes cov True, False or 'unscaled', got {cov!r}.")
    if cov is True and x.type.size <= deg + 1 and not full:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    fit, residuals, rank, values, covariance = run_fit(x, y, w, rcond, deg, "unscaled" if full or not cov else cov)
    if full:
        return fit, residuals, rank, values, asarray(rcond)
    return (fit, covariance) if cov else fit


@composite(static=("deg", "cov"))
def run_fit(x, y, w, rcond, deg, cov):
    left, right = vander(x, deg + 1), y
    if w is not None:
        left, right = left * w[:, None], right * (w if y.type.ndim == 1 else w[:, None])
    scale = (left * left).sum(0) ** 0.5
    left = left / scale
    fit, residuals, rank, values = linalg.lstsq(left, right, rcond)
    fit = (fit.T / scale).T
    covariance = linalg.inv(left.T @ left) / (scale[:, None] * scale[None, :])
    if cov is True:
        spread = residuals / (x.type.size - deg - 1)
        covariance = covariance * spread if y.type.ndim == 1 else covariance[:, :, None] * spread
    return fit, residuals, rank, values, covariance
