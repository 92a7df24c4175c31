"""StableHLO spelled out: types and constants as text."""
from __future__ import annotations

import numpy as np

from gnomon.types.dtype import is_key, mlir_name
from gnomon.types.size import check_static
from gnomon.types.value_type import ArrayType

_types: dict = {}


def type_text(t):
    """`tensor<8x16xf32>` for an ArrayType; keys are their uint32 words."""
    found = _types.get(t)
    if found is None:
        found = _types[t] = tensor_text(*physical(t))
    return found


def physical(t):
    """(shape, dtype) of the buffer that holds a value of this type."""
    if is_key(t.dtype):
        return t.shape + t.dtype.key_shape, np.dtype("uint32")
    return t.shape, t.dtype


def physical_type(t):
    """The ArrayType of the buffer that holds a value of this type."""
    return ArrayType(*physical(t)) if is_key(t.dtype) else t


def tensor_text(shape, dtype):
    check_static(shape)
    return f"tensor<{''.join([f'{n}x' for n in shape])}{mlir_name(dtype)}>"


def scalar_text(value, dtype):
    """A number as it stands inside `dense<...>`."""
    kind = dtype.kind
    if kind == "b":
        return "true" if value else "false"
    if kind in "iu" or mlir_name(dtype)[0] in "iu":
        return str(int(value))
    if kind == "c":
        half = np.dtype(f"f{dtype.itemsize // 2}")
        value = complex(value)
        return f"({scalar_text(value.real, half)}, {scalar_text(value.imag, half)})"
    return float_text(value, dtype)


def float_text(value, dtype):
    """Decimal where it reads back exactly, else the bits in hexadecimal (infinities, NaN, narrow formats)."""
    typed = np.asarray(value, dtype)
    wide = float(typed)
    if dtype.itemsize >= 4 and np.isfinite(wide):
        text = repr(wide)
        if "e" in text:
            mantissa, exponent = text.split("e")
            text = f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent}"
        return text
    bits = int.from_bytes(typed.tobytes(), "little")
    return f"0x{bits:0{2 * dtype.itemsize}X}"


def dense(array):
    """The inside of `dense<...>` for a small NumPy array."""
    array = np.asarray(array)
    if array.ndim == 0:
        return scalar_text(array[()], array.dtype)
    if array.size == 0:
        return ""
    return "[" + ", ".join([dense(x) for x in array]) + "]"


def dense_bytes(array):
    """The inside of `dense<...>` for an array of any size: its bytes in hexadecimal."""
    array = np.asarray(array)
    if array.dtype == bool or array.size == 0 or array.dtype.kind == "V" and array.dtype.itemsize < 1:
        return dense(array)
    return f'"0x{np.ascontiguousarray(array).tobytes().hex().upper()}"'


def ints(values):
    """`array<i64: 1, 2>`."""
    values = list(values)
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def attribute_pairs(attributes, refusal):
    """{name: value} as pairs of a name and the text of an attribute; TypeError for a value that cannot be one: `refusal(name)` and why."""
    pairs = []
    for name, value in attributes.items():
        try:
            pairs.append((name, attribute_text(value)))
        except TypeError as error:
            raise TypeError(f"{refusal(name)}, since {error}") from None
    return tuple(pairs)


def quoted(text):
    """A string of StableHLO: what is not plain ASCII is written as the bytes of UTF-8."""
    return '"' + "".join([chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in text.encode()]) + '"'


def attribute_text(value):
    """A Python value as an attribute of StableHLO; TypeError where there is none for it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value} : i64"
    if isinstance(value, float):
        return f"{float_text(value, np.dtype('float64'))} : f64"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, np.generic):
        return f"{scalar_text(value, value.dtype)} : {mlir_name(value.dtype)}"
    if isinstance(value, np.ndarray):
        return f"dense<{dense(value)}> : {tensor_text(value.shape, value.dtype)}"
    if isinstance(value, np.dtype):
        return mlir_name(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(attribute_text, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join([f'{quoted(str(k))} = {attribute_text(v)}' for k, v in value.items()])}}}"
    raise TypeError(f"no attribute stands for a {type(value).__name__}: {value!r}. Attributes are numbers, strings, NumPy arrays, "
                    "dtypes, and lists and dicts of these.")
