"""What the ops of dense linear algebra share: lists of matrices in the last two dimensions, LAPACK's kernels, and the algebra that
derivatives are written in.

LAPACK stores matrices column by column, XLA row by row. To hand a matrix over transposed costs nothing, since that is another way
to read the same memory; so a kernel is given the transposed problem wherever LAPACK solves that one too.
"""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import ShardingTypeError
from gnomon.ir.dims import common_place
from gnomon.ir.op import Op
from gnomon.ops.arithmetic import add, mul
from gnomon.ops.compare import ge, select_n
from gnomon.ops.complex_parts import complex as complex_of, conj, real
from gnomon.ops.dot import DotGeneral, Precision
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.indexing import PROMISE_IN_BOUNDS, GatherDimensionNumbers, gather
from gnomon.ops.shape import Iota, broadcast_in_dim, expand_dims, reduce_sum, transpose
from gnomon.trace.build import program
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_complex
from gnomon.types.value_type import ArrayType, array_type

INT32 = np.dtype("int32")
BOOL = np.dtype(bool)
LETTERS = {np.dtype("float32"): "s", np.dtype("float64"): "d", np.dtype("complex64"): "c", np.dtype("complex128"): "z"}
LOWER, UPPER = ord("L"), ord("U")
HIGHEST = (Precision.HIGHEST, Precision.HIGHEST)


class MatrixOp(Op, abstract=True):
    """Base of ops that work on the last dimensions of their operands, each `ranks[i]` of them; the leading ones, equal for all
    operands, count lists of such problems. A subclass says the results' last dimensions and dtypes in `core(*types)`."""

    ranks = (2,)

    def core(self, *types):
        """(last dimensions, dtype) of each result, after checking the operands' last dimensions."""
        raise NotImplementedError

    def result(self, *types):
        for i, (t, rank) in enumerate(zip(types, self.ranks, strict=True)):
            if t.dtype not in LETTERS and t.dtype != INT32:
                raise TypeError(f"{self.name} takes float32, float64, complex64 and complex128, got an array of {t.dtype}. Convert it "
                                "with astype first.")
            if t.ndim < rank:
                raise TypeError(f"{self.name} needs at least {rank} dimensions in operand {i}, got {t}.")
        lead = self.leading(types[0], 0)
        for i, t in enumerate(types):
            if self.leading(t, i) != lead:
                raise TypeError(f"{self.name} needs equal leading dimensions, got {', '.join(map(str, types))}.")
        mesh, varying, memory = common_place(self, types)
        outs = []
        for shape, dtype in self.core(*types):
            weak = dtype == types[0].dtype and all([t.weak_type for t in types])
            if mesh is None:
                outs.append(ArrayType((*lead, *shape), dtype, weak, None, varying, memory))
            else:
                spec = (*self.leading_spec(types), *[None] * len(shape))
                outs.append(array_type((*lead, *shape), dtype, weak, spec, mesh, varying, memory))
        return outs if self.multiple else outs[0]

    def leading(self, t, i):
        return t.shape[:t.ndim - self.ranks[i]]

    def leading_spec(self, types):
        found = None
        for t, rank in zip(types, self.ranks):
            n = t.ndim - rank
            if t.sharding is None:      # made on the way, of a fixed value: it follows the others
                continue
            if any(axes is not None for axes in t.spec[n:]):
                raise ShardingTypeError(f"{self.name} needs whole matrices, got {', '.join(map(str, types))}. Reshard the operand first.")
            if found is not None and found != tuple(t.spec[:n]):
                raise ShardingTypeError(f"{self.name} got leading dimensions that are sharded differently: {', '.join(map(str, types))}.")
            found = tuple(t.spec[:n])
        return found

    def batch(self, args, axes, batching):
        out = batching.bind(self, *[batching.front(x, a) for x, a in zip(args, axes)])
        return (out, [0] * len(out)) if self.multiple else (out, 0)


class Written(MatrixOp, abstract=True):
    """Base of ops whose value is computed by other ops, in `value(*xs)`, and whose derivative is not that of those ops."""

    def value(self, *xs):
        """The list of results."""
        raise NotImplementedError

    def lower(self, emit, *xs):
        outs = emit.eqns(program([x.type for x in xs], self.value), xs)
        return outs if self.multiple else outs[0]


def need_square(op, t):
    if t.shape[-1] != t.shape[-2]:
        raise TypeError(f"{op.name} takes square matrices in the last two dimensions, got {t}.")


# ---- lowering -------------------------------------------------------------------------------------------------------

def lapack(emit, name, xs, outs, config="", *, batch=None, rows=False):
    """Call LAPACK's `name` on lists of matrices, vectors and numbers. `batch`, the number of leading dimensions, is the rank of the
    last result if not given. With `rows` the kernel reads and writes every matrix transposed."""
    letter = LETTERS[next(x.type.dtype for x in xs if x.type.dtype in LETTERS)]
    batch = outs[-1].ndim if batch is None else batch
    return emit.custom_call(f"lapack_{letter}{name}_ffi", xs, outs, config, column_major=False if rows else batch)


def attributes(**entries):
    """The text of a kernel's attributes: characters as bytes."""
    return ", ".join([f"{k} = {ord(v)} : ui8" for k, v in entries.items()])


def swapped_type(t):
    return t.with_shape((*t.shape[:-2], t.shape[-1], t.shape[-2]))


def swap(emit, x):
    """Matrices transposed, in a program being written."""
    n = x.type.ndim
    return emit("stablehlo.transpose", [x], f"dims = {[*range(n - 2), n - 1, n - 2]}", swapped_type(x.type))


