"""QR factors and the Householder reflections that they are made of."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.ir.op import is_linear
from gnomon.ops.arithmetic import NOT_LINEAR, add, neg, sub
from gnomon.ops.complex_parts import complex as complex_of, imag
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.linalg_base import (INT32, MatrixOp, adjoint, conjugate, diagonal, emit_identity, emit_triangle, eye_like, lapack, matmul,
                                    on_diagonal, scale_rows, take_columns, tril, triu)
from gnomon.ops.linalg_lu import padded, solve
from gnomon.ops.linalg_triangular import solve_triangular
from gnomon.ops.shape import zeros
from gnomon.ops.slicing import concatenate, pad_in_dim, slice_in_dim
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_complex
from gnomon.types.value_type import ArrayType

class Geqrf(MatrixOp):
    """Householder reflections that make a matrix upper triangular: R on and above the diagonal, the reflections' vectors below it, and
    their scale factors."""

    multiple = True
    transpose = NOT_LINEAR

    def core(self, x):
        return [(x.shape[-2:], x.dtype), ((min(x.shape[-2:]),), x.dtype)]

    def lower(self, emit, x):
        return reflections(emit, x, *emit.outs)

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        packed, taus = bind(self, x)
        return [packed, taus], factors_move(x, t, packed)


def reflections(emit, x, packed, taus):
    if x.type.size == 0:
        return [x, emit.constant(0, taus)]
    return lapack(emit, "geqrf", [x], [packed, taus], batch=packed.ndim - 2)


class Geqp3(MatrixOp):
    """Like geqrf, with the columns exchanged so that the diagonal of R falls in size. `jpvt` asks, where not 0, that a column come
    first; the second result says from which column, counted from 1, each came."""

    use_magma: object

    ranks = (2, 1)
    multiple = True
    transpose = NOT_LINEAR

    def core(self, x, jpvt):
        return [(x.shape[-2:], x.dtype), (jpvt.shape[-1:], INT32), ((min(x.shape[-2:]),), x.dtype)]

    def lower(self, emit, x, jpvt):
        return reflections_and_exchanges(emit, x, jpvt, *emit.outs)

    def derivative(self, args, tangents):
        (x, jpvt), (t, _) = args, tangents
        packed, exchanges, taus = bind(self, x, jpvt)
        order = sub(exchanges, full_scalar(exchanges, 1))
        moved, scales = factors_move(take_columns(x, order), take_columns(t, order), packed)
        return [packed, exchanges, taus], [moved, None, scales]


def reflections_and_exchanges(emit, x, jpvt, packed, exchanges, taus):
    if x.type.size == 0:
        counted = emit("stablehlo.iota", [], f"dim = {exchanges.ndim - 1}", exchanges)
        counted = emit.elementwise("stablehlo.add", [counted, emit.constant(1, exchanges)], exchanges)
        return [x, counted, emit.constant(0, taus)]
    return lapack(emit, "geqp3", [x, jpvt], [packed, exchanges, taus], batch=packed.ndim - 2)


class HouseholderProduct(MatrixOp):
    """The first columns of the unitary matrix that is the product of Householder reflections: `a` holds their vectors below the
    diagonal, `taus` their scale factors."""

    ranks = (2, 1)
    transpose = NOT_LINEAR

    def core(self, a, taus):
        m, n = a.shape[-2:]
        if m < n or taus.shape[-1] > n:
            raise TypeError("householder_product needs at least as many rows as columns, and no more scale factors than columns, got "
                            f"{a} and {taus}.")
        return [((m, n), a.dtype)]

    def lower(self, emit, a, taus):
        return unitary(emit, a, taus)

    def derivative(self, args, tangents):
        a, taus = args
        out, product = bind(self, a, taus), Reflections(a, taus, *tangents)
        return out, product.moved(eye_like(out), False)


def unitary(emit, a, taus):
    t = a.type
    if t.size == 0 or taus.type.size == 0:
        return emit_identity(emit, t)
    name = "ungqr" if is_complex(t.dtype) else "orgqr"
    return lapack(emit, name, [a, taus], [t], batch=t.ndim - 2)[0]


class Ormqr(MatrixOp):
    """`c` multiplied by the unitary matrix whose Householder reflections `a` and `taus` hold, or by its adjoint; from the left or from
    the right."""

    left: bool
    transpose_: bool

    ranks = (2, 1, 2)

    def core(self, a, taus, c):
        k, size = taus.shape[-1], c.shape[-2 if self.left else -1]
        if a.shape[-2] != size or a.shape[-1] != k:
            raise TypeError(f"ormqr needs reflections of {size} elements, as many as there are scale factors, got {a}, {taus} and {c}.")
        return [(c.shape[-2:], c.dtype)]

    def lower(self, emit, a, taus, c):
        if c.type.size == 0 or taus.type.size == 0:
            return c
        name = "unmqr" if is_complex(c.type.dtype) else "ormqr"
        config = f"left = {str(self.left).lower()}, transpose = {str(self.transpose_).lower()}"
        return lapack(emit, name, [a, taus, c], [c.type], config, batch=c.type.ndim - 2)[0]

    def derivative(self, args, tangents):
        a, taus, c = args
        out = bind(self, a, taus, c)
        moved = None if tangents[2] is None else bind(self, a, taus, tangents[2])
        if tangents[0] is not None or tangents[1] is not None:
            product = Reflections(a, taus, *tangents[:2])
            term = product.moved(c, self.transpose_) if self.left else adjoint(product.moved(adjoint(c), not self.transpose_))
            moved = term if moved is None else add(moved, term)
        return out, moved

    def transpose(self, ct, a, taus, c):
        if is_linear(a) or is_linear(taus):
            raise Refused("ormqr is not linear in the reflections")
        # <ct, Q c> = <Q^T ct, c>, and Q^T is the adjoint of the conjugate of Q
        flipped = self.replace(transpose_=not self.transpose_)
        return None, None, conjugate(bind(flipped, a, taus, conjugate(ct)))


class Qr(MatrixOp):
    """q r = x with unitary q and upper triangular r (with the columns of x exchanged, `pivoting`). Without `full_matrices` only the
    columns of q that meet rows of r within x."""

    full_matrices: bool
    pivoting: bool
    use_magma: object

    multiple = True
    transpose = NOT_LINEAR

    def core(self, x):
        m, n = x.shape[-2:]
        k = m if self.full_matrices else min(m, n)
        return [((m, k), x.dtype), ((k, n), x.dtype)] + ([((n,), INT32)] if self.pivoting else [])

    def lower(self, emit, x):
        q, r = emit.outs[:2]
        lead, (m, n), k = q.shape[:-2], x.type.shape[-2:], q.shape[-1]
        taus = ArrayType((*lead, min(m, n)), q.dtype)
        exchanges = []
        if self.pivoting:
            t = emit.outs[2]
            packed, found, taus = reflections_and_exchanges(emit, x, emit.constant(0, t), x.type, t, taus)
            exchanges = [emit.elementwise("stablehlo.subtract", [found, emit.constant(1, t)], t)]
        else:
            packed, taus = reflections(emit, x, x.type, taus)
        wide = resized_columns(emit, packed, k)
        rows = emit.slice(packed, [0] * packed.type.ndim, r.shape, [1] * packed.type.ndim, r)
        return [unitary(emit, wide, taus), emit.select(emit_triangle(emit, r.shape, False), rows, emit.constant(0, r)), *exchanges]

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        q, r, *exchanges = bind(self, x)
        if exchanges:
            x, t = take_columns(x, exchanges[0]), take_columns(t, exchanges[0])
        m, n = x.type.shape[-2:]
        k, axis = min(m, n), x.type.ndim - 1
        first = slice_in_dim(q, 0, k, axis) if q.type.shape[-1] > k else q
        corner = padded(r, k, k)
        moved = solve_triangular(corner, padded(t, m, k), left=False, lower=False)
        inside = matmul(adjoint(first), moved)
        turn = skew(inside)
        dq = add(sub(moved, matmul(first, inside)), matmul(first, turn)) if m > k else matmul(first, turn)
        dr = matmul(sub(inside, turn), corner)
        if n > k:
            dr = add(matmul(adjoint(dq), x), matmul(adjoint(first), t))
        elif r.type.shape[-2] > k:
            dr = padded(dr, m, n)
        if q.type.shape[-1] > k:
            dq = concatenate([dq, moved_complement(first, dq)], axis)
        return [q, r, *exchanges], [dq, dr, *[None] * len(exchanges)]


class Reflections:
    """The product of Householder reflections as 1 - v g v^H, with v the reflections' vectors, and how it moves: dv, dg.

    g^-1 is upper triangular, with the inverses of the scale factors on the diagonal and what v^H v has above it."""

    def __init__(self, a, taus, da, dtaus):
        count = taus.type.shape[-1]
        self.v = tril(padded(a, a.type.shape[-2], count), -1)
        self.v = add(self.v, eye_like(self.v))
        self.dv = zeros(self.v.type) if da is None else tril(padded(da, a.type.shape[-2], count), -1)
        cross = triu(matmul(adjoint(self.v), self.v), 1)
        moved = triu(add(matmul(adjoint(self.dv), self.v), matmul(adjoint(self.v), self.dv)), 1)
        system = scale_rows(cross, taus)
        system = add(system, eye_like(system))
        self.g = solve_triangular(system, scale_rows(eye_like(system), taus), lower=False)
        right = neg(scale_rows(matmul(moved, self.g), taus))
        if dtaus is not None:
            right = add(right, scale_rows(sub(eye_like(system), matmul(cross, self.g)), dtaus))
        self.dg = solve_triangular(system, right, lower=False)

    def moved(self, c, adjoined):
        """The product's tangent, or that of its adjoint, times c."""
        g, dg = (adjoint(self.g), adjoint(self.dg)) if adjoined else (self.g, self.dg)
        inside = matmul(adjoint(self.v), c)
        outer = matmul(self.v, add(matmul(dg, inside), matmul(g, matmul(adjoint(self.dv), c))))
        return neg(add(matmul(self.dv, matmul(g, inside)), outer))


