"""First and second derivatives where a formula that is right elsewhere gives NaN, or a wrong number."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
import gnomon.scipy.linalg
from gnomon import grad, hessian, jacfwd, jacrev, jvp, lax, nn
from gnomon.base.settings import enable_x64
from gnomon.scipy import special

INF, NAN = np.inf, np.nan
norm, linalg = jnp.linalg.norm, gnomon.scipy.linalg


@pytest.fixture(autouse=True)
def in_double_precision():
    with enable_x64(True):
        yield


def close(found, wanted, rtol=1e-10, atol=1e-12):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted, float), rtol=rtol, atol=atol)


# ---- where ---------------------------------------------------------------------------------------------------------

# of functions of the form where(x > 0, something that has no derivative at x, what is meant there): (f, x, first derivative there)
LANES = {
    "square root": (lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0), 0.0, 0.0),
    "logarithm": (lambda x: jnp.where(x > 0, jnp.log(x), x * x), 0.0, 0.0),
    "x log x": (lambda x: jnp.where(x > 0, x * jnp.log(x), 0.0), 0.0, 0.0),
    "reciprocal": (lambda x: lax.select(x > 0, 1 / x, x), 0.0, 1.0),
    "quotient": (lambda x: jnp.where(x > 0, x / jnp.abs(x), 2 * x), 0.0, 2.0),
    "power": (lambda x: jnp.where(x > 0, x ** -2.5, 3 * x), 0.0, 3.0),
    "overflow": (lambda x: jnp.where(x > 0, jnp.exp(1000 * (1 - x)), x), 0.0, 1.0),
    "inverse cosine": (lambda x: jnp.where(x > 0, jnp.arccos(1 + x), x), 0.0, 1.0),
    "negated": (lambda x: jnp.where(x > 0, -jnp.sqrt(x), x), 0.0, 1.0),
    "the first lane": (lambda x: jnp.where(x <= 0, x, jnp.log1p(x - 1)), 0.0, 1.0),
}


@pytest.mark.parametrize("name", LANES)
def test_lane_not_taken(name):
    f, x, slope = LANES[name]
    with_others = grad(lambda xs: f(xs[0]) + xs[1])(np.array([x, 1.0]))
    many = gnomon.vmap(grad(f))(np.array([x]))
    close([grad(f)(x), gnomon.jit(grad(f))(x), grad(gnomon.jit(f))(x), with_others[0], many[0], jvp(f, (x,), (1.0,))[1]], [slope] * 6)


def test_what_is_not_a_number_is_masked():
    x = np.array([1.0, 2.0, NAN])
    close(grad(jnp.nanmean)(x), [0.5, 0.5, 0])
    close(grad(jnp.nanvar)(x), [-0.5, 0.5, 0])
    close(grad(jnp.nanstd)(x), [-0.5, 0.5, 0])
    close(grad(jnp.nanprod)(x), [2, 1, 0])
    close(grad(jnp.nanmax)(x), [0, 1, 0])


# ---- functions of one number ---------------------------------------------------------------------------------------

# function, points, second derivatives
SECOND = [
    (nn.softplus, (0.0, 40.0, -40.0, 800.0, -800.0), (0.25, 4.248354255291589e-18, 4.248354255291589e-18, 0, 0)),
    (nn.log_sigmoid, (0.0, 40.0, -40.0, 800.0, -800.0), (-0.25, -4.248354255291589e-18, -4.248354255291589e-18, 0, 0)),
    (jnp.tanh, (0.0, 1e-8, 30.0, -400.0), (0, -2e-8, -7.005213041047e-26, 0)),
    (jnp.i0, (0.0, 1e-9), (0.5, 0.5)), (special.i1, (0.0,), (0,)), (special.i0e, (0.0,), (0.5,)),
    (jnp.sinc, (0.0, 1.0), (-np.pi ** 2 / 3, 2.0)),
    (lambda x: x ** 2, (0.0,), (2,)), (lambda x: x ** 2.0, (0.0,), (2,)), (lambda x: x ** 1, (0.0,), (0,)), (lambda x: x ** 0, (0.0,), (0,)),
    (lambda x: jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0), (0.0, 4.0), (0, -1 / 32)),
    (lambda x: nn.logsumexp(jnp.stack([x, -x])), (0.0, 800.0), (1, 0)),
    (lambda x: nn.softmax(jnp.stack([x, 0 * x]))[0], (0.0, 800.0), (0, 0)),
    (lambda x: norm(jnp.stack([x, x])), (0.0, 1.0), (0, 0)),
]


@pytest.mark.parametrize("number", range(len(SECOND)))
def test_second_derivative(number):
    f, points, wanted = SECOND[number]
    at = np.array(points)
    total = grad(lambda xs: gnomon.vmap(f)(xs).sum())
    forward_over_reverse = jvp(total, (at,), (np.ones_like(at),))[1]
    reverse_over_reverse = grad(lambda xs: total(xs).sum())(at)
    forward_over_forward = jvp(lambda xs: jvp(gnomon.vmap(f), (xs,), (np.ones_like(at),))[1], (at,), (np.ones_like(at),))[1]
    for found in (forward_over_reverse, reverse_over_reverse, forward_over_forward):
        close(found, wanted, rtol=1e-9, atol=1e-30 if f in (nn.softplus, nn.log_sigmoid) else 1e-12)


def test_powers_of_zero():
    for y, (dx, dxx) in {0.0: (0, 0), 1.0: (1, 0), 2.0: (0, 2), 3.0: (0, 0)}.items():
        close(grad(lax.pow, (0, 1))(0.0, y), (dx, 0))
        close(hessian(lax.pow)(0.0, y), dxx)


# ---- sums, orders, ties --------------------------------------------------------------------------------------------

def test_norms_at_zero():
    for order in (None, 1, 2, 3, INF):
        close(grad(lambda x: norm(x, order))(np.zeros(3)), np.zeros(3))
    close(hessian(norm)(np.zeros(2)), np.zeros((2, 2)))
    close(grad(norm)(np.zeros((2, 2))), np.zeros((2, 2)))
    close(grad(jnp.hypot, (0, 1))(0.0, 0.0), (0, 0))


def test_ties_share():
    close(grad(jnp.max)(np.array([1.0, 1.0, 0.0])), [0.5, 0.5, 0])
    close(grad(jnp.min)(np.ones(4)), [0.25] * 4)
    close(jacfwd(jnp.sort)(np.array([1.0, 1.0])), np.eye(2))
    close(jacfwd(lambda x: lax.cummax(x))(np.array([1.0, 1.0, 0.0])), [[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]])
    for f in (jnp.median, lambda x: jnp.quantile(x, 0.3)):
        assert float(grad(f)(np.array([1.0, 1.0, 2.0, 2.0])).sum()) == pytest.approx(1)
    close(grad(jnp.quantile, 1)(np.array([1.0, 1.0, 2.0, 2.0]), 0.5), 3)


def test_products_of_zeros():
    one, two = np.array([2.0, 0.0, 3.0]), np.array([0.0, 0.0, 3.0])
    close(grad(jnp.prod)(one), [0, 6, 0])
    close(grad(jnp.prod)(two), [0, 0, 0])
    for jacobian in (jacfwd, jacrev):
        close(jacobian(jnp.cumprod)(one), [[1, 0, 0], [0, 2, 0], [0, 6, 0]])
        close(jacobian(jnp.cumprod)(two), [[1, 0, 0], [0, 0, 0], [0, 0, 0]])
    for f in (jnp.prod, lambda x: jnp.cumprod(x)[2]):
        close(hessian(f)(two), [[0, 3, 0], [3, 0, 0], [0, 0, 0]])


def test_no_spread():
    close(grad(jnp.var)(np.ones(3)), np.zeros(3))
    close(grad(jnp.std)(np.ones(3)), np.zeros(3))
    close(hessian(jnp.var)(np.ones(2)), [[0.5, -0.5], [-0.5, 0.5]])


def test_logarithms_of_nothing():
    close(grad(nn.logsumexp)(np.array([-INF, 0.0, 0.0])), [0, 0.5, 0.5])
    close(hessian(nn.logsumexp)(np.array([-INF, 0.0, 0.0])), [[0, 0, 0], [0, 0.25, -0.25], [0, -0.25, 0.25]])
    close(grad(jnp.logaddexp, (0, 1))(0.0, -INF), (1, 0))
    close(hessian(special.xlogy)(0.0, 2.0), 0)
    close(hessian(lambda x: nn.log_softmax(x)[0])(np.array([1000.0, 0.0])), np.zeros((2, 2)))


def test_interpolation():
    x, y = np.array([0.0, 1.0, 2.0]), np.array([0.0, 3.0, 4.0])
    close(grad(jnp.interp)(0.5, x, y), 3)
    close(grad(jnp.interp, 1)(0.5, x, y), [-1.5, -1.5, 0])
    close(grad(jnp.interp, 2)(0.25, x, y), [0.75, 0.25, 0])
    close(grad(jnp.interp, 2)(5.0, x, y), [0, 0, 1])


# ---- matrices ------------------------------------------------------------------------------------------------------

rng = np.random.default_rng(0)
WAY = rng.standard_normal((3, 3))
EVEN = WAY + WAY.T


def moves(f, at, way, rtol=1e-6):
    """The derivative along a direction agrees with differences."""
    h = 1e-6
    wanted = (np.asarray(f(at + h * way)) - np.asarray(f(at - h * way))) / (2 * h)
    found = np.asarray(jvp(f, (at,), (way,))[1])
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol * np.abs(wanted).max())


def polar(a):
    u, _, vh = jnp.linalg.svd(a)
    return u @ vh


def projector(a):
    v = jnp.linalg.eigh(a)[1][:, :2]
    return v @ v.T


def test_equal_eigenvalues():
    total = lambda a: jnp.linalg.eigvalsh(a).sum()      # noqa: E731
    close(grad(total)(2 * np.eye(3)), np.eye(3))
    close(hessian(total)(np.eye(2)), np.zeros((2, 2, 2, 2)))
    moves(projector, np.diag([1.0, 1.0, 3.0]), EVEN)


def test_equal_singular_values():
    nuclear = lambda a: norm(a, "nuc")      # noqa: E731
    close(grad(nuclear)(np.eye(3)), np.eye(3))
    close(hessian(nuclear)(np.eye(2)).reshape(4, 4), [[0, 0, 0, 0], [0, 0.5, -0.5, 0], [0, -0.5, 0.5, 0], [0, 0, 0, 0]])
    moves(polar, 2 * np.eye(3), WAY)


def test_functions_of_matrices():
    defective = np.array([[2.0, 1], [0, 2]])
    moves(linalg.expm, defective, WAY[:2, :2])
    moves(linalg.sqrtm, defective, WAY[:2, :2])
    for power in (-2, 3):
        moves(lambda a: jnp.linalg.matrix_power(a, power), EVEN + 2 * np.eye(3), WAY)


def test_singular_determinants():
    close(grad(jnp.linalg.det)(np.ones((2, 2))), [[1, -1], [-1, 1]])
    close(grad(jnp.linalg.det)(np.zeros((3, 3))), np.zeros((3, 3)))
    close(hessian(jnp.linalg.det)(np.zeros((2, 2))).reshape(4, 4), [[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0], [1, 0, 0, 0]])


def test_factors():
    hermitian = np.array([[6, 1j, 0], [-1j, 6, 0.5j], [0, -0.5j, 6]])
    moves(jnp.linalg.cholesky, hermitian, EVEN + 0j)
    for f in (lambda a: jnp.linalg.qr(a)[1], lambda a: lax.linalg.schur(a)[0], lambda a: jnp.linalg.qr(a, "raw")[0]):
        moves(f, np.array([[1.0, 2, 3], [0.3, -2, 1], [0.5, -0.4, 4]]), WAY)
    wide = rng.standard_normal((2, 4))
    moves(lambda a: jnp.linalg.qr(a)[1], wide, rng.standard_normal((2, 4)))
    lower = np.tril(WAY) + 3 * np.eye(3)
    moves(lambda a: linalg.solve_triangular(a, np.ones((2, 3, 1)), lower=True), np.stack([lower, 2 * lower]), np.stack([WAY, EVEN]))
