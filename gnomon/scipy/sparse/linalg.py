"""gnomon.scipy.sparse.linalg: linear systems A x = b, solved by products with A alone.

A is a matrix or a linear function of trees of arrays; b is such a tree (a vector, for a matrix). The solutions have derivatives, in
reverse too, whatever it took to find them.
"""
from __future__ import annotations

import functools
import math

from gnomon import lax
from gnomon import numpy as jnp
from gnomon.base.tree import tree_flatten, tree_unflatten
from gnomon.numpy.axes import integer, one_of
from gnomon.numpy.promote import as_value, promote_inexact
from gnomon.scipy.floats import a_count, a_number, wide_floats
from gnomon.types.dtype import is_complex

__all__ = ["bicgstab", "cg", "gmres"]


class Tree:
    """How a tree of arrays is laid out in one vector."""

    def __init__(self, tree, name):
        leaves, self.tree = tree_flatten(tree)
        if not leaves:
            raise ValueError(f"{name} takes a right side b with arrays in it, got {tree!r}.")
        self.values = promote_inexact(name, *leaves)
        self.shapes = [v.shape for v in self.values]

    def vector(self, tree=None):
        leaves = self.values if tree is None else tree_flatten(tree)[0]
        flat = [as_value(x, "a linear function's result").reshape(-1) for x in leaves]
        return flat[0] if len(flat) == 1 else jnp.concatenate(flat)

    def back(self, vector):
        """The tree whose numbers stand in a vector."""
        out, start = [], 0
        for shape in self.shapes:
            size = math.prod(shape)
            out.append(vector[start:start + size].reshape(shape))
            start += size
        return tree_unflatten(self.tree, out)

    def on_vectors(self, f):
        """A function of such trees as a function of vectors."""
        return lambda v: self.vector(f(self.back(v)))


def identity(x):
    return x


def as_function(A, name, tree):
    if callable(A):
        return tree.on_vectors(A)
    A, = promote_inexact(name, A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"{name} takes a square matrix or a function, got an array of shape {A.shape}.")
    if len(tree.shapes) != 1 or tree.shapes[0] not in ((A.shape[1],), (A.shape[1], 1)):
        raise ValueError(f"{name} with a matrix of shape {A.shape} takes a vector b of as many elements, got shapes {tree.shapes}.")
    return lambda v: A @ v


def solve(name, method, A, b, x0, tol, atol, maxiter, M, symmetric):
    """Solve A x = b with method(A, b, x0, largest residual, maxiter, M) on vectors."""
    tree = Tree(b, name)
    vector = tree.vector()
    product, inverse = as_function(A, name, tree), identity if M is None else as_function(M, name, tree)
    start = jnp.zeros_like(vector) if x0 is None else lax.stop_gradient(Tree(x0, name).vector()).astype(vector.dtype)
    if start.shape != vector.shape:
        raise ValueError(f"{name} takes an x0 like b, got {start.shape[0]} and {vector.shape[0]} numbers in all.")
    maxiter = 10 * vector.shape[0] if maxiter is None else a_count(maxiter, name, "maxiter")
    tol, atol = a_number(tol, name, "tol"), a_number(atol, name, "atol")

    def run(f, b):
        largest = jnp.maximum(tol * jnp.linalg.norm(b), atol)
        return method(f, b, start, largest, maxiter, inverse)
    x = lax.custom_linear_solve(product, vector, run, run, symmetric=symmetric and not is_complex(vector.dtype))
    return tree.back(x), None


def inner(x, y):
    """The real part of the sum of conj(x) y."""
    return jnp.vdot(x, y).real


def cg(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):
    """(x, None): the solution of A x = b for Hermitian positive definite A, by conjugate gradients.

    It is found once the norm of b - A x is at most max(tol norm(b), atol), or after `maxiter` steps (10 times the size of b), which is
    not said. x0: where to begin (0). M: about the inverse of A, like A.

    >>> import gnomon.numpy as jnp
    >>> cg(jnp.diag(jnp.array([1.0, 2.0])), jnp.array([1.0, 4.0]))[0].tolist()
    [1.0, 2.0]
    """
    return solve("cg", conjugate_gradients, A, b, x0, tol, atol, maxiter, M, True)


def conjugate_gradients(A, b, x, largest, maxiter, M):
    r = b - A(x)
    z = M(r)

    def unfinished(state):
        _, r, _, _, k = state
        return (inner(r, r) > largest ** 2) & (k < maxiter)

    def step(state):
        x, r, gamma, p, k = state
        Ap = A(p)
        alpha = (gamma / inner(p, Ap)).astype(b.dtype)
        x, r = x + alpha * p, r - alpha * Ap
        z = M(r)
        new = inner(r, z)
        return x, r, new, z + (new / gamma).astype(b.dtype) * p, k + 1
    return lax.while_loop(unfinished, step, (x, r, inner(r, z), z, 0))[0]


