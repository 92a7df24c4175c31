"""What front-end functions do to their arguments before they call an op: convert, promote dtypes, align ranks.

Binary functions keep a plan per pair of operand types, so that promotion is worked out once and then is a look-up.
"""
from __future__ import annotations

import numpy as np

from gnomon.base.announce import announce
from gnomon.base.errors import TypePromotionError
from gnomon.base.settings import current
from gnomon.ir.jaxpr import Literal
from gnomon.ops.convert import convert_element_type
from gnomon.ops.shape import broadcast_in_dim
from gnomon.run.array import Array
from gnomon.trace.context import local
from gnomon.trace.stage import Tracer, bind, scalar_type, value_of
from gnomon.trace.value import Value
from gnomon.types.dtype import canonicalize, inexact_dtype, is_inexact, is_integer, is_supported, join_all
from gnomon.types.value_type import ArrayType

SCALARS = frozenset([bool, int, float, complex])


def as_value(x, what="this function", position=None):
    """A Value for an array-like argument; TypeError with the argument's name for anything else (lists included, as in JAX)."""
    if isinstance(x, Value):
        return x
    if x.__class__ in SCALARS or isinstance(x, (np.ndarray, np.generic, Literal)):
        return value_of(x)
    if hasattr(x, "__jax_array__"):
        return as_value(x.__jax_array__(), what, position)
    if isinstance(x, (bool, int, float, complex)):      # subclasses of Python's numbers, such as IntEnum members
        return value_of(next(cls(x) for cls in (bool, int, float, complex) if isinstance(x, cls)))
    if hasattr(x, "__array__") and not isinstance(x, (list, tuple)):
        return value_of(np.asarray(x))
    where = "" if position is None else f" at position {position}"
    hint = " Convert it with gnomon.numpy.asarray." if isinstance(x, (list, tuple)) else ""
    raise TypeError(f"{what} requires ndarray or scalar arguments, got {type(x)}{where}.{hint}")


def note_weak():
    """Remember, in every program being recorded, that a weak type decided something."""
    frame = local.frame
    while frame is not None:
        frame.weak_matters = True
        frame = frame.parent


def _pair(key):
    """(dtype, weak) of an operand: an ArrayType or a Python scalar class."""
    if key.__class__ is ArrayType:
        return key.dtype, key.weak_type
    t = scalar_type(key())
    return t.dtype, t.weak_type


def joined(keys):
    """(dtype, weak) that operands of these kinds promote to, and whether a weak array decided it."""
    key = (current.key, *keys)
    found = _joins.get(key)
    if found is None:
        found = _joins[key] = join_kinds(keys)
    return found


_joins: dict = {}


def join_kinds(keys):
    pairs = [_pair(k) for k in keys]
    x64, strict = current.enable_x64, current.numpy_dtype_promotion == "strict"
    out = join_all(pairs, x64=x64, strict=strict)
    matters = False
    for i, k in enumerate(keys):
        if k.__class__ is ArrayType and k.weak_type:
            try:
                other = join_all([*pairs[:i], (pairs[i][0], False), *pairs[i + 1:]], x64=x64, strict=strict)
            except TypePromotionError:
                other = None
            matters |= other is None or other[0] != out[0]
    return out, matters


def scalar_literal(value, dtype, weak):
    """A Python number written into the program in a dtype; one that does not fit in an integer dtype wraps around, and is
    announced."""
    if value.__class__ is int and is_integer(dtype):
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            if not info.min <= value <= info.max:
                bits = 8 * dtype.itemsize
                wrapped = (value - int(info.min)) % (1 << bits) + int(info.min)
                announce(f"The Python integer {value} does not fit in {dtype}, the dtype it meets here; it wraps around to {wrapped}. "
                         "Convert the array to a wider dtype first.")
                value = wrapped
    elif value.__class__ is not int or not is_integer(dtype):
        value = _number(value, dtype)
    return Literal(value, ArrayType((), dtype, weak))


def _number(value, dtype):
    kind = dtype.kind
    if kind == "c":
        return complex(value)
    if kind == "b":
        return bool(value)
    return int(value) if is_integer(dtype) else float(value)


class Plan:
    """How to bring two operands of given types together: what each is converted to, the dimensions each gains."""

    __slots__ = ("dtype", "weak", "matters", "convert", "shapes")

    def __init__(self, name, keys):
        (self.dtype, self.weak), self.matters = joined(keys)
        self.convert = [k.__class__ is not ArrayType or k.dtype != self.dtype for k in keys]
        ranks = [k.ndim if k.__class__ is ArrayType else 0 for k in keys]
        rank = max(ranks)
        if len({r for r in ranks if r}) > 1:
            check_rank_promotion(name, keys)
        self.shapes = [None if r in (0, rank) else ((1,) * (rank - r) + k.shape, tuple(range(rank - r, rank)))
                       for k, r in zip(keys, ranks)]


def check_rank_promotion(name, keys):
    how = current.numpy_rank_promotion
    if how == "allow":
        return
    text = (f"Operands could not be broadcast together for {name} on shapes {' '.join(str(k.shape) for k in keys)} and with the config "
            f"option jax_numpy_rank_promotion={how!r}.")
    if how == "raise":
        raise ValueError(text)
    announce(text, always=True)


