"""Functions that close over values or come with their own reverse: closure_convert, custom_gradient, linear_call, fwd_and_bwd."""
from __future__ import annotations

from gnomon.api.custom import CustomVJPPrimal, custom_vjp
from gnomon.api.differentiate import _argnums, vjp, wraps
from gnomon.api.function import Flat, as_values, check_functions, check_leaves, check_returned, lazy_names, stage_closed, type_of
from gnomon.api.jit import jit
from gnomon.base.errors import Refused
from gnomon.base.frames import entry_point
from gnomon.base.lists import merge, partition
from gnomon.base.source import function_name, named_after
from gnomon.base.tree import tree_flatten, tree_map, tree_unflatten
from gnomon.ir.jaxpr import Jaxpr, intern
from gnomon.ops.convert import convert_element_type
from gnomon.ops.nested.linear_call import LinearCall
from gnomon.trace.build import fresh
from gnomon.trace.stage import Tracer, bind, inline, stage, value_of
from gnomon.transforms import has_tangent, tangent_type


@entry_point
def closure_convert(fun, *example_args):
    """(the function with what it closes over as further arguments, those values).

    Hoisted are the traced values with derivatives that `fun` closes over; `fun` is traced once on the types of `example_args`, so
    the new function takes arguments of these types only: `converted(*args, *hoisted)`. A custom_vjp function can so be given a
    function that closes over values being differentiated.

    >>> converted, hoisted = closure_convert(lambda x: x + 1, 2.0)
    >>> float(converted(3.0, *hoisted)), hoisted
    (4.0, [])
    """
    check_functions("closure_convert", fun=fun)
    leaves, tree = tree_flatten(example_args)
    name = function_name(fun)
    check_leaves(leaves, "closure_convert", lazy_names(fun, example_args, {}))
    types = [type_of(x) for x in leaves]
    flat = Flat(fun, tree, lambda args: fun(*args))
    jaxpr, captured = stage(flat, types, name=name, kind="closure_convert")
    hoist = [x.__class__ is Tracer and has_tangent(x.type) for x in captured]
    held, hoisted = partition(hoist, captured)
    closed, out_tree, n = intern(jaxpr.closed()), flat.out_tree, len(hoisted)

    @wraps(fun, "")
    @entry_point
    def converted(*args_and_hoisted):
        count = len(args_and_hoisted) - n
        args, given = args_and_hoisted[:count], args_and_hoisted[count:]
        leaves, args_tree = tree_flatten(tuple(args))
        if args_tree != tree:
            raise TypeError(f"The function that closure_convert made of {name} takes arguments of structure {tree}, like the example "
                            f"arguments, and {n} hoisted values, but got {args_tree}.")
        values = _like(leaves, types, f"The function that closure_convert made of {name}")
        return tree_unflatten(out_tree, inline(closed, (), [*merge(hoist, held, as_values(given)), *values]))
    return converted, hoisted


def _like(leaves, types, what):
    """Values of exactly these types, up to weakness."""
    values = as_values(leaves)
    for i, (v, t) in enumerate(zip(values, types)):
        if v.type.strong is not t.strong:
            if v.type.shape == t.shape and v.type.weak_type:
                values[i] = convert_element_type(v, t.dtype, t.weak_type)
                continue
            raise TypeError(f"{what} was traced for values of type {t} and given {v.type} as value {i}.")
    return values


def custom_vjp_primal_tree_values(tree):
    """A tree of what a forward rule with symbolic zeros gets (`CustomVJPPrimal`), as the tree of its values."""
    return tree_map(lambda x: x.value if isinstance(x, CustomVJPPrimal) else x, tree, is_leaf=lambda x: isinstance(x, CustomVJPPrimal))


class _Backward:
    """The reverse of one call of a custom_gradient function: a program of what it closes over and of the cotangent."""

    def __init__(self, jaxpr: Jaxpr, out_tree):
        self.jaxpr, self.out_tree = jaxpr, out_tree


def custom_gradient(fun=None, *, with_logs=False, remat=False, with_accums=None):
    """A function that returns (value, reverse function) as one that returns the value and is differentiated by that function.

    The reverse function takes a cotangent of the value and returns those of the arguments: a tuple, or one where there is one
    argument. It may use whatever `fun` computed; `fun` runs once, forward.

    >>> import gnomon
    >>> @custom_gradient
    ... def f(x):
    ...     return x ** 2, lambda ct: (ct * x,)
    >>> float(f(3.0)), float(gnomon.grad(f)(3.0))
    (9.0, 3.0)
    """
    if with_logs or remat or with_accums:
        raise Refused("custom_gradient takes no with_logs, remat or with_accums; use custom_vjp, inside checkpoint for remat")
    if fun is None:
        return custom_gradient
    check_functions("custom_gradient", fun=fun)

    def both(*args):
        found = fun(*args)
        if not isinstance(found, (tuple, list)) or len(found) != 2 or not callable(found[1]):
            raise TypeError(f"custom_gradient: {function_name(fun)} must return a pair (value, function from cotangents to cotangents), but "
                            f"returned {found!r}.")
        check_returned(tree_flatten(found[0])[0], f"custom_gradient: {function_name(fun)}")
        return found

    @custom_vjp
    def wrapped(*args):
        return both(*args)[0]

    def fwd(*args):
        out, back = both(*args)
        leaves, tree = tree_flatten(out)
        flat = Flat(back, tree, back)
        jaxpr, captured = stage(flat, [tangent_type(value_of(x).type) for x in leaves], name=function_name(back), kind="custom_gradient")
        return out, (list(captured), _Backward(intern(jaxpr.closed()), flat.out_tree))

    def bwd(residuals, ct):
        captured, back = residuals
        cts = tree_unflatten(back.out_tree, inline(back.jaxpr, (), [*captured, *as_values(tree_flatten(ct)[0])]))
        return tuple(cts) if isinstance(cts, (tuple, list)) else (cts,)
    wrapped.defvjp(fwd, bwd)
    return named_after(wrapped, fun)


