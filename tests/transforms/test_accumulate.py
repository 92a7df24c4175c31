"""Cotangents of pieces that a loop reads are added to the piece, not to the whole array."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import lax

N = 6
READS = {
    "an element": lambda w, i: w[i],
    "two elements": lambda w, i: w[i] * w[N - 1 - i],
    "a row": lambda w, i: lax.dynamic_slice(w, (i, 1), (1, 2)).sum(),
    "a row over the edge": lambda w, i: lax.dynamic_slice(w, (i - 3, i), (4, 2)).sum(),
    "rows": lambda w, i: w[jnp.stack([i, N - 1 - i, i])].sum(),
    "an element and all": lambda w, i: w[i] * w.sum(),
}


def equations(jaxpr):
    for e in jaxpr.eqns:
        yield e
        for p in e.op.programs() if e.op.holds_programs else ():
            yield from equations(p)


@pytest.mark.parametrize("read", READS)
def test_reading_pieces_in_a_loop(read):
    shape = (N, 3) if "row" in read else (N,)
    w = np.random.default_rng(0).standard_normal(shape).astype("f4")

    def looped(w):
        return lax.scan(lambda c, i: (c * 0.5 + READS[read](w, i), None), 0.0, jnp.arange(N))[0]

    def written_out(w):
        c = jnp.float32(0)
        for i in range(N):
            c = c * 0.5 + READS[read](w, jnp.int32(i))
        return c
    slope = gnomon.grad(looped)(w)
    np.testing.assert_allclose(slope, gnomon.grad(written_out)(w), rtol=1e-5)
    np.testing.assert_allclose(slope, gnomon.jacfwd(looped)(w), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(gnomon.vmap(gnomon.grad(looped))(np.stack([w, -w]))[0], slope, rtol=1e-5)
    made = gnomon.make_jaxpr(gnomon.grad(looped))(w).jaxpr
    sums = [e for e in equations(made) if e.op.name == "add_any" and e.outs[0].type.shape == shape]
    assert len(sums) == ("all" in read)
