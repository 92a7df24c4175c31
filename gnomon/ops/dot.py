"""dot_general: sums of products over paired dimensions."""
from __future__ import annotations

import enum
import math
from typing import NamedTuple

import numpy as np

from gnomon.base.errors import ShardingTypeError
from gnomon.base.settings import current
from gnomon.ir.dims import Dims, DimsOp, names, positions, result_from_dims
from gnomon.ir.op import MULTILINEAR, field, is_linear, result_sharding
from gnomon.ir.show import show_value
from gnomon.ops.convert import convert_element_type
from gnomon.ops.shape import transpose
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_complex, is_key, mlir_name
from gnomon.types.sharding import PartitionSpec, abstract_sharding
from gnomon.types.value_type import ArrayType


TINY, MANY = 16, 1024       # the largest size of a tiny matrix, and how many make a long list
_FLOAT32, _FLOAT64 = np.dtype("float32"), np.dtype("float64")


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


class DotAlgorithm(NamedTuple):
    """How a product is computed: the dtypes that the operands are rounded to and that sums are kept in, into how many
    parts of those dtypes each operand is split, how many products of parts are made, and whether the sums may be less
    exact now and then."""

    lhs_precision_type: object
    rhs_precision_type: object
    accumulation_type: object
    lhs_component_count: int = 1
    rhs_component_count: int = 1
    num_primitive_operations: int = 1
    allow_imprecise_accumulation: bool = False

    def text(self):
        """The attribute of StableHLO; dtypes may be given as their names there."""
        lhs, rhs, sums = [t if t == "tf32" else mlir_name(np.dtype(t)) for t in self[:3]]
        return (f"<lhs_precision_type = {lhs}, rhs_precision_type = {rhs}, accumulation_type = {sums}, lhs_component_count = {self[3]}, "
                f"rhs_component_count = {self[4]}, num_primitive_operations = {self[5]}, allow_imprecise_accumulation = "
                f"{'true' if self[6] else 'false'}>")


class DotAlgorithmPreset(enum.Enum):
    """The algorithms for products by name: the types of the operands, the type of the sums, and how many products of parts."""

    DEFAULT = 1
    ANY_F8_ANY_F8_F32 = 2
    ANY_F8_ANY_F8_F32_FAST_ACCUM = 3
    ANY_F8_ANY_F8_ANY = 4
    ANY_F8_ANY_F8_ANY_FAST_ACCUM = 5
    F16_F16_F16 = 6
    F16_F16_F32 = 7
    BF16_BF16_BF16 = 8
    BF16_BF16_F32 = 9
    BF16_BF16_F32_X3 = 10
    BF16_BF16_F32_X6 = 11
    BF16_BF16_F32_X9 = 12
    TF32_TF32_F32 = 13
    TF32_TF32_F32_X3 = 14
    F32_F32_F32 = 15
    F64_F64_F64 = 16

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"DotAlgorithmPreset.{self.name}"

    @property
    def supported_lhs_types(self):
        """The scalar types that operands are taken in as they are; None where any of its kind is."""
        names = _OPERANDS.get(self.name)
        return None if names is None else tuple([np.dtype(name).type for name in names])

    supported_rhs_types = supported_lhs_types

    @property
    def accumulation_type(self):
        """The scalar type of the sums; None where it is that of the operands."""
        word = self.name.removesuffix("_FAST_ACCUM").split("_X")[0].rsplit("_", 1)[-1]
        return None if word in ("DEFAULT", "ANY") else np.dtype(_WORDS[word]).type

    def algorithm(self, lhs, rhs):
        """The DotAlgorithm for operands of these dtypes."""
        first, times = self.name.split("_")[0], self.name.rpartition("_X")[2]
        sums = self.accumulation_type or lhs
        operands = (lhs, rhs) if first == "ANY" else ("tf32",) * 2 if first == "TF32" else (_WORDS[first],) * 2
        return DotAlgorithm(*operands, sums, num_primitive_operations=int(times) if times.isdigit() else 1,
                            allow_imprecise_accumulation=self.name.endswith("FAST_ACCUM"))


_WORDS = {"F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64", "TF32": "float32"}
_OPERANDS = {"F16_F16_F16": ("float16",), "F16_F16_F32": ("float16",), "BF16_BF16_BF16": ("bfloat16", "float32"),
             "BF16_BF16_F32": ("bfloat16", "float32"), "F64_F64_F64": ("float64",),
             **dict.fromkeys(("BF16_BF16_F32_X3", "BF16_BF16_F32_X6", "BF16_BF16_F32_X9", "TF32_TF32_F32", "TF32_TF32_F32_X3",
                              "F32_F32_F32"), ("float32",))}
ON_CPU = ("DEFAULT", "F16_F16_F16", "BF16_BF16_F32", "BF16_BF16_F32_X3", "BF16_BF16_F32_X6", "F32_F32_F32", "F64_F64_F64")


