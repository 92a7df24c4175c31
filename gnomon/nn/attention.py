"""Attention, and products of block-scaled matrices."""
from __future__ import annotations

import math

import numpy as np

from gnomon.base.arguments import flag
from gnomon.base.errors import Refused
from gnomon.lax.contraction import canonical_numbers
from gnomon.nn.normalization import logsumexp, softmax
from gnomon.numpy.axes import integer, pair_of
from gnomon.numpy.creation import as_dtype
from gnomon.numpy.einstein import einsum
from gnomon.numpy.manipulation import moveaxis, repeat, reshape
from gnomon.numpy.promote import as_value, requested_dtype
from gnomon.numpy.selection import where
from gnomon.ops.arithmetic import add, mul, sub
from gnomon.ops.compare import bitwise_and, ge, le, lt, ne
from gnomon.ops.convert import convert_element_type
from gnomon.ops.dot import DotGeneral
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.shape import Iota, StopGradient, expand_dims
from gnomon.trace.stage import bind
from gnomon.types.dtype import finfo, is_key, promote_types

__all__ = ["dot_product_attention", "get_scaled_dot_general_config", "scaled_dot_general", "scaled_matmul"]

_INT32, _FLOAT32 = np.dtype("int32"), np.dtype("float32")
_stop = StopGradient()


def dot_product_attention(query, key, value, bias=None, mask=None, *, scale=None, is_causal=False, query_seq_lengths=None,
                          key_value_seq_lengths=None, local_window_size=None, implementation=None, return_residual=False):
    """softmax(query @ key.T * scale + bias) @ value, for each head.

    With B examples, T queries, S keys, N heads of H numbers, and K heads of keys and values (N is a multiple of K; groups of
    N // K heads share keys): query is (B, T, N, H), key and value are (B, S, K, H); B may be missing from all three. bias and
    mask broadcast to (B, N, T, S); where the mask is False a query does not see a key. scale: 1 / sqrt(H) by default.
    is_causal: query t sees keys up to t. query_seq_lengths, key_value_seq_lengths: how many queries and keys of each example
    count, (B,); the result is 0 for the other queries. local_window_size: how many keys before and behind its own place a query
    sees (one number, or two). return_residual: also give the logsumexp of each query's row, (B, T, N). implementation: None
    or "xla". Errors: ValueError for shapes that do not fit. Weights are computed in float32 at least.

    >>> import gnomon.numpy as jnp
    >>> x = jnp.ones((1, 3, 2, 4))
    >>> dot_product_attention(x, x, x).shape
    (1, 3, 2, 4)
    """
    name = "dot_product_attention"
    if not (implementation is None or isinstance(implementation, str) and implementation == "xla"):
        raise Refused(f"{name} has one implementation, 'xla', got implementation={implementation!r}. Leave it out.")
    is_causal, return_residual = flag(is_causal, name, "is_causal"), flag(return_residual, name, "return_residual")
    q, k, v = (as_value(x, name, i) for i, x in enumerate((query, key, value)))
    shape = q.type.shape
    if len(shape) == 3:
        q, k, v = (expand_dims(x, (0,)) for x in (q, k, v))
    check_shapes(name, q, k, v)
    batch, queries, heads, size = q.type.shape
    keys, groups = k.type.shape[1], heads // max(k.type.shape[2], 1)
    q = reshape(q, (batch, queries, k.type.shape[2], groups, size))

    wide = promote_types(q.type.dtype, _FLOAT32)
    weights = einsum("btkgh,bskh->bkgts", q, k, preferred_element_type=wide)
    scale = 1 / math.sqrt(size) if scale is None else scale if isinstance(scale, (int, float)) else as_value(scale, f"{name}(scale=...)")
    if not isinstance(scale, (int, float)):
        if scale.type.shape or is_key(scale.type.dtype):
            raise ValueError(f"{name} takes one number as scale, got type {scale.type}.")
        scale = as_dtype(scale, wide)
    weights = mul(weights, full_scalar(weights, scale) if isinstance(scale, (int, float)) else scale)
    if bias is not None:
        weights = add(weights, as_dtype(by_group(name, "bias", bias, weights.type.shape), wide))
    seen = [] if mask is None else [truth(by_group(name, "mask", mask, weights.type.shape))]
    seen += positions_seen(name, is_causal, local_window_size, queries, keys)
    seen += lengths_seen(name, query_seq_lengths, key_value_seq_lengths, batch, queries, keys)
    for part in seen:
        # a large negative number and not -inf: a query that sees nothing must not become NaN
        weights = where(part, weights, -0.7 * float(finfo(wide).max))
    out = einsum("bkgts,bskh->btkgh", as_dtype(softmax(weights), k.type.dtype), v)
    if query_seq_lengths is not None:
        counts = lt(numbers(queries, 1, 2), column(name, query_seq_lengths, batch))
        out = mul(out, expand_dims(convert_element_type(counts, out.type.dtype), (2, 3, 4)))
    out = reshape(out, shape)
    if not return_residual:
        return out
    residual = bind(_stop, as_dtype(logsumexp(weights, -1), q.type.dtype))
    return out, reshape(moveaxis(residual, 3, 1), shape[:-1])


