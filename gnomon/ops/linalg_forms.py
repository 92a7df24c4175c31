"""Forms of matrices that unitary ones lead to: Schur's, Hessenberg's, tridiagonal."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.ops.arithmetic import NOT_LINEAR, add, div, mul, neg, square, sub
from gnomon.ops.compare import bitwise_and, eq, gt, lt, ne, select_n
from gnomon.ops.complex_parts import complex as complex_of
from gnomon.ops.complex_parts import imag, real
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import sqrt
from gnomon.ops.linalg_base import (INT32, MatrixOp, adjoint, as_dtype_of, at_or_below, attributes, diagonal, emit_identity, eye_like, half,
                                    hermitian_from_triangle, index, lapack, matmul, nan_unless, need_square, real_part, scale_columns,
                                    succeeded, swap_last, tril, triu)
from gnomon.ops.linalg_eigen import column, row
from gnomon.ops.linalg_qr import HouseholderProduct, reflections_move
from gnomon.ops.linalg_triangular import solve_triangular
from gnomon.ops.nested.scan import Scan
from gnomon.ops.shape import Iota, broadcast_in_dim, expand_dims, squeeze, transpose, zeros
from gnomon.ops.slicing import pad_in_dim, rev, slice_in_dim
from gnomon.trace.build import program
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_complex, real_dtype
from gnomon.types.value_type import ArrayType


class Schur(MatrixOp):
    """T, and unitary Z if `compute_schur_vectors`, with x = Z T Z^H and T upper triangular, for real x with blocks of two on the
    diagonal for pairs of complex eigenvalues."""

    compute_schur_vectors: bool
    select_callable: object
    sort_eig_vals: bool

    multiple = True
    transpose = NOT_LINEAR

    def core(self, x):
        need_square(self, x)
        if self.sort_eig_vals or self.select_callable is not None:
            raise Refused("schur cannot sort eigenvalues (sort_eig_vals, select_callable); leave it out and reorder the result.")
        return [(x.shape[-2:], x.dtype)] * (1 + self.compute_schur_vectors)

    def lower(self, emit, x):
        t, outs = x.type, emit.outs
        if t.size == 0:
            return [emit_identity(emit, o) for o in outs]
        info = ArrayType(t.shape[:-2], INT32)
        parts = [t.with_shape(t.shape[:-1])] * (1 if is_complex(t.dtype) else 2)
        form, z, *_, ok = lapack(emit, "gees", [x], [t, t, *parts, info, info],
                                 attributes(mode="V" if self.compute_schur_vectors else "N", sort="N"))
        ok = succeeded(emit, ok)
        return [nan_unless(emit, ok, y) for y in (form, z)[:len(outs)]]

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        form, z = bind(self.replace(compute_schur_vectors=True), x)
        inner = matmul(adjoint(z), matmul(t, z))
        if is_complex(x.type.dtype):
            below = turned_below(form, inner)
            turn = sub(below, adjoint(below))
            moved = triu(after_turn(inner, turn, form))
        else:
            turn, moved = real_turn(form, inner)
        return [form, z][:1 + self.compute_schur_vectors], [moved, matmul(z, turn)][:1 + self.compute_schur_vectors]


def after_turn(inner, turn, form):
    """How Z^H x Z moves: `inner` is Z^H dx Z, `turn` Z^H dZ, `form` Z^H x Z."""
    return add(sub(inner, matmul(turn, form)), matmul(form, turn))


def turned_below(form, inner):
    """The strictly lower triangle l with the same strictly lower triangle of l form - form l as of `inner`, for an upper triangular form
    of different diagonal elements.

    With the form's eigenvectors v, which are upper triangular, form = v w v^-1, and l -> v^-1 l v makes it an equation for each element."""
    n = form.type.shape[-1]
    values = diagonal(form)
    v = triangular_eigenvectors(form, values)
    pushed = solve_triangular(v, matmul(inner, v), lower=False, unit=True)
    apart = sub(row(values), column(values))
    steps = tril(div(pushed, select_n(at_or_below(form.type, -1), full_scalar(apart, 1), apart)), -1)
    return tril(solve_triangular(v, matmul(v, steps), left=False, lower=False, unit=True), -1) if n else form


