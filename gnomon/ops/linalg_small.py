"""Long lists of tiny matrices, on one CPU device: LAPACK, called for each matrix, takes longer to start than to compute. Here a
list is turned so that its matrices lie side by side, and every step of the algorithm is one operation on all of them.

A matrix is a list of rows, each a `Number` with the columns in the first dimension and the matrices in the last.
"""
from __future__ import annotations

import math

import numpy as np

from gnomon.ops.longhand import Number, equals, sqrt, where
from gnomon.types.dtype import is_float
from gnomon.types.value_type import ArrayType

LARGEST, FEWEST = 4, 256        # rows of a matrix, matrices
INT32 = np.dtype("int32")


def is_small(emit, *types):
    """Whether lists of matrices are written out here."""
    return emit.one_cpu and all([is_float(t.dtype) and max(t.shape[-2:]) <= LARGEST and 0 not in t.shape for t in types]) \
        and math.prod(types[0].shape[:-2]) >= FEWEST


# ---- to rows and back ---------------------------------------------------------------------------------------------

def rows_of(emit, x):
    """The rows of a list of matrices; the one of a list of vectors."""
    *lead, n, m = x.type.shape
    count = math.prod(lead)
    x = emit("stablehlo.reshape", [x], out=ArrayType((count, n * m), x.type.dtype))
    x = emit("stablehlo.transpose", [x], "dims = [1, 0]", ArrayType((n * m, count), x.type.dtype))
    return [Number(emit, emit.slice_in_dim(x, i * m, (i + 1) * m, 0))
            for i in range(n)]


def from_rows(rows, t):
    """The list of matrices of type `t` with these rows."""
    emit, count = rows[0].emit, rows[0].type.shape[1]
    width = sum([row.type.shape[0] for row in rows])
    x = emit("stablehlo.concatenate", [row.value for row in rows], "dim = 0", ArrayType((width, count), t.dtype))
    x = emit("stablehlo.transpose", [x], "dims = [1, 0]", ArrayType((count, width), t.dtype))
    return emit("stablehlo.reshape", [x], out=t)


def at(row, column):
    """One element of each matrix's row, as a row of one column."""
    return columns(row, column, column + 1)


def wide(x, like):
    """A row of one column, repeated to as many as `like` has."""
    shape = (like.type.shape[0], x.type.shape[1])
    if x.type.shape == shape:
        return x
    emit = x.emit
    flat = emit("stablehlo.reshape", [x.value], out=ArrayType(shape[1:], x.dtype))
    return Number(emit, emit.broadcast(flat, shape, (1,)))


def joined(*pieces):
    """Rows of some columns each, side by side."""
    emit, (first, *_) = pieces[0].emit, pieces
    t = ArrayType((sum([p.type.shape[0] for p in pieces]), first.type.shape[1]), first.dtype)
    return Number(emit, emit("stablehlo.concatenate", [p.value for p in pieces], "dim = 0", t))


def columns(row, start, stop):
    return Number(row.emit, row.emit.slice_in_dim(row.value, start, stop, 0))


def settled(rows):
    """The same rows, computed once: else what uses them would compute them again."""
    emit = rows[0].emit
    values = emit.generic("stablehlo.optimization_barrier", [row.value for row in rows], outs=[row.type for row in rows])
    return [Number(emit, value) for value in values]


# ---- algorithms ---------------------------------------------------------------------------------------------------

