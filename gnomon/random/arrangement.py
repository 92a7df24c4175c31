"""Orders, and choices out of many."""
from __future__ import annotations

import math
import operator

import numpy as np

from gnomon import lax
from gnomon import numpy as jnp
from gnomon.base.arguments import flag
from gnomon.numpy.axes import integer
from gnomon.ops.random import random_bits, random_split
from gnomon.random.continuous import _gumbel, gumbel_mode
from gnomon.random.recording import (as_shape, float_parameter, int_dtype, one_key, pair, parameter, placed, recorded, where,
                                     with_shape)
from gnomon.random.uniforms import _uniform, randint
from gnomon.trace.stage import Tracer
from gnomon.trace.value import Value
from gnomon.types.dtype import iinfo, is_integer

__all__ = ["categorical", "choice", "permutation"]


def axis_of(axis, ndim, caller):
    """An axis counted from the front; ValueError for one that the array does not have."""
    axis = integer(axis, f"random.{caller}", "axis")
    if not -ndim <= axis < ndim:
        raise ValueError(f"random.{caller} got axis={axis} for an array with {ndim} dimensions.")
    return axis % ndim


# ---- permutation ---------------------------------------------------------------------------------------------------

def permutation(key, x, axis=0, independent=False, *, out_sharding=None):
    """`x` in a random order along `axis`; for an integer `x`, the numbers 0 to x - 1 in a random order.

    All slices along `axis` are put in the same order, or each in an order of its own where `independent`. Returns an
    array of x's shape and dtype. TypeError for what is not a key or an `x` without dimensions that is not an integer,
    ValueError for an axis that `x` does not have.

    >>> from gnomon import random
    >>> random.permutation(random.key(0), 5)
    Array([...], dtype=int32)
    """
    key, _ = one_key(key, "permutation")
    x = population(x, "permutation", "x")
    axis = axis_of(axis, x.type.ndim, "permutation")
    if flag(independent, "random.permutation", "independent") or x.type.ndim == 1:
        return placed(_shuffle(key, x, axis=axis), out_sharding)
    order = _shuffle(key, jnp.arange(x.type.shape[axis]), axis=0)
    return placed(jnp.take(x, order, axis, unique_indices=True), out_sharding)


def population(x, caller, name):
    """What is drawn from: an array, or the numbers up to an integer."""
    if not isinstance(x, int):
        x = parameter(x, caller, name)
        if x.type.shape:
            return x
        if not is_integer(x.type.dtype):
            raise TypeError(f"random.{caller} takes an array with dimensions or an integer {name}, got {x!r}.")
        x = operator.index(x)
    return jnp.arange(x)


@recorded
def _shuffle(key, x, *, axis):
    """Sorts by random words; where two may be equal, once more, which leaves ties in the order that they got before."""
    rounds = math.ceil(3 * math.log(max(1, x.size)) / math.log(2**32 - 1))
    for _ in range(rounds):
        key, words_key = pair(random_split(key, (2,)))
        words = random_bits(words_key, 32, x.type.shape)
        _, x = lax.sort((words, x), dimension=axis, is_stable=True, num_keys=1)
    return x


# ---- choice --------------------------------------------------------------------------------------------------------

def choice(key, a, shape=(), replace=True, p=None, axis=0, mode=None):
    """Elements of `a`, drawn with or without putting them back.

    `a` is an array, drawn from along `axis`, or an integer that stands for ``arange(a)``. `p` gives the elements'
    probabilities, an array of one dimension that adds up to 1 (default: all equal); an element of probability zero is
    never drawn. `mode` is that of `gumbel`, for draws without replacement. Returns an array of `shape`, in the place
    of `axis`, of a's dtype. TypeError for what is not a key, ValueError for more draws than elements without
    replacement, for draws from nothing, for a `p` of another shape.

    >>> from gnomon import random
    >>> random.choice(random.key(0), 5, (3,))
    Array([...], dtype=int32)
    """
    key, _ = one_key(key, "choice")
    shape, numbers = as_shape(shape, "choice"), not np.ndim(a) if not isinstance(a, Value) else not a.type.ndim
    if numbers:
        size, axis = integer(a, "random.choice", "a"), 0
        if size > iinfo(int_dtype(None, "choice")).max:
            raise OverflowError(f"random.choice takes an a that fits in {int_dtype(None, 'choice')}, got {size}.")
    else:
        a = parameter(a, "choice", "a")
        axis = axis_of(axis, a.type.ndim, "choice")
        size = a.type.shape[axis]
    count, replace = math.prod(shape), flag(replace, "random.choice", "replace")
    if count and size <= 0:
        raise ValueError(f"random.choice cannot draw {count} elements from {size}; it needs at least one.")
    if not replace and count > size:
        raise ValueError(f"random.choice cannot draw {count} elements from {size} without replacement. Set "
                         "replace=True, or draw fewer.")
    if not count:
        index = jnp.zeros(shape, int)
    elif p is not None:
        index = weighted(key, probabilities(p, size), shape, count, replace, gumbel_mode(mode, "choice"))
    elif replace:
        index = randint(key, shape, 0, size)
    else:
        drawn = permutation(key, size if numbers else a, axis)
        drawn = lax.slice_in_dim(drawn, 0, count, axis=axis)
        return drawn.reshape(drawn.shape[:axis] + shape + drawn.shape[axis + 1:])
    return index if numbers else jnp.take(a, index, axis)


