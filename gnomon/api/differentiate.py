"""grad, value_and_grad, vjp, jvp, linearize, linear_transpose, jacfwd, jacrev, hessian."""
from __future__ import annotations

import numpy as np

from gnomon.api.function import (Flat, as_values, check_functions, check_leaves, lazy_names, put, run_here, stage_closed, thread_refs, type_of,
                                 value_in, weakened)
from gnomon.api.vjp_refs import VJP
from gnomon.api.vmap import vmap
from gnomon.base.arguments import flag, integers
from gnomon.base.errors import Refused
from gnomon.base.frames import entry_point
from gnomon.base.source import function_name, named_after
from gnomon.base.tree import Partial, tree_flatten, tree_leaves, tree_map, tree_structure, tree_unflatten
from gnomon.ops.convert import convert_element_type
from gnomon.ops.shape import full, reshape, zeros
from gnomon.passes.discharge import discharge_made
from gnomon.run.array import Array
from gnomon.run.ref import Ref
from gnomon.trace.context import local
from gnomon.trace.build import program
from gnomon.trace.stage import inline, value_of
from gnomon.transforms import cotangent_type, has_tangent, jvp as jvp_program, linearize as linearize_program, tangent_type
from gnomon.transforms.linearize import tell_kept
from gnomon.transforms import transpose as transpose_program, vjp as vjp_program
from gnomon.types.value_type import RefType
from gnomon.types.dtype import is_complex, is_float, is_integer, tangent_dtype


def wraps(fn, what):
    """A decorator that gives a function the name of the one it wraps, with the transform's in front."""
    return lambda wrapper: named_after(wrapper, fn, what)


def _no_reduce_axes(reduce_axes, what):
    if reduce_axes:
        raise Refused(f"{what} takes no reduce_axes; sum the result over the axis with lax.psum")


def _argnums(argnums, what):
    """argnums as (tuple, whether it was a single int)."""
    if argnums is None:
        raise TypeError(f"{what}: argnums must be an int or a sequence of ints, got None.")
    return integers(what, "argnums", argnums), hasattr(argnums, "__index__") and not isinstance(argnums, (list, tuple))


def _all_move(in_nzs, what):
    if in_nzs is not None and not all(x is True for x in tree_leaves(in_nzs)):
        raise Refused(f"{what} takes no in_nzs but True; close over the arguments that do not move, or pass them through lax.stop_gradient")


def _flags(what, has_aux, holomorphic=False, allow_int=False):
    return flag(has_aux, what, "has_aux"), flag(holomorphic, what, "holomorphic"), flag(allow_int, what, "allow_int")


def _selected(fn, what, argnums, args):
    nums, single = _argnums(argnums, what)
    n = len(args)
    for i in nums:
        if not -n <= i < n:
            raise TypeError(f"{what} of {function_name(fn)} with respect to argument {i} needs at least "
                             f"{(i if i >= 0 else -i - 1) + 1} positional arguments, but it was called with {n}. Pass it by position.")
    return tuple(i % n for i in nums), single


def _check_input(t, what, fn, name, holomorphic, allow_int):
    dtype = t.dtype
    if holomorphic and not is_complex(dtype):
        raise TypeError(f"{what} of {function_name(fn)} with holomorphic=True needs complex inputs, but argument {name} has type {t}.")
    if is_complex(dtype) and not holomorphic and what == "jacfwd":
        raise TypeError(f"jacfwd of {function_name(fn)} needs real inputs, but argument {name} has type {t}. Use holomorphic=True for a "
                        "holomorphic function, else jvp.")
    if not has_tangent(t) and not allow_int:
        raise TypeError(f"{what} requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact), but argument "
                        f"{name} of {function_name(fn)} has type {t}. Convert it with .astype(float), or close over it.")


