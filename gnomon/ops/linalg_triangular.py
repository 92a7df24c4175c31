"""Cholesky factors and systems with triangular or tridiagonal matrices."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.ir.op import field, is_linear
from gnomon.ops import linalg_small
from gnomon.ops.arithmetic import NOT_LINEAR, neg, sub
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.linalg_base import (INT32, MatrixOp, adjoint, attributes, conjugate, emit_triangle, half, hermitian_from_triangle,
                                    lapack, matmul, nan_unless, need_square, on_diagonal, scale_rows, succeeded, swap, swap_last,
                                    tril, triu)
from gnomon.ops.shape import reshape
from gnomon.ops.slicing import pad_in_dim, slice_in_dim
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_complex
from gnomon.types.value_type import ArrayType


class Cholesky(MatrixOp):
    """The lower triangular L with L L^H = x (`upper`: the upper triangular U with U^H U = x), for x Hermitian and positive definite, of
    which the same triangle is read. NaN where x is not positive definite."""

    upper: bool = field(False, show="nondefault")

    transpose = NOT_LINEAR

    def core(self, x):
        need_square(self, x)
        return [(x.shape[-2:], x.dtype)]

    def lower(self, emit, x):
        t = x.type
        if t.size == 0:
            return x
        if linalg_small.is_small(emit, t):
            return linalg_small.from_rows(linalg_small.cholesky(emit, x, self.upper), t)
        # row by row, one triangle is what LAPACK takes for the other one of the transposed matrix
        factor, info = lapack(emit, "potrf", [x], [t, ArrayType(t.shape[:-2], INT32)], attributes(uplo="L" if self.upper else "U"),
                              rows=True)
        factor = nan_unless(emit, succeeded(emit, info), factor)
        return emit.select(emit_triangle(emit, t.shape, not self.upper), factor, emit.constant(0, t))

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        factor = bind(self, x)
        moved = hermitian_from_triangle(t, lower=not self.upper)
        if self.upper:
            inside = solve_triangular(factor, solve_triangular(factor, moved, lower=False, mode="adjoint"), left=False, lower=False)
            return factor, matmul(adjoint(lower_half(inside)), factor)
        inside = solve_triangular(factor, solve_triangular(factor, moved), left=False, mode="adjoint")
        return factor, matmul(factor, lower_half(inside))


def lower_half(x):
    """The lower triangle with half the diagonal: phi with phi(x) + phi(x)^H = x for Hermitian x."""
    return on_diagonal(x, half(x), tril(x))


class TriangularSolve(MatrixOp):
    """The x with op(a) x = b, or with x op(a) = b where not `left_side`, for triangular a, of which one triangle is read.

    op(a) is a, its transpose, its conjugate or both. With `unit_diagonal` the diagonal is not read either and counts as ones."""

    conjugate_a: bool
    left_side: bool
    lower_: bool
    transpose_a: bool
    unit_diagonal: bool

    ranks = (2, 2)

    def core(self, a, b):
        need_square(self, a)
        if a.dtype != b.dtype:
            raise TypeError(f"triangular_solve needs operands of one dtype, got {a} and {b}.")
        if a.shape[-1] != b.shape[-2 if self.left_side else -1]:
            raise TypeError(f"triangular_solve needs as many {'rows' if self.left_side else 'columns'} of b as a has, got {a} and {b}.")
        return [(b.shape[-2:], b.dtype)]

    def lower(self, emit, a, b):
        if linalg_small.is_small(emit, a.type, b.type):
            b = b if self.left_side else swap(emit, b)
            found = linalg_small.triangular_solve(emit, a, b, self.lower_, self.transpose_a == self.left_side, self.unit_diagonal)
            return found if self.left_side else swap(emit, found)
        # the transposed system: a row by row is LAPACK's a transposed, so the other triangle, on the other side
        turned = self.replace(lower_=not self.lower_, left_side=not self.left_side)
        return swap(emit, turned.by_columns(emit, swap(emit, a), swap(emit, b)))

    def by_columns(self, emit, a, b):
        """The solution, of matrices that LAPACK reads column by column."""
        if b.type.size == 0:
            return b
        if self.conjugate_a and not self.transpose_a and is_complex(a.type.dtype):
            a = emit.chlo("chlo.conj", [a], a.type)
        mode = "N" if not self.transpose_a else "C" if self.conjugate_a else "T"
        return lapack(emit, "trsm", [a, b], [b.type], attributes(
            diag="U" if self.unit_diagonal else "N", side="L" if self.left_side else "R", trans_x=mode,
            uplo="L" if self.lower_ else "U"), batch=b.type.ndim - 2)[0]

    def triangle(self, x):
        """What is read of a matrix."""
        k = 1 if self.unit_diagonal else 0
        return tril(x, -k) if self.lower_ else triu(x, k)

    def applied(self, x):
        """op(x)."""
        x = conjugate(x) if self.conjugate_a else x
        return swap_last(x) if self.transpose_a else x

    def derivative(self, args, tangents):
        (a, b), (ta, tb) = args, tangents
        x = bind(self, a, b)
        if ta is None:
            return x, bind(self, a, tb)
        moved = self.applied(self.triangle(ta))
        push = matmul(moved, x) if self.left_side else matmul(x, moved)
        return x, bind(self, a, neg(push) if tb is None else sub(tb, push))

    def transpose(self, ct, a, b):
        if is_linear(a):
            raise Refused("triangular_solve is not linear in its matrix, so it can only be differentiated forward first (grad and vjp "
                          "do that)")
        return None, bind(self.replace(transpose_a=not self.transpose_a), a, ct)

    def batch(self, args, axes, batching):
        (a, b), (at, bt) = args, axes
        if at is not None or a.type.ndim != 2:
            return super().batch(args, axes, batching)
        # one matrix for all: the columns (or rows) of every b stand side by side
        side = 1 if self.left_side else 0
        b = batching.move(b, bt, side)
        sizes = b.type.shape
        wide = reshape(b, (sizes[0], sizes[1] * sizes[2]) if self.left_side else (sizes[0] * sizes[1], sizes[2]))
        return reshape(bind(self, a, wide), sizes), side


class TridiagonalSolve(MatrixOp):
    """The x with T x = b, for T with the diagonals dl (below, its first element unused), d and du (above, its last unused)."""

    perturb_singular: bool

    ranks = (1, 1, 1, 2)

    def core(self, dl, d, du, b):
        n = b.shape[-2]
        if any(t.shape[-1] != n for t in (dl, d, du)):
            raise TypeError(f"tridiagonal_solve needs diagonals of as many elements as b has rows, got {dl}, {d}, {du} and {b}.")
        if any(t.dtype != b.dtype for t in (dl, d, du)):
            raise TypeError(f"tridiagonal_solve needs operands of one dtype, got {dl}, {d}, {du} and {b}.")
        return [(b.shape[-2:], b.dtype)]

    def lower(self, emit, dl, d, du, b):
        t = b.type
        if t.size == 0:
            return b
        if self.perturb_singular:
            return emit.custom_call("tridiagonal_solve_perturbed_ffi", [dl, d, du, b], [t], column_major=t.ndim - 2)[0]
        *_, x, info = lapack(emit, "gtsv", [dl, d, du, b], [dl.type, d.type, du.type, t, ArrayType(t.shape[:-2], INT32)])
        return nan_unless(emit, succeeded(emit, info), x)

    def derivative(self, args, tangents):
        dl, d, du, b = args
        x = bind(self, dl, d, du, b)
        axis = x.type.ndim - 2
        # what each diagonal meets: the row above, the row itself, the row below
        met = shifted(x, 1, axis), x, shifted(x, -1, axis)
        push = tangents[3]
        for t, y in zip(tangents[:3], met):
            if t is not None:
                moved = scale_rows(y, t)
                push = neg(moved) if push is None else sub(push, moved)
        return x, bind(self, dl, d, du, push)

    def transpose(self, ct, dl, d, du, b):
        if is_linear(dl) or is_linear(d) or is_linear(du):
            raise Refused("tridiagonal_solve is not linear in its diagonals, so it can only be differentiated forward first (grad and "
                          "vjp do that)")
        last = d.type.ndim - 1
        return None, None, None, bind(self, shifted(du, 1, last), d, shifted(dl, -1, last), ct)


def shifted(x, by, axis):
    """Moved by one place along an axis, a zero moving in."""
    n = x.type.shape[axis]
    part = slice_in_dim(x, 0, n - 1, axis) if by > 0 else slice_in_dim(x, 1, n, axis)
    return pad_in_dim(part, full_scalar(x, 0), max(by, 0), max(-by, 0), axis)


_lower_cholesky, _upper_cholesky = Cholesky(False), Cholesky(True)


# ---- functions on values --------------------------------------------------------------------------------------------

MODES = {"plain": (False, False), "transpose": (True, False), "adjoint": (True, True), "conjugate": (False, True)}


def cholesky(x, upper=False):
    """L with L L^H = x, or U with U^H U = x, from the same triangle."""
    return bind(_upper_cholesky if upper else _lower_cholesky, x)


def solve_triangular(a, b, left=True, lower=True, mode="plain", unit=False):
    """Solve op(a) x = b or x op(a) = b; `mode` names op."""
    transposed, conjugated = MODES[mode]
    return bind(TriangularSolve(conjugated and is_complex(a.type.dtype), left, lower, transposed, unit), a, b)