def canonical_precision(precision):
    """A pair of Precisions (one per operand), an algorithm or None, from a `precision` argument: None (then the setting
    default_matmul_precision counts), a Precision, one of their names, a pair of them, or an algorithm or its name."""
    if precision is None:
        precision = current.default_matmul_precision
        if precision is None:
            return None
    if isinstance(precision, str) and precision in DotAlgorithmPreset.__members__:
        return DotAlgorithmPreset[precision]
    if isinstance(precision, (DotAlgorithm, DotAlgorithmPreset)):
        return precision
    pair = tuple(precision) if isinstance(precision, (tuple, list)) else (precision, precision)
    try:
        if len(pair) == 2:
            return tuple([p if isinstance(p, Precision) else Precision("default" if p is None else p) for p in pair])
    except ValueError:
        pass
    raise ValueError(f"precision is None, one of {', '.join(map(repr, _PRECISION_NAMES))}, a lax.Precision, a pair of these, or a "
                     f"lax.DotAlgorithmPreset, its name, or a lax.DotAlgorithm; got {precision!r}.")


class DotGeneral(DimsOp):
    """Sums products of lhs and rhs. `dimension_numbers` is ((lhs contracting, rhs contracting), (lhs batch, rhs batch)); the
    result has the batch dimensions, then the rest of lhs, then the rest of rhs."""

    dimension_numbers: tuple
    precision: Precision | DotAlgorithmPreset | tuple | None = field(None, show="nondefault")
    preferred_element_type: object = field(None, show="nondefault")
    out_sharding: object = field(None, show="never", read=result_sharding)

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
        if is_complex(x.dtype) and not is_complex(self.out_dtype(x, y)):
            raise TypeError(f"dot_general sums complex numbers, which a result of {self.preferred_element_type} does not hold; take the real "
                            "parts of the operands or of the result.")
        if is_key(self.out_dtype(x, y)):
            raise TypeError(f"dot_general sums products in numbers, got preferred_element_type {self.preferred_element_type}.")
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
        if emit.one_cpu and self.tiny(x.type, y.type, emit.out):
            return self.side_by_side(emit, x, y)
        (lc, rc), (lb, rb) = self.dimension_numbers
        batch = f"batching_dims = {list(lb)} x {list(rb)}, " if lb else ""
        text, out = f"{batch}contracting_dims = {list(lc)} x {list(rc)}", emit.out
        if self.precision is None:
            return emit("stablehlo.dot_general", [x, y], text)
        if self.precision.__class__ is tuple:
            return emit("stablehlo.dot_general", [x, y], f"{text}, precision = {emit.precision(self.precision)}")
        x, y, algorithm, sums = self.prepared(emit, x, y)
        precision = f"precision = {emit.precision(Precision.DEFAULT)}{algorithm}"
        return emit.convert(emit("stablehlo.dot_general", [x, y], f"{text}, {precision}", emit.ArrayType(out.shape, sums)), out.dtype)

    def tiny(self, x, y, out):
        """Whether these are two long lists of tiny matrices, or of tinier vectors."""
        (lc, rc), (lb, rb) = self.dimension_numbers
        rank = len(lb)
        count, lead = math.prod(x.shape[:rank]), tuple(range(rank))
        most = TINY if out.ndim == rank + 2 else TINY // 4
        return (x.dtype == y.dtype == out.dtype and x.dtype in (_FLOAT32, _FLOAT64) and (self.precision is None or self.precision.__class__ is tuple)
                and lead == lb == rb and len(lc) == 1 and all([t.ndim <= rank + 2 and max(t.shape[rank:]) <= most for t in (x, y)])
                and count >= MANY)

    def side_by_side(self, emit, x, y):
        """The sum of products of one column and one row each, for all matrices at once: XLA's CPU multiplies matrix after matrix,
        which takes ten times as long for the smallest."""
        ((lc,), (rc,)), (lead, _) = self.dimension_numbers
        t, total = emit.out, None
        rank = len(lead)

        def term(v, along, k, free):
            """The k-th row or column of each matrix, repeated over the dimension that the result has from the other operand."""
            shape = v.type.shape
            one = emit.slice_in_dim(v, k, k + 1, along)
            kept = ArrayType(tuple([n for d, n in enumerate(shape) if d != along]), t.dtype)
            dims = (*lead, free) if len(kept.shape) > rank else lead
            return emit.broadcast(emit("stablehlo.reshape", [one], out=kept), t.shape, dims)
        for k in range(x.type.shape[lc]):
            product = emit.elementwise("stablehlo.multiply", [term(x, lc, k, rank), term(y, rc, k, t.ndim - 1)], t)
            total = product if total is None else emit.elementwise("stablehlo.add", [total, product], t)
        return total

    def prepared(self, emit, x, y):
        """Operands in the dtypes that the algorithm takes, its text, and the dtype of the sums."""
        chosen = self.precision
        if chosen is DotAlgorithmPreset.DEFAULT:
            return x, y, "", emit.out.dtype
        if chosen.__class__ is DotAlgorithmPreset:
            if emit.module.platform == "cpu" and chosen.name not in ON_CPU:
                raise ValueError(f"The algorithm {chosen} for products cannot run on the CPU, which has {', '.join(ON_CPU)}. Choose one of "
                                 "them, or a precision such as 'highest'.")
            takes = _OPERANDS.get(chosen.name)
            if takes is not None:
                x, y = [v if v.dtype.name in takes else emit.convert(v, np.dtype(takes[0])) for v in (x, y)]
            chosen = chosen.algorithm(x.dtype, y.dtype)
        return x, y, f", algorithm = {chosen.text()}", np.dtype(chosen.accumulation_type)

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
        return repr(value) if value.__class__ is tuple and name == "precision" else show_value(value)


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
