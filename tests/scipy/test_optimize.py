"""gnomon.scipy.optimize and sparse.linalg: solutions, what is said of them, and their derivatives."""
import numpy as np
import pytest
import scipy.optimize

import gnomon as G
import gnomon.numpy as jnp
from gnomon.base.errors import Refused
from gnomon.scipy.optimize import minimize
from gnomon.scipy.sparse import linalg as sparse
from tests.linalg.derivatives import check_derivatives
from tests.linalg.test_numpy_linalg import close, positive, random, wide


def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def himmelblau(x):
    return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2


def matyas(x):
    return 0.26 * (x[0] ** 2 + x[1] ** 2) - 0.48 * x[0] * x[1]


def eggholder(x):
    return -(x[1] + 47) * jnp.sin(jnp.sqrt(jnp.abs(x[0] / 2 + x[1] + 47))) - x[0] * jnp.sin(jnp.sqrt(jnp.abs(x[0] - x[1] - 47)))


@pytest.mark.parametrize("f, x0", [(rosenbrock, [-1.2, 1, 0.5]), (rosenbrock, np.zeros(10)), (himmelblau, [0, 0]), (matyas, [1, 2]), (matyas, [90.0, 80.0]),
                                   (eggholder, [100.0, 100.0]), (lambda x: jnp.sum(x ** 4), [2.0, -3.0])])
def test_minima(f, x0):
    with G.enable_x64(True):
        found = minimize(f, np.array(x0, float), method="BFGS", options={"gtol": 1e-6})
        want = scipy.optimize.minimize(lambda x: float(f(jnp.asarray(x))), np.array(x0, float), method="BFGS", tol=1e-8)
        assert bool(found.success) and int(found.status) == 0
        assert np.max(np.abs(found.jac)) < 1e-6
        np.testing.assert_allclose(found.fun, f(found.x), rtol=1e-6)
        assert float(found.fun) <= want.fun + 1e-6
        assert int(found.nit) <= 60 and int(found.nfev) < 200


LIMITED = "l-bfgs-experimental-do-not-rely-on-this"


def test_minima_with_limited_memory():
    with G.enable_x64(True):
        for f, x0 in ((rosenbrock, np.zeros(10)), (himmelblau, [0, 0]), (lambda x: jnp.sum(x ** 4), [2.0, -3.0])):
            found = minimize(f, np.array(x0, float), method=LIMITED, options={"gtol": 1e-7, "maxcor": 5})
            want = scipy.optimize.minimize(lambda x: float(f(jnp.asarray(x))), np.array(x0, float), method="L-BFGS-B", tol=1e-10)
            assert bool(found.success) and int(found.status) == 0 and found.hess_inv is None
            assert np.linalg.norm(found.jac) < 1e-7 and float(found.fun) <= want.fun + 1e-6 and int(found.nit) <= 80
        n = 500
        scales = np.linspace(1, 50, n)
        large = minimize(lambda x: 0.5 * jnp.sum(scales * x * x) - x.sum(), np.zeros(n), method=LIMITED)
        np.testing.assert_allclose(large.x, 1 / scales, atol=1e-5)
        few = minimize(rosenbrock, np.zeros(4), method=LIMITED, options={"maxfun": 7})
        assert not bool(few.success) and int(few.status) == 1 and 7 <= int(few.nfev) < 40
        rough = minimize(rosenbrock, np.zeros(4), method=LIMITED, options={"ftol": 0.5})
        assert bool(rough.success) and int(rough.nit) < 20
    many = G.vmap(lambda x: minimize(rosenbrock, x, method=LIMITED.upper(), tol=1e-3))(np.array([[-1.2, 1], [2, 3]], "f"))
    np.testing.assert_allclose(many.x, 1, atol=1e-2)


@pytest.mark.peer
def test_limited_memory_reaches_what_the_peer_reaches(peer):
    import jax.scipy.optimize
    theirs = jax.scipy.optimize.minimize(lambda x: ((x - peer.numpy.arange(5.0)) ** 2 * 3).sum(), np.zeros(5, "f"), method=LIMITED)
    ours = minimize(lambda x: ((x - jnp.arange(5.0)) ** 2 * 3).sum(), np.zeros(5, "f"), method=LIMITED)
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-4)
    assert bool(ours.success) == bool(theirs.success) and ours._fields == theirs._fields


