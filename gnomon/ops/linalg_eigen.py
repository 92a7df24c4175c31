"""Eigenvalues and eigenvectors, singular values and vectors, and the forms that lead to them."""
from __future__ import annotations

import enum

from gnomon.base.errors import Refused
from gnomon.ir.op import field
from gnomon.ops.arithmetic import NOT_LINEAR, absolute, add, div, mul, neg, sub
from gnomon.ops.compare import eq, le, select_n
from gnomon.ops.complex_parts import complex as complex_of, imag, real
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.linalg_base import (INT32, MatrixOp, adjoint, as_dtype_of, attributes, conjugate, diagonal, emit_identity, half,
                                    hermitian_from_triangle, lapack, matmul, nan_unless, need_square, real_part,
                                    scale_columns, succeeded)
from gnomon.ops.linalg_lu import solve
from gnomon.ops.reductions import argmax, reduce_max
from gnomon.ops.shape import Iota, expand_dims, reduce_sum
from gnomon.ops.slicing import concatenate, slice_in_dim
from gnomon.trace.stage import bind
from gnomon.types.dtype import complex_dtype, finfo, is_complex, real_dtype
from gnomon.types.value_type import ArrayType


class EighImplementation(enum.Enum):
    """How eigenvalues of Hermitian matrices are computed. CPUs do it by QR (divide and conquer) whichever is named."""

    QR = "QR"
    JACOBI = "JACOBI"
    QDWH = "QDWH"


class EigImplementation(enum.Enum):
    """How eigenvalues of general matrices are computed. CPUs use LAPACK."""

    CUSOLVER = "CUSOLVER"
    MAGMA = "MAGMA"
    LAPACK = "LAPACK"


class SvdAlgorithm(enum.Enum):
    """How singular values are computed: DEFAULT is DIVIDE_AND_CONQUER on CPUs; QR is slower and a little more exact."""

    DEFAULT = "default"
    QR = "QR"
    JACOBI = "Jacobi"
    POLAR = "polar"
    DIVIDE_AND_CONQUER = "divide_and_conquer"


def quotient(x, d, limit=None):
    """x / d, and 0 where d is 0 or its modulus is not above `limit`: how far two vectors turn towards each other, where any turn of both
    is as good."""
    zero = eq(d, full_scalar(d, 0)) if limit is None else le(absolute(d), limit)
    ratio = div(x, as_dtype_of(select_n(zero, d, full_scalar(d, 1)), x))
    return select_n(zero, ratio, full_scalar(x, 0))


def gaps(w):
    """Differences w[j] - w[i], and a limit below which they are rounding errors: values that near to each other count as equal."""
    axis = w.type.ndim - 1
    size = expand_dims(reduce_max(absolute(w), (axis,)), (axis, axis + 1))
    eps = float(finfo(real_dtype(w.type.dtype)).eps)
    return sub(row(w), column(w)), mul(size, full_scalar(size, 4 * w.type.shape[axis] * eps))


def column(v):
    return expand_dims(v, (v.type.ndim,))


def row(v):
    return expand_dims(v, (v.type.ndim - 1,))


def picked(x, subset, axis):
    """The range `subset` of places along an axis; all for None."""
    return x if subset is None else slice_in_dim(x, *subset, axis)


class Eigh(MatrixOp):
    """Eigenvectors, as columns, and ascending eigenvalues of Hermitian matrices, of which one triangle is read. NaN where they cannot
    be found. `subset_by_index` asks for a range of them; without `compute_vectors` there are only eigenvalues."""

    algorithm: object
    lower_: bool
    sort_eigenvalues: bool
    subset_by_index: tuple | None
    compute_vectors: bool = field(True, show="nondefault")

    multiple = True
    transpose = NOT_LINEAR

    def core(self, x):
        need_square(self, x)
        n = x.shape[-1]
        first, last = (0, n) if self.subset_by_index is None else self.subset_by_index
        if not 0 <= first < last <= n and self.subset_by_index is not None:
            raise ValueError(f"eigh needs a subset_by_index (first, last) with 0 <= first < last <= {n}, got {self.subset_by_index}.")
        values = ((last - first,), real_dtype(x.dtype))
        return [((n, last - first), x.dtype), values] if self.compute_vectors else [values]

    def lower(self, emit, x):
        t, (*_, values) = x.type, emit.outs
        if t.size == 0:
            return [emit_identity(emit, o) if o.ndim == t.ndim else emit.constant(0, o) for o in emit.outs]
        w = ArrayType(t.shape[:-1], values.dtype)
        v, w, info = lapack(emit, "heevd" if is_complex(t.dtype) else "syevd", [x], [t, w, ArrayType(t.shape[:-2], INT32)],
                            attributes(mode="V" if self.compute_vectors else "N", uplo="L" if self.lower_ else "U"))
        ok = succeeded(emit, info)
        found = [v, w] if self.compute_vectors else [w]
        return [emit_range(emit, nan_unless(emit, ok, y), self.subset_by_index, o) for y, o in zip(found, emit.outs)]

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        v, w = bind(self.replace(subset_by_index=None, compute_vectors=True), x)
        inner = matmul(adjoint(v), matmul(hermitian_from_triangle(t, self.lower_), v))
        dw = real_part(diagonal(inner))
        last, subset = w.type.ndim - 1, self.subset_by_index
        values, moved = picked(w, subset, last), picked(dw, subset, last)
        if not self.compute_vectors:
            return [values], [moved]
        dv = matmul(v, quotient(inner, *gaps(w)))
        return [picked(v, subset, last + 1), values], [picked(dv, subset, last + 1), moved]


