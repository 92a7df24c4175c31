"""Arrays sampled anew at another size: `resize`, and `scale_and_translate` for any scale and offset.

Along each axis the result is a product with a small matrix of weights, so that both are linear, differentiable and batched.
"""
from __future__ import annotations

import enum as _enum

import numpy as _np

from gnomon.numpy import creation as _creation, reductions as _reductions, selection as _selection, taking as _taking, ufuncs as _ufuncs
from gnomon.numpy.axes import one_axis as _one_axis
from gnomon.numpy.einstein import einsum as _einsum
from gnomon.numpy.promote import as_value as _as_value, promote_inexact as _promote_inexact
from gnomon.ops.dot import Precision as _Precision
from gnomon.types.dtype import finfo as _finfo, real_dtype as _real_dtype
from gnomon.types.size import check_shape as _check_shape

__all__ = ["ResizeMethod", "resize", "scale_and_translate"]


class ResizeMethod(_enum.Enum):
    """How values between the elements are found; functions take its members or their names.

    >>> ResizeMethod.from_string("bilinear").name
    'LINEAR'
    """

    NEAREST = 0
    LINEAR = 1
    LANCZOS3 = 2
    LANCZOS5 = 3
    CUBIC = 4
    CUBIC_PYTORCH = 5
    AREA = 6

    @staticmethod
    def from_string(s: str) -> ResizeMethod:
        """The method of a name: nearest, linear, bilinear, trilinear, triangle, cubic, bicubic, tricubic, cubic_pytorch, lanczos3,
        lanczos5, area. ValueError for any other."""
        if isinstance(s, str):
            name = _OTHER_NAMES.get(s, s).upper()
            if name in ResizeMethod.__members__ and s.islower():
                return ResizeMethod[name]
        raise ValueError(f'Unknown resize method "{s}". The methods are {", ".join(m.name.lower() for m in ResizeMethod)}.')


_OTHER_NAMES = {name: method for method in ("linear", "cubic") for name in (f"bi{method}", f"tri{method}")} | {"triangle": "linear"}


# ---- kernels: the weight of an element at a distance ---------------------------------------------------------------------------

def _triangle(x):
    return _ufuncs.maximum(1 - x, 0)


def _cubic(a):
    """Keys' piecewise cubic with the slope `a` at distance 1."""
    def weight(x):
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = (((x - 5) * x + 8) * x - 4) * a
        return _selection.where(x <= 1, near, _selection.where(x < 2, far, 0))
    return weight


def _lanczos(radius):
    return lambda x: _selection.where(x < radius, _ufuncs.sinc(x) * _ufuncs.sinc(x / radius), 0)


def _kernel(method, antialias):
    if method is ResizeMethod.CUBIC_PYTORCH:
        return _cubic(-0.5 if antialias else -0.75)
    return {ResizeMethod.LINEAR: _triangle, ResizeMethod.CUBIC: _cubic(-0.5), ResizeMethod.LANCZOS3: _lanczos(3.0),
            ResizeMethod.LANCZOS5: _lanczos(5.0)}[method]


def _sample_weights(size, new_size, scale, translation, method, antialias, dtype):
    """The matrix [size, new_size] that samples `size` elements where those of the result lie.

    Weights that fall beyond the edges are left out and the others made larger; without antialias, cubic_pytorch gives them to the
    elements at the edges instead."""
    beyond = 2 if method is ResizeMethod.CUBIC_PYTORCH and not antialias and size else 0
    inverse = 1.0 / scale
    width = _ufuncs.maximum(inverse, 1.0) if antialias else 1.0
    place = (_creation.arange(new_size, dtype=dtype) + 0.5) * inverse - translation * inverse - 0.5
    elements = _creation.arange(-beyond, size + beyond, dtype=dtype)[:, None]
    weights = _kernel(method, antialias)(_ufuncs.absolute(place - elements) / width)
    if beyond:
        low, high = [_reductions.sum(part, axis=0) for part in (weights[:beyond], weights[-beyond:])]
        weights = weights[beyond:-beyond].at[0].add(low).at[-1].add(high)
    total = _reductions.sum(weights, axis=0, keepdims=True)
    weights = _selection.where(_ufuncs.absolute(total) > 1000 * float(_finfo(dtype).eps),
                               weights / _selection.where(total != 0, total, 1), 0)
    inside = _ufuncs.logical_and(place >= -0.5, place <= size - 0.5)
    return _selection.where(inside, weights, 0)


def _area_weights(size, new_size, scale, translation, dtype):
    """The matrix of the shares that each old element has in the stretch each new one covers."""
    inverse = 1.0 / scale
    start = (_creation.arange(new_size, dtype=dtype) - translation) * inverse
    left = _creation.arange(size, dtype=dtype)[:, None]
    shared = _ufuncs.maximum(_ufuncs.minimum(start + inverse, left + 1) - _ufuncs.maximum(start, left), 0)
    total = _reductions.sum(shared, axis=0, keepdims=True)
    return (shared / _selection.where(total != 0, total, 1))


# ---- the functions -------------------------------------------------------------------------------------------------------------

