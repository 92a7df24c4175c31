"""einsum: sums of products written with one letter per dimension."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.base.late import Late
from gnomon.base.settings import current
from gnomon.numpy.axes import function_argument, integer, plain_values, sequence
from gnomon.numpy.contraction import Plan, Planner
from gnomon.numpy.promote import as_value, joined, note_weak, requested_dtype
from gnomon.ops.dot import canonical_precision
from gnomon.run.array import Array
from gnomon.trace.stage import Tracer

__all__ = ["einsum", "einsum_path"]

_plans: dict = {}
opt_einsum = Late("opt_einsum")         # finds good orders for products of three operands and more


def einsum(subscripts, /, *operands, out=None, optimize="auto", precision=None, preferred_element_type=None,
           _dot_general=None, out_sharding=None):
    """Sums of products by Einstein's convention: "ij,jk->ik" is the matrix product.

    subscripts: a letter per dimension of each operand, commas between operands, after "->" the result's dimensions. Letters
    that the result lacks are summed over; without "->" the result has those that occur once, sorted. "..." stands for further
    dimensions, which broadcast. Instead, operands and lists of integers may alternate: einsum(a, [0, 1], b, [1, 2], [0, 2]).
    optimize: in which order more than two operands are multiplied, as opt_einsum takes it ("auto", "optimal", "greedy", or a
    list of pairs). precision, preferred_element_type: as for `matmul`. _dot_general: a function with the signature of
    lax.dot_general that multiplies instead of it. Errors: ValueError for subscripts that do not fit.
    Also TypeError for what is no array (lists included).

    >>> import gnomon.numpy as jnp
    >>> einsum("ij,j->i", jnp.ones((2, 3)), jnp.arange(3.0))
    Array([3., 3.], dtype=float32)
    """
    if out is not None:
        raise Refused("einsum makes a new array; `out` cannot be written to. Leave it out.")
    if subscripts.__class__ is not str:
        subscripts, operands = alternating(subscripts, operands)
    if _dot_general is not None:
        function_argument(_dot_general, "einsum", "_dot_general")
    xs = [x if x.__class__ is Tracer or x.__class__ is Array else as_value(x, "einsum", i + 1)
          for i, x in enumerate(operands)]
    if isinstance(optimize, list):
        optimize = tuple([tuple(pair) if isinstance(pair, (tuple, list)) else pair for pair in optimize])
    key = (subscripts, optimize, precision, preferred_element_type, out_sharding, current.key, *[x.type for x in xs])
    try:
        plan = _plans.get(key)
    except TypeError:
        plain_values("einsum", {"optimize": optimize, "precision": precision, "preferred_element_type": preferred_element_type,
                                "out_sharding": out_sharding})
        raise
    if plan is None:
        types = [x.type for x in xs]
        plan = _plans[key] = make_plan(subscripts, types, optimize, precision, preferred_element_type, out_sharding)
    plan, matters = plan
    if matters:
        note_weak()
    return plan.follow(xs, _dot_general)


def einsum_path(subscripts, /, *operands, optimize="auto"):
    """In which order `einsum` multiplies: the list of pairs, and a report about its cost.

    Errors: TypeError for operands that are no arrays, ValueError for subscripts that do not fit.

    >>> import gnomon.numpy as jnp
    >>> einsum_path("ij,jk", jnp.ones((2, 3)), jnp.ones((3, 4)))[0]
    [(0, 1)]
    """
    if not isinstance(subscripts, str):
        subscripts, operands = alternating(subscripts, operands)
    shapes = [as_value(x, "einsum_path", i + 1).type.shape for i, x in enumerate(operands)]
    names, out = parse(subscripts, [len(s) for s in shapes])
    if not isinstance(optimize, (str, bool)):
        pairs = sequence(optimize, "einsum_path", "optimize", "pairs of operands, or a word or flag,")
        optimize = [pair if isinstance(pair, str) else tuple([integer(i, "einsum_path", "operand") for i in sequence(pair, "einsum_path", "optimize", "pairs")])
                    for pair in pairs]
    return opt_einsum.contract_path(written(names, out), *shapes, shapes=True, optimize=optimize)


# ---- subscripts ---------------------------------------------------------------------------------------------------

def alternating(first, rest):
    """Subscripts and operands from the form einsum(a, [0, 1], b, [1, 2], [0, 2])."""
    args = [first, *rest]
    result = args.pop() if len(args) % 2 else None
    operands, lists = args[::2], args[1::2]
    if not lists or not all(isinstance(names, (list, tuple)) for names in lists) or not isinstance(result, (list, tuple, type(None))):
        raise TypeError("einsum takes a string of subscripts first, or operands each followed by a list of integers.")

    def text(names):
        return "".join(["..." if n is Ellipsis else letter(n) for n in names])
    subscripts = ",".join(map(text, lists))
    return (subscripts if result is None else f"{subscripts}->{text(result)}"), operands


def letter(i):
    """A letter for a number, in the numbers' order."""
    i = int(i)
    return chr(65 + i) if i < 26 else chr(71 + i) if i < 52 else chr(140 + i)


