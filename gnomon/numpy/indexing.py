"""Indexing: `x[index]` and `x.at[index]`."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon.api.control import scan
from gnomon.api.places import reshard
from gnomon.base.announce import announce
from gnomon.base.errors import NonConcreteBooleanIndexError, Refused
from gnomon.base.late import Late
from gnomon.base.settings import current
from gnomon.base.tree import tree_leaves
from gnomon.numpy import ufuncs
from gnomon.numpy.composite import composite
from gnomon.numpy.creation import asarray
from gnomon.numpy.index_plan import (DEFAULT, INT32, HasMask, Known, check_mask, form_of, is_mask, options_of, reader,
                                     reader_with, with_axes, without_masks)
from gnomon.numpy.index_write import VectorWrite, writer
from gnomon.numpy.promote import SCALARS, as_value, joined, note_weak, scalar_literal, to_inexact
from gnomon.ops.compare import select_n
from gnomon.ops.convert import convert_element_type
from gnomon.ops.indexing import (Gather, GatherDimensionNumbers, Scatter, ScatterAdd, ScatterDimensionNumbers,
                                 ScatterMax, ScatterMin, ScatterSub)
from gnomon.ops.refs import Indexing
from gnomon.ops.scatter_mul import ScatterMul
from gnomon.ops.shape import broadcast_in_dim, expand_dims, full, reshape
from gnomon.run.array import Array, aligned_copy
from gnomon.run.placement import default_placement
from gnomon.trace.context import eager, local
from gnomon.trace.stage import Tracer, bind, value_of
from gnomon.trace.value import Value
from gnomon.types.dtype import KeyDtype, is_bool, is_complex, is_key
from gnomon.types.sharding import PartitionSpec
from gnomon.types.value_type import ArrayType

key_reuse = Late("gnomon.run.key_reuse")

SIMPLE = frozenset([int, slice, type(None), type(Ellipsis)])
LARGE = 1 << 16         # bytes from which a view is not kept, as it would keep all of the memory it looks at
HOST_SIZE = 4096        # elements up to which NumPy picks or writes more quickly than a compiled program
_ndarray = np.ndarray
_asarray = np.asarray


# ---- on the host --------------------------------------------------------------------------------------------------

def is_simple(index):
    """Whether a tuple holds Python integers, slices, None and Ellipsis only."""
    for e in index:
        if e.__class__ not in SIMPLE:
            return False
    return True


def host_of(x):
    """The numbers of an Array where NumPy can look at them without a copy, else None."""
    where = x.placement
    return x.host() if (default_placement() if where is None else where).on_host else None


def numpy_index(index):
    """(the index for NumPy, elements in its largest array of integers), or None where NumPy would not understand it as
    it is meant here."""
    single = index.__class__ is not tuple
    out, size = [], 0
    for e in (index,) if single else index:
        cls = e.__class__
        if cls is Array:
            e = None if e.placement is not None else e._host if e._host is not None else host_of(e)
            cls = e.__class__
            if e is None:
                return None
        if cls is _ndarray:
            kind = e.dtype.kind
            if kind == "i" or kind == "u":
                size = max(size, e.size)
            elif kind != "b":
                return None
        elif cls not in SIMPLE and not isinstance(e, np.integer):
            return None
        out.append(e)
    return (out[0] if single else tuple(out)), size


def key_index(index, t, host):
    """An index of an array of keys as an index of their words, or None where it reaches too far."""
    index = index if index.__class__ is tuple else (index,)
    if any(e is Ellipsis for e in index):
        return index + (slice(None),) * (host.ndim - t.ndim)
    used = sum([0 if e is None else e.ndim if e.__class__ is _ndarray and e.dtype.kind == "b" else 1 for e in index])
    return index if used <= t.ndim else None


def from_view(x, t, host, view):
    """An Array of what NumPy read from the numbers of `x`."""
    if view.__class__ is not _ndarray:
        view = _asarray(view)
    elif view.base is not None and view.nbytes < host.nbytes > LARGE:
        view = aligned_copy(view, view.dtype)
    shape = view.shape
    if t.dtype.__class__ is KeyDtype:
        shape = shape[:len(shape) - len(t.dtype.key_shape)]
    return Array(ArrayType(shape, t.dtype, t.weak_type), None, x.placement, view)


# ---- reading ------------------------------------------------------------------------------------------------------

def getitem(x, index):
    """`x[index]` for an Array or tracer, with every index that NumPy takes except a bare list.

    Static integers must be in range (IndexError); places in arrays and traced scalars that are out of range are moved
    to the nearest one. Arrays of booleans must be concrete, since the shape depends on them."""
    if x.__class__ is Array and local.frame is None:
        out = read_on_host(x, index)
        return read_now(x, index) if out is None else out
    x, form, given = prepared(x, index)
    return reader(x.type, form).read(x, given)


def read_on_host(x, index):
    """`x[index]` by NumPy for an Array whose numbers NumPy can look at; None where something is out of range or
    unusual."""
    if x.__class__ is not Array or local.frame is not None:
        return None
    host, t = x._host, x.type
    if host is None:
        host = host_of(x)
    if host is None or t.sharding is not None or t.memory is not None:
        return None
    cls = index.__class__
    if not (cls is int or cls is slice or cls is tuple and is_simple(index)):
        found = numpy_index(index)
        if found is None or found[1] > HOST_SIZE:
            return None
        index = found[0]
    try:
        if t.dtype.__class__ is KeyDtype:
            of_words = key_index(index, t, host)
            if of_words is None:
                return None
            out = from_view(x, t, host, host[of_words])
            return out if not current.debug_key_reuse else key_reuse.taken_from(out, x, index)
        view = host[index]
    except (IndexError, TypeError):
        return None
    return from_view(x, t, host, view)


def prepared(x, index):
    """(x, form, given arrays) of an index; lists become arrays, and masks the places where they are true."""
    try:
        return x, *form_of(index)
    except HasMask:
        _, new_axes, index = without_masks(x.type.shape, with_arrays(index))
        return expand_dims(x, new_axes) if new_axes else x, *form_of(index)


def with_arrays(index):
    """The index with arrays in place of the lists in it."""
    if index.__class__ is not tuple:
        return index
    return tuple([array_of_list(e) if e.__class__ in (list, tuple) else e for e in index])


def array_of_list(e):
    if any(isinstance(x, Value) for x in tree_leaves(e)):
        return asarray(e)
    numbers = np.asarray(e)
    return numbers if numbers.size else numbers.astype(INT32)


def read_now(x, index):
    """`x[index]` by a compiled program, one for each form; integers are its arguments."""
    x, form, given = prepared(x, index)
    plan = reader(x.type, form)
    if not given and not any(e.__class__ is int for e in form):
        return plan.read(x, given)
    form, given = numbers_given(x.type.shape, form, given)
    return run_read(x, given, reader(x.type, form))


def numbers_given(shape, form, given):
    """The same index with its integers among the arrays given."""
    given, counted = list(given), len([e for e in form if e is not None and e is not Ellipsis])
    out, axis, which = [], 0, 0
    for e in form:
        if e.__class__ is int:
            given.insert(which, np.array(e + shape[axis] if e < 0 else e, np.int32))
            e = Known(_PLACE)
        which += e.__class__ is ArrayType or e.__class__ is Known
        axis += len(shape) - counted if e is Ellipsis else e is not None
        out.append(e)
    return tuple(out), given


_PLACE = ArrayType((), np.dtype("int32"))


@composite(static=("plan",))
def run_read(x, given, plan):
    return plan.read(x, given)


# ---- updates ------------------------------------------------------------------------------------------------------

class Kind(NamedTuple):
    """A way to update: the name, the scatter that does it for places that may repeat, the function of the old and the
    new elements, and a value of the latter that changes nothing."""

    name: str
    scatter: type | None
    combine: object
    neutral: object = None


SET = Kind("set", Scatter, None)
ADD = Kind("add", ScatterAdd, ufuncs.add, 0)
SUBTRACT = Kind("subtract", ScatterSub, ufuncs.subtract, 0)
MULTIPLY = Kind("multiply", ScatterMul, ufuncs.multiply, 1)
MIN = Kind("min", ScatterMin, ufuncs.minimum)
MAX = Kind("max", ScatterMax, ufuncs.maximum)
DIVIDE = Kind("divide", None, ufuncs.divide, 1)
POWER = Kind("power", None, ufuncs.power, 1)


def update(x, index, y, kind, options=DEFAULT):
    """`x` with the elements at an index updated by `y`, which is broadcast to them. The result has the dtype of `x`."""
    if kind is DIVIDE:
        x = to_inexact(x)
    t = x.type
    y, dtype = fitted(t, y, kind)
    if dtype != t.dtype:
        out = update(convert_element_type(x, dtype), index, y, kind, options)
        return convert_element_type(out, t.dtype, t.weak_type)
    mask = mask_of(x, index)
    if mask is not None:
        out = masked_update(x, *mask, y, kind)
        if out is not None:
            return out
    wide, form, given = prepared(x, index)
    plan = writer(wide.type, form, options)
    if local.frame is None and plan.__class__ is VectorWrite:
        out = run_update(wide, given, y if y.type.shape else value_of(y), plan, kind)
    else:
        out = apply_update(wide, given, y, plan, kind)
    return out if wide is x else reshape(out, t.shape)


def fitted(t, y, kind):
    """The update as a value, and the dtype to compute in: that of the array, for all but `set` the one the two promote
    to."""
    if y.__class__ not in SCALARS:
        y = as_value(np.asarray(y) if y.__class__ in (list, tuple) else y, f"x.at[...].{kind.name}")
    key = y.__class__ if y.__class__ in SCALARS else y.type
    if key.__class__ is ArrayType and key.dtype == t.dtype:
        return y, t.dtype
    if is_key(t.dtype) or key.__class__ is ArrayType and is_key(key.dtype):
        raise TypeError(f"x.at[...].{kind.name} needs an update of the array's dtype {t.dtype}, got {y}.")
    (dtype, _), matters = joined([t, key])
    if matters:
        note_weak()
    if dtype != t.dtype:
        announce(f"x.at[...].{kind.name} got an update of dtype {dtype}, which is converted to the array's dtype "
                 f"{t.dtype}. Convert it yourself with astype to say that you mean it.")
        if kind is SET:
            dtype = t.dtype
    if y.__class__ is complex and not is_complex(dtype):
        y = y.real
    if y.__class__ in SCALARS:
        return scalar_literal(y, dtype, t.weak_type), dtype
    return convert_element_type(y, dtype, t.weak_type), dtype


def apply_update(x, given, y, plan, kind):
    """The update by a plan, in ops."""
    if plan.__class__ is not VectorWrite:
        return plan.write(x, given, y, kind.combine)
    if kind.scatter is not None and (kind is SET or not is_bool(x.type.dtype)):
        return plan.scatter(kind.scatter, x, given, y)
    if plan.once or kind.name == "apply":
        return plan.write(x, given, y, kind.combine)
    if kind.scatter is not None:        # booleans, as numbers
        numbers = [convert_element_type(v, np.dtype("int32")) for v in (x, y)]
        return convert_element_type(plan.scatter(kind.scatter, numbers[0], given, numbers[1]), x.type.dtype)
    factors = plan.scatter(ScatterMul, full(x.type, 1), given, y)
    return kind.combine(x, factors)


@composite(static=("plan", "kind"))
def run_update(x, given, y, plan, kind):
    return apply_update(x, given, y, plan, kind)


# ---- masks --------------------------------------------------------------------------------------------------------

def mask_of(x, index):
    """(mask, the dimension where it begins) of an index that is one array of booleans, among full slices if any."""
    elements = index if index.__class__ is tuple else (index,)
    if not any(is_mask(e) for e in elements):
        return None
    elements, axes = with_axes(x.type.shape, index)
    found = None
    for e, axis in zip(elements, axes):
        if is_mask(e):
            if found is not None or np.ndim(e) == 0:
                return None
            found = e, axis
        elif e is not Ellipsis and e != slice(None):
            return None
    check_mask(x.type.shape, np.shape(found[0]), found[1])
    return found


def masked_update(x, mask, axis, y, kind):
    """The update by selection where all elements that the mask covers get the same: no number of the mask is needed.
    None where the update has an element for each place of the mask, and the mask is concrete."""
    shape, rank = x.type.shape, np.ndim(mask)
    behind = len(shape) - axis - rank
    size = y.type.shape
    if len(size) > behind and size[-behind - 1] != 1 or len(size) > len(shape) - rank + 1:
        if mask.__class__ is Tracer:
            raise NonConcreteBooleanIndexError(
                f"Array boolean indices must be concrete; got a traced mask of type {mask.type} and an update of shape "
                f"{size}, with an element for each place where the mask is true. Use "
                "gnomon.numpy.where(mask, update, x) with an update of the array's shape.")
        return None
    if len(size) > behind:
        y = reshape(y, size[:len(size) - behind - 1] + (1,) * rank + size[len(size) - behind:])
    target = shape[:axis] + (1,) * rank + shape[axis + rank:]
    for m, n in zip(y.type.shape[::-1], target[::-1]):
        if m != 1 and m != n:
            raise ValueError(f"An update of shape {size} does not broadcast to what the mask of shape {np.shape(mask)} "
                             f"covers of an array of shape {shape}.")
    missing = len(shape) - y.type.ndim
    if y.type.shape and missing:
        y = broadcast_in_dim(y, (1,) * missing + y.type.shape, tuple(range(missing, len(shape))))
    mask = value_of(mask)
    wide = (1,) * axis + mask.type.shape + (1,) * behind
    if wide != mask.type.shape:
        mask = broadcast_in_dim(mask, wide, tuple(range(axis, axis + rank)))
    if kind in (DIVIDE, POWER):         # the neutral element keeps what is not covered, and its derivative, as it is
        one = scalar_literal(1, y.type.dtype, False)
        return kind.combine(x, select_n(mask, one, y))
    return select_n(mask, x, y if kind.combine is None else kind.combine(x, y))


# ---- updates on the host ------------------------------------------------------------------------------------------

ON_HOST = {ADD: np.add, SUBTRACT: np.subtract, MULTIPLY: np.multiply}       # where NumPy's results are XLA's


def update_on_host(x, index, y, kind):
    """The update of a small array by NumPy, or None where NumPy would do something else."""
    t = x.type
    dtype = t.dtype
    if t.size > HOST_SIZE or t.sharding is not None or t.memory is not None:
        return None
    if dtype.__class__ is KeyDtype or dtype.kind not in "biuf":
        return None
    host = x._host
    if host is None:
        host = host_of(x)
    cls = index.__class__
    if not (cls is int or cls is slice or cls is tuple and is_simple(index)):
        found = numpy_index(index) if kind is SET else None
        if found is None:
            return None
        index = found[0]
    cls = y.__class__
    if cls is Array:
        if y.type.dtype != dtype or y.placement is not None:
            return None
        y = y._host if y._host is not None else host_of(y)
        cls = y.__class__
    elif cls in SCALARS:
        if not fits(y, cls, dtype):
            return None
    if host is None or y is None or cls is _ndarray and y.dtype != dtype:
        return None
    out = np.array(host)
    try:
        if kind is SET:
            if cls is _ndarray and y.ndim > np.ndim(out[index]):
                return None
            out[index] = y
        elif dtype.kind == "b":
            return None
        else:
            with np.errstate(all="ignore"):
                new = ON_HOST[kind](out[index], y)
                if new.shape != np.shape(out[index]):
                    return None
                out[index] = new
    except (IndexError, ValueError, TypeError):
        return None             # the other way knows what is wrong
    return Array(t, None, x.placement, out)


def fits(y, cls, dtype):
    """Whether a Python number becomes one of this dtype without a word."""
    kind = dtype.kind
    if kind == "f":
        return (cls is float or cls is int) and dtype.itemsize >= 4 and -1e38 < y < 1e38
    if kind == "b":
        return cls is bool
    if cls is not int:
        return False
    low, high = _LIMITS[dtype]
    return low <= y <= high


_LIMITS = {np.dtype(f"{sign}int{bits}"): (np.iinfo(f"{sign}int{bits}").min, np.iinfo(f"{sign}int{bits}").max)
           for sign in ("", "u") for bits in (8, 16, 32, 64)}


# ---- x.at ---------------------------------------------------------------------------------------------------------

class At:
    """What `x.at` is: `x.at[index]` names elements of `x`, and its methods read or update them, giving a new array.

    >>> import gnomon.numpy as np
    >>> np.arange(4).at[1].set(7)
    Array([0, 7, 2, 3], dtype=int32)
    """

    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array

    def __getitem__(self, index):
        return Elements(self.array, index)

    def __repr__(self):
        return f"{self.array!r}.at"


class Elements:
    """The elements of an array at an index. Methods take, besides the update:

    * mode: for places out of range in arrays and traced scalars: "clip" takes the nearest, "fill" reads `fill_value`
      (NaN, the smallest signed or largest unsigned integer, True), "drop" writes nothing, "wrap" counts on from the
      other end, "promise_in_bounds" says there are none; by default the nearest is read and nothing is written
    * indices_are_sorted, unique_indices: promises about the places
    * wrap_negative_indices: whether places below 0 are counted from the end
    * out_sharding: the sharding of the result, on a mesh with explicit axes, whatever that of the array is
    """

    __slots__ = ("array", "index")

    def __init__(self, array, index):
        self.array, self.index = array, index

    def __repr__(self):
        return f"{self.array!r}.at[{self.index!r}]"

    def get(self, *, indices_are_sorted=False, unique_indices=False, mode=None, fill_value=None, out_sharding=None,
            wrap_negative_indices=True):
        """The elements themselves, as `x[index]` but for places out of range.

        >>> import gnomon.numpy as np
        >>> np.arange(3.0).at[np.array([1, 5])].get(mode="fill", fill_value=-1.0)
        Array([ 1., -1.], dtype=float32)
        """
        if out_sharding is not None:
            whole = Elements(reshard(self.array, PartitionSpec()), self.index)
            return reshard(whole.get(indices_are_sorted=indices_are_sorted, unique_indices=unique_indices, mode=mode, fill_value=fill_value,
                                     wrap_negative_indices=wrap_negative_indices), out_sharding)
        if mode is None and wrap_negative_indices:
            out = read_on_host(self.array, self.index)
            if out is not None:
                return out
        options = options_of(mode, indices_are_sorted, unique_indices, wrap_negative_indices)
        if fill_value is not None and not np.isscalar(fill_value):
            fill_value = np.asarray(fill_value)
            if fill_value.ndim:
                raise ValueError(f"x.at[...].get takes a scalar fill_value, got one of shape {fill_value.shape}.")
            fill_value = fill_value.item()
        x, form, given = prepared(self.array, self.index)
        plan = reader_with(x.type, form, options, fill_value)
        return plan.read(x, given) if local.frame is not None or not given else run_read(x, given, plan)

    def apply(self, func, *, indices_are_sorted=False, unique_indices=False, mode=None, wrap_negative_indices=True):
        """The array with `func`, a function that works element by element, applied to these elements."""
        options = options_of(mode, indices_are_sorted, unique_indices, wrap_negative_indices)
        return apply_function(self.array, self.index, func, options)


def update_method(kind, doc):
    """A method of `Elements` that updates."""
    def method(self, values, *, indices_are_sorted=False, unique_indices=False, mode=None, out_sharding=None,
               wrap_negative_indices=True):
        x = self.array
        if x.__class__ is Array and local.frame is None and on_host and mode is None and wrap_negative_indices and out_sharding is None:
            out = update_on_host(x, self.index, values, kind)
            if out is not None:
                return out
        options = options_of(mode, indices_are_sorted, unique_indices, wrap_negative_indices)
        if out_sharding is not None:
            return reshard(update(reshard(x, PartitionSpec()), self.index, values, kind, options), out_sharding)
        return update(x, self.index, values, kind, options)
    on_host = kind is SET or kind in ON_HOST
    method.__name__, method.__qualname__, method.__doc__ = kind.name, f"Elements.{kind.name}", doc
    return method


for _kind, _doc in ((SET, "The array with these elements set to `values`."),
                    (ADD, "The array with `values` added to these elements; where a place repeats, all are added."),
                    (SUBTRACT, "The array with `values` subtracted from these elements."),
                    (MULTIPLY, "The array with these elements multiplied by `values`."),
                    (DIVIDE, "The array with these elements divided by `values`; integers become floats."),
                    (POWER, "The array with these elements raised to the power `values`."),
                    (MIN, "The array with the smaller of these elements and `values` in their places."),
                    (MAX, "The array with the larger of these elements and `values` in their places.")):
    setattr(Elements, _kind.name, update_method(_kind, _doc))
Elements.mul, Elements.div, Elements.sub = Elements.multiply, Elements.divide, Elements.subtract


def apply_function(x, index, func, options):
    """`x` with a function applied to the elements at an index, as often as each is named."""
    t = x.type

    def combine(old, _):
        new = as_value(func(old), "x.at[...].apply")
        if new.type.shape != old.type.shape:
            raise ValueError("x.at[...].apply needs a function that works element by element, got one that makes an "
                             f"array of shape {new.type.shape} of one of shape {old.type.shape}.")
        return convert_element_type(new, t.dtype, t.weak_type)

    kind, zero = Kind("apply", None, combine), scalar_literal(0, t.dtype, t.weak_type)
    mask = mask_of(x, index)
    if mask is not None and mask[0].__class__ is Tracer:
        return masked_update(x, *mask, zero, kind)
    wide, form, given = prepared(x, index)
    plan = writer(wide.type, form, options)
    if plan.__class__ is VectorWrite and not plan.once and not all_different(plan.vectors, given):
        return reshape(apply_in_turn(wide, plan, given, combine), t.shape)
    return reshape(apply_update(wide, given, zero, plan, kind), t.shape)


def all_different(vectors, given):
    """Whether it is known that the places given are all different."""
    if any(g.__class__ is Tracer for g in given):
        return False
    with eager():
        indices = vectors.indices(given).host()
    flat = indices.reshape(-1, indices.shape[-1])
    return len(np.unique(flat, axis=0)) == len(flat)


def apply_in_turn(x, plan, given, combine):
    """One place after the other, since places may repeat."""
    v = plan.vectors
    indices = v.indices(given)
    width = indices.type.shape[-1]
    window = tuple(range(len(v.window)))
    read = Gather(GatherDimensionNumbers(window, v.collapsed, v.start_map), v.sizes)
    write = Scatter(ScatterDimensionNumbers(window, v.collapsed, v.start_map), plan.options[1], True, True)

    def step(x, i):
        return bind(write, x, i, combine(bind(read, x, i), None)), None
    return scan(step, x, reshape(indices, (indices.type.size // width, width)))[0]


# ---- references ---------------------------------------------------------------------------------------------------

def prepare(ref, index):
    """(form, given arrays) of an index into what a reference refers to; the places where a mask is true must be known. IndexError where a
    place that is known is out of range."""
    try:
        form, given = form_of(index)
        reader(ref.type.inner, form)
        return form, given
    except HasMask:
        _, new_axes, index = without_masks(ref.type.shape, with_arrays(index))
        if new_axes:
            raise Refused("a mutable reference is not indexed by single booleans; read it first: ref[...]") from None
        return form_of(index)


def updated(x, form, given, y, kind):
    """`x` with the elements at an index of this form updated."""
    return apply_update(x, given, y, writer(x.type, form, DEFAULT), kind)


Indexing.prepare = prepare
Indexing.read = lambda x, form, given: reader(x.type, form).read(x, given)
Indexing.write = lambda x, form, given, y: updated(x, form, given, y, SET)
Indexing.add = lambda x, form, given, y: updated(x, form, given, y, ADD)
