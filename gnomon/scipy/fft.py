"""gnomon.scipy.fft: cosine transforms, by Fourier transforms of complex numbers."""
from __future__ import annotations

import math

import numpy as np

from gnomon import numpy as jnp
from gnomon.base.errors import Refused
from gnomon.numpy.axes import axis_tuple, integer, one_axis, one_of, sequence
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import as_value, to_inexact
from gnomon.scipy.floats import wide_floats
from gnomon.types.dtype import is_complex

__all__ = ["dct", "dctn", "idct", "idctn"]

INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def checked(x, type, norm, name):
    one_of(type, INVERSE, name, "type")
    one_of(norm, (None, "backward", "ortho", "forward"), name, "norm")
    x = wide_floats(to_inexact(as_value(x, name, 0)))
    if is_complex(x.dtype):
        raise Refused(f"{name} takes real arrays, got one of {x.dtype}. Transform its real and imaginary parts.")
    return x


def resized(x, n, axis, name, least):
    """The first n elements along an axis, zeros behind where there are fewer."""
    if n < least:
        raise ValueError(f"{name} takes at least {least} {'element' if least == 1 else 'elements'} along each axis"
                         f"{' with type=1' if least == 2 else ''}, got {n}.")
    have = x.shape[axis]
    if n <= have:
        return x[(slice(None),) * axis + (slice(n),)]
    return jnp.pad(x, [(0, n - have if i == axis else 0) for i in range(x.ndim)])


def turns(n, count, factor):
    """exp(-i pi factor k / n) for k = 0, 1, ..."""
    return np.exp(-1j * math.pi * factor * np.arange(count) / n)


def as_complex_like(numbers, x):
    return numbers.astype("complex128" if x.dtype.itemsize == 8 else "complex64")


def last_axis(x, type, ortho):
    """The transform along the last axis: 2 sum_n x_n cos(...), or the orthonormal one."""
    n = x.shape[-1]
    if type == 1:
        if ortho:
            x = x * edges(n, math.sqrt(2)).astype(x.dtype)
        around = jnp.concatenate([x, x[..., -2:0:-1]], -1)
        y = jnp.fft.rfft(around).real
        return y * (edges(n, math.sqrt(0.5)) / math.sqrt(2 * (n - 1))).astype(x.dtype) if ortho else y
    if type == 2:
        # even places, then odd ones backwards: the transform of n complex numbers has all cosines
        y = jnp.concatenate([x[..., ::2], x[..., 1::2][..., ::-1]], -1)
        y = 2 * (jnp.fft.fft(y) * as_complex_like(turns(2 * n, n, 1), x)).real
        return y * first(n, math.sqrt(0.5), math.sqrt(1 / (2 * n))).astype(x.dtype) if ortho else y
    if type == 3:
        x = x * (first(n, math.sqrt(2), math.sqrt(1 / (2 * n))) if ortho else np.ones(n)).astype(x.dtype)
        # the transpose of type 2, but for its first row
        backward = jnp.concatenate([jnp.zeros_like(x[..., :1]), x[..., :0:-1]], -1)
        z = (x - 1j * backward) * as_complex_like(np.conj(turns(2 * n, n, 1)), x)
        v = jnp.fft.ifft(z).real * n
        half = (n + 1) // 2
        y = jnp.zeros_like(v)
        return y.at[..., ::2].set(v[..., :half]).at[..., 1::2].set(v[..., half:][..., ::-1])
    z = x * as_complex_like(turns(2 * n, n, 1), x)
    z = jnp.fft.fft(jnp.pad(z, [(0, 0)] * (x.ndim - 1) + [(0, n)]))[..., :n]
    y = 2 * (z * as_complex_like(turns(4 * n, n, 2) * np.exp(-1j * math.pi / (4 * n)), x)).real
    return y * math.sqrt(1 / (2 * n)) if ortho else y


def edges(n, factor):
    """Ones, but for a factor at both ends."""
    out = np.ones(n)
    out[[0, -1]] = factor
    return out


def first(n, factor, rest):
    """`rest` everywhere, times a factor in the first place."""
    out = np.full(n, rest)
    out[0] *= factor
    return out


def scale(type, n):
    """What a transform and its inverse have to be divided by together."""
    return 2 * (n - 1) if type == 1 else 2 * n


@composite(static=("type", "sizes", "axes", "norm", "inverse", "name"))
def transform(x, type, sizes, axes, norm, inverse, name):
    for n, axis in zip(sizes, axes):
        x = resized(x, n, axis, name, 2 if type == 1 else 1)
        y = last_axis(jnp.moveaxis(x, axis, -1), INVERSE[type] if inverse else type, norm == "ortho")
        if norm != "ortho" and (norm == "forward") != inverse:
            y = y / scale(type, n)
        x = jnp.moveaxis(y, -1, axis)
    return x


def along_one(x, type, n, axis, norm, name, inverse):
    x = checked(x, type, norm, name)
    axis = one_axis(axis, x.ndim, name)
    n = x.shape[axis] if n is None else integer(n, name, "n")
    return transform(x, type=type, sizes=(n,), axes=(axis,), norm=norm, inverse=inverse, name=name)


def along_several(x, type, s, axes, norm, name, inverse):
    x = checked(x, type, norm, name)
    s = None if s is None else [integer(n, name, "s") for n in (sequence(s, name, "s", "sizes") if np.ndim(s) else [s])]
    axes = axes if axes is None or isinstance(axes, int) else sequence(axes, name, "axes", "axes")
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    axes = axis_tuple(axes, x.ndim, name, "axes")
    sizes = tuple([x.shape[a] for a in axes] if s is None else s)
    if len(sizes) != len(axes):
        raise ValueError(f"{name} takes as many sizes s as axes, got {len(sizes)} and {len(axes)}.")
    return transform(x, type=type, sizes=sizes, axes=axes, norm=norm, inverse=inverse, name=name)


def dct(x, type=2, n=None, axis=-1, norm=None):
    """The discrete cosine transform of real numbers along an axis.

    type: 1, 2, 3 or 4. n: how many elements are transformed; missing ones are 0. norm: None or 'backward' (no scaling), 'ortho' (an
    orthonormal transform) or 'forward' (scaled by 1 / (2 n)).

    >>> import gnomon.numpy as jnp
    >>> dct(jnp.array([1.0, 1.0])).tolist()
    [4.0, 0.0]
    """
    return along_one(x, type, n, axis, norm, "dct", False)


def idct(x, type=2, n=None, axis=-1, norm=None):
    """The inverse of `dct`, with the same arguments.

    >>> import gnomon.numpy as jnp
    >>> idct(jnp.array([4.0, 0.0])).tolist()
    [1.0, 1.0]
    """
    return along_one(x, type, n, axis, norm, "idct", True)


def dctn(x, type=2, s=None, axes=None, norm=None):
    """`dct` along several axes (None: all, or the last len(s)), of the sizes s.

    >>> import gnomon.numpy as jnp
    >>> dctn(jnp.ones((2, 2)))[0].tolist()
    [16.0, 0.0]
    """
    return along_several(x, type, s, axes, norm, "dctn", False)


def idctn(x, type=2, s=None, axes=None, norm=None):
    """The inverse of `dctn`, with the same arguments.

    >>> import gnomon.numpy as jnp
    >>> idctn(jnp.array([[16.0, 0.0], [0.0, 0.0]])).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return along_several(x, type, s, axes, norm, "idctn", True)
