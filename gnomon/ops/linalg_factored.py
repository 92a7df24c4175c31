"""Solutions of linear systems and determinants: functions of a matrix, computed from factors of it that are known already.

Their derivatives go through the matrix alone, and the factors count as constants. So a system is differentiated by solving another one
with the same factors, and a determinant by its adjugate, which exists for singular matrices too.
"""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.ir.op import is_linear
from gnomon.ops import linalg_small
from gnomon.ops.arithmetic import NOT_LINEAR, absolute, add, div, mul, neg, sign, sub
from gnomon.ops.compare import bitwise_and, bitwise_or, eq, gt, lt, ne, select_n
from gnomon.ops.complex_parts import complex as complex_of, conj, imag
from gnomon.ops.convert import convert_element_type
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import log
from gnomon.ops.linalg_base import (INT32, MatrixOp, Written, adjoint, as_dtype_of, diagonal, index, matmul, need_square,
                                    on_diagonal, real_part, scale_rows, swap_last, take_rows, triu)
from gnomon.ops.linalg_eigen import quotient, svd
from gnomon.ops.linalg_lu import inverse_permutation, lu
from gnomon.ops.linalg_qr import Geqp3, householder_product
from gnomon.ops.linalg_triangular import TriangularSolve, solve_triangular
from gnomon.ops.reductions import reduce_prod
from gnomon.ops.shape import StopGradient, expand_dims, full, reduce_sum, reshape
from gnomon.ops.slicing import concatenate, slice_in_dim
from gnomon.trace.build import program
from gnomon.trace.stage import bind
from gnomon.types.dtype import finfo, is_complex, real_dtype
from gnomon.types.value_type import ArrayType


class LuSolve(MatrixOp):
    """The x with a x = b (a^T x = b, `transposed`), from the packed LU factors of a and their permutation."""

    transposed: bool

    ranks = (2, 2, 1, 2)

    def core(self, a, packed, permutation, b):
        need_square(self, a)
        if a.dtype != b.dtype or a.shape[-1] != b.shape[-2]:
            raise TypeError(f"a linear system needs a matrix and right sides of one dtype and as many rows, got {a} and {b}.")
        return [(b.shape[-2:], b.dtype)]

    def lower(self, emit, a, packed, permutation, b):
        """Both factors stay column by column, as LAPACK wrote them."""
        def rows(x, numbers):
            return emit.eqns(program([x.type, numbers.type], lambda x, n: [take_rows(x, n)]), [x, numbers])[0]
        unit, full_ = (TriangularSolve(False, True, low, self.transposed, low) for low in (True, False))
        if b.type.shape[-1] == 1 and not self.transposed and linalg_small.is_small(emit, a.type, b.type):
            return linalg_small.solve_factored(emit, packed, permutation, b)
        if not self.transposed:
            return full_.by_columns(emit, packed, unit.by_columns(emit, packed, rows(b, permutation)))
        inside = unit.by_columns(emit, packed, full_.by_columns(emit, packed, b))
        back = emit.eqns(program([permutation.type], lambda p: [inverse_permutation(p)]), [permutation])[0]
        return rows(inside, back)

    def derivative(self, args, tangents):
        a, packed, permutation, b = args
        ta, tb = tangents[0], tangents[3]
        x = bind(self, a, packed, permutation, b)
        push = tb
        if ta is not None:
            moved = matmul(swap_last(ta) if self.transposed else ta, x)
            push = neg(moved) if tb is None else sub(tb, moved)
        return x, None if push is None else bind(self, a, packed, permutation, push)

    def transpose(self, ct, a, packed, permutation, b):
        if is_linear(a):
            raise Refused("the solution of a linear system is not linear in the matrix, so it can only be differentiated forward first "
                          "(grad and vjp do that)")
        return None, None, None, bind(LuSolve(not self.transposed), a, packed, permutation, ct)

    def batch(self, args, axes, batching):
        *given, b = args
        if any(a is not None for a in axes[:3]) or b.type.ndim != 3:
            return super().batch(args, axes, batching)
        # one matrix for all: the columns of every b stand side by side
        b = batching.move(b, axes[3], 1)
        n, size, columns = b.type.shape
        return reshape(bind(self, *given, reshape(b, (n, size * columns))), (n, size, columns)), 1


