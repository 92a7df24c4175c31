"""Block functions and the compiler's generator give JAX's bits."""
import gc

import numpy as np
import pytest

import gnomon
from gnomon import lax
from gnomon.base.settings import enable_x64
from gnomon.ops import primitive_named

pytestmark = pytest.mark.peer


def test_block_functions(peer):
    from jax.extend.core import Primitive
    theirs = {p.name: p for p in gc.get_objects() if isinstance(p, Primitive)}
    rng = np.random.default_rng(0)
    for name, words in (("threefry2x32", 4), ("philox2x32", 3), ("philox4x32", 6), ("threefry4x32", 8)):
        args = [rng.integers(0, 2**32, 5, "uint32") for _ in range(words)]
        want = theirs[name].bind(*[peer.numpy.asarray(a) for a in args])
        for f in (primitive_named(name).bind, gnomon.jit(primitive_named(name).bind)):      # NumPy's form and the compiled one
            np.testing.assert_array_equal(np.stack(f(*args)), np.stack(want))
    for shape in ((3,), (2, 3)):
        np.testing.assert_array_equal(np.stack(primitive_named("iota_2x32_shape").bind(shape=shape)),
                                      np.stack(theirs["iota_2x32_shape"].bind(shape=shape)))


@pytest.mark.parametrize("algorithm", lax.RandomAlgorithm)
def test_every_algorithm(peer, algorithm):
    """For every dtype, from states of 32 and of 64 bits."""
    peer.config.update("jax_enable_x64", True)
    try:
        with enable_x64(True):
            def draw(lax):
                return [lax.rng_bit_generator(state, (7,), dtype, int(algorithm)) for dtype in ("uint8", "uint16", "uint32", "uint64")
                        for state in (np.arange(1, 5, dtype="uint32"), np.array([7, 2**63 + 5], "uint64"))]
            for got, want in zip(gnomon.jit(lambda: draw(lax))(), peer.jit(lambda: draw(peer.lax))(), strict=True):
                for a, b in zip(got, want, strict=True):
                    np.testing.assert_array_equal(a, b)
    finally:
        peer.config.update("jax_enable_x64", False)