def triangular_eigenvectors(form, values):
    """Eigenvectors of upper triangular matrices as columns of upper triangular ones with ones on the diagonal."""
    t = form.type
    n, rank = t.shape[-1], t.ndim
    # one system for each column j, along a new axis in front of the matrix: the rows and columns before j of form - w_j
    shape = (*t.shape[:-2], n, n, n)
    wide = broadcast_in_dim(form, shape, (*range(rank - 2), rank - 1, rank))
    number = [bind(Iota(INT32, (*[1] * (rank - 2 + i), n, *[1] * (2 - i)), rank - 2 + i)) for i in range(3)]
    before = bitwise_and(lt(number[1], number[0]), lt(number[2], number[0]))
    same = eq(number[1], number[2])
    shift = expand_dims(values, (rank - 1, rank))
    zero, one = full_scalar(form, 0), full_scalar(form, 1)
    systems = select_n(before, select_n(same, zero, one), sub(wide, select_n(same, zero, shift)))
    columns = expand_dims(swap_last(form), (rank,))
    right = select_n(lt(number[1], number[0]), select_n(eq(number[1], number[0]), zero, one), neg(columns))
    return swap_last(squeeze(solve_triangular(systems, right, lower=False), (rank,)))


def real_turn(form, inner):
    """(z^T dz, how the form moves) for a real Schur form, which has blocks of two for pairs of complex eigenvalues. These are turned into
    a triangular form for the part between blocks; within one, the two diagonal elements stay equal."""
    t = form.type
    n, axis = t.shape[-1], t.ndim - 2
    if n < 2:
        return mul(form, full_scalar(form, 0)), inner
    upper, lower = beside(form, True), beside(form, False)
    starts = ne(lower, full_scalar(lower, 0))
    size = sqrt(select_n(starts, full_scalar(lower, 1), neg(mul(upper, lower))))
    length = sqrt(add(square(upper), square(size)))
    cosine = select_n(starts, full_scalar(lower, 1), div(upper, length))
    sine = select_n(starts, full_scalar(lower, 0), div(size, length))
    one, zero = full_scalar(lower, 1), full_scalar(lower, 0)
    on = mul(pad_in_dim(cosine, one, 0, 1, axis), pad_in_dim(cosine, one, 1, 0, axis))
    off = add(placed(sine, True), placed(sine, False))
    unitary = complex_of(mul(eye_like(form), row(on)), off)
    def turned(x):
        return matmul(adjoint(unitary), matmul(as_dtype_of(x, unitary), unitary))
    below = real(matmul(unitary, matmul(turned_below(triu(turned(form)), turned(inner)), adjoint(unitary))))
    within = select_n(starts, zero, one)
    below = tril(mul(below, sub(full_scalar(below, 1), placed(within, False))), -1)
    turn = sub(below, swap_last(below))
    moved = after_turn(inner, turn, form)
    first, second = (slice_in_dim(diagonal(moved), k, n - 1 + k, axis) for k in (0, 1))
    spin = select_n(starts, zero, half(div(sub(second, first), select_n(starts, one, add(upper, lower)))))
    turn = add(turn, sub(placed(spin, False), placed(spin, True)))
    moved = after_turn(inner, turn, form)
    return turn, add(triu(moved), mul(tril(moved, -1), placed(within, False)))


def beside(x, above):
    """The diagonals next to the main one."""
    axis, n = x.type.ndim - 2, x.type.shape[-1]
    part = slice_in_dim(x, 1, n, axis + 1) if above else slice_in_dim(x, 1, n, axis)
    part = slice_in_dim(part, 0, n - 1, axis) if above else slice_in_dim(part, 0, n - 1, axis + 1)
    return diagonal(part)


