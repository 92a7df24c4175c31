"""custom_linear_solve and custom_root: solutions found by any method, with the derivatives that solutions have."""
from __future__ import annotations

from gnomon.api.control import share_captured, staged
from gnomon.api.custom import custom_jvp
from gnomon.api.differentiate import jvp
from gnomon.api.function import as_values, check_functions, check_leaves, check_returned
from gnomon.base.arguments import flag
from gnomon.base.frames import entry_point
from gnomon.base.source import function_name
from gnomon.base.tree import keystr, tree_flatten, tree_flatten_with_path, tree_unflatten
from gnomon.ops.arithmetic import neg
from gnomon.ops.nested.linear_solve import LinearSolve
from gnomon.ops.shape import StopGradient, zeros
from gnomon.trace.build import program
from gnomon.trace.stage import bind, inline, stage
from gnomon.transforms import jvp as jvp_program
from gnomon.transforms import transpose

__all__ = ["custom_linear_solve", "custom_root"]

_stop_gradient = StopGradient()


def with_aux(out, function, what):
    """The pair (solution, aux) that a solver returned."""
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError(f"{what}: {function_name(function)} must return a pair (solution, aux), since has_aux is set, but it returned {out!r}.")
    return out


@entry_point
def custom_linear_solve(matvec, b, solve, transpose_solve=None, symmetric=False, has_aux=False):
    """The x with matvec(x) = b, as solve(matvec, b) finds it, by iteration or otherwise.

    Its derivative comes from the equation, not from how it was solved: it is the solution of another system with the same matrix. `b` is a
    tree of arrays, and x one of the same types. Derivatives in reverse need transpose_solve(vecmat, b), which solves with the transposed
    function `vecmat`, or `symmetric`. With `has_aux` solve returns (x, aux), and so does this function; aux has no derivative.

    >>> import gnomon.numpy as jnp
    >>> custom_linear_solve(lambda x: 2 * x, jnp.array([2.0, 4.0]), lambda matvec, b: b / 2, symmetric=True).tolist()
    [1.0, 2.0]
    """
    symmetric, has_aux = flag(symmetric, "custom_linear_solve", "symmetric"), flag(has_aux, "custom_linear_solve", "has_aux")
    check_functions("custom_linear_solve", ("transpose_solve",), matvec=matvec, solve=solve, transpose_solve=transpose_solve)
    leaves, tree = tree_flatten(b)
    check_leaves(leaves, "custom_linear_solve", lambda: [f"b{keystr(p)}" for p, _ in tree_flatten_with_path(b)[0]])
    values = as_values(leaves)
    types = [v.type for v in values]
    count = len(values)

    def checked(found, out_tree, what, jaxpr):
        """Complain unless a function returns something like b."""
        if out_tree != tree or [(t.shape, t.dtype) for t in jaxpr.out_types[:count]] != [(t.shape, t.dtype) for t in types]:
            raise TypeError(f"custom_linear_solve: {function_name(found)} ({what}) must return what b is, of structure {tree} and types "
                            f"{list(map(str, types))}, but it returns {out_tree} of {list(map(str, jaxpr.out_types[:count]))}.")

    def solver(found, function, what):
        """Stage a function (linear function, b) -> solution as one of b."""
        aux_tree = None

        def call(b):
            nonlocal aux_tree
            out = found(function, b)
            if has_aux:
                out, aux = with_aux(out, found, "custom_linear_solve")
                aux_tree = tree_flatten(aux)[1]
                return tree_flatten(out)[0], tree_flatten(aux)[0]
            return out
        jaxpr, captured, out_tree = staged(found, tree, types, "custom_linear_solve", call)
        if not has_aux:
            checked(found, out_tree, what, jaxpr)
        return (jaxpr, captured), aux_tree

    matvec_jaxpr, matvec_captured, out_tree = staged(matvec, tree, types, "custom_linear_solve", matvec)
    checked(matvec, out_tree, "matvec", matvec_jaxpr)
    solved, aux_tree = solver(solve, matvec, "solve")
    programs = [(matvec_jaxpr, matvec_captured), solved]
    if symmetric:
        (product, forward), captured = share_captured(programs)
        vecmat, back = product, forward
    elif transpose_solve is None:
        (product, forward), captured = share_captured(programs)
        vecmat = back = None
    else:
        vecmat_of_b = transposed(matvec_jaxpr, matvec_captured, tree)
        also, _ = solver(transpose_solve, vecmat_of_b, "transpose_solve")
        (product, forward, back), captured = share_captured([*programs, also])
        vecmat = with_consts_first(product, len(captured))
    outs = bind(LinearSolve(product, vecmat, forward, back, len(captured)), *captured, *values)
    x = tree_unflatten(tree, outs[:count])
    return (x, tree_unflatten(aux_tree, outs[count:])) if has_aux else x


def with_consts_first(product, n):
    """The transpose of a program that is linear in the inputs behind its first n."""
    linear = (False,) * n + (True,) * (len(product.invars) - n)
    return transpose(product, linear, None, True)[0]


def transposed(jaxpr, captured, tree):
    """The transpose of a linear program, as a function of trees."""
    back = with_consts_first(closed_first(jaxpr), len(captured))

    def vecmat(b):
        return tree_unflatten(tree, inline(back, (), [*captured, *as_values(tree_flatten(b)[0])]))
    return vecmat


