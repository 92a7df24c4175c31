"""The operators and methods of arrays: `x + y`, `x[i]`, `x.sum()` and the rest of what a `Value` can do.

Each is a function of gnomon.numpy with the array as its first argument; what differs is written out here.
"""
from __future__ import annotations

import operator
import sys

import numpy as np

from gnomon.api.places import device_put
from gnomon.base.errors import Refused
from gnomon.numpy import creation, elementwise, indexing, manipulation, matrices, products, reductions
from gnomon.numpy import selection, sorting, taking, ufuncs, views
from gnomon.trace.value import Value, install_operators


# ---- operators --------------------------------------------------------------------------------------------------

SIMPLE = {
    "add": ("+", ufuncs.add), "sub": ("-", ufuncs.subtract), "mul": ("*", ufuncs.multiply), "truediv": ("/", ufuncs.divide),
    "floordiv": ("//", ufuncs.floor_divide), "mod": ("%", ufuncs.remainder), "divmod": ("divmod()", ufuncs.divmod),
    "and": ("&", ufuncs.bitwise_and), "or": ("|", ufuncs.bitwise_or), "xor": ("^", ufuncs.bitwise_xor),
    "lshift": ("<<", ufuncs.left_shift), "rshift": (">>", ufuncs.right_shift),
}
LOOSE = {"pow": ("**", ufuncs.power), "matmul": ("@", products.matmul)}
COMPARISONS = {
    "eq": ("==", ufuncs.equal), "ne": ("!=", ufuncs.not_equal), "lt": ("<", ufuncs.less), "le": ("<=", ufuncs.less_equal),
    "gt": (">", ufuncs.greater), "ge": (">=", ufuncs.greater_equal),
}
UNARY = {"neg": ufuncs.negative, "pos": ufuncs.positive, "abs": ufuncs.absolute, "invert": ufuncs.invert}


def operator_table():
    table = {}
    for name, (symbol, function) in SIMPLE.items():
        table[f"__{name}__"], table[f"__r{name}__"] = elementwise.operators(symbol, function)
    for name, (symbol, function) in LOOSE.items():
        table[f"__{name}__"], table[f"__r{name}__"] = elementwise.loose_operators(symbol, function)
    for name, (symbol, function) in COMPARISONS.items():
        table[f"__{name}__"], _ = elementwise.operators(symbol, function)
    for name, function in UNARY.items():
        table[f"__{name}__"] = function
    return table


# ---- methods ----------------------------------------------------------------------------------------------------

def reshape(self, *shape, order="C", out_sharding=None):
    """The same elements in another shape, given as one tuple or as several sizes; one of them may be -1.

    >>> import gnomon.numpy as np
    >>> np.arange(6).reshape(2, -1).shape
    (2, 3)
    """
    return manipulation.reshape(self, shape[0] if len(shape) == 1 else shape, order, out_sharding=out_sharding)


def transpose(self, *axes):
    """The array with its axes in another order, given as one tuple or as several axes; in reverse if none are given.

    >>> import gnomon.numpy as np
    >>> np.zeros((2, 3, 4)).transpose(2, 0, 1).shape
    (4, 2, 3)
    """
    return manipulation.transpose(self, (axes[0] if len(axes) == 1 else axes) if axes else None)


def astype(self, dtype, copy=False, device=None):
    """The array in another dtype.

    >>> import gnomon.numpy as np
    >>> np.array([1.7, -1.7]).astype(int)
    Array([ 1, -1], dtype=int32)
    """
    return creation.astype(self, dtype, copy=copy, device=device)


def flatten(self, order="C", *, out_sharding=None):
    """The array's elements in one dimension."""
    return manipulation.ravel(self, order, out_sharding=out_sharding)


def compress(self, condition, axis=None, *, out=None, size=None, fill_value=0):
    """The slices along an axis for which a condition holds."""
    return taking.compress(condition, self, axis, size=size, fill_value=fill_value, out=out)


def rounded(self, ndigits=None):
    """`round(x)`: integers; `round(x, n)`: with n decimals, in the same dtype."""
    out = ufuncs.round(self, ndigits or 0)
    return out if ndigits is not None else creation.astype(out, int)


def to_device(self, device, *, stream=None):
    """The array on another device, or laid out by a Sharding."""
    if stream is not None:
        raise Refused("to_device takes no stream: transfers are ordered by the runtime.")
    return device_put(self, device)


def nbytes(self):
    return self.size * self.dtype.itemsize


def itemsize(self):
    return self.dtype.itemsize


def flat(self):
    raise Refused("Arrays have no flat iterator. Use x.ravel(), whose elements can be read and, with .at, updated.")


def length(self):
    return len(self.type)


def iterate(self):
    if not self.shape:
        raise TypeError(f"iteration over a value of type {self.type}, which has no dimensions")
    return (self[i] for i in range(self.shape[0]))