def bicgstab(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):
    """(x, None): the solution of A x = b for any regular A, by the stabilized biconjugate gradient method. See `cg`.

    >>> import gnomon.numpy as jnp
    >>> bicgstab(jnp.diag(jnp.array([1.0, 2.0])), jnp.array([1.0, 4.0]))[0].tolist()
    [1.0, 2.0]
    """
    return solve("bicgstab", stabilized, A, b, x0, tol, atol, maxiter, M, False)


def stabilized(A, b, x, largest, maxiter, M):
    r = b - A(x)
    shadow = r
    one = jnp.ones((), b.dtype)

    def norm(v):
        return jnp.linalg.norm(v)

    def unfinished(state):
        _, r, *_, k = state
        return (norm(r) > largest) & (k < maxiter) & (k >= 0)

    def step(state):
        x, r, alpha, omega, rho, p, q, k = state
        new = jnp.vdot(shadow, r)
        beta = new / rho * alpha / omega
        p = r + beta * (p - omega * q)
        p_hat = M(p)
        q = A(p_hat)
        alpha = new / jnp.vdot(shadow, q)
        s = r - alpha * q
        s_hat = M(s)
        t = A(s_hat)
        done = norm(s) <= largest
        omega = jnp.vdot(t, s) / jnp.where(done, 1, jnp.vdot(t, t))
        omega = jnp.where(done, 1, omega)
        x = x + alpha * p_hat + jnp.where(done, 0, omega) * s_hat
        r = jnp.where(done, s, s - omega * t)
        broken = (omega == 0) | (alpha == 0) | ~jnp.isfinite(jnp.abs(alpha))
        return x, r, alpha, omega, new, p, q, jnp.where(broken, -1, k + 1)
    zero = jnp.zeros_like(b)
    return lax.while_loop(unfinished, step, (x, r, one, one, one, zero, zero, 0))[0]


def gmres(A, b, x0=None, *, tol=1e-5, atol=0.0, restart=20, maxiter=None, M=None, solve_method="batched"):
    """(x, None): the solution of A x = b for any regular A, by the generalized minimal residual method.

    restart: how many products span the space that is searched before it begins anew; `maxiter` counts such spans. solve_method, 'batched' or
    'incremental', has no effect. See `cg` for the rest.

    >>> import gnomon.numpy as jnp
    >>> jnp.round(gmres(jnp.diag(jnp.array([1.0, 2.0])), jnp.array([1.0, 4.0]))[0], 3).tolist()
    [1.0, 2.0]
    """
    one_of(solve_method, ("batched", "incremental"), "gmres", "solve_method")
    restart = integer(restart, "gmres", "restart")
    if restart < 1:
        raise ValueError(f"gmres takes a positive restart, got {restart}.")
    return solve("gmres", functools.partial(minimal_residuals, restart=restart), A, b, x0, tol, atol, maxiter, M, False)


def minimal_residuals(A, b, x, largest, maxiter, M, restart):
    n = b.shape[0]
    m = min(restart, n)

    def span(x, r):
        """x moved to where the residual is least within r, A r, A A r, ..."""
        size = jnp.linalg.norm(r)
        basis = jnp.zeros((m + 1, n), b.dtype).at[0].set(r / jnp.where(size > 0, size, 1).astype(b.dtype))

        def next_vector(basis, k):
            w = M(A(basis[k]))
            start = jnp.linalg.norm(w)
            h = 0
            for _ in range(2):      # twice is enough to be orthogonal to rounding
                part = jnp.conj(basis) @ w
                w, h = w - part @ basis, h + part
            length = jnp.linalg.norm(w)
            kept = length > 10 * jnp.finfo(b.dtype).eps * start
            w = jnp.where(kept, w / jnp.where(kept, length, 1).astype(b.dtype), 0)
            return basis.at[k + 1].set(w), h.at[k + 1].set(jnp.where(kept, length, 0).astype(b.dtype))
        basis, columns = lax.scan(next_vector, basis, jnp.arange(m))
        goal = jnp.zeros(m + 1, b.dtype).at[0].set(size.astype(b.dtype))
        y = jnp.linalg.lstsq(wide_floats(columns.T), wide_floats(goal))[0].astype(b.dtype)
        return x + y @ basis[:m]

    def residual(x):
        return b - A(x)

    def unfinished(state):
        _, r, k = state
        return (jnp.linalg.norm(r) > largest) & (k < maxiter)

    def step(state):
        x, r, k = state
        x = span(x, M(r))
        return x, residual(x), k + 1
    return lax.while_loop(unfinished, step, (x, residual(x), 0))[0]
