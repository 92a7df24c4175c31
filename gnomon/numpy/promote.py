"""What front-end functions do to their arguments before they call an op: convert, promote dtypes, align ranks.

Binary functions keep a plan per pair of operand types, so that promotion is worked out once and then is a look-up.
"""
from __future__ import annotations

import numpy as np

from gnomon.base.announce import announce, announce_narrowed
from gnomon.base.errors import TypePromotionError
from gnomon.base.settings import current
from gnomon.ir.jaxpr import Literal
from gnomon.ops.convert import ConvertElementType, convert_element_type
from gnomon.ops.shape import BroadcastInDim
from gnomon.run.array import Array
from gnomon.trace.context import local
from gnomon.trace.stage import Tracer, bind, scalar_type, value_of
from gnomon.trace.value import Value
from gnomon.types.dtype import canonicalize, inexact_dtype, is_inexact, is_integer, is_supported, join_all
from gnomon.types.value_type import ArrayType

SCALARS = frozenset([bool, int, float, complex])
_BOOL = np.dtype(bool)
_int64 = np.dtype("int64")


def as_value(x, what="this function", position=None):
    """A Value for an array-like argument; TypeError with the argument's name for anything else (lists included, as in JAX)."""
    if isinstance(x, Value):
        return x
    where = "" if position is None else f" at position {position}"
    if x.__class__ in SCALARS or isinstance(x, (np.ndarray, np.generic, Literal)):
        try:
            return value_of(x)
        except TypeError as error:
            raise TypeError(f"{what} requires arrays of numbers, got {type(x)}{where}. {error}") from None
    if hasattr(x, "__jax_array__"):
        return as_value(x.__jax_array__(), what, position)
    if isinstance(x, (bool, int, float, complex)):      # subclasses of Python's numbers, such as IntEnum members
        return value_of(next(cls(x) for cls in (bool, int, float, complex) if isinstance(x, cls)))
    if hasattr(x, "__array__") and not isinstance(x, (list, tuple)):
        return as_value(np.asarray(x), what, position)
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
    """A Python number written into the program in a dtype. An integer that does not fit in the dtype wraps around, and is
    announced; one that does not even fit in the dtype of Python integers is an OverflowError."""
    if value.__class__ is int and is_integer(dtype):
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            if not info.min <= value <= info.max:
                own = np.iinfo(canonicalize(_int64, current.enable_x64))
                if not own.min <= value <= own.max:
                    raise OverflowError(f"The Python integer {value} does not fit in {dtype}, the dtype it meets here. Convert the array "
                                        f"to a wider dtype first{'' if current.enable_x64 else ' (enable_x64 for 64 bits)'}.")
                bits = 8 * dtype.itemsize
                wrapped = (value - int(info.min)) % (1 << bits) + int(info.min)
                announce(f"The Python integer {value}{{argument}} does not fit in {dtype}, the dtype it meets here; it wraps around to "
                         f"{wrapped}. Convert the array to a wider dtype first.", about=value)
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
    """How to bring operands of given types together: the common dtype, and what is done to each operand that does not have
    it, or has a lower rank. `steps` is a tuple of (position, function); `idle` says that there is nothing to do."""

    __slots__ = ("dtype", "weak", "matters", "steps", "idle")

    def __init__(self, name, keys, working=None, same_dtype=slice(None)):
        """`working` gives, for the common dtype, the one to compute in; operands outside of `same_dtype` keep theirs."""
        (self.dtype, self.weak), self.matters = joined(keys[same_dtype])
        if working is not None:
            self.dtype = working(self.dtype)
        ranks = [k.ndim if k.__class__ is ArrayType else 0 for k in keys]
        if len({r for r in ranks if r}) > 1:
            check_rank_promotion(name, keys)
        converted = range(len(keys))[same_dtype]
        steps = [(i, self.step(k, max(ranks), i in converted)) for i, k in enumerate(keys)]
        self.steps = tuple([(i, step) for i, step in steps if step is not None])
        self.idle = not self.steps and not self.matters

    def step(self, key, rank, converted):
        """What is done to an operand, or None."""
        if key.__class__ is not ArrayType:
            return literal_maker(self.dtype)
        done = []
        if converted and key.dtype != self.dtype:
            convert = ConvertElementType(self.dtype, self.weak)
            done.append(lambda x: bind(convert, x))
        if 0 < key.ndim < rank:
            spread = BroadcastInDim((1,) * (rank - key.ndim) + key.shape, tuple(range(rank - key.ndim, rank)))
            done.append(lambda x: bind(spread, x))
        if len(done) == 2:
            first, second = done
            return lambda x: second(first(x))
        return done[0] if done else None


def literal_maker(dtype):
    """A function from Python numbers to literals of a dtype: weak ones, so that a program recorded for strong operands has the
    right result types for weak ones, too."""
    weak = dtype != _BOOL
    t = ArrayType((), dtype, weak)
    if is_integer(dtype):
        return lambda x: scalar_literal(x, dtype, weak)
    number = {"c": complex, "b": bool}.get(dtype.kind, float)
    return lambda x: Literal(x if x.__class__ is number else number(x), t)


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
    out = list(operands)
    for i, step in plan.steps:
        out[i] = step(out[i])
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


def result_type_of(*xs):
    """The dtype that arguments (arrays, scalars, dtypes) promote to."""
    return result_pair(*xs)[0]


def result_pair(*xs):
    """(dtype, whether it is weak) that arguments (arrays, scalars, dtypes) promote to."""
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
    dtype, weak = join_all(pairs, x64=True, strict=current.numpy_dtype_promotion == "strict")
    return canonicalize(dtype, current.enable_x64), weak


def requested_dtype(dtype):
    """The dtype that a `dtype=` argument stands for. Narrowing 64 bits to 32, as happens while enable_x64 is off, is announced
    unless the argument is one of Python's own classes."""
    found = canonicalize(dtype, current.enable_x64)
    if not is_supported(found):
        raise TypeError(f"{dtype!r} is not the dtype of an array: arrays hold numbers, booleans and random keys.")
    if found is not dtype and not (dtype.__class__ is type and dtype in SCALARS):
        wide = canonicalize(dtype, True)
        if wide != found:
            announce_narrowed(f"Explicitly requested dtype {wide} is not available while enable_x64 is off, so {found} is used. Set "
                              f"enable_x64, or ask for {found}.")
    return found
