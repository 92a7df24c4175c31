"""Reductions over segments: elements with equal ids are combined. (In JAX this module is called `jax.ops`.)"""
from __future__ import annotations

import operator as _operator

import numpy as _np

from gnomon.base.errors import ConcretizationTypeError as _ConcretizationTypeError
from gnomon.numpy import creation as _creation, manipulation as _manipulation, reductions as _reductions
from gnomon.numpy.promote import as_value as _as_value
from gnomon.trace.stage import Tracer as _Tracer
from gnomon.types.dtype import iinfo as _iinfo, is_bool as _is_bool, is_inexact as _is_inexact

__all__ = ["segment_max", "segment_min", "segment_prod", "segment_sum"]


def _lowest(dtype):
    return False if _is_bool(dtype) else -_np.inf if _is_inexact(dtype) else int(_iinfo(dtype).min)


def _highest(dtype):
    return True if _is_bool(dtype) else _np.inf if _is_inexact(dtype) else int(_iinfo(dtype).max)


def _count(name, segment_ids, num_segments):
    if num_segments is None:
        if isinstance(segment_ids, _Tracer):
            raise _ConcretizationTypeError(f"{name} needs num_segments where segment_ids is a traced value, since the result's shape "
                                           "depends on it; give it as an integer.")
        return int(_np.max(_np.asarray(segment_ids), initial=-1)) + 1
    try:
        num_segments = _operator.index(num_segments)
    except TypeError:
        raise TypeError(f"{name}: num_segments must be an integer known while tracing, got {num_segments!r}.") from None
    if num_segments < 0:
        raise ValueError(f"{name}: num_segments must be non-negative, got {num_segments}.")
    return num_segments


def _segment(name, method, reduce, start, data, segment_ids, num_segments, indices_are_sorted, unique_indices, bucket_size, mode,
             out_sharding):
    data, segment_ids = _as_value(data, name, 0), _as_value(segment_ids, name, 1)
    count = _count(name, segment_ids, num_segments)
    ids_shape = segment_ids.shape
    if data.shape[:len(ids_shape)] != ids_shape:
        raise ValueError(f"{name}: the shape of segment_ids, {ids_shape}, must be that of the leading dimensions of data, {data.shape}.")
    rest = data.shape[len(ids_shape):]
    options = dict(indices_are_sorted=indices_are_sorted, unique_indices=unique_indices, mode=mode or "drop",
                   wrap_negative_indices=False)

    def combine(ids, values):
        out = _creation.full((count, *rest), start(data.dtype), data.dtype)
        return getattr(out.at[ids], method)(values, **options)
    if bucket_size is None or not ids_shape:
        return combine(segment_ids, data)
    size, n = _operator.index(bucket_size), ids_shape[0]
    parts = [combine(segment_ids[i:i + size], data[i:i + size]) for i in range(0, n, size)]
    return reduce(_manipulation.stack(parts), axis=0) if parts else combine(segment_ids, data)


_DOC = """{what} of the elements of each segment.

    `data` has the shape `segment_ids`.shape + rest, the result (num_segments, *rest): row i is {combined} the elements whose id
    is i, {empty} where there are none. Elements whose id is negative or not below `num_segments` are left out.
    `num_segments` is by default the largest id plus one, which must then be known. `bucket_size` combines pieces of that many
    elements first, which keeps rounding errors small.

    >>> import gnomon.numpy as jnp
    >>> {name}(jnp.array([3, 1, 4, 1]), jnp.array([0, 0, 1, 2])).tolist()
    {example}
    """


def _make(name, method, reduce, start, what, combined, empty, example):
    def segment(data, segment_ids, num_segments=None, indices_are_sorted=False, unique_indices=False, bucket_size=None, mode=None,
                out_sharding=None):
        return _segment(name, method, reduce, start, data, segment_ids, num_segments, indices_are_sorted, unique_indices, bucket_size,
                        mode, out_sharding)
    segment.__name__ = segment.__qualname__ = name
    segment.__doc__ = _DOC.format(name=name, what=what, combined=combined, empty=empty, example=example)
    return segment


segment_sum = _make("segment_sum", "add", _reductions.sum, lambda dtype: 0, "The sum", "the sum of", "0", [4, 4, 1])
segment_prod = _make("segment_prod", "multiply", _reductions.prod, lambda dtype: 1, "The product", "the product of", "1", [3, 4, 1])
segment_max = _make("segment_max", "max", _reductions.max, _lowest, "The maximum", "the maximum of",
                    "the lowest value of the dtype (-inf for floats)", [3, 4, 1])
segment_min = _make("segment_min", "min", _reductions.min, _highest, "The minimum", "the minimum of",
                    "the highest value of the dtype (inf for floats)", [1, 4, 1])
