"""Functions of integer orders, all of them up to a highest one: Legendre functions, spherical harmonics, Bessel functions."""
from __future__ import annotations

import math

import numpy as np

from gnomon import lax
from gnomon import numpy as jnp
from gnomon.base.errors import Refused
from gnomon.numpy.axes import integer
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import as_value, promote_inexact, to_inexact
from gnomon.trace.stage import Tracer
from gnomon.types.dtype import is_float

__all__ = ["bessel_jn", "lpmn", "lpmn_values", "sph_harm_y"]


def legendre(cosine, sine, last, normalized):
    """The associated Legendre functions P[m, l] of all orders m and degrees l up to `last`: shape (last + 1, last + 1, ...).

    `sine` is sqrt(1 - cosine^2). Normalized ones are scaled for orthonormal spherical harmonics, and neither over- nor underflow."""
    m = np.arange(last + 1, dtype=np.int32)
    degrees = np.arange(1, last + 1, dtype=np.int32)[:, None]
    with np.errstate(all="ignore"):
        if normalized:
            first = math.sqrt(1 / (4 * math.pi))
            diagonal = np.concatenate([[first], -np.sqrt((2 * m[1:] + 1) / (2 * m[1:]))])
            a = np.sqrt((4 * degrees ** 2 - 1) / (degrees ** 2 - m ** 2))
            b = a * np.sqrt(((degrees - 1) ** 2 - m ** 2) / (4 * (degrees - 1.0) ** 2 - 1))
        else:
            first = 1.0
            diagonal = np.concatenate([[1], -(2.0 * m[1:] - 1)])
            a = (2 * degrees - 1) / (degrees - m)
            b = (degrees + m - 1) / (degrees - m)
    below = m < degrees
    a, b = np.where(below, a, 0), np.where(m < degrees - 1, b, 0)
    dtype, lead = cosine.dtype, (slice(None), *[None] * cosine.ndim)

    def step(state, row):
        before, last_one, top = state
        a, b, factor, degree = row
        top = top * factor * sine
        value = a[lead] * cosine * last_one - b[lead] * before
        value = jnp.where((m == degree)[lead], top, value)
        return (last_one, value, top), value

    zero = jnp.zeros((last + 1, *cosine.shape), dtype)
    start = jnp.full(cosine.shape, first, dtype)
    first_row = zero.at[0].set(first)
    rows = a.astype(dtype), b.astype(dtype), diagonal[1:].astype(dtype), np.arange(1, last + 1, dtype=np.int32)
    _, rest = lax.scan(step, (zero, first_row, start), tuple(map(jnp.asarray, rows)))
    return jnp.moveaxis(jnp.concatenate([first_row[None], rest]), 0, 1)


def checked(m, n, z, name):
    m, n = integer(m, name, "m"), integer(n, name, "n")
    z = as_value(z, name, 2)
    if not is_float(z.dtype) or z.ndim != 1:
        raise (ValueError if is_float(z.dtype) else TypeError)(f"{name} takes a vector of floats z, got an array of type {z.type}.")
    if m != n:
        raise Refused(f"{name} gives as many orders as degrees, so m and n must be equal, got m={m} and n={n}.")
    return n, z


def lpmn_values(m, n, z, is_normalized):
    """The associated Legendre functions of the first kind: shape (m + 1, n + 1, len(z)) for the orders and degrees up to m = n.

    is_normalized: scaled so that spherical harmonics made of them are orthonormal.

    >>> import gnomon.numpy as jnp
    >>> lpmn_values(1, 1, jnp.array([0.5]), False)[0, :, 0].tolist()
    [1.0, 0.5]
    """
    n, z = checked(m, n, z, "lpmn_values")
    return _lpmn_values(z, n=n, is_normalized=bool(is_normalized))


@composite(static=("n", "is_normalized"))
def _lpmn_values(z, n, is_normalized):
    return legendre(z, jnp.sqrt(1 - z * z), n, is_normalized)


def lpmn(m, n, z):
    """The associated Legendre functions of the first kind, and their derivatives: two arrays of shape (m + 1, n + 1, len(z)); m = n.

    >>> import gnomon.numpy as jnp
    >>> lpmn(1, 1, jnp.array([0.5]))[1][0, 1, 0].tolist()
    1.0
    """
    n, z = checked(m, n, z, "lpmn")
    return _lpmn(z, n=n)


