"""Making arrays: of Python and NumPy values, of one number everywhere, of counted numbers.

Outside of traces new arrays are made in NumPy's memory and reach a device when a program wants them there. While a program is
being recorded numbers become literals, NumPy arrays become values that the program captures, and the rest becomes ops.
"""
from __future__ import annotations

import math
import operator
import warnings

import numpy as np

from gnomon.api.function import type_of
from gnomon.api.places import device_put, reshard
from gnomon.base.announce import announce
from gnomon.base.errors import Refused, shown
from gnomon.base.settings import current
from gnomon.ir.jaxpr import Literal
from gnomon.numpy.axes import integer
from gnomon.numpy.promote import SCALARS, as_value, note_weak, requested_dtype, result_type_of, scalar_literal
from gnomon.ops import shape as shape_ops
from gnomon.ops.arithmetic import add, mul
from gnomon.ops.compare import eq, ge, ne
from gnomon.ops.complex_parts import real
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.shape import Iota, broadcast_in_dim, expand_dims
from gnomon.ops.slicing import concatenate
from gnomon.run import transfer
from gnomon.run.array import SMALL, Array, aligned_copy, aligned_memory, base_type
from gnomon.run.client import default_backend
from gnomon.run import guard
from gnomon.run.eager import HOST_SIZE, array_of, narrow
from gnomon.run.placement import new_placement
from gnomon.trace.context import local
from gnomon.trace.stage import Tracer, bind, literal, scalar_type, value_of
from gnomon.trace.value import Value
from gnomon.types.dtype import canonicalize, iinfo, is_bool, is_complex, is_float, is_integer, is_key, is_supported, join_all, python_type
from gnomon.types.size import Size, check_shape, check_size
from gnomon.types.value_type import ArrayType

__all__ = ["arange", "array", "asarray", "astype", "copy", "empty", "empty_like", "eye", "from_dlpack", "frombuffer", "fromfile",
           "fromiter", "fromstring", "full", "full_like", "identity", "ones", "ones_like", "tri", "zeros", "zeros_like"]

FLOATS = np.dtype("float32"), np.dtype("float64")           # by enable_x64
INTS = np.dtype("int32"), np.dtype("int64")
_BOOL = np.dtype(bool)
_order = {bool: 0, int: 1, float: 2, complex: 3}


def default_float():
    """The dtype of arrays that are made without saying one."""
    return FLOATS[current.enable_x64]


def default_int():
    """The dtype of indices and counts."""
    return INTS[current.enable_x64]


# ---- where new arrays go ------------------------------------------------------------------------------------------

def owned(host, t=None):
    """A value around a NumPy array that nobody else holds."""
    if t is None:
        t = ArrayType(host.shape, host.dtype)
    new = Array(t, None, new_placement() if current.default_device is not None else None, host)
    frame = local.frame
    if frame is None:
        if current.transfer_guard_host_to_device is not None:
            guard.check("host_to_device", t)
        return new
    var = frame.capture(new)
    return Tracer(t, var, frame)


def settle(x, device, out_sharding):
    """The value where the arguments `device` or `out_sharding` say."""
    if device is not None:
        x = device_put(x, device)
    return x if out_sharding is None else reshard(x, out_sharding)


def filled(t, value):
    """A value of type `t` with a Python number everywhere."""
    if local.frame is not None or t.size > HOST_SIZE and default_backend() != "cpu":
        if not t.shape and not t.weak_type and t.sharding is None:
            return value_of(of_number(value, t.dtype))
        return shape_ops.full(t, value)
    if is_key(t.dtype):
        raise TypeError(f"An array of {t.dtype} cannot be filled with numbers; random.key makes keys.")
    dtype = base_type(t).dtype
    if value.__class__ is int and value == 0:
        host = aligned_memory(t.shape, dtype, zero=True)
    else:
        host = aligned_memory(t.shape, dtype)
        host[...] = value
    return Array(t, None, new_placement() if current.default_device is not None else None, host)


_plain_types: dict = {}     # (shape, dtype) of NumPy arrays that become Arrays whatever the settings -> their type


# ---- from values --------------------------------------------------------------------------------------------------

