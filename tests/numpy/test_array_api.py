"""The Python array API standard 2024.12: its names, dtypes, special cases of elementwise functions, and what namespaces say of themselves."""
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import gnomon as G
import gnomon.numpy as jnp

NAMES = """e inf nan newaxis pi arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros
    zeros_like astype can_cast finfo iinfo isdtype result_type bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64
    complex128 abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift
    bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan
    less less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter
    not_equal positive pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc take take_along_axis matmul
    matrix_transpose tensordot vecdot broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze
    stack tile unstack argmax argmin count_nonzero nonzero searchsorted where unique_all unique_counts unique_inverse unique_values argsort sort
    cumulative_prod cumulative_sum max mean min prod std sum var all any diff __array_namespace_info__ __array_api_version__""".split()
LINALG = """cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose outer pinv qr slogdet
    solve svd svdvals tensordot trace vecdot vector_norm""".split()
FFT = "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift".split()
METHODS = """dtype device mT ndim shape size T __abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__ __dlpack_device__
    __eq__ __float__ __floordiv__ __ge__ __getitem__ __gt__ __index__ __int__ __invert__ __le__ __lshift__ __lt__ __matmul__ __mod__ __mul__
    __ne__ __neg__ __or__ __pos__ __pow__ __rshift__ __sub__ __truediv__ __xor__ to_device""".split()


def test_names():
    x = jnp.ones((2, 2))
    assert x.__array_namespace__() is jnp and all(x.__array_namespace__(api_version=f"{year}.12") is jnp for year in (2022, 2023, 2024))
    with pytest.raises(ValueError, match="2021.12"):
        x.__array_namespace__(api_version="2021.12")
    for holder, names in ((jnp, NAMES), (jnp.linalg, LINALG), (jnp.fft, FFT), (x, METHODS)):
        assert not [name for name in names if not hasattr(holder, name)]


def test_namespace_info():
    info = jnp.__array_namespace_info__()
    assert jnp.__array_api_version__ == "2024.12" and set(info.capabilities()) == {"boolean indexing", "data-dependent shapes", "max dimensions"}
    assert info.default_device() is None and info.devices() == G.devices()
    for wide in (False, True):
        with G.enable_x64(wide):
            defaults = info.default_dtypes(device=G.devices()[0])
            assert defaults == {"real floating": jnp.zeros(()).dtype, "complex floating": jnp.asarray(1j).dtype,
                                "integral": jnp.asarray(1).dtype, "indexing": jnp.argmax(jnp.ones(2)).dtype}
            every = info.dtypes()
            assert len(every) == (13 if wide else 9) and all(jnp.zeros((), d).dtype == d for d in every.values())
            for kind in ("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"):
                assert info.dtypes(kind=kind) == {name: d for name, d in every.items() if jnp.isdtype(d, kind)}
            assert list(info.dtypes(kind=("bool", "signed integer"))) == ["bool", "int8", "int16", "int32"] + ["int64"] * wide
    with pytest.raises(ValueError, match="got 'floats'"):
        info.dtypes(kind="floats")
    with pytest.raises(ValueError, match="no device"):
        info.dtypes(device="elsewhere")


# ---- special cases -------------------------------------------------------------------------------------------------