def probabilities(p, size):
    p = float_parameter(p, "choice", "p")
    if p.type.shape != (size,):
        raise ValueError(f"random.choice takes a p of shape {(size,)}, a probability for each element, got shape "
                         f"{p.type.shape}.")
    return p


def weighted(key, p, shape, count, replace, mode):
    """Indices drawn with probabilities `p`."""
    if not replace:
        if p.__class__ is not Tracer and np.count_nonzero(np.asarray(p) > 0) < count:
            raise ValueError(f"random.choice cannot draw {count} elements without replacement: fewer have a "
                             "probability above zero. Draw fewer.")
        noise = _gumbel(key, shape=p.type.shape, dtype=p.type.dtype, mode=mode)
        return lax.top_k(noise + lax.log(p), count)[1].reshape(shape)
    total = jnp.cumsum(p)
    # The sum grows at elements that can be drawn and nowhere else, even where it was rounded.
    total = lax.cummax(where(p > 0, total, 0))
    u = _uniform(key, 0.0, 1.0, shape=shape, dtype=p.type.dtype)
    return jnp.searchsorted(total, total[-1] * (1 - u))


def categorical(key, logits, axis=-1, shape=None, replace=True, mode=None, *, out_sharding=None):
    """Indices along `axis`, drawn with probabilities proportional to ``exp(logits)``.

    Returns an integer array of `shape`, which ends in the shape of `logits` without `axis` or one that it broadcasts
    to (default: that shape). Without replacement, what stands in front of it in `shape` is one dimension or more,
    along which no index occurs twice. `mode` is that of `gumbel`. TypeError for what is not a key, ValueError for an
    axis that `logits` does not have, for a shape that does not fit, for more draws without replacement than there are
    categories.

    >>> from gnomon import random
    >>> random.categorical(random.key(0), jnp.zeros((2, 3))).shape
    (2,)
    """
    key, _ = one_key(key, "categorical")
    logits = float_parameter(logits, "categorical", "logits")
    t, mode = logits.type, gumbel_mode(mode, "categorical")
    axis = axis_of(axis, t.ndim, "categorical") - t.ndim
    if not t.shape[axis]:
        raise ValueError(f"random.categorical takes logits of at least one category, got shape {t.shape}.")
    batch = tuple(np.delete(t.shape, axis).tolist())
    shape = batch if shape is None else as_shape(shape, "categorical")
    own = shape[len(shape) - len(batch):]
    if len(own) < len(batch) or any(a != b and a != 1 for a, b in zip(batch, own)):
        raise ValueError(f"random.categorical got shape={shape}, which must end in {batch}, the shape of its logits "
                         "without the axis of the categories.")
    if flag(replace, "random.categorical", "replace"):
        where = len(shape) + axis + 1
        noise = _gumbel(key, shape=(*shape[:where], t.shape[axis], *shape[where:]), dtype=t.dtype, mode=mode)
        return placed(jnp.argmax(noise + logits, axis), out_sharding)
    draws = shape[:len(shape) - len(batch)]
    count = math.prod(draws)
    if count > t.shape[axis]:
        raise ValueError(f"random.categorical cannot draw {count} of {t.shape[axis]} categories without replacement. "
                         "Set replace=True, or draw fewer.")
    logits = with_shape(logits, (*own[:len(own) + axis + 1], t.shape[axis], *own[len(own) + axis + 1:]))
    noise = _gumbel(key, shape=logits.type.shape, dtype=t.dtype, mode=mode)
    _, index = lax.top_k(logits + noise, count, axis=axis)
    return placed(jnp.moveaxis(index, axis, 0).reshape(shape), out_sharding)