def array(object, dtype=None, *, copy=True, order="K", ndmin=0, device=None, out_sharding=None):
    """An array of anything array-like: arrays, numbers, nested lists of them, objects with `__array__` or a buffer.

    Without `dtype` Python numbers give the default dtypes (weakly, outside of lists), other values their own; 64-bit ones are
    narrowed unless enable_x64 is set. `ndmin` adds dimensions of size 1 in front. Arrays are in C order: order="F" is refused.
    Errors: TypeError for what holds no numbers, ValueError for ragged lists, OverflowError for integers that do not fit.
    Also Refused for order="F".

    >>> array([[1, 2], [3, 4.5]])
    Array([[1. , 2. ],
           [3. , 4.5]], dtype=float32)
    """
    if order != "K":
        check_order("array", order)
    x = as_array(object, dtype, "array")
    if x is object and copy:
        x = shape_ops.copy(x)
    if ndmin.__class__ is not int:
        ndmin = integer(ndmin, "array", "ndmin")
    if ndmin > x.type.ndim:
        x = expand_dims(x, tuple(range(ndmin - x.type.ndim)))
    return x if device is None and out_sharding is None else settle(x, device, out_sharding)


def asarray(a, dtype=None, order=None, *, copy=None, device=None, out_sharding=None):
    """Like `array`, but what is an array already is given back as it is, unless dtype or `copy` say otherwise.

    Errors: TypeError for what holds no numbers, ValueError for ragged lists, Refused for order="F".

    >>> asarray((1, 2)).dtype
    dtype('int32')
    """
    if a.__class__ is np.ndarray and dtype is None and device is None and out_sharding is None and local.frame is None:
        t = _plain_types.get((a.shape, a.dtype))
        if t is not None and a.nbytes <= SMALL and current.default_device is None and current.transfer_guard_host_to_device is None:
            return Array(t, None, None, a.copy())
    if order is not None:
        check_order("asarray", order)
    x = as_array(a, dtype, "asarray")
    if copy and x is a:
        x = shape_ops.copy(x)
    return x if device is None and out_sharding is None else settle(x, device, out_sharding)


def check_order(name, order):
    if order is not None and (order.__class__ is not str or order not in ("K", "C", "A")):
        raise Refused(f"{name} makes arrays in C order only, got order={shown(order)}. Leave `order` out.")


def as_array(x, dtype, name):
    """A value for anything array-like, lists included, in a dtype if one is given."""
    cls = x.__class__
    if dtype is not None:
        dtype = requested_dtype(dtype)
    if cls is Array or cls is Tracer:
        return x if dtype is None else as_dtype(x, dtype)
    if cls is np.ndarray:
        return of_numpy(x, dtype, name)
    if cls in SCALARS:
        return value_of(x if dtype is None else of_number(x, dtype))
    if cls is list or cls is tuple:
        return of_sequence(x, dtype, name)
    if isinstance(x, Value):
        return x if dtype is None else as_dtype(x, dtype)
    if isinstance(x, (np.ndarray, np.generic)):
        return of_numpy(np.asarray(x), dtype, name)
    if hasattr(x, "__jax_array__"):
        return as_array(x.__jax_array__(), dtype, name)
    if isinstance(x, (list, tuple, range)):
        return of_sequence(list(x), dtype, name)
    for kind in (bool, int, float, complex):            # subclasses of Python's numbers, such as members of an IntEnum
        if isinstance(x, kind):
            return as_array(kind(x), dtype, name)
    if hasattr(x, "__array__") or isinstance(x, (memoryview, bytearray)) or hasattr(x, "__array_interface__"):
        return of_numpy(np.asarray(x), dtype, name)
    raise not_an_array(x, name)


def not_an_array(x, name):
    return TypeError(f"{name} takes arrays, numbers and nested lists of them, got {shown(x)} of type {type(x).__name__}.")


def of_number(x, dtype):
    """A literal of a Python number in a dtype. Its value is a NumPy scalar, as one that has a dtype of its own."""
    t = ArrayType((), dtype)
    return Literal(np.asarray(literal(python_type(dtype)(x), t).value, dtype)[()], t)