class LogDeterminant(Written):
    """The sign (of complex matrices the phase) of the determinant and the logarithm of its modulus, from the packed LU factors, their
    permutation and the row exchanges. 0 and -inf for singular matrices."""

    ranks = (2, 2, 1, 1)
    multiple = True
    transpose = NOT_LINEAR

    def core(self, a, packed, permutation, pivots):
        need_square(self, a)
        return [((), a.dtype), ((), real_dtype(a.dtype))]

    def value(self, a, packed, permutation, pivots):
        d = diagonal(packed)
        last = (d.type.ndim - 1,)
        return [signed(reduce_prod(sign(d), last), exchanged(pivots)), reduce_sum(log(absolute(d)), last)]

    def derivative(self, args, tangents):
        outs, t = bind(self, *args), tangents[0]
        if t is None:
            return outs, [None, None]
        a, packed, permutation, _ = args
        inner = trace(bind(LuSolve(False), a, packed, permutation, t))
        turn = None
        if is_complex(inner.type.dtype):
            turn = mul(outs[0], complex_of(full_scalar(imag(inner), 0), imag(inner)))
        return outs, [turn, real_part(inner)]


class Determinant(Written):
    """The determinant, from the packed LU factors and the row exchanges."""

    ranks = (2, 2, 1)
    transpose = NOT_LINEAR

    def core(self, a, packed, pivots):
        need_square(self, a)
        return [((), a.dtype)]

    def value(self, a, packed, pivots):
        d = diagonal(packed)
        return [signed(reduce_prod(d, (d.type.ndim - 1,)), exchanged(pivots))]

    def derivative(self, args, tangents):
        out, t = bind(self, *args), tangents[0]
        return out, None if t is None else trace(matmul(adjugate(args[0]), t))


class Adjugate(Written):
    """The matrix of cofactors, transposed: det(x) times the inverse of x where x has one. Its derivative holds for every matrix, further
    ones are NaN for singular matrices."""

    transpose = NOT_LINEAR

    def core(self, x):
        need_square(self, x)
        return [(x.shape[-2:], x.dtype)]

    def value(self, x):
        """From x = q r p^T, where p moves what rank x lacks to the last rows of r: only the last diagonal element of r is divided by."""
        t, n = x.type, x.type.shape[-1]
        if n < 2:
            return [full(t, 1)]
        packed, exchanges, taus = bind(Geqp3(None), x, full(ArrayType(t.shape[:-1], INT32), 0))
        row, last = t.ndim - 2, t.ndim - 1
        head = slice_in_dim(triu(packed), 0, n - 1, row)
        corner, edge = slice_in_dim(head, 0, n - 1, last), slice_in_dim(head, n - 1, n, last)
        end = slice_in_dim(slice_in_dim(packed, n - 1, n, row), n - 1, n, last)
        pivots = diagonal(corner)
        zero = eq(pivots, full_scalar(pivots, 0))
        filled = scale_rows(eye(corner), select_n(zero, full_scalar(pivots, 0), full_scalar(pivots, 1)))
        q = adjoint(householder_product(packed, taus))
        top, bottom = slice_in_dim(q, 0, n - 1, row), slice_in_dim(q, n - 1, n, row)
        upper = solve_triangular(add(corner, filled), sub(mul(end, top), matmul(edge, bottom)), lower=False)
        factor = mul(reduce_prod(pivots, (pivots.type.ndim - 1,)), determinant_of_reflections(taus))
        places = sub(exchanges, full_scalar(exchanges, 1))
        factor = signed(factor, odd(places))
        rows = mul(concatenate([upper, bottom], row), expand_dims(factor, (row, last)))
        return [take_rows(rows, inverse_permutation(places))]

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        out = bind(self, x)
        if x.type.shape[-1] < 2:
            return out, None
        s, u, vh = svd(x)
        last = s.type.ndim - 1
        largest, smallest = (slice_in_dim(s, i, i + 1, last) for i in (0, s.type.shape[-1] - 1))
        limit = mul(largest, full_scalar(s, float(finfo(s.type.dtype).eps) ** 0.5))
        regular = expand_dims(gt(smallest, limit), (last,))
        det = expand_dims(determinant(x), (last, last + 1))
        moved = matmul(out, t)
        turned = sub(mul(out, expand_dims(trace(moved), (last, last + 1))), matmul(moved, out))
        turned = div(turned, select_n(regular, full_scalar(det, 1), det))
        return out, select_n(regular, bind(_singular, s, u, vh, select_n(regular, t, full_scalar(t, 0))), turned)