@composite(static=("n",))
def _lpmn(z, n):
    values = legendre(z, jnp.sqrt(1 - z * z), n, False)
    m, degree = np.arange(n + 1, dtype=np.int32)[:, None, None], np.arange(n + 1, dtype=np.int32)[:, None]
    before = jnp.concatenate([jnp.zeros_like(values[:, :1]), values[:, :-1]], 1)
    slope = ((degree * z).astype(z.dtype) * values - (degree + m).astype(z.dtype) * before) / (z * z - 1)
    return values, jnp.where(m <= degree, slope, 0)


def sph_harm_y(n, m, theta, phi, diff_n=None, n_max=None):
    """Spherical harmonics of degree n >= 0 and order |m| <= n at colatitude theta and longitude phi, complex. The arguments broadcast.

    n_max: the largest degree; it must be given while tracing n, and larger degrees count as it. diff_n is refused: use grad.

    >>> import gnomon.numpy as jnp
    >>> complex(sph_harm_y(jnp.array([0]), jnp.array([0]), jnp.array([0.0]), jnp.array([0.0]))[0]).real
    0.28209...
    """
    if diff_n is not None:
        raise Refused("sph_harm_y gives no derivatives (diff_n); differentiate it with jvp or grad.")
    if n_max is None:
        if isinstance(n, Tracer):
            raise TypeError("sph_harm_y needs n_max, the largest degree, since n is traced. Give it as an integer.")
        n_max = np.max(np.asarray(n), initial=0)
    n, m = as_value(n, "sph_harm_y", 0), as_value(m, "sph_harm_y", 1)
    return _sph_harm_y(n, m, theta, phi, n_max=integer(n_max, "sph_harm_y", "n_max"))


@composite(static=("n_max",))
def _sph_harm_y(n, m, theta, phi, n_max):
    theta, phi = promote_inexact("sph_harm_y", theta, phi)
    n, m, theta, phi = jnp.broadcast_arrays(n, m, theta, phi)
    table = legendre(jnp.cos(theta), jnp.sin(theta), n_max, True)
    order = jnp.abs(m)
    rows = table.reshape(n_max + 1, n_max + 1, -1)
    picked = rows[jnp.clip(order, 0, n_max).reshape(-1), jnp.clip(n, 0, n_max).reshape(-1), np.arange(rows.shape[-1], dtype=np.int32)].reshape(n.shape)
    sign = jnp.where((m < 0) & (order % 2 == 1), -1, 1)
    angle = m * phi
    return lax.complex(picked * sign * jnp.cos(angle), picked * sign * jnp.sin(angle))


def bessel_jn(z, *, v, n_iter=50):
    """The Bessel functions of the first kind of the orders 0 to v, an integer known while tracing: shape (v + 1, *z.shape).

    n_iter: the order that the recurrence starts from; it must be well above v and |z|.

    >>> import gnomon.numpy as jnp
    >>> bessel_jn(jnp.array([0.0, 1.0]), v=0).tolist()
    [[1.0, 0.76519...]]
    """
    z = to_inexact(as_value(z, "bessel_jn", 0))
    v, n_iter = integer(v, "bessel_jn", "v"), integer(n_iter, "bessel_jn", "n_iter")
    if not is_float(z.dtype):
        raise TypeError(f"bessel_jn takes real numbers, got an array of {z.dtype}.")
    if v < 0 or n_iter <= v:
        raise ValueError(f"bessel_jn takes 0 <= v < n_iter, got v={v} and n_iter={n_iter}.")
    return _bessel_jn(z, v=v, n_iter=n_iter)


@composite(static=("v", "n_iter"))
def _bessel_jn(z, v, n_iter):
    """By the ratios of neighbouring orders, which are found from the highest one down, and 1 = J_0 + 2 J_2 + 2 J_4 + ..."""
    def ratio(r, k):
        r = z / (2 * k - z * r)
        return r, r

    _, ratios = lax.scan(ratio, jnp.zeros_like(z), jnp.arange(n_iter, 0, -1, dtype=z.dtype))
    relative = jnp.cumprod(ratios[::-1], 0)         # J_1 / J_0, J_2 / J_0, ...
    zeroth = 1 / (1 + 2 * relative[1::2].sum(0))
    return jnp.concatenate([jnp.ones_like(z)[None], relative[:v]]) * zeroth
