"""Initial values of weights: functions of (key, shape, dtype), and makers of such functions.

Equal keys give equal values, those of `jax.nn.initializers`.
"""
from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from gnomon import random
from gnomon.numpy import creation
from gnomon.numpy.axes import axis_tuple, one_axis
from gnomon.numpy.creation import as_dtype, default_float, settle
from gnomon.numpy.manipulation import moveaxis, reshape
from gnomon.numpy.promote import requested_dtype
from gnomon.numpy.ufuncs import exp, log, multiply, negative, sqrt, subtract
from gnomon.ops import slicing
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.shape import expand_dims
from gnomon.types.dtype import is_complex, is_inexact, is_key, real_dtype
from gnomon.types.size import check_shape

__all__ = ["Initializer", "constant", "delta_orthogonal", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform",
           "kaiming_normal", "kaiming_uniform", "lecun_normal", "lecun_uniform", "normal", "ones", "orthogonal",
           "truncated_normal", "uniform", "variance_scaling", "xavier_normal", "xavier_uniform", "zeros"]


class Initializer(Protocol):
    """A function that makes initial values."""

    def __call__(self, key, shape, dtype=None, out_sharding=None):
        """An array of a shape and dtype, drawn with a key."""
        ...


def float_or_complex(dtype, name):
    dtype = default_float() if dtype is None else requested_dtype(dtype)
    if is_key(dtype) or not is_inexact(dtype):
        raise ValueError(f"The initializer {name} draws floats or complex numbers, got dtype {dtype}.")
    return dtype


# ---- constants --------------------------------------------------------------------------------------------------------

def zeros(key, shape, dtype=None, out_sharding=None):
    """Zeros; the key is not used.

    >>> zeros(None, (2,))
    Array([0., 0.], dtype=float32)
    """
    return creation.zeros(shape, dtype, out_sharding=out_sharding)


def ones(key, shape, dtype=None, out_sharding=None):
    """Ones; the key is not used.

    >>> ones(None, (2,))
    Array([1., 1.], dtype=float32)
    """
    return creation.ones(shape, dtype, out_sharding=out_sharding)


def constant(value, dtype=None):
    """An initializer that gives `value` everywhere.

    >>> constant(3)(None, (2,))
    Array([3., 3.], dtype=float32)
    """
    default = dtype

    def init(key, shape, dtype=default, out_sharding=None):
        return creation.full(shape, value, default_float() if dtype is None else dtype, out_sharding=out_sharding)
    return init


# ---- distributions ------------------------------------------------------------------------------------------------------

def uniform(scale=0.01, dtype=None):
    """An initializer that draws uniformly from [0, scale).

    >>> from gnomon import random
    >>> uniform(10.0)(random.key(0), (2,))
    Array([9.47667 , 9.785799], dtype=float32)
    """
    default = dtype

    def init(key, shape, dtype=default, out_sharding=None):
        dtype = float_or_complex(dtype, "uniform")
        return settle(scaled(random.uniform(key, shape, dtype), scale), None, out_sharding)
    return init


def scaled(x, factor):
    """The product in the dtype of `x`."""
    return multiply(x, creation.asarray(factor, x.type.dtype))


def normal(stddev=0.01, dtype=None):
    """An initializer that draws from a normal distribution with mean 0 and this standard deviation.

    >>> from gnomon import random
    >>> normal(1.0)(random.key(0), (2,))
    Array([1.6226422, 2.0252647], dtype=float32)
    """
    default = dtype

    def init(key, shape, dtype=default, out_sharding=None):
        dtype = float_or_complex(dtype, "normal")
        return settle(scaled(random.normal(key, shape, dtype), stddev), None, out_sharding)
    return init


def truncated_normal(stddev=0.01, dtype=None, lower=-2.0, upper=2.0):
    """An initializer that draws from a normal distribution with mean 0, cut off at `lower` and `upper`, times `stddev`.

    >>> from gnomon import random
    >>> truncated_normal(1.0)(random.key(0), (2,))
    Array([1.4559592, 1.7147487], dtype=float32)
    """
    default = dtype

    def init(key, shape, dtype=default, out_sharding=None):
        dtype = float_or_complex(dtype, "truncated_normal")
        return settle(scaled(random.truncated_normal(key, lower, upper, shape, dtype), stddev), None, out_sharding)
    return init


# ---- scaled by the number of inputs and outputs ---------------------------------------------------------------------------

