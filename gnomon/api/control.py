"""Control flow as functions: cond, switch, while_loop, fori_loop, scan, map, associative_scan."""
from __future__ import annotations

import operator

import numpy as np

from gnomon.api.function import Flat, as_values, check_leaves, check_returned, lazy_names, returned_ref, type_of, weakened
from gnomon.api.vmap import vmap
from gnomon.base.arguments import flag
from gnomon.base.frames import entry_point
from gnomon.base.lists import partition, pick
from gnomon.base.settings import current
from gnomon.base.source import function_name, function_place
from gnomon.base.tree import keystr, tree_flatten, tree_flatten_with_path, tree_map, tree_unflatten
from gnomon.ir.dims import drop_dim
from gnomon.ir.jaxpr import Jaxpr, Literal, intern
from gnomon.ops.arithmetic import maximum, minimum
from gnomon.ops.collectives import made_vary
from gnomon.ops.compare import lt, ne
from gnomon.ops.convert import convert_element_type
from gnomon.ops.nested.cond import Cond
from gnomon.ops.nested.scan import Scan
from gnomon.ops.nested.while_loop import While
from gnomon.ops.shape import expand_dims, reshape
from gnomon.ops.slicing import concatenate, rev, slice_in_dim
from gnomon.run.ref import Ref
from gnomon.trace.build import program
from gnomon.trace.stage import Tracer, bind, inline, number_if_known, stage, value_of
from gnomon.types.dtype import is_bool, is_integer, join
from gnomon.types.size import Size, integer, max_size

INT32 = np.dtype("int32")


def staged(fn, tree, types, kind, call=None, names=None):
    """(program, captured values, output tree) of a function of trees, staged on types."""
    flat = Flat(fn, tree, call)
    jaxpr, captured = stage(flat, types, name=function_name(fn), kind=kind, arg_names=names)
    return jaxpr, list(captured), flat.out_tree


def share_captured(staged_programs):
    """Closed programs that all take the union of what each captured, in front of their own inputs; and that union."""
    union = {}
    for _, captured in staged_programs:
        for c in captured:
            union.setdefault(id(c), c)
    order = list(union)
    types = [c.type for c in union.values()]
    out = []
    for jaxpr, captured in staged_programs:
        if len(staged_programs) == 1 or (not union):
            out.append(intern(jaxpr.closed()))
            continue
        where = [order.index(id(c)) for c in captured]

        def run(*xs, jaxpr=jaxpr, where=where):
            return inline(jaxpr, [xs[i] for i in where], xs[len(order):])
        out.append(program((*types, *jaxpr.in_types), run))
    return out, list(union.values())


def converted_outputs(jaxpr, types):
    """A closed program with its outputs converted to these types (of the same shapes)."""
    if all(v.type is t for v, t in zip(jaxpr.outvars, types)):
        return jaxpr

    def run(*xs):
        return [made_vary(convert_element_type(x, t.dtype, t.weak_type), t.varying) for x, t in zip(inline(jaxpr, (), xs), types)]
    return program(jaxpr.in_types, run)


# ---- cond ----------------------------------------------------------------------------------------------------------

_NONE = object()


