"""custom_partitioning: the function's own operations, cut by the compiler."""
import functools

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon.experimental.custom_partitioning import ArrayMapping, CompoundFactor, SdyShardingRule, custom_partitioning
from gnomon.sharding import NamedSharding, PartitionSpec as P

X = np.arange(8, dtype="f4").reshape(4, 2)


@functools.partial(custom_partitioning, static_argnums=(1,))
def powers(x, n):
    """Sums of powers of rows."""
    return (x ** n).sum(1)


def test_it_runs_under_every_transformation_and_on_a_mesh():
    with pytest.raises(gnomon.errors.Refused, match="powers is under custom_partitioning and was given no rule"):
        powers(X, 2)
    powers.def_partition(lambda n, mesh, args, out: (mesh, lambda x: (x ** n).sum(1), out.sharding, (args[0].sharding,)),
                         sharding_rule="i j -> i", reduction_factors=("j",))
    want = (X ** 2).sum(1)
    np.testing.assert_allclose(powers(X, 2), want)
    np.testing.assert_allclose(gnomon.jit(powers, static_argnums=1)(X, 2), want)
    np.testing.assert_allclose(gnomon.grad(lambda x: powers(x, 2).sum())(X), 2 * X)
    np.testing.assert_allclose(gnomon.vmap(lambda x: powers(x, 2))(np.stack([X, 2 * X])), [want, 4 * want])
    cut = gnomon.device_put(X, NamedSharding(gnomon.make_mesh((4,), ("x",)), P("x")))
    out = gnomon.jit(lambda x: powers(x, 2))(cut)
    np.testing.assert_allclose(out, want)
    assert len(out.sharding.device_set) == 4
    assert powers.__name__ == "powers" and powers.__doc__ == "Sums of powers of rows."


def test_rules_are_checked():
    assert repr(SdyShardingRule((ArrayMapping("i", CompoundFactor("j", "k")),), (ArrayMapping("i"),), j=2)) == \
        "SdyShardingRule((('i', ('j', 'k')),), (('i',),), {'j': 2})"
    f = custom_partitioning(jnp.sin)
    for error, match, call in (
            (ValueError, "at least two factors", lambda: CompoundFactor("i")), (ValueError, "got 3", lambda: ArrayMapping(3)),
            (ValueError, "the factor 'k', which no operand", lambda: SdyShardingRule((ArrayMapping("i"),), (), reduction_factors=("k",))),
            (ValueError, "takes ArrayMappings", lambda: SdyShardingRule(("i",), ())),
            (TypeError, "takes a function as its partition", lambda: f.def_partition(3)),
            (TypeError, "as its sharding_rule, got 3", lambda: f.def_partition(None, sharding_rule=3)),
            (ValueError, "of the form 'i j -> i'", lambda: f.def_partition(None, sharding_rule="i j")),
            (TypeError, "takes a function, got 3", lambda: custom_partitioning(3))):
        with pytest.raises(error, match=match):
            call()