def scale_and_translate(image, shape, spatial_dims, scale, translation, method, antialias=True, precision=_Precision.HIGHEST):
    """The array stretched by `scale` and then moved by `translation` along the axes `spatial_dims`, cut to `shape`.

    An element that lies at y before lies at y * scale + translation after, counted from the first element's edge. `scale` and
    `translation` have one number for each axis of `spatial_dims` and may be traced; `shape` differs from the image's on these axes
    alone. What comes from outside the image is 0. `method`: a `ResizeMethod` or its name, any but nearest. `antialias` widens the
    kernel where the image shrinks. Integers become floats. ValueError for shapes, axes or methods that do not fit.

    >>> import gnomon.numpy as jnp
    >>> scale_and_translate(jnp.arange(3.0), (3,), (0,), jnp.ones(1), jnp.ones(1), "linear")
    Array([0., 0., 1.], dtype=float32)
    """
    image, = _promote_inexact("scale_and_translate", image)
    method = _as_method(method)
    if method is ResizeMethod.NEAREST:
        raise ValueError("scale_and_translate has no method 'nearest'. Use resize, or take at rounded places.")
    shape = _new_shape("scale_and_translate", image, shape)
    axes = tuple([_one_axis(axis, len(shape), "scale_and_translate") for axis in spatial_dims])
    if len(set(axes)) < len(axes):
        raise ValueError(f"scale_and_translate takes each axis once, got spatial_dims={tuple(spatial_dims)}.")
    moved = [i for i, (old, new) in enumerate(zip(image.shape, shape)) if old != new and i not in axes]
    if moved:
        raise ValueError(f"scale_and_translate changes the sizes of the axes in spatial_dims alone, but shape {shape} differs from the "
                         f"image's {image.shape} along axis {moved[0]}. Name that axis in spatial_dims.")
    dtype = _weights_dtype(image)
    scale, translation = [_creation.asarray(x).astype(dtype) for x in (scale, translation)]
    for name, x in (("scale", scale), ("translation", translation)):
        if x.shape != (len(axes),):
            raise ValueError(f"scale_and_translate: {name} has one number for each axis of spatial_dims, so its shape is ({len(axes)},), "
                             f"got {x.shape}.")
    return _sampled(image, shape, [(axis, scale[i], translation[i]) for i, axis in enumerate(axes)], method, antialias, precision)


def resize(image, shape, method, antialias=True, precision=_Precision.HIGHEST):
    """The array sampled anew so that it has `shape`, with as many dimensions as before; axes whose size stays are left alone.

    `method`: a `ResizeMethod` or one of their names. "nearest" takes the element nearest to each place, "linear" weighs the two around
    it, "cubic" four, "lanczos3" and "lanczos5" six and ten, "area" means over what the new element covers. `antialias` widens the
    kernel where the image shrinks ("nearest" and "area" need none). Integers become floats, except for "nearest". ValueError for a
    shape of another length or an unknown method.

    >>> import gnomon.numpy as jnp
    >>> resize(jnp.array([0.0, 2.0]), (4,), "linear")
    Array([0. , 0.5, 1.5, 2. ], dtype=float32)
    """
    method = _as_method(method)
    image = _as_value(image, "resize", 0)
    shape = _new_shape("resize", image, shape)
    axes = [i for i, (old, new) in enumerate(zip(image.shape, shape)) if old != new]
    if method is ResizeMethod.NEAREST:
        for axis in axes:
            places = (_np.arange(shape[axis], dtype=_np.float32) + 0.5) * image.shape[axis] / shape[axis] if shape[axis] else _np.zeros(0)
            image = _taking.take(image, _np.floor(places.astype(_np.float32)).astype(_np.int32), axis=axis)
        return image
    image, = _promote_inexact("resize", image)
    dtype = _weights_dtype(image)
    empty = 0 in shape or 0 in image.shape
    scales = [(axis, 1.0 if empty else _creation.asarray(shape[axis] / image.shape[axis], dtype), 0) for axis in axes]
    return _sampled(image, shape, scales, method, antialias, precision)


def _sampled(image, shape, scales, method, antialias, precision):
    """The image with each axis of `scales`, triples (axis, scale, translation), multiplied by its matrix of weights."""
    if not scales:
        return image
    dtype = _weights_dtype(image)
    operands = [image, list(range(image.ndim))]
    out = list(range(image.ndim))
    for i, (axis, scale, translation) in enumerate(scales):
        if method is ResizeMethod.AREA:
            weights = _area_weights(image.shape[axis], shape[axis], scale, translation, dtype)
        else:
            weights = _sample_weights(image.shape[axis], shape[axis], scale, translation, method, antialias, dtype)
        out[axis] = image.ndim + i
        operands += [weights.astype(_real_dtype(image.dtype)), [axis, out[axis]]]
    return _einsum(*operands, out, precision=precision)


def _weights_dtype(image):
    """Weights are worked out in float32 at least."""
    dtype = _real_dtype(image.dtype)
    return dtype if dtype.itemsize >= 4 else _np.dtype(_np.float32)


def _as_method(method):
    if isinstance(method, ResizeMethod):
        return method
    return ResizeMethod.from_string(method)


def _new_shape(name, image, shape):
    shape = _check_shape(tuple(shape))
    if len(shape) != image.ndim:
        raise ValueError(f"{name}: shape must have one size for each of the image's {image.ndim} dimensions, got {shape} for an image of "
                         f"type {image.type}.")
    return shape