@entry_point
def cond(pred, true_fun, false_fun, *operands, operand=_NONE, linear=None):
    """`true_fun(*operands)` if `pred`, else `false_fun(*operands)`; only the chosen one runs.

    `pred` is a scalar boolean or number. Both functions must return trees of the same structure, shapes and dtypes (weak types give
    way). Under vmap with a mapped `pred` both run, and the results are selected lane by lane.

    >>> import gnomon.numpy as jnp
    >>> float(cond(True, lambda x: x + 1, lambda x: x - 1, jnp.float32(1.0)))
    2.0
    """
    if not (callable(true_fun) and callable(false_fun)):
        # the older form cond(pred, true_operand, true_fun, false_operand, false_fun)
        if operand is _NONE and len(operands) == 2 and callable(false_fun) and callable(operands[1]):
            true_operand, (false_operand, other) = true_fun, operands
            return cond(pred, lambda both: false_fun(both[0]), lambda both: other(both[1]), (true_operand, false_operand))
        raise TypeError("lax.cond: true_fun and false_fun arguments should be callable.")
    if operand is not _NONE:
        if operands:
            raise TypeError("if 'operand' keyword is passed then no positional operands can be passed, got "
                            f"operand={operand!r} and {len(operands)} positional operands")
        operands = (operand,)
    index = _predicate(pred, "cond")
    if current.disable_jit and not isinstance(index, Tracer):
        return true_fun(*operands) if bool(index) else false_fun(*operands)
    if is_bool(index.type.dtype):
        index = convert_element_type(index, INT32)
    else:
        index = convert_element_type(ne(index, convert_element_type(value_of(0), index.type.dtype)), INT32)
    return branch(index, (false_fun, true_fun), operands, "cond", ("false_fun", "true_fun"))


def _predicate(pred, what):
    try:
        x = value_of(pred)
    except TypeError:
        raise TypeError(f"{what}: the predicate must be a scalar boolean or number, got {type(pred).__name__}.") from None
    if x.type.shape:
        raise TypeError(f"Pred must be a scalar, got {x.type} in a call of {what}. Use gnomon.numpy.where for elementwise choice, or "
                        ".any() or .all().")
    return x


@entry_point
def switch(index, branches, *operands, operand=_NONE):
    """`branches[index](*operands)`; the index is clamped into range.

    >>> import gnomon.numpy as jnp
    >>> float(switch(1, [lambda x: x, lambda x: 2 * x], jnp.float32(3.0)))
    6.0
    """
    branches = tuple(branches) if hasattr(branches, "__iter__") else (branches,)
    if not all(callable(b) for b in branches):
        raise TypeError(f"lax.switch: branches argument should be a sequence of callables, got {branches}.")
    if operand is not _NONE:
        operands = (operand,)
    if not branches:
        raise ValueError("Empty branch sequence: switch needs at least one branch.")
    check_leaves([index], "switch", lambda: ["index"])
    x = value_of(index)
    if x.type.shape:
        raise TypeError(f"Branch index must be scalar, got {x.type} in a call of switch.")
    if not is_integer(x.type.dtype):
        raise TypeError(f"Index type must be an integer, got {x.type} in a call of switch.")
    if len(branches) == 1:
        return branches[0](*operands)
    x = convert_element_type(x, INT32)
    if current.disable_jit and not isinstance(x, Tracer):
        return branches[min(max(int(x), 0), len(branches) - 1)](*operands)
    x = maximum(minimum(x, value_of(np.int32(len(branches) - 1))), value_of(np.int32(0)))
    return branch(x, branches, operands, "switch", [f"branch {i}" for i in range(len(branches))])


def branch(index, branches, operands, what, names, platforms=None):
    """The equation of `branches[index](*operands)`."""
    leaves, tree = tree_flatten((operands, {}))
    check_leaves(leaves, what, lambda: [f"operand{keystr(p)}" for p, _ in tree_flatten_with_path(operands)[0]])
    values = as_values(leaves)
    types = [v.type for v in values]
    order = (1, 0) if what == "cond" else range(len(branches))
    found = [None] * len(branches)
    for i in order:
        found[i] = staged(branches[i], tree, types, what, names=lazy_names(branches[i], operands, {}))
    trees = [t for _, _, t in found]
    for i in range(1, len(trees)):
        if trees[i] != trees[0]:
            raise TypeError(f"{what} branch outputs must have the same pytree structure, but {names[0]} ({function_place(branches[0])}) "
                            f"returns {trees[0]} and {names[i]} ({function_place(branches[i])}) returns {trees[i]}.")
    out_types = _common_types([j.out_types for j, _, _ in found], what, names, trees[0])
    if index.type.varying:
        out_types = [t.update(varying=t.varying | index.type.varying) for t in out_types]
    programs, captured = share_captured([(j, c) for j, c, _ in found])
    programs = [converted_outputs(j, out_types) for j in programs]
    outs = bind(Cond(tuple(programs), platforms), index, *captured, *values)
    return tree_unflatten(trees[0], outs)


