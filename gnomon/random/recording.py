"""What samplers share: how they are recorded, and what they ask of keys, shapes and dtypes."""
from __future__ import annotations

import math
import operator

import numpy as np

from gnomon.api.places import reshard
from gnomon.base.announce import announce, announce_narrowed
from gnomon.base.errors import Refused
from gnomon.base.settings import current
from gnomon.numpy.promote import as_value
from gnomon.ops.compare import select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.nested.call import Jit
from gnomon.ops.random import SAMPLERS, Generator, generator, random_wrap
from gnomon.ops.shape import broadcast_in_dim, full
from gnomon.trace.build import program
from gnomon.trace.context import local
from gnomon.trace.stage import bind, value_of
from gnomon.trace.value import Value
from gnomon.types.dtype import canonicalize, is_complex, is_float, is_integer, is_key, python_scalar_dtype
from gnomon.types.size import LARGEST_SIZE, Size, broadcast_sizes
from gnomon.types.value_type import ArrayType

# ---- recording -----------------------------------------------------------------------------------------------------


def recorded(sampler):
    """Make `sampler(*values, **statics) -> value` one `jit` equation of the same name. Programs are remembered by the
    values' types and the statics, so outside of any trace a second call is one compiled program's."""
    name, programs = sampler.__name__, {}
    SAMPLERS.add(name)

    def call(*values, **statics):
        values = [v if isinstance(v, Value) else constant(v) for v in values]
        types = tuple([v.type for v in values])
        key = (types, *statics.items(), current.key, local.axes_key)
        op = programs.get(key)
        if op is None:
            op = programs[key] = Jit(program(types, lambda *xs: [sampler(*xs, **statics)]), name)
        return bind(op, *values)[0]
    call.__name__ = name
    return call


_constants: dict = {}


def constant(value, dtype=None):
    """A number as a value, of a dtype or of its own. Outside of any trace it is the same one each time, as that one has
    its place on the device by then."""
    def make():
        return value_of(value) if dtype is None else full(ArrayType((), dtype), np.asarray(value, dtype)[()])
    if local.frame is not None or value.__class__ not in (int, float, bool) or current.default_device is not None:
        return make()
    key = value.__class__, value, math.copysign(1, value), dtype, current.enable_x64
    found = _constants.get(key)
    if found is None:
        if len(_constants) > 1000:
            _constants.clear()
        found = _constants[key] = make()
    return found


# ---- keys ----------------------------------------------------------------------------------------------------------

def implementation(impl):
    """The generator that a user means: None (the setting's), a name, a key dtype, or the generator itself."""
    if impl is None:
        return generator(current.default_prng_impl)
    if isinstance(impl, str):
        return generator(impl)
    if is_key(impl):
        return generator(impl.impl)
    if isinstance(impl, Generator):
        return impl
    raise TypeError(f"A random key takes the name of a generator as impl, or a dtype of keys, got {impl!r} of type {type(impl).__name__}.")


def as_keys(key, caller):
    """`key` as an array of typed keys, and whether it was given as raw words (as `PRNGKey` makes them)."""
    if not current.threefry_partitionable:
        raise Refused("Gnomon draws Threefry's numbers in the order that can be sharded, which is JAX's since 0.5; "
                      "leave the setting threefry_partitionable on.")
    if isinstance(key, Value):
        if is_key(key.type.dtype):
            return key, False
    elif not isinstance(key, np.ndarray):
        raise TypeError(f"random.{caller} takes a random key, got {key!r}. Make one with random.key(seed).")
    impl = implementation(None)
    if current.legacy_prng_key != "allow":
        legacy_key(caller)
    if key.dtype != np.uint32 or key.shape[-1:] != impl.key_shape:
        said = key.type if isinstance(key, Value) else f"{key.dtype}{list(key.shape)}".replace(" ", "")
        raise TypeError(f"random.{caller} takes a random key, got an array of type {said}. Make a key with "
                        f"random.key(seed); raw keys are uint32 with a last dimension of {impl.key_shape[0]}.")
    return random_wrap(value_of(key), impl), True


def legacy_key(caller):
    """What the setting `legacy_prng_key` says about raw keys."""
    text = (f"random.{caller} was given a legacy uint32 key array. Make keys with random.key(), or set legacy_prng_key "
            "to 'allow' if a raw key was meant.")
    if current.legacy_prng_key == "error":
        raise ValueError(text)
    announce(text, always=True)


def one_key(key, caller):
    """A single typed key, and whether it was given as raw words."""
    key, raw = as_keys(key, caller)
    if key.type.shape:
        raise ValueError(f"random.{caller} accepts a single key, but was given a key array of shape {key.type.shape}. "
                         "Use vmap for batching, or pick one of the keys.")
    return key, raw


# ---- shapes and dtypes ---------------------------------------------------------------------------------------------

def as_shape(shape, caller):
    """A shape as a tuple of ints; an int stands for one dimension, and any other sequence of ints will do."""
    try:
        if not isinstance(shape, (tuple, list)) and (isinstance(shape, str) or not hasattr(shape, "__iter__") or getattr(shape, "ndim", 1) == 0):
            shape = (shape,)
        shape = tuple([n if isinstance(n, Size) else operator.index(n) for n in shape])
    except TypeError:
        raise TypeError(f"random.{caller} takes a shape of integers, got shape={shape!r}.") from None
    if any(n < 0 for n in shape):
        raise ValueError(f"random.{caller} takes a shape without negative sizes, got shape={shape}.")
    if any(n.__class__ is int and n > LARGEST_SIZE for n in shape):
        raise ValueError(f"random.{caller} got a shape with a size that no array has, shape={shape}.")
    return shape