@entry_point
def linear_call(fun, fun_transpose, residual_args, linear_args):
    """`fun(residual_args, linear_args)`, linear in `linear_args`, whose transpose is `fun_transpose(residual_args, cotangent)`.

    Both must be linear in their second argument; the derivative is refused in the first.

    >>> import gnomon
    >>> half = lambda r, x: x / r
    >>> float(gnomon.grad(lambda x: linear_call(half, half, 2.0, x))(3.0))
    0.5
    """
    res_leaves, res_tree = tree_flatten(residual_args)
    lin_leaves, lin_tree = tree_flatten(linear_args)
    name = function_name(fun)
    check_leaves([*res_leaves, *lin_leaves], "linear_call", lambda: [f"number {i}" for i in range(len(res_leaves) + len(lin_leaves))])
    residuals, values = as_values(res_leaves), as_values(lin_leaves)
    n = len(residuals)
    res_types, lin_types = [v.type for v in residuals], [v.type for v in values]
    forward = _OfTwo(fun, res_tree, lin_tree, n)
    callee, captured = stage_closed(forward, [*residuals, *values], name=name, kind="linear_call", known=None)
    backward = _OfTwo(fun_transpose, res_tree, forward.out_tree, n)
    ct_types = [tangent_type(t) for t in callee.out_types]
    transposed, also = stage(backward, [*res_types, *ct_types], name=function_name(fun_transpose), kind="linear_call")
    transposed = intern(transposed.closed())
    if backward.out_tree != lin_tree or [t.shape for t in transposed.out_types] != [t.shape for t in lin_types]:
        raise TypeError(f"linear_call: {function_name(fun_transpose)} must return values like the linear arguments of {name}, of structure "
                        f"{lin_tree} and types {[str(t) for t in lin_types]}, but it returns {backward.out_tree} of "
                        f"{[str(t) for t in transposed.out_types]}.")
    # what either of the two closes over is a residual of both
    k, m = len(captured), len(also)
    both = [*captured, *also, *residuals]
    callee = _with_inputs(callee, k, also)
    transposed = _with_inputs(transposed, 0, captured)
    outs = bind(LinearCall(callee, k + m + n, transposed), *both, *values)
    return tree_unflatten(forward.out_tree, outs)


def _with_inputs(jaxpr, at, values):
    """The program with inputs like these values inserted, which it does not use."""
    invars = jaxpr.invars
    return intern(Jaxpr((), (*invars[:at], *fresh([v.type for v in values]), *invars[at:]), jaxpr.eqns, jaxpr.outvars))


class _OfTwo:
    """A function of two trees as a function of their leaves; remembers the structure of its output."""

    def __init__(self, fn, first, second, n):
        self.fn, self.first, self.second, self.n = fn, first, second, n
        self.out_tree = None

    def __call__(self, *xs):
        out = self.fn(tree_unflatten(self.first, xs[:self.n]), tree_unflatten(self.second, xs[self.n:]))
        leaves, self.out_tree = tree_flatten(out)
        return [value_of(x) for x in leaves]


def fwd_and_bwd(fun, argnums, has_aux=False, jitted=True):
    """A pair of functions: forward, `fwd(*args)` -> (value, residuals) or (value, residuals, aux), and backward,
    `bwd(residuals, cotangent of the value)` -> the cotangents of the arguments in `argnums`.

    Unlike with `vjp`, the backward function can be compiled once and used for many calls.

    >>> fwd, bwd = fwd_and_bwd(lambda x, y: x * y, argnums=(0, 1))
    >>> y, residuals = fwd(2.0, 3.0)
    >>> [float(ct) for ct in bwd(residuals, 1.0)]
    [3.0, 2.0]
    """
    nums, single = _argnums(argnums, "fwd_and_bwd")

    def fwd(*args, **kwargs):
        positions = [i % len(args) for i in nums]

        def of_chosen(*chosen):
            full_args = list(args)
            for i, a in zip(positions, chosen):
                full_args[i] = a
            return fun(*full_args, **kwargs)
        return vjp(of_chosen, *[args[i] for i in positions], has_aux=has_aux)

    def bwd(residuals, ct):
        cts = residuals(ct)
        return cts[0] if single else cts
    fwd, bwd = wraps(fun, "fwd")(fwd), wraps(fun, "bwd")(bwd)
    return (jit(fwd), jit(bwd)) if jitted else (fwd, bwd)