def test_minima_in_single_precision_under_jit_and_vmap():
    run = G.jit(lambda x: minimize(rosenbrock, x, method="BFGS", tol=1e-3))
    np.testing.assert_allclose(run(np.array([-1.2, 1], "f")).x, 1, atol=1e-2)
    starts = np.array([[-1.2, 1], [0, 0], [2, 3]], "f")
    many = G.vmap(lambda x: minimize(rosenbrock, x, method="BFGS", tol=1e-3))(starts)
    np.testing.assert_allclose(many.x, 1, atol=1e-2)
    assert np.asarray(many.success).all()


def test_arguments_options_and_failures():
    f = lambda x, a, b: jnp.sum((x - a) ** 2) + b  # noqa: E731
    found = minimize(f, np.zeros(3, "f"), (2.0, 1.0), method="bfgs")
    np.testing.assert_allclose(found.x, 2, rtol=1e-4)
    np.testing.assert_allclose(found.fun, 1, rtol=1e-5)
    np.testing.assert_allclose(found.hess_inv, np.eye(3) / 2, atol=1e-3)
    short = minimize(rosenbrock, np.zeros(4, "f"), method="BFGS", options={"maxiter": 3})
    assert not bool(short.success) and int(short.status) == 1 and int(short.nit) == 3
    stuck = minimize(lambda x: jnp.sum(jnp.abs(x)) + jnp.nan, np.ones(2, "f"), method="BFGS")
    assert not bool(stuck.success)


# ---- linear systems -------------------------------------------------------------------------------------------------

SOLVERS = [sparse.cg, sparse.bicgstab, sparse.gmres]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_solutions(solver, dtype):
    a, b = positive(12, 12, dtype=dtype) + 5 * np.eye(12, dtype="f"), random(12, dtype=dtype)
    want = np.linalg.solve(wide(a), wide(b))
    for A in (a, lambda x: jnp.asarray(a) @ x):
        x, info = solver(A, b)
        assert info is None
        close(x, want, 2e-3)
    close(solver(a, b, x0=want.astype(dtype), maxiter=1)[0], want, 2e-3)
    close(solver(a, b, M=lambda x: x / np.diag(a))[0], want, 2e-3)
    close(G.jit(lambda a, b: solver(a, b)[0])(a, b), want, 2e-3)
    rough = np.asarray(solver(a, b, tol=0.3)[0])
    assert 1e-6 < np.linalg.norm(a @ rough - b) <= 0.31 * np.linalg.norm(b)


@pytest.mark.parametrize("solver", SOLVERS[1:])
def test_general_matrices(solver):
    a, b = random(12, 12) + 6 * np.eye(12, dtype="f"), random(12)
    close(solver(a, b)[0], np.linalg.solve(wide(a), wide(b)), 2e-3)
    with G.enable_x64(True):
        x = solver(wide(a), wide(b), tol=1e-12)[0]
        np.testing.assert_allclose(x, np.linalg.solve(wide(a), wide(b)), rtol=1e-9)


def test_restarts_of_gmres():
    a, b = random(30, 30) + 12 * np.eye(30, dtype="f"), random(30)
    close(sparse.gmres(a, b, restart=4, solve_method="incremental")[0], np.linalg.solve(wide(a), wide(b)), 2e-3)


@pytest.mark.parametrize("solver", SOLVERS)
def test_trees(solver):
    def A(x):
        return {"a": 2 * x["a"] + x["b"].sum(), "b": 3 * x["b"] + x["a"]}
    x, _ = solver(A, {"a": jnp.array(1.0), "b": jnp.ones(2)})
    back = A(x)
    np.testing.assert_allclose(back["a"], 1, rtol=1e-4)
    np.testing.assert_allclose(back["b"], 1, rtol=1e-4)
    assert x["b"].shape == (2,)


@pytest.mark.parametrize("solver", SOLVERS)
def test_derivatives_of_solutions(solver):
    a, b = positive(4, 4) + 3 * np.eye(4), random(4)

    def f(a, b):
        return solver((a + a.T) / 2 if solver is sparse.cg else a, b, tol=1e-13)[0]
    check_derivatives(f, a, b, rtol=1e-5)
    one = G.grad(lambda b: f(a.astype("f"), b).sum())
    np.testing.assert_allclose(G.vmap(one)(np.stack([b, 2 * b]).astype("f"))[0], one(b.astype("f")), rtol=1e-3)


