"""custom_jvp and custom_vjp: functions whose derivatives their author gives."""
from __future__ import annotations

import functools
import inspect
import types

import numpy as np

from gnomon.api.function import Flat, as_values, check_functions, check_leaves, check_returned, lazy_names, type_of, where_traced
from gnomon.base.arguments import flag, integers, strings
from gnomon.base.errors import Refused
from gnomon.base.frames import entry_point
from gnomon.base.lists import pick
from gnomon.base.source import function_name, named_after
from gnomon.base.tree import tree_flatten, tree_map, tree_structure, tree_unflatten, treedef_is_leaf
from gnomon.ir.jaxpr import Jaxpr, intern
from gnomon.ops.arithmetic import add_any
from gnomon.ops.collectives import cotangent_varying, made_vary
from gnomon.ops.convert import convert_element_type
from gnomon.ops.nested.custom import CustomCall, CustomJvpCall, CustomVjpCall, JvpRule, VjpRules
from gnomon.ops.shape import zeros
from gnomon.passes.discharge import discharge_made
from gnomon.trace.build import fresh, with_literals
from gnomon.trace.context import local, scope
from gnomon.trace.stage import Tracer, bind, stage, value_of
from gnomon.trace.value import Value
from gnomon.transforms import has_tangent, tangent_type
from gnomon.types.dtype import is_complex, tangent_dtype


class SymbolicZero:
    """A tangent or cotangent that is known to be zero: it has a type (`aval`) and no numbers."""

    __slots__ = ("aval",)

    def __init__(self, aval):
        self.aval = aval

    shape = property(lambda self: self.aval.shape)
    dtype = property(lambda self: self.aval.dtype)
    ndim = property(lambda self: self.aval.ndim)
    size = property(lambda self: self.aval.size)
    weak_type = property(lambda self: self.aval.weak_type)

    def __repr__(self):
        return f"SymbolicZero({self.aval})"

    def __add__(self, other):
        return other

    __radd__ = __add__


class CustomVJPPrimal:
    """What a custom_vjp forward rule with symbolic zeros gets for each input: its value, and whether it is perturbed."""

    __slots__ = ("value", "perturbed")

    def __init__(self, value, perturbed):
        self.value, self.perturbed = value, perturbed


def zero_from_primal(val, symbolic_zeros=False):
    """The zero tangent of a value, or of each of a tree of values."""
    if not isinstance(val, Value):
        leaves, tree = tree_flatten(val)
        if not treedef_is_leaf(tree) or not leaves:
            return tree_unflatten(tree, [zero_from_primal(x, symbolic_zeros) for x in leaves])
    t = type_of(val)
    if not has_tangent(t):
        return SymbolicZero(t.with_dtype(tangent_dtype(t.dtype))) if symbolic_zeros else np.zeros(t.shape, tangent_dtype(t.dtype))
    return SymbolicZero(tangent_type(t)) if symbolic_zeros else value_of(zeros(tangent_type(t)))


@functools.lru_cache(maxsize=1024)
def _count_of_positional(fun):
    """How many positional arguments a function has, defaults included."""
    try:
        kinds = [p.kind for p in inspect.signature(fun).parameters.values()]
    except (TypeError, ValueError):
        return 0
    return sum(kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for kind in kinds)


def _positional(fun, args, kwargs):
    """Keyword arguments put in their places, and defaults."""
    if not kwargs and len(args) >= _count_of_positional(fun):
        return tuple(args)
    try:
        bound = inspect.signature(fun).bind(*args, **kwargs)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{function_name(fun)}: {error}") from None
    bound.apply_defaults()
    if bound.kwargs:
        raise TypeError(f"The following keyword arguments could not be resolved to positions: {', '.join(bound.kwargs)}; "
                        f"functions with custom derivatives such as {function_name(fun)} take positional arguments.")
    return bound.args


def is_closed(x):
    """Whether a function closes over nothing, or a tuple is empty."""
    if x.__class__ is types.FunctionType:
        return x.__closure__ is None and x.__defaults__ is None and x.__kwdefaults__ is None
    return x.__class__ is tuple and not x