def _common_types(columns, what, names, tree):
    """One type per output: equal up to weakness, or a TypeError that names the output and both types."""
    out = []
    for k, types in enumerate(zip(*columns)):
        t = types[0]
        for i, other in enumerate(types[1:], 1):
            joined = weak_join(t, other)
            if joined is None:
                path = _path(tree, k)
                raise TypeError(f"{what} branches must have equal output types, but output{path} of {names[0]} has type {types[0]} and of "
                                f"{names[i]} has type {other}. Convert one of them with .astype.")
            t = joined
        out.append(t)
    return out


def weak_join(a, b):
    """The type that two values of these types can both have, where only weakness stands between them, or that one varies over more manual
    axes; else None."""
    if a is b:
        return a
    if a.varying != b.varying:
        varying = a.varying | b.varying
        return weak_join(a.update(varying=varying), b.update(varying=varying))
    if a.shape != b.shape or a.sharding is not b.sharding or a.memory != b.memory:
        return None
    if a.dtype == b.dtype:
        return a.strong
    if not (a.weak_type or b.weak_type):
        return None
    dtype, weak = join((a.dtype, a.weak_type), (b.dtype, b.weak_type), x64=current.enable_x64)
    keeps = (a.weak_type or a.dtype == dtype) and (b.weak_type or b.dtype == dtype)
    return a.with_dtype(dtype, weak) if keeps else None


def _path(tree, k):
    """The key path of the k-th leaf of a structure."""
    paths = tree_flatten_with_path(tree_unflatten(tree, list(range(tree.num_leaves))))[0]
    return keystr(paths[k][0])


# ---- loops ---------------------------------------------------------------------------------------------------------

class Said:
    """How messages speak of a loop: its name, the user's function, the names of that function's arguments (a function that
    makes the list), and which part of the carry is the user's."""

    def __init__(self, what, fun, names, part=None):
        self.what, self.fun, self.names, self.part = what, fun, names, part

    def structure(self, tree):
        """The structure of the user's part."""
        return tree if self.part is None else tree.children()[self.part]

    def component(self, tree, i):
        """The i-th leaf of the carry in words."""
        path = _path(tree, i)
        return f"carry{path if self.part is None else path.partition(']')[2]}"


def settle_carry(said, stage_body, init, tree):
    """Stage a loop's body until its carry's types settle: weak types give way to what comes out.

    `stage_body(types)` returns (jaxpr, captured, carry out types, carry out tree, rest). Returns that and the initial values."""
    what, name = said.what, function_name(said.fun)
    for _ in range(3 * len(init) + 2):
        types = [v.type for v in init]
        found = stage_body(types)
        out_types, out_tree = found[2], found[3]
        if out_tree != tree:
            raise TypeError(f"{what} body function carry input and carry output must have the same pytree structure, but they differ: the "
                            f"input carry has structure {said.structure(tree)} and {function_place(said.fun)} returns "
                            f"{said.structure(out_tree)}.")
        new = []
        for i, (a, b) in enumerate(zip(types, out_types)):
            t = weak_join(a, b)
            if t is None or t.dtype != a.dtype and not a.weak_type:
                keep = "" if a.shape == b.shape else ", and keep its shape"
                advice = "Keep its shape." if a.dtype == b.dtype else f"Convert it with .astype{keep}."
                raise TypeError(f"{what} body function carry input and carry output must have equal types, but they differ: the component "
                                f"{said.component(tree, i)} of {name} goes in as {a} and comes out as {b}. {advice}")
            t = t if t.dtype == a.dtype else t.strong           # a number that had to become one of another dtype has that one for good
            new.append(a if t.dtype == a.dtype and t.varying == a.varying and (a.weak_type == t.weak_type or not a.weak_type) else t)
        if all(a is b for a, b in zip(types, new)):
            return found, init
        init = [v if v.type is t else made_vary(weakened(v, t), t.varying) for v, t in zip(init, new)]
    raise TypeError(f"{what}: the types of the carry of {name} do not settle. Give the initial carry explicit dtypes.")