def parse(subscripts, ranks):
    """The names of each operand's dimensions and of the result's: letters, and for "..." numbers counted from the last."""
    inputs, arrow, result = subscripts.replace(" ", "").replace("...", ".").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"einsum got {len(ranks)} operands for the subscripts {subscripts!r}, which name {len(terms)}.")
    names = []
    for i, (term, rank) in enumerate(zip(terms, ranks)):
        hidden = rank - len(term.replace(".", ""))
        if term.count(".") > 1 or hidden < 0 or hidden and "." not in term:
            raise ValueError(f"einsum got an operand of {rank} dimensions at position {i} for the subscripts {term!r} in "
                             f"{subscripts!r}.")
        names.append(spell(term, hidden))
    hidden = max([sum(n.__class__ is int for n in term) for term in names], default=0)
    if arrow:
        out = spell(result, hidden)
    else:
        letters = [n for term in names for n in term if n.__class__ is str]
        out = (*range(-hidden, 0), *sorted([n for n in set(letters) if letters.count(n) == 1]))
    known = {n for term in names for n in term}
    if len(set(out)) != len(out) or not known.issuperset(out) or result.count(".") > 1:
        raise ValueError(f"einsum's result has each index once and only those of operands, got {subscripts!r}.")
    return names, out


def spell(term, hidden):
    at = term.find(".")
    return tuple(term) if at < 0 else (*term[:at], *range(-hidden, 0), *term[at + 1:])


def written(names, out):
    """Subscripts with letters for all names."""
    letters: dict = {}
    taken = {n for term in names for n in term if n.__class__ is str}
    spare = (c for c in map(letter, range(10000)) if c not in taken)
    for n in [n for term in names for n in term if n.__class__ is int]:
        if n not in letters:
            letters[n] = next(spare)

    def text(term):
        return "".join([letters.get(n, n) for n in term])
    return f"{','.join(map(text, names))}->{text(out)}"


# ---- plans --------------------------------------------------------------------------------------------------------

def make_plan(subscripts, types, optimize, precision, preferred, out_sharding):
    """The plan of an einsum, and whether a weak type decided about it."""
    names, out = parse(subscripts, [t.ndim for t in types])
    check_sizes(subscripts, names, types)
    (dtype, weak), matters = joined(types)
    preferred = dtype if preferred is None else requested_dtype(preferred)
    precision = canonical_precision(precision)
    planner = Planner(types)
    terms = []
    for i, term in enumerate(names):
        terms.append(planner.diagonals(planner.convert(i, dtype, weak), term))
    for pair in order(names, out, types, optimize):
        picked = [terms.pop(i) for i in sorted(pair, reverse=True)]
        if len(picked) > 2:
            raise Refused(f"einsum multiplies two operands at a time, got {pair} in optimize. Give a list of pairs, or 'auto'.")
        needed = set(out).union(*[term for _, term in terms])
        if len(picked) == 1:
            terms.append(planner.sum(*picked[0], [n for n in picked[0][1] if n not in needed]))
            continue
        (y, y_names), (x, x_names) = picked
        last = not terms
        result = out if last else tuple(dict.fromkeys([n for n in (*y_names, *x_names) if n in needed]))
        terms.append(planner.contract(x, x_names, y, y_names, result, precision, preferred, out_sharding if last else None,
                                      swap=True))
    ((number, term),) = terms
    number, term = planner.sum(number, term, [n for n in term if n not in out])
    number = planner.transpose(number, term, out)
    return Plan(planner.steps, planner.convert(number, preferred)), matters


def check_sizes(subscripts, names, types):
    sizes = {}
    for term, t in zip(names, types):
        for n, size in zip(term, t.shape):
            seen = sizes.setdefault(n, size)
            if seen != size:
                if 1 not in (seen, size):
                    raise ValueError(f"einsum {subscripts!r} got the index {n!r} with sizes {seen} and {size}, in operands of "
                                     f"shapes {', '.join(str(t.shape) for t in types)}.")
                sizes[n] = size if seen == 1 else seen


def order(names, out, types, optimize):
    """The operands to multiply at each step, as numbers in the list of those that are left."""
    count = len(names)
    if count < 3:
        return [(0, 1)] if count == 2 else [(0,)]
    if isinstance(optimize, tuple):
        return [pair for pair in optimize if not isinstance(pair, str)]
    shapes = [tuple([n if n.__class__ is int else 8 for n in t.shape]) for t in types]     # a symbolic size counts as 8
    terms = [tuple(dict.fromkeys(term)) for term in names]
    shapes = [tuple([dict(zip(term, shape))[n] for n in short]) for term, short, shape in zip(names, terms, shapes)]
    path, _ = opt_einsum.contract_path(written(terms, out), *shapes, shapes=True,
                                         optimize="optimal" if optimize is True or optimize is False else optimize)
    return path
