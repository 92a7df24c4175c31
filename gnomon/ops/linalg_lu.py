"""LU factors with row exchanges."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.ir.op import ZERO
from gnomon.ops import linalg_small
from gnomon.ops.arithmetic import NOT_LINEAR, add
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.linalg_base import INT32, MatrixOp, eye_like, lapack, matmul, swap_last, take_rows, tril, triu
from gnomon.ops.linalg_triangular import solve_triangular
from gnomon.ops.slicing import pad, slice_in_dim
from gnomon.ops.sorting import argsort
from gnomon.trace.stage import bind
from gnomon.types.value_type import ArrayType

EXCHANGES_AT_ONCE = 32      # row exchanges in one step of the loop that turns them into a permutation
FEW_EXCHANGES = 8           # done without a loop


class Lu(MatrixOp):
    """x[permutation] = L U: both factors in one matrix (L below the diagonal, its ones left out), the row that each row was exchanged
    with, and the permutation that the exchanges make."""

    multiple = True
    transpose = NOT_LINEAR

    def core(self, x):
        m, n = x.shape[-2:]
        return [((m, n), x.dtype), ((min(m, n),), INT32), ((m,), INT32)]

    def lower(self, emit, x):
        factors, pivots, permutation = emit.outs
        if x.type.size == 0:
            return [x, emit.constant(0, pivots), emit("stablehlo.iota", [], f"dim = {permutation.ndim - 1}", permutation)]
        if linalg_small.is_small(emit, x.type):
            packed, found, order = linalg_small.lu(emit, x)
            return [linalg_small.from_rows(rows, t) for rows, t in zip((packed, found, order), emit.outs)]
        packed, found, _ = lapack(emit, "getrf", [x], [factors, pivots, ArrayType(factors.shape[:-2], INT32)])
        found = emit.elementwise("stablehlo.subtract", [found, emit.constant(1, pivots)], pivots)
        return [packed, found, permutation_of(emit, found, permutation)]

    def derivative(self, args, tangents):
        (x,), (t,) = args, tangents
        packed, pivots, permutation = bind(self, x)
        m, n = x.type.shape[-2:]
        moved = take_rows(t, permutation)
        # square factors, with an identity where one of them is missing rows or columns
        lower, upper = padded(tril(packed, -1), m, m), padded(triu(packed), n, n)
        lower = add(lower, eye_like(lower))
        if m < n:
            upper = add(upper, from_place(upper, m))
        inside = solve_triangular(upper, solve_triangular(lower, moved, unit=True), left=False, lower=False)
        return [packed, pivots, permutation], [add(matmul(lower, tril(inside, -1)), matmul(triu(inside), upper)), None, None]


def padded(x, rows, columns):
    """The first `columns` columns and `rows` rows of matrices, zeros where they have fewer."""
    lead = x.type.ndim - 2
    for axis, size in ((lead, rows), (lead + 1, columns)):
        if x.type.shape[axis] > size:
            x = slice_in_dim(x, 0, size, axis)
    m, n = x.type.shape[-2:]
    if (m, n) == (rows, columns):
        return x
    return pad(x, full_scalar(x, 0), ((0, 0, 0),) * lead + ((0, rows - m, 0), (0, columns - n, 0)))


def from_place(x, first):
    """Ones on the diagonal of square matrices from a place on, zeros elsewhere."""
    n, lead = x.type.shape[-1], x.type.ndim - 2
    corner = slice_in_dim(slice_in_dim(x, first, n, lead), first, n, lead + 1)
    return pad(eye_like(corner), full_scalar(x, 0), ((0, 0, 0),) * lead + ((first, 0, 0),) * 2)


class LuPivotsToPermutation(MatrixOp):
    """The permutation made by exchanging row 0 with row pivots[0], then row 1 with row pivots[1], and so on."""

    permutation_size: int

    ranks = (1,)
    derivative = ZERO
    transpose = Refused("integers have no tangents")

    def core(self, pivots):
        if pivots.dtype != INT32:
            raise TypeError(f"lu_pivots_to_permutation takes int32 pivots, got {pivots}.")
        if pivots.shape[-1] > self.permutation_size:
            raise ValueError(f"lu_pivots_to_permutation needs a permutation_size of at least the number of pivots, "
                             f"{pivots.shape[-1]}, got {self.permutation_size}.")
        return [((self.permutation_size,), INT32)]

    def lower(self, emit, pivots):
        return permutation_of(emit, pivots, emit.out)


def permutation_of(emit, pivots, out):
    """The permutation of type `out` that row exchanges make. Each place is followed back through all exchanges, last one first, so
    that all places are computed side by side."""
    k, axis = pivots.type.shape[-1], out.ndim - 1
    place = emit("stablehlo.iota", [], f"dim = {axis}", out)
    if k == 0 or out.size == 0:
        return place
    scalar, lead = ArrayType((), INT32), out.shape[:-1]

    def follow(place, number, other):
        """Where a place was before rows `number` and `other`, given for every place, were exchanged."""
        back = emit.select(emit.compare("EQ", place, other), number, place)
        return emit.select(emit.compare("EQ", place, number), other, back)

    def block(place, first, count):
        """Follow exchanges first + count - 1, ..., first; `first` is a value."""
        starts = ", ".join([emit.constant(0, scalar).name] * axis + [first.name])
        part = ArrayType((*lead, count), INT32)
        name = emit.fresh()
        emit.line(f"{name} = stablehlo.dynamic_slice {pivots.name}, {starts}, sizes = {list(part.shape)} : "
                  f"({emit.type_text(pivots.type)}, {', '.join(['tensor<i32>'] * (axis + 1))}) -> {emit.type_text(part)}")
        few = type(pivots)(name, part)
        for i in reversed(range(count)):
            limits = [*lead, i + 1]
            one = emit.slice(few, [0] * axis + [i], limits, [1] * (axis + 1), ArrayType((*lead, 1), INT32))
            number = emit.elementwise("stablehlo.add", [first, emit.constant(i, scalar)], scalar)
            place = follow(place, emit.broadcast(number, out.shape, ()), emit.broadcast(one, out.shape, tuple(range(axis + 1))))
        return place

    # several steps at least, unless there are few: what uses the permutation would compute all of it again for each element
    step = min(EXCHANGES_AT_ONCE, k // 2) if k > FEW_EXCHANGES else 1
    blocks, rest = divmod(k, step) if k > FEW_EXCHANGES else (0, k)
    if rest:
        place = block(place, emit.constant(k - rest, scalar), rest)
    if blocks:
        _, place = emit.while_loop(
            [emit.constant((blocks - 1) * step, scalar), place],
            lambda first, place: emit.compare("GE", first, emit.constant(0, scalar)),
            lambda first, place: [emit.elementwise("stablehlo.subtract", [first, emit.constant(step, scalar)], scalar),
                                  block(place, first, step)])
    return place


_lu = Lu()


def lu(x):
    """(packed factors, pivots, permutation)."""
    return bind(_lu, x)


def lu_pivots_to_permutation(pivots, permutation_size):
    return bind(LuPivotsToPermutation(permutation_size), pivots)


def solve(a, b, left=True):
    """The x with a x = b, or with x a = b, for lists of square matrices a."""
    if not left:
        return swap_last(solve(swap_last(a), swap_last(b)))
    packed, _, permutation = bind(_lu, a)
    return solve_factored(packed, permutation, b)


def solve_factored(packed, permutation, b, mode="plain"):
    """The x with a x = b, from a's factors; `mode` says what a stands for."""
    if mode == "plain":
        return solve_triangular(packed, solve_triangular(packed, take_rows(b, permutation), unit=True), lower=False)
    inside = solve_triangular(packed, solve_triangular(packed, b, lower=False, mode=mode), unit=True, mode=mode)
    return take_rows(inside, inverse_permutation(permutation))


def inverse_permutation(permutation):
    return argsort(permutation, permutation.type.ndim - 1)
