"""One call, of NumPy's function and of ours: eager and compiled."""
import numpy as np

import gnomon as G
import gnomon.numpy as jnp
from gnomon.types.dtype import bfloat16

DTYPES = [np.dtype(d) for d in (bool, "int8", "uint8", "int32", "uint32", "float16", bfloat16, "float32", "complex64")]


def numbers(shape, dtype="float32", seed=0):
    """Numbers of a dtype that are exact in all of them."""
    count = int(np.prod(shape))
    x = (np.random.RandomState(seed + count).permutation(count) % 13).reshape(shape)
    return x.astype(dtype) if np.dtype(dtype) != bool else x % 2 == 0


def is_array(x):
    return isinstance(x, np.ndarray)


def flat(out):
    return list(out) if isinstance(out, (list, tuple)) else [out]


def compiled(function, args, kwargs):
    """The function under jit, its array arguments traced (those in lists, too)."""
    leaves, tree = G.tree.flatten(args, is_leaf=lambda x: x is None or isinstance(x, (slice, str)))
    arrays = [x for x in leaves if is_array(x)]

    def run(arrays):
        given = iter(arrays)
        return function(*G.tree.unflatten(tree, [next(given) if is_array(x) else x for x in leaves]), **kwargs)
    return G.jit(run)(arrays)


def same(name, *args, jit=True, rtol=0, reference=None, exact_dtype=True, **kwargs):
    """Check that our function gives what NumPy's gives (or `reference`, a function or the values)."""
    function = getattr(jnp, name)
    if reference is None:
        reference = getattr(np, name)
    expected = flat(reference(*args, **kwargs) if callable(reference) else reference)
    outs = [function(*args, **kwargs)] + ([compiled(function, args, kwargs)] if jit else [])
    for out in outs:
        out = flat(out)
        assert len(out) == len(expected), (len(out), len(expected))
        for ours, theirs in zip(out, expected):
            theirs = np.asarray(theirs)
            assert ours.shape == theirs.shape, (name, ours.shape, theirs.shape)
            if exact_dtype and any(is_array(leaf) for leaf in G.tree.leaves(args)):
                assert ours.dtype == G.dtypes.canonicalize_dtype(theirs.dtype), (name, ours.dtype, theirs.dtype)
            np.testing.assert_allclose(as_wide(ours), as_wide(theirs), rtol=rtol, atol=rtol)
    return outs[0]


def as_wide(x):
    """For a comparison: floats that NumPy does not know as float32."""
    x = np.asarray(x)
    return x.astype(np.float32) if x.dtype.kind == "V" else x
