"""Python functions inside compiled programs: pure_callback, io_callback, debug.callback, debug.print."""
from __future__ import annotations

import logging
import string
import sys

import numpy as np

from gnomon.api.function import _short, as_values, check_functions, check_leaves
from gnomon.base.arguments import flag
from gnomon.base.frames import entry_point
from gnomon.base.source import named_after
from gnomon.base.tree import keystr, tree_flatten, tree_flatten_with_path, tree_unflatten
from gnomon.ops.callback import VMAP_METHODS, DebugCallback, IoCallback, PureCallback, checked
from gnomon.run.eager import constant
from gnomon.run.execute import effects_barrier  # noqa: F401
from gnomon.trace.context import local
from gnomon.trace.stage import bind, frame_of
from gnomon.types.dtype import canonicalize
from gnomon.types.value_type import ArrayType
from gnomon.base.settings import current


class _Call:
    """A user's function of trees as a function of flat NumPy arrays; equal for equal functions and structures."""

    def __init__(self, fn, tree, statics=(), out_tree=None, arrays=True):
        self.fn, self.tree, self.statics, self.out_tree, self.arrays = fn, tree, statics, out_tree, arrays
        self.__name__ = getattr(fn, "__name__", type(fn).__name__)

    def __call__(self, *flat):
        flat = [constant(np.asarray(x)) if self.arrays else np.asarray(x) for x in flat]
        held = dict(self.statics)
        rest = iter(flat)
        leaves = [held[i] if i in held else next(rest) for i in range(len(held) + len(flat))]
        args, kwargs = tree_unflatten(self.tree, leaves)
        out = self.fn(*args, **kwargs)
        if self.out_tree is None:
            return ()
        leaves, tree = tree_flatten(out)
        if tree != self.out_tree:
            raise RuntimeError(f"the callback {self.__name__} returned the structure {tree} where it declared {self.out_tree}")
        return leaves

    def _key(self):
        return self.fn, self.tree, self.statics, self.out_tree, self.arrays

    def __eq__(self, other):
        return other.__class__ is _Call and self._key() == other._key()

    def __hash__(self):
        return hash((self.fn, self.tree, self.out_tree))


def _flatten(what, args, kwargs):
    """Array leaves, their structure, and the leaves that are not arrays with their positions."""
    leaves, tree = tree_flatten((args, kwargs))
    statics = tuple((i, x) for i, x in enumerate(leaves) if isinstance(x, str))
    held = {i for i, _ in statics}
    arrays = [x for i, x in enumerate(leaves) if i not in held]
    check_leaves(arrays, what, lambda: [keystr(p) for p, _ in tree_flatten_with_path((args, kwargs))[0]])
    return as_values(arrays), tree, statics


def _types(structs):
    leaves, tree = tree_flatten(structs)
    for s in leaves:
        if not (hasattr(s, "shape") and hasattr(s, "dtype")):
            raise TypeError(f"callbacks take a tree of ShapeDtypeStructs as result_shape_dtypes, got {s!r} in it.")
    return tuple(ArrayType(tuple(s.shape), canonicalize(s.dtype, current.enable_x64)) for s in leaves), tree


@entry_point
def pure_callback(callback, result_shape_dtypes, *args, sharding=None, vmap_method=None, **kwargs):
    """Call a Python function without side effects from a compiled program.

    `callback` gets the arguments as arrays and returns a tree of arrays with the shapes and dtypes of `result_shape_dtypes`
    (ShapeDtypeStructs). It may run any number of times. `vmap_method` says how it is batched: "sequential" or "sequential_unrolled" (once
    per lane), "expand_dims" or "broadcast_all" (once, with a leading axis). It has no derivative: wrap it in custom_jvp or custom_vjp.

    >>> import gnomon, numpy as np
    >>> out = gnomon.ShapeDtypeStruct((), np.float32)
    >>> float(gnomon.jit(lambda x: pure_callback(lambda v: np.float32(v) + 1, out, x))(1.0))
    2.0
    """
    check_functions("pure_callback", callback=callback)
    if vmap_method not in VMAP_METHODS:
        raise ValueError(f"pure_callback: vmap_method must be one of {', '.join(map(repr, VMAP_METHODS))}, got {vmap_method!r}.")
    types, out_tree = _types(result_shape_dtypes)
    values, tree, statics = _flatten("pure_callback", args, kwargs)
    call = _Call(callback, tree, statics, out_tree)
    outs = _now(call, types, values) if local.frame is None and frame_of(values) is None else bind(PureCallback(call, types, vmap_method), *values)
    return tree_unflatten(out_tree, outs)