@entry_point
def scan(f, init, xs=None, length=None, reverse=False, unroll=1, _split_transpose=False):
    """Run `f(carry, x) -> (carry, y)` over the leading axis of `xs`; returns (last carry, ys stacked).

    `xs` is a tree of arrays with one leading size, or None with `length`. The carry keeps its structure, shapes and dtypes. `unroll`
    is how many steps one iteration of the compiled loop does. `f` is traced once.

    >>> import gnomon.numpy as jnp
    >>> total, sums = scan(lambda c, x: (c + x, c + x), 0, jnp.arange(4))
    >>> int(total), sums.tolist()
    (6, [0, 1, 3, 6])
    """
    if not callable(f):
        raise TypeError("lax.scan: f argument should be a callable.")
    return _scan(f, init, xs, length, reverse, unroll, Said("scan", f, lazy_names(f, (init, xs), {})))


def _scan(f, init, xs, length, reverse, unroll, said):
    what = said.what
    reverse = flag(reverse, what, "reverse")
    xs_leaves, xs_tree = tree_flatten(xs)
    init_leaves, init_tree = tree_flatten(init)
    check_leaves(init_leaves, what, lambda: [f"init{keystr(p)}" for p, _ in tree_flatten_with_path(init)[0]])
    check_leaves(xs_leaves, what, lambda: [f"xs{keystr(p)}" for p, _ in tree_flatten_with_path(xs)[0]])
    xs_values, init_values = as_values(xs_leaves), as_values(init_leaves)
    length = _scan_length(what, xs, xs_values, length)
    unroll = (max(length, 1) if unroll else 1) if isinstance(unroll, bool) else integer(unroll, what, "unroll")
    if unroll < 1:
        raise ValueError(f"{what}: unroll must be a positive integer, got {unroll}.")
    if current.disable_jit:
        return _python_scan(f, init, xs_values, xs_tree, length, reverse)
    x_types = [drop_dim(v.type, 0) for v in xs_values]
    both = _Pair(init_tree, xs_tree, f, said)

    def stage_body(types):
        flat = both.flat(types)
        jaxpr, captured = stage(flat, [*types, *x_types], name=function_name(said.fun), kind=what, arg_names=said.names)
        k = both.carry_tree.num_leaves
        return jaxpr, list(captured), jaxpr.out_types[:k], both.carry_tree, both.y_tree
    (jaxpr, captured, out_types, _, y_tree), init_values = settle_carry(said, stage_body, init_values, init_tree)
    k = len(init_values)
    body = intern(jaxpr.closed())
    body = converted_outputs(body, [*[v.type for v in init_values], *body.out_types[k:]])
    # a part of the carry that never changes is a constant of the loop, and a y that is an x needs no loop
    n = len(captured)
    still = [out is before for out, before in zip(body.outvars, body.invars[n:])][:k]
    x_of = dict(zip(body.invars[n + k:], xs_values))
    found = [*[v if s else None for v, s in zip(init_values, still)], *[None if y.__class__ is Literal else x_of.get(y) for y in body.outvars[k:]]]
    body = without(body, n, still, [v is not None for v in found])
    moving, fixed = partition(still, init_values)
    outs = iter(bind(Scan(body, length, n + len(fixed), len(moving), bool(reverse), unroll), *captured, *fixed, *moving, *xs_values))
    outs = [next(outs) if v is None else v for v in found]
    return tree_unflatten(init_tree, outs[:k]), tree_unflatten(y_tree, outs[k:])


