"""gnomon.scipy.fft, signal, ndimage, interpolate, integrate and cluster against SciPy."""
import numpy as np
import pytest
import scipy.cluster.vq
import scipy.fft
import scipy.interpolate
import scipy.ndimage
import scipy.signal as theirs

import gnomon as G
import gnomon.numpy as jnp
from gnomon.base.errors import Refused
from gnomon.scipy import cluster, fft, integrate, interpolate, ndimage
from gnomon.scipy import signal as ours
from gnomon.scipy.windows import get_window
from tests.linalg.derivatives import check_derivatives
from tests.linalg.test_numpy_linalg import close, random, wide

# ---- cosine transforms ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
def test_cosine_transforms(type, norm):
    for n in (2, 5, 8):
        x = random(3, n)
        for name in ("dct", "idct"):
            close(getattr(fft, name)(x, type, norm=norm), getattr(scipy.fft, name)(wide(x), type, norm=norm))
    x = random(3, 6)
    for size in (4, 9):
        close(fft.dct(x, type, size, 0, norm), scipy.fft.dct(wide(x), type, size, 0, norm))
    for name in ("dctn", "idctn"):
        close(getattr(fft, name)(x, type, norm=norm), getattr(scipy.fft, name)(wide(x), type, norm=norm))
        close(getattr(fft, name)(x, type, (4, 5), norm=norm), getattr(scipy.fft, name)(wide(x), type, (4, 5), norm=norm))
        close(getattr(fft, name)(x, type, axes=(0,), norm=norm), getattr(scipy.fft, name)(wide(x), type, axes=(0,), norm=norm))
    close(fft.idct(fft.dct(x, type, norm=norm), type, norm=norm), x)


def test_cosine_transforms_in_double_precision_and_their_derivatives():
    with G.enable_x64(True):
        x = random(7).astype("f8")
        np.testing.assert_allclose(fft.dct(x), scipy.fft.dct(x), rtol=1e-13, atol=1e-13)
    check_derivatives(lambda x: fft.dctn(x, norm="ortho"), random(3, 4))


# ---- convolution ----------------------------------------------------------------------------------------------------

PAIRS = [((7,), (3,)), ((3,), (7,)), ((5, 6), (2, 3)), ((4, 3, 5), (2, 2, 2)), ((4,), (4,)), ((5,), (2,))]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("shapes", PAIRS, ids=str)
def test_convolution(shapes, mode):
    for dtype in ("float32", "complex64"):
        x, y = random(*shapes[0], dtype=dtype), random(*shapes[1], dtype=dtype, seed=1)
        for method in ("direct", "fft", "auto"):
            close(ours.convolve(x, y, mode, method), theirs.convolve(wide(x), wide(y), mode, "direct"))
            close(ours.correlate(x, y, mode, method), theirs.correlate(wide(x), wide(y), mode, "direct"))
        close(ours.fftconvolve(x, y, mode), theirs.fftconvolve(wide(x), wide(y), mode))


def test_convolution_of_booleans_and_of_nothing():
    x = np.ones((300, 1), bool)
    for got in (ours.convolve(x, x), ours.convolve(x, x, method="fft")):
        assert got.dtype == bool and got.all()
    assert ours.convolve(np.arange(3, dtype="i4"), np.arange(2, dtype="i4"), method="fft").dtype == np.int32
    for name in ("convolve", "correlate", "fftconvolve"):
        for a, b in (((0,), (3,)), ((3,), (0,)), ((0,), (0,))):
            with pytest.raises(ValueError, match=f"{name} takes arrays that are not empty"):
                getattr(ours, name)(np.zeros(a, "f"), np.zeros(b, "f"))
    assert ours.fftconvolve(np.zeros((0, 3), "f"), np.ones((1, 2), "f"), axes=1).shape == (0, 4)
    with pytest.raises(ValueError, match="fftconvolve with mode='valid' needs one array to be at least as large"):
        ours.fftconvolve(np.ones((2, 3), "f"), np.ones((3, 2), "f"), "valid")


def test_convolution_of_integers_and_along_some_axes():
    x, y = np.arange(5, dtype="i4"), np.array([1, -1], "i4")
    np.testing.assert_array_equal(ours.convolve(x, y), np.convolve(x, y))
    a, b = random(3, 8), random(3, 4)
    close(ours.fftconvolve(a, b, axes=1), theirs.fftconvolve(wide(a), wide(b), axes=1))
    close(ours.fftconvolve(a, b[:1], axes=1), theirs.fftconvolve(wide(a), wide(b[:1]), axes=1))
    long = random(5000)
    close(ours.convolve(long, long[:4000]), theirs.convolve(wide(long), wide(long[:4000])), 1e-3)