def traced_values(*things):
    """The traced values that functions close over, and those among other arguments; looked for in the places where Python keeps them."""
    stack = [x for x in things if not is_closed(x)]
    if not stack:
        return []
    found, seen = {}, set()
    while stack and len(seen) < 10_000:
        x = stack.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if x.__class__ is Tracer:
            found[id(x)] = x
        elif isinstance(x, (tuple, list)):
            stack.extend(x)
        elif isinstance(x, dict):
            stack.extend(x.values())
        elif isinstance(x, types.FunctionType):
            for cell in x.__closure__ or ():
                try:
                    stack.append(cell.cell_contents)
                except ValueError:          # a cell that is not filled yet
                    pass
            stack.extend((x.__defaults__, x.__kwdefaults__))
        elif isinstance(x, types.MethodType):
            stack.extend((x.__func__, getattr(x.__self__, "__dict__", None)))
        elif isinstance(x, functools.partial):
            stack.extend((x.func, x.args, x.keywords))
        elif isinstance(x, _Custom):
            stack.append(x.fun)
    return list(found.values())


def with_outer(jaxpr, captured, *things):
    """A program that takes, besides what it captured, the traced values that are found in `things`; and all those values."""
    outer = traced_values(*things)
    if not outer:
        return jaxpr, list(captured)
    own = set(map(id, captured))
    also = [x for x in outer if id(x) not in own and (not x.frame.closed or local.frame.has_captured(x))]
    for x in outer:
        x.frame.lent = (*x.frame.lent, id(x))
    if also:
        jaxpr = Jaxpr((*jaxpr.constvars, *fresh([x.type for x in also])), jaxpr.invars, jaxpr.eqns, jaxpr.outvars, jaxpr.names)
    return jaxpr, [*captured, *also]


class _Custom:
    """What custom_jvp and custom_vjp share: sorting arguments, and staging the function."""

    def __init__(self, fun, nondiff_argnums=(), nondiff_argnames=()):
        named_after(self, fun)
        self.fun = fun
        what = type(self).__name__
        check_functions(what, fun=fun)
        nums = set(integers(what, "nondiff_argnums", nondiff_argnums))
        names = strings(what, "nondiff_argnames", nondiff_argnames)
        if names:
            order = list(inspect.signature(fun).parameters)
            for n in names:
                if n not in order:
                    raise ValueError(f"{type(self).__name__} of {function_name(fun)}: nondiff_argnames names {n!r}, which is not among its "
                                     f"arguments {', '.join(order)}.")
                nums.add(order.index(n))
        self.nondiff_argnums = tuple(sorted(nums))
        self.rules = {}

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def sort(self, args, kwargs):
        """All positional arguments, the positions of those that are traced, and the others."""
        args = _positional(self.fun, args, kwargs)
        nums = {i % len(args) if i < 0 else i for i in self.nondiff_argnums}
        if nums and max(nums) >= len(args):
            raise ValueError(f"{type(self).__name__} of {function_name(self.fun)}: nondiff_argnums names argument {max(nums)}, but it was called "
                             f"with {len(args)}.")
        dynamic = [i for i in range(len(args)) if i not in nums]
        return args, dynamic, tuple((i, a) for i, a in enumerate(args) if i in nums)

    def put_back(self, held, dynamic_args):
        """The full positional arguments."""
        rest, fixed = iter(dynamic_args), dict(held)
        return [fixed[i] if i in fixed else next(rest) for i in range(len(held) + len(dynamic_args))]

    def stage(self, args, dynamic, held, what, *rules):
        """(program, the values it takes first: what the function closes over and what only the rules do; how many the former are; the
        leaves of the arguments; structures)."""
        chosen = tuple(args[i] for i in dynamic)
        leaves, tree = tree_flatten(chosen)
        names = lazy_names(self.fun, chosen, {}, dynamic)
        check_leaves(leaves, what, names)
        values = as_values(leaves)
        flat = Flat(self.fun, tree, lambda some: self.fun(*self.put_back(held, some)))
        jaxpr, captured = stage(flat, [v.type for v in values], name=function_name(self.fun), kind=what, arg_names=names)
        n_own = len(captured)
        jaxpr, consts = with_outer(jaxpr, captured, held, *rules)
        return intern(jaxpr.closed()), consts, n_own, values, tree, flat.out_tree

    def rule_for(self, cls, key, consts, *args):
        """One rule object per signature, so that equal calls are equal programs; one per call where it may use traced values."""
        args = (*args, consts)
        if any(x.__class__ is Tracer for x in consts):
            return cls(self, *args)
        key = key, local.axes_key
        try:
            found = self.rules.get(key)
        except TypeError:           # a nondiff argument that is not hashable
            return cls(self, *args)
        if found is None:
            found = self.rules[key] = cls(self, *args)
        return found