def of_numpy(x, dtype, name):
    """A value of a NumPy array."""
    if not is_supported(x.dtype):
        raise not_an_array(x, f"{name}, which knows no arrays of {x.dtype},")
    if dtype is not None and dtype != x.dtype:
        return owned(cast(x, dtype))
    if local.frame is not None:
        return value_of(x)
    out = array_of(x)
    if out.type.dtype == x.dtype and x.dtype.itemsize < 8:
        _plain_types[x.shape, x.dtype] = out.type
    return out


def cast(x, dtype):
    """A NumPy array in another dtype, as the compiler would do it: floats beyond the bounds of an integer dtype become the
    bound, NaN becomes 0."""
    if is_key(dtype):
        raise TypeError(f"Numbers cannot be converted to {dtype}; random.wrap_key_data makes keys of words.")
    with np.errstate(all="ignore"):
        if is_integer(dtype) and is_float(x.dtype):
            bounds = iinfo(dtype)
            wide = np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf)
            inside = np.clip(wide, int(bounds.min), int(bounds.max)).astype(dtype)
            return np.where(wide >= int(bounds.max), np.asarray(int(bounds.max)).astype(dtype), inside)
        return x.astype(dtype, order="C")


def of_sequence(x, dtype, name):
    """A value of a nested list or tuple."""
    kinds = set()
    kinds_in(x, kinds, name)
    if kinds <= SCALARS:
        wanted = dtype
        if wanted is None:
            wanted = canonicalize(max(kinds, key=_order.get), current.enable_x64) if kinds else default_float()
        return owned(host_array(x, wanted))
    if Value not in kinds:
        wanted, wide = dtype, dtype
        if wanted is None:
            pairs = [pair(kind) for kind in kinds]
            wanted, wide = (join_all(pairs, x64=x64)[0] for x64 in (current.enable_x64, True))
            wanted = canonicalize(wanted, current.enable_x64)
        host = host_array(x, wide)
        return owned(host if wide == wanted else narrow(host, wanted, "A list of NumPy values"))
    return of_values(x, dtype, name)


def pair(kind):
    """(dtype, weak) of a kind of leaf: a class of Python numbers, or a dtype."""
    return (canonicalize(kind, True), kind is not bool) if kind in SCALARS else (kind, False)


def host_array(x, dtype):
    try:
        return np.array(x, dtype)
    except OverflowError as error:
        raise OverflowError(f"{error}. Give a dtype that holds it (64 bits need enable_x64).") from None


def kinds_in(x, found, name):
    """Adds what the leaves of a nested list are: classes of Python numbers, dtypes of NumPy values, or Value."""
    for cls in set(map(type, x)):
        if cls in SCALARS:
            found.add(cls)
        elif issubclass(cls, Value) or hasattr(cls, "__jax_array__"):
            found.add(Value)
        elif issubclass(cls, (list, tuple)):
            for inner in x:
                if type(inner) is cls:
                    kinds_in(inner, found, name)
        elif issubclass(cls, np.generic):
            found.add(supported(np.dtype(cls), x, name))
        elif issubclass(cls, np.ndarray):
            found.update([supported(inner.dtype, x, name) for inner in x if type(inner) is cls])
        elif issubclass(cls, tuple(SCALARS)):
            found.add(next(kind for kind in (bool, int, float, complex) if issubclass(cls, kind)))
        elif hasattr(cls, "__array__") or cls in (range, memoryview, bytearray):
            found.update([supported(np.asarray(inner).dtype, x, name) for inner in x if type(inner) is cls])
        else:
            raise not_an_array(next(inner for inner in x if type(inner) is cls), name)


def supported(dtype, x, name):
    if not is_supported(dtype):
        raise not_an_array(x, name)
    return dtype


