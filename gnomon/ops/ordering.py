"""Ops that leave numbers alone and say what the compiler may do with them: barriers, sinks, tokens."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.op import ZERO, Op, field
from gnomon.ops.shape import Same
from gnomon.trace.stage import bind
from gnomon.types.effect import Effect
from gnomon.types.value_type import TOKEN, ArrayType

NOTHING_BACK = Refused("it returns nothing that is differentiated, so it is never part of a linear program")


class OptimizationBarrier(Op):
    """The operands as they are. None of them is used before all of them are computed, and nothing is merged with what
    stands on the other side."""

    multiple = True

    def result(self, *xs):
        return xs

    def lower(self, emit, *xs):
        return emit.generic("stablehlo.optimization_barrier", xs) if xs else []

    def derivative(self, args, tangents):
        moved = iter(bind(self, *[t for t in tangents if t is not None]))
        return bind(self, *args), [None if t is None else next(moved) for t in tangents]

    def transpose(self, cts, *xs):
        held = iter(bind(self, *[ct for ct in cts if ct is not None]))
        return [None if ct is None else next(held) for ct in cts]

    def batch(self, args, axes, batching):
        return bind(self, *args), axes


class DceSink(Op):
    """Keeps what its operands are computed by from being dropped as dead work: by this library, and with
    `prevent_mlir_dce` by the compiler too."""

    prevent_mlir_dce: bool = field(False)

    multiple = True
    effects = frozenset([Effect("kept alive")])
    derivative = ZERO
    transpose = NOTHING_BACK

    def result(self, *xs):
        return ()

    def lower(self, emit, *xs):
        if self.prevent_mlir_dce:
            emit.python_callback(lambda *arrays: (), xs, [])
        return []

    def batch(self, args, axes, batching):
        return bind(self, *args), []


class Stage(Same):
    """The same value, as one of the program being recorded."""


class Tie(Op):
    """The second operand as it is, which depends on the first as well, until programs are compiled."""

    def result(self, x, y):
        return y

    def lower(self, emit, x, y):
        return y

    def derivative(self, args, tangents):
        return bind(self, *args), None if tangents[1] is None else bind(self, args[0], tangents[1])

    def transpose(self, ct, x, y):
        return None, ct

    def batch(self, args, axes, batching):
        x, y = args
        return bind(self, x, y), axes[1]


class Unreachable(Op):
    """Stands where a program must not come to be compiled: `outs` are the types of what it would give, `exc_type` and `message` the error
    that compiling it is."""

    outs: tuple
    exc_type: object = field(TypeError, show="nondefault")
    message: str = field("a part of a program was reached that was said to be unreachable")

    multiple = True
    derivative = ZERO
    transpose = NOTHING_BACK

    def result(self, *xs):
        return self.outs

    def lower(self, emit, *xs):
        raise self.exc_type(self.message)

    def batch(self, args, axes, batching):
        return bind(self, *args), [None] * len(self.outs)


class TokenOp(Op, abstract=True):
    """Base of the ops that make tokens. A token orders nothing by itself here, since effects keep their order by their
    own; it is a boolean that is false."""

    derivative = ZERO
    transpose = NOTHING_BACK
    batch = Refused("tokens are the same in all lanes")

    def result(self, *tokens):
        if any(t is not TOKEN for t in tokens):
            raise TypeError(f"{self.name} takes tokens, as create_token makes them, got {', '.join(map(str, tokens))}.")
        return TOKEN

    def lower(self, emit, *tokens):
        return emit.constant(False, ArrayType((), np.dtype(bool)))


class CreateToken(TokenOp):
    """A token that waits for nothing."""


class AfterAll(TokenOp):
    """A token that comes after all the operands."""
