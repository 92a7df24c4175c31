"""Programs whose jaxprs and StableHLO are kept as text: a refactor is proven by identical text."""
from __future__ import annotations

import numpy as np

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax

f32 = np.float32


def a(*shape, dtype=f32):
    """An array of a shape, with numbers that do not matter."""
    return np.ones(shape, dtype)


def softmax(x):
    e = jnp.exp(x - jnp.max(x, -1, keepdims=True))
    return e / jnp.sum(e, -1, keepdims=True)


def dense(x, w, b):
    return jnp.maximum(x @ w + b, 0.0)


def mlp_loss(params, x, y):
    for w, b in params:
        x = jnp.tanh(x @ w + b)
    return jnp.mean((x - y) ** 2)


def layer_norm(x, g, b):
    m = jnp.mean(x, -1, keepdims=True)
    v = jnp.var(x, -1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


def attention(q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return jnp.einsum("bhqk,bhkd->bhqd", softmax(jnp.where(mask, scores, -1e30)), v)


def rnn(w, h, xs):
    return lax.scan(lambda h, x: (jnp.tanh(h @ w + x),) * 2, h, xs)


def newton(x):
    return lax.while_loop(lambda s: jnp.abs(s * s - 2.0) > 1e-6, lambda s: s - (s * s - 2.0) / (2 * s), x)


@G.custom_jvp
def clipped(x):
    return jnp.clip(x, -1.0, 1.0)


clipped.defjvp(lambda primals, tangents: (clipped(*primals), tangents[0]))


@G.custom_vjp
def scaled(x, k):
    return x * k


scaled.defvjp(lambda x, k: (x * k, k), lambda k, ct: (ct * k, None))


@G.jit
def square_plus(x):
    return x * x + 1.0


def conv(x, k):
    return lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


PARAMS = [(a(3, 4), a(4)), (a(4, 2), a(2))]

PROGRAMS = {
    "arithmetic": (lambda x, y: (x + y, x - y, x * y, x / y, -x, x ** 2, x ** 0.5, x // y, x % y), a(3), a(3)),
    "integers": (lambda x, y: (x + 1, x // y, x % y, x & y, x | y, x ^ y, ~x, x << 1, x >> 1), a(3, dtype="i4"), a(3, dtype="i4")),
    "comparisons": (lambda x, y: (x < y, x <= y, x == y, x != y, jnp.logical_and(x > 0, y > 0)), a(3), a(3)),
    "functions": (lambda x: [f(x) for f in (jnp.sin, jnp.cos, jnp.tanh, jnp.exp, jnp.log, jnp.sqrt, jnp.abs, jnp.sign)], a(3)),
    "promotion": (lambda x, y: (x + y, x * 2, y + 1.5), a(3, dtype="i4"), a(3, dtype="f2")),
    "broadcasting": (lambda x, y: (x + y, x * x[:, :1], jnp.broadcast_to(y, (2, 3))), a(2, 3), a(3)),
    "dense layer": (dense, a(4, 8), a(8, 16), a(16)),
    "reductions": (lambda x: (x.sum(), x.mean(0), x.max(1), x.min(), x.prod(), x.var(), (x > 0).any(), (x > 0).all()), a(2, 3)),
    "argument reductions": (lambda x: (jnp.argmax(x), jnp.argmin(x, 1)), a(2, 3)),
    "cumulative": (lambda x: (jnp.cumsum(x), jnp.cumprod(x, 0)), a(2, 3)),
    "sorting": (lambda x: (jnp.sort(x), jnp.argsort(x)), a(5)),
    "reshaping": (lambda x: (x.reshape(3, 2), x.T, x[None], x.ravel(), jnp.moveaxis(x, 0, 1)), a(2, 3)),
    "joining": (lambda x, y: (jnp.concatenate([x, y]), jnp.stack([x, y]), *jnp.split(x, 2)), a(4), a(4)),
    "basic indexing": (lambda x: (x[0], x[-1], x[1:], x[::-1], x[:, 1], x[..., None]), a(4, 3)),
    "advanced indexing": (lambda x, i: (x[i], x[:, i], x[i, i], jnp.take_along_axis(x, i[:, None], 1)), a(4, 4), a(4, dtype="i4")),
    "dynamic indexing": (lambda x, i: (x[i], lax.dynamic_slice(x, (i, 0), (2, 2))), a(4, 3), np.int32(1)),
    "updates": (lambda x, i: (x.at[i].set(1.0), x.at[i].add(2.0), x.at[0].multiply(3.0)), a(4), np.int32(1)),
    "where": (lambda x: jnp.where(x > 0, x, 0.0), a(3)),
    "softmax": (softmax, a(2, 3)),
    "layer norm": (layer_norm, a(2, 8), a(8), a(8)),
    "attention": (attention, a(1, 2, 4, 8), a(1, 2, 4, 8), a(1, 2, 4, 8)),
    "einsum": (lambda x, y: jnp.einsum("bij,bjk->bik", x, y), a(2, 3, 4), a(2, 4, 5)),
    "convolution": (conv, a(1, 8, 8, 3), a(3, 3, 3, 4)),
    "cond": (lambda x: lax.cond(x > 0, lambda v: v, lambda v: -v, x), f32(1.0)),
    "switch": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda v: v], x), np.int32(1), f32(1.0)),
    "scan": (rnn, a(3, 3), a(3), a(5, 3)),
    "while": (newton, f32(1.0)),
    "fori": (lambda x: lax.fori_loop(0, 10, lambda i, v: v * 2.0 + i, x), f32(1.0)),
    "nested jit": (lambda x: square_plus(square_plus(x)), a(3)),
    "checkpoint": (G.grad(G.checkpoint(lambda x: jnp.sin(jnp.sin(x)))), f32(1.0)),
    "custom jvp": (lambda x: G.jvp(clipped, (x,), (x,)), f32(2.0)),
    "custom vjp": (G.grad(scaled), f32(2.0), f32(3.0)),
    "grad of a network": (G.grad(mlp_loss), PARAMS, a(5, 3), a(5, 2)),
    "grad of softmax": (G.grad(lambda x: softmax(x)[0, 0]), a(2, 3)),
    "grad of scan": (G.grad(lambda w, h, xs: rnn(w, h, xs)[0].sum()), a(3, 3), a(3), a(5, 3)),
    "grad of convolution": (G.grad(lambda k, x: conv(x, k).sum()), a(3, 3, 3, 4), a(1, 8, 8, 3)),
    "hessian": (G.hessian(lambda x: (x ** 3).sum()), a(2)),
    "vmap of dense": (G.vmap(dense, (0, None, None)), a(6, 4, 8), a(8, 16), a(16)),
    "vmap of cond": (G.vmap(lambda x: lax.cond(x > 0, lambda v: v * 10, lambda v: v - 10, x)), a(4)),
    "vmap of grad": (G.vmap(G.grad(lambda w, x: jnp.tanh(w @ x)), (None, 0)), a(3), a(5, 3)),
    "vmap with a named axis": (G.vmap(lambda x: x - lax.pmean(x, "i"), axis_name="i"), a(4)),
    "random normal": (lambda: G.random.normal(G.random.key(0), (3,)),),
    "random split": (lambda: G.random.key_data(G.random.split(G.random.key(0))),),
}