def placed(v, above):
    """Square matrices with `v` next to the diagonal, zeros elsewhere."""
    rank = v.type.ndim
    middle = scale_columns(eye_like(expanded(v)), v)
    zero = full_scalar(v, 0)
    low, high = ((0, 1), (1, 0)) if above else ((1, 0), (0, 1))
    return pad_in_dim(pad_in_dim(middle, zero, low[0], low[1], rank - 1), zero, high[0], high[1], rank)


def expanded(v):
    """Square matrices of the size of vectors, each row one of those."""
    n = v.type.shape[-1]
    return broadcast_in_dim(v, (*v.type.shape[:-1], n, n), (*range(v.type.ndim - 1), v.type.ndim))


class Hessenberg(MatrixOp):
    """Householder reflections that make a matrix zero below its first subdiagonal: that matrix, with the reflections' vectors below,
    and their scale factors."""

    multiple = True
    transpose = NOT_LINEAR

    def core(self, x):
        need_square(self, x)
        return [(x.shape[-2:], x.dtype), ((max(x.shape[-1] - 1, 0),), x.dtype)]

    def lower(self, emit, x):
        t, (packed, taus) = x.type, emit.outs
        if taus.size == 0:
            return [x, emit.constant(0, taus)]
        config = f"high = {t.shape[-1]} : i32, low = 1 : i32"
        *found, info = lapack(emit, "gehrd", [x], [packed, taus, ArrayType(t.shape[:-2], INT32)], config)
        ok = succeeded(emit, info)
        return [nan_unless(emit, ok, y) for y in found]

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        packed, taus = bind(self, x)
        if not taus.type.size:
            return [packed, taus], [t, taus]
        moved, vectors, scales = hessenberg_moves(packed, taus, triu(packed, -1), t)
        return [packed, taus], [add(triu(moved, -1), vectors), scales]


def hessenberg_moves(packed, taus, form, t):
    """(how the form moves, how the reflections' vectors and their scale factors do) for form = q^H x q with q made of reflections that
    leave the first row alone; `t` is the tangent of x."""
    axis, n = packed.type.ndim - 2, packed.type.shape[-1]
    corner = slice_in_dim(slice_in_dim(packed, 1, n, axis), 0, n - 1, axis + 1)
    zero = full_scalar(packed, 0)

    def framed(x):
        return pad_in_dim(pad_in_dim(x, zero, 1, 0, axis), zero, 1, 0, axis + 1)
    small = bind(HouseholderProduct(), corner, taus)
    q = add(framed(small), mul(eye_like(packed), as_dtype_of(first_one(packed), packed)))
    inner = matmul(adjoint(q), matmul(t, q))
    below = turn_of_hessenberg(form, inner)
    strict = tril(below, -1)
    turn = sub(below, adjoint(strict))
    dq = slice_in_dim(slice_in_dim(matmul(q, turn), 1, n, axis), 1, n, axis + 1)
    vectors, scales = reflections_move(corner, small, dq)
    vectors = pad_in_dim(pad_in_dim(vectors, zero, 1, 0, axis), zero, 0, 1, axis + 1)
    return after_turn(inner, turn, form), vectors, scales


def first_one(x):
    """1 in the first column, 0 elsewhere, as a row."""
    number = index(x.type, -1, -1)
    zero = full_scalar(real_part(x), 0)
    return select_n(eq(number, full_scalar(number, 0)), zero, full_scalar(zero, 1))


