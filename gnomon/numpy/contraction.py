"""Sums of products by dimension names: what `matmul`, `einsum` and their kin record.

A contraction is planned once per kind of operands: the plan is a list of ops, each with the numbers of the values it takes.
Following the plan later is a loop of `bind`.
"""
from __future__ import annotations

import numpy as np

from gnomon.api.places import explicit
from gnomon.ir.dims import positions
from gnomon.ir.jaxpr import Literal
from gnomon.numpy.manipulation import sharding_for
from gnomon.ops.compare import Eq, SelectN
from gnomon.ops.convert import ConvertElementType
from gnomon.ops.dot import DotGeneral
from gnomon.ops.shape import BroadcastInDim, Iota, ReduceSum, Squeeze, Transpose
from gnomon.trace.stage import bind
from gnomon.types.dtype import python_type
from gnomon.types.sharding import NamedSharding, PartitionSpec, abstract_sharding
from gnomon.types.value_type import ArrayType


class Plan:
    """Ops to apply one after the other. `steps` holds (op, numbers of the values it takes); the first values are the operands,
    each step adds one, and `result` is the number of the result."""

    __slots__ = ("steps", "result", "dot")

    def __init__(self, steps, result):
        self.steps, self.result = steps, result
        # the common case has a short cut: one dot_general of the operands
        self.dot = steps[0][0] if len(steps) == 1 and steps[0][1] == (0, 1) and result == 2 else None

    def follow(self, values, dot_general=None):
        """The result for operands. `dot_general`: a function with the signature of lax.dot_general to use instead of the op."""
        if dot_general is None and self.dot is not None:
            return bind(self.dot, *values)
        values = list(values)
        for op, sources in self.steps:
            operands = [values[i] if i.__class__ is int else i for i in sources]
            if dot_general is not None and op.__class__ is DotGeneral:
                values.append(dot_general(*operands, op.dimension_numbers, precision=op.precision,
                                          preferred_element_type=op.preferred_element_type))
            else:
                values.append(bind(op, *operands))
        return values[self.result]


class Planner:
    """Makes a Plan. A term is (number of a value, its type, names of its dimensions)."""

    def __init__(self, types):
        self.types = [t.still() for t in types]         # over which manual axes values vary makes no difference to a plan
        self.steps = []

    def add(self, op, *sources):
        """The number of the value that an op adds to the plan. Sources are numbers of values or Literals."""
        types = tuple([self.types[s] if s.__class__ is int else s.type for s in sources])
        self.types.append(op.infer(types))
        self.steps.append((op, sources))
        return len(self.types) - 1

    # ---- single terms

    def convert(self, number, dtype, weak=False):
        t = self.types[number]
        return number if t.dtype == dtype else self.add(ConvertElementType(dtype, weak), number)

    def diagonals(self, number, names):
        """Repeated names become one: the elements where their indices agree."""
        while len(set(names)) != len(names):
            name = next(n for n in names if names.count(n) > 1)
            i = names.index(name)
            j = names.index(name, i + 1)
            t = self.types[number]
            if t.shape[i] != t.shape[j]:
                raise ValueError(f"einsum got the index {name!r} twice in one operand, for dimensions of sizes {t.shape[i]} and "
                                 f"{t.shape[j]}.")
            square = tuple([n if d in (i, j) else 1 for d, n in enumerate(t.shape)])
            index = np.dtype("int32")
            same = self.add(Eq(), self.add(Iota(index, square, i)), self.add(Iota(index, square, j)))
            if square != t.shape:
                same = self.add(BroadcastInDim(t.shape, tuple(range(t.ndim))), same)
            zero = Literal(python_type(t.dtype)(0), ArrayType((), t.dtype, t.weak_type))
            number = self.add(SelectN(), same, zero, number)
            number = self.add(ReduceSum((i,)), number)
            names = names[:i] + names[i + 1:]
        return number, names

    def squeeze(self, number, names, which):
        axes = tuple([i for i, n in enumerate(names) if n in which])
        if not axes:
            return number, names
        return self.add(Squeeze(axes), number), tuple([n for n in names if n not in which])

    def sum(self, number, names, which):
        axes = tuple([i for i, n in enumerate(names) if n in which])
        if not axes:
            return number, names
        return self.add(ReduceSum(axes), number), tuple([n for n in names if n not in which])

    def transpose(self, number, names, out):
        return number if names == out else self.add(Transpose(positions(names, out)), number)

    # ---- two terms

    def sizes(self, number, names):
        return dict(zip(names, self.types[number].shape))

    def contract(self, x, x_names, y, y_names, out, precision, preferred, out_sharding=None, swap=False):
        """The sum of products of two terms; returns (number, names), where the names are those of `out` in some order: that of
        `out` if one order of the operands gives it. If neither does, `swap` puts the second operand first.

        A dimension of size 1 counts as repeated where the other operand's of that name is larger."""
        sx, sy = self.sizes(x, x_names), self.sizes(y, y_names)
        shared = [n for n in x_names if n in sy]
        x, x_names = self.squeeze(x, x_names, [n for n in shared if sx[n] != sy[n] and is_one(sx[n])])
        y, y_names = self.squeeze(y, y_names, [n for n in shared if sx[n] != sy[n] and is_one(sy[n])])
        x, x_names = self.sum(x, x_names, [n for n in x_names if n not in y_names and n not in out])
        y, y_names = self.sum(y, y_names, [n for n in y_names if n not in x_names and n not in out])
        kept = tuple([n for n in x_names if n in y_names and n in out])
        x_rest, y_rest = (tuple([n for n in a if n not in b]) for a, b in ((x_names, y_names), (y_names, x_names)))
        if kept + x_rest + y_rest != out and (swap or kept + y_rest + x_rest == out):
            x, x_names, x_rest, y, y_names, y_rest = y, y_names, y_rest, x, x_names, x_rest
        summed = tuple([n for n in x_names if n in y_names and n not in out])
        numbers = ((positions(x_names, summed), positions(y_names, summed)), (positions(x_names, kept), positions(y_names, kept)))
        names = kept + x_rest + y_rest
        if out_sharding is not None:
            out_sharding = asked_sharding(out_sharding, (self.types[x], self.types[y]), len(out))
        if names != out and isinstance(out_sharding, NamedSharding):
            axes = dict(zip(out, out_sharding.spec))
            out_sharding = abstract_sharding(out_sharding.mesh, tuple([axes[n] for n in names]))
        return self.add(DotGeneral(numbers, precision, preferred, out_sharding), x, y), names


def asked_sharding(asked, types, ndim):
    """An `out_sharding` argument as DotGeneral takes it: a sharding of types, or a bare PartitionSpec where it says that nothing is
    sharded."""
    mesh = next((t.sharding.mesh for t in types if t.sharding is not None), None)
    sharding = explicit(asked, ndim, "out_sharding") if mesh is None else sharding_for(asked, mesh, ndim)
    return PartitionSpec() if sharding is None else sharding


def is_one(size):
    return size.__class__ is int and size == 1