def common_shape(shape, caller, **parameters):
    """The shape of a draw: `shape` if given, which the parameters must broadcast to, else the parameters' own. TypeError for a parameter
    that is no real number or array of them."""
    for name, p in parameters.items():
        if p.__class__ not in (int, float):
            check_real(p, caller, name)
    shapes = {name: np.shape(p) if not isinstance(p, Value) else p.type.shape for name, p in parameters.items()}
    own = broadcast_sizes(shapes.values())
    if shape is None:
        if own is None:
            raise ValueError(f"random.{caller} got parameters whose shapes do not broadcast: {named(shapes)}.")
        return own
    shape = as_shape(shape, caller)
    if own is not None and broadcast_sizes([shape, own]) == shape:
        return shape
    raise ValueError(f"random.{caller} got shape={shape}, which does not hold its parameters: {named(shapes)} must "
                     "broadcast to it.")


def exactly(method, caller):
    """There is one method, the exact one."""
    if method == "approximate":
        raise Refused(f"random.{caller} draws exactly; leave out method='approximate', which JAX has for speed.")
    if method != "exact":
        raise ValueError(f"random.{caller} takes method='exact', got {method!r}.")


def named(shapes):
    return ", ".join([f"{name} of shape {s}" for name, s in shapes.items()])


def float_dtype(dtype, caller, accepts=is_float, kind="a float"):
    """The dtype of a draw of floats: the default float where `dtype` is None."""
    return drawn_dtype(dtype, caller, float, accepts, kind)


def int_dtype(dtype, caller):
    """The dtype of a draw of integers: the default integer where `dtype` is None."""
    return drawn_dtype(dtype, caller, int, is_integer, "an integer", TypeError)


def drawn_dtype(dtype, caller, default, accepts, kind, error=ValueError):
    """The dtype of a draw, narrowed to 32 bits where x64 is off, which is announced."""
    if dtype is None or dtype is int or dtype is float or dtype is complex:       # np.dtype("float64") == float, too
        dtype, asked = python_scalar_dtype(dtype or default, current.enable_x64)[0], None
    else:
        try:
            asked = canonicalize(dtype, True)
        except TypeError as problem:
            raise TypeError(f"random.{caller} takes {kind} dtype. {problem}") from None
        dtype = canonicalize(asked, current.enable_x64)
    if not accepts(dtype):
        raise error(f"random.{caller} takes {kind} dtype, got dtype={dtype}.")
    if asked is not None and asked != dtype:
        announce_narrowed(f"random.{caller} was asked for {asked} and gives {dtype}, since enable_x64 is off. Set "
                          f"enable_x64 to draw {asked}, or ask for {dtype}.")
    return dtype


# ---- values --------------------------------------------------------------------------------------------------------

def parameter(x, caller, name):
    """A parameter of a distribution as a value."""
    return as_value(x, f"random.{caller}({name}=...)")


def check_real(x, caller, name):
    """TypeError for a parameter that is no real number or array of them."""
    dtype = getattr(x, "dtype", None) if isinstance(x, (Value, np.ndarray, np.generic)) else parameter(x, caller, name).dtype
    if not (dtype == np.dtype(bool) or is_integer(dtype) or is_float(dtype)):
        raise TypeError(f"random.{caller} takes real numbers as {name}, got {dtype}{list(np.shape(x))}.")


def float_parameter(x, caller, name):
    """The same as floats; integers become the default float."""
    x = parameter(x, caller, name)
    if is_float(x.type.dtype):
        return x
    if is_complex(x.type.dtype) or is_key(x.type.dtype):
        raise TypeError(f"random.{caller} takes a real {name}, got a value of type {x.type}.")
    return convert_element_type(x, python_scalar_dtype(float, current.enable_x64)[0])


def number(value, dtype):
    """A number of a dtype, rounded to it; written into the program, where one is being recorded."""
    return constant(value, dtype)


def to_dtype(x, dtype):
    """The value in a dtype, not weak."""
    return convert_element_type(x, dtype)


def pair(x):
    """The two elements of a value along its first axis."""
    return x[0], x[1]


def with_rank(x, rank):
    """The value with dimensions of size 1 in front, so that it has `rank`."""
    t = x.type
    if t.ndim == rank:
        return x
    return broadcast_in_dim(x, (1,) * (rank - t.ndim) + t.shape, tuple(range(rank - t.ndim, rank)))


def with_shape(x, shape):
    """The value, repeated to `shape`."""
    t = x.type
    if t.shape == shape:
        return x
    return broadcast_in_dim(x, shape, tuple(range(len(shape) - t.ndim, len(shape))))


def where(which, yes, no):
    """Elementwise `yes` or `no`, values of one shape; either may be a Python number."""
    like = no if isinstance(yes, (int, float)) else yes
    return select_n(which, *[number(x, like.dtype) if isinstance(x, (int, float)) else x for x in (no, yes)])


def placed(x, out_sharding):
    """A draw, sharded as the user asked for."""
    return x if out_sharding is None else reshard(x, out_sharding)
