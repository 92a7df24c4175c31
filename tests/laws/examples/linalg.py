"""Dense linear algebra."""
import numpy as np

from gnomon.ops.linalg_eigen import Eig, Eigh, Svd, SvdAlgorithm
from gnomon.ops.linalg_factored import Adjugate, Determinant, LogDeterminant, LuSolve, PseudoInverse, SingularAdjugateMoves
from gnomon.ops.linalg_forms import Hessenberg, Schur, Tridiagonal
from gnomon.ops.linalg_lu import Lu, LuPivotsToPermutation
from gnomon.ops.linalg_qr import Geqp3, Geqrf, HouseholderProduct, Ormqr, Qr
from gnomon.ops.linalg_triangular import Cholesky, TriangularSolve, TridiagonalSolve
from gnomon.ops.linalg_update import CholeskyUpdate, SymmetricProduct

from tests.laws.examples import draw, example, parse_type


def random(rng, shape, dtype, low=-1, high=1):
    return draw(rng, parse_type("f32[]").update(shape=shape, dtype=np.dtype(dtype)), low, high, None)


def positive_definite(rng, shape, dtype):
    x = random(rng, shape, dtype)
    return x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(shape[-1])


def well_conditioned(rng, shape, dtype):
    """Matrices with a large diagonal, so that no pivot is near zero and the exchanges do not change nearby."""
    return random(rng, shape, dtype) / 2 + 2 * np.eye(*shape[-2:]) * np.arange(1, shape[-1] + 1)


def no_ties(rng, shape, dtype):
    """Matrices whose row exchanges are the same nearby."""
    x = random(rng, shape, dtype) / 4
    for i in range(min(shape[-2:])):
        x[..., (i + 1) % shape[-2], i] += 3 + i
    return x


def large(rng, shape, dtype):
    return 3 + random(rng, shape, dtype)


def pivots(rng, shape, dtype):
    return np.arange(shape[-1]) + rng.integers(0, 3, shape)


def scale_factors(rng, shape, dtype):
    return 1 + random(rng, shape, dtype) / 4


def rotation(rng, shape, dtype):
    """A matrix with complex eigenvalues."""
    return np.array([[1, 2], [-3, 1]]) + random(rng, shape, dtype) / 4


def two_pairs(rng, shape, dtype):
    """A matrix with two pairs of complex eigenvalues."""
    return np.kron(np.diag([1, -2]), np.array([[1, 2], [-3, 1]])) + random(rng, shape, dtype) / 2


def of_rank(rank):
    """A maker of matrices of a rank."""
    def make(rng, shape, dtype):
        return random(rng, (*shape[:-1], rank), dtype) @ random(rng, (*shape[:-2], rank, shape[-1]), dtype)
    return make


def permutation(rng, shape, dtype):
    return rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)


def orthogonal(rng, shape, dtype):
    return np.linalg.qr(random(rng, shape, dtype))[0]


def upper(rng, shape, dtype):
    return np.triu(well_conditioned(rng, shape, dtype))


def solve(left, lower, transposed, conjugated, unit, *types):
    return example(TriangularSolve(conjugated, left, lower, transposed, unit), *types, make={0: well_conditioned},
                   low=-1, high=1)


def apart(rng, shape, dtype):
    """Matrices whose eigenvalues and singular values are far apart."""
    return random(rng, shape, dtype) / 2 + 2 * np.eye(*shape[-2:]) * np.arange(1, shape[-1] + 1)


PHASES = dict.fromkeys(("jvp", "second"),
                       "the phases of complex vectors are chosen by LAPACK; test_eigen.py tries what does not depend "
                       "on them")
NULL_SPACE = dict.fromkeys(("jvp", "second"),
                           "the basis of a null space is chosen by LAPACK; test_eigen.py tries what does not "
                           "depend on it")

SINGULAR = {"second": "further derivatives are not known at singular matrices"}

SIGNS = {"dtypes": "the signs of vectors are chosen by LAPACK"}

