"""Products and factors of symmetric matrices that are made from earlier ones."""
from __future__ import annotations

from gnomon.ops.arithmetic import NOT_LINEAR, add, mul
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.linalg_base import INT32, MatrixOp, Written, emit_triangle, matmul, scale_rows, swap_last, triu
from gnomon.ops.linalg_triangular import lower_half, solve_triangular
from gnomon.ops.shape import expand_dims
from gnomon.trace.stage import bind
from gnomon.types.dtype import is_complex
from gnomon.types.value_type import ArrayType


class CholeskyUpdate(MatrixOp):
    """The upper triangular R' with R'^T R' = R^T R + w w^T, for real upper triangular R (the upper triangle is read), in n
    steps of n operations."""

    ranks = (2, 1)
    transpose = NOT_LINEAR

    def core(self, r, w):
        if is_complex(r.dtype) or r.dtype != w.dtype:
            raise TypeError(f"cholesky_update takes real operands of one dtype, got {r} and {w}.")
        if r.shape[-2:] != (w.shape[-1],) * 2:
            raise TypeError(f"cholesky_update needs a square matrix and a vector of as many elements, got {r} and {w}.")
        return [(r.shape[-2:], r.dtype)]

    def lower(self, emit, r, w):
        """Rotate the vector into one row of R after the other. Rows, then columns, stand in front of the leading dimensions here."""
        t, n = r.type, r.type.shape[-1]
        if t.size == 0:
            return r
        r = emit.select(emit_triangle(emit, t.shape, False), r, emit.constant(0, t))
        lead = t.ndim - 2
        forward = [lead, lead + 1, *range(lead)]
        rows = emit("stablehlo.transpose", [r], f"dims = {forward}", t.with_shape((n, n, *t.shape[:-2])))
        vector = emit("stablehlo.transpose", [w], f"dims = {[lead, *range(lead)]}", t.with_shape((n, *t.shape[:-2])))
        counter, row_type = ArrayType((), INT32), vector.type
        one_type = t.with_shape(t.shape[:-2])

        def step(k, rows, vector):
            def combine(c, x, s, y, op):
                """c x + s y or c x - s y, c and s being one number for each problem."""
                c, s = (emit.broadcast(z, row_type.shape, tuple(range(1, lead + 1))) for z in (c, s))
                return emit.elementwise(op, [emit.elementwise("stablehlo.multiply", [c, x], row_type),
                                             emit.elementwise("stablehlo.multiply", [s, y], row_type)], row_type)
            row = emit.index_leading(rows, k)
            a, b = emit.index_leading(row, k), emit.index_leading(vector, k)
            # |(a, b)| without squaring anything large or small
            size = [emit("stablehlo.abs", [x], out=one_type) for x in (a, b)]
            large = emit.elementwise("stablehlo.maximum", size, one_type)
            one, zero = emit.constant(1, one_type), emit.constant(0, one_type)
            flat = emit.compare("EQ", large, zero)
            scale = emit.select(flat, one, large)
            u, v = (emit.elementwise("stablehlo.divide", [x, scale], one_type) for x in (a, b))
            squares = [emit.elementwise("stablehlo.multiply", [x, x], one_type) for x in (u, v)]
            norm = emit("stablehlo.sqrt", [emit.elementwise("stablehlo.add", squares, one_type)], out=one_type)
            norm = emit.select(flat, one, norm)
            c, s = (emit.elementwise("stablehlo.divide", [x, norm], one_type) for x in (u, v))
            c = emit.select(flat, one, c)
            rotated = combine(c, row, s, vector, "stablehlo.add")
            vector = combine(c, vector, s, row, "stablehlo.subtract")
            k_next = emit.elementwise("stablehlo.add", [k, emit.constant(1, counter)], counter)
            return [k_next, emit.update_leading(rows, rotated, k), vector]

        _, rows, _ = emit.while_loop([emit.constant(0, counter), rows, vector],
                                     lambda k, *_: emit.compare("LT", k, emit.constant(n, counter)), step)
        return emit("stablehlo.transpose", [rows], f"dims = {[*range(2, lead + 2), 0, 1]}", t)

    def derivative(self, args, tangents):
        r, w = args
        out = bind(self, r, w)
        moved = None
        if tangents[0] is not None:
            moved = matmul(swap_last(triu(r)), triu(tangents[0]))
        if tangents[1] is not None:
            push = scale_rows(expand_dims(tangents[1], (w.type.ndim - 1,)), w)
            moved = push if moved is None else add(moved, push)
        factor = swap_last(out)
        moved = add(moved, swap_last(moved))
        inside = solve_triangular(factor, solve_triangular(factor, moved), left=False, mode="transpose")
        return out, swap_last(matmul(factor, lower_half(inside)))


class SymmetricProduct(Written):
    """alpha A A^T + beta C, for symmetric C."""

    alpha: float
    beta: float

    ranks = (2, 2)
    transpose = NOT_LINEAR

    def core(self, a, c):
        if a.dtype != c.dtype or c.shape[-2:] != (a.shape[-2],) * 2:
            raise TypeError("symmetric_product needs a square matrix with as many rows as the first one, of its dtype, got "
                            f"{a} and {c}.")
        return [(c.shape[-2:], c.dtype)]

    def value(self, a, c):
        return [self.combined(matmul(a, swap_last(a)), c)]

    def combined(self, product, c):
        """alpha product + beta c, None standing for zero."""
        product = None if product is None or self.alpha == 0 else mul(product, full_scalar(product, self.alpha))
        c = None if c is None or self.beta == 0 else mul(c, full_scalar(c, self.beta))
        return c if product is None else product if c is None else add(product, c)

    def derivative(self, args, tangents):
        a, ta = args[0], tangents[0]
        half = None if ta is None else matmul(ta, swap_last(a))
        return bind(self, *args), self.combined(None if half is None else add(half, swap_last(half)), tangents[1])


def cholesky_update(r, w):
    return bind(CholeskyUpdate(), r, w)


def symmetric_product(a, c, alpha=1.0, beta=0.0):
    return bind(SymmetricProduct(float(alpha), float(beta)), a, c)