def check_shapes(name, q, k, v):
    for what, x in (("query", q), ("key", k), ("value", v)):
        if x.type.ndim != 4:
            raise ValueError(f"{name} takes a {what} of shape (batch, places, heads, size), or without batch, got type {x.type}.")
    if q.type.dtype != k.type.dtype or k.type.dtype != v.type.dtype:
        raise ValueError(f"{name} takes query, key and value of one dtype, got {q.type.dtype}, {k.type.dtype} and "
                         f"{v.type.dtype}.")
    a, b = q.type.shape, k.type.shape
    if b != v.type.shape or a[0] != b[0] or a[3] != b[3] or b[2] == 0 or a[2] % b[2]:
        raise ValueError(f"{name} needs key and value of one shape, which agrees with the query in batch and size and whose heads "
                         f"divide the query's, got query {a}, key {b}, value {v.type.shape}.")


def truth(x):
    return x if x.type.dtype == bool else ne(x, full_scalar(x, 0))


def by_group(name, what, x, shape):
    """A bias or mask over (batch, heads, queries, keys) as one over `shape`: (batch, key heads, groups, queries, keys)."""
    x = as_value(x, f"{name}({what}=...)")
    if x.type.ndim == 3:
        x = expand_dims(x, (0,))
    batch, heads, groups, queries, keys = shape
    whole = (batch, heads * groups, queries, keys)
    if is_key(x.type.dtype) or x.type.ndim != 4 or any(a not in (1, b) for a, b in zip(x.type.shape, whole)):
        raise ValueError(f"{name} takes a {what} that broadcasts to (batch, heads, queries, keys), here {whole}, got type {x.type}.")
    b, n, t, s = x.type.shape
    return expand_dims(x, (2,)) if n == 1 else reshape(x, (b, heads, groups, t, s))


def numbers(count, axis, rank):
    """0, 1, 2, ... along an axis."""
    return bind(Iota(_INT32, tuple([count if i == axis else 1 for i in range(rank)]), axis))


def column(name, lengths, batch, rank=2):
    """One number for each example, as a column."""
    x = as_value(lengths, name)
    if x.type.shape != (batch,) or is_key(x.type.dtype):
        raise ValueError(f"{name} takes lengths of shape ({batch},), one for each example, got type {x.type}.")
    x = as_dtype(x, _INT32)
    return expand_dims(x, tuple(range(1, rank)))


def positions_seen(name, is_causal, window, queries, keys):
    """Masks of the keys that a query sees because of its place."""
    t, s = numbers(queries, 3, 5), numbers(keys, 4, 5)
    seen = [ge(t, s)] if is_causal else []
    if window is not None:
        pair = (window, window) if isinstance(window, (int, np.integer)) else pair_of(window, name, "local_window_size", "keys before and behind")
        before, behind = [integer(n, name, "local_window_size") for n in pair]
        seen.append(bitwise_and(le(t, add(s, full_scalar(s, before))), ge(t, sub(s, full_scalar(s, behind)))))
    return seen