# ---- the means behind them ------------------------------------------------------------------------------------------

def test_custom_linear_solve_and_its_derivatives():
    def dense(f, b):
        return jnp.linalg.solve(G.jacobian(f)(b), b)

    def f(a, b):
        return G.lax.custom_linear_solve(lambda x: a @ x, b, dense, dense)
    a, b = random(3, 3) + 3 * np.eye(3), random(3)
    check_derivatives(f, a, b, order=2)
    many, right = np.stack([a, a.T, 2 * a]).astype("f"), np.stack([b, b, b]).astype("f")
    np.testing.assert_allclose(G.vmap(f)(many, right), np.linalg.solve(many, right[..., None])[..., 0], rtol=1e-4)
    np.testing.assert_allclose(G.vmap(f, (None, 0))(many[0], right), np.linalg.solve(many[0], right.T).T, rtol=1e-4)
    x, aux = G.lax.custom_linear_solve(lambda x: 2 * x, b.astype("f"), lambda g, b: (b / 2, {"steps": 3}), symmetric=True, has_aux=True)
    np.testing.assert_allclose(x, b / 2, rtol=1e-6)
    assert int(aux["steps"]) == 3
    with pytest.raises(Refused, match="cannot be differentiated in reverse without transpose_solve"):
        G.grad(lambda b: G.lax.custom_linear_solve(lambda x: 2 * x, b, lambda g, b: b / 2))(1.0)
    with pytest.raises(TypeError, match="matvec.*must return what b is"):
        G.lax.custom_linear_solve(lambda x: x[:2], b, dense)


def test_custom_root():
    def newton(f, x):
        return G.lax.fori_loop(0, 20, lambda i, x: x - f(x) / G.grad(f)(x), x)

    def root(a):
        return G.lax.custom_root(lambda x: x * x - a, 1.0, newton, lambda g, y: y / g(1.0))
    assert float(root(4.0)) == 2 and float(G.grad(root)(4.0)) == 0.25
    np.testing.assert_allclose(G.grad(G.grad(root))(4.0), -1 / 32, rtol=1e-6)
    np.testing.assert_allclose(G.vmap(G.grad(root))(np.arange(1, 4, dtype="f")), 0.5 / np.sqrt(np.arange(1, 4)), rtol=1e-6)
    check_derivatives(G.jit(root), 3.0, order=2)

    def both(a):
        x, aux = G.lax.custom_root(lambda x: {"u": x["u"] * a - 2}, {"u": 1.0}, lambda f, x: ({"u": 2 / a}, 5), lambda g, y: {"u": y["u"] / a},
                                   has_aux=True)
        return x["u"], aux
    value, aux = both(4.0)
    assert float(value) == 0.5 and int(aux) == 5
    np.testing.assert_allclose(G.grad(lambda a: both(a)[0])(4.0), -2 / 16, rtol=1e-6)


@pytest.mark.parametrize("call, message", [
    (lambda: minimize(rosenbrock, np.zeros(2, "f"), method="Nelder-Mead"), "minimize knows the methods 'BFGS' and 'l-bfgs.*', not 'Nelder-Mead'"),
    (lambda: minimize(rosenbrock, np.zeros(2, "f"), method=LIMITED, options={"line_search_maxiter": 3}), "takes the options.*got line_search_maxiter"),
    (lambda: minimize(rosenbrock, np.zeros((2, 2), "f"), method="BFGS"), "minimize takes a vector x0"),
    (lambda: minimize(lambda x: x, np.zeros(2, "f"), method="BFGS"), "scalar"),
    (lambda: minimize(rosenbrock, np.zeros(2, "f"), method="BFGS", options={"disp": True}), "takes the options.*got disp"),
    (lambda: sparse.cg(np.eye(2, dtype="f"), np.ones(3, "f")), r"cg with a matrix of shape \(2, 2\) takes a vector b of as many elements"),
    (lambda: sparse.gmres(np.eye(2, dtype="f"), np.ones(2, "f"), x0=np.ones(3, "f")), "gmres takes an x0 like b"),
])
def test_errors(call, message):
    with pytest.raises((ValueError, TypeError, Refused), match=message):
        call()
