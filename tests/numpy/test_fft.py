"""Fourier transforms against NumPy."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as gnp
from gnomon.trace.stage import value_of

RUNS = [lambda f, *args: f(*map(value_of, args)), lambda f, *args: G.jit(f)(*args)]
RNG = np.random.RandomState(0)
X = RNG.randn(3, 4, 5).astype(np.float32)
Z = (X + 1j * X[::-1]).astype(np.complex64)


def close(got, want):
    assert got.shape == want.shape
    assert np.iscomplexobj(np.asarray(got)) == np.iscomplexobj(want)
    np.testing.assert_allclose(got, want, 1e-4, 1e-4)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_one_axis(name, norm):
    f, g = getattr(gnp.fft, name), getattr(np.fft, name)
    xs = (X,) if name in ("rfft", "ihfft") else (X, Z)
    for x in xs:
        for n, axis in ((None, -1), (3, 0), (7, 1)):
            close(f(x, n, axis, norm), g(x, n, axis, norm))
    close(G.jit(lambda x: f(x, norm=norm))(xs[0]), g(xs[0], norm=norm))


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_several_axes(name):
    f, g = getattr(gnp.fft, name), getattr(np.fft, name)
    x = X if name == "rfftn" else Z
    for run in RUNS:
        close(run(f, x), g(x))
    for s, axes in (((2, 6), (0, 1)), (None, (2, 0)), ((4,), None)):
        with np.testing.suppress_warnings() as quiet:
            quiet.filter(DeprecationWarning)
            close(f(x, s, axes), g(x, s, axes if axes is not None else (-1,)))
    two = name.replace("n", "2", 1) if not name.startswith("i") else name[:-1] + "2"
    if hasattr(np.fft, two):
        close(getattr(gnp.fft, two)(x), getattr(np.fft, two)(x))
        close(getattr(gnp.fft, two)(x, norm="ortho", axes=(0, 1)), getattr(np.fft, two)(x, norm="ortho", axes=(0, 1)))
    many = np.stack([x, 2 * x])
    close(f(many), g(many))


def test_derivatives():
    for f in (lambda x: gnp.fft.irfft(gnp.fft.rfft(x) * 2), lambda x: gnp.real(gnp.fft.ifft2(gnp.fft.fft2(x))) * 2):
        g = G.grad(lambda x: gnp.sum(f(x) * X[..., :4]))(X[..., :4])
        np.testing.assert_allclose(g, 2 * X[..., :4], 1e-4, 1e-4)


def test_frequencies_and_shifts():
    for n in (0, 1, 4, 5):
        close(gnp.fft.fftfreq(n, 0.5), np.fft.fftfreq(n, 0.5) if n else np.zeros(0))
        close(gnp.fft.rfftfreq(n or 1), np.fft.rfftfreq(n or 1))
        close(gnp.fft.fftshift(np.arange(n)), np.fft.fftshift(np.arange(n)))
        close(gnp.fft.ifftshift(np.arange(n)), np.fft.ifftshift(np.arange(n)))
    close(G.jit(lambda d: gnp.fft.fftfreq(5, d))(0.5), np.fft.fftfreq(5, 0.5))
    close(gnp.fft.fftshift(X, (0, 2)), np.fft.fftshift(X, (0, 2)))
    assert gnp.fft.fftfreq(4, dtype="float16").dtype == np.float16


def test_edges():
    assert gnp.fft.fft(np.zeros((0, 3), np.float32)).shape == (0, 3)
    assert gnp.fft.irfft(np.ones(1, np.float32)).shape == (0,)
    assert gnp.fft.fft(gnp.ones(4, gnp.bfloat16)).dtype == np.complex64
    assert gnp.fft.ifft(np.arange(3)).dtype == np.complex64
    for call, text in ((lambda: gnp.fft.fft(X, 0), "sizes above 0"), (lambda: gnp.fft.fft(X, norm="x"),
                                                                      "fft.fft takes norm .backward., .ortho. or .forward., got .x."),
                       (lambda: gnp.fft.fft(np.float32(1)), "axis -1"),
                       (lambda: gnp.fft.rfft(Z), "takes real numbers, got an array of type complex64"),
                       (lambda: gnp.fft.fftn(X, axes=(0, 0)), "repeated axes"),
                       (lambda: gnp.fft.fftn(X, (2,), (0, 1)), "different lengths"),
                       (lambda: gnp.fft.fft2(X[0, 0]), "axis -2")):
        with pytest.raises(ValueError, match=text):
            call()


def test_lax():
    close(G.lax.fft(X, "rfft", (5,)), np.fft.rfft(X))
    close(G.lax.fft(Z, G.lax.FftType.FFT, (4, 5)), np.fft.fft2(Z))
    with pytest.raises(ValueError, match="last sizes are"):
        G.lax.fft(Z, "fft", (7,))


@pytest.mark.parametrize("shape, axes", [((2 ** 15 + 1,), (0,)), ((182, 182), (0, 1)), ((182, 3, 181), (2, 0)), ((1, 2 ** 15), (1, 0)), ((8, 8, 32, 17), None)])
def test_many_real_numbers(shape, axes):
    """Half of the transform is the mirror image of the other half."""
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    wanted = np.fft.fftn(x.astype(float), axes=axes)
    np.testing.assert_allclose(gnp.fft.fftn(x, axes=axes), wanted, 1e-3, 1e-3)
    if len(shape) < 3:
        weight = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
        got = G.grad(lambda x: (gnp.fft.fftn(x, axes=axes) * (weight * (1 + 2j))).real.sum())(x)
        np.testing.assert_allclose(got, np.fft.fftn(weight * (1 + 2j), axes=axes).real, 1e-3, 1e-2)