def emit_range(emit, x, subset, out):
    """The range of columns (or elements of vectors) that `out`, a result's type, has."""
    if subset is None:
        return x
    shape = x.type.shape
    return emit.slice(x, [0] * (len(shape) - 1) + [subset[0]], [*shape[:-1], subset[1]], [1] * len(shape), out)


class Eig(MatrixOp):
    """Eigenvalues of general matrices, and unit eigenvectors as columns: left ones u, with u^H x = w u^H, and right ones v, with
    x v = w v. The largest component of each is real."""

    compute_left_eigenvectors: bool
    compute_right_eigenvectors: bool
    enable_eigvec_derivs: bool
    implementation: object

    multiple = True
    transpose = NOT_LINEAR

    def core(self, x):
        need_square(self, x)
        dtype, shape = complex_dtype(x.dtype), x.shape[-2:]
        sides = self.compute_left_eigenvectors + self.compute_right_eigenvectors
        return [(shape[-1:], dtype)] + [(shape, dtype)] * sides

    def lower(self, emit, x):
        t, values = x.type, emit.outs[0]
        if t.size == 0:
            return [emit_identity(emit, o) if o.ndim == t.ndim else emit.constant(0, o) for o in emit.outs]
        vectors = t.with_dtype(values.dtype)
        config = attributes(compute_left="V" if self.compute_left_eigenvectors else "N",
                            compute_right="V" if self.compute_right_eigenvectors else "N")
        parts = [values] if is_complex(t.dtype) else [values.with_dtype(t.dtype)] * 2
        *w, left, right, info = lapack(emit, "geev", [x], [*parts, vectors, vectors, ArrayType(t.shape[:-2], INT32)], config)
        w = w[0] if len(w) == 1 else emit("stablehlo.complex", w, out=values)
        found = [w, *[left] * self.compute_left_eigenvectors, *[right] * self.compute_right_eigenvectors]
        ok = succeeded(emit, info)
        return [nan_unless(emit, ok, y) for y in found]

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        w, *vectors = bind(self.replace(compute_right_eigenvectors=True), x)
        t = as_dtype_of(t, w)
        right = vectors[-1]
        inner = solve(right, matmul(t, right))
        outs, moved = [w], [diagonal(inner)]
        if self.compute_left_eigenvectors:
            left, back = vectors[0], conjugate(w)
            outs.append(left)
            moved.append(turned(left, back, solve(left, matmul(adjoint(t), left))))
        if self.compute_right_eigenvectors:
            outs.append(right)
            moved.append(turned(right, w, inner))
        return outs, moved


def turned(v, w, inner):
    """How unit eigenvectors, whose largest component is real, move; `inner` is v^-1 t v for a matrix that moves by t."""
    free = matmul(v, quotient(inner, *gaps(w)))
    axis = v.type.ndim - 2
    size = absolute(v)
    places = bind(Iota(INT32, size.type.shape, axis))
    largest = eq(places, expand_dims(argmax(size, axis), (axis,)))

    def at_largest(y):
        return reduce_sum(select_n(largest, full_scalar(y, 0), y), (axis,))
    longer = real(reduce_sum(mul(conjugate(v), free), (axis,)))
    rotated = div(imag(at_largest(free)), real(at_largest(v)))
    return sub(free, scale_columns(v, complex_of(longer, rotated)))


