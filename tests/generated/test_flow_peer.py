"""Nested control flow drawn at random has the types, values, random bits and derivatives that it has under JAX, and those of the same
program run step by step in Python."""
import warnings

import numpy as np
import pytest

import gnomon
from tests.generated.flow import Flow, arguments, stacks
from tests.generated.programs import Library

pytestmark = pytest.mark.peer

OURS = Library(gnomon)


def agree(found, right):
    for a, b in zip(found, right, strict=True):
        assert (a.shape, str(a.dtype)) == (b.shape, str(b.dtype))
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype.kind == "f":
            size = np.max(np.abs(b[np.isfinite(b)]), initial=1.0)
            np.testing.assert_allclose(a, b, rtol=5e-3, atol=5e-4 * size)
        else:
            np.testing.assert_array_equal(a, b)


def compare(peer, seed, several=1):
    flow, args = Flow(seed), arguments(seed)
    ours, theirs = stacks(OURS, flow), stacks(Library(peer), flow)
    others = np.random.default_rng(seed).permutation([name for name in ours if name != "values"])[:several]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = gnomon.tree.leaves(gnomon.jit(ours["values"])(*args))
        with gnomon.disable_jit():
            agree(gnomon.tree.leaves(ours["values"](*args)), values)
        for name in ("values", *others):
            found = values if name == "values" else gnomon.tree.leaves(gnomon.jit(ours[name])(*args))
            try:
                right = peer.tree.leaves(peer.jit(theirs[name])(*args))
            except peer.errors.UnexpectedTracerError:       # a rule in a loop that closes over what is around
                continue
            agree(found, right)


@pytest.mark.parametrize("seed", range(9))
def test_random_control_flow(peer, seed):
    compare(peer, seed)