def _stage(fn, args, kwargs, nums, what, has_aux, allow_int=False, holomorphic=False):
    """Stage fn as a function of the leaves of some arguments; the others stay as they are."""
    chosen = tuple(args[i] for i in nums)
    leaves, tree = tree_flatten(chosen)
    names = lazy_names(fn, chosen, {}, nums)
    check_leaves(leaves, what, names)
    values = as_values(leaves)
    for i, v in enumerate(values):
        t = v.type
        if t.__class__ is RefType:
            raise _not_of_refs(what, fn, names()[i], t)
        if holomorphic or not is_float(t.dtype):
            _check_input(t, what, fn, names()[i], holomorphic, allow_int)

    def call(chosen):
        full_args = list(args)
        for i, a in zip(nums, chosen):
            full_args[i] = a
        return fn(*full_args, **kwargs)

    flat = Flat(fn, tree, call, has_aux, what)
    jaxpr, captured = stage_closed(flat, values, name=function_name(fn), kind=what, arg_names=names)
    jaxpr, captured, values, refs = thread_refs(f"{what} of {function_name(fn)}", jaxpr, captured, values, names)
    return flat, jaxpr, captured, values, tree, refs


def grad(fun, argnums=0, has_aux=False, holomorphic=False, allow_int=False, reduce_axes=()):
    """The gradient of a scalar function with respect to one or several positional arguments.

    The gradient has the structure, shapes and dtypes of the arguments; with `has_aux`, `fun` returns (value, aux) and the
    result is (gradient, aux). For complex inputs it is the conjugate-free convention of JAX.

    >>> float(grad(lambda x: x ** 3)(2.0))
    12.0
    """
    asked = _gradient_flags("grad", fun, has_aux, holomorphic, allow_int, reduce_axes)

    @wraps(fun, "grad")
    @entry_point
    def grad_f(*args, **kwargs):
        value, gradient = _value_and_gradient("grad", fun, argnums, asked, args, kwargs)
        return (gradient, value[1]) if asked[0] else gradient
    return grad_f


def value_and_grad(fun, argnums=0, has_aux=False, holomorphic=False, allow_int=False, reduce_axes=()):
    """Like `grad`, and the value: (value, gradient), or ((value, aux), gradient) with `has_aux`.

    >>> value, gradient = value_and_grad(lambda x: x * x)(3.0)
    >>> float(value), float(gradient)
    (9.0, 6.0)
    """
    asked = _gradient_flags("value_and_grad", fun, has_aux, holomorphic, allow_int, reduce_axes)

    @wraps(fun, "value_and_grad")
    @entry_point
    def value_and_grad_f(*args, **kwargs):
        return _value_and_gradient("value_and_grad", fun, argnums, asked, args, kwargs)
    return value_and_grad_f


def _gradient_flags(what, fun, has_aux, holomorphic, allow_int, reduce_axes):
    if not callable(fun):
        raise TypeError(f"{what} needs a function, got {type(fun).__name__}.")
    _no_reduce_axes(reduce_axes, what)
    return _flags(what, has_aux, holomorphic, allow_int)


def _value_and_gradient(what, fun, argnums, asked, args, kwargs):
    """What the function made by value_and_grad returns, and `grad` takes its result from."""
    has_aux, holomorphic, allow_int = asked
    nums, single = _selected(fun, what, argnums, args)
    flat, jaxpr, captured, values, tree, refs = _stage(fun, args, kwargs, nums, what, has_aux, allow_int, holomorphic)
    n_aux = flat.aux[1] if has_aux else 0
    _check_output(fun, flat, jaxpr, n_aux + len(refs), holomorphic)
    if local.manual:
        _check_lanes(fun, what, jaxpr.outvars[0].type, values)
    made = _gradient_program(jaxpr, len(captured), n_aux + len(refs))
    tell_kept(jaxpr)
    if refs:
        _check_still(refs, jaxpr, len(captured), f"{what} of {function_name(fun)}")
    outs = refs.store(run_here(made, [*captured, *values], f"{what}({function_name(fun)})"), 1 + n_aux)
    value, aux, gs = outs[0], outs[1:1 + n_aux], iter(outs[1 + n_aux:])
    gs = tree_unflatten(tree, _as_weak(gs, [v.type for v in values]))
    if has_aux:
        value = value, tree_unflatten(flat.aux[0], aux)
    return value, gs[0] if single else gs


def _check_still(refs, jaxpr, n_captured, who):
    """References from outside, whose last values are the program's last outputs, may not be given what moves."""
    nonzero = (False,) * n_captured + (True,) * (len(jaxpr.invars) - n_captured)
    refs.check_still(who, jvp_program(jaxpr, nonzero)[1][-len(refs):])


LEAF = tree_structure(0)