def closed_first(jaxpr):
    """The program with what it captured as first inputs."""
    return program([v.type for v in (*jaxpr.constvars, *jaxpr.invars)],
                   lambda *xs: inline(jaxpr, xs[:len(jaxpr.constvars)], xs[len(jaxpr.constvars):]))


@entry_point
def custom_root(f, initial_guess, solve, tangent_solve, has_aux=False):
    """The root x of f, f(x) = 0, as solve(f, initial_guess) finds it, differentiated by the implicit function theorem.

    `initial_guess` is a tree of arrays, x and f(x) are of the same types. tangent_solve(g, y) solves g(x) = y for a linear g. With
    `has_aux` solve returns (x, aux), and so does this function. The derivative is that of x with respect to what f closes over.

    >>> import gnomon
    >>> newton = lambda f, x: gnomon.lax.fori_loop(0, 20, lambda i, x: x - f(x) / gnomon.grad(f)(x), x)
    >>> root = lambda a: custom_root(lambda x: x * x - a, 1.0, newton, lambda g, y: y / g(1.0))
    >>> float(root(4.0)), float(gnomon.grad(root)(4.0))
    (2.0, 0.25)
    """
    has_aux = flag(has_aux, "custom_root", "has_aux")
    check_functions("custom_root", f=f, solve=solve, tangent_solve=tangent_solve)
    leaves, tree = tree_flatten(initial_guess)
    check_leaves(leaves, "custom_root", lambda: [f"initial_guess{keystr(p)}" for p, _ in tree_flatten_with_path(initial_guess)[0]])
    guess = as_values(leaves)
    types = [v.type for v in guess]
    count, aux_tree = len(guess), None

    def find(start):
        nonlocal aux_tree
        out, aux = solve(f, start), ()
        if has_aux:
            out, aux = with_aux(out, solve, "custom_root")
        x, x_tree = tree_flatten(out)
        check_returned(x, f"custom_root: {function_name(solve)} (solve)")
        if x_tree != tree:
            raise TypeError(f"custom_root: {function_name(solve)} (solve) must return what initial_guess is, of structure {tree}, but it returns "
                            f"{x_tree}.")
        flat, aux_tree = tree_flatten(aux)
        return x, flat
    f_jaxpr, f_captured, f_tree = staged(f, tree, types, "custom_root", f)
    if f_tree != tree or [t.shape for t in f_jaxpr.out_types] != [t.shape for t in types]:
        raise TypeError(f"custom_root: {function_name(f)} must return what initial_guess is, of structure {tree} and types "
                        f"{list(map(str, types))}, but it returns {f_tree} of {list(map(str, f_jaxpr.out_types))}.")
    finder = staged(solve, tree, types, "custom_root", find)[:2]
    # everything of the user's is staged now, while what it closes over is there
    slope = slope_program(closed_first(f_jaxpr), len(f_captured), count)
    back, _ = transpose(slope, (False,) * (len(slope.invars) - count) + (True,) * count, None, True)

    def tangent_solver(product):
        def run(*leaves):
            x, y = leaves[:count], leaves[count:]

            def g(v):
                return tree_unflatten(tree, inline(product, (), [*f_captured, *x, *as_values(tree_flatten(v)[0])]))
            found, found_tree = tree_flatten(tangent_solve(g, tree_unflatten(tree, y)))
            check_returned(found, f"custom_root: {function_name(tangent_solve)} (tangent_solve)")
            if found_tree != tree:
                raise TypeError(f"custom_root: {function_name(tangent_solve)} (tangent_solve) must return what initial_guess is, of structure {tree}, "
                                f"but it returns {found_tree}.")
            return as_values(found)
        return stage(run, types * 2, name=function_name(tangent_solve), kind="custom_root")
    staged_programs = [(f_jaxpr, f_captured), finder, tangent_solver(slope), tangent_solver(back)]
    (function, finder, forward, backward), captured = share_captured([(jaxpr, list(c)) for jaxpr, c in staged_programs])
    n = len(captured)
    matvec = slope_program(function, n, count)
    vecmat, _ = transpose(matvec, (False,) * (n + count) + (True,) * count, None, True)
    solver = LinearSolve(matvec, vecmat, forward, backward, n + count)

    @custom_jvp
    def root(consts, start):
        outs = inline(finder, (), [*consts, *start])
        return outs[:count], outs[count:]

    @root.defjvp
    def root_jvp(primals, tangents):
        """f(consts, x) stays 0, so (df/dx) dx = -(df/dconsts) dconsts."""
        consts, start = primals
        x, aux = root(consts, start)
        _, moved = jvp(lambda *consts: inline(function, (), [*consts, *x]), tuple(consts), tuple(tangents[0])) if n else (x, [0 * y for y in x])
        dx = bind(solver, *consts, *x, *[neg(m) for m in moved])
        return (x, aux), (dx, [bind(_stop_gradient, 0 * y) for y in aux])
    x, aux = root(captured, [bind(_stop_gradient, v) for v in guess])
    x = tree_unflatten(tree, x)
    return (x, tree_unflatten(aux_tree, aux)) if has_aux else x


def slope_program(jaxpr, n, count):
    """(first n inputs, x, v) -> how the results move where the last `count` inputs, x, move by v."""
    moved, has = jvp_program(jaxpr, (False,) * n + (True,) * count)
    types = [v.type for v in jaxpr.invars]

    def run(*xs):
        tangents = iter(inline(moved, (), xs)[len(jaxpr.outvars):])
        return [next(tangents) if h else zeros(t) for h, t in zip(has, jaxpr.out_types)]
    return program([*types, *types[n:]], run)