def factors_move(x, t, packed):
    """How the reflections that make x upper triangular move, and their scale factors, for a tangent t of x."""
    m, n = x.type.shape[-2:]
    k = min(m, n)
    (q, _), (dq, dr) = Qr(False, False, None).derivative((x,), (t,))
    vectors, scales = reflections_move(padded(packed, m, k), q, dq)
    return [add(triu(padded(dr, m, n)), padded(vectors, m, n)), scales]


def reflections_move(packed, q, dq):
    """(tangents of the vectors below the diagonal of `packed`, tangents of the scale factors) of reflections with the product q.

    e - q, e the first columns of the identity, is the product of the vectors and an upper triangle with the scale factors on its
    diagonal: an LU decomposition. The last of real reflections has one element and is none: it does not move."""
    m, k = q.type.shape[-2:]
    count = k if is_complex(q.type.dtype) else min(m - 1, k)
    axis = q.type.ndim - 1
    if not count:
        return zeros(q.type), zeros(q.type.with_shape((*q.type.shape[:-2], k)))
    v = tril(padded(packed, m, count), -1)
    v = add(v, eye_like(v))
    w, dw = padded(sub(eye_like(q), q), m, count), neg(padded(dq, m, count))
    top = padded(v, count, count)
    upper = solve_triangular(top, padded(w, count, count), unit=True)
    inside = solve_triangular(upper, solve_triangular(top, padded(dw, count, count), unit=True), left=False, lower=False)
    moved = matmul(top, tril(inside, -1))
    if m > count:
        rest, d_rest = (slice_in_dim(y, count, m, axis - 1) for y in (v, dw))
        pushed = solve_triangular(upper, d_rest, left=False, lower=False)
        moved = concatenate([moved, sub(pushed, matmul(rest, triu(inside)))], axis - 1)
    scales = diagonal(matmul(triu(inside), upper))
    return padded(moved, m, k), pad_in_dim(scales, full_scalar(scales, 0), 0, k - count, axis - 1)