def of_values(x, dtype, name):
    """A value of a nested list some of whose leaves are Arrays or tracers."""
    leaves = list(leaves_of(x, name))
    if dtype is None:
        pairs = [(leaf.type.dtype, leaf.type.weak_type) if isinstance(leaf, Value) else pair(leaf.__class__) for leaf in leaves]
        dtype, _ = join_all(pairs, x64=current.enable_x64, strict=current.numpy_dtype_promotion == "strict")
    if local.frame is None and not is_key(dtype) and all(
            leaf.__class__ in SCALARS or leaf.__class__ is Array and leaf.placement is None for leaf in leaves):
        hosts = iter([leaf if leaf.__class__ in SCALARS else leaf.host() for leaf in leaves])
        return owned(host_array(same_nesting(x, hosts), dtype))
    values = iter([value_of(of_number(leaf, dtype)) if leaf.__class__ in SCALARS else as_dtype(leaf, dtype) for leaf in leaves])
    return stacked(same_nesting(x, values), name)


def leaves_of(x, name):
    for inner in x:
        if isinstance(inner, (list, tuple)):
            yield from leaves_of(inner, name)
        else:
            yield inner if inner.__class__ in SCALARS else as_array(inner, None, name)


def same_nesting(x, leaves):
    """Lists nested like `x`, with other leaves."""
    return [same_nesting(inner, leaves) if isinstance(inner, (list, tuple)) else next(leaves) for inner in x]


def stacked(x, name):
    """Nested lists of values as one value."""
    if not isinstance(x, list):
        return x
    parts = [stacked(inner, name) for inner in x]
    shapes = {part.type.shape for part in parts}
    if len(shapes) > 1:
        raise ValueError(f"{name} got a list of values of different shapes, which do not make an array: "
                         f"{', '.join(map(str, sorted(shapes)[:5]))}.")
    return concatenate([expand_dims(part, (0,)) for part in parts], 0)


def as_dtype(x, dtype):
    """A value in another dtype, and not weak. Of complex numbers the real part is kept, with a warning."""
    t = x.type
    if is_complex(t.dtype) and not is_complex(dtype):
        if is_bool(dtype):
            return ne(x, full_scalar(x, 0))
        warnings.warn("Casting complex values to real discards the imaginary part", np.exceptions.ComplexWarning, stacklevel=3)
        x = real(x)
    return convert_element_type(x, dtype)


def astype(x, dtype, /, *, copy=False, device=None):
    """The same numbers in another dtype: floats become integers by truncation, within the dtype's bounds.

    x: array or number of any shape. dtype: None is the default float. TypeError for lists.

    >>> astype(array([1.7, -1.7]), "int8")
    Array([ 1, -1], dtype=int8)
    """
    value = as_value(x, "astype", 0)
    out = as_dtype(value, default_float() if dtype is None else requested_dtype(dtype))
    if copy and out is value:
        out = shape_ops.copy(out)
    return settle(out, device, None)


def copy(a, order=None):
    """A copy of an array: the same numbers in memory of their own.

    Errors: TypeError for what holds no numbers, ValueError for ragged lists, Refused for order="F".

    >>> copy(arange(3))
    Array([0, 1, 2], dtype=int32)
    """
    return array(as_value(a, "copy", 0), copy=True, order="K" if order is None else order)


# ---- of one number ------------------------------------------------------------------------------------------------

def zeros(shape, dtype=None, *, device=None, out_sharding=None):
    """Zeros of a shape, an integer or a sequence of integers; float32 without a dtype (float64 with enable_x64).

    Errors: ValueError for a negative size, TypeError for one that is no integer.

    >>> zeros((2, 3), int)
    Array([[0, 0, 0],
           [0, 0, 0]], dtype=int32)
    """
    dtype = FLOATS[current.enable_x64] if dtype is None else requested_dtype(dtype)
    out = filled(ArrayType(check_shape(shape, "The shape given to zeros"), dtype), 0)
    return out if device is None and out_sharding is None else settle(out, device, out_sharding)


def ones(shape, dtype=None, *, device=None, out_sharding=None):
    """Ones of a shape, an integer or a sequence of integers; float32 without a dtype (float64 with enable_x64).

    Errors: ValueError for a negative size, TypeError for one that is no integer.

    >>> ones(2)
    Array([1., 1.], dtype=float32)
    """
    dtype = FLOATS[current.enable_x64] if dtype is None else requested_dtype(dtype)
    out = filled(ArrayType(check_shape(shape, "The shape given to ones"), dtype), 1)
    return out if device is None and out_sharding is None else settle(out, device, out_sharding)