def turn_of_hessenberg(form, inner):
    """The lower triangle of the skew-Hermitian turn q^H dq that keeps a matrix zero below its first subdiagonal, and that real: one
    column after the other, each from those before."""
    t = form.type
    n, rank = t.shape[-1], t.ndim

    def step(form, inner, below, column, pushed, j):
        """Columns j of the form and of `inner` give column j + 1 of `below`."""
        after = add(j, full_scalar(j, 1))
        own = matmul(below, unit_column(below, j))
        new = sub(add(pushed, matmul(form, own)), matmul(below, column))
        pivot = matmul(swap_last(unit_column(below, after)), column)
        new, rows = div(new, pivot), index(new.type, -2, -2)
        spin = complex_of(full_scalar(imag(new), 0), imag(new)) if is_complex(t.dtype) else full_scalar(new, 0)
        rows = broadcast_in_dim(rows, new.type.shape, tuple(range(rank)))
        new = select_n(gt(rows, after), select_n(eq(rows, after), full_scalar(new, 0), spin), new)
        return add(below, matmul(new, swap_last(unit_column(below, after))))

    def body(form, inner, below, column, pushed, j):
        return [step(form, inner, below, expand_dims(column, (rank - 1,)), expand_dims(pushed, (rank - 1,)), j)]
    columns, pushes = (transpose(x, (rank - 1, *range(rank - 1))) for x in (form, inner))
    columns, pushes = (slice_in_dim(x, 0, n - 1, 0) for x in (columns, pushes))
    numbers = bind(Iota(INT32, (n - 1,), 0))
    types = [form.type, inner.type, form.type.strong, *[x.type.with_shape(x.type.shape[1:]) for x in (columns, pushes, numbers)]]
    start = zeros(form.type)
    return bind(Scan(program(types, body), n - 1, 2, 1), form, inner, start, columns, pushes, numbers)[0]


def unit_column(x, j):
    """Column vectors, as matrices of one column, that are 1 in row j."""
    t = x.type
    rows = index(t, -2, -2)
    found = select_n(eq(rows, j), full_scalar(x, 0), full_scalar(x, 1))
    return broadcast_in_dim(found, (*t.shape[:-1], 1), tuple(range(t.ndim)))


class Tridiagonal(MatrixOp):
    """Householder reflections that make a Hermitian matrix, of which one triangle is read, tridiagonal: the reflections' vectors, the
    diagonal, the diagonal beside it, and the scale factors."""

    lower_: bool

    multiple = True
    transpose = NOT_LINEAR

    def core(self, x):
        need_square(self, x)
        n, part = x.shape[-1], real_dtype(x.dtype)
        return [(x.shape[-2:], x.dtype), ((n,), part), ((max(n - 1, 0),), part), ((max(n - 1, 0),), x.dtype)]

    def lower(self, emit, x):
        outs = emit.outs
        if x.type.size == 0:
            return [x, *[emit.constant(0, o) for o in outs[1:]]]
        name = "hetrd" if is_complex(x.type.dtype) else "sytrd"
        *found, info = lapack(emit, name, [x], [*outs, ArrayType(x.type.shape[:-2], INT32)],
                              attributes(uplo="L" if self.lower_ else "U"))
        ok = succeeded(emit, info)
        return [nan_unless(emit, ok, y) for y in found]

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        outs = packed, d, e, taus = bind(self, x)
        if not e.type.size:
            return list(outs), [t, diagonal(real_part(t)), e, taus]
        unread, t = t, hermitian_from_triangle(t, self.lower_)       # the other triangle stays as it is
        last = packed.type.ndim - 1
        both, one = (last - 1, last), (last - 1,)
        if not self.lower_:         # the same from the other end
            packed, unread, t = (rev(y, both) for y in (packed, unread, t))
            d, e, taus = (rev(y, one) for y in (d, e, taus))
        form = as_dtype_of(add(mul(eye_like(real_part(packed)), row(d)), add(placed(e, True), placed(e, False))), packed)
        moved, vectors, scales = hessenberg_moves(packed, taus, form, t)
        moved = real_part(moved)
        d, e = diagonal(moved), beside(moved, False)
        kept = as_dtype_of(add(mul(eye_like(moved), row(d)), placed(e, False)), packed)
        packed = add(add(kept, vectors), triu(unread, 1))
        if not self.lower_:
            packed, d, e, scales = rev(packed, both), rev(d, one), rev(e, one), rev(scales, one)
        return list(outs), [packed, d, e, scales]