INF, NAN, PI = math.inf, math.nan, math.pi
# function: [(argument, result)], each as the standard says for real floating-point numbers
OF_ONE = {
    "abs": [(NAN, NAN), (-0.0, 0.0), (-INF, INF)],
    "acos": [(NAN, NAN), (1.5, NAN), (-1.5, NAN), (1.0, 0.0)], "acosh": [(NAN, NAN), (0.5, NAN), (1.0, 0.0), (INF, INF)],
    "asin": [(NAN, NAN), (1.5, NAN), (-1.5, NAN), (0.0, 0.0), (-0.0, -0.0)],
    "asinh": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)],
    "atan": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, PI / 2), (-INF, -PI / 2)],
    "atanh": [(NAN, NAN), (-1.5, NAN), (1.5, NAN), (-1.0, -INF), (1.0, INF), (0.0, 0.0), (-0.0, -0.0)],
    "ceil": [(INF, INF), (-INF, -INF), (0.0, 0.0), (-0.0, -0.0), (NAN, NAN), (-0.5, -0.0)],
    "cos": [(NAN, NAN), (0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)], "cosh": [(NAN, NAN), (0.0, 1.0), (INF, INF), (-INF, INF)],
    "exp": [(NAN, NAN), (0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0)],
    "expm1": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0)],
    "floor": [(INF, INF), (-INF, -INF), (0.0, 0.0), (-0.0, -0.0), (NAN, NAN)],
    "log": [(NAN, NAN), (-1.0, NAN), (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF)],
    "log1p": [(NAN, NAN), (-2.0, NAN), (-1.0, -INF), (0.0, 0.0), (-0.0, -0.0), (INF, INF)],
    "log2": [(NAN, NAN), (-1.0, NAN), (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF)],
    "log10": [(NAN, NAN), (-1.0, NAN), (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF)],
    "reciprocal": [(0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, -0.0), (NAN, NAN)],
    "round": [(INF, INF), (-INF, -INF), (0.0, 0.0), (-0.0, -0.0), (NAN, NAN), (0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, -0.0)],
    "sign": [(-3.0, -1.0), (0.0, 0.0), (-0.0, -0.0), (3.0, 1.0), (NAN, NAN)],
    "signbit": [(0.0, False), (-0.0, True), (INF, False), (-INF, True), (2.0, False), (-2.0, True)],
    "sin": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "sinh": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)],
    "sqrt": [(NAN, NAN), (-1.0, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF)],
    "tan": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "tanh": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0)],
    "trunc": [(INF, INF), (-INF, -INF), (0.0, 0.0), (-0.0, -0.0), (NAN, NAN), (-0.5, -0.0)],
    "isfinite": [(INF, False), (-INF, False), (NAN, False), (1.0, True)], "isinf": [(INF, True), (-INF, True), (NAN, False), (1.0, False)],
    "isnan": [(INF, False), (NAN, True), (0.0, False)],
}
OF_TWO = {
    "add": [(INF, -INF, NAN), (INF, INF, INF), (-INF, 2.0, -INF), (-0.0, -0.0, -0.0), (-0.0, 0.0, 0.0), (0.0, -0.0, 0.0), (2.0, -2.0, 0.0), (NAN, 1.0, NAN)],
    "atan2": [(NAN, 1.0, NAN), (1.0, 0.0, PI / 2), (1.0, -0.0, PI / 2), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0), (0.0, -0.0, PI), (0.0, -1.0, PI),
              (-0.0, 1.0, -0.0), (-0.0, 0.0, -0.0), (-0.0, -0.0, -PI), (-0.0, -1.0, -PI), (-1.0, 0.0, -PI / 2), (1.0, INF, 0.0), (1.0, -INF, PI),
              (-1.0, INF, -0.0), (-1.0, -INF, -PI), (INF, 1.0, PI / 2), (-INF, 1.0, -PI / 2), (INF, INF, PI / 4), (INF, -INF, 3 * PI / 4),
              (-INF, INF, -PI / 4), (-INF, -INF, -3 * PI / 4)],
    "copysign": [(1.0, -0.0, -1.0), (-1.0, 0.0, 1.0), (0.0, -1.0, -0.0), (INF, -2.0, -INF)],
    "divide": [(INF, INF, NAN), (0.0, 0.0, NAN), (0.0, 2.0, 0.0), (-0.0, 2.0, -0.0), (2.0, 0.0, INF), (2.0, -0.0, -INF), (-2.0, 0.0, -INF),
               (INF, 0.0, INF), (INF, 2.0, INF), (INF, -2.0, -INF), (2.0, INF, 0.0), (2.0, -INF, -0.0), (NAN, 1.0, NAN)],
    "floor_divide": [(INF, INF, NAN), (0.0, 0.0, NAN), (0.0, 2.0, 0.0), (0.0, -2.0, -0.0), (-0.0, 2.0, -0.0), (NAN, 1.0, NAN)],
    "hypot": [(NAN, 1.0, NAN), (1.0, 0.0, 1.0), (0.0, -3.0, 3.0), (INF, 2.0, INF), (-INF, NAN, INF), (NAN, INF, INF)],
    "logaddexp": [(NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, 1.0, INF), (-INF, -INF, -INF)],
    "maximum": [(NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, 1.0, INF)], "minimum": [(NAN, 1.0, NAN), (1.0, NAN, NAN), (-INF, 1.0, -INF)],
    "multiply": [(INF, 0.0, NAN), (-INF, -0.0, NAN), (INF, INF, INF), (INF, -2.0, -INF), (0.0, -2.0, -0.0), (NAN, 1.0, NAN)],
    "nextafter": [(0.0, -0.0, -0.0), (-0.0, 0.0, 0.0), (NAN, 1.0, NAN), (1.0, NAN, NAN)],
    "pow": [(2.0, 0.0, 1.0), (NAN, 0.0, 1.0), (NAN, 2.0, NAN), (1.0, NAN, 1.0), (2.0, NAN, NAN), (2.0, INF, INF), (0.5, INF, 0.0), (1.0, INF, 1.0),
            (-1.0, INF, 1.0), (2.0, -INF, 0.0), (0.5, -INF, INF), (INF, 2.0, INF), (INF, -2.0, 0.0), (-INF, 3.0, -INF), (-INF, 2.0, INF),
            (-INF, -3.0, -0.0), (0.0, 2.0, 0.0), (0.0, -2.0, INF), (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0), (-0.0, -3.0, -INF), (-0.0, -2.0, INF),
            (-2.0, 0.5, NAN)],
    "remainder": [(INF, 2.0, NAN), (2.0, 0.0, NAN), (2.0, INF, 2.0), (-2.0, INF, INF), (0.0, 2.0, 0.0), (2.0, -INF, -INF),
                  (-2.0, -INF, -2.0), (NAN, 1.0, NAN)],
    "subtract": [(INF, INF, NAN), (0.0, -0.0, 0.0), (-0.0, 0.0, -0.0), (2.0, INF, -INF)],
    "equal": [(NAN, NAN, False), (0.0, -0.0, True), (INF, INF, True)], "less": [(NAN, 1.0, False), (-INF, INF, True), (-0.0, 0.0, False)],
}
MORE_OF_ONE = {
    "negative": [(0.0, -0.0), (-0.0, 0.0), (INF, -INF), (NAN, NAN)],
    "positive": [(-0.0, -0.0), (NAN, NAN)],
    "square": [(-INF, INF), (NAN, NAN), (-0.0, 0.0)],
    "isnan": [(NAN, True)],
    "signbit": [(-1.0, True)],
    "logical_not": [(NAN, False), (0.0, True), (-0.0, True)],
    "asin": [(INF, NAN), (-INF, NAN)],
    "acos": [(INF, NAN), (-INF, NAN)],
    "acosh": [(-INF, NAN), (-1.0, NAN)],
    "atanh": [(INF, NAN), (-INF, NAN)],
    "log": [(-INF, NAN)],
    "log2": [(-INF, NAN), (8.0, 3.0)],
    "log10": [(-INF, NAN)],
    "log1p": [(-INF, NAN)],
    "sqrt": [(-INF, NAN)],
    "round": [(-1.5, -2.0), (-2.5, -2.0)],
    "sign": [(INF, 1.0), (-INF, -1.0)],
    "conj": [(-0.0, -0.0)],
    "real": [(NAN, NAN)],
    "imag": [(2.0, 0.0)],
}
MORE_OF_TWO = {
    "floor_divide": [(INF, 2.0, NAN), (INF, -2.0, NAN), (2.0, 0.0, INF), (-2.0, 0.0, -INF), (2.0, -0.0, -INF), (-2.0, -0.0, INF), (0.0, 0.0, NAN),
         (2.0, INF, 0.0), (2.0, -INF, -1.0), (-2.0, INF, -1.0), (-2.0, -INF, 0.0), (INF, INF, NAN), (-0.0, -2.0, 0.0), (0.0, INF, 0.0),
         (1.0, NAN, NAN)],
    "remainder": [(-INF, 2.0, NAN), (INF, INF, NAN), (0.0, 0.0, NAN), (0.0, -0.0, NAN), (2.0, -0.0, NAN), (2.0, NAN, NAN)],
    "divide": [(-INF, INF, NAN), (0.0, -0.0, NAN), (0.0, -2.0, -0.0), (-0.0, -2.0, 0.0), (-2.0, -0.0, INF), (-INF, 2.0, -INF), (-INF, -2.0, INF),
         (-2.0, INF, -0.0), (-2.0, -INF, 0.0), (2.0, NAN, NAN)],
    "pow": [(NAN, -0.0, 1.0), (-2.0, INF, INF), (-2.0, -INF, 0.0), (-1.0, -INF, 1.0), (-0.5, INF, 0.0), (-0.5, -INF, INF), (-INF, -2.0, 0.0),
         (0.0, -3.0, INF), (0.0, 3.0, 0.0), (-0.0, 0.0, 1.0), (0.0, INF, 0.0), (INF, 0.0, 1.0), (-INF, 0.5, INF), (-0.0, 0.5, 0.0),
         (-0.0, -0.5, INF)],
    "multiply": [(0.0, INF, NAN), (-0.0, INF, NAN), (-INF, -INF, INF), (-0.0, -2.0, 0.0), (2.0, NAN, NAN)],
    "add": [(-INF, INF, NAN), (2.0, INF, INF), (2.0, -INF, -INF), (0.0, 0.0, 0.0), (0.0, 2.0, 2.0), (1.0, NAN, NAN)],
    "copysign": [(NAN, -1.0, NAN), (1.0, NAN, 1.0), (0.0, 1.0, 0.0), (-2.0, -3.0, -2.0)],
    "hypot": [(NAN, 0.0, NAN), (INF, INF, INF), (-0.0, 0.0, 0.0)],
    "logaddexp": [(INF, INF, INF), (INF, -INF, INF), (-INF, 2.0, 2.0)],
    "maximum": [(INF, NAN, NAN), (-INF, INF, INF)],
    "minimum": [(INF, NAN, NAN), (-INF, INF, -INF)],
    "nextafter": [(INF, INF, INF), (-INF, -INF, -INF), (2.0, 2.0, 2.0)],
    "greater": [(NAN, 1.0, False), (1.0, NAN, False), (INF, -INF, True)],
    "greater_equal": [(NAN, NAN, False), (0.0, -0.0, True), (-INF, -INF, True)],
    "less_equal": [(NAN, 1.0, False), (-0.0, 0.0, True)],
    "not_equal": [(NAN, NAN, True), (0.0, -0.0, False)],
    "less": [(1.0, NAN, False), (INF, INF, False)],
    "equal": [(NAN, 1.0, False), (-INF, INF, False)],
    "subtract": [(-INF, -INF, NAN), (INF, -INF, INF), (0.0, 0.0, 0.0), (NAN, 1.0, NAN)],
    "atan2": [(1.0, NAN, NAN), (NAN, NAN, NAN), (-1.0, -0.0, -PI / 2)],
    "logical_and": [(NAN, 1.0, True), (0.0, NAN, False)],
    "logical_or": [(NAN, 0.0, True), (-0.0, 0.0, False)],
    "logical_xor": [(NAN, 1.0, False), (NAN, 0.0, True)],
}
for table, rest in ((OF_ONE, MORE_OF_ONE), (OF_TWO, MORE_OF_TWO)):
    for name, rows in rest.items():
        table[name] = [*table.get(name, []), *rows]