def empty(shape, dtype=None, *, device=None, out_sharding=None):
    """Zeros: there are no arrays without numbers. See `zeros`.

    Errors: ValueError for a negative size, TypeError for one that is no integer.

    >>> empty(1)
    Array([0.], dtype=float32)
    """
    return zeros(shape, dtype, device=device, out_sharding=out_sharding)


def full(shape, fill_value, dtype=None, *, device=None, out_sharding=None):
    """An array of a shape with `fill_value` everywhere; an array as fill value is broadcast to the shape.

    Errors: ValueError for a negative size, TypeError for one that is no integer; ValueError where `fill_value` does not broadcast
    to the shape.

    >>> full((2,), 7)
    Array([7, 7], dtype=int32, weak_type=True)
    """
    shape = check_shape(shape, "The shape given to full")
    dtype = None if dtype is None else requested_dtype(dtype)
    return settle(fill("full", shape, fill_value, dtype, False, None), device, out_sharding)


def fill(name, shape, value, dtype, weak, sharding):
    """`value` in a dtype (None: its own), broadcast to a shape."""
    if isinstance(value, np.generic):
        if dtype is None:
            dtype = canonicalize(value.dtype, current.enable_x64)
        value = value.item() if is_supported(value.dtype) else value
    if value.__class__ in SCALARS:
        if dtype is None:
            own = scalar_type(value)
            dtype, weak = own.dtype, own.weak_type
        if is_integer(dtype) and value.__class__ is float:
            value = int(cast(np.asarray(value), dtype))
        return filled(ArrayType(shape, dtype, weak, sharding), scalar_literal(value, dtype, weak).value)
    x = as_value(value, name, 1)
    if dtype is not None:
        x = as_dtype(x, dtype) if not weak else convert_element_type(x, dtype, True)
    return broadcast(x, shape, name)


def broadcast(x, shape, name):
    """A value broadcast to a shape by NumPy's rules."""
    have = x.type.shape
    if have == shape:
        return x
    start = len(shape) - len(have)
    if start < 0 or any(a != b and a != 1 for a, b in zip(have, shape[start:])):
        raise ValueError(f"{name} cannot broadcast a value of shape {have} to shape {shape}.")
    return broadcast_in_dim(x, shape, tuple(range(start, len(shape))))


def like(name, a, dtype, shape):
    """The type that a new array has if it is like `a`, and the placement it shares."""
    if isinstance(a, Value):
        t = a.type
    elif isinstance(a, (list, tuple)):
        raise TypeError(f"{name} requires ndarray or scalar arguments, got {type(a)} at position 0.")
    else:
        try:
            t = type_of(a)
        except TypeError:
            raise TypeError(f"{name} takes an array, or what has a shape and a dtype, got {shown(a)} of type {type(a).__name__}.") from None
    weak = t.weak_type
    if dtype is None and is_key(t.dtype):
        raise TypeError(f"{name} makes numbers, got random keys of type {t}; give a dtype, or make keys with random.split.")
    if dtype is not None:
        dtype, weak = requested_dtype(dtype), False
    else:
        dtype = t.dtype
        if a.__class__ is Tracer:
            note_weak()
    if shape is None:
        place = a.placement if a.__class__ is Array else None
        return ArrayType(t.shape, dtype, weak, t.sharding), place
    return ArrayType(check_shape(shape, f"The shape given to {name}"), dtype, weak), None


def filled_like(name, a, value, dtype, shape, device, out_sharding):
    t, place = like(name, a, dtype, shape)
    out = fill(name, t.shape, value, t.dtype, t.weak_type, t.sharding)
    if device is not None or out_sharding is not None:
        return settle(out, device, out_sharding)
    return out if place is None or out.__class__ is not Array else transfer.place(out, place)


def zeros_like(a, dtype=None, shape=None, *, device=None, out_sharding=None):
    """Zeros of the shape and dtype (and weak type) of `a`, unless others are given.

    Errors: ValueError for a negative size, TypeError for one that is no integer, or for what has no shape.

    >>> zeros_like(arange(3))
    Array([0, 0, 0], dtype=int32)
    """
    return filled_like("zeros_like", a, 0, dtype, shape, device, out_sharding)