def _as_weak(moved, types):
    """Tangents or cotangents, as weak as the values they belong to; float0 arrays for those that have none."""
    return [(x if (x := next(moved)).type is t else weakened(x, tangent_type(t))) if has_tangent(t) else _no_tangent(t) for t in types]


def _no_tangent(t):
    """The cotangent of an integer or boolean: an array of float0."""
    return np.zeros(t.shape, tangent_dtype(t.dtype))


def _check_output(fun, flat, jaxpr, n_aux, holomorphic):
    n = len(jaxpr.outvars) - n_aux
    name = function_name(fun)
    if n != 1 or flat.out_tree != LEAF:
        raise TypeError(f"Gradient only defined for scalar-output functions. {name} returned a tree of {n} value{'' if n == 1 else 's'} "
                        f"({flat.out_tree}); return one number, or use has_aux=True for the rest.")
    t = jaxpr.outvars[0].type
    if t.shape:
        raise TypeError(f"Gradient only defined for scalar-output functions. Output of {name} had shape: {t.shape}. Sum it, or use "
                        "jacrev or vjp.")
    if is_complex(t.dtype) and not holomorphic:
        raise TypeError(f"grad requires real-valued outputs (output dtype that is a sub-dtype of np.floating), but {name} returned "
                        f"{t}. For holomorphic functions use holomorphic=True; else return a real number.")
    if not is_complex(t.dtype) and not is_float(t.dtype):
        raise TypeError(f"grad requires real- or complex-valued outputs (output dtype that is a sub-dtype of np.inexact), but {name} "
                        f"returned {t}. Convert it with .astype(float).")
    if holomorphic and not is_complex(t.dtype):
        raise TypeError(f"grad of {name} with holomorphic=True needs a complex output, but it returned {t}.")


def _check_lanes(fun, what, out, values):
    """Under shard_map, the gradient of what varies by a value that does not is summed over the devices: under a vmap that would add up lanes
    that have only their number in common."""
    frame = local.frame
    while frame is not None and frame.kind not in ("vmap", "shard_map"):
        frame = frame.parent
    extra = [out.varying - v.type.varying for v in values if has_tangent(v.type) and out.varying - v.type.varying]
    if extra and frame is not None and frame.kind == "vmap":
        axes = ", ".join(sorted(map(repr, extra[0])))
        raise TypeError(f"{what} of {function_name(fun)}, under vmap inside shard_map: its output is varying over the mesh axis {axes} and the "
                        "value to differentiate by is not, so the gradient of each lane would be the sum of the lanes of this number on all "
                        f"devices. Apply lax.pcast(value, {axes}, to='varying') for each device's own gradient, or psum the output for that "
                        "of the sum.")


def _gradient_program(jaxpr, n_captured, n_aux):
    """(captured, inputs) -> (value, aux, gradients of the inputs that have one); remembered on the program."""
    key = ("grad", n_captured, n_aux)
    found = jaxpr.memo.get(key)
    if found is None:
        n_in = len(jaxpr.invars)
        nonzero = (False,) * n_captured + (True,) * (n_in - n_captured)
        has_ct = (True,) + (False,) * n_aux
        early, back, has, count = vjp_program(jaxpr, nonzero, has_ct)
        moves = has[0]
        types = [v.type for v, nz in zip(jaxpr.invars, nonzero) if nz and has_tangent(v.type)]

        def run(*xs):
            outs = inline(early, (), xs)
            n = len(outs) - count
            value = outs[0]
            if moves:
                one = full(tangent_type(value.type), 1)
                gs = inline(back, (), [*outs[n:], one])
            else:
                gs = [zeros(tangent_type(t)) for t in types]
            return [*outs[:n], *gs]
        found = jaxpr.memo[key] = program(jaxpr.in_types, run)
    return found


# ---- vjp and linear maps ---------------------------------------------------------------------------------------