@entry_point
def io_callback(callback, result_shape_dtypes, *args, sharding=None, ordered=False, **kwargs):
    """Call a Python function with side effects from a compiled program; exactly once per run, in order where `ordered`."""
    check_functions("io_callback", callback=callback)
    ordered = flag(ordered, "io_callback", "ordered")
    types, out_tree = _types(result_shape_dtypes)
    values, tree, statics = _flatten("io_callback", args, kwargs)
    call = _Call(callback, tree, statics, out_tree)
    outs = _now(call, types, values) if local.frame is None and frame_of(values) is None else bind(IoCallback(call, types, ordered), *values)
    return tree_unflatten(out_tree, outs)


def _now(call, types, values):
    """The callback's results outside of programs, where its errors come out as they are."""
    return [constant(checked(x, t)) for x, t in zip(call(*[np.asarray(v) for v in values]), types, strict=True)]


@entry_point
def debug_callback(callback=None, *args, ordered=False, partitioned=False, **kwargs):
    """Call a Python function for its side effects, from a compiled program or at once. It is left alone by derivatives.

    Without `callback` it is a decorator: the decorated function, when called, is called back.

    >>> import gnomon
    >>> gnomon.jit(lambda x: debug_callback(lambda v: print("got", v), x))(3)
    got 3
    """
    if callback is None:
        return lambda f: named_after(lambda *a, **k: debug_callback(f, *a, ordered=ordered, partitioned=partitioned, **k), f)
    check_functions("debug.callback", callback=callback)
    ordered = flag(ordered, "debug.callback", "ordered")
    values, tree, statics = _flatten("debug.callback", args, kwargs)
    call = _Call(callback, tree, statics)
    if local.frame is None and frame_of(values) is None:
        call(*[np.asarray(v) for v in values])
        return None
    bind(DebugCallback(call, ordered), *values)
    return None


class _Printer:
    """The function that debug_print calls; equal for equal formats."""

    __name__ = "print"

    def __init__(self, fmt, log):
        self.fmt, self.log = fmt, log

    def __call__(self, *args, **kwargs):
        try:
            text = self.fmt.format(*args, **kwargs)
        except (TypeError, ValueError, AttributeError, LookupError) as error:
            raise ValueError(f"debug.print: the format {self.fmt!r} does not suit the values it was given: {error}.") from None
        if self.log:
            _logger.info("%s", text)
            return
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def __eq__(self, other):
        return other.__class__ is _Printer and (self.fmt, self.log) == (other.fmt, other.log)

    def __hash__(self):
        return hash((self.fmt, self.log))


_logger = logging.getLogger("gnomon.debug")


@entry_point
def debug_print(fmt=None, *args, ordered=False, partitioned=False, skip_format_check=False, _use_logging=False, **kwargs):
    """Print values from inside a compiled program: `debug.print("x = {}", x)`.

    ValueError if the format has other fields than there are arguments.

    >>> import gnomon
    >>> gnomon.jit(lambda x: debug_print("x is {}", x))(3)
    x is 3
    """
    if not isinstance(fmt, str):
        raise TypeError(f"debug.print takes a format string first, got {_short(fmt)}. Write debug.print('{{}}', x) to print x.")
    if not skip_format_check:
        _check_format(fmt, args, kwargs)
    debug_callback(_Printer(fmt, _use_logging), *args, ordered=ordered, **kwargs)


def debug_log(fmt=None, *args, ordered=False, partitioned=False, skip_format_check=False, _use_logging=True, **kwargs):
    """Like `debug.print`, to the logger ``gnomon.debug`` at level INFO."""
    debug_print(fmt, *args, ordered=ordered, partitioned=partitioned, skip_format_check=skip_format_check, _use_logging=_use_logging,
                **kwargs)


def _check_format(fmt, args, kwargs):
    try:
        _Checked().vformat(fmt, [_Any() for _ in args], {k: _Any() for k in kwargs})
        return
    except IndexError:
        why = f"it has more than {len(args)} positional fields"
    except KeyError as error:
        why = f"it has a field {error.args[0]!r}, and there is no argument of that name"
    except ValueError as error:
        why = str(error)
    raise ValueError(f"debug.print: the format {fmt!r} does not match the arguments: {why}. Give one argument per field.")


class _Checked(string.Formatter):
    """Formats, and refuses arguments that no field uses."""

    def check_unused_args(self, used_args, args, kwargs):
        unused = [k for k in (*range(len(args)), *kwargs) if k not in used_args]
        if unused:
            raise ValueError(f"it has no field for {', '.join(f'argument {k}' for k in unused)}")


class _Any:
    """Formats as anything, to check a format string."""

    def __format__(self, spec):
        return ""

    def __getattr__(self, name):
        return self

    def __getitem__(self, key):
        return self
