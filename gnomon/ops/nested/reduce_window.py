"""reduce_window and select_and_scatter with programs of the user's."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.jaxpr import Jaxpr
from gnomon.ir.op import NestedOp
from gnomon.ops.compare import bitwise_and, bitwise_or, select_n
from gnomon.ops.nested.composed import Composed
from gnomon.ops.nested.reduce import Reduce, halves
from gnomon.ops.shape import full
from gnomon.ops.slicing import insert, same_axis
from gnomon.ops.window import Windowed, padding_text, window_size, windows
from gnomon.trace.build import program
from gnomon.trace.stage import bind, inline
from gnomon.types.effect import PURE
from gnomon.types.value_type import ArrayType

FLAG = ArrayType((), np.dtype(bool))


class ReduceWindowByProgram(Composed, Windowed):
    """Reduces arrays of one shape together over each window by `jaxpr`, which combines two tuples of scalars. Operands: the
    arrays, then one initial value for each, which each window starts from; the padding takes no part."""

    jaxpr: Jaxpr

    name = "reduce_window"
    holds_programs = True
    batch = Composed.batch

    def programs(self):
        return (self.jaxpr,)

    def result(self, *ins):
        xs, inits = halves(ins)
        for x in xs:
            if x.shape != xs[0].shape:
                raise TypeError(f"reduce_window needs operands of one shape, got {', '.join(map(str, xs))}.")
        if [x.dtype for x in ins] != [v.type.dtype for v in self.jaxpr.invars]:
            raise TypeError(f"reduce_window combines {', '.join(v.type.dtype.name for v in self.jaxpr.invars)}, got {', '.join(map(str, ins))}.")
        return [self.windowed_type(x).update(dtype=v.type.dtype, weak_type=v.type.weak_type)
                for x, v in zip(xs, self.jaxpr.outvars)]

    def lower(self, emit, *args):
        xs, inits = halves(args)
        scalars = [ArrayType((), x.type.dtype) for x in xs]
        region = emit.block(scalars + scalars, lambda *values: emit.eqns(self.jaxpr, values))
        overlap = any(window > stride for window, stride in zip(self.window_dimensions, self.window_strides))
        if overlap:             # across devices the compiler partitions these wrongly
            args = [*[emit.module.everywhere(emit, x) for x in xs], *inits]
        outs = emit.generic("stablehlo.reduce_window", args, self.window_text(emit), region)
        return [emit.module.everywhere(emit, x) for x in outs] if overlap else outs

    def compose(self, *args):
        """The windows written out, with a flag for each element that says whether it is one of the operand's."""
        xs, inits = halves(args)
        parameters = self.window_dimensions, self.window_strides, self.padding, self.base_dilation, self.window_dilation
        rank = xs[0].type.ndim
        wide = [windows(x, i, *parameters) for x, i in zip(xs, inits)]
        inside = windows(full(FLAG.update(shape=xs[0].type.shape), True), full(FLAG, False), *parameters)
        op = Reduce(self.flagged(), tuple(range(rank, 2 * rank)))
        return bind(op, *wide, inside, *inits, full(FLAG, True))[:-1]

    def flagged(self):
        """The program with a flag more among the scalars on each side: what is not flagged changes nothing."""
        n = len(self.jaxpr.outvars)
        types = [v.type for v in self.jaxpr.invars]

        def combine(*values):
            (x, p), (y, q) = [(side[:-1], side[-1]) for side in halves(values)]
            both = bitwise_and(p, q)
            return [*[select_n(both, select_n(p, b, a), c) for a, b, c in zip(x, y, inline(self.jaxpr, (), [*x, *y]))],
                    bitwise_or(p, q)]
        return program([*types[:n], FLAG, *types[n:], FLAG], combine)


class SelectAndScatter(NestedOp):
    """For each window over the operand, the element that `select_jaxpr` prefers to the others is the place at which the
    window's element of `source` is added by `scatter_jaxpr`, to what starts as `init`. Operands: operand, source, init."""

    select_jaxpr: Jaxpr
    scatter_jaxpr: Jaxpr
    window_dimensions: tuple
    window_strides: tuple
    padding: tuple

    multiple = True
    effects = PURE
    no_rule = "it has no derivative with programs of one's own; reduce_window with max or min, and its gradient, have"
    transpose = Refused(no_rule)

    def programs(self):
        return self.select_jaxpr, self.scatter_jaxpr

    def result(self, x, source, init):
        want = tuple(map(window_size, x.shape, self.window_dimensions, self.window_strides, self.padding))
        if source.shape != want or source.dtype != x.dtype or init.shape:
            raise TypeError(f"select_and_scatter needs an element of source per window of the operand, {want}, of one dtype, and a "
                            f"scalar to start from, got {x}, {source} and {init}.")
        return [x]

    def lower(self, emit, *args):
        scalar = ArrayType((), args[0].type.dtype)
        regions = [emit.block([scalar] * 2, lambda *values, body=body: emit.eqns(body, values))
                   for body in (self.select_jaxpr, self.scatter_jaxpr)]
        text = (f"window_dimensions = {emit.ints(self.window_dimensions)}, window_strides = "
                f"{emit.ints(self.window_strides)}, padding = {padding_text(self.padding)}")
        return emit.generic("stablehlo.select_and_scatter", args, text, ", ".join(regions))

    def jvp(self, T, args, tangents):
        raise Refused(f"select_and_scatter has no derivative: {self.no_rule}")

    def batch(self, T, args, axes, batching):
        *arrays, init = args
        if axes[2] is not None:
            raise Refused("select_and_scatter cannot be batched over the value to start from; map over it with lax.map")
        arrays, axis = same_axis(arrays, axes[:2], batching)
        return bind(self.replace(window_dimensions=insert(self.window_dimensions, axis, 1),
                                 window_strides=insert(self.window_strides, axis, 1),
                                 padding=insert(self.padding, axis, (0, 0))), *arrays, init), [axis]
