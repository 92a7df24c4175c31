"""reduce: reduction by any program that combines two tuples of scalars."""
from __future__ import annotations

from gnomon.ir.jaxpr import Jaxpr
from gnomon.ir.op import NestedOp
from gnomon.base.errors import Refused
from gnomon.ops.nested.call import with_tangents
from gnomon.ops.shape import broadcast_in_dim, reshape, squeeze, transpose
from gnomon.ops.slicing import concatenate, resized, slice_in_dim
from gnomon.trace.build import program
from gnomon.trace.stage import bind, inline
from gnomon.types.value_type import ArrayType, array_type


class Reduce(NestedOp):
    """Reduces arrays of one shape together over `dimensions`. `jaxpr` combines what was reduced so far (one scalar per
    array) with the next elements; it is associative. Operands: the arrays, then one initial value for each."""

    jaxpr: Jaxpr
    dimensions: tuple

    transpose = Refused("it is not linear, so it can only be differentiated forward first (grad and vjp do that)")

    @property
    def effects(self):
        return self.jaxpr.effects

    def programs(self):
        return (self.jaxpr,)

    def result(self, *ins):
        xs, inits = halves(ins)
        first = xs[0]
        for x in xs:
            if x.shape != first.shape:
                raise TypeError(f"reduce needs operands of one shape, got {', '.join(map(str, xs))}.")
        kept = [i for i in range(first.ndim) if i not in self.dimensions]
        out = []
        for x, v in zip(xs, self.jaxpr.outvars):
            whole = resized(self, x, x.shape, [i in self.dimensions for i in range(x.ndim)])
            mesh = whole.sharding.mesh if whole.sharding is not None else None
            out.append(array_type([x.shape[i] for i in kept], v.type.dtype, v.type.weak_type, [x.spec[i] for i in kept],
                                  mesh, whole.varying, whole.memory))
        return out

    def lower(self, emit, *args):
        xs, inits = halves(args)
        scalars = [ArrayType((), x.type.dtype) for x in xs]
        region = emit.block(scalars + scalars, lambda *values: emit.eqns(self.jaxpr, values))
        return emit.generic("stablehlo.reduce", args, f"dimensions = {emit.ints(self.dimensions)}", region)

    def as_tree(self, T, types):
        """The same reduction as a program that combines the first half with the second again and again."""
        def run(*args):
            xs, inits = halves(args)
            rank = xs[0].type.ndim
            kept = tuple([i for i in range(rank) if i not in self.dimensions])
            xs = [transpose(x, (*self.dimensions, *kept)) for x in xs]
            shape = xs[0].type.shape[len(self.dimensions):]
            size = xs[0].type.size // max(1, ArrayType(shape, xs[0].type.dtype).size)
            xs = [reshape(x, (size, *shape)) for x in xs]
            while size > 1:
                half = size // 2
                low = [slice_in_dim(x, 0, half, 0) for x in xs]
                high = [slice_in_dim(x, half, 2 * half, 0) for x in xs]
                both = self.combine(T, low, high)
                if size % 2:
                    both = [concatenate([b, slice_in_dim(x, 2 * half, size, 0)], 0) for b, x in zip(both, xs)]
                xs = both
                size = half + size % 2
            inits = [broadcast_in_dim(i, shape) for i in inits]
            if not size:
                return inits
            return self.combine(T, inits, [squeeze(x, (0,)) for x in xs])
        return program(types, run)

    def combine(self, T, xs, ys):
        """The combining program over all elements of arrays."""
        jaxpr = self.jaxpr
        for size in reversed(xs[0].type.shape):
            jaxpr, _ = T.vmap(jaxpr, (0,) * len(jaxpr.invars), T.Batching(size), (True,) * len(jaxpr.outvars))
        return inline(jaxpr, (), [*xs, *ys])

    def jvp(self, T, args, tangents):
        tree = self.as_tree(T, [a.type for a in args])
        jaxpr, has = T.jvp(tree, tuple(t is not None for t in tangents))
        moving = [t for t, v in zip(tangents, tree.invars) if t is not None and T.has_tangent(v.type)]
        return with_tangents(inline(jaxpr, (), [*args, *moving]), has)

    def batch(self, T, args, axes, batching):
        xs, inits = halves(args)
        x_axes, init_axes = halves(axes)
        if all(a is None for a in init_axes):
            xs = [batching.front(x, a) for x, a in zip(xs, x_axes)]
            op = Reduce(self.jaxpr, tuple([d + 1 for d in self.dimensions]))
            return bind(op, *xs, *inits), [0] * len(xs)
        plain = [a.type if axis is None else a.type.with_shape(a.type.shape[:axis] + a.type.shape[axis + 1:])
                 for a, axis in zip(args, axes)]
        jaxpr, out_axes = T.vmap(self.as_tree(T, plain), tuple(axes), batching)
        return inline(jaxpr, (), args), out_axes


def halves(args):
    n = len(args) // 2
    return list(args[:n]), list(args[n:])