class Svd(MatrixOp):
    """Singular values, largest first, and with `compute_uv` unitary u and vh with x = u s vh. Without `full_matrices` only the columns
    of u and rows of vh that meet a singular value; `subset_by_index` asks for a range of those. NaN where they cannot be found."""

    algorithm: SvdAlgorithm | None
    compute_uv: bool
    full_matrices: bool
    subset_by_index: tuple | None

    multiple = True
    transpose = NOT_LINEAR

    def core(self, x):
        m, n = x.shape[-2:]
        count, part = min(m, n), real_dtype(x.dtype)
        if self.algorithm in (SvdAlgorithm.JACOBI, SvdAlgorithm.POLAR):
            raise Refused(f"svd by {self.algorithm} is not done on CPUs; use SvdAlgorithm.DEFAULT or QR.")
        if self.subset_by_index is not None:
            first, last = self.subset_by_index
            if not 0 <= first < last <= count:
                raise ValueError(f"svd needs a subset_by_index (first, last) with 0 <= first < last <= {count}, got "
                                 f"{self.subset_by_index}.")
            if self.full_matrices and self.compute_uv:
                raise ValueError("svd with subset_by_index needs full_matrices=False.")
            count = last - first
        if not self.compute_uv:
            return [((count,), part)]
        return [((count,), part), ((m, m if self.full_matrices else count), x.dtype),
                ((n if self.full_matrices else count, n), x.dtype)]

    def lower(self, emit, x):
        t, outs = x.type, emit.outs
        if t.size == 0:
            return [emit_identity(emit, o) if o.ndim == t.ndim else emit.constant(0, o) for o in outs]
        *lead, m, n = t.shape
        k = min(m, n)
        p, q = (m, n) if self.full_matrices or not self.compute_uv else (k, k)
        s = ArrayType((*lead, k), real_dtype(t.dtype))
        mode = "N" if not self.compute_uv else "A" if self.full_matrices else "S"
        name = "gesvd" if self.algorithm == SvdAlgorithm.QR else "gesdd"
        _, s, u, vh, info = lapack(emit, name, [x], [t, s, t.with_shape((*lead, m, p)), t.with_shape((*lead, q, n)),
                                                     ArrayType(tuple(lead), INT32)], attributes(mode=mode))
        ok, subset = succeeded(emit, info), self.subset_by_index
        s = emit_range(emit, nan_unless(emit, ok, s), subset, outs[0])
        if not self.compute_uv:
            return [s]
        u, vh = (nan_unless(emit, ok, y) for y in (u, vh))
        if subset is not None:
            u = emit_range(emit, u, subset, outs[1])
            vh = emit.slice(vh, [0] * len(lead) + [subset[0], 0], [*lead, subset[1], n], [1] * t.ndim, outs[2])
        return [s, u, vh]

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        m, n = x.type.shape[-2:]
        k, axis, subset = min(m, n), x.type.ndim - 1, self.subset_by_index
        if not self.compute_uv:
            s, u, vh = bind(Svd(self.algorithm, True, False, None), x)
            ds = singular_values_move(t, s, u, vh)[0]
            return [picked(s, subset, axis - 1)], [picked(ds, subset, axis - 1)]
        s, u, vh = bind(self.replace(subset_by_index=None), x)
        u1 = slice_in_dim(u, 0, k, axis) if u.type.shape[-1] > k else u
        v1h = slice_in_dim(vh, 0, k, axis - 1) if vh.type.shape[-2] > k else vh
        ds, inner = singular_values_move(t, s, u1, v1h)
        back = adjoint(inner)
        apart = quotient(sub(inner, back), add(row(s), column(s)))
        together = quotient(add(inner, back), *gaps(s))
        du = vectors_move(u, u1, half(add(together, apart)), matmul(t, adjoint(v1h)), inner, s, m > k)
        dv = vectors_move(adjoint(vh), adjoint(v1h), half(sub(together, apart)), matmul(adjoint(t), u1), back, s, n > k)
        dvh = adjoint(dv)
        if subset is not None:
            s, ds, u, du = (picked(y, subset, y.type.ndim - 1) for y in (s, ds, u, du))
            vh, dvh = (picked(y, subset, axis - 1) for y in (vh, dvh))
        return [s, u, vh], [ds, du, dvh]


def singular_values_move(t, s, u, vh):
    """Tangents of singular values, and u^H t v."""
    inner = matmul(adjoint(u), matmul(t, adjoint(vh)))
    return real_part(diagonal(inner)), inner


def vectors_move(u, u1, turn, pushed, inner, s, outward):
    """Tangents of the singular vectors u, of which u1 belong to singular values: those turn among each other by `turn`, and, where
    there are further directions (`outward`), into them, as far as `pushed` = t v is not within their span. The other columns of u
    turn as little as they can."""
    du = matmul(u1, turn)
    if outward:
        out = sub(pushed, matmul(u1, inner))
        du = add(du, quotient(out, row(s)))
    k = u1.type.shape[-1]
    if u.type.shape[-1] == k:
        return du
    axis = u.type.ndim - 1
    u2 = slice_in_dim(u, k, u.type.shape[-1], axis)
    return concatenate([du, neg(matmul(u1, adjoint(matmul(adjoint(u2), du))))], axis)


# ---- functions on values --------------------------------------------------------------------------------------------

def eigh(x, lower=True, compute_vectors=True):
    """[eigenvectors, eigenvalues], or [eigenvalues]."""
    return bind(Eigh(None, lower, True, None, compute_vectors), x)


def svd(x, full_matrices=True, compute_uv=True, algorithm=None, subset_by_index=None):
    """[s, u, vh], or [s]."""
    return bind(Svd(algorithm, compute_uv, full_matrices, subset_by_index), x)
