"""What an index means: worked out once per form of index and shape, then a look-up.

`form_of` splits an index into its *form* (a hashable tuple) and the arrays *given* in it. From a form and a shape
follow a `Layout`, and from that the ops that read there (`reader`) or the dimension numbers by which a scatter writes
there.

NumPy's rules for where dimensions go: integers drop theirs; None adds one; arrays of integers are broadcast together
and their common dimensions stand where the first of them stood if they are next to each other, else in front. An
integer or a scalar next to arrays counts as one of them.
"""
from __future__ import annotations

import operator
from typing import NamedTuple

import numpy as np

from gnomon.base.announce import announce
from gnomon.base.errors import (InconclusiveDimensionOperation, NonConcreteBooleanIndexError,
                                TracerIntegerConversionError)
from gnomon.ir.jaxpr import Literal
from gnomon.ops.arithmetic import add, minimum, mul, rem
from gnomon.ops.compare import lt, select_n
from gnomon.ops.convert import ConvertElementType
from gnomon.ops.indexing import (FILL_OR_DROP, PROMISE_IN_BOUNDS, Gather, GatherDimensionNumbers, GatherScatterMode,
                                 ScatterDimensionNumbers, fill_of)
from gnomon.ops.shape import BroadcastInDim, Iota, Squeeze, full
from gnomon.ops.slicing import Concatenate, DynamicSlice, Rev, Slice
from gnomon.run.array import Array
from gnomon.trace.stage import NotKnown, Tracer, bind
from gnomon.trace.value import Value
from gnomon.types.dtype import is_bool, is_integer, is_signed
from gnomon.types.size import Size, broadcast_sizes, max_size, min_size
from gnomon.types.value_type import ArrayType

INT32, INT64 = np.dtype("int32"), np.dtype("int64")
NoneType = type(None)


# ---- forms --------------------------------------------------------------------------------------------------------

class Known(NamedTuple):
    """In a form: an array given whose numbers are already in range, counted from the front."""

    type: ArrayType


class HasMask(Exception):
    """The index holds booleans, or lists among other elements."""


def form_of(index):
    """(form, given) of an index without booleans and lists; HasMask where there are some."""
    elements = index if index.__class__ is tuple else (index,)
    form, given = [], []
    for e in elements:
        cls = e.__class__
        if cls is int or e is None or e is Ellipsis:
            form.append(e)
        elif cls is slice:
            form.append(bounds_of(e, len(form)))
        elif cls is Tracer or cls is Array:
            t = e.type
            if t.dtype is not INT32 and not is_integer(t.dtype):
                if is_bool(t.dtype):
                    raise HasMask
                raise not_an_index(e, t.dtype, len(form))
            form.append(t)
            given.append(e)
        elif (cls is list or cls is tuple) and index.__class__ is tuple:
            raise HasMask
        else:
            e = other_element(e, len(form))
            if e.__class__ is np.ndarray:
                e, known = narrowed(e)
                t = ArrayType(e.shape, e.dtype)
                form.append(Known(t) if known else t)
                given.append(e)
            elif isinstance(e, Value):
                form.append(e.type)
                given.append(e)
            else:
                form.append(e)
    return tuple(form), given


def narrowed(numbers):
    """Places in a NumPy array as int32 where they fit, and whether all are counted from the front."""
    if not numbers.size:
        return numbers.astype(INT32), True
    low, high = numbers.min(), numbers.max()
    if numbers.dtype != INT32 and -1 << 31 <= low and high < 1 << 31:
        numbers = numbers.astype(INT32)
    return numbers, bool(low >= 0)


def bounds_of(s, position):
    """(start, stop, step) of a slice, each None, an int or a symbolic size."""
    out = (s.start, s.stop, s.step)
    for b in out:
        if b is not None and b.__class__ is not int and not isinstance(b, Size):
            break
    else:
        return out
    try:
        return tuple([b if b is None or isinstance(b, Size) else operator.index(b) for b in out])
    except TracerIntegerConversionError:
        pass
    except TypeError:
        raise TypeError(f"Slice entries must be integers or None, got {s} at position {position} of the index."
                        ) from None
    raise IndexError(f"Slice entries must be static integers, got {s} at position {position} of the index, which is "
                     "traced. Use gnomon.lax.dynamic_slice, which takes a traced start and a static size.")