class custom_jvp(_Custom):
    """A function with a forward derivative of its own, for use as a decorator; `defjvp` gives the rule.

    The rule is called with (nondiff arguments, primals, tangents) and returns (primal output, tangent output). `nondiff_argnums`
    names arguments that are passed through as they are. Reverse mode follows from the rule, which must be linear in the tangents.

    >>> @custom_jvp
    ... def f(x):
    ...     return x * x
    >>> @f.defjvp
    ... def f_jvp(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return f(x), 10.0 * t
    >>> import gnomon
    >>> float(gnomon.grad(f)(3.0))
    10.0
    """

    jvp = None
    symbolic_zeros = False

    def defjvp(self, jvp, symbolic_zeros=False):
        """Give the rule."""
        check_functions("defjvp", ("jvp",), jvp=jvp)
        self.jvp, self.symbolic_zeros = jvp, flag(symbolic_zeros, "defjvp", "symbolic_zeros")
        self.rules.clear()
        return jvp

    def defjvps(self, *jvps):
        """Give one rule per argument: jvp_i(tangent_i, primal_out, *primals), or None for a zero contribution."""
        for j in jvps:
            check_functions("defjvps", ("jvp",), jvp=j)
        if self.nondiff_argnums:
            raise TypeError(f"defjvps of {function_name(self.fun)} cannot be used with nondiff_argnums. Use defjvp.")

        def rule(primals, tangents):
            out = self(*primals)
            total = None
            for j, t in zip(jvps, tangents):
                if j is not None:
                    term = j(t, out, *primals)
                    total = term if total is None else tree_map(lambda a, b: add_any(value_of(a), value_of(b)), total, term)
            if total is None:
                total = tree_map(zero_from_primal, out)
            return out, total
        self.defjvp(rule)

    @entry_point
    def __call__(self, *args, **kwargs):
        if self.jvp is None:
            raise AttributeError(f"No JVP defined for custom_jvp function {function_name(self.fun)} using defjvp.")
        if local.frame is None:
            traced, out = where_traced(self, args, kwargs)
            return out if traced else self.fun(*args, **kwargs)
        args, dynamic, held = self.sort(args, kwargs)
        jaxpr, consts, n_own, values, tree, out_tree = self.stage(args, dynamic, held, "custom_jvp", self.jvp)
        n = len(consts)
        key = (self.jvp, tree, out_tree, tuple((i, type(a), a) for i, a in held), n, jaxpr.in_types[n:])
        rule = self.rule_for(UserJvpRule, key, consts, held, tree, out_tree, jaxpr)
        outs = bind(CustomJvpCall(jaxpr, rule, function_name(self.fun), n_own, self.symbolic_zeros), *consts, *values)
        return tree_unflatten(out_tree, outs)