# Of complex numbers; those of sin, cos, tan, asin and atan follow by turning the plane
OF_COMPLEX = {
    "exp": [(complex(0.0, 0.0), complex(1.0, 0.0)), (complex(-0.0, 0.0), complex(1.0, 0.0)), (complex(1.0, INF), complex(NAN, NAN)),
         (complex(1.0, NAN), complex(NAN, NAN)), (complex(INF, 0.0), complex(INF, 0.0)), (complex(-INF, 1.0), complex(0.0, 0.0)),
         (complex(INF, 1.0), complex(INF, INF)), (complex(NAN, 0.0), complex(NAN, 0.0)), (complex(NAN, 1.0), complex(NAN, NAN)),
         (complex(NAN, NAN), complex(NAN, NAN))],
    "expm1": [(complex(0.0, 0.0), complex(0.0, 0.0)), (complex(-0.0, 0.0), complex(0.0, 0.0)), (complex(1.0, INF), complex(NAN, NAN)),
         (complex(1.0, NAN), complex(NAN, NAN)), (complex(INF, 0.0), complex(INF, 0.0)), (complex(-INF, 1.0), complex(-1.0, 0.0)),
         (complex(INF, 1.0), complex(INF, INF)), (complex(NAN, 0.0), complex(NAN, 0.0)), (complex(NAN, 1.0), complex(NAN, NAN)),
         (complex(NAN, NAN), complex(NAN, NAN))],
    "log": [(complex(-0.0, 0.0), complex(-INF, PI)), (complex(0.0, 0.0), complex(-INF, 0.0)), (complex(1.0, INF), complex(INF, PI / 2)),
         (complex(1.0, NAN), complex(NAN, NAN)), (complex(-INF, 1.0), complex(INF, PI)), (complex(INF, 1.0), complex(INF, 0.0)),
         (complex(-INF, INF), complex(INF, 3 * PI / 4)), (complex(INF, INF), complex(INF, PI / 4)), (complex(NAN, 1.0), complex(NAN, NAN)),
         (complex(NAN, NAN), complex(NAN, NAN))],
    "log1p": [(complex(-1.0, 0.0), complex(-INF, 0.0)), (complex(1.0, INF), complex(INF, PI / 2)), (complex(1.0, NAN), complex(NAN, NAN)),
         (complex(-INF, 1.0), complex(INF, PI)), (complex(INF, 1.0), complex(INF, 0.0)), (complex(-INF, INF), complex(INF, 3 * PI / 4)),
         (complex(INF, INF), complex(INF, PI / 4)), (complex(NAN, 1.0), complex(NAN, NAN)), (complex(NAN, NAN), complex(NAN, NAN))],
    "sqrt": [(complex(0.0, 0.0), complex(0.0, 0.0)), (complex(-0.0, 0.0), complex(0.0, 0.0)), (complex(1.0, INF), complex(INF, INF)),
         (complex(1.0, NAN), complex(NAN, NAN)), (complex(-INF, 1.0), complex(0.0, INF)), (complex(INF, 1.0), complex(INF, 0.0)),
         (complex(NAN, 1.0), complex(NAN, NAN)), (complex(NAN, NAN), complex(NAN, NAN))],
    "cosh": [(complex(0.0, 0.0), complex(1.0, 0.0)), (complex(1.0, INF), complex(NAN, NAN)), (complex(1.0, NAN), complex(NAN, NAN)),
         (complex(INF, 0.0), complex(INF, 0.0)), (complex(INF, 1.0), complex(INF, INF)), (complex(NAN, 0.0), complex(NAN, 0.0)),
         (complex(NAN, 1.0), complex(NAN, NAN)), (complex(NAN, NAN), complex(NAN, NAN))],
    "sinh": [(complex(0.0, 0.0), complex(0.0, 0.0)), (complex(1.0, INF), complex(NAN, NAN)), (complex(1.0, NAN), complex(NAN, NAN)),
         (complex(INF, 0.0), complex(INF, 0.0)), (complex(INF, 1.0), complex(INF, INF)), (complex(NAN, 0.0), complex(NAN, 0.0)),
         (complex(NAN, 1.0), complex(NAN, NAN)), (complex(NAN, NAN), complex(NAN, NAN))],
    "tanh": [(complex(0.0, 0.0), complex(0.0, 0.0)), (complex(1.0, INF), complex(NAN, NAN)), (complex(1.0, NAN), complex(NAN, NAN)),
         (complex(INF, 1.0), complex(1.0, 0.0)), (complex(INF, INF), complex(1.0, 0.0)), (complex(INF, NAN), complex(1.0, 0.0)),
         (complex(NAN, 0.0), complex(NAN, 0.0)), (complex(NAN, 1.0), complex(NAN, NAN)), (complex(NAN, NAN), complex(NAN, NAN))],
    "acos": [(complex(0.0, 0.0), complex(PI / 2, -0.0)), (complex(-0.0, 0.0), complex(PI / 2, -0.0)), (complex(1.0, INF), complex(PI / 2, -INF)),
         (complex(1.0, NAN), complex(NAN, NAN)), (complex(-INF, 1.0), complex(PI, -INF)), (complex(INF, 1.0), complex(0.0, -INF)),
         (complex(-INF, INF), complex(3 * PI / 4, -INF)), (complex(INF, INF), complex(PI / 4, -INF)), (complex(NAN, 1.0), complex(NAN, NAN)),
         (complex(NAN, INF), complex(NAN, -INF)), (complex(NAN, NAN), complex(NAN, NAN))],
    "acosh": [(complex(0.0, 0.0), complex(0.0, PI / 2)), (complex(-0.0, 0.0), complex(0.0, PI / 2)), (complex(1.0, INF), complex(INF, PI / 2)),
         (complex(1.0, NAN), complex(NAN, NAN)), (complex(-INF, 1.0), complex(INF, PI)), (complex(INF, 1.0), complex(INF, 0.0)),
         (complex(-INF, INF), complex(INF, 3 * PI / 4)), (complex(INF, INF), complex(INF, PI / 4)), (complex(INF, NAN), complex(INF, NAN)),
         (complex(NAN, 1.0), complex(NAN, NAN)), (complex(NAN, INF), complex(INF, NAN)), (complex(NAN, NAN), complex(NAN, NAN))],
    "asinh": [(complex(0.0, 0.0), complex(0.0, 0.0)), (complex(1.0, INF), complex(INF, PI / 2)), (complex(1.0, NAN), complex(NAN, NAN)),
         (complex(INF, 1.0), complex(INF, 0.0)), (complex(INF, INF), complex(INF, PI / 4)), (complex(INF, NAN), complex(INF, NAN)),
         (complex(NAN, 1.0), complex(NAN, NAN)), (complex(NAN, INF), complex(INF, NAN)), (complex(NAN, NAN), complex(NAN, NAN))],
    "atanh": [(complex(0.0, 0.0), complex(0.0, 0.0)), (complex(1.0, 0.0), complex(INF, 0.0)), (complex(1.0, INF), complex(0.0, PI / 2)),
         (complex(INF, 1.0), complex(0.0, PI / 2)), (complex(INF, INF), complex(0.0, PI / 2)), (complex(NAN, INF), complex(0.0, PI / 2))],
    "abs": [(complex(-INF, 1.0), INF), (complex(NAN, 1.0), NAN), (complex(0.0, 0.0), 0.0)],
    "sign": [(complex(0.0, 0.0), complex(0.0, 0.0)), (complex(NAN, 1.0), complex(NAN, NAN)), (complex(1.0, NAN), complex(NAN, NAN))],
    "isnan": [(complex(NAN, 1.0), True), (complex(INF, 1.0), False)],
    "isinf": [(complex(NAN, INF), True), (complex(1.0, INF), True), (complex(NAN, 1.0), False)],
    "isfinite": [(complex(NAN, 1.0), False), (complex(1.0, INF), False), (complex(1.0, 2.0), True)],
}
MORE_OF_COMPLEX = {
    "exp": [(complex(INF, INF), complex(INF, NAN)), (complex(INF, NAN), complex(INF, NAN)), (complex(-INF, INF), complex(0.0, 0.0)),
         (complex(-INF, NAN), complex(0.0, 0.0))],
    "expm1": [(complex(INF, INF), complex(INF, NAN)), (complex(INF, NAN), complex(INF, NAN)), (complex(-INF, INF), complex(-1.0, 0.0)),
         (complex(-INF, NAN), complex(-1.0, 0.0))],
    **dict.fromkeys(["log", "log1p", "log2", "log10"], [(complex(INF, NAN), complex(INF, NAN)), (complex(-INF, NAN), complex(INF, NAN)),
         (complex(NAN, INF), complex(INF, NAN))]),
    "sqrt": [(complex(INF, NAN), complex(INF, NAN)), (complex(-INF, NAN), complex(NAN, INF)), (complex(NAN, INF), complex(INF, INF)),
         (complex(INF, INF), complex(INF, INF)), (complex(-INF, INF), complex(INF, INF))],
    "cosh": [(complex(0.0, INF), complex(NAN, 0.0)), (complex(0.0, NAN), complex(NAN, 0.0)), (complex(INF, INF), complex(INF, NAN)),
         (complex(INF, NAN), complex(INF, NAN))],
    "sinh": [(complex(0.0, INF), complex(0.0, NAN)), (complex(0.0, NAN), complex(0.0, NAN)), (complex(INF, INF), complex(INF, NAN)),
         (complex(INF, NAN), complex(INF, NAN))],
    "tanh": [(complex(0.0, INF), complex(0.0, NAN)), (complex(0.0, NAN), complex(0.0, NAN))],
    "acos": [(complex(0.0, NAN), complex(PI / 2, NAN)), (complex(-0.0, NAN), complex(PI / 2, NAN))],
    "acosh": [(complex(0.0, NAN), complex(NAN, PI / 2))], "asinh": [(complex(NAN, 0.0), complex(NAN, 0.0))],
    "atanh": [(complex(0.0, NAN), complex(0.0, NAN)), (complex(1.0, NAN), complex(NAN, NAN)), (complex(INF, NAN), complex(0.0, NAN)),
         (complex(NAN, 1.0), complex(NAN, NAN)), (complex(NAN, 0.0), complex(NAN, NAN)), (complex(NAN, NAN), complex(NAN, NAN))],
    "abs": [(complex(INF, NAN), INF), (complex(-INF, NAN), INF), (complex(NAN, INF), INF), (complex(NAN, -INF), INF), (complex(-0.0, -3.0), 3.0),
         (complex(1.0, NAN), NAN), (complex(NAN, NAN), NAN)],
    "sign": [(complex(INF, NAN), complex(NAN, NAN)), (complex(NAN, INF), complex(NAN, NAN)), (complex(-INF, 1.0), complex(-1.0, 0.0))],
}
for name, rows in MORE_OF_COMPLEX.items():
    OF_COMPLEX[name] = [*OF_COMPLEX.get(name, []), *rows]
