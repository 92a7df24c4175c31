"""The lattice, cell by cell, against JAX's."""
import itertools

import numpy as np
import pytest

from gnomon.base import errors
from gnomon.types import dtype as D

pytestmark = pytest.mark.peer

STRONG = list(D.DTYPES.values())
SCALARS = (True, 1, 1.0, 1j)
# JAX itself fails (KeyError) on weak narrow integers, so they are not compared.
WEAK = [dtype for dtype in STRONG if dtype.name not in ("int2", "int4", "uint2", "uint4")]


def ours(function):
    try:
        return function()
    except errors.TypePromotionError:
        return None


def theirs(function):
    try:
        return function()
    except ValueError as error:
        if type(error).__name__ == "TypePromotionError":
            return None
        raise


def peer_results(peer, operands_of_case):
    """JAX's (dtype, weak) for each case, a case being pairs and Python scalars, asked inside one trace."""
    leaves = [peer.ShapeDtypeStruct((), dtype, weak_type=weak)
              for case in operands_of_case for dtype, weak in [x for x in case if isinstance(x, tuple)]]
    found = []

    def body(*values):
        values = iter(values)
        for case in operands_of_case:
            operands = [next(values) if isinstance(x, tuple) else x for x in case]
            found.append(theirs(lambda: peer.dtypes.result_type(*operands, return_weak_type_flag=True)))
        return 0

    peer.eval_shape(body, *leaves)
    return found


def our_result(case, x64, strict):
    pairs = [x if isinstance(x, tuple) else D.python_scalar_dtype(type(x), x64) for x in case]
    return ours(lambda: D.join_all(pairs, x64=x64, strict=strict))


def compare(peer, cases, x64, strict=False):
    with peer.enable_x64(x64), peer.numpy_dtype_promotion("strict" if strict else "standard"):
        expected = peer_results(peer, cases)
    differences = {str(case): (our_result(case, x64, strict), want)
                   for case, want in zip(cases, expected) if our_result(case, x64, strict) != want}
    assert not differences


def dtypes_under(x64, dtypes):
    return [dtype for dtype in dtypes if D.canonicalize(dtype, x64) is dtype]


def test_promote_types(peer):
    with peer.enable_x64(True):
        for a, b in itertools.product(STRONG, STRONG):
            assert ours(lambda: D.promote_types(a, b)) == theirs(lambda: peer.numpy.promote_types(a, b)), (a, b)
        for a, b in itertools.product([int, float, complex], [*STRONG, bool, int, float, complex]):
            assert ours(lambda: D.promote_types(a, b)) == theirs(lambda: peer.numpy.promote_types(a, b)), (a, b)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("x64", [False, True])
def test_strong_dtypes_and_python_scalars(peer, x64, strict):
    strong = [(dtype, False) for dtype in dtypes_under(x64, STRONG)]
    compare(peer, [*itertools.product(strong, strong), *itertools.product(strong, SCALARS),
             *itertools.product(SCALARS, SCALARS)], x64, strict)


@pytest.mark.parametrize("x64", [False, True])
def test_weak_dtypes(peer, x64):
    weak = [(dtype, True) for dtype in dtypes_under(x64, WEAK)]
    strong = [(dtype, False) for dtype in dtypes_under(x64, STRONG)]
    compare(peer, [*itertools.product(weak, weak), *itertools.product(weak, strong), *((pair,) for pair in weak)], x64)


def test_three_operands(peer):
    some = [(D.DTYPES[name], weak) for name in ("bool", "int8", "uint8", "uint64", "float16", "bfloat16", "complex64")
            for weak in (False, True) if not (weak and name in ("bool", "uint8", "uint64"))]
    compare(peer, list(itertools.product(some, some, some)), True)


def test_canonicalize(peer):
    for x64 in (False, True):
        with peer.enable_x64(x64):
            for dtype in [*STRONG, *D.DTYPES, float, int, bool, complex, None, np.float64]:
                if isinstance(dtype, str):
                    dtype = D.DTYPES[dtype].type
                assert D.canonicalize(dtype, x64) == peer.dtypes.canonicalize_dtype(dtype)


def test_issubdtype(peer):
    abstract = [np.generic, np.number, np.integer, np.signedinteger, np.unsignedinteger, np.inexact, np.floating,
                np.complexfloating]
    classes = [*abstract, *STRONG, np.float32, np.bool_, float, int, complex, bool, None, D.float0]
    for a, b in itertools.product(classes, classes):
        assert D.issubdtype(a, b) == peer.dtypes.issubdtype(a, b), (a, b)
    key = peer.random.key(0).dtype
    for b, peer_b in [(D.prng_key, peer.dtypes.prng_key), (D.extended, peer.dtypes.extended),
                      *((b, b) for b in abstract)]:
        assert D.issubdtype(D.key_dtype("threefry2x32"), b) == peer.dtypes.issubdtype(key, peer_b), b


def test_inexact_dtype(peer):
    accepted = [dtype for dtype in STRONG if dtype not in (D._NARROW_FLOATS | D._NARROW_INTEGERS)]
    with peer.enable_x64(True):
        for dtype in accepted:
            result = peer.eval_shape(peer.numpy.sin, peer.ShapeDtypeStruct((), dtype)).dtype
            assert D.inexact_dtype(dtype) == result


def test_names_and_sizes(peer):
    with peer.enable_x64(True):
        for dtype in STRONG:
            shaped = peer.core.ShapedArray((), dtype)
            assert shaped.str_short(True) == f"{D.short_name(dtype)}[]"
            text = peer.jit(lambda x: x).lower(peer.ShapeDtypeStruct((), dtype)).as_text()
            assert f"tensor<{D.mlir_name(dtype)}>" in text
            assert D.itemsize_bits(dtype) == peer.dtypes.itemsize_bits(dtype)
            assert D.python_type(dtype) == peer.dtypes.scalar_type_of(peer.ShapeDtypeStruct((), dtype).dtype.type(1))


def test_key_dtypes(peer):
    for impl in ("threefry2x32", "rbg", "unsafe_rbg"):
        keys = peer.random.key(0, impl=impl)
        own = D.key_dtype(impl)
        assert str(own) == str(keys.dtype) and own.itemsize == keys.dtype.itemsize
        assert own.key_shape == peer.random.key_data(keys).shape


def test_float0_is_the_same_dtype(peer):
    assert D.float0 == peer.dtypes.float0