MODES = {"fan_in": lambda ins, outs: ins, "fan_out": lambda ins, outs: outs, "fan_avg": lambda ins, outs: (ins + outs) / 2,
         "fan_geo_avg": lambda ins, outs: math.sqrt(ins * outs)}
DISTRIBUTIONS = "truncated_normal", "normal", "uniform"
TRUNCATED_DEVIATION = 0.87962566103423978       # the standard deviation of a normal distribution cut off at -2 and 2
TRUNCATED_DISK_DEVIATION = 0.95311164380491208  # the same of a complex one cut off at absolute value 2


def fans(shape, in_axis, out_axis, batch_axis):
    """How many inputs and outputs a weight array connects."""
    rank = len(shape)
    if rank < 2 and (in_axis, out_axis) == (-2, -1):
        raise ValueError(f"A weight array of shape {shape} has no default axes of inputs and outputs. Give it at least 2 "
                         "dimensions, or say in_axis and out_axis.")
    count = {}
    for name, axis in (("in_axis", in_axis), ("out_axis", out_axis), ("batch_axis", batch_axis)):
        count[name] = math.prod([shape[i] for i in axis_tuple(axis, rank, "variance_scaling", name)])
    field = math.prod(shape) / count["in_axis"] / count["out_axis"] / count["batch_axis"]
    return count["in_axis"] * field, count["out_axis"] * field