def other_element(e, position):
    """What stands for an element of an index that is no int, slice, None, Ellipsis, Array or tracer."""
    if isinstance(e, np.integer):
        return int(e)
    if e.__class__ is bool:
        raise HasMask
    if isinstance(e, Size):
        return e
    if hasattr(e, "__jax_array__"):
        e = e.__jax_array__()
        if isinstance(e, Value):
            form_of(e)
            return e
    if isinstance(e, (list, tuple)):
        raise TypeError("Using a non-tuple sequence for multidimensional indexing is not allowed; use "
                        f"`arr[array(seq)]` instead of `arr[seq]`. Got {e!r} at position {position} of the index.")
    if isinstance(e, (str, bytes)):
        raise TypeError(f"An array cannot be indexed by a string; got {e!r} at position {position} of the index.")
    if isinstance(e, (np.ndarray, np.generic)):
        if is_bool(e.dtype):
            raise HasMask
        if not is_integer(e.dtype):
            raise not_an_index(e, e.dtype, position)
        if e.ndim == 0:
            return int(e)
        return e if e.__class__ is np.ndarray else np.asarray(e)
    if hasattr(e, "__index__"):
        return operator.index(e)
    if hasattr(e, "__array__") and not isinstance(e, Value):
        return other_element(np.asarray(e), position)
    raise not_an_index(e, getattr(e, "dtype", type(e).__name__), position)


def not_an_index(e, dtype, position):
    return TypeError(f"An index must have integer or boolean type, got type {dtype} at position {position} of the "
                     f"index: {e!r}.")


# ---- masks --------------------------------------------------------------------------------------------------------