def ones_like(a, dtype=None, shape=None, *, device=None, out_sharding=None):
    """Ones of the shape and dtype (and weak type) of `a`, unless others are given.

    Errors: ValueError for a negative size, TypeError for one that is no integer, or for what has no shape.

    >>> ones_like(arange(3), dtype=bool)
    Array([ True,  True,  True], dtype=bool)
    """
    return filled_like("ones_like", a, 1, dtype, shape, device, out_sharding)


def empty_like(prototype, dtype=None, shape=None, *, device=None):
    """Zeros: there are no arrays without numbers. See `zeros_like`.

    Errors: ValueError for a negative size, TypeError for one that is no integer, or for what has no shape.

    >>> empty_like(ones(1))
    Array([0.], dtype=float32)
    """
    return filled_like("empty_like", prototype, 0, dtype, shape, device, None)


def full_like(a, fill_value, dtype=None, shape=None, *, device=None, out_sharding=None):
    """`fill_value` in the shape and dtype (and weak type) of `a`, unless others are given.

    Errors: ValueError for a negative size, TypeError for one that is no integer, or for what has no shape; ValueError where
    `fill_value` does not broadcast to the shape.

    >>> full_like(arange(3), 5)
    Array([5, 5, 5], dtype=int32)
    """
    return filled_like("full_like", a, fill_value, dtype, shape, device, out_sharding)


# ---- counted ------------------------------------------------------------------------------------------------------

def number(x, name, argument):
    """A Python number for an argument that decides about a shape: a number, or an array without dimensions."""
    if x.__class__ in SCALARS or x is None or isinstance(x, Size):
        return x
    x = as_value(x, name)
    if x.type.shape:
        raise ValueError(f"{name}: arguments must be scalars; got {argument} of shape {x.type.shape}.")
    return x.item()


def arange(start, stop=None, step=None, dtype=None, *, device=None, out_sharding=None):
    """Numbers from `start` (0 if `stop` is not given) up to but not including `stop`, `step` apart.

    The arguments are numbers or arrays without dimensions; traced ones are refused, since they decide about the shape. Without
    `dtype`, theirs. Element i is start + i * step in that dtype (16-bit floats: in float32, then rounded).
    Errors: TypeError for what is no real number, ValueError for arrays with dimensions and numbers that are not finite,
    ZeroDivisionError for step=0.

    >>> arange(1, 10, 3)
    Array([1, 4, 7], dtype=int32)
    """
    if start.__class__ is int and stop is None and step is None and device is None and out_sharding is None:
        dtype = INTS[current.enable_x64] if dtype is None else requested_dtype(dtype)
        if not is_bool(dtype):
            return counted(dtype, 0, max(0, start), None)
    given = [x for x in (start, stop, step) if x is not None and not isinstance(x, Size)]
    if start is None:
        raise TypeError("arange needs a number to stop at, got None.")
    start, stop, step = number(start, "arange", "start"), number(stop, "arange", "stop"), number(step, "arange", "step")
    if dtype is None:
        dtype = result_type_of(*given) if given else default_int()
    else:
        dtype = requested_dtype(dtype)
    if stop is None:
        start, stop = 0, start
    if complex in (start.__class__, stop.__class__, step.__class__) or is_bool(dtype):
        raise TypeError(f"arange counts real numbers, got start={start}, stop={stop}, step={step} and dtype {dtype}.")
    return settle(counted(dtype, start, steps(start, stop, step), step), device, out_sharding)