@pytest.mark.parametrize("boundary, fillvalue", [("fill", 0), ("fill", 2), ("wrap", 0), ("symm", 0)])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolution_of_matrices(mode, boundary, fillvalue):
    for sizes in ((3, 2), (2, 3), (4, 4)):
        x, y = random(6, 5), random(*sizes, seed=1)
        for name in ("convolve2d", "correlate2d"):
            close(getattr(ours, name)(x, y, mode, boundary, fillvalue), getattr(theirs, name)(wide(x), wide(y), mode, boundary, fillvalue))


# ---- spectra --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("window", ["hann", "hamming", "blackman", "bartlett", "boxcar", "triang", "cosine", "nuttall", "flattop", "blackmanharris",
                                    ("tukey", 0.3), ("gaussian", 3.0), ("kaiser", 4.0)], ids=str)
def test_windows(window):
    for n in (1, 2, 7, 8, 33):
        np.testing.assert_allclose(get_window(window, n), theirs.get_window(window, n), atol=1e-12)


def test_detrend():
    x = random(3, 20)
    close(ours.detrend(x), theirs.detrend(wide(x)))
    close(ours.detrend(x, 0, "constant"), theirs.detrend(wide(x), 0, "constant"))
    close(ours.detrend(x, 1, bp=[5, 12]), theirs.detrend(wide(x), 1, bp=[5, 12]))


SPECTRA = [{}, {"nperseg": 16}, {"nperseg": 16, "noverlap": 4, "nfft": 20}, {"window": ("tukey", 0.5), "nperseg": 16},
           {"window": np.hanning(12)}, {"fs": 3.0, "nperseg": 17, "detrend": "linear"}, {"return_onesided": False, "nperseg": 16}]


def same_spectra(got, want, tol=1e-3):
    for x, y in zip(got, want, strict=True):
        close(x, y, tol)


@pytest.mark.parametrize("options", SPECTRA, ids=lambda o: str(sorted(o)))
def test_power_spectra(options):
    x, y = random(2, 100), random(2, 100, seed=1)
    for extra in ({}, {"scaling": "spectrum"}, {"average": "median"}):
        same_spectra(ours.welch(x, **options, **extra), theirs.welch(wide(x), **options, **extra))
    same_spectra(ours.csd(x, y, **options), theirs.csd(wide(x), wide(y), **options))
    same_spectra(ours.csd(x.T, y.T, axis=0, **options), theirs.csd(wide(x.T), wide(y.T), axis=0, **options))
    z = random(64, dtype="complex64")
    same_spectra(ours.welch(z, nperseg=16, return_onesided=False), theirs.welch(wide(z), nperseg=16, return_onesided=False))


@pytest.mark.parametrize("boundary", ["zeros", "even", "odd", "constant", None])
def test_short_time_transforms(boundary):
    x = random(2, 100)
    for options in ({"nperseg": 16}, {"nperseg": 16, "noverlap": 12, "nfft": 20, "padded": False}, {"nperseg": 15, "fs": 3.0, "detrend": "constant"}):
        same_spectra(ours.stft(x, boundary=boundary, **options), theirs.stft(wide(x), boundary=boundary, **options))
    got, want = ours.stft(x.T, nperseg=16, axis=0, boundary=boundary), theirs.stft(wide(x.T), nperseg=16, axis=0, boundary=boundary)
    same_spectra(got, want)


def test_inverse_short_time_transform():
    x = random(2, 96)
    for options in ({"nperseg": 16}, {"nperseg": 16, "noverlap": 12}, {"nperseg": 16, "nfft": 32}, {"nperseg": 15, "noverlap": 10, "fs": 2.0}):
        z = theirs.stft(wide(x), **options)[2]
        times, y = ours.istft(z.astype("c8"), **options)
        close(y, theirs.istft(z, **options)[1], 1e-3)
        close(times, np.arange(y.shape[-1]) / options.get("fs", 1))
        close(ours.istft(ours.stft(x, **options)[2], **options)[1][..., :90], x[..., :90], 1e-3)
    two = theirs.stft(wide(x), nperseg=16, return_onesided=False)[2]
    close(ours.istft(two.astype("c8"), nperseg=16, input_onesided=False)[1], theirs.istft(two, nperseg=16, input_onesided=False)[1], 1e-3)


# ---- interpolation --------------------------------------------------------------------------------------------------