class UserJvpRule(JvpRule):
    """A custom_jvp rule, staged when it is needed, once per set of moving inputs."""

    def __init__(self, owner, held, tree, out_tree, jaxpr, consts):
        self.jvp, self.symbolic_zeros, self.fun = owner.jvp, owner.symbolic_zeros, owner.fun
        self.held, self.tree, self.out_tree, self.jaxpr, self.consts = held, tree, out_tree, jaxpr, outer_values(consts)
        self.memo, self.scope = {}, scope()

    def stage(self, nonzero, T):
        if nonzero not in self.memo:
            with self.scope:
                self.memo[nonzero] = self._stage(nonzero)
        return self.memo[nonzero]

    def _stage(self, nonzero):
        in_types = self.jaxpr.in_types
        nonzero = tuple(nz and has_tangent(t) for nz, t in zip(nonzero, in_types))
        n, k = len(in_types), len(self.consts)
        has = []
        name = function_name(self.jvp)

        def run(*xs):
            primals, given = xs[k:n], iter(xs[n + sum(nonzero[:k]):])
            tangents = [next(given) if nz else zero_from_primal(x, self.symbolic_zeros) for x, nz in zip(primals, nonzero[k:])]
            out = self.jvp(*[a for _, a in self.held], tree_unflatten(self.tree, primals), tree_unflatten(self.tree, tangents))
            if not isinstance(out, (tuple, list)) or len(out) != 2:
                raise TypeError(f"Custom JVP rule {name} for function {function_name(self.fun)} must produce a pair (list or tuple of "
                                f"length two) representing primal and tangent outputs, but got {out!r}.")
            primal, tangent = out
            ys, y_tree = tree_flatten(primal)
            if y_tree != self.out_tree:
                raise TypeError(f"Custom JVP rule {name} for function {function_name(self.fun)} must produce primal outputs of structure "
                                f"{self.out_tree}, like the function, but they have {y_tree}.")
            ts, t_tree = tree_flatten(tangent)
            if t_tree != y_tree:        # None may stand for a zero, too
                ts, t_tree = tree_flatten(tangent, lambda x: x is None)
            if t_tree != y_tree:
                raise TypeError(f"Custom JVP rule {name} for function {function_name(self.fun)} must produce primal and tangent outputs "
                                f"with equal container (pytree) structures, but got {y_tree} and {t_tree} respectively.")
            check_returned((*ys, *[t for t in ts if t.__class__ is not SymbolicZero]), f"Custom JVP rule {name} for function {function_name(self.fun)}")
            ys = [self.primal(value_of(y), v.type) for y, v in zip(ys, self.jaxpr.outvars)]
            ts = [self.tangent(t, y) for t, y in zip(ts, ys)]
            has[:] = [t is not None for t in ts]
            return [*ys, *[t for t in ts if t is not None]]
        moving = [tangent_type(t) for t, nz in zip(in_types, nonzero) if nz]
        return stage_rule(self.jvp, run, [*in_types, *moving], self.consts, nonzero, self.fun, "custom_jvp"), tuple(has)

    def primal(self, y, t):
        if y.type.shape != t.shape or y.type.dtype != t.dtype:
            raise TypeError(f"Custom JVP rule {function_name(self.jvp)} for function {function_name(self.fun)} produced a primal output of "
                            f"type {y.type}, but the function's has type {t}.")
        return made_vary(y, t.varying)

    def tangent(self, t, y):
        """A tangent of the output's type, or None for zero."""
        if t is None or t.__class__ is SymbolicZero or getattr(t, "dtype", None) == _FLOAT0:
            return None
        if not has_tangent(y.type):
            return None
        want = tangent_type(y.type)
        t = value_of(t)
        if t.type.shape != want.shape or t.type.dtype != want.dtype and (not t.type.weak_type or is_complex(t.type.dtype) > is_complex(want.dtype)):
            raise TypeError(f"Custom JVP rule {function_name(self.jvp)} for function {function_name(self.fun)} must produce primal and "
                            f"tangent outputs with corresponding shapes and dtypes. Expected {want} (tangent type of {y.type}) but got "
                            f"{t.type}.")
        t = convert_element_type(t, want.dtype, t.type.weak_type) if t.type.dtype != want.dtype else t
        return made_vary(t, want.varying)


def outer_values(consts):
    """The values that a call takes first, as its rules keep them: those that are not traced are constants for the rules too."""
    return [x if x.__class__ is Tracer else None for x in consts]


def stage_rule(rule, run, in_types, consts, nonzero, fun, kind):
    """The program of a rule of the function `fun`; its inputs start with the values `consts`, and so it takes those that it closes over
    from there, where none may be `nonzero`, that is differentiated."""
    known = [x for x in consts if x is not None]
    jaxpr, captured = stage(run, in_types, name=function_name(rule), kind=kind, captured=known)
    used = used_variables(jaxpr)
    moved = {id(x) for x, nz in zip(consts, nonzero) if nz}
    for x, v in zip(known, jaxpr.constvars):
        if id(x) in moved and v in used:
            raise Refused(f"a rule of the function {function_name(fun)} with a derivative of its own closes over a value of type {x.type} that "
                          "is being differentiated; pass it to the function as an argument instead")
    return discharge_made(intern(with_literals(jaxpr, captured, consts)))


def used_variables(jaxpr):
    """The variables that a program uses. A call with rules of its own takes what only its rules use, too, which does not count."""
    used = set(jaxpr.outvars)
    for e in jaxpr.eqns:
        if isinstance(e.op, CustomCall):
            inner = used_variables(e.op.call_jaxpr)
            used.update(v for v, w in zip(e.ins, e.op.call_jaxpr.invars) if w in inner)
        else:
            used.update(e.ins)
    return used


_FLOAT0 = tangent_dtype(np.dtype("int32"))
LEAF = tree_structure(0)