PLANE = [complex(a, b) for a in (0.0, 0.5, 1.0, 2.0, 4.0, INF, NAN) for b in (0.0, 0.5, 1.0, 2.0, 4.0, INF, NAN)]
DTYPES = ["float32", "float64", "float16", "bfloat16"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_cases(dtype):
    """In one program per dtype, and eagerly."""
    with G.enable_x64(dtype == "float64"):
        arguments = {name: tuple(jnp.array(column, dtype) for column in list(zip(*rows))[:-1]) for name, rows in (OF_ONE | OF_TWO).items()}
        results = {name: [row[-1] for row in rows] for name, rows in (OF_ONE | OF_TWO).items()}
        compiled = G.jit(lambda given: {name: getattr(jnp, name)(*xs) for name, xs in given.items()})(arguments)
        for name, want in results.items():
            for out in (compiled[name], getattr(jnp, name)(*arguments[name])):
                out = np.asarray(out).astype("f8")
                np.testing.assert_allclose(out, np.array(want, float), rtol=1e-2 if dtype == "bfloat16" else 1e-3, atol=0, err_msg=name)
                np.testing.assert_array_equal(np.signbit(out)[~np.isnan(out)], np.signbit(np.array(want, float))[~np.isnan(out)], err_msg=name)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_special_cases_of_complex_numbers(dtype):
    with G.enable_x64(dtype == "complex128"):
        arguments = {name: jnp.array(np.array([row[0] for row in rows], dtype)) for name, rows in OF_COMPLEX.items()}
        compiled = G.jit(lambda given: {name: getattr(jnp, name)(x) for name, x in given.items()})(arguments)
        for name, rows in OF_COMPLEX.items():
            want = np.array([row[1] for row in rows])
            for part in (np.real, np.imag):
                np.testing.assert_allclose(part(compiled[name]).astype("f8"), part(want).astype("f8"), rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_symmetries_of_complex_functions(dtype):
    """With signed zeros, infinities and NaN: conjugates have conjugate results, which tells the sides of branch cuts apart, odd functions are
    odd, and what is a function of iz is it, too."""
    with G.enable_x64(dtype == "complex128"):
        z = np.array(PLANE, dtype)
        swap = lambda z: complex_of(z.imag, z.real)                     # noqa: E731
        places = {"z": z, "conj": z.conj(), "minus": -z, "swap": swap(z)}
        names = [name for name in OF_COMPLEX if name[:2] != "is" and name != "abs"] + ["sin", "cos", "tan", "asin", "atan", "exp2"]
        every = jnp.asarray(np.concatenate(list(places.values())))
        found = {name: dict(zip(places, np.split(np.asarray(getattr(jnp, name)(every)), len(places)))) for name in names}
        for name in names:
            at = found[name]
            same_parts(at["conj"], at["z"].conj(), name)
            if name in ("sinh", "tanh", "asinh", "atanh", "sin", "tan", "asin", "atan", "sign"):
                same_parts(at["minus"], -at["z"], name)
            if name in ("cosh", "cos"):
                same_parts(at["minus"], at["z"], name)
        for name, of_iz in {"sin": "sinh", "tan": "tanh", "asin": "asinh", "atan": "atanh"}.items():
            same_parts(found[name]["z"], swap(found[of_iz]["swap"]), name, rtol=1e-6)
        same_parts(found["cos"]["z"], found["cosh"]["swap"].conj(), "cos", rtol=1e-6)


def complex_of(a, b):
    z = np.empty(a.shape, np.result_type(a.dtype, np.complex64))
    z.real, z.imag = a, b
    return z


def same_parts(x, y, name, rtol=0.0):
    for a, b in ((x.real, y.real), (x.imag, y.imag)):
        np.testing.assert_allclose(a, b, rtol=rtol, err_msg=name)
        np.testing.assert_array_equal(np.signbit(a)[~np.isnan(a)], np.signbit(b)[~np.isnan(b)], err_msg=name)


# ---- dtypes ------------------------------------------------------------------------------------------------------

KINDS = [["int8", "int16", "int32", "int64"], ["uint8", "uint16", "uint32", "uint64"], ["float32", "float64"], ["complex64", "complex128"]]


def test_promotion():
    """Within a kind the wider dtype, signed with unsigned the signed one that holds both, floats with complex numbers complex."""
    with G.enable_x64(True):
        for kind in KINDS:
            for a, b in itertools.product(range(len(kind)), repeat=2):
                assert jnp.result_type(kind[a], kind[b]) == kind[max(a, b)]
        for i, j in itertools.product(range(4), range(3)):
            assert jnp.result_type(KINDS[0][i], KINDS[1][j]) == KINDS[0][max(i, j + 1)]
        for i, j in itertools.product(range(2), repeat=2):
            assert jnp.result_type(KINDS[2][i], KINDS[3][j]) == KINDS[3][max(i, j)]
        assert jnp.result_type("bool", "bool") == "bool" and jnp.result_type(jnp.ones(2, "float32"), 1.0) == "float32"
        assert jnp.result_type(jnp.ones(2, "int8"), 1) == "int8"
        x = jnp.ones(2, "int16")
        assert jnp.astype(x, "float32").dtype == "float32" and jnp.astype(x, "int16", copy=False) is x
        assert jnp.can_cast("int8", "int16") and not jnp.can_cast("float32", "int32")
        for name in ("sum", "prod", "cumulative_sum", "cumulative_prod"):
            assert getattr(jnp, name)(jnp.ones(2, "float32")).dtype == "float32" and getattr(jnp, name)(jnp.ones(2, "int64")).dtype == "int64"


def test_isdtype():
    of = {"bool": ["bool"], "signed integer": KINDS[0], "unsigned integer": KINDS[1], "integral": KINDS[0] + KINDS[1], "real floating": KINDS[2],
          "complex floating": KINDS[3], "numeric": sum(KINDS, [])}
    for dtype in ["bool", *sum(KINDS, [])]:
        for kind, members in of.items():
            assert jnp.isdtype(np.dtype(dtype), kind) == (dtype in members)
        assert jnp.isdtype(np.dtype(dtype), np.dtype(dtype)) and jnp.isdtype(np.dtype(dtype), ("bool", "numeric"))
    with pytest.raises(ValueError, match="kind"):
        jnp.isdtype(np.dtype("int8"), "whole")


# ---- sets, searching, running sums ---------------------------------------------------------------------------------

NUMBERS = st.lists(st.sampled_from([0.0, 1.0, -1.0, 2.5, INF, -INF]), max_size=7)


@settings(max_examples=30)
@given(NUMBERS, st.booleans())
def test_unique(numbers, square):
    x = np.array(numbers, np.float32)
    x = np.stack([x, x]) if square else x
    every, counts, inverse, values = jnp.unique_all(x), jnp.unique_counts(x), jnp.unique_inverse(x), jnp.unique_values(x)
    assert every._fields == ("values", "indices", "inverse_indices", "counts")
    for found in (every.values, counts.values, inverse.values, values):
        assert sorted(np.asarray(found).tolist()) == sorted(set(numbers))
    assert every.inverse_indices.shape == inverse.inverse_indices.shape == x.shape
    np.testing.assert_array_equal(every.values[every.inverse_indices] if x.size else x, x)
    np.testing.assert_array_equal(x.reshape(-1)[np.asarray(every.indices)], every.values)
    assert int(every.counts.sum()) == int(counts.counts.sum()) == x.size


def test_nans_are_all_unique_where_the_standard_says_so():
    x = jnp.array([NAN, 1.0, NAN])
    assert jnp.unique_values(x).shape == (3,) and jnp.unique_counts(x).counts.tolist() == [1, 1, 1]
    assert jnp.unique_all(x).values.shape == (3,) and jnp.unique_inverse(x).values.shape == (3,)


def test_running_sums_with_the_start():
    x = jnp.array([[1, 2], [3, 4]])
    assert jnp.cumulative_sum(x, axis=0, include_initial=True).tolist() == [[0, 0], [1, 2], [4, 6]]
    assert jnp.cumulative_prod(x, axis=1, include_initial=True).tolist() == [[1, 1, 2], [1, 3, 12]]
    with pytest.raises(ValueError, match="axis"):
        jnp.cumulative_sum(x)
    assert jnp.searchsorted(jnp.array([3, 1, 2]), jnp.array([2]), sorter=jnp.array([1, 2, 0])).tolist() == [1]
    assert [y.tolist() for y in jnp.unstack(x, axis=1)] == [[1, 3], [2, 4]]
    assert jnp.vecdot(jnp.array([1j, 2]), jnp.array([1j, 1])).item() == 3 + 0j
    assert jnp.diff(x, prepend=jnp.array([[0], [0]])).tolist() == [[1, 1], [3, 1]]


@settings(max_examples=20)
@given(st.integers(0, 3), st.data())
def test_reductions_of_nothing(rank, data):
    """The sum of nothing is 0, the product 1; its mean is NaN, and it has no largest element."""
    shape = tuple(data.draw(st.sampled_from([0, 1, 2])) for _ in range(rank))
    x = jnp.zeros(shape)
    axis = data.draw(st.sampled_from([None, *range(rank)]))
    rest = () if axis is None else tuple(n for i, n in enumerate(shape) if i != axis)
    for name in ("sum", "prod", "mean", "all", "any"):
        assert getattr(jnp, name)(x, axis=axis).shape == rest
    if 0 in shape and axis is None:
        assert float(jnp.sum(x)) == 0 and float(jnp.prod(x)) == 1 and jnp.isnan(jnp.mean(x)) and bool(jnp.all(x)) and not bool(jnp.any(x))
        with pytest.raises(ValueError, match="max"):
            jnp.max(x)


def test_tolerances_of_matrix_rank_broadcast():
    x = jnp.array([[1.0, 0.0], [0.0, 1e-2]])
    for rtol, want in ((1e-3, 2), (jnp.array([1e-3, 0.1]), [2, 1]), (jnp.array([[0.1]]), [[1]])):
        assert jnp.linalg.matrix_rank(x, rtol=rtol).tolist() == want
    assert jnp.linalg.matrix_rank(jnp.stack([x, x]), rtol=jnp.array([[0.1], [1e-3]])).tolist() == [[1, 1], [2, 2]]
    assert jnp.linalg.matrix_rank(jnp.stack([x, x]), tol=jnp.array([0.1, 1e-3])).tolist() == [1, 2]


# ---- functions of indices, counts and differences ------------------------------------------------------------------

@settings(max_examples=20)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=3), st.data())
def test_functions_along_an_axis(shape, data):
    x = np.random.RandomState(len(shape)).randint(-2, 3, shape).astype("int32")
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    assert jnp.count_nonzero(x, axis=axis).tolist() == np.count_nonzero(x, axis=axis).tolist()
    assert jnp.count_nonzero(x, axis=axis, keepdims=True).shape == tuple(1 if i == axis % x.ndim else n for i, n in enumerate(shape))
    np.testing.assert_array_equal(jnp.cumulative_prod(x, axis=axis), np.cumprod(x, axis))
    n = data.draw(st.integers(0, 4))
    np.testing.assert_array_equal(jnp.diff(x, n=n, axis=axis), np.diff(x, n, axis))
    order = jnp.argsort(x, axis=axis)
    np.testing.assert_array_equal(jnp.take_along_axis(x, order, axis=axis), np.sort(x, axis))
    np.testing.assert_array_equal(jnp.take_along_axis(x, order - x.shape[axis], axis=axis), np.sort(x, axis))       # counted from the end


