"""Loops: what of a carry never changes is a constant of the loop, and what follows from that."""
import numpy as np

import gnomon as G
import gnomon.numpy as jnp
from gnomon import lax


def loops(jaxpr):
    return [e for e in jaxpr.eqns if e.op.op_name in ("scan", "while")]


def test_parts_of_a_carry_that_stay_are_constants():
    loop, = loops(G.make_jaxpr(lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1]), (0, x)))(1.0))
    assert [str(v.aval) for v in loop.outs] == ["int32[]"] and loop.op.cond_nconsts == loop.op.body_nconsts == 0
    loop, = loops(G.make_jaxpr(lambda x: lax.scan(lambda c, y: ((c[0] + c[1], c[1]), y), (0.0, x), jnp.ones(3)))(1.0))
    assert len(loop.outs) == 1 and (loop.op.num_consts, loop.op.num_carry) == (1, 1)
    (total, held), ys = lax.scan(lambda c, y: ((c[0] + c[1], c[1]), y), (0.0, 2.0), jnp.arange(3.0), reverse=True)
    assert (float(total), float(held), ys.tolist()) == (6.0, 2.0, [0.0, 1.0, 2.0])
    assert [int(v) for v in lax.while_loop(lambda c: False, lambda c: c, (1, 2))] == [1, 2]
    assert int(lax.scan(lambda c, x: (x, c), 7, jnp.arange(3))[0]) == 2        # a carry that is the last x is none of these


def test_reverse_through_a_while_loop_that_a_value_only_passes():
    assert float(G.grad(lambda x: lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] * 2, c[1]), (1, x))[1] * x)(2.0)) == 4.0
    x = np.arange(3, dtype="f4")
    got = G.vmap(G.grad(lambda x, n: lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1]), (0, x))[1] ** 2))(x, np.arange(3))
    assert got.tolist() == [0.0, 2.0, 4.0]


def test_residuals_that_stay_are_not_stacked():
    n, k = 7, 5

    def f(w, h, xs):
        (_, h), _ = lax.scan(lambda c, x: ((c[0], jnp.tanh(c[0] @ c[1] + x)), None), (w, h), xs)
        return h.sum()
    forward, backward = loops(G.make_jaxpr(G.grad(f))(jnp.eye(k), jnp.ones(k), jnp.ones((n, k))))
    assert all(v.aval.shape != (n, k, k) for e in (forward, backward) for v in (*e.ins, *e.outs))


def test_a_carry_that_takes_another_dtype_has_it_for_good():
    """A Python number stays weak in a carry as long as its kind does; an integer that becomes a float is an array of floats."""
    half = jnp.float16(1)
    for start, dtype in ((0, "float32"), (0.0, "float16")):
        last = lax.scan(lambda c, _: (c + 1.0, None), start, None, 3)[0], lax.fori_loop(0, 3, lambda i, c: c + 1.0, start), \
            lax.while_loop(lambda c: c < 3, lambda c: c + 1.0, start)
        assert [str((x + half).dtype) for x in last] == [dtype] * 3