class SingularAdjugateMoves(Written):
    """The tangent t of a matrix with singular values and vectors (s, u, vh) -> the tangent of its adjugate, singular or not."""

    ranks = (1, 2, 2, 2)

    def core(self, s, u, vh, t):
        return [(t.shape[-2:], t.dtype)]

    def value(self, s, u, vh, t):
        n = t.type.ndim
        inner = matmul(adjoint(u), matmul(t, adjoint(vh)))
        pairs = as_dtype_of(products_without_two(s), t)
        along = reduce_sum(mul(pairs, expand_dims(diagonal(inner), (n - 1,))), (n - 2,))
        core = sub(scale_rows(eye(t), along), mul(pairs, inner))
        turned = matmul(adjoint(vh), matmul(core, adjoint(u)))
        phase = mul(determinant(u), determinant(vh))
        return [mul(turned, expand_dims(phase, (n - 2, n - 1)))]

    def derivative(self, args, tangents):
        """Linear in t. In the matrix it has a derivative too, which is not known here where singular values are equal: NaN says so."""
        out = bind(self, *args)
        if any(x is not None for x in tangents[:3]):
            return out, full(out.type, float("nan"))
        return out, bind(self, *args[:3], tangents[3])

    def transpose(self, ct, s, u, vh, t):
        # <ct, dadj(t)> is symmetric in ct and t but for an order of factors: dadj is a polynomial's second derivative
        return None, None, None, swap_last(bind(self, s, u, vh, swap_last(ct)))


class PseudoInverse(MatrixOp):
    """The pseudo-inverse p of a, given as an operand; what this op adds is how it moves with a, whose rank stays as it is."""

    ranks = (2, 2)
    name = "pinv"
    transpose = NOT_LINEAR

    def core(self, a, p):
        if a.dtype != p.dtype or a.shape[-2:] != p.shape[-2:][::-1]:
            raise TypeError(f"pinv needs a pseudo-inverse of the transposed shape, got {a} and {p}.")
        return [(p.shape[-2:], p.dtype)]

    def lower(self, emit, a, p):
        return p

    def derivative(self, args, tangents):
        a, t = args[0], tangents[0]
        p = bind(self, *args)
        if t is None:
            return p, None
        back = adjoint(t)
        inside = matmul(matmul(p, t), p)
        rows = matmul(p, matmul(adjoint(p), sub(back, matmul(back, matmul(a, p)))))
        columns = matmul(sub(back, matmul(p, matmul(a, back))), matmul(adjoint(p), p))
        return p, add(sub(rows, inside), columns)