def steps(start, stop, step):
    """How many numbers there are from `start` to `stop`."""
    if isinstance(stop, Size) or isinstance(start, Size):
        if step not in (None, 1):
            raise Refused("arange over a symbolic size counts by 1 only; multiply the result by the step instead.")
        return stop - start
    if any(isinstance(x, float) and not math.isfinite(x) for x in (start, stop, step)):
        raise ValueError(f"arange counts between finite numbers, got start={start}, stop={stop} and step={step}.")
    if step == 0:
        raise ZeroDivisionError("arange got step=0; the step between numbers must not be zero.")
    step = 1 if step is None else step
    if float in (start.__class__, stop.__class__, step.__class__):
        return max(0, math.ceil((stop - start) / step))
    return max(0, -((start - stop) // step))


def counted(dtype, start, size, step):
    """The values start + i * step for i in range(size)."""
    if is_integer(dtype) and size.__class__ is int and size and not isinstance(start, Size):
        ends = int(start), int(start) + (size - 1) * int(1 if step is None else step)
        info = iinfo(dtype)
        if not info.min <= min(ends) <= max(ends) <= info.max:
            announce(f"arange counts from {ends[0]} to {ends[1]}, which does not fit in {dtype}; the numbers wrap around. Give it a dtype that "
                     f"holds them{'' if current.enable_x64 else ' (enable_x64 for 64 bits)'}.")
    work = FLOATS[0] if is_float(dtype) and dtype.itemsize < 4 else dtype
    if local.frame is not None or isinstance(size, Size) or size > HOST_SIZE and default_backend() != "cpu":
        x = bind(Iota(work, (size,), 0))
        if step is not None and step != 1:
            x = mul(full_scalar(x, wrapped(step, work)), x)
        if step is not None or start != 0:
            x = add(full_scalar(x, wrapped(start, work)), x)
        return convert_element_type(x, dtype)
    host = np.arange(size).astype(work)
    if step is not None and step != 1:
        host *= np.asarray(wrapped(step, work)).astype(work)
    if step is not None or start != 0:
        host += np.asarray(wrapped(start, work)).astype(work)
    return owned(aligned_copy(host, dtype))


def wrapped(value, dtype):
    """A Python number as it is in a dtype: integers wrap around."""
    if is_integer(dtype):
        bits = iinfo(dtype).bits
        low = int(iinfo(dtype).min)
        return (int(value) - low) % (1 << bits) + low
    return python_type(dtype)(value)


def eye(N, M=None, k=0, dtype=None, *, device=None):
    """An N x M matrix (N x N without M) with ones on its k-th diagonal and zeros elsewhere. `k` may be traced.

    Errors: ValueError for negative sizes, TypeError for sizes and `k` that are no integers.

    >>> eye(2, 3, k=1)
    Array([[0., 1., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    dtype = default_float() if dtype is None else requested_dtype(dtype)
    n, m = sizes("eye", N, M)
    if local.frame is None and not isinstance(k, Value):
        host = aligned_memory((n, m), dtype, zero=True)
        k = diagonal_number(k, "eye")
        if n and m and -n < k < m:
            first = k if k >= 0 else -k * m
            host.reshape(-1)[first:(m - k) * m if k > m - n else None:m + 1] = 1
        return settle(owned(host), device, None)
    rows, columns = grid(n, m)
    rows = add(rows, offset("eye", k, rows))
    return settle(convert_element_type(eq(rows, columns), dtype), device, None)


def sizes(name, rows, columns):
    """Two sizes; the second is the first if it is None."""
    rows = check_size(rows, f"The first size given to {name}")
    return rows, rows if columns is None else check_size(columns, f"The second size given to {name}")


def grid(rows, columns):
    """Row and column numbers of a matrix."""
    dtype = INTS[0]
    return bind(Iota(dtype, (rows, columns), 0)), bind(Iota(dtype, (rows, columns), 1))


def diagonal_number(k, name):
    """The number of a diagonal: a traced integer, or an int that is no farther out than any matrix has diagonals."""
    return k if isinstance(k, Value) else max(-FAR_OUT, min(integer(k, name, "k"), FAR_OUT))


FAR_OUT = 2 ** 30


def offset(name, k, like):
    """The number of a diagonal, a number or an integer scalar that may be traced."""
    if not isinstance(k, Value):
        return full_scalar(like, diagonal_number(k, name))
    if k.type.shape or not is_integer(k.type.dtype):
        raise TypeError(f"{name} takes an integer k, got a value of type {k.type}.")
    return convert_element_type(k, like.type.dtype)


def identity(n, dtype=None):
    """The n x n identity matrix.

    Errors: ValueError for a negative size, TypeError for one that is no integer.

    >>> identity(2, int)
    Array([[1, 0],
           [0, 1]], dtype=int32)
    """
    return eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype=None):
    """An N x M matrix with ones at and below its k-th diagonal and zeros above.

    Errors: ValueError for negative sizes, TypeError for sizes and `k` that are no integers.

    >>> tri(2, 3)
    Array([[1., 0., 0.],
           [1., 1., 0.]], dtype=float32)
    """
    dtype = default_float() if dtype is None else requested_dtype(dtype)
    return convert_element_type(below(*sizes("tri", N, M), diagonal_number(k, "tri")), dtype)


def below(n, m, k):
    """A boolean n x m matrix: True at and below the k-th diagonal."""
    if local.frame is None and not isinstance(k, Value):
        return owned(np.tri(n, m, operator.index(k), bool))
    rows, columns = grid(n, m)
    return ge(add(rows, offset("tri", k, rows)), columns)


# ---- from memory and text -----------------------------------------------------------------------------------------

def known_dtype(dtype):
    """The dtype of numbers that are read; of 64 bits where it says so, to be narrowed then."""
    found = canonicalize(dtype, True)
    if not is_supported(found) or is_key(found):
        raise TypeError(f"{found} is not the dtype of an array of numbers or booleans.")
    return found


def frombuffer(buffer, dtype=float, count=-1, offset=0):
    """An array of the bytes of a buffer, read as numbers of a dtype (by default 8-byte floats, then narrowed).

    Errors: TypeError for what is no buffer and for dtypes that arrays do not have, ValueError where the bytes do not fit.

    >>> frombuffer(b"AB", dtype="uint8")
    Array([65, 66], dtype=uint8)
    """
    count, offset = integer(count, "frombuffer", "count"), integer(offset, "frombuffer", "offset")
    return asarray(np.frombuffer(buffer, known_dtype(dtype), count, offset))


def fromstring(string, dtype=float, count=-1, *, sep):
    """An array of the numbers written in a text and separated by `sep`.

    Errors: TypeError for what is no text and for dtypes that arrays do not have, ValueError for text that holds no numbers.

    >>> fromstring("1 2 3", sep=" ")
    Array([1., 2., 3.], dtype=float32)
    """
    count = integer(count, "fromstring", "count")
    return asarray(np.fromstring(string, known_dtype(dtype), count, sep=sep), requested_dtype(dtype))


def fromfile(*args, **kwargs):
    """Refused: reading a file is a side effect, which a traced function must not have.

    >>> fromfile("numbers.bin")
    Traceback (most recent call last):
    gnomon.base.errors.Refused: fromfile reads a file, ...
    """
    raise Refused("fromfile reads a file, which a traced function would do only once. Read it with NumPy and convert: "
                  "asarray(numpy.fromfile(...)).")


def fromiter(*args, **kwargs):
    """Refused: consuming an iterator is a side effect, which a traced function must not have.

    >>> fromiter(range(3), int)
    Traceback (most recent call last):
    gnomon.base.errors.Refused: fromiter consumes an iterator, ...
    """
    raise Refused("fromiter consumes an iterator, which a traced function would do only once. Convert a list: "
                  "asarray(list(...)).")


def from_dlpack(x, /, *, device=None, copy=None):
    """An array that shares the memory of an object with `__dlpack__` (a torch tensor, say), which nobody may write to then;
    `copy=True` copies it, and so do 64-bit dtypes, which are narrowed unless enable_x64 is set.

    Errors: TypeError for what has no `__dlpack__`, BufferError for dtypes that DLPack does not know.

    >>> from_dlpack(np.arange(3, dtype="int32"))
    Array([0, 1, 2], dtype=int32)
    """
    out = transfer.from_dlpack(x, device, copy)
    wanted = canonicalize(out.type.dtype, current.enable_x64)
    if wanted == out.type.dtype:
        return out
    narrowed = owned(narrow(out.host(), wanted, "A DLPack tensor"))
    return narrowed if device is None else device_put(narrowed, device)