class _Linear:
    """A function that runs a program on values held and trees given: what vjp and linearize return."""

    def __init__(self, jaxpr, in_tree, in_types, out_tree, build, name, what):
        self.jaxpr, self.in_tree, self.in_types, self.out_tree = jaxpr, in_tree, in_types, out_tree
        self.build, self.name, self.what = build, name, what

    @entry_point
    def __call__(self, held, *given):
        if self.what == "vjp" and len(given) != 1:
            raise TypeError(f"The function returned by vjp of {self.name} takes one cotangent, got {len(given)} arguments.")
        tree_in = given[0] if self.what == "vjp" else given
        leaves, tree = tree_flatten(tree_in)
        if tree != self.in_tree:
            word = "cotangent" if self.what == "vjp" else "tangent"
            raise ValueError(f"The {word} given to the function returned by {self.what} of {self.name} has structure {tree}, but it must "
                             f"have {self.in_tree}.")
        values = _match(leaves, self.in_types, self.what, self.name)
        return self.build(run_here(self.jaxpr, [*held, *values], f"{self.what}({self.name})"))

    def __eq__(self, other):
        return isinstance(other, _Linear) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def _key(self):
        return self.jaxpr, self.in_tree, self.out_tree, self.what


def _match(leaves, types, what, name):
    """Tangents or cotangents for values of these types; integers take none (float0), but in linear_transpose others like themselves."""
    out, linear = [], what == "linear_transpose"
    for i, (x, t) in enumerate(zip(leaves, types)):
        want = cotangent_type(t) if linear else tangent_type(t)
        if not (has_tangent(t) or linear):
            continue
        try:
            got = type_of(x)
        except TypeError:
            raise TypeError(f"{what} of {name}: value {i} of the {'tangent' if what == 'linearize' else 'cotangent'} must be an array of the type "
                            f"{want}, to match {t}, but is of type {type(x).__name__}: {x!r}.") from None
        if got.shape != want.shape or got.dtype != want.dtype:
            if got.shape == want.shape and got.weak_type and is_float(want.dtype) == (not is_complex(got.dtype)):
                out.append(convert_element_type(value_of(x), want.dtype, want.weak_type))
                continue
            if got.shape == want.shape and got.weak_type and is_complex(want.dtype):
                out.append(convert_element_type(value_of(x), want.dtype, want.weak_type))
                continue
            raise ValueError(f"{what} of {name}: value {i} of the {'tangent' if what == 'linearize' else 'cotangent'} must have the "
                             f"type {want}, to match {t}, but has {got}.")
        out.append(weakened(value_of(x), want))
    return out


@entry_point
def vjp(fun, *primals, has_aux=False, reduce_axes=(), saveable_args=True, in_nzs=None):
    """(fun(*primals), a function from a cotangent of the output to the cotangents of the primals).

    >>> y, back = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> [float(ct) for ct in back(1.0)]
    [3.0, 2.0]
    """
    if not callable(fun):
        raise TypeError(f"vjp needs a function, got {type(fun).__name__}.")
    has_aux = flag(has_aux, "vjp", "has_aux")
    _no_reduce_axes(reduce_axes, "vjp")
    _all_move(in_nzs, "vjp")
    if saveable_args is not True:
        raise Refused("vjp takes no saveable_args but True; wrap the function in checkpoint with a policy to say what is kept")
    flat, jaxpr, captured, values, tree, refs = _stage_any(fun, primals, "vjp", has_aux)
    n_aux = flat.aux[1] if has_aux else 0
    n_out = len(jaxpr.outvars) - n_aux - len(refs)
    nonzero = (False,) * len(captured) + (True,) * len(values)
    early, back, has, count = vjp_program(jaxpr, nonzero, (True,) * n_out + (False,) * (n_aux + len(refs)))
    tell_kept(jaxpr)
    if refs:
        _check_still(refs, jaxpr, len(captured), f"vjp of {function_name(fun)}")
    outs = refs.store(run_here(early, [*captured, *values], function_name(fun)), n_out + n_aux)
    outs, residuals = outs[:len(outs) - count], outs[len(outs) - count:]
    out_types = [v.type for v in jaxpr.outvars[:n_out]]
    moves = has[:n_out]
    in_types = [v.type for v in values]
    full_back = _all_cotangents(back, residuals, out_types, moves, in_types)

    def build(cts):
        return tree_unflatten(tree, _as_weak(iter(cts), in_types))
    f_vjp = VJP(_Linear(full_back, flat.out_tree, out_types, tree, build, function_name(fun), "vjp"), residuals)
    out = tree_unflatten(flat.out_tree, outs[:n_out])
    return (out, f_vjp, tree_unflatten(flat.aux[0], outs[n_out:])) if has_aux else (out, f_vjp)


