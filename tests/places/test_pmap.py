"""pmap over eight devices: against vmap, and against the gradients that JAX's gives."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax

X = np.arange(1.0, 9.0, dtype="f4")
TREE = {"a": np.arange(16.0, dtype="f4").reshape(8, 2), "b": [X]}


def same(got, want):
    for a, b in zip(G.tree.leaves(got), G.tree.leaves(want), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize("f, args, axes", [
    (lambda x: jnp.sin(x) + lax.axis_index("i"), (X,), {}),
    (lambda t: (t["a"] - lax.pmean(t["a"], "i"), t["b"][0]), (TREE,), {}),
    (lambda w, x: w * x, (2.0, X), {"in_axes": (None, 0)}),
    (lambda x: x * 2, (np.ones((3, 8, 2), "f4"),), {"in_axes": 1, "out_axes": -1}),
    (lambda x, w: (x, lax.psum(x, "i")), (X, {"k": X}), {"in_axes": (0, {"k": None}), "out_axes": (0, None)}),
    (lambda key: G.random.normal(key, (2,)), (G.random.split(G.random.key(0), 4),), {}),
    (lambda x: lax.ppermute(x, "i", [(0, 1), (1, 0)]), (X[:2],), {}),
])
def test_it_agrees_with_vmap(f, args, axes):
    want = G.vmap(f, axis_name="i", **axes)(*args)
    got = G.pmap(f, "i", **axes)
    same(got(*args), want)
    same(G.jit(got)(*args), want)
    assert len(G.tree.leaves(got(*args))[0].sharding.device_set) == len(G.tree.leaves(args)[-1]) or "in_axes" in axes


def test_gradients_inside_are_each_devices_own():
    """A sum over devices is transposed to a sum over devices, as in JAX's pmap."""
    own = G.pmap(lambda w, x: G.grad(lambda w: w * x)(w), "i", in_axes=(None, 0))
    assert own(2.0, X).tolist() == X.tolist()
    summed = G.pmap(lambda w, x: G.grad(lambda w: lax.psum(w * x, "i"))(w), "i", in_axes=(None, 0))
    assert summed(2.0, X).tolist() == (8 * X).tolist()
    whole = G.grad(lambda w: G.pmap(lambda w, x: lax.psum(w * x, "i"), "i", in_axes=(None, 0))(w, X).sum())
    assert float(whole(2.0)) == 8 * X.sum()


def test_python_values_keywords_and_donation():
    f = G.pmap(lambda n, x, *, y: x * n + y, static_broadcasted_argnums=0, donate_argnums=1)
    assert f(3, X, y=X).tolist() == (4 * X).tolist() and f(2, X, y=X).tolist() == (3 * X).tolist()
    x = G.device_put(X, f(3, X, y=X).sharding)
    f(3, x, y=X)
    assert x.is_deleted()
    kinds = G.pmap(lambda n, x: (x * n).astype(type(n)), static_broadcasted_argnums=0)
    assert [str(kinds(n, X).dtype) for n in (1, 1.0, True)] == ["int32", "float32", "bool"]
    traced = []
    again = G.pmap(lambda x: traced.append(1) or x)
    again(X), again(X + 1), again(X[:4])
    assert len(traced) == 2


@pytest.mark.parametrize("call, words", [
    (lambda: G.pmap(lambda x: x)(np.ones(9)), "maps over 9 elements, one for each device, but there are 8. Use vmap"),
    (lambda: G.pmap(lambda x, y: x)(X, X[:7]), r"mapped axes of different sizes: 8 \(shape \(8,\)\), 7 \(shape \(7,\)\)"),
    (lambda: G.pmap(lambda n, x: x, static_broadcasted_argnums=0)([1], X), "argument n of <lambda> has type list, which is not hashable"),
    (lambda: G.pmap(lambda: 1)(), "needs an argument with a mapped axis"),
    (lambda: G.pmap(lambda x: x)(1.0), r"maps over axis 0 of an argument of shape \(\), which has none. Give in_axes"),
    (lambda: G.pmap(lambda x, y: x, in_axes=(0,))(X, X), "in_axes must be an int, None or a tuple with an entry for each argument, but it has 1"),
    (lambda: G.pmap(lambda x: x, out_axes=(0, 0))(X), "pmap out_axes"),
])
def test_what_does_not_fit_says_so(call, words):
    with pytest.raises(ValueError, match=words):
        call()