def without(jaxpr, n_consts, still, dropped=()):
    """A loop's program (constants, carry, ...) with the parts of the carry that are `still` as further constants, and without the outputs
    that are `dropped`."""
    if not any(still) and not any(dropped):
        return jaxpr
    n = n_consts + len(still)
    moving, fixed = partition(still, jaxpr.invars[n_consts:n])
    outs = pick([not d for d in dropped], jaxpr.outvars) if dropped else jaxpr.outvars
    return intern(Jaxpr((), (*jaxpr.invars[:n_consts], *fixed, *moving, *jaxpr.invars[n:]), jaxpr.eqns, outs, jaxpr.names))


class _Pair:
    """scan's body as a function of lists; remembers the structures of what it returns."""

    def __init__(self, init_tree, xs_tree, f, said):
        self.init_tree, self.xs_tree, self.f, self.said = init_tree, xs_tree, f, said
        self.carry_tree = self.y_tree = None

    def flat(self, types):
        k = len(types)

        def run(*leaves):
            out = self.f(tree_unflatten(self.init_tree, leaves[:k]), tree_unflatten(self.xs_tree, leaves[k:]))
            if not isinstance(out, (tuple, list)) or len(out) != 2:
                raise TypeError("scan body output must be a pair (carry, y), but "
                                f"{function_name(self.f)} returned a value of type {type(out).__name__}.")
            carry, self.carry_tree = tree_flatten(out[0])
            ys, self.y_tree = tree_flatten(out[1])
            for x in (*carry, *ys):
                if x.__class__ is Ref:
                    raise returned_ref(x, function_name(self.said.fun))
            try:
                return [value_of(x) for x in (*carry, *ys)]
            except TypeError as error:
                name = function_name(self.said.fun)
                raise TypeError(f"{self.said.what}: {name} must return arrays or trees of arrays: {error}") from None
        return run


def _scan_length(what, xs, values, length):
    sizes = []
    for v, (path, _) in zip(values, tree_flatten_with_path(xs)[0]):
        if not v.type.shape:
            raise ValueError(f"{what} got value with no leading axis to scan over: xs{keystr(path)} has type {v.type}. Pass it as part "
                             "of the carry, or close over it.")
        sizes.append(v.type.shape[0])
    if length is not None:
        try:
            length = length if isinstance(length, Size) else operator.index(length)
        except TypeError:
            raise TypeError(f"{what}: length must be an integer known while tracing, got {length!r}.") from None
        if length < 0:
            raise ValueError(f"{what}: length must not be negative, got {length}.")
        if any(n != length for n in sizes):
            raise ValueError(f"{what} got `length` argument of {length} which disagrees with leading axis sizes {sizes}.")
        return length
    if not sizes:
        raise ValueError(f"{what} got no values to scan over and `length` not provided.")
    if len(set(sizes)) != 1:
        paths = [f"xs{keystr(path)} has {n}" for (path, _), n in zip(tree_flatten_with_path(xs)[0], sizes)]
        raise ValueError(f"{what} got values with different leading axis sizes: {', '.join(paths)}.")
    return sizes[0]


def _python_scan(f, carry, xs, xs_tree, length, reverse):
    """scan with disable_jit: a Python loop."""
    ys = []
    for i in (range(length - 1, -1, -1) if reverse else range(length)):
        carry, y = f(carry, tree_unflatten(xs_tree, [x[i] for x in xs]))
        ys.append(y)
    if reverse:
        ys.reverse()
    if not ys:
        raise ValueError("zero-length scan is not supported in disable_jit() mode because the output type is unknown.")
    return carry, tree_map(lambda *rows: _stack(rows), *ys)


def _stack(rows):
    rows = [value_of(r) for r in rows]
    return concatenate([expand_dims(r, (0,)) for r in rows], 0)