def _all_cotangents(back, residuals, out_types, moves, in_types):
    """`back` as a program of the residuals and cotangents of all outputs that can have one."""
    if all(m for m, t in zip(moves, out_types) if has_tangent(t)):
        return back
    key = ("all cotangents", tuple(moves), tuple(out_types), tuple(in_types))
    found = back.memo.get(key)
    if found is None:
        n = len(residuals)
        given = [t for t in out_types if has_tangent(t)]
        use = [m for m, t in zip(moves, out_types) if has_tangent(t)]

        def run(*xs):
            return inline(back, (), [*xs[:n], *[x for x, u in zip(xs[n:], use) if u]])
        found = back.memo[key] = program([*[r.type for r in residuals], *map(tangent_type, given)], run)
    return found


def _not_of_refs(what, fn, name, t):
    return TypeError(f"{what} of {function_name(fn)} differentiates with respect to arrays, but its argument {name} is a mutable reference of "
                     f"type {t}. Pass what it refers to, ref[...], or close over it.")


def _stage_any(fun, primals, what, has_aux, flattened=None):
    """Stage fun as a function of all leaves of its positional arguments, of whatever dtype."""
    leaves, tree = tree_flatten(tuple(primals)) if flattened is None else flattened
    names = lazy_names(fun, primals, {})
    check_leaves(leaves, what, names)
    values = as_values(leaves)
    for i, v in enumerate(values):
        if v.type.__class__ is RefType and what != "jvp":
            raise _not_of_refs(what, fun, names()[i], v.type)
    flat = Flat(fun, tree, lambda args: fun(*args), has_aux, what)
    jaxpr, captured = stage_closed(flat, values, name=function_name(fun), kind=what, arg_names=names)
    jaxpr, captured, values, refs = thread_refs(f"{what} of {function_name(fun)}", jaxpr, captured, values, names)
    return flat, jaxpr, captured, values, tree, refs


def _checked_tangents(primals, tangents, what):
    """The leaves of the tangents, and those of the primals with their structure."""
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError(f"primal and tangent arguments to {what} must be tuples or lists; found {type(primals).__name__} and "
                        f"{type(tangents).__name__}.")
    flattened, (leaves, b) = tree_flatten(tuple(primals)), tree_flatten(tuple(tangents))
    a = flattened[1]
    if a != b:
        raise TypeError(f"primal and tangent arguments to {what} must have the same tree structure; primals have tree structure {a} "
                        f"whereas tangents have tree structure {b}.")
    return leaves, flattened


