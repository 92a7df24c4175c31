"""Updates under vmap cost what they write, not the array they are written to: no select goes over a whole array that is carried."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax

N = 6


def while_of_sets(n, x):
    return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1].at[c[0]].set(x + c[1].sum())), (0, jnp.zeros(N)))[1]


def while_of_calls(n, x):
    put = G.jit(lambda a, i: lax.dynamic_update_slice(a, x[None], (i,)))
    return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, put(c[1], c[0])), (0, jnp.zeros(N)))[1]


def cond_of_calls(n, x):
    put = G.jit(lambda a, i: a.at[i].add(x))
    return lax.fori_loop(0, N, lambda i, a: lax.cond(i < n, lambda a: put(put(a, i), 0), lambda a: a, a), jnp.zeros(N))


@pytest.mark.parametrize("f", [while_of_sets, while_of_calls, cond_of_calls])
def test_no_select_of_whole_arrays(f):
    ns, xs = np.array([2, 0, 5], np.int32), np.arange(1, 4, dtype="f4")
    assert np.array_equal(G.vmap(f)(ns, xs), np.stack([f(int(n), jnp.asarray(x)) for n, x in zip(ns, xs)]))

    def selects(jaxpr):
        inner = [p for e in jaxpr.eqns for v in e.params.values() for p in (v if isinstance(v, tuple) else (v,)) if hasattr(p, "eqns")]
        return [e for e in jaxpr.eqns if e.primitive.name == "select_n" and e.outs[0].type.shape == (3, N)] + sum(map(selects, inner), [])
    assert not selects(G.make_jaxpr(G.vmap(f))(ns, xs).jaxpr)