@entry_point
def while_loop(cond_fun, body_fun, init_val):
    """Repeat `val = body_fun(val)` while `cond_fun(val)`; returns the last value.

    The value keeps its structure, shapes and dtypes. The number of steps need not be known, so it can be differentiated forward
    but not in reverse.

    >>> int(while_loop(lambda x: x < 10, lambda x: 2 * x, 1))
    16
    """
    if not (callable(body_fun) and callable(cond_fun)):
        raise TypeError("lax.while_loop: body_fun and cond_fun arguments should be callable.")
    return _while(cond_fun, body_fun, init_val, Said("while_loop", body_fun, lazy_names(body_fun, (init_val,), {})))


def _while(cond_fun, body_fun, init_val, said):
    leaves, tree = tree_flatten(init_val)
    check_leaves(leaves, said.what, lambda: [f"init_val{keystr(p)}" for p, _ in tree_flatten_with_path(init_val)[0]])
    values = as_values(leaves)
    if current.disable_jit:
        val = init_val
        while cond_fun(val):
            val = body_fun(val)
        return val

    def stage_body(types):
        jaxpr, captured, out_tree = staged(body_fun, tree, types, said.what, body_fun, said.names)
        return jaxpr, captured, jaxpr.out_types, out_tree
    (jaxpr, captured, _, _), values = settle_carry(said, stage_body, values, tree)
    types = [v.type for v in values]
    cond_jaxpr, cond_captured, cond_tree = staged(cond_fun, tree, types, said.what, cond_fun, lazy_names(cond_fun, (init_val,), {}))
    if cond_tree.num_leaves != 1 or cond_tree.num_nodes != 1:
        raise TypeError(f"cond_fun must return a boolean scalar, but {function_name(cond_fun)} returned the structure {cond_tree}.")
    t = cond_jaxpr.out_types[0]
    if t.shape or not is_bool(t.dtype):
        raise TypeError(f"cond_fun must return a boolean scalar, but {function_name(cond_fun)} returned {t}.")
    if any(t.varying - v.type.varying for v in values):         # where the number of steps varies, so does what comes out
        return _while(cond_fun, body_fun, tree_unflatten(tree, [made_vary(v, t.varying) for v in values]), said)
    body = converted_outputs(intern(jaxpr.closed()), types)
    n, m = len(cond_captured), len(captured)
    still = [out is before for out, before in zip(body.outvars, body.invars[m:])]       # constants of the loop
    moving, fixed = partition(still, values)
    cond_jaxpr, cond_consts = used_consts(without(intern(cond_jaxpr.closed()), n, still), [*cond_captured, *fixed])
    body, consts = used_consts(without(body, m, still, still), [*captured, *fixed])
    outs = iter(bind(While(cond_jaxpr, body, len(cond_consts), len(consts)), *cond_consts, *consts, *moving))
    return tree_unflatten(tree, [v if s else next(outs) for v, s in zip(values, still)])


def used_consts(jaxpr, consts):
    """A loop's program without those of its first inputs, `consts`, that it does not use; and those that it does."""
    used = {v for e in jaxpr.eqns for v in e.ins if v.__class__ is not Literal}.union(v for v in jaxpr.outvars if v.__class__ is not Literal)
    n = len(consts)
    keep = [v in used for v in jaxpr.invars[:n]]
    if all(keep):
        return jaxpr, consts
    return intern(Jaxpr((), (*pick(keep, jaxpr.invars[:n]), *jaxpr.invars[n:]), jaxpr.eqns, jaxpr.outvars, jaxpr.names)), pick(keep, consts)