@entry_point
def jvp(fun, primals, tangents, has_aux=False):
    """(fun(*primals), how it moves when the primals move by the tangents): a directional derivative.

    >>> y, dy = jvp(lambda x: x * x, (3.0,), (1.0,))
    >>> float(y), float(dy)
    (9.0, 6.0)
    """
    if not callable(fun):
        raise TypeError(f"jvp needs a function, got {type(fun).__name__}.")
    has_aux = flag(has_aux, "jvp", "has_aux")
    moving_leaves, flattened = _checked_tangents(primals, tangents, "jvp")
    flat, jaxpr, captured, values, _, refs = _stage_any(fun, primals, "jvp", has_aux, flattened)
    names = lazy_names(fun, tuple(primals), {})
    moved, nonzero, of_refs = [], [], {}
    check_leaves(moving_leaves, "jvp", lambda: [f"tangent of {n}" for n in names()])
    for i, (v, t) in enumerate(zip(values, moving_leaves)):
        if t.__class__ is Array and t.type is v.type and has_tangent(t.type):
            moved.append(t)
            nonzero.append(True)
            continue
        if isinstance(t, Ref):
            of_refs[len(captured) + i] = t = as_values([t])[0]
            t = value_in(t)
        got, want = type_of(t) if not _is_float0(t) else None, tangent_type(v.type)
        if not has_tangent(v.type):
            if got is not None:
                raise TypeError(f"primal and tangent arguments to jvp do not match; dtypes must be equal, or in case of int/bool primal "
                                f"dtype the tangent dtype must be float0. Argument {names()[i]} has type {v.type}, so its tangent must "
                                f"be np.zeros({v.type.shape}, float0), got {got}.")
            nonzero.append(False)
            continue
        if got is None or got.shape != want.shape:
            raise ValueError(f"jvp called with different primal and tangent shapes; argument {names()[i]} has type {v.type} and its "
                             f"tangent {got}.")
        if got.dtype != want.dtype:
            if not got.weak_type or is_complex(got.dtype) > is_complex(want.dtype):
                raise TypeError("primal and tangent arguments to jvp do not match; dtypes must be equal, or in case of int/bool primal "
                                f"dtype the tangent dtype must be float0. Argument {names()[i]} has type {v.type} and its tangent {got}.")
            t = convert_element_type(value_of(t), want.dtype)
        moved.append(weakened(value_of(t), want))
        nonzero.append(True)
    n_aux = flat.aux[1] if has_aux else 0
    n = len(jaxpr.outvars) - n_aux - len(refs)
    moving = [i in of_refs for i in refs.places]
    made, has = jvp_program(jaxpr, ((False,) * len(captured) + tuple(nonzero)), (*(True,) * n, *(False,) * n_aux, *moving))
    refs.check_still(f"jvp of {function_name(fun)}", [h and not m for h, m in zip(has[n + n_aux:], moving)])
    outs = refs.store(run_here(made, [*captured, *values, *moved], f"jvp({function_name(fun)})"), n + n_aux)
    for i, t in zip([i for i, m in zip(refs.places, moving) if m], outs[len(outs) - sum(moving):]):
        put(of_refs[i], t)
    out_tangents = _as_weak(iter(outs[n + n_aux:]), [v.type for v in jaxpr.outvars[:n]])
    out = tree_unflatten(flat.out_tree, outs[:n]), tree_unflatten(flat.out_tree, out_tangents)
    return (*out, tree_unflatten(flat.aux[0], outs[n:n + n_aux])) if has_aux else out


def _is_float0(x):
    return getattr(x, "dtype", None) == _FLOAT0


_FLOAT0 = tangent_dtype(np.dtype("int32"))


@entry_point
def linearize(fun, *primals, has_aux=False, in_nzs=None):
    """(fun(*primals), the linear function from tangents of the primals to the tangent of the output), at the primals.

    >>> y, f_lin = linearize(lambda x: x * x, 3.0)
    >>> float(f_lin(1.0))
    6.0
    """
    check_functions("linearize", fun=fun)
    has_aux = flag(has_aux, "linearize", "has_aux")
    _all_move(in_nzs, "linearize")
    flat, jaxpr, captured, values, tree, refs = _stage_any(fun, primals, "linearize", has_aux)
    n_aux = flat.aux[1] if has_aux else 0
    n_out = len(jaxpr.outvars) - n_aux - len(refs)
    early, later, has, count = linearize_program(jaxpr, (False,) * len(captured) + (True,) * len(values))
    refs.check_still(f"linearize of {function_name(fun)}", has[n_out + n_aux:])
    outs = refs.store(run_here(early, [*captured, *values], function_name(fun)), n_out + n_aux)
    outs, residuals = outs[:len(outs) - count], outs[len(outs) - count:]
    out_types = [v.type for v in jaxpr.outvars[:n_out]]
    out_tree = flat.out_tree

    def build(ts):
        ts = iter(ts)
        found = [next(ts) if h else None for h in has]
        return tree_unflatten(out_tree, [t if t is not None else value_of(zeros(tangent_type(o))) if has_tangent(o) else _no_tangent(o)
                                         for t, o in zip(found, out_types)])
    f_lin = Partial(_Linear(later, tree, [v.type for v in values], out_tree, build, function_name(fun), "linearize"), residuals)
    out = tree_unflatten(out_tree, outs[:n_out])
    return (out, f_lin, tree_unflatten(flat.aux[0], outs[n_out:])) if has_aux else (out, f_lin)