EXAMPLES = [
    example(Cholesky(), "f32[3,3]", make={0: positive_definite}),
    example(Cholesky(), "c64[2,3,3]", make={0: positive_definite}),
    example(Cholesky(True), "f32[2,3,3]", make={0: positive_definite}),
    example(Cholesky(True), "c64[3,3]", make={0: positive_definite}),
    solve(True, True, False, False, False, "f32[3,3]", "f32[3,2]"),
    solve(False, True, False, False, True, "f32[3,3]", "f32[2,3]"),
    solve(True, False, True, False, False, "f32[2,3,3]", "f32[2,3,2]"),
    solve(False, False, True, True, False, "c64[3,3]", "c64[2,3]"),
    solve(True, True, False, True, True, "c64[3,3]", "c64[3,2]"),
    example(TridiagonalSolve(False), "f32[4]", "f32[4]", "f32[4]", "f32[4,2]", make={1: large}, low=-1, high=1),
    example(TridiagonalSolve(False), "c64[2,3]", "c64[2,3]", "c64[2,3]", "c64[2,3,1]", make={1: large}, low=-1, high=1),
    example(TridiagonalSolve(True), "f32[4]", "f32[4]", "f32[4]", "f32[4,2]", make={1: large}, low=-1, high=1),
    example(Lu(), "f32[3,3]", make={0: no_ties}),
    example(Lu(), "f32[2,3,5]", make={0: no_ties}),
    example(Lu(), "c64[4,2]", make={0: no_ties}),
    example(Geqrf(), "f32[2,4,3]"),
    example(Geqrf(), "c64[2,3]"),
    example(Geqp3(None), "f32[3,4]", "i32[4]", integers_in={1: (0, 1)}),
    example(HouseholderProduct(), "f32[4,3]", "f32[2]", make={1: scale_factors}),
    example(HouseholderProduct(), "c64[2,3,3]", "c64[2,3]", make={1: scale_factors}),
    example(Ormqr(True, False), "f32[4,3]", "f32[3]", "f32[4,2]"),
    example(Ormqr(False, True), "c64[2,4,2]", "c64[2,2]", "c64[2,3,4]"),
    example(Qr(False, False, None), "f32[3,3]"),
    example(Qr(False, False, None), "f32[2,4,2]"),
    example(Qr(False, False, None), "c64[4,3]"),
    example(Qr(True, False, None), "f32[2,4]"),
    example(Qr(True, False, None), "f32[4,2]"),
    example(Qr(True, False, None), "c64[2,4,3]"),
    example(Qr(True, False, None), "c64[3,3]"),
    example(Qr(False, True, None), "c64[3,4]"),
    example(Qr(True, True, None), "f32[2,4,3]"),
    example(Eigh(None, True, True, None), "f32[3,3]", make={0: apart}),
    example(Eigh(None, False, True, None), "f32[2,3,3]", make={0: apart}),
    example(Eigh(None, True, True, (1, 3)), "f32[4,4]", make={0: apart}),
    example(Eigh(None, True, True, None), "c64[3,3]", make={0: apart}, without=PHASES),
    example(Eigh(None, False, True, None, False), "c64[2,3,3]", make={0: apart}),
    example(Eig(False, False, False, None), "f32[3,3]", make={0: apart}),
    example(Eig(True, True, False, None), "f32[2,3,3]", make={0: apart}),
    example(Eig(True, True, False, None), "c64[3,3]", make={0: apart}),
    example(Eig(False, True, True, None), "f32[2,2]", make={0: rotation}),
    example(Schur(True, None, False), "f32[3,3]", make={0: apart}, without=SIGNS),
    example(Schur(True, None, False), "f32[4,4]", make={0: two_pairs}, without=SIGNS),
    example(Schur(False, None, False), "c64[2,3,3]", make={0: apart}, without=PHASES | SIGNS),
    example(Hessenberg(), "f32[2,4,4]"),
    example(Hessenberg(), "c64[3,3]"),
    example(Tridiagonal(True), "f32[4,4]"),
    example(Tridiagonal(False), "c64[2,3,3]"),
    example(Svd(None, True, False, None), "f32[3,3]", make={0: apart}),
    example(Svd(None, True, False, None), "f32[2,3,2]", make={0: apart}),
    example(Svd(None, False, True, None), "c64[2,3]", make={0: apart}),
    example(Svd(SvdAlgorithm.QR, True, False, (0, 2)), "f32[3,4]", make={0: apart}),
    example(Svd(None, True, True, None), "f32[3,2]", make={0: apart}, without=NULL_SPACE),
    example(Svd(None, True, True, None), "c64[2,2,3]", make={0: apart}, without=PHASES),
    example(PseudoInverse(), "c64[2,3,2]", "c64[2,2,3]", differentiable=False),
    example(CholeskyUpdate(), "f32[3,3]", "f32[3]", make={0: upper}),
    example(CholeskyUpdate(), "f32[2,4,4]", "f32[2,4]", make={0: upper}),
    example(SymmetricProduct(2.0, 0.5), "f32[2,3,2]", "f32[2,3,3]"),
    example(SymmetricProduct(1.0, 0.0), "f32[3,4]", "f32[3,3]"),
    example(Adjugate(), "f32[3,3]", make={0: well_conditioned}),
    example(Adjugate(), "f32[5,5]", make={0: lambda rng, shape, dtype: np.eye(5)}),
    example(Adjugate(), "f32[2,1,1]"),
    *[example(Adjugate(), "f32[4,4]", make={0: of_rank(rank)}, without=SINGULAR) for rank in (0, 1, 2, 3)],
    example(Adjugate(), "c64[2,3,3]", make={0: of_rank(2)}, without=SINGULAR),
    example(SingularAdjugateMoves(), "f32[4]", "f32[4,4]", "f32[4,4]", "f32[4,4]", moving=(3,),
            make={1: orthogonal, 2: orthogonal},
            low={0: 1}),
    example(SingularAdjugateMoves(), "f32[2,3]", "c64[2,3,3]", "c64[2,3,3]", "c64[2,3,3]", moving=(3,),
            make={0: lambda rng, shape, dtype: np.array([2, 0, 0]) + np.zeros(shape), 1: orthogonal, 2: orthogonal}),
    # the derivatives in the matrix, whose factors move with it, are tried in tests/linalg
    example(LuSolve(False), "f32[3,3]", "f32[3,3]", "i32[3]", "f32[3,2]", make={1: well_conditioned, 2: permutation},
            moving=(3,)),
    example(LuSolve(True), "c64[2,3,3]", "c64[2,3,3]", "i32[2,3]", "c64[2,3,1]",
            make={1: well_conditioned, 2: permutation}, moving=(3,)),
    example(Determinant(), "f32[2,4,4]", "f32[2,4,4]", "i32[2,4]", make={2: pivots}, differentiable=False),
    example(LogDeterminant(), "c64[3,3]", "c64[3,3]", "i32[3]", "i32[3]", make={2: permutation, 3: pivots},
            differentiable=False),
    example(LuPivotsToPermutation(7), "i32[5]", make={0: pivots}),
    example(LuPivotsToPermutation(72), "i32[2,70]", make={0: pivots}),
]