def lengths_seen(name, query_lengths, key_lengths, batch, queries, keys):
    """Masks of the queries and keys that count in each example."""
    seen = []
    if query_lengths is not None:
        seen.append(lt(numbers(queries, 3, 5), column(name, query_lengths, batch, 5)))
    if key_lengths is not None:
        seen.append(lt(numbers(keys, 4, 5), column(name, key_lengths, batch, 5)))
    return seen


# ---- block-scaled products --------------------------------------------------------------------------------------------

def scaled_matmul(lhs, rhs, lhs_scales, rhs_scales, preferred_element_type=np.float32):
    """The product lhs @ rhs.T of two batches of matrices whose rows are scaled block by block.

    lhs is (B, M, K), rhs (B, N, K); lhs_scales (B, M, K // block) and rhs_scales (B, N, K // block) multiply blocks of equally
    many numbers. Computed in float32. ValueError for shapes that do not fit.

    >>> import gnomon.numpy as jnp
    >>> scaled_matmul(jnp.ones((1, 1, 2)), jnp.ones((1, 1, 2)), jnp.full((1, 1, 1), 3.0), jnp.ones((1, 1, 2)))
    Array([[[6.]]], dtype=float32)
    """
    x, y = (scaled_rows(*pair) for pair in ((lhs, lhs_scales), (rhs, rhs_scales)))
    if x.type.shape[0] != y.type.shape[0] or x.type.shape[2] != y.type.shape[2]:
        raise ValueError(f"scaled_matmul needs operands (B, M, K) and (B, N, K), got {x.type.shape} and {y.type.shape}.")
    return as_dtype(einsum("bmk,bnk->bmn", x, y), requested_dtype(preferred_element_type))


def scaled_rows(x, scales):
    x, scales = as_value(x, "scaled_matmul"), as_value(scales, "scaled_matmul")
    a, b = x.type.shape, scales.type.shape
    if len(a) != 3 or len(b) != 3 or a[:2] != b[:2] or not b[2] or a[2] % b[2]:
        raise ValueError(f"scaled_matmul needs an operand (B, M, K) with scales (B, M, K // block), got {a} and {b}.")
    return mul(as_dtype(x, _FLOAT32), repeat(as_dtype(scales, _FLOAT32), a[2] // b[2], axis=2))


def scaled_dot_general(lhs, rhs, dimension_numbers, preferred_element_type=np.float32, configs=None, implementation=None):
    """A general product whose operands are rounded to few bits with block scales, if `configs` says how; that is refused.

    >>> import gnomon.numpy as jnp
    >>> scaled_dot_general(jnp.ones(2), jnp.ones(2), (((0,), (0,)), ((), ())))
    Array(2., dtype=float32)
    """
    if configs is not None:
        raise Refused("scaled_dot_general does not round its operands to few bits, as configs asks. Leave configs out, or round "
                      "them yourself and use scaled_matmul.")
    lhs, rhs = as_value(lhs, "scaled_dot_general", 0), as_value(rhs, "scaled_dot_general", 1)
    for side, t in (("lhs", lhs.type), ("rhs", rhs.type)):
        if is_key(t.dtype):
            raise TypeError(f"scaled_dot_general takes numbers as {side}, got a value of type {t}.")
    numbers_ = canonical_numbers(dimension_numbers, lhs.type, rhs.type, "scaled_dot_general")
    return bind(DotGeneral(numbers_, None, requested_dtype(preferred_element_type)), lhs, rhs)


def get_scaled_dot_general_config(mode, global_scale=None):
    """Refused: `scaled_dot_general` does not round its operands to few bits.

    >>> get_scaled_dot_general_config("mxfp8")
    Traceback (most recent call last):
    gnomon.base.errors.Refused: There are no configurations ...
    """
    raise Refused("There are no configurations for scaled_dot_general: it does not round its operands to few bits. Round them yourself "
                  "and use scaled_matmul.")