@entry_point
def linear_transpose(fun, *primals, reduce_axes=()):
    """The transpose of a linear function, whose inputs have the types of `primals` (arrays or ShapeDtypeStructs).

    >>> f_t = linear_transpose(lambda x: 3.0 * x, 1.0)
    >>> float(f_t(2.0)[0])
    6.0
    """
    _no_reduce_axes(reduce_axes, "linear_transpose")
    check_functions("linear_transpose", fun=fun)
    leaves, tree = tree_flatten(tuple(primals))
    check_leaves(leaves, "linear_transpose", lazy_names(fun, primals, {}))
    types = [type_of(x) for x in leaves]
    flat = Flat(fun, tree, lambda args: fun(*args))
    stand_ins = [_Typed(t) for t in types]
    jaxpr, captured = stage_closed(flat, stand_ins, name=function_name(fun), kind="linear_transpose", known=None)
    if any(c.type.__class__ is RefType for c in captured):
        raise TypeError(f"linear_transpose of {function_name(fun)}: the function closes over a mutable reference. Read it outside: ref[...].")
    jaxpr = discharge_made(jaxpr)
    out_types = [v.type for v in jaxpr.outvars]
    for of, found in (("takes", types), ("returns", out_types)):
        for t in found:
            if not (has_tangent(t) or is_integer(t.dtype)):
                raise TypeError(f"linear_transpose of {function_name(fun)}: a linear function is one of numbers, but this one {of} a value of "
                                f"type {t}. Close over it instead.")
    back, _ = transpose_program(jaxpr, (False,) * len(captured) + (True,) * len(types))

    @entry_point
    def transposed(ct):
        given, ct_tree = tree_flatten(ct)
        if ct_tree != flat.out_tree:
            raise TypeError(f"cotangent tree does not match function output, expected {flat.out_tree} but got {ct_tree}")
        values = _match(given, out_types, "linear_transpose", function_name(fun))
        cts = run_here(back, [*captured, *values], f"transpose({function_name(fun)})")
        return tree_unflatten(tree, [weakened(ct, cotangent_type(t)) for ct, t in zip(cts, types)])
    return transposed


class _Typed:
    __slots__ = ("type",)

    def __init__(self, type):
        self.type = type


# ---- Jacobians -------------------------------------------------------------------------------------------------

def jacfwd(fun, argnums=0, has_aux=False, holomorphic=False):
    """The Jacobian of `fun` by forward mode, one jvp a column: best for more outputs than inputs.

    Each output leaf becomes a tree like the argument, with leaves of shape output.shape + input.shape.

    >>> jacfwd(lambda x: x * x)(2.0).shape
    ()
    """
    check_functions("jacfwd", fun=fun)
    has_aux, holomorphic, _ = _flags("jacfwd", has_aux, holomorphic)

    @wraps(fun, "jacfwd")
    @entry_point
    def jacobian(*args, **kwargs):
        nums, single = _selected(fun, "jacfwd", argnums, args)
        chosen = tuple(args[i] for i in nums)
        leaves, tree = tree_flatten(chosen)
        _check_some(leaves, "jacfwd", fun, lazy_names(fun, chosen, {}, nums))
        values = as_values(leaves)
        for v, name in zip(values, lazy_names(fun, chosen, {}, nums)()):
            if holomorphic or not is_float(v.type.dtype):
                _check_input(v.type, "jacfwd", fun, name, holomorphic, False)

        def of_chosen(*new):
            full_args = list(args)
            for i, a in zip(nums, new):
                full_args[i] = a
            return fun(*full_args, **kwargs)
        named_after(of_chosen, fun)

        def push(*tangents):
            _, *rest = jvp(of_chosen, tree_unflatten(tree, values), tree_unflatten(tree, tangents), has_aux=has_aux)
            return rest
        sizes = [v.type.size for v in values]
        basis = _basis([v.type for v in values], sizes)
        columns, *aux = vmap(push, out_axes=[-1, None] if has_aux else [-1])(*basis)
        out = tree_map(lambda y: _split_last(y, tree, values, sizes, single), columns)
        return (out, *aux) if has_aux else out
    return jacobian


