"""The bytes of arrays read as another dtype, or in another order."""
from __future__ import annotations

from gnomon.numpy.composite import composite
from gnomon.numpy.promote import as_value, requested_dtype
from gnomon.ops import complex_parts
from gnomon.ops.compare import ne
from gnomon.ops.convert import bitcast_convert_type, convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.shape import expand_dims, reshape
from gnomon.ops.slicing import concatenate, rev, slice_in_dim
from gnomon.types.dtype import DTYPES, is_bool, is_complex, is_key, itemsize_bits, real_dtype

_UINT8 = DTYPES["uint8"]


def view(self, dtype=None, type=None):
    """The array's bytes as another dtype; a narrower or wider one divides or joins elements along the last axis.

    TypeError for keys, ValueError where the last axis does not hold whole elements.

    >>> import gnomon.numpy as np
    >>> np.array([1., 2.]).view("int32")
    Array([1065353216, 1073741824], dtype=int32)
    """
    if type is not None:
        raise NotImplementedError("view takes no 'type' argument: there is one class of arrays.")
    x = as_value(self, "view")
    if dtype is None:
        return x
    dtype = requested_dtype(dtype)
    for d in (x.type.dtype, dtype):
        if is_key(d):
            raise TypeError(f"view cannot read {x.type.dtype} as {dtype}; random.key_data(keys) gives the integer "
                            "words of keys.")
    old, new = stored_bits(x.type.dtype), stored_bits(dtype)
    if old != new:
        if not x.type.shape:
            raise ValueError(f"view of a 0d array needs a dtype of the same width, got {dtype} for an array of "
                             f"{x.type.dtype}.")
        if x.type.shape[-1] * old % new:
            raise ValueError(f"view from {x.type.dtype} to {dtype} needs a last axis whose size in bits is a multiple "
                             f"of {new}, got shape {x.type.shape}.")
    return _view(x, dtype)


def stored_bits(dtype):
    return 8 * dtype.itemsize if is_bool(dtype) or is_complex(dtype) else itemsize_bits(dtype)


@composite(static=("dtype",))
def _view(x, dtype):
    if x.type.dtype == dtype:
        return x
    if is_bool(x.type.dtype):
        x = convert_element_type(x, _UINT8)
    elif is_complex(x.type.dtype):
        x = flat_parts(x)
    wanted = _UINT8 if is_bool(dtype) else real_dtype(dtype)
    x = cast_bits(x, wanted)
    if is_bool(dtype):
        return ne(x, full_scalar(x, 0))
    return paired(x) if is_complex(dtype) else x


def cast_bits(x, dtype):
    """The bits as another dtype, elements along the last axis divided or joined."""
    shape, old, new = x.type.shape, itemsize_bits(x.type.dtype), itemsize_bits(dtype)
    if old < new:
        return bitcast_convert_type(reshape(x, (*shape[:-1], shape[-1] * old // new, new // old)), dtype)
    out = bitcast_convert_type(x, dtype)
    return out if old == new else reshape(out, (*shape[:-1], shape[-1] * old // new))


def flat_parts(x):
    """Real and imaginary parts of complex numbers in turns along the last axis, which is added to scalars."""
    shape = x.type.shape or (1,)
    last = (x.type.ndim,)
    parts = [expand_dims(part, last) for part in (complex_parts.real(x), complex_parts.imag(x))]
    return reshape(concatenate(parts, x.type.ndim), (*shape[:-1], 2 * shape[-1]))


def paired(x):
    """Complex numbers from parts in turns along the last axis."""
    axis, size = x.type.ndim - 1, x.type.shape[-1]
    return complex_parts.complex(slice_in_dim(x, 0, size, axis, 2), slice_in_dim(x, 1, size, axis, 2))


def byteswap(self):
    """The array with the bytes of each element in the opposite order.

    >>> import gnomon.numpy as np
    >>> np.array([1], "int32").byteswap()
    Array([16777216], dtype=int32)
    """
    x = as_value(self, "byteswap")
    if is_key(x.type.dtype):
        raise TypeError("byteswap is not for keys; random.key_data(keys) gives their integer words.")
    return x if real_dtype(x.type.dtype).itemsize == 1 else _byteswap(x)


@composite
def _byteswap(x):
    if is_complex(x.type.dtype):
        return complex_parts.complex(_byteswap(complex_parts.real(x)), _byteswap(complex_parts.imag(x)))
    return bitcast_convert_type(rev(bitcast_convert_type(x, _UINT8), (x.type.ndim,)), x.type.dtype)