def nan_unless(emit, ok, x):
    """`x`, with NaN for the problems (counted by the leading dimensions) that are not `ok`."""
    nan = emit.constant(np.nan, x.type)
    mask = emit.broadcast(ok, x.type.shape, tuple(range(ok.type.ndim)))
    return emit.select(mask, x, nan)


def succeeded(emit, info):
    return emit.compare("EQ", info, emit.constant(0, info.type))


def emit_triangle(emit, shape, lower, k=0):
    """A mask of the elements at and below (else at and above) the k-th diagonal, of the rank of `shape`."""
    n = len(shape)
    t, index = ArrayType(shape[-2:], BOOL), ArrayType(shape[-2:], INT32)
    rows, columns = (emit("stablehlo.iota", [], f"dim = {d}", index) for d in (0, 1))
    if k:
        rows = emit.elementwise("stablehlo.add", [rows, emit.constant(k, index)], index)
    mask = emit.compare("GE" if lower else "LE", rows, columns)
    assert mask.type is t
    return emit.broadcast(mask, shape, (n - 2, n - 1))


def emit_identity(emit, t):
    """Identity matrices of a type, which need not be square."""
    mask = emit_triangle(emit, t.shape, True)
    both = emit.elementwise("stablehlo.and", [mask, emit_triangle(emit, t.shape, False)], mask.type)
    return emit.select(both, emit.constant(1, t), emit.constant(0, t))


# ---- algebra on values ----------------------------------------------------------------------------------------------

def matmul(x, y):
    """Products of lists of matrices."""
    n = x.type.ndim
    lead = tuple(range(n - 2))
    return bind(DotGeneral((((n - 1,), (n - 2,)), (lead, lead)), HIGHEST, x.type.dtype), x, y)


def matvec(x, v):
    """Lists of matrices times lists of vectors."""
    n = x.type.ndim
    lead = tuple(range(n - 2))
    return bind(DotGeneral((((n - 1,), (n - 2,)), (lead, lead)), HIGHEST, x.type.dtype), x, v)


def swap_last(x):
    """Matrices transposed."""
    n = x.type.ndim
    return transpose(x, (*range(n - 2), n - 1, n - 2))


def adjoint(x):
    """Matrices transposed, their elements conjugated."""
    return swap_last(conjugate(x))


def conjugate(x):
    return conj(x) if is_complex(x.type.dtype) else x


def real_part(x):
    return real(x) if is_complex(x.type.dtype) else x


def as_dtype_of(x, like):
    """Real numbers as complex ones where `like` is complex."""
    return complex_of(x, full_scalar(x, 0)) if is_complex(like.type.dtype) and not is_complex(x.type.dtype) else x


def index(t, dimension, to):
    """Row or column numbers of the matrices of a type, with size 1 in all other dimensions."""
    shape = [1] * t.ndim
    shape[to] = t.shape[dimension]
    return bind(Iota(INT32, tuple(shape), t.ndim + to))


def at_or_below(t, k=0):
    """A mask of the elements at and below the k-th diagonal."""
    rows = index(t, -2, -2)
    if k:
        rows = add(rows, full_scalar(rows, k))
    return ge(rows, index(t, -1, -1))


def tril(x, k=0):
    """With zeros above the k-th diagonal."""
    return select_n(at_or_below(x.type, k), full_scalar(x, 0), x)


def triu(x, k=0):
    """With zeros below the k-th diagonal."""
    return select_n(at_or_below(x.type, k - 1), x, full_scalar(x, 0))


def on_diagonal(x, yes, no):
    """`yes` on the diagonal of matrices of the type of `x`, `no` elsewhere; scalars or values of that rank."""
    t = x.type
    below, strictly = at_or_below(t), at_or_below(t, -1)
    return select_n(below, no, select_n(strictly, yes, no))


def eye_like(x):
    t = x.type
    out = on_diagonal(x, full_scalar(x, 1), full_scalar(x, 0))
    return out if out.type.shape == t.shape else broadcast_in_dim(out, t.shape, tuple(range(t.ndim)))


def diagonal(x):
    """The diagonals of square matrices."""
    t = x.type
    return reduce_sum(on_diagonal(x, x, full_scalar(x, 0)), (t.ndim - 2,))


def scale_columns(x, v):
    """Matrices with column j times v[j]; v may be real where x is complex."""
    v = as_dtype_of(v, x)
    return mul(x, expand_dims(v, (v.type.ndim - 1,)))


def scale_rows(x, v):
    """Matrices with row i times v[i]; v may be real where x is complex."""
    v = as_dtype_of(v, x)
    return mul(x, expand_dims(v, (v.type.ndim,)))


def take_rows(x, rows):
    """Rows of matrices by their numbers, which are in bounds and all different."""
    if not x.type.size:
        return x
    n = x.type.ndim
    lead = tuple(range(n - 2))
    numbers = GatherDimensionNumbers((n - 1,), (n - 2,), (n - 2,), lead, lead)
    return gather(x, expand_dims(rows, (n - 1,)), numbers, (1,) * (n - 1) + x.type.shape[-1:], PROMISE_IN_BOUNDS, unique_indices=True)


def take_columns(x, columns):
    """Columns of matrices by their numbers, which are in bounds and all different."""
    return swap_last(take_rows(swap_last(x), columns))


def half(x):
    return mul(x, full_scalar(x, 0.5))


def hermitian_from_triangle(x, lower):
    """What a kernel that reads one triangle of a matrix takes it for: the other triangle mirrored, the diagonal real."""
    strict = tril(x, -1) if lower else triu(x, 1)
    middle = on_diagonal(x, as_dtype_of(real_part(x), x), full_scalar(x, 0))
    return add(add(strict, adjoint(strict)), middle)