def jacrev(fun, argnums=0, has_aux=False, holomorphic=False, allow_int=False):
    """The Jacobian of `fun` by reverse mode, one vjp a row: best for more inputs than outputs.

    Same structure and shapes as `jacfwd`.

    >>> jacrev(lambda x: x * x)(2.0).shape
    ()
    """
    check_functions("jacrev", fun=fun)
    has_aux, holomorphic, allow_int = _flags("jacrev", has_aux, holomorphic, allow_int)

    @wraps(fun, "jacrev")
    @entry_point
    def jacobian(*args, **kwargs):
        nums, single = _selected(fun, "jacrev", argnums, args)
        chosen = tuple(args[i] for i in nums)
        leaves = tree_leaves(chosen)
        _check_some(leaves, "jacrev", fun, lazy_names(fun, chosen, {}, nums))
        for x, name in zip(leaves, lazy_names(fun, chosen, {}, nums)()):
            t = type_of(x)
            if holomorphic or not is_float(t.dtype):
                _check_input(t, "jacrev", fun, name, holomorphic, allow_int)

        def of_chosen(*new):
            full_args = list(args)
            for i, a in zip(nums, new):
                full_args[i] = a
            return fun(*full_args, **kwargs)
        named_after(of_chosen, fun)
        y, back, *aux = vjp(of_chosen, *chosen, has_aux=has_aux)
        out_leaves, out_tree = tree_flatten(y)
        if not out_leaves:
            raise TypeError(f"jacrev of {function_name(fun)}: the function returns no arrays, so there is nothing to differentiate.")
        types = [v.type for v in out_leaves]
        for t in types:
            _check_jacobian_output(t, fun, holomorphic)
        sizes = [t.size for t in types]
        rows = vmap(lambda *cts: back(tree_unflatten(out_tree, cts)))(*_basis(types, sizes))
        in_leaves, in_tree = tree_flatten(rows)
        per_output = []
        for i, t in enumerate(types):
            start = sum(sizes[:i])
            blocks = [_rows(x, start, sizes[i], t.shape) for x in in_leaves]
            block = tree_unflatten(in_tree, blocks)
            per_output.append(block[0] if single else block)
        out = tree_unflatten(out_tree, per_output)
        return (out, aux[0]) if has_aux else out
    return jacobian


def hessian(fun, argnums=0, has_aux=False, holomorphic=False):
    """The matrix of second derivatives: jacfwd of jacrev.

    >>> float(hessian(lambda x: x ** 3)(2.0))
    12.0
    """
    check_functions("hessian", fun=fun)
    _argnums(argnums, "hessian")
    has_aux, holomorphic, _ = _flags("hessian", has_aux, holomorphic)
    return jacfwd(jacrev(fun, argnums, has_aux=has_aux, holomorphic=holomorphic), argnums, has_aux=has_aux, holomorphic=holomorphic)


jacobian = jacrev


def _check_some(leaves, what, fun, names):
    check_leaves(leaves, what, names)
    if not leaves:
        raise TypeError(f"{what} of {function_name(fun)}: the arguments that argnums names hold no arrays, so there is nothing to differentiate "
                        "with respect to.")


def _check_jacobian_output(t, fun, holomorphic):
    if is_complex(t.dtype) and not holomorphic:
        raise TypeError(f"jacrev requires real-valued outputs (output dtype that is a sub-dtype of np.floating), but {function_name(fun)} "
                        f"returned {t}. For holomorphic functions use holomorphic=True.")
    if not has_tangent(t):
        raise TypeError(f"jacrev requires real- or complex-valued outputs, but {function_name(fun)} returned {t}. Convert it with "
                        ".astype(float), or return it with has_aux=True.")


def _basis(types, sizes):
    """The standard basis of the space of all leaves together: one stacked array per leaf."""
    total, start, out = sum(sizes), 0, []
    for t, n in zip(types, sizes):
        if not has_tangent(t):
            out.append(np.zeros((total, *t.shape), tangent_dtype(t.dtype)))
        else:
            block = np.zeros((total, n), t.dtype)
            block[np.arange(n) + start, np.arange(n)] = 1
            out.append(block.reshape((total, *t.shape)))
        start += n
    return out


def _rows(x, start, n, shape):
    if _is_float0(x):                   # of an integer input
        return np.zeros((*shape, *x.shape[1:]), x.dtype)
    return reshape(value_of(x[start:start + n]), (*shape, *x.shape[1:]))


def _split_last(y, tree, values, sizes, single):
    """Cut a Jacobian's last axis into blocks with the shapes of the inputs."""
    start, out = 0, []
    for v, n in zip(values, sizes):
        out.append(reshape(value_of(y[..., start:start + n]), (*y.shape[:-1], *v.type.shape)))
        start += n
    out = tree_unflatten(tree, out)
    return out[0] if single else out
