"""Elementwise functions of gnomon.lax beside JAX's: values, derivatives, how they print, what they are called with."""
import inspect

import numpy as np
import pytest

import gnomon
from gnomon import lax
from gnomon.lax import arithmetic, functions

pytestmark = pytest.mark.peer

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, 9).astype("f4")
POSITIVE, SMALL, LARGE = np.abs(X) + 0.2, X / 2.1, np.abs(X) + 1.1
INTEGERS = np.array([-9, -3, -1, 0, 1, 2, 5, 100], "i4")
COMPLEX = (X + 1j * X[::-1]).astype("c8")

ORDINARY = """sin cos tan atan sinh cosh tanh asinh exp exp2 expm1 logistic cbrt square abs sign floor ceil round
is_finite neg erf erfc bessel_i0e bessel_i1e conj""".split()
UNARY = {**dict.fromkeys(ORDINARY, X), **dict.fromkeys("asin acos atanh erf_inv".split(), SMALL), "acosh": LARGE,
         **dict.fromkeys("log log1p sqrt rsqrt reciprocal lgamma digamma".split(), POSITIVE)}
ON_COMPLEX = """sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log1p logistic sqrt rsqrt
square abs sign real imag conj neg reciprocal""".split()
ON_INTEGERS = "abs sign neg square bitwise_not population_count clz".split()
BINARY = """add sub mul div rem pow atan2 nextafter max min complex eq ne lt le gt ge igamma igammac igamma_grad_a
random_gamma_grad zeta""".split()
BINARY_INTEGERS = """add sub mul div rem max min shift_left shift_right_logical shift_right_arithmetic
bitwise_and bitwise_or bitwise_xor eq lt""".split()
NO_SLOPE = """is_finite conj nextafter complex eq ne lt le gt ge igamma_grad_a zeta random_gamma_grad""".split()


def same(jax, call, *args, rtol=2e-5):
    want, got = np.asarray(call(jax.lax, *args)), np.asarray(call(lax, *args))
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_allclose(got, want, rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("name", UNARY)
def test_one_operand(peer, name):
    x = UNARY[name]
    same(peer, lambda m, x: getattr(m, name)(x), x)
    if name not in NO_SLOPE:
        ours, theirs = [np.asarray(J.vmap(J.grad(getattr(m, name)))(x)) for J, m in ((gnomon, lax), (peer, peer.lax))]
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-6)
    assert str(gnomon.make_jaxpr(getattr(lax, name))(x)) == str(peer.make_jaxpr(getattr(peer.lax, name))(x))


@pytest.mark.parametrize("name", ON_COMPLEX)
def test_complex_operand(peer, name):
    same(peer, lambda m, x: getattr(m, name)(x), COMPLEX, rtol=1e-4)


@pytest.mark.parametrize("name", ON_INTEGERS)
def test_integer_operand(peer, name):
    for dtype in ("i4", "i1") if name == "abs" else ("i4", "i1", "u4"):
        same(peer, lambda m, x: getattr(m, name)(x), INTEGERS.astype(dtype))


@pytest.mark.parametrize("name", BINARY)
def test_two_operands(peer, name):
    x, y = POSITIVE + (1 if name == "zeta" else 0), LARGE
    same(peer, lambda m, x, y: getattr(m, name)(x, y), x, y, rtol=1e-4)
    if name not in NO_SLOPE:
        for i in (0, 1):
            ours, theirs = [np.asarray(J.vmap(J.grad(getattr(m, name), i))(x, y)) for J,
                            m in ((gnomon, lax), (peer, peer.lax))]
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
    if name != "random_gamma_grad":      # JAX writes it out in a hundred equations
        assert str(gnomon.make_jaxpr(getattr(lax, name))(x, y)) == str(peer.make_jaxpr(getattr(peer.lax, name))(x, y))


@pytest.mark.parametrize("name", BINARY_INTEGERS)
def test_two_integers(peer, name):
    for dtype in ("i4", "u4", "i1"):
        same(peer, lambda m, x, y: getattr(m, name)(x, y), INTEGERS.astype(dtype),
             np.array([3, 2, 1, 1, 7, 5, 2, 9], dtype))


