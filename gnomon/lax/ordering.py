"""What the compiler may not move, merge or drop."""
from __future__ import annotations

from gnomon.base.tree import tree_flatten, tree_unflatten
from gnomon.numpy.promote import as_value
from gnomon.ops.ordering import AfterAll, CreateToken, DceSink, OptimizationBarrier
from gnomon.trace.stage import bind
from gnomon.types.value_type import TOKEN

__all__ = ["after_all", "create_token", "dce_sink", "optimization_barrier"]


def optimization_barrier(operand, /):
    """The tree as it is. In a compiled function, none of its arrays is used before all of them are computed, and what
    stands on both sides is neither merged nor fused. Derivatives and batches pass through barriers of their own.

    >>> import gnomon.numpy as jnp
    >>> [x.tolist() for x in optimization_barrier((jnp.arange(2), jnp.ones(1)))]
    [[0, 1], [1.0]]
    """
    leaves, tree = tree_flatten(operand)
    return tree_unflatten(tree, bind(_barrier, *[as_value(x, "optimization_barrier", i) for i, x in enumerate(leaves)]))


def dce_sink(val, *, prevent_mlir_dce=False):
    """Has a tree's arrays computed although nothing may use them: while a program is optimised here, and with
    `prevent_mlir_dce` by the compiler too. Returns nothing.

    >>> import gnomon
    >>> len(gnomon.make_jaxpr(lambda x: dce_sink(x * x))(1.0).eqns)
    2
    """
    leaves = tree_flatten(val)[0]
    bind(DceSink(bool(prevent_mlir_dce)), *[as_value(x, "dce_sink", i) for i, x in enumerate(leaves)])


def create_token(_=None):
    """A token that waits for nothing. Effects keep their order here without tokens; they are for programs that pass them.

    >>> import gnomon
    >>> print(gnomon.make_jaxpr(lambda: create_token())())
    { lambda ; . let a:Tok = create_token in (a,) }
    """
    return bind(CreateToken())


def after_all(*operands):
    """A token that comes after all these tokens. TypeError for other operands.

    >>> import gnomon
    >>> str(gnomon.eval_shape(lambda: after_all(create_token(), create_token())).dtype)
    'bool'
    """
    for i, x in enumerate(operands):
        if getattr(x, "type", None) is not TOKEN:
            raise TypeError(f"after_all takes tokens, as create_token makes them, got {x!r} as operand {i}.")
    return bind(AfterAll(), *operands)


_barrier = OptimizationBarrier()