class custom_vjp(_Custom):
    """A function with a reverse derivative of its own, for use as a decorator; `defvjp` gives the rules.

    fwd(*args) returns (output, residuals); bwd(nondiff arguments, residuals, cotangent of the output) returns a tuple with a
    cotangent for each differentiated argument, None for zero.

    >>> @custom_vjp
    ... def f(x):
    ...     return x * x
    >>> f.defvjp(lambda x: (x * x, x), lambda x, ct: (10.0 * ct,))
    >>> import gnomon
    >>> float(gnomon.grad(f)(3.0))
    10.0
    """

    fwd = bwd = None
    symbolic_zeros = False

    def defvjp(self, fwd, bwd, symbolic_zeros=False, optimize_remat=False):
        """Give the forward and the backward rule."""
        check_functions("defvjp", ("fwd", "bwd"), fwd=fwd, bwd=bwd)
        self.fwd, self.bwd, self.symbolic_zeros = fwd, bwd, symbolic_zeros
        self.rules.clear()

    defvjp_all = defvjp

    @entry_point
    def __call__(self, *args, **kwargs):
        if self.fwd is None:
            raise AttributeError(f"No VJP defined for custom_vjp function {function_name(self.fun)} using defvjp.")
        if local.frame is None:
            traced, out = where_traced(self, args, kwargs)
            return out if traced else self.fun(*args, **kwargs)
        args, dynamic, held = self.sort(args, kwargs)
        jaxpr, consts, n_own, values, tree, out_tree = self.stage(args, dynamic, held, "custom_vjp", self.fwd, self.bwd)
        n = len(consts)
        key = (self.fwd, self.bwd, tree, out_tree, tuple((i, type(a), a) for i, a in held), n, jaxpr.in_types[n:])
        rules = self.rule_for(UserVjpRules, key, consts, held, tree, out_tree, jaxpr)
        outs = bind(CustomVjpCall(jaxpr, rules, function_name(self.fun), n_own, self.symbolic_zeros), *consts, *values)
        return tree_unflatten(out_tree, outs)


