"""dot_general: sums of products over paired dimensions."""
from __future__ import annotations

import enum

import numpy as np

from gnomon.base.errors import Refused, ShardingTypeError
from gnomon.base.settings import current
from gnomon.ir.dims import Dims, DimsOp, names, positions, result_from_dims
from gnomon.ir.op import MULTILINEAR, field, is_linear
from gnomon.ir.show import show_value
from gnomon.ops.convert import convert_element_type
from gnomon.ops.shape import transpose
from gnomon.trace.stage import bind
from gnomon.types.sharding import PartitionSpec, abstract_sharding


class Precision(enum.Enum):
    """How exactly products of 32-bit floats are computed on hardware that can do it in several ways."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2

    @classmethod
    def _missing_(cls, value):
        return cls[_PRECISION_NAMES[value.lower()]] if isinstance(value, str) and value.lower() in _PRECISION_NAMES else None

    def __repr__(self):
        return f"Precision.{self.name}"

    def __str__(self):
        return self.name


_PRECISION_NAMES = {"default": "DEFAULT", "fastest": "DEFAULT", "bfloat16": "DEFAULT", "high": "HIGH", "bfloat16_3x": "HIGH",
                    "tensorfloat32": "HIGH", "highest": "HIGHEST", "float32": "HIGHEST"}


def canonical_precision(precision):
    """A pair of Precisions (one per operand) or None, from a `precision` argument: None (then the setting
    default_matmul_precision counts), a Precision, one of their names, or a pair of them."""
    if precision is None:
        precision = current.default_matmul_precision
        if precision is None:
            return None
    pair = tuple(precision) if isinstance(precision, (tuple, list)) else (precision, precision)
    try:
        if len(pair) == 2:
            return tuple([p if isinstance(p, Precision) else Precision("default" if p is None else p) for p in pair])
    except ValueError:
        if all(isinstance(p, str) and p.isupper() for p in pair):
            raise Refused(f"The algorithm {precision} for products cannot be chosen. Choose a precision: 'default', 'high' or "
                          "'highest'.") from None
    raise ValueError(f"precision is None, one of {', '.join(map(repr, _PRECISION_NAMES))}, a lax.Precision or a pair of these; got "
                     f"{precision!r}.")


class DotGeneral(DimsOp):
    """Sums products of lhs and rhs. `dimension_numbers` is ((lhs contracting, rhs contracting), (lhs batch, rhs batch)); the
    result has the batch dimensions, then the rest of lhs, then the rest of rhs."""

    dimension_numbers: tuple
    precision: object = field(None, show="nondefault")
    preferred_element_type: object = field(None, show="nondefault")
    out_sharding: object = field(None, show="never")

    derivative = MULTILINEAR

    def dims(self, x, y):
        (lc, rc), (lb, rb) = self.dimension_numbers
        left, right = names(x.ndim, "l"), list(names(y.ndim, "r"))
        for i, j in zip(lc + lb, rc + rb):
            right[j] = left[i]
        paired = tuple([left[i] for i in lb])
        return Dims((left, tuple(right)), (*paired, *[d for d in left if d not in right], *[d for d in right if d not in left]))

    def with_dims(self, dims, sizes):
        left, right = dims.ins
        summed = [d for d in left if d in right and d not in dims.out]
        kept = [d for d in dims.out if d in left and d in right]
        numbers = ((positions(left, summed), positions(right, summed)), (positions(left, kept), positions(right, kept)))
        return DotGeneral(numbers, self.precision, self.preferred_element_type)

    def out_dtype(self, x, y):
        return x.dtype if self.preferred_element_type is None else self.preferred_element_type

    def result(self, x, y):
        (lc, rc), (lb, rb) = self.dimension_numbers
        for what, i, j in (("contracting", lc, rc), ("batch", lb, rb)):
            a, b = tuple([x.shape[d] for d in i]), tuple([y.shape[d] for d in j])
            if a != b:
                raise TypeError(f"dot_general requires {what} dimensions to have the same shape, got {a} and {b}.")
        if x.dtype != y.dtype and self.preferred_element_type is None:
            raise TypeError("dot_general requires both operands to have the same dtype or a preferred_element_type, got "
                            f"{x.dtype} and {y.dtype}.")
        ls, rs = tuple([x.spec[d] for d in lc]), tuple([y.spec[d] for d in rc])
        if self.out_sharding is None and any(a is not None and b is not None for a, b in zip(ls, rs)):
            raise ShardingTypeError("Contracting dimensions are sharded and it is ambiguous how the output should be sharded. "
                                    "Please specify the output sharding via the `out_sharding` parameter. Got "
                                    f"lhs_contracting_spec={ls} and rhs_contracting_spec={rs}")
        if self.out_sharding is None:
            return result_from_dims(self, self.dims(x, y), (x, y), self.out_dtype(x, y))
        # a bare PartitionSpec asks for a result that is not sharded, which no sharding in a type can say
        sharding = None if isinstance(self.out_sharding, PartitionSpec) else self.out_sharding
        ins = [t.update(sharding=None) for t in (x, y)]
        return result_from_dims(self, self.dims(x, y), ins, self.out_dtype(x, y)).update(sharding=sharding)

    def lower(self, emit, x, y):
        (lc, rc), (lb, rb) = self.dimension_numbers
        batch = f"batching_dims = {list(lb)} x {list(rb)}, " if lb else ""
        precision = f", precision = {emit.precision(self.precision)}" if self.precision is not None else ""
        return emit("stablehlo.dot_general", [x, y],
                    f"{batch}contracting_dims = {list(lc)} x {list(rc)}{precision}")

    def transpose(self, ct, x, y):
        dims = self.dims(x.type, y.type)
        if is_linear(x):
            out = contract(ct, dims.out, y, dims.ins[1], dims.ins[0], self.precision, x.type)
            return convert_element_type(out, x.type.dtype, out.type.weak_type), None
        out = contract(x, dims.ins[0], ct, dims.out, dims.ins[1], self.precision, y.type)
        return None, convert_element_type(out, y.type.dtype, out.type.weak_type)

    def show_parameter(self, name, value):
        if name == "dimension_numbers":
            return f"({', '.join('(' + ', '.join(str(list(d)) for d in pair) + ')' for pair in value)})"
        return repr(value) if name == "precision" else show_value(value)


def contract(x, x_names, y, y_names, to, precision=None, like=None):
    """Einsum of two operands by dimension names, with the result's dimensions in the order `to`, sharded as the type `like`."""
    summed = [d for d in x_names if d in y_names and d not in to]
    kept = [d for d in x_names if d in y_names and d in to]
    numbers = ((positions(x_names, summed), positions(y_names, summed)), (positions(x_names, kept), positions(y_names, kept)))
    if x.type.dtype != y.type.dtype:
        y = convert_element_type(y, x.type.dtype)
    order = (*kept, *[d for d in x_names if d not in y_names], *[d for d in y_names if d not in x_names])
    sharding = None
    placed = next((t.sharding for t in (x.type, y.type) if t.sharding is not None), None)
    if like is not None and placed is not None:
        spec = dict(zip(to, like.spec))
        sharding = abstract_sharding(placed.mesh, tuple([spec[d] for d in order])) or PartitionSpec()
    out = bind(DotGeneral(numbers, precision, np.dtype(x.type.dtype), sharding), x, y)
    return transpose(out, positions(order, to))