@entry_point
def fori_loop(lower, upper, body_fun, init_val, *, unroll=None):
    """`for i in range(lower, upper): val = body_fun(i, val)`; returns the last value.

    With bounds known while tracing, as all numbers are under `grad` alone, it is a scan and can be differentiated in reverse; else a while
    loop. `unroll` needs known bounds.

    >>> int(fori_loop(0, 5, lambda i, x: x + i, 0))
    10
    """
    if not callable(body_fun):
        raise TypeError("lax.fori_loop: body_fun argument should be callable.")
    for name, bound in (("lower", lower), ("upper", upper)):
        check_leaves([bound], "fori_loop", lambda: [name])
        t = type_of(bound)
        if t.shape or not is_integer(t.dtype):
            raise TypeError(f"fori_loop: {name} must be an integer scalar, got {t}.")
    lower, upper = number_if_known(lower), number_if_known(upper)
    if not (isinstance(lower, Tracer) or isinstance(upper, Tracer)):
        start, stop = [b if isinstance(b, Size) else int(b) for b in (lower, upper)]
        if current.disable_jit:
            val = init_val
            for i in range(start, stop):
                val = body_fun(value_of(i), val)
            return val
        first = value_of(start)             # a Python number, whatever the bounds were: the index is weak

        def step(carry, _):
            i, val = carry
            return (i + 1, body_fun(i, val)), None
        said = Said("fori_loop", body_fun, lazy_names(body_fun, (0, init_val), {}), part=1)
        (_, out), _ = _scan(step, (first, init_val), None, max_size(stop - start, 0), False, 1 if unroll is None else unroll, said)
        return out
    if unroll is not None and unroll is not False and integer(unroll, "fori_loop", "unroll") != 1:
        raise ValueError("Can only use `unroll` in `fori_loop` if the loop bounds are statically known.")
    dtype = _index_type(lower, upper)
    low, high = (convert_element_type(value_of(b), dtype, type_of(b).weak_type) for b in (lower, upper))
    names = lazy_names(body_fun, (0, init_val), {})
    said = Said("fori_loop", body_fun, lambda: [names()[0], "upper", *names()[1:]], part=2)
    _, _, out = _while(lambda c: lt(c[0], c[1]), lambda c: (c[0] + 1, c[1], body_fun(c[0], c[2])), (low, high, init_val), said)
    return out


def _index_type(lower, upper):
    a, b = type_of(lower), type_of(upper)
    return join((a.dtype, a.weak_type), (b.dtype, b.weak_type), x64=current.enable_x64)[0]