def test_diff_more_often_than_there_are_elements():
    for x in (jnp.arange(4.0), jnp.array([True, False])):
        for form in (jnp.diff, G.jit(jnp.diff, static_argnames="n")):
            assert form(x, n=10 ** 9).shape == (0,)
    assert jnp.diff(jnp.arange(3), n=10 ** 9, prepend=0).shape == (0,)


def test_dtypes_of_results():
    """The standard's table: same dtype for arithmetic, booleans for comparisons and predicates, the default integer for places and counts."""
    with G.enable_x64(True):
        for dtype in sum(KINDS, []):
            x = G.ShapeDtypeStruct((2, 2), dtype)
            whole, inexact, complex_ = dtype[0] in "iu", dtype[0] in "fc", dtype[0] == "c"
            size = f"float{4 * np.dtype(dtype).itemsize}" if complex_ else dtype

            def check(want, one="", two=""):
                for count, names in ((1, one), (2, two)):
                    for name in names.split():
                        assert G.eval_shape(getattr(jnp, name), *[x] * count).dtype == want, (name, dtype)
            check(dtype, "negative positive square sign conj sum prod" if np.dtype(dtype).itemsize == 8 else "negative square sign conj",
                  "add multiply subtract matmul")
            check(size, "abs real")
            check(bool, "isnan isinf isfinite logical_not any all", "equal not_equal logical_xor")
            check("int64", "count_nonzero")
            if not complex_:
                check("int64", "argmax argmin argsort")
                check(dtype, "floor ceil trunc round max sort", "floor_divide remainder maximum minimum")
                check(bool, two="less greater_equal")
            if whole:
                check(dtype, "bitwise_invert", "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift")
            if inexact:
                assert G.eval_shape(jnp.linalg.matrix_rank, x).dtype == "int64"
                check(dtype, "exp log sqrt tanh asin mean reciprocal", "pow divide")
                assert G.eval_shape(jnp.linalg.svdvals, x).dtype == G.eval_shape(jnp.linalg.vector_norm, x).dtype == size
                assert G.eval_shape(jnp.fft.fft, x).dtype == jnp.result_type(dtype, "complex64")


@settings(max_examples=30)
@given(st.lists(st.integers(0, 3), max_size=3), st.lists(st.integers(0, 3), max_size=3))
def test_broadcasting(one, other):
    try:
        want = np.broadcast_shapes(tuple(one), tuple(other))
    except ValueError:
        with pytest.raises((TypeError, ValueError), match="add"):
            jnp.add(jnp.ones(one), jnp.ones(other))
        with pytest.raises(ValueError):
            jnp.broadcast_shapes(tuple(one), tuple(other))
        return
    assert jnp.add(jnp.ones(one), jnp.ones(other)).shape == jnp.broadcast_shapes(tuple(one), tuple(other)) == want
    assert [x.shape for x in jnp.broadcast_arrays(jnp.ones(one), jnp.ones(other))] == [want, want]