def skew(x):
    """The skew-Hermitian matrix with the strictly lower triangle of x and the imaginary part of its diagonal."""
    below = tril(x, -1)
    out = sub(below, adjoint(below))
    if not is_complex(x.type.dtype):
        return out
    turned = complex_of(full_scalar(imag(x), 0), imag(x))
    return add(out, on_diagonal(x, turned, full_scalar(x, 0)))


def moved_complement(q, dq):
    """How the columns behind the first k of a unitary matrix made of k reflections move with those first columns.

    With w = e - q, e the first columns of the identity, the columns behind are f - w (b a^-1)^H, where f are the columns behind of
    the identity and a, b are the upper and lower part of w."""
    m, k = q.type.shape[-2:]
    axis = q.type.ndim - 2
    w, dw = sub(eye_like(q), q), neg(dq)
    upper, lower = slice_in_dim(w, 0, k, axis), slice_in_dim(w, k, m, axis)
    d_upper, d_lower = slice_in_dim(dw, 0, k, axis), slice_in_dim(dw, k, m, axis)
    ratio = solve(upper, lower, left=False)
    d_ratio = solve(upper, sub(d_lower, matmul(ratio, d_upper)), left=False)
    return neg(add(matmul(dw, adjoint(ratio)), matmul(w, adjoint(d_ratio))))


def resized_columns(emit, x, columns):
    """Matrices with so many columns: the first ones, or zeros behind them."""
    t = x.type
    *lead, m, n = t.shape
    out = t.with_shape((*lead, m, columns))
    if n > columns:
        return emit.slice(x, [0] * t.ndim, out.shape, [1] * t.ndim, out)
    if n == columns:
        return x
    zeros = ", ".join(["0"] * t.ndim)
    high = ", ".join(["0"] * (t.ndim - 1) + [str(columns - n)])
    filler = emit.constant(0, ArrayType((), t.dtype))
    return emit("stablehlo.pad", [x, filler], f"low = [{zeros}], high = [{high}], interior = [{zeros}]", out)


def geqrf(x):
    return bind(Geqrf(), x)


def householder_product(a, taus):
    return bind(HouseholderProduct(), a, taus)


def qr(x, full_matrices=True, pivoting=False):
    """(q, r), or (q, r, the column of x that each column of r belongs to)."""
    return bind(Qr(full_matrices, pivoting, None), x)