def products_without_two(s):
    """p[i, j], the product of all elements of s (in descending order) but the i-th and the j-th; 0 where i = j."""
    t, n = s.type, s.type.shape[-1]
    axis = t.ndim - 1
    large = slice_in_dim(s, 0, n - 2, axis)
    two = t.update(shape=(*t.shape[:-1], 2), sharding=t.sharding)
    inverse = concatenate([quotient(full(large.type, 1), large), full(two, 1)], axis)
    both = mul(expand_dims(inverse, (axis + 1,)), expand_dims(inverse, (axis,)))
    rows, columns = index(both.type, -2, -2), index(both.type, -1, -1)
    for i in (n - 2, n - 1):
        used = bitwise_or(eq(rows, full_scalar(rows, i)), eq(columns, full_scalar(columns, i)))
        one = slice_in_dim(s, i, i + 1, axis)
        both = mul(both, select_n(used, expand_dims(one, (axis,)), full_scalar(one, 1)))
    both = mul(both, expand_dims(reduce_prod(large, (axis,)), (axis, axis + 1)))
    return select_n(eq(rows, columns), both, full_scalar(both, 0))


def eye(x):
    """Identity matrices of the type of x, with size 1 in the leading dimensions."""
    return on_diagonal(x, full_scalar(x, 1), full_scalar(x, 0))


def determinant_of_reflections(taus):
    """The determinant of a product of Householder reflections, from their scale factors."""
    one, zero = full_scalar(taus, 1), full_scalar(taus, 0)
    idle = eq(taus, zero)
    if is_complex(taus.type.dtype):
        each = neg(div(taus, conj(select_n(idle, taus, one))))
        each = select_n(idle, each, one)
    else:
        each = select_n(idle, full_scalar(taus, -1), one)
    return reduce_prod(each, (taus.type.ndim - 1,))


def exchanged(pivots):
    """Whether an odd number of rows was exchanged with another."""
    moved = ne(pivots, index_of(pivots))
    count = reduce_sum(convert_element_type(moved, INT32), (pivots.type.ndim - 1,))
    return eq(bitwise_and(count, full_scalar(count, 1)), full_scalar(count, 1))


def odd(permutation):
    """Whether a permutation is odd."""
    n = permutation.type.ndim
    first, second = expand_dims(permutation, (n,)), expand_dims(permutation, (n - 1,))
    wide = permutation.type.with_shape((*permutation.type.shape, permutation.type.shape[-1]))
    falls = bitwise_and(gt(first, second), lt(index(wide, -2, -2), index(wide, -1, -1)))
    count = reduce_sum(convert_element_type(falls, INT32), (n - 1, n))
    return eq(bitwise_and(count, full_scalar(count, 1)), full_scalar(count, 1))


def index_of(v):
    """0, 1, ... along the last dimension, with size 1 in the others."""
    return index(v.type, -1, -1)


def signed(x, negative):
    return select_n(negative, x, neg(x))


def trace(x):
    return reduce_sum(diagonal(x), (x.type.ndim - 2,))


# ---- functions on values --------------------------------------------------------------------------------------------

_stop_gradient, _adjugate, _singular = StopGradient(), Adjugate(), SingularAdjugateMoves()
_determinant, _log_determinant = Determinant(), LogDeterminant()


def factored(a):
    """(packed, pivots, permutation) of a matrix, as constants."""
    return lu(bind(_stop_gradient, a))


def solve(a, b, factors=None, transposed=False):
    """The x with a x = b, or a^T x = b."""
    packed, _, permutation = factors or factored(a)
    return bind(LuSolve(transposed), a, packed, permutation, b)


def determinant(a):
    packed, pivots, _ = factored(a)
    return bind(_determinant, a, packed, pivots)


def log_determinant(a):
    """[sign, logarithm of the modulus]."""
    packed, pivots, permutation = factored(a)
    return bind(_log_determinant, a, packed, permutation, pivots)


def pseudo_inverse(a, p):
    """`p`, the pseudo-inverse of `a`, as a function of it."""
    return bind(PseudoInverse(), a, bind(_stop_gradient, p))


def adjugate(a):
    return bind(_adjugate, a)