def lu(emit, x):
    """The rows of the packed factors, and the pivots and the permutation as lists of rows of one column."""
    rows = rows_of(emit, x)
    n, m, count = len(rows), rows[0].type.shape[0], rows[0].type.shape[1]
    number = ArrayType((1, count), INT32)
    order, pivots = [Number(emit, emit.constant(i, number)) for i in range(n)], []
    for k in range(min(n, m)):
        best, pivot = abs(at(rows[k], k)), Number(emit, emit.constant(k, number))
        for i in range(k + 1, n):
            size = abs(at(rows[i], k))
            larger = size > best
            best, pivot = where(larger, size, best), where(larger, Number(emit, emit.constant(i, number)), pivot)
        pivots.append(pivot)
        for i in range(k + 1, n):
            here = equals(pivot, i)
            rows[k], rows[i] = exchanged(here, rows[k], rows[i])
            order[k], order[i] = exchanged(here, order[k], order[i])
        top = at(rows[k], k)
        for i in range(k + 1, n):
            first = at(rows[i], k)
            factor = where(equals(top, 0), first, first / top)
            pieces = [columns(rows[i], 0, k)] if k else []
            pieces.append(factor)
            if k + 1 < m:
                rest = columns(rows[i], k + 1, m)
                pieces.append(rest - wide(factor, rest) * columns(rows[k], k + 1, m))
            rows[i] = joined(*pieces)
        rows = settled(rows)
    return rows, pivots, order


def exchanged(condition, x, y):
    """(y, x) where the condition, of one column, holds, else (x, y)."""
    condition = wide(condition, x)
    return where(condition, y, x), where(condition, x, y)


def picked(rows, order):
    """The rows in an order that differs from matrix to matrix."""
    found = []
    for place in order:
        row = rows[0]
        for i in range(1, len(rows)):
            row = where(wide(equals(place, i), row), rows[i], row)
        found.append(row)
    return settled(found)


def solve_factored(emit, packed, permutation, b):
    """The x with a x = b, from the packed factors of a and their permutation."""
    factors, t = rows_of(emit, packed), permutation.type
    places = rows_of(emit, emit("stablehlo.reshape", [permutation], out=ArrayType((*t.shape, 1), t.dtype)))
    rows = substituted(factors, picked(rows_of(emit, b), places), True, False, True)
    return from_rows(substituted(factors, rows, False, False, False), b.type)


def substituted(matrix, rows, lower, transposed, unit):
    """The rows of the x with op(a) x = b, from those of a and b; `lower` says which triangle of a is read."""
    n, found = len(rows), {}
    for i in range(n) if lower != transposed else range(n - 1, -1, -1):
        row = rows[i]
        for j in found:
            row = row - wide(element(matrix, i, j, transposed), row) * found[j]
        found[i], = settled([row if unit else row / wide(element(matrix, i, i, transposed), row)])
    return [found[i] for i in range(n)]


def triangular_solve(emit, a, b, lower, transposed, unit):
    """The x with op(a) x = b; `lower` says which triangle of a is read."""
    return from_rows(substituted(rows_of(emit, a), rows_of(emit, b), lower, transposed, unit), b.type)


def element(matrix, i, j, transposed):
    return at(matrix[j], i) if transposed else at(matrix[i], j)


def cholesky(emit, x, upper):
    """The factor as in `Cholesky`, column by column; NaN where a matrix is not positive definite."""
    rows, n = rows_of(emit, x), x.type.shape[-1]
    below = [[at(rows[j], i) if upper else at(rows[i], j) for j in range(i + 1)] for i in range(n)]
    good = None
    for j in range(n):
        for i in range(j, n):
            for k in range(j):
                below[i][j] = below[i][j] - below[i][k] * below[j][k]
            if i == j:
                positive = below[j][j] > 0
                good = positive if good is None else good & positive
                below[j][j] = sqrt(below[j][j])
            else:
                below[i][j] = below[i][j] / below[j][j]
        column = settled([below[i][j] for i in range(j, n)])
        for i in range(j, n):
            below[i][j] = column[i - j]
    zero = below[0][0].like(0)
    nan = below[0][0].like(np.nan)
    entries = [[below[max(i, j)][min(i, j)] if (i <= j if upper else i >= j) else zero for j in range(n)] for i in range(n)]
    return [joined(*[e if e is zero else where(good, e, nan) for e in row]) for row in entries]