def iterate_back(self):
    if not self.shape:
        raise TypeError(f"iteration over a value of type {self.type}, which has no dimensions")
    return (self[i] for i in reversed(range(self.shape[0])))


def contains(self, x):
    return bool(reductions.any(ufuncs.equal(self, x)))


def array_namespace(self, *, api_version=None):
    """The module of functions of this array, for code written against the Python array API standard."""
    if api_version is not None and api_version not in API_VERSIONS:
        raise ValueError(f"The array API version {api_version!r} is not available; {', '.join(API_VERSIONS)} are.")
    return sys.modules["gnomon.numpy"]


API_VERSIONS = "2022.12", "2023.12", "2024.12"      # each holds what the one before it does


def array_module(self, types):
    return sys.modules["gnomon.numpy"] if all(issubclass(t, (Value, np.ndarray)) for t in types) else NotImplemented


# What only an array with numbers has. Array has its own; a traced value says why it has none.
OF_ARRAYS = """addressable_data addressable_shards delete devices global_shards is_fully_addressable is_fully_replicated is_ready
    on_device_size_in_bytes platform tobytes unsafe_buffer_pointer __dlpack__ __dlpack_device__""".split()
# What no array of ours has, and what to use instead.
ABSENT = {
    "device_buffer": "use x.addressable_data(0)",
    "device_buffers": "use [shard.data for shard in x.addressable_shards]",
    "format": "the layout in memory is the compiler's; x.sharding says where the parts are",
    "traceback": "arrays do not keep where they were made; jit(f).lower(...).as_text() shows the lines of a program",
    "unsafe_raw_buffer": "use x.unsafe_buffer_pointer() or x.__dlpack__()",
    "__cuda_array_interface__": "use x.__dlpack__(), which torch.from_dlpack and cupy.from_dlpack read",
}


def of_arrays(name):
    def get(self):
        raise AttributeError(f"{name} is not known of a traced value, here one of type {self.type}, which has no numbers and no place "
                             "while tracing. Ask the argument before the call, or the result after it.")
    return property(get)


def absent(name, why):
    def get(self):
        raise AttributeError(f"Arrays have no {name}: {why}.")
    return property(get)


def memory_space(self):
    """The kind of memory that the numbers are in."""
    return self.type.memory_space


def refuse_assignment(self, index, value):
    raise TypeError("Arrays are immutable and do not support in-place item assignment. Instead of x[i] = y write x = x.at[i].set(y).")


def in_base(convert):
    """The digits of an integer scalar, as hex() and oct() write them."""
    return lambda self: convert(operator.index(self))


METHODS = {
    "all": reductions.all, "any": reductions.any, "argmax": reductions.argmax, "argmin": reductions.argmin,
    "argpartition": sorting.argpartition, "argsort": sorting.argsort, "astype": astype, "byteswap": views.byteswap,
    "choose": taking.choose, "clip": selection.clip, "clone": creation.copy, "compress": compress,
    "conj": ufuncs.conjugate, "conjugate": ufuncs.conjugate, "copy": creation.copy, "cumprod": reductions.cumprod,
    "cumsum": reductions.cumsum, "diagonal": matrices.diagonal, "dot": products.dot, "flatten": flatten,
    "max": reductions.max, "mean": reductions.mean, "min": reductions.min, "nonzero": taking.nonzero,
    "prod": reductions.prod, "ptp": reductions.ptp, "ravel": manipulation.ravel, "repeat": manipulation.repeat,
    "reshape": reshape, "round": ufuncs.round, "searchsorted": sorting.searchsorted, "sort": sorting.sort,
    "squeeze": manipulation.squeeze, "std": reductions.std, "sum": reductions.sum, "swapaxes": manipulation.swapaxes,
    "take": taking.take, "to_device": to_device, "trace": products.trace, "transpose": transpose, "var": reductions.var,
    "view": views.view,
    "__array_module__": array_module, "__array_namespace__": array_namespace, "__contains__": contains,
    "__getitem__": indexing.getitem, "__iter__": iterate, "__len__": length, "__reversed__": iterate_back,
    "__round__": rounded, "__setitem__": refuse_assignment, "__hex__": in_base(hex), "__oct__": in_base(oct),
}
PROPERTIES = {
    "T": manipulation.transpose, "at": indexing.At, "flat": flat, "imag": ufuncs.imag, "itemsize": itemsize,
    "mT": manipulation.matrix_transpose, "memory_space": memory_space, "nbytes": nbytes, "real": ufuncs.real,
    "__numpy_dtype__": operator.attrgetter("dtype"),
}

install_operators(operator_table())
install_operators(METHODS)
install_operators({name: of_arrays(name) for name in OF_ARRAYS} | {name: absent(name, why) for name, why in ABSENT.items()})
# their examples are with the functions themselves
install_operators({name: property(function, doc=(function.__doc__ or "").split("\n")[0]) for name, function in PROPERTIES.items()})
