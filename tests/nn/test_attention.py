"""Attention against loops over examples and heads, in float64."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import nn

pytestmark = pytest.mark.filterwarnings("ignore::gnomon.errors.GnomonWarning")

RNG = np.random.RandomState(0)
B, T, S, N, K, H = 2, 4, 5, 6, 3, 8
Q, KEYS, VALUES = (RNG.randn(B, n, heads, H).astype(np.float32) for n, heads in ((T, N), (S, K), (S, K)))
BIAS, MASK = RNG.randn(1, N, T, S).astype(np.float32), RNG.rand(B, 1, T, S) > 0.3
MASK[..., 0] = True


def attention(q, k, v, bias=0.0, mask=True, scale=None):
    bias, mask = np.broadcast_to(bias, (B, N, T, S)), np.broadcast_to(mask, (B, N, T, S))
    out = np.zeros(q.shape)
    for b in range(B):
        for n in range(N):
            j = n // (N // k.shape[2])
            weights = q[b, :, n].astype(float) @ k[b, :, j].T * (1 / np.sqrt(H) if scale is None else scale) + bias[b, n]
            weights = np.where(mask[b, n], weights, -np.inf)
            powers = np.exp(weights - weights.max(-1, keepdims=True))
            out[b, :, n] = powers / powers.sum(-1, keepdims=True) @ v[b, :, j]
    return out


t, s = np.arange(T)[:, None], np.arange(S)


@pytest.mark.parametrize("options, reference", [
    ({}, {}), ({"bias": BIAS}, {"bias": BIAS}), ({"mask": MASK}, {"mask": MASK}), ({"scale": 0.3}, {"scale": 0.3}),
    ({"is_causal": True}, {"mask": t >= s}), ({"local_window_size": (1, 2)}, {"mask": (t <= s + 1) & (t >= s - 2)}),
    ({"local_window_size": 1}, {"mask": abs(t - s) <= 1}), ({"key_value_seq_lengths": np.int32([2, 5])},
                                                           {"mask": (s < np.array([2, 5])[:, None])[:, None, None]}),
    ({"bias": BIAS[0], "mask": MASK, "is_causal": True}, {"bias": BIAS, "mask": MASK & (t >= s)}),
], ids=lambda x: "-".join(x))
def test_against_loops(options, reference):
    expected = attention(Q, KEYS, VALUES, **reference)
    np.testing.assert_allclose(nn.dot_product_attention(Q, KEYS, VALUES, **options), expected, rtol=1e-4, atol=1e-5)
    run = G.jit(lambda *a: nn.dot_product_attention(*a, **options))
    np.testing.assert_allclose(run(Q, KEYS, VALUES), expected, rtol=1e-4, atol=1e-5)


def test_head_counts_and_missing_batch():
    for heads in (1, 2, 6):
        k, v = KEYS[:, :, :1].repeat(heads, 2), VALUES[:, :, :1].repeat(heads, 2)
        np.testing.assert_allclose(nn.dot_product_attention(Q, k, v), attention(Q, k, v), rtol=1e-4, atol=1e-5)
    one = nn.dot_product_attention(Q[0], KEYS[0], VALUES[0])
    np.testing.assert_allclose(one, nn.dot_product_attention(Q, KEYS, VALUES)[0], rtol=1e-5, atol=1e-6)


def test_lengths_of_queries():
    out = nn.dot_product_attention(Q, KEYS, VALUES, query_seq_lengths=np.int32([1, 3]))
    full = attention(Q, KEYS, VALUES)
    for b, n in enumerate((1, 3)):
        np.testing.assert_allclose(out[b, :n], full[b, :n], rtol=1e-4, atol=1e-5)
        assert not np.asarray(out[b, n:]).any()


def test_rows_that_see_nothing_are_finite():
    out, slope = G.value_and_grad(lambda q: nn.dot_product_attention(q, KEYS, VALUES, mask=np.zeros((1, 1, T, S), bool)).sum())(Q)
    assert np.isfinite(float(out)) and np.isfinite(np.asarray(slope)).all()


def test_residual():
    out, rows = nn.dot_product_attention(Q, KEYS, VALUES, return_residual=True)
    assert out.shape == Q.shape and rows.shape == (B, T, N)
    weights = np.einsum("btnh,bsnh->btns", Q, KEYS.repeat(N // K, 2)) / np.sqrt(H)
    np.testing.assert_allclose(rows, np.log(np.exp(weights).sum(-1)), rtol=1e-4)


def test_low_precision():
    low = [jnp.asarray(x, "bfloat16") for x in (Q, KEYS, VALUES)]
    out = nn.dot_product_attention(*low)
    assert out.dtype == "bfloat16"
    np.testing.assert_allclose(np.asarray(out).astype(np.float32), attention(Q, KEYS, VALUES), atol=0.03)


@pytest.mark.parametrize("call, error, text", [
    (lambda: nn.dot_product_attention(Q, KEYS, VALUES[:, :4]), ValueError, "one shape"),
    (lambda: nn.dot_product_attention(Q, KEYS[:, :, :2].repeat(2, 2), VALUES[:, :, :2].repeat(2, 2)), ValueError,
     "heads divide the query's"),
    (lambda: nn.dot_product_attention(Q, KEYS, VALUES, mask=np.ones((T, S))), ValueError, "mask that broadcasts to"),
    (lambda: nn.dot_product_attention(Q, KEYS, VALUES, query_seq_lengths=np.int32([1])), ValueError, "lengths of shape"),
    (lambda: nn.dot_product_attention(Q[0, 0], KEYS, VALUES), ValueError, "takes a query of shape"),
    (lambda: nn.dot_product_attention(Q, KEYS, VALUES, implementation="cudnn"), G.errors.Refused, "'xla'"),
    (lambda: nn.dot_product_attention(Q.astype("float16"), KEYS, VALUES), ValueError, "one dtype"),
    (lambda: nn.scaled_dot_general(Q, Q, ((), ()), configs=[1]), G.errors.Refused, "configs"),
    (lambda: nn.get_scaled_dot_general_config("nvfp4"), G.errors.Refused, "scaled_matmul"),
    (lambda: nn.scaled_matmul(Q[0], Q[0], Q[0, :, :, :3], Q[0]), ValueError, "scales"),
], ids=lambda x: "")
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_scaled_matmul():
    a, b, sa, sb = RNG.randn(2, 3, 8), RNG.randn(2, 4, 8), RNG.rand(2, 3, 2), RNG.rand(2, 4, 4)
    expected = np.einsum("bmk,bnk->bmn", a * sa.repeat(4, 2), b * sb.repeat(2, 2))
    np.testing.assert_allclose(nn.scaled_matmul(a, b, sa, sb), expected, rtol=1e-5)
    assert nn.scaled_matmul(a, b, sa, sb, "bfloat16").dtype == "bfloat16"