def is_mask(e):
    """Whether an element of an index is a boolean or an array of booleans."""
    if e.__class__ is bool:
        return True
    dtype = e.type.dtype if isinstance(e, Value) else getattr(e, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype == np.bool_  # noqa: E721


def without_masks(shape, index):
    """(shape, new axes, index) with each array of booleans replaced by the places where it is true, as integer arrays.
    A single boolean is a new dimension of the array, taken once or not at all."""
    out, new_axes = [], []
    for e, axis in zip(*with_axes(shape, index)):
        if not is_mask(e):
            out.append(e)
            continue
        numbers = mask_numbers(e)
        if numbers.ndim:
            check_mask(shape, numbers.shape, axis)
            out.extend(numbers.nonzero())
        else:
            new_axes.append(axis + len(new_axes))
            out.append(np.zeros(int(numbers), INT32))
    shape = list(shape)
    for axis in new_axes:
        shape.insert(axis, 1)
    return tuple(shape), tuple(new_axes), tuple(out)


def with_axes(shape, index):
    """The elements of an index, and for each the dimension of the array at which it begins."""
    elements = list(index) if index.__class__ is tuple else [index]
    used = [consumed(e) for e in elements]
    axes, axis = [], 0
    for e, n in zip(elements, used):
        axes.append(axis)
        axis += len(shape) - sum(used) if e is Ellipsis else n
    return elements, axes


def consumed(e):
    """How many dimensions of the array an element of an index stands for, Ellipsis aside."""
    if e is None or e is Ellipsis:
        return 0
    return np.ndim(e) if is_mask(e) else 1


def check_mask(shape, mask_shape, axis):
    if axis + len(mask_shape) > len(shape):
        raise too_many(shape, axis + len(mask_shape))
    for i, (n, m) in enumerate(zip(shape[axis:], mask_shape)):
        if n != m:
            raise IndexError(f"boolean index did not match indexed array along axis {axis + i}; size of axis is {n} "
                             f"but size of corresponding boolean axis is {m}")


def mask_numbers(mask):
    """A mask as a NumPy array; NonConcreteBooleanIndexError where it is traced and its numbers are not known."""
    if mask.__class__ is Tracer:
        try:
            mask = mask.frame.concrete(mask.atom)
        except NotKnown:
            raise NonConcreteBooleanIndexError(
                f"Array boolean indices must be concrete; got a traced mask of type {mask.type}, so the shape of the "
                "result would depend on numbers that are not known yet. Use the three-argument "
                "gnomon.numpy.where(mask, x, y), or gnomon.numpy.nonzero(mask, size=...).") from None
    return mask.host() if mask.__class__ is Array else np.asarray(mask)


def too_many(shape, count):
    return IndexError(f"Too many indices: array is {len(shape)}-dimensional, but {count} were indexed")


# ---- options ------------------------------------------------------------------------------------------------------

class Options(NamedTuple):
    """How an index is to be understood: `mode` for places out of range (None: where reading the nearest place, where
    writing nowhere), what is promised about the places, and whether places below 0 are counted from the end. With
    `modulo` places are taken modulo the size."""

    mode: object = None
    indices_are_sorted: bool = False
    unique_indices: bool = False
    wrap: bool = True
    modulo: bool = False


DEFAULT = Options()
STRICT = Options(mode="strict")         # static integers out of range are errors


def options_of(mode, indices_are_sorted, unique_indices, wrap):
    """Options from the arguments that users give."""
    if mode is None:
        return Options(None, bool(indices_are_sorted), bool(unique_indices), bool(wrap))
    if mode == "wrap":
        return Options(PROMISE_IN_BOUNDS, bool(indices_are_sorted), bool(unique_indices), True, True)
    return Options(GatherScatterMode.from_any(mode), bool(indices_are_sorted), bool(unique_indices), bool(wrap))


# ---- layouts ------------------------------------------------------------------------------------------------------

class One(NamedTuple):
    """One static place along a dimension."""

    start: int


class Run(NamedTuple):
    """`size` places along a dimension from `start`, `step` apart (above 0), in reverse order if `backwards`."""

    start: int
    size: int
    step: int
    backwards: bool


class Given(NamedTuple):
    """The places that the array number `which` lists."""

    which: int
    type: ArrayType
    known: bool


class Layout:
    """What a form means for a shape. `entries`: per dimension of the array a One, Run or Given; `items`: per dimension
    of the result ("new",), ("run", dimension of the array) or ("given", dimension of the given arrays' common
    shape)."""

    __slots__ = ("shape", "entries", "items", "given_shape", "outside")

    def __init__(self, shape, form, options=STRICT):
        if form.count(Ellipsis) > 1:
            raise IndexError("an index can only have a single ellipsis ('...')")
        counted = len([e for e in form if e is not None and e is not Ellipsis])
        if counted > len(shape):
            raise too_many(shape, counted)
        if Ellipsis not in form:
            form = (*form, Ellipsis)
        self.outside = []               # (axis, place, size) of static places that are out of range
        self.entries, tokens, which = [], [], 0
        for e in form:
            axis = len(self.entries)
            if e is None:
                tokens.append(("new",))
            elif e is Ellipsis:
                tokens.append(("gap",))
                for _ in range(len(shape) - counted):
                    tokens.append(("run", len(self.entries)))
                    self.entries.append(Run(0, shape[len(self.entries)], 1, False))
            elif e.__class__ is ArrayType or e.__class__ is Known:
                known = e.__class__ is Known
                self.entries.append(Given(which, e.type if known else e, known))
                which += 1
                tokens.append(("given", axis))
            elif e.__class__ is tuple:
                self.entries.append(run_of(e, shape[axis]))
                tokens.append(("run", axis))
            else:
                self.entries.append(self.one_of(e, shape[axis], axis, options))
                tokens.append(("given", axis))
        self.shape = shape
        shapes = [e.type.shape for e in self.entries if e.__class__ is Given]
        self.given_shape = broadcast_given(shapes)
        self.items = self.place(tokens, any(shapes))

    def one_of(self, place, n, axis, options):
        try:
            inside = (-n if options.wrap else 0) <= place < n
        except InconclusiveDimensionOperation:
            inside = True
        if inside:
            return One(place + n if place < 0 else place)
        if options.modulo and n:
            return One(place % n)
        if options is STRICT:
            raise IndexError(f"index {place} is out of bounds for axis {axis} with size {n}")
        self.outside.append((axis, place, n))
        return One(place + n if place < 0 and options.wrap else place)

    def place(self, tokens, arrays):
        """The result's dimensions in order."""
        given = [i for i, t in enumerate(tokens) if t[0] == "given"]
        block = [("given", i) for i in range(len(self.given_shape))]
        together = given == list(range(given[0], given[-1] + 1)) if given else True
        items = [] if together or not arrays else list(block)
        for i, token in enumerate(tokens):
            if token[0] == "given":
                if together and arrays and i == given[0]:
                    items += block
            elif token[0] != "gap":
                items.append(token)
        return items

    def result_shape(self):
        return tuple([1 if item[0] == "new" else self.entries[item[1]].size if item[0] == "run"
                      else self.given_shape[item[1]]
                      for item in self.items])

    def is_empty(self):
        """Whether the result has no elements; IndexError where places along a dimension of size 0 are asked for."""
        if 0 in self.result_shape():
            return True
        for axis, (e, n) in enumerate(zip(self.entries, self.shape)):
            if e.__class__ is not Run and n == 0:
                what = f"an index of type {e.type}" if e.__class__ is Given else "an index"
                raise IndexError(f"{what} is out of bounds for axis {axis} with size 0")
        return False

    def move_inside(self):
        """Replace static places out of range by the nearest ones."""
        for axis, _, n in self.outside:
            self.entries[axis] = One(min(max(self.entries[axis].start, 0), n - 1))


def note_outside(layout, options):
    """Announce static places that are out of range where no mode says that this is meant."""
    if options.mode is None:
        for axis, place, n in layout.outside:
            announce(f"index {place} is out of bounds for axis {axis} with size {n}: the nearest element is read, an "
                     "update is dropped. Give a mode ('clip', 'fill', 'drop') to say that you mean it.")


def broadcast_given(shapes):
    """The common shape of the arrays in an index."""
    shapes = [s for s in shapes if s]
    if len(shapes) <= 1:
        return shapes[0] if shapes else ()
    found = broadcast_sizes(shapes)
    if found is None:
        raise IndexError("shape mismatch: indexing arrays could not be broadcast together with shapes " + " ".join(map(str, shapes)))
    return found


def run_of(bounds, n):
    """The Run of a slice along a dimension of size `n`."""
    start, stop, step = bounds
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if any(isinstance(b, Size) for b in (*bounds, n)):
        return symbolic_run(start, stop, 1 if step is None else step, n)
    start, stop, step = slice(start, stop, step).indices(n)
    size = len(range(start, stop, step))
    if size == 0:
        return Run(0, 0, 1, False)
    if size == 1:
        return Run(start, 1, 1, False)
    return Run(start, size, step, False) if step > 0 else Run(start + (size - 1) * step, size, -step, True)


def symbolic_run(start, stop, step, n):
    """The same where a size is symbolic."""
    def bound(b, otherwise):
        return otherwise if b is None else min_size(max_size(n + b, 0) if b < 0 else b, n)
    if step < 0:
        if start is not None or stop is not None or step != -1:
            raise NotImplementedError(f"A slice with step {step} of a dimension of symbolic size {n} is possible only "
                                      "as [::-1].")
        return Run(0, n, 1, True)
    start, stop = bound(start, 0), bound(stop, n)
    length = max_size(stop - start, 0)
    if length.__class__ is int and not length:
        return Run(0, 0, 1, False)
    return Run(start, length if step == 1 else -(-length // step), step, False)


# ---- given places -------------------------------------------------------------------------------------------------

class Wrap:
    """Brings a given array into the dtype of the index vectors, places counted from the end into places from the
    front."""

    __slots__ = ("cap", "convert", "zero", "size", "modulo")

    def __init__(self, t, n, dtype, options=DEFAULT):
        self.cap = self.convert = self.zero = self.size = None
        self.modulo = modulo = options.modulo
        if not is_signed(t.dtype) and t.dtype.itemsize >= dtype.itemsize:
            self.cap = number(min(n, np.iinfo(dtype).max), ArrayType((), t.dtype))      # what is larger is out of range
        if t.dtype != dtype:
            self.convert = ConvertElementType(dtype)
        scalar = ArrayType((), dtype)
        if modulo or options.wrap and is_signed(t.dtype):
            self.zero, self.size = number(0, scalar), number(n, scalar)

    def __call__(self, i):
        if self.cap is not None:
            i = minimum(i, self.cap)
        if self.convert is not None:
            i = bind(self.convert, i)
        if self.zero is None:
            return i
        if self.modulo:
            i = rem(i, self.size)
        return select_n(lt(i, self.zero), i, add(i, self.size))


def number(value, t):
    return Literal(value, t) if value.__class__ is int else value


def index_dtype(entries):
    """The dtype of index vectors: int32 unless a given array is of 64 bits."""
    wide = any(e.__class__ is Given and e.type.dtype.itemsize == 8 for e in entries)
    return INT64 if wide else INT32


# ---- reading ------------------------------------------------------------------------------------------------------

def cut_of(entry):
    """(start, limit, step) of a One or a Run."""
    if entry.__class__ is One:
        return entry.start, entry.start + 1, 1
    if entry.size.__class__ is int and entry.size == 0:
        return 0, 0, 1
    return entry.start, entry.start + (entry.size - 1) * entry.step + 1, entry.step


class StaticRead:
    """Reads where everything is known: a slice, a reversal, dropped and added dimensions, as far as needed."""

    __slots__ = ("ops",)

    def __init__(self, layout):
        cut = [cut_of(e) for e in layout.entries]
        ops = []
        if any(c != (0, n, 1) for c, n in zip(cut, layout.shape)):
            starts, limits, steps = zip(*cut)
            ops.append(Slice(starts, limits, None if all(s == 1 for s in steps) else steps))
        self.ops = (*ops, *finish(layout))

    def read(self, x, given):
        for op in self.ops:
            x = bind(op, x)
        return x


class BlockRead:
    """Reads at scalars given: strided dimensions are cut first, then one block is."""

    __slots__ = ("before", "starts", "op", "after")

    def __init__(self, layout, options=DEFAULT):
        entries, dtype = layout.entries, index_dtype(layout.entries)
        strided = [e.__class__ is Run and e.step != 1 for e in entries]
        self.before = ()
        if any(strided):
            cut = [cut_of(e) if s else (0, n, 1) for e, n, s in zip(entries, layout.shape, strided)]
            self.before = (Slice(*map(tuple, zip(*cut))),)
        scalar = ArrayType((), dtype)
        self.starts = [(e.which, None if e.known and not options.modulo else Wrap(e.type, n, dtype, options))
                       if e.__class__ is Given
                       else Literal(0 if s else e.start, scalar) for e, n, s in zip(entries, layout.shape, strided)]
        self.op = DynamicSlice(tuple([e.size if e.__class__ is Run else 1 for e in entries]))
        self.after = finish(layout)

    def read(self, x, given):
        for op in self.before:
            x = bind(op, x)
        starts = [s if s.__class__ is Literal else given[s[0]] if s[1] is None else s[1](given[s[0]])
                  for s in self.starts]
        x = bind(self.op, x, *starts)
        for op in self.after:
            x = bind(op, x)
        return x


def finish(layout):
    """The ops between a block cut out of the array and the result of a read without arrays."""
    ops = []
    backwards = tuple([d for d, e in enumerate(layout.entries) if e.__class__ is Run and e.backwards])
    if backwards:
        ops.append(Rev(backwards))
    gone = tuple([d for d, e in enumerate(layout.entries) if e.__class__ is not Run])
    if gone:
        ops.append(Squeeze(gone))
    ops += new_dims(layout)
    return tuple(ops)


def new_dims(layout):
    """The op that adds the dimensions asked for by None, if any were."""
    if ("new",) not in layout.items:
        return ()
    return BroadcastInDim(layout.result_shape(), tuple([i for i, item in enumerate(layout.items) if item[0] != "new"])),


class IndexVectors:
    """How the places of a gather or scatter become one array of index vectors, and the numbers of its dimensions.

    Dimensions of the array that are read in whole or in one piece are window dimensions; strided ones are listed."""

    __slots__ = ("parts", "join", "empty_type", "window", "collapsed", "start_map", "sizes", "backwards", "shape",
                 "is_alone")

    def __init__(self, layout, options=DEFAULT):
        entries, dtype = layout.entries, index_dtype(layout.entries)
        items = [item for item in layout.items if item[0] != "new"]
        listed = {d for d, e in enumerate(entries) if e.__class__ is Run and e.step != 1}
        batch = [item for item in items if item[0] == "given" or item[1] in listed]
        shape = tuple([layout.given_shape[i] if kind == "given" else entries[i].size for kind, i in batch])
        full, rank = (*shape, 1), len(layout.given_shape)
        given_at = [batch.index(("given", i)) for i in range(rank)]
        self.parts, self.start_map = [], []
        for d, (e, n) in enumerate(zip(entries, layout.shape)):
            if e.__class__ is Given:
                to = tuple(given_at[rank - e.type.ndim:])
                wrap_up = None if e.known and not options.modulo else Wrap(e.type, n, dtype, options)
                self.parts.append(("given", e.which, wrap_up, BroadcastInDim(full, to)))
            elif e.__class__ is One or e.step == 1 and (e.start.__class__ is not int or e.start != 0
                                                        or e.size is not n and e.size != n):
                self.parts.append(("number", Literal(e.start, ArrayType((), dtype)), BroadcastInDim(full, ())))
            elif d in listed:
                self.parts.append(("count", Iota(dtype, full, batch.index(("run", d))),
                                   Literal(e.step, ArrayType((), dtype)),
                                   Literal(e.start, ArrayType((), dtype))))
            else:
                continue
            self.start_map.append(d)
        self.is_alone = not batch       # one window
        self.join = Concatenate(len(shape))
        self.empty_type = ArrayType((*shape, 0), dtype)
        self.start_map = tuple(self.start_map)
        window = [d for d, e in enumerate(entries) if e.__class__ is Run and d not in listed]
        self.window = tuple([i for i, item in enumerate(items) if item[0] == "run" and item[1] not in listed])
        self.collapsed = tuple([d for d in range(len(entries)) if d not in window])
        self.sizes = tuple([e.size if d in window else 1 for d, e in enumerate(entries)])
        self.backwards = tuple([i for i, item in enumerate(items) if item[0] == "run" and entries[item[1]].backwards])
        self.shape = tuple([entries[item[1]].size if item[0] == "run" else layout.given_shape[item[1]]
                            for item in items])

    def indices(self, given):
        """The array of index vectors."""
        columns = []
        for kind, what, *more in self.parts:
            if kind == "given":
                wrap, spread = more
                i = given[what]
                columns.append(bind(spread, i if wrap is None else wrap(i)))
            elif kind == "number":
                columns.append(bind(more[0], what))
            else:
                step, start = more
                columns.append(add(mul_literal(bind(what), step), start))
        if not columns:
            return full(self.empty_type, 0)
        return columns[0] if len(columns) == 1 else bind(self.join, *columns)

    def gather_numbers(self):
        return GatherDimensionNumbers(self.window, self.collapsed, self.start_map)

    def scatter_numbers(self):
        return ScatterDimensionNumbers(self.window, self.collapsed, self.start_map)


def mul_literal(x, literal):
    return x if literal.value == 1 else mul(x, literal)


class GatherRead:
    """Reads at arrays given."""

    __slots__ = ("vectors", "op", "after")

    def __init__(self, layout, options=DEFAULT, fill_value=None):
        self.vectors = v = IndexVectors(layout, options)
        mode = PROMISE_IN_BOUNDS if options.mode is None else options.mode
        self.op = Gather(v.gather_numbers(), v.sizes, mode, fill_value, options.indices_are_sorted or v.is_alone,
                         options.unique_indices or v.is_alone)
        ops = [Rev(v.backwards)] if v.backwards else []
        self.after = (*ops, *new_dims(layout))

    def read(self, x, given):
        x = bind(self.op, x, self.vectors.indices(given))
        for op in self.after:
            x = bind(op, x)
        return x


class EmptyRead:
    """Reads no element of the array."""

    __slots__ = ("type", "value")

    def __init__(self, t, layout, value):
        self.type, self.value = t.with_shape(layout.result_shape()), value

    def read(self, x, given):
        return full(self.type, self.value)


def reader(t, form):
    """What reads at an index of this form from a value of type `t`, as `x[index]` does."""
    found = _readers.get((t, form))
    if found is None:
        found = make_reader(t, Layout(t.shape, form), DEFAULT, None)
        remember(_readers, (t, form), found)
    return found


def reader_with(t, form, options, fill_value=None):
    """What reads at an index of this form, as `x.at[index].get(...)` does."""
    key = (t, form, options, fill_value.__class__, repr(fill_value))
    found = _readers.get(key)
    if found is None:
        layout = Layout(t.shape, form, options)
        note_outside(layout, options)
        found = make_reader(t, layout, options, fill_value)
        if not layout.outside:      # else it is announced each time
            remember(_readers, key, found)
    return found


def make_reader(t, layout, options, fill_value):
    given = [e for e in layout.entries if e.__class__ is Given]
    fills = options.mode is FILL_OR_DROP and (given or layout.outside)
    if fills and 0 in t.shape and 0 not in layout.result_shape():
        return EmptyRead(t, layout, fill_of(Gather(None, (), FILL_OR_DROP, fill_value), t.dtype))
    if layout.is_empty():
        return EmptyRead(t, layout, 0)
    if fills:
        return GatherRead(layout, options, fill_value)
    layout.move_inside()
    if not given:
        return StaticRead(layout)
    if any(e.type.shape for e in given):
        return GatherRead(layout, options)
    return BlockRead(layout, options)


_readers: dict = {}
LIMIT = 20_000      # forms remembered; integers are part of a form


def remember(memo, key, value):
    if len(memo) >= LIMIT:
        memo.clear()
    memo[key] = value