class UserVjpRules(VjpRules):
    """The rules of a custom_vjp function, staged when they are needed."""

    def __init__(self, owner, held, tree, out_tree, jaxpr, consts):
        self.owner, self.fwd, self.bwd, self.fun, self.symbolic_zeros = owner, owner.fwd, owner.bwd, owner.fun, owner.symbolic_zeros
        self.held, self.tree, self.out_tree, self.jaxpr, self.consts = held, tree, out_tree, jaxpr, outer_values(consts)
        self.memo, self.scope = {}, scope()

    def forward(self, nonzero, T):
        key = ("forward", nonzero)
        if key not in self.memo:
            with self.scope:
                self.memo[key], self.memo["residuals", nonzero] = self._forward(nonzero)
        return self.memo[key]

    def _forward(self, nonzero):
        in_types, k = self.jaxpr.in_types, len(self.consts)
        name, found = function_name(self.fwd), []

        def run(*xs):
            primals = xs[k:]
            if self.symbolic_zeros:
                primals = [CustomVJPPrimal(x, nz) for x, nz in zip(primals, nonzero[k:])]
            out = self.fwd(*self.owner.put_back(self.held, tree_unflatten(self.tree, primals)))
            if not isinstance(out, (tuple, list)) or len(out) != 2:
                raise TypeError(f"Custom VJP fwd rule {name} for function {function_name(self.fun)} must produce a pair (list or tuple of "
                                "length two) where the first element represents the primal output and the second element represents "
                                f"residuals (i.e. values stored from the forward pass for use on the backward pass), but got {out!r}.")
            ys, y_tree = tree_flatten(out[0])
            if y_tree != self.out_tree:
                raise TypeError(f"Custom VJP fwd rule {name} for function {function_name(self.fun)} must produce a first element of "
                                f"structure {self.out_tree}, like the function's output, but it has {y_tree}.")
            check_returned(ys, f"Custom VJP fwd rule {name} for function {function_name(self.fun)}")
            ys = [made_vary(value_of(y), v.type.varying) for y, v in zip(ys, self.jaxpr.outvars)]
            for y, v in zip(ys, self.jaxpr.outvars):
                if y.type.shape != v.type.shape or y.type.dtype != v.type.dtype:
                    raise TypeError(f"Custom VJP fwd rule {name} for function {function_name(self.fun)} produced an output of type "
                                    f"{y.type}, but the function's has type {v.type}.")
            res, res_tree = tree_flatten(out[1])
            # residuals that are not arrays stay as they are; bools and ints may steer Python in the backward rule
            held = [None if is_array_like(r) and r.__class__ not in (bool, int) else r for r in res]
            found[:] = [res_tree, held]
            # what the backward rule may close over comes first
            return [*ys, *[x for x, c in zip(xs, self.consts) if c is not None], *[value_of(r) for r, h in zip(res, held) if h is None]]
        jaxpr = stage_rule(self.fwd, run, in_types, self.consts, nonzero, self.fun, "custom_vjp")
        count = len(jaxpr.outvars) - len(self.jaxpr.outvars)
        return (jaxpr, count), (found[0], found[1], jaxpr.out_types[len(self.jaxpr.outvars):])

    def backward(self, nonzero, has_ct, T):
        self.forward(nonzero, T)
        key = ("backward", nonzero, has_ct)
        if key not in self.memo:
            with self.scope:
                self.memo[key] = self._backward(nonzero, has_ct)
        return self.memo[key]

    def _backward(self, nonzero, has_ct):
        res_tree, held, res_types = self.memo["residuals", nonzero]
        in_types, k = self.jaxpr.in_types, len(self.consts)
        outer = [c for c in self.consts if c is not None]
        name, has = function_name(self.bwd), []

        def run(*xs):
            res, cts, given = iter(xs[len(outer):len(res_types)]), iter(xs[len(res_types):]), iter(has_ct)
            residuals = tree_unflatten(res_tree, [next(res) if h is None else h for h in held])
            ct = tree_unflatten(self.out_tree, [np.zeros(t.shape, _FLOAT0) if not has_tangent(t) else next(cts) if next(given)
                                                else SymbolicZero(tangent_type(t)) for t in self.jaxpr.out_types])
            out = self.bwd(*[a for _, a in self.held], residuals, ct)
            if isinstance(out, list):
                out = tuple(out)
            args = tree_unflatten(self.tree, in_types[k:])
            if not isinstance(out, tuple):
                raise TypeError(f"Custom VJP bwd rule {name} must produce a tuple with one entry per argument, got {type(out).__name__}.")
            if len(out) != len(args):
                raise TypeError(f"Custom VJP bwd rule {name} must produce an output with the same container (pytree) structure as the args "
                                f"tuple of the primal function, and in particular must produce a tuple of length equal to the number of "
                                f"arguments to the primal function, but got {len(out)} for {len(args)}.")
            flat = []
            for i, (c, a) in enumerate(zip(out, args)):
                flat.extend(self.match(c, a, i, name))
            check_returned([c for c in flat if c.__class__ is not SymbolicZero], f"Custom VJP bwd rule {name} for function {function_name(self.fun)}")
            flat = [self.cotangent(c, t, name) for c, t in zip(flat, in_types[k:])]
            flat = [c if c is None or c.type.varying == t.varying else cotangent_varying(c, t.varying) for c, t in zip(flat, in_types[k:])]
            has[:] = [False] * k + [c is not None for c in flat]
            return [c for c in flat if c is not None]
        moving = pick(has_ct, [tangent_type(t) for t in self.jaxpr.out_types if has_tangent(t)])
        moved = [nz for nz, c in zip(nonzero, self.consts) if c is not None]
        return stage_rule(self.bwd, run, [*res_types, *moving], outer, moved, self.fun, "custom_vjp"), tuple(has)

    def match(self, c, a, i, name):
        """The leaves of one argument's cotangent; None stands for a whole tree of zeros."""
        found, c_tree = tree_flatten(c, lambda x: x is None or x.__class__ is SymbolicZero)
        tree = tree_structure(a)
        if c_tree == tree:
            return found
        try:
            parts = [tree_structure(part) for part in c_tree.flatten_up_to(a)]
        except (ValueError, TypeError):
            parts = None
        if parts is None or any(x is not None and part != LEAF for x, part in zip(found, parts)):
            raise TypeError(f"Custom VJP bwd rule {name} must produce a cotangent of structure {tree} for argument {i} of "
                            f"{function_name(self.fun)}, but it has {c_tree}.")
        return [y for x, part in zip(found, parts) for y in [x] * part.num_leaves]

    def cotangent(self, c, t, name):
        if c is None or c.__class__ is SymbolicZero or getattr(c, "dtype", None) == _FLOAT0 or not has_tangent(t):
            return None
        want, c = tangent_type(t), value_of(c)
        if c.type.shape != want.shape or is_complex(c.type.dtype) > is_complex(want.dtype):
            which = "shapes" if c.type.shape != want.shape else "dtypes"
            raise ValueError(f"Custom VJP bwd rule {name} must produce cotangents of the {which} of the arguments of "
                             f"{function_name(self.fun)}, but for an argument of type {t} it produced {c.type}.")
        return convert_element_type(c, want.dtype, c.type.weak_type) if c.type.dtype != want.dtype else c


def is_array_like(x):
    try:
        type_of(x)
        return True
    except TypeError:
        return False