@entry_point
def map(f, xs, *, batch_size=None):  # noqa: A001 - JAX's name
    """Apply `f` to each element along the leading axis of `xs`, one after the other, and stack the results.

    With `batch_size`, that many at a time under vmap.

    >>> import gnomon.numpy as jnp
    >>> map(lambda x: x * x, jnp.arange(3)).tolist()
    [0, 1, 4]
    """
    if not callable(f):
        raise TypeError(f"lax.map needs a function first, got {f!r}.")
    if batch_size is None:
        return _map(f, f, xs)
    batch_size = integer(batch_size, "lax.map", "batch_size")
    if batch_size < 1:
        raise ValueError(f"lax.map: batch_size must be a positive integer or None, got {batch_size}.")
    leaves, tree = tree_flatten(xs)
    check_leaves(leaves, "map", lambda: [f"xs{keystr(p)}" for p, _ in tree_flatten_with_path(xs)[0]])
    values = as_values(leaves)
    n = _scan_length("map", xs, values, None)
    whole = n // batch_size * batch_size
    batched = vmap(f)
    head = tree_unflatten(tree, [v[:whole].reshape((whole // batch_size, batch_size, *v.type.shape[1:])) for v in values])
    parts = []
    if whole:
        ys = _map(batched, f, head)
        parts.append(tree_map(lambda y: y.reshape((whole, *y.shape[2:])), ys))
    if whole < n or not parts:
        parts.append(batched(tree_unflatten(tree, [v[whole:] for v in values])))
    return parts[0] if len(parts) == 1 else tree_map(lambda *ys: concatenate(list(ys), 0), *parts)


def _map(f, fun, xs):
    return _scan(lambda _, x: ((), f(x)), (), xs, None, False, 1, Said("map", fun, lazy_names(fun, (xs,), {})))[1]


VMAPPED = "Where it works on single elements, give it vmapped"


@entry_point
def associative_scan(fn, elems, reverse=False, axis=0):
    """All prefix combinations of an associative function, in about log2(n) rounds.

    `fn(a, b)` combines two trees of arrays with any leading size; `elems` is such a tree. With `reverse`, suffixes.

    >>> import gnomon.numpy as jnp
    >>> associative_scan(jnp.add, jnp.arange(4)).tolist()
    [0, 1, 3, 6]
    """
    if not callable(fn):
        raise TypeError("lax.associative_scan: fn argument should be callable.")
    leaves, tree = tree_flatten(elems)
    check_leaves(leaves, "associative_scan", lambda: [f"elems{keystr(p)}" for p, _ in tree_flatten_with_path(elems)[0]])
    values, axis, reverse = as_values(leaves), integer(axis, "associative_scan", "axis"), flag(reverse, "associative_scan", "reverse")
    for v in values:
        if not -v.type.ndim <= axis < v.type.ndim:
            raise ValueError(f"associative_scan: axis {axis} is out of range for an element of type {v.type}.")
    if reverse:
        values = [rev(v, (axis % v.type.ndim,)) for v in values]
    sizes = {v.type.shape[axis] for v in values}
    if len(sizes) > 1:
        raise ValueError("Array inputs to associative_scan must have the same first dimension. (saw: "
                         f"{[v.type.shape for v in values]})")

    def combine(a, b):
        out, out_tree = tree_flatten(fn(tree_unflatten(tree, a), tree_unflatten(tree, b)))
        if out_tree != tree:
            raise TypeError(f"associative_scan: {function_name(fn)} must return the structure of one element, {tree}, but returned {out_tree}.")
        check_returned(out, f"associative_scan: {function_name(fn)}")
        out = as_values(out)
        for x, like in zip(out, a):
            if x.type.shape != like.type.shape or x.type.dtype != like.type.dtype:
                raise TypeError(f"associative_scan: {function_name(fn)} must keep the types of its arguments, but made {x.type} of two values "
                                f"of type {like.type}. {'Convert elems first' if x.type.shape == like.type.shape else VMAPPED}.")
        return out

    def run(xs):
        n = xs[0].type.shape[axis]
        if n < 2:
            return xs
        pairs = combine([_cut(x, 0, n - 1, 2, axis) for x in xs], [_cut(x, 1, n, 2, axis) for x in xs])
        odd = run(pairs)
        if n % 2 == 0:
            before = [_cut(x, 0, x.type.shape[axis] - 1, 1, axis) for x in odd]
        else:
            before = odd
        even = combine(before, [_cut(x, 2, n, 2, axis) for x in xs]) if n > 2 else []
        first = [_cut(x, 0, 1, 1, axis) for x in xs]
        even = [concatenate([f, e], axis % f.type.ndim) for f, e in zip(first, even)] if n > 2 else first
        return [_interleave(e, o, axis) for e, o in zip(even, odd)]
    out = run(values) if values else values
    if reverse:
        out = [rev(v, (axis % v.type.ndim,)) for v in out]
    return tree_unflatten(tree, out)


def _cut(x, start, stop, step, axis):
    return slice_in_dim(x, start, stop, axis % x.type.ndim, step)


def _interleave(even, odd, axis):
    """even[0], odd[0], even[1], odd[1], ...; `even` may have one element more."""
    axis %= even.type.ndim
    n = odd.type.shape[axis]
    head = _cut(even, 0, n, 1, axis)
    pairs = concatenate([expand_dims(head, (axis + 1,)), expand_dims(odd, (axis + 1,))], axis + 1)
    shape = odd.type.shape
    out = reshape(pairs, (*shape[:axis], 2 * n, *shape[axis + 1:]))
    return out if even.type.shape[axis] == n else concatenate([out, _cut(even, n, n + 1, 1, axis)], axis)