# our modes are what SciPy calls:
MODES = {"constant": "grid-constant", "nearest": "nearest", "wrap": "grid-wrap", "mirror": "mirror", "reflect": "reflect"}


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("mode", MODES)
def test_map_coordinates(mode, order):
    for shape in ((7,), (4, 5), (1, 3)):
        x = random(*shape)
        places = np.random.default_rng(0).uniform(-6, 12, (len(shape), 40))
        got = ndimage.map_coordinates(x, list(places.astype("f")), order, mode, 2.5)
        close(got, scipy.ndimage.map_coordinates(wide(x), places.astype("f"), None, order, MODES[mode], 2.5), 1e-3)
    whole = ndimage.map_coordinates(np.array([0, 10, 20], "i4"), [np.array([0.46, 1.5], "f")], 1)
    assert whole.dtype == np.int32 and whole.tolist() == [5, 15]


def test_map_coordinates_has_derivatives():
    check_derivatives(lambda x, a, b: ndimage.map_coordinates(x, [a, b], 1), random(4, 5), np.array([0.3, 1.7, 2.2]), np.array([3.3, 0.2, 1.9]))


@pytest.mark.parametrize("method", ["linear", "nearest"])
def test_regular_grid(method):
    axes = np.array([0, 1, 2.5, 4]), np.array([-1, 0.5, 3])
    values = random(4, 3, 2)
    at = np.random.default_rng(0).uniform(-1.5, 4.5, (5, 6, 2)).astype("f")
    for fill in (np.nan, -7.0):
        f = interpolate.RegularGridInterpolator([a.astype("f") for a in axes], values, method, fill_value=fill)
        g = scipy.interpolate.RegularGridInterpolator(axes, wide(values), method, bounds_error=False, fill_value=fill)
        np.testing.assert_allclose(f(at), g(at), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(f((at[..., 0], at[..., 1])), g(at), rtol=1e-4, atol=1e-5)
    f = interpolate.RegularGridInterpolator([a.astype("f") for a in axes], values, method, fill_value=None)
    g = scipy.interpolate.RegularGridInterpolator(axes, wide(values), method, bounds_error=False, fill_value=None)
    np.testing.assert_allclose(f(at), g(at), rtol=1e-4, atol=1e-5)
    with pytest.raises(Refused, match="bounds_error"):
        interpolate.RegularGridInterpolator(axes, values, bounds_error=True)


def test_integrals_and_clusters():
    x, y = np.sort(random(9)), random(9)
    close(integrate.trapezoid(y, x), np.trapezoid(wide(y), wide(x)))
    for a, b in ((random(20, 3), random(4, 3)), (random(20), random(4))):
        for got, want in zip(cluster.vq.vq(a, b), scipy.cluster.vq.vq(wide(a), wide(b))):
            close(got, want)


@pytest.mark.parametrize("call, message", [
    (lambda: fft.dct(jnp.ones(3), 5), "dct takes type 1, 2, 3 or 4, got 5"),
    (lambda: fft.dct(jnp.ones(3) * 1j), "dct takes real arrays"),
    (lambda: fft.dctn(jnp.ones((3, 3)), s=(2,), axes=(0, 1)), "dctn takes as many sizes s as axes"),
    (lambda: ours.convolve(jnp.ones(3), jnp.ones((3, 3))), "convolve takes two arrays of as many dimensions"),
    (lambda: ours.convolve(jnp.ones(3), jnp.ones(3), "middle"), "convolve takes mode 'full', 'same' or 'valid', got 'middle'"),
    (lambda: ours.welch(jnp.ones(9), window="x"), "There is no window 'x'"),
    (lambda: ours.stft(jnp.ones(9), nperseg=4, noverlap=4), "stft takes an noverlap of at least 0 and less than nperseg, 4"),
    (lambda: ours.detrend(jnp.ones(9), type="cubic"), "detrend takes type 'linear', 'l', 'constant' or 'c', got 'cubic'"),
    (lambda: ndimage.map_coordinates(jnp.ones(3), [jnp.ones(2)], 3), "map_coordinates interpolates with order 0 or 1, got 3"),
    (lambda: ndimage.map_coordinates(jnp.ones((3, 3)), [jnp.ones(2)], 1), "coordinates for every dimension of the array, 2 of them, got 1"),
    (lambda: cluster.vq.vq(jnp.ones((3, 2)), jnp.ones((3, 3))), r"vq takes observations \(m, n\)"),
])
def test_errors(call, message):
    with pytest.raises((ValueError, TypeError, Refused), match=message):
        call()