def variance_scaling(scale, mode, distribution, in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
    """An initializer that draws with mean 0 and variance scale / n, for weights that connect many inputs and outputs.

    mode: n is the number of inputs ("fan_in"), of outputs ("fan_out"), or their arithmetic or geometric mean ("fan_avg",
    "fan_geo_avg"). distribution: "normal", "truncated_normal" (cut off at 2 standard deviations) or "uniform" (in a disk, if
    complex). in_axis, out_axis, batch_axis: what the weights' axes count; all others are a kernel's positions.

    >>> from gnomon import random
    >>> variance_scaling(1.0, "fan_avg", "uniform")(random.key(0), (3, 3)).shape
    (3, 3)
    """
    default = dtype

    def init(key, shape, dtype=default, out_sharding=None):
        dtype = float_or_complex(dtype, "variance_scaling")
        shape = check_shape(shape, "The shape given to an initializer")
        ins, outs = fans(shape, in_axis, out_axis, batch_axis)
        if mode not in MODES:
            raise ValueError(f"variance_scaling takes mode {', '.join(map(repr, MODES))}, got {mode!r}.")
        if distribution not in DISTRIBUTIONS:
            raise ValueError(f"variance_scaling takes distribution {', '.join(map(repr, DISTRIBUTIONS))}, got {distribution!r}.")
        variance = np.asarray(scale / MODES[mode](ins, outs), real_dtype(dtype))
        return settle(drawn(key, shape, dtype, distribution, variance), None, out_sharding)
    return init


def drawn(key, shape, dtype, distribution, variance):
    """Numbers with mean 0 and a variance; every step is rounded to the variance's dtype."""
    number = variance.dtype.type
    if distribution == "normal":
        return scaled(random.normal(key, shape, dtype), np.sqrt(variance))
    if distribution == "uniform" and is_complex(dtype):
        return scaled(uniform_disk(key, shape, dtype), np.sqrt(variance))
    if distribution == "uniform":
        return scaled(random.uniform(key, shape, dtype, -1), np.sqrt(number(3) * variance))
    if is_complex(dtype):
        return scaled(truncated_disk(key, 2, shape, dtype), np.sqrt(variance) / number(TRUNCATED_DISK_DEVIATION))
    return scaled(random.truncated_normal(key, -2, 2, shape, dtype), np.sqrt(variance) / number(TRUNCATED_DEVIATION))


def directions(key, shape, dtype):
    """Complex numbers of absolute value 1."""
    angle = multiply(2 * math.pi, as_dtype(random.uniform(key, shape, real_dtype(dtype)), dtype))
    return exp(multiply(1j, angle))


def uniform_disk(key, shape, dtype):
    """Complex numbers uniform in a disk, with variance 1."""
    first, second = random.split(key)
    size = sqrt(multiply(2, random.uniform(first, shape, real_dtype(dtype))))
    return multiply(as_dtype(size, dtype), directions(second, shape, dtype))


def truncated_disk(key, upper, shape, dtype):
    """Complex numbers of a normal distribution cut off at an absolute value."""
    first, second = random.split(key)
    inside = subtract(1, exp(creation.asarray(-upper ** 2, dtype)))
    drawn = as_dtype(random.uniform(first, shape, real_dtype(dtype)), dtype)
    size = sqrt(negative(log(subtract(1, multiply(inside, drawn)))))
    return multiply(size, directions(second, shape, dtype))


def scaled_by_fans(name, scale, mode, distribution, sentence):
    """A maker of `variance_scaling` initializers of one kind."""
    def make(in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
        return variance_scaling(scale, mode, distribution, in_axis, out_axis, batch_axis, dtype)
    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"""{sentence} See `variance_scaling` for the axes.

    >>> from gnomon import random
    >>> {name}()(random.key(0), (2, 3)).shape
    (2, 3)
    """
    return make


glorot_uniform = xavier_uniform = scaled_by_fans(
    "glorot_uniform", 1.0, "fan_avg", "uniform", "An initializer that draws uniformly with variance 2 / (inputs + outputs).")
glorot_normal = xavier_normal = scaled_by_fans(
    "glorot_normal", 1.0, "fan_avg", "truncated_normal", "An initializer that draws normally with variance 2 / (inputs + outputs).")
lecun_uniform = scaled_by_fans(
    "lecun_uniform", 1.0, "fan_in", "uniform", "An initializer that draws uniformly with variance 1 / inputs.")
lecun_normal = scaled_by_fans(
    "lecun_normal", 1.0, "fan_in", "truncated_normal", "An initializer that draws normally with variance 1 / inputs.")
he_uniform = kaiming_uniform = scaled_by_fans(
    "he_uniform", 2.0, "fan_in", "uniform", "An initializer that draws uniformly with variance 2 / inputs.")
he_normal = kaiming_normal = scaled_by_fans(
    "he_normal", 2.0, "fan_in", "truncated_normal", "An initializer that draws normally with variance 2 / inputs.")


# ---- orthogonal matrices ----------------------------------------------------------------------------------------------

def orthogonal(scale=1.0, column_axis=-1, dtype=None):
    """An initializer that draws orthogonal matrices times `scale`; if not square, with orthonormal rows or columns.

    column_axis: the axis of the columns; all others together are the rows.

    >>> from gnomon import random
    >>> orthogonal()(random.key(0), (3, 2)).shape
    (3, 2)
    """
    default = dtype

    def init(key, shape, dtype=default, out_sharding=None):
        dtype = float_or_complex(dtype, "orthogonal")
        shape = check_shape(shape, "The shape given to an initializer")
        if len(shape) < 2:
            raise ValueError(f"The initializer orthogonal makes arrays of at least 2 dimensions, got shape {shape}.")
        axis = one_axis(column_axis, len(shape), "orthogonal", "column_axis")
        columns = shape[axis]
        rest = shape[:axis] + shape[axis + 1:]
        matrix = random.orthogonal(key, math.prod(rest), (), dtype, columns)
        return settle(scaled(moveaxis(reshape(matrix, (*rest, columns)), -1, axis), scale), None, out_sharding)
    return init


def delta_orthogonal(scale=1.0, column_axis=-1, dtype=None):
    """An initializer of convolution kernels that are zero but for an orthogonal matrix in the middle.

    Kernels have 1 to 3 dimensions of positions, then inputs and outputs. ValueError for more inputs than outputs.

    >>> from gnomon import random
    >>> delta_orthogonal()(random.key(0), (3, 2, 2)).shape
    (3, 2, 2)
    """
    default = dtype

    def init(key, shape, dtype=default, out_sharding=None):
        dtype = float_or_complex(dtype, "delta_orthogonal")
        shape = check_shape(shape, "The shape given to an initializer")
        if len(shape) not in (3, 4, 5):
            raise ValueError(f"The initializer delta_orthogonal makes arrays of 3, 4 or 5 dimensions, got shape {shape}.")
        if shape[-1] < shape[-2]:
            raise ValueError(f"The initializer delta_orthogonal needs at least as many outputs as inputs, got shape {shape}.")
        middle = orthogonal(scale, column_axis, dtype)(key, shape[-2:])
        positions = shape[:-2]
        kernel = expand_dims(middle, tuple(range(len(positions))))
        around = [((n - 1) // 2, n - 1 - (n - 1) // 2, 0) for n in positions]
        kernel = slicing.pad(kernel, full_scalar(kernel, 0), (*around, (0, 0, 0), (0, 0, 0)))
        return settle(kernel, None, out_sharding)
    return init
