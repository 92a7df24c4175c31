"""Arguments of gnomon.scipy and gnomon.random that make no sense: each is told in one sentence that names the function and the argument."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp
from gnomon import random
from gnomon.scipy import cluster, fft, integrate, interpolate, linalg, ndimage, optimize, signal, sparse, spatial, stats  # noqa: F401

KEY, MATRIX, VECTOR, SIGNAL = random.key(0), np.eye(2, dtype="float32"), np.ones(2, "float32"), np.ones(16, "float32")
ARRAY = np.ones(3, "float32")
ROTATION = spatial.transform.Rotation
GRID = ((VECTOR.cumsum(), VECTOR.cumsum()), MATRIX)


def square(x):
    return (x * x).sum()


WRONG = [
    # (call, what is said)
    (lambda: linalg.cho_solve(None, VECTOR), "cho_solve takes a sequence of what cho_factor returned as c_and_lower, got None of type NoneType."),
    (lambda: linalg.lu_solve((MATRIX,), VECTOR), "lu_solve takes two things as lu_and_piv, what lu_factor returned, got 1 of them."),
    (lambda: linalg.convolution_matrix(VECTOR, {}), "convolution_matrix takes a flag, number, name or tuple of them as n, got {} of type dict."),
    (lambda: linalg.convolution_matrix(VECTOR, 2, mode=ARRAY), "convolution_matrix takes a flag, number, name or tuple of them as mode, got "),
    (lambda: linalg.invpascal(2 ** 70), "invpascal takes a size from 0 to 32768, got n=1180591620717411303424."),
    (lambda: linalg.hilbert(-1), "hilbert takes a size from 0 to 32768, got n=-1."),
    (lambda: linalg.solve(MATRIX, VECTOR, assume_a={}), "solve takes assume_a 'gen', 'sym', 'her' or 'pos', got {}."),
    (lambda: linalg.svd(MATRIX, full_matrices="no"), "svd takes True or False as full_matrices, got 'no' of type str."),
    (lambda: linalg.qr(MATRIX, pivoting=ARRAY), "qr takes a flag, number, name or tuple of them as pivoting, got "),
    (lambda: linalg.qr_multiply(MATRIX, 2.0), "qr_multiply takes a matrix a and a matrix or vector c, got shapes (2, 2) and ()."),
    (lambda: linalg.eigh(MATRIX, np.ones((1, 2, 2), "float32")), "eigh takes matrices a and b of one shape, got (2, 2) and (1, 2, 2)."),
    (lambda: linalg.eigh_tridiagonal(ARRAY, VECTOR, select="i", select_range=1),
     "eigh_tridiagonal takes a sequence of the first and the last as select_range, got 1 of type int."),
    (lambda: linalg.expm(MATRIX, max_squarings=np.inf), "expm takes an integer max_squarings, got inf of type float."),
    (lambda: linalg.expm_frechet(MATRIX, ARRAY), "expm_frechet takes two square matrices of one size, got shapes (2, 2) and (3,)."),
    (lambda: linalg.funm(MATRIX, None), "funm takes a function as func, got None of type NoneType."),
    (lambda: fft.dct(VECTOR, type=[2]), "dct takes type 1, 2, 3 or 4, got [2]."),
    (lambda: fft.dctn(MATRIX, s=None, axes={}), "dctn takes a sequence of axes as axes, got {} of type dict."),
    (lambda: signal.correlate(VECTOR, VECTOR, method=None), "correlate takes method 'auto', 'direct' or 'fft', got None."),
    (lambda: signal.fftconvolve(VECTOR, VECTOR, ARRAY), "fftconvolve takes mode 'full', 'same' or 'valid', got "),
    (lambda: signal.convolve2d(MATRIX, MATRIX, fillvalue=ARRAY), "convolve2d takes one number as fillvalue, got an array of shape (3,)."),
    (lambda: signal.stft(SIGNAL, fs=1j, nperseg=4), "stft takes a real number as fs, got a value of type complex64[]."),
    (lambda: signal.stft(SIGNAL, boundary={}, nperseg=4), "stft takes boundary 'zeros', 'even', 'odd', 'constant' or None, got {}."),
    (lambda: signal.welch(SIGNAL, average="most"), "welch takes average 'mean' or 'median', got 'most'."),
    (lambda: signal.csd(SIGNAL, 1.0), "csd takes two arrays of as many dimensions, got shapes (16,) and ()."),
    (lambda: ndimage.map_coordinates(MATRIX, None, 1), "map_coordinates takes a sequence of arrays as coordinates, got None of type NoneType."),
    (lambda: ndimage.map_coordinates(MATRIX, [VECTOR, VECTOR], 1, cval=1j),
     "map_coordinates takes a real number as cval, got a value of type complex64[]."),
    (lambda: interpolate.RegularGridInterpolator(None, MATRIX), "RegularGridInterpolator takes a sequence of vectors as points, got None of type NoneType."),
    (lambda: interpolate.RegularGridInterpolator(*GRID, bounds_error="no"),
     "RegularGridInterpolator takes True or False as bounds_error, got 'no' of type str."),
    (lambda: optimize.minimize(None, VECTOR, method="BFGS"), "minimize takes a function as fun, got None of type NoneType."),
    (lambda: optimize.minimize(square, VECTOR, method="BFGS", options=[1]), "minimize takes a dictionary as options, got [1] of type list."),
    (lambda: optimize.minimize(square, VECTOR, method="BFGS", tol=ARRAY), "minimize takes one number as tol, got an array of shape (3,)."),
    (lambda: optimize.minimize(square, VECTOR, method="BFGS", options={"norm": "fro"}), "minimize(options['norm']=...) requires ndarray or scalar"),
    (lambda: sparse.linalg.cg(MATRIX, VECTOR, maxiter=1.5), "cg takes an integer maxiter, got 1.5 of type float."),
    (lambda: sparse.linalg.gmres(MATRIX, VECTOR, restart=None), "gmres takes an integer restart, got None of type NoneType."),
    (lambda: sparse.linalg.gmres(MATRIX, VECTOR, restart=-1), "gmres takes a positive restart, got -1."),
    (lambda: sparse.linalg.bicgstab(MATRIX, VECTOR, tol=ARRAY), "bicgstab takes one number as tol, got an array of shape (3,)."),
    (lambda: ROTATION.from_euler(None, 1.0), "A sequence of axes is a string of up to three letters xyz (or XYZ), got None of type NoneType."),
    (lambda: ROTATION.from_rotvec(ARRAY, degrees="yes"), "Rotation.from_rotvec takes True or False as degrees, got 'yes' of type str."),
    (lambda: ROTATION.identity(-1), "num, of Rotation.identity, must not be negative, got -1."),
    (lambda: ROTATION.identity(2) * 3, "Rotation.__mul__ takes Rotations, got 3 of type int."),
    (lambda: stats.mode(VECTOR, keepdims=ARRAY), "mode takes True or False as keepdims, got "),
    (lambda: stats.gaussian_kde(ARRAY).integrate_kde(None), "integrate_kde takes another gaussian_kde, got None of type NoneType."),
    (lambda: random.key(0, impl=[1]), "A random key takes the name of a generator as impl, or a dtype of keys, got [1] of type list."),
    (lambda: random.wrap_key_data(VECTOR, impl=3), "A random key takes the name of a generator as impl, or a dtype of keys, got 3 of type int."),
    (lambda: random.normal(np.array(["a", "b"])), "random.normal takes a random key, got an array of type <U1[2]. Make a key with random.key(seed);"),
    (lambda: random.normal(KEY, (2,), "no"), "random.normal takes a float or complex dtype. 'no' stands for no dtype."),
    (lambda: random.permutation(KEY, VECTOR, independent="no"), "random.permutation takes True or False as independent, got 'no' of type str."),
    (lambda: random.permutation(KEY, VECTOR, axis=None), "random.permutation takes an integer axis, got None of type NoneType."),
    (lambda: random.choice(KEY, VECTOR, replace={}), "random.choice takes True or False as replace, got {} of type dict."),
    (lambda: random.choice(KEY, 1.5), "random.choice takes an integer a, got 1.5 of type float."),
    (lambda: random.choice(KEY, 2 ** 70), "random.choice takes an a that fits in int32, got 1180591620717411303424."),
    (lambda: random.categorical(KEY, np.ones((2, 0), "float32")), "random.categorical takes logits of at least one category, got shape (2, 0)."),
    (lambda: random.categorical(KEY, VECTOR, mode=ARRAY), "random.categorical takes mode 'low' or 'high', got "),
    (lambda: random.dirichlet(KEY, ARRAY[:0]), "random.dirichlet takes an alpha with at least one dimension and one number along the last, got shape (0,)."),
    (lambda: random.gamma(KEY, 1j), "random.gamma takes real numbers as a, got complex64[]."),
    (lambda: random.multivariate_normal(KEY, VECTOR, MATRIX + 1j), "random.multivariate_normal takes real numbers as cov, got complex64[2, 2]."),
    (lambda: random.pareto(KEY, None), "random.pareto(b=...) requires ndarray or scalar arguments, got <class 'NoneType'>."),
    (lambda: random.truncated_normal(KEY, "a", 1.0), "random.truncated_normal(lower=...) requires ndarray or scalar arguments, got <class 'str'>."),
    (lambda: random.ball(KEY, 2, VECTOR), "random.ball takes one number as p, got an array of shape (2,)."),
    (lambda: random.multinomial(KEY, 5, VECTOR / 2, unroll=[1]), "random.multinomial takes an integer unroll, got [1] of type list."),
]


@pytest.mark.parametrize("i", range(len(WRONG)))
def test_told_in_one_sentence(i):
    call, said = WRONG[i]
    with pytest.raises((TypeError, ValueError, OverflowError, NotImplementedError)) as caught:
        call()
    assert str(caught.value).startswith(said), str(caught.value)


def test_numbers_that_stand_for_flags():
    for yes in (1, np.bool_(True), np.int32(1), jnp.asarray(True), np.array(True)):
        assert linalg.svd(MATRIX, full_matrices=yes, compute_uv=0).shape == (2,)
    with pytest.raises(G.errors.TracerBoolConversionError):
        G.jit(lambda f: random.permutation(KEY, VECTOR, independent=f))(True)