CALLS = {
    "clamp": (lambda m, x: m.clamp(np.float32(-1), x, np.float32(1)), X),
    "integer_pow": (lambda m, x: m.integer_pow(x, 3), X),
    "integer_pow -2": (lambda m, x: m.integer_pow(x, -2), POSITIVE),
    "round": (lambda m, x: m.round(x * 2, m.RoundingMethod.TO_NEAREST_EVEN), np.arange(9, dtype="f4") / 4),
    "select": (lambda m, x: m.select(x > 0, x, -x), X),
    "select_n": (lambda m, x: m.select_n(x > 0, x, -x), X),
    "select_n of integers": (lambda m, i: m.select_n(i % 3, i, i * 2, i * 3), np.arange(8, dtype="i4")),
    "convert": (lambda m, x: m.convert_element_type(x, "int32"), X),
    "convert to bool": (lambda m, x: m.convert_element_type(x, bool), X),
    "bitcast": (lambda m, x: m.bitcast_convert_type(x, "uint32"), X),
    "bitcast down": (lambda m, x: m.bitcast_convert_type(x, "uint8"), X),
    "bitcast up": (lambda m, x: m.bitcast_convert_type(x, "float32"), np.arange(16, dtype="u1").reshape(4, 4)),
    "reduce_precision": (lambda m, x: m.reduce_precision(x, 5, 4), X),
    "betainc": (lambda m, x: m.betainc(x, x, x / 5), POSITIVE),
    "polygamma": (lambda m, x: m.polygamma(np.float32(2), x), POSITIVE),
    "pow with an integer": (lambda m, x: m.pow(x, np.int32(3)), X),
    "accuracy": (lambda m, x: m.exp(x, accuracy=m.AccuracyMode.HIGHEST), X),
    "scalars": (lambda m, x: m.add(m.mul(x, 2.0), 1.0), X),
    "mulhi": (lambda m, x: m.mulhi(x, x), np.array([2**31, 2**32 - 1], "u4")),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(peer, name):
    call, x = CALLS[name]
    same(peer, call, x)
    if name not in ("scalars", "bitcast up", "select_n of integers"):
        assert str(gnomon.make_jaxpr(lambda x: call(lax, x))(x)) == str(peer.make_jaxpr(lambda x: call(peer.lax, x))(x))


TWO, THREE, HALF = np.zeros(2, "f4"), np.zeros(3, "f4"), np.zeros(3, "f2")
REFUSED = [
    lambda m: m.add(HALF, THREE),
    lambda m: m.add(THREE, 1),
    lambda m: m.add(1, 1.0),
    lambda m: m.add(THREE, TWO),
    lambda m: m.sin(1),
    lambda m: m.sin([1.0]),
    lambda m: m.pow(2, 3),
    lambda m: m.neg(True),
    lambda m: m.integer_pow(1, -1),
    lambda m: m.erf(1j),
    lambda m: m.lt(1j, 1j),
    lambda m: m.clamp(TWO, THREE, 1.0),
    lambda m: m.select(True, TWO, THREE),
    lambda m: m.select(np.zeros(3, bool), TWO, TWO),
    lambda m: m.select(0.5, TWO, TWO),
    lambda m: m.bitcast_convert_type(np.zeros(3, "c8"), "u4"),
    lambda m: m.shift_left(1.0, 2.0),
    lambda m: m.real(1.0),
    lambda m: m.abs(np.zeros(3, "u1")),
    lambda m: m.cbrt(1j),
    lambda m: m.population_count(1.0),
]


@pytest.mark.parametrize("call", REFUSED)
def test_same_refusals(peer, call):
    """What JAX refuses with a TypeError is refused with one here."""
    for module in (peer.lax, lax):
        with pytest.raises(TypeError):
            call(module)


def test_numbers_beside_arrays():
    """Python's numbers take the dtype of an array of their kind, which JAX grants float32 and int32 only."""
    assert lax.add(HALF, 1.0).dtype == np.float16
    assert lax.mul(np.zeros(3, "u1"), 2).dtype == np.uint8


def test_signatures(peer):
    """Parameters have JAX's names, kinds and defaults."""
    def parameters(f):
        return [(p.name, p.kind, str(p.default)) for p in inspect.signature(f).parameters.values()]

    skipped = {"random_gamma_grad", "round"}         # JAX's takes *args; the default prints its class
    later = {"polynomial", "log2", "one_minus_square", "erfc", "mul"}       # grown since JAX 0.10
    names = {*arithmetic.__all__, *functions.__all__}
    for name in sorted(names - skipped - later):
        theirs = getattr(peer.lax, name)
        if inspect.isfunction(theirs):
            assert parameters(getattr(lax, name)) == parameters(theirs), name
