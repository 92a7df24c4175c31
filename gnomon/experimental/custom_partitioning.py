"""Functions with rules of how they may be cut over devices.

The compiler cuts a function's own operations, so that it gives the same numbers on any mesh without a rule; rules are checked and kept, and
not called. To say by hand what each device does, use `shard_map`."""
from __future__ import annotations

import functools

from gnomon.api.jit import jit
from gnomon.base.errors import Refused
from gnomon.base.source import named_after

__all__ = ["ArrayMapping", "BATCHING", "CompoundFactor", "SdyShardingRule", "custom_partitioning"]

BATCHING = "…"      # stands for leading dimensions in a sharding rule


class CompoundFactor(tuple):
    """Two or more names of factors that make up one dimension. ValueError for fewer, or for what is no string.

    >>> CompoundFactor("i", "j")
    ('i', 'j')
    """

    def __new__(cls, *factors):
        if len(factors) < 2:
            raise ValueError(f"A CompoundFactor has at least two factors, got {factors}. Write one as its name.")
        check_strings(factors, str, "CompoundFactor takes names of factors")
        return super().__new__(cls, factors)


class ArrayMapping(tuple):
    """The factors of an array's dimensions, one name or CompoundFactor for each. ValueError for anything else.

    >>> ArrayMapping("i", CompoundFactor("j", "k"))
    ('i', ('j', 'k'))
    """

    def __new__(cls, *dim_mappings):
        check_strings(dim_mappings, (str, CompoundFactor), "ArrayMapping takes names of factors and CompoundFactors")
        return super().__new__(cls, dim_mappings)


def check_strings(values, kinds, what):
    for v in values:
        if not isinstance(v, kinds):
            raise ValueError(f"{what}, got {v!r}.")


class SdyShardingRule:
    """Which dimensions of operands and results are cut together: those of one factor. `factor_sizes` has the sizes of factors within
    CompoundFactors. ValueError for mappings that are none, and for factors that no array has.

    >>> SdyShardingRule((ArrayMapping("i", "j"),), (ArrayMapping("i"),), reduction_factors=("j",))
    SdyShardingRule((('i', 'j'),), (('i',),), {})
    """

    def __init__(self, operand_mappings, result_mappings, *, reduction_factors=(), need_replication_factors=(), permutation_factors=(),
                 **factor_sizes):
        self.operand_mappings, self.result_mappings = tuple(operand_mappings), tuple(result_mappings)
        self.factor_sizes = factor_sizes
        self.special = {"reduction": tuple(reduction_factors), "need_replication": tuple(need_replication_factors),
                        "permutation": tuple(permutation_factors)}
        for mapping in (*self.operand_mappings, *self.result_mappings):
            if not isinstance(mapping, ArrayMapping):
                raise ValueError(f"SdyShardingRule takes ArrayMappings, got {mapping!r}.")
        known = {f for m in (*self.operand_mappings, *self.result_mappings) for d in m for f in ((d,) if isinstance(d, str) else d)}
        for f in (*factor_sizes, *[f for factors in self.special.values() for f in factors]):
            if f not in known:
                raise ValueError(f"SdyShardingRule names the factor {f!r}, which no operand or result has; they have {sorted(known)}.")

    def __repr__(self):
        return f"SdyShardingRule({self.operand_mappings}, {self.result_mappings}, {self.factor_sizes})"


class custom_partitioning:
    """A function for which `def_partition` says how it may be cut over devices; the compiler cuts it by itself, to the same numbers.

    `static_argnums` are arguments that are no arrays. It runs under every transformation. TypeError for what is no function.

    >>> import gnomon.numpy as jnp
    >>> @custom_partitioning
    ... def twice(x):
    ...     return x * 2
    >>> twice.def_partition(lambda mesh, args, out: (mesh, lambda x: x * 2, out.sharding, (args[0].sharding,)), sharding_rule="i -> i")
    >>> twice(jnp.arange(2)).tolist()
    [0, 2]
    """

    def __init__(self, fun, static_argnums=()):
        if not callable(fun):
            raise TypeError(f"custom_partitioning takes a function, got {fun!r}.")
        self.fun, self.static_argnums = fun, static_argnums
        self.rule = None
        self.call = jit(fun, static_argnums=static_argnums)
        named_after(self, fun)

    def def_partition(self, partition, infer_sharding_from_operands=None, propagate_user_sharding=None, decode_shardings=True,
                      sharding_rule=None, *, reduction_factors=(), need_replication_factors=(), permutation_factors=(), **factor_sizes):
        """Say how the function may be cut: kept, and not called. `sharding_rule` is a text such as ``"i j, j k -> i k"``, an SdyShardingRule
        or a function of the mesh and the shapes that gives one. TypeError for what is none, or for a `partition` that is no function."""
        if partition is not None and not callable(partition):
            raise TypeError(f"def_partition takes a function as its partition, got {partition!r}.")
        if not (sharding_rule is None or callable(sharding_rule) or isinstance(sharding_rule, (str, SdyShardingRule))):
            raise TypeError(f"def_partition takes a text, an SdyShardingRule or a function as its sharding_rule, got {sharding_rule!r}.")
        if isinstance(sharding_rule, str) and "->" not in sharding_rule:
            raise ValueError(f"def_partition takes a sharding_rule of the form 'i j -> i', got {sharding_rule!r}.")
        self.rule = partition, infer_sharding_from_operands, propagate_user_sharding, sharding_rule

    def __call__(self, *args, **kwargs):
        if self.rule is None:
            raise Refused(f"{self.__name__} is under custom_partitioning and was given no rule; call its def_partition first.")
        return self.call(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)