def apply_plan(plan, operands):
    """The operands in the plan's dtype, with dimensions of size 1 in front where their rank is lower."""
    if plan.matters:
        note_weak()
    out = []
    for x, convert, shape in zip(operands, plan.convert, plan.shapes):
        if convert:
            if x.__class__ in SCALARS:
                x = scalar_literal(x, plan.dtype, plan.weak)
            else:
                x = convert_element_type(x, plan.dtype, plan.weak)
        if shape is not None:
            x = broadcast_in_dim(x, *shape)
        out.append(x)
    return out


def operand(x, what, position):
    """(operand, its key): values by type, Python scalars by class."""
    cls = x.__class__
    if cls is Array or cls is Tracer:
        return x, x.type
    if cls in SCALARS:
        return x, cls
    x = as_value(x, what, position)
    return x, x.type


def promote(name, *xs):
    """Operands in a common dtype, ranks aligned for elementwise ops. At least one may be a Python scalar."""
    pairs = [operand(x, name, i) for i, x in enumerate(xs)]
    keys = [k for _, k in pairs]
    plan = _plans.get((name, current.key, *keys))
    if plan is None:
        plan = _plans[(name, current.key, *keys)] = Plan(name, keys)
    return apply_plan(plan, [x for x, _ in pairs])


_plans: dict = {}


def promote_dtypes(name, *xs):
    """Values in a common dtype; shapes are left as they are."""
    pairs = [operand(x, name, i) for i, x in enumerate(xs)]
    (dtype, weak), matters = joined([k for _, k in pairs])
    if matters:
        note_weak()
    return [value_of(scalar_literal(x, dtype, weak)) if x.__class__ in SCALARS else convert_keep(x, dtype, weak) for x, _ in pairs]


def convert_keep(x, dtype, weak=False):
    """In another dtype; a value that already has it stays as it is, weak or not."""
    return x if x.type.dtype == dtype else convert_element_type(x, dtype, weak)


def promote_inexact(name, *xs):
    """Values in a common floating or complex dtype (integers become the default float)."""
    xs = promote_dtypes(name, *xs)
    return [to_inexact(x) for x in xs]


def to_inexact(x):
    """A value as floating or complex; integers and booleans become the default float, weak where they are."""
    t = x.type
    if is_inexact(t.dtype):
        return x
    return convert_element_type(x, canonicalize(inexact_dtype(t.dtype), current.enable_x64), t.weak_type)


class Binary:
    """A front-end function of two arrays: promotion, then one op.

    `ops` chooses the op by the promoted dtype: a function dtype -> op, or an op for all. `inexact`: integers become floats."""

    def __init__(self, name, op, doc, inexact=False):
        self.__name__ = self.__qualname__ = name
        self.__doc__ = doc
        self.op, self.inexact, self.plans = op, inexact, {}

    def __call__(self, x, y, /):
        x, kx = operand(x, self.__name__, 0)
        y, ky = operand(y, self.__name__, 1)
        key = (kx, ky, current.key)
        plan = self.plans.get(key)
        if plan is None:
            plan = self.plans[key] = self.make_plan(kx, ky)
        op, steps = plan
        if steps is not None:
            x, y = apply_plan(steps, (x, y))
        return bind(op, x, y)

    def make_plan(self, kx, ky):
        steps = Plan(self.__name__, [kx, ky])
        if self.inexact and not is_inexact(steps.dtype):
            steps.dtype = canonicalize(inexact_dtype(steps.dtype), current.enable_x64)
            steps.convert = [k.__class__ is not ArrayType or k.dtype != steps.dtype for k in (kx, ky)]
        op = self.op(steps.dtype) if not hasattr(self.op, "results") else self.op
        idle = not any(steps.convert) and not any(steps.shapes) and not steps.matters
        return op, None if idle else steps

    def __repr__(self):
        return f"<function gnomon.numpy.{self.__name__}>"


def result_type_of(*xs):
    """The dtype that arguments (arrays, scalars, dtypes) promote to."""
    pairs = []
    for x in xs:
        if isinstance(x, Value):
            pairs.append((x.type.dtype, x.type.weak_type))
        elif x.__class__ in SCALARS:
            pairs.append(_pair(x.__class__))
        elif isinstance(x, (np.ndarray, np.generic)):
            pairs.append((x.dtype, False))
        else:
            pairs.append((canonicalize(x, True), x in SCALARS))
    dtype, _ = join_all(pairs, x64=True, strict=current.numpy_dtype_promotion == "strict")
    return canonicalize(dtype, current.enable_x64)


def requested_dtype(dtype):
    """The dtype that a `dtype=` argument stands for. Narrowing 64 bits to 32, as happens while enable_x64 is off, is announced
    unless the argument is one of Python's own classes."""
    found = canonicalize(dtype, current.enable_x64)
    if not is_supported(found):
        raise TypeError(f"{dtype!r} is not the dtype of an array: arrays hold numbers, booleans and random keys.")
    if found is not dtype and not (dtype.__class__ is type and dtype in SCALARS):
        wide = canonicalize(dtype, True)
        if wide != found:
            announce(f"Explicitly requested dtype {wide} is not available while enable_x64 is off, so {found} is used. Set "
                     f"enable_x64, or ask for {found}.")
    return found
